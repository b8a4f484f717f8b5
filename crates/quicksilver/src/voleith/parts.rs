//! Common computations of both parties: where the transcript starts, the link of a file, and the last
//! challenge.

use core::array;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use volery_channel::channel::Link;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Tasks};
use volery_primitives::F128;
use volery_primitives::arch::{self, Arch, SEARCHED};
use volery_primitives::hash::Digest;
use volery_primitives::secret::verdict;
use volery_proof::reading::unwritten;

/// The start of the transcript: step 0.
pub(super) fn start(header: &[u8], salt: &[u8], commitments: &[u8; 32]) -> [u8; 32] {
    Digest::new("volery voleith v1, start").field(header).field(salt).field(commitments).finish()
}

/// Bytes on their way between a party and a file.
#[derive(Clone, Default)]
pub(super) struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    /// Writes the bytes to `out`, and empties the buffer.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn pass_on(&self, out: &mut dyn Write) -> Result<()> {
        self.with(|bytes| {
            out.write_all(bytes).map_err(unwritten)?;
            bytes.clear();
            Ok(())
        })
    }

    /// Calls `f` on the bytes.
    pub(super) fn with<T>(&self, f: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A link whose other end is a file: sent bytes are kept in a buffer, and received bytes are taken from one.
pub(super) struct OfFile {
    pub(super) start: [u8; 32],
    pub(super) bytes: Bytes,
}

impl Link for OfFile {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.with(|all| all.extend_from_slice(bytes));
        Ok(())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.bytes.with(|all| {
            let (taken, _) = all.split_at_checked(bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
            bytes.copy_from_slice(taken);
            all.drain(..bytes.len());
            Ok(())
        })
    }
    fn binding(&self) -> Option<[u8; 32]> {
        Some(self.start)
    }
}

/// The label of a transcript's last challenge.
pub(super) const LAST: &str = "voleith last";

/// Counters that one thread tries in a row.
const PIECE: usize = 1 << 13;

/// The last challenge (step 5), up to the counter that is searched for.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) base: [u8; 32],
    bits: u32,
    grinding: u32,
}

impl Last {
    /// The last challenge of a transcript that ends in these values.
    pub(super) fn new(
        transcript: [u8; 32],
        (columns, constant, asserted): (&[u8], F128, &[u8; 32]),
        (bits, grinding): (u32, u32),
    ) -> Self {
        let digest = Digest::new("volery voleith v1, last").field(&transcript).field(columns);
        let base = digest.field(&constant.to_word().to_le_bytes()).field(asserted).finish();
        Self { base, bits, grinding }
    }

    /// The least counter whose hash has all the zeroes of grinding, and the Δ that it gives.
    ///
    /// # Panics
    /// Where there is none: with probability 2^-256 and less.
    pub(super) fn search(&self, arch: Arch, pool: &Pool) -> (u32, F128) {
        let mut pieces = (0..=u32::MAX).step_by(PIECE);
        let mut searching = Tasks::default();
        let counter = loop {
            while searching.len() <= pool.ahead()
                && let Some(first) = pieces.next()
            {
                let last = *self;
                searching.push(pool.run(move || last.least(arch, first)));
            }
            if let Some(counter) = searching.next().expect("one of 2^32") {
                break counter;
            }
        };
        (counter, self.delta(counter).expect("its bits are zero"))
    }

    /// The least good counter among [`PIECE`] from `first` on.
    fn least(&self, arch: Arch, first: u32) -> Option<u32> {
        let (words, _) = self.base.as_chunks::<4>();
        let key = array::from_fn(|i| u32::from_le_bytes(words[i]));
        let mask = (1 << self.grinding) - 1;
        let mut hashes = [0; SEARCHED];
        (first..=first + (PIECE as u32 - 1)).step_by(SEARCHED).find_map(|first| {
            arch::search(arch, &key, first, &mut hashes);
            // As below.
            let least = hashes.iter().position(|hash| verdict(hash & mask == 0))?;
            Some(first + least as u32)
        })
    }

    /// Δ, if the hash under this counter has all the zeroes of grinding.
    pub(super) fn delta(&self, counter: u32) -> Option<F128> {
        let mut hasher = blake3::Hasher::new_keyed(&self.base);
        hasher.update(&counter.to_le_bytes());
        let hash = hasher.finalize();
        let (low, rest) = hash.as_bytes().split_first_chunk::<16>().expect("32 bytes");
        let ground = u32::from_le_bytes(*rest.first_chunk().expect("16 bytes"));
        // The counter and Δ are what a file begins with: no secrets, though a prover computes them from some.
        if !verdict(ground & ((1 << self.grinding) - 1) == 0) {
            return None;
        }
        let low = u128::from_le_bytes(*low);
        let bits = (0..self.bits).map(|bit| u128::from(verdict(low >> bit & 1 == 1)) << bit);
        Some(F128(1 | bits.sum::<u128>() << 1))
    }
}
