//! Gadgets on values, and their ANDs, for tests here and above; and names that examples share.

use crate::gadget::{Bit, Signed, Word};
use core::iter::empty;
use volery_channel::error::Result;
use volery_circuit::stream::{Recorder, Streamed};
use volery_circuit::{Circuit, Clear, Shape};
use volery_primitives::F2;

/// The names by which a user of the library knows what examples take.
pub mod volery {
    pub use volery_circuit::testing::volery::{Backend, Circuit, Error, F2, F61, Field, Result, check};

    /// Statements, and the backends that run them in the clear.
    pub mod circuit {
        pub use crate::{
            Bound, Dimensions, InnerProduct, MatrixProduct, Reduction, ShortSolution, code, gadget,
        };
        pub use volery_circuit::*;
    }
}

/// Evaluation without a witness: [`secret`] words stand in for one.
pub type Evaluation = Clear<'static, F2>;

pub fn evaluation() -> Evaluation {
    Clear::new(empty())
}

/// The value modulo 2^N on wires, which no gate folds.
pub fn secret<const N: usize>(value: u128) -> Word<F2, N> {
    Word::new(core::array::from_fn(|i| Bit::Wire(F2::low_bit(value >> i))))
}

pub fn secret_signed<const N: usize>(value: i128) -> Signed<F2, N> {
    Signed::from_word(secret(value as u128))
}

pub fn bit_value(bit: Bit<F2>) -> bool {
    bit.wire(&mut evaluation()) == F2::from(true)
}

pub fn value<const N: usize>(word: Word<F2, N>) -> u128 {
    word.bits().iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit_value(bit)))
}

pub fn signed_value<const N: usize>(word: Signed<F2, N>) -> i128 {
    value(*word.resize::<128>().word()) as i128
}

/// A circuit of two secrets.
pub type OfTwo<T> = fn(&mut Recorder<'_, F2>, T, T) -> Result<()>;

/// Gates that no statement is made of.
struct Gates<F>(F);

impl<F: Fn(&mut Recorder<'_, F2>) -> Result<()>> Circuit<Recorder<'_, F2>> for Gates<F> {
    fn run(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
        self.0(b)
    }
}

/// Evaluates `gates` on `witness`.
pub fn evaluate(
    witness: impl IntoIterator<Item = F2>,
    gates: impl Fn(&mut Recorder<'_, F2>) -> Result<()> + Sync,
) -> Result<()> {
    let mut clear = Clear::new(witness);
    Streamed(&Gates(gates)).run(&mut clear)?;
    clear.finish()
}

/// The number of ANDs of `gates`.
pub fn ands(gates: impl Fn(&mut Recorder<'_, F2>) -> Result<()> + Sync) -> u64 {
    shape(gates).mul
}

/// The gates of `gates`, by kind.
pub fn shape(gates: impl Fn(&mut Recorder<'_, F2>) -> Result<()> + Sync) -> Shape {
    Shape::of(&Gates(gates)).expect("gates")
}

/// One case of a file of `vectors/wycheproof`.
pub struct Case<const N: usize> {
    /// The number that it has where it was published.
    pub number: &'static str,
    pub is_valid: bool,
    pub values: [Vec<u8>; N],
}

/// The cases of such a file. Below a line of what its columns are, each has its number, `valid` or `invalid`, and values in
/// hexadecimal digits, or `-` where there are none.
pub fn cases<const N: usize>(text: &'static str) -> impl Iterator<Item = Case<N>> {
    let bytes = |hex: &str| -> Vec<u8> {
        let hex = if hex == "-" { "" } else { hex };
        (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
    };
    text.lines().skip(1).map(move |line| {
        let mut columns = line.split(' ');
        let (number, result) = (columns.next().unwrap(), columns.next().unwrap());
        let values: Vec<_> = columns.map(bytes).collect();
        Case { number, is_valid: result == "valid", values: values.try_into().unwrap() }
    })
}
