//! Words of which the compiler knows nothing.

/// `word` as it is, but for what the compiler knows of it: of a mask that it knows to be all zeroes or all
/// ones it makes a branch at times, whose time depends on the bit behind the mask. Costs no instruction.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[inline(always)]
pub(crate) fn opaque(mut word: u64) -> u64 {
    // SAFETY: a comment, between two values in the same register.
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
    }
    word
}

/// `word` as it is, but for what the compiler knows of it.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
#[inline(always)]
pub(crate) fn opaque(word: u64) -> u64 {
    core::hint::black_box(word)
}
