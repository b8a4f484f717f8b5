//! Figures 11 and 12, tables VII and VIII: circuits over larger fields.

use super::super::measure::Measure::*;
use super::super::paper::{Row, Table};
use super::{BOTH, QUICKSILVER, WOLVERINE, table};
use volery_cli::print::grouped;

/// Figure 11.
pub(super) fn sizes() -> Table {
    let gates = |gates| {
        let what = format!("{} multiplications, 500 Mbit/s", grouped(gates));
        Row::new(what, format!("arithmetic --gates {gates} --bandwidth 500"))
            .plain(Time)
            .printed(Rate, "about 1 million/s", 1e6)
            .printed(BitsPerMultiplication, "4 elements", 4.0 * 61.0)
            .plain(Memory)
    };
    let inputs = |inputs| {
        let what = format!("{} elements of witness, 500 Mbit/s", grouped(inputs));
        Row::new(what, format!("arithmetic --inputs {inputs} --bandwidth 500"))
            .plain(Time)
            .plain(PerInput)
            .plain(Memory)
    };
    let mut rows: Vec<Row> = [100_000, 1_000_000, 10_000_000].map(gates).into();
    rows.extend([100_000, 1_000_000, 10_000_000].map(inputs));
    let slower = Row::new(
        format!("{} multiplications, 200 Mbit/s", grouped(5_000_000)),
        "arithmetic --gates 5000000 --bandwidth 200",
    );
    rows.push(
        slower
            .printed(Rate, "600,000/s", 600e3)
            .printed(PerMultiplication, "1.6 µs", 1.6e-6)
            .printed(Memory, "400 MB", 400e6),
    );
    let slowest = Row::new(
        format!("{} multiplications, 50 Mbit/s", grouped(2_000_000)),
        "arithmetic --gates 2000000 --bandwidth 50",
    );
    rows.push(slowest.printed(Rate, "roughly 200,000/s", 200e3));
    table(
        "wolverine-fig11",
        "Figure 11: arithmetic circuits over 2^61 − 1, by size",
        "Times are only plotted; the text gives the rates at 500 and 50 Mbit/s, and the introduction the \
         one at 200. Bits are those of both directions after the set-up, correlations included. With \
         elements of witness go 1,000 multiplications.",
        BOTH,
        rows,
    )
}

/// Figure 11, by the check that the paper has not measured.
pub(super) fn interpolation() -> Table {
    let row = |bandwidth, gates| {
        Row::new(
            format!("{} multiplications, {bandwidth} Mbit/s", grouped(gates)),
            format!("arithmetic --gates {gates} --bandwidth {bandwidth} --checked-by interpolation"),
        )
        .plain(Time)
        .plain(Rate)
        .printed(BitsPerMultiplication, "2 elements", 2.0 * 61.0)
        .plain(Memory)
    };
    table(
        "wolverine-fig11-interpolation",
        "Figure 11: the same by the second approach of section III-B",
        "The paper counts its elements, and has not measured it.",
        WOLVERINE,
        vec![row(500, 10_000_000), row(200, 5_000_000), row(50, 2_000_000)],
    )
}

/// The rows of figure 12, by `bench matmul` and what is behind it; those of a size of `large` or more run
/// with --large.
fn products(more: &str, large: u32) -> Vec<Row> {
    let row = |size: u32| {
        let row = Row::new(format!("{size}×{size}"), format!("matmul --size {size}{more} --bandwidth 500"));
        let row = row.plain(Time).plain(Bytes).printed(Memory, "at most 350 MB", 350e6);
        if size < large { row } else { row.large() }
    };
    [64, 128, 256, 512, 768].map(row).into()
}

/// Figure 12.
pub(super) fn matrices() -> Table {
    table(
        "wolverine-fig12",
        "Figure 12: products of matrices over 2^61 − 1, by size",
        "Times are only plotted, and the text names no bandwidth for them: 500 Mbit/s here. Each product \
         of entries is a multiplication. Those of 512 and 768 run with --large.",
        BOTH,
        products(" --kind gates", 512),
    )
}

/// Figure 12, as Wolverine cannot.
pub(super) fn matrices_by_polynomials() -> Table {
    table(
        "wolverine-fig12-polynomials",
        "Figure 12: the same as polynomials",
        "The paper multiplies gate by gate, and here the product is checked at random vectors.",
        QUICKSILVER,
        products("", u32::MAX),
    )
}

/// Table VII.
pub(super) fn binary_sis() -> Table {
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
        BOTH,
        rows.into(),
    )
}

/// Table VIII.
pub(super) fn ternary_sis() -> Table {
    let row = Row::new("ternary solution", "sis --kind ternary --bandwidth 500")
        .printed(OnlineBytes, "32.8 KB", 32.8e3)
        .others(&[("BLS", "384 KB"), ("Aurora", "233 KB"), ("ENS", "53 KB")])
        .plain(Bytes);
    table(
        "wolverine-table8",
        "Table VIII: a ternary solution of linear equations (SIS), bytes",
        "q ≈ 2^32, n = 2048, m = 1024. The figure printed leaves out the set-up, which alone sends more.",
        BOTH,
        vec![row],
    )
}
