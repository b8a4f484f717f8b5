//! Constraint systems as circom writes them, `.r1cs`, and what belongs to them.
//!
//! A file has a header, constraints A·B = C of linear forms in **wires**, and mostly a label for each wire, which
//! a file of symbols maps to a name. Wire 0 is the constant one; then come public outputs, public inputs,
//! private inputs and the rest. The file is read as a stream, once, and hashed as it is parsed. Memory holds a
//! few bytes a wire, the linear constraints, which define wires ([`walk`]), and the others in a few bytes a term
//! ([`kept`]). If there are too many, the file is read again for each run, and must have the same digest.
//! Readers know no field: numbers are limbs, and [`record`] alone pushes gates. Files are untrusted: each count
//! is compared with the length of its section before memory is allocated.
//!
//! Format: <https://github.com/iden3/r1csfile/blob/master/doc/r1cs_bin_format.md>

mod arithmetic;
mod committed;
mod constraint;
mod factors;
mod file;
mod header;
mod input;
mod instances;
mod json;
mod kept;
mod labels;
mod linear;
mod made;
mod prime;
mod record;
mod run;
mod sieve;
mod symbols;
#[cfg(test)]
mod tests;
mod walk;
mod witness;

use self::committed::Committed;
use self::constraint::{Constraint, Parser, Term};
use self::header::Header;
use self::input::{Input, Section, Sections, Source};
pub use self::json::public_json;
use self::kept::KeptConstraints;
use self::labels::Labels;
use self::linear::Linear;
use self::symbols::Symbols;
pub use self::witness::R1csWitness;
use std::path::Path;
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{Repeat, with_options};

/// A constraint system in a file.
#[derive(Debug)]
pub struct R1cs {
    name: String,
    source: Source,
    digest: [u8; 32],
    header: Header,
    section: Section,
    labels: Option<Labels>,
    linear: Linear,
    /// Whether linear constraints on public wires are asserted, and define no wire: see [`walk`].
    bound: bool,
    /// All other constraints, where they are few enough, and the linear ones are held.
    kept: Option<KeptConstraints>,
    /// How often a constraint has each wire; [`MANY`] for more.
    uses: Vec<u8>,
    committed: Vec<u32>,
    shape: R1csShape,
    symbols: Option<Symbols>,
    /// How many instances there are of it.
    count: Repeat,
}

/// The number of uses of a wire beyond which they are not counted.
const MANY: u8 = u8::MAX;

/// The sizes of a constraint system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct R1csShape {
    /// Wires, the constant one included.
    pub wires: u64,
    /// Public outputs.
    pub outputs: u64,
    /// Public inputs.
    pub inputs: u64,
    /// Private inputs, those included that nothing reads.
    pub private: u64,
    /// Constraints.
    pub constraints: u64,
    /// The number of linear constraints among them.
    pub linear: u64,
    /// The linear ones that define a wire.
    pub defined: u64,
    /// The others whose product defines a wire: the product is committed to.
    pub products: u64,
    /// The wires that are committed to by themselves: what a witness has values for.
    pub committed: u64,
    /// Constraints that are asserted.
    pub asserted: u64,
    /// Terms of all constraints, but for those whose factor is zero.
    pub terms: u64,
}

impl R1cs {
    /// Opens the file that `spec` names, behind whose path may stand `?count=N&lanes=L`, and which is to be over the field
    /// of this [name](volery_primitives::Field::NAME): of another no more than the head is read.
    ///
    /// # Errors
    /// As for [`R1cs::open`] and [`R1cs::with_count`], and `Invalid` where other options stand behind it, or it is
    /// over another field.
    pub fn open_over(spec: &str, field: &str) -> Result<Self> {
        let (path, options) = with_options(spec);
        let Some(options) = options else { return Self::over(path, field) };
        match Repeat::take(path, options)? {
            (others, count) if others.is_empty() && !options.is_empty() => {
                Self::over(path, field)?.with_count(count)
            }
            _ => Err(Error::invalid(format!(
                "{spec}: the options of constraints are ?count=N, for N instances of them, and &lanes=L"
            ))),
        }
    }
}

impl R1cs {
    /// The version of the gates that are pushed for a file: where others are, it goes up.
    pub const VERSION: u32 = 2;

    /// Opens the file at `path`, and reads it once. What has too many constraints to be held is read once more to
    /// find their order, and for each run.
    ///
    /// # Errors
    /// `Invalid` with the byte where it is malformed, or where it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::new(path.display().to_string(), path.into(), Most::USUAL)
    }

    /// A file in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`R1cs::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Result<Self> {
        Self::new(name.into(), Source::Bytes(bytes.into()), Most::USUAL)
    }

    /// The sizes of the system.
    pub fn shape(&self) -> &R1csShape {
        &self.shape
    }

    /// BLAKE3 of the file.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The prime, by circom's name of it, if it has one, and in hexadecimal digits.
    pub fn prime(&self) -> String {
        self.header.prime.to_string()
    }

    /// Holds so much of its constraints at `most`.
    fn new(name: String, source: Source, most: Most) -> Result<Self> {
        let read = Read::of(source.open(&name)?, most)?;
        let Read { digest, header, section, labels, looked } = read;
        let Looked { linear, kept, uses, shape } = looked;
        let mut system = Self {
            name,
            source,
            digest,
            header,
            section,
            labels,
            linear,
            bound: false,
            kept,
            uses,
            committed: Vec::new(),
            shape,
            symbols: None,
            count: Repeat::of(1),
        };
        let mut steps = Committed::default();
        system.walk(&mut steps)?;
        if steps.asserted == 0 {
            system.bound = true;
            steps = Committed::default();
            system.walk(&mut steps)?;
        }
        let Committed { wires, defined, products, asserted } = steps;
        let committed = wires.len() as u64;
        system.shape = R1csShape { defined, products, committed, asserted, ..shape };
        system.committed = wires;
        Ok(system)
    }

    /// Whether a constraint has the wire.
    fn is_used(&self, wire: u32) -> bool {
        self.uses[wire as usize] > 0
    }

    fn changed(&self) -> Error {
        changed(&self.name)
    }
}

#[cold]
fn changed(name: &str) -> Error {
    Error::invalid(format!("{name}: the file has changed since it was opened: start again"))
}

/// The parts of a file that are read when it is opened.
struct Read {
    digest: [u8; 32],
    header: Header,
    section: Section,
    labels: Option<Labels>,
    looked: Looked,
}

impl Read {
    /// Reads a file of whose constraints so much is held at `most`. The parts that are looked up first, since
    /// the header may stand behind the constraints, are read once more when all of it is hashed.
    fn of(mut input: Input<'_>, most: Most) -> Result<Self> {
        let sections = Sections::<5>::find(&mut input, MAGIC, VERSION)?;
        for kind in CUSTOM.map(|(kind, _)| kind) {
            if let Some(section) = sections.get(kind as usize) {
                input.go_to(section.begin, section.length)?;
                check_custom(&mut input, kind)?;
            }
        }
        let of_header = sections.of(1, "the header", &input)?;
        let section = sections.of(2, "the constraints", &input)?;
        let of_labels = sections.get(3);
        let header = Header::read(&mut input, of_header, section.length)?;
        header.check_wires(&input, section, of_labels)?;
        let (mut looked, mut labels) = (None, None);
        let digest = sections.read_through(&mut input, MAGIC, VERSION, |kind, input| {
            match kind {
                1 if Header::next(input, of_header, section.length)? != header => return Err(input.changed()),
                2 => looked = Some(look_through(input, &header, most)?),
                3 => {
                    let section = of_labels.expect("it was found");
                    labels = Some(Labels::next(input, section)?);
                }
                _ => check_custom(input, kind)?,
            }
            Ok(())
        })?;
        let looked = looked.expect("a section of constraints");
        Ok(Self { digest, header, section, labels, looked })
    }
}

/// The first bytes of a file.
const MAGIC: &[u8; 4] = b"r1cs";
const VERSION: u32 = 1;

/// Sections of what is refused.
const CUSTOM: [(u32, &str); 2] = [(4, "a list of custom gates"), (5, "applications of custom gates")];

/// Demands that the section of this kind that is read next has no custom gates.
fn check_custom(input: &mut Input<'_>, kind: u32) -> Result<()> {
    let Some((_, what)) = CUSTOM.iter().find(|(custom, _)| *custom == kind) else { return Ok(()) };
    let begin = input.at();
    if input.left() > 0 && input.word(what)? > 0 {
        return Err(input.invalid_at(
            begin,
            format_args!(
                "{what}, section {kind}, is not empty, and these are no constraints: compile the circuit without \
                 custom_templates"
            ),
        ));
    }
    Ok(())
}

/// How much of the constraints is held.
#[derive(Clone, Copy)]
struct Most {
    /// Bytes of those that are no linear ones.
    bytes: usize,
    /// Terms of the linear ones.
    terms: usize,
}

impl Most {
    const USUAL: Self = Self { bytes: kept::MOST_BYTES, terms: linear::MOST_TERMS };
}

/// The parts of the constraints that are kept.
struct Looked {
    linear: Linear,
    kept: Option<KeptConstraints>,
    uses: Vec<u8>,
    shape: R1csShape,
}

/// Reads all constraints, and holds so much of them at `most`.
fn look_through(input: &mut Input<'_>, header: &Header, most: Most) -> Result<Looked> {
    let minus_one = header.prime.minus_one();
    let mut shape = R1csShape {
        wires: header.wires.into(),
        outputs: header.outputs.into(),
        inputs: header.inputs.into(),
        private: header.private.into(),
        constraints: header.constraints.into(),
        ..R1csShape::default()
    };
    let mut uses = vec![0u8; header.wires as usize];
    let mut count = |term: &Term| {
        let uses = &mut uses[term.wire as usize];
        *uses = uses.saturating_add(1);
    };
    let mut linear = Linear::of(most.terms);
    let mut kept = Some(kept::Writer::new(&header.prime, most.bytes));
    let mut parser = Parser::new(header);
    let (mut constraint, mut terms) = (Constraint::default(), Vec::new());
    while parser.next(input, &mut constraint)? {
        shape.terms += constraint.forms.iter().map(|form| form.len() as u64).sum::<u64>();
        if constraint.is_linear(&minus_one) {
            shape.linear += 1;
            constraint.difference(&header.prime, &mut terms);
            linear.push(constraint.number, &terms);
            terms.iter().for_each(&mut count);
        } else {
            constraint.forms.iter().flatten().for_each(&mut count);
            kept.take_if(|kept| !kept.push(&constraint));
        }
    }
    linear.end(header.wires);
    let kept = kept.filter(|_| linear.are_held()).map(kept::Writer::end);
    Ok(Looked { linear, kept, uses, shape })
}
