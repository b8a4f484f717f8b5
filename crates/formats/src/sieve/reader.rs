//! A relation, read gate by gate: wires are resolved to slots, and nothing of it depends on a field.

use super::body::{Body, NONE, Op};
use super::choice::{Kinds, Tally};
use super::field::{self, WireField};
use super::function::{Function, MOST_GATES};
use super::header::{self, Header, Resource, Type};
use super::number::{Element, Number};
use super::plan::{Follow, Trace, WirePlan, WireRun};
use super::scope::Scope;
use super::text::Text;
use std::collections::HashMap;
use std::sync::Arc;
use volery_channel::error::{Error, Result};

/// The most wires that one range may set.
const MOST_IN_RANGE: u64 = 1 << 22;

/// Gates that are handed out at once, at least.
const BATCH: usize = 4096;

/// A part of the text, which begins at a line of the statement.
pub(super) struct Stretch {
    pub(super) begin: u64,
    pub(super) digest: [u8; 32],
}

/// A relation that is being read.
pub(super) struct Reader<'s> {
    pub(super) text: Text<'s>,
    pub(super) header: Header,
    pub(super) functions: Vec<Function>,
    pub(super) names: HashMap<Vec<u8>, u32>,
    /// For functions that are clauses, those that are called in their place.
    pub(super) guarded: HashMap<u32, u32>,
    /// The scope that is being read, of the statement or of a function; and around a function those that are
    /// open.
    pub(super) scope: Scope,
    pub(super) open: Vec<(Scope, Function)>,
    pub(super) strict: bool,
    /// The room that functions take.
    pub(super) kept: usize,
    pub(super) scratch: Vec<u32>,
    /// For each type its field, once it is used.
    used: Vec<Option<WireField>>,
    ended: bool,
    /// Parts of the text, of which the last one has no digest yet, and where the next one may begin.
    parts: Vec<Stretch>,
    next_part: u64,
    /// The bytes of a part, or `u64::MAX` where there are none.
    part: u64,
    /// Whether the text is read once more, so that functions are known.
    pub(super) again: bool,
    /// How types are used, where the fields of the statement depend on it.
    pub(super) tally: Tally,
    pub(super) is_tallied: bool,
    /// The kinds of types' wires, where gates are executed.
    pub(super) kinds: Kinds,
}

/// The right side of a gate's `<-`.
enum Gate {
    Binary(Op),
    WithConstant(Op),
    Input(bool),
    Call,
    Convert,
}

impl<'s> Reader<'s> {
    /// Reads the head of a relation that is to be checked: what its gates compute is nothing.
    pub(super) fn checking(text: Text<'s>, strict: bool, part: u64) -> Result<Self> {
        let mut reader = Self { part, ..Self::new(text)? };
        reader.is_tallied = reader.header.is_of_several();
        (reader.scope, reader.strict) = (Scope::checked(reader.header.types.len(), strict), strict);
        if part < u64::MAX {
            reader.begin_part();
        }
        Ok(reader)
    }

    /// Reads the head of a relation that was checked.
    pub(super) fn new(mut text: Text<'s>) -> Result<Self> {
        let resource = header::begin(&mut text)?;
        if resource != Resource::Circuit {
            return Err(text.fail(format_args!(
                "this is a stream of values, {}, and not a relation: give it as one",
                resource.word()
            )));
        }
        let header = Header::read(&mut text)?;
        let types = header.types.len();
        Ok(Self {
            text,
            header,
            functions: Vec::new(),
            names: HashMap::new(),
            guarded: HashMap::new(),
            scope: Scope::statement(types, false),
            open: Vec::new(),
            strict: false,
            kept: 0,
            scratch: Vec::new(),
            used: vec![None; types],
            ended: false,
            parts: Vec::new(),
            next_part: u64::MAX,
            part: u64::MAX,
            again: false,
            tally: Tally::default(),
            is_tallied: false,
            kinds: Kinds::default(),
        })
    }

    /// Says what wires are, of a relation whose gates are to be executed.
    pub(super) fn execute(&mut self, kinds: Kinds) {
        self.scope.widths = kinds.widths().into();
        self.kinds = kinds;
    }

    /// Makes wires of the statement end by a plan.
    pub(super) fn follow(&mut self, plan: Arc<WirePlan>) {
        self.scope.follow(Follow::new(plan));
    }

    #[cold]
    fn begin_part(&mut self) {
        let begin = self.text.position();
        self.end_part();
        self.parts.push(Stretch { begin, digest: [0; 32] });
        self.next_part = begin.saturating_add(self.part);
    }

    fn end_part(&mut self) {
        if let (Some(digest), Some(part)) = (self.text.begin_part(), self.parts.last_mut()) {
            part.digest = digest;
        }
    }

    /// The parts of the text, all of which is read, and its end.
    pub(super) fn take_parts(&mut self) -> (Vec<Stretch>, u64) {
        self.end_part();
        (core::mem::take(&mut self.parts), self.text.position())
    }

    /// Notes, from now on, the wires that the statement reads and sets, part by part.
    pub(super) fn trace(&mut self, scope: Scope) {
        (self.scope, self.again, self.strict, self.kept) = (scope, true, false, 0);
    }

    /// Reads a part of the text, of `length` bytes, and gives the notes on it.
    pub(super) fn part(&mut self, length: u64) -> Result<Vec<WireRun>> {
        while (self.text.position() < length || !self.open.is_empty()) && self.directive()? {
            if self.open.is_empty() {
                self.scope.body.clear();
            }
        }
        Ok(self.scope.trace().map(Trace::take).unwrap_or_default())
    }

    /// Reads the next gates of the statement into `batch`; whether there are any.
    pub(super) fn next(&mut self, batch: &mut Body) -> Result<bool> {
        batch.clear();
        while !self.ended && (!self.open.is_empty() || self.scope.body.size() < BATCH) {
            if !self.directive()? {
                self.end()?;
            }
            self.scope.end_line();
            if self.text.position() >= self.next_part && self.open.is_empty() {
                self.begin_part();
            }
            if self.scope.body.size() >= BATCH {
                self.check_kept()?;
            }
        }
        self.scope.check(&self.text)?;
        if self.scope.cost.gates > MOST_GATES {
            return Err(self.text.fail(format_args!("a statement of more than {MOST_GATES} gates")));
        }
        core::mem::swap(&mut self.scope.body, batch);
        if self.is_tallied {
            self.tally.add(batch, &self.functions, None);
        }
        Ok(!batch.gates.is_empty())
    }

    /// The slots that the statement takes so far.
    pub(super) fn slots(&self) -> usize {
        self.scope.slots.len()
    }

    /// The types that are used, with their fields.
    pub(super) fn used(&self) -> impl Iterator<Item = (u8, &WireField)> {
        (0..).zip(&self.used).filter_map(|(kind, field)| Some((kind, field.as_ref()?)))
    }

    /// The end of the statement was read.
    fn end(&mut self) -> Result<()> {
        self.ended = true;
        if self.text.peek()? != 0 {
            return Err(self.text.fail("text stands behind the @end of the statement: remove it"));
        }
        if self.scope.cost.assertions == 0 {
            return Err(self.text.fail("the statement asserts nothing, so that any values satisfy it"));
        }
        Ok(())
    }

    /// Reads one directive; whether it was another one than `@end`.
    #[inline]
    pub(super) fn directive(&mut self) -> Result<bool> {
        match self.text.peek()? {
            b'$' => self.assignment(0, false)?,
            b'@' => return self.command(),
            b'0'..=b'9' => {
                let kind = self.kind()?;
                self.text.expect(b':')?;
                self.assignment(kind, true)?;
            }
            _ => return Err(self.text.unexpected("a wire, a directive or @end")),
        }
        Ok(true)
    }

    /// Reads a directive that begins with `@`.
    fn command(&mut self) -> Result<bool> {
        match self.text.word()? {
            b"@assert_zero" => {
                let line = self.text.line();
                self.text.expect(b'(')?;
                let kind = self.kind_before_wire()?;
                let wire = self.operand(kind)?;
                self.close()?;
                self.scope.assert_zero(kind, wire, line);
            }
            b"@delete" => {
                self.text.expect(b'(')?;
                let kind = self.kind_of_any()?;
                let (first, last) = self.range()?;
                self.close()?;
                if self.scope.ends(kind) {
                    return Ok(true);
                }
                let memory = matches!(self.header.types[kind as usize], Type::Plugin(_));
                for id in first..=last {
                    if memory && self.scope.is_given(kind, id) {
                        return Err(self.text.fail(format_args!(
                            "${id} of type {kind} was given to the function: delete it where it was made"
                        )));
                    }
                    self.scope.delete(&self.text, kind, id)?;
                }
            }
            b"@new" => {
                self.text.expect(b'(')?;
                self.kind_of_any()?;
                // A hint for who allocates: what is never set never costs.
                self.range()?;
                self.close()?;
            }
            b"@call" => self.call(&[])?,
            b"@function" => self.function()?,
            b"@end" => return self.end_function(),
            _ => {
                return Err(self
                    .text
                    .unexpected("a wire, @assert_zero, @new, @delete, @call, @function or @end"));
            }
        }
        Ok(true)
    }

    /// Reads what sets wires: of `kind`, where that stood before them.
    #[inline]
    fn assignment(&mut self, kind: u8, typed: bool) -> Result<()> {
        let first = self.wire()?;
        if self.text.peek()? == b'<' {
            self.text.expect_all(b"<-")?;
            return self.one(first, kind, typed);
        }
        self.ranges(first, kind, typed)
    }

    /// Reads what sets one wire.
    #[inline]
    fn one(&mut self, id: u64, kind: u8, typed: bool) -> Result<()> {
        match self.text.peek()? {
            b'@' => match self.gate()? {
                Gate::Binary(op) if !typed => {
                    self.text.expect(b'(')?;
                    let kind = self.kind_before_wire()?;
                    let a = self.operand(kind)?;
                    self.text.expect(b',')?;
                    let b = self.operand(kind)?;
                    self.close()?;
                    let out = self.scope.slots.take();
                    self.scope.body.push(op, kind, out, a, b);
                    self.scope.cost.gates += 1;
                    self.scope.set(&self.text, kind, id, out)
                }
                Gate::WithConstant(op) if !typed => {
                    self.text.expect(b'(')?;
                    let kind = self.kind_before_wire()?;
                    let a = self.operand(kind)?;
                    self.text.expect(b',')?;
                    let constant = self.constant(kind)?;
                    self.close()?;
                    let out = self.scope.slots.take();
                    let at = self.scope.body.constant(constant);
                    self.scope.body.push(op, kind, out, a, at);
                    self.scope.cost.gates += 1;
                    self.scope.set(&self.text, kind, id, out)
                }
                gate => self.rest(gate, &[(id, id)], kind, typed),
            },
            _ if typed => Err(self.typed()),
            b'<' => self.set_constant(0, id),
            _ => self.copy(&[(id, id)]),
        }
    }

    /// Reads a constant for wire `id`.
    fn set_constant(&mut self, kind: u8, id: u64) -> Result<()> {
        self.usable(kind)?;
        let constant = self.constant(kind)?;
        self.text.expect(b';')?;
        let out = self.scope.constant(kind, constant);
        self.scope.set(&self.text, kind, id, out)
    }

    /// Reads what sets ranges, of which the first begins with wire `first`.
    fn ranges(&mut self, first: u64, kind: u8, typed: bool) -> Result<()> {
        let mut ranges = vec![(first, self.range_end(first)?)];
        while self.text.take(b',')? {
            ranges.push(self.range()?);
            if ranges.len() as u64 > MOST_IN_RANGE {
                return Err(self
                    .text
                    .fail(format_args!("more than {MOST_IN_RANGE} ranges: write several lines")));
            }
        }
        self.text.expect_all(b"<-")?;
        if self.text.peek()? != b'@' {
            return if typed { Err(self.typed()) } else { self.copy(&ranges) };
        }
        match self.gate()? {
            Gate::Binary(_) | Gate::WithConstant(_) if !matches!(ranges[..], [(a, b)] if a == b) => {
                Err(self.text.fail("such a gate sets one wire: write one to a line"))
            }
            // A range of one wire.
            Gate::Binary(_) | Gate::WithConstant(_) => {
                Err(self.text.fail("such a gate sets one wire: write it without a range"))
            }
            gate => self.rest(gate, &ranges, kind, typed),
        }
    }

    /// The word behind `<-`, which begins with `@`.
    #[inline]
    fn gate(&mut self) -> Result<Gate> {
        Ok(match self.text.word()? {
            b"@add" => Gate::Binary(Op::Add),
            b"@mul" => Gate::Binary(Op::Mul),
            b"@addc" => Gate::WithConstant(Op::AddConstant),
            b"@mulc" => Gate::WithConstant(Op::MulConstant),
            b"@public" => Gate::Input(true),
            b"@private" => Gate::Input(false),
            b"@call" => Gate::Call,
            b"@convert" => Gate::Convert,
            _ => {
                return Err(self.text.unexpected(
                    "@add, @mul, @addc, @mulc, @public, @private, @call, @convert, a constant or a wire",
                ));
            }
        })
    }

    /// Reads the rest of a gate that sets ranges.
    fn rest(&mut self, gate: Gate, outs: &[(u64, u64)], kind: u8, typed: bool) -> Result<()> {
        match (gate, outs) {
            (Gate::Convert, &[out]) => self.conversion(kind, out),
            (_, _) if typed => Err(self.typed()),
            (Gate::Call, outs) => self.call(outs),
            (Gate::Input(public), &[(first, last)]) => {
                self.text.expect(b'(')?;
                let kind = if self.text.peek()? == b')' { 0 } else { self.kind()? };
                self.close()?;
                self.usable(kind)?;
                self.input(public, kind, first, last)
            }
            _ => Err(self.text.fail("such a gate sets one range: write one to a line")),
        }
    }

    /// The error of a type before wires that something else than `@convert` sets.
    #[cold]
    fn typed(&self) -> Error {
        self.text.fail(
            "a type before the wires is for @convert: write it in the ( ), or before the constant or the \
             wires that are copied",
        )
    }

    /// Values of a stream for a range of wires.
    fn input(&mut self, public: bool, kind: u8, first: u64, last: u64) -> Result<()> {
        self.settable(first, last)?;
        let count = last - first + 1;
        self.scope.check_set(&self.text, kind, count)?;
        let mut slots = core::mem::take(&mut self.scratch);
        slots.clear();
        (0..count).for_each(|_| slots.push(self.scope.slots.take()));
        let at = self.scope.body.list(slots.iter().copied());
        let (op, reads) = if public {
            (Op::Public, &mut self.scope.public)
        } else {
            (Op::Private, &mut self.scope.private)
        };
        let counted = reads.push(kind, count);
        self.scope.body.push(op, kind, NONE, NONE, at);
        self.scope.cost.gates = self.scope.cost.gates.saturating_add(count);
        for (id, &slot) in (first..=last).zip(&slots) {
            self.scope.set(&self.text, kind, id, slot)?;
        }
        self.scratch = slots;
        counted.map_err(|why| self.text.fail(why))?;
        self.scope.check(&self.text)
    }

    /// Reads ranges whose wires are copied to those of `outs`, or a constant for one wire.
    fn copy(&mut self, outs: &[(u64, u64)]) -> Result<()> {
        let kind = if self.text.peek()? == b'$' {
            self.usable(0)?;
            0
        } else {
            let kind = self.kind()?;
            self.text.expect(b':')?;
            self.usable(kind)?;
            kind
        };
        if let ([(id, last)], b'<') = (outs, self.text.peek()?)
            && id == last
        {
            return self.set_constant(kind, *id);
        }
        // All are read before the first is set.
        let mut slots = Vec::new();
        loop {
            let (first, last) = self.range()?;
            self.settable(first, last)?;
            if slots.len() as u64 + (last - first) >= MOST_IN_RANGE {
                return Err(self.text.fail(format_args!(
                    "more than {MOST_IN_RANGE} wires are copied at once: write several lines"
                )));
            }
            for id in first..=last {
                slots.push(self.scope.get(&self.text, kind, id)?);
            }
            if !self.text.take(b',')? {
                break;
            }
        }
        self.text.expect(b';')?;
        let wires: u128 = outs.iter().map(|(first, last)| u128::from(last - first) + 1).sum();
        if wires != slots.len() as u128 {
            return Err(self.text.fail(format_args!("{} wires are copied to {wires}", slots.len())));
        }
        slots.iter().for_each(|&slot| self.scope.slots.hold(slot));
        for (id, slot) in outs.iter().flat_map(|&(first, last)| first..=last).zip(slots) {
            self.scope.set(&self.text, kind, id, slot)?;
        }
        self.scope.check(&self.text)
    }

    /// # Errors
    /// Where a range is too long to be set at once.
    fn settable(&self, first: u64, last: u64) -> Result<()> {
        if last - first < MOST_IN_RANGE {
            return Ok(());
        }
        Err(self.text.fail(format_args!("a range of more than {MOST_IN_RANGE} wires: write several")))
    }

    /// Reads the rest of a conversion to `out`, which is of `kind`.
    fn conversion(&mut self, kind: u8, (first, last): (u64, u64)) -> Result<()> {
        let line = self.text.line();
        self.text.expect(b'(')?;
        let of = self.kind()?;
        self.text.expect(b':')?;
        let (from, to) = self.range()?;
        let mut reduced = false;
        if self.text.take(b',')? {
            match self.text.word()? {
                b"@modulus" => reduced = true,
                b"@no_modulus" => {}
                _ => return Err(self.text.unexpected("@modulus or @no_modulus")),
            }
        }
        self.close()?;
        let (count, taken) = (u128::from(last - first) + 1, u128::from(to - from) + 1);
        let declared = |&((out, wires), (of_kind, of_wires)): &header::Conversion| {
            (out, u128::from(wires), of_kind, u128::from(of_wires)) == (kind, count, of, taken)
        };
        if !self.header.conversions.iter().any(declared) {
            return Err(self.text.fail(format_args!(
                "a conversion of {taken} wires of type {of} to {count} of type {kind} is not declared: write \
                 @convert(@out: {kind}:{count}, @in: {of}:{taken}); above @begin"
            )));
        }
        [kind, of].into_iter().try_for_each(|kind| self.usable(kind))?;
        self.of_numbers(of, "a conversion")?;
        let same = self.header.types[kind as usize] == self.header.types[of as usize];
        let several = |kind, wires| !self.is_binary(kind) && wires != 1;
        if !same && (several(kind, count) || several(of, taken)) {
            return Err(self.text.fail(if self.is_binary(kind) || self.is_binary(of) {
                "a conversion between bits and several numbers: bits are of one number"
            } else {
                "a conversion between several numbers of two primes: write one of each, or go over bits"
            }));
        }
        self.settable(first, last)?;
        self.settable(from, to)?;
        let taken = (from..=to).map(|id| self.scope.get(&self.text, of, id)).collect::<Result<Vec<_>>>()?;
        let made: Vec<_> = (first..=last).map(|_| self.scope.slots.take()).collect();
        let at = self.scope.body.long(line);
        self.scope.body.words.push(reduced.into());
        self.scope.body.list(taken);
        self.scope.body.list(made.iter().copied());
        self.scope.body.push(Op::Convert, kind, NONE, of.into(), at);
        // Both ranges are ones that may be set.
        self.scope.cost.gates =
            self.scope.cost.gates.saturating_add(1 + (last - first + 1) + (to - from + 1));
        self.scope.cost.inline |= !same;
        for (id, slot) in (first..=last).zip(made) {
            self.scope.set(&self.text, kind, id, slot)?;
        }
        self.scope.check(&self.text)
    }

    /// Whether type `kind` is the field of two elements.
    pub(super) fn is_binary(&self, kind: u8) -> bool {
        self.header.types[kind as usize].is_two()
    }

    /// Whether wires of type `kind` are words, where gates are executed.
    pub(super) fn is_word(&self, kind: u8) -> bool {
        self.kinds.word(kind).is_some()
    }

    /// Takes `)` and `;`.
    #[inline(always)]
    fn close(&mut self) -> Result<()> {
        self.text.expect(b')')?;
        self.text.expect(b';')
    }

    /// Reads the number of a type that is declared.
    fn kind(&mut self) -> Result<u8> {
        self.header.kind(&mut self.text)
    }

    /// Reads the type before a wire that gates compute with: 0 where none stands there.
    #[inline(always)]
    fn kind_before_wire(&mut self) -> Result<u8> {
        let kind = if self.text.peek()? == b'$' {
            0
        } else {
            let kind = self.kind()?;
            self.text.expect(b':')?;
            kind
        };
        if self.used.get(kind as usize).is_none_or(Option::is_none) {
            self.usable(kind)?;
        }
        Ok(kind)
    }

    /// The number of a type of any kind.
    fn kind_of_any(&mut self) -> Result<u8> {
        if self.text.peek()? == b'$' {
            return self.header.known(&self.text, 0);
        }
        let kind = self.kind()?;
        self.text.expect(b':')?;
        Ok(kind)
    }

    /// # Errors
    /// Where wires of type `kind` cannot be computed with.
    pub(super) fn usable(&mut self, kind: u8) -> Result<()> {
        let kind = self.header.known(&self.text, kind.into())?;
        if self.used[kind as usize].is_some() {
            return Ok(());
        }
        let field = match &self.header.types[kind as usize] {
            // What is no prime may stand unused.
            Type::Field(field) if field.is_composite() => {
                return Err(self.text.fail(format_args!(
                    "type {kind} ({}) is used here, and its modulus is not a prime",
                    field.declared()
                )));
            }
            Type::Field(field) => field.clone(),
            Type::Plugin(_) => {
                return Err(self
                    .text
                    .fail(format_args!("type {kind} is a plugin's: only its functions take it")));
            }
            other => {
                return Err(self.text.fail(format_args!(
                    "type {kind} ({other}) is used here, and there are {}",
                    field::READ
                )));
            }
        };
        if let Some((other, first)) = self.used().find(|(_, used)| !used.goes_with(&field)) {
            return Err(self.text.fail(format_args!(
                "type {kind} ({}) is used here beside type {other} ({}): statements are over one field, or \
                 over those of primes",
                field.declared(),
                first.declared()
            )));
        }
        self.used[kind as usize] = Some(field);
        Ok(())
    }

    /// # Errors
    /// Where wires of type `kind` cannot be given to a function.
    pub(super) fn passable(&mut self, kind: u8) -> Result<()> {
        match self.header.types.get(kind as usize) {
            Some(Type::Plugin(_)) => Ok(()),
            _ => self.usable(kind),
        }
    }

    /// -1 in the field of a type, which has up to 256 bits.
    pub(super) fn minus_one(&self, kind: u8) -> Element {
        let Type::Field(field) = &self.header.types[kind as usize] else { unreachable!("of a field") };
        field.minus_one().expect("of up to 256 bits")
    }

    /// # Errors
    /// Where type `kind` is a field whose elements are no numbers, which `what` takes.
    pub(super) fn of_numbers(&self, kind: u8, what: &str) -> Result<()> {
        match &self.header.types[kind as usize] {
            Type::Field(field) if !field.is_prime() => Err(self.text.fail(format_args!(
                "{what} is for numbers, wires of the field of a prime, and type {kind} is {} ({field})",
                field.declared()
            ))),
            _ => Ok(()),
        }
    }

    /// The field of a type that is used.
    fn field(&self, kind: u8) -> &WireField {
        self.used[kind as usize].as_ref().expect("a type that is used")
    }

    /// Reads the number of a wire.
    #[inline(always)]
    fn wire(&mut self) -> Result<u64> {
        self.text.wire()
    }

    /// Reads a wire that is set: its slot.
    #[inline(always)]
    fn operand(&mut self, kind: u8) -> Result<u32> {
        let id = self.wire()?;
        self.scope.get(&self.text, kind, id)
    }

    /// Reads a range of wires: the first and the last.
    pub(super) fn range(&mut self) -> Result<(u64, u64)> {
        let first = self.wire()?;
        Ok((first, self.range_end(first)?))
    }

    /// Reads the rest of a range, which begins with wire `first`: the last one.
    fn range_end(&mut self, first: u64) -> Result<u64> {
        if !self.text.take_all(b"...")? {
            return Ok(first);
        }
        let last = self.wire()?;
        if last < first {
            return Err(self
                .text
                .fail(format_args!("a range from ${first} to ${last}: write the lower one first")));
        }
        Ok(last)
    }

    /// Reads a constant of a type that is used.
    #[inline(always)]
    fn constant(&mut self, kind: u8) -> Result<Element> {
        self.text.expect(b'<')?;
        let small = self.text.small()?;
        if let Some(value) = small
            && self.field(kind).size().exceeds(value)
        {
            self.text.expect(b'>')?;
            return Ok([value, 0, 0, 0]);
        }
        let number = match small {
            Some(value) => Number::of(value),
            None => self.text.large("a constant")?,
        };
        let field = self.field(kind);
        if !number.below(field.size()) {
            let limit = field.limit();
            return Err(self.text.fail(format_args!("{number} is not below {limit} of type {kind}")));
        }
        self.text.expect(b'>')?;
        number.to_element().ok_or_else(|| self.text.fail("a constant of more than 256 bits"))
    }
}
