//! The bench under way, which must not go on alone when the process is interrupted.

use std::io;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The bench under way. Held while one starts, too.
static RUNNING: Mutex<Option<Child>> = Mutex::new(None);

fn running() -> MutexGuard<'static, Option<Child>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops the bench under way, and prevents others from starting. For the end of the process.
pub(crate) fn stop() {
    let mut running = running();
    if let Some(child) = running.as_mut() {
        let _ = child.kill();
        let _ = child.wait();
    }
    std::mem::forget(running);
}

/// Starts a bench, whose standard output must be piped.
pub(super) fn start(process: &mut Command) -> io::Result<ChildStdout> {
    let mut running = running();
    let mut child = process.spawn()?;
    let out = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    *running = Some(child);
    Ok(out)
}

/// Waits for the end of the bench that was started, which has closed its standard output.
pub(super) fn end() -> io::Result<ExitStatus> {
    let child = running().take();
    child.ok_or(io::ErrorKind::NotFound)?.wait()
}
