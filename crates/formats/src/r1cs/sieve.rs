//! A constraint system as SIEVE Circuit-IR, in text: with public inputs for public signals, and private ones
//! for the wires that are committed to.

use super::R1cs;
use super::arithmetic::Montgomery;
use super::constraint::Term;
use super::prime::{Limbs, ONE, Prime};
use super::walk::Steps;
use core::fmt::Display;
use std::io::Write;
use volery_channel::error::{Error, Result};
use volery_circuit::port::COUNT;
use volery_primitives::U256;

/// The version of the format that is written.
const VERSION: &str = "2.1.0";

impl R1cs {
    /// Writes it to `out`. Wires keep their numbers, and what lies between them has numbers behind these.
    ///
    /// # Errors
    /// `Invalid` where it cannot be written, there are several instances, or the file is not the one that was opened.
    pub fn write_sieve(&self, out: &mut dyn Write) -> Result<()> {
        if self.count() > 1 {
            return Err(Error::invalid(format!(
                "{} with {COUNT}={1} has {1} instances: a file is of one, without {COUNT}",
                self.name,
                self.count()
            )));
        }
        let prime = self.header.prime;
        let mut lines = Lines { out, prime, by: Montgomery::new(prime), next: self.header.wires.into() };
        lines.head("circuit")?;
        lines.line(format_args!("$0 <- <1>;"))?;
        match self.header.public() {
            0 => {}
            1 => lines.line("$1 <- @public(0);")?,
            last => lines.line(format_args!("$1 ... ${last} <- @public(0);"))?,
        }
        self.walk(&mut lines)?;
        lines.line("@end")
    }

    /// Writes values, such as [`R1csWitness`](super::R1csWitness) has them, as a stream of public or of
    /// private inputs of that circuit: numbers of 32 bytes at most, least significant byte first.
    ///
    /// # Errors
    /// `Invalid` where it cannot be written.
    pub fn write_sieve_values<'a>(
        &self,
        public: bool,
        encodings: impl Iterator<Item = &'a [u8]>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let prime = self.header.prime;
        let mut lines = Lines { out, prime, by: Montgomery::new(prime), next: 0 };
        lines.head(if public { "public_input" } else { "private_input" })?;
        for encoding in encodings {
            let number = U256::from_limbs(super::prime::limbs(encoding));
            lines.line(format_args!("<{number}>;"))?;
        }
        lines.line("@end")
    }
}

/// Writes lines.
struct Lines<'a> {
    out: &'a mut dyn Write,
    prime: Prime,
    by: Montgomery,
    /// The number of the next wire that is none of the system.
    next: u64,
}

impl Lines<'_> {
    fn line(&mut self, line: impl Display) -> Result<()> {
        writeln!(self.out, "{line}").map_err(|why| Error::invalid(format!("SIEVE cannot be written: {why}")))
    }

    fn head(&mut self, resource: &str) -> Result<()> {
        let prime = U256::from_limbs(self.prime.limbs);
        self.line(format_args!("version {VERSION};\n{resource};\n@type field {prime};\n@begin"))
    }

    /// A wire for what `gate` makes.
    fn gate(&mut self, gate: impl Display) -> Result<u64> {
        let wire = self.next;
        self.next += 1;
        self.line(format_args!("${wire} <- {gate};"))?;
        Ok(wire)
    }

    /// `factor · wire`.
    fn scaled(&mut self, wire: u64, factor: &Limbs) -> Result<u64> {
        if *factor == ONE {
            return Ok(wire);
        }
        let factor = U256::from_limbs(*factor);
        self.gate(format_args!("@mulc(0: ${wire}, <{factor}>)"))
    }

    /// The value of a form.
    fn form(&mut self, terms: &[Term]) -> Result<u64> {
        let Some((first, others)) = terms.split_first() else { return self.gate("<0>") };
        let mut sum = self.scaled(first.wire.into(), &first.factor)?;
        for term in others {
            let scaled = self.scaled(term.wire.into(), &term.factor)?;
            sum = self.gate(format_args!("@add(0: ${sum}, ${scaled})"))?;
        }
        Ok(sum)
    }

    /// `factor · from` as the wire of the system.
    fn name(&mut self, wire: u32, from: u64, factor: &Limbs) -> Result<()> {
        let factor = U256::from_limbs(*factor);
        self.line(format_args!("${wire} <- @mulc(0: ${from}, <{factor}>);"))
    }
}

impl Steps for Lines<'_> {
    fn commit(&mut self, wire: u32) -> Result<()> {
        self.line(format_args!("${wire} <- @private(0);"))
    }

    fn define(&mut self, wire: u32, factor: &Limbs, others: &[Term]) -> Result<()> {
        let sum = self.form(others)?;
        let factor = self.prime.negated(&self.by.inverse(factor));
        self.name(wire, sum, &factor)
    }

    fn multiply(&mut self, wire: u32, negative: bool, [a, b, others]: [&[Term]; 3]) -> Result<()> {
        let (a, b) = (self.form(a)?, self.form(b)?);
        let mut product = self.gate(format_args!("@mul(0: ${a}, ${b})"))?;
        if !others.is_empty() {
            let others = self.form(others)?;
            let minus = self.scaled(others, &self.prime.minus_one())?;
            product = self.gate(format_args!("@add(0: ${product}, ${minus})"))?;
        }
        self.name(wire, product, &if negative { self.prime.minus_one() } else { ONE })
    }

    fn assert_product(&mut self, _: u32, [a, b, c]: [&[Term]; 3]) -> Result<()> {
        let (a, b) = (self.form(a)?, self.form(b)?);
        let mut difference = self.gate(format_args!("@mul(0: ${a}, ${b})"))?;
        if !c.is_empty() {
            let c = self.form(c)?;
            let minus = self.scaled(c, &self.prime.minus_one())?;
            difference = self.gate(format_args!("@add(0: ${difference}, ${minus})"))?;
        }
        self.line(format_args!("@assert_zero(0: ${difference});"))
    }

    fn assert_zero(&mut self, _: u32, terms: &[Term]) -> Result<()> {
        let form = self.form(terms)?;
        self.line(format_args!("@assert_zero(0: ${form});"))
    }
}
