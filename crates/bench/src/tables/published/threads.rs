//! `docs/threads.md`: what threads make of statements that are one function on many lanes, and of those that are not.

use super::super::draw::{self, Axis, Curve};
use super::super::measure::Measure::{self, *};
use super::super::paper::Row;
use super::REPLAY;
use super::kept::Kept;
use super::section::{Figure, Line, Section};
use volery_cli::failure::Result;

/// The page.
pub(super) const PAGE: &str = "threads.md";

/// The plot, in the folder of plots.
pub const PLOT: &str = "threads.svg";

/// The threads of each party where both are on the machine, and of one party with a record of the other. The
/// first are what others are compared with.
const BOTH: [u32; 4] = [1, 2, 4, 7];
const ALONE: [u32; 5] = [1, 2, 4, 8, 16];

/// A statement that is measured.
struct Work {
    name: &'static str,
    command: &'static str,
    /// The quantity by both parties.
    rate: Measure,
}

const WORK: [Work; 10] = [
    Work {
        name: "1,024 SHA-256 preimages, `mid`",
        command: "sha256 --count 1024 --vole mid",
        rate: PreimageRate,
    },
    Work {
        name: "1,024 SHA-256 preimages, `softspoken4`",
        command: "sha256 --count 1024 --vole softspoken4",
        rate: PreimageRate,
    },
    Work {
        name: "1,024 SHA-256 preimages, MACs of 64 bits, `mid`",
        command: "sha256 --count 1024 --field f2x64 --vole mid",
        rate: PreimageRate,
    },
    Work {
        name: "1,024 SHA-256 preimages, MACs of 64 bits, `softspoken4`",
        command: "sha256 --count 1024 --field f2x64 --vole softspoken4",
        rate: PreimageRate,
    },
    Work {
        name: "10^7 ANDs in 1,024 lanes, `mid`",
        command: "boolean --gates 10000000 --lanes 1024 --vole mid",
        rate: Rate,
    },
    Work {
        name: "10^7 ANDs in 1,024 lanes, `softspoken4`",
        command: "boolean --gates 10000000 --lanes 1024 --vole softspoken4",
        rate: Rate,
    },
    Work {
        name: "8,191 SHA-256 of a Merkle tree, `mid`",
        command: "merkle --depth 12 --kind gates --vole mid",
        rate: CompressionRate,
    },
    Work {
        name: "8,191 SHA-256 of a Merkle tree, `softspoken4`",
        command: "merkle --depth 12 --kind gates --vole softspoken4",
        rate: CompressionRate,
    },
    Work {
        name: "8,191 SHA-256 of a Merkle tree, by holes, `mid`",
        command: "merkle --depth 12 --vole mid",
        rate: CompressionRate,
    },
    Work {
        name: "8,191 SHA-256 of a Merkle tree, by holes, `softspoken4`",
        command: "merkle --depth 12 --vole softspoken4",
        rate: CompressionRate,
    },
];

/// Statements that are no maps, of whose work one thread keeps a share.
const NO_MAPS: [(&str, &str); 8] = [
    ("10^7 ANDs, gate by gate", "boolean --gates 10000000 --vole mid"),
    ("an inner product of 4·10^6 elements of 2^61 − 1", "inner-product --length 4000000 --vole mid"),
    ("a product of matrices, 1,024 by 1,024", "matmul --size 1024 --vole mid"),
    ("10^6 words converted to numbers", "convert --count 1000000 --vole mid"),
    ("4·10^6 accesses to a memory", "ram --vole mid"),
    ("10^6 lookups", "lookup --vole mid"),
    ("a run of SHA-256 in RISC-V on 8,192 bytes", "program --length 8192 --vole mid"),
    ("10^7 ANDs by Wolverine", "wolverine --gates 10000000 --vole mid"),
];

/// The tables, of which all commands of one party alone are in two.
pub(super) fn sections() -> Vec<Section> {
    let both = |work: &Work| line(work, &BOTH, "", work.rate);
    let alone = |measure: Measure| move |work: &Work| line(work, &ALONE, REPLAY, measure);
    vec![
        Section::new("threads-both", PAGE, WORK.iter().map(both).collect()),
        Section::new("threads-prover", PAGE, WORK.iter().map(alone(ProverAlone)).collect()),
        Section::new("threads-verifier", PAGE, WORK.iter().map(alone(VerifierAlone)).collect()),
        Section::new("threads-no-maps", PAGE, NO_MAPS.iter().map(by_two).collect()),
    ]
}

/// A row of both parties alone: cells for one thread and for two.
fn by_two((name, command): &(&'static str, &str)) -> Line {
    let by = |threads| format!("{command}{REPLAY} --threads {threads}");
    [ProverAlone, VerifierAlone].into_iter().fold(Line::new(&[name]), |line, measure| {
        let two = || Figure::new(by(2), measure);
        line.cell(vec![Figure::new(by(1), measure)]).cell(vec![two(), two().times(by(1))])
    })
}

/// A row: a cell for each number of threads.
fn line(work: &Work, threads: &[u32], more: &str, measure: Measure) -> Line {
    let command = |threads: u32| format!("{}{more} --threads {threads}", work.command);
    threads.iter().fold(Line::new(&[work.name]), |line, threads_of_each| {
        let figure = || Figure::new(command(*threads_of_each), measure);
        let one = threads[0];
        line.cell(match *threads_of_each == one {
            true => vec![figure()],
            false => vec![figure(), figure().times(command(one))],
        })
    })
}

/// The plot of what was measured, if there is any.
pub(super) fn plot(kept: &Kept) -> Result<Option<String>> {
    let [both, prover, verifier, _] = sections().try_into().unwrap_or_else(|_| unreachable!("four tables"));
    let mut curves = Vec::new();
    for line in &both.lines {
        curves.push(curve(line, "both parties", kept, false));
    }
    for (section, who) in [(prover, "the prover alone"), (verifier, "the verifier alone")] {
        curves.push(curve(&section.lines[0], who, kept, true));
    }
    curves.retain(|curve| curve.points.len() > 1);
    if curves.is_empty() {
        return Ok(None);
    }
    let x = Axis { name: "threads of a party", logarithmic: true, label: |threads| format!("{threads:.0}") };
    let y =
        Axis { name: "times as fast as by one", logarithmic: false, label: |times| format!("{times:.1}×") };
    draw::svg("Threads", &x, &y, &curves).map(Some)
}

/// The times as fast as by one thread, by threads.
fn curve(line: &Line, who: &str, kept: &Kept, broken: bool) -> Curve {
    let figures = || line.cells.iter().flat_map(|cell| &cell.0);
    let point = |figure: &Figure| {
        let threads = Row::option(&figure.command, "--threads")?.parse().ok()?;
        Some((threads, figure.ratio(kept)?))
    };
    let one = figures().next().filter(|_| figures().any(|figure| point(figure).is_some()));
    let points = one.map(|_| (1.0, 1.0)).into_iter().chain(figures().filter_map(point));
    let name = line.names[0].replace('`', "");
    Curve::new(format!("{name}, {who}"), points, broken)
}
