//! Messages that come once, and that several passes receive.

use super::simulation::miscounted;
use super::transcript::VerifierTranscript;
use std::sync::{Mutex, MutexGuard, PoisonError};
use volery_channel::error::Result;

/// Received messages, kept until all passes have taken them.
pub(super) struct Shared<'t> {
    state: Mutex<SharedMessages<'t>>,
    passes: usize,
}

struct SharedMessages<'t> {
    transcript: &'t mut dyn VerifierTranscript,
    /// Each tile, and the number of passes that have still to take it.
    tiles: Vec<(Vec<u8>, usize)>,
}

impl<'t> Shared<'t> {
    /// Messages of `transcript` for `passes` passes.
    pub(super) fn new(transcript: &'t mut dyn VerifierTranscript, passes: usize) -> Self {
        Self { state: Mutex::new(SharedMessages { transcript, tiles: vec![] }), passes }
    }

    /// A new receiver, for one pass.
    pub(super) fn listener(&self) -> Listener<'_, 't> {
        Listener { shared: self, next: 0 }
    }

    fn state(&self) -> MutexGuard<'_, SharedMessages<'t>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiver of one pass.
pub(super) struct Listener<'s, 't> {
    shared: &'s Shared<'t>,
    next: usize,
}

impl VerifierTranscript for Listener<'_, '_> {
    fn hear(&mut self, bytes: &mut [u8]) -> Result<()> {
        let mut state = self.shared.state();
        let SharedMessages { transcript, tiles } = &mut *state;
        let number = self.next;
        self.next += 1;
        if number == tiles.len() {
            transcript.hear(bytes)?;
            tiles.push((bytes.to_vec(), self.shared.passes - 1));
            return Ok(());
        }
        let (tile, left) = &mut tiles[number];
        if tile.len() != bytes.len() {
            return Err(miscounted());
        }
        bytes.copy_from_slice(tile);
        *left -= 1;
        if *left == 0 {
            *tile = vec![];
        }
        Ok(())
    }

    fn challenge(&mut self) -> Result<[u8; 32]> {
        unreachable!("no challenge comes after the corrections")
    }
}
