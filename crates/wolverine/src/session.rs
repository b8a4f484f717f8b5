//! Sessions by Wolverine: what both parties agree on beyond the correlations, what it is worth, and what is told
//! of it.

#[cfg(test)]
mod estimated;

use crate::{Checked, CheckedBy, Checking, Prover, SECURITY, Terms, Verifier, traffic};
use core::any::Any;
use core::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Disagreement, Error, Result, Sides};
use volery_circuit::stream::{Source, Stream};
use volery_circuit::{Circuit as _, Shape, Size};
use volery_proof::analysis::Analysis;
use volery_proof::correlations::{Choice, Correlations, Use};
use volery_proof::estimate::Estimate;
use volery_proof::facts::SettingFacts;
use volery_proof::method::Choices;
use volery_proof::options::Options;
use volery_proof::report::text::{grouped, things};
use volery_proof::report::{Details, Fact, Report};
use volery_proof::session::{Proved, ProverEnd, ProverGates, Secrets, Verified, VerifierEnd, VerifierGates};
use volery_proof::setting::Setting;
use volery_proof::system::{ProofSystem, ProvesMany, System, VerifiesMany};
use volery_proof::verdict::Accepted;
use volery_proof::witness::Reread;

/// Proofs by [Wolverine](crate) over `S`, which may be any setting. By name it is over few of them,
/// for whose sake it is compiled here: over any other it is given to `prove_by` and
/// `verify_by`, and compiled where they are called.
pub struct Wolverine<S>(PhantomData<fn() -> S>);

impl<S: Setting> Wolverine<S> {
    /// The system over `S`.
    pub const OVER: Self = Self(PhantomData);

    /// Cost and soundness.
    ///
    /// # Errors
    /// `Invalid` where the options make no sense.
    pub fn analyse(options: &Options) -> Result<Box<dyn Analysis>> {
        Ok(Box::new(Analysed::<S> { terms: terms::<S>(options)?, setting: PhantomData }))
    }

    fn prover_end(channel: &mut Channel, options: Options) -> ProverEnd<'_, S> {
        ProverEnd::new(System::WOLVERINE, Self::analyse, channel, options)
    }

    fn verifier_end(channel: &mut Channel, options: Options) -> VerifierEnd<'_, S> {
        VerifierEnd::new(System::WOLVERINE, Self::analyse, channel, options)
    }
}

/// The systems that have names, each compiled here, once, whoever uses it.
pub mod named {
    use super::Wolverine;
    use volery_primitives::{F2, F61, F61x2, F65537, F65537x4, Q32, Q32x2};
    use volery_proof::binary::Binary;
    use volery_proof::over::Over;
    use volery_proof::system::ProofSystem;

    // What is inlined elsewhere would be compiled there, with all that it points to.
    macro_rules! named {
        ($($(#[$doc:meta])* $name:ident: $field:ty, $setting:ty;)+) => {$(
            $(#[$doc])*
            #[inline(never)]
            pub fn $name() -> &'static dyn ProofSystem<$field> {
                &Wolverine::<$setting>::OVER
            }
        )+};
    }

    named! {
        /// Over F_2.
        f2: F2, Binary;
        /// Over 2^61 − 1.
        f61: F61, Over<F61>;
        /// Over 2^61 − 1, with MACs in its extension.
        f61x2: F61, Over<F61, F61x2>;
        /// Over 65537.
        f65537: F65537, Over<F65537, F65537x4>;
        /// Over the prime of the paper's lattices.
        q32: Q32, Over<Q32, Q32x2>;
    }
}

impl<S: Setting> ProofSystem<S::F> for Wolverine<S> {
    fn system(&self) -> System {
        System::WOLVERINE
    }

    fn prove(
        &self,
        statement: &dyn Source<S::F>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        Many(Self::prover_end(channel, options.clone())).prove(statement, witness)
    }

    fn verify(
        &self,
        statement: &dyn Source<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        Many(Self::verifier_end(channel, options.clone())).verify(statement)
    }

    fn analysis(&self, options: &Options) -> Result<Box<dyn Analysis>> {
        Self::analyse(options)
    }

    fn prove_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn ProvesMany<S::F> + 'c>> {
        Some(Box::new(Many(Self::prover_end(channel, options))))
    }

    fn verify_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn VerifiesMany<S::F> + 'c>> {
        Some(Box::new(Many(Self::verifier_end(channel, options))))
    }
}

/// Statements on one set-up.
struct Many<E>(E);

impl<S: Setting> ProvesMany<S::F> for Many<ProverEnd<'_, S>> {
    fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        self.0.prepare(name, size)
    }

    fn name_next(&mut self, digest: [u8; 32], size: Option<Size>) {
        self.0.name_next(digest, size);
    }

    fn channel(&mut self) -> &mut Channel {
        self.0.channel()
    }

    fn check(&mut self, statement: &dyn Source<S::F>, witness: &dyn Reread<S::F>) -> Result<()> {
        self.0.check(|clear| clear.check(statement, witness.read()))
    }

    fn prove(&mut self, statement: &dyn Source<S::F>, witness: &dyn Reread<S::F>) -> Result<Report> {
        let stream = &Stream::new(statement);
        let gates: ProverGates<'_, S> = Box::new(|channel, vole, work| {
            let terms = terms::<S>(work.options)?;
            let prover = Prover::<S::Macs>::new(channel, vole, work.options.arch, terms, witness.read());
            let mut prover = prover.share_work(work.pool).report_to(work.progress());
            stream.run(&mut prover)?;
            let (gates, checked, vole) = prover.finish()?;
            Ok(Proved { gates, details: Some(Arc::new(checked)), vole })
        });
        self.0.prove(stream, witness, gates)
    }
}

impl<S: Setting> VerifiesMany<S::F> for Many<VerifierEnd<'_, S>> {
    fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        self.0.prepare(name, size)
    }

    fn name_next(&mut self, digest: [u8; 32], size: Option<Size>) {
        self.0.name_next(digest, size);
    }

    fn channel(&mut self) -> &mut Channel {
        self.0.channel()
    }

    fn verify(&mut self, statement: &dyn Source<S::F>) -> Result<(Accepted, Report)> {
        let stream = &Stream::new(statement);
        let gates: VerifierGates<'_, S> = Box::new(|channel, vole, work, Secrets { delta, random }| {
            let terms = terms::<S>(work.options)?;
            let verifier = Verifier::<S::Macs>::new(channel, vole, work.options.arch, terms, delta, random);
            let mut verifier = verifier.share_work(work.pool).report_to(work.progress());
            stream.run(&mut verifier)?;
            let (accepted, gates, checked, vole) = verifier.finish()?;
            Ok(Verified { accepted, gates, details: Some(Arc::new(checked)), vole })
        });
        self.0.verify(stream, gates)
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
    let setting = S::facts();
    let errors = setting.correlations().into_iter().map(|one| setting.share_error(one, FEW));
    Ok(terms.beside::<S::Macs>(errors.fold(0.0, f64::max)))
}

/// Shares for whose errors buckets leave room, where they come straight from transfers, with
/// checks of their own.
const FEW: u64 = 1 << 16;

/// Cost and soundness under such terms.
struct Analysed<S> {
    terms: Terms,
    setting: PhantomData<fn() -> S>,
}

impl<S: Setting> Analysis for Analysed<S> {
    fn setting(&self) -> &'static dyn SettingFacts {
        S::facts()
    }

    fn usual_security(&self) -> u32 {
        SECURITY
    }

    fn means(&self) -> String {
        format!("{} with ", self.terms.by)
    }

    fn purpose(&self) -> Use {
        Use::InTurns
    }

    fn size(&self, shape: &Shape) -> Size {
        shape.size_by_gates()
    }

    fn shares(&self, size: Size) -> u64 {
        self.terms.shares::<S::Macs>(size)
    }

    fn drawn(&self, size: Size) -> u64 {
        traffic::drawn::<S::Macs>(&self.terms, size)
    }

    fn masks(&self, _: Size) -> u64 {
        0
    }

    fn degree_of_check(&self, _: Size) -> u64 {
        0
    }

    fn statistical_bits(&self, correlations: Correlations, size: Size) -> u32 {
        let of_shares = S::facts().share_error(correlations, self.shares(size));
        (-self.terms.error::<S::Macs>(size.commitments, of_shares).log2()).floor() as u32
    }

    fn computational_bits(&self, correlations: Correlations, size: Size) -> u32 {
        let of_shares = S::facts().computational_bits(correlations, size);
        self.terms.search_bits::<S::Macs>().min(of_shares.into()) as u32
    }

    fn traffic(&self, choice: Choice, shape: &Shape) -> Estimate {
        let (proof, shares) = traffic::proof::<S::Macs>(&self.terms, shape);
        let [set_up, drawn] = S::facts().share_traffic(choice.correlations, shares, choice.expects(shares));
        Estimate::of(set_up + AGREED, drawn + proof)
    }

    fn agree(&self, channel: &mut Channel) -> Result<()> {
        agree(channel, &self.terms)
    }
}

/// Demands that the peer wants the same.
///
/// # Errors
/// `Disagreed` where it does not; link errors.
fn agree(channel: &mut Channel, terms: &Terms) -> Result<()> {
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
