//! `volery bench price-discrimination` and `blind-certificate`: statements about sessions by TLS, whose
//! values are made up as a server and its client would make them.

pub mod certificate;
pub mod price;

use crate::bench::Run;
use crate::plan::Plan;
use volery::circuit::{Relation, Statement, Value, Values};
use volery::random::Random;
use volery_cli::failure::Result;

/// Proves that a price is above a threshold.
pub(crate) fn price_discrimination(run: &Run) -> Result<()> {
    let length = price::LENGTH;
    let values = price::sample(&mut Random::from_system()?, length)?;
    let relation = format!("builtin:price-discrimination?length={length}");
    prove(&Plan::new(run)?, ("length", length), &relation, values)
}

/// Proves that a certificate names who logged in.
pub(crate) fn blind_certificate(run: &Run) -> Result<()> {
    let shape = certificate::SHAPE;
    let values = certificate::sample(&mut Random::from_system()?, shape)?;
    let certificate::Shape { credentials, reply, before, after } = shape;
    let relation = format!(
        "builtin:blind-certificate?credentials={credentials}&reply={reply}&before={before}&after={after}"
    );
    prove(&Plan::new(run)?, ("after", after), &relation, values)
}

fn prove(
    plan: &Plan,
    (parameter, size): (&str, usize),
    relation: &str,
    (public, private): (Values, Values),
) -> Result<()> {
    let statement = Statement::new(Relation::open(relation, None)?, public)?;
    let witness = statement.witness(private)?;
    plan.print(&plan.stated((parameter, size as u64), &statement, &witness)?)
}

/// The values of ports, each by the bytes that it prints as.
fn values<'a>(given: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> volery::Result<Values> {
    let mut values = Values::new();
    for (port, bytes) in given {
        values.insert(port, Value::from_bytes(bytes))?;
    }
    Ok(values)
}

/// The one bit that is one.
fn yes() -> Value {
    Value::from_bits_text("1").expect("a bit")
}
