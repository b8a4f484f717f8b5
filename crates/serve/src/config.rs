//! The meaning of a service's file: which statements, which peers, which limits.
//!
//! Whatever is wrong with it is an error with its line, and nothing of it is taken then, but for the prime of a
//! field that is named by it: a process keeps the first one.

mod file;
mod statement;
mod web;

pub(crate) use file::Limits;
#[cfg(test)]
pub(crate) use file::PeerLimits;
pub(crate) use statement::{Claimed, Stated, Statement};

use file::{At, File, Place};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tracing::Level;
use volery::channel::{Identity, Peers, SecretKey, TlsConfig, is_loopback};
use volery_cli::failure::{Failure, Result};
use volery_cli::service::LONGEST_NAME;
use volery_cli::waiting::regular;

/// A service as it is to be.
pub(crate) struct Config {
    /// The address at which it waits.
    pub(crate) address: String,
    /// The place of the verdicts: the path of a file, or a URL.
    pub(crate) database: String,
    /// The address at which it can be asked how it fares.
    pub(crate) metrics: Option<String>,
    /// How much it tells.
    pub(crate) level: Level,
    /// The key of the service, by which it signs records, too.
    pub(crate) key: SecretKey,
    /// Links by this key, and the peers that may connect.
    pub(crate) tls: TlsConfig,
    /// The rights of these peers.
    pub(crate) peers: HashMap<Identity, Peer>,
    /// The statements by name.
    pub(crate) statements: BTreeMap<String, Arc<Statement>>,
    pub(crate) limits: Limits,
}

/// A peer that may connect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Peer {
    /// The peer's name in logs and verdicts, which may be empty.
    pub(crate) name: String,
    /// The statements that it may prove; all, where nothing is said.
    pub(crate) statements: Option<Vec<String>>,
}

impl Config {
    /// Reads the file at `path`. Paths in it are from its folder.
    ///
    /// # Errors
    /// Where it cannot be read or makes no sense: with the line, where it is one that does not.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        Self::from_text(path, &text(path)?)
    }

    /// Reads the configuration in `text`, that of the file at `path`.
    ///
    /// # Errors
    /// As those of [`Self::read`].
    pub(crate) fn from_text(path: &Path, text: &str) -> Result<Self> {
        let place = Place::new(path, text);
        let file = File::parse(&place)?;
        let folder = path.parent().unwrap_or(Path::new(""));

        let address = file.address.get_ref().clone();
        if !address
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        {
            return place.wrong(&file.address, "address: write a host and a port, such as 0.0.0.0:7000");
        }
        let level = match &file.log {
            Some(log) => place.at(log, "log", crate::log::level(log.get_ref()))?,
            None => Level::INFO,
        };
        let key_path = folder.join(file.key.get_ref());
        let key = SecretKey::read(&key_path).map_err(|why| match why {
            volery::Error::Io { source, .. } => Failure::usage(format_args!(
                "{}: {source}: make a key by `volery key new --out {0}`",
                key_path.display()
            )),
            why => Failure::from(why).at(key_path.display()),
        });
        let key = place.at(&file.key, "key", key)?;
        let statements = statements(&file, &place, folder)?;
        let peers = peers(&file, &place, folder, &statements)?;
        let mut pins = Peers::default();
        peers.iter().for_each(|(identity, peer)| pins.add(*identity, peer.name.clone()));
        let tls = TlsConfig::new(&key, pins).map_err(|why| Failure::from(why).at(path.display()))?;
        let metrics = match &file.metrics {
            Some(metrics) => {
                let address = metrics.address.get_ref();
                let local = is_loopback(address).map_err(Failure::usage);
                if !place.at(&metrics.address, "metrics.address", local)? && !metrics.beyond_loopback {
                    return place.wrong(
                        &metrics.address,
                        "metrics.address: this is not loopback, and whoever asks there need not say who it is: \
                         write 127.0.0.1, or `beyond_loopback = true` on a network of your own",
                    );
                }
                Some(address.clone())
            }
            None => None,
        };
        file.limits.check(&place)?;
        let database = match file.database.get_ref() {
            url if url.contains("://") => url.clone(),
            file => folder.join(file).display().to_string(),
        };
        let limits = file.limits.get();
        Ok(Self { address, database, metrics, level, key, tls, peers, statements, limits })
    }

    /// The rights of `identity`, if it may connect at all: it may have lost them since.
    pub(crate) fn peer(&self, identity: Identity) -> Option<&Peer> {
        self.peers.get(&identity)
    }

    /// The statement of this name, if `peer` may prove it.
    pub(crate) fn statement(&self, peer: &Peer, name: &str) -> Option<&Arc<Statement>> {
        self.statements.get(name).filter(|_| peer.may_prove(name))
    }

    /// Warnings of what statements do not say, though they may seem to, with the statements' names.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = (&str, &str)> {
        let each = self.statements.iter();
        each.flat_map(|(name, statement)| statement.warnings.iter().map(|warning| (&**name, &**warning)))
    }

    /// The lines that `--check` prints.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let Self { address, database, metrics, tls, peers, statements, limits, .. } = self;
        let shown = database.split_once("://").map_or(database.as_str(), |(kind, _)| kind);
        let mut rows = vec![
            ("address", address.clone()),
            ("identity", tls.identity().to_string()),
            ("database", shown.to_owned()),
            ("metrics", metrics.clone().unwrap_or_else(|| "none".into())),
            ("peers", peers.len().to_string()),
        ];
        rows.extend(statements.values().map(|statement| ("statement", statement.line())));
        rows.extend(self.warnings().map(|(name, warning)| ("warning", format!("{name}: {warning}"))));
        rows.push(("limits", limits.line()));
        rows
    }
}

impl Peer {
    /// Whether it may prove the statement of this name.
    pub(crate) fn may_prove(&self, name: &str) -> bool {
        self.statements.as_ref().is_none_or(|names| names.iter().any(|one| one == name))
    }
}

/// The text in the file at `path`, which must be a regular one.
fn text(path: &Path) -> Result<String> {
    let read = regular(path).and_then(std::io::read_to_string);
    read.map_err(|why| Failure::usage(format_args!("{}: it cannot be read: {why}", path.display())))
}

/// How `folder` has the path that is `written`.
fn path(folder: &Path, written: &str) -> PathBuf {
    folder.join(written)
}

fn statements(file: &File, place: &Place, folder: &Path) -> Result<BTreeMap<String, Arc<Statement>>> {
    if file.statement.is_empty() && file.web.is_empty() {
        return Err(place.whole("there is no statement: write one as [statement.NAME], or [web.NAME]"));
    }
    let mut statements = BTreeMap::new();
    for (name, entry) in &file.statement {
        name_of(name, entry, place)?;
        let made = Statement::new(name, entry.get_ref(), folder, &file.limits.get());
        let made = made.map_err(Failure::for_keys);
        let made = place.at(entry, &format!("statement.{name}"), made)?;
        statements.insert(name.clone(), Arc::new(made));
    }
    for (name, table) in &file.web {
        name_of(name, table, place)?;
        let made = Statement::of_web(name, table.get_ref(), folder, &file.limits.get());
        let made = place.at(table, &format!("web.{name}"), made.map_err(Failure::for_keys))?;
        if statements.insert(name.clone(), Arc::new(made)).is_some() {
            return place.wrong(table, &format!("web.{name}: a statement has this name: take another"));
        }
    }
    Ok(statements)
}

/// Refuses a name that no prover could ask for.
fn name_of(name: &str, entry: &impl At, place: &Place) -> Result<()> {
    if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
        return place.wrong(entry, "statement: a name has from 1 to 64 bytes, and no control characters");
    }
    Ok(())
}

fn peers(
    file: &File,
    place: &Place,
    folder: &Path,
    statements: &BTreeMap<String, Arc<Statement>>,
) -> Result<HashMap<Identity, Peer>> {
    let mut peers = HashMap::new();
    if let Some(written) = &file.peers {
        let path = path(folder, written.get_ref());
        let read = || -> Result<Peers> {
            let mut peers = Peers::default();
            peers.add_lines(&text(&path)?).map_err(|why| Failure::from(why).at(path.display()))?;
            Ok(peers)
        };
        for (identity, name) in place.at(written, "peers", read())?.iter() {
            peers.insert(identity, Peer { name: name.into(), statements: None });
        }
    }
    for entry in &file.peer {
        let identity = entry.identity.get_ref().parse::<Identity>().map_err(Failure::usage);
        let identity = place.at(&entry.identity, "peer.identity", identity)?;
        if entry.name.chars().any(char::is_control) {
            return place.wrong(&entry.identity, "peer.name: a name holds no control characters");
        }
        for name in entry.statements.iter().flatten() {
            if !statements.contains_key(name.get_ref()) {
                let there = statements.keys().cloned().collect::<Vec<_>>().join(", ");
                let line =
                    format!("peer.statements: there is no statement `{}`: there is {there}", name.get_ref());
                return place.wrong(name, &line);
            }
        }
        let names = entry.statements.as_ref();
        let names = names.map(|names| names.iter().map(|name| name.get_ref().clone()).collect());
        let before = peers.insert(identity, Peer { name: entry.name.clone(), statements: names });
        if before.is_some() {
            return place.wrong(&entry.identity, "peer.identity: this peer is given twice: leave one out");
        }
    }
    if peers.is_empty() {
        return Err(place.whole(
            "nobody may connect: write `peers = \"FILE\"`, or [[peer]] with the `identity` that `volery key show` \
             prints there",
        ));
    }
    Ok(peers)
}
