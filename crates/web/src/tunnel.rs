//! The connection to the server, over the link between prover and verifier: the verifier forwards and records it.
//!
//! **Relation.** Both sides have the same recording of one connection, which the verifier made to an address of its own
//! choice, and which is closed before the prover opens anything of it.
//!
//! | step | who | message | bytes |
//! |---|---|---|---|
//! | 0 | prover | the first bytes of volery's protocols, and `web1` | 12 |
//! | 1 | prover | `Up`: what the server is to have, at first a whole ClientHello | 5 + n |
//! | 2 | verifier | `Down`: what the server said since; or `Ended`, with its last bytes; or `Refused`, with why | 5 + n |
//! | | | steps 1 and 2 again, as often as the prover wants to read | |
//! | 3 | prover | `Close`: the last bytes for the server | 5 + n |
//! | 4 | verifier | `Closed`, once the connection is: the lengths and SHA-256 of both directions | 5 + 80 |
//! | 5 | prover | `Opening` | 5 + n |
//! | 6 | verifier | `Opened`, or `Refused`; the prover does not wait for it | 5 + n |
//! | 7 | both | the proof, on the same link | |
//!
//! A message is its kind, one byte, its length, four, and so many bytes. Both sides bound each length beforehand, by the
//! limits of the directions.
//!
//! **Checks of the verifier.** Before it connects the ClientHello has passed all that the proof will ask of it; and so
//! has each further hello before it is forwarded (see [`tls`](crate::tls)). A server whose hello does not pass is hung
//! up on. So the link is no open proxy: it goes to the one name and port of the policy, at an address that is public.
//!
//! **Deviations** from the notes of web proofs: directions take turns, since a link has one thread on each side. The
//! verifier gathers what the server says within some milliseconds, so that a turn carries a flight, and a whole response
//! of some kilobytes takes three turns.
//!
//! **What an abort leaks.** Until step 5 the verifier has ciphertext, and the server's name. A link that ends between
//! steps 4 and 7 proves nothing; behind step 5 the verifier knows what was opened.

use crate::error::{Error, Place, Refusal, Result, Whose, Why};
use crate::opening::Opening;
use crate::recording::{Recording, RecordingDigest, Side};
use crate::tls::hellos;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant, SystemTime};
use volery::channel::{Link, MAGIC};

/// The first bytes behind those of all of volery's protocols: this one, and its version.
const WEB: [u8; 4] = *b"web1";

const UP: u8 = 1;
const DOWN: u8 = 2;
const ENDED: u8 = 3;
const REFUSED: u8 = 4;
const CLOSE: u8 = 5;
const CLOSED: u8 = 6;
const OPENING: u8 = 7;
const OPENED: u8 = 8;

/// The most bytes of a server in one message.
const MOST_DOWN: usize = 1 << 18;
/// The most bytes of a refusal.
const MOST_WHY: usize = 1 << 10;
/// The time for which more of the server is gathered, once something has come.
const GATHER: Duration = Duration::from_millis(3);
/// The longest wait for a connection to the server.
const CONNECT: Duration = Duration::from_secs(10);

/// Limits of a connection to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most bytes of TLS to the server.
    pub up: usize,
    /// The most bytes of TLS from it.
    pub down: usize,
    /// The longest time of the connection.
    pub total: Duration,
    /// The longest silence of the server.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { up: 1 << 16, down: 1 << 22, total: seconds(60), silence: seconds(20) }
    }
}

/// The most bytes of an opening about a connection within these limits: each byte of data is shown once, and five
/// more bytes say where a part begins.
const fn most_opening(limits: &Limits) -> usize {
    (1 << 12) + 6 * (limits.up + limits.down)
}

/// A message on the link.
struct Message {
    kind: u8,
    bytes: Vec<u8>,
}

fn send(link: &mut dyn Link, kind: u8, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    link.send(&[kind])?;
    link.send(&length.to_be_bytes())?;
    link.send(bytes)?;
    link.flush()
}

/// The next message, of one of these kinds, each with the most bytes that it may have.
fn receive(link: &mut dyn Link, kinds: &[(u8, usize)]) -> io::Result<Message> {
    let mut head = [0; 5];
    link.recv(&mut head)?;
    let [kind, length @ ..] = head;
    let length = u32::from_be_bytes(length) as usize;
    let most = kinds.iter().find(|(due, _)| *due == kind);
    let wrong = |why| io::Error::new(ErrorKind::InvalidData, why);
    let (_, most) = most.ok_or_else(|| wrong("the peer sends a message that is not due"))?;
    if length > *most {
        return Err(wrong("the peer sends a longer message than it may"));
    }
    let mut bytes = vec![0; length];
    link.recv(&mut bytes)?;
    Ok(Message { kind, bytes })
}

/// The prover's end of the connection to the server.
pub struct Tunnel<'l> {
    link: &'l mut dyn Link,
    /// Bytes for the server that are not sent yet.
    outgoing: Vec<u8>,
    /// Bytes of the server that are not read yet, from `read` on.
    incoming: Vec<u8>,
    read: usize,
    ended: bool,
    /// Whether step 0 is done.
    has_begun: bool,
}

impl<'l> Tunnel<'l> {
    /// The end on `link`.
    pub fn new(link: &'l mut dyn Link) -> Self {
        Self { link, outgoing: vec![], incoming: vec![], read: 0, ended: false, has_begun: false }
    }

    /// Steps 3 and 4: closes the connection, and compares what both sides have recorded.
    ///
    /// # Errors
    /// `Io`; `Refused` where the verifier has recorded something else.
    pub fn close(self, recording: &Recording) -> Result<()> {
        let doing = "closing the connection to the server";
        send(self.link, CLOSE, &self.outgoing).map_err(Error::io(doing))?;
        let closed = receive(self.link, &[(CLOSED, 80)]).map_err(Error::io(doing))?;
        if closed.bytes == closing(recording) {
            return Ok(());
        }
        let place = Place::Stream(Side::Server);
        Err(Refusal { at: place, why: Why::OtherBytes, whose: Whose::Verifier }.into())
    }
}

impl Read for Tunnel<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.read == self.incoming.len() && !self.ended {
            if !core::mem::replace(&mut self.has_begun, true) {
                self.link.send(&[&MAGIC[..], &WEB].concat())?;
            }
            // Step 1.
            send(self.link, UP, &core::mem::take(&mut self.outgoing))?;
            let kinds = [(DOWN, MOST_DOWN), (ENDED, MOST_DOWN), (REFUSED, MOST_WHY)];
            let message = receive(self.link, &kinds)?;
            if message.kind == REFUSED {
                return Err(refused(&message.bytes));
            }
            self.ended = message.kind == ENDED;
            (self.incoming, self.read) = (message.bytes, 0);
        }
        let ready = &self.incoming[self.read..];
        let length = ready.len().min(bytes.len());
        bytes[..length].copy_from_slice(&ready[..length]);
        self.read += length;
        Ok(length)
    }
}

impl Write for Tunnel<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Nothing goes before there is something to wait for: a turn has all of it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error of a refusal that the peer has sent, of a kind by which it is told from others.
fn refused(why: &[u8]) -> io::Error {
    // It is shown on a terminal.
    let why: String = String::from_utf8_lossy(why).chars().filter(|c| !c.is_control()).collect();
    io::Error::new(ErrorKind::PermissionDenied, format!("the verifier refuses: {why}"))
}

/// The lengths and digests of both directions.
fn closing(recording: &Recording) -> Vec<u8> {
    let RecordingDigest { up, down } = recording.digest();
    let length = |side| (recording.stream(side).len() as u64).to_be_bytes();
    [&length(Side::Client)[..], &length(Side::Server), &up, &down].concat()
}

/// Step 5: sends the opening.
///
/// # Errors
/// `Io`.
pub fn send_opening(link: &mut dyn Link, opening: &Opening) -> Result<()> {
    send(link, OPENING, &opening.to_bytes()).map_err(Error::io("sending the opening"))
}

/// A link on which the answer of step 6 stands before what is received next: so the prover goes on to the proof.
pub struct Awaiting<L> {
    link: L,
    waits: bool,
}

impl<L: Link> Awaiting<L> {
    /// The link behind step 5.
    pub const fn new(link: L) -> Self {
        Self { link, waits: true }
    }
}

impl<L: Link> Awaiting<L> {
    /// The answer, if it is still to come; an error where it is a refusal.
    fn answer(&mut self) -> io::Result<()> {
        if !core::mem::take(&mut self.waits) {
            return Ok(());
        }
        let message = receive(&mut self.link, &[(OPENED, 0), (REFUSED, MOST_WHY)])?;
        if message.kind == REFUSED { Err(refused(&message.bytes)) } else { Ok(()) }
    }

    /// Passes on how sending ended; where nobody takes it any more, the answer says why.
    fn sent(&mut self, sent: io::Result<()>) -> io::Result<()> {
        let Err(error) = sent else { return Ok(()) };
        self.answer()?;
        Err(error)
    }
}

impl<L: Link> Link for Awaiting<L> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let sent = self.link.send(bytes);
        self.sent(sent)
    }

    fn flush(&mut self) -> io::Result<()> {
        let sent = self.link.flush();
        self.sent(sent)
    }

    fn ready(&self) -> usize {
        // What is ready may be the answer.
        if self.waits { 0 } else { self.link.ready() }
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.answer()?;
        self.link.recv(bytes)
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.link.binding()
    }

    fn close(&mut self) -> io::Result<()> {
        self.link.close()
    }
}

/// Step 5 of the verifier: receives the opening.
///
/// # Errors
/// `Io`; `Refused` where it is not canonical.
pub fn receive_opening(link: &mut dyn Link, limits: &Limits) -> Result<Opening> {
    let message = receive(link, &[(OPENING, most_opening(limits))]);
    Ok(Opening::from_bytes(&message.map_err(Error::io("waiting for the opening"))?.bytes)?)
}

/// Step 6: says that the opening is one that a proof may be about.
///
/// # Errors
/// `Io`.
pub fn take_opening(link: &mut dyn Link) -> Result<()> {
    send(link, OPENED, &[]).map_err(Error::io("answering the opening"))
}

/// Tells the prover why its session is refused, as far as the link still goes.
pub fn refuse(link: &mut dyn Link, why: &Error) {
    let mut why = why.to_string();
    let end = (0..=MOST_WHY.min(why.len())).rev().find(|end| why.is_char_boundary(*end));
    why.truncate(end.unwrap_or(0));
    // It may be sending, and hears the answer only where the link is closed in order.
    let _ = send(link, REFUSED, why.as_bytes()).and_then(|()| link.close());
}

/// A connection that was forwarded, and is closed.
pub struct Relayed {
    /// All that went over it.
    pub recording: Recording,
    /// The address of the server.
    pub address: SocketAddr,
    /// The time at which it was made.
    pub opened: SystemTime,
    /// The time at which it was closed.
    pub closed: SystemTime,
}

/// Steps 1 to 4 of the verifier: forwards a connection to the server of this `name`, which `connect` makes once the
/// ClientHello has passed.
///
/// # Errors
/// `Refused` where a hello does not pass; `Io` where either connection ends, is silent, or passes a limit.
pub fn relay(
    link: &mut dyn Link,
    name: &str,
    limits: &Limits,
    connect: &mut dyn FnMut() -> Result<TcpStream>,
) -> Result<Relayed> {
    let doing = "forwarding to the server";
    let up = |link: &mut dyn Link, recording: &Recording| {
        let left = limits.up.saturating_sub(recording.stream(Side::Client).len());
        receive(link, &[(UP, left), (CLOSE, left)]).map_err(Error::io("waiting for the prover"))
    };
    let mut greeting = [0; MAGIC.len() + WEB.len()];
    link.recv(&mut greeting).map_err(Error::io("waiting for the prover"))?;
    if greeting[..] != [&MAGIC[..], &WEB].concat() {
        let other =
            io::Error::new(ErrorKind::InvalidData, "it does not speak of web proofs, or of another version");
        return Err(Error::io("waiting for the prover")(other));
    }
    let mut recording = Recording::new();
    let first = up(link, &recording)?;
    let began = Instant::now();
    recording.push(Side::Client, &first.bytes, 0);
    let mut are_complete = check_hellos(&recording, name, Side::Client)?;
    let mut server = connect()?;
    let opened = SystemTime::now();
    let address = server.peer_addr().map_err(Error::io(doing))?;
    server.set_nodelay(true).map_err(Error::io(doing))?;
    server.set_write_timeout(Some(limits.silence)).map_err(Error::io(doing))?;
    server.write_all(&first.bytes).map_err(Error::io(doing))?;
    let mut message = first;
    while message.kind == UP {
        // Step 2.
        let deadline = began + limits.total;
        let (bytes, has_ended) = gather(&mut server, limits, deadline, recording.stream(Side::Server).len())?;
        recording.push(Side::Server, &bytes, millis(began));
        if !are_complete {
            are_complete = check_hellos(&recording, name, Side::Server)?;
        }
        let kind = if has_ended { ENDED } else { DOWN };
        send(link, kind, &bytes).map_err(Error::io("sending to the prover"))?;
        message = up(link, &recording)?;
        recording.push(Side::Client, &message.bytes, millis(began));
        if !are_complete {
            are_complete = check_hellos(&recording, name, Side::Client)?;
        }
        // A server that is gone hears it no more, and what it does not hear changes nothing.
        if server.write_all(&message.bytes).is_err() && message.kind == UP && !has_ended {
            return Err(Error::io(doing)(ErrorKind::BrokenPipe.into()));
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    drop(server);
    let closed = SystemTime::now();
    send(link, CLOSED, &closing(&recording)).map_err(Error::io("closing the connection to the server"))?;
    Ok(Relayed { recording, address, opened, closed })
}

fn millis(began: Instant) -> u32 {
    u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX)
}

/// Whether all hellos have passed; an error where one does not. `last` is the side that spoke last, whose hello is
/// there as a whole where it is the client's.
fn check_hellos(recording: &Recording, name: &str, last: Side) -> Result<bool> {
    match hellos(recording, name) {
        Ok(_) => Ok(true),
        Err(Error::Refused(Refusal { at: Place::Stream(side), why: Why::Unfinished, .. }))
            if side == Side::Server || last == Side::Server =>
        {
            Ok(false)
        }
        Err(why) => Err(why),
    }
}

/// Gathers what the server says: something at least, unless it has ended, which is told beside it.
fn gather(
    server: &mut TcpStream,
    limits: &Limits,
    deadline: Instant,
    before: usize,
) -> Result<(Vec<u8>, bool)> {
    let doing = "waiting for the server";
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 14];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::io("forwarding to the server")(io::Error::new(
                ErrorKind::TimedOut,
                "its time is over",
            )));
        }
        let wait = if bytes.is_empty() { limits.silence.min(left) } else { GATHER };
        server.set_read_timeout(Some(wait)).map_err(Error::io(doing))?;
        match server.read(&mut piece) {
            Ok(0) => return Ok((bytes, true)),
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if !bytes.is_empty() {
                    return Ok((bytes, false));
                }
                let silent = io::Error::new(ErrorKind::TimedOut, "the server is silent");
                return Err(Error::io(doing)(silent));
            }
            // A server that resets has ended: its bytes so far are what they are.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok((bytes, true)),
            Err(error) => return Err(Error::io(doing)(error)),
        }
        if before + bytes.len() > limits.down {
            let much = io::Error::new(ErrorKind::InvalidData, "the server sends more than it may");
            return Err(Error::io(doing)(much));
        }
        if bytes.len() + piece.len() > MOST_DOWN {
            return Ok((bytes, false));
        }
    }
}

/// A connection to the server `name`, at one of its public addresses: that is checked, and the checked one is
/// connected to.
///
/// # Errors
/// `Io` where it has no address, or none answers; `Invalid` where an address is not public, or is this machine's.
pub fn connect(name: &str, port: u16) -> Result<TcpStream> {
    let doing = "connecting to the server";
    let addresses: Vec<SocketAddr> = (name, port).to_socket_addrs().map_err(Error::io(doing))?.collect();
    if let Some(address) = addresses.iter().find(|address| !is_public(address.ip())) {
        return Err(Error::invalid(format!("{name} has the address {}, which is not public", address.ip())));
    }
    let deadline = Instant::now() + CONNECT;
    let mut last = io::Error::new(ErrorKind::NotFound, "the name has no address");
    for address in &addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(address, left) {
            Ok(stream) => {
                let own = stream.local_addr().map_err(Error::io(doing))?;
                if own.ip() == address.ip() {
                    return Err(Error::invalid(format!("{name} is this machine itself")));
                }
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(Error::io(doing)(last))
}

/// Whether an address is one of the public internet, by the registries of addresses for special purposes (RFC 6890 and
/// its successors): nothing that a verifier's own network may have.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [0 | 10 | 127, ..] => true,
        [100, second, ..] => second & 0xc0 == 64,
        [169, 254, ..] | [192, 168, ..] => true,
        [172, second, ..] => second & 0xf0 == 16,
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        [198, second, ..] => second & 0xfe == 18,
        [first, ..] => first >= 224,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Global unicast alone (RFC 4291 section 2.4): all that maps or embeds an IPv4 address otherwise lies outside.
    match address.segments() {
        // Teredo, benchmarks, ORCHID, and others for protocols; documentation; and 6to4, which embeds IPv4.
        [0x2001, second, ..] => second >= 0x200 && second != 0xdb8,
        [0x2002, ..] => false,
        [0x3fff, second, ..] => second >= 0x1000,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_network_of_ones_own_are_refused() {
        let refused = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.1.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
        ];
        for address in refused {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "223.1.1.1",
            "2001:4860::8888",
            "2606:4700::1111",
            "2a00::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        assert!(matches!(connect("127.0.0.1", 1), Err(Error::Invalid(_))));
        assert!(matches!(connect("::1", 1), Err(Error::Invalid(_))));
        // In other notations, of which the resolver makes what they are.
        for name in ["0x7f000001", "2130706433", "127.1", "localhost"] {
            assert!(connect(name, 1).is_err(), "{name}");
        }
    }
}
