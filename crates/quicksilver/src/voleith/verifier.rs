//! The verifier's side, in one pass.

use super::Terms;
use super::parts::{Bytes, LAST, Last, OfFile, start};
use crate::voleith::head::{self, Drawn, HASH, OpenedTrees, opened_delta};
use crate::{Verifier, more_than_counted};
use core::cell::RefCell;
use std::io::Read;
use std::rc::Rc;
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Error, Misbehaviour, Rejection, Result};
use volery_circuit::Circuit;
use volery_primitives::{F128, Field};
use volery_proof::reading::{expect_end, read_proof};
use volery_proof::verdict::{Accepted, Gates};

/// Reads a proof behind `header`, which was read and agrees with `terms`, to its end.
///
/// # Errors
/// `Rejected` where it does not hold, is not whole, or something follows it; `Invalid` where the circuit is
/// wrong; `Io`.
pub fn read(
    from: &mut (dyn Read + Send),
    header: &[u8],
    terms: &Terms,
    circuit: &impl for<'a> Circuit<Verifier<'a>>,
) -> Result<(Accepted, Gates)> {
    verify(from, header, terms, circuit).map_err(|why| match why {
        // A file says nothing in a conversation.
        Error::Misbehaved(Misbehaviour::UnusedShares) => Error::Rejected(Rejection::BitsBehindCorrections),
        why => why,
    })
}

fn verify(
    from: &mut (dyn Read + Send),
    header: &[u8],
    terms: &Terms,
    circuit: &impl for<'a> Circuit<Verifier<'a>>,
) -> Result<(Accepted, Gates)> {
    let heard = hear(from, header, terms, circuit)?;
    let same = heard.last.delta(heard.counter) == Some(heard.delta);
    let accepted = Accepted::only_if(same, Rejection::LastChallenge)?;
    expect_end(from)?;
    Ok((accepted, heard.gates))
}

/// A proof that was read, and is not yet accepted.
pub(super) struct Heard {
    gates: Gates,
    /// The counter and Δ that the file gives for the last challenge.
    counter: u32,
    delta: F128,
    pub(super) last: Last,
    /// U_0, for tests.
    #[cfg_attr(not(test), expect(dead_code))]
    pub(super) constant: F128,
}

/// Reads all steps up to the last challenge.
pub(super) fn hear(
    from: &mut (dyn Read + Send),
    header: &[u8],
    terms: &Terms,
    circuit: &impl for<'a> Circuit<Verifier<'a>>,
) -> Result<Heard> {
    let (parameters, degree, depths) = (terms.parameters, terms.degree(), terms.parameters.depths());
    let (trees, lines) = (depths.len(), degree - 1);
    let salt = read_array(from)?;
    let delta = F128::from_bytes(read_array(from)?);
    let counter = u32::from_le_bytes(read_array(from)?);
    if delta.0 & 1 == 0 || delta.0 >> (parameters.bits + 1) != 0 {
        return Err(Error::Rejected(Rejection::LastChallenge));
    }
    let mut opening = vec![0; head::opening_bytes(&depths)];
    read_proof(from, &mut opening)?;
    let (opened, mut reader) =
        OpenedTrees::new((terms.arch, terms.pool), &depths, (&salt, delta), &opening, terms.size.commitments);
    let bytes = Bytes::default();
    let link = OfFile { start: start(header, &salt, opened.digest()), bytes: bytes.clone() };
    let mut channel = Channel::new(Party::Verifier, link);
    let mut feed = |count: usize| {
        bytes.with(|bytes| {
            let heard = bytes.len();
            bytes.resize(heard + count, 0);
            read_proof(from, &mut bytes[heard..])
        })
    };

    feed(head::mask_bytes(trees, lines))?;
    let keys = reader.masks(&mut channel, lines)?;
    let mask = keys.iter().rev().fold(F128::ZERO, |sum, key| sum * delta + *key);
    let reader = Rc::new(RefCell::new(reader));
    let vole = Box::new(Drawn(reader.clone()));
    let key = opened_delta(delta);
    let mut verifier = Verifier::new(&mut channel, vole, terms.arch, &key)
        .share_work(terms.pool)
        .report_to(terms.progress)
        .feed_by(|| feed(trees * reader.borrow().next_shares() / 8));
    circuit.run(&mut verifier)?;
    let finished = verifier.finish_masked(degree)?;
    if finished.gates.size().commitments != terms.size.commitments {
        return Err(more_than_counted());
    }

    feed(HASH + 16 * lines)?;
    let columns = reader.borrow_mut().hashes(channel.recv_array()?);
    let mut opened = vec![F128::ZERO; degree];
    channel.recv_elements(&mut opened[1..])?;
    // Fig. 5, 5c, for U_0.
    let (sum, at_delta) = finished.sums.against(delta, mask, &opened);
    let constant = sum - at_delta;
    let last = Last::new(
        channel.challenge(Party::Prover, LAST),
        (&columns, constant, &finished.asserted),
        (parameters.bits, parameters.grinding),
    );
    Ok(Heard { gates: finished.gates, counter, delta, last, constant })
}

fn read_array<const N: usize>(from: &mut dyn Read) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    read_proof(from, &mut bytes)?;
    Ok(bytes)
}
