//! Over F_2: a batch is one block of the VOLE, and its corrections are bits of one message.

use super::{Commitments, Prover};
use crate::error::Result;
use crate::zk::BitMacs;
use crate::zk::quicksilver::challenge;
use crate::zk::quicksilver::polynomial::Pending;
use crate::zk::quicksilver::slots::{Memory, Weighing, weigh};
use volery_primitives::arch::prover_sums;
use volery_primitives::bits::pack_corrections;
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128};

/// What the prover keeps of its batches.
#[derive(Default)]
pub struct Kept {
    polynomials: Pending<F128>,
    weighing: Weighing<Memory<F128>, F128>,
}

impl Commitments for BitMacs {
    type Kept = Kept;

    fn next_slots(prover: &mut Prover<'_, Self>) -> Result<()> {
        Self::end_batch(prover)?;
        Self::draw(prover)?;
        prover.slots.begin(prover.block.len());
        (prover.done, prover.open) = (0, true);
        Ok(())
    }

    /// Sends the batch's corrections and only then draws its challenge. Fig. 4, 5 to 7.
    fn end_batch(prover: &mut Prover<'_, Self>) -> Result<()> {
        if !core::mem::take(&mut prover.open) {
            return Ok(());
        }
        let used = prover.slots.used();
        let mut bytes = pack_corrections(&prover.block.rows(0)[..used.len()], used);
        bytes.resize(prover.block.len().div_ceil(8), 0);
        prover.channel.send(&bytes)?;
        let [products, polynomials] = challenge(prover.channel);
        if let Some(drain) = &mut prover.drain {
            drain()?;
        }
        let Prover { arch, pool, sums, slots, kept: Kept { weighing, .. }, .. } = prover;
        let (arch, (count, used)) = (*arch, slots.take(weighing.spare().unwrap_or_default()));
        weighing.begin(pool, (count, used), move |used| weigh(arch, products, &used[..count], prover_sums));
        while let Some(weighed) = weighing.next_beyond(pool.ahead()) {
            sums.add(&weighed);
        }
        let mut coefficients = Prg::new(prover.arch, polynomials);
        prover.kept.polynomials.weigh::<F2>(prover.arch, |chi| coefficients.fill(chi), &mut prover.sums);
        prover.coefficients = 0;
        prover.done = count;
        prover.vole.skip(prover.block.len() - count);
        prover.committed += count as u64;
        prover.report();
        Ok(())
    }

    fn polynomials<'p>(prover: &'p mut Prover<'_, Self>) -> &'p mut Pending<F128> {
        &mut prover.kept.polynomials
    }

    fn weigh_all(prover: &mut Prover<'_, Self>) {
        while let Some(weighed) = prover.kept.weighing.last(prover.committed) {
            prover.sums.add(&weighed);
        }
    }
}
