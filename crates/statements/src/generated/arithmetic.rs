//! A generated circuit of any size over any field: what `bench arithmetic` proves.

use super::{Reversible, Turned};
use core::marker::PhantomData;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Circuit, replace};
use volery_primitives::Field;
use volery_primitives::hash::elements::expanded;

/// A reversible network of a chosen number of multiplications over `F`, and, but for the ends,
/// two additions to each.
///
/// Step t turns a state `s` of a few wires by `s[k] += s[i]·s[j]` and `s[a] += s[b]`, at places that are
/// public pseudo-random functions of t, with a period. The first half of the multiplications runs so; the
/// second half undoes the steps from the last to the first, and each element of the state must come out as it
/// went in. So any witness satisfies the network, and a wrong product anywhere is a wrong element at the end,
/// because all steps on the way there are injective. Where the number is odd, the multiplication in the
/// middle is by one, and must change nothing.
///
/// No step subtracts, which would take two gates: the wires with odd numbers change their signs in the
/// middle, and then the same additions undo what they did before. That asks of the places that `a` or `b` is
/// odd, but not both, and that of `i`, `j` and `k` one is odd. Wires are negated in the middle and at the
/// end, as many as the state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic<F> {
    multiplications: u64,
    /// The most wires of state.
    widest: u64,
    field: PhantomData<F>,
}

/// The most wires of state: at 32 bytes each they take half of a first-level cache, and hundreds of
/// multiplications, on average, lie between two changes of a wire.
const WIDEST: u64 = 512;

impl<F: Field> Arithmetic<F> {
    /// The network of `multiplications`.
    ///
    /// # Errors
    /// `Invalid` for none, or more than 2^60.
    pub fn new(multiplications: u64) -> Result<Self> {
        if multiplications == 0 || multiplications > 1 << 60 {
            return Err(Error::invalid(format!(
                "a network of {multiplications} multiplications: choose from 1 to 2^60"
            )));
        }
        Ok(Self { multiplications, widest: WIDEST, field: PhantomData })
    }

    /// A network of as many multiplications on a state of few wires: 4, 8, … up to 512.
    ///
    /// # Panics
    /// For another number of wires.
    pub fn narrow(self, wires: u64) -> Self {
        assert!(wires.is_power_of_two() && (4..=WIDEST).contains(&wires), "{wires} wires");
        Self { widest: wires, ..self }
    }

    /// The number of multiplications.
    pub fn multiplications(&self) -> u64 {
        self.multiplications
    }

    /// The number of witness elements, which is the number of wires of state.
    pub fn width(&self) -> usize {
        // Steps are for four wires or more.
        1 << self.multiplications.clamp(4, self.widest).ilog2()
    }

    /// A digest of the circuit and its field.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery arithmetic network v1");
        hasher.update(&self.multiplications.to_le_bytes());
        hasher.update(F::name().as_bytes());
        if self.widest < WIDEST {
            hasher.update(b"narrow");
            hasher.update(&self.widest.to_le_bytes());
        }
        hasher.finalize().into()
    }

    /// A witness, of [`Arithmetic::width`] elements expanded from `seed`. Any other will do.
    pub fn witness(&self, seed: [u8; 32]) -> impl Iterator<Item = F> + use<F> {
        expanded(seed).take(self.width())
    }

    /// How often the table of steps is run in each half, the last time perhaps in part.
    fn passes(&self) -> impl DoubleEndedIterator<Item = usize> + use<F> {
        let half = self.multiplications / 2;
        (0..half.div_ceil(PERIOD)).map(move |pass| PERIOD.min(half - pass * PERIOD) as usize)
    }
}

impl<B: Backend> Circuit<B> for Arithmetic<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let start = (0..self.width()).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        self.turn(b, start).map(drop)
    }
}

impl<F: Field> Reversible for Arithmetic<F> {
    fn width(&self) -> usize {
        self.width()
    }
}

impl<B: Backend> Turned<B> for Arithmetic<B::F> {
    fn turn(&self, b: &mut B, start: Vec<B::Wire>) -> Result<Vec<B::Wire>> {
        let minus_one = -B::F::ONE;
        // Whether none of these is of the witness, which is compared in the end.
        let (mut s, mut fresh) = (start.clone(), false);
        let steps: Vec<Step> = (0..PERIOD).map(|t| Step::new(t, s.len())).collect();
        for steps in self.passes().map(|length| &steps[..length]) {
            pass(b, "forwards", steps.len(), (&mut s, fresh), |b, s| {
                for step in steps {
                    step.product(b, s)?;
                    step.sum(b, s);
                }
                Ok(())
            })?;
            fresh = true;
        }
        if self.multiplications % 2 == 1 {
            let one = b.constant(B::F::ONE);
            let same = b.mul(s[0], one)?;
            let negated = b.scale(same, minus_one);
            let difference = b.add(s[0], negated);
            b.assert_zero(difference, "the product in the middle")?;
        }
        for odd in s.iter_mut().skip(1).step_by(2) {
            *odd = b.scale(*odd, minus_one);
        }
        fresh = false;
        for steps in self.passes().rev().map(|length| &steps[..length]) {
            pass(b, "backwards", steps.len(), (&mut s, fresh), |b, s| {
                for step in steps.iter().rev() {
                    step.sum(b, s);
                    step.product(b, s)?;
                }
                Ok(())
            })?;
            fresh = true;
        }
        for (i, (&end, &start)) in s.iter().zip(&start).enumerate() {
            let other = if i % 2 == 0 { b.scale(start, minus_one) } else { start };
            let difference = b.add(end, other);
            b.assert_zero(difference, format_args!("state[{i}]"))?;
        }
        Ok(s)
    }
}

/// Takes the first `steps` of the table, which `run` takes in this direction, on the state.
fn pass<B: Backend>(
    b: &mut B,
    direction: &str,
    steps: usize,
    state: (&mut [B::Wire], bool),
    run: impl FnOnce(&mut B, &mut [B::Wire]) -> Result<()>,
) -> Result<()> {
    let key = format!("arithmetic network, {direction}, {} wires, {steps}", state.0.len());
    replace(b, key.as_bytes(), state, run)
}

/// Steps after which the places come again: a table of them stays in cache beside the state, and the time of
/// a gate is not that of making up its places.
const PERIOD: u64 = 1024;

/// The places that a step reads and writes.
struct Step {
    k: u16,
    i: u16,
    j: u16,
    to: u16,
    from: u16,
}

impl Step {
    /// Step `t` on `width` wires, a power of two from 4 on.
    fn new(t: u64, width: usize) -> Self {
        let x = (t + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let x = x ^ x >> 29;
        // The upper bits of a product are the better mixed.
        let place = |n: u32| (x >> (12 + 10 * n)) as u16 & (width - 1) as u16;
        // Distances that are odd, or twice an odd number, are neither zero nor equal.
        let k = place(0);
        let i = k ^ (place(1) | 1);
        let even = if k % 2 == 0 { k } else { i };
        let j = even ^ (place(2) & !3 | 2);
        let to = place(3);
        let from = to ^ (place(4) | 1);
        Self { k, i, j, to, from }
    }

    #[inline(always)]
    fn product<B: Backend>(&self, b: &mut B, s: &mut [B::Wire]) -> Result<()> {
        let product = b.mul(s[self.i as usize], s[self.j as usize])?;
        s[self.k as usize] = b.add(s[self.k as usize], product);
        Ok(())
    }

    #[inline(always)]
    fn sum<B: Backend>(&self, b: &mut B, s: &mut [B::Wire]) {
        s[self.to as usize] = b.add(s[self.to as usize], s[self.from as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_circuit::stream::{Stream, Streamed};
    use volery_circuit::testing::Faulty;
    use volery_circuit::{Clear, Shape};
    use volery_primitives::{F2, F61, F128};

    const SEED: [u8; 32] = [7; 32];

    fn counts_are_exact<F: Field>() {
        for n in (1..=70).chain([1023, 1024, 1025, 2047, 2048, 2049, 5001]) {
            let network = Arithmetic::<F>::new(n).unwrap();
            let (shape, width, odd) = (Shape::of(&network).unwrap(), network.width() as u64, n % 2);
            assert_eq!((shape.mul, shape.inputs, shape.assert), (n, width, width + odd), "{n}");
            assert_eq!(
                (shape.add, shape.scale, shape.constant),
                (2 * n - odd + width, width + odd, odd),
                "{n}"
            );
            for seed in [[0; 32], SEED] {
                let mut clear = Clear::new(network.witness(seed));
                Streamed(&network).run(&mut clear).unwrap();
                clear.finish().unwrap();
            }
        }
    }

    #[test]
    fn counts_are_exact_and_witnesses_hold() {
        counts_are_exact::<F61>();
        counts_are_exact::<F128>();
        counts_are_exact::<F2>();
    }

    /// Each product is wrong in turn, or of the long ones those beside seams and some others.
    fn each_wrong_product<F: Field>(each: bool) {
        for n in (1..=9).chain([100, 1025, 2050]) {
            let network = Arithmetic::<F>::new(n).unwrap();
            let stream = Stream::new(&network);
            let run = |until| stream.run(&mut Faulty::new(network.witness(SEED), until));
            let beside_seam = |wrong: u64| wrong % 1024 < 3 || wrong % 1024 > 1021 || wrong + 3 > n;
            for wrong in
                (0..n).filter(|&wrong| each || beside_seam(wrong) || wrong.is_multiple_of(11) || n <= 100)
            {
                assert!(matches!(run(wrong), Err(Error::Unsatisfied(_))), "product {wrong} of {n}");
            }
            run(n).unwrap();
        }
    }

    #[test]
    fn each_wrong_product_is_found() {
        each_wrong_product::<F61>(false);
        each_wrong_product::<F128>(false);
        each_wrong_product::<F2>(false);
    }

    #[test]
    #[ignore = "slow"]
    fn each_wrong_product_of_long_networks_is_found() {
        each_wrong_product::<F61>(true);
        each_wrong_product::<F128>(true);
        each_wrong_product::<F2>(true);
    }

    #[test]
    fn the_state_moves_everywhere() {
        let network = Arithmetic::<F61>::new(2048).unwrap();
        let start: Vec<F61> = network.witness(SEED).collect();
        let mut clear = Clear::new(std::iter::empty());
        // Whether none of these is of the witness, which is compared in the end.
        let mut s = start.clone();
        for t in 0..PERIOD {
            let step = Step::new(t, s.len());
            step.product(&mut clear, &mut s).unwrap();
            step.sum(&mut clear, &mut s);
        }
        let moved = s.iter().zip(&start).filter(|(end, start)| end != start).count();
        assert!(moved > s.len() * 9 / 10, "{moved} of {} wires", s.len());
    }

    #[test]
    fn sizes_and_fields_are_checked_and_told_apart() {
        assert!(Arithmetic::<F61>::new(0).is_err());
        assert!(Arithmetic::<F61>::new(u64::MAX).is_err());
        let digest = Arithmetic::<F61>::new(5).unwrap().digest();
        assert_ne!(digest, Arithmetic::<F61>::new(6).unwrap().digest());
        assert_ne!(digest, Arithmetic::<F128>::new(5).unwrap().digest());
    }
}
