//! QuickSilver: Yang, Sarkar, Weng, Wang, section 6.

use super::measure::Measure::{self, *};
use super::paper::{Paper, Row, Table};
use volery_cli::print::grouped;

static PAPER: Paper = Paper {
    name: "QuickSilver",
    title: "QuickSilver: Efficient and Affordable Zero-Knowledge Proofs for Circuits and Polynomials over Any Field",
    machine: "two Amazon EC2 m5.2xlarge, 8 vCPUs (4 cores) each, one thread, latency about 0.1 ms, unless \
              said; statistical security 2^-100 for Boolean circuits, 2^-40 over 2^61 − 1",
};

/// The tables in the order of the paper.
pub(super) fn tables() -> Vec<Table> {
    vec![overview(), rates(), instances(), inner_products(), matrices(), ternary_sis()]
}

fn table(id: &'static str, title: &'static str, setting: &'static str, rows: Vec<Row>) -> Table {
    Table { id, title, paper: &PAPER, setting, systems: &["quicksilver"], rows }
}

/// Gates that suffice for a rate at this bandwidth.
fn enough(bench: &str, bandwidth: Option<u32>) -> u32 {
    match (bench, bandwidth) {
        ("arithmetic", Some(..=20)) => 1_000_000,
        ("arithmetic", Some(..=50)) => 2_000_000,
        ("arithmetic", Some(..=100)) => 5_000_000,
        _ => 10_000_000,
    }
}

/// The rate of a bench of gates at this bandwidth.
fn rate(bench: &str, bandwidth: Option<u32>, printed: Option<(&'static str, f64)>) -> Row {
    let gates = enough(bench, bandwidth);
    let kind = if bench == "boolean" { "AND gates" } else { "multiplications over 2^61 − 1" };
    let row = match bandwidth {
        Some(mbps) => Row::new(
            format!("{kind}, {mbps} Mbit/s"),
            format!("{bench} --gates {gates} --bandwidth {mbps} --latency 0.1"),
        ),
        None => Row::new(format!("{kind}, unlimited"), format!("{bench} --gates {gates}")),
    };
    match printed {
        Some((text, value)) => row.printed(Rate, text, value),
        None => row.plain(Rate),
    }
}

fn overview() -> Table {
    table(
        "quicksilver-table1",
        "Table 1: prior work",
        "Unlimited bandwidth on one machine, one thread. The paper's circuits have 3·10^8 gates, and ours \
         fewer.",
        vec![
            rate("boolean", None, Some(("7.7 M/s", 7.7e6))).others(&[("Wolverine", "1.25 M/s")]),
            rate("arithmetic", None, Some(("4.8 M/s", 4.8e6)))
                .others(&[("Wolverine", "0.66 M/s"), ("Mac'n'Cheese", "0.4 M/s")]),
        ],
    )
}

fn rates() -> Table {
    let boolean = [
        (Some(10), Some(("4.4 M/s", 4.4e6))),
        (Some(20), Some(("6.2 M/s", 6.2e6))),
        (Some(30), Some(("7.0 M/s", 7.0e6))),
        (Some(50), Some(("7.5 M/s", 7.5e6))),
        (Some(100), None),
        (Some(500), None),
        (Some(1000), None),
        (None, Some(("7.6 M/s", 7.6e6))),
    ];
    let arithmetic = [
        (Some(10), None),
        (Some(20), None),
        (Some(50), None),
        (Some(100), Some(("1.2 M/s", 1.2e6))),
        (Some(500), Some(("3.4 M/s", 3.4e6))),
        (Some(1000), Some(("4.2 M/s", 4.2e6))),
        (Some(2000), Some(("4.8 M/s", 4.8e6))),
        (None, Some(("4.8 M/s", 4.8e6))),
    ];
    let boolean = boolean.map(|(bandwidth, printed)| rate("boolean", bandwidth, printed));
    let arithmetic = arithmetic.map(|(bandwidth, printed)| rate("arithmetic", bandwidth, printed));
    table(
        "quicksilver-table2",
        "Table 2: gates per second, by bandwidth",
        "One thread of the paper's one to four, the set-up left out. The paper's circuits have 3·10^8 \
         gates, and ours fewer.",
        boolean.into_iter().chain(arithmetic).collect(),
    )
}

fn instances() -> Table {
    table(
        "quicksilver-table3",
        "Table 3: small machines",
        "One thread on instances of 2 vCPUs and 1 GB: 20 Mbit/s for Boolean circuits, 500 Mbit/s for \
         arithmetic ones. Beside ours stands c5a.large, the fastest.",
        vec![
            rate("boolean", Some(20), Some(("7.3 M/s", 7.3e6)))
                .others(&[("c5.large", "5.9 M/s"), ("c6g.medium", "5.3 M/s")]),
            rate("arithmetic", Some(500), Some(("3.0 M/s", 3.0e6)))
                .others(&[("c5.large", "2.9 M/s"), ("c6g.medium", "2.2 M/s")]),
        ],
    )
}

fn inner_products() -> Table {
    type Text = (&'static str, f64);
    let row = |field: &str, bandwidth: u32, length: u64, committing: Text, proving: Text| {
        Row::new(
            format!("length {} over {field}", grouped(length)),
            format!("inner-product --length {length} --field {field} --bandwidth {bandwidth} --latency 0.1"),
        )
        .printed(Committing, committing.0, committing.1)
        .printed(Proving, proving.0, proving.1)
    };
    table(
        "quicksilver-table4",
        "Table 4: inner products",
        "20 Mbit/s over F_2, 500 Mbit/s over 2^61 − 1, one thread.",
        vec![
            row("f2", 20, 1_000_000, ("0.24 s", 0.24), ("36.6 ms", 0.0366)),
            row("f2", 20, 10_000_000, ("2.4 s", 2.4), ("69.3 ms", 0.0693)),
            row("f2", 20, 100_000_000, ("23.8 s", 23.8), ("423.5 ms", 0.4235)),
            row("f61", 500, 1_000_000, ("0.39 s", 0.39), ("42.8 ms", 0.0428)),
            row("f61", 500, 10_000_000, ("3.9 s", 3.9), ("100.3 ms", 0.1003)),
            row("f61", 500, 100_000_000, ("39.2 s", 39.2), ("703.8 ms", 0.7038)),
        ],
    )
}

fn matrices() -> Table {
    let others: [(Measure, &[_]); 2] = [
        (
            Time,
            &[
                ("Spartan", "≥ 5000 s"),
                ("Virgo", "357 s"),
                ("Wolverine", "1627 s"),
                ("Mac'n'Cheese", "2684 s"),
            ],
        ),
        (
            Bytes,
            &[
                ("Spartan", "≤ 100 KB"),
                ("Virgo", "221 KB"),
                ("Wolverine", "34 GB"),
                ("Mac'n'Cheese", "25.8 GB"),
            ],
        ),
    ];
    let beside = |row: Row, texts: [(&'static str, f64); 2]| {
        let figures = others.iter().zip(texts);
        let row = figures.fold(row, |row, ((measure, others), (text, value))| {
            row.printed(*measure, text, value).others(others)
        });
        row.printed(Memory, "1 GB", 1e9).others(&[("Virgo", "148 GB"), ("Spartan", "600 GB, and it crashed")])
    };
    let polynomial = Row::new("as polynomials", "matmul --size 1024 --bandwidth 500 --latency 0.1");
    let gates = Row::new(
        "as many multiplications as it takes gate by gate",
        "arithmetic --gates 1073741824 --bandwidth 500 --latency 0.1",
    );
    table(
        "quicksilver-table5",
        "Table 5: two 1024×1024 matrices over 2^61 − 1 of a public product",
        "500 Mbit/s, one thread; Wolverine and Mac'n'Cheese on one machine without a limit. The row of \
         gates runs with --large.",
        vec![
            beside(polynomial, [("10 s", 10.0), ("25.2 MB", 25.2e6)]),
            beside(gates, [("316 s", 316.0), ("8.6 GB", 8.6e9)]).large(),
        ],
    )
}

fn ternary_sis() -> Table {
    let row = Row::new("ternary solution", "sis --kind ternary --bandwidth 500 --latency 0.1")
        .printed(OnlineBytes, "4.1 KB", 4.1e3)
        .others(&[("ENS", "53 KB"), ("Wolverine", "32.8 KB")])
        .printed(Online, "2 ms", 0.002)
        .others(&[("Wolverine", "220 ms")])
        .plain(Bytes)
        .plain(Time);
    table(
        "quicksilver-table6",
        "Table 6: a ternary solution of linear equations (SIS)",
        "n = 2048, m = 1024, log q = 32, one thread. The figures printed leave out the set-up.",
        vec![row],
    )
}
