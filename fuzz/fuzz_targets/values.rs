//! Any bytes as a value over F_2, typed or the content of a file: never a panic, and what is read is written
//! and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::{PortValue as _, ReadValues as _, Value, Values, Written};

fuzz_target!(|bytes: &[u8]| {
    for value in [Value::from_text(bytes), Value::from_content(bytes)].into_iter().flatten() {
        let again = Value::from_text(value.to_text().as_bytes()).expect("what was written");
        assert_eq!(again.encoding(), value.encoding());
    }
    let mut values = Values::<Value>::new();
    let typed = values.read("typed", Written::Text(bytes)).is_ok();
    assert_eq!(values.names().count(), usize::from(typed));
    assert!(values.read("typed", Written::Content(bytes, None)).is_err() || !typed);
});
