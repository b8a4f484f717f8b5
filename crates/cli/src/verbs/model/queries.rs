//! `model prove` and `model verify`: queries to a network whose weights are committed to once.

use super::read;
use super::run::{INPUT, Inputs, whole};
use crate::verbs::args::{ModelProve, ModelVerify, Show};
use crate::verbs::given::way;
use crate::verbs::session::Session;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::io::{BufRead, stdin};
use std::path::Path;
use std::time::Instant;
use volery::channel::Party;
use volery::circuit::Port;
use volery::{AnyClaim, AnyStatement, Queries, QueryProver, QueryVerifier, Report};
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Fault, Result, one_line};
use volery_cli::fields;
use volery_cli::networks::{claim, decoded, of_weights, queries};
use volery_cli::print::{self, seconds};
use volery_cli::settings::Settings;
use volery_cli::values::Reader;
use volery_onnx::Network;

/// The option of what is shown.
const SHOW: &str = "--show";

/// Values that are printed of one port; JSON has all of them.
const PRINTED: usize = 16;

/// `volery model prove`.
pub(crate) fn prove(typed: &ModelProve, started: Instant) -> Result<()> {
    let file = read(&typed.network)?;
    let network = whole(&typed.network, &file, typed.weights.as_deref())?;
    let (settings, queries) = asked(&typed.network, &typed.protocol, &typed.output, &typed.show)?;
    let (settings, way) = (&settings, way(&typed.peer)?);
    let of_weights = of_weights(&queries, &network)?;
    let mut session = Session::open(settings, &way, Party::Prover, of_weights.statement().digest(), None)?;
    let (mut prover, report) =
        QueryProver::new(&queries, &*of_weights, &mut session.channel, &session.options)?;
    drop(of_weights);
    let mut reports = vec![report];
    let mut failed: Option<Failure> = None;
    let mut left_out = 0;
    let mut lines = stdin().lock().lines();
    let mut given = Some(typed.input.clone()).filter(|given| !given.is_empty());
    let of_arguments = given.is_some();
    let mut number = 0;
    loop {
        let arguments = match given.take() {
            Some(arguments) => arguments,
            None if of_arguments => break,
            None => match lines.next() {
                None => break,
                Some(line) => {
                    let line = line.map_err(|why| Failure::usage(format_args!("standard input: {why}")))?;
                    if line.trim().is_empty() || line.trim_start().starts_with('#') {
                        continue;
                    }
                    line.split_whitespace().map(OsString::from).collect()
                }
            },
        };
        number += 1;
        // Until it is known to hold nothing is said of it, and another may follow.
        let asked = Instant::now();
        let claim = match claimed(&queries, &network, &arguments, settings) {
            Ok(claim) => claim,
            Err(why) => {
                let why = why.at(format_args!("query {number}"));
                print::notice(format_args!("volery: {}", why.line));
                left_out += 1;
                failed.get_or_insert(why);
                continue;
            }
        };
        let report = prover.prove(&*claim)?;
        told(&queries, number, claim.statement(), asked, settings.json)?;
        reports.push(report);
    }
    let bits = prover.bits();
    prover.end()?;
    ended(session, settings, (&reports, bits), started)?;
    let line = format!("{left_out} of {number} queries were left out, for what is said of each above");
    failed.map_or(Ok(()), |why| Err(Failure { fault: Fault::Usage, line, ..why }))
}

/// `volery model verify`.
pub(crate) fn verify(typed: &ModelVerify, started: Instant) -> Result<()> {
    let (settings, queries) = asked(&typed.network, &typed.protocol, &typed.output, &typed.show)?;
    let (settings, way) = (&settings, way(&typed.peer)?);
    let common = queries.common()?.state()?;
    let mut session = Session::open(settings, &way, Party::Verifier, common.digest(), None)?;
    let (mut verifier, report) = QueryVerifier::new(&queries, &mut session.channel, &session.options)?;
    let mut reports = vec![report];
    let mut number = 0;
    while let Some(query) = verifier.receive()? {
        number += 1;
        let asked = Instant::now();
        let (_accepted, report) = verifier.verify(&*query)?;
        told(&queries, number, &*query, asked, settings.json)?;
        reports.push(report);
    }
    let bits = verifier.bits();
    drop(verifier);
    if reports.len() == 1 {
        session.channel.close()?;
        return Err(Failure::peer(
            "the prover ended the session without a query: nothing is known of any input",
        ));
    }
    ended(session, settings, (&reports, bits), started)
}

/// The settings of a session, and its queries about the network at `path`.
fn asked(
    path: &Path,
    protocol: &Protocol,
    output: &Output,
    Show { show }: &Show,
) -> Result<(Settings, Queries)> {
    let Some(spec) = path.to_str() else {
        return Err(Failure::usage(format_args!("{}: name the file in UTF-8", path.display())));
    };
    let field = fields::of_relation(protocol.field.as_deref(), Some(spec), None)?;
    let settings = Settings::new(field, protocol, output)?;
    let queries = queries(field, spec, show).map_err(|why| why.at(path.display()).at(SHOW))?;
    Ok((settings, queries))
}

/// The claim of what the network makes of these inputs.
fn claimed(
    queries: &Queries,
    network: &Network<'_>,
    arguments: &[OsString],
    settings: &Settings,
) -> Result<Box<dyn AnyClaim>> {
    let mut reader = Reader::waiting(settings.timeout);
    let mut inputs = Inputs::of(network, &mut reader);
    reader.read(INPUT, arguments, &mut inputs)?;
    Ok(claim(queries, network, &inputs.integers)?)
}

/// Tells of a query that was proved.
fn told(
    queries: &Queries,
    number: u64,
    query: &dyn AnyStatement,
    asked: Instant,
    as_json: bool,
) -> Result<()> {
    let took = asked.elapsed().as_secs_f64();
    let values = query.encodings().into_iter().map(|(port, encoding)| (port, decoded(&encoding)));
    if as_json {
        let values = values.map(|(port, integers)| (port.name.clone(), json!(integers)));
        let values: Map<String, Value> = values.collect();
        return print::json(&json!({"query": number, "values": values, "seconds": took}));
    }
    let values = values.map(|(port, integers)| format!("{}={}", one_line(&port.name), text(port, &integers)));
    let values: Vec<_> = values.collect();
    debug_assert_eq!(values.len(), queries.public().len());
    print::result(format_args!("query {number}  {}  {}", values.join(" "), seconds(took)))
}

/// Integers as they are written: with a decimal point where they stand for real numbers.
fn text(port: &Port, integers: &[i64]) -> String {
    let exponent = port.fixed_point.as_ref().map_or(0, |numbers| numbers.exponent);
    let unit = f64::from(-exponent).exp2();
    let number = |integer: &i64| match exponent {
        0 => integer.to_string(),
        _ => format!("{:?}", *integer as f64 * unit),
    };
    let mut text = integers.iter().take(PRINTED).map(number).collect::<Vec<_>>().join(",");
    if let Some(more @ 1..) = integers.len().checked_sub(PRINTED) {
        text.push_str(&format!(",… ({more} more)"));
    }
    text
}

/// Ends a session, which has so many bits of statistical security, and tells of it.
fn ended(
    session: Session,
    settings: &Settings,
    (reports, bits): (&[Report], u32),
    started: Instant,
) -> Result<()> {
    let mut outcome = session.close_behind(settings, reports, started)?;
    outcome.report.security.statistical = bits;
    let queries = reports.len() - 1;
    outcome.more("queries", json!(queries), queries.to_string());
    outcome.print(settings.json)
}
