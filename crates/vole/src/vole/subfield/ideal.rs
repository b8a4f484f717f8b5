//! A trusted dealer, for tests: both ends compute the same shares from one seed, and nothing is sent.

use super::super::{BoxedVole, LEAST_BLOCK, Shares, Vole};
use super::{Delta, Key, Mac, uniform_of};
use core::marker::PhantomData;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_primitives::prg::Prg;
use volery_primitives::{Arch, F128, Field, MacField, Tag as _};

/// A seed that both ends hold and that gives every value and MAC away: no security whatever.
struct Dealer<B, E> {
    words: Words,
    block: usize,
    fields: PhantomData<(B, E)>,
}

impl<B: Field, E: MacField<B>> Dealer<B, E> {
    fn new(seed: u8, block: usize) -> Self {
        assert!(block >= LEAST_BLOCK);
        Self { words: Words::new(seed), block, fields: PhantomData }
    }

    fn share(&mut self) -> E::Tag {
        let value = uniform_of(|| self.words.next());
        E::Tag::new(value, self.mac())
    }

    fn mac(&mut self) -> E {
        if E::BITS == E::degree() * B::BITS {
            return uniform_of(|| self.words.next());
        }
        // Of many short coordinates next to no integer of that length is an encoding.
        let coordinates: Vec<E> =
            (0..E::degree()).map(|_| uniform_of::<B>(|| self.words.next()).into()).collect();
        E::pack(&coordinates)
    }
}

/// Pseudorandom words of AES, which is all that most tests wait for: some drawn ahead, of which `left` are new.
struct Words {
    prg: Prg,
    drawn: [F128; 64],
    left: usize,
}

impl Words {
    fn new(seed: u8) -> Self {
        Self { prg: Prg::new(Arch::detect(), F128(seed.into())), drawn: [F128::ZERO; 64], left: 0 }
    }

    fn next(&mut self) -> F128 {
        if self.left == 0 {
            self.prg.fill(&mut self.drawn);
            self.left = self.drawn.len();
        }
        self.left -= 1;
        self.drawn[self.left]
    }
}

/// The prover's end.
pub struct Prover<B, E>(Dealer<B, E>);

impl<B: Field, E: MacField<B>> Prover<B, E> {
    /// Blocks of `block` shares from `seed`.
    pub fn new(seed: u8, block: usize) -> Self {
        Self(Dealer::new(seed, block))
    }
}

impl<B: Field, E: MacField<B>> Vole for Prover<B, E> {
    type Share = Mac<B, E>;

    fn block(&mut self, _: &mut Channel, block: &mut Shares<Mac<B, E>>) -> Result<()> {
        block.rows_mut().resize(self.0.block, E::Tag::default());
        block.rows_mut().iter_mut().for_each(|row| *row = self.0.share());
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Mac<B, E>>> {
        Ok(self)
    }
}

/// The verifier's end.
pub struct Verifier<B, E> {
    dealer: Dealer<B, E>,
    delta: E,
}

impl<B: Field, E: MacField<B>> Verifier<B, E> {
    /// Blocks of `block` shares under `delta` from `seed`.
    pub fn new(seed: u8, block: usize, delta: &Delta<B, E>) -> Self {
        Self { dealer: Dealer::new(seed, block), delta: delta.value() }
    }
}

impl<B: Field, E: MacField<B>> Vole for Verifier<B, E> {
    type Share = Key<E>;

    fn block(&mut self, _: &mut Channel, block: &mut Shares<Key<E>>) -> Result<()> {
        block.rows_mut().resize(self.dealer.block, E::ZERO);
        for row in block.rows_mut().iter_mut() {
            let share = self.dealer.share();
            *row = share.mac() + self.delta.scale(share.value());
        }
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Key<E>>> {
        Ok(self)
    }
}
