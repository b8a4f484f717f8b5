//! Verdicts in a file.

use super::{FORGIVE, Filter, INSERT, SCHEMA, SELECT, STRIKES, Store, Verdict, failed};
use rusqlite::{Connection, OpenFlags, params};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use volery_cli::failure::{Failure, Result};

/// How long one of two processes waits for the other.
const BUSY: Duration = Duration::from_secs(10);

/// A database of SQLite.
pub(super) struct Sqlite(Mutex<Connection>);

impl Sqlite {
    pub(super) fn open(path: &Path, create: bool) -> Result<Self> {
        if !create && !path.exists() {
            return Err(Failure::usage(format_args!("{}: there is no such database", path.display())));
        }
        let failed = |why| failed(&format!("opening {}", path.display()), why);
        if create {
            make(path)
                .map_err(|why| Failure::peer(format_args!("database: making {}: {why}", path.display())))?;
        }
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
        let database = Connection::open_with_flags(path, flags).map_err(failed)?;
        let begin = || -> rusqlite::Result<()> {
            database.busy_timeout(BUSY)?;
            // Whoever lists does not wait for who writes, and each commit is on disk when it returns.
            database.pragma_update(None, "journal_mode", "WAL")?;
            database.pragma_update(None, "synchronous", "FULL")?;
            database.execute_batch(SCHEMA)
        };
        begin().map_err(failed)?;
        Ok(Self(Mutex::new(database)))
    }

    /// A thread that panicked left no transaction open: each call is one.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Sqlite {
    fn put(&self, verdict: &Verdict) -> Result<()> {
        let Verdict { session, began, ended, peer, name, statement, digest, public, .. } = verdict;
        let Verdict { system, field, verdict: kind, reason, .. } = verdict;
        let Verdict { computational, statistical, sent, received, .. } = verdict;
        let values = params![
            session,
            began,
            ended,
            peer,
            name,
            statement,
            digest,
            public,
            system,
            field,
            kind,
            reason,
            computational,
            statistical,
            sent,
            received
        ];
        let database = self.lock();
        let put = database.prepare(INSERT).and_then(|mut insert| insert.execute(values));
        put.map(drop).map_err(|why| failed("writing a verdict", why))
    }

    fn strikes(&self, peer: &str, since: i64) -> Result<u64> {
        let database = self.lock();
        let counted = database
            .prepare(STRIKES)
            .and_then(|mut count| count.query_row(params![peer, since], |row| row.get::<_, i64>(0)));
        counted.map(|count| count as u64).map_err(|why| failed("counting verdicts", why))
    }

    fn forgive(&self, peer: &str, at: i64) -> Result<()> {
        let done = self.lock().execute(FORGIVE, params![peer, at]);
        done.map(drop).map_err(|why| failed("forgiving a peer", why))
    }

    fn list(&self, filter: &Filter, each: &mut dyn FnMut(Verdict) -> Result<()>) -> Result<()> {
        let failed = |why| failed("listing verdicts", why);
        let database = self.lock();
        let mut select = database.prepare(SELECT).map_err(failed)?;
        let last = filter.last.map_or(i64::MAX, |last| last.min(i64::MAX as u64) as i64);
        let values = params![filter.peer, filter.statement, filter.verdict, filter.since, last];
        let mut rows = select.query(values).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            each(verdict(row).map_err(failed)?)?;
        }
        Ok(())
    }
}

/// Makes the file where there is none, for its user alone: it says who proved what. SQLite gives the files
/// that it puts beside it the same mode.
fn make(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn verdict(row: &rusqlite::Row<'_>) -> rusqlite::Result<Verdict> {
    Ok(Verdict {
        session: row.get(0)?,
        began: row.get(1)?,
        ended: row.get(2)?,
        peer: row.get(3)?,
        name: row.get(4)?,
        statement: row.get(5)?,
        digest: row.get(6)?,
        public: row.get(7)?,
        system: row.get(8)?,
        field: row.get(9)?,
        verdict: row.get(10)?,
        reason: row.get(11)?,
        computational: row.get(12)?,
        statistical: row.get(13)?,
        sent: row.get(14)?,
        received: row.get(15)?,
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// All files of a database that is open are for its user alone.
    #[test]
    fn nobody_else_reads_verdicts() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(&folder.path().join("verdicts.db"), true).expect("made");
        store.forgive("somebody", 1).expect("written");
        let files = std::fs::read_dir(folder.path()).expect("listed").map(|file| file.expect("a file"));
        let modes: Vec<_> = files.map(|file| file.metadata().expect("known").permissions().mode()).collect();
        assert!(modes.len() > 1 && modes.iter().all(|mode| mode & 0o777 == 0o600), "{modes:?}");
    }
}
