//! Provers that are inconsistent about their values, or lie in the check; messages that are none.

use super::super::tests::*;
use super::*;
use crate::channel::Party;
use crate::vole::subfield::{element, macs, values};

/// Shares in two messages.
const COUNT: usize = 300;

/// Both ends under `delta`, with the keys of ideal transfers.
fn ends<B: Field, E: MacField<B>>(delta: &Delta<B, E>, seed: u8) -> (Prover<B, E>, Verifier<B, E>) {
    let (arch, mut random) = (Arch::detect(), Random::from_seed(&[seed; 32]));
    let (mut both, mut chosen) = (vec![], vec![]);
    for (j, place) in gadget::<B, E>().into_iter().enumerate() {
        let keys = [(); 2].map(|()| random.word());
        let bit = delta.choices.0 >> j & 1;
        both.push((keys.map(|key| Expansion::new(arch, key)), place));
        chosen.push((Expansion::new(arch, keys[bit as usize]), (bit as u64).wrapping_neg(), place));
    }
    let [first, second] = [(); 2].map(|()| Random::from_seed(&random.bytes()));
    let prover = Prover { arch, transfers: both, random: first };
    let verifier = Verifier { arch, transfers: chosen, delta: Zeroizing::new(delta.value()), random: second };
    (prover, verifier)
}

/// What a prover does that does not follow the protocol, if anything.
struct Lie<B, E> {
    /// What it adds to its values where it masks them for a bit of Δ.
    errors: Vec<B>,
    /// Which of these bits it takes to be set, and corrects its MACs for.
    guess: Vec<bool>,
    /// What it adds to its values after that.
    value: B,
    /// What it adds to x and to z.
    sums: [E; 2],
}

impl<B: Field, E: MacField<B>> Lie<B, E> {
    /// The truth.
    fn none() -> Self {
        let bits = gadget::<B, E>().len();
        Self { errors: vec![B::ZERO; bits], guess: vec![false; bits], value: B::ZERO, sums: [E::ZERO; 2] }
    }

    /// An error for one bit of Δ, which it takes to be `guess`.
    fn at(bit: usize, guess: bool) -> Self {
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
) -> Result<Vec<Tagged<B, E>>> {
    let mut shares: Vec<Tagged<B, E>> = (0..COUNT + E::DEGREE as usize)
        .map(|_| Tagged { value: element(&mut prover.random), mac: E::ZERO })
        .collect();
    for shares in shares.chunks_mut(PIECE) {
        let [mut first, mut second] = [(); 2].map(|()| vec![B::ZERO; shares.len()]);
        let mut masked = vec![];
        for (j, ([zero, one], place)) in prover.transfers.iter_mut().enumerate() {
            zero.fill(&mut first);
            one.fill(&mut second);
            for (i, share) in shares.iter_mut().enumerate() {
                masked.push(first[i] - second[i] + share.value + lie.errors[j]);
                let error = if lie.guess[j] { lie.errors[j] } else { B::ZERO };
                share.mac += place.scale(first[i] + error);
            }
        }
        shares.iter_mut().for_each(|share| share.value += lie.value);
        channel.send_elements(&masked)?;
    }
    let chi = coefficients(prover.arch, F128::from_bytes(channel.recv_array()?), COUNT);
    let masks = shares.split_off(COUNT);
    let sums = E::weigh(prover.arch, &chi, &shares);
    let (x, z) = (sums.1 + values(&masks), sums.0 + macs(&masks));
    channel.send_elements(&[x + lie.sums[0], z + lie.sums[1]])?;
    Ok(shares)
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

fn bit<B, E: Field>(delta: &Delta<B, E>, j: usize) -> bool {
    delta.choices.0 >> j & 1 == 1
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
over_every_field!(shares_are_correlated);

/// A prover that is inconsistent about its values for one bit of Δ passes where it takes the bit for what it is, and then
/// the shares are right.
fn an_error_at_one_bit_is_a_guess<B: Field, E: MacField<B>>() {
    let mut passed = [0; 2];
    for seed in 0..32 {
        let delta = delta::<B, E>(seed);
        let j = seed as usize * 7 % gadget::<B, E>().len();
        for guess in [false, true] {
            let passes = accepted(&delta, seed, &Lie::at(j, guess));
            assert_eq!(passes, bit(&delta, j) == guess, "bit {j}");
            passed[usize::from(guess)] += usize::from(passes);
        }
    }
    assert_eq!(passed[0] + passed[1], 32);
    assert!(passed.iter().all(|&passed| (6..=26).contains(&passed)), "{passed:?}");
}
over_every_field!(an_error_at_one_bit_is_a_guess);

/// One that is inconsistent for many bits must guess them all, and with the right guesses its shares are right too.
fn errors_at_many_bits_are_caught<B: Field, E: MacField<B>>() {
    let mut random = Random::from_seed(&[8; 32]);
    for seed in 0..8 {
        let delta = delta::<B, E>(seed);
        let mut lie = Lie::<B, E>::none();
        lie.errors.iter_mut().for_each(|error| *error = element(&mut random));
        assert!(!accepted(&delta, seed, &lie));
        let guess = random.word().0;
        (0..lie.guess.len()).for_each(|j| lie.guess[j] = guess >> j & 1 == 1);
        assert!(!accepted(&delta, seed, &lie));
        (0..lie.guess.len()).for_each(|j| lie.guess[j] = bit(&delta, j));
        assert!(accepted(&delta, seed, &lie));
        // One wrong guess among the right ones.
        let wrong = seed as usize;
        lie.errors[wrong] = B::ONE;
        lie.guess[wrong] ^= true;
        assert!(!accepted(&delta, seed, &lie));
    }
}
over_every_field!(errors_at_many_bits_are_caught);

/// The same error for all bits is none: the prover has other values.
fn the_same_error_everywhere_is_another_value<B: Field, E: MacField<B>>() {
    let error: B = element(&mut Random::from_seed(&[8; 32]));
    let mut lie = Lie::<B, E>::none();
    lie.errors.fill(error);
    assert!(!accepted(&delta(9), 1, &lie));
    lie.value = error;
    assert!(accepted(&delta(9), 1, &lie));
}
over_every_field!(the_same_error_everywhere_is_another_value);

/// A false x passes with the z that fits it by Δ, which is a guess at all of Δ, and with no other.
fn false_sums_are_caught<B: Field, E: MacField<B>>() {
    let mut random = Random::from_seed(&[8; 32]);
    let delta = delta::<B, E>(9);
    let error: E = element(&mut random);
    let sums = |x, z| Lie { sums: [x, z], ..Lie::none() };
    assert!(accepted(&delta, 1, &sums(error, -error * delta.value())));
    for z in [E::ZERO, error, -error, error * delta.value(), element(&mut random)] {
        assert!(!accepted(&delta, 1, &sums(error, z)) || z == -error * delta.value());
    }
    assert!(!accepted(&delta, 1, &sums(E::ZERO, error)));
}
over_every_field!(false_sums_are_caught);

/// Elements that are not in canonical form, of either field, are refused.
fn elements_are_canonical<B: Field, E: MacField<B>>() {
    let refused = |change: Change| {
        let delta = delta::<B, E>(9);
        let (mut prover, mut verifier) = ends(&delta, 1);
        let verify = |channel: &mut Channel| verifier.extend(channel, COUNT).map(|keys| keys.to_vec());
        let session = session(vec![change], |channel| extend(&mut prover, channel, &Lie::none()), verify);
        let error = session.verified.err();
        matches!(error, Some(Error::Misbehaved("a field element is not in canonical form")))
    };
    if B::from_word((1 << (8 * B::BYTES)) - 1).is_none() {
        for (message, index) in [(0, 0), (0, PIECE * gadget::<B, E>().len() - 1), (1, 7)] {
            assert!(refused(Change::fill::<B>(Party::Prover, message, index)), "τ {message}, {index}");
        }
    }
    if E::from_word(u128::MAX >> (128 - 8 * E::BYTES)).is_none() {
        assert!(refused(Change::fill::<E>(Party::Prover, 2, 0)), "x");
        assert!(refused(Change::fill::<E>(Party::Prover, 2, 1)), "z");
    }
}
over_every_field!(elements_are_canonical);

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
