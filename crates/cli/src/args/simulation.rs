//! Options of the parties that limbo simulates, and of the trees of voleith.

use super::named;
use clap::Args;

/// How parties are simulated, or trees dealt; the rest is for limbo alone.
#[derive(Args, Clone, Default)]
pub struct Simulation {
    /// The cost that limbo and voleith keep low: speed (16 parties, or 15 trees), balanced (64, or 11) or
    /// size (256, or 9) [default: balanced]
    #[arg(long, value_name = "WHAT")]
    pub prefer: Option<String>,
    /// The trees of voleith, 1 to 40: as many bits are in a file for each that is committed to, and the fewer
    /// they are, the more work [default: by --prefer]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub trees: Option<String>,
    /// The most bits of its last hash that voleith grinds, 0 to 24: each takes a level off a tree, and twice
    /// as many hashes [default: 20, of which it grinds as many as pay]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    pub grind: Option<String>,
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
    /// The sums of parties that limbo follows: hypercube, of half the parties each, or parties, one by one as
    /// in the paper: the same bytes for more work [default: hypercube]
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

    /// The first option given of those that are for files alone.
    pub fn of_file(&self) -> Option<&'static str> {
        named(&[("--most-work", &self.most_work)])
    }

    /// The first option given of those that a file answers.
    pub fn in_file(&self) -> Option<&'static str> {
        named(&[("--prefer", &self.prefer)]).or_else(|| self.of_trees()).or_else(|| self.of_parties())
    }

    /// The first option given of those that are for voleith alone.
    pub fn of_trees(&self) -> Option<&'static str> {
        named(&[("--trees", &self.trees), ("--grind", &self.grind)])
    }

    /// The first option given of those that are for limbo alone.
    pub fn of_parties(&self) -> Option<&'static str> {
        named(&[
            ("--parties", &self.parties),
            ("--repetitions", &self.repetitions),
            ("--compression", &self.compression),
            ("--check-field", &self.check_field),
            ("--challenges", &self.challenges),
            ("--views", &self.views),
        ])
    }
}
