//! The key of this party, and the identities of those it talks to, as they are given.

use crate::failure::{Failure, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use volery::channel::{Peers, SecretKey, TlsConfig};

/// The path of the key that no --key names: in the folder of the user's settings.
///
/// # Errors
/// Where there is no such folder.
pub fn default_path() -> Result<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|path| Path::new(path).is_absolute());
    let folder = if cfg!(windows) {
        given("APPDATA").map(PathBuf::from)
    } else {
        let home = || std::env::home_dir().filter(|home| home.is_absolute());
        given("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| home().map(|home| home.join(".config")))
    };
    let folder = folder.ok_or_else(|| {
        Failure::usage("there is no home folder to keep a key in: name a file by --key (of `key new`: --out)")
    })?;
    Ok(folder.join("volery").join("key"))
}

/// The key in the file at `path`, or in the default one.
///
/// # Errors
/// Where there is none.
pub fn read(path: Option<&Path>) -> Result<SecretKey> {
    let (option, path) = match path {
        Some(path) => ("--key ", path.to_owned()),
        None => ("", default_path()?),
    };
    let place = format!("{option}{}", path.display());
    SecretKey::read(&path).map_err(|why| match why {
        volery::Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            let out = if option.is_empty() { String::new() } else { format!(" --out {}", path.display()) };
            Failure::usage(format_args!("{place}: there is no key: make one by `volery key new{out}`"))
        }
        volery::Error::Io { source, .. } => {
            Failure::usage(format_args!("{place}: the key cannot be read: {source}"))
        }
        why => Failure::from(why).at(place),
    })
}

/// Reads the peers that `identities` and the files at `paths` name.
///
/// # Errors
/// Where one is none, or a file cannot be read or names nobody.
pub fn peers(identities: &[String], paths: &[PathBuf]) -> Result<Peers> {
    let mut peers = Peers::default();
    for typed in identities {
        let identity =
            typed.parse().map_err(|why| Failure::usage(format_args!("--peer {}: {why}", shown(typed))))?;
        peers.add(identity, "");
    }
    for path in paths {
        let place = format!("--peers {}", path.display());
        let text = std::fs::read_to_string(path)
            .map_err(|why| Failure::usage(format_args!("{place}: it cannot be read: {why}")))?;
        let before = peers.iter().count();
        peers.add_lines(&text).map_err(|why| Failure::from(why).at(&place))?;
        if peers.iter().count() == before {
            return Err(Failure::usage(format_args!(
                "{place}: it names nobody: write an identity on each line, and behind it a name"
            )));
        }
    }
    Ok(peers)
}

/// How links are made, where any peer is given.
///
/// # Errors
/// Those of [`read`] and [`peers`].
pub fn tls(key: Option<&Path>, identities: &[String], paths: &[PathBuf]) -> Result<Option<TlsConfig>> {
    let peers = peers(identities, paths)?;
    match (peers.is_empty(), key) {
        (true, None) => Ok(None),
        (true, Some(_)) => Err(Failure::usage(
            "--key is for links to a peer that is known: give its identity by --peer, too",
        )),
        (false, key) => Ok(Some(TlsConfig::new(&read(key)?, peers)?)),
    }
}

/// The beginning of what was typed for an identity: a key in its place would be a secret.
fn shown(typed: &str) -> String {
    let path = Path::new(typed);
    if path.extension() == Some(OsStr::new("pem")) || path.exists() {
        return format!("{typed} is a file, and its lines are read by --peers");
    }
    let start: String = typed.chars().filter(|c| !c.is_control()).take(12).collect();
    if typed.chars().count() > 12 { format!("{start}…") } else { start }
}
