//! Limbo: a proof by parties in the prover's head, which can be a file (de Saint Guilhem, Orsini
//! and Tanguy, CCS 2021).
//!
//! **Relation.** The prover knows inputs, witness and hints, with which the circuit asserts only zeros. What
//! follows is for circuits over F_2; `arithmetic` says what is otherwise over large fields.
//!
//! **Idea.** The prover plays n parties that share the inputs and the products of all gates by xor, τ times
//! over. What the parties compute from these is linear. That the products are right is one claim: a random
//! combination of all of them is an inner product, and is made shorter by the factor k in each of r rounds.
//! In the end the prover opens what all parties but one had, whom it did not choose, and the verifier looks
//! whether these did what they should.
//!
//! **Notation.** m products, over a large field m entries of claims; L_0 = m, L_u = ⌈L_{u-1}/k⌉; r = max(1,
//! ⌊log_k m⌋), or 0 where m = 0; a check field of l bits. A *view* is a sum of parties ([`Aggregation`]); V
//! of them are followed.
//!
//! | step | from | message | bytes | figure 5 of the paper |
//! |---|---|---|---|---|
//! | 1 | V | interactive only: a commitment to each of its r + 2 coins | 32 (r + 2) | the ideal coin |
//! | 2 | P | a salt; h_1, a digest of all seeds' commitments, all corrections of inputs and products, and the views' shares of what is asserted | 64 | sharing and evaluation |
//! | 3 | V | R | 32 | |
//! | 4, r times | P | corrections of the values of a product of polynomials at all points but one | τ l/8 (2k - 2), in the last round τ l/8 · 2k | compression |
//! | | V | s_u | 32 | |
//! | 5 | P | h_3, a digest of the two vectors at s_r, and of the views' shares of them and of their product | 32 | final opening |
//! | 6 | V | the hidden party of each repetition | 32 | |
//! | 7 | P | for each repetition: log2 n seeds, the hidden party's commitment, the two vectors at s_r | τ (16 log2 n + 32 + 2 L_r l/8) | |
//! | 8 | P | the corrections of inputs and products, tile by tile as the circuit comes to need them, τ bits each | τ (inputs + m) / 8 | |
//!
//! The verifier's 32 bytes are an opened coin; in a file there are none, and the prover's messages follow one
//! another: see `transcript`. Step 8 comes last so that a verifier needs one walk over the circuit, and keeps
//! nothing of it. It compares h_1 and h_3 with what follows from the openings; no other check is there.
//!
//! **Deviations.** h_1 is sent in a file too, 32 bytes, for that one walk. Neighbours are folded, entry j of
//! a vector with those that share ⌊j/k⌋, not entries a k-th of the length apart: their final places come in
//! the order of the gates. Trees are made by BLAKE3 and tapes by AES-128, where the reference has SHAKE. The
//! salt, the seeds and the coins are fresh: nothing is derived from the witness. n is a power of two.
//!
//! **Soundness.** Fix all that the digests bind. The seeds under the commitments, with the corrections, make
//! every party's tape; call what a party computes from its tape honest. Where the inputs that the tapes make
//! do not satisfy the circuit, an honest sum of shares of something asserted is not zero, or a product is
//! wrong. The latter survives a random R with probability at most (m-1)/2^l, and each round with
//! (2k-2)/(2^l - k), the last with 2k/(2^l - k - 1); otherwise the honest sums that are opened are not an
//! inner product. Then **at most one hidden party of each repetition lets it pass**: the digests hold, for
//! every view, a claimed share, and for all of them together a claimed sum, zero for what is asserted, or (f,
//! g, f·g). The honest sum is another, so for no view are the claims for it and for its complement both
//! honest. The verifier computes, of these two, the honest share of the one without the hidden party, and
//! accepts only where it is as claimed. So the claim that is not honest is that of the side on which the
//! hidden party is, for each view; and the sides of all views have one party in common ([`Aggregation`],
//! tested). That holds for any number of views whose sides tell any two parties apart, so for a hypercube as
//! for the parties one by one. A seed that no query to the hash explains is as a claim that is not honest:
//! two of them in a repetition never pass. [`Parameters`] computes what follows for τ repetitions, of which
//! an attacker may search the challenges in a file.
//!
//! **Zero knowledge.** The hidden party's tape is independent of all that the verifier sees but through
//! corrections, each of which it masks, and through f and g, which are masked by the random value that each
//! polynomial has at one more point in the last round, with a coefficient that is not zero, because s_r is
//! none of the first k points. Its commitment is a hash of its seed, whose other half is the key of its tape.
//! All shares of views follow from those of the others and the opened sums. So whoever knows the challenges
//! beforehand needs no witness: a simulator programs the hash that makes them. Over a channel that hash is of
//! a coin to which the verifier is bound before it sees a thing, and which the simulator reads from its
//! queries; what was said has a fresh salt, so that it was not asked before. What the prover does, and which
//! memory it reads, does not depend on the witness.
//!
//! **Memory.** The prover keeps its values, two bits for each product, the corrections, τ bits for each input
//! and product, and vectors of at most 2^16 entries. A verifier keeps nothing where one pass over the circuit
//! has room for all views; where several share the corrections, these are kept until all have taken them.
//!
//! **What an abort leaks.** The prover has checked its witness before it says anything, and goes on alike
//! whatever the coins are; it ends where a coin is not the one that was committed to. The verifier tells one
//! bit, whether it accepts. A prover that leaves once a coin is open may not have liked it: that is a try
//! which failed ([`Channel::hold_peer`]), and no broken link.

#![forbid(unsafe_code)]

mod aggregation;
mod arithmetic;
mod binary;
mod challenges;
mod claim;
pub mod parameters;
mod pass;
mod passes;
mod polynomials;
mod prover;
pub mod session;
mod shared;
mod shares;
mod simulation;
mod tape;
mod transcript;
mod verifier;

pub use aggregation::Aggregation;
pub use arithmetic::{ArithmeticViews, Elements};
pub use binary::Bits;
pub use parameters::{Challenges, CheckSize, Demand, Load, Mode, Parameters, Preference, Walk, Wishes};
pub use simulation::Views;
#[cfg(test)]
pub use tape::expanded_blocks;

use core::sync::atomic::AtomicU64;
use passes::{Digests, Scope};
use polynomials::Points;
use shares::Share;
use std::io::{Read, Write};
use std::rc::Rc;
use std::time::Duration;
use tape::Tapes;
use transcript::{ProverTranscript, VerifierTranscript};
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Error, Rejection, Result};
use volery_channel::random::Random;
use volery_circuit::stream::Executor;
use volery_circuit::{Circuit, Shape, nothing_asserted};
use volery_primitives::hash::Digest;
use volery_primitives::{Arch, CheckField, F128, Field};
use volery_proof::verdict::{Accepted, Gates};

/// Public terms of a proof, known to both parties before it begins, and settings of this party alone. The
/// parameters have passed [`Parameters::choose`].
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// The parameters of the proof.
    pub parameters: &'a Parameters,
    /// The choice of the sums of parties that are followed; both parties must agree on it.
    pub aggregation: Aggregation,
    /// The gates of the circuit.
    pub shape: &'a Shape,
    /// The sizes of the statement: [`Domain::demand`] of its shape.
    pub demand: Demand,
    /// Threads that share the repetitions among them.
    pub threads: usize,
    /// A counter of products, for those who watch. Each walk over the circuit adds its own.
    pub progress: Option<&'a AtomicU64>,
}

/// A domain of circuits: the field of their wires, and the form of the wires' shares.
pub trait Domain: Sized + 'static {
    /// The field of the wires' values.
    type F: Field;
    /// The backend of some views of some repetitions.
    type Views<'a>: Executor<F = Self::F>;

    /// The most views that are followed side by side.
    #[doc(hidden)]
    const SLOTS: usize;

    /// The blocks of a tape that 128 values take.
    #[doc(hidden)]
    const BLOCKS: u64;

    /// The most products of a tile.
    #[doc(hidden)]
    const TILE: u64;

    /// The fields that the products can be checked over.
    fn check_fields() -> Vec<CheckSize>;

    /// The sizes of a circuit of this shape on which a proof depends.
    fn demand(shape: &Shape) -> Demand;

    /// The cost of a walk over a circuit of this shape.
    fn walk(shape: &Shape) -> Walk {
        let sums = shape.sums;
        Walk {
            demand: Self::demand(shape),
            matrices: sums.matrix_inner.saturating_mul(sums.rows + sums.columns),
            linear: shape.add + shape.scale,
            asserted: shape.assert,
            slots: Self::SLOTS,
            blocks: Self::BLOCKS,
            tile: Self::TILE,
        }
    }

    /// Runs the prover's steps from the second on.
    #[doc(hidden)]
    fn prove(
        terms: &Terms,
        circuit: &(dyn for<'v> Circuit<Self::Views<'v>> + Sync),
        values: &[Self::F],
        transcript: &mut dyn ProverTranscript,
        random: &mut Random,
    ) -> Result<()>;

    /// Runs the verifier's steps from the second on.
    #[doc(hidden)]
    fn verify(
        terms: &Terms,
        circuit: &(dyn for<'v> Circuit<Self::Views<'v>> + Sync),
        transcript: &mut dyn VerifierTranscript,
    ) -> Result<(Accepted, Duration)>;
}

impl Terms<'_> {
    /// Whether there is something to prove.
    ///
    /// # Errors
    /// `Invalid` where the circuit asserts nothing.
    pub fn check(&self) -> Result<()> {
        if self.shape.assert == 0 { Err(nothing_asserted()) } else { Ok(()) }
    }

    /// The number that `progress` comes to. A prover simulates all views twice, before the challenges and
    /// after them.
    pub fn work<D: Domain>(&self, party: Party) -> u64 {
        let Parameters { repetitions, parties, .. } = *self.parameters;
        let views = self.aggregation.views(parties as usize);
        let times = if party == Party::Prover { 2 } else { 1 };
        times * self.demand.products * passes::walks(repetitions as usize, views, self.threads, D::SLOTS)
    }

    /// The gates of the proof, as its report will count them.
    pub fn gates(&self) -> Gates {
        Gates { mul: self.demand.products, ..Gates::by_gates(self.shape) }
    }

    fn entries(&self) -> u64 {
        self.demand.entries
    }

    fn rounds(&self) -> usize {
        self.parameters.rounds(self.entries()) as usize
    }

    /// The number of challenges: R, one for each round, and the hidden parties.
    fn challenges(&self) -> usize {
        self.rounds() + 2
    }

    /// The number of challenges of each kind to the check: one, or one for each repetition.
    fn groups(&self) -> usize {
        match self.parameters.challenges {
            Challenges::Identical => 1,
            Challenges::Independent => self.parameters.repetitions as usize,
        }
    }

    fn views(&self) -> usize {
        self.aggregation.views(self.parameters.parties as usize)
    }

    /// L_r, the length of the vectors that are opened.
    fn last_length(&self) -> usize {
        if self.rounds() == 0 { 0 } else { self.parameters.last_length(self.entries()) as usize }
    }

    /// The points of each round, each transformed by `made`. Only the last round's differ from the others.
    fn points<E: CheckField>(&self, made: impl Fn(Points<E>) -> Points<E>) -> Vec<Rc<Points<E>>> {
        let points = |last| Rc::new(made(Points::new(self.parameters.compression as usize, last)));
        match self.rounds() {
            0 => vec![],
            1 => vec![points(true)],
            rounds => [vec![points(false); rounds - 1], vec![points(true)]].concat(),
        }
    }

    /// The elements that the check takes of each tape: injected values, and masks.
    fn check_elements(&self) -> usize {
        let (rounds, k) = (self.rounds(), self.parameters.compression as usize);
        let injected = if rounds == 0 { 0 } else { (rounds - 1) * (2 * k - 2) + 2 * k };
        injected + 2 * self.last_length()
    }

    fn scope<'s>(&'s self, tapes: &'s [Tapes]) -> Scope<'s> {
        let counts = [self.demand.inputs, self.demand.products];
        Scope { arch: self.arch, tapes, counts, progress: self.progress }
    }
}

/// Proves `circuit` with `values` for its inputs, witness and hints in their order, over `channel`, whose
/// handshake has bound the statement and the parameters. The values must satisfy the circuit: the messages
/// about others are masked alike, and rejected.
///
/// # Errors
/// `Invalid` where the circuit asserts nothing or changes; `Misbehaved` where the verifier's coins are not
/// those that it committed to; link errors.
pub fn prove<D: Domain>(
    channel: &mut Channel,
    terms: &Terms,
    circuit: &(dyn for<'v> Circuit<D::Views<'v>> + Sync),
    values: &[D::F],
    random: &mut Random,
) -> Result<()> {
    terms.check()?;
    let mut transcript = transcript::Asked::new(channel, terms.challenges())?;
    D::prove(terms, circuit, values, &mut transcript, random)
}

/// Writes a proof of `circuit` to `out`, after `header`. The challenges bind the header and the messages, and
/// nothing else: so the header must name the statement, with everything that is public in it, and the
/// parameters.
///
/// # Errors
/// As for [`prove`], and `Io` where `out` fails.
pub fn write<D: Domain>(
    out: &mut dyn Write,
    header: &[u8],
    terms: &Terms,
    circuit: &(dyn for<'v> Circuit<D::Views<'v>> + Sync),
    values: &[D::F],
    random: &mut Random,
) -> Result<()> {
    terms.check()?;
    let mut transcript = transcript::Written::new(out, header, terms.challenges())?;
    D::prove(terms, circuit, values, &mut transcript, random)
}

/// Verifies a proof of `circuit` over `channel`, and gives the time it took from the openings on: before them
/// a verifier only receives.
///
/// # Errors
/// `Rejected` where it does not hold; `Misbehaved` where the prover breaks the format; link errors.
pub fn verify<D: Domain>(
    channel: &mut Channel,
    terms: &Terms,
    circuit: &(dyn for<'v> Circuit<D::Views<'v>> + Sync),
    random: &mut Random,
) -> Result<(Accepted, Duration)> {
    terms.check()?;
    let mut transcript = transcript::Asking::new(channel, terms.challenges(), random)?;
    D::verify(terms, circuit, &mut transcript)
}

/// Reads a proof of `circuit`, whose `header` was read and found to be right, to its end.
///
/// # Errors
/// As for [`verify`], and `Io` where `from` fails.
pub fn read<D: Domain>(
    from: &mut (dyn Read + Send),
    header: &[u8],
    terms: &Terms,
    circuit: &(dyn for<'v> Circuit<D::Views<'v>> + Sync),
) -> Result<Accepted> {
    terms.check()?;
    let mut transcript = transcript::Reading::new(from, header, terms.challenges());
    let (accepted, _) = D::verify(terms, circuit, &mut transcript)?;
    transcript.finish().map(|()| accepted)
}

/// The opening of one repetition.
struct Opening<E> {
    /// The seeds from which all parties' tapes but one follow.
    siblings: Vec<F128>,
    /// The commitment to the hidden party's seed.
    commitment: [u8; 32],
    /// The two vectors at the last challenge.
    sides: [Vec<E>; 2],
}

impl<E: CheckField> Opening<E> {
    fn bytes(depth: usize, last: usize) -> usize {
        16 * depth + 32 + 2 * last * E::ENCODED
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        self.siblings.iter().for_each(|seed| bytes.extend_from_slice(&seed.to_bytes()));
        bytes.extend_from_slice(&self.commitment);
        self.sides.iter().for_each(|side| write_elements(bytes, side));
    }

    fn read(bytes: &[u8], depth: usize, last: usize) -> Result<Self> {
        let (siblings, bytes) = bytes.split_at(16 * depth);
        let (commitment, bytes) = bytes.split_at(32);
        let (left, right) = bytes.split_at(last * E::ENCODED);
        Ok(Self {
            siblings: siblings.as_chunks().0.iter().map(|seed| F128::from_bytes(*seed)).collect(),
            commitment: commitment.try_into().expect("32 bytes"),
            sides: [read_elements(left)?, read_elements(right)?],
        })
    }
}

fn write_elements<E: CheckField>(bytes: &mut Vec<u8>, elements: &[E]) {
    let from = bytes.len();
    bytes.resize(from + elements.len() * E::ENCODED, 0);
    let places = bytes[from..].chunks_exact_mut(E::ENCODED);
    places.zip(elements).for_each(|(bytes, element)| element.write(bytes));
}

fn read_elements<E: CheckField>(bytes: &[u8]) -> Result<Vec<E>> {
    let elements = bytes.chunks_exact(E::ENCODED).map(E::read).collect::<Option<_>>();
    elements.ok_or(Error::Rejected(Rejection::NonCanonicalElement))
}

/// h_1, the digest of the first messages.
fn first_digest(tapes: &[Tapes], said: &[Digests]) -> [u8; 32] {
    let mut digest = Digest::new("volery limbo v1, commitments and runs").number(tapes.len() as u64);
    for (tapes, said) in tapes.iter().zip(said) {
        digest = digest.field(tapes.commitments.as_flattened()).field(said.as_flattened());
    }
    digest.finish()
}

/// h_3, the digest of the opened vectors and of all views' shares of them.
fn final_digest<E: CheckField>(opened: &[[Vec<E>; 2]], shares: &[Share<E>], views: usize) -> [u8; 32] {
    let mut digest = Digest::new("volery limbo v1, shares of what is opened").number(opened.len() as u64);
    let mut bytes = vec![];
    for (opened, shares) in opened.iter().zip(shares.chunks_exact(views)) {
        bytes.clear();
        opened.iter().for_each(|side| write_elements(&mut bytes, side));
        for Share { sides, product } in shares {
            sides.iter().for_each(|side| write_elements(&mut bytes, side));
            write_elements(&mut bytes, &[*product]);
        }
        digest = digest.field(&bytes);
    }
    digest.finish()
}

#[cfg(test)]
mod tests;
