//! A generated circuit of any size: what `bench boolean` proves.

use super::{Reversible, Turned};
use core::array;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Circuit, replace};
use volery_primitives::F2;

/// A reversible network of a chosen number of ANDs, and exactly four XORs to each.
///
/// Step t turns a state `s` of a few wires by a Toffoli gate, `s[k] += s[i]·s[j]`, and up to three
/// `s[a] += s[b]`, at places that are public pseudo-random functions of t, with a period. The first half of
/// the ANDs runs so; the second half runs the same steps backwards, and each state bit must come out as it
/// went in. So any witness satisfies the network, and a wrong product anywhere is a wrong bit at the end,
/// because all steps on the way there are injective. Where the number is odd, the AND in the middle squares a
/// sum, which must not change it.
///
/// The comparisons at the end are XORs too; that many steps have one of the other kind less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    gates: u64,
    /// The number of the network among many of this size.
    variant: u64,
    /// The most wires of state.
    widest: u64,
}

/// The most wires of state: they stay in the first-level cache, and 512 multiplications, on average, lie
/// between two changes of a wire.
const WIDEST: u64 = 1024;

impl Network {
    /// The network of `gates` ANDs.
    ///
    /// # Errors
    /// `Invalid` for no gates, or more than 2^60.
    pub fn new(gates: u64) -> Result<Self> {
        if gates == 0 || gates > 1 << 60 {
            return Err(Error::invalid(format!("a network of {gates} gates: choose from 1 to 2^60")));
        }
        Ok(Self { gates, variant: 0, widest: WIDEST })
    }

    /// Another network of the same size, at other places: number `variant` of 2^50, of which 0 is that of
    /// [`Network::new`].
    pub fn variant(self, variant: u64) -> Self {
        Self { variant: variant % (1 << 50), ..self }
    }

    /// A network of as many gates on a state of few wires: 4, 8, … up to 1024.
    ///
    /// # Panics
    /// For another number of wires.
    pub fn narrow(self, wires: u64) -> Self {
        assert!(wires.is_power_of_two() && (4..=WIDEST).contains(&wires), "{wires} wires");
        Self { widest: wires, ..self }
    }

    /// The number of ANDs.
    pub fn gates(&self) -> u64 {
        self.gates
    }

    /// The number of witness bits, which is the number of wires of state.
    pub fn width(&self) -> usize {
        match self.gates {
            1 => 2,
            2..4 => 4,
            gates => 1 << gates.min(self.widest).ilog2(),
        }
    }

    /// A digest of the circuit.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery reversible network v1");
        hasher.update(&self.gates.to_le_bytes());
        if self.variant > 0 {
            hasher.update(&self.variant.to_le_bytes());
        }
        if self.widest < WIDEST {
            hasher.update(b"narrow");
            hasher.update(&self.widest.to_le_bytes());
        }
        hasher.finalize().into()
    }

    /// A witness, of [`Network::width`] bits expanded from `seed`. Any other will do.
    pub fn witness(&self, seed: [u8; 32]) -> impl Iterator<Item = F2> + use<> {
        let mut bytes = vec![0; self.width().div_ceil(8)];
        blake3::Hasher::new_keyed(&seed).finalize_xof().fill(&mut bytes);
        (0..self.width()).map(move |i| F2::low_bit((bytes[i / 8] >> (i % 8)).into()))
    }

    /// The steps of each half.
    fn half(&self) -> u64 {
        self.gates / 2
    }

    /// XORs that are spared in each half: in their place stand the comparisons at the end, and two in the
    /// middle of an odd number of ANDs.
    fn spared(&self) -> u64 {
        self.width() as u64 / 2 - self.gates % 2
    }

    /// The XORs of step t: three, less the spared ones. A short network spares a step twice.
    fn xors(&self, t: u64) -> usize {
        3 - usize::from(t < self.spared()) - usize::from(t + self.half() < self.spared())
    }

    /// Whether no step from `first` on spares any.
    fn has_all_xors(&self, first: u64) -> bool {
        first >= self.spared()
    }
}

impl<B: Backend<F = F2>> Circuit<B> for Network {
    fn run(&self, b: &mut B) -> Result<()> {
        let start = (0..self.width()).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        self.turn(b, start).map(drop)
    }
}

impl Reversible for Network {
    fn width(&self) -> usize {
        self.width()
    }
}

impl<B: Backend<F = F2>> Turned<B> for Network {
    fn turn(&self, b: &mut B, start: Vec<B::Wire>) -> Result<Vec<B::Wire>> {
        let mut wires = start.clone();
        let mut s = State { wires: &mut wires, fresh: false };
        let steps: Vec<Step> =
            (0..PERIOD).map(|t| Step::new(PERIOD * self.variant + t, start.len())).collect();
        // The first passes spare XORs; the last one may be short; those between are alike.
        let passes = self.half().div_ceil(PERIOD);
        let sparing = (0..passes).take_while(|pass| !self.has_all_xors(pass * PERIOD)).count() as u64;
        let alike = (self.half() / PERIOD).saturating_sub(sparing);
        let length = |first: u64| PERIOD.min(self.half() - first) as usize;
        for first in (0..sparing).map(|pass| pass * PERIOD) {
            for (t, step) in (first..).zip(&steps[..length(first)]) {
                step.toffoli(b, s.wires)?;
                step.xors[..self.xors(t)].iter().for_each(|xor| xor.run(b, s.wires));
            }
        }
        let forwards = |b: &mut B, s: &mut [B::Wire], steps: &[Step]| {
            for step in steps {
                step.toffoli(b, s)?;
                step.xors.iter().for_each(|xor| xor.run(b, s));
            }
            Ok(())
        };
        self.passes(b, "forwards", alike, &steps, &mut s, forwards)?;
        for first in (sparing + alike..passes).map(|pass| pass * PERIOD) {
            self.pass(b, "forwards", &steps[..length(first)], &mut s, forwards)?;
        }
        if self.gates % 2 == 1 {
            let sum = b.add(s.wires[0], s.wires[1]);
            let square = b.mul(sum, sum)?;
            let difference = b.add(square, sum);
            b.assert_zero(difference, "the square in the middle")?;
        }
        let backwards = |b: &mut B, s: &mut [B::Wire], steps: &[Step]| {
            for step in steps.iter().rev() {
                step.xors.iter().rev().for_each(|xor| xor.run(b, s));
                step.toffoli(b, s)?;
            }
            Ok(())
        };
        for first in (sparing + alike..passes).map(|pass| pass * PERIOD) {
            self.pass(b, "backwards", &steps[..length(first)], &mut s, backwards)?;
        }
        self.passes(b, "backwards", alike, &steps, &mut s, backwards)?;
        s.fresh = false;
        for first in (0..sparing).rev().map(|pass| pass * PERIOD) {
            let steps = &steps[..length(first)];
            for (step, t) in steps.iter().rev().zip((first..first + steps.len() as u64).rev()) {
                step.xors[..self.xors(t)].iter().rev().for_each(|xor| xor.run(b, s.wires));
                step.toffoli(b, s.wires)?;
            }
        }
        for (i, (&end, &start)) in s.wires.iter().zip(&start).enumerate() {
            let difference = b.add(end, start);
            b.assert_zero(difference, format_args!("state[{i}]"))?;
        }
        Ok(wires)
    }
}

impl Network {
    /// The state after `run` has taken all `steps`, `times` in a row: in functions of many passes, and
    /// what remains one by one.
    fn passes<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        direction: &str,
        times: u64,
        steps: &[Step],
        state: &mut State<'_, B::Wire>,
        run: impl Fn(&mut B, &mut [B::Wire], &[Step]) -> Result<()> + Copy,
    ) -> Result<()> {
        let key = format!("network, {direction}, {} of {}, often", self.variant, state.wires.len());
        for _ in 0..times / PASSES {
            state.call(b, &key, |b, inner| {
                (0..PASSES).try_for_each(|_| self.pass(b, direction, steps, inner, run))
            })?;
        }
        (0..times % PASSES).try_for_each(|_| self.pass(b, direction, steps, state, run))
    }

    /// The state after `run` has taken `steps`, which are the first of the table.
    fn pass<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        direction: &str,
        steps: &[Step],
        state: &mut State<'_, B::Wire>,
        run: impl Fn(&mut B, &mut [B::Wire], &[Step]) -> Result<()>,
    ) -> Result<()> {
        let width = state.wires.len();
        let key = format!("network, {direction}, {} of {width}, {}", self.variant, steps.len());
        state.call(b, &key, |b, inner| run(b, inner.wires, steps))
    }
}

impl<W> State<'_, W> {
    /// Takes the function `key` of it in its place.
    fn call<B: Backend<Wire = W>>(
        &mut self,
        b: &mut B,
        key: &str,
        body: impl FnOnce(&mut B, &mut State<'_, W>) -> Result<()>,
    ) -> Result<()> {
        let body = |b: &mut B, wires: &mut [W]| body(b, &mut State { wires, fresh: false });
        replace(b, key.as_bytes(), (self.wires, self.fresh), body)?;
        self.fresh = true;
        Ok(())
    }
}

/// The wires of state.
struct State<'s, W> {
    wires: &'s mut [W],
    /// Whether no wire is one of the witness, which is compared in the end.
    fresh: bool,
}

/// Steps after which the places come again: a table of them stays in cache beside the state, and the time of
/// a gate is not that of making up its places.
const PERIOD: u64 = 1024;

/// Passes over this table that are one function: calls of it are few.
const PASSES: u64 = 16;

/// The places that a step reads and writes.
struct Step {
    k: u16,
    i: u16,
    j: u16,
    xors: [Xor; 3],
}

/// `s[to] += s[from]`.
struct Xor {
    to: u16,
    from: u16,
}

impl Xor {
    #[inline(always)]
    fn run<B: Backend<F = F2>>(&self, b: &mut B, s: &mut [B::Wire]) {
        s[self.to as usize] = b.add(s[self.to as usize], s[self.from as usize]);
    }
}

impl Step {
    /// Step `t` on `width` wires, a power of two from 4 on (below that there are no steps). All that is used
    /// of the places is that `k` is neither `i` nor `j`, and that no XOR is of a wire with itself.
    fn new(t: u64, width: usize) -> Self {
        let x = (t + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let y = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        // The upper bits of a product are the better mixed.
        let place =
            |n: u32| (if n < 6 { x >> (4 + 10 * n) } else { y >> (10 * n - 26) }) as u16 & (width - 1) as u16;
        // Distances that are odd, or twice an odd number, are neither zero nor equal.
        let k = place(0);
        let i = k ^ (place(1) | 1);
        let j = k ^ (place(2) & !3 | 2);
        let xors = array::from_fn(|n| {
            let to = place(3 + 2 * n as u32);
            Xor { to, from: to ^ (place(4 + 2 * n as u32) | 1) }
        });
        Self { k, i, j, xors }
    }

    #[inline(always)]
    fn toffoli<B: Backend<F = F2>>(&self, b: &mut B, s: &mut [B::Wire]) -> Result<()> {
        let product = b.mul(s[self.i as usize], s[self.j as usize])?;
        s[self.k as usize] = b.add(s[self.k as usize], product);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_circuit::stream::Streamed;
    use volery_circuit::testing::Faulty;
    use volery_circuit::{Clear, Count, Shape};

    const SEED: [u8; 32] = [7; 32];

    #[test]
    fn a_network_circuit_has_four_xors_to_each_and() {
        for gates in (1..70).chain([127, 128, 1023, 1024, 1025, 2047, 2048, 2049, 5000, 100_001]) {
            let network = Network::new(gates).unwrap();
            for network in [network, network.narrow(8)] {
                let shape = Shape::of::<F2>(&network).unwrap();
                assert_eq!((shape.mul, shape.add), (gates, 4 * gates), "{gates}");
                assert_eq!(shape.inputs, network.width() as u64);
                for seed in [[0; 32], SEED] {
                    let mut clear = Clear::new(network.witness(seed));
                    Streamed(&network).run(&mut clear).unwrap();
                    clear.finish().unwrap();
                }
            }
        }
    }

    #[test]
    fn each_wrong_product_is_found() {
        wrong_products(false);
    }

    #[test]
    #[ignore = "slow"]
    fn each_wrong_product_of_long_networks_is_found() {
        wrong_products(true);
    }

    /// Each product is wrong in turn, or of the long ones those beside seams and some others.
    fn wrong_products(each: bool) {
        for gates in [1, 2, 3, 4, 5, 8, 9, 100, 1025, 2048] {
            let network = Network::new(gates).unwrap();
            for network in [network, network.narrow(8)] {
                let run = |until| Streamed(&network).run(&mut Faulty::new(network.witness(SEED), until));
                let beside_seam = |wrong: u64| wrong % 1024 < 3 || wrong % 1024 > 1021 || wrong + 3 > gates;
                let some =
                    |wrong: &u64| each || beside_seam(*wrong) || wrong.is_multiple_of(11) || gates <= 100;
                for wrong in (0..gates).filter(some) {
                    assert!(matches!(run(wrong), Err(Error::Unsatisfied(_))), "product {wrong} of {gates}");
                }
                run(gates).unwrap();
            }
        }
    }

    #[test]
    fn sizes_are_checked_and_told_apart() {
        assert!(Network::new(0).is_err());
        assert!(Network::new(u64::MAX).is_err());
        assert_ne!(Network::new(5).unwrap().digest(), Network::new(6).unwrap().digest());
        let network = Network::new(5000).unwrap();
        let fingerprint = |variant| Count::<F2>::fingerprint(&network.variant(variant)).unwrap().1;
        assert_eq!(network, network.variant(0));
        assert_ne!(fingerprint(0), fingerprint(1));
        assert_ne!(network.digest(), network.variant(1).digest());
        assert_ne!(network.digest(), network.narrow(8).digest());
        let step = Step::new(0, 4);
        assert!(step.k != step.i && step.k != step.j && step.i != step.j);
    }
}
