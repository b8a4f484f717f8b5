//! A statement whose gates are those of a Python function: what it does is executed here, on the thread that
//! proves, by the gadgets that Rust has.
//!
//! Whoever walks the statement asks for a run of the function, which another thread makes ([`Tape`]). Each
//! operation is executed in a scope, so that what it takes within dies with it, and the wires of its result
//! live until nobody holds a value with them.

mod bits;
mod elements;

use crate::tape::{Id, Name, Op, Tape};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use volery::circuit::stream::{Handle, Recorder, Source};
use volery::circuit::{Backend, Memories, Tables, Wires};
use volery::{Error, Field, Result};
use volery_primitives::bits::mask;
use zeroize::Zeroizing;

/// A field that values of a circuit are over: what its operations do.
pub(crate) trait Ground: Field {
    /// What stands for an element: a public one, or a wire.
    type Atom: Copy + Send + Sync + Wires<Handle>;

    /// Executes `op`.
    ///
    /// # Errors
    /// Those of the recorder; `Invalid` where the field has no such operation.
    fn execute(values: &mut Values<Self>, b: &mut Recorder<'_, Self>, op: Op) -> Result<()>;
}

type MemoryOf<F> = <Recorder<'static, F> as Memories>::Memory;
type TableOf<F> = <Recorder<'static, F> as Tables>::Table;

/// The values that live.
pub(crate) struct Values<F: Ground> {
    values: Vec<Option<Vec<F::Atom>>>,
    /// For each slot of a wire, how many atoms have it.
    holders: Vec<u32>,
    memories: HashMap<Id, MemoryOf<F>>,
    /// The cells of each memory.
    cells: HashMap<Id, usize>,
    tables: HashMap<Id, TableOf<F>>,
    told: Arc<Mutex<Option<Name>>>,
}

impl<F: Ground> Values<F> {
    fn new(told: Arc<Mutex<Option<Name>>>) -> Self {
        Self {
            values: Vec::new(),
            holders: Vec::new(),
            memories: HashMap::new(),
            cells: HashMap::new(),
            tables: HashMap::new(),
            told,
        }
    }

    /// The value called `id`.
    ///
    /// # Panics
    /// Where there is none, which the writing thread does not let happen.
    fn of(&self, id: Id) -> &[F::Atom] {
        self.values[id as usize].as_deref().expect("a value that lives")
    }

    fn put(&mut self, id: Id, value: Vec<F::Atom>) {
        for atom in &value {
            atom.each(&mut |wire: Handle| {
                let slot = wire.slot() as usize;
                if slot >= self.holders.len() {
                    self.holders.resize(slot + 1, 0);
                }
                self.holders[slot] += 1;
            });
        }
        let id = id as usize;
        if id >= self.values.len() {
            self.values.resize_with(id + 1, || None);
        }
        self.values[id] = Some(value);
    }

    /// What `make` makes, in a scope, is called `id`.
    fn make(
        &mut self,
        b: &mut Recorder<'_, F>,
        id: Id,
        make: impl FnOnce(&Self, &mut Recorder<'_, F>) -> Result<Vec<F::Atom>>,
    ) -> Result<()> {
        b.open_scope();
        let made = make(self, b)?;
        b.close_scope(&made.wires());
        self.put(id, made);
        Ok(())
    }

    fn drop(&mut self, b: &mut Recorder<'_, F>, id: Id) {
        for atom in self.values[id as usize].take().into_iter().flatten() {
            atom.each(&mut |wire: Handle| {
                let holders = &mut self.holders[wire.slot() as usize];
                *holders -= 1;
                if *holders == 0 {
                    b.forget(&[wire]);
                }
            });
        }
    }

    /// The name of an assertion, which tells where it was made once it is printed.
    fn told<'n>(&'n self, name: &'n Name) -> Told<'n> {
        Told { name, told: &self.told }
    }
}

/// See [`Values::told`].
struct Told<'n> {
    name: &'n Name,
    told: &'n Mutex<Option<Name>>,
}

impl std::fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A name is printed where its assertion fails, and nowhere else.
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.name.clone());
        self.name.fmt(f)
    }
}

/// Who is asked for another run of the function.
pub(crate) type Ask = Box<dyn Fn(Arc<Tape>) + Send + Sync>;

/// The statement, and the prover's witness for it.
pub(crate) struct Engine<F: Field> {
    ask: Ask,
    /// The run that is read.
    current: Mutex<Option<(ThreadId, Arc<Tape>)>>,
    free: Condvar,
    witness: Arc<Mutex<Zeroizing<Vec<F>>>>,
    /// The assertion that failed, if one did.
    pub(crate) told: Arc<Mutex<Option<Name>>>,
}

impl<F: Field> Engine<F> {
    pub(crate) fn new(ask: Ask) -> Self {
        Self {
            ask,
            current: Mutex::new(None),
            free: Condvar::new(),
            witness: Arc::default(),
            told: Arc::default(),
        }
    }

    /// Adds numbers to the witness, over F_2 so many bits of each.
    ///
    /// # Errors
    /// `Invalid` where one is no element of the field.
    pub(crate) fn add_to_witness(&self, numbers: &[u128], width: u32) -> Result<()> {
        let mut witness = self.witness.lock().unwrap_or_else(PoisonError::into_inner);
        let more = numbers.len() * width as usize;
        // What was there is wiped where it is moved.
        if witness.len() + more > witness.capacity() {
            let mut longer = Zeroizing::new(Vec::with_capacity(2 * (witness.len() + more)));
            longer.extend_from_slice(&witness);
            *witness = longer;
        }
        for number in numbers {
            if F::BITS == 1 {
                witness.extend((0..width).map(|i| F::ONE.masked(mask((number >> i) as u64))));
            } else {
                let element = F::from_word(*number);
                witness.push(
                    element.ok_or_else(|| Error::invalid(format!("a number that is none of {}", F::NAME)))?,
                );
            }
        }
        Ok(())
    }

    /// Has the function run, and executes nothing.
    ///
    /// # Errors
    /// `Invalid` where it ended in an error.
    pub(crate) fn skip(&self) -> Result<()> {
        let tape = self.begin();
        let skipped = loop {
            match tape.read() {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(()),
                Err(()) => break Err(ended()),
            }
        };
        self.end(&tape);
        skipped
    }

    /// The witness as far as it is known whenever the next element is asked for.
    pub(crate) fn witness(&self) -> Witness<F> {
        Witness { elements: self.witness.clone(), next: 0 }
    }

    fn current(&self) -> MutexGuard<'_, Option<(ThreadId, Arc<Tape>)>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a run begin. Where this thread is in the middle of another, it has failed, and its name is asked
    /// for: the other is over. Another thread's is waited for.
    fn begin(&self) -> Arc<Tape> {
        let me = thread::current().id();
        let mut current = self.current();
        while let Some((other, tape)) = &*current {
            if *other == me {
                tape.close();
                break;
            }
            current = self.free.wait(current).unwrap_or_else(PoisonError::into_inner);
        }
        let tape = Arc::new(Tape::default());
        *current = Some((me, tape.clone()));
        drop(current);
        (self.ask)(tape.clone());
        tape
    }

    fn end(&self, tape: &Arc<Tape>) {
        tape.close();
        let mut current = self.current();
        if current.as_ref().is_some_and(|(_, now)| Arc::ptr_eq(now, tape)) {
            *current = None;
        }
        self.free.notify_all();
    }

    /// Ends the run that is read, for whoever wants the session to end.
    pub(crate) fn stop(&self) {
        if let Some((_, tape)) = &*self.current() {
            tape.close();
        }
    }
}

impl<F: Ground> Source<F> for Engine<F> {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        let tape = self.begin();
        let mut values = Values::new(self.told.clone());
        let mut execute = || -> Result<()> {
            loop {
                let batch = tape.read().map_err(|()| ended())?;
                let Some(batch) = batch else { return Ok(()) };
                for op in batch {
                    F::execute(&mut values, recorder, op)?;
                }
            }
        };
        let executed = execute();
        self.end(&tape);
        executed
    }
}

/// See [`Engine::witness`].
#[derive(Clone)]
pub(crate) struct Witness<F: Field> {
    elements: Arc<Mutex<Zeroizing<Vec<F>>>>,
    next: usize,
}

impl<F: Field> Iterator for Witness<F> {
    type Item = F;

    fn next(&mut self) -> Option<F> {
        let element = self.elements.lock().unwrap_or_else(PoisonError::into_inner).get(self.next).copied();
        self.next += usize::from(element.is_some());
        element
    }
}

/// Lane `i` of a value with lanes of `width`, or its only one.
fn lane<A>(value: &[A], i: usize, width: usize) -> &[A] {
    if value.len() == width { value } else { &value[i * width..][..width] }
}

/// The error of whoever reads what a function does that has failed.
fn ended() -> Error {
    Error::invalid("the function has ended in an error")
}

/// The error of what the writing thread does not let through.
fn foreign(what: &str) -> Error {
    Error::invalid(format!("{what} over a field that has none"))
}
