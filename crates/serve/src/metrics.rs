//! Metrics, and the address at which they can be asked for, in the text format of Prometheus.
//!
//! The responder is a few lines of our own: it answers `GET /metrics` and `GET /health` of programs on this
//! machine, and nothing else.

use crate::store::Kind;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tracing::warn;
use volery_cli::service::Cause;

/// The most askers at once: one more takes the place of the oldest, who may not ask at all.
const MOST: usize = 16;
/// The pause where an asker could not be heard.
const PAUSE: Duration = Duration::from_millis(200);
/// The time after which an asker that has not asked and taken up the answer is closed, however it spreads its
/// bytes.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest question.
const LONGEST: usize = 4096;

/// The counts of the service.
#[derive(Default)]
pub(crate) struct Metrics {
    /// The number of connections.
    pub(crate) connections: AtomicU64,
    /// Connections that have not shown yet who they are.
    pub(crate) unknown: AtomicU64,
    /// The number of connections that never began a session: strangers, garbage, and slow peers.
    pub(crate) turned_away: AtomicU64,
    /// Sessions that run.
    pub(crate) sessions: AtomicU64,
    /// The estimated memory of those sessions.
    pub(crate) memory: AtomicU64,
    /// Sessions by what they came to.
    verdicts: [AtomicU64; Kind::ALL.len()],
    /// Sessions that were not begun, by cause.
    refused: [AtomicU64; CAUSES.len()],
    /// Bytes that sessions carried.
    pub(crate) sent: AtomicU64,
    pub(crate) received: AtomicU64,
    /// Milliseconds of sessions that came to an end.
    pub(crate) milliseconds: AtomicU64,
    /// Verdicts that could not be kept.
    pub(crate) unrecorded: AtomicU64,
    /// Sessions that a bug of ours has ended.
    pub(crate) panics: AtomicU64,
    /// The file was read anew, and made sense, or not.
    pub(crate) reloads: [AtomicU64; 2],
    /// No session begins any more.
    pub(crate) draining: AtomicBool,
}

/// The causes in the order of their counters.
const CAUSES: [Cause; 6] =
    [Cause::Unknown, Cause::Invalid, Cause::Busy, Cause::Limit, Cause::Draining, Cause::Failed];

impl Metrics {
    pub(crate) fn ended(&self, kind: Kind) {
        let at = Kind::ALL.iter().position(|one| *one == kind).expect("all are there");
        self.verdicts[at].fetch_add(1, Relaxed);
    }

    pub(crate) fn refused(&self, cause: Cause) {
        let at = CAUSES.iter().position(|one| *one == cause).expect("all are there");
        self.refused[at].fetch_add(1, Relaxed);
    }

    /// All figures in the format of Prometheus.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut put = |name: &str, kind: &str, help: &str, values: &[(String, f64)]| {
            let _ = writeln!(text, "# HELP volery_{name} {help}\n# TYPE volery_{name} {kind}");
            for (labels, value) in values {
                let _ = writeln!(text, "volery_{name}{labels} {value}");
            }
        };
        let one = |value: &AtomicU64| vec![(String::new(), value.load(Relaxed) as f64)];
        let label = |key: &str, name: &str, value: &AtomicU64| {
            (format!("{{{key}=\"{name}\"}}"), value.load(Relaxed) as f64)
        };
        let verdicts: Vec<_> =
            Kind::ALL.iter().zip(&self.verdicts).map(|(kind, n)| label("verdict", kind.name(), n)).collect();
        let refused: Vec<_> =
            CAUSES.iter().zip(&self.refused).map(|(cause, n)| label("cause", cause.name(), n)).collect();
        let bytes = [label("way", "sent", &self.sent), label("way", "received", &self.received)];
        let [read, bad] = &self.reloads;
        let reloads = [label("result", "read", read), label("result", "refused", bad)];
        put("connections_total", "counter", "Connections that were made.", &one(&self.connections));
        put(
            "turned_away_total",
            "counter",
            "Connections that never showed to be a peer.",
            &one(&self.turned_away),
        );
        put(
            "unknown_connections",
            "gauge",
            "Connections that have not shown yet who they are.",
            &one(&self.unknown),
        );
        put("sessions", "gauge", "Sessions that run.", &one(&self.sessions));
        put(
            "admitted_memory_bytes",
            "gauge",
            "What running sessions may hold by estimate.",
            &one(&self.memory),
        );
        put("sessions_total", "counter", "Sessions by what they came to.", &verdicts);
        put("refused_total", "counter", "Sessions that were not begun, by cause.", &refused);
        put("session_bytes_total", "counter", "What sessions carried.", &bytes);
        let seconds = [(String::new(), self.milliseconds.load(Relaxed) as f64 / 1e3)];
        put("session_seconds_total", "counter", "Time that sessions took.", &seconds);
        put("unrecorded_total", "counter", "Verdicts that could not be kept.", &one(&self.unrecorded));
        put("panics_total", "counter", "Sessions that a bug has ended.", &one(&self.panics));
        put("reloads_total", "counter", "Times that the file was read anew.", &reloads);
        text
    }

    fn health(&self) -> (&'static str, String) {
        if self.draining.load(Relaxed) {
            return ("503 Service Unavailable", "draining\n".into());
        }
        ("200 OK", "ok\n".into())
    }
}

/// Answers on `listener`, on threads of its own, for as long as the process runs.
///
/// # Errors
/// Where there is no thread to be had.
pub(crate) fn answer(listener: TcpListener, metrics: Arc<Metrics>) -> io::Result<()> {
    let accept = move || {
        let (asking, mut next) = (Arc::<Mutex<Asking>>::default(), 0);
        for stream in listener.incoming() {
            next += 1;
            if let Err(why) = stream.and_then(|stream| hear(stream, next, &asking, &metrics)) {
                warn!(%why, "nobody could be heard who asks for metrics");
                std::thread::sleep(PAUSE);
            }
        }
    };
    std::thread::Builder::new().name("metrics".into()).spawn(accept).map(drop)
}

/// Connections of who asks, the oldest first, by their numbers.
type Asking = VecDeque<(u64, TcpStream)>;

/// Hears one on a thread of its own.
fn hear(
    stream: TcpStream,
    number: u64,
    asking: &Arc<Mutex<Asking>>,
    metrics: &Arc<Metrics>,
) -> io::Result<()> {
    let mut others = asking.lock().unwrap_or_else(PoisonError::into_inner);
    if others.len() == MOST
        && let Some((_, oldest)) = others.pop_front()
    {
        let _ = oldest.shutdown(Shutdown::Both);
    }
    others.push_back((number, stream.try_clone()?));
    drop(others);
    let leave = {
        let asking = asking.clone();
        move || {
            let mut asking = asking.lock().unwrap_or_else(PoisonError::into_inner);
            asking.retain(|(other, _)| *other != number);
        }
    };
    let (metrics, left) = (metrics.clone(), leave.clone());
    let spawned = std::thread::Builder::new().name("metrics".into()).spawn(move || {
        // Who goes before it has asked is nobody's concern.
        let _ = reply(stream, &metrics, PATIENCE);
        left();
    });
    spawned.map(drop).inspect_err(|_| leave())
}

/// Answers who has asked before this patience ends.
fn reply(mut stream: TcpStream, metrics: &Metrics, patience: Duration) -> io::Result<()> {
    let deadline = Instant::now() + patience;
    let (mut asked, mut piece) = (Vec::new(), [0; 512]);
    while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
        stream.set_read_timeout(Some(left(deadline)?))?;
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            _ if asked.len() > LONGEST => return Ok(()),
            length => asked.extend_from_slice(&piece[..length]),
        }
    }
    let line = asked.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|&byte| byte == b' ');
    let (status, body) = match (words.next(), words.next()) {
        (Some(b"GET"), Some(b"/metrics")) => ("200 OK", metrics.text()),
        (Some(b"GET"), Some(b"/health")) => metrics.health(),
        _ => ("404 Not Found", "there are /metrics and /health\n".into()),
    };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut rest = answer.as_bytes();
    while !rest.is_empty() {
        stream.set_write_timeout(Some(left(deadline)?))?;
        match stream.write(rest)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            length => rest = &rest[length..],
        }
    }
    Ok(())
}

/// The time until then.
///
/// # Errors
/// `TimedOut` where there is none.
fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_can_be_asked_for() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let metrics = Arc::new(Metrics::default());
        answer(listener, metrics.clone()).expect("a thread");
        metrics.ended(Kind::Accepted);
        metrics.refused(Cause::Busy);
        let get = |path: &str| {
            let mut stream = TcpStream::connect(address).expect("connected");
            write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
            let mut text = String::new();
            stream.read_to_string(&mut text).expect("UTF-8");
            text
        };
        let text = get("/metrics");
        assert!(text.contains("\nvolery_sessions_total{verdict=\"accepted\"} 1\n"), "{text}");
        assert!(text.contains("\nvolery_refused_total{cause=\"busy\"} 1\n"), "{text}");
        assert!(get("/health").starts_with("HTTP/1.1 200 OK"));
        metrics.draining.store(true, Relaxed);
        assert!(get("/health").starts_with("HTTP/1.1 503"));
        assert!(get("/").starts_with("HTTP/1.1 404"));
    }

    /// An asker that sends a byte now and then does not stay for longer than one that sends nothing.
    #[test]
    fn slow_questions_end() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let patience = Duration::from_millis(400);
        let hears = move || reply(listener.accept()?.0, &Metrics::default(), patience);
        let hearing = std::thread::spawn(hears);
        let mut stream = TcpStream::connect(address).expect("connected");
        stream.set_read_timeout(Some(patience / 40)).expect("set");
        let closed = (0..400).position(|_| {
            let gone = stream.write_all(b"x").is_err();
            // The wait between two bytes, which ends early where the link does.
            let waits = |why: &io::Error| matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
            gone || !stream.read(&mut [0]).is_err_and(|why| waits(&why))
        });
        assert!(closed.is_some_and(|bytes| bytes > 1), "{closed:?}");
        assert!(hearing.join().expect("no panic").is_err());
    }

    /// Connections that say nothing are in nobody's way.
    #[test]
    fn the_silent_make_room() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        answer(listener, Arc::default()).expect("a thread");
        let silent: Vec<_> = (0..3 * MOST).map(|_| TcpStream::connect(address).expect("connected")).collect();
        let begun = Instant::now();
        let mut asks = TcpStream::connect(address).expect("connected");
        write!(asks, "GET /health HTTP/1.1\r\n\r\n").expect("sent");
        let mut text = String::new();
        asks.read_to_string(&mut text).expect("UTF-8");
        assert!(text.ends_with("ok\n"), "{text}");
        assert!(begun.elapsed() < PATIENCE, "it waited for them");
        drop(silent);
    }
}
