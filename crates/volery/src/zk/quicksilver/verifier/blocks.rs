//! Over F_2: a batch is one block of the VOLE, and its corrections are bits of one message.

use super::{Commitments, Verifier};
use crate::channel::Channel;
use crate::error::{Error, Misbehaviour, Result};
use crate::vole::{BoxedVole, Delta, Key};
use crate::zk::BitMacs;
use crate::zk::quicksilver::challenge;
use crate::zk::quicksilver::polynomial::Keys;
use crate::zk::quicksilver::slots::weigh;
use volery_primitives::arch::{Arch, add_where, verifier_sums};
use volery_primitives::bits::Bits;
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128};

/// What the verifier keeps of a batch.
pub struct Kept {
    corrections: Bits,
    polynomials: Vec<Keys<F128>>,
}

impl<'a> Verifier<'a, BitMacs> {
    /// A verification over `channel` with shares from `vole` under `delta`.
    pub fn new(channel: &'a mut Channel, vole: BoxedVole<Key>, arch: Arch, delta: &'a Delta) -> Self {
        let kept = Kept { corrections: Bits::zeroes(0), polynomials: Vec::new() };
        Self::over(channel, vole, arch, delta, kept)
    }
}

impl Commitments for BitMacs {
    type Kept = Kept;

    /// Draws the next block and receives its corrections, which go on the keys at once. Fig. 4, 4 and 5.
    fn next_slots(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        Self::end_batch(verifier)?;
        if let Some(feed) = &mut verifier.feed {
            feed()?;
        }
        verifier.vole.block(verifier.channel, &mut verifier.block)?;
        let length = verifier.block.len();
        let mut bytes = vec![0; length.div_ceil(8)];
        verifier.channel.recv(&mut bytes)?;
        let corrections = &mut verifier.kept.corrections;
        *corrections = Bits::zeroes(length);
        corrections.read_bytes(&bytes);
        add_where(verifier.arch, &bytes, *verifier.one, verifier.block.rows_mut());
        verifier.slots.begin(length);
        (verifier.done, verifier.open) = (0, true);
        Ok(())
    }

    /// Draws the batch's challenge, whose corrections have all arrived. Fig. 4, 6 and 7.
    fn end_batch(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        if !core::mem::take(&mut verifier.open) {
            return Ok(());
        }
        if !verifier.kept.corrections.zero_from(verifier.slots.used().len()) {
            return Err(Error::Misbehaved(Misbehaviour::UnusedShares));
        }
        let [products, polynomials] = challenge(verifier.channel);
        let arch = verifier.arch;
        verifier.done = verifier.weigh_products(move |used| weigh(arch, products, used, verifier_sums));
        let mut coefficients = Prg::new(verifier.arch, polynomials);
        for keys in verifier.kept.polynomials.drain(..) {
            verifier.sums.weigh::<F2>(verifier.arch, &keys, |chi| coefficients.fill(chi));
        }
        verifier.coefficients = 0;
        verifier.vole.skip(verifier.block.len() - verifier.done);
        verifier.report();
        Ok(())
    }

    fn add(verifier: &mut Verifier<'_, Self>, polynomials: Keys<F128>) {
        verifier.kept.polynomials.push(polynomials);
    }
}
