//! A network whose weights are those of a public digest, so that several proofs speak of one secret model.
//!
//! The digest is SHA-256 of a public label, a secret salt and the weights ([`Committed::label`]). The label tells what
//! it is the digest of, and so how many weights follow: none is that of two models, or of something else that is hashed,
//! or is made by appending to what has another. It binds as SHA-256 has no collisions, and hides as its compression
//! function is a random one, the salt being random and in no other use.
//!
//! A weight is a word of bits over F_2, where it is hashed, and the number that these bits are over 2^61 − 1, where it is
//! multiplied: a conversion, which also shows that it has no more bits.

use core::any::Any;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{BothValues, Elements, Port, PortValue, PublicValues, Secrets, Value, sequences};
use volery_circuit::port::{StatementFile as _, with_options};
use volery_circuit::stream::{MixedRecorder, MixedSource};
use volery_circuit::{Backend, Mixed, MixedCircuit};
use volery_formats::Format;
use volery_gadgets::gadget::{Bit, Bytes, Hash, Sha256, Word, bits_of};
use volery_onnx::{SALT_BYTES, Statement as Network, WEIGHTS, hashed_bytes, hashed_label};
use volery_primitives::{F2, F61, Field};
use zeroize::Zeroizing;

/// The option behind a file's name that asks for it.
const OPTION: &str = "model=sha256";

/// The input that hides weights which could be guessed.
const SALT: &str = "salt";

/// The output that is the digest.
const MODEL: &str = "model";

/// Ports that take bits, and not elements.
pub(super) const OF_BITS: [&str; 2] = [SALT, MODEL];

/// Weights that are hashed, and then converted, in one piece.
const PIECE: usize = 1024;

/// The version of the gates, as [`Program::version`](crate::Program::version) has it.
const VERSION: u32 = 1;

/// A network with committed weights, and no values.
pub struct Committed {
    network: Network,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

/// The statement of somebody who knows the weights of such a model.
struct Stated {
    relation: Committed,
    /// The public values of the network's own inputs, and of its outputs.
    inputs: Vec<Option<Elements<F61>>>,
    outputs: Vec<Option<Elements<F61>>>,
    model: Value,
}

/// A statement about a model, over F_2 and the field of its numbers.
pub trait OfModel<F: Field>: MixedSource<F> + Send + Sync {
    /// A collision-resistant digest of the relation with the version of its gates, and the public values.
    fn digest(&self) -> [u8; 32];

    /// The public ports with their values as they are written.
    fn public(&self) -> Vec<(&Port, String)>;

    /// The witness made of the private values.
    ///
    /// # Errors
    /// `Invalid` where one is missing or does not fit, is no private input, or a weight has too many bits.
    fn witness(&self, private: BothValues<F>) -> Result<Secrets<F>>;
}

/// `value` as a value of another type, which is the same one: that over a field which is said to be 2^61 − 1.
fn same<T: 'static, U: 'static>(value: T) -> Option<U> {
    let value: Box<dyn Any> = Box::new(value);
    value.downcast().ok().map(|value| *value)
}

impl Committed {
    /// The one that `spec` names, if it names any: a file with the option that asks for it.
    pub(crate) fn open<F: Field>(spec: &str) -> Option<Result<Self>> {
        let (path, Some(options)) = with_options(spec) else { return None };
        let others: Vec<_> = options.split('&').filter(|option| *option != OPTION).collect();
        let asks = others.len() < options.split('&').count();
        if !asks || !Format::of(path).is_ok_and(|format| format == Format::Onnx) {
            return None;
        }
        if F::name() != F61::name() {
            return Some(Err(Error::invalid(format!(
                "{spec} is over f2 and f61, and not over {}: name no other field",
                F::name()
            ))));
        }
        let others = others.join("&");
        Some(
            Network::open_apart(path, Some(&others[..]).filter(|others| !others.is_empty()))
                .and_then(Self::new),
        )
    }

    fn new(network: Network) -> Result<Self> {
        let (mut inputs, mut outputs) = (network.inputs(), network.outputs());
        if let Some(port) = inputs.iter().chain(&outputs).find(|port| OF_BITS.contains(&&port.name[..])) {
            return Err(Error::invalid(format!(
                "the network calls a tensor {:?}, as the digest of its weights has it: rename that",
                port.name
            )));
        }
        inputs.push(Port::new(SALT, 8 * SALT_BYTES as u64));
        outputs.push(Port::public(MODEL, 256));
        Ok(Self { network, inputs, outputs })
    }

    /// The text that is hashed before salt and weights: a line that names the use of the digest and the network, for
    /// any number of inputs.
    fn label(&self) -> String {
        hashed_label(&self.network.graph_identity())
    }

    pub(crate) fn inputs(&self) -> &[Port] {
        &self.inputs
    }
    pub(crate) fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The ports of the network's own inputs, without its weights.
    fn own_inputs(&self) -> &[Port] {
        &self.inputs[..self.inputs.len() - 2]
    }

    /// The ports of the network's outputs.
    fn own_outputs(&self) -> &[Port] {
        &self.outputs[..self.outputs.len() - 1]
    }

    /// The statement with these public values.
    ///
    /// # Errors
    /// `Invalid` where a value does not fit, has no port, or has to be private; and without `model`.
    pub(crate) fn state<F: Field>(self, values: BothValues<F>) -> Result<Box<dyn OfModel<F>>> {
        let mut values: BothValues<F61> = same(values).expect("opened over this field");
        let [weights, salt] = [2, 1].map(|last| &self.inputs[self.inputs.len() - last]);
        if values.elements.take(weights)?.is_some() || values.bits.take(salt)?.is_some() {
            return Err(Error::invalid(format!(
                "{WEIGHTS} and {SALT} are private: for a model that everybody knows leave out ?{OPTION}"
            )));
        }
        let model = values.bits.take(self.outputs.last().expect("the digest"))?.ok_or_else(|| {
            Error::invalid(format!("{MODEL} (256 bits) has to be public: give a public value for it"))
        })?;
        let mut take = |ports: &[Port]| ports.iter().map(|port| values.elements.take(port)).collect();
        let (inputs, outputs): (Result<Vec<_>>, Result<Vec<_>>) =
            (take(self.own_inputs()), take(self.own_outputs()));
        values.end("input or output", &[&self.inputs[..], &self.outputs].concat())?;
        Ok(Self::boxed(Stated { relation: self, inputs: inputs?, outputs: outputs?, model }))
    }

    /// The statement in whose place gates are counted: everything private that may be.
    pub(crate) fn bare<F: Field>(self) -> Box<dyn OfModel<F>> {
        let [inputs, outputs] = [self.own_inputs().len(), self.own_outputs().len()];
        let model = Value::from_bytes(&[0; 32]);
        Self::boxed(Stated {
            relation: self,
            inputs: vec![None; inputs],
            outputs: vec![None; outputs],
            model,
        })
    }

    fn boxed<F: Field>(stated: Stated) -> Box<dyn OfModel<F>> {
        let stated: Box<dyn OfModel<F61>> = Box::new(stated);
        same(stated).expect("opened over this field")
    }
}

impl Stated {
    /// The values of ports that are public.
    fn valued<T>(
        &self,
        of_bits: impl Fn(&Value) -> T,
        of_elements: impl Fn(&Elements<F61>) -> T,
    ) -> Vec<(&Port, T)> {
        let Self { relation, inputs, outputs, model } = self;
        let inputs = relation.own_inputs().iter().zip(inputs);
        let elements = inputs.chain(relation.own_outputs().iter().zip(outputs));
        let elements = elements.filter_map(|(port, value)| Some((port, of_elements(value.as_ref()?))));
        let model = (relation.outputs.last().expect("the digest"), of_bits(model));
        elements.chain([model]).collect()
    }
}

impl OfModel<F61> for Stated {
    fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery statement of two fields v1");
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(F2::NAME.as_bytes());
        field(F61::NAME.as_bytes());
        field(self.relation.label().as_bytes());
        field(&self.relation.network.identity());
        field(&VERSION.to_le_bytes());
        field(&self.relation.network.version().to_le_bytes());
        let encoded =
            self.valued(|value| value.encoding().into_owned(), |value| value.encoding().into_owned());
        for (port, encoding) in encoded {
            field(port.name.as_bytes());
            field(&port.width.to_le_bytes());
            field(&encoding);
        }
        hasher.finalize().into()
    }

    fn public(&self) -> Vec<(&Port, String)> {
        self.valued(PortValue::to_text, PortValue::to_text)
    }

    fn witness(&self, mut private: BothValues<F61>) -> Result<Secrets<F61>> {
        let relation = &self.relation;
        let missing = |port: &Port| Error::invalid(format!("{} has no value: give a private one", port.name));
        let mut elements = Vec::new();
        for (port, public) in relation.own_inputs().iter().zip(&self.inputs) {
            if public.is_none() {
                elements.push(private.elements.take(port)?.ok_or_else(|| missing(port))?);
            }
        }
        let [weights, salt] = [2, 1].map(|last| &relation.inputs[relation.inputs.len() - last]);
        let numbers = private.elements.take(weights)?.ok_or_else(|| missing(weights))?;
        let salt = private.bits.take(salt)?.ok_or_else(|| missing(salt))?;
        private.end("private input", &relation.inputs)?;
        let words = || relation.network.weight_bits().flat_map(|(count, bits)| (0..count).map(move |_| bits));
        let width = words().map(|bits| bits as usize).sum::<usize>();
        let mut bits = Zeroizing::new(Vec::with_capacity(8 * SALT_BYTES + width));
        bits.extend(bits_of(&bytes(&salt)));
        for ((i, weight), width) in numbers.iter().enumerate().zip(words()) {
            let integer = volery_onnx::integer(weight);
            let half = 1i64 << (width - 1);
            if !(-half..half).contains(&integer) {
                return Err(Error::invalid(format!(
                    "{WEIGHTS}: number {i} is no signed integer of {width} bits"
                )));
            }
            bits.extend((0..width).map(|place| F2::low_bit((integer >> place) as u128)));
        }
        Ok(Secrets { bits, elements: Elements::in_turn(&elements, usize::MAX) })
    }
}

/// The bytes that the number of a value prints as.
fn bytes(value: &Value) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(value.packed().iter().rev().copied().collect())
}

impl MixedSource<F61> for Stated {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F61>) -> Result<()> {
        self.run(both)
    }
}

impl<M: Mixed> MixedCircuit<M> for Stated
where
    M::Numbers: Backend<F = F61>,
{
    fn run(&self, m: &mut M) -> Result<()> {
        let network = &self.relation.network;
        let b = m.bits()?;
        let mut hash = Sha256::with_holes();
        hash.update(b, &Bytes::public(self.relation.label().as_bytes()))?;
        let salt = Bytes::witness(b, SALT_BYTES)?;
        hash.update(b, &salt)?;
        let (mut weights, mut words) = (Vec::new(), Vec::with_capacity(PIECE));
        for (count, bits) in network.weight_bits() {
            let (width, end) = (bits as usize, weights.len() + count);
            while weights.len() < end {
                let b = m.bits()?;
                let one = b.constant(F2::ONE);
                words.clear();
                for _ in 0..PIECE.min(end - weights.len()) {
                    let mut word = (0..width).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
                    // The sign is in all bits from the highest on.
                    let bit = |place: usize| Bit::Wire(word[place.min(width - 1)]);
                    let byte = |byte: usize| Word::new(core::array::from_fn(|i| bit(8 * byte + i)));
                    hash.update(b, &(0..hashed_bytes(bits)).map(byte).collect())?;
                    // The bits of what the number is above the least.
                    word[width - 1] = b.add(word[width - 1], one);
                    words.push(word);
                }
                let least = m.numbers()?.constant(-F61::place(bits - 1));
                for word in &words {
                    let above = m.number(word)?;
                    weights.push(m.numbers()?.add(above, least));
                }
            }
        }
        let b = m.bits()?;
        hash.finish(b)?.assert_equal(b, &bytes(&self.model), MODEL)?;
        let (inputs, outputs) = (sequences(&self.inputs), sequences(&self.outputs));
        let values = PublicValues { inputs: &inputs, outputs: &outputs };
        let (mut left, counts) = (weights.into_iter(), network.weight_bits());
        let counts: Vec<_> = counts.map(|(count, _)| count).collect();
        let next = |_: &mut _, weight: usize| Ok(left.by_ref().take(counts[weight]).collect());
        network.push_with(m.numbers()?, next, values)
    }
}
