//! Functions: what they take and give, and their gates, which are read once.

use super::body::{Body, NONE, Op, Reads};
use super::choice::Tally;
use super::header::{Binding, Type};
use super::reader::Reader;
use super::scope::{Cost, MOST_LIVE, Scope};
use super::text::Text;
use std::collections::HashSet;
use volery_channel::error::Result;

/// The functions of a file, the wires of all gates that functions keep, and how deeply calls may be nested.
const MOST_FUNCTIONS: usize = 1 << 20;
pub(super) const MOST_KEPT: usize = 1 << 24;
const MOST_DEPTH: u32 = 200;

/// Lists of a signature, and wires of all of them, a word counted by its bits where these are known.
const MOST_LISTS: usize = 1 << 20;
pub(super) const MOST_WIRES: u64 = 1 << 24;

/// How deeply definitions of functions may stand within each other.
const MOST_NESTED: usize = 64;

/// Records of a function that are kept as one: what takes more is executed where it is called.
const MOST_RECORDS: u64 = 1 << 18;

/// The calls that are a map at least, and the gates that all of them have: of fewer a map costs more than it gains.
const MANY: u64 = 8;
const WORTH: u64 = 1 << 12;

/// The arguments and results of a map at most. Each takes a few words where it is recorded, and a wire where it is
/// executed.
const MOST_MAPPED: u64 = 1 << 18;

/// Gates of a statement, those of functions as often as they are called.
pub(super) const MOST_GATES: u64 = 1 << 50;

/// A function that was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Function {
    pub(super) name: Vec<u8>,
    pub(super) outs: Vec<(u8, u64)>,
    pub(super) ins: Vec<(u8, u64)>,
    pub(super) body: Body,
    /// Slots of its frame, of which those of the inputs are the first.
    pub(super) slots: u32,
    /// The place of a list of its results among the words.
    pub(super) results: u32,
    pub(super) public: Reads,
    pub(super) private: Reads,
    pub(super) cost: Cost,
    /// The fields that its gates are over.
    pub(super) fields: Fields,
    /// How types are used, where that is counted.
    pub(super) tally: Tally,
    /// The plugin that it is bound to, or none.
    pub(super) plugin: String,
}

/// The fields, out of two, that a part of a relation is over; and whether some of its bits are words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) bits: bool,
    pub(super) numbers: bool,
    /// Whether some of the bits are words of other primes.
    words: bool,
}

impl Fields {
    /// The fields of a part that is over either's.
    fn or(self, other: Self) -> Self {
        Self {
            bits: self.bits || other.bits,
            numbers: self.numbers || other.numbers,
            words: self.words || other.words,
        }
    }

    /// Whether gates over them are executed where they are called: they are two, or of words, which are functions
    /// of their own.
    fn are_several(self) -> bool {
        (self.bits && self.numbers) || self.words
    }
}

impl Function {
    /// How many wires it takes.
    pub(super) fn arguments(&self) -> u32 {
        self.ins.iter().map(|list| list.1 as u32).sum()
    }

    /// The wires that go in and out of one call where it is recorded, with public values that it reads.
    pub(super) fn passed(&self) -> u64 {
        let lists = self.ins.iter().chain(&self.outs).map(|list| list.1);
        let public = self.public.runs().map(|run| run.1);
        lists.chain(public).fold(0, u64::saturating_add)
    }

    /// How many calls of it are a map at most: none where it is no function of its own, or takes too much.
    pub(super) fn most_in_a_map(&self) -> Option<usize> {
        let most = MOST_MAPPED / self.passed().max(1);
        (!self.cost.inline && most >= MANY).then_some(most as usize)
    }

    /// Whether so many calls of it are worth a map.
    pub(super) fn is_worth_a_map(&self, times: u64) -> bool {
        times >= MANY && times.saturating_mul(self.cost.gates) >= WORTH && self.most_in_a_map().is_some()
    }

    /// The name, for errors.
    pub(super) fn title(&self) -> impl core::fmt::Display + '_ {
        self.name.escape_ascii()
    }
}

impl Reader<'_> {
    /// Reads a function, whose `@function` is taken.
    pub(super) fn function(&mut self) -> Result<()> {
        if self.open.len() == MOST_NESTED {
            return Err(self.text.fail(format_args!("more than {MOST_NESTED} functions within each other")));
        }
        self.text.expect(b'(')?;
        let name = self.text.name("the name of a function")?;
        if !self.again {
            self.is_free(&name)?;
        }
        self.text.take(b',')?;
        let outs = if self.text.take_all(b"@out")? { self.counts()? } else { Vec::new() };
        let ins = if self.text.take_all(b"@in")? { self.counts()? } else { Vec::new() };
        if !self.text.take(b')')? {
            return Err(self.text.unexpected("a list of @out, of @in, or the )"));
        }
        let wires = outs.iter().chain(&ins);
        let wires = wires.map(|&(kind, count)| count.saturating_mul(self.scope.width(kind.into()) as u64));
        if wires.fold(0, u64::saturating_add) > MOST_WIRES {
            let words = self.scope.counted();
            return Err(self.text.fail(format_args!("a function of more than {MOST_WIRES} wires{words}")));
        }
        let function = Function { name, outs, ins, ..Function::default() };
        let mut scope = Scope::function(self.header.types.len(), self.strict, &function.outs, &function.ins);
        scope.widths = self.scope.widths.clone();
        self.text.peek()?;
        if self.text.take_all(b"@plugin")? {
            let binding = self.binding()?;
            let function = Function { plugin: binding.plugin.clone(), ..function };
            let results = self.bound(&mut scope, &function, &binding)?;
            return self.add(scope, function, results);
        }
        scope.around = self.scope.live();
        self.open.push((core::mem::replace(&mut self.scope, scope), function));
        Ok(())
    }

    /// # Errors
    /// Where there is a function of this name.
    fn is_free(&self, name: &[u8]) -> Result<()> {
        if self.names.contains_key(name) {
            return Err(self.text.fail(format_args!("two functions are called {}", name.escape_ascii())));
        }
        Ok(())
    }

    /// Ends the function that is open, if any is.
    pub(super) fn end_function(&mut self) -> Result<bool> {
        let Some((outer, function)) = self.open.pop() else { return Ok(false) };
        let mut scope = core::mem::replace(&mut self.scope, outer);
        let mut next = vec![0; self.header.types.len()];
        let mut results = Vec::new();
        for &(kind, count) in &function.outs {
            for _ in 0..count {
                let id = next[kind as usize];
                next[kind as usize] += 1;
                let slot = scope.get(&self.text, kind, id).map_err(|_| {
                    self.text.fail(format_args!(
                        "output ${id} of type {kind} of function {} is not set in it",
                        function.title()
                    ))
                })?;
                results.push(slot);
            }
        }
        self.add(scope, function, results)?;
        Ok(true)
    }

    /// # Errors
    /// Where functions keep too much, those included that are open.
    pub(super) fn check_kept(&self) -> Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        // The first is the statement's, and all others are those of functions around this one.
        let around = self.open[1..].iter().map(|(scope, _)| scope.body.kept());
        if self.kept + self.scope.body.kept() + around.sum::<usize>() <= MOST_KEPT {
            return Ok(());
        }
        Err(self.text.fail(format_args!("all functions together have more than {MOST_KEPT} gates")))
    }

    /// Adds a function that is read, whose results are in these slots.
    pub(super) fn add(&mut self, scope: Scope, function: Function, results: Vec<u32>) -> Result<()> {
        if self.again {
            return Ok(());
        }
        // One that stands within it may have the name, too.
        self.is_free(&function.name)?;
        let name = function.name.clone();
        let number = self.keep(scope, function, results)?;
        self.names.insert(name, number);
        Ok(())
    }

    /// Keeps a function without a name, and gives its number.
    pub(super) fn keep(
        &mut self,
        mut scope: Scope,
        mut function: Function,
        mut results: Vec<u32>,
    ) -> Result<u32> {
        if self.functions.len() >= MOST_FUNCTIONS {
            return Err(self.text.fail(format_args!("more than {MOST_FUNCTIONS} functions")));
        }
        // Whoever calls it holds each result apart from the others, and from the arguments.
        let arguments = function.arguments();
        let kinds = function.outs.iter().flat_map(|&(kind, count)| std::iter::repeat_n(kind, count as usize));
        let mut seen = HashSet::new();
        for (slot, kind) in results.iter_mut().zip(kinds) {
            if *slot < arguments || !seen.insert(*slot) {
                let own = scope.slots.take();
                scope.body.push(Op::Copy, kind, own, *slot, NONE);
                *slot = own;
            }
        }
        let Scope { mut body, slots, public, private, mut cost, .. } = scope;
        let kinds = function.ins.iter().chain(&function.outs).map(|list| list.0);
        let kinds = kinds.chain(body.gates.iter().filter_map(|gate| match gate.op {
            Op::Call | Op::Loop | Op::Forget => None,
            _ => Some(gate.kind),
        }));
        let own = kinds.map(|kind| {
            let words = self.is_word(kind);
            let bits = words || self.is_binary(kind);
            let numbers = !bits && matches!(self.header.types[kind as usize], Type::Field(_));
            Fields { bits, numbers, words }
        });
        let called = body.gates.iter().filter(|gate| matches!(gate.op, Op::Call | Op::Loop));
        let called = called.map(|gate| self.functions[gate.a as usize].fields);
        function.fields = own.chain(called).fold(Fields::default(), Fields::or);
        cost.inline |= function.fields.are_several();
        // What refers to a memory is no wire that a function could be recorded with.
        let mut lists = function.ins.iter().chain(&function.outs);
        cost.inline |= lists.any(|list| matches!(self.header.types[list.0 as usize], Type::Plugin(_)));
        // Each call goes through its lists.
        let lists = function.ins.iter().chain(&function.outs).map(|list| list.1);
        cost.gates = cost.gates.saturating_add(lists.sum());
        function.results = body.list(results);
        function.slots = slots.len() as u32;
        let records = body.gates.len() as u64 + body.words.len() as u64 / 4;
        cost.records = cost.records.saturating_add(records);
        cost.inline |= cost.records > MOST_RECORDS;
        if cost.depth > MOST_DEPTH {
            return Err(self.text.fail(format_args!("calls are nested more than {MOST_DEPTH} times")));
        }
        self.kept += body.kept();
        if self.kept > MOST_KEPT || slots.len() > MOST_LIVE {
            return Err(self
                .text
                .fail(format_args!("all functions together have more than {MOST_KEPT} gates")));
        }
        if self.is_tallied {
            function.tally.add(&body, &self.functions, Some(self.functions.len() as u32));
        }
        body.gates.shrink_to_fit();
        function.body = body;
        (function.public, function.private, function.cost) = (public, private, cost);
        self.functions.push(function);
        Ok(self.functions.len() as u32 - 1)
    }

    /// Reads lists of a signature, behind `@out` or `@in`.
    fn counts(&mut self) -> Result<Vec<(u8, u64)>> {
        self.text.take(b':')?;
        let mut counts = Vec::new();
        loop {
            counts.push(self.header.wires(&mut self.text)?);
            if counts.len() > MOST_LISTS {
                return Err(self.text.fail(format_args!("a signature of more than {MOST_LISTS} lists")));
            }
            if !self.text.take(b',')? || self.text.peek()? == b'@' {
                return Ok(counts);
            }
        }
    }

    /// Reads the rest of a binding, up to the `;`.
    fn binding(&mut self) -> Result<Binding> {
        self.text.expect(b'(')?;
        let mut binding = super::header::binding(&mut self.text)?;
        if self.text.peek()? == b'@' {
            if !binding.plugin.contains("disjunction") || !self.text.take_all(b"@private")? {
                return Err(self.text.fail(format_args!(
                    "plugin {} is to read values of its own, and of those that are read here only \
                     disjunctions do, private ones",
                    binding.plugin
                )));
            }
            // Emitters set them in brackets of their own.
            let within = !self.text.take(b':')?;
            if within {
                self.text.expect(b'(')?;
            }
            let kind = self.header.kind(&mut self.text)?;
            self.text.expect(b':')?;
            binding.private.push((kind, self.text.number("a number of private values")?));
            if within {
                self.text.expect(b')')?;
            }
        }
        self.text.expect(b')')?;
        self.text.expect(b';')?;
        Ok(binding)
    }

    /// Reads a call, whose `@call` is taken, with these ranges for its results.
    pub(super) fn call(&mut self, outs: &[(u64, u64)]) -> Result<()> {
        let line = self.text.line();
        self.text.expect(b'(')?;
        let name = self.text.name("the name of a function")?;
        let Some(&number) = self.names.get(&name) else { return Err(self.unknown(&name)) };
        // Taken out, so that the scope can be changed meanwhile.
        let function = core::mem::take(&mut self.functions[number as usize]);
        let called = self.call_of(&function, number, outs, line);
        self.functions[number as usize] = function;
        called
    }

    fn call_of(&mut self, function: &Function, number: u32, outs: &[(u64, u64)], line: u64) -> Result<()> {
        if outs.len() != function.outs.len() {
            return Err(self.text.fail(format_args!(
                "function {} gives {} lists of wires, and {} stand here",
                function.title(),
                function.outs.len(),
                outs.len()
            )));
        }
        let mut slots = core::mem::take(&mut self.scratch);
        slots.clear();
        for (i, &(kind, count)) in function.ins.iter().enumerate() {
            if !self.text.take(b',')? {
                return Err(self.text.fail(format_args!(
                    "function {} takes {} lists of wires, and {i} stand here",
                    function.title(),
                    function.ins.len()
                )));
            }
            self.passable(kind)?;
            let (first, last) = self.range()?;
            if last - first != count - 1 {
                return Err(self.text.fail(format_args!(
                    "list {} of function {} has {count} wires, and {} stand here",
                    i + 1,
                    function.title(),
                    u128::from(last - first) + 1
                )));
            }
            for id in first..=last {
                slots.push(self.scope.get(&self.text, kind, id)?);
            }
        }
        if self.text.peek()? == b',' {
            return Err(self.text.fail(format_args!(
                "function {} takes {} lists of wires, and more stand here",
                function.title(),
                function.ins.len()
            )));
        }
        self.text.expect(b')')?;
        self.text.expect(b';')?;
        let at = self.scope.body.long(line);
        self.scope.body.list(slots.iter().copied());
        slots.clear();
        for (&(kind, count), &(first, last)) in function.outs.iter().zip(outs) {
            self.passable(kind)?;
            if last - first != count - 1 {
                return Err(self.text.fail(format_args!(
                    "function {} gives a list of {count} wires, and {} stand here for it",
                    function.title(),
                    u128::from(last - first) + 1
                )));
            }
            (0..count).for_each(|_| slots.push(self.scope.slots.take()));
        }
        self.scope.body.list(slots.iter().copied());
        self.scope.body.push(Op::Call, 0, NONE, number, at);
        let mut made = slots.iter();
        for (&(kind, _), &(first, last)) in function.outs.iter().zip(outs) {
            for (id, &slot) in (first..=last).zip(&mut made) {
                self.scope.set(&self.text, kind, id, slot)?;
            }
        }
        self.scratch = slots;
        self.scope.check(&self.text)?;
        calls(&self.text, &mut self.scope, function, 1)
    }

    /// The error of a function that is not there.
    #[cold]
    pub(super) fn unknown(&self, name: &[u8]) -> volery_channel::error::Error {
        let mut known: Vec<_> = self.names.keys().collect();
        known.sort_unstable_by_key(|known| (!near(known, name), (*known).clone()));
        let list = known.iter().take(8).map(|known| known.escape_ascii().to_string());
        let mut list = list.collect::<Vec<_>>().join(", ");
        if known.len() > 8 {
            list += &format!(" and {} more", known.len() - 8);
        }
        let there =
            if list.is_empty() { "none stands above".to_owned() } else { format!("there are {list}") };
        self.text.fail(format_args!(
            "there is no function {} above this line, and none can call itself: {there}",
            name.escape_ascii()
        ))
    }
}

/// Adds to `scope` the reads and results of `times` calls of `function`.
pub(super) fn calls(text: &Text<'_>, scope: &mut Scope, function: &Function, times: u64) -> Result<()> {
    let reads = scope.public.repeat(&function.public, times);
    let reads = reads.and_then(|()| scope.private.repeat(&function.private, times));
    reads.map_err(|why| text.fail(format_args!("{why}, with what function {} reads", function.title())))?;
    let cost = &mut scope.cost;
    let gates = function.cost.gates.max(1).saturating_mul(times);
    cost.gates = cost.gates.saturating_add(gates);
    let assertions = function.cost.assertions.saturating_mul(times);
    cost.assertions = cost.assertions.saturating_add(assertions);
    if cost.gates > MOST_GATES || cost.assertions > MOST_GATES {
        return Err(text.fail(format_args!(
            "more than {MOST_GATES} gates or values, with what function {} comes to: this never ends",
            function.title()
        )));
    }
    cost.depth = cost.depth.max(function.cost.depth + 1);
    cost.inline |= function.cost.inline;
    Ok(())
}

/// Whether two names are alike: one begins as the other does, or only one letter is another.
fn near(known: &[u8], name: &[u8]) -> bool {
    let others = known.iter().zip(name).filter(|(a, b)| !a.eq_ignore_ascii_case(b)).count();
    others + known.len().abs_diff(name.len()) <= 2
}
