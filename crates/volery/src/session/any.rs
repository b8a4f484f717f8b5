//! Settings by name: for a command line, a service, or another language, which is told what a statement is
//! over while it runs.
//!
//! Nothing here has a field in its type. So all that depends on one is compiled once, in this crate, and
//! whoever goes this way compiles none of it. Values are text: see
//! [`PortValue::from_text`](volery_circuit::PortValue::from_text). Errors are those of what a method is said to be
//! like.
//!
//! ```
//! use volery::circuit::Written;
//!
//! let mut relation = volery::setting("f61")?.open("builtin:linear?rows=1&columns=2", None)?;
//! relation.public().read("matrix", Written::Text(b"3,-1"))?;
//! relation.public().read("b", Written::Text(b"5"))?;
//! let mut statement = relation.state()?;
//! statement.private().read("x", Written::Text(b"2,1"))?;
//! let claim = statement.claim()?;
//! claim.check()?;
//! // A prover goes on with `claim.prove`, and a verifier, who has no private values, with `statement.verify`.
//! # Ok::<(), volery::Error>(())
//! ```

mod cut;
mod several;
pub(super) mod two_fields;

pub use several::{AnyProofs, AnyVerifications};

use crate::session::compiled::{Named, Registered, find};
use crate::session::files::{files, verify_any};
use core::any::Any;
use core::marker::PhantomData;
use core::ops::Range;
use cut::{Cut, count};
use several::{Proofs, Verifications};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::Arc;
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Error, Result};
use volery_circuit::{
    Announced, Port, PortValue as _, ReadValues, Shape, Sharding as _, Size, ValueStream, Values, prime_field,
};
use volery_formats::{Format, R1cs};
use volery_limbo::Domain;
use volery_limbo::parameters::{CheckSize, Demand};
use volery_primitives::{
    ChoiceError, Field, RuntimeExtension, RuntimePrime, RuntimePrime256, U256, with_fields,
};
use volery_proof::binary::Binary;
use volery_proof::correlations::{Choice, Correlations};
use volery_proof::estimate::Estimate;
use volery_proof::options::Options;
use volery_proof::over::{Over, ShortBinary};
use volery_proof::reading::Sink;
use volery_proof::report::Report;
use volery_proof::setting::Setting;
use volery_proof::share;
use volery_proof::system::System;
use volery_proof::verdict::Accepted;
use volery_proof::witness::{Reread, Stream};
use volery_quicksilver::sharded::{self, AcceptedShard, Crossing, Place, Run, RunDelta};
use volery_statements::{Program, SplitStatement, Statement};
use zeroize::Zeroizing;

/// All settings that have names of their own. Those that are named by their prime are not among them.
// What is inlined elsewhere would be compiled there, with all that it points to. No test in this crate comes here:
// it would compile all of them once more.
#[inline(never)]
pub fn settings() -> &'static [&'static dyn AnySetting] {
    macro_rules! erased {
        ($($values:ident: $($macs:ident)+;)+) => {
            &[
                &PhantomData::<Binary>,
                &PhantomData::<ShortBinary>,
                $($(&PhantomData::<Over<volery_primitives::$values, volery_primitives::$macs>>,)+)+
            ]
        };
    }
    with_fields!(erased)
}

/// The one called `name`, which may be a prime in decimal digits: the first of [`settings`] over the integers
/// modulo that, or else that over [`RuntimePrime`] or [`RuntimePrime256`], for which the prime is
/// chosen thereby. A process chooses one of each.
///
/// # Errors
/// `Invalid` where there is none, or another prime was chosen before.
pub fn setting(name: &str) -> Result<&'static dyn AnySetting> {
    if let Some(found) = settings().iter().find(|setting| setting.name() == name) {
        return Ok(*found);
    }
    let names: Vec<_> = settings().iter().map(|setting| setting.name()).collect();
    let names = format!("there are {}, and all primes below 2^256", names.join(", "));
    let Some(prime) = decimal(name) else {
        return Err(Error::invalid(format!("there is no setting `{name}`: {names}")));
    };
    if let Some(found) = settings().iter().find(|setting| setting.modulus() == Some(prime)) {
        return Ok(*found);
    }
    chosen(prime).map_err(|why| Error::invalid(format!("there is no setting modulo {prime}: {why}; {names}")))
}

/// The number that decimal digits write, of 256 bits at most.
fn decimal(digits: &str) -> Option<U256> {
    let digit = |digit: u8| digit.is_ascii_digit().then_some(u64::from(digit & 0xf));
    let number = digits.bytes().try_fold(U256::ZERO, |number, next| {
        let (number, above) = number.mul_add(10, digit(next)?);
        (above == 0).then_some(number)
    });
    number.filter(|_| !digits.is_empty())
}

/// The setting of a prime that is chosen thereby.
fn chosen(prime: U256) -> core::result::Result<&'static dyn AnySetting, ChoiceError> {
    if prime.saturated() > RuntimePrime::MOST {
        RuntimePrime256::choose(prime)?;
        return Ok(&PhantomData::<Over<RuntimePrime256>>);
    }
    RuntimePrime::choose(prime.saturated())?;
    Ok(&PhantomData::<Over<RuntimePrime, RuntimeExtension>>)
}

/// A [`Setting`], whichever it is.
pub trait AnySetting: Sync {
    /// The name of the setting: see [`SettingFacts::name`](crate::SettingFacts::name).
    fn name(&self) -> String;
    /// The name of what wires carry, whatever the extension of its MACs.
    fn wires(&self) -> &'static str;
    /// The modulus, where what wires carry are the integers modulo a prime.
    fn modulus(&self) -> Option<U256>;
    /// Whether `system` is over it.
    fn is_by(&self, system: System) -> bool;
    /// The statistical security that is asked for where nothing is said: see
    /// [`SettingFacts::security`](crate::SettingFacts::security).
    fn security(&self) -> u32;
    /// Whether statements are counted beforehand for the bound: see
    /// [`SettingFacts::bound_by_size`](crate::SettingFacts::bound_by_size).
    fn bound_by_size(&self) -> bool;
    /// Whether challenges come from the transcript: see
    /// [`SettingFacts::non_interactive`](crate::SettingFacts::non_interactive).
    fn non_interactive(&self) -> bool;
    /// The correlations that there are: see [`SettingFacts::correlations`](crate::SettingFacts::correlations).
    fn correlations(&self) -> Vec<Correlations>;
    /// The statistical security of a proof of this size by the system of `options`, which is QuickSilver or Wolverine:
    /// see [`Analysis::statistical_bits`](crate::Analysis::statistical_bits).
    fn statistical_bits(&self, options: &Options, correlations: Correlations, size: Size) -> Result<u32>;
    /// The choice of correlations for a statement of this size: of those that are worth what is asked for.
    fn choose(&self, options: &Options, size: Size, bandwidth: f64) -> Result<Choice>;
    /// The traffic of a session of one statement with these gates, which comes to this choice, by the system
    /// of `options`, which is QuickSilver or Wolverine: see [`Analysis::traffic`](crate::Analysis::traffic).
    fn estimate(&self, options: &Options, choice: Choice, shape: &Shape) -> Result<Estimate>;
    /// The size of a statement with these gates, as a proof by QuickSilver over a link has it.
    fn size(&self, shape: &Shape) -> Size;
    /// The sizes of a circuit of this shape on which a proof by simulated parties depends.
    fn demand(&self, shape: &Shape) -> Demand;
    /// The fields that such a proof can check products over.
    fn check_fields(&self) -> Vec<CheckSize>;
    /// The built-in programs: see [`Program::builtins`].
    fn builtins(&self) -> &'static [(&'static str, &'static str)];
    /// Opens the relation that `spec` names: see [`Program::open`].
    fn open(&self, spec: &str, format: Option<Format>) -> Result<Box<dyn AnyRelation>>;
    /// The relation of a constraint system that is open, which others may hold, too.
    ///
    /// # Errors
    /// `Invalid` where it is over another field.
    fn r1cs(&self, system: Arc<R1cs>) -> Result<Box<dyn AnyRelation>>;
    /// Several proofs on one set-up: see [`ProverSession`](crate::ProverSession).
    ///
    /// # Errors
    /// `Invalid` where the system of `options` proves single statements.
    fn prove_several<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Result<Box<dyn AnyProofs + 'c>>;
    /// The verifier's side of [`AnySetting::prove_several`].
    ///
    /// # Errors
    /// As there.
    fn verify_several<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Result<Box<dyn AnyVerifications + 'c>>;
    /// A fresh key of a run: see [`RunDelta::fresh`].
    fn run_delta(&self, run: &Run, options: &Options) -> Result<RunDelta>;
    /// The bytes that store a key: those of [`RunDelta::to_bytes`].
    fn delta_bytes(&self) -> usize;
    /// The key of a run that these bytes store: see [`RunDelta::from_bytes`].
    fn load_run_delta(&self, run: &Run, bytes: &[u8]) -> Result<RunDelta>;
    /// The bytes of so many wires that cross: see [`Crossing::length`].
    fn crossing_length(&self, party: Party, wires: usize) -> usize;
    /// The bits of privacy of a run in shards: see [`sharded::privacy`].
    fn privacy(&self, announced: &Announced, restarts: u32) -> u32;
}

/// How a statement falls into shards.
#[derive(Clone, Debug)]
pub struct InShards {
    /// The digest of the whole statement, to be [`Run::statement`].
    pub digest: [u8; 32],
    /// The wires that cross.
    pub announced: Announced,
    /// For each shard, what it reads of which private inputs: see [`Part::reads`](volery_statements::Part::reads).
    pub reads: Vec<Vec<(Port, Range<u64>)>>,
}

/// A [`Program`] over a setting, to be given public values.
pub trait AnyRelation: Send + Sync {
    /// The inputs: see [`Program::inputs`].
    fn inputs(&self) -> &[Port];
    /// The outputs: see [`Program::outputs`].
    fn outputs(&self) -> &[Port];
    /// The unit of ports' widths: `bit` or `element`.
    fn unit(&self) -> &'static str;
    /// The unit of this port's width, where a statement is over two fields.
    fn unit_of(&self, _port: &str) -> &'static str {
        self.unit()
    }
    /// The identity of the program, with the version of its gates; of a statement over one field.
    fn identity(&self) -> (Vec<u8>, Option<u32>) {
        unreachable!("over two fields")
    }
    /// The bytes of a value of this port, as [`AnyStatement::encodings`] has them; of a statement over one field.
    fn encoded_bytes(&self, _port: &Port) -> usize {
        unreachable!("over two fields")
    }
    /// The name of the format: see [`Program::format_name`].
    fn format_name(&self) -> &'static str;
    /// Counts the gates, and gives warnings: see [`Program::examine`].
    fn examine(&self) -> Result<(Shape, Vec<String>)>;
    /// The streams of values: see [`Program::streams`].
    fn streams(&self) -> Vec<ValueStream> {
        Vec::new()
    }
    /// The ANDs that the file has: see [`Program::ands_in_file`].
    fn ands_in_file(&self) -> Option<u64> {
        None
    }
    /// The shapes of its clauses: see [`Program::clauses`].
    fn clauses(&self) -> Result<Vec<Shape>>;
    /// About what a session sends of a statement over two fields, all inputs being private; `None` for one
    /// over one field, for which [`AnySetting::estimate`] tells.
    ///
    /// # Errors
    /// As for [`AnyRelation::examine`].
    fn estimate(&self) -> Result<Option<Estimate>> {
        Ok(None)
    }
    /// The gates of a statement over two fields as its proof file has them, over one; `None` where it has none, and
    /// for one over one field.
    ///
    /// # Errors
    /// As for [`AnyRelation::examine`].
    fn examine_in_file(&self) -> Result<Option<Shape>> {
        Ok(None)
    }
    /// The public values, to which others can be added.
    fn public(&mut self) -> &mut dyn ReadValues;
    /// The statement that is made of it by its public values.
    fn state(self: Box<Self>) -> Result<Box<dyn AnyStatement>>;
}

/// A [`Statement`] over a setting, to be verified, or given private values.
pub trait AnyStatement: Send + Sync {
    /// The digest of the statement: see [`Statement::digest`].
    fn digest(&self) -> [u8; 32];
    /// The public values as they are written: see [`Statement::public`].
    fn public(&self) -> Vec<(&Port, String)>;
    /// The public values as [`PortValue::encoding`](volery_circuit::PortValue::encoding) has them; of a statement over
    /// one field.
    fn encodings(&self) -> Vec<(&Port, Cow<'_, [u8]>)> {
        unreachable!("over two fields")
    }
    /// The unit of ports' widths: `bit` or `element`.
    fn unit(&self) -> &'static str;
    /// The unit of this port's width: see [`AnyRelation::unit_of`].
    fn unit_of(&self, _port: &str) -> &'static str {
        self.unit()
    }
    /// Whether it is over two fields, F_2 beside that of the setting.
    fn is_over_two(&self) -> bool {
        false
    }
    /// Itself, for whoever knows its type.
    fn as_any(&self) -> &dyn Any;
    /// Counts the gates: see [`Shape::without_depth`].
    fn count(&self) -> Result<Shape>;
    /// Warnings about the statement: see [`Statement::warnings`].
    fn warnings(&self) -> Vec<String>;
    /// Verifies the statement: see [`verify`](crate::verify).
    fn verify(&self, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>;
    /// Verifies a file: see [`verify_from`](crate::verify_from). Over two fields it is about the statement over one
    /// of them that [`OneField`](volery_circuit::stream::OneField) has.
    fn verify_from(&self, proof: &mut (dyn Read + Send), options: &Options) -> Result<(Accepted, Report)>;
    /// How it falls into so many shards: `Invalid` where it does not.
    fn in_shards(&self, _shards: usize) -> Result<InShards> {
        Err(not_in_shards())
    }
    /// Verifies one shard of a run whose statement is [`InShards::digest`]: see [`sharded::verify_shard`].
    fn verify_shard(
        &self,
        _at: (&Run, Place),
        _incoming: Vec<Crossing>,
        _delta: &RunDelta,
        _channel: &mut Channel,
        _options: &Options,
    ) -> Result<(AcceptedShard, Report, Vec<Crossing>)> {
        Err(not_in_shards())
    }
    /// Proves one shard, as [`AnyClaim::prove_shard`] does, for a worker that has nothing of the witness but
    /// its [`AnyClaim::share`].
    fn prove_share(
        &self,
        _at: (&Run, Place),
        _incoming: Vec<Crossing>,
        _share: &[u8],
        _channel: &mut Channel,
        _options: &Options,
    ) -> Result<(Report, Vec<Crossing>)> {
        Err(not_in_shards())
    }
    /// Adds the values of inputs in the trace of a model checker, `text`, which is called `name` in errors.
    ///
    /// # Errors
    /// `Invalid` where it is malformed, of another circuit, or has other public values.
    fn read_trace(&mut self, name: &str, _text: &[u8]) -> Result<()> {
        Err(Error::invalid(format!(
            "{name} is a trace of a model checker, and these are for circuits over f2"
        )))
    }
    /// The private values, to which others can be added.
    fn private(&mut self) -> &mut dyn ReadValues;
    /// The claim that its private values make it hold; they are not looked at yet.
    fn claim(self: Box<Self>) -> Result<Box<dyn AnyClaim>>;
}

/// A [`Statement`] over a setting, and a witness for it.
pub trait AnyClaim: Send + Sync {
    /// The statement that is claimed.
    fn statement(&self) -> &dyn AnyStatement;
    /// Itself, for whoever knows its type.
    fn as_any(&self) -> &dyn Any;
    /// Checks the claim in the clear: see [`check`](crate::check).
    fn check(&self) -> Result<()>;
    /// Proves the claim: see [`prove`](crate::prove).
    fn prove(&self, channel: &mut Channel, options: &Options) -> Result<Report>;
    /// Proves one shard of a run whose statement is [`InShards::digest`], whose witness is cut out of the
    /// whole: see [`sharded::prove_shard`].
    fn prove_shard(
        &self,
        _at: (&Run, Place),
        _incoming: Vec<Crossing>,
        _channel: &mut Channel,
        _options: &Options,
    ) -> Result<(Report, Vec<Crossing>)> {
        Err(not_in_shards())
    }
    /// The part of the witness that shard number `shard` of so many reads, for [`AnyStatement::prove_share`]:
    /// as secret as the whole.
    fn share(&self, _shards: usize, _shard: usize) -> Result<Zeroizing<Vec<u8>>> {
        Err(not_in_shards())
    }
    /// Proves the claim to a file: see [`prove_to`](crate::prove_to).
    fn prove_to(&self, out: &mut dyn Write, options: &Options) -> Result<Report>;
    /// Proves the claim to a file that can be written to anew: see [`prove_to_file`](crate::prove_to_file).
    fn prove_to_file(&self, out: &mut dyn Sink, options: &Options) -> Result<Report>;
}

/// Refuses shards, into which statements over one field alone fall.
fn not_in_shards() -> Error {
    Error::invalid("a statement over two fields is proved whole, and not in shards")
}

impl<S: WithProgram + Sync> AnySetting for PhantomData<S> {
    fn name(&self) -> String {
        S::name()
    }
    fn wires(&self) -> &'static str {
        S::F::name()
    }
    fn modulus(&self) -> Option<U256> {
        if S::F::BITS == 1 { Some(2_u64.into()) } else { prime_field::<S::F>().ok() }
    }
    fn is_by(&self, system: System) -> bool {
        find::<S>(system).is_ok()
    }
    fn security(&self) -> u32 {
        S::facts().security()
    }
    fn bound_by_size(&self) -> bool {
        S::facts().bound_by_size()
    }
    fn non_interactive(&self) -> bool {
        S::facts().non_interactive()
    }
    fn correlations(&self) -> Vec<Correlations> {
        S::facts().correlations()
    }
    fn statistical_bits(&self, options: &Options, correlations: Correlations, size: Size) -> Result<u32> {
        let correlations = S::facts().named(correlations.name())?;
        Ok(find::<S>(options.system())?.analysis(options)?.statistical_bits(correlations, size))
    }
    fn choose(&self, options: &Options, size: Size, bandwidth: f64) -> Result<Choice> {
        find::<S>(options.system())?.analysis(options)?.choose(options, size, bandwidth)
    }
    fn estimate(&self, options: &Options, choice: Choice, shape: &Shape) -> Result<Estimate> {
        let correlations = S::facts().named(choice.correlations.name())?;
        let analysis = find::<S>(options.system())?.analysis(options)?;
        Ok(analysis.traffic(Choice { correlations, ..choice }, shape))
    }
    fn size(&self, shape: &Shape) -> Size {
        let analysis = volery_quicksilver::session::over::<S>().analysis(&Options::default());
        analysis.expect("usual options").size(shape)
    }
    fn demand(&self, shape: &Shape) -> Demand {
        S::Parties::demand(shape)
    }
    fn check_fields(&self) -> Vec<CheckSize> {
        S::Parties::check_fields()
    }
    fn builtins(&self) -> &'static [(&'static str, &'static str)] {
        S::Program::builtins()
    }
    fn open(&self, spec: &str, format: Option<Format>) -> Result<Box<dyn AnyRelation>> {
        if let Some(opened) = S::with_bits().filter(|_| format.is_none()).and_then(|open| open(spec)) {
            return opened;
        }
        Ok(Box::new(Opened::<S>::of(S::Program::open(spec, format)?)))
    }
    fn r1cs(&self, system: Arc<R1cs>) -> Result<Box<dyn AnyRelation>> {
        system.demand_field::<S::F>()?;
        Ok(Box::new(Opened::<S>::of(S::Program::of_file(Box::new(system)))))
    }
    fn prove_several<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Result<Box<dyn AnyProofs + 'c>> {
        Ok(Box::new(Proofs::<S>::over(channel, options)?))
    }
    fn verify_several<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Result<Box<dyn AnyVerifications + 'c>> {
        Ok(Box::new(Verifications::<S>::over(channel, options)?))
    }
    fn run_delta(&self, run: &Run, options: &Options) -> Result<RunDelta> {
        RunDelta::fresh::<S>(run, options)
    }
    fn delta_bytes(&self) -> usize {
        S::DELTA_BYTES
    }
    fn load_run_delta(&self, run: &Run, bytes: &[u8]) -> Result<RunDelta> {
        RunDelta::from_bytes::<S>(run, bytes)
    }
    fn crossing_length(&self, party: Party, wires: usize) -> usize {
        Crossing::length::<S>(party, wires)
    }
    fn privacy(&self, announced: &Announced, restarts: u32) -> u32 {
        sharded::privacy::<S>(announced, restarts)
    }
}

/// A setting whose programs are over its field.
pub(super) trait WithProgram: Named + Registered<Program: Program<F = <Self as Setting>::F>> {}

impl<S: Named + Registered<Program: Program<F = <S as Setting>::F>>> WithProgram for S {}

/// The program of a setting.
type ProgramOf<S> = <S as Registered>::Program;
/// The values of its ports.
type ValuesOf<S> = Values<<ProgramOf<S> as Program>::Value>;

struct Opened<S: WithProgram> {
    program: S::Program,
    public: ValuesOf<S>,
}

impl<S: WithProgram> Opened<S> {
    fn of(program: S::Program) -> Self {
        let public = Values::of(program.inputs().iter().chain(program.outputs()));
        Self { program, public }
    }
}

impl<S: WithProgram> AnyRelation for Opened<S> {
    fn inputs(&self) -> &[Port] {
        self.program.inputs()
    }
    fn outputs(&self) -> &[Port] {
        self.program.outputs()
    }
    fn unit(&self) -> &'static str {
        <ProgramOf<S> as Program>::Value::UNIT
    }
    fn identity(&self) -> (Vec<u8>, Option<u32>) {
        (self.program.identity(), self.program.version())
    }
    fn encoded_bytes(&self, port: &Port) -> usize {
        <ProgramOf<S> as Program>::Value::zeros(port.width).encoding().len()
    }
    fn format_name(&self) -> &'static str {
        self.program.format_name()
    }
    fn examine(&self) -> Result<(Shape, Vec<String>)> {
        self.program.examine()
    }
    fn streams(&self) -> Vec<ValueStream> {
        self.program.streams()
    }
    fn ands_in_file(&self) -> Option<u64> {
        self.program.ands_in_file()
    }
    fn clauses(&self) -> Result<Vec<Shape>> {
        self.program.clauses()
    }
    fn public(&mut self) -> &mut dyn ReadValues {
        &mut self.public
    }
    fn state(self: Box<Self>) -> Result<Box<dyn AnyStatement>> {
        let statement = Statement::new(self.program, self.public)?;
        let private = Values::of(statement.private_ports());
        Ok(Box::new(Stated::<S> { statement, private }))
    }
}

struct Stated<S: WithProgram> {
    statement: Statement<S::Program>,
    private: ValuesOf<S>,
}

impl<S: WithProgram> Stated<S> {
    /// The statement in the shards of `run`.
    fn of_run(&self, run: &Run) -> Result<SplitStatement<'_, S::Program>> {
        let split = self.statement.split(run.shards as usize)?;
        if split.digest() != run.statement {
            return Err(Error::invalid("a shard of a run of another statement: give both the same one"));
        }
        Ok(split)
    }
}

impl<S: WithProgram> AnyStatement for Stated<S> {
    fn digest(&self) -> [u8; 32] {
        self.statement.digest()
    }
    fn public(&self) -> Vec<(&Port, String)> {
        self.statement.public().map(|(port, value)| (port, value.to_text())).collect()
    }
    fn encodings(&self) -> Vec<(&Port, Cow<'_, [u8]>)> {
        self.statement.public().map(|(port, value)| (port, value.encoding())).collect()
    }
    fn unit(&self) -> &'static str {
        <ProgramOf<S> as Program>::Value::UNIT
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn count(&self) -> Result<Shape> {
        S::compiled().count(&self.statement)
    }
    fn warnings(&self) -> Vec<String> {
        self.statement.warnings()
    }
    fn verify(&self, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)> {
        find::<S>(options.system())?.verify(self.statement.source(), channel, options)
    }
    fn verify_from(&self, proof: &mut (dyn Read + Send), options: &Options) -> Result<(Accepted, Report)> {
        verify_any::<S>(&self.statement, proof, options)
    }
    fn in_shards(&self, shards: usize) -> Result<InShards> {
        let split = self.statement.split(shards)?;
        let inputs = self.statement.relation().inputs();
        let private: Vec<_> = self.statement.private_ports().map(|port| &port.name).collect();
        let reads = (0..split.count()).map(|shard| {
            let reads = split.sharding().reads(shard).iter();
            let reads = reads.map(|(input, places)| (inputs[*input].clone(), places.clone()));
            reads.filter(|(port, _)| private.contains(&&port.name)).collect()
        });
        let reads = reads.collect();
        Ok(InShards { digest: split.digest(), announced: Announced::of(&split)?, reads })
    }
    fn verify_shard(
        &self,
        (run, place): (&Run, Place),
        incoming: Vec<Crossing>,
        delta: &RunDelta,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(AcceptedShard, Report, Vec<Crossing>)> {
        let split = self.of_run(run)?;
        sharded::verify_shard::<S>((run, place), &split, incoming, delta, channel, options)
    }
    fn prove_share(
        &self,
        (run, place): (&Run, Place),
        incoming: Vec<Crossing>,
        share: &[u8],
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Report, Vec<Crossing>)> {
        let split = self.of_run(run)?;
        let share = share::from_bytes::<S::F>(share, count(&places(&split, place.shard as usize)?))?;
        sharded::prove_any::<S>((run, place), &split, incoming, &share, channel, options)
    }
    fn read_trace(&mut self, name: &str, text: &[u8]) -> Result<()> {
        let stated: BTreeMap<_, _> =
            self.statement.public().map(|(port, value)| (&*port.name, value.encoding())).collect();
        for (port, value) in self.statement.relation().trace(name, text)? {
            match stated.get(&*port) {
                None => self.private.insert(port, value)?,
                Some(stated) if *stated == value.encoding() => {}
                Some(_) => {
                    return Err(Error::invalid(format!(
                        "{name}: {port} is public, and has another value in the trace"
                    )));
                }
            }
        }
        Ok(())
    }
    fn private(&mut self) -> &mut dyn ReadValues {
        &mut self.private
    }
    fn claim(mut self: Box<Self>) -> Result<Box<dyn AnyClaim>> {
        let private = core::mem::take(&mut self.private);
        let witness = self.statement.witness(private)?;
        Ok(Box::new(Claimed { stated: *self, witness }))
    }
}

/// The places of the whole's witness that a shard reads.
fn places<P: Program>(split: &SplitStatement<'_, P>, shard: usize) -> Result<Vec<Range<u64>>> {
    if shard >= split.count() {
        return Err(Error::invalid(format!("shard {shard} of {}: they are numbered from 0", split.count())));
    }
    Ok(split.witness(shard))
}

struct Claimed<S: WithProgram> {
    stated: Stated<S>,
    witness: <ProgramOf<S> as Program>::Witness,
}

impl<S: WithProgram> Reread<S::F> for Claimed<S> {
    fn read(&self) -> Stream<'_, S::F> {
        Box::new(S::Program::elements(&self.witness))
    }
}

impl<S: WithProgram> AnyClaim for Claimed<S> {
    fn statement(&self) -> &dyn AnyStatement {
        &self.stated
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn check(&self) -> Result<()> {
        if self.stated.statement.source().is_satisfied(&mut self.read()) {
            return Ok(());
        }
        S::compiled().check(&self.stated.statement, self.read())
    }
    fn prove(&self, channel: &mut Channel, options: &Options) -> Result<Report> {
        find::<S>(options.system())?.prove(self.stated.statement.source(), self, channel, options)
    }
    fn prove_shard(
        &self,
        (run, place): (&Run, Place),
        incoming: Vec<Crossing>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Report, Vec<Crossing>)> {
        let split = self.stated.of_run(run)?;
        let witness = Cut { of: self, places: places(&split, place.shard as usize)? };
        sharded::prove_any::<S>((run, place), &split, incoming, &witness, channel, options)
    }
    fn share(&self, shards: usize, shard: usize) -> Result<Zeroizing<Vec<u8>>> {
        let places = places(&self.stated.statement.split(shards)?, shard)?;
        let count = count(&places);
        Ok(share::to_bytes(Cut { of: self, places }.read(), count))
    }
    fn prove_to(&self, out: &mut dyn Write, options: &Options) -> Result<Report> {
        files::<S>(options)?.prove_to(&self.stated.statement, self, out, options)
    }
    fn prove_to_file(&self, out: &mut dyn Sink, options: &Options) -> Result<Report> {
        files::<S>(options)?.prove_to_file(&self.stated.statement, self, out, options)
    }
}
