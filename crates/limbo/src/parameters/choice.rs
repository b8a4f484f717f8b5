//! The shortest proof that is secure.

use super::{
    Challenges, CheckSize, Demand, LARGEST_COMPRESSION, MOST_ENTRIES, MOST_PARTIES, MOST_REPETITIONS,
    MOST_SECURITY, Mode, Parameters,
};
use core::cmp::Reverse;
use volery_channel::error::{Error, Result};

/// The cost to keep low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Preference {
    /// Little work: 16 parties.
    Speed,
    /// 64 parties.
    #[default]
    Balanced,
    /// A short proof: 256 parties, and as many rounds as shorten it.
    Size,
}

/// The parameters that the caller insists on; those that are `None` are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The cost to keep low.
    pub preference: Preference,
    /// n, the parties of a repetition.
    pub parties: Option<u32>,
    /// k, the factor of compression.
    pub compression: Option<u32>,
    /// l, the bits of the field of the check.
    pub field_bits: Option<u32>,
    /// Whether repetitions share their challenges.
    pub challenges: Option<Challenges>,
    /// τ, the number of repetitions.
    pub repetitions: Option<u32>,
}

impl Parameters {
    /// The parameters as wished for, and for the rest those of the shortest proof with so many bits of
    /// `security`, over one of the `fields`, which are not none. Of two equally short the one with the
    /// smaller field, then with fewer rounds.
    ///
    /// Where all is wished for, this is the check that a verifier makes of parameters that it was given.
    ///
    /// # Errors
    /// `Invalid` where a wish is out of its range, where nothing as wished for is as secure, or where
    /// `demand` or `security` is beyond what there is: 2^40 values or entries, 1 to 128 bits.
    pub fn choose(
        demand: &Demand,
        mode: Mode,
        security: u32,
        wishes: &Wishes,
        fields: &[CheckSize],
    ) -> Result<Self> {
        check(demand, security)?;
        let candidates = candidates(mode, security, wishes, fields)?;
        let secure = |it: &Self| it.security(demand, mode) >= security.into();
        let Some(repetitions) = wishes.repetitions else {
            return shortest(demand, &candidates, |candidate| candidate.completed(secure))
                .ok_or_else(|| no_field_suffices(security, &candidates));
        };
        shortest(demand, &candidates, |candidate| secure(candidate).then_some(*candidate)).ok_or_else(|| {
            let free = Wishes { repetitions: None, ..*wishes };
            let enough = Self::choose(demand, mode, security, &free, fields);
            enough.map_or_else(|error| error, |enough| too_few(repetitions, security, &enough))
        })
    }

    /// The parameters with the fewest repetitions, not below their own, with which they are `secure`.
    fn completed(self, secure: impl Fn(&Self) -> bool) -> Option<Self> {
        let with = |repetitions| Self { repetitions, ..self };
        if secure(&self) {
            return Some(self);
        }
        // Further repetitions make up for bad challenges, but not where one that is bad for any of them is
        // enough: more of them only make such a challenge likelier.
        let (mut too_few, mut enough) = (self.repetitions, MOST_REPETITIONS);
        if !secure(&with(enough)) {
            return None;
        }
        while enough - too_few > 1 {
            let middle = too_few.midpoint(enough);
            *(if secure(&with(middle)) { &mut enough } else { &mut too_few }) = middle;
        }
        Some(with(enough))
    }
}

/// The shortest proof among the candidates that `complete` completes.
fn shortest(
    demand: &Demand,
    candidates: &[Parameters],
    complete: impl Fn(&Parameters) -> Option<Parameters>,
) -> Option<Parameters> {
    let rank =
        |it: &Parameters| (it.proof_bits(demand), it.field.bits, Reverse(it.compression), it.challenges);
    let mut best: Option<Parameters> = None;
    for candidate in candidates {
        if best.is_none_or(|best| rank(candidate) < rank(&best)) {
            best = best.into_iter().chain(complete(candidate)).min_by_key(rank);
        }
    }
    best
}

/// All candidates that the wishes allow, with the repetitions that are wished for, or as many as a guess of
/// all hidden parties demands.
fn candidates(mode: Mode, security: u32, wishes: &Wishes, fields: &[CheckSize]) -> Result<Vec<Parameters>> {
    let parties = parties(wishes)?;
    let compressions = compressions(mode, wishes)?;
    let fields = fields_left(wishes, fields)?;
    let challenges = challenges(mode, wishes)?;
    let repetitions = wishes.repetitions.unwrap_or(security.div_ceil(parties.ilog2()));
    if !(1..=MOST_REPETITIONS).contains(&repetitions) {
        return Err(Error::invalid(format!("{repetitions} repetitions: take 1 to {MOST_REPETITIONS}")));
    }
    let mut candidates = Vec::new();
    for &field in &fields {
        for &challenges in challenges {
            for &compression in &compressions {
                candidates.push(Parameters { parties, compression, field, repetitions, challenges });
            }
        }
    }
    Ok(candidates)
}

fn parties(wishes: &Wishes) -> Result<u32> {
    let parties = wishes.parties.unwrap_or(match wishes.preference {
        Preference::Speed => 16,
        Preference::Balanced => 64,
        Preference::Size => 256,
    });
    if !(2..=MOST_PARTIES).contains(&parties) || !parties.is_power_of_two() {
        return Err(Error::invalid(format!(
            "{parties} parties: take a power of two from 2 to {MOST_PARTIES}"
        )));
    }
    Ok(parties)
}

fn compressions(mode: Mode, wishes: &Wishes) -> Result<Vec<u32>> {
    match wishes.compression {
        Some(k) if !(2..=LARGEST_COMPRESSION).contains(&k) => {
            Err(Error::invalid(format!("a compression by {k}: take 2 to {LARGEST_COMPRESSION}")))
        }
        Some(k) => Ok(vec![k]),
        // A round is a message to wait for; by 2 instead of by 4 there are twice as many.
        None if mode == Mode::Interactive && wishes.preference != Preference::Size => Ok(vec![4]),
        None => Ok(vec![2, 4, 8, 16, 32, 64]),
    }
}

fn fields_left(wishes: &Wishes, fields: &[CheckSize]) -> Result<Vec<CheckSize>> {
    let wished = |field: &CheckSize| wishes.field_bits.is_none_or(|bits| bits == field.bits);
    let left: Vec<_> = fields.iter().copied().filter(wished).collect();
    if left.is_empty() {
        let bits = wishes.field_bits.unwrap_or_default();
        let there: Vec<_> = fields.iter().map(|field| field.bits.to_string()).collect();
        return Err(Error::invalid(format!(
            "no check over a field of {bits} bits: here there are those of {}",
            there.join(", ")
        )));
    }
    Ok(left)
}

fn challenges(mode: Mode, wishes: &Wishes) -> Result<&'static [Challenges]> {
    match (mode, wishes.challenges) {
        (Mode::Interactive, Some(Challenges::Independent)) => Err(Error::invalid(
            "a verifier's coins are identical for all repetitions: independent challenges are for files",
        )),
        (Mode::Interactive, _) | (Mode::File, Some(Challenges::Identical)) => Ok(&[Challenges::Identical]),
        (Mode::File, Some(Challenges::Independent)) => Ok(&[Challenges::Independent]),
        (Mode::File, None) => Ok(&[Challenges::Identical, Challenges::Independent]),
    }
}

fn check(demand: &Demand, security: u32) -> Result<()> {
    if !(1..=MOST_SECURITY).contains(&security) {
        return Err(Error::invalid(format!(
            "{security} bits of security: seeds and digests are made for 1 to {MOST_SECURITY}"
        )));
    }
    if [demand.inputs, demand.products, demand.entries].into_iter().any(|count| count > MOST_ENTRIES) {
        return Err(Error::invalid("the statement has more than 2^40 inputs or multiplications: divide it"));
    }
    Ok(())
}

fn no_field_suffices(security: u32, candidates: &[Parameters]) -> Error {
    let bits = candidates.iter().map(|candidate| candidate.field.bits).max().unwrap_or_default();
    Error::invalid(format!(
        "no number of repetitions gives this statement {security} bits of security over a field of {bits} bits: take a \
         larger field, a smaller statement or less security"
    ))
}

fn too_few(repetitions: u32, security: u32, enough: &Parameters) -> Error {
    let Parameters { repetitions: needed, compression, field, .. } = enough;
    let given =
        if repetitions == 1 { "1 repetition does".into() } else { format!("{repetitions} repetitions do") };
    Error::invalid(format!(
        "{given} not give this statement {security} bits of security: {needed} do, with a compression \
         by {compression} over a field of {} bits",
        field.bits
    ))
}
