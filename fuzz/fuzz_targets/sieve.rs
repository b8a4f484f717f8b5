//! Any bytes as SIEVE text, strictly read and not, and as a stream of values: read, or refused, within memory
//! that their length bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::{Program, Relation, Sieve, SieveStream, StreamKind};

/// Values, and so gates, of a relation that is gone through: a few bytes may read many.
const MOST: u64 = 1 << 16;

fuzz_target!(|bytes: &[u8]| {
    for strict in [false, true] {
        let Ok(sieve) = Sieve::from_bytes("fuzz", bytes, strict) else { continue };
        let few = sieve.streams().iter().all(|stream| stream.count < MOST) && sieve.gates() < MOST;
        if few && !sieve.has_bits() && sieve.is_over::<volery::F2>() {
            let _ = Program::shape(&Relation::file(Box::new(sieve)));
        }
    }
    let _ = SieveStream::from_bytes("fuzz", bytes, StreamKind::Private);
});
