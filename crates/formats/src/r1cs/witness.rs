//! Witnesses, `.wtns`: a value for each wire.

use super::R1cs;
use super::arithmetic::Montgomery;
use super::constraint::{Constraint, Term};
use super::factors::Factors;
use super::header::read_prime;
use super::input::{Sections, Source, bytes};
use super::prime::{Limbs, ONE, Prime, limbs};
use std::path::Path;
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use volery_primitives::U256;
use volery_primitives::secret::verdict;
use zeroize::Zeroizing;

/// Values of all wires of a constraint system, all of whose constraints hold for them. Wiped when dropped.
pub struct R1csWitness {
    /// The encodings of all, in the order of wires.
    encodings: Zeroizing<Vec<u8>>,
    /// The bytes of each in the file.
    stride: usize,
    /// The bytes of each in its field, which are fewer for a small prime.
    size: usize,
    public: usize,
}

impl R1csWitness {
    /// The encodings of the values of public outputs and inputs, in the order of their wires: numbers below
    /// the prime, least significant byte first.
    pub fn public(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.encodings[self.stride..].chunks(self.stride).take(self.public).map(|value| &value[..self.size])
    }

    /// The public values in decimal digits.
    pub fn public_text(&self) -> Vec<String> {
        self.public().map(|encoding| U256::from_limbs(limbs(encoding)).to_string()).collect()
    }

    /// The bytes of an encoding.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The encodings of the values of the wires of these numbers, such as [`R1cs::committed`] gives.
    ///
    /// # Panics
    /// Where there is no such wire.
    pub fn encodings(&self, wires: &[u32]) -> Zeroizing<Vec<u8>> {
        // What grows leaves a copy behind.
        let mut encodings = Zeroizing::new(Vec::with_capacity(wires.len() * self.size));
        for &wire in wires {
            encodings.extend_from_slice(&self.encodings[wire as usize * self.stride..][..self.size]);
        }
        encodings
    }
}

impl R1cs {
    /// Reads the witness at `path`, and checks it against each constraint.
    ///
    /// # Errors
    /// `Invalid` where the file is malformed, or of another circuit; `Unsatisfied` that names the first
    /// constraint that does not hold.
    pub fn open_witness(&self, path: impl AsRef<Path>) -> Result<R1csWitness> {
        let path = path.as_ref();
        self.witness(&path.display().to_string(), &path.into())
    }

    /// Opens a witness in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`R1cs::open_witness`].
    pub fn witness_of(&self, name: &str, bytes: impl Into<Arc<[u8]>>) -> Result<R1csWitness> {
        self.witness(name, &Source::Bytes(bytes.into()))
    }

    fn witness(&self, name: &str, source: &Source) -> Result<R1csWitness> {
        let encodings = self.read_values(name, source)?;
        self.check_values(&encodings)?;
        let public = self.header.public() as usize;
        let prime = &self.header.prime;
        Ok(R1csWitness { encodings, stride: prime.bytes, size: prime.element_bytes(), public })
    }

    /// The encodings of all wires' values.
    fn read_values(&self, name: &str, source: &Source) -> Result<Zeroizing<Vec<u8>>> {
        let input = &mut source.open(name)?;
        let sections = Sections::<2>::find(input, b"wtns", 2)?;
        let header = sections.of(1, "the header", input)?;
        let section = sections.of(2, "the values", input)?;
        input.go_to(header.begin, header.length)?;
        let prime = read_prime(input)?;
        let of = &self.header;
        if prime != of.prime {
            return Err(input.invalid_at(
                header.begin,
                format_args!(
                    "the values are modulo the prime {prime}, and the constraints of {} modulo {}: give the witness \
                     of this circuit",
                    self.name, of.prime
                ),
            ));
        }
        let count = input.word("the number of values")?;
        if count != of.wires || input.left() > 0 {
            return Err(input.invalid_at(
                header.begin + 4 + prime.bytes as u64,
                format_args!(
                    "there are {count} values, and {} has {} wires: give the witness of this circuit",
                    self.name, of.wires
                ),
            ));
        }
        let length = prime.bytes as u64 * u64::from(count);
        if section.length != length {
            return Err(input.invalid_at(
                section.begin,
                format_args!(
                    "the section of values has {}, and {count} of them take {}: is the file truncated?",
                    bytes(section.length),
                    bytes(length)
                ),
            ));
        }
        input.go_to(section.begin, section.length)?;
        let mut values = Zeroizing::new(Vec::with_capacity(count as usize * prime.bytes));
        for wire in 0..count {
            let bytes = input.take(prime.bytes, "a value")?;
            let value = prime.read(bytes);
            values.extend_from_slice(bytes);
            // That it is malformed may show.
            let value = value.ok_or_else(|| {
                input.invalid_at(
                    input.at() - prime.bytes as u64,
                    format_args!("the value of wire {wire} is not below the prime {prime}"),
                )
            })?;
            if wire == 0 && value != ONE {
                return Err(input.invalid_at(
                    section.begin,
                    "the value of wire 0 is not 1: it is the constant one in each witness",
                ));
            }
        }
        Ok(values)
    }

    /// Checks all constraints, in the order of the file.
    fn check_values(&self, encodings: &[u8]) -> Result<()> {
        let mut values = Evaluation::new(&self.header.prime, encodings);
        let mut constraints = self.constraints()?;
        // Those that are linear and not among these.
        let apart = if constraints.may_differ() { 0 } else { self.linear.len() };
        let mut next = 0;
        let mut constraint = Constraint::default();
        loop {
            let more = constraints.next(&mut constraint)?;
            while next < apart && !(more && self.linear.number(next) > constraint.number) {
                values.demand(self, self.linear.number(next), |values| {
                    equal(&values.form(self.linear.terms(next)), &[0; 4])
                })?;
                next += 1;
            }
            if !more {
                return constraints.end();
            }
            values.demand(self, constraint.number, |values| {
                let [a, b, c] = constraint.forms.each_ref().map(|terms| values.form(terms.iter().copied()));
                equal(&values.by.product(&a, &b), &values.by.product(&c, &ONE))
            })?;
        }
    }
}

/// Computes forms of the values of wires.
struct Evaluation<'e> {
    prime: Prime,
    minus_one: Limbs,
    by: Montgomery,
    factors: Factors<Limbs>,
    encodings: &'e [u8],
}

impl<'e> Evaluation<'e> {
    fn new(prime: &Prime, encodings: &'e [u8]) -> Self {
        let by = Montgomery::new(*prime);
        let factors = Factors::new(prime, [ONE, prime.minus_one()].map(|unit| by.factor(&unit)));
        Self { prime: *prime, minus_one: prime.minus_one(), by, factors, encodings }
    }

    /// The value of a form.
    fn form(&mut self, terms: impl Iterator<Item = Term>) -> Limbs {
        terms.fold([0; 4], |sum, Term { factor, wire }| {
            let size = self.prime.bytes;
            let value = limbs(&self.encodings[wire as usize * size..][..size]);
            let product = match factor {
                ONE => value,
                _ if factor == self.minus_one => self.prime.negated(&value),
                _ => self.by.product(&self.factors.get(&factor, |factor| self.by.factor(factor)), &value),
            };
            self.prime.sum(&sum, &product)
        })
    }

    /// Demands that constraint `number` of `system` holds.
    fn demand(&mut self, system: &R1cs, number: u32, holds: impl FnOnce(&mut Self) -> bool) -> Result<()> {
        // A prover that has no witness says so, and of which constraint.
        if verdict(holds(self)) { Ok(()) } else { Err(Error::Unsatisfied(system.describe(number))) }
    }
}

fn equal(a: &Limbs, b: &Limbs) -> bool {
    a.iter().zip(b).fold(0, |differs, (a, b)| differs | a ^ b) == 0
}
