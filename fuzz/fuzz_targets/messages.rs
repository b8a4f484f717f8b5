//! Any bytes from the peer after an honest hello, or in place of a part of an honest run: never a panic, and
//! never acceptance of anything but the run itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use std::time::Duration;
use volery::channel::{Channel, Party, Playback, Tape, pipe};
use volery::circuit::Network;
use volery::{Checking, F2, Options, prove, verify};

/// The messages of each party in one honest run by each system.
static HONEST: LazyLock<[[Vec<u8>; 2]; SYSTEMS]> = LazyLock::new(|| std::array::from_fn(honest));

fn honest(system: usize) -> [Vec<u8>; 2] {
    let (network, witness) = statement();
    let (here, there) = pipe(Duration::from_secs(60));
    let (here, from_prover) = Tape::new(here, None);
    let (there, from_verifier) = Tape::new(there, None);
    let prover = std::thread::spawn(move || {
        prove(&network, witness, &mut Channel::new(Party::Prover, here), &options(system, 1)).unwrap()
    });
    let _ = verify(&network, &mut Channel::new(Party::Verifier, there), &options(system, 2)).unwrap();
    prover.join().unwrap();
    [from_prover, from_verifier].map(|record| record.messages().concat())
}

fn statement() -> (Network, Vec<F2>) {
    let network = Network::new(50).unwrap();
    let witness = network.witness([3; 32]).collect();
    (network, witness)
}

/// QuickSilver, and Wolverine in two blocks: with coins of the verifier, and without.
const SYSTEMS: usize = 3;

fn options(system: usize, seed: u8) -> Options {
    let options = Options { seed: Some([seed; 32]), check: false, ..Options::default() };
    match system {
        0 => options,
        _ => {
            let checking = Checking { block: Some(30), ..Checking::default() };
            Options {
                method: checking.into(),
                non_interactive: system == 2,
                ..options
            }
        }
    }
}

/// The honest bytes up to a place, then `tail`.
fn spoilt(honest: &[u8], place: usize, tail: &[u8]) -> Vec<u8> {
    let mut bytes = honest.to_vec();
    let place = place % bytes.len();
    for (byte, noise) in bytes[place..].iter_mut().zip(tail) {
        *byte ^= noise;
    }
    bytes
}

fuzz_target!(|input: (u8, u16, Vec<u8>)| {
    let (system, place, tail) = input;
    let system = usize::from(system) % SYSTEMS;
    let (network, witness) = statement();
    let [from_prover, from_verifier] = &HONEST[system];
    let (proving, verifying) = (options(system, 1), options(system, 2));

    let bytes = spoilt(from_prover, place.into(), &tail);
    let changed = bytes != *from_prover;
    let verdict = verify(&network, &mut Channel::new(Party::Verifier, Playback::new(bytes)), &verifying);
    assert_eq!(verdict.is_err(), changed);

    let bytes = spoilt(from_verifier, place.into(), &tail);
    let _ = prove(&network, witness, &mut Channel::new(Party::Prover, Playback::new(bytes)), &proving);
});
