//! Messages to the prover, received as late as it may.

use std::collections::VecDeque;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// Messages that a prover has received for the next iteration, and its sums over those that it has taken up.
pub(in crate::vole) struct Heard<C, E: Field> {
    /// Corrections of tiles that are not taken up yet.
    pub(in crate::vole) corrections: VecDeque<C>,
    /// Tiles whose corrections are taken up.
    pub(in crate::vole) taken: usize,
    /// Σ χ·MAC and Σ χ·value over their leaves.
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
    /// Receives as [`End::receive`](super::iterations::End::receive) does; `corrections` receives those of a
    /// tile.
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

    /// The corrections of the next tile, which were received.
    pub(in crate::vole) fn take(&mut self) -> C {
        self.taken += 1;
        self.corrections.pop_front().expect("received before")
    }

    /// Adds leaves to the check.
    pub(in crate::vole) fn add(&mut self, (mac, value): (E, E)) {
        self.sums.0 += mac;
        self.sums.1 += value;
    }
}
