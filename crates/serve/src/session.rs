//! A session with one peer, from its first message to the verdict.

use crate::admission::{AGAIN, Admission, Admitted};
use crate::config::{Claimed, Config, Peer, Stated, Statement};
use crate::limited::{Carried, Limited};
use crate::metrics::Metrics;
use crate::store::{Kind, Store, Verdict, now};
use serde_json::{Map, json};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tracing::{debug, error, info, warn};
use volery::channel::{Channel, Identity, Link as _, Party, SecretKey, Tls, service_hello};
use volery::{Error, Options, Report};
use volery_cli::print::hex;
use volery_cli::service::{self, Cause, Opening, Refusal};
use volery_cli::web as report;
use volery_web::error::Whose;
use volery_web::file::File;
use volery_web::freshness::Stale;
use volery_web::policy::{Exchange, Unwanted};
use volery_web::record::{SignedRecord, Signer};
use volery_web::session::{self as web, Received, Seen};

/// The time for which strikes count, in milliseconds.
const HOUR: i64 = 3_600_000;

/// The longest wait for a peer that is refused.
const HASTE: Duration = Duration::from_secs(2);

/// Why a session ended that panicked.
const PANICKED: &str = "a bug of the service has ended it";

/// The most characters of a refusal, in the log and to the peer.
const LONGEST_LINE: usize = 512;

/// The most bytes of JSON that are kept of an answer.
const MOST_SHOWN: usize = 1 << 20;
/// The least bytes of that for a run of shown bytes, or of hidden ones.
const RUN: usize = 16;

/// The state that all sessions share.
pub(crate) struct Shared {
    pub(crate) config: RwLock<Arc<Config>>,
    pub(crate) store: Box<dyn Store>,
    pub(crate) admission: Arc<Admission>,
    pub(crate) metrics: Arc<Metrics>,
}

/// A peer at the other end of a link.
struct Met {
    config: Arc<Config>,
    identity: Identity,
    peer: Peer,
    link: Tls,
}

/// A session, once it is admitted.
struct Session {
    id: String,
    began: i64,
    identity: Identity,
    name: String,
    statement: Arc<Statement>,
    stated: Stated,
    /// The claim, once it is known.
    claim: OnceLock<Claim>,
    carried: Arc<Carried>,
    /// The record that was signed, as JSON, once it is kept.
    signed: OnceLock<String>,
    /// The verdict, once it is kept, or counted where that failed.
    kept: OnceLock<Kind>,
}

/// The claim of a session, as it is kept.
#[derive(Clone)]
struct Claim {
    /// The digest of the statement, in hexadecimal digits.
    digest: String,
    /// All public values, as JSON.
    public: String,
}

/// Serves a peer whose key is known. A panic ends its session, and no other.
pub(crate) fn hear(shared: &Arc<Shared>, link: Tls) {
    let heard = catch_unwind(AssertUnwindSafe(|| {
        // It may have been known to a file that holds no more.
        let (identity, config) = (link.peer(), shared.config());
        let Some(peer) = config.peer(identity).cloned() else { return };
        let from = peer.name.clone();
        let met = Met { config, identity, peer, link };
        if let Err(why) = met.hear(shared) {
            debug!(peer = %identity, name = from, %why, "the link ended before a session");
        }
    }));
    if heard.is_err() {
        shared.metrics.panics.fetch_add(1, Relaxed);
        error!("a bug has ended a session: please report the line above");
    }
}

impl Met {
    /// Agrees on terms, and verifies.
    fn hear(mut self, shared: &Arc<Shared>) -> io::Result<()> {
        let Some((waits, heard)) = shared.admission.wait(self.identity, &self.config.limits) else {
            shared.metrics.refused(Cause::Busy);
            return Err(io::Error::other("it has too many links that are refused already"));
        };
        if let Err(refusal) = heard {
            // What it asks for is taken up first, so that it is still there to hear the answer.
            self.link.set_timeout(HASTE)?;
            let _ = service::opening(&mut self.link);
            return self.refuse(shared, "", &refusal);
        }
        self.link.set_timeout(Duration::from_secs(self.config.limits.silence_seconds))?;
        let name = match service::opening(&mut self.link)? {
            Opening::Asks(name) => name,
            Opening::Proves => {
                info!(peer = %self.identity, name = self.peer.name, "it began a proof without asking for a statement");
                let hello = service_hello();
                self.link.send(&hello)?;
                self.link.flush()?;
                self.link.set_timeout(HASTE)?;
                // The rest of its own, of which 12 bytes were taken up.
                self.link.recv(&mut vec![0; hello.len() - 12])?;
                return self.link.close();
            }
        };
        let Some(statement) = self.config.statement(&self.peer, &name).cloned() else {
            let there = self.config.statements.keys().filter(|name| self.peer.may_prove(name));
            let there = there.cloned().collect::<Vec<_>>().join(", ");
            let why = format!("there is no statement `{}`: there is {there}", name.escape_debug());
            return self.refuse(shared, &name, &Refusal::new(Cause::Unknown, why));
        };
        service::offer(&mut self.link, statement.terms())?;
        let chosen = service::chosen(&mut self.link)?;
        let statement = match self.renew(shared, &name, &statement) {
            Ok(statement) => statement,
            Err(refusal) => return self.refuse(shared, &name, &refusal),
        };
        // First what costs nothing: to make the statement may take reading a file, and counts as a try.
        let admitted = shared.admission.admit(self.identity, &self.config.limits, statement.memory);
        let admitted = admitted.and_then(|admitted| {
            self.strikes(shared)?;
            let stated = statement.state(&chosen)?;
            let id =
                id().map_err(|why| Refusal::new(Cause::Failed, format!("it has no randomness: {why}")))?;
            Ok((admitted, stated, id))
        });
        let (admitted, stated, id) = match admitted {
            Ok(admitted) => admitted,
            Err(refusal) => return self.refuse(shared, &name, &refusal),
        };
        let claim = OnceLock::new();
        if let Claimed::Relation(statement) = &stated.claimed {
            let public =
                statement.public().into_iter().map(|(port, value)| (port.name.clone(), json!(value)));
            let public = serde_json::Value::Object(public.collect::<Map<_, _>>()).to_string();
            let _ = claim.set(Claim { digest: hex(&statement.digest()), public });
        }
        service::admit(&mut self.link, &id)?;
        drop(waits);
        let session = Session {
            id,
            began: now(),
            identity: self.identity,
            name: self.peer.name.clone(),
            statement,
            stated,
            claim,
            carried: Arc::default(),
            signed: OnceLock::new(),
            kept: OnceLock::new(),
        };
        session.run(shared, admitted, self.link, &self.config);
        Ok(())
    }

    /// Takes the file as it is now, which may have been read anew since the peer was met: whether it may
    /// still prove the statement `name`, and on the terms that were `offered`.
    fn renew(&mut self, shared: &Shared, name: &str, offered: &Statement) -> Result<Arc<Statement>, Refusal> {
        let gone = || Refusal::new(Cause::Unknown, "this key may not prove this statement any more");
        self.config = shared.config();
        self.peer = self.config.peer(self.identity).cloned().ok_or_else(gone)?;
        let statement = self.config.statement(&self.peer, name).cloned().ok_or_else(gone)?;
        if statement.terms() != offered.terms() {
            return Err(Refusal::busy("its terms have changed since", 1));
        }
        Ok(statement)
    }

    /// Refuses a peer too many of whose sessions came to nothing: each may have been an attempt. Its sessions
    /// that run may all come to nothing, too, and this one runs already.
    fn strikes(&self, shared: &Shared) -> Result<(), Refusal> {
        // Asked first: one that ends now is counted twice, and not left out.
        let others = shared.admission.running_of(self.identity).saturating_sub(1);
        let kept = shared.store.strikes(&self.identity.to_string(), now() - HOUR).map_err(|why| {
            error!(why = why.line, "the database does not answer");
            Refusal::new(Cause::Failed, "its database does not answer: try again later")
        })?;
        let strikes = kept + shared.admission.strikes(self.identity);
        let most = self.config.limits.peer.strikes;
        if strikes + others < most {
            return Ok(());
        }
        if strikes < most {
            return Err(Refusal::busy(
                format!(
                    "{others} sessions of this peer run, and {strikes} within an hour were rejected or ended before \
                     their verdict: that is as many as may"
                ),
                AGAIN,
            ));
        }
        Err(Refusal::new(
            Cause::Limit,
            format!(
                "{strikes} sessions of this peer within an hour were rejected or ended before their verdict: wait an \
                 hour, or ask who runs it"
            ),
        ))
    }

    fn refuse(&mut self, shared: &Shared, statement: &str, refusal: &Refusal) -> io::Result<()> {
        shared.metrics.refused(refusal.cause);
        // It may quote what the peer has sent.
        let (cause, why) = (refusal.cause.name(), refusal.why.chars().take(LONGEST_LINE).collect::<String>());
        info!(peer = %self.identity, name = self.peer.name, statement, cause, why, "a session is refused");
        service::refuse(&mut self.link, &Refusal { why, ..refusal.clone() })?;
        self.link.set_timeout(HASTE)?;
        self.link.close()
    }
}

impl Shared {
    /// The file as it was read last.
    pub(crate) fn config(&self) -> Arc<Config> {
        self.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes `config`, which holds from now on.
    pub(crate) fn take(&self, config: Config) {
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
    }

    /// Tells how many sessions run.
    fn count(&self) {
        let (running, memory) = self.admission.running();
        self.metrics.sessions.store(running, Relaxed);
        self.metrics.memory.store(memory, Relaxed);
    }
}

impl Session {
    /// Verifies, and tells how it ended.
    fn run(self, shared: &Arc<Shared>, admitted: Admitted, link: Tls, config: &Config) {
        shared.count();
        let (session, peer, name) = (self.id.clone(), self.identity.to_string(), self.name.clone());
        let statement = self.statement.terms().statement.clone();
        info!(session, peer, name, statement, "a session begins");
        let (started, carried, metrics) = (Instant::now(), self.carried.clone(), &shared.metrics);
        let this = Arc::new(self);
        let ended = catch_unwind(AssertUnwindSafe(|| this.verify(shared, link, config)));
        let milliseconds = started.elapsed().as_millis() as u64;
        let (sent, received) = (carried.sent.load(Relaxed), carried.received.load(Relaxed));
        metrics.milliseconds.fetch_add(milliseconds, Relaxed);
        metrics.sent.fetch_add(sent, Relaxed);
        metrics.received.fetch_add(received, Relaxed);
        let why = match ended {
            Ok(Ok(())) => None,
            Ok(Err(why)) => {
                let line = line(&why);
                if let Some(kind) = this.blame(&why) {
                    this.reject(shared, kind, &line);
                }
                Some(line)
            }
            Err(_) => {
                metrics.panics.fetch_add(1, Relaxed);
                error!(
                    session,
                    peer, name, statement, "a bug has ended a session: please report the line above"
                );
                // Whoever can bring that about must not have tries for nothing by it.
                this.reject(shared, Kind::Ended, PANICKED);
                Some(PANICKED.into())
            }
        };
        let kind = this.kept.get().copied().or(this.signed.get().map(|_| Kind::Signed));
        if let Some(kind) = kind {
            metrics.ended(kind);
        }
        // Whoever reads the log may have its peer begin another.
        let _ended = admitted.end();
        shared.count();
        match (why, kind) {
            (None, Some(Kind::Signed)) => {
                info!(session, peer, name, statement, sent, received, "the prover keeps its record")
            }
            (None, _) => info!(session, peer, name, statement, sent, received, milliseconds, "accepted"),
            (Some(why), Some(Kind::Signed)) => {
                info!(
                    session,
                    peer, name, statement, why, sent, received, "the prover got its record, and left"
                )
            }
            (Some(why), Some(Kind::Accepted)) => {
                warn!(session, peer, name, statement, why, "accepted, and its prover may not have heard it");
            }
            (Some(why), Some(kind)) => {
                let verdict = kind.name();
                warn!(
                    session,
                    peer, name, statement, verdict, why, sent, received, milliseconds, "not accepted"
                );
            }
            (Some(why), None) => {
                warn!(session, peer, name, statement, why, sent, received, "the session came to no verdict")
            }
        }
    }

    /// Keeps that it was not accepted, once; where the database does not take it, the strike counts all the
    /// same.
    fn reject(&self, shared: &Shared, kind: Kind, why: &str) {
        if self.kept.set(kind).is_err() {
            return;
        }
        if let Err(why) = shared.store.put(&self.verdict(kind, why, None)) {
            shared.metrics.unrecorded.fetch_add(1, Relaxed);
            shared.admission.strike(self.identity);
            error!(session = self.id, why = why.line, "a verdict was not kept");
        }
    }

    fn verify(self: &Arc<Self>, shared: &Arc<Shared>, link: Tls, config: &Config) -> volery_web::Result<()> {
        let bytes = self.statement.terms().bytes;
        let silence = Duration::from_secs(config.limits.silence_seconds);
        let link = Limited::new(link, self.carried.clone(), bytes, self.statement.time(), silence);
        let (this, sharing) = (self.clone(), shared.clone());
        let record = move |verdict: volery::Result<&Report, &Error>| {
            let report = match verdict {
                Ok(report) => report,
                Err(why) => {
                    if let Some(kind) = this.blame_of_proof(why) {
                        this.reject(&sharing, kind, &why.to_string());
                    }
                    return Ok(());
                }
            };
            let kept = sharing.store.put(&this.verdict(Kind::Accepted, "", Some(report)));
            let _ = kept.is_ok() && this.kept.set(Kind::Accepted).is_ok();
            kept.map_err(|why| {
                sharing.metrics.unrecorded.fetch_add(1, Relaxed);
                error!(
                    session = this.id,
                    why = why.line,
                    "a verdict was not kept, and its proof is rejected"
                );
                Error::invalid(why.line)
            })
        };
        let options = Options { record: Some(Arc::new(record)), ..self.stated.options.clone() };
        let statement = match &self.stated.claimed {
            Claimed::Relation(statement) => statement,
            Claimed::Web(file) => return self.relay(shared, file, &config.key, link, &options),
        };
        let mut channel = Channel::new(Party::Verifier, link);
        let (_accepted, _) = statement.verify(&mut channel, &options)?;
        // It is kept and told: whatever follows is no part of it.
        if let Err(why) = channel.close() {
            debug!(session = self.id, %why, "after the verdict");
        }
        Ok(())
    }

    /// Forwards the prover's connection to a web server, and verifies what is proved of it. What it shows is known, and
    /// kept with any verdict, before that is proved. Where its prover keeps the record that its terms have signed, or
    /// leaves with it, that is all.
    fn relay(
        &self,
        shared: &Shared,
        file: &File,
        key: &SecretKey,
        link: Limited,
        options: &Options,
    ) -> volery_web::Result<()> {
        let service = &self.statement.terms().statement;
        let mut keep = |signed: &SignedRecord| self.keep_signed(shared, signed);
        let mut signer = Signer { key, service, prover: self.identity, keep: &mut keep };
        let mut connect = || file.connect();
        let received =
            web::receive_and_sign(link, &file.terms(), web::now, options, &mut connect, &mut signer)?;
        let unproved = match received {
            Received::Opened(unproved) => *unproved,
            Received::Kept(_) => return Ok(()),
        };
        let Some(public) = shown(unproved.seen()) else {
            let why = format!("it shows more than the {MOST_SHOWN} bytes that are kept of an answer");
            return Err(unproved.refuse(volery_web::Error::invalid(why)));
        };
        let _ = self.claim.set(Claim { digest: hex(&unproved.digest()), public });
        unproved.verify().map(drop)
    }

    /// Keeps that a record was signed, before its prover gets it: whatever it makes of that, it need not say.
    fn keep_signed(&self, shared: &Shared, signed: &SignedRecord) -> volery_web::Result<()> {
        let record = report::record(signed);
        let service = &self.statement.terms().statement;
        info!(session = self.id, peer = %self.identity, statement = service, %record, "a record is signed");
        let public = json!({"web": {"host": signed.record.host, "record": record}}).to_string();
        let verdict = Verdict { public: public.clone(), ..self.verdict(Kind::Signed, "", None) };
        let kept = shared.store.put(&verdict);
        let _ = kept.is_ok() && self.signed.set(public).is_ok();
        kept.map_err(|why| {
            shared.metrics.unrecorded.fetch_add(1, Relaxed);
            error!(session = self.id, why = why.line, "a signed record was not kept, and does not go out");
            volery_web::Error::invalid(why.line)
        })
    }

    /// The outcome of a session that ended in `why`, where that counts against the prover: it must not have
    /// another try for nothing. That the service ended it, at the bytes or the time of its terms, is no
    /// excuse: a prover that does not like a coin could wait for that.
    fn blame(&self, why: &volery_web::Error) -> Option<Kind> {
        match why {
            volery_web::Error::Proof(why) => self.blame_of_proof(why),
            volery_web::Error::Refused(why) if why.whose == Whose::Prover => Some(Kind::Rejected),
            // Two clocks may differ, and servers be late, with a prover that has checked all else before.
            volery_web::Error::Unwanted(Unwanted::Stale(Stale::Clock { .. })) => None,
            volery_web::Error::Unwanted(_) => Some(Kind::Rejected),
            _ => None,
        }
    }

    /// The outcome of a session whose proof ended in `why`.
    fn blame_of_proof(&self, why: &Error) -> Option<Kind> {
        match why {
            why if !why.counts_against_peer() => None,
            Error::Abandoned { .. } => Some(Kind::Ended),
            _ => Some(Kind::Rejected),
        }
    }

    /// The claim of a web proof of which nothing was opened: its terms, and the record, where one was signed.
    fn unclaimed(&self) -> Claim {
        let digest = match &self.stated.claimed {
            Claimed::Relation(statement) => statement.digest(),
            Claimed::Web(file) => file.terms().digest(),
        };
        Claim { digest: hex(&digest), public: self.signed.get().map_or("{}", |signed| signed).into() }
    }

    /// The verdict as it is kept.
    fn verdict(&self, kind: Kind, reason: &str, report: Option<&Report>) -> Verdict {
        let terms = self.statement.terms();
        let Claim { digest, public } = self.claim.get().cloned().unwrap_or_else(|| self.unclaimed());
        let bits = |of: fn(&Report) -> u32| report.map_or(0, |report| i64::from(of(report)));
        Verdict {
            session: self.id.clone(),
            began: self.began,
            ended: now(),
            peer: self.identity.to_string(),
            name: self.name.clone(),
            statement: terms.statement.clone(),
            digest,
            public,
            system: terms.system.clone(),
            field: terms.field.clone(),
            verdict: kind.name().into(),
            reason: reason.into(),
            computational: bits(|report| report.security.computational),
            statistical: bits(|report| report.security.statistical),
            sent: self.carried.sent.load(Relaxed) as i64,
            received: self.carried.received.load(Relaxed) as i64,
        }
    }
}

/// The JSON of what is shown of an answer, as it is kept; `None` where that is more than [`MOST_SHOWN`] bytes, for which
/// it is not made.
fn shown(seen: &Seen) -> Option<String> {
    let Exchange { request, response, .. } = &seen.exchange;
    let runs = response.body.chunk_by(|one, next| one.shown().is_some() == next.shown().is_some()).count();
    let shown = response.body.iter().filter(|byte| byte.shown().is_some()).count();
    let heads = [request.head.text(), response.head.text()].map(|head| head.len());
    // Each byte is there twice, and a run once more with its place.
    let least = heads[0] + heads[1] + 2 * shown + RUN * runs;
    let public = (least <= MOST_SHOWN).then(|| json!({"web": report::seen(seen)}).to_string());
    public.filter(|public| public.len() <= MOST_SHOWN)
}

/// An error in one line that is not too long: it may quote what the peer has sent.
fn line(why: &volery_web::Error) -> String {
    why.to_string().chars().take(LONGEST_LINE).collect()
}

/// The name of a new session.
fn id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}
