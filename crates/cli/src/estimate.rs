//! What a proof will send, from its number of commitments alone.
//!
//! Every message of a session has a length that both sides know beforehand. They are added up here from the message
//! tables at the head of the files that send them: `channel/handshake.rs`, `ot/base.rs`, `ot/pprf.rs`,
//! `ot/softspoken.rs` and `zk/quicksilver.rs` of the library. The tests hold the sums against runs, to the byte.

use volery::Correlations;

/// Bytes from the prover to the verifier and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub(crate) prover: u64,
    pub(crate) verifier: u64,
}

/// The rows of a block of SoftSpoken.
const BLOCK: u64 = 128;
/// The masks of QuickSilver's last check.
const MASKS: u64 = 128;
/// The longest chunk of SoftSpoken in blocks.
const LONGEST_CHUNK: u64 = 64;

/// What a QuickSilver proof over F_2 with this many commitments (inputs, hints and multiplications) sends in all.
pub(crate) fn quicksilver(commitments: u64, correlations: Correlations) -> Bytes {
    let k: u64 = match correlations {
        Correlations::SoftSpoken(Depth::Four) => 4,
        Correlations::SoftSpoken(Depth::Eight) => 8,
    };
    let trees = 128 / k;
    // Opening and hello of each side.
    let hello = 12 + 176;
    // Base transfers, the verifier being their receiver; corrections, sums and digest of the trees.
    let (to_sender, to_receiver) = (64 * 128, 32 * 128);
    let tree = 32 * (k - 1) * trees + 32 * trees + 32;

    let chunks = Chunks::cover(commitments);
    let vole = 16 * (trees - 1) * (chunks.blocks + chunks.mask_blocks);
    let corrections = BLOCK / 8 * chunks.blocks;
    let vole_check = 16 * (trees - 1) + 48;
    let check = 16 + 16 + 32;
    let verdict = 1;
    Bytes {
        prover: hello + to_receiver + tree + vole + corrections + vole_check + check,
        verifier: hello + to_sender + verdict,
    }
}

/// The blocks that commitments take.
struct Chunks {
    blocks: u64,
    /// Of a last chunk whose shares are masks, where the one before had too few left.
    mask_blocks: u64,
}

impl Chunks {
    /// Chunks of 8, 8, 16, 32 and then always 64 blocks, until they hold as many shares.
    fn cover(commitments: u64) -> Self {
        let (mut blocks, mut next) = (0, 8);
        while BLOCK * blocks < commitments {
            if blocks >= LONGEST_CHUNK {
                let chunk = BLOCK * LONGEST_CHUNK;
                blocks += (commitments - BLOCK * blocks).div_ceil(chunk) * LONGEST_CHUNK;
            } else {
                blocks += next;
                next = blocks.min(LONGEST_CHUNK);
            }
        }
        let spare = BLOCK * blocks - commitments;
        Self { blocks, mask_blocks: if spare < MASKS { next } else { 0 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use volery::channel::{Channel, Party, Traffic, pipe};
    use volery::circuit::Network;
    use volery::{Options, prove, verify};

    /// What the network of so many gates sends, and its number of commitments.
    fn run(gates: u64, correlations: Correlations) -> (u64, Traffic) {
        let network = Network::new(gates).expect("a network");
        let options = Options {
            correlations: Some(correlations),
            statement: Some(network.digest()),
            check: false,
            ..Options::default()
        };
        let (here, there) = pipe(Duration::from_secs(30));
        let traffic = std::thread::scope(|scope| {
            scope.spawn(|| {
                let witness: Vec<_> = network.witness([1; 32]).collect();
                prove(&network, witness, &mut Channel::new(Party::Prover, here), &options).expect("proved");
            });
            let mut channel = Channel::new(Party::Verifier, there);
            let (_accepted, report) = verify(&network, &mut channel, &options).expect("accepted");
            report.traffic
        });
        (network.width() as u64 + gates, traffic)
    }

    /// Around every chunk's end, and beyond the longest.
    #[test]
    fn sums_are_those_of_runs() {
        let at = |commitments: u64| commitments - 1024;
        #[rustfmt::skip]
        let sizes = [
            1, 500, at(2048), at(2048) - 127, at(2048) - 128, at(2048) + 1, at(4096), at(4096) + 1, at(8192) - 1,
            at(8192), at(16_384), at(16_384) - 128, at(16_384) + 1, at(24_576), 100_000,
        ];
        for correlations in Correlations::ALL {
            for gates in sizes {
                let (commitments, traffic) = run(gates, correlations);
                let bytes = quicksilver(commitments, correlations);
                let ran = Bytes { prover: traffic.received, verifier: traffic.sent };
                assert_eq!(bytes, ran, "{gates} gates over {correlations}");
            }
        }
    }
}
