//! Information set decoding that uses the regularity of the noise: Esser and Santini, "Not just regular
//! decoding" (2023/1568).
//!
//! Known block parities take t off k, and the information set has as many samples in each block as in the
//! next, so that it misses an error more often than a random one.

use super::{Lpn, log2_binomial};

/// The cost by permutation: no error falls on the information set.
pub(super) fn permutation(lpn: Lpn) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    let k = k - lpn.parities();
    2.0 * (n - k).log2() + n.log2() - t * lpn.spared(k / t)
}

/// How likely p of the t blocks, half of them in each half, have their errors among the
/// `chosen` samples of a block.
fn chance(lpn: Lpn, p: f64, chosen: f64) -> f64 {
    let share = chosen / lpn.block();
    if share >= 1.0 {
        return f64::NEG_INFINITY;
    }
    let hit = (lpn.density * share).log2();
    2.0 * log2_binomial(lpn.t / 2.0, p / 2.0) + p * hit + (lpn.t - p) * lpn.spared(chosen)
}

/// The cost by enumeration, as Stern's: p errors fall on the information set and l more samples, and meet in
/// the middle on l checks.
pub(super) fn enumeration(lpn: Lpn) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    let k = k - lpn.parities();
    let mut best = f64::INFINITY;
    for p in (0..30).step_by(2).map(f64::from).take_while(|p| *p <= t) {
        let list = |chosen: f64| log2_binomial(t / 2.0, p / 2.0) + p / 2.0 * chosen.log2();
        let bits = list(k / t).max(0.0);
        for l in (15..=45).map(|i| (bits * f64::from(i) / 30.0).ceil()) {
            let chosen = (k + l) / t;
            let work = (2.0 * (n - k).log2()).max(1.0 + list(chosen)).max(2.0 * list(chosen) - l);
            best = best.min(n.log2() + work - chance(lpn, p, chosen));
        }
    }
    best
}

/// The cost by representations, as BJMM's with one layer: the p errors are the sum of two vectors with p/2 of
/// them and `extra` more that cancel, each found by halves.
pub(super) fn representation(lpn: Lpn) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    let k = k - lpn.parities();
    let mut best = f64::INFINITY;
    for p in (0..40).step_by(4).map(f64::from) {
        for extra in (0..32).step_by(2).map(f64::from).take_while(|extra| p + extra <= t) {
            let weight = p / 2.0 + extra;
            let blocks = log2_binomial(t / 2.0, weight / 2.0);
            let ways = 2.0 * (log2_binomial(p / 2.0, p / 4.0) + log2_binomial((t - p) / 2.0, extra / 2.0));
            let checks = ways.floor();
            let bits = 2.0 * blocks + weight * k.log2();
            for l in (15..=45).map(|i| (bits * f64::from(i) / 30.0).floor()) {
                let chosen = (k + l) / t;
                let base = blocks + weight / 2.0 * chosen.log2();
                let sums = 2.0 * base - checks;
                let last = 2.0 * sums - (l - checks);
                let work = (2.0 * (n - k).log2()).max(2.0 + base).max(1.0 + sums).max(last);
                best = best.min(n.log2() + work - chance(lpn, p, chosen));
            }
        }
    }
    best
}
