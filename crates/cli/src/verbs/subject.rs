//! The subject of a proof file: a statement, or the claim that one of several holds.

use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;
use volery::circuit::Port;
use volery::{Accepted, AnyStatement, LONGEST_LABEL, Options, Report};
use volery_cli::fields::BOOLEAN;
use volery_cli::print::hex;
use volery_cli::report::Outcome;

/// The longest value that stands in a label as it is, in characters.
const LONGEST_VALUE: usize = 100;

/// The subject of a file.
pub(crate) struct Subject {
    pub(crate) digest: [u8; 32],
    /// The words.
    pub(crate) label: String,
    /// How many relations there are of which one holds.
    pub(crate) clauses: Option<u64>,
    /// Whether it is over two fields.
    pub(crate) of_two: bool,
}

impl Subject {
    /// A statement about `relation`.
    pub(crate) fn of(relation: &str, statement: &dyn AnyStatement) -> Self {
        Self {
            digest: statement.digest(),
            label: cut(label(relation, statement.public(), statement.unit())),
            clauses: None,
            of_two: statement.is_over_two(),
        }
    }
}

impl Subject {
    /// Has `outcome` tell of what it is.
    pub(crate) fn tell(&self, outcome: &mut Outcome) {
        outcome.clauses = self.clauses;
        if self.of_two {
            outcome.field = format!("{BOOLEAN} {}", outcome.field);
        }
    }
}

/// A statement, or a claim that one of several holds, that files can be about.
pub(crate) trait Stated: Sync {
    /// Verifies a file as [`AnyStatement::verify_from`] does.
    ///
    /// # Errors
    /// As for [`AnyStatement::verify_from`].
    fn verify_from(
        &self,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> volery::Result<(Accepted, Report)>;
    /// Sentences on what is odd about it, so far as its gates were gone through.
    fn warnings(&self) -> Vec<String>;
}

impl Stated for Box<dyn AnyStatement> {
    fn verify_from(
        &self,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> volery::Result<(Accepted, Report)> {
        (**self).verify_from(proof, options)
    }
    fn warnings(&self) -> Vec<String> {
        (**self).warnings()
    }
}

/// The name of a relation, without the folders that it lies in: they are nobody's business.
fn name(relation: &str) -> &str {
    if relation.starts_with(BUILTIN) {
        return relation;
    }
    Path::new(relation).file_name().and_then(|name| name.to_str()).unwrap_or("circuit")
}

/// The beginning of the name of a relation that is no file.
pub(crate) const BUILTIN: &str = "builtin:";

/// The statement in words: the name of the relation, and the public values, a line each.
pub(crate) fn label<'p>(
    relation: &str,
    public: impl IntoIterator<Item = (&'p Port, String)>,
    unit: &str,
) -> String {
    let mut label = name(relation).to_owned();
    for (port, text) in public {
        let value = if text.len() > LONGEST_VALUE {
            let width = port.width;
            format!("({width} {unit}s, written with the SHA-256 {})", hex(&Sha256::digest(text)))
        } else {
            text
        };
        label.push_str(&format!("\n{}={value}", port.name));
    }
    label
}

/// A label that is not too long.
pub(crate) fn cut(mut label: String) -> String {
    let mut end = label.len().min(LONGEST_LABEL);
    while !label.is_char_boundary(end) {
        end -= 1;
    }
    label.truncate(end);
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery::circuit::Written;

    #[test]
    fn labels_name_the_statement() {
        let of = |spec: &str, public: &[(&str, &[u8])]| {
            let mut relation = volery::setting("f2").expect("a field").open(spec, None).expect("built in");
            for (name, bytes) in public {
                relation.public().read(name, Written::Content(bytes, None)).expect("once");
            }
            Subject::of(spec, &*relation.state().expect("fits")).label
        };
        let spec = "builtin:sha256-preimage?length=2";
        let short = of(spec, &[("digest", &[0xab; 32])]);
        assert_eq!(short, format!("{spec}\ndigest=0x{}", "ab".repeat(32)));
        let spec = "builtin:sha256-preimage?length=200";
        let long = of(spec, &[("digest", &[0xab; 32]), ("message", &[7; 200])]);
        assert!(long.contains("\nmessage=(1600 bits, written with the SHA-256 "), "{long}");
        assert_eq!(name("/home/alice/secret/aes.txt"), "aes.txt");
        assert_eq!((name("aes.txt"), name(spec), name("..")), ("aes.txt", spec, "circuit"));
    }
}
