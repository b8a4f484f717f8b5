//! Security of a run of shards.

use crate::session::OverMacs;
use volery_circuit::Announced;
use volery_vole::macs::Macs;

/// −log2 of the probability that a false statement is accepted, floored: of a run whose shards are each worth
/// so many bits by themselves, and of which as many attempts as `restarts` may be made again. The errors of all
/// attempts add up: see the [module](super).
///
/// ```
/// use volery_quicksilver::sharded::security;
///
/// assert_eq!(security([120], 0), 120);
/// assert_eq!(security([120; 1000], 24), 110);
/// assert_eq!(security([60, 100, 100], 1), 59);
/// ```
pub fn security(bits: impl IntoIterator<Item = u32>, restarts: u32) -> u32 {
    let (mut sum, mut worst) = (0_f64, 0_f64);
    for bits in bits {
        let error = (-f64::from(bits)).exp2();
        sum += error;
        worst = worst.max(error);
    }
    let error = sum + f64::from(restarts) * worst;
    // Half a unit in the last place of sums of so many terms is no bit.
    (-error.log2() + 1e-9).floor().max(0.0) as u32
}

/// The bits by which the error of a shard has to be less than that of its run: log2 of all attempts, rounded
/// up.
pub(super) fn headroom(shards: u32, restarts: u32) -> u32 {
    (u64::from(shards) + u64::from(restarts)).next_power_of_two().ilog2()
}

/// −log2 of the probability, floored, that a verifier whose workers hold different keys is not found out by the
/// prover: it has one guess for each shard that wires come from, in each attempt.
pub fn privacy<S: OverMacs>(announced: &Announced, restarts: u32) -> u32 {
    let sources = (0..announced.count()).map(|shard| announced.sources(shard).len());
    let (all, most) = sources.fold((0, 0), |(all, most), links| (all + links, most.max(links)));
    let links = all as f64 + f64::from(restarts) * most as f64;
    if links == 0.0 { u32::MAX } else { (-(links * S::Macs::guess()).log2()).floor() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_worth_what_its_shards_are_less_what_they_are_many() {
        for (shards, restarts) in [(1, 0), (2, 0), (7, 1), (8, 8), (1024, 0), (1000, 100), (65536, 65535)] {
            for bits in [40, 60, 121] {
                let of_all = security(vec![bits; shards as usize], restarts);
                let least = bits - headroom(shards, restarts);
                assert!(
                    (least..=least + 1).contains(&of_all),
                    "{shards} {restarts} {bits}: {of_all} {least}"
                );
                assert!(of_all <= bits);
            }
        }
        assert_eq!(headroom(1, 0), 0);
        assert_eq!(headroom(9, 8), 5);
    }
}
