//! C's functions on strings, written as programs: what they read and write is asserted like all else.
//!
//! Loops run as far as the arrays reach: who is still in one then has read or written beyond
//! an end, and so failed.

use super::{Bool, Char, Int, Pointer, Size};
use volery_circuit::Backend;
use volery_primitives::F2;

/// A C `char *`.
pub type Text<'c, B> = Pointer<'c, B, 8>;

/// C's `strlen`.
pub fn strlen<'c, B: Backend<F = F2>>(s: &Text<'c, B>) -> Size<'c, B> {
    let code = s.code();
    code.function(code.size(0), |function| {
        code.loop_(reach(s), |i| code.when(s.at(i).is_zero(), || function.return_(code.size(i))));
    })
}

/// C's `strcmp`: the difference of the first characters that differ.
pub fn strcmp<'c, B: Backend<F = F2>>(s: &Text<'c, B>, t: &Text<'c, B>) -> Int<'c, B> {
    strncmp(s, t, s.code().size(i128::from(u64::MAX)))
}

/// C's `strncmp`: `strcmp` of the first `n` characters.
pub fn strncmp<'c, B: Backend<F = F2>>(s: &Text<'c, B>, t: &Text<'c, B>, n: Size<'c, B>) -> Int<'c, B> {
    let code = s.code();
    code.function(code.int(0), |function| {
        code.loop_(reach(s).min(reach(t)), |i| {
            code.when(n.le(i), || function.return_(code.int(0)));
            let (x, y) = (s.at(i), t.at(i));
            code.when(x.ne(y), || function.return_(x.int() - y.int()));
            code.when(x.is_zero(), || function.return_(code.int(0)));
        });
    })
}

/// C's `memcmp`.
pub fn memcmp<'c, B: Backend<F = F2>>(s: &Text<'c, B>, t: &Text<'c, B>, n: Size<'c, B>) -> Int<'c, B> {
    let code = s.code();
    code.function(code.int(0), |function| {
        code.loop_(reach(s).min(reach(t)), |i| {
            code.when(n.le(i), || function.return_(code.int(0)));
            let (x, y) = (s.at(i), t.at(i));
            code.when(x.ne(y), || function.return_(x.int() - y.int()));
        });
    })
}

/// C's `strcpy`.
pub fn strcpy<'c, B: Backend<F = F2>>(to: &Text<'c, B>, from: &Text<'c, B>) {
    let code = from.code();
    code.loop_(reach(to).min(reach(from)), |i| {
        let c = from.at(i);
        to.set_at(i, c);
        code.when(c.is_zero(), || code.break_());
    });
}

/// C's `strncpy`: `n` characters, zeros after the end of `from`.
pub fn strncpy<'c, B: Backend<F = F2>>(to: &Text<'c, B>, from: &Text<'c, B>, n: Size<'c, B>) {
    let code = to.code();
    let ended = code.var(code.bool(false));
    code.loop_(reach(to), |i| {
        code.when(n.le(i), || code.break_());
        let c = code.var(code.char('\0'));
        code.when(!ended.get(), || c.set(from.at(i)));
        ended.set(c.get().is_zero());
        to.set_at(i, c.get());
    });
}

/// C's `memcpy`, for words of any width: `n` counts them.
pub fn memcpy<'c, B: Backend<F = F2>, const N: usize>(
    to: &Pointer<'c, B, N>,
    from: &Pointer<'c, B, N>,
    n: Size<'c, B>,
) {
    let code = to.code();
    code.loop_(reach(to).min(reach(from)), |i| {
        code.when(n.le(i), || code.break_());
        to.set_at(i, from.at(i));
    });
}

/// C's `memset`, for words of any width: `n` counts them.
pub fn memset<'c, B: Backend<F = F2>, const N: usize>(
    to: &Pointer<'c, B, N>,
    word: super::Unsigned<'c, B, N>,
    n: Size<'c, B>,
) {
    let code = to.code();
    code.loop_(reach(to), |i| {
        code.when(n.le(i), || code.break_());
        to.set_at(i, word);
    });
}

/// C's `strchr`: where `c` is first, or null.
pub fn strchr<'c, B: Backend<F = F2>>(s: &Text<'c, B>, c: Char<'c, B>) -> Text<'c, B> {
    let code = s.code();
    code.function(s.null(), |function| {
        code.loop_(reach(s), |i| {
            let at = s.at(i);
            code.when(at.eq(c), || function.return_(s + i));
            code.when(at.is_zero(), || function.return_(s.null()));
        });
    })
}

/// C's `atoi`: spaces, a sign, digits; zero where there are none.
pub fn atoi<'c, B: Backend<F = F2>>(s: &Text<'c, B>) -> Int<'c, B> {
    let code = s.code();
    let value = code.var(code.int(0));
    let negative = code.var(code.bool(false));
    // Whether spaces and signs are over.
    let started = code.var(code.bool(false));
    code.loop_(reach(s), |i| {
        let c = s.at(i);
        let first = !started.get();
        code.when(first & isspace(c), || code.continue_());
        started.set(code.bool(true));
        code.when(first & (c.eq('-') | c.eq('+')), || {
            negative.set(c.eq('-'));
            code.continue_();
        });
        code.when(!isdigit(c), || code.break_());
        let digit = (c - '0').int();
        let signed = negative.get().select(-digit, digit);
        value.update(|value| value * 10 + signed);
    });
    value.get()
}

/// C's `isdigit`.
pub fn isdigit<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Bool<'c, B> {
    (c - '0').lt(10)
}

/// C's `isupper`.
pub fn isupper<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Bool<'c, B> {
    (c - 'A').lt(26)
}

/// C's `islower`.
pub fn islower<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Bool<'c, B> {
    (c - 'a').lt(26)
}

/// C's `isalpha`.
pub fn isalpha<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Bool<'c, B> {
    // The cases differ in one bit.
    islower(c | 0x20)
}

/// C's `isalnum`.
pub fn isalnum<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Bool<'c, B> {
    isalpha(c) | isdigit(c)
}

/// C's `isspace`.
pub fn isspace<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Bool<'c, B> {
    c.eq(' ') | (c - '\t').lt(5)
}

/// C's `tolower`.
pub fn tolower<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Char<'c, B> {
    isupper(c).select(c | 0x20, c)
}

/// C's `toupper`.
pub fn toupper<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Char<'c, B> {
    islower(c).select(c - 0x20, c)
}

/// The runs of a loop over an array of which the last is beyond its end, wherever in it the pointer is.
fn reach<B: Backend<F = F2>, const N: usize>(pointer: &Pointer<'_, B, N>) -> u64 {
    pointer.capacity() as u64 + 1
}
