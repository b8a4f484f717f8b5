use super::*;
use crate::accounting::Parameters;
use crate::stream::{Recorder, Source, Stream, Streamed};
use crate::{Branch, Circuit, Clear, Count, Rows, Shape, Tables};
use volery_primitives::{F2, F61, F256, F65537, Field};

/// A program of accesses with what a plain array says of them.
struct Trace<F> {
    cells: usize,
    width: usize,
    /// Address, kind (0 to 3), and the word to put.
    steps: Vec<(usize, u8, Vec<F>)>,
    start: Start,
    closes: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Start {
    Zero,
    Public,
    Wires,
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

fn element<F: Field>(state: &mut u64) -> F {
    F::from_word(u128::from(next(state)) & ((1 << F::BITS.min(14)) - 1)).unwrap()
}

impl<F: Field> Trace<F> {
    fn random(state: &mut u64, [cells, width, steps]: [usize; 3], start: Start, closes: bool) -> Self {
        let step = |_| {
            let address = next(state) as usize % cells;
            let kind = (next(state) % 4) as u8;
            (address, kind, (0..width).map(|_| element(state)).collect())
        };
        Self { cells, width, steps: (0..steps).map(step).collect(), start, closes }
    }

    fn first(&self) -> Vec<F> {
        let mut state = 5;
        let word = |_| if self.start == Start::Zero { F::ZERO } else { element(&mut state) };
        (0..self.cells * self.width).map(word).collect()
    }

    /// The words that the accesses read.
    fn reads(&self) -> Vec<Vec<F>> {
        let mut words = self.first();
        let read = |(address, kind, word): &(usize, u8, Vec<F>)| {
            let cell = &mut words[address * self.width..][..self.width];
            let read = cell.to_vec();
            if matches!(kind, 1 | 2) {
                cell.copy_from_slice(word);
            }
            read
        };
        self.steps.iter().map(read).collect()
    }
}

fn address<B: Backend>(b: &mut B, number: usize, cells: usize) -> Result<Vec<B::Wire>> {
    // Wires that depend on the witness, whose first element is zero.
    let zero = b.hint(&[], |_| B::F::ZERO)?;
    let values: Vec<B::F> = match address_width::<B::F>(cells) {
        _ if !is_binary::<B::F>() => vec![B::F::from_word(number as u128).unwrap()],
        bits => (0..bits).map(|bit| if number >> bit & 1 == 1 { B::F::ONE } else { B::F::ZERO }).collect(),
    };
    let wires = values.into_iter().map(|value| {
        let value = b.constant(value);
        b.add(zero, value)
    });
    Ok(wires.collect())
}

impl<B: Memories> Circuit<B> for Trace<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let first = self.first();
        let wires: Vec<B::Wire> = first.iter().map(|value| b.constant(*value)).collect();
        let cells = match self.start {
            Start::Zero => Cells::Zero(self.cells),
            Start::Public => Cells::Public(&first),
            Start::Wires => Cells::Wires(&wires),
        };
        let mut memory = b.memory(cells, self.width)?;
        for ((number, kind, word), read) in self.steps.iter().zip(self.reads()) {
            let address = address(b, *number, self.cells)?;
            let word: Vec<B::Wire> = word.iter().map(|value| b.constant(*value)).collect();
            let bit = b.constant(if *kind == 2 { B::F::ONE } else { B::F::ZERO });
            let put = match kind {
                0 => Put::Same,
                1 => Put::Word(&word),
                _ => Put::Where(bit, &word),
            };
            let got = b.access(&mut memory, &address, put, &"an address")?;
            for (got, expected) in got.iter().zip(&read) {
                let minus = b.constant(-*expected);
                let difference = b.add(*got, minus);
                b.assert_zero(difference, "what is read")?;
            }
        }
        if self.closes { b.close(memory) } else { Ok(()) }
    }
}

fn agrees<F: Field>() {
    let mut state = F::BITS.into();
    let mut sizes = vec![[1, 1, 3], [2, 3, 9], [5, 1, 30], [16, 4, 40], [19, 2, 25]];
    sizes.push([33, if F::BITS == 1 { 32 } else { 1 }, 20]);
    for (i, sizes) in sizes.into_iter().enumerate() {
        let start = [Start::Zero, Start::Public, Start::Wires][i % 3];
        let trace = Trace::<F>::random(&mut state, sizes, start, i % 2 == 0);
        let streamed = Streamed(&trace);
        let mut clear = Clear::new([]);
        streamed.run(&mut clear).unwrap();
        clear.finish().unwrap();
        // All cells looked at, whose hints are kept, are as many as counted.
        let (shape, gates) = Count::fingerprint_by(Parameters::SHORT, &streamed).unwrap();
        let inputs = Clear::inputs(&streamed, [], shape.inputs_by_gates() as usize).unwrap();
        assert_eq!(inputs.len() as u64, shape.inputs_by_gates(), "{sizes:?}");
        assert!(shape.argued.tuples > 0);
        // Closed or left open, it has one name.
        assert_eq!(gates, Count::fingerprint(&trace).unwrap().1);
        let of_stream = Stream::new(&trace).count_by(Parameters::SHORT).unwrap();
        assert_eq!(Shape { depth: 0, ..shape }, of_stream, "{sizes:?}");
    }
}

#[test]
fn memories_are_arrays_over_every_kind_of_field() {
    agrees::<F2>();
    agrees::<F256>();
    agrees::<F61>();
    agrees::<F65537>();
}

/// One access, by looking at all cells.
struct Looked {
    cells: usize,
    width: usize,
    kind: u8,
}

impl<B: Backend> Circuit<B> for Looked {
    fn run(&self, b: &mut B) -> Result<()> {
        let zero = b.constant(B::F::ZERO);
        let mut memory = Scanned::new(b, Cells::Zero(self.cells), self.width)?;
        let word = vec![zero; self.width];
        let put = match self.kind {
            0 => Put::Same,
            1 => Put::Word(&word),
            _ => Put::Where(zero, &word),
        };
        let address = vec![zero; address_width::<B::F>(self.cells)];
        memory.access(b, &address, put, &"address").map(drop)
    }
}

fn costs<F: Field>() {
    for cells in 1..40 {
        for width in [1, 3] {
            for kind in 0..3 {
                let shape = Count::<F>::direct(&Looked { cells, width, kind }).unwrap();
                let put = [Put::Same, Put::Word(&[][..]), Put::Where((), &[][..])][kind as usize];
                let cost = access_cost::<F>(Sizes { cells, width }, put);
                let found = [shape.inputs, shape.mul, shape.assert];
                assert_eq!(found, [cost.inputs, cost.mul, cost.assert + 1], "{cells} {width} {kind}");
            }
        }
    }
}

#[test]
fn looking_at_all_cells_costs_what_is_counted() {
    costs::<F2>();
    costs::<F61>();
}

/// A statement as a function.
struct Of<S>(S);

impl<F: Field, S> Circuit<Recorder<'_, F>> for Of<S>
where
    S: for<'r> Fn(&mut Recorder<'r, F>) -> Result<()> + Sync,
{
    fn run(&self, b: &mut Recorder<'_, F>) -> Result<()> {
        (self.0)(b)
    }
}

fn clear<F: Field>(statement: impl for<'r> Fn(&mut Recorder<'r, F>) -> Result<()> + Sync) -> Result<()> {
    let statement = Of(statement);
    let mut clear = Clear::new([]);
    Streamed::<F>(&statement).run(&mut clear)
}

#[test]
fn addresses_outside_fail_by_their_name() {
    for number in [5, 6, 7] {
        let outside = clear::<F2>(|b| {
            let mut memory = b.memory(Cells::Zero(5), 1)?;
            let four = address(b, 4, 5)?;
            b.access(&mut memory, &four, Put::Same, &"inside")?;
            let address = address(b, number, 5)?;
            b.access(&mut memory, &address, Put::Same, &format_args!("place {number}")).map(drop)
        });
        let Err(Error::Unsatisfied(name)) = outside else { panic!("{outside:?}") };
        assert_eq!(name, format!("place {number}"));
    }
    // Not even where it wraps around.
    for number in [5, F61::BITS as u128, (-F61::ONE).to_word()] {
        let outside = clear::<F61>(move |b| {
            let mut memory = b.memory(Cells::Zero(5), 1)?;
            let at = b.constant(F61::from_word(number).unwrap());
            b.access(&mut memory, &[at], Put::Same, &"place").map(drop)
        });
        assert!(matches!(outside, Err(Error::Unsatisfied(name)) if name == "place"));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |outcome: Result<()>, why: &str| {
        let Err(Error::Invalid(message)) = outcome else { panic!("{outcome:?}") };
        assert!(message.to_string().contains(why), "{message}");
    };
    refused(clear::<F61>(|b| b.memory(Cells::Zero(0), 1).map(drop)), "without cells");
    refused(clear::<F61>(|b| b.memory(Cells::Public(&[F61::ONE; 3]), 2).map(drop)), "whole words");
    refused(clear::<F65537>(|b| b.memory(Cells::Zero(65538), 1).map(drop)), "last address is 65536");
    let word = clear::<F61>(|b| {
        let mut memory = b.memory(Cells::Zero(4), 2)?;
        let wire = b.constant(F61::ONE);
        b.access(&mut memory, &[wire], Put::Word(&[wire]), &"a").map(drop)
    });
    refused(word, "a word of 1");
    let address = clear::<F2>(|b| {
        let mut memory = b.memory(Cells::Zero(4), 2)?;
        let wire = b.constant(F2::ONE);
        b.access(&mut memory, &[wire], Put::Same, &"a").map(drop)
    });
    refused(address, "it takes 2");
    let inside = clear::<F61>(|b| {
        let one = b.constant(F61::ONE);
        b.call(b"f", &[one], |b, _| {
            b.memory(Cells::Zero(4), 1)?;
            Ok(crate::Returned { wires: vec![], public: vec![] })
        })
        .map(drop)
    });
    refused(inside, "within a function");
    let table = |key| {
        clear::<F61>(move |b| {
            let twice = [1, 2, 1].map(|key| F61::from_word(key).unwrap());
            b.table(Rows { key, value: 0, entries: &twice }).map(drop)
        })
    };
    refused(table(1), "same key");
    refused(table(2), "in rows of");
    refused(clear::<F2>(|b| b.assert_within(&[], 1, &"range")), "a range of 1 bits");
    refused(clear::<F61>(|b| b.assert_within(&[], 61, &"range")), "1 to 60");
}

/// Squares, looked up inside a function and outside.
fn squares<B: Tables>(b: &mut B, of: u128) -> Result<()> {
    let entries: Vec<B::F> =
        (0..6u128).flat_map(|key| [key, key * key]).map(|word| B::F::from_word(word).unwrap()).collect();
    let mut table = b.table(Rows { key: 1, value: 1, entries: &entries })?;
    let zero = b.hint(&[], |_| B::F::ZERO)?;
    let of = b.constant(B::F::from_word(of).unwrap());
    let key = b.add(zero, of);
    let twice = b.call(b"squares", &[key], |b, key| {
        let wires = b.look_up(&mut table, key, &"a number below six")?;
        Ok(crate::Returned { wires, public: vec![] })
    })?;
    let square = b.mul(key, key)?;
    let minus = b.scale(twice.wires[0], -B::F::ONE);
    let difference = b.add(square, minus);
    b.assert_zero(difference, "the square")?;
    b.assert_within(&[key, square], 5, &"below 32")
}

#[test]
fn tables_hold_what_they_say() {
    for of in 0..8 {
        let outcome = clear::<F61>(move |b| squares(b, of));
        match of {
            0..6 => outcome.unwrap(),
            _ => assert!(matches!(outcome, Err(Error::Unsatisfied(name)) if name == "a number below six")),
        }
    }
    // The same where all rows are looked at, and counted alike.
    let statement = Of(|b: &mut Recorder<'_, F61>| squares(b, 5));
    let streamed = Streamed(&statement);
    let (shape, _) = Count::<F61>::fingerprint_by(Parameters::SHORT, &streamed).unwrap();
    let of_stream = Stream::new(&statement).count_by(Parameters::SHORT).unwrap();
    assert_eq!(Shape { depth: 0, ..shape }, of_stream);
    let inputs = Clear::inputs(&streamed, [], shape.inputs_by_gates() as usize).unwrap();
    assert_eq!(inputs.len() as u64, shape.inputs_by_gates());
    let below = clear::<F61>(|b| {
        let number = b.constant(F61::from_word(32).unwrap());
        b.assert_within(&[number], 5, &"below 32")
    });
    assert!(matches!(below, Err(Error::Unsatisfied(name)) if name == "below 32"));
}

/// A memory of three cells that is accessed in functions, in all ways, by rows and within another function,
/// and a table: behind them another of each, by the same keys.
struct Inside;

impl Inside {
    fn run<B: Memories + Tables>(b: &mut B) -> Result<()> {
        let element = |number: u128| B::F::from_word(number).unwrap();
        for turn in 0..2 {
            let entries: Vec<B::F> = (0..4).flat_map(|key| [key, 10 * turn + key]).map(element).collect();
            let mut table = b.table(Rows { key: 1, value: 1, entries: &entries })?;
            let mut memory = b.memory(Cells::Zero(3), 1)?;
            for access in 0..40 {
                let wires = [access % 3, 10 * turn + access % 4, access % 2];
                let wires = wires.map(|number| b.constant(element(number)));
                let key = [b"access", &[(access % 5) as u8][..]].concat();
                let found =
                    b.call(&key, &wires, |b, of| Self::access(b, (&mut memory, &mut table), access, of))?;
                let expected = Self::expected(turn, access).map(|number| b.constant(-element(number)));
                for (found, expected) in found.wires.iter().zip(expected) {
                    let difference = b.add(*found, expected);
                    b.assert_zero(difference, "what was found")?;
                }
            }
            b.close(memory)?;
        }
        Ok(())
    }

    fn access<B: Memories + Tables>(
        b: &mut B,
        (memory, table): (&mut B::Memory, &mut B::Table),
        access: u128,
        of: &[B::Wire],
    ) -> Result<crate::Returned<B::Wire>> {
        let (address, word, bit) = (&of[..1], &of[1..2], of[2]);
        let name = format_args!("access {access}");
        let before = match access % 5 {
            0 => b.access(memory, address, Put::Same, &name)?,
            1 => b.access(memory, address, Put::Word(word), &name)?,
            2 => b.access(memory, address, Put::Where(bit, word), &name)?,
            3 => {
                let ports = [Accesses { address, put: Some(&[word]) }, Accesses { address, put: None }];
                b.access_rows(memory, &ports, &name)?.concat()[..1].to_vec()
            }
            _ => {
                let inner = b.call(b"inner", address, |b, address| {
                    let wires = b.access(memory, address, Put::Same, &name)?;
                    Ok(crate::Returned { wires, public: vec![] })
                })?;
                inner.wires
            }
        };
        let key = b.constant(B::F::from_word(access % 5 % 4).unwrap());
        let mut wires = before;
        wires.extend(b.look_up(table, &[key], &"a number below four")?);
        Ok(crate::Returned { wires, public: vec![] })
    }

    /// The word that an access finds, and the table's value.
    fn expected(turn: u128, access: u128) -> [u128; 2] {
        let mut cells = [0; 3];
        for before in 0..access {
            let puts = matches!((before % 5, before % 2), (1 | 3, _) | (2, 1));
            cells[before as usize % 3] =
                if puts { 10 * turn + before % 4 } else { cells[before as usize % 3] };
        }
        [cells[access as usize % 3], 10 * turn + access % 5 % 4]
    }
}

impl Source<F61> for Inside {
    fn record(&self, recorder: &mut Recorder<'_, F61>) -> Result<()> {
        Self::run(recorder)
    }
}

/// Functions that access memories do what the same gates do outside of them, whichever memory it is, and are
/// counted as these.
#[test]
fn functions_access_memories() {
    let streamed = Streamed(&Inside);
    let (shape, _) = Count::<F61>::fingerprint_by(Parameters::SHORT, &streamed).unwrap();
    let of_stream = Stream::new(&Inside).count_by(Parameters::SHORT).unwrap();
    assert_eq!(Shape { depth: 0, ..shape }, of_stream);
    assert_eq!(shape.assert, 2 * (40 + 8 + 40 + 2 * 40));
    clear::<F61>(|b| Inside::run(b)).unwrap();
    Inside::run(&mut Clear::<F61>::new([])).unwrap();
    Clear::inputs(&streamed, [], shape.inputs_by_gates() as usize).unwrap();
    // What is wrong is found by its name.
    struct Outside;
    impl Source<F61> for Outside {
        fn record(&self, b: &mut Recorder<'_, F61>) -> Result<()> {
            let mut memory = b.memory(Cells::Zero(3), 1)?;
            for access in 0..5u128 {
                let address = b.constant(F61::from_word(access).unwrap());
                b.call(b"access", &[address], |b, address| {
                    let wires =
                        b.access(&mut memory, address, Put::Same, &format_args!("access {access}"))?;
                    Ok(crate::Returned { wires, public: vec![] })
                })?;
            }
            Ok(())
        }
    }
    let failed = Clear::inputs(&Streamed(&Outside), [], 1 << 10).unwrap_err();
    assert!(matches!(failed, Error::Unsatisfied(name) if name == "access 3"));
    // What a clause's memory holds are wires, of which a function has none but its own.
    let mut clear = Clear::<F61>::new([]);
    let mut branch = Branch::collecting(&mut clear);
    let mut memory = branch.memory(Cells::Zero(3), 1).unwrap();
    let address = branch.constant(F61::ONE);
    let inside = branch.call(b"f", &[address], |b, of| {
        let wires = b.access(&mut memory, of, Put::Same, &"a")?;
        Ok(crate::Returned { wires, public: vec![] })
    });
    assert!(inside.map(drop).unwrap_err().to_string().contains("within a function"));
}

/// A clause's memory is looked at cell by cell, and its assertions are the clause's.
#[test]
fn clauses_collect_what_memories_assert() {
    for (number, expected) in [(4, F2::ZERO), (5, F2::ONE)] {
        let mut clear = Clear::<F2>::new([]);
        let mut branch = Branch::collecting(&mut clear);
        let mut memory = branch.memory(Cells::Zero(5), 2).unwrap();
        let address = address(&mut branch, number, 5).unwrap();
        branch.access(&mut memory, &address, Put::Same, &"address").unwrap();
        assert_eq!(branch.finish().unwrap(), Some(expected));
    }
}
