//! The choice of what the wires of each type are: bits, numbers, or words of bits.
//!
//! A proof is over F_2 and one field of numbers. So where a relation uses several odd primes, wires of one of
//! them are numbers, and wires of each other prime are words over F_2 ([`words`](super::words)). Both parties
//! choose alike, by the text alone, once all of it was read:
//!
//! - the prime of which a plugin takes numbers (`extended_arithmetic`, `ram_arith`, `permutation_check`), of
//!   which there may be one;
//! - or else that whose products would cost most as words, which is their number, those of functions as often as
//!   they are called, times the square of its bits; of several with as much the longest, and then the first;
//! - of those alone that go with bits. Where none does, all are words, and no wire is a number.
//!
//! A prime alone is the field of its statement, and so is one beside F_2, if it goes with bits.

use super::body::{Body, Op, hint};
use super::execute::modulus;
use super::field::WireField;
use super::function::Function;
use super::header::Type;
use super::number::Number;
use super::reader::Reader;
use volery_channel::error::{Error, Result};
use volery_circuit::{ResiduePort, ValueStream};
use volery_gadgets::gadget::Modulus;
use volery_primitives::field::is_long_prime;
use volery_primitives::{F61, U256};

/// The fields of a statement.
#[derive(Debug)]
pub(super) struct Choice {
    /// The one field, or the one of numbers.
    pub(super) field: WireField,
    /// Whether F_2 is one beside it.
    pub(super) has_bits: bool,
    /// Whether wires of other primes are words over F_2.
    pub(super) has_words: bool,
}

/// A prime that is used.
struct Prime<'r> {
    kind: u8,
    field: &'r WireField,
    products: u64,
    /// A function that takes its numbers.
    needs: Option<u32>,
}

impl Prime<'_> {
    /// About what its products would cost as words, and its bits.
    fn cost(&self) -> (u128, u64) {
        let bits = self.field.size().bits();
        (u128::from(self.products).saturating_mul(u128::from(bits).pow(2)), bits)
    }
}

impl Reader<'_> {
    /// The fields of the statement, all of which was read, of the file `name`.
    ///
    /// # Errors
    /// Where two primes are to be numbers, or one cannot, or is none.
    pub(super) fn choose(&self, name: &str) -> Result<Choice> {
        let two = self.used().any(|(_, field)| field.is_two());
        let mut primes: Vec<Prime<'_>> = Vec::new();
        for (kind, field) in self.used().filter(|(_, field)| field.is_odd()) {
            let own = self.tally.of(kind);
            match primes.iter_mut().find(|prime| prime.field == field) {
                Some(prime) => {
                    prime.products = prime.products.saturating_add(own.products);
                    prime.needs = prime.needs.or(own.needs);
                }
                None => primes.push(Prime { kind, field, products: own.products, needs: own.needs }),
            }
        }
        let alone = |prime: &Prime<'_>| !two || prime.field.goes_with_bits();
        match &primes[..] {
            [] => {
                let other = self.used().find(|(_, field)| !field.is_two()).map(|(_, field)| field.clone());
                let field = other.unwrap_or_else(|| WireField::of_prime(Number::of(2)));
                return Ok(Choice { field, has_bits: false, has_words: false });
            }
            [prime] if alone(prime) => {
                return Ok(Choice { field: prime.field.clone(), has_bits: two, has_words: false });
            }
            _ => {}
        }
        let needing: Vec<_> = primes.iter().filter(|prime| prime.needs.is_some()).collect();
        let numbers = match &needing[..] {
            [] => {
                let may = primes.iter().filter(|prime| prime.field.goes_with_bits());
                may.rev().max_by_key(|prime| prime.cost())
            }
            [prime] if prime.field.goes_with_bits() => Some(*prime),
            [prime] => {
                return Err(Error::invalid(format!(
                    "{name}: {}, and beside wires of another field numbers are modulo 2^61 - 1, the primes of \
                     Goldilocks and BN254, and those from 17 to 2^256 without a name; {WORDS}",
                    self.needs(prime)
                )));
            }
            [one, other, ..] => {
                return Err(Error::invalid(format!(
                    "{name}: {}, and {}: of several primes one has numbers, and {WORDS}",
                    self.needs(one),
                    self.needs(other)
                )));
            }
        };
        let field = numbers.map_or_else(of_no_wire, |prime| prime.field.clone());
        for prime in &primes {
            let wrong = match prime.field.size().to_element() {
                None => "has more than 256 bits",
                Some(size) if !is_long_prime(U256::from_limbs(size)) => "is not a prime",
                Some(_) => continue,
            };
            return Err(Error::invalid(format!(
                "{name}: type {} ({}) is used beside wires of other fields, and its modulus {wrong}",
                prime.kind,
                prime.field.declared()
            )));
        }
        Ok(Choice { field, has_bits: true, has_words: true })
    }

    /// About how many gates the proof of the statement has, all of which was read: a word is counted by its bits.
    pub(super) fn cost(&self, kinds: &Kinds) -> u64 {
        let words = (0..).zip(&self.header.types).filter_map(|(kind, _)| {
            let bits = kinds.word(kind)?.width() as u64;
            let own = self.tally.of(kind);
            let reads = self.scope.public.count(kind).saturating_add(self.scope.private.count(kind));
            let linear = own.gates.saturating_add(reads).saturating_mul(4 * bits);
            let products = own.products.saturating_mul(4 * bits * bits + 24 * bits);
            Some(linear.saturating_add(products))
        });
        words.fold(self.scope.cost.gates, u64::saturating_add)
    }

    /// The function that takes numbers of a prime, in words.
    fn needs(&self, prime: &Prime<'_>) -> String {
        let function = prime.needs.and_then(|number| self.functions.get(number as usize));
        let (title, plugin) = function.map_or_else(Default::default, |function| {
            (function.title().to_string(), function.plugin.clone())
        });
        format!(
            "function {title} of plugin {plugin} takes wires of type {} ({}) as numbers",
            prime.kind,
            prime.field.declared()
        )
    }
}

/// The plugins that take words, for errors.
const WORDS: &str = "wires of all others are words of bits, which plugins iter, mux, vectors, assert_equal, \
     disjunction and galois_poly take";

/// The field of numbers where no wire is one: 2^61 - 1.
fn of_no_wire() -> WireField {
    WireField::of_prime(Number::of_wide(modulus::<F61>().expect("a prime")))
}

/// The use of types, of those that are used.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Vec<(u8, TypeUse)>);

/// The use of a type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TypeUse {
    products: u64,
    /// The gates of all kinds, a conversion counted by the bits that it may go through.
    gates: u64,
    /// A function of a plugin that takes its wires as numbers.
    needs: Option<u32>,
}

impl Tally {
    fn of(&self, kind: u8) -> TypeUse {
        let place = self.0.binary_search_by_key(&kind, |of| of.0);
        place.map(|place| self.0[place].1).unwrap_or_default()
    }

    fn of_mut(&mut self, kind: u8) -> &mut TypeUse {
        let place = self.0.binary_search_by_key(&kind, |of| of.0).unwrap_or_else(|place| {
            self.0.insert(place, (kind, TypeUse::default()));
            place
        });
        &mut self.0[place].1
    }

    /// Adds the gates of a body, those of function `number` or of the statement.
    pub(super) fn add(&mut self, body: &Body, functions: &[Function], number: Option<u32>) {
        for gate in &body.gates {
            let words = || body.read(gate.b);
            let products = match gate.op {
                Op::Mul | Op::AssertProduct => 1,
                Op::Inner => words().list().count() as u64,
                Op::AssertInner => {
                    let mut words = words();
                    words.long();
                    words.list().count() as u64
                }
                Op::Call | Op::Loop => {
                    let mut words = words();
                    words.long();
                    let times = if gate.op == Op::Loop { words.long() } else { 1 };
                    for &(kind, of) in &functions[gate.a as usize].tally.0 {
                        let own = self.of_mut(kind);
                        own.gates = own.gates.saturating_add(of.gates.saturating_mul(times));
                        own.products = own.products.saturating_add(of.products.saturating_mul(times));
                        own.needs = own.needs.or(of.needs);
                    }
                    continue;
                }
                Op::Hint if gate.out == hint::INVERSE => continue,
                Op::Hint | Op::Permutation | Op::Memory | Op::Read | Op::Write => {
                    let own = self.of_mut(gate.kind);
                    own.needs = own.needs.or(number);
                    continue;
                }
                _ => 0,
            };
            let own = self.of_mut(gate.kind);
            own.gates = own.gates.saturating_add(if gate.op == Op::Convert { 256 } else { 1 });
            own.products = own.products.saturating_add(products);
        }
    }
}

/// The kind of a type's wires.
#[derive(Clone, Debug)]
enum Kind {
    Bits,
    Numbers,
    Word(WordKind),
}

/// The words of a type.
#[derive(Clone, Debug)]
struct WordKind {
    modulus: Modulus,
    /// The bytes of a value in a stream.
    bytes: usize,
}

/// The kinds of all types' wires.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds(Vec<Kind>);

impl Kinds {
    /// The kinds of a statement's types by this choice. A type that it does not use may have any.
    pub(super) fn new(types: &[Type], choice: &Choice) -> Self {
        let kind = |of: &Type| match of {
            Type::Field(field) if field.is_two() => Kind::Bits,
            Type::Field(field) if choice.has_words && field.is_odd() && *field != choice.field => {
                let modulus = field.size().to_element().and_then(|size| Modulus::new(U256::from_limbs(size)));
                let bytes = field.bytes();
                modulus.map_or(Kind::Numbers, |modulus| Kind::Word(WordKind { modulus, bytes }))
            }
            _ => Kind::Numbers,
        };
        Self(types.iter().map(kind).collect())
    }

    /// Whether wires of type `kind` are bits.
    pub(super) fn is_binary(&self, kind: u8) -> bool {
        matches!(self.0.get(kind as usize), Some(Kind::Bits))
    }

    /// The modulus of type `kind`, where its wires are words.
    pub(super) fn word(&self, kind: u8) -> Option<&Modulus> {
        match self.0.get(kind as usize) {
            Some(Kind::Word(of)) => Some(&of.modulus),
            _ => None,
        }
    }

    /// The port of a stream, where its values are words.
    pub(super) fn residues(&self, stream: &ValueStream) -> Option<ResiduePort> {
        let Some(Kind::Word(WordKind { modulus, bytes })) = self.0.get(stream.kind as usize) else {
            return None;
        };
        Some(ResiduePort { name: stream.name.clone(), modulus: modulus.modulus(), bytes: *bytes })
    }

    /// How many bits a wire of type `kind` is, where it is one or several.
    pub(super) fn bits(&self, kind: u8) -> Option<usize> {
        match self.0.get(kind as usize)? {
            Kind::Bits => Some(1),
            Kind::Numbers => None,
            Kind::Word(of) => Some(of.modulus.width()),
        }
    }

    /// How many wires of the proof one of each type is.
    pub(super) fn widths(&self) -> Vec<usize> {
        (0..self.0.len()).map(|kind| self.bits(kind as u8).unwrap_or(1)).collect()
    }
}
