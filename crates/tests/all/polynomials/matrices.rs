//! Products of matrices.

use super::*;

/// Matrices with random entries, and their product.
fn matrices<F: Field>(
    rows: usize,
    inner: usize,
    columns: usize,
    seed: u8,
    public: bool,
) -> (Statement<F>, Vec<F>) {
    let witness: Vec<F> = elements(&mut Random::from_seed(&[seed; 32]), (rows + columns) * inner);
    let (left, right) = witness.split_at(rows * inner);
    let entry = |i: usize, j: usize| (0..inner).map(|k| left[i * inner + k] * right[k * columns + j]).sum();
    let product = (0..rows * columns).map(|at| entry(at / columns, at % columns)).collect();
    (Statement::Product { inner, columns, product, public }, witness)
}

#[test]
fn products_of_matrices_hold() {
    fn test<S: Dealt>() {
        for (rows, inner, columns) in [(1, 1, 1), (3, 5, 2), (40, 1, 7), (7, 33, 34)] {
            for public in [true, false] {
                let (statement, witness) = matrices::<S::F>(rows, inner, columns, 1, public);
                let gates = run::<S>(&statement, &statement, &witness, None).0.unwrap();
                assert_eq!((gates.matrices, gates.degree, gates.mul), (1, 2, 0));
            }
        }
    }
    over_every_field!(test);
}

/// 200 runs: a product that is wrong in one entry is never accepted.
#[test]
fn a_product_wrong_in_one_entry_is_rejected() {
    fn test<S: Dealt>() {
        for at in 0..30 {
            let (proved, witness) = matrices::<S::F>(5, 4, 6, at as u8, at % 2 == 0);
            let mut verified = proved.clone();
            let Statement::Product { product, .. } = &mut verified else { unreachable!() };
            product[at] += S::F::ONE;
            assert!(
                is_caught(&run::<S>(&proved, &verified, &witness, None).0),
                "entry {at} over {}",
                S::name()
            );
        }
    }
    over_every_field!(test);
}

/// Products of no rows have nothing to be wrong about, and so nothing that is shown.
#[test]
fn products_of_no_rows_assert_nothing() {
    fn test<S: Dealt>() {
        let (statement, witness) = matrices::<S::F>(0, 3, 2, 1, true);
        statement.run(&mut Clear::new(witness.clone())).unwrap();
        let refused = run::<S>(&statement, &statement, &witness, None).0.unwrap_err();
        assert!(matches!(&refused, Error::Invalid(why) if why.contains("asserts nothing")), "{refused}");
    }
    over_every_field!(test);
}
