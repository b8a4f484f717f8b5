//! Depth of a stream: the multiplications on its longest path, for which each function is looked at once.
//!
//! Of a function it is known by how much each result lies behind each argument. Only what is made of gates, and of
//! calls of such functions, is looked at so: of all else the depth is not known here.

use super::block::{Block, Op, Record};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// One more than the length of the longest path to a wire, or 0 where there is no path.
type Length = u64;

/// The most lengths that are held at once for all functions, or added up for one call.
const MOST: usize = 1 << 22;
/// The most lengths that are added up within all functions.
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
        Self { paths: Paths::new(0, 0), functions: HashMap::new(), held: 0, sums: 0, known: true }
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

    /// The paths through `function`.
    fn function(&mut self, function: &Arc<Block<F>>) -> Option<Arc<Delays>> {
        let address = Arc::as_ptr(function) as usize;
        if let Some(known) = self.functions.get(&address) {
            return known.delays.clone();
        }
        let delays = self.delays(function).map(Arc::new);
        let known = Function { _block: Arc::downgrade(function), delays: delays.clone() };
        self.functions.insert(address, known);
        delays
    }

    fn delays(&mut self, function: &Block<F>) -> Option<Delays> {
        let width = function.arguments as usize + 1;
        let within = width.checked_mul(function.slots as usize)?;
        self.hold(within)?;
        let mut paths = Paths::new(width - 1, function.slots);
        self.walk(function, &mut paths)?;
        let results: Vec<_> = function.read(function.results).list().iter().collect();
        self.hold(width.checked_mul(results.len() + 1)?)?;
        let results = results.iter().map(|slot| paths.of(*slot).to_vec()).collect();
        self.held -= within;
        Some(Delays { results, deepest: paths.deepest })
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
                    let delays = self.function(&block.functions[out as usize])?;
                    let mut words = block.read(a);
                    let arguments: Vec<_> = words.list().iter().collect();
                    let results = words.list();
                    let sums = (delays.results.len() + 1) * (arguments.len() + 1);
                    if sums.checked_mul(paths.width).is_none_or(|sums| sums > MOST) {
                        return None;
                    }
                    self.sum(sums, paths.width)?;
                    paths.call(&delays, &arguments, results.iter());
                }
                Op::Map => {
                    let delays = self.function(&block.functions[out as usize])?;
                    let mut words = block.read(a);
                    let [arguments, results] = [words.list(), words.list()].map(|list| list.columns(b));
                    let lengths = delays.results.len() + 1;
                    let sums = lengths * (arguments.ports() + 1);
                    // Each lane is as a call, and the lengths of all are held at once.
                    let most = sums.max(lengths.checked_mul(b as usize)?);
                    if most.checked_mul(paths.width).is_none_or(|most| most > MOST) {
                        return None;
                    }
                    self.sum(sums.checked_mul(b as usize)?, paths.width)?;
                    // Results may take the places of arguments of other lanes.
                    let through = (0..b as usize)
                        .map(|lane| paths.through(&delays, &arguments.of(lane).collect::<Vec<_>>()));
                    for (lane, lengths) in through.collect::<Vec<_>>().into_iter().enumerate() {
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

    /// Puts the results of a function on their slots.
    fn call(&mut self, delays: &Delays, arguments: &[u32], results: impl Iterator<Item = u32>) {
        let lengths = self.through(delays, arguments);
        self.put_all(lengths, results);
    }

    /// The lengths to the results of a function on these arguments, and to what is deepest in it.
    fn through(&self, delays: &Delays, arguments: &[u32]) -> [Vec<Vec<Length>>; 2] {
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

    fn put_all(&mut self, [results, deepest]: [Vec<Vec<Length>>; 2], slots: impl Iterator<Item = u32>) {
        for (slot, lengths) in slots.zip(results) {
            lengths.into_iter().enumerate().for_each(|(path, length)| self.set(slot, path, length));
        }
        for deepest in deepest {
            self.deepest.iter_mut().zip(deepest).for_each(|(all, length)| *all = length.max(*all));
        }
    }
}
