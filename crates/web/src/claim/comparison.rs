//! Comparisons of hidden bytes with public ones, or with an expression: what of a claim is for the circuit.

use super::automaton::Automaton;
use super::layers::{Layers, Possible};
use core::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use volery::F2;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Circuit, Shape};
use zeroize::Zeroizing;

/// A comparison of hidden bytes with public ones, or with an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison<P> {
    /// The claim, as it was written.
    pub(crate) claim: String,
    pub(super) compared: Compared<P>,
}

/// A comparison of digits, or of bytes; or of an expression with bytes that it is to match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Compared<P> {
    /// Digits, hidden ones among them, and as many public ones.
    Digits { relation: Relation, digits: Vec<Symbol<P>>, bound: Vec<u8> },
    /// The bytes at some places with texts that are as long, one at least.
    Texts { places: Vec<P>, texts: Vec<Vec<u8>> },
    /// The bytes of a value, hidden ones among them, of which each can be one of `hidden`, with an automaton that takes
    /// some such value.
    Automaton { automaton: Arc<Automaton>, bytes: Vec<Symbol<P>>, hidden: Possible },
}

/// A relation of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Less,
    AtMost,
    Equal,
    Different,
    AtLeast,
    More,
}

impl Relation {
    /// The relation of the negatives.
    pub(super) const fn turned(self) -> Self {
        match self {
            Self::Less => Self::More,
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
            Self::More => Self::Less,
            same => same,
        }
    }

    /// Whether it holds of two numbers that stand so.
    pub(super) const fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Equal => order.is_eq(),
            Self::Different => order.is_ne(),
            Self::AtLeast => order.is_ge(),
            Self::More => order.is_gt(),
        }
    }
}

/// A digit or a byte of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol<P> {
    /// One that is public.
    Known(u8),
    /// A hidden one, at this place.
    At(P),
}

impl<P: Copy> Symbol<P> {
    /// The place of a hidden one.
    const fn place(&self) -> Option<P> {
        match self {
            Self::Known(_) => None,
            Self::At(place) => Some(*place),
        }
    }

    fn map<Q>(self, place: impl FnOnce(P) -> Q) -> Symbol<Q> {
        match self {
            Self::Known(symbol) => Symbol::Known(symbol),
            Self::At(at) => Symbol::At(place(at)),
        }
    }

    fn word(self, byte: impl FnOnce(P) -> Word<Handle, 8>) -> Word<Handle, 8> {
        match self {
            Self::Known(symbol) => Word::public(symbol.into()),
            Self::At(at) => byte(at),
        }
    }
}

impl<P: Copy> Comparison<P> {
    /// The comparison with other names for its places.
    pub(crate) fn map<Q>(self, mut place: impl FnMut(P) -> Q) -> Comparison<Q> {
        let mut all =
            |symbols: Vec<Symbol<P>>| symbols.into_iter().map(|symbol| symbol.map(&mut place)).collect();
        let compared = match self.compared {
            Compared::Digits { relation, digits, bound } => {
                Compared::Digits { relation, digits: all(digits), bound }
            }
            Compared::Automaton { automaton, bytes, hidden } => {
                Compared::Automaton { automaton, bytes: all(bytes), hidden }
            }
            Compared::Texts { places, texts } => {
                Compared::Texts { places: places.into_iter().map(place).collect(), texts }
            }
        };
        Comparison { claim: self.claim, compared }
    }

    /// The places whose bytes are compared.
    pub(crate) fn places(&self) -> Vec<P> {
        match &self.compared {
            Compared::Digits { digits, .. } => digits.iter().filter_map(Symbol::place).collect(),
            Compared::Texts { places, .. } => places.clone(),
            Compared::Automaton { bytes, .. } => bytes.iter().filter_map(Symbol::place).collect(),
        }
    }

    /// Whether it holds, where that is known whatever the hidden bytes are.
    pub(super) fn settled(&self) -> Option<bool> {
        let Compared::Automaton { automaton, bytes, hidden } = &self.compared else { return None };
        let known = bytes.iter().map(|symbol| match symbol {
            Symbol::Known(byte) => Some(*byte),
            Symbol::At(_) => None,
        });
        match known.collect::<Option<Vec<_>>>() {
            Some(known) => Some(automaton.takes(known.into_iter())),
            None => layers(automaton, bytes, *hidden).is_empty().then_some(false),
        }
    }

    /// Whether it holds, where `byte` gives the bytes at places.
    pub(crate) fn holds(&self, byte: impl Fn(P) -> u8) -> bool {
        match &self.compared {
            Compared::Digits { relation, digits, bound } => digits_hold(*relation, digits, bound, byte),
            Compared::Texts { places, texts } => {
                let bytes = Zeroizing::new(places.iter().map(|place| byte(*place)).collect::<Vec<_>>());
                // Without a branch on any.
                texts.iter().fold(false, |is_one, text| is_one | bool::from(bytes.ct_eq(text)))
            }
            Compared::Automaton { automaton, bytes, .. } => {
                automaton.takes(bytes.iter().map(|symbol| match symbol {
                    Symbol::Known(byte) => *byte,
                    Symbol::At(place) => byte(*place),
                }))
            }
        }
    }

    /// Demands it, where `byte` gives the bytes at places.
    pub(crate) fn push(
        &self,
        b: &mut Recorder<'_, F2>,
        byte: impl Fn(P) -> Word<Handle, 8>,
    ) -> volery::Result<()> {
        let name = format!("claim {}", self.claim);
        match &self.compared {
            Compared::Digits { relation, digits, bound } => {
                push_digits(b, *relation, digits.iter().zip(bound), &byte, &name)
            }
            Compared::Texts { places, texts } => {
                let bits = places.iter().flat_map(|place| *byte(*place).bits()).collect::<Vec<_>>();
                push_texts(b, &bits, texts, &name)
            }
            Compared::Automaton { automaton, bytes, hidden } => {
                layers(automaton, bytes, *hidden).push(b, |at| bytes[at].word(&byte), &name)
            }
        }
    }
}

/// The layers of an automaton over a value.
fn layers<'a, P>(automaton: &'a Automaton, bytes: &[Symbol<P>], hidden: Possible) -> Layers<'a> {
    let possible = bytes.iter().map(|symbol| match symbol {
        Symbol::Known(byte) => [*byte; 2],
        Symbol::At(_) => hidden,
    });
    Layers::new(automaton, possible.collect())
}

/// A comparison with places that are witnesses of its own.
struct Alone<'c>(&'c Comparison<usize>);

impl Circuit<Recorder<'_, F2>> for Alone<'_> {
    fn run(&self, b: &mut Recorder<'_, F2>) -> volery::Result<()> {
        let places = self.0.places().into_iter().map(|place| Ok((place, Word::witness(b)?)));
        let bytes = places.collect::<volery::Result<BTreeMap<_, _>>>()?;
        self.0.push(b, |place| bytes[&place])
    }
}

impl Comparison<usize> {
    /// The number of its ANDs.
    pub(crate) fn ands(&self) -> u64 {
        Shape::without_depth::<F2>(&Alone(self)).expect("a circuit over bits").mul
    }
}

/// Whether a number of these digits is so to one of public digits.
fn digits_hold<P: Copy>(
    relation: Relation,
    digits: &[Symbol<P>],
    bound: &[u8],
    byte: impl Fn(P) -> u8,
) -> bool {
    // From the first digit on, without a branch on any: what differs first decides.
    let (mut below, mut above) = (false, false);
    for (digit, bound) in digits.iter().zip(bound) {
        let digit = match digit {
            Symbol::Known(digit) => *digit,
            Symbol::At(at) => byte(*at) & 15,
        };
        let undecided = !(below | above);
        below |= undecided & (digit < *bound);
        above |= undecided & (digit > *bound);
    }
    match relation {
        Relation::Less => below,
        Relation::AtMost => !above,
        Relation::Equal => !(below | above),
        Relation::Different => below | above,
        Relation::AtLeast => !below,
        Relation::More => above,
    }
}

/// Demands that a number of digits is so to one of public digits.
fn push_digits<'d, P: Copy + 'd>(
    b: &mut Recorder<'_, F2>,
    relation: Relation,
    digits: impl DoubleEndedIterator<Item = (&'d Symbol<P>, &'d u8)>,
    byte: &dyn Fn(P) -> Word<Handle, 8>,
    name: &str,
) -> volery::Result<()> {
    // From the lowest bit of the last digit.
    let mut bits = Vec::new();
    for (digit, bound) in digits.rev() {
        let word = digit.word(byte);
        bits.extend((0..4).map(|i| (word.bits()[i], bound >> i & 1 == 1)));
    }
    if relation == Relation::Equal {
        return bits.iter().try_for_each(|(bit, bound)| bit.assert_equal(b, Bit::Public(*bound), name));
    }
    // Whether the number is below the bound, above it, or another, by the bits so far.
    let (mut below, mut above, mut other) = (Bit::Public(false), Bit::Public(false), Bit::Public(false));
    for (bit, bound) in bits {
        let differs = if bound { bit.not(b) } else { bit };
        match relation {
            Relation::Less | Relation::AtLeast if bound => below = differs.or(b, below)?,
            Relation::Less | Relation::AtLeast => {
                let same = differs.not(b);
                below = same.and(b, below)?;
            }
            Relation::More | Relation::AtMost if bound => above = bit.and(b, above)?,
            Relation::More | Relation::AtMost => above = bit.or(b, above)?,
            Relation::Equal | Relation::Different => other = differs.or(b, other)?,
        }
    }
    let (bit, expected) = match relation {
        Relation::Less => (below, true),
        Relation::AtLeast => (below, false),
        Relation::More => (above, true),
        Relation::AtMost => (above, false),
        Relation::Equal | Relation::Different => (other, true),
    };
    bit.assert_equal(b, Bit::Public(expected), name)
}

/// Demands that bits are those of one of some texts, no two of which are the same.
fn push_texts(
    b: &mut Recorder<'_, F2>,
    bits: &[Bit<Handle>],
    texts: &[Vec<u8>],
    name: &str,
) -> volery::Result<()> {
    let of = |text: &[u8]| (0..bits.len()).map(|i| text[i / 8] >> (i % 8) & 1 == 1).collect::<Vec<_>>();
    if let [text] = texts {
        let mut each = bits.iter().zip(of(text));
        return each.try_for_each(|(bit, is)| bit.assert_equal(b, Bit::Public(is), name));
    }
    // Of all texts one at most is that of the bits, so that a sum says whether one is.
    let mut is_one = Bit::Public(false);
    for text in texts {
        let mut same = Bit::Public(true);
        for (bit, is) in bits.iter().zip(of(text)) {
            let agrees = if is { *bit } else { bit.not(b) };
            same = same.and(b, agrees)?;
        }
        is_one = is_one.xor(b, same);
    }
    is_one.assert_equal(b, Bit::Public(true), name)
}
