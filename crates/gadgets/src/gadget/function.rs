//! Parts of a statement that repeat, as functions; and what wires a value is made of.

use super::{Array, Bit, Bytes, Element, Signed, Word};
use volery_channel::error::Result;
use volery_circuit::{Backend, Returned, Wires};
use volery_primitives::F2;

/// Calls `body` on `inputs`, as a function called `name`, which determines the gates together with the values
/// of those inputs that are public: where gates are recorded, equal calls are recorded once. `body` must use
/// no other wires.
///
/// # Errors
/// Those of `body`, and of the backend.
pub fn function<B: Backend<F = F2>>(
    b: &mut B,
    name: &str,
    inputs: &[Bit<B::Wire>],
    body: impl FnOnce(&mut B, &[Bit<B::Wire>]) -> Result<Vec<Bit<B::Wire>>>,
) -> Result<Vec<Bit<B::Wire>>> {
    let wires = inputs.wires();
    if wires.is_empty() {
        return body(b, inputs);
    }
    let returned = b.call(&key_of(name, inputs), &wires, |b, wires| within(b, inputs, wires, body))?;
    Ok(outputs_of(returned.wires.into_iter(), &returned.public))
}

/// Calls `body` on each of `inputs`, none of which depends on what others come to, as a [`function`] called `name`:
/// by one map, where they are [`MANY`] and the same bits of all are public with the same values, so that no gate is
/// pushed that calls would spare; and else one after the other.
///
/// # Errors
/// Those of `body`, and of the backend.
pub(crate) fn function_on_each<B: Backend<F = F2>>(
    b: &mut B,
    name: &str,
    inputs: &[Vec<Bit<B::Wire>>],
    mut body: impl FnMut(&mut B, &[Bit<B::Wire>]) -> Result<Vec<Bit<B::Wire>>>,
) -> Result<Vec<Vec<Bit<B::Wire>>>> {
    let lanes = inputs.len();
    let is_alike = |first: &[_]| {
        let first = kinds(first);
        first.contains(&WIRE) && inputs.iter().all(|inputs| kinds(inputs) == first)
    };
    let Some(first) = inputs.first().filter(|first| lanes >= MANY && is_alike(first)) else {
        return inputs.iter().map(|inputs| function(b, name, inputs, &mut body)).collect();
    };
    let wires: Vec<_> = inputs.iter().map(|inputs| inputs.wires()).collect();
    let columns = (0..wires[0].len()).flat_map(|place| wires.iter().map(move |wires| wires[place]));
    let columns = columns.collect::<Vec<_>>();
    let returned =
        b.map(&key_of(name, first), lanes, &columns, |b, _, wires| within(b, first, wires, &mut body))?;
    let of = |lane: usize| returned.wires.iter().skip(lane).step_by(lanes).copied();
    Ok((0..lanes).map(|lane| outputs_of(of(lane), &returned.public)).collect())
}

/// The inputs from which on [`function_on_each`] maps: as many as are walked together at least by who walks several.
/// Of fewer a map would be no faster than calls, which take their commitments one after the other.
pub(crate) const MANY: usize = 8;

/// The key of a function.
fn key_of<W>(name: &str, inputs: &[Bit<W>]) -> Vec<u8> {
    [name.as_bytes(), &kinds(inputs)].concat()
}

/// The results of `body` within a function, where those of `inputs` that are not public are these `wires`.
fn within<B: Backend<F = F2>>(
    b: &mut B,
    inputs: &[Bit<B::Wire>],
    wires: &[B::Wire],
    body: impl FnOnce(&mut B, &[Bit<B::Wire>]) -> Result<Vec<Bit<B::Wire>>>,
) -> Result<Returned<B::Wire>> {
    let mut wires = wires.iter();
    let inside = inputs.iter().map(|bit| match bit {
        Bit::Wire(_) => Bit::Wire(*wires.next().expect("one for each input on a wire")),
        public => *public,
    });
    let outputs = body(b, &inside.collect::<Vec<_>>())?;
    Ok(Returned { wires: outputs.wires(), public: kinds(&outputs) })
}

/// The outputs of these kinds, of which these are on wires.
fn outputs_of<W>(mut wires: impl Iterator<Item = W>, kinds: &[u8]) -> Vec<Bit<W>> {
    let outputs = kinds.iter().map(|kind| match *kind {
        WIRE => Bit::Wire(wires.next().expect("one for each output on a wire")),
        bit => Bit::Public(bit == 1),
    });
    outputs.collect()
}

/// Calls `body` on `words`, as a [`function`].
///
/// # Errors
/// Those of `body`, and of the backend.
pub(crate) fn function_of_words<B: Backend<F = F2>, const N: usize>(
    b: &mut B,
    name: &str,
    words: &[Word<B::Wire, N>],
    body: impl FnOnce(&mut B, &[Word<B::Wire, N>]) -> Result<Vec<Word<B::Wire, N>>>,
) -> Result<Vec<Word<B::Wire, N>>> {
    let outputs = function(b, name, &bits_of(words), |b, inputs| Ok(bits_of(&body(b, &words_of(inputs))?)))?;
    Ok(words_of(&outputs))
}

/// Calls `body` on each of `words`, as [`function_on_each`].
///
/// # Errors
/// Those of `body`, and of the backend.
pub(crate) fn function_on_words_of_each<B: Backend<F = F2>, const N: usize>(
    b: &mut B,
    name: &str,
    words: impl Iterator<Item = Vec<Word<B::Wire, N>>>,
    mut body: impl FnMut(&mut B, &[Word<B::Wire, N>]) -> Result<Vec<Word<B::Wire, N>>>,
) -> Result<Vec<Vec<Word<B::Wire, N>>>> {
    let inputs: Vec<_> = words.map(|words| bits_of(&words)).collect();
    let outputs = function_on_each(b, name, &inputs, |b, inputs| Ok(bits_of(&body(b, &words_of(inputs))?)))?;
    Ok(outputs.iter().map(|outputs| words_of(outputs)).collect())
}

fn bits_of<W: Copy, const N: usize>(words: &[Word<W, N>]) -> Vec<Bit<W>> {
    words.iter().flat_map(Word::bits).copied().collect()
}

fn words_of<W: Copy, const N: usize>(bits: &[Bit<W>]) -> Vec<Word<W, N>> {
    bits.as_chunks::<N>().0.iter().copied().map(Word::new).collect()
}

/// A byte for each bit: its value where it is public.
fn kinds<W>(bits: &[Bit<W>]) -> Vec<u8> {
    let kind = |bit: &Bit<W>| match bit {
        Bit::Public(bit) => u8::from(*bit),
        Bit::Wire(_) => WIRE,
    };
    bits.iter().map(kind).collect()
}

/// The byte of a bit that is not public.
const WIRE: u8 = 2;

impl<W: Copy> Wires<W> for Bit<W> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        if let Bit::Wire(wire) = self {
            take(*wire);
        }
    }
}

impl<F, W: Copy> Wires<W> for Element<F, W> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        if let Element::Wire(wire) = self {
            take(*wire);
        }
    }
}

impl<W: Copy, const N: usize> Wires<W> for Word<W, N> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.bits().each(take);
    }
}

impl<W: Copy, const N: usize> Wires<W> for Signed<W, N> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.word().each(take);
    }
}

impl<W: Copy, const N: usize> Wires<W> for Array<W, N> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.iter().for_each(|word| word.each(take));
    }
}

impl<W: Copy> Wires<W> for Bytes<W> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.iter().for_each(|byte| byte.each(take));
    }
}
