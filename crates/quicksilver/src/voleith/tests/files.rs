//! Files that are not what an honest prover wrote.

use super::*;
use crate::voleith::hedged;
use std::collections::HashSet;

/// A statement whose last batch does not fill its last byte, with a file by which no luck is to be expected.
fn small() -> (Everything, Vec<u8>, Parameters) {
    let everything = Everything { products: 25, degree: 3, polynomials: 1, ..Everything::default() };
    assert_eq!(everything.size().commitments % 8, 1);
    let parameters = Parameters { trees: 3, bits: 9, grinding: 16 };
    let terms = terms(&parameters, everything.size());
    let (file, _) = prove(&terms, &everything, &everything.witness(1), 1).unwrap();
    check(&terms, &everything, &file).unwrap();
    (everything, file, parameters)
}

#[test]
fn any_bit_changed_is_rejected() {
    let (everything, file, parameters) = small();
    let terms = terms(&parameters, everything.size());
    for bit in 8 * HEADER.len()..8 * file.len() {
        let mut changed = file.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let verdict = check(&terms, &everything, &changed);
        assert!(matches!(verdict, Err(Error::Rejected(_))), "bit {bit}: {verdict:?}");
    }
}

#[test]
fn another_header_is_another_challenge() {
    let (everything, file, parameters) = small();
    let terms = terms(&parameters, everything.size());
    for bit in 0..8 * HEADER.len() {
        let mut header = HEADER.to_vec();
        header[bit / 8] ^= 1 << (bit % 8);
        assert!(check_behind(&header, &terms, &everything, &file).is_err(), "bit {bit}");
    }
    assert!(check_behind(b"heade", &terms, &everything, &file).is_err());
    // Other parameters, as if the header had said so.
    for (trees, bits, grinding) in [(3, 10, 16), (4, 12, 16), (2, 9, 16), (3, 9, 24), (3, 9, 15)] {
        let other = Parameters { trees, bits, grinding };
        let terms = Terms { parameters: &other, ..super::terms(&parameters, everything.size()) };
        let accepted = check(&terms, &everything, &file).is_ok();
        // Fewer zeroes are there too; that is what the header is for, which the first challenge binds.
        assert_eq!(accepted, grinding == 15 && bits == 9, "{trees} trees, {bits} bits, {grinding} ground");
    }
}

#[test]
fn cut_and_extended_files_are_rejected() {
    let (everything, file, parameters) = small();
    let terms = terms(&parameters, everything.size());
    let cut =
        |verdict| matches!(verdict, Err(Error::Rejected(Rejection::EndsEarly | Rejection::LastChallenge)));
    for length in HEADER.len()..file.len() {
        assert!(cut(check(&terms, &everything, &file[..length])), "{length} bytes");
    }
    for tail in [&[0][..], &[1], &[0; 100]] {
        let extended = [&file[..], tail].concat();
        let verdict = check(&terms, &everything, &extended);
        assert!(matches!(verdict, Err(Error::Rejected(Rejection::BytesBehindProof))));
    }
    for at in (HEADER.len()..file.len()).step_by(5) {
        for length in [1, 5, 16, 18, 32] {
            let longer = [&file[..at], &vec![0; length][..], &file[at..]].concat();
            assert!(check(&terms, &everything, &longer).is_err());
            let shorter = [&file[..at], &file[file.len().min(at + length)..]].concat();
            assert!(check(&terms, &everything, &shorter).is_err());
        }
    }
}

/// A proof in other bytes is not accepted.
#[test]
fn a_file_is_canonical() {
    let (everything, file, parameters) = small();
    let terms = terms(&parameters, everything.size());
    let at = HEADER.len() + 32;
    let delta = F128::from_bytes(file[at..at + 16].try_into().unwrap());
    assert!(delta.0 & 1 == 1 && delta.0 >> 10 == 0);
    for other in [delta.0 & !1, delta.0 | 1 << 10, delta.0 | 1 << 127, 0, 1, u128::MAX] {
        let mut changed = file.clone();
        changed[at..at + 16].copy_from_slice(&other.to_le_bytes());
        let verdict = check(&terms, &everything, &changed);
        assert!(matches!(verdict, Err(Error::Rejected(Rejection::LastChallenge))), "{other:x}: {verdict:?}");
    }
    // The last byte of the corrections of values, before ũ and U_1, U_2.
    let last = file.len() - 18 - 2 * 16 - 1;
    for bit in 1..8 {
        let mut changed = file.clone();
        changed[last] |= 1 << bit;
        let verdict = check(&terms, &everything, &changed);
        assert!(matches!(verdict, Err(Error::Rejected(Rejection::BitsBehindCorrections))), "bit {bit}");
    }
    // Counters have one answer each.
    let counter = u32::from_le_bytes(file[at + 16..at + 20].try_into().unwrap());
    for other in [0, counter + 1, counter.wrapping_sub(1), u32::MAX] {
        let mut changed = file.clone();
        changed[at + 16..at + 20].copy_from_slice(&other.to_le_bytes());
        assert_eq!(check(&terms, &everything, &changed).is_ok(), other == counter);
    }
}

#[test]
fn batches_and_trees_that_change_places_are_rejected() {
    let everything = Everything { products: 3 * 8192 - 5, ..Everything::default() };
    let terms = terms(&TOY, everything.size());
    let (file, _) = prove(&terms, &everything, &everything.witness(1), 1).unwrap();
    let stream = file.len() - 18 - 16;
    let batch = 2 * 1024;
    let swapped = |a: usize, b: usize, length: usize| {
        let mut swapped = file.clone();
        let part = swapped[a..a + length].to_vec();
        swapped.copy_within(b..b + length, a);
        swapped[b..b + length].copy_from_slice(&part);
        check(&terms, &everything, &swapped)
    };
    let start = stream - 3 * batch;
    assert!(swapped(start, start, batch).is_ok(), "nothing changes");
    for (a, b, length) in [
        (start, start + batch, batch),
        (start + batch, start + 2 * batch, batch),
        // Corrections of the VOLE for those of values; siblings; trees.
        (start, start + 1024, 1024),
        (HEADER.len() + 52, HEADER.len() + 68, 16),
        (HEADER.len() + 52, HEADER.len() + 52 + 80, 80),
    ] {
        assert!(matches!(swapped(a, b, length), Err(Error::Rejected(_))), "{a} for {b}");
    }
    // A batch that is said twice.
    let mut twice = file.clone();
    twice.copy_within(start..start + batch, start + batch);
    assert!(check(&terms, &everything, &twice).is_err());
}

#[test]
fn another_statement_is_rejected() {
    let (everything, file, parameters) = small();
    struct Other(Everything);
    impl<B: Polynomials<F = F2>> Circuit<B> for Other {
        fn run(&self, b: &mut B) -> Result<()> {
            self.0.run(b)?;
            let one = b.constant(F2::ONE);
            b.assert_zero(one, "nothing")
        }
    }
    let verdict = check(&terms(&parameters, everything.size()), &Other(everything), &file);
    assert!(matches!(verdict, Err(Error::Rejected(Rejection::LastChallenge))));
}

/// Two statements, two witnesses, two runs: no salt, root, or mask in common. The state of the randomness
/// that is used twice repeats a file, and no salt in another one.
#[test]
fn no_seed_is_used_twice() {
    let first = |seed: u8, header: &[u8], witness: &[F2]| {
        let mut random = hedged(&mut Random::from_seed(&[seed; 32]), header, witness.iter().copied());
        (0..20).map(|_| random.word().0).collect::<Vec<_>>()
    };
    let witness = [F2::ONE, F2::ZERO, F2::ONE];
    let runs = [
        first(1, b"header", &witness),
        first(2, b"header", &witness),
        first(1, b"headeR", &witness),
        first(1, b"header", &[F2::ONE, F2::ONE, F2::ONE]),
        first(1, b"header", &witness[..2]),
        first(1, b"heade", &witness),
    ];
    let words: HashSet<_> = runs.iter().flatten().collect();
    assert_eq!(words.len(), 6 * 20);
    assert_eq!(first(1, b"header", &witness), runs[0]);
    // Of one statement and witness, by two runs: nothing of 16 bytes is in both files.
    let everything = Everything { products: 40, ..Everything::default() };
    let terms = terms(&TOY, everything.size());
    let files = [1, 2].map(|seed| prove(&terms, &everything, &everything.witness(1), seed).unwrap().0);
    let pieces = |file: &[u8]| file.windows(16).map(<[u8]>::to_vec).collect::<HashSet<_>>();
    let [one, two] = files.each_ref().map(|file| pieces(&file[HEADER.len()..]));
    // Δ and its zeroes, which are public, are too short to differ everywhere.
    let common = one.intersection(&two).filter(|piece| piece.iter().filter(|byte| **byte == 0).count() < 8);
    assert_eq!(common.count(), 0);
}
