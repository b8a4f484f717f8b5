//! The verifier's messages about the next iteration, which the prover receives as late as it may.

use std::collections::VecDeque;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// Messages that the prover has received for the next iteration, and its sums over those that it has used.
pub(in crate::vole) struct Heard<C, E: Field> {
    /// Corrections of tiles that were received and not used yet.
    pub(in crate::vole) corrections: VecDeque<C>,
    /// The number of tiles whose corrections were used.
    pub(in crate::vole) taken: usize,
    /// Σ χ·MAC and Σ χ·value over the leaves of these tiles.
    pub(in crate::vole) sums: Zeroizing<(E, E)>,
    /// The verifier's message in each exchange.
    pub(in crate::vole) answers: Vec<[u8; 32]>,
}

impl<C, E: Field> Default for Heard<C, E> {
    fn default() -> Self {
        Self { corrections: VecDeque::new(), taken: 0, sums: Zeroizing::default(), answers: Vec::new() }
    }
}

impl<C, E: Field> Heard<C, E> {
    /// Receives as [`End::receive`](super::iterations::End::receive) says; `corrections` receives those of
    /// one tile.
    pub(in crate::vole) fn receive(
        &mut self,
        channel: &mut Channel,
        [tiles, exchanges]: [usize; 2],
        corrections: impl Fn(&mut Channel) -> Result<C>,
    ) -> Result<()> {
        while self.taken + self.corrections.len() < tiles {
            self.corrections.push_back(corrections(channel)?);
        }
        while self.answers.len() < exchanges {
            self.answers.push(channel.recv_array()?);
        }
        Ok(())
    }

    /// The corrections of the next tile, which have been received.
    pub(in crate::vole) fn take(&mut self) -> C {
        self.taken += 1;
        self.corrections.pop_front().expect("received before")
    }

    /// Adds a tile's combined leaves to the check.
    pub(in crate::vole) fn add(&mut self, (mac, value): (E, E)) {
        self.sums.0 += mac;
        self.sums.1 += value;
    }
}
