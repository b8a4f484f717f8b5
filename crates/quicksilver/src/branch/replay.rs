//! Running a clause over the tape: the two backends.

use crate::TILE;
use crate::polynomial::{KeyVectors, Keys, TagVectors, Vector};
use crate::slots::{Memory, Triple};
use core::fmt::Display;
use core::iter;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::stream::{Arithmetic as _, Executor, Vectors};
use volery_circuit::{Backend, Entries, Matrix, Polynomials, Scans, assert_entries};
use volery_primitives::arch::{Arch, prover_sums, verifier_sums};
use volery_primitives::lanes::Lanes;
use volery_primitives::prg::Seed;
use volery_primitives::{Extension as _, F128, Field, MacField, Tag as _};
use volery_proof::clauses::other_than_counted;
use volery_vole::macs::{BitMacs, FieldMacs, Macs};
use zeroize::Zeroizing;

/// How clauses are run over values under such MACs.
pub trait Replayed: Macs<Tag: Sync> {
    /// Σ χ·m_a·m_b, Σ χ·(w_a·m_b + w_b·m_a − m_c), Σ χ·(w_a·w_b − w_c): the prover's side of products that may
    /// be wrong.
    fn owed(arch: Arch, chi: &[Self::E], triples: &[Triple<Self::Tag>]) -> Zeroizing<[Self::E; 3]>;
    /// Σ χ·k_a·k_b and Σ χ·k_c: the verifier's side of products that may be wrong.
    fn owed_keys(arch: Arch, chi: &[Self::E], triples: &[Triple<Self::E>]) -> Zeroizing<[Self::E; 2]>;
}

impl Replayed for BitMacs {
    fn owed(arch: Arch, chi: &[F128], triples: &[Triple<F128>]) -> Zeroizing<[F128; 3]> {
        let (constant, linear) = prover_sums(arch, chi, triples);
        let wrong = chi
            .iter()
            .zip(triples)
            .fold(F128::ZERO, |sum, (chi, [a, b, c])| sum + chi.scale(a.bit0() * b.bit0() + c.bit0()));
        Zeroizing::new([constant, linear, wrong])
    }
    fn owed_keys(arch: Arch, chi: &[F128], triples: &[Triple<F128>]) -> Zeroizing<[F128; 2]> {
        Zeroizing::new(verifier_sums(arch, chi, triples).into())
    }
}

impl<B: Field, E: MacField<B>> Replayed for FieldMacs<B, E> {
    fn owed(arch: Arch, chi: &[E], triples: &[Triple<E::Tag>]) -> Zeroizing<[E; 3]> {
        let mut of_each = Zeroizing::new([[E::ZERO; TILE]; 2]);
        let mut wrong = Zeroizing::new([B::ZERO; TILE]);
        let [constant, linear] = of_each.each_mut().map(|elements| &mut elements[..triples.len()]);
        let wrong = &mut wrong[..triples.len()];
        E::products(arch, triples, constant, linear);
        for (wrong, [a, b, c]) in wrong.iter_mut().zip(triples) {
            *wrong = a.value() * b.value() - c.value();
        }
        let highest = E::combine(arch, wrong, chi);
        Zeroizing::new([E::dot(arch, chi, constant), E::dot(arch, chi, linear), highest])
    }
    fn owed_keys(arch: Arch, chi: &[E], triples: &[Triple<E>]) -> Zeroizing<[E; 2]> {
        Zeroizing::new(E::verifier_sums(arch, chi, triples).into())
    }
}

/// The state of a party that runs clauses: the tape, and the products and assertions that are not combined
/// yet.
struct Tape<'t, W: zeroize::DefaultIsZeroes, E> {
    arch: Arch,
    slots: &'t [W],
    next: usize,
    /// Seeds of coefficients: of products, and of all else.
    seeds: [Seed; 2],
    chi: [Coefficients<E>; 2],
    triples: Memory<W>,
    used: usize,
    /// Wires asserted to be zero that are not combined yet.
    asserted: Zeroizing<Vec<W>>,
}

type Coefficients<E> = Box<dyn FnMut(&mut [E])>;

impl<'t, W: zeroize::DefaultIsZeroes, E: Field> Tape<'t, W, E> {
    fn new<M: Macs<E = E>>(arch: Arch, seeds: [Seed; 2]) -> Self {
        let triples = Zeroizing::new(vec![[W::default(); 3]; TILE]);
        let chi = seeds.map(|seed| coefficients::<M>(arch, seed));
        let asserted = Zeroizing::new(Vec::with_capacity(TILE));
        Self { arch, slots: &[], next: 0, seeds, chi, triples, used: 0, asserted }
    }

    /// Starts over, on the tape `slots`.
    fn rewind<M: Macs<E = E>>(&mut self, slots: &'t [W]) {
        self.slots = slots;
        self.chi = self.seeds.map(|seed| coefficients::<M>(self.arch, seed));
        (self.next, self.used) = (0, 0);
        self.asserted.clear();
    }

    #[inline(always)]
    fn slot(&mut self) -> Result<W> {
        let Some(&slot) = self.slots.get(self.next) else { return Err(other_than_counted()) };
        self.next += 1;
        Ok(slot)
    }

    fn slots(&mut self, count: usize) -> Result<Vec<W>> {
        let slots = &self.slots[self.next..];
        let Some(slots) = slots.get(..count) else { return Err(other_than_counted()) };
        self.next += count;
        Ok(slots.to_vec())
    }

    /// Notes a product, and says whether the buffer of products is full.
    #[inline(always)]
    fn product(&mut self, a: W, b: W) -> Result<(W, bool)> {
        let c = self.slot()?;
        self.triples[self.used] = [a, b, c];
        self.used += 1;
        Ok((c, self.used == TILE))
    }

    /// Takes the noted products, and draws their coefficients.
    fn noted(&mut self, chi: &mut [E; TILE]) -> &[Triple<W>] {
        let used = core::mem::take(&mut self.used);
        (self.chi[0])(&mut chi[..used]);
        &self.triples[..used]
    }

    /// Notes a wire asserted to be zero, and says whether the buffer of these is full.
    fn assert(&mut self, wire: W) -> bool {
        self.asserted.push(wire);
        self.asserted.len() == TILE
    }

    /// Coefficients for `lanes` polynomials.
    fn others(&mut self, lanes: usize) -> Vec<E> {
        let mut chi = vec![E::ZERO; lanes];
        (self.chi[1])(&mut chi);
        chi
    }
}

fn coefficients<M: Macs>(arch: Arch, seed: Seed) -> Coefficients<M::E> {
    Box::new(M::coefficients(arch, seed))
}

/// The prover's side: runs clauses over the tape, and has the polynomial of each.
pub struct Replay<'t, M: Macs> {
    tape: Tape<'t, M::Tag, M::E>,
    /// Σ χ·(polynomial asserted to be zero), one sum for each degree h: h + 1 coefficients, the lowest first.
    of_degree: Vec<Zeroizing<Vec<M::E>>>,
    degree: usize,
    vectors: TagVectors<M>,
}

impl<'t, M: Replayed> Replay<'t, M> {
    /// A prover's replay for clauses of this degree.
    pub fn new(arch: Arch, seeds: [Seed; 2], degree: usize) -> Self {
        let of_degree = (0..=degree).map(|degree| Zeroizing::new(vec![M::E::ZERO; degree + 1])).collect();
        Self { tape: Tape::new::<M>(arch, seeds), of_degree, degree, vectors: TagVectors::new(arch) }
    }

    /// The polynomial p of a clause over `tape`, which `run` pushes, and which commits to `count` values.
    pub fn polynomial(
        &mut self,
        tape: &'t [M::Tag],
        slots: u64,
        run: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Zeroizing<Vec<M::E>>> {
        self.tape.rewind::<M>(tape);
        self.of_degree.iter_mut().for_each(|sums| sums.fill(M::E::ZERO));
        run(self)?;
        if self.tape.next as u64 != slots {
            return Err(other_than_counted());
        }
        self.weigh();
        self.weigh_asserted();
        let mut all = Zeroizing::new(vec![M::E::ZERO; self.degree + 1]);
        for (degree, sums) in self.of_degree.iter().enumerate() {
            let raised = &mut all[self.degree - degree..];
            raised.iter_mut().zip(&**sums).for_each(|(all, sum)| *all += *sum);
        }
        Ok(all)
    }

    /// Adds the noted products to the combination.
    #[inline(never)]
    fn weigh(&mut self) {
        let mut chi = [M::E::ZERO; TILE];
        let arch = self.tape.arch;
        let triples = self.tape.noted(&mut chi);
        let owed = M::owed(arch, &chi[..triples.len()], triples);
        self.of_degree[2].iter_mut().zip(&*owed).for_each(|(sum, owed)| *sum += *owed);
    }

    /// Adds the noted assertions to the combination.
    fn weigh_asserted(&mut self) {
        let chi = self.tape.others(self.tape.asserted.len());
        let owed = M::combine(self.tape.arch, &chi, &self.tape.asserted);
        self.of_degree[1][0] += owed.mac;
        self.of_degree[1][1] += owed.value;
        self.tape.asserted.clear();
    }

    /// Adds polynomials asserted to be zero to the combination, at degree 1 or more.
    fn owe(&mut self, vector: &Vector<M::F, M::E>, minus: Option<&[M::Tag]>) -> Result<()> {
        self.weigh_asserted();
        let (arch, values) = (self.tape.arch, vector.values());
        let lanes = values.len();
        let chi = self.tape.others(lanes);
        let mut highest: M::E = M::E::combine(arch, values, &chi);
        let lower = match minus {
            None => vector.clone().into_lower(),
            Some(tags) => {
                let values: Vec<_> = tags.iter().map(|tag| M::value(*tag)).collect();
                highest -= M::E::combine(arch, &Zeroizing::new(values), &chi);
                vector.clone().into_lower_minus(tags.iter().map(|tag| M::mac(*tag)))
            }
        };
        let weighed = lower.powers().map(|coefficients| M::E::dot(arch, &chi, coefficients));
        let weighed = Zeroizing::new(weighed.chain(iter::once(highest)).collect::<Vec<_>>());
        let Some(sums) = self.of_degree.get_mut(lower.degree()) else { return Err(other_than_counted()) };
        sums.iter_mut().zip(&*weighed).for_each(|(sum, weighed)| *sum += *weighed);
        Ok(())
    }
}

/// The verifier's side: runs clauses over the keys of the tape, and has the value at Δ of each.
pub struct KeyReplay<'t, M: Macs> {
    tape: Tape<'t, M::E, M::E>,
    /// The key of the public value one.
    one: Zeroizing<M::E>,
    /// Σ χ·(polynomial asserted to be zero) at Δ, one sum for each degree.
    of_degree: Zeroizing<Vec<M::E>>,
    vectors: KeyVectors<M>,
}

impl<'t, M: Replayed> KeyReplay<'t, M> {
    /// A verifier's replay under `delta`, for clauses of this degree.
    pub fn new(arch: Arch, seeds: [Seed; 2], [delta, one]: [M::E; 2], degree: usize) -> Self {
        Self {
            tape: Tape::new::<M>(arch, seeds),
            one: Zeroizing::new(one),
            of_degree: Zeroizing::new(vec![M::E::ZERO; degree + 1]),
            vectors: KeyVectors::new(arch, Arc::new(Zeroizing::new(delta))),
        }
    }

    /// p(Δ) of a clause over `tape`, which `run` pushes, and which commits to `count` values.
    pub fn polynomial(
        &mut self,
        tape: &'t [M::E],
        slots: u64,
        run: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Zeroizing<M::E>> {
        self.tape.rewind::<M>(tape);
        self.of_degree.fill(M::E::ZERO);
        run(self)?;
        if self.tape.next as u64 != slots {
            return Err(other_than_counted());
        }
        self.weigh();
        self.weigh_asserted();
        let raised = self.of_degree.iter().fold(M::E::ZERO, |all, sum| all * **self.vectors.delta + *sum);
        Ok(Zeroizing::new(raised))
    }

    /// Adds the noted products to the combination.
    #[inline(never)]
    fn weigh(&mut self) {
        let mut chi = [M::E::ZERO; TILE];
        let arch = self.tape.arch;
        let triples = self.tape.noted(&mut chi);
        let owed = M::owed_keys(arch, &chi[..triples.len()], triples);
        self.of_degree[2] += owed[0] - owed[1] * **self.vectors.delta;
    }

    /// Adds the noted assertions to the combination.
    fn weigh_asserted(&mut self) {
        let chi = self.tape.others(self.tape.asserted.len());
        self.of_degree[1] += M::E::dot(self.tape.arch, &chi, &self.tape.asserted);
        self.tape.asserted.clear();
    }

    /// Adds polynomials asserted to be zero to the combination, at degree 1 or more.
    fn owe(&mut self, keys: Keys<M::E>) -> Result<()> {
        self.weigh_asserted();
        let chi = self.tape.others(keys.lanes());
        let Some(sum) = self.of_degree.get_mut(keys.degree()) else { return Err(other_than_counted()) };
        *sum += keys.weighed::<M::F>(self.tape.arch, &chi);
        Ok(())
    }
}

impl<M: Replayed> Backend for Replay<'_, M> {
    type F = M::F;
    type Wire = M::Tag;

    #[inline(always)]
    fn constant(&mut self, c: M::F) -> M::Tag {
        M::constant(c)
    }
    #[inline(always)]
    fn add(&mut self, a: M::Tag, b: M::Tag) -> M::Tag {
        a + b
    }
    #[inline(always)]
    fn scale(&mut self, a: M::Tag, c: M::F) -> M::Tag {
        M::scale(a, c)
    }
    fn witness(&mut self) -> Result<M::Tag> {
        self.tape.slot()
    }
    fn hint(&mut self, _: &[M::Tag], _: impl Fn(&[M::F]) -> M::F + Send + Sync + 'static) -> Result<M::Tag> {
        self.tape.slot()
    }
    fn hints(
        &mut self,
        _: &[M::Tag],
        count: usize,
        _: impl Fn(&[M::F]) -> Vec<M::F> + Send + Sync + 'static,
    ) -> Result<Vec<M::Tag>> {
        self.tape.slots(count)
    }
    fn linear(&mut self, factors: &[M::F], wires: &[M::Tag]) -> M::Tag {
        M::linear(self.tape.arch, factors, wires)
    }
    #[inline(always)]
    fn mul(&mut self, a: M::Tag, b: M::Tag) -> Result<M::Tag> {
        let (c, full) = self.tape.product(a, b)?;
        if full {
            self.weigh();
        }
        Ok(c)
    }
    fn assert_zero(&mut self, a: M::Tag, _: impl Display) -> Result<()> {
        if self.tape.assert(a) {
            self.weigh_asserted();
        }
        Ok(())
    }
}

impl<M: Replayed> Backend for KeyReplay<'_, M> {
    type F = M::F;
    type Wire = M::E;

    #[inline(always)]
    fn constant(&mut self, c: M::F) -> M::E {
        self.one.scale(c)
    }
    #[inline(always)]
    fn add(&mut self, a: M::E, b: M::E) -> M::E {
        a + b
    }
    #[inline(always)]
    fn scale(&mut self, a: M::E, c: M::F) -> M::E {
        a.scale(c)
    }
    fn witness(&mut self) -> Result<M::E> {
        self.tape.slot()
    }
    fn hint(&mut self, _: &[M::E], _: impl Fn(&[M::F]) -> M::F + Send + Sync + 'static) -> Result<M::E> {
        self.tape.slot()
    }
    fn hints(
        &mut self,
        _: &[M::E],
        count: usize,
        _: impl Fn(&[M::F]) -> Vec<M::F> + Send + Sync + 'static,
    ) -> Result<Vec<M::E>> {
        self.tape.slots(count)
    }
    fn linear(&mut self, factors: &[M::F], wires: &[M::E]) -> M::E {
        M::E::combine(self.tape.arch, factors, wires)
    }
    #[inline(always)]
    fn mul(&mut self, a: M::E, b: M::E) -> Result<M::E> {
        let (c, full) = self.tape.product(a, b)?;
        if full {
            self.weigh();
        }
        Ok(c)
    }
    fn assert_zero(&mut self, a: M::E, _: impl Display) -> Result<()> {
        if self.tape.assert(a) {
            self.weigh_asserted();
        }
        Ok(())
    }
}

impl<M: Replayed> Executor for Replay<'_, M> {
    type Beyond = Vectors<Self>;
}

impl<M: Replayed> Executor for KeyReplay<'_, M> {
    type Beyond = Vectors<Self>;
}

impl<M: Replayed> Scans for Replay<'_, M> {}
impl<M: Replayed> Scans for KeyReplay<'_, M> {}

impl<M: Replayed> Polynomials for Replay<'_, M> {
    type Vector = Vector<M::F, M::E>;

    fn lanes_of(&self, a: &Self::Vector) -> usize {
        a.values().len()
    }
    fn public(&mut self, values: &[M::F]) -> Self::Vector {
        self.vectors.public(values)
    }
    fn vector(&mut self, wires: &[M::Tag]) -> Self::Vector {
        self.vectors.vector(wires)
    }
    fn sum(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        self.vectors.sum(a, b)
    }
    fn product(&mut self, a: &Self::Vector, b: &Self::Vector) -> Result<Self::Vector> {
        self.vectors.product(a, b)
    }
    fn combination(
        &mut self,
        products: &[(&Self::Vector, &Self::Vector)],
        terms: &[(M::F, &Self::Vector)],
        constant: M::F,
    ) -> Result<Self::Vector> {
        self.vectors.combination(products, terms, constant)
    }
    fn gather(&mut self, a: &Self::Vector, lanes: &[Option<usize>]) -> Self::Vector {
        self.vectors.gather(a, lanes)
    }
    fn total(&mut self, a: &Self::Vector) -> Self::Vector {
        self.vectors.total(a)
    }
    fn inner_product(&mut self, a: &[M::Tag], b: &[M::Tag]) -> Result<Self::Vector> {
        self.vectors.inner_product(a, b)
    }
    fn commit(&mut self, a: &Self::Vector) -> Result<Vec<M::Tag>> {
        let wires = self.tape.slots(a.values().len())?;
        self.owe(a, Some(&wires))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Self::Vector, _: impl Display) -> Result<()> {
        self.owe(&a, None)
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<M::Tag>,
        b: Matrix<M::Tag>,
        c: Entries<M::F, M::Tag>,
        name: impl Display,
    ) -> Result<()> {
        assert_entries(self, a, b, c, &name)
    }
}

impl<M: Replayed> Polynomials for KeyReplay<'_, M> {
    type Vector = Keys<M::E>;

    fn lanes_of(&self, a: &Keys<M::E>) -> usize {
        a.lanes()
    }
    fn public(&mut self, values: &[M::F]) -> Self::Vector {
        self.vectors.public(values)
    }
    fn vector(&mut self, wires: &[M::E]) -> Self::Vector {
        self.vectors.vector(wires)
    }
    fn sum(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        self.vectors.sum(a, b)
    }
    fn product(&mut self, a: &Self::Vector, b: &Self::Vector) -> Result<Self::Vector> {
        self.vectors.product(a, b)
    }
    fn combination(
        &mut self,
        products: &[(&Self::Vector, &Self::Vector)],
        terms: &[(M::F, &Self::Vector)],
        constant: M::F,
    ) -> Result<Self::Vector> {
        self.vectors.combination(products, terms, constant)
    }
    fn gather(&mut self, a: &Self::Vector, lanes: &[Option<usize>]) -> Self::Vector {
        self.vectors.gather(a, lanes)
    }
    fn total(&mut self, a: &Self::Vector) -> Self::Vector {
        self.vectors.total(a)
    }
    fn inner_product(&mut self, a: &[M::E], b: &[M::E]) -> Result<Self::Vector> {
        self.vectors.inner_product(a, b)
    }
    fn commit(&mut self, a: &Keys<M::E>) -> Result<Vec<M::E>> {
        let wires = self.tape.slots(a.lanes())?;
        self.owe(a.clone().minus(**self.vectors.delta, wires.iter().copied()))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Keys<M::E>, _: impl Display) -> Result<()> {
        self.owe(a.raised(**self.vectors.delta))
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<M::E>,
        b: Matrix<M::E>,
        c: Entries<M::F, M::E>,
        name: impl Display,
    ) -> Result<()> {
        assert_entries(self, a, b, c, &name)
    }
}
