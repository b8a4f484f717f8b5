//! Constraints, one after the other: A·B = C for three linear forms.

use super::header::Header;
use super::input::Input;
use super::prime::{Limbs, ONE, Prime};
use core::fmt::{self, Display};
use volery_channel::error::{Error, Result};

/// A wire with a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) factor: Limbs,
    pub(super) wire: u32,
}

/// A constraint: terms whose factor is zero are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Constraint {
    /// The number of the constraint in the file, from 0.
    pub(super) number: u32,
    /// A, B and C.
    pub(super) forms: [Vec<Term>; 3],
}

impl Constraint {
    /// Whether one of A and B is zero, 1 or -1: then it says that a form is zero.
    #[inline]
    pub(super) fn is_linear(&self, minus_one: &Limbs) -> bool {
        let [a, b, _] = &self.forms;
        let constant = |form: &[Term]| match form {
            [] => true,
            [Term { factor, wire: 0 }] => *factor == ONE || factor == minus_one,
            _ => false,
        };
        constant(a) || constant(b)
    }

    /// Makes `terms` the form that is zero where it is linear: one term for each wire, in their order.
    pub(super) fn difference(&self, prime: &Prime, terms: &mut Vec<Term>) {
        terms.clear();
        let [a, b, c] = &self.forms;
        let minus_one = prime.minus_one();
        let unit = |form: &[Term]| match form {
            [Term { factor, wire: 0 }] => *factor == ONE || *factor == minus_one,
            _ => false,
        };
        let product = match (a.is_empty() || b.is_empty(), unit(a)) {
            (true, _) => None,
            (false, true) => Some((a[0].factor, b)),
            (false, false) => Some((b[0].factor, a)),
        };
        if let Some((sign, form)) = product {
            let signed = |term: &Term| match sign == ONE {
                true => *term,
                false => Term { factor: prime.negated(&term.factor), ..*term },
            };
            terms.extend(form.iter().map(signed));
        }
        terms.extend(c.iter().map(|term| Term { factor: prime.negated(&term.factor), ..*term }));
        terms.sort_by_key(|term| term.wire);
        let mut kept = 0;
        for i in 0..terms.len() {
            if kept > 0 && terms[kept - 1].wire == terms[i].wire {
                terms[kept - 1].factor = prime.sum(&terms[kept - 1].factor, &terms[i].factor);
            } else {
                kept += usize::from(kept == 0 || terms[kept - 1].factor != [0; 4]);
                terms[kept - 1] = terms[i];
            }
        }
        terms.truncate(kept);
        if terms.last().is_some_and(|term| term.factor == [0; 4]) {
            terms.pop();
        }
    }
}

/// The place of a form, for errors.
#[derive(Clone, Copy)]
struct FormPlace {
    constraint: u32,
    form: usize,
}

impl Display for FormPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "constraint {}, form {}", self.constraint, ["A", "B", "C"][self.form])
    }
}

/// Reads them from a file.
pub(super) struct Parser {
    header: Header,
    /// The number of the next one.
    next: u32,
    /// The wires of a form, terms whose factor is zero included.
    wires: Vec<u32>,
}

impl Parser {
    /// A parser before the first constraint.
    pub(super) fn new(header: &Header) -> Self {
        Self { header: *header, next: 0, wires: Vec::new() }
    }

    /// Reads the next one of `input` into `constraint`, and tells whether there is one.
    ///
    /// # Errors
    /// `Invalid` where the section is malformed.
    pub(super) fn next(&mut self, input: &mut Input<'_>, constraint: &mut Constraint) -> Result<bool> {
        if self.next == self.header.constraints {
            return if input.left() == 0 { Ok(false) } else { Err(self.bytes_left(input)) };
        }
        constraint.number = self.next;
        for (form, terms) in constraint.forms.iter_mut().enumerate() {
            self.form(input, FormPlace { constraint: self.next, form }, terms)?;
        }
        self.next += 1;
        Ok(true)
    }

    #[inline]
    fn form(&mut self, input: &mut Input<'_>, place: FormPlace, terms: &mut Vec<Term>) -> Result<()> {
        terms.clear();
        let count = input.word(format_args!("{place}: the number of terms"))?;
        let size = 4 + self.header.prime.bytes;
        if u64::from(count) * size as u64 > input.left() {
            return Err(self.too_many(input, place, count, size));
        }
        let (begin, mut term) = (input.at(), 0);
        // Behind the one before: of forms in another order all wires are compared in the end.
        let (mut next, mut in_order) = (0, true);
        self.wires.clear();
        while term < count {
            // All of them are there.
            for bytes in input.take_some(size, (count - term) as usize, "a term")?.chunks_exact(size) {
                let (wire, factor) = bytes.split_at(4);
                let wire = u32::from_le_bytes(wire.try_into().expect("four bytes"));
                in_order &= u64::from(wire) >= next;
                next = u64::from(wire) + 1;
                self.wires.push(wire);
                match self.header.prime.read(factor) {
                    Some([0, 0, 0, 0]) if wire < self.header.wires => {}
                    Some(factor) if wire < self.header.wires => terms.push(Term { factor, wire }),
                    _ => {
                        let at = begin + u64::from(term) * size as u64;
                        return Err(self.out_of_range(input, at, place, term, wire));
                    }
                }
                term += 1;
            }
        }
        if in_order {
            return Ok(());
        }
        let mut sorted = self.wires.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.twice(input, begin, place, pair[0])),
            None => Ok(()),
        }
    }

    /// The error of a form with a wire that stands twice in it, whose terms begin at byte `begin`.
    #[cold]
    fn twice(&self, input: &Input<'_>, begin: u64, place: FormPlace, wire: u32) -> Error {
        let mut terms = (0..).zip(&self.wires).filter(|(_, other)| **other == wire);
        let term: u64 = terms.nth(1).map_or(0, |(term, _)| term);
        let at = begin + term * (4 + self.header.prime.bytes as u64);
        input.invalid_at(
            at,
            format_args!(
                "{place}, term {term}: wire {wire} stands twice in it, of which some readers take the sum, and others \
                 the last: write one term for it"
            ),
        )
    }

    #[cold]
    fn too_many(&self, input: &Input<'_>, place: FormPlace, count: u32, size: usize) -> Error {
        input.invalid(format_args!(
            "{place}: {count} terms are announced, and the section holds at most {} more: is the file truncated?",
            input.left() / size as u64
        ))
    }

    /// The error of a term that begins at byte `at`.
    #[cold]
    fn out_of_range(&self, input: &Input<'_>, at: u64, place: FormPlace, term: u32, wire: u32) -> Error {
        if wire >= self.header.wires {
            let wires = self.header.wires;
            return input.invalid_at(
                at,
                format_args!("{place}, term {term}: there is no wire {wire}: the header announces {wires}"),
            );
        }
        let prime = self.header.prime;
        input.invalid_at(
            at + 4,
            format_args!("{place}, term {term}: the factor is not below the prime {prime}"),
        )
    }

    #[cold]
    fn bytes_left(&self, input: &Input<'_>) -> Error {
        input.invalid(format_args!(
            "{} of the section stand behind the last of {} constraints",
            super::input::bytes(input.left()),
            self.header.constraints
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::Goldilocks;

    fn term(factor: i64, wire: u32) -> Term {
        let prime = Prime::of::<Goldilocks>();
        let limbs = [factor.unsigned_abs(), 0, 0, 0];
        Term { factor: if factor < 0 { prime.negated(&limbs) } else { limbs }, wire }
    }

    fn difference(forms: [&[Term]; 3]) -> Option<Vec<Term>> {
        let prime = Prime::of::<Goldilocks>();
        let constraint = Constraint { number: 0, forms: forms.map(<[Term]>::to_vec) };
        let mut terms = vec![term(9, 9)];
        constraint.difference(&prime, &mut terms);
        constraint.is_linear(&prime.minus_one()).then_some(terms)
    }

    #[test]
    fn linear_constraints_are_one_form() {
        let (x, y) = (term(3, 2), term(-1, 1));
        assert_eq!(difference([&[], &[], &[x, y]]), Some(vec![term(1, 1), term(-3, 2)]));
        assert_eq!(difference([&[x], &[], &[y]]), Some(vec![term(1, 1)]));
        assert_eq!(difference([&[term(1, 0)], &[x, y], &[x]]), Some(vec![y]));
        assert_eq!(
            difference([&[x, y], &[term(-1, 0)], &[term(2, 0)]]),
            Some(vec![term(-2, 0), term(1, 1), term(-3, 2)])
        );
        // What cancels is left out, wherever it stands.
        assert_eq!(difference([&[term(1, 0)], &[x, x, y], &[term(6, 2), y, y]]), Some(vec![term(1, 1)]));
        assert_eq!(difference([&[term(1, 0)], &[x], &[x]]), Some(vec![]));
        assert_eq!(difference([&[term(1, 0)], &[y, x], &[y, x]]), Some(vec![]));
        assert_eq!(difference([&[term(1, 0)], &[y, x], &[y]]), Some(vec![x]));
    }

    #[test]
    fn products_are_told_apart() {
        let x = term(1, 1);
        for factor in [&[x][..], &[term(2, 0)], &[term(1, 0), x], &[term(1, 0), term(1, 0)]] {
            assert!(
                !Constraint { number: 0, forms: [factor, &[x], &[]].map(<[Term]>::to_vec) }
                    .is_linear(&Prime::of::<Goldilocks>().minus_one())
            );
        }
    }
}
