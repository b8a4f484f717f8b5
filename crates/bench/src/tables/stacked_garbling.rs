//! Stacked garbling: Heath and Kolesnikov, sections 6 and 7.

use super::measure::Measure::*;
use super::paper::{Paper, Row, Table};

static PAPER: Paper = Paper {
    name: "Stack",
    title: "Stacked Garbling for Disjunctive Zero-Knowledge Proofs",
    machine: "both parties on one ThinkPad Carbon X1, Intel Core i7-6600U at 2.60 GHz, 16 GB, one thread \
              each, the network simulated by tc",
};

/// The networks of the paper: name, Mbit/s, and milliseconds of latency.
const LAN: (&str, u32, u32) = ("LAN", 1000, 2);
const SHARED_LAN: (&str, u32, u32) = ("shared LAN", 50, 2);
const WAN: (&str, u32, u32) = ("WAN", 100, 100);

/// The tables in the order of the paper.
pub(super) fn tables() -> Vec<Table> {
    vec![membership(), merkle(), clauses(), snippets()]
}

/// Our systems that all its statements are measured by; `stack` is where there are clauses.
const SYSTEMS: &[&str] = &["quicksilver", "jko", "stack"];
const WITHOUT_CLAUSES: &[&str] = &["quicksilver", "jko"];

fn table(
    id: &'static str,
    title: &'static str,
    setting: &'static str,
    systems: &'static [&'static str],
    rows: Vec<Row>,
) -> Table {
    Table { id, title, paper: &PAPER, setting, systems, rows }
}

fn over((network, bandwidth, latency): (&str, u32, u32), what: &str, command: &str) -> Row {
    Row::new(
        format!("{what}, {network}: {bandwidth} Mbit/s, {latency} ms"),
        format!("{command} --bandwidth {bandwidth} --latency {latency}"),
    )
}

fn membership() -> Table {
    let row = |network| {
        over(network, "one of three trees of depth 26", "merkle-membership --depth 26")
            .plain(Time)
            .plain(Bytes)
    };
    let mut rows = [LAN, SHARED_LAN, WAN].map(row);
    rows[0] = row(LAN).printed(Memory, "146 MB", 146e6);
    table(
        "stacked-fig3-experiment1",
        "Figure 3, experiment 1: a record in one of three Merkle trees",
        "Its figures are in a picture, but for the memory. The paper's circuit has 1,887,628 AND gates; \
         ours is rebuilt, and has 1,941,746 in all, not quite half of them in its largest clause. Memory \
         is that of both parties here.",
        SYSTEMS,
        rows.into(),
    )
}

fn merkle() -> Table {
    let row = |network| over(network, "511 SHA-256", "merkle --depth 8").plain(Time).plain(Bytes);
    let mut rows = [LAN, SHARED_LAN, WAN].map(row);
    rows[0].figures[0].others.push(("Stack, says Wolverine of 200 Mbit/s", "7.3 s"));
    rows[0].figures[1].others.push(("Stack, says Wolverine", "182.2 MB"));
    table(
        "stacked-fig3-experiment2",
        "Figure 3, experiment 2: the root of a Merkle tree of depth 8",
        "Its figures are in a picture, and the text has only ratios to others. Table I of Wolverine tells \
         time and bytes of this system at 200 Mbit/s, on its own machine. There is no branching in it.",
        WITHOUT_CLAUSES,
        rows.into(),
    )
}

fn clauses() -> Table {
    let row = |network, clauses: u32| {
        let what = if clauses == 1 { "one clause".into() } else { format!("one of {clauses} clauses") };
        over(network, &what, &format!("stack --clauses {clauses} --gates 500000"))
    };
    let mut rows: Vec<Row> = [1, 2, 4, 8].map(|clauses| row(LAN, clauses).plain(Time)).into();
    rows.push(row(LAN, 15).printed(Time, "1 s", 1.0).plain(Bytes));
    rows.push(row(LAN, 30).plain(Time));
    rows.extend([1, 15].map(|clauses| row(SHARED_LAN, clauses).plain(Time)));
    rows.extend([1, 15].map(|clauses| row(WAN, clauses).plain(Time)));
    table(
        "stacked-fig5",
        "Figure 5: one of several clauses of 500,000 AND gates",
        "Times are only plotted, but for one that the text tells. The paper's clauses have 2 million \
         gates in all, ours 2.5 million: four XORs for each AND.",
        SYSTEMS,
        rows,
    )
}

fn snippets() -> Table {
    let row = |network, count: u32| {
        over(network, &format!("{count} snippets"), &format!("snippets --count {count}"))
    };
    table(
        "stacked-fig7",
        "Figure 7: a bug in one of several code snippets",
        "Its figures are in a picture; the text tells two times, for which it names no network (they \
         stand beside the LAN here), and those of JKO. The snippets have 70,000 to 90,000 AND gates; ours \
         are rebuilt, not the same.",
        SYSTEMS,
        vec![
            row(LAN, 4)
                .printed(Time, "a tenth of a second", 0.1)
                .others(&[("JKO", "0.2211 s")])
                .plain(Bytes)
                .others(&[("JKO", "5.253 MB")]),
            row(SHARED_LAN, 4).plain(Time),
            row(WAN, 4).plain(Time).others(&[("JKO", "3.056 s")]),
            row(LAN, 1000)
                .printed(Time, "fewer than 5 s", 5.0)
                .others(&[("JKO, 500 snippets", "13.868 s")])
                .plain(Bytes)
                .others(&[("JKO, 500 snippets", "645.9 MB")]),
            row(WAN, 1000).large().plain(Time).others(&[("JKO, 500 snippets", "86.356 s")]),
        ],
    )
}
