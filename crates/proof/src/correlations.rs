//! Correlated randomness of a session: where it comes from, and how the two parties agree on it.

mod duration;
mod excluded;
mod measured;
mod proposal;

pub use duration::{Demand, Grounds, Line, Pace, Waits};
pub use excluded::Excluded;
pub use measured::{EXCHANGED, PROBES};
pub use proposal::{Automatic, Proposal};

use crate::facts::SettingFacts;
use crate::setting::Setting;
use core::fmt;
use volery_channel::error::Result;
use volery_vole::vole::lpn::Params;

/// A source of correlated randomness, by the name that it has on the wire, in options and in reports. What it
/// stands for is up to the setting: see [`SettingFacts::correlations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Correlations(&'static str);

impl Correlations {
    /// SoftSpoken over F_2 with trees of depth 4: 31 bits of traffic for each gate.
    pub const SOFTSPOKEN4: Self = Self("softspoken4");
    /// SoftSpoken over F_2 with trees of depth 8: 15 bits for each gate, with more work.
    pub const SOFTSPOKEN8: Self = Self("softspoken8");
    /// Shares over other fields straight from oblivious transfers: for the smallest statements.
    pub const DIRECT: Self = Self("direct");
    /// The LPN extension with the smallest set, for small statements.
    pub const TINY: Self = Self::lpn(Params::TINY);
    /// A set over F_2 between `tiny` and `l2`.
    pub const SMALL: Self = Self::lpn(Params::SMALL);
    /// A set whose table stays in the second cache.
    pub const L2: Self = Self::lpn(Params::L2);
    /// A set with less traffic.
    pub const MID: Self = Self::lpn(Params::MID);
    /// The set with the least traffic, for wide-area links.
    pub const WAN: Self = Self::lpn(Params::WAN);

    /// The LPN extension with this set.
    pub const fn lpn(set: Params) -> Self {
        Self(set.name)
    }

    /// Whether they are by LPN, over whichever field.
    pub fn is_lpn(self) -> bool {
        Params::ALL.iter().any(|set| set.name == self.name())
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The correlations called `name` over `S`: see [`SettingFacts::named`].
    ///
    /// # Errors
    /// As there.
    pub fn named<S: Setting>(name: &str) -> Result<Self> {
        S::facts().named(name)
    }
}

impl fmt::Display for Correlations {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The use of shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A proof: each commits to a value.
    Proof,
    /// A proof of which the two directions do not overlap, because the prover waits for coins.
    InTurns,
    /// A draw of shares without anything else.
    Alone,
}

/// Why correlations were chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reason {
    /// The correlations were asked for, here or by the peer.
    Given,
    /// The statement is small.
    Small,
    /// The correlations are expected to be the fastest.
    Fastest(Grounds),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Given => write!(f, "as asked"),
            Self::Small => write!(f, "the statement is small"),
            Self::Fastest(grounds) => write!(f, "the fastest at {grounds}"),
        }
    }
}

/// How much longer than the fastest something is expected to take that is as good: less than what estimates
/// err by.
const ALIKE: f64 = 1.05;

/// Chosen correlations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// The correlations.
    pub correlations: Correlations,
    /// Why.
    pub reason: Reason,
}

impl Choice {
    /// The choice of correlations that were asked for.
    pub const fn given(correlations: Correlations) -> Self {
        Self { correlations, reason: Reason::Given }
    }

    /// The choice over `S` that is expected to be fastest for so many shares, used so, over a link of so many
    /// Mbit/s each way, on machines like that of the published figures.
    pub fn fastest<S: Setting>(shares: u64, purpose: Use, bandwidth: f64) -> Self {
        let demand = Demand { shares, purpose };
        Self::usually(S::facts(), demand, Excluded::NONE, bandwidth).expect("nothing is excluded")
    }

    /// The choice that is expected to be fastest on such machines of all that is not excluded, if anything is
    /// not.
    pub fn usually(
        setting: &dyn SettingFacts,
        demand: Demand,
        excluded: Excluded,
        bandwidth: f64,
    ) -> Option<Self> {
        if setting.small(demand.shares).is_some() {
            return Self::small(setting, demand.shares, excluded);
        }
        let usual: Vec<_> = setting.correlations().into_iter().map(|one| setting.usual(one)).collect();
        Self::of(setting, demand, excluded, [&usual; 2], Line::of(bandwidth))
    }

    /// The choice for a small statement with so many shares: of the correlations that are not excluded the
    /// setting's preferred ones, or else those with the most traffic, for they have the smallest set-up.
    pub fn small(setting: &dyn SettingFacts, shares: u64, excluded: Excluded) -> Option<Self> {
        let preferred = setting.small(shares);
        let preferred = excluded.left(setting).find(|one| Some(*one) == preferred);
        let correlations = preferred.or_else(|| excluded.left(setting).next())?;
        Some(Self { correlations, reason: Reason::Small })
    }

    /// The choice that is expected to be fastest for parties of these paces, the prover's first, over this
    /// link, of all that is not excluded, if anything is not.
    pub fn of(
        setting: &dyn SettingFacts,
        demand: Demand,
        excluded: Excluded,
        paces: [&[Pace]; 2],
        line: Line,
    ) -> Option<Self> {
        let mut all: Vec<(f64, [Pace; 2], Correlations)> = excluded
            .rest(setting)
            .map(|(place, correlations)| {
                let paces = paces.map(|paces| paces[place]);
                (demand.seconds(setting, correlations, paces, &line), paces, correlations)
            })
            .collect();
        let least = all.iter().map(|(seconds, ..)| *seconds).fold(f64::INFINITY, f64::min);
        // What takes about as long and sends less comes first.
        let rank = |(seconds, _, one): &(f64, [Pace; 2], Correlations)| {
            let alike = *seconds <= ALIKE * least;
            if alike { (0, demand.bytes(setting, *one) as f64) } else { (1, *seconds) }
        };
        all.sort_by(|a, b| {
            let ((class, a), (other, b)) = (rank(a), rank(b));
            class.cmp(&other).then(a.total_cmp(&b))
        });
        let &(seconds, paces, correlations) = all.first()?;
        let runner_up = all.get(1).map(|(seconds, _, second)| (*second, *seconds));
        let nanoseconds = paces.map(|pace| f64::from(pace.share) / 1e3);
        let grounds = Grounds { line, nanoseconds, seconds, runner_up };
        Some(Self { correlations, reason: Reason::Fastest(grounds) })
    }

    /// Whether both parties chose, and nobody asked for these.
    pub const fn is_made(&self) -> bool {
        !matches!(self.reason, Reason::Given)
    }

    /// The `shares` of a statement, where both parties expect them: who chose knows its size, and draws no more
    /// than it takes.
    pub fn expects(&self, shares: u64) -> Option<u64> {
        self.is_made().then_some(shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::Binary;
    use crate::over::Over;
    use volery_circuit::Size;
    use volery_primitives::{F61, F61x2};

    /// The correlations that are expected to be fastest of all, on the usual machine.
    fn fastest<S: Setting>(shares: u64, purpose: Use, mbps: f64) -> Correlations {
        let setting = S::facts();
        let usual: Vec<_> = setting.correlations().into_iter().map(|one| setting.usual(one)).collect();
        let demand = Demand { shares, purpose };
        let choice = Choice::of(setting, demand, Excluded::NONE, [&usual; 2], Line::of(mbps));
        choice.expect("nothing is excluded").correlations
    }

    #[test]
    fn slower_links_and_larger_statements_send_less() {
        assert_eq!(Binary::facts().small(22_000), Some(Correlations::SOFTSPOKEN8));
        assert_eq!(fastest::<Binary>(1 << 30, Use::Proof, 10.0), Correlations::WAN);
        let all = Binary::facts().correlations();
        let place = |one: Correlations| all.iter().position(|each| *each == one).unwrap();
        for commitments in [1 << 22, 1 << 26, 1 << 31] {
            let chosen = [1e5, 1e4, 1e3, 300.0, 100.0, 30.0, 10.0]
                .map(|mbps| place(fastest::<Binary>(commitments, Use::Proof, mbps)));
            assert!(chosen.is_sorted(), "{commitments}: {chosen:?}");
        }
    }

    /// Bytes of the verifier are waited for, and those of the prover are not.
    #[test]
    fn in_turns_fast_links_take_what_the_prover_sends() {
        let chosen = |bandwidth| fastest::<Binary>(1 << 26, Use::InTurns, bandwidth).name();
        assert_eq!(
            [1e5, 6e3, 500.0, 200.0, 20.0].map(chosen),
            ["softspoken4", "softspoken4", "mid", "mid", "wan"]
        );
    }

    /// The choice is what devices expand where both parties have one, and only there, whatever the link.
    #[test]
    fn devices_of_both_parties_take_lpn() {
        let setting = Binary::facts();
        let usual: Vec<_> = setting.correlations().into_iter().map(|one| (one, setting.usual(one))).collect();
        let with = |device: bool| {
            let pace = |&(one, pace): &(Correlations, Pace)| {
                if device && one.is_lpn() { pace.on_device() } else { pace }
            };
            usual.iter().map(pace).collect::<Vec<_>>()
        };
        let demand = Demand { shares: 1 << 34, purpose: Use::Proof };
        let chosen = |devices: [bool; 2]| {
            let paces = devices.map(with);
            let choice = Choice::of(
                setting,
                demand,
                Excluded::NONE,
                paces.each_ref().map(Vec::as_slice),
                Line::of(1e5),
            );
            choice.expect("nothing is excluded").correlations
        };
        assert_eq!(chosen([true; 2]), Correlations::WAN);
        assert!([[true, false], [false, true]].iter().all(|devices| !chosen(*devices).is_lpn()));
    }

    #[test]
    fn every_kind_states_its_security() {
        let setting = Binary::facts();
        for correlations in setting.correlations() {
            assert!(setting.computational_bits(correlations, Size::gates(1)) >= 119);
        }
    }

    /// A transcript is searched for a challenge under which any clause passes, or any factor of an epoch's end
    /// is zero.
    #[test]
    fn challenges_that_can_be_searched_for_count() {
        type Long = Over<F61, F61x2>;
        let [clauses, longest] = [(1 << 20, 0), (0, 1 << 24)].map(|(clauses, longest)| Size {
            clauses,
            longest,
            ..Size::gates(1 << 20)
        });
        let bits = |size| {
            let field = Long::facts().computational_bits(Correlations::L2, size);
            [Binary::facts().computational_bits(Correlations::SOFTSPOKEN8, size), field]
        };
        assert!(bits(clauses)[0] <= 108 && bits(clauses)[1] <= 101, "{:?}", bits(clauses));
        assert!(bits(longest)[0] <= 104 && bits(longest)[1] <= 97, "{:?}", bits(longest));
        let short = Size { clauses: 2, ..Size::default() };
        assert_eq!(bits(short), bits(Size::gates(1)));
    }

    #[test]
    fn other_fields_have_sets_and_bounds_of_their_own() {
        type Short = Over<F61>;
        type Long = Over<F61, F61x2>;
        assert_eq!(Short::facts().small(100), Some(Correlations::DIRECT));
        assert_eq!(fastest::<Short>(1 << 30, Use::Proof, 10.0), Correlations::WAN);
        assert_eq!((Short::name(), Long::name()), ("f61".into(), "f61x2".into()));
        let [short, long] = [Short::facts(), Long::facts()];
        let l2 = short.named("l2").unwrap();
        assert_eq!((l2, long.named("l2").unwrap()), (Correlations::L2, Correlations::L2));
        assert!(short.named("softspoken4").is_err());
        let size = Size::gates(1 << 20);
        assert!(short.computational_bits(l2, size) >= 119 && long.computational_bits(l2, size) >= 119);
        assert_eq!([short.non_interactive(), long.non_interactive()], [false, true]);
    }
}
