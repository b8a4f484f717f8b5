//! Forecasts held against messages, for tests of systems: proofs over shares that a dealer gives away, in the blocks
//! of real ones, whose messages are counted, and what reports say was sent.

use crate::binary::{Binary, BitCorrelations};
use crate::correlations::Correlations;
use crate::estimate::Estimate;
use crate::over::{FieldCorrelations, Over};
use crate::report::Report;
use crate::setting::{Registered, Setting};
use crate::verdict::{Accepted, Gates, recv_end, recv_verdict, tell};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use volery_channel::channel::{Carried, Channel, HANDSHAKE, Party, Traffic, pipe, side_by_side};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_primitives::{Field, MacField};
use volery_vole::ot::softspoken::BLOCK;
use volery_vole::ot::softspoken::traffic::Chunks;
use volery_vole::vole::lpn::TILE;
use volery_vole::vole::subfield;
use volery_vole::vole::{BoxedVole, Delta, Key, LEAST_BLOCK, Mac, Share, Shares, Vole, ideal};

/// The bytes that were sent by a verifier's report.
pub fn sent(report: &Report) -> Estimate {
    Estimate { setup: carried(report.setup_traffic), total: carried(report.traffic) }
}

/// A verifier's traffic by party.
pub fn carried(traffic: Traffic) -> Carried {
    Carried { prover: traffic.received, verifier: traffic.sent }
}

/// A setting whose shares can be dealt.
pub trait Dealt: Setting {
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
    fn macs() -> BoxedVole<subfield::Mac<B, E>> {
        Box::new(subfield::ideal::Prover::new(1, LEAST_BLOCK))
    }

    fn keys(delta: &subfield::Delta<B, E>) -> BoxedVole<subfield::Key<E>> {
        Box::new(subfield::ideal::Verifier::new(1, LEAST_BLOCK, delta))
    }

    fn lengths(correlations: Correlations) -> Box<dyn FnMut() -> usize> {
        let (_, next) = FieldCorrelations::of::<B>(correlations).lengths();
        let mut drawn = 0;
        Box::new(move || {
            let length = next(drawn);
            drawn += length;
            length
        })
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
pub fn counted<S: Dealt>(
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
