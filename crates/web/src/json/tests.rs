//! Texts that are read, and those that are not: attacks 10 of web proofs.

use super::*;
use proptest::prelude::*;

/// Bytes that are shown, but for those between `«` and `»`, which are hidden whole, and those between `‹` and `›`, which
/// are hidden digits.
fn bytes(text: &str) -> Vec<Byte> {
    let mut kind = None;
    let mut bytes = Vec::new();
    for c in text.chars() {
        match c {
            '«' => kind = Some(Byte::Hidden(Hidden::Whole)),
            '‹' => kind = Some(Byte::Hidden(Hidden::Digits)),
            '»' | '›' => kind = None,
            c => {
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|byte| kind.unwrap_or(Byte::Shown(byte))))
            }
        }
    }
    bytes
}

fn read(text: &str) -> Result<Json, Rule> {
    Json::read(&bytes(text)).map_err(|malformed| malformed.why)
}

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

/// The place of the value at a path.
fn at(text: &str, path: &str) -> Option<Range<usize>> {
    read(text).unwrap().at(&self::path(path)).map(|value| value.range.clone())
}

#[test]
fn values_have_paths() {
    let text = r#" {"owner": «"Alice", "it"», "price":{"cents":[1,‹23›.‹4›e5,-0]}, "é\u0041\ud83d\ude00":null, "":true } "#;
    assert_eq!(at(text, "$"), Some(1..bytes(text).len() - 1));
    let value = |path: &str| {
        let shown = |byte: &Byte| byte.shown().map_or('?', char::from);
        at(text, path).map(|range| bytes(text)[range].iter().map(shown).collect::<String>())
    };
    assert_eq!(value("$.owner").unwrap(), "?????????????");
    assert_eq!(value("$.price.cents[1]").unwrap(), "??.?e5");
    assert_eq!(value("$.price[\"cents\"][2]").unwrap(), "-0");
    assert_eq!(value("$[\"éA😀\"]").unwrap(), "null");
    assert_eq!(value("$[\"\"]").unwrap(), "true");
    for none in ["$.cents", "$.price.cents[3]", "$.price[0]", "$[0]", "$.Al"] {
        assert_eq!(value(none), None, "{none}");
    }
    for text in ["", "a", "$a", "$.", "$..a", "$[a]", "$[\"a]", "$[1", "$[-1]", "$.a b", "$.*"] {
        assert!(text.parse::<Path>().is_err(), "{text}");
    }
}

/// Look-alikes, hidden structure, and all that RFC 8259 does not have.
#[test]
fn texts_are_refused() {
    for (text, why) in [
        ("", Rule::Short),
        ("{", Rule::Short),
        ("[1,", Rule::Short),
        ("\"a", Rule::Short),
        ("1 2", Rule::Long),
        ("{}x", Rule::Long),
        ("[1,]", Rule::Byte(b']')),
        ("{\"a\":1,}", Rule::Byte(b'}')),
        ("{a:1}", Rule::Byte(b'a')),
        ("{\"a\" 1}", Rule::Byte(b'1')),
        ("[1 2]", Rule::Byte(b'2')),
        ("nul", Rule::Short),
        ("nulL", Rule::Byte(b'L')),
        ("NaN", Rule::Byte(b'N')),
        ("+1", Rule::Byte(b'+')),
        (".5", Rule::Byte(b'.')),
        ("1.", Rule::Short),
        ("1.e5", Rule::Byte(b'e')),
        ("1e", Rule::Short),
        ("-", Rule::Short),
        ("01", Rule::Zero),
        ("-01", Rule::Zero),
        ("0‹1›", Rule::Zero),
        ("\u{feff}1", Rule::Byte(0xef)),
        ("\"a\nb\"", Rule::Byte(b'\n')),
        ("\"\0\"", Rule::Byte(0)),
        ("'a'", Rule::Byte(b'\'')),
        ("\"\\x\"", Rule::Escape),
        ("\"\\u12g4\"", Rule::Escape),
        ("\"\\ud800\"", Rule::Byte(b'"')),
        ("\"\\ud800\\u0041\"", Rule::Escape),
        ("\"\\udc00\\ud800\"", Rule::Escape),
        // What is hidden whole stands where a value begins, and something that is shown ends it.
        ("\"a«\"»", Rule::Hidden),
        ("{«\"a\"»:1}", Rule::Hidden),
        ("{\"a\"«:1»}", Rule::Hidden),
        ("[«1»2]", Rule::Byte(b'2')),
        ("[«1»‹2›]", Rule::Hidden),
        ("[«1» \"a\"]", Rule::Byte(b'"')),
        ("[«1»", Rule::Short),
        ("«[»1]", Rule::Long),
        ("[-«1»]", Rule::Hidden),
        ("\"‹1›\"", Rule::Hidden),
        ("1«2»", Rule::Long),
        ("1e‹5›", Rule::Hidden),
        ("1e5‹5›", Rule::Long),
        ("t«rue»", Rule::Hidden),
        ("\"\\«n»\"", Rule::Hidden),
        ("\"\\u00«41»\"", Rule::Hidden),
        // Keys that are there twice.
        ("{\"a\":1,\"\\u0061\":2}", Rule::Twice("a".into())),
    ] {
        assert_eq!(read(text).map(drop), Err(why), "{text}");
    }
    let hidden = read("{\"abc\" : «1» , \"d\":[«{}»\n]}").unwrap();
    assert_eq!(hidden.values.iter().filter(|value| value.kind == Kind::Hidden).count(), 2);
    assert_eq!(read("«null»").unwrap().values[0].range, 0..4);
    let any = [Byte::Shown(b'"'), Byte::Any, Byte::Shown(b'"')];
    assert_eq!(Json::read(&any).unwrap_err().why, Rule::Hidden);
    let value = any.map(|byte| if byte == Byte::Any { Byte::Hidden(Hidden::Value) } else { byte });
    assert_eq!(Json::read(&value).unwrap_err().why, Rule::Hidden);
    let utf8 = [b'"', 0xff, b'"'].map(Byte::Shown);
    assert_eq!(Json::read(&utf8).unwrap_err().why, Rule::Utf8);
    let nested = |levels: usize| read(&("[".repeat(levels) + &"]".repeat(levels))).map(drop);
    assert_eq!((nested(31), nested(32)), (Ok(()), Err(Rule::Levels)));
    assert_eq!(nested(100_000), Err(Rule::Levels));
}

/// A value takes memory for one step, however long the keys above it are; and time for no other key of its object.
#[test]
fn long_texts_are_read_in_linear_time_and_memory() {
    let long = "k".repeat(1 << 16);
    let json = read(&format!("{{\"{long}\":[{}0]}}", "0,".repeat(1 << 16))).unwrap();
    let steps = json.values.iter().filter_map(|value| value.within.as_ref());
    let bytes = |within: &Within| if let Step::Key(key) = &within.step { key.len() } else { 0 };
    assert_eq!(steps.map(bytes).sum::<usize>(), 1 << 16);
    assert_eq!(json.at(&path(&format!("$.{long}[65536]"))).unwrap().range.len(), 1);
    let members = || {
        let keys = (0..20_000).map(|length| format!("\"{length}\":«1»"));
        keys.collect::<Vec<_>>().join(",")
    };
    read(&format!("{{{},\"{}\":2}}", members(), "a".repeat(42))).unwrap();
    assert_eq!(json.at(&path("$.k")), None);
}

/// The text with hidden parts as another may have it.
fn hidden(text: &[u8], parts: &[HiddenPart]) -> Vec<Byte> {
    let mut bytes: Vec<_> = text.iter().map(|byte| Byte::Shown(*byte)).collect();
    for HiddenPart { range, hidden } in parts {
        bytes[range.clone()].fill(Byte::Hidden(*hidden));
    }
    bytes
}

#[test]
fn what_is_not_shown_is_hidden() {
    let text = br#"{"a":"x\"y\u0041z","b":{"c":-12.50e+3,"d":[true,"s"]},"e":7,"f":""}"#;
    let both = |paths: &[&str], digits: &[&str]| {
        let [paths, digits] =
            [paths, digits].map(|paths| paths.iter().map(|path| self::path(path)).collect::<Vec<_>>());
        let bytes = hidden(text, &hide(text, &paths, &digits).unwrap());
        Json::read(&bytes).unwrap();
        bytes.iter().map(|byte| byte.shown().map_or('_', char::from)).collect::<String>()
    };
    let shown = |paths: &[&str]| both(paths, &[]);
    assert_eq!(shown(&[]), "_".repeat(text.len()));
    assert_eq!(
        shown(&["$.b", "$.e"]),
        r#"{"a":_____________,"b":{"c":-12.50e+3,"d":[true,"s"]},"e":7,"f":__}"#
    );
    assert_eq!(
        shown(&["$.b.d[1]", "$.b.x"]),
        r#"{"a":_____________,"b":{"c":_________,"d":[____,"s"]},"e":_,"f":__}"#
    );
    assert_eq!(
        both(&["$.b.d"], &["$.b.c", "$.e", "$.a"]),
        r#"{"a":_____________,"b":{"c":-__.__e+3,"d":[true,"s"]},"e":_,"f":__}"#
    );
    assert_eq!(both(&["$"], &["$.e"]).as_bytes(), text);
    assert_eq!(shown(&["$"]).as_bytes(), text);
    assert!(hide(b"{", &[], &[]).is_err());
}

/// Texts of a generator, and what some of their bytes become.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_string()),
        Just("true".into()),
        any::<i32>().prop_map(|number| number.to_string()),
        (any::<i16>(), 0..999u16).prop_map(|(whole, part)| format!("{whole}.{part:03}")),
        (1..9u8, -9..9i8).prop_map(|(digit, exponent)| format!("{digit}.5E{exponent}")),
        "[a-c\"\\\\é\n]{0,6}".prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(" , "))),
            prop::collection::vec(("[a-c]{0,2}", inner), 0..4).prop_map(|all| {
                let members = all.iter().map(|(key, value)| format!("\"{key}\" : {value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

/// Compares the reader with serde_json: both take the same texts, but for keys that are there twice and numbers beyond its
/// own, and find the same values at the same paths, whether the rest is hidden or not.
fn agree(text: &[u8]) -> Result<(), TestCaseError> {
    let theirs: Result<serde_json::Value, _> = serde_json::from_slice(text);
    let shown: Vec<_> = text.iter().map(|byte| Byte::Shown(*byte)).collect();
    let (ours, theirs) = match (Json::read(&shown), theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(Malformed { why: Rule::Twice(_), .. }), _) | (Err(_), Err(_)) => return Ok(()),
        // Numbers of any size are texts of JSON.
        (Ok(_), Err(why)) if why.to_string().contains("out of range") => return Ok(()),
        (ours, theirs) => {
            return Err(TestCaseError::fail(format!(
                "{ours:?} {theirs:?} {}",
                String::from_utf8_lossy(text)
            )));
        }
    };
    for value in &ours.values {
        let mut found = Some(&theirs);
        let mut steps: Vec<&Step> = vec![];
        let mut within = &value.within;
        while let Some(Within { parent, step }) = within {
            steps.push(step);
            within = &ours.values[*parent].within;
        }
        for step in steps.into_iter().rev() {
            found = found.and_then(|value| match step {
                Step::Key(key) => value.get(key),
                Step::Index(index) => value.get(index),
            });
        }
        let alone: serde_json::Value = serde_json::from_slice(&text[value.range.clone()]).unwrap();
        prop_assert_eq!(found, Some(&alone));
    }
    Ok(())
}

/// Hides some bytes of a text, each by a class that it is of, where a walk over those that are hidden whole goes well: what
/// is read then is what is there, value by value.
fn agree_hidden(text: &[u8], hidden: &[(prop::sample::Index, usize, u8)]) -> Result<(), TestCaseError> {
    let shown: Vec<_> = text.iter().map(|byte| Byte::Shown(*byte)).collect();
    // What is hidden whole is of a text of JSON, as its server says.
    let Ok(whole) = Json::read(&shown) else { return Ok(()) };
    let mut bytes = shown;
    for (at, length, class) in hidden {
        let range = if *class < 0x40 {
            // A value, or one byte more or less of it.
            let Range { start, end } = whole.values[at.index(whole.values.len())].range;
            (start + length % 3).saturating_sub(1)..(end + length / 3 % 3).saturating_sub(1).min(text.len())
        } else {
            let at = at.index(text.len());
            at..(at + length).min(text.len())
        };
        if range.is_empty() {
            continue;
        }
        let byte = match class % 4 {
            0 if text[range.clone()].iter().all(|byte| *byte >= 0x20) => Byte::Hidden(Hidden::Value),
            1 => Byte::Hidden(Hidden::Whole),
            2 if text[range.clone()].iter().all(u8::is_ascii_digit) => Byte::Hidden(Hidden::Digits),
            3 => Byte::Any,
            _ => continue,
        };
        bytes[range].fill(byte);
    }
    let Ok(redacted) = Json::read(&bytes) else { return Ok(()) };
    let mut hidden = redacted.values.iter().filter(|value| value.kind == Kind::Hidden);
    if !hidden.all(|value| crate::statement::is_walked(&text[value.range.clone()])) {
        return Ok(());
    }
    let mut found = whole.values.iter();
    for value in &redacted.values {
        let mut at = value.range.clone();
        if value.kind == Kind::Hidden {
            let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
            let hidden = &text[at.clone()];
            let (before, behind) =
                (hidden.iter().take_while(is_blank), hidden.iter().rev().take_while(is_blank));
            let (before, behind) = (before.count(), behind.count());
            if before == hidden.len() {
                // Blanks alone, in an array that has nothing.
                prop_assert_eq!(value.within.as_ref().map(|within| &within.step), Some(&Step::Index(0)));
                continue;
            }
            at = at.start + before..at.end - behind;
        }
        let there = found.find(|there| there.range == at);
        let there = there.ok_or_else(|| TestCaseError::fail(format!("{at:?} {}", text.escape_ascii())))?;
        prop_assert!(value.kind == Kind::Hidden || value.kind == there.kind);
        let steps = [value, there].map(|value| value.within.as_ref().map(|within| within.step.clone()));
        prop_assert_eq!(&steps[0], &steps[1]);
    }
    Ok(())
}

/// Runs `cases` of texts, of which one byte may be another, and some are hidden.
fn agree_on(cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let hidden = prop::collection::vec((any::<prop::sample::Index>(), 1..9usize, any::<u8>()), 0..4);
    let inputs = (texts(), any::<prop::sample::Index>(), any::<Option<u8>>(), hidden);
    let ended = proptest::test_runner::TestRunner::new(config).run(&inputs, |(text, at, by, hidden)| {
        let mut text = text.into_bytes();
        if let Some(by) = by {
            let at = at.index(text.len());
            text[at] = by;
        }
        agree(&text)?;
        agree_hidden(&text, &hidden)
    });
    ended.unwrap();
}

#[test]
fn texts_are_those_of_others() {
    agree_on(200);
}

#[test]
#[ignore = "slow"]
fn many_texts_are_those_of_others() {
    agree_on(1_000_000);
}
