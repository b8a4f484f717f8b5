//! Turns of two halves of a proof that share one channel, and the lengths of their sections.
//!
//! A half is a prover or a verifier whose channel comes and goes: it has it in its **turn**, in which gates
//! are pushed into it and not into the other half. A turn ends with the half's **section**: with corrections
//! of all that was committed to. So what a verifier needs to walk through a turn was said when the turn was
//! over, and before anything of the next one; and wherever a half sends, receives or draws a challenge, all
//! that the other one has sent has arrived.
//!
//! Sections are as long as both parties expect them to be: the first one of a turn has what the last turn of
//! this half took, and each further one what this turn took before it. So turns that are alike, as in a loop,
//! send corrections for nothing that they do not commit to, and others at most some few.

use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU64, Ordering};
use volery_channel::channel::Channel;

/// The channel as one half has it: there only in the half whose turn it is.
pub(super) struct Turn<'a>(Option<&'a mut Channel>);

impl<'a> Turn<'a> {
    /// The half's own turn, with the channel.
    pub(super) fn with(channel: &'a mut Channel) -> Self {
        Self(Some(channel))
    }

    /// The other half's turn, without the channel.
    pub(super) fn of_other() -> Self {
        Self(None)
    }

    /// Whether it is the half's own turn.
    #[inline]
    pub(super) fn is_own(&self) -> bool {
        self.0.is_some()
    }

    /// Ends the half's own turn, and hands the channel out.
    pub(super) fn take(&mut self) -> Self {
        Self(self.0.take())
    }
}

// Whoever speaks out of turn has a bug: nothing that a peer says makes a turn.
impl Deref for Turn<'_> {
    type Target = Channel;

    fn deref(&self) -> &Channel {
        self.0.as_ref().expect("the other half's turn")
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut Channel {
        self.0.as_mut().expect("the other half's turn")
    }
}

/// Shares of a half's first section, of its shortest sections, and of its longest.
const FIRST: usize = 256;
const SHORTEST: usize = 8;
const LONGEST: usize = 4096;

/// The lengths of a half's sections, which both parties compute alike.
pub(super) struct Lengths {
    /// Commitments in this turn's finished sections, and in the last turn that had any.
    turn: usize,
    last: usize,
}

impl Default for Lengths {
    fn default() -> Self {
        Self { turn: 0, last: FIRST }
    }
}

impl Lengths {
    /// The length of the next section, of a block that has `left` shares: a multiple of eight, but for the
    /// last one.
    pub(super) fn next(&self, left: usize) -> usize {
        let expected = if self.turn == 0 { self.last } else { self.turn };
        expected.clamp(SHORTEST, LONGEST).next_multiple_of(8).min(left)
    }

    /// Ends a section that used up `used` shares.
    pub(super) fn end_section(&mut self, used: usize) {
        self.turn += used;
    }

    /// Ends the turn.
    pub(super) fn end_turn(&mut self) {
        if self.turn > 0 {
            self.last = core::mem::take(&mut self.turn);
        }
    }
}

/// A counter of multiplications for those who watch, if any. A half of a proof adds its own to those of the
/// other.
#[derive(Default)]
pub(super) struct Progress<'a> {
    to: Option<&'a AtomicU64>,
    /// The number that this half has added so far, and whether it is a half.
    told: u64,
    of_half: bool,
}

impl<'a> Progress<'a> {
    /// The counter of a whole proof, or of a half.
    pub(super) fn to(to: Option<&'a AtomicU64>, of_half: bool) -> Self {
        Self { to, told: 0, of_half }
    }

    /// Reports the number of multiplications so far.
    pub(super) fn tell(&mut self, multiplications: u64) {
        let Some(to) = self.to else { return };
        if self.of_half {
            // They are estimated while a batch is open, and may become fewer.
            to.fetch_add(multiplications.wrapping_sub(self.told), Ordering::Relaxed);
            self.told = multiplications;
        } else {
            to.store(multiplications, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sections of a turn that commits to so many values, one after the other.
    fn turn(lengths: &mut Lengths, mut values: usize) -> Vec<usize> {
        let mut sections = Vec::new();
        while values > 0 {
            let next = lengths.next(usize::MAX);
            lengths.end_section(next.min(values));
            values = values.saturating_sub(next);
            sections.push(next);
        }
        lengths.end_turn();
        sections
    }

    #[test]
    fn progress_is_that_of_both_halves() {
        let done = AtomicU64::new(7);
        let mut whole = Progress::to(Some(&done), false);
        whole.tell(5);
        whole.tell(3);
        assert_eq!(done.load(Ordering::Relaxed), 3);
        done.store(0, Ordering::Relaxed);
        let [mut bits, mut numbers] = [(); 2].map(|()| Progress::to(Some(&done), true));
        bits.tell(10);
        bits.tell(25);
        numbers.tell(100);
        // An estimate that was too high.
        bits.tell(20);
        numbers.tell(101);
        assert_eq!(done.load(Ordering::Relaxed), 121);
        Progress::default().tell(1);
    }

    #[test]
    fn turns_that_are_alike_have_one_section_of_their_length() {
        let lengths = &mut Lengths::default();
        assert_eq!(turn(lengths, 300), [256, 256]);
        assert_eq!(turn(lengths, 64), [304]);
        assert_eq!(turn(lengths, 64), [64]);
        assert_eq!(turn(lengths, 0), [0; 0]);
        assert_eq!(turn(lengths, 64), [64]);
        assert_eq!(turn(lengths, 65), [64, 64]);
        assert_eq!(turn(lengths, 1), [72]);
        assert_eq!(turn(lengths, 10_000), [8, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096]);
        assert_eq!(lengths.next(usize::MAX), LONGEST);
        assert_eq!(lengths.next(100), 100);
    }
}
