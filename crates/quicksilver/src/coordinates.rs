//! The coordinates of an element of an extension, by which it is committed to.

use volery_primitives::{Extension, Field, U256};
use zeroize::Zeroizing;

/// The coordinates of which [`Extension::pack`] makes `element`. Time does not depend on it.
pub(super) fn coordinates<B: Field, E: Extension<B>>(element: E) -> impl Iterator<Item = B> {
    // Over F_2, and in odd characteristic, the encoding is that of the coordinates, one after the other, each at as
    // many bits as the next.
    let (degree, is_row) = (E::degree(), E::degree() == 1 || B::BITS == 1 || B::ONE + B::ONE != B::ZERO);
    let bits = E::BITS / degree;
    let word = Zeroizing::new(if is_row { element.to_integer() } else { mapped::<B, E>(element).into() });
    (0..degree).map(move |i| said(*word >> (bits * i) & U256::ones(bits)))
}

/// The field element with the encoding `integer`, which may be secret. The caller knows that it is canonical;
/// that is checked without a branch.
pub(super) fn said<F: Field>(integer: impl Into<U256>) -> F {
    let element = F::from_integer(integer.into());
    debug_assert!(element.is_some(), "an integer that says an element");
    element.unwrap_or(F::ZERO)
}

/// The coordinates over a field of characteristic two, packed into one integer, by the inverse of the matrix
/// that packs them.
fn mapped<B: Field, E: Extension<B>>(element: E) -> u128 {
    assert!(B::ONE + B::ONE == B::ZERO, "sums of encodings are encodings of sums");
    let bits = B::BITS * E::degree();
    let mut rows: Vec<(u128, u128)> = (0..bits)
        .map(|place| {
            let mut one = vec![E::ZERO; E::degree() as usize];
            one[(place / B::BITS) as usize] = E::from(B::place(place % B::BITS));
            (E::pack(&one).to_integer().low(), 1 << place)
        })
        .collect();
    for bit in 0..rows.len() {
        let pivot = (bit..rows.len()).find(|&row| rows[row].0 >> bit & 1 == 1).expect("a basis");
        rows.swap(bit, pivot);
        let (image, of) = rows[bit];
        for (row, (other, its)) in rows.iter_mut().enumerate() {
            if row != bit && *other >> bit & 1 == 1 {
                (*other, *its) = (*other ^ image, *its ^ of);
            }
        }
    }
    let word = Zeroizing::new(element.to_integer().low());
    let terms = rows.iter().enumerate().map(|(bit, (_, of))| of & (*word >> bit & 1).wrapping_neg());
    terms.fold(0, |sum, term| sum ^ term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_channel::random::Random;
    use volery_primitives::{F2, F61, F61x2, F128, F256, F65537, F65537x4};
    use volery_vole::vole::subfield::uniform;

    fn pack_again<B: Field, E: Extension<B>>() {
        let mut random = Random::from_seed(&[1; 32]);
        for _ in 0..20 {
            let element: E = uniform(&mut random);
            let embedded: Vec<E> = coordinates::<B, E>(element).map(E::from).collect();
            assert_eq!(embedded.len(), E::degree() as usize);
            assert_eq!(E::pack(&embedded), element, "{}", E::NAME);
        }
    }

    #[test]
    fn coordinates_pack_again() {
        pack_again::<F2, F128>();
        pack_again::<F256, F128>();
        pack_again::<F61, F61>();
        pack_again::<F61, F61x2>();
        pack_again::<F65537, F65537x4>();
    }
}
