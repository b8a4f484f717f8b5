//! `volery`, as provers and operators type it.

use crate::kit::{ABC, Folder, STATEMENTS};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn volery(folder: &Folder, arguments: &[&str]) -> Output {
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
    assert!(
        code == Some(0) && err.contains("the terms of the service") && err.contains("you choose"),
        "{err}"
    );
    let object: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&object["verdict"], &object["terms"]["choose"][0]), (&"accepted".into(), &"digest".into()));
    assert_eq!(object["session"], folder.verdicts(&[])[0]["session"]);

    let (code, _, err) = prove(&[&any[..], &["--quiet"]].concat());
    assert_eq!((code, err.as_str()), (Some(0), ""));

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

/// Each system that proves whole statements, and a relation that both sides have as a file.
#[test]
fn every_system_proves_to_a_service() {
    let mut more = String::new();
    for system in ["quicksilver", "wolverine", "jko", "limbo"] {
        more += &format!(
            "[statement.{system}]\nrelation = \"adder.txt\"\nsystem = \"{system}\"\nsecurity = 40\n"
        );
        more += "choose = [\"in0\", \"out0\"]\n";
    }
    more += "[statement.open]\nrelation = \"adder.txt\"\nchoose = [\"in0\", \"in1\", \"out0\"]\n";
    let folder = Folder::new(1, "");
    // Two bits of a half adder: the sum, and the carry.
    let adder = "2 4\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";
    std::fs::write(folder.folder.path().join("adder.txt"), adder).expect("written");
    std::fs::write(folder.folder.path().join("other.txt"), format!("{adder}\n")).expect("written");
    folder.write(&more);
    let service = folder.serve();
    let identity = folder.identity().to_string();
    let prove = |system: &str, file: &str| {
        let peer = ["--connect", &service.address, "--peer", &identity, "--key", "p0", "--relation", file];
        let values = ["--public", "in0=0x1", "--public", "out0=0x2", "--private", "in1=0x1", "--quiet"];
        volery(&folder, &[&["prove", "--statement", system], &peer[..], &values].concat())
    };
    for system in ["quicksilver", "wolverine", "jko", "limbo"] {
        let ended = prove(system, "adder.txt");
        assert!(ended.status.success(), "{system}: {ended:?}");
    }
    let ended = prove("jko", "other.txt");
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(2) && err.contains("and that of the service's adder.txt"), "{err}");
    // What it does not say is told to a prover, too.
    let peer = ["--connect", &service.address, "--peer", &identity, "--key", "p0", "--relation", "adder.txt"];
    let values = ["--public", "in0=0x1", "--public", "in1=0x1", "--public", "out0=0x2", "--json"];
    let ended = volery(&folder, &[&["prove", "--statement", "open"], &peer[..], &values].concat());
    let object: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert!(
        object["warnings"][0].as_str().is_some_and(|why| why.contains("all inputs are public")),
        "{object}"
    );
    let systems: Vec<_> = folder.verdicts(&[]).iter().map(|verdict| verdict["system"].clone()).collect();
    assert_eq!(systems, ["quicksilver", "limbo", "jko", "wolverine", "quicksilver"]);
}

/// A circuit with latches, for as many steps as the service says.
#[test]
fn a_service_has_circuits_with_latches() {
    let folder = Folder::new(1, "");
    let toggle = "aag 5 1 1 1 3\n2\n4 11\n4\n6 4 3\n8 5 2\n10 9 7\ni0 on\no0 q\n";
    std::fs::write(folder.folder.path().join("toggle.aag"), toggle).expect("written");
    folder.write("[statement.toggled]\nrelation = \"toggle.aag?steps=3\"\npublic = { q = \"0b1\" }\n");
    let service = folder.serve();
    let identity = folder.identity().to_string();
    let prove = |relation: &str, last: &str| {
        let peer =
            ["--connect", &service.address, "--peer", &identity, "--key", "p0", "--relation", relation];
        let values = ["--private", "on@*=0b0", "--private", last, "--quiet"];
        volery(&folder, &[&["prove", "--statement", "toggled"], &peer[..], &values].concat())
    };
    let ended = prove("toggle.aag?steps=3", "on@1=0b1");
    assert!(ended.status.success(), "{ended:?}");
    for (relation, last, words) in [
        ("toggle.aag?steps=4", "on@1=0b1", "the service has the file as toggle.aag?steps=3"),
        ("toggle.aag?steps=3", "on@2=0b1", "q[0] does not hold"),
    ] {
        let ended = prove(relation, last);
        let err = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.code() == Some(2) && err.contains(words), "{err}");
    }
}
