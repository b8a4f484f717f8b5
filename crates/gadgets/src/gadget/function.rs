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
    let key = [name.as_bytes(), &kinds(inputs)].concat();
    let returned = b.call(&key, &wires, |b, wires| {
        let mut wires = wires.iter();
        let inside = inputs.iter().map(|bit| match bit {
            Bit::Wire(_) => Bit::Wire(*wires.next().expect("one for each input on a wire")),
            public => *public,
        });
        let outputs = body(b, &inside.collect::<Vec<_>>())?;
        Ok(Returned { wires: outputs.wires(), public: kinds(&outputs) })
    })?;
    let mut wires = returned.wires.into_iter();
    let outputs = returned.public.into_iter().map(|kind| match kind {
        WIRE => Bit::Wire(wires.next().expect("one for each output on a wire")),
        bit => Bit::Public(bit == 1),
    });
    Ok(outputs.collect())
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
    let bits = |words: &[Word<B::Wire, N>]| words.iter().flat_map(Word::bits).copied().collect::<Vec<_>>();
    let words_of = |bits: &[Bit<B::Wire>]| {
        bits.as_chunks::<N>().0.iter().copied().map(Word::new).collect::<Vec<Word<B::Wire, N>>>()
    };
    let outputs = function(b, name, &bits(words), |b, inputs| Ok(bits(&body(b, &words_of(inputs))?)))?;
    Ok(words_of(&outputs))
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
