//! Cuts: a node as a function of up to three others.

use super::logic::{Gate, Literal};

/// No leaf.
pub(super) const NONE: u32 = u32::MAX;

/// A function of up to three nodes, the leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    /// The numbers of the leaves in ascending order, [`NONE`] behind the last.
    pub(super) leaves: [u32; 3],
    /// The number of leaves, or [`Cut::ABSENT`]'s.
    count: u8,
    /// Bit i is the value where leaf k has bit k of i; bits are repeated for leaves that there are not.
    pub(super) table: u8,
    /// A bit for each leaf, by the lowest of its number: two cuts that have too many of them do not join.
    marks: u16,
}

/// The functions that are leaf 0, 1 and 2.
const LEAF: [u8; 3] = [0xaa, 0xcc, 0xf0];

impl Cut {
    /// No cut at all.
    pub(super) const ABSENT: Self = Self { leaves: [NONE; 3], count: 4, table: 0, marks: 0 };

    /// The node itself; the constant zero has no leaves.
    #[inline(always)]
    pub(super) fn node(node: u32) -> Self {
        if node == 0 {
            return Self { leaves: [NONE; 3], count: 0, table: 0, marks: 0 };
        }
        Self { leaves: [node, NONE, NONE], count: 1, table: LEAF[0], marks: mark(node) }
    }

    /// A gate as a function of its operands.
    #[inline(always)]
    pub(super) fn gate(gate: Gate) -> Self {
        let [a, b] = gate.operands();
        let cuts = [Self::node(a.node()), Self::node(b.node())];
        let (cut, _) = Self::join(gate, &cuts[0], &cuts[1]).expect("two leaves at most");
        cut
    }

    #[inline(always)]
    pub(super) fn is_absent(&self) -> bool {
        self.count > 3
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.count.into()
    }

    /// The leaves that there are.
    pub(super) fn nodes(&self) -> &[u32] {
        &self.leaves[..self.len().min(3)]
    }

    /// A gate whose operands are these functions, where it has three leaves at most; and whether
    /// one operand or the other is always one.
    #[inline(always)]
    pub(super) fn join(gate: Gate, a: &Self, b: &Self) -> Option<(Self, bool)> {
        let marks = a.marks | b.marks;
        if marks.count_ones() > 3 {
            return None;
        }
        let (leaves, count) = union(&a.leaves, &b.leaves)?;
        let [x, y] = gate.operands();
        let (x, y) = (on(a, &leaves, x), on(b, &leaves, y));
        let table = if gate.is_xor() { x ^ y } else { x & y };
        Some((Self { leaves, count, table, marks }, x | y == 0xff))
    }

    /// The coefficients of the polynomial over F_2: bit i is that of the product of the leaves in i.
    #[inline(always)]
    pub(super) fn polynomial(&self) -> u8 {
        let mut p = self.table;
        p ^= p << 1 & 0xaa;
        p ^= p << 2 & 0xcc;
        p ^ (p << 4 & 0xf0)
    }

    /// The degree of that polynomial.
    #[inline(always)]
    pub(super) fn degree(&self) -> u8 {
        match self.polynomial() {
            p if p & 0b1000_0000 != 0 => 3,
            p if p & 0b0110_1000 != 0 => 2,
            p if p & 0b0001_0110 != 0 => 1,
            _ => 0,
        }
    }

    /// The cut without leaves that it does not depend on.
    #[inline(always)]
    pub(super) fn reduced(mut self) -> Self {
        let polynomial = self.polynomial();
        if (0..self.len()).all(|leaf| polynomial & LEAF[leaf] != 0) {
            return self;
        }
        for leaf in (0..self.len()).rev() {
            if polynomial & LEAF[leaf] == 0 {
                for place in leaf..self.len() - 1 {
                    self.table = swap(self.table, place);
                    self.leaves.swap(place, place + 1);
                }
                self.count -= 1;
                self.leaves[self.len()] = NONE;
            }
        }
        self.marks = self.nodes().iter().fold(0, |marks, leaf| marks | mark(*leaf));
        self
    }
}

#[inline(always)]
fn mark(leaf: u32) -> u16 {
    1 << (leaf % 16)
}

/// The union of two lists of leaves, where it has three at most.
#[inline(always)]
fn union(a: &[u32; 3], b: &[u32; 3]) -> Option<([u32; 3], u8)> {
    let new = |leaf: u32| u8::from(leaf != NONE && leaf != a[0] && leaf != a[1] && leaf != a[2]);
    let known = a.iter().map(|&leaf| u8::from(leaf != NONE)).sum::<u8>();
    let count = known + new(b[0]) + new(b[1]) + new(b[2]);
    if count > 3 {
        return None;
    }
    let mut leaves = [NONE; 3];
    let (mut i, mut j) = (0, 0);
    for leaf in leaves.iter_mut().take(count.into()) {
        let at = |of: &[u32; 3], i: usize| if i < 3 { of[i] } else { NONE };
        let (x, y) = (at(a, i), at(b, j));
        *leaf = x.min(y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    Some((leaves, count))
}

/// The table of `cut` over `leaves`, among which are its own, negated as `literal` is.
#[inline(always)]
fn on(cut: &Cut, leaves: &[u32; 3], literal: Literal) -> u8 {
    let mut table = cut.table;
    match cut.count {
        1 if cut.leaves[0] == leaves[1] => table = swap(table, 0),
        1 if cut.leaves[0] == leaves[2] => table = swap(swap(table, 0), 1),
        2 if cut.leaves[1] == leaves[2] => {
            table = swap(table, 1);
            if cut.leaves[0] == leaves[1] {
                table = swap(table, 0);
            }
        }
        _ => {}
    }
    if literal.negated() { !table } else { table }
}

/// The table where leaves `place` and `place + 1` have changed places.
#[inline(always)]
fn swap(table: u8, place: usize) -> u8 {
    if place == 0 {
        table & 0b1001_1001 | (table & 0b0010_0010) << 1 | (table & 0b0100_0100) >> 1
    } else {
        table & 0b1100_0011 | (table & 0b0000_1100) << 2 | (table & 0b0011_0000) >> 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a cut where node n has bit n of `values`.
    fn value(cut: &Cut, values: u32) -> bool {
        let place: usize = (0..cut.len()).map(|k| ((values >> cut.leaves[k] & 1) as usize) << k).sum();
        cut.table >> place & 1 == 1
    }

    /// Every function of every three of five nodes, joined with every function of two.
    #[test]
    fn joined_cuts_are_the_gate_of_both() {
        let subsets = |size: u32| (0..32u32).filter(move |set| set & 1 == 0 && set.count_ones() <= size);
        let cut = |set: u32, table: u8| {
            let mut leaves = [NONE; 3];
            for (leaf, node) in leaves.iter_mut().zip((0..5).filter(|node| set >> node & 1 == 1)) {
                *leaf = node;
            }
            let count = set.count_ones();
            let full = (0..8u32).fold(0, |full, i| full | (table >> (i % (1 << count)) & 1) << i);
            let marks =
                leaves.iter().filter(|leaf| **leaf != NONE).fold(0, |marks, leaf| marks | mark(*leaf));
            Cut { leaves, count: count as u8, table: full, marks }
        };
        let mut joined = 0;
        for (x, y) in subsets(3).flat_map(|x| subsets(2).map(move |y| (x, y))) {
            for (s, t) in (0..=255u8).step_by(15).flat_map(|s| (0..16u8).map(move |t| (s, t))) {
                let (a, b) = (cut(x, s), cut(y, t));
                let literals = [Literal(u32::from(s & 1)), Literal(2 + u32::from(t & 1))];
                for gate in [Gate::and(literals[0], literals[1]), Gate::xor(literals[0], literals[1])] {
                    let [first, second] = gate.operands();
                    let by = |literal: Literal| if literal.node() == 0 { &a } else { &b };
                    let made = Cut::join(gate, by(first), by(second));
                    assert_eq!(made.is_some(), (x | y).count_ones() <= 3);
                    let Some((made, covers)) = made else { continue };
                    let small = made.reduced();
                    let mut always = true;
                    for values in 0..32 {
                        let [p, q] = [first, second].map(|l| value(by(l), values) ^ l.negated());
                        always &= p | q;
                        let expected = if gate.is_xor() { p ^ q } else { p & q };
                        assert_eq!((value(&made, values), value(&small, values)), (expected, expected));
                    }
                    assert_eq!(covers, always);
                    assert!(small.len() == made.len() || small.len() < made.len());
                    for leaf in small.nodes() {
                        let matters = |values| value(&small, values) != value(&small, values ^ 1 << leaf);
                        assert!((0..32).any(matters), "{small:?}");
                    }
                    joined += 1;
                }
            }
        }
        assert!(joined > 5_000);
    }

    #[test]
    fn degrees_are_those_of_polynomials() {
        for table in 0..=255u8 {
            let cut = Cut { leaves: [1, 2, 3], count: 3, table, marks: 0b1110 };
            let p = cut.polynomial();
            for x in 0..8u8 {
                let sum = (0..8u8).filter(|i| i & x == *i).fold(0, |sum, i| sum ^ (p >> i & 1));
                assert_eq!(sum, table >> x & 1);
            }
            let degree = (0..8u8).filter(|i| p >> i & 1 == 1).map(|i| i.count_ones()).max().unwrap_or(0);
            assert_eq!(u32::from(cut.degree()), degree);
        }
    }
}
