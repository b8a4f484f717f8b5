//! What can be said of the parties that limbo simulates.

use super::named;
use clap::Args;

/// How parties are simulated; all of it is for limbo alone.
#[derive(Args, Clone, Default)]
pub struct Simulation {
    /// What limbo spends on: speed (16 parties), balanced (64) or size (256) [default: balanced]
    #[arg(long, value_name = "WHAT")]
    pub prefer: Option<String>,
    /// The parties that limbo simulates: a power of two from 2 to 256 [default: by --prefer]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub parties: Option<String>,
    /// How often limbo simulates them [default: as often as --security demands]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub repetitions: Option<String>,
    /// The factor by which limbo shortens its check in each round [default: 4, in files and by --prefer size
    /// what makes the shortest proof]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub compression: Option<String>,
    /// The bits of the field over which limbo checks, for a statement over f2: 48, 64, 96, 128 or 160
    /// [default: what makes the shortest proof]
    #[arg(long, value_name = "BITS", allow_negative_numbers = true)]
    pub check_field: Option<String>,
    /// Whether all repetitions of limbo are checked by identical challenges, or by independent ones, which
    /// are for files [default: what makes the shortest proof]
    #[arg(long, value_name = "KIND")]
    pub challenges: Option<String>,
    /// Which sums of parties limbo follows: hypercube, of half the parties each, or parties, one by one as in
    /// the paper: the same bytes for more work [default: hypercube]
    #[arg(long, value_name = "WHICH")]
    pub views: Option<String>,
    /// The most that the verifier of a file has to do, in times the work, or the memory, of one with the
    /// parameters that are chosen by default; a file that takes more is not made, and not read [default: 4]
    #[arg(long, value_name = "TIMES", allow_negative_numbers = true)]
    pub most_work: Option<String>,
}

impl Simulation {
    /// The name of an option that was given, if any was.
    pub fn given(&self) -> Option<&'static str> {
        self.in_file().or_else(|| self.of_file())
    }

    /// The same of those that are for files alone.
    pub fn of_file(&self) -> Option<&'static str> {
        named(&[("--most-work", &self.most_work)])
    }

    /// The same of those that a file answers.
    pub fn in_file(&self) -> Option<&'static str> {
        named(&[
            ("--prefer", &self.prefer),
            ("--parties", &self.parties),
            ("--repetitions", &self.repetitions),
            ("--compression", &self.compression),
            ("--check-field", &self.check_field),
            ("--challenges", &self.challenges),
            ("--views", &self.views),
        ])
    }
}
