//! Proofs in files and over channels, honest and not.

mod cheating;
mod conversation;
mod files;
mod honest;
mod masks;

use super::*;
use volery_primitives::{F2, F64, F160};

fn parameters(
    parties: u32,
    compression: u32,
    bits: u32,
    repetitions: u32,
    challenges: Challenges,
) -> Parameters {
    let field = Bits::check_fields().into_iter().find(|field| field.bits == bits).unwrap();
    Parameters { parties, compression, field, repetitions, challenges }
}

fn terms<'a>(parameters: &'a Parameters, shape: &'a Shape) -> Terms<'a> {
    let aggregation = Aggregation::default();
    Terms {
        arch: Arch::detect(),
        parameters,
        aggregation,
        shape,
        demand: Bits::demand(shape),
        threads: 1,
        progress: None,
    }
}

fn random(seed: u8) -> Random {
    Random::from_seed(&[seed; 32])
}

/// A proof without its header, from randomness that is a function of `seed`.
fn file(
    terms: &Terms,
    circuit: &(dyn for<'v> Circuit<Views<'v>> + Sync),
    values: &[F2],
    seed: u8,
) -> Vec<u8> {
    let mut out = vec![];
    write::<Bits>(&mut out, b"header", terms, circuit, values, &mut random(seed)).unwrap();
    assert_eq!(&out[..6], b"header");
    out.split_off(6)
}

fn check(terms: &Terms, circuit: &(dyn for<'v> Circuit<Views<'v>> + Sync), proof: &[u8]) -> Result<Accepted> {
    read::<Bits>(&mut { proof }, b"header", terms, circuit)
}

/// Parameters with which hundreds of proofs take no time.
fn small(parties: u32, repetitions: u32) -> Parameters {
    parameters(parties, 2, 64, repetitions, Challenges::Identical)
}
