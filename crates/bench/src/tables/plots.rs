//! All plots, and the points in them.

use super::draw::{self, Axis, Curve};
use super::measure::Measure::{self, *};
use super::paper::Row;
use super::results::Results;
use volery_cli::failure::Result;
use volery_cli::print::{count, human, seconds};

/// Figures of some tables over an option of their commands.
struct Plot {
    file: &'static str,
    title: &'static str,
    x: X,
    y: Measure,
    series: &'static [Series],
}

/// The rows of a table that run one bench.
struct Series {
    label: &'static str,
    table: &'static str,
    bench: &'static str,
    /// The bandwidth of the rows that count, if it is not what varies.
    bandwidth: Option<&'static str>,
    /// The name of the paper's own figures, where they are drawn.
    paper: Option<&'static str>,
}

/// The option that varies.
#[derive(Clone, Copy)]
enum X {
    Gates,
    Inputs,
    Size,
    Depth,
    Bandwidth,
}

const fn ours(label: &'static str, table: &'static str, bench: &'static str) -> Series {
    Series { label, table, bench, bandwidth: None, paper: None }
}

/// The series of those rows alone that have this bandwidth.
const fn at(bandwidth: &'static str, series: Series) -> Series {
    Series { bandwidth: Some(bandwidth), ..series }
}

const BOOLEAN: &[Series] = &[at("50", ours("AND gates at 50 Mbit/s", "wolverine-fig9", "boolean"))];
const BITS: &[Series] = &[at("50", ours("bits of witness at 50 Mbit/s", "wolverine-fig9", "boolean"))];
const ARITHMETIC: &[Series] =
    &[at("500", ours("multiplications over 2^61 - 1 at 500 Mbit/s", "wolverine-fig11", "arithmetic"))];
const ELEMENTS: &[Series] =
    &[at("500", ours("elements of witness, 2^61 - 1, at 500 Mbit/s", "wolverine-fig11", "arithmetic"))];
const MATRICES: &[Series] = &[
    ours("n×n matrices over 2^61 - 1 by gates", "wolverine-fig12", "matmul"),
    ours("as polynomials", "wolverine-fig12-polynomials", "matmul"),
];
const MERKLE: &[Series] = &[
    ours("all leaves of a tree by gates", "wolverine-fig10", "merkle"),
    ours("with polynomials", "wolverine-fig10-polynomials", "merkle"),
];
const RATES: &[Series] = &[
    Series {
        paper: Some("AND gates, QuickSilver's paper"),
        ..ours("AND gates", "quicksilver-table2", "boolean")
    },
    Series {
        paper: Some("over 2^61 - 1, QuickSilver's paper"),
        ..ours("multiplications over 2^61 - 1", "quicksilver-table2", "arithmetic")
    },
];

const fn plot(file: &'static str, title: &'static str, x: X, y: Measure, series: &'static [Series]) -> Plot {
    Plot { file, title, x, y, series }
}

static PLOTS: [Plot; 11] = [
    plot("boolean-time.svg", "Boolean circuits: time by size", X::Gates, Time, BOOLEAN),
    plot("boolean-memory.svg", "Boolean circuits: memory by size", X::Gates, Memory, BOOLEAN),
    plot("boolean-inputs.svg", "Boolean circuits: time by bits of witness", X::Inputs, Time, BITS),
    plot("arithmetic-time.svg", "Arithmetic circuits: time by size", X::Gates, Time, ARITHMETIC),
    plot("arithmetic-memory.svg", "Arithmetic circuits: memory by size", X::Gates, Memory, ARITHMETIC),
    plot(
        "arithmetic-inputs.svg",
        "Arithmetic circuits: time by elements of witness",
        X::Inputs,
        Time,
        ELEMENTS,
    ),
    plot("matmul-time.svg", "Products of matrices: time by size", X::Size, Time, MATRICES),
    plot("matmul-memory.svg", "Products of matrices: memory by size", X::Size, Memory, MATRICES),
    plot("merkle-time.svg", "Merkle trees: time by depth", X::Depth, Time, MERKLE),
    plot("merkle-memory.svg", "Merkle trees: memory by depth", X::Depth, Memory, MERKLE),
    plot("throughput.svg", "Gates per second by bandwidth", X::Bandwidth, Rate, RATES),
];

/// A plot that has points, as SVG.
pub(super) struct Drawing {
    pub(super) file: &'static str,
    pub(super) title: &'static str,
    pub(super) svg: String,
}

/// The plots of which some points were measured.
pub(super) fn drawings(results: &Results) -> Result<Vec<Drawing>> {
    let mut drawings = Vec::new();
    for plot in &PLOTS {
        let lines = plot.lines(results);
        if lines.iter().any(|line| !line.broken) {
            let title = if results.quick { &format!("{} (tiny sizes)", plot.title) } else { plot.title };
            let svg = draw::svg(title, &plot.x.axis(), &axis(plot.y), &lines)?;
            drawings.push(Drawing { file: plot.file, title: plot.title, svg });
        }
    }
    Ok(drawings)
}

impl Plot {
    /// The lines with points; the paper's behind ours.
    fn lines(&self, results: &Results) -> Vec<Curve> {
        let (mut measured, mut printed) = (Vec::new(), Vec::new());
        for series in self.series {
            let Some(table) = results.tables.iter().find(|measured| measured.table.id == series.table) else {
                continue;
            };
            for (i, system) in table.table.systems.iter().enumerate() {
                let cells =
                    table.cells.iter().map(|cells| &cells[i]).filter(|cell| series.runs(&cell.command));
                let points = cells.filter_map(|cell| Some((self.x.of(&cell.command)?, cell.value(self.y)?)));
                measured.push(Curve::new(format!("{}, volery, {system}", series.label), points, false));
            }
            // The papers' sizes beside tiny ones would say nothing.
            let Some(label) = series.paper.filter(|_| !results.quick) else { continue };
            let points = table.table.rows.iter().filter(|row| series.runs(&row.command)).filter_map(|row| {
                let figure = row.figures.iter().find(|figure| figure.measure == self.y)?;
                Some((self.x.of(&row.command)?, figure.printed.as_ref()?.value))
            });
            printed.push(Curve::new(label.into(), points, true));
        }
        measured.into_iter().chain(printed).filter(|line| !line.points.is_empty()).collect()
    }
}

impl Series {
    fn runs(&self, command: &str) -> bool {
        command.split_whitespace().next() == Some(self.bench)
            && self.bandwidth.is_none_or(|mbps| Row::option(command, "--bandwidth") == Some(mbps))
    }
}

/// The place of a link without limit among bandwidths in Mbit/s.
const UNLIMITED: f64 = 10_000.0;

impl X {
    /// The place of a command on the axis.
    fn of(self, command: &str) -> Option<f64> {
        let number = |option| Row::option(command, option)?.parse().ok();
        match self {
            Self::Gates => number("--gates"),
            Self::Inputs => number("--inputs"),
            Self::Size => number("--size"),
            Self::Depth => number("--depth"),
            Self::Bandwidth => Some(number("--bandwidth").unwrap_or(UNLIMITED)),
        }
    }

    fn axis(self) -> Axis {
        let whole = |value: f64| format!("{value:.0}");
        match self {
            Self::Gates => Axis { name: "gates", logarithmic: true, label: count },
            Self::Inputs => Axis { name: "inputs", logarithmic: true, label: count },
            Self::Size => Axis { name: "n, rows and columns", logarithmic: true, label: whole },
            Self::Depth => Axis { name: "depth d, 2^d leaves", logarithmic: false, label: whole },
            Self::Bandwidth => Axis {
                name: "bandwidth in Mbit/s",
                logarithmic: true,
                label: |value| {
                    if value == UNLIMITED { "unlimited".into() } else { format!("{value:.0}") }
                },
            },
        }
    }
}

/// The vertical axis.
fn axis(measure: Measure) -> Axis {
    let label = |value: f64| format!("{}B", human(value));
    match measure {
        Rate => Axis { name: "multiplications per second", logarithmic: true, label: count },
        Memory => Axis { name: "memory of both parties", logarithmic: true, label },
        _ => Axis { name: "time, set-up included", logarithmic: true, label: seconds },
    }
}
