//! `prove --statement`: to a service, on its terms.

use crate::verbs::args::{Hint, Prove, Public};
use crate::verbs::circom::Circom;
use crate::verbs::given::{self, way};
use crate::verbs::session::{CHECKING, Counted, Session};
use crate::verbs::streams;
use serde_json::json;
use std::time::Instant;
use volery::channel::Party;
use volery::circuit::{StreamKind, Written};
use volery::{AnyClaim, AnyStatement, System};
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Result, refuse_experimental};
use volery_cli::fields;
use volery_cli::link::Reached;
use volery_cli::print;
use volery_cli::progress::Progress;
use volery_cli::service::{self, Named, Terms};
use volery_cli::settings::{AUTO, Settings, system, timeout};
use volery_cli::values::{PRIVATE, PUBLIC, Reader};

/// Asks for the terms of the statement `name`, shows them, and proves it on them.
pub(crate) fn prove(typed: &Prove, name: &str, started: Instant) -> Result<()> {
    let Reached { mut link, peer, handle } = way(&typed.peer)?.link(timeout(&typed.protocol)?)?;
    let terms = service::ask(&mut link, name)?;
    if typed.terms {
        return if typed.output.json {
            print::result(terms.json())
        } else {
            print::result(print::table(&terms.lines()))
        };
    }
    // Also for a program, whose log it stands in: JSON comes when all is proved.
    if !typed.output.quiet {
        print::notice(format_args!("the terms of the service:\n{}", print::table(&terms.lines())));
    }
    let settings = settings(&typed.protocol, &typed.output, &typed.hint, &terms)?;
    let claim = claim(typed, &terms, &settings)?;
    if !typed.no_check {
        let _announced = Progress::announce(CHECKING, settings.quiet);
        claim.check()?;
    }
    let statement = claim.statement();
    let counted = Counted::for_prover(statement, &settings, typed.no_check)?;
    let options = settings.options(statement.digest(), counted.as_ref().map(|counted| counted.size))?;
    let id = service::choose(&mut link, &chosen(statement, &terms)?)?;
    let mut session =
        Session::over(Reached { link, peer, handle }, Party::Prover, options, counted, settings.quiet);
    let report = claim.prove(&mut session.channel, &session.options)?;
    let mut outcome = session.close(&settings, report, started)?;
    outcome.warnings = statement.warnings();
    outcome.more("terms", terms.json(), format!("{} of the service", terms.statement));
    outcome.more("session", json!(id), id);
    outcome.print(settings.json)
}

/// The settings that the service asks for, where what was typed is nothing else.
pub(crate) fn settings(given: &Protocol, output: &Output, hint: &Hint, terms: &Terms) -> Result<Settings> {
    let vole = Some(&given.vole).filter(|vole| *vole != AUTO);
    // It may be named by its prime.
    let field = given.field.as_deref().map(fields::named).transpose()?.map(|field| field.name());
    let options = [
        ("--system", given.system.as_ref(), Some(&terms.system)),
        ("--field", field.as_ref(), Some(&terms.field)),
        ("--vole", vole, terms.vole.as_ref()),
    ];
    for (option, ours, theirs) in options {
        if ours.is_some() && ours != theirs {
            let theirs = theirs.map_or("none", |theirs| theirs);
            return Err(Failure::usage(format_args!(
                "{option}: the service takes {theirs}: leave it out, or ask who runs it"
            )));
        }
    }
    if let Some(asked) = &given.security
        && asked.parse::<u32>().is_ok_and(|asked| terms.security != Some(asked))
    {
        let theirs = terms.security.map_or("the usual".into(), |bits| bits.to_string());
        return Err(Failure::usage(format_args!(
            "--security: the service asks for {theirs} bits: leave it out, or ask who runs it"
        )));
    }
    let protocol = Protocol {
        system: Some(terms.system.clone()),
        field: Some(terms.field.clone()),
        vole: terms.vole.clone().unwrap_or_else(|| AUTO.into()),
        security: terms.security.map(|bits| bits.to_string()),
        ..given.clone()
    };
    let field = fields::asked(protocol.field.as_deref())?;
    Settings::of(field, system(&protocol, System::default())?, &protocol, output)?
        .over(hint.bandwidth.as_deref())
}

/// The statement by the terms, and the prover's part of it.
fn claim(typed: &Prove, terms: &Terms, settings: &Settings) -> Result<Box<dyn AnyClaim>> {
    let Settings { field, timeout, .. } = *settings;
    let format = typed.public.format.as_deref().or(terms.format.as_deref());
    let spec = relation(typed, terms)?;
    let public = Public {
        relation: vec![spec.clone()],
        format: format.map(String::from),
        symbols: typed.public.symbols.clone(),
        public: Vec::new(),
        public_stream: Vec::new(),
        experimental: typed.public.experimental,
    };
    refuse_experimental(&spec, public.experimental)?;
    let circom = Circom::with_witness(field, &public, &typed.private, timeout)?;
    let mut relation = match &circom {
        Some(circom) => circom.relation(field)?,
        None => given::relation(|spec, format| field.open(spec, format), &spec, format)?,
    };
    for (name, value) in &terms.public {
        let read = relation.public().read(name, Written::Text(value.as_bytes()));
        read.map_err(|why| Failure::from(why).at("a public value of the service"))?;
    }
    let mut reader = Reader::waiting(timeout);
    given::limit(relation.as_ref(), &mut reader);
    match &circom {
        Some(circom) => {
            circom.read_public(&typed.public.public, &terms.public, relation.public(), &mut reader)?;
        }
        None => reader.read(PUBLIC, &typed.public.public, relation.public())?,
    }
    let streams = relation.streams();
    streams::read(StreamKind::Public, &typed.public.public_stream, &streams, relation.public())?;
    let mut statement = relation.state().map_err(|why| Failure::from(why).at(PUBLIC))?;
    if let Some(circom) = circom {
        circom.read_private(&mut *statement)?;
    }
    reader.read(PRIVATE, &typed.private.private, statement.private())?;
    streams::read(StreamKind::Private, &typed.private.private_stream, &streams, statement.private())?;
    statement.claim().map_err(|why| Failure::from(why).at(PRIVATE))
}

/// The relation: what the service names, or the file at hand, if it is the same.
fn relation(typed: &Prove, terms: &Terms) -> Result<String> {
    let given = &typed.public.relation;
    match (&terms.relation, &given[..]) {
        (Named::Builtin(spec), []) => Ok(spec.clone()),
        (Named::Builtin(spec), [given]) if spec == given => Ok(spec.clone()),
        (Named::Builtin(spec), _) => Err(Failure::usage(format_args!(
            "--relation: the relation of the service is {spec}: leave it out, or ask who runs it"
        ))),
        (Named::File { name, sha256 }, [given]) => {
            let ours = Named::of(given).map_err(|why| {
                Failure::usage(format_args!("--relation {given}: it cannot be read: {why}"))
            })?;
            match &ours {
                Named::File { sha256: hash, .. }
                    if hash == sha256 && ours.options() == terms.relation.options() =>
                {
                    Ok(given.clone())
                }
                Named::File { sha256: hash, .. } if hash == sha256 => Err(Failure::usage(format_args!(
                    "--relation {given}: the service has the file as {name}: write the same from ? on"
                ))),
                Named::File { sha256: ours, .. } => Err(Failure::usage(format_args!(
                    "--relation {given}: its SHA-256 is {ours}, and that of the service's {name} is {sha256}: ask \
                     who runs it for the file"
                ))),
                Named::Builtin(_) | Named::Web { .. } => Err(Failure::usage(format_args!(
                    "--relation: the relation of the service is the file {name}: give its path"
                ))),
            }
        }
        (Named::Web { host, .. }, _) => Err(Failure::usage(format_args!(
            "--statement: {} is about an answer of {host}: prove it by `volery web prove`, with its --policy",
            terms.statement
        ))),
        (Named::File { name, sha256 }, _) => Err(Failure::usage(format_args!(
            "--relation is missing, once: it is the file {name} with SHA-256 {sha256}, which who runs the service \
             has, too"
        ))),
    }
}

/// The public values that the prover has chosen.
fn chosen(statement: &dyn AnyStatement, terms: &Terms) -> Result<Vec<(String, String)>> {
    let public = statement.public().into_iter().map(|(port, value)| (port.name.clone(), value));
    let fixed = |name: &str| terms.public.iter().any(|(fixed, _)| fixed == name);
    let chosen: Vec<_> = public.filter(|(name, _)| !fixed(name)).collect();
    match chosen.iter().find(|(name, _)| !terms.choose.contains(name)) {
        Some((name, _)) => Err(Failure::usage(format_args!(
            "--public: {name} is not for the prover to choose: {}",
            match &terms.choose[..] {
                [] => "the service fixes all public values".into(),
                names => format!("there is {}", names.join(", ")),
            }
        ))),
        None => Ok(chosen),
    }
}
