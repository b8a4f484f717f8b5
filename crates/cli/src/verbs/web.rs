//! `web`: what a web server said, proved to whoever forwarded the request.

mod bundle;

pub(crate) use bundle::show;

use crate::verbs::args::{Hint, Peer, WebProve, WebVerify};
use crate::verbs::given::way;
use crate::verbs::service::settings as service_settings;
use crate::verbs::session::met;
use core::ops::Range;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volery::channel::{Identity, Link, Party};
use volery::{Report, System};
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Result, one_line};
use volery_cli::fields;
use volery_cli::link::Reached;
use volery_cli::partial::{Old, Partial};
use volery_cli::print::{self, notice, result};
use volery_cli::report::Outcome;
use volery_cli::service::{self, Named, Terms};
use volery_cli::settings::{self, Settings};
use volery_cli::values::Reader;
use volery_cli::web::{self, failure};
use volery_web::error::Error;
use volery_web::file::{File, Sketch};
use volery_web::opening::Choice;
use volery_web::policy::Exchange;
use volery_web::roots;
use volery_web::session::{self, Asking, Signing, Verdict};
use volery_web::skeleton::text;
use zeroize::Zeroizing;

/// The most bytes of a header's value.
const MOST_VALUE: usize = 1 << 14;

/// `volery web prove`.
pub(crate) fn prove(typed: &WebProve, started: Instant) -> Result<()> {
    let settings = self::settings(&typed.protocol, &typed.output, &typed.hint, typed.out.is_some())?;
    if typed.url.is_some() && !typed.preview {
        return Err(Failure::usage(
            "--url: a proof takes the policy of both sides, --policy: add --preview, and --write-policy writes one",
        ));
    }
    let file = typed.policy.as_deref().map(File::read).transpose().map_err(failure)?;
    let mut reader = Reader::waiting(settings.timeout);
    let headers =
        typed.header.iter().map(|header| self::header(&mut reader, header)).collect::<Result<Vec<_>>>()?;
    let roots = || typed.roots.as_deref().map_or_else(roots::of_system, roots::of_file).map_err(of_roots);
    let sketched = |url| {
        let fields = headers.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>();
        let (address, reveal, claims) = (typed.address, &typed.reveal, &typed.claim);
        let sketch = Sketch { url, address, fields: &fields, reveal, claims, roots: roots()? };
        File::of_sketch(sketch).map_err(failure)
    };
    let mut file = match file {
        Some(file) => file,
        None => sketched(typed.url.as_deref().expect("one of both"))?,
    };
    if typed.out.is_some() {
        file.sign_record();
    }
    let ranges = typed.show.iter().map(|range| self::range(range)).collect::<Result<Vec<_>>>()?;
    let policy = file.terms().policy;
    if (policy.reads_json() || policy.program().is_some()) && (typed.show_all || !ranges.is_empty()) {
        let who = if policy.reads_json() {
            "the policy reads the answer as JSON, of which it names what is shown"
        } else {
            "a program reads the answer, which shows what that gives out"
        };
        return Err(Failure::usage(format_args!("--show and --show-all: {who}")));
    }
    let fields: Vec<_> = headers.iter().map(|(name, value)| (&name[..], &value[..])).collect();
    // A field that the policy does not name is told before anybody waits.
    let words = typed.hidden.iter().map(|word| word_of(&mut reader, word)).collect::<Result<Vec<_>>>()?;
    let words: Vec<_> = words.iter().map(|word| &word[..]).collect();
    file.terms().policy.request_for(&words, &fields).map_err(failure)?;
    // Without a policy they are those of the one that there would be.
    let choice = match typed.url {
        Some(_) => Choice::default(),
        None => Choice::new(typed.reveal.clone(), typed.claim.clone()).map_err(of_choice)?,
    };
    file.terms().policy.check_choice(&choice).map_err(of_choice)?;
    let show = |body: &[u8]| match typed.show_all {
        true => core::iter::once(0..body.len()).collect(),
        false => ranges.clone(),
    };
    let confirm = |exchange: &Exchange| typed.yes || confirmed(exchange, typed.out.is_some());
    let roots = roots()?;
    let asking = Asking {
        roots: &roots,
        words: &words,
        fields: &fields,
        choice: &choice,
        show: &show,
        confirm: &confirm,
    };
    if typed.preview {
        let mut server = file.connect_directly().map_err(failure)?;
        let exchange =
            session::preview(&mut server, &file.terms(), session::now, &asking).map_err(failure)?;
        if let Some(path) = &typed.write_policy {
            write_policy(typed, path, &file, &exchange)?;
        }
        return previewed(&exchange, settings.json);
    }
    if let Some(path) = &typed.out {
        return bundle::prove(typed, path, (&settings, &file), &asking, started);
    }
    let Reached { mut link, peer, .. } = reached(&typed.peer, &settings)?;
    let (settings, session) = match &typed.statement {
        Some(name) => {
            let (terms, session) = admitted(typed, &file, &mut link, name)?;
            (service_settings(&typed.protocol, &typed.output, &typed.hint, &terms)?, Some(session))
        }
        None => (settings, None),
    };
    let options = settings.options([0; 32], None)?;
    let proved = session::prove(link, &file.terms(), session::now, &options, &asking);
    let (exchange, report) = proved.map_err(failure)?;
    let told = Told { exchange: &exchange, report, object: web::object(&exchange), peer, session };
    print(&settings, Party::Prover, told, started)
}

/// `volery web verify`.
pub(crate) fn verify(typed: &WebVerify, started: Instant) -> Result<()> {
    let is_file = typed.file.is_some();
    let settings = self::settings(&typed.protocol, &typed.output, &typed.hint, is_file)?;
    let mut file = File::read(&typed.policy).map_err(failure)?;
    if let Some(path) = &typed.file {
        return bundle::verify(typed, path, (&settings, &file), started);
    }
    if typed.record {
        file.sign_record();
    }
    if file.terms().signing != Signing::Nothing {
        return bundle::sign(typed, &settings, &file, started);
    }
    let options = settings.options([0; 32], None)?;
    let Reached { link, peer, .. } = reached(&typed.peer, &settings)?;
    let verified = session::verify(link, &file.terms(), session::now, &options, &mut || file.connect());
    let Verdict { seen, report, .. } = verified.map_err(failure)?;
    let told = Told { exchange: &seen.exchange, report, object: web::seen(&seen), peer, session: None };
    print(&settings, Party::Verifier, told, started)
}

/// Has the service at the other end of `link` admit a session about the web proof of this name: its terms, and the name
/// of the session.
fn admitted(typed: &WebProve, file: &File, link: &mut dyn Link, name: &str) -> Result<(Terms, String)> {
    let terms = service::ask(link, name)?;
    if !typed.output.quiet {
        notice(format_args!("the terms of the service:\n{}", print::table(&terms.lines())));
    }
    let Named::Web { host, request } = &terms.relation else {
        return Err(Failure::usage(format_args!(
            "--statement: {} is about no answer of a web server: prove it by `volery prove`",
            terms.statement
        )));
    };
    let policy = file.terms().policy;
    let wanted = (policy.host(), format!("GET {}", policy.target()));
    if (&host[..], request) != (wanted.0, &wanted.1) {
        return Err(Failure::usage(format_args!(
            "--policy: it has {} asked for {}, and the service has {host} asked for {request}",
            wanted.0, wanted.1
        )));
    }
    if terms.system != System::QUICKSILVER.name() || terms.field != "f2" {
        return Err(Failure::peer(format_args!(
            "the service wants a proof by {} over {}: a web proof is by {} over f2",
            terms.system,
            terms.field,
            System::QUICKSILVER
        )));
    }
    let session = service::choose(link, &[])?;
    Ok((terms, session))
}

/// The proof system that is asked for, of a session, or of a file.
pub(crate) fn system(typed: &Protocol, is_file: bool) -> Result<System> {
    if is_file { settings::named(typed, System::VOLEITH) } else { settings::system(typed, System::default()) }
}

/// The settings of either party.
fn settings(protocol: &Protocol, output: &Output, hint: &Hint, is_file: bool) -> Result<Settings> {
    let due = if is_file { System::VOLEITH } else { System::QUICKSILVER };
    let system = self::system(protocol, is_file)?;
    if system != due {
        return Err(Failure::usage(format_args!(
            "--system: a web proof is by {due}, and not by {system}: leave it out",
        )));
    }
    let settings = Settings::of(fields::asked(protocol.field.as_deref())?, system, protocol, output)?;
    settings.over(hint.bandwidth.as_deref())
}

fn reached(peer: &Peer, settings: &Settings) -> Result<Reached> {
    if peer.insecure_plaintext {
        return Err(Failure::usage(
            "--insecure-plaintext: a web proof takes a link with keys, --peer: whoever is on the path of a plain one \
             reads the opened secret of the handshake and the shown bytes, and nothing binds the connection to the \
             peer",
        ));
    }
    way(peer)?.link(settings.timeout)
}

/// Why the prover may not choose what it does.
fn of_choice(error: Error) -> Failure {
    Failure::usage(format_args!("--reveal, --claim: {error}"))
}

/// Why there are no authorities.
fn of_roots(error: Error) -> Failure {
    Failure::usage(format_args!("--roots: {error}"))
}

/// A word that is hidden in the target.
fn word_of(reader: &mut Reader, typed: &OsStr) -> Result<Zeroizing<Vec<u8>>> {
    let mut word = reader.bytes("--hidden", typed, MOST_VALUE)?;
    while word.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
        word.pop();
    }
    Ok(word)
}

/// The name and the value of a header.
fn header(reader: &mut Reader, typed: &OsStr) -> Result<(String, Zeroizing<Vec<u8>>)> {
    let wrong = || Failure::usage("--header: write NAME=VALUE, where VALUE is text:…, @PATH or -");
    let text = typed.to_str().ok_or_else(wrong)?;
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let mut value = reader.bytes("--header", OsStr::new(value), MOST_VALUE)?;
    while value.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
        value.pop();
    }
    Ok((name.to_ascii_lowercase(), value))
}

/// A range of bytes.
fn range(typed: &str) -> Result<Range<usize>> {
    let ends = typed.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.filter(|range: &Range<usize>| range.start < range.end).ok_or_else(|| {
        Failure::usage(format_args!(
            "--show {typed}: write FROM..TO, two numbers of bytes, the first one smaller"
        ))
    })
}

/// Shows what the verifier would see, and asks.
fn confirmed(exchange: &Exchange, is_file: bool) -> bool {
    notice(if is_file {
        "whoever gets the file will see this, for ever:"
    } else {
        "the verifier will see this:"
    });
    notice("");
    seen(exchange).iter().for_each(|line| notice(format_args!("  {line}")));
    notice("");
    if !io::stdin().is_terminal() {
        notice("to open it without being asked, add --yes");
        return false;
    }
    notice("open it? [y/N]");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Writes a policy for what a verifier would see.
fn write_policy(typed: &WebProve, path: &Path, file: &File, exchange: &Exchange) -> Result<()> {
    const OPTION: &str = "--write-policy";
    if path.as_os_str() == "-" {
        return Err(Failure::usage(format_args!("{OPTION} -: give the path of a file")));
    }
    let mut out = Partial::create(OPTION, path, Old::by_force(typed.force))?;
    // Paths in it are from its own folder.
    let is_here = path.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    let from_there = |roots: &PathBuf| if is_here { Ok(roots.clone()) } else { std::path::absolute(roots) };
    let roots = typed.roots.as_ref().and_then(|roots| from_there(roots).ok());
    if roots.is_none() {
        notice(format_args!(
            "{OPTION}: put the authorities that are to certify the server into roots.pem beside it"
        ));
    }
    let roots = roots.map_or("roots.pem".into(), |roots| roots.display().to_string());
    let written = out.write_all(file.text(&roots, exchange).as_bytes());
    written.map_err(|why| Failure::usage(format_args!("{OPTION} {}: {why}", path.display())))?;
    out.finish()
}

/// Prints what a verifier would see.
fn previewed(exchange: &Exchange, json: bool) -> Result<()> {
    if json {
        return print::json(&json!({"verdict": null, "web": web::object(exchange)}));
    }
    result(seen(exchange).join("\n"))
}

/// The lines of what a verifier would see.
fn seen(exchange: &Exchange) -> Vec<String> {
    let [request, response] = exchange.heads();
    let body = text(&exchange.response.body);
    let mut lines: Vec<_> = [&request, "", &response, "", &body]
        .into_iter()
        .flat_map(|part| match part {
            "" => vec![String::new()],
            part => part.lines().map(one_line).collect(),
        })
        .collect();
    let chosen = web::of_choice(&exchange.chosen);
    if !exchange.claims.is_empty() || chosen.is_some() {
        lines.push(String::new());
    }
    lines.extend(exchange.claims.iter().map(|claim| format!("and that {}", one_line(claim))));
    if let Some(program) = &exchange.program {
        lines.push(String::new());
        lines.extend(web::of_program(program, exchange.response.body.len()));
    }
    lines.extend(chosen.map(one_line));
    lines
}

/// A web proof as it is printed.
struct Told<'e> {
    exchange: &'e Exchange,
    report: Report,
    /// The JSON of what was shown.
    object: Value,
    peer: Option<(Identity, String)>,
    /// The name of a service's session.
    session: Option<String>,
}

/// Prints what was proved.
fn print(settings: &Settings, party: Party, told: Told<'_>, started: Instant) -> Result<()> {
    let Told { exchange, report, object, peer, session } = told;
    let mut outcome = Outcome::new(settings, Some(party), &[report], started);
    met(&mut outcome, peer);
    outcome.more("web", object, web::line(exchange));
    if let Some(session) = session {
        outcome.more("session", json!(session), session);
    }
    outcome.print(settings.json)
}
