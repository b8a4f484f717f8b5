//! Memories, whose references are wires of a type of their own.

use crate::sieve::body::{NONE, Op};
use crate::sieve::function::Function;
use crate::sieve::header::{Argument, Binding, Type};
use crate::sieve::reader::Reader;
use crate::sieve::scope::Scope;
use volery_channel::error::Result;

/// The most wires that all cells of a memory have together: they are laid out where it is made.
const MOST_HELD: u64 = 1 << 24;

/// The most wires of an address or of a word.
const MOST_WIRES: u64 = 1 << 16;

/// A type of memories: the type of their values, and how many wires an address and a word have.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ram {
    field: u8,
    address: u64,
    word: u64,
}

impl Reader<'_> {
    /// The gates of a function that makes, reads or writes a memory, in `scope`: the slots of its results.
    pub(super) fn memory(
        &mut self,
        scope: &mut Scope,
        function: &Function,
        binding: &Binding,
    ) -> Result<Vec<u32>> {
        let line = self.text.line();
        // A memory is no value that a function could take.
        scope.cost.inline = true;
        scope.cost.gates = 1;
        let kind = match (&function.ins[..], &function.outs[..]) {
            ([(kind, 1), ..], _) if self.is_memory(*kind) => *kind,
            (_, [(kind, 1), ..]) => *kind,
            _ => return Err(self.takes(binding)),
        };
        let Some(ram) = self.ram(kind) else { return Err(self.takes(binding)) };
        self.of_numbers(ram.field, "a memory")?;
        let (word, address) = ((ram.field, ram.word), (ram.field, ram.address));
        let list = |from: u64, count: u64| from as u32..(from + count) as u32;
        match (&*binding.operation, &binding.arguments[..]) {
            ("init", [Argument::Number(cells)]) if function.ins == [word] && function.outs == [(kind, 1)] => {
                let held =
                    |cells: &u64| cells.checked_mul(ram.word).filter(|held| (1..=MOST_HELD).contains(held));
                let size = cells.to_u64().and_then(|cells| Some((cells, held(&cells)?)));
                let Some((cells, held)) = size else {
                    return Err(self.text.fail(format_args!(
                        "a memory has one cell at least, and its cells have {MOST_HELD} wires at most, and \
                         here each has {}",
                        ram.word
                    )));
                };
                scope.cost.gates = held;
                let out = scope.slots.take();
                let at = scope.body.long(cells);
                scope.body.words.push(ram.address as u32);
                scope.body.list(list(0, ram.word));
                scope.body.push(Op::Memory, ram.field, out, NONE, at);
                Ok(vec![out])
            }
            ("read", []) if function.ins == [(kind, 1), address] && function.outs == [word] => {
                scope.cost.assertions = 1;
                let results: Vec<u32> = (0..ram.word).map(|_| scope.slots.take()).collect();
                let at = scope.body.long(line);
                scope.body.list(list(1, ram.address));
                scope.body.list(results.iter().copied());
                scope.body.push(Op::Read, ram.field, NONE, 0, at);
                Ok(results)
            }
            ("write", []) if function.ins == [(kind, 1), address, word] && function.outs.is_empty() => {
                scope.cost.assertions = 1;
                let at = scope.body.long(line);
                scope.body.list(list(1, ram.address));
                scope.body.list(list(1 + ram.address, ram.word));
                scope.body.push(Op::Write, ram.field, NONE, 0, at);
                Ok(Vec::new())
            }
            _ => Err(self.takes(binding)),
        }
    }

    fn is_memory(&self, kind: u8) -> bool {
        matches!(self.header.types[kind as usize], Type::Plugin(_))
    }

    /// The memories that wires of type `kind` refer to, if they do.
    fn ram(&self, kind: u8) -> Option<Ram> {
        let Type::Plugin(Binding { plugin, operation, arguments, .. }) = &self.header.types[kind as usize]
        else {
            return None;
        };
        let number = |place: usize| match arguments.get(place) {
            Some(Argument::Number(number)) => number.to_u64(),
            _ => None,
        };
        let field = number(0).filter(|field| *field < self.header.types.len() as u64)? as u8;
        let (address, word) = match (&plugin[..plugin.len().saturating_sub(3)], &**operation) {
            ("ram_arith", "ram") => (1, 1),
            ("ram_bool", "ram") => (number(1)?, number(2)?),
            _ => return None,
        };
        let few = |wires: u64| (1..=MOST_WIRES).contains(&wires);
        let is_field = matches!(self.header.types[field as usize], Type::Field(_));
        (few(address) && few(word) && is_field).then_some(Ram { field, address, word })
    }

    fn takes(&self, binding: &Binding) -> volery_channel::error::Error {
        let (name, operation) = (&binding.plugin, &binding.operation);
        self.text.fail(format_args!(
            "{operation} of {name}: write init with a number of cells, which takes a word and gives a \
             memory, read, which takes a memory and an address and gives a word, or write, which takes a \
             memory, an address and a word: a memory is one wire of @type @plugin({name}, ram, …)"
        ))
    }
}
