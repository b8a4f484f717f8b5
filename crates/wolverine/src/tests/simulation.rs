//! Zero knowledge: who knows Δ but no witness says the same; what is said is uniform, and
//! no mask is used twice.

use super::liar::{Lies, cheat};
use super::script::{Said, script};
use super::*;
use volery_channel::channel::Playback;
use volery_channel::error::{Rejection, Result};
use volery_circuit::Size;
use volery_primitives::{F2, Tagged};
use volery_vole::vole::{Shares, Vole};

/// One that knows Δ and commits to zeroes, of whatever statement: asserted wires open by their keys.
fn simulate<M: Dealt>(terms: Terms, circuit: &Products<M::F>, seeds: Seeds) -> Recorded {
    let delta = M::delta(&seeds.verifiers::<M>().0);
    let lies = Lies { delta: Some(delta), ..Lies::default() };
    let zeroes = vec![M::F::ZERO; 2 * circuit.n as usize];
    cheat::<M>(terms, (circuit, &zeroes), &lies, seeds)
}

/// A statement that zeroes do not fulfil is simulated; without Δ it is refused. A verifier accepts only those
/// sums and the digest that its keys and what was opened determine: neither says more.
#[test]
fn simulators_are_accepted() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(40, 8) {
            let circuit = Products { n: 100, sum: M::F::ONE };
            for verifier in 0..3 {
                let seeds = Seeds { verifier, ..SEEDS };
                assert!(simulate::<M>(terms, &circuit, seeds).verdict.is_ok(), "{}", terms.name());
            }
            let (zeroes, lies) = ([M::F::ZERO; 200], Lies::default());
            let verdict = cheat::<M>(terms, (&circuit, &zeroes), &lies, SEEDS).verdict;
            assert!(matches!(verdict, Err(Error::Rejected(Rejection::Assertions))));
        }
    }
    over_every_kind!(test);
}

/// The peer of a verifier.
#[derive(Clone, Copy, Debug)]
enum Who {
    /// An honest prover whose witness is all zeroes, or all ones.
    Honest(bool),
    /// A simulator of the second statement.
    Simulator,
}

/// A run of one of them, about `n` products.
fn talk<M: Dealt>(terms: Terms, n: u64, who: Who, seeds: Seeds) -> Recorded {
    let ones = Products { n, sum: (0..n).map(|_| M::F::ONE).sum() };
    match who {
        Who::Honest(false) => {
            let zeroes = vec![M::F::ZERO; 2 * n as usize];
            record_honest::<M>(terms, &Products { n, sum: M::F::ZERO }, &zeroes, seeds)
        }
        Who::Honest(true) => record_honest::<M>(terms, &ones, &vec![M::F::ONE; 2 * n as usize], seeds),
        Who::Simulator => simulate::<M>(terms, &ones, seeds),
    }
}

const ALL: [Who; 3] = [Who::Honest(false), Who::Honest(true), Who::Simulator];

/// Cells are as likely as each other: chi-squared within five deviations of its mean.
fn is_uniform(counts: &[u32]) -> bool {
    let cells = counts.len() as f64;
    let expected = f64::from(counts.iter().sum::<u32>()) / cells;
    let squares = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected);
    (squares.sum::<f64>() - (cells - 1.0)).abs() < 5.0 * (2.0 * (cells - 1.0)).sqrt()
}

/// All messages of a kind, one after another.
fn gather(run: &Recorded, script: &[(Said, usize)], what: Said) -> Vec<u8> {
    let messages = run.said.iter().zip(script).filter(|(_, said)| said.0 == what);
    messages.flat_map(|(message, _)| message).copied().collect()
}

/// Three corrections of a gate, d and two δ of the triple in its first slot: six bits, all together uniform.
#[test]
fn bits_of_a_gate_and_its_triple_are_uniform() {
    let (n, checking) = (30, Checking { by: Some(CheckedBy::Buckets), block: Some(30) });
    let terms = Terms::new::<BitMacs>(&checking, 8, false).unwrap();
    let script = script::<BitMacs>(&terms, n);
    for who in ALL {
        let mut counts = [0; 64];
        for dealer in 0..=255 {
            let run = talk::<BitMacs>(terms, n, who, Seeds { dealer, verifier: dealer.into() });
            let coin = F128::from_bytes(*run.answered[0].first_chunk().unwrap());
            let matching = matching::<F2>(coin, &terms, n as usize);
            let said = [Said::Corrections, Said::Triples, Said::Left, Said::Right];
            let said = said.map(|what| gather(&run, &script, what));
            let bit = |of: usize, i: usize| usize::from(said[of][i / 8] >> (i % 8) & 1);
            for gate in 0..n as usize {
                let slot = (gate as u32) << BUCKET_BITS;
                let triple = matching.slots.iter().position(|&other| other == slot).unwrap();
                let corrections = (0..3).map(|i| bit(0, 3 * gate + i));
                let cell = corrections.chain((1..4).map(|of| bit(of, triple)));
                counts[cell.fold(0, |cell, bit| 2 * cell + bit)] += 1;
            }
        }
        assert!(is_uniform(&counts), "{who:?}: {counts:?}");
    }
}

/// Bytes of all messages but sums, over F_256: of those of the extension, too.
#[test]
#[ignore = "slow"]
fn bytes_of_every_message_are_uniform() {
    type M = FieldMacs<F256, F128>;
    let n = 60;
    for terms in all_terms::<M>(60, 8) {
        let script = script::<M>(&terms, n);
        for who in ALL {
            let mut counts = [[0; 256]; 5];
            for dealer in 0..100 {
                let run = talk::<M>(terms, n, who, Seeds { dealer, verifier: dealer.into() });
                let kinds = [Said::Corrections, Said::Further, Said::Triples, Said::Left, Said::Right];
                for (counts, what) in counts.iter_mut().zip(kinds) {
                    let mut bytes = gather(&run, &script, what);
                    if what == Said::Corrections {
                        bytes.truncate(3 * n as usize);
                    }
                    bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
                }
            }
            for counts in counts {
                let some = counts.iter().sum::<u32>() > 0;
                assert!(!some || is_uniform(&counts), "{who:?}, {}: {counts:?}", terms.name());
            }
        }
    }
}

/// Shares whose values are their numbers, from one on.
struct Numbered(u64);

impl Vole for Numbered {
    type Share = subfield::Mac<F61, F61>;

    fn block(&mut self, _: &mut Channel, block: &mut Shares<Self::Share>) -> Result<()> {
        let next = |_| {
            self.0 += 1;
            Tagged { value: F61::from_word(self.0.into()).unwrap(), mac: F61::ZERO }
        };
        **block.rows_mut() = (0..DEALT).map(next).collect();
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Self::Share>> {
        Ok(self)
    }
}

/// A prover who commits to zeroes by such shares tells their numbers: from corrections, and from δ =
/// −x, −y and d = x·y − r. Each share up to the last one masks one value, over all blocks and with all
/// that are given back.
#[test]
fn every_mask_is_used_once() {
    type M = FieldMacs<F61, F61>;
    let n = 150;
    for terms in all_terms::<M>(40, 8).into_iter().chain(all_terms::<M>(128, 40)) {
        let script = script::<M>(&terms, n);
        let (link, said) = Tape::new(Playback::new(vec![7; 1000]), None);
        let mut channel = Channel::new(Party::Prover, link);
        let (zeroes, numbered) = (vec![F61::ZERO; 300], Box::new(Numbered(0)));
        let mut prover = Prover::<M>::new(&mut channel, numbered, Arch::detect(), terms, zeroes);
        Products { n, sum: F61::ZERO }.run(&mut prover).unwrap();
        prover.finish().unwrap();

        let run = Recorded {
            verdict: Err(Error::Rejected(Rejection::ByVerifier)),
            said: said.messages(),
            answered: vec![],
        };
        let elements = |what| -> Vec<F61> {
            let bytes = gather(&run, &script, what);
            let words = bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes).into());
            words.map(|word| F61::from_word(word).unwrap()).collect()
        };
        // Those that commit to nothing are corrected by zero.
        let corrections = elements(Said::Corrections).into_iter().filter(|value| *value != F61::ZERO);
        let mut masks: Vec<F61> = corrections.chain(elements(Said::Further)).map(|value| -value).collect();
        let opened = elements(Said::Left).into_iter().zip(elements(Said::Right));
        for ((x, y), d) in opened.zip(elements(Said::Triples)) {
            masks.extend([-x, -y, x * y - d]);
        }
        let mut numbers: Vec<u128> = masks.into_iter().map(|mask| mask.to_word()).collect();
        numbers.sort_unstable();
        let size = Size { inputs: 2 * n, ..Size::gates(3 * n) };
        assert_eq!(
            numbers,
            (1..=u128::from(terms.shares::<M>(size))).collect::<Vec<_>>(),
            "{}",
            terms.name()
        );
    }
}
