//! Bytes between two parties, in order, counted and hashed.
//!
//! A [`Channel`] wraps a [`Link`] (a TCP connection, an in-memory pipe, a tape around either) and adds what
//! every protocol needs: a transcript that absorbs each byte in either direction, challenges drawn from it,
//! and counters. It is borrowed downwards by `&mut`; protocol code hardly ever flushes: [`Channel::recv`]
//! does before it waits.

mod buffered;
mod carried;
mod fork;
mod handshake;
mod listener;
mod message;
mod pipe;
mod shaped;
mod tape;
mod tcp;
#[cfg(feature = "tls")]
mod tls;
mod transcript;

pub use carried::Carried;
pub use fork::{Abort, Fork, fork};
pub use handshake::TRAFFIC as HANDSHAKE;
pub use handshake::{Hello, LANES, MAGIC, Nonce, Proposed, service_hello, shake_hands};
pub use listener::Listener;
pub use message::{Deferred, Message};
#[doc(hidden)]
pub use pipe::side_by_side;
pub use pipe::{Pipe, pipe};
pub use shaped::Shaped;
pub use tape::{Flip, Playback, Recording, Tape};
pub use tcp::{Tcp, is_loopback};
#[cfg(feature = "tls")]
pub use tls::{Identity, NoIdentity, Peers, SIGNATURE, SecretKey, Tls, TlsConfig};

use crate::error::{Error, Misbehaviour, Result};
use crate::pool::Pool;
use message::Pending;
use std::io;
use std::time::{Duration, Instant};
use transcript::Transcript;
use volery_primitives::arch::memcheck;
use volery_primitives::{F128, Field};

/// A carrier of bytes to and from the peer, in order, without knowing what they mean.
///
/// Every wait is bounded: an implementation returns [`io::ErrorKind::TimedOut`] rather than hang.
pub trait Link: Send {
    /// Takes all of `bytes`; may keep them in a buffer until [`Link::flush`].
    ///
    /// # Errors
    /// Where the peer is gone or does not take them in time.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Hands everything taken so far to the peer.
    ///
    /// # Errors
    /// As for [`Link::send`].
    fn flush(&mut self) -> io::Result<()>;

    /// The number of bytes that can be received without waiting, as far as the link knows.
    fn ready(&self) -> usize {
        0
    }

    /// Fills all of `bytes`.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] where the peer has closed,
    /// [`io::ErrorKind::TimedOut`] where it is silent.
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()>;

    /// The binding: 32 bytes that both ends of this link share and no other link has, if the link has such.
    /// They need not be secret. Challenges depend on them, so that a proof is worth nothing over another
    /// link.
    fn binding(&self) -> Option<[u8; 32]> {
        None
    }

    /// Ends the sending direction, and waits until the peer has done so too, or is gone, a few seconds at
    /// most.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] where something followed; where the peer is gone there is none.
    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Splits the link into its directions, each for a thread of its own: see [`fork`].
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] where the link has no such.
    fn split(self: Box<Self>) -> io::Result<Directions> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this link carries one protocol at a time"))
    }
}

/// The two directions of a link.
pub struct Directions {
    /// The one to the peer.
    pub sending: Box<dyn Sending>,
    /// The one from the peer.
    pub receiving: Box<dyn Receiving>,
}

/// The sending direction of a link.
pub trait Sending: Send {
    /// Takes all of `bytes`, as [`Link::send`] does.
    ///
    /// # Errors
    /// As for [`Link::send`].
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Hands everything taken so far to the peer.
    ///
    /// # Errors
    /// As for [`Link::send`].
    fn flush(&mut self) -> io::Result<()>;

    /// Hands everything over, and tells the peer that nothing follows.
    ///
    /// # Errors
    /// As for [`Link::send`].
    fn end(&mut self) -> io::Result<()>;

    /// Gives the link up: whoever waits for the peer on another thread is told.
    fn abort(&mut self);

    /// Bounds every single wait by `timeout` from now on.
    ///
    /// # Errors
    /// Where what carries the bytes refuses it.
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()>;
}

/// The receiving direction of a link.
pub trait Receiving: Send {
    /// The number of bytes that can be received without waiting, as far as the link knows.
    fn ready(&self) -> usize {
        0
    }

    /// Fills all of `bytes`, as [`Link::recv`] does.
    ///
    /// # Errors
    /// As for [`Link::recv`].
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()>;

    /// The longest single wait.
    fn timeout(&self) -> Duration;

    /// Bounds every single wait by `timeout` from now on.
    ///
    /// # Errors
    /// Where what carries the bytes refuses it.
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()>;
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        (**self).flush()
    }
    fn ready(&self) -> usize {
        (**self).ready()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        (**self).recv(bytes)
    }
    fn binding(&self) -> Option<[u8; 32]> {
        (**self).binding()
    }
    fn close(&mut self) -> io::Result<()> {
        (**self).close()
    }
    fn split(self: Box<Self>) -> io::Result<Directions> {
        (*self).split()
    }
}

/// How long to wait for the peer to end its direction, after this side has.
pub(crate) const PARTING: Duration = Duration::from_secs(2);

/// The two parties of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Party {
    /// The party that knows the witness.
    Prover,
    /// The party that is to be convinced.
    Verifier,
}

impl Party {
    /// The name, "prover" or "verifier".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Verifier => "verifier",
        }
    }

    /// The other party.
    pub const fn other(self) -> Self {
        match self {
            Self::Prover => Self::Verifier,
            Self::Verifier => Self::Prover,
        }
    }
}

/// Numbers of what a channel has carried so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes sent by this party.
    pub sent: u64,
    /// Bytes received by this party.
    pub received: u64,
    /// How often this party had to wait for the peer after it had sent something: round trips as seen from
    /// here. Where messages cross, it depends on how fast they travel.
    pub rounds: u64,
}

impl Traffic {
    /// The sum of two parts of a channel's traffic.
    pub const fn and(self, more: Self) -> Self {
        Self {
            sent: self.sent + more.sent,
            received: self.received + more.received,
            rounds: self.rounds + more.rounds,
        }
    }

    /// The traffic after `earlier`.
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            sent: self.sent - earlier.sent,
            received: self.received - earlier.received,
            rounds: self.rounds - earlier.rounds,
        }
    }
}

/// One end of a session: a link, its transcript, its counters.
pub struct Channel {
    link: Box<dyn Link>,
    party: Party,
    transcript: Transcript,
    /// The end of the peer's stream that the transcript lacks.
    pending: Pending,
    traffic: Traffic,
    /// Whether something was sent since the last wait.
    spoke: bool,
    /// Whether the peer is held: it can foresee the verdict, so that an end of the link counts against it.
    held: bool,
    /// The number of others that hold the peer, each until it has its own answer.
    holders: usize,
    /// Words on their way to bytes and back.
    scratch: Vec<u8>,
    /// The threads that set-ups over the channel may use, and digests of what is received.
    pool: Pool,
}

impl Channel {
    /// The end of `party` over `link`.
    pub fn new(party: Party, link: impl Link + 'static) -> Self {
        let transcript = Transcript::over(link.binding());
        Self {
            link: Box::new(link),
            party,
            transcript,
            pending: Pending::default(),
            traffic: Traffic::default(),
            spoke: false,
            held: false,
            holders: 0,
            scratch: Vec::new(),
            pool: Pool::default(),
        }
    }

    /// Lets set-ups over this channel hand out to `pool` what can be shared, and the channel its digests.
    pub fn share_work(&mut self, pool: &Pool) {
        self.pool = pool.clone();
    }

    /// The threads that set-ups over this channel may use.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The party that this end belongs to.
    pub const fn party(&self) -> Party {
        self.party
    }

    /// The traffic so far.
    pub const fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Sends `bytes` as one message, whose length the peer knows, and which it receives by one call.
    ///
    /// # Errors
    /// `Io` where the link fails.
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.send_digested(bytes, transcript::digest)
    }

    /// Sends a message, as [`Channel::send`] does.
    ///
    /// # Errors
    /// As for [`Channel::send`].
    pub fn send_message(&mut self, message: &Message) -> Result<()> {
        self.send_digested(message.bytes(), |_| {
            let digest = message.digest();
            // The peer computes it, too.
            memcheck::publish(&digest);
            digest
        })
    }

    fn send_digested(&mut self, bytes: &[u8], digest: impl FnOnce(&[u8]) -> [u8; 32]) -> Result<()> {
        // First of all, since a link may mark what is no secret any more.
        self.link.send(bytes).map_err(|source| self.ended("sending to the peer", source))?;
        self.transcript.absorb(self.party, bytes.len() as u64, &digest(bytes));
        self.traffic.sent += bytes.len() as u64;
        self.spoke = true;
        Ok(())
    }

    /// Receives one message of the peer into `bytes`. All that was sent before is flushed first.
    ///
    /// # Errors
    /// `Io` where the link fails, the peer has closed, or it stays silent for too long.
    pub fn recv(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.recv_undigested(bytes)?;
        let digest = transcript::digest(bytes);
        self.settle();
        self.transcript.absorb(self.party.other(), bytes.len() as u64, &digest);
        Ok(())
    }

    /// Receives bytes that are still to be absorbed.
    fn recv_undigested(&mut self, bytes: &mut [u8]) -> Result<()> {
        if self.spoke && self.link.ready() < bytes.len() {
            self.flush()?;
            self.traffic.rounds += 1;
        }
        self.link.recv(bytes).map_err(|source| self.ended("waiting for the peer", source))?;
        self.traffic.received += bytes.len() as u64;
        Ok(())
    }

    /// Receives one message of `length` bytes, in `memory`, as [`Channel::recv`] does. Its digest is made by a task:
    /// the transcript absorbs the digest when a few such messages have followed, or where something asked depends on
    /// it.
    ///
    /// # Errors
    /// As for [`Channel::recv`].
    pub fn recv_message(&mut self, length: usize, memory: Vec<u8>) -> Result<Message> {
        let mut bytes = memory;
        bytes.resize(length, 0);
        self.recv_undigested(&mut bytes)?;
        let message = self.pending.push(bytes, &self.pool);
        self.settle_beyond(self.pool.ahead());
        Ok(message)
    }

    /// Absorbs all that was received.
    fn settle(&mut self) {
        self.settle_beyond(0);
    }

    fn settle_beyond(&mut self, left: usize) {
        self.pending.settle(&mut self.transcript, self.party.other(), left);
    }

    /// Receives an array; its length is the protocol's, never the peer's.
    ///
    /// # Errors
    /// As for [`Channel::recv`].
    pub fn recv_array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.recv(&mut bytes)?;
        Ok(bytes)
    }

    /// Sends 128-bit words, 16 bytes each, least significant first.
    ///
    /// # Errors
    /// As for [`Channel::send`].
    pub fn send_words(&mut self, words: &[F128]) -> Result<()> {
        let mut bytes = core::mem::take(&mut self.scratch);
        bytes.resize(16 * words.len(), 0);
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_bytes();
        }
        let sent = self.send(&bytes);
        self.scratch = bytes;
        sent
    }

    /// Fills `words` with 16 bytes each, least significant first. Every encoding is canonical.
    ///
    /// # Errors
    /// As for [`Channel::recv`].
    pub fn recv_words(&mut self, words: &mut [F128]) -> Result<()> {
        let mut bytes = core::mem::take(&mut self.scratch);
        bytes.resize(16 * words.len(), 0);
        let received = self.recv(&mut bytes);
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = F128::from_bytes(*bytes);
        }
        self.scratch = bytes;
        received
    }

    /// Sends field elements, [`Field::BYTES`] each, least significant first, or bits, eight to a byte.
    ///
    /// # Errors
    /// As for [`Channel::send`].
    pub fn send_elements<F: Field>(&mut self, elements: &[F]) -> Result<()> {
        let mut bytes = core::mem::take(&mut self.scratch);
        bytes.resize(F::bytes_of(elements.len() as u64) as usize, 0);
        F::encode_all(elements, &mut bytes);
        let sent = self.send(&bytes);
        self.scratch = bytes;
        sent
    }

    /// Fills `elements` with what [`Channel::send_elements`] has sent.
    ///
    /// # Errors
    /// `Misbehaved` where an encoding is not canonical, or bits follow the last; those of [`Channel::recv`].
    pub fn recv_elements<F: Field>(&mut self, elements: &mut [F]) -> Result<()> {
        let mut bytes = core::mem::take(&mut self.scratch);
        bytes.resize(F::bytes_of(elements.len() as u64) as usize, 0);
        let received = self.recv(&mut bytes);
        let canonical = F::decode_all(&bytes, elements);
        self.scratch = bytes;
        received?;
        let otherwise =
            if F::BITS == 1 { Misbehaviour::FurtherBits } else { Misbehaviour::NonCanonicalElement };
        if canonical { Ok(()) } else { Err(Error::Misbehaved(otherwise)) }
    }

    /// Sends a coin of this party, which decides on the peer's messages, as [`Channel::send_words`] does.
    /// From here on the peer is [held](Channel::hold_peer).
    ///
    /// # Errors
    /// As for [`Channel::send`].
    pub fn send_coin(&mut self, coin: &[F128]) -> Result<()> {
        self.hold_peer();
        self.send_words(coin)
    }

    /// Holds the peer: by the next message it can foresee the verdict. From here until
    /// [`Channel::release_peer`] a link that ends is [`Error::Abandoned`], and not an accident. For messages
    /// that are no row of words, or no coin.
    pub fn hold_peer(&mut self) {
        self.held = true;
    }

    /// Releases the peer: all that it could foresee is decided, except for what it is [held
    /// for](Channel::hold_peer_for) singly.
    pub fn release_peer(&mut self) {
        self.held = false;
    }

    /// Holds the peer, as [`Channel::hold_peer`] does, on account of one of several open questions, until
    /// that one is [decided](Channel::release_peer_for). `holding` says whether it holds the peer.
    pub fn hold_peer_for(&mut self, holding: &mut bool) {
        self.holders += usize::from(!core::mem::replace(holding, true));
    }

    /// Releases the peer from one of several open questions, which has been decided.
    pub fn release_peer_for(&mut self, holding: &mut bool) {
        self.holders -= usize::from(core::mem::replace(holding, false));
    }

    /// Whether the end of the link counts against the peer.
    pub const fn holds_peer(&self) -> bool {
        self.held || self.holders > 0
    }

    /// The error of a link that ended.
    fn ended(&self, doing: &'static str, source: io::Error) -> Error {
        if self.holds_peer() {
            Error::Abandoned { peer: self.party.other().name(), doing, source }
        } else {
            Error::Io { doing, source }
        }
    }

    /// An identifier for what follows: 32 bytes that depend on all messages so far. Both parties must be at a
    /// point of the protocol where each has received all that the other has sent.
    pub fn checkpoint(&mut self, label: &'static str) -> [u8; 32] {
        self.settle();
        self.transcript.checkpoint(label)
    }

    /// A challenge to the party under test: 32 bytes that depend on all its messages so far, and on all
    /// messages of both parties up to the last checkpoint. Both parties get the same challenge where they
    /// call it at the same point of that party's stream.
    ///
    /// The party under test must have sent all that the challenge combines. A transcript may stand for the
    /// other party's coin only where guessing the challenge is out of reach offline: 100 bits and more.
    pub fn challenge(&mut self, under_test: Party, label: &'static str) -> [u8; 32] {
        if under_test != self.party {
            self.settle();
        }
        self.transcript.challenge(under_test, label)
    }

    /// Asks for a [challenge](Channel::challenge) to the peer that is drawn when the transcript has absorbed all
    /// messages before it: at the latest [on demand](Channel::draw).
    pub fn defer_challenge(&mut self, label: &'static str) -> Deferred {
        let later = self.pending.challenge(label);
        self.settle_beyond(self.pool.ahead());
        later
    }

    /// Draws a challenge that was asked for, if it was not drawn yet.
    ///
    /// # Panics
    /// Where it was asked of another channel, and not drawn there.
    pub fn draw(&mut self, later: &Deferred) -> [u8; 32] {
        if later.get().is_none() {
            self.settle();
        }
        *later.get().expect("a challenge that was asked of this channel")
    }

    /// Ends the session: nothing may follow the peer's last message, and the peer is told that nothing
    /// follows here. A channel that is dropped instead does not notice bytes that somebody on the way has
    /// added at the end.
    ///
    /// # Errors
    /// `Misbehaved` where something followed; `Io` where what was sent could not be handed over.
    pub fn close(mut self) -> Result<()> {
        self.flush()?;
        match self.link.close() {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(Error::Misbehaved(Misbehaviour::BytesBehindEnd))
            }
            closed => closed.map_err(Error::io("closing the link")),
        }
    }

    /// Ends the sending direction, and drops what the peer still sends, for as long as an honest peer takes
    /// to end its own. A system that closes a connection with unread bytes may drop what is still on its way
    /// to the peer.
    pub fn hang_up(&mut self) {
        let deadline = Instant::now() + PARTING;
        let followed =
            |closed: io::Result<()>| closed.is_err_and(|why| why.kind() == io::ErrorKind::InvalidData);
        while followed(self.link.close()) && Instant::now() < deadline {}
    }

    /// Flushes: hands over all that was sent. A protocol needs this after its last message, and where a
    /// message must travel while its sender has nothing to wait for.
    ///
    /// # Errors
    /// `Io` where the link fails.
    pub fn flush(&mut self) -> Result<()> {
        if core::mem::take(&mut self.spoke) {
            self.link.flush().map_err(|source| self.ended("sending to the peer", source))?;
        }
        Ok(())
    }

    /// Flushes, and the turn is still the sender's: a round is counted when it waits.
    ///
    /// # Errors
    /// As for [`Channel::flush`].
    #[inline]
    pub fn dispatch(&mut self) -> Result<()> {
        let spoke = self.spoke;
        let flushed = self.flush();
        self.spoke = spoke;
        flushed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    /// Channels over TCP, and a second handle on the first one's socket.
    fn pair() -> (Channel, Channel, TcpStream) {
        let timeout = Duration::from_secs(10);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let here = Tcp::new(listener.accept().unwrap().0, timeout).unwrap();
        let behind = there.try_clone().unwrap();
        let there = Tcp::new(there, timeout).unwrap();
        (Channel::new(Party::Verifier, here), Channel::new(Party::Prover, there), behind)
    }

    #[test]
    fn nothing_may_follow_the_end() {
        let (mut here, mut there, _) = pair();
        there.send(b"last").unwrap();
        there.flush().unwrap();
        here.recv(&mut [0; 4]).unwrap();
        let closing = std::thread::spawn(move || there.close());
        here.close().unwrap();
        closing.join().unwrap().unwrap();

        // Sent with the last message, or after it.
        for with_the_last in [true, false] {
            let (mut here, mut there, mut behind) = pair();
            there.send(b"last").unwrap();
            there.flush().unwrap();
            if with_the_last {
                behind.write_all(b"!").unwrap();
            }
            here.recv(&mut [0; 4]).unwrap();
            if !with_the_last {
                behind.write_all(b"!").unwrap();
            }
            assert!(matches!(here.close(), Err(Error::Misbehaved(Misbehaviour::BytesBehindEnd))));
        }
        // Who is gone says nothing more.
        let (here, there, behind) = pair();
        drop((there, behind));
        here.close().unwrap();
    }

    /// An end is an accident, for either party, until a coin has been told, and from the time on at which it
    /// is answered.
    #[test]
    fn an_end_counts_while_the_peer_can_foresee_what_comes() {
        for (party, other) in [(Party::Prover, "verifier"), (Party::Verifier, "prover")] {
            let mut channel = Channel::new(party, Playback::new(vec![]));
            assert!(matches!(channel.recv_array::<1>(), Err(Error::Io { .. })));
            channel.send_coin(&[F128::ZERO]).unwrap();
            assert!(channel.holds_peer());
            let ended = channel.recv_array::<1>().unwrap_err();
            assert!(matches!(ended, Error::Abandoned { peer, .. } if peer == other), "{ended}");
            channel.release_peer();
            assert!(matches!(channel.recv_array::<1>(), Err(Error::Io { .. })));
        }
    }

    /// An answer to one coin is none to another: of two things that a peer answers to one after the other,
    /// and of one that it answers to at the end.
    #[test]
    fn an_answer_to_one_coin_is_none_to_another() {
        let mut channel = Channel::new(Party::Prover, Playback::new(vec![]));
        let [mut one, mut other] = [false; 2];
        channel.release_peer_for(&mut one);
        for _ in 0..3 {
            channel.hold_peer_for(&mut one);
        }
        channel.hold_peer_for(&mut other);
        channel.release_peer_for(&mut one);
        channel.release_peer_for(&mut one);
        assert!(matches!(channel.recv_array::<1>(), Err(Error::Abandoned { .. })));
        channel.hold_peer();
        channel.release_peer_for(&mut other);
        assert!(channel.holds_peer() && !one && !other);
        channel.release_peer();
        assert!(matches!(channel.recv_array::<1>(), Err(Error::Io { .. })));
    }

    /// A party that does not take a coin, since it has gone, has left after it.
    #[test]
    fn who_does_not_take_a_coin_has_left() {
        let (here, there) = pipe(std::time::Duration::from_secs(20));
        drop(there);
        let mut channel = Channel::new(Party::Verifier, here);
        channel.send(&[1]).unwrap();
        assert!(matches!(channel.flush(), Err(Error::Io { .. })));
        channel.send_coin(&[F128::ZERO]).unwrap();
        assert!(matches!(channel.flush(), Err(Error::Abandoned { peer: "prover", .. })));
    }
}
