//! Imports go up the order of the rooms, and siblings in `zk/` leave each other alone.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms in the order of ARCHITECTURE.md; those of one step do not import each other.
const ORDER: [&[&str]; 8] = [
    &["error"],
    &["random"],
    &["channel", "circuit"],
    &["commit"],
    &["ot"],
    &["vole", "garble"],
    &["zk"],
    &["session", "lib"],
];

/// What a room may import although the order alone would not say so: a statement cannot know how it will be proved.
const ONLY: [(&str, &[&str]); 1] = [("circuit", &["error"])];

fn step(room: &str) -> usize {
    ORDER.iter().position(|step| step.contains(&room)).unwrap_or_else(|| panic!("`{room}` is no known room"))
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

/// The rooms that `line` imports by `crate::`.
fn imports(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("crate::").filter_map(|(at, prefix)| {
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        // Re-exports at the root belong to no room.
        (end > 0 && rest.starts_with(char::is_lowercase)).then(|| &rest[..end])
    })
}

#[test]
fn imports_go_up() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = vec![];
    for file in sources(&root) {
        let path = file.strip_prefix(&root).unwrap();
        let room = path.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        // A statement may be proved in its own tests.
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for imported in imports(line).filter(|&imported| imported != room) {
                let only = ONLY.iter().find(|(name, _)| *name == room);
                let allowed = match only {
                    Some((_, rooms)) => rooms.contains(&imported),
                    None => step(imported) < step(room),
                };
                if !allowed {
                    wrong.push(format!("{}:{}: {room} imports {imported}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn systems_do_not_import_each_other() {
    let zk = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/zk");
    let name = |path: &Path| path.components().next().unwrap().as_os_str().to_str().unwrap().to_string();
    let systems: Vec<String> = fs::read_dir(&zk)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    for file in sources(&zk) {
        let own = name(file.strip_prefix(&zk).unwrap());
        let own = own.trim_end_matches(".rs");
        let text = fs::read_to_string(&file).unwrap();
        for other in systems.iter().filter(|system| *system != own) {
            assert!(!text.contains(&format!("zk::{other}")), "{own} imports {other}");
        }
    }
}

#[test]
fn unsafe_stays_in_its_crate() {
    for root in ["src/lib.rs", "../cli/src/main.rs"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(root)).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{root}");
    }
}
