//! The constraints that are linear, which are held: each a form that is zero.

use super::constraint::Term;
use super::prime::Limbs;
use core::ops::Range;
use std::collections::HashMap;

/// Linear constraints, each a form that is zero.
#[derive(Debug)]
pub(super) struct Linear {
    /// For each its number in the file, and where its terms end.
    numbers: Vec<u32>,
    ends: Vec<u32>,
    wires: Vec<u32>,
    /// Numbers of factors.
    factors: Vec<u32>,
    known: Vec<Limbs>,
    numbered: HashMap<Limbs, u32>,
    /// For each wire where its constraints begin in the list of them, once all are there.
    begins: Vec<u32>,
    of_wires: Vec<u32>,
    /// Whether they are too many to be held.
    beyond: bool,
    /// The most terms.
    most: usize,
}

/// The most terms that are held, and the most factors that differ: both sides have to define alike, so that
/// this is a part of the statement's meaning.
pub(super) const MOST_TERMS: usize = 1 << 24;
const MOST_FACTORS: usize = 1 << 20;

impl Linear {
    /// An empty list of constraints, which holds at most `most` terms.
    pub(super) fn of(most: usize) -> Self {
        Self {
            numbers: Vec::new(),
            ends: Vec::new(),
            wires: Vec::new(),
            factors: Vec::new(),
            known: Vec::new(),
            numbered: HashMap::new(),
            begins: Vec::new(),
            of_wires: Vec::new(),
            beyond: false,
            most,
        }
    }

    /// Adds constraint number `number` of the file, behind those of lower numbers.
    pub(super) fn push(&mut self, number: u32, terms: &[Term]) {
        if self.beyond {
            return;
        }
        if self.wires.len() + terms.len() > self.most || self.known.len() + terms.len() > MOST_FACTORS {
            *self = Self { beyond: true, ..Self::of(self.most) };
            return;
        }
        for term in terms {
            let known = &mut self.known;
            let factor = *self.numbered.entry(term.factor).or_insert_with(|| {
                known.push(term.factor);
                known.len() as u32 - 1
            });
            self.wires.push(term.wire);
            self.factors.push(factor);
        }
        self.numbers.push(number);
        self.ends.push(self.wires.len() as u32);
    }

    /// Ends the list, over `wires` wires.
    pub(super) fn end(&mut self, wires: u32) {
        self.numbered = HashMap::new();
        if self.numbers.is_empty() {
            return;
        }
        let mut begins = vec![0u32; wires as usize + 1];
        self.wires.iter().for_each(|wire| begins[*wire as usize + 1] += 1);
        for wire in 0..wires as usize {
            begins[wire + 1] += begins[wire];
        }
        let mut of_wires = vec![0; self.wires.len()];
        let mut next = begins.clone();
        for k in 0..self.numbers.len() {
            for &wire in &self.wires[self.range(k)] {
                of_wires[next[wire as usize] as usize] = k as u32;
                next[wire as usize] += 1;
            }
        }
        (self.begins, self.of_wires) = (begins, of_wires);
    }

    /// The constraints that `wire` is in.
    pub(super) fn with(&self, wire: u32) -> Range<usize> {
        match self.begins.get(wire as usize..wire as usize + 2) {
            Some(&[begin, end]) => begin as usize..end as usize,
            _ => 0..0,
        }
    }

    /// The constraint, by its place in this list, at a `place` that [`Linear::with`] gives.
    pub(super) fn constraint(&self, place: usize) -> usize {
        self.of_wires[place] as usize
    }

    /// Whether they are held, and not too many.
    pub(super) fn are_held(&self) -> bool {
        !self.beyond
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number in the file of constraint `k`.
    pub(super) fn number(&self, k: usize) -> u32 {
        self.numbers[k]
    }

    /// The place in this list of the constraint with this number in the file.
    pub(super) fn of_number(&self, number: u32) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The wires of constraint `k`.
    pub(super) fn wires(&self, k: usize) -> &[u32] {
        &self.wires[self.range(k)]
    }

    /// The terms of constraint `k`.
    pub(super) fn terms(&self, k: usize) -> impl Iterator<Item = Term> + '_ {
        let range = self.range(k);
        let factors = self.factors[range.clone()].iter().map(|factor| self.known[*factor as usize]);
        factors.zip(&self.wires[range]).map(|(factor, wire)| Term { factor, wire: *wire })
    }

    fn range(&self, k: usize) -> Range<usize> {
        let begin = if k == 0 { 0 } else { self.ends[k - 1] };
        begin as usize..self.ends[k] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::r1cs::prime::ONE;

    #[test]
    fn wires_know_their_constraints() {
        let mut linear = Linear::of(MOST_TERMS);
        let terms = |wires: &[u32]| wires.iter().map(|&wire| Term { factor: ONE, wire }).collect::<Vec<_>>();
        for (number, wires) in [(3, &[0, 2][..]), (5, &[]), (6, &[2, 4])] {
            linear.push(number, &terms(wires));
        }
        linear.end(6);
        let with = |wire| linear.with(wire).map(|place| linear.constraint(place)).collect::<Vec<_>>();
        assert_eq!(
            (0..6).map(with).collect::<Vec<_>>(),
            [vec![0], vec![], vec![0, 2], vec![], vec![2], vec![]]
        );
        assert_eq!((linear.len(), linear.number(2), linear.wires(1)), (3, 6, &[][..]));
        assert_eq!(
            [3, 4, 5, 6, 7].map(|number| linear.of_number(number)),
            [Some(0), None, Some(1), Some(2), None]
        );
        assert!(linear.terms(2).eq(terms(&[2, 4])));
    }

    #[test]
    fn too_many_terms_are_not_held() {
        let mut linear = Linear::of(7);
        let terms = [Term { factor: ONE, wire: 3 }; 3];
        for (number, held) in [(0, true), (1, true), (2, false), (3, false)] {
            linear.push(number, &terms);
            assert_eq!(linear.are_held(), held);
        }
        linear.end(4);
        assert_eq!((linear.len(), linear.with(3)), (0, 0..0));
    }
}
