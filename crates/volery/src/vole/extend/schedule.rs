//! When what is done for the next iteration, counted in draws of this one.

use super::super::lpn::Params;

/// The work that both parties spread over the draws of an iteration. Each counts its own draws; the numbers are the
/// same.
#[derive(Clone, Copy)]
pub(crate) struct Schedule {
    tiles: usize,
    base_tiles: usize,
}

impl Schedule {
    pub(crate) fn new(params: Params) -> Self {
        Self { tiles: params.tiles(), base_tiles: params.base_tiles() }
    }

    /// The draws of an iteration: the tiles that the next iteration does not start from.
    pub(crate) fn draws(self) -> usize {
        self.tiles - self.base_tiles
    }

    /// Whether another tile is set aside for the next iteration before this draw.
    pub(super) fn sets_aside(self, draw: usize) -> bool {
        draw < self.base_tiles
    }

    /// How many tiles of the next iteration the verifier has planted after the work of `draws` draws.
    pub(crate) fn planted(self, draws: usize) -> usize {
        self.progress(draws, self.base_tiles, 5 * self.draws() / 8)
    }

    /// How many the prover has fixed by then.
    pub(super) fn fixed(self, draws: usize) -> usize {
        self.progress(draws, self.base_tiles + self.draws() / 4, self.checked())
    }

    /// The number of draws after whose work the prover has sent x, and the verifier its answer.
    pub(crate) fn checked(self) -> usize {
        7 * self.draws() / 8
    }

    /// All tiles, evenly over the draws after the first `from` up to `to`.
    fn progress(self, draws: usize, from: usize, to: usize) -> usize {
        self.tiles * (draws.clamp(from, to) - from) / (to - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once_and_in_order() {
        for params in Params::ALL {
            let schedule = Schedule::new(params);
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
            assert_eq!(schedule.planted(params.base_tiles()), 0);
            assert!(!schedule.sets_aside(params.base_tiles()));
            assert_eq!(schedule.planted(last), params.tiles());
            assert_eq!(schedule.fixed(schedule.checked()), params.tiles());
            assert!(schedule.checked() < last);
        }
    }
}
