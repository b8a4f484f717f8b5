//! A trusted dealer, for tests: both ends of transfers as they are after step 2, and nothing is sent.

use super::{DEPTH, Receiver, Sender, digest_of_keys, pprf};
use volery_channel::random::Random;
use volery_primitives::{F2, F128};
use zeroize::Zeroizing;

/// Deals both ends of transfers with these `choices`, everything else at random.
pub fn deal(choices: &[F2], seed: u8) -> (Sender, Receiver) {
    let mut random = Random::from_seed(&[seed; 32]);
    let delta = F128(random.word().0 | 1);
    deal_under(delta, choices, &mut random)
}

/// Deals both ends of transfers with these `choices` and this Δ.
pub(super) fn deal_under(delta: F128, choices: &[F2], random: &mut Random) -> (Sender, Receiver) {
    let sid = random.bytes();
    let pairs = (0..super::base::TRANSFERS).map(|_| [random.word(), random.word()]);
    let pairs = Zeroizing::new(pairs.collect::<Vec<_>>());
    let rows: Vec<F128> = choices.iter().map(|_| random.word()).collect();
    let sent = rows.iter().zip(choices).map(|(t, c)| F128(t.0 ^ delta.0 & c.mask())).collect();
    let keys = digest_of_keys(&sid, keys(&pairs, delta));
    let receiver =
        Receiver { sid, pairs, choices: Zeroizing::new(choices.to_vec()), rows: Zeroizing::new(rows) };
    (Sender { delta: Zeroizing::new(delta), keys, rows: Zeroizing::new(sent) }, receiver)
}

/// The keys of the base transfers that Δ chooses.
pub(super) fn keys(pairs: &[[F128; 2]], delta: F128) -> impl Iterator<Item = F128> {
    let chosen = pprf::choices(delta, DEPTH.bits());
    pairs.iter().enumerate().map(move |(i, pair)| pair[(chosen.0 >> i & 1) as usize])
}
