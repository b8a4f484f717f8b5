//! Names and comments, behind the ANDs.

use super::{Lines, Logic, Quoted};
use crate::netlist::{Names, writable};
use volery_channel::error::Result;

/// Reads names to the end of the file, or to the comments.
pub(super) fn read(lines: &mut Lines<'_>, logic: &mut Logic) -> Result<()> {
    let mut latches = Names::new();
    while lines.at < lines.bytes.len() {
        if lines.bytes[lines.at..] == *b"c" {
            break;
        }
        let line = lines.next("a name or a comment")?;
        let wrong = |why: String| Err(lines.invalid(why));
        if line.ends_with(b"\r") {
            return wrong("the line ends in CR LF, and in AIGER lines end in LF alone: convert them".into());
        }
        // By some tools the comment stands behind the letter at once.
        if line.first() == Some(&b'c') && split(line).is_none() {
            break;
        }
        let Some((kind, number, name)) = split(line) else {
            return wrong(format!(
                "{} stands behind the ANDs, where only names such as \"i0 NAME\" do, and comments behind a line \"c\": \
                 does the first line announce all there is?",
                Quoted(line)
            ));
        };
        let (things, names, count) = match kind {
            b'i' => ("input", &mut logic.input_names, logic.inputs as usize),
            b'l' => ("latch", &mut latches, logic.latches.len()),
            b'o' => ("output", &mut logic.output_names, logic.outputs.len()),
            b'b' => ("bad state", &mut logic.bad_names, logic.bad.len()),
            _ => ("constraint", &mut logic.constraint_names, logic.constraints.len()),
        };
        if number >= count as u64 {
            return wrong(format!("{things} {number} is named, and there are {count}, counted from 0"));
        }
        if name.contains(&0) {
            return wrong(format!("the name of {things} {number} has a byte 0 in it"));
        }
        if names.insert(number as u32, writable(name)).is_some() {
            return wrong(format!("{things} {number} is named a second time: name it once"));
        }
    }
    Ok(())
}

/// The kind, the number and the name on a line such as `i0 a[0]`.
fn split(line: &[u8]) -> Option<(u8, u64, &[u8])> {
    let (&kind, rest) = line.split_first()?;
    let at = rest.iter().position(|&byte| byte == b' ')?;
    let (digits, name) = (&rest[..at], &rest[at + 1..]);
    let digits = str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    let number = digits.parse().ok()?;
    (b"ilobc".contains(&kind) && !name.is_empty()).then_some((kind, number, name))
}
