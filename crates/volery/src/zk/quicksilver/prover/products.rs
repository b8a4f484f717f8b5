//! What the prover keeps of a batch until its challenge is drawn.

use crate::pool::{Pool, Spare, Tasks};
use crate::vole::subfield::Coefficients;
use crate::zk::quicksilver::arithmetic::SLOTS;
use crate::zk::quicksilver::polynomial::{Pending, Sums};
use crate::zk::quicksilver::slots::{Memory, Triple, Weighing};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::{Field, MacField, Tagged};
use zeroize::Zeroizing;

/// The products and the polynomials of a batch.
pub(super) struct Batch<E: Field> {
    /// The block of its last commitment, once it is known.
    pub(super) last: Option<usize>,
    /// The coefficients of its polynomials, by then.
    pub(super) coefficients: usize,
    /// Products, as far as tasks have computed them.
    products: Vec<Products<E>>,
    computing: Tasks<Products<E>>,
    pub(super) polynomials: Pending<E>,
}

/// A₀ and A₁ of some products.
pub(super) struct Products<E: Field> {
    constant: Zeroizing<Vec<E>>,
    linear: Zeroizing<Vec<E>>,
}

impl<E: Field> Default for Products<E> {
    fn default() -> Self {
        Self { constant: Zeroizing::default(), linear: Zeroizing::default() }
    }
}

impl<E: Field> Products<E> {
    /// Those of some slots.
    fn compute<B: Field>(&mut self, arch: Arch, triples: &[Triple<Tagged<B, E>>])
    where
        E: MacField<B>,
    {
        for elements in [&mut self.constant, &mut self.linear] {
            if elements.capacity() < triples.len() {
                // What has to move would leave a copy behind.
                *elements = Zeroizing::new(Vec::with_capacity(triples.len()));
            }
            elements.resize(triples.len(), E::ZERO);
        }
        E::products(arch, triples, &mut self.constant, &mut self.linear);
    }

    /// Σ χ·A₀ and Σ χ·A₁ with the coefficients of `seed` from number `first` on.
    fn weigh<B: Field>(&self, arch: Arch, seed: Seed, first: u64) -> Zeroizing<[E; 2]>
    where
        E: MacField<B>,
    {
        let mut coefficients = Coefficients::<B>::new(arch, seed).from::<E>(first);
        let mut chi = [E::ZERO; SLOTS];
        let mut weighed = Zeroizing::new([E::ZERO; 2]);
        for (constant, linear) in self.constant.chunks(SLOTS).zip(self.linear.chunks(SLOTS)) {
            let chi = &mut chi[..constant.len()];
            coefficients.fill(arch, chi);
            weighed[0] += E::dot(arch, chi, constant);
            weighed[1] += E::dot(arch, chi, linear);
        }
        weighed
    }
}

impl<E: Field> Default for Batch<E> {
    fn default() -> Self {
        Self {
            last: None,
            coefficients: 0,
            products: Vec::new(),
            computing: Tasks::default(),
            polynomials: Pending::default(),
        }
    }
}

impl<E: Field> Batch<E> {
    /// Adds the products of the slots that were used of some memory, which is spare then.
    pub(super) fn extend<B: Field>(
        &mut self,
        (arch, pool): (Arch, &Pool),
        (used, memory): (usize, Memory<Tagged<B, E>>),
        spare: &Spare<Memory<Tagged<B, E>>>,
        mut products: Products<E>,
    ) where
        E: MacField<B>,
    {
        let spare = spare.clone();
        self.computing.push(pool.run(move || {
            products.compute(arch, &memory[..used]);
            spare.give(memory);
            products
        }));
        self.gather(pool.ahead());
    }

    fn gather(&mut self, ahead: usize) {
        while let Some(products) = self.computing.next_beyond(ahead) {
            self.products.push(products);
        }
    }

    /// Has all weighed with the coefficients of two seeds, for products and for polynomials, and adds what is
    /// there to `sums`; is empty again.
    pub(super) fn weigh<B: Field>(
        &mut self,
        (arch, pool): (Arch, &Pool),
        [seed, polynomials]: [Seed; 2],
        weighing: &mut Weighing<Products<E>, E>,
        sums: &mut Sums<E>,
    ) where
        E: MacField<B>,
    {
        self.gather(0);
        let mut first = 0;
        for products in self.products.drain(..) {
            let count = products.constant.len();
            weighing.begin(pool, (count, products), move |products| products.weigh::<B>(arch, seed, first));
            // Where sections end early, the rest of a block of coefficients stays unused.
            first += count.next_multiple_of(2) as u64;
            while let Some(weighed) = weighing.next_beyond(pool.ahead()) {
                sums.add(&weighed);
            }
        }
        let mut coefficients = Coefficients::<B>::new(arch, polynomials);
        self.polynomials.weigh::<B>(arch, |chi| coefficients.fill(arch, chi), sums);
        (self.last, self.coefficients) = (None, 0);
    }
}
