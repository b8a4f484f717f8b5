//! Built-in statements over fields, which have no file.

use super::Elements;
use crate::statement::algebra::{self, Algebra};
use crate::statement::builtin::{self, Described as _, is_listed, numbers};
use crate::statement::split::{Split, no_shards};
use crate::statement::{Given, Port};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Polynomials, Tables, prime_field};
use volery_gadgets::gadget::{Element, Poseidon, sha256_of_elements};
use volery_primitives::{Bn254, Field, U256};

/// Names with keys and defaults, and what they state.
pub(in crate::statement) const LIST: &[(&str, &str)] = &[
    ("power?exponent=5", "the prover knows `x`, whose power to the `exponent` is `y`"),
    (
        "polynomial?degree=3",
        "the prover knows `x`, at which the polynomial with the public `coefficients`, the constant first, is `y`",
    ),
    (
        "range-sum?count=4&bits=32",
        "the prover knows `values`, `count` integers from 0 to 2^`bits` - 1, whose sum is `total`; in prime fields",
    ),
    (
        "factors",
        "the prover knows two integers `a` and `b` above 1 whose product is `n`, each of less than half the bits of the \
         modulus, so that the product is one of integers too; in prime fields",
    ),
    (
        "linear?rows=2&columns=3",
        "the prover knows `x`, which the public `matrix`, of `rows` one after the other, maps to `b`",
    ),
    (
        "poseidon-preimage?length=2",
        "the prover knows `message`, `length` elements, of which the Poseidon hash of circom is `digest`; over bn254",
    ),
    (
        "sha256-bytes?length=3",
        "the prover knows `message`, `length` bytes, of which the SHA-256 hash is `digest`, each byte an element; in prime \
         fields above 2^37",
    ),
    algebra::INNER_PRODUCT,
    algebra::MATRIX_PRODUCT,
    algebra::SHORT_SOLUTION,
];

/// The most elements of a port.
pub(super) const LONGEST: u64 = 1 << 24;

/// A built-in statement with its parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Power { exponent: u64 },
    Polynomial { degree: u64 },
    RangeSum { count: u64, bits: u32 },
    Factors,
    Linear { rows: u64, columns: u64 },
    PoseidonPreimage { length: u64 },
    Sha256Bytes { length: u64 },
    Algebra(Algebra),
}

impl Builtin {
    /// The one that `spec` names: `NAME` or `NAME?key=value&…`.
    pub(super) fn parse<F: Field>(spec: &str) -> Result<Self> {
        let (name, parameters) = spec.split_once('?').unwrap_or((spec, ""));
        let refused = |why: String| Error::invalid(format!("builtin:{name}{why}"));
        let choose = |key: &str, given: u64, most: u64| {
            Err(refused(format!(" with {key}={given}: choose from 1 to {most}")))
        };
        let modulus = || prime_field::<F>().map_err(|why| refused(format!(": {why}")));
        match name {
            "power" => {
                let [exponent] = numbers(name, parameters, [("exponent", 5)])?;
                if exponent == 0 {
                    return choose("exponent", exponent, u64::MAX);
                }
                Ok(Self::Power { exponent })
            }
            "polynomial" => {
                let [degree] = numbers(name, parameters, [("degree", 3)])?;
                if degree == 0 || degree >= LONGEST {
                    return choose("degree", degree, LONGEST - 1);
                }
                Ok(Self::Polynomial { degree })
            }
            "range-sum" => {
                let [count, bits] = numbers(name, parameters, [("count", 4), ("bits", 32)])?;
                let modulus = modulus()?;
                if count == 0 || count > LONGEST {
                    return choose("count", count, LONGEST);
                }
                if bits == 0 || bits >= F::bits().into() {
                    return choose("bits", bits, (F::bits() - 1).into());
                }
                let (most, above) = U256::ones(bits as u32).mul_add(count, 0);
                if above > 0 || most >= modulus {
                    return Err(refused(format!(
                        " with count={count}&bits={bits}: the sum may exceed the modulus of {}, and come round to a small \
                         number; choose fewer values or fewer bits",
                        F::name()
                    )));
                }
                Ok(Self::RangeSum { count, bits: bits as u32 })
            }
            "factors" => {
                let [] = numbers(name, parameters, [])?;
                if modulus()? < U256::from(16_u64) {
                    return Err(refused(format!(
                        " is over a modulus above 16: that of {} has no room for two factors above 1",
                        F::name()
                    )));
                }
                Ok(Self::Factors)
            }
            "linear" => {
                let [rows, columns] = numbers(name, parameters, [("rows", 2), ("columns", 3)])?;
                if rows.checked_mul(columns).is_none_or(|entries| entries == 0 || entries > LONGEST) {
                    return Err(refused(format!(
                        " with rows={rows}&columns={columns}: choose from 1 to {LONGEST} entries"
                    )));
                }
                Ok(Self::Linear { rows, columns })
            }
            "poseidon-preimage" => {
                let [length] = numbers(name, parameters, [("length", 2)])?;
                if F::NAME != Bn254::NAME {
                    return Err(refused(format!(" is over {}, and not over {}", Bn254::NAME, F::name())));
                }
                Poseidon::<F>::circom(length as usize).map_err(|why| refused(format!(": {why}")))?;
                Ok(Self::PoseidonPreimage { length })
            }
            "sha256-bytes" => {
                let [length] = numbers(name, parameters, [("length", 3)])?;
                if modulus()? < U256::from(1_u64 << 37) {
                    return Err(refused(format!(" is over primes above 2^37, and not over {}", F::name())));
                }
                if length > LONGEST {
                    return Err(refused(format!(" with length={length}: choose from 0 to {LONGEST}")));
                }
                Ok(Self::Sha256Bytes { length })
            }
            _ if is_listed(LIST, name) => {
                let algebra = Algebra::parse::<F>(name, parameters, LONGEST)?;
                Ok(Self::Algebra(algebra.expect("listed")))
            }
            _ if is_listed(builtin::LIST, name) => {
                Err(refused(format!(" is over f2: it has no meaning over {}", F::name())))
            }
            _ => {
                let known: Vec<_> = LIST.iter().map(|(name, _)| format!("builtin:{name}")).collect();
                Err(Error::invalid(format!(
                    "there is no builtin:{name} over {}; there are {} (with the defaults shown)",
                    F::name(),
                    known.join(", ")
                )))
            }
        }
    }

    /// The name with all parameters spelt out, which tells apart any two that differ.
    pub(super) fn canonical(&self) -> String {
        match self {
            Self::Power { exponent } => format!("power?exponent={exponent}"),
            Self::Polynomial { degree } => format!("polynomial?degree={degree}"),
            Self::RangeSum { count, bits } => format!("range-sum?count={count}&bits={bits}"),
            Self::Factors => "factors".into(),
            Self::Linear { rows, columns } => format!("linear?rows={rows}&columns={columns}"),
            Self::PoseidonPreimage { length } => format!("poseidon-preimage?length={length}"),
            Self::Sha256Bytes { length } => format!("sha256-bytes?length={length}"),
            Self::Algebra(algebra) => algebra.canonical(),
        }
    }

    /// The version of the gates, as that of a built-in over F_2.
    pub(super) fn version(&self) -> u32 {
        match self {
            Self::Power { .. } | Self::Polynomial { .. } | Self::RangeSum { .. } | Self::Factors => 1,
            Self::Linear { .. } | Self::PoseidonPreimage { .. } | Self::Sha256Bytes { .. } => 1,
            Self::Algebra(algebra) => algebra.version(),
        }
    }

    /// The inputs and outputs.
    pub(super) fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        match *self {
            Self::Power { .. } => (vec![Port::new("x", 1)], vec![Port::new("y", 1)]),
            Self::Polynomial { degree } => {
                (vec![Port::public("coefficients", degree + 1), Port::new("x", 1)], vec![Port::new("y", 1)])
            }
            Self::RangeSum { count, .. } => (vec![Port::new("values", count)], vec![Port::new("total", 1)]),
            Self::Factors => (vec![Port::new("a", 1), Port::new("b", 1)], vec![Port::new("n", 1)]),
            Self::Linear { rows, columns } => (
                vec![Port::public("matrix", rows * columns), Port::new("x", columns)],
                vec![Port::new("b", rows)],
            ),
            Self::PoseidonPreimage { length } => {
                (vec![Port::new("message", length)], vec![Port::new("digest", 1)])
            }
            Self::Sha256Bytes { length } => {
                (vec![Port::new("message", length)], vec![Port::new("digest", 32)])
            }
            Self::Algebra(algebra) => algebra.ports(),
        }
    }

    /// How many elements of a private input are read before the next input has its turn.
    pub(super) fn turn(&self) -> usize {
        match self {
            Self::Algebra(algebra) => algebra.turn(),
            _ => usize::MAX,
        }
    }

    /// Splits the statement into `shards` shards.
    pub(super) fn split(&self, shards: usize) -> Result<Split> {
        match self {
            Self::Algebra(algebra) => algebra.split(shards),
            _ => Err(self.no_shards(shards)),
        }
    }

    /// Pushes shard number `shard` of `shards`, and gives the wires that go out.
    pub(super) fn run_shard<B: Polynomials + Tables>(
        &self,
        part: (usize, usize),
        b: &mut B,
        given: Given<'_, Elements<B::F>>,
        incoming: &[B::Wire],
    ) -> Result<Vec<B::Wire>> {
        match self {
            Self::Algebra(algebra) => algebra.run_shard(part, b, given, incoming),
            _ => Err(self.no_shards(part.0)),
        }
    }

    fn no_shards(&self, shards: usize) -> Error {
        let name = format!("builtin:{}", self.canonical());
        no_shards(&name, shards, "matmul does, of the built-in ones over fields; prove others as a whole")
    }

    /// Pushes the statement, with the inputs and outputs that are public.
    pub(super) fn run<B: Polynomials + Tables>(
        &self,
        b: &mut B,
        inputs: &[Option<Elements<B::F>>],
        outputs: &[Option<Elements<B::F>>],
    ) -> Result<()> {
        let output = outputs[0].as_ref();
        match *self {
            Self::Algebra(algebra) => algebra.run(b, inputs, outputs),
            Self::Power { exponent } => {
                let y = input(b, &inputs[0], 0)?.power(b, exponent)?;
                expect(b, y, output, 0, "y")
            }
            Self::Polynomial { degree } => {
                let x = input(b, &inputs[1], 0)?;
                let coefficients = (0..=degree).map(|i| Element::Public(public(&inputs[0], i)));
                let y = x.polynomial(b, coefficients)?;
                expect(b, y, output, 0, "y")
            }
            Self::RangeSum { count, bits } => {
                let mut total = Element::ZERO;
                for i in 0..count {
                    let value = input(b, &inputs[0], i)?;
                    value.assert_range(b, bits, format_args!("values[{i}] below 2^{bits}"))?;
                    total = total.add(b, value);
                }
                expect(b, total, output, 0, "total")
            }
            Self::Factors => {
                // The product of two numbers of so many bits is below 2^(bits - 1), and so below the modulus.
                let bits = (B::F::bits() - 1) / 2;
                let mut n = Element::ONE;
                for (name, value) in ["a", "b"].into_iter().zip(inputs) {
                    let factor = input(b, value, 0)?;
                    factor.assert_range(b, bits, format_args!("{name} below 2^{bits}"))?;
                    let less = factor.sub(b, Element::ONE);
                    let trivial = factor.mul(b, less)?;
                    trivial.inverse(b, format_args!("{name} above 1"))?;
                    n = n.mul(b, factor)?;
                }
                expect(b, n, output, 0, "n")
            }
            Self::PoseidonPreimage { length } => {
                let message = (0..length).map(|i| input(b, &inputs[0], i)).collect::<Result<Vec<_>>>()?;
                let digest = Poseidon::circom(length as usize)?.hash(b, &message)?;
                expect(b, digest, output, 0, "digest")
            }
            Self::Sha256Bytes { length } => {
                let message = (0..length).map(|i| match &inputs[0] {
                    Some(elements) => Ok(b.constant(elements.as_slice()[i as usize])),
                    None => b.witness(),
                });
                let message = message.collect::<Result<Vec<_>>>()?;
                let digest = sha256_of_elements(b, &message, "message")?;
                for (i, byte) in (0..).zip(digest) {
                    expect(b, Element::Wire(byte), output, i, format_args!("digest[{i}]"))?;
                }
                Ok(())
            }
            Self::Linear { rows, columns } => {
                let x = (0..columns).map(|i| input(b, &inputs[1], i)).collect::<Result<Vec<_>>>()?;
                for row in 0..rows {
                    let row_of_matrix: Vec<_> =
                        (0..columns).map(|column| public(&inputs[0], row * columns + column)).collect();
                    let image = Element::linear(b, &row_of_matrix, &x)?;
                    expect(b, image, output, row, format_args!("b[{row}]"))?;
                }
                Ok(())
            }
        }
    }
}

/// Element `i` of an input.
fn input<B: Backend>(b: &mut B, value: &Option<Elements<B::F>>, i: u64) -> Result<Element<B::F, B::Wire>> {
    match value {
        Some(elements) => Ok(Element::Public(elements.as_slice()[i as usize])),
        None => Element::witness(b),
    }
}

/// Element `i` of an input that has to be public. Where the gates of a program without values are counted it
/// stands for most elements: it is neither zero nor one, which would spare gates.
fn public<F: Field>(value: &Option<Elements<F>>, i: u64) -> F {
    value.as_ref().map_or_else(|| F::place(1), |elements| elements.as_slice()[i as usize])
}

/// Asserts under `name` that `computed` is element `i` of an output, if it is public.
pub(super) fn expect<B: Backend>(
    b: &mut B,
    computed: Element<B::F, B::Wire>,
    output: Option<&Elements<B::F>>,
    i: u64,
    name: impl Display,
) -> Result<()> {
    match output {
        Some(elements) => computed.assert_equal(b, Element::Public(elements.as_slice()[i as usize]), name),
        None => Ok(()),
    }
}
