//! The chance of a prover that claims what is false.
//!
//! It survives a repetition where a challenge is bad for it, or the party is left unopened that it cheated
//! for, by which 1/n is meant. Over 2^l elements bad challenges have at most the probabilities
//!
//! - p_R = (claims - 1) / 2^l: the combination of claims, of which one is false, is a polynomial in R that is
//!   not zero;
//! - p_int = (2k - 2) / (2^l - k) in each of the first r - 1 rounds: two polynomials of degree 2k - 2 that
//!   differ agree in as many places, and k places are no challenges;
//! - p_fin = 2k / (2^l - k - 1) in the last, where degree and places are more by two and by one.
//!
//! **Interactive.** Of τ repetitions, the challenges save at most τ·p in the mean, p = p_R + (r -
//! 1)·p_int + p_fin, shared or not, and so u or more with a probability of at most τ·p/u (Markov).
//! All others are guesses:
//!
//! ```text
//! ε ≤ n^-τ + p · Σ_{u=1..τ} (τ/u) · n^-(τ-u)
//! ```
//!
//! **A file, independent challenges.** A prover hashes until the challenges of a round save as many
//! repetitions as it set itself, then goes on to the next round with the others (Kales and Zaverucha, CANS
//! 2020). Its work is the least over all t_1 + … + t_{r+1} ≤ τ of
//!
//! ```text
//! Σ_j 1 / Pr[Bin(τ - t_1 - … - t_{j-1}, p_j) ≥ t_j]  +  n^(τ - t_1 - … - t_{r+1})
//! ```
//!
//! where t_j = 0 is free. Here Pr[Bin(N, p) ≥ t] is at most C(N, t)·p^t, since some t of N have to be saved.
//! This rule gives the 48 numbers of repetitions that the authors list for 128 bits.
//!
//! **A file, identical challenges.** One bad challenge may save all repetitions, and a prover may have made
//! another product false in each of them, so that a challenge is bad for one of them with probability τ·p_j.
//! While none has been, only the last digest is left, which leaves the right parties unopened with
//! probability n^-τ. So each hash succeeds with at most
//!
//! ```text
//! max(τ·p_R, τ·p_int, τ·p_fin, n^-τ)
//! ```
//!
//! and Q of them with Q times that, by a union bound.

use super::{Challenges, Demand, MOST_SECURITY, Mode, Parameters};

impl Parameters {
    /// The bits of security: -log2 of the probability with which a verifier accepts a false statement,
    /// or of that with which one hash of a prover's search leads to a file that it accepts, and at
    /// most [`MOST_SECURITY`].
    pub fn security(&self, demand: &Demand, mode: Mode) -> f64 {
        let bad = self.bad_challenges(demand);
        let bits = match (mode, self.challenges) {
            (Mode::Interactive, _) => self.one_attempt(bad.iter().sum()),
            (Mode::File, Challenges::Independent) => self.search(&bad),
            (Mode::File, Challenges::Identical) => self.one_hash(bad.into_iter().fold(0.0, f64::max)),
        };
        bits.clamp(0.0, MOST_SECURITY.into())
    }

    /// The probabilities of bad challenges: p_R, r - 1 times p_int, p_fin. None where nothing is multiplied.
    fn bad_challenges(&self, demand: &Demand) -> Vec<f64> {
        let rounds = self.rounds(demand.entries);
        if rounds == 0 {
            return Vec::new();
        }
        let (size, k) = (f64::from(self.field.bits).exp2(), f64::from(self.compression));
        let mut bad = vec![demand.claims.saturating_sub(1) as f64 / size];
        bad.resize(rounds as usize, (2.0 * k - 2.0) / (size - k));
        bad.push(2.0 * k / (size - k - 1.0));
        bad
    }

    /// −log2 of the probability to guess all hidden parties, n^-τ.
    fn guess(&self) -> f64 {
        f64::from(self.depth() * self.repetitions)
    }

    /// −log2 of the soundness error ε of one attempt, where p is the sum of the probabilities of bad
    /// challenges.
    fn one_attempt(&self, p: f64) -> f64 {
        let (depth, repetitions) = (f64::from(self.depth()), f64::from(self.repetitions));
        let saved = (1..=self.repetitions).map(f64::from);
        let sum: f64 = saved.map(|saved| repetitions / saved * (depth * (saved - repetitions)).exp2()).sum();
        let bits = -((-self.guess()).exp2() + p * sum).log2();
        // ε is above n^-τ, even where the difference is too small for a float.
        if p > 0.0 { bits.min(self.guess().next_down()) } else { bits }
    }

    /// −log2 of the probability that one hash succeeds, where p is the largest probability of a bad
    /// challenge.
    fn one_hash(&self, p: f64) -> f64 {
        self.guess().min(-(f64::from(self.repetitions) * p).log2())
    }

    /// log2 of the hashes of a search, where challenges are bad for a repetition with probabilities `bad`.
    fn search(&self, bad: &[f64]) -> f64 {
        let futile = f64::from(MOST_SECURITY).exp2();
        let repetitions = self.repetitions as usize;
        // What it takes to have saved so many repetitions, by the rounds up to this one.
        let mut costs = vec![f64::INFINITY; repetitions + 1];
        costs[0] = 0.0;
        for &p in bad {
            for after in (1..=repetitions).rev() {
                let others = repetitions - after;
                // 1 / (C(others + saved, saved) · p^saved), which falls to its least below one, if at
                // all, and then grows.
                let mut cost = 1.0;
                for saved in 1..=after {
                    cost *= saved as f64 / ((others + saved) as f64 * p);
                    if cost >= futile {
                        break;
                    }
                    costs[after] = costs[after].min(costs[after - saved] + cost.max(1.0));
                }
            }
        }
        let guesses = (0..=repetitions).rev().map(|left| f64::from(self.depth() * left as u32).exp2());
        let works = costs.iter().zip(guesses).map(|(cost, guess)| cost + guess);
        works.fold(f64::INFINITY, f64::min).log2()
    }
}
