//! Bilinear forms that wait for a challenge.

/// The entries of forms that wait before a challenge is drawn.
pub const FORM_ENTRIES: u64 = 1 << 21;

/// The forms that wait for a challenge, as they are counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Products {
    waiting: u64,
    challenges: u64,
}

impl Products {
    /// Counts a form of so many entries, and gives whether it is the last one before a challenge.
    pub fn add(&mut self, entries: u64) -> bool {
        self.waiting = self.waiting.saturating_add(entries.max(1));
        self.waiting >= FORM_ENTRIES && self.end()
    }

    /// Ends the wait of those that are there, and gives whether there are any.
    pub fn end(&mut self) -> bool {
        let any = core::mem::take(&mut self.waiting) > 0;
        self.challenges += u64::from(any);
        any
    }

    /// The challenges so far.
    pub fn challenges(&self) -> u64 {
        self.challenges
    }
}
