//! Depth of a stream: the multiplications on its longest path.
//!
//! A function that is called for the first few times is gone through as its callers are. From then on it is known
//! by how much each result lies behind each argument, which costs as much as going through it once for each of
//! them. Only what is made of gates, and of calls of such functions, is looked at so: of all else the depth is not
//! known here.

use super::block::{Block, Op, Record};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// One more than the length of the longest path to a wire, or 0 where there is no path.
type Length = u64;

/// The most lengths that are held at once for all functions, or added up for one call.
const MOST: usize = 1 << 22;
/// The most lengths that are added up within all functions, and the most records of theirs that are gone through as
/// their callers are.
const MOST_SUMS: usize = 1 << 26;

/// A search for the depth, block by block.
pub(super) struct Depths<F> {
    paths: Paths,
    /// Functions by their addresses.
    functions: HashMap<usize, Function<F>>,
    /// The lengths that are held for functions.
    held: usize,
    /// The lengths that were added up within functions.
    sums: usize,
    /// The records of functions that were gone through as their callers are.
    walked: usize,
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
    /// How often it was gone through.
    walks: u32,
    /// The paths through it, once they are looked for; `None` within where they are not known.
    delays: Option<Option<Arc<Delays>>>,
}

/// The longest paths to the results of a call, and to what is deepest in it.
type Lengths = [Vec<Vec<Length>>; 2];

/// The longest paths through a function.
struct Delays {
    results: Vec<Vec<Length>>,
    deepest: Vec<Length>,
}

impl<F> Default for Depths<F> {
    fn default() -> Self {
        Self { paths: Paths::new(0, 0), functions: HashMap::new(), held: 0, sums: 0, walked: 0, known: true }
    }
}

impl<F> Depths<F> {
    /// The depth of all blocks, if it is known.
    pub(super) fn depth(&self) -> Option<u64> {
        self.known.then(|| match self.paths.deepest[0] {
            Length::MAX => u64::MAX,
            deepest => deepest.saturating_sub(1),
        })
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

    /// Finds what is known of `function`.
    fn function(&mut self, function: &Arc<Block<F>>) -> &mut Function<F> {
        let unknown = || Function { _block: Arc::downgrade(function), walks: 0, delays: None };
        self.functions.entry(Arc::as_ptr(function) as usize).or_insert_with(unknown)
    }

    /// The lengths to the results of `function` on these arguments.
    fn call(&mut self, function: &Arc<Block<F>>, paths: &Paths, arguments: &[u32]) -> Option<Lengths> {
        let may_walk = paths.width == 1 && self.walked + function.records.len() <= MOST_SUMS;
        let known = self.function(function);
        if may_walk && known.delays.is_none() && known.walks < function.arguments {
            known.walks += 1;
            self.walked += function.records.len();
            return self.enter(function, arguments.iter().map(|slot| paths.of(*slot)[0]));
        }
        let delays = match known.delays.clone() {
            Some(delays) => delays,
            None => {
                let delays = self.delays(function).map(Arc::new);
                self.function(function).delays.insert(delays).clone()
            }
        }?;
        let sums = (delays.results.len() + 1) * (arguments.len() + 1);
        if sums.checked_mul(paths.width).is_none_or(|sums| sums > MOST) {
            return None;
        }
        self.sum(sums, paths.width)?;
        Some(paths.through(&delays, arguments))
    }

    /// Goes through `function`, whose arguments have paths of these lengths.
    fn enter(&mut self, function: &Block<F>, arguments: impl Iterator<Item = Length>) -> Option<Lengths> {
        let within = function.slots as usize;
        self.hold(within)?;
        let mut paths = Paths::new(0, function.slots);
        paths.wires.iter_mut().zip(arguments).for_each(|(wire, length)| *wire = length);
        self.walk(function, &mut paths)?;
        self.held -= within;
        Some([paths.results(function), vec![paths.deepest]])
    }

    fn delays(&mut self, function: &Block<F>) -> Option<Delays> {
        let width = function.arguments as usize + 1;
        let within = width.checked_mul(function.slots as usize)?;
        self.hold(within)?;
        let mut paths = Paths::new(width - 1, function.slots);
        self.walk(function, &mut paths)?;
        self.hold(width.checked_mul(function.read(function.results).list().iter().count() + 1)?)?;
        self.held -= within;
        Some(Delays { results: paths.results(function), deepest: paths.deepest })
    }

    /// Holds so many lengths more, unless they are too many.
    fn hold(&mut self, lengths: usize) -> Option<()> {
        self.held = self.held.checked_add(lengths).filter(|held| *held <= MOST)?;
        Some(())
    }

    /// Adds up so many lengths for each path to a wire of a block. Within functions they may be too many: there are
    /// paths from each argument.
    fn sum(&mut self, lengths: usize, width: usize) -> Option<()> {
        if width > 1 {
            let sums = lengths.checked_mul(width)?;
            self.sums = self.sums.checked_add(sums).filter(|sums| *sums <= MOST_SUMS)?;
        }
        Some(())
    }

    /// Goes through a block; `None` where something else than gates is in it.
    fn walk(&mut self, block: &Block<F>, paths: &mut Paths) -> Option<()> {
        for &Record { op, out, a, b } in &block.records {
            match op {
                Op::Constant => paths.put(out, &[], 0),
                Op::Add => paths.join(out, a, b, 0),
                Op::Mul => paths.join(out, a, b, 1),
                Op::Scale => paths.join(out, a, a, 0),
                Op::Linear => paths.put(out, &block.read(a).list().iter().collect::<Vec<_>>(), 0),
                Op::Witness => {
                    self.sum(a as usize, paths.width)?;
                    (out..out + a).for_each(|slot| paths.put(slot, &[], 0));
                }
                Op::Hint => {
                    let mut words = block.read(a);
                    let of: Vec<_> = words.list().iter().collect();
                    let slots: Vec<_> = words.list().iter().collect();
                    self.sum(of.len() + slots.len(), paths.width)?;
                    for path in 0..paths.width {
                        let longest = paths.longest(path, &of, 0);
                        slots.iter().for_each(|slot| paths.set(*slot, path, longest));
                    }
                }
                Op::Assert | Op::Output | Op::Drop => {}
                Op::Call => {
                    let mut words = block.read(a);
                    let [arguments, results] = [words.list(), words.list()];
                    let arguments: Vec<_> = arguments.iter().collect();
                    let lengths = self.call(&block.functions[out as usize], paths, &arguments)?;
                    paths.put_all(lengths, results.iter());
                }
                Op::Map => {
                    let mut words = block.read(a);
                    let [arguments, results] = [words.list(), words.list()].map(|list| list.columns(b));
                    // Each lane is as a call, and the lengths of all are held at once, as results may take the
                    // places of arguments of other lanes.
                    let lengths = (results.ports() + 1).checked_mul(b as usize)?;
                    if lengths.checked_mul(paths.width).is_none_or(|lengths| lengths > MOST) {
                        return None;
                    }
                    let function = &block.functions[out as usize];
                    let lanes = (0..b as usize)
                        .map(|lane| self.call(function, paths, &arguments.of(lane).collect::<Vec<_>>()));
                    for (lane, lengths) in lanes.collect::<Option<Vec<_>>>()?.into_iter().enumerate() {
                        paths.put_all(lengths, results.of(lane));
                    }
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
        let mut paths = Self { width, wires: Vec::new(), deepest: vec![0; width] };
        paths.hold(slots);
        for argument in 0..arguments {
            paths.wires[argument * width + argument + 1] = 1;
        }
        paths
    }

    fn hold(&mut self, slots: u32) {
        let length = self.width * slots as usize;
        self.wires.resize(self.wires.len().max(length), 0);
    }

    fn of(&self, slot: u32) -> &[Length] {
        &self.wires[slot as usize * self.width..][..self.width]
    }

    /// Puts a wire on a slot that lies `behind` those on others, or is made of none.
    fn put(&mut self, out: u32, of: &[u32], behind: u64) {
        for path in 0..self.width {
            self.set(out, path, self.longest(path, of, behind));
        }
    }

    /// The length of a path to a wire that lies `behind` those on others, or is made of none.
    fn longest(&self, path: usize, of: &[u32], behind: u64) -> Length {
        let own = Length::from(of.is_empty() && path == 0);
        match of.iter().map(|slot| self.of(*slot)[path]).max() {
            None | Some(0) => own,
            Some(longest) => longest.saturating_add(behind),
        }
    }

    /// Puts a wire on a slot that lies `behind` those on two others. This is done for each gate, so that nothing is
    /// called.
    fn join(&mut self, out: u32, a: u32, b: u32, behind: u64) {
        let width = self.width;
        let (out, a, b) = (out as usize * width, a as usize * width, b as usize * width);
        let (wires, deepest) = (&mut self.wires[..], &mut self.deepest[..]);
        let mut path = 0;
        while path < width {
            let (mut longest, other) = (wires[a + path], wires[b + path]);
            if other > longest {
                longest = other;
            }
            if longest > 0 {
                longest = longest.saturating_add(behind);
            }
            wires[out + path] = longest;
            if longest > deepest[path] {
                deepest[path] = longest;
            }
            path += 1;
        }
    }

    fn set(&mut self, out: u32, path: usize, length: Length) {
        self.wires[out as usize * self.width + path] = length;
        self.deepest[path] = self.deepest[path].max(length);
    }

    /// The paths to the results of a function, which was gone through.
    fn results<F>(&self, function: &Block<F>) -> Vec<Vec<Length>> {
        function.read(function.results).list().iter().map(|slot| self.of(slot).to_vec()).collect()
    }

    /// The lengths to the results of a function on these arguments, and to what is deepest in it.
    fn through(&self, delays: &Delays, arguments: &[u32]) -> Lengths {
        let through = |delays: &Vec<Length>| -> Vec<Length> {
            let by = |path: usize| {
                let own = if path == 0 { delays[0] } else { 0 };
                let lengths = arguments.iter().zip(&delays[1..]);
                let lengths = lengths.map(|(slot, by)| match (self.of(*slot)[path], *by) {
                    (0, _) | (_, 0) => 0,
                    (path, by) => path.saturating_add(by - 1),
                });
                lengths.fold(own, Length::max)
            };
            (0..self.width).map(by).collect()
        };
        [delays.results.iter().map(through).collect(), vec![through(&delays.deepest)]]
    }

    fn put_all(&mut self, [results, deepest]: Lengths, slots: impl Iterator<Item = u32>) {
        for (slot, lengths) in slots.zip(results) {
            lengths.into_iter().enumerate().for_each(|(path, length)| self.set(slot, path, length));
        }
        for deepest in deepest {
            self.deepest.iter_mut().zip(deepest).for_each(|(all, length)| *all = length.max(*all));
        }
    }
}
