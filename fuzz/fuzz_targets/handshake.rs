//! Any bytes as the peer's hello: an error, or agreement.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::channel::{Channel, Hello, Party, Playback, shake_hands};

fuzz_target!(|bytes: &[u8]| {
    let hello = Hello { system: "quicksilver", field: "f2", parameters: "softspoken8", lanes: 0, statement: &[7; 32] };
    for party in [Party::Prover, Party::Verifier] {
        let mut channel = Channel::new(party, Playback::new(bytes.to_vec()));
        let _ = shake_hands(&mut channel, &hello, &[1; 32]);
    }
});
