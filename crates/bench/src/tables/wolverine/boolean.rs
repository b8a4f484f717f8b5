//! Figures 9 and 10, tables V and VI: Boolean circuits.

use super::super::measure::Measure::*;
use super::super::paper::{Row, Table};
use super::{BOTH, QUICKSILVER, table};
use volery_cli::print::grouped;

/// Figure 9.
pub(super) fn sizes() -> Table {
    let gates = |gates| {
        Row::new(format!("{} AND gates", grouped(gates)), format!("boolean --gates {gates} --bandwidth 50"))
            .plain(Time)
            .printed(PerMultiplication, "0.5 µs", 0.5e-6)
            .printed(BitsPerMultiplication, "roughly 9 bits", 9.0)
            .plain(Memory)
    };
    let inputs = |inputs| {
        let what = format!("{} bits of witness", grouped(inputs));
        Row::new(what, format!("boolean --inputs {inputs} --bandwidth 50"))
            .plain(Time)
            .printed(PerInput, "3.35 µs", 3.35e-6)
            .plain(Memory)
    };
    let mut rows: Vec<Row> = [100_000, 1_000_000, 10_000_000, 100_000_000].map(gates).into();
    rows.extend([100_000, 1_000_000, 10_000_000].map(inputs));
    let faster = Row::new("AND gates at 200 Mbit/s", "boolean --gates 10000000 --bandwidth 200")
        .printed(Rate, "2,000,000/s", 2e6)
        .printed(PerMultiplication, "0.45 µs", 0.45e-6)
        .printed(Memory, "400 MB", 400e6);
    rows.push(faster);
    table(
        "wolverine-fig9",
        "Figure 9: Boolean circuits, by size",
        "50 Mbit/s. Times are only plotted; the text gives the marginal ones, and those and the rate at \
         200 Mbit/s. What is measured for each gate leaves out the set-up alone, and bits are those of \
         both directions, correlations included. With bits of witness go 1,000 gates.",
        BOTH,
        rows,
    )
}

/// The rows of figure 10, by `bench merkle` with the options `more`. Depths from `large` on run with --large.
fn trees(more: &str, large: u32) -> Vec<Row> {
    let row = |depth: u32| {
        let row = Row::new(
            format!("depth {depth}, {} leaves", grouped(1 << depth)),
            format!("merkle --depth {depth}{more} --bandwidth 200"),
        );
        let row = row.plain(Time).plain(Bytes).printed(Memory, "about 400 MB", 400e6);
        if depth < large { row } else { row.large() }
    };
    (6..=14).chain([16, 19]).map(row).collect()
}

/// Figure 10.
pub(super) fn merkle() -> Table {
    table(
        "wolverine-fig10",
        "Figure 10: all leaves of a Merkle tree, by depth",
        "Times are only plotted, and the text names no bandwidth for them: 200 Mbit/s here, as in Table \
         I. Memory is nearly constant in the paper, where a depth of d takes 2^d - 1 hashes; here it \
         takes 2^(d + 1) - 1, as leaves are hashed too. Depths from 11 on run with --large.",
        BOTH,
        trees(" --kind gates", 11),
    )
}

/// Figure 10 with polynomials in the place of gates, for which Wolverine has no proof.
pub(super) fn merkle_by_polynomials() -> Table {
    table(
        "wolverine-fig10-polynomials",
        "Figure 10: the same with polynomials",
        "The paper's circuits are proved gate by gate; here most gates of SHA-256 are parts of \
         polynomials. Depths 16 and 19 run with --large.",
        QUICKSILVER,
        trees("", 16),
    )
}

/// Table V.
pub(super) fn snippets() -> Table {
    let printed = [
        ("10", 4, ("0.42 s", 0.42), "22 s"),
        ("10", 50, ("5.2 s", 5.2), "22.1 s"),
        ("10", 200, ("20.8 s", 20.8), "22.2 s"),
        ("100", 4, ("0.15 s", 0.15), "2.3 s"),
        ("100", 50, ("1.8 s", 1.8), "2.5 s"),
        ("100", 200, ("7.2 s", 7.2), "3.18 s"),
    ];
    let rows = printed.map(|(bandwidth, count, (text, seconds), stacked)| {
        Row::new(
            format!("{count} snippets, {bandwidth} Mbit/s"),
            format!("snippets --count {count} --bandwidth {bandwidth}"),
        )
        .printed(Time, text, seconds)
        .others(&[("stacked garbling", stacked)])
    });
    table(
        "wolverine-table5",
        "Table V: a bug in one of several code snippets",
        "10 and 100 Mbit/s. The paper's snippets have 70,869 to 90,772 AND gates; ours are rebuilt, not \
         the same.",
        BOTH,
        rows.into(),
    )
}

/// Table VI.
pub(super) fn applications() -> Table {
    table(
        "wolverine-table6",
        "Table VI: applications",
        "10 Mbit/s, the proof alone. The statements are rebuilt to the papers' sizes, not the same.",
        BOTH,
        vec![
            Row::new(
                "price discrimination (DECO), about 163,000 AND gates",
                "price-discrimination --bandwidth 10",
            )
            .printed(Time, "0.28 s", 0.28)
            .others(&[("DECO", "12.6 s")])
            .printed(Bytes, "184 KB", 184e3)
            .others(&[("DECO", "1.7 KB")]),
            Row::new("blind certificate, about 2.5 million AND gates", "blind-certificate --bandwidth 10")
                .printed(Time, "3.3 s", 3.3)
                .others(&[("Blind CA", "71 s")])
                .printed(Bytes, "2.8 MB", 2.8e6)
                .others(&[("Blind CA", "85.1 MB")]),
        ],
    )
}
