//! Statements over F_2 and another field, of either kind: built in, or in a file.

use super::committed::{Committed, OF_BITS, OfModel};
use crate::statement::{Format, Port};
use volery_channel::error::Result;
use volery_circuit::ValueStream;
use volery_circuit::port::{BothValues, Secrets, with_options};
use volery_circuit::stream::{MixedRecorder, MixedSource};
use volery_formats::{SieveOfTwo, SieveStated};
use volery_primitives::Field;

/// A relation over F_2 and another field, with nothing said of its values.
pub enum OfTwo {
    /// A network whose weights are committed to.
    Committed(Box<Committed>),
    /// A file in SIEVE IR.
    Sieve(SieveOfTwo),
}

/// A statement over F_2 and another field.
pub enum StatedOfTwo<F: Field> {
    /// A statement about such a network.
    Committed(Box<dyn OfModel<F>>),
    /// A statement about a file.
    Sieve(SieveStated<F>),
}

impl OfTwo {
    /// The one that `spec` names, if it names any.
    pub fn open<F: Field>(spec: &str) -> Option<Result<Self>> {
        if spec.starts_with("builtin:") {
            return None;
        }
        if let Some(relation) = Committed::open::<F>(spec) {
            return Some(relation.map(|relation| Self::Committed(Box::new(relation))));
        }
        let (path, options) = with_options(spec);
        // Whoever opens files of one field says what is wrong.
        if !Format::of(path).is_ok_and(|format| format == Format::Sieve) {
            return None;
        }
        SieveOfTwo::open::<F>(spec, path, options).map(|relation| Ok(Self::Sieve(relation)))
    }

    /// The inputs, some of bits and some of elements.
    pub fn inputs(&self) -> &[Port] {
        match self {
            Self::Committed(relation) => relation.inputs(),
            Self::Sieve(relation) => relation.inputs(),
        }
    }

    /// The outputs, some of bits and some of elements.
    pub fn outputs(&self) -> &[Port] {
        match self {
            Self::Committed(relation) => relation.outputs(),
            Self::Sieve(_) => &[],
        }
    }

    /// How it is written, as in [`Format`].
    pub fn format_name(&self) -> &'static str {
        match self {
            Self::Committed(_) => "onnx",
            Self::Sieve(_) => "sieve",
        }
    }

    /// The streams of values that a file takes.
    pub fn streams(&self) -> Vec<ValueStream> {
        match self {
            Self::Committed(_) => Vec::new(),
            Self::Sieve(relation) => relation.streams(),
        }
    }

    /// The ports that take bits, and not elements.
    pub fn of_bits(&self) -> Vec<String> {
        match self {
            Self::Committed(_) => OF_BITS.map(String::from).into(),
            Self::Sieve(relation) => relation.of_bits().collect(),
        }
    }

    /// A set of values for its ports, which has none yet.
    pub fn values<F: Field>(&self) -> BothValues<F> {
        match self {
            Self::Committed(_) => BothValues::new(self.of_bits()),
            Self::Sieve(relation) => relation.values(),
        }
    }

    /// The statement with these public values.
    ///
    /// # Errors
    /// `Invalid` where a value is missing or does not fit, has no port, or has to be private.
    pub fn state<F: Field>(self, values: BothValues<F>) -> Result<StatedOfTwo<F>> {
        Ok(match self {
            Self::Committed(relation) => StatedOfTwo::Committed(relation.state(values)?),
            Self::Sieve(relation) => StatedOfTwo::Sieve(relation.state(values)?),
        })
    }

    /// The statement in whose place gates are counted, of the relation that `spec` names.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn bare<F: Field>(&self, spec: &str) -> Result<StatedOfTwo<F>> {
        Ok(match self {
            Self::Committed(_) => {
                let relation = Committed::open::<F>(spec).expect("opened before")?;
                StatedOfTwo::Committed(relation.bare())
            }
            Self::Sieve(relation) => StatedOfTwo::Sieve(relation.bare()),
        })
    }
}

impl<F: Field> StatedOfTwo<F> {
    /// A collision-resistant digest of the relation and its public values.
    pub fn digest(&self) -> [u8; 32] {
        match self {
            Self::Committed(statement) => statement.digest(),
            Self::Sieve(statement) => statement.digest(),
        }
    }

    /// The ports whose values are public, and these as they are written.
    pub fn public(&self) -> Vec<(&Port, String)> {
        match self {
            Self::Committed(statement) => statement.public(),
            Self::Sieve(statement) => statement.public(),
        }
    }

    /// The witness that private values make.
    ///
    /// # Errors
    /// `Invalid` where one is missing or does not fit, or is no private input.
    pub fn witness(&self, private: BothValues<F>) -> Result<Secrets<F>> {
        match self {
            Self::Committed(statement) => statement.witness(private),
            Self::Sieve(statement) => statement.witness(private),
        }
    }
}

impl<F: Field> MixedSource<F> for StatedOfTwo<F> {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F>) -> Result<()> {
        match self {
            Self::Committed(statement) => statement.record_mixed(both),
            Self::Sieve(statement) => statement.record_mixed(both),
        }
    }
}
