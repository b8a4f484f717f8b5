//! Any bytes as a proof file, or in place of a part of one: never a panic, never more memory than the
//! statement asks for, and never acceptance of anything but the file itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use volery::circuit::{Arithmetic, Network};
use volery::{
    F2, F61, F61x2, Options, Over, System, prove_to, prove_to_over, read_label, verify_from, verify_from_over,
};

/// Honest files over F_2 and over 2^61 - 1.
static HONEST: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let mut files = [vec![], vec![]];
    let witness: Vec<F2> = network().witness([3; 32]).collect();
    prove_to(&network(), witness, &mut files[0], &options()).unwrap();
    let witness: Vec<F61> = arithmetic().witness([3; 32]).collect();
    prove_to_over::<Wide>(&arithmetic(), witness, &mut files[1], &options()).unwrap();
    files
});

type Wide = Over<F61, F61x2>;

fn arithmetic() -> Arithmetic<F61> {
    Arithmetic::new(20).unwrap()
}

fn network() -> Network {
    Network::new(50).unwrap()
}

fn options() -> Options {
    Options { method: System::LIMBO.into(), seed: Some([1; 32]), ..Options::default() }
}

fuzz_target!(|input: (bool, bool, u16, Vec<u8>)| {
    let (whole, wide, place, bytes) = input;
    let honest = &HONEST[usize::from(wide)];
    let mut file = if whole { bytes.clone() } else { honest.clone() };
    if !whole {
        let place = usize::from(place) % file.len();
        for (byte, noise) in file[place..].iter_mut().zip(&bytes) {
            *byte ^= noise;
        }
    }
    let _ = read_label(&mut &file[..]);
    let accepted = if wide {
        verify_from_over::<Wide>(&arithmetic(), &mut &file[..], &options()).is_ok()
    } else {
        verify_from(&network(), &mut &file[..], &options()).is_ok()
    };
    assert_eq!(accepted, file == *honest);
});
