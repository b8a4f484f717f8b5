//! One party's end of a session: counting the statement, and the link to the peer.

use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use volery::channel::{Channel, Identity, Party};
use volery::circuit::{Conversions, Shape, Size};
use volery::{AnyStatement, Converted, Correlations, Options, Report};
use volery_cli::failure::Result;
use volery_cli::fields::BOOLEAN;
use volery_cli::link::{Meter, Metered, Reached, Way};
use volery_cli::print::grouped;
use volery_cli::progress::{Counter, Progress, Watched};
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;

/// The lines shown for work that takes long before a peer is there, where the statement is long.
pub(crate) const CHECKING: &str = "checking the witness in the clear …";
pub(crate) const COUNTING: &str = "counting the gates …";

/// The counts of a proof's gates before it begins.
pub(crate) struct Counted {
    pub(crate) size: Size,
    /// The multiplications that a party does, where that is known, for those who watch.
    pub(crate) work: Option<u64>,
}

impl Counted {
    /// The gates that `count` counts, as `party` does them by the system of `settings`.
    pub(crate) fn of(
        count: &dyn Fn() -> volery::Result<Shape>,
        settings: &Settings,
        party: Party,
    ) -> Result<Self> {
        let _announced = Progress::announce(COUNTING, settings.quiet);
        let shape = count()?;
        settings.foresee(&shape)?;
        let mul = settings.mul(&shape);
        let facts = settings.system().facts();
        let work = if facts.simulates {
            // How often parties are simulated for all repetitions is told on the way.
            None
        } else if facts.garbles && party == Party::Prover {
            // It evaluates, and garbles once more to check.
            Some(2 * mul)
        } else {
            Some(mul)
        };
        Ok(Self { size: settings.size(&shape), work })
    }

    /// The gates of a prover's `statement`, where it needs their number. The check has walked every gate, and
    /// who leaves it out wants no other walk in its place; but for the bound.
    pub(crate) fn for_prover(
        statement: &dyn AnyStatement,
        settings: &Settings,
        no_check: bool,
    ) -> Result<Option<Self>> {
        let count = match settings.system() {
            system if system.facts().correlated => {
                settings.correlations.is_none() || settings.field.bound_by_size()
            }
            _ => !no_check,
        };
        count.then(|| Self::of(&|| statement.count(), settings, Party::Prover)).transpose()
    }
}

/// A party's session, once its statement is settled and its peer is there.
pub(crate) struct Session {
    pub(crate) channel: Channel,
    pub(crate) options: Options,
    party: Party,
    peer: Option<(Identity, String)>,
    progress: Progress,
}

impl Session {
    /// Settles what is to be proposed, then reaches the peer. By the number of gates, where they were
    /// counted, both sides choose the same correlations, where none are given.
    pub(crate) fn open(
        settings: &Settings,
        way: &Way,
        party: Party,
        statement: [u8; 32],
        counted: Option<Counted>,
    ) -> Result<Self> {
        let options = settings.options(statement, counted.as_ref().map(|counted| counted.size))?;
        let reached = way.link(settings.timeout)?;
        Ok(Self::over(reached, party, options, counted, settings.quiet))
    }

    /// The session with a peer that was reached, with these options.
    pub(crate) fn over(
        reached: Reached,
        party: Party,
        options: Options,
        counted: Option<Counted>,
        quiet: bool,
    ) -> Self {
        let Reached { link, peer, .. } = reached;
        let (done, meter) = (Arc::<Counter>::default(), Arc::<Meter>::default());
        let channel = Channel::new(party, Metered { link, meter: meter.clone() });
        let options = done.counting(options);
        let progress = Progress::start(
            Watched {
                done,
                meter: Some(meter),
                unit: "gates",
                total: counted.and_then(|counted| counted.work),
            },
            quiet,
        );
        Self { channel, options, party, peer, progress }
    }

    /// Ends the session, behind which nothing may follow, and tells of its proof.
    pub(crate) fn close(self, settings: &Settings, report: Report, started: Instant) -> Result<Outcome> {
        self.close_behind(settings, &[report], started)
    }

    /// Ends the session, likewise, behind several proofs.
    pub(crate) fn close_behind(
        self,
        settings: &Settings,
        reports: &[Report],
        started: Instant,
    ) -> Result<Outcome> {
        let Self { channel, party, peer, progress, .. } = self;
        channel.close()?;
        drop(progress);
        let converted = reports[0].of::<Converted>().copied();
        let mut outcome = Outcome::new(settings, Some(party), reports, started);
        if let Some(Converted { both, correlations }) = converted {
            outcome.field = format!("{BOOLEAN} {}", outcome.field);
            let names = correlations.map(Correlations::name);
            outcome.more("voles", json!(names), names.join(", "));
            let Conversions { to_numbers, to_bits, pairs } = both.rounds.conversions;
            let words = format!("{} to numbers, {} to bits", grouped(to_numbers), grouped(to_bits));
            outcome.more(
                "conversions",
                json!({"to_numbers": to_numbers, "to_bits": to_bits, "bits": pairs}),
                words,
            );
        }
        met(&mut outcome, peer);
        Ok(outcome)
    }
}

/// Has `outcome` tell who the peer was, and how it was reached.
pub(crate) fn met(outcome: &mut Outcome, peer: Option<(Identity, String)>) {
    let (link, words) = match peer {
        Some(_) => ("tls", "TLS 1.3, between keys that are known"),
        None => ("tcp", "plain TCP"),
    };
    outcome.more("link", json!(link), words.into());
    let object = peer.as_ref().map(|(identity, name)| {
        json!({"identity": identity.to_string(), "name": Some(name).filter(|name| !name.is_empty())})
    });
    let words = peer.map_or("not known".into(), |(identity, name)| format!("{name} {identity}"));
    outcome.more("peer", json!(object), words.trim().into());
}
