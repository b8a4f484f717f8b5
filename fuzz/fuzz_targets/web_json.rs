//! Any text of JSON, some of whose bytes are hidden: what is read has the same values for all bytes of their classes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery_web::json::{HiddenPart, Json, hide};
use volery_web::opening::Hidden;
use volery_web::skeleton::Byte;

fuzz_target!(|bytes: &[u8]| {
    let shown = |bytes: &[u8]| -> Vec<Byte> { bytes.iter().map(|byte| Byte::Shown(*byte)).collect() };
    let Ok(read) = Json::read(&shown(bytes)) else { return };
    let parts = hide(bytes, &[]).expect("a text that was read");
    let mut hidden = shown(bytes);
    let mut other = bytes.to_vec();
    for HiddenPart { range, hidden: class } in parts {
        hidden[range.clone()].fill(Byte::Hidden(class));
        other[range].fill(if class == Hidden::Text { b'}' } else { b'7' });
    }
    let ranges = |json: &Json| json.values.iter().map(|value| value.range.clone()).collect::<Vec<_>>();
    assert_eq!(ranges(&read), ranges(&Json::read(&hidden).expect("the same text")));
    assert_eq!(ranges(&read), ranges(&Json::read(&shown(&other)).expect("the same text")));
});
