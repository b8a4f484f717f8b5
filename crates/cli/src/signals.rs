//! Signals that end the process from outside: Ctrl-C, and where there is one, SIGTERM and the end of its
//! terminal.

/// Calls `end` in a thread of its own when the process is to end, which `end` has to do. Where that cannot be
/// arranged the process ends too, only without a word.
#[cfg(unix)]
pub(crate) fn on_end(end: impl FnOnce() + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let hangs_up = (!outlives_terminal()).then_some(SIGHUP);
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM].into_iter().chain(hangs_up))
    else {
        return;
    };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end();
        }
    });
}

/// Calls `end` on Ctrl-C, when the process is to end, which `end` has to do.
#[cfg(not(unix))]
pub(crate) fn on_end(end: impl FnOnce() + Send + 'static) {
    let mut end = Some(end);
    let _ = ctrlc::set_handler(move || end.take().into_iter().for_each(|end| end()));
}

/// Whether the process was started to outlive its terminal, as by `nohup`: SIGHUP is ignored, and stays so.
#[cfg(unix)]
fn outlives_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
