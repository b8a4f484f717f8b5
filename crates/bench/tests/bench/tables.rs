//! `volery bench tables`: its files, what it says of them, and how it ends.

use crate::kit::{Running, volery as measure};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// A quick run into `folder`.
fn arguments<'a>(folder: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let folder = folder.to_str().expect("UTF-8");
    [&["tables", "--quick", "--out", folder], more].concat()
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// Demands that every element of `text` is closed where it should be.
#[track_caller]
fn assert_well_formed(text: &str) {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('<') {
        let (tag, next) = behind.split_once('>').expect("a closed tag");
        let name = tag.trim_start_matches('/').split_whitespace().next().expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{text}");
        } else if !tag.ends_with('/') && !tag.starts_with(['?', '!']) {
            open.push(name);
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        rest = next;
    }
    assert!(open.is_empty() && text.starts_with("<svg"), "{text}");
}

#[test]
fn tables_stand_beside_the_papers() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("new").join("tables");
    let more = ["--only", "quicksilver-table6", "--only", "wolverine-fig12", "--json", "--repeat", "2"];
    let ended = measure(&arguments(&folder, &more)).expect(0);
    let summary = ended.json();
    assert_eq!((&summary["name"], &summary["rows"]["measured"]), (&"tables".into(), &12.into()));
    assert_eq!((&summary["rows"]["failed"], &summary["parameters"]["repeat"]), (&0.into(), &2.into()));
    // The largest products gate by gate, by both systems.
    assert_eq!(summary["rows"]["left_out"], 4);
    assert!(ended.err.contains("row 1 of 16: bench matmul --size 32"), "{ended:?}");
    let names: Vec<&str> =
        summary["files"].as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(names, ["tables.json", "tables.md", "matmul-time.svg", "matmul-memory.svg"]);
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), names.len());

    let results: Value = serde_json::from_str(&read(&folder, "tables.json")).expect("JSON");
    assert!(results["machine"]["cores"].as_u64() > Some(0) && results["machine"]["kernels"].is_string());
    let sis = &results["tables"][2];
    assert_eq!(sis["id"], "quicksilver-table6");
    let row = &sis["rows"][0];
    assert_eq!((&row["state"], &row["whole_size"]), (&"measured".into(), &true.into()));
    assert_eq!(row["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(row["runs"][0]["verdict"], "accepted");
    let bytes = &row["figures"][0];
    assert_eq!((&bytes["unit"], &bytes["paper"]["printed"]), (&"bytes".into(), &"4.1 KB".into()));
    assert_eq!(bytes["value"], row["runs"][0]["online_bytes"].as_f64().expect("a number"));
    assert!(bytes["better_by"].as_f64() > Some(0.5), "{bytes}");
    let matrices = &results["tables"][0]["rows"];
    let by_gates =
        |row: &Value| row["command"].as_str().is_some_and(|command| command.contains("--kind gates"));
    assert!(matrices.as_array().expect("an array").iter().all(by_gates), "{matrices}");
    // What is not of the paper's size is not compared.
    assert_eq!(
        (&matrices[2]["whole_size"], &matrices[2]["figures"][2]["better_by"]),
        (&false.into(), &Value::Null)
    );

    let page = read(&folder, "tables.md");
    for words in ["4.1 KB", "ENS 53 KB", "m5.2xlarge", "Ours: ", "**Quick**", "](matmul-time.svg)", "× |"] {
        assert!(page.contains(words), "{words} is missing in {page}");
    }
    for name in ["matmul-time.svg", "matmul-memory.svg"] {
        let svg = read(&folder, name);
        assert_well_formed(&svg);
        assert!(svg.contains("rows and columns") && svg.contains("<circle"), "{svg}");
    }
}

/// The figures of its paper, at tiny sizes: each row by both systems.
#[test]
fn wolverine_stands_beside_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let summary =
        measure(&arguments(folder.path(), &["--only", "wolverine-table8", "--json"])).expect(0).json();
    assert_eq!(summary["rows"]["failed"], 0);
    assert!(read(folder.path(), "tables.md").contains("volery, wolverine"));
}

#[test]
#[ignore = "slow"]
fn wolverine_stands_beside_its_paper() {
    let folder = tempfile::tempdir().expect("a folder");
    let only =
        ["--only", "wolverine-fig9", "--only", "wolverine-fig11", "--only", "wolverine-table8", "--json"];
    let summary = measure(&arguments(folder.path(), &only)).expect(0).json();
    assert_eq!((&summary["rows"]["measured"], &summary["rows"]["failed"]), (&37.into(), &0.into()));
    for file in ["boolean-inputs.svg", "arithmetic-inputs.svg", "boolean-memory.svg"] {
        assert!(summary["files"][file].is_string(), "{summary}");
    }
    let page = read(folder.path(), "tables.md");
    let heading = "volery, wolverine | better by | volery, quicksilver";
    for words in ["roughly 9 bits", "3.35 µs", "4 elements", "2 elements", heading, "--inputs"] {
        assert!(page.contains(words), "{words} is missing in {page}");
    }
}

/// The tables of the paper, at tiny sizes.
#[test]
fn limbo_stands_beside_its_paper() {
    let folder = tempfile::tempdir().expect("a folder");
    let only = ["--only", "limbo-table1", "--only", "limbo-table5", "--json"];
    let summary = measure(&arguments(folder.path(), &only)).expect(0).json();
    assert_eq!((&summary["rows"]["measured"], &summary["rows"]["failed"]), (&9.into(), &0.into()));
    let page = read(folder.path(), "tables.md");
    for words in ["42 KB", "Ligero 44 KB", "53 ms", "0.987 s", "bytes of the proof", "--interactive"] {
        assert!(page.contains(words), "{words} is missing in {page}");
    }
}

/// Files by both systems, at tiny sizes.
#[test]
fn voleith_stands_beside_limbo() {
    let both = ["volery, voleith", "volery, limbo", "--kind holes"];
    files_stand_beside_others("voleith-sha256", 12, &both);
}

/// All sizes and statements, and what others publish.
#[test]
#[ignore = "slow"]
fn voleith_stands_beside_others() {
    let all = ["binius64 67 ms", "circom 4.8 s", "volery, voleith", "volery, limbo", "--kind holes"];
    files_stand_beside_others("voleith", 39, &all);
}

/// Demands that these tables have so many rows, and these words.
fn files_stand_beside_others(only: &str, rows: u64, all: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let summary = measure(&arguments(folder.path(), &["--only", only, "--json"])).expect(0).json();
    assert_eq!((&summary["rows"]["measured"], &summary["rows"]["failed"]), (&rows.into(), &0.into()));
    let page = read(folder.path(), "tables.md");
    for words in all {
        assert!(page.contains(words), "{words} is missing in {page}");
    }
}

/// Runs with secret control and public: on a link of 100 Mbit/s they take some seconds.
#[test]
#[ignore = "slow"]
fn runs_of_programs_stand_beside_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let summary = measure(&arguments(folder.path(), &["--only", "processor", "--json"])).expect(0).json();
    assert_eq!((&summary["rows"]["measured"], &summary["rows"]["failed"]), (&3.into(), &0.into()));
    let results: Value = serde_json::from_str(&read(folder.path(), "tables.json")).expect("JSON");
    let figures = &results["tables"][0]["rows"][0]["figures"];
    assert_eq!((&figures[0]["unit"], &figures[0]["paper"]["printed"]), (&"1/s".into(), &"6.6 kHz".into()));
    assert!(figures[0]["value"].as_f64() > Some(1000.0), "{figures}");
    assert_eq!((&figures[1]["unit"], &figures[1]["paper"]["printed"]), (&"bytes".into(), &"320 B".into()));
    let page = read(folder.path(), "tables.md");
    for words in ["BubbleRAM 2.1 kHz", "Jolt 77 kHz", "cycles/s", "bytes for each cycle", "--public-control"]
    {
        assert!(page.contains(words), "{words} is missing in {page}");
    }
}

/// A row whose bench fails is told, and the others go on; what did not fail is kept.
#[test]
fn rows_fail_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    // No row fails by itself. A wait of a nanosecond is over when the clock is read next.
    let more = ["--only", "wolverine-table4", "--only", "wolverine-table8", "--timeout", "1e-9", "--json"];
    let ended = measure(&arguments(folder.path(), &more)).expect(3);
    let summary = ended.json();
    assert_eq!((&summary["exit_code"], &summary["rows"]["measured"]), (&3.into(), &0.into()), "{ended:?}");
    assert_eq!(summary["rows"]["failed"], 4);
    assert!(summary["error"].as_str().is_some_and(|error| error.contains("4 of 4 rows failed")), "{summary}");
    let page = read(folder.path(), "tables.md");
    assert!(page.contains("| failed |") && page.contains("- failed: `volery bench sis"), "{page}");
}

#[test]
fn tables_refuse_what_is_not_theirs() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    measure(&arguments(&file, &[])).refused(2, &["--out", "cannot be written"]);
    for (more, words) in [
        (&["--only", "groth16"][..], &["--only", "no such name", "wolverine-table3"][..]),
        (&["--gates", "5"], &["bench tables has no --gates"]),
        (&["--vole", "wan"], &["bench tables has no --vole"]),
        (&["--bandwidth", "5"], &["bench tables has no --bandwidth"]),
        (&["--repeat", "0"], &["--repeat"]),
        (&["--system", "jko"], &["bench tables has no --system"]),
        (&["--threads", "2"], &["bench tables has no --threads"]),
    ] {
        measure(&arguments(folder.path(), more)).refused(2, words);
    }
    measure(&["sha256", "--quick"]).refused(2, &["bench sha256 has no --quick"]);
}

/// The bench under way ends with its parent, and no file is left half written.
#[cfg(target_os = "linux")]
#[test]
fn interrupted_tables_leave_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    // Quick rows first, and one of many seconds after them.
    let only = ["--only", "wolverine-table8", "--only", "quicksilver-table4"];
    let arguments = [&["tables", "--out", path, "--repeat", "1", "--json"], &only[..]].concat();
    let running = Running::start(&arguments, b"", &[]);
    let children = format!("/proc/{0}/task/{0}/children", running.id());
    let child =
        || std::fs::read_to_string(&children).unwrap_or_default().split_whitespace().next().map(String::from);
    let started = Instant::now();
    while !(folder.path().join("tables.md").exists() && child().is_some()) {
        assert!(started.elapsed() < Duration::from_secs(60), "the first table is not there");
        std::thread::sleep(Duration::from_millis(10));
    }
    let child = child();
    let kill = std::process::Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    let ended = running.end().expect(130);
    assert_eq!(ended.json()["error"], "interrupted");
    let alive = |id: String| Path::new("/proc").join(id).exists();
    assert!(!child.is_some_and(alive), "{ended:?}");
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert_eq!(names, ["tables.json", "tables.md"]);
    assert!(serde_json::from_str::<Value>(&read(folder.path(), "tables.json")).is_ok());
}
