//! Any bytes as what a prover says to a service, and as what a service says to a prover: an error at worst.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::channel::Playback;
use volery_cli::service;

fuzz_target!(|bytes: &[u8]| {
    let mut link = Playback::new(bytes.to_vec());
    if service::opening(&mut link).is_ok() {
        let _ = service::chosen(&mut link);
    }
    let mut link = Playback::new(bytes.to_vec());
    if let Ok(terms) = service::ask(&mut link, "statement") {
        let _ = terms.lines();
        let _ = service::choose(&mut link, &[]);
    }
});
