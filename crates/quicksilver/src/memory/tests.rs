//! Programs of accesses and lookups against plain arrays; provers that cheat at each commitment, or
//! consistently.

use super::*;
use crate::{Prover, Verifier, arithmetic};
use std::time::Duration;
use volery_channel::channel::{Channel, Party as Role, pipe, side_by_side};
use volery_channel::error::{Error, Rejection};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::{Circuit, Count, Memories, Size, Tables};
use volery_primitives::{
    Arch, Bn254, F2, F61, F61x2, F64, F128, F65537, F65537x4, MacField, RuntimeExtension, RuntimePrime,
};
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::macs::{BitMacs, FieldMacs, Macs};
use volery_vole::vole::{Delta, ideal, subfield};

/// Shares in a block of the ideal dealer.
const BLOCK: usize = 1 << 12;

/// Accesses to a memory, and lookups.
#[derive(Clone)]
struct Program {
    cells: usize,
    width: usize,
    start: u8,
    steps: Vec<Step>,
    /// Numbers that are looked up among squares, and are said to be below 2^13.
    looked: Vec<u64>,
    /// Whether words that are read are compared.
    compares: bool,
}

#[derive(Clone)]
struct Step {
    address: usize,
    /// 0 reads, 1 writes, 2 writes where a bit is one, 3 does where it is zero.
    kind: u8,
    word: Vec<u64>,
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

impl Program {
    fn random([cells, width, steps]: [usize; 3], start: u8, seed: u64) -> Self {
        let mut state = seed;
        let mut step = |_| Step {
            address: next(&mut state) as usize % cells,
            kind: (next(&mut state) % 4) as u8,
            word: (0..width).map(|_| next(&mut state) % 16001).collect(),
        };
        let steps = (0..steps).map(&mut step).collect();
        let looked = (0..7).map(|_| next(&mut state) % 12).collect();
        Self { cells, width, start, steps, looked, compares: true }
    }

    fn first<F: Field>(&self) -> Vec<F> {
        let mut state = 9;
        (0..self.cells * self.width).map(|_| element(next(&mut state) % 1000)).collect()
    }

    fn reads<F: Field>(&self) -> Vec<Vec<F>> {
        let mut words = if self.start == 0 { vec![F::ZERO; self.cells * self.width] } else { self.first() };
        let read = |step: &Step| {
            let Some(cell) = words.get_mut(step.address * self.width..(step.address + 1) * self.width) else {
                return vec![F::ZERO; self.width];
            };
            let read = cell.to_vec();
            if matches!(step.kind, 1 | 2) {
                cell.copy_from_slice(&step.word.iter().map(|word| element(*word)).collect::<Vec<F>>());
            }
            read
        };
        self.steps.iter().map(read).collect()
    }
}

fn element<F: Field>(word: u64) -> F {
    F::from_word(u128::from(word) & if F::BITS == 1 { 1 } else { u128::MAX }).unwrap()
}

fn elements<F: Field>(words: &[u64]) -> Vec<F> {
    words.iter().map(|word| element(*word)).collect()
}

fn bits<F: Field>(word: u64, count: usize) -> Vec<F> {
    (0..count).map(|bit| element(word >> bit & 1)).collect()
}

fn always<F: Field>(value: F) -> impl Fn(&[F]) -> F + Send + Sync + 'static {
    move |_| value
}

/// Commits to values, but where nothing is compared: then all that is committed to is the memory's.
fn committed<P: Memories>(p: &mut P, program: &Program, values: &[P::F]) -> Result<Vec<P::Wire>> {
    let mut wires = vec![];
    for &value in values {
        wires.push(if program.compares { p.hint(&[], always(value))? } else { p.constant(value) });
    }
    Ok(wires)
}

/// Runs it; `before` is called before each access.
fn perform<P: Memories + Tables>(
    p: &mut P,
    program: &Program,
    before: &mut dyn FnMut(&mut P, usize),
) -> Result<()> {
    let zero = committed(p, program, &[P::F::ZERO])?[0];
    p.assert_zero(zero, "zero")?;
    let first = program.first::<P::F>();
    let wires = if program.start == 2 { committed(p, program, &first)? } else { vec![] };
    let cells = match program.start {
        0 => Cells::Zero(program.cells),
        1 => Cells::Public(&first),
        _ => Cells::Wires(&wires),
    };
    let mut memory = p.memory(cells, program.width)?;
    for (i, (step, read)) in program.steps.iter().zip(program.reads::<P::F>()).enumerate() {
        let address = match volery_circuit::address_width::<P::F>(program.cells) {
            _ if P::F::BITS > 1 => vec![element(step.address as u64)],
            width => bits(step.address as u64, width),
        };
        let address = committed(p, program, &address)?;
        let word = committed(p, program, &elements(&step.word))?;
        let bit = committed(p, program, &[element(u64::from(step.kind == 2))])?[0];
        let put = match step.kind {
            0 => Put::Same,
            1 => Put::Word(&word),
            _ => Put::Where(bit, &word),
        };
        before(p, i);
        let got = if P::F::BITS > 1 && step.kind < 2 && i % 2 == 1 {
            let word: Vec<_> = word.chunks(1).collect();
            let put = (step.kind == 1).then_some(&word[..]);
            let accesses = [Accesses { address: &address, put }];
            p.access_rows(&mut memory, &accesses, &"address")?.concat()
        } else {
            p.access(&mut memory, &address, put, &"address")?
        };
        if program.compares {
            for (got, expected) in got.iter().zip(&read) {
                let minus = p.constant(-*expected);
                let difference = p.add(*got, minus);
                p.assert_zero(difference, "what is read")?;
            }
        }
    }
    if program.steps.len().is_multiple_of(2) {
        p.close(memory)?;
    }
    if P::F::BITS == 1 {
        return bits_of_squares(p, program);
    }
    let mut squares = vec![];
    for key in 0..12 {
        squares.extend_from_slice(&[element(key), element(key * key)]);
    }
    let mut table = p.table(Rows { key: 1, value: 1, entries: &squares })?;
    for number in &program.looked {
        let key = committed(p, program, &[element(*number)])?[0];
        let square = if number % 2 == 1 {
            p.look_up_rows(&mut table, &[&[key]], &"a number below twelve")?.concat()
        } else {
            p.look_up(&mut table, &[key], &"a number below twelve")?
        };
        let far = p.linear(&[element(64), element(1)], &[square[0], key]);
        p.assert_within(&[far], 13, &"below 2^13")?;
        if program.compares {
            let minus = p.constant(-element::<P::F>(number * number));
            let difference = p.add(square[0], minus);
            p.assert_zero(difference, "the square")?;
        }
    }
    Ok(())
}

/// The lookups over F_2: squares of numbers of four bits, whose keys are the numbers of their rows; and, row
/// by row, of two numbers.
fn bits_of_squares<P: Memories + Tables>(p: &mut P, program: &Program) -> Result<()> {
    let [all, two] = [&(0..12).collect::<Vec<u64>>()[..], &[5, 3]].map(rows_of_squares);
    let mut all = p.table(Rows { key: 4, value: 8, entries: &all })?;
    let mut two = p.table(Rows { key: 4, value: 8, entries: &two })?;
    for number in &program.looked {
        let mut key = vec![];
        for bit in bits(*number, 4) {
            key.push(p.constant(bit));
        }
        let mut squares = vec![p.look_up(&mut all, &key, &"a number below twelve")?];
        if matches!(number, 3 | 5) {
            squares.push(p.look_up(&mut two, &key, &"three or five")?);
        }
        for square in squares {
            for (wire, expected) in square.into_iter().zip(bits(number * number, 8)) {
                let expected = p.constant(expected);
                let difference = p.add(wire, expected);
                if program.compares {
                    p.assert_zero(difference, "the square")?;
                }
            }
        }
    }
    Ok(())
}

/// Numbers of four bits, with their squares.
fn rows_of_squares<F: Field>(numbers: &[u64]) -> Vec<F> {
    numbers.iter().flat_map(|number| [bits(*number, 4), bits(number * number, 8)].concat()).collect()
}

/// The pools of both parties, of one thread to eight: how many depends on the program.
fn pools(program: &Program) -> [Pool; 2] {
    [0, 1].map(|party| Pool::of([1, 2, 3, 8][(program.steps.len() + party) % 4]))
}

/// The prover's change of its memory's state before each step, over such a field.
type Forge<'f, F, W, E> = &'f mut (dyn FnMut(&mut Remembered<F, W, E>, usize) + Send);

fn run_field<B: Field, E: MacField<B>>(
    program: &Program,
    lies: &[(u64, B)],
    forge: Forge<'_, B, E::Tag, E>,
) -> Result<Gates> {
    let [pool, of_verifier] = pools(program);
    let (here, there) = pipe(Duration::from_secs(60));
    let mut proving = Channel::new(Role::Prover, here);
    let mut verifying = Channel::new(Role::Verifier, there);
    let prover = move || {
        let vole = Box::new(subfield::ideal::Prover::<B, E>::new(3, BLOCK));
        {
            let prover = arithmetic::Prover::<B, E>::new(&mut proving, vole, Arch::detect(), []);
            let mut prover = prover.share_work(&pool);
            prover.lies = lies.to_vec();
            prover.remembered().parameters = Parameters::SHORT;
            let done = perform(&mut prover, program, &mut |p, i| forge(p.remembered(), i));
            // The verifier may be gone already.
            let _ = done.and_then(|()| prover.forget_all()).and_then(|()| {
                if let Some(failed) = prover.lie() {
                    eprintln!("{failed} fails");
                }
                prover.finish().map(drop)
            });
        }
        let _ = proving.flush();
    };
    let verifier = move || {
        let mut random = Random::from_seed(&[5; 32]);
        let delta = subfield::Delta::random(&mut random);
        let vole = Box::new(subfield::ideal::Verifier::new(3, BLOCK, &delta));
        let verifier =
            arithmetic::Verifier::<B, E>::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
        let mut verifier = verifier.share_work(&of_verifier);
        verifier.remembered().parameters = Parameters::SHORT;
        perform(&mut verifier, program, &mut |_, _| ())?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    side_by_side(prover, verifier).1
}

fn run_bits(program: &Program, lies: &[(u64, F2)], forge: Forge<'_, F2, F128, F128>) -> Result<Gates> {
    let [pool, of_verifier] = pools(program);
    let (here, there) = pipe(Duration::from_secs(60));
    let mut proving = Channel::new(Role::Prover, here);
    let mut verifying = Channel::new(Role::Verifier, there);
    let prover = move || {
        let vole = Box::new(ideal::Prover::new(3, BLOCK));
        {
            let mut prover = Prover::new(&mut proving, vole, Arch::detect(), []).share_work(&pool);
            prover.lies = lies.to_vec();
            prover.remembered().parameters = Parameters::SHORT;
            let done = perform(&mut prover, program, &mut |p, i| forge(p.remembered(), i));
            let _ = done.and_then(|()| prover.forget_all()).and_then(|()| {
                if let Some(failed) = prover.lie() {
                    eprintln!("{failed} fails");
                }
                prover.finish().map(drop)
            });
        }
        let _ = proving.flush();
    };
    let verifier = move || {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier =
            Verifier::new(&mut verifying, vole, Arch::detect(), &delta).share_work(&of_verifier);
        verifier.remembered().parameters = Parameters::SHORT;
        perform(&mut verifier, program, &mut |_, _| ())?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    side_by_side(prover, verifier).1
}

fn is_caught(verdict: &Result<Gates>) -> bool {
    matches!(verdict, Err(Error::Rejected(Rejection::ProductsAndPolynomials)))
}

/// Programs whose epochs end with the memory, at their length, one before and one after it, and twice; and some
/// with gaps that are looked up whole: none, one, the 48 of an epoch of these, and more than three such.
fn programs() -> Vec<Program> {
    let sizes = [
        [1, 1, 3],
        [5, 2, 40],
        [16, 1, 63],
        [19, 3, 64],
        [7, 1, 65],
        [70, 1, 150],
        [6, 2, 128],
        [9, 1, 129],
        [4, 3, 176],
        [3, 1, 300],
    ];
    sizes.into_iter().enumerate().map(|(i, sizes)| Program::random(sizes, i as u8 % 3, i as u64)).collect()
}

/// The prover's commitments and debts are those that are counted, of which both parties know.
fn is_counted<M: Macs>(program: &Program, gates: Gates) {
    let shape = Count::<M::F>::fingerprint_by(Parameters::SHORT, program).unwrap().0;
    let counted = crate::size::<M>(&shape);
    assert_eq!(gates.size(), Size { ..counted }, "{:?}", (program.cells, program.width, program.steps.len()));
    // Of a table that is looked at row by row each row is asserted.
    assert!(gates.assert == shape.assert || (M::F::BITS == 1 && gates.assert > shape.assert));
}

impl<F: Field> Circuit<Count<F>> for Program {
    fn run(&self, b: &mut Count<F>) -> Result<()> {
        perform(b, self, &mut |_, _| ())
    }
}

#[test]
fn honest_programs_are_arrays_and_cost_what_is_counted() {
    fn test<B: Field, E: MacField<B>>() {
        for mut program in programs() {
            // Around the ends of running sums.
            let looked = [0, 7, 8, 9, 16, 33][program.width * program.steps.len() % 6];
            program.looked = program.looked.iter().copied().cycle().take(looked).collect();
            let gates = run_field::<B, E>(&program, &[], &mut |_, _| ()).unwrap();
            is_counted::<FieldMacs<B, E>>(&program, gates);
        }
    }
    test::<F61, F61>();
    test::<F61, F61x2>();
    test::<F65537, F65537x4>();
    test::<Bn254, Bn254>();
    volery_vole::vole::subfield::choose_prime();
    test::<RuntimePrime, RuntimeExtension>();
    for mut program in programs() {
        is_counted::<BitMacs>(&program, run_bits(&program, &[], &mut |_, _| ()).unwrap());
        // Words of several elements of F_{2^128}.
        program.steps.truncate(30);
        program.width = 150;
        program
            .steps
            .iter_mut()
            .for_each(|step| step.word = (0..150).map(|i| i * step.word[0] % 7).collect());
        is_counted::<BitMacs>(&program, run_bits(&program, &[], &mut |_, _| ()).unwrap());
    }
}

#[test]
fn a_commitment_that_is_off_is_rejected() {
    each_so_many_is_off([47, 167, 167, 101]);
}

#[test]
#[ignore = "slow"]
fn more_commitments_that_are_off_are_rejected() {
    each_so_many_is_off([3, 13, 13, 7]);
}

/// Two epochs and a part of one, of which one of so many commitments is off by one in turn: words and times at
/// accesses and at ends of epochs, limbs and their counts, whole gaps' counts within that part and at its end,
/// products and sums.
fn each_so_many_is_off([f61, f61x2, f65537, f2]: [usize; 4]) {
    let mut program = Program::random([3, 1, 179], 0, 7);
    program.compares = false;
    // One behind a block of eight.
    program.looked.extend([0, 11]);
    fn field<B: Field, E: MacField<B>>(program: &Program, step: usize) {
        let honest = run_field::<B, E>(program, &[], &mut |_, _| ()).unwrap();
        for at in (0..honest.inputs).step_by(step) {
            let verdict = run_field::<B, E>(program, &[(at, B::ONE)], &mut |_, _| ());
            assert!(is_caught(&verdict), "{at}: {verdict:?}");
        }
    }
    field::<F61, F61>(&program, f61);
    field::<F61, F61x2>(&program, f61x2);
    field::<F65537, F65537x4>(&program, f65537);
    let honest = run_bits(&program, &[], &mut |_, _| ()).unwrap();
    for at in (0..honest.inputs).step_by(f2) {
        let verdict = run_bits(&program, &[(at, F2::ONE)], &mut |_, _| ());
        assert!(is_caught(&verdict), "{at}: {verdict:?}");
    }
}

/// Forges a word of a prover's memory, and its timestamp.
fn forge<F: Field, W: Copy + Default + Zeroize, E: Field>(
    remembered: &mut Remembered<F, W, E>,
    cell: usize,
    (word, time): (u64, u32),
) {
    let ram = remembered.memories[0].as_mut().expect("open");
    let contents = ram.known.as_mut().expect("the prover's");
    (contents.words[cell], contents.times[cell]) = (word, time);
}

/// Two cells; writes 5 and 1 (over F_2 both are one) to cell 0, reads it twice, and writes to it.
fn short() -> Program {
    let step = |address, kind, word| Step { address, kind, word: vec![word] };
    let steps =
        vec![step(0, 1, 5), step(1, 0, 0), step(0, 0, 0), step(0, 1, 3), step(0, 0, 0), step(1, 0, 0)];
    Program { cells: 2, width: 1, start: 0, steps, looked: vec![], compares: false }
}

/// Before step number `.0`, as if cell `.1` had held word `.2` since time `.3`.
type Forgery = (usize, usize, u64, u32);

/// A word that never was; a word from before the last write, with its own time and with the right one; a wrong
/// time; a word from the future; that of another cell; two accesses that read each other's writes; a word whose
/// time is that of its own access.
const FORGERIES: &[(&str, &[Forgery])] = &[
    ("wrong word", &[(2, 0, 0, 1)]),
    ("stale word", &[(4, 0, 5, 3)]),
    ("stale word of the right time", &[(4, 0, 0, 4)]),
    ("wrong time", &[(2, 0, 5, 0)]),
    // Of these all that is put in is taken out.
    ("its own time", &[(2, 0, 8, 3), (3, 0, 5, 1)]),
    ("each other's writes", &[(2, 0, 8, 5), (3, 0, 5, 1), (4, 0, 8, 3), (5, 0, 3, 4)]),
    ("the future", &[(2, 0, 3, 4)]),
    ("another cell's", &[(1, 1, 5, 1)]),
    ("swapped", &[(2, 0, 5, 1), (3, 0, 5, 1)]),
];

/// The short program behind so many reads.
fn behind(reads: usize) -> Program {
    let mut program = short();
    let read = || Step { address: 1, kind: 0, word: vec![0] };
    program.steps.splice(..0, (0..reads).map(|_| read()));
    program
}

#[test]
fn consistent_forgeries_are_rejected() {
    fn field<B: Field, E: MacField<B>>() {
        // In the first epoch; in one whose gaps are looked up whole; and where an epoch of these ends on the way.
        for reads in [0, 128, 173] {
            let program = behind(reads);
            run_field::<B, E>(&program, &[], &mut |_, _| ()).unwrap();
            for (name, forgeries) in FORGERIES {
                let verdict = run_field::<B, E>(&program, &[], &mut |remembered, step| {
                    for (_, cell, word, time) in forgeries.iter().filter(|(at, ..)| reads + *at == step) {
                        forge(remembered, *cell, (*word, *time));
                    }
                });
                assert!(is_caught(&verdict), "{name} behind {reads}: {verdict:?}");
            }
        }
    }
    field::<F61, F61>();
    field::<F61, F61x2>();
    field::<F65537, F65537x4>();
    run_bits(&short(), &[], &mut |_, _| ()).unwrap();
    for (name, forgeries) in FORGERIES {
        let verdict = run_bits(&short(), &[], &mut |remembered, step| {
            for (_, cell, word, time) in forgeries.iter().filter(|(at, ..)| *at == step) {
                forge(remembered, *cell, (*word & 1, *time));
            }
        });
        assert!(is_caught(&verdict), "{name}: {verdict:?}");
    }
}

/// Addresses of no cell, numbers of no row, numbers that are too large: a prover that goes on is rejected.
#[test]
fn what_is_outside_is_rejected() {
    fn field<B: Field, E: MacField<B>>() {
        for (address, looked) in [(2, 3), (1 << 16, 3), (0, 12), (0, 1000)] {
            let mut program = short();
            program.looked.push(looked);
            program.steps[1].address = address;
            program.cells = 2;
            let verdict = run_field::<B, E>(&program, &[], &mut |_, _| ());
            assert!(is_caught(&verdict), "{address} {looked}: {verdict:?}");
        }
    }
    field::<F61, F61>();
    field::<F61, F61x2>();
    field::<F65537, F65537x4>();
    let mut program = short();
    program.looked = vec![12];
    let verdict = run_bits(&program, &[], &mut |_, _| ());
    assert!(is_caught(&verdict), "{verdict:?}");
    program.looked = vec![3];
    program.cells = 3;
    run_bits(&program, &[], &mut |_, _| ()).unwrap();
    program.steps[1].address = 3;
    let verdict = run_bits(&program, &[], &mut |_, _| ());
    assert!(is_caught(&verdict), "{verdict:?}");
}

/// A party that has many memories of one cell, each with one access, keeps some kilobytes for each.
#[test]
fn memories_of_few_accesses_are_small() {
    fn keeps_little<P: Party>(p: &mut P) {
        for _ in 0..1000 {
            let mut memory = memory(p, Cells::Zero(1), 1).unwrap();
            let address = vec![p.constant(P::F::ZERO); volery_circuit::address_width::<P::F>(1)];
            access(p, &mut memory, &address, Put::Same, &"address").unwrap();
        }
        let memories = &p.remembered().memories;
        assert_eq!(memories.len(), 1000);
        for ram in memories {
            let ram = ram.as_ref().expect("open");
            let parts = ram.accessed.taken.room() + ram.accessed.put.room();
            assert!(
                ram.start.is_none() && (1..=columns::FIRST * 5 * P::PARTS).contains(&parts),
                "{parts} parts"
            );
        }
    }
    let mut channel = Channel::new(Role::Prover, pipe(Duration::from_secs(60)).0);
    let vole = Box::new(subfield::ideal::Prover::<F61, F61>::new(3, BLOCK));
    keeps_little(&mut arithmetic::Prover::<F61, F61>::new(&mut channel, vole, Arch::detect(), []));
    let vole = Box::new(ideal::Prover::new(3, 2 * BLOCK));
    keeps_little(&mut Prover::new(&mut channel, vole, Arch::detect(), []));
}

/// Tuples in one line of 64 bits, in two and in three, around their ends.
#[test]
fn memories_of_bits_with_short_macs() {
    let mut many = programs();
    for width in [53, 54, 55, 56, 63, 64, 65, 117, 118, 119, 120, 150] {
        let mut program = Program::random([5, 2, 70], (width % 3) as u8, width as u64);
        program.width = width;
        program.steps.iter_mut().for_each(|step| {
            let first = step.word[0];
            step.word = (0..width as u64).map(|i| (i + 1) * (first | 1) % 7).collect();
        });
        many.push(program);
    }
    for program in &many {
        let gates = run_field::<F2, F64>(program, &[], &mut |_, _| ()).unwrap();
        is_counted::<FieldMacs<F2, F64>>(program, gates);
    }
    let mut program = Program::random([3, 1, 179], 0, 7);
    program.compares = false;
    program.looked.extend([0, 11]);
    let mut wide = Program::random([3, 70, 20], 0, 7);
    wide.compares = false;
    for (program, step) in [(&program, 19), (&wide, 61)] {
        let honest = run_field::<F2, F64>(program, &[], &mut |_, _| ()).unwrap();
        for at in (0..honest.inputs).step_by(step) {
            let verdict = run_field::<F2, F64>(program, &[(at, F2::ONE)], &mut |_, _| ());
            assert!(is_caught(&verdict), "{at}: {verdict:?}");
        }
    }
    for (name, forgeries) in FORGERIES {
        let verdict = run_field::<F2, F64>(&short(), &[], &mut |remembered, step| {
            for (_, cell, word, time) in forgeries.iter().filter(|(at, ..)| *at == step) {
                forge(remembered, *cell, (*word & 1, *time));
            }
        });
        assert!(is_caught(&verdict), "{name}: {verdict:?}");
    }
    let mut program = short();
    program.looked = vec![12];
    assert!(is_caught(&run_field::<F2, F64>(&program, &[], &mut |_, _| ())));
    program.looked = vec![3];
    program.cells = 3;
    program.steps[1].address = 3;
    assert!(is_caught(&run_field::<F2, F64>(&program, &[], &mut |_, _| ())));
}
