//! Functions that were recorded.

use super::Argues;
use super::block::Block;
use crate::Shape;
use core::borrow::Borrow;
use core::hash::Hash;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use volery_channel::error::Result;

/// The most words of 32 bits of the functions that are kept, and of those that one block calls.
pub(super) const MOST_WORDS: usize = 1 << 23;

/// Recorded functions by their keys, and the statement's shape, once it was counted. They belong to one
/// statement.
pub struct Functions<F> {
    kept: Mutex<Kept<Vec<u8>, F>>,
    shape: OnceLock<Shape>,
    /// Whether the statement maps a function, as far as it was gone through, and whether that was to its end.
    maps: AtomicBool,
    ended: AtomicBool,
}

/// Functions that are kept by their keys, within a limit of words.
pub(super) struct Kept<K, F> {
    pub(super) functions: HashMap<K, Arc<Recorded<F>>>,
    /// The words of all that are kept.
    size: usize,
    /// The limit.
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

    /// Keeps a function. If that exceeds the limit, all others are dropped.
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

/// A recorded function, with its results' further facts.
pub(super) struct Recorded<F> {
    pub(super) block: Arc<Block<F>>,
    pub(super) public: Vec<u8>,
    /// The numbers of memories and tables that there were, where the function names some. With other numbers
    /// it has to be recorded again.
    pub(super) among: Option<[u32; 2]>,
    /// The executor's proofs at the time, where the function has records beyond gates.
    pub(super) argues: Option<Argues>,
    /// The memories whose cells are further arguments, and, where they are written to, further results.
    pub(super) cells: Vec<Import>,
}

/// A memory that a function uses cell by cell.
pub(super) struct Import {
    /// The number of the memory.
    pub(super) memory: u32,
    /// Whether the function writes to it.
    pub(super) puts: bool,
}

impl<F> Recorded<F> {
    /// Whether calls of it depend on nothing but their arguments, in whatever order they are executed.
    pub(super) fn is_free(&self) -> bool {
        self.among.is_none() && self.cells.is_empty()
    }

    /// Whether the recording is still right where `made` memories and tables were made, for an executor with
    /// these proofs.
    pub(super) fn is_still(&self, made: [u32; 2], argues: Argues) -> bool {
        self.among.is_none_or(|among| among == made) && self.argues.is_none_or(|of| of == argues)
    }
}

impl<F> Default for Functions<F> {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            shape: OnceLock::new(),
            maps: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }
}

impl<F> Functions<F> {
    fn kept(&self) -> MutexGuard<'_, Kept<Vec<u8>, F>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The gates of the statement by kind, which `count` counts the first time.
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

    /// Notes that the statement maps a function.
    pub(super) fn note_map(&self) {
        self.maps.store(true, Relaxed);
    }

    /// Notes that the statement was gone through to its end.
    pub(super) fn note_end(&self) {
        self.ended.store(true, Relaxed);
    }

    /// Whether the statement maps a function, if that is known.
    pub(super) fn maps(&self) -> Option<bool> {
        let maps = self.maps.load(Relaxed);
        (maps || self.ended.load(Relaxed)).then_some(maps)
    }

    pub(super) fn keep(&self, key: Vec<u8>, function: Arc<Recorded<F>>) {
        self.kept().keep(key, function);
    }
}
