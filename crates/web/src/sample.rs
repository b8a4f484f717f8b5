//! Sessions made up of a secret, for benches, and for a test that nothing tells of it: records as a client and a server of
//! TLS 1.3 protect them, without a handshake. The statement about one has the gates that it has about a session of the
//! same lengths.

use crate::opened::{Opened, Span};
use crate::opening::Opening;
use crate::policy::{AllowedField, Policy, Wanted};
use crate::recording::{Recording, Side};
use crate::statement::{Form, Statement};
use crate::tls::{
    ALERT, APPLICATION_DATA, HANDSHAKE, HandshakeSecrets, MOST_CONTENT, Schedule, Secret, Session, Suite,
};
use sha2::{Digest, Sha256};

/// Bytes of a ticket, as servers send two of before they answer.
const TICKET: usize = 255;

/// The statement about a session with this handshake secret, in which a request and a response of so many bytes are
/// shown whole; both are at least one byte long.
pub fn statement(secret: &Secret, suite: Suite, request: usize, response: usize, form: Form) -> Statement {
    let spans = [&[Span::shown(0..request)][..], &[Span::shown(0..response)]];
    stated((secret, suite), [&vec![b'a'; request], &vec![b'a'; response]], spans, form, |_, statement| {
        statement
    })
}

/// The statement about a session with this handshake secret, in which something is hidden in each way: a word of the
/// target, a cookie, and in the body digits and a text that claims are about, and values that are hidden whole.
///
/// # Panics
/// Never: the session is what its policy wants.
pub fn hiding_statement(secret: &Secret, suite: Suite, form: Form) -> Statement {
    let wanted = Wanted {
        host: "bank.example".into(),
        port: 443,
        suites: vec![suite],
        target: "/of/{hidden}".into(),
        fields: vec![AllowedField { name: "cookie".into(), may_hide: true }],
        shown_fields: vec![],
        status: vec![200],
        content_type: None,
        reveal: vec!["$.currency".parse().expect("a path")],
        claims: [
            "$.balance >= 1000.00",
            "$.owner in [\"Alice\", \"Carol\", \"Bob\"]",
            "$.owner matches \"[A-Z][a-z]*\"",
        ]
        .map(|claim| claim.parse().expect("a claim"))
        .to_vec(),
        program: None,
        choose: Default::default(),
    };
    let policy = Policy::new(wanted).expect("a policy");
    let request = policy.request_for(&[b"A-17"], &[("cookie", b"id=s3cr3t")]).expect("a request");
    let body = br#"{"owner":"Alice","balance":1234.56,"list":[1,"a]\"",{}],"currency":"EUR","none":null}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length";
    let response = [format!("{head}: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
    let spans = [policy.request_spans(&request), policy.response_spans(&response).expect("an answer")];
    stated(
        (secret, suite),
        [&request, &response],
        spans.each_ref().map(|spans| &spans[..]),
        form,
        |opening, statement| {
            let exchange = policy.read(opening).expect("what the policy wants");
            statement.of_body(opening, &exchange.comparisons, &exchange.pieces)
        },
    )
}

/// The statement that these spans are said of the data of both sides, and of it what `of_body` makes.
fn stated(
    (secret, suite): (&Secret, Suite),
    data: [&[u8]; 2],
    spans: [&[Span]; 2],
    form: Form,
    of_body: impl FnOnce(&Opening, Statement) -> Statement,
) -> Statement {
    let hello_hash = Sha256::digest(b"hellos").into();
    let finished_hash = Sha256::digest(b"a handshake").into();
    let schedule = Schedule::new(secret, &hello_hash);
    let keys = schedule.application(suite, &finished_hash);
    let mut recording = Recording::new();
    let mut send = |side, contents: &[(u8, Vec<u8>)]| {
        let keys = &keys[usize::from(side == Side::Server)];
        let seal =
            |(sequence, (kind, content)): (u64, &(u8, Vec<u8>))| keys.seal(sequence, *kind, content, 0);
        recording.push(side, &(0..).zip(contents).flat_map(seal).collect::<Vec<_>>(), 0);
    };
    let [request, response] = data.map(|data| {
        data.chunks(MOST_CONTENT).map(|piece| (APPLICATION_DATA, piece.to_vec())).collect::<Vec<_>>()
    });
    send(Side::Client, &[request, vec![(ALERT, vec![1, 0])]].concat());
    send(Side::Server, &[vec![(HANDSHAKE, vec![4; TICKET]); 2], response].concat());

    let session = Session::of_records(&recording, suite, hello_hash, finished_hash);
    let secrets = HandshakeSecrets {
        client: schedule.client_handshake.clone(),
        server: schedule.server_handshake.clone(),
    };
    let opened = Opened::of(session, secrets, keys).expect("records of these keys");
    let opening = opened.opening(spans[0], spans[1]);
    let statement = Statement::new(&recording, opened.session(), &opening, form);
    of_body(&opening, statement.expect("the plan of an honest prover"))
}
