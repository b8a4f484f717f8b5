//! Admission of sessions.
//!
//! Counts are of this process: a restart forgets the sessions of the last hour, but not what was rejected,
//! which is in the database.

use crate::config::Limits;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use volery::channel::Identity;
use volery_cli::service::{Cause, Refusal};

const HOUR: Duration = Duration::from_secs(3600);
/// The seconds after which it is worth another try where sessions have to end first.
pub(crate) const AGAIN: u64 = 5;

/// The sessions and links under way, and when they began.
#[derive(Default)]
pub(crate) struct Admission {
    state: Mutex<ServiceLoad>,
    /// Something has ended.
    ended: Condvar,
}

#[derive(Default)]
struct ServiceLoad {
    /// Links that are no session yet, and sessions, of all peers.
    waiting: u64,
    running: u64,
    /// Sessions that have ended, and whose end is told.
    telling: u64,
    memory: u64,
    started: VecDeque<Instant>,
    peers: HashMap<Identity, Use>,
    draining: bool,
}

/// A peer's sessions and links under way.
#[derive(Default)]
struct Use {
    waiting: u64,
    /// The number of links that are being told why they are refused.
    refused: u64,
    running: u64,
    memory: u64,
    started: VecDeque<Instant>,
    /// Strikes that could not be kept.
    strikes: VecDeque<Instant>,
}

/// A link to a peer that is known, which is no session yet, or never will be.
pub(crate) struct Waiting {
    admission: Arc<Admission>,
    peer: Identity,
    refused: bool,
}

/// A session.
pub(crate) struct Admitted {
    admission: Arc<Admission>,
    peer: Identity,
    memory: u64,
}

impl Admission {
    /// Nothing that a panic could leave half done is behind this lock.
    fn lock(&self) -> MutexGuard<'_, ServiceLoad> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A link to `peer` is there: it waits, or is to be refused. `None` where as many links of this peer as
    /// may wait are being refused already: it is not worth a word, since a word takes a thread and a file.
    pub(crate) fn wait(
        self: &Arc<Self>,
        peer: Identity,
        limits: &Limits,
    ) -> Option<(Waiting, Result<(), Refusal>)> {
        let mut state = self.lock();
        let drains = state.draining;
        let of_peer = state.peers.entry(peer).or_default();
        let heard = if drains {
            Err(draining())
        } else if of_peer.waiting >= limits.peer.waiting {
            Err(Refusal::busy(format!("{} links of this peer wait already", of_peer.waiting), AGAIN))
        } else {
            Ok(())
        };
        let refused = heard.is_err();
        if !refused {
            of_peer.waiting += 1;
            state.waiting += 1;
        } else if of_peer.refused < limits.peer.waiting {
            of_peer.refused += 1;
        } else {
            return None;
        }
        Some((Waiting { admission: self.clone(), peer, refused }, heard))
    }

    /// Admits a session of `peer` that may hold this many bytes, or refuses it.
    pub(crate) fn admit(
        self: &Arc<Self>,
        peer: Identity,
        limits: &Limits,
        memory: u64,
    ) -> Result<Admitted, Refusal> {
        let now = Instant::now();
        let state = &mut *self.lock();
        if state.draining {
            return Err(draining());
        }
        let of_peer = state.peers.entry(peer).or_default();
        if of_peer.running >= limits.peer.sessions {
            return Err(Refusal::busy(
                format!("{} sessions of this peer run already", of_peer.running),
                AGAIN,
            ));
        }
        within_hour(&mut of_peer.started, limits.peer.sessions_per_hour, now, "this peer has begun")?;
        if state.running >= limits.sessions {
            return Err(Refusal::busy(format!("{} sessions run already", state.running), AGAIN));
        }
        within_hour(&mut state.started, limits.sessions_per_hour, now, "all peers have begun")?;
        if state.memory.saturating_add(memory) > limits.memory {
            return Err(Refusal::busy("the sessions that run may hold all memory there is", AGAIN));
        }
        // The only session of a peer is one of a statement that the operator has chosen, however large.
        if of_peer.running > 0 && of_peer.memory.saturating_add(memory) > limits.peer.memory {
            return Err(Refusal::busy(
                "the sessions of this peer that run may hold all memory that one peer may",
                AGAIN,
            ));
        }
        of_peer.running += 1;
        of_peer.memory += memory;
        of_peer.started.push_back(now);
        state.running += 1;
        state.started.push_back(now);
        state.memory += memory;
        Ok(Admitted { admission: self.clone(), peer, memory })
    }

    /// A strike of `peer` could not be kept elsewhere. One of its sessions runs.
    pub(crate) fn strike(&self, peer: Identity) {
        self.lock().peers.entry(peer).or_default().strikes.push_back(Instant::now());
    }

    /// How many of these there are within the hour.
    pub(crate) fn strikes(&self, peer: Identity) -> u64 {
        let mut state = self.lock();
        let Some(of_peer) = state.peers.get_mut(&peer) else { return 0 };
        of_peer.strikes.retain(|at| at.elapsed() < HOUR);
        of_peer.strikes.len() as u64
    }

    /// The number of sessions of `peer` that run.
    pub(crate) fn running_of(&self, peer: Identity) -> u64 {
        self.lock().peers.get(&peer).map_or(0, |of_peer| of_peer.running)
    }

    /// Sessions that run, and what they may hold.
    pub(crate) fn running(&self) -> (u64, u64) {
        let state = self.lock();
        (state.running, state.memory)
    }

    /// Begins nothing any more. Calls `said` before anybody learns that nothing is under way.
    pub(crate) fn drain(&self, said: impl FnOnce()) {
        let mut state = self.lock();
        state.draining = true;
        said();
        self.ended.notify_all();
    }

    /// Whether nothing begins any more.
    pub(crate) fn is_draining(&self) -> bool {
        self.lock().draining
    }

    /// Waits until nothing is under way.
    pub(crate) fn idle(&self) {
        let mut state = self.lock();
        while state.running + state.waiting + state.telling > 0 {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, peer: Identity, of: impl FnOnce(&mut ServiceLoad, &mut Use)) {
        let mut state = self.lock();
        let mut of_peer = state.peers.remove(&peer).unwrap_or_default();
        of(&mut state, &mut of_peer);
        // Whoever has begun nothing within the hour is forgotten.
        let last = [of_peer.started.back(), of_peer.strikes.back()];
        let recent = last.into_iter().flatten().any(|last| last.elapsed() < HOUR);
        if recent || of_peer.waiting + of_peer.refused + of_peer.running > 0 {
            state.peers.insert(peer, of_peer);
        }
        self.ended.notify_all();
    }
}

/// Refuses where as many began within an hour as may.
fn within_hour(started: &mut VecDeque<Instant>, most: u64, now: Instant, who: &str) -> Result<(), Refusal> {
    while started.front().is_some_and(|first| now.duration_since(*first) >= HOUR) {
        started.pop_front();
    }
    match started.front() {
        Some(first) if started.len() as u64 >= most => {
            let again = (HOUR - now.duration_since(*first)).as_secs() + 1;
            Err(Refusal::busy(format!("{who} {} sessions within an hour", started.len()), again))
        }
        _ => Ok(()),
    }
}

fn draining() -> Refusal {
    Refusal::new(Cause::Draining, "it goes down: try again when it is back")
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.admission.end(self.peer, |state, of_peer| {
            if self.refused {
                of_peer.refused -= 1;
            } else {
                state.waiting -= 1;
                of_peer.waiting -= 1;
            }
        });
    }
}

impl Admitted {
    /// Frees its place, where its end is still to be told.
    pub(crate) fn end(self) -> Ended {
        self.admission.lock().telling += 1;
        Ended(self.admission.clone())
    }
}

/// A session that has ended, and whose end is told meanwhile: a service that drains waits for it.
pub(crate) struct Ended(Arc<Admission>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.lock().telling -= 1;
        self.0.ended.notify_all();
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let memory = self.memory;
        self.admission.end(self.peer, |state, of_peer| {
            state.running -= 1;
            state.memory -= memory;
            of_peer.running -= 1;
            of_peer.memory -= memory;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PeerLimits;
    use volery::channel::SecretKey;

    fn limits() -> Limits {
        let peer = PeerLimits { sessions: 2, sessions_per_hour: 4, memory: 90, waiting: 1, strikes: 1 };
        Limits { sessions: 3, sessions_per_hour: 6, memory: 100, peer, ..Limits::default() }
    }

    fn who() -> Identity {
        SecretKey::generate().expect("a key").identity()
    }

    #[test]
    fn each_limit_refuses_and_lets_go() {
        let (admission, limits, [one, two, three]) =
            (Arc::<Admission>::default(), limits(), [who(), who(), who()]);
        let admit = |peer, memory| admission.admit(peer, &limits, memory).map_err(|refusal| refusal.why);
        let refused = |result: Result<Admitted, String>, words: &str| {
            let why = result.err().expect("refused");
            assert!(why.contains(words), "{why}");
        };
        let a = admit(one, 10).expect("the first");
        refused(admit(one, 81), "that one peer may");
        let b = admit(one, 10).expect("the second");
        refused(admit(one, 10), "2 sessions of this peer");
        refused(admit(two, 81), "memory");
        let c = admit(two, 80).expect("the third");
        refused(admit(three, 0), "3 sessions run");
        assert_eq!(admission.running(), (3, 100));
        assert_eq!([one, two, three].map(|peer| admission.running_of(peer)), [2, 1, 0]);
        drop((a, b));
        drop(c);
        drop(admit(one, 91).expect("its only one"));
        drop(admit(one, 0).expect("again"));
        refused(admit(one, 0), "this peer has begun 4 sessions");
        drop(admit(two, 0).expect("the sixth"));
        refused(admit(three, 0), "all peers have begun 6 sessions");
        assert_eq!(admission.running(), (0, 0));
        let wait = || admission.wait(one, &limits);
        let (waits, heard) = wait().expect("there is room");
        assert_eq!(heard, Ok(()));
        let (refused, heard) = wait().expect("it is told why");
        assert!(heard.is_err_and(|refusal| refusal.why.contains("1 links of this peer")));
        assert!(wait().is_none(), "one more is not");
        drop(waits);
        let (waits, heard) = wait().expect("there is room again");
        assert_eq!(heard, Ok(()));
        assert!(wait().is_none());
        drop(refused);
        assert!(wait().is_some_and(|(_, heard)| heard.is_err()));
        drop(waits);
        assert_eq!(admission.strikes(two), 0);
        admission.strike(two);
        assert_eq!((admission.strikes(one), admission.strikes(two)), (0, 1));
        admission.drain(|| ());
        let (_refused, heard) = wait().expect("it is told why");
        assert_eq!(heard.expect_err("refused").cause, Cause::Draining);
        admission.idle();
    }
}
