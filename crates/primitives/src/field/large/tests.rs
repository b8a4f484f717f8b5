//! Everything against integers of any length.

use super::*;
use num_bigint::BigUint;
use proptest::prelude::*;

fn number(integer: U256) -> BigUint {
    BigUint::from_bytes_le(&integer.to_bytes())
}

fn modulus<M: LargeModulus>() -> BigUint {
    number(Fp::<M>::MODULUS)
}

/// The element of an integer, modulo p.
fn element<M: LargeModulus>(integer: &BigUint) -> Fp<M> {
    let mut bytes = (integer % modulus::<M>()).to_bytes_le();
    bytes.resize(32, 0);
    Fp::decode(&bytes).expect("below the modulus")
}

fn samples<M: LargeModulus>() -> Vec<Fp<M>> {
    let one = BigUint::from(1_u32);
    let p = modulus::<M>();
    let mut integers =
        vec![&p - &one, &p - 2_u32, (&p - &one) / 2_u32, BigUint::from(0x0123_4567_89ab_cdef_u64)];
    integers.extend([0_u32, 1, 2, 64, 128, 192, 252].map(|bit| &one << bit));
    // What is held is near 0, 1 and p.
    integers.extend([1_u32, 3].map(|x| (x * &one) << (256 * 7)));
    let mut samples: Vec<_> = integers.iter().map(element).collect();
    samples.extend([
        Fp::ZERO,
        Fp::of([1, 0, 0, 0]),
        Fp::of([u64::MAX, u64::MAX, u64::MAX, M::MODULUS[3] - 1]),
    ]);
    samples
}

fn over<M: LargeModulus>() {
    let samples = samples::<M>();
    let p = modulus::<M>();
    assert_eq!(u64::from(M::BITS), p.bits());
    for (a, b) in samples.iter().flat_map(|a| samples.iter().map(move |b| (*a, *b))) {
        let [x, y] = [a, b].map(|x| number(x.to_integer()));
        assert_eq!(number((a + b).to_integer()), (&x + &y) % &p);
        assert_eq!(number((a - b).to_integer()), (&x + &p - &y) % &p);
        assert_eq!(number((a * b).to_integer()), &x * &y % &p);
        assert_eq!(number((-a).to_integer()), (&p - &x) % &p);
        assert_eq!(number(a.invert().to_integer()), x.modpow(&(&p - 2_u32), &p));
    }
    for above in [0, 1, 2, 1 << 60] {
        assert_eq!(Fp::<M>::from_integer(Fp::<M>::MODULUS.overflowing_add(u64::into(above)).0), None);
    }
    assert_eq!(Fp::<M>::from_integer(U256::MAX), None);
    assert_eq!(Fp::<M>::decode(&[0xff; 32]), None);
    for bit in 0..M::BITS {
        assert_eq!(number(Fp::<M>::place(bit).to_integer()), BigUint::from(1_u32) << bit);
    }
    assert_eq!(Fp::<M>::from_word(u128::MAX).map(|x| x.to_integer()), Some(u128::MAX.into()));
}

#[test]
fn bn254() {
    over::<R254>();
    let digits = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    assert_eq!((Bn254::MODULUS.to_string(), Bn254::BITS), (digits.into(), 254));
    assert_eq!(format!("{:?}", Bn254::ONE + Bn254::ONE), "Bn254(2)");
}

#[test]
fn bls12_381() {
    over::<R381>();
    let digits = "52435875175126190479447740508185965837690552500527637822603658699938581184513";
    assert_eq!((Bls12381::MODULUS.to_string(), Bls12381::BITS), (digits.into(), 255));
}

fn agrees<M: LargeModulus>([a, b]: [[u8; 32]; 2], words: [u64; 5]) {
    let p = modulus::<M>();
    let [x, y] = [a, b].map(|bytes| BigUint::from_bytes_le(&bytes) % &p);
    let [a, b] = [&x, &y].map(element::<M>);
    assert_eq!(number((a * b).to_integer()), &x * &y % &p);
    assert_eq!(number((a + b).to_integer()), (&x + &y) % &p);
    assert_eq!(number((a - b).to_integer()), (&x + &p - &y) % &p);
    sampled::<M>(words);
}

/// A sample is the integer of its words, times 2^-384.
fn sampled<M: LargeModulus>(words: [u64; 5]) {
    let integer = words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + *word);
    let sample = number(Fp::<M>::sample(&words).to_integer());
    assert_eq!((sample << 384) % modulus::<M>(), integer % modulus::<M>());
}

proptest! {
    #[test]
    fn arithmetic_is_that_of_integers(a: [u8; 32], b: [u8; 32], words: [u64; 5]) {
        agrees::<R254>([a, b], words);
        agrees::<R381>([a, b], words);
    }
}

#[test]
fn edges_of_the_reduction() {
    let edges = [0, 1, u64::MAX, u64::MAX - 1, R254::MODULUS[0]];
    for i in 0..5_usize.pow(5) {
        let words = core::array::from_fn(|j| edges[i / 5_usize.pow(j as u32) % 5]);
        sampled::<R254>(words);
        sampled::<R381>(words);
    }
}
