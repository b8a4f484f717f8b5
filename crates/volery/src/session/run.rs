//! One statement on its way from the handshake to the report.

use super::correlations::{Choice, Correlations, Proposal, Reason};
use super::cut_and_choose::{self, purpose, shares, statistical_bits, terms};
use super::estimate::wolverine::drawn;
use super::{Options, Report, Security, Setting, System};
use crate::channel::{Channel, Hello, Traffic, shake_hands};
use crate::circuit::{Circuit, Count, Size};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::vole::{Ahead, BoxedVole, Share};
use crate::zk::Gates;
use crate::zk::wolverine::{Checked, SECURITY, Terms};
use core::marker::PhantomData;
use std::time::Instant;

/// What both sides keep from statement to statement.
pub(super) struct Common<'c, S> {
    pub(super) channel: &'c mut Channel,
    pub(super) options: Options,
    /// From the first statement on.
    pub(super) random: Option<Random>,
    /// How products are checked, by Wolverine.
    pub(super) terms: Option<Terms>,
    choice: Option<Choice>,
    dead: bool,
    setting: PhantomData<S>,
}

/// A statement on its way.
pub(super) struct Run {
    statement: [u8; 32],
    /// The shares that it draws, where both parties have said its size.
    shares: Option<u64>,
    pub(super) choice: Choice,
    before: Traffic,
    setup_traffic: Traffic,
    started: Instant,
    begun: Instant,
}

impl<'c, S: Setting> Common<'c, S> {
    pub(super) fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self { channel, options, random: None, terms: None, choice: None, dead: false, setting: PhantomData }
    }

    /// Shakes hands on a statement; for the first one on all settings.
    pub(super) fn open<C: Circuit<Count<S::F>>>(&mut self, circuit: &C) -> Result<Run> {
        if core::mem::replace(&mut self.dead, true) {
            return Err(Error::invalid("the session has ended in an error: start another"));
        }
        let (statement, size, proposal) = self.settle(circuit)?;
        let (before, started) = (self.channel.traffic(), Instant::now());
        let first = self.random.is_none();
        if first {
            self.random = Some(match &self.options.seed {
                Some(seed) => Random::from_seed(seed),
                None => Random::from_system()?,
            });
        }
        let parameters = proposal.text();
        let field = S::name();
        let system = self.options.system.name();
        let hello = Hello { system, field: &field, parameters: &parameters, statement: &statement };
        let nonce = self.random.as_mut().expect("set above").bytes();
        let theirs = shake_hands(self.channel, &hello, &nonce)?;
        if let Some(terms) = self.terms.as_ref().filter(|_| first) {
            cut_and_choose::agree(self.channel, terms)?;
        }
        // Later statements use what the first one was set up with.
        let resolved = proposal.resolve::<S>(&theirs, purpose(&self.options), self.channel)?;
        let choice = *self.choice.get_or_insert(resolved);
        self.offer(choice.correlations, size.unwrap_or_default())?;
        self.channel.meet("statement");
        let setup_traffic = Traffic::default();
        let agreed = size.filter(|_| first && choice.reason == Reason::Small);
        let shares = agreed.map(|size| match &self.terms {
            Some(terms) => drawn::<S::Macs>(terms, size),
            // One more at least is for masks: where commitments fill their blocks, theirs is drawn with them.
            None => size.commitments + 1,
        });
        Ok(Run { statement, shares, choice, before, setup_traffic, started, begun: started })
    }

    /// Forgets what was said of a statement that will not be proved.
    pub(super) fn forget(&mut self) {
        (self.options.statement, self.options.size) = (None, None);
    }

    /// Refuses where less statistical security is offered than asked for.
    pub(super) fn offer(&self, correlations: Correlations, size: Size) -> Result<()> {
        let usual = if self.terms.is_some() { SECURITY } else { S::SECURITY };
        let asked = self.options.security.unwrap_or(usual);
        let offered = statistical_bits::<S>(&self.options, correlations, size)?;
        if offered < asked {
            return Err(Error::invalid(format!(
                "{asked} bits of statistical security were asked for, and {}{correlations} over {} gives {offered} to a \
                 statement of this size: ask for fewer, or take a larger extension",
                self.terms.map_or(String::new(), |terms| format!("{} with ", terms.by)),
                S::name()
            )));
        }
        Ok(())
    }

    /// The statement's digest, its size where it matters, and the proposed correlations: as given, or
    /// from a walk over the circuit.
    fn settle<C: Circuit<Count<S::F>>>(&mut self, circuit: &C) -> Result<([u8; 32], Option<Size>, Proposal)> {
        let system = self.options.system;
        self.terms = match system {
            System::QuickSilver => None,
            System::Wolverine => Some(terms::<S>(&self.options)?),
            _ => {
                return Err(Error::invalid(format!(
                    "{system} proves single statements, by `prove` and `verify`, or `prove_one_of` and `verify_one_of`; \
                     over fields other than F_2 take quicksilver, wolverine or limbo, and for several statements in a \
                     session quicksilver or wolverine"
                )));
            }
        };
        if self.options.non_interactive && !S::NON_INTERACTIVE {
            return Err(Error::invalid(format!(
                "a proof without coins of the verifier was asked for, and over {} a transcript's challenges could be \
                 searched offline: take an extension of 100 bits or more",
                S::name()
            )));
        }
        let there = S::correlations();
        if let Some(given) = self.options.correlations.filter(|given| !there.contains(given)) {
            let there: Vec<_> = there.iter().map(|correlations| correlations.name()).collect();
            return Err(Error::invalid(format!(
                "the correlations {given} are not for {}: there are {}",
                S::name(),
                there.join(", ")
            )));
        }
        let options = &mut self.options;
        // A name, and a number, is for one statement: the next one must not be taken for this.
        let (named, given) = (options.statement.take(), options.size.take());
        let firm = self.choice.map(|choice| choice.correlations).or(options.correlations);
        let sized = given.is_some() || (firm.is_some() && !S::BOUND_BY_SIZE);
        let (shape, statement) = match named {
            None => Count::fingerprint(circuit).map(|(shape, digest)| (Some(shape), digest))?,
            Some(digest) if sized => (None, digest),
            Some(digest) => (Some(Count::shape(circuit)?), digest),
        };
        let by_gates = self.terms.is_some();
        let size = given.or(shape.map(|shape| if by_gates { shape.size_by_gates() } else { shape.size() }));
        if let Some(firm) = firm {
            self.offer(firm, size.unwrap_or_default())?;
            return Ok((statement, size, Proposal::Firm(firm)));
        }
        let shares = shares::<S>(&self.options, size.expect("counted where it was not given"))?;
        Ok((statement, size, Proposal::Auto { shares, bandwidth: self.options.bandwidth }))
    }

    pub(super) fn close(&mut self, run: Run, gates: Gates, checked: Option<Checked>) -> Report {
        self.dead = false;
        let correlations = run.choice.correlations;
        let searched = self.terms.map_or(f64::INFINITY, |terms| terms.search_bits::<S::Macs>());
        let security = Security {
            computational: searched.min(S::computational_bits(correlations).into()) as u32,
            statistical: statistical_bits::<S>(&self.options, correlations, gates.size())
                .expect("offered before"),
        };
        Report {
            statement: run.statement,
            system: self.options.system,
            gates,
            choice: Some(run.choice),
            proof: None,
            checked,
            security,
            traffic: self.channel.traffic().since(run.before),
            setup_traffic: run.setup_traffic,
            setup: run.begun - run.started,
            online: run.begun.elapsed(),
        }
    }
}

impl Run {
    /// Draws what the statement will take, where shares come straight from transfers: they are a part of the set-up.
    pub(super) fn draw_ahead<S: Share + 'static>(
        &self,
        vole: BoxedVole<S>,
        channel: &mut Channel,
    ) -> Result<BoxedVole<S>> {
        match self.shares {
            Some(shares) if self.choice.correlations == Correlations::Direct => {
                Ok(Box::new(Ahead::new(vole, channel, shares)?))
            }
            _ => Ok(vole),
        }
    }

    /// The set-up is done; gates follow.
    pub(super) fn begin(&mut self, channel: &Channel) {
        self.begun = Instant::now();
        self.setup_traffic = channel.traffic().since(self.before);
    }
}
