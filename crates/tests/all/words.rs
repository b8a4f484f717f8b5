//! Doc comments are read alone, in a tool-tip: each begins with a noun or a verb of its own item.

use std::fs;
use std::path::{Path, PathBuf};

/// First words that stand for another sentence, or hang on one.
const REFUSED: &[&str] = &[
    "and", "as", "at", "both", "but", "by", "from", "here", "in", "it", "its", "likewise", "of", "on",
    "only", "same", "so", "such", "that", "the same", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "under", "what", "whatever", "where", "which", "who", "whoever", "whom", "whose",
    "with", "within", "without",
];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The first lines of doc comments in `text`, with their numbers.
fn beginnings(text: &str) -> Vec<(usize, &str)> {
    let doc = |line: &'_ str| ["///", "//!"].into_iter().find(|mark| line.trim_start().starts_with(mark));
    let mut before = None;
    let mut found = vec![];
    for (number, line) in (1..).zip(text.lines()) {
        let mark = doc(line);
        if let Some(mark) = mark.filter(|_| mark != before) {
            found.push((number, line.trim_start()[mark.len()..].trim()));
        }
        before = mark;
    }
    found
}

fn is_refused(line: &str) -> bool {
    let line = line.to_lowercase();
    let begins = |words: &str| {
        line.strip_prefix(words)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    };
    REFUSED.iter().any(|words| begins(words))
}

#[test]
fn riddles_are_told_from_sentences() {
    for line in ["The same of keys.", "Those used.", "As [`x`].", "What it has.", "It.", "Both.", "In words."]
    {
        assert!(is_refused(line), "{line}");
    }
    for line in ["The samples.", "Asserts that.", "In-place sums.", "Whether it is.", "Items.", "Tokens."] {
        assert!(!is_refused(line), "{line}");
    }
    let text = "//! A.\n//! What.\n\n/// B.\n/// It.\nfn f() {}\n/// C.\n";
    assert_eq!(beginnings(text), [(1, "A."), (4, "B."), (7, "C.")]);
}

#[test]
fn doc_comments_name_their_item() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for folder in ["crates", "examples", "fuzz", "loom"] {
        sources(&root.join(folder), &mut files);
    }
    let mut refused = vec![];
    for file in files {
        let path = file.strip_prefix(&root).unwrap().display().to_string();
        for (number, line) in beginnings(&fs::read_to_string(&file).unwrap()) {
            if is_refused(line) {
                refused.push(format!("{path}:{number}: {line}"));
            }
        }
    }
    let lines = refused.join("\n");
    assert!(
        refused.is_empty(),
        "{lines}\n{} comments do not name their item: see CONTRIBUTING",
        refused.len()
    );
}
