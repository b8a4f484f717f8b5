//! Any bytes in place of a part of an honest run over 2^61 - 1: never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use std::time::Duration;
use volery::channel::{Channel, Party, Playback, Tape, pipe};
use volery::circuit::Arithmetic;
use volery::{CheckedBy, Checking, F61, Options, Over, prove_over, verify_over};

type Setting = Over<F61>;

/// The messages of each party in one honest run by each system.
static HONEST: LazyLock<[[Vec<u8>; 2]; SYSTEMS]> = LazyLock::new(|| std::array::from_fn(honest));

fn honest(system: usize) -> [Vec<u8>; 2] {
    let (network, witness) = statement();
    let (here, there) = pipe(Duration::from_secs(60));
    let (here, from_prover) = Tape::new(here, None);
    let (there, from_verifier) = Tape::new(there, None);
    let prover = std::thread::spawn(move || {
        let mut channel = Channel::new(Party::Prover, here);
        prove_over::<Setting>(&network, witness, &mut channel, &options(system, 1)).unwrap()
    });
    let mut channel = Channel::new(Party::Verifier, there);
    let _ = verify_over::<Setting>(&statement().0, &mut channel, &options(system, 2)).unwrap();
    prover.join().unwrap();
    [from_prover, from_verifier].map(|record| record.messages().concat())
}

fn statement() -> (Arithmetic<F61>, Vec<F61>) {
    let network = Arithmetic::new(50).unwrap();
    let witness = network.witness([3; 32]).collect();
    (network, witness)
}

/// QuickSilver, and Wolverine in two blocks by each of its checks.
const SYSTEMS: usize = 1 + CheckedBy::ALL.len();

fn options(system: usize, seed: u8) -> Options {
    let options = Options { seed: Some([seed; 32]), check: false, ..Options::default() };
    match system {
        0 => options,
        _ => {
            let checking = Checking { by: Some(CheckedBy::ALL[system - 1]), block: Some(40) };
            Options { method: checking.into(), ..options }
        }
    }
}

/// The honest bytes with `noise` added from a place on.
fn spoilt(honest: &[u8], place: usize, noise: &[u8]) -> Playback {
    let mut bytes = honest.to_vec();
    let place = place % bytes.len();
    bytes[place..].iter_mut().zip(noise).for_each(|(byte, noise)| *byte ^= noise);
    Playback::new(bytes)
}

fuzz_target!(|input: (u8, u32, Vec<u8>)| {
    let (system, place, noise) = input;
    let system = usize::from(system) % SYSTEMS;
    let (network, witness) = statement();
    let [from_prover, from_verifier] = &HONEST[system];
    let (proving, verifying) = (options(system, 1), options(system, 2));
    let link = spoilt(from_prover, place as usize, &noise);
    let _ = verify_over::<Setting>(&network, &mut Channel::new(Party::Verifier, link), &verifying);
    let link = spoilt(from_verifier, place as usize, &noise);
    let _ = prove_over::<Setting>(&network, witness, &mut Channel::new(Party::Prover, link), &proving);
});
