//! Verdicts, kept for good.
//!
//! One row for each session that came to a verdict: accepted, rejected, or ended by the prover when it could
//! foresee that. A row is written and on disk before the prover hears of it. And one for each record of a connection
//! to a web server that was signed, which proves nothing by itself, and is on disk before the record leaves: where
//! something is proved of that connection, its verdict stands there instead.

#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

use serde_json::{Value, json};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use volery_cli::failure::{Failure, Fault, Result};

/// The tables, in what SQLite and PostgreSQL both read. Times are milliseconds since 1970.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS verdicts (
    session TEXT PRIMARY KEY,
    began BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    peer TEXT NOT NULL,
    name TEXT NOT NULL,
    statement TEXT NOT NULL,
    digest TEXT NOT NULL,
    public TEXT NOT NULL,
    system TEXT NOT NULL,
    field TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    computational BIGINT NOT NULL,
    statistical BIGINT NOT NULL,
    sent BIGINT NOT NULL,
    received BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS verdicts_of_peer ON verdicts (peer, ended);
CREATE INDEX IF NOT EXISTS verdicts_by_time ON verdicts (ended);
CREATE TABLE IF NOT EXISTS forgiven (peer TEXT NOT NULL, at BIGINT NOT NULL);
";

/// `$1` … are the columns in order: both databases take them so. What was `signed` may become another verdict.
const INSERT: &str = "INSERT INTO verdicts (session, began, ended, peer, name, statement, digest, public, \
     system, field, verdict, reason, computational, statistical, sent, received) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
     ON CONFLICT (session) DO UPDATE SET ended = $3, digest = $7, public = $8, verdict = $11, reason = $12, \
     computational = $13, statistical = $14, sent = $15, received = $16 WHERE verdicts.verdict = 'signed'";

const STRIKES: &str = "SELECT COUNT(*) FROM verdicts WHERE peer = $1 AND verdict NOT IN ('accepted', 'signed') AND ended > $2 \
     AND NOT EXISTS (SELECT 1 FROM forgiven WHERE peer = $1 AND at >= ended)";

const FORGIVE: &str = "INSERT INTO forgiven (peer, at) VALUES ($1, $2)";

/// Empty text, or zero, stands for all.
const SELECT: &str = "SELECT session, began, ended, peer, name, statement, digest, public, system, field, \
     verdict, reason, computational, statistical, sent, received FROM verdicts \
     WHERE ($1 = '' OR peer = $1 OR name = $1) AND ($2 = '' OR statement = $2) \
     AND ($3 = '' OR verdict = $3) AND (ended >= $4 OR $4 = 0) ORDER BY ended DESC, session LIMIT $5";

/// The outcome of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The statement holds.
    Accepted,
    /// A check failed, or the prover broke the protocol.
    Rejected,
    /// The link ended after a coin: by accident, or since the prover saw that it would be rejected.
    Ended,
    /// A record of a connection was signed, and nothing was proved of it here.
    Signed,
}

impl Kind {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Accepted, Self::Rejected, Self::Ended, Self::Signed];

    /// The name under which it is kept.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Ended => "ended",
            Self::Signed => "signed",
        }
    }
}

/// A session that came to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// 32 random hexadecimal digits.
    pub session: String,
    /// The time at which it began, in milliseconds since 1970.
    pub began: i64,
    /// The time at which it ended.
    pub ended: i64,
    /// The identity of the prover.
    pub peer: String,
    /// The name by which it is known, which may be empty.
    pub name: String,
    /// The name of the statement.
    pub statement: String,
    /// The digest of the relation and its public values, in hexadecimal digits.
    pub digest: String,
    /// All public values, as a JSON object.
    pub public: String,
    /// The proof system.
    pub system: String,
    /// The field.
    pub field: String,
    /// The outcome of the session.
    pub verdict: String,
    /// Why, where it is not accepted.
    pub reason: String,
    /// The security against what can be computed, in bits; zero where not accepted.
    pub computational: i64,
    /// −log2 of the probability that a false statement is accepted; zero where not accepted.
    pub statistical: i64,
    /// Bytes to the prover.
    pub sent: i64,
    /// Bytes from the prover.
    pub received: i64,
}

/// The verdicts that are asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// A name or an identity; empty for all.
    pub peer: String,
    /// Empty for all.
    pub statement: String,
    /// Empty for all.
    pub verdict: String,
    /// The earliest time.
    pub since: i64,
    /// The number of verdicts, the last ones.
    pub last: Option<u64>,
}

impl Verdict {
    /// The names of the columns in order.
    pub const COLUMNS: [&str; 16] = [
        "session",
        "began",
        "ended",
        "peer",
        "name",
        "statement",
        "digest",
        "public",
        "system",
        "field",
        "verdict",
        "reason",
        "computational_bits",
        "statistical_bits",
        "sent",
        "received",
    ];

    /// The columns in order; times as RFC 3339 has them.
    pub fn columns(&self) -> [Value; 16] {
        let public = serde_json::from_str(&self.public).unwrap_or_else(|_| json!(self.public));
        [
            json!(self.session),
            json!(time(self.began)),
            json!(time(self.ended)),
            json!(self.peer),
            json!(self.name),
            json!(self.statement),
            json!(self.digest),
            public,
            json!(self.system),
            json!(self.field),
            json!(self.verdict),
            json!(self.reason),
            json!(self.computational),
            json!(self.statistical),
            json!(self.sent),
            json!(self.received),
        ]
    }
}

/// A store of verdicts.
pub trait Store: Send + Sync {
    /// Keeps `verdict`. It is on disk when this returns.
    ///
    /// # Errors
    /// Where it is not kept, which may be because its session has a verdict already.
    fn put(&self, verdict: &Verdict) -> Result<()>;

    /// How many sessions of `peer` were rejected or ended since then, which it was not forgiven.
    ///
    /// # Errors
    /// Where the database does not answer.
    fn strikes(&self, peer: &str, since: i64) -> Result<u64>;

    /// Counts nothing against `peer` any more that is before `at`.
    ///
    /// # Errors
    /// Where the database does not take it.
    fn forgive(&self, peer: &str, at: i64) -> Result<()>;

    /// Gives the verdicts that are asked for to `each`, the last one first.
    ///
    /// # Errors
    /// Those of `each`, and where the database does not answer.
    fn list(&self, filter: &Filter, each: &mut dyn FnMut(Verdict) -> Result<()>) -> Result<()>;
}

/// The verdicts at `place`, a file or a URL; made where there are none and that is asked for.
///
/// # Errors
/// Where they cannot be had.
pub fn open(place: &str, create: bool) -> Result<Box<dyn Store>> {
    if place.starts_with("postgres://") || place.starts_with("postgresql://") {
        #[cfg(feature = "postgres")]
        return Ok(Box::new(postgres::Postgres::open(place)?));
        #[cfg(not(feature = "postgres"))]
        return Err(Failure::usage(
            "database: this volery-serve was built without PostgreSQL: build it by `--features postgres`, or name a \
             file",
        ));
    }
    Ok(Box::new(sqlite::Sqlite::open(Path::new(place), create)?))
}

/// Demands that a row was written: another verdict of its session may stand there.
fn written(rows: u64) -> Result<()> {
    if rows == 1 { Ok(()) } else { Err(failed("writing a verdict", "its session has one")) }
}

/// An error of the database, which shows no URL: a password may stand there.
fn failed(doing: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(Fault::Peer, format_args!("database: {doing}: {why}"))
}

/// Now, in milliseconds since 1970: of a clock that is before that, as many less than none.
pub fn now() -> i64 {
    milliseconds(SystemTime::now())
}

fn milliseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_millis() as i64,
        Err(before) => -(before.duration().as_millis() as i64),
    }
}

/// A time as RFC 3339 has it, in UTC.
pub fn time(milliseconds: i64) -> String {
    let (days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    // Years begin in March here, so that leap days come last (H. Hinnant, chrono-compatible algorithms).
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The first time that begins with `text`, in milliseconds since 1970, if `text` begins a time as [`time`]
/// writes it.
pub fn since(text: &str) -> Option<i64> {
    const WHOLE: &str = "0000-01-01T00:00:00.000Z";
    if text.len() < 4 || text.len() > WHOLE.len() || !text.is_ascii() {
        return None;
    }
    let whole = format!("{text}{}", &WHOLE[text.len()..]);
    // Times as text are in the order of times.
    let (mut low, mut high) = (0, 253_402_300_800_000);
    while low < high {
        let middle = (low + high) / 2;
        if time(middle) < whole { low = middle + 1 } else { high = middle }
    }
    (time(low) == whole).then_some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_written_and_read() {
        for (milliseconds, text) in [
            (-1, "1969-12-31T23:59:59.999Z"),
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_564_799_999, "2026-11-24T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(time(milliseconds), text);
            assert_eq!(since(text), (milliseconds >= 0).then_some(milliseconds));
            let [after, before] =
                [milliseconds, -milliseconds].map(|it| Duration::from_millis(it.max(0) as u64));
            assert_eq!(super::milliseconds(UNIX_EPOCH + after - before), milliseconds);
        }
        assert_eq!(since("2000-02-29"), Some(951_782_400_000));
        assert_eq!(since("2000"), since("2000-01-01"));
        for wrong in ["", "soon", "2001-02-29", "2000-13", "2000-01-01T25", "yesterday or so, at noon"] {
            assert_eq!(since(wrong), None, "{wrong}");
        }
    }
}
