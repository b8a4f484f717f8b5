//! `volery`, as provers and operators type it.

use crate::kit::{ABC, Folder, STATEMENTS};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn volery(folder: &Folder, arguments: &[&str]) -> Output {
    let program = Path::new(crate::PROGRAM).with_file_name("volery");
    assert!(program.is_file(), "no volery beside volery-serve: build the whole workspace");
    Command::new(program).args(arguments).current_dir(&folder.folder).output().expect("it runs")
}

#[test]
fn a_prover_sees_the_terms_and_proves() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    let identity = folder.identity().to_string();
    let prove = |more: &[&str]| {
        let usual = ["prove", "--connect", &service.address, "--peer", &identity, "--key", "p0"];
        let ended = volery(&folder, &[&usual[..], more].concat());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
    };
    let (code, out, err) = prove(&["--statement", "known", "--private", "message=text:abc"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("the terms of the service") && err.contains(&format!("digest={ABC}")), "{err}");
    assert!(out.contains("accepted") && out.contains("session"), "{out}");

    let public = format!("digest={ABC}");
    let any = ["--statement", "any", "--public", &public, "--private", "message=text:abc", "--json"];
    let (code, out, err) = prove(&any);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let object: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&object["verdict"], &object["terms"]["choose"][0]), (&"accepted".into(), &"digest".into()));
    assert_eq!(object["session"], folder.verdicts(&[])[0]["session"]);

    let (code, out, _) = prove(&["--statement", "known", "--terms"]);
    assert!(code == Some(0) && out.contains("builtin:sha256-preimage?length=3"), "{out}");
    for (more, words) in [
        (&["--statement", "none"][..], "there is any, known, linear"),
        (&["--statement", "known", "--private", "message=text:abd"], "does not satisfy the statement"),
        (&["--statement", "known", "--system", "limbo"], "--system: the service takes quicksilver"),
        (&["--statement", "known", "--relation", "a.txt"], "the relation of the service is builtin:"),
        (&["--statement", "known", "--public", &public], "digest is given twice"),
        (&["--private", "message=text:abc"], "--relation"),
    ] {
        let (code, _, err) = prove(more);
        assert_eq!(code, Some(2), "{err}");
        let line = err.lines().last().unwrap_or_default();
        assert!(line.starts_with("volery: ") && line.contains(words), "{words}: {line}");
    }
    let relation = ["--relation", "builtin:sha256-preimage?length=3", "--public", &public];
    let (code, _, err) = prove(&[&relation[..], &["--private", "message=text:abc"]].concat());
    assert!(code == Some(3) && err.contains("volery prove --statement NAME"), "{err}");
}

#[test]
fn operators_need_one_program() {
    let folder = Folder::new(1, STATEMENTS);
    let ended = volery(&folder, &["serve", "--check", "serve.toml"]);
    assert!(ended.status.success() && String::from_utf8_lossy(&ended.stdout).contains("known: quicksilver"));
    let ended = volery(&folder, &["results", "verdicts.db"]);
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(2) && err.contains("there is no such database"), "{err}");
    let ended = volery(&folder, &["serve", "--help"]);
    assert!(
        String::from_utf8_lossy(&ended.stdout).contains("Usage: volery serve [OPTIONS] <CONFIG>"),
        "{ended:?}"
    );
}
