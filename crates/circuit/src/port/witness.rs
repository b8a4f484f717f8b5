//! The private bits of a statement over F_2.

use volery_primitives::F2;
use zeroize::Zeroizing;

/// The private bits of a statement, in the order in which it reads them. Wiped when dropped.
pub struct Witness {
    /// Bit i is bit i mod 8 of byte i / 8.
    packed: Zeroizing<Vec<u8>>,
    length: u64,
}

impl Witness {
    /// The bits.
    pub fn bits(&self) -> impl Iterator<Item = F2> + Clone + '_ {
        (0..self.length).map(|i| F2::low_bit((self.packed[(i / 8) as usize] >> (i % 8)).into()))
    }

    /// The number of bits.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether the statement has no private bits.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A witness to be filled. It never grows, since growing would leave a copy of it behind.
    pub fn with_capacity(bits: u64) -> Self {
        Self { packed: Zeroizing::new(Vec::with_capacity(bits.div_ceil(8) as usize)), length: 0 }
    }

    /// Adds a bit, for which there is room.
    pub fn push(&mut self, bit: F2) {
        let within = self.length % 8;
        if within == 0 {
            self.packed.push(0);
        }
        *self.packed.last_mut().expect("pushed with the first bit") |= (bit.to_word() as u8) << within;
        self.length += 1;
    }
}
