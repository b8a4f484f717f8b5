//! The factors of all claims, as values: what the prover keeps of its first pass.

use super::shares::Sizes;
use crate::challenges::{Challenges, power};
use crate::claim::{Entries, Weights};
use volery_primitives::{Arch, CheckField, Extension, Field};
use zeroize::Zeroizing;

/// Two vectors or matrices.
type Pair<T> = [Zeroizing<Vec<T>>; 2];

/// The left and the right factors of all claims.
pub(super) struct Factors<B: Field> {
    /// The factors of products of single values and of vectors, one after the other.
    sides: Pair<B>,
    /// The number of these factors so far.
    terms: usize,
    matrices: Vec<Product<B>>,
    runs: Vec<EntryRun>,
    /// The number of all entries so far, those of matrices included.
    length: usize,
}

/// A product of matrices.
struct Product<B: Field> {
    claim: u64,
    sizes: Sizes,
    sides: Pair<B>,
}

/// A run of consecutive entries.
struct EntryRun {
    /// The number of the first entry.
    first: usize,
    length: usize,
    of: Of,
}

/// The claim that an entry belongs to.
enum Of {
    /// Products from number `product` on, each of one entry (`step` is 1), or entries of this product alone
    /// (0).
    Products { place: usize, product: u64, step: u64 },
    /// A product of matrices.
    Matrices(usize),
}

impl<B: Field> Factors<B> {
    /// Room for `entries` entries, since a vector that grows leaves copies behind.
    pub(super) fn with_capacity(entries: usize) -> Self {
        let room = || Zeroizing::new(Vec::with_capacity(entries));
        Self { sides: [room(), room()], terms: 0, matrices: vec![], runs: vec![], length: 0 }
    }

    /// Appends entries, each with the product that it is a term of.
    pub(super) fn push(&mut self, sides: [impl Iterator<Item = B>; 2], products: &[u64]) {
        for &product in products {
            self.push_term(product);
        }
        for (values, side) in self.sides.iter_mut().zip(sides) {
            values.extend(side);
        }
    }

    fn push_term(&mut self, product: u64) {
        let (first, place) = (self.length, self.terms);
        self.length += 1;
        self.terms += 1;
        if let Some(EntryRun { length, of: Of::Products { product: start, step, .. }, .. }) =
            self.runs.last_mut()
        {
            if *length == 1 {
                *step = product - *start;
            }
            if *step <= 1 && product == *start + *step * *length as u64 {
                *length += 1;
                return;
            }
        }
        let of = Of::Products { place, product, step: 1 };
        self.runs.push(EntryRun { first, length: 1, of });
    }

    /// Appends a product of matrices, whose claim has number `claim`.
    pub(super) fn push_matrices(&mut self, claim: u64, sizes: Sizes, sides: Pair<B>) {
        let of = Of::Matrices(self.matrices.len());
        self.runs.push(EntryRun { first: self.length, length: sizes.inner, of });
        self.length += sizes.inner;
        self.matrices.push(Product { claim, sizes, sides });
    }
}

/// The factors of all claims, matrices combined by random vectors.
pub(super) struct Weighed<B: Field, E: CheckField> {
    factors: Factors<B>,
    /// For each product of matrices and each group, the left and right factors of its entries.
    matrices: Vec<Vec<Pair<E>>>,
}

impl<B: Field, E: Extension<B> + CheckField> Weighed<B, E> {
    /// Combines the matrices of `factors` by the challenges of all groups.
    pub(super) fn new(factors: Factors<B>, challenges: &Challenges<E>) -> Self {
        let groups = 0..challenges.groups();
        let matrices = factors.matrices.iter();
        let matrices = matrices.map(|it| groups.clone().map(|group| it.weigh(challenges, group)).collect());
        Self { matrices: matrices.collect(), factors }
    }
}

impl<B: Field> Product<B> {
    /// The vectors `R^claim · u^T A` and `B v`.
    fn weigh<E: Extension<B> + CheckField>(&self, challenges: &Challenges<E>, group: usize) -> Pair<E> {
        let Sizes { inner, columns, .. } = self.sizes;
        let [rho, sigma] = challenges.matrices[group];
        let mut left = Zeroizing::new(vec![<E as Field>::ZERO; inner]);
        let mut weight = power(challenges.batching[group], self.claim);
        for row in self.sides[0].chunks_exact(inner) {
            left.iter_mut().zip(row).for_each(|(sum, &entry)| *sum += weight.scale(entry));
            weight *= rho;
        }
        let horner =
            |row: &[B]| row.iter().rev().fold(<E as Field>::ZERO, |sum, &entry| sum * sigma + E::from(entry));
        let right = self.sides[1].chunks_exact(columns).map(horner).collect();
        [left, Zeroizing::new(right)]
    }
}

impl<B: Field, E: Extension<B> + CheckField> Entries<E> for Weighed<B, E> {
    fn length(&self) -> usize {
        self.factors.length
    }

    fn fill(&self, arch: Arch, weights: Weights<E>, from: usize, [left, right]: [&mut [E]; 2]) {
        let Factors { sides, runs, .. } = &self.factors;
        let mut at = 0;
        let run = runs.partition_point(|run| run.first <= from) - 1;
        for EntryRun { first, length, of } in &runs[run..] {
            if at == left.len() {
                break;
            }
            let skipped = from + at - first;
            let count = (length - skipped).min(left.len() - at);
            let (left, right) = (&mut left[at..at + count], &mut right[at..at + count]);
            at += count;
            match of {
                Of::Matrices(number) => {
                    let [x, y] = &self.matrices[*number][weights.group];
                    left.copy_from_slice(&x[skipped..skipped + count]);
                    right.copy_from_slice(&y[skipped..skipped + count]);
                }
                Of::Products { place, product, step } => {
                    match step {
                        0 => left.fill(weights.powers.at(*product)),
                        _ => weights.powers.fill(arch, product + skipped as u64, left),
                    }
                    let [x, y] = sides.each_ref().map(|side| &side[place + skipped..place + skipped + count]);
                    left.iter_mut().zip(x).for_each(|(weight, &x)| *weight = weight.scale(x));
                    right.iter_mut().zip(y).for_each(|(right, &y)| *right = E::from(y));
                }
            }
        }
    }
}
