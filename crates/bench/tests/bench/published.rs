//! The figures of pages: those that were measured stand there as they were.

use crate::kit::volery as measure;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use volery_bench::tables::paper::Row;
use volery_bench::tables::published::{Kept, Line, PLOT, all, files};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// Pages with all tables, of which no figure was measured, beside these runs.
fn pages(runs: Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pages = std::collections::BTreeMap::<&str, String>::new();
    for section in all() {
        let width = |line: &Line| line.names.len() + line.cells.len();
        let width = section.lines.iter().map(width).max().expect("a row");
        let row = |names: &[String]| {
            let cells = (names.len()..width).map(|_| "–".to_owned());
            format!("| {} |\n", names.iter().cloned().chain(cells).collect::<Vec<_>>().join(" | "))
        };
        let headings = (1..=width).map(|column| format!("heading {column}")).collect::<Vec<_>>();
        let rows = section.lines.iter().map(|line| row(&line.names)).collect::<String>();
        let table = format!("{}|{}\n{rows}", row(&headings), "---|".repeat(width));
        let page = pages.entry(section.page).or_insert_with(|| "# A page\n".into());
        page.push_str(&format!("\n<!-- figures: {} -->\n{table}<!-- end -->\n", section.id));
    }
    for (name, page) in pages {
        let page = page.replace("|  |", "| |") + "\n<!-- plot -->\n<!-- end -->\n";
        std::fs::write(folder.path().join(name), page).expect("written");
    }
    std::fs::write(folder.path().join("figures.json"), json!({"runs": runs}).to_string()).expect("written");
    folder
}

/// A run of these commands, each with a value of a measure.
fn run(commit: &str, rows: &[(&str, &str, f64)]) -> Value {
    let row = |(command, measure, value): &(&str, &str, f64)| json!({"command": command, "best_of": 3, "values": {*measure: value}});
    json!({
        "commit": commit,
        "date": "2026-11-28T17:00:00Z",
        "machine": {"cpu": "a processor", "cores": 16, "memory_bytes": 64_000_000_000_u64, "kernels": "avx512"},
        "build": "dist",
        "load": 0.1,
        "figures": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// The pages as they would be written.
fn written(folder: &Path) -> Vec<(String, String)> {
    files(folder, &Kept::read(folder).expect("a file of figures")).expect("pages with the tables of the list")
}

/// The page of threads, as it would be written where nothing was measured.
fn files_without(folder: &Path) -> String {
    let files = files(folder, &Kept::default()).expect("pages with the tables of the list");
    files.into_iter().find(|(name, _)| name == "threads.md").expect("a page").1
}

/// A page that is edited apart from a run is found here, and a run that was not written into its page.
#[test]
fn pages_are_as_they_were_measured() {
    for (name, text) in written(&docs()) {
        assert!(
            text == read(&docs(), &name),
            "docs/{name} is not as docs/figures.json has it: `volery bench tables --write docs --budget 0` writes it"
        );
    }
}

/// A command that stands in no table any more is kept no longer.
#[test]
fn figures_that_are_kept_stand_in_a_table() {
    let kept: Value = serde_json::from_str(&Kept::read(&docs()).expect("figures").json()).expect("JSON");
    let sections = all();
    let figures = || sections.iter().flat_map(|section| section.figures());
    for run in kept["runs"].as_array().expect("runs") {
        for row in run["figures"].as_array().expect("figures") {
            let is_shown = figures().any(|figure| row["command"] == *figure.command);
            assert!(is_shown, "docs/figures.json: {}: in no table: remove it", row["command"]);
        }
    }
}

#[test]
fn tables_of_pages_have_names_and_as_many_cells() {
    let mut ids = std::collections::HashSet::new();
    for section in all() {
        assert!(ids.insert(section.id), "{} twice", section.id);
        let widths = section.lines.iter().map(|line| (line.names.len(), line.cells.len()));
        let widths = widths.filter(|(_, cells)| *cells > 0).collect::<std::collections::HashSet<_>>();
        assert_eq!(widths.len(), 1, "{}", section.id);
        assert!(section.figures().next().is_some(), "{}", section.id);
    }
}

/// A table that no run holds says why, in a mark before it.
#[test]
fn tables_of_pages_are_held_or_by_hand() {
    for page in ["figures.md", "threads.md"] {
        let (mut before, mut is_held) = (String::new(), false);
        for line in read(&docs(), page).lines() {
            is_held = line.starts_with("<!-- figures: ") || is_held && line != "<!-- end -->";
            let begins = line.starts_with('|') && !before.starts_with('|');
            assert!(!begins || is_held || before.starts_with("<!-- by hand: "), "docs/{page}: {line}");
            before = line.into();
        }
    }
}

/// The command of the first row of a table, which takes no time.
const LIMBO: &str = "limbo --interactive --prefer speed";

/// Figures that became worse by more than a quarter are told, beside those of the commit that had them.
#[test]
fn figures_that_became_worse_are_told() {
    let folder = pages(json!([]));
    let path = folder.path().to_str().expect("UTF-8");
    let write = |commit: &str| {
        let only = ["--only", "limbo", "--budget", "0.3", "--repeat", "1", "--json", "--quiet"];
        measure(&[&["tables", "--write", path, "--commit", commit], &only[..]].concat()).expect(0).json()
    };
    let first = write("0123abcd");
    let row = &first["rows"][0];
    assert_eq!(row["command"], LIMBO);
    assert!(first["left_out"].as_array().is_some_and(|left_out| !left_out.is_empty()), "{first}");
    let page = read(folder.path(), "figures.md");
    assert!(page.contains("Measured at `0123abcd` on ") && page.contains(" | `0123abcd` |\n"), "{page}");
    // A quarter more is no news, and more than that is.
    let bytes = row["values"]["bytes of the proof"].as_f64().expect("a proof");
    let worse = |share: f64, commit: &str| {
        let mut kept: Value = serde_json::from_str(&read(folder.path(), "figures.json")).expect("JSON");
        let runs = kept["runs"].as_array_mut().expect("runs").iter_mut();
        let rows = runs.flat_map(|run| run["figures"].as_array_mut().expect("figures"));
        let row = rows.into_iter().find(|row| row["command"] == LIMBO).expect("the row");
        row["values"]["bytes of the proof"] = json!(share * bytes);
        std::fs::write(folder.path().join("figures.json"), kept.to_string()).expect("written");
        let told = write(commit)["worse"].clone();
        let is_of_bytes =
            |worse: &&Value| worse["command"] == LIMBO && worse["measure"] == "bytes of the proof";
        told.as_array().expect("a list").iter().filter(is_of_bytes).cloned().collect::<Vec<_>>()
    };
    assert_eq!(worse(0.82, "89abcdef"), [Value::Null; 0]);
    let told = worse(0.78, "4567cdef");
    assert_eq!((told.len(), &told[0]["of"]), (1, &"at `89abcdef`".into()), "{told:?}");
    let page = read(folder.path(), "figures.md");
    assert!(page.contains(" | `4567cdef` |\n"), "{page}");
}

/// The commands of all tables run, at tiny sizes, and tell each figure.
#[test]
#[ignore = "slow"]
fn figures_of_pages_are_told() {
    let sections = all();
    let figures = sections.iter().flat_map(|section| section.figures());
    let mut runs = std::collections::HashMap::<String, Value>::new();
    for figure in figures {
        let command = Row::new("", &*figure.command).sized(true);
        let run = runs.entry(command.clone()).or_insert_with(|| {
            let arguments = command.split(' ').chain(["--json", "--quiet"]).collect::<Vec<_>>();
            measure(&arguments).expect(0).json()
        });
        assert!(figure.value(run).is_some(), "{command}: {run}");
    }
}

/// Figures that were measured stand in their cells, with their commits, and all else stays.
#[test]
fn a_run_is_written_into_its_page() {
    let one = "sha256 --count 1024 --vole mid --threads 1";
    let rows =
        [(one, "preimages/s", 1234.0), ("sha256 --count 1024 --vole mid --threads 4", "preimages/s", 3225.0)];
    let other = [("sha256 --count 1024 --vole mid --threads 7", "preimages/s", 5020.0)];
    let folder = pages(json!([run("0123abcd", &rows), run("4567cdef", &other)]));
    let before = read(folder.path(), "threads.md");
    let files = written(folder.path());
    let page = &files.iter().find(|(name, _)| name == "threads.md").expect("written").1;
    for words in [
        "| heading 1 | heading 2 | heading 3 | heading 4 | heading 5 | commit |\n|---|---|---|---|---|---|\n",
        // What other builds come to is compared with nothing.
        "| 1,024 SHA-256 preimages, `mid` | 1.23 k | – | 3.23 k, 2.6× | 5.02 k | `0123abcd`, `4567cdef` |\n",
        "| 1,024 SHA-256 preimages, `softspoken4` | – | – | – | – | – |\n",
        "Measured at `0123abcd` on 2026-11-28, built by `dist`, the best of 3 runs, on: a processor, 16 cores,",
        "Rows whose commit is – were measured before",
        "| heading 1 | heading 2 | heading 3 | heading 4 | heading 5 | heading 6 |\n",
        "<!-- plot -->\n![Times as fast by threads](plots/threads.svg)\n<!-- end -->\n",
    ] {
        assert!(page.contains(words), "{words} is missing in {page}");
    }
    let is_narrow = |line: &str| line.starts_with('|') || line.chars().count() <= 110;
    assert!(page.lines().all(|line| is_narrow(line) || before.contains(line)), "{page}");
    let svg = &files.iter().find(|(name, _)| name.ends_with(PLOT)).expect("a plot").1;
    assert!(svg.contains("both parties") && svg.contains("2.0×"), "{svg}");
    // The pages as written are written as they are. Without the runs their figures stay, and nobody holds them.
    std::fs::write(folder.path().join("threads.md"), page).expect("written");
    assert_eq!(written(folder.path()), files);
    let unheld = files_without(folder.path());
    let row = "| 1,024 SHA-256 preimages, `mid` | 1.23 k | – | 3.23 k, 2.6× | 5.02 k |\n";
    assert!(unheld.contains(row) && !unheld.contains("commit |") && !unheld.contains("Measured"), "{unheld}");
    assert_eq!(unheld.lines().count(), before.lines().count());
}

#[test]
fn pages_that_were_edited_are_refused_or_found() {
    let folder = pages(json!([]));
    let page = folder.path().join("threads.md");
    let before = read(folder.path(), "threads.md");
    let refused = |old: &str, new: &str| {
        std::fs::write(&page, before.replacen(old, new, 1)).expect("written");
        files(folder.path(), &Kept::default()).expect_err("another table").line
    };
    for (old, new, words) in [
        (
            "| 1,024 SHA-256 preimages, `mid` |",
            "| 1,000 preimages |",
            "threads-both: a row named \"1,000 preimages\"",
        ),
        ("<!-- figures: threads-both -->", "", "threads-both: no <!-- figures: threads-both -->"),
        ("<!-- figures: threads-both -->", "<!-- figures: others -->", "threads-both: no <!--"),
        ("# A page", "<!-- figures: others -->", "a name that there is not"),
        ("<!-- plot -->", "", "the plot: no <!-- plot -->"),
        (
            "|---|---|---|---|---|\n| 1,024",
            "|---|---|---|---|---|\n| more | 1 | 2 | 3 | 4 |\n| 1,024",
            "11 rows, and not 10",
        ),
        ("| heading 1 | heading 2 |", "| heading 1 |", "4 columns, and not 5"),
    ] {
        let line = refused(old, new);
        assert!(line.contains(words), "{words:?} is missing in {line:?}");
    }
    // A figure that was measured, and edited.
    let folder = pages(json!([run(
        "0123abcd",
        &[("sha256 --count 1024 --vole mid --threads 1", "preimages/s", 1234.0)]
    )]));
    let [before, now] = [read(folder.path(), "threads.md"), written(folder.path()).pop().expect("a page").1];
    assert_ne!(before, now);
}

#[test]
fn figures_are_kept_or_refused() {
    let folder = pages(json!([run("0123abcd", &[("boolean", "time", 1.5)])]));
    let kept = Kept::read(folder.path()).expect("a file of figures").json();
    let object: Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(object["runs"], json!([run("0123abcd", &[("boolean", "time", 1.5)])]));
    assert!(Kept::read(Path::new("/no/such")).expect("nothing kept").json().contains("[]"));
    for text in ["{}", "[", r#"{"runs": [{"date": 5}]}"#] {
        std::fs::write(folder.path().join("figures.json"), text).expect("written");
        let line = Kept::read(folder.path()).err().expect("no figures").line;
        assert!(line.contains("figures.json: ") && line.contains("measure again"), "{line}");
    }
}

/// Each row is told at once, and runs as often as there is time for.
#[test]
fn threads_are_measured() {
    let only = ["threads", "--quick", "--only", "threads-both", "--repeat", "1"];
    let object = measure(&[&only[..], &["--json", "--commit", "0123abcd"]].concat()).expect(0).json();
    assert_eq!((&object["name"], &object["commit"]), (&"threads".into(), &"0123abcd".into()));
    let rows = object["rows"].as_array().expect("rows");
    let values = |name: &str| rows.iter().filter(|row| row["values"][name].as_f64() > Some(0.0)).count();
    let each = ["preimages/s", "multiplications/s", "compressions/s"].map(values);
    assert!(each[0] >= 2 && each[1] >= 1 && each[2] >= 1, "{object}");
    assert_eq!(rows.len() + object["left_out"].as_array().map_or(0, Vec::len), 40);
    let ended = measure(&[&only[..], &["--budget", "0"]].concat()).expect(0);
    assert!(
        ended.out.contains("0 measured") && ended.out.contains("rows, which --budget had no time for"),
        "{ended:?}"
    );
}

#[test]
fn threads_and_pages_refuse_what_is_not_theirs() {
    let folder = pages(json!([]));
    let path = folder.path().to_str().expect("UTF-8");
    for (arguments, words) in [
        (&["threads", "--only", "boolean"][..], &["--only", "no such name", "threads-both"][..]),
        (&["threads", "--budget", "-1"], &["--budget", "number of seconds"]),
        (&["threads", "--threads", "2"], &["bench threads has no --threads"]),
        (&["threads", "--write", path, "--quick"], &["--quick", "leave it out"]),
        (&["threads", "--write", "/no/such"], &["/no/such"]),
        (&["threads", "--write", path], &["--commit: git tells none"]),
        (&["tables", "--write", path, "--large"], &["--large", "beside --write"]),
        (&["tables", "--budget", "5"], &["--budget", "--write docs"]),
        (&["sha256", "--write", path], &["bench sha256 has no --write"]),
    ] {
        measure(arguments).refused(2, words);
    }
}
