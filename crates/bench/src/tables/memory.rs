//! Memory, lookups and branches, beside what papers and programs of the same family report.

use super::measure::Measure::*;
use super::paper::{Paper, Row, Table};

static SHUFFLES: Paper = Paper {
    name: "Two Shuffles",
    title: "Two Shuffles Make a RAM: Improved Constant Overhead Zero Knowledge RAM",
    machine: "its authors' machines; correlations are not counted",
};

static ROBIN: Paper = Paper {
    name: "LogRobin++",
    title: "LogRobin++: Optimizing Proofs of Disjunctive Statements in VOLE-Based ZK",
    machine: "its authors' machines, at 1 Gbit/s",
};

pub(super) fn tables() -> Vec<Table> {
    vec![accesses(), lookups(), branches()]
}

fn accesses() -> Table {
    let row = |what: &str, words: u32, accesses: u32, field: &str| {
        let command = format!("ram --words {words} --accesses {accesses} --field {field}");
        Row::new(format!("{what} over {field}"), command)
    };
    let most = row("2^20 words", 1 << 20, 1 << 22, "f61");
    let bits = row("2^20 words of 32 bits", 1 << 20, 1 << 20, "f2");
    Table {
        id: "memory-ram",
        title: "Reads and writes at secret addresses",
        paper: &SHUFFLES,
        setting: "Unlimited bandwidth on one machine, one thread. emp-zk's figure is that of its code, which \
                  shows sums of what is read.",
        systems: &["quicksilver"],
        rows: vec![
            most.printed(AccessRate, "0.6 M/s", 0.6e6).plain(OnlineBytes).plain(Memory),
            row("2^16 words", 1 << 16, 1 << 20, "f61").plain(AccessRate).plain(OnlineBytes).plain(Memory),
            bits.plain(AccessRate).others(&[("emp-zk", "0.03 M/s")]).plain(OnlineBytes).plain(Memory),
        ],
    }
}

fn lookups() -> Table {
    let row = |what: &str, command: &str| {
        Row::new(what, format!("lookup {command}")).plain(LookupRate).plain(OnlineBytes).plain(Memory)
    };
    Table {
        id: "memory-lookups",
        title: "Ranges and tables over 2^61 − 1",
        paper: &SHUFFLES,
        setting: "2^20 of them. Unlimited bandwidth on one machine, one thread.",
        systems: &["quicksilver"],
        rows: vec![
            row("numbers of 16 bits", "--bits 16 --accesses 1048576"),
            row("numbers of 32 bits", "--bits 32 --accesses 1048576"),
            row("a table of 2^16 rows", "--words 65536 --accesses 1048576"),
        ],
    }
}

fn branches() -> Table {
    let row = |what: &str, clauses: u32, gates: u32| {
        let command = format!("branches --clauses {clauses} --gates {gates} --bandwidth 1000");
        Row::new(what, command)
    };
    Table {
        id: "branches",
        title: "One of several clauses by QuickSilver",
        paper: &ROBIN,
        setting: "1 Gbit/s, one thread.",
        systems: &["quicksilver"],
        rows: vec![
            row("2 of 10^7 ANDs", 2, 10_000_000)
                .printed(Time, "5.4 s", 5.4)
                .printed(Bytes, "1.73 MB", 1.73e6)
                .plain(Memory),
            row("15 of 500,000", 15, 500_000).plain(Time).plain(Bytes).plain(Memory),
            row("64 of 100,000", 64, 100_000).plain(Time).plain(Bytes).plain(Memory),
        ],
    }
}
