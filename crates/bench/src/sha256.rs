//! `volery bench sha256`: one preimage, from the start of the process to the verdict, or several at once.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use sha2::{Digest, Sha256};
use volery::circuit::{Elements, FieldRelation, Program, Repeat, Statement, Values};
use volery::random::Random;
use volery::{F61, Named, Over};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::{ARITHMETIC, has_bits};
use volery_cli::preimage::{LENGTH, Preimage};

/// Bytes of a message of elements, where nothing is said, which are 1,024 blocks with the padding; and the most.
const BYTES: u64 = (1 << 16) - 9;
const MOST_BYTES: u64 = 1 << 24;

/// Proves knowledge of a random message, or of --count, in maps of --lanes; over a larger field, of one of --length.
pub(crate) fn sha256(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    if !has_bits(plan.settings.field) {
        return elements(run, &plan);
    }
    if run.typed.length.is_some() {
        return Err(Failure::usage(
            "--length: a message of bits has 55 bytes: name a larger field, or leave it out",
        ));
    }
    let count = size("--count", run.typed.count.as_deref(), 1)?;
    let lanes = size("--lanes", run.typed.lanes.as_deref(), Repeat::LANES)?;
    if count == 1 {
        if run.typed.lanes.is_some() {
            return Err(Failure::usage("--lanes: one message is no map: add --count"));
        }
        let Preimage { statement, witness, .. } = Preimage::random()?;
        return plan.print(&plan.stated(("length", LENGTH as u64), &statement, &witness)?);
    }
    let (statement, witness) =
        Preimage::several(Repeat { instances: count, lanes }).map_err(|why| why.at("--count or --lanes"))?;
    plan.print(&plan.stated(("count", count), &statement, &witness)?)
}

/// Proves knowledge of a random message whose bytes are elements.
fn elements(run: &Run, plan: &Plan) -> Result<()> {
    if plan.settings.field.name() != ARITHMETIC {
        return Err(Failure::usage(format_args!("--field: bench sha256 is over f2, f2x64 and {ARITHMETIC}")));
    }
    if run.typed.count.is_some() || run.typed.lanes.is_some() {
        return Err(Failure::usage(
            "--count and --lanes: over f61 there is one message, of --length: leave them out",
        ));
    }
    let length = size("--length", run.typed.length.as_deref(), BYTES)?;
    if length > MOST_BYTES {
        return Err(Failure::usage(format_args!("--length: {length}: choose from 1 to {MOST_BYTES}")));
    }
    let mut random = Random::from_system()?;
    let message: Vec<u8> = (0..length.div_ceil(64)).flat_map(|_| random.bytes::<64>()).collect();
    let message = &message[..length as usize];
    let element = |byte: &u8| F61::new(u64::from(*byte));
    let relation = FieldRelation::<F61>::open(&format!("builtin:sha256-bytes?length={length}"), None)?;
    let mut public = Values::new();
    let digest: Vec<_> = Sha256::digest(message).iter().map(element).collect();
    public.insert("digest", Elements::from(digest))?;
    let statement = Statement::new(relation, public)?;
    let shape = Over::<F61>::compiled().count(&statement)?;
    let options = plan.settings.options(statement.digest(), Some(plan.settings.size(&shape)))?;
    let (size, mul, witness) = (("length", length), plan.settings.mul(&shape), message.iter().map(element));
    plan.print(&plan.prove::<Over<F61>, _>(size, statement.source(), witness, mul, &options)?)
}
