//! Reports of products that were checked in blocks.

use crate::print::{grouped, things};
use serde_json::{Map, Value, json};
use volery::{Checked, CheckedBy};

/// Entries of the JSON object beside those of all systems.
pub(super) fn json(checked: &Checked) -> Map<String, Value> {
    let Checked { by, block, bucket, opened, blocks, .. } = checked;
    let buckets = *by == CheckedBy::Buckets;
    let object = json!({
        "checked_by": by.name(),
        "block": block,
        "bucket": buckets.then_some(bucket),
        "opened": buckets.then_some(opened),
        "blocks": blocks,
    });
    object.as_object().cloned().unwrap_or_default()
}

/// The line of the table.
pub(super) fn row(checked: &Checked) -> (&'static str, String) {
    let Checked { by, block, bucket, opened, blocks, .. } = checked;
    let buckets = match by {
        CheckedBy::Buckets => format!(" of {bucket}, with {opened} opened"),
        _ => String::new(),
    };
    let blocks = things(*blocks, "block");
    ("checked", format!("by {by}{buckets}, in {blocks} of up to {} multiplications", grouped(*block)))
}
