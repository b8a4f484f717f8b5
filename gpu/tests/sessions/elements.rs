//! Over 2^61 − 1.

use super::{CARD, Liar, Session, cards, run_by};
use core::iter;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use volery::circuit::{Circuit, Polynomials, Returned};
use volery::{Correlations, Device, Error, F61, Field, Over, Result};
use volery_channel::random::Random;
use volery_circuit::stream::straight::Kind;
use volery_gpu::Card;
use volery_primitives::prg::Seed;
use volery_proof::device::{PlanOfElements, Run, WalkOfElements, Walked};
use volery_vole::vole::device::Tile;
use zeroize::Zeroizing;

/// A function of all that cards know, on some lanes, between gates; a part of a lane's witness is its own.
struct Mapped {
    lanes: usize,
    products: usize,
    own: usize,
    /// Products before the map.
    before: usize,
    /// Whether arguments are asserted to be equal: by a product, and then by their difference.
    by_product: bool,
    by_difference: bool,
}

impl<B: Polynomials> Circuit<B> for Mapped {
    fn run(&self, b: &mut B) -> Result<()> {
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        for _ in 0..self.before {
            b.mul(columns[0], columns[1])?;
        }
        let three = B::F::ONE + B::F::ONE + B::F::ONE;
        let made = b.map(b"mapped", self.lanes, &columns, |b, lane, of| {
            let (mut x, mut y) = (of[0], of[1]);
            for i in 0..self.products {
                let product = b.mul(x, y)?;
                let sum = b.linear(&[three, -B::F::ONE], &[product, of[i % 2]]);
                if i % 50 == 1 && i / 50 < self.own {
                    let own = b.witness()?;
                    let one = b.constant(three);
                    y = b.add(own, one);
                } else if i % 50 == 3 {
                    y = b.add(product, y);
                }
                x = sum;
            }
            let (first, second) = (b.mul(x, y)?, b.mul(y, x)?);
            let zero = b.linear(&[B::F::ONE, -B::F::ONE], &[first, second]);
            b.assert_zero(zero, format_args!("equal products in lane {lane}"))?;
            b.assert_product(x, y, first, format_args!("a product in lane {lane}"))?;
            if self.by_product {
                let square = b.mul(of[0], of[0])?;
                b.assert_product(of[0], of[1], square, format_args!("the square in lane {lane}"))?;
            }
            if self.by_difference {
                let difference = b.linear(&[B::F::ONE, -B::F::ONE], &[of[0], of[1]]);
                b.assert_zero(difference, format_args!("the arguments of lane {lane}"))?;
            }
            Ok(Returned { wires: vec![x, zero], public: Vec::new() })
        })?;
        // Results are used in the batch in which the map ends, and polynomials are of it.
        let zeroes = b.vector(&made.wires[self.lanes..]);
        let squares = b.product(&zeroes, &zeroes)?;
        b.assert_zeroes(squares, "squares of zeroes")?;
        let (first, last) = (made.wires[0], made.wires[self.lanes - 1]);
        let (product, again) = (b.mul(first, last)?, b.mul(last, first)?);
        let zero = b.linear(&[B::F::ONE, -B::F::ONE], &[product, again]);
        b.assert_zero(zero, "the first and the last")
    }
}

impl Mapped {
    fn new(lanes: usize, products: usize, own: usize, before: usize) -> Self {
        Self { lanes, products, own, before, by_product: false, by_difference: true }
    }

    /// A witness that holds, but for the arguments of these lanes.
    fn witness(&self, wrong: &[usize]) -> Vec<F61> {
        let element = |i: usize| F61::new((i as u64 + 5).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut witness: Vec<F61> = (0..self.lanes).chain(0..self.lanes).map(element).collect();
        wrong.iter().for_each(|&lane| witness[lane] += F61::ONE);
        witness.extend((0..self.lanes * self.own).map(|i| element(i + 1000)));
        witness
    }
}

fn run(
    statement: &Mapped,
    witness: &[F61],
    set: Correlations,
    lanes: u32,
    devices: [Option<Arc<dyn Device>>; 2],
) -> Session {
    run_by::<Over<F61>>(statement, witness, set, lanes, devices)
}

/// Turns whose coins come late and early, of one wave and of many; waves that begin and end within blocks and across
/// iterations, the last one shorter; and maps that end with a block.
#[test]
fn whoever_walks_sends_the_same() {
    let cases = [
        (Mapped::new(600, 240, 3, 0), Correlations::TINY, 256),
        (Mapped::new(2100, 150, 1, 100), Correlations::TINY, 1 << 15),
        (Mapped::new(300, 900, 0, 0), Correlations::L2, 64),
        // Turns of many waves.
        (Mapped::new(40_001, 2, 0, 0), Correlations::TINY, 256),
        // From a block's begin to a block's end, and from within one.
        (Mapped::new(512, 270, 0, 3072), Correlations::TINY, 256),
        (Mapped::new(512, 269, 0, 3584), Correlations::TINY, 256),
    ];
    for (statement, set, lanes) in cases {
        let witness = statement.witness(&[]);
        let by = |on_card| run(&statement, &witness, set, lanes, cards(on_card));
        let ([proved, verified], expected) = by([false, false]);
        proved.unwrap();
        verified.unwrap();
        for on_card in [[true, false], [false, true], [true, true]] {
            let ([proved, verified], sent) = by(on_card);
            proved.unwrap();
            verified.unwrap();
            assert!(sent == expected, "{} lanes, on cards: {on_card:?}", statement.lanes);
        }
    }
}

/// A function by chance, on some lanes.
struct ByChance {
    seed: u8,
    lanes: usize,
    commitments: usize,
}

impl ByChance {
    fn random(&self) -> Random {
        Random::from_seed(&[self.seed; 32])
    }

    /// The elements of the witness of each lane.
    fn own(&self) -> usize {
        let random = &mut self.random();
        let commits = iter::repeat_with(|| Self::commits(random)).flatten();
        commits.take(self.commitments).filter(|is_witness| *is_witness).count()
    }

    /// The next gate: whether it commits, and then, to an element of the witness.
    fn commits(random: &mut Random) -> Option<bool> {
        match random.word().0 as u8 % 8 {
            0 => Some(true),
            1..4 => Some(false),
            _ => None,
        }
    }
}

impl<B: Polynomials> Circuit<B> for ByChance {
    fn run(&self, b: &mut B) -> Result<()> {
        let columns = (0..3 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let made = b.map(b"by chance", self.lanes, &columns, |b, lane, of| {
            let (random, mut numbers) = (&mut self.random(), Random::from_seed(&[!self.seed; 32]));
            let mut wires = of.to_vec();
            let mut left = self.commitments;
            while left > 0 {
                let mut number = |below: usize| numbers.word().0 as usize % below;
                let (x, y) = (wires[number(wires.len())], wires[number(wires.len())]);
                let gate = Self::commits(random);
                let wire = match gate {
                    Some(true) => b.witness()?,
                    Some(false) => b.mul(x, y)?,
                    None => {
                        let factor = B::F::numbered(number(1 << 16) as u16);
                        let terms = [x, y, b.constant(factor)];
                        b.linear(&[factor, -B::F::ONE, B::F::ONE], &terms)
                    }
                };
                if gate == Some(false) && number(4) == 0 {
                    b.assert_product(y, x, wire, format_args!("a product in lane {lane}"))?;
                    let zero = b.linear(&[B::F::ONE, -B::F::ONE], &[wire, wire]);
                    b.assert_zero(zero, format_args!("a difference in lane {lane}"))?;
                }
                left -= usize::from(gate.is_some());
                let place = if wires.len() < 40 { wires.len() } else { number(40) };
                wires.splice(place..wires.len().min(place + 1), [wire]);
            }
            Ok(Returned { wires: wires[..3].to_vec(), public: Vec::new() })
        })?;
        let (first, last) = (made.wires[0], made.wires[self.lanes - 1]);
        let (product, again) = (b.mul(first, last)?, b.mul(last, first)?);
        let zero = b.linear(&[B::F::ONE, -B::F::ONE], &[product, again]);
        b.assert_zero(zero, "the first and the last")
    }
}

/// Functions of all steps that cards know in any order, in waves of many sizes.
#[test]
fn functions_by_chance_are_walked_alike() {
    for (seed, lanes, agreed) in [(1, 300, 64), (2, 1027, 512), (3, 257, 256), (4, 5000, 1 << 12)] {
        let statement = ByChance { seed, lanes, commitments: (1 << 17) / lanes + 40 };
        let element = |i: usize| F61::new((i as u64 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let witness: Vec<F61> = (0..lanes * (3 + statement.own())).map(element).collect();
        let by =
            |on_card| run_by::<Over<F61>>(&statement, &witness, Correlations::TINY, agreed, cards(on_card));
        let ([proved, verified], expected) = by([false, false]);
        proved.unwrap();
        verified.unwrap();
        for on_card in [[true, false], [false, true]] {
            let ([proved, verified], sent) = by(on_card);
            proved.unwrap();
            verified.unwrap();
            assert!(sent == expected, "{seed}, on cards: {on_card:?}");
        }
        // The card has a part of it.
        let devices = [Some(Arc::new(Liar(1000)) as Arc<dyn Device>), None];
        let ([_, verified], _) =
            run_by::<Over<F61>>(&statement, &witness, Correlations::TINY, agreed, devices);
        assert!(matches!(verified, Err(Error::Rejected(_))), "{seed}: {verified:?}");
    }
}

#[test]
fn what_fails_is_named_and_rejected() {
    for by_product in [false, true] {
        let statement = Mapped { by_product, ..Mapped::new(600, 240, 3, 0) };
        let witness = statement.witness(&[77, 300, 599]);
        let expected = if by_product { "the square in lane 77" } else { "the arguments of lane 77" };
        for on_card in [[false, false], [true, false], [false, true]] {
            let ([proved, verified], _) = run(&statement, &witness, Correlations::TINY, 256, cards(on_card));
            assert!(
                matches!(&proved, Err(Error::Unsatisfied(name)) if name == expected),
                "{on_card:?}: {proved:?}"
            );
            assert!(verified.is_err());
        }
    }
}

/// A prover that goes on where nothing but a product that is asserted is false.
#[test]
fn a_false_product_is_rejected() {
    let statement = Mapped { by_product: true, by_difference: false, ..Mapped::new(600, 240, 3, 0) };
    // The last wave is the first to end, on the card.
    for (wrong, holds) in [(&[][..], true), (&[512], false), (&[599], false)] {
        let witness = statement.witness(wrong);
        for verifier in [None, Some(CARD.clone() as Arc<dyn Device>)] {
            let devices = [Some(Arc::new(Liar(u64::MAX)) as Arc<dyn Device>), verifier];
            let ([proved, verified], _) = run(&statement, &witness, Correlations::TINY, 256, devices);
            assert!(verified.is_ok() == holds, "{wrong:?}: {proved:?}, {verified:?}");
            let is_rejected = matches!(verified, Err(Error::Rejected(_)));
            assert!(holds || is_rejected, "{wrong:?}: {proved:?}, {verified:?}");
        }
    }
}

/// A prover's map on a card that sends one correction of another value than it has committed to, and finds no product
/// false; and the corrections before that one.
pub(crate) struct Lying {
    walk: Box<dyn WalkOfElements>,
    left: u64,
    /// The steps that assert products, the lanes of waves, and those of each of these products in turns under way.
    products: Vec<usize>,
    lanes: BTreeMap<usize, usize>,
    turns: VecDeque<Vec<usize>>,
}

impl Lying {
    pub(crate) fn new(plan: &PlanOfElements<'_>, left: u64) -> Result<Self> {
        let asserts = |step: &usize| plan.steps[*step].kind == Kind::AssertProduct;
        let products = (0..plan.steps.len()).filter(asserts).collect();
        let walk = CARD.walk_elements(plan)?;
        Ok(Self { walk, left, products, lanes: BTreeMap::new(), turns: VecDeque::new() })
    }
}

impl WalkOfElements for Lying {
    fn begin(
        &mut self,
        wave: usize,
        lanes: usize,
        columns: &mut dyn Iterator<Item = Zeroizing<Vec<u64>>>,
        witness: &[u64],
    ) -> Result<()> {
        self.lanes.insert(wave, lanes);
        self.walk.begin(wave, lanes, columns, witness)
    }
    fn draw(&mut self, tiles: &[Tile], runs: Vec<Run>) -> Result<()> {
        let of_run = |run: &Run| {
            let count = self.products.iter().filter(|step| run.steps.contains(step)).count();
            vec![self.lanes[&run.wave]; count]
        };
        self.turns.push_back(runs.iter().flat_map(of_run).collect());
        self.walk.draw(tiles, runs)
    }
    fn walked(&mut self) -> Result<Walked> {
        let mut walked = self.walk.walked()?;
        let corrections = walked.corrections.as_chunks_mut::<8>().0;
        let count = corrections.len() as u64;
        if self.left < count {
            let correction = &mut corrections[self.left as usize];
            *correction = (F61::new(u64::from_le_bytes(*correction)) + F61::ONE).get().to_le_bytes();
        }
        self.left = self.left.checked_sub(count).unwrap_or(u64::MAX);
        let mut at = 0;
        for lanes in self.turns.pop_front().expect("a turn under way") {
            walked.vanishing[at + 2 * lanes..at + 3 * lanes].fill(0);
            at += 3 * lanes;
        }
        Ok(walked)
    }
    fn correct(&mut self, corrections: &[u8]) -> Result<Walked> {
        self.walk.correct(corrections)
    }
    fn weigh(&mut self, seed: Seed, first: u64) -> Result<()> {
        self.walk.weigh(seed, first)
    }
    fn products(&mut self) -> Result<Zeroizing<Vec<u64>>> {
        self.walk.products()
    }
    fn wires(&mut self, wave: usize, slots: &[u32]) -> Result<Zeroizing<Vec<u64>>> {
        self.walk.wires(wave, slots)
    }
    fn leave(&mut self, wave: usize) {
        self.walk.leave(wave);
    }
    fn sums(&mut self) -> Result<Zeroizing<[u64; 2]>> {
        self.walk.sums()
    }
}

/// At both sides of the ends of commitments, turns and waves, and at the last that the card sends.
#[test]
fn lies_at_seams_are_rejected() {
    let statement = Mapped::new(600, 240, 3, 0);
    let witness = statement.witness(&[]);
    // The map begins within a block, whose rest is not the card's.
    let (turn, wave, all) = (8 * 4096, 256 * 245, 600 * 245 - 2 * 4096);
    let lies = [0, 1, 255, 256, turn - 1, turn, turn + 1, wave - 1, wave, wave + 1, all - 1];
    for lie in lies.into_iter().chain(wave - 4096..wave - 4090) {
        for verifier in [None, Some(CARD.clone() as Arc<dyn Device>)] {
            let devices = [Some(Arc::new(Liar(lie)) as Arc<dyn Device>), verifier];
            let ([_, verified], _) = run(&statement, &witness, Correlations::TINY, 256, devices);
            assert!(matches!(verified, Err(Error::Rejected(_))), "{lie}: {verified:?}");
        }
    }
    let devices = [Some(Arc::new(Liar(u64::MAX)) as Arc<dyn Device>), None];
    let ([_, verified], _) = run(&statement, &witness, Correlations::TINY, 256, devices);
    verified.unwrap();
}

/// What a card does not hold is said before it is tried, and nothing is left of it, nor of what it holds.
#[test]
fn nothing_is_left_on_a_card() {
    let statement = Mapped::new(600, 240, 3, 0);
    let witness = statement.witness(&[]);
    for (bytes, is_enough) in [(1 << 20, false), (1 << 26, true)] {
        let card = Arc::new(Card::open(0, bytes).unwrap());
        let devices = [(); 2].map(|()| Some(card.clone() as Arc<dyn Device>));
        let ([proved, verified], _) = run(&statement, &witness, Correlations::TINY, 256, devices);
        assert_eq!((proved.is_ok(), verified.is_ok()), (is_enough, is_enough));
        assert_eq!(card.memory_in_use(), 0);
    }
}
