//! Memory for the lanes of polynomials: what one vector leaves behind is the next one's of its size, so that
//! the allocator does not stand between them. It is wiped when it goes, with the last of its party or before.

use core::mem;
use core::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard};
use volery_primitives::{Field, SecretVec};

/// Bytes that one party keeps of one kind at most.
const MOST: usize = 1 << 21;

/// Bytes of elements below which memory is not kept: the allocator has as much at hand.
const LEAST: usize = 1 << 10;

/// Free memory of one party, used by all threads that work for it.
pub struct Buffers<T: Field>(Arc<Mutex<Free<T>>>);

/// Free memory by its size.
struct Free<T: Field> {
    sizes: Vec<OfSize<T>>,
    bytes: usize,
    /// How often memory was taken or given.
    times: u64,
}

/// Free memory for so many elements.
struct OfSize<T: Field> {
    count: usize,
    free: Vec<SecretVec<T>>,
    /// The time when some was taken or given last.
    last: u64,
}

/// Elements in memory that goes back to its list when they are dropped. Memory that comes from no list is
/// wiped.
pub struct Lent<T: Field> {
    elements: SecretVec<T>,
    buffers: Option<Buffers<T>>,
}

impl<T: Field> Default for Buffers<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Free { sizes: Vec::new(), bytes: 0, times: 0 })))
    }
}

impl<T: Field> Clone for Buffers<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Field> Buffers<T> {
    fn free(&self) -> MutexGuard<'_, Free<T>> {
        self.0.lock().expect("nothing panics with the lock held")
    }

    /// A buffer of `count` elements with whatever values, for callers that set them all.
    pub fn any(&self, count: usize) -> Lent<T> {
        let (mut any, _) = self.lend(count);
        if cfg!(test) {
            // Whoever leaves some as they are is found out.
            any.fill(T::ONE);
        }
        any
    }

    /// A buffer of `count` zeroes.
    pub fn zeroes(&self, count: usize) -> Lent<T> {
        let (mut zeroes, are_new) = self.lend(count);
        if !are_new {
            zeroes.fill(T::ZERO);
        }
        zeroes
    }

    /// A buffer of `count` elements, and whether it is new, and so zero.
    fn lend(&self, count: usize) -> (Lent<T>, bool) {
        if !(LEAST..=MOST).contains(&(count * size_of::<T>())) {
            return (vec![T::ZERO; count].into(), true);
        }
        let waiting = self.free().take(count);
        let are_new = waiting.is_none();
        let elements = waiting.unwrap_or_else(|| vec![T::ZERO; count].into());
        (Lent { elements, buffers: Some(self.clone()) }, are_new)
    }

    /// A buffer of `count` copies of `element`.
    pub fn all(&self, element: T, count: usize) -> Lent<T> {
        let mut all = self.any(count);
        all.fill(element);
        all
    }

    /// A copy of `elements`.
    pub fn copy(&self, elements: &[T]) -> Lent<T> {
        let mut copy = self.any(elements.len());
        copy.copy_from_slice(elements);
        copy
    }

    /// A buffer of the elements of an iterator, whose number is known.
    pub fn collect(&self, elements: impl ExactSizeIterator<Item = T>) -> Lent<T> {
        let mut lent = self.any(elements.len());
        let mut set = 0;
        lent.iter_mut().zip(elements).for_each(|(lent, element)| {
            *lent = element;
            set += 1;
        });
        assert_eq!(set, lent.len());
        lent
    }
}

impl<T: Field> Free<T> {
    /// The free memory of a size, which is used now.
    fn of_size(&mut self, count: usize) -> &mut OfSize<T> {
        self.times += 1;
        let place = self.sizes.iter().position(|size| size.count == count).unwrap_or_else(|| {
            self.sizes.retain(|size| !size.free.is_empty());
            self.sizes.push(OfSize { count, free: Vec::new(), last: 0 });
            self.sizes.len() - 1
        });
        let size = &mut self.sizes[place];
        size.last = self.times;
        size
    }

    /// Memory for `count` elements, if some is free.
    fn take(&mut self, count: usize) -> Option<SecretVec<T>> {
        let taken = self.of_size(count).free.pop()?;
        self.bytes -= count * size_of::<T>();
        Some(taken)
    }

    /// Adds memory. If there is too much, some leaves of the size that was not used for the longest time.
    fn give(&mut self, elements: SecretVec<T>) -> Vec<SecretVec<T>> {
        self.bytes += size_of_val(&*elements);
        self.of_size(elements.len()).free.push(elements);
        let mut gone = Vec::new();
        while self.bytes > MOST {
            let some = self.sizes.iter_mut().filter(|size| !size.free.is_empty());
            let oldest = some.min_by_key(|size| size.last).expect("bytes of something");
            let first = oldest.free.swap_remove(0);
            self.bytes -= size_of_val(&*first);
            gone.push(first);
        }
        gone
    }
}

/// Elements in memory that comes from no list.
impl<T: Field> From<Vec<T>> for Lent<T> {
    fn from(elements: Vec<T>) -> Self {
        Self { elements: elements.into(), buffers: None }
    }
}

impl<T: Field> Clone for Lent<T> {
    fn clone(&self) -> Self {
        match &self.buffers {
            Some(buffers) => buffers.copy(self),
            None => self.to_vec().into(),
        }
    }
}

impl<T: Field> Drop for Lent<T> {
    fn drop(&mut self) {
        if let Some(buffers) = &self.buffers {
            let elements = mem::replace(&mut self.elements, Vec::new().into());
            // It is wiped behind the lock.
            let gone = buffers.free().give(elements);
            drop(gone);
        }
    }
}

impl<T: Field> Deref for Lent<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T: Field> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::iter;
    use volery_primitives::{F61, F128};

    /// The fewest elements that are kept.
    const KEPT: usize = LEAST / size_of::<F61>();

    /// The elements that wait, size by size, the oldest first.
    fn waiting<T: Field>(buffers: &Buffers<T>) -> Vec<Vec<T>> {
        let free = buffers.free();
        free.sizes.iter().flat_map(|size| &size.free).map(|elements| elements.to_vec()).collect()
    }

    #[test]
    fn what_is_given_back_is_taken_again() {
        let buffers = Buffers::default();
        let secret = buffers.collect((0..KEPT).map(|i| F61::new(i as u64 + 1)));
        let (copy, place) = (secret.clone(), secret.as_ptr());
        assert!(waiting(&buffers).is_empty());
        drop(secret);
        assert!(waiting(&buffers) == [copy.to_vec()]);
        // Others have memory of their own.
        assert!(buffers.zeroes(KEPT + 1).iter().all(|element| *element == F61::ZERO));
        let again = buffers.zeroes(KEPT);
        assert!(again.as_ptr() == place && again.iter().all(|element| *element == F61::ZERO));
        assert!(copy.iter().copied().eq((0..KEPT).map(|i| F61::new(i as u64 + 1))));
        drop([copy, again]);
        assert!(waiting(&buffers).iter().map(Vec::len).eq([KEPT, KEPT, KEPT + 1]));
        // Of what is set by its taker nothing is left.
        let last = buffers.all(F61::ONE, KEPT);
        assert!(last.iter().all(|element| *element == F61::ONE));
        let sum = buffers.copy(&last);
        assert!(sum.iter().all(|element| *element == F61::ONE));
    }

    #[test]
    fn buffers_are_bounded() {
        let buffers = Buffers::<F128>::default();
        let size = size_of::<F128>();
        // Kept are neither few elements, nor more than all that is kept, nor what was not lent.
        let large = buffers.zeroes(MOST / size + 1);
        drop([buffers.zeroes(LEAST / size - 1), vec![F128(1); LEAST / size].into(), large]);
        assert!(waiting(&buffers).is_empty());
        let third = MOST / size / 3;
        let all: Vec<_> = iter::successors(Some(third), |count| Some(count - 1)).take(4).collect();
        drop(all.iter().map(|count| buffers.zeroes(*count)).collect::<Vec<_>>());
        // The oldest has gone.
        assert!(waiting(&buffers).iter().map(Vec::len).eq(all[1..].iter().copied()));
        assert!(buffers.free().bytes <= MOST);
        let kept = buffers.zeroes(third - 1);
        drop(buffers.zeroes(MOST / size));
        assert!(waiting(&buffers).iter().map(Vec::len).eq([MOST / size]));
        // Buffers are there until the last that was lent has gone.
        drop(buffers);
        assert_eq!(kept.len(), third - 1);
    }
}
