//! The verifier's end: it forwards, and records.

use super::{CLOSE, CLOSED, DOWN, ENDED, Limits, MOST_DOWN, UP, is_over, receive_by, send};
use crate::error::{Error, Place, Refusal, Result, Why};
use crate::recording::{Recording, Side};
use crate::tls::{Suite, hellos};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant, SystemTime};
use volery::channel::Link;

/// The time for which more of the server is gathered, once something has come.
const GATHER: Duration = Duration::from_millis(3);

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

/// Steps 1 to 4 of the verifier: forwards a connection to the server of this `name`, by one of these `suites`, which
/// `connect` makes once the ClientHello has passed.
///
/// # Errors
/// `Refused` where a hello does not pass; `Io` where either connection ends, is silent, or passes a limit.
pub fn relay(
    link: &mut dyn Link,
    name: &str,
    suites: &[Suite],
    limits: &Limits,
    connect: &mut dyn FnMut() -> Result<TcpStream>,
) -> Result<Relayed> {
    let doing = "forwarding to the server";
    let up = |link: &mut dyn Link, recording: &Recording, deadline| {
        let left = limits.up.saturating_sub(recording.stream(Side::Client).len());
        let message = receive_by(link, &[(UP, left), (CLOSE, left)], deadline);
        message.map_err(Error::io("waiting for the prover"))
    };
    let check = |recording: &Recording, last| check_hellos(hellos(recording, name, suites), last);
    let mut recording = Recording::new();
    // Nobody is connected to yet.
    let first = up(link, &recording, None)?;
    let began = Instant::now();
    recording.push(Side::Client, &first.bytes, 0);
    let mut are_complete = check(&recording, Side::Client)?;
    let mut server = connect()?;
    let opened = SystemTime::now();
    let address = server.peer_addr().map_err(Error::io(doing))?;
    server.set_nodelay(true).map_err(Error::io(doing))?;
    let deadline = began + limits.total;
    forward(&mut server, limits, deadline, &first.bytes).map_err(Error::io(doing))?;
    let mut message = first;
    while message.kind == UP {
        // Step 2.
        let (bytes, has_ended) = gather(&mut server, limits, deadline, recording.stream(Side::Server).len())?;
        recording.push(Side::Server, &bytes, millis(began));
        if !are_complete {
            are_complete = check(&recording, Side::Server)?;
        }
        let kind = if has_ended { ENDED } else { DOWN };
        send(link, kind, &bytes).map_err(Error::io("sending to the prover"))?;
        message = up(link, &recording, Some(deadline))?;
        if Instant::now() > deadline {
            return Err(Error::io(doing)(is_over()));
        }
        recording.push(Side::Client, &message.bytes, millis(began));
        if !are_complete {
            are_complete = check(&recording, Side::Client)?;
        }
        // A server that is gone hears it no more, and what it does not hear changes nothing.
        let forwarded = forward(&mut server, limits, deadline, &message.bytes);
        if let Err(why) = forwarded
            && message.kind == UP
            && !has_ended
        {
            return Err(Error::io(doing)(why));
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    drop(server);
    let closed = SystemTime::now();
    send(link, CLOSED, &recording.digest().to_bytes())
        .map_err(Error::io("closing the connection to the server"))?;
    Ok(Relayed { recording, address, opened, closed })
}

fn millis(began: Instant) -> u32 {
    u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX)
}

/// Whether all hellos have passed, as they are read; an error where one does not. `last` is the side that spoke last, whose hello is
/// there as a whole where it is the client's.
fn check_hellos(hellos: Result<[u8; 32]>, last: Side) -> Result<bool> {
    match hellos {
        Ok(_) => Ok(true),
        Err(Error::Refused(Refusal { at: Place::Stream(side), why: Why::Unfinished, .. }))
            if side == Side::Server || last == Side::Server =>
        {
            Ok(false)
        }
        Err(why) => Err(why),
    }
}

/// Writes all of this to the server. One that takes it up byte by byte does not have more time for it.
fn forward(server: &mut TcpStream, limits: &Limits, deadline: Instant, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(is_over());
        }
        server.set_write_timeout(Some(limits.silence.min(left)))?;
        match server.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(io::Error::new(ErrorKind::TimedOut, "the server takes nothing up"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
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
            return Err(Error::io(doing)(is_over()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A server that takes nothing up holds its relay no longer than the connection may take.
    #[test]
    fn writes_end_with_the_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut server = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let deadline = Instant::now() + Duration::from_millis(50);
        let ended = forward(&mut server, &Limits::default(), deadline, &vec![0; 1 << 24]);
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(Instant::now() < deadline + Limits::default().silence);
    }

    /// A prover that drips its bytes, and is never silent.
    struct Dripping(usize);

    impl Link for Dripping {
        fn send(&mut self, _: &[u8]) -> io::Result<()> {
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
            self.0 += bytes.len();
            bytes.fill(1);
            Ok(())
        }
    }

    /// Nor does a prover that drips its bytes: none is waited for behind the deadline.
    #[test]
    fn reads_end_with_the_connection() {
        let kinds = [(UP, usize::MAX)];
        let mut link = Dripping(0);
        let ended = receive_by(&mut link, &kinds, Some(Instant::now() + Duration::from_millis(1)));
        assert_eq!(ended.map(drop).unwrap_err().kind(), ErrorKind::TimedOut);
        assert!((5..5 + 0x0101_0101).contains(&link.0), "{}", link.0);
    }
}
