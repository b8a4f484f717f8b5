//! Parties that do not keep to a run.

use super::*;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::io;
use std::sync::Arc;
use volery_channel::error::{Misbehaviour, Rejection};
use volery_proof::correlations::Correlations;
use volery_vole::macs::Macs as _;

/// A run up to its last shard, which a prover ends that lies there, or has before.
fn lying<S: Supported>(shards: usize, lie: (usize, Lie)) -> (usize, Both) {
    let (witnesses, total) = witness::<S::F>(shards, 5, 8);
    let honest = Sums { shards, each: 5, total, lie: None };
    let total = if lie.1 == Lie::Total { total + S::F::ONE } else { total };
    let stated = Sums { shards, each: 5, total, lie: None };
    let dishonest = Sums { lie: Some(lie), ..honest };
    let mut parties = Parties::<S>::new(&stated, 0);
    for (shard, witness) in (0..).zip(&witnesses) {
        let place = Place::first(shard);
        let incoming = [parties.taken(0, place), parties.taken(1, place)];
        let (run, delta) = (parties.run, &parties.delta);
        let shards: [&dyn ShardSource<S::F>; 2] = [&dishonest, &stated];
        let at = at_shard::<S>([(&run, place); 2], shards, incoming, witness, delta, &unchecked());
        match at {
            (Ok((_, ends)), Ok((_, _, keys))) => {
                parties.ends[0].extend(ends);
                parties.ends[1].extend(keys);
            }
            (proved, verified) => {
                let proved = proved.map(|(report, _)| report);
                return (shard as usize, (proved, verified.map(|(accepted, report, _)| (accepted, report))));
            }
        }
    }
    panic!("a run with {lie:?} was accepted");
}

#[test]
fn who_lies_in_one_shard_is_rejected() {
    fn over<S: Supported>() {
        for lie in [(0, Lie::Product), (1, Lie::Product), (0, Lie::Sum), (1, Lie::Sum), (2, Lie::Total)] {
            let (found, (proved, verified)) = lying::<S>(3, lie);
            assert!(matches!(proved, Err(Error::Rejected(Rejection::ByVerifier))), "{lie:?}");
            assert!(matches!(verified, Err(Error::Rejected(_))), "{lie:?} {:?}", verified.err());
            // A wrong sum is one where it is used.
            assert!(found >= lie.0 && (lie.1 == Lie::Sum || found == lie.0), "{lie:?} in {found}");
        }
    }
    over::<Binary>();
    over::<ShortBinary>();
    over::<Over<F61>>();
    over::<Over<F65537, F65537x4>>();
}

/// Runs the last shard of two after `change` of both parties' bytes that come in, all else being honest.
fn last_of_two<S: Supported>(change: impl Fn(usize, &mut Vec<u8>)) -> AtShard {
    let (witnesses, total) = witness::<S::F>(2, 5, 8);
    let sums = Sums { shards: 2, each: 5, total, lie: None };
    let mut parties = Parties::<S>::new(&sums, 0);
    let (proved, verified) = parties.shard(&sums, Place::first(0), &witnesses[0]);
    proved.and(verified.map(drop)).unwrap();
    let place = Place::first(1);
    let incoming = [0, 1].map(|party| {
        let change = |crossing: Crossing| {
            let mut bytes = crossing.to_bytes().to_vec();
            change(party, &mut bytes);
            Crossing::from_bytes(&bytes).unwrap()
        };
        parties.taken(party, place).into_iter().map(change).collect()
    });
    let run = parties.run;
    let delta = &parties.delta;
    at_shard::<S>([(&run, place); 2], [&sums; 2], incoming, &witnesses[1], delta, &unchecked())
}

/// Two ones cross, and are asserted one after the other.
struct Ones;

impl Sharding for Ones {
    fn count(&self) -> usize {
        2
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        if shard == 0 { vec![] } else { vec![Need { from: 0, wires: 0..2 }] }
    }
    fn outgoing(&self, shard: usize) -> usize {
        if shard == 0 { 2 } else { 0 }
    }
}

impl<B: Backend> Sharded<B> for Ones {
    fn run(&self, shard: usize, b: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
        if shard == 0 {
            return (0..2).map(|_| b.witness()).collect();
        }
        let minus = b.constant(-B::F::ONE);
        for wire in incoming {
            let difference = b.add(*wire, minus);
            b.assert_zero(difference, "a one")?;
        }
        Ok(vec![])
    }
}

/// Wires that change places are rejected, though they carry the same value.
#[test]
fn wires_that_change_places_are_rejected() {
    fn over<S: Supported>() {
        for swapped in [false, true] {
            let mut parties = Parties::<S>::new(&Ones, 0);
            let (proved, verified) = parties.shard(&Ones, Place::first(0), &[S::F::ONE; 2]);
            proved.and(verified.map(drop)).unwrap();
            if swapped {
                let mut bytes = parties.ends[0][0].to_bytes().to_vec();
                let size = S::Macs::TAG;
                bytes[Crossing::HEADER..][..2 * size].rotate_left(size);
                parties.ends[0] = vec![Crossing::from_bytes(&bytes).unwrap()];
            }
            let (proved, verified) = parties.shard(&Ones, Place::first(1), &[]);
            assert_eq!((proved.is_ok(), verified.is_ok()), (!swapped, !swapped));
            if swapped {
                assert!(matches!(verified.err(), Some(Error::Rejected(Rejection::Assertions))));
            }
        }
    }
    over::<Binary>();
    over::<ShortBinary>();
    over::<Over<F61>>();
    over::<Over<F65537, F65537x4>>();
    over::<Over<F256, F128>>();
}

/// A prover that changes the MAC of a wire, or a line.
#[test]
fn every_byte_of_what_the_prover_holds_counts() {
    fn over<S: Supported>() {
        let size = S::Macs::TAG;
        // Of the first attempt, that of the first line alone.
        let length = 2 * size + (Crossing::length::<S>(Party::Prover, 2) - Crossing::HEADER - 2 * size) / 4;
        for at in [0, size - 1, size, 2 * size, length] {
            let (proved, verified) = last_of_two::<S>(|party, bytes| {
                if party == 0 {
                    bytes[Crossing::HEADER + at] ^= 4;
                }
            });
            assert!(verified.is_err() && proved.is_err(), "byte {at}");
        }
    }
    over::<Binary>();
    over::<ShortBinary>();
    over::<Over<F61>>();
}

#[test]
fn what_comes_in_has_the_length_and_the_name_that_were_announced() {
    fn refused<S: Supported>(change: impl Fn(&mut Vec<u8>)) {
        for cheat in [0, 1] {
            let (proved, verified) = last_of_two::<S>(|party, bytes| {
                if party == cheat {
                    change(bytes);
                }
            });
            let error = if cheat == 0 { proved.err() } else { verified.err() };
            assert!(matches!(error, Some(Error::Invalid(_))), "{error:?}");
        }
    }
    refused::<Binary>(|bytes| bytes.truncate(bytes.len() - 1));
    refused::<Binary>(|bytes| bytes.push(0));
    refused::<Binary>(|bytes| bytes.truncate(Crossing::HEADER));
    refused::<Over<F61>>(|bytes| bytes.truncate(bytes.len() - 1));
    // Of the binding, of both shards, of the attempt.
    for at in [0, 31, 32, 36, 41] {
        refused::<Over<F61>>(|bytes| bytes[at] ^= 1);
    }
    // No element.
    refused::<Over<F61>>(|bytes| bytes[Crossing::HEADER..][..8].fill(0xff));
    assert!(Crossing::from_bytes(&[0; Crossing::HEADER - 1]).is_err());
    // Bit 0 of a key.
    let (_, verified) = last_of_two::<Binary>(|party, bytes| {
        if party == 1 {
            bytes[Crossing::HEADER] |= 1;
        }
    });
    assert!(matches!(verified, Err(Error::Invalid(_))));
}

#[test]
fn both_parties_are_at_one_shard_of_one_run() {
    let (witnesses, total) = witness::<F61>(3, 5, 8);
    let sums = Sums { shards: 3, each: 5, total, lie: None };
    let run = run_of(&sums, 2);
    let delta = RunDelta::fresh::<Over<F61>>(&run, &seeded(9)).unwrap();
    let none = || [Vec::new(), Vec::new()];
    let first = Place::first(0);
    let disagreed = |ours: (Run, Place), theirs: (Run, Place)| {
        let places = [(&theirs.0, theirs.1), (&ours.0, ours.1)];
        let delta = RunDelta::from_bytes::<Over<F61>>(&ours.0, &delta.to_bytes()).unwrap();
        let (proved, verified) =
            at_shard::<Over<F61>>(places, [&sums; 2], none(), &witnesses[0], &delta, &unchecked());
        for error in [proved.err(), verified.err()] {
            assert!(matches!(error, Some(Error::Disagreed(Disagreement::Shard(_)))), "{error:?}");
        }
    };
    // Of an earlier run, of another statement, of a run with other restarts, another attempt.
    disagreed((run, first), (Run { id: [7; 32], ..run }, first));
    disagreed((run, first), (Run { statement: [7; 32], ..run }, first));
    disagreed((run, first), (Run { restarts: 3, ..run }, first));
    disagreed((run, first), (run, Place { shard: 0, attempt: 1 }));
    // One prover for two shards: whoever answers for the first one is not at the second.
    let other = Unconnected(2);
    let run = Run { statement: [1; 32], shards: 2, ..run };
    let delta = RunDelta::fresh::<Over<F61>>(&run, &seeded(9)).unwrap();
    let places = [(&run, Place::first(0)), (&run, Place::first(1))];
    let witness = [F61::ONE; 2];
    let (proved, verified) =
        at_shard::<Over<F61>>(places, [&other; 2], none(), &witness, &delta, &unchecked());
    for error in [proved.err(), verified.err()] {
        assert!(matches!(error, Some(Error::Disagreed(Disagreement::Shard(_)))), "{error:?}");
    }
    // A session of no shard.
    let (here, there) = pipe(Duration::from_secs(10));
    thread::scope(|scope| {
        let whole = Whole(&other);
        let options = Options { statement: Some([1; 32]), ..seeded(3) };
        scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            let proved = over::<Over<F61>>().prove(&whole, &[F61::ONE; 4], &mut channel, &options);
            assert!(matches!(proved, Err(Error::Disagreed(Disagreement::System(_)))), "{proved:?}");
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let at = (&run, Place::first(0));
        let verified = verify_shard::<Over<F61>>(at, &other, vec![], &delta, &mut channel, &unchecked());
        assert!(matches!(verified.err(), Some(Error::Disagreed(Disagreement::System(_)))));
    });
}

/// Shards of which none takes anything.
struct Unconnected(usize);

impl Sharding for Unconnected {
    fn count(&self) -> usize {
        self.0
    }
    fn needs(&self, _: usize) -> Vec<Need> {
        Vec::new()
    }
    fn outgoing(&self, _: usize) -> usize {
        0
    }
}

impl<B: Backend> Sharded<B> for Unconnected {
    fn run(&self, _: usize, b: &mut B, _: &[B::Wire]) -> Result<Vec<B::Wire>> {
        let (x, y) = (b.witness()?, b.witness()?);
        let product = b.mul(x, y)?;
        let minus = b.constant(-B::F::ONE);
        let difference = b.add(product, minus);
        b.assert_zero(difference, "a product of one")?;
        Ok(Vec::new())
    }
}

/// The prover notices, and has said nothing by then that depends on wires from elsewhere but under a mask.
#[test]
fn a_verifier_with_another_key_in_a_shard_is_found_out() {
    fn over<S: Supported>() {
        let (witnesses, total) = witness::<S::F>(2, 5, 8);
        let sums = Sums { shards: 2, each: 5, total, lie: None };
        let mut parties = Parties::<S>::new(&sums, 0);
        let (proved, verified) = parties.shard(&sums, Place::first(0), &witnesses[0]);
        proved.and(verified.map(drop)).unwrap();
        parties.delta = RunDelta::fresh::<S>(&parties.run, &seeded(10)).unwrap();
        let (proved, verified) = parties.shard(&sums, Place::first(1), &witnesses[1]);
        assert!(matches!(proved.err(), Some(Error::Misbehaved(Misbehaviour::OtherKey))));
        // To the verifier it is the prover that says something else, after a coin where there was one.
        let error = verified.err();
        let after_coin = Rejection::MisbehavedAfterCoin(Misbehaviour::OtherKey);
        let named = match &error {
            Some(Error::Misbehaved(how)) => *how == Misbehaviour::OtherKey,
            Some(Error::Rejected(why)) => *why == after_coin,
            _ => false,
        };
        assert!(named, "{error:?}");
    }
    over::<Binary>();
    over::<ShortBinary>();
    over::<Over<F61>>();
    over::<Over<F61, F61x2>>();
    over::<Over<F65537, F65537x4>>();
    over::<Over<F256, F128>>();
}

/// A link that ends when the peer is waited for the `cut`-th time.
struct Cut<L> {
    link: L,
    waits: Arc<AtomicUsize>,
    cut: usize,
}

impl<L: Link> Link for Cut<L> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.link.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        if self.waits.fetch_add(1, Ordering::Relaxed) == self.cut {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.link.recv(bytes)
    }
    fn close(&mut self) -> io::Result<()> {
        self.link.close()
    }
}

/// Wherever else the link ends, the shard may be tried again; and not where the verifier went when it had to
/// show its key.
#[test]
fn links_that_end_and_what_may_be_tried_again() {
    let (witnesses, total) = witness::<F61>(2, 5, 8);
    let sums = Sums { shards: 2, each: 5, total, lie: None };
    let mut parties = Parties::<Over<F61>>::new(&sums, 1);
    let (proved, verified) = parties.shard(&sums, Place::first(0), &witnesses[0]);
    proved.and(verified.map(drop)).unwrap();
    let place = Place::first(1);
    let waits = Arc::new(AtomicUsize::new(0));
    let at = |cut: usize| {
        waits.store(0, Ordering::Relaxed);
        let (here, there) = pipe(Duration::from_secs(10));
        let here = Cut { link: here, waits: waits.clone(), cut };
        let incoming = [parties.taken(0, place), parties.taken(1, place)];
        let (run, delta) = (parties.run, &parties.delta);
        let both = [(&run, place); 2];
        let at = over_links::<Over<F61>>(
            (here, there),
            both,
            [&sums; 2],
            incoming,
            &witnesses[1],
            delta,
            &unchecked(),
        );
        (at.0.err(), at.1.err())
    };
    assert!(matches!(at(usize::MAX), (None, None)));
    let all = waits.load(Ordering::Relaxed);
    let mut not_shown = 0;
    for cut in 0..all {
        let (proved, verified) = at(cut);
        let proved = proved.expect("it ended");
        if matches!(proved, Error::Misbehaved(Misbehaviour::KeyNotShown)) {
            not_shown += 1;
            assert!(!may_try_again(&proved) && cut == all - 2, "{cut} of {all}");
        } else {
            assert!(may_try_again(&proved), "{cut} of {all}: {proved}");
        }
        // The verdict may have been told.
        assert!(verified.is_none_or(|error| may_try_again(&error)), "{cut} of {all}");
    }
    assert_eq!(not_shown, 1);
}

#[test]
fn a_run_counts_where_all_shards_took_what_counts() {
    let (witnesses, total) = witness::<F61>(3, 5, 8);
    let sums = Sums { shards: 3, each: 5, total, lie: None };
    let mut parties = Parties::<Over<F61>>::new(&sums, 2);
    let new = |run| Verdict::new(run, Announced::of(&sums).unwrap()).unwrap();
    let mut verdict = new(parties.run);
    assert_eq!(verdict.missing(), [0, 1, 2]);
    let mut prove = |verdict: &mut Verdict, shard: u32, attempt: u32| {
        let place = Place { shard, attempt };
        let (proved, verified) = parties.shard(&sums, place, &witnesses[shard as usize]);
        proved.unwrap();
        let (accepted, _) = verified.unwrap();
        verdict.add(accepted.clone()).unwrap();
        accepted
    };
    let _ = prove(&mut verdict, 0, 0);
    assert_eq!(verdict.missing(), [1, 2]);
    let second = prove(&mut verdict, 1, 0);
    let _ = prove(&mut verdict, 2, 1);
    assert!(verdict.missing().is_empty());
    // Once the first is another one, neither of the others took what counts.
    let _ = prove(&mut verdict, 0, 1);
    assert_eq!(verdict.missing(), [1, 2]);
    let _ = prove(&mut verdict, 1, 1);
    assert_eq!(verdict.missing(), [2]);
    let _ = prove(&mut verdict, 2, 2);
    let (_accepted, worth) = verdict.finish(40).unwrap();
    assert!(worth >= 40);
    // What is none of the run.
    let mut other = new(Run { id: [9; 32], ..parties.run });
    assert!(other.add(second.clone()).is_err());
    let mut bytes = second.to_bytes();
    assert_eq!(AcceptedShard::from_bytes(&bytes).unwrap(), second);
    bytes.push(0);
    assert!(AcceptedShard::from_bytes(&bytes).is_err());
    assert!(AcceptedShard::from_bytes(&bytes[..50]).is_err());
    let missing = new(parties.run).finish(40);
    assert!(matches!(missing, Err(Error::Rejected(Rejection::Shards))));
    // More attempts than the bound is for.
    let (proved, verified) = parties.shard(&sums, Place { shard: 0, attempt: 3 }, &witnesses[0]);
    assert!(matches!((proved, verified), (Err(Error::Invalid(_)), Err(Error::Invalid(_)))));
}

#[test]
fn more_security_than_a_run_has_is_refused() {
    let (witnesses, total) = witness::<F61>(2, 5, 8);
    let sums = Sums { shards: 2, each: 5, total, lie: None };
    let alone = Run { restarts: 0, ..run_of(&sums, 0) };
    let many = Run { restarts: 100, ..alone };
    let by = |run: &Run, asked, correlations: Option<Correlations>| {
        let delta = RunDelta::fresh::<Over<F61>>(run, &seeded(9)).unwrap();
        let options = Options { security: Some(asked), ..seeded(3) }.with_correlations(correlations);
        let places = [(run, Place::first(0)); 2];
        let none = [Vec::new(), Vec::new()];
        at_shard::<Over<F61>>(places, [&sums; 2], none, &witnesses[0], &delta, &options)
    };
    let at = |run: &Run, asked| by(run, asked, Some(Correlations::DIRECT));
    let (_, accepted) = at(&alone, 40);
    let worth = accepted.unwrap().1.security.statistical;
    assert!(at(&alone, worth).1.is_ok());
    assert!(matches!(at(&alone, worth + 1), (Err(Error::Invalid(_)), Err(Error::Invalid(_)))));
    let (_, accepted) = at(&many, 40);
    assert_eq!(accepted.unwrap().1.security.statistical, worth + 1 - 7);
    // Where none are named, both take some that are worth it.
    let (_, accepted) = by(&alone, worth + 1, None);
    let most = accepted.unwrap().1.security.statistical;
    assert!(most > worth);
    assert!(matches!(by(&alone, most + 1, None), (Err(Error::Invalid(_)), Err(Error::Invalid(_)))));
}

#[test]
fn keys_are_of_their_run_and_setting() {
    let sums = Sums { shards: 1, each: 1, total: F61::ZERO, lie: None };
    let run = run_of(&sums, 0);
    fn there_and_back<S: Supported>(run: &Run) {
        let delta = RunDelta::fresh::<S>(run, &seeded(1)).unwrap();
        let again = RunDelta::from_bytes::<S>(run, &delta.to_bytes()).unwrap();
        assert_eq!(again.to_bytes(), delta.to_bytes());
        assert!(delta.of::<S>(run).is_ok());
        assert!(delta.of::<S>(&Run { id: [3; 32], ..*run }).is_err());
        assert!(RunDelta::from_bytes::<S>(run, &[0; 16]).is_err());
    }
    there_and_back::<Binary>(&run);
    there_and_back::<Over<F61>>(&run);
    there_and_back::<Over<F61, F61x2>>(&run);
    there_and_back::<Over<F65537, F65537x4>>(&run);
    there_and_back::<Over<F256, F128>>(&run);
    assert!(RunDelta::from_bytes::<Over<F61>>(&run, &[0xff; 16]).is_err());
    let delta = RunDelta::fresh::<Binary>(&run, &seeded(1)).unwrap();
    assert!(delta.of::<Over<F61>>(&run).is_err());
}
