//! Provers that are inconsistent about their values, or lie in the check; messages that are none.

use super::super::tests::*;
use super::*;
use crate::vole::subfield::uniform;
use volery_channel::channel::Party;
use volery_primitives::U256;

/// Shares in two messages.
const COUNT: usize = 300;

/// Deals both ends under `delta`, with the keys of ideal transfers.
fn ends<B: Field, E: MacField<B>>(delta: &Delta<B, E>, seed: u8) -> (Prover<B, E>, Verifier<B, E>) {
    let (arch, mut random) = (Arch::detect(), Random::from_seed(&[seed; 32]));
    let (mut both, mut chosen) = (vec![], vec![]);
    let places = gadget::<B, E>();
    for j in 0..places.len() {
        let hidden = digit(delta, j) as usize;
        if bits::<B>() == 1 {
            let keys = [(); 2].map(|()| random.word());
            both.push(Dealt::Bit(Leaves::new(arch, &keys)));
            let key = Leaves::new(arch, &[keys[hidden]]);
            chosen.push((Chosen::Bit(key), factor(delta, j)));
        } else {
            let mut leaves: Vec<_> = (0..1 << DIGIT).map(|_| random.word()).collect();
            both.push(Dealt::Digit(Leaves::new(arch, &leaves)));
            leaves[hidden] = random.word();
            chosen.push((Chosen::Digit(Leaves::new(arch, &leaves)), factor(delta, j)));
        }
    }
    let [first, second] = [(); 2].map(|()| Random::from_seed(&random.bytes()));
    let prover = Prover { arch, transfers: both, places: places.clone(), random: first };
    (prover, Verifier { arch, transfers: chosen, places, random: second })
}

/// A prover's deviations from the protocol.
struct Lie<B, E> {
    /// Errors that it adds to its values where it masks them for a bit or digit of Δ.
    errors: Vec<B>,
    /// A guess of these bits or digits, by which it corrects its shares.
    guess: Vec<u64>,
    /// An error that it adds to its values after that.
    value: B,
    /// Errors that it adds to x, and to each value that goes into x.
    x: E,
    slope: E,
}

impl<B: Field, E: MacField<B>> Lie<B, E> {
    /// The truth.
    fn none() -> Self {
        let bits = gadget::<B, E>().len();
        let (errors, guess) = (vec![B::ZERO; bits], vec![0; bits]);
        Self { errors, guess, value: B::ZERO, x: E::ZERO, slope: E::ZERO }
    }

    /// Takes all for what they are.
    fn knowing(mut self, delta: &Delta<B, E>) -> Self {
        (0..self.guess.len()).for_each(|j| self.guess[j] = digit(delta, j));
        self
    }

    /// An error for one bit or digit of Δ, which it takes to be `guess`.
    fn at(bit: usize, guess: u64) -> Self {
        let mut lie = Self::none();
        lie.errors[bit] = B::ONE;
        lie.guess[bit] = guess;
        lie
    }
}

/// [`Prover::extend`] with a lie.
fn extend<B: Field, E: MacField<B>>(
    prover: &mut Prover<B, E>,
    channel: &mut Channel,
    lie: &Lie<B, E>,
) -> Result<Vec<E::Tag>> {
    let mut values: Vec<B> = (0..COUNT + E::degree() as usize).map(|_| uniform(&mut prover.random)).collect();
    let told: Vec<Vec<B>> =
        lie.errors.iter().map(|error| values.iter().map(|value| *value + *error).collect()).collect();
    let mut columns = prover.send_columns(channel, |j| &told[j])?;
    let guess = |j: usize| B::from_word(lie.guess[j].into()).expect("a small number");
    for (j, column) in columns.piece(0, values.len()).enumerate() {
        column.iter_mut().for_each(|t| *t += lie.errors[j] * guess(j));
    }
    values.iter_mut().for_each(|value| *value += lie.value);
    let seed = F128::from_bytes(channel.recv_array()?);
    let chi = coefficients::<B, E>(prover.arch, seed, COUNT);
    let ones = weigh(prover.arch, &chi, &vec![B::ONE; values.len()]);
    let error = lie.x + lie.slope * ones;
    let sums = columns.iter().enumerate();
    let sums = sums.map(|(j, column)| weigh(prover.arch, &chi, column) - error.scale(guess(j)));
    let digest = digest(seed, sums);
    channel.send_elements(&[weigh(prover.arch, &chi, &values) + error])?;
    channel.send(&digest)?;
    let macs = columns.combine(&prover.places, COUNT);
    Ok(values.iter().zip(macs.iter()).map(|(value, mac)| E::Tag::new(*value, *mac)).collect())
}

/// Whether the verifier accepts; then the shares must be right.
fn accepted<B: Field, E: MacField<B>>(delta: &Delta<B, E>, seed: u8, lie: &Lie<B, E>) -> bool {
    let (mut prover, mut verifier) = ends(delta, seed);
    let session = session(
        vec![],
        |channel| extend(&mut prover, channel, lie),
        |channel| verifier.extend(channel, COUNT).map(|keys| keys.to_vec()),
    );
    !assert_caught(session, delta)
}

fn shares_are_correlated<B: Field, E: MacField<B>>() {
    let delta = delta::<B, E>(5);
    let (mut prover, mut verifier) = ends(&delta, 6);
    for count in [1, 255, 256, 257, 700] {
        let session = session(
            vec![],
            |channel| prover.extend(channel, count).map(|shares| shares.to_vec()),
            |channel| verifier.extend(channel, count).map(|keys| keys.to_vec()),
        );
        let (shares, keys) = (session.proved.unwrap(), session.verified.unwrap());
        assert_eq!(shares.len(), count);
        assert_correlated(&shares, &keys, delta.value());
    }
    assert!(accepted(&delta, 7, &Lie::none()));
}
over_every_kind!(shares_are_correlated);

/// A prover that is inconsistent about its values for one bit or digit of Δ passes where it takes it for what
/// it is, and then the shares are right.
fn an_error_at_one_bit_is_a_guess<B: Field, E: MacField<B>>(all: bool) {
    let mut passed = [0; 2];
    // Of digits few are 0 or 1.
    let seeds = if all { 32 } else { 12 } / if bits::<B>() == 1 { 1 } else { 4_u8 };
    for seed in 0..seeds {
        let delta = delta::<B, E>(seed);
        let j = seed as usize * 7 % gadget::<B, E>().len();
        for guess in [0, 1] {
            let passes = accepted(&delta, seed, &Lie::at(j, guess));
            assert_eq!(passes, digit(&delta, j) == guess, "bit {j}");
            passed[guess as usize] += usize::from(passes);
        }
        if bits::<B>() > 1 && seed % 4 == 0 {
            let right = digit(&delta, j);
            for guess in [right, right ^ 1, right ^ 0x80, 255 - right] {
                assert_eq!(accepted(&delta, seed, &Lie::at(j, guess)), guess == right, "digit {j}");
            }
        }
    }
    if bits::<B>() == 1 {
        assert_eq!(passed[0] + passed[1], usize::from(seeds));
        assert!(passed.iter().all(|&passed| passed >= if all { 6 } else { 2 }), "{passed:?}");
    }
}
over_every_kind_in_part!(an_error_at_one_bit_is_a_guess);

/// One that is inconsistent for many bits must guess them all, and with the right guesses its
/// shares are right too.
fn errors_at_many_bits_are_caught<B: Field, E: MacField<B>>(all: bool) {
    let mut random = Random::from_seed(&[8; 32]);
    for seed in 0..if all { 8 } else { 3 } {
        let delta = delta::<B, E>(seed);
        let mut lie = Lie::<B, E>::none();
        lie.errors.iter_mut().for_each(|error| *error = uniform(&mut random));
        assert!(!accepted(&delta, seed, &lie));
        let guess = random.word().0;
        (0..lie.guess.len()).for_each(|j| lie.guess[j] = (guess >> (j % 128) & 1) as u64);
        assert!(!accepted(&delta, seed, &lie));
        lie = lie.knowing(&delta);
        assert!(accepted(&delta, seed, &lie));
        // One wrong guess among the right ones.
        let wrong = seed as usize;
        lie.errors[wrong] = B::ONE;
        lie.guess[wrong] ^= 1;
        assert!(!accepted(&delta, seed, &lie));
    }
}
over_every_kind_in_part!(errors_at_many_bits_are_caught);

/// An error that is the same for all bits is none: the prover has other values.
fn the_same_error_everywhere_is_another_value<B: Field, E: MacField<B>>() {
    let error: B = uniform(&mut Random::from_seed(&[8; 32]));
    let mut lie = Lie::<B, E>::none();
    lie.errors.fill(error);
    assert!(!accepted(&delta(9), 1, &lie));
    lie.value = error;
    assert!(accepted(&delta(9), 1, &lie));
}
over_every_kind!(the_same_error_everywhere_is_another_value);

/// A false x passes where the prover knows every bit of Δ, and with one of them wrong no more.
fn a_false_x_is_caught<B: Field, E: MacField<B>>() {
    let delta = delta::<B, E>(9);
    let lie = || Lie::<B, E> { x: uniform(&mut Random::from_seed(&[8; 32])), ..Lie::none() };
    assert!(!accepted(&delta, 1, &lie()));
    let mut knowing = lie().knowing(&delta);
    assert!(accepted(&delta, 1, &knowing));
    knowing.guess[5] ^= 1;
    assert!(!accepted(&delta, 1, &knowing));
}
over_every_kind!(a_false_x_is_caught);

/// Errors by coordinates of Δ that make up a multiple of Δ outside the field, γ·Δ, but for half of its
/// entropy: in one sum over all places a guess at that half passes, and gives values outside the field their
/// MACs. By bits it does not.
#[test]
fn one_sum_attack() {
    use volery_primitives::{F61, F61x2, F65537, F65537x4};
    fn test<B: Field, E: MacField<B>>(errors: &[B], gamma: E, half: impl Fn(&[B]) -> Vec<B>) {
        for seed in 0..4 {
            let delta = delta::<B, E>(seed);
            let mut lie = Lie::<B, E>::none();
            (0..lie.errors.len()).for_each(|j| lie.errors[j] = errors[j / B::bits() as usize]);
            let half: Vec<E> = half(&coordinates(&delta)).into_iter().map(E::from).collect();
            let guess = (E::ONE - gamma) * E::pack(&half);
            lie.slope = gamma;
            assert!(passes_one_sum(&delta, seed, &lie, guess));
            assert!(!passes_one_sum(&delta, seed, &lie, guess + E::ONE));
            assert!(!passes_one_sum(&delta, seed, &lie, E::ZERO));
            // The same with what the guess is worth for x.
            for x in [E::ZERO, guess] {
                for slope in [E::ZERO, E::ONE, gamma, gamma + E::ONE] {
                    (lie.x, lie.slope) = (x, slope);
                    assert!(!accepted(&delta, seed, &lie));
                }
            }
        }
    }
    // X² = −1, and the guess is Δ₀ + Δ₁; X⁴ = 3, and the guesses are Δ₀ − 3·Δ₂ and Δ₁ − 3·Δ₃.
    let x = F61x2::pack(&[F61x2::ZERO, F61x2::ONE]);
    test(&[F61::ONE, -F61::ONE], x, |delta| vec![delta[0] + delta[1]]);
    let [one, three] = [F65537::ONE, F65537::ONE + F65537::ONE + F65537::ONE];
    let square = F65537x4::pack(&[F65537x4::ZERO, F65537x4::ZERO, F65537x4::ONE]);
    let half = |delta: &[F65537]| vec![delta[0] - three * delta[2], delta[1] - three * delta[3]];
    test(&[one, one, three, three], square, half);
}

fn coordinates<B: Field, E: MacField<B>>(delta: &Delta<B, E>) -> Vec<B> {
    let integer = |i: u32| *delta.choices >> (i * B::bits()) & U256::ones(B::bits());
    (0..E::degree()).map(|i| B::from_integer(integer(i)).unwrap()).collect()
}

/// Whether a prover that lies passes figure 5's check, of the one sum Σ g_j·z_j = Σ g_j·(column j's sum) −
/// x·Δ, to which it adds `guess` for each value that goes into x. If so, its values are `lie.slope` more
/// than those it draws.
fn passes_one_sum<B: Field, E: MacField<B>>(
    delta: &Delta<B, E>,
    seed: u8,
    lie: &Lie<B, E>,
    guess: E,
) -> bool {
    // The shares and the masks are one message.
    let (count, length) = (100, 100 + E::degree() as usize);
    let (mut prover, mut verifier) = ends(delta, seed);
    let (arch, places) = (prover.arch, prover.places.clone());
    let chi = coefficients::<B, E>(arch, F128(seed.into()), count);
    let sum = |columns: &Columns<B>| -> E {
        places.iter().zip(columns.iter()).map(|(place, column)| *place * weigh(arch, &chi, column)).sum()
    };
    let session = session(
        vec![],
        |channel| {
            let values: Vec<B> = (0..length).map(|_| uniform(&mut prover.random)).collect();
            let told: Vec<Vec<B>> =
                lie.errors.iter().map(|error| values.iter().map(|value| *value + *error).collect()).collect();
            let columns = prover.send_columns(channel, |j| &told[j])?;
            let ones = weigh(arch, &chi, &vec![B::ONE; length]);
            let x = weigh(arch, &chi, &values) + lie.slope * ones;
            channel.send_elements(&[x, sum(&columns) + guess * ones])?;
            let macs = columns.combine(&places, count);
            Ok(values.into_iter().zip(macs.to_vec()).collect::<Vec<_>>())
        },
        |channel| {
            let mut masked = vec![B::ZERO; places.len() * length];
            channel.recv_elements(&mut masked)?;
            let mut columns = Columns::new(places.len(), length);
            let transfers = verifier.transfers.iter_mut().zip(columns.piece(0, length));
            for (((chosen, digit), k), masked) in transfers.zip(masked.chunks_exact(length)) {
                chosen.fill::<E>(**digit, k);
                k.iter_mut().zip(masked).for_each(|(k, masked)| *k += *masked * **digit);
            }
            let mut sent = [E::ZERO; 2];
            channel.recv_elements(&mut sent)?;
            let passes = sent[1] == sum(&columns) - sent[0] * delta.value();
            Ok((passes, columns.combine(&places, count).to_vec()))
        },
    );
    let (passes, keys) = session.verified.unwrap();
    for ((value, mac), key) in session.proved.unwrap().into_iter().zip(keys) {
        let extended = E::from(value) + lie.slope;
        assert_eq!(key == mac + guess + extended * delta.value(), passes);
    }
    passes
}

/// Trees over digits are checked: a wrong correction of a tree is a guess at one bit of a digit, and a wrong
/// sum or digest is caught.
#[test]
fn trees_are_checked() {
    use volery_primitives::Bn254;
    let caught = |seed: u8, message: usize, bit: usize| {
        let delta = delta::<Bn254, Bn254>(seed);
        let (arch, [mut first, mut second]) =
            (Arch::detect(), [1, 2].map(|seed| Random::from_seed(&[seed; 32])));
        let session = session(
            vec![Change::flip(Party::Prover, message, bit)],
            |channel| {
                let mut prover = Prover::<Bn254, Bn254>::new(channel, arch, &mut first)?;
                prover.extend(channel, 20).map(|shares| shares.to_vec())
            },
            |channel| {
                let mut verifier = Verifier::new(channel, arch, &delta, &mut second)?;
                verifier.extend(channel, 20).map(|keys| keys.to_vec())
            },
        );
        assert_caught(session, &delta)
    };
    // What the transfers are opened by comes first, and τ, x and a digest come last.
    let survived = (0..16).filter(|seed| !caught(*seed, 1, 128 * 37 * usize::from(*seed)));
    assert!((3..=13).contains(&survived.count()));
    for (message, bit) in [(0, 9), (2, 700), (3, 5), (4, 800), (5, 3), (6, 77)] {
        assert!(caught(3, message, bit), "message {message}");
    }
}

/// Elements that are not in canonical form, of either field, are refused.
fn elements_are_canonical<B: Field, E: MacField<B>>() {
    let refused = |change: Change| {
        let delta = delta::<B, E>(9);
        let (mut prover, mut verifier) = ends(&delta, 1);
        let verify = |channel: &mut Channel| verifier.extend(channel, COUNT).map(|keys| keys.to_vec());
        let session = session(vec![change], |channel| extend(&mut prover, channel, &Lie::none()), verify);
        let error = session.verified.err();
        matches!(error, Some(Error::Misbehaved(Misbehaviour::NonCanonicalElement)))
    };
    if B::decode(&vec![0xff; B::BYTES]).is_none() {
        for (message, index) in [(0, 0), (0, PIECE * gadget::<B, E>().len() - 1), (1, 7)] {
            assert!(refused(Change::fill::<B>(Party::Prover, message, index)), "τ {message}, {index}");
        }
    }
    if E::decode(&vec![0xff; E::BYTES]).is_none() {
        assert!(refused(Change::fill::<E>(Party::Prover, 2, 0)), "x");
    }
}
over_every_kind!(elements_are_canonical);

/// No shares of one prover come again in another call, and the verifier's coin is fresh.
#[test]
fn nothing_comes_again() {
    use std::collections::HashSet;
    use volery_primitives::F61;
    let delta = delta::<F61, F61>(5);
    let (mut prover, mut verifier) = ends(&delta, 6);
    let (mut keys, mut values, mut coins) = (HashSet::new(), HashSet::new(), HashSet::new());
    for _ in 0..3 {
        let session = session(
            vec![],
            |channel| prover.extend(channel, COUNT).map(|shares| shares.to_vec()),
            |channel| verifier.extend(channel, COUNT).map(|keys| keys.to_vec()),
        );
        assert!(session.verified.unwrap().into_iter().all(|key| keys.insert(key)));
        assert!(session.proved.unwrap().into_iter().all(|share| values.insert(share.value)));
        assert!(session.messages[1].messages().into_iter().all(|coin| coins.insert(coin)));
    }
}
