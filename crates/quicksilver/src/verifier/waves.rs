//! Functions on many lanes at a time: see [`crate::waves`].

use super::{Commitments, Verifier};
use crate::waves::{Done, Drawn, Fill, Keys, Mapping, Maps, Rows, SumsOf, Turn, Waved};
use volery_channel::error::Result;
use volery_channel::pool::{Task, Tasks};
use volery_circuit::stream::Map;
use zeroize::Zeroizing;

/// How a verifier takes whole blocks of a map.
pub(crate) trait Mapped: Commitments + Waved {
    /// The sums of products under coefficients.
    const SUMS: SumsOf<Keys<Self>>;

    /// The functions that were mapped.
    fn maps(kept: &mut Self::Kept) -> &mut Maps<Keys<Self>>;
    /// Whether all shares that were drawn are used, or never will be.
    fn is_between_blocks(verifier: &Verifier<'_, Self>) -> bool;
    /// Ends the last block of gates.
    fn end_block(verifier: &mut Verifier<'_, Self>) -> Result<()>;
    /// Draws the next block, and leaves its expansion to a task.
    fn begin_block(verifier: &mut Verifier<'_, Self>, spare: Rows<Self::E>) -> Result<Drawn<Self::E>>;
    /// Receives the corrections of a turn.
    fn take_turn(
        verifier: &mut Verifier<'_, Self>,
        turn: &Turn<Task<Rows<Self::E>>>,
    ) -> Result<Taken<Self::E>>;
    /// Walks over all blocks that the map takes whole on its device.
    fn turns_on_device(_: &mut Verifier<'_, Self>, _: &mut Mapping<'_, Keys<Self>>) -> Result<()> {
        unreachable!("no device walks over these values")
    }
    /// Goes on with the batch of the last turn, of whose polynomials `fill` gives the further coefficients.
    fn go_on(_: &mut Verifier<'_, Self>, _fill: Fill<Self::E>) {}
    /// Ends the batch, if it ends with a turn.
    fn end_of_turn(verifier: &mut Verifier<'_, Self>, ends_batch: bool) -> Result<()>;
    /// Goes on behind a map that ends with a block.
    fn stay_at_end(_: &mut Verifier<'_, Self>) {}
    /// Goes on in a block that was drawn, in which the map ends.
    fn resume(verifier: &mut Verifier<'_, Self>, rows: Rows<Self::E>) -> Result<()>;
}

type Correct<E> = Box<dyn FnMut(&mut [E], E) + Send>;

/// A turn as a verifier has received it.
pub(crate) struct Taken<E> {
    /// Puts corrections on the keys of its next block; it gets the key of one.
    pub(super) correct: Correct<E>,
    /// Gives the coefficients of its products, and of its polynomials.
    pub(super) fill: [Fill<E>; 2],
}

/// Executes a function on many lanes at a time, if it can be.
pub(super) fn map<M: Mapped>(
    verifier: &mut Verifier<'_, M>,
    map: Map<'_, M::F, M::E>,
) -> Result<Option<Zeroizing<Vec<M::E>>>> {
    // A half hands the channel on by sections.
    let begun = match verifier.lengths {
        Some(_) => None,
        None => Mapping::begin(M::maps(&mut verifier.kept), map, Keys::under(verifier.delta)),
    };
    let Some(mut mapping) = begun else { return Ok(None) };
    // Products that are asserted belong to the batch that is open.
    verifier.take_asserted()?;
    while mapping.left() > 0 {
        if M::is_between_blocks(verifier) {
            verifier.steps.begin()?;
            turns(verifier, &mut mapping)?;
            verifier.steps.end();
        } else {
            rest_of_slots(verifier, &mut mapping)?;
        }
    }
    mapping.settle_all(&mut |done| take_walked(verifier, done));
    mapping.count(&mut verifier.gates);
    Ok(Some(mapping.end(M::maps(&mut verifier.kept))))
}

/// Walks over all blocks that the map takes whole, turn by turn: receives a turn's corrections, which go on the
/// keys at once, draws its challenge, and hands out the walk. Then opens the block in which the map ends. Fig. 4,
/// 4 to 7.
fn turns<M: Mapped>(verifier: &mut Verifier<'_, M>, mapping: &mut Mapping<'_, Keys<M>>) -> Result<()> {
    M::end_block(verifier)?;
    if mapping.is_on_device() {
        M::turns_on_device(verifier, mapping)?;
    }
    while !mapping.is_on_device() {
        mapping.draw(verifier.vole.ahead(), |spare| M::begin_block(verifier, spare))?;
        let Some(turn) = mapping.next_turn_if(|_| true) else { break };
        let Taken { mut correct, fill } = M::take_turn(verifier, &turn)?;
        mapping.pass();
        verifier.committed += turn.shares as u64;
        let corrected = move |rows: Task<Rows<M::E>>, one| {
            let mut rows = rows.wait();
            correct(&mut rows, one);
            rows
        };
        let (by, ends_batch) = ((verifier.arch, &verifier.pool.clone(), M::SUMS), turn.ends_batch);
        mapping.hand_out(by, (turn, fill), corrected, &mut |done| take_walked(verifier, done));
        verifier.report_without(mapping.inputs());
        // What follows the last turn belongs to its batch.
        M::end_of_turn(verifier, ends_batch && !mapping.is_walked())?;
    }
    if let Some(rows) = mapping.last_block(|| verifier.vole.rows_of_tile()) {
        return M::resume(verifier, rows);
    }
    M::stay_at_end(verifier);
    Ok(())
}

/// Walks over what is left of the open slots, or of the next ones in the block.
fn rest_of_slots<M: Mapped>(
    verifier: &mut Verifier<'_, M>,
    mapping: &mut Mapping<'_, Keys<M>>,
) -> Result<()> {
    mapping.settle_all(&mut |done| take_walked(verifier, done));
    if verifier.slots.are_used_up() {
        verifier.next_slots()?;
    }
    M::fill_slots(verifier);
    let (from, count) = (verifier.done + verifier.slots.next(), verifier.slots.left());
    let (by, mut tasks) = ((verifier.arch, &verifier.pool.clone()), Tasks::default());
    for piece in mapping.pieces(count) {
        let shares = &verifier.block.rows(from + piece.shares.start)[..piece.shares.len()];
        let shares = Zeroizing::new(shares.to_vec());
        tasks.push(mapping.hand_out_piece(by, (piece.wave, shares), |_| ()));
    }
    for (walked, ()) in tasks {
        let apart = mapping.take_piece(walked);
        let vanishing = apart.put(&mut verifier.slots, &mut verifier.openings);
        // The batch does not end the earlier for them: blocks of a map are used up.
        vanishing.into_iter().for_each(|polynomials| M::add(verifier, polynomials));
    }
    Ok(())
}

/// Takes what a task has done.
fn take_walked<M: Mapped>(verifier: &mut Verifier<'_, M>, done: &mut Done<Keys<M>>) {
    verifier.add_products(&done.folded.products);
    verifier.sums.add_all(&done.folded.polynomials);
    verifier.weighing.pass_over(done.products);
    verifier.openings.absorb_all(&done.folded.asserted);
    if let Some(fill) = done.folded.fill.take().filter(|_| done.goes_on) {
        M::go_on(verifier, fill);
    }
}
