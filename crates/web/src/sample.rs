//! Sessions made up of a secret, for benches: records as a client and a server of TLS 1.3 protect them, without a
//! handshake. The statement about one has the gates that it has about a session of the same lengths.

use crate::opened::{Opened, Span};
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
    let data = |length: usize| {
        let pieces = vec![b'a'; length];
        pieces.chunks(MOST_CONTENT).map(|piece| (APPLICATION_DATA, piece.to_vec())).collect::<Vec<_>>()
    };
    send(Side::Client, &[data(request), vec![(ALERT, vec![1, 0])]].concat());
    send(Side::Server, &[vec![(HANDSHAKE, vec![4; TICKET]); 2], data(response)].concat());

    let session = Session::of_records(&recording, suite, hello_hash, finished_hash);
    let secrets = HandshakeSecrets {
        client: schedule.client_handshake.clone(),
        server: schedule.server_handshake.clone(),
    };
    let opened = Opened::of(session, secrets, keys).expect("records of these keys");
    let opening = opened.opening(&[Span::shown(0..request)], &[Span::shown(0..response)]);
    Statement::new(&recording, opened.session(), &opening, form).expect("the plan of an honest prover")
}
