//! Exceptions by whose fault it is, as the arms of the library's error.

use crate::tape::Failed;
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use volery::Error;
use volery_cli::failure::{Failure, Fault};
use volery_cluster::{self, Abort};

mod raised {
    use super::import_exception;

    import_exception!(volery._errors, Error);
    import_exception!(volery._errors, Unsatisfied);
    import_exception!(volery._errors, Invalid);
    import_exception!(volery._errors, Rejected);
    import_exception!(volery._errors, Disagreed);
    import_exception!(volery._errors, Misbehaved);
    import_exception!(volery._errors, Abandoned);
    import_exception!(volery._errors, LinkError);
    import_exception!(volery._errors, PeerError);
    import_exception!(volery._errors, Stop);
    import_exception!(volery._errors, Failed);
}

/// Why something failed: known to the library, or to what reads options and values.
pub(crate) enum Trouble {
    Library(Error),
    Usage(Failure),
}

/// A result whose error is a [`Trouble`].
pub(crate) type Result<T, E = Trouble> = std::result::Result<T, E>;

impl From<Error> for Trouble {
    fn from(why: Error) -> Self {
        Self::Library(why)
    }
}

impl From<Failure> for Trouble {
    fn from(why: Failure) -> Self {
        Self::Usage(why)
    }
}

impl Trouble {
    /// The exception, with the name of the failed assertion where there is one.
    pub(crate) fn raised(self, py: Python<'_>, told: Option<Failed>) -> PyErr {
        match self {
            Self::Library(Error::Unsatisfied(assertion)) => unsatisfied(py, &assertion, told),
            Self::Library(why) => {
                let arm = arm(&why);
                arm(as_keywords(&Failure::from(why).line))
            }
            Self::Usage(failure) => {
                let line = as_keywords(&failure.line);
                match failure.fault {
                    Fault::Usage => raised::Invalid::new_err(line),
                    Fault::Peer => raised::LinkError::new_err(line),
                    Fault::Rejected => raised::Rejected::new_err(line),
                    Fault::Bug | Fault::Interrupted => raised::Error::new_err(line),
                }
            }
        }
    }
}

/// The exception of an error's arm.
fn arm(why: &Error) -> fn(String) -> PyErr {
    match why {
        Error::Invalid(_) => |line| raised::Invalid::new_err(line),
        Error::Rejected(_) => |line| raised::Rejected::new_err(line),
        Error::Disagreed(_) => |line| raised::Disagreed::new_err(line),
        Error::Misbehaved(_) => |line| raised::Misbehaved::new_err(line),
        Error::Abandoned { .. } => |line| raised::Abandoned::new_err(line),
        Error::Io { .. } => |line| raised::LinkError::new_err(line),
        _ => |line| raised::Error::new_err(line),
    }
}

/// An assertion that does not hold, with its name and where it was made.
fn unsatisfied(py: Python<'_>, assertion: &str, told: Option<Failed>) -> PyErr {
    let place = told.as_ref().map_or(String::new(), |Failed { name, lanes }| {
        let shard = name.shard.map_or(String::new(), |shard| format!(", in shard {shard}"));
        let numbers: Vec<_> = lanes.iter().map(usize::to_string).collect();
        let lane = match numbers.len() {
            0 => String::new(),
            1 => format!(", in lane {}", numbers[0]),
            _ => format!(", in lanes {}", numbers.join(", ")),
        };
        format!(" ({}:{}{shard}{lane})", name.file, name.line)
    });
    let error = raised::Unsatisfied::new_err(format!(
        "the witness does not satisfy the statement: {assertion}{place} does not hold"
    ));
    let value = error.value(py);
    let set = || -> PyResult<()> {
        value.setattr("assertion", assertion)?;
        let name = told.as_ref().map(|told| &told.name);
        value.setattr("shard", name.and_then(|name| name.shard))?;
        value.setattr("filename", name.map(|name| &*name.file))?;
        value.setattr("lineno", name.map(|name| name.line))?;
        let lanes = told.as_ref().map_or(&[][..], |told| &told.lanes);
        value.setattr("lanes", PyTuple::new(py, lanes)?)
    };
    match set() {
        Ok(()) => error,
        Err(why) => why,
    }
}

/// Why a run in shards has no verdict, or what it is, with the shard in which that showed.
pub(crate) fn of_abort(py: Python<'_>, abort: &Abort) -> PyErr {
    let line = as_keywords(&abort.to_string());
    let error = match abort.fault {
        volery_cluster::Fault::Rejected => raised::Rejected::new_err(line),
        volery_cluster::Fault::Own => raised::Invalid::new_err(line),
        volery_cluster::Fault::Unsatisfied => raised::Unsatisfied::new_err(line),
        volery_cluster::Fault::Lost | volery_cluster::Fault::Peer => raised::PeerError::new_err(line),
        volery_cluster::Fault::Interrupted | volery_cluster::Fault::Bug => raised::Error::new_err(line),
    };
    let value = error.value(py);
    let set = value.setattr("shard", abort.shard);
    let set = set.and_then(|()| value.setattr("counts_against_peer", abort.counts_against_peer));
    set.err().unwrap_or(error)
}

/// The exception for a value, a width or an option that makes no sense.
pub(crate) fn invalid(why: impl Into<String>) -> PyErr {
    raised::Invalid::new_err(why.into())
}

/// The exception that unwinds a function of which nobody reads on.
pub(crate) fn stop() -> PyErr {
    raised::Stop::new_err("the run of this function is over")
}

/// The exception that a worker's function has raised, as its coordinator receives it.
pub(crate) fn failed(py: Python<'_>, why: PyErr) -> PyErr {
    let failed = raised::Failed::new_err("the function failed");
    failed.set_cause(py, Some(why));
    failed
}

/// Whether it is one of [`stop`].
pub(crate) fn is_stop(py: Python<'_>, why: &PyErr) -> bool {
    why.is_instance_of::<raised::Stop>(py)
}

/// A mistake of ours: what a thread panicked with.
pub(crate) fn bug(what: &str) -> PyErr {
    raised::Error::new_err(format!("a mistake of volery: {what}"))
}

/// Options as they are written in Python: `peer=` for `--peer`.
fn as_keywords(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("--") {
        let (before, option) = rest.split_at(at);
        let name = &option[2..];
        let end = name.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(name.len());
        out.push_str(before);
        if end == 0 || before.ends_with(|c: char| c.is_alphanumeric()) {
            out.push_str(&option[..2 + end]);
        } else {
            out.push_str(&name[..end].replace('-', "_"));
            out.push('=');
        }
        rest = &name[end..];
    }
    out.push_str(rest);
    out
}
