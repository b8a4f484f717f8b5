//! A group of gates as one over the extension: section III-B, approach 2.
//!
//! The left operands of n gates are the values of a polynomial F of degree n − 1 at the points 0, …, n −
//! 1, the right ones those of G, and the products, with n − 1 further values that the prover commits to,
//! those of H of degree 2n − 2 at 0, …, 2n − 2, where the number i names the field element that it
//! encodes. At a point ν of the extension, drawn after all of them, F(ν)·G(ν) = H(ν) but for 2n − 2 of all
//! ν where a product is wrong.
//!
//! A short group is filled up by gates 0·0 = 0, which both parties know.

use core::marker::PhantomData;
use volery_primitives::{Extension, Field, Tagged};
use volery_vole::macs::Values;

/// The gates of a group, n.
pub(crate) const GROUP: usize = 32;
/// The values of H that follow those of the gates.
pub(crate) const FURTHER: usize = GROUP - 1;
/// All values of H.
pub(super) const POINTS: usize = GROUP + FURTHER;

/// The point number `number`, as an element.
fn point<B: Field>(number: usize) -> B {
    B::from_word(number as u128).expect("a field of more elements than there are points")
}

/// The weights that evaluate, at `at`, a polynomial given by its values at the first `points` points.
pub(super) fn weights<B: Field, E: Extension<B>>(points: usize, at: E) -> Vec<E> {
    let differences: Vec<E> = (0..points).map(|i| at - E::from(point::<B>(i))).collect();
    (0..points)
        .map(|i| {
            let others = (0..points).filter(|j| *j != i);
            let mut numerator = E::ONE;
            let mut denominator = B::ONE;
            for j in others {
                numerator *= differences[j];
                denominator *= point::<B>(i) - point(j);
            }
            numerator.scale(denominator.invert())
        })
        .collect()
}

/// The weights of the first points, for each of the further points.
pub(super) fn further<B: Field>() -> Vec<Vec<B>> {
    (GROUP..POINTS).map(|number| weights::<B, B>(GROUP, point(number))).collect()
}

/// The weights that evaluate a group's polynomials at ν: those of F and G, and those of H.
pub(super) struct At<E> {
    pub(super) factors: Vec<E>,
    pub(super) product: Vec<E>,
}

impl<E: Field> At<E> {
    pub(super) fn new<B: Field>(nu: E) -> Self
    where
        E: Extension<B>,
    {
        Self { factors: weights::<B, E>(GROUP, nu), product: weights::<B, E>(POINTS, nu) }
    }
}

/// Values of the extension itself, packed from shares of its coordinates.
pub(super) struct Packed<E>(PhantomData<E>);

impl<E: Field> Values for Packed<E> {
    type F = E;
    type E = E;
    type Tag = Tagged<E, E>;

    fn value(tag: Tagged<E, E>) -> E {
        tag.value
    }
    fn mac(tag: Tagged<E, E>) -> E {
        tag.mac
    }
    fn corrected(tag: Tagged<E, E>, value: E) -> Tagged<E, E> {
        Tagged { value, mac: tag.mac }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_channel::random::Random;
    use volery_primitives::{F61, F61x2, F128, F256, F65537, F65537x4, Q32, Q32x2};
    use volery_vole::vole::subfield::uniform;

    /// Values of a polynomial at all points follow from its values at the first ones, and at others, too; at
    /// a point itself only its own counts.
    fn values_follow<B: Field, E: Extension<B>>() {
        let mut random = Random::from_seed(&[5; 32]);
        let coefficients: Vec<B> = (0..GROUP).map(|_| uniform(&mut random)).collect();
        let value = |at: E| coefficients.iter().rev().fold(E::ZERO, |sum, &c| sum * at + E::from(c));
        let values: Vec<E> = (0..POINTS).map(|i| value(E::from(point::<B>(i)))).collect();
        let sum = |weights: &[E]| weights.iter().zip(&values).map(|(&w, &v)| w * v).sum::<E>();
        for (number, weights) in (GROUP..).zip(further::<B>()) {
            let weights: Vec<E> = weights.into_iter().map(E::from).collect();
            assert_eq!(sum(&weights), values[number]);
        }
        for _ in 0..3 {
            let nu: E = uniform(&mut random);
            let at = At::new::<B>(nu);
            assert_eq!((sum(&at.factors), sum(&at.product)), (value(nu), value(nu)));
        }
        let own = At::<E>::new::<B>(E::from(point::<B>(3)));
        assert!((0..POINTS).all(|i| own.product[i] == if i == 3 { E::ONE } else { E::ZERO }));
    }

    #[test]
    fn polynomials_are_interpolated_over_every_field() {
        values_follow::<F61, F61>();
        values_follow::<F61, F61x2>();
        values_follow::<Q32, Q32x2>();
        values_follow::<F65537, F65537x4>();
        values_follow::<F256, F128>();
    }
}
