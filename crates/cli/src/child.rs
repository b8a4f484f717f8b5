//! A program that this process runs, which never outlives it; or one in its place.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The one that runs. Held while it is ended, so that its number is no other's by then.
static RUNNING: Mutex<Option<Child>> = Mutex::new(None);

/// The most bytes of what it says that are kept.
const KEPT: usize = 1 << 14;

/// How often it is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// How long its standard error may stay open behind its end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How a program ended.
pub struct Ended {
    /// The exit status; `None` where the child took too long, and was killed.
    pub status: Option<ExitStatus>,
    /// The text on standard error, as far as it is kept, without what steers a terminal.
    pub said: String,
}

/// Runs `command`, and kills it after `timeout`, with all that it has started. One runs at a time; it reads
/// nothing, and only its standard error is read.
///
/// # Errors
/// Where it cannot be started, or waited for.
pub fn run(command: &mut Command, timeout: Duration) -> io::Result<Ended> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // A group of its own: what it starts is killed with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut errors = {
        let mut running = running();
        let mut child = command.spawn()?;
        let errors = child.stderr.take().expect("piped");
        *running = Some(child);
        errors
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let (sender, heard) = channel::<()>();
    // Read beside it, so that it never waits to be heard. At the end of it the sender is gone.
    let kept = Arc::clone(&said);
    std::thread::spawn(move || {
        hear(&mut errors, &kept);
        drop(sender);
    });
    let status = wait(timeout);
    let child = running().take();
    let is_open = |wait| heard.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
    if let Some(mut child) = child
        && (!matches!(status, Ok(Some(_))) || is_open(LAST_WORDS))
    {
        kill(&mut child);
        let _ = child.wait();
        let _ = is_open(LAST_WORDS);
    }
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    let said = String::from_utf8_lossy(&said).chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    Ok(Ended { status: status?, said })
}

/// Kills the program that runs, if there is one, and lets no other be started: for the one who ends the
/// process.
pub fn stop() {
    let mut running = running();
    if let Some(child) = &mut *running {
        kill(child);
    }
    std::mem::forget(running);
}

fn running() -> MutexGuard<'static, Option<Child>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for its end; none where it takes longer.
fn wait(timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        let ended = running().as_mut().expect("it runs").try_wait()?;
        if ended.is_some() || begun.elapsed() > timeout {
            return Ok(ended);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Keeps the begin of what is said; the rest is read and forgotten.
fn hear(errors: &mut impl Read, kept: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1 << 12];
    loop {
        match errors.read(&mut piece) {
            Ok(0) => return,
            Ok(read) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = KEPT - kept.len();
                kept.extend_from_slice(&piece[..read.min(room)]);
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Kills it with its group.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

/// Puts `command` in the place of this process, so that signals go to it alone. Comes back where it cannot
/// run.
#[cfg(unix)]
pub fn become_it(command: &mut Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Waits for `command`, and ends as it does. Comes back where it cannot run.
#[cfg(not(unix))]
pub fn become_it(command: &mut Command) -> io::Error {
    match command.status() {
        // Without a code somebody killed it: 3, as where a peer is lost.
        Ok(status) => std::process::exit(status.code().unwrap_or(3)),
        Err(why) => why,
    }
}
