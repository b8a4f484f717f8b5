//! Many queries about an input that is committed to once: of a network, by its weights.
//!
//! A relation has such queries where `?part=weights` behind its name is a relation that hands on all that is common to
//! them, and `?part=query` one that takes it. Both are proved in one session ([`AnySetting::prove_several`]), so that what
//! was handed on stays what it is: nobody can change it between two queries.
//!
//! | from | message | bytes | when |
//! |---|---|---|---|
//! | both | the proof of what is common, by the digest of both relations and the names of what queries say in public | as ever | first |
//! | prover | 1: a query follows; 0: no more | 1 | until there are no more |
//! | | values of what is public, in the order of inputs and outputs | known to both | behind a 1 |
//! | both | the proof of the query, by the digest of the statement with these values | as ever | |
//!
//! What is said in public is what the prover claims; the proof shows it, and its digest has it. The verifier sees it before
//! it does anything, and may go. Each statement has an error of its own, and these add up: where one more query might leave
//! fewer bits than are asked for, either party ends the session.

use crate::session::any::{AnyClaim, AnyProofs, AnyRelation, AnySetting, AnyStatement, AnyVerifications};
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_circuit::port::{Written, with_options};
use volery_circuit::{Port, Size};
use volery_primitives::hash::Digest;
use volery_proof::options::Options;
use volery_proof::report::Report;
use volery_proof::verdict::Accepted;

/// Queries about one relation, and what each says in public.
pub struct Queries {
    setting: &'static dyn AnySetting,
    /// The relation of what is common, and that of a query.
    relations: [String; 2],
    public: Vec<String>,
    /// The identity of a query's relation, which files may not change behind.
    identity: (Vec<u8>, Option<u32>),
    /// The wires that are handed on.
    carried: usize,
    /// The size of a query, all of whose inputs are private, and that by which correlations are chosen.
    sizes: [Size; 2],
}

/// The fewest commitments by which correlations are chosen: those that suit less are too dear for a session.
const LEAST: u64 = 1 << 18;

impl Queries {
    /// Queries about the relation that `spec` names, in each of which the inputs and outputs of these names are public.
    ///
    /// # Errors
    /// `Invalid` where there is no such relation, or it has no queries, and for a name that it has not.
    pub fn of(setting: &'static dyn AnySetting, spec: &str, public: &[String]) -> Result<Self> {
        let joined = if with_options(spec).1.is_some() { '&' } else { '?' };
        let relations = ["weights", "query"].map(|part| format!("{spec}{joined}part={part}"));
        let [common, query] = &relations;
        let common = setting.open(common, None)?.examine()?.0;
        let query = setting.open(query, None)?;
        let names = |ports: &[Port]| ports.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
        let (inputs, outputs) = (names(query.inputs()), names(query.outputs()));
        if let Some(other) = public.iter().find(|name| !inputs.contains(name) && !outputs.contains(name)) {
            let known = [inputs, outputs].concat().join(", ");
            return Err(Error::invalid(format!("{spec} has no input or output {other}: there is {known}")));
        }
        if !public.iter().any(|name| outputs.contains(name)) {
            let known = outputs.join(", ");
            return Err(Error::invalid(format!(
                "a query in which no output is public says nothing: name one of {known}"
            )));
        }
        let [common_size, size] = [&common, &query.examine()?.0].map(|shape| setting.size(shape));
        let larger = common_size.or_more(size);
        let sizes = [size, Size { commitments: larger.commitments.max(LEAST), ..larger }];
        let mut public = public.to_vec();
        public.sort_unstable();
        public.dedup();
        let identity = query.identity();
        Ok(Self { setting, public, identity, carried: common.outgoing as usize, relations, sizes })
    }

    /// The relation of what is common, to be given private values.
    ///
    /// # Errors
    /// As for [`Queries::of`].
    pub fn common(&self) -> Result<Box<dyn AnyRelation>> {
        self.setting.open(&self.relations[0], None)
    }

    /// The relation of a query, to be given values.
    ///
    /// # Errors
    /// As for [`Queries::of`]; `Invalid` where it is no longer what it was.
    pub fn query(&self) -> Result<Box<dyn AnyRelation>> {
        let query = self.setting.open(&self.relations[1], None)?;
        if query.identity() != self.identity {
            return Err(Error::invalid(format!(
                "{} is another relation than it was when the session began: begin another session",
                self.relations[1]
            )));
        }
        Ok(query)
    }

    /// The names of the inputs and outputs that are public in each query.
    pub fn public(&self) -> &[String] {
        &self.public
    }

    /// The ports of a query that are public, in their order.
    fn public_ports<'r>(&self, query: &'r dyn AnyRelation) -> impl Iterator<Item = &'r Port> {
        let ports = query.inputs().iter().chain(query.outputs());
        ports.filter(|port| self.public.contains(&port.name))
    }

    /// The digest of the session, by what is `common`.
    fn digest(&self, common: &dyn AnyStatement) -> Result<[u8; 32]> {
        let query = self.query()?;
        let (identity, version) = &self.identity;
        let version = version.map_or(Vec::new(), |version| version.to_le_bytes().to_vec());
        let digest = Digest::new("volery queries v1").field(&common.digest()).field(identity).field(&version);
        Ok(self
            .public_ports(&*query)
            .fold(digest, |digest, port| digest.field(port.name.as_bytes()))
            .finish())
    }
}

/// The sum of the errors of a session's statements.
struct Spent {
    /// The least bits that are to be left.
    asked: u32,
    error: f64,
    /// The largest error of one statement.
    most: f64,
}

impl Spent {
    /// Nothing yet, of a session with these options.
    fn new(queries: &Queries, options: &Options) -> Result<Self> {
        Ok(Self { asked: options.asked_security(queries.setting.security())?, error: 0.0, most: 0.0 })
    }

    /// Counts a statement.
    fn add(&mut self, report: &Report) {
        let error = (-f64::from(report.security.statistical)).exp2();
        self.error += error;
        self.most = self.most.max(error);
    }

    /// The bits that are left.
    fn bits(&self) -> u32 {
        -self.error.log2() as u32
    }

    /// Demands that there is room for one more.
    fn demand(&self) -> Result<()> {
        let Self { asked, error, most } = *self;
        if -(error + most).log2() >= f64::from(asked) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{asked} bits of statistical security were asked for, and with one query more the session has fewer: begin \
             another, ask for fewer, or take a larger extension"
        )))
    }
}

/// An error of values that the peer has said.
fn of_peer(why: Error) -> Error {
    match why {
        Error::Invalid(_) => Error::Misbehaved(Misbehaviour::NoQuery),
        other => other,
    }
}

/// A prover that is asked.
pub struct QueryProver<'c> {
    queries: &'c Queries,
    proofs: Box<dyn AnyProofs + 'c>,
    spent: Spent,
}

impl<'c> QueryProver<'c> {
    /// Proves what is common, a claim of [`Queries::common`].
    ///
    /// # Errors
    /// As for `volery::prove`.
    pub fn new(
        queries: &'c Queries,
        common: &dyn AnyClaim,
        channel: &'c mut Channel,
        options: &Options,
    ) -> Result<(Self, Report)> {
        let (name, [_, size]) = (queries.digest(common.statement())?, queries.sizes);
        let mut spent = Spent::new(queries, options)?;
        let (checks, options) = (options.check, Options { check: false, ..options.clone() });
        let mut proofs = queries.setting.prove_several(channel, options)?;
        proofs.carry(queries.carried)?;
        if checks {
            proofs.check(common)?;
        }
        let report = proofs.prove(common, name, Some(size))?;
        spent.add(&report);
        Ok((Self { queries, proofs, spent }, report))
    }

    /// Checks the next query in the clear. Nothing is sent, so that another may be asked in its place.
    ///
    /// # Errors
    /// `Unsatisfied` where it does not hold.
    pub fn check(&mut self, query: &dyn AnyClaim) -> Result<()> {
        self.proofs.check(query)
    }

    /// Proves the next query, a claim of [`Queries::query`] that was checked, or is known to hold.
    ///
    /// # Errors
    /// As for `volery::prove`; `Invalid` before a byte is sent, where other values are public than in the session, or fewer
    /// bits of security would be left than are asked for.
    pub fn prove(&mut self, query: &dyn AnyClaim) -> Result<Report> {
        let statement = query.statement();
        let values = statement.encodings();
        let is_public = |(port, _): &(&Port, _)| self.queries.public.contains(&port.name);
        if values.len() != self.queries.public.len() || !values.iter().all(is_public) {
            return Err(Error::invalid("a query in which other values are public than in the session"));
        }
        self.spent.demand()?;
        let channel = self.proofs.channel();
        channel.send(&[1])?;
        values.iter().try_for_each(|(_, value)| channel.send(value))?;
        let report = self.proofs.prove(query, statement.digest(), Some(self.queries.sizes[0]))?;
        self.spent.add(&report);
        Ok(report)
    }

    /// The bits of statistical security of the session so far.
    pub fn bits(&self) -> u32 {
        self.spent.bits()
    }

    /// Says that there are no more queries.
    ///
    /// # Errors
    /// Those of the link.
    pub fn end(mut self) -> Result<()> {
        let channel = self.proofs.channel();
        channel.send(&[0])?;
        channel.flush()
    }
}

/// A verifier that asks.
pub struct QueryVerifier<'c> {
    queries: &'c Queries,
    verifications: Box<dyn AnyVerifications + 'c>,
    spent: Spent,
}

impl<'c> QueryVerifier<'c> {
    /// Verifies what is common.
    ///
    /// # Errors
    /// As for `volery::verify`.
    pub fn new(queries: &'c Queries, channel: &'c mut Channel, options: &Options) -> Result<(Self, Report)> {
        let common = queries.common()?.state()?;
        let (name, [_, size]) = (queries.digest(&*common)?, queries.sizes);
        let mut spent = Spent::new(queries, options)?;
        let mut verifications = queries.setting.verify_several(channel, options.clone())?;
        verifications.carry(queries.carried)?;
        let (_accepted, report) = verifications.verify(&*common, name, Some(size))?;
        spent.add(&report);
        Ok((Self { queries, verifications, spent }, report))
    }

    /// The prover's next claim, which is still to be verified; nothing where there are no more queries.
    ///
    /// # Errors
    /// `Misbehaved` where it breaks the protocol; `Invalid` as for [`Queries::query`], and where no more can be asked for
    /// by the bits of security that are left; those of the link.
    pub fn receive(&mut self) -> Result<Option<Box<dyn AnyStatement>>> {
        let mut query = self.queries.query()?;
        let channel = self.verifications.channel();
        match channel.recv_array()? {
            [0] => return Ok(None),
            [1] => {}
            _ => return Err(Error::Misbehaved(Misbehaviour::NoQuery)),
        }
        self.spent.demand()?;
        let ports: Vec<_> = self.queries.public_ports(&*query).cloned().collect();
        for port in ports {
            let mut value = vec![0; query.encoded_bytes(&port)];
            channel.recv(&mut value)?;
            query.public().read(&port.name, Written::Encodings(&value)).map_err(of_peer)?;
        }
        query.state().map(Some).map_err(of_peer)
    }

    /// Verifies what [`QueryVerifier::receive`] gave.
    ///
    /// # Errors
    /// As for `volery::verify`.
    pub fn verify(&mut self, query: &dyn AnyStatement) -> Result<(Accepted, Report)> {
        let size = Some(self.queries.sizes[0]);
        let verified = self.verifications.verify(query, query.digest(), size).map_err(of_peer)?;
        self.spent.add(&verified.1);
        Ok(verified)
    }

    /// The bits of statistical security of the session so far.
    pub fn bits(&self) -> u32 {
        self.spent.bits()
    }
}
