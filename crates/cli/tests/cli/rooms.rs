//! Imports go one way, in the library of the programs, in `volery`, in `volery-bench`, in `volery-serve`, in the
//! module of Python and in `volery-processor`:
//! nothing imports what imports it.

use std::fs;
use std::path::{Path, PathBuf};

/// A part of a crate, and its modules in order; those of one step do not import each other.
struct Part {
    /// The path from the folder of all crates.
    folder: &'static str,
    /// The path before a module of it in an import.
    prefix: &'static str,
    order: &'static [&'static [&'static str]],
}

const PARTS: [Part; 6] = [
    Part {
        folder: "cli/src",
        prefix: "crate::",
        order: &[
            &["child", "failure", "signals", "waiting"],
            &["print", "partial", "values"],
            &["args", "link", "fields", "keys", "service"],
            &["devices", "networks"],
            &["progress", "replay", "settings"],
            &["both", "preimage"],
            &["report", "web"],
            &["misuse"],
            &["program"],
            &["lib", "main", "verbs"],
        ],
    },
    Part {
        folder: "cli/src/verbs",
        prefix: "crate::verbs::",
        order: &[
            &["args", "foreign", "streams", "trace"],
            &["circom"],
            &["given", "session", "subject"],
            &["cluster", "disjunction"],
            &["file"],
            &["proofs", "service"],
            &["program"],
            &["beside", "demo", "doctor", "export", "key", "model", "parties", "relations", "web"],
        ],
    },
    Part {
        folder: "bench/src",
        prefix: "crate::",
        order: &[
            &["args", "fields"],
            &["bench"],
            &["plan"],
            &["generated", "merkle"],
            &[
                "algebra",
                "applications",
                "convert",
                "garbled",
                "holes",
                "limbo",
                "membership",
                "memory",
                "network",
                "processor",
                "sha256",
                "shards",
                "snippets",
                "tables",
                "vole",
                "web",
            ],
            &["table"],
            &["lib", "main"],
        ],
    },
    Part {
        folder: "serve/src",
        prefix: "crate::",
        order: &[
            &["args", "limited", "log", "store"],
            &["config", "metrics"],
            &["admission"],
            &["session"],
            &["service"],
            &["results"],
            &["lib", "main"],
        ],
    },
    Part {
        folder: "processor/src",
        prefix: "crate::",
        order: &[
            &["decode", "elf"],
            &["fault", "program"],
            &["words"],
            &["memory", "observe"],
            &["machine"],
            &["bits", "step"],
            &["lib", "run"],
        ],
    },
    Part {
        folder: "python/src",
        prefix: "crate::",
        order: &[
            &["kinds", "tape"],
            &["errors"],
            &["parts"],
            &["engine"],
            &["built", "keys"],
            &["session", "shards"],
            &["options", "values"],
            &["run"],
            &["gadgets", "memory", "party", "web"],
            &["cluster", "queries"],
            &["lib"],
        ],
    },
];

impl Part {
    fn step(&self, module: &str) -> usize {
        let step = self.order.iter().position(|step| step.contains(&module));
        step.unwrap_or_else(|| panic!("{}: `{module}` has no place in the order", self.folder))
    }

    /// The imports that go against the order.
    fn wrong(&self, crates: &Path) -> Vec<String> {
        let root = crates.join(self.folder);
        let mut wrong = Vec::new();
        for file in sources(&root) {
            let path = file.strip_prefix(&root).expect("inside");
            let module = path.components().next().expect("a name").as_os_str().to_str().expect("UTF-8");
            let module = module.trim_end_matches(".rs");
            let text = fs::read_to_string(&file).expect("UTF-8");
            for imported in imports(&text, self.prefix) {
                if imported != module && self.step(&imported) >= self.step(module) {
                    wrong.push(format!("{}: {module} imports {imported}", path.display()));
                }
            }
        }
        wrong
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            files.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
    files
}

/// The modules that `text` names behind `prefix`; groups in braces are opened.
fn imports(text: &str, prefix: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let word =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.push(word(rest));
            continue;
        };
        let (mut depth, mut begins) = (1, true);
        for (i, c) in group.char_indices() {
            if begins && depth == 1 && c.is_alphanumeric() {
                found.push(word(&group[i..]));
                begins = false;
            }
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => begins = true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    // What the root declares is no module.
    found.retain(|name| name.starts_with(char::is_lowercase));
    found
}

#[test]
fn the_reader_of_imports_reads() {
    assert_eq!(imports("use crate::failure::Result;", "crate::"), ["failure"]);
    assert_eq!(imports("use crate::{print::{self, hex}, link};\n// crate::no", "crate::"), ["print", "link"]);
    assert_eq!(imports("use crate::verbs::args::{Demo};\ncrate::PROGRAM", "crate::verbs::"), ["args"]);
}

#[test]
fn imports_go_one_way() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let wrong: Vec<_> = PARTS.iter().flat_map(|part| part.wrong(crates)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The library knows no verb and no bench, and who proves does not build what draws plots, nor a database.
#[test]
fn the_user_s_program_has_no_benches() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let manifest = fs::read_to_string(crates.join("cli/Cargo.toml")).expect("a manifest");
    for other in
        ["volery-bench", "plotters", "aes-gcm", "hmac", "base64", "volery-serve", "rusqlite", "tracing"]
    {
        assert!(!manifest.contains(other), "{other}");
    }
}
