//! `circuit export`: a relation as a circuit file.

use crate::verbs::args::Export;
use crate::verbs::circom;
use crate::verbs::given::relation;
use std::io::Write;
use volery::circuit::{Format, R1cs, Relation, with_options};
use volery_cli::failure::{Failure, Result};
use volery_cli::partial::{Old, Partial};
use volery_cli::print;

/// `volery circuit export`.
pub(crate) fn export(typed: &Export) -> Result<()> {
    if circom::is_r1cs(&typed.relation, None) {
        return export_r1cs(typed);
    }
    if typed.witness.is_some() {
        return Err(circom::only_r1cs("--witness"));
    }
    let format: Format = typed.format.parse()?;
    let relation = relation(Relation::open, &typed.relation, None)?;
    let write = |out: &mut dyn Write| Ok(relation.export(format, out)?);
    let Some(path) = typed.out.as_deref() else { return print::stream(write) };
    let mut file = Partial::create("--out", path, Old::by_force(typed.force))?;
    write(&mut file)?;
    file.finish()
}

/// Writes constraints as SIEVE, and beside it the values of a witness, if there is one.
fn export_r1cs(typed: &Export) -> Result<()> {
    if typed.format != "sieve" {
        return Err(Failure::usage(format_args!(
            "{} is over a field of its own, and becomes SIEVE alone: give --to sieve",
            typed.relation
        )));
    }
    let (path, _) = with_options(&typed.relation);
    let system = R1cs::open_over(&typed.relation, &R1cs::field_of(path)?)?;
    let Some(path) = typed.out.as_deref() else {
        return print::stream(|out: &mut dyn Write| Ok(system.write_sieve(out)?));
    };
    let old = Old::by_force(typed.force);
    let mut file = Partial::create("--out", path, old)?;
    system.write_sieve(&mut file)?;
    file.finish()?;
    let Some(witness) = &typed.witness else { return Ok(()) };
    let witness = system.open_witness(witness).map_err(|why| Failure::from(why).at("--witness"))?;
    let mut public = Partial::create("--out", &path.with_extension("type0.ins"), old)?;
    system.write_sieve_values(true, witness.public(), &mut public)?;
    public.finish()?;
    let private = witness.encodings(system.committed());
    let mut file = Partial::create("--out", &path.with_extension("type0.wit"), old)?;
    system.write_sieve_values(false, private.chunks(witness.size()), &mut file)?;
    file.finish()
}
