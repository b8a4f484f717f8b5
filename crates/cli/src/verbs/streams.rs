//! Streams of values for SIEVE relations: a file for each type.

use std::path::PathBuf;
use volery::circuit::{ReadValues, SieveStream, StreamKind, ValueStream, Written};
use volery_cli::failure::{Failure, Result};

/// The option that gives streams of this kind.
fn option(kind: StreamKind) -> &'static str {
    match kind {
        StreamKind::Public => "--public-stream",
        StreamKind::Private => "--private-stream",
    }
}

/// Adds the values of `files` to `values`: each is for the first of `streams` that is of its field and has
/// none yet.
///
/// # Errors
/// Those of a file, and where there is no such stream, or one that takes another number of values.
pub(crate) fn read(
    kind: StreamKind,
    files: &[PathBuf],
    streams: &[ValueStream],
    values: &mut dyn ReadValues,
) -> Result<()> {
    let option = option(kind);
    let mut rest: Vec<_> =
        streams.iter().filter(|stream| stream.public == (kind == StreamKind::Public)).collect();
    for path in files {
        let fail = |why: String| Err(Failure::usage(why).at(path.display()).at(option));
        if streams.is_empty() {
            return fail("the relation takes no streams of values: they are for SIEVE relations".into());
        }
        let file = SieveStream::open(path, kind).map_err(|why| Failure::from(why).at(option))?;
        let Some(place) = rest.iter().position(|stream| stream.field == file.field()) else {
            let mut fields: Vec<_> = rest.iter().map(|stream| stream.field.as_str()).collect();
            fields.dedup();
            let takes = if fields.is_empty() { "no more".into() } else { fields.join(", ") };
            return fail(format!(
                "it is of field {}, and the relation takes values of fields {takes} here",
                file.field()
            ));
        };
        let stream = rest.remove(place);
        if stream.count != file.count() {
            return fail(format!(
                "it has {} values, and the relation reads {} of type {}",
                file.count(),
                stream.count,
                stream.kind
            ));
        }
        if stream.count > 0 {
            values.read(&stream.name, Written::Encodings(file.encodings()))?;
        }
    }
    Ok(())
}

/// # Errors
/// Where streams are given for one of several relations.
pub(crate) fn refuse(files: &[PathBuf], kind: StreamKind) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    Err(Failure::usage("streams are for one relation that is proved as a whole").at(option(kind)))
}
