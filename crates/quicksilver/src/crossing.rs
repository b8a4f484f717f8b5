//! Wires that come in from other shards and go out to them, and the check that one key holds all of them.
//!
//! A wire keeps **k = m + w·Δ** wherever Δ is the same: what a shard's prover and verifier hold for a wire,
//! value with MAC and key, is as good in another shard whose verifier has the same Δ. Nothing is said of it.
//! What the prover holds of a wire is not looked at: whatever it puts in its place, the verifier's key stands
//! for the value that the other shard gave.
//!
//! But the *prover* has to know that Δ is the same. With Δ' ≠ Δ in this shard, and a wire w from another one,
//! its MAC is k − w·Δ and not the k − w·Δ' that the verifier expects: so each MAC that the prover opens, and
//! each sum of the check of products, would say w·(Δ − Δ') to whoever knows both. So before it says any of
//! these it demands, once for each shard that wires come from, that the verifier has one key for both. The
//! other shard left two lines for this check and nothing else, of shares that commit to nothing there, r' and
//! r''; in attempt number a it takes r = r' + a·r'', a pair (m_r, u_r), and draws s = (m_s, u_s) here likewise:
//!
//! | from | message | bytes |
//! |---|---|---|
//! | prover | d = u_r − u_s, for each such shard | b'·n |
//! | verifier | commitment, under a salt, to the digest of k_r − k_s − d·Δ for all of them | 32 |
//! | prover | digest of m_r − m_s for all of them | 32 |
//! | verifier | the salt | 32 |
//!
//! The verifier opens where the prover's digest is its own, and the prover goes on where that opens the
//! commitment. All of it comes behind the VOLE's check, when each party has received all that the other has
//! said, and where no wires come in none of it is said.
//!
//! **For the prover.** With Δ_r and Δ_s behind the two lines, m_r − m_s = k_r − k_s − d·Δ_r − u_s·(Δ_r − Δ_s): a
//! verifier that can say this before the prover does knows u_s, which d hides by the uniform u_r: where Δ_r ≠
//! Δ_s it succeeds with probability 1/|E|. A difference d tells nothing, and what the prover says then is what
//! a verifier with one key knows. From a verifier with two it hides u_r no more: where the link ends between the
//! prover's digest and the salt the other end may know u_r, and so that is no broken link but
//! [`Misbehaviour::KeyNotShown`], which ends the run. Before, nothing that was said depends on u_r but d, a
//! one-time pad whose other part is drawn anew. Two attempts have independent lines, so that a worker which is
//! believed to be dead, and is not, spoils nothing.
//!
//! **For the verifier.** Its commitment hides what it commits to: a digest of a short Δ could be searched. It
//! opens what the prover has said itself. So the check tells a prover that cheats one thing: that what it said
//! was right, which is a guess at Δ; a wrong one ends the run ([`crate::sharded`]).

use subtle::ConstantTimeEq;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_circuit::crossing::{Carried, Crossing};
use volery_primitives::hash::Digest;
use volery_primitives::secret::verdict;
use volery_primitives::{Field, Tagged};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// The lines of the check that one shard leaves for each other.
pub const LINES: usize = 2;

/// A bound on the number of attempts at a shard.
pub const MOST_ATTEMPTS: u32 = 1 << 16;

/// The ends of crossing wires that one party holds, and of the lines that go with them: [`LINES`] for each
/// shard at the other end. Wiped on drop.
pub struct Ends<W: DefaultIsZeroes, L: DefaultIsZeroes> {
    /// Wires.
    pub wires: Carried<W>,
    /// Lines of the check of one key.
    pub lines: Zeroizing<Vec<L>>,
}

/// The wires that go out of a shard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outgoing {
    /// The number of wires.
    pub wires: usize,
    /// The number of shards that take them.
    pub shards: usize,
}

/// The state of one party that goes through a shard.
pub(super) struct Open<W: DefaultIsZeroes, L: DefaultIsZeroes> {
    pub(super) crossing: Crossing<W>,
    sources: Zeroizing<Vec<L>>,
    consumers: usize,
}

impl<W: DefaultIsZeroes, L: DefaultIsZeroes> Open<W, L> {
    /// The state before the first gate. `line` makes the check's line of the lines of each shard.
    fn with(incoming: Ends<W, L>, outgoing: Outgoing, line: impl Fn(&[L; LINES]) -> L) -> Self {
        let crossing = Crossing::new(incoming.wires, outgoing.wires);
        let sources = Zeroizing::new(incoming.lines.as_chunks().0.iter().map(line).collect());
        Self { crossing, sources, consumers: outgoing.shards }
    }

    /// The lines to be drawn.
    pub(super) fn lines(&self) -> usize {
        self.sources.len() + LINES * self.consumers
    }
}

/// The public element that stands for an attempt: no two attempts have the same.
fn number<E: Field>(attempt: u32) -> E {
    E::numbered(attempt.try_into().expect("few attempts"))
}

impl<W: DefaultIsZeroes, E: Field> Open<W, Tagged<E, E>> {
    /// The prover's state at the start of attempt number `attempt`.
    pub(super) fn of_prover(incoming: Ends<W, Tagged<E, E>>, outgoing: Outgoing, attempt: u32) -> Self {
        let number = number::<E>(attempt);
        Self::with(incoming, outgoing, |[first, second]| *first + second.scale(number))
    }

    /// Demands that the verifier has one key, with these `lines`, and gives what goes out.
    ///
    /// # Errors
    /// `Misbehaved` where it has not, or has not shown it; link errors.
    pub(super) fn prove(self, channel: &mut Channel, lines: &[(E, E)]) -> Result<Ends<W, Tagged<E, E>>> {
        let (own, left) = lines.split_at(self.sources.len());
        let pairs = || self.sources.iter().zip(own);
        if !own.is_empty() {
            let differences: Vec<E> = pairs().map(|(source, (_, value))| source.value - *value).collect();
            channel.send_elements(&differences)?;
            let id = channel.checkpoint("quicksilver one key");
            let committed: [u8; 32] = channel.recv_array()?;
            let ours = digest(&id, pairs().map(|(source, (mac, _))| source.mac - *mac));
            let salt = channel.send(&ours).and_then(|()| channel.recv_array());
            let salt: [u8; 32] = salt.map_err(|_| Error::Misbehaved(Misbehaviour::KeyNotShown))?;
            if !verdict(commitment(&id, &ours, &salt).ct_eq(&committed)) {
                return Err(Error::Misbehaved(Misbehaviour::OtherKey));
            }
        }
        let lines = left.iter().map(|&(mac, value)| Tagged { value, mac });
        Ok(Ends { wires: self.crossing.finish()?, lines: Zeroizing::new(lines.collect()) })
    }
}

impl<W: DefaultIsZeroes, E: Field> Open<W, E> {
    /// The verifier's state at the start of attempt number `attempt`.
    pub(super) fn of_verifier(incoming: Ends<W, E>, outgoing: Outgoing, attempt: u32) -> Self {
        let number = number::<E>(attempt);
        Self::with(incoming, outgoing, |[first, second]| *first + *second * number)
    }

    /// Shows that `delta` is the key of all, with these `lines`, under a `salt` that is used once, and gives
    /// what goes out. Where it is not to `open` its commitment, since another check has failed, it fails alike.
    ///
    /// # Errors
    /// `Misbehaved` where the prover has other ends; link errors.
    pub(super) fn verify(
        self,
        channel: &mut Channel,
        lines: &[E],
        (delta, salt): (E, &[u8; 32]),
        open: bool,
    ) -> Result<Ends<W, E>> {
        let (own, left) = lines.split_at(self.sources.len());
        if !own.is_empty() {
            let mut differences = vec![E::ZERO; own.len()];
            channel.recv_elements(&mut differences)?;
            let id = channel.checkpoint("quicksilver one key");
            let keys = self.sources.iter().zip(own).zip(&differences);
            let ours =
                digest(&id, keys.map(|((source, own), difference)| *source - *own - *difference * delta));
            channel.send(&commitment(&id, &ours, salt))?;
            let theirs: [u8; 32] = channel.recv_array()?;
            if !(verdict(ours.ct_eq(&theirs)) && open) {
                return Err(Error::Misbehaved(Misbehaviour::OtherKey));
            }
            channel.send(salt)?;
        }
        Ok(Ends { wires: self.crossing.finish()?, lines: Zeroizing::new(left.to_vec()) })
    }
}

/// The digest of the differences of all lines.
fn digest<E: Field>(id: &[u8; 32], differences: impl Iterator<Item = E>) -> [u8; 32] {
    let digest = Digest::new("volery quicksilver v1, one key").field(id);
    let field = |digest: Digest, element: E| {
        digest.field(&Zeroizing::new(element.to_integer().to_bytes())[..E::DIGESTED])
    };
    differences.fold(digest, field).finish()
}

fn commitment(id: &[u8; 32], digest: &[u8; 32], salt: &[u8; 32]) -> [u8; 32] {
    Digest::new("volery quicksilver v1, commitment to one key").field(id).field(digest).field(salt).finish()
}
