//! Statements of circom: `.r1cs` with `.wtns`, `.sym`, `public.json`, and the user's own witness generator.

mod generator;

use crate::verbs::args::{Eval, Private, Public};
use crate::verbs::foreign;
use serde_json::{Map, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use volery::circuit::{R1cs, R1csWitness, ReadValues, Written, public_json};
use volery::{AnyRelation, AnyStatement};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::Field;
use volery_cli::print::{self, notice};
use volery_cli::values::{PUBLIC, Reader, is_value};
use volery_cli::waiting;

/// The options that only such a statement takes.
const WITNESS: &str = "--witness";
pub(crate) const SYMBOLS: &str = "--symbols";
const PRIVATE_JSON: &str = "--private-json";
const GENERATOR: &str = "--witness-generator";

/// The most bytes of a file of public values.
const LONGEST: u64 = 1 << 30;

/// The bytes at its begin that tell whether it is a list.
const BEGIN: u64 = 1 << 12;

/// The most public values that a prover is shown.
const SHOWN: usize = 32;

/// A constraint system that is given as the relation, with a witness of the prover.
pub(crate) struct Circom {
    system: Arc<R1cs>,
    witness: Option<R1csWitness>,
}

impl Circom {
    /// The constraint system of `typed` over `field`, if it is one; without a witness.
    pub(crate) fn of(field: Field, typed: &Public) -> Result<Option<Self>> {
        let spec = match &typed.relation[..] {
            [spec] if is_r1cs(spec, typed.format.as_deref()) => spec,
            _ => return refuse_public(typed).map(|()| None),
        };
        let system = with_symbols(open(field, spec)?, typed.symbols.as_deref())?;
        Ok(Some(Self { system: Arc::new(system), witness: None }))
    }

    /// The constraint system of a prover, with its witness.
    pub(crate) fn with_witness(
        field: Field,
        typed: &Public,
        private: &Private,
        timeout: Duration,
    ) -> Result<Option<Self>> {
        let Some(mut circom) = Self::of(field, typed)? else {
            return refuse_private(private).map(|()| None);
        };
        let opened = |path: &Path, option| {
            let spec = path.to_string_lossy();
            circom.system.open_witness(path).map_err(|why| foreign::advised(&spec, why).at(option))
        };
        circom.witness = match (&private.witness, &private.private_json, &private.witness_generator) {
            (Some(path), None, None) => Some(opened(path, WITNESS)?),
            (None, Some(json), Some(command)) => {
                let made = generator::run(command, json, timeout).map_err(|why| why.at(GENERATOR))?;
                Some(opened(&made.witness(), GENERATOR)?)
            }
            (None, Some(_), None) => {
                return Err(Failure::usage(format_args!(
                    "{PRIVATE_JSON} has inputs, of which a witness has to be made: say how by {GENERATOR} \
                     'node x_js/generate_witness.js x_js/x.wasm', or give the witness by {WITNESS}"
                )));
            }
            // Its values may be given one by one, as of any relation.
            _ => None,
        };
        Ok(Some(circom))
    }

    /// The relation that it is over `field`.
    ///
    /// # Errors
    /// Where it is over another.
    pub(crate) fn relation(&self, field: Field) -> Result<Box<dyn AnyRelation>> {
        Ok(field.r1cs(self.system.clone())?)
    }

    /// Reads public values, by names of the symbols too, from `NAME=VALUE`, files of such lines, and lists.
    /// Those that are `fixed` are there already; what is missing comes of the witness, if there is one.
    pub(crate) fn read_public(
        &self,
        arguments: &[OsString],
        fixed: &[(String, String)],
        values: &mut dyn ReadValues,
        reader: &mut Reader,
    ) -> Result<()> {
        let names = self.system.plain_names();
        let number = |fixed: &String| names.iter().position(|name| name == fixed);
        let given = fixed.iter().filter_map(|(name, _)| number(name)).collect();
        let mut translated = Translated { system: &self.system, names: &names, values, given };
        let mut others = Vec::new();
        for argument in arguments {
            let Some(list) = list(argument)? else {
                others.push(argument.clone());
                continue;
            };
            let place = |why: Failure| why.at(argument.display()).at(PUBLIC);
            let numbers = public_json(&list, names.len()).map_err(|why| place(why.into()))?;
            if numbers.len() != names.len() {
                let (have, need) = (numbers.len(), names.len());
                return Err(place(Failure::usage(format_args!(
                    "the list has {have} numbers, and the circuit has {need} public signals: outputs first, and then \
                     public inputs"
                ))));
            }
            for (name, number) in names.iter().zip(&numbers) {
                let read = translated.read(name, Written::Text(number.as_bytes()));
                read.map_err(|why| place(why.into()))?;
            }
        }
        reader.read(PUBLIC, &others, &mut translated)?;
        let given = translated.given;
        let shown = self.system.public_names();
        let Some(witness) = &self.witness else {
            let missing =
                (0..names.len()).find(|number| !given.contains(number) && shown[*number] != names[*number]);
            return match missing {
                Some(number) => Err(Failure::usage(format_args!(
                    "{} ({}) has to be public: give a public value for it",
                    shown[number], names[number]
                ))
                .at(PUBLIC)),
                None => Ok(()),
            };
        };
        let texts = witness.public_text();
        let mut taken = Vec::new();
        for (number, encoding) in witness.public().enumerate() {
            if !given.contains(&number) {
                values.read(&names[number], Written::Encodings(encoding))?;
                taken.push(format!("{}={}", shown[number], texts[number]));
            }
        }
        if !taken.is_empty() {
            let more = taken.len().saturating_sub(SHOWN);
            taken.truncate(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            notice(format_args!("volery: public by the witness: {}{more}", taken.join(", ")));
        }
        Ok(())
    }

    /// Gives `statement` the private values of the witness, whose public ones are to be those that are
    /// stated.
    pub(crate) fn read_private(&self, statement: &mut dyn AnyStatement) -> Result<()> {
        let Some(witness) = &self.witness else { return Ok(()) };
        let names = self.system.public_names();
        let stated = statement.public().into_iter().map(|(_, text)| text);
        for ((name, stated), own) in names.iter().zip(stated).zip(witness.public_text()) {
            if stated != own {
                return Err(Failure::usage(format_args!(
                    "{PUBLIC} says {name}={stated}, and the witness has {own}: it is one of other values"
                )));
            }
        }
        let encodings = witness.encodings(self.system.committed());
        if !encodings.is_empty() {
            statement.private().read(R1cs::WITNESS, Written::Encodings(&encodings))?;
        }
        Ok(())
    }
}

/// The constraint system that `spec` names.
///
/// # Errors
/// Where it is malformed, or over another field than `field`, of which its head tells; with advice where the
/// file is of another kind.
pub(crate) fn open(field: Field, spec: &str) -> Result<R1cs> {
    R1cs::open_over(spec, field.wires()).map_err(|why| foreign::advised(spec, why))
}

/// The system with the names of the symbols at `path`, if there are any.
pub(crate) fn with_symbols(system: R1cs, path: Option<&Path>) -> Result<R1cs> {
    match path {
        Some(path) => system.with_symbols(path).map_err(|why| Failure::from(why).at(SYMBOLS)),
        None => Ok(system),
    }
}

/// `volery circuit eval` of a constraint system: what a witness says of its public signals, if it is one.
/// Proofs are over `field`, whose modulus is known to be a prime.
pub(crate) fn eval(field: Field, typed: &Eval) -> Result<()> {
    if !typed.input.is_empty() {
        return Err(Failure::usage(format_args!(
            "--input: values in an .r1cs file are those of a witness, which the circuit's generator makes: \
             give it by {WITNESS}"
        )));
    }
    let Some(witness) = &typed.witness else {
        return Err(Failure::usage(format_args!(
            "{}: an .r1cs file says what has to hold, and not how values are computed: give a witness by \
             {WITNESS}",
            typed.relation
        )));
    };
    let system = with_symbols(open(field, &typed.relation)?, typed.symbols.as_deref())?;
    let witness = system.open_witness(witness).map_err(|why| Failure::from(why).at(WITNESS))?;
    let outputs = system.shape().outputs as usize;
    let all: Vec<_> = system.public_names().into_iter().zip(witness.public_text()).collect();
    if typed.json {
        let object = |signals: &[(String, String)]| {
            signals.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>()
        };
        let (outputs, inputs) = all.split_at(outputs);
        return print::result(
            json!({"satisfied": true, "outputs": object(outputs), "inputs": object(inputs)}),
        );
    }
    if all.is_empty() {
        return print::result("no public signals, and every constraint holds");
    }
    let lines = all.iter().map(|(name, value)| format!("{name}={value}"));
    print::result(lines.collect::<Vec<_>>().join("\n"))
}

/// # Errors
/// Where something is given for the evaluation of another relation that it does not take.
pub(crate) fn refuse_eval(typed: &Eval) -> Result<()> {
    refuse(&[(WITNESS, typed.witness.is_some()), (SYMBOLS, typed.symbols.is_some())])
}

/// Values by the names of signals.
struct Translated<'a> {
    system: &'a R1cs,
    names: &'a [String],
    values: &'a mut dyn ReadValues,
    /// The numbers of the signals that have values.
    given: BTreeSet<usize>,
}

impl ReadValues for Translated<'_> {
    fn read(&mut self, name: &str, written: Written<'_>) -> volery::Result<()> {
        match self.system.public_number(name) {
            Some(number) => {
                self.given.insert(number);
                self.values.read(&self.names[number], written)
            }
            None if self.system.has_symbols() && name != R1cs::WITNESS => {
                let public = self.system.public_names();
                let mut list = public.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
                if public.len() > SHOWN {
                    list += &format!(" and {} more", public.len() - SHOWN);
                }
                Err(volery::Error::invalid(format!("there is no public signal {name}; there are {list}")))
            }
            None => self.values.read(name, written),
        }
    }
}

/// Whether the relation is such a file.
pub(crate) fn is_r1cs(spec: &str, format: Option<&str>) -> bool {
    if let Some(format) = format {
        return format == "r1cs";
    }
    // Others may have no begin, or only once.
    let regular = std::fs::metadata(spec).is_ok_and(|file| file.is_file());
    let mut begin = [0; 4];
    regular
        && std::fs::File::open(spec).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok())
        && begin == *b"r1cs"
}

/// The text of a file that is a list of values in JSON; none where it is something else, which is for others
/// to read.
fn list(argument: &OsString) -> Result<Option<Vec<u8>>> {
    let path = Path::new(argument);
    if is_value(argument) || !path.is_file() {
        return Ok(None);
    }
    let unread = |why| Failure::usage(why).at(path.display()).at(PUBLIC);
    let mut text = Vec::new();
    let file = waiting::open(path, Duration::from_secs(1)).map_err(unread)?;
    let mut file = file.take(LONGEST);
    // Others are not read to their end.
    file.by_ref().take(BEGIN).read_to_end(&mut text).map_err(unread)?;
    if !text.trim_ascii_start().starts_with(b"[") {
        return Ok(None);
    }
    file.read_to_end(&mut text).map_err(unread)?;
    Ok(Some(text))
}

/// # Errors
/// Where something is given of what both know that another relation does not take.
pub(crate) fn refuse_public(typed: &Public) -> Result<()> {
    refuse(&[(SYMBOLS, typed.symbols.is_some())])
}

/// # Errors
/// The same of what the prover keeps.
pub(crate) fn refuse_private(typed: &Private) -> Result<()> {
    refuse(&[
        (WITNESS, typed.witness.is_some()),
        (PRIVATE_JSON, typed.private_json.is_some()),
        (GENERATOR, typed.witness_generator.is_some()),
    ])
}

fn refuse(given: &[(&str, bool)]) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(only_r1cs(option)),
        None => Ok(()),
    }
}

/// The error of an option that another relation, or several, do not take.
pub(crate) fn only_r1cs(option: &str) -> Failure {
    Failure::usage(format_args!(
        "{option} belongs to a relation that is an .r1cs file of circom: leave it out"
    ))
}
