//! Sums of parties that are followed.
//!
//! Everything that the parties compute is linear in their tapes, so that a sum of parties is a party like any
//! other. A **view** is such a sum, over a set of parties that does not hold party 0, who adds all
//! corrections and constants. The prover follows the views; with the plain value each also determines its
//! complement. The verifier follows, for each view, that of the two which does not hold the hidden party.

use core::ops::{AddAssign, Range};

/// The choice of the sums of parties that are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Aggregation {
    /// log2 n views: number t sums the parties in whose number bit t is one.
    #[default]
    Hypercube,
    /// n-1 views: each party but the first by itself, as in the paper.
    Parties,
}

impl Aggregation {
    /// All choices.
    pub const ALL: [Self; 2] = [Self::Hypercube, Self::Parties];

    /// The name in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hypercube => "hypercube",
            Self::Parties => "parties",
        }
    }

    /// The number of views of so many parties.
    pub const fn views(self, parties: usize) -> usize {
        match self {
            Self::Hypercube => parties.ilog2() as usize,
            Self::Parties => parties - 1,
        }
    }

    /// Whether `view` sums over `party`.
    pub const fn holds(self, view: usize, party: usize) -> bool {
        match self {
            Self::Hypercube => party >> view & 1 == 1,
            Self::Parties => party == view + 1,
        }
    }

    /// Sums `rows`, one of `width` for each party: view v to `out` at `views(v)`, and all of them to `total`.
    /// The rows are used up.
    pub(super) fn sum<T: Copy + Default + AddAssign>(
        self,
        rows: &mut [T],
        width: usize,
        views: impl Fn(usize) -> Range<usize>,
        out: &mut [T],
        total: &mut [T],
    ) {
        let mut parties = rows.len() / width;
        match self {
            Self::Hypercube => {
                for view in 0..parties.ilog2() as usize {
                    let out = &mut out[views(view)];
                    out.fill(T::default());
                    parties /= 2;
                    for party in 0..parties {
                        // Row 2p and row 2p+1 become row p.
                        let (done, rest) = rows.split_at_mut((2 * party).max(1) * width);
                        let (sums, even, odd) = match party {
                            0 => (done, None, &rest[..width]),
                            _ => {
                                let (even, odd) = rest[..2 * width].split_at(width);
                                (&mut done[party * width..(party + 1) * width], Some(even), odd)
                            }
                        };
                        if let Some(even) = even {
                            sums.copy_from_slice(even);
                        }
                        for ((sum, out), &odd) in sums.iter_mut().zip(&mut *out).zip(odd) {
                            *sum += odd;
                            *out += odd;
                        }
                    }
                }
                total.copy_from_slice(&rows[..width]);
            }
            Self::Parties => {
                total.fill(T::default());
                for (party, row) in rows.chunks_exact(width).enumerate() {
                    if party > 0 {
                        out[views(party - 1)].copy_from_slice(row);
                    }
                    total.iter_mut().zip(row).for_each(|(total, &row)| *total += row);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::F128;

    #[test]
    fn views_sum_the_parties_that_they_hold() {
        for aggregation in Aggregation::ALL {
            for parties in [2, 4, 16, 256] {
                let width = 3;
                let rows: Vec<F128> =
                    (0..parties * width).map(|i| F128(1 << (i % 100) | i as u128)).collect();
                let views = aggregation.views(parties);
                let (mut out, mut total) = (vec![F128(0); views * width], vec![F128(0); width]);
                let place = |view| view * width..(view + 1) * width;
                aggregation.sum(&mut rows.clone(), width, place, &mut out, &mut total);
                for i in 0..width {
                    let sum = |holds: &dyn Fn(usize) -> bool| {
                        (0..parties).filter(|party| holds(*party)).map(|party| rows[party * width + i]).sum()
                    };
                    assert_eq!(total[i], sum(&|_| true));
                    for view in 0..views {
                        assert!(!aggregation.holds(view, 0));
                        assert_eq!(out[view * width + i], sum(&|party| aggregation.holds(view, party)));
                    }
                }
            }
        }
    }

    /// The soundness of one repetition: whoever is hidden, each other party is in a set that is followed, and
    /// the sets that are not followed have only the hidden one in common.
    #[test]
    fn the_sets_that_are_not_followed_meet_in_the_hidden_party() {
        for aggregation in Aggregation::ALL {
            for parties in [2, 4, 32] {
                for hidden in 0..parties {
                    let unfollowed = |party| {
                        (0..aggregation.views(parties))
                            .all(|view| aggregation.holds(view, party) == aggregation.holds(view, hidden))
                    };
                    assert_eq!((0..parties).filter(|party| unfollowed(*party)).collect::<Vec<_>>(), [hidden]);
                }
            }
        }
    }
}
