//! Zero knowledge: a simulator without a witness, whose files are accepted; and what is opened is uniform.

use super::*;

/// Parameters by which the last hash can be searched for a given Δ, as a simulator that programs it need not.
const SEARCHED: Parameters = Parameters { trees: 2, bits: 6, grinding: 5 };

/// A file without a witness: Δ first, everything else at random, and then a counter by which the last hash is
/// the Δ that was taken.
fn simulate<C: for<'a> Circuit<Verifier<'a>>>(terms: &Terms, statement: &C, seed: u8) -> Option<Vec<u8>> {
    let mut random = Random::from_seed(&[seed; 32]);
    let length = terms.parameters.bytes(terms.size) as usize;
    let mut file: Vec<u8> = HEADER.to_vec();
    file.extend((0..length).map(|_| random.bytes::<1>()[0]));
    let delta = 1 | (random.word().0 & ((1 << terms.parameters.bits) - 1)) << 1;
    let at = HEADER.len() + 32;
    file[at..at + 16].copy_from_slice(&delta.to_le_bytes());
    // Spare bits behind the corrections of values are zero.
    let spare = terms.size.commitments.wrapping_neg() % 8;
    let last = file.len() - 18 - 16 * (terms.degree() - 1) - 1;
    file[last] &= 0xff >> spare;
    let heard = hear(&mut &file[HEADER.len()..], HEADER, terms, statement).unwrap();
    let counter = (0..1 << 16).find(|counter| heard.last.delta(*counter) == Some(F128(delta)))?;
    file[at + 16..at + 20].copy_from_slice(&u32::to_le_bytes(counter));
    Some(file)
}

#[test]
fn a_simulator_needs_no_witness() {
    /// A statement that nothing satisfies.
    struct False;
    impl<B: Polynomials<F = F2>> Circuit<B> for False {
        fn run(&self, b: &mut B) -> Result<()> {
            let x = (0..10).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let product = b.mul(x[0], x[1])?;
            let one = b.constant(F2::ONE);
            let wrong = b.add(product, one);
            b.assert_zero(wrong, "one")?;
            b.assert_zero(product, "zero")?;
            let mut power = b.vector(&[x[2], one]);
            for x in &x[3..6] {
                let factor = b.vector(&[*x, one]);
                power = b.product(&power, &factor)?;
            }
            b.assert_zeroes(power, "a power")
        }
    }
    let terms = terms(&SEARCHED, Shape::of(&False).unwrap().size());
    for seed in 0..5 {
        let file = simulate(&terms, &False, seed).expect("2^-11 for each of 2^16");
        check(&terms, &False, &file).unwrap();
    }
    let everything = Everything { products: 8200, degree: 4, polynomials: 2, ..Everything::default() };
    let terms = super::terms(&SEARCHED, everything.size());
    let file = simulate(&terms, &everything, 7).unwrap();
    check(&terms, &everything, &file).unwrap();
    // As long as a real one, and as a real one where nothing is random.
    let (real, _) = prove(&terms, &everything, &everything.witness(1), 1).unwrap();
    assert_eq!(file.len(), real.len());
}

/// Corrections, ũ, U_1, … are uniform for one witness as for another: each byte of them, over many files.
#[test]
fn what_is_said_is_uniform_whatever_the_witness() {
    struct Two;
    impl<B: Polynomials<F = F2>> Circuit<B> for Two {
        fn run(&self, b: &mut B) -> Result<()> {
            let x = [b.witness()?, b.witness()?, b.witness()?];
            let product = b.mul(x[0], x[1])?;
            let [left, right, third] = [x[0], x[1], x[2]].map(|wire| b.vector(&[wire]));
            let power = b.product(&left, &right)?;
            let power = b.product(&power, &third)?;
            let same = b.vector(&[product]);
            let other = b.product(&same, &third)?;
            let difference = b.sum(&power, &other);
            b.assert_zeroes(difference, "both")
        }
    }
    let parameters = Parameters { trees: 2, bits: 6, grinding: 0 };
    let terms = terms(&parameters, Shape::of(&Two).unwrap().size());
    const FILES: usize = 1500;
    for witness in [[F2::ONE; 3], [F2::ZERO, F2::ZERO, F2::ONE]] {
        // The bits of the last 200 bytes that are not spare: how often each is one.
        let mut ones = vec![0_usize; 8 * 200];
        for seed in 0..FILES {
            let mut file = vec![];
            let mut random =
                Random::from_seed(&[(seed / 250) as u8, (seed % 250) as u8].repeat(16).try_into().unwrap());
            write(&mut file, HEADER, &terms, (&Two, witness.into_iter()), &mut random).unwrap();
            let tail = &file[file.len() - 200..];
            for (bit, ones) in ones.iter_mut().enumerate() {
                *ones += usize::from(tail[bit / 8] >> (bit % 8) & 1);
            }
        }
        // ũ, U_1 and U_2 are the last 50 bytes; before them are four bits of corrections, and four spare
        // ones.
        let spare = 8 * (200 - 51) + 4..8 * (200 - 50);
        assert!(ones[spare.clone()].iter().all(|ones| *ones == 0));
        for (bit, ones) in ones.iter().enumerate().filter(|(bit, _)| !spare.contains(bit)) {
            // Six deviations; 1,600 bits, two witnesses.
            assert!(ones.abs_diff(FILES / 2) < 117, "bit {bit}: {ones} of {FILES}");
        }
    }
}
