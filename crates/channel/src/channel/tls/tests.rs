//! Links between right and wrong keys, cut ones, what is on the wire, and who is in the middle.

use super::*;
use crate::channel::Listener;
use std::net::{TcpListener, TcpStream};
use std::thread::{JoinHandle, spawn};

const TIMEOUT: Duration = Duration::from_secs(10);

fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32]).unwrap()
}

/// The identity of a fixed key.
pub(super) fn identity(seed: u8) -> Identity {
    key(seed).identity()
}

fn config(ours: u8, peer: u8) -> TlsConfig {
    TlsConfig::new(&key(ours), identity(peer).into()).unwrap()
}

fn sockets() -> (Tcp, Tcp) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connecting = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (accepted, _) = listener.accept().unwrap();
    (Tcp::new(connecting, TIMEOUT).unwrap(), Tcp::new(accepted, TIMEOUT).unwrap())
}

/// The results of the connecting and the listening side.
fn shake(client: &TlsConfig, server: &TlsConfig) -> (io::Result<Tls>, io::Result<Tls>) {
    let (here, there) = sockets();
    let server = server.clone();
    let listening = spawn(move || server.accept(there));
    (client.connect(here), listening.join().unwrap())
}

/// Bytes pass between two sockets both ways through `change`, which gets the direction, true for those of
/// the connecting side, and may end the link.
fn relay(
    change: impl Fn(bool, &mut Vec<u8>) -> bool + Clone + Send + 'static,
) -> (Tcp, Tcp, Vec<JoinHandle<Vec<u8>>>) {
    let ((here, near), (far, there)) = (sockets(), sockets());
    let handle = |tcp: &Tcp| tcp.handle().unwrap();
    let threads = [(handle(&near), handle(&far), true), (handle(&far), handle(&near), false)];
    let threads = threads.map(|(mut from, mut to, connecting)| {
        let change = change.clone();
        spawn(move || {
            let (mut all, mut bytes) = (Vec::new(), vec![0; 1 << 16]);
            while let Ok(length @ 1..) = from.read(&mut bytes) {
                let mut piece = bytes[..length].to_vec();
                let goes_on = change(connecting, &mut piece);
                all.extend_from_slice(&piece);
                if to.write_all(&piece).is_err() || !goes_on {
                    break;
                }
            }
            let _ = to.shutdown(std::net::Shutdown::Both);
            let _ = from.shutdown(std::net::Shutdown::Both);
            all
        })
    });
    (here, there, threads.into())
}

#[test]
fn bytes_cross_both_ways_and_ends_share_a_binding() {
    let (client, server) = shake(&config(1, 2), &config(2, 1));
    let (mut client, mut server) = (client.unwrap(), server.unwrap());
    assert_eq!((client.peer(), server.peer()), (identity(2), identity(1)));
    assert_eq!(client.binding(), server.binding());
    let sizes = [1, 100, 16 << 10, BUFFER - 1, BUFFER, BUFFER + 1, 5 * BUFFER, 3];
    let echo = spawn(move || {
        for (i, size) in sizes.into_iter().enumerate() {
            let mut bytes = vec![0; size];
            server.recv(&mut bytes).unwrap();
            assert!(bytes.iter().all(|&byte| byte == i as u8));
            server.send(&bytes).unwrap();
            server.flush().unwrap();
        }
        server
    });
    for (i, size) in sizes.into_iter().enumerate() {
        client.send(&vec![i as u8; size]).unwrap();
        client.flush().unwrap();
        let mut bytes = vec![0xff; size];
        client.recv(&mut bytes).unwrap();
        assert!(bytes.iter().all(|&byte| byte == i as u8));
    }
    drop(echo.join().unwrap());
    assert_eq!(client.recv(&mut [0]).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    // Another link between the same two has another binding.
    let (other, _server) = shake(&config(1, 2), &config(2, 1));
    assert_ne!(client.binding(), other.unwrap().binding());
}

#[test]
fn keys_that_are_not_pinned_are_refused_by_name_on_both_sides() {
    let mut pinned = Peers::default();
    pinned.add(identity(9), "Bob");
    let client = TlsConfig::new(&key(1), pinned).unwrap();
    // The connecting side finds another key than it pins.
    let (here, there) = shake(&client, &config(2, 1));
    let (here, there) = (here.err().unwrap(), there.err().unwrap());
    assert_eq!(here.kind(), ErrorKind::PermissionDenied);
    let said = here.to_string();
    assert!(said.contains(&identity(2).to_string()) && said.contains("Bob (volery1"), "{said}");
    assert_eq!(there.kind(), ErrorKind::PermissionDenied);
    assert!(there.to_string().contains(&identity(2).to_string()), "{there}");
    // The listening side does, and the other hears of it before it has said anything.
    let (here, there) = shake(&config(1, 2), &config(2, 3));
    let (here, there) = (here.err().unwrap(), there.err().unwrap());
    assert_eq!((here.kind(), there.kind()), (ErrorKind::PermissionDenied, ErrorKind::PermissionDenied));
    assert!(here.to_string().contains(&identity(1).to_string()), "{here}");
    assert!(there.to_string().contains(&identity(3).to_string()), "{there}");
}

/// Somebody who shows a pinned key and cannot sign by it.
#[test]
fn a_key_that_is_only_shown_is_worth_nothing() {
    let mut thief = config(3, 2);
    let shown = CertifiedKeyOf { shown: identity(1), signs: key(3) };
    let mut client = ClientConfig::clone(&thief.client);
    client.client_auth_cert_resolver = shown.resolver();
    thief.client = Arc::new(client);
    let (here, there) = shake(&thief, &config(2, 1));
    assert!(there.err().unwrap().to_string().contains("does not have the key that it shows"));
    assert!(here.is_err());
}

struct CertifiedKeyOf {
    shown: Identity,
    signs: SecretKey,
}

impl CertifiedKeyOf {
    fn resolver(&self) -> Arc<AlwaysResolvesClientRawPublicKeys> {
        let mut certified = rustls::sign::CertifiedKey::clone(&self.signs.certified());
        certified.cert = vec![self.shown.to_spki().into()];
        Arc::new(AlwaysResolvesClientRawPublicKeys::new(Arc::new(certified)))
    }
}

/// All that crosses: the group is the hybrid, and of what is said and of the connecting side's key nothing is
/// there.
#[test]
fn what_crosses_is_the_hybrid_group_and_nothing_in_the_clear() {
    let secret = b"the statement and all of its proof";
    let (here, there, threads) = relay(|_, _| true);
    let listening = spawn(move || {
        let mut server = config(2, 1).accept(there).unwrap();
        let mut said = [0; 34];
        server.recv(&mut said).unwrap();
        said
    });
    let mut client = config(1, 2).connect(here).unwrap();
    assert_eq!(client.group(), Some(NamedGroup::X25519MLKEM768));
    client.send(secret).unwrap();
    client.flush().unwrap();
    assert_eq!(listening.join().unwrap(), *secret);
    drop(client);
    let [to_server, to_client]: [Vec<u8>; 2] =
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>().try_into().unwrap();
    let has = |all: &[u8], part: &[u8]| all.windows(part.len()).any(|window| window == part);
    for all in [&to_server, &to_client] {
        assert!(!has(all, &secret[..8]));
        assert!(!has(all, &identity(1).to_bytes()[..8]) && !has(all, &identity(2).to_bytes()[..8]));
        // A share of X25519MLKEM768, 0x11ec, in both hellos: 1184 + 32 bytes, and 1088 + 32.
        assert!(has(all, &[0x11, 0xec, 0x04, 0xc0]) || has(all, &[0x11, 0xec, 0x04, 0x60]));
    }
    // The list of groups that the client offers has one entry.
    assert!(has(&to_server, &[0, 0x0a, 0, 4, 0, 2, 0x11, 0xec]), "one group is offered");
}

/// Bytes all over the handshake of either side, changed: the side that connects comes to no link.
#[test]
fn changed_bytes_end_the_link() {
    for connecting in [true, false] {
        for at in (0_usize..1400).step_by(97) {
            let position = Arc::new(std::sync::atomic::AtomicUsize::new(0));
            let (here, there, threads) = relay(move |from, bytes| {
                if from == connecting {
                    let start = position.fetch_add(bytes.len(), std::sync::atomic::Ordering::Relaxed);
                    if let Some(byte) = at.checked_sub(start).and_then(|at| bytes.get_mut(at)) {
                        *byte ^= 0x10;
                    }
                }
                true
            });
            let listening = spawn(move || config(2, 1).accept(there));
            let client = config(1, 2).connect(here);
            // Whoever fails closes, so that nobody waits.
            assert!(client.is_err(), "byte {at}");
            drop(client);
            drop(listening.join().unwrap());
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
    }
}

#[test]
fn a_handshake_that_is_cut_ends() {
    for connecting in [true, false] {
        let (here, there, threads) = relay(move |from, bytes| {
            if from == connecting {
                bytes.truncate(40);
            }
            from != connecting
        });
        let listening = spawn(move || config(2, 1).accept(there));
        assert!(config(1, 2).connect(here).is_err());
        assert!(listening.join().unwrap().is_err());
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// Somebody in the middle with a key of its own makes a link with neither.
#[test]
fn a_man_in_the_middle_is_named() {
    let ((here, near), (far, there)) = (sockets(), sockets());
    let anybody = |ours| {
        let mut peers = Peers::from(identity(1));
        peers.add(identity(2), "");
        TlsConfig::new(&key(ours), peers).unwrap()
    };
    let listening = spawn(move || config(2, 1).accept(there));
    let middle = spawn(move || (anybody(6).accept(near).err(), anybody(6).connect(far).err()));
    let client = config(1, 2).connect(here).err().unwrap();
    let (with_client, with_server) = middle.join().unwrap();
    let server = listening.join().unwrap().err().unwrap();
    for why in [client, server] {
        assert_eq!(why.kind(), ErrorKind::PermissionDenied);
        assert!(why.to_string().contains(&identity(6).to_string()), "{why}");
    }
    assert!(with_client.is_some() && with_server.is_some());
}

/// A peer without raw keys, the group, or TLS 1.3 is refused with what it lacks.
#[test]
fn downgrades_are_refused() {
    let full = rustls_graviola::default_provider();
    let other_group = CryptoProvider {
        kx_groups: full.kx_groups.iter().copied().filter(|g| g.name() == NamedGroup::X25519).collect(),
        ..full.clone()
    };
    let other_suite = CryptoProvider {
        cipher_suites: rustls_graviola::suites::ALL_CIPHER_SUITES[..1].to_vec(),
        ..full.clone()
    };
    for provider in [other_group, other_suite] {
        let pins = Arc::new(Pins::new(identity(2).into(), &provider));
        let client = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(pins)
            .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(key(1).certified())));
        let weak = TlsConfig { client: Arc::new(client), ..config(1, 2) };
        let (here, there) = shake(&weak, &config(2, 1));
        for why in [here.err().unwrap(), there.err().unwrap()] {
            assert!(why.to_string().contains("does not offer TLS 1.3 with X25519MLKEM768"), "{why}");
        }
    }
    // A ClientHello of TLS 1.2, by hand.
    let (here, there) = sockets();
    let listening = spawn(move || config(2, 1).accept(there));
    let mut hello = vec![22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3];
    hello.extend([7; 32]);
    hello.extend([0, 0, 2, 0xc0, 0x2b, 1, 0]);
    let mut socket = here.into_socket();
    socket.write_all(&hello).unwrap();
    let why = listening.join().unwrap().err().unwrap();
    assert_eq!(why.kind(), ErrorKind::InvalidData, "{why}");
    // And no link in plain TCP.
    let (here, there) = sockets();
    let listening = spawn(move || config(2, 1).accept(there));
    here.into_socket().write_all(b"volery\0\0\x02\0\0\0").unwrap();
    let why = listening.join().unwrap().err().unwrap();
    assert!(why.to_string().contains("plain TCP"), "{why}");
}

#[test]
fn listeners_turn_others_away() {
    let listener = Listener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connecting = spawn(move || {
        let tcp = || Tcp::new(TcpStream::connect(address).unwrap(), TIMEOUT).unwrap();
        let stranger = config(5, 2).connect(tcp()).err().unwrap();
        assert_eq!(stranger.kind(), ErrorKind::PermissionDenied);
        config(1, 2).connect(tcp()).unwrap()
    });
    let mut turned_away = Vec::new();
    let link = listener.accept_tls(&config(2, 1), TIMEOUT, |_, why| turned_away.push(why.to_string()));
    assert_eq!(link.unwrap().peer(), identity(1));
    assert!(matches!(&turned_away[..], [why] if why.contains(&identity(5).to_string())), "{turned_away:?}");
    drop(connecting.join().unwrap());
}

#[test]
fn nobody_to_talk_to_is_no_configuration() {
    assert!(matches!(TlsConfig::new(&key(1), Peers::default()), Err(Error::Invalid(_))));
}

/// Links take no time from this machine's clock, which may be before 1970.
#[test]
fn no_handshake_asks_for_the_time() {
    let [ours, theirs] = [(); 2].map(|()| SecretKey::generate().unwrap());
    let tls = TlsConfig::new(&ours, Peers::from(theirs.identity())).unwrap();
    let clocks = [&tls.client.time_provider, &tls.server.time_provider];
    let times = clocks.map(|clock| clock.current_time().unwrap().as_secs());
    assert_eq!(times, [0; 2]);
}

/// The directions carry at once, each by its own thread, more than sockets hold; and the end is told.
#[test]
fn directions_go_by_themselves() {
    let (here, there) = shake(&config(1, 2), &config(2, 1));
    let directions = [here.unwrap(), there.unwrap()].map(|tls| Box::new(tls).split().unwrap());
    let threads = directions.map(|Directions { mut sending, mut receiving }| {
        let sent = spawn(move || {
            (0..200u8).for_each(|i| sending.send(&vec![i; 1 << 16]).unwrap());
            sending.end().unwrap();
        });
        spawn(move || {
            for i in 0..200u8 {
                let mut bytes = vec![0; 1 << 16];
                receiving.recv(&mut bytes).unwrap();
                assert!(bytes.iter().all(|byte| *byte == i));
            }
            sent.join().unwrap();
            assert_eq!(receiving.recv(&mut [0]).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
