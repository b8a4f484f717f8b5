//! The table of wires: what the plain program needs to hold.

use volery_channel::error::{Error, Result};

/// Why a wire could not be read or set.
pub(super) enum Misuse {
    /// The header announces fewer wires.
    OutOfRange,
    /// The wire is read before it is set.
    Unset,
    /// The wire is set a second time.
    SetTwice,
}

/// A value for each announced wire, and a bit that tells whether it is set.
pub(super) struct Wires<W> {
    /// Empty until the first wire is set, whose value then fills the table: a backend's wire has no default,
    /// and a bit beside the table costs less than an `Option` in it.
    values: Vec<W>,
    set: Vec<u64>,
    count: u64,
}

impl<W: Copy> Wires<W> {
    /// A table of `count` wires, none of them set.
    ///
    /// # Errors
    /// `Invalid` where memory does not suffice.
    pub(super) fn new(count: u64) -> Result<Self> {
        let exhausted = || {
            Error::invalid(format!(
                "the circuit has {count} wires, and their table does not fit into memory: split the circuit"
            ))
        };
        let length = usize::try_from(count).map_err(|_| exhausted())?;
        let (mut values, mut set) = (Vec::new(), Vec::new());
        values.try_reserve_exact(length).map_err(|_| exhausted())?;
        set.try_reserve_exact(length.div_ceil(64)).map_err(|_| exhausted())?;
        set.resize(length.div_ceil(64), 0);
        Ok(Self { values, set, count })
    }

    /// The value of `wire`.
    #[inline(always)]
    pub(super) fn get(&self, wire: u64) -> Result<W, Misuse> {
        if wire >= self.count {
            return Err(Misuse::OutOfRange);
        }
        if self.set[(wire / 64) as usize] >> (wire % 64) & 1 == 0 {
            return Err(Misuse::Unset);
        }
        Ok(self.values[wire as usize])
    }

    /// Sets `wire` to `value`.
    #[inline(always)]
    pub(super) fn put(&mut self, wire: u64, value: W) -> Result<(), Misuse> {
        if wire >= self.count {
            return Err(Misuse::OutOfRange);
        }
        let word = &mut self.set[(wire / 64) as usize];
        if *word >> (wire % 64) & 1 == 1 {
            return Err(Misuse::SetTwice);
        }
        *word |= 1 << (wire % 64);
        if self.values.is_empty() {
            self.values.resize(self.count as usize, value);
        }
        self.values[wire as usize] = value;
        Ok(())
    }
}
