//! Any bytes as a circuit file: read, or refused, within memory that their length bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::{Bristol, Relation};

fuzz_target!(|text: &[u8]| {
    if let Ok(circuit) = Bristol::from_bytes("fuzz", text) {
        let _ = Relation::bristol(circuit).examine();
    }
});
