//! Numbers as people read them.

use std::time::Duration;

/// `value` in three digits or so, with a decimal prefix, for a unit to follow.
pub fn human(value: f64) -> String {
    for (size, prefix) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        // Values that would be rounded up to the prefix have it.
        if value >= 0.9995 * size {
            return format!("{} {prefix}", three_digits(value / size));
        }
    }
    format!("{} ", three_digits(value))
}

/// [`human`] with nothing behind the prefix.
pub fn count(value: f64) -> String {
    human(value).trim_end().into()
}

fn three_digits(value: f64) -> String {
    if value == value.trunc() && value < 1000.0 {
        format!("{value}")
    } else if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A duration in the unit that suits it.
pub fn seconds(value: f64) -> String {
    if value >= 0.9995 {
        format!("{} s", three_digits(value))
    } else if value >= 0.000_999_5 {
        format!("{} ms", three_digits(value * 1e3))
    } else if value >= 0.000_000_999_5 {
        format!("{} µs", three_digits(value * 1e6))
    } else {
        format!("{} ns", three_digits(value * 1e9))
    }
}

/// `number` with its digits in threes.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `number` of a thing, whose plural is regular.
pub fn things(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// How long prover and verifier worked, each behind a comma, where that is known.
pub fn worked(work: [Option<Duration>; 2]) -> String {
    let worked = ["prover", "verifier"].into_iter().zip(work);
    worked.filter_map(|(who, work)| Some(format!(", {who} {}", seconds(work?.as_secs_f64())))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let texts = [0.0, 7.0, 999.0, 1000.0, 1234.0, 99_960.0, 123_456.0, 999_999.0, 2.5e7].map(human);
        assert_eq!(texts, ["0 ", "7 ", "999 ", "1 k", "1.23 k", "100 k", "123 k", "1.00 M", "25 M"]);
        assert_eq!([1, 1000, 1234567].map(grouped), ["1", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 2].map(|bits| things(bits, "bit")), ["0 bits", "1 bit", "2 bits"]);
        assert_eq!([2.0, 0.5, 12.5e-6, 3.25e-9].map(seconds), ["2 s", "500 ms", "12.5 µs", "3.25 ns"]);
    }
}
