use super::*;
use crate::gadget::{Bit, bits_of};
use core::array;
use sha2::Digest;
use volery_circuit::stream::{Recorder, Stream, Streamed};
use volery_circuit::testing::Faulty;
use volery_circuit::{Circuit, Clear, Shape};
use volery_primitives::{F61, Field};

struct Preimage<C> {
    length: usize,
    digest: [u8; 32],
    compression: PhantomData<C>,
}

impl<C> Preimage<C> {
    fn new(length: usize, digest: [u8; 32]) -> Self {
        Self { length, digest, compression: PhantomData }
    }
}

impl<B: Backend<F = F2>, C: Compression<B>> Circuit<B> for Preimage<C> {
    fn run(&self, b: &mut B) -> Result<()> {
        let message = Bytes::witness(b, self.length)?;
        let mut sha = Sha256::<_, C>::default();
        sha.update(b, &message)?;
        sha.finish(b)?.assert_equal(b, &self.digest, "digest")
    }
}

/// Gate by gate and with holes: the same verdict, and the same bit that is wrong.
fn check(message: &[u8], digest: [u8; 32]) -> Result<()> {
    let mut gates = Clear::new(bits_of(message));
    let verdict = Streamed(&Preimage::<Gates>::new(message.len(), digest)).run(&mut gates);
    let mut holes = Clear::new(bits_of(message));
    let with_holes = Streamed(&Preimage::<Holes>::new(message.len(), digest)).run(&mut holes);
    let text = |verdict: &Result<()>| verdict.as_ref().map_err(|error| error.to_string()).copied();
    assert_eq!(text(&verdict), text(&with_holes));
    verdict?;
    gates.finish().and(holes.finish())
}

fn digest_of(hex: &str) -> [u8; 32] {
    array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
}

/// The examples that NIST publishes with FIPS 180-4.
#[test]
fn published_vectors() {
    let vectors = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
    ];
    for (message, digest) in vectors {
        check(message.as_bytes(), digest_of(digest)).unwrap();
    }
}

#[test]
fn all_paddings_agree_with_an_outside_implementation() {
    for length in [1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 200] {
        let message: Vec<u8> = (0..length).map(|i| (i * 37 + 11) as u8).collect();
        let mut digest: [u8; 32] = sha2::Sha256::digest(&message).into();
        check(&message, digest).unwrap();
        digest[29] ^= 2;
        let refused = check(&message, digest).unwrap_err().to_string();
        assert!(refused.contains(" digest[17] does not hold"), "{refused}");
    }
}

/// `sha256` and `sha256_with_holes`, which `check` does not call, give the digest of public bytes.
#[test]
fn the_functions_choose_how() {
    let message = Bytes::public(b"abc");
    let mut clear = Clear::<F2>::new(core::iter::empty());
    let digests = [sha256(&mut clear, &message).unwrap(), sha256_with_holes(&mut clear, &message).unwrap()];
    for digest in digests {
        assert!(digest.iter().all(Word::is_public), "a digest of public bytes");
        let expected: [u8; 32] = sha2::Sha256::digest(b"abc").into();
        digest.assert_equal(&mut clear, &expected, "digest").unwrap();
    }
}

/// One compression from a constant or a secret chaining value, of a constant or a secret block.
struct Compress<C> {
    public_state: bool,
    public_block: bool,
    compression: PhantomData<C>,
}

/// The input of one compression.
type Input<W> = ([Word32<W>; 8], [Word32<W>; 16]);

/// Words of the witness, or constants in the places of `public_state` and `public_block`.
fn input<B: Backend<F = F2>>(b: &mut B, public_state: bool, public_block: bool) -> Result<Input<B::Wire>> {
    let mut state = INITIAL.map(|word| Word::public(word.into()));
    if !public_state {
        for word in &mut state {
            *word = Word::witness(b)?;
        }
    }
    let mut block = [Word::public(0); 16];
    if !public_block {
        for word in &mut block {
            *word = Word::witness(b)?;
        }
    }
    Ok((state, block))
}

impl<B: Backend<F = F2>, C: Compression<B>> Circuit<B> for Compress<C> {
    fn run(&self, b: &mut B) -> Result<()> {
        let (state, block) = input(b, self.public_state, self.public_block)?;
        C::compress(b, &state, &block).map(drop)
    }
}

fn shape<C: for<'r> Compression<Recorder<'r, F2>> + Sync>(public_state: bool, public_block: bool) -> Shape {
    Shape::of(&Compress::<C> { public_state, public_block, compression: PhantomData }).unwrap()
}

#[test]
fn ands_of_a_circuit_are_pinned() {
    let gates = |public_state| shape::<Gates>(public_state, false);
    assert_eq!((gates(true).mul, gates(true).add), (21_890, 92_602));
    assert_eq!((gates(false).mul, gates(false).add), (22_271, 94_292));
    let ands = |length| Shape::without_depth::<F2>(&Preimage::<Gates>::new(length, [0; 32])).unwrap().mul;
    assert_eq!([0, 32, 55, 64, 128].map(ands), [0, 20_981, 21_653, 37_786, 60_047]);
}

#[test]
fn commitments_with_holes_are_pinned() {
    for public_state in [true, false] {
        let shape = shape::<Holes>(public_state, false);
        let witness = 512 + if public_state { 0 } else { 256 };
        assert_eq!((shape.inputs - witness, shape.polynomials, shape.degree), (5888, 5888, 10));
        assert_eq!(shape.mul, 0);
    }
    assert_eq!(shape::<Holes>(false, true).inputs, 256 + 4352);
    assert_eq!(shape::<Holes>(true, true).inputs, 0);
    let hints = |length| {
        let shape = Shape::of::<F2>(&Preimage::<Holes>::new(length, [0; 32])).unwrap();
        assert_eq!(shape.mul, 0);
        shape.inputs - 8 * length as u64
    };
    assert_eq!([0, 32, 55, 64, 128].map(hints), [0, 5888, 5888, 5888 + 4352, 2 * 5888 + 4352]);
}

/// A compression with holes, of a witness, in which the prover changes one bit of one word
/// and goes on from there.
struct Altered {
    word: usize,
    bit: usize,
}

impl<B: Polynomials<F = F2>> Circuit<B> for Altered {
    fn run(&self, b: &mut B) -> Result<()> {
        let (state, block) = input(b, false, false)?;
        let (altered, bit) = (self.word, self.bit);
        let alter = move |number, word| if number == altered { word ^ 1 << bit } else { word };
        holes::compress(b, &state, &block, alter).map(drop)
    }
}

/// Three quarters of a kilobit that are neither regular nor secret.
fn some_bits() -> Vec<F2> {
    let bytes: Vec<_> = [sha2::Sha256::digest(b"a"), sha2::Sha256::digest(b"b"), sha2::Sha256::digest(b"c")]
        .iter()
        .flatten()
        .copied()
        .collect();
    bits_of(&bytes).collect()
}

/// The only assertion that fails is the one about the altered word, which so has no other
/// value than the right one.
#[test]
fn each_word_is_asserted_alone() {
    assert_words_alone(|word| &BITS[word % BITS.len()..][..1]);
}

#[test]
#[ignore = "slow"]
fn more_bits_of_each_word_are_asserted_alone() {
    assert_words_alone(|_| &BITS);
}

/// The bits that are altered: the ends of a word, and one inside.
const BITS: [usize; 5] = [0, 1, 17, 30, 31];

fn assert_words_alone(bits: impl Fn(usize) -> &'static [usize]) {
    for word in 0..184 {
        for &bit in bits(word) {
            let mut clear = Clear::new(some_bits());
            let refused = Streamed(&Altered { word, bit }).run(&mut clear).unwrap_err().to_string();
            let name = match word {
                0..48 => format!("schedule from {} on[{}]", 16 + word / 8 * 8, 32 * (word % 8) + bit),
                48..112 => format!("e from round {} on[{}]", (word - 48) / 8 * 8, 32 * (word % 8) + bit),
                112..176 => format!("a from round {} on[{}]", (word - 112) / 8 * 8, 32 * (word % 8) + bit),
                _ => format!("chaining value[{}]", 32 * (word - 176) + bit),
            };
            assert!(refused.contains(&format!(" {name} ")), "{word} {bit}: {refused}");
        }
    }
    Streamed(&Altered { word: 184, bit: 0 }).run(&mut Clear::new(some_bits())).unwrap();
}

#[test]
fn wrong_hints_are_caught() {
    // The last two of each eight words, that is, beside the seams of vectors.
    assert_caught(|until| until % 61 == 0 || until % 256 >= 254 || until < 32);
}

#[test]
#[ignore = "slow"]
fn more_wrong_hints_are_caught() {
    assert_caught(|until| until % 7 == 0 || until % 32 >= 30 || until < 64);
}

fn assert_caught(wrong: impl Fn(u64) -> bool) {
    let compress = Compress::<Holes> { public_state: false, public_block: false, compression: PhantomData };
    let stream = Stream::new(&compress);
    let run = |until| stream.run(&mut Faulty::new(some_bits(), until));
    for until in (0..5888).filter(|until| wrong(*until)) {
        assert!(run(until).is_err(), "{until}");
    }
    run(5888).unwrap();
}

/// Words that are known when the circuit is written may as well stand on wires, or on wires in part.
#[test]
fn public_words_and_bits_are_taken_as_they_are() {
    let bits = some_bits();
    for (public_state, public_block, every) in [(true, false, 1), (false, true, 1), (false, false, 3)] {
        let mut clear = Clear::new(bits.iter().copied());
        let (mut state, mut block) = input(&mut clear, public_state, public_block).unwrap();
        for word in state.iter_mut().chain(&mut block) {
            let bits = *word.bits();
            *word = Word::new(array::from_fn(|i| match bits[i] {
                Bit::Wire(bit) if i % every != 0 => Bit::Public(bit == F2::from(true)),
                bit => bit,
            }));
        }
        let expected = Gates::compress(&mut clear, &state, &block).unwrap();
        let words = Holes::compress(&mut clear, &state, &block).unwrap();
        for (word, expected) in words.iter().zip(&expected) {
            word.assert_equal(&mut clear, expected, "word").unwrap();
        }
    }
}

/// "I know bytes, each an element, whose hash this is."
struct OfElements {
    length: usize,
    digest: [u8; 32],
}

impl<B: Polynomials> Circuit<B> for OfElements {
    fn run(&self, b: &mut B) -> Result<()> {
        let message = (0..self.length).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        for (wire, byte) in sha256_of_elements(b, &message, "message")?.into_iter().zip(self.digest) {
            let expected = b.constant(-element::<B::F>(byte.into()));
            let difference = b.add(wire, expected);
            b.assert_zero(difference, "digest")?;
        }
        Ok(())
    }
}

fn element<F: Field>(integer: u64) -> F {
    F::from_word(integer.into()).unwrap()
}

fn hash_of_elements(message: &[F61], digest: [u8; 32]) -> Result<()> {
    let mut clear = Clear::new(message.to_vec());
    Streamed(&OfElements { length: message.len(), digest }).run(&mut clear)?;
    clear.finish()
}

/// Lengths around those at which a block is begun, or more blocks than go together, and a number that is no byte.
#[test]
fn elements_have_the_hash_of_their_bytes() {
    for length in [0, 3, 55, 56, 64, 130, 1020] {
        let bytes: Vec<u8> = (0..length).map(|i| (i * 7 + 250) as u8).collect();
        let message: Vec<F61> = bytes.iter().map(|byte| element((*byte).into())).collect();
        let mut digest = sha2::Sha256::digest(&bytes).into();
        hash_of_elements(&message, digest).unwrap();
        digest[31] ^= 1;
        hash_of_elements(&message, digest).unwrap_err();
    }
    let digest = sha2::Sha256::digest([0, 1]).into();
    hash_of_elements(&[element(0), element(257)], digest).unwrap_err();
    hash_of_elements(&[element(0), element(1)], digest).unwrap();
}

/// No bit of what a prover commits to may be altered: something does not hold then.
#[test]
fn no_bit_of_a_block_of_elements_is_free() {
    let digest = sha2::Sha256::digest([1, 2, 3]).into();
    let of = |altered| {
        let witness: Vec<F61> = (1..4).map(element).collect();
        Streamed(&OfElements { length: 3, digest }).run(&mut Faulty::new(witness, altered))
    };
    of(u64::MAX).unwrap();
    for altered in [5, 540, 545, 2150, 2176, 2200, 6611, 6887] {
        assert!(of(altered).is_err(), "bit {altered}");
    }
}
