//! Any text of JSON, some of whose bytes are hidden: what is read of it is what is there, with other digits, too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery_web::json::{HiddenPart, Json, Kind, Path, hide};
use volery_web::opening::Hidden;
use volery_web::skeleton::Byte;

fuzz_target!(|input: (&str, &str, &[u8])| {
    let (shown, digits, bytes) = input;
    let all_shown = |bytes: &[u8]| -> Vec<Byte> { bytes.iter().map(|byte| Byte::Shown(*byte)).collect() };
    let Ok(read) = Json::read(&all_shown(bytes)) else { return };
    let paths = |text: &str| -> Vec<Path> { text.split('\n').filter_map(|path| path.parse().ok()).collect() };
    let parts = hide(bytes, &paths(shown), &paths(digits)).expect("a text that was read");
    let mut hidden = all_shown(bytes);
    let mut other = bytes.to_vec();
    for HiddenPart { range, hidden: class } in parts {
        hidden[range.clone()].fill(Byte::Hidden(class));
        if class == Hidden::Digits {
            other[range].fill(b'7');
        }
    }
    let found = Json::read(&hidden).expect("the same text");
    let mut there = read.values.iter();
    for value in &found.values {
        let same = there.find(|there| there.range == value.range).expect("a value of the text");
        assert!(value.kind == Kind::Hidden || value.kind == same.kind);
    }
    let ranges = |json: &Json| json.values.iter().map(|value| value.range.clone()).collect::<Vec<_>>();
    assert_eq!(ranges(&read), ranges(&Json::read(&all_shown(&other)).expect("the same text")));
});
