//! Any text as field elements: never a panic, and what is read is canonical.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::Elements;
use volery::{Bls12381, Bn254, F61, F256, F65537, Field, Goldilocks, Q32};

fn read<F: Field>(text: &[u8]) {
    if let Ok(elements) = Elements::<F>::parse(text) {
        assert!(elements.iter().all(|element| F::from_integer(element.to_integer()) == Some(element)));
    }
}

fuzz_target!(|text: &[u8]| {
    read::<F61>(text);
    read::<Goldilocks>(text);
    read::<Q32>(text);
    read::<F65537>(text);
    read::<F256>(text);
    read::<Bn254>(text);
    read::<Bls12381>(text);
});
