//! Verdicts in a PostgreSQL database.

use super::{FORGIVE, Filter, INSERT, SCHEMA, SELECT, STRIKES, Store, Verdict, failed, written};
use postgres::types::ToSql;
use postgres::{Client, NoTls, Row};
use std::sync::{Mutex, PoisonError};
use volery_cli::failure::Result;

/// Rows that are fetched at once.
const ROWS: i32 = 1000;

/// A connection that is made anew where it was lost.
pub(super) struct Postgres {
    url: String,
    client: Mutex<Client>,
}

impl Postgres {
    pub(super) fn open(url: &str) -> Result<Self> {
        Ok(Self { url: url.into(), client: Mutex::new(connect(url)?) })
    }

    /// Does `work`. Where the connection was lost before, it is made anew first: work that was under way when
    /// it was lost is never done twice.
    fn with<T>(
        &self,
        doing: &str,
        work: impl FnOnce(&mut Client) -> std::result::Result<T, postgres::Error>,
    ) -> Result<T> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if client.is_closed() {
            *client = connect(&self.url)?;
        }
        work(&mut client).map_err(|why| failed(doing, said(&why)))
    }
}

fn connect(url: &str) -> Result<Client> {
    let made = || {
        let mut client = Client::connect(url, NoTls)?;
        // Whatever the server's default is: a verdict is on its disk before it is told.
        client.batch_execute("SET synchronous_commit = on; SET client_min_messages = warning")?;
        // Nobody waits without end for another who has locked a table.
        client.batch_execute("SET lock_timeout = '5s'")?;
        client.batch_execute(SCHEMA)?;
        Ok(client)
    };
    made().map_err(|why: postgres::Error| failed("connecting to PostgreSQL", said(&why)))
}

/// The error in the server's words, where it has any.
fn said(why: &postgres::Error) -> String {
    why.as_db_error().map_or_else(|| why.to_string(), |said| said.message().to_owned())
}

impl Store for Postgres {
    fn put(&self, verdict: &Verdict) -> Result<()> {
        let Verdict { session, began, ended, peer, name, statement, digest, public, .. } = verdict;
        let Verdict { system, field, verdict: kind, reason, .. } = verdict;
        let Verdict { computational, statistical, sent, received, .. } = verdict;
        let values: [&(dyn ToSql + Sync); 16] = [
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
            received,
        ];
        written(self.with("writing a verdict", |client| client.execute(INSERT, &values))?)
    }

    fn strikes(&self, peer: &str, since: i64) -> Result<u64> {
        let row = self.with("counting verdicts", |client| client.query_one(STRIKES, &[&peer, &since]))?;
        Ok(row.get::<_, i64>(0) as u64)
    }

    fn forgive(&self, peer: &str, at: i64) -> Result<()> {
        self.with("forgiving a peer", |client| client.execute(FORGIVE, &[&peer, &at])).map(drop)
    }

    fn list(&self, filter: &Filter, each: &mut dyn FnMut(Verdict) -> Result<()>) -> Result<()> {
        let last = filter.last.map_or(i64::MAX, |last| last.min(i64::MAX as u64) as i64);
        let values: [&(dyn ToSql + Sync); 5] =
            [&filter.peer, &filter.statement, &filter.verdict, &filter.since, &last];
        let mut failure = None;
        self.with("listing verdicts", |client| {
            let mut transaction = client.transaction()?;
            let portal = transaction.bind(SELECT, &values)?;
            loop {
                let rows = transaction.query_portal(&portal, ROWS)?;
                for row in &rows {
                    if let Err(why) = each(verdict(row)) {
                        failure = Some(why);
                        return Ok(());
                    }
                }
                if rows.len() < ROWS as usize {
                    return transaction.commit();
                }
            }
        })?;
        failure.map_or(Ok(()), Err)
    }
}

fn verdict(row: &Row) -> Verdict {
    Verdict {
        session: row.get(0),
        began: row.get(1),
        ended: row.get(2),
        peer: row.get(3),
        name: row.get(4),
        statement: row.get(5),
        digest: row.get(6),
        public: row.get(7),
        system: row.get(8),
        field: row.get(9),
        verdict: row.get(10),
        reason: row.get(11),
        computational: row.get(12),
        statistical: row.get(13),
        sent: row.get(14),
        received: row.get(15),
    }
}
