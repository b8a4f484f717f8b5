//! Bits as numbers: gates over F_2 that are recorded into a stream over a prime field, in which a bit is 0 or 1.
//!
//! Whatever is no result of gates is asserted to be such: private bits, hints and the bits of numbers. `a + b` is
//! `a + b - 2ab` there, a product is one, and gates with a public bit take no product.

use super::Recorder;
use crate::stream::frame::Handle;
use crate::stream::functions::{MOST_WORDS, Recorded};
use crate::stream::mixed::Order;
use crate::stream::{Block, Executor, GatesAlone};
use crate::{Backend, Function, Returned, check_width};
use core::cell::RefCell;
use core::fmt::Display;
use core::mem;
use std::collections::HashMap;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::bits::mask;
use volery_primitives::{F2, Field};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// A bit: public, or on a wire of the recorder.
#[derive(Clone, Copy)]
pub(in crate::stream) enum Bit {
    Public(F2),
    On(Handle),
}

impl Default for Bit {
    fn default() -> Self {
        Self::Public(F2::ZERO)
    }
}

impl DefaultIsZeroes for Bit {}

/// The wires made for bits from which on it is looked which of them are still some bit's.
const MADE: usize = 4096;

/// A backend of bits that records numbers.
pub(in crate::stream) struct Bits<'m, 'r, F: Field> {
    recorder: &'m RefCell<Recorder<'r, F>>,
    /// The wires made for bits, in the statement or the innermost open function. No scope of the recorder ends them.
    made: Vec<Handle>,
    /// The functions over F_2 as they were recorded, by their addresses and by which arguments are public.
    functions: HashMap<(usize, Vec<u8>), Known<F>>,
    /// The words of these functions.
    size: usize,
    /// The functions that are open.
    opened: Vec<Opened>,
    /// The order in which private values are read, where that is all that is asked for, and none is.
    order: Option<&'m RefCell<Order>>,
}

impl<'m, 'r, F: Field> Bits<'m, 'r, F> {
    pub(in crate::stream) fn new(
        recorder: &'m RefCell<Recorder<'r, F>>,
        order: Option<&'m RefCell<Order>>,
    ) -> Self {
        Self { recorder, made: Vec::new(), functions: HashMap::new(), size: 0, opened: Vec::new(), order }
    }

    /// Ends all after an error, which the statement is told.
    pub(in crate::stream) fn abandon(&mut self) {
        let mut recorder = self.recorder.borrow_mut();
        recorder.failed = true;
        while let Some(frame) = recorder.outer.pop() {
            recorder.frame = frame;
        }
        if let Some(Opened { scopes: Some(scopes), .. }) = self.opened.drain(..).next() {
            recorder.frame.scopes = scopes;
        }
    }

    /// Frees the wires that are none of those that are `held`. It does so now and then, so that no more of them
    /// are live than twice those that are held, and a few.
    pub(in crate::stream) fn forget_all_but(&mut self, held: &[Bit]) {
        if self.made.len() < 2 * held.len() + MADE {
            return;
        }
        let mut held: Vec<_> = on(held).map(|wire| (wire.slot, wire.stamp)).collect();
        held.sort_unstable();
        let mut recorder = self.recorder.borrow_mut();
        self.made.retain(|wire| {
            let live = held.binary_search(&(wire.slot, wire.stamp)).is_ok();
            if !live {
                recorder.frame.give(*wire);
            }
            live
        });
    }

    /// Puts the number that these bits are on the slot `place`: see [`Mixed::number`](crate::Mixed::number).
    pub(in crate::stream) fn number(&mut self, bits: &[Bit], place: u32) -> Result<()> {
        check_width::<F>(bits.len())?;
        let (mut public, mut factors, mut wires) = (F::ZERO, Vec::new(), Vec::new());
        for (power, bit) in (0..).map(F::place).zip(bits) {
            match bit {
                Bit::Public(bit) => public += power * embedded(*bit),
                Bit::On(wire) => {
                    factors.push(power);
                    wires.push(*wire);
                }
            }
        }
        self.record(|recorder| {
            factors.push(public);
            wires.push(recorder.constant(F::ONE));
            let at = recorder.frame.block.next_word();
            recorder.frame.list(&wires);
            recorder.push_sum_to(place, &factors, at);
            recorder.give(&wires[wires.len() - 1..]);
            recorder.outcome()
        })
    }

    /// The bits of the numbers on such slots: see [`Mixed::bits_of`](crate::Mixed::bits_of).
    pub(in crate::stream) fn bits_of(
        &mut self,
        numbers: &[u32],
        width: usize,
        name: &dyn Display,
    ) -> Result<Vec<Bit>> {
        check_width::<F>(width)?;
        let mut factors: Vec<F> = (0..width as u32).map(F::place).collect();
        factors.push(-F::ONE);
        let mut bits = Vec::with_capacity(numbers.len() * width);
        for &slot in numbers {
            let mut wires = self.record(|recorder| {
                let number = Handle { slot, stamp: recorder.frame.stamps[slot as usize] };
                let mut wires = recorder.hints(&[number], width, move |values| {
                    let number = values[0].to_integer();
                    (0..width as u32).map(|place| F::ONE.masked(mask(number.bit(place)))).collect()
                })?;
                wires.push(number);
                Ok(wires)
            })?;
            self.record(|recorder| {
                let difference = recorder.linear(&factors, &wires);
                recorder.assert_zero(difference, name)?;
                recorder.give(&[difference]);
                Ok(())
            })?;
            wires.truncate(width);
            bits.extend(self.asserted(wires)?);
        }
        Ok(bits)
    }

    /// Records gates, whose wires no scope ends; but in a function that is gone through to find a name.
    fn record<T>(&mut self, gates: impl FnOnce(&mut Recorder<'r, F>) -> T) -> T {
        let mut recorder = self.recorder.borrow_mut();
        let scopes = recorder.without_scopes();
        let made = gates(&mut recorder);
        recorder.with_scopes(scopes);
        made
    }

    /// The bits of results of these `kinds`, of which those that are not public were made on `wires`.
    fn of_kinds(&mut self, kinds: &[u8], wires: Vec<Handle>) -> Vec<Bit> {
        self.made.extend_from_slice(&wires);
        placed(kinds, wires)
    }

    /// The bits on such wires, asserted to be bits.
    fn asserted(&mut self, wires: Vec<Handle>) -> Result<Vec<Bit>> {
        self.record(|recorder| {
            wires.iter().try_for_each(|wire| {
                let square = recorder.mul(*wire, *wire)?;
                let difference = recorder.linear(&[F::ONE, -F::ONE], &[square, *wire]);
                recorder.assert_zero(difference, "a bit is 0 or 1")?;
                recorder.give(&[square, difference]);
                Ok(())
            })
        })?;
        Ok(wires.into_iter().map(|wire| self.made(wire)).collect())
    }

    /// The bit on a wire that was made for it.
    fn made(&mut self, wire: Handle) -> Bit {
        self.made.push(wire);
        Bit::On(wire)
    }

    /// The wires of `bits`, made for those that are public, too.
    fn wires(&mut self, bits: &[Bit]) -> Vec<Handle> {
        let wire = |bit: &Bit| match bit {
            Bit::On(wire) => *wire,
            Bit::Public(bit) => {
                let wire = self.record(|recorder| recorder.constant(embedded(*bit)));
                self.made.push(wire);
                wire
            }
        };
        bits.iter().map(wire).collect()
    }
}

impl<F: Field> Recorder<'_, F> {
    /// Gives back wires that no scope ends. Those of functions are planned at the end.
    fn give(&mut self, wires: &[Handle]) {
        if self.in_statement() {
            wires.iter().for_each(|wire| self.frame.give(*wire));
        }
    }

    /// Puts the statement's scopes aside.
    fn without_scopes(&mut self) -> Option<Vec<usize>> {
        self.in_statement().then(|| mem::take(&mut self.frame.scopes))
    }

    /// Puts the statement's scopes back.
    fn with_scopes(&mut self, scopes: Option<Vec<usize>>) {
        if let Some(scopes) = scopes {
            self.frame.scopes = scopes;
        }
    }
}

/// A function over F_2 that was recorded.
struct Known<F> {
    recorded: Arc<Recorded<F>>,
    /// The function itself: while it is held, no other has its address.
    _of: Arc<Block<F2>>,
}

/// A function over F_2 that is being recorded.
struct Opened {
    of: Arc<Block<F2>>,
    kinds: Vec<u8>,
    /// The arguments that are not public.
    arguments: Vec<Handle>,
    /// The wires made around it, and the scopes, where it is opened in the statement.
    made: Vec<Handle>,
    scopes: Option<Vec<usize>>,
}

/// The kind of a bit on a wire, beside 0 and 1, those of public ones.
const ON: u8 = 2;

/// The kinds of bits.
fn kinds(bits: &[Bit]) -> Vec<u8> {
    let kind = |bit: &Bit| match bit {
        Bit::Public(bit) => bit.mask() as u8 & 1,
        Bit::On(_) => ON,
    };
    bits.iter().map(kind).collect()
}

/// The wires of those bits that are not public.
fn on(bits: &[Bit]) -> impl Iterator<Item = Handle> {
    bits.iter().filter_map(|bit| if let Bit::On(wire) = bit { Some(*wire) } else { None })
}

/// Bits of these `kinds`, of which those that are not public are on `wires`.
fn placed(kinds: &[u8], wires: Vec<Handle>) -> Vec<Bit> {
    let mut wires = wires.into_iter();
    let bit = |kind: &u8| match *kind {
        ON => Bit::On(wires.next().expect("a wire for each")),
        public => Bit::Public(F2::from(public == 1)),
    };
    kinds.iter().map(bit).collect()
}

/// A bit as a number.
pub(in crate::stream) fn embedded<F: Field>(bit: F2) -> F {
    F::ONE.masked(bit.mask() as u64)
}

/// A hint over F_2 as one over numbers.
fn over_numbers<F: Field>(f: impl Fn(&[F2]) -> Vec<F2>) -> impl Fn(&[F]) -> Vec<F> {
    move |values| {
        let bit = |value: &F| F2::low_bit(value.to_integer().bit(0).into());
        let bits: Zeroizing<Vec<F2>> = Zeroizing::new(values.iter().map(bit).collect());
        Zeroizing::new(f(&bits)).iter().map(|bit| embedded(*bit)).collect()
    }
}

impl<F: Field> Backend for Bits<'_, '_, F> {
    type F = F2;
    type Wire = Bit;

    fn constant(&mut self, c: F2) -> Bit {
        Bit::Public(c)
    }
    fn add(&mut self, a: Bit, b: Bit) -> Bit {
        let sum = match (a, b) {
            (Bit::Public(a), Bit::Public(b)) => return Bit::Public(a + b),
            (Bit::Public(F2::ZERO), bit) | (bit, Bit::Public(F2::ZERO)) => return bit,
            (Bit::Public(_), Bit::On(wire)) | (Bit::On(wire), Bit::Public(_)) => self.record(|recorder| {
                let one = recorder.constant(F::ONE);
                let negated = recorder.linear(&[F::ONE, -F::ONE], &[one, wire]);
                recorder.give(&[one]);
                negated
            }),
            (Bit::On(a), Bit::On(b)) => self.record(|recorder| {
                let product = recorder.push_product(a, b);
                let sum = recorder.linear(&[F::ONE, F::ONE, -(F::ONE + F::ONE)], &[a, b, product]);
                recorder.give(&[product]);
                sum
            }),
        };
        self.made(sum)
    }
    fn scale(&mut self, a: Bit, c: F2) -> Bit {
        if c == F2::ZERO { Bit::Public(c) } else { a }
    }
    fn witness(&mut self) -> Result<Bit> {
        let mut bit = [Bit::default()];
        self.witnesses(&mut bit)?;
        Ok(bit[0])
    }
    fn witnesses(&mut self, bits: &mut [Bit]) -> Result<()> {
        if let Some(order) = self.order {
            // Numbers that were read before these bits are counted when they are executed.
            self.recorder.borrow_mut().execute()?;
            order.borrow_mut().bits(bits.len() as u64);
            bits.fill(Bit::default());
            return Ok(());
        }
        let mut wires = vec![Handle::default(); bits.len()];
        self.record(|recorder| recorder.witnesses(&mut wires))?;
        bits.copy_from_slice(&self.asserted(wires)?);
        Ok(())
    }
    fn hint(&mut self, of: &[Bit], f: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<Bit> {
        self.hints(of, 1, move |values| vec![f(values)]).map(|made| made[0])
    }
    fn hints(
        &mut self,
        of: &[Bit],
        count: usize,
        f: impl Fn(&[F2]) -> Vec<F2> + Send + Sync + 'static,
    ) -> Result<Vec<Bit>> {
        let of = self.wires(of);
        let wires = self.record(|recorder| recorder.hints(&of, count, over_numbers(f)))?;
        self.asserted(wires)
    }
    fn mul(&mut self, a: Bit, b: Bit) -> Result<Bit> {
        match (a, b) {
            (Bit::Public(F2::ZERO), _) | (_, Bit::Public(F2::ZERO)) => Ok(Bit::default()),
            (Bit::Public(_), bit) | (bit, Bit::Public(_)) => Ok(bit),
            (Bit::On(a), Bit::On(b)) => {
                let product = self.record(|recorder| recorder.mul(a, b))?;
                Ok(self.made(product))
            }
        }
    }
    fn assert_zero(&mut self, a: Bit, name: impl Display) -> Result<()> {
        let wire = self.wires(&[a])[0];
        self.record(|recorder| recorder.assert_zero(wire, name))
    }
    fn output(&mut self, port: usize, place: u64, bit: Bit) -> Result<()> {
        let wire = self.wires(&[bit])[0];
        self.record(|recorder| recorder.output(port, place, wire))
    }
}

/// Gates alone: of all else over F_2 gates are recorded first. A function is recorded once for each way in which its
/// arguments are public.
impl<F: Field> Executor for Bits<'_, '_, F> {
    type Beyond = GatesAlone;
    const RECORDS_CALLS: bool = true;

    fn open_call(&mut self, function: &Arc<Block<F2>>, arguments: &[Bit]) -> Result<Function<Bit>> {
        if self.order.is_some() {
            // What it reads counts as often as it is called.
            return Ok(Function::Inlined);
        }
        let (key, wires) =
            ((Arc::as_ptr(function) as usize, kinds(arguments)), on(arguments).collect::<Vec<_>>());
        if let Some(Known { recorded, .. }) = self.functions.get(&key) {
            let recorded = recorded.clone();
            let wires = self.record(|recorder| recorder.push_call(&recorded, &wires, &[]))?;
            let wires = self.of_kinds(&recorded.public, wires);
            return Ok(Function::Known(Returned { wires, public: Vec::new() }));
        }
        let mut recorder = self.recorder.borrow_mut();
        let scopes = recorder.without_scopes();
        let inside = placed(&key.1, recorder.begin_function(wires.len()));
        let made = mem::take(&mut self.made);
        self.opened.push(Opened { of: function.clone(), kinds: key.1, arguments: wires, made, scopes });
        Ok(Function::New(inside))
    }

    fn close_call(&mut self, returned: Vec<Bit>) -> Result<Vec<Bit>> {
        let Opened { of, kinds: of_arguments, arguments, made, scopes } =
            self.opened.pop().expect("a function that is open");
        let returned = Returned { wires: on(&returned).collect(), public: kinds(&returned) };
        self.made = made;
        let mut recorder = self.recorder.borrow_mut();
        let wires = if let Some(recorded) = recorder.end_function(&returned) {
            let recorded = Arc::new(recorded);
            let words = recorded.block.size() + of.size();
            self.size += words;
            if self.size > MOST_WORDS {
                self.functions.clear();
                self.size = words;
            }
            let key = (Arc::as_ptr(&of) as usize, of_arguments);
            self.functions.insert(key, Known { recorded: recorded.clone(), _of: of });
            recorder.push_call(&recorded, &arguments, &[])
        } else {
            // Names are searched for, and any wires will do.
            Ok(recorder.frame.take_many(returned.wires.len()))
        };
        recorder.with_scopes(scopes);
        drop(recorder);
        Ok(self.of_kinds(&returned.public, wires?))
    }
}
