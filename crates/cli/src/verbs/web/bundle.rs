//! `web prove --out`, `web verify FILE` and `web show`: files for others, and the records that they take.

use super::{Told, admitted, print, reached};
use crate::verbs::args::{WebProve, WebShow, WebVerify};
use crate::verbs::file::{OUT, no_stream, of_file};
use crate::verbs::session::met;
use serde_json::json;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};
use volery::channel::{Identity, Party};
use volery_cli::failure::{Failure, Result, one_line};
use volery_cli::keys;
use volery_cli::link::Reached;
use volery_cli::partial::{Old, Partial};
use volery_cli::print::{self as printed, hex};
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;
use volery_cli::waiting;
use volery_cli::web;
use volery_web::bundle::{self, Bundle, FileVerdict};
use volery_web::error::Error;
use volery_web::file::{File, MOST_BYTES};
use volery_web::record::{Record, SignedRecord, Signer};
use volery_web::session::{self, Asking, Ends, Received, Verdict};
use volery_web::skeleton::{Byte, skeleton, text};

/// `volery web prove --out`.
pub(super) fn prove(
    typed: &WebProve,
    path: &Path,
    (settings, file): (&Settings, &File),
    asking: &Asking<'_>,
    started: Instant,
) -> Result<()> {
    let terms = file.terms();
    let options = settings.options([0; 32], None)?;
    no_stream(OUT, path, "written to")?;
    let mut out = Partial::create(OUT, path, Old::by_force(typed.force))?;
    let own = keyed(&typed.peer, || keys::read(typed.peer.key.as_deref()))?.identity();
    let Reached { mut link, peer, .. } = reached(&typed.peer, settings)?;
    let (relay, _) = peer.as_ref().ok_or_else(no_keys)?;
    if let Some(name) = &typed.statement {
        admitted(typed, file, &mut link, name)?;
    }
    let ends = Ends { relay: *relay, prover: own };
    let kept = session::keep(link, &terms, session::now, asking, ends).map_err(web::failure)?;
    let (exchange, report) =
        kept.write(&terms, &options, asking, &mut out).map_err(|why| at(OUT, path, why))?;
    out.finish()?;
    let mut outcome = Outcome::new(settings, Some(Party::Prover), &[report], started);
    outcome.verified = false;
    met(&mut outcome, peer);
    let mut object = web::object(&exchange);
    object["record"] = web::record(kept.record());
    outcome.more("web", object, web::line(&exchange));
    outcome.more("file", json!(path.display().to_string()), one_line(path.display()));
    outcome.print(settings.json)
}

/// `volery web verify` where a record is to be signed.
pub(super) fn sign(typed: &WebVerify, settings: &Settings, file: &File, started: Instant) -> Result<()> {
    let options = settings.options([0; 32], None)?;
    let key = keyed(&typed.peer, || keys::read(typed.peer.key.as_deref()))?;
    let Reached { link, peer, .. } = reached(&typed.peer, settings)?;
    let (prover, _) = peer.as_ref().ok_or_else(no_keys)?;
    let mut keep = |signed: &SignedRecord| {
        if !typed.output.quiet {
            printed::notice(format_args!("a record is signed: {}", hex(&signed.record.id)));
        }
        Ok(())
    };
    let mut signer = Signer { key: &key, service: "", prover: *prover, keep: &mut keep };
    let mut connect = || file.connect();
    let received =
        session::receive_and_sign(link, &file.terms(), session::now, &options, &mut connect, &mut signer);
    match received.map_err(web::failure)? {
        Received::Opened(unproved) => {
            let Verdict { seen, report, .. } = unproved.verify().map_err(web::failure)?;
            let object = web::seen(&seen);
            let told = Told { exchange: &seen.exchange, report, object, peer, session: None };
            print(settings, Party::Verifier, told, started)
        }
        Received::Kept(signed) => {
            if settings.json {
                let peer = peer.map(|(identity, _)| identity.to_string());
                let web = json!({"host": signed.record.host, "record": web::record(&signed)});
                return printed::json(
                    &json!({"verdict": null, "role": "verifier", "peer": peer, "web": web}),
                );
            }
            let begin = "signed, and nothing is proved here: the prover kept the record\n";
            printed::result(format!("{begin}{}", printed::table(&lines(&signed))))
        }
    }
}

/// `volery web verify FILE`.
pub(super) fn verify(
    typed: &WebVerify,
    path: &Path,
    (settings, file): (&Settings, &File),
    started: Instant,
) -> Result<()> {
    let options = settings.options([0; 32], None)?;
    if typed.relay.is_empty() {
        return Err(Failure::usage(
            "--relay is missing: give the identity of who forwarded the connection, as you know it from them, and not \
             from the file",
        ));
    }
    let relays = typed
        .relay
        .iter()
        .map(|text| text.parse().map_err(|why| Failure::usage(format_args!("--relay: {why}"))));
    let relays = relays.collect::<Result<Vec<Identity>>>()?;
    let mut from = open(path, settings.timeout)?;
    let verified = bundle::verify(&mut from, &relays, &file.terms(), &options);
    let verdict = verified.map_err(|why| at(FILE, path, why))?;
    let object = web::of_file(&verdict);
    let FileVerdict { exchange, record: signed, report, .. } = verdict;
    let Record { times: [opened, _], prover, .. } = &signed.record;
    let mut outcome = Outcome::new(settings, Some(Party::Verifier), &[report], started);
    outcome.more("web", object, web::line(&exchange));
    outcome.more("file", json!(path.display().to_string()), one_line(path.display()));
    let prover = prover.map_or(String::new(), |prover| format!(", of a prover with the key {prover}"));
    let text = format!("{}, at {opened} s since 1970{prover}", signed.relay);
    outcome.more("relay", json!(signed.relay.to_string()), text);
    outcome.print(settings.json)
}

/// `volery web show`.
pub(crate) fn show(typed: &WebShow) -> Result<()> {
    let path = &typed.file;
    let mut from = open(path, WAIT)?;
    let bundle = Bundle::read(&mut from, [MOST_BYTES; 2]).map_err(|why| at(FILE, path, why))?;
    let choice = &bundle.opening.choice;
    let [request, response] = [&bundle.opening.client, &bundle.opening.server].map(|plan| skeleton(plan));
    if typed.json {
        let shown = |bytes: &[Byte]| json!({"bytes": bytes.len(), "text": text(bytes)});
        return printed::json(&json!({
            "verdict": null,
            "checked": false,
            "web": {
                "host": bundle.record.record.host,
                "request": shown(&request),
                "response": shown(&response),
                "output": hex(&bundle.opening.output),
                "chosen": {"reveal": choice.reveal(), "claims": choice.claims()},
                "record": web::record(&bundle.record),
            },
        }));
    }
    let mut out =
        String::from("not checked: what follows is what the file says, which anybody can write\n\n");
    out += &printed::table(&lines(&bundle.record));
    for (title, bytes) in [("request", request), ("response", response)] {
        out += &format!("\n\n{title}:\n");
        let lines = text(&bytes).lines().map(|line| format!("  {}", one_line(line))).collect::<Vec<_>>();
        out += &lines.join("\n");
    }
    if !bundle.opening.output.is_empty() {
        let output = one_line(String::from_utf8_lossy(&bundle.opening.output));
        out += &format!("\n\ngiven out by a program:\n  {output}");
    }
    for text in choice.reveal().iter().chain(choice.claims()) {
        out += &format!("\n\nby the prover's own choice: {}", one_line(text));
    }
    out += "\n\nnot checked: `volery web verify FILE --relay volery1… --policy POLICY` does that";
    printed::result(out)
}

/// The longest wait for a file that is a pipe, where nothing is said of it.
const WAIT: Duration = Duration::from_secs(60);

/// The word for the file in messages.
const FILE: &str = "FILE";

/// Opens the file to be verified.
fn open(path: &Path, timeout: Duration) -> Result<impl Read + Send + use<>> {
    no_stream(FILE, path, "read from")?;
    let unread = |why| Failure::usage(format_args!("{FILE} {}: it cannot be read: {why}", path.display()));
    Ok(BufReader::new(waiting::open(path, timeout).map_err(unread)?))
}

/// The failure of a file, with its place.
fn at(option: &str, path: &Path, why: Error) -> Failure {
    match why {
        Error::Proof(why) => of_file(option, path, why),
        Error::Io { doing, source } => {
            Failure::usage(format_args!("{option} {}: {doing}: {source}", path.display()))
        }
        why => web::failure(why).at(format!("{option} {}", path.display())),
    }
}

/// Has a link with keys, without which there is nobody to sign, or to be named.
fn keyed<T>(peer: &crate::verbs::args::Peer, read: impl FnOnce() -> Result<T>) -> Result<T> {
    if peer.peer.is_empty() && peer.peers.is_empty() { Err(no_keys()) } else { read() }
}

fn no_keys() -> Failure {
    Failure::usage(
        "--peer is missing: a record is signed by the key of a link, which takes keys on both sides, on this machine, \
         too",
    )
}

/// The lines of a record.
fn lines(signed: &SignedRecord) -> Vec<(&'static str, String)> {
    let Record { service, id, host, address, times: [opened, closed], recording, prover, .. } =
        &signed.record;
    let [up, down] = recording.lengths;
    let mut lines = vec![
        ("server", format!("{host}, at {address}")),
        ("relay", signed.relay.to_string()),
        ("record", hex(id)),
        ("times", format!("{opened} to {closed}, in seconds since 1970")),
        ("bytes", format!("{up} up, {down} down")),
    ];
    if !service.is_empty() {
        lines.insert(2, ("service", service.clone()));
    }
    lines.extend(prover.map(|prover| ("prover", prover.to_string())));
    lines
}
