use super::holes::{COMPUTED, compress};
use super::*;
use crate::gadget::{Holes, bits_of};
use sha1::Digest;
use volery_circuit::stream::Streamed;
use volery_circuit::testing::Faulty;
use volery_circuit::{Circuit, Clear, Polynomials, Shape};

struct Preimage<C> {
    length: usize,
    digest: [u8; 20],
    compression: PhantomData<C>,
}

impl<C> Preimage<C> {
    fn new(length: usize, digest: [u8; 20]) -> Self {
        Self { length, digest, compression: PhantomData }
    }
}

impl<B: Backend<F = F2>, C: Sha1Compression<B>> Circuit<B> for Preimage<C> {
    fn run(&self, b: &mut B) -> Result<()> {
        let message = Bytes::witness(b, self.length)?;
        Sha1::<_, C>::digest(b, &message)?.assert_equal(b, &self.digest, "digest")
    }
}

/// Gate by gate and with holes: the same verdict, and the same bit that is wrong.
fn check(message: &[u8], digest: [u8; 20]) -> Result<()> {
    let mut gates = Clear::new(bits_of(message));
    let verdict = Streamed(&Preimage::<Gates>::new(message.len(), digest)).run(&mut gates);
    let mut holes = Clear::new(bits_of(message));
    let with_holes = Streamed(&Preimage::<Holes>::new(message.len(), digest)).run(&mut holes);
    let text = |verdict: &Result<()>| verdict.as_ref().map_err(|error| error.to_string()).copied();
    assert_eq!(text(&verdict), text(&with_holes));
    verdict?;
    gates.finish().and(holes.finish())
}

/// The examples that NIST publishes with FIPS 180-4.
#[test]
fn published_vectors() {
    let vectors: [(&str, [u32; 5]); 2] = [
        ("abc", [0xa999_3e36, 0x4706_816a, 0xba3e_2571, 0x7850_c26c, 0x9cd0_d89d]),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            [0x8498_3e44, 0x1c3b_d26e, 0xbaae_4aa1, 0xf951_29e5, 0xe546_70f1],
        ),
    ];
    for (message, digest) in vectors {
        let digest = digest.map(u32::to_be_bytes).concat().try_into().unwrap();
        check(message.as_bytes(), digest).unwrap();
    }
    let mut clear = Clear::<F2>::new(core::iter::empty());
    let digest = sha1(&mut clear, &Bytes::public(b"abc")).unwrap();
    digest.assert_equal(&mut clear, &sha1::Sha1::digest(b"abc"), "digest").unwrap();
}

#[test]
fn all_paddings_agree_with_an_outside_implementation() {
    for length in [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 200] {
        let message: Vec<u8> = (0..length).map(|i| (i * 37 + 11) as u8).collect();
        let mut digest: [u8; 20] = sha1::Sha1::digest(&message).into();
        check(&message, digest).unwrap();
        digest[17] ^= 2;
        let refused = check(&message, digest).unwrap_err().to_string();
        assert!(refused.contains(" digest[17] does not hold"), "{refused}");
    }
}

/// One compression of a secret block from a secret chaining value, by gates or with holes, in which the
/// prover changes one bit of a word.
enum Compress {
    Gates,
    Holes { word: usize, bit: usize },
}

impl<B: Polynomials<F = F2>> Circuit<B> for Compress {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut state = [Word::public(0); 5];
        let mut block = [Word::public(0); 16];
        for word in state.iter_mut().chain(&mut block) {
            *word = Word::witness(b)?;
        }
        let Self::Holes { word: altered, bit } = *self else {
            return Gates::compress_sha1(b, &state, &block).map(drop);
        };
        let alter = move |number, word| if number == altered { word ^ 1 << bit } else { word };
        compress(b, &state, &block, alter).map(drop)
    }
}

/// The compression by holes with the right words.
const RIGHT: Compress = Compress::Holes { word: COMPUTED, bit: 0 };

#[test]
fn ands_are_pinned() {
    assert_eq!(Shape::without_depth::<F2>(&Compress::Gates).unwrap().mul, 10_955);
    let ands = |length| Shape::without_depth::<F2>(&Preimage::<Gates>::new(length, [0; 20])).unwrap().mul;
    assert_eq!([0, 32, 55, 64].map(ands), [0, 10_334, 10_509, 19_077]);
}

#[test]
fn commitments_with_holes_are_pinned() {
    let shape = Shape::of::<F2>(&RIGHT).unwrap();
    assert_eq!((shape.inputs - 672, shape.polynomials, shape.degree, shape.mul), (2720, 2720, 8, 0));
    let hints = |length| {
        let shape = Shape::of::<F2>(&Preimage::<Holes>::new(length, [0; 20])).unwrap();
        shape.inputs - 8 * length as u64
    };
    assert_eq!([0, 32, 55, 64].map(hints), [0, 2720, 2720, 5440]);
}

/// 672 bits that are neither regular nor secret.
fn some_bits() -> Vec<F2> {
    bits_of(&(0..5).flat_map(|i| sha1::Sha1::digest([i])).collect::<Vec<_>>()).take(672).collect()
}

/// The only assertion that fails is the one about the altered word, which so has no other value than the
/// right one.
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
const BITS: [usize; 4] = [0, 1, 17, 31];

fn assert_words_alone(bits: impl Fn(usize) -> &'static [usize]) {
    for word in 0..COMPUTED {
        for &bit in bits(word) {
            let altered = Compress::Holes { word, bit };
            let refused = Streamed(&altered).run(&mut Clear::new(some_bits())).unwrap_err().to_string();
            let name = match word {
                0..80 => format!("a from round {} on[{}]", word / 10 * 10, 32 * (word % 10) + bit),
                _ => format!("chaining value[{}]", 32 * (word - 80) + bit),
            };
            assert!(refused.contains(&format!(" {name} ")), "{word} {bit}: {refused}");
        }
    }
    Streamed(&RIGHT).run(&mut Clear::new(some_bits())).unwrap();
}

#[test]
fn each_wrong_hint_is_caught() {
    let run = |until| Streamed(&RIGHT).run(&mut Faulty::new(some_bits(), until));
    for until in (0..2720).filter(|until| until % 31 == 0) {
        assert!(run(until).is_err(), "{until}");
    }
    run(2720).unwrap();
}
