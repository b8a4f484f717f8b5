//! A trusted dealer, for tests: both ends compute the same shares from one seed, and nothing is sent.

use super::{BoxedVole, Delta, Key, LEAST_BLOCK, Mac, Shares, Vole};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_primitives::prg::Prg;
use volery_primitives::{Arch, F128};

/// A seed that both ends hold and that gives every value and MAC away: no security whatever.
struct Dealer {
    prg: Prg,
    block: usize,
}

impl Dealer {
    fn new(seed: u128, block: usize) -> Self {
        assert!(block >= LEAST_BLOCK);
        Self { prg: Prg::new(Arch::detect(), F128(seed)), block }
    }

    fn rows(&mut self, rows: &mut Vec<F128>) {
        rows.resize(self.block, F128::default());
        self.prg.fill(rows);
    }
}

/// The prover's end.
pub struct Prover(Dealer);

impl Prover {
    /// Blocks of `block` shares from `seed`.
    pub fn new(seed: u128, block: usize) -> Self {
        Self(Dealer::new(seed, block))
    }
}

impl Vole for Prover {
    type Share = Mac;

    fn block(&mut self, _: &mut Channel, block: &mut Shares<Mac>) -> Result<()> {
        self.0.rows(block.rows_mut());
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Mac>> {
        Ok(self)
    }
}

/// The verifier's end.
pub struct Verifier {
    dealer: Dealer,
    delta: F128,
}

impl Verifier {
    /// Blocks of `block` shares under `delta` from `seed`.
    pub fn new(seed: u128, block: usize, delta: &Delta) -> Self {
        Self { dealer: Dealer::new(seed, block), delta: delta.value() }
    }
}

impl Vole for Verifier {
    type Share = Key;

    fn block(&mut self, _: &mut Channel, block: &mut Shares<Key>) -> Result<()> {
        self.dealer.rows(block.rows_mut());
        for row in block.rows_mut().iter_mut() {
            row.0 ^= self.delta.0 & row.bit0().mask();
        }
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Key>> {
        Ok(self)
    }
}
