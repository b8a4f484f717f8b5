//! Statements at random: maps between gates, inputs, asserted products, polynomials, matrices and memories, over shares
//! whose ends speak at each block, and hear late.

use crate::prover::{Commitments, Prover};
use crate::verifier;
use std::time::Duration;
use volery_channel::channel::{Channel, Party, Tape, pipe, side_by_side};
use volery_channel::error::{Error, Result};
use volery_channel::pool::{Pool, Task};
use volery_channel::random::Random;
use volery_circuit::stream::{Source, Streamed};
use volery_circuit::{Backend, Cells, Circuit, Entries, Matrix, Memories, Polynomials, Put, Returned};
use volery_primitives::{Arch, F2, F61, F61x2, F64, F65537, F65537x4, Field, MacField};
use volery_proof::verdict::Gates;
use volery_vole::macs::{BitMacs, FieldMacs};
use volery_vole::vole::{BoxedVole, Delta, Early, Rows, Share, Shares, Vole, ideal, subfield};

/// A choice below `count`.
fn below(random: &mut Random, count: usize) -> usize {
    (random.word().0 % count as u128) as usize
}

fn one_of<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[below(random, of.len())]
}

/// A part of a statement.
#[derive(Clone, Debug)]
enum Part {
    Products(usize),
    Inputs(usize),
    Map {
        lanes: usize,
        rounds: usize,
        kind: Kind,
    },
    Asserted(usize),
    Polynomials(usize),
    /// Polynomials alone, in a map.
    Vectorized(usize),
    Matrix,
    Memory(usize),
}

/// The commitments of a round of a map: inputs, products, both with hints, or inputs in polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Inputs,
    Products,
    All,
    Polynomials,
}

#[derive(Clone, Debug)]
struct Statement(Vec<Part>);

impl Statement {
    fn random(random: &mut Random) -> Self {
        let part = |random: &mut Random| match below(random, 13) {
            0 => Part::Products(1 + below(random, 400)),
            1 => Part::Inputs(1 + below(random, 300)),
            2 => Part::Asserted(1 + below(random, 80)),
            3 => Part::Polynomials(1 + below(random, 60)),
            4 => Part::Matrix,
            5 => Part::Memory(1 + below(random, 5)),
            6 => Part::Vectorized(one_of(random, &[1, 2, 60, 511, 512, 700])),
            _ => Part::Map {
                lanes: one_of(random, &[2, 3, 7, 8, 9, 16, 17, 33, 64, 65, 100, 129, 200, 300]),
                rounds: 1 + below(random, 30),
                kind: one_of(random, &[Kind::Inputs, Kind::Products, Kind::All, Kind::Polynomials]),
            },
        };
        Self((0..1 + below(random, 9)).map(|_| part(random)).collect())
    }

    fn witness<F: Field>(&self, random: &mut Random) -> Vec<F> {
        let mut values = |count: usize| -> Vec<F> {
            (0..count).map(|_| F::from_integer((random.word().0 as u64 & 1).into()).expect("a bit")).collect()
        };
        let mut witness = values(2);
        for part in &self.0 {
            match part {
                Part::Inputs(count) => witness.extend(values(*count)),
                Part::Map { lanes, rounds, kind } => {
                    let of_lanes = values(*lanes);
                    witness.extend(&of_lanes);
                    if *kind != Kind::Products {
                        witness.extend(of_lanes.iter().flat_map(|value| vec![*value; *rounds]));
                    }
                }
                _ => {}
            }
        }
        witness
    }

    /// The shares of the largest map.
    fn shares_of_map(&self) -> Option<u64> {
        let shares = |part: &Part| match part {
            Part::Map { lanes, rounds, kind: Kind::All } => Some((lanes * rounds * 5) as u64),
            Part::Map { lanes, rounds, kind: Kind::Polynomials } => {
                Some((lanes * rounds * POLYNOMIALS) as u64)
            }
            Part::Map { lanes, rounds, .. } => Some((lanes * rounds) as u64),
            _ => None,
        };
        self.0.iter().filter_map(shares).max()
    }
}

pub(super) fn assert_equal<B: Backend>(b: &mut B, x: B::Wire, y: B::Wire, name: &str) -> Result<()> {
    let minus = b.scale(y, -B::F::ONE);
    let difference = b.add(x, minus);
    b.assert_zero(difference, name)
}

/// The shares of a round of polynomials.
pub(super) const POLYNOMIALS: usize = 4;

/// A round of polynomials of every kind in a lane, whose next element of the witness is to be `x`. Of the assertions
/// the first is on the element, the second on a product, the third on three lanes, and the last on one.
pub(super) fn polynomials<B: Polynomials>(b: &mut B, [x, y]: [B::Wire; 2], lane: usize) -> Result<B::Wire> {
    let (one, minus) = (B::F::ONE, -B::F::ONE);
    let element = b.witness()?;
    assert_equal(b, element, x, &format!("the element of lane {lane}"))?;
    let product = b.hint(&[element, y], |of| of[0] * of[1])?;
    b.assert_product(element, y, product, format_args!("the product of lane {lane}"))?;
    // The committed values are x·y and x·y + 1.
    let wires = b.vector(&[element, y]);
    let swapped = b.gather(&wires, &[Some(1), Some(0)]);
    let ones = b.public(&[B::F::ZERO, one]);
    let products = b.combination(&[(&wires, &swapped)], &[(one, &ones)], B::F::ZERO)?;
    let committed = b.commit(&products)?;
    // (a, b, c)³ − (a, b, c)·(a, b, c)² is zero in three lanes, of degree three, and two are read again.
    let three = b.vector(&[element, product, committed[0]]);
    let squares = b.product(&three, &three)?;
    let cubes = b.product(&squares, &three)?;
    let zeroes = b.combination(&[(&three, &squares)], &[(minus, &cubes)], B::F::ZERO)?;
    b.assert_zeroes(zeroes.clone(), format_args!("the cubes of lane {lane}"))?;
    // x·y + y·x − 2·x·y, with what was zero before.
    let inner = b.inner_product(&[element, y], &[y, element])?;
    let minus_product = b.scale(product, minus);
    let twice = b.vector(&[minus_product, minus_product]);
    let (twice, zero) = (b.total(&twice), b.total(&zeroes));
    let sum = b.sum(&inner, &twice);
    let sum = b.sum(&sum, &zero);
    b.assert_zeroes(sum, format_args!("the sum of lane {lane}"))?;
    Ok(b.add(committed[0], committed[1]))
}

/// Demands that the third wires are the products of the others.
fn products<B: Polynomials>(b: &mut B, columns: [&[B::Wire]; 3]) -> Result<Returned<B::Wire>> {
    let [left, right, made] = columns.map(|wires| b.vector(wires));
    let product = b.product(&left, &right)?;
    let terms = [(B::F::ONE, &product), (-B::F::ONE, &made)];
    let difference = b.combination(&[], &terms, B::F::ZERO)?;
    b.assert_zeroes(difference, "the products")?;
    Ok(Returned::default())
}

/// Rounds on a lane, whose witness is its argument, again and again.
fn rounds<B: Polynomials>(b: &mut B, of: &[B::Wire], rounds: usize, kind: Kind) -> Result<Returned<B::Wire>> {
    let (x, mut y) = (of[0], of[1]);
    for _ in 0..rounds {
        if kind == Kind::Polynomials {
            y = polynomials(b, [x, y], 0)?;
            continue;
        }
        if kind == Kind::Products {
            let product = b.mul(y, x)?;
            y = b.add(y, product);
            continue;
        }
        let element = b.witness()?;
        assert_equal(b, element, x, "the element")?;
        if kind == Kind::Inputs {
            y = element;
            continue;
        }
        let hinted = b.hints(&[element, y], 2, |of| vec![of[0] * of[1]; 2])?;
        let product = b.mul(element, y)?;
        for hinted in &hinted {
            assert_equal(b, *hinted, product, "the hint")?;
        }
        b.mul(y, y)?;
        let one = b.constant(B::F::ONE);
        y = b.add(product, one);
    }
    Ok(Returned { wires: vec![y, x], public: Vec::new() })
}

impl<B: Polynomials + Memories> Circuit<B> for Statement {
    fn run(&self, b: &mut B) -> Result<()> {
        let (mut x, mut y) = (b.witness()?, b.witness()?);
        let zero = b.constant(B::F::ZERO);
        b.assert_zero(zero, "zero")?;
        for (number, part) in self.0.iter().enumerate() {
            match part {
                Part::Products(count) => {
                    for _ in 0..*count {
                        let product = b.mul(x, y)?;
                        (x, y) = (b.add(y, product), product);
                    }
                }
                Part::Inputs(count) => {
                    for _ in 0..*count {
                        let element = b.witness()?;
                        (x, y) = (b.add(element, x), x);
                    }
                }
                Part::Asserted(count) => {
                    for _ in 0..*count {
                        let product = b.hint(&[x, y], |of| of[0] * of[1])?;
                        b.assert_product(x, y, product, "the product")?;
                        (x, y) = (y, product);
                    }
                }
                Part::Polynomials(count) | Part::Vectorized(count) => {
                    let [mut left, mut right, mut made] = [(); 3].map(|()| Vec::new());
                    for _ in 0..*count {
                        let product = b.hint(&[x, y], |of| of[0] * of[1])?;
                        left.push(x);
                        right.push(y);
                        made.push(product);
                        (x, y) = (b.add(y, product), product);
                    }
                    if let Part::Vectorized(_) = part {
                        let columns = [left, right, made].concat();
                        b.map(b"products", *count, &columns, |b, _, of| {
                            products(b, [0, 1, 2].map(|i| &of[i..=i]))
                        })?;
                    } else {
                        products(b, [&left, &right, &made])?;
                    }
                }
                Part::Matrix => {
                    let product = b.hint(&[x, y], |of| of[0] * of[1])?;
                    let (left, right, made) = ([x], [y], [product]);
                    let [left, right] = [&left, &right].map(|entries| Matrix::new(entries, 1));
                    b.assert_matrix_product(left, right, Entries::Wires(&made), "the matrix")?;
                    y = product;
                }
                Part::Memory(count) => {
                    if B::F::BITS > 1 {
                        let cells = [B::F::ONE, B::F::ZERO, B::F::ONE, B::F::ONE];
                        let mut memory = b.memory(Cells::Public(&cells), 1)?;
                        for _ in 0..*count {
                            let address = b.hint(&[], |_| B::F::ONE)?;
                            let read = b.access(&mut memory, &[address], Put::Same, &"the access")?;
                            x = b.add(x, read[0]);
                        }
                        b.close(memory)?;
                    }
                }
                Part::Map { lanes, rounds: times, kind } => {
                    let mut columns = (0..*lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
                    for lane in 0..*lanes {
                        columns.push(b.add(columns[lane], y));
                    }
                    let key = format!("map {number}");
                    let made =
                        b.map(key.as_bytes(), *lanes, &columns, |b, _, of| rounds(b, of, *times, *kind))?;
                    x = b.mul(x, made.wires[lanes - 1])?;
                }
            }
        }
        Ok(())
    }
}

/// Shares of a dealer, whose ends say something at each block: the prover hears the verifier so many blocks late.
struct Talking<S: Share> {
    vole: BoxedVole<S>,
    lag: usize,
    ahead: usize,
    early: usize,
    drawn: usize,
    heard: usize,
}

impl<S: Share> Talking<S> {
    /// Receives what is said at a block.
    fn expect(channel: &mut Channel, block: usize) -> Result<()> {
        let said = u32::from_le_bytes(channel.recv_array()?);
        assert_eq!(said as usize, block, "another block's words");
        Ok(())
    }
}

impl<S: Share + 'static> Vole for Talking<S> {
    type Share = S;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<S>) -> Result<()> {
        if channel.party() == Party::Prover {
            self.send(channel)?;
        } else {
            channel.send(&(self.drawn as u32).to_le_bytes())?;
            channel.flush()?;
            Self::expect(channel, self.drawn)?;
            self.drawn += 1;
        }
        self.vole.block(channel, block)
    }
    fn begin_block(&mut self, channel: &mut Channel, spare: Rows<S>) -> Result<(usize, Task<Rows<S>>)> {
        let mut block = Shares::default();
        *block.rows_mut() = spare;
        self.block(channel, &mut block)?;
        Ok((block.len(), Pool::ALONE.run(move || core::mem::take(block.rows_mut()))))
    }
    fn early(&mut self) -> Option<&mut dyn Early<S>> {
        if self.early > 0 { Some(self) } else { None }
    }
    fn ahead(&self) -> usize {
        self.ahead
    }
    fn lag(&self) -> usize {
        self.lag
    }
    fn receive(&mut self, channel: &mut Channel) -> Result<()> {
        if channel.party() == Party::Prover {
            Self::expect(channel, self.heard)?;
            self.heard += 1;
        }
        Ok(())
    }
    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<S>> {
        while channel.party() == Party::Prover && self.heard < self.drawn {
            self.receive(channel)?;
        }
        Ok(self)
    }
}

impl<S: Share + 'static> Early<S> for Talking<S> {
    fn shares(&self) -> usize {
        self.early
    }
    fn begin_block(&mut self, spare: Rows<S>) -> (usize, Task<Rows<S>>) {
        // A dealer says nothing.
        let mut channel = Channel::new(Party::Prover, pipe(Duration::ZERO).0);
        let mut block = Shares::default();
        *block.rows_mut() = spare;
        self.vole.block(&mut channel, &mut block).expect("shares");
        (block.len(), Pool::ALONE.run(move || core::mem::take(block.rows_mut())))
    }
    fn send(&mut self, channel: &mut Channel) -> Result<()> {
        while self.heard + self.lag <= self.drawn {
            self.receive(channel)?;
        }
        channel.send(&(self.drawn as u32).to_le_bytes())?;
        self.drawn += 1;
        Ok(())
    }
}

/// Values under MACs that a dealer deals.
pub(super) trait Dealt: Commitments + verifier::Commitments {
    fn fresh(random: &mut Random) -> Self::Delta;
    fn macs(block: usize) -> BoxedVole<Self::Mac>;
    fn keys(block: usize, delta: &Self::Delta) -> BoxedVole<Self::Key>;
}

impl Dealt for BitMacs {
    fn fresh(random: &mut Random) -> Delta {
        Delta::random(random)
    }
    fn macs(block: usize) -> BoxedVole<Self::Mac> {
        Box::new(ideal::Prover::new(3, block))
    }
    fn keys(block: usize, delta: &Delta) -> BoxedVole<Self::Key> {
        Box::new(ideal::Verifier::new(3, block, delta))
    }
}

impl<B: Field, E: MacField<B>> Dealt for FieldMacs<B, E> {
    fn fresh(random: &mut Random) -> subfield::Delta<B, E> {
        subfield::Delta::random(random)
    }
    fn macs(block: usize) -> BoxedVole<Self::Mac> {
        Box::new(subfield::ideal::Prover::<B, E>::new(3, block))
    }
    fn keys(block: usize, delta: &subfield::Delta<B, E>) -> BoxedVole<Self::Key> {
        Box::new(subfield::ideal::Verifier::<B, E>::new(3, block, delta))
    }
}

#[derive(Clone, Debug)]
pub(super) struct By {
    pub(super) block: usize,
    pub(super) lag: usize,
    pub(super) ahead: usize,
    /// The shares that the prover draws ahead of their messages.
    pub(super) early: usize,
    pub(super) threads: [usize; 2],
    pub(super) lies: Vec<u64>,
    /// Whether the prover goes on where an assertion fails.
    pub(super) goes_on: bool,
}

/// The gates of both, and all that each sent.
pub(super) type Outcome = (Result<Gates>, Result<Gates>, [Vec<Vec<u8>>; 2]);

pub(super) fn run<M: Dealt>(statement: &dyn Source<M::F>, witness: &[M::F], by: &By) -> Outcome {
    let (here, there) = pipe(Duration::from_secs(20));
    let ((here, sent), (there, answered)) = (Tape::new(here, None), Tape::new(there, None));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let &By { block, lag, ahead, early, threads, .. } = by;
    let prover = move || {
        let vole = Talking { vole: M::macs(block), lag, ahead, early, drawn: 0, heard: 0 };
        let witness = witness.to_vec();
        let mut prover = Prover::<M>::new(&mut proving, Box::new(vole), Arch::detect(), witness);
        prover.lies_in_waves = by.lies.clone();
        let mut prover = prover.share_work(&Pool::of(threads[0]));
        let run = Streamed(statement).run(&mut prover);
        if by.goes_on || !by.lies.is_empty() {
            prover.lie();
        }
        let proved = run.and_then(|()| prover.finish().map(|(gates, _)| gates));
        let _ = proving.flush();
        proved
    };
    let verifier = move || {
        let mut random = Random::from_seed(&[5; 32]);
        let delta = M::fresh(&mut random);
        let vole = Talking { vole: M::keys(block, &delta), lag, ahead, early: 0, drawn: 0, heard: 0 };
        let verifier = M::verifier(&mut verifying, Box::new(vole), Arch::detect(), &delta, &mut random);
        let mut verifier = verifier.share_work(&Pool::of(threads[1]));
        Streamed(statement).run(&mut verifier)?;
        verifier.finish().map(|(_, gates, _)| gates)
    };
    let (proved, verified) = side_by_side(prover, verifier);
    (proved, verified, [sent.messages(), answered.messages()])
}

fn statements_at_random<M: Dealt>(seeds: u8) {
    for seed in 0..seeds {
        let random = &mut Random::from_seed(&[seed; 32]);
        let statement = Statement::random(random);
        let witness = statement.witness::<M::F>(random);
        let by = By {
            block: one_of(random, &[128, 130, 192, 256, 1000, 1024]),
            lag: one_of(random, &[1, 3, 7, 20, 50]),
            ahead: one_of(random, &[1, 1 << 15, 1 << 17]),
            early: 0,
            threads: [1; 2],
            lies: Vec::new(),
            goes_on: false,
        };
        let case = format!("seed {seed}: {statement:?} {by:?}");
        let (proved, verified, sent) = run::<M>(&statement, &witness, &by);
        assert_eq!(proved.unwrap_or_else(|error| panic!("{case}: {error}")), verified.unwrap(), "{case}");
        let threads = [below(random, 3) + 1, below(random, 2) + 2];
        let early = one_of(random, &[0, 1, 1 << 16, usize::MAX]);
        let again = run::<M>(&statement, &witness, &By { threads, early, ..by.clone() });
        assert!(again.1.is_ok() && again.2 == sent, "{case}: {threads:?} threads, {early} early");
        if let Some(shares) = statement.shares_of_map() {
            let lies = vec![random.word().0 as u64 % shares];
            let lied = run::<M>(&statement, &witness, &By { lies, early, ..by }).1;
            assert!(matches!(lied, Err(Error::Rejected(_))), "{case}: {lied:?}");
        }
    }
}

#[test]
fn statements_of_bits_are_proved_alike_and_lies_found() {
    statements_at_random::<BitMacs>(8);
}

#[test]
fn statements_with_short_macs_are_proved_alike_and_lies_found() {
    statements_at_random::<FieldMacs<F2, F64>>(6);
}

#[test]
fn statements_over_f61_are_proved_alike_and_lies_found() {
    statements_at_random::<FieldMacs<F61, F61>>(7);
}

#[test]
fn statements_by_coins_are_proved_alike_and_lies_found() {
    statements_at_random::<FieldMacs<F61, F61x2>>(2);
    statements_at_random::<FieldMacs<F65537, F65537x4>>(2);
}
