//! Products of a batch that the prover keeps until its challenge is drawn.

#[cfg(test)]
mod tests;

use crate::TILE;
use crate::arithmetic::SLOTS;
use crate::polynomial::{MOST, Pending, Sums};
use crate::slots::{Memory, Triple, Weighing};
use core::mem;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Spare, Tasks};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::{Field, MacField};
use volery_vole::vole::subfield::Coefficients;
use zeroize::Zeroizing;

/// The coefficients of polynomials beyond which a batch waits for no other thread.
const MANY: usize = 4 * MOST;

/// The products and the polynomials of a batch.
pub(super) struct Batch<E: Field> {
    /// The block of the batch's last commitment, once it is known.
    pub(super) last: Option<usize>,
    /// Products, as far as tasks have computed them.
    products: Vec<Products<E>>,
    computing: Tasks<Products<E>>,
    /// Memory of products that were appended to others.
    spare: Vec<Products<E>>,
    /// The number of the next product's coefficient.
    next: usize,
    /// Products that are zero whatever was committed to, and not kept.
    zero: u64,
    /// Products that a device keeps, turn by turn.
    pub(super) on_device: Vec<OnDevice>,
    pub(super) polynomials: Pending<E>,
}

/// The products of a turn that a device keeps.
pub(super) struct OnDevice {
    /// The number of the first product's coefficient in its batch.
    pub(super) first: usize,
    pub(super) count: usize,
}

/// A₀ and A₁ of products, a place for each coefficient. The place of an unused coefficient holds zero.
pub(super) struct Products<E: Field> {
    /// The number of products.
    count: usize,
    /// The number of the first product's coefficient in its batch.
    first: usize,
    constant: Zeroizing<Vec<E>>,
    linear: Zeroizing<Vec<E>>,
}

impl<E: Field> Default for Products<E> {
    fn default() -> Self {
        Self { count: 0, first: 0, constant: Zeroizing::default(), linear: Zeroizing::default() }
    }
}

impl<E: Field> Products<E> {
    /// Computes the products of some slots.
    fn compute<B: Field>(&mut self, arch: Arch, triples: &[Triple<E::Tag>])
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

    /// Begins the products of `shares` shares, one after the other; those of inputs are zero.
    pub(super) fn begin<B: Field>(&mut self, arch: Arch, shares: usize) -> Columns<'_, B, E>
    where
        E: MacField<B>,
    {
        for elements in [&mut self.constant, &mut self.linear] {
            if elements.capacity() < shares {
                // What has to move would leave a copy behind.
                *elements = Zeroizing::new(Vec::with_capacity(shares));
            }
            // Each is written when it is made.
            elements.resize(shares, E::ZERO);
        }
        self.count = shares;
        Columns { arch, triples: Zeroizing::new(Vec::with_capacity(TILE)), at: 0, products: self }
    }

    /// Appends other products, if there is room for them and for the unused coefficients in between. Sections
    /// of very short turns have few each.
    fn has_taken(&mut self, others: &Self) -> bool {
        let first = others.first - self.first;
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

    /// The random linear combinations Σ χ·A₀ and Σ χ·A₁, with coefficients from `seed`.
    fn weigh<B: Field>(&self, arch: Arch, seed: Seed) -> Zeroizing<[E; 2]>
    where
        E: MacField<B>,
    {
        let mut coefficients = Coefficients::<B>::new(arch, seed).from::<E>(self.first as u64);
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

/// Products that are computed as they are made, column by column.
pub(super) struct Columns<'p, B: Field, E: MacField<B>> {
    arch: Arch,
    products: &'p mut Products<E>,
    /// The products that are computed.
    at: usize,
    triples: Zeroizing<Vec<Triple<E::Tag>>>,
}

impl<B: Field, E: MacField<B>> Columns<'_, B, E> {
    /// Computes the next products, or leaves those of inputs zero.
    pub(super) fn add(&mut self, factors: Option<[&[E::Tag]; 2]>, made: &[E::Tag]) {
        let Products { constant, linear, .. } = &mut *self.products;
        let Some([a, b]) = factors else {
            let places = self.at..self.at + made.len();
            self.at = places.end;
            constant[places.clone()].fill(E::ZERO);
            linear[places].fill(E::ZERO);
            return;
        };
        for ((a, b), made) in a.chunks(TILE).zip(b.chunks(TILE)).zip(made.chunks(TILE)) {
            let places = self.at..self.at + made.len();
            let products = (&mut constant[places.clone()], &mut linear[places]);
            E::column_products(self.arch, [a, b, made], products, &mut self.triples);
            self.at += made.len();
        }
    }
}

impl<E: Field> Default for Batch<E> {
    fn default() -> Self {
        Self {
            last: None,
            products: Vec::new(),
            computing: Tasks::default(),
            spare: Vec::new(),
            next: 0,
            zero: 0,
            on_device: Vec::new(),
            polynomials: Pending::default(),
        }
    }
}

impl<E: Field> Batch<E> {
    /// Adds the products of used slots. Their memory is spare afterwards.
    pub(super) fn extend<B: Field>(
        &mut self,
        (arch, pool): (Arch, &Pool),
        (used, memory): (usize, Memory<E::Tag>),
        spare: &Spare<Memory<E::Tag>>,
        mut products: Products<E>,
    ) where
        E: MacField<B>,
    {
        let spare = spare.clone();
        products.first = self.number(used);
        self.computing.push(pool.run(move || {
            products.compute(arch, &memory[..used]);
            spare.give(memory);
            products
        }));
        self.gather(pool.ahead());
    }

    /// Adds products that are computed already.
    pub(super) fn append(&mut self, mut products: Products<E>) {
        // Those before come first.
        self.gather(0);
        products.first = self.number(products.count);
        self.products.push(products);
    }

    /// Adds products that a device keeps.
    pub(super) fn leave_on_device(&mut self, count: usize) {
        let first = self.number(count);
        self.on_device.push(OnDevice { first, count });
    }

    /// Takes A₀ and A₁ of the products that a device has kept, by `take`.
    pub(super) fn take_from_device(
        &mut self,
        mut take: impl FnMut() -> Result<[Zeroizing<Vec<E>>; 2]>,
    ) -> Result<()> {
        for OnDevice { first, count } in mem::take(&mut self.on_device) {
            let [constant, linear] = take()?;
            self.products.push(Products { count, first, constant, linear });
        }
        Ok(())
    }

    /// Skips the coefficients of `count` products that are zero whatever was committed to.
    pub(super) fn pass_over(&mut self, count: usize) {
        self.number(count);
        self.zero += count as u64;
    }

    /// Takes the numbers of `count` coefficients, and gives the first.
    fn number(&mut self, count: usize) -> usize {
        let first = self.next;
        // Where sections end early, the rest of a block of coefficients stays unused.
        self.next += count.next_multiple_of(2);
        first
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

    /// Combines everything under the coefficients of two seeds, one for products and one for polynomials,
    /// adds finished sums to `sums`, and empties the batch.
    pub(super) fn weigh<B: Field>(
        &mut self,
        (arch, pool): (Arch, &Pool),
        [seed, of_polynomials]: [Seed; 2],
        (weighing, polynomials): (&mut Weighing<Products<E>, E>, &mut Tasks<Sums<E>>),
        sums: &mut Sums<E>,
    ) where
        E: MacField<B>,
    {
        self.gather(0);
        weighing.pass_over(mem::take(&mut self.zero));
        for products in self.products.drain(..) {
            weighing.begin(pool, (products.count, products), move |products| products.weigh::<B>(arch, seed));
            while let Some(weighed) = weighing.next_beyond(pool.ahead()) {
                sums.add(&weighed);
            }
        }
        let coefficients = self.polynomials.coefficients();
        if !self.polynomials.is_empty() {
            let mut pending = mem::take(&mut self.polynomials);
            polynomials.push(pool.run(move || {
                let (mut chi, mut sums) = (Coefficients::<B>::new(arch, of_polynomials), Sums::default());
                pending.weigh::<B>(arch, |coefficients| chi.fill(arch, coefficients), &mut sums);
                sums
            }));
        }
        // Those of one batch may wait for another thread, unless it is that of an epoch's end, whose are many.
        let ahead = if coefficients > MANY { 0 } else { pool.ahead().min(1) };
        while let Some(weighed) = polynomials.next_beyond(ahead) {
            sums.add_all(&weighed);
        }
        (self.last, self.next) = (None, 0);
    }
}
