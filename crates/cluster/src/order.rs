//! Messages of a worker to its coordinator, and orders to it.

use super::abort::{Abort, Fault, LONGEST_WHY, cut};
use super::plan::{Crossing, Done, Figures, Part, Plan};
use super::wire::{Reader, Writer, malformed};
use super::word::LONGEST_ADDRESS;
use volery::channel::{Identity, Party};
use volery::error::Result;
use zeroize::Zeroizing;

/// Changes whenever the bytes within a party do.
const VERSION: u32 = 1;
/// The letters of an identity.
const IDENTITY: usize = 65;
/// The bytes of [`Figures`].
const FIGURES: usize = 13 * 8;
/// More than any message has, but for what crosses.
const SMALL: usize = 1024;

/// A message of a worker; see the table in [`super`].
pub(super) enum Status {
    Join(Join),
    Waiting { address: String },
    Working { attempt: u32, gates: u64 },
    Done { attempt: u32, done: Box<Done> },
    Failed { attempt: u32, abort: Abort },
    Resting,
}

/// The identity of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Join {
    pub(super) version: u32,
    pub(super) party: Party,
    pub(super) shard: u32,
    pub(super) shards: u32,
    pub(super) statement: [u8; 32],
}

/// An answer of a coordinator; see the table in [`super`].
pub(super) enum Order {
    /// The answer to [`Status::Join`]: whether workers of this party listen for the other's.
    Welcome {
        listens: bool,
    },
    Wait,
    Begin(Box<Begin>),
    Stop,
    /// `Ok` where the shard is accepted, and otherwise why the run ended.
    End(Result<(), String>),
    Refused(String),
}

/// An attempt that is to begin.
pub(super) struct Begin {
    pub(super) run: [u8; 32],
    pub(super) restarts: u32,
    pub(super) attempt: u32,
    pub(super) peer: Identity,
    pub(super) address: String,
    pub(super) secret: Crossing,
    pub(super) incoming: Vec<Crossing>,
}

impl Join {
    /// A worker of `party` for this shard.
    pub(super) fn new(party: Party, plan: &Plan, shard: usize) -> Self {
        let (shard, shards) = (shard as u32, plan.parts.len() as u32);
        Self { version: VERSION, party, shard, shards, statement: plan.statement }
    }

    /// Why a worker that says this has no part in a run of `party` by `plan`.
    pub(super) fn refused(&self, party: Party, plan: &Plan) -> Option<&'static str> {
        if self.version != VERSION {
            return Some("it is of another version of volery than its coordinator");
        }
        if self.party != party {
            return Some("it is for the other party: its coordinator, or its verb, is the wrong one");
        }
        // Before the statement, whose digest has their number in it.
        if self.shards as usize != plan.parts.len() || self.shard >= self.shards {
            return Some("it has another number of shards than its coordinator");
        }
        if self.statement != plan.statement {
            return Some(
                "it has another statement than its coordinator: give both the same relation and \
                         public values",
            );
        }
        None
    }
}

impl Status {
    pub(super) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let of = |kind| Writer::of(kind, SMALL);
        match self {
            Self::Join(join) => {
                let role = u8::from(join.party == Party::Verifier);
                let who = of(1).u32(join.version).u8(role).u32(join.shard).u32(join.shards);
                who.bytes(&join.statement)
            }
            Self::Waiting { address } => of(2).name(address),
            Self::Working { attempt, gates } => of(3).u32(*attempt).u64(*gates),
            Self::Done { attempt, done } => {
                let (verdict, outgoing) = (&done.verdict, done.outgoing.bytes());
                let first = Writer::of(4, 4 + FIGURES + verdict.len() + outgoing.len()).u32(*attempt);
                let first = numbers(&done.figures).into_iter().fold(first, Writer::u64);
                first.bytes(verdict).bytes(outgoing)
            }
            Self::Failed { attempt, abort } => {
                let failed = of(5).u32(*attempt).u8(abort.fault.code());
                failed.u8(abort.counts_against_peer.into()).bytes(abort.why.as_bytes())
            }
            Self::Resting => of(6),
        }
        .end()
    }

    /// The longest one of a worker for `part`, in bytes.
    pub(super) fn longest(part: &Part) -> usize {
        SMALL + part.verdict + part.outgoing
    }

    /// Decodes a message of a worker for shard `shard`, which is `part`.
    pub(super) fn decode(bytes: &[u8], shard: usize, part: &Part) -> Result<Self> {
        let mut reader = Reader(bytes);
        let status = match reader.u8()? {
            1 => Self::Join(Self::join(&mut reader)?),
            2 => Self::Waiting { address: reader.name()? },
            3 => Self::Working { attempt: reader.u32()?, gates: reader.u64()? },
            4 => {
                let attempt = reader.u32()?;
                let mut read = [0; 13];
                for number in &mut read {
                    *number = reader.u64()?;
                }
                let verdict = reader.bytes(part.verdict)?.to_vec();
                let outgoing = Crossing::new(reader.bytes(part.outgoing)?.to_vec().into());
                let done = Box::new(Done { figures: figures(read), outgoing, verdict });
                Self::Done { attempt, done }
            }
            5 => {
                let attempt = reader.u32()?;
                let fault = Fault::of_code(reader.u8()?).ok_or_else(malformed)?;
                let counts_against_peer = reader.u8()? != 0;
                if reader.0.len() > LONGEST_WHY {
                    return Err(malformed());
                }
                let abort = Abort { counts_against_peer, ..Abort::new(fault, reader.text()?) };
                Self::Failed { attempt, abort: abort.in_shard(shard) }
            }
            6 => Self::Resting,
            _ => return Err(malformed()),
        };
        reader.end()?;
        Ok(status)
    }

    fn join(reader: &mut Reader) -> Result<Join> {
        let version = reader.u32()?;
        let party = match reader.u8()? {
            0 => Party::Prover,
            1 => Party::Verifier,
            _ => return Err(malformed()),
        };
        Ok(Join { version, party, shard: reader.u32()?, shards: reader.u32()?, statement: reader.array()? })
    }

    /// Decodes the first message of a worker, whichever shard it is for.
    pub(super) fn decode_join(bytes: &[u8]) -> Result<Join> {
        let mut reader = Reader(bytes);
        if reader.u8()? != 1 {
            return Err(malformed());
        }
        let join = Self::join(&mut reader)?;
        reader.end()?;
        Ok(join)
    }

    /// The longest first message.
    pub(super) const fn longest_join() -> usize {
        SMALL
    }
}

impl Order {
    pub(super) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let of = |kind| Writer::of(kind, SMALL);
        match self {
            Self::Welcome { listens } => of(7).u8((*listens).into()),
            Self::Wait => of(1),
            Self::Begin(begin) => {
                let crossing: usize = begin.incoming.iter().map(|crossing| crossing.bytes().len()).sum();
                let secret = begin.secret.bytes();
                let first = Writer::of(2, SMALL + secret.len() + crossing);
                let first = first.bytes(&begin.run).u32(begin.restarts).u32(begin.attempt);
                let first = first.bytes(begin.peer.to_string().as_bytes()).name(&begin.address);
                let incoming = begin.incoming.iter();
                incoming.fold(first.bytes(secret), |all, crossing| all.bytes(crossing.bytes()))
            }
            Self::Stop => of(3),
            Self::End(Ok(())) => of(4),
            Self::End(Err(why)) => of(5).bytes(cut(why.clone()).as_bytes()),
            Self::Refused(why) => of(6).bytes(cut(why.clone()).as_bytes()),
        }
        .end()
    }

    /// The longest one where a secret of so many bytes is told, and this much enters the shard.
    pub(super) fn longest(secret: usize, incoming: &[usize]) -> usize {
        SMALL + secret + incoming.iter().sum::<usize>()
    }

    pub(super) fn decode(bytes: &[u8], secret: usize, incoming: &[usize]) -> Result<Self> {
        let mut reader = Reader(bytes);
        let order = match reader.u8()? {
            1 => Self::Wait,
            2 => {
                let (run, restarts, attempt) = (reader.array()?, reader.u32()?, reader.u32()?);
                let peer = str::from_utf8(reader.bytes(IDENTITY)?).map_err(|_| malformed())?;
                let peer = peer.parse().map_err(|_| malformed())?;
                let address = reader.name()?;
                let mut crossing = |length: usize| {
                    let bytes = reader.bytes(length)?.to_vec();
                    Ok(Crossing::new(bytes.into()))
                };
                let secret = crossing(secret)?;
                let incoming = incoming.iter().map(|length| crossing(*length)).collect::<Result<_>>()?;
                Self::Begin(Box::new(Begin { run, restarts, attempt, peer, address, secret, incoming }))
            }
            3 => Self::Stop,
            4 => Self::End(Ok(())),
            5 => Self::End(Err(reader.text()?)),
            6 => Self::Refused(reader.text()?),
            7 => Self::Welcome { listens: reader.u8()? == 1 },
            _ => return Err(malformed()),
        };
        reader.end()?;
        Ok(order)
    }
}

fn numbers(figures: &Figures) -> [u64; 13] {
    let Figures { mul, add, assert, inputs, sent, received, rounds, .. } = *figures;
    let Figures { setup, online, peak, statistical, computational, setup_bytes, .. } = *figures;
    [
        mul,
        add,
        assert,
        inputs,
        sent,
        received,
        rounds,
        setup,
        online,
        peak,
        statistical,
        computational,
        setup_bytes,
    ]
}

fn figures(numbers: [u64; 13]) -> Figures {
    let [
        mul,
        add,
        assert,
        inputs,
        sent,
        received,
        rounds,
        setup,
        online,
        peak,
        statistical,
        computational,
        setup_bytes,
    ] = numbers;
    Figures {
        mul,
        add,
        assert,
        inputs,
        sent,
        received,
        rounds,
        setup,
        online,
        peak,
        statistical,
        computational,
        setup_bytes,
    }
}

const _: () = assert!(LONGEST_WHY + 8 < SMALL && LONGEST_ADDRESS + IDENTITY + 64 < SMALL);
