//! The algebraic attacks on regular noise: guess µ samples without error in each of f blocks, and
//! linearise the products of degree D of the parity checks with the equations that say that no two samples
//! of a block have an error.

use super::{Lpn, STRASSEN, first, log2_sum};

/// The largest degree at which the equations are linearised.
const DEGREES: usize = 4;

/// A power series up to z^4, exactly.
type Series = [i128; DEGREES + 1];

/// f and µ.
#[derive(Clone, Copy)]
struct Guess {
    blocks: i64,
    zeros: i64,
}

impl Guess {
    /// log2 of one over the chance that it is right.
    fn cost(self, lpn: Lpn) -> f64 {
        -(self.blocks as f64) * lpn.spared(self.zeros as f64)
    }

    /// The monomials: in a block at most one sample occurs, over F_2 at most once. Elsewhere it has powers,
    /// by which the series of a block is (1 + (samples - 1)z) / (1 - z), and the denominators stay aside.
    fn monomials(self, lpn: Lpn) -> Series {
        let samples = if lpn.bits == 1.0 { lpn.free_samples() } else { lpn.block() - 1.0 };
        let (t, samples) = (lpn.t as i64, samples as i64);
        product(power(samples - self.zeros, self.blocks), power(samples, t - self.blocks))
    }

    /// The numbers of monomials of degree 1 to D, for each D.
    fn columns(self, lpn: Lpn) -> Series {
        let monomials = self.monomials(lpn);
        if lpn.bits == 1.0 {
            summed(monomials, 1)
        } else {
            summed(product(monomials, power(-1, 1 - lpn.t as i64)), 1)
        }
    }

    /// How many of those are left by generic parity checks and their multiples: by n - k - 1 over F_2, and
    /// elsewhere by n - k, which also solve the linear part.
    fn undetermined(self, lpn: Lpn) -> Series {
        let checks = (lpn.n - lpn.k) as i64;
        let (left, lowest) =
            if lpn.bits == 1.0 { (power(1, 1 - checks), 1) } else { (power(-1, checks - lpn.t as i64), 2) };
        summed(product(self.monomials(lpn), left), lowest)
    }

    /// The least degree at which nothing is left undetermined.
    fn degree(self, lpn: Lpn) -> Option<usize> {
        let left = self.undetermined(lpn);
        (2..=DEGREES).find(|degree| left[*degree] < 1)
    }

    /// The guesses in the fewest blocks that are solved at degree D, with D, for each D and µ.
    fn sufficient(lpn: Lpn) -> Vec<(Self, usize)> {
        let mut guesses = Vec::new();
        for degree in 2..=DEGREES {
            let mut zeros = 0;
            while zeros <= lpn.block() as i64 - 2 {
                let solved = |blocks| Self { blocks, zeros }.degree(lpn).is_some_and(|least| least <= degree);
                let blocks = first(0..lpn.t as i64 + 1, solved);
                if blocks <= lpn.t as i64 && blocks * zeros <= lpn.k as i64 {
                    guesses.push((Self { blocks, zeros }, degree));
                }
                zeros += 1 + zeros / 16;
            }
        }
        guesses
    }
}

/// (1 + cz)^e, for negative e too.
fn power(c: i64, e: i64) -> Series {
    let mut term = 1;
    std::array::from_fn(|i| {
        if i > 0 {
            term = term * i128::from(c) * (i128::from(e) - i as i128 + 1) / i as i128;
        }
        term
    })
}

fn product(a: Series, b: Series) -> Series {
    std::array::from_fn(|degree| (0..=degree).map(|i| a[i] * b[degree - i]).sum())
}

/// The sums of the coefficients from the `lowest` on to each degree.
fn summed(series: Series, lowest: usize) -> Series {
    std::array::from_fn(|degree| series.iter().take(degree + 1).skip(lowest).sum())
}

/// AGB (Briaud and Øygarden, Eurocrypt 2023): one guess, then Wiedemann on rows as long as a parity check's.
pub(super) fn one_guess(lpn: Lpn) -> f64 {
    let cost = |(guess, degree): (Guess, usize)| {
        let columns = guess.columns(lpn)[degree] as f64;
        let row = lpn.k + 1.0 - (guess.blocks * guess.zeros) as f64;
        (3.0 * row).log2() + 2.0 * columns.log2() + guess.cost(lpn)
    };
    Guess::sufficient(lpn).into_iter().map(cost).fold(f64::INFINITY, f64::min)
}

/// AGB 2.0 (2025/1476): eliminate most monomials under a part of the guess, and finish what they
/// leave under all of it.
pub(super) fn two_guesses(lpn: Lpn) -> f64 {
    let strassen = |size: f64| 5.64_f64.log2() + STRASSEN * size.log2();
    let mut best = f64::INFINITY;
    for (full, degree) in Guess::sufficient(lpn) {
        if full.cost(lpn) > best {
            continue;
        }
        for blocks in (1..=20).map(|i| full.blocks * i / 20).filter(|blocks| *blocks >= 2) {
            for zeros in (1..=20).map(|i| full.zeros * i / 20) {
                let part = Guess { blocks, zeros };
                let columns = part.columns(lpn)[degree].max(1) as f64;
                let left = part.undetermined(lpn)[degree].max(1) as f64;
                let rank = (columns - left).max(1.0);
                let sparse = columns.log2() + 2.0 * rank.log2() - rank.max(2.0).log2().log2();
                let first = strassen(columns).min(sparse) + part.cost(lpn);
                let second = strassen(left.min(rank)) + full.cost(lpn);
                best = best.min(log2_sum(&[first, second]));
            }
        }
    }
    best
}
