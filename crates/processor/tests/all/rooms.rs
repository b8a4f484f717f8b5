//! Imports go up the order in `src/lib.rs`, and what is unsafe has no place here.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in order; those of one step do not import each other.
const ORDER: [&[&str]; 7] = [
    &["decode", "elf"],
    &["fault", "program"],
    &["words"],
    &["memory", "observe"],
    &["machine"],
    &["bits", "step"],
    &["lib", "run"],
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn step(module: &str) -> usize {
    let found = ORDER.iter().position(|step| step.contains(&module));
    found.unwrap_or_else(|| panic!("`{module}` has no place in the order"))
}

#[test]
fn imports_go_up() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for file in sources(&root) {
        let path = file.strip_prefix(&root).expect("inside");
        let module = path.components().next().expect("a name").as_os_str().to_str().expect("UTF-8");
        let module = module.trim_end_matches(".rs");
        let text = fs::read_to_string(&file).expect("UTF-8");
        for (at, prefix) in text.match_indices("crate::") {
            let word: String =
                text[at + prefix.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            seen += 1;
            assert!(
                word == module || step(&word) < step(module),
                "{}: {module} imports {word}",
                path.display()
            );
        }
    }
    assert!(seen > 20);
}

#[test]
fn unsafe_stays_out() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("UTF-8");
    assert!(text.contains("#![forbid(unsafe_code)]"));
}
