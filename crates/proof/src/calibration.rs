//! How fast this machine is at what correlations are made of: some tiles of each kind, timed once for each
//! setting and kept for the process. It takes a few milliseconds.

use crate::correlations::Pace;
use core::hint::black_box;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use volery_primitives::Arch;
use volery_vole::ot::softspoken::{self, Depth, Row};
use volery_vole::vole::extend::Schedule;
use volery_vole::vole::lpn::{Params, TILE};
use volery_vole::vole::sample::Sample;

/// The paces over the correlations of one setting, in their order, once they are known.
pub(crate) struct Calibrated(Mutex<Option<(Arch, Vec<Pace>)>>);

impl Calibrated {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The paces that were found before with the same instructions, or else those that `calibrate` finds.
    /// Both parties may live in one process: they are not timed side by side.
    pub(crate) fn paces(&self, arch: Arch, calibrate: impl FnOnce() -> Vec<Pace>) -> Vec<Pace> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, paces)) = known.as_ref().filter(|(found, _)| *found == arch) {
            return paces.clone();
        }
        let paces = calibrate();
        *known = Some((arch, paces.clone()));
        paces
    }
}

/// The runs of each kind, besides a first one that fills caches; fewer where they take longer than said.
const RUNS: usize = 4;
const LONGEST: Duration = Duration::from_micros(600);

/// The nanoseconds that `work` takes at best: what else the machine does is not its speed.
pub(crate) fn nanoseconds(mut work: impl FnMut()) -> f64 {
    work();
    let started = Instant::now();
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let begun = Instant::now();
        work();
        best = best.min(begun.elapsed());
        if started.elapsed() > LONGEST {
            break;
        }
    }
    best.as_secs_f64() * 1e9
}

/// The nanoseconds of a row straight from transfers.
pub(crate) fn row<R: Row>(arch: Arch, depth: Depth) -> f64 {
    let mut sample = softspoken::Sample::<R>::new(arch, depth);
    nanoseconds(|| black_box(&mut sample).run()) / softspoken::Sample::<R>::ROWS as f64
}

/// The nanoseconds of an output of an iteration.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    /// For its part in the check of its trees.
    pub fixed: f64,
    /// The time until shares are drawn.
    pub drawn: f64,
}

impl Output {
    pub(crate) fn of(mut sample: impl Sample) -> Self {
        let tile = TILE as f64;
        Self {
            fixed: nanoseconds(|| black_box(&mut sample).fix()) / tile,
            drawn: nanoseconds(|| black_box(&mut sample).draw()) / tile,
        }
    }

    /// For a share of a set that many are drawn of: those that the next iteration starts from are made too.
    pub(crate) fn share(self, params: Params, schedule: Schedule) -> f64 {
        (self.fixed + self.drawn) * params.tiles() as f64 / schedule.draws() as f64
    }
}
