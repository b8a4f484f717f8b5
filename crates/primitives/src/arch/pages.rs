//! Advice to the operating system about memory.

/// Asks for huge pages behind the capacity of `elements`, which is about to be filled: with ordinary pages
/// most reads at random places miss the translation buffer, and each page costs a fault when it is first
/// written. The system grants them, if at all, where a whole aligned huge page lies within, so that tables of
/// a few megabytes and more gain.
#[cfg(target_os = "linux")]
pub fn advise_huge_pages<T>(elements: &mut Vec<T>) {
    const PAGE: usize = 4096;
    let start = elements.as_mut_ptr() as usize;
    let end = start + elements.capacity() * size_of::<T>();
    let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if first < last {
        // SAFETY: the range lies within one allocation that we hold exclusively, and this advice changes
        // neither its contents nor what may be done with it; an error is as good as a refusal.
        unsafe {
            libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE);
        }
    }
}

/// Does nothing: there is no such advice to give on this system.
#[cfg(not(target_os = "linux"))]
pub fn advise_huge_pages<T>(_: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::F128;

    #[test]
    fn advice_leaves_the_contents_alone() {
        for length in [0, 1, 300, 1 << 18] {
            let mut words: Vec<F128> = (0..length).map(F128).collect();
            advise_huge_pages(&mut words);
            assert!(words.iter().enumerate().all(|(i, word)| word.0 == i as u128));
        }
    }
}
