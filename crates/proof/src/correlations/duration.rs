//! How long a proof over some correlations is expected to take.
//!
//! The set-up takes as long as the slower party computes for it or as it is on the wire, first one way and
//! then the other, and its round trips. After it gates stream: what is slowest sets the pace, the rest of it
//! nearly in the shadow. It is a party's work, a direction of the link, or the round trips within which a
//! prover may be ahead of what the verifier has to say.

use super::{Correlations, Use};
use crate::facts::SettingFacts;
use core::fmt;
use core::num::NonZeroUsize;
use core::time::Duration;
use volery_channel::channel::Carried;
use volery_vole::vole::extend::Schedule;
use volery_vole::vole::lpn::TILE;

/// The time that a party computes over some correlations, on one machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// For a share and its gate, in picoseconds.
    pub share: u32,
    /// For the set-up beyond the base transfers, in microseconds.
    pub setup: u32,
}

impl Pace {
    /// A share of a party that has a device: what one large card and the thread before it took.
    const ON_DEVICE: u32 = 1_500;

    /// The largest figures that a peer may claim: 10 µs a share, and a set-up of 100 s.
    const MOST: Self = Self { share: 10_000_000, setup: 100_000_000 };

    /// The pace of so many nanoseconds a share, and for the set-up.
    pub fn of(share: f64, setup: f64) -> Self {
        Self { share: (share * 1e3) as u32, setup: (setup / 1e3) as u32 }.within_reason()
    }

    /// The pace by so many threads. A set-up is one thread's work; so is the walk through the statement, but
    /// that is the same over all correlations and decides nothing between them.
    pub fn shared_by(self, threads: NonZeroUsize) -> Self {
        let threads = u32::try_from(threads.get()).unwrap_or(u32::MAX);
        Self { share: self.share / threads, ..self }.within_reason()
    }

    /// The pace where a device expands shares and walks.
    pub fn on_device(self) -> Self {
        Self { share: self.share.min(Self::ON_DEVICE), ..self }
    }

    /// The pace with figures of some time, and not of ever.
    pub fn within_reason(self) -> Self {
        Self { share: self.share.clamp(1, Self::MOST.share), setup: self.setup.min(Self::MOST.setup) }
    }
}

/// The waits of two parties over some correlations, whatever they compute and send.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waits {
    /// Round trips in the set-up.
    pub setup: f64,
    /// Shares that are drawn within a round trip, at most.
    pub window: f64,
}

impl Waits {
    /// The waits of so many round trips in the set-up, and none after it.
    pub fn streaming(setup: f64) -> Self {
        Self { setup, window: f64::INFINITY }
    }

    /// The waits of so many round trips in the set-up; after it the prover waits for what the verifier has
    /// said for shares that are an eighth of an iteration behind, but for the quarter of which it need not.
    pub fn behind(setup: f64, schedule: Schedule) -> Self {
        if schedule.rests() {
            Self::streaming(setup)
        } else {
            Self { setup, window: (schedule.lag() * TILE) as f64 / 0.75 }
        }
    }
}

/// The bandwidths and the round trip of a link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    /// The bandwidth from the prover to the verifier, in Mbit/s.
    pub forward: f64,
    /// The bandwidth from the verifier to the prover, in Mbit/s.
    pub backward: f64,
    /// The time from one party to the other and back.
    pub round_trip: Duration,
}

impl Line {
    /// A link of so many Mbit/s each way, without delay.
    pub fn of(mbps: f64) -> Self {
        Self { forward: mbps, backward: mbps, round_trip: Duration::ZERO }
    }

    /// The seconds that so many bytes are on the way, in each direction.
    fn carries(&self, bytes: Carried) -> [f64; 2] {
        [(bytes.prover, self.forward), (bytes.verifier, self.backward)]
            .map(|(b, mbps)| 8e-6 * b as f64 / mbps)
    }
}

/// The demand of a statement on correlations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Demand {
    /// The shares that it takes.
    pub shares: u64,
    /// The use that it makes of them.
    pub purpose: Use,
}

/// The time of the base transfers, in seconds, whatever follows.
const TRANSFERS: f64 = 0.025;
/// The time in which a party sends or receives a byte and puts it into the transcript, in seconds.
const BYTE: f64 = 0.4e-9;
/// How much of what is faster than the slowest is seen all the same.
const BESIDE: f64 = 0.1;

impl Demand {
    /// The bytes that `correlations` send, in both directions.
    pub fn bytes(self, setting: &dyn SettingFacts, correlations: Correlations) -> u64 {
        let [setup, drawn] = setting.share_traffic(correlations, self.shares, Some(self.shares));
        (setup + drawn).sum()
    }

    /// The seconds that it takes over `correlations`, of which the two parties have these paces.
    pub fn seconds(
        self,
        setting: &dyn SettingFacts,
        correlations: Correlations,
        paces: [Pace; 2],
        line: &Line,
    ) -> f64 {
        let waits = setting.waits(correlations, self.shares);
        let [setup, drawn] = setting.share_traffic(correlations, self.shares, Some(self.shares));
        let round_trip = line.round_trip.as_secs_f64();
        let slower = |figure: fn(Pace) -> u32| f64::from(paces.map(figure).into_iter().max().unwrap_or(0));
        let wire: f64 = line.carries(setup).into_iter().sum();
        let work = 1e-6 * slower(|pace| pace.setup);
        // The stages follow on each other, and overlap in part.
        let setup = TRANSFERS + wire.max(work) + 0.5 * wire.min(work) + waits.setup * round_trip;

        let shares = self.shares as f64;
        let values = if self.purpose == Use::Alone { 0.0 } else { shares * setting.value_bytes() };
        let sent = drawn + Carried { prover: values as u64, verifier: 0 };
        let work = 1e-12 * shares * slower(|pace| pace.share) + BYTE * sent.sum() as f64;
        let [forward, backward] = line.carries(sent);
        let apart = |all: &[f64]| {
            let slowest = all.iter().copied().fold(0.0, f64::max);
            slowest + BESIDE * (all.iter().sum::<f64>() - slowest)
        };
        setup
            + match self.purpose {
                Use::Proof | Use::Alone => {
                    apart(&[work, forward, backward]).max(shares / waits.window * round_trip)
                }
                // What the verifier says is waited for.
                Use::InTurns => apart(&[work, forward]) + backward + shares / waits.window * round_trip,
            }
    }
}

/// The grounds on which correlations are expected to be fastest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Grounds {
    /// The link, as measured or given.
    pub line: Line,
    /// The time of a share that the prover and the verifier compute, in nanoseconds.
    pub nanoseconds: [f64; 2],
    /// The seconds that are expected.
    pub seconds: f64,
    /// The next best, and what it was expected to take.
    pub runner_up: Option<(Correlations, f64)>,
}

impl fmt::Display for Grounds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { line, nanoseconds: [prover, verifier], seconds, runner_up } = self;
        let Line { forward, backward, round_trip } = line;
        let (forward, backward) = (forward.round(), backward.round());
        write!(f, "{forward:.0} Mbit/s")?;
        if forward != backward {
            write!(f, " there and {backward:.0} back")?;
        }
        write!(f, ", {:.1} ms for a round trip, ", round_trip.as_secs_f64() * 1e3)?;
        write!(f, "{prover:.1} ns a share for the prover and {verifier:.1} for the verifier: ")?;
        write!(f, "{seconds:.3} s expected")?;
        runner_up.map_or(Ok(()), |(second, seconds)| write!(f, ", and {seconds:.3} by {second}"))
    }
}
