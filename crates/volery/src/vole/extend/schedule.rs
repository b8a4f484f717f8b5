//! When what is done for the next iteration, counted in draws of this one.

use super::super::lpn::{Params, TILE};

/// The work that both parties spread over the draws of an iteration. Each counts its own draws; the
/// numbers are the same.
#[derive(Clone, Copy)]
pub(crate) struct Schedule {
    tiles: usize,
    base_tiles: usize,
    /// Eighths of the draws after which all is planted; a quarter later all is fixed.
    planted_by: usize,
}

impl Schedule {
    /// Over F_2, where the check takes one answer.
    pub(crate) fn new(params: Params) -> Self {
        Self { tiles: params.tiles(), base_tiles: params.base_tiles(), planted_by: 5 }
    }

    /// Over another field, where the check takes an eighth more, with MACs of this degree.
    pub(crate) fn over(params: Params, degree: usize) -> Self {
        let base_tiles = params.consumed_over(degree).div_ceil(TILE);
        Self { tiles: params.tiles(), base_tiles, planted_by: 4 }
    }

    /// The draws of an iteration: the tiles that the next iteration does not start from.
    pub(crate) fn draws(self) -> usize {
        self.tiles - self.base_tiles
    }

    /// Whether another tile is set aside for the next iteration before this draw.
    pub(crate) fn sets_aside(self, draw: usize) -> bool {
        draw < self.base_tiles
    }

    /// How many tiles of the next iteration the verifier has planted after the work of `draws` draws.
    pub(crate) fn planted(self, draws: usize) -> usize {
        self.progress(draws, self.base_tiles, self.eighths(self.planted_by))
    }

    /// How many the prover has fixed by then.
    pub(crate) fn fixed(self, draws: usize) -> usize {
        self.progress(draws, self.base_tiles + self.draws() / 4, self.checked())
    }

    /// The number of draws after whose work the prover has sent x, and the verifier its answer.
    pub(crate) fn checked(self) -> usize {
        self.eighths(self.planted_by + 2)
    }

    /// The number of draws after whose work a second exchange is over, where the check takes one.
    pub(crate) fn opened(self) -> usize {
        self.eighths(self.planted_by + 3)
    }

    /// By how many draws the prover may receive later than the verifier sends: within an eighth of
    /// them nothing is needed.
    pub(crate) fn slack(self) -> usize {
        self.draws() / 8
    }

    /// The same where what waits for a round trip in the meantime is to stay small.
    pub(crate) fn lag(self) -> usize {
        self.slack().min(128)
    }

    fn eighths(self, number: usize) -> usize {
        number * self.draws() / 8
    }

    /// All tiles, evenly over the draws after the first `from` up to `to`.
    fn progress(self, draws: usize, from: usize, to: usize) -> usize {
        self.tiles * (draws.clamp(from, to) - from) / (to - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vole::lpn::Sets;

    #[test]
    fn everything_is_done_once_and_in_order() {
        let Sets { tiny, l2, mid, wan, .. } = Sets::LARGE;
        let over = [tiny, l2, mid, wan]
            .into_iter()
            .flat_map(|params| [1, 2, 4, 16].map(|degree| (params, Schedule::over(params, degree))));
        let all = Params::ALL.map(|params| (params, Schedule::new(params)));
        for (params, schedule) in all.into_iter().chain(over) {
            let last = schedule.draws();
            for draws in 1..=last {
                assert!(schedule.planted(draws) >= schedule.planted(draws - 1));
                assert!(schedule.fixed(draws) >= schedule.fixed(draws - 1));
                // Corrections are sent before they are taken up, as the verifier counts and with a distance.
                assert!(schedule.planted(draws) >= schedule.fixed(draws));
                if schedule.fixed(draws) > 0 && draws > last / 8 {
                    assert!(schedule.planted(draws - last / 8) >= schedule.fixed(draws));
                }
            }
            // Nothing is planted before all that it starts from is set aside.
            assert_eq!(schedule.planted(schedule.base_tiles), 0);
            assert!(
                schedule.sets_aside(schedule.base_tiles - 1) && !schedule.sets_aside(schedule.base_tiles)
            );
            assert_eq!(schedule.planted(last), params.tiles());
            assert_eq!(schedule.fixed(schedule.checked()), params.tiles());
            assert!(schedule.checked() < last && schedule.checked() < schedule.opened());
            assert!(schedule.opened() <= last);
            // What is needed is received in time, and nothing of an iteration after its last draw.
            let over_f2 = schedule.planted_by == 5;
            let lag = if over_f2 { schedule.slack() } else { schedule.lag() };
            let heard = |draws: usize| draws.saturating_sub(lag);
            assert!((1..=last).all(|draws| schedule.planted(heard(draws)) >= schedule.fixed(draws)));
            if over_f2 {
                // The answer to x comes before the next iteration.
                assert!(heard(last) + 1 > schedule.checked());
            } else {
                assert!(heard(schedule.opened()) >= schedule.checked() && heard(last) >= schedule.opened());
            }
        }
    }
}
