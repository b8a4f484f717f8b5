//! Wolverine: Weng, Yang, Katz, Wang, section V.

use super::measure::Measure::*;
use super::paper::{Paper, Row, Table};
use crate::print::grouped;

static PAPER: Paper = Paper {
    name: "Wolverine",
    title: "Wolverine: Fast, Scalable, and Communication-Efficient Zero-Knowledge Proofs for Boolean and Arithmetic \
            Circuits",
    machine: "two Amazon EC2 m5.4xlarge, 16 vCPUs and 64 GB each, 5 threads unless said; statistical security 2^-40",
};

/// In the order of the paper's experiments.
pub(super) fn tables() -> Vec<Table> {
    vec![
        overview(),
        correlations(),
        correlations_beside_others(),
        boolean(),
        merkle(),
        snippets(),
        applications(),
        arithmetic(),
        matrices(),
        binary_sis(),
        ternary_sis(),
    ]
}

fn table(id: &'static str, title: &'static str, setting: &'static str, rows: Vec<Row>) -> Table {
    Table { id, title, paper: &PAPER, setting, systems: &["quicksilver"], rows }
}

fn overview() -> Table {
    let merkle = Row::new("256 leaves of a Merkle tree, 511 SHA-256", "merkle --depth 8 --bandwidth 200")
        .printed(Time, "11 s", 11.0)
        .others(&[("Spartan", "55 s"), ("Virgo", "53 s"), ("Ligero", "400 s"), ("ZKGC", "7.3 s")])
        .printed(Bytes, "12.4 MB", 12.4e6)
        .others(&[("Spartan", "≤ 100 KB"), ("Virgo", "253 KB"), ("Ligero", "1.5 MB"), ("ZKGC", "182.2 MB")])
        .printed(Memory, "≤ 400 MB", 400e6)
        .others(&[("Spartan", "≈ 7 GB"), ("Virgo", "≈ 1 GB"), ("Ligero", "≈ 5 GB"), ("ZKGC", "≤ 400 MB")]);
    let product = |row: Row| {
        row.printed(Time, "320 s", 320.0)
            .others(&[("Spartan", "677 s"), ("Virgo", "64 s")])
            .printed(Bytes, "4.2 GB", 4.2e9)
            .others(&[("Spartan", "≤ 100 KB"), ("Virgo", "≈ 200 KB")])
            .printed(Memory, "≤ 400 MB", 400e6)
            .others(&[("Spartan", "≈ 86 GB"), ("Virgo", "≈ 18 GB")])
    };
    let polynomial =
        product(Row::new("two 512×512 matrices of a public product", "matmul --size 512 --bandwidth 200"));
    let gates = Row::new(
        "as many multiplications as that product takes gate by gate",
        "arithmetic --gates 134217728 --bandwidth 200",
    );
    table(
        "wolverine-table1",
        "Table I: prior work",
        "200 Mbit/s, one thread. The paper's memory is the prover's, and ours that of both parties. Its matrices are \
         multiplied gate by gate, and ours as polynomials; the row of gates alone has few inputs, and runs with \
         --large.",
        vec![merkle, polynomial, product(gates).large()],
    )
}

fn correlations() -> Table {
    let printed = [
        ("20", "1343 ms", 1.343, "101 ns", 101e-9),
        ("50", "640 ms", 0.64, "87 ns", 87e-9),
        ("100", "478 ms", 0.478, "85 ns", 85e-9),
        ("500", "451 ms", 0.451, "85 ns", 85e-9),
        ("1000", "438 ms", 0.438, "85 ns", 85e-9),
    ];
    let rows = printed.map(|(bandwidth, setup, setup_seconds, each, each_seconds)| {
        Row::new(format!("{bandwidth} Mbit/s"), format!("vole-f61 --gates 10000000 --bandwidth {bandwidth}"))
            .printed(Setup, setup, setup_seconds)
            .printed(SetupBytes, "1.1 MB", 1.1e6)
            .printed(PerCorrelation, each, each_seconds)
            .printed(BitsPerCorrelation, "0.42", 0.42)
    });
    table(
        "wolverine-table3",
        "Table III: correlations over 2^61 − 1, by bandwidth",
        "r = 1, 10^7 correlations to each extension. Ours are from the set that `auto` chooses for the bandwidth; \
         `--vole wan` sends least.",
        rows.into(),
    )
}

fn correlations_beside_others() -> Table {
    let row = |what: &str, vole: &str| {
        Row::new(what, format!("vole-f61 --gates 10000000 --bandwidth 500{vole}"))
            .printed(BitsPerCorrelation, "0.42", 0.42)
            .others(&[("Schoppmann et al.", "960"), ("de Castro et al.", "160")])
            .printed(WholeBitsPerCorrelation, "1.32", 1.32)
            .printed(PerCorrelation, "85 ns", 85e-9)
            .others(&[("Schoppmann et al.", "2000 ns"), ("de Castro et al.", "400 ns")])
            .printed(WholePerCorrelation, "130 ns", 130e-9)
    };
    table(
        "wolverine-table4",
        "Table IV: correlations over 2^61 − 1, beside prior protocols",
        "500 Mbit/s. The prior protocols are secure against semi-honest parties only.",
        vec![row("what auto chooses", ""), row("those that send least", " --vole wan")],
    )
}

fn boolean() -> Table {
    let mut rows: Vec<Row> = [100_000, 1_000_000, 10_000_000, 100_000_000]
        .map(|gates| {
            Row::new(
                format!("{} AND gates", grouped(gates)),
                format!("boolean --gates {gates} --bandwidth 50"),
            )
            .plain(Time)
            .printed(PerMultiplication, "0.5 µs", 0.5e-6)
            .plain(Memory)
        })
        .into();
    rows.push(
        Row::new("2,000,000 bits of witness", "inner-product --length 1000000 --field f2 --bandwidth 50")
            .plain(Time)
            .printed(PerInput, "3.35 µs", 3.35e-6),
    );
    rows.push(Row::new("AND gates at 200 Mbit/s", "boolean --gates 10000000 --bandwidth 200").printed(
        Rate,
        "2,000,000/s",
        2e6,
    ));
    table(
        "wolverine-fig9",
        "Figure 9: Boolean circuits, by size",
        "50 Mbit/s. Times are only plotted; the text gives the marginal ones, and the rate at 200 Mbit/s. Bits of \
         witness are those of an inner product here.",
        rows,
    )
}

fn merkle() -> Table {
    let row = |depth: u32| {
        Row::new(
            format!("depth {depth}, {} leaves", grouped(1 << depth)),
            format!("merkle --depth {depth} --bandwidth 200"),
        )
        .plain(Time)
        .plain(Bytes)
        .printed(Memory, "about 400 MB", 400e6)
    };
    let mut rows: Vec<Row> = (6..=14).map(row).collect();
    rows.extend([16, 19].map(|depth| row(depth).large()));
    table(
        "wolverine-fig10",
        "Figure 10: all leaves of a Merkle tree, by depth",
        "Times are only plotted, and the text names no bandwidth for them: 200 Mbit/s here, as in Table I. Memory is \
         nearly constant in the paper, where a depth of d takes 2^d - 1 hashes; here it takes 2^(d + 1) - 1, as leaves are \
         hashed too. Depths 16 and 19 run with --large.",
        rows,
    )
}

fn snippets() -> Table {
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
        "10 and 100 Mbit/s. The paper's snippets have 70,869 to 90,772 AND gates; ours are rebuilt, not the same.",
        rows.into(),
    )
}

fn applications() -> Table {
    table(
        "wolverine-table6",
        "Table VI: applications",
        "10 Mbit/s, the proof alone. The statements are rebuilt to the papers' sizes, not the same.",
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

fn arithmetic() -> Table {
    let mut rows: Vec<Row> = [100_000, 1_000_000, 10_000_000]
        .map(|gates| {
            Row::new(
                format!("{} multiplications, 500 Mbit/s", grouped(gates)),
                format!("arithmetic --gates {gates} --bandwidth 500"),
            )
            .plain(Time)
            .printed(Rate, "about 1 million/s", 1e6)
            .plain(Memory)
        })
        .into();
    rows.extend([("200", 5_000_000, "600,000/s", 600e3), ("50", 2_000_000, "roughly 200,000/s", 200e3)].map(
        |(bandwidth, gates, text, rate)| {
            Row::new(
                format!("{} multiplications, {bandwidth} Mbit/s", grouped(gates)),
                format!("arithmetic --gates {gates} --bandwidth {bandwidth}"),
            )
            .printed(Rate, text, rate)
        },
    ));
    table(
        "wolverine-fig11",
        "Figure 11: arithmetic circuits over 2^61 − 1, by size",
        "Times are only plotted; the text gives the rates at 500 and 50 Mbit/s, and the introduction the one at 200.",
        rows,
    )
}

fn matrices() -> Table {
    let row = |size: u32| {
        Row::new(format!("{size}×{size}"), format!("matmul --size {size} --bandwidth 500"))
            .plain(Time)
            .plain(Bytes)
            .printed(Memory, "at most 350 MB", 350e6)
    };
    table(
        "wolverine-fig12",
        "Figure 12: products of matrices over 2^61 − 1, by size",
        "Times are only plotted, and the text names no bandwidth for them: 500 Mbit/s here. The paper multiplies gate \
         by gate, and we prove polynomials.",
        [64, 128, 256, 512, 768].map(row).into(),
    )
}

fn binary_sis() -> Table {
    let printed =
        [("50", "74 ms", 0.074), ("100", "63 ms", 0.063), ("500", "55 ms", 0.055), ("10000", "55 ms", 0.055)];
    let mut rows = printed.map(|(bandwidth, text, seconds)| {
        Row::new(format!("{bandwidth} Mbit/s"), format!("sis --kind binary --bandwidth {bandwidth}"))
            .printed(Time, text, seconds)
            .plain(Online)
    });
    rows[3].figures[0].others.push(("Baum and Nof", "1228 ms"));
    table(
        "wolverine-table7",
        "Table VII: a binary solution of linear equations (SIS)",
        "q ≈ 2^61, n = 1024, m = 4096. The text does not say whether the set-up is part of the time.",
        rows.into(),
    )
}

fn ternary_sis() -> Table {
    let row = Row::new("ternary solution", "sis --kind ternary --bandwidth 500")
        .printed(OnlineBytes, "32.8 KB", 32.8e3)
        .others(&[("BLS", "384 KB"), ("Aurora", "233 KB"), ("ENS", "53 KB")])
        .plain(Bytes);
    table(
        "wolverine-table8",
        "Table VIII: a ternary solution of linear equations (SIS), bytes",
        "q ≈ 2^32, n = 2048, m = 1024. The figure printed leaves out the set-up, which alone sends more.",
        vec![row],
    )
}
