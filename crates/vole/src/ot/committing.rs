//! Committing oblivious transfer: messages by choice, both of which the sender can be made to open.
//!
//! The sender holds pairs (m_j^0, m_j^1), the receiver chooses bits c_j and gets m_j^{c_j}. Later the sender
//! opens, and the receiver, who knows by then what both messages should have been, checks **both of every
//! transfer**, exactly as they were sent. So a sender that put something wrong where the receiver may not
//! have looked is found out, and the receiver answers alike whatever it chose: no wrong message tests its
//! choices. This is the committing transfer of Jawurek, Kerschbaum and Orlandi (CCS 2013), made of an
//! extension that is opened by revealing Δ.
//!
//! | from | message | bytes | |
//! |---|---|---|---|
//! | both | base transfers, trees of depth 8, corrections, check: [`softspoken`] | 8,224 + 4128 + 240·B + 288 | 1 |
//! | receiver | d_j = c_j ⊕ u_j, a bit for each of n transfers | n/8 | 2 |
//! | sender | m_j^0 ⊕ H(j, q_j) and m_j^1 ⊕ H(j, q_j ⊕ Δ) | 32·n | 3 |
//! | sender | Δ, and K = H(K_0, …, K_127), its keys of the base transfers | 48 | 4 |
//!
//! There are B blocks of 128 correlated transfers, in chunks as there; those beyond n stay unused. With
//! t_j = q_j ⊕ c_j·Δ the receiver has one pad of each pair. H is BLAKE3 under a key that depends on all
//! that was said before 3.
//!
//! **Opening.** The receiver of the correlated transfers was the sender of the base transfers and knows both
//! keys of each. So K is that of the keys which Δ chooses only where the sender used this Δ from the
//! beginning: to open another one it would have to know both keys of a base transfer. A commitment to Δ that
//! is not tied to the base transfers would not do. With Δ′ ready, the sender makes ciphertexts that open to
//! the right messages where the receiver's **whole** choice is a guess, and to wrong ones otherwise; it then
//! learns from the receiver's answer whether it is (`a_delta_that_was_not_used`). Then q_j = t_j ⊕ c_j·Δ, and
//! the ciphertexts are made once more and compared by their digest.
//!
//! **Security.** Against a receiver: that of the extension's check, 121 bits, and of H as a random oracle;
//! the sender sends nothing that depends on Δ before the check has passed. Against a sender: the choices are
//! hidden by u. What an abort of the receiver leaks after 4 is that the sender was dishonest, and nothing
//! else, as long as the receiver tells neither what was wrong nor anything before 4. Δ is spent by the
//! opening: each use makes its own base transfers.
//!
//! **Deviation**: the note's k = 1 takes 16 bytes a transfer and no trees; trees of depth 8 take 2, and
//! the opening of Δ is tied to the base transfers alike, whose choices are the complement of its bits in
//! the order of the trees.

use super::softspoken::{self, Depth};
use super::{base, pprf};
use subtle::{Choice, ConstantTimeEq};
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::hash::{Digest, Keyed};
use volery_primitives::{F2, F128, Field};
use zeroize::{Zeroize, Zeroizing};

/// The depth of the extension's trees: the one with the fewest bytes for a transfer, as there are few
/// transfers.
const DEPTH: Depth = Depth::Eight;

/// Transfers whose ciphertexts travel in one message.
const PIECE: usize = 512;

/// The sender's opening in the end: Δ, and K by which the receiver checks that it was used.
pub struct Opening {
    delta: F128,
    keys: [u8; 32],
}

impl Opening {
    /// Sends the opening.
    ///
    /// # Errors
    /// Link errors.
    pub fn send(&self, channel: &mut Channel) -> Result<()> {
        channel.send_words(&[self.delta])?;
        channel.send(&self.keys)
    }

    /// Receives an opening.
    ///
    /// # Errors
    /// Link errors.
    pub fn recv(channel: &mut Channel) -> Result<Self> {
        let mut delta = [F128::ZERO];
        channel.recv_words(&mut delta)?;
        Ok(Self { delta: delta[0], keys: channel.recv_array()? })
    }
}

/// K: the digest of one key of each base transfer.
fn digest_of_keys(sid: &[u8; 32], keys: impl Iterator<Item = F128>) -> [u8; 32] {
    let mut digest = Digest::new("volery committing transfer v1, base keys").field(sid);
    for key in keys {
        let mut bytes = key.to_bytes();
        digest = digest.field(&bytes);
        bytes.zeroize();
    }
    digest.finish()
}

/// H: the pads of one session.
struct Pads(Keyed);

impl Pads {
    /// The pads of a session, once both parties have received all that was sent so far.
    fn new(channel: &mut Channel) -> Self {
        Self(Keyed::new(channel.checkpoint("committing transfer")))
    }

    fn pad(&self, j: usize, row: F128) -> F128 {
        let mut input = Zeroizing::new([0; 32]);
        input[..16].copy_from_slice(&row.to_bytes());
        input[16..24].copy_from_slice(&(j as u64).to_le_bytes());
        F128::from_bytes(self.0.hash(&input))
    }

    /// The ciphertexts of transfer j, whose row is `row`.
    fn encrypt(&self, j: usize, row: F128, delta: F128, pair: [F128; 2]) -> [F128; 2] {
        [pair[0] ^ self.pad(j, row), pair[1] ^ self.pad(j, row ^ delta)]
    }
}

/// The running digest of the ciphertexts.
struct Sent(blake3::Hasher);

impl Sent {
    fn new() -> Self {
        Self(blake3::Hasher::new_derive_key("volery committing transfer v1, ciphertexts"))
    }

    fn absorb(&mut self, ciphertexts: &[F128]) {
        let bytes: Vec<u8> = ciphertexts.iter().flat_map(|word| word.to_bytes()).collect();
        self.0.update(&bytes);
    }

    fn digest(&self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// The pieces of a list of `length`: the place of the first transfer of each, and how many it has.
fn pieces(length: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..length).step_by(PIECE).map(move |first| (first, PIECE.min(length - first)))
}

/// The sender of messages: it will be the verifier.
pub struct Sender {
    delta: Zeroizing<F128>,
    /// K, the digest of base keys.
    keys: [u8; 32],
    /// The rows q_j, where t_j = q_j ⊕ c_j·Δ.
    rows: Zeroizing<Vec<F128>>,
}

impl Sender {
    /// Takes steps 1 and 2 of `count` transfers.
    ///
    /// # Errors
    /// `Misbehaved` where the receiver breaks them; link errors.
    pub fn new(channel: &mut Channel, arch: Arch, count: usize, random: &mut Random) -> Result<Self> {
        let sid = channel.checkpoint("committing transfer");
        let delta = Zeroizing::new(F128(random.word().0 | 1));
        let choices = pprf::choices(*delta, DEPTH.bits());
        let keys = base::receive(channel, choices, base::TRANSFERS, random)?;
        let digest = digest_of_keys(&sid, keys.iter().copied());
        let mut extension = softspoken::Sender::over(channel, arch, DEPTH, *delta, &keys)?;
        let mut rows: Zeroizing<Vec<F128>> = Zeroizing::new(Vec::with_capacity(count));
        let mut chunk = Zeroizing::new(Vec::new());
        while rows.len() < count {
            extension.extend(channel, &mut chunk)?;
            let missing = count - rows.len();
            rows.extend(chunk.iter().take(missing));
        }
        extension.check(channel)?;
        let mut corrections = vec![0; count.div_ceil(8)];
        channel.recv(&mut corrections)?;
        if !count.is_multiple_of(8) && corrections[count / 8] >> (count % 8) > 0 {
            return Err(Error::Misbehaved(Misbehaviour::UnknownTransfers));
        }
        for (j, row) in rows.iter_mut().enumerate() {
            row.0 ^= delta.0 & F2::low_bit((corrections[j / 8] >> (j % 8)).into()).mask();
        }
        Ok(Self { delta, keys: digest, rows })
    }

    /// Takes step 3: sends `messages`.
    ///
    /// # Errors
    /// Link errors.
    ///
    /// # Panics
    /// Where `messages` are not as many as the transfers.
    pub fn send(&self, channel: &mut Channel, messages: &[[F128; 2]]) -> Result<()> {
        assert_eq!(messages.len(), self.rows.len());
        let pads = Pads::new(channel);
        for (first, length) in pieces(messages.len()) {
            let rows = &self.rows[first..][..length];
            let ciphertexts = (first..).zip(rows.iter().zip(&messages[first..]));
            let ciphertexts: Vec<F128> =
                ciphertexts.flat_map(|(j, (row, pair))| pads.encrypt(j, *row, *self.delta, *pair)).collect();
            channel.send_words(&ciphertexts)?;
        }
        Ok(())
    }

    /// The opening of step 4, to be sent once the receiver has committed itself to all that it computed from
    /// its messages.
    pub fn open(self) -> Opening {
        Opening { delta: *self.delta, keys: self.keys }
    }
}

/// The receiver of messages: it will be the prover.
pub struct Receiver {
    sid: [u8; 32],
    pairs: base::Pairs,
    choices: Zeroizing<Vec<F2>>,
    /// The rows t_j.
    rows: Zeroizing<Vec<F128>>,
}

/// The receiver's state until the opening.
pub struct Received {
    receiver: Receiver,
    pads: Pads,
    ciphertexts: [u8; 32],
}

impl Receiver {
    /// Takes steps 1 and 2 of a transfer for each of `choices`.
    ///
    /// # Errors
    /// `Misbehaved` where the sender breaks them; link errors.
    pub fn new(
        channel: &mut Channel,
        arch: Arch,
        choices: Zeroizing<Vec<F2>>,
        random: &mut Random,
    ) -> Result<Self> {
        let sid = channel.checkpoint("committing transfer");
        let pairs = base::send(channel, base::TRANSFERS, random)?;
        let mut extension = softspoken::Receiver::over(channel, arch, DEPTH, &pairs)?;
        let mut rows: Zeroizing<Vec<F128>> = Zeroizing::new(Vec::with_capacity(choices.len()));
        let mut chunk = Zeroizing::new(Vec::new());
        while rows.len() < choices.len() {
            extension.extend(channel, &mut chunk)?;
            let missing = choices.len() - rows.len();
            rows.extend(chunk.iter().take(missing));
        }
        extension.check(channel)?;
        let mut corrections = vec![0; choices.len().div_ceil(8)];
        for (j, (row, choice)) in rows.iter().zip(choices.iter()).enumerate() {
            corrections[j / 8] |= ((row.bit0() + *choice).to_bool() as u8) << (j % 8);
        }
        channel.send(&corrections)?;
        Ok(Self { sid, pairs, choices, rows })
    }

    /// Takes step 3: receives the chosen messages. Nothing yet shows that they are the right ones.
    ///
    /// # Errors
    /// Link errors.
    pub fn receive(self, channel: &mut Channel) -> Result<(Zeroizing<Vec<F128>>, Received)> {
        let pads = Pads::new(channel);
        let mut sent = Sent::new();
        let mut messages = Zeroizing::new(Vec::with_capacity(self.rows.len()));
        for (first, length) in pieces(self.rows.len()) {
            let mut ciphertexts = vec![F128::ZERO; 2 * length];
            channel.recv_words(&mut ciphertexts)?;
            sent.absorb(&ciphertexts);
            for (j, pair) in (first..).zip(ciphertexts.as_chunks::<2>().0) {
                let chosen = pair[0].0 ^ (pair[0].0 ^ pair[1].0) & self.choices[j].mask();
                messages.push(F128(chosen) ^ pads.pad(j, self.rows[j]));
            }
        }
        Ok((messages, Received { receiver: self, pads, ciphertexts: sent.digest() }))
    }
}

impl Received {
    /// Whether `opening` shows that these were the sender's `messages`, all of them.
    ///
    /// # Panics
    /// Where they are not as many as the transfers.
    #[must_use]
    pub fn were(&self, messages: &[[F128; 2]], opening: &Opening) -> Choice {
        let Receiver { sid, pairs, choices, rows } = &self.receiver;
        assert_eq!(messages.len(), rows.len());
        let delta = opening.delta;
        let chosen = pprf::choices(delta, DEPTH.bits());
        let keys = pairs.iter().enumerate().map(|(i, pair)| pair[(chosen.0 >> i & 1) as usize]);
        let same_delta = digest_of_keys(sid, keys).ct_eq(&opening.keys);

        let mut sent = Sent::new();
        for (first, length) in pieces(rows.len()) {
            let mut ciphertexts = Vec::with_capacity(2 * length);
            for j in first..first + length {
                let row = F128(rows[j].0 ^ delta.0 & choices[j].mask());
                ciphertexts.extend(self.pads.encrypt(j, row, delta, messages[j]));
            }
            sent.absorb(&ciphertexts);
        }
        same_delta & (delta.bit0().to_bool() as u8).into() & sent.digest().ct_eq(&self.ciphertexts)
    }
}

/// Bytes of `transfers` transfers whose receiver is the prover: up to the sender's first message, and from
/// there on.
pub fn traffic(transfers: u64) -> [Carried; 2] {
    let choices = Carried::by_prover(transfers.div_ceil(8));
    let set_up = softspoken::traffic::set_up(Depth::Eight)
        + softspoken::traffic::rows(Depth::Eight, transfers, None)
        + choices;
    [set_up, Carried::by_verifier(32 * transfers + 48)]
}

#[doc(hidden)]
pub mod ideal;
#[cfg(test)]
mod tests;
