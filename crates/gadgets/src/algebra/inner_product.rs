//! The inner product of two secret vectors.

use core::iter::Take;
use std::time::{Duration, Instant};
use volery_channel::error::{Error, Result};
use volery_circuit::{Circuit, Polynomials};
use volery_primitives::Field;
use volery_primitives::hash::elements::{Expanded, expanded};

/// "I know two vectors of this length, and this is their inner product."
///
/// The witness alternates between the two in chunks: `x[0..512]`, `y[0..512]`, `x[512..1024]`,
/// `y[512..1024]`, and so on, the last ones as long as what is left. So no more than two chunks are held,
/// however long the vectors are.
///
/// ```
/// # use volery_gadgets::testing::volery;
/// use volery::circuit::{Clear, InnerProduct};
/// use volery::{Circuit, F61};
///
/// let z = InnerProduct::<F61>::product_of(1000, [7; 32]);
/// let statement = InnerProduct::new(1000, z)?;
/// let mut clear = Clear::new(statement.witness([7; 32]));
/// statement.run(&mut clear)?;
/// clear.finish()?;
/// # Ok::<(), volery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerProduct<F> {
    length: u64,
    product: F,
}

/// Elements of each vector that are read, one vector after the other, at a time.
pub const CHUNK: u64 = 512;

impl<F: Field> InnerProduct<F> {
    /// The statement about vectors of `length` whose inner product is `product`.
    ///
    /// # Errors
    /// `Invalid` for no elements, or more than 2^60.
    pub fn new(length: u64, product: F) -> Result<Self> {
        if length == 0 || length > 1 << 60 {
            return Err(Error::invalid(format!(
                "an inner product of {length} elements: choose from 1 to 2^60"
            )));
        }
        Ok(Self { length, product })
    }

    /// The length of each vector.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// A digest of the statement and its field.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery inner product v1");
        hasher.update(&self.length.to_le_bytes());
        hasher.update(&self.product.to_integer().to_bytes()[..F::DIGESTED]);
        hasher.update(F::name().as_bytes());
        hasher.finalize().into()
    }

    /// Two vectors that are expanded from `seed`, in the order in which they are read. They satisfy the
    /// statement where its product is [`InnerProduct::product_of`] the same seed.
    pub fn witness(&self, seed: [u8; 32]) -> impl Iterator<Item = F> + Clone + use<F> {
        elements(self.length, seed)
    }

    /// The inner product of the vectors of `length` that are expanded from `seed`.
    pub fn product_of(length: u64, seed: [u8; 32]) -> F {
        let mut witness = elements::<F>(length, seed);
        let mut x = Vec::with_capacity(CHUNK as usize);
        let mut product = F::ZERO;
        for chunk in chunks(length) {
            x.clear();
            x.extend(witness.by_ref().take(chunk));
            product += x.iter().zip(witness.by_ref()).map(|(&x, y)| x * y).sum();
        }
        product
    }

    /// Pushes the statement, and tells `observe` the time that each part takes beyond reading the
    /// witness. For benches.
    ///
    /// # Errors
    /// Those of the backend.
    #[doc(hidden)]
    pub fn run_observed<B: Polynomials<F = F>>(
        &self,
        b: &mut B,
        observe: impl FnMut(Duration),
    ) -> Result<()> {
        push(b, self.length, self.product, |b, _, _| b.witness(), observe)
    }
}

impl<B: Polynomials> Circuit<B> for InnerProduct<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        self.run_observed(b, |_| ())
    }
}

/// Pushes the statement about vectors whose elements `wire` gives: by 0 for x and 1 for y, and the place.
pub fn push<B: Polynomials>(
    b: &mut B,
    length: u64,
    product: B::F,
    mut wire: impl FnMut(&mut B, usize, u64) -> Result<B::Wire>,
    mut observe: impl FnMut(Duration),
) -> Result<()> {
    let mut sum = b.public(&[-product]);
    let [mut x, mut y] = [Vec::new(), Vec::new()];
    let mut start = 0;
    for chunk in chunks(length) {
        let end = start + chunk as u64;
        // Of a chunk only the vector lives on.
        b.open_scope();
        for (vector, wires) in [&mut x, &mut y].into_iter().enumerate() {
            wires.clear();
            for i in start..end {
                wires.push(wire(b, vector, i)?);
            }
        }
        start = end;
        let begun = Instant::now();
        let part = b.inner_product(&x, &y)?;
        sum = b.sum(&sum, &part);
        b.close_scope(&[]);
        observe(begun.elapsed());
    }
    let begun = Instant::now();
    b.assert_zeroes(sum, "z")?;
    observe(begun.elapsed());
    Ok(())
}

/// Two vectors of `length`, as they are read.
fn elements<F: Field>(length: u64, seed: [u8; 32]) -> Take<Expanded<F>> {
    expanded(seed).take(2 * length as usize)
}

/// The lengths of the chunks of a vector of `length`.
fn chunks(length: u64) -> impl Iterator<Item = usize> {
    (0..length.div_ceil(CHUNK)).map(move |i| CHUNK.min(length - i * CHUNK) as usize)
}
