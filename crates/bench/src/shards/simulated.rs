//! Forecast for many pairs of workers, by the times of one measured pair: a model, and no measurement.
//!
//! Each pair has a core on either side. Gates are cut into shards of the size that was measured, as many as it
//! takes, and pairs take one after the other. All pairs share one link between the parties of so many Mbit/s
//! each way. A run is over when the slower of the two is: the cores, at what a gate and a set-up took them here,
//! or the link, at what these sent. The last shard, which joins the others, comes behind, at a shard's time.

use serde_json::{Value, json};
use volery::Report;
use volery_cli::both::Reports;
use volery_cli::print::human;

/// A trillion.
const GATES: f64 = 1e12;
/// The link where none is given, in Mbit/s.
const LINK: f64 = 10_000.0;
/// The price of an hour of a core, as assumed, and of a gigabyte that leaves a party, in US dollars.
const CORE_HOUR: f64 = 0.04;
const GIGABYTE: f64 = 0.05;

/// Forecasts for 64 to 1024 pairs: names and values for JSON, and texts.
pub(super) fn of(
    reports: &Reports,
    cpu: Option<f64>,
    (setup, setup_bytes): (f64, f64),
    bandwidth: Option<f64>,
) -> Vec<(&'static str, Value, String)> {
    let all = &reports.verifier;
    let shards = all.len() as f64;
    let mul: f64 = all.iter().map(|report| report.gates.mul as f64).sum();
    let online: f64 = all.iter().map(|report| report.online.as_secs_f64()).sum();
    // Half of what both parties computed, or what both took together where that is not known.
    let each = cpu.map_or(online, |cpu| cpu / 2.0) / mul;
    let carried = |of: fn(&Report) -> u64| all.iter().map(|report| of(report) as f64).sum::<f64>() / mul;
    let (sent, received) = (carried(|report| report.traffic.received), carried(|report| report.traffic.sent));
    let link = bandwidth.unwrap_or(LINK) * 1e6 / 8.0;
    let of_shard = mul / shards;
    let count = (GATES / of_shard).ceil();
    let rows = [64_u32, 128, 256, 512, 1024].map(|pairs| {
        let cores = (GATES * each + count * setup) / f64::from(pairs);
        let wire = GATES * sent.max(received) / link;
        let tail = of_shard * each + setup;
        let seconds = cores.max(wire) + tail;
        let efficiency = GATES * each / f64::from(pairs) / seconds;
        let bottleneck = if wire > cores { "link" } else { "cores" };
        let money = 2.0 * f64::from(pairs) * seconds / 3600.0 * CORE_HOUR
            + GATES * (sent + received) / 1e9 * GIGABYTE;
        (pairs, seconds, efficiency, bottleneck, money)
    });
    let objects = rows.map(|(pairs, seconds, efficiency, bottleneck, money)| {
        json!({
            "pairs": pairs,
            "hours": seconds / 3600.0,
            "efficiency": efficiency,
            "bottleneck": bottleneck,
            "dollars": money,
        })
    });
    let lines = rows.map(|(pairs, seconds, efficiency, bottleneck, money)| {
        let percent = 100.0 * efficiency;
        format!("{pairs} pairs {:.2} h, {percent:.0} % ({bottleneck}), {money:.0} dollars", seconds / 3600.0)
    });
    let assumed = json!({
        "gates": GATES,
        "gates_of_a_shard": of_shard,
        "link_mbps": link * 8.0 / 1e6,
        "dollars_per_core_hour": CORE_HOUR,
        "dollars_per_gigabyte": GIGABYTE,
        "setup_bytes_of_a_shard": setup_bytes,
        "bytes": GATES * (sent + received),
    });
    let text = format!(
        "{}B both ways over {}bit/s shared, {CORE_HOUR} dollars a core hour, {GIGABYTE} a gigabyte",
        human(GATES * (sent + received)),
        human(8.0 * link)
    );
    vec![("simulated", json!(objects), lines.join("; ")), ("assumed", assumed, text)]
}
