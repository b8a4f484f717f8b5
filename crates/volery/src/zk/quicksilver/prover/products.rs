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
    /// Memory of some that were added to others.
    spare: Vec<Products<E>>,
    pub(super) polynomials: Pending<E>,
}

/// A₀ and A₁ of some products, one to each coefficient: zero where a coefficient stays unused.
pub(super) struct Products<E: Field> {
    /// How many they are.
    count: usize,
    constant: Zeroizing<Vec<E>>,
    linear: Zeroizing<Vec<E>>,
}

impl<E: Field> Default for Products<E> {
    fn default() -> Self {
        Self { count: 0, constant: Zeroizing::default(), linear: Zeroizing::default() }
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
                *elements = Zeroizing::new(Vec::with_capacity(triples.len().max(SLOTS)));
            }
            elements.resize(triples.len(), E::ZERO);
        }
        self.count = triples.len();
        E::products(arch, triples, &mut self.constant, &mut self.linear);
    }

    /// Adds others behind these, if there is room for them: sections of very short turns have few each.
    fn has_taken(&mut self, others: &Self) -> bool {
        // Where sections end early, the rest of a block of coefficients stays unused.
        let first = self.constant.len().next_multiple_of(2);
        if self.constant.capacity().min(self.linear.capacity()) < first + others.constant.len() {
            return false;
        }
        for (elements, others) in [(&mut self.constant, &others.constant), (&mut self.linear, &others.linear)]
        {
            elements.resize(first, E::ZERO);
            elements.extend_from_slice(others);
        }
        self.count += others.count;
        true
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
            spare: Vec::new(),
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
            if self.products.last_mut().is_some_and(|last| last.has_taken(&products)) {
                self.spare.push(products);
            } else {
                self.products.push(products);
            }
        }
    }

    /// Memory that is free to use, if there is any.
    pub(super) fn spare(&mut self) -> Option<Products<E>> {
        self.spare.pop()
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
            let (count, coefficients) = (products.count, products.constant.len().next_multiple_of(2));
            weighing.begin(pool, (count, products), move |products| products.weigh::<B>(arch, seed, first));
            first += coefficients as u64;
            while let Some(weighed) = weighing.next_beyond(pool.ahead()) {
                sums.add(&weighed);
            }
        }
        let mut coefficients = Coefficients::<B>::new(arch, polynomials);
        self.polynomials.weigh::<B>(arch, |chi| coefficients.fill(arch, chi), sums);
        (self.last, self.coefficients) = (None, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::F61;

    /// Products of very short turns lie together, each under the coefficient that it has alone.
    #[test]
    fn short_turns_share_memory() {
        let (arch, pool) = (Arch::detect(), Pool::ALONE);
        let wire = |i: u64| Tagged { value: F61::new(3 + i), mac: F61::new(5 + i * i) };
        let spare = Spare::default();
        let (mut batch, mut alone) = (Batch::<F61>::default(), Vec::new());
        let (turns, seed) = (3000, Seed::from(volery_primitives::F128(7)));
        let mut committed = 0;
        for turn in 0..turns {
            let count = 1 + turn % 3;
            let slots: Vec<_> =
                (0..count as u64).map(|i| [wire(i), wire(i + 1), wire(turn as u64)]).collect();
            let mut products = Products::default();
            products.compute(arch, &slots);
            alone.push(products);
            let products = batch.spare().unwrap_or_default();
            batch.extend((arch, &pool), (count, Zeroizing::new(slots)), &spare, products);
            committed += count as u64;
        }
        batch.gather(0);
        assert!(batch.products.len() <= (turns * 8 / 3).div_ceil(SLOTS) + 1, "{}", batch.products.len());
        let (mut weighing, mut sums) = (Weighing::default(), Sums::default());
        batch.weigh::<F61>((arch, &pool), [seed, seed], &mut weighing, &mut sums);
        while let Some(weighed) = weighing.last(committed) {
            sums.add(&weighed);
        }
        let (mut first, mut expected) = (0, Sums::default());
        for products in alone {
            expected.add(&*products.weigh::<F61>(arch, seed, first));
            first += products.count.next_multiple_of(2) as u64;
        }
        let zeroes = [F61::ZERO; 2];
        assert_eq!(sums.masked(&zeroes), expected.masked(&zeroes));
    }
}
