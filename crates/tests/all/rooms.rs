//! Crates depend on lower floors alone, and what cargo cannot see within a crate is kept here.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates in the order of ARCHITECTURE.md, floor by floor. Those of one floor do not know each other: so no proof
/// system does another.
const FLOORS: [&[&str]; 14] = [
    &["primitives"],
    &["channel"],
    &["circuit", "vole"],
    &["gadgets"],
    &["onnx"],
    &["formats"],
    &["statements"],
    &["proof"],
    &["quicksilver", "wolverine", "limbo", "garbled"],
    &["volery"],
    &["cluster", "processor", "gpu"],
    &["web"],
    &["cli"],
    &["bench", "serve", "python", "tests"],
];

/// Rooms of crates that have several, likewise: names of modules at the root.
const ROOMS: [(&str, &[&[&str]]); 3] = [
    ("channel", &[&["error", "file"], &["pool", "random"], &["channel"], &["testing"], &["lib"]]),
    ("garbled", &[&["garble"], &["jko", "stack"], &["session"], &["estimate"], &["lib"]]),
    ("vole", &[&["commit"], &["ot"], &["vole"], &["macs"], &["lib"]]),
];

/// The folder of all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn step(order: &[&[&str]], room: &str) -> usize {
    order.iter().position(|step| step.contains(&room)).unwrap_or_else(|| panic!("`{room}` is no known room"))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
    files
}

/// The names in `text` behind a prefix as `crate::`, with their lines; groups in braces are opened.
fn imports(prefix: &str, text: &str) -> Vec<(usize, String)> {
    let mut found = vec![];
    let code: Vec<&str> =
        text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line }).collect();
    let code = code.join("\n");
    for (at, _) in code.match_indices(prefix) {
        let line = code[..at].lines().count().max(1);
        let rest = &code[at + prefix.len()..];
        let word = |text: &str| {
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
            text[..end].to_string()
        };
        let Some(group) = rest.strip_prefix('{') else {
            found.push((line, word(rest)));
            continue;
        };
        let mut depth = 1;
        let mut start = true;
        for (i, c) in group.char_indices() {
            if start && depth == 1 && c.is_alphanumeric() {
                found.push((line, word(&group[i..])));
                start = false;
            }
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => start = true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found.retain(|(_, name)| !name.is_empty());
    found
}

#[test]
fn the_reader_of_imports_reads() {
    let names = |text: &str| imports("crate::", text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(names("use crate::error::Result;"), ["error"]);
    assert_eq!(names("use crate::{error::{Error, Result}, zk::Accepted as A};"), ["error", "zk"]);
    assert_eq!(names("// crate::zk\nlet x = crate::ot::base::f(crate::Root);"), ["ot", "Root"]);
    assert_eq!(imports("crate::", "\nuse crate::zk;")[0].0, 2);
}

/// The imports of a crate's rooms that go down its order, or to the side.
fn wrong_imports(root: &Path, order: &[&[&str]]) -> Vec<String> {
    let mut wrong = vec![];
    for file in sources(root) {
        let path = file.strip_prefix(root).unwrap();
        let room = path.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        for (line, imported) in imports("crate::", &fs::read_to_string(&file).unwrap()) {
            // What the root exports belongs to no room.
            let is_item = imported.starts_with(char::is_uppercase);
            let allowed = imported == room || !is_item && step(order, &imported) < step(order, room);
            if !allowed {
                wrong.push(format!("{}:{line}: {room} imports {imported}", file.display()));
            }
        }
    }
    wrong
}

#[test]
fn imports_go_up() {
    let mut wrong = vec![];
    for (name, order) in ROOMS {
        wrong.extend(wrong_imports(&crates().join(name).join("src"), order));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The crates of this workspace that the program or library of a manifest depends on.
fn dependencies(manifest: &str) -> Vec<&str> {
    let after = manifest.split_once("\n[dependencies]\n").map_or("", |(_, after)| after);
    let section = after.split("\n[").next().unwrap();
    let names = section.lines().map(|line| line.split(['.', ' ', '=']).next().unwrap());
    names
        .filter_map(|name| if name == "volery" { Some(name) } else { name.strip_prefix("volery-") })
        .collect()
}

#[test]
fn dependencies_are_on_lower_floors() {
    let manifest = "[package]\n\n[dependencies]\nvolery.workspace = true\nvolery-vole = { a = 1 }\nx = 1\n\n[dev]\nvolery-y = 1\n";
    assert_eq!(dependencies(manifest), ["volery", "vole"]);
    let mut arrows = 0;
    for folder in fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let name = folder.file_name().unwrap().to_str().unwrap();
        for below in dependencies(&manifest) {
            assert!(step(&FLOORS, below) < step(&FLOORS, name), "{name} depends on {below}");
            arrows += 1;
        }
    }
    assert!(arrows > 40, "{arrows}");
}

/// A statement cannot know how it will be proved; its hints may share threads. Circuits at random, for tests, take randomness.
#[test]
fn statements_import_errors_files_and_threads_alone() {
    for room in ["circuit", "gadgets", "formats", "statements"] {
        let own = |file: &PathBuf| !file.components().any(|part| part.as_os_str() == "testing");
        for file in sources(&crates().join(room).join("src")).into_iter().filter(own) {
            for (line, imported) in imports("volery_channel::", &fs::read_to_string(&file).unwrap()) {
                assert!(
                    ["error", "file", "pool"].contains(&&*imported),
                    "{}:{line}: {imported}",
                    file.display()
                );
            }
        }
    }
}

/// A crate without examples is not gone through for them, and so none may be in it.
#[test]
fn examples_are_run() {
    let mut without = 0;
    for folder in fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        if !manifest.contains("doctest = false") {
            continue;
        }
        without += 1;
        for file in sources(&folder.join("src")) {
            let mut is_open = false;
            for (line, text) in (1..).zip(fs::read_to_string(&file).unwrap().lines()) {
                let comment =
                    text.trim_start().strip_prefix("//").unwrap_or("").trim_start_matches(['/', '!']);
                if let Some(language) = comment.trim_start().strip_prefix("```") {
                    let is_example = !is_open && !["text", "c", "json"].contains(&language);
                    assert!(!is_example, "{}:{line}: an example in a crate without", file.display());
                    is_open = !is_open;
                }
            }
        }
    }
    assert!(without > 10, "{without}");
}

#[test]
fn unsafe_stays_in_its_crate() {
    let mut roots = 0;
    for folder in fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path()) {
        if folder.ends_with("primitives") {
            continue;
        }
        for root in ["src/lib.rs", "src/main.rs"].map(|root| folder.join(root)) {
            let Ok(text) = fs::read_to_string(&root) else { continue };
            assert!(text.contains("#![forbid(unsafe_code)]"), "{}", root.display());
            roots += 1;
        }
    }
    assert!(roots >= 18, "there are more crates than that");
}
