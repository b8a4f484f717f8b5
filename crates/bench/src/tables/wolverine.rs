//! Wolverine: Weng, Yang, Katz, Wang, section V.

mod arithmetic;
mod boolean;
mod correlations;

use super::measure::Measure::*;
use super::paper::{Paper, Row, Table};

static PAPER: Paper = Paper {
    name: "Wolverine",
    title: "Wolverine: Fast, Scalable, and Communication-Efficient Zero-Knowledge Proofs for Boolean and \
            Arithmetic Circuits",
    machine: "two Amazon EC2 m5.4xlarge, 16 vCPUs and 64 GB each, 5 threads unless said; statistical security 2^-40",
};

/// The tables in the order of the paper's experiments. Where quicksilver proves polynomials in the place of
/// gates, its figures stand in a table of its own.
pub(super) fn tables() -> Vec<Table> {
    vec![
        overview(),
        overview_by_polynomials(),
        correlations::by_bandwidth(),
        correlations::beside_others(),
        boolean::sizes(),
        boolean::merkle(),
        boolean::merkle_by_polynomials(),
        boolean::snippets(),
        boolean::applications(),
        arithmetic::sizes(),
        arithmetic::interpolation(),
        arithmetic::matrices(),
        arithmetic::matrices_by_polynomials(),
        arithmetic::binary_sis(),
        arithmetic::ternary_sis(),
    ]
}

/// The paper's system, and the one that is measured beside it.
const BOTH: &[&str] = &["wolverine", "quicksilver"];
/// The systems where there is nothing to be proved, or not gate by gate; where there is nothing beside it.
const QUICKSILVER: &[&str] = &["quicksilver"];
const WOLVERINE: &[&str] = &["wolverine"];

fn table(
    id: &'static str,
    title: &'static str,
    setting: &'static str,
    systems: &'static [&'static str],
    rows: Vec<Row>,
) -> Table {
    Table { id, title, paper: &PAPER, setting, systems, rows }
}

/// The two rows of Table I.
fn prior_work(merkle: &str, product: &str) -> [Row; 2] {
    let merkle = Row::new("256 leaves of a Merkle tree, 511 SHA-256", merkle)
        .printed(Time, "11 s", 11.0)
        .others(&[("Spartan", "55 s"), ("Virgo", "53 s"), ("Ligero", "400 s"), ("ZKGC", "7.3 s")])
        .printed(Bytes, "12.4 MB", 12.4e6)
        .others(&[("Spartan", "≤ 100 KB"), ("Virgo", "253 KB"), ("Ligero", "1.5 MB"), ("ZKGC", "182.2 MB")])
        .printed(Memory, "≤ 400 MB", 400e6)
        .others(&[("Spartan", "≈ 7 GB"), ("Virgo", "≈ 1 GB"), ("Ligero", "≈ 5 GB"), ("ZKGC", "≤ 400 MB")]);
    let product = Row::new("two 512×512 matrices of a public product", product)
        .printed(Time, "320 s", 320.0)
        .others(&[("Spartan", "677 s"), ("Virgo", "64 s")])
        .printed(Bytes, "4.2 GB", 4.2e9)
        .others(&[("Spartan", "≤ 100 KB"), ("Virgo", "≈ 200 KB")])
        .printed(Memory, "≤ 400 MB", 400e6)
        .others(&[("Spartan", "≈ 86 GB"), ("Virgo", "≈ 18 GB")]);
    [merkle, product]
}

fn overview() -> Table {
    let [merkle, product] = prior_work(
        "merkle --depth 8 --kind gates --bandwidth 200",
        "matmul --size 512 --kind gates --bandwidth 200",
    );
    table(
        "wolverine-table1",
        "Table I: prior work",
        "200 Mbit/s, one thread. The paper's memory is the prover's, and ours that of both parties. The \
         matrices run with --large.",
        BOTH,
        vec![merkle, product.large()],
    )
}

fn overview_by_polynomials() -> Table {
    table(
        "wolverine-table1-polynomials",
        "Table I: the same as polynomials",
        "The paper's circuits are proved gate by gate, and these are not: its figures are beside what the \
         statements take.",
        QUICKSILVER,
        prior_work("merkle --depth 8 --bandwidth 200", "matmul --size 512 --bandwidth 200").into(),
    )
}
