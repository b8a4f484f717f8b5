//! Programs that read the body of an answer.

use crate::kit::{link, policy, run, server, terms, time, wanted};
use crate::{ROOTS, asking, crafted};
use std::io::Cursor;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use volery::Options;
use volery::channel::{Identity, SecretKey};
use volery_web::policy::{Policy, Wanted};
use volery_web::program::BodyProgram;
use volery_web::record::Signer;
use volery_web::session::{Asking, Ends, Signing, Terms, keep, preview, receive_and_sign};
use volery_web::{Error, bundle};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 50\r\n\r\n\
    EUR\n2026-10-01,refund,1200\n2026-10-15,salary,8800\n";

/// A policy whose program adds up the entries of a statement of account.
fn of_program(program: &[u8]) -> Policy {
    let program = BodyProgram::new(program, 10_000).unwrap();
    Policy::new(Wanted { content_type: None, program: Some(program), ..wanted("/entries") }).unwrap()
}

fn total() -> Policy {
    of_program(include_bytes!("../../../../examples/programs/total.elf"))
}

fn answering(answer: &[u8]) -> SocketAddr {
    server(include_bytes!("../certificates/bank.pem"), answer.to_vec())
}

fn nothing<'a>() -> Asking<'a> {
    Asking { show: &|_| vec![], ..asking() }
}

/// A body stays hidden, and what a program gives out of it arrives.
#[test]
fn a_program_reads_a_body() {
    let mine = total();
    let ended = run(&mine, &mine, &nothing(), answering(ANSWER));
    let (shown, report) = ended.proved.unwrap();
    let exchange = ended.verified.unwrap().seen.exchange;
    let program = exchange.program.as_ref().unwrap();
    assert_eq!((&program.output[..], program.instructions, program.ands), (&b"EUR"[..], 1087, 10_014));
    assert_eq!(volery_web::skeleton::text(&exchange.response.body), "‹50 hidden›");
    assert!(report.gates.mul > 600_000 + program.ands);
    assert_eq!(exchange, shown);
}

/// A body that the program does not take is told to the prover alone, before anything is opened, as is a program that
/// would branch on it.
#[test]
fn what_programs_refuse_is_not_opened() {
    let mine = total();
    let poor = String::from_utf8(ANSWER.to_vec()).unwrap().replace("8800", "8799");
    let [proved, verified] = run(&mine, &mine, &nothing(), answering(poor.as_bytes())).errors();
    assert!(
        proved.contains("exit code 0 of the program, which ended by exit code 1, does not hold"),
        "{proved}"
    );
    assert!(verified.contains("waiting for the opening"), "{verified}");
    let branching = of_program(include_bytes!("../../../../examples/programs/json.elf"));
    let preview = |policy: &Policy, asking: &Asking<'_>| {
        let mut server = TcpStream::connect(answering(ANSWER)).unwrap();
        preview(&mut server, &terms(policy, &ROOTS), time, asking).map(drop).unwrap_err().to_string()
    };
    let why = preview(&branching, &nothing());
    assert!(why.contains("depends on the private input: in a web proof both sides have to know it"), "{why}");
    let why = preview(&mine, &Asking { show: &|_| core::iter::once(0..3).collect(), ..asking() });
    assert!(why.contains("and of none that a program reads"), "{why}");
    // Whoever has another program has another policy, and so has whoever has none.
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    let other = Policy::new(Wanted { content_type: None, ..wanted("/entries") }).unwrap();
    for theirs in [&branching, &other, &policy("/entries")] {
        for ended in run(&mine, theirs, &nothing(), nobody).errors() {
            assert!(ended.starts_with("the two sides disagree on the policy: "), "{ended}");
        }
    }
}

/// A prover that says that a program gives out something else is rejected.
#[test]
fn other_outputs_are_rejected() {
    let mine = total();
    let [_, verified] = crafted(&mine, (ANSWER, b"EUR"), |opening| opening.output = b"USD".to_vec());
    assert!(matches!(verified, Error::Proof(volery::Error::Rejected(_))), "{verified}");
    let [_, verified] = crafted(&mine, (ANSWER, b"EUR"), |opening| opening.output = b"EU".to_vec());
    assert!(verified.to_string().contains("it gives out 3 bytes, and not 2"), "{verified}");
}

/// A file for others has what a program gave out, too.
#[test]
fn files_have_programs() {
    let (mine, key) = (total(), SecretKey::generate().unwrap());
    let terms = Terms { signing: Signing::Record, ..terms(&mine, &ROOTS) };
    let ends = Ends { relay: key.identity(), prover: Identity::from_bytes([7; 32]) };
    let ((here, there), address) = (link(), answering(ANSWER));
    let kept = thread::scope(|scope| {
        scope.spawn(|| {
            let prover = ends.prover;
            let mut signer = Signer { key: &key, service: "", prover, keep: &mut |_| Ok(()) };
            let mut connect = || TcpStream::connect(address).map_err(Error::io("connecting"));
            receive_and_sign(there, &terms, time, &Options::default(), &mut connect, &mut signer)
                .map(drop)
                .unwrap();
        });
        keep(here, &terms, time, &nothing(), ends).unwrap()
    });
    let mut out = Cursor::new(vec![]);
    let (shown, _) = kept.write(&terms, &Options::default(), &nothing(), &mut out).unwrap();
    let file = out.into_inner();
    let verdict = bundle::verify(&mut &file[..], &[key.identity()], &terms, &Options::default()).unwrap();
    assert_eq!(verdict.exchange.program.as_ref().unwrap().output, b"EUR");
    assert_eq!(verdict.exchange, shown);
}
