use super::*;
use crate::gadget::{Bit, bits_of};
use sha3::Digest;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use volery_circuit::stream::Streamed;
use volery_circuit::testing::Faulty;
use volery_circuit::{Circuit, Clear, Polynomials, Shape};
use volery_primitives::Field;

struct Preimage<P, const SUFFIX: u8> {
    length: usize,
    digest: [u8; 32],
    permutation: PhantomData<P>,
}

impl<P, const SUFFIX: u8> Preimage<P, SUFFIX> {
    fn new(length: usize, digest: [u8; 32]) -> Self {
        Self { length, digest, permutation: PhantomData }
    }
}

impl<B: Backend<F = F2>, P: Permutation<B>, const SUFFIX: u8> Circuit<B> for Preimage<P, SUFFIX> {
    fn run(&self, b: &mut B) -> Result<()> {
        let message = Bytes::witness(b, self.length)?;
        Keccak::<_, P, SUFFIX>::digest(b, &message)?.assert_equal(b, &self.digest, "digest")
    }
}

/// Gate by gate and with holes: the same verdict, and the same bit that is wrong.
fn check<const SUFFIX: u8>(message: &[u8], digest: [u8; 32]) -> Result<()> {
    let mut gates = Clear::new(bits_of(message));
    let verdict = Streamed(&Preimage::<Gates, SUFFIX>::new(message.len(), digest)).run(&mut gates);
    let mut holes = Clear::new(bits_of(message));
    let with_holes = Streamed(&Preimage::<Holes, SUFFIX>::new(message.len(), digest)).run(&mut holes);
    let text = |verdict: &Result<()>| verdict.as_ref().map_err(|error| error.to_string()).copied();
    assert_eq!(text(&verdict), text(&with_holes));
    verdict?;
    gates.finish().and(holes.finish())
}

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 37 + 11) as u8).collect()
}

#[test]
fn all_paddings_agree_with_an_outside_implementation() {
    for length in [0, 1, 8, 135, 136, 137, 272] {
        let message = message(length);
        let mut digest: [u8; 32] = sha3::Sha3_256::digest(&message).into();
        check::<0x06>(&message, digest).unwrap();
        digest[29] ^= 2;
        let refused = check::<0x06>(&message, digest).unwrap_err().to_string();
        assert!(refused.contains(" digest[17] does not hold"), "{refused}");
        check::<0x01>(&message, sha3::Keccak256::digest(&message).into()).unwrap();
    }
}

/// SHA3-256 of "abc", of the examples that NIST publishes with FIPS 202.
#[test]
fn published_vector() {
    let digest = [0x3a98_5da7_4fe2_25b2_045c_172d_6bd3_90bd, 0x855f_086e_3e9d_525b_46bf_e245_1143_1532];
    let digest: Vec<u8> = digest.into_iter().flat_map(u128::to_be_bytes).collect();
    check::<0x06>(b"abc", *digest.first_chunk().unwrap()).unwrap();
    let mut clear = Clear::<F2>::new(core::iter::empty());
    let message = Bytes::public(b"abc");
    let results =
        [sha3_256(&mut clear, &message).unwrap(), sha3_256_with_holes(&mut clear, &message).unwrap()];
    for result in results {
        assert!(result.iter().all(Word::is_public), "a digest of public bytes");
        result.assert_equal(&mut clear, &digest, "digest").unwrap();
    }
}

#[test]
fn sponges_agree_with_an_outside_implementation() {
    let message = [5; 50];
    let mut expected = [[0; 400]; 2];
    let mut outside = sha3::Shake128::default();
    outside.update(&message);
    outside.finalize_xof().read(&mut expected[0]);
    let mut outside = sha3::Shake256::default();
    outside.update(&message);
    outside.finalize_xof().read(&mut expected[1]);

    fn squeeze<P: for<'w> Permutation<Clear<'w, F2>>>(mut sponge: Sponge<F2, P>, expected: &[u8]) {
        let mut clear = Clear::new(bits_of(&[5; 50]));
        for _ in 0..5 {
            let piece = Bytes::witness(&mut clear, 10).unwrap();
            sponge.absorb(&mut clear, &piece).unwrap();
        }
        // All planes of the last block, one of them, and some.
        for length in [0, 40, 100, 168, 400] {
            let squeezed = sponge.clone().squeeze(&mut clear, length).unwrap();
            squeezed.assert_equal(&mut clear, &expected[..length], "output").unwrap();
        }
    }
    for (sponge, expected) in [Sponge::shake128(), Sponge::shake256()].into_iter().zip(expected) {
        squeeze(sponge.clone().with_holes(), &expected);
        squeeze(sponge, &expected);
    }
}

/// A statement: so many planes of the permutation of a witness.
struct Permuted<P> {
    planes: usize,
    permutation: PhantomData<P>,
}

impl<B: Backend<F = F2>, P: Permutation<B>> Circuit<B> for Permuted<P> {
    fn run(&self, b: &mut B) -> Result<()> {
        let state = state(b)?;
        P::permute(b, &state, self.planes).map(drop)
    }
}

fn state<B: Backend<F = F2>>(b: &mut B) -> Result<[Lane<B::Wire>; 25]> {
    let mut state = [Word::public(0); 25];
    for lane in &mut state {
        *lane = Word::witness(b)?;
    }
    Ok(state)
}

fn permuted<P>(planes: usize) -> Permuted<P> {
    Permuted { planes, permutation: PhantomData }
}

#[test]
fn ands_are_pinned() {
    assert_eq!(Shape::without_depth::<F2>(&permuted::<Gates>(5)).unwrap().mul, 38_400);
    let ands = |length| Shape::without_depth::<F2>(&Preimage::<Gates, 6>::new(length, [0; 32])).unwrap().mul;
    assert_eq!([32, 135, 136].map(ands), [38_400, 38_400, 76_800]);
}

#[test]
fn commitments_with_holes_are_pinned() {
    let shape = |planes| Shape::of::<F2>(&permuted::<Holes>(planes)).unwrap();
    let hints = |planes| (shape(planes).inputs - 1600, shape(planes).polynomials, shape(planes).degree);
    assert_eq!([1, 2, 5].map(hints), [(6720, 6720, 9), (7040, 7040, 9), (8000, 8000, 9)]);
    assert_eq!(shape(5).mul, 0);
    let hints = |length| {
        let shape = Shape::of::<F2>(&Preimage::<Holes, 6>::new(length, [0; 32])).unwrap();
        assert_eq!(shape.mul, 0);
        shape.inputs - 8 * length as u64
    };
    assert_eq!([0, 32, 135, 136].map(hints), [0, 6720, 6720, 14_720]);
}

/// Bits that are neither regular nor secret.
fn some_bits() -> Vec<F2> {
    bits_of(&(0..10).flat_map(|i| sha3::Sha3_256::digest([i])).collect::<Vec<_>>()).take(1600).collect()
}

/// Two steps of each kind, in which the prover changes one bit.
struct Altered {
    constants: &'static [u64],
    planes: usize,
    bit: usize,
}

impl<B: Polynomials<F = F2>> Circuit<B> for Altered {
    fn run(&self, b: &mut B) -> Result<()> {
        let constants = self.constants.iter().map(|&constant| Word::public(constant.into()));
        let words: Vec<_> = state(b)?.into_iter().chain(constants).collect();
        let altered = self.bit;
        holes::step(b, &words, self.planes, move |at, lane| {
            if at == altered / LANE { lane ^ 1 << (altered % LANE) } else { lane }
        })
        .map(drop)
    }
}

#[test]
fn each_bit_is_asserted() {
    let run = |constants, planes, bit| {
        Streamed(&Altered { constants, planes, bit }).run(&mut Clear::new(some_bits()))
    };
    for (constants, planes) in [(&IOTA[..5], 5), (&IOTA[20..], 5), (&IOTA[20..], 1)] {
        let count = planes * 320;
        run(constants, planes, count).unwrap();
        for bit in (0..count).step_by(97) {
            let refused = run(constants, planes, bit).unwrap_err().to_string();
            let name = format!("bits of Keccak-f[1600] between {} rounds[", constants.len());
            assert!(refused.contains(&name), "{bit}: {refused}");
        }
    }
}

#[test]
fn each_wrong_hint_is_caught() {
    let run = |until| Streamed(&permuted::<Holes>(1)).run(&mut Faulty::new(some_bits(), until));
    for until in (0..6720).step_by(211) {
        assert!(run(until).is_err(), "{until}");
    }
    run(6720).unwrap();
}

#[test]
fn inverses_are_those_of_rounds() {
    let before: [u64; 25] =
        core::array::from_fn(|lane| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(lane as u64 + 1));
    let behind = holes::evaluate(&before, &[0]);
    let mut clear = Clear::<F2>::new(core::iter::empty());
    let bits = |state: [u64; 25]| -> <Clear<'_, F2> as Polynomials>::Vector {
        let bits = state.iter().flat_map(|lane| (0..64).map(move |z| F2::low_bit((lane >> z).into())));
        bits.collect::<Vec<_>>().into()
    };
    let back = holes::inverse_of_chi(&mut clear, &bits(behind)).unwrap();
    assert!(holes::inverse_of_linear(&mut clear, &back) == bits(before));
}

/// Bits that are known when the circuit is written may as well stand on wires.
#[test]
fn public_bits_are_taken_as_they_are() {
    let mut clear = Clear::new(some_bits());
    let mut state = state(&mut clear).unwrap();
    for lane in &mut state {
        let bits = *lane.bits();
        *lane = Word::new(core::array::from_fn(|i| match bits[i] {
            Bit::Wire(bit) if i % 3 != 0 => Bit::Public(bit == F2::ONE),
            bit => bit,
        }));
    }
    let expected = Gates::permute(&mut clear, &state, 5).unwrap();
    for planes in [1, 3, 5] {
        let lanes = Holes::permute(&mut clear, &state, planes).unwrap();
        assert_eq!(lanes.len(), 5 * planes);
        for (lane, expected) in lanes.iter().zip(&expected) {
            lane.assert_equal(&mut clear, expected, "lane").unwrap();
        }
    }
}
