//! Shards that stand for sessions: the prover says what its session is bound to, and what entered it; the
//! verifier compares, and says the verdict.

use crate::{Crossing, Done, Feed, Figures, Part, Plan, Shards, Turn};
use std::sync::Mutex;
use volery::channel::{Channel, Party};
use volery::error::{Error, Misbehaviour, Rejection, Result};

/// The bytes that leave each shard, and those of the secret.
pub(super) const WIRE: usize = 32;

/// Two leaves, a node over both, and a root over the node and the second leaf.
pub(super) fn tree() -> Plan {
    let part = |feeds: &[usize]| Part {
        feeds: feeds.iter().map(|from| Feed { from: *from, bytes: 0..WIRE }).collect(),
        outgoing: WIRE,
        verdict: 1,
    };
    Plan {
        system: "dummy",
        field: "f2".into(),
        statement: [7; 32],
        parts: vec![part(&[]), part(&[]), part(&[0, 1]), part(&[2, 1])],
    }
}

/// A party's deviation from the protocol in a shard.
pub(super) type Deviation = fn(&mut Turn, &mut Channel) -> Result<()>;

pub(super) struct Dummy {
    pub(super) party: Party,
    pub(super) plan: Plan,
    pub(super) deviation: Deviation,
    /// Shards and attempts, as they were begun.
    pub(super) turns: Mutex<Vec<(usize, u32)>>,
}

impl Dummy {
    pub(super) fn new(party: Party, plan: &Plan) -> Self {
        Self { party, plan: plan.clone(), deviation: |_, _| Ok(()), turns: Mutex::default() }
    }

    /// The bytes that leave a shard at an attempt: the same on both sides, but for one byte.
    fn outgoing(&self, turn: &Turn) -> Vec<u8> {
        let mut bytes = vec![turn.shard as u8; WIRE];
        bytes[1] = turn.attempt as u8;
        bytes[0] = u8::from(self.party == Party::Verifier);
        bytes
    }
}

impl Shards for Dummy {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn secret_bytes(&self) -> usize {
        if self.party == Party::Verifier { WIRE } else { 0 }
    }

    fn run(&self, mut turn: Turn, channel: &mut Channel) -> Result<Done> {
        self.turns.lock().unwrap().push((turn.shard, turn.attempt));
        assert_eq!(turn.secret.bytes(), &vec![9; self.secret_bytes()][..]);
        (self.deviation)(&mut turn, channel)?;
        let mut said = turn.run.to_vec();
        said.extend([turn.shard as u8, turn.attempt as u8]);
        for incoming in &turn.incoming {
            assert_eq!(incoming.bytes()[0], u8::from(self.party == Party::Verifier));
            said.extend(&incoming.bytes()[1..]);
        }
        match self.party {
            Party::Prover => {
                channel.send(&said)?;
                match channel.recv_array()? {
                    [1] => {}
                    [_] => return Err(Error::Rejected(Rejection::ByVerifier)),
                }
            }
            Party::Verifier => {
                let mut heard = vec![0; said.len()];
                channel.recv(&mut heard)?;
                let equal = heard == said;
                channel.send(&[equal.into()])?;
                channel.flush()?;
                if !equal {
                    return Err(Error::Rejected(Rejection::Products));
                }
            }
        }
        turn.progress.store(100, std::sync::atomic::Ordering::Relaxed);
        let figures = Figures { mul: turn.shard as u64, statistical: 40, ..Figures::default() };
        let verdict = vec![turn.shard as u8];
        Ok(Done { figures, outgoing: Crossing::new(self.outgoing(&turn).into()), verdict })
    }
}

/// A peer that misbehaves.
pub(super) fn misbehaves(_: &mut Turn, _: &mut Channel) -> Result<()> {
    Err(Error::Misbehaved(Misbehaviour::Trees))
}
