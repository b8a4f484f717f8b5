//! Numbers modulo two primes beside the bits, which go from one to the other through their bits.

use super::{
    BitWire, Conversions, Mixed, MixedCircuit, MixedShape, NumberWire, bits_of, check_width, counted_copies,
    counted_number, joined, number_of,
};
use crate::circuit::{Backend, Clear, Count, Machine, Shape, count::Counted, nothing_asserted};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::{F2, Field};

/// A backend for bits and two for numbers, in one statement: [`Mixed`] with **others** beside the numbers,
/// over another prime field.
///
/// ```
/// use volery::circuit::{Backend, Mixed, MixedCircuit, TwoPrimes};
///
/// /// "I know a number of eight bits, and modulo the other prime it is this one."
/// struct Same(u32);
///
/// impl<M: TwoPrimes> MixedCircuit<M> for Same {
///     fn run(&self, m: &mut M) -> volery::Result<()> {
///         use volery_primitives::Field;
///         let x = m.numbers()?.witness()?;
///         let y = m.others_of(&[x], 8, &"a number of eight bits")?[0];
///         let others = m.others()?;
///         let minus = <M::Others as Backend>::F::from_word(self.0.into()).expect("less than the prime");
///         let minus = others.constant(-minus);
///         let difference = others.add(y, minus);
///         others.assert_zero(difference, "the same number")
///     }
/// }
/// ```
pub trait TwoPrimes: Mixed {
    /// The backend of the others, over a prime field.
    type Others: Machine;

    /// The backend of the others, until another one is asked for.
    ///
    /// # Errors
    /// Link errors.
    fn others(&mut self) -> Result<&mut Self::Others>;

    /// As [`Mixed::number`], for one of the others.
    ///
    /// # Errors
    /// As for [`Mixed::number`].
    fn other(&mut self, bits: &[BitWire<Self>]) -> Result<OtherWire<Self>>;

    /// As [`Mixed::bits_of`], of others.
    ///
    /// # Errors
    /// As for [`Mixed::bits_of`].
    fn bits_of_others(
        &mut self,
        others: &[OtherWire<Self>],
        width: usize,
        name: &dyn Display,
    ) -> Result<Vec<BitWire<Self>>>;

    /// The numbers as others: the same words of `width` bits. Demands, under `name`, that each is below
    /// 2^width.
    ///
    /// # Errors
    /// As for [`Mixed::bits_of`].
    fn others_of(
        &mut self,
        numbers: &[NumberWire<Self>],
        width: usize,
        name: &dyn Display,
    ) -> Result<Vec<OtherWire<Self>>> {
        // Before a bit is committed to.
        check_width::<<Self::Others as Backend>::F>(width)?;
        let bits = self.bits_of(numbers, width, name)?;
        bits.chunks(width).map(|word| self.other(word)).collect()
    }

    /// The others as numbers, likewise.
    ///
    /// # Errors
    /// As for [`Mixed::bits_of`].
    fn numbers_of(
        &mut self,
        others: &[OtherWire<Self>],
        width: usize,
        name: &dyn Display,
    ) -> Result<Vec<NumberWire<Self>>> {
        check_width::<<Self::Numbers as Backend>::F>(width)?;
        let bits = self.bits_of_others(others, width, name)?;
        bits.chunks(width).map(|word| self.number(word)).collect()
    }
}

/// A wire of the others of `M`.
pub type OtherWire<M> = <<M as TwoPrimes>::Others as Backend>::Wire;

/// As [`check_mixed`](super::check_mixed), with a witness of others.
///
/// # Errors
/// As for [`check_mixed`](super::check_mixed).
pub fn check_primes<'w, F: Field, G: Field, C>(
    circuit: &C,
    bits: impl IntoIterator<Item = F2, IntoIter: 'w>,
    numbers: impl IntoIterator<Item = F, IntoIter: 'w>,
    others: impl IntoIterator<Item = G, IntoIter: 'w>,
) -> Result<()>
where
    C: MixedCircuit<(Clear<'w, F2>, Clear<'w, F>, Clear<'w, G>)> + ?Sized,
{
    let mut all = (Clear::new(bits), Clear::new(numbers), Clear::new(others));
    circuit.run(&mut all)?;
    let asserted = all.0.finish_half()? + all.1.finish_half()? + all.2.finish_half()?;
    if asserted == 0 { Err(nothing_asserted()) } else { Ok(()) }
}

impl<'b, 'n, F: Field, G: Field> Mixed for (Clear<'b, F2>, Clear<'n, F>, Clear<'_, G>) {
    type Bits = Clear<'b, F2>;
    type Numbers = Clear<'n, F>;

    fn bits(&mut self) -> Result<&mut Clear<'b, F2>> {
        Ok(&mut self.0)
    }
    fn numbers(&mut self) -> Result<&mut Clear<'n, F>> {
        Ok(&mut self.1)
    }
    fn number(&mut self, bits: &[F2]) -> Result<F> {
        number_of(bits)
    }
    fn bits_of(&mut self, numbers: &[F], width: usize, name: &dyn Display) -> Result<Vec<F2>> {
        bits_of(&mut self.1, numbers, width, name)
    }
}

impl<'o, F: Field, G: Field> TwoPrimes for (Clear<'_, F2>, Clear<'_, F>, Clear<'o, G>) {
    type Others = Clear<'o, G>;

    fn others(&mut self) -> Result<&mut Clear<'o, G>> {
        Ok(&mut self.2)
    }
    fn other(&mut self, bits: &[F2]) -> Result<G> {
        number_of(bits)
    }
    fn bits_of_others(&mut self, others: &[G], width: usize, name: &dyn Display) -> Result<Vec<F2>> {
        bits_of(&mut self.2, others, width, name)
    }
}

/// The gates of a statement over F_2 and two prime fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrimesShape {
    /// Those over F_2, the bits that numbers and others become among the inputs.
    pub bits: Shape,
    /// Those over the field of the numbers, a value for each bit that is converted to or from there among the
    /// inputs.
    pub numbers: Shape,
    /// Those over the field of the others, likewise.
    pub others: Shape,
    /// What goes between bits and numbers, and between bits and others.
    pub conversions: [Conversions; 2],
    /// How often the statement goes on in another one of the three backends.
    pub turns: u64,
}

impl PrimesShape {
    /// As [`MixedShape::fingerprint`].
    ///
    /// # Errors
    /// `Invalid` where the circuit is malformed.
    pub fn fingerprint<F: Field, G: Field, C>(circuit: &C) -> Result<(Self, [u8; 32])>
    where
        C: MixedCircuit<PrimesCount<F, G>> + ?Sized,
    {
        let mut count = PrimesCount::begun(true);
        circuit.run(&mut count)?;
        let (shape, digest) = count.ended();
        Ok((shape, digest.expect("begun with it")))
    }

    /// The shape of `circuit`.
    ///
    /// # Errors
    /// `Invalid` where the circuit is malformed.
    pub fn of<F: Field, G: Field, C>(circuit: &C) -> Result<Self>
    where
        C: MixedCircuit<PrimesCount<F, G>> + ?Sized,
    {
        let mut count = PrimesCount::begun(false);
        circuit.run(&mut count)?;
        Ok(count.ended().0)
    }

    /// The bits with the numbers alone, and with the others, under the turns of all.
    pub(crate) fn pairs(&self) -> [MixedShape; 2] {
        let Self { bits, numbers, others, conversions: [first, second], turns } = *self;
        [(numbers, first), (others, second)].map(|(numbers, conversions)| MixedShape {
            bits,
            numbers,
            conversions,
            turns,
        })
    }
}

/// Which backend is lent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lent {
    Bits,
    Numbers,
    Others,
}

/// Counts the gates of a statement over F_2 and two prime fields, and fingerprints it on request.
pub struct PrimesCount<F, G> {
    bits: Count<F2>,
    numbers: Count<F>,
    others: Count<G>,
    conversions: [Conversions; 2],
    turns: u64,
    lent: Lent,
    crossings: Option<blake3::Hasher>,
}

impl<F: Field, G: Field> PrimesCount<F, G> {
    fn begun(fingerprinted: bool) -> Self {
        let domain = "volery circuit over two primes fingerprint v1, crossings";
        Self {
            bits: Count::begun(fingerprinted),
            numbers: Count::begun(fingerprinted),
            others: Count::begun(fingerprinted),
            conversions: [Conversions::default(); 2],
            turns: 0,
            lent: Lent::Bits,
            crossings: fingerprinted.then(|| blake3::Hasher::new_derive_key(domain)),
        }
    }

    fn ended(self) -> (PrimesShape, Option<[u8; 32]>) {
        let Self { conversions, turns, crossings, .. } = self;
        let ((bits, of_bits), (numbers, of_numbers)) = (self.bits.ended(), self.numbers.ended());
        let (others, of_others) = self.others.ended();
        let digests = [of_bits, of_numbers, of_others];
        let digest = joined("volery circuit over two primes fingerprint v1", &digests, crossings);
        (PrimesShape { bits, numbers, others, conversions, turns }, digest)
    }

    /// Something that concerns more than one backend: its kind, where it stands in each one's wires, and
    /// `words`, whose number follows from what came before.
    fn cross(&mut self, kind: u8, words: impl IntoIterator<Item = u64>) {
        if let Some(hasher) = &mut self.crossings {
            hasher.update(&[kind]);
            let at = [self.bits.wires(), self.numbers.wires(), self.others.wires()];
            for word in at.into_iter().chain(words) {
                hasher.update(&word.to_le_bytes());
            }
        }
    }

    /// Goes on in another backend.
    fn turn(&mut self, to: Lent) {
        if self.lent != to {
            self.turns += 1;
            self.lent = to;
            self.cross(b't', [to as u64]);
        }
    }

    /// These bits become a number, or one of the others.
    fn become_number(&mut self, to: Lent, bits: &[Counted]) {
        self.turn(to);
        self.cross(b'n', [bits.len() as u64].into_iter().chain(bits.iter().map(|bit| bit.number())));
        self.conversions[usize::from(to == Lent::Others)].number(bits.len());
    }

    /// These numbers, or others, become bits.
    fn become_bits(&mut self, of: Lent, numbers: &[Counted], width: usize) -> Vec<Counted> {
        self.turn(Lent::Bits);
        let words = [of as u64, numbers.len() as u64, width as u64].into_iter();
        self.cross(b'b', words.chain(numbers.iter().map(|number| number.number())));
        self.conversions[usize::from(of == Lent::Others)].bits(numbers.len(), width);
        let bits = self.bits.copies(numbers.len() * width);
        self.turn(of);
        bits
    }
}

impl<F: Field, G: Field> Mixed for PrimesCount<F, G> {
    type Bits = Count<F2>;
    type Numbers = Count<F>;

    fn bits(&mut self) -> Result<&mut Count<F2>> {
        self.turn(Lent::Bits);
        Ok(&mut self.bits)
    }
    fn numbers(&mut self) -> Result<&mut Count<F>> {
        self.turn(Lent::Numbers);
        Ok(&mut self.numbers)
    }
    fn number(&mut self, bits: &[Counted]) -> Result<Counted> {
        check_width::<F>(bits.len())?;
        self.become_number(Lent::Numbers, bits);
        Ok(counted_number(&mut self.numbers, bits.len()))
    }
    fn bits_of(&mut self, numbers: &[Counted], width: usize, _: &dyn Display) -> Result<Vec<Counted>> {
        check_width::<F>(width)?;
        let bits = self.become_bits(Lent::Numbers, numbers, width);
        counted_copies(&mut self.numbers, numbers, width);
        Ok(bits)
    }
}

impl<F: Field, G: Field> TwoPrimes for PrimesCount<F, G> {
    type Others = Count<G>;

    fn others(&mut self) -> Result<&mut Count<G>> {
        self.turn(Lent::Others);
        Ok(&mut self.others)
    }
    fn other(&mut self, bits: &[Counted]) -> Result<Counted> {
        check_width::<G>(bits.len())?;
        self.become_number(Lent::Others, bits);
        Ok(counted_number(&mut self.others, bits.len()))
    }
    fn bits_of_others(&mut self, others: &[Counted], width: usize, _: &dyn Display) -> Result<Vec<Counted>> {
        check_width::<G>(width)?;
        let bits = self.become_bits(Lent::Others, others, width);
        counted_copies(&mut self.others, others, width);
        Ok(bits)
    }
}
