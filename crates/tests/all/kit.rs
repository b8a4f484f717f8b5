//! Parties of a session, both in one process, and statements to try them on.
#![allow(missing_docs, unreachable_pub)]

use std::time::Duration;
use volery::channel::{Channel, Flip, Party, Recording, Tape, pipe};
use volery::circuit::stream::{ClauseSource, Source};
use volery::circuit::{
    Alternatives, Backend, Branch, Circuit, Clauses, Network, Relation, Statement, Value, Values,
};
use volery::error::{Disagreement, Misbehaviour};
use volery::{
    Accepted, Binary, CheckedBy, Checking, Error, F2, Field, Named, Options, ProofSystem, Provable, Report,
    Result, System, prove_by, prove_one_of, prove_over, verify_by, verify_one_of, verify_over,
};

/// The results of a session on both sides, and the messages of each.
pub struct Session {
    pub proved: Result<Report>,
    pub verified: Result<(Accepted, Report)>,
    pub from_prover: Recording,
    pub from_verifier: Recording,
}

/// Whether it is found at the end that bytes were changed on the way, which no check before has noticed.
pub fn only_bytes_differ<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::Misbehaved(Misbehaviour::OtherBytes)))
}

/// The disagreements that the prover and the verifier name, where both end so.
#[track_caller]
pub fn disagreements(proved: Result<Report>, verified: Result<(Accepted, Report)>) -> [Disagreement; 2] {
    [proved.map(drop), verified.map(drop)].map(|ended| match ended {
        Err(Error::Disagreed(disagreement)) => disagreement,
        ended => panic!("{ended:?}"),
    })
}

/// Settings that make a run repeat.
pub fn seeded(seed: u8) -> Options {
    Options { seed: Some([seed; 32]), ..Options::default() }
}

/// Options for Wolverine, in blocks of so many products that are checked in this way.
pub fn by_wolverine(by: impl Into<Option<CheckedBy>>, block: impl Into<Option<u64>>) -> Options {
    let checking = Checking { by: by.into(), block: block.into() };
    Options { method: checking.into(), ..seeded(1) }
}

/// Longer than any test waits for a peer that still works.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs both parties, each with its own circuit and settings, with a bit flipped on the way where asked.
pub fn run(
    proving: (&dyn Source<F2>, &[F2], &Options),
    verifying: (&dyn Source<F2>, &Options),
    flip: Option<(Party, Flip)>,
) -> Session {
    run_over::<Binary>(proving, verifying, flip)
}

/// Whether the system is over `S`, where options name it.
pub fn is_by<S: Named>(system: System) -> bool {
    S::compiled().systems().any(|known| known.system() == system)
}

/// Runs a session over any field, by a system that is over it where options name it.
pub fn run_over<S: Named>(
    (proved, witness, proving): (&dyn Source<S::F>, &[S::F], &Options),
    (verified, verifying): (&dyn Source<S::F>, &Options),
    flip: Option<(Party, Flip)>,
) -> Session {
    both(
        |channel| prove_over::<S>(proved, witness.to_vec(), channel, proving),
        |channel| verify_over::<S>(verified, channel, verifying),
        flip,
    )
}

/// Runs a session in which both parties push copies of the circuit that are compiled for them, where the
/// setting has such: elsewhere circuits are streams of gates.
pub fn run_compiled<S: Named>(
    circuit: &(impl Provable<S> + Sync + ?Sized),
    witness: &[S::F],
    options: &Options,
    flip: Option<(Party, Flip)>,
) -> Session {
    both(
        |channel| prove_over::<S>(circuit, witness.to_vec(), channel, options),
        |channel| verify_over::<S>(circuit, channel, options),
        flip,
    )
}

/// Runs a session over any field, by `system`.
pub fn run_by<S: Named>(
    system: &dyn ProofSystem<S::F>,
    circuit: &dyn Source<S::F>,
    witness: &[S::F],
    options: &Options,
) -> Session {
    both(
        |channel| prove_by(system, circuit, witness.to_vec(), channel, options),
        |channel| verify_by(system, circuit, channel, options),
        None,
    )
}

/// Runs the two ends of a session.
pub fn both(
    prover: impl FnOnce(&mut Channel) -> Result<Report> + Send,
    verifier: impl FnOnce(&mut Channel) -> Result<(Accepted, Report)> + Send,
    flip: Option<(Party, Flip)>,
) -> Session {
    both_boxed(Box::new(prover), Box::new(verifier), flip)
}

/// The work of one end.
type End<'e, T> = Box<dyn FnOnce(&mut Channel) -> Result<T> + Send + 'e>;

/// Runs two ends, compiled once for all sessions.
fn both_boxed(
    prover: End<'_, Report>,
    verifier: End<'_, (Accepted, Report)>,
    flip: Option<(Party, Flip)>,
) -> Session {
    let (here, there) = pipe(TIMEOUT);
    let of = |party| flip.filter(|(from, _)| *from == party).map(|(_, flip)| flip);
    let (here, from_prover) = Tape::new(here, of(Party::Prover));
    let (there, from_verifier) = Tape::new(there, of(Party::Verifier));
    std::thread::scope(|scope| {
        let proving = scope.spawn(move || prover(&mut Channel::new(Party::Prover, here)));
        let verified = verifier(&mut Channel::new(Party::Verifier, there));
        Session { proved: proving.join().unwrap(), verified, from_prover, from_verifier }
    })
}

/// Runs both parties on the same circuit, with default settings.
pub fn run_honestly(circuit: &dyn Source<F2>, witness: &[F2], options: &Options) -> Session {
    run((circuit, witness, options), (circuit, options), None)
}

/// Knowledge of a preimage of SHA-256.
pub fn preimage(message: &[u8], digest: &str) -> (Statement, Vec<F2>) {
    let relation =
        Relation::open(&format!("builtin:sha256-preimage?length={}", message.len()), None).unwrap();
    let mut public = Values::new();
    public.insert("digest", Value::from_number_hex(digest).unwrap()).unwrap();
    let statement = Statement::new(relation, public).unwrap();
    let mut private = Values::new();
    private.insert("message", Value::from_bytes(message)).unwrap();
    let witness = statement.witness(private).unwrap().bits().collect();
    (statement, witness)
}

/// The SHA-256 of "abc".
pub const ABC: &str = "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A network with its witness.
pub fn network(gates: u64) -> (Network, Vec<F2>) {
    let network = Network::new(gates).unwrap();
    let witness = network.witness([7; 32]).collect();
    (network, witness)
}

/// "I know an even number of ones, and their halves were hinted": hints, constants, scaling
/// and several assertions.
pub struct Mixed {
    pub bits: usize,
}

impl<B: Backend<F = F2>> Circuit<B> for Mixed {
    fn run(&self, b: &mut B) -> Result<()> {
        let one = b.constant(F2::ONE);
        let zero = b.constant(F2::ZERO);
        b.assert_zero(zero, "zero")?;
        let mut parity = zero;
        let mut all = one;
        for i in 0..self.bits {
            let x = b.witness()?;
            let copy = b.hint(&[x], |x| x[0])?;
            let same = b.add(x, copy);
            b.assert_zero(same, format_args!("copy[{i}]"))?;
            parity = b.add(parity, copy);
            all = b.mul(all, x)?;
            let nothing = b.scale(all, F2::ZERO);
            all = b.add(all, nothing);
            all = b.scale(all, F2::ONE);
        }
        b.assert_zero(parity, "parity")?;
        let product = b.mul(all, all)?;
        let idempotent = b.add(product, all);
        b.assert_zero(idempotent, "idempotent")
    }
}

/// "For one of these numbers, I know so many bits which are all ones."
pub struct Ones(pub Vec<usize>);

impl Ones {
    /// The witness for clause number `clause`.
    pub fn witness(&self, clause: usize) -> Vec<F2> {
        vec![F2::ONE; self.0[clause]]
    }
}

impl Alternatives for Ones {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<B: Backend<F = F2>> Clauses<B> for Ones {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let one = b.constant(F2::ONE);
        let mut product = one;
        for _ in 0..self.0[clause] {
            let bit = b.witness()?;
            let copy = b.hint(&[bit], |bit| bit[0])?;
            let zero = b.add(bit, copy);
            b.assert_zero(zero, "copy")?;
            product = b.mul(product, copy)?;
        }
        let zero = b.add(product, one);
        b.assert_zero(zero, "product")
    }
}

/// Runs both parties on one of several clauses, each with its own clauses and settings, with a bit flipped on
/// the way where asked.
pub fn run_clauses(
    (proved, chosen, witness, proving): (&dyn ClauseSource, usize, &[F2], &Options),
    (verified, verifying): (&dyn ClauseSource, &Options),
    flip: Option<(Party, Flip)>,
) -> Session {
    both(
        |channel| prove_one_of(proved, chosen, witness.to_vec(), channel, proving),
        |channel| verify_one_of(verified, channel, verifying),
        flip,
    )
}

/// Runs a session with a witness of the chosen clause.
pub fn run_one_of(
    (proved, chosen, proving): (&Ones, usize, &Options),
    verifying: (&Ones, &Options),
    flip: Option<(Party, Flip)>,
) -> Session {
    run_clauses((proved, chosen, &proved.witness(chosen), proving), (verifying.0, verifying.1), flip)
}
