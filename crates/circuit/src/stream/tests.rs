use super::*;
use crate::testing::assert_streamed;
use crate::{Backend, Cells, Clear, Count, Machine, OneOf, Polynomials, Put, Returned, Wires};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use proptest::prelude::*;
use recorder::tests::Plain;
use volery_channel::error::Error;
use volery_primitives::F61;

/// A step of a random circuit, on the wires that it has.
#[derive(Clone, Debug)]
enum Step {
    Add(usize, usize),
    Mul(usize, usize),
    Not(usize),
    Witness,
    Hint(usize),
    Linear(usize, usize),
    Polynomial(usize, usize, bool),
    Product(usize, usize),
    Assert(usize),
    /// Steps in a scope, of whose wires one is kept.
    Scope(Vec<Step>, usize),
    /// Steps on two arguments, twice.
    Function(Vec<Step>, [usize; 4], usize),
    /// Steps on two arguments, in each of three lanes.
    Map(Vec<Step>, [usize; 6], usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let wire = || any::<usize>();
    let leaf = prop_oneof![
        (wire(), wire()).prop_map(|(a, b)| Step::Add(a, b)),
        (wire(), wire()).prop_map(|(a, b)| Step::Mul(a, b)),
        wire().prop_map(Step::Not),
        Just(Step::Witness),
        wire().prop_map(Step::Hint),
        (wire(), wire()).prop_map(|(a, b)| Step::Linear(a, b)),
        (wire(), wire(), any::<bool>()).prop_map(|(a, b, twice)| Step::Polynomial(a, b, twice)),
        (wire(), wire()).prop_map(|(a, b)| Step::Product(a, b)),
        wire().prop_map(Step::Assert),
    ];
    let list = prop::collection::vec(leaf, 1..12);
    list.prop_recursive(4, 60, 8, move |inner| {
        let step = prop_oneof![
            (inner.clone(), any::<usize>()).prop_map(|(steps, kept)| Step::Scope(steps, kept)),
            (inner.clone(), any::<[usize; 4]>(), any::<usize>())
                .prop_map(|(steps, arguments, kept)| Step::Function(steps, arguments, kept)),
            (inner, any::<[usize; 6]>(), any::<usize>())
                .prop_map(|(steps, arguments, kept)| Step::Map(steps, arguments, kept)),
        ];
        prop::collection::vec(step, 1..4)
    })
}

/// A wire that a scope gives back.
struct One<W>(W);

impl<W: Copy> Wires<W> for One<W> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        take(self.0);
    }
}

/// A random circuit.
struct Random(Vec<Step>);

impl<B: Machine<F = F2>> Circuit<B> for Random {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut wires = vec![b.witness()?, b.witness()?];
        perform(b, &self.0, &mut wires)?;
        let last = wires[wires.len() - 1];
        b.assert_zero(last, format_args!("the last of {}", wires.len()))
    }
}

fn perform<B: Machine<F = F2>>(b: &mut B, steps: &[Step], wires: &mut Vec<B::Wire>) -> Result<()> {
    for (number, step) in steps.iter().enumerate() {
        let get = |at: usize| wires[at % wires.len()];
        let wire = match step {
            Step::Add(x, y) => {
                let (x, y) = (get(*x), get(*y));
                b.add(x, y)
            }
            Step::Mul(x, y) => {
                let (x, y) = (get(*x), get(*y));
                b.mul(x, y)?
            }
            Step::Not(x) => {
                let (x, one) = (get(*x), b.constant(F2::ONE));
                b.add(x, one)
            }
            Step::Witness => b.witness()?,
            Step::Hint(x) => {
                let x = get(*x);
                b.hints(&[x, x], 3, |x| vec![x[0], F2::ONE, x[1]])?[2]
            }
            Step::Linear(x, y) => {
                let (x, y) = (get(*x), get(*y));
                let sum = b.linear(&[F2::ONE, F2::ZERO, F2::ONE], &[x, y, y]);
                let rows = b.linear_rows(&[F2::ONE, F2::ONE], &[&[x, sum], &[y, x]]);
                b.scale(rows[1], F2::ONE)
            }
            Step::Polynomial(x, y, twice) => {
                let (x, y) = (get(*x), get(*y));
                let (v, ones) = (b.vector(&[x, y]), b.public(&[F2::ONE, F2::ZERO]));
                let square = b.product(&v, &v)?;
                let sum = b.sum(&square, &ones);
                let gathered = b.gather(&sum, &[Some(1), None, Some(0)]);
                let total = b.total(&gathered);
                let inner = b.inner_product(&[x, y], &[y, x])?;
                let difference = b.combination(&[(&v, &v)], &[(F2::ONE, &v)], F2::ZERO)?;
                if *twice {
                    b.assert_zeroes(difference.clone(), "squares of bits")?;
                }
                b.assert_zeroes(difference, "squares of bits again")?;
                let all = b.sum(&inner, &total);
                b.commit(&all)?[0]
            }
            Step::Product(x, y) => {
                let (x, y) = (get(*x), get(*y));
                let product = b.mul(x, y)?;
                b.assert_product(y, x, product, format_args!("a product in step {number}"))?;
                product
            }
            Step::Assert(x) => {
                let x = get(*x);
                let square = b.mul(x, x)?;
                let zero = b.add(square, x);
                b.assert_zero(zero, format_args!("a square in step {number}"))?;
                x
            }
            Step::Scope(steps, kept) => {
                let inside = b.scope(|b| {
                    let mut wires = wires.clone();
                    perform(b, steps, &mut wires)?;
                    Ok(One(wires[kept % wires.len()]))
                })?;
                inside.0
            }
            Step::Function(steps, arguments, kept) => {
                let key = format!("{steps:?} {kept}");
                let mut last = None;
                for pair in arguments.as_chunks::<2>().0 {
                    let arguments = pair.map(get);
                    let returned = b.call(key.as_bytes(), &arguments, |b, arguments| {
                        let mut wires = arguments.to_vec();
                        perform(b, steps, &mut wires)?;
                        let kept = wires[kept % wires.len()];
                        Ok(Returned { wires: vec![kept, kept], public: vec![5] })
                    })?;
                    assert_eq!(returned.public, [5]);
                    last = Some(returned.wires[1]);
                }
                last.expect("two calls")
            }
            Step::Map(steps, arguments, kept) => {
                let columns = arguments.map(get);
                let key = format!("{steps:?} {kept} map");
                let returned = b.map(key.as_bytes(), 3, &columns, |b, lane, arguments| {
                    let mut wires = arguments.to_vec();
                    perform(b, steps, &mut wires)?;
                    let kept = wires[kept % wires.len()];
                    let product = b.mul(arguments[0], arguments[1])?;
                    if steps.len() == 1 {
                        b.assert_zero(product, format_args!("lane {lane} in step {number}"))?;
                    }
                    Ok(Returned { wires: vec![kept, product], public: vec![7] })
                })?;
                assert_eq!((returned.wires.len(), returned.public), (6, vec![7]));
                returned.wires[kept % 6]
            }
        };
        wires.push(wire);
    }
    Ok(())
}

/// A map may look at memories and tables, which are then accessed lane by lane, and may be mapped itself.
#[test]
fn maps_access_memories_in_the_order_of_lanes() {
    struct Mapped;
    impl<B: Machine<F = F61>> Circuit<B> for Mapped {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut memory = b.memory(Cells::Zero(4), 1)?;
            let addresses = (0..4).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            for _ in 0..2 {
                let found = b.map(b"access", 4, &addresses, |b, _, address| {
                    let new = b.add(address[0], address[0]);
                    let wires = b.access(&mut memory, address, Put::Word(&[new]), &"a cell")?;
                    Ok(Returned { wires, public: vec![] })
                })?;
                let squares = b.map(b"outer", 2, &found.wires, |b, _, of| {
                    b.map(b"inner", 2, of, |b, _, of| {
                        let (square, input) = (b.mul(of[0], of[0])?, b.witness()?);
                        Ok(Returned { wires: vec![b.add(square, input)], public: vec![] })
                    })
                })?;
                for (lane, wire) in squares.wires.iter().enumerate() {
                    b.assert_zero(*wire, format_args!("square {lane}"))?;
                }
            }
            let none = b.map(b"none", 0, &[], |_, _, _| unreachable!("no lane"))?;
            assert!(none.wires.is_empty());
            Ok(())
        }
    }
    assert_streamed::<F61, _>(&Mapped);
    let elements = |witness: [u64; 12]| witness.map(|x| F61::from_word(x.into()).unwrap());
    let run = |witness, streamed| {
        let mut clear = Clear::new(elements(witness));
        let ran = if streamed { Streamed(&Mapped).run(&mut clear) } else { Mapped.run(&mut clear) };
        ran.and_then(|()| clear.finish()).map_err(|error| error.to_string())
    };
    // Cells hold twice their addresses the second time; lane 2 finds what lane 0 has put.
    let minus = |x: u64| (1 << 61) - 1 - x;
    let holds = [1, 2, 1, 3, 0, minus(4), 0, 0, minus(4), minus(4), minus(16), minus(36)];
    for streamed in [false, true] {
        run(holds, streamed).unwrap();
        let mut off = holds;
        off[5] += 1;
        assert!(run(off, streamed).unwrap_err().contains("square 2"));
    }
}

/// Ranges and permutations within a mapped function are counted in each lane.
#[test]
fn what_is_argued_is_counted_in_each_lane() {
    struct Ranges;
    impl<B: Machine<F = F61>> Circuit<B> for Ranges {
        fn run(&self, b: &mut B) -> Result<()> {
            let numbers = (0..100).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            b.map(b"range", 100, &numbers, |b, _, of| {
                b.assert_within(of, 8, &"a number")?;
                Ok(Returned::default())
            })?;
            b.assert_zero(numbers[0], "the first")
        }
    }
    assert_streamed::<F61, _>(&Ranges);
}

/// Results of a map take the places of its arguments within a function: those of one lane are no arguments of
/// the next.
#[test]
fn depths_of_lanes_do_not_add_up() {
    struct Mapped;
    impl Source<F2> for Mapped {
        fn record(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
            let pair = [b.witness()?, b.witness()?];
            let returned = b.call(b"outer", &pair, |b, of| {
                let squares = b.map(b"square", 2, of, |b, _, of| {
                    Ok(Returned { wires: vec![b.mul(of[0], of[0])?], public: vec![] })
                })?;
                let sum = b.add(of[0], squares.wires[0]);
                Ok(Returned { wires: vec![sum, squares.wires[1]], public: vec![] })
            })?;
            returned.wires.iter().try_for_each(|wire| b.assert_zero(*wire, "a result"))
        }
    }
    let shape = Shape::of(&Mapped).unwrap();
    assert_eq!((shape.mul, shape.depth), (2, 1));
    assert_eq!(Count::direct(&Streamed(&Mapped)).unwrap(), shape);
}

/// A map of so many lanes that its paths together are more than those of any call.
#[test]
fn depths_of_many_lanes_are_known() {
    const WIRES: usize = 200;
    const LANES: usize = 300;
    struct Mapped;
    impl Source<F2> for Mapped {
        fn record(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
            let wires = (0..WIRES * LANES).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let returned = b.map(b"products", LANES, &wires, |b, _, of| {
                let neighbours = of.iter().zip(&of[1..]).map(|(x, y)| b.mul(*x, *y));
                Ok(Returned { wires: neighbours.collect::<Result<_>>()?, public: vec![] })
            })?;
            b.assert_zero(returned.wires[0], "the first")
        }
    }
    let (shape, depth) = count(&Mapped, &Functions::default(), Parameters::default(), true).unwrap();
    assert_eq!((shape.mul, depth), (((WIRES - 1) * LANES) as u64, Some(1)));
}

/// A function of two squares is called twice by the next, and so on: each is counted once.
#[test]
fn functions_of_functions_are_multiplied() {
    fn nested(b: &mut Recorder<'_, F2>, level: u32, wire: Handle) -> Result<Handle> {
        let returned = b.call(&level.to_le_bytes(), &[wire], |b, of| {
            let made = match level {
                0 => b.mul(of[0], of[0])?,
                _ => {
                    let first = nested(b, level - 1, of[0])?;
                    nested(b, level - 1, first)?
                }
            };
            Ok(Returned { wires: vec![made], public: vec![] })
        })?;
        Ok(returned.wires[0])
    }
    struct Nested(u32);
    impl Source<F2> for Nested {
        fn record(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
            let wire = b.witness()?;
            let made = nested(b, self.0, wire)?;
            b.assert_zero(made, "all")
        }
    }
    for (levels, gates) in [(0, 1), (3, 8), (45, 1 << 45), (70, u64::MAX)] {
        let shape = Shape::of(&Nested(levels)).unwrap();
        assert_eq!((shape.mul, shape.depth, shape.witness, shape.assert), (gates, gates, 1, 1));
    }
}

/// Functions of a thousand wires have a million paths through each: their depths are known of few, unless it is
/// enough to go through them.
#[test]
fn paths_through_wide_functions_are_bounded() {
    const WIRES: usize = 1000;
    /// Wide functions: how many, and how often all of them are called, one behind the other.
    struct Wide(u32, u32);
    impl Wide {
        fn all(&self, b: &mut Recorder<'_, F2>, wire: Handle) -> Result<Returned<Handle>> {
            let mut wires = vec![wire; WIRES];
            for function in 0..self.0 {
                let returned = b.call(&function.to_le_bytes(), &wires, |b, of| {
                    let squares = of.iter().map(|wire| b.mul(*wire, *wire)).collect::<Result<_>>()?;
                    Ok(Returned { wires: squares, public: vec![] })
                })?;
                wires = returned.wires;
            }
            Ok(Returned { wires: vec![wires[0]], public: vec![] })
        }
    }
    impl Source<F2> for Wide {
        fn record(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
            let mut wire = b.witness()?;
            for _ in 0..self.1 {
                wire = b.call(b"all", &[wire], |b, of| self.all(b, of[0]))?.wires[0];
            }
            b.assert_zero(wire, "the first")
        }
    }
    for (functions, calls, known) in [(1, 1, true), (100, 1, true), (2, 2, true), (100, 2, false)] {
        let wide = Wide(functions, calls);
        let (shape, depth) = count(&wide, &Functions::default(), Parameters::default(), true).unwrap();
        let through = u64::from(functions * calls);
        assert_eq!(shape.mul, through * WIRES as u64);
        assert_eq!(depth, known.then_some(through), "{functions} functions, {calls} calls");
        // It is counted gate by gate where it is not known of functions.
        assert_eq!(Shape::of(&wide).unwrap().depth, through);
    }
}

proptest! {
    #[test]
    fn random_circuits_are_streamed_gate_by_gate(steps in steps(), seed: u64) {
        let circuit = Random(steps);
        let (shape, direct) = Count::fingerprint(&circuit).unwrap();
        let stream = Stream::new(&circuit);
        for _ in 0..2 {
            prop_assert_eq!(Count::fingerprint(&stream).unwrap(), (shape, direct));
            prop_assert_eq!(stream.count().unwrap(), Shape { depth: 0, ..shape });
            prop_assert_eq!(Shape::of(&circuit).unwrap(), shape);
        }
        // And so as one of several clauses, where assertions are collected.
        let clauses = Copies(&circuit);
        let by_clauses = Count::fingerprint(&OneOf(&clauses)).unwrap();
        prop_assert_eq!(Count::fingerprint(&Streamed(&OneOf(&clauses))).unwrap(), by_clauses);
        // A branch knows gates alone, whatever collects what the stream of a clause asserts there.
        let collected = gates_of(&OneOf(StreamedClauses(&clauses)));
        prop_assert_eq!(collected, gates_of(&Streamed(&OneOf(&clauses))));
        let alone = clauses::fingerprint(&clauses).unwrap();
        prop_assert_eq!(clauses::fingerprint(&StreamedClauses(&clauses)).unwrap(), alone);

        let bits = |count: u64| (0..count).map(move |i| F2::low_bit((seed >> (i % 64)).into()));
        let run = |circuit: &dyn Fn(&mut Clear<F2>) -> Result<()>| {
            let mut clear = Clear::new(bits(shape.witness));
            circuit(&mut clear).and_then(|()| clear.finish()).map_err(|error| error.to_string())
        };
        prop_assert_eq!(
            run(&|clear| Streamed(&circuit).run(clear)),
            run(&|clear| circuit.run(clear))
        );
    }
}

/// The fingerprint of a circuit by a backend that knows gates alone.
fn gates_of(circuit: &impl Circuit<Plain<Count<F2>>>) -> (Shape, Option<[u8; 32]>) {
    let mut plain = Plain(Count::begun(true));
    circuit.run(&mut plain).unwrap();
    plain.0.ended()
}

/// Two clauses, both the same circuit.
struct Copies<'c>(&'c Random);

impl Alternatives for Copies<'_> {
    fn count(&self) -> usize {
        2
    }
}

impl<B: Machine<F = F2>> Clauses<B> for Copies<'_> {
    fn run(&self, _: usize, branch: &mut Branch<'_, B>) -> Result<()> {
        self.0.run(branch)
    }
}

/// Keeps the sizes of blocks.
#[derive(Default)]
struct Sizes {
    records: usize,
    slots: u32,
    vectors: u32,
    failing: bool,
}

impl Execute<F2> for Sizes {
    fn argues(&self) -> Argues {
        Argues::EVERYTHING
    }

    fn execute(&mut self, block: &Block<F2>, _: &[F2]) -> Result<()> {
        self.records += block.records.len();
        self.slots = self.slots.max(block.slots);
        self.vectors = self.vectors.max(block.vectors);
        if self.failing { Err(Error::invalid("no more")) } else { Ok(()) }
    }
}

#[test]
fn what_ends_gives_its_slots_again() {
    let mut sizes = Sizes::default();
    let functions = Functions::default();
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let mut sum = recorder.constant(F2::ZERO);
    for _ in 0..10_000 {
        let next = recorder
            .scope(|b| {
                let mut word = [Handle::default(); 8];
                b.witnesses(&mut word)?;
                let vector = Polynomials::vector(b, &word[..1]);
                b.assert_zeroes(vector, "a bit")?;
                Ok(One(b.add(word[0], sum)))
            })
            .unwrap();
        recorder.forget(&[sum]);
        sum = next.0;
    }
    recorder.finish(Ok(())).unwrap();
    assert!(sizes.records > 30_000 && sizes.slots < 30 && sizes.vectors < 4, "{} slots", sizes.slots);
}

/// A vector that lives for many blocks, and sums of many terms; what comes out has to be `last`.
struct Long {
    last: F61,
    panics: bool,
}

impl Source<F61> for Long {
    fn record(&self, b: &mut Recorder<'_, F61>) -> Result<()> {
        let mut wires = vec![Handle::default(); 2000];
        b.witnesses(&mut wires)?;
        let vector = Polynomials::vector(b, &wires[..3]);
        for round in 0..20 {
            for wire in &mut wires {
                *wire = b.scale(*wire, F61::new(2));
            }
            assert!(!(self.panics && round == 19), "recording ends");
        }
        let sum = b.linear(&vec![F61::ONE; 2000], &wires);
        let last = b.constant(-self.last);
        let difference = b.add(sum, last);
        b.assert_zero(difference, "the sum")?;
        let square = Polynomials::product(b, &vector, &vector)?;
        let minus = b.constant(-F61::ONE);
        let minus = Polynomials::vector(b, &[minus; 3]);
        let zero = Polynomials::sum(b, &square, &minus);
        b.assert_zeroes(zero, "the squares")
    }
}

/// Blocks that another thread has recorded are those that one thread records; errors and panics end both.
#[test]
fn statements_are_recorded_ahead() {
    let run = |last: u64, panics: bool, apart: bool| {
        let (long, functions) = (Long { last: F61::new(last), panics }, Functions::default());
        let mut clear = Clear::new(vec![F61::ONE; 2000]);
        let mut interpreter = Interpreter::new(&mut clear, &long);
        if apart {
            return ahead::execute(&long, &functions, &mut interpreter);
        }
        let mut recorder = Recorder::new(&mut interpreter, &functions);
        let recorded = long.record(&mut recorder);
        recorder.finish(recorded)
    };
    let text = |result: Result<()>| result.map_err(|why| why.to_string());
    for last in [2000 << 20, 7] {
        assert_eq!(text(run(last, false, true)), text(run(last, false, false)));
    }
    let panicked = std::panic::catch_unwind(|| run(1, true, true));
    assert!(panicked.is_err());
}

/// A long chain of sums, of which a function needs two slots and its arguments'.
#[test]
fn functions_take_few_slots() {
    let mut sizes = Sizes::default();
    let functions = Functions::default();
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let x = recorder.witness().unwrap();
    let chain = |b: &mut Recorder<'_, F2>, arguments: &[Handle]| {
        let last = (0..1000).fold(arguments[0], |last, _| b.add(last, arguments[0]));
        Ok(Returned { wires: vec![last], public: vec![] })
    };
    recorder.call(b"chain", &[x], chain).unwrap();
    recorder.call(b"chain", &[x], |_, _| panic!("it is known")).unwrap();
    recorder.finish(Ok(())).unwrap();
    assert_eq!((sizes.records, sizes.slots), (3, 3));
}

#[test]
#[should_panic(expected = "whose scope has ended")]
fn a_wire_ends_with_its_scope() {
    let mut sizes = Sizes::default();
    let functions = Functions::default();
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let mut outside = None;
    recorder
        .scope(|b| {
            outside = Some(b.witness()?);
            Ok(())
        })
        .unwrap();
    let other = recorder.witness().unwrap();
    recorder.add(other, outside.unwrap());
}

#[test]
#[should_panic(expected = "not of this function")]
fn a_function_takes_its_arguments_alone() {
    let mut sizes = Sizes::default();
    let functions = Functions::default();
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let (x, y) = (recorder.witness().unwrap(), recorder.witness().unwrap());
    let _ = recorder.call(b"f", &[x], |b, arguments| {
        Ok(Returned { wires: vec![b.add(arguments[0], y)], public: vec![] })
    });
}

/// An error of whoever executes is told once, whether the statement goes on or not, and nothing
/// is executed after it.
#[test]
fn errors_end_a_recording() {
    let mut sizes = Sizes { failing: true, ..Sizes::default() };
    let functions = Functions::default();
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let x = recorder.witness().unwrap();
    for _ in 0..5000 {
        let _ = recorder.add(x, x);
    }
    assert!(recorder.mul(x, x).map(drop).unwrap_err().to_string().contains("no more"));
    assert!(recorder.mul(x, x).map(drop).unwrap_err().to_string().contains("an error before"));
    for _ in 0..5000 {
        let _ = recorder.add(x, x);
    }
    assert!(recorder.finish(Ok(())).unwrap_err().to_string().contains("an error before"));
    assert_eq!(sizes.records, 4096);
}

/// The name of an assertion in a function is that of the call which fails.
struct Named;

impl<B: Backend<F = F2>> Circuit<B> for Named {
    fn run(&self, b: &mut B) -> Result<()> {
        for i in 0..5000 {
            let x = b.witness()?;
            b.call(b"zero", &[x], |b, arguments| {
                b.assert_zero(arguments[0], format_args!("bit {i}"))?;
                Ok(Returned::default())
            })?;
        }
        Ok(())
    }
}

#[test]
fn names_are_those_of_the_assertion_that_fails() {
    for wrong in [0, 1, 4095, 4999] {
        let bits = (0..5000).map(|i| F2::from(i == wrong));
        let error = Streamed(&Named).run(&mut Clear::new(bits)).unwrap_err().to_string();
        assert!(error.contains(&format!(": bit {wrong} ")), "{error}");
    }
}

/// Once a function is known, its calls before the assertion that fails are passed by: one is gone through.
#[test]
fn names_are_found_without_the_calls_before() {
    struct Mapped(Arc<Functions<F2>>, AtomicUsize);

    impl Source<F2> for Mapped {
        fn record(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
            let bits = (0..1000).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let found = b.map(b"outer", 1000, &bits, |b, lane, of| {
                self.1.fetch_add(1, Relaxed);
                let inner = b.call(b"inner", of, |b, of| {
                    b.assert_zero(of[0], format_args!("inner {lane}"))?;
                    Ok(Returned { wires: vec![b.mul(of[0], of[0])?], public: vec![] })
                })?;
                b.assert_zero(inner.wires[0], format_args!("outer {lane}"))?;
                Ok(inner)
            })?;
            let sum = b.add(bits[0], found.wires[999]);
            let one = b.constant(F2::ONE);
            let other = b.add(sum, one);
            b.assert_zero(other, "behind")
        }
        fn functions(&self) -> Option<Arc<Functions<F2>>> {
            Some(self.0.clone())
        }
    }

    for (wrong, name) in
        [(0, "inner 0"), (1, "inner 1"), (700, "inner 700"), (999, "inner 999"), (1000, "behind")]
    {
        let mapped = Mapped(Arc::default(), AtomicUsize::new(0));
        let mut clear = Clear::new((0..1000).map(|i| F2::from(i == wrong)));
        let error = Streamed(&mapped).run(&mut clear).unwrap_err().to_string();
        assert!(error.contains(&format!(": {name} ")), "{error}");
        assert_eq!(mapped.1.into_inner(), if wrong < 1000 { 2 } else { 1 });
    }
}

/// A state that a function gives back as it came, and that is replaced each time.
struct Replaced;

impl<B: Backend<F = F2>> Circuit<B> for Replaced {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut state = vec![b.witness()?, b.witness()?];
        for i in 0..100 {
            let next = b.call(b"swap", &state, |b, state| {
                // What is left behind in a function, and forgotten there, is nobody else's.
                let sum = b.scope(|b| Ok(One(b.add(state[0], state[1]))))?.0;
                b.forget(&[sum]);
                Ok(Returned { wires: vec![state[1], state[0]], public: vec![] })
            })?;
            b.forget(&state);
            state = next.wires;
            b.assert_zero(state[0], format_args!("state {i}"))?;
        }
        Ok(())
    }
}

#[test]
fn a_state_that_is_replaced_is_named() {
    assert_streamed::<F2, _>(&Replaced);
    for (witness, wrong) in [([1, 0], 1), ([0, 1], 0)] {
        let bits = witness.map(|bit| F2::from(bit == 1));
        let direct = Replaced.run(&mut Clear::new(bits)).unwrap_err().to_string();
        let streamed = Streamed(&Replaced).run(&mut Clear::new(bits)).unwrap_err().to_string();
        assert_eq!((streamed.contains(&format!("state {wrong}")), &streamed), (true, &direct));
    }
}

/// A body that ends early, because of an error that it swallows, is not kept for others.
#[test]
fn what_an_error_cut_short_is_not_kept() {
    let functions = Functions::default();
    let mut sizes = Sizes { failing: true, ..Sizes::default() };
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let x = recorder.witness().unwrap();
    (0..4096).for_each(|_| x_plus(&mut recorder, x));
    let body = |b: &mut Recorder<'_, F2>, arguments: &[Handle]| {
        let _ = b.mul(arguments[0], arguments[0]);
        Ok(Returned::default())
    };
    assert!(recorder.call(b"f", &[x], body).is_err());
    drop(recorder);
    let mut sizes = Sizes::default();
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let x = recorder.witness().unwrap();
    let mut pushed = false;
    recorder
        .call(b"f", &[x], |_, _| {
            pushed = true;
            Ok(Returned::default())
        })
        .unwrap();
    assert!(pushed, "it is new");
}

fn x_plus(recorder: &mut Recorder<'_, F2>, x: Handle) {
    let _ = recorder.add(x, x);
}

#[test]
#[should_panic(expected = "whose scope has ended")]
fn a_handle_of_nothing_is_no_wire() {
    let functions = Functions::default();
    let mut sizes = Sizes::default();
    let mut recorder = Recorder::new(&mut sizes, &functions);
    let x = recorder.witness().unwrap();
    recorder.add(x, Handle::default());
}
