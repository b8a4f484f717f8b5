use super::*;
use crate::crossing::Carried;
use crate::stream::{Shard, ShardSource, Stream, Streamed, fingerprint};
use crate::{Clear, Count, Crossings as _, Shape};
use volery_primitives::{F61, Field};

/// Evaluates all shards in the clear.
fn evaluate<const N: usize>(shards: &Of, witness: [F61; N]) -> Result<()> {
    let mut clear = Clear::new(witness);
    Streamed(&Whole(shards)).run(&mut clear)?;
    clear.finish()
}

/// Shards whose needs and gifts are given, of which each takes and gives as said.
struct Of(Vec<(Vec<Need>, usize, usize)>);

impl Sharding for Of {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        self.0[shard].0.clone()
    }
    fn outgoing(&self, shard: usize) -> usize {
        self.0[shard].1
    }
}

impl<B: Backend> Sharded<B> for Of {
    fn run(&self, shard: usize, b: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
        for (i, wire) in incoming.iter().enumerate() {
            b.assert_zero(*wire, format_args!("wire {i} of shard {shard}"))?;
        }
        (0..self.0[shard].2).map(|_| b.witness()).collect()
    }
}

fn need(from: usize, wires: Range<usize>) -> Need {
    Need { from, wires }
}

#[test]
fn what_is_announced_is_in_order() {
    let good = Of(vec![
        (vec![], 3, 3),
        (vec![need(0, 0..2)], 1, 1),
        (vec![need(1, 0..1), need(0, 2..3), need(0, 0..1)], 0, 0),
    ]);
    let announced = Announced::of(&good).unwrap();
    assert_eq!((announced.incoming(2), announced.sources(2)), (3, &[0, 1][..]));
    assert_eq!((announced.consumers(0), announced.consumers(1)), (&[1, 2][..], &[2][..]));
    assert_eq!((announced.between(0, 2), announced.between(1, 2), announced.between(0, 1)), (2, 1, 2));
    let mut other = Of(good.0.clone());
    other.0[2].0.swap(1, 2);
    assert_ne!(Announced::of(&other).unwrap().digest(), announced.digest());
    let reversed = Range { start: 1, end: 0 };
    for bad in [
        vec![],
        vec![(vec![need(0, 0..0)], 0, 0)],
        vec![(vec![], 1, 1), (vec![need(0, 0..2)], 0, 0)],
        vec![(vec![], 1, 1), (vec![need(2, 0..1)], 0, 0), (vec![], 1, 1)],
        vec![(vec![], 1, 1), (vec![need(0, reversed)], 0, 0)],
        vec![(vec![], usize::MAX, 0)],
    ] {
        assert!(matches!(Announced::of(&Of(bad)), Err(Error::Invalid(_))));
    }
}

#[test]
fn a_shard_gives_as_many_wires_as_it_announced() {
    for given in [0, 2] {
        let shards = Of(vec![(vec![], 1, given), (vec![need(0, 0..1)], 0, 0)]);
        let whole = evaluate(&shards, [F61::ZERO; 2]);
        assert!(matches!(whole, Err(Error::Invalid(why)) if why.contains("shard 0 gives")));
        let announced = Announced::of(&shards).unwrap();
        let shard = Shard::<F61>::new(&shards, &announced, 0);
        assert!(matches!(Shape::without_depth(&shard), Err(Error::Invalid(_))));
    }
}

#[test]
fn assertions_keep_their_names_and_shards_their_digests() {
    let shards = Of(vec![(vec![], 2, 2), (vec![need(0, 0..2)], 0, 0)]);
    let why = evaluate(&shards, [F61::ZERO, F61::ONE]).unwrap_err();
    assert!(matches!(why, Error::Unsatisfied(name) if name == "wire 1 of shard 1"));
    let announced = Announced::of(&shards).unwrap();
    let shard = Shard::<F61>::new(&shards, &announced, 1);
    let alone = |values: [F61; 2]| {
        let mut clear = Clear::shard([], Carried::new(values.to_vec().into()), 0);
        Stream::new(&shard).run(&mut clear)?;
        clear.finish_shard()
    };
    assert_eq!(alone([F61::ZERO; 2]).unwrap().1, 2);
    let why = alone([F61::ONE, F61::ZERO]).err();
    assert!(matches!(why, Some(Error::Unsatisfied(name)) if name == "wire 0 of shard 1"));
    let shape = Shape::without_depth(&shard).unwrap();
    assert_eq!((shape.incoming, shape.outgoing, shape.assert), (2, 0, 2));
    assert_eq!(Count::fingerprint(&Stream::new(&shard)).unwrap().0.incoming, 2);
    let digest = |shards: &dyn ShardSource<F61>| fingerprint(shards).unwrap().1;
    let other = Of(vec![(vec![], 2, 2), (vec![need(0, 0..1), need(0, 1..2)], 0, 0)]);
    assert_ne!(digest(&shards), digest(&other));
    // Where nothing is asserted, anything would do.
    let nothing = Of(vec![(vec![], 2, 2), (vec![], 0, 0)]);
    assert!(matches!(fingerprint::<F61>(&nothing), Err(Error::Invalid(_))));
}

#[test]
fn wires_cross_by_their_number_and_outside_of_functions() {
    let mut clear = Clear::shard([], Carried::new(vec![F61::ONE; 2].into()), 1);
    assert_eq!(clear.incoming(1).unwrap(), [F61::ONE]);
    assert!(clear.incoming(2).is_err());
    assert!(clear.outgoing(&[F61::ONE; 2]).is_err());
    clear.outgoing(&[F61::ONE]).unwrap();
    // One of both was not taken.
    assert!(matches!(clear.finish_shard(), Err(Error::Invalid(_))));
    let mut clear = Clear::<F61>::new([]);
    assert!(clear.incoming(0).is_err() && clear.outgoing(&[]).is_err());
}
