//! Sums of many words.
//!
//! Column by column from the least significant, a full adder takes three bits to one and a carry, by one AND.
//! The public bits of a column are counted instead. So m wires of a column cost ⌊m/2⌋ ANDs whatever its
//! public bits, where a word added after the other costs as many ANDs as there are words less one.

use super::Word;
use crate::gadget::Bit;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

use Bit::{Public, Wire};

impl<W: Copy, const N: usize> Word<W, N> {
    /// The sum of `words` modulo 2^N: ⌊m/2⌋ ANDs for each bit but the most significant, where m counts the
    /// wires among the words' bits there and the carries that arrive. Three secret words of 32 bits take 61
    /// ANDs, four take 92, five take 121.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn sum<B: Backend<F = F2, Wire = W>>(b: &mut B, words: &[Self]) -> Result<Self> {
        let mut sum = [Public(false); N];
        let mut column = Vec::with_capacity(2 * words.len());
        let mut carries = Vec::with_capacity(words.len());
        // Of a column, whose public bits are a number that goes on to the next.
        let mut ones = 0;
        for (i, bit) in sum.iter_mut().enumerate() {
            column.append(&mut carries);
            for word in words {
                match word.0[i] {
                    Public(one) => ones += usize::from(one),
                    Wire(wire) => column.push(wire),
                }
            }
            let carry = (i + 1 < N).then_some(&mut carries);
            *bit = add_column(b, &column, Public(ones % 2 == 1), carry)?;
            ones /= 2;
            column.clear();
        }
        Ok(Self(sum))
    }
}

/// The parity of `column` and `public`. Carries are appended to `carries`, where they have a column to go to.
pub(in crate::gadget) fn add_column<B: Backend<F = F2>>(
    b: &mut B,
    column: &[B::Wire],
    public: Bit<B::Wire>,
    mut carries: Option<&mut Vec<B::Wire>>,
) -> Result<Bit<B::Wire>> {
    // The public bit fills a place of an adder where one is free; else it is added last, to a single bit.
    let (pairs, odd) = column.as_chunks::<2>();
    let (mut sum, last) = match odd {
        [wire] => (Wire(*wire), public),
        _ => (public, Public(false)),
    };
    for &[x, y] in pairs {
        let [x, y] = [Wire(x), Wire(y)];
        let x_sum = x.xor(b, sum);
        if let Some(carries) = &mut carries {
            // The majority, from a sum that is at hand.
            let y_sum = y.xor(b, sum);
            let carry = x_sum.and(b, y_sum)?.xor(b, sum);
            carries.push(carry.wire(b));
        }
        sum = x_sum.xor(b, y);
    }
    if let (Wire(wire), Public(true), Some(carries)) = (sum, last, carries) {
        carries.push(wire);
    }
    Ok(sum.xor(b, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use volery_circuit::stream::Streamed;
    use volery_circuit::{Circuit, Clear, Shape};

    /// The sum of `secret` witness words and of public ones. Each third bit of a secret word is
    /// public where `mixed`.
    struct Sum {
        secret: usize,
        public: Vec<u32>,
        mixed: bool,
        expected: u32,
    }

    impl Sum {
        fn of(secret: usize, public: &[u32]) -> Self {
            Self { secret, public: public.to_vec(), mixed: false, expected: 0 }
        }
    }

    /// The bits that are public in a word that is mixed.
    const PUBLIC_BITS: u32 = 0x4924_9249;

    impl<B: Backend<F = F2>> Circuit<B> for Sum {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut words: Vec<Word<_, 32>> =
                self.public.iter().map(|&word| Word::public(word.into())).collect();
            for _ in 0..self.secret {
                let word = Word::witness(b)?;
                words.push(if self.mixed {
                    let public = Word::public(PUBLIC_BITS.into());
                    let kept = word.and(b, &Word::public((!PUBLIC_BITS).into()))?;
                    kept.xor(b, &public)
                } else {
                    word
                });
            }
            let sum = Word::sum(b, &words)?;
            sum.assert_equal(b, &Word::public(self.expected.into()), "sum")
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_integers(
            secret in prop::collection::vec(any::<u32>(), 0..9),
            public in prop::collection::vec(any::<u32>(), 0..9),
            mixed: bool,
            wrong in 0..32u32,
        ) {
            let value = |word: &u32| if mixed { word | PUBLIC_BITS } else { *word };
            let expected = secret.iter().map(value).chain(public.iter().copied());
            let expected = expected.fold(0, u32::wrapping_add);
            let bits = secret.iter().flat_map(|word| (0..32).map(move |i| F2::low_bit((word >> i).into())));
            let mut sum = Sum { secret: secret.len(), public, mixed, expected };
            let mut clear = Clear::new(bits.clone());
            Streamed(&sum).run(&mut clear).unwrap();
            clear.finish().unwrap();
            sum.expected ^= 1 << wrong;
            let refused = Streamed(&sum).run(&mut Clear::new(bits)).unwrap_err().to_string();
            let name = format!(" sum[{wrong}] ");
            prop_assert!(refused.contains(&name), "{}", refused);
        }
    }

    #[test]
    fn ands_of_sums_are_pinned() {
        let ands = |secret, public: &[u32]| Shape::without_depth::<F2>(&Sum::of(secret, public)).unwrap().mul;
        assert_eq!([0, 1, 2, 3, 4, 5, 8].map(|secret| ands(secret, &[])), [0, 0, 31, 61, 92, 121, 213]);
        // Public words are one, and one that ends in zeros fills places of adders that are free.
        assert_eq!(ands(1, &[4, u32::MAX, 5]), 27);
        assert_eq!(ands(4, &[u32::MAX, 1]), 92);
        assert_eq!(ands(4, &[1 << 31]), 92);
        assert_eq!(ands(4, &[1 << 16]), 106);
        assert_eq!(ands(3, &[1]), 61);
    }
}
