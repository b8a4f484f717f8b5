//! A proof system that is not of this library: what one has to write, and what it gets for it.

use crate::kit::{ABC, Mixed, both, preimage};
use volery::channel::Channel;
use volery::circuit::stream::{Source, Stream};
use volery::circuit::{Circuit, Clear};
use volery::error::Rejection;
use volery::random::Random;
use volery::zk::Gates;
use volery::{
    Accepted, Agreement, Binary, Error, F2, Facts, Field, Named as _, Options, Outcome, ProofRun,
    ProofSystem, Report, Reread, Result, Security, System, prove_by, verify_by,
};

/// The prover sends its witness, and the verifier looks. No zero knowledge, no proof for who
/// would rather not look.
struct Toy;

static FACTS: Facts = Facts::of_bits("toy");

impl Toy {
    /// An agreement on nothing but the statement, which has one name here.
    const AGREEMENT: Agreement<'static> =
        Agreement { protocol: FACTS.name, field: "f2", parameters: "", lanes: 0, statement: [0; 32] };

    fn outcome(&self, mul: u64) -> Outcome {
        let security = Security { computational: 0, statistical: 0 };
        Outcome::of(self.system(), Gates { mul, ..Gates::default() }, security)
    }
}

impl ProofSystem<F2> for Toy {
    fn system(&self) -> System {
        System::of(&FACTS)
    }

    fn prove(
        &self,
        statement: &dyn Source<F2>,
        witness: &dyn Reread<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let random = &mut Random::from_system()?;
        let run = ProofRun::open(channel, random, options, &Self::AGREEMENT, &mut |_, _| Ok(()))?;
        run.prove(|run| {
            run.begin();
            // The verifier finds out whether it holds, and waits for as many bits as it counts.
            let bytes: Vec<u8> = witness.read().map(|bit| bit.to_bool().into()).collect();
            if bytes.len() as u64 != Stream::new(statement).count()?.witness {
                return Err(Error::Invalid("the witness has another length".into()));
            }
            run.channel.send(&bytes)?;
            Ok(self.outcome(0))
        })
    }

    fn verify(
        &self,
        statement: &dyn Source<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let stream = &Stream::new(statement);
        let shape = stream.count()?;
        let random = &mut Random::from_system()?;
        let run = ProofRun::open(channel, random, options, &Self::AGREEMENT, &mut |_, _| Ok(()))?;
        run.verify(options, |run| {
            run.begin();
            let mut bytes = vec![0; shape.witness as usize];
            run.channel.recv(&mut bytes)?;
            let bits = bytes.iter().map(|byte| F2::from(byte & 1 == 1));
            let held = check(stream, Box::new(bits)).is_ok();
            Ok((Accepted::only_if(held, Rejection::Assertions)?, self.outcome(shape.mul)))
        })
    }
}

fn check(stream: &Stream<'_, F2>, witness: Box<dyn Iterator<Item = F2> + '_>) -> Result<()> {
    let mut clear = Clear::new(witness);
    stream.run(&mut clear)?;
    clear.finish()
}

/// Runs both parties by the toy.
fn run(circuit: &dyn Source<F2>, witness: &[F2]) -> Result<Report> {
    let options = Options::default();
    let session = both(
        |channel| prove_by(&Toy, circuit, witness.to_vec(), channel, &options),
        |channel| verify_by(&Toy, circuit, channel, &options),
        None,
    );
    session.verified.map(|(_accepted, report)| report)
}

#[test]
fn a_system_from_outside_proves_what_those_of_the_library_do() {
    let (statement, mut witness) = preimage(b"abc", ABC);
    let report = run(statement.source(), &witness).unwrap();
    assert!(report.setup_traffic.sent > 0 && report.traffic.received > report.setup_traffic.received);
    assert_eq!((report.system.name(), report.gates.mul), ("toy", 20_071));
    assert!(!System::ALL.contains(&report.system));
    witness[5] += F2::ONE;
    assert!(matches!(run(statement.source(), &witness), Err(Error::Rejected(Rejection::Assertions))));
    // A circuit that hints, directly.
    assert!(run(&Mixed { bits: 10 }, &[F2::ZERO; 10]).is_ok());
    assert!(run(&Mixed { bits: 10 }, &[F2::ONE; 9]).is_err());
}

#[test]
fn a_system_from_outside_is_found_by_no_option() {
    static ANY: Facts = Facts::named("toy");
    let (statement, witness) = preimage(b"abc", ABC);
    for facts in [&FACTS, &ANY] {
        let (here, _there) = volery::channel::pipe(std::time::Duration::from_secs(1));
        let mut channel = Channel::new(volery::channel::Party::Prover, here);
        let options = Options::by(System::of(facts));
        let refused = volery::prove(statement.source(), witness.clone(), &mut channel, &options);
        let why = refused.unwrap_err().to_string();
        assert!(why.contains("toy is not compiled for f2: give it to `prove_by`"), "{why}");
    }
}

#[test]
fn the_system_that_is_given_counts_and_not_that_of_the_options() {
    let (statement, witness) = preimage(b"abc", ABC);
    let options = Options::default();
    let systems = Binary::compiled().systems().map(|system| (system, system.system().facts()));
    for (system, _) in systems.filter(|(_, facts)| facts.talks && !facts.of_clauses) {
        let session = both(
            |channel| prove_by(system, statement.source(), witness.to_vec(), channel, &options),
            |channel| verify_by(system, statement.source(), channel, &options),
            None,
        );
        let (_accepted, report) = session.verified.unwrap();
        assert_eq!((session.proved.unwrap().system, report.system), (system.system(), system.system()));
    }
}
