//! Web proofs: what a web server said, by the file of a policy.

use crate::errors::{Result, Trouble};
use crate::options::Asked;
use crate::session::{Event, Quietly, Shared, drive, never};
use core::ops::Range;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Value, json};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;
use volery::Report;
use volery::channel::{Identity, Link, Party};
use volery_cli::failure::Failure;
use volery_cli::link::Way;
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;
use volery_cli::web::{failure, object, of_file, record, seen};
use volery_web::bundle;
use volery_web::error::Error;
use volery_web::file::{File, Sketch};
use volery_web::opening::Choice;
use volery_web::policy::Exchange;
use volery_web::record::Signer;
use volery_web::roots;
use volery_web::session::{self, Asking, Ends, Received, Signing};
use volery_web::tls::Roots;
use zeroize::Zeroize;

/// The prover's own part, and what whoever verifies a file believes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Own {
    /// Names of fields of the request, with their values.
    headers: Vec<(String, Vec<u8>)>,
    /// Words that are hidden in the target.
    hidden: Vec<Vec<u8>>,
    /// Paths to values that are shown, beside those of the policy.
    reveal: Vec<String>,
    /// Claims, beside those of the policy.
    claims: Vec<String>,
    /// The address of a request that has no policy.
    url: Option<String>,
    /// The address of its server, where the name does not lead there.
    address: Option<String>,
    /// Ranges of the body that are shown.
    show: Vec<(usize, usize)>,
    show_all: bool,
    /// The file of this side's authorities.
    roots: Option<PathBuf>,
    /// A function that is asked before anything is opened.
    confirm: Option<Py<PyAny>>,
    /// Whether a record is signed, whatever the policy says.
    record: bool,
    /// The identities of relays.
    relay: Vec<String>,
}

impl Drop for Own {
    fn drop(&mut self) {
        self.headers.iter_mut().for_each(|(_, value)| value.zeroize());
        self.hidden.zeroize();
    }
}

/// The act that is to be done.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Preview,
    Prove,
    ProveToBytes,
    Verify,
    VerifyBytes,
}

impl Act {
    fn of(name: &str) -> Self {
        match name {
            "preview" => Self::Preview,
            "prove" => Self::Prove,
            "prove_to_bytes" => Self::ProveToBytes,
            "verify" => Self::Verify,
            _ => Self::VerifyBytes,
        }
    }

    /// The name, in errors, of what asks for a proof that is a file.
    fn file(self) -> Option<&'static str> {
        match self {
            Self::ProveToBytes => Some("prove_to_bytes"),
            Self::VerifyBytes => Some("verify_bytes"),
            _ => None,
        }
    }
}

/// Everything that the working thread takes along.
struct Work {
    act: Act,
    file: File,
    own: Own,
    asked: Asked,
    settings: Settings,
    way: Option<Way>,
    bundle: Vec<u8>,
    started: Instant,
}

/// The result of the work: a JSON object, and a file.
type Made = (Value, Option<Vec<u8>>);

/// Does what `act` says by the policy at a path, or of a request that has none.
#[pyfunction]
#[pyo3(signature = (act, policy, own, keywords, bundle = None))]
pub(crate) fn run_web<'py>(
    py: Python<'py>,
    act: &str,
    policy: Option<PathBuf>,
    own: Own,
    keywords: &Bound<'py, PyDict>,
    bundle: Option<Vec<u8>>,
) -> PyResult<(String, Option<Bound<'py, PyBytes>>)> {
    let (asked, callbacks) = Asked::read(keywords)?;
    let work =
        Work::new(Act::of(act), policy.as_deref(), own, asked, bundle).map_err(|why| why.raised(py, None))?;
    let shared = Arc::<Shared>::default();
    let (object, bytes) = drive(py, (shared, callbacks), None, &mut never, move |shared| work.run(shared))?;
    Ok((object.to_string(), bytes.map(|bytes| PyBytes::new(py, &bytes))))
}

/// The trouble of a web proof.
fn trouble(why: Error) -> Trouble {
    match why {
        Error::Proof(why) => why.into(),
        why => failure(why).into(),
    }
}

/// The trouble of a link without keys.
fn no_keys() -> Trouble {
    Failure::usage("--peer is missing: a web proof, and its record, take a link with keys").into()
}

impl Own {
    /// The authorities that the prover believes.
    fn roots(&self) -> Result<Roots> {
        let roots = self.roots.as_deref().map_or_else(roots::of_system, roots::of_file);
        Ok(roots.map_err(|why| Failure::usage(format_args!("--roots: {why}")))?)
    }

    /// The terms of a policy for a request that has none.
    fn sketched(&self) -> Result<File> {
        let fields = self.headers.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>();
        let address = self.address.as_ref().map(|address| address.parse()).transpose();
        let wrong = |_| Failure::usage("--address: write an address of the server, and its port");
        let address = address.map_err(wrong)?;
        let (url, fields) = (self.url.as_deref().unwrap_or_default(), &fields[..]);
        let (reveal, claims) = (&self.reveal[..], &self.claims[..]);
        let sketch = Sketch { url, address, fields, reveal, claims, roots: self.roots()? };
        File::of_sketch(sketch).map_err(trouble)
    }

    /// The prover's own choice, beside a policy.
    fn choice(&self) -> Result<Choice> {
        if self.url.is_some() {
            return Ok(Choice::default());
        }
        Choice::new(self.reveal.clone(), self.claims.clone()).map_err(trouble)
    }
}

impl Work {
    fn new(act: Act, policy: Option<&Path>, own: Own, asked: Asked, bundle: Option<Vec<u8>>) -> Result<Self> {
        let settings = asked.settings(asked.field(None)?, act.file())?;
        let mut file = match policy {
            Some(policy) => File::read(policy).map_err(trouble)?,
            None => own.sketched()?,
        };
        if own.record || act == Act::ProveToBytes {
            file.sign_record();
        }
        let way = !matches!(act, Act::Preview | Act::VerifyBytes);
        let way = way.then(|| asked.way()).transpose()?;
        let (bundle, started) = (bundle.unwrap_or_default(), Instant::now());
        Ok(Self { act, file, own, asked, settings, way, bundle, started })
    }

    fn run(self, shared: &Shared) -> Result<Made> {
        let options = self.settings.options([0; 32], None)?;
        let terms = self.file.terms();
        if self.act == Act::VerifyBytes {
            let relays = self.own.relay.iter().map(|text| {
                text.parse().map_err(|why| Failure::usage(format_args!("--relay: {why}")).into())
            });
            let relays = relays.collect::<Result<Vec<Identity>>>()?;
            let verified = bundle::verify(&mut &self.bundle[..], &relays, &terms, &options);
            let verdict = verified.map_err(trouble)?;
            let object = of_file(&verdict);
            return Ok((self.told(Party::Verifier, verdict.report, object), None));
        }
        if self.act == Act::Verify {
            return self.verify(shared).map(|object| (object, None));
        }
        let (roots, choice) = (self.own.roots()?, self.own.choice()?);
        terms.policy.check_choice(&choice).map_err(trouble)?;
        let fields: Vec<_> = self.own.headers.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        let words: Vec<_> = self.own.hidden.iter().map(|word| &word[..]).collect();
        terms.policy.request_for(&words, &fields).map_err(trouble)?;
        let show = |body: &[u8]| -> Vec<Range<usize>> {
            if self.own.show_all {
                return core::iter::once(0..body.len()).collect();
            }
            self.own.show.iter().map(|(from, to)| *from..*to).collect()
        };
        let confirm = |exchange: &Exchange| self.confirmed(exchange, shared);
        let asking = Asking {
            roots: &roots,
            words: &words,
            fields: &fields,
            choice: &choice,
            show: &show,
            confirm: &confirm,
        };
        if self.act == Act::Preview {
            let mut server = self.file.connect_directly().map_err(trouble)?;
            let seen = session::preview(&mut server, &terms, session::now, &asking).map_err(trouble)?;
            return Ok((json!({"verdict": null, "web": object(&seen)}), None));
        }
        let (link, relay) = self.reached(shared)?;
        if self.act == Act::Prove {
            let proved = session::prove(link, &terms, session::now, &options, &asking);
            let (exchange, report) = proved.map_err(trouble)?;
            return Ok((self.told(Party::Prover, report, object(&exchange)), None));
        }
        let ends =
            Ends { relay: relay.ok_or_else(no_keys)?, prover: self.asked.by_key(|key| key.identity())? };
        let kept = session::keep(link, &terms, session::now, &asking, ends).map_err(trouble)?;
        let mut out = Cursor::new(Vec::new());
        let (exchange, report) = kept.write(&terms, &options, &asking, &mut out).map_err(trouble)?;
        let mut web = object(&exchange);
        web["record"] = record(kept.record());
        Ok((self.told(Party::Prover, report, web), Some(out.into_inner())))
    }

    /// Verifies what a prover at the other end of a link proves, or signs for it.
    fn verify(&self, shared: &Shared) -> Result<Value> {
        let options = self.settings.options([0; 32], None)?;
        let (link, peer) = self.reached(shared)?;
        let terms = self.file.terms();
        let mut connect = || self.file.connect();
        let unproved = if terms.signing == Signing::Nothing {
            session::receive(link, &terms, session::now, &options, &mut connect).map_err(trouble)?
        } else {
            let prover = peer.ok_or_else(no_keys)?;
            let received = self.asked.by_key(|key| {
                let mut signer = Signer { key, service: "", prover, keep: &mut |_| Ok(()) };
                session::receive_and_sign(link, &terms, session::now, &options, &mut connect, &mut signer)
            })?;
            match received.map_err(trouble)? {
                Received::Opened(unproved) => *unproved,
                Received::Kept(signed) => {
                    let web = json!({"host": signed.record.host, "record": record(&signed)});
                    return Ok(json!({"verdict": null, "role": Party::Verifier.name(), "web": web}));
                }
            }
        };
        let verdict = unproved.verify().map_err(trouble)?;
        let object = seen(&verdict.seen);
        Ok(self.told(Party::Verifier, verdict.report, object))
    }

    /// The link to the peer, and its identity.
    fn reached(&self, shared: &Shared) -> Result<(Box<dyn Link>, Option<Identity>)> {
        let way = self.way.as_ref().expect("a party has a way to its peer");
        let reached = way.link_by(self.settings.timeout, &mut Quietly(shared))?;
        shared.keep(reached.handle);
        Ok((reached.link, reached.peer.map(|(identity, _)| identity)))
    }

    /// Asks the caller's function, if there is one, on the caller's thread.
    fn confirmed(&self, exchange: &Exchange, shared: &Shared) -> bool {
        let Some(confirm) = &self.own.confirm else { return true };
        let (answer, answered) = channel();
        let confirm = Python::attach(|py| confirm.clone_ref(py));
        let seen = object(exchange).to_string();
        shared.say(Event::Call(Box::new(move |py: Python<'_>| {
            let says = confirm.call1(py, (seen,))?.is_truthy(py)?;
            // Whoever has ended meanwhile does not hear it.
            let _ = answer.send(says);
            Ok(())
        })));
        answered.recv().unwrap_or(false)
    }

    /// The JSON of a proof, and of what it is of.
    fn told(&self, party: Party, report: Report, web: Value) -> Value {
        let mut outcome = Outcome::new(&self.settings, Some(party), &[report], self.started);
        outcome.verified = self.act != Act::ProveToBytes;
        outcome.more("web", web, String::new());
        outcome.json()
    }
}
