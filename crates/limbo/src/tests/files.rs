//! Files that are not what an honest prover wrote.

use super::*;
use volery_circuit::Clear;
use volery_statements::Network;

/// A network that does not fill its last bytes.
fn network() -> (Network, Shape, Vec<F2>) {
    let network = Network::new(21).unwrap();
    let shape = Shape::of(&network).unwrap();
    let values = Clear::inputs(&network, network.witness([3; 32]), shape.inputs_by_gates() as usize).unwrap();
    (network, shape, values.to_vec())
}

#[test]
#[ignore = "slow"]
fn any_byte_changed_is_rejected() {
    let (network, shape, values) = network();
    for parameters in [
        parameters(16, 2, 64, 3, Challenges::Identical),
        parameters(4, 5, 160, 4, Challenges::Independent),
        parameters(64, 21, 48, 2, Challenges::Identical),
    ] {
        for aggregation in Aggregation::ALL {
            let terms = Terms { aggregation, ..terms(&parameters, &shape) };
            let proof = file(&terms, &network, &values, 1);
            for at in 0..proof.len() {
                for change in [1, 0x80] {
                    let mut changed = proof.clone();
                    changed[at] ^= change;
                    let verified = check(&terms, &network, &changed);
                    assert!(
                        matches!(verified, Err(Error::Rejected(_))),
                        "byte {at} by {change}: {verified:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn any_bit_of_the_header_changes_the_challenges() {
    let (network, shape, values) = network();
    let parameters = small(16, 11);
    let terms = terms(&parameters, &shape);
    let proof = file(&terms, &network, &values, 1);
    for bit in 0..48 {
        let mut header = *b"header";
        header[bit / 8] ^= 1 << (bit % 8);
        assert!(read::<Bits>(&mut &proof[..], &header, &terms, &network).is_err(), "bit {bit}");
    }
    assert!(read::<Bits>(&mut &proof[..], b"heade", &terms, &network).is_err());
}

#[test]
fn cut_and_extended_files_are_rejected() {
    let (network, shape, values) = network();
    let parameters = small(16, 11);
    let terms = terms(&parameters, &shape);
    let proof = file(&terms, &network, &values, 1);
    for length in 0..proof.len() {
        let verified = check(&terms, &network, &proof[..length]);
        assert!(matches!(verified, Err(Error::Rejected(Rejection::EndsEarly))), "{length} bytes");
    }
    for tail in [&[0][..], &[1], &[0; 100]] {
        let extended = [&proof[..], tail].concat();
        let verified = check(&terms, &network, &extended);
        assert!(matches!(verified, Err(Error::Rejected(Rejection::BytesBehindProof))));
    }
    // Something more or less anywhere, as many bytes as anything in it has.
    for at in (0..proof.len()).step_by(7) {
        for length in [1, 8, 16, 32] {
            let longer = [&proof[..at], &vec![0; length][..], &proof[at..]].concat();
            assert!(check(&terms, &network, &longer).is_err());
            let shorter = [&proof[..at], &proof[proof.len().min(at + length)..]].concat();
            assert!(check(&terms, &network, &shorter).is_err());
        }
    }
}

/// The last bits of each segment of corrections have one encoding.
#[test]
fn bits_behind_the_corrections_must_be_zero() {
    let (network, shape, values) = network();
    let parameters = small(16, 2);
    let terms = terms(&parameters, &shape);
    let proof = file(&terms, &network, &values, 1);
    let products = proof.len() - 2 * 21_usize.div_ceil(8);
    for bit in 21 % 8..8 {
        for end in [products + 2, products + 5] {
            let mut changed = proof.clone();
            changed[end] ^= 1 << bit;
            let verified = check(&terms, &network, &changed);
            assert!(matches!(verified, Err(Error::Rejected(Rejection::BitsBehindCorrections))), "bit {bit}");
        }
    }
}

/// Parts of one repetition cannot be moved to another.
#[test]
fn repetitions_cannot_be_exchanged() {
    let (network, shape, values) = network();
    let parameters = small(16, 4);
    let terms = terms(&parameters, &shape);
    let proof = file(&terms, &network, &values, 1);
    // Corrections of products, three bytes of each; and those of the first round, two elements of each.
    for (start, length) in [(proof.len() - 4 * 3, 3), (64, 16)] {
        for (a, b) in [(0, 1), (1, 3)] {
            let mut changed = proof.clone();
            for i in 0..length {
                changed.swap(start + a * length + i, start + b * length + i);
            }
            assert!(changed != proof && check(&terms, &network, &changed).is_err());
        }
    }
}

#[test]
fn another_circuit_is_rejected() {
    let (network, shape, values) = network();
    let parameters = small(16, 11);
    let terms = terms(&parameters, &shape);
    let proof = file(&terms, &network, &values, 1);
    assert!(check(&terms, &network.variant(1), &proof).is_err());
}

#[test]
fn other_views_are_rejected() {
    let (network, shape, values) = network();
    let parameters = small(16, 11);
    let terms = terms(&parameters, &shape);
    let proof = file(&terms, &network, &values, 1);
    let other = Terms { aggregation: Aggregation::Parties, ..terms };
    assert!(check(&other, &network, &proof).is_err());
}
