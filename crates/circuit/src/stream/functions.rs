//! Functions that were recorded.

use super::Argues;
use super::block::Block;
use crate::Shape;
use core::borrow::Borrow;
use core::hash::Hash;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use volery_channel::error::Result;

/// Words of 32 bits that functions may take which are kept, and those that one block calls.
pub(super) const MOST_WORDS: usize = 1 << 23;

/// Functions that were recorded, by their keys, and what the statement comes to, once it was counted. One
/// statement's functions are no other's.
pub struct Functions<F> {
    kept: Mutex<Kept<Vec<u8>, F>>,
    shape: OnceLock<Shape>,
}

/// Functions that are kept by their keys, as long as they take few words.
pub(super) struct Kept<K, F> {
    pub(super) functions: HashMap<K, Arc<Recorded<F>>>,
    /// The words that these take.
    size: usize,
    /// The words that they may take.
    pub(super) most: usize,
}

impl<K, F> Default for Kept<K, F> {
    fn default() -> Self {
        Self { functions: HashMap::new(), size: 0, most: MOST_WORDS }
    }
}

impl<K: Eq + Hash, F> Kept<K, F> {
    pub(super) fn known<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<Arc<Recorded<F>>>
    where
        K: Borrow<Q>,
    {
        self.functions.get(key).cloned()
    }

    /// Keeps one more, and forgets all others where they would take too many words.
    pub(super) fn keep(&mut self, key: K, function: Arc<Recorded<F>>) {
        self.size += function.block.size();
        if self.size > self.most {
            // Functions that are not called again would take more and more.
            self.functions.clear();
            self.size = function.block.size();
        }
        if let Some(replaced) = self.functions.insert(key, function) {
            self.size -= replaced.block.size();
        }
    }
}

/// A function, with what it returns beside its wires.
pub(super) struct Recorded<F> {
    pub(super) block: Arc<Block<F>>,
    pub(super) public: Vec<u8>,
    /// The memories and tables that there were, where it names some by their numbers: where there are others
    /// it is another function.
    pub(super) among: Option<[u32; 2]>,
    /// The kinds of records that were recorded as such, and not as gates, where there are any.
    pub(super) argues: Option<Argues>,
    /// The memories whose cells are arguments behind its own, and where they are put, results.
    pub(super) cells: Vec<Import>,
}

/// A memory that a function looks at cell by cell.
pub(super) struct Import {
    /// The number of the memory.
    pub(super) memory: u32,
    /// Whether anything is put there.
    pub(super) puts: bool,
}

impl<F> Recorded<F> {
    /// Whether it is still what its key says, where so many memories and tables were made, and is executed by
    /// somebody who argues so.
    pub(super) fn is_still(&self, made: [u32; 2], argues: Argues) -> bool {
        self.among.is_none_or(|among| among == made) && self.argues.is_none_or(|of| of == argues)
    }
}

impl<F> Default for Functions<F> {
    fn default() -> Self {
        Self { kept: Mutex::default(), shape: OnceLock::new() }
    }
}

impl<F> Functions<F> {
    fn kept(&self) -> MutexGuard<'_, Kept<Vec<u8>, F>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The gates of the statement by kind, which `count` says if nobody has counted them.
    ///
    /// # Errors
    /// Those of `count`.
    pub(super) fn shape(&self, count: impl FnOnce(&Self) -> Result<Shape>) -> Result<Shape> {
        if let Some(shape) = self.shape.get() {
            return Ok(*shape);
        }
        let shape = count(self)?;
        // Another thread may have been first, and has counted the same.
        Ok(*self.shape.get_or_init(|| shape))
    }

    pub(super) fn known(&self, key: &[u8]) -> Option<Arc<Recorded<F>>> {
        self.kept().known(key)
    }

    pub(super) fn keep(&self, key: Vec<u8>, function: Arc<Recorded<F>>) {
        self.kept().keep(key, function);
    }
}
