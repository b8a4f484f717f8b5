//! Going through clauses one by one, without a proof: their gates, and which of them holds.

use super::one_of::{no_clauses, one_of};
use super::{Alternatives, Clause, Clauses};
use crate::{Circuit, Clear, Count, Shape, nothing_asserted};
use volery_channel::error::{Error, Result};
use volery_primitives::secret::verdict;
use volery_primitives::{F2, Field};

/// The gates of each clause by kind; those that are alike are counted once.
///
/// # Errors
/// `Invalid` where there are no clauses, or one is malformed or asserts nothing.
pub fn shapes<F: Field, C: Clauses<Count<F>> + ?Sized>(clauses: &C) -> Result<Vec<Shape>> {
    let mut shapes: Vec<Shape> = Vec::new();
    for number in 0..counted(clauses)? {
        let shape = match shapes.get(clauses.like(number)) {
            Some(shape) => *shape,
            None => asserting(Count::<F>::direct(&Clause::new(clauses, number))?)?,
        };
        shapes.push(shape);
    }
    Ok(shapes)
}

/// The gates of each clause by kind, and a collision-resistant digest of the gates, constants and wiring of
/// all of them, as of [`Count::fingerprint`].
///
/// # Errors
/// Those of [`shapes`].
pub fn fingerprint<F: Field, C: Clauses<Count<F>> + ?Sized>(clauses: &C) -> Result<(Vec<Shape>, [u8; 32])> {
    let count = counted(clauses)?;
    let mut hasher = blake3::Hasher::new_derive_key("volery one of several v1");
    hasher.update(&(count as u64).to_le_bytes());
    let mut shapes = Vec::new();
    for number in 0..count {
        let (shape, digest) = Count::<F>::fingerprint(&Clause::new(clauses, number))?;
        shapes.push(asserting(shape)?);
        hasher.update(&digest);
    }
    Ok((shapes, hasher.finalize().into()))
}

/// The shape of a clause, which has to assert something: otherwise it would hold for any tape.
fn asserting(shape: Shape) -> Result<Shape> {
    if shape.assert == 0 { Err(nothing_asserted()) } else { Ok(shape) }
}

/// The first clause that holds for `witness`, in the clear.
///
/// # Errors
/// `Unsatisfied` where there is none; `Invalid` where there are no clauses, one is malformed or asserts
/// nothing, or the witness has not the length of any.
pub fn find<C, W>(clauses: &C, witness: W) -> Result<usize>
where
    W: IntoIterator<Item = F2> + Clone,
    C: for<'w> Clauses<Clear<'w, F2>> + ?Sized,
{
    let count = counted(clauses)?;
    let (mut misread, mut unsatisfied) = (None, false);
    for number in 0..count {
        let mut clear = Clear::new(witness.clone());
        match Clause::new(clauses, number).run(&mut clear) {
            Ok(()) => match clear.finish() {
                Ok(()) => return Ok(number),
                Err(error) => misread = Some(error),
            },
            Err(Error::Unsatisfied(_)) => unsatisfied = true,
            Err(error) if clear.ended() => misread = Some(error),
            Err(error) => return Err(error),
        }
    }
    let none = Error::Unsatisfied(one_of(count));
    Err(misread.filter(|_| !unsatisfied).unwrap_or(none))
}

/// The number of a clause that holds, as [`find`] gives it. All clauses are evaluated to their ends,
/// whichever holds, for a prover whose time may be watched.
///
/// # Errors
/// Those of [`find`].
pub fn find_among_all<C, W>(clauses: &C, witness: W) -> Result<usize>
where
    W: IntoIterator<Item = F2> + Clone,
    C: for<'w> Clauses<Clear<'w, F2>> + ?Sized,
{
    let count = counted(clauses)?;
    let mut hold = Vec::with_capacity(count);
    for number in 0..count {
        let mut clear = Clear::to_its_end(witness.clone());
        Clause::new(clauses, number).run(&mut clear)?;
        hold.push(clear.held());
    }
    match hold.into_iter().position(verdict) {
        Some(number) => Ok(number),
        // What is wrong is said by who stops at it.
        None => find(clauses, witness),
    }
}

/// The number of clauses, which must not be zero.
fn counted<C: Alternatives + ?Sized>(clauses: &C) -> Result<usize> {
    match clauses.count() {
        0 => Err(no_clauses()),
        count => Ok(count),
    }
}
