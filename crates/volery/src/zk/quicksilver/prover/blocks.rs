//! Over F_2: a batch is one block of the VOLE, and its corrections are bits of one message.

use super::{Commitments, Prover};
use crate::error::Result;
use crate::zk::BitMacs;
use crate::zk::quicksilver::challenge;
use crate::zk::quicksilver::polynomial::Pending;
use crate::zk::quicksilver::slots::weigh;
use volery_primitives::arch::prover_sums;
use volery_primitives::bits::Bits;
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128};

impl Commitments for BitMacs {
    type Kept = Pending<F128>;

    fn next_slots(prover: &mut Prover<'_, Self>) -> Result<()> {
        Self::end_batch(prover)?;
        Self::draw(prover)?;
        prover.slots.fill(prover.block.rows(0));
        (prover.done, prover.open) = (0, true);
        Ok(())
    }

    /// Sends the batch's corrections and only then draws its challenge. Fig. 4, 5 to 7.
    fn end_batch(prover: &mut Prover<'_, Self>) -> Result<()> {
        let used = prover.slots.take();
        if !core::mem::take(&mut prover.open) {
            return Ok(());
        }
        let committed = prover.block.rows(0).chunks(64).zip(used.chunks(64));
        let corrections = committed.map(|(shares, slots)| {
            let bits = shares.iter().zip(slots).map(|(share, slot)| (share.0 ^ slot[2].0) as u64 & 1);
            bits.enumerate().fold(0, |word, (i, bit)| word | bit << i)
        });
        let corrections = Bits::from_words(prover.block.len(), corrections);
        let mut bytes = Vec::with_capacity(prover.block.len() / 8 + 8);
        corrections.write_bytes(&mut bytes);
        prover.channel.send(&bytes)?;
        let [products, polynomials] = challenge(prover.channel);
        prover.sums.add(&*weigh(prover.arch, products, used, prover_sums));
        let mut prg = Prg::new(prover.arch, polynomials);
        prover.kept.weigh::<F2>(prover.arch, |chi| prg.fill(chi), &mut prover.sums);
        prover.coefficients = 0;
        prover.done = used.len();
        prover.committed += used.len() as u64;
        prover.report();
        Ok(())
    }

    fn polynomials<'p>(prover: &'p mut Prover<'_, Self>) -> &'p mut Pending<F128> {
        &mut prover.kept
    }
}
