//! A statement whose gates are those of a Python function: what it does is executed here, on the thread that
//! proves, by the gadgets that Rust has.
//!
//! Whoever walks the statement asks for a run of the function, which another thread makes ([`Tape`]). Each
//! operation is executed in a scope, so that what it takes within dies with it, and the wires of its result
//! live until nobody holds a value with them.

mod bits;
mod elements;
mod trace;
mod values;
mod walk;

use crate::parts::Parts;
use crate::tape::{Failed, Op, Tape};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use trace::Trace;
pub(crate) use values::Values;
use volery::circuit::stream::{AllShards, Handle, Recorder, Source};
use volery::circuit::{Need, Sharded, Sharding, Wires};
use volery::{Error, Field, Result};
use volery_primitives::bits::mask;
use walk::Walk;
use zeroize::Zeroizing;

/// A field that values of a circuit are over: what its operations do.
pub(crate) trait Ground: Field {
    /// An element: a public one, or a wire.
    type Atom: Copy + Send + Sync + Wires<Handle>;

    /// The element on this wire.
    fn on(wire: Handle) -> Self::Atom;

    /// The atom of an element that both parties know.
    fn known(value: Self) -> Self::Atom;

    /// The element, where both parties know it.
    fn public(atom: Self::Atom) -> Option<Self>;

    /// A wire that carries this element.
    fn wire(atom: Self::Atom, b: &mut Recorder<'_, Self>) -> Handle;

    /// Executes `op`.
    ///
    /// # Errors
    /// Those of the recorder; `Invalid` where the field has no such operation.
    fn execute(values: &mut Values<Self>, b: &mut Recorder<'_, Self>, op: Op) -> Result<()>;
}

/// A function that is asked for another run of the function, for a shard.
pub(crate) type Ask = Box<dyn Fn(Arc<Tape>, usize) + Send + Sync>;

/// The statement, and the prover's witness for it.
pub(crate) struct Engine<F: Field> {
    ask: Ask,
    /// How it falls into shards.
    pub(crate) parts: Arc<Parts>,
    /// The run that is read.
    current: Mutex<Option<(ThreadId, Arc<Tape>)>>,
    free: Condvar,
    /// The witness of each shard, as far as it is known.
    witness: Arc<Mutex<Vec<Zeroizing<Vec<F>>>>>,
    /// The assertion that failed, if one did.
    pub(crate) told: Arc<Mutex<Option<Failed>>>,
    /// The digest of the first whole run of each shard.
    did: Mutex<Vec<Option<[u8; 32]>>>,
}

impl<F: Field> Engine<F> {
    pub(crate) fn new(ask: Ask, parts: Arc<Parts>) -> Self {
        let witness = (0..parts.count()).map(|_| Zeroizing::default()).collect();
        let did = Mutex::new(vec![None; parts.count()]);
        Self {
            ask,
            parts,
            current: Mutex::new(None),
            free: Condvar::new(),
            witness: Arc::new(Mutex::new(witness)),
            told: Arc::default(),
            did,
        }
    }

    /// Adds numbers to the witness of a shard, over F_2 so many bits of each.
    ///
    /// # Errors
    /// `Invalid` where one is no element of the field.
    pub(crate) fn add_to_witness(&self, shard: usize, numbers: &[u128], width: u32) -> Result<()> {
        let mut witness = self.witness.lock().unwrap_or_else(PoisonError::into_inner);
        let witness = &mut witness[shard];
        let more = numbers.len() * width as usize;
        // What was there is wiped where it is moved.
        if witness.len() + more > witness.capacity() {
            let mut longer = Zeroizing::new(Vec::with_capacity(2 * (witness.len() + more)));
            longer.extend_from_slice(witness);
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

    /// Runs the function for each shard, and executes nothing.
    ///
    /// # Errors
    /// `Invalid` where it ended in an error.
    pub(crate) fn skip(&self) -> Result<()> {
        (0..self.parts.count()).try_for_each(|shard| self.read(shard, &mut |_| Ok(())))
    }

    /// Runs the function for a shard, and gives its operations to `take`.
    ///
    /// # Errors
    /// Those of `take`; `Invalid` where the run ended in an error, or did something else than the one before.
    fn read(&self, shard: usize, take: &mut dyn FnMut(Vec<Op>) -> Result<()>) -> Result<()> {
        let (tape, mut trace) = (self.begin(shard), Trace::default());
        let mut read = || loop {
            match tape.read() {
                Ok(Some(batch)) => {
                    trace.add(&batch);
                    take(batch)?;
                }
                Ok(None) => return Ok(()),
                Err(()) => return Err(ended()),
            }
        };
        let read = read();
        self.end(&tape);
        read.and_then(|()| self.same(shard, trace.digest()))
    }

    /// Demands that all whole runs of a shard do the same: what is verified is what was counted and agreed on.
    fn same(&self, shard: usize, now: [u8; 32]) -> Result<()> {
        let mut did = self.did.lock().unwrap_or_else(PoisonError::into_inner);
        if *did[shard].get_or_insert(now) == now {
            return Ok(());
        }
        let of = self.parts.number(shard).map(|shard| format!(" for shard {shard}")).unwrap_or_default();
        Err(Error::invalid(format!(
            "the function did something else when it was run again{of}: let it depend on its public values alone, and \
             change nothing that it depends on"
        )))
    }

    /// The witness of all shards as far as it is known whenever the next element is asked for.
    pub(crate) fn witness(&self) -> Witness<F> {
        Witness { elements: self.witness.clone(), shard: 0, next: 0, last: self.parts.count() - 1 }
    }

    /// The witness of one shard.
    pub(crate) fn witness_of(&self, shard: usize) -> Witness<F> {
        Witness { elements: self.witness.clone(), shard, next: 0, last: shard }
    }

    /// Forgets the witnesses of the shards before this one.
    pub(crate) fn forget_before(&self, shard: usize) {
        let mut witness = self.witness.lock().unwrap_or_else(PoisonError::into_inner);
        witness[..shard].iter_mut().for_each(|witness| *witness = Zeroizing::default());
    }

    fn current(&self) -> MutexGuard<'_, Option<(ThreadId, Arc<Tape>)>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a run. If this thread is in the middle of another, that one has failed, and its name is asked
    /// for: it is abandoned. Another thread's run is waited for.
    fn begin(&self, shard: usize) -> Arc<Tape> {
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
        (self.ask)(tape.clone(), shard);
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

    /// Ends the run that is being read, to end the session.
    pub(crate) fn stop(&self) {
        if let Some((_, tape)) = &*self.current() {
            tape.close();
        }
    }
}

impl<F: Ground> Source<F> for Engine<F> {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        match self.parts.count() {
            1 => self.run(0, recorder, &[]).map(drop),
            _ => AllShards(self).record(recorder),
        }
    }
}

impl<F: Field> Sharding for Engine<F> {
    fn count(&self) -> usize {
        self.parts.count()
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        self.parts.needs(shard)
    }
    fn outgoing(&self, shard: usize) -> usize {
        self.parts.outgoing(shard)
    }
}

impl<'r, F: Ground> Sharded<Recorder<'r, F>> for Engine<F> {
    fn run(&self, shard: usize, recorder: &mut Recorder<'r, F>, incoming: &[Handle]) -> Result<Vec<Handle>> {
        let mut walk = Walk::new(Values::new(self.told.clone(), incoming));
        self.read(shard, &mut |batch| batch.into_iter().try_for_each(|op| walk.take(recorder, op)))?;
        Ok(walk.values.outgoing)
    }
}

/// See [`Engine::witness`].
#[derive(Clone)]
pub(crate) struct Witness<F: Field> {
    elements: Arc<Mutex<Vec<Zeroizing<Vec<F>>>>>,
    shard: usize,
    next: usize,
    /// The last shard that is read.
    last: usize,
}

impl<F: Field> Iterator for Witness<F> {
    type Item = F;

    fn next(&mut self) -> Option<F> {
        let elements = self.elements.lock().unwrap_or_else(PoisonError::into_inner);
        // Of a shard that goes on later ones are not known yet.
        let found = (self.shard..=self.last).find_map(|shard| {
            let next = if shard == self.shard { self.next } else { 0 };
            elements[shard].get(next).map(|element| (shard, next, *element))
        });
        let (shard, next, element) = found?;
        (self.shard, self.next) = (shard, next + 1);
        Some(element)
    }
}

/// Lane `i` of a value with lanes of `width`, or its only one.
fn lane<A>(value: &[A], i: usize, width: usize) -> &[A] {
    if value.len() == width { value } else { &value[i * width..][..width] }
}

/// The error of an operation after the function has failed.
fn ended() -> Error {
    Error::invalid("the function has ended in an error")
}

/// The error of what the writing thread does not let through.
fn foreign(what: &str) -> Error {
    Error::invalid(format!("{what} over a field that has none"))
}
