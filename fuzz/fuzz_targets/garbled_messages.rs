//! Any bytes in place of a part of an honest run by a garbled circuit, of one of two clauses: never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use std::time::Duration;
use volery::channel::{Channel, Party, Playback, Tape, pipe};
use volery::circuit::stream::ClauseSource;
use volery::circuit::{AnyOf, Bristol, Relation, Statement, Value, Values, Witness};
use volery::{Options, System, prove_one_of, verify_one_of};

/// The messages of each party in one honest run by each system.
static HONEST: LazyLock<[[Vec<u8>; 2]; 2]> = LazyLock::new(|| std::array::from_fn(honest));

/// A product and a sum of bits.
const CIRCUIT: &[u8] = b"2 5\n1 3\n1 2\n\n2 1 0 1 3 AND\n2 1 2 3 4 XOR\n";

fn values(name: &str, bits: &str) -> Values {
    let mut values = Values::new();
    values.insert(name, Value::from_bits_text(bits).unwrap()).unwrap();
    values
}

fn clauses() -> AnyOf {
    let clause = |out: &str| {
        let relation = Relation::bristol(Bristol::from_bytes("clause", CIRCUIT).unwrap());
        Statement::new(relation, values("out0", out)).unwrap()
    };
    AnyOf::new(vec![clause("10"), clause("11")]).unwrap()
}

/// A witness of the second clause.
fn witness(clauses: &AnyOf) -> Witness {
    clauses.statements()[1].witness(values("in0", "110")).unwrap()
}

fn options(system: usize, seed: u8) -> Options {
    let method = [System::JKO, System::STACK][system].into();
    Options { method, seed: Some([seed; 32]), check: false, ..Options::default() }
}

fn honest(system: usize) -> [Vec<u8>; 2] {
    let (here, there) = pipe(Duration::from_secs(60));
    let (here, from_prover) = Tape::new(here, None);
    let (there, from_verifier) = Tape::new(there, None);
    let prover = std::thread::spawn(move || {
        let (clauses, mut channel) = (clauses(), Channel::new(Party::Prover, here));
        let witness = witness(&clauses);
        prove_one_of(&clauses as &dyn ClauseSource, 1, witness.bits(), &mut channel, &options(system, 1))
            .unwrap()
    });
    let mut channel = Channel::new(Party::Verifier, there);
    let _ = verify_one_of(&clauses() as &dyn ClauseSource, &mut channel, &options(system, 2)).unwrap();
    prover.join().unwrap();
    [from_prover, from_verifier].map(|record| record.messages().concat())
}

/// The honest bytes with `noise` added from a place on.
fn spoilt(honest: &[u8], place: usize, noise: &[u8]) -> Playback {
    let mut bytes = honest.to_vec();
    let place = place % bytes.len();
    bytes[place..].iter_mut().zip(noise).for_each(|(byte, noise)| *byte ^= noise);
    Playback::new(bytes)
}

fuzz_target!(|input: (bool, u16, Vec<u8>)| {
    let (stacked, place, noise) = input;
    let system = usize::from(stacked);
    let clauses = clauses();
    let [from_prover, from_verifier] = &HONEST[system];
    let link = spoilt(from_prover, place.into(), &noise);
    let _ = verify_one_of(
        &clauses as &dyn ClauseSource,
        &mut Channel::new(Party::Verifier, link),
        &options(system, 2),
    );
    let link = spoilt(from_verifier, place.into(), &noise);
    let (witness, mut channel) = (witness(&clauses), Channel::new(Party::Prover, link));
    let _ = prove_one_of(&clauses as &dyn ClauseSource, 1, witness.bits(), &mut channel, &options(system, 1));
});
