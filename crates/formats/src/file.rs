//! Statements in files that assert something by themselves, over whichever field they are.

use crate::{Format, R1cs, Sieve};
use core::any::Any;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{StatementFile, with_options};
use volery_onnx::Committed;
use volery_primitives::{F61, Field};

impl Format {
    /// The file at `path`, which `spec` names with these options, where its format is one that asserts by itself.
    ///
    /// # Errors
    /// `Invalid` where it is malformed, or over another field, and for an option that there is not.
    pub fn open<F: Field>(
        self,
        spec: &str,
        path: &str,
        options: Option<&str>,
    ) -> Result<Option<Box<dyn StatementFile<F>>>> {
        match self {
            Self::Sieve => open_sieve(spec, path, options).map(Some),
            Self::Onnx => open_network(spec, path, options).map(Some),
            Self::R1cs => Ok(Some(Box::new(R1cs::open_over(spec, F::name())?))),
            Self::BristolFashion | Self::Aiger | Self::AigerText | Self::Blif => Ok(None),
        }
    }
}

/// The reason why the relation that `spec` names is for those alone who ask for what is experimental, if it is.
pub fn experimental(spec: &str) -> Option<&'static str> {
    Committed::asked(with_options(spec).1).map(|_| Committed::EXPERIMENTAL)
}

/// The statement of a network, which is over 2^61 − 1 and over no other field: so it is compiled once.
///
/// # Errors
/// As for [`volery_onnx::Statement::open`]; `Invalid` where it is asked for over another field.
fn open_network<F: Field>(
    spec: &str,
    path: &str,
    options: Option<&str>,
) -> Result<Box<dyn StatementFile<F>>> {
    let network: Box<dyn StatementFile<F61>> = match Committed::asked(options) {
        Some(others) => Box::new(Committed::open(path, &others)?),
        None => Box::new(volery_onnx::Statement::open(path, options)?),
    };
    let network: Box<dyn Any> = Box::new(network);
    match network.downcast::<Box<dyn StatementFile<F>>>() {
        Ok(network) => Ok(*network),
        Err(_) => Err(Error::invalid(format!(
            "{spec} is a network, whose integers are over f61, and not over {}: name no other field",
            F::name()
        ))),
    }
}

/// The statement of a SIEVE file, with these options behind its name.
///
/// # Errors
/// As for [`Sieve::open`]; `Invalid` where it is over another field, and for an option that there is not.
fn open_sieve<F: Field>(spec: &str, path: &str, options: Option<&str>) -> Result<Box<dyn StatementFile<F>>> {
    let sieve = Sieve::open(path, strict(spec, options)?)?;
    if sieve.has_words() {
        return Err(Error::invalid(format!(
            "{path} has words of bits, and in its proof numbers are modulo {}: leave out --field, and name no format",
            sieve.field_size()
        )));
    }
    if sieve.has_bits() {
        return Err(Error::invalid(format!(
            "{path} is over F_2 and the field of {} elements: bits go with f61, goldilocks, bn254, and primes \
             from 17 to 2^256 that have no names, where no format is named",
            sieve.field_size()
        )));
    }
    if sieve.is_over::<F>() {
        return Ok(Box::new(sieve));
    }
    Err(Error::invalid(format!(
        "{path} is over the field of {} elements, and not over {}: name no other field",
        sieve.field_size(),
        F::name()
    )))
}

/// Whether a SIEVE file is read strictly, by the options behind its name.
///
/// # Errors
/// `Invalid` for others.
pub(super) fn strict(spec: &str, options: Option<&str>) -> Result<bool> {
    match options {
        None => Ok(false),
        Some("strict" | "strict=1") => Ok(true),
        Some(_) => Err(Error::invalid(format!("{spec}: the one option of a SIEVE file is ?strict"))),
    }
}
