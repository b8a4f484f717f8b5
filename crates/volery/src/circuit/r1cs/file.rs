//! A constraint system as a statement: one public input for each public signal, and the prover's `witness`.

use super::R1cs;
use super::input::{Sections, Source};
use super::prime::Prime;
use crate::circuit::stream::Recorder;
use crate::circuit::{Port, Sequence, StatementFile};
use crate::error::{Error, Result};
use core::fmt::Display;
use std::path::Path;
use volery_primitives::{Bls12381, Bn254, F61, Field, Goldilocks, RuntimePrime};

/// The input that has a value for each of [`R1cs::committed`].
pub(super) const WITNESS: &str = "witness";

impl<F: Field> StatementFile<F> for R1cs {
    fn format_name(&self) -> &'static str {
        "r1cs"
    }
    fn identity(&self) -> Vec<u8> {
        self.digest.to_vec()
    }
    fn version(&self) -> u32 {
        Self::VERSION
    }
    fn inputs(&self) -> Vec<Port> {
        let port = |name, width, public| Port { name, width, public, optional: false };
        let public = self.plain_names().into_iter().map(|name| port(name, 1, true));
        let committed = self.committed.len() as u64;
        let witness = (committed > 0).then(|| port(WITNESS.into(), committed, false));
        public.chain(witness).collect()
    }
    fn record(&self, b: &mut Recorder<'_, F>, inputs: &[Option<&dyn Sequence<F>>]) -> Result<()> {
        let public = &inputs[..self.header.public() as usize];
        self.push(b, public.iter().map(|value| value.map_or(F::ZERO, |value| value.element(0))))
    }
}

impl R1cs {
    /// The name of the input that has a value for each of [`R1cs::committed`].
    pub const WITNESS: &str = WITNESS;

    /// The field of the file at `path`, by [`Field::NAME`] where proofs are over it; else its prime.
    ///
    /// # Errors
    /// `Invalid` where the head of the file is malformed, or it cannot be read.
    pub(in crate::circuit) fn field_of(path: impl AsRef<Path>) -> Result<String> {
        let path = path.as_ref();
        let (name, source) = (path.display().to_string(), Source::from(path));
        let input = &mut source.open(&name)?;
        let sections = Sections::<5>::find(input, b"r1cs", 1)?;
        let header = sections.of(1, "the header", input)?;
        input.go_to(header.begin, header.length)?;
        Ok(super::header::read_prime(input)?.field())
    }

    /// Opens the file at `path`, which is to be over the field of this [`Field::NAME`]: of another no more than
    /// the head is read.
    ///
    /// # Errors
    /// As for [`R1cs::open`], and `Invalid` where it is over another field.
    pub(in crate::circuit) fn over(path: impl AsRef<Path>, field: &str) -> Result<Self> {
        demand(path.as_ref().display(), &Self::field_of(&path)?, field)?;
        Self::open(path)
    }

    /// Demands that it is over `F`, as where it is opened.
    ///
    /// # Errors
    /// `Invalid` where it is over another field.
    pub(crate) fn demand_field<F: Field>(&self) -> Result<()> {
        demand(&self.name, &self.header.prime.field(), F::name())
    }
}

fn demand(name: impl Display, field: &str, asked: &str) -> Result<()> {
    if field == asked {
        return Ok(());
    }
    Err(Error::invalid(format!("{name} is over {field}, and not over {asked}")))
}

impl Prime {
    /// The name of the field of this prime.
    fn field(&self) -> String {
        let known = [named::<F61>(), named::<Goldilocks>(), named::<Bn254>(), named::<Bls12381>()];
        let name = known.iter().find(|(prime, _)| prime == self).map(|(_, name)| (*name).to_owned());
        name.unwrap_or_else(|| match self.limbs {
            // What may be chosen at run time is named by its digits.
            [prime, 0, 0, 0] if prime <= RuntimePrime::MOST => prime.to_string(),
            _ => format!("the prime {self}"),
        })
    }
}

fn named<F: Field>() -> (Prime, &'static str) {
    (Prime::of::<F>(), F::name())
}
