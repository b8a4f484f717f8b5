//! Whole runs: in the clear, by QuickSilver, and dishonest ones.

mod cheats;

use super::class::{Class, Size};
use super::form::Linear;
use super::rom::{HALT, Step, To, hidden, register};
use super::row::{Column, FILLED, P, Row};
use super::trace::tests::{EXIT, Numbers, constant, file, random};
use super::*;
use core::iter;
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::Clear;
use volery::circuit::stream::Streamed;
use volery::{Circuit, Error, Options, Over, prove_over, verify_over};

/// A sum of squares by a loop, with a division, logic, bytes, and a word that is stored and loaded.
fn code() -> Vec<u32> {
    let register = |op: u32, d: u32, f3: u32, a: u32, b: u32, f7: u32| {
        op | d << 7 | f3 << 12 | a << 15 | b << 20 | f7 << 25
    };
    let mut code = constant(31, 0x20000).to_vec();
    code.extend([
        0x13 | 5 << 7 | 3 << 20,
        register(0x33, 6, 0, 5, 5, 1),
        register(0x33, 10, 0, 10, 6, 0),
        0x23 | 8 << 7 | 2 << 12 | 31 << 15 | 10 << 20,
        0x03 | 7 << 7 | 2 << 12 | 31 << 15 | 8 << 20,
        0x03 | 7 << 7 | 4 << 12 | 31 << 15 | 9 << 20,
        0x23 | 5 << 7 | 31 << 15 | 6 << 20,
        register(0x33, 8, 4, 10, 5, 1),
        register(0x33, 9, 7, 10, 5, 0),
        0x13 | 5 << 7 | 5 << 15 | 0xfff << 20,
        // Back by eight instructions less one.
        0x63 | 1 << 12
            | 5 << 15
            | (-36i32 as u32 >> 1 & 15) << 8
            | (-36i32 as u32 >> 5 & 63) << 25
            | 1 << 7
            | 1 << 31,
    ]);
    code.extend(EXIT);
    code
}

const KNOWN: Known<'static> =
    Known { layout: Layout { heap: 4096, stack: 4096 }, public: &[], output: &[], goal: Goal::Exit(14) };

/// Rows that are pushed together here: few, so that short runs have several tiles.
const TILE: usize = 16;

/// The steps that [`Steps::new`] gives, in short tiles.
fn stated(program: &Program, known: &Known<'_>, rows: u64) -> Result<Steps> {
    let steps = Steps::new(program, known, rows)?;
    Ok(Steps { tiling: Tiling { tile: TILE, ..steps.tiling }, ..steps })
}

fn steps(code: &[u32], known: &Known<'_>, rows: Option<u64>) -> Steps {
    let program = Program::read(&file(code)).expect("a program");
    let steps = stated(&program, known, 0).expect("it has room");
    let rows = rows.unwrap_or_else(|| chosen(&steps, &[]).rows());
    steps.in_rows(rows)
}

/// The choices of a run that is short enough for memory.
fn chosen(steps: &Steps, private: &[u8]) -> Choices {
    steps.choose(private, 1 << 20, &|| unreachable!("it is short")).expect("it ends so")
}

fn rows(steps: &Steps) -> Vec<Row> {
    let mut trace = steps.trace(&[]);
    (0..steps.tiling.rows).map(|_| trace.next().expect("it goes on")).collect()
}

/// The witness of these rows.
fn witness(rows: &[Row]) -> Vec<F61> {
    let tile = |rows: &[Row]| {
        let columns = Column::ALL.into_iter();
        columns
            .flat_map(|column| rows.iter().map(move |row| block::number(row.column(column))))
            .collect::<Vec<_>>()
    };
    rows.chunks(TILE).flat_map(tile).collect()
}

/// Checks these rows in the clear.
fn check(steps: &Steps, rows: &[Row]) -> Result<()> {
    let mut clear = Clear::new(witness(rows));
    Streamed(steps).run(&mut clear)?;
    clear.finish()
}

#[test]
fn a_run_is_what_its_statement_says() {
    let steps = steps(&code(), &KNOWN, None);
    let honest = rows(&steps);
    check(&steps, &honest).expect("it holds");
    assert!(steps.witness(&[], &chosen(&steps, &[])).eq(witness(&honest)));
    assert_eq!(honest.last().map(|row| row.column(Column::Next)), Some(HALT));
}

fn refused(steps: &Steps, rows: &[Row], why: &str) {
    match check(steps, rows) {
        Err(Error::Unsatisfied(name)) => assert!(name.contains(why), "{name} in the place of {why}"),
        other => panic!("{other:?} in the place of {why}"),
    }
}

#[test]
fn dishonest_runs_are_none() {
    let steps = steps(&code(), &KNOWN, None);
    let honest = rows(&steps);
    let halt = {
        let mut trace = steps.trace(&[]);
        while !trace.has_ended() {
            trace.next();
        }
        trace.next().expect("it stays there")
    };
    // A row that is left out, with one more at the end; two that change places; an end one row early.
    let mut rows = honest.clone();
    rows.remove(7);
    rows.push(halt);
    refused(&steps, &rows, "are of the program");
    let mut rows = honest.clone();
    rows.swap(7, 8);
    refused(&steps, &rows, "are of the program");
    let mut early =
        stated(&Program::read(&file(&code())).expect("a program"), &KNOWN, honest.len() as u64 - 1)
            .expect("it has room");
    refused(&early, &honest[..honest.len() - 1], "the program has ended");
    early.tiling.rows = 1;
    refused(&early, &[halt], "are of the program");
    // What x0 would be; what is where no cell is; a word that was not written.
    let change = |column: Column, at: usize, value: u64| {
        let mut rows = honest.clone();
        rows[at].columns[column as usize] = value;
        rows
    };
    refused(&steps, &change(Column::Third, 3, register(0)), "are of the program");
    refused(&steps, &change(Column::First, 3, register(1)), "are of the program");
    refused(&steps, &change(Column::First, 3, 5), "there is what rows");
    refused(&steps, &change(Column::C0, 3, 77), "a row's class says");
    refused(&steps, &change(Column::C0, 3, 1 << 16), "C0, a limb of rows from 0 on[3]");
    // Further on than the end.
    let mut rows = honest.clone();
    let last = rows.len() - 1;
    rows[last].columns[Column::Next as usize] = 0x10000;
    refused(&steps, &rows, "are of the program");
}

/// Memory begins as the file says: of another file there are other runs.
#[test]
fn another_first_image_is_another_statement() {
    let mut other = code();
    other[2] = 0x13 | 5 << 7 | 4 << 20;
    let (ours, theirs) =
        (steps(&code(), &KNOWN, None), steps(&other, &Known { goal: Goal::Exit(30), ..KNOWN }, None));
    refused(&ours, &rows(&theirs)[..ours.tiling.rows as usize], "");
}

/// Two statements of which anything that is pushed differs have two digests, whatever they were made from.
#[test]
fn digests_cover_the_rows() {
    let of = |change: &dyn Fn(&mut Steps)| {
        let mut steps = steps(&code(), &KNOWN, Some(100));
        change(&mut steps);
        steps.digest()
    };
    let step = Step::add(5, 5, 1);
    let others: [&dyn Fn(&mut Steps); 9] = [
        &|_| {},
        &|steps| steps.entry += 4,
        &|steps| steps.tiling.rows += 1,
        &|steps| steps.tiling.tile += 1,
        // A row more; the same with another immediate; at another place; leading to another.
        &|steps| steps.rom.put(0x10000, &[step], To::Place(HALT)),
        &|steps| steps.rom.put(0x10000, &[Step::add(5, 5, 2)], To::Place(HALT)),
        &|steps| steps.rom.put(0x10004, &[step], To::Place(HALT)),
        &|steps| steps.rom.put(0x10000, &[step], To::Place(0x10000)),
        // A cell more.
        &|steps| assert!(steps.rom.constant(77_777) > 0),
    ];
    let digests: BTreeSet<_> = others.iter().map(|change| of(change)).collect();
    assert_eq!(digests.len(), others.len());
    assert_eq!(of(&|_| {}), of(&|_| {}));
    // A word of memory at first, and which words are only read.
    let words = |code: &[u32]| steps(code, &KNOWN, Some(100)).image;
    let mut data = code();
    data.push(1);
    let (one, mut two) = (words(&data), data);
    *two.last_mut().expect("one") = 2;
    let with = |image: &Image| of(&|steps| steps.image = image.clone());
    assert_ne!(with(&one), with(&words(&two)));
}

/// The columns of which no equation, lookup or access of a class speaks.
fn open(class: Class) -> BTreeSet<u8> {
    let mut spoken = BTreeSet::new();
    let mut speak = |linear: &Linear| {
        for (term, _) in linear.terms() {
            let limbs = term.limbs().unwrap_or([term, term]);
            spoken.extend(
                Column::ALL
                    .into_iter()
                    .filter(|of| of.term().is_some_and(|t| limbs.contains(&t)))
                    .map(|of| of as u8),
            );
        }
    };
    for form in class.equations(Size::FULL).into_iter().flatten() {
        speak(&form.linear);
        form.products.iter().for_each(|(_, a, b)| [a, b].into_iter().for_each(&mut speak));
    }
    if let Some(address) = class.accessed(Size::FULL) {
        speak(&address);
    }
    use Column::{C0, C1, S3, S4, S5, S6, S7, S8};
    [C0, C1, S3, S4, S5, S6, S7, S8]
        .map(|of| of as u8)
        .into_iter()
        .filter(|of| !spoken.contains(of))
        .collect()
}

#[test]
fn each_value_is_noticed_where_a_class_speaks_of_it() {
    let mut numbers = Numbers(11);
    let mut classes = BTreeMap::<Class, usize>::new();
    for _ in 0..12 {
        let program = Program::read(&file(&random(&mut numbers, 60))).expect("a program");
        let known = Known { goal: Goal::Exit(0), ..KNOWN };
        let steps = stated(&program, &known, 0).expect("it has room");
        let mut trace = steps.trace(&[]);
        // To the exit, whose code is another.
        while !trace.has_ended() {
            let Some(row) = trace.next() else { break };
            let digits = [row.column(Column::Group), row.column(Column::Member)];
            let class = Class::ALL.into_iter().find(|class| class.digits() == digits).expect("a class");
            let times = classes.entry(class).or_default();
            *times += 1;
            if *times > 2 {
                continue;
            }
            assert_eq!(row.fault(&steps.rom), None);
            let open = open(class);
            for column in Column::ALL {
                let value = row.column(column);
                for other in
                    [(value + 1) % P, (value + P - 1) % P, u64::from(numbers.below(1 << 16)), 1 << 40]
                {
                    let mut changed = row;
                    changed.columns[column as usize] = other;
                    let is_noticed = other == value || changed.fault(&steps.rom).is_some();
                    assert!(
                        is_noticed || open.contains(&(column as u8)),
                        "{class:?} {column:?}: {value} as {other}"
                    );
                }
            }
        }
    }
    let missing = [Class::Jalr, Class::Lio, Class::Select];
    assert!(classes.len() + missing.len() >= Class::ALL.len(), "{classes:?}");
}

/// A prover does the same for each row while it proves, whatever the row is of: it is filled once. By how much
/// a word is shifted, which branch is taken, what signs a quotient has and whether an access fails is found before.
#[test]
fn each_row_is_filled_once_while_it_is_proved() {
    each_row_is_filled_once(4);
}

#[test]
#[ignore = "slow"]
fn each_row_is_filled_once_whatever_its_words() {
    each_row_is_filled_once(1);
}

/// One in `step` pairs of words for each operation, other ones for the next.
fn each_row_is_filled_once(step: usize) {
    let of = |f3: u32, f7: u32, a: u32, b: u32| {
        let operation = 0x33 | 8 << 7 | f3 << 12 | 6 << 15 | 7 << 20 | f7 << 25;
        // With a branch over an instruction, and a load and a store of bytes.
        let others = [
            0x63 | 8 << 7 | 4 << 12 | 6 << 15 | 7 << 20,
            0x13 | 9 << 7 | 6 << 15 | 1 << 20,
            0x23 | 3 << 7 | 31 << 15 | 8 << 20,
            0x03 | 9 << 7 | 31 << 15 | 3 << 20,
        ];
        let mut code = [constant(31, 0x20000), constant(6, a), constant(7, b)].concat();
        code.extend([operation; 40]);
        code.extend(others);
        code.extend([0x13 | 10 << 7].iter().chain(&EXIT));
        code
    };
    let known = Known { goal: Goal::Exit(0), ..KNOWN };
    let words = [0, 1, 16, 31, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let alike = [(1, 0), (5, 0), (5, 0x20), (2, 0), (3, 0), (4, 1), (5, 1), (6, 1), (7, 1), (1, 1), (2, 1)];
    for (number, (f3, f7)) in alike.into_iter().enumerate() {
        let pairs = words.into_iter().flat_map(|a| words.map(|b| (a, b)));
        for (a, b) in pairs.skip(number % step).step_by(step) {
            let steps = steps(&of(f3, f7, a, b), &known, None);
            let choices = chosen(&steps, &[]);
            // Beyond the end, too.
            let rows = choices.rows() + 2 * TILE as u64;
            let steps = steps.in_rows(rows);
            let (mut values, mut left) = (steps.witness(&[], &choices), rows as usize);
            while left > 0 {
                let (tile, before) = (left.min(TILE), FILLED.get());
                assert_eq!(values.by_ref().take(tile * COLUMNS).count(), tile * COLUMNS);
                assert_eq!(FILLED.get() - before, tile as u64, "{f3} {f7} of {a:#x}, {b:#x}");
                left -= tile;
            }
        }
    }
}

/// Exactly one of an instruction's alternatives goes through.
#[test]
fn alternatives_exclude_each_other() {
    alternatives_exclude(4);
}

#[test]
#[ignore = "slow"]
fn alternatives_of_more_programs_exclude_each_other() {
    alternatives_exclude(24);
}

/// Runs so many random programs, and counts the ways that go on at each row.
fn alternatives_exclude(programs: usize) {
    fn ways(trace: &Trace<'_>, place: u64, most: usize) -> usize {
        trace.ways(place, most)
    }
    let mut numbers = Numbers(23);
    for _ in 0..programs {
        let program = Program::read(&file(&random(&mut numbers, 40))).expect("a program");
        for goal in [Goal::Exit(0), Goal::AnyFault] {
            let steps = stated(&program, &Known { goal, ..KNOWN }, 0).expect("it has room");
            let mut trace = steps.trace(&[]);
            loop {
                if trace.is_between() {
                    let ways = ways(&trace, trace.place(), 40);
                    assert!(ways <= 1, "{ways} at {:#x}", trace.place());
                }
                if trace.has_ended() || trace.next().is_none() {
                    break;
                }
            }
        }
    }
}

/// Two reads of a byte: it ends with what the first returns, and twice what the second does.
fn two_reads() -> Vec<u32> {
    let read = |at: u32| {
        let address = constant(11, at);
        [0x13 | 10 << 7, address[0], address[1], 0x13 | 12 << 7 | 1 << 20, 0x13 | 17 << 7 | 63 << 20, 0x73]
    };
    let mut code = read(0x20000).to_vec();
    code.push(0x13 | 18 << 7 | 10 << 15);
    code.extend(read(0x20001));
    let sum = |d: u32, a: u32, b: u32| 0x33 | d << 7 | a << 15 | b << 20;
    code.extend([sum(10, 10, 10), sum(10, 10, 18)]);
    code.extend(EXIT);
    code
}

/// A read behind the end of the private input returns nothing, once one has returned less.
#[test]
fn no_private_input_goes_on_behind_its_end() {
    let program = Program::read(&file(&two_reads())).expect("a program");
    let of =
        |code: u32| stated(&program, &Known { goal: Goal::Exit(code), ..KNOWN }, 0).expect("it has room");
    for (code, private) in [(0, &b""[..]), (1, b"x"), (3, b"xy"), (3, b"xyz")] {
        let steps = of(code);
        let rows = chosen(&steps, private).rows();
        let steps = steps.in_rows(rows);
        let mut trace = steps.trace(private);
        let rows: Vec<Row> = (0..rows).map(|_| trace.next().expect("it goes on")).collect();
        check(&steps, &rows).expect("it holds");
    }
    for code in 0..4 {
        let steps = of(code);
        let mut trace = steps.trace(b"");
        let ends = trace.ends_by(trace.place(), &[0, 1, 2, u32::MAX], 200);
        assert_eq!(ends, code != 2, "exit {code}");
    }
    // Who forgets that it has ended is shown what was written last.
    let mut steps = of(2);
    let mut trace = steps.trace(b"");
    let mut forged = Vec::new();
    while !trace.has_ended() {
        forged.push(trace.next().expect("it goes on"));
        if trace.is_between() && trace.register(hidden::ENDED) == 1 {
            trace.forget(hidden::ENDED, if forged.len() < 30 { b"x" } else { b"" });
        }
    }
    steps.tiling.rows = forged.len() as u64;
    refused(&steps, &forged, "a row's class says");
}

/// Addresses of cells are apart in the table's key only below a bound.
#[test]
fn cells_above_the_bound_are_refused() {
    let program = Program::read(&file(&code())).expect("a program");
    let mut steps = stated(&program, &KNOWN, 1).expect("it has room");
    for constant in 1..=1 << 20 {
        steps.rom.constant(constant);
    }
    match check(&steps, &[]) {
        Err(Error::Invalid(why)) => assert!(why.contains("below 0x8000000"), "{why}"),
        other => panic!("{other:?}"),
    }
}

fn session(steps: &Steps, values: Vec<F61>) -> (Result<()>, Result<()>) {
    let (here, there) = pipe(Duration::from_secs(300));
    let options = || Options { check: false, ..Options::default() };
    let source: &dyn Source<F61> = steps;
    thread::scope(|scope| {
        let prover = scope.spawn(move || {
            prove_over::<Over<F61>>(source, values, &mut Channel::new(Party::Prover, here), &options())
                .map(drop)
        });
        let verifier =
            verify_over::<Over<F61>>(source, &mut Channel::new(Party::Verifier, there), &options()).map(drop);
        (prover.join().expect("no panic"), verifier)
    })
}

#[test]
fn a_run_is_proved_by_quicksilver() {
    let steps = steps(&code(), &KNOWN, None);
    let honest = rows(&steps);
    let (prover, verifier) = session(&steps, witness(&honest));
    prover.expect("accepted");
    verifier.expect("accepted");
    let mut rows = honest.clone();
    rows[5].columns[Column::C1 as usize] += 1;
    let (prover, verifier) = session(&steps, witness(&rows));
    assert!(prover.is_err() && verifier.is_err());
}
