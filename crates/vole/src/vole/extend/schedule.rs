//! Schedule of the work for the next iteration, counted in draws of this one.

use super::super::lpn::{Params, TILE};
use volery_primitives::Field;

/// The work for the next iteration, as both parties spread it over the draws of this one. Each counts its own
/// draws, with the same numbers.
#[derive(Clone, Copy)]
pub struct Schedule {
    tiles: usize,
    base_tiles: usize,
    /// Exchanges of the check, one or two. Each takes an eighth of the draws; before them all is fixed, and a
    /// quarter before that, planted.
    exchanges: usize,
    /// The most draws that a party may be behind with what it receives.
    longest_lag: usize,
    /// Draws before which no work is done for the next iteration.
    rests: usize,
}

/// Draws after which both parties flush. A party that never waits would otherwise keep its part of the next
/// iteration in its buffers.
const HAND_OVER: usize = 16;

/// The fewest draws in which an iteration is made ready.
const LEAST_LEFT: usize = 24;

impl Schedule {
    /// The prover's schedule over F_2, where the check takes one exchange.
    pub fn new(params: Params) -> Self {
        let (tiles, base_tiles) = (params.tiles(), params.base_tiles());
        Self { tiles, base_tiles, exchanges: 1, longest_lag: usize::MAX, rests: 0 }
    }

    /// The prover's schedule over the field `B`, with MACs of this degree over it, where the check takes two
    /// exchanges. Its longest lag keeps small what waits for a round trip.
    pub fn over<B: Field>(params: Params, degree: usize) -> Self {
        let base_tiles = params.consumed_over::<B>(degree).div_ceil(TILE);
        Self { tiles: params.tiles(), base_tiles, exchanges: 2, longest_lag: 128, rests: 0 }
    }

    /// The schedule of a verifier, which waits for what the prover sends.
    pub(in crate::vole) fn in_time(self) -> Self {
        Self { longest_lag: 0, ..self }
    }

    /// The schedule where no more than `shares` shares are expected. If the first iteration has them, and
    /// draws besides in which the next one can be made ready, the work waits until they are drawn: most often
    /// it is never needed.
    pub fn expecting(self, shares: u64) -> Self {
        // One more draw is for masks.
        let rests = usize::try_from(shares.div_ceil(TILE as u64) + 1).unwrap_or(usize::MAX);
        let enough = (4 * self.base_tiles).max(LEAST_LEFT);
        if self.draws().saturating_sub(rests) < enough { self } else { Self { rests, ..self } }
    }

    /// The draws of an iteration: the tiles that the next iteration does not start from.
    pub fn draws(self) -> usize {
        self.tiles - self.base_tiles
    }

    /// The tiles that the next iteration starts from.
    pub(super) fn base_tiles(self) -> usize {
        self.base_tiles
    }

    /// Whether another tile is set aside for the next iteration before this draw.
    pub(crate) fn sets_aside(self, draw: usize) -> bool {
        (self.rests..self.rests + self.base_tiles).contains(&draw)
    }

    /// Whether the first tile is set aside before this draw.
    pub(super) fn begins(self, draw: usize) -> bool {
        draw == self.rests
    }

    /// How many tiles are set aside within the first `draws` draws.
    pub(crate) fn set_aside(self, draws: usize) -> usize {
        draws.clamp(self.rests, self.rests + self.base_tiles) - self.rests
    }

    /// Whether all tiles of the next base are set aside.
    pub(crate) fn has_set_aside(self, draws: usize) -> bool {
        self.set_aside(draws) == self.base_tiles
    }

    /// How many tiles of the next iteration the verifier has planted after the work of `draws` draws.
    pub(crate) fn planted(self, draws: usize) -> usize {
        self.progress(draws, self.rests + self.base_tiles, self.eighths(6 - self.exchanges))
    }

    /// How many tiles the prover has fixed by then.
    pub(crate) fn fixed(self, draws: usize) -> usize {
        self.progress(draws, self.rests + self.base_tiles + self.left() / 4, self.checked())
    }

    /// The number of draws after whose work the prover has sent x, and the verifier its answer.
    pub fn checked(self) -> usize {
        self.eighths(8 - self.exchanges)
    }

    /// The number of draws after whose work a second exchange is over, where the check takes one.
    pub fn opened(self) -> usize {
        self.eighths(9 - self.exchanges)
    }

    /// How many exchanges are over by then.
    pub(in crate::vole) fn exchanges(self, draws: usize) -> usize {
        self.exchanges.min(usize::from(draws >= self.checked()) + usize::from(draws >= self.opened()))
    }

    /// Whether a party flushes then: every few draws, and whenever the peer waits for it.
    pub(super) fn hands_over(self, draws: usize) -> bool {
        draws.is_multiple_of(HAND_OVER) || self.exchanges(draws) > self.exchanges(draws - 1)
    }

    /// The number of draws by which this party may receive later than its peer sends: within an eighth of the
    /// draws nothing is needed.
    pub fn lag(self) -> usize {
        (self.left() / 8).min(self.longest_lag)
    }

    /// Whether the work waits at first.
    pub fn rests(self) -> bool {
        self.rests > 0
    }

    /// The draws that are left for the work.
    fn left(self) -> usize {
        self.draws() - self.rests
    }

    fn eighths(self, number: usize) -> usize {
        self.rests + number * self.left() / 8
    }

    /// The number of tiles done, of all of them, spread evenly over the draws after `from` and up to `to`.
    fn progress(self, draws: usize, from: usize, to: usize) -> usize {
        self.tiles * (draws.clamp(from, to) - from) / (to - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vole::lpn::Sets;
    use volery_primitives::{F2, F61};

    #[test]
    fn everything_is_done_once_and_in_order() {
        let Sets { tiny, l2, mid, wan, .. } = Sets::LARGE;
        let over = [tiny, l2, mid, wan]
            .into_iter()
            .flat_map(|params| [1, 2, 4, 16].map(|degree| (params, Schedule::over::<F61>(params, degree))));
        let bits = [Sets::F2.tiny, Sets::F2.l2, Sets::F2.mid, Sets::F2.wan];
        let over = over.chain(bits.map(|params| (params, Schedule::over::<F2>(params, 64))));
        let all = Params::ALL.map(|params| (params, Schedule::new(params)));
        // Whatever is expected, up to more than an iteration.
        let expecting = |(params, schedule): (Params, Schedule)| {
            let eighths = (0..=9).map(move |eighths| (eighths * schedule.draws() / 8 * TILE) as u64);
            eighths.map(move |shares| (params, schedule.expecting(shares))).chain([(params, schedule)])
        };
        let mut resting = 0;
        for (params, schedule) in all.into_iter().chain(over).flat_map(expecting) {
            let (last, eighth) = (schedule.draws(), schedule.left() / 8);
            resting += usize::from(schedule.rests > 0);
            for draws in 1..=last {
                assert!(schedule.planted(draws) >= schedule.planted(draws - 1));
                assert!(schedule.fixed(draws) >= schedule.fixed(draws - 1));
                // Corrections are sent before they are taken up, as the verifier counts and with a distance.
                assert!(schedule.planted(draws) >= schedule.fixed(draws));
                if schedule.fixed(draws) > 0 && draws > eighth {
                    assert!(schedule.planted(draws - eighth) >= schedule.fixed(draws));
                }
            }
            // Nothing is planted before all that it starts from is set aside.
            let all = schedule.rests + schedule.base_tiles;
            assert_eq!((schedule.planted(all), schedule.set_aside(all)), (0, schedule.base_tiles));
            assert!(schedule.has_set_aside(all) && !schedule.has_set_aside(all - 1));
            assert!(schedule.sets_aside(all - 1) && !schedule.sets_aside(all));
            let before = schedule.rests;
            assert!(before == 0 || !schedule.sets_aside(before - 1) && schedule.set_aside(before) == 0);
            assert_eq!(schedule.planted(last), params.tiles());
            assert_eq!(schedule.fixed(schedule.checked()), params.tiles());
            assert!(schedule.checked() < last && schedule.checked() < schedule.opened());
            assert!(schedule.opened() <= last);
            // What is needed is received in time, and nothing of an iteration after its last draw.
            let heard = |draws: usize| draws.saturating_sub(schedule.lag());
            assert!((1..=last).all(|draws| schedule.planted(heard(draws)) >= schedule.fixed(draws)));
            if schedule.exchanges == 1 {
                // The answer to x comes before the next iteration.
                assert!(heard(last) + 1 > schedule.checked());
            } else {
                assert!(heard(schedule.opened()) >= schedule.checked() && heard(last) >= schedule.opened());
            }
        }
        assert!(resting > 60, "{resting}");
    }
}
