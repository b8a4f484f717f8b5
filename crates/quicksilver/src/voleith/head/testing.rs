//! Dealers that cheat, for tests.

use super::{Dealer, Dealt};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_primitives::{Arch, F128};

/// A dealer's deviation from the protocol.
pub(crate) enum Deceit {
    /// Adds an error to what it corrects in a block of a message, the masks being message 0, and goes on as
    /// if the tree's part of Δ were the guess.
    Correction { message: usize, tree: usize, block: usize, error: F128, guess: usize },
    /// Commits to no leaf at a place of a tree.
    Commitment { tree: usize, place: usize, instead: [u8; 32] },
}

/// Deals as [`Dealt::new`] does, but for one deviation.
pub(crate) fn deal(
    by: ((Arch, &Pool), &[usize]),
    salt: &[u8; 32],
    random: &mut Random,
    commitments: u64,
    deceit: Deceit,
) -> (Dealt, Dealer) {
    let depths = by.1.to_vec();
    let alter = |i: usize, x: usize, commitment: &mut [u8; 32]| match deceit {
        Deceit::Commitment { tree, place, instead } if (i, x) == (tree, place) => *commitment = instead,
        _ => (),
    };
    let (dealt, mut dealer) = Dealt::deal(by, salt, random, commitments, alter);
    if let Deceit::Correction { message, tree, block, error, guess } = deceit {
        let mut number = 0;
        dealer.cheat = Some(Box::new(move |chunk| {
            if number == message {
                chunk.err(&depths, tree, (block, error), guess);
            }
            number += 1;
        }));
    }
    (dealt, dealer)
}
