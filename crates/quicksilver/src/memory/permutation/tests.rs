//! Lists whose order is shuffled, over every kind of field; provers that cheat at each commitment, or give lists that
//! differ in one word, or that are swapped between two permutations.

use crate::memory::Party;
use crate::memory::testing::{BLOCK, Pushed, assert_counted, is_caught, run_field};
use crate::{Prover, Verifier};
use std::time::Duration;
use volery_channel::channel::{Channel, Party as Role, pipe, side_by_side};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_circuit::accounting::Parameters;
use volery_circuit::{Circuit, Count, Permutations};
use volery_primitives::{Arch, F2, F61, F61x2, F64, F65537, F65537x4, Field, MacField};
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::macs::{BitMacs, FieldMacs};
use volery_vole::vole::{Delta, ideal};

/// Permutations: the width of their words, and both lists.
#[derive(Clone)]
struct Program(Vec<(usize, [Vec<u64>; 2])>);

impl Program {
    /// A program of so many words of a width each, the second list being the first one turned.
    fn turned(sizes: &[[usize; 2]]) -> Self {
        let mut state = 3_u64;
        let mut next = move |_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33 & 0xfff
        };
        let lists = sizes.iter().map(|&[words, width]| {
            let xs: Vec<u64> = (0..words * width).map(&mut next).collect();
            let mut ys = xs.clone();
            ys.rotate_left(words / 2 * width);
            (width, [xs, ys])
        });
        Self(lists.collect())
    }

    fn push<P: Permutations>(&self, p: &mut P) -> Result<()> {
        let zero = p.constant(P::F::ZERO);
        p.assert_zero(zero, "zero")?;
        for (width, lists) in &self.0 {
            let mut wires = vec![];
            for word in lists.iter().flatten() {
                let value = element(*word);
                wires.push(p.hint(&[], move |_| value)?);
            }
            let (xs, ys) = wires.split_at(wires.len() / 2);
            p.assert_permutation(xs, ys, *width, &"a permutation")?;
        }
        Ok(())
    }
}

fn element<F: Field>(word: u64) -> F {
    F::from_word(u128::from(word) & if F::BITS == 1 { 1 } else { u128::MAX }).unwrap()
}

impl<F: Field> Circuit<Count<F>> for Program {
    fn run(&self, b: &mut Count<F>) -> Result<()> {
        self.push(b)
    }
}

impl<F: Field> Pushed<F> for Program {
    fn push<P: Party<F = F> + Permutations>(&self, p: &mut P) -> Result<()> {
        Self::push(self, p)
    }
}

fn run_bits(program: &Program, lies: &[(u64, F2)]) -> Result<Gates> {
    let (here, there) = pipe(Duration::from_secs(60));
    let mut proving = Channel::new(Role::Prover, here);
    let mut verifying = Channel::new(Role::Verifier, there);
    let prover = move || {
        {
            let mut prover =
                Prover::new(&mut proving, Box::new(ideal::Prover::new(3, BLOCK)), Arch::detect(), []);
            prover.lies = lies.to_vec();
            prover.remembered().parameters = Parameters::SHORT;
            let _ = program.push(&mut prover).and_then(|()| prover.forget_all()).and_then(|()| {
                prover.lie();
                prover.finish().map(drop)
            });
        }
        let _ = proving.flush();
    };
    let verifier = move || {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta);
        verifier.remembered().parameters = Parameters::SHORT;
        program.push(&mut verifier)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    side_by_side(prover, verifier).1
}

/// One word; several permutations of an epoch, of other widths; epochs at their length, and behind it; words
/// of several elements of F_{2^128}.
fn programs() -> [Program; 5] {
    [
        Program::turned(&[[1, 1]]),
        Program::turned(&[[5, 3], [1, 1], [9, 1], [2, 40]]),
        Program::turned(&[[31, 1], [1, 2], [3, 1]]),
        Program::turned(&[[70, 2], [40, 1], [12, 1]]),
        Program::turned(&[[3, 128], [3, 300], [2, 1]]),
    ]
}

#[test]
fn shuffled_lists_are_accepted_and_cost_what_is_counted() {
    fn test<B: Field, E: MacField<B>>() {
        for program in programs() {
            assert_counted::<FieldMacs<B, E>>(&program, run_field::<B, E>(&program, &[]).unwrap());
        }
    }
    test::<F61, F61>();
    test::<F61, F61x2>();
    test::<F65537, F65537x4>();
    for program in programs() {
        assert_counted::<BitMacs>(&program, run_bits(&program, &[]).unwrap());
    }
}

/// Words, and the running products: each is off by one in turn.
#[test]
fn a_commitment_that_is_off_is_rejected() {
    let program = Program::turned(&[[20, 1], [8, 2], [7, 1]]);
    fn field<B: Field, E: MacField<B>>(program: &Program, step: usize) {
        let honest = run_field::<B, E>(program, &[]).unwrap();
        for at in (0..honest.inputs).step_by(step) {
            let verdict = run_field::<B, E>(program, &[(at, B::ONE)]);
            assert!(is_caught(&verdict), "{at}: {verdict:?}");
        }
    }
    field::<F61, F61>(&program, 11);
    field::<F61, F61x2>(&program, 23);
    field::<F65537, F65537x4>(&program, 23);
    let wide = Program::turned(&[[70, 2]]);
    for (program, step) in [(&program, 7), (&wide, 23)] {
        let honest = run_bits(program, &[]).unwrap();
        for at in (0..honest.inputs).step_by(step) {
            let verdict = run_bits(program, &[(at, F2::ONE)]);
            assert!(is_caught(&verdict), "{at}: {verdict:?}");
        }
    }
}

/// A word that is another one, or there once too often; one list in the place of another's.
#[test]
fn lists_that_differ_are_rejected() {
    let of = |lists: &[(usize, [&[u64]; 2])]| {
        Program(lists.iter().map(|(width, lists)| (*width, lists.map(<[u64]>::to_vec))).collect())
    };
    let programs = [
        of(&[(1, [&[1, 0, 1], &[1, 1, 1]])]),
        of(&[(1, [&[1, 0, 0, 0], &[1, 1, 1, 0]])]),
        // The elements are the same, and not the words.
        of(&[(2, [&[0, 1, 1, 0], &[0, 0, 1, 1]])]),
        // Both permutations together are one.
        of(&[(1, [&[1, 1], &[1, 0]]), (1, [&[0, 0], &[0, 1]])]),
        // So they are where the second has a zero more in each word.
        of(&[(1, [&[1], &[0]]), (2, [&[0, 0], &[1, 0]])]),
    ];
    for (i, program) in programs.iter().enumerate() {
        for verdict in [
            run_bits(program, &[]),
            run_field::<F61, F61>(program, &[]),
            run_field::<F61, F61x2>(program, &[]),
            run_field::<F65537, F65537x4>(program, &[]),
        ] {
            assert!(is_caught(&verdict), "{i}: {verdict:?}");
        }
    }
}

/// A prover that does not know that its lists differ is told by name.
#[test]
fn the_prover_is_told_by_name() {
    let (here, _there) = pipe(Duration::from_secs(60));
    let mut channel = Channel::new(Role::Prover, here);
    let vole = Box::new(ideal::Prover::new(3, BLOCK));
    let mut prover = Prover::new(&mut channel, vole, Arch::detect(), []);
    let program = Program(vec![(1, [vec![1, 0, 1], vec![1, 1, 1]])]);
    program.push(&mut prover).unwrap();
    assert_eq!(prover.lie().as_deref(), Some("a permutation"));
}

/// Words in several lines of 64 bits each.
#[test]
fn bits_with_short_macs_are_permuted() {
    for program in programs().into_iter().chain([Program::turned(&[[3, 64], [4, 65], [3, 127], [2, 129]])]) {
        assert_counted::<FieldMacs<F2, F64>>(&program, run_field::<F2, F64>(&program, &[]).unwrap());
    }
    let (program, wide) = (Program::turned(&[[20, 1], [8, 2], [7, 1]]), Program::turned(&[[4, 70]]));
    for (program, step) in [(&program, 7), (&wide, 23)] {
        let honest = run_field::<F2, F64>(program, &[]).unwrap();
        for at in (0..honest.inputs).step_by(step) {
            let verdict = run_field::<F2, F64>(program, &[(at, F2::ONE)]);
            assert!(is_caught(&verdict), "{at}: {verdict:?}");
        }
    }
}
