//! The examples that `docs/` speaks of, each run to its end, and that the pages show them as they are.

#[path = "../../../../examples/age.rs"]
#[allow(unreachable_pub)]
mod age;
#[path = "../../../../examples/bug.rs"]
#[allow(unreachable_pub)]
mod bug;
#[path = "../../../../examples/either.rs"]
#[allow(unreachable_pub)]
mod either;
#[path = "../../../../examples/file.rs"]
#[allow(unreachable_pub)]
mod file;
#[path = "../../../../examples/ledger.rs"]
#[allow(unreachable_pub)]
mod ledger;
#[path = "../../../../examples/link.rs"]
#[allow(unreachable_pub)]
mod link;
#[path = "../../../../examples/listed.rs"]
#[allow(unreachable_pub)]
mod listed;
#[path = "../../../../examples/median.rs"]
#[allow(unreachable_pub)]
mod median;
#[path = "../../../../examples/membership.rs"]
#[allow(unreachable_pub)]
mod membership;
#[path = "../../../../examples/preimage.rs"]
#[allow(unreachable_pub)]
mod preimage;
#[path = "../../../../examples/readings.rs"]
#[allow(unreachable_pub)]
mod readings;

use std::path::Path;

#[test]
fn age_runs() {
    age::main().unwrap();
}

#[test]
fn bug_runs() {
    bug::main().unwrap();
}

#[test]
fn either_runs() {
    either::main().unwrap();
}

#[test]
fn file_runs() {
    file::main().unwrap();
}

#[test]
fn ledger_runs() {
    ledger::main().unwrap();
}

#[test]
fn link_runs() {
    link::main().unwrap();
}

#[test]
fn listed_runs() {
    listed::main().unwrap();
}

#[test]
fn median_runs() {
    median::main().unwrap();
}

#[test]
fn membership_runs() {
    membership::main().unwrap();
}

#[test]
fn preimage_runs() {
    preimage::main().unwrap();
}

#[test]
fn readings_runs() {
    readings::main().unwrap();
}

/// Each piece of Rust or C in `docs/` stands in an example, but for the space around its lines.
#[test]
fn pages_show_what_the_examples_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let examples: Vec<_> = files(&root.join("examples")).iter().map(|text| lines(text)).collect();
    let mut found = 0;
    for page in files(&root.join("docs")) {
        let blocks = page.split("```").skip(1).step_by(2);
        for block in blocks.filter_map(|block| block.strip_prefix("rust\n").or(block.strip_prefix("c\n"))) {
            let shown = lines(block);
            let stands = |text: &Vec<String>| text.windows(shown.len()).any(|piece| piece == shown);
            assert!(examples.iter().any(stands), "no example says\n{block}");
            found += 1;
        }
    }
    assert!(found > 3, "only {found} pieces were found");
}

/// The texts of the files in `folder`, without those in folders below it.
fn files(folder: &Path) -> Vec<String> {
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).expect("UTF-8")).collect()
}

/// The lines of a text, also those of its header, without what is around them.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_start_matches("//!").trim().to_owned()).collect()
}
