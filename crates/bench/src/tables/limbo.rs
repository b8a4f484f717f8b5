//! Limbo: de Saint Guilhem, Orsini and Tanguy, section 7.

use super::measure::Measure::*;
use super::paper::{Paper, Row, Table};

static PAPER: Paper = Paper {
    name: "Limbo",
    title: "Limbo: Efficient Zero-knowledge MPCitH-based Arguments",
    machine: "a desktop with an Intel i9-9900 at 3.1 GHz and 128 GB, run locally, averages of 100 runs",
};

/// The tables in the order of the paper; table 1 is what the text tells of it.
pub(super) fn tables() -> Vec<Table> {
    vec![sha256(), coins(), files(), threads(), matrices()]
}

fn table(id: &'static str, title: &'static str, setting: &'static str, rows: Vec<Row>) -> Table {
    Table { id, title, paper: &PAPER, setting, systems: &["limbo"], rows }
}

/// A row for the cost of a proof, where the paper has no figures.
fn plain(what: impl Into<String>, command: impl Into<String>) -> Row {
    Row::new(what, command).plain(ProofBytes).plain(Prover).plain(Verifier)
}

fn sha256() -> Table {
    let ligero = |figure: &'static str| [("Ligero", figure)];
    let command = "limbo --statement sha256 --interactive";
    let paper = format!("{command} --parties 16 --compression 16 --check-field 64");
    let mut rows = vec![
        Row::new("n = 16, k = 16, coins of the verifier", paper)
            .printed(ProofBytes, "42 KB", 42e3)
            .others(&ligero("44 KB"))
            .printed(Prover, "53 ms", 53e-3)
            .others(&ligero("62 ms"))
            .printed(Verifier, "47 ms", 47e-3)
            .others(&ligero("140 ms")),
    ];
    rows.extend([16, 64, 256].map(|parties| {
        plain(format!("n = {parties}, coins of the verifier"), format!("{command} --parties {parties}"))
    }));
    rows.extend(
        ["speed", "balanced", "size"].map(|what| {
            plain(format!("a file, {what}"), format!("limbo --statement sha256 --prefer {what}"))
        }),
    );
    table(
        "limbo-table1",
        "Table 1, as the text tells it: a SHA-256 preimage",
        "One thread. The paper proves knowledge of block and chaining value of the published circuit, \
         22,573 AND gates; ours is a preimage of 55 bytes, 21,653. Soundness error 2^-40 by coins; files \
         have 128 bits, for which the paper gives no figure. Ligero's times stand as the text lists them: \
         verifier 140 ms, prover 62 ms.",
        rows,
    )
}

/// A line of table 3 for one proof: n, k, τ, kilobytes, and the milliseconds of prover and verifier.
type TableLine = (u32, u32, u32, u32, f64, Option<f64>);

/// The lines of table 3 by the logarithm of the AND gates. The copy at hand ends with the prover of the last
/// line.
#[rustfmt::skip]
const TABLE3: [(u32, &[TableLine]); 4] = [
    (10, &[
        (16, 8, 11, 6, 2.4, Some(2.3)), (16, 16, 11, 8, 2.6, Some(2.4)),
        (32, 8, 9, 5, 3.8, Some(3.6)), (32, 16, 9, 7, 4.0, Some(3.8)),
        (64, 8, 7, 4, 6.7, Some(6.5)), (64, 16, 7, 5, 6.9, Some(6.6)),
        (128, 8, 6, 3, 11.0, Some(10.6)), (128, 16, 6, 4, 9.7, Some(9.3)),
    ]),
    (14, &[
        (16, 16, 11, 32, 39.0, Some(32.0)), (16, 32, 11, 37, 43.0, Some(36.0)),
        (32, 16, 9, 26, 60.0, Some(58.0)), (32, 32, 9, 30, 67.0, Some(64.0)),
        (64, 16, 7, 20, 92.0, Some(89.0)), (64, 32, 7, 24, 102.0, Some(99.0)),
        (128, 16, 6, 17, 155.0, Some(150.0)), (128, 32, 6, 20, 162.0, Some(156.0)),
    ]),
    (16, &[
        (16, 16, 11, 102, 163.0, Some(159.0)), (16, 32, 11, 108, 172.0, Some(167.0)),
        (32, 16, 9, 83, 334.0, Some(258.0)), (32, 32, 9, 88, 333.0, Some(269.0)),
        (64, 16, 7, 65, 297.0, Some(394.0)), (64, 32, 7, 69, 294.0, Some(413.0)),
        (128, 16, 6, 55, 707.0, Some(677.0)), (128, 32, 6, 58, 732.0, Some(701.0)),
    ]),
    (20, &[
        (16, 32, 11, 1464, 3080.0, None), (16, 64, 11, 1476, 3010.0, None),
        (32, 32, 9, 1198, 4910.0, None), (32, 64, 9, 1208, 4760.0, None),
        (64, 32, 7, 932, 7480.0, None),
    ]),
];

/// A statement of 2^`log` ANDs.
fn random(log: u32) -> String {
    format!("limbo --statement random --gates {}", 1_u64 << log)
}

fn milliseconds(value: f64) -> String {
    if value < 1000.0 { format!("{value} ms") } else { format!("{} s", value / 1e3) }
}

fn coins() -> Table {
    let command = |log, parties, compression, repetitions| {
        format!(
            "{} --interactive --parties {parties} --compression {compression} --repetitions {repetitions} \
             --check-field 64",
            random(log)
        )
    };
    let mut rows = Vec::new();
    for (log, lines) in TABLE3 {
        for &(parties, compression, repetitions, kilobytes, prover, verifier) in lines {
            let row = Row::new(
                format!("2^{log}, n = {parties}, k = {compression}"),
                command(log, parties, compression, repetitions),
            );
            let row = row.printed(ProofBytes, format!("{kilobytes} KB"), 1e3 * f64::from(kilobytes));
            let row = row.printed(Prover, milliseconds(prover), prover / 1e3);
            rows.push(match verifier {
                Some(verifier) => row.printed(Verifier, milliseconds(verifier), verifier / 1e3),
                None => row.plain(Verifier),
            });
        }
        let mut parties: Vec<_> = lines.iter().map(|line| (line.0, line.2)).collect();
        parties.dedup();
        rows.extend(parties.into_iter().map(|(parties, repetitions)| {
            plain(format!("2^{log}, n = {parties}, ours: k = 4"), command(log, parties, 4, repetitions))
        }));
    }
    table(
        "limbo-table3",
        "Table 3: random circuits, coins of the verifier",
        "One thread, soundness error 2^-40, a check over 2^64, and the paper's n, k and repetitions. Its \
         prover's times of 2^16 gates among 32 and 64 parties look exchanged. Seeds here have 128 bits \
         and digests 256, whatever the error. The copy of the table at hand ends before the last lines of \
         2^20 and its verifier's times.",
        rows,
    )
}

fn files() -> Table {
    let file = |log, more: &str| format!("{} {more}", random(log));
    let mut rows = vec![
        Row::new(
            "2^20, n = 8, l = 64, independent",
            file(20, "--parties 8 --check-field 64 --challenges independent"),
        )
        .printed(ProofBytes, "6.5 MB", 6.5e6)
        .printed(Prover, "8.7 s", 8.7)
        .plain(Verifier),
    ];
    for log in [10, 14, 16, 20] {
        for parties in [16, 64, 256] {
            for (bits, challenges) in [(64, "independent"), (160, "identical")] {
                rows.push(plain(
                    format!("2^{log}, n = {parties}, l = {bits}, {challenges}"),
                    file(log, &format!("--parties {parties} --check-field {bits} --challenges {challenges}")),
                ));
            }
        }
    }
    table(
        "limbo-table4",
        "Table 4: random circuits, as files",
        "One thread, 128 bits. The table itself is not at hand: the text tells of 2^20 gates among 8 \
         parties, and of independent challenges; the others are ours.",
        rows,
    )
}

fn threads() -> Table {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let row = |what: &str, more: &str| {
        let command = format!("{} {more} --threads {threads}", random(20));
        Row::new(format!("2^20, {what}, {threads} threads"), command)
    };
    table(
        "limbo-table5",
        "Table 5: several threads",
        "What the text tells of it, with 4 threads: 16 parties by coins, 8 in a file. Ours has as many \
         threads as this machine runs at once, for each party.",
        vec![
            row("n = 16, coins", "--interactive --parties 16 --check-field 64")
                .printed(Prover, "0.987 s", 0.987)
                .plain(Verifier)
                .printed(ProofBytes, "1.2 MB", 1.2e6),
            row("n = 8, a file", "--parties 8 --check-field 64 --challenges independent")
                .printed(Prover, "4.7 s", 4.7)
                .plain(Verifier)
                .printed(ProofBytes, "6.5 MB", 6.5e6),
        ],
    )
}

fn matrices() -> Table {
    let command = |kind| format!("matmul --size 128 --field f61x2 --parties 16 --kind {kind}");
    let row = |what: &str, kind| plain(format!("M = 128, {what}"), command(kind));
    let inner = Row::new("M = 128, by inner products", command("inner-product"));
    let inner = inner.plain(ProofBytes).others(&[("than gate by gate", "about 38x less communication")]);
    let inner = inner.plain(Prover).others(&[("than gate by gate", "about 30% faster")]).plain(Verifier);
    table(
        "limbo-table6",
        "Table 6: products of matrices",
        "Over 2^61 - 1, by coins of the verifier; the factors are secret and the product is public. The \
         table is not at hand; the text compares inner products with a multiplication gate for each \
         product. With random vectors the claim is one inner product of length 128.",
        vec![row("gate by gate", "gates"), inner, row("by random vectors", "random")],
    )
}
