//! How a function falls into shards: what each takes of which others, and what it gives.

use crate::errors::Result;
use crate::kinds::Kind;
use volery::circuit::{Announced, Need, Sharding};

/// The shards of a function, in order. One that is no statement in shards is one of them.
pub(crate) struct Parts {
    parts: Vec<ShardPart>,
    /// Whether the shards have numbers in messages.
    numbered: bool,
}

#[derive(Default)]
struct ShardPart {
    needs: Vec<Need>,
    /// The kinds of the values that come in, and of those that go out.
    incoming: Vec<Kind>,
    outgoing: Vec<Kind>,
}

/// A shard as Python gives it: for each source of incoming values the shard, and its first wire and the one
/// behind the last; the kinds of all values that come in, and of those that go out, as `K`.
pub(crate) type Said<K> = (Vec<(usize, usize, usize)>, Vec<K>, Vec<K>);

impl Parts {
    /// The shards that are given, or a function that is whole where none are.
    ///
    /// # Errors
    /// `Invalid` where a shard takes what no earlier one gives.
    pub(crate) fn read<K: Into<Kind>>(said: Option<Vec<Said<K>>>) -> Result<Self> {
        let Some(said) = said else { return Ok(Self { parts: vec![ShardPart::default()], numbered: false }) };
        let kinds = |types: Vec<K>| types.into_iter().map(Into::into).collect();
        let part = |(needs, incoming, outgoing): Said<K>| ShardPart {
            needs: needs.into_iter().map(|(from, start, end)| Need { from, wires: start..end }).collect(),
            incoming: kinds(incoming),
            outgoing: kinds(outgoing),
        };
        let parts = Self { parts: said.into_iter().map(part).collect(), numbered: true };
        Announced::of(&parts)?;
        Ok(parts)
    }

    /// The number of a shard, where there are any.
    pub(crate) fn number(&self, shard: usize) -> Option<usize> {
        self.numbered.then_some(shard)
    }

    /// The kinds of values that come in.
    pub(crate) fn takes(&self, shard: usize) -> &[Kind] {
        &self.parts[shard].incoming
    }

    /// The kinds of values that go out.
    pub(crate) fn gives(&self, shard: usize) -> &[Kind] {
        &self.parts[shard].outgoing
    }
}

impl Sharding for Parts {
    fn count(&self) -> usize {
        self.parts.len()
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        self.parts[shard].needs.clone()
    }
    fn outgoing(&self, shard: usize) -> usize {
        self.gives(shard).iter().map(|kind| kind.size() as usize).sum()
    }
}
