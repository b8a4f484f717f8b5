//! Messages of a proof are random, and could have been made without a witness.

use super::super::tape::Segment;
use super::*;
use crate::{transcript, verifier};
use volery_primitives::{F61, F61x2, Field};
use volery_statements::Network;
use volery_vole::commit::ggm::Tree;

/// The tapes that both parties have give them the same values, and the verifier's shares of a view that holds
/// the hidden party are the rest of the sum of all.
#[test]
fn the_verifier_follows_what_the_prover_follows_or_its_complement() {
    for aggregation in Aggregation::ALL {
        for (depth, hidden) in [(1, 0), (1, 1), (3, 0), (3, 5), (5, 31)] {
            let (tree, root) = (Tree::new([9; 32], 2), F128(77));
            let leaves = tree.leaves(root, depth);
            let prover = Tapes::new(Arch::detect(), aggregation, &tree, &leaves, None);
            let opened = tree.opened(&tree.siblings(root, depth, hidden as u64), hidden as u64);
            let verifier = Tapes::new(Arch::PORTABLE, aggregation, &tree, &opened, Some(hidden));
            for (party, (here, there)) in prover.commitments.iter().zip(&verifier.commitments).enumerate() {
                assert_eq!(here == there, party != hidden);
            }
            let (count, views) = (7, prover.views());
            let (ours, total) = prover.elements::<F160>(count);
            let (theirs, _) = verifier.elements::<F160>(count);
            for at in 0..views * count {
                let complement = verifier.complement(at / count);
                assert_eq!(theirs[at], if complement { total[at % count] - ours[at] } else { ours[at] });
            }
            let (ours, total) = prover.elements::<F61x2>(count);
            let (theirs, _) = verifier.elements::<F61x2>(count);
            for at in 0..views * count {
                let complement = verifier.complement(at / count);
                assert_eq!(theirs[at], if complement { total[at % count] - ours[at] } else { ours[at] });
            }
            let values = |tapes: &Tapes| {
                let (mut out, mut total) = (vec![F61::ZERO; 5 * views], vec![F61::ZERO; 5]);
                tapes.values(Segment::Products, 512, 0..views, &mut out, &mut total);
                (out, total)
            };
            let ((ours, total), (theirs, _)) = (values(&prover), values(&verifier));
            for at in 0..5 * views {
                let complement = verifier.complement(at / 5);
                assert_eq!(theirs[at], if complement { total[at % 5] - ours[at] } else { ours[at] });
            }
            let bits = |tapes: &Tapes, segment, from| {
                let (mut out, mut total) = (vec![F128(1); 3 * views], vec![F128(1); 3]);
                tapes.bits(segment, from, |view| 3 * view..3 * view + 3, &mut out, &mut total);
                (out, total)
            };
            for segment in [Segment::Inputs, Segment::Products] {
                let (ours, total) = bits(&prover, segment, 8);
                let (theirs, _) = bits(&verifier, segment, 8);
                for at in 0..3 * views {
                    let complement = verifier.complement(at / 3);
                    assert_eq!(theirs[at], if complement { total[at % 3] + ours[at] } else { ours[at] });
                }
                assert_ne!(ours, bits(&prover, segment, 9).0);
            }
            assert_ne!(bits(&prover, Segment::Inputs, 0), bits(&prover, Segment::Products, 0));
        }
    }
}

/// Two proofs of one witness have nothing in common where the randomness is the system's.
#[test]
fn two_proofs_share_no_seed() {
    let network = Network::new(37).unwrap();
    let shape = Shape::of(&network).unwrap();
    let values: Vec<F2> = network.witness([3; 32]).collect();
    let parameters = small(16, 11);
    let terms = terms(&parameters, &shape);
    let proofs = [(); 2].map(|()| {
        let mut out = vec![];
        write::<Bits>(&mut out, b"", &terms, &network, &values, &mut Random::from_system().unwrap()).unwrap();
        let _: Accepted = read::<Bits>(&mut &out[..], b"", &terms, &network).unwrap();
        out
    });
    let windows =
        |proof: &[u8]| proof.windows(8).map(<[u8]>::to_vec).collect::<std::collections::HashSet<_>>();
    assert!(windows(&proofs[0]).is_disjoint(&windows(&proofs[1])));
    let pieces: Vec<&[u8]> = proofs[0].chunks(16).collect();
    let distinct: std::collections::HashSet<_> = pieces.iter().collect();
    assert_eq!(pieces.len(), distinct.len(), "nor do repetitions");
}

/// Every bit of a proof is as often one as zero: corrections, the last ones of a byte among them, and what is
/// opened of the vectors. What stands behind the corrections is always zero.
#[test]
fn every_bit_is_balanced() {
    const PROOFS: usize = 600;
    let network = Network::new(13).unwrap();
    let shape = Shape::of(&network).unwrap();
    let (inputs, products) = (shape.inputs_by_gates() as usize, 13);
    let values: Vec<F2> = network.witness([3; 32]).collect();
    let parameters = small(4, 1);
    let terms = terms(&parameters, &shape);
    let mut ones = vec![0_u32; 8 * parameters.proof_bytes(&Bits::demand(&shape)) as usize];
    for number in 0..PROOFS {
        let mut out = vec![];
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        write::<Bits>(&mut out, b"", &terms, &network, &values, &mut Random::from_seed(&seed)).unwrap();
        ones.iter_mut().enumerate().for_each(|(bit, ones)| *ones += u32::from(out[bit / 8] >> (bit % 8) & 1));
    }
    let behind = |bit: usize| {
        let end = ones.len();
        let (w, m) = (8 * inputs.div_ceil(8), 8 * 2);
        (end - m + products..end).contains(&bit) || (end - m - w + inputs..end - m).contains(&bit)
    };
    let deviation = (PROOFS as f64 / 4.0).sqrt();
    for (bit, &ones) in ones.iter().enumerate() {
        if behind(bit) {
            assert_eq!(ones, 0, "bit {bit}");
        } else {
            // Among thousands of bits one is five deviations away in a thousand such tests; seeds are fixed.
            assert!((f64::from(ones) - PROOFS as f64 / 2.0).abs() < 5.0 * deviation, "bit {bit}: {ones}");
        }
    }
}

/// A proof that is heard with challenges that were fixed before it.
struct Fixed<'p>(&'p [u8], u8);

impl transcript::VerifierTranscript for Fixed<'_> {
    fn hear(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (heard, rest) = self.0.split_at(bytes.len());
        bytes.copy_from_slice(heard);
        self.0 = rest;
        Ok(())
    }
    fn challenge(&mut self) -> Result<[u8; 32]> {
        self.1 += 1;
        Ok([self.1; 32])
    }
}

/// A simulator that knows the challenges beforehand needs no witness: random bytes, and the two digests that
/// follow from them, are accepted, for any circuit, as long as asserted wires are shared to zero, which the
/// digest of the views says.
#[test]
fn a_simulator_needs_no_witness() {
    let network = Network::new(300).unwrap();
    let shape = Shape::of(&network).unwrap();
    for (parameters, aggregation) in [
        (small(16, 5), Aggregation::Hypercube),
        (parameters(8, 4, 160, 7, Challenges::Independent), Aggregation::Parties),
    ] {
        let terms = Terms { aggregation, ..terms(&parameters, &shape) };
        let mut proof = vec![0; parameters.proof_bytes(&Bits::demand(&shape)) as usize];
        let mut stream = blake3::Hasher::new().finalize_xof();
        stream.fill(&mut proof);
        // 300 products end in the middle of a byte.
        let (length, tau) = (38, parameters.repetitions as usize);
        let from = proof.len() - length * tau;
        proof[from..].chunks_exact_mut(length).for_each(|corrections| corrections[length - 1] &= 0x0f);
        let run = |proof: &[u8]| {
            let mut statement = binary::Verifier { terms: &terms, circuit: &network };
            let mut transcript = Fixed(proof, 0);
            match parameters.field.bits {
                64 => verifier::replay::<F64>(&terms, &mut statement, &mut transcript),
                _ => verifier::replay::<F160>(&terms, &mut statement, &mut transcript),
            }
        };
        let ([first, last], _) = run(&proof).unwrap();
        assert!(first[0] != first[1] && last[0] != last[1]);
        proof[32..64].copy_from_slice(&first[1]);
        let at = proof.windows(32).position(|window| window == last[0]).unwrap();
        proof[at..at + 32].copy_from_slice(&last[1]);
        let ([first, last], _) = run(&proof).unwrap();
        assert!(first[0] == first[1] && last[0] == last[1]);
    }
}
