//! Ends of runs, as users type and read them.

use serde_json::{Value, json};
use volery_cli::failure::{Failure, Result, is_format};
use volery_cli::print::hex;
use volery_processor::{Demand, Kind, Told};

/// The end that `--exit` asks for.
pub(super) fn demand(typed: Option<&str>) -> Result<Demand> {
    let Some(typed) = typed else { return Ok(Demand::Exit(0)) };
    let kind = |name: &str| Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let demand = match typed {
        "any" => Some(Demand::AnyExit),
        "crash" => Some(Demand::Crash),
        _ => match typed.strip_prefix("crash=") {
            Some(name) => kind(name).map(Demand::CrashBy),
            // Codes are words of the program, which may take them for negative.
            None => {
                let code = typed.parse::<i64>().ok();
                let code = code.filter(|code| (i64::from(i32::MIN)..=u32::MAX.into()).contains(code));
                code.map(|code| Demand::Exit(code as u32))
            }
        },
    };
    demand.ok_or_else(|| {
        Failure::usage(format_args!(
            "--exit: write an exit code, any, crash, or crash=KIND with one of {}",
            Kind::ALL.map(Kind::name).join(", ")
        ))
    })
}

/// The end that is demanded, in words.
pub(super) fn demanded(demand: Demand) -> String {
    match demand {
        Demand::Exit(code) => format!("exit code {}", code as i32),
        Demand::AnyExit => "an exit code".into(),
        Demand::Crash => "a fault".into(),
        Demand::CrashBy(kind) => format!("the fault `{}`", kind.name()),
    }
}

/// How a run ended, in words.
pub(super) fn told(told: Told) -> String {
    match told {
        Told::Exit(code) => format!("exit code {}", code as i32),
        Told::Fault(kind) => format!("the fault `{}`", kind.name()),
    }
}

/// The keys of a JSON object that say how a run ended.
pub(super) fn json(told: Told) -> [(&'static str, Value); 3] {
    let (ended, code, fault) = match told {
        Told::Exit(code) => ("exit", json!(code as i32), Value::Null),
        Told::Fault(kind) => ("fault", Value::Null, json!(kind.name())),
    };
    [("ended", json!(ended)), ("exit_code", code), ("fault", fault)]
}

/// `text` without what makes a terminal do something else than show it, but for ends of lines.
pub(super) fn shown(text: &str) -> String {
    let harmless = |c: char| c == '\n' || !c.is_control() && !is_format(c);
    text.chars().map(|c| if harmless(c) { c } else { '?' }).collect()
}

/// Bytes that a program gave out, for a table: as text where they are some.
pub(super) fn bytes(bytes: &[u8]) -> String {
    const SHOWN: usize = 1024;
    let text = str::from_utf8(bytes).ok().map(str::trim_end);
    let printable = |text: &&str| !text.is_empty() && !text.chars().any(|c| c.is_control() && c != '\n');
    let shown = match text.filter(printable) {
        Some(text) if text.len() <= SHOWN => return text.replace('\n', "\n             "),
        Some(_) => None,
        None if bytes.is_empty() => return "none".into(),
        None => Some(&bytes[..bytes.len().min(SHOWN)]),
    };
    match shown {
        Some(shown) if shown.len() == bytes.len() => format!("0x{}", hex(shown)),
        _ => format!("{} bytes, which --json shows", bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands() {
        let read = |text| demand(Some(text)).map_err(|why| why.line);
        assert_eq!(demand(None).expect("the usual one"), Demand::Exit(0));
        assert_eq!(read("3"), Ok(Demand::Exit(3)));
        assert_eq!(read("-1"), Ok(Demand::Exit(u32::MAX)));
        assert_eq!(read("any"), Ok(Demand::AnyExit));
        assert_eq!(read("crash"), Ok(Demand::Crash));
        assert_eq!(read("crash=store"), Ok(Demand::CrashBy(Kind::Store)));
        for wrong in ["", "crash=", "crash=exit", "4294967296", "zero", "1.0"] {
            assert!(read(wrong).expect_err("refused").contains("--exit: write"), "{wrong}");
        }
    }

    #[test]
    fn messages_do_nothing_to_a_terminal() {
        assert_eq!(shown("a\x1b[2Jb\r\u{202e}c\u{9b}\nd é"), "a?[2Jb??c?\nd é");
    }

    #[test]
    fn bytes_are_shown_as_text_where_they_are_some() {
        assert_eq!(bytes(b""), "none");
        assert_eq!(bytes(b"abc\n"), "abc");
        assert_eq!(bytes(&[1, 255]), "0x01ff");
        assert_eq!(bytes(&[0; 2000]), "2000 bytes, which --json shows");
        assert_eq!(bytes(&[b'a'; 2000]), "2000 bytes, which --json shows");
    }
}
