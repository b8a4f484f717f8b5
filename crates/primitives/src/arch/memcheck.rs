//! Secrets as valgrind's memcheck is told of them: bytes that are marked as undefined, of which it then
//! reports each branch and each address that depends on them, as Langley's ctgrind does.
//!
//! A request is a few instructions that leave everything as it was, and mean something to valgrind alone. On
//! other machines than x86-64, and outside of valgrind, nothing happens.

/// Whether this program runs under valgrind.
pub fn is_watching() -> bool {
    request([RUNNING_ON_VALGRIND, 0, 0]) != 0
}

/// How often memcheck has found a branch or an address that depends on a secret, so far.
pub fn findings() -> u64 {
    request([COUNT_ERRORS, 0, 0])
}

/// Marks `values` as secret: nothing that is computed from them may decide what is done or where in memory.
pub fn hide<T>(values: &mut [T]) {
    request([MAKE_MEM_UNDEFINED, values.as_mut_ptr() as u64, size_of_val(values) as u64]);
}

/// Marks `bytes` as known to everybody, though they are made from secrets: because they are on their way to
/// the peer.
pub fn publish(bytes: &[u8]) {
    request([MAKE_MEM_DEFINED, bytes.as_ptr() as u64, bytes.len() as u64]);
}

/// A value that memcheck is told of, which may decide branches and addresses from here on.
#[inline(never)]
pub(crate) fn told<T: Copy>(value: T) -> T {
    let mut told = [value];
    request([MAKE_MEM_DEFINED, told.as_mut_ptr() as u64, size_of::<T>() as u64]);
    told[0]
}

// valgrind.h and memcheck.h.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
const COUNT_ERRORS: u64 = 0x1201;
const MAKE_MEM_UNDEFINED: u64 = 0x4d43_0001;
const MAKE_MEM_DEFINED: u64 = 0x4d43_0002;

/// The answer to a request with two arguments; zero where nobody answers.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn request([code, first, second]: [u64; 3]) -> u64 {
    let request = [code, first, second, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: the rotations add up to 128 bits, so that no register has changed but the answer's. What
    // valgrind marks by it is its own record of memory, which stays as it is.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn request(_: [u64; 3]) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_leave_the_bytes_alone() {
        let mut bytes = [1, 2, 3];
        hide(&mut bytes);
        publish(&bytes);
        assert_eq!(bytes, [1, 2, 3]);
    }
}
