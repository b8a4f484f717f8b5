//! Messages of the prover, and the challenges that answer them: over a channel, or in a file.
//!
//! Over a **channel** the verifier commits to a coin of 256 bits for each challenge before the prover says
//! anything, each by a digest of its own, and opens one where it is due. A challenge is a hash of the coin
//! and of all that the prover has said, a fresh salt first: the prover cannot steer what it cannot know, nor
//! the verifier what it is bound to. So a simulator that reads all coins from the verifier's queries to the
//! hash need not rewind.
//!
//! In a **file** a challenge is a hash of the statement, the parameters, and all that was said before it.

use std::io::{Read, Write};
use subtle::ConstantTimeEq;
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::random::Random;
use volery_primitives::hash::Digest;
use volery_primitives::secret::verdict;
use volery_proof::reading::{expect_end, read_proof};
use zeroize::Zeroizing;

/// The prover's end.
pub trait ProverTranscript {
    /// Sends `bytes`, whose number the verifier knows.
    fn say(&mut self, bytes: &[u8]) -> Result<()>;
    /// The next challenge to all that was sent.
    fn challenge(&mut self) -> Result<[u8; 32]>;
}

/// The verifier's end.
pub trait VerifierTranscript: Send {
    /// Receives `bytes`.
    fn hear(&mut self, bytes: &mut [u8]) -> Result<()>;
    /// The next challenge to all that was received.
    fn challenge(&mut self) -> Result<[u8; 32]>;
}

fn coin_commitment(sid: &[u8; 32], number: u64, coin: &[u8; 32]) -> [u8; 32] {
    Digest::new("volery limbo v1, commitment to a coin").field(sid).number(number).field(coin).finish()
}

fn challenge_from(coin: &[u8; 32], said: &[u8; 32]) -> [u8; 32] {
    Digest::new("volery limbo v1, challenge from a coin").field(coin).field(said).finish()
}

/// The prover's end over a channel.
pub(super) struct Asked<'c> {
    channel: &'c mut Channel,
    sid: [u8; 32],
    commitments: Vec<[u8; 32]>,
    /// The number of coins opened so far.
    opened: usize,
}

impl<'c> Asked<'c> {
    /// Takes step 1, for `challenges` challenges.
    pub(super) fn new(channel: &'c mut Channel, challenges: usize) -> Result<Self> {
        let sid = channel.checkpoint("limbo");
        let mut bytes = vec![0; 32 * challenges];
        channel.recv(&mut bytes)?;
        Ok(Self { channel, sid, commitments: bytes.as_chunks().0.to_vec(), opened: 0 })
    }
}

impl ProverTranscript for Asked<'_> {
    fn say(&mut self, bytes: &[u8]) -> Result<()> {
        self.channel.send(bytes)
    }

    fn challenge(&mut self) -> Result<[u8; 32]> {
        let said = self.channel.challenge(Party::Prover, "limbo");
        let coin: [u8; 32] = self.channel.recv_array()?;
        let number = self.opened;
        self.opened += 1;
        let commitment = coin_commitment(&self.sid, number as u64, &coin);
        if verdict(commitment.ct_eq(&self.commitments[number])) {
            Ok(challenge_from(&coin, &said))
        } else {
            Err(Error::Misbehaved(Misbehaviour::Coin))
        }
    }
}

/// The verifier's end over a channel.
pub(super) struct Asking<'c> {
    channel: &'c mut Channel,
    coins: Zeroizing<Vec<[u8; 32]>>,
    opened: usize,
}

impl<'c> Asking<'c> {
    /// Takes step 1, for `challenges` challenges.
    pub(super) fn new(channel: &'c mut Channel, challenges: usize, random: &mut Random) -> Result<Self> {
        let sid = channel.checkpoint("limbo");
        let coins: Zeroizing<Vec<[u8; 32]>> =
            Zeroizing::new((0..challenges).map(|_| random.bytes()).collect());
        let commitments = coins.iter().zip(0..).map(|(coin, number)| coin_commitment(&sid, number, coin));
        channel.send(commitments.collect::<Vec<_>>().as_flattened())?;
        Ok(Self { channel, coins, opened: 0 })
    }
}

impl VerifierTranscript for Asking<'_> {
    fn hear(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.channel.recv(bytes)
    }

    fn challenge(&mut self) -> Result<[u8; 32]> {
        let said = self.channel.challenge(Party::Prover, "limbo");
        let coin = self.coins[self.opened];
        self.opened += 1;
        self.channel.hold_peer();
        self.channel.send(&coin)?;
        Ok(challenge_from(&coin, &said))
    }
}

/// The running hash of a file, up to the last challenge.
struct Chain {
    hasher: blake3::Hasher,
    /// The numbers of challenges drawn and still to be drawn.
    drawn: u64,
    left: usize,
}

impl Chain {
    fn new(header: &[u8], challenges: usize) -> Self {
        let hasher = blake3::Hasher::new_derive_key("volery limbo v1, challenges of a proof file");
        let mut chain = Self { hasher, drawn: 0, left: challenges };
        chain.absorb(header);
        chain
    }

    fn absorb(&mut self, bytes: &[u8]) {
        if self.left > 0 {
            self.hasher.update(&(bytes.len() as u64).to_le_bytes());
            self.hasher.update(bytes);
        }
    }

    fn challenge(&mut self) -> [u8; 32] {
        self.absorb(&self.drawn.to_le_bytes());
        self.drawn += 1;
        self.left -= 1;
        self.hasher.finalize().into()
    }
}

/// The prover's end of a file.
pub(super) struct Written<'w> {
    out: &'w mut dyn Write,
    chain: Chain,
}

impl<'w> Written<'w> {
    /// A prover's end that writes `header` and a proof with so many challenges.
    pub(super) fn new(out: &'w mut dyn Write, header: &[u8], challenges: usize) -> Result<Self> {
        out.write_all(header).map_err(Error::io("writing the proof"))?;
        Ok(Self { out, chain: Chain::new(header, challenges) })
    }
}

impl ProverTranscript for Written<'_> {
    fn say(&mut self, bytes: &[u8]) -> Result<()> {
        // First of all, since the file may mark what is no secret any more.
        self.out.write_all(bytes).map_err(Error::io("writing the proof"))?;
        self.chain.absorb(bytes);
        Ok(())
    }

    fn challenge(&mut self) -> Result<[u8; 32]> {
        Ok(self.chain.challenge())
    }
}

/// The verifier's end of a file.
pub(super) struct Reading<'r> {
    from: &'r mut (dyn Read + Send),
    chain: Chain,
}

impl<'r> Reading<'r> {
    /// A verifier's end that reads a proof with so many challenges, behind a `header` that was read.
    pub(super) fn new(from: &'r mut (dyn Read + Send), header: &[u8], challenges: usize) -> Self {
        Self { from, chain: Chain::new(header, challenges) }
    }

    /// Demands the end of the file.
    pub(super) fn finish(self) -> Result<()> {
        expect_end(self.from)
    }
}

impl VerifierTranscript for Reading<'_> {
    fn hear(&mut self, bytes: &mut [u8]) -> Result<()> {
        read_proof(self.from, bytes)?;
        self.chain.absorb(bytes);
        Ok(())
    }

    fn challenge(&mut self) -> Result<[u8; 32]> {
        Ok(self.chain.challenge())
    }
}
