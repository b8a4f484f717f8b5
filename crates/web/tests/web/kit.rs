//! A server with a certificate for `bank.example`, and a relay in front of it.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use volery_web::client::{Fetched, Request, fetch};
use volery_web::recording::{Recording, Side};
use volery_web::tls::{Expected, Roots};

pub(crate) const NAME: &str = "bank.example";

pub(crate) const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"owner\":\"Alice Ex\",\"balance\":123456789}";

pub(crate) fn roots() -> Roots {
    Roots::from_pem(include_bytes!("../certificates/root.pem")).unwrap()
}

/// The demands of a verifier, on a day of 2030.
pub(crate) fn expected(roots: &Roots) -> Expected<'_> {
    let time = UnixTime::since_unix_epoch(Duration::from_secs(1_900_000_000));
    Expected { name: NAME, roots, time }
}

/// Serves one connection, with tickets that nobody asked for.
fn server() -> SocketAddr {
    let chain =
        [&include_bytes!("../certificates/bank.pem")[..], include_bytes!("../certificates/between.pem")];
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
            let read = stream.read(&mut piece).unwrap();
            request.extend(&piece[..read]);
        }
        let (head, body) = RESPONSE.split_at(39);
        stream.write_all(head).unwrap();
        stream.write_all(body).unwrap();
        stream.flush().unwrap();
        connection.send_close_notify();
        while connection.wants_write() {
            connection.write_tls(&mut socket).unwrap();
        }
        let _ = socket.read(&mut [0; 64]);
    });
    address
}

/// Fetches by a client, over a relay whose recording is given back, too.
pub(crate) fn fetch_through_relay(request: &[u8]) -> (Fetched, Recording) {
    let address = server();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let relay = listener.local_addr().unwrap();
    let relayed = thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let server = TcpStream::connect(address).unwrap();
        let recording = Mutex::new(Recording::new());
        let forward = |side, mut from: &TcpStream, mut to: &TcpStream| {
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut piece) {
                recording.lock().unwrap().push(side, &piece[..read], 0);
                to.write_all(&piece[..read]).unwrap();
            }
            let _ = to.shutdown(Shutdown::Write);
        };
        thread::scope(|scope| {
            scope.spawn(|| forward(Side::Client, &client, &server));
            forward(Side::Server, &server, &client);
        });
        recording.into_inner().unwrap()
    });
    let roots = roots();
    let expected = expected(&roots);
    let request = Request { name: NAME, roots: &roots, time: expected.time, bytes: request, most: 1 << 16 };
    let mut connection = TcpStream::connect(relay).unwrap();
    let fetched = fetch(&request, &mut connection, &mut |response| response.len() >= RESPONSE.len()).unwrap();
    // What is still on its way belongs to the recording of neither.
    drop(connection);
    (fetched, relayed.join().unwrap())
}
