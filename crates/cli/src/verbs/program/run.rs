//! `volery run`: a program in the clear.

use super::ending;
use super::load::{Loaded, MOST_INPUT};
use crate::verbs::args::Run;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use volery::circuit::stream::Stream;
use volery_cli::failure::{Failure, Result};
use volery_cli::print::{self, count, grouped, hex, human, seconds, table, things};
use volery_cli::values::Reader;
use volery_processor::{End, Ended, Nobody, Profile, Room, Trace};
use zeroize::Zeroizing;

/// The functions of a profile that are shown, where nobody asks for JSON.
const SHOWN: usize = 20;

/// The part of a window that a run has touched.
fn of(Room { there, touched, .. }: Room) -> String {
    format!("{}K of {}K", touched >> 10, there >> 10)
}

/// `volery run`.
pub(crate) fn run(typed: &Run, started: Instant) -> Result<()> {
    let mut reader = Reader::default();
    let loaded = Loaded::of(&typed.program, &typed.ways, &mut reader)?;
    let private = match &typed.input.private_input {
        Some(text) => reader.bytes("--private-input", text, MOST_INPUT)?,
        None => Zeroizing::default(),
    };
    let locate = |address| loaded.place(address);
    let run = volery_processor::Run::new(&loaded.program, loaded.inputs(), &locate);
    let loading = started.elapsed();
    let begun = Instant::now();
    let mut profile = None;
    let ended = match &typed.trace {
        Some(path) => {
            let unwritable = |why| Failure::usage(format_args!("--trace {}: {why}", path.display()));
            let out: Box<dyn Write> = if path == Path::new("-") {
                Box::new(std::io::stderr())
            } else {
                Box::new(File::create(path).map_err(unwritable)?)
            };
            let mut trace = Trace::new(&loaded.program, BufWriter::new(out));
            let ended = run.in_the_clear(&private, &mut trace);
            trace.finish().map_err(unwritable)?;
            ended?
        }
        None if typed.profile => {
            let mut counted = Profile::new(&loaded.program);
            let ended = run.in_the_clear(&private, &mut counted)?;
            profile = Some(counted.functions());
            ended
        }
        None => run.in_the_clear(&private, &mut Nobody)?,
    };
    let spent = begun.elapsed();
    let gates = if typed.ways.public_control {
        Some(Stream::new(&run.claimed(ended.claim.clone())).count()?)
    } else {
        None
    };

    let rate = ended.cycles as f64 / spent.as_secs_f64().max(1e-9);
    let Ended { ref claim, end, pc, cycles, touched, used: [heap, stack], ref messages } = ended;
    let taken = claim.private;
    let place = loaded.place(pc);
    let fault = match end {
        End::Fault(fault) => Some(run.told(fault)),
        End::Exit(_) => None,
    };
    if typed.output.json {
        let mut object: Map<String, Value> =
            ending::json(claim.end).into_iter().map(|(name, value)| (name.into(), value)).collect();
        let more = json!({
            "why": fault,
            "place": {
                "address": pc,
                "function": place.function.as_ref().map(|(name, _)| name),
                "offset": place.function.as_ref().map(|(_, offset)| offset),
                "line": place.line,
            },
            "output": hex(&claim.output),
            "messages": hex(messages),
            "cycles": cycles,
            "cycles_per_second": rate,
            "private_input": {"length": private.len(), "read": taken},
            "memory_bytes": touched,
            "heap_bytes": {"there": heap.there, "touched": heap.touched, "asked": heap.asked},
            "stack_bytes": {"there": stack.there, "touched": stack.touched},
            "seconds": {"loading": loading.as_secs_f64(), "running": spent.as_secs_f64()},
            "public_control": gates.map(|gates| json!({
                "mul": gates.mul, "add": gates.add, "assert": gates.assert, "inputs": gates.inputs,
            })),
            "profile": profile.map(|profile| {
                let entry = |(name, count)| json!({"function": name, "cycles": count});
                profile.into_iter().map(entry).collect::<Vec<_>>()
            }),
        });
        if let Value::Object(more) = more {
            object.extend(more);
        }
        return print::result(Value::Object(object));
    }
    if !messages.is_empty() {
        print::notice(ending::shown(String::from_utf8_lossy(messages).trim_end()));
    }
    let mut rows = vec![
        ("ended", fault.unwrap_or_else(|| ending::told(claim.end))),
        ("output", ending::bytes(&claim.output)),
        ("private", format!("{} of {} read", grouped(taken as u64), things(private.len() as u64, "byte"))),
        ("cycles", grouped(cycles)),
        ("speed", format!("{} cycles/s, in {}", count(rate), seconds(spent.as_secs_f64()))),
        (
            "memory",
            format!(
                "{}B touched, {} of its heap and {} of its stack",
                human(touched as f64),
                of(heap),
                of(stack)
            ),
        ),
    ];
    if heap.asked > heap.there {
        let asked = heap.asked;
        rows.push((
            "heap",
            format!("the program asked for {} bytes and got none: --memory {asked}", grouped(asked)),
        ));
    }
    if let Some(gates) = gates {
        let each = gates.mul as f64 / cycles.max(1) as f64;
        rows.push(("proof", format!("{} ANDs under public control, {each:.2} a cycle", grouped(gates.mul))));
    }
    if let Some(profile) = profile {
        let shown = profile.iter().take(SHOWN).map(|(name, count)| {
            let part = 100.0 * *count as f64 / cycles.max(1) as f64;
            format!("{:>14} {part:>5.1}% {name}", grouped(*count))
        });
        let lines: Vec<_> = shown.collect();
        rows.push(("profile", lines.join("\n             ").trim_start().into()));
    }
    print::result(table(&rows))
}
