//! A perceptron whose weights are those of a public digest, so that several proofs speak of one secret model.
//!
//! The digest is SHA-256 of a public label, a secret salt and the weights ([`Committed::label`]). The label
//! tells what it is the digest of, and so how many weights follow: none is that of two models, or of something
//! else that is hashed, or is made by appending to what has another. It binds as SHA-256 has no collisions,
//! and hides as its compression function is a random one, the salt being random and in no other use.
//!
//! A weight is a word of bits over F_2, where it is hashed, and the number that these bits are over the other
//! field, where it is multiplied: a conversion, which also shows that it is short.

use super::builtin::LIST;
use super::perceptron::Perceptron;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{BothValues, Elements, Port, PortValue, Secrets, Value};
use volery_circuit::{Backend, Mixed, MixedCircuit, widest};
use volery_gadgets::gadget::{Bit, Bytes, Hash, Sha256, Word, bits_of};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

const NAME: &str = "committed-mlp";

/// Name with keys and defaults, and what it states.
const LISTED: (&str, &str) = (
    "committed-mlp?inputs=784&hidden=128&outputs=10&layers=1&count=1&bits=22&fraction=11",
    "as `mlp`, of weights that are committed to: `model` is the SHA-256 digest of a public label, a secret `salt` of \
     32 bytes and the `weights`, each in 4 bytes, the lowest first, in two's complement; over f2 and the field \
     together",
);

/// The built-in statements over a field with F_2 beside it.
pub const WITH_BITS: &[(&str, &str)] = &{
    let mut all = [("", ""); LIST.len() + 1];
    let mut i = 0;
    while i < LIST.len() {
        all[i] = LIST[i];
        i += 1;
    }
    all[LIST.len()] = LISTED;
    all
};

/// Bytes of the salt, which hides weights that could be guessed.
const SALT: usize = 32;

/// Bytes of a weight as it is hashed.
const WEIGHT: usize = 4;

/// Weights that are hashed, and then converted, in one piece.
const PIECE: usize = 1024;

/// The version of the gates, as [`Program::version`](crate::Program::version) has it.
const VERSION: u32 = 1;

/// Ports that take bits, and not elements.
pub(super) const OF_BITS: [&str; 2] = ["salt", "model"];

/// A perceptron with committed weights, and no values.
pub struct Committed {
    perceptron: Perceptron,
    inputs: [Port; 3],
    outputs: [Port; 3],
}

/// The public values.
pub(crate) struct Public<F: Field> {
    x: Option<Elements<F>>,
    model: Value,
    class: Option<Elements<F>>,
    logits: Option<Elements<F>>,
}

/// The statement of somebody who knows the weights of such a model.
pub struct OfModel<F: Field> {
    pub(crate) relation: Committed,
    public: Public<F>,
}

impl Committed {
    /// The one that `spec` names, if it names any.
    pub(crate) fn open<F: Field>(spec: &str) -> Option<Result<Self>> {
        let builtin = spec.strip_prefix("builtin:")?;
        let (name, parameters) = builtin.split_once('?').unwrap_or((builtin, ""));
        (name == NAME).then(|| Self::new::<F>(Perceptron::parse::<F>(name, parameters)?))
    }

    fn new<F: Field>(perceptron: Perceptron) -> Result<Self> {
        let most = (8 * WEIGHT).min(widest::<F>());
        let bits = perceptron.bits() as usize;
        if bits > most {
            return Err(Error::invalid(format!(
                "builtin:{NAME} with bits={bits}: a weight is hashed as {WEIGHT} bytes, choose at most {most}"
            )));
        }
        let (inputs, outputs) = perceptron.ports();
        let [x, weights] = inputs.try_into().expect("two inputs");
        let [class, logits] = outputs.try_into().expect("two outputs");
        let (salt, model) = (Port::new("salt", 8 * SALT as u64), Port::public("model", 256));
        Ok(Self { perceptron, inputs: [x, weights, salt], outputs: [class, logits, model] })
    }

    /// The text that is hashed before salt and weights: a line that names the use of the digest and the
    /// perceptron.
    fn label(&self) -> String {
        format!("volery {NAME} v1 {}\n", self.perceptron.model())
    }

    pub(crate) fn inputs(&self) -> &[Port] {
        &self.inputs
    }
    pub(crate) fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The statement with these public values.
    ///
    /// # Errors
    /// `Invalid` where a value does not fit, has no port, or has to be private; and without `model`.
    pub(crate) fn state<F: Field>(self, mut values: BothValues<F>) -> Result<OfModel<F>> {
        let [x, weights, salt] = &self.inputs;
        let [class, logits, model] = &self.outputs;
        if values.elements.take(weights)?.is_some() || values.bits.take(salt)?.is_some() {
            return Err(Error::invalid(
                "weights and salt are private: for a model that everybody knows take builtin:mlp",
            ));
        }
        let digest = values.bits.take(model)?;
        let public = Public {
            x: values.elements.take(x)?,
            model: digest.ok_or_else(|| {
                Error::invalid("model (256 bits) has to be public: give a public value for it")
            })?,
            class: values.elements.take(class)?,
            logits: values.elements.take(logits)?,
        };
        values.end("input or output", &[&self.inputs[..], &self.outputs].concat())?;
        Ok(OfModel { relation: self, public })
    }

    /// The statement in whose place gates are counted: everything private that may be.
    pub(crate) fn bare<F: Field>(self) -> OfModel<F> {
        let public = Public { x: None, model: Value::from_bytes(&[0; 32]), class: None, logits: None };
        OfModel { relation: self, public }
    }
}

impl<F: Field> OfModel<F> {
    /// A collision-resistant digest of the relation with the version of its gates, and the public values.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery statement of two fields v1");
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(F2::NAME.as_bytes());
        field(F::name().as_bytes());
        field(self.canonical().as_bytes());
        field(&VERSION.to_le_bytes());
        for (port, encoding) in self.encoded() {
            field(port.name.as_bytes());
            field(&port.width.to_le_bytes());
            field(&encoding);
        }
        hasher.finalize().into()
    }

    fn canonical(&self) -> String {
        format!("committed-{}", self.relation.perceptron.canonical())
    }

    /// The ports whose values are public, with their encodings.
    fn encoded(&self) -> Vec<(&Port, Vec<u8>)> {
        self.valued(|value| value.encoding().into_owned(), |value| value.encoding().into_owned())
    }

    /// The public ports with their values as they are written.
    pub(crate) fn public(&self) -> Vec<(&Port, String)> {
        self.valued(PortValue::to_text, PortValue::to_text)
    }

    fn valued<T>(
        &self,
        of_bits: impl Fn(&Value) -> T,
        of_elements: impl Fn(&Elements<F>) -> T,
    ) -> Vec<(&Port, T)> {
        let (Committed { inputs: [x, ..], outputs: [class, logits, model], .. }, public) =
            (&self.relation, &self.public);
        let elements = [(x, &public.x), (class, &public.class), (logits, &public.logits)];
        let elements = elements.into_iter().filter_map(|(port, value)| Some((port, value.as_ref()?)));
        let all = elements.map(|(port, value)| (port, of_elements(value)));
        all.chain([(model, of_bits(&public.model))]).collect()
    }

    /// The witness made of the private values.
    ///
    /// # Errors
    /// `Invalid` where one is missing or does not fit, is no private input, or a weight has too many bits.
    pub(crate) fn witness(&self, mut private: BothValues<F>) -> Result<Secrets<F>> {
        let [x, weights, salt] = &self.relation.inputs;
        let missing = |port: &Port| Error::invalid(format!("{} has no value: give a private one", port.name));
        let elements = match self.public.x {
            Some(_) => Elements::from(Vec::new()),
            None => private.elements.take(x)?.ok_or_else(|| missing(x))?,
        };
        let numbers = private.elements.take(weights)?.ok_or_else(|| missing(weights))?;
        let salt = private.bits.take(salt)?.ok_or_else(|| missing(salt))?;
        private.end("private input", &self.relation.inputs)?;
        let fixed = self.relation.perceptron.fixed();
        let mut bits = Zeroizing::new(Vec::with_capacity(8 * SALT + numbers.len() * fixed.bits() as usize));
        bits.extend(bits_of(&bytes(&salt)));
        for (i, weight) in numbers.iter().enumerate() {
            let integer = fixed.integer(weight).ok_or_else(|| {
                Error::invalid(format!("weights: number {i} is no signed integer of {} bits", fixed.bits()))
            })?;
            bits.extend((0..fixed.bits()).map(|place| F2::low_bit((integer >> place) as u128)));
        }
        Ok(Secrets { bits, elements })
    }
}

/// The bytes that the number of a value prints as.
fn bytes(value: &Value) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(value.packed().iter().rev().copied().collect())
}

impl<M: Mixed> MixedCircuit<M> for OfModel<<M::Numbers as Backend>::F> {
    fn run(&self, m: &mut M) -> Result<()> {
        let perceptron = &self.relation.perceptron;
        let (width, count) = (perceptron.bits() as usize, perceptron.weights() as usize);
        let b = m.bits()?;
        let mut hash = Sha256::with_holes();
        hash.update(b, &Bytes::public(self.relation.label().as_bytes()))?;
        let salt = Bytes::witness(b, SALT)?;
        hash.update(b, &salt)?;
        let mut weights = Vec::with_capacity(count);
        let mut words = Vec::with_capacity(PIECE.min(count));
        while weights.len() < count {
            let b = m.bits()?;
            let one = b.constant(F2::ONE);
            words.clear();
            for _ in 0..PIECE.min(count - weights.len()) {
                let mut word = (0..width).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
                // The sign is in all bits from the highest on.
                let bit = |place: usize| Bit::Wire(word[place.min(width - 1)]);
                let byte = |byte: usize| Word::new(core::array::from_fn(|i| bit(8 * byte + i)));
                hash.update(b, &(0..WEIGHT).map(byte).collect())?;
                // The bits of what the number is above the least.
                word[width - 1] = b.add(word[width - 1], one);
                words.push(word);
            }
            let least = m.numbers()?.constant(-<M::Numbers as Backend>::F::place(width as u32 - 1));
            for word in &words {
                let above = m.number(word)?;
                weights.push(m.numbers()?.add(above, least));
            }
        }
        let b = m.bits()?;
        hash.finish(b)?.assert_equal(b, &bytes(&self.public.model), "model")?;
        let Public { x, class, logits, .. } = &self.public;
        perceptron.run(m.numbers()?, [x.as_ref(), None], [class.as_ref(), logits.as_ref()], Some(&weights))
    }
}
