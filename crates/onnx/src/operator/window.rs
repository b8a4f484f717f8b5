//! Windows that are moved over space: of convolutions and pools.

use super::call::Call;
use volery_channel::error::Result;

/// A window over one to three dimensions of space, an entry each in all lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The taps.
    pub kernel: Vec<usize>,
    /// The places between two windows.
    pub strides: Vec<usize>,
    /// The places between two taps.
    pub dilations: Vec<usize>,
    /// The padding before the first place.
    pub before: Vec<usize>,
    /// The padding behind the last place.
    pub after: Vec<usize>,
}

impl Window {
    /// The number of taps.
    pub fn taps(&self) -> usize {
        self.kernel.iter().product()
    }

    /// The place in the source of a tap of an output, along an axis; none in padding.
    pub fn place(&self, axis: usize, output: usize, tap: usize, length: usize) -> Option<usize> {
        let place =
            (output * self.strides[axis] + tap * self.dilations[axis]).checked_sub(self.before[axis])?;
        (place < length).then_some(place)
    }

    /// Places that a window covers, from its first tap to its last.
    fn span(&self, axis: usize) -> usize {
        self.dilations[axis] * (self.kernel[axis] - 1) + 1
    }

    /// Reads the attributes of a node whose window has `kernel` taps, or those of its attribute.
    pub(super) fn read(call: &Call<'_, '_>, kernel: Option<&[usize]>) -> Result<Self> {
        let space = match (kernel, call.integers("kernel_shape")?) {
            (Some(kernel), _) => kernel.len(),
            (None, Some(kernel)) => kernel.len(),
            (None, None) => return Err(call.refuse("has no kernel_shape")),
        };
        if !(1..=3).contains(&space) {
            return Err(call.refuse(format!("works on {space} dimensions of space: 1 to 3 are supported")));
        }
        match call.text("auto_pad", "NOTSET")? {
            "NOTSET" => {}
            kind => {
                return Err(
                    call.refuse(format!("has auto_pad {kind:?}: export the network with explicit pads"))
                );
            }
        }
        let told =
            call.integers("kernel_shape")?.map(|_| call.steps("kernel_shape", space, 1)).transpose()?;
        let kernel = match (kernel, told) {
            (Some(kernel), Some(told)) if kernel != told => {
                return Err(call.refuse(format!("has the kernel_shape {told:?}, and weights of {kernel:?}")));
            }
            (Some(kernel), _) => kernel.to_vec(),
            (None, told) => told.expect("one of the two was there"),
        };
        if kernel.contains(&0) {
            return Err(call.refuse("has a kernel without taps"));
        }
        call.check(&kernel)?;
        let pads = call.steps("pads", 2 * space, 0)?;
        Ok(Self {
            kernel,
            strides: call.steps("strides", space, 1)?,
            dilations: call.steps("dilations", space, 1)?,
            before: pads[..space].to_vec(),
            after: pads[space..].to_vec(),
        })
    }

    /// The lengths of the output for a source of these lengths.
    pub(super) fn outputs(&self, call: &Call<'_, '_>, source: &[usize]) -> Result<Vec<usize>> {
        let length = |axis: usize| {
            let padded = source[axis] + self.before[axis] + self.after[axis];
            let beyond = padded.checked_sub(self.span(axis));
            let beyond = beyond
                .ok_or_else(|| call.refuse(format!("has a window larger than its input {source:?}")))?;
            Ok(beyond / self.strides[axis] + 1)
        };
        (0..source.len()).map(length).collect()
    }

    /// The lengths of the output where each place of the source is spread over a window.
    pub(super) fn spread(
        &self,
        call: &Call<'_, '_>,
        source: &[usize],
        padding: &[usize],
    ) -> Result<Vec<usize>> {
        let length = |axis: usize| {
            let places =
                self.strides[axis] * source[axis].saturating_sub(1) + self.span(axis) + padding[axis];
            let length =
                places.checked_sub(self.before[axis] + self.after[axis]).filter(|&length| length > 0);
            length.ok_or_else(|| call.refuse(format!("has pads larger than what it makes of {source:?}")))
        };
        (0..source.len()).map(length).collect()
    }

    /// Whether each window has a tap outside of the padding, for a source and an output of these lengths.
    pub(super) fn is_filled(&self, source: &[usize], outputs: &[usize]) -> bool {
        (0..source.len()).all(|axis| {
            if self.before[axis].max(self.after[axis]) >= self.span(axis) {
                return false;
            }
            let has_tap = |output: &usize| {
                let begin = output * self.strides[axis];
                let skipped = self.before[axis].saturating_sub(begin).div_ceil(self.dilations[axis]);
                skipped < self.kernel[axis] && self.place(axis, *output, skipped, source[axis]).is_some()
            };
            // The first windows begin in padding, of the others the last is the furthest.
            let begun = self.before[axis].div_ceil(self.strides[axis]).min(outputs[axis]);
            (0..begun).all(|output| has_tap(&output))
                && outputs[axis].checked_sub(1).as_ref().is_none_or(has_tap)
        })
    }
}
