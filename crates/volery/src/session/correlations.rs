//! Correlated randomness of a session: where it comes from, and how the two parties agree on it.

mod duration;
mod excluded;
mod measured;
mod proposal;

pub(super) use duration::Demand;
pub use duration::{Grounds, Line, Pace, Waits};
pub(super) use excluded::Excluded;
pub(super) use measured::{EXCHANGED, PROBES};
pub(super) use proposal::{Automatic, Proposal};

use crate::circuit::Size;
use crate::error::{Error, Result};
use crate::session::{Estimate, Setting};
use crate::vole::lpn::Params;
use core::fmt;

/// A source of correlated randomness, by the name that it has on the wire, in options and in reports. What it
/// stands for is up to the setting: see [`Setting::Correlations`].
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
    pub(super) const fn lpn(set: Params) -> Self {
        Self(set.name)
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The correlations called `name` over `S`.
    ///
    /// # Errors
    /// `Invalid` where there are none.
    pub fn named<S: Setting>(name: &str) -> Result<S::Correlations> {
        let all = S::correlations();
        all.iter().copied().find(|&one| one.into().name() == name).ok_or_else(|| {
            let names: Vec<_> = all.into_iter().map(|one| one.into().name()).collect();
            let (setting, names) = (S::name(), names.join(", "));
            Error::invalid(format!("there are no correlations `{name}` over {setting}: there are {names}"))
        })
    }

    /// The correlations of this name over `S`.
    ///
    /// # Errors
    /// `Invalid` where there are none.
    pub fn over<S: Setting>(self) -> Result<S::Correlations> {
        Self::named::<S>(self.0)
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

/// Chosen correlations: those of a setting, or their name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice<C = Correlations> {
    /// The correlations.
    pub correlations: C,
    /// Why.
    pub reason: Reason,
}

impl<C: Copy + PartialEq + Into<Correlations>> Choice<C> {
    /// The choice that is expected to be fastest for so many shares, used so, over a link of so many Mbit/s
    /// each way, on machines like that of the published figures.
    pub fn fastest<S: Setting<Correlations = C>>(shares: u64, purpose: Use, bandwidth: f64) -> Self {
        let demand = Demand { shares, purpose };
        Self::usually::<S>(demand, Excluded::NONE, bandwidth).expect("nothing is excluded")
    }

    /// The choice that is expected to be fastest on such machines of all that is not excluded, if anything is
    /// not.
    pub(super) fn usually<S: Setting<Correlations = C>>(
        demand: Demand,
        excluded: Excluded,
        bandwidth: f64,
    ) -> Option<Self> {
        if S::small(demand.shares).is_some() {
            return Self::small::<S>(demand.shares, excluded);
        }
        let usual: Vec<_> = S::correlations().into_iter().map(S::usual).collect();
        Self::of::<S>(demand, excluded, [&usual; 2], Line::of(bandwidth))
    }

    /// The choice for a small statement with so many shares: of the correlations that are not excluded the
    /// setting's preferred ones, or else those with the most traffic, for they have the smallest set-up.
    pub(super) fn small<S: Setting<Correlations = C>>(shares: u64, excluded: Excluded) -> Option<Self> {
        let preferred = S::small(shares);
        let preferred = excluded.left::<S>().find(|one| Some(*one) == preferred);
        let correlations = preferred.or_else(|| excluded.left::<S>().next())?;
        Some(Self { correlations, reason: Reason::Small })
    }

    /// The choice that is expected to be fastest for parties of these paces, the prover's first, over this
    /// link, of all that is not excluded, if anything is not.
    pub(super) fn of<S: Setting<Correlations = C>>(
        demand: Demand,
        excluded: Excluded,
        paces: [&[Pace]; 2],
        line: Line,
    ) -> Option<Self> {
        let mut all: Vec<(f64, [Pace; 2], C)> = excluded
            .rest::<S>()
            .map(|(place, correlations)| {
                let paces = paces.map(|paces| paces[place]);
                (demand.seconds::<S>(correlations, paces, &line), paces, correlations)
            })
            .collect();
        let least = all.iter().map(|(seconds, ..)| *seconds).fold(f64::INFINITY, f64::min);
        // What takes about as long and sends less comes first.
        let rank = |(seconds, _, set): &(f64, [Pace; 2], C)| {
            let alike = *seconds <= ALIKE * least;
            if alike { (0, demand.bytes::<S>(*set) as f64) } else { (1, *seconds) }
        };
        all.sort_by(|a, b| {
            let ((class, a), (other, b)) = (rank(a), rank(b));
            class.cmp(&other).then(a.total_cmp(&b))
        });
        let &(seconds, paces, correlations) = all.first()?;
        let runner_up = all.get(1).map(|(seconds, _, second)| ((*second).into(), *seconds));
        let nanoseconds = paces.map(|pace| f64::from(pace.share) / 1e3);
        let grounds = Grounds { line, nanoseconds, seconds, runner_up };
        Some(Self { correlations, reason: Reason::Fastest(grounds) })
    }

    /// The choice by name.
    pub fn by_name(self) -> Choice {
        Choice { correlations: self.correlations.into(), reason: self.reason }
    }

    /// The traffic of a statement of this size by QuickSilver: where both parties chose, both know its size,
    /// and draw no more than it takes.
    pub fn traffic<S: Setting<Correlations = C>>(self, size: Size) -> Estimate {
        if self.is_made() {
            S::traffic_where_chosen(self.correlations, size)
        } else {
            S::traffic(self.correlations, size)
        }
    }
}

impl<C> Choice<C> {
    /// The choice of correlations that were asked for.
    pub const fn given(correlations: C) -> Self {
        Self { correlations, reason: Reason::Given }
    }

    /// Whether both parties chose, and nobody asked for these.
    pub(super) const fn is_made(&self) -> bool {
        !matches!(self.reason, Reason::Given)
    }
}

impl Choice {
    /// The choice over a setting.
    ///
    /// # Errors
    /// `Invalid` where there are none of this name.
    pub fn over<S: Setting>(self) -> Result<Choice<S::Correlations>> {
        Ok(Choice { correlations: self.correlations.over::<S>()?, reason: self.reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ot::softspoken::Depth;
    use crate::session::{Binary, BitCorrelations, FieldCorrelations, Over};
    use volery_primitives::{F61, F61x2, F128, F256};

    /// The correlations that are expected to be fastest of all, on the usual machine.
    fn fastest<S: Setting>(shares: u64, purpose: Use, mbps: f64) -> S::Correlations {
        let usual: Vec<_> = S::correlations().into_iter().map(S::usual).collect();
        let demand = Demand { shares, purpose };
        let choice = Choice::of::<S>(demand, Excluded::NONE, [&usual; 2], Line::of(mbps));
        choice.expect("nothing is excluded").correlations
    }

    #[test]
    fn slower_links_and_larger_statements_send_less() {
        assert_eq!(Binary::small(22_000), Some(BitCorrelations::SoftSpoken(Depth::Eight)));
        assert_eq!(fastest::<Binary>(1 << 30, Use::Proof, 10.0), BitCorrelations::Lpn(Params::WAN));
        let place = |c: BitCorrelations| Binary::ALL.iter().position(|&all| all == c).unwrap();
        for commitments in [1 << 22, 1 << 26, 1 << 31] {
            let chosen = [1e5, 1e4, 1e3, 300.0, 100.0, 30.0, 10.0]
                .map(|mbps| place(fastest::<Binary>(commitments, Use::Proof, mbps)));
            assert!(chosen.is_sorted(), "{commitments}: {chosen:?}");
        }
    }

    /// Bytes of the verifier are waited for, and those of the prover are not.
    #[test]
    fn in_turns_fast_links_take_what_the_prover_sends() {
        let chosen =
            |bandwidth| Correlations::from(fastest::<Binary>(1 << 26, Use::InTurns, bandwidth)).name();
        assert_eq!(
            [1e5, 6e3, 500.0, 200.0, 20.0].map(chosen),
            ["softspoken4", "softspoken4", "mid", "mid", "wan"]
        );
    }

    #[test]
    fn every_kind_states_its_security() {
        for correlations in Binary::ALL {
            assert!(Binary::statistical_bits(correlations, Size::default()) >= 119);
            assert!(Binary::computational_bits(correlations, Size::gates(1)) >= 119);
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
            let field = Long::computational_bits(FieldCorrelations::Lpn(Long::sets().l2), size);
            [Binary::computational_bits(BitCorrelations::SoftSpoken(Depth::Eight), size), field]
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
        assert_eq!(Short::small(100), Some(FieldCorrelations::Direct));
        assert_eq!(fastest::<Short>(1 << 30, Use::Proof, 10.0), FieldCorrelations::Lpn(Short::sets().wan));
        assert_eq!((Short::name(), Long::name()), ("f61".into(), "f61x2".into()));
        let l2 = Correlations::L2.over::<Short>().unwrap();
        assert_eq!(Correlations::L2.over::<Long>().unwrap(), l2);
        assert!(Correlations::SOFTSPOKEN4.over::<Short>().is_err());
        let size = Size::gates(1 << 20);
        assert!(Short::statistical_bits(l2, size) >= 48 && Long::statistical_bits(l2, size) >= 100);
        assert!(Short::computational_bits(l2, size) >= 119 && Long::computational_bits(l2, size) >= 119);
        assert_eq!([Short::NON_INTERACTIVE, Long::NON_INTERACTIVE], [false, true]);
    }

    /// Straight from transfers each block has a check: those that products of matrices end
    /// early, and those of masks.
    #[test]
    fn blocks_that_commit_to_nothing_count() {
        type Short = Over<F61>;
        type Bytes = Over<F256, F128>;
        // A check passes with 2^-50, and with 2^-112.
        let matrices = |matrices| Size { commitments: 2000, degree: 2, matrices, ..Size::default() };
        assert_eq!(Short::statistical_bits(FieldCorrelations::Direct, matrices(2000)), 39);
        assert_eq!(Short::statistical_bits(FieldCorrelations::Direct, matrices(0)), 46);
        let degree = |degree| Size { polynomials: 1, degree, ..Size::gates(100) };
        let loss = Bytes::statistical_bits(FieldCorrelations::Direct, degree(2))
            - Bytes::statistical_bits(FieldCorrelations::Direct, degree(128));
        assert_eq!(loss, 3, "253 lines of 16 shares are 16 blocks");
    }
}
