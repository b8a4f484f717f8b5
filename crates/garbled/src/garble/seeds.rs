//! The seeds of m clauses, of which the prover may have all but one.
//!
//! | name | transfers | of the verifier | the prover chooses |
//! |---|---|---|---|
//! | `tree` | h = ⌈log₂ m⌉ | for each level of a tree of 2^h leaves, the sums of the nodes on the left and on the right | the side of the sibling of the path to its clause |
//! | `each` | m (none for one clause) | the seed of clause i, and the proof of retrieval | the latter for its clause, the former for others |
//!
//! `each` is the paper's (Heath and Kolesnikov, EUROCRYPT 2020, section 3). The output of the stack has a
//! part that only those know who gave up a seed, the **key of retrieval**. In `each` it is the proof of
//! retrieval: a prover that takes all seeds is without it, and one that takes it several times lacks several
//! seeds, whose materials it cannot take apart: given all of them but one, it could answer only where its
//! inputs satisfy the clause of that one. In `tree` whatever bits a prover chooses name a leaf, and it can
//! compute all others and not this one. Where 2^h > m, that leaf may be one of no clause; so the key is the
//! sum of a hash of each leaf of no clause: zero where there is none, known to all who lack the seed of a
//! clause, and unknown to those who lack another leaf.
//!
//! A verifier that sends sums of no tree, or several proofs of retrieval, is found out when its transfers are
//! compared with those that follow from its secret.

use super::{Secret, Session};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use volery_primitives::hash::Digest;
use volery_primitives::{F2, F128};
use volery_vole::commit::ggm::{Tree, side};
use zeroize::Zeroizing;

/// How seeds are transferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Seeds {
    /// Seeds are the leaves of a punctured tree.
    #[default]
    Tree,
    /// Seeds are transferred one by one, as in the paper.
    Each,
}

/// The seeds and the key of retrieval that a party has.
pub struct Handed {
    /// A seed for each clause; that of the prover's clause is arbitrary.
    pub seeds: Zeroizing<Vec<F128>>,
    /// The key of retrieval.
    pub retrieval: F128,
}

impl Seeds {
    /// All ways of transfer.
    pub const ALL: [Self; 2] = [Self::Tree, Self::Each];

    /// The name on the wire, in options and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Each => "each",
        }
    }

    /// The number of transfers for so many clauses.
    pub fn transfers(self, clauses: usize) -> usize {
        match (self, clauses) {
            (Self::Tree, _) => depth(clauses),
            (Self::Each, 1) => 0,
            (Self::Each, _) => clauses,
        }
    }

    /// The verifier's seeds and its messages for the transfers.
    pub fn offer(
        self,
        session: &Session,
        secret: &Secret,
        clauses: usize,
    ) -> (Handed, Zeroizing<Vec<[F128; 2]>>) {
        match self {
            Self::Tree => {
                let tree = tree(session);
                let mut nodes = Zeroizing::new(vec![secret.root(session)]);
                let mut sums = Zeroizing::new(Vec::new());
                for level in 0..depth(clauses) {
                    nodes = tree.children(level, &nodes);
                    sums.push([side(&nodes, 0), side(&nodes, 1)]);
                }
                (Handed::of_leaves(session, nodes, clauses), sums)
            }
            Self::Each => {
                let seeds = (0..clauses).map(|clause| secret.seed(session, clause));
                let seeds: Zeroizing<Vec<F128>> = Zeroizing::new(seeds.collect());
                let retrieval = if clauses == 1 { F128::default() } else { secret.retrieval(session) };
                let pairs = seeds.iter().map(|seed| [*seed, retrieval]).take(self.transfers(clauses));
                let pairs = Zeroizing::new(pairs.collect());
                (Handed { seeds, retrieval }, pairs)
            }
        }
    }

    /// The prover's choices, whose clause is number `chosen`.
    pub fn choices(self, clauses: usize, chosen: usize) -> impl Iterator<Item = F2> {
        let transfers = self.transfers(clauses);
        (0..transfers).map(move |number| match self {
            Self::Tree => F2::from(chosen >> (transfers - 1 - number) & 1 == 0),
            Self::Each => F2::from(number == chosen),
        })
    }

    /// The prover's seeds, from the messages that it chose.
    pub fn take(self, session: &Session, clauses: usize, chosen: usize, messages: &[F128]) -> Handed {
        match self {
            Self::Tree => {
                let leaves = tree(session).punctured(messages, chosen as u64);
                Handed::of_leaves(session, leaves, clauses)
            }
            Self::Each if clauses == 1 => {
                Handed { seeds: Zeroizing::new(vec![F128::default()]), retrieval: F128::default() }
            }
            Self::Each => {
                let mut retrieval = F128::default();
                for (clause, message) in messages.iter().enumerate() {
                    retrieval.0.conditional_assign(&message.0, (clause as u64).ct_eq(&(chosen as u64)));
                }
                Handed { seeds: Zeroizing::new(messages.to_vec()), retrieval }
            }
        }
    }
}

impl Handed {
    /// Splits the leaves of a tree into the clauses' seeds and the key of retrieval, which follows from the
    /// leaves that belong to no clause.
    fn of_leaves(session: &Session, mut leaves: Zeroizing<Vec<F128>>, clauses: usize) -> Self {
        let keys = leaves[clauses..].iter().map(|leaf| {
            let digest = Digest::new("volery garbling v1, key of retrieval").field(&session.sid);
            F128::from_bytes(digest.field(&leaf.to_bytes()).finish())
        });
        let retrieval = keys.fold(F128::default(), |sum, key| sum ^ key);
        leaves.truncate(clauses);
        Self { seeds: leaves, retrieval }
    }
}

fn tree(session: &Session) -> Tree {
    Tree::new(Digest::new("volery garbling v1, tree of seeds").field(&session.sid).finish(), 0)
}

/// h: the depth of the smallest tree with so many leaves.
fn depth(clauses: usize) -> usize {
    clauses.next_power_of_two().ilog2() as usize
}

#[cfg(test)]
mod tests;
