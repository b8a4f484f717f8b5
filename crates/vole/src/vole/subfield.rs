//! Subfield VOLE: values of any field B under MACs of an extension E of degree r. Wolverine, section IV.
//!
//! **k = m + x·Δ**, as everywhere in [`crate::vole`], with x in B and k, m, Δ in E; Δ is uniform but not
//! zero, and where tags leave coordinates free ([`Tag::FREE`]) they are zero in all three. The prover's share
//! is a [`Tag`], the verifier's a key.
//!
//! - `base`: the first shares, from oblivious transfers, and all of them in [`direct`];
//! - `single_point`: shares of sparse vectors, from half-trees whose last level is independent;
//! - [`extend`]: many shares from few, with the sets of [`super::lpn::Sets`].
//!
//! Over F_2, with MACs of 64 bits, the first shares are rows of [`crate::ot::softspoken`], and the noise is one.
//!
//! Challenges over a field below 100 bits cannot come from a transcript, which the party under test could
//! search. So here each is a coin of the other party, whatever the field: one protocol for all.

pub mod base;
pub mod direct;
pub mod extend;
#[doc(hidden)]
pub mod ideal;
pub mod sample;
mod single_point;
// For systems that hand shares to devices.
#[doc(hidden)]
pub mod words;

pub use base::error as base_error;

use super::extend::CHI;
use super::{Share, Shares};
use core::marker::PhantomData;
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::secret::verdict;
use volery_primitives::{F128, Field, MacField, Tag, U256};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// The prover's share of a value.
pub struct Mac<B, E>(PhantomData<(B, E)>);

impl<B: Field, E: MacField<B>> Share for Mac<B, E> {
    type Row = E::Tag;
}

/// The verifier's share of a value.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Key<E>(pub(crate) E);

impl<E: Field> DefaultIsZeroes for Key<E> {}

impl<E: Field> Share for Key<E> {
    type Row = E;
}

/// The verifier's global key, which is not zero. Wiped on drop.
pub struct Delta<B, E: Field> {
    value: Zeroizing<E>,
    /// The bits of Δ at the places of `base::gadget`, the first of them lowest.
    choices: Zeroizing<U256>,
    field: PhantomData<B>,
}

impl<B: Field, E: MacField<B>> Delta<B, E> {
    /// A fresh key.
    pub fn random(random: &mut Random) -> Self {
        loop {
            let free = |i| i < E::Tag::FREE;
            let coordinates = (0..E::degree()).map(|i| if free(i) { B::ZERO } else { uniform(random) });
            let coordinates = coordinates.collect();
            // Once in |E| times, of which the next one knows nothing.
            if let Some(delta) = Self::of(Zeroizing::new(coordinates)) {
                return delta;
            }
        }
    }

    /// The key with these coordinates, unless that is zero, or not zero where tags leave it free.
    fn of(coordinates: Zeroizing<Vec<B>>) -> Option<Self> {
        let mut choices = Zeroizing::new(U256::ZERO);
        let mut lifted = Zeroizing::new(Vec::with_capacity(coordinates.len()));
        for (i, coordinate) in (0..).zip(coordinates.iter()) {
            *choices |= coordinate.to_integer() << (i * B::bits());
            lifted.push(E::from(*coordinate));
        }
        let value = Zeroizing::new(E::pack(&lifted));
        let is_key = !same(*value, E::ZERO) & same(*value, E::Tag::bare(*value));
        if !is_key { None } else { Some(Self { value, choices, field: PhantomData }) }
    }

    /// The [`Field::DIGESTED`] bytes that store the key: its coordinates, each in as many bits as an element
    /// has.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(Zeroizing::new(self.choices.to_bytes())[..E::DIGESTED].to_vec())
    }

    /// The key that these bytes store, if they store any.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != E::DIGESTED {
            return None;
        }
        let mut left = Zeroizing::new(U256::from_bytes(bytes));
        let mut coordinates = Zeroizing::new(Vec::with_capacity(E::degree() as usize));
        for _ in 0..E::degree() {
            coordinates.push(B::from_integer(*left & U256::ones(B::bits()))?);
            *left = *left >> B::bits();
        }
        if verdict(*left == U256::ZERO) { Self::of(coordinates) } else { None }
    }

    /// The field element.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    #[inline(always)]
    pub fn value(&self) -> E {
        *self.value
    }

    /// Whether `keys` belong to `macs`, share by share: k = m + x·Δ. For benches and tests, which hold both
    /// ends.
    pub fn relates(&self, macs: &Shares<Mac<B, E>>, keys: &Shares<Key<E>>) -> bool {
        let mut pairs = macs.rows(0).iter().zip(keys.rows(0));
        macs.len() == keys.len()
            && pairs.all(|(share, key)| *key == share.mac() + self.value.scale(share.value()))
    }
}

/// A uniform element: the first one that random bits of its length encode, of a field where many do.
pub fn uniform<F: Field>(random: &mut Random) -> F {
    uniform_of(|| random.word())
}

/// A uniform element of uniform words.
fn uniform_of<F: Field>(mut word: impl FnMut() -> F128) -> F {
    loop {
        let [low, high] = if F::bits() > 128 { [word().0, word().0] } else { [0, word().0] };
        let element = F::from_integer(U256::new(low, high) >> (256 - F::bits()));
        // Of what is refused the next one knows nothing.
        if verdict(element.is_some()) {
            return element.unwrap_or(F::ZERO);
        }
    }
}

/// The probability that one guess at Δ is right.
pub fn guess<B: Field, E: MacField<B>>() -> f64 {
    // Of an element of B: 2^BITS in characteristic two, and in a prime field one more than −1 is.
    let last = (-B::ONE).to_integer();
    let size = if last == 1 { f64::from(B::BITS).exp2() } else { last.to_f64() + 1.0 };
    size.powi(E::Tag::FREE as i32 - E::degree() as i32)
}

/// The probability of the likeliest coefficient: [`Field::sample`] may prefer some by an
/// eighth in each coordinate, or in four where it samples an element of many coordinates as a whole. Over F_2 it
/// prefers none.
pub fn likeliest<B: Field, E: MacField<B>>() -> f64 {
    if B::BITS == 1 {
        return (-f64::from(E::degree())).exp2();
    }
    // The degree of a field that is not chosen at run time is its bound.
    let sampled = if E::degree() == E::DEGREE { E::DEGREE } else { E::degree().min(4) };
    1.125f64.powi(sampled as i32) * guess::<B, E>()
}

/// The first `count` coefficients that follow from `seed`, independent of each other.
pub fn coefficients<B: Field, E: MacField<B>>(arch: Arch, seed: impl Into<Seed>, count: usize) -> Vec<E> {
    let mut chi = vec![E::ZERO; count];
    Coefficients::<B>::new(arch, seed).fill(arch, &mut chi);
    chi
}

/// Calls `fold` on parts of `rows` with the coefficients of `seed`, those of [`coefficients`].
pub(crate) fn with_coefficients<B: Field, E: MacField<B>, R>(
    arch: Arch,
    seed: F128,
    rows: &[R],
    mut fold: impl FnMut(&[E], &[R]),
) {
    let mut coefficients = Coefficients::<B>::new(arch, seed);
    // Parts of even lengths, as `fill` asks.
    const { assert!(CHI.is_multiple_of(2)) };
    let mut chi = [E::ZERO; CHI];
    for rows in rows.chunks(CHI) {
        let chi = &mut chi[..rows.len()];
        coefficients.fill(arch, chi);
        fold(chi, rows);
    }
}

/// A stream of coefficients.
pub struct Coefficients<B> {
    prg: Prg,
    blocks: Vec<F128>,
    field: PhantomData<B>,
}

impl<B: Field> Coefficients<B> {
    /// The coefficients that follow from `seed`, from number 0 on.
    pub fn new(arch: Arch, seed: impl Into<Seed>) -> Self {
        Self { prg: Prg::new(arch, seed), blocks: Vec::new(), field: PhantomData }
    }

    /// The coefficients from number `first` on, an even one.
    ///
    /// # Panics
    /// Where it is odd.
    pub fn from<E: MacField<B>>(self, first: u64) -> Self {
        assert!(first.is_multiple_of(2), "two coefficients may share a block");
        Self { prg: self.prg.skip(E::SAMPLE as u64 * (first / 2)), ..self }
    }

    /// Fills `out` with the next coefficients. All fills but the last have even lengths, so that they give
    /// the same stream however it is cut.
    pub fn fill<E: MacField<B>>(&mut self, arch: Arch, out: &mut [E]) {
        self.blocks.resize((E::SAMPLE * out.len()).div_ceil(2), F128::ZERO);
        self.prg.fill(&mut self.blocks);
        E::sample_all(arch, &self.blocks, out);
    }
}

/// Σ value_h·X^h of r shares.
pub fn values<B: Field, E: MacField<B>>(shares: &[E::Tag]) -> E {
    let coordinates: Zeroizing<Vec<E>> =
        Zeroizing::new(shares.iter().map(|share| E::from(share.value())).collect());
    E::pack(&coordinates)
}

/// Σ mac_h·X^h of r shares.
pub fn macs<B: Field, E: MacField<B>>(shares: &[E::Tag]) -> E {
    let coordinates: Zeroizing<Vec<E>> = Zeroizing::new(shares.iter().map(|share| share.mac()).collect());
    E::pack(&coordinates)
}

/// Whether two elements are equal, in constant time: the verdict of a check.
pub fn same<E: Field>(a: E, b: E) -> bool {
    verdict(a.to_integer() == b.to_integer())
}

/// Chooses the prime that all tests of this program take, 2^60 − 93.
#[doc(hidden)]
pub fn choose_prime() {
    volery_primitives::RuntimePrime::choose((1 << 60) - 93).expect("all take the same");
}

#[cfg(test)]
mod tests;
