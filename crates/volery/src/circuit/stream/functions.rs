//! Functions that were recorded.

use super::block::Block;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Words of 32 bits that functions may take which are kept, and those that one block calls.
pub(super) const MOST_WORDS: usize = 1 << 23;

/// Functions that were recorded, by their keys. One statement's functions are no other's.
pub struct Functions<F>(Mutex<Kept<F>>);

struct Kept<F> {
    functions: HashMap<Vec<u8>, Arc<Recorded<F>>>,
    /// The words that these take.
    size: usize,
}

/// A function, with what it returns beside its wires.
pub(super) struct Recorded<F> {
    pub(super) block: Arc<Block<F>>,
    pub(super) public: Vec<u8>,
}

impl<F> Default for Functions<F> {
    fn default() -> Self {
        Self(Mutex::new(Kept { functions: HashMap::new(), size: 0 }))
    }
}

impl<F> Functions<F> {
    fn kept(&self) -> MutexGuard<'_, Kept<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn known(&self, key: &[u8]) -> Option<Arc<Recorded<F>>> {
        self.kept().functions.get(key).cloned()
    }

    pub(super) fn keep(&self, key: Vec<u8>, function: Arc<Recorded<F>>) {
        let mut kept = self.kept();
        kept.size += function.block.size();
        if kept.size > MOST_WORDS {
            // Functions that are not called again would take more and more.
            kept.functions.clear();
            kept.size = function.block.size();
        }
        kept.functions.insert(key, function);
    }
}
