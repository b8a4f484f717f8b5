//! Options of wolverine's checks.

use super::named;
use clap::Args;

/// How products are checked; all of it is for wolverine alone.
#[derive(Args, Clone, Default)]
pub struct Checking {
    /// How wolverine checks multiplications: buckets, each against two or more random products, over any
    /// --field; sacrifice, each against one, by a challenge from that field, or interpolation, 32 of them by
    /// one product of polynomials, over others than f2 [default: buckets over f2; sacrifice over f61 and
    /// goldilocks; else interpolation]
    #[arg(long, value_name = "HOW")]
    pub checked_by: Option<String>,
    /// The multiplications that wolverine checks at a time; longer blocks have smaller buckets, and take
    /// memory [default: 786432 by buckets over f2 with 40 bits of --security, otherwise 262144]
    #[arg(long, value_name = "GATES", allow_negative_numbers = true)]
    pub block: Option<String>,
}

impl Checking {
    /// The name of an option that was given, if any was.
    pub fn given(&self) -> Option<&'static str> {
        named(&[("--checked-by", &self.checked_by), ("--block", &self.block)])
    }
}
