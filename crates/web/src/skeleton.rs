//! The data of a side as a verifier knows it: bytes that are shown, and others of which it knows what they are not.

use crate::opening::{Hidden, Planned, Said};
use crate::tls::APPLICATION_DATA;

/// A byte of application data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Byte {
    /// The byte is shown.
    Shown(u8),
    /// The byte is hidden, and of this class.
    Hidden(Hidden),
    /// The byte is hidden, and may be any.
    Any,
}

impl Byte {
    /// The byte, where it is shown.
    pub const fn shown(self) -> Option<u8> {
        match self {
            Self::Shown(byte) => Some(byte),
            Self::Hidden(_) | Self::Any => None,
        }
    }
}

/// The application data of the records in a plan, one behind the other. Where the statement about the plan is true,
/// so is each of these bytes.
///
/// # Panics
/// Where a part reaches beyond its content, as in no opening that was read from bytes.
pub fn skeleton(plan: &[Planned]) -> Vec<Byte> {
    let mut bytes = Vec::new();
    for planned in plan.iter().filter(|planned| planned.kind == APPLICATION_DATA) {
        let begin = bytes.len();
        bytes.resize(begin + usize::from(planned.length), Byte::Any);
        for part in planned.parts.iter().flatten() {
            let place = &mut bytes[begin + usize::from(part.start)..begin + part.end()];
            match &part.said {
                Said::Shown(shown) => {
                    place.iter_mut().zip(shown).for_each(|(byte, shown)| *byte = Byte::Shown(*shown));
                }
                Said::Hidden(class, _) => place.fill(Byte::Hidden(*class)),
            }
        }
    }
    bytes
}

/// The bytes as text for people, with a mark for each run that is hidden: `‹12 hidden›`.
pub fn text(bytes: &[Byte]) -> String {
    let mut text = String::new();
    for run in bytes.chunk_by(|one, next| one.shown().is_some() == next.shown().is_some()) {
        let shown: Vec<u8> = run.iter().filter_map(|byte| byte.shown()).collect();
        text.push_str(&if shown.is_empty() {
            mark(run.len()).into()
        } else {
            String::from_utf8_lossy(&shown)
        });
    }
    text
}

/// The mark for so many hidden bytes.
pub fn mark(hidden: usize) -> String {
    format!("‹{hidden} hidden›")
}
