//! Words between the two coordinators, by turns.

use super::super::abort::Abort;
use super::super::state::Event;
use super::super::word::{self, Word};
use super::Heard;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use volery::channel::{Channel, Traffic};
use volery::error::{Error, Misbehaviour, Result};

/// Between two messages of the coordinator that connects, where there is nothing to say.
const TICK: Duration = Duration::from_millis(20);
/// How long the other one waits for what it may have to say at once.
const AT_ONCE: Duration = Duration::from_millis(2);

/// The link to the other coordinator.
pub(super) struct Talk {
    pub(super) words: Receiver<Word>,
    pub(super) queue: Sender<Heard>,
    pub(super) peer_host: Option<String>,
    /// How many words the other may still say.
    pub(super) most: u64,
}

impl Talk {
    /// Talks until there is nothing left to say, or nobody to talk to.
    pub(super) fn run(mut self, mut channel: Channel, listens: bool) -> Traffic {
        let talked = if listens { self.answer(&mut channel) } else { self.ask(&mut channel) };
        if let Err(why) = talked {
            let _ = self.queue.send(Heard::Event(Event::Left(Abort::of(&why).of_peer())));
        }
        channel.traffic()
    }

    fn ask(&mut self, channel: &mut Channel) -> Result<()> {
        let mut words = VecDeque::new();
        loop {
            let ends = self.gather(&mut words, TICK);
            if ends && words.is_empty() {
                return Ok(());
            }
            word::send(channel, &mut words)?;
            self.hear(channel)?;
        }
    }

    fn answer(&mut self, channel: &mut Channel) -> Result<()> {
        let mut words = VecDeque::new();
        loop {
            self.hear(channel)?;
            let ends = self.gather(&mut words, AT_ONCE);
            word::send(channel, &mut words)?;
            if ends && words.is_empty() {
                return Ok(());
            }
        }
    }

    /// Takes up what is to be said, which is waited for; whether nothing follows.
    fn gather(&mut self, words: &mut VecDeque<Word>, wait: Duration) -> bool {
        if words.is_empty() {
            match self.words.recv_timeout(wait) {
                Ok(word) => words.push_back(word),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => return true,
            }
        }
        loop {
            match self.words.try_recv() {
                Ok(word) => words.push_back(word),
                Err(ended) => return ended == std::sync::mpsc::TryRecvError::Disconnected,
            }
        }
    }

    fn hear(&mut self, channel: &mut Channel) -> Result<()> {
        for mut word in word::receive(channel)? {
            self.most = self.most.checked_sub(1).ok_or(Error::Misbehaved(Misbehaviour::OutOfTurn))?;
            if let (Word::Ready { address, .. }, Some(host)) = (&mut word, &self.peer_host) {
                *address = reachable(address, host);
            }
            // Where nobody listens any more, the run has ended, and so will this.
            let _ = self.queue.send(Heard::Event(Event::Said(word)));
        }
        Ok(())
    }
}

/// The address of a worker, on `host` where it names none itself.
fn reachable(address: &str, host: &str) -> String {
    match address.parse::<SocketAddr>() {
        Ok(named) if named.ip().is_unspecified() => {
            let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
            format!("{host}:{}", named.port())
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_names_no_host_is_where_its_coordinator_is() {
        assert_eq!(reachable("0.0.0.0:7", "example.org"), "example.org:7");
        assert_eq!(reachable("[::]:7", "::1"), "[::1]:7");
        assert_eq!(reachable("10.0.0.1:7", "example.org"), "10.0.0.1:7");
        assert_eq!(reachable("worker-3:7", "example.org"), "worker-3:7");
    }
}
