//! Tables of `docs/figures.md`.

use super::super::measure::Measure::{self, *};
use super::section::{Figure, Line, Section};

/// The page.
const PAGE: &str = "figures.md";

/// The tables in the order of the page.
pub(super) fn sections() -> Vec<Section> {
    let sections = [
        ("boolean", boolean()),
        ("arithmetic", arithmetic()),
        ("replay", replay()),
        ("statements", statements()),
        ("memory", memory()),
        ("branches", branches()),
        ("shards", shards()),
        ("polynomials", polynomials()),
        ("limbo", limbo()),
        ("voleith", voleith()),
        ("correlations", correlations()),
    ];
    sections.map(|(id, lines)| Section::new(id, PAGE, lines)).into()
}

/// A row with a cell for each of these lists.
fn row(names: &[&str], command: &str, cells: &[&[Measure]]) -> Line {
    let figures = |cell: &&[Measure]| cell.iter().map(|measure| Figure::new(command, *measure)).collect();
    cells.iter().map(figures).fold(Line::new(names), Line::cell)
}

/// A figure with words behind it.
fn told(command: &str, measure: Measure, behind: &'static str) -> Figure {
    Figure::new(command, measure).behind(behind)
}

/// A row of multiplications: a rate beside the paper's, bytes, set-up and memory.
fn gates(names: &[&str], command: &str, paper: f64, setup: &[Measure]) -> Line {
    let line = Line::new(names).cell(vec![Figure::new(command, Rate).paper(paper)]);
    let setup = setup.iter().map(|measure| Figure::new(command, *measure)).collect();
    let line = line.cell(vec![Figure::new(command, BytesPerMultiplication)]).cell(setup);
    line.cell(vec![Figure::new(command, Memory)])
}

fn boolean() -> Vec<Line> {
    let quicksilver = |name: &str, set: &str| {
        let command = format!("boolean --gates 100000000 --vole {set}");
        gates(&[name, &format!("`{set}`")], &command, 7.6e6, &[Setup, SetupBytes])
    };
    let short = |name: &str, set: &str| {
        let command = format!("boolean --gates 100000000 --field f2x64 --vole {set}");
        gates(&[name, &format!("`{set}`")], &command, 7.6e6, &[Setup, SetupBytes])
    };
    let wolverine = |name: &str, set: &str| {
        let command = format!("wolverine --gates 10000000 --vole {set}");
        gates(&[name, &format!("`{set}`")], &command, 1.25e6, &[Setup, SetupBytes])
    };
    let stack = "stack --clauses 15 --gates 500000 --bandwidth 1000 --latency 2";
    let stacked = Line::new(&["stacked garbling, 15 clauses, at 1 Gbit/s and 2 ms", ""])
        .cell(vec![told(stack, Rate, " of all clauses").paper(7.5e6)]);
    let cells: [&[Measure]; 3] = [&[BytesPerMultiplication], &[Setup], &[Memory]];
    let figures = |cell: &[Measure]| cell.iter().map(|measure| Figure::new(stack, *measure)).collect();
    let limbo = "limbo --statement random --gates 1048576 --interactive --prefer speed";
    vec![
        quicksilver("QuickSilver, 10^8 ANDs", "softspoken4"),
        quicksilver("", "l2"),
        quicksilver("", "mid"),
        quicksilver("", "wan"),
        short("with MACs of 64 bits", "softspoken4"),
        short("", "l2"),
        short("", "mid"),
        short("", "wan"),
        gates(&["JKO, 10^7 ANDs", ""], "jko --gates 10000000", 6e6, &[Setup]),
        cells.into_iter().map(figures).fold(stacked, Line::cell),
        wolverine("Wolverine, 10^7 ANDs, 40 bits, buckets", "softspoken4"),
        wolverine("", "mid"),
        wolverine("", "wan"),
        gates(&["Limbo, 2^20 ANDs, 16 parties, coins", ""], limbo, 0.34e6, &[Setup]),
    ]
}

fn arithmetic() -> Vec<Line> {
    let setup: &[Measure] = &[Setup, SetupBytes];
    let many = |name: &str, set: &str| {
        let command = format!("arithmetic --gates 100000000 --vole {set}");
        gates(&[name, &format!("`{set}`")], &command, 4.8e6, setup)
    };
    let wolverine = |way: &str| {
        let command = format!("wolverine --gates 10000000 --field f61 --vole l2 --checked-by {way}");
        gates(&[&format!("Wolverine, 2^61 − 1, {way}"), "`l2`"], &command, 0.66e6, setup)
    };
    let over = |name: &str, field: &str| {
        let command = format!("arithmetic --gates 10000000 --field {field} --vole mid");
        let cells: [&[Measure]; 4] = [&[Rate], &[BytesPerMultiplication], &[Setup], &[Memory]];
        row(&[&format!("QuickSilver, {name}"), "`mid`"], &command, &cells)
    };
    vec![
        many("QuickSilver, 2^61 − 1, 10^8 products", "l2"),
        many("", "mid"),
        many("", "wan"),
        wolverine("sacrifice"),
        wolverine("interpolation"),
        over("2^61 − 1, r = 2", "f61x2"),
        over("F_{2^8}", "f256"),
        over("2^32 − 5", "q32"),
        over("2^64 − 2^32 + 1", "goldilocks"),
        over("65537", "f65537"),
    ]
}

/// Rows of one party alone, by one thread and by two.
fn replay() -> Vec<Line> {
    let alone = |name: &str, command: &str| {
        let party = |line: Line, measure| {
            let by = |threads: u32| format!("{command} --replay --threads {threads}");
            let line = line.cell([1, 2].map(|threads| Figure::new(by(threads), measure)).into());
            line.cell(vec![Figure::new(by(2), measure).times(by(1))])
        };
        party(party(Line::new(&[name]), ProverAlone), VerifierAlone).by_hand()
    };
    vec![
        alone("F_2, `mid`", "boolean --gates 20000000 --vole mid"),
        alone("F_2, `softspoken4`", "boolean --gates 20000000 --vole softspoken4"),
        alone("F_2 with MACs of 64 bits, `mid`", "boolean --gates 20000000 --field f2x64 --vole mid"),
        alone("the same, `softspoken4`", "boolean --gates 20000000 --field f2x64 --vole softspoken4"),
        alone("2^61 − 1, `l2`", "arithmetic --gates 20000000 --vole l2"),
    ]
}

fn statements() -> Vec<Line> {
    let stated = |command: &str, what: &str, figures: &[(Measure, &'static str)]| {
        let figures = figures.iter().map(|(measure, behind)| told(command, *measure, behind)).collect();
        Line::new(&[&format!("`{command}`"), what]).cell(figures)
    };
    const MEMORY: (Measure, &str) = (Memory, " of memory");
    const WHOLE: (Measure, &str) = (WholeTime, "");
    const TIME: (Measure, &str) = (Time, "");
    const BYTES: (Measure, &str) = (Bytes, "");
    vec![
        stated("merkle --depth 8 --bandwidth 200", "511 SHA-256 by holes", &[WHOLE, BYTES, MEMORY]),
        stated(
            "merkle --depth 16 --kind gates --vole l2",
            "131,071 SHA-256, by gates",
            &[WHOLE, BYTES, MEMORY],
        ),
        stated(
            "merkle --system jko --bandwidth 1000 --latency 2",
            "511 SHA-256, garbled",
            &[TIME, BYTES, MEMORY],
        ),
        stated("snippets --count 4 --bandwidth 10", "a bug in one of 4 pieces of C", &[WHOLE]),
        stated("snippets --count 50 --bandwidth 10", "in one of 50", &[WHOLE]),
        stated("snippets --count 200 --bandwidth 10", "in one of 200", &[WHOLE]),
        stated(
            "snippets --count 1000",
            "in one of 1000, on loopback",
            &[WHOLE, (Online, " of them the proof")],
        ),
        stated("snippets --system stack --count 4", "stacked, 4 clauses", &[TIME, BYTES]),
        stated("snippets --system stack --count 1000", "stacked, 1000 clauses", &[TIME, BYTES]),
        stated("stack --bandwidth 1000 --latency 2", "one of 15, 500,000 ANDs each", &[TIME, BYTES, MEMORY]),
        stated(
            "merkle-membership --system stack",
            "one of three trees, 2.0 million ANDs",
            &[TIME, BYTES, MEMORY],
        ),
        stated("price-discrimination --bandwidth 10", "161,000 ANDs", &[WHOLE, BYTES]),
        stated("blind-certificate --bandwidth 10", "2.5 million ANDs", &[WHOLE, BYTES]),
    ]
}

fn memory() -> Vec<Line> {
    let accesses = |name: &str, command: &str| {
        row(&[name], &format!("ram {command}"), &[&[AccessRate], &[BytesPerAccess], &[Memory]])
    };
    let lookups = |name: &str, command: &str| {
        row(
            &[name],
            &format!("lookup --accesses 1048576 {command}"),
            &[&[LookupRate], &[BytesPerLookup], &[Memory]],
        )
    };
    vec![
        accesses("reads and writes over 2^61 − 1, of 2^20 words", "--words 1048576 --accesses 4194304"),
        accesses("of 2^16 words", "--words 65536 --accesses 1048576"),
        accesses(
            "over F_2, of 2^20 words of 32 bits, `softspoken4`",
            "--words 1048576 --accesses 1048576 --field f2 --vole softspoken4",
        ),
        accesses("of 2^16 words of 32 bits", "--words 65536 --accesses 1048576 --field f2"),
        lookups("ranges of 16 bits over 2^61 − 1", "--bits 16"),
        lookups("of 32 bits", "--bits 32"),
        lookups("lookups in 2^16 rows", "--words 65536"),
        row(
            &["words of 32 bits to numbers over 2^61 − 1"],
            "convert --count 1048576 --bits 32",
            &[&[ConversionRate], &[BytesPerConversion], &[Memory]],
        ),
    ]
}

fn branches() -> Vec<Line> {
    let branches = |name: &str, clauses: u32, gates: u32| {
        let command = &format!("branches --clauses {clauses} --gates {gates}");
        let figure = |measure| vec![Figure::new(command, measure)];
        let beside =
            vec![told(command, ClausesInTime, " the time"), told(command, ClausesInBytes, " the bytes")];
        Line::new(&[name]).cell(figure(Time)).cell(figure(Bytes)).cell(beside).cell(figure(Memory))
    };
    vec![
        branches("64 clauses of 100,000 ANDs", 64, 100_000),
        branches("15 of 500,000", 15, 500_000),
        branches("2 of 10^7", 2, 10_000_000),
    ]
}

fn shards() -> Vec<Line> {
    let shards = |name: &str, count: u32, gates: &str| {
        let command = &format!("shards --gates {gates} --shards {count}");
        let figure = |measure| Figure::new(command, measure);
        let line = Line::new(&[name, &count.to_string()]).cell(vec![figure(ProcessorTime)]);
        let line = line.cell(vec![figure(ShardsInTime).scaled(1.0)]);
        line.cell(vec![figure(ShardSetup), figure(ShardSetupBytes)])
    };
    let [many, few] = ["80000000 --vole mid", "8000000"];
    vec![
        shards("80 M gates, `mid`", 2, many),
        shards("", 4, many),
        shards("", 8, many),
        shards("8 M gates, as chosen", 2, few),
        shards("", 4, few),
        shards("", 8, few),
    ]
}

/// Rows whose last cell has the paper's figure, by hand.
fn polynomials() -> Vec<Line> {
    let proved = |names: &[&str], figures: Vec<Figure>| Line::new(names).cell(figures).by_hand();
    let product = |field: &str, more: &str, name: &str, paper: f64| {
        let command = format!("inner-product --length 100000000{more}");
        proved(&[name, field], vec![Figure::new(command, Proving).paper(paper)])
    };
    let matrices = |name: &str, command: &str, paper: Option<f64>| {
        let time = Figure::new(command, Time);
        let time = match paper {
            Some(paper) => time.paper(paper),
            None => time,
        };
        let figures = vec![time, Figure::new(command, Bytes), told(command, Memory, " of memory")];
        proved(&[name, "2^61 − 1"], figures)
    };
    let short = |name: &str, field: &str, command: &str, paper: f64| {
        let figures = vec![Figure::new(command, Online).paper(paper), Figure::new(command, OnlineBytes)];
        proved(&[name, field], figures)
    };
    let holes = |name: &str, command: &str, behind: &'static str| {
        proved(&[name, "F_2"], vec![told(command, PerCount, behind)])
    };
    vec![
        product("F_2", " --field f2", "`inner-product --length 100000000`, beyond committing", 0.424),
        product("2^61 − 1", "", "", 0.704),
        matrices("`matmul --size 1024 --bandwidth 500`", "matmul --size 1024 --bandwidth 500", Some(10.0)),
        matrices("with `--vole wan`", "matmul --size 1024 --bandwidth 500 --vole wan", None),
        matrices("`matmul --size 4096`, loopback", "matmul --size 4096", None),
        short("`sis --bandwidth 500`, ternary, 2048 × 1024, online", "2^32 − 5", "sis --bandwidth 500", 2e-3),
        short(
            "`sis --kind binary --bandwidth 500`, 1024 × 4096, online",
            "2^61 − 1",
            "sis --kind binary --bandwidth 500",
            55e-3,
        ),
        holes(
            "`holes --count 1000 --bandwidth 10`, online",
            "holes --count 1000 --bandwidth 10",
            " a block of SHA-256",
        ),
        holes(
            "`holes --kind multiplication --bandwidth 10`, online",
            "holes --kind multiplication --count 10000 --bandwidth 10",
            " a product",
        ),
    ]
}

fn limbo() -> Vec<Line> {
    let proof = |names: [&str; 2], command: &str| {
        row(&names, command, &[&[ProofBytes], &[Prover], &[Verifier], &[Memory]])
    };
    let many = "limbo --statement random --gates 1048576";
    let matrices = |name: &str, kind: &str| {
        proof([name, "16"], &format!("matmul --system limbo --size 128 --kind {kind}"))
    };
    vec![
        proof(["a SHA-256 preimage, coins", "16"], "limbo --interactive --prefer speed"),
        proof(["", "64"], "limbo --interactive --prefer balanced"),
        proof(["a SHA-256 preimage, file, `speed`", "16"], "limbo --prefer speed"),
        proof(["`balanced`", "64"], "limbo --prefer balanced"),
        proof(["`size`", "256"], "limbo --prefer size"),
        proof(["2^20 ANDs, coins", "16"], &format!("{many} --interactive --prefer speed")),
        proof(["", "64"], &format!("{many} --interactive --prefer balanced")),
        proof(["2^20 ANDs, file, `speed`", "16"], &format!("{many} --prefer speed")),
        proof(["`balanced`", "64"], &format!("{many} --prefer balanced")),
        proof(["`size`", "256"], &format!("{many} --prefer size")),
        matrices("a product of 128 × 128 matrices over 2^61 − 1, coins, by inner products", "inner-product"),
        matrices("by random vectors", "random"),
        matrices("by gates, with r = 2", "gates --field f61x2"),
    ]
}

fn voleith() -> Vec<Line> {
    let file = |name: &str, command: &str| {
        let cell = |prefer: &str| {
            let command = format!("{command} --prefer {prefer}");
            [ProofBytes, Prover, Verifier].map(|measure| Figure::new(command.clone(), measure)).into()
        };
        ["speed", "balanced", "size"].map(cell).into_iter().fold(Line::new(&[name]), Line::cell)
    };
    let most = "voleith --statement random --gates 100000000 --prefer speed";
    let figures = [ProofBytes, Prover, Verifier].map(|measure| Figure::new(most, measure));
    let figures = figures.into_iter().chain([told(most, Memory, " of memory")]).collect();
    vec![
        file("a SHA-256 preimage, by gates", "voleith --length 55"),
        file("with holes", "voleith --length 55 --kind holes"),
        Line::new(&["a key of AES-128, with holes"]),
        file("SHA-256 of 2 KiB, 33 blocks, with holes", "voleith --length 2048 --kind holes"),
        file("2^20 ANDs", "voleith --statement random --gates 1048576"),
        file("2^20 ANDs by Limbo", "voleith --statement random --gates 1048576 --system limbo"),
        Line::new(&["10^8 ANDs"]).cell(figures).by_hand().by_hand(),
    ]
}

/// Rows over a link of so many Mbit/s, with the paper's figures.
fn correlations() -> Vec<Line> {
    let over = |name: &str, measure: Measure, scale: f64, papers: [&'static str; 5]| {
        let cell = |(mbps, behind): (u32, &'static str)| {
            let figure = Figure::new(format!("vole-f61 --gates 10000000 --bandwidth {mbps}"), measure);
            vec![figure.scaled(scale).behind(behind)]
        };
        let cells = [20, 50, 100, 500, 1000].into_iter().zip(papers).map(cell);
        cells.fold(Line::new(&[name]), Line::cell)
    };
    vec![
        over("set-up, ms", Setup, 1e3, [" (1343)", " (640)", " (478)", " (451)", " (438)"]),
        over("each after it, ns", PerCorrelation, 1e9, [" (101)", " (87)", " (85)", " (85)", " (85)"]),
        over("each after it, bits (0.42)", BitsPerCorrelation, 1.0, [""; 5]),
    ]
}
