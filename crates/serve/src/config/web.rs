//! A web proof that the service has under a name: it relays the connection, and verifies what is proved of it.

use super::file::Limits;
use super::statement::{Statement, Subject, drawn};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;
use volery::System;
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields;
use volery_cli::service::{Named, Terms};
use volery_cli::settings::{AUTO, Settings};
use volery_cli::waiting::regular;
use volery_web::file::File;
use volery_web::session::Signing;

/// The memory of a session beside what its terms allow and its correlations take: the link, the gates that live, and
/// what is kept of the answer (see `session`).
const BESIDE: u64 = 20 << 20;

/// The keys of `[web.NAME]` that are no policy's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    /// The file of the policy, where that does not stand in the table itself.
    policy: Option<String>,
    vole: Option<String>,
    security: Option<u32>,
    memory: Option<u64>,
}

/// The names of these keys.
const OWN: [&str; 4] = ["policy", "vole", "security", "memory"];

impl Statement {
    /// The web proof `name`, as its table has it; files are from `folder`.
    ///
    /// # Errors
    /// Where it makes no sense, or is beyond `limits`.
    pub(super) fn of_web(name: &str, table: &toml::Table, folder: &Path, limits: &Limits) -> Result<Self> {
        let is_own = |(key, _): &(String, toml::Value)| OWN.contains(&&key[..]);
        let (own, policy): (toml::Table, toml::Table) = table.clone().into_iter().partition(is_own);
        let own: Own = own.try_into().map_err(|why| Failure::usage(why.to_string().trim()))?;
        let file = file(&own, policy, folder)?;
        let protocol = Protocol {
            vole: own.vole.clone().unwrap_or_else(|| AUTO.into()),
            security: own.security.map(|bits| bits.to_string()),
            // Sessions share the cores.
            threads: Some("1".into()),
            ..Protocol::default()
        };
        let settings =
            Settings::of(fields::asked(None)?, System::QUICKSILVER, &protocol, &Output::default())?;
        settings.options([0; 32], None)?;
        let terms = file.terms();
        let bound = |what: &str, most: u64, key: &str, limit: u64| match most > limit {
            true => Err(Failure::usage(format_args!(
                "limits: a session has up to {most} {what}, which is more than limits.{key} of the service, {limit}: \
                 allow fewer bytes by `up` and `down`, or `cycles`, take simpler expressions, or raise that"
            ))),
            false => Ok(()),
        };
        bound("ANDs", terms.most_ands(), "gates", limits.gates)?;
        if terms.signing != Signing::Nothing && !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::usage(
                "record: it is signed under the name of the table, which has to be of visible ASCII for that",
            ));
        }
        let seconds = terms.limits.total.as_secs();
        if seconds > limits.seconds {
            return Err(Failure::usage(format_args!(
                "limits: a connection has up to {seconds} s, and a session {}: allow fewer `seconds`, or raise \
                 limits.seconds of the service",
                limits.seconds
            )));
        }
        let vole = settings.correlations.map(|vole| vole.name());
        let memory =
            own.memory.unwrap_or_else(|| BESIDE + drawn(vole.unwrap_or_default()) + terms.most_memory());
        bound("bytes in memory", memory, "memory", limits.memory)?;
        let (host, request) = (terms.policy.host().into(), format!("GET {}", terms.policy.target()));
        let terms = Terms {
            statement: name.into(),
            relation: Named::Web { host, request },
            format: None,
            public: Vec::new(),
            choose: Vec::new(),
            system: settings.system().name().into(),
            field: settings.field.name(),
            vole: vole.map(Into::into),
            security: own.security,
            seconds: limits.seconds,
            bytes: limits.bytes,
        };
        Ok(Self { settings, subject: Subject::Web(Arc::new(file)), terms, memory, warnings: Vec::new() })
    }
}

/// The terms: those of the table, or of the file that it names, beside which its roots are.
fn file(own: &Own, table: toml::Table, folder: &Path) -> Result<File> {
    let bytes = |path: &Path| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut regular(path)?, &mut bytes)?;
        Ok(bytes)
    };
    let Some(policy) = &own.policy else {
        let file = File::of_table(table, &|name| bytes(&folder.join(name)));
        return file.map_err(Failure::usage);
    };
    if let Some(key) = table.keys().next() {
        return Err(Failure::usage(format_args!(
            "{key}: it stands beside `policy`, in whose file it belongs: leave one of both out"
        )));
    }
    let path = folder.join(policy);
    let place = path.display();
    let text = regular(&path).and_then(std::io::read_to_string);
    let text =
        text.map_err(|why| Failure::usage(format_args!("policy: {place}: it cannot be read: {why}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = File::parse(&text, &|name| bytes(&folder.join(name)));
    file.map_err(|why| Failure::usage(format_args!("policy: {place}: {why}")))
}
