//! Progress on standard error: a bar on a terminal, a line every few seconds elsewhere, nothing for short runs.

use crate::link::Meter;
use crate::print::{count, human, notice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two lines.
const LINE: Duration = Duration::from_secs(5);
/// Between two states of the bar, and before the first.
const BAR: Duration = Duration::from_millis(200);

/// Before a step without a measure is announced.
const ANNOUNCE: Duration = Duration::from_secs(1);

/// Shows progress until dropped.
pub struct Progress {
    /// Dropped to stop the watch.
    stop: Option<Sender<()>>,
    watch: Option<JoinHandle<()>>,
}

/// What was done, over several statements.
#[derive(Default)]
pub struct Counter {
    /// For the statement under way.
    pub now: Arc<AtomicU64>,
    /// For those before.
    before: AtomicU64,
}

impl Counter {
    /// Another statement begins.
    pub fn restart(&self) {
        self.before.fetch_add(self.now.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.before.load(Ordering::Relaxed) + self.now.load(Ordering::Relaxed)
    }
}

/// What is watched.
pub struct Watched {
    /// Multiplications done, or whatever `unit` says.
    pub done: Arc<Counter>,
    /// Bytes carried, where there is a link.
    pub meter: Option<Arc<Meter>>,
    /// What is counted.
    pub unit: &'static str,
    /// How many there are in all, where that is known.
    pub total: Option<u64>,
}

impl Progress {
    /// Says `what` is being done, once it has taken a while, unless `quiet`.
    pub fn announce(what: &'static str, quiet: bool) -> Self {
        if quiet {
            return Self { stop: None, watch: None };
        }
        let (stop, stopped) = channel();
        let watch = std::thread::spawn(move || {
            if let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(ANNOUNCE) {
                notice(format_args!("volery: {what}"));
            }
        });
        Self { stop: Some(stop), watch: Some(watch) }
    }

    /// Watches, unless `quiet`.
    pub fn start(watched: Watched, quiet: bool) -> Self {
        if quiet {
            return Self { stop: None, watch: None };
        }
        let (stop, stopped) = channel();
        let watch = std::thread::spawn(move || {
            let terminal = stderr().is_terminal();
            let period = if terminal { BAR } else { LINE };
            let started = Instant::now();
            let mut bar = None;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(period) {
                if terminal {
                    watched.draw(bar.get_or_insert_with(|| watched.bar()), started.elapsed());
                } else {
                    notice(watched.line(started.elapsed()));
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self { stop: Some(stop), watch: Some(watch) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(watch) = self.watch.take() {
            let _ = watch.join();
        }
    }
}

impl Watched {
    fn line(&self, elapsed: Duration) -> String {
        let done = self.done.count();
        let of = self.total.map_or(String::new(), |total| format!(" of {}", count(total as f64)));
        format!("volery: {}{of} {}, {}", count(done as f64), self.unit, self.rates(done, elapsed))
    }

    fn rates(&self, done: u64, elapsed: Duration) -> String {
        let bytes = |count: &AtomicU64| human(count.load(Ordering::Relaxed) as f64);
        let carried = self.meter.as_ref().map_or(String::new(), |meter| {
            format!(", {}B sent, {}B received", bytes(&meter.sent), bytes(&meter.received))
        });
        let rate = count(done as f64 / elapsed.as_secs_f64());
        format!("{rate} {}/s{carried}, {} s", self.unit, elapsed.as_secs())
    }

    fn bar(&self) -> ProgressBar {
        let bar = match self.total {
            Some(total) => ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr())
                .with_style(style("{bar:20} {percent:>3}% {wide_msg}")),
            None => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style("{spinner} {wide_msg}")),
        };
        bar.tick();
        bar
    }

    fn draw(&self, bar: &ProgressBar, elapsed: Duration) {
        let done = self.done.count();
        bar.set_position(done);
        bar.set_message(self.rates(done, elapsed));
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_and_how_fast() {
        let line = |total| {
            let meter = Arc::<Meter>::default();
            meter.sent.store(12_000_000, Ordering::Relaxed);
            let watched = Watched { done: Arc::default(), meter: Some(meter), unit: "gates", total };
            watched.done.now.store(3_000_000, Ordering::Relaxed);
            (watched.line(Duration::from_secs(6)), Watched { meter: None, ..watched })
        };
        let rest = "500 k gates/s, 12 MB sent, 0 B received, 6 s";
        assert_eq!(line(Some(10_000_000)).0, format!("volery: 3 M of 10 M gates, {rest}"));
        let (linked, unlinked) = line(None);
        assert_eq!(linked, format!("volery: 3 M gates, {rest}"));
        assert_eq!(unlinked.line(Duration::from_secs(6)), "volery: 3 M gates, 500 k gates/s, 6 s");
    }

    /// Neither a short run nor a quiet one waits for its watch.
    #[test]
    fn short_runs_end_at_once() {
        for quiet in [false, true] {
            let started = Instant::now();
            let watched = Watched { done: Arc::default(), meter: None, unit: "gates", total: None };
            drop(Progress::start(watched, quiet));
            drop(Progress::announce("waiting", quiet));
            assert!(started.elapsed() < ANNOUNCE);
        }
    }
}
