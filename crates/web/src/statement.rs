//! The statement about the records of a session: one secret opens them to what the prover says.
//!
//! **Relation.** Private is HS, the handshake secret, 32 bytes. Public are the cipher suite, h1, h2, SHTS, of either
//! direction the plan of its records: lengths, types, ciphertexts, tags, shown bytes; and keys of hashes: by AES-128-GCM H
//! of either direction, by ChaCha20-Poly1305 r of each record that is opened. The prover knows HS such that
//! 1. SHTS = HMAC(HS, "s hs traffic", h1);
//! 2. with MS = HMAC(HMAC(HS, "derived", H("")), 0), and K and iv of either direction by RFC 8446 section 7.3 from
//!    HMAC(MS, "c ap traffic" or "s ap traffic", h2): by AES, E_K(0) = H;
//! 3. for each record i in the plan, with nonce iv xor i: the byte behind its content is its type, all behind that are
//!    zeros; and where it is opened, its shown bytes are the content's, hidden bytes are of their class, and the block of
//!    the key stream before those of the text begins, by AES, with the pad of its tag, and by ChaCha20 with r and the pad.
//!    The pad is the tag less its hash, of the ciphertext under H or r, which both parties compute in the clear
//!    (`tls/protection.rs`);
//! 4. of a body that is read as JSON, each value that is hidden whole ends where it is said to (`whole`), and
//!    comparisons of hidden bytes, which claims are made of, hold;
//! 5. of a body that a program reads, the program ([`program`](crate::program)) ends by exit code 0, and gives out what
//!    it is said to.
//!
//! SHTS is fixed by the verified handshake, and so is HS by step 1, but for a second preimage of SHA-256; all else
//! follows from HS and h2, so that the plaintexts are unique. Neither GCM nor ChaCha20-Poly1305 is a commitment to its key,
//! and neither has to be: the key is derived, and tags bind what lies between. Behind a KeyUpdate that the plan calls
//! something else, old keys give noise, of which one byte in 256 is of any type, but no tag fits: the server made it by
//! other keys, and to fit by both 16 bytes of its text have to be chosen for the tag, and each of which something is said,
//! which a server that repeats what it is asked alone lets somebody do.
//!
//! **Rules of a plan**, which [`Statement::new`] checks in the clear. All records of the client are in it, of type 23
//! and opened, but for one alert at most, which is the last: so it sent nothing else. Of the server's first records up
//! to the last one of which something is claimed all are in it; that one is of type 23 and opened, and its tag covers
//! what was passed over before it: tickets by their type, data of which nothing is shown. Where contents of the server
//! are claimed, they came after the last data of the client had passed the relay.
//!
//! | what | ANDs |
//! |---|---|
//! | 28 compressions of SHA-256: pads of HS 2, SHTS 2, derived 2, MS 4, pads of MS 2, and for each direction its secret 2, pads 2, key 2, iv 2 | 22,271 each at most |
//! | by AES: either key, expanded; H | 1,280 + 5,120 |
//! | each block of which something is said, or that has the type or padding, and the one before those of the text where a record is opened; those of a record whose numbers have the same upper 24 bits | 4,256; 864 |
//! | by ChaCha20: each such block; those of a record | 9,942 at most; 457 |
//! | each byte of a hidden value of a field, a value hidden whole, hidden digits, a hidden word, a body that a program reads | 2, 32, 2, 19, 0 |
//! | each instruction of that, by what it does | 0 to 2,142 |
//!
//! **Deviations.** Content is not hidden in lengths: those of records and contents are public, as they are to whoever
//! records a connection but for padding. Contents of which nothing is said are not decrypted.
//!
//! **What is revealed.** Lengths, types, shown bytes; and keys of hashes. Once H is open, the tag of any recorded record
//! gives its pad, those of alerts and tickets included, and whoever has both can put another record in its place under the
//! same nonce. With r, which is of one record alone, that one can be replaced. So both are opened when the connection is
//! closed, and nobody waits for records any more: of that the prover has the verifier's word. H, pads and r are of blocks of the key stream, or of the cipher, that
//! cover no content: they tell nothing of the others.

mod cipher;
mod class;
mod plan;
mod whole;

use crate::claim::Comparison;
use crate::error::Result;
use crate::opening::{HashKeys, Hidden, Opening, Planned, Said};
use crate::program::BodyProgram;
use crate::recording::{Recording, Side};
use crate::tls::{APPLICATION_DATA, HASH_KEY, Record, Schedule, Secret, Session, Suite};
use cipher::Cipher;
pub(crate) use class::is_of_word;
use class::{Demand, What};
use core::ops::Range;
use plan::check_plan;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use subtle::ConstantTimeEq;
use volery::F2;
use volery::circuit::gadget::{self, Bytes, Compression, Gates, Hkdf, Holes, SubBytes, Word, bits_of};
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend, Circuit, Wires};
use volery_primitives::secret::verdict;
use whole::{Known, Walk};
use zeroize::Zeroizing;

/// The begin of what a statement's digest is of, with the version of its gates.
const DOMAIN: &[u8] = b"volery web statement 4\0";

/// The way to state SHA-256 and AES. ChaCha20 is stated gate by gate in all of them: each carry of its sums would be
/// committed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Gate by gate.
    #[default]
    Gates,
    /// SHA-256 gate by gate, and AES with holes: a quarter of its commitments.
    Mixed,
    /// SHA-256 and AES with holes.
    Holes,
}

/// A statement about the records of one session.
pub struct Statement {
    suite: Suite,
    hello_hash: [u8; 32],
    finished_hash: [u8; 32],
    /// SHTS, which who proves opens to who verifies.
    server_secret: Secret,
    directions: [Direction; 2],
    /// Comparisons of bytes of the server.
    comparisons: Vec<Comparison<Place>>,
    /// The program that reads the body, if there is one, with its output.
    program: Option<Running>,
    digest: [u8; 32],
    form: Form,
}

/// A program that reads the body, and what it gives out.
struct Running {
    program: BodyProgram,
    output: Vec<u8>,
}

/// The place of a byte of content in the records of the server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    sequence: usize,
    at: usize,
}

/// The records of one side.
struct Direction {
    side: Side,
    /// H, by AES.
    hash_key: Option<[u8; HASH_KEY]>,
    records: Vec<Stated>,
}

/// One record, as it is stated.
struct Stated {
    /// The begin of the block before those of its text, where its tag is checked.
    before_text: Option<Vec<u8>>,
    /// Blocks of the key stream, by their numbers, with what is known of each.
    blocks: Vec<KnownBlock>,
    /// Pieces of values that are hidden whole, in their order.
    pieces: Vec<Piece>,
    /// The places of bytes that are compared, in their order.
    compared: Vec<usize>,
}

/// A piece of a value that is hidden whole: some of its bytes in a row, of a side's data, or of one record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) range: Range<usize>,
    /// Whether the value begins with it.
    pub(crate) begins: bool,
    /// Whether it ends with it.
    pub(crate) ends: bool,
}

/// A block of a key stream: its bytes where they are known.
struct KnownBlock {
    /// The number of the block in the text, from 0.
    number: u32,
    /// The demand on each byte, up to the end of the text.
    bytes: Box<[Option<Demand>]>,
}

impl Statement {
    /// The statement that `opening` is true of `session`, a verified one of `recording`.
    ///
    /// # Errors
    /// `Refused` where the plan breaks a rule, or is by another cipher suite.
    ///
    /// # Panics
    /// Where the opening has fewer keys of Poly1305 than records that it opens, which none has that was read.
    pub fn new(recording: &Recording, session: &Session<'_>, opening: &Opening, form: Form) -> Result<Self> {
        check_plan(recording, session, opening)?;
        let mut digest = Sha256::new();
        digest.update(DOMAIN);
        digest.update([form as u8]);
        digest.update(session.hello_hash);
        digest.update(session.finished_hash);
        let opened = opening.to_bytes();
        digest.update((opened.len() as u64).to_be_bytes());
        digest.update(&opened);
        let suite = session.suite;
        let directions = [Side::Client, Side::Server].map(|side| {
            let mut hash_keys = opening.hash_keys.of(side);
            let hash_key = match &opening.hash_keys {
                HashKeys::Ghash(keys) => Some(keys[usize::from(side == Side::Server)]),
                HashKeys::Poly1305(_) => None,
            };
            let records = opening.plan(side).iter().zip(session.records(side));
            let records = records.map(|(planned, record)| {
                digest.update(record.head());
                digest.update(record.ciphertext());
                digest.update(record.tag());
                let mut next = || hash_keys.next().expect("a key for each record that is opened");
                let before_text = planned.parts.is_some().then(|| suite.before_text(record, &next()));
                Stated::new(planned, record, suite, before_text)
            });
            Direction { side, hash_key, records: records.collect() }
        });
        Ok(Self {
            suite,
            hello_hash: session.hello_hash,
            finished_hash: session.finished_hash,
            server_secret: opening.secrets.server.clone(),
            directions,
            comparisons: vec![],
            program: None,
            digest: digest.finalize().into(),
            form,
        })
    }

    /// The statement that `program` reads all bytes that are said to be read by one, and gives out what `opening` says, of
    /// which the statement is, too.
    #[must_use]
    pub fn of_program(mut self, opening: &Opening, program: &BodyProgram) -> Self {
        let digest = Sha256::new_with_prefix(self.digest);
        // The output is a part of the opening.
        self.digest = digest.chain_update(b"of a program").chain_update(program.digest()).finalize().into();
        self.program = Some(Running { program: program.clone(), output: opening.output.clone() });
        self
    }

    /// The statement that what the body says holds, too: that `pieces`, in their order in the server's data, are values,
    /// and what is compared, by places there. All of these bytes are hidden in `opening`, of which the statement is: as
    /// digits, or whole.
    pub(crate) fn of_body(
        mut self,
        opening: &Opening,
        comparisons: &[Comparison<usize>],
        pieces: &[Piece],
    ) -> Self {
        if comparisons.is_empty() && pieces.is_empty() {
            return self;
        }
        // Which values they are follows from the opening.
        let [_, server] = &mut self.directions;
        let mut pieces = pieces.iter().peekable();
        for (sequence, of) in places_of_data(&opening.server) {
            while let Some(Piece { range, begins, ends }) =
                pieces.peek().filter(|piece| piece.range.start < of.end)
            {
                let (start, end) = (range.start.max(of.start), range.end.min(of.end));
                server.records[sequence].pieces.push(Piece {
                    range: start - of.start..end - of.start,
                    begins: *begins && start == range.start,
                    ends: *ends && end == range.end,
                });
                if range.end > of.end {
                    break;
                }
                pieces.next();
            }
        }
        let mut digest = Sha256::new_with_prefix(self.digest);
        digest.update(b"of a body");
        let places = places_of_data(&opening.server).collect::<Vec<_>>();
        let locate = |place: usize| {
            let (sequence, of) = &places[places.partition_point(|(_, of)| of.end <= place)];
            Place { sequence: *sequence, at: place - of.start }
        };
        for comparison in comparisons {
            let located = comparison.clone().map(locate);
            for Place { sequence, at } in located.places() {
                server.records[sequence].compared.push(at);
            }
            // Bounds, texts and relations are those of the claim, and places those of the opening's skeleton.
            digest.update((comparison.claim.len() as u64).to_be_bytes());
            digest.update(&comparison.claim);
            self.comparisons.push(located);
        }
        for record in &mut server.records {
            record.compared.sort_unstable();
            record.compared.dedup();
        }
        self.digest = digest.finalize().into();
        self
    }

    /// The digest of all that is public: of the form, h1, h2, the opening, the records in the plan, whether they have a
    /// body of which something is said, what of it is compared, and the program that reads it.
    pub const fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The witness, which is the handshake secret.
    pub fn witness(secret: &Secret) -> impl Iterator<Item = F2> + Clone + '_ {
        bits_of(secret.bytes())
    }

    /// Whether the statement is true of `secret`: what its gates demand, computed without them. So a prover knows it
    /// before it opens anything, in less time than gates take.
    ///
    /// # Errors
    /// `Proof` with `Unsatisfied` and the first demand that is not met.
    pub fn check(&self, secret: &Secret) -> Result<()> {
        let schedule = Schedule::new(secret, &self.hello_hash);
        demand(schedule.server_handshake.ct_eq(&self.server_secret).into(), || "SHTS".into())?;
        let keys = schedule.application(self.suite, &self.finished_hash);
        let (block, first) = (self.suite.block(), self.suite.first_block());
        let mut walk = Known::default();
        let mut body = Zeroizing::new(Vec::with_capacity(self.length_read()));
        for (Direction { side, hash_key, records }, keys) in self.directions.iter().zip(&keys) {
            let fits = hash_key.is_none_or(|key| keys.hash_key(0).ct_eq(&key).into());
            demand(fits, || format!("H of the {side}"))?;
            for (sequence, record) in records.iter().enumerate() {
                let name = format!("record {sequence} of the {side}");
                let stream = |number| keys.stream(sequence as u64, number);
                let before = record.before_text.as_ref();
                let fits = before.is_none_or(|begin| stream(first - 1)[..begin.len()].ct_eq(begin).into());
                demand(fits, || format!("{name}: its tag"))?;
                let mut pieces = &record.pieces[..];
                for KnownBlock { number, bytes } in &record.blocks {
                    let begin = block * *number as usize;
                    for (place, (byte, known)) in (begin..).zip(stream(first + number).iter().zip(bytes)) {
                        let Some(known) = known else { continue };
                        let what = known.what.name();
                        let mut holds = known.is_met(*byte);
                        if let [Piece { range, begins, ends }, rest @ ..] = pieces
                            && range.contains(&place)
                        {
                            if *begins && place == range.start {
                                walk = Known::default();
                            }
                            holds &= walk.step(*byte ^ known.sent);
                            if place + 1 == range.end {
                                pieces = rest;
                                holds &= !ends | walk.ends();
                            }
                        }
                        demand(holds, || format!("{name}: {what} at {place}"))?;
                        if self.reads(*side, known) {
                            body.push(*byte ^ known.sent);
                        }
                    }
                }
            }
        }
        let [_, server] = &self.directions;
        // All of them, whichever fails: who sees when a prover leaves does not learn that.
        let mut failed = None;
        for comparison in &self.comparisons {
            let byte = |Place { sequence, at }: Place| {
                let stream = keys[1].stream(sequence as u64, first + (at / block) as u32)[at % block];
                stream ^ server.records[sequence].sent(at, block)
            };
            failed = failed.or((!comparison.holds(byte)).then_some(&comparison.claim));
        }
        demand(failed.is_none(), || format!("claim {}", failed.expect("one that failed")))?;
        if let Some(Running { program, output }) = &self.program {
            let given = program.run(&body)?;
            demand(given.len() == output.len(), || format!("an output of {} bytes", output.len()))?;
            let differs = given.iter().zip(output).position(|(given, said)| given != said);
            demand(differs.is_none(), || format!("byte {} of the output", differs.unwrap_or_default()))?;
        }
        Ok(())
    }

    /// Whether the program, if there is one, reads a byte of a side of which this is demanded.
    fn reads(&self, side: Side, demand: &Demand) -> bool {
        self.program.is_some() && side == Side::Server && demand.what == What::Hidden(Hidden::Read)
    }

    /// The number of bytes that the program reads.
    fn length_read(&self) -> usize {
        let [_, server] = &self.directions;
        let blocks = server.records.iter().flat_map(|record| &record.blocks);
        let demands = blocks.flat_map(|block| block.bytes.iter().flatten());
        demands.filter(|demand| self.reads(Side::Server, demand)).count()
    }

    /// Pushes the gates, by `C` for SHA-256 and `S` for AES.
    fn push<C, S>(&self, b: &mut Recorder<'_, F2>) -> volery::Result<()>
    where
        C: for<'r> Compression<Recorder<'r, F2>>,
        S: for<'r> SubBytes<Recorder<'r, F2>>,
    {
        type Wire<'r> = <Recorder<'r, F2> as Backend>::Wire;
        type Sha<'r, C> = gadget::Sha256<Wire<'r>, C>;
        let public = Bytes::public;
        // Step 1.
        let secret = Bytes::witness(b, 32)?;
        let handshake = Hkdf::<Sha<'_, C>>::new(b, &secret)?;
        let server = handshake.expand_label(b, b"s hs traffic", &public(&self.hello_hash), 32)?;
        server.assert_equal(b, self.server_secret.bytes(), "SHTS")?;
        // Step 2.
        let derived = handshake.expand_label(b, b"derived", &public(&Sha256::digest(b"")), 32)?;
        let master = Hkdf::<Sha<'_, C>>::extract(b, &derived, &public(&[0; 32]))?;
        let master = Hkdf::<Sha<'_, C>>::new(b, &master)?;
        let mut compared_bytes = BTreeMap::new();
        let mut walk = Walk::default();
        let mut body = Vec::with_capacity(self.length_read());
        for direction in &self.directions {
            let label: &[u8] = match direction.side {
                Side::Client => b"c ap traffic",
                Side::Server => b"s ap traffic",
            };
            let traffic = master.expand_label(b, label, &public(&self.finished_hash), 32)?;
            let traffic = Hkdf::<Sha<'_, C>>::new(b, &traffic)?;
            let key = traffic.expand_label(b, b"key", &public(&[]), self.suite.key())?;
            let iv = traffic.expand_label(b, b"iv", &public(&[]), 12)?;
            let cipher = Cipher::<S>::new(b, self.suite, &key)?;
            let side = direction.side;
            if let Cipher::Aes128(gcm) = &cipher {
                let hash_key = direction.hash_key.expect("H of the direction");
                gcm.hash_key().assert_equal(b, &hash_key, format_args!("H of the {side}"))?;
            }
            // Step 3.
            for (sequence, record) in direction.records.iter().enumerate() {
                let is_read = |demand: &Demand| self.reads(side, demand);
                let number = Bytes::public(&[&[0; 4][..], &(sequence as u64).to_be_bytes()].concat());
                let kept = b.scope(|b| {
                    let nonce = iv.xor(b, &number)?;
                    let numbers = record.numbers(self.suite);
                    let stream = cipher.blocks(b, &nonce, &numbers)?;
                    record.push(b, &stream, self.suite, (side, sequence), (walk, &is_read))
                })?;
                walk = kept.walk;
                let places = record.compared.iter().map(|at| Place { sequence, at: *at });
                compared_bytes.extend(places.zip(kept.compared));
                body.extend(kept.read);
            }
        }
        // Step 4.
        self.comparisons
            .iter()
            .try_for_each(|comparison| comparison.push(b, |place| compared_bytes[&place]))?;
        // Step 5.
        match &self.program {
            Some(Running { program, output }) => program.push(b, &body, output),
            None => Ok(()),
        }
    }
}

impl Circuit<Recorder<'_, F2>> for Statement {
    fn run(&self, b: &mut Recorder<'_, F2>) -> volery::Result<()> {
        match self.form {
            Form::Gates => self.push::<Gates, Gates>(b),
            Form::Mixed => self.push::<Gates, Holes>(b),
            Form::Holes => self.push::<Holes, Holes>(b),
        }
    }
}

impl Stated {
    /// A record of a plan, where the block before those of its text begins as said.
    fn new(planned: &Planned, record: &Record<'_>, suite: Suite, before_text: Option<Vec<u8>>) -> Self {
        let ciphertext = record.ciphertext();
        let length = usize::from(planned.length);
        let mut known = vec![None; ciphertext.len()];
        for part in planned.parts.iter().flatten() {
            let place = &mut known[usize::from(part.start)..part.end()];
            match &part.said {
                Said::Shown(bytes) => {
                    place.iter_mut().zip(bytes).for_each(|(what, byte)| *what = Some(What::Shown(*byte)));
                }
                Said::Hidden(class, _) => place.fill(Some(What::Hidden(*class))),
            }
        }
        known[length] = Some(What::Type(planned.kind));
        known[length + 1..].fill(Some(What::Padding));
        let block = suite.block();
        let blocks = (0..).zip(known.chunks(block).zip(ciphertext.chunks(block)));
        let blocks = blocks.filter(|(_, (known, _))| known.iter().any(Option::is_some));
        let blocks = blocks.map(|(number, (known, ciphertext))| {
            let demands = known.iter().zip(ciphertext);
            let demands = demands.map(|(known, sent)| known.map(|what| Demand { sent: *sent, what }));
            KnownBlock { number, bytes: demands.collect() }
        });
        Self { before_text, blocks: blocks.collect(), pieces: Vec::new(), compared: Vec::new() }
    }

    /// The byte of the ciphertext at a place of which something is said, by blocks of so many bytes.
    fn sent(&self, at: usize, block: usize) -> u8 {
        let known = self.blocks.iter().find(|known| known.number as usize == at / block);
        known.and_then(|known| known.bytes[at % block]).expect("a hidden byte").sent
    }

    /// The numbers of the blocks of the key stream that something is demanded of.
    fn numbers(&self, suite: Suite) -> Vec<u32> {
        let first = suite.first_block();
        let before = self.before_text.iter().map(|_| first - 1);
        before.chain(self.blocks.iter().map(|block| first + block.number)).collect()
    }

    /// Step 3 for one record, of which these are the blocks of the key stream, and of step 4 the walk over its bytes, which
    /// goes on from the record before.
    fn push(
        &self,
        b: &mut Recorder<'_, F2>,
        stream: &[Bytes<Handle>],
        suite: Suite,
        (side, sequence): (Side, usize),
        (mut walk, is_read): (Walk, &dyn Fn(&Demand) -> bool),
    ) -> volery::Result<Kept> {
        let mut stream = stream.iter();
        let record = format_args!("record {sequence} of the {side}");
        if let Some(begin) = &self.before_text {
            let block = stream.next().expect("the first block");
            block.slice(0..begin.len()).assert_equal(b, begin, format_args!("{record}: its tag"))?;
        }
        let (mut compared, mut read) = (Vec::with_capacity(self.compared.len()), Vec::new());
        let mut pieces = &self.pieces[..];
        for (block, known) in stream.zip(&self.blocks) {
            let begin = suite.block() * known.number as usize;
            for (place, (byte, known)) in (begin..).zip(block.iter().zip(&known.bytes)) {
                let Some(known) = known else { continue };
                let name = format_args!("{record}: {} at {place}", known.what.name());
                known.push(b, byte, name)?;
                if let [Piece { range, begins, ends }, rest @ ..] = pieces
                    && range.contains(&place)
                {
                    debug_assert!(
                        !begins || place > range.start || walk.is_at_begin(),
                        "a value after its end"
                    );
                    walk = walk.step(b, byte, known.sent, name)?;
                    if place + 1 == range.end {
                        pieces = rest;
                        if *ends {
                            walk.end(b, name)?;
                            b.forget(&walk.wires());
                            walk = Walk::default();
                        }
                    }
                }
                if self.compared.binary_search(&place).is_ok() {
                    compared.push(known.plain(b, byte));
                }
                if is_read(known) {
                    read.push(known.plain(b, byte));
                }
            }
        }
        Ok(Kept { compared, read, walk })
    }
}

/// The wires that are kept of a record.
struct Kept {
    /// The bytes that are compared.
    compared: Vec<Word<Handle, 8>>,
    /// The bytes that a program reads.
    read: Vec<Word<Handle, 8>>,
    /// How far the walk has come over a value that goes on in the next record.
    walk: Walk,
}

impl Wires<Handle> for Kept {
    fn each(&self, take: &mut dyn FnMut(Handle)) {
        let Self { compared, read, walk } = self;
        compared.each(take);
        read.each(take);
        walk.each(take);
    }
}

/// The places of each record's data in all data of a side, with the record's number.
fn places_of_data(plan: &[Planned]) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut end = 0;
    let data = plan.iter().enumerate().filter(|(_, planned)| planned.kind == APPLICATION_DATA);
    data.map(move |(sequence, planned)| {
        let begin = end;
        end += usize::from(planned.length);
        (sequence, begin..end)
    })
}

/// Whether bytes that are hidden whole may be a value.
#[cfg(test)]
pub(crate) fn is_walked(bytes: &[u8]) -> bool {
    let mut walk = Known::default();
    bytes.iter().fold(true, |holds, byte| holds & walk.step(*byte)) & walk.ends()
}

/// Makes an error of what does not hold. Whether it does is no secret: a prover that meets such an error has opened
/// nothing, and does not.
fn demand(holds: bool, name: impl FnOnce() -> String) -> Result<()> {
    if verdict(holds) { Ok(()) } else { Err(volery::Error::Unsatisfied(name()).into()) }
}

#[cfg(test)]
mod tests;
