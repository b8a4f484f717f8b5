//! Targets of requests, of which some words are hidden: `/v1/accounts/{hidden}/balance`.
//!
//! A hidden word is a whole segment of the path, or a whole value of the query, and consists of letters, digits, `-` and
//! `_` alone: no server resolves it, decodes it, or takes it for two.

use crate::opening::Hidden;
use crate::skeleton::Byte;
use crate::statement::is_of_word;
use core::ops::Range;

/// The place of a hidden word in a target.
const HIDDEN: &str = "{hidden}";
/// The most bytes of a hidden word.
const MOST: usize = 256;

/// The parts of a target between the words that are hidden.
fn literals(target: &str) -> Vec<&str> {
    target.split(HIDDEN).collect()
}

/// Whether a target is in origin form, and hides whole segments and values at most.
pub(crate) fn is_target(target: &str) -> bool {
    let literals = literals(target);
    let is_shown = |byte: u8| (0x21..0x7f).contains(&byte) && !matches!(byte, b'#' | b'{' | b'}');
    let is_end = |byte: Option<u8>| matches!(byte, None | Some(b'/' | b'?' | b'&'));
    target.starts_with('/')
        && literals.iter().all(|literal| literal.bytes().all(is_shown))
        && literals.windows(2).enumerate().all(|(i, pair)| {
            // Behind the last one may be nothing.
            let may_end = i + 2 == literals.len() || !pair[1].is_empty();
            pair[0].ends_with(['/', '=']) && may_end && is_end(pair[1].bytes().next())
        })
}

/// How many words of it are hidden.
pub(crate) fn words(target: &str) -> usize {
    literals(target).len() - 1
}

/// The target with these words, as many as are hidden: `None` where one is no word.
pub(crate) fn with(target: &str, hidden: &[&[u8]]) -> Option<Vec<u8>> {
    let (first, rest) = literals(target).split_first().map(|(first, rest)| (*first, rest.to_vec()))?;
    let mut bytes = first.as_bytes().to_vec();
    for (word, literal) in hidden.iter().zip(rest) {
        if !(1..=MOST).contains(&word.len()) || !word.iter().all(|byte| is_of_word(*byte)) {
            return None;
        }
        bytes.extend_from_slice(word);
        bytes.extend(literal.bytes());
    }
    Some(bytes)
}

/// The places of hidden words in a target that has them, of which no byte is hidden yet.
pub(crate) fn hidden_in(target: &str, bytes: &[u8]) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut places = Vec::new();
    for literal in literals(target) {
        if !places.is_empty() || at > 0 {
            let length = bytes.iter().skip(at).take_while(|byte| is_of_word(**byte)).count();
            places.push(at..at + length);
            at += length;
        }
        at += literal.len();
    }
    places
}

/// Whether bytes are a target with words that are hidden, and all else shown.
pub(crate) fn is_of(target: &str, mut bytes: &[Byte]) -> bool {
    for (i, literal) in literals(target).iter().enumerate() {
        if i > 0 {
            let length = bytes.iter().take_while(|byte| **byte == Byte::Hidden(Hidden::Word)).count();
            if length == 0 {
                return false;
            }
            bytes = &bytes[length..];
        }
        let shown = bytes.iter().map_while(|byte| byte.shown());
        if !shown.take(literal.len()).eq(literal.bytes()) {
            return false;
        }
        bytes = &bytes[literal.len()..];
    }
    bytes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_hidden_where_the_target_says() {
        for (target, is) in [
            ("/", true),
            ("/v1/{hidden}", true),
            ("/v1/{hidden}/x?a={hidden}&b=1", true),
            ("/{hidden}/{hidden}", true),
            ("/{hidden}{hidden}", false),
            ("/v1{hidden}", false),
            ("/v1/{hidden}x", false),
            ("/{hidden}.json", false),
            ("/{hid}", false),
            ("{hidden}", false),
            ("/a b", false),
            ("/a#b", false),
            ("http://a/", false),
        ] {
            assert_eq!(is_target(target), is, "{target}");
        }
        let target = "/v1/{hidden}/x?a={hidden}";
        assert_eq!(words(target), 2);
        let bytes = with(target, &[b"D-1_", b"z9"]).unwrap();
        assert_eq!(bytes, b"/v1/D-1_/x?a=z9");
        assert_eq!(hidden_in(target, &bytes), [4..8, 13..15]);
        for word in [&b""[..], b"..", b"a/b", b"%2e", b"a b", &[b'a'; 257]] {
            assert_eq!(with(target, &[b"a", word]), None);
        }
        let mut all: Vec<_> = bytes.iter().map(|byte| Byte::Shown(*byte)).collect();
        assert!(!is_of(target, &all));
        for place in hidden_in(target, &bytes) {
            all[place].fill(Byte::Hidden(Hidden::Word));
        }
        assert!(is_of(target, &all) && !is_of("/v1/{hidden}/x?a=z9", &all) && !is_of("/", &all));
        assert!(!is_of(target, &[&all[..], &[Byte::Shown(b'/')]].concat()));
        assert!(!is_of(target, &all[..13]) && is_of(target, &all[..14]));
        all[5] = Byte::Hidden(Hidden::Value);
        assert!(!is_of(target, &all));
    }
}
