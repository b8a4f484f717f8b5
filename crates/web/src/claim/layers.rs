//! Walks of automata over values of a known length, by gates.
//!
//! **Layers.** At each place of a value a walk is in one of the states from which so many more bytes lead to its end;
//! states that do so by the same bytes are one. So a format of fixed places has one state at each, and a walk is no more
//! than a demand on each byte.
//!
//! **Gates.** Of each state there is a bit, and at most one of them is set. A byte is demanded to be one that leads on
//! from any state of its layer: a letter is told by its bits alone, a digit by 2 ANDs. Each bit of the next layer is the
//! sum of states, times whether the byte is one that leads there: one AND for each set of bytes that leads to it, and
//! none where all possible bytes do; and what tells of each set (`bytes`). Where no byte leads on, bits vanish, or this
//! is demanded not to be, and one bit of the next layer is what others leave of the sum: whichever takes less. A layer
//! of one state demands that its bit is set; the last one is such.
//!
//! | a value in its quotes that matches | ANDs |
//! |---|---|
//! | `DE[0-9]{20}` | 2 for each digit: 40 |
//! | `[a-z.]+@example\.com` | 12 for each byte before the name |

use super::automaton::{Automaton, Edge, append};
use super::bytes::{self, ByteSet, Indicators};
use std::collections::{BTreeMap, HashMap};
use volery::F2;
use volery::circuit::Backend as _;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};

/// The class of states from which so many bytes do not lead to an end.
const NONE: u16 = u16::MAX;

/// The bytes that one of a value can be, from the lowest to the highest.
pub(super) type Possible = [u8; 2];

/// An automaton over values of one length.
pub(super) struct Layers<'a> {
    automaton: &'a Automaton,
    possible: Vec<Possible>,
    /// The class of each state, at each place and at the end.
    classes: Vec<Vec<u16>>,
}

/// The step from one layer to the next.
struct Step {
    /// A state of each class of the next layer.
    states: Vec<u16>,
    /// For each class of this layer the bytes that lead to one of the next.
    rows: Vec<BTreeMap<usize, ByteSet>>,
}

impl<'a> Layers<'a> {
    /// The layers for values whose bytes can be these.
    pub(super) fn new(automaton: &'a Automaton, possible: Vec<Possible>) -> Self {
        let end = automaton.states.iter().map(|state| if state.accepts { 0 } else { NONE });
        let mut classes: Vec<Vec<u16>> = vec![end.collect()];
        for possible in possible.iter().rev() {
            let behind = classes.last().expect("the end");
            let mut numbers = HashMap::new();
            let of_layer = automaton.states.iter().map(|state| {
                let mut signature = Vec::new();
                for edge in clipped(&state.edges, *possible) {
                    let to = behind[usize::from(edge.to)];
                    if to != NONE {
                        append(&mut signature, Edge { to, ..edge });
                    }
                }
                let number = numbers.len() as u16;
                if signature.is_empty() { NONE } else { *numbers.entry(signature).or_insert(number) }
            });
            let of_layer = of_layer.collect();
            classes.push(of_layer);
        }
        classes.reverse();
        Self { automaton, possible, classes }
    }

    /// Whether no value of this length matches.
    pub(super) fn is_empty(&self) -> bool {
        self.classes[0][0] == NONE
    }

    /// The step from these states at a place.
    fn step(&self, at: usize, from: &[u16]) -> Step {
        let mut states = Vec::new();
        let behind = &self.classes[at + 1];
        let rows = from.iter().map(|state| {
            let mut row = BTreeMap::<_, ByteSet>::new();
            for Edge { low, high, to } in
                clipped(&self.automaton.states[usize::from(*state)].edges, self.possible[at])
            {
                let class = behind[usize::from(to)];
                if class == NONE {
                    continue;
                }
                let known = states.iter().position(|state| behind[usize::from(*state)] == class);
                let number = known.unwrap_or_else(|| {
                    states.push(to);
                    states.len() - 1
                });
                let set = row.entry(number).or_default();
                *set = set.or(ByteSet::range(low, high));
            }
            row
        });
        let rows = rows.collect();
        Step { states, rows }
    }

    /// Demands that the bytes match.
    ///
    /// # Panics
    /// Where no value of this length does.
    pub(super) fn push(
        &self,
        b: &mut Recorder<'_, F2>,
        byte: impl Fn(usize) -> Word<Handle, 8>,
        name: &str,
    ) -> volery::Result<()> {
        assert!(!self.is_empty(), "a claim that is settled");
        b.scope(|b| {
            let mut states = vec![0];
            let mut bits = vec![Bit::Public(true)];
            for (at, [low, high]) in self.possible.iter().enumerate() {
                let step = self.step(at, &states);
                let byte = byte(at);
                bits = b.scope(|b| {
                    let mut indicators = Indicators::new(&byte, ByteSet::range(*low, *high));
                    step.push(b, &mut indicators, &bits, name)
                })?;
                states = step.states;
            }
            Ok(())
        })
    }
}

impl Step {
    /// The bits of the next layer, from those of this one.
    fn push(
        &self,
        b: &mut Recorder<'_, F2>,
        indicators: &mut Indicators<'_>,
        bits: &[Bit<Handle>],
        name: &str,
    ) -> volery::Result<Vec<Bit<Handle>>> {
        let none = self.states.len();
        let union =
            |row: &BTreeMap<_, ByteSet>| row.values().fold(ByteSet::default(), |all, set| all.or(*set));
        let all = self.rows.iter().map(union).fold(ByteSet::default(), ByteSet::or);
        indicators.demand(b, all, name)?;
        // The sums of states from which a set of bytes leads to a class, or to none; and the bits of all of these.
        let mut sums = BTreeMap::new();
        let mut next = vec![Bit::Public(false); none + 1];
        for (bit, row) in bits.iter().zip(&self.rows) {
            let lost = all.without(union(row));
            let lost = (!lost.is_empty()).then_some((&none, &lost));
            for (to, set) in row.iter().chain(lost) {
                let sum = if *set == all {
                    &mut next[*to]
                } else {
                    sums.entry((*to, *set)).or_insert(Bit::Public(false))
                };
                *sum = sum.xor(b, *bit);
            }
        }
        let ands = |to: &usize| sums.keys().filter(|(of, _)| of == to).count();
        let left = (0..=none).max_by_key(ands).expect("a class");
        for ((to, set), sum) in sums.iter().filter(|((to, _), _)| *to != left) {
            let leads = indicators.is_in(b, *set)?;
            let leads = sum.and(b, leads)?;
            next[*to] = next[*to].xor(b, leads);
        }
        let lost = next.pop().expect("the bit of none");
        if left < none {
            if sums.keys().any(|(to, _)| *to == none) {
                lost.assert_equal(b, Bit::Public(false), name)?;
            }
            next[left] = Bit::Public(false);
            next[left] =
                bits.iter().chain(&next.clone()).fold(Bit::Public(false), |sum, bit| sum.xor(b, *bit));
        }
        if let [bit] = &mut next[..] {
            bit.assert_equal(b, Bit::Public(true), name)?;
            *bit = Bit::Public(true);
        }
        Ok(next)
    }
}

/// The edges for possible bytes.
fn clipped(edges: &[Edge], [low, high]: Possible) -> impl Iterator<Item = Edge> {
    let clipped =
        edges.iter().map(move |edge| Edge { low: edge.low.max(low), high: edge.high.min(high), ..*edge });
    clipped.filter(|edge| edge.low <= edge.high)
}

/// The most ANDs of a walk over a value of at most so many bytes: for each two states with an edge at each place one, and
/// as many as an indicator has at most.
pub(super) fn most_ands(automaton: &Automaton, most_bytes: usize) -> u64 {
    let mut from = vec![0_u16];
    let mut ands = 0;
    for _ in 0..most_bytes {
        let mut next = vec![false; automaton.states.len()];
        let mut steps = 1;
        for state in &from {
            let mut to: Vec<_> =
                automaton.states[usize::from(*state)].edges.iter().map(|edge| edge.to).collect();
            to.sort_unstable();
            to.dedup();
            // None is one, too.
            steps += to.len() as u64 + 1;
            to.iter().for_each(|to| next[usize::from(*to)] = true);
        }
        ands += steps * (1 + bytes::MOST_ANDS);
        from = (0..).zip(next).filter_map(|(state, is)| is.then_some(state)).collect();
        if from.is_empty() {
            break;
        }
    }
    ands
}

/// The most bytes of an automaton and its layers over a value of at most so many bytes.
pub(super) fn most_bytes(automaton: &Automaton, most_bytes: usize) -> u64 {
    let states = automaton.states.len();
    let held = size_of_val(&automaton.states[..]) + automaton.edges().count() * size_of::<Edge>();
    // A class of each state at each place, and a bit; and the value's bytes with their places.
    (held + most_bytes * (states * (size_of::<u16>() + 32) + 64)) as u64
}
