//! Waves of as many lanes as the parties have agreed on.

mod elements;

use super::super::{LEAST_WIDE, TURN, WORTH_WIDE};
use super::{By, run_by};
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Circuit, Clear, Returned};
use volery_primitives::F2;

/// Products on each of some lanes, with gates before and behind, of which no function has a hint.
#[derive(Clone, Copy)]
struct Products {
    lanes: usize,
    products: usize,
    /// Products before the map, so that it begins within a block.
    before: usize,
}

impl<B: Backend<F = F2>> Circuit<B> for Products {
    fn run(&self, b: &mut B) -> Result<()> {
        let first = b.witness()?;
        for _ in 0..self.before {
            b.mul(first, first)?;
        }
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let made = b.map(b"products", self.lanes, &columns, |b, lane, of| {
            let (mut x, mut y) = (of[0], of[1]);
            for i in 0..self.products {
                let product = b.mul(x, y)?;
                (x, y) = (b.add(product, of[i % 2]), if i % 7 == 3 { b.witness()? } else { x });
            }
            let square = b.mul(x, x)?;
            let zero = b.add(square, x);
            b.assert_zero(zero, format_args!("the square of lane {lane}"))?;
            Ok(Returned { wires: vec![x], public: vec![] })
        })?;
        let sum = made.wires.iter().fold(first, |sum, wire| b.add(sum, *wire));
        let expected = b.witness()?;
        let difference = b.add(sum, expected);
        b.assert_zero(difference, "the sum of all")
    }
}

impl Products {
    fn witness(&self) -> Vec<F2> {
        let own = (0..self.products).filter(|i| i % 7 == 3).count();
        let count = 2 + 2 * self.lanes + self.lanes * own;
        let mut witness: Vec<F2> = (0..count).map(|i| F2::from((i * i + i / 5) % 7 < 3)).collect();
        let holds = |witness: &[F2]| self.run(&mut Clear::new(witness.iter().copied())).is_ok();
        if !holds(&witness) {
            *witness.last_mut().unwrap() += F2::from(true);
        }
        assert!(holds(&witness));
        witness
    }

    fn shares(&self) -> u64 {
        let own = (0..self.products).filter(|i| i % 7 == 3).count();
        (self.lanes * (self.products + own + 1)) as u64
    }
}

/// Waves of a word and of many, the last one short, each number of threads: the same messages, of as many bytes as
/// where nothing was agreed on, in another order.
#[test]
fn wide_waves_are_proved_by_any_number_of_threads() {
    for (lanes, products, agreed) in [(600, 200, 256), (2100, 60, 1 << 14), (300, 400, 64)] {
        let statement = Products { lanes, products, before: 77 };
        assert!(lanes >= LEAST_WIDE && statement.shares() >= WORTH_WIDE);
        let witness = statement.witness();
        let run = |threads, wide| {
            let by = By { block: 4096, threads, wide, ..By::default() };
            let (proved, verified, sent) = run_by(statement, witness.clone(), statement, &by);
            (proved.unwrap(), verified.unwrap(), sent)
        };
        let (proved, verified, sent) = run(1, Some(agreed));
        assert_eq!(proved, verified);
        for threads in [2, 5] {
            assert!(run(threads, Some(agreed)).2 == sent, "{lanes} lanes, {threads} threads");
        }
        let (_, narrow, others) = run(1, None);
        assert_eq!(narrow, verified);
        assert_eq!(sent.concat().len(), others.concat().len());
        assert!(sent != others, "{lanes} lanes");
    }
}

#[test]
fn lies_at_seams_of_wide_waves_are_rejected() {
    let statement = Products { lanes: 600, products: 200, before: 0 };
    let (witness, wave) = (statement.witness(), statement.shares() * 256 / 600);
    let turn = TURN as u64;
    let shares = statement.shares();
    for lie in [0, 255, 256, turn - 1, turn, turn + 1, wave - 1, wave, wave + 1, shares - 4097, shares - 1] {
        let by = By { block: 4096, threads: 2, wide: Some(256), lies: vec![lie], ..By::default() };
        let (_, verified, _) = run_by(statement, witness.clone(), statement, &by);
        assert!(matches!(verified, Err(Error::Rejected(_))), "share {lie}: {verified:?}");
    }
    let by = By { block: 4096, threads: 1, wide: Some(256), lies: vec![shares], ..By::default() };
    run_by(statement, witness, statement, &by).1.unwrap();
}
