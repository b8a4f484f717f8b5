//! Header section of a file, held against the length of the others.

use super::input::{Input, Section, bytes};
use super::prime::{Prime, limbs};
use volery_channel::error::Result;

/// Counts of a constraint system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) prime: Prime,
    pub(super) wires: u32,
    /// Outputs of the circuit, which are public: wires from 1 on.
    pub(super) outputs: u32,
    /// Public inputs: wires behind those of the outputs.
    pub(super) inputs: u32,
    /// Private inputs; they have no wire where nothing reads them.
    pub(super) private: u32,
    pub(super) constraints: u32,
}

/// The fewest bytes of a constraint: the counts of terms of three forms.
pub(super) const LEAST: u64 = 12;

/// Wires that a file without labels may announce beyond those that its constraints can have.
const SPARE: u64 = 1 << 20;

impl Header {
    /// # Errors
    /// `Invalid` where counts contradict each other, or the `length` of the constraints' section.
    pub(super) fn read(input: &mut Input<'_>, section: Section, length: u64) -> Result<Self> {
        input.go_to(section.begin, section.length)?;
        Self::next(input, section, length)
    }

    /// Reads the header that stands next.
    ///
    /// # Errors
    /// As for [`Header::read`].
    pub(super) fn next(input: &mut Input<'_>, section: Section, length: u64) -> Result<Self> {
        let prime = read_prime(input)?;
        if section.length != 32 + prime.bytes as u64 {
            return Err(input.invalid_at(
                section.begin,
                format_args!(
                    "the header has {}, and with elements of {} it has {}",
                    bytes(section.length),
                    bytes(prime.bytes as u64),
                    bytes(32 + prime.bytes as u64)
                ),
            ));
        }
        let at = section.begin + 4 + prime.bytes as u64;
        let wires = input.word("the number of wires")?;
        let outputs = input.word("the number of public outputs")?;
        let inputs = input.word("the number of public inputs")?;
        let private = input.word("the number of private inputs")?;
        input.long("the number of labels")?;
        let constraints = input.word("the number of constraints")?;
        let public = 1 + u64::from(outputs) + u64::from(inputs);
        if public > wires.into() {
            return Err(input.invalid_at(
                at,
                format_args!(
                    "{wires} wires are announced, and one for the constant 1, {outputs} public outputs and {inputs} \
                     public inputs are {public}"
                ),
            ));
        }
        if constraints == 0 {
            return Err(input.invalid_at(
                at + 24,
                "no constraint is announced, so that any witness would satisfy the statement",
            ));
        }
        if u64::from(constraints) * LEAST > length {
            return Err(input.invalid_at(
                at + 24,
                format_args!(
                    "{constraints} constraints are announced, and a section of {} holds at most {}: is the file \
                     truncated?",
                    bytes(length),
                    length / LEAST
                ),
            ));
        }
        Ok(Self { prime, wires, outputs, inputs, private, constraints })
    }

    /// Holds the number of wires against the section of labels, if there is one, or else of `constraints`.
    ///
    /// # Errors
    /// `Invalid` where they are more than it can have.
    pub(super) fn check_wires(
        &self,
        input: &Input<'_>,
        constraints: Section,
        labels: Option<Section>,
    ) -> Result<()> {
        let wires = self.wires;
        match labels {
            Some(labels) if labels.length != 8 * u64::from(wires) => Err(input.invalid_at(
                labels.begin,
                format_args!(
                    "the section of labels has {}, and {wires} wires take 8 each",
                    bytes(labels.length)
                ),
            )),
            None if u64::from(wires) > constraints.length / (4 + self.prime.bytes as u64) + SPARE => {
                Err(input.invalid_at(
                    constraints.begin,
                    format_args!(
                        "{wires} wires are announced, of which constraints of {} use fewer; no more than {SPARE} \
                         unused ones are accepted without labels",
                        bytes(constraints.length)
                    ),
                ))
            }
            _ => Ok(()),
        }
    }

    /// The wires whose values are public, but for wire 0, which is the constant 1.
    pub(super) fn public(&self) -> u32 {
        self.outputs + self.inputs
    }
}

/// The bytes of an element and the prime, with which the headers of both kinds of file begin.
pub(super) fn read_prime(input: &mut Input<'_>) -> Result<Prime> {
    let at = input.at();
    let size = input.word("the bytes of an element")?;
    if size == 0 || size % 8 != 0 || size > 32 {
        return Err(input.invalid_at(
            at,
            format_args!(
                "elements of {}: they have 8, 16, 24 or 32 here, those of primes of 256 bits at most",
                bytes(size.into())
            ),
        ));
    }
    let limbs = limbs(input.take(size as usize, "the prime")?);
    let prime = Prime { limbs, bytes: size as usize };
    if limbs[size as usize / 8 - 1] == 0 {
        return Err(input.invalid_at(
            at,
            format_args!("elements of {} for the prime {prime}, which takes fewer", bytes(size.into())),
        ));
    }
    if limbs[0].is_multiple_of(2) {
        return Err(input.invalid_at(at + 4, format_args!("{prime} is even, and no odd prime")));
    }
    Ok(prime)
}
