//! Vectors of secrets, and the ways from a secret to a branch: a verdict, and what was sent.

use crate::arch::memcheck;
use core::ops::{Deref, DerefMut};
use zeroize::{DefaultIsZeroes, Zeroize, ZeroizeOnDrop};

/// A vector that is wiped when it is dropped, all of it at once: `Zeroizing<Vec<T>>` goes from element to
/// element.
#[derive(Clone)]
pub struct SecretVec<T: DefaultIsZeroes>(Vec<T>);

impl<T: DefaultIsZeroes> From<Vec<T>> for SecretVec<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(elements)
    }
}

/// Collects elements whose number is known: a vector that has to grow leaves a copy behind.
impl<T: DefaultIsZeroes> FromIterator<T> for SecretVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self(elements.into_iter().collect())
    }
}

impl<T: DefaultIsZeroes> Deref for SecretVec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: DefaultIsZeroes> DerefMut for SecretVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: DefaultIsZeroes> Zeroize for SecretVec<T> {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
        // What the vector was longer by, before it came here.
        self.0.spare_capacity_mut().zeroize();
    }
}

impl<T: DefaultIsZeroes> Drop for SecretVec<T> {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl<T: DefaultIsZeroes> ZeroizeOnDrop for SecretVec<T> {}

/// Whether a check on secrets holds, which is about to be known. Memcheck is told so, where the test named
/// `secrets` runs under it.
///
/// Who calls it says why the answer is no secret: it is the verdict, or that of a consistency check, at whose
/// failure the session ends.
#[inline]
pub fn verdict(holds: impl Into<bool>) -> bool {
    memcheck::told(u8::from(holds.into())) != 0
}

/// A value that was sent to the peer, and so is no secret any more: it may decide branches and addresses.
#[inline]
pub fn sent<T: Copy>(value: T) -> T {
    memcheck::told(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::F128;

    #[test]
    fn elements_are_wiped_in_place() {
        let mut elements = Vec::from([1, 2, 3, 4].map(F128));
        elements.truncate(3);
        let mut secret = SecretVec::from(elements);
        let copy = secret.clone();
        secret.zeroize();
        assert!(*secret == [F128(0); 3] && *copy == [1, 2, 3].map(F128));
    }
}
