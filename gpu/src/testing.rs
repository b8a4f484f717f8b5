//! What tests of several modules need.

use crate::card::Card;
use std::time::Duration;
use volery_channel::channel::{Channel, Party, pipe};
use volery_channel::error::Result;

/// A card, which may be the software of Mesa.
pub(crate) fn card() -> Card {
    Card::open(0, 1 << 30).expect("a driver of Vulkan: see gpu/README.md")
}

/// Both parties on two threads. Their links are open until both are done: one may have more to send.
pub(crate) fn talk(
    prover: impl FnOnce(&mut Channel) -> Result<()> + Send,
    verifier: impl FnOnce(&mut Channel) -> Result<()>,
) {
    let (here, there) = pipe(Duration::from_secs(100));
    let mut here = Channel::new(Party::Prover, here);
    let mut there = Channel::new(Party::Verifier, there);
    std::thread::scope(|scope| {
        let here = &mut here;
        let proving = scope.spawn(move || prover(here).unwrap());
        verifier(&mut there).unwrap();
        proving.join().unwrap();
    });
}
