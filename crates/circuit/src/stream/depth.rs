//! Depth of a stream: the multiplications on its longest path, for which each function is looked at once.
//!
//! Of a function it is known by how much each result lies behind each argument. Only what is made of gates, and of
//! calls of such functions, is looked at so: of all else the depth is not known here.

use super::block::{Block, Op, Record};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The length of the longest path to a wire, or `None` where there is no path.
type Length = Option<u64>;

/// The most lengths that are held for a function, or added up for one call.
const MOST: usize = 1 << 22;

/// A search for the depth, block by block.
pub(super) struct Depths<F> {
    paths: Paths,
    /// Functions by their addresses.
    functions: HashMap<usize, Function<F>>,
    /// Whether all blocks could be looked at.
    known: bool,
}

/// The longest paths to the wires of a block: for each slot first the one from what the block itself makes, and then
/// one from each argument of it.
struct Paths {
    /// The number of these.
    width: usize,
    wires: Vec<Length>,
    /// The longest to any wire.
    deepest: Vec<Length>,
}

/// A function that was looked at.
struct Function<F> {
    /// A weak reference keeps its address from being used again.
    _block: Weak<Block<F>>,
    delays: Option<Arc<Delays>>,
}

/// The longest paths through a function.
struct Delays {
    results: Vec<Vec<Length>>,
    deepest: Vec<Length>,
}

impl<F> Default for Depths<F> {
    fn default() -> Self {
        Self { paths: Paths::new(0, 0), functions: HashMap::new(), known: true }
    }
}

impl<F> Depths<F> {
    /// The depth of all blocks, if it is known.
    pub(super) fn depth(&self) -> Option<u64> {
        self.known.then(|| self.paths.deepest[0].unwrap_or(0))
    }

    /// Goes through the next `block` of the statement.
    pub(super) fn block(&mut self, block: &Block<F>) {
        if self.known {
            let mut paths = core::mem::replace(&mut self.paths, Paths::new(0, 0));
            paths.hold(block.slots);
            self.known = self.walk(block, &mut paths).is_some();
            self.paths = paths;
        }
    }

    /// The paths through `function`.
    fn function(&mut self, function: &Arc<Block<F>>) -> Option<Arc<Delays>> {
        let address = Arc::as_ptr(function) as usize;
        if let Some(known) = self.functions.get(&address) {
            return known.delays.clone();
        }
        let arguments = function.arguments as usize;
        let few = (arguments + 1).checked_mul(function.slots as usize).is_some_and(|lengths| lengths <= MOST);
        let delays = few.then(|| {
            let mut paths = Paths::new(arguments, function.slots);
            self.walk(function, &mut paths)?;
            let results = function.read(function.results).list();
            let results = results.iter().map(|slot| paths.of(slot).to_vec()).collect();
            Some(Arc::new(Delays { results, deepest: paths.deepest }))
        });
        let delays = delays.flatten();
        let known = Function { _block: Arc::downgrade(function), delays: delays.clone() };
        self.functions.insert(address, known);
        delays
    }

    /// Goes through a block; `None` where something else than gates is in it.
    fn walk(&mut self, block: &Block<F>, paths: &mut Paths) -> Option<()> {
        for &Record { op, out, a, b } in &block.records {
            match op {
                Op::Constant => paths.put(out, &[], 0),
                Op::Add => paths.put(out, &[a, b], 0),
                Op::Mul => paths.put(out, &[a, b], 1),
                Op::Scale => paths.put(out, &[a], 0),
                Op::Linear => paths.put(out, &block.read(a).list().iter().collect::<Vec<_>>(), 0),
                Op::Witness => (out..out + a).for_each(|slot| paths.put(slot, &[], 0)),
                Op::Hint => {
                    let mut words = block.read(a);
                    let of: Vec<_> = words.list().iter().collect();
                    words.list().iter().for_each(|slot| paths.put(slot, &of, 0));
                }
                Op::Assert | Op::Output | Op::Drop => {}
                Op::Call => {
                    let delays = self.function(&block.functions[out as usize])?;
                    let mut words = block.read(a);
                    let arguments: Vec<_> = words.list().iter().collect();
                    let results = words.list();
                    let sums = (delays.results.len() + 1) * (arguments.len() + 1);
                    if sums.checked_mul(paths.width).is_none_or(|sums| sums > MOST) {
                        return None;
                    }
                    paths.call(&delays, &arguments, results.iter());
                }
                _ => return None,
            }
        }
        Some(())
    }
}

impl Paths {
    /// The paths of a block with so many arguments, which are on its first slots.
    fn new(arguments: usize, slots: u32) -> Self {
        let width = arguments + 1;
        let mut paths = Self { width, wires: Vec::new(), deepest: vec![None; width] };
        paths.hold(slots);
        for argument in 0..arguments {
            paths.wires[argument * width + argument + 1] = Some(0);
        }
        paths
    }

    fn hold(&mut self, slots: u32) {
        let length = self.width * slots as usize;
        self.wires.resize(self.wires.len().max(length), None);
    }

    fn of(&self, slot: u32) -> &[Length] {
        &self.wires[slot as usize * self.width..][..self.width]
    }

    /// Puts a wire on a slot that lies `behind` those on others, or is made of none.
    fn put(&mut self, out: u32, of: &[u32], behind: u64) {
        for path in 0..self.width {
            let longest = of.iter().filter_map(|slot| self.of(*slot)[path]).max();
            let own = (of.is_empty() && path == 0).then_some(0);
            self.set(out, path, longest.map(|length| length.saturating_add(behind)).or(own));
        }
    }

    fn set(&mut self, out: u32, path: usize, length: Length) {
        self.wires[out as usize * self.width + path] = length;
        self.deepest[path] = self.deepest[path].max(length);
    }

    /// Puts the results of a function on their slots.
    fn call(&mut self, delays: &Delays, arguments: &[u32], results: impl Iterator<Item = u32>) {
        let through = |paths: &Self, delays: &[Length]| -> Vec<Length> {
            let by = |path: usize| {
                let own = delays[0].filter(|_| path == 0);
                let lengths = arguments.iter().zip(&delays[1..]);
                let lengths =
                    lengths.filter_map(|(slot, by)| Some(paths.of(*slot)[path]?.saturating_add((*by)?)));
                lengths.max().max(own)
            };
            (0..paths.width).map(by).collect()
        };
        let deepest = through(self, &delays.deepest);
        let lengths: Vec<_> = delays.results.iter().map(|delays| through(self, delays)).collect();
        for (slot, lengths) in results.zip(lengths) {
            lengths.into_iter().enumerate().for_each(|(path, length)| self.set(slot, path, length));
        }
        self.deepest.iter_mut().zip(deepest).for_each(|(all, length)| *all = length.max(*all));
    }
}
