//! The age of an answer: its fields `Date` (RFC 9110 section 6.6.1) and `Age` (RFC 9111 section 5.1), against a clock.
//!
//! A server that caches may repeat what was true long ago. `Date` says when the answer was made, and one that is
//! further from the clock than the terms allow is refused; `Age` is reported, as is that either is missing.
//!
//! **Deviations.** Of the three forms of dates (RFC 9110 section 5.6.7) the first alone is read, which is the one that
//! servers have to write. A second that is inserted, 60, is none.

use crate::http::Head;
use crate::session::Time;
use core::time::Duration;

/// Fields of an answer that say how old it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freshness {
    /// The time at which it was made, in seconds since 1970, if it says so.
    pub date: Option<u64>,
    /// The seconds for which a cache had it, if it says so.
    pub age: Option<u64>,
}

/// Reasons for which an answer is not fresh.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Stale {
    /// A field stands there twice.
    #[error("the field {0} stands there twice")]
    Twice(&'static str),
    /// A field is none of its kind, or hidden.
    #[error("the field {0} is malformed")]
    Malformed(&'static str),
    /// The date is too far from the clock.
    #[error("its Date is {off} s from the clock, and {allowed} s are allowed")]
    Clock {
        /// The seconds between both.
        off: u64,
        /// The seconds that the terms allow.
        allowed: u64,
    },
}

impl Freshness {
    /// The freshness that `head` states, of an answer over a connection that was opened and closed at these times,
    /// where its date may be off by `allowed`.
    ///
    /// # Errors
    /// `Stale` where a field is malformed, or the date is off by more.
    pub fn of(head: &Head, [opened, closed]: [Time; 2], allowed: Duration) -> Result<Self, Stale> {
        let date = read(head, "date", date)?;
        let age = read(head, "age", digits)?;
        let allowed = allowed.as_secs();
        let off = date.map_or(0, |date| {
            opened.as_secs().saturating_sub(date).max(date.saturating_sub(closed.as_secs()))
        });
        if off > allowed { Err(Stale::Clock { off, allowed }) } else { Ok(Self { date, age }) }
    }
}

/// The one value of a field, as `parse` reads it.
fn read(head: &Head, name: &'static str, parse: fn(&str) -> Option<u64>) -> Result<Option<u64>, Stale> {
    let mut fields = head.fields.iter().filter(|field| field.name == name);
    let Some(field) = fields.next() else { return Ok(None) };
    if fields.next().is_some() {
        return Err(Stale::Twice(name));
    }
    field.shown().and_then(|text| parse(&text)).map(Some).ok_or(Stale::Malformed(name))
}

/// The number that digits alone make, and few of them.
fn digits(text: &str) -> Option<u64> {
    let are_digits = (1..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| are_digits)
}

/// The seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<u64> {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    if text.len() != 29 || !text.is_ascii() {
        return None;
    }
    let number = |at: usize, length: usize| digits(&text[at..at + length]);
    let (day, year) = (number(5, 2)?, number(12, 4)?);
    let month = MONTHS.iter().position(|name| *name == &text[8..11])?;
    let (hour, minute, second) = (number(17, 2)?, number(20, 2)?, number(23, 2)?);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = |month: usize| match month {
        1 => 28 + u64::from(is_leap(year)),
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    };
    if year < 1970 || !(1..=length(month)).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let years: u64 = (1970..year).map(|year| 365 + u64::from(is_leap(year))).sum();
    let days = years + (0..month).map(length).sum::<u64>() + day - 1;
    // All that is no number stands where it has to.
    let weekday = WEEKDAYS[(days % 7) as usize];
    let written =
        format!("{weekday}, {day:02} {} {year:04} {hour:02}:{minute:02}:{second:02} GMT", MONTHS[month]);
    (written == text).then_some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Field;
    use crate::skeleton::Byte;

    #[test]
    fn dates_are_read() {
        assert_eq!(date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(date("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(date("Sun, 17 Mar 2030 17:46:40 GMT"), Some(1_900_000_000));
        for text in [
            "",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:60 GMT",
            "Sun, 06 Nov 1994 +8:49:37 GMT",
            "Wed, 29 Feb 2023 00:00:00 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 GM\u{e9}",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn answers_are_fresh() {
        let head = |fields: &[(&str, &str)]| {
            let field = |(name, value): &(&str, &str)| Field {
                name: (*name).into(),
                value: value.bytes().map(Byte::Shown).collect(),
            };
            Head { start: "HTTP/1.1 200 OK".into(), fields: fields.iter().map(field).collect() }
        };
        let at = |seconds| Time::since_unix_epoch(Duration::from_secs(seconds));
        let of = |fields: &[(&str, &str)], opened: u64| {
            Freshness::of(&head(fields), [at(opened), at(opened + 10)], Duration::from_secs(300))
        };
        let (date, now) = ("Sun, 17 Mar 2030 17:46:40 GMT", 1_900_000_000);
        assert_eq!(of(&[], now), Ok(Freshness { date: None, age: None }));
        let both = [("date", date), ("age", "20")];
        for opened in [now, now + 300, now - 310] {
            assert_eq!(of(&both, opened), Ok(Freshness { date: Some(now), age: Some(20) }));
        }
        for opened in [now + 301, now - 311] {
            assert_eq!(of(&both, opened), Err(Stale::Clock { off: 301, allowed: 300 }));
        }
        assert_eq!(of(&[("date", date), ("date", date)], now), Err(Stale::Twice("date")));
        assert_eq!(of(&[("age", "1"), ("age", "1")], now), Err(Stale::Twice("age")));
        assert_eq!(of(&[("date", "yesterday")], now), Err(Stale::Malformed("date")));
        for age in ["", "-1", "+1", "1.5", "12345678901"] {
            assert_eq!(of(&[("age", age)], now), Err(Stale::Malformed("age")));
        }
    }
}
