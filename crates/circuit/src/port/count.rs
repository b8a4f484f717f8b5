//! How many instances of a statement the options behind its name ask for, and how they are proved.

use core::fmt::{self, Display, Formatter};
use volery_channel::error::{Error, Result};

/// The key that asks for several.
pub const COUNT: &str = "count";

/// The key that says how many of them are one map.
pub const LANES: &str = "lanes";

/// The most instances.
const MOST: u64 = 1 << 24;

/// The most lanes of a map.
const MOST_LANES: u64 = 1 << 16;

/// The instances of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// How many there are.
    pub instances: u64,
    /// How many of them are one map at most, where they are one function.
    pub lanes: u64,
}

impl Repeat {
    /// The lanes where nothing is said: enough for all threads, and so few that public bits take little memory.
    pub const LANES: u64 = 2048;

    /// Repeats a statement so many times, in maps of [`Repeat::LANES`].
    pub const fn of(instances: u64) -> Self {
        Self { instances, lanes: Self::LANES }
    }

    /// Takes [`COUNT`], and where it asks for several [`LANES`], out of the options `key=value&…` of the statement
    /// that is called `what`: the others, and the instances, one where it is not said.
    ///
    /// # Errors
    /// `Invalid` where a value is none, or is given twice.
    pub fn take(what: &str, options: &str) -> Result<(String, Self)> {
        let (others, instances) = take_number(what, options, COUNT)?;
        let instances = instances.unwrap_or(1);
        check_count(what, instances)?;
        if instances == 1 {
            return Ok((others, Self::of(1)));
        }
        let (others, lanes) = take_number(what, &others, LANES)?;
        let lanes = lanes.unwrap_or(Self::LANES);
        check_lanes(what, lanes)?;
        Ok((others, Self { instances, lanes }))
    }

    /// The name with the options that ask for it, behind those of one.
    pub fn named(&self, name: &str) -> String {
        let joined = if name.contains('?') { '&' } else { '?' };
        format!("{name}{joined}{self}")
    }
}

impl Display for Repeat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{COUNT}={}", self.instances)?;
        if self.lanes != Self::LANES {
            write!(f, "&{LANES}={}", self.lanes)?;
        }
        Ok(())
    }
}

/// Takes the number of `key` out of `options`.
fn take_number(what: &str, options: &str, key: &str) -> Result<(String, Option<u64>)> {
    let mut found = None;
    let mut others = Vec::new();
    for pair in options.split('&') {
        let (of, value) = pair.split_once('=').unwrap_or((pair, ""));
        if of != key {
            others.push(pair);
            continue;
        }
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let number =
            value.parse().ok().filter(|_| digits).ok_or_else(|| {
                Error::invalid(format!("{what} with {key}={value:?}: write a decimal number"))
            })?;
        if found.replace(number).is_some() {
            return Err(Error::invalid(format!("{what} is given {key} twice: give it once")));
        }
    }
    Ok((others.join("&"), found))
}

/// Demands that so many instances can be stated of what is called `what`.
///
/// # Errors
/// `Invalid` where there are none, or too many.
pub fn check_count(what: &str, count: u64) -> Result<()> {
    if (1..=MOST).contains(&count) {
        return Ok(());
    }
    Err(Error::invalid(format!("{what} with {COUNT}={count}: choose from 1 to {MOST} instances")))
}

/// Demands that a map of what is called `what` can have so many lanes.
///
/// # Errors
/// `Invalid` where they are none, odd, or too many.
pub fn check_lanes(what: &str, lanes: u64) -> Result<()> {
    if (2..=MOST_LANES).contains(&lanes) && lanes.is_multiple_of(2) {
        return Ok(());
    }
    Err(Error::invalid(format!("{what} with {LANES}={lanes}: choose an even number from 2 to {MOST_LANES}")))
}
