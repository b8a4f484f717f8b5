//! The prover's side.

use super::parts::{Bytes, LAST, Last, OfFile, start};
use super::{Parameters, Terms};
use crate::voleith::head::{Dealer, Dealt, Drawn, SALT_BYTES, opening_bytes};
use crate::{Finished, Prover, more_than_counted};
use core::cell::RefCell;
use std::io::{Cursor, SeekFrom, Write};
use std::rc::Rc;
use volery_channel::channel::{Channel, Party};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_circuit::Circuit;
use volery_primitives::{F2, F128, Field};
use volery_proof::reading::{Sink, unwritten};
use volery_proof::verdict::Gates;
use zeroize::Zeroizing;

/// A generator for salt and seeds that depends on fresh randomness, and also on the header and the witness:
/// two runs that repeat a state of the system's randomness share either nothing or everything.
pub fn hedged(random: &mut Random, header: &[u8], witness: impl Iterator<Item = F2>) -> Random {
    let mut seed = Zeroizing::new(blake3::Hasher::new_derive_key("volery voleith v1, salt and seeds"));
    seed.update(&*Zeroizing::new(random.bytes::<32>()));
    seed.update(&(header.len() as u64).to_le_bytes());
    seed.update(header);
    let mut bytes = Zeroizing::new(Vec::with_capacity(1024));
    for value in witness {
        bytes.push(value.to_word() as u8);
        if bytes.len() == 1024 {
            seed.update(&bytes);
            bytes.clear();
        }
    }
    seed.update(&bytes);
    Random::from_seed(Zeroizing::new(seed.finalize()).as_bytes())
}

/// Writes a proof behind `header` to `out`, at the end, all at once. The proof is kept in memory until then,
/// τ bits for each committed bit.
///
/// # Errors
/// `Unsatisfied` or `Invalid` where the witness or the circuit is wrong; `Io`.
pub fn write(
    out: &mut dyn Write,
    header: &[u8],
    terms: &Terms,
    statement: (&impl for<'a> Circuit<Prover<'a>>, impl Iterator<Item = F2>),
    random: &mut Random,
) -> Result<Gates> {
    let mut spool =
        Cursor::new(Vec::with_capacity(header.len() + terms.parameters.bytes(terms.size) as usize));
    let gates = stream(&mut spool, header, terms, statement, random)?;
    out.write_all(spool.get_ref()).map_err(unwritten)?;
    Ok(gates)
}

/// Writes a proof behind `header` to `out`, from its current position on, batch by batch. The head of the
/// file, from which Δ follows, is written last, over zeros that hold its place: so an unfinished file is no
/// proof.
///
/// # Errors
/// `Unsatisfied` or `Invalid` where the witness or the circuit is wrong; `Io`.
pub fn stream(
    mut out: &mut dyn Sink,
    header: &[u8],
    terms: &Terms,
    (circuit, witness): (&impl for<'a> Circuit<Prover<'a>>, impl Iterator<Item = F2>),
    random: &mut Random,
) -> Result<Gates> {
    let mut begun = Begun::new(header, terms, random)?;
    let start = out.stream_position().map_err(unwritten)?;
    out.write_all(&vec![0; begun.head_bytes(header)]).map_err(unwritten)?;
    let finished = begun.run(terms, (circuit, witness), |bytes| bytes.pass_on(&mut out))?;
    if finished.gates.size().commitments != terms.size.commitments {
        return Err(more_than_counted());
    }
    let (columns, constant) = begun.say(&finished.sums)?;
    begun.bytes.pass_on(&mut out)?;
    let last = begun.last(terms, (&columns, constant, &finished.asserted));
    let head = begun.head(header, last.search(terms.arch, terms.pool));
    let end = out.stream_position().map_err(unwritten)?;
    out.seek(SeekFrom::Start(start)).map_err(unwritten)?;
    out.write_all(&head).map_err(unwritten)?;
    out.seek(SeekFrom::Start(end)).map_err(unwritten)?;
    Ok(finished.gates)
}

/// A proof, from the first step on.
pub(super) struct Begun {
    salt: [u8; SALT_BYTES],
    dealt: Dealt,
    pub(super) dealer: Rc<RefCell<Dealer>>,
    channel: Channel,
    /// The bytes that were sent, and are not yet written.
    pub(super) bytes: Bytes,
    /// The coefficients of the mask of the check of products.
    mask: Zeroizing<Vec<F128>>,
}

impl Begun {
    /// Takes steps 0 and 1.
    pub(super) fn new(header: &[u8], terms: &Terms, random: &mut Random) -> Result<Self> {
        let salt = random.bytes();
        let depths = terms.parameters.depths();
        let (dealt, dealer) =
            Dealt::new((terms.arch, terms.pool), &depths, &salt, random, terms.size.commitments);
        Self::over((header, salt), terms, (dealt, dealer))
    }

    /// Begins the proof over trees that were dealt.
    pub(super) fn over(
        (header, salt): (&[u8], [u8; SALT_BYTES]),
        terms: &Terms,
        (dealt, mut dealer): (Dealt, Dealer),
    ) -> Result<Self> {
        let bytes = Bytes::default();
        let link = OfFile { start: start(header, &salt, dealt.digest()), bytes: bytes.clone() };
        let mut channel = Channel::new(Party::Prover, link);
        let lines = dealer.masks(&mut channel, terms.degree() - 1)?;
        let mut mask = Zeroizing::new(vec![F128::ZERO; terms.degree()]);
        for (j, (m, u)) in lines.iter().enumerate() {
            mask[j] += *m;
            mask[j + 1] += *u;
        }
        Ok(Self { salt, dealt, dealer: Rc::new(RefCell::new(dealer)), channel, bytes, mask })
    }

    /// Takes step 2, and gives the bytes of each batch to `drain`.
    pub(super) fn run(
        &mut self,
        terms: &Terms,
        (circuit, witness): (&impl for<'a> Circuit<Prover<'a>>, impl Iterator<Item = F2>),
        mut drain: impl FnMut(&Bytes) -> Result<()>,
    ) -> Result<Finished<Vec<F128>>> {
        let vole = Box::new(Drawn(self.dealer.clone()));
        let mut prover = Prover::new(&mut self.channel, vole, terms.arch, witness)
            .for_file(|| drain(&self.bytes))
            .share_work(terms.pool)
            .report_to(terms.progress);
        circuit.run(&mut prover)?;
        prover.finish_masked(&self.mask)
    }

    /// Takes steps 3 and 4: gives Ṽ and U_0, which are not sent.
    pub(super) fn say(&mut self, sums: &[F128]) -> Result<(Vec<u8>, F128)> {
        let (u, columns) = self.dealer.borrow_mut().hashes();
        self.channel.send(&u)?;
        let (constant, opened) = sums.split_first().expect("of degree one and more");
        self.channel.send_elements(opened)?;
        Ok((columns, *constant))
    }

    /// Prepares the search for the last challenge: step 5.
    fn last(&mut self, terms: &Terms, computed: (&[u8], F128, &[u8; 32])) -> Last {
        let Parameters { bits, grinding, .. } = *terms.parameters;
        Last::new(self.channel.challenge(Party::Prover, LAST), computed, (bits, grinding))
    }

    /// The bytes of [`Begun::head`].
    fn head_bytes(&self, header: &[u8]) -> usize {
        header.len() + self.salt.len() + 16 + 4 + opening_bytes(self.dealer.borrow().depths())
    }

    /// The part of the file before all messages, step 6 included.
    pub(super) fn head(&self, header: &[u8], (counter, delta): (u32, F128)) -> Vec<u8> {
        let opening = self.dealer.borrow().open(&self.dealt, delta);
        [header, &self.salt, &delta.to_bytes(), &counter.to_le_bytes(), &opening].concat()
    }
}
