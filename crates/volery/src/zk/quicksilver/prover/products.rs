//! What the prover keeps of a batch until its challenge is drawn.

use crate::vole::subfield::Coefficients;
use crate::zk::quicksilver::arithmetic::SLOTS;
use crate::zk::quicksilver::polynomial::{Pending, Sums};
use crate::zk::quicksilver::slots::Triple;
use volery_primitives::arch::Arch;
use volery_primitives::{F128, Field, MacField, Tagged};
use zeroize::Zeroizing;

/// The products and the polynomials of a batch.
pub(super) struct Batch<E: Field> {
    /// The block of its last commitment, once it is known.
    pub(super) last: Option<usize>,
    /// Products so far.
    length: usize,
    /// A₀ and A₁ of each, and room for more.
    constant: Zeroizing<Vec<E>>,
    linear: Zeroizing<Vec<E>>,
    pub(super) polynomials: Pending<E>,
}

impl<E: Field> Batch<E> {
    /// An empty one, with room for so many products: what has to move would leave a copy behind. Batches of a
    /// VOLE whose blocks grow may take more.
    pub(super) fn new(room: usize) -> Self {
        let [constant, linear] = [(); 2].map(|()| Zeroizing::new(vec![E::ZERO; room]));
        Self { last: None, length: 0, constant, linear, polynomials: Pending::default() }
    }

    /// Adds the products of some slots.
    pub(super) fn extend<B: Field>(&mut self, arch: Arch, triples: &[Triple<Tagged<B, E>>])
    where
        E: MacField<B>,
    {
        let range = self.length..self.length + triples.len();
        for sums in [&mut self.constant, &mut self.linear] {
            if sums.len() < range.end {
                let mut longer = vec![E::ZERO; 2 * range.end];
                longer[..self.length].copy_from_slice(&sums[..self.length]);
                *sums = Zeroizing::new(longer);
            }
        }
        E::products(arch, triples, &mut self.constant[range.clone()], &mut self.linear[range.clone()]);
        self.length = range.end;
    }

    /// Adds all to `sums` with the coefficients of two seeds, for products and for
    /// polynomials, and is empty again.
    pub(super) fn weigh<B: Field>(
        &mut self,
        arch: Arch,
        [products, polynomials]: [F128; 2],
        sums: &mut Sums<E>,
    ) where
        E: MacField<B>,
    {
        let mut coefficients = Coefficients::<B>::new(arch, products);
        let mut chi = [E::ZERO; SLOTS];
        let mut weighed = Zeroizing::new([E::ZERO; 2]);
        let [constant, linear] = [&self.constant, &self.linear].map(|sums| sums[..self.length].chunks(SLOTS));
        for (constant, linear) in constant.zip(linear) {
            let chi = &mut chi[..constant.len()];
            coefficients.fill(arch, chi);
            weighed[0] += E::dot(arch, chi, constant);
            weighed[1] += E::dot(arch, chi, linear);
        }
        sums.add(&*weighed);
        let mut coefficients = Coefficients::<B>::new(arch, polynomials);
        self.polynomials.weigh::<B>(arch, |chi| coefficients.fill(arch, chi), sums);
        (self.last, self.length) = (None, 0);
    }
}
