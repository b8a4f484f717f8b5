//! Any bytes of an opening: what is read has those bytes alone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery_web::Opening;
use volery_web::skeleton::skeleton;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(opening) = Opening::from_bytes(bytes) {
        assert_eq!(opening.to_bytes(), bytes);
        skeleton(&opening.client);
        skeleton(&opening.server);
    }
});
