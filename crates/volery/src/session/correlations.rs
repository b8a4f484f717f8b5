//! Where a session's correlated randomness comes from, and how the two parties agree on it.

use crate::channel::{Channel, Party};
use crate::error::{Error, Result};
use crate::ot::softspoken::Depth;
use crate::random::Random;
use crate::vole::lpn::Params;
use crate::vole::{Delta, Key, Mac, Vole, cot, extend};
use crate::zk::quicksilver;
use core::fmt;
use core::str::FromStr;
use std::time::Instant;
use volery_primitives::Arch;

/// Discrete logarithms on ristretto255 cost √(πℓ/4) ≈ 2^125.8 group operations for its order ℓ ≈ 2^252.
const GROUP_BITS: f64 = 125.8;
/// A table of 2^(128-6) AES outputs meets one of the 64 outputs of an unknown leaf that a chunk's key covers.
const EXPANSION_BITS: f64 = 122.0;

/// Where the correlated randomness comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Correlations {
    /// SoftSpoken alone, with trees of this depth: 31 bits of traffic for each gate, or 15 with more work.
    SoftSpoken(Depth),
    /// The LPN extension with this set: 14 down to 0.4 bits, set up by SoftSpoken.
    Lpn(Params),
}

/// What correlations cost: only the order of the times matters, which were measured with VAES-512.
struct Cost {
    /// Bits on the wire for each gate in the direction that carries more, the gate's own bit included.
    bits: f64,
    /// Work for each gate, in nanoseconds, of the busier party.
    nanoseconds: f64,
    /// Bytes of the set-up beyond the base transfers.
    setup_bytes: f64,
    /// Work of the set-up beyond the base transfers, in nanoseconds.
    setup_nanoseconds: f64,
}

impl Correlations {
    /// All there are, those with the most traffic first.
    pub const ALL: [Self; 7] = [
        Self::SoftSpoken(Depth::Four),
        Self::SoftSpoken(Depth::Eight),
        Self::Lpn(Params::TINY),
        Self::Lpn(Params::SMALL),
        Self::Lpn(Params::L2),
        Self::Lpn(Params::MID),
        Self::Lpn(Params::WAN),
    ];

    /// Up to this many committed bits a statement is small: trees of depth 8 then send the least in all, and nothing
    /// else is considered.
    pub const SMALL_STATEMENT: u64 = 1 << 18;

    /// The fastest for so many committed bits over a link of so many Mbit/s each way.
    pub fn fastest(commitments: u64, bandwidth: f64) -> Self {
        if commitments <= Self::SMALL_STATEMENT {
            return Self::SoftSpoken(Depth::Eight);
        }
        let duration = |correlations: &Self| {
            let Cost { bits, nanoseconds, setup_bytes, setup_nanoseconds } = correlations.cost();
            let on_wire = |bits: f64| bits * 1e3 / bandwidth;
            let online = nanoseconds.max(on_wire(bits));
            setup_nanoseconds + on_wire(8.0 * setup_bytes) + commitments as f64 * online
        };
        let all = Self::ALL.into_iter();
        all.min_by(|a, b| duration(a).total_cmp(&duration(b))).expect("there are some")
    }

    fn cost(self) -> Cost {
        match self {
            Self::SoftSpoken(depth) => Cost {
                bits: depth.trees() as f64,
                nanoseconds: match depth {
                    Depth::Four => 25.0,
                    Depth::Eight => 38.0,
                },
                setup_bytes: 0.0,
                setup_nanoseconds: 0.0,
            },
            Self::Lpn(params) => {
                let corrections = params.corrections() as f64;
                let shares = (params.outputs() - params.consumed()) as f64;
                Cost {
                    // Corrections of trees go one way, those of gates the other.
                    bits: f64::max(1.0, 8.0 * corrections / shares),
                    // The more of its outputs a set consumes and the larger its table, the more work for each.
                    nanoseconds: match params.depth {
                        ..=6 => 29.0,
                        7 => 27.0,
                        8..=10 => 25.5,
                        _ => 40.0,
                    },
                    setup_bytes: corrections + params.consumed() as f64 * 15.0 / 8.0,
                    setup_nanoseconds: 15.0 * params.consumed() as f64 + 3.0 * params.outputs() as f64,
                }
            }
        }
    }

    /// The name on the wire, in options and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SoftSpoken(Depth::Four) => "softspoken4",
            Self::SoftSpoken(Depth::Eight) => "softspoken8",
            Self::Lpn(params) => params.name,
        }
    }

    /// The bits of statistical security of the consistency checks.
    fn check_security(self) -> f64 {
        match self {
            Self::SoftSpoken(depth) => depth.security(),
            Self::Lpn(_) => extend::SECURITY,
        }
    }

    /// The computational security of a session in bits: the least of what the group, the expansion, the LPN set, Δ from
    /// its trees and the search for a transcript whose challenges let two errors cancel would cost.
    pub fn computational_bits(self) -> u32 {
        let assumption = match self {
            Self::SoftSpoken(_) => f64::INFINITY,
            Self::Lpn(params) => params.tree_bits().min(params.security.into()),
        };
        GROUP_BITS.min(EXPANSION_BITS).min(assumption).min(self.check_security()) as u32
    }

    /// The statistical security of a proof in bits: see [`quicksilver::security`].
    pub fn statistical_bits(self) -> u32 {
        quicksilver::security(self.check_security())
    }

    /// Refuses where less statistical security is offered than `asked`, in bits.
    pub(super) fn offer(self, asked: u32) -> Result<()> {
        let offered = self.statistical_bits();
        if offered < asked {
            return Err(Error::invalid(format!(
                "{asked} bits of statistical security were asked for, and {self} gives {offered}"
            )));
        }
        Ok(())
    }

    /// The prover's end, set up.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn prover(
        self,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<Box<dyn Vole<Share = Mac>>> {
        Ok(match self {
            Self::SoftSpoken(depth) => Box::new(cot::Prover::new(channel, arch, depth, random)?),
            Self::Lpn(params) => Box::new(extend::Prover::new(channel, arch, params, random)?),
        })
    }

    /// The verifier's end, set up under `delta`.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn verifier(
        self,
        channel: &mut Channel,
        arch: Arch,
        delta: &Delta,
        random: &mut Random,
    ) -> Result<Box<dyn Vole<Share = Key>>> {
        Ok(match self {
            Self::SoftSpoken(depth) => Box::new(cot::Verifier::new(channel, arch, depth, delta, random)?),
            Self::Lpn(params) => Box::new(extend::Verifier::new(channel, arch, params, delta, random)?),
        })
    }
}

impl FromStr for Correlations {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::invalid(format!("there are no correlations called `{name}`; there are {names}"))
        })
    }
}

impl fmt::Display for Correlations {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
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

/// Chosen correlations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// Which.
    pub correlations: Correlations,
    /// Why.
    pub reason: Reason,
}

impl Choice {
    /// The fastest for so many committed bits over a link of so many Mbit/s each way.
    pub fn fastest(commitments: u64, bandwidth: f64) -> Self {
        let reason = match commitments {
            ..=Correlations::SMALL_STATEMENT => Reason::Small,
            _ => Reason::Bandwidth(bandwidth),
        };
        Self { correlations: Correlations::fastest(commitments, bandwidth), reason }
    }
}

/// What a party proposes in its first message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Proposal {
    /// These and no others.
    Firm(Correlations),
    /// Whatever is fastest, for so many committed bits and, where known, so many Mbit/s.
    Auto { commitments: u64, bandwidth: Option<f64> },
}

/// Bytes sent first, for the link to warm up, and then to measure the bandwidth.
pub(super) const WARM_UP: usize = 64 << 10;
pub(super) const PROBE: usize = 192 << 10;

impl Proposal {
    /// The text on the wire, at most 32 bytes: a name, or `auto`, the commitments and the bandwidth, zero where
    /// unknown.
    pub(super) fn text(self) -> String {
        match self {
            Self::Firm(correlations) => correlations.name().into(),
            Self::Auto { commitments, bandwidth } => {
                let mbps = bandwidth.map_or(0, |mbps| mbps.clamp(1.0, 9e6) as u32);
                format!("auto {commitments} {mbps}")
            }
        }
    }

    fn parse(text: &str) -> Result<Self> {
        if let Ok(correlations) = text.parse() {
            return Ok(Self::Firm(correlations));
        }
        let unknown = || Error::Misbehaved("it proposes correlations that do not exist");
        let mut words = text.split(' ');
        let (auto, commitments, mbps) = (words.next(), words.next(), words.next());
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok()).ok_or_else(unknown);
        let (commitments, mbps) = (number(commitments)?, number(mbps)?);
        if auto != Some("auto") || words.next().is_some() || mbps > 9_000_000 {
            return Err(unknown());
        }
        Ok(Self::Auto { commitments, bandwidth: (mbps > 0).then_some(mbps as f64) })
    }

    /// What the two proposals come to. A firm one prevails; the smaller bandwidth counts; where neither knows one and
    /// it matters, it is measured.
    ///
    /// # Errors
    /// `Disagreed` where both are firm and differ, or count different statements; `Misbehaved` where `theirs` makes no
    /// sense; link errors.
    pub(super) fn resolve(self, theirs: &str, channel: &mut Channel) -> Result<Choice> {
        let disagreed = |what, ours: String, theirs: String| Err(Error::Disagreed { what, ours, theirs });
        let given = |correlations| Ok(Choice { correlations, reason: Reason::Given });
        // Both as the other side sees them.
        let (commitments, bandwidths) = match (Self::parse(&self.text())?, Self::parse(theirs)?) {
            (Self::Firm(ours), Self::Firm(theirs)) if ours != theirs => {
                return disagreed("correlations (--vole)", ours.to_string(), theirs.to_string());
            }
            (Self::Firm(firm), _) | (_, Self::Firm(firm)) => return given(firm),
            (Self::Auto { commitments: a, .. }, Self::Auto { commitments: b, .. }) if a != b => {
                return disagreed("size of the statement", a.to_string(), b.to_string());
            }
            (Self::Auto { commitments, bandwidth: a }, Self::Auto { bandwidth: b, .. }) => {
                (commitments, [a, b])
            }
        };
        if commitments <= Correlations::SMALL_STATEMENT {
            return Ok(Choice::fastest(commitments, f64::INFINITY));
        }
        let bandwidth = match bandwidths.into_iter().flatten().reduce(f64::min) {
            Some(given) => given,
            None => measure(channel)?,
        };
        Ok(Choice::fastest(commitments, bandwidth))
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

    #[test]
    fn slower_links_and_larger_statements_send_less() {
        assert_eq!(Correlations::fastest(22_000, 1e5), Correlations::SoftSpoken(Depth::Eight));
        assert_eq!(Correlations::fastest(1 << 30, 10.0), Correlations::Lpn(Params::WAN));
        let place = |c: Correlations| Correlations::ALL.iter().position(|&all| all == c).unwrap();
        for commitments in [1 << 22, 1 << 26, 1 << 31] {
            let chosen = [1e5, 1e4, 1e3, 300.0, 100.0, 30.0, 10.0]
                .map(|mbps| place(Correlations::fastest(commitments, mbps)));
            assert!(chosen.is_sorted(), "{commitments}: {chosen:?}");
        }
    }

    #[test]
    fn names_are_read_back_and_fit_the_hello() {
        for correlations in Correlations::ALL {
            assert_eq!(correlations.name().parse::<Correlations>().unwrap(), correlations);
        }
        for bandwidth in [None, Some(f64::INFINITY), Some(f64::NAN), Some(-1.0), Some(70.9)] {
            let text = Proposal::Auto { commitments: 1 << 60, bandwidth }.text();
            assert!(text.len() <= 32, "{text}");
            assert_eq!(Proposal::parse(&text).unwrap().text(), text);
        }
        for nonsense in
            ["", "auto", "auto 1", "auto 1 x", "auto 1 2 3", "auto -1 2", "auto 1 9999999999", "x 1 2"]
        {
            assert!(Proposal::parse(nonsense).is_err(), "{nonsense}");
        }
        assert!("mega".parse::<Correlations>().unwrap_err().to_string().contains("softspoken4"));
    }

    #[test]
    fn every_kind_states_its_security() {
        for correlations in Correlations::ALL {
            assert!(correlations.statistical_bits() >= 119);
            assert!(correlations.computational_bits() >= 119);
            assert!(correlations.offer(119).is_ok() && correlations.offer(126).is_err());
        }
    }
}
