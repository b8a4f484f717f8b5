//! A function in shards: at a coordinator, and at a worker.

use super::party;
use crate::built::{AnyBuilt, built};
use crate::errors::{Trouble, failed, invalid, is_stop, of_abort};
use crate::options::Asked;
use crate::parts::{Parts, Said};
use crate::run::shard::Runs;
use crate::run::types::Type;
use crate::session::{Callbacks, Event, Shared, drive};
use crate::shards::{Held, InShards};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use volery::Options;
use volery::channel::{Party, SecretKey};
use volery::circuit::stream::fingerprint_of;
use volery::circuit::{Announced, Sharding};
use volery_cli::fields::Field;
use volery_cli::report::peak_rss;
use volery_cluster::Worker;
use zeroize::Zeroizing;

/// A function in shards, as a coordinator has it.
pub(super) struct Function {
    function: Py<PyAny>,
    private: Py<PyAny>,
    parts: Arc<Parts>,
    party: Party,
    field: Field,
    options: Options,
    /// The digest of each shard, of what is announced, and of all.
    each: Vec<[u8; 32]>,
    announced: [u8; 32],
    statement: [u8; 32],
}

/// `parts` of a function over `field`, whose runs `shared` is asked for.
///
/// # Errors
/// As for [`built`].
fn asking(shared: &Arc<Shared>, field: Field, parts: &Arc<Parts>) -> volery::Result<Arc<dyn AnyBuilt>> {
    let ask = shared.clone();
    built(field, Box::new(move |tape, shard| ask.say(Event::Run(tape, shard))), parts.clone())
}

impl Function {
    /// Has `function` run for each shard, and keeps the digests of its gates.
    ///
    /// # Errors
    /// What it raises, and those of its gates.
    pub(super) fn new(
        py: Python<'_>,
        (party, field, options): (Party, Field, Options),
        function: Bound<'_, PyAny>,
        parts: Arc<Parts>,
        private: Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let shared = Arc::<Shared>::default();
        let built = asking(&shared, field, &parts).map_err(|why| Trouble::from(why).raised(py, None))?;
        let mut runs = Runs::new(function.clone(), None, built.clone());
        let mut run = |_: Python<'_>, tape, shard, watch| runs.run(py, tape, shard, watch);
        let quiet = Callbacks { progress: None, listening: None };
        let (of, all) = (built.clone(), parts.clone());
        let each = drive(py, (shared, quiet), Some(built), &mut run, move |_| {
            let each = of.fingerprint_shards(0..all.count())?;
            let announced = Announced::of(&*all)?;
            let statement = fingerprint_of(&announced, &each)?;
            let each = each.into_iter().map(|(_, digest)| digest).collect();
            Ok((each, announced.digest(), statement))
        });
        let (each, announced, statement) = each?;
        let (function, private) = (function.unbind(), private.unbind());
        Ok(Self { function, private, parts, party, field, options, each, announced, statement })
    }

    /// How many shards there are.
    pub(super) fn count(&self) -> usize {
        self.each.len()
    }

    /// The digest of a shard, of what is announced, and of all.
    pub(super) fn digests(&self, shard: usize) -> [[u8; 32]; 3] {
        [self.each[shard], self.announced, self.statement]
    }

    /// The shards of the function, for a run in which `shared` is asked to run it.
    pub(super) fn in_shards(&self, shared: &Arc<Shared>) -> InShards {
        let built = asking(shared, self.field, &self.parts).expect("a field that it was made over");
        let held = Held::Function(self.party, built, self.statement);
        InShards { held, shards: self.count(), field: self.field, options: self.options.clone() }
    }

    /// The runs of the function then.
    pub(super) fn runs<'py>(&self, py: Python<'py>, built: &Arc<dyn AnyBuilt>) -> Runs<'py> {
        let private = (self.party == Party::Prover).then(|| self.private.bind(py).clone());
        Runs::new(self.function.bind(py).clone(), private, built.clone())
    }
}

/// Does a shard of a function, for the coordinator at a host and a port, by the run key in PEM. `at` is the
/// number of the shard, with the digests by which the coordinator knows it, all announcements and the statement; `private` is
/// called with that number, at the prover, and gives the private values. `host` is the one by which others
/// reach this worker.
///
/// What the function raises is the cause of a `Failed`.
#[pyfunction]
#[pyo3(signature = (role, function, parts, field, at, private, key, coordinator, host, keywords))]
#[expect(clippy::too_many_arguments, reason = "it is what a worker has to know, and Python calls it by name")]
pub(crate) fn run_worker_of(
    py: Python<'_>,
    role: &str,
    function: Bound<'_, PyAny>,
    parts: Vec<Said<Type>>,
    field: &str,
    at: (usize, [u8; 32], [u8; 32], [u8; 32]),
    private: Bound<'_, PyAny>,
    key: Vec<u8>,
    coordinator: String,
    host: Option<String>,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let (key, (shard, expected, announced, statement)) = (Zeroizing::new(key), at);
    let party = party(role)?;
    let (asked, callbacks) = Asked::read(keywords)?;
    let raised = |why: Trouble| why.raised(py, None);
    let field = asked.field(Some(field)).map_err(raised)?;
    let settings = asked.settings(field, None).map_err(raised)?;
    let parts = Arc::new(Parts::read(Some(parts)).map_err(raised)?);
    let key = SecretKey::from_pem(&key).map_err(|why| raised(why.into()))?;
    let timeout = settings.timeout;
    let worker = Worker { party, shard, key, coordinator, listen: None, host, timeout, peak: peak_rss };
    let shared = Arc::<Shared>::default();
    let built = asking(&shared, field, &parts).map_err(|why| raised(why.into()))?;
    let mut runs = Runs::new(function, (party == Party::Prover).then_some(private), built.clone());
    let mut of_function = false;
    let mut run = |_: Python<'_>, tape, shard, watch| {
        let ran = runs.run(py, tape, shard, watch);
        of_function |= ran.as_ref().is_err_and(|why| !is_stop(py, why));
        ran
    };
    let of = built.clone();
    let ran = drive(py, (shared, callbacks), Some(built), &mut run, move |_| {
        // Its machine may have another version of what the function calls. This run takes up private values.
        let found = of.fingerprint_shards(shard..shard + 1)?;
        if found[0].1 != expected || Announced::of(&*parts)?.digest() != announced {
            return Ok(Ok(false));
        }
        let options = settings.options([0; 32], None)?;
        let held = Held::Function(party, of, statement);
        let shards = InShards { held, shards: parts.count(), field, options };
        let ran = volery_cluster::run_worker(&worker, &shards.work()?, &mut |_, _| {});
        Ok(ran.map(|()| true))
    });
    match ran {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(failed(
            py,
            invalid(
                "the function does something else here than at its coordinator: let all machines have the same \
                 versions of what it calls, and let it depend on its public values alone",
            ),
        )),
        Ok(Err(abort)) => Err(of_abort(py, &abort)),
        Err(why) if of_function => Err(failed(py, why)),
        Err(why) => Err(why),
    }
}
