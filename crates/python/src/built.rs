//! Statements made of a Python function, over whichever setting.

use crate::engine::{Ask, Engine, Ground};
use crate::parts::Parts;
use crate::tape::Failed;
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, PoisonError};
use volery::channel::{Channel, Party};
use volery::circuit::stream::{Shard, Source};
use volery::circuit::{Announced, Shape, Sharding as _};
use volery::{
    AnySetting, Binary, Error, Field, Named, Options, Over, Report, Result, Setting, ShortBinary, prove_over,
    prove_to_over, verify_from_over, verify_over, with_fields,
};
use volery_cluster::Work;

/// The facts of a field that a thread that runs a function has to know.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    /// The name of the field.
    pub(crate) name: &'static str,
    /// Whether it is F_2, over which words are.
    pub(crate) boolean: bool,
    /// The largest number that encodes an element.
    pub(crate) largest: u128,
    /// Whether its elements are the numbers modulo a prime.
    pub(crate) prime: bool,
}

impl Facts {
    fn of<F: Field>() -> Self {
        let prime = F::ONE + F::ONE != F::ZERO;
        let largest = if prime { (-F::ONE).to_integer().capped() } else { u128::MAX >> (128 - F::BITS) };
        Self { name: F::NAME, boolean: F::BITS == 1, largest, prime }
    }
}

/// A statement of a function over a setting.
pub(crate) trait AnyBuilt: Send + Sync {
    /// The facts of the field, by which values are read.
    fn facts(&self) -> Facts;
    /// How it falls into shards.
    fn parts(&self) -> &Parts;
    /// Adds numbers of `bits` bits, or elements, to the witness of a shard.
    fn add_to_witness(&self, shard: usize, numbers: &[u128], width: u32) -> Result<()>;
    /// Ends the run that is being read.
    fn stop(&self);
    /// The assertion that failed.
    fn told(&self) -> Option<Failed>;
    /// Runs the function once for each shard, and executes nothing.
    fn skip(&self) -> Result<()>;
    /// Checks the function in the clear, as [`volery::check`] does.
    fn check(&self) -> Result<()>;
    /// Checks the function in the clear shard by shard: the witness of each is forgotten behind it.
    fn check_shards(&self) -> Result<()>;
    /// The gates, and their digest.
    fn fingerprint(&self) -> Result<(Shape, [u8; 32])>;
    /// The gates of each of these shards, and their digests.
    fn fingerprint_shards(&self, shards: Range<usize>) -> Result<Vec<(Shape, [u8; 32])>>;
    /// The work of workers on the statement that is named so.
    fn work(&self, party: Party, statement: [u8; 32], options: Options) -> Result<Work<'_>>;
    /// Proves the function, as [`volery::prove_over`] does.
    fn prove(&self, channel: &mut Channel, options: &Options) -> Result<Report>;
    /// Verifies the function, as [`volery::verify_over`] does.
    fn verify(&self, channel: &mut Channel, options: &Options) -> Result<Report>;
    /// Proves the function to a file, as [`volery::prove_to_over`] does.
    fn prove_to(&self, out: &mut dyn Write, options: &Options) -> Result<Report>;
    /// Verifies a file about the function, as [`volery::verify_from_over`] does.
    fn verify_from(&self, proof: &mut (dyn Read + Send), options: &Options) -> Result<Report>;
}

struct Built<S: Named> {
    engine: Engine<S::F>,
    setting: PhantomData<fn() -> S>,
}

/// A statement over `setting`, of a function that `ask` has run, in these shards.
///
/// # Errors
/// `Invalid` over a field that functions are not compiled for: of more than 128 bits, or of a prime that is
/// chosen at run time.
pub(crate) fn built(setting: &dyn AnySetting, ask: Ask, parts: Arc<Parts>) -> Result<Arc<dyn AnyBuilt>> {
    fn over<S: Named<F: Ground> + Sync>(ask: Ask, parts: Arc<Parts>) -> Arc<dyn AnyBuilt> {
        Arc::new(Built::<S> { engine: Engine::new(ask, parts), setting: PhantomData })
    }
    let name = setting.name();
    macro_rules! by_name {
        ($($values:ident: $($macs:ident)+;)+) => {$($(
            if const { <volery::$values as Field>::BITS <= u128::BITS }
                && name == Over::<volery::$values, volery::$macs>::name()
            {
                return Ok(over::<Over<volery::$values, volery::$macs>>(ask, parts));
            }
        )+)+};
    }
    if name == Binary::name() {
        return Ok(over::<Binary>(ask, parts));
    }
    if name == ShortBinary::name() {
        return Ok(over::<ShortBinary>(ask, parts));
    }
    with_fields!(by_name);
    Err(Error::invalid(format!(
        "functions are not written over {name} in Python, but over fields that have names and up to 128 bits: \
         take a relation, or another field"
    )))
}

impl<S: Named<F: Ground>> Built<S> {
    fn source(&self) -> &dyn Source<S::F> {
        &self.engine
    }
}

impl<S: Named<F: Ground> + Sync> AnyBuilt for Built<S> {
    fn facts(&self) -> Facts {
        Facts::of::<S::F>()
    }
    fn parts(&self) -> &Parts {
        &self.engine.parts
    }
    fn add_to_witness(&self, shard: usize, numbers: &[u128], width: u32) -> Result<()> {
        self.engine.add_to_witness(shard, numbers, width)
    }
    fn stop(&self) {
        self.engine.stop();
    }
    fn told(&self) -> Option<Failed> {
        self.engine.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn skip(&self) -> Result<()> {
        self.engine.skip()
    }
    fn check(&self) -> Result<()> {
        S::compiled().check(self.source(), Box::new(self.engine.witness()))
    }
    fn check_shards(&self) -> Result<()> {
        let checked = S::compiled().check_shards(&self.engine, &|shard| {
            self.engine.forget_before(shard);
            Box::new(self.engine.witness_of(shard))
        });
        self.engine.forget_before(self.engine.parts.count());
        checked
    }
    fn fingerprint(&self) -> Result<(Shape, [u8; 32])> {
        S::compiled().fingerprint(self.source())
    }
    fn fingerprint_shards(&self, shards: Range<usize>) -> Result<Vec<(Shape, [u8; 32])>> {
        let announced = Announced::of(&self.engine)?;
        if shards.end > announced.count() {
            let (last, all) = (shards.end - 1, announced.count());
            return Err(Error::invalid(format!("there is no shard {last}: the statement has {all}")));
        }
        let of = |shard| S::compiled().fingerprint(&Shard::new(&self.engine, &announced, shard));
        shards.map(of).collect()
    }
    fn work(&self, party: Party, statement: [u8; 32], options: Options) -> Result<Work<'_>> {
        match party {
            Party::Prover => {
                let witness = |shard| self.engine.witness_of(shard);
                Work::prove_over::<S, _>(&self.engine, witness, statement, options)
            }
            Party::Verifier => Work::verify_over::<S>(&self.engine, statement, options),
        }
    }
    fn prove(&self, channel: &mut Channel, options: &Options) -> Result<Report> {
        prove_over::<S>(self.source(), self.engine.witness(), channel, options)
    }
    fn verify(&self, channel: &mut Channel, options: &Options) -> Result<Report> {
        let (_accepted, report) = verify_over::<S>(self.source(), channel, options)?;
        Ok(report)
    }
    fn prove_to(&self, out: &mut dyn Write, options: &Options) -> Result<Report> {
        prove_to_over::<S>(self.source(), self.engine.witness(), &mut { out }, options)
    }
    fn verify_from(&self, proof: &mut (dyn Read + Send), options: &Options) -> Result<Report> {
        let (_accepted, report) = verify_from_over::<S>(self.source(), &mut { proof }, options)?;
        Ok(report)
    }
}
