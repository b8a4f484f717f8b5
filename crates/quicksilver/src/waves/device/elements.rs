//! Over 2^61 − 1, where challenges are coins: a turn is walked over once, and its products wait on the device.

use super::super::wave::{Failed, Wave};
use super::super::{Keys, Mapping, Side, Tags, Turn};
use super::{Ended, Waves};
use crate::polynomial::{self, Lower};
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::stream::straight::Kind;
use volery_primitives::prg::Seed;
use volery_primitives::secret::verdict;
use volery_primitives::{Field, MacField};
use volery_proof::device::{PlanOfElements, Run, WalkOfElements, Walked};
use volery_proof::openings::Openings;
use volery_vole::macs::FieldMacs;
use volery_vole::vole::device::Tile;
use volery_vole::vole::lpn::TILE;
use volery_vole::vole::subfield::words;
use zeroize::Zeroizing;

/// The side of a party whose wires devices know as integers.
pub(crate) trait ElementSide: Side {
    /// The party.
    const PARTY: Party;

    /// The integers that a device has for wires.
    fn words(wires: &[Self::Row]) -> Zeroizing<Vec<u64>>;
    /// The wires that a device has so.
    fn wires(words: &[u64]) -> Zeroizing<Vec<Self::Row>>;

    /// The elements that a device gives of the polynomial of an asserted product.
    const PARTS: usize;
    /// The polynomials of an asserted product in some lanes, and the first lane in which it is another, as far as that is
    /// known.
    fn product(words: &[u64]) -> (Self::Vanishing, Option<usize>);
}

impl<B: Field, E: MacField<B>> ElementSide for Tags<FieldMacs<B, E>> {
    const PARTY: Party = Party::Prover;

    fn words(wires: &[E::Tag]) -> Zeroizing<Vec<u64>> {
        words::of_tags::<B, E>(wires)
    }
    fn wires(words: &[u64]) -> Zeroizing<Vec<E::Tag>> {
        words::tags::<B, E>(words)
    }

    const PARTS: usize = 3;

    fn product(words: &[u64]) -> (Lower<E>, Option<usize>) {
        let lanes = words.len() / Self::PARTS;
        let (coefficients, off) = words.split_at(2 * lanes);
        let coefficients = coefficients.iter().map(|word| words::element(*word)).collect();
        (Lower::new([lanes, 2], coefficients), off.iter().position(|off| verdict(*off != 0)))
    }
}

impl<B: Field, E: MacField<B>> ElementSide for Keys<FieldMacs<B, E>> {
    const PARTY: Party = Party::Verifier;

    fn words(wires: &[E]) -> Zeroizing<Vec<u64>> {
        words::of_elements(wires)
    }
    fn wires(words: &[u64]) -> Zeroizing<Vec<E>> {
        words::elements(words)
    }

    const PARTS: usize = 1;

    fn product(words: &[u64]) -> (polynomial::Keys<E>, Option<usize>) {
        (polynomial::Keys::new(2, words.iter().map(|word| words::element(*word))), None)
    }
}

impl<S: ElementSide> Mapping<'_, S> {
    /// Takes what a device gives of the products that are asserted in a turn, which has these runs.
    fn take_products(&mut self, runs: &[Run], mut words: &[u64]) -> Vec<S::Vanishing> {
        let (line, mut vanishing) = (self.line.clone(), Vec::new());
        for run in runs {
            let lanes = self.lanes(run.wave);
            for step in line.steps[run.steps.clone()].iter().filter(|step| step.kind == Kind::AssertProduct) {
                let (of_step, behind) = words.split_at(S::PARTS * lanes.len());
                let (polynomials, lane) = S::product(of_step);
                let failed =
                    lane.map(|lane| Failed { lane: lanes.start + lane, number: step.out, place: None });
                self.failed = self.failed.into_iter().chain(failed).min();
                vanishing.push(polynomials);
                words = behind;
            }
        }
        vanishing
    }
}

/// The result of a walk over a turn: the corrections, as a prover sends them, and polynomials that are to be zero.
pub(crate) struct WalkedOver<S: Side> {
    pub(crate) corrections: Vec<u8>,
    pub(crate) vanishing: Vec<S::Vanishing>,
}

/// A map on a device.
pub(crate) struct ElementsOnDevice {
    walk: Box<dyn WalkOfElements>,
    waves: Waves,
}

impl ElementsOnDevice {
    /// Begins on the device of a map, which has one. Waves under way are still to be [put](ElementsOnDevice::put) there.
    pub(crate) fn begin<S: ElementSide>(mapping: &Mapping<'_, S>) -> Result<Self> {
        let device = mapping.device.as_ref().expect("a device");
        let (line, one) = (&mapping.line, Zeroizing::new([mapping.side.one()]));
        let plan = PlanOfElements {
            steps: &line.steps,
            constants: &words::of_elements(&line.constants),
            slots: line.slots,
            party: S::PARTY,
            one: &S::words(&*one),
            lanes: mapping.turns.width,
            shares: mapping.turns.least.next_multiple_of(TILE),
        };
        Ok(Self { walk: device.walk_elements(&plan)?, waves: Waves::new(&line.steps) })
    }

    /// Whether a wave is there.
    pub(crate) fn has(&self, wave: usize) -> bool {
        self.waves.waves.contains_key(&wave)
    }

    /// Puts a wave there that begins, with its witness.
    pub(crate) fn put_new<S: ElementSide>(
        &mut self,
        mapping: &Mapping<'_, S>,
        number: usize,
        witness: Zeroizing<Vec<u64>>,
    ) -> Result<()> {
        let lanes = mapping.lanes(number).len();
        let mut columns = mapping.arguments(number).map(S::words);
        self.walk.begin(number, lanes, &mut columns, &witness)?;
        self.waves.waves.insert(number, (0, witness));
        Ok(())
    }

    /// Puts a wave there that is under way.
    pub(crate) fn put<S: ElementSide>(
        &mut self,
        number: usize,
        wave: &Wave<S>,
        witness: Zeroizing<Vec<u64>>,
    ) -> Result<()> {
        self.walk.begin(number, wave.lanes(), &mut wave.columns().map(S::words), &witness)?;
        self.waves.waves.insert(number, (wave.taken(), witness));
        Ok(())
    }

    /// Takes all waves back, which are under way, with their witness.
    pub(crate) fn take_all<S: ElementSide>(&mut self, mapping: &Mapping<'_, S>) -> Result<Vec<Taken<S>>> {
        let slots: Vec<u32> = (0..mapping.line.slots as u32).collect();
        let mut waves = Vec::new();
        while let Some((number, (taken, witness))) = self.waves.waves.pop_first() {
            let wires = S::wires(&self.walk.wires(number, &slots)?);
            let wave = Wave::at(&mapping.line, mapping.lanes(number).len(), wires, taken);
            waves.push(Taken { number, wave, witness });
        }
        Ok(waves)
    }

    /// Begins with a turn, all of whose waves are there.
    pub(crate) fn draw<S: ElementSide>(&mut self, mapping: &Mapping<'_, S>, turn: &Turn<Tile>) -> Result<()> {
        let (runs, tiles) = self.waves.begin(mapping, turn);
        self.walk.draw(&tiles, runs)
    }

    /// Waits for the walk over the next turn, at a prover. What is asserted in it is digested.
    pub(crate) fn walked<S: ElementSide>(
        &mut self,
        mapping: &mut Mapping<'_, S>,
        asserted: &mut Openings,
    ) -> Result<WalkedOver<S>> {
        let walked = self.walk.walked()?;
        self.end(mapping, walked, asserted)
    }

    /// Walks over the next turn, at a verifier, with its corrections. What is asserted in it is digested.
    pub(crate) fn correct<S: ElementSide>(
        &mut self,
        mapping: &mut Mapping<'_, S>,
        corrections: &[u8],
        asserted: &mut Openings,
    ) -> Result<WalkedOver<S>> {
        let walked = self.walk.correct(corrections)?;
        self.end(mapping, walked, asserted)
    }

    fn end<S: ElementSide>(
        &mut self,
        mapping: &mut Mapping<'_, S>,
        walked: Walked,
        asserted: &mut Openings,
    ) -> Result<WalkedOver<S>> {
        self.waves.fold();
        let Ended { runs, waves } = self.waves.end(mapping, &S::wires(&walked.asserted), asserted);
        let vanishing = mapping.take_products(&runs, &walked.vanishing);
        for number in waves {
            let wires = self.walk.wires(number, &mapping.line.results)?;
            mapping.take_results(number, &S::wires(&wires));
            self.walk.leave(number);
            self.waves.waves.remove(&number);
        }
        Ok(WalkedOver { corrections: walked.corrections, vanishing })
    }

    /// Adds the products of the next turn that was walked over to the sums, with the coefficients from number `first` on.
    pub(crate) fn weigh(&mut self, seed: Seed, first: u64) -> Result<()> {
        self.walk.weigh(seed, first)
    }

    /// The two parts of the products of the next turn that was walked over, which are not added.
    pub(crate) fn products<E: Field>(&mut self) -> Result<[Zeroizing<Vec<E>>; 2]> {
        let words = self.walk.products()?;
        let pairs = words.as_chunks::<2>().0;
        Ok([0, 1].map(|part| Zeroizing::new(pairs.iter().map(|pair| words::element(pair[part])).collect())))
    }

    /// The sums of all products that were weighed.
    pub(crate) fn sums<E: Field>(&mut self) -> Result<Zeroizing<Vec<E>>> {
        Ok(words::elements(&*self.walk.sums()?))
    }
}

/// A wave that was taken back, with its number.
pub(crate) struct Taken<S: Side> {
    pub(crate) number: usize,
    pub(crate) wave: Wave<S>,
    pub(crate) witness: Zeroizing<Vec<u64>>,
}
