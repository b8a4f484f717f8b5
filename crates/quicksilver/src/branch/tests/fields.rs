//! Clauses over other fields, where challenges may be coins, and what joins groups takes other coordinates.

use super::*;
use crate::arithmetic;
use volery_primitives::{F61, F61x2, F64, F256, F65537, F65537x4, Field, MacField};
use volery_vole::vole::subfield::{Delta, ideal};

/// "I know so many elements whose powers, of the number of the clause and one, sum to a public one."
struct Powers<F>(Vec<(usize, F)>);

impl<F: Field> Powers<F> {
    fn of(count: usize) -> Self {
        let clause = |number: usize| {
            let length = 2 + number * 5 % 9;
            let sum = (0..length).map(|i| power(Self::element(i), number + 1)).sum();
            (length, sum)
        };
        Self((0..count).map(clause).collect())
    }

    fn element(i: usize) -> F {
        F::place(i as u32 % F::BITS) + F::ONE
    }

    fn tape(&self, clause: usize, shapes: &[Shape]) -> Vec<F> {
        let count = shapes[clause].size().commitments as usize;
        let all = shapes.iter().map(|shape| shape.size().commitments).max().unwrap() as usize;
        let witness: Vec<F> = (0..self.0[clause].0).map(Self::element).collect();
        let tape = Clear::commitments(&Clause::new(self, clause), witness, count).unwrap();
        tape.iter().copied().chain(core::iter::repeat_n(F::ZERO, all - count)).collect()
    }
}

fn power<F: Field>(base: F, exponent: usize) -> F {
    (0..exponent).fold(F::ONE, |power, _| power * base)
}

impl<F: Field> Alternatives for Powers<F> {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<F: Field, B: Polynomials<F = F>> Clauses<B> for Powers<F> {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let (length, expected) = self.0[clause];
        let mut sum = b.constant(-expected);
        for _ in 0..length {
            let x = b.witness()?;
            let copy = b.hint(&[x], |x| x[0])?;
            let minus = b.scale(copy, -F::ONE);
            let zero = b.add(x, minus);
            b.assert_zero(zero, "copy")?;
            let mut power = copy;
            for _ in 0..clause {
                power = b.mul(power, x)?;
            }
            sum = b.add(sum, power);
            let (x, copy) = (b.vector(&[x]), b.vector(&[minus]));
            let square = b.product(&x, &copy)?;
            let square = b.product(&square, &x)?;
            let wires = b.commit(&square)?;
            let (wires, ones) = (b.vector(&wires), b.public(&[-F::ONE]));
            let negated = b.product(&square, &ones)?;
            let zero = b.sum(&negated, &wires);
            b.assert_zeroes(zero, "cube")?;
        }
        b.assert_zero(sum, "sum")
    }
}

/// The verdict on this tape, and the lengths of what the prover sends.
fn run<B: Field, E: MacField<B>>(clauses: &Powers<B>, tape: Vec<B>) -> (Result<Gates>, Vec<usize>) {
    let shapes = &of_clauses::shapes(clauses).unwrap();
    let (here, there) = pipe(Duration::from_secs(20));
    let (here, sent) = Tape::new(here, None);
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let prover = move || {
        let plan = Plan::new(shapes, 2).unwrap();
        let vole = Box::new(ideal::Prover::<B, E>::new(3, BLOCK));
        let mut prover = arithmetic::Prover::new(&mut proving, vole, Arch::detect(), tape);
        let proved = prover.one_of(&plan, clauses).and_then(|()| {
            prover.lie();
            prover.finish().map(drop)
        });
        let _ = proved.and_then(|()| proving.flush());
    };
    let verifier = move || {
        let plan = Plan::new(shapes, 1).unwrap();
        let random = &mut Random::from_seed(&[5; 32]);
        let delta = Delta::<B, E>::random(random);
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier = arithmetic::Verifier::new(&mut verifying, vole, Arch::detect(), &delta, random);
        verifier.one_of(&plan, clauses)?;
        let (Accepted { .. }, gates, _) = verifier.finish()?;
        assert_eq!(gates.size(), plan.size::<B, E>());
        Ok(gates)
    };
    let verdict = side_by_side(prover, verifier).1;
    (verdict, sent.messages().iter().map(Vec::len).collect())
}

fn over<B: Field, E: MacField<B>>() {
    for count in [2, 5, 16] {
        let clauses = Powers::<B>::of(count);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        let mut lengths = None;
        for chosen in [0, count / 2, count - 1] {
            let tape = clauses.tape(chosen, &shapes);
            let (verdict, sent) = run::<B, E>(&clauses, tape.clone());
            verdict.unwrap_or_else(|error| panic!("{chosen} of {count} over {}: {error}", E::NAME));
            assert_eq!(*lengths.get_or_insert_with(|| sent.clone()), sent);
            let own = shapes[chosen].size().commitments as usize;
            // Over F_2 another clause holds of what is further on.
            let (slots, step) =
                if B::BITS == 1 { (6, 1) } else { (tape.len(), if count == 2 { 1 } else { 7 }) };
            for slot in (0..slots).step_by(step) {
                let mut tape = tape.clone();
                tape[slot] += B::ONE;
                let verdict = run::<B, E>(&clauses, tape).0;
                assert_eq!(is_rejected(&verdict), slot < own, "slot {slot} of {}", E::NAME);
                assert_eq!(verdict.is_ok(), slot >= own);
            }
        }
    }
}

#[test]
fn clauses_over_other_fields() {
    over::<F61, F61>();
    over::<F61, F61x2>();
    over::<F65537, F65537x4>();
    over::<F256, F128>();
}

#[test]
fn clauses_over_bits_with_short_macs() {
    over::<F2, F64>();
}
