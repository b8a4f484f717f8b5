//! The attacks on random codes with exactly t errors, as Liu, Wang, Yang and Yu cost them (2022/712).

use super::{Lpn, STRASSEN, log2_binomial, log2_sum};

/// Pooled Gauss (Esser, Kübler and May, 2017): guess k samples without error and solve for the secret.
pub(super) fn gauss(lpn: Lpn) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    STRASSEN * k.min(n - k).log2() + log2_binomial(n, t) - log2_binomial(n - k, t)
}

/// Statistical decoding (Al Jabri, 2001): vote with parity checks of weight k + 1.
pub(super) fn statistical(lpn: Lpn) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    if lpn.bits == 1.0 {
        return (k + 1.0).log2() + 2.0 * t * ((n - t + 1.0) / (n - k - t)).log2();
    }
    (k + 1.0).log2() + 2.0 * (log2_binomial(n, t) - log2_binomial(n - k - 1.0, t))
}

/// SD 2.0 (Carrier, Debris-Alazard, Meyer-Hilfiger and Tillich, 2022/1000): statistical decoding of fewer
/// unknowns, by as many as pooled Gauss has time to try.
pub(super) fn statistical_reduced(lpn: Lpn) -> f64 {
    statistical(Lpn { k: lpn.k - (gauss(lpn) / lpn.bits).floor(), ..lpn })
}

/// The cost of an iteration of information set decoding for each sample, with a window of l parity checks,
/// besides its lists.
fn elimination(n: f64, rest: f64) -> f64 {
    rest.log2() + n.log2() - rest.log2().log2()
}

/// Stern (1988): p of the errors fall on k + l samples, half of them on each half, and meet in
/// the middle on l checks.
pub(super) fn stern(lpn: Lpn) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    let mut best = f64::INFINITY;
    for p in (0..30).step_by(2).map(f64::from).take_while(|p| *p <= t / 2.0) {
        let values = p / 2.0 * lpn.values();
        let symbols = (log2_binomial(k / 2.0, p / 2.0) + values) / lpn.bits;
        for l in (0..=75).map(|i| (symbols * f64::from(i) / 30.0).floor()) {
            let rest = n - k - l;
            let places = log2_binomial((k + l) / 2.0, p / 2.0);
            let list = places + values;
            let chance = log2_binomial(rest, t - p) + 2.0 * places - log2_binomial(n, t);
            let iteration = log2_sum(&[elimination(n, rest), 1.0 + list, 1.0 + 2.0 * list - l * lpn.bits]);
            best = best.min(n.log2() + iteration - chance.min(0.0));
        }
    }
    best
}

/// Becker, Joux, May and Meurer (2012) with two layers of representations: the p errors on k + l
/// samples are the sum of two vectors of weight `middle`, and each of those of two of weight `low`,
/// which are found by halves.
pub(super) fn bjmm(lpn: Lpn) -> f64 {
    let Lpn { k, t, .. } = lpn;
    let mut best = f64::INFINITY;
    for low in (2..=20).step_by(2) {
        let bits = log2_binomial(k / 2.0, f64::from(low / 2));
        for l in (0..=40).map(|i| (bits * f64::from(i) / 8.0).floor()) {
            for middle in (low..=2 * low).step_by(2) {
                for p in (middle..=2 * middle).step_by(2).map(f64::from).take_while(|p| *p <= t) {
                    best = best.min(tree(lpn, l, f64::from(low), f64::from(middle), p));
                }
            }
        }
    }
    best
}

/// The ways in which a vector of `weight` is the sum of two of weight `part`, out of `length`.
fn representations(length: f64, weight: f64, part: f64) -> f64 {
    log2_binomial(weight, weight / 2.0) + log2_binomial(length - weight, part - weight / 2.0)
}

/// BJMM's cost with given weights.
fn tree(lpn: Lpn, l: f64, low: f64, middle: f64, p: f64) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    let length = k + l;
    let vectors = |weight| log2_binomial(length, weight);
    let base = log2_binomial(length / 2.0, low / 2.0);
    // How likely two vectors of one layer add up to the weight of the next.
    let fits = representations(length, middle, low) + vectors(middle) - 2.0 * vectors(low);
    let fits_last = representations(length, p, middle) + vectors(p) - 2.0 * vectors(middle);
    // So many checks are fixed in each layer that one representation in all is left.
    let checks = (fits + 4.0 * base - vectors(middle)).floor().clamp(0.0, (l - 1.0).max(0.0));
    let more = representations(length, p, middle).floor() - checks;
    let more = more.clamp(0.0, (l - checks - 1.0).max(0.0));
    let lows = 2.0 * base - checks;
    let sums = 2.0 * lows - more;
    let middles = (fits + sums).min(vectors(middle) - checks - more);
    let last_sums = 2.0 * middles - (l - checks - more);
    let found = (fits_last + last_sums).min(vectors(p) - l);
    let chance = log2_binomial(n - length, t - p) + l + found - log2_binomial(n, t);
    let lists = [elimination(n, n - length), 3.0 + base, 2.0 + lows, 1.0 + sums, 1.0 + last_sums];
    n.log2() + log2_sum(&lists) - chance.min(0.0)
}
