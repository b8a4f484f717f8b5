//! Sparse column restriction, which no public estimator covers; asymptotically it is Chen, Shu and Zhou's
//! domain reduction (2024, arXiv 2407.19215).
//!
//! Of the k columns of the matrix take a share α such that the rows that lie within them, nα^d, are δ more
//! than those columns. The kernel of these rows, which block Lanczos or Wiedemann finds at the price of a
//! sparse matrix, gives δ parity checks on their errors alone, and up to p errors are found by collision.
//! That repeats with new columns until the rows hold no more than p.

use super::super::WEIGHT;
use super::{Lpn, log2_binomial, log2_sum};
use std::collections::BTreeSet;

/// How many times smaller α is for columns that are left after striking out the one with the fewest rows
/// again and again, instead of taken at random. To have many such choices part of the columns must be struck
/// out at random first, which makes it 0.87 and more.
pub(super) const GREEDY: f64 = 0.84;

/// The least over p; `shrink` multiplies the α of random columns.
pub(super) fn cost(lpn: Lpn, shrink: f64) -> f64 {
    (0..=10).map(f64::from).map(|p| cost_of(lpn, shrink, p)).fold(f64::INFINITY, f64::min)
}

fn cost_of(lpn: Lpn, shrink: f64, p: f64) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    let d = WEIGHT as f64;
    let size = |checks: f64| {
        let columns = shrink * k * share(lpn, checks);
        (columns, (columns + checks).floor())
    };
    // So many checks that the errors are unique, which depends on the rows, and these on the checks.
    let errors = |rows| log2_binomial(rows, p) + p * lpn.values() + lpn.targets.log2();
    let unique = |rows| ((errors(rows) + 10.0) / lpn.bits).ceil().max(32.0 / lpn.bits);
    let checks = (0..4).fold(64.0, |checks, _| unique(size(checks).1));
    let (columns, rows) = size(checks);
    // All of the kernel costs what one vector of it does, but over F_2 only what a word has room for.
    let words = if lpn.bits == 1.0 { (checks / 64.0).max(1.0) } else { 1.0 };
    let kernel = (3.0 * d * words / lpn.lanes()).log2() + 2.0 * columns.log2();
    let hit = lpn.density * rows / n;
    let chance = |i: f64| log2_binomial(t, i) + i * hit.log2() + (t - i) * (1.0 - hit).log2();
    let chances: Vec<f64> = (0..=p as u32).map(f64::from).map(chance).collect();
    log2_sum(&[kernel, search(lpn, rows, p)]) - lpn.targets.log2() - log2_sum(&chances)
}

/// Finding p errors by their syndrome, for all targets.
///
/// Over F_2 a part of them meets, for each target, the rest. Elsewhere the columns of the parity checks are
/// taken up to factors and modulo the syndrome, in which those at the errors are dependent. Modulo some of
/// them, which are tried, the others are sums that collide up to a factor: in particular two errors take as
/// many operations as there are rows, and three the square of that, without a value being guessed.
fn search(lpn: Lpn, rows: f64, p: f64) -> f64 {
    if lpn.bits == 1.0 {
        let half = (p / 2.0).ceil() as u32;
        let meet = |part| log2_binomial(rows, part).max(lpn.targets.log2() + log2_binomial(rows, p - part));
        return 2.0 + (half..=p as u32).map(f64::from).map(meet).fold(f64::INFINITY, f64::min);
    }
    let collide = |tried: f64| {
        let half = ((p - tried) / 2.0).ceil();
        log2_binomial(rows, tried) + log2_binomial(rows, half) + (half - 1.0).max(0.0) * lpn.values()
    };
    let most = (p - 2.0).max(0.0) as u32;
    3.0 + (0..=most).map(f64::from).map(collide).fold(f64::INFINITY, f64::min)
}

/// The α with `checks` more rows than columns, for columns at random.
fn share(lpn: Lpn, checks: f64) -> f64 {
    let next = |share: f64| ((share * lpn.k + checks) / lpn.n).powf(1.0 / WEIGHT as f64);
    (0..30).fold(1.0, |share, _| next(share))
}

/// The share of k columns that is left once no column can be struck out without having fewer rows than
/// columns, out of k·`ratio` rows.
fn strike_out(k: usize, ratio: usize) -> f64 {
    let mut state = 1_u64;
    let mut column = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((state >> 32) * k as u64) >> 32) as usize
    };
    let rows: Vec<[usize; WEIGHT]> = (0..k * ratio).map(|_| std::array::from_fn(|_| column())).collect();
    let mut rows_of = vec![Vec::new(); k];
    for (row, columns) in rows.iter().enumerate() {
        columns.iter().for_each(|column| rows_of[*column].push(row));
    }
    let mut degrees: Vec<usize> = rows_of.iter().map(Vec::len).collect();
    let mut queue: BTreeSet<(usize, usize)> = degrees.iter().copied().zip(0..).collect();
    let mut whole = vec![true; rows.len()];
    let mut left = rows.len();
    while left >= queue.len() {
        let (_, struck) = queue.pop_first().unwrap();
        for row in rows_of[struck].iter().copied() {
            if !std::mem::replace(&mut whole[row], false) {
                continue;
            }
            left -= 1;
            for column in rows[row] {
                if queue.remove(&(degrees[column], column)) {
                    degrees[column] -= 1;
                    queue.insert((degrees[column], column));
                }
            }
        }
    }
    (queue.len() + 1) as f64 / k as f64
}

#[test]
fn greedy_columns_are_as_few_as_assumed() {
    for ratio in [8, 15, 30] {
        let random = (ratio as f64).powf(-1.0 / (WEIGHT as f64 - 1.0));
        let gain = strike_out(2000, ratio) / random;
        assert!((GREEDY - 0.005..GREEDY + 0.03).contains(&gain), "{gain:.3} for n/k = {ratio}");
    }
}
