//! Provers that lie consistently: each does one thing that the program does not, and goes on from there.

use super::*;

/// A run that loads, adds, writes to x0, jumps over an instruction to where a register says, and ends with 14
/// whatever it has loaded.
fn short() -> Vec<u32> {
    let addi = |d: u32, a: u32, value: u32| 0x13 | d << 7 | a << 15 | value << 20;
    let mut code = constant(31, 0x20000).to_vec();
    code.extend([
        0x03 | 10 << 7 | 2 << 12 | 31 << 15,
        addi(10, 10, 4),
        addi(0, 10, 0),
        0x33 | 10 << 7 | 10 << 15,
        0x17 | 6 << 7,
        0x67 | 6 << 15 | 12 << 20,
        addi(10, 10, 1),
        0x63 | 1 << 12 | 10 << 15 | 8 << 7,
        addi(10, 0, 99),
        addi(10, 0, 14),
    ]);
    code.extend(EXIT);
    code
}

/// The rows of the program, by their number.
const LOAD: usize = 2;
const SUM: usize = 3;
const NOWHERE: usize = 4;
const READ_X0: usize = 5;
const JUMP: usize = 7;
const BRANCH: usize = 8;

/// The file of [`short`] with this word where it loads from, and behind that once more.
fn with_data(word: u32) -> Vec<u8> {
    let mut file = file(&short());
    let at = file.len() as u32;
    file[52 + 32 + 4..][..4].copy_from_slice(&at.to_le_bytes());
    file[52 + 32 + 16..][..4].copy_from_slice(&8u32.to_le_bytes());
    file.extend([word.to_le_bytes(); 2].concat());
    file
}

fn of(data: u32) -> Steps {
    let program = Program::read(&with_data(data)).expect("a program");
    stated(&program, &KNOWN, 0).expect("it has room")
}

/// The run that loads 10.
fn honest() -> (Steps, Vec<Row>) {
    let steps = of(10);
    let count = chosen(&steps, &[]).rows();
    let steps = steps.in_rows(count);
    let rows = rows(&steps);
    (steps, rows)
}

fn set<const COUNT: usize>(row: &mut Row, values: [(Column, u64); COUNT]) {
    for (column, value) in values {
        row.columns[column as usize] = value;
    }
}

/// The first rows of a run, and then those of one that goes on as `change` leaves it; as many in all.
fn goes_on<'s>(steps: &'s Steps, first: usize, change: impl FnOnce(&mut Trace<'s>)) -> Vec<Row> {
    let mut trace = steps.trace(&[]);
    let mut rows: Vec<Row> = (0..first).map(|_| trace.next().expect("it goes on")).collect();
    change(&mut trace);
    rows.extend(iter::from_fn(|| trace.next()).take(steps.tiling.rows as usize - first));
    let last = *rows.last().expect("some");
    rows.resize(steps.tiling.rows as usize, last);
    rows
}

/// Rows that are no run of the program, each with what they fail.
fn lies(steps: &Steps, honest: &[Row]) -> Vec<(&'static str, Vec<Row>, &'static str)> {
    let changed = |at: usize, change: &dyn Fn(&mut Row)| {
        let mut rows = honest.to_vec();
        change(&mut rows[at]);
        rows
    };
    let place = |instruction: u64| 0x10000 + 4 * instruction;
    // It jumps elsewhere, and goes on there: as the program would not, and where no register says.
    let mut jumps = goes_on(steps, SUM + 1, |trace| trace.jump(place(6)));
    set(&mut jumps[SUM], [(Column::Next, place(6))]);
    let mut elsewhere = goes_on(steps, JUMP + 1, |trace| trace.jump(place(11)));
    set(&mut elsewhere[JUMP], [(Column::Next, place(11)), (Column::Jumped, place(11))]);
    let mut proved = elsewhere.clone();
    let limbs = [(Column::S3, place(11) % (1 << 16)), (Column::S5, place(11) % (1 << 16) / 4)];
    set(&mut proved[JUMP], limbs);
    // The branch that is not taken.
    let mut not_taken = goes_on(steps, BRANCH + 1, |trace| trace.jump(place(10)));
    let alternative = steps.rom.at(honest[BRANCH].place).iter().find(|row| row.next == Some(place(10)));
    let [group, member] = alternative.expect("it is there").class.digits();
    let equal = [(Column::Group, group), (Column::Member, member), (Column::Immediate, 0)];
    set(&mut not_taken[BRANCH], equal);
    let reads = alternative.expect("it is there").reads.map(register);
    let reads = [(Column::First, reads[0]), (Column::Second, reads[1]), (Column::Next, place(10))];
    set(&mut not_taken[BRANCH], reads);
    // A register that is read as it was before the sum, and x0 as what was written to it.
    let read = |at: usize, number: u32, word: u32| {
        let mut rows = honest.to_vec();
        rows[at] = goes_on(steps, at, |trace| trace.set(number, word))[at];
        rows
    };
    let (stale, x0) = (read(NOWHERE, 10, 10), read(READ_X0, 0, 14));
    let writes_x0 = changed(NOWHERE, &|row| set(row, [(Column::Third, register(0))]));
    let beside = honest[LOAD].column(Column::Second) + 4;
    let another = changed(LOAD, &|row| set(row, [(Column::Accessed, beside), (Column::Second, beside)]));
    let theirs = of(11);
    let forged: Vec<Row> = {
        let mut trace = theirs.trace(&[]);
        (0..honest.len()).map(|_| trace.next().expect("it goes on")).collect()
    };
    let last = honest.len() - 1;
    vec![
        ("jumps where the program does not", jumps, "are of the program"),
        ("jumps where no register says", elsewhere, "a jump"),
        ("makes the limbs of that jump up", proved, "a row's class says"),
        ("takes the other way of a branch", not_taken, "a row's class says"),
        ("reads a stale register", stale, "a row's class says"),
        ("reads from x0 what was written to it", x0, "a row's class says"),
        ("writes to x0", writes_x0, "are of the program"),
        ("loads from another address", another, "where a row accesses"),
        ("forges the first image", forged, "a row's class says"),
        (
            "stays a row longer",
            changed(last, &|row| set(row, [(Column::Next, row.place)])),
            "are of the program",
        ),
    ]
}

#[test]
fn cheating_provers_are_refused() {
    let (steps, honest) = honest();
    check(&steps, &honest).expect("it holds");
    assert_eq!(honest[JUMP].class(), Some(Class::Jalr));
    assert_eq!(honest[NOWHERE].column(Column::Third), register(hidden::NOWHERE));
    assert_eq!(honest[READ_X0].column(Column::Second), register(0));
    for (what, rows, why) in lies(&steps, &honest) {
        assert_eq!(rows.len(), honest.len(), "who {what}");
        println!("who {what}");
        refused(&steps, &rows, why);
    }
    // With a row less, of which the last one says that it is the end.
    let less = of(10).in_rows(steps.tiling.rows - 1);
    let mut early = honest[..honest.len() - 1].to_vec();
    set(early.last_mut().expect("some"), [(Column::Next, HALT)]);
    refused(&less, &early, "are of the program");
}

/// Rows that are left out are found at every place, with the end's at the end, and so are two that change
/// places.
#[test]
fn no_row_is_skipped_and_no_two_change_places() {
    no_row_is_skipped(3);
}

#[test]
#[ignore = "slow"]
fn no_row_anywhere_is_skipped_and_no_two_change_places() {
    no_row_is_skipped(1);
}

/// One row in `step` is skipped, and the next one changes places.
fn no_row_is_skipped(step: usize) {
    let (steps, honest) = honest();
    let halt = goes_on(&of(10).in_rows(steps.tiling.rows + 1), honest.len(), |_| {})[honest.len()];
    for at in (0..honest.len()).step_by(step).chain([honest.len() - 2, honest.len() - 1]) {
        let mut rows = honest.clone();
        rows.remove(at);
        rows.push(halt);
        refused(&steps, &rows, "are of the program");
        let mut rows = honest.clone();
        if at + 1 < rows.len() {
            rows.swap(at, at + 1);
            refused(&steps, &rows, "are of the program");
        }
    }
}

/// Each committed value of each row, by one more: refused, but where its class speaks of it nowhere. Of each row every
/// `step`th, other ones of the next.
fn each_value_is_looked_at(steps: &Steps, honest: &[Row], step: usize) {
    for (at, row) in honest.iter().enumerate() {
        let open = open(row.class().expect("a class"));
        for column in Column::ALL.into_iter().skip(at % step).step_by(step) {
            let mut rows = honest.to_vec();
            set(&mut rows[at], [(column, (row.column(column) + 1) % P)]);
            let refused = matches!(check(steps, &rows), Err(Error::Unsatisfied(_)));
            // What is open may be any limb: its range is looked at all the same.
            let is_open = open.contains(&(column as u8));
            assert!(refused || is_open, "row {at}, {column:?} by one more");
            if is_open {
                set(&mut rows[at], [(column, 1 << 16)]);
                assert!(check(steps, &rows).is_err(), "row {at}, {column:?} out of range");
            }
        }
    }
}

#[test]
fn each_value_of_a_short_run_is_looked_at() {
    let code = EXIT.to_vec();
    let steps = steps(&code, &Known { goal: Goal::Exit(0), ..KNOWN }, None);
    each_value_is_looked_at(&steps, &rows(&steps), 3);
}

#[test]
#[ignore = "slow"]
fn each_value_of_a_run_is_looked_at() {
    let code = EXIT.to_vec();
    let steps = steps(&code, &Known { goal: Goal::Exit(0), ..KNOWN }, None);
    each_value_is_looked_at(&steps, &rows(&steps), 1);
    let (steps, honest) = honest();
    each_value_is_looked_at(&steps, &honest, 1);
    let steps = super::steps(&self::code(), &KNOWN, None);
    each_value_is_looked_at(&steps, &rows(&steps), 1);
}

/// Cheating provers are rejected between two parties, too, who do not look at what they prove before.
#[test]
#[ignore = "slow"]
fn cheating_provers_are_rejected_by_quicksilver() {
    let (steps, honest) = honest();
    let (prover, verifier) = session(&steps, witness(&honest));
    prover.expect("accepted");
    verifier.expect("accepted");
    for (what, rows, _) in lies(&steps, &honest) {
        let (prover, verifier) = session(&steps, witness(&rows));
        assert!(prover.is_err() && verifier.is_err(), "who {what}: {prover:?} and {verifier:?}");
    }
}
