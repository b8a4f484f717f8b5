//! Verbs of `volery`.
//!
//! Here, too, imports go one way:
//! ```text
//! args  foreign                         what is typed, and files that are no circuits
//! circom                                statements in files of circom
//! given  session                        statements and peers as they are given, one party's end of a session
//! cluster  disjunction  file            shards, one of several clauses, proofs that are files
//! proofs  service                       many files, and to prove to a service
//! program                               runs of programs
//! beside  demo  doctor  export  key  model  parties  relations  web
//! ```

mod args;
mod beside;
mod circom;
mod cluster;
mod demo;
mod disjunction;
mod doctor;
mod export;
mod file;
mod foreign;
mod given;
mod key;
mod model;
mod parties;
mod program;
mod proofs;
mod relations;
mod service;
mod session;
mod streams;
mod subject;
mod trace;
mod web;

pub(crate) use args::Typed;

use args::{CircuitVerb, ClusterVerb, KeyVerb, ModelVerb, Verb, WebVerb};
use clap::error::ErrorKind;
use file::{OUT, PROOF};
use std::ffi::OsStr;
use std::time::Instant;
use volery::System;
use volery::channel::Party;
use volery_cli::failure::Result;
use volery_cli::fields;
use volery_cli::program::Program;
use volery_cli::report::Asked;
use volery_cli::settings::{system, system_of_party};

/// The options of private values, which a verifier has none of.
const PRIVATE: [&str; 5] =
    ["--private", "--witness", "--private-json", "--witness-generator", "--private-stream"];

const CIRCUIT_VERBS: &str =
    "circuit info RELATION, circuit eval RELATION, circuit export RELATION and circuit list";

const MODEL_VERBS: &str =
    "model quantise, model split, model info, model run, model commit, model prove and model verify";

impl Program for Typed {
    const HELP: &'static str = "`volery --help`, or --help behind a verb";

    fn asked(&self) -> Asked {
        let (role, protocol, system) = match &self.verb {
            Verb::Prove(typed) => {
                let field = given::field(&typed.protocol, &typed.public).ok();
                let system = system_of_party(&typed.protocol, field, typed.out.as_ref().map(|_| OUT));
                (Some(Party::Prover), &typed.protocol, system)
            }
            Verb::Verify(typed) => {
                let field = given::field(&typed.protocol, &typed.public).ok();
                let system = system_of_party(&typed.protocol, field, typed.proof.first().map(|_| PROOF));
                (Some(Party::Verifier), &typed.protocol, system)
            }
            Verb::Cluster(ClusterVerb::Prove(typed)) => {
                (Some(Party::Prover), &typed.run.protocol, system(&typed.run.protocol, System::default()))
            }
            Verb::Cluster(ClusterVerb::Verify(typed)) => {
                (Some(Party::Verifier), &typed.run.protocol, system(&typed.run.protocol, System::default()))
            }
            Verb::Cluster(ClusterVerb::Worker) => return Asked::default(),
            Verb::Web(WebVerb::Prove(typed)) => {
                let system = web::system(&typed.protocol, typed.out.is_some());
                (Some(Party::Prover), &typed.protocol, system)
            }
            Verb::Web(WebVerb::Verify(typed)) => {
                let system = web::system(&typed.protocol, typed.file.is_some());
                (Some(Party::Verifier), &typed.protocol, system)
            }
            Verb::Web(WebVerb::Show(_)) => return Asked::default(),
            Verb::Model(ModelVerb::Prove(typed)) => {
                (Some(Party::Prover), &typed.protocol, system(&typed.protocol, System::default()))
            }
            Verb::Model(ModelVerb::Verify(typed)) => {
                (Some(Party::Verifier), &typed.protocol, system(&typed.protocol, System::default()))
            }
            Verb::Demo(typed) => (None, &typed.protocol, system(&typed.protocol, System::default())),
            Verb::Check(_) | Verb::Model(ModelVerb::Run(_)) => return Asked::check(),
            Verb::Run(_) => return Asked::run(),
            Verb::Bench(_) | Verb::Serve(_) | Verb::Results(_) => return Asked::default(),
            Verb::Circuit(_) | Verb::Model(_) | Verb::Key(_) | Verb::Doctor(_) => return Asked::default(),
        };
        Asked::proof(role, protocol, system, fields::asked(protocol.field.as_deref()))
    }

    fn asked_by(word: &OsStr) -> Asked {
        match word.to_str() {
            Some("check") => Asked::check(),
            Some("run") => Asked::run(),
            _ => Asked::default(),
        }
    }

    fn misuse(kind: ErrorKind, word: &OsStr, option: &str) -> Option<String> {
        let (circuit, cluster, key) = (word == "circuit", word == "cluster", word == "key");
        let (model, web) = (word == "model", word == "web");
        match kind {
            ErrorKind::UnknownArgument if word == "verify" && option == "--private-input" => Some(
                "verify takes no --private-input: only the prover has it: give it to `volery prove`, and what both \
                 know by --public-input"
                    .into(),
            ),
            ErrorKind::UnknownArgument if word == "verify" && PRIVATE.contains(&option) => Some(format!(
                "verify takes no {option}: only the prover has private values: give them to `volery prove`, and \
                 what both know by --public"
            )),
            ErrorKind::InvalidSubcommand if circuit => {
                Some(format!("there is no such verb: there are {CIRCUIT_VERBS}"))
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand if circuit => {
                Some(format!("a verb is missing behind circuit: there are {CIRCUIT_VERBS}"))
            }
            ErrorKind::InvalidSubcommand if cluster => {
                Some("there is no such verb: there are cluster prove and cluster verify".into())
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand if cluster => {
                Some("a verb is missing behind cluster: there are cluster prove and cluster verify".into())
            }
            ErrorKind::InvalidSubcommand if model => {
                Some(format!("there is no such verb: there are {MODEL_VERBS}"))
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand if model => {
                Some(format!("a verb is missing behind model: there are {MODEL_VERBS}"))
            }
            ErrorKind::InvalidSubcommand if web => {
                Some("there is no such verb: there are web prove, web verify and web show".into())
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand if web => {
                Some("a verb is missing behind web: there are web prove, web verify and web show".into())
            }
            ErrorKind::InvalidSubcommand if key => {
                Some("there is no such verb: there are key new and key show".into())
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand if key => {
                Some("a verb is missing behind key: there are key new and key show".into())
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => Some(
                "a verb is missing: demo, prove, verify, run, cluster, check, circuit, model, key, web, bench, serve, \
                      results or doctor"
                    .into(),
            ),
            _ => None,
        }
    }

    fn run(&self, started: Instant) -> Result<()> {
        match &self.verb {
            Verb::Demo(typed) => demo::demo(typed, started),
            Verb::Prove(typed) => parties::prove(typed, started),
            Verb::Verify(typed) => parties::verify(typed, started),
            Verb::Cluster(ClusterVerb::Prove(typed)) => cluster::prove(typed, started),
            Verb::Cluster(ClusterVerb::Verify(typed)) => cluster::verify(typed, started),
            Verb::Cluster(ClusterVerb::Worker) => cluster::worker::ordered(started),
            Verb::Check(typed) => relations::check(typed),
            Verb::Run(typed) => program::run::run(typed, started),
            Verb::Circuit(CircuitVerb::Info(typed)) => relations::info(typed),
            Verb::Circuit(CircuitVerb::Eval(typed)) => relations::eval(typed),
            Verb::Circuit(CircuitVerb::Export(typed)) => export::export(typed),
            Verb::Circuit(CircuitVerb::List(typed)) => relations::list(typed),
            Verb::Model(ModelVerb::Quantise(typed)) => model::quantise(typed),
            Verb::Model(ModelVerb::Split(typed)) => model::split(typed),
            Verb::Model(ModelVerb::Info(typed)) => model::info(typed),
            Verb::Model(ModelVerb::Run(typed)) => model::run(typed),
            Verb::Model(ModelVerb::Commit(typed)) => model::commit(typed),
            Verb::Model(ModelVerb::Prove(typed)) => model::prove(typed, started),
            Verb::Model(ModelVerb::Verify(typed)) => model::verify(typed, started),
            Verb::Key(KeyVerb::New(typed)) => key::new(typed),
            Verb::Key(KeyVerb::Show(typed)) => key::show(typed),
            Verb::Web(WebVerb::Prove(typed)) => web::prove(typed, started),
            Verb::Web(WebVerb::Verify(typed)) => web::verify(typed, started),
            Verb::Web(WebVerb::Show(typed)) => web::show(typed),
            Verb::Bench(typed) => beside::bench(typed),
            Verb::Serve(typed) => beside::serve(typed),
            Verb::Results(typed) => beside::results(typed),
            Verb::Doctor(typed) => doctor::doctor(typed),
        }
    }
}
