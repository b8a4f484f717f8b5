//! Any bytes as a proof file, or in place of a part of one: never a panic, never more memory than the statement asks
//! for, and never acceptance of anything but the file itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use volery::circuit::Network;
use volery::{F2, Options, System, prove_to, verify_from};

/// An honest file.
static HONEST: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut file = vec![];
    let witness: Vec<F2> = network().witness([3; 32]).collect();
    prove_to(&network(), witness, &mut file, &options()).unwrap();
    file
});

fn network() -> Network {
    Network::new(50).unwrap()
}

fn options() -> Options {
    Options { system: System::Limbo, seed: Some([1; 32]), ..Options::default() }
}

fuzz_target!(|input: (bool, u16, Vec<u8>)| {
    let (whole, place, bytes) = input;
    let mut file = if whole { bytes.clone() } else { HONEST.clone() };
    if !whole {
        let place = usize::from(place) % file.len();
        for (byte, noise) in file[place..].iter_mut().zip(&bytes) {
            *byte ^= noise;
        }
    }
    let verdict = verify_from(&network(), &mut &file[..], &options());
    assert_eq!(verdict.is_ok(), file == *HONEST);
});
