//! The command lines of `docs/`, run as a reader would.
//!
//! Each line of a block marked `sh` is run by itself, those of one page in one folder, which is empty at
//! first. It has to end with exit code 0, or with N where the line ends in `# exit code N`. What needs two
//! terminals, or a toolchain, stands in blocks without a mark, and is not run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A test for each page, named so.
macro_rules! pages {
    ($($(#[$slow:meta])? $page:ident)*) => {
        $(#[test]
        $(#[$slow])?
        fn $page() {
            run(stringify!($page));
        })*

        const PAGES: &[&str] = &[$(stringify!($page)),*];
    };
}

pages! {
    aiger #[ignore = "slow"] applications blif bugs circuits cluster conversions correlations fields first_proof formats
    merkle one_of_several proof_files r1cs serve sieve
}

/// Pages with lines to run are among those above.
#[test]
fn no_page_is_left_out() {
    let mut pages = vec![];
    for page in std::fs::read_dir(folder()).expect("docs/") {
        let page = page.expect("a page").path();
        if page.extension().is_some_and(|extension| extension == "md") && !lines(&read(&page)).is_empty() {
            pages.push(page.file_stem().expect("a name").to_str().expect("UTF-8").replace('-', "_"));
        }
    }
    pages.sort();
    assert_eq!(pages, PAGES);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(page).expect("UTF-8")
}

/// Runs the lines of `page`.
fn run(page: &str) {
    let page = folder().join(page.replace('_', "-")).with_extension("md");
    let folder = tempfile::tempdir().expect("a folder");
    let program = Path::new(crate::PROGRAM).parent().expect("a folder");
    assert!(program.join("volery").is_file(), "no volery beside volery-bench: build the whole workspace");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program.to_owned()].into_iter().chain(std::env::split_paths(&others)));
    let path = path.expect("no separator in a folder's name");
    for line in lines(&read(&page)) {
        let expected =
            line.rsplit_once("# exit code ").map_or(0, |(_, code)| code.parse().expect("a number"));
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(&folder).env("PATH", &path);
        let ended = shell.output().expect("a shell");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(expected), "{}: {line}\n{said}", page.display());
    }
}

/// The lines in blocks marked `sh`.
fn lines(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside && !line.trim().is_empty() {
            lines.push(line);
        }
    }
    lines
}
