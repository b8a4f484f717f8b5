//! A prover that leaves after a coin of the verifier has been rejected, and is not taken for a link that
//! failed: whoever lets peers come back after such failures would give away tries.

use crate::kit::{Ones, Session, both, by_wolverine, network, seeded};
use volery::channel::{Channel, Party, Playback, Tape};
use volery::circuit::{Arithmetic, Written};
use volery::error::{Misbehaviour, Rejection};
use volery::{
    Accepted, Correlations, Error, F61, F61x2, Named, Options, Over, Report, Result, System, prove,
    prove_one_of, prove_over, verify, verify_one_of, verify_over,
};

/// A change that one party makes at the end of its session.
type Ends<'e, T> = Box<dyn Fn(&mut Channel) -> Result<T> + Sync + 'e>;

/// A session whose two parties do the same whenever they hear the same.
struct Repeating<'e> {
    name: &'static str,
    prover: Ends<'e, Report>,
    verifier: Ends<'e, (Accepted, Report)>,
    /// The length of the messages by which the verifier tells something that decides, and of none before.
    tells: usize,
}

impl Repeating<'_> {
    /// The result of a verifier that receives these bytes, and the lengths of its messages.
    fn hears(&self, bytes: Vec<u8>) -> (Result<()>, Vec<usize>) {
        let (link, said) = Tape::new(Playback::new(bytes), None);
        let verified = (self.verifier)(&mut Channel::new(Party::Verifier, link)).map(drop);
        (verified, said.messages().iter().map(Vec::len).collect())
    }

    /// The result of a prover that receives these bytes.
    fn answers(&self, bytes: Vec<u8>) -> Result<()> {
        let (link, _) = Tape::new(Playback::new(bytes), None);
        (self.prover)(&mut Channel::new(Party::Prover, link)).map(drop)
    }

    /// All messages of an honest prover, and of an honest verifier.
    fn honest(&self) -> [Vec<Vec<u8>>; 2] {
        let Session { proved, verified, from_prover, from_verifier } =
            both(&self.prover, &self.verifier, None);
        assert!(proved.is_ok() && verified.is_ok(), "{}: {proved:?}, {:?}", self.name, verified.err());
        [from_prover.messages(), from_verifier.messages()]
    }
}

fn arithmetic<S: Named<F = F61>>(name: &'static str, options: Options, length: usize) -> Repeating<'static> {
    let options = move |seed| Options { seed: Some([seed; 32]), ..options.clone() };
    let (proving, verifying) = (options(1), options(2));
    let network = || Arithmetic::<F61>::new(100).unwrap();
    Repeating {
        name,
        prover: Box::new(move |channel| {
            let witness: Vec<F61> = network().witness([7; 32]).collect();
            prove_over::<S>(&network(), witness, channel, &proving)
        }),
        verifier: Box::new(move |channel| verify_over::<S>(&network(), channel, &verifying)),
        tells: length,
    }
}

fn bits(name: &'static str, options: Options, tells: usize) -> Repeating<'static> {
    let options = move |seed| Options { seed: Some([seed; 32]), ..options.clone() };
    let (proving, verifying) = (options(1), options(2));
    Repeating {
        name,
        prover: Box::new(move |channel| {
            let (network, witness) = network(100);
            prove(&network, witness, channel, &proving)
        }),
        verifier: Box::new(move |channel| verify(&network(100).0, channel, &verifying)),
        tells,
    }
}

fn stack() -> Repeating<'static> {
    let options = |seed| Options { method: System::STACK.into(), ..seeded(seed) };
    let clauses = || Ones(vec![5, 9, 2]);
    Repeating {
        name: "stack",
        prover: Box::new(move |channel| {
            prove_one_of(&clauses(), 2, clauses().witness(2), channel, &options(1))
        }),
        verifier: Box::new(move |channel| verify_one_of(&clauses(), channel, &options(2))),
        // Its secret; nothing else has 32 bytes, but K after it.
        tells: 32,
    }
}

/// A statement over two fields, by a comparison that crosses from numbers to bits.
fn less() -> Repeating<'static> {
    mixed(("f61", Correlations::DIRECT), "less.rel", &[("public0", b"1000")], &[("private0", b"999")])
}

/// A program as another tool compiled it: four comparisons that cross both ways, and a memory.
fn largest(field: &'static str, correlations: Correlations) -> Repeating<'static> {
    mixed((field, correlations), "picozk/largest.rel", &[], &[("private0", b"7,19,41,3,28,2,7,19,41,3,28")])
}

/// Values by the names of ports.
type ByName = &'static [(&'static str, &'static [u8])];

/// A statement over two fields, by its file.
fn mixed(
    (field, correlations): (&'static str, Correlations),
    file: &str,
    public: ByName,
    private: ByName,
) -> Repeating<'static> {
    let path = format!("{}/../../vectors/sieve/{file}", env!("CARGO_MANIFEST_DIR"));
    let state = move || {
        let mut relation = volery::setting(field).unwrap().open(&path, None).unwrap();
        public.iter().for_each(|(name, value)| relation.public().read(name, Written::Text(value)).unwrap());
        relation.state().unwrap()
    };
    let options = move |seed| seeded(seed).with_correlations(correlations);
    let stated = state.clone();
    Repeating {
        name: "quicksilver over f2 and another field",
        prover: Box::new(move |channel| {
            let mut stated = stated();
            private
                .iter()
                .for_each(|(name, value)| stated.private().read(name, Written::Text(value)).unwrap());
            stated.claim().unwrap().prove(channel, &options(1))
        }),
        verifier: Box::new(move |channel| state().verify(channel, &options(2))),
        tells: 16,
    }
}

/// All in which a coin, or a secret that is opened, lets the prover foresee the verdict.
fn all() -> Vec<Repeating<'static>> {
    let direct = || Options::default().with_correlations(Correlations::DIRECT);
    let eight = by_wolverine(None, 60).with_correlations(Correlations::SOFTSPOKEN8);
    let wolverine = by_wolverine(None, 60).with_correlations(Correlations::DIRECT);
    vec![
        // The seed of the check of its first shares, then that of a batch, of 32 bytes.
        arithmetic::<Over<F61>>("quicksilver over f61", direct(), 16),
        // The former alone.
        arithmetic::<Over<F61, F61x2>>("quicksilver over f61x2", direct(), 16),
        arithmetic::<Over<F61>>("wolverine over f61", wolverine, 16),
        bits("wolverine over f2", eight, 16),
        // Its salt has 16 bytes, its secret 32.
        bits("jko", Options::by(System::JKO), 32),
        stack(),
        bits("limbo", Options::by(System::LIMBO), 32),
        arithmetic::<Over<F61>>("limbo over f61", Options::by(System::LIMBO), 32),
        less(),
    ]
}

/// A prover that stops after each message or amid it, by turns.
#[test]
fn who_leaves_after_a_coin_is_rejected() {
    for session in all() {
        a_prover_leaves(&session, false);
    }
}

#[test]
#[ignore = "slow"]
fn who_leaves_anywhere_after_a_coin_is_rejected() {
    for session in all() {
        a_prover_leaves(&session, true);
        a_verifier_leaves(&session, true);
    }
}

/// Longer sessions over two fields, of whose crossings each ends a turn, end so, too, at messages of either side.
#[test]
#[ignore = "takes a minute"]
fn who_leaves_amid_a_long_crossing_is_rejected() {
    for session in [largest("f61", Correlations::DIRECT), largest("f61x2", Correlations::TINY)] {
        a_prover_leaves(&session, true);
        a_verifier_leaves(&session, true);
    }
}

/// A verifier that leaves ends its prover by the link's error, which counts against that verifier at most where it
/// could foresee whether it is found out: nothing that follows from the end itself takes its place.
#[test]
fn a_verifier_that_leaves_is_what_the_prover_names() {
    for session in all() {
        a_verifier_leaves(&session, false);
    }
}

/// The messages before each, and half of it; both, or one of them by turns.
fn cut(said: &[Vec<u8>], both: bool) -> impl Iterator<Item = (usize, Vec<u8>)> {
    let parts = (0..said.len()).flat_map(|number| [(number, 0), (number, said[number].len() / 2)]);
    let parts = parts.enumerate().filter(move |(place, _)| both || [0, 3].contains(&(place % 4)));
    parts.map(|(_, (number, more))| (number, [&said[..number].concat(), &said[number][..more]].concat()))
}

/// Ends a prover's link after each message of the verifier, and amid each.
fn a_verifier_leaves(session: &Repeating<'_>, all: bool) {
    let [_, said] = session.honest();
    let mut failed = 0;
    for (number, bytes) in cut(&said, all) {
        let error = session.answers(bytes).expect_err(session.name);
        let case = format!("{}, {number} of {} messages: {error}", session.name, said.len());
        match &error {
            Error::Io { .. } => failed += 1,
            Error::Abandoned { peer, .. } => assert_eq!(*peer, "verifier", "{case}"),
            _ => panic!("{case}"),
        }
    }
    // At least before the first message, and before the verdict.
    assert!(failed > 1, "{}: {failed}", session.name);
    assert!(session.answers(said.concat()).is_ok(), "{}", session.name);
}

fn a_prover_leaves(session: &Repeating<'_>, all: bool) {
    let [said, _] = session.honest();
    let (mut before, mut after) = (0, 0);
    for (number, bytes) in cut(&said, all) {
        let (verified, told) = session.hears(bytes);
        let coins = told.iter().filter(|told| **told == session.tells).count();
        let error = verified.expect_err(session.name);
        let case = format!("{}, {number} of {} messages: {error}", session.name, said.len());
        match &error {
            Error::Io { .. } => assert_eq!(coins, 0, "{case}"),
            Error::Abandoned { peer, .. } => assert!(coins > 0 && *peer == "prover", "{case}"),
            _ => panic!("{case}"),
        }
        assert_eq!(error.counts_against_peer(), coins > 0, "{case}");
        if coins > 0 { after += 1 } else { before += 1 }
    }
    assert!(before > 1 && after > 1, "{}: {before} before, {after} after", session.name);
    // The playback itself works, and its end after the verdict is none of these.
    assert!(session.hears(said.concat()).0.is_ok(), "{}", session.name);
}

/// Nor is it better to send what no prover sends.
#[test]
fn who_misbehaves_after_a_coin_is_rejected() {
    let direct = Options::default().with_correlations(Correlations::DIRECT);
    let session = arithmetic::<Over<F61>>("quicksilver over f61", direct, 16);
    let [mut said, _] = session.honest();
    let opened = said.len() - 3;
    assert_eq!(said[opened].len(), 2 * 8, "U and V");
    said[opened].fill(0xff);
    let error = session.hears(said.concat()).0.unwrap_err();
    let how = Misbehaviour::NonCanonicalElement;
    assert!(matches!(error, Error::Rejected(Rejection::MisbehavedAfterCoin(why)) if why == how), "{error}");
    assert!(error.counts_against_peer());
    // In its first message it is what it was.
    said[0].fill(0xff);
    assert!(matches!(session.hears(said.concat()).0, Err(Error::Misbehaved(Misbehaviour::NotVolery))));
}
