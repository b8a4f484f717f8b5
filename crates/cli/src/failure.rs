//! How a run ends when it does not end well: an exit code by whose fault it is, and one line.

use serde_json::Value;
use std::fmt::Display;
use volery::Error;
use volery::channel::Party;
use volery::error::Disagreement;

/// A result whose error is a [`Failure`].
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// The party at fault; the numbers are the exit codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The verifier was not convinced.
    Rejected = 1,
    /// The caller's: arguments, relation, values, witness.
    Usage = 2,
    /// The peer's or the network's.
    Peer = 3,
    /// Ours.
    Bug = 70,
    /// The user's, by Ctrl-C, with the code that a shell expects.
    Interrupted = 130,
}

/// Why a run failed. The line holds no private value.
#[derive(Debug)]
pub struct Failure {
    /// The party at fault.
    pub fault: Fault,
    /// The line that is printed.
    pub line: String,
    /// The message for a file whose keys are options, where it differs.
    pub of_keys: Option<Box<str>>,
    /// Whether the statement was evaluated and does not hold.
    pub unsatisfied: bool,
    /// Whether the peer may have failed in an attempt to cheat, which a service that lets peers come back has
    /// to count.
    pub counts_against_peer: bool,
    /// The JSON object of the run, where there is more to say than that it failed.
    pub report: Option<Value>,
}

impl Failure {
    /// A failure by this fault.
    pub fn new(fault: Fault, line: impl Display) -> Self {
        let line = one_line(line);
        Self { fault, line, of_keys: None, unsatisfied: false, counts_against_peer: false, report: None }
    }

    /// The caller's.
    pub fn usage(line: impl Display) -> Self {
        Self::new(Fault::Usage, line)
    }

    /// The caller's, in words that name options, by what these are called.
    pub fn naming(line: impl Fn(Called) -> String) -> Self {
        Self { of_keys: Some(one_line(line(Called::Keys)).into()), ..Self::usage(line(Called::Options)) }
    }

    /// The failure as it is told about a file whose keys are options.
    pub fn for_keys(self) -> Self {
        Self { line: self.of_keys.map_or(self.line, String::from), of_keys: None, ..self }
    }

    /// The peer's or the network's.
    pub fn peer(line: impl Display) -> Self {
        Self::new(Fault::Peer, line)
    }

    /// Reports this object, which tells of the failure, too.
    pub fn with(self, report: Value) -> Self {
        Self { report: Some(report), ..self }
    }

    /// Says before the line where it happened.
    pub fn at(self, place: impl Display) -> Self {
        let place = one_line(place);
        let at = |line: &str| format!("{place}: {line}");
        Self { line: at(&self.line), of_keys: self.of_keys.map(|line| at(&line).into()), ..self }
    }

    /// Says before the line which option is wrong.
    pub fn of(self, option: &str) -> Self {
        let of = |called: Called, line: &str| format!("{}: {line}", called.name(option));
        let of_keys = of(Called::Keys, self.of_keys.as_deref().unwrap_or(&self.line));
        Self { line: of(Called::Options, &self.line), of_keys: Some(of_keys.into()), ..self }
    }
}

/// How options are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Called {
    /// Options of the command line, `--name`.
    Options,
    /// Keys of a file, `name`.
    Keys,
}

impl Called {
    /// The option called `name`.
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Options => format!("--{name}"),
            Self::Keys => name.into(),
        }
    }

    /// `advice` that only the command line has options for.
    pub fn advice(self, advice: &str) -> &str {
        if self == Self::Options { advice } else { "" }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let fault = match &error {
            Error::Rejected(_) => Fault::Rejected,
            // A prover that leaves once it can foresee the verdict has been rejected: a script that tries
            // again after failures of the network is not to try again after this one.
            Error::Abandoned { peer, .. } if *peer == Party::Prover.name() => Fault::Rejected,
            Error::Abandoned { .. } => Fault::Peer,
            Error::Invalid(_) | Error::Unsatisfied(_) | Error::Device(_) => Fault::Usage,
            Error::Io { .. } | Error::Disagreed(_) | Error::Misbehaved(_) => Fault::Peer,
            _ => Fault::Bug,
        };
        let advice = match &error {
            Error::Io { source, .. } | Error::Abandoned { source, .. }
                if source.kind() == std::io::ErrorKind::TimedOut =>
            {
                "see how the other side fares, or give it longer by --timeout".into()
            }
            Error::Io { .. } => "see what the other side says".into(),
            Error::Abandoned { .. } if fault == Fault::Rejected => {
                "taken for a rejection; see what the other side says".into()
            }
            Error::Abandoned { .. } => "see what the other side says".into(),
            Error::Disagreed(Disagreement::FileParameters { worth: Some(worth), .. }) => {
                // A round number is easier to agree on with others.
                format!("this proof is worth {worth} bits; accept it by --security {}", worth / 10 * 10)
            }
            Error::Disagreed(Disagreement::FileWork { times, .. }) => {
                format!(
                    "ask whoever made it for one with default parameters, or allow it by --most-work {times}"
                )
            }
            Error::Disagreed(disagreement) => agreeing(disagreement).into(),
            Error::Misbehaved(_) => "is the other side volery, of this version?".into(),
            Error::Device(_) => {
                "run again, allow it more memory by --device-memory, take fewer lanes by --wave, or --device cpu".into()
            }
            _ => String::new(),
        };
        let unsatisfied = matches!(error, Error::Unsatisfied(_));
        let before = if advice.is_empty() { "" } else { ": " };
        let counts_against_peer = error.counts_against_peer();
        Self { unsatisfied, counts_against_peer, ..Self::new(fault, format_args!("{error}{before}{advice}")) }
    }
}

/// The options by which both sides come to agree. The library names settings, and this function the options.
fn agreeing(disagreement: &Disagreement) -> &'static str {
    match disagreement {
        Disagreement::ProtocolVersion(_) => "install the same version on both",
        Disagreement::Roles { .. } => "start one with `prove` and the other with `verify`",
        Disagreement::Service => {
            "prove to it by `volery prove --statement NAME --connect …`, without --relation if it is no file"
        }
        Disagreement::System(_) => "start both sides with the same --system",
        Disagreement::Field(_) => "start both sides with the same --field",
        Disagreement::Statement(_) | Disagreement::Shares(_) | Disagreement::Degree(_) => {
            "give both sides the same --relation and --public, several relations in the same order"
        }
        Disagreement::Correlations(_) | Disagreement::OfTwoFields(_) => {
            "give both the same --vole, or leave it to auto on one of them"
        }
        Disagreement::Checking(_) => {
            "start both sides with the same --checked-by, --block and --security, and both or none with \
             --non-interactive"
        }
        Disagreement::Garbling(_) => "start both sides with the same --gate-hash and the same --seeds",
        Disagreement::Simulation(_) => {
            "start both sides with the same --security, --prefer, --parties, --views and their like"
        }
        Disagreement::FileVersion(_) => "verify it with the version that made it",
        Disagreement::FileField(_) => "give its --field",
        Disagreement::FileLabel(_)
        | Disagreement::FileStatement(_)
        | Disagreement::FileSize { .. }
        | Disagreement::FileCommitments { .. } => "give the --relation and all --public values of the proof",
        Disagreement::FileParameters { .. } => "ask whoever made it for one that is worth more",
        _ => "",
    }
}

/// Demands that `name` is one of those `there`.
///
/// # Errors
/// Where it is not, with all that are there.
pub fn one_of(option: &str, name: &str, there: &[&str]) -> Result<()> {
    among(name, there).map_err(|why| why.at(option))
}

/// Demands that `name`, which the option or key called `option` has, is one of those `there`.
///
/// # Errors
/// Where it is not, with all that are there.
pub fn one_named(option: &str, name: &str, there: &[&str]) -> Result<()> {
    among(name, there).map_err(|why| why.of(option))
}

fn among(name: &str, there: &[&str]) -> Result<()> {
    if there.contains(&name) {
        return Ok(());
    }
    Err(Failure::usage(format_args!("no such name: there is {}", there.join(", "))))
}

/// Refuses a relation that is experimental, where nobody asked for such.
///
/// # Errors
/// Where `spec` names one, with the reason.
pub fn refuse_experimental(spec: &str, asked: bool) -> Result<()> {
    match volery::circuit::experimental(spec).filter(|_| !asked) {
        Some(why) => Err(Failure::usage(format_args!(
            "{spec} is experimental: {why}. Take it by --experimental, which `prove`, `verify` and `check` have, or leave \
             that option out"
        ))),
        None => Ok(()),
    }
}

/// `text` on one line, and without what makes a terminal show something else.
pub fn one_line(text: impl Display) -> String {
    text.to_string().chars().map(|c| if c.is_control() || is_format(c) { ' ' } else { c }).collect()
}

/// Whether it changes the direction of what follows, or breaks a line, and is nothing itself.
pub fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file has the keys that the command line has as options, and not all of them.
    #[test]
    fn options_are_called_as_they_are_written() {
        let failure = Failure::naming(|called| {
            let advice = called.advice(", or add --insecure");
            format!("too few: leave out {}{advice}", called.name("field"))
        });
        let failure = failure.of("security").at("here");
        assert_eq!(failure.line, "here: --security: too few: leave out --field, or add --insecure");
        assert_eq!(failure.for_keys().line, "here: security: too few: leave out field");
        assert_eq!(
            one_named("vole", "x", &["y"]).unwrap_err().for_keys().line,
            "vole: no such name: there is y"
        );
        assert_eq!(Failure::usage("as it is").for_keys().line, "as it is");
    }
}
