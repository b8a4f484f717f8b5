//! Over 2^61 − 1, where challenges are coins.

use super::super::super::{TURN, WORTH_WIDE};
use super::super::elements::{By, Dealt, bytes, run};
use volery_channel::error::{Error, Result};
use volery_channel::random::Random;
use volery_circuit::{Circuit, Clear, Polynomials, Returned};
use volery_primitives::{F61, Field};
use volery_vole::vole::subfield;

/// Products on each of some lanes, with gates before and behind, of which no function has a hint.
#[derive(Clone, Copy)]
struct Products {
    lanes: usize,
    products: usize,
    /// Products before the map, so that it begins within a block.
    before: usize,
    /// Whether polynomials follow the map at once.
    polynomials: bool,
}

impl<B: Polynomials> Circuit<B> for Products {
    fn run(&self, b: &mut B) -> Result<()> {
        let first = b.witness()?;
        for _ in 0..self.before {
            b.mul(first, first)?;
        }
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let factor = B::F::ONE + B::F::ONE + B::F::ONE;
        let made = b.map(b"products", self.lanes, &columns, |b, lane, of| {
            let (mut x, mut y) = (of[0], of[1]);
            for i in 0..self.products {
                let product = b.mul(x, y)?;
                let one = b.constant(factor);
                let sum = b.linear(&[factor, -B::F::ONE], &[product, one]);
                (x, y) = (b.add(sum, of[i % 2]), if i % 7 == 3 { b.witness()? } else { x });
            }
            let (first, second) = (b.mul(x, y)?, b.mul(y, x)?);
            let minus = b.scale(second, -B::F::ONE);
            let zero = b.add(first, minus);
            b.assert_zero(zero, format_args!("equal products in lane {lane}"))?;
            b.assert_product(x, y, first, format_args!("a product in lane {lane}"))?;
            Ok(Returned { wires: vec![x], public: vec![] })
        })?;
        if self.polynomials {
            let results = b.vector(&made.wires);
            let squares = b.product(&results, &results)?;
            let terms = [(B::F::ONE, &squares), (-B::F::ONE, &squares)];
            let difference = b.combination(&[], &terms, B::F::ZERO)?;
            b.assert_zeroes(difference, "the squares")?;
        }
        let product = b.mul(made.wires[0], made.wires[self.lanes - 1])?;
        let expected = b.witness()?;
        let minus = b.scale(expected, -B::F::ONE);
        let difference = b.add(product, minus);
        b.assert_zero(difference, "the product of the first and the last")
    }
}

impl Products {
    fn new(lanes: usize, products: usize, before: usize) -> Self {
        Self { lanes, products, before, polynomials: false }
    }

    /// The witness elements of a lane.
    fn own(&self) -> usize {
        (0..self.products).filter(|i| i % 7 == 3).count()
    }

    fn witness(&self) -> Vec<F61> {
        let mut random = Random::from_seed(&[9; 32]);
        let count = 1 + (2 + self.own()) * self.lanes;
        let mut witness: Vec<F61> = (0..count).map(|_| subfield::uniform(&mut random)).collect();
        let result = |lane: usize| {
            let of = [witness[1 + lane], witness[1 + self.lanes + lane]];
            let mut own = witness[1 + 2 * self.lanes + lane * self.own()..].iter();
            let (mut x, mut y) = (of[0], of[1]);
            for i in 0..self.products {
                let next = F61::new(3) * (x * y) - F61::new(3) + of[i % 2];
                (x, y) = (next, if i % 7 == 3 { *own.next().unwrap() } else { x });
            }
            x
        };
        let product = result(0) * result(self.lanes - 1);
        witness.push(product);
        self.run(&mut Clear::new(witness.iter().copied())).unwrap();
        witness
    }

    fn shares(&self) -> u64 {
        (self.lanes * (self.products + self.own() + 2)) as u64
    }
}

/// Waves of few lanes and of many, the last one short, of dealt and of extended shares, each number of threads: the same
/// messages, of as many bytes as where nothing was agreed on, in another order.
#[test]
fn wide_waves_are_proved_by_any_number_of_threads() {
    let dealer = Dealt::Dealer(4096);
    for (lanes, products, agreed, dealt) in [
        (600, 240, 256, dealer),
        (2100, 80, 1 << 14, dealer),
        (300, 500, 64, dealer),
        (600, 900, 256, Dealt::Extension),
        (2100, 300, 1 << 14, Dealt::Extension),
    ] {
        let statement = Products::new(lanes, products, 77);
        assert!(statement.shares() >= WORTH_WIDE);
        let witness = statement.witness();
        let run = |threads, wide| {
            let by = By { dealt, threads, wide, ..By::block(4096) };
            let run = run::<F61, F61>(statement, witness.clone(), statement, &by);
            (run.proved.unwrap(), run.verified.unwrap(), run.sent)
        };
        let (proved, verified, sent) = run(1, Some(agreed));
        assert_eq!(proved, verified);
        for threads in [2, 5] {
            assert!(run(threads, Some(agreed)).2 == sent, "{lanes} lanes, {threads} threads");
        }
        let (_, narrow, others) = run(1, None);
        assert_eq!(narrow, verified);
        assert_eq!(bytes(&sent[0]), bytes(&others[0]));
        // No more coins.
        assert!(bytes(&sent[1]) <= bytes(&others[1]));
        assert!(sent[0] != others[0], "{lanes} lanes");
    }
}

/// A map that ends with a block, or within one, and begins with one, or within one: what follows belongs to the batch of
/// the last turn, where that is not whole.
#[test]
fn what_follows_a_wide_map_is_of_its_last_batch() {
    // A lane has 281 shares: before the map are an element for each of its arguments, and one.
    let of = |before: usize| Products { polynomials: true, ..Products::new(512, 244, before) };
    assert_eq!(of(0).shares(), 512 * 281);
    // As many before a block's end as the map goes on behind one, or another number.
    let ends = (4096 - 512 * 281 % 4096) as u64 % 4096;
    let before = (ends + 4096 - 1025) as usize % 4096;
    for before in [before, before + 1, before + 4095, 4096 - 1025, 2 * 4096 - 1025] {
        let statement = of(before);
        let witness = statement.witness();
        for threads in [1, 3] {
            let by = By { threads, wide: Some(256), ..By::block(4096) };
            let run = run::<F61, F61>(statement, witness.clone(), statement, &by);
            assert_eq!(run.verified.unwrap(), run.proved.unwrap(), "{before} before");
        }
    }
}

#[test]
fn lies_at_seams_of_wide_waves_are_rejected() {
    let statement = Products::new(600, 240, 0);
    let (witness, wave) = (statement.witness(), statement.shares() * 256 / 600);
    let (turn, shares) = (TURN as u64, statement.shares());
    for lie in [0, 255, 256, turn - 1, turn, turn + 1, wave - 1, wave, wave + 1, shares - 4097, shares - 1] {
        let by = By { threads: 2, wide: Some(256), lies: vec![lie], ..By::block(4096) };
        let verified = run::<F61, F61>(statement, witness.clone(), statement, &by).verified;
        assert!(matches!(verified, Err(Error::Rejected(_))), "share {lie}: {verified:?}");
    }
    let by = By { wide: Some(256), lies: vec![shares], ..By::block(4096) };
    run::<F61, F61>(statement, witness, statement, &by).verified.unwrap();
}
