//! Public values as snarkjs writes them, `public.json`: a list of numbers, mostly in quotes.

use volery_channel::error::{Error, Result};

/// The numbers of a list in a JSON text, at most `most`.
///
/// # Errors
/// `Invalid` where it is no such list, or one of more numbers.
pub fn public_json(text: &[u8], most: usize) -> Result<Vec<String>> {
    let mut rest = text.trim_ascii();
    let invalid = |why: &str, rest: &[u8]| {
        let at = text.trim_ascii_end().len() - rest.len();
        Error::invalid(format!(
            "byte {at}: {why}: a public.json is a list of numbers in quotes, [\"33\",\"7\"]"
        ))
    };
    rest = rest.strip_prefix(b"[").ok_or_else(|| invalid("there is no [", rest))?.trim_ascii_start();
    let mut numbers = Vec::new();
    while rest.first() != Some(&b']') {
        if !numbers.is_empty() {
            rest =
                rest.strip_prefix(b",").ok_or_else(|| invalid("neither , nor ]", rest))?.trim_ascii_start();
        }
        if numbers.len() == most {
            return Err(invalid(&format!("more than {most} numbers, one for each public signal"), rest));
        }
        let begin = rest;
        let quoted = rest.strip_prefix(b"\"");
        rest = quoted.unwrap_or(rest);
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        let (number, behind) = rest.split_at(length);
        rest = behind;
        if quoted.is_some() {
            rest =
                rest.strip_prefix(b"\"").ok_or_else(|| invalid("a number does not end in a quote", begin))?;
        }
        if number.is_empty() {
            return Err(invalid("there is no number", begin));
        }
        numbers.push(String::from_utf8_lossy(number).into_owned());
        rest = rest.trim_ascii_start();
    }
    if rest.len() > 1 {
        return Err(invalid("something stands behind the list", &rest[1..]));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let cases: [(&str, &[&str]); 5] = [
            ("[]", &[]),
            ("[\"33\"]", &["33"]),
            ("\n[\n \"1\",\n \"0x2a\"\n]\n", &["1", "0x2a"]),
            ("[1, 2 ,-3]", &["1", "2", "-3"]),
            ("[ ]", &[]),
        ];
        for (text, numbers) in cases {
            assert_eq!(public_json(text.as_bytes(), numbers.len()).unwrap(), numbers, "{text}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let cases = [
            ("", "byte 0: there is no ["),
            ("{\"a\": 1}", "byte 0: there is no ["),
            ("[1", "byte 2: neither , nor ]"),
            ("[1 2]", "byte 3: neither , nor ]"),
            ("[1,]", "byte 3: there is no number"),
            ("[\"\"]", "byte 1: there is no number"),
            ("[\"1]", "byte 1: a number does not end in a quote"),
            ("[[1]]", "byte 1: there is no number"),
            ("[1]]", "byte 3: something stands behind the list"),
            (" [1] x", "byte 4: something stands"),
            ("[1, 2, 3]", "byte 7: more than 2 numbers"),
        ];
        for (text, why) in cases {
            let found = public_json(text.as_bytes(), 2).unwrap_err().to_string();
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}
