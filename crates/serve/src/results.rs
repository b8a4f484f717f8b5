//! `volery results`: verdicts as a table, as JSON or as CSV.

use crate::args::Results;
use crate::store::{self, Filter, Kind, Store, Verdict, now, since, time};
use serde_json::{Map, Value};
use std::io::Write;
use volery::channel::Identity;
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::print;

/// `volery results`.
pub(crate) fn results(typed: &Results) -> Result<()> {
    let store = store::open(&typed.database, false)?;
    if let Some(peer) = &typed.forgive {
        let identity: Identity =
            peer.parse().map_err(|why| Failure::usage(format_args!("--forgive: {why}")))?;
        store.forgive(&identity.to_string(), now())?;
        return print::result(format_args!("nothing before now counts against {identity}"));
    }
    let filter = filter(typed)?;
    print::stream(|out| list(store.as_ref(), typed, &filter, out))
}

fn filter(typed: &Results) -> Result<Filter> {
    let or_all = |given: &Option<String>| given.clone().unwrap_or_default();
    if let Some(verdict) = &typed.verdict {
        one_of("--verdict", verdict, &Kind::ALL.map(Kind::name))?;
    }
    let since = match &typed.since {
        Some(text) => since(text).ok_or_else(|| {
            Failure::usage("--since: write a time as it is printed, or its beginning, such as 2026-11-25")
        })?,
        None => 0,
    };
    Ok(Filter {
        peer: or_all(&typed.peer),
        statement: or_all(&typed.statement),
        verdict: or_all(&typed.verdict),
        since,
        last: typed.last,
    })
}

fn list(store: &dyn Store, typed: &Results, filter: &Filter, out: &mut dyn Write) -> Result<()> {
    let mut put = |line: String| {
        let unwritable = |why| Failure::usage(format_args!("standard output cannot be written: {why}"));
        writeln!(out, "{line}").map_err(unwritable)
    };
    if typed.json {
        return store.list(filter, &mut |verdict| put(json(&verdict)));
    }
    if typed.csv {
        put(Verdict::COLUMNS.join(","))?;
        return store.list(filter, &mut |verdict| put(csv(&verdict)));
    }
    put(format!(
        "{:<24} {:<8} {:<20} {:<20} {:>5} {:<16} {}",
        "ended", "verdict", "peer", "statement", "bits", "digest", "session"
    ))?;
    store.list(filter, &mut |verdict| put(row(&verdict)))
}

fn row(verdict: &Verdict) -> String {
    let Verdict { ended, verdict: kind, peer, name, statement, statistical, digest, session, .. } = verdict;
    let who: String = if name.is_empty() { peer.chars().take(20).collect() } else { name.clone() };
    let (time, digest) = (time(*ended), digest.get(..16).unwrap_or_default());
    format!("{time:<24} {kind:<8} {who:<20} {statement:<20} {statistical:>5} {digest:<16} {session}")
}

fn json(verdict: &Verdict) -> String {
    let pairs = Verdict::COLUMNS.into_iter().map(String::from).zip(verdict.columns());
    Value::Object(pairs.collect::<Map<_, _>>()).to_string()
}

/// A line as RFC 4180 has it. A field that a spreadsheet would take for a formula begins with an apostrophe.
fn csv(verdict: &Verdict) -> String {
    let field = |value: Value| {
        let text = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let text = if text.starts_with(['=', '+', '-', '@', '\t']) { format!("'{text}") } else { text };
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    };
    verdict.columns().map(field).join(",")
}
