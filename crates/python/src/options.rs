//! Options by keywords: how to prove, and where the peer is.

use crate::errors::{Result, Trouble};
use crate::keys::Key;
use crate::session::Callbacks;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::PathBuf;
use volery::channel::{SecretKey, TlsConfig};
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::Failure;
use volery_cli::fields::Field;
use volery_cli::keys;
use volery_cli::link::{Reach, Way};
use volery_cli::settings::{Settings, system_of_party};

/// The options that were given.
#[derive(Default)]
pub(crate) struct Asked {
    protocol: Protocol,
    bandwidth: Option<String>,
    pub(crate) check: bool,
    pub(crate) label: String,
    listen: Option<String>,
    connect: Option<String>,
    key: KeyOf,
    peer: Vec<String>,
    peers: Vec<PathBuf>,
    insecure_plaintext: bool,
}

/// A key, or the file of one.
#[derive(Default)]
enum KeyOf {
    #[default]
    None,
    File(PathBuf),
    Key(Py<Key>),
}

/// The options that there are.
const NAMES: &str = "system, field, vole, security, threads, timeout, bandwidth, check, label, \
                     insecure_parameters, non_interactive, gate_hash, seeds, listen, connect, key, peer, \
                     peers, insecure_plaintext, progress, listening";

impl Asked {
    /// Reads the keywords of a call.
    ///
    /// # Errors
    /// Where one is not known, or of another type.
    pub(crate) fn read(keywords: &Bound<'_, PyDict>) -> PyResult<(Self, Callbacks)> {
        let mut asked = Self { check: true, ..Self::default() };
        let mut callbacks = Callbacks { progress: None, listening: None };
        for (name, value) in keywords.iter() {
            if value.is_none() {
                continue;
            }
            let text = || value.str().map(|text| text.to_string());
            let protocol = &mut asked.protocol;
            match name.extract::<String>()?.as_str() {
                "system" => protocol.system = Some(text()?),
                "field" => protocol.field = Some(text()?),
                "vole" => protocol.vole = text()?,
                "security" => protocol.security = Some(text()?),
                "threads" => protocol.threads = Some(text()?),
                "timeout" => protocol.timeout = text()?,
                "gate_hash" => protocol.gate_hash = Some(text()?),
                "seeds" => protocol.seeds = Some(text()?),
                "insecure_parameters" => protocol.insecure_parameters = value.is_truthy()?,
                "non_interactive" => protocol.non_interactive = value.is_truthy()?,
                "bandwidth" => asked.bandwidth = Some(text()?),
                "check" => asked.check = value.is_truthy()?,
                "label" => asked.label = value.extract()?,
                "listen" => asked.listen = Some(value.extract()?),
                "connect" => asked.connect = Some(value.extract()?),
                "key" => {
                    asked.key = match value.cast::<Key>() {
                        Ok(key) => KeyOf::Key(key.clone().unbind()),
                        Err(_) => KeyOf::File(value.extract()?),
                    }
                }
                "peer" => asked.peer = one_or_more(&value)?,
                "peers" => asked.peers = one_or_more(&value)?,
                "insecure_plaintext" => asked.insecure_plaintext = value.is_truthy()?,
                "progress" => callbacks.progress = Some(value.unbind()),
                "listening" => callbacks.listening = Some(value.unbind()),
                other => {
                    return Err(PyTypeError::new_err(format!(
                        "there is no option {other}: there are {NAMES}"
                    )));
                }
            }
        }
        Ok((asked, callbacks))
    }

    /// The field that is asked for, or `usual`.
    ///
    /// # Errors
    /// Where there is none of its name.
    pub(crate) fn field(&self, usual: Option<&str>) -> Result<Field> {
        Ok(volery_cli::fields::asked(self.protocol.field.as_deref().or(usual))?)
    }

    /// The field that is asked for, or that of a relation: see [`fields::of_relation`](volery_cli::fields::of_relation).
    ///
    /// # Errors
    /// As there.
    pub(crate) fn field_of(&self, relation: &str) -> Result<Field> {
        Ok(volery_cli::fields::of_relation(self.protocol.field.as_deref(), Some(relation), None)?)
    }

    /// The settings by these options over `field`, for a proof that is a file where `file` says which option
    /// asks for it.
    ///
    /// # Errors
    /// Where options do not go together.
    pub(crate) fn settings(&self, field: Field, file: Option<&'static str>) -> Result<Settings> {
        // A function may have named the field itself.
        let protocol = Protocol { field: Some(field.name()), ..self.protocol.clone() };
        let system = system_of_party(&protocol, Some(field), file)?;
        let settings = Settings::of(field, system, &protocol, &Output { json: true, quiet: true })?;
        Ok(settings.over(self.bandwidth.as_deref())?)
    }

    /// Whether this side listens for the peer.
    pub(crate) fn listens(&self) -> bool {
        self.listen.is_some()
    }

    /// The host of the peer, where this side connects to it.
    pub(crate) fn peer_host(&self) -> Option<String> {
        let (host, _) = self.connect.as_deref()?.rsplit_once(':')?;
        Some(host.trim_start_matches('[').trim_end_matches(']').to_owned())
    }

    /// The result of a function of this side's key.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn by_key<T>(&self, with: impl FnOnce(&SecretKey) -> T) -> Result<T> {
        Ok(match &self.key {
            KeyOf::None => with(&keys::read(None)?),
            KeyOf::File(path) => with(&keys::read(Some(path))?),
            KeyOf::Key(key) => with(&key.get().0),
        })
    }

    /// The way to the peer.
    ///
    /// # Errors
    /// Where there is none, or it is not to be gone in plain TCP.
    pub(crate) fn way(&self) -> Result<Way> {
        let reach = match (&self.listen, &self.connect) {
            (Some(address), None) => Reach::Listen(address.clone()),
            (None, Some(address)) => Reach::Connect(address.clone()),
            (None, None) => {
                return Err(Failure::usage(
                    "missing: --listen or --connect; for a proof that is a file see prove_to_bytes",
                )
                .into());
            }
            _ => return Err(Failure::usage("give one of --listen and --connect").into()),
        };
        let tls = match &self.key {
            KeyOf::None => keys::tls(None, &self.peer, &self.peers)?,
            KeyOf::File(path) => keys::tls(Some(path), &self.peer, &self.peers)?,
            KeyOf::Key(key) => {
                let peers = keys::peers(&self.peer, &self.peers)?;
                Some(TlsConfig::new(&key.get().0, peers).map_err(Trouble::from)?)
            }
        };
        Ok(Way::new(reach, tls, self.insecure_plaintext)?)
    }
}

/// A value, or a list of them.
fn one_or_more<'py, T>(value: &Bound<'py, PyAny>) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let several = !value.is_instance_of::<PyString>() && value.try_iter().is_ok();
    if !several {
        return Ok(vec![value.extract().map_err(Into::into)?]);
    }
    value.try_iter()?.map(|item| item?.extract().map_err(Into::into)).collect()
}
