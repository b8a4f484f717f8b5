//! The price in an object of JSON, read from the first byte to the last by an automaton.
//!
//! Outside strings it counts braces and brackets that are open, 15 at most. At the top level, where one
//! is, it looks for `"price"`, white space or none, a colon, white space or none, and a number: one to
//! eight digits before the point (zeros that lead, which JSON has not, do not count), and then nothing, or
//! a point and one or two digits; behind it white space or none, and `,` or `}`. The object begins with the
//! first byte, and behind its end is white space or nothing. There has to be one such key, and whatever else
//! follows it is a mistake.
//!
//! Kinds of brackets are not told apart: `]` ends what `{` began, and the other way about, and as many have
//! to end as began. To tell them apart takes a stack of their kinds, some 30 ANDs for each byte, a quarter more.
//!
//! A string ends with the next quote before which there is no backslash, or one that is itself escaped;
//! nothing else is looked at in strings, nor in numbers and names other than the price.

use super::character::{Character, sum};
use super::decimal::{BITS, Decimal};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bit, Bytes, Word};
use volery_primitives::F2;

/// Digits before the point that are not zeros in front, at most.
const WHOLE: usize = 8;

/// The state of a parser of an object, after some of its bytes.
pub(super) struct Object<W> {
    in_string: Bit<W>,
    /// Whether the next byte is escaped.
    escaped: Bit<W>,
    /// Braces and brackets that are open.
    depth: Word<W, 4>,
    /// Whether the last byte was the quote that begins a key, `p`, …, `e`, or the quote that ends it
    /// or white space behind.
    key: [Bit<W>; 7],
    /// Whether a number is to come.
    start: Bit<W>,
    /// Whether the last byte was one of the number: a digit before the point, the point, the first or the
    /// second digit behind it.
    number: [Bit<W>; 4],
    /// Whether the number has ended, and nothing but white space stood behind it.
    behind: Bit<W>,
    /// Whether the number has a first and a second digit behind the point.
    fraction: [Bit<W>; 2],
    /// The digits so far.
    digits: Decimal<W>,
    /// Whether there was the key.
    found: Bit<W>,
    /// Whether its number has ended.
    ended: Bit<W>,
    broken: Bit<W>,
}

impl<W: Copy> Object<W> {
    /// The price in `text` in cents, and whether it has one. Where it has not, the price means nothing. 122
    /// ANDs or fewer for each byte.
    ///
    /// # Panics
    /// Where the text has no bytes.
    pub(super) fn read<B: Backend<F = F2, Wire = W>>(
        b: &mut B,
        text: &Bytes<W>,
    ) -> Result<(Decimal<W>, Bit<W>)> {
        let mut object = Self::new(b, text.byte(0))?;
        for byte in text.iter().skip(1) {
            let character = Character::of(b, byte)?;
            object.step(b, &character)?;
        }
        object.finish(b)
    }

    fn new<B: Backend<F = F2, Wire = W>>(b: &mut B, first: &Word<W, 8>) -> Result<Self> {
        let begins = first.equal(b, &Word::public(b'{'.into()))?;
        let no = Bit::Public(false);
        Ok(Self {
            in_string: no,
            escaped: no,
            depth: Word::public(1),
            key: [no; 7],
            start: no,
            number: [no; 4],
            behind: no,
            fraction: [no; 2],
            digits: Word::public(0),
            found: no,
            ended: no,
            broken: begins.not(b),
        })
    }

    fn step<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, c: &Character<W>) -> Result<()> {
        let unescaped = self.escaped.not(b);
        let quote = c.quote.and(b, unescaped)?;
        let outside = self.in_string.not(b);
        let opens = c.opening.and(b, outside)?;
        let closing = c.brace.xor(b, c.bracket);
        let closes = closing.and(b, outside)?;
        let top = self.nest(b, c, opens, closes)?;
        let begins = quote.and(b, outside)?;
        let begins = begins.and(b, top)?;
        let is_key = self.follow_key(b, c, begins, quote)?;
        self.follow_number(b, c, is_key)?;

        let escapes = c.backslash.and(b, self.in_string)?;
        self.escaped = escapes.and(b, unescaped)?;
        self.in_string = self.in_string.xor(b, quote);
        Ok(())
    }

    /// Opens or closes a level; gives whether the top level was the one that is open. 13 ANDs.
    fn nest<B: Backend<F = F2, Wire = W>>(
        &mut self,
        b: &mut B,
        c: &Character<W>,
        opens: Bit<W>,
        closes: Bit<W>,
    ) -> Result<Bit<W>> {
        let [d0, d1, d2, d3] = *self.depth.bits();
        let below_two = Word::<_, 3>::new([d1, d2, d3]).is_zero(b)?;
        let top = below_two.and(b, d0)?;
        let outside = below_two.xor(b, top);
        let visible = c.white.not(b);
        let beyond = outside.and(b, visible)?;
        self.break_where(b, beyond)?;
        let deepest = self.depth.not(b).is_zero(b)?;
        let too_deep = deepest.and(b, opens)?;
        self.break_where(b, too_deep)?;
        // 1, or 15, which is -1.
        let either = opens.xor(b, closes);
        self.depth = self.depth.add(b, &Word::new([either, closes, closes, closes]))?;
        Ok(top)
    }

    /// Whether the byte is the colon behind the key; `begins` where it is a quote that
    /// may begin one. 10 ANDs.
    fn follow_key<B: Backend<F = F2, Wire = W>>(
        &mut self,
        b: &mut B,
        c: &Character<W>,
        begins: Bit<W>,
        quote: Bit<W>,
    ) -> Result<Bit<W>> {
        let is_key = self.key[6].and(b, c.colon)?;
        let [p, r, i, letter_c, e] = c.price;
        let waits = self.key[6].and(b, c.white)?;
        for (at, letter) in [p, r, i, letter_c, e, quote].into_iter().enumerate().rev() {
            self.key[at + 1] = self.key[at].and(b, letter)?;
        }
        self.key[6] = self.key[6].xor(b, waits);
        self.key[0] = begins;
        let twice = is_key.and(b, self.found)?;
        self.break_where(b, twice)?;
        self.found = self.found.xor(b, is_key);
        Ok(is_key)
    }

    /// Takes the byte as part of the number, where one is read.
    fn follow_number<B: Backend<F = F2, Wire = W>>(
        &mut self,
        b: &mut B,
        c: &Character<W>,
        is_key: Bit<W>,
    ) -> Result<()> {
        let [whole, point, tenth, hundredth] = self.number;
        let waits = self.start.and(b, c.white)?;
        let before_point = self.start.xor(b, whole);
        let next_whole = before_point.and(b, c.is_digit)?;
        let next_point = whole.and(b, c.period)?;
        let next_tenth = point.and(b, c.is_digit)?;
        let next_hundredth = tenth.and(b, c.is_digit)?;
        let may_end = sum(b, &[whole, tenth, hundredth]);
        let follows = sum(b, &[c.comma, c.brace, c.white]);
        let ends = may_end.and(b, follows)?;
        let reads = sum(b, &[self.start, whole, point, tenth, hundredth]);
        let allowed = sum(b, &[waits, next_whole, next_point, next_tenth, next_hundredth, ends]);
        let follows_not = follows.not(b);
        let goes_on = self.behind.and(b, follows_not)?;
        // What is allowed is so only where the number is read, which is not behind it.
        let mistake = sum(b, &[reads, allowed, goes_on]);
        self.break_where(b, mistake)?;

        let highest = self.digits.bits()[4 * WHOLE - 4..4 * WHOLE].iter();
        let full = highest.copied().try_fold(Bit::Public(false), |any, bit| any.or(b, bit))?;
        let overflows = full.and(b, next_whole)?;
        self.break_where(b, overflows)?;
        let takes = sum(b, &[next_whole, next_tenth, next_hundredth]);
        let mut longer = *self.digits.shift_left(4).bits();
        longer[..4].copy_from_slice(c.digit.bits());
        self.digits = Word::select(b, takes, &Word::new(longer), &self.digits)?;

        self.start = is_key.xor(b, waits);
        self.number = [next_whole, next_point, next_tenth, next_hundredth];
        for (seen, next) in self.fraction.iter_mut().zip([next_tenth, next_hundredth]) {
            // With a second number the object is broken anyway.
            *seen = seen.xor(b, next);
        }
        let ends_or_behind = may_end.xor(b, self.behind);
        self.behind = ends_or_behind.and(b, c.white)?;
        self.ended = self.ended.xor(b, ends);
        Ok(())
    }

    fn break_where<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, mistake: Bit<W>) -> Result<()> {
        self.broken = self.broken.or(b, mistake)?;
        Ok(())
    }

    fn finish<B: Backend<F = F2, Wire = W>>(self, b: &mut B) -> Result<(Decimal<W>, Bit<W>)> {
        let closed = self.depth.is_zero(b)?;
        let whole = self.broken.not(b);
        let valid = closed.and(b, whole)?;
        let valid = valid.and(b, self.ended)?;
        // To cents: eight digits and two zeros fit.
        const { assert!(4 * (WHOLE + 2) == BITS) };
        let [tenth, hundredth] = self.fraction;
        let fewer = Word::select(b, tenth, &self.digits.shift_left(4), &self.digits.shift_left(8))?;
        let cents = Word::select(b, hundredth, &self.digits, &fewer)?;
        Ok((cents, valid))
    }
}
