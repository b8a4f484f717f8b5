//! Vector oblivious polynomial evaluation: a random polynomial g of the prover over E, and **B = g(Δ)** of
//! the verifier. QuickSilver, figure 3.
//!
//! Without a message: 2d - 1 lines m + u·X, each packed from r shares that commit to nothing and are used
//! for nothing else, make one polynomial of degree d. Factors come one by one, and a fresh line is added
//! after each (step 2): so a verifier that chose Δ = 0 and all its keys zero still sees no coefficient but
//! the one of X^0, which it has anyway. The coefficients are uniform, up to a statistical distance of (d -
//! 1)/|E| (Theorem 4.1).

use volery_primitives::Field;
use zeroize::Zeroizing;

/// The lines that a polynomial of `degree` takes: none for degree zero, where there is nothing to hide.
pub const fn lines(degree: usize) -> usize {
    (2 * degree).saturating_sub(1)
}

/// The masking lines of a check: how many, and from how many shares each.
#[derive(Clone, Copy)]
pub struct Masks {
    /// The number of lines.
    pub lines: u64,
    /// The shares of each line.
    pub shares: u64,
}

impl Masks {
    /// The shares of all lines.
    pub const fn in_all(self) -> u64 {
        self.lines * self.shares
    }

    /// The lengths of the blocks drawn for masks, where the last block has `spare` shares left and `next`
    /// gives the lengths of further ones.
    pub fn blocks(self, mut spare: u64, mut next: impl FnMut() -> u64) -> Vec<u64> {
        let mut blocks = Vec::new();
        for _ in 0..self.lines {
            if spare < self.shares {
                spare = next();
                blocks.push(spare);
            }
            spare -= self.shares;
        }
        blocks
    }
}

/// The prover's polynomial, by its coefficients, the lowest first, from m and u of each of `lines`.
///
/// # Panics
/// Where there are not as many as [`lines`] says.
pub fn polynomial<E: Field>(degree: usize, lines: &[(E, E)]) -> Zeroizing<Vec<E>> {
    assert_eq!(lines.len(), self::lines(degree));
    let (factors, sums) = lines.split_at(degree);
    let mut g = Zeroizing::new(vec![E::ZERO; degree + 1]);
    g[0] = E::ONE;
    for (i, &(m, u)) in factors.iter().enumerate() {
        // g becomes g·(m + u·X), and then gets its own line.
        for j in (0..=i).rev() {
            let coefficient = g[j];
            g[j + 1] += coefficient * u;
            g[j] = coefficient * m;
        }
        if let Some(&(m, u)) = i.checked_sub(1).and_then(|i| sums.get(i)) {
            g[0] += m;
            g[1] += u;
        }
    }
    g
}

/// The verifier's value of the polynomial at Δ, from the lines' values there.
///
/// # Panics
/// Where there are not as many as [`lines`] says.
pub fn value<E: Field>(degree: usize, keys: &[E]) -> E {
    assert_eq!(keys.len(), lines(degree));
    let (factors, sums) = keys.split_at(degree);
    factors.iter().enumerate().fold(E::ONE, |value, (i, &key)| {
        let sum = i.checked_sub(1).and_then(|i| sums.get(i));
        value * key + sum.copied().unwrap_or(E::ZERO)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vole::subfield::uniform;
    use volery_channel::random::Random;
    use volery_primitives::{F61, F128};

    fn ends_agree<E: Field>() {
        let mut random = Random::from_seed(&[3; 32]);
        for degree in 0..=13 {
            let delta: E = uniform(&mut random);
            let mut line = || (uniform::<E>(&mut random), uniform::<E>(&mut random));
            let lines: Vec<(E, E)> = (0..super::lines(degree)).map(|_| line()).collect();
            let keys: Vec<E> = lines.iter().map(|&(m, u)| m + u * delta).collect();
            let g = polynomial(degree, &lines);
            assert_eq!(g.len(), degree + 1);
            let at_delta = g.iter().rev().fold(E::ZERO, |sum, &c| sum * delta + c);
            if degree > 0 {
                assert_eq!(at_delta, value(degree, &keys), "degree {degree}");
            }
            // A verifier with Δ = 0 and zero keys: all but the lowest coefficient stay hidden.
            let hidden: Vec<(E, E)> = lines.iter().map(|&(_, u)| (E::ZERO, u)).collect();
            let g = polynomial(degree, &hidden);
            assert!(degree == 0 || g[0] == E::ZERO);
            assert!(g[1..].iter().all(|coefficient| *coefficient != E::ZERO));
            // Every line counts.
            for i in 0..lines.len() {
                let mut other = lines.clone();
                other[i].1 += E::ONE;
                assert_ne!(*polynomial(degree, &other), *polynomial(degree, &lines), "line {i}");
            }
        }
    }

    #[test]
    fn both_ends_have_one_polynomial() {
        ends_agree::<F61>();
        ends_agree::<F128>();
    }
}
