//! One statement on its way from the handshake to the report, by a system that takes no correlations.

use super::{Details, Options, Report, Security, System};
use crate::channel::{Channel, Hello, Traffic, shake_hands};
use crate::circuit::stream::Stream;
use crate::circuit::{Count, Shape};
use crate::error::{Disagreement, Error, Result, Sides};
use crate::random::Random;
use crate::zk::Gates;
use core::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use volery_primitives::Field;

/// A statement on its way.
pub(super) struct Single<'c> {
    pub(super) channel: &'c mut Channel,
    system: System,
    statement: [u8; 32],
    security: Security,
    gates: Gates,
    pub(super) random: Random,
    before: Traffic,
    setup_traffic: Traffic,
    started: Instant,
    begun: Instant,
}

impl<'c> Single<'c> {
    /// Shakes hands over a setting of this name. The parties must agree on `parameters`, in at most 32 bytes;
    /// it is a `disagreement` where they do not.
    pub(super) fn open(
        channel: &'c mut Channel,
        options: &Options,
        (system, field): (System, &str),
        (disagreement, parameters): (fn(Sides<String>) -> Disagreement, &str),
        (statement, gates): ([u8; 32], Gates),
        security: Security,
    ) -> Result<Self> {
        if options.non_interactive {
            return Err(Error::invalid(format!(
                "a proof without coins of the verifier was asked for, and {system} is made of little else: take \
                 another system"
            )));
        }
        let (before, started) = (channel.traffic(), Instant::now());
        let mut random = fresh(options)?;
        let hello = Hello { system: system.name(), field, parameters, statement: &statement };
        let theirs = shake_hands(channel, &hello, &random.bytes())?;
        Sides { ours: parameters.to_owned(), theirs }.agree(disagreement)?;
        channel.checkpoint("statement");
        if let Some(progress) = &options.progress {
            progress.store(0, Relaxed);
        }
        let setup_traffic = Traffic::default();
        Ok(Self {
            channel,
            system,
            statement,
            security,
            gates,
            random,
            before,
            setup_traffic,
            started,
            begun: started,
        })
    }

    /// The set-up is done.
    pub(super) fn begin(&mut self) {
        self.begun = Instant::now();
        self.setup_traffic = self.channel.traffic().since(self.before);
    }

    pub(super) fn report(&self) -> Report {
        Report {
            statement: self.statement,
            system: self.system,
            gates: self.gates,
            details: Details::None,
            security: self.security,
            traffic: self.channel.traffic().since(self.before),
            setup_traffic: self.setup_traffic,
            setup: self.begun - self.started,
            online: self.begun.elapsed(),
        }
    }
}

/// The gates of the circuit, and its name: the given one, or that of its gates.
pub(super) fn settle<F: Field>(stream: &Stream<'_, F>, options: &Options) -> Result<(Shape, [u8; 32])> {
    match options.statement {
        Some(digest) => Ok((stream.count()?, digest)),
        None => Count::fingerprint(stream),
    }
}

/// The randomness of this run.
pub(super) fn fresh(options: &Options) -> Result<Random> {
    match &options.seed {
        Some(seed) => Ok(Random::from_seed(seed)),
        None => Random::from_system(),
    }
}
