//! Tables as gates, with few ANDs.
//!
//! A table of up to six inputs is a function f, which is split by x, an input or the sum of two: f = f₀ +
//! x·(f₀ + f₁), or the same from f₁. Which x, and which of both, is that of the fewest ANDs: of up to four inputs by
//! looking at all, and of more at the few that seem best by their polynomials, so that a table takes a bounded
//! number of steps. What has one product of sums, or the terms of a majority, is one AND: a table of two inputs
//! becomes the gate that it would be in AIGER, so that sums and adders are recognised among these as they are
//! there. Larger tables are made row by row.

use crate::netlist::{Gate, Literal};
use std::collections::HashMap;

/// Makes gates.
pub(super) struct Builder {
    first: u32,
    pub(super) gates: Vec<Gate>,
    /// How functions of more than three inputs are split, and the ANDs that they take.
    known: HashMap<u64, (Split, u32)>,
}

/// An input, or its sum with another, and whether the function is split from where that is one.
#[derive(Clone, Copy)]
struct Split {
    input: usize,
    plus: Option<usize>,
    from_one: bool,
}

/// The most inputs of a function all splits of which are looked at.
const ALL_SPLITS: u32 = 4;

/// The splits that are looked at of a function of more inputs.
const BEST_SPLITS: usize = 2;

/// Functions whose split is remembered.
const KNOWN: usize = 1 << 18;

/// The most inputs of a table that is looked at as a function.
const INPUTS: usize = 6;

/// The functions that are input 0, 1, ….
const INPUT: [u64; INPUTS] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Builder {
    /// A builder whose first gate is this node.
    pub(super) fn new(first: u32) -> Self {
        Self { first, gates: Vec::new(), known: HashMap::new() }
    }

    /// How many functions were split, and are remembered.
    #[cfg(test)]
    pub(super) fn splits(&self) -> usize {
        self.known.len()
    }

    /// The literal that is one where a row covers the inputs.
    pub(super) fn table(&mut self, inputs: &[Literal], rows: &[&[u8]]) -> Literal {
        if inputs.len() <= INPUTS {
            let mut function = 0;
            for row in rows {
                let literals = row.iter().zip(INPUT);
                function |= literals.fold(u64::MAX, |cube, (byte, input)| match byte {
                    b'0' => cube & !input,
                    b'1' => cube & input,
                    _ => cube,
                });
            }
            return self.function(function, inputs);
        }
        let mut any = Literal::ZERO;
        for row in rows {
            let mut cube = Literal::ONE;
            for (&input, byte) in inputs.iter().zip(*row) {
                if *byte != b'-' {
                    cube = self.and(cube, input.flip(*byte == b'0'));
                }
            }
            any = self.and(any.flip(true), cube.flip(true)).flip(true);
        }
        any
    }

    /// The function of these inputs.
    fn function(&mut self, function: u64, inputs: &[Literal]) -> Literal {
        let polynomial = polynomial(function);
        if let Some(simple) = Simple::of(polynomial) {
            return self.simple(polynomial, simple, inputs);
        }
        let (Split { input, plus, from_one }, _) = self.split(function);
        let [zero, one] = cofactors(twisted(function, input, plus), input);
        let base = self.function(if from_one { one } else { zero }, inputs);
        let difference = self.function(zero ^ one, inputs);
        let by = plus.map_or(inputs[input], |plus| self.xor(inputs[input], inputs[plus]));
        let product = self.and(by.flip(from_one), difference);
        self.xor(base, product)
    }

    /// A function of one product of sums at most.
    fn simple(&mut self, polynomial: u64, simple: Simple, inputs: &[Literal]) -> Literal {
        // The inputs that are added, and the constant.
        let alone = |place: &usize| polynomial >> (1u64 << place) & 1 == 1;
        let mut added = (0..inputs.len()).filter(alone).fold(0, |set, place| set | 1 << place);
        let mut constant = polynomial & 1 == 1;
        let mut sum = match simple {
            Simple::Sum => Literal::ZERO,
            Simple::Product(left, right) => {
                // (l + b)·(r + a) = l·r + a·l + b·r + a·b: what is added may be negations of the factors.
                let factors = [(false, false), (true, false), (false, true), (true, true)];
                let adds = |&(a, b): &(bool, bool)| (if a { left } else { 0 }) ^ (if b { right } else { 0 });
                let negated = factors.into_iter().find(|factors| adds(factors) == added);
                let (a, b) = negated.unwrap_or_default();
                if negated.is_some() {
                    (added, constant) = (0, constant ^ (a && b));
                }
                let [left, right] = [left, right].map(|set| self.sum(set, inputs));
                self.and(left.flip(b), right.flip(a))
            }
            Simple::Majority(a, b, c) => {
                let (left, right) = (self.xor(inputs[a], inputs[b]), self.xor(inputs[a], inputs[c]));
                let product = self.and(left, right);
                self.xor(product, inputs[a])
            }
        };
        for place in members(added) {
            sum = self.xor(sum, inputs[place]);
        }
        sum.flip(constant)
    }

    fn sum(&mut self, set: u32, inputs: &[Literal]) -> Literal {
        let members = inputs.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
        members.fold(Literal::ZERO, |sum, (_, &input)| self.xor(sum, input))
    }

    /// How a function is split that is not simple, and the ANDs that it takes.
    fn split(&mut self, function: u64) -> (Split, u32) {
        if let Some(known) = self.known.get(&function) {
            return *known;
        }
        let mut splits = Vec::with_capacity(2 * 21);
        let support_of = support(function);
        for input in members(support_of) {
            let sums = members(support_of).filter(|other| *other > input).map(Some);
            for plus in [None].into_iter().chain(sums) {
                let [zero, one] = cofactors(twisted(function, input, plus), input);
                let of = |from_one, base| (Split { input, plus, from_one }, base, zero ^ one);
                splits.extend([of(false, zero), of(true, one)]);
            }
        }
        if support_of.count_ones() > ALL_SPLITS {
            splits.sort_by_cached_key(|(_, base, difference)| estimate(*base) + estimate(*difference));
            splits.truncate(BEST_SPLITS);
        }
        let costs = splits.into_iter().map(|(split, base, difference)| {
            let product = u32::from(support(difference) != 0);
            (split, self.cost(base) + self.cost(difference) + product)
        });
        let best = costs.min_by_key(|(_, cost)| *cost).expect("what depends on nothing is simple");
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        self.known.insert(function, best);
        best
    }

    fn cost(&mut self, function: u64) -> u32 {
        match Simple::of(polynomial(function)) {
            Some(Simple::Sum) => 0,
            Some(_) => 1,
            None => self.split(function).1,
        }
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        self.gate(false, a, b)
    }

    fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let negated = a.negated() ^ b.negated();
        self.gate(true, a.flip(a.negated()), b.flip(b.negated())).flip(negated)
    }

    fn gate(&mut self, xor: bool, a: Literal, b: Literal) -> Literal {
        match Gate::folded(xor, a, b) {
            Ok(literal) => literal,
            Err(gate) => {
                self.gates.push(gate);
                Literal::of(self.first + self.gates.len() as u32 - 1)
            }
        }
    }
}

/// A function that takes one AND at most.
#[derive(Clone, Copy)]
enum Simple {
    Sum,
    /// The product of two sums of inputs, each given as a set.
    Product(u32, u32),
    /// The majority of three inputs: the sum of the products of two of them.
    Majority(usize, usize, usize),
}

impl Simple {
    /// How a function is made whose terms of degree two are none, one product of sums, or those of a
    /// majority.
    fn of(polynomial: u64) -> Option<Self> {
        let mut higher = polynomial & !(DEGREE[0] | DEGREE[1]);
        if higher & !DEGREE[2] != 0 || higher.count_ones() > 3 {
            return None;
        }
        let count = higher.count_ones();
        let mut terms = [0; 4];
        for term in &mut terms[..count as usize] {
            *term = higher.trailing_zeros();
            higher &= higher - 1;
        }
        let lowest = |set: u32| 1 << set.trailing_zeros();
        let [first, second, third, _] = terms;
        match count {
            0 => Some(Self::Sum),
            1 => Some(Self::Product(lowest(first), first & !lowest(first))),
            2 => (first & second != 0).then_some(Self::Product(first & second, first ^ second)),
            _ => {
                let all = first | second | third;
                let mut inputs = members(all);
                let mut next = || inputs.next().expect("three of them");
                (all.count_ones() == 3).then(|| Self::Majority(next(), next(), next()))
            }
        }
    }
}

/// The terms of each degree.
const DEGREE: [u64; INPUTS + 1] = {
    let mut terms = [0; INPUTS + 1];
    let mut term = 0u64;
    while term < 64 {
        terms[term.count_ones() as usize] |= 1 << term;
        term += 1;
    }
    terms
};

/// A number that grows with the ANDs of a function, roughly: by its degree, its terms and its inputs.
fn estimate(function: u64) -> u32 {
    let polynomial = polynomial(function);
    match Simple::of(polynomial) {
        Some(Simple::Sum) => 0,
        Some(_) => 4,
        None => {
            let degree = (2..=INPUTS).rfind(|degree| polynomial & DEGREE[*degree] != 0).unwrap_or(0);
            let terms = (polynomial & !(DEGREE[0] | DEGREE[1])).count_ones();
            8 * degree as u32 + terms + 4 * support(function).count_ones()
        }
    }
}

/// The numbers in a set.
fn members(set: u32) -> impl Iterator<Item = usize> {
    (0..INPUTS).filter(move |input| set >> input & 1 == 1)
}

/// The function of the sum of an input and another in the place of the former.
fn twisted(function: u64, input: usize, plus: Option<usize>) -> u64 {
    let Some(plus) = plus else { return function };
    let swapped = (function & INPUT[input]) >> (1 << input) | (function & !INPUT[input]) << (1 << input);
    function & !INPUT[plus] | swapped & INPUT[plus]
}

/// The function where an input is zero, and where it is one.
fn cofactors(function: u64, input: usize) -> [u64; 2] {
    let (zero, one) = (function & !INPUT[input], function & INPUT[input]);
    [zero | zero << (1 << input), one | one >> (1 << input)]
}

/// The inputs that matter.
fn support(function: u64) -> u32 {
    let matters = |input: &usize| {
        let [zero, one] = cofactors(function, *input);
        zero != one
    };
    (0..INPUTS).filter(matters).fold(0, |set, input| set | 1 << input)
}

/// The coefficients over F_2: bit i is that of the product of the inputs in i.
fn polynomial(mut function: u64) -> u64 {
    for (place, input) in INPUT.iter().enumerate() {
        function ^= function << (1 << place) & input;
    }
    function
}
