//! What tests of several modules need.

use crate::card::Card;
use std::time::Duration;
use volery_channel::channel::{Channel, Party, pipe};
use volery_channel::error::Result;

/// A card, which may be the software of Mesa.
pub(crate) fn card() -> Card {
    Card::open(0, 1 << 30).expect("a driver of Vulkan: see gpu/README.md")
}

/// Both parties on two threads.
pub(crate) fn talk(
    prover: impl FnOnce(&mut Channel) -> Result<()> + Send,
    verifier: impl FnOnce(&mut Channel) -> Result<()>,
) {
    let (here, there) = pipe(Duration::from_secs(100));
    std::thread::scope(|scope| {
        let proving = scope.spawn(move || prover(&mut Channel::new(Party::Prover, here)).unwrap());
        verifier(&mut Channel::new(Party::Verifier, there)).unwrap();
        proving.join().unwrap();
    });
}
