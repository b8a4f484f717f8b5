//! Bodies of scripted sessions that programs read: true ones, and provers that cheat.

use super::*;
use crate::opened::{Opened, Span};
use crate::opening::{Hidden, Opening, Said};
use crate::policy::{Policy, Unwanted, Wanted};
use crate::recording::Side;
use crate::statement::{Form, Statement};
use crate::tls::script::{self, Data, NAME, Script, Written};
use crate::tls::{Expected, Suite};

const ENTRIES: &str = "EUR\n2026-10-01,refund,1200\n2026-10-15,salary,8800\n";

/// The example of this name.
pub(crate) fn program(name: &str, cycles: u64) -> BodyProgram {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs");
    BodyProgram::new(&std::fs::read(format!("{folder}/{name}.elf")).unwrap(), cycles).unwrap()
}

fn policy(program: Option<BodyProgram>) -> Policy {
    Policy::new(wanted(program)).unwrap()
}

fn wanted(program: Option<BodyProgram>) -> Wanted {
    Wanted {
        host: NAME.into(),
        port: 443,
        suites: vec![Suite::default()],
        target: "/entries".into(),
        fields: vec![],
        shown_fields: vec![],
        status: vec![200],
        content_type: None,
        reveal: vec![],
        claims: vec![],
        program,
        choose: Default::default(),
    }
}

/// A session in which this body comes in two chunks, and in two records that end elsewhere.
fn written(body: &str) -> Written {
    let request = policy(None).request(&[]).unwrap();
    let (first, second) = body.split_at(20);
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let answer = [head, &chunk(first), &chunk(second), "0\r\n\r\n"].concat();
    let (one, other) = answer.as_bytes().split_at(head.len() + 40);
    let data = vec![
        Data::new(Side::Client, 23, &request),
        Data::new(Side::Server, 23, one),
        Data::new(Side::Server, 23, other),
    ];
    Script { data, ..Script::default() }.write()
}

/// How a verifier ends that has `policy`, where the prover's opening of `written` gives out `output`, and is changed: in
/// the clear, and by gates where these are asked.
fn ended(
    written: &Written,
    policy: &Policy,
    output: &[u8],
    by_gates: bool,
    change: impl FnOnce(&mut Opening),
) -> Result<ReadByProgram, String> {
    let roots = script::roots();
    let expected = Expected { name: NAME, suites: &[Suite::Aes128], roots: &roots, time: script::time() };
    let opened = Opened::new(&written.recording, &written.secret, &expected).unwrap();
    let spans = policy.response_spans(&opened.data(Side::Server)).unwrap();
    let mut opening = opened.opening(&policy.request_spans(&opened.data(Side::Client)), &spans);
    opening.output = output.to_vec();
    change(&mut opening);
    let opening = Opening::from_bytes(&opening.to_bytes()).unwrap();
    let exchange = policy.read(&opening).map_err(|why| why.to_string())?;
    let statement = Statement::new(&written.recording, opened.session(), &opening, Form::Gates).unwrap();
    let statement = statement.of_program(&opening, policy.program().expect("a program"));
    let ended = statement.check(&written.secret).map_err(|why| why.to_string());
    if by_gates {
        let gates = volery::check(&statement, Statement::witness(&written.secret));
        match (&ended, gates.map_err(|why| why.to_string())) {
            (Ok(()), Ok(())) => {}
            (Err(clear), Err(gates)) => assert!(alike(clear, &gates), "{clear}, by gates {gates}"),
            other => panic!("{other:?}"),
        }
    }
    ended.map(|()| exchange.program.expect("a program"))
}

/// Whether an error in the clear and one by gates are about the same.
fn alike(clear: &str, gates: &str) -> bool {
    [["byte 1 of the output"; 2], ["exit code 0 of the program", "the exit code"]]
        .iter()
        .any(|[one, other]| clear.contains(one) && gates.contains(other))
}

/// The program reads the body in its order, over chunks and records: nothing else of the data, and all of that.
#[test]
fn programs_read_bodies() {
    let (mine, session) = (policy(Some(program("total", 10_000))), written(ENTRIES));
    let read = ended(&session, &mine, b"EUR", true, |_| {}).unwrap();
    assert_eq!((&read.output[..], read.instructions, read.ands), (&b"EUR"[..], 1087, 10_014));
    assert_eq!(read.sha256, *program("total", 1).sha256());
    // A prover that says that it gives out something else.
    let failed = |session: &Written, output: &[u8], by_gates| {
        ended(session, &mine, output, by_gates, |_| {}).unwrap_err()
    };
    assert!(failed(&session, b"EXR", true).contains("byte 1 of the output"));
    assert!(failed(&session, b"EU", false).contains("it gives out 3 bytes, and not 2"));
    assert!(failed(&session, b"EURO", false).contains("it gives out 3 bytes, and not 4"));
    // A byte less than it takes, and one that says so passes over its own run.
    let poor = written(&ENTRIES.replace("8800", "8799"));
    let failed = failed(&poor, b"EUR", true);
    assert!(failed.contains("exit code 0 of the program, which ended by exit code 1, does not"), "{failed}");
}

/// Policies take a body that is hidden for the program, all of it.
#[test]
fn bodies_are_hidden_for_programs() {
    let (mine, session) = (policy(Some(program("total", 10_000))), written(ENTRIES));
    // The first part of the second record is of the body.
    let refused = |said: fn(Said) -> Said| {
        let change = |opening: &mut Opening| {
            let part = &mut opening.server[1].parts.as_mut().unwrap()[0];
            assert!(matches!(part.said, Said::Hidden(Hidden::Read, _)));
            part.said = said(part.said.clone());
        };
        ended(&session, &mine, b"EUR", false, change).unwrap_err()
    };
    let shown = refused(|said| match said {
        Said::Hidden(_, length) => Said::Shown(vec![b'9'; usize::from(length) - 1]),
        shown => shown,
    });
    assert!(shown.contains("the response's body is not hidden whole"), "{shown}");
    for class in [|_| Said::Hidden(Hidden::Whole, 1), |_| Said::Hidden(Hidden::Read, 1)] {
        assert!(refused(class).contains("the response's body is not hidden whole"));
    }
    // Where no program reads it, none gives something out.
    let none = policy(None);
    let roots = script::roots();
    let expected = Expected { name: NAME, suites: &[Suite::Aes128], roots: &roots, time: script::time() };
    let opened = Opened::new(&session.recording, &session.secret, &expected).unwrap();
    let data = opened.data(Side::Server);
    let spans = none.response_spans(&data).unwrap();
    let mut opening = opened.opening(&[Span::shown(0..opened.data(Side::Client).len())], &spans);
    none.read(&opening).unwrap();
    opening.output = b"EUR".to_vec();
    assert_eq!(none.read(&opening), Err(Unwanted::Output(3)));
    // A head is read by nobody else.
    let head =
        opened.opening(&none.request_spans(&opened.data(Side::Client)), &[Span::hidden(0..9, Hidden::Read)]);
    assert!(matches!(none.read(&head), Err(Unwanted::Response(_))));
}

/// Programs that prove nothing are found out before anybody runs them on a body.
#[test]
fn programs_are_refused() {
    let reveal = vec!["$.a".parse().unwrap()];
    let both = Policy::new(Wanted { reveal, ..wanted(Some(program("total", 1000))) });
    assert!(both.unwrap_err().to_string().contains("is not read as JSON: leave out `reveal`"));
    assert!(BodyProgram::new(&[0; 64], 1).unwrap_err().to_string().contains("it does not begin as one"));
    let elf =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs/total.elf")).unwrap();
    assert!(BodyProgram::new(&elf, 0).unwrap_err().to_string().contains("from 1 to 4294967296 cycles"));
    let examined = |program: BodyProgram| program.examine(50).map_err(|why| why.to_string());
    let secret = examined(program("json", 10_000)).unwrap_err();
    assert!(
        secret.contains("depends on the private input: in a web proof both sides have to know"),
        "{secret}"
    );
    let long = examined(program("total", 1086)).unwrap_err();
    assert!(long.contains("not ended after 1086 instructions") && long.contains("`cycles` under `limits`"));
    examined(program("total", 1087)).unwrap();
}
