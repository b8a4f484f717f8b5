//! The paved path: statements, one channel, a verdict for each.

mod binary;
mod correlations;
mod cut_and_choose;
mod disjunction;
mod estimate;
mod garbled;
mod options;
mod over;
mod run;
mod setting;
mod simulated;
mod single;
mod system;

pub use binary::Binary;
pub use correlations::{Choice, Correlations, Reason, Use};
pub use cut_and_choose::{choose, statistical_bits};
pub use disjunction::{Stream, prove_one_of, verify_one_of};
pub use estimate::{Carried, Estimate};
pub use garbled::{Evaluated, EvaluatedClauses, Garbled, GarbledClauses, Garbling};
pub use options::{Options, Proof, Report, Security};
pub use over::Over;
pub use setting::Setting;
pub use simulated::{
    LONGEST_LABEL, Simulated, SimulatedClauses, Simulation, prove_to, prove_to_over, read_label, verify_from,
    verify_from_over,
};
pub use system::System;

use run::{Common, Run};

use crate::channel::Channel;
use crate::circuit::{Circuit, Clear, Count};
use crate::error::{Error, Result};
use crate::vole::BoxedVole;
use crate::zk::wolverine::{self, Checked};
use crate::zk::{Accepted, Gates, recv_verdict, tell};
use volery_primitives::Field;

/// Evaluates `circuit` on `witness` in the clear.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails; `Invalid` where the witness is too short or too long,
/// or the circuit asserts nothing or is malformed.
pub fn check<F, W, C>(circuit: &C, witness: W) -> Result<()>
where
    F: Field,
    W: IntoIterator<Item = F>,
    C: Circuit<Clear<F, W::IntoIter>>,
{
    let mut clear = Clear::new(witness);
    circuit.run(&mut clear)?;
    clear.finish()
}

/// Proves that `witness` satisfies `circuit`, a statement over F_2, to the verifier at the other end of `channel`, by the
/// system that `options` name. For other fields see [`prove_over`], for one of several clauses [`prove_one_of`].
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is sent, where the witness or the circuit is wrong; `Disagreed` where the
/// verifier was started with other settings; `Rejected` where it did not accept; `Misbehaved` and `Io`.
pub fn prove<W, C>(circuit: &C, witness: W, channel: &mut Channel, options: &Options) -> Result<Report>
where
    W: IntoIterator<Item = volery_primitives::F2> + Clone,
    C: ProvenBy<Binary, W> + Evaluated,
{
    match options.system {
        System::Jko => garbled::prove(circuit, witness, channel, options),
        System::Stack => Err(without_clauses()),
        _ => prove_over::<Binary, W, C>(circuit, witness, channel, options),
    }
}

/// The same over any field, by QuickSilver, Limbo or Wolverine: `prove_over::<Over<F61, F61>, _, _>(…)`.
///
/// # Errors
/// As for [`prove`]; `Invalid` where less security is offered than asked for.
pub fn prove_over<S, W, C>(
    circuit: &C,
    witness: W,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report>
where
    S: Setting,
    W: IntoIterator<Item = S::F> + Clone,
    C: ProvenBy<S, W>,
{
    match options.system {
        System::Limbo => simulated::prove::<S, W, C>(circuit, witness, channel, options),
        _ => ProverSession::<S>::over(channel, options.clone()).prove(circuit, witness),
    }
}

/// Verifies that the prover at the other end of `channel` knows a witness for `circuit`, a statement over F_2, by the
/// system that `options` name, and tells it the verdict. For other fields see [`verify_over`], for one of several clauses
/// [`verify_one_of`].
///
/// # Errors
/// `Rejected` where a check fails; `Misbehaved` where the prover breaks the protocol; `Disagreed` where it was started
/// with other settings; `Invalid` where the circuit is wrong; `Io`.
pub fn verify<C>(circuit: &C, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>
where
    C: VerifiedBy<Binary> + Garbled,
{
    match options.system {
        System::Jko => garbled::verify(circuit, channel, options),
        System::Stack => Err(without_clauses()),
        _ => verify_over::<Binary, C>(circuit, channel, options),
    }
}

/// The error of a stack of nothing.
fn without_clauses() -> Error {
    Error::invalid(
        "stack proves one of several clauses: call `prove_one_of` and `verify_one_of`, or take jko",
    )
}

/// The same over any field, by QuickSilver, Limbo or Wolverine: `verify_over::<Over<F61, F61>, _>(…)`.
///
/// # Errors
/// As for [`verify`]; `Invalid` where less security is offered than asked for.
pub fn verify_over<S, C>(circuit: &C, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>
where
    S: Setting,
    C: VerifiedBy<S>,
{
    match options.system {
        System::Limbo => simulated::verify::<S, C>(circuit, channel, options),
        _ => VerifierSession::<S>::over(channel, options.clone()).verify(circuit),
    }
}

/// A circuit that can be evaluated, counted and proved over `S` with a witness `W`. Whatever implements [`Circuit`] for
/// every backend over the field, and may be shared by threads, is one.
pub trait ProvenBy<S: Setting, W: IntoIterator<Item = S::F>>:
    Circuit<Clear<S::F, W::IntoIter>>
    + Circuit<Count<S::F>>
    + for<'a> Circuit<S::Prover<'a>>
    + for<'a> Circuit<wolverine::Prover<'a, S::Macs>>
    + Simulated<S>
{
}

impl<S: Setting, W: IntoIterator<Item = S::F>, C> ProvenBy<S, W> for C where
    C: Circuit<Clear<S::F, W::IntoIter>>
        + Circuit<Count<S::F>>
        + for<'a> Circuit<S::Prover<'a>>
        + for<'a> Circuit<wolverine::Prover<'a, S::Macs>>
        + Simulated<S>
{
}

/// A circuit that can be counted and verified over `S`. Whatever implements [`Circuit`] for every backend over the
/// field, and may be shared by threads, is one.
pub trait VerifiedBy<S: Setting>:
    Circuit<Count<S::F>>
    + for<'a> Circuit<S::Verifier<'a>>
    + for<'a> Circuit<wolverine::Verifier<'a, S::Macs>>
    + Simulated<S>
{
}

impl<S: Setting, C> VerifiedBy<S> for C where
    C: Circuit<Count<S::F>>
        + for<'a> Circuit<S::Verifier<'a>>
        + for<'a> Circuit<wolverine::Verifier<'a, S::Macs>>
        + Simulated<S>
{
}

/// Several statements, one after the other, on one set-up: the prover's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error during a proof the
/// session is dead.
pub struct ProverSession<'c, S: Setting = Binary> {
    common: Common<'c, S>,
    vole: Option<BoxedVole<S::Mac>>,
}

/// Several statements, one after the other, on one set-up: the verifier's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error the session is dead.
pub struct VerifierSession<'c, S: Setting = Binary> {
    common: Common<'c, S>,
    vole: Option<Correlated<S>>,
}

/// The verifier's key and its end of the correlations under it.
type Correlated<S> = (<S as Setting>::Delta, BoxedVole<<S as Setting>::Key>);

impl<'c> ProverSession<'c> {
    /// A session over F_2; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self::over(channel, options)
    }
}

impl<'c, S: Setting> ProverSession<'c, S> {
    /// A session over any field; nothing is sent yet.
    pub fn over(channel: &'c mut Channel, options: Options) -> Self {
        Self { common: Common::new(channel, options), vole: None }
    }

    /// Names the next statement by its digest, as [`Options::statement`] names the first.
    pub fn name_next(&mut self, digest: [u8; 32]) {
        self.common.options.statement = Some(digest);
    }

    /// Proves one statement, as [`prove`] does.
    ///
    /// # Errors
    /// As for [`prove`].
    pub fn prove<W, C>(&mut self, circuit: &C, witness: W) -> Result<Report>
    where
        W: IntoIterator<Item = S::F> + Clone,
        C: ProvenBy<S, W>,
    {
        if self.common.options.check {
            check(circuit, witness.clone()).inspect_err(|_| self.common.forget())?;
        }
        let mut run = self.common.open(circuit)?;
        let vole = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                let random = random.as_mut().expect("opened");
                let vole = S::prover_end(run.choice.correlations, channel, options.arch, random)?;
                run.draw_ahead(vole, channel)?
            }
        };
        run.begin(self.common.channel);
        let Common { channel, options: Options { arch, progress, .. }, terms, .. } = &mut self.common;
        let progress = progress.as_deref();
        let (gates, checked, vole) = if let Some(terms) = terms {
            let prover = wolverine::Prover::<S::Macs>::new(channel, vole, *arch, *terms, witness);
            let mut prover = prover.report_to(progress);
            circuit.run(&mut prover)?;
            let (gates, checked, vole) = prover.finish()?;
            (gates, Some(checked), vole)
        } else {
            let mut prover = S::prover(channel, vole, *arch, witness, progress);
            circuit.run(&mut prover)?;
            let (gates, vole) = S::finish_prover(prover)?;
            (gates, None, vole)
        };
        recv_verdict(self.common.channel)?;
        self.vole = Some(vole);
        Ok(self.common.close(run, gates, checked))
    }
}

impl<'c> VerifierSession<'c> {
    /// A session over F_2; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self::over(channel, options)
    }
}

impl<'c, S: Setting> VerifierSession<'c, S> {
    /// A session over any field; nothing is sent yet.
    pub fn over(channel: &'c mut Channel, options: Options) -> Self {
        Self { common: Common::new(channel, options), vole: None }
    }

    /// Names the next statement by its digest, as [`Options::statement`] names the first.
    pub fn name_next(&mut self, digest: [u8; 32]) {
        self.common.options.statement = Some(digest);
    }

    /// Verifies one statement, as [`verify`] does.
    ///
    /// # Errors
    /// As for [`verify`].
    pub fn verify<C>(&mut self, circuit: &C) -> Result<(Accepted, Report)>
    where
        C: VerifiedBy<S>,
    {
        let mut run = self.common.open(circuit)?;
        let verdict = self.decide(circuit, &mut run);
        let (accepted, gates, checked) = tell(self.common.channel, verdict)?;
        Ok((accepted, self.common.close(run, gates, checked)))
    }

    fn decide<C: VerifiedBy<S>>(
        &mut self,
        circuit: &C,
        run: &mut Run,
    ) -> Result<(Accepted, Gates, Option<Checked>)> {
        let (delta, vole) = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                let random = random.as_mut().expect("opened");
                let delta = S::delta(random);
                let vole = S::verifier_end(run.choice.correlations, channel, options.arch, &delta, random)?;
                (delta, run.draw_ahead(vole, channel)?)
            }
        };
        run.begin(self.common.channel);
        let Common { channel, options: Options { arch, progress, .. }, random, terms, .. } = &mut self.common;
        let (random, progress) = (random.as_mut().expect("opened"), progress.as_deref());
        let (accepted, gates, checked, vole) = if let Some(terms) = terms {
            let verifier = wolverine::Verifier::<S::Macs>::new(channel, vole, *arch, *terms, &delta, random);
            let mut verifier = verifier.report_to(progress);
            circuit.run(&mut verifier)?;
            let (accepted, gates, checked, vole) = verifier.finish()?;
            (accepted, gates, Some(checked), vole)
        } else {
            let mut verifier = S::verifier(channel, vole, *arch, &delta, random, progress);
            circuit.run(&mut verifier)?;
            let (accepted, gates, vole) = S::finish_verifier(verifier)?;
            (accepted, gates, None, vole)
        };
        // More gates than were announced may be worth less.
        self.common.offer(run.choice.correlations, gates.size())?;
        self.vole = Some((delta, vole));
        Ok((accepted, gates, checked))
    }
}
