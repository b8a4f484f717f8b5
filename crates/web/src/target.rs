//! Targets of requests, of which some words are hidden: `/v1/accounts/{hidden}?of={hidden}`.
//!
//! A hidden word is a whole segment of the path, or a whole value of the query, and consists of letters, digits, `-` and
//! `_` alone: no server resolves it, decodes it, or takes it for two. Beside it stands nothing by which one may find
//! another path, or another host.

use crate::opening::Hidden;
use crate::skeleton::Byte;
use crate::statement::is_of_word;
use core::ops::Range;
use zeroize::Zeroizing;

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
    let is_shown = |byte: u8| (0x21..0x7f).contains(&byte) && !matches!(byte, b'#' | b'{' | b'}');
    if !target.starts_with('/') || !literals(target).iter().all(|literal| literal.bytes().all(is_shown)) {
        return false;
    }
    if words(target) == 0 {
        return true;
    }
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let is_whole = |part: &str| part == HIDDEN || !part.contains(HIDDEN);
    // Nothing that a server resolves or decodes.
    let is_plain = |segment: &str| !matches!(segment, "" | "." | "..") && !segment.contains(['%', ';', '\\']);
    // The last one may be empty.
    let segments = path[1..].strip_suffix('/').unwrap_or(&path[1..]);
    let is_path =
        segments.is_empty() || segments.split('/').all(|segment| is_whole(segment) && is_plain(segment));
    is_path
        && query.is_none_or(|query| {
            query.split('&').all(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                !name.contains(HIDDEN) && is_whole(value)
            })
        })
}

/// How many words of it are hidden.
pub(crate) fn words(target: &str) -> usize {
    literals(target).len() - 1
}

/// The target with these words, as many as are hidden: `None` where one is no word.
pub(crate) fn with(target: &str, hidden: &[&[u8]]) -> Option<Zeroizing<Vec<u8>>> {
    let is_word =
        |word: &&[u8]| (1..=MOST).contains(&word.len()) && word.iter().all(|byte| is_of_word(*byte));
    if !hidden.iter().all(is_word) {
        return None;
    }
    // Never moved, so that wiping it wipes all of it.
    let length = target.len() + hidden.iter().map(|word| word.len()).sum::<usize>();
    let mut bytes = Zeroizing::new(Vec::with_capacity(length));
    let mut words = hidden.iter();
    for (i, literal) in literals(target).into_iter().enumerate() {
        if i > 0 {
            bytes.extend_from_slice(words.next()?);
        }
        bytes.extend_from_slice(literal.as_bytes());
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
            if !(1..=MOST).contains(&length) {
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
            ("/{hidden}/?a={hidden}", true),
            ("/x={hidden}/y", false),
            ("/{hidden}&a", false),
            ("/a?p=/{hidden}", false),
            ("/a?x={hidden}/b", false),
            ("/a?{hidden}=b", false),
            ("/a;b={hidden}", false),
            ("/a;b/{hidden}", false),
            ("/v1/{hidden}/../b", false),
            ("/%2e%2e/{hidden}", false),
            ("//{hidden}/x", false),
            ("/v1/..;/x", true),
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
        assert_eq!(*bytes, b"/v1/D-1_/x?a=z9");
        assert_eq!(hidden_in(target, &bytes), [4..8, 13..15]);
        for word in [&b""[..], b"..", b"a/b", b"%2e", b"a b", &[b'a'; 257]] {
            assert!(with(target, &[b"a", word]).is_none());
        }
        let mut all: Vec<_> = bytes.iter().map(|byte| Byte::Shown(*byte)).collect();
        assert!(!is_of(target, &all));
        for place in hidden_in(target, &bytes) {
            all[place].fill(Byte::Hidden(Hidden::Word));
        }
        assert!(is_of(target, &all) && !is_of("/v1/{hidden}/x?a=z9", &all) && !is_of("/", &all));
        assert!(!is_of(target, &[&all[..], &[Byte::Shown(b'/')]].concat()));
        assert!(!is_of(target, &all[..13]) && is_of(target, &all[..14]));
        let long = [&all[..4], &[Byte::Hidden(Hidden::Word); 257], &all[8..]].concat();
        assert!(!is_of(target, &long) && is_of(target, &[&long[..4], &long[5..]].concat()));
        all[5] = Byte::Hidden(Hidden::Value);
        assert!(!is_of(target, &all));
    }
}
