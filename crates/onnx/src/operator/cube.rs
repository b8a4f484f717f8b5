//! Windows over three dimensions of space, as loops go through them.

use super::Window;
use core::ops::Range;

/// A window that stands at places of three dimensions, the first of which may have one place, and whose taps meet
/// places of a larger space: of the source in a convolution or a pool, of the output in a transposed convolution.
pub(crate) struct Cube {
    kernel: [usize; 3],
    strides: [usize; 3],
    dilations: [usize; 3],
    before: [usize; 3],
    /// Places that the window stands at.
    windows: [usize; 3],
    /// Places that its taps can meet.
    space: [usize; 3],
}

/// Windows in a row that a tap joins with places, which are a stride apart.
pub(crate) struct RowOfWindows {
    pub(crate) tap: usize,
    pub(crate) windows: Range<usize>,
    /// The place that the first of them meets.
    pub(crate) place: usize,
}

/// Places that windows meet by a tap, for the elements there of any channel.
pub(crate) enum Met<const N: usize> {
    /// For some of the windows places that follow one another, but for padding, which the mask leaves out.
    Run { lanes: Range<usize>, from: usize, mask: [i64; N] },
    /// Places one by one; beyond a channel lies padding.
    Places([usize; N]),
}

impl<const N: usize> Met<N> {
    /// Reads the elements of a channel to where there are zeros, which padding leaves.
    #[inline(always)]
    pub(crate) fn read<T>(&self, channel: &[i64], row: &mut [T; N], make: impl Fn(i64) -> T) {
        match self {
            // Most runs are whole: a loop whose length the compiler knows.
            Self::Run { lanes, from, mask } if lanes.len() == N => {
                for ((read, value), mask) in row.iter_mut().zip(&channel[*from..][..N]).zip(mask) {
                    *read = make(value & mask);
                }
            }
            Self::Run { lanes, from, mask } => {
                let masks = &mask[lanes.clone()];
                for ((read, value), mask) in row[lanes.clone()].iter_mut().zip(&channel[*from..]).zip(masks) {
                    *read = make(value & mask);
                }
            }
            Self::Places(places) => {
                for (read, place) in row.iter_mut().zip(places) {
                    *read = make(channel.get(*place).copied().unwrap_or(0));
                }
            }
        }
    }
}

impl Cube {
    pub(crate) fn new(window: &Window, windows: &[usize], space: &[usize]) -> Self {
        // Dimensions of one place and one tap are no rows: left out, they leave a longer one last.
        let kept = |axis: &usize| {
            let i = *axis;
            [windows[i], space[i], window.kernel[i]] != [1; 3] || window.before[i] > 0
        };
        let kept: Vec<usize> = (0..space.len()).filter(kept).collect();
        let cube = |lengths: &[usize], missing: usize| {
            let mut cube = [missing; 3];
            for (length, axis) in cube[3 - kept.len()..].iter_mut().zip(&kept) {
                *length = lengths[*axis];
            }
            cube
        };
        Self {
            kernel: cube(&window.kernel, 1),
            strides: cube(&window.strides, 1),
            dilations: cube(&window.dilations, 1),
            before: cube(&window.before, 0),
            windows: cube(windows, 1),
            space: cube(space, 1),
        }
    }

    /// The places of the space.
    pub(crate) fn plane(&self) -> usize {
        self.space.iter().product()
    }

    pub(crate) fn taps(&self) -> usize {
        self.kernel.iter().product()
    }

    /// The elements between two places that neighbours in a row meet.
    pub(crate) fn stride(&self) -> usize {
        self.strides[2]
    }

    /// Whether each window has one tap, and meets the place that it stands at.
    pub(crate) fn is_point(&self) -> bool {
        self.kernel == [1; 3] && self.strides == [1; 3] && self.before == [0; 3] && self.windows == self.space
    }

    /// The coordinates of a number in row-major order.
    fn coordinates(number: usize, lengths: [usize; 3]) -> [usize; 3] {
        [number / (lengths[1] * lengths[2]), number / lengths[2] % lengths[1], number % lengths[2]]
    }

    /// The place that a tap of a window meets along an axis, if it is none in padding.
    fn along(&self, axis: usize, window: usize, tap: usize) -> Option<usize> {
        let place =
            (window * self.strides[axis] + tap * self.dilations[axis]).checked_sub(self.before[axis])?;
        (place < self.space[axis]).then_some(place)
    }

    /// Hands the place that each of `windows` meets by `tap` to `each`, if it is none in padding.
    pub(crate) fn places(&self, tap: usize, windows: Range<usize>, mut each: impl FnMut(Option<usize>)) {
        let tap = Self::coordinates(tap, self.kernel);
        let [mut d, mut h, mut w] = Self::coordinates(windows.start, self.windows);
        let row =
            |d: usize, h: usize| Some(self.along(0, d, tap[0])? * self.space[1] + self.along(1, h, tap[1])?);
        let mut begin = row(d, h);
        for _ in windows {
            each(begin.and_then(|row| Some(row * self.space[2] + self.along(2, w, tap[2])?)));
            w += 1;
            if w == self.windows[2] {
                (w, h) = (0, h + 1);
                if h == self.windows[1] {
                    (h, d) = (0, d + 1);
                }
                begin = row(d, h);
            }
        }
    }

    /// The places that `windows`, of which there are N at most, meet by `tap`.
    pub(crate) fn met<const N: usize>(&self, tap: usize, windows: Range<usize>) -> Met<N> {
        let mut places = [usize::MAX; N];
        let mut lanes = places.iter_mut();
        self.places(tap, windows, |place| {
            if let (Some(place), Some(lane)) = (place, lanes.next()) {
                *lane = place;
            }
        });
        let met = |place: &usize| *place != usize::MAX;
        let first = places.iter().position(met).unwrap_or(0);
        let end = places.iter().rposition(met).map_or(0, |last| last + 1);
        let from = if met(&places[first]) { places[first] } else { 0 };
        let is_run = (first..end).all(|i| !met(&places[i]) || places[i] == from + (i - first));
        match is_run {
            true => Met::Run { lanes: first..end, from, mask: places.map(|place| -i64::from(met(&place))) },
            false => Met::Places(places),
        }
    }

    /// Goes through all that taps join, row by row.
    pub(crate) fn rows(&self, mut each: impl FnMut(RowOfWindows)) {
        for tap in 0..self.taps() {
            let [td, th, tw] = Self::coordinates(tap, self.kernel);
            let met = self.along_row(tw);
            if met.is_empty() {
                continue;
            }
            let from = met.start * self.strides[2] + tw * self.dilations[2] - self.before[2];
            for d in 0..self.windows[0] {
                let Some(from_d) = self.along(0, d, td) else { continue };
                for h in 0..self.windows[1] {
                    let Some(from_h) = self.along(1, h, th) else { continue };
                    let first = (d * self.windows[1] + h) * self.windows[2];
                    let place = (from_d * self.space[1] + from_h) * self.space[2] + from;
                    each(RowOfWindows { tap, windows: first + met.start..first + met.end, place });
                }
            }
        }
    }

    /// The windows along the last axis whose tap meets a place.
    fn along_row(&self, tap: usize) -> Range<usize> {
        let (stride, offset, count) = (self.strides[2], tap * self.dilations[2], self.windows[2]);
        let first = self.before[2].saturating_sub(offset).div_ceil(stride).min(count);
        let last = (self.space[2] + self.before[2]).saturating_sub(offset).div_ceil(stride).min(count);
        first..last.max(first)
    }
}
