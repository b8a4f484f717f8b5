//! What is given to `prove`, `verify` and `check`: relations, values, and where the peer is.

use crate::verbs::args::{Peer, Private, Public};
use crate::verbs::foreign;
use volery::circuit::{Format, Program, Statement};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::BOOLEAN;
use volery_cli::link::Reach;
use volery_cli::values::{PRIVATE, PUBLIC, Reader, Written};

/// Opens a relation that is given as text.
pub(crate) fn relation<P: Program>(spec: &str, format: Option<&str>) -> Result<P> {
    let format: Option<Format> = format.map(str::parse).transpose()?;
    P::open(spec, format).map_err(|why| match foreign::advice(spec) {
        Some(advice) => Failure::usage(format_args!("{why}: {advice}")),
        None => why.into(),
    })
}

/// The statement that both parties know.
pub(crate) fn statement<P>(typed: &Public, reader: &mut Reader) -> Result<Statement<P>>
where
    P: Program<Value: Written>,
{
    let [spec] = &typed.relation[..] else {
        return Err(Failure::usage(format_args!(
            "--relation is given more than once, and one of several is proved over {BOOLEAN} alone: give \
             one, or leave out --field"
        )));
    };
    let relation: P = relation(spec, typed.format.as_deref())?;
    let public = reader.read(PUBLIC, &typed.public)?;
    Statement::new(relation, public).map_err(|why| Failure::from(why).at(PUBLIC))
}

/// The statement and the prover's part of it.
pub(crate) fn claim<P>(public: &Public, private: &Private) -> Result<(Statement<P>, P::Witness)>
where
    P: Program<Value: Written>,
{
    let mut reader = Reader::default();
    let statement = statement(public, &mut reader)?;
    let private = reader.read(PRIVATE, &private.private)?;
    let witness = statement.witness(private).map_err(|why| Failure::from(why).at(PRIVATE))?;
    Ok((statement, witness))
}

/// Where the peer is, if it may be reached in plain text.
pub(crate) fn reach(typed: &Peer) -> Result<Reach> {
    let reach = match (&typed.listen, &typed.connect) {
        (Some(address), None) => Reach::Listen(address.clone()),
        (None, Some(address)) => Reach::Connect(address.clone()),
        (None, None) => {
            return Err(Failure::usage(
                "missing: --listen or --connect, or --out of `prove` and --proof of `verify`, for a proof \
                 that is a file",
            ));
        }
        _ => return Err(Failure::usage("give one of --listen ADDR and --connect HOST:PORT")),
    };
    reach.permit(typed.insecure_plaintext)?;
    Ok(reach)
}
