//! A constraint system as a statement: one public input for each public signal, and the prover's `witness`; of
//! several instances each has the values of all, one instance after the other.

use super::R1cs;
use super::input::{Sections, Source};
use super::instances::INSTANCES_VERSION;
use super::prime::Prime;
use core::fmt::Display;
use std::path::Path;
use volery_channel::error::{Error, Result};
use volery_circuit::port::PublicValues;
use volery_circuit::stream::Recorder;
use volery_circuit::{Port, StatementFile, prime_field};
use volery_primitives::{Field, RuntimePrime, RuntimePrime256, U256, with_fields};

/// The input that has a value for each of [`R1cs::committed`].
pub(super) const WITNESS: &str = "witness";

impl<F: Field> StatementFile<F> for R1cs {
    fn format_name(&self) -> &'static str {
        "r1cs"
    }
    fn identity(&self) -> Vec<u8> {
        let of_one = self.digest.to_vec();
        let count = (self.count() > 1).then(|| format!("{} v{INSTANCES_VERSION}", self.count));
        [of_one, count.unwrap_or_default().into_bytes()].concat()
    }
    fn version(&self) -> u32 {
        Self::VERSION
    }
    fn inputs(&self) -> Vec<Port> {
        let port = |name: String, of_one, public| Port { public, ..Port::new(name, of_one * self.count()) };
        let public = self.plain_names().into_iter().map(|name| port(name, 1, true));
        let committed = self.committed.len() as u64;
        let witness = (committed > 0).then(|| port(WITNESS.into(), committed, false));
        public.chain(witness).collect()
    }
    fn record(
        &self,
        b: &mut Recorder<'_, F>,
        PublicValues { inputs, .. }: PublicValues<'_, F>,
    ) -> Result<()> {
        self.push_each(b, &|signal, instance| {
            inputs[signal].map_or(F::ZERO, |values| values.element(instance))
        })
    }
}

impl R1cs {
    /// The name of the input that has a value for each of [`R1cs::committed`].
    pub const WITNESS: &str = WITNESS;

    /// The field of the file at `path`, by [`Field::NAME`] where proofs are over it; else its prime.
    ///
    /// # Errors
    /// `Invalid` where the head of the file is malformed, or it cannot be read.
    pub fn field_of(path: impl AsRef<Path>) -> Result<String> {
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
    pub(crate) fn over(path: impl AsRef<Path>, field: &str) -> Result<Self> {
        demand(path.as_ref().display(), &Self::field_of(&path)?, field)?;
        Self::open(path)
    }

    /// Demands that it is over `F`, as where it is opened.
    ///
    /// # Errors
    /// `Invalid` where it is over another field.
    pub fn demand_field<F: Field>(&self) -> Result<()> {
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
    /// The name of the field of this prime: what may be chosen at run time is named by its digits.
    fn field(&self) -> String {
        let digits = || U256::from_limbs(self.limbs).to_string();
        self.known().map_or_else(digits, |(name, _)| name.into())
    }

    /// The bytes of an encoding of an element, [`Field::BYTES`].
    pub(super) fn element_bytes(&self) -> usize {
        let is_long = U256::from_limbs(self.limbs) >= RuntimePrime256::LEAST;
        let unnamed = if is_long { RuntimePrime256::BYTES } else { RuntimePrime::BYTES };
        self.known().map_or(unnamed, |(_, bytes)| bytes)
    }

    /// Name and [`Field::BYTES`] of its field, if that is one of those with names.
    fn known(&self) -> Option<(&'static str, usize)> {
        fn known<F: Field>(prime: &Prime) -> Option<(&'static str, usize)> {
            (prime_field::<F>().is_ok() && Prime::of::<F>() == *prime).then(|| (F::name(), F::BYTES))
        }
        macro_rules! fields {
            ($($values:ident: $($macs:ident)+;)+) => { [$(known::<volery_primitives::$values>),+] };
        }
        with_fields!(fields).iter().find_map(|known| known(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{Bn254, F61, F65537, Goldilocks, Q32};

    /// Files over a prime that `--field` takes are over the field of this name.
    #[test]
    fn primes_are_called_as_their_fields() {
        assert_eq!(Prime::of::<Q32>().field(), "q32");
        assert_eq!(Prime::of::<F65537>().field(), "f65537");
        assert_eq!(Prime::of::<F61>().field(), "f61");
        assert_eq!(Prime::of::<Goldilocks>().field(), "goldilocks");
        assert_eq!(Prime::of::<Bn254>().field(), "bn254");
        assert_eq!(Prime { limbs: [2_147_483_647, 0, 0, 0], bytes: 8 }.field(), "2147483647");
        let long = Prime { limbs: U256::ones(127).limbs(), bytes: 16 };
        assert_eq!((&*long.field(), long.element_bytes()), ("170141183460469231731687303715884105727", 32));
        let between = Prime { limbs: [u64::MAX - 58, 0, 0, 0], bytes: 8 };
        assert_eq!((&*between.field(), between.element_bytes()), ("18446744073709551557", 32));
        assert_eq!(Prime { limbs: [2_147_483_647, 0, 0, 0], bytes: 8 }.element_bytes(), 8);
    }
}
