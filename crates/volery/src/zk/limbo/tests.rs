//! Honest proofs, and what they carry.

use super::*;
use crate::circuit::{Clear, Count, Network};
use volery_primitives::F2;

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

fn file<C: for<'v> Circuit<Views<'v>> + Sync>(terms: &Terms, circuit: &C, values: &[F2]) -> Result<Vec<u8>> {
    let mut out = vec![];
    write::<Bits, C>(&mut out, b"header", terms, circuit, values, &mut random(1))?;
    assert_eq!(&out[..6], b"header");
    Ok(out.split_off(6))
}

fn check<C: for<'v> Circuit<Views<'v>> + Sync>(terms: &Terms, circuit: &C, proof: &[u8]) -> Result<Accepted> {
    read::<Bits, C>(&mut { proof }, b"header", terms, circuit)
}

#[test]
fn networks_are_proved_by_all_parameters() {
    for gates in [1, 2, 3, 7, 8, 64, 65, 100, 127, 128, 130, 1000, 5000] {
        let network = Network::new(gates).unwrap();
        let shape = Count::shape(&network).unwrap();
        let witness: Vec<F2> = network.witness([3; 32]).collect();
        let values = Clear::inputs(&network, witness, shape.inputs_by_gates() as usize).unwrap();
        for (parties, compression, bits, repetitions) in [
            (2, 2, 64, 3),
            (4, 3, 48, 2),
            (16, 4, 64, 11),
            (64, 8, 160, 5),
            (256, 2, 96, 3),
            (32, 16, 128, 4),
        ] {
            for challenges in [Challenges::Identical, Challenges::Independent] {
                let parameters = parameters(parties, compression, bits, repetitions, challenges);
                for aggregation in Aggregation::ALL {
                    for threads in [1, 3] {
                        let terms = Terms { aggregation, threads, ..terms(&parameters, &shape) };
                        let proof = file(&terms, &network, &values).unwrap();
                        assert_eq!(proof.len() as u64, parameters.proof_bytes(&Bits::demand(&shape)));
                        let case = format!("{gates} {parameters:?} {aggregation:?} {threads}");
                        if let Err(why) = check(&terms, &network, &proof) {
                            panic!("{case}: {why}");
                        }
                    }
                }
            }
        }
    }
}
