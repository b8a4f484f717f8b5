//! The key, over every kind of field; and what the tests of all rooms share: sessions whose messages a test may
//! change.

use super::*;
use crate::vole::BoxedVole;
use std::collections::HashSet;
use std::time::Duration;
use volery_channel::channel::{Channel, Link, Party, Pipe, Recording, Tape, pipe, side_by_side};
use volery_channel::error::{Error, Result};
use volery_primitives::{
    Bn254, F61, F61x2, F256, F65537, F65537x4, Goldilocks, Goldilocksx2, Q32, Q32x2, RuntimeExtension,
    RuntimePrime,
};

/// One test for each kind of field and extension, of a function that is generic in both; `and f2x64` asks for one
/// over F_2 with MACs of 64 bits, too, whose first shares are not as elsewhere. Fields of a kind that is here
/// differ by their arithmetic, whose laws their own room has, and are gone through from outside.
macro_rules! over_every_kind {
    ($test:ident $(and $bits:ident)?) => {
        mod $test {
            use volery_primitives::{Bn254, F61, F128, F256, F65537, F65537x4, RuntimeExtension, RuntimePrime};
            $(
                #[test]
                fn $bits() {
                    super::$test::<volery_primitives::F2, volery_primitives::F64>();
                }
            )?
            #[test]
            fn f61() {
                super::$test::<F61, F61>();
            }
            #[test]
            fn f65537x4() {
                super::$test::<F65537, F65537x4>();
            }
            #[test]
            fn bn254() {
                super::$test::<Bn254, Bn254>();
            }
            #[test]
            fn f256() {
                super::$test::<F256, F128>();
            }
            #[test]
            fn runtime_prime() {
                crate::vole::subfield::choose_prime();
                super::$test::<RuntimePrime, RuntimeExtension>();
            }
        }
    };
}
pub(super) use over_every_kind;

/// One test for each kind of field and extension, of a function that is told whether to go through all of its
/// cases: over a prime field and a binary one it is, over the others where tests that are slow are asked for.
macro_rules! over_every_kind_in_part {
    ($test:ident) => {
        mod $test {
            use volery_primitives::{
                Bn254, F61, F128, F256, F65537, F65537x4, RuntimeExtension, RuntimePrime,
            };
            #[test]
            fn f61() {
                super::$test::<F61, F61>(true);
            }
            #[test]
            fn f256() {
                super::$test::<F256, F128>(true);
            }
            fn others(all: bool) {
                super::$test::<F65537, F65537x4>(all);
                super::$test::<Bn254, Bn254>(all);
                crate::vole::subfield::choose_prime();
                super::$test::<RuntimePrime, RuntimeExtension>(all);
            }
            #[test]
            fn some_cases_over_other_fields() {
                others(false);
            }
            #[test]
            #[ignore = "slow"]
            fn all_cases_over_other_fields() {
                others(true);
            }
        }
    };
}
pub(super) use over_every_kind_in_part;

/// A change of a message's bytes.
type Alteration = dyn Fn(&mut [u8]) + Send;

/// A party's change of its message with number `message`.
pub(super) struct Change {
    pub(super) from: Party,
    pub(super) message: usize,
    pub(super) to: Box<Alteration>,
}

impl Change {
    /// One bit flipped, modulo the message's length.
    pub(super) fn flip(from: Party, message: usize, bit: usize) -> Self {
        let to = move |bytes: &mut [u8]| bytes[bit / 8 % bytes.len()] ^= 1 << (bit % 8);
        Self { from, message, to: Box::new(to) }
    }

    /// All ones in place of element `index` of a message of elements.
    pub(super) fn fill<F: Field>(from: Party, message: usize, index: usize) -> Self {
        let to = move |bytes: &mut [u8]| bytes[F::BYTES * index..][..F::BYTES].fill(0xff);
        Self { from, message, to: Box::new(to) }
    }

    /// `error` added to element `index` of a message of elements.
    pub(super) fn add<F: Field>(from: Party, message: usize, index: usize, error: F) -> Self {
        let to = move |bytes: &mut [u8]| {
            let bytes = &mut bytes[F::BYTES * index..][..F::BYTES];
            let sum = F::decode(bytes).unwrap() + error;
            sum.encode(bytes);
        };
        Self { from, message, to: Box::new(to) }
    }
}

/// A link that changes what is sent.
struct Changed {
    link: Pipe,
    changes: Vec<Change>,
    sent: usize,
}

impl Link for Changed {
    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut bytes = bytes.to_vec();
        self.changes
            .iter()
            .filter(|change| change.message == self.sent)
            .for_each(|change| (change.to)(&mut bytes));
        self.sent += 1;
        self.link.send(&bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.link.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.link.recv(bytes)
    }
}

/// The results of a session, with the messages of the prover and of the verifier as they were before any
/// change.
pub(super) struct Session<P, V> {
    pub(super) proved: Result<P>,
    pub(super) verified: Result<V>,
    pub(super) messages: [Recording; 2],
}

/// Runs both ends with `changes` between them. An end that errs closes its link; every wait is bounded.
pub(super) fn session<P: Send, V>(
    changes: Vec<Change>,
    prove: impl FnOnce(&mut Channel) -> Result<P> + Send,
    verify: impl FnOnce(&mut Channel) -> Result<V>,
) -> Session<P, V> {
    let (here, there) = pipe(Duration::from_secs(30));
    let (of_prover, of_verifier) = changes.into_iter().partition(|change| change.from == Party::Prover);
    let tape = |link, changes| Tape::new(Changed { link, changes, sent: 0 }, None);
    let ((here, said), (there, answered)) = (tape(here, of_prover), tape(there, of_verifier));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let prover = move || prove(&mut proving).and_then(|p| proving.flush().map(|()| p));
    let verifier = move || verify(&mut verifying).and_then(|v| verifying.flush().map(|()| v));
    let (proved, verified) = side_by_side(prover, verifier);
    Session { proved, verified, messages: [said, answered] }
}

/// The shares of `draws` blocks, and the end of a statement.
pub(super) fn draw<S: Share>(
    channel: &mut Channel,
    mut vole: BoxedVole<S>,
    draws: usize,
) -> Result<Vec<S::Row>> {
    let (mut rows, mut block) = (vec![], Shares::default());
    for _ in 0..draws {
        vole.block(channel, &mut block)?;
        rows.extend_from_slice(block.rows(0));
    }
    vole.check(channel).map(drop)?;
    Ok(rows)
}

/// k = m + x·Δ, share by share.
pub(super) fn assert_related<B: Field, E: MacField<B>>(shares: &[E::Tag], keys: &[E], delta: E) {
    assert_eq!(shares.len(), keys.len());
    for (i, (share, key)) in shares.iter().zip(keys).enumerate() {
        assert_eq!(*key, share.mac() + delta.scale(share.value()), "share {i}");
    }
}

/// Asserts that shares and keys are related, look random, and that no two are alike.
pub(super) fn assert_correlated<B: Field, E: MacField<B>>(shares: &[E::Tag], keys: &[E], delta: E) {
    assert_related(shares, keys, delta);
    assert_uniform(shares.iter().map(|share| share.value()));
    let distinct =
        |elements: &mut dyn Iterator<Item = E>| elements.map(E::to_integer).collect::<HashSet<_>>().len();
    assert_eq!(distinct(&mut keys.iter().copied()), keys.len());
    assert_eq!(distinct(&mut shares.iter().map(|share| share.mac())), keys.len());
}

/// Asserts that each sixteenth of the field has as many values as the others, by six standard deviations.
pub(super) fn assert_uniform<B: Field>(values: impl Iterator<Item = B>) {
    // In characteristic two −1 is 1.
    let last = if B::ONE == -B::ONE { U256::ones(B::BITS) } else { (-B::ONE).to_integer() };
    let mut counts = [0_usize; 16];
    values.for_each(|value| {
        counts[(16.0 * (value.to_integer().to_f64() / (last.to_f64() + 1.0))) as usize % 16] += 1
    });
    let mean = counts.iter().sum::<usize>() as f64 / 16.0;
    assert!(counts.iter().all(|count| (*count as f64 - mean).abs() <= 6.0 * mean.sqrt()), "{counts:?}");
}

/// Whether a session with changed messages has ended in an error. If so, it must be one that blames the peer;
/// if not, the shares must be right all the same.
pub(super) fn assert_caught<B: Field, E: MacField<B>>(
    session: Session<Vec<E::Tag>, Vec<E>>,
    delta: &Delta<B, E>,
) -> bool {
    match (session.proved, session.verified) {
        (Ok(shares), Ok(keys)) => {
            assert_related(&shares, &keys, delta.value());
            false
        }
        (proved, verified) => {
            let errors = [proved.err(), verified.err()];
            assert!(errors.iter().any(|error| matches!(error, Some(Error::Misbehaved(_)))), "{errors:?}");
            true
        }
    }
}

/// The transfers of base shares, their columns, and where Δ falls into digits the prover's messages for the
/// trees.
pub(super) fn transferred<B: Field, E: MacField<B>>() -> (usize, usize, Vec<(&'static str, usize)>) {
    let columns = base::gadget::<B, E>().len();
    if B::BITS <= 128 {
        return (columns, columns, vec![]);
    }
    let trees = [("levels of digits", 32 * 7 * columns), ("sums", 32 * columns), ("digest", 32)];
    (8 * columns, columns, trees.into())
}

pub(super) fn delta<B: Field, E: MacField<B>>(seed: u8) -> Delta<B, E> {
    Delta::random(&mut Random::from_seed(&[seed; 32]))
}

/// Keys are uniform in each coordinate, and not zero; what the transfers are chosen by sums to them.
fn keys_are_uniform_and_the_sum_of_their_places<B: Field, E: MacField<B>>() {
    let mut random = Random::from_seed(&[7; 32]);
    let gadget = base::gadget::<B, E>();
    assert_eq!(
        gadget.len() as u32,
        E::degree() * if B::BITS > 128 { B::BITS.div_ceil(8) } else { B::bits() }
    );
    let mut coordinates = vec![vec![]; E::degree() as usize];
    for _ in 0..2000 {
        let delta = Delta::<B, E>::random(&mut random);
        assert_ne!(delta.value(), E::ZERO);
        let digit = |j: usize| B::from_word(base::digit(&delta, j).into()).expect("a small number");
        let digits = gadget.iter().enumerate().map(|(j, place)| place.scale(digit(j)));
        assert_eq!(digits.sum::<E>(), delta.value());
        for (i, values) in coordinates.iter_mut().enumerate() {
            let coordinate = *delta.choices >> (i as u32 * B::bits()) & U256::ones(B::bits());
            values.push(B::from_integer(coordinate).expect("a canonical coordinate"));
        }
    }
    coordinates.into_iter().for_each(|values| assert_uniform(values.into_iter()));
}
over_every_kind!(keys_are_uniform_and_the_sum_of_their_places);

/// Minus the binary logarithm of the chance to guess Δ: r·log p.
#[test]
fn guesses_are_as_good_as_the_field_is_small() {
    choose_prime();
    let bits = [
        guess::<F61, F61>(),
        guess::<F61, F61x2>(),
        guess::<Goldilocks, Goldilocks>(),
        guess::<Goldilocks, Goldilocksx2>(),
        guess::<F65537, F65537x4>(),
        guess::<Q32, Q32x2>(),
        guess::<F256, F128>(),
        guess::<Bn254, Bn254>(),
        guess::<RuntimePrime, RuntimeExtension>(),
    ]
    .map(|guess| (-1e3 * guess.log2()).round() / 1e3);
    assert_eq!(bits, [61.0, 122.0, 64.0, 128.0, 64.0, 64.0, 128.0, 253.597, 240.0]);
}

/// One seed makes the same coefficients however they are drawn, and they are uniform; another makes others.
fn coefficients_are_a_stream<B: Field, E: MacField<B>>() {
    let arch = Arch::detect();
    let chi = coefficients::<B, E>(arch, F128(3), 4000);
    let mut stream = Coefficients::<B>::new(arch, F128(3));
    let (mut first, mut rest) = (vec![E::ZERO; 1024], vec![E::ZERO; 2976]);
    stream.fill(arch, &mut first);
    stream.fill(arch, &mut rest);
    assert!(first.iter().chain(&rest).eq(&chi));
    for count in [1, 255, 256, 257, 3999, 4000] {
        let (rows, mut parts) = (Vec::from_iter(0..count), (vec![], vec![]));
        with_coefficients::<B, E, _>(arch, F128(3), &rows, |chi, rows| {
            parts.0.extend_from_slice(chi);
            parts.1.extend_from_slice(rows);
        });
        assert!(parts.0 == chi[..count] && parts.1 == rows, "{count}");
    }
    assert!(Arch::available().into_iter().all(|arch| coefficients::<B, E>(arch, F128(3), 4000) == chi));
    assert!(coefficients::<B, E>(arch, F128(4), 4000).iter().zip(&chi).all(|(a, b)| a != b));
    let words: HashSet<U256> = chi.iter().map(|chi| chi.to_integer()).collect();
    assert_eq!(words.len(), chi.len());
}
over_every_kind!(coefficients_are_a_stream);

/// Whether a flipped bit of the prover's message may go unseen: it corrects a side of a tree that is not Δ's,
/// or a column whose bit or digit of Δ is zero.
pub(super) fn one_sided(name: &str) -> bool {
    ["levels of digits", "τ"].contains(&name)
}
