//! `circuit export`: a relation as a circuit file.

use crate::verbs::args::Export;
use crate::verbs::given::relation;
use std::io::Write;
use volery::circuit::{Format, Relation};
use volery_cli::failure::Result;
use volery_cli::partial::{Old, Partial};
use volery_cli::print;

/// `volery circuit export`.
pub(crate) fn export(typed: &Export) -> Result<()> {
    let format: Format = typed.format.parse()?;
    let relation = relation(Relation::open, &typed.relation, None)?;
    let write = |out: &mut dyn Write| Ok(relation.export(format, out)?);
    let Some(path) = typed.out.as_deref() else { return print::stream(write) };
    let mut file = Partial::create("--out", path, Old::by_force(typed.force))?;
    write(&mut file)?;
    file.finish()
}
