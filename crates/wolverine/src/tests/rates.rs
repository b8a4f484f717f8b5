//! How often cheaters win, on terms that leave them a chance: at the rate of lemma 1, and of a guess of η.

use super::liar::{Lies, tell, told};
use super::*;
use volery_channel::channel::Playback;
use volery_primitives::F2;

/// How many of so many runs are won. Coins are the same whatever is said before them, so that they can be
/// played: parties need not run side by side.
fn wins<M: Dealt>(terms: Terms, gates: u64, lies: &Lies<M>, runs: u64) -> u64 {
    let (circuit, witness) = instance::<M>(gates, 1);
    let circuit = told(&circuit, lies);
    let won = |verifier| {
        let seeds = Seeds { verifier, ..SEEDS };
        let coin = Random::from_seed(&seeds.verifiers::<M>().1.bytes()).word().to_bytes();
        let (link, said) = Tape::new(Playback::new(coin.to_vec()), None);
        tell::<M>(terms, (&circuit, &witness), lies, seeds, link).unwrap();
        let (link, answered) = Tape::new(Playback::new(said.messages().concat()), None);
        let verdict = verify::<M>(terms, &circuit, seeds, link);
        assert_eq!(answered.messages(), [coin]);
        assert!(verdict.is_ok() || is_caught(&verdict));
        verdict.is_ok()
    };
    (0..runs).filter(|&run| won(run)).count() as u64
}

/// Asserts that [`wins`] come at this rate: within four deviations, where some `wanted` wins are likely or
/// `most` runs are made.
fn wins_at_rate<M: Dealt>(terms: Terms, gates: u64, lies: &Lies<M>, rate: f64, [wanted, most]: [f64; 2]) {
    let runs = (wanted / rate).min(most).ceil();
    let wins = wins::<M>(terms, gates, lies, runs as u64);
    let mean = runs * rate;
    let deviation = (mean * (1.0 - rate)).sqrt();
    assert!((wins as f64 - mean).abs() < 4.0 * deviation, "{wins} of {runs} by {}, not {mean}", terms.name());
}

/// Buckets for blocks of `gates`, and what they take.
fn buckets<M: Macs>(gates: u64, bits: u32) -> (Terms, Plan) {
    let checking = Checking { by: Some(CheckedBy::Buckets), block: Some(gates) };
    let terms = Terms::new::<M>(&checking, bits, false).unwrap();
    (terms, terms.plan(gates))
}

/// Statements of one block: gates, bits, and the plan with B and c.
const TOYS: [(u64, u32, [u64; 2]); 4] = [(2, 3, [2, 2]), (2, 5, [2, 5]), (3, 4, [2, 2]), (6, 3, [1, 3])];

fn binomial(n: u64, k: u64) -> f64 {
    (1..=k).map(|i| (n + 1 - i) as f64 / i as f64).product()
}

/// The first m gates and as many triples as fill their buckets are wrong, all by `error`.
fn alike<M: Macs>(m: u64, bucket: u64, error: M::F) -> Lies<M> {
    Lies {
        products: (0..m as usize).map(|i| (i, error)).collect(),
        triples: (0..(m * bucket) as usize).map(|i| (i, error)).collect(),
        ..Lies::default()
    }
}

fn cheaters_win_at_the_rate_of_lemma_1<M: Dealt>(error: M::F, effort: [f64; 2]) {
    for (gates, bits, expected) in TOYS {
        let (terms, plan) = buckets::<M>(gates, bits);
        assert_eq!([plan.bucket, plan.opened], expected, "{gates} for {bits}");
        let mut spoiled = vec![1, 2, gates];
        spoiled.dedup();
        for m in spoiled {
            let rate = 1.0 / binomial(plan.triples(gates), m * plan.bucket);
            wins_at_rate::<M>(terms, gates, &alike::<M>(m, plan.bucket, error), rate, effort);
        }
    }
}

#[test]
#[ignore = "slow"]
fn cheaters_win_at_the_rate_of_lemma_1_over_f2() {
    cheaters_win_at_the_rate_of_lemma_1::<BitMacs>(F2::ONE, [40.0, 1500.0]);
}

#[test]
#[ignore = "slow"]
fn cheaters_win_at_the_rate_of_lemma_1_over_f256() {
    cheaters_win_at_the_rate_of_lemma_1::<FieldMacs<F256, F128>>(
        F256::from_word(0x53).unwrap(),
        [25.0, 800.0],
    );
}

/// Two gates that are wrong by different errors need triples that are wrong by their own: fewer
/// permutations will do.
#[test]
#[ignore = "slow"]
fn errors_must_match() {
    type M = FieldMacs<F256, F128>;
    let errors = [1, 0x53].map(|word| F256::from_word(word).unwrap());
    for (gates, bits, _) in [TOYS[0], TOYS[3]] {
        let (terms, plan) = buckets::<M>(gates, bits);
        let (bucket, triples) = (plan.bucket as usize, plan.triples(gates));
        let lies = Lies::<M> {
            products: vec![(0, errors[0]), (1, errors[1])],
            triples: (0..2 * bucket).map(|i| (i, errors[i / bucket])).collect(),
            ..Lies::default()
        };
        let rate = 1.0 / (binomial(triples, 2 * plan.bucket) * binomial(2 * plan.bucket, plan.bucket));
        wins_at_rate::<M>(terms, gates, &lies, rate, [25.0, 1500.0]);
        // A gate by one, its triples by another.
        let lies = Lies::<M> { products: vec![(0, errors[1])], ..alike::<M>(1, plan.bucket, errors[0]) };
        assert_eq!(wins::<M>(terms, gates, &lies, 200), 0);
    }
}

/// A gate without triples, triples without a gate, and one triple too few or too many.
#[test]
fn what_does_not_fill_buckets_never_wins() {
    fn test<M: Dealt>() {
        for (gates, bits, _) in TOYS {
            let (terms, plan) = buckets::<M>(gates, bits);
            for (m, triples) in [(1, 0), (0, 1), (0, plan.bucket), (1, plan.bucket - 1), (1, plan.bucket + 1)]
            {
                let lies = Lies {
                    triples: (0..triples as usize).map(|i| (i, M::F::ONE)).collect(),
                    ..alike::<M>(m, 0, M::F::ONE)
                };
                assert_eq!(wins::<M>(terms, gates, &lies, 20), 0, "{gates} gates: {m} and {triples}");
            }
        }
    }
    test::<BitMacs>();
    test::<FieldMacs<F256, F128>>();
}

/// Each triple alone, wherever its slot is: in a bucket, or opened.
#[test]
fn a_bad_triple_is_found_in_a_bucket_and_opened() {
    fn test<M: Dealt>() {
        let (circuit, witness) = instance::<M>(6, 1);
        let (terms, _) = buckets::<M>(6, 3);
        let coin = &record_honest::<M>(terms, &circuit, &witness, SEEDS).answered[0];
        let seed = F128::from_bytes(*coin.first_chunk().unwrap());
        let matching = matching::<M::F>(seed, &terms, 6);
        let opened = matching.slots.iter().filter(|&&slot| matching.gate(slot).is_none()).count();
        assert_eq!((opened, matching.slots.len()), (3, 9));
        for triple in 0..9 {
            let lies = Lies::<M> { triples: vec![(triple, M::F::ONE)], ..Lies::default() };
            let run = liar::cheat::<M>(terms, (&circuit, &witness), &lies, SEEDS);
            assert_eq!(&run.answered[0], coin);
            assert!(is_caught(&run.verdict), "{triple}");
        }
    }
    over_every_kind!(test);
}

/// A triple that is wrong by η times the error of its gate, were η what the cheater thinks: over a
/// field of 256 elements.
#[test]
#[ignore = "slow"]
fn a_guess_of_the_factor_wins_at_its_rate() {
    type M = FieldMacs<F256, F128>;
    let checking = Checking { by: Some(CheckedBy::Sacrifice), block: None };
    let terms = Terms::new::<M>(&checking, 8, false).unwrap();
    let [error, guess] = [0x53, 0xca].map(|word| F256::from_word(word).unwrap());
    let lies = Lies::<M> { products: vec![(1, error)], triples: vec![(1, error * guess)], ..Lies::default() };
    wins_at_rate::<M>(terms, 3, &lies, 1.0 / 256.0, [16.0, 1e4]);
}
