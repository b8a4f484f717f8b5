//! Computations of plugins, as gates.

mod arithmetic;
mod disjunction;
mod memory;
mod mux;
mod polynomial;
mod vectors;

use super::body::{NONE, Op, of};
use super::field::WireField;
use super::function::{Function, MOST_KEPT, calls};
use super::header::{Argument, Binding, Type};
use super::number::Element;
use super::reader::Reader;
use super::scope::Scope;
use volery_channel::error::Result;

/// The plugins that are known, for errors.
const KNOWN: &str = "mux, iter, vectors, assert_equal, extended_arithmetic, ram_arith, ram_bool, \
    permutation_check, disjunction, galois_disjunction and galois_poly, with _v0 or _v1 behind them; vectors may be \
    called wizkit_vectors";

/// A function that is bound to a plugin: what it is to compute, and where it was bound.
pub(super) struct Bound<'f> {
    function: &'f Function,
    /// The type of all its wires.
    kind: u8,
    /// The slots of each input.
    ins: Vec<Vec<u32>>,
    line: u64,
    /// The field has two elements.
    binary: bool,
    /// Wires of its type are words.
    word: bool,
    field: WireField,
}

impl Bound<'_> {
    /// -1.
    fn minus_one(&self) -> Element {
        self.field.minus_one().expect("checked when it was bound")
    }

    /// The element `value`, which there is.
    fn element(&self, value: u64) -> Element {
        [value, 0, 0, 0]
    }

    /// `value - less` in the field of a prime.
    fn minus(&self, value: Element, less: u64) -> Element {
        let modulus = self.field.size().to_element().expect("checked when it was bound");
        let zero = value == [0; 4];
        let mut words = if zero { modulus } else { value };
        let mut borrow = less;
        for word in &mut words {
            let (rest, under) = word.overflowing_sub(borrow);
            (*word, borrow) = (rest, under.into());
        }
        // The modulus less nothing, which is zero.
        if words == modulus { [0; 4] } else { words }
    }

    /// `-value`, of an element of the field of a prime.
    fn negated(&self, value: Element) -> Element {
        if value == [0; 4] {
            return value;
        }
        let mut words = self.field.size().to_element().expect("checked when it was bound");
        let mut borrow = false;
        for (word, less) in words.iter_mut().zip(value) {
            let (rest, under) = word.overflowing_sub(less);
            let (rest, again) = rest.overflowing_sub(borrow.into());
            (*word, borrow) = (rest, under || again);
        }
        words
    }

    /// The lengths of the outputs.
    fn outs(&self) -> Vec<u64> {
        self.function.outs.iter().map(|list| list.1).collect()
    }
}

impl Reader<'_> {
    /// The gates of `function`, which is bound to a plugin, in `scope`: the slots of its results.
    pub(super) fn bound(
        &mut self,
        scope: &mut Scope,
        function: &Function,
        binding: &Binding,
    ) -> Result<Vec<u32>> {
        let name = binding.plugin.strip_suffix("_v0").or(binding.plugin.strip_suffix("_v1"));
        let name = match name.unwrap_or(&binding.plugin) {
            // What it was called first.
            "wizkit_vectors" => "vectors",
            name => name,
        };
        let operation = (name, &*binding.operation);
        match operation {
            ("ram_arith" | "ram_bool", _) => return self.memory(scope, function, binding),
            ("permutation_check", "assert_perm") => {}
            ("disjunction" | "galois_disjunction", "switch") => {
                return self.disjunction(scope, function, binding);
            }
            ("galois_poly", "prod_eq" | "shift_eq") => {}
            ("iter", "map" | "map_enumerated") => return self.iterated(scope, function, binding),
            ("mux", _) | ("assert_equal", _) => {}
            ("vectors", "add" | "mul" | "addc" | "mulc" | "add_scalar" | "mul_scalar") => {}
            ("vectors", "sum" | "product" | "dotproduct" | "dotprod") => {}
            ("extended_arithmetic", "bit_decompose" | "less_than" | "less_than_equal" | "division") => {}
            (
                "iter"
                | "vectors"
                | "extended_arithmetic"
                | "permutation_check"
                | "disjunction"
                | "galois_disjunction"
                | "galois_poly",
                other,
            ) => {
                return Err(self
                    .text
                    .fail(format_args!("plugin {} has no operation {other}", binding.plugin)));
            }
            _ => {
                return Err(self.text.fail(format_args!(
                    "plugin {}, operation {}, is not known: there are {KNOWN}",
                    binding.plugin, binding.operation
                )));
            }
        }
        let bound = self.bind(function)?;
        if matches!(name, "mux" | "extended_arithmetic" | "permutation_check") {
            self.of_numbers(bound.kind, &format!("plugin {}", binding.plugin))?;
        }
        let results = match operation {
            ("mux", _) => mux::mux(scope, &bound, binding),
            ("assert_equal", _) => vectors::equal(scope, &bound),
            ("permutation_check", _) => vectors::permutation(scope, &bound, binding),
            ("galois_poly", "prod_eq") => polynomial::product(scope, &bound),
            ("galois_poly", _) => polynomial::shift(scope, &bound),
            ("vectors", operation) => vectors::compute(scope, &bound, operation, binding),
            (_, operation) => arithmetic::compute(scope, &bound, operation),
        };
        results.map_err(|why| {
            self.text.fail(format_args!("{} of plugin {}: {why}", binding.operation, binding.plugin))
        })
    }

    /// Looks at a function all wires of which are to be of one field.
    fn bind<'f>(&mut self, function: &'f Function) -> Result<Bound<'f>> {
        let mut kinds = function.ins.iter().chain(&function.outs).map(|list| list.0);
        let Some(kind) = kinds.next() else {
            return Err(self.text.fail("a plugin's function without wires"));
        };
        if kinds.any(|other| other != kind) {
            return Err(self.text.fail("the function of such a plugin takes and gives wires of one type"));
        }
        // It is used where the function is called.
        let Type::Field(field) = &self.header.types[kind as usize] else {
            return Err(self.text.fail(format_args!(
                "the function of such a plugin is for wires of a field, and type {kind} is {}",
                self.header.types[kind as usize]
            )));
        };
        let field = field.clone();
        let wires: u64 = function.ins.iter().chain(&function.outs).map(|list| list.1).sum();
        if wires > MOST_KEPT as u64 / 8 {
            return Err(self.text.fail(format_args!("a plugin's function of {wires} wires is too large")));
        }
        if field.size().to_element().is_none() {
            return Err(self.text.fail("plugins are for fields of up to 256 bits"));
        }
        let mut next = 0;
        let ins = function.ins.iter().map(|&(_, count)| {
            next += count as u32;
            (next - count as u32..next).collect()
        });
        let ins = ins.collect();
        let (binary, word) = (field.is_two(), self.is_word(kind));
        Ok(Bound { function, kind, ins, line: self.text.line(), binary, word, field })
    }

    /// A function that calls another one for each element of lists.
    fn iterated(&mut self, scope: &mut Scope, function: &Function, binding: &Binding) -> Result<Vec<u32>> {
        let enumerated = binding.operation == "map_enumerated";
        let (name, environment, times) = match &binding.arguments[..] {
            [Argument::Name(name), Argument::Number(environment), Argument::Number(times)] => {
                (name, environment.to_u64(), times.to_u64())
            }
            _ => {
                return Err(self.text.fail(format_args!(
                    "write @plugin({}, {}, FUNCTION, NUMBER OF ENVIRONMENT LISTS, NUMBER OF ELEMENTS)",
                    binding.plugin, binding.operation
                )));
            }
        };
        let Some(&number) = self.names.get(name) else { return Err(self.unknown(name)) };
        let inner = &self.functions[number as usize];
        let fail = |why: &str| {
            Err(self.text.fail(format_args!("{} over {}: {why}", binding.operation, inner.title())))
        };
        let (Some(environment), Some(times)) = (environment, times) else {
            return fail("a number of 2^64 or more");
        };
        let few = usize::try_from(environment).unwrap_or(usize::MAX);
        if few > inner.ins.len() {
            return fail("that function takes fewer lists than are its environment");
        }
        if times == 0 {
            return fail("lists without elements: leave it out");
        }
        let (env, lists) = inner.ins.split_at(few);
        let (counter, lists) = match lists {
            [counter, lists @ ..] if enumerated => (Some(*counter), lists),
            [] if enumerated => return fail("that function takes no counter behind its environment"),
            lists => (None, lists),
        };
        let longer = |lists: &[(u8, u64)]| -> Option<Vec<(u8, u64)>> {
            lists.iter().map(|&(kind, count)| Some((kind, count.checked_mul(times)?))).collect()
        };
        let (Some(ins), Some(outs)) = (longer(lists), longer(&inner.outs)) else {
            return fail("lists of 2^64 wires or more");
        };
        if function.ins != [env, &ins].concat() || function.outs != outs {
            return fail(&format!(
                "the signature has to be that of the function, with {} lists for the environment and all \
                 others {times} times as long{}",
                environment,
                if enumerated { ", and without the counter" } else { "" }
            ));
        }
        if let Some((kind, _)) = counter {
            self.of_numbers(kind, "the counter of map_enumerated")?;
        }
        let line = self.text.line();
        let at = scope.body.long(line);
        scope.body.long(times);
        let counter_kind = counter.map_or(0, |counter| counter.0);
        scope.body.words.push(counter.map_or(0, |counter| counter.1 as u32 + 1));
        scope.body.words.push((env.len() + lists.len() + outs.len()) as u32);
        let mut slot = 0;
        let parts = env.iter().map(|list| (list.1, of::ENVIRONMENT, 1));
        let parts = parts.chain(lists.iter().map(|list| (list.1, of::INPUT, times)));
        for (count, what, times) in parts {
            scope.body.words.extend([slot, count as u32, what]);
            slot += (count * times) as u32;
        }
        let mut results = Vec::new();
        for &(_, count) in &inner.outs {
            let all = (count * times) as u32;
            let first = scope.slots.take_row(all);
            scope.body.words.extend([first, count as u32, of::OUTPUT]);
            results.extend(first..first + all);
        }
        scope.body.push(Op::Loop, counter_kind, NONE, number, at);
        // A call of each turn is a record, with its lists; of a map these have each wire of each turn.
        let lists = (function.ins.len() + outs.len()) as u64;
        let mapped = if inner.is_worth_a_map(times) { inner.passed() / 2 } else { 0 };
        let records = mapped.max(2 + lists);
        scope.cost.records = records.saturating_mul(times);
        calls(&self.text, scope, inner, times)?;
        Ok(results)
    }
}
