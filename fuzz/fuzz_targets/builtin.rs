//! Any text behind `builtin:`: a statement with ports, or refused, over F_2 and over a larger field.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::{FieldRelation, Program as _, Relation};
use volery::{F61, setting};

fuzz_target!(|text: &str| {
    let spec = format!("builtin:{text}");
    if let Ok(relation) = Relation::open(&spec, None) {
        assert!(!relation.inputs().is_empty() && !relation.outputs().is_empty());
    }
    if let Ok(relation) = FieldRelation::<F61>::open(&spec, None) {
        assert!(!relation.outputs().is_empty());
    }
    let _ = setting(text);
});
