//! Shares as devices have them: integers of 64 bits, where elements have no more.

use volery_primitives::secret::verdict;
use volery_primitives::{Field, MacField, Tag as _};
use zeroize::Zeroizing;

/// The integers that elements are.
pub fn of_elements<F: Field>(elements: &[F]) -> Zeroizing<Vec<u64>> {
    Zeroizing::new(elements.iter().map(|element| element.to_integer().limbs()[0]).collect())
}

/// The integers that tags are: each value before its MAC.
pub fn of_tags<B: Field, E: MacField<B>>(tags: &[E::Tag]) -> Zeroizing<Vec<u64>> {
    let mut words = Zeroizing::new(Vec::with_capacity(2 * tags.len()));
    for tag in tags {
        words.push(tag.value().to_integer().limbs()[0]);
        words.push(tag.mac().to_integer().limbs()[0]);
    }
    words
}

/// The element that an integer is.
///
/// # Panics
/// Where it is none.
pub fn element<F: Field>(word: u64) -> F {
    let element = F::from_word(word.into());
    assert!(verdict(element.is_some()), "an integer that is an element");
    element.unwrap_or(F::ZERO)
}

/// The elements that integers are.
///
/// # Panics
/// Where they are none.
pub fn elements<F: Field>(words: &[u64]) -> Zeroizing<Vec<F>> {
    Zeroizing::new(words.iter().map(|word| element(*word)).collect())
}

/// The tags that integers are.
///
/// # Panics
/// Where they are none.
pub fn tags<B: Field, E: MacField<B>>(words: &[u64]) -> Zeroizing<Vec<E::Tag>> {
    let (pairs, _) = words.as_chunks::<2>();
    Zeroizing::new(pairs.iter().map(|[value, mac]| E::Tag::new(element(*value), element(*mac))).collect())
}
