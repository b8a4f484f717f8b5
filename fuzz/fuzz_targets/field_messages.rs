//! Any bytes in place of a part of an honest run over 2^61 - 1: never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use std::time::Duration;
use volery::channel::{Channel, Party, Playback, Tape, pipe};
use volery::circuit::Arithmetic;
use volery::{F61, Options, Over, prove_over, verify_over};

type Setting = Over<F61, F61>;

/// What each party says in one honest run with these settings.
static HONEST: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let (network, witness) = statement();
    let (here, there) = pipe(Duration::from_secs(60));
    let (here, from_prover) = Tape::new(here, None);
    let (there, from_verifier) = Tape::new(there, None);
    let prover = std::thread::spawn(move || {
        let mut channel = Channel::new(Party::Prover, here);
        prove_over::<Setting, _, _>(&network, witness, &mut channel, &options(1)).unwrap()
    });
    let mut channel = Channel::new(Party::Verifier, there);
    let _ = verify_over::<Setting, _>(&statement().0, &mut channel, &options(2)).unwrap();
    prover.join().unwrap();
    [from_prover, from_verifier].map(|record| record.messages().concat())
});

fn statement() -> (Arithmetic<F61>, Vec<F61>) {
    let network = Arithmetic::new(50).unwrap();
    let witness = network.witness([3; 32]).collect();
    (network, witness)
}

fn options(seed: u8) -> Options {
    Options { seed: Some([seed; 32]), check: false, ..Options::default() }
}

/// The honest bytes with `noise` added from a place on.
fn spoilt(honest: &[u8], place: usize, noise: &[u8]) -> Playback {
    let mut bytes = honest.to_vec();
    let place = place % bytes.len();
    bytes[place..].iter_mut().zip(noise).for_each(|(byte, noise)| *byte ^= noise);
    Playback::new(bytes)
}

fuzz_target!(|input: (u32, Vec<u8>)| {
    let (place, noise) = input;
    let (network, witness) = statement();
    let [from_prover, from_verifier] = &*HONEST;
    let link = spoilt(from_prover, place as usize, &noise);
    let _ = verify_over::<Setting, _>(&network, &mut Channel::new(Party::Verifier, link), &options(2));
    let link = spoilt(from_verifier, place as usize, &noise);
    let _ = prove_over::<Setting, _, _>(&network, witness, &mut Channel::new(Party::Prover, link), &options(1));
});
