//! Workers that are processes of this machine.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use volery::Error;
use volery_cluster::{Handle, Launch, Launcher};
use zeroize::Zeroizing;

/// A prover's share of the witness for a shard.
pub(crate) type Share<'a> = dyn Fn(usize) -> volery::Result<Zeroizing<Vec<u8>>> + 'a;

/// Starts workers as processes of this program, which are told what to do on their standard input: the order on
/// one line, the key of the run, and a prover's share of the witness.
pub(crate) struct Processes<'a> {
    /// The order that all of them get.
    pub(crate) order: Value,
    /// The key of the run.
    pub(crate) key: Zeroizing<String>,
    /// `None` for a verifier.
    pub(crate) share: Option<&'a Share<'a>>,
}

impl Launcher for Processes<'_> {
    fn launch(&mut self, launch: Launch, handle: &Handle) -> volery::Result<()> {
        let Launch { shard, coordinator, .. } = launch;
        let share = self.share.map(|share| share(shard)).transpose()?.unwrap_or_default();
        let mut order = self.order.clone();
        order["shard"] = json!(shard);
        order["coordinator"] = json!(coordinator.to_string());
        order["parent"] = json!(std::process::id());
        order["key_bytes"] = json!(self.key.len());
        order["share_bytes"] = json!(share.len());
        let started = |source| Error::Io { doing: "starting a worker", source };
        let program = std::env::current_exe().map_err(started)?;
        let mut command = Command::new(program);
        command
            .args(["cluster", "worker"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(started)?;
        let (key, handle) = (self.key.clone(), handle.clone());
        std::thread::spawn(move || {
            let said = tell(&mut child, &order, key.as_bytes(), &share);
            drop((key, share));
            let last = last_line(&mut child);
            let ended = child.wait();
            let why = match (said, last, ended) {
                (_, Some(line), _) => line,
                (Err(why), ..) | (_, _, Err(why)) => why.to_string(),
                (Ok(()), None, Ok(status)) => status.to_string(),
            };
            handle.exited(shard, why);
        });
        Ok(())
    }
}

/// Tells a worker what to do.
fn tell(child: &mut Child, order: &Value, key: &[u8], share: &[u8]) -> std::io::Result<()> {
    let mut stdin = child.stdin.take().expect("a pipe");
    writeln!(stdin, "{order}")?;
    stdin.write_all(key)?;
    stdin.write_all(share)?;
    stdin.flush()
}

/// The last line that a worker says, once it says no more.
fn last_line(child: &mut Child) -> Option<String> {
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let line = stderr.lines().map_while(Result::ok).last();
    line.map(|line| line.trim_start_matches("volery: ").to_owned())
}
