//! Loads and stores of less than a word, or at odd addresses.

use super::{Machine, Misaligned};
use crate::decode::{Sign, Width};
use crate::fault::{Fault, Kind};
use crate::words::Words;

impl<W: Words> Machine<'_, W> {
    /// Stores the low bytes of `word` at `address`, a multiple of their number, if it can be written to.
    #[inline(always)]
    pub(super) fn store(&mut self, address: u32, width: Width, word: W::Word) -> bool {
        let word = match width {
            Width::Word => word,
            _ => {
                let Some(old) = self.memory.load(&mut self.words, address) else { return false };
                self.words.with_part(old, address % 4, width, word)
            }
        };
        let Some(place) = self.memory.place(&mut self.words, address) else { return false };
        *place = word;
        true
    }

    /// Loads from `address`, which is no multiple of the width.
    #[cold]
    pub(super) fn load_bytes(&mut self, address: u32, width: Width, sign: Sign) -> Result<W::Word, Fault> {
        let fault = |kind, about| Fault { kind, pc: self.pc, about };
        if self.misaligned == Misaligned::Fault {
            return Err(fault(Kind::Misaligned, address));
        }
        let mut whole = self.words.public(0);
        for i in 0..width.bytes() {
            let at = address.wrapping_add(i);
            let word = self.memory.load(&mut self.words, at).ok_or(fault(Kind::Load, at))?;
            let byte = self.words.part(word, at % 4, Width::Byte, Sign::Unsigned);
            whole = self.words.with_part(whole, i, Width::Byte, byte);
        }
        Ok(self.words.part(whole, 0, width, sign))
    }

    /// Stores the low bytes of `word` at `address`, which is no multiple of their number: all, or none.
    #[cold]
    pub(super) fn store_bytes(&mut self, address: u32, width: Width, word: W::Word) -> Result<(), Fault> {
        let fault = |kind, about| Fault { kind, pc: self.pc, about };
        if self.misaligned == Misaligned::Fault {
            return Err(fault(Kind::Misaligned, address));
        }
        let places = || (0..width.bytes()).map(|i| address.wrapping_add(i));
        for at in places() {
            self.memory.place(&mut self.words, at).ok_or(fault(Kind::Store, at))?;
        }
        for (i, at) in (0..).zip(places()) {
            let byte = self.words.part(word, i, Width::Byte, Sign::Unsigned);
            self.store(at, Width::Byte, byte);
        }
        Ok(())
    }
}
