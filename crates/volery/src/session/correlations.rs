//! Where a session's correlated randomness comes from, and how the two parties agree on it.

use crate::channel::{Carried, Channel, Party};
use crate::error::{Disagreement, Error, Misbehaviour, Result, Sides};
use crate::session::Setting;
use crate::vole::lpn::Params;
use core::fmt;
use std::time::Instant;

/// Where the correlated randomness comes from, by the name that it has on the wire, in options and in
/// reports. What it stands for is up to the setting: see [`Setting::Correlations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Correlations(&'static str);

impl Correlations {
    /// Over F_2, SoftSpoken with trees of depth 4: 31 bits of traffic for each gate.
    pub const SOFTSPOKEN4: Self = Self("softspoken4");
    /// Over F_2, SoftSpoken with trees of depth 8: 15 bits for each gate, with more work.
    pub const SOFTSPOKEN8: Self = Self("softspoken8");
    /// Over other fields, straight from oblivious transfers: for the smallest statements.
    pub const DIRECT: Self = Self("direct");
    /// The LPN extension with the smallest set, for small statements.
    pub const TINY: Self = Self::lpn(Params::TINY);
    /// Over F_2, a set between `tiny` and `l2`.
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

    /// Those called `name` over `S`.
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

    /// Those that it names over `S`.
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

/// What correlations cost: only the order of the times matters, which were measured with VAES-512.
pub(super) struct Cost {
    /// Bits of a gate's value, which the prover sends.
    pub(super) value: f64,
    /// Bits for each share that the prover sends beside it, and the verifier.
    pub(super) by_prover: f64,
    pub(super) by_verifier: f64,
    /// Work for each gate, in nanoseconds, of the busier party.
    pub(super) nanoseconds: f64,
    /// Bytes of the set-up beyond the base transfers.
    pub(super) setup_bytes: f64,
    /// Work of the set-up beyond the base transfers, in nanoseconds.
    pub(super) setup_nanoseconds: f64,
}

/// What shares are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A proof: each commits to a value.
    Proof,
    /// A proof of which the two directions do not overlap, because the prover waits for coins.
    InTurns,
    /// Nothing else is sent.
    Alone,
}

impl Cost {
    /// The one of `all` that is fastest for so many shares over a link of so many Mbit/s each way; of two
    /// that hardly differ the one that sends less.
    pub(super) fn fastest<C: Copy>(
        all: &[C],
        cost: impl Fn(C) -> Self,
        (shares, purpose): (u64, Use),
        bandwidth: f64,
    ) -> C {
        let duration = |correlations: &C| {
            let Self { value, by_prover, by_verifier, nanoseconds, setup_bytes, setup_nanoseconds } =
                cost(*correlations);
            let on_wire = |bits: f64| bits * 1e3 / bandwidth;
            let alone = by_prover.max(by_verifier);
            let online = match purpose {
                Use::Proof => {
                    let busier = by_verifier.max(value + by_prover);
                    nanoseconds.max(on_wire(busier)) + on_wire(alone) / 20.0
                }
                Use::InTurns => nanoseconds.max(on_wire(value + by_prover)) + on_wire(by_verifier),
                Use::Alone => nanoseconds.max(on_wire(alone)),
            };
            setup_nanoseconds + on_wire(8.0 * setup_bytes) + shares as f64 * online
        };
        let all = all.iter().copied();
        all.min_by(|a, b| duration(a).total_cmp(&duration(b))).expect("there are some")
    }
}

/// Why correlations were chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reason {
    /// They were asked for, here or by the peer.
    Given,
    /// The statement is small.
    Small,
    /// They are the fastest at this bandwidth in Mbit/s, given or measured by one of the parties.
    Bandwidth(f64),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Given => write!(f, "as asked"),
            Self::Small => write!(f, "the statement is small"),
            Self::Bandwidth(mbps) => write!(f, "the fastest at {mbps:.0} Mbit/s"),
        }
    }
}

/// Chosen correlations: those of a setting, or their name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice<C = Correlations> {
    /// Which.
    pub correlations: C,
    /// Why.
    pub reason: Reason,
}

impl<C: Into<Correlations>> Choice<C> {
    /// The fastest for so many shares, used so, over a link of so many Mbit/s each way.
    pub fn fastest<S: Setting<Correlations = C>>(shares: u64, purpose: Use, bandwidth: f64) -> Self {
        match S::small(shares) {
            Some(correlations) => Self { correlations, reason: Reason::Small },
            None => {
                let correlations = S::fastest(shares, purpose, bandwidth);
                Self { correlations, reason: Reason::Bandwidth(bandwidth) }
            }
        }
    }

    /// The same by name.
    pub fn by_name(self) -> Choice {
        Choice { correlations: self.correlations.into(), reason: self.reason }
    }
}

/// What a party proposes in its first message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Proposal<C> {
    /// These and no others.
    Firm(C),
    /// Whatever is fastest, for so many shares and, where known, so many Mbit/s.
    Auto { shares: u64, bandwidth: Option<f64> },
}

/// Bytes sent first, for the link to warm up, and then to measure the bandwidth.
const WARM_UP: usize = 64 << 10;
const PROBE: usize = 192 << 10;

/// What measuring carries: these, and what was seen.
pub(super) const MEASURED: Carried = Carried { prover: (WARM_UP + PROBE) as u64, verifier: 4 };

impl<C: Copy + PartialEq + Into<Correlations>> Proposal<C> {
    /// The text on the wire, at most 32 bytes: a name, or `auto`, the shares and the
    /// bandwidth, zero where unknown.
    pub(super) fn text(self) -> String {
        match self {
            Self::Firm(correlations) => correlations.into().name().into(),
            Self::Auto { shares, bandwidth } => {
                let mbps = bandwidth.map_or(0, |mbps| mbps.clamp(1.0, 9e6) as u32);
                format!("auto {} {mbps}", shares.min(10u64.pow(19) - 1))
            }
        }
    }

    fn parse<S: Setting<Correlations = C>>(text: &str) -> Result<Self> {
        if let Ok(correlations) = Correlations::named::<S>(text) {
            return Ok(Self::Firm(correlations));
        }
        let unknown = || Error::Misbehaved(Misbehaviour::UnknownCorrelations);
        let mut words = text.split(' ');
        let (auto, shares, mbps) = (words.next(), words.next(), words.next());
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok()).ok_or_else(unknown);
        let (shares, mbps) = (number(shares)?, number(mbps)?);
        if auto != Some("auto") || words.next().is_some() || mbps > 9_000_000 {
            return Err(unknown());
        }
        Ok(Self::Auto { shares, bandwidth: (mbps > 0).then_some(mbps as f64) })
    }

    /// What the two proposals come to. A firm one prevails; the smaller bandwidth counts; where neither knows
    /// one and it matters, it is measured.
    ///
    /// # Errors
    /// `Disagreed` where both are firm and differ, or count different statements; `Misbehaved` where `theirs`
    /// makes no sense; link errors.
    pub(super) fn resolve<S: Setting<Correlations = C>>(
        self,
        theirs: &str,
        purpose: Use,
        channel: &mut Channel,
    ) -> Result<Choice<C>> {
        let given = |correlations| Ok(Choice { correlations, reason: Reason::Given });
        // Both as the other side sees them.
        let (shares, bandwidths) = match (Self::parse::<S>(&self.text())?, Self::parse::<S>(theirs)?) {
            (Self::Firm(ours), Self::Firm(theirs)) if ours != theirs => {
                let names = Sides { ours: ours.into().name(), theirs: theirs.into().name() };
                return Err(Error::Disagreed(Disagreement::Correlations(names)));
            }
            (Self::Firm(firm), _) | (_, Self::Firm(firm)) => return given(firm),
            (Self::Auto { shares: a, .. }, Self::Auto { shares: b, .. }) if a != b => {
                return Err(Error::Disagreed(Disagreement::Shares(Sides { ours: a, theirs: b })));
            }
            (Self::Auto { shares, bandwidth: a }, Self::Auto { bandwidth: b, .. }) => (shares, [a, b]),
        };
        if let Some(correlations) = S::small(shares) {
            return Ok(Choice { correlations, reason: Reason::Small });
        }
        let bandwidth = match bandwidths.into_iter().flatten().reduce(f64::min) {
            Some(given) => given,
            None => measure(channel)?,
        };
        Ok(Choice::fastest::<S>(shares, purpose, bandwidth))
    }
}

/// The bandwidth from the prover to the verifier in whole Mbit/s, as the verifier sees it.
fn measure(channel: &mut Channel) -> Result<f64> {
    let (mut warm_up, mut probe) = (vec![0; WARM_UP], vec![0; PROBE]);
    let measured = match channel.party() {
        Party::Prover => {
            channel.send(&warm_up)?;
            channel.send(&probe)?;
            u32::from_le_bytes(channel.recv_array()?)
        }
        Party::Verifier => {
            channel.recv(&mut warm_up)?;
            let started = Instant::now();
            channel.recv(&mut probe)?;
            let mbps = 8.0 * PROBE as f64 / started.elapsed().as_secs_f64() / 1e6;
            let mbps = mbps.clamp(1.0, 9e6) as u32;
            channel.send(&mbps.to_le_bytes())?;
            mbps
        }
    };
    Ok(measured.clamp(1, 9_000_000).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Size;
    use crate::ot::softspoken::Depth;
    use crate::session::{Binary, BitCorrelations, FieldCorrelations, Over};
    use volery_primitives::{F61, F61x2, F128, F256};

    #[test]
    fn slower_links_and_larger_statements_send_less() {
        assert_eq!(Binary::small(22_000), Some(BitCorrelations::SoftSpoken(Depth::Eight)));
        assert_eq!(Binary::fastest(1 << 30, Use::Proof, 10.0), BitCorrelations::Lpn(Params::WAN));
        let place = |c: BitCorrelations| Binary::ALL.iter().position(|&all| all == c).unwrap();
        for commitments in [1 << 22, 1 << 26, 1 << 31] {
            let chosen = [1e5, 1e4, 1e3, 300.0, 100.0, 30.0, 10.0]
                .map(|mbps| place(Binary::fastest(commitments, Use::Proof, mbps)));
            assert!(chosen.is_sorted(), "{commitments}: {chosen:?}");
        }
    }

    /// What the verifier sends is waited for, and what the prover sends is not.
    #[test]
    fn in_turns_fast_links_take_what_the_prover_sends() {
        let chosen = |bandwidth| Correlations::from(Binary::fastest(1 << 26, Use::InTurns, bandwidth)).name();
        assert_eq!(
            [1e5, 6e3, 500.0, 200.0, 20.0].map(chosen),
            ["softspoken4", "softspoken4", "mid", "mid", "wan"]
        );
    }

    #[test]
    fn names_are_read_back_and_fit_the_hello() {
        for correlations in Binary::ALL {
            assert_eq!(Correlations::from(correlations).over::<Binary>().unwrap(), correlations);
        }
        for bandwidth in [None, Some(f64::INFINITY), Some(f64::NAN), Some(-1.0), Some(70.9)] {
            let text = Proposal::<BitCorrelations>::Auto { shares: 1 << 60, bandwidth }.text();
            assert!(text.len() <= 32, "{text}");
            assert_eq!(Proposal::parse::<Binary>(&text).unwrap().text(), text);
        }
        for nonsense in
            ["", "auto", "auto 1", "auto 1 x", "auto 1 2 3", "auto -1 2", "auto 1 9999999999", "x 1 2"]
        {
            assert!(Proposal::parse::<Binary>(nonsense).is_err(), "{nonsense}");
        }
        assert!(Correlations::named::<Binary>("mega").unwrap_err().to_string().contains("softspoken4"));
    }

    #[test]
    fn every_kind_states_its_security() {
        for correlations in Binary::ALL {
            assert!(Binary::statistical_bits(correlations, Size::default()) >= 119);
            assert!(Binary::computational_bits(correlations) >= 119);
        }
    }

    #[test]
    fn other_fields_have_sets_and_bounds_of_their_own() {
        type Short = Over<F61>;
        type Long = Over<F61, F61x2>;
        assert_eq!(Short::small(100), Some(FieldCorrelations::Direct));
        assert_eq!(Short::fastest(1 << 30, Use::Proof, 10.0), FieldCorrelations::Lpn(Short::sets().wan));
        assert_eq!((Short::name(), Long::name()), ("f61".into(), "f61x2".into()));
        let l2 = Correlations::L2.over::<Short>().unwrap();
        assert_eq!(Correlations::L2.over::<Long>().unwrap(), l2);
        assert!(Correlations::SOFTSPOKEN4.over::<Short>().is_err());
        let size = Size::gates(1 << 20);
        assert!(Short::statistical_bits(l2, size) >= 48 && Long::statistical_bits(l2, size) >= 100);
        assert!(Short::computational_bits(l2) >= 119 && Long::computational_bits(l2) >= 119);
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
