//! Statements over two fields: wires that carry bits, wires that carry numbers, and words that go from one
//! kind to the other.
//!
//! Each kind has a backend of its own, lent by [`Mixed`], with all that backends have; conversions are the
//! lender's. Bits suit comparisons, hashes and ciphers, numbers sums of products, memories and tables.
//!
//! ```
//! # use volery_circuit::testing::volery;
//! use volery::circuit::{Backend, Mixed, MixedCircuit};
//!
//! /// "I know a number of eight bits, and its square is this one."
//! struct Square(u32);
//!
//! impl<M: Mixed> MixedCircuit<M> for Square {
//!     fn run(&self, m: &mut M) -> volery::Result<()> {
//!         use volery_primitives::Field;
//!         let bits = m.bits()?;
//!         let word = (0..8).map(|_| bits.witness()).collect::<volery::Result<Vec<_>>>()?;
//!         let x = m.number(&word)?;
//!         let numbers = m.numbers()?;
//!         let square = numbers.mul(x, x)?;
//!         let minus = <M::Numbers as Backend>::F::from_word(self.0.into()).expect("less than p");
//!         let minus = numbers.constant(-minus);
//!         let difference = numbers.add(square, minus);
//!         numbers.assert_zero(difference, "the square")
//!     }
//! }
//! ```

use super::memory::is_binary;
use super::stream::Executor;
use super::{Backend, Clear, Count, Machine, Shape, count::Counted, nothing_asserted};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, Field};

/// A backend for bits and one for numbers, in one statement.
///
/// What is done in one of them comes before what is done in the other after it: whoever proves says so in
/// this order, and to go from one to the other takes a message. So what a statement does in one of them it
/// should do together where it can.
pub trait Mixed {
    /// The backend of bits.
    type Bits: Machine<F = F2> + Executor;
    /// The backend of numbers, over a prime field.
    type Numbers: Machine + Executor;

    /// The backend of bits, for use until the other one is asked for.
    ///
    /// # Errors
    /// Link errors.
    fn bits(&mut self) -> Result<&mut Self::Bits>;

    /// The backend of numbers, for use until the other one is asked for.
    ///
    /// # Errors
    /// Link errors.
    fn numbers(&mut self) -> Result<&mut Self::Numbers>;

    /// The number whose bits these are, the least significant first and [`widest`] of them at most.
    ///
    /// # Errors
    /// `Invalid` where words of so many bits may be the same number; link errors.
    fn number(&mut self, bits: &[BitWire<Self>]) -> Result<NumberWire<Self>>;

    /// The bits of each of `numbers`, the least significant first: `width` of them, [`widest`] at most, those
    /// of the first number first. Demands, under `name`, that each is below 2^width.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows that one is not; `Invalid` where words of so many bits may be the
    /// same number; link errors.
    fn bits_of(
        &mut self,
        numbers: &[NumberWire<Self>],
        width: usize,
        name: &dyn Display,
    ) -> Result<Vec<BitWire<Self>>>;
}

/// A wire of the bits of `M`.
pub type BitWire<M> = <<M as Mixed>::Bits as Backend>::Wire;

/// A wire of the numbers of `M`.
pub type NumberWire<M> = <<M as Mixed>::Numbers as Backend>::Wire;

/// A statement over two fields: the same gates and conversions in the same order for every party, as often as
/// asked.
pub trait MixedCircuit<M: Mixed> {
    /// Pushes all of it into `mixed`.
    ///
    /// # Errors
    /// Those of the backends, and `Invalid` where the circuit itself is malformed.
    fn run(&self, mixed: &mut M) -> Result<()>;
}

/// The most bits of a word that is converted to the prime field `F` or from it: words of so many bits are all
/// different numbers. In characteristic two, and over fields of fewer than 16 elements, there are none: a
/// conversion adds more bits up than these have room for.
pub fn widest<F: Field>() -> usize {
    // The largest element is p − 1, and words of w bits are different where 2^w − 1 is no larger.
    let bits = (-F::ONE).to_integer().length() as usize - 1;
    if is_binary::<F>() || bits < 4 { 0 } else { bits }
}

/// Demands that words of `width` bits are different numbers.
///
/// # Errors
/// `Invalid` where they may be the same.
pub fn check_width<F: Field>(width: usize) -> Result<()> {
    let most = widest::<F>();
    if (1..=most).contains(&width) {
        return Ok(());
    }
    if most == 0 {
        return Err(Error::invalid(format!(
            "bits are converted to integers modulo a prime above 16, and not to {}",
            F::name()
        )));
    }
    Err(Error::invalid(format!(
        "a word of {width} bits is converted to {} or from there, where words have 1 to {most}: in longer ones \
         two may be the same number",
        F::name()
    )))
}

/// Evaluates `circuit` in the clear, on a witness of bits and one of numbers.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails; `Invalid` where a witness is too short or
/// too long, or the circuit asserts nothing or is malformed.
pub fn check_mixed<'w, F: Field, C>(
    circuit: &C,
    bits: impl IntoIterator<Item = F2, IntoIter: 'w>,
    numbers: impl IntoIterator<Item = F, IntoIter: 'w>,
) -> Result<()>
where
    C: MixedCircuit<(Clear<'w, F2>, Clear<'w, F>)> + ?Sized,
{
    let mut halves = (Clear::new(bits), Clear::new(numbers));
    circuit.run(&mut halves)?;
    if halves.0.finish_half()? + halves.1.finish_half()? == 0 { Err(nothing_asserted()) } else { Ok(()) }
}

impl<'b, 'n, F: Field> Mixed for (Clear<'b, F2>, Clear<'n, F>) {
    type Bits = Clear<'b, F2>;
    type Numbers = Clear<'n, F>;

    fn bits(&mut self) -> Result<&mut Clear<'b, F2>> {
        Ok(&mut self.0)
    }
    fn numbers(&mut self) -> Result<&mut Clear<'n, F>> {
        Ok(&mut self.1)
    }
    fn number(&mut self, bits: &[F2]) -> Result<F> {
        check_width::<F>(bits.len())?;
        Ok((0..).zip(bits).map(|(place, bit)| F::place(place).masked(bit.mask() as u64)).sum())
    }
    fn bits_of(&mut self, numbers: &[F], width: usize, name: &dyn Display) -> Result<Vec<F2>> {
        check_width::<F>(width)?;
        let mut bits = Vec::with_capacity(numbers.len() * width);
        for number in numbers {
            let word = number.to_integer();
            if self.1.ends(word >> width as u32 != 0) {
                return Err(Error::Unsatisfied(name.to_string()));
            }
            bits.extend((0..width).map(|place| F2::low_bit(word.bit(place as u32).into())));
        }
        Ok(bits)
    }
}

/// The conversions of a statement over two fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conversions {
    /// Words of bits that become numbers.
    pub to_numbers: u64,
    /// Numbers that become words of bits.
    pub to_bits: u64,
    /// The number of bits of all these words. Each is committed to over both fields.
    pub pairs: u64,
}

impl Conversions {
    /// Counts a word of `width` bits that becomes a number.
    pub fn number(&mut self, width: usize) {
        self.to_numbers += 1;
        self.pairs += width as u64;
    }

    /// Counts numbers that become words of `width` bits each.
    pub fn bits(&mut self, numbers: usize, width: usize) {
        self.to_bits += numbers as u64;
        self.pairs += (numbers * width) as u64;
    }
}

/// The gates of a statement over two fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MixedShape {
    /// The gates over F_2, the bits that numbers become among the inputs.
    pub bits: Shape,
    /// The gates over the other field, a value for each converted bit among the inputs.
    pub numbers: Shape,
    /// The conversions from one to the other.
    pub conversions: Conversions,
    /// How often the statement changes from one backend to the other.
    pub turns: u64,
}

impl MixedShape {
    /// The gates of both backends together.
    pub fn in_all(&self) -> Shape {
        let mut all = self.numbers;
        all.add(&self.bits);
        all.depth = all.depth.max(self.bits.depth);
        all
    }

    /// The shape of `circuit`, and a collision-resistant digest of it, as [`Count::fingerprint`] makes of a
    /// statement over one field: of the gates of both backends, and of where and in what order wires go from
    /// one to the other. Depths are those of each backend's own gates.
    ///
    /// # Errors
    /// `Invalid` where the circuit is malformed.
    pub fn fingerprint<F: Field, C>(circuit: &C) -> Result<(Self, [u8; 32])>
    where
        C: MixedCircuit<MixedCount<F>> + ?Sized,
    {
        let mut count = MixedCount::begun(true);
        circuit.run(&mut count)?;
        let (shape, digest) = count.ended();
        Ok((shape, digest.expect("begun with it")))
    }

    /// The shape of `circuit`.
    ///
    /// # Errors
    /// `Invalid` where the circuit is malformed.
    pub fn of<F: Field, C>(circuit: &C) -> Result<Self>
    where
        C: MixedCircuit<MixedCount<F>> + ?Sized,
    {
        let mut count = MixedCount::begun(false);
        circuit.run(&mut count)?;
        Ok(count.ended().0)
    }
}

/// Counts the gates of a statement over two fields, and fingerprints it on request.
pub struct MixedCount<F> {
    bits: Count<F2>,
    numbers: Count<F>,
    conversions: Conversions,
    turns: u64,
    /// Whether the backend of numbers was lent last.
    at_numbers: bool,
    crossings: Option<blake3::Hasher>,
}

impl<F: Field> MixedCount<F> {
    fn begun(fingerprinted: bool) -> Self {
        Self {
            bits: Count::begun(fingerprinted),
            numbers: Count::begun(fingerprinted),
            conversions: Conversions::default(),
            turns: 0,
            at_numbers: false,
            crossings: fingerprinted
                .then(|| blake3::Hasher::new_derive_key("volery mixed circuit fingerprint v1, crossings")),
        }
    }

    fn ended(self) -> (MixedShape, Option<[u8; 32]>) {
        let ((bits, of_bits), (numbers, of_numbers)) = (self.bits.ended(), self.numbers.ended());
        let shape = MixedShape { bits, numbers, conversions: self.conversions, turns: self.turns };
        let digest = self.crossings.map(|crossings| {
            let mut hasher = blake3::Hasher::new_derive_key("volery mixed circuit fingerprint v1");
            for digest in [of_bits, of_numbers] {
                hasher.update(&digest.expect("begun with it"));
            }
            hasher.update(crossings.finalize().as_bytes());
            hasher.finalize().into()
        });
        (shape, digest)
    }

    /// Digests a crossing: its kind, its place among each backend's wires, and `words`, whose number follows
    /// from what came before.
    fn cross(&mut self, kind: u8, words: impl IntoIterator<Item = u64>) {
        if let Some(hasher) = &mut self.crossings {
            hasher.update(&[kind]);
            let all = [self.bits.wires(), self.numbers.wires()].into_iter().chain(words);
            all.for_each(|word| {
                hasher.update(&word.to_le_bytes());
            });
        }
    }

    /// Counts a change to the backend of numbers, or of bits.
    fn turn(&mut self, at_numbers: bool) {
        if self.at_numbers != at_numbers {
            self.turns += 1;
            self.at_numbers = at_numbers;
            self.cross(b't', []);
        }
    }
}

impl<F: Field> Mixed for MixedCount<F> {
    type Bits = Count<F2>;
    type Numbers = Count<F>;

    fn bits(&mut self) -> Result<&mut Count<F2>> {
        self.turn(false);
        Ok(&mut self.bits)
    }
    fn numbers(&mut self) -> Result<&mut Count<F>> {
        self.turn(true);
        Ok(&mut self.numbers)
    }
    fn number(&mut self, bits: &[Counted]) -> Result<Counted> {
        check_width::<F>(bits.len())?;
        self.turn(true);
        let wires = [bits.len() as u64].into_iter().chain(bits.iter().map(|bit| bit.number()));
        self.cross(b'n', wires);
        self.conversions.number(bits.len());
        let places: Vec<F> = (0..bits.len() as u32).map(F::place).collect();
        let copies = self.numbers.copies(bits.len());
        Ok(self.numbers.linear(&places, &copies))
    }
    fn bits_of(&mut self, numbers: &[Counted], width: usize, _: &dyn Display) -> Result<Vec<Counted>> {
        check_width::<F>(width)?;
        self.turn(false);
        let wires = [numbers.len() as u64, width as u64].into_iter();
        self.cross(b'b', wires.chain(numbers.iter().map(|number| number.number())));
        self.conversions.bits(numbers.len(), width);
        let bits = self.bits.copies(numbers.len() * width);
        self.turn(true);
        self.numbers.copies(numbers.len() * width);
        numbers.iter().for_each(|number| self.numbers.made_of_copies(*number, width));
        Ok(bits)
    }
}
