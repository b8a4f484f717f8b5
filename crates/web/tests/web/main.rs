//! Whole proofs: a server, a relay that records, a prover's client and a verifier, over loopback.

mod kit;

use kit::{expected, fetch_through_relay, roots};
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::{Options, prove, verify};
use volery_web::opened::Span;
use volery_web::opening::Said;
use volery_web::recording::Side;
use volery_web::statement::{Form, Statement};
use volery_web::{Opened, Opening, tls};

const REQUEST: &[u8] = b"GET /balance HTTP/1.1\r\nHost: bank.example\r\nCookie: id=s3cr3t\r\n\r\n";

/// The options of a proof of `statement`.
fn options(statement: &Statement) -> Options {
    Options { statement: Some(statement.digest()), ..Options::default() }
}

/// A session is recorded, opened in part, and proved; and what is shown arrives.
#[test]
fn a_first_proof() {
    let (fetched, recording) = fetch_through_relay(REQUEST);
    assert_eq!(fetched.recording.digest(), recording.digest());
    let roots = roots();
    let expected = expected(&roots);
    let opened = Opened::new(&fetched.recording, &fetched.secret, &expected).unwrap();
    assert_eq!(&opened.data(Side::Client)[..], REQUEST);
    assert_eq!(&opened.data(Side::Server)[..], kit::RESPONSE);
    // The cookie stays hidden, and all of the response but the balance.
    let cookie = REQUEST.windows(6).position(|part| part == b"s3cr3t").unwrap();
    let balance = kit::RESPONSE.windows(7).position(|part| part == b"balance").unwrap();
    let opening = opened.opening(
        &[Span::value(cookie..cookie + 6), Span::shown(0..REQUEST.len())],
        &[Span::shown(0..15), Span::shown(balance..kit::RESPONSE.len())],
    );
    let message = opening.to_bytes();
    let proving =
        Statement::new(&fetched.recording, opened.session(), &opening, Form::Gates).expect("what was opened");

    let (here, there) = pipe(Duration::from_secs(60));
    let secret = fetched.secret.clone();
    let prover = thread::spawn(move || {
        let mut channel = Channel::new(Party::Prover, here);
        prove(
            &proving as &dyn volery::circuit::stream::Source<_>,
            Statement::witness(&secret),
            &mut channel,
            &options(&proving),
        )
    });
    let opening = Opening::from_bytes(&message).unwrap();
    let session = tls::verify(&recording, &opening.secrets, &expected).unwrap();
    let statement = Statement::new(&recording, &session, &opening, Form::Gates).unwrap();
    let mut channel = Channel::new(Party::Verifier, there);
    let source = &statement as &dyn volery::circuit::stream::Source<_>;
    let (_accepted, report) = verify(source, &mut channel, &options(&statement)).unwrap();
    assert!(report.gates.mul > 600_000);
    prover.join().unwrap().unwrap();

    let parts = opening.server.iter().filter_map(|planned| planned.parts.as_ref()).flatten();
    let is_balance =
        |said: &Said| matches!(said, Said::Shown(bytes) if bytes.ends_with(b"balance\":123456789}"));
    assert!(parts.map(|part| &part.said).any(is_balance));
    let hidden = |secret: &[u8]| !message.windows(secret.len()).any(|part| part == secret);
    assert!(hidden(b"s3cr3t") && hidden(b"Alice"));
}
