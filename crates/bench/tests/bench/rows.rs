//! The rows of the table of benches, and those of the papers' tables.

use serde_json::json;
use std::collections::HashSet;
use volery_bench::table::{BENCHES, find};
use volery_bench::tables::machine::date;
use volery_bench::tables::measure::Measure::*;
use volery_bench::tables::paper::Row;
use volery_bench::tables::{all, chosen};

#[test]
fn benches_are_told_apart_and_have_a_system() {
    let names: HashSet<_> = BENCHES.iter().map(|bench| bench.name).collect();
    assert_eq!(names.len(), BENCHES.len());
    assert!(BENCHES.iter().all(|bench| !bench.systems.is_empty() && !bench.says.is_empty()));
    assert!(find("boolean").is_ok() && find("groth16").is_err());
}

#[test]
fn tables_have_names_rows_and_figures() {
    let tables = all();
    let ids: HashSet<_> = tables.iter().map(|table| table.id).collect();
    assert_eq!(ids.len(), tables.len());
    for table in &tables {
        assert!(!table.rows.is_empty() && !table.systems.is_empty(), "{}", table.id);
        for row in &table.rows {
            assert!(!row.figures.is_empty() && row.command.split_whitespace().count() > 1, "{}", row.command);
        }
    }
}

#[test]
fn tables_are_chosen_by_name_and_by_paper() {
    let ids = |only: &[&str]| {
        let only: Vec<_> = only.iter().map(|name| (*name).to_owned()).collect();
        chosen(&only).map(|tables| tables.iter().map(|table| table.id).collect::<Vec<_>>())
    };
    assert_eq!(ids(&["wolverine-table3"]).expect("known"), ["wolverine-table3"]);
    assert!(ids(&["quicksilver"]).expect("known").iter().all(|id| id.starts_with("quicksilver-")));
    assert_eq!(ids(&[]).expect("all").len(), all().len());
    let refused = ids(&["quick"]).expect_err("unknown");
    assert!(refused.line.contains("--only") && refused.line.contains("wolverine-fig9"), "{refused:?}");
}

#[test]
fn quick_commands_are_small() {
    let row = Row::new("", "boolean --gates 1000000 --bandwidth 100000");
    assert_eq!(row.sized(false), row.command);
    assert_eq!(row.sized(true), "boolean --gates 20000 --bandwidth 100000");
    assert_eq!(Row::new("", "matmul --size 8").sized(true), "matmul --size 8");
    assert_eq!(Row::option(&row.command, "--gates"), Some("1000000"));
    assert_eq!(Row::option(&row.command, "--size"), None);
}

#[test]
fn measures_are_read_and_compared() {
    let run = json!({
        "gates": {"mul": 1000}, "inputs": 0, "bytes": {"sent": 300, "received": 100}, "online_bytes": 250,
        "seconds": {"setup": 1.0, "online": 0.5}, "mul_gates_per_second": 2000.0, "peak_rss_bytes": null,
        "cycles_per_second": 6600.0, "bytes_per_cycle": 320.0,
    });
    let found = [Time, Bytes, SetupBytes, PerMultiplication, BitsPerMultiplication];
    assert_eq!(found.map(|measure| measure.of(&run)), [1.5, 400.0, 150.0, 0.0005, 2.0].map(Some));
    assert_eq!([PerInput, Memory, Proving].map(|measure| measure.of(&run)), [None; 3]);
    assert_eq!((Time.better_by(2.0, 8.0), Rate.better_by(2.0, 8.0)), (Some(4.0), Some(0.25)));
    assert_eq!(Time.better_by(0.0, 8.0), None);
    assert_eq!([CycleRate, BytesPerCycle].map(|measure| measure.of(&run)), [6600.0, 320.0].map(Some));
    assert_eq!((CycleRate.text(6600.0), BytesPerCycle.text(320.0)), ("6.60 k/s".into(), "320 B".into()));
    assert_eq!(CycleRate.better_by(13_200.0, 6600.0), BytesPerCycle.better_by(160.0, 320.0));
    assert_eq!((Bytes.text(4100.0), Rate.text(7.5e6)), ("4.10 kB".into(), "7.50 M/s".into()));
}

#[test]
fn dates_are_those_of_the_calendar() {
    let dates = [0, 951_782_399, 951_782_400, 1_735_689_599, 1_735_689_600].map(date);
    let known = [
        "1970-01-01T00:00:00Z",
        "2000-02-28T23:59:59Z",
        "2000-02-29T00:00:00Z",
        "2024-12-31T23:59:59Z",
        "2025-01-01T00:00:00Z",
    ];
    assert_eq!(dates, known);
}
