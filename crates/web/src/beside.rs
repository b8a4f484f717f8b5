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
//! **What an abort leaks.** In step a what one of any set-up does: a prover that guesses at bits of Δ in the transfers fails
//! where it is wrong, which is an error that counts against it, however the tunnel ends.

use crate::error::{Error, Result};
use crate::statement::Statement;
use crate::terms::Terms;
use crate::tls::Secret;
use sha2::{Digest, Sha256};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use volery::channel::{Abort, Channel, Fork, Party};
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

/// A party of the proof system, beside the tunnel. Where it is dropped the link is given up, and its thread ends.
struct Beside<S, O> {
    jobs: Option<Sender<Job<S>>>,
    is_set_up: Receiver<()>,
    thread: Option<JoinHandle<Ended<O>>>,
    link: Abort,
}

impl<S, O> Beside<S, O> {
    /// How the thread ended, once there is no other job for it.
    fn join(&mut self) -> Option<Ended<O>> {
        self.jobs = None;
        let ended = self.thread.take()?.join();
        Some(ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }

    /// Gives the link up, and says how the thread ended.
    fn abort(&mut self) -> Option<Ended<O>> {
        self.link.abort();
        self.join()
    }
}

impl<S, O> Drop for Beside<S, O> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.jobs = None;
            self.link.abort();
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
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
        let handle = link.abort_handle();
        let giving_up = handle.clone();
        let run = move || {
            let mut channel = Channel::new(party, link);
            match work(&mut channel, work_of_it) {
                Ok(ended) => Ok(ended.map(|outcome| (outcome, channel))),
                Err(why) => {
                    // Nobody waits on the tunnel for what will not come; a link that ends does so there, too, behind
                    // what is still to be read.
                    if !matches!(why, volery::Error::Io { .. }) {
                        giving_up.abort();
                    }
                    Err(why)
                }
            }
        };
        let thread = thread::Builder::new().name("proof".into()).spawn(run);
        let thread = thread.map_err(Error::io("starting the thread of the proof"))?;
        Ok(Self { jobs: Some(jobs), is_set_up, thread: Some(thread), link: handle })
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
        let _ = self.jobs.as_ref().expect("it has not ended").send(job);
    }

    /// The error of a session that ends in `why` on the tunnel.
    fn cause(mut self, why: Error) -> Error {
        match self.abort() {
            Some(Err(earlier)) if earlier.counts_against_peer() => earlier.into(),
            // A link that ended has done so for both.
            Some(Err(volery::Error::Io { .. }) | Ok(_)) | None => why,
            Some(Err(earlier)) if matches!(why, Error::Io { .. }) => earlier.into(),
            Some(Err(_)) => why,
        }
    }

    /// The outcome.
    fn end(mut self) -> Result<O> {
        let ended = self.join().expect("it has not ended")?;
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

    /// The error of a session that ends in `why` on the tunnel: that of the set-up, where the session ends because of it, or
    /// it counts against the peer. The link is given up.
    pub fn cause(self, why: Error) -> Error {
        self.0.cause(why)
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

    /// The error of a session that ends in `why` on the tunnel: see [`Proving::cause`]. One that counts against the prover
    /// does so whatever that did to hide it.
    pub(crate) fn cause(self, why: Error) -> Error {
        self.0.cause(why)
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
