//! Proofs hold where the values do, and have the bytes that are announced, whatever the circuit and the
//! parameters.

use super::*;
use volery_circuit::testing::{Arbitrary, strings};
use volery_circuit::{Backend, Clear};
use volery_primitives::Field;
use volery_statements::Network;

#[test]
#[ignore = "slow"]
fn networks_by_all_parameters() {
    for gates in [1, 2, 3, 7, 8, 64, 65, 127, 128, 130, 1000, 5000] {
        let network = Network::new(gates).unwrap();
        let shape = Shape::of(&network).unwrap();
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
                        let proof = file(&terms, &network, &values, 1);
                        assert_eq!(proof.len() as u64, parameters.proof_bytes(&Bits::demand(&shape)));
                        if let Err(why) = check(&terms, &network, &proof) {
                            panic!("{gates} ANDs, {parameters:?}, {aggregation:?}, {threads} threads: {why}");
                        }
                    }
                }
            }
        }
    }
}

/// Threads share the work, and nothing of the proof depends on how.
#[test]
fn a_proof_does_not_depend_on_threads() {
    let network = Network::new(9000).unwrap();
    let shape = Shape::of(&network).unwrap();
    let values: Vec<F2> = network.witness([3; 32]).collect();
    let parameters = parameters(16, 4, 64, 11, Challenges::Independent);
    let by = |threads| file(&Terms { threads, ..terms(&parameters, &shape) }, &network, &values, 1);
    assert!(by(1) == by(2) && by(1) == by(5) && by(1) == by(100));
}

/// Constants, negations, hints, squares; every number of products up to some dozens, and every
/// residue modulo eight.
#[test]
#[ignore = "slow"]
fn accepted_where_the_values_satisfy_and_nowhere_else() {
    let parameters = [
        small(16, 11),
        parameters(128, 3, 48, 6, Challenges::Identical),
        parameters(4, 5, 96, 20, Challenges::Independent),
    ];
    for seed in 0..60 {
        let circuit = Arbitrary::new(seed, 1 + seed as usize % 4, seed as usize);
        let shape = Shape::of(&circuit).unwrap();
        for (parameters, aggregation) in parameters.iter().flat_map(|it| Aggregation::ALL.map(|by| (it, by)))
        {
            let terms = Terms { aggregation, ..terms(parameters, &shape) };
            for values in strings(circuit.inputs()) {
                let proof = file(&terms, &circuit, &values, seed as u8);
                let verified = check(&terms, &circuit, &proof);
                assert_eq!(verified.is_ok(), circuit.holds(&values), "circuit {seed}, {values:?}");
            }
        }
    }
}

#[test]
fn no_inputs_and_no_products() {
    struct Constant(F2);
    impl<B: Backend<F = F2>> Circuit<B> for Constant {
        fn run(&self, b: &mut B) -> Result<()> {
            let constant = b.constant(self.0);
            b.assert_zero(constant, "the constant")
        }
    }
    let parameters = small(16, 11);
    for value in [false, true] {
        let constant = Constant(F2::from(value));
        let shape = Shape::of(&constant).unwrap();
        let terms = terms(&parameters, &shape);
        let proof = file(&terms, &constant, &[], 1);
        assert_eq!(proof.len(), 96 + 11 * (4 * 16 + 32));
        assert_eq!(check(&terms, &constant, &proof).is_ok(), !value);
    }
    let shape = Shape::default();
    let refused = write::<Bits>(
        &mut vec![],
        b"",
        &terms(&parameters, &shape),
        &Constant(F2::ZERO),
        &[],
        &mut random(1),
    );
    assert!(matches!(refused, Err(Error::Invalid(_))), "it asserts nothing");
}

/// A circuit whose gates depend on how often it was run.
struct Fickle(core::sync::atomic::AtomicUsize, [usize; 2]);

impl<B: Backend<F = F2>> Circuit<B> for Fickle {
    fn run(&self, b: &mut B) -> Result<()> {
        let times = self.0.fetch_add(1, core::sync::atomic::Ordering::Relaxed).min(1);
        let bit = b.witness()?;
        for _ in 0..self.1[times] {
            b.mul(bit, bit)?;
        }
        b.assert_zero(bit, "the bit")
    }
}

#[test]
fn a_circuit_that_changes_is_refused() {
    let parameters = small(16, 3);
    for gates in [[5, 4], [5, 6], [0, 1], [4096, 4097], [4097, 4096]] {
        let fickle = Fickle(0.into(), gates);
        let shape = Shape::of(&fickle).unwrap();
        let terms = terms(&parameters, &shape);
        let refused = write::<Bits>(&mut vec![], b"", &terms, &fickle, &[F2::ZERO], &mut random(1));
        assert!(matches!(refused, Err(Error::Invalid(why)) if why.contains("other gates")), "{gates:?}");
    }
}

/// Proofs over different fields at the same time: no state is global.
#[test]
fn proofs_side_by_side() {
    let network = Network::new(3000).unwrap();
    let shape = Shape::of(&network).unwrap();
    let values: Vec<F2> = network.witness([3; 32]).collect();
    std::thread::scope(|scope| {
        for bits in [48, 64, 96, 128, 160] {
            let (network, shape, values) = (&network, &shape, &values);
            scope.spawn(move || {
                let parameters = parameters(16, 4, bits, 4, Challenges::Identical);
                let terms = terms(&parameters, shape);
                let proof = file(&terms, network, values, bits as u8);
                let _: Accepted = check(&terms, network, &proof).unwrap();
            });
        }
    });
}
