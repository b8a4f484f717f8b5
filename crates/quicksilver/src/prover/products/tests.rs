//! Sums of batches, of which some slots are passed over.

use super::*;
use volery_primitives::{F61, F61x2, F128, F256, MOST_WORDS, Tag as _, Tagged};

const MOST: [(); MOST_WORDS] = [(); MOST_WORDS];

/// Products of very short turns lie together, each under the coefficient that it has alone.
#[test]
fn short_turns_share_memory() {
    let (arch, pool) = (Arch::detect(), Pool::ALONE);
    let wire = |i: u64| Tagged { value: F61::new(3 + i), mac: F61::new(5 + i * i) };
    let spare = Spare::default();
    let (mut batch, mut alone) = (Batch::<F61>::default(), Vec::new());
    let (turns, seed) = (3000_usize, Seed::from(F128(7)));
    let (mut committed, mut first) = (0, 0);
    for turn in 0..turns {
        let count = 1 + turn % 3;
        let slots: Vec<_> = (0..count as u64).map(|i| [wire(i), wire(i + 1), wire(turn as u64)]).collect();
        let mut products = Products::default();
        products.compute(arch, &slots);
        products.first = first;
        first += count.next_multiple_of(2);
        alone.push(products);
        let products = batch.spare().unwrap_or_default();
        batch.extend((arch, &pool), (count, Zeroizing::new(slots)), &spare, products);
        committed += count as u64;
    }
    batch.gather(0);
    assert!(batch.products.len() <= (turns * 8 / 3).div_ceil(SLOTS) + 1, "{}", batch.products.len());
    let (mut weighing, mut sums) = (Weighing::default(), Sums::default());
    batch.weigh::<F61>((arch, &pool), [seed, seed], (&mut weighing, &mut Tasks::default()), &mut sums);
    while let Some(weighed) = weighing.last(committed) {
        sums.add(&weighed);
    }
    let mut expected = Sums::default();
    for products in alone {
        expected.add(&*products.weigh::<F61>(arch, seed));
    }
    let zeroes = [F61::ZERO; 2];
    assert_eq!(sums.masked(&zeroes), expected.masked(&zeroes));
}

/// Slots that are used together: of witness elements, or of as many products.
enum Pushed {
    Elements(usize),
    Products(usize),
}
use Pushed::{Elements, Products as Others};

/// A batch of these, where products of witness elements with one are passed over or not: its sums, and for
/// how many products it took memory.
fn summed<B: Field, E: MacField<B>>(runs: &[Pushed], pass_over: bool, pool: &Pool) -> (Vec<E>, usize) {
    let arch = Arch::detect();
    let mut state = 1;
    let mut wire = || {
        let mut word = || {
            state = u64::wrapping_mul(state, 0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state
        };
        let value = B::sample(&MOST.map(|()| word())[..B::SAMPLE]);
        E::Tag::new(value, E::sample(&MOST.map(|()| word())[..E::SAMPLE]))
    };
    let (mut batch, mut weighing, mut sums) = (Batch::<E>::default(), Weighing::default(), Sums::default());
    let (spare, mut committed) = (Spare::default(), 0);
    for run in runs {
        let (Elements(count) | Others(count)) = *run;
        committed += count as u64;
        let slots: Vec<_> = (0..count)
            .map(|_| match run {
                Elements(_) => {
                    let one = E::Tag::new(B::ONE, E::ZERO);
                    let wire = wire();
                    [wire, one, wire]
                }
                Others(_) => [wire(), wire(), wire()],
            })
            .collect();
        if pass_over && matches!(run, Elements(_)) {
            batch.pass_over(count);
        } else {
            let products = batch.spare().unwrap_or_default();
            batch.extend((arch, pool), (count, Zeroizing::new(slots)), &spare, products);
        }
    }
    batch.gather(0);
    let memory = batch.products.iter().map(|products| products.constant.capacity()).sum();
    let seeds = [7, 8].map(|seed| Seed::from(F128(seed)));
    batch.weigh::<B>((arch, pool), seeds, (&mut weighing, &mut Tasks::default()), &mut sums);
    while let Some(weighed) = weighing.last(committed) {
        sums.add(&weighed);
    }
    assert_eq!((batch.next, batch.zero), (0, 0), "the next batch begins anew");
    (sums.masked(&[E::ZERO; 2]), memory)
}

/// Each product keeps the coefficient that it has where products of witness elements with one are weighed.
#[test]
fn witness_elements_are_passed_over() {
    fn test<B: Field, E: MacField<B>>(pool: &Pool) {
        for length in [1, 2, 3, 6, 7, SLOTS - 1, SLOTS, SLOTS + 1, 3 * SLOTS + 1] {
            let batches = [
                vec![Others(3), Elements(length), Others(1), Elements(length), Others(2)],
                vec![Elements(length), Elements(1), Elements(2), Others(length), Others(1)],
                vec![Others(length), Elements(5), Elements(length), Elements(4), Others(SLOTS)],
                vec![Elements(length), Others(5), Elements(length + 1)],
            ];
            for (number, runs) in batches.iter().enumerate() {
                let [(weighed, most), (passed, memory)] =
                    [false, true].map(|pass_over| summed::<B, E>(runs, pass_over, pool));
                assert!(passed == weighed, "batch {number}, {length} elements");
                assert_ne!(passed, [E::ZERO; 2]);
                assert!(memory <= most, "batch {number}, {length} elements: {memory} for {most}");
            }
        }
    }
    for threads in [1, 3] {
        test::<F61, F61>(&Pool::of(threads));
        test::<F61, F61x2>(&Pool::of(threads));
        test::<F256, F128>(&Pool::of(threads));
    }
}

#[test]
fn witness_elements_alone_take_no_memory() {
    let runs: Vec<_> = (0..10_000).map(|i| Elements(1 + i % 700)).collect();
    assert_eq!(summed::<F61, F61>(&runs[..40], false, &Pool::ALONE).0, [F61::ZERO; 2]);
    assert_eq!(summed::<F61, F61>(&runs, true, &Pool::ALONE), (vec![F61::ZERO; 2], 0));
}

#[test]
#[should_panic(expected = "every product is weighed")]
fn what_is_passed_over_is_counted() {
    let (mut batch, mut weighing) = (Batch::<F61>::default(), Weighing::default());
    batch.pass_over(5);
    let seeds = [7, 8].map(|seed| Seed::from(F128(seed)));
    let (by, to) = ((Arch::detect(), &Pool::ALONE), (&mut weighing, &mut Tasks::default()));
    batch.weigh::<F61>(by, seeds, to, &mut Sums::default());
    let _ = weighing.last(6);
}
