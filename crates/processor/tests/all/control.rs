//! Public control: what has to be known to both, what costs nothing, and proofs between two parties.

use crate::kit::{
    A0, A1, DATA, TEXT, addi, ands, branch, bytes, call, check, constant, gives, immediate, inputs,
};
use crate::kit::{jal, jalr, load, lui, move_bytes, program, register, run, store, why};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::gadget::Word;
use volery::circuit::stream::{Recorder, Source, Stream};
use volery::{Error, F2, F61, Options, prove, verify};
use volery_processor::{
    Advice, Claim, Examined, Inputs, Kind, MOST_ANDS, Nobody, Place, Private, Program, Run, Told,
};

const BASE: u32 = 8;
const X: u32 = 9;
const Y: u32 = 18;

/// Reads 64 bytes of private input into x9 and x18, and goes on with `code`.
fn with_secrets(code: &[u32]) -> Program {
    let begin =
        [&move_bytes(63, 0, 0, 64)[..], &constant(BASE, DATA), &[load(2, X, BASE, 0), load(2, Y, BASE, 4)]];
    program(&[&begin.concat()[..], code].concat())
}

const PRIVATE: [u8; 64] = [0x5a; 64];

#[test]
fn secrets_that_decide_are_refused_with_their_place() {
    let refused = [
        (vec![branch(0, X, Y, 8)], "a branch"),
        (vec![branch(6, 0, X, 8)], "a branch"),
        (vec![jalr(0, X, 0)], "the target of a jump"),
        (vec![load(2, A0, X, 0)], "the address of a load"),
        (vec![store(0, A0, X, 0)], "the address of a store"),
        (vec![addi(17, X, 0), crate::kit::CALL], "the number of a call"),
        ([&[addi(A0, X, 0), lui(A1, DATA), addi(12, 0, 1)][..], &call(64)].concat(), "a descriptor"),
        (
            [&[addi(A0, 0, 1), addi(A1, X, 0), addi(12, 0, 1)][..], &call(64)].concat(),
            "the address of a buffer",
        ),
        (
            [&[addi(A0, 0, 1), lui(A1, DATA), addi(12, X, 0)][..], &call(64)].concat(),
            "the length of a buffer",
        ),
        ([&[addi(A0, X, 0)][..], &call(214)].concat(), "the end of the heap"),
    ];
    for (code, what) in refused {
        let program = with_secrets(&code);
        let told = why(check(&program, &[], &PRIVATE, gives(&PRIVATE, &[])));
        let address = TEXT + 4 * (10 + code.len() as u32 - 1);
        assert!(told.contains(&format!("at {address:#x} {what} depends on the private input")), "{told}");
    }
}

/// A branch on secret words goes on where the bits that are known decide it.
#[test]
fn known_bits_decide_branches() {
    let leave = [&[addi(A0, 0, 0)][..], &call(93)].concat();
    let decided = [
        // A byte is below 256, and not negative.
        vec![immediate(7, X, X, 255), addi(Y, 0, 256), branch(7, X, Y, -16)],
        vec![immediate(7, X, X, 255), branch(4, X, 0, -16)],
        // What is odd is not zero, and a word is itself.
        vec![immediate(6, X, X, 1), branch(0, X, 0, -16)],
        vec![branch(1, X, X, -16)],
        // What is cut to nothing is zero.
        vec![immediate(7, X, X, 0), branch(1, X, 0, -16)],
        vec![addi(Y, X, 0), branch(6, X, Y, -16), branch(4, X, Y, -16)].split_off(3),
    ];
    for code in decided {
        let program = with_secrets(&[&code[..], &leave].concat());
        check(&program, &[], &PRIVATE, gives(&PRIVATE, &[])).unwrap_or_else(|why| panic!("{code:x?}: {why}"));
    }
}

#[test]
fn what_costs_nothing_and_what_does() {
    let cost = |code: &[u32]| {
        let program = with_secrets(&[code, &[addi(A0, 0, 0)][..], &call(93)].concat());
        ands(&program, &[], gives(&PRIVATE, &[])).expect("a statement")
    };
    let both = |funct7, funct3| cost(&[register(funct7, funct3, A1, X, Y)]);
    assert_eq!(cost(&[]), 0);
    // Sums over F_2, moves, shifts by what is known, and bytes in memory.
    let free = [
        register(0, 4, A1, X, Y),
        immediate(4, A1, X, -1),
        addi(A1, X, 0),
        immediate(1, A1, X, 7),
        immediate(5, A1, X, 0x400 | 7),
        immediate(7, A1, X, 0x55),
        immediate(6, A1, X, 0x55),
        store(0, X, BASE, 5),
        load(2, A1, BASE, 4),
        load(0, A1, BASE, 5),
        load(5, A1, BASE, 6),
    ];
    assert_eq!(cost(&free), 0);
    assert_eq!([both(0, 0), both(0x20, 0), both(0, 7), both(0, 6)], [31, 31, 32, 32]);
    assert_eq!([both(0, 2), both(0, 3)], [32, 32]);
    assert_eq!([both(0, 1), both(0, 5), both(0x20, 5)], [160, 160, 160]);
    assert_eq!([both(1, 0), both(1, 3), both(1, 2), both(1, 1)], [993, 2016, 2016 + 63, 2016 + 126]);
    assert_eq!(both(1, 1), MOST_ANDS);
    assert_eq!([both(1, 5), both(1, 7)], [652 - 63, 652]);
    // A public number is 31 ANDs at most, and fewer by its zeros at the low end.
    assert_eq!(cost(&[addi(A1, X, 1)]), 30);
    assert_eq!(cost(&[addi(A1, X, 1024)]), 20);
    assert_eq!(cost(&[&constant(Y, 10)[..], &[register(1, 0, A1, X, Y)]].concat()), 28);
}

/// Wires are forgotten: a run of many cycles takes no more memory than one of a few.
#[test]
fn wires_that_nobody_holds_are_forgotten() {
    let rounds = |n: u32| {
        let body = [
            register(0, 0, X, X, Y),
            store(2, X, BASE, 0),
            load(1, A1, BASE, 2),
            register(0, 4, Y, Y, A1),
            store(1, Y, BASE, 6),
            load(2, Y, BASE, 4),
        ];
        let count = constant(5, n);
        let back = -4 * (body.len() as i32 + 1);
        let again = [addi(5, 5, -1), branch(1, 5, 0, back)];
        let end =
            [&[store(2, Y, BASE, 8)][..], &move_bytes(64, 1, 8, 4), &[addi(A0, 0, 0)], &call(93)].concat();
        with_secrets(&[&count[..], &body, &again, &end].concat())
    };
    let mut slots = Vec::new();
    for n in [3000, 30_000] {
        let program = rounds(n);
        let claim = run(&program, &[], &PRIVATE).expect("it ends").claim;
        let locate = |address| Place { address, function: None, line: None };
        let run = Run::new(&program, inputs(&[]), &locate);
        let mut most = Most(0);
        let functions = Default::default();
        let claimed = run.claimed(claim.clone());
        let mut recorder = volery::circuit::stream::Recorder::new(&mut most, &functions);
        let recorded = claimed.record(&mut recorder);
        recorder.finish(recorded).expect("gates");
        slots.push(most.0);
        check(&program, &[], &PRIVATE, claim).expect("it holds");
    }
    assert_eq!(slots[0], slots[1]);
    assert!(slots[0] < 1 << 18, "{slots:?}");
}

/// A run whose private input is on wires of a larger statement, which gives out so much.
struct Within<'r> {
    run: Run<'r>,
    output: &'r [u8],
}

impl Source<F2> for Within<'_> {
    fn record(&self, recorder: &mut Recorder<'_, F2>) -> Result<(), Error> {
        let bytes = (0..64).map(|_| Word::witness(recorder)).collect::<Result<Vec<_>, _>>()?;
        // Sums of bytes, which are the run's alone: each stands there twice, and the last ones are never read.
        let sums: Vec<_> =
            bytes.iter().zip(&bytes[32..]).map(|(one, other)| one.xor(recorder, other)).collect();
        let sums = [&sums[..8], &sums[..24]].concat();
        let cycles = self.run.push(recorder, Private::Wires(&sums), self.output, Told::Exit(0))?;
        assert!(cycles > 3000);
        bytes[63].assert_equal(recorder, &Word::public(7), "the last byte")
    }
}

/// A run over wires is the run over their values: it gives out what it does in the clear, whoever examines it without
/// them finds its size, and wires that are still to be read are not forgotten.
#[test]
fn wires_are_private_input() {
    let add = [register(0, 0, X, X, Y), register(0, 4, Y, Y, X), addi(5, 5, -1), branch(1, 5, 0, -12)];
    let rounds = [&constant(5, 1200)[..], &add, &[store(2, X, BASE, 0)], &move_bytes(64, 1, 0, 4)].concat();
    // Nothing holds what was read, but the registers.
    let words = [load(2, X, BASE, 0), load(2, Y, BASE, 4), store(2, 0, BASE, 0), store(2, 0, BASE, 4)];
    let read = [&move_bytes(63, 0, 0, 8)[..], &constant(BASE, DATA), &words];
    let leave = [&[addi(A0, 0, 0)][..], &call(93)].concat();
    let program = program(&[&read.concat()[..], &rounds, &read.concat(), &rounds, &leave].concat());
    let locate = |address| program.symbols().place(address);
    let new = || Run::new(&program, inputs(&[]), &locate);
    let private: [u8; 64] = core::array::from_fn(|i| if i < 63 { (i * 37) as u8 } else { 7 });
    let sums: [u8; 8] = core::array::from_fn(|i| private[i] ^ private[32 + i]);
    let ended = new().in_the_clear(&sums.repeat(4), &mut Nobody).expect("it ends");
    let Claim { private: taken, output, .. } = ended.claim.clone();
    assert_eq!((taken, output.len()), (16, 8));
    let bits = || private.iter().flat_map(|byte| (0..8).map(move |i| F2::from(byte >> i & 1 == 1)));
    let check = |output: &[u8]| volery::check(&Within { run: new(), output } as &dyn Source<F2>, bits());
    check(&output).expect("it holds");
    let other = [&output[..7], &[output[7] ^ 1]].concat();
    assert!(why(check(&other)).contains("byte 7 of the output"));
    assert!(why(check(&output[..7])).contains("an output of 7 bytes"));
    assert!(why(check(&[&output[..], &[0]].concat())).contains("an output of 9 bytes"));
    let examined = new().examine(64, Told::Exit(0)).expect("it ends");
    let ands = ands(&program, &[], ended.claim).expect("a statement");
    assert_eq!(examined, Examined { cycles: ended.cycles, output: 8, ands });
    assert!(why(new().examine(64, Told::Fault(Kind::Break))).contains("an end by the fault `ebreak`"));
    let program = with_secrets(&[branch(0, X, Y, 8)]);
    let run =
        Run::new(&program, inputs(&[]), &locate).advising(Advice { control: "here", ..Advice::default() });
    assert!(why(run.examine(64, Told::Exit(0))).contains("depends on the private input: here both sides"));
}

/// The most slots of a block.
struct Most(u32);

impl volery::circuit::stream::Execute<F2> for Most {
    fn argues(&self) -> volery::circuit::stream::Argues {
        volery::circuit::stream::Argues::EVERYTHING
    }

    fn execute(&mut self, block: &volery::circuit::stream::Block<F2>, _: &[F2]) -> volery::Result<()> {
        self.0 = self.0.max(block.slots);
        Ok(())
    }
}

/// Runs both parties' ends of a proof of `claim`.
/// Statements that nobody waits for any more end, however long the run is and whatever it does.
#[test]
fn runs_end_where_nobody_waits_for_them() {
    let gone = Arc::new(AtomicBool::new(true));
    let endless = program(&[jal(0, 0)]);
    let inputs = Inputs { cycles: u64::MAX, ..inputs(&[]) };
    let locate = |address| endless.symbols().place(address);
    let run = Run::new(&endless, inputs, &locate).until(gone);
    let claim = Claim { private: 0, output: Vec::new(), end: Told::Exit(0) };
    let claimed = run.claimed(claim.clone());
    let steps = run.steps(&claim, 1 << 40).expect("it has room");
    let counts =
        [Stream::new(&claimed as &dyn Source<F2>).count(), Stream::new(&steps as &dyn Source<F61>).count()];
    for counted in counts {
        let why = counted.expect_err("it stops").to_string();
        assert!(why.contains("nobody waits"), "{why}");
    }
    assert!(!claimed.is_too_long());
}

fn session(program: &Program, private: &[u8], claim: Claim) -> (Result<(), Error>, Result<(), Error>) {
    let (here, there) = pipe(Duration::from_secs(60));
    let run = |channel: &mut Channel, private: Option<&[u8]>| -> Result<(), Error> {
        let locate = |address| program.symbols().place(address);
        let run = Run::new(program, inputs(&[]), &locate);
        let claimed = run.claimed(claim.clone());
        let options = Options { statement: Some(claimed.digest()), check: false, ..Options::default() };
        let source: &dyn Source<F2> = &claimed;
        match private {
            Some(private) => prove(source, claimed.witness(private), channel, &options).map(drop),
            None => verify(source, channel, &options).map(drop),
        }
    };
    thread::scope(|scope| {
        let prover = scope.spawn(move || run(&mut Channel::new(Party::Prover, here), Some(private)));
        let verifier = run(&mut Channel::new(Party::Verifier, there), None);
        (prover.join().expect("no panic"), verifier)
    })
}

#[test]
fn a_run_is_proved_and_nothing_else() {
    // The sum of two secret words, and their product as exit code.
    let code = [
        &[register(0, 0, A1, X, Y), store(2, A1, BASE, 8)][..],
        &move_bytes(64, 1, 8, 4),
        &[register(1, 0, A0, X, Y)],
        &call(93),
    ];
    let program = with_secrets(&code.concat());
    let mut private = [0; 64];
    private[..8].copy_from_slice(&bytes(&[123, 1_000_000]));
    let claim = run(&program, &[], &private).expect("it ends").claim;
    assert_eq!((&claim.output[..], claim.end), (&1_000_123u32.to_le_bytes()[..], Told::Exit(123_000_000)));
    let (prover, verifier) = session(&program, &private, claim.clone());
    prover.expect("accepted");
    verifier.expect("accepted");

    let mut output = claim.output.clone();
    output[2] ^= 1;
    for wrong in [
        Claim { output, ..claim.clone() },
        Claim { end: Told::Exit(123_000_001), ..claim.clone() },
        Claim { end: Told::Exit(0), ..claim.clone() },
    ] {
        let (prover, verifier) = session(&program, &private, wrong);
        // An honest prover notices it, and goes no further.
        assert!(matches!(prover, Err(Error::Unsatisfied(_))) && verifier.is_err(), "{prover:?} {verifier:?}");
    }
    // What both know to be false is found before a gate is proved.
    for wrong in [
        Claim { output: vec![0; 3], ..claim.clone() },
        Claim { output: vec![0; 5], ..claim.clone() },
        Claim { end: Told::Fault(Kind::Load), ..claim },
    ] {
        assert!(matches!(check(&program, &[], &private, wrong), Err(Error::Unsatisfied(_))));
    }
}

#[test]
fn digests_tell_runs_apart() {
    let locate = |address| Place { address, function: None, line: None };
    let (one, other) = (with_secrets(&call(93)), with_secrets(&call(94)));
    let claim = gives(&PRIVATE, b"ab");
    let digest = |program: &Program, public: &[u8], heap: u32, claim: &Claim| {
        let layout = volery_processor::Layout { heap, ..Default::default() };
        let inputs = volery_processor::Inputs { layout, ..inputs(public) };
        let run = Run::new(program, inputs, &locate);
        run.claimed(claim.clone()).digest()
    };
    let first = digest(&one, b"x", 4096, &claim);
    assert_eq!(first, digest(&one, b"x", 4096, &claim));
    let others = [
        digest(&other, b"x", 4096, &claim),
        digest(&one, b"y", 4096, &claim),
        digest(&one, b"xa", 4096, &claim),
        digest(&one, b"x", 8192, &claim),
        digest(&one, b"x", 4096, &Claim { private: 63, ..claim.clone() }),
        digest(&one, b"x", 4096, &Claim { output: b"a".to_vec(), ..claim.clone() }),
        digest(&one, b"x", 4096, &Claim { end: Told::Exit(1), ..claim.clone() }),
        digest(&one, b"x", 4096, &Claim { end: Told::Fault(Kind::Illegal), ..claim.clone() }),
        digest(&one, b"x", 4096, &Claim { end: Told::Fault(Kind::Fetch), ..claim }),
    ];
    for (i, digest) in others.iter().enumerate() {
        assert!(*digest != first && !others[..i].contains(digest), "{i}");
    }
    let _ = A0;
}
