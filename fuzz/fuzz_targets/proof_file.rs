//! Any bytes as a proof file, or in place of a part of one: never a panic, never more memory than the
//! statement asks for, and never acceptance of anything but the file itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use volery::circuit::{Arithmetic, Network};
use volery::zk::voleith::Wishes;
use volery::{
    F2, F61, F61x2, InTheHead, Options, Over, System, prove_to, prove_to_over, read_label,
    verify_from, verify_from_over,
};

/// Honest files: over F_2 by limbo, over 2^61 - 1, and over F_2 by voleith.
static HONEST: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| {
    let mut files = [vec![], vec![], vec![]];
    let witness: Vec<F2> = network().witness([3; 32]).collect();
    prove_to(&network(), witness.clone(), &mut files[0], &options()).unwrap();
    prove_to(&network(), witness, &mut files[2], &in_the_head()).unwrap();
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

/// Few hashes to search.
fn in_the_head() -> Options {
    let wishes = Wishes { grinding: Some(8), ..Wishes::default() };
    Options { method: InTheHead { wishes }.into(), ..options() }
}

fuzz_target!(|input: (bool, u8, u16, Vec<u8>)| {
    let (whole, which, place, bytes) = input;
    let which = usize::from(which) % 3;
    let honest = &HONEST[which];
    let mut file = if whole { bytes.clone() } else { honest.clone() };
    if !whole {
        let place = usize::from(place) % file.len();
        for (byte, noise) in file[place..].iter_mut().zip(&bytes) {
            *byte ^= noise;
        }
    }
    let _ = read_label(&mut &file[..]);
    // Files over F_2 are read by the system that their header names.
    let accepted = if which == 1 {
        verify_from_over::<Wide>(&arithmetic(), &mut &file[..], &options()).is_ok()
    } else {
        verify_from(&network(), &mut &file[..], &options()).is_ok()
    };
    assert_eq!(accepted, file == *honest);
});
