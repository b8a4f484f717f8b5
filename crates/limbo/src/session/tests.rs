//! Work that a file makes its verifier do, counted: blocks of tapes, hashes of seeds, and products simulated.

use super::*;
use crate::{CheckSize, expanded_blocks};
use std::io::repeat;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use volery_primitives::{F61, F61x2, F65537, F65537x4};
use volery_proof::binary::Binary;
use volery_proof::over::Over;
use volery_statements::Arithmetic;

const PRODUCTS: u64 = 100;

/// The work that was done, or why none was.
type Done = std::result::Result<f64, Error>;

/// The work on a file of zeros behind a header that says `parameters` and `aggregation`: blocks of tapes, and
/// as many as hashes of seeds and the views of products take.
fn done<S: Simulated>(parameters: &Parameters, aggregation: Aggregation, (bits, most): (u32, u32)) -> Done
where
    Arithmetic<S::F>: Source<S::F>,
{
    let network = Arithmetic::<S::F>::new(PRODUCTS).unwrap();
    let source: &dyn Source<S::F> = &network;
    let [progress, work] = [(); 2].map(|()| Arc::<AtomicU64>::default());
    let options = Options {
        security: Some(bits),
        progress: Some(progress.clone()),
        work: Some(work.clone()),
        most_work: most,
        ..Options::by(System::LIMBO)
    };
    let (shape, statement) = S::clear().settle(&Stream::new(source), options.statement).unwrap();
    let header = {
        let options = Options::default();
        let terms = terms::<S>(&options, parameters, aggregation, &shape, Party::Verifier);
        Header::of::<S>(&terms, statement, "").encode().unwrap()
    };
    let before = expanded_blocks();
    let file = &mut header.chain(repeat(0));
    let verified = Limbo::<S>::OVER.verify_from(source, file, &options);
    let blocks = expanded_blocks() - before;
    let simulated = progress.load(Ordering::Relaxed);
    match verified.map(|_| ()).expect_err("zeros") {
        Error::Rejected(_) => {
            assert_eq!((simulated, simulated > 0), (work.load(Ordering::Relaxed), true));
            // A product comes with two or three gates that are linear.
            let width = if S::Parties::SLOTS > 128 { 2 } else { 12 };
            Ok((blocks + width * simulated) as f64)
        }
        refused => {
            assert_eq!((blocks, simulated), (0, 0), "{refused}");
            Err(refused)
        }
    }
}

/// The sizes of the statement.
fn demand<S: Simulated>() -> Demand
where
    Arithmetic<S::F>: Source<S::F>,
{
    let network = Arithmetic::<S::F>::new(PRODUCTS).unwrap();
    S::Parties::demand(&S::clear().settle(&Stream::new(&network), None).unwrap().0)
}

/// The parameters that are chosen for this many bits by `preference`.
fn chosen<S: Simulated>(bits: u32, preference: Preference) -> Parameters
where
    Arithmetic<S::F>: Source<S::F>,
{
    let network = Arithmetic::<S::F>::new(PRODUCTS).unwrap();
    let (shape, _) = S::clear().settle(&Stream::new(&network), None).unwrap();
    choose::<S>(
        &Options { security: Some(bits), ..Options::default() },
        &Wishes { preference, ..Wishes::default() },
        &shape,
        Mode::File,
    )
    .unwrap()
}

/// The parameters that a header can say.
struct Said {
    compressions: &'static [u32],
    depths: &'static [u32],
    repetitions: &'static [u32],
}

/// Some of everything.
const SOME: Said = Said { compressions: &[2, 64], depths: &[4, 6, 8], repetitions: &[20, 28, 256] };
/// All that makes a difference.
const MUCH: Said = Said {
    compressions: &[2, 3, 16, 64, 512],
    depths: &[1, 2, 3, 4, 5, 6, 7, 8],
    repetitions: &[13, 17, 22, 28, 40, 64, 130, 256],
};

impl Said {
    fn all(&self, fields: &[CheckSize]) -> Vec<(Parameters, Aggregation)> {
        let mut all = vec![];
        for &field in fields {
            for challenges in [Challenges::Identical, Challenges::Independent] {
                for &compression in self.compressions {
                    for parties in self.depths.iter().map(|depth| 1 << depth) {
                        for &repetitions in self.repetitions {
                            let said = Parameters { parties, compression, field, repetitions, challenges };
                            all.extend(Aggregation::ALL.map(|aggregation| (said, aggregation)));
                        }
                    }
                }
            }
        }
        all
    }
}

/// A file costs little more than one by default before it is refused, whatever its header says.
fn bounded<S: Simulated>(said: &Said, securities: &[u32])
where
    Arithmetic<S::F>: Source<S::F>,
{
    let mut refused = 0;
    for &bits in securities {
        let by = |preference, most| {
            done::<S>(&chosen::<S>(bits, preference), Aggregation::default(), (bits, most))
                .expect("zeros are read")
        };
        let default = default_of_file::<S>(bits, &demand::<S>()).expect("there are some");
        let honest = done::<S>(&default, Aggregation::default(), (bits, MOST_WORK)).expect("zeros are read");
        // What provers may prefer is within the bound, also where fewer bits are asked for than they gave.
        for preference in [Preference::Speed, Preference::Size] {
            by(preference, MOST_WORK);
            for more in securities.iter().filter(|more| **more > bits) {
                let parameters = chosen::<S>(*more, preference);
                let done = done::<S>(&parameters, Aggregation::default(), (bits, MOST_WORK));
                assert!(done.is_ok(), "{}: {parameters:?} at {bits} bits", S::name());
            }
        }
        let (mut read, mut worst) = (0, 0.0_f64);
        for (parameters, aggregation) in said.all(&S::Parties::check_fields()) {
            match done::<S>(&parameters, aggregation, (bits, MOST_WORK)) {
                Ok(work) => {
                    read += 1;
                    worst = worst.max(work / honest);
                }
                Err(Error::Disagreed(Disagreement::FileWork { times, most })) => {
                    refused += 1;
                    assert!(times > u64::from(most) && most == MOST_WORK);
                }
                Err(Error::Disagreed(Disagreement::FileParameters { .. })) => {}
                Err(why) => panic!("{}: {parameters:?}: {why}", S::name()),
            }
        }
        assert!(read > 0, "{}, {bits} bits: none is read", S::name());
        // Four times all that is done by default, of which little more than half is counted here.
        assert!(worst < 7.0, "{}, {bits} bits: {worst} times what is done by default", S::name());
    }
    assert!(refused > 2, "{}: {refused} refused", S::name());
}

#[test]
fn files_cost_their_verifier_little_more_than_by_default() {
    bounded::<Over<F61>>(&SOME, &[100]);
}

#[test]
#[ignore = "slow"]
fn files_cost_their_verifier_little_more_whatever_they_say() {
    bounded::<Binary>(&MUCH, &[100, 128]);
    bounded::<Over<F61>>(&MUCH, &[100, 128]);
    bounded::<Over<F61, F61x2>>(&MUCH, &[100]);
    bounded::<Over<F65537, F65537x4>>(&MUCH, &[100]);
}

/// A verifier that allows it does all the work that the bound is to keep from it.
#[test]
fn whoever_allows_it_does_all_the_work() {
    let honest = chosen::<Over<F61>>(100, Preference::Balanced);
    let most = Parameters { parties: 128, ..honest };
    let by =
        |parameters: &Parameters, aggregation, most| done::<Over<F61>>(parameters, aggregation, (100, most));
    let default = by(&honest, Aggregation::Hypercube, MOST_WORK).unwrap();
    let all = by(&most, Aggregation::Parties, u32::MAX).unwrap();
    assert!(all > 8.0 * default, "{}", all / default);
    let times = match by(&most, Aggregation::Parties, MOST_WORK) {
        Err(Error::Disagreed(Disagreement::FileWork { times, most: MOST_WORK })) => times as u32,
        other => panic!("{other:?}"),
    };
    assert!(times > 8 && by(&most, Aggregation::Parties, times - 1).is_err());
    assert!(by(&most, Aggregation::Parties, times).is_ok());
}

/// A prover makes no file that a verifier does not read unless told to.
#[test]
fn provers_make_nothing_that_is_refused() {
    let network = Arithmetic::<F61>::new(PRODUCTS).unwrap();
    let witness: Vec<F61> = network.witness([1; 32]).collect();
    let make = |most_work| {
        let wishes = Wishes { parties: Some(128), ..Wishes::default() };
        let aggregation = Aggregation::Parties;
        let options = Options { most_work, ..Options::by(Simulation { wishes, aggregation }) };
        let mut out = vec![];
        Limbo::<Over<F61>>::OVER.prove_to(&network, &witness, &mut out, &options).map(|_| out)
    };
    let refused = make(MOST_WORK).expect_err("128 parties one by one").to_string();
    assert!(refused.contains("wish for fewer parties"), "{refused}");
    let made = make(u32::MAX).unwrap();
    let read = |most_work| {
        let options = Options { most_work, ..Options::by(System::LIMBO) };
        Limbo::<Over<F61>>::OVER.verify_from(&network, &mut &made[..], &options).map(|_| ())
    };
    assert!(matches!(read(MOST_WORK), Err(Error::Disagreed(Disagreement::FileWork { .. }))));
    read(u32::MAX).unwrap();
}
