use super::*;
use crate::accounting::Parameters;
use crate::stream::{Recorder, Stream, Streamed};
use crate::testing::Faulty;
use crate::{Branch, Circuit, Clear, Count, Returned, Shape};
use volery_primitives::{F2, F61, F256, F65537};

/// Two lists of words that the prover commits to.
#[derive(Clone)]
struct Lists {
    width: usize,
    xs: Vec<u64>,
    ys: Vec<u64>,
}

fn element<F: Field>(word: u64) -> F {
    F::from_word(u128::from(word) & ((1 << F::BITS.min(16)) - 1)).unwrap()
}

impl Lists {
    /// A permutation of so many words, the second list being the first one shuffled.
    fn random(words: usize, width: usize, seed: u64) -> Self {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        let xs: Vec<u64> = (0..words * width).map(|_| next() % 300).collect();
        let mut rows: Vec<&[u64]> = xs.chunks_exact(width).collect();
        for i in (1..words).rev() {
            rows.swap(i, next() as usize % (i + 1));
        }
        Self { width, ys: rows.concat(), xs: xs.clone() }
    }

    fn witness<F: Field>(&self) -> Vec<F> {
        self.xs.iter().chain(&self.ys).map(|word| element(*word)).collect()
    }

    fn push<B: Permutations>(&self, b: &mut B) -> Result<()> {
        let xs = self.xs.iter().map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let ys = self.ys.iter().map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        b.assert_permutation(
            &xs,
            &ys,
            self.width,
            &format_args!("the same {} words", xs.len() / self.width.max(1)),
        )
    }
}

impl<F: Field> Circuit<Recorder<'_, F>> for Lists {
    fn run(&self, b: &mut Recorder<'_, F>) -> Result<()> {
        self.push(b)
    }
}

fn clear<F: Field>(lists: &Lists) -> Result<()> {
    let mut clear = Clear::new(lists.witness::<F>());
    Streamed(lists).run(&mut clear)?;
    clear.finish()
}

fn agrees<F: Field>() {
    for (words, width) in [(1, 1), (2, 3), (3, 1), (5, 2), (17, 20), (40, 1)] {
        let lists = Lists::random(words, width, words as u64);
        clear::<F>(&lists).unwrap();
        let streamed = Streamed(&lists);
        let (shape, _) = Count::<F>::fingerprint_by(Parameters::SHORT, &streamed).unwrap();
        let of_stream = Stream::<F>::new(&lists).count_by(Parameters::SHORT).unwrap();
        assert_eq!(Shape { depth: 0, ..shape }, of_stream);
        assert_eq!(shape.argued.tuples, words as u64);
        // All words looked at, which is as much as is counted.
        let inputs =
            Clear::inputs(&streamed, lists.witness::<F>(), shape.inputs_by_gates() as usize).unwrap();
        assert_eq!(inputs.len() as u64, shape.inputs_by_gates(), "{words} {width}");
        for at in [0, words * width - 1] {
            let mut other = lists.clone();
            other.ys[at] ^= 1;
            let failed = clear::<F>(&other);
            let Err(Error::Unsatisfied(name)) = failed else { panic!("{failed:?}") };
            assert_eq!(name, format!("the same {words} words"));
            assert!(other.push(&mut Faulty::new(other.witness::<F>(), u64::MAX)).is_err());
        }
    }
}

#[test]
fn permutations_are_found_over_every_kind_of_field() {
    agrees::<F2>();
    agrees::<F256>();
    agrees::<F61>();
    agrees::<F65537>();
}

/// Words that both lists have, and one not as often.
#[test]
fn words_are_counted() {
    let lists = |xs: [u64; 4], ys: [u64; 4]| Lists { width: 1, xs: xs.into(), ys: ys.into() };
    clear::<F61>(&lists([4, 7, 4, 4], [4, 4, 4, 7])).unwrap();
    for (xs, ys) in [([4, 7, 4, 4], [4, 4, 7, 7]), ([1, 1, 0, 0], [1, 1, 1, 1]), ([0; 4], [0, 0, 1, 1])] {
        assert!(clear::<F61>(&lists(xs, ys)).is_err() && clear::<F2>(&lists(xs, ys)).is_err());
        let lists = lists(xs, ys);
        assert!(lists.push(&mut Faulty::new(lists.witness::<F2>(), u64::MAX)).is_err());
    }
}

/// The scan's hints, any of them wrong: no bits of places make words the same that are not.
#[test]
fn no_hints_help() {
    fn test<F: Field>(lists: &Lists, hints: u32, is_permuted: bool) {
        let mut accepted = 0;
        for pattern in 0..1_u64 << hints {
            let errors: Vec<F> = (0..hints).map(|hint| element(pattern >> hint & 1)).collect();
            accepted += u32::from(lists.push(&mut Faulty::with_errors(lists.witness(), &errors)).is_ok());
        }
        assert_eq!(accepted > 0, is_permuted);
    }
    // Three words, two bits of place for each.
    let lists = |ys: [u64; 3]| Lists { width: 1, xs: vec![1, 0, 0], ys: ys.into() };
    test::<F2>(&lists([0, 1, 0]), 6, true);
    for ys in [[1, 1, 1], [0, 0, 0], [1, 1, 0]] {
        test::<F2>(&lists(ys), 6, false);
        test::<F65537>(&lists(ys), 3, false);
    }
}

/// One function that is called again and again, whose permutations are counted each time.
#[test]
fn functions_may_compare() {
    struct Calls(usize);
    impl Circuit<Recorder<'_, F61>> for Calls {
        fn run(&self, b: &mut Recorder<'_, F61>) -> Result<()> {
            for _ in 0..self.0 {
                let wires = (0..12).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
                b.call(b"compare", &wires, |b, wires| {
                    let (xs, ys) = wires.split_at(6);
                    b.assert_permutation(xs, ys, 2, &"both")?;
                    Ok(Returned { wires: vec![], public: vec![] })
                })?;
            }
            Ok(())
        }
    }
    let calls = Calls(20);
    let streamed = Streamed(&calls);
    let (shape, _) = Count::<F61>::fingerprint_by(Parameters::SHORT, &streamed).unwrap();
    let of_stream = Stream::<F61>::new(&calls).count_by(Parameters::SHORT).unwrap();
    assert_eq!(Shape { depth: 0, ..shape }, of_stream);
    assert_eq!((shape.assert, shape.argued.tuples, shape.argued.epochs), (20, 60, 2));
    let witness = |last: u64| {
        let words =
            (0..20).flat_map(move |i| [1, 2, i, 4, 5, 6, 5, 6, 1, 2, i, if i == 19 { last } else { 4 }]);
        words.map(element::<F61>)
    };
    streamed.run(&mut Clear::new(witness(4))).unwrap();
    let failed = streamed.run(&mut Clear::new(witness(5)));
    assert!(matches!(failed, Err(Error::Unsatisfied(name)) if name == "both"));
}

/// A clause's assertions are the clause's.
#[test]
fn clauses_collect_what_permutations_assert() {
    for (last, expected) in [(2, F2::ZERO), (3, F2::ONE)] {
        let lists = Lists { width: 2, xs: vec![1, 0, 0, 0], ys: vec![0, 0, 1, last] };
        let mut clear = Clear::new(lists.witness::<F2>());
        let mut branch = Branch::collecting(&mut clear);
        lists.push(&mut branch).unwrap();
        assert_eq!(branch.finish().unwrap(), Some(expected));
    }
}

#[test]
fn lists_must_fit() {
    let refused = |width, xs: usize, ys: usize, why: &str| {
        let lists = Lists { width, xs: vec![0; xs], ys: vec![0; ys] };
        let message = clear::<F61>(&lists).unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    };
    refused(1, 2, 3, "a permutation of 2 wires and 3, in words of 1");
    refused(2, 3, 3, "as many whole words of both");
    refused(0, 0, 0, "in words of 0");
    // Nothing is asserted of nothing.
    refused(1, 0, 0, "asserts nothing");
    assert!(count_words::<F65537>(65537, 65537, 1).unwrap_err().to_string().contains("choose fewer"));
    assert_eq!(count_words::<F65537>(65536, 65536, 1).unwrap(), 65536);
}
