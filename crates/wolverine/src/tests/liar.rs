//! A prover that lies as it is told: made from the parts of the protocol, without what keeps
//! the honest one from it.

use super::*;
use crate::interpolation::{At, Packed, further};
use crate::opening::{Opening, Pairs, open};
use crate::rows::{Source, Tiles};
use core::fmt::Display;
use core::mem;
use volery_primitives::Tagged;
use volery_proof::openings::Openings;
use volery_proof::verdict::section;
use volery_vole::vole::Vole;

/// A message before whose last part a challenge can be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Before {
    /// Corrections: that of the check.
    Corrections,
    /// Corrections of further values: that of the check.
    Further,
    /// d: that of the check.
    Triples,
    /// δ_α: that of the opening.
    Left,
    /// δ_β: that of the opening.
    Right,
}

/// Errors that are added to values, by their numbers in the statement.
pub(super) struct Lies<M: Macs> {
    /// Errors of products.
    pub(super) products: Vec<(usize, M::F)>,
    /// Errors of further values.
    pub(super) further: Vec<(usize, M::F)>,
    /// Errors of the products of triples.
    pub(super) triples: Vec<(usize, M::F)>,
    /// Errors of the products of triples over the extension.
    pub(super) packed: Vec<(usize, M::E)>,
    /// Errors of δ_α.
    pub(super) left: Vec<(usize, M::F)>,
    /// Δ, by which asserted wires open as zero, whatever they are.
    pub(super) delta: Option<M::E>,
    /// The message before which the transcript's challenges are drawn, too early.
    pub(super) early: Option<Before>,
}

impl<M: Macs> Default for Lies<M> {
    fn default() -> Self {
        let (further, triples, left) = (vec![], vec![], vec![]);
        Self { products: vec![], further, triples, packed: vec![], left, delta: None, early: None }
    }
}

/// The error of the value with this number.
fn error<V: Field>(lies: &[(usize, V)], number: usize) -> V {
    lies.iter().filter(|lie| lie.0 == number).map(|lie| lie.1).sum()
}

/// The verdict on such a prover, where the sum is told to be what its products come to.
pub(super) fn cheat<M: Dealt>(
    terms: Terms,
    (circuit, witness): (&Products<M::F>, &[M::F]),
    lies: &Lies<M>,
    seeds: Seeds,
) -> Recorded {
    let circuit = told(circuit, lies);
    // The verifier may be gone already.
    record::<M>(terms, &circuit, seeds, |link| drop(tell(terms, (&circuit, witness), lies, seeds, link)))
}

/// The statement that comes out true.
pub(super) fn told<M: Macs>(circuit: &Products<M::F>, lies: &Lies<M>) -> Products<M::F> {
    Products { n: circuit.n, sum: circuit.sum + lies.products.iter().map(|lie| lie.1).sum() }
}

/// Runs a prover that tells `lies`.
pub(super) fn tell<M: Dealt>(
    terms: Terms,
    (circuit, witness): (&Products<M::F>, &[M::F]),
    lies: &Lies<M>,
    seeds: Seeds,
    link: impl Link + 'static,
) -> Result<()> {
    let mut channel = Channel::new(Party::Prover, link);
    let mut liar = Liar::new(&mut channel, M::prover_end(seeds.dealer), terms, lies, witness);
    circuit.run(&mut liar)?;
    liar.finish()
}

struct Liar<'a, M: Macs> {
    channel: &'a mut Channel,
    source: Source<M::Mac>,
    terms: Terms,
    lies: &'a Lies<M>,
    witness: core::slice::Iter<'a, M::F>,
    section: Vec<M::Tag>,
    corrections: Vec<M::F>,
    /// Shares of the sections of this block.
    sectioned: usize,
    gates: Tiles<M::Tag>,
    openings: Openings,
    /// The challenge that was drawn too early.
    drawn: Option<F128>,
    /// Values of each kind so far; but for products before this block.
    products: usize,
    further: usize,
    triples: usize,
}

impl<'a, M: Macs> Liar<'a, M> {
    fn new(
        channel: &'a mut Channel,
        vole: Box<dyn Vole<Share = M::Mac>>,
        terms: Terms,
        lies: &'a Lies<M>,
        witness: &'a [M::F],
    ) -> Self {
        Self {
            channel,
            source: Source::new(vole),
            terms,
            lies,
            witness: witness.iter(),
            section: vec![],
            corrections: vec![],
            sectioned: 0,
            gates: Tiles::new(),
            openings: Openings::new(ASSERTED),
            drawn: None,
            products: 0,
            further: 0,
            triples: 0,
        }
    }

    fn finish(mut self) -> Result<()> {
        self.end_block()?;
        self.source.check(self.channel)?;
        self.channel.send(&self.openings.digest())?;
        self.channel.flush()
    }

    fn commit(&mut self, value: M::F) -> Result<M::Tag> {
        if self.corrections.len() == self.section.len() {
            self.end_section()?;
            self.section.resize(section(self.sectioned, TILE), M::Tag::default());
            self.source.fill(self.channel, &mut self.section)?;
            self.sectioned += self.section.len();
        }
        let share = self.section[self.corrections.len()];
        self.corrections.push(value - M::value(share));
        Ok(M::corrected(share, value))
    }

    fn end_section(&mut self) -> Result<()> {
        if self.section.is_empty() {
            return Ok(());
        }
        let used = self.corrections.len();
        self.corrections.resize(self.section.len(), M::F::ZERO);
        self.channel.send_elements(&self.corrections)?;
        self.source.give_back(&self.section[used..]);
        self.section.clear();
        self.corrections.clear();
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        let gates = mem::replace(&mut self.gates, Tiles::new());
        self.draw(Before::Corrections, CHECK);
        self.end_section()?;
        self.sectioned = 0;
        match self.terms.by {
            _ if gates.len() == 0 => Ok(()),
            CheckedBy::Interpolation => self.check_groups(&gates),
            _ => self.check_gates(gates),
        }
    }

    fn check_gates(&mut self, gates: Tiles<M::Tag>) -> Result<()> {
        let plan = self.terms.plan(gates.len() as u64);
        let mut rows = vec![[M::Tag::default(); 3]; plan.triples(gates.len() as u64) as usize];
        self.source.fill(self.channel, rows.as_flattened_mut())?;
        let (lies, before) = (self.lies, self.triples);
        let triples = self.make::<M>(&rows, |i| error(&lies.triples, before + i))?;
        let seed = self.seed(!self.terms.one_way, CHECK)?;
        let matching = matching(seed, &self.terms, gates.len());
        self.open::<M>(matching, gates, triples, |i| error(&lies.left, before + i))
    }

    fn check_groups(&mut self, gates: &Tiles<M::Tag>) -> Result<()> {
        let gates: Vec<[M::Tag; 3]> = gates.iter().flat_map(|(_, tile)| tile).copied().collect();
        let groups = gates.len().div_ceil(GROUP);
        let column = |group: &[[M::Tag; 3]], i: usize| group.iter().map(|row| row[i]).collect::<Vec<_>>();
        let mut further_rows = vec![M::Tag::default(); FURTHER * groups];
        self.source.fill(self.channel, &mut further_rows)?;
        let mut corrections = Vec::new();
        for (group, rows) in gates.chunks(GROUP).zip(further_rows.chunks_mut(FURTHER)) {
            for (row, weights) in rows.iter_mut().zip(further::<M::F>()) {
                let [a, b] = [0, 1]
                    .map(|i| M::value(M::linear(Arch::detect(), &weights[..group.len()], &column(group, i))));
                let value = a * b + error(&self.lies.further, self.further);
                corrections.push(value - M::value(*row));
                *row = M::corrected(*row, value);
                self.further += 1;
            }
        }
        self.send_parts::<M>(&corrections, FURTHER * TILE / GROUP, Before::Further, CHECK)?;

        let degree = <M::E as Extension<M::F>>::degree() as usize;
        let mut rows = vec![M::Tag::default(); 3 * degree * groups];
        self.source.fill(self.channel, &mut rows)?;
        let packed: Vec<_> = rows.chunks(degree).map(pack::<M>).collect();
        let (lies, before) = (self.lies, self.triples);
        let triples = self.make::<Packed<M::E>>(packed.as_chunks().0, |i| error(&lies.packed, before + i))?;
        let seed = self.seed(!self.terms.one_way, CHECK)?;
        let (nu, matching) = point_and_matching(seed, groups);
        let At { factors, product } = At::new::<M::F>(nu);
        let mut at_nu = Tiles::new();
        for (group, further) in gates.chunks(GROUP).zip(further_rows.chunks(FURTHER)) {
            let sum =
                |weights: &[M::E], tags: &[M::Tag]| M::combine(Arch::detect(), &weights[..tags.len()], tags);
            let [a, b] = [0, 1].map(|i| sum(&factors, &column(group, i)));
            at_nu.push([a, b, sum(&product, &column(group, 2)) + sum(&product[GROUP..], further)]);
        }
        self.open::<Packed<M::E>>(matching, at_nu, triples, |_| M::E::ZERO)
    }

    /// Triples of these rows, with an error each.
    fn make<L: Values>(
        &mut self,
        rows: &[[L::Tag; 3]],
        error: impl Fn(usize) -> L::F,
    ) -> Result<Tiles<L::Tag>> {
        let mut triples = Tiles::new();
        let mut corrections = Vec::new();
        for (i, &[x, y, z]) in rows.iter().enumerate() {
            let product = L::value(x) * L::value(y) + error(i);
            corrections.push(product - L::value(z));
            triples.push([x, y, L::corrected(z, product)]);
        }
        self.triples += rows.len();
        self.send_parts::<L>(&corrections, TILE, Before::Triples, CHECK)?;
        Ok(triples)
    }

    fn open<L: Values<E = M::E>>(
        &mut self,
        matching: Matching<L::F>,
        mut gates: Tiles<L::Tag>,
        triples: Tiles<L::Tag>,
        error: impl Fn(usize) -> L::F,
    ) -> Result<()> {
        let operands = |[a, b, _]: &[L::Tag; 3]| [L::value(*a), L::value(*b)];
        let of_gates: Vec<_> = gates.iter().flat_map(|(_, tile)| tile).map(operands).collect();
        let [mut left, mut right] = [0; 2].map(|_| vec![L::F::ZERO; triples.len()]);
        for (before, tile) in triples.iter() {
            let range = before..before + tile.len();
            let opened = [&mut left[range.clone()], &mut right[range.clone()]];
            let own: Vec<_> = tile.iter().map(operands).collect();
            open(&matching, &of_gates, &matching.slots[range.clone()], &own, opened);
            range.clone().for_each(|i| left[i] += error(i));
            if range.end == triples.len() {
                self.draw(Before::Left, OPENING);
            }
            self.channel.send_elements(&left[range.clone()])?;
            if range.end == triples.len() {
                self.draw(Before::Right, OPENING);
            }
            self.channel.send_elements(&right[range])?;
        }
        let [_, coin] = self.terms.coins::<M>();
        let seed = self.seed(coin, OPENING)?;
        let mut pairs = Pairs { triples, matching, opened: [left, right] };
        let opening = Opening::<L, _>::new(Arch::detect(), seed, &mut gates, &mut pairs);
        self.channel.send_elements(&[opening.of_tags(&Pool::default())])
    }

    /// Sends `values` by so many at a time.
    fn send_parts<L: Values>(
        &mut self,
        values: &[L::F],
        each: usize,
        before: Before,
        what: &'static str,
    ) -> Result<()> {
        let parts = values.len().div_ceil(each);
        for (i, part) in values.chunks(each).enumerate() {
            if i + 1 == parts {
                self.draw(before, what);
            }
            self.channel.send_elements(part)?;
        }
        Ok(())
    }

    /// Draws a challenge here, if that was asked for.
    fn draw(&mut self, here: Before, what: &'static str) {
        if self.lies.early == Some(here) {
            self.drawn = Some(transcript_seed(self.channel, what));
        }
    }

    fn seed(&mut self, coin: bool, what: &'static str) -> Result<F128> {
        if !coin {
            return Ok(self.drawn.take().unwrap_or_else(|| transcript_seed(self.channel, what)));
        }
        let mut seed = [F128::ZERO];
        self.channel.recv_words(&mut seed)?;
        self.channel.checkpoint(what);
        Ok(seed[0])
    }
}

fn pack<M: Macs>(rows: &[M::Tag]) -> Tagged<M::E, M::E> {
    let values: Vec<M::E> = rows.iter().map(|&row| M::value(row).into()).collect();
    let macs: Vec<M::E> = rows.iter().map(|&row| M::mac(row)).collect();
    let pack = <M::E as Extension<M::F>>::pack;
    Tagged { value: pack(&values), mac: pack(&macs) }
}

impl<M: Macs> Backend for Liar<'_, M> {
    type F = M::F;
    type Wire = M::Tag;

    fn constant(&mut self, c: M::F) -> M::Tag {
        M::constant(c)
    }
    fn add(&mut self, a: M::Tag, b: M::Tag) -> M::Tag {
        a + b
    }
    fn scale(&mut self, a: M::Tag, c: M::F) -> M::Tag {
        M::scale(a, c)
    }
    fn witness(&mut self) -> Result<M::Tag> {
        let value = *self.witness.next().unwrap();
        self.commit(value)
    }
    fn hint(&mut self, _: &[M::Tag], _: impl Fn(&[M::F]) -> M::F + Send + Sync + 'static) -> Result<M::Tag> {
        unreachable!("the statement has none")
    }
    fn mul(&mut self, a: M::Tag, b: M::Tag) -> Result<M::Tag> {
        if self.gates.len() as u64 == self.terms.block {
            self.end_block()?;
        }
        let c = self.commit(M::value(a) * M::value(b) + error(&self.lies.products, self.products))?;
        self.products += 1;
        self.gates.push([a, b, c]);
        Ok(c)
    }
    fn assert_zero(&mut self, a: M::Tag, _: impl Display) -> Result<()> {
        let by_delta = self.lies.delta.unwrap_or(M::E::ZERO).scale(M::value(a));
        self.openings.absorb(&(M::mac(a) + by_delta));
        Ok(())
    }
}
