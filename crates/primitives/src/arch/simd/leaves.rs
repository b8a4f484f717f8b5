//! Leaves of half a block: two of each parent's hash.

use super::trees::orthomorphism;
use super::{FLIGHT, Simd, aes, round_keys};
use crate::aes::Aes128;
use crate::field::F128;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// An element of 64 bits that is made of so many bits of a hash.
pub(in crate::arch) trait Leaf: DefaultIsZeroes {
    /// Makes elements of the halves of a vector.
    ///
    /// # Safety
    /// The condition of [`Simd`].
    unsafe fn of<V: Simd>(halves: V) -> V;
}

/// The blocks whose hashes are in flight, on the widest vector.
const PARENTS: usize = FLIGHT * 4;

/// The leaves below `FLIGHT·LANES` parents.
#[inline(always)]
unsafe fn grow_leaves_at<V: Simd, L: Leaf>(
    keys: &[V; 11],
    parents: *const F128,
    left: *mut L,
    right: *mut L,
) {
    const { assert!(size_of::<L>() == 8) };
    // SAFETY: the caller upholds the condition of `Simd`, and that `parents` is valid for FLIGHT·LANES
    // blocks, `left` and `right` for as many elements.
    unsafe {
        let high = V::splat(F128(u128::MAX << 64));
        let mut input = [high; FLIGHT];
        for (n, input) in input.iter_mut().enumerate() {
            *input = orthomorphism(V::load(parents.add(n * V::LANES)), high);
        }
        let mut hash = input;
        aes(keys, &mut hash);
        for (hash, input) in hash.iter_mut().zip(input) {
            *hash = L::of(hash.xor(input));
        }
        for n in (0..FLIGHT).step_by(2) {
            let (low, high) = hash[n].part(hash[n + 1]);
            low.store(left.add(n * V::LANES).cast());
            high.store(right.add(n * V::LANES).cast());
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn grow_leaves<V: Simd, L: Leaf>(
    key: &Aes128,
    parents: &mut [F128],
    leaves: &mut [L],
) {
    let (left, right) = leaves.split_at_mut(parents.len());
    let flight = FLIGHT * V::LANES;
    let whole = parents.len() - parents.len() % flight;
    // SAFETY: the caller upholds the condition of `Simd` and that there are two leaves to each parent; a
    // flight is within the slices, or within the buffers of the longest one.
    unsafe {
        let keys = round_keys::<V>(key);
        for i in (0..whole).step_by(flight) {
            let (left, right) = (left.as_mut_ptr().add(i), right.as_mut_ptr().add(i));
            grow_leaves_at(&keys, parents.as_ptr().add(i), left, right);
        }
        let (parents, left, right) = (&parents[whole..], &mut left[whole..], &mut right[whole..]);
        if !parents.is_empty() {
            let mut blocks = Zeroizing::new([F128(0); PARENTS]);
            let mut words = Zeroizing::new([L::default(); 2 * PARENTS]);
            blocks[..parents.len()].copy_from_slice(parents);
            let at = words.as_mut_ptr();
            grow_leaves_at(&keys, blocks.as_ptr(), at, at.add(PARENTS));
            left.copy_from_slice(&words[..parents.len()]);
            right.copy_from_slice(&words[PARENTS..][..parents.len()]);
        }
    }
}
