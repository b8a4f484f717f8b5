//! Proof files by VOLE in the head, beside Limbo's and what others publish of the same statements.

use super::measure::Measure::*;
use super::paper::{Paper, Row, Table};

static BENCHMARKS: Paper = Paper {
    name: "csp-benchmarks",
    title: "Benchmarks of client-side proving",
    machine: "eight cores of an Apple M1",
};

static LIMBO: Paper = Paper {
    name: "Limbo",
    title: "Limbo, and VOLE in the head: the same statements by both",
    machine: "this one, for both",
};

pub(super) fn tables() -> Vec<Table> {
    vec![preimages(), gates(), messages()]
}

/// One proof of each preference.
fn preferences(what: &str, command: &str) -> Vec<Row> {
    let row = |prefer: &str| {
        let row = Row::new(format!("{what}, {prefer}"), format!("{command} --prefer {prefer}"));
        row.plain(ProofBytes).plain(Prover).plain(Verifier)
    };
    ["speed", "balanced", "size"].map(row).into()
}

fn preimages() -> Table {
    let mut rows = preferences("by gates", "voleith --statement sha256");
    rows.extend(preferences("with holes", "voleith --statement sha256 --kind holes"));
    Table {
        id: "voleith-sha256",
        title: "A SHA-256 preimage in a file",
        paper: &LIMBO,
        setting: "One thread, 55 bytes, 128 bits by limbo and 124 by voleith. With holes what is between \
                  words is stated as polynomials, which cost limbo gates.",
        systems: &["voleith", "limbo"],
        rows,
    }
}

fn gates() -> Table {
    let rows = [10, 14, 16, 20].map(|log| {
        preferences(&format!("2^{log}"), &format!("voleith --statement random --gates {}", 1_u64 << log))
    });
    Table {
        id: "voleith-gates",
        title: "Random circuits in a file",
        paper: &LIMBO,
        setting: "One thread, 128 bits by limbo and 124 by voleith.",
        systems: &["voleith", "limbo"],
        rows: rows.into_iter().flatten().collect(),
    }
}

fn messages() -> Table {
    let command = "voleith --statement sha256 --length 2048 --kind holes --threads 2";
    let published = |row: Row| {
        let others = [("binius64", "67 ms"), ("circom", "4.8 s")];
        let row = row.plain(Prover).others(&others);
        row.plain(Verifier).others(&[("binius64", "59 ms")]).plain(ProofBytes)
    };
    let row = |prefer: &str| {
        published(Row::new(format!("2 KiB, {prefer}"), format!("{command} --prefer {prefer}")))
    };
    Table {
        id: "voleith-messages",
        title: "SHA-256 of 2 KiB, of which nothing is told but the digest",
        paper: &BENCHMARKS,
        setting: "33 blocks with holes, two threads for each party; circom's time is that of its prover.",
        systems: &["voleith"],
        rows: ["speed", "balanced", "size"].map(row).into(),
    }
}
