//! Numbers in ranges, in columns of any length; provers whose numbers are beyond their range, or that cheat at
//! each commitment.

use crate::memory::Party;
use crate::memory::testing::{Pushed, assert_counted, is_caught, run_field};
use volery_channel::error::Result;
use volery_circuit::{Circuit, Count, Permutations, Tables};
use volery_primitives::{Bn254, F61, F61x2, F65537, F65537x4, Field, MacField, U256};
use volery_vole::macs::FieldMacs;

/// Columns of numbers that are said to have so many bits each. All are committed to first.
struct Columns<F>(Vec<(u32, Vec<F>)>);

impl<F: Field> Columns<F> {
    fn push<P: Tables<F = F>>(&self, p: &mut P) -> Result<()> {
        let zero = p.constant(F::ZERO);
        p.assert_zero(zero, "zero")?;
        let mut wires = vec![];
        for (_, column) in &self.0 {
            let known = column.clone();
            wires.push(p.hints(&[], column.len(), move |_| known.clone())?);
        }
        for ((bits, _), wires) in self.0.iter().zip(&wires) {
            p.assert_within(wires, *bits, &"a range")?;
        }
        Ok(())
    }

    /// Columns of these lengths, whose numbers are the least, the largest, and others.
    fn of(lengths: &[(u32, usize)]) -> Self {
        let mut state = 7_u128;
        let columns = lengths.iter().map(|&(bits, length)| {
            let numbers = (0..length).map(|i| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let others = U256::new(state.wrapping_mul(state), state) & U256::ones(bits);
                let number = [U256::ZERO, U256::ones(bits), others][i % 3];
                F::from_integer(number).expect("less than p")
            });
            (bits, numbers.collect())
        });
        Self(columns.collect())
    }
}

impl<F: Field> Pushed<F> for Columns<F> {
    fn push<P: Party<F = F> + Permutations + Tables>(&self, p: &mut P) -> Result<()> {
        Self::push(self, p)
    }
}

impl<F: Field> Circuit<Count<F>> for Columns<F> {
    fn run(&self, b: &mut Count<F>) -> Result<()> {
        self.push(b)
    }
}

/// Columns of one number and of many, around the ends of runs and of epochs, of one limb, two and many; and
/// numbers of as many bits once more, which have longer limbs.
#[test]
fn numbers_in_their_range_are_accepted_and_cost_what_is_counted() {
    fn test<B: Field, E: MacField<B>>(lengths: &[(u32, usize)]) {
        let columns = Columns::of(lengths);
        assert_counted::<FieldMacs<B, E>>(&columns, run_field::<B, E>(&columns, &[]).unwrap());
    }
    let some = [(16, 1), (1, 1), (8, 300), (16, 0), (16, 7), (9, 39), (7, 1), (16, 257), (13, 5)];
    test::<F61, F61>(&[(60, 1)]);
    test::<F61, F61>(&some);
    test::<F61, F61>(&[(32, 256), (20, 3), (60, 20), (32, 513), (24, 30)]);
    test::<F61, F61x2>(&some);
    test::<F65537, F65537x4>(&some);
    test::<Bn254, Bn254>(&[(253, 2), (128, 3), (64, 20), (129, 20)]);
}

/// One number of a column is the first beyond its range, or one less than zero, or has its range's bits and one
/// far above.
#[test]
fn numbers_beyond_their_range_are_rejected() {
    fn test<B: Field, E: MacField<B>>(cases: &[(u32, usize)]) {
        for &(bits, length) in cases {
            for beyond in [B::place(bits), -B::ONE, -B::place(bits - 1)] {
                let mut columns = Columns::<B>::of(&[(bits, length)]);
                columns.0[0].1[length / 2] = beyond;
                let verdict = run_field::<B, E>(&columns, &[]);
                assert!(is_caught(&verdict), "{beyond:?} of {bits} bits among {length}: {verdict:?}");
            }
        }
    }
    test::<F61, F61>(&[(1, 1), (8, 1), (8, 300), (13, 40), (16, 2), (22, 3), (24, 20), (59, 1)]);
    test::<F61, F61x2>(&[(13, 40)]);
    test::<F65537, F65537x4>(&[(15, 9)]);
}

/// Limbs, counts and sums that are off by one in turn; and the limbs of a number that are exchanged.
#[test]
fn a_commitment_that_is_off_is_rejected() {
    fn test<B: Field, E: MacField<B>>(step: usize) {
        let columns = Columns::<B>::of(&[(16, 3), (7, 2), (15, 40)]);
        let honest = run_field::<B, E>(&columns, &[]).unwrap();
        for at in (45..honest.inputs).step_by(step) {
            let verdict = run_field::<B, E>(&columns, &[(at, B::ONE)]);
            assert!(is_caught(&verdict), "{at}: {verdict:?}");
        }
    }
    test::<F61, F61>(13);
    test::<F61, F61x2>(41);
    test::<F65537, F65537x4>(41);
    // One number alone has eight limbs, to the upper ones of which the prover commits behind it, and then to counts.
    let columns = Columns(vec![(16, vec![F61::new(0x2143)])]);
    assert_eq!(run_field::<F61, F61>(&columns, &[]).unwrap().inputs, 1 + 7 + 4);
    let two = F61::new(2);
    assert!(is_caught(&run_field::<F61, F61>(&columns, &[(1, two), (2, -two)])));
}
