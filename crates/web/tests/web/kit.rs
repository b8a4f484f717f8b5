//! A server with a certificate for `bank.example`, and both ends of a link.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use volery::channel::{Pipe, pipe};
use volery::{Options, Report};
use volery_web::policy::{AllowedField, Exchange, Policy, Wanted};
use volery_web::session::{Asking, Clock, Signing, Terms, Verdict, prove, verify};
use volery_web::statement::Form;
use volery_web::tls::{Roots, Suite};
use volery_web::tunnel::Limits;
use volery_web::{Error, Result};

/// The answer of the server.
pub(crate) const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: next=s3cret2\r\n\
    Content-Length: 40\r\n\r\n{\"owner\":\"Alice Ex\",\"balance\":123456789}";

pub(crate) fn roots() -> Roots {
    Roots::from_pem(include_bytes!("../certificates/root.pem")).unwrap()
}

/// A day of 2030, at which the certificates are valid.
pub(crate) fn time() -> UnixTime {
    UnixTime::since_unix_epoch(Duration::from_secs(1_900_000_000))
}

/// A policy for the target `/balance`, whose cookie may be hidden.
pub(crate) fn policy(target: &str) -> Policy {
    Policy::new(wanted(target)).unwrap()
}

/// The parts of that policy.
pub(crate) fn wanted(target: &str) -> Wanted {
    Wanted {
        host: "bank.example".into(),
        port: 443,
        suites: vec![Suite::default()],
        target: target.into(),
        fields: vec![AllowedField { name: "cookie".into(), may_hide: true }],
        shown_fields: vec![],
        status: vec![200],
        content_type: Some("application/json".into()),
        reveal: vec![],
        claims: vec![],
        program: None,
        choose: Default::default(),
    }
}

/// Terms of a proof under a policy.
pub(crate) fn terms<'t>(policy: &'t Policy, roots: &'t Roots) -> Terms<'t> {
    let seconds = Duration::from_secs;
    let limits =
        Limits { up: 1 << 14, down: 1 << 16, total: seconds(20), silence: seconds(5), ..Limits::default() };
    Terms { policy, roots, limits, form: Form::Gates, signing: Signing::Nothing }
}

/// Serves one connection: reads a request, and answers it by `response`, with tickets that nobody asked for.
pub(crate) fn server(own: &'static [u8], response: Vec<u8>) -> SocketAddr {
    let chain = [own, include_bytes!("../certificates/between.pem")];
    let chain = chain.map(|pem| CertificateDer::from_pem_slice(pem).unwrap()).to_vec();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../certificates/bank.key")).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls_graviola::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
        let mut stream = Stream::new(&mut connection, &mut socket);
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut piece = [0; 256];
            let Ok(read @ 1..) = stream.read(&mut piece) else { return };
            request.extend(&piece[..read]);
        }
        let _ = stream.write_all(&response).and_then(|()| stream.flush());
        connection.send_close_notify();
        let _ = connection.write_tls(&mut socket);
        let _ = socket.read(&mut [0; 64]);
    });
    address
}

/// The server that all is well with.
pub(crate) fn bank() -> SocketAddr {
    server(include_bytes!("../certificates/bank.pem"), RESPONSE.to_vec())
}

/// How both sides end.
pub(crate) struct Ended {
    pub(crate) proved: Result<(Exchange, Report)>,
    pub(crate) verified: Result<Verdict>,
}

impl Ended {
    /// The errors of both sides, as text.
    pub(crate) fn errors(self) -> [String; 2] {
        let [proved, verified] = [self.proved.map(drop).err(), self.verified.map(drop).err()];
        [proved, verified].map(|error| error.map_or_else(String::new, |error| error.to_string()))
    }
}

/// A link with both its ends, no wait on which is long.
pub(crate) fn link() -> (Pipe, Pipe) {
    pipe(Duration::from_secs(20))
}

/// Runs both sides, each with its own policy.
pub(crate) fn run(proving: &Policy, verifying: &Policy, asking: &Asking<'_>, address: SocketAddr) -> Ended {
    run_at([time, time], proving, verifying, asking, address)
}

/// A whole proof, by the clocks of the prover and of the verifier.
pub(crate) fn run_at(
    [here_is, there_is]: [Clock; 2],
    proving: &Policy,
    verifying: &Policy,
    asking: &Asking<'_>,
    address: SocketAddr,
) -> Ended {
    let (here, there) = link();
    let roots = roots();
    let mut connect = move || TcpStream::connect(address).map_err(Error::io("connecting"));
    thread::scope(|scope| {
        let verifier = scope
            .spawn(|| verify(there, &terms(verifying, &roots), there_is, &Options::default(), &mut connect));
        let proved = prove(here, &terms(proving, &roots), here_is, &Options::default(), asking);
        Ended { proved, verified: verifier.join().unwrap() }
    })
}
