//! Secret control: whole runs as statements, and what shows of them.

use crate::kit::{A0, addi, call, inputs, program, run};
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Flip, Party, Recording, Tape, pipe};
use volery::circuit::stream::Source;
use volery::{F61, Options, Over, Result, prove_over, setting, verify_over};
use volery_processor::{Choices, Claim, Program, Run, Steps};

/// Whether a run ends as claimed row by row, in the clear, in so many rows or as many as it takes: in how many.
pub(crate) fn claimed_in_rows(
    program: &Program,
    claim: &Claim,
    private: &[u8],
    rows: Option<u64>,
) -> Result<u64> {
    let locate = |address| program.symbols().place(address);
    let steps = Run::new(program, inputs(&[]), &locate).steps(claim, 0)?;
    let choices = chosen(&steps, private)?;
    let rows = rows.unwrap_or(choices.rows());
    let steps = steps.in_rows(rows);
    volery::check(&steps as &dyn Source<F61>, steps.witness(private, &choices)).map(|()| rows)
}

/// The choices of a run that is short enough for memory.
pub(crate) fn chosen(steps: &Steps, private: &[u8]) -> Result<Choices> {
    steps.choose(private, 1 << 20, &|| unreachable!("it is short"))
}

/// Runs both parties of a proof that `run` ends as claimed: what they came to, and the lengths of what each
/// sent.
pub(crate) fn session(
    run: &Run<'_>,
    claim: &Claim,
    rows: u64,
    private: &[u8],
) -> (Result<()>, Vec<usize>, Vec<usize>) {
    let (proved, verified, prover, verifier) = session_with(run, claim, rows, private, None);
    (proved.and(verified), prover, verifier)
}

/// Runs a session where a bit of the prover's messages is another: the results of both, and the lengths of
/// their messages.
fn session_with(
    run: &Run<'_>,
    claim: &Claim,
    rows: u64,
    private: &[u8],
    flip: Option<Flip>,
) -> (Result<()>, Result<()>, Vec<usize>, Vec<usize>) {
    let (here, there) = pipe(Duration::from_secs(300));
    let (here, from_prover) = Tape::new(here, flip);
    let (there, from_verifier) = Tape::new(there, None);
    let correlations = setting("f61").expect("it is there").correlations();
    let tiny = correlations.into_iter().find(|correlations| correlations.name() == "tiny");
    let steps = run.steps(claim, rows).expect("a statement");
    let statement = Some(run.digest_of_rows(claim, &steps));
    let options = Options { statement, check: false, ..Options::default() };
    let options = options.with_correlations(tiny.expect("it is there"));
    let (source, choices): (&dyn Source<F61>, _) = (&steps, chosen(&steps, private).expect("it ends so"));
    let (proved, verified) = thread::scope(|scope| {
        let prover = scope.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<Over<F61>>(source, steps.witness(private, &choices), &mut channel, &options)
                .map(drop)
        });
        // Its end closes with it: a prover that still waits hears so.
        let verified =
            verify_over::<Over<F61>>(source, &mut Channel::new(Party::Verifier, there), &options).map(drop);
        (prover.join().expect("no panic"), verified)
    });
    let lengths = |of: &Recording| of.messages().iter().map(Vec::len).collect();
    (proved, verified, lengths(&from_prover), lengths(&from_verifier))
}

/// Secrets of other paths and other lengths: one number, some in no order, and some in order.
#[test]
fn messages_are_of_the_same_lengths_for_all_secrets() {
    let file = include_bytes!("../../../../examples/programs/quicksort.elf");
    let program = Program::read(file).expect("a program");
    let locate = |address| program.symbols().place(address);
    let bytes = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    let secrets = [bytes(&[7]), bytes(&[9, 7, 1, 12, 8, 3, 7]), bytes(&[1, 2, 7, 8, 9])];
    let (of_run, mut seen) = (Run::new(&program, inputs(&[]), &locate), Vec::new());
    let claims: Vec<Claim> = secrets
        .iter()
        .map(|private| Claim { private: 0, ..run(&program, &[], private).expect("it ends").claim })
        .collect();
    let rows: Vec<u64> = claims
        .iter()
        .zip(&secrets)
        .map(|(claim, private)| {
            chosen(&of_run.steps(claim, 0).expect("it has room"), private).expect("it ends so").rows()
        })
        .collect();
    assert!(rows[0] < rows[1] && rows[1] != rows[2] && rows[0] != rows[2], "{rows:?}");
    let most = *rows.iter().max().expect("some");
    // What they give out is the same as well: the median of each is what the first one's is.
    let claim = &claims[0];
    for private in &secrets {
        let (proved, prover, verifier) = session(&of_run, claim, most, private);
        proved.expect("accepted");
        assert!(prover.len() > 10 && verifier.len() > 3);
        seen.push((prover, verifier));
    }
    assert!(seen.iter().all(|lengths| *lengths == seen[0]));
}

/// Flips a bit of what the prover says, at these parts in 64 of messages that are so many apart: what is
/// committed to is another, whether it is a column, a word that is found, a time or how often a row is looked
/// up.
fn flipped_bits_are_noticed(apart: usize, parts: &[usize]) {
    let program = program(&[&[addi(A0, 0, 7)][..], &call(93)].concat());
    let locate = |address| program.symbols().place(address);
    let (of_run, claim) =
        (Run::new(&program, inputs(&[]), &locate), run(&program, &[], &[]).expect("it ends").claim);
    let rows = chosen(&of_run.steps(&claim, 0).expect("it has room"), &[]).expect("it ends so").rows();
    let (proved, prover, _) = session(&of_run, &claim, rows, &[]);
    proved.expect("accepted");
    for message in (0..prover.len()).step_by(apart) {
        for part in parts {
            let flip = Flip { message, bit: prover[message] * 8 * part / 64 };
            let (_, verified, ..) = session_with(&of_run, &claim, rows, &[], Some(flip));
            assert!(verified.is_err(), "message {message} of {}, at {part} of 64", prover.len());
        }
    }
}

#[test]
#[ignore = "slow"]
fn bits_of_the_provers_messages_are_noticed() {
    flipped_bits_are_noticed(29, &[0, 22, 63]);
}
