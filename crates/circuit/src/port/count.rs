//! How many instances of a statement the options behind its name ask for.

use volery_channel::error::{Error, Result};

/// The key that asks for several.
pub const COUNT: &str = "count";

/// The most instances.
const MOST: u64 = 1 << 24;

/// Takes [`COUNT`] out of the options `key=value&…` of the statement that is called `what`: the others, and how
/// many instances there are to be, one where it is not said.
///
/// # Errors
/// `Invalid` where it is no number of instances, or is given twice.
pub fn take_count(what: &str, options: &str) -> Result<(String, u64)> {
    let mut found = None;
    let mut others = Vec::new();
    for pair in options.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if key != COUNT {
            others.push(pair);
            continue;
        }
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let count = value.parse().ok().filter(|_| digits).ok_or_else(|| {
            Error::invalid(format!("{what} with {COUNT}={value:?}: write a decimal number"))
        })?;
        check_count(what, count)?;
        if found.replace(count).is_some() {
            return Err(Error::invalid(format!("{what} is given {COUNT} twice: give it once")));
        }
    }
    Ok((others.join("&"), found.unwrap_or(1)))
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
