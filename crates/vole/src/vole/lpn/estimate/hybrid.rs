//! The hybrid attack on regular noise (2025/1284): guess samples without error, then solve the quadratic
//! equations that say that no two samples of a block both have one.

use super::{Lpn, STRASSEN, first, log2_sum};

/// Every block but q has u samples guessed, and f of those one more. The q are left whole, and each place of
/// their errors is tried once the linear algebra that they share has been done.
#[derive(Clone, Copy)]
struct Guess {
    u: f64,
    f: f64,
    q: f64,
}

/// Each block more in q multiplies the tries by β.
const LARGEST_Q: f64 = 13.0;

/// The least over all guesses.
pub(super) fn cost(lpn: Lpn) -> f64 {
    let Lpn { k, t, .. } = lpn;
    let mut best = f64::INFINITY;
    for u in (0..).map(f64::from).take_while(|u| *u <= lpn.block() - 3.0) {
        // Guessing alone costs more from here on.
        if -(t - LARGEST_Q) * lpn.spared(u) > best {
            break;
        }
        for q in (0..).map(f64::from).take_while(|q| *q <= LARGEST_Q && *q < t) {
            let blocks = t - q;
            // With so many blocks that give one more there is nothing left to solve.
            let unknowns = k - lpn.parities() - u * blocks;
            if unknowns < blocks {
                best = best.min(guess_cost(lpn, Guess { u, f: unknowns.max(0.0), q }));
            }
            // Otherwise f goes from the least that leaves few enough unknowns to the most that leaves any.
            let last = (blocks - 1.0).min(unknowns - lpn.free_samples() * q);
            let solves = |f| guess_cost(lpn, Guess { u, f: f as f64, q }).is_finite();
            let least = first(0..last as i64 + 1, solves) as f64;
            if least > last {
                continue;
            }
            let grid = (0..=32).map(|i| f64::floor(least + (last - least) * f64::from(i) / 32.0));
            best = grid.map(|f| guess_cost(lpn, Guess { u, f, q })).fold(best, f64::min);
        }
    }
    best
}

/// The cost of a guess, infinite where linearising does not solve the equations.
fn guess_cost(lpn: Lpn, guess: Guess) -> f64 {
    let Lpn { n, k, t, .. } = lpn;
    let Guess { u, f, q } = guess;
    let (block, samples) = (lpn.block(), lpn.free_samples());
    let plain = t - q - f;
    let chance = f * lpn.spared(u + 1.0) + plain * lpn.spared(u);

    // Eliminating by the parity checks, of which the first ones meet few blocks.
    let unknowns = k - lpn.parities() - f * (u + 1.0) - plain * u;
    let rows = n - k - ((n - k) / samples).floor() * (samples - u - 1.0);
    let eliminate = (rows * (n - k) * (rows + unknowns)).max(1.0).log2();
    if unknowns <= 0.0 {
        return eliminate - chance;
    }

    let pairs = |samples: f64| samples * (samples - 1.0) / 2.0;
    let quadratics = plain * pairs(samples - u) + f * pairs(samples - u - 1.0);
    let tried = q * samples;
    let solved = unknowns - tried;
    let tries = q * block.log2();
    if solved < 0.0 || quadratics <= 0.0 {
        return f64::INFINITY;
    }
    let work = if lpn.bits == 1.0 {
        solve_bits(unknowns, solved, tried, quadratics)
    } else {
        solve_values(unknowns, solved, tried, quadratics, q)
    };
    work.map_or(f64::INFINITY, |(once, each)| log2_sum(&[eliminate, once, each + tries]) - chance)
}

/// The cost over F_2, where squares are no monomials of their own: once for all tries Wiedemann on the
/// monomials of degree two, then for each try a dense system.
fn solve_bits(unknowns: f64, solved: f64, tried: f64, quadratics: f64) -> Option<(f64, f64)> {
    if solved > (2.0 * quadratics).sqrt() - 2.0 {
        return None;
    }
    if solved == 0.0 {
        return Some((0.0, 0.0));
    }
    let monomials = (solved * solved / 2.0).max(2.0);
    let once = 4.0 * solved.log2() + 2.0 * unknowns.log2() - 3.0 - monomials.log2().log2();
    let substitute = 1.25 * (2.0 * solved * solved * tried + solved * tried * tried);
    let dense = 2.5 * solved;
    let each = substitute + dense.powi(3) / dense.max(2.0).log2();
    Some((once.max(0.0), each.max(1.0).log2()))
}

/// The cost over other fields: all quadratics are brought to echelon form once, which leaves for each try
/// those whose monomials all have an unknown of the blocks tried.
fn solve_values(unknowns: f64, solved: f64, tried: f64, quadratics: f64, q: f64) -> Option<(f64, f64)> {
    let squares = |count: f64| count * (count + 1.0) / 2.0;
    let pairs = q * (q - 1.0) / 2.0;
    let left = solved + 2.0 * q + q * solved + pairs;
    if quadratics - squares(solved) < 2.5 * left {
        return None;
    }
    let once = STRASSEN * (squares(unknowns) + unknowns).log2();
    let substitute = 2.5 * left * (solved + 2.0 * tried + tried * solved + tried * (tried - 1.0) / 2.0);
    Some((once, ((2.5 * left.max(1.0)).powf(STRASSEN) + substitute).log2()))
}
