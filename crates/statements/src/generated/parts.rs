//! Generated networks in shards.

use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Need, Sharded, Sharding};

/// A network on a state of some wires, which come out as they went in.
pub trait Reversible {
    /// The wires of state.
    fn width(&self) -> usize;
}

/// A reversible network in a backend.
pub trait Turned<B: Backend>: Reversible {
    /// Pushes it, on the wires of `start`: those that come out, which are asserted to carry the same.
    ///
    /// # Errors
    /// Those of the backend.
    fn turn(&self, b: &mut B, start: Vec<B::Wire>) -> Result<Vec<B::Wire>>;
}

/// Networks side by side, each a shard with a state of its own, which is its witness. All but the last hand
/// theirs on to the last one, which adds them to its own before it turns that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<N>(Vec<N>);

impl<N: Reversible> Parts<N> {
    /// The statement of these networks.
    ///
    /// # Errors
    /// `Invalid` where there is none.
    pub fn new(networks: Vec<N>) -> Result<Self> {
        if networks.is_empty() {
            return Err(Error::invalid("no network: choose one at least"));
        }
        Ok(Self(networks))
    }

    /// The statement of as many networks as `shards`, of `gates` multiplications together, which `network`
    /// makes: their numbers differ by one at most.
    ///
    /// # Errors
    /// Those of `network`; `Invalid` for no shards.
    pub fn of(gates: u64, shards: usize, network: impl Fn(u64) -> Result<N>) -> Result<Self> {
        let shards = shards as u64;
        let begin = |part: u64| (u128::from(gates) * u128::from(part) / u128::from(shards)) as u64;
        Self::new((0..shards).map(|part| network(begin(part + 1) - begin(part))).collect::<Result<_>>()?)
    }

    /// The networks.
    pub fn networks(&self) -> &[N] {
        &self.0
    }
}

impl<N: Reversible> Sharding for Parts<N> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        if shard + 1 < self.count() {
            return Vec::new();
        }
        (0..shard).map(|from| Need { from, wires: 0..self.outgoing(from) }).collect()
    }
    fn outgoing(&self, shard: usize) -> usize {
        if shard + 1 < self.count() { self.0[shard].width() } else { 0 }
    }
}

impl<B: Backend, N: Turned<B>> Sharded<B> for Parts<N> {
    fn run(&self, shard: usize, b: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
        let network = &self.0[shard];
        let mut state = (0..network.width()).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        for wires in incoming.chunks(network.width()) {
            state.iter_mut().zip(wires).for_each(|(own, wire)| *own = b.add(*own, *wire));
        }
        let end = network.turn(b, state)?;
        Ok(if shard + 1 < self.count() { end } else { Vec::new() })
    }
}
