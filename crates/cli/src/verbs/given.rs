//! Arguments of `prove`, `verify` and `check`: relations, values, and where the peer is.

use crate::verbs::args::{Peer, Private, Public};
use crate::verbs::circom::Circom;
use crate::verbs::foreign;
use crate::verbs::{streams, trace};
use std::path::Path;
use volery::circuit::{Format, StreamKind, ValueStream};
use volery::{AnyClaim, AnyRelation, AnyStatement};
use volery_cli::args::Protocol;
use volery_cli::failure::{Failure, Result, refuse_experimental};
use volery_cli::fields::{self, BOOLEAN, Field};
use volery_cli::keys;
use volery_cli::link::{Reach, Way};
use volery_cli::values::{PRIVATE, PUBLIC, Reader};

/// The field of a proof.
pub(crate) fn field(protocol: &Protocol, public: &Public) -> Result<Field> {
    fields::of_relation(protocol.field.as_deref(), public.relation.first(), public.format.as_deref())
}

/// Opens a relation that is given as text, by `open`.
pub(crate) fn relation<R>(
    open: impl FnOnce(&str, Option<Format>) -> volery::Result<R>,
    spec: &str,
    format: Option<&str>,
) -> Result<R> {
    let format: Option<Format> = format.map(str::parse).transpose()?;
    open(spec, format).map_err(|why| foreign::advised(spec, why))
}

/// The statement that both parties know.
pub(crate) fn statement(field: Field, typed: &Public, reader: &mut Reader) -> Result<Box<dyn AnyStatement>> {
    let circom = Circom::of(field, typed)?;
    stated(field, typed, reader, circom.as_ref()).map(|(statement, _)| statement)
}

/// The statement, by its file where circom made it, and the streams that its relation takes.
fn stated(
    field: Field,
    typed: &Public,
    reader: &mut Reader,
    circom: Option<&Circom>,
) -> Result<(Box<dyn AnyStatement>, Vec<ValueStream>)> {
    let [spec] = &typed.relation[..] else {
        return Err(Failure::usage(format_args!(
            "--relation is given more than once, and one of several is of bits: give one, or --field {BOOLEAN}"
        )));
    };
    refuse_experimental(spec, typed.experimental)?;
    let mut relation = match circom {
        Some(circom) => circom.relation(field)?,
        None => relation(|spec, format| field.open(spec, format), spec, typed.format.as_deref())?,
    };
    limit(relation.as_ref(), reader);
    match circom {
        Some(circom) => circom.read_public(&typed.public, &[], relation.public(), reader)?,
        None => reader.read(PUBLIC, &typed.public, relation.public())?,
    }
    let streams = relation.streams();
    streams::read(StreamKind::Public, &typed.public_stream, &streams, relation.public())?;
    let statement = relation.state().map_err(|why| Failure::from(why).at(PUBLIC))?;
    Ok((statement, streams))
}

/// Has `reader` take no more for a value than its port can.
pub(crate) fn limit(relation: &dyn AnyRelation, reader: &mut Reader) {
    let ports = relation.inputs().iter().chain(relation.outputs());
    ports.for_each(|port| reader.limit(&port.name, port.width, relation.unit_of(&port.name)));
}

/// The statement, with the prover's part of it.
pub(crate) fn claim(
    field: Field,
    public: &Public,
    private: &Private,
    mut reader: Reader,
) -> Result<Box<dyn AnyClaim>> {
    let circom = Circom::with_witness(field, public, private, reader.timeout())?;
    let (mut statement, streams) = stated(field, public, &mut reader, circom.as_ref())?;
    if let Some(circom) = circom {
        circom.read_private(&mut *statement)?;
    }
    let mut others = Vec::new();
    for argument in &private.private {
        match trace::trace(argument)? {
            Some(text) => {
                let read = statement.read_trace(&Path::new(argument).display().to_string(), &text);
                read.map_err(|why| Failure::from(why).at(PRIVATE))?;
            }
            None => others.push(argument.clone()),
        }
    }
    reader.read(PRIVATE, &others, statement.private())?;
    streams::read(StreamKind::Private, &private.private_stream, &streams, statement.private())?;
    statement.claim().map_err(|why| Failure::from(why).at(PRIVATE))
}

/// The way to the peer.
pub(crate) fn way(typed: &Peer) -> Result<Way> {
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
    let tls = keys::tls(typed.key.as_deref(), &typed.peer, &typed.peers)?;
    Way::new(reach, tls, typed.insecure_plaintext)
}
