//! A network whose weights are those of a public linear commitment, over 2^61 − 1 alone.
//!
//! The commitment is [`Ajtai`]'s of a salt and of the weights, each of which is shown to have its bits: so it binds. Its
//! matrices are those of the network ([`Network::identity`]), and no other's. What it rests on, and how well, is in
//! `docs/security/linear-commitment.md`.

use crate::network::{Network, hashed_label};
use crate::statement::{Statement, WEIGHTS, element, signed};
use std::path::Path;
use volery_channel::error::{Error, Result};
use volery_circuit::port::PublicValues;
use volery_circuit::stream::Recorder;
use volery_circuit::{Backend, Clear, Port, StatementFile};
use volery_gadgets::gadget::Ajtai;
use volery_primitives::F61;
use zeroize::Zeroizing;

/// The option behind a file's name that asks for it.
const OPTION: &str = "model=linear";

/// The input that hides the weights.
const SALT: &str = "salt";

/// The output that is the commitment.
const MODEL: &str = "model";

/// The bits of a number of the salt, which has a sign.
const SALT_BITS: u32 = 16;

/// A network with committed weights.
#[derive(Debug)]
pub struct Committed {
    network: Statement,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Committed {
    /// The numbers of 16 bits that a salt has.
    pub const SALT_NUMBERS: usize = Ajtai::<F61>::SALT;

    /// The reason why it is experimental.
    pub const EXPERIMENTAL: &str = "it binds as nobody finds short solutions of random equations over a ring, which is a \
                                    new assumption here: docs/security/linear-commitment.md has what is known, and no \
                                    one else has looked at that";

    /// The other options of a network, where these ask for a linear commitment.
    pub fn asked(options: Option<&str>) -> Option<String> {
        let options: Vec<_> = options?.split('&').collect();
        let others: Vec<_> = options.iter().copied().filter(|option| *option != OPTION).collect();
        (others.len() < options.len()).then(|| others.join("&"))
    }

    /// The network of the file at `path`, with these other options behind its name.
    ///
    /// # Errors
    /// As for [`Statement::open_apart`]; `Invalid` where a tensor has the name of an input or output of the commitment.
    pub fn open(path: impl AsRef<Path>, options: &str) -> Result<Self> {
        if options.split('&').any(|option| option.starts_with("part=")) {
            return Err(Error::invalid(format!(
                "?{OPTION}&{options}: in a session nothing is said yet of a published commitment: leave one of the two out"
            )));
        }
        let network = Statement::open_apart(path, Some(options).filter(|options| !options.is_empty()))?;
        let (mut inputs, mut outputs) = (network.inputs(), network.outputs());
        if let Some(port) = inputs.iter().chain(&outputs).find(|port| [SALT, MODEL].contains(&&port.name[..]))
        {
            return Err(Error::invalid(format!(
                "the network calls a tensor {:?}, as the commitment to its weights has it: rename that",
                port.name
            )));
        }
        inputs.insert(0, Port::new(SALT, Self::SALT_NUMBERS as u64));
        outputs.push(Port::public(MODEL, Ajtai::<F61>::ELEMENTS as u64));
        Ok(Self { network, inputs, outputs })
    }

    /// The commitment to the weights of a network, by a salt.
    ///
    /// # Errors
    /// `Invalid` where the network lacks weights, or they cannot be read.
    ///
    /// # Panics
    /// Where the salt has another length than [`SALT_NUMBERS`](Self::SALT_NUMBERS).
    pub fn commitment(network: &Network<'_>, salt: &[i16]) -> Result<Vec<F61>> {
        assert_eq!(salt.len(), Self::SALT_NUMBERS, "numbers of a salt");
        let elements = |integers: &mut dyn Iterator<Item = i64>| {
            Zeroizing::new(integers.map(element).collect::<Vec<_>>())
        };
        let mut clear = Clear::new([]);
        let mut commitment = Ajtai::new(seed(&network.identity()));
        commitment.add(&mut clear, &elements(&mut salt.iter().map(|&number| number.into())))?;
        let values = network.weight_values()?;
        for weight in network.weights() {
            commitment
                .add(&mut clear, &elements(&mut values[weight.range()].iter().map(|&entry| entry.into())))?;
        }
        Ok(commitment.finish())
    }
}

/// The seed of the matrices for the network of this identity.
fn seed(identity: &[u8; 32]) -> [u8; 32] {
    blake3::derive_key("volery linear commitment v1", hashed_label(identity).as_bytes())
}

impl StatementFile<F61> for Committed {
    fn format_name(&self) -> &'static str {
        self.network.format_name()
    }
    fn identity(&self) -> Vec<u8> {
        blake3::derive_key("volery statement of a committed network v1", &self.network.identity()).to_vec()
    }
    fn version(&self) -> u32 {
        self.network.version()
    }
    fn inputs(&self) -> Vec<Port> {
        self.inputs.clone()
    }
    fn outputs(&self) -> Vec<Port> {
        self.outputs.clone()
    }

    fn record(&self, b: &mut Recorder<'_, F61>, values: PublicValues<'_, F61>) -> Result<()> {
        let [salt, inputs @ .., weights] = values.inputs else { unreachable!("the salt, and the weights") };
        let (model, outputs) = values.outputs.split_last().expect("the commitment is an output");
        if salt.is_some() || weights.is_some() {
            return Err(Error::invalid(format!(
                "{WEIGHTS} and {SALT} are private: for a model that everybody knows leave out ?{OPTION}"
            )));
        }
        let mut commitment = Ajtai::new(seed(&self.network.graph_identity()));
        let mut read = |b: &mut Recorder<'_, F61>, count: usize, bits: u32, name: &str| {
            let mut wires = vec![Default::default(); count];
            b.witnesses(&mut wires)?;
            signed(b, &wires, bits, &format_args!("{name} fits {bits} bits"))?;
            commitment.add(b, &wires)?;
            Ok(wires)
        };
        let salt = read(b, Self::SALT_NUMBERS, SALT_BITS, SALT)?;
        b.forget(&salt);
        let tensors: Vec<_> = self.network.weight_bits().collect();
        let weight = |b: &mut _, tensor: usize| {
            let (count, bits) = tensors[tensor];
            read(b, count, bits, &format!("tensor {tensor} of {WEIGHTS}"))
        };
        self.network.push_with(b, weight, PublicValues { inputs, outputs })?;
        if let Some(model) = model {
            for (place, wire) in (0..).zip(commitment.finish()) {
                let minus = b.constant(-model.element(place));
                let difference = b.add(wire, minus);
                b.assert_zero(difference, format_args!("{MODEL}[{place}]"))?;
            }
        }
        Ok(())
    }
}
