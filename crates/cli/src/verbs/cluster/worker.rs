//! A worker of one shard: by `--shard` of `prove` and `verify`, or by a coordinator of this machine.

use crate::verbs::args::{OneShard, Prove, Public, Verify};
use crate::verbs::cluster::{failed, only_quicksilver};
use crate::verbs::given::{claim, statement};
use serde_json::Value;
use std::io::{BufRead, Read, stdin};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;
use volery::channel::SecretKey;
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Result};
use volery_cli::print::{self, notice, table};
use volery_cli::report::peak_rss;
use volery_cli::settings::Settings;
use volery_cli::values::Reader;
use volery_cli::{fields, keys};
use volery_cluster::{Work, Worker, run_worker};
use zeroize::Zeroizing;

/// `volery prove --shard I/N`.
pub(crate) fn prove(typed: &Prove, settings: &Settings, started: Instant) -> Result<()> {
    only_quicksilver(settings)?;
    let at = At::of(&typed.one_shard, typed.peer.listen.as_deref())?;
    let claim = claim(settings.field, &typed.public, &typed.private, Reader::waiting(settings.timeout))?;
    let mut options = settings.options(claim.statement().digest(), None)?;
    options.check = !typed.no_check;
    let work = Work::prove(settings.field, &*claim, at.shards, options)?;
    at.run(&work, keys::read(typed.one_shard.run_key.as_deref())?, settings, started)
}

/// `volery verify --shard I/N`.
pub(crate) fn verify(typed: &Verify, settings: &Settings, started: Instant) -> Result<()> {
    only_quicksilver(settings)?;
    let at = At::of(&typed.one_shard, typed.peer.listen.as_deref())?;
    let statement = statement(settings.field, &typed.public, &mut Reader::waiting(settings.timeout))?;
    let options = settings.options(statement.digest(), None)?;
    let work = Work::verify(settings.field, &*statement, at.shards, options)?;
    at.run(&work, keys::read(typed.one_shard.run_key.as_deref())?, settings, started)
}

/// The shard of this worker, and the address of its coordinator.
struct At {
    shard: usize,
    shards: usize,
    coordinator: String,
    listen: Option<SocketAddr>,
    advertise: Option<String>,
}

impl At {
    fn of(typed: &OneShard, listen: Option<&str>) -> Result<Self> {
        let text = typed.shard.as_deref().expect("whoever has no shard is no worker");
        let parsed = text
            .split_once('/')
            .and_then(|(shard, shards)| Some((shard.parse().ok()?, shards.parse().ok()?)));
        let Some((shard, shards)) = parsed.filter(|(shard, shards)| shard < shards) else {
            return Err(Failure::usage(format_args!(
                "--shard {text}: write I/N, with I from 0 to N - 1: 0/8 is the first of eight"
            )));
        };
        Ok(Self {
            shard,
            shards,
            coordinator: typed.coordinator.clone().expect("required with --shard"),
            listen: listen.map(address).transpose()?,
            advertise: typed.advertise.as_deref().map(host).transpose()?,
        })
    }

    /// Does the shard until it is accepted.
    fn run(self, work: &Work<'_>, key: SecretKey, settings: &Settings, started: Instant) -> Result<()> {
        let (shard, shards) = (self.shard, self.shards);
        let worker = Worker {
            party: work.party(),
            shard,
            key,
            coordinator: self.coordinator,
            listen: self.listen,
            host: self.advertise,
            timeout: settings.timeout,
            peak: peak_rss,
        };
        let quiet = settings.quiet;
        let mut begun = |attempt: u32, _: &Arc<AtomicU64>| {
            if !quiet {
                notice(format_args!("volery: shard {shard} of {shards}: attempt {attempt} begins"));
            }
        };
        run_worker(&worker, work, &mut begun).map_err(failed)?;
        let seconds = started.elapsed().as_secs_f64();
        if settings.json {
            return print::result(serde_json::json!({
                "verdict": "accepted",
                "role": work.party().name(),
                "shard": shard,
                "shards": shards,
                "seconds": {"total": seconds},
                "peak_rss_bytes": peak_rss(),
            }));
        }
        let rows = [
            ("verdict", "accepted, of this shard: what the run comes to its coordinator says".into()),
            ("role", work.party().name().into()),
            ("shard", format!("{shard} of {shards}, numbered from 0")),
            ("time", print::seconds(seconds)),
        ];
        print::result(table(&rows))
    }
}

/// A host's name or number, and no more.
fn host(text: &str) -> Result<String> {
    // As long as a name in the DNS can be, less what a port takes.
    let is = !text.is_empty() && text.len() < 240 && text.chars().all(|c| c.is_ascii_graphic() && c != '/');
    if is {
        return Ok(text.trim_matches(['[', ']']).to_owned());
    }
    Err(Failure::usage("--advertise: write the name or number of a host, without a port"))
}

fn address(text: &str) -> Result<SocketAddr> {
    let unknown = |why: &dyn std::fmt::Display| {
        Failure::usage(format_args!(
            "--listen {text}: {why}: write an address of this machine, such as 0.0.0.0:0"
        ))
    };
    let mut found = text.to_socket_addrs().map_err(|why| unknown(&why))?;
    found.next().ok_or_else(|| unknown(&"it stands for nothing"))
}

/// Ends this process once its coordinator has: one that was killed says nothing, and a worker that has not joined
/// yet would look for it as long as it may.
#[cfg(unix)]
fn end_with(parent: u32) {
    use std::os::unix::process::parent_id;
    // A worker that is stopped by then looks at nothing, but can be killed: at the end of the thread that started
    // it, which is the coordinator's first. What is refused here, or comes too late, is seen below.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    std::thread::spawn(move || {
        while parent_id() == parent {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        std::process::exit(volery_cli::failure::Fault::Peer as i32);
    });
}

/// Does nothing: on this system a worker has no number of its coordinator's process, and looks for it as long
/// as it may.
#[cfg(not(unix))]
fn end_with(_: u32) {}

/// `volery cluster worker`: as a coordinator of this machine says on standard input.
pub(crate) fn ordered(started: Instant) -> Result<()> {
    let not_told = |why: &dyn std::fmt::Display| {
        Failure::usage(format_args!("this is started by `volery cluster`, and is told what to do: {why}"))
    };
    let mut input = stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line).map_err(|why| not_told(&why))?;
    let order: Value = serde_json::from_str(&line).map_err(|why| not_told(&why))?;
    let text = |name: &str| order[name].as_str().map(str::to_owned);
    let number = |name: &str| order[name].as_u64().ok_or_else(|| not_told(&format_args!("no {name}")));
    // Each into memory of its own length, of which no copy is left behind.
    let mut secret = |name: &str| {
        let mut bytes = Zeroizing::new(vec![0; number(name)? as usize]);
        input.read_exact(&mut bytes).map_err(|why| not_told(&why))?;
        Ok::<_, Failure>(bytes)
    };
    let (key, share) = (secret("key_bytes")?, secret("share_bytes")?);
    let key = SecretKey::from_pem(&key)?;
    drop(input);
    end_with(number("parent")? as u32);

    let protocol = Protocol {
        field: text("field"),
        vole: text("vole").unwrap_or_default(),
        security: text("security"),
        insecure_parameters: order["insecure_parameters"] == true,
        non_interactive: order["non_interactive"] == true,
        threads: Some(number("threads")?.to_string()),
        timeout: text("timeout").unwrap_or_default(),
        ..Protocol::default()
    };
    let field = fields::asked(protocol.field.as_deref())?;
    let output = Output { json: false, quiet: true };
    let settings = &Settings::new(field, &protocol, &output)?.over(text("bandwidth").as_deref())?;
    let values = order["public"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let public = Public {
        relation: vec![text("relation").unwrap_or_default()],
        format: text("format"),
        public: values.map(Into::into).collect(),
        // What circom wrote, and what takes streams, falls into no shards.
        symbols: None,
        public_stream: Vec::new(),
        experimental: false,
    };
    let statement = statement(field, &public, &mut Reader::waiting(settings.timeout))?;
    let mut options = settings.options(statement.digest(), None)?;
    // Its coordinator has.
    options.check = false;
    let at = At {
        shard: number("shard")? as usize,
        shards: number("shards")? as usize,
        coordinator: text("coordinator").unwrap_or_default(),
        listen: text("listen").as_deref().map(address).transpose()?,
        advertise: None,
    };
    let work = if order["prover"] == true {
        Work::prove_share(field, &*statement, at.shards, share, options)?
    } else {
        Work::verify(field, &*statement, at.shards, options)?
    };
    at.run(&work, key, settings, started)
}
