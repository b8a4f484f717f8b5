//! Web proofs as they are told: what was shown, as JSON, and how an error ends.

use crate::failure::{Failure, Fault, one_line};
use crate::print::hex;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};
use volery_web::bundle::FileVerdict;
use volery_web::error::{Error, Whose};
use volery_web::policy::{Chosen, Exchange, Revealed};
use volery_web::program::ReadByProgram;
use volery_web::record::{Record, SignedRecord};
use volery_web::session::Seen;
use volery_web::skeleton::{Byte, text};
use volery_web::tunnel::is_refusal;

/// The JSON of what a verifier knows of a session.
pub fn seen(seen: &Seen) -> Value {
    let Seen { exchange, freshness, address, opened, closed, suite, certificate, recording, record } = seen;
    let seconds = |time: &SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut object = object(exchange);
    object["address"] = json!(address.to_string());
    object["date"] = json!(freshness.date);
    object["age"] = json!(freshness.age);
    object["opened"] = json!(seconds(opened));
    object["closed"] = json!(seconds(closed));
    object["suite"] = json!(suite.name());
    object["certificate_sha256"] = json!(hex(&Sha256::digest(certificate)));
    object["recording"] = json!({"up_sha256": hex(&recording.up), "down_sha256": hex(&recording.down)});
    object["record"] = json!(record.as_ref().map(self::record));
    object
}

/// The JSON of what a verifier of a file knows of a session.
pub fn of_file(verdict: &FileVerdict) -> Value {
    let FileVerdict { exchange, freshness, record: signed, suite, certificate, .. } = verdict;
    let Record { address, times: [opened, closed], recording, .. } = &signed.record;
    let mut object = object(exchange);
    object["address"] = json!(address.to_string());
    object["date"] = json!(freshness.date);
    object["age"] = json!(freshness.age);
    object["opened"] = json!(opened);
    object["closed"] = json!(closed);
    object["suite"] = json!(suite.name());
    object["certificate_sha256"] = json!(hex(&Sha256::digest(certificate)));
    object["recording"] = json!({"up_sha256": hex(&recording.up), "down_sha256": hex(&recording.down)});
    object["record"] = record(signed);
    object
}

/// The JSON of a record.
pub fn record(signed: &SignedRecord) -> Value {
    let Record { service, id, times: [opened, closed], policy, prover, address, .. } = &signed.record;
    json!({
        "id": hex(id),
        "relay": signed.relay.to_string(),
        "service": service,
        "prover": prover.map(|prover| prover.to_string()),
        "address": address.to_string(),
        "opened": opened,
        "closed": closed,
        "policy_sha256": hex(policy),
    })
}

/// The line of what was proved, for people.
pub fn line(exchange: &Exchange) -> String {
    let revealed = exchange.revealed.iter().map(value);
    let said = if let Some(program) = &exchange.program {
        given_out(program)
    } else if exchange.is_json {
        let said = revealed.chain(exchange.claims.iter().cloned()).collect::<Vec<_>>().join(", ");
        let both = [said, of_choice(&exchange.chosen).unwrap_or_default()];
        both.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    } else {
        text(&exchange.response.body)
    };
    let (start, status) = (&exchange.request.head.start, exchange.response.status);
    format!("{}: {start} → {status}: {}", host(exchange), one_line(said))
}

/// The output of a program that read a body, in words.
fn given_out(program: &ReadByProgram) -> String {
    let output = &program.output;
    let text = match core::str::from_utf8(output) {
        Ok("") => "nothing".into(),
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("0x{}", hex(output)),
    };
    format!("the program {}… takes it, and gives out {text}", hex(&program.sha256[..4]))
}

/// The lines of what a program that read a body shows of it.
pub fn of_program(program: &ReadByProgram, body: usize) -> Vec<String> {
    let ReadByProgram { sha256, instructions, ands, .. } = program;
    vec![
        format!("and that {}, with exit code 0", given_out(program)),
        format!("its SHA-256 is {}", hex(sha256)),
        format!(
            "its path has {instructions} instructions and {ands} ANDs: that follows from the {body} bytes of the body, \
             whatever they are"
        ),
    ]
}

/// A value with its path, for people.
fn value(value: &Revealed) -> String {
    format!("{} is {}", value.path, value.text)
}

/// The words for what a prover shows and claims of its own choice, for people, where that is anything.
pub fn of_choice(chosen: &Chosen) -> Option<String> {
    let all = chosen.revealed.iter().map(value).chain(chosen.claims.iter().cloned()).collect::<Vec<_>>();
    (!all.is_empty()).then(|| format!("by the prover's own choice: {}", all.join(", ")))
}

/// The JSON of values by their paths.
fn values(values: &[Revealed]) -> Map<String, Value> {
    values.iter().map(|value| (value.path.clone(), json!(value.text))).collect()
}

/// The JSON of what an exchange shows.
pub fn object(exchange: &Exchange) -> Value {
    let [request, response] = exchange.heads();
    let body = text(&exchange.response.body);
    let [hidden_of_request, hidden_of_response] = exchange.hidden();
    let read_as = match (&exchange.program, exchange.is_json) {
        (Some(_), _) => "program",
        (None, true) => "json",
        (None, false) => "bytes",
    };
    let program = exchange.program.as_ref().map(|program| {
        let ReadByProgram { sha256, output, instructions, ands } = program;
        json!({
            "sha256": hex(sha256),
            "exit_code": 0,
            "output": hex(output),
            "output_text": core::str::from_utf8(output).ok(),
            "instructions": instructions,
            "ands": ands,
        })
    });
    json!({
        "host": host(exchange),
        "request": exchange.request.head.start,
        "request_head": request,
        "status": exchange.response.status,
        "response_head": response,
        "hidden": {"request": hidden_of_request, "response": hidden_of_response},
        "revealed": values(&exchange.revealed),
        "claims": exchange.claims,
        "chosen": {"revealed": values(&exchange.chosen.revealed), "claims": exchange.chosen.claims},
        "read_as": read_as,
        "program": program,
        "body": body,
        "body_bytes": exchange.response.body.len(),
        "shown": parts(&exchange.response.body),
    })
}

/// The server, as the request names it.
pub fn host(exchange: &Exchange) -> String {
    let host = exchange.request.head.fields.iter().find(|field| field.name == "host");
    host.and_then(|host| host.shown()).unwrap_or_default()
}

/// The shown parts of a body, with their places.
fn parts(body: &[Byte]) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut at = 0;
    for run in body.chunk_by(|one, next| one.shown().is_some() == next.shown().is_some()) {
        if run[0].shown().is_some() {
            parts.push(json!({"at": at, "bytes": run.len(), "text": text(run)}));
        }
        at += run.len();
    }
    parts
}

/// How an error of a web proof ends the program.
pub fn failure(error: Error) -> Failure {
    match error {
        Error::Proof(volery::Error::Io { source, .. }) if is_refusal(&source) => {
            Failure::new(Fault::Rejected, source)
        }
        Error::Proof(error) => error.into(),
        Error::Io { source, .. } if is_refusal(&source) => Failure::new(Fault::Rejected, source),
        error @ (Error::Io { .. } | Error::Tls(_) | Error::Disagreed(_)) => Failure::peer(error),
        Error::Refused(refusal) if refusal.whose == Whose::Verifier => Failure::peer(refusal),
        Error::Refused(refusal) => Failure::new(Fault::Rejected, refusal),
        error @ Error::Unwanted(_) => Failure::new(Fault::Rejected, error),
        error => Failure::usage(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prover that shows what is not wanted is rejected: no program that behaves makes that happen.
    #[test]
    fn cheating_is_rejected() {
        let unwanted = volery_web::policy::Unwanted::Status(500);
        assert_eq!(failure(unwanted.into()).fault, Fault::Rejected);
        assert_eq!(failure(Error::invalid("a file")).fault, Fault::Usage);
    }
}
