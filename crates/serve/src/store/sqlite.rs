//! Verdicts in a file.

use super::{FORGIVE, Filter, INSERT, SCHEMA, SELECT, STRIKES, Store, Verdict, failed, written};
use rusqlite::{Connection, OpenFlags, params};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use volery_cli::failure::{Failure, Result};

/// How long one of two processes, or sessions, waits for the other.
const BUSY: Duration = Duration::from_secs(5);

/// The connections that are kept for later; more are opened while more sessions need them.
const KEPT: usize = 4;

/// A database of SQLite. Each call has a connection of its own, so that those that wait for another process do
/// so side by side.
pub(super) struct Sqlite {
    path: PathBuf,
    busy: Duration,
    /// The file that was opened, which may be no more at its path: what is written then is lost.
    file: FileId,
    idle: Mutex<Vec<Connection>>,
}

impl Sqlite {
    pub(super) fn open(path: &Path, create: bool) -> Result<Self> {
        Self::waiting(path, create, BUSY)
    }

    /// Opens it, for calls that wait so long for another process.
    fn waiting(path: &Path, create: bool, busy: Duration) -> Result<Self> {
        if !create && !path.exists() {
            return Err(Failure::usage(format_args!("{}: there is no such database", path.display())));
        }
        if create {
            make(path)
                .map_err(|why| Failure::peer(format_args!("database: making {}: {why}", path.display())))?;
        }
        let opening = |why: &dyn std::fmt::Display| failed(&format!("opening {}", path.display()), why);
        let file = FileId::of(path).map_err(|why| opening(&why))?;
        let database = connect(path, busy).map_err(|why| opening(&why))?;
        database.execute_batch(SCHEMA).map_err(|why| opening(&why))?;
        let this = Self { path: path.into(), busy, file, idle: Mutex::new(vec![database]) };
        this.is_there(&opening)?;
        Ok(this)
    }

    /// Does `work`, which counts if the file is at its path after it.
    fn with<T>(&self, doing: &str, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let failed = |why: &dyn std::fmt::Display| failed(doing, why);
        let idle = self.idle().pop();
        let database = match idle {
            Some(database) => database,
            None => {
                let database = connect(&self.path, self.busy).map_err(|why| failed(&why))?;
                // What stands in its place is not kept, nor ever written to.
                self.is_there(&failed)?;
                database
            }
        };
        let done = work(&database);
        let mut idle = self.idle();
        if idle.len() < KEPT {
            idle.push(database);
        }
        drop(idle);
        let done = done.map_err(|why| failed(&why))?;
        self.is_there(&failed)?;
        Ok(done)
    }

    fn is_there(&self, failed: &dyn Fn(&dyn std::fmt::Display) -> Failure) -> Result<()> {
        if FileId::of(&self.path).is_ok_and(|found| found == self.file) {
            return Ok(());
        }
        let path = self.path.display();
        Err(failed(&format_args!(
            "{path} was deleted or replaced since it was opened: put it back, or start again"
        )))
    }

    /// A thread that panicked took its connection with it.
    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(path: &Path, busy: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    database.busy_timeout(busy)?;
    // Whoever lists does not wait for who writes, and each commit is on disk when it returns.
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "FULL")?;
    Ok(database)
}

/// A file, whatever its name.
#[derive(PartialEq, Eq)]
struct FileId([u64; 2]);

impl FileId {
    #[cfg(unix)]
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).map(|file| Self([file.dev(), file.ino()]))
    }

    /// No more than that there is one.
    #[cfg(not(unix))]
    fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|_| Self([0; 2]))
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
        let put = |database: &Connection| database.prepare(INSERT)?.execute(values);
        written(self.with("writing a verdict", put)? as u64)
    }

    fn strikes(&self, peer: &str, since: i64) -> Result<u64> {
        let count = |database: &Connection| {
            database.prepare(STRIKES)?.query_row(params![peer, since], |row| row.get::<_, i64>(0))
        };
        self.with("counting verdicts", count).map(|count| count as u64)
    }

    fn forgive(&self, peer: &str, at: i64) -> Result<()> {
        self.with("forgiving a peer", |database| database.execute(FORGIVE, params![peer, at])).map(drop)
    }

    fn list(&self, filter: &Filter, each: &mut dyn FnMut(Verdict) -> Result<()>) -> Result<()> {
        let last = filter.last.map_or(i64::MAX, |last| last.min(i64::MAX as u64) as i64);
        let mut heard = Ok(());
        self.with("listing verdicts", |database| {
            let mut select = database.prepare(SELECT)?;
            let values = params![filter.peer, filter.statement, filter.verdict, filter.since, last];
            let mut rows = select.query(values)?;
            while let Some(row) = rows.next()?
                && heard.is_ok()
            {
                heard = each(verdict(row)?);
            }
            Ok(())
        })?;
        heard
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

    /// A verdict takes the place of a record that was signed in its session, and of nothing else.
    #[test]
    fn verdicts_are_for_good() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(&folder.path().join("verdicts.db"), true).expect("made");
        let put = |verdict: &str| {
            let text = String::new;
            store.put(&Verdict {
                session: "one".into(),
                verdict: verdict.into(),
                began: 1,
                ended: 2,
                peer: text(),
                name: text(),
                statement: text(),
                digest: text(),
                public: text(),
                system: text(),
                field: text(),
                reason: text(),
                computational: 0,
                statistical: 0,
                sent: 0,
                received: 0,
            })
        };
        put("signed").expect("written");
        put("rejected").expect("written");
        for verdict in ["signed", "accepted"] {
            assert!(put(verdict).expect_err("it has one").line.contains("its session has one"));
        }
        let mut found = vec![];
        let each = &mut |verdict: Verdict| {
            found.push(verdict.verdict);
            Ok(())
        };
        store.list(&Filter::default(), each).expect("read");
        assert_eq!(found, ["rejected"]);
    }

    /// A write to a file that is no more at its path is lost, and so it fails.
    #[test]
    fn a_file_that_is_gone_keeps_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("verdicts.db");
        let store = Sqlite::open(&path, true).expect("made");
        store.forgive("somebody", 1).expect("written");
        let gone = |result: Result<()>| {
            let why = result.expect_err("it is gone").line;
            assert!(why.contains("verdicts.db") && why.contains("deleted or replaced"), "{why}");
        };
        std::fs::rename(&path, folder.path().join("elsewhere")).expect("renamed");
        gone(store.forgive("somebody", 2));
        std::fs::write(&path, "another").expect("written");
        gone(store.strikes("somebody", 0).map(drop));
        std::fs::rename(folder.path().join("elsewhere"), &path).expect("renamed back");
        assert_eq!(store.strikes("somebody", 0).ok(), Some(0));
    }

    /// A connection that is opened while another database stands in the place of this one is not kept for later.
    #[test]
    fn what_stands_in_its_place_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, elsewhere] = ["verdicts.db", "elsewhere"].map(|name| folder.path().join(name));
        let store = Sqlite::open(&path, true).expect("made");
        store.idle().clear();
        std::fs::rename(&path, &elsewhere).expect("renamed");
        let other = Sqlite::open(&path, true).expect("made");
        assert!(store.forgive("somebody", 1).expect_err("it is gone").line.contains("deleted or replaced"));
        assert!(store.idle().is_empty());
        drop(other);
        std::fs::rename(&elsewhere, &path).expect("renamed back");
        assert_eq!(store.strikes("somebody", 0).ok(), Some(0));
    }

    /// Sessions that wait for a lock of another process do so side by side, and no longer than they may.
    #[test]
    fn a_locked_database_is_waited_for_side_by_side() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("verdicts.db");
        let busy = Duration::from_millis(300);
        let store = &Sqlite::waiting(&path, true, busy).expect("made");
        let other = connect(&path, busy).expect("opened");
        other.execute_batch("BEGIN IMMEDIATE").expect("locked");
        let begun = std::time::Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let why = store.forgive("somebody", 1).expect_err("it is locked").line;
                    assert!(why.contains("locked"), "{why}");
                });
            }
            // Who reads does not wait.
            assert_eq!(store.strikes("somebody", 0).ok(), Some(0));
        });
        let took = begun.elapsed();
        // One behind the other it would be eight times as long; machines are busy.
        assert!(took >= busy && took < 6 * busy, "{took:?}");
        other.execute_batch("ROLLBACK").expect("unlocked");
        store.forgive("somebody", 1).expect("written");
    }
}
