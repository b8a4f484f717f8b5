//! Tables III and IV: correlations.

use super::super::measure::Measure::*;
use super::super::paper::{Row, Table};
use super::{QUICKSILVER, table};

/// Table III.
pub(super) fn by_bandwidth() -> Table {
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
        "r = 1, 10^7 correlations to each extension. Ours are from the set that `auto` chooses for the \
         bandwidth; `--vole wan` sends least.",
        QUICKSILVER,
        rows.into(),
    )
}

/// Table IV.
pub(super) fn beside_others() -> Table {
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
        QUICKSILVER,
        vec![row("what auto chooses", ""), row("those that send least", " --vole wan")],
    )
}
