//! Runs of programs with secret control, beside what papers and programs of the same family report.

use super::measure::Measure::*;
use super::paper::{Paper, Row, Table};

static RAM_PROGRAMS: Paper = Paper {
    name: "CCS 2021",
    title: "Constant-Overhead Zero-Knowledge for RAM Programs",
    machine: "its authors' machines, with 64 MB of memory and 4 MB of program",
};

pub(super) fn tables() -> Vec<Table> {
    let row = |what: &str, command: &str| Row::new(what, format!("program {command}"));
    vec![Table {
        id: "processor",
        title: "Runs of a program for a processor",
        paper: &RAM_PROGRAMS,
        setting: "Instructions are MIPS-I there and RV32IM here, where memory has the 320 KiB of the usual \
                  layout. One thread. BubbleRAM had 1 Gbit/s. Jolt, on 8 cores of an M1, proves succinctly and \
                  without this privacy.",
        systems: &["quicksilver"],
        rows: vec![
            row("SHA-256 in C at 100 Mbit/s", "--length 8192 --bandwidth 100")
                .printed(CycleRate, "6.6 kHz", 6.6e3)
                .others(&[("BubbleRAM", "2.1 kHz"), ("Jolt", "77 kHz")])
                .printed(BytesPerCycle, "320 B", 320.0)
                .others(&[("BubbleRAM", "24 KB")])
                .plain(Memory),
            row("the same without a bound", "--length 8192")
                .plain(CycleRate)
                .plain(BytesPerCycle)
                .plain(Memory),
            row("the same with public control", "--length 65536 --public-control")
                .plain(CycleRate)
                .plain(BytesPerCycle)
                .plain(Memory),
        ],
    }]
}
