//! The key of a run.

use super::Run;
use volery_channel::error::{Error, Result};
use volery_channel::random::Random;
use volery_proof::options::Options;
use volery_proof::setting::Setting;
use zeroize::Zeroizing;

/// The verifier's global key of one run: drawn for it, given to all its workers, and forgotten with it. Wiped
/// on drop.
pub struct RunDelta {
    run: [u8; 32],
    setting: String,
    bytes: Zeroizing<Vec<u8>>,
}

impl RunDelta {
    /// A fresh key for `run` over `S`.
    ///
    /// # Errors
    /// `Io` where the system has no randomness to give.
    pub fn fresh<S: Setting>(run: &Run, options: &Options) -> Result<Self> {
        // Over a prime that is chosen at run time it says so, where none was.
        let setting = S::name();
        let mut random = match &options.seed {
            Some(seed) => Random::from_seed(&run.named(seed, "volery run of shards v1, seed of the key")),
            None => Random::from_system()?,
        };
        Ok(Self::new(run, setting, S::store_delta(&S::delta(&mut random))))
    }

    fn new(run: &Run, setting: String, bytes: Zeroizing<Vec<u8>>) -> Self {
        Self { run: run.digest(), setting, bytes }
    }

    /// The bytes by which another worker of the verifier comes to have it, and nobody else.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.bytes.clone()
    }

    /// The key of `run` over `S` that these bytes store, which are [`RunDelta::to_bytes`] of another worker.
    ///
    /// # Errors
    /// `Invalid` where they store none.
    pub fn from_bytes<S: Setting>(run: &Run, bytes: &[u8]) -> Result<Self> {
        S::load_delta(bytes).ok_or_else(|| {
            Error::invalid(format!(
                "these are not the bytes of a key over {}: take those of the run",
                S::name()
            ))
        })?;
        Ok(Self::new(run, S::name(), Zeroizing::new(bytes.to_vec())))
    }

    /// The key itself.
    ///
    /// # Errors
    /// `Invalid` where it is of another run or setting.
    pub(super) fn of<S: Setting>(&self, run: &Run) -> Result<S::Delta> {
        if self.run != run.digest() || self.setting != S::name() {
            return Err(Error::invalid(format!(
                "a key of another run, or over {} and not {}: each run has a key of its own",
                self.setting,
                S::name()
            )));
        }
        S::load_delta(&self.bytes).ok_or_else(|| Error::invalid("these are not the bytes of a key"))
    }
}
