//! Progress on standard error: a bar on a terminal, a line every few seconds elsewhere, nothing for short
//! runs.

use crate::link::Meter;
use crate::print::{count, human, notice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use volery::Options;

/// The time between two lines.
const LINE: Duration = Duration::from_secs(5);
/// The time between two states of the bar, and before the first.
const BAR: Duration = Duration::from_millis(200);

/// The time before a step without a measure is announced.
const ANNOUNCE: Duration = Duration::from_secs(1);

/// Shows progress until dropped.
pub struct Progress {
    /// Dropped to stop the watch.
    stop: Option<Sender<()>>,
    watch: Option<JoinHandle<()>>,
}

/// Counts of the work done, over several statements.
#[derive(Default)]
pub struct Counter {
    /// The count for the statement under way.
    pub now: Arc<AtomicU64>,
    /// How many there will be for it; 0 where that is not known, or not yet.
    work: Arc<AtomicU64>,
    /// The count for the statements before.
    before: AtomicU64,
}

impl Counter {
    /// Options by which a proof counts its progress here.
    pub fn counting(&self, options: Options) -> Options {
        Options { progress: Some(self.now.clone()), work: Some(self.work.clone()), ..options }
    }

    /// Starts the count over, for another statement.
    pub fn restart(&self) {
        self.before.fetch_add(self.now.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        self.work.store(0, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.before.load(Ordering::Relaxed) + self.now.load(Ordering::Relaxed)
    }

    /// How many there will be by the end of the statement under way, where that is known.
    fn work(&self) -> Option<u64> {
        let work = self.work.load(Ordering::Relaxed);
        (work > 0).then(|| self.before.load(Ordering::Relaxed) + work)
    }
}

/// The counts that are watched.
pub struct Watched {
    /// Multiplications done, or other units as `unit` says.
    pub done: Arc<Counter>,
    /// Bytes carried, where there is a link.
    pub meter: Option<Arc<Meter>>,
    /// The unit of the counts.
    pub unit: &'static str,
    /// How many there are in all, where that is known beforehand.
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
            let (mut bar, mut idle) = (None, Duration::ZERO);
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(period) {
                let at = Moment { elapsed: started.elapsed(), idle, done: watched.done.count() };
                if at.done == 0 {
                    idle = at.elapsed;
                }
                if terminal {
                    watched.draw(bar.get_or_insert_with(bar_of_nothing), &at);
                } else {
                    notice(watched.line(&at));
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

/// How far it has come.
struct Moment {
    elapsed: Duration,
    /// The time after which nothing was done yet: a set-up says nothing of the pace.
    idle: Duration,
    done: u64,
}

impl Moment {
    /// How long the rest of `total` takes at the pace so far.
    fn left(&self, total: u64) -> Option<Duration> {
        let rest = total.checked_sub(self.done).filter(|_| self.done > 0)?;
        let seconds = (self.elapsed - self.idle).as_secs_f64() * rest as f64 / self.done as f64;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

impl Watched {
    fn total(&self) -> Option<u64> {
        self.total.or_else(|| self.done.work())
    }

    fn line(&self, at: &Moment) -> String {
        let of = self.total().map_or(String::new(), |total| format!(" of {}", count(total as f64)));
        format!("volery: {}{of} {}, {}", count(at.done as f64), self.unit, self.rates(at))
    }

    fn rates(&self, at: &Moment) -> String {
        let bytes = |count: &AtomicU64| human(count.load(Ordering::Relaxed) as f64);
        let carried = self.meter.as_ref().map_or(String::new(), |meter| {
            format!(", {}B sent, {}B received", bytes(&meter.sent), bytes(&meter.received))
        });
        let rate = count(at.done as f64 / at.elapsed.as_secs_f64());
        let left = self.total().and_then(|total| at.left(total));
        let left = left.map_or(String::new(), |left| format!(", about {} left", span(left)));
        format!("{rate} {}/s{carried}, {} s{left}", self.unit, at.elapsed.as_secs())
    }

    fn draw(&self, bar: &ProgressBar, at: &Moment) {
        if let Some(total) = self.total().filter(|total| bar.length() != Some(*total)) {
            bar.set_length(total);
            bar.set_style(style("{bar:20} {percent:>3}% {wide_msg}"));
        }
        bar.set_position(at.done);
        bar.set_message(self.rates(at));
    }
}

/// A bar of which nothing is known yet.
fn bar_of_nothing() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        .with_style(style("{spinner} {wide_msg}"));
    bar.tick();
    bar
}

/// A duration in the two units that matter.
fn span(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three million after so many seconds, of which so many were idle.
    fn after(seconds: u64, idle: u64) -> Moment {
        let [elapsed, idle] = [seconds, idle].map(Duration::from_secs);
        Moment { elapsed, idle, done: 3_000_000 }
    }

    #[test]
    fn lines_say_how_far_and_how_fast() {
        let line = |total| {
            let meter = Arc::<Meter>::default();
            meter.sent.store(12_000_000, Ordering::Relaxed);
            let watched = Watched { done: Arc::default(), meter: Some(meter), unit: "gates", total };
            watched.done.now.store(3_000_000, Ordering::Relaxed);
            (watched.line(&after(6, 0)), Watched { meter: None, ..watched })
        };
        let rest = "500 k gates/s, 12 MB sent, 0 B received, 6 s";
        let (line_of_ten, ten) = line(Some(10_000_000));
        assert_eq!(line_of_ten, format!("volery: 3 M of 10 M gates, {rest}, about 14 s left"));
        assert!(ten.line(&after(6, 3)).ends_with("6 s, about 7 s left"));
        let (linked, unlinked) = line(None);
        assert_eq!(linked, format!("volery: 3 M gates, {rest}"));
        assert_eq!(unlinked.line(&after(6, 0)), "volery: 3 M gates, 500 k gates/s, 6 s");
    }

    /// Totals that become known later count as those that were known beforehand.
    #[test]
    fn work_is_known_late() {
        let watched = Watched { done: Arc::default(), meter: None, unit: "gates", total: None };
        watched.done.now.store(3_000_000, Ordering::Relaxed);
        watched.done.work.store(12_000_000, Ordering::Relaxed);
        assert!(watched.line(&after(6, 0)).contains("3 M of 12 M gates"));
        watched.done.restart();
        assert_eq!(watched.total(), None);
        let spans = [7, 61, 3600, 90_000].map(|seconds| span(Duration::from_secs(seconds)));
        assert_eq!(spans, ["7 s", "1 min 1 s", "1 h 0 min", "25 h 0 min"]);
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
