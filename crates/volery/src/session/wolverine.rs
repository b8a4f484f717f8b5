//! Sessions by Wolverine: what both parties agree on beyond the correlations, what it is worth, and what is told
//! of it.

use super::correlated::{OverVole, Proved, Secrets, Verified, Work};
use super::correlations::{Choice, Correlations, Demand, Excluded, Use};
use super::report::text::{grouped, things};
use super::setting::{Passing, ProverEnds, VerifierEnds};
use super::{Choices, Details, Fact, Options, Proposition, Report, Reread, Setting, System};
use crate::channel::{Carried, Channel};
use crate::circuit::{Circuit as _, Size};
use crate::error::{Disagreement, Error, Result, Sides};
use crate::vole::BoxedVole;
use crate::zk::wolverine::{Checked, CheckedBy, Checking, Prover, SECURITY, Terms, Verifier};
use core::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// Proofs by [Wolverine](crate::zk::wolverine), over any setting. By name it is over few of them, for whose sake
/// it is compiled here: over any other it is given to [`prove_by`](crate::prove_by) and
/// [`verify_by`](crate::verify_by), and compiled where they are called.
pub struct Wolverine;

impl<S: Setting> OverVole<S> for Wolverine {
    fn system(&self) -> System {
        System::WOLVERINE
    }

    fn prove(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Mac>,
        work: &Work<'_>,
        witness: &dyn Reread<S::F>,
        statement: &Proposition<'_, S>,
        _: Option<Passing<ProverEnds<S>>>,
    ) -> Result<Proved<S>> {
        let terms = work.terms.expect("it has some");
        let prover = Prover::<S::Macs>::new(channel, vole, work.arch, terms, witness.read());
        let mut prover = prover.share_work(work.pool).report_to(work.progress);
        statement.stream.run(&mut prover)?;
        let (gates, checked, vole) = prover.finish()?;
        Ok(Proved { gates, details: Some(Arc::new(checked)), vole, given: None })
    }

    fn verify(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Key>,
        work: &Work<'_>,
        Secrets { delta, random }: Secrets<'_, S>,
        statement: &Proposition<'_, S>,
        _: Option<Passing<VerifierEnds<S>>>,
    ) -> Result<Verified<S>> {
        let terms = work.terms.expect("it has some");
        let verifier = Verifier::<S::Macs>::new(channel, vole, work.arch, terms, delta, random);
        let mut verifier = verifier.share_work(work.pool).report_to(work.progress);
        statement.stream.run(&mut verifier)?;
        let (accepted, gates, checked, vole) = verifier.finish()?;
        Ok(Verified { accepted, gates, details: Some(Arc::new(checked)), vole, given: None })
    }
}

impl Choices for Checking {
    fn system(&self) -> System {
        System::WOLVERINE
    }
}

impl Details for Checked {
    fn facts(&self, _: &Report) -> Vec<(&'static str, Fact)> {
        let buckets = self.by == CheckedBy::Buckets;
        vec![
            ("checked_by", self.by.name().into()),
            ("block", self.block.into()),
            ("bucket", buckets.then_some(self.bucket).into()),
            ("opened", buckets.then_some(self.opened).into()),
            ("blocks", self.blocks.into()),
        ]
    }

    fn lines(&self, _: &Report, _: [Option<Duration>; 2]) -> Vec<(&'static str, String)> {
        let Self { by, block, bucket, opened, blocks, .. } = self;
        let buckets = match by {
            CheckedBy::Buckets => format!(" of {bucket}, with {opened} opened"),
            _ => String::new(),
        };
        let (blocks, block) = (things(*blocks, "block"), grouped(*block));
        vec![("checked", format!("by {by}{buckets}, in {blocks} of up to {block} multiplications"))]
    }

    fn and(&self, next: &dyn Details) -> Option<Arc<dyn Details>> {
        let next: &dyn Any = next;
        let mut both = *self;
        both.blocks += next.downcast_ref::<Self>()?.blocks;
        Some(Arc::new(both))
    }
}

/// The bytes in which a party says how products are to be checked.
const TERMS: usize = 32;

/// Bytes that [`agree`] carries.
pub(super) const AGREED: Carried = Carried { prover: TERMS as u64, verifier: TERMS as u64 };

/// How `options` want products to be checked over `S`.
///
/// # Errors
/// `Invalid` where that makes no sense.
pub(super) fn terms<S: Setting>(options: &Options) -> Result<Terms> {
    let security = options.asked_security(SECURITY)?;
    let checking: Checking = options.method.of();
    let terms = Terms::new::<S::Macs>(&checking, security, options.non_interactive)?;
    // Both parties may not know yet which correlations these will be.
    let errors = S::correlations().into_iter().map(|correlations| S::share_error(correlations, FEW));
    Ok(terms.beside::<S::Macs>(errors.fold(0.0, f64::max)))
}

/// Shares for whose errors buckets leave room, where they come straight from transfers, with
/// checks of their own.
const FEW: u64 = 1 << 16;

/// Demands that the peer wants the same.
///
/// # Errors
/// `Disagreed` where it does not; link errors.
pub(super) fn agree(channel: &mut Channel, terms: &Terms) -> Result<()> {
    let ours = terms.name();
    let mut name = [0; TERMS];
    name[..ours.len()].copy_from_slice(ours.as_bytes());
    channel.send(&name)?;
    // The peer's may be here already, and it is to hear ours even where they differ.
    channel.flush()?;
    let theirs: [u8; TERMS] = channel.recv_array()?;
    if theirs == name {
        return Ok(());
    }
    let end = theirs.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let theirs = theirs[..end].escape_ascii().to_string();
    Err(Error::Disagreed(Disagreement::Checking(Sides { ours, theirs })))
}

/// The shares that a statement of this size takes by the system of `options`: those that commit to its
/// values, and what checks them.
///
/// # Errors
/// `Invalid` where the options make no sense.
pub(super) fn shares<S: Setting>(options: &Options, size: Size) -> Result<u64> {
    if options.system().facts().triples {
        Ok(terms::<S>(options)?.shares::<S::Macs>(size))
    } else {
        Ok(size.commitments)
    }
}

/// The use that the system of `options` makes of shares.
pub(super) fn purpose(options: &Options) -> Use {
    if options.system().facts().triples { Use::InTurns } else { Use::Proof }
}

/// −log2 of the soundness error, floored, of a statement of this size by the system of `options`, which is
/// QuickSilver or Wolverine, over these correlations.
///
/// # Errors
/// `Invalid` where the options make no sense.
pub fn statistical_bits<S: Setting>(
    options: &Options,
    correlations: S::Correlations,
    size: Size,
) -> Result<u32> {
    if !options.system().facts().triples {
        return Ok(S::statistical_bits(correlations, size));
    }
    let terms = terms::<S>(options)?;
    let of_shares = S::share_error(correlations, terms.shares::<S::Macs>(size));
    Ok((-terms.error::<S::Macs>(size.commitments, of_shares).log2()).floor() as u32)
}

/// The statistical security that is asked for of a proof by the system of `options`, which is QuickSilver or
/// Wolverine, in bits.
///
/// # Errors
/// `Invalid` where it convinces nobody.
pub(super) fn asked<S: Setting>(options: &Options) -> Result<u32> {
    options.asked_security(if options.system().facts().triples { SECURITY } else { S::SECURITY })
}

/// The correlations that are worth less than `asked`, each being worth so many bits.
///
/// # Errors
/// `Invalid` where all are, or `worth` fails.
pub(super) fn excluded<S: Setting>(
    asked: u32,
    what: &str,
    worth: impl Fn(S::Correlations) -> Result<u32>,
) -> Result<Excluded> {
    let excluded = Excluded::of::<S>(|correlations| Ok(worth(correlations)? >= asked))?;
    if excluded.left::<S>().next().is_some() {
        return Ok(excluded);
    }
    let (mut best, mut most) = (None, 0);
    for correlations in S::correlations() {
        let bits = worth(correlations)?;
        if best.is_none() || bits > most {
            (best, most) = (Some(correlations), bits);
        }
    }
    let best: Correlations = best.expect("each setting has some").into();
    Err(Error::invalid(format!(
        "{asked} bits of statistical security were asked for, and no correlations over {} give more than {most} to \
         a {what} of this size, which {best} does: ask for {most} or fewer, or take a larger extension",
        S::name()
    )))
}

/// The fastest correlations for a statement of this size by the system of `options`, which is QuickSilver or
/// Wolverine, over a link of so many Mbit/s each way, of those that are worth what is asked for.
///
/// # Errors
/// `Invalid` where none are, or the options make no sense.
pub fn choose<S: Setting>(options: &Options, size: Size, bandwidth: f64) -> Result<Choice<S::Correlations>> {
    let worth = |correlations| statistical_bits::<S>(options, correlations, size);
    let excluded = excluded::<S>(asked::<S>(options)?, "statement", worth)?;
    let demand = Demand { shares: shares::<S>(options, size)?, purpose: purpose(options) };
    Ok(Choice::usually::<S>(demand, excluded, bandwidth).expect("not all are excluded"))
}
