//! The user's own witness generator, as circom makes them: a program that takes the path of its inputs and
//! that of the witness as its last arguments.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use volery_cli::failure::{Failure, Result};
use volery_cli::partial::Folder;
use volery_cli::print::notice;

/// The most bytes of what it says that are shown.
const SHOWN: u64 = 1 << 14;

/// How often it is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// A witness in a folder of its own, which goes with this.
pub(super) struct Made {
    folder: Folder,
}

impl Made {
    /// Where it is.
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
    let child = Command::new(program)
        .args(arguments)
        .arg(inputs)
        .arg(&witness)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child =
        child.map_err(|why| Failure::usage(format_args!("{program} cannot be started: {why}")))?;
    let errors = child.stderr.take().expect("piped");
    // Read beside it, so that it never waits to be heard.
    let heard = std::thread::spawn(move || hear(errors));
    let status = wait(&mut child, timeout)?;
    if let Ok(said) = heard.join()
        && !said.trim().is_empty()
    {
        said.lines().for_each(|line| notice(format_args!("witness generator: {line}")));
    }
    if !status.success() || !witness.is_file() {
        return Err(Failure::usage(format_args!(
            "the witness generator ended with {status} and {}: it has to take the path of the inputs and that of the \
             witness as its last arguments, as those of circom do",
            if witness.is_file() { "left a witness" } else { "wrote no witness" }
        )));
    }
    Ok(made)
}

/// What it says, as far as that is shown; the rest is read and forgotten.
fn hear(mut errors: impl Read) -> String {
    let mut said = Vec::new();
    let _ = (&mut errors).take(SHOWN).read_to_end(&mut said);
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    let text = String::from_utf8_lossy(&said).into_owned();
    text.chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}

/// Waits for its end; one that takes longer is ended.
fn wait(child: &mut Child, timeout: Duration) -> Result<std::process::ExitStatus> {
    let begun = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|why| Failure::usage(format_args!("waiting for it: {why}")))?;
        if let Some(status) = ended {
            return Ok(status);
        }
        if begun.elapsed() > timeout {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::usage(format_args!(
                "the witness generator did not end within {} s: give more by --timeout",
                timeout.as_secs()
            )));
        }
        std::thread::sleep(PAUSE);
    }
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
        let made = run("cp", &inputs, second).expect("made");
        let path = made.witness();
        assert_eq!(std::fs::read(&path).expect("there"), b"{}");
        drop(made);
        assert!(!path.parent().expect("a folder").exists());
    }
}
