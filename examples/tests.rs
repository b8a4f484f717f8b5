//! Each example is run to its end, and the pages of `docs/` show the examples as they are.

use example::ALL;
use std::path::Path;
use std::thread;

#[test]
fn every_example_runs() {
    thread::scope(|examples| {
        let running =
            ALL.map(|(name, main)| (name, examples.spawn(move || main().map_err(|error| error.to_string()))));
        for (name, example) in running {
            let ended = example.join().unwrap_or_else(|_| panic!("{name} panicked"));
            ended.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    });
}

/// Each piece of Rust or C in `docs/` stands in an example, but for the space around its lines.
#[test]
fn pages_show_what_the_examples_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["examples", "examples/programs"].map(|folder| files(&root.join(folder)));
    let examples: Vec<_> = folders.iter().flatten().map(|text| lines(text)).collect();
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

/// The texts of the files in `folder`, without those in folders below it, and without programs.
fn files(folder: &Path) -> Vec<String> {
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let texts = paths.filter(|path| path.is_file() && path.extension().is_none_or(|kind| kind != "elf"));
    texts.map(|path| std::fs::read_to_string(path).expect("UTF-8")).collect()
}

/// The lines of a text, also those of its header, without what is around them.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_start_matches("//!").trim().to_owned()).collect()
}
