//! A statement in shards, as one party has it: what its coordinator plans, and what a worker does.

use crate::built::AnyBuilt;
use crate::errors::Result;
use std::sync::Arc;
use volery::channel::Party;
use volery::{AnyClaim, AnyStatement, Options};
use volery_cli::fields::Field;
use volery_cluster::Work;
use zeroize::Zeroizing;

/// A party's part of a statement.
pub(crate) enum Held {
    /// A verifier: the statement.
    Open(Box<dyn AnyStatement>),
    /// A prover: the statement and the whole witness.
    Claim(Box<dyn AnyClaim>),
    /// A prover's worker: the statement, and what one shard reads of the witness.
    Share(Box<dyn AnyStatement>, Zeroizing<Vec<u8>>),
    /// Either: a function, and the digest of all its shards.
    Function(Party, Arc<dyn AnyBuilt>, [u8; 32]),
}

/// A statement in shards, for one party.
pub(crate) struct InShards {
    pub(crate) held: Held,
    pub(crate) shards: usize,
    pub(crate) field: Field,
    /// The options of each shard's proof.
    pub(crate) options: Options,
}

impl InShards {
    /// The work on the statement of these shards.
    ///
    /// # Errors
    /// Where it does not fall into so many shards.
    pub(crate) fn work(&self) -> Result<Work<'_>> {
        let Self { held, shards, field, options } = self;
        let options = options.clone();
        Ok(match held {
            Held::Open(statement) => Work::verify(*field, &**statement, *shards, options)?,
            Held::Claim(claim) => Work::prove(*field, &**claim, *shards, options)?,
            Held::Share(statement, share) => {
                Work::prove_share(*field, &**statement, *shards, share.clone(), options)?
            }
            Held::Function(party, built, statement) => built.work(*party, *statement, options)?,
        })
    }

    fn statement(&self) -> Option<&dyn AnyStatement> {
        match &self.held {
            Held::Open(statement) | Held::Share(statement, _) => Some(&**statement),
            Held::Claim(claim) => Some(claim.statement()),
            Held::Function(..) => None,
        }
    }

    /// The function, where it is one.
    pub(crate) fn built(&self) -> Option<&Arc<dyn AnyBuilt>> {
        match &self.held {
            Held::Function(_, built, _) => Some(built),
            _ => None,
        }
    }

    /// The public values of a relation, as texts for workers.
    pub(crate) fn public(&self) -> Vec<String> {
        let values = self.statement().map(|statement| statement.public()).unwrap_or_default();
        values.into_iter().map(|(port, value)| format!("{}={value}", port.name)).collect()
    }

    /// Warnings about the statement.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.statement().map(AnyStatement::warnings).unwrap_or_default()
    }

    /// The whole witness against the whole statement, in the clear.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.held {
            Held::Claim(claim) => Ok(claim.check()?),
            Held::Function(Party::Prover, built, _) => Ok(built.check_shards()?),
            _ => Ok(()),
        }
    }

    /// The part of the witness that a worker of the prover has to know, as secret as the whole. Nothing at
    /// the verifier.
    pub(crate) fn share(&self, shard: usize) -> Result<Zeroizing<Vec<u8>>> {
        match &self.held {
            Held::Claim(claim) => Ok(claim.share(self.shards, shard)?),
            _ => Ok(Zeroizing::default()),
        }
    }
}
