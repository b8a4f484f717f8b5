//! Parties of a proof, both in this process, on two threads, over loopback TCP: `demo` and `bench`.

use crate::devices::Devices;
use crate::failure::{Failure, Result};
use crate::link::{Meter, Metered, Shape};
use crate::progress::{Counter, Progress, Watched};
use crate::replay::{Recorded, Replayed};
use std::fs::File;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;
use volery::channel::{Channel, Link, Party};
use volery::{
    Accepted, Binary, F2, Named, Options, Provable, ProvableClauses, ProverSession, Report, VerifierSession,
};

/// The reports of the two parties on each statement.
pub struct Reports {
    /// The prover's reports, one for each statement.
    pub prover: Vec<Report>,
    /// The verifier's reports, one for each statement.
    pub verifier: Vec<Report>,
}

/// The result of a verifier.
type Verified = volery::Result<(Accepted, Report)>;

/// A proof by both parties in this process, and the way it is run and shown.
pub struct Task {
    /// The longest wait for the peer.
    pub timeout: Duration,
    /// Whether no progress is shown.
    pub quiet: bool,
    /// The link between the two.
    pub shape: Shape,
    /// Makes a file for one party's messages, where the other is to run once more against that record, alone:
    /// then those runs are reported.
    pub record: Option<fn() -> io::Result<File>>,
    /// The devices of the parties.
    pub devices: Devices,
    /// The unit in which progress is counted, for those who watch.
    pub unit: &'static str,
    /// How many there will be.
    pub total: Option<u64>,
}

impl Task {
    /// Proves and verifies `circuit` as often as said, on one set-up where the system has one.
    /// `options.progress` must be free.
    pub fn prove<S: Named, W>(
        &self,
        circuit: &(impl Provable<S> + Sync + ?Sized),
        witness: W,
        options: &Options,
        repeat: u32,
    ) -> Result<Reports>
    where
        W: IntoIterator<Item = S::F> + Clone + Send,
    {
        if options.system().facts().correlated {
            return self.session::<S>(
                &self.repeatable(options),
                repeat,
                &mut move |session| session.prove(circuit, witness.clone()),
                &mut |session| session.verify(circuit),
            );
        }
        self.each(
            options,
            repeat,
            &mut move |channel, options| volery::prove_over::<S>(circuit, witness.clone(), channel, options),
            &mut |channel, options| volery::verify_over::<S>(circuit, channel, options),
        )
    }

    /// Options with fixed randomness, where a party receives the recorded messages again.
    fn repeatable(&self, options: &Options) -> Options {
        let seed = if self.record.is_some() { Some([1; 32]) } else { options.seed };
        Options { seed, ..options.clone() }
    }

    /// Runs one proof after the other on one set-up.
    fn session<S: Named>(
        &self,
        options: &Options,
        repeat: u32,
        prove: &mut (dyn FnMut(&mut ProverSession<'_, S>) -> volery::Result<Report> + Send),
        verify: &mut dyn FnMut(&mut VerifierSession<'_, S>) -> Verified,
    ) -> Result<Reports> {
        let prover = |channel: &mut Channel, done: &Counter| {
            let mut session = ProverSession::<S>::over(channel, done.counting(options.clone()));
            let mut prove_next = || {
                if let Some(name) = options.statement {
                    session.name_next(name);
                }
                prove(&mut session).inspect(|_| done.restart())
            };
            (0..repeat).map(|_| prove_next()).collect()
        };
        let verifier = |channel: &mut Channel| {
            let options = Options { device: self.devices.last(), ..options.clone() };
            let mut session = VerifierSession::<S>::over(channel, options.clone());
            let mut verify_next = || {
                if let Some(name) = options.statement {
                    session.name_next(name);
                }
                verify(&mut session).map(|(_accepted, report)| report)
            };
            (0..repeat).map(|_| verify_next()).collect()
        };
        self.run(prover, verifier).map(|(prover, verifier)| Reports { prover, verifier })
    }

    /// Proves one of `clauses`, number `chosen`, as often as said.
    pub fn prove_one_of<W>(
        &self,
        clauses: &(impl ProvableClauses<Binary> + Sync + ?Sized),
        (chosen, witness): (usize, W),
        options: &Options,
        repeat: u32,
    ) -> Result<Reports>
    where
        W: IntoIterator<Item = F2> + Clone + Send,
    {
        self.each(
            options,
            repeat,
            &mut move |channel, options| {
                volery::prove_one_of(clauses, chosen, witness.clone(), channel, options)
            },
            &mut |channel, options| volery::verify_one_of(clauses, channel, options),
        )
    }

    /// Proves so many claims by one of `clauses` each, as often as said.
    pub fn prove_each_of<W>(
        &self,
        clauses: &(impl ProvableClauses<Binary> + Sync + ?Sized),
        claims: &[(usize, W)],
        options: &Options,
        repeat: u32,
    ) -> Result<Reports>
    where
        W: IntoIterator<Item = F2> + Clone + Send + Sync,
    {
        self.each(
            options,
            repeat,
            &mut move |channel, options| {
                volery::prove_each_of_over::<Binary>(clauses, claims, channel, options)
            },
            &mut |channel, options| {
                volery::verify_each_of_over::<Binary>(clauses, claims.len(), channel, options)
            },
        )
    }

    /// Runs the two ends. `prover` also counts what it has done.
    pub fn run<P: Send, V>(
        &self,
        mut prover: impl FnMut(&mut Channel, &Counter) -> volery::Result<P> + Send,
        mut verifier: impl FnMut(&mut Channel) -> volery::Result<V>,
    ) -> Result<(P, V)> {
        let (mut proved, mut verified) = (None, None);
        self.run_both(
            &mut |channel, done| prover(channel, done).map(|all| proved = Some(all)),
            &mut |channel| verifier(channel).map(|all| verified = Some(all)),
        )?;
        Ok(proved.zip(verified).expect("both ended well"))
    }

    /// Runs the two ends, each of which keeps its reports.
    fn run_both(
        &self,
        prover: &mut (dyn FnMut(&mut Channel, &Counter) -> volery::Result<()> + Send),
        verifier: &mut dyn FnMut(&mut Channel) -> volery::Result<()>,
    ) -> Result<()> {
        if let Some(record) = self.record {
            return self.run_alone(record, prover, verifier);
        }
        let ends = self.shape.ends(self.timeout)?;
        self.run_over(ends, prover, verifier)
    }

    /// Runs the two ends, and then each of them alone.
    fn run_alone(
        &self,
        record: fn() -> io::Result<File>,
        prover: &mut (dyn FnMut(&mut Channel, &Counter) -> volery::Result<()> + Send),
        verifier: &mut dyn FnMut(&mut Channel) -> volery::Result<()>,
    ) -> Result<()> {
        let failed = |why| Failure::usage(format_args!("--replay: a temporary file for the record: {why}"));
        let [to_prover, to_verifier] = [record().map_err(failed)?, record().map_err(failed)?];
        let copy = |file: &File| file.try_clone().map_err(failed);
        let [proving, verifying] = self.shape.ends(self.timeout)?;
        let proving = Box::new(Recorded::new(proving, copy(&to_prover)?));
        let verifying = Box::new(Recorded::new(verifying, copy(&to_verifier)?));
        self.run_over([proving, verifying], prover, verifier)?;

        let alone = |file| Replayed::new(file).map_err(failed);
        let mut channel = Channel::new(Party::Prover, alone(to_prover)?);
        prover(&mut channel, &Counter::default())?;
        let mut channel = Channel::new(Party::Verifier, alone(to_verifier)?);
        Ok(verifier(&mut channel)?)
    }

    /// Runs the two ends over two ends of a link.
    fn run_over(
        &self,
        [proving, verifying]: [Box<dyn Link>; 2],
        prover: &mut (dyn FnMut(&mut Channel, &Counter) -> volery::Result<()> + Send),
        verifier: &mut dyn FnMut(&mut Channel) -> volery::Result<()>,
    ) -> Result<()> {
        let (done, meter) = (Arc::<Counter>::default(), Arc::<Meter>::default());
        let watched =
            Watched { done: done.clone(), meter: Some(meter.clone()), unit: self.unit, total: self.total };
        let _progress = Progress::start(watched, self.quiet);
        std::thread::scope(|scope| {
            let proving = scope.spawn(move || {
                let mut channel = Channel::new(Party::Prover, Metered { link: proving, meter });
                // The channel is closed here, so that a verifier that still waits learns of a failure.
                prover(&mut channel, &done)
            });
            let mut channel = Channel::new(Party::Verifier, verifying);
            let verified = verifier(&mut channel);
            drop(channel);
            match (proving.join().unwrap_or_else(|panic| resume_unwind(panic)), verified) {
                (Ok(()), Ok(())) => Ok(()),
                // The one that failed first says more than the one that lost its peer.
                (Err(lost), Err(why)) if lost.is_of_link() => Err(Failure::from(why)),
                (Ok(()), Err(why)) | (Err(why), _) => Err(Failure::from(why)),
            }
        })
    }

    /// Runs one proof after the other over one link, with these options, which the two ends get.
    ///
    /// # Errors
    /// Those of either party, and of the link.
    pub fn each(
        &self,
        options: &Options,
        repeat: u32,
        prove: &mut (dyn FnMut(&mut Channel, &Options) -> volery::Result<Report> + Send),
        verify: &mut dyn FnMut(&mut Channel, &Options) -> Verified,
    ) -> Result<Reports> {
        let options = &self.repeatable(options);
        let prover = |channel: &mut Channel, done: &Counter| {
            let options = done.counting(options.clone());
            (0..repeat).map(|_| prove(channel, &options).inspect(|_| done.restart())).collect()
        };
        let verifier = |channel: &mut Channel| {
            (0..repeat).map(|_| verify(channel, options).map(|(_accepted, report)| report)).collect()
        };
        self.run(prover, verifier).map(|(prover, verifier)| Reports { prover, verifier })
    }
}
