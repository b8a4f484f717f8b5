//! The laws of each field.

use crate::laws;
use volery_primitives::{
    Bls12381, Bn254, CheckField, Extension, F2, F61, F61x2, F64, F128, F256, F65537, F65537x4, Field,
    Goldilocks, Goldilocksx2, MOST_WORDS, Q32, Q32x2, RuntimeExtension, RuntimePrime, RuntimePrime256, U256,
};

#[test]
fn f2() {
    laws::field::<F2>(&[F2::ZERO, F2::ONE]);
}

#[test]
fn f61() {
    let p = F61::MODULUS;
    let samples = [0, 1, 2, p - 1, p - 2, 1 << 60, 0x0123_4567_89ab_cdef, 0x1edc_ba98_7654_3210, 3];
    laws::prime::<_, 2>(&samples.map(F61::new));
}

#[test]
fn goldilocks() {
    let p = Goldilocks::MODULUS;
    let epsilon = (1 << 32) - 1;
    let samples = [0, 1, 2, 7, epsilon, 1 << 32, 1 << 63, 0x0123_4567_89ab_cdef, p - 1, p - 2];
    laws::prime::<_, 2>(&samples.map(Goldilocks::new));
}

#[test]
fn q32() {
    let q = u64::from(Q32::MODULUS);
    laws::prime::<_, 2>(&[0, 1, 2, 5, 1 << 31, 0x0123_4567, 0xfedc_ba98, q - 2, q - 1].map(Q32::new));
    laws::digits::<_, 2>(Q32::ZERO);
}

#[test]
fn f65537() {
    laws::prime::<_, 4>(&[0, 1, 2, 3, 256, 65_535, 65_536, 0x6789].map(F65537::new));
    laws::digits::<_, 4>(F65537::ZERO);
}

/// Words of fields of characteristic two.
fn words() -> [F128; 7] {
    [0, 1, 2, 0x87, u128::MAX, 1 << 127, 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978].map(F128)
}

#[test]
fn f128() {
    laws::field::<F128>(&words());
    laws::extension::<F2, F128>(&[F2::ZERO, F2::ONE], &words());
    laws::check_field::<F128>(&words());
}

#[test]
fn f64() {
    let samples = words().map(|word| F64::new(word.0 as u64 ^ (word.0 >> 64) as u64));
    laws::field::<F64>(&samples);
    laws::extension::<F2, F64>(&[F2::ZERO, F2::ONE], &samples);
    laws::check_field::<F64>(&samples);
}

#[test]
fn f256() {
    let samples = [0, 1, 2, 3, 0x53, 0x80, 0xca, 0xff].map(F256);
    laws::field(&samples);
    laws::extension::<F256, F128>(&samples, &words());
}

/// The edges of what is encoded, and of what is held: an element is held times 2^256.
fn large<F: Field>(modulus: U256) {
    let minus_one = modulus.overflowing_sub(U256::from(1_u64)).0;
    let integers = [minus_one, minus_one.overflowing_sub(U256::from(1_u64)).0, minus_one >> 1];
    let mut samples: Vec<F> = integers.into_iter().filter_map(F::from_integer).collect();
    samples.extend([0_u32, 1, 2, 64, 128, 192, 252].map(|bit| F::place(bit)));
    samples.extend([F::ZERO, F::from_word(0x0123_4567_89ab_cdef).expect("a small number")]);
    let held = F::place(128).invert() * F::place(128).invert();
    let [_, _, _, top] = modulus.limbs();
    let last = U256::from_limbs([u64::MAX, u64::MAX, u64::MAX, top - 1]);
    samples.extend([held, F::from_integer(last).expect("below the modulus") * held]);
    assert_eq!(samples.len(), 14);
    laws::field(&samples);
}

#[test]
fn bn254() {
    large::<Bn254>(Bn254::MODULUS);
}

#[test]
fn bls12_381() {
    large::<Bls12381>(Bls12381::MODULUS);
}

/// The prime that these tests choose: one process has one. It is 3 modulo 4, the case where c is not zero.
const CHOSEN: u64 = (1 << 60) - 93;

/// The element with these coordinates.
fn quadruple(coordinates: [u64; 4]) -> RuntimeExtension {
    let place = |i: usize| U256::from(coordinates[i]) << (i as u32 * RuntimePrime::BITS);
    (0..4).map(|i| RuntimeExtension::from_integer(place(i)).expect("below the prime")).sum()
}

#[test]
fn the_prime_that_was_chosen() {
    RuntimePrime::choose(CHOSEN).unwrap();
    let samples = [0, 1, 2, 3, 1 << 59, 0x0123_4567_89ab_cdef, CHOSEN - 2, CHOSEN - 1];
    let tuples: Vec<_> = samples.windows(4).map(|four| quadruple(four.try_into().unwrap())).collect();
    let samples = samples.map(|word| RuntimePrime::from_word(word.into()).expect("below the prime"));
    laws::field(&samples);
    let tuples = [&[RuntimeExtension::ZERO, RuntimeExtension::ONE][..], &tuples].concat();
    laws::field(&tuples);
    laws::extension(&samples, &tuples);

    // What encodes no element: from p on, each coordinate by itself.
    for word in [CHOSEN, CHOSEN + 1, (1 << 60) - 1, 1 << 60, (1 << 61) - 1] {
        assert_eq!(RuntimePrime::from_integer(word.into()), None);
        assert_eq!(RuntimePrime::decode(&word.to_le_bytes()), None);
        for i in 0..4 {
            assert_eq!(RuntimeExtension::from_integer(U256::from(word) << (i * RuntimePrime::BITS)), None);
        }
    }
    let minus_one = quadruple([CHOSEN - 1; 4]);
    assert_eq!(RuntimeExtension::from_integer(minus_one.to_integer()), Some(minus_one));
    assert_eq!(RuntimePrime::sample(&[0, 1 << 63]).to_integer(), U256::from(CHOSEN / 2));
    assert_eq!(RuntimeExtension::sample(&[u64::MAX; MOST_WORDS]), minus_one);
    assert_eq!(format!("{minus_one:?}").matches("RuntimePrime(1152921504606846882)").count(), 4);
}

/// The variable by which a process of its own is told its prime.
const PRIME: &str = "VOLERY_TEST_PRIME";

/// Primes below 2^30, from the least on, each in a process of its own.
#[test]
fn small_primes_that_were_chosen() {
    for prime in [3_u64, 5, 7, 17, 97, 101, 127, 257, 65_539, (1 << 29) + 11] {
        let of_prime = "fields::the_small_prime_that_was_chosen";
        let ended = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", of_prime, "--ignored"])
            .env(PRIME, prime.to_string())
            .output()
            .expect("started");
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains("1 passed"), "{prime}: {said}");
    }
}

#[test]
#[ignore = "run by `small_primes_that_were_chosen`, with a prime"]
fn the_small_prime_that_was_chosen() {
    // There is none where all that is ignored is run.
    let Ok(prime) = std::env::var(PRIME) else { return };
    let prime: u64 = prime.parse().expect("a number");
    RuntimePrime::choose(prime).unwrap();
    let degree = <RuntimeExtension as Extension<RuntimePrime>>::degree();
    assert!(f64::from(degree) * (prime as f64).log2() >= 128.0);
    let mut integers = vec![0, 1, 2, prime / 2, prime - 2, prime - 1];
    integers.sort_unstable();
    integers.dedup();
    let element = |integer: u64| RuntimePrime::from_word(integer.into()).expect("below the prime");
    let samples: Vec<_> = integers.into_iter().map(element).collect();
    laws::field(&samples);
    for [a, b] in samples.iter().flat_map(|&a| samples.iter().map(move |&b| [a, b])) {
        assert_eq!((a * b).get(), (u128::from(a.get()) * u128::from(b.get()) % u128::from(prime)) as u64);
    }
    let words = |seed: u64| core::array::from_fn::<_, MOST_WORDS, _>(|i| seed.wrapping_mul(2 * i as u64 + 7));
    let mut elements = vec![RuntimeExtension::ZERO, RuntimeExtension::ONE];
    elements.extend(
        [!0, 0x9e37_79b9_7f4a_7c15, 0x1234_5678_9abc_def1].map(|seed| RuntimeExtension::sample(&words(seed))),
    );
    laws::field(&elements);
    laws::extension(&samples, &elements);
    // Of degree 23 at most: longer kernels take long, and are the same.
    if prime > 100 {
        checks::<RuntimeExtension>();
    }
    for word in [prime, prime + 1, (1 << 61) - 1] {
        assert_eq!(RuntimePrime::from_word(word.into()), None);
    }
    let bits = RuntimeExtension::BITS / degree;
    for i in 0..degree {
        assert_eq!(RuntimeExtension::from_integer(U256::ones(bits) << (i * bits)), None);
    }
    assert_eq!(format!("{:?}", elements[2]).matches("RuntimePrime(").count(), degree as usize);
}

/// The prime of secp256k1's coordinates, which has all of 256 bits.
fn secp256k1() -> U256 {
    let below = U256::from((1_u64 << 32) + 976);
    U256::MAX.overflowing_sub(below).0
}

#[test]
fn the_long_prime_that_was_chosen() {
    RuntimePrime256::choose(secp256k1()).unwrap();
    large::<RuntimePrime256>(secp256k1());
    assert_eq!(RuntimePrime256::bits(), 256);
    let p = "115792089237316195423570985008687907853269984665640564039457584007908834671663";
    assert_eq!((RuntimePrime256::name(), secp256k1().to_string()), (p, p.into()));
    for above in [secp256k1(), U256::MAX] {
        assert_eq!(RuntimePrime256::from_integer(above), None);
    }
    // 2^320 − 1, where 2^256 is 2^32 + 977: 2^96 + 977·2^64 − 1.
    let most = U256::new((1 << 96) + (977 << 64) - 1, 0);
    assert_eq!(RuntimePrime256::sample(&[u64::MAX; MOST_WORDS]).to_integer(), most);
}

fn checks<F: CheckField + Field>() {
    laws::check_field::<F>(&[
        F::ZERO,
        F::ONE,
        -F::ONE,
        F::place(1),
        F::place(F::BITS - 1),
        F::sample(&[!5; MOST_WORDS]),
    ]);
}

#[test]
fn fields_that_are_checked_over() {
    checks::<F61>();
    checks::<F61x2>();
    checks::<Goldilocks>();
    checks::<Goldilocksx2>();
    checks::<Q32x2>();
    checks::<F65537x4>();
    checks::<Bn254>();
    checks::<Bls12381>();
    RuntimePrime::choose(CHOSEN).unwrap();
    checks::<RuntimeExtension>();
    RuntimePrime256::choose(secp256k1()).unwrap();
    checks::<RuntimePrime256>();
}
