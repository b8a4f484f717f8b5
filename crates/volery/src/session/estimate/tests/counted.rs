//! Proofs over shares that a dealer gives away, in the blocks of real ones, whose messages are counted.

use super::carried;
use crate::channel::{Carried, Channel, HANDSHAKE, Party, pipe, side_by_side};
use crate::circuit::Circuit as _;
use crate::circuit::accounting::Parameters;
use crate::circuit::stream::Stream;
use crate::error::Result;
use crate::ot::softspoken::BLOCK;
use crate::ot::softspoken::traffic::Chunks;
use crate::random::Random;
use crate::session::estimate::Estimate;
use crate::session::{
    Binary, BitCorrelations, Correlations, FieldCorrelations, Over, Proposition, Provable, Registered,
    Setting,
};
use crate::vole::lpn::TILE;
use crate::vole::subfield::{self, direct};
use crate::vole::{BoxedVole, Delta, Key, LEAST_BLOCK, Mac, Share, Shares, Vole, ideal};
use crate::zk::quicksilver::{KeyCommitments as _, ProverUnder};
use crate::zk::wolverine::{self, Terms};
use crate::zk::{Accepted, Gates, recv_end, recv_verdict, tell};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use volery_primitives::{Arch, Field, MacField, Tagged};

/// A setting whose shares can be dealt.
pub(super) trait Dealt: Setting {
    /// The prover's end of a dealer, in the shortest blocks.
    fn macs() -> BoxedVole<Self::Mac>;

    /// The verifier's end of that dealer, under `delta`.
    fn keys(delta: &Self::Delta) -> BoxedVole<Self::Key>;

    /// The lengths of blocks over `correlations`, from the first.
    fn lengths(correlations: Correlations) -> Box<dyn FnMut() -> usize>;
}

impl Dealt for Binary {
    fn macs() -> BoxedVole<Mac> {
        Box::new(ideal::Prover::new(1, LEAST_BLOCK))
    }

    fn keys(delta: &Delta) -> BoxedVole<Key> {
        Box::new(ideal::Verifier::new(1, LEAST_BLOCK, delta))
    }

    fn lengths(correlations: Correlations) -> Box<dyn FnMut() -> usize> {
        match BitCorrelations::of(correlations) {
            BitCorrelations::SoftSpoken(_) => {
                let mut drawn = None::<Chunks>;
                Box::new(move || match &mut drawn {
                    Some(chunks) => chunks.next_rows() as usize,
                    None => BLOCK * drawn.insert(Chunks::cover(1, None)).blocks as usize,
                })
            }
            BitCorrelations::Lpn(_) => Box::new(|| TILE),
        }
    }
}

impl<B: Field, E: MacField<B>> Dealt for Over<B, E>
where
    Over<B, E>: Registered,
{
    fn macs() -> BoxedVole<Tagged<B, E>> {
        Box::new(subfield::ideal::Prover::new(1, LEAST_BLOCK))
    }

    fn keys(delta: &subfield::Delta<B, E>) -> BoxedVole<subfield::Key<E>> {
        Box::new(subfield::ideal::Verifier::new(1, LEAST_BLOCK, delta))
    }

    fn lengths(correlations: Correlations) -> Box<dyn FnMut() -> usize> {
        match FieldCorrelations::of::<B>(correlations) {
            FieldCorrelations::Direct => {
                let mut drawn = 0;
                Box::new(move || {
                    let length = direct::next(drawn);
                    drawn += length;
                    length
                })
            }
            FieldCorrelations::Lpn(_) => Box::new(|| TILE),
        }
    }
}

/// A dealer's end that counts what is drawn from it.
struct Counted<S: Share> {
    dealer: BoxedVole<S>,
    lengths: Box<dyn FnMut() -> usize>,
    shares: Rc<Cell<u64>>,
}

impl<S: Share + 'static> Vole for Counted<S> {
    type Share = S;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<S>) -> Result<()> {
        let (length, mut part) = ((self.lengths)(), Shares::default());
        block.rows_mut().clear();
        while block.len() < length {
            self.dealer.block(channel, &mut part)?;
            block.rows_mut().extend_from_slice(part.rows(0));
        }
        assert_eq!(block.len(), length, "whole parts");
        self.shares.set(self.shares.get() + length as u64);
        Ok(())
    }

    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<S>> {
        Ok(self)
    }
}

/// The bytes of a session over these correlations, with `begun` behind its handshake, where its parties prove
/// and verify so; and the gates that its verifier has seen.
pub(super) fn counted<S: Dealt>(
    correlations: Correlations,
    begun: Carried,
    prove: impl FnOnce(&mut Channel, BoxedVole<S::Mac>) -> Result<()> + Send,
    verify: impl FnOnce(&mut Channel, BoxedVole<S::Key>, (&S::Delta, &mut Random)) -> Result<(Accepted, Gates)>,
) -> (Estimate, Gates) {
    let (here, there) = pipe(Duration::from_secs(60));
    let prover = move || {
        let channel = &mut Channel::new(Party::Prover, here);
        let vole = Counted { dealer: S::macs(), lengths: S::lengths(correlations), shares: Rc::default() };
        prove(channel, Box::new(vole)).and_then(|()| recv_verdict(channel)).unwrap();
    };
    let verifier = || {
        let channel = &mut Channel::new(Party::Verifier, there);
        let random = &mut Random::from_seed(&[2; 32]);
        let (delta, shares) = (S::delta(random), Rc::default());
        let (dealer, lengths) = (S::keys(&delta), S::lengths(correlations));
        let vole = Box::new(Counted { dealer, lengths, shares: Rc::clone(&shares) });
        let verdict = verify(channel, vole, (&delta, random));
        let verdict = recv_end(channel, verdict);
        let (_, gates) = tell(channel, verdict).unwrap();
        (carried(channel.traffic()), gates, shares.get())
    };
    let (proof, gates, shares) = side_by_side(prover, verifier).1;
    let [set_up, drawn] = S::facts().share_traffic(correlations, shares, None);
    let setup = HANDSHAKE + begun + set_up;
    (Estimate { setup, total: setup + drawn + proof }, gates)
}

/// Proves `statement` by QuickSilver, in epochs of a few accesses.
pub(super) fn prove<S: Setting>(
    channel: &mut Channel,
    vole: BoxedVole<S::Mac>,
    witness: Vec<S::F>,
    statement: &Proposition<'_, S>,
) -> Result<()> {
    let mut prover = ProverUnder::<S::Macs>::new(channel, vole, Arch::detect(), witness);
    prover.set_epochs(Parameters::SHORT);
    statement.push_to_prover(&mut prover)?;
    prover.finish().map(drop)
}

/// Verifies `statement` by QuickSilver, in such epochs.
pub(super) fn verify<S: Setting>(
    channel: &mut Channel,
    vole: BoxedVole<S::Key>,
    (delta, random): (&S::Delta, &mut Random),
    statement: &Proposition<'_, S>,
) -> Result<(Accepted, Gates)> {
    let mut verifier = S::Macs::verifier(channel, vole, Arch::detect(), delta, random);
    verifier.set_epochs(Parameters::SHORT);
    statement.push_to_verifier(&mut verifier)?;
    verifier.finish().map(|(accepted, gates, _)| (accepted, gates))
}

/// A proof of `circuit` by QuickSilver in epochs of a few accesses, and its gates.
pub(super) fn by_quicksilver<S: Dealt, C>(
    correlations: Correlations,
    circuit: &C,
    witness: Vec<S::F>,
) -> (Estimate, Gates)
where
    C: Provable<S> + Sync,
{
    counted::<S>(
        correlations,
        Carried::default(),
        |channel, vole| prove(channel, vole, witness, &Proposition::of(circuit)),
        |channel, vole, secrets| verify(channel, vole, secrets, &Proposition::of(circuit)),
    )
}

/// A proof of `circuit` by Wolverine, of a session that begins with `begun`.
pub(super) fn by_wolverine<S: Dealt, C>(
    correlations: Correlations,
    circuit: &C,
    witness: Vec<S::F>,
    (terms, begun): (Terms, Carried),
) -> Estimate
where
    C: Provable<S> + Sync,
{
    let arch = Arch::detect();
    let prove = |channel: &mut Channel, vole| {
        let mut prover = wolverine::Prover::<S::Macs>::new(channel, vole, arch, terms, witness);
        Stream::new(circuit.source()).run(&mut prover)?;
        prover.finish().map(drop)
    };
    let verify = |channel: &mut Channel, vole, (delta, random): (&S::Delta, &mut Random)| {
        let mut verifier = wolverine::Verifier::<S::Macs>::new(channel, vole, arch, terms, delta, random);
        Stream::new(circuit.source()).run(&mut verifier)?;
        let (accepted, gates, ..) = verifier.finish()?;
        Ok((accepted, gates))
    };
    counted::<S>(correlations, begun, prove, verify).0
}
