//! Statements of circom: `.r1cs` with `.wtns`, `.sym`, `public.json`, and the user's own witness generator.

mod generator;

use crate::verbs::args::{Eval, Private, Public};
use crate::verbs::foreign;
use serde_json::{Map, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use volery::circuit::{R1cs, R1csWitness, ReadValues, Written, public_json, with_options};
use volery::{AnyRelation, AnyStatement, Error};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::Field;
use volery_cli::print::{self, notice, things};
use volery_cli::values::{PUBLIC, Reader, is_value};
use volery_cli::waiting;
use zeroize::Zeroizing;

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

/// A constraint system that is given as the relation, with witnesses of the prover, if there are any.
pub(crate) struct Circom {
    system: Arc<R1cs>,
    witnesses: Option<Witnesses>,
}

/// The witnesses of all instances, as far as they are needed.
struct Witnesses {
    /// The public values of each: as they are written, and their encodings.
    public: Vec<(Vec<String>, Vec<Vec<u8>>)>,
    /// The encodings of what each commits to, one after the other.
    committed: Zeroizing<Vec<u8>>,
}

impl Circom {
    /// The constraint system of `typed` over `field`, if it is one; without a witness.
    pub(crate) fn of(field: Field, typed: &Public) -> Result<Option<Self>> {
        let spec = match &typed.relation[..] {
            [spec] if is_r1cs(spec, typed.format.as_deref()) => spec,
            _ => return refuse_public(typed).map(|()| None),
        };
        let system = with_symbols(open(field, spec)?, typed.symbols.as_deref())?;
        Ok(Some(Self { system: Arc::new(system), witnesses: None }))
    }

    /// The constraint system of a prover, with its witnesses.
    pub(crate) fn with_witness(
        field: Field,
        typed: &Public,
        private: &Private,
        timeout: Duration,
    ) -> Result<Option<Self>> {
        let Some(mut circom) = Self::of(field, typed)? else {
            return refuse_private(private).map(|()| None);
        };
        let system = &*circom.system;
        circom.witnesses = match (&private.witness[..], &private.private_json[..]) {
            // Its values may be given one by one, as of any relation.
            ([], []) => None,
            ([], inputs) => {
                let Some(command) = &private.witness_generator else {
                    return Err(Failure::usage(format_args!(
                        "{PRIVATE_JSON} has inputs, of which a witness has to be made: say how by {GENERATOR} \
                         'node x_js/generate_witness.js x_js/x.wasm', or give the witness by {WITNESS}"
                    )));
                };
                let made = Witnesses::read(system, inputs, PRIVATE_JSON, |instance, json| {
                    let place = |why: Failure| match system.count() {
                        1 => why.at(GENERATOR),
                        _ => why.at(json.display()).at(GENERATOR),
                    };
                    let made = generator::run(command, json, timeout).map_err(place)?;
                    opened(system, instance, &made.witness()).map_err(place)
                });
                Some(made?)
            }
            (paths, _) => Some(Witnesses::read(system, paths, WITNESS, |instance, path| {
                opened(system, instance, path).map_err(|why| why.at(WITNESS))
            })?),
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
    /// Those that are `fixed` are there already; what is missing comes of the witnesses, if there are any.
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
        let (mut others, mut lists) = (Vec::new(), Vec::new());
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
            lists.push((argument, numbers));
        }
        let count = self.system.count();
        if !(lists.len() as u64).is_multiple_of(count) {
            return Err(Failure::usage(format_args!(
                "{} of public signals for {}: give one for each, in their order",
                things(lists.len() as u64, "list"),
                things(count, "instance")
            ))
            .at(PUBLIC));
        }
        // Those of all instances again are told as values that are given twice.
        for lists in lists.chunks(count as usize) {
            let others = lists.len() - 1;
            let others = if others > 0 { format!(" and {others} more") } else { String::new() };
            let place = |why: Failure| why.at(format_args!("{}{others}", lists[0].0.display())).at(PUBLIC);
            for (signal, name) in names.iter().enumerate() {
                let numbers: Vec<_> = lists.iter().map(|(_, numbers)| numbers[signal].as_str()).collect();
                let read = translated.read(name, Written::Text(numbers.join(",").as_bytes()));
                read.map_err(|why| place(why.into()))?;
            }
        }
        reader.read(PUBLIC, &others, &mut translated)?;
        let given = translated.given;
        let shown = self.system.public_names();
        let Some(witnesses) = &self.witnesses else {
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
        let mut taken = Vec::new();
        for number in (0..names.len()).filter(|number| !given.contains(number)) {
            let encodings: Vec<_> = witnesses.public.iter().map(|(_, all)| &all[number][..]).collect();
            values.read(&names[number], Written::Encodings(&encodings.concat()))?;
            taken.push(format!("{}={}", shown[number], witnesses.shown(number)));
        }
        if !taken.is_empty() {
            let more = taken.len().saturating_sub(SHOWN);
            taken.truncate(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            notice(format_args!("volery: public by the witness: {}{more}", taken.join(", ")));
        }
        Ok(())
    }

    /// Gives `statement` the private values of the witnesses, whose public ones are to be those that are
    /// stated.
    pub(crate) fn read_private(&self, statement: &mut dyn AnyStatement) -> Result<()> {
        let Some(witnesses) = &self.witnesses else { return Ok(()) };
        let several = self.system.count() > 1;
        let stated = statement.public().into_iter().map(|(_, text)| text);
        for (number, (name, stated)) in self.system.public_names().iter().zip(stated).enumerate() {
            for (instance, (stated, (own, _))) in stated.split(',').zip(&witnesses.public).enumerate() {
                let own = &own[number];
                if stated != own {
                    let of = if several { format!(" of instance {instance}") } else { String::new() };
                    return Err(Failure::usage(format_args!(
                        "{PUBLIC} says {name}={stated}{of}, and the witness has {own}: it is one of other values"
                    )));
                }
            }
        }
        if !witnesses.committed.is_empty() {
            statement.private().read(R1cs::WITNESS, Written::Encodings(&witnesses.committed))?;
        }
        Ok(())
    }
}

impl Witnesses {
    /// The witnesses that `open` makes of what `option` gives, one for each instance of `system`.
    fn read(
        system: &R1cs,
        given: &[PathBuf],
        option: &str,
        open: impl Fn(u64, &Path) -> Result<R1csWitness>,
    ) -> Result<Self> {
        let count = system.count();
        if given.len() as u64 != count {
            let (given, instances) = (things(given.len() as u64, "file"), things(count, "instance"));
            return Err(Failure::usage(format_args!(
                "{given} for {instances}: give {option} once for each, in their order"
            ))
            .at(option));
        }
        let mut witnesses = Self { public: Vec::with_capacity(given.len()), committed: Zeroizing::default() };
        for (instance, path) in (0..).zip(given) {
            let witness = open(instance, path)?;
            let own = witness.encodings(system.committed());
            if instance == 0 {
                // What grows leaves a copy behind.
                witnesses.committed = Zeroizing::new(Vec::with_capacity(given.len() * own.len()));
            }
            witnesses.committed.extend_from_slice(&own);
            witnesses.public.push((witness.public_text(), witness.public().map(<[u8]>::to_vec).collect()));
        }
        Ok(witnesses)
    }

    /// The values of a public signal in all instances, with commas between them.
    fn text(&self, signal: usize) -> String {
        self.public.iter().map(|(texts, _)| &*texts[signal]).collect::<Vec<_>>().join(",")
    }

    /// The part of these that is shown.
    fn shown(&self, signal: usize) -> String {
        if self.public.len() <= SHOWN {
            return self.text(signal);
        }
        let texts: Vec<_> = self.public[..SHOWN].iter().map(|(texts, _)| &*texts[signal]).collect();
        format!("{},…", texts.join(","))
    }
}

/// The witness at `path` of an instance.
fn opened(system: &R1cs, instance: u64, path: &Path) -> Result<R1csWitness> {
    let witness = system.open_witness(path).map_err(|why| match why {
        Error::Unsatisfied(name) if system.count() > 1 => {
            Error::Unsatisfied(format!("{name} of instance {instance}"))
        }
        why => why,
    });
    witness.map_err(|why| foreign::advised(&path.to_string_lossy(), why))
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
    if typed.witness.is_empty() {
        return Err(Failure::usage(format_args!(
            "{}: an .r1cs file says what has to hold, and not how values are computed: give a witness by \
             {WITNESS}",
            typed.relation
        )));
    }
    let system = with_symbols(open(field, &typed.relation)?, typed.symbols.as_deref())?;
    let witnesses = Witnesses::read(&system, &typed.witness, WITNESS, |instance, path| {
        opened(&system, instance, path).map_err(|why| why.at(WITNESS))
    })?;
    let outputs = system.shape().outputs as usize;
    let texts = (0..).map(|signal| witnesses.text(signal));
    let all: Vec<_> = system.public_names().into_iter().zip(texts).collect();
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
    refuse(&[(WITNESS, !typed.witness.is_empty()), (SYMBOLS, typed.symbols.is_some())])
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
    let (path, _) = with_options(spec);
    // Others may have no begin, or only once.
    let regular = std::fs::metadata(path).is_ok_and(|file| file.is_file());
    let mut begin = [0; 4];
    regular
        && std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok())
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
        (WITNESS, !typed.witness.is_empty()),
        (PRIVATE_JSON, !typed.private_json.is_empty()),
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
