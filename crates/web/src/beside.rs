//! The proof system on the second link of a session, in a thread of its own: it is set up while the server is asked,
//! before there is a statement, and then proves that one.
//!
//! | step | who | message on the second link | bytes |
//! |---|---|---|---|
//! | a | both | the handshake of volery's protocol, with a digest of the [terms](crate::terms) in the place of the statement's, and the set-up of correlations for a statement of the size that the terms expect | those of a proof |
//! | b | both | behind step 5 of the [tunnel](crate::tunnel), another handshake, with the statement's digest, and the proof | those of a proof |
//!
//! Nothing that step a does depends on what the server says, or on the witness. A prover opens nothing before it is
//! done. Each challenge of the proof comes after both handshakes and all of the set-up, in one transcript.
//!
//! **What an abort leaks.** Nothing in step a, where neither side has a secret of the session that the other may want.

use crate::error::{Error, Result};
use crate::statement::Statement;
use crate::terms::Terms;
use crate::tls::Secret;
use sha2::{Digest, Sha256};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use volery::channel::{Channel, Fork, Party};
use volery::circuit::Size;
use volery::circuit::stream::Source;
use volery::{Accepted, F2, Options, ProverSession, Report, VerifierSession};

/// The begin of the digest that stands for the statement's while there is none.
const SET_UP: &[u8] = b"volery web set-up\0";

/// A statement to be proved, with the digest that names it, and the secret of which it is true, where this is the prover's.
struct Job<S> {
    statement: Statement,
    digest: [u8; 32],
    secret: S,
}

/// The outcome of a thread, with its channel, which is still open; `None` where there was no job.
type Ended<O> = volery::Result<Option<(O, Channel)>>;

/// A party of the proof system, beside the tunnel.
struct Beside<S, O> {
    jobs: Sender<Job<S>>,
    is_set_up: Receiver<()>,
    thread: JoinHandle<Ended<O>>,
}

/// The work of a party: it says that it is set up, and takes a job.
struct Work<S> {
    jobs: Receiver<Job<S>>,
    is_set_up: Sender<()>,
    name: [u8; 32],
    size: Size,
    options: Options,
}

impl<S: Send + 'static, O: Send + 'static> Beside<S, O> {
    fn start(
        party: Party,
        link: Fork,
        terms: &Terms<'_>,
        options: &Options,
        work: fn(&mut Channel, Work<S>) -> volery::Result<Option<O>>,
    ) -> Result<Self> {
        let (jobs, taken) = channel();
        let (says, is_set_up) = channel();
        let name = Sha256::new().chain_update(SET_UP).chain_update(terms.digest()).finalize().into();
        // It has been checked without its gates.
        let options = Options { check: false, ..options.clone() };
        let work_of_it = Work { jobs: taken, is_set_up: says, name, size: terms.expected(), options };
        let run = move || {
            let mut channel = Channel::new(party, link);
            let ended = work(&mut channel, work_of_it)?;
            Ok(ended.map(|outcome| (outcome, channel)))
        };
        let thread = thread::Builder::new().name("proof".into()).spawn(run);
        let thread = thread.map_err(Error::io("starting the thread of the proof"))?;
        Ok(Self { jobs, is_set_up, thread })
    }

    /// Waits for the end of the set-up.
    fn set_up(self) -> Result<Self> {
        match self.is_set_up.recv() {
            Ok(()) => Ok(self),
            Err(_) => self.end().map(|_| unreachable!("it ended before it was set up")),
        }
    }

    fn begin(&self, job: Job<S>) {
        // One that has ended says why when it is asked.
        let _ = self.jobs.send(job);
    }

    /// The outcome.
    fn end(self) -> Result<O> {
        drop(self.jobs);
        let ended = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let (outcome, channel) =
            ended.ok_or_else(|| Error::io("proving")(io::Error::other("nothing was to be proved")))?;
        // The verdict is told: whatever follows is no part of it.
        let _ = channel.close();
        Ok(outcome)
    }
}

/// The prover of a session.
pub struct Proving(Beside<Secret, Report>);

impl Proving {
    /// Begins with step a.
    ///
    /// # Errors
    /// `Io` where there is no thread for it.
    pub fn start(link: Fork, terms: &Terms<'_>, options: &Options) -> Result<Self> {
        Beside::start(Party::Prover, link, terms, options, |channel, work| {
            let Work { jobs, is_set_up, name, size, options } = work;
            let mut session = ProverSession::new(channel, options);
            session.prepare(name, size)?;
            let _ = is_set_up.send(());
            let Ok(Job { statement, digest, secret }) = jobs.recv() else { return Ok(None) };
            session.name_next(digest);
            let source: &dyn Source<F2> = &statement;
            session.prove(source, Statement::witness(&secret)).map(Some)
        })
        .map(Self)
    }

    /// Waits for the end of step a.
    ///
    /// # Errors
    /// Those of the proof system.
    pub fn set_up(self) -> Result<Self> {
        self.0.set_up().map(Self)
    }

    /// Begins with step b: `digest` names the statement.
    pub fn begin(&self, statement: Statement, digest: [u8; 32], secret: &Secret) {
        self.0.begin(Job { statement, digest, secret: secret.clone() });
    }

    /// Waits for the verdict.
    ///
    /// # Errors
    /// Those of the proof system.
    pub fn end(self) -> Result<Report> {
        self.0.end()
    }
}

/// The verifier of a session.
pub(crate) struct Verifying(Beside<(), (Accepted, Report)>);

impl Verifying {
    /// Begins with step a.
    ///
    /// # Errors
    /// `Io` where there is no thread for it.
    pub(crate) fn start(link: Fork, terms: &Terms<'_>, options: &Options) -> Result<Self> {
        Beside::start(Party::Verifier, link, terms, options, |channel, work| {
            let Work { jobs, is_set_up, name, size, options } = work;
            let mut session = VerifierSession::new(channel, options);
            session.prepare(name, size)?;
            let _ = is_set_up.send(());
            let Ok(Job { statement, digest, .. }) = jobs.recv() else { return Ok(None) };
            session.name_next(digest);
            let source: &dyn Source<F2> = &statement;
            session.verify(source).map(Some)
        })
        .map(Self)
    }

    /// The error of a session that ends in `why`: that of the set-up, where the prover left because of it.
    pub(crate) fn cause(self, why: Error) -> Error {
        let Self(Beside { thread, .. }) = self;
        match why {
            Error::Io { .. } if thread.is_finished() => match thread.join() {
                // A link that ended has done so for both.
                Err(_) | Ok(Ok(_) | Err(volery::Error::Io { .. })) => why,
                Ok(Err(earlier)) => earlier.into(),
            },
            why => why,
        }
    }

    /// Verifies a statement, which `digest` names: step b.
    ///
    /// # Errors
    /// Those of the proof system.
    pub(crate) fn verify(self, statement: Statement, digest: [u8; 32]) -> Result<(Accepted, Report)> {
        self.0.begin(Job { statement, digest, secret: () });
        self.0.end()
    }
}
