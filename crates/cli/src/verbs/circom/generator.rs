//! The user's own witness generator, as circom makes them: a program that takes the path of its inputs and
//! that of the witness as its last arguments.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use volery_cli::child::{self, Ended};
use volery_cli::failure::{Failure, Result};
use volery_cli::partial::Folder;
use volery_cli::print::notice;

/// A witness in a folder of its own, which goes with this.
pub(super) struct Made {
    folder: Folder,
}

impl Made {
    /// The path of the witness.
    pub(super) fn witness(&self) -> PathBuf {
        self.folder.path().join("witness.wtns")
    }
}

/// Has `command`, which is no text for a shell, make a witness of the inputs at `inputs`, within `timeout`.
pub(super) fn run(command: &str, inputs: &Path, timeout: Duration) -> Result<Made> {
    let words = words(command)?;
    let [program, arguments @ ..] = &words[..] else {
        return Err(Failure::usage(
            "the command is empty: write 'node x_js/generate_witness.js x_js/x.wasm'",
        ));
    };
    if !inputs.is_file() {
        return Err(Failure::usage(format_args!("there is no file {} with inputs", inputs.display())));
    }
    let made = Made { folder: Folder::create()? };
    let witness = made.witness();
    let ended = child::run(Command::new(program).args(arguments).arg(inputs).arg(&witness), timeout);
    let Ended { status, said } =
        ended.map_err(|why| Failure::usage(format_args!("{program} cannot be started: {why}")))?;
    let said = said.lines().filter(|line| !line.trim().is_empty());
    said.for_each(|line| notice(format_args!("witness generator: {line}")));
    let Some(status) = status else {
        return Err(Failure::usage(format_args!(
            "the witness generator did not end within {} s, and was killed: give it more by --timeout",
            timeout.as_secs_f64()
        )));
    };
    if !status.success() || !witness.is_file() {
        return Err(Failure::usage(format_args!(
            "the witness generator ended with {status} and {}: it has to take the path of the inputs and that of the \
             witness as its last arguments, as those of circom do",
            if witness.is_file() { "left a witness" } else { "wrote no witness" }
        )));
    }
    Ok(made)
}

/// The words of a command: what stands in quotes of either kind is one, or a part of one.
fn words(command: &str) -> Result<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let (mut open, mut quote) = (false, None);
    for c in command.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                if !open {
                    words.push(String::new());
                }
                open = true;
            }
            None if c.is_whitespace() => open = false,
            _ => {
                if !open {
                    words.push(String::new());
                }
                open = true;
                words.last_mut().expect("pushed above").push(c);
            }
        }
    }
    match quote {
        Some(_) => Err(Failure::usage("a quote in the command does not end")),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_words() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[]),
            (" node  a.js b.wasm ", &["node", "a.js", "b.wasm"]),
            ("'/a b/node' c\"d e\"f ''", &["/a b/node", "cd ef", ""]),
            ("a $(b) | c", &["a", "$(b)", "|", "c"]),
            ("a'\"'b", &["a\"b"]),
        ];
        for (command, expected) in cases {
            assert_eq!(words(command).expect("words"), expected, "{command}");
        }
        assert!(words("a 'b").is_err_and(|why| why.line.contains("does not end")));
    }

    #[cfg(unix)]
    #[test]
    fn what_makes_no_witness_is_named() {
        use std::process::Stdio;
        let folder = tempfile::tempdir().expect("a folder");
        let inputs = folder.path().join("input.json");
        let second = Duration::from_secs(60);
        let refused = |command: &str, timeout| run(command, &inputs, timeout).err().expect("refused").line;
        assert!(refused("true", second).contains("there is no file"));
        std::fs::write(&inputs, "{}").expect("written");
        assert!(refused("", second).contains("the command is empty"));
        assert!(refused("/no/such/program", second).contains("/no/such/program cannot be started"));
        assert!(refused("true", second).contains("wrote no witness"));
        assert!(refused("false", second).contains("exit status: 1"));
        assert!(refused("tail -f /dev/null", Duration::ZERO).contains("did not end within 0 s"));
        // What it has started holds its standard error open, and is killed with it, in time or not.
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
        let script = folder.path().join("script");
        let waits = |more: &str| {
            let text = format!("cat '{}' & echo $! >'{}'.id\n{more}\n", fifo.display(), script.display());
            std::fs::write(&script, text).expect("written");
            let why = refused(&format!("sh '{}'", script.display()), Duration::from_millis(500));
            let id = std::fs::read_to_string(script.with_extension("id")).expect("its number");
            // Its end may still be under way, or be left to whoever takes note of it.
            let is_gone = || {
                let lives = Command::new("kill").arg("-0").arg(id.trim()).stderr(Stdio::null()).status();
                let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
                !lives.expect("kill").success() || stat.contains(") Z ")
            };
            assert!((0..1000).any(|_| is_gone()), "{id}");
            why
        };
        assert!(waits("wait").contains("did not end within 0.5 s"));
        assert!(waits("exit 3").contains("exit status: 3"));
        let made = run("cp", &inputs, second).expect("made");
        let path = made.witness();
        assert_eq!(std::fs::read(&path).expect("there"), b"{}");
        drop(made);
        assert!(!path.parent().expect("a folder").exists());
    }
}
