//! Handshakes that are right, and those that are wrong in one respect, each refused for that.

mod rfc8448;

use super::script::{self, Data, NAME, Script, certificate, file, message, plain, vector};
use super::{Expected, Roots, Secret, Suite, verify};
use crate::error::{Error, Place, Refusal, Whose, Why};
use crate::recording::{Recording, Side};
use core::time::Duration;
use rustls::SignatureScheme;
use rustls::pki_types::UnixTime;
use sha2::Digest;
use zeroize::Zeroize;

/// Why a session is refused, and whose doing that is.
#[track_caller]
fn refusal(script: &Script<'_>) -> Refusal {
    match script.write().verify() {
        Err(Error::Refused(refusal)) => refusal,
        ended => panic!("{:?}", ended.map(drop)),
    }
}

#[track_caller]
fn why(script: &Script<'_>) -> Why {
    refusal(script).why
}

/// A session whose script `change` has changed.
#[track_caller]
fn changed(change: impl FnOnce(&mut Script<'_>)) -> Refusal {
    let mut script = Script::default();
    change(&mut script);
    refusal(&script)
}

/// A session of which one message is changed.
#[track_caller]
fn with_message(name: &'static str, change: impl Fn(&mut Vec<u8>)) -> Refusal {
    let messages = Box::new(move |found: &str, message: &mut Vec<u8>| {
        if found == name {
            change(message);
        }
    });
    refusal(&Script { messages, ..Script::default() })
}

/// A session of which the records of one step are changed.
#[track_caller]
fn with_records(name: &'static str, change: impl Fn(&mut Vec<u8>)) -> Result<(), Refusal> {
    let records = Box::new(move |found: &str, bytes: &mut Vec<u8>| {
        if found == name {
            change(bytes);
        }
    });
    match (Script { records, ..Script::default() }).write().verify() {
        Ok(_) => Ok(()),
        Err(Error::Refused(refusal)) => Err(refusal),
        Err(error) => panic!("{error}"),
    }
}

/// A change of the cipher, as a record.
fn change_cipher() -> Vec<u8> {
    plain(20, &[1])
}

#[test]
fn honest_sessions_are_verified() {
    let data = vec![
        Data::new(Side::Client, 23, b"GET"),
        Data::new(Side::Server, 22, b"a ticket"),
        Data::new(Side::Server, 23, b"200"),
    ];
    for (retry, asks, piece) in
        [(false, false, 1 << 14), (true, true, 700), (false, true, 100), (true, false, 97)]
    {
        let script = Script { asks_for_certificate: asks, piece, data: data.clone(), ..Script::default() };
        let script = if retry { script.with_retry() } else { script };
        let written = script.write();
        let session = written.verify().unwrap();
        assert_eq!((session.hello_hash, session.finished_hash), (written.hello_hash, written.finished_hash));
        assert_eq!(session.certificate, certificate(file!("bank.pem")));
        assert_eq!((session.client.len(), session.server.len()), (1, 2));
        let last = session.server[1];
        assert_eq!(last.end(), written.recording.stream(Side::Server).len());
        assert_eq!(&written.keys[1].open(1, &last).unwrap()[..], b"200\x17");
        assert!(written.keys[1].open(0, &last).is_err() && written.keys[0].open(1, &last).is_err());
    }
}

/// Attack 1 of three: secrets that are not those of the session.
#[test]
fn other_secrets_open_nothing() {
    let roots = script::roots();
    let expected = script::expected(&roots);
    let written = Script::default().write();
    let other = Script { secret: Secret::new([3; 32]), ..Script::default() }.write();
    for of_server in [true, false] {
        let mut secrets = written.secrets.clone();
        let secret = if of_server { &mut secrets.server } else { &mut secrets.client };
        // The secret of another session with the same server.
        let theirs = if of_server { &other.secrets.server } else { &other.secrets.client };
        secret.zeroize();
        *secret = theirs.clone();
        let Err(Error::Refused(refusal)) = verify(&written.recording, &secrets, &expected) else { panic!() };
        assert_eq!((refusal.why, refusal.whose), (Why::Tag, Whose::Prover));
    }
}

/// A client that goes on while the server's hello is due, but for changes of the cipher.
#[test]
fn nothing_is_said_before_the_hello_of_the_server() {
    let written = Script::default().with_retry().write();
    let hellos = |more: &[u8], passages: usize| {
        let mut recording = Recording::new();
        let (mut up, mut down) = (0, 0);
        for passage in &written.recording.order()[..passages] {
            let at = if passage.side == Side::Client { &mut up } else { &mut down };
            let begin = core::mem::replace(at, passage.end);
            recording.push(passage.side, &written.recording.stream(passage.side)[begin..passage.end], 0);
        }
        recording.push(Side::Client, more, 0);
        match super::hellos(&recording, NAME, &[Suite::Aes128]) {
            Err(Error::Refused(refusal)) => (refusal.why, refusal.whose),
            ended => panic!("{ended:?}"),
        }
    };
    for passages in [1, 3] {
        assert_eq!(hellos(&[], passages), (Why::Unfinished, Whose::Server));
        assert_eq!(hellos(&change_cipher(), passages), (Why::Unfinished, Whose::Server));
        let early = [change_cipher(), plain(23, &[0; 40])].concat();
        assert_eq!(hellos(&early, passages), (Why::BeforeHello, Whose::Prover));
        assert_eq!(hellos(&plain(22, b"more"), passages), (Why::BeforeHello, Whose::Prover));
    }
}

/// Attacks 5: changes of the cipher, fragments, and messages that share a record where keys change.
#[test]
fn records_of_the_handshake_stand_where_they_may() {
    let before = |bytes: &mut Vec<u8>| *bytes = [change_cipher(), bytes.clone()].concat();
    let behind = |bytes: &mut Vec<u8>| bytes.extend(change_cipher());
    for step in ["flight", "client's flight"] {
        with_records(step, before).unwrap();
    }
    for step in ["ClientHello", "ServerHello"] {
        with_records(step, behind).unwrap();
        let refused = with_records(step, before).unwrap_err();
        assert_eq!(refused.why, Why::RecordType(20), "{step}");
    }
    // Behind the Finished of its side, and another byte in it.
    for step in ["flight", "client's flight"] {
        assert_eq!(with_records(step, behind).unwrap_err().why, Why::RecordType(20), "{step}");
    }
    let odd = |bytes: &mut Vec<u8>| *bytes = [plain(20, &[2]), bytes.clone()].concat();
    assert_eq!(with_records("flight", odd).unwrap_err().why, Why::RecordType(20));
    // Between the parts of a message, where nothing may stand.
    let within = |bytes: &mut Vec<u8>| {
        let first = 5 + 60 + 16 + 1;
        bytes.splice(first..first, change_cipher());
    };
    let records = Box::new(move |step: &str, bytes: &mut Vec<u8>| {
        if step == "flight" {
            within(bytes)
        }
    });
    assert_eq!(why(&Script { piece: 60, records, ..Script::default() }), Why::RecordType(20));

    let twice = |bytes: &mut Vec<u8>| *bytes = plain(22, &[&bytes[5..], &bytes[5..]].concat());
    assert_eq!(with_records("ClientHello", twice).unwrap_err().why, Why::NotAlone);
    assert_eq!(with_records("ServerHello", twice).unwrap_err().why, Why::NotAlone);
    let more = |message: &mut Vec<u8>| message.extend([4, 0, 0, 0]);
    assert_eq!(with_message("Finished", more).why, Why::NotAlone);
    assert_eq!(with_message("client's Finished", more).why, Why::NotAlone);
    assert_eq!(changed(|script| script.piece = 40).why, Why::Spread(4));

    let refused = |step, change: fn(&mut Vec<u8>)| with_records(step, change).unwrap_err().why;
    assert_eq!(refused("ServerHello", |bytes| bytes[0] = 24), Why::RecordType(24));
    assert_eq!(refused("ServerHello", |bytes| bytes[2] = 1), Why::RecordVersion(0x0301));
    assert_eq!(refused("ClientHello", |bytes| bytes[2] = 4), Why::RecordVersion(0x0304));
    with_records("ClientHello", |bytes| bytes[2] = 1).unwrap();
    assert_eq!(refused("ServerHello", |bytes| *bytes = plain(21, &[2, 40])), Why::Alert(40));
    assert_eq!(refused("flight", |bytes| *bytes = plain(23, &[0; 16])), Why::RecordLength(16));
    assert_eq!(
        refused("flight", |bytes| *bytes = plain(23, &[0; (1 << 14) + 257])),
        Why::RecordLength(16641)
    );
    assert_eq!(refused("client's flight", |bytes| bytes.truncate(30)), Why::Short);
    assert_eq!(refused("flight", |bytes| bytes.truncate(30)), Why::Unfinished);
    assert_eq!(refused("flight", |bytes| *bytes.last_mut().unwrap() ^= 1), Why::Tag);
}

/// Attacks 5: flights in records of one byte, and of each other size up to a message's head and beyond, open alike.
#[test]
fn flights_are_cut_anywhere() {
    let written = Script::default().write();
    let cut = |side, secret: &Secret, size: usize| {
        let keys = super::Keys::new(Suite::Aes128, secret);
        move |bytes: &mut Vec<u8>| {
            let mut flight = vec![];
            for (sequence, record) in (0..).zip(super::records(side, bytes).unwrap()) {
                flight.extend_from_slice(super::content(&keys.open(sequence, &record).unwrap()).unwrap().1);
            }
            *bytes =
                (0..).zip(flight.chunks(size)).flat_map(|(i, piece)| keys.seal(i, 22, piece, 0)).collect();
        }
    };
    for size in [1, 2, 3, 4, 5, 36, 37] {
        with_records("flight", cut(Side::Server, &written.secrets.server, size)).unwrap();
        with_records("client's flight", cut(Side::Client, &written.secrets.client, size)).unwrap();
    }
}

/// Contents of a protected record: all zeros, of another type, empty, longer than any may be.
#[test]
fn contents_of_the_handshake_are_of_its_type() {
    let written = Script::default().write();
    let keys = super::Keys::new(script::SUITE.get(), &written.secrets.server);
    let refused = |kind, content: &[u8], padding| {
        let record = keys.seal(0, kind, content, padding);
        let records = Box::new(move |step: &str, bytes: &mut Vec<u8>| {
            if step == "flight" {
                bytes.clone_from(&record);
            }
        });
        why(&Script { records, ..Script::default() })
    };
    assert_eq!(refused(0, b"", 9), Why::NoType);
    assert_eq!(refused(23, b"x", 9), Why::ContentType(23));
    assert_eq!(refused(22, b"", 9), Why::ContentLength(0));
    assert_eq!(refused(22, &[8; 1 << 14], 1), Why::ContentLength((1 << 14) + 2));
}

/// Attacks 6: hellos that ask for, or are answered by, what voids a proof.
#[test]
fn hellos_are_those_that_prove_something() {
    for kind in [41, 42, 49, 27, 0xfe0d, 19, 20, 34, 33, 57, 17513, 0x1234] {
        let refusal = changed(|script| script.client.set(kind, &[0]));
        assert_eq!((refusal.why, refusal.whose), (Why::Extension(kind), Whose::Prover));
        let refusal = changed(|script| script.server.set(kind, &[0, 0]));
        assert_eq!((refusal.why, refusal.whose), (Why::Extension(kind), Whose::Server));
        assert_eq!(changed(|s| s.encrypted_extensions.push((kind, vec![]))).why, Why::Extension(kind));
    }
    // Nobody knows this one.
    let mut script = Script::default();
    script.client.set(0x5a5a, b"x");
    script.client.suites.push(0xbaba);
    script.write().verify().unwrap();

    let client = |change: fn(&mut script::Hello)| changed(|script| change(&mut script.client)).why;
    assert_eq!(client(|hello| hello.version = 0x0304), Why::Version);
    assert_eq!(client(|hello| hello.session_id = vec![0; 33]), Why::SessionId);
    for suites in [&[0x1301, 0x1302][..], &[0x1301, 0x1303], &[0x1303], &[0x00ff], &[0x1301, 0x1301]] {
        let refusal = changed(|script| script.client.suites = suites.to_vec());
        assert_eq!(refusal.why, Why::Suites(vec![Suite::Aes128]), "{suites:x?}");
    }
    assert_eq!(client(|hello| hello.compression = vec![1, 0]), Why::Compression);
    assert_eq!(client(|hello| hello.set(43, &vector(1, &[3, 3]))), Why::Version);
    assert_eq!(client(|hello| hello.set(43, &[3, 3, 4])), Why::Malformed(43));
    let twice = |hello: &mut script::Hello| hello.extensions.push(hello.extensions[1].clone());
    assert_eq!(client(twice), Why::Twice(10));
    for kind in [0, 10, 13, 16, 43, 51] {
        let refusal = changed(|script| script.client.extensions.retain(|(found, _)| *found != kind));
        assert_eq!(refusal.why, Why::Missing(kind));
    }
    let named = |name: &[u8]| [&[0][..], &vector(2, name)].concat();
    let names = [named(b"Bank.example"), named(b"bank.example."), named(b"evil.example")];
    for name in &names {
        let refusal = changed(|script| script.client.set(0, &vector(2, name)));
        assert_eq!(refusal.why, Why::ServerName(NAME.into()));
    }
    let both = [named(NAME.as_bytes()), named(b"evil.example")].concat();
    assert_eq!(changed(|script| script.client.set(0, &vector(2, &both))).why, Why::Malformed(0));
    for protocols in [&b"\x02h2"[..], b"\x08http/1.1\x02h2", b"\x08http/1.0"] {
        let refusal = changed(|script| script.client.set(16, &vector(2, protocols)));
        assert_eq!(refusal.why, Why::Protocol);
        let refusal = changed(|script| script.encrypted_extensions = vec![(16, vector(2, protocols))]);
        assert_eq!((refusal.why, refusal.whose), (Why::Protocol, Whose::Server));
    }
    assert_eq!(changed(|script| script.encrypted_extensions.clear()).why, Why::Missing(16));
    // Limits of sizes are answered only where they were asked for.
    assert_eq!(changed(|s| s.encrypted_extensions.push((28, vec![64, 0]))).why, Why::Extension(28));

    let server = |change: fn(&mut script::Hello)| changed(|script| change(&mut script.server)).why;
    assert_eq!(server(|hello| hello.extensions.retain(|(kind, _)| *kind != 43)), Why::Version);
    assert_eq!(server(|hello| hello.set(43, &[3, 3])), Why::Version);
    assert_eq!(server(|hello| hello.suites = vec![0x1302]), Why::Suite(0x1302));
    assert_eq!(server(|hello| hello.suites = vec![0x1303]), Why::Suite(0x1303));
    assert_eq!(server(|hello| hello.compression = vec![1]), Why::Compression);
    assert_eq!(server(|hello| hello.session_id = vec![]), Why::SessionId);
    assert_eq!(server(|hello| hello.extensions.retain(|(kind, _)| *kind != 51)), Why::Missing(51));
    assert_eq!(server(|hello| hello.set(51, &[0, 0x17, 0, 1, 4])), Why::Group(0x17));
    // A hello of TLS 1.2 without any extension.
    assert_eq!(
        with_message("ServerHello", |m| *m = message(2, &m[4..4 + 2 + 32 + 33 + 3])).why,
        Why::Version
    );
    let at = Place::Message { side: Side::Client, name: "ClientHello" };
    assert_eq!(with_message("ClientHello", |message| message[0] = 3).at, at);
}

/// Cipher suites are the policy's, in its order, and the server takes one of them, the same behind a retry.
#[test]
fn suites_are_those_of_the_policy() {
    let roots = script::roots();
    let both = [Suite::ChaCha20, Suite::Aes128];
    let ended = |offered: [u16; 2], taken: u16, of_retry: Option<u16>| {
        let mut script = Script::default();
        script.client.suites = offered.to_vec();
        script.server.suites = vec![taken];
        if let Some(suite) = of_retry {
            script = script.with_retry();
            script.retry.as_mut().unwrap().0.suites = vec![suite];
        }
        let written = script.write();
        let expected = Expected { suites: &both, ..script::expected(&roots) };
        match verify(&written.recording, &written.secrets, &expected) {
            Ok(session) => Ok(session.suite),
            Err(Error::Refused(refusal)) => Err(refusal.why),
            Err(error) => panic!("{error}"),
        }
    };
    let numbers = both.map(Suite::number);
    for suite in both {
        assert_eq!(ended(numbers, suite.number(), None), Ok(suite));
        assert_eq!(ended(numbers, suite.number(), Some(suite.number())), Ok(suite));
    }
    assert_eq!(ended([0x1301, 0x1303], 0x1301, None), Err(Why::Suites(both.to_vec())));
    assert_eq!(ended(numbers, 0x1302, None), Err(Why::Suite(0x1302)));
    assert_eq!(ended(numbers, 0x1301, Some(0x1303)), Err(Why::Suite(0x1301)));
}

/// Sessions by the other suite, as far as ciphers are in them.
#[test]
fn other_ciphers_protect_alike() {
    script::SUITE.set(Suite::ChaCha20);
    honest_sessions_are_verified();
    other_secrets_open_nothing();
    contents_of_the_handshake_are_of_its_type();
    messages_of_the_flights_are_those_of_the_standard();
    cuts_and_flips_are_refused();
}

/// Attacks 5: retries.
#[test]
fn retries_are_those_of_the_standard() {
    let retried = |change: &dyn Fn(&mut Script<'_>)| {
        let mut script = Script::default().with_retry();
        change(&mut script);
        why(&script)
    };
    let request =
        |change: fn(&mut script::Hello)| retried(&|script| change(&mut script.retry.as_mut().unwrap().0));
    let second =
        |change: fn(&mut script::Hello)| retried(&|script| change(&mut script.retry.as_mut().unwrap().1));
    assert_eq!(request(|hello| hello.suites = vec![0x1302]), Why::Suite(0x1302));
    assert_eq!(request(|hello| hello.set(51, &[0, 0x18])), Why::Group(0x18));
    assert_eq!(request(|hello| hello.set(41, &[0, 0])), Why::Extension(41));
    assert_eq!(second(|hello| hello.set(10, &vector(2, &[0, 0x17]))), Why::RetryDiffers);
    assert_eq!(second(|hello| hello.set(5, &[1, 0, 0, 0, 0])), Why::RetryDiffers);
    assert_eq!(second(|hello| hello.session_id = vec![6; 32]), Why::RetryDiffers);
    assert_eq!(second(|hello| hello.suites.push(0x00ff)), Why::RetryDiffers);
    let evil =
        |hello: &mut script::Hello| hello.set(0, &vector(2, &[&[0][..], &vector(2, b"evil")].concat()));
    assert_eq!(second(evil), Why::ServerName(NAME.into()));
    assert_eq!(second(|hello| hello.set(42, &[])), Why::Extension(42));
    // The group that was asked for is not taken up, or there is a second retry.
    assert_eq!(retried(&|script| script.server.set(51, &[0, 0x1d, 0, 1, 4])), Why::Group(0x1d));
    let again = Box::new(|name: &str, message: &mut Vec<u8>| {
        if name == "ServerHello" {
            message[6..38].copy_from_slice(&super::hello::RETRY);
            // A retry names the group alone.
            let end = message.len() - 67;
            message.truncate(end);
            let length = message.len();
            message[3] = (length - 4) as u8;
            let extensions = 4 + 2 + 32 + 33 + 3;
            message[extensions + 1] = (length - extensions - 2) as u8;
            message[length - 3] = 2;
        }
    });
    assert_eq!(retried(&|script| script.messages = again.clone()), Why::SecondRetry);
}

/// Attacks 7: certificates and signatures.
#[test]
fn certificates_and_signatures_hold() {
    let chained = |own: &[u8]| changed(|script| script.chain[0] = certificate(own)).why;
    let is_chain = |why: &Why, of: &str| matches!(why, Why::Chain(text) if text.contains(of));
    for own in [file!("other.pem"), file!("wildcard.pem"), file!("deep-wildcard.pem"), file!("address.pem")] {
        assert!(matches!(chained(own), Why::CertificateName(_)));
    }
    assert!(matches!(chained(file!("no-name.pem")), Why::CertificateName(_)));
    let refused: [(&[u8], &str); 4] = [
        (file!("expired.pem"), "CertExpired"),
        (file!("not-yet.pem"), "CertNotValidYet"),
        (file!("of-client.pem"), "RequiredEkuNotFound"),
        (file!("authority.pem"), "CaUsedAsEndEntity"),
    ];
    for (own, expected) in refused {
        let why = chained(own);
        assert!(is_chain(&why, expected), "{why}");
    }
    assert!(is_chain(&changed(|script| script.chain.truncate(1)).why, "UnknownIssuer"));
    assert_eq!(changed(|script| script.chain.clear()).why, Why::Certificates(0));
    let many = changed(|script| script.chain = vec![script.chain[1].clone(); 11]);
    assert_eq!(many.why, Why::Certificates(11));
    assert!(is_chain(&changed(|script| script.chain[0] = vec![0x30, 0]).why, "BadDer"));
    let written = Script::default().write();
    let with = |roots: &Roots, name, seconds| {
        let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let expected = Expected { name, time, ..script::expected(roots) };
        verify(&written.recording, &written.secrets, &expected).map(drop).unwrap_err()
    };
    let other = Roots::from_pem(file!("other-root.pem")).unwrap();
    let unknown = with(&other, NAME, 1_900_000_000).to_string();
    assert!(
        unknown.starts_with("Certificate of the server") && unknown.contains("UnknownIssuer"),
        "{unknown}"
    );
    assert!(unknown.ends_with("the doing of the server"), "{unknown}");
    assert!(with(&script::roots(), NAME, 1_600_000_000).to_string().contains("CertNotValidYet"));
    for name in ["192.0.2.1", "Bank.example", "", "no name"] {
        assert!(matches!(with(&script::roots(), name, 1_900_000_000), Error::Invalid(_)), "{name}");
    }
    assert!(Roots::from_pem(b"").is_err());
    // Pins: of the server's own key, of the authority's between, of the root's; and of another.
    let pinned = |pem: &[u8]| {
        let der = rustls::pki_types::CertificateDer::from(certificate(pem));
        let key = webpki::EndEntityCert::try_from(&der).unwrap().subject_public_key_info();
        let roots = script::roots().pinned(vec![[0; 32], sha2::Sha256::digest(&key).into()]);
        let expected = script::expected(&roots);
        verify(&written.recording, &written.secrets, &expected).map(drop).map_err(|error| error.to_string())
    };
    for pem in [file!("bank.pem"), file!("between.pem"), file!("root.pem")] {
        pinned(pem).unwrap();
    }
    assert!(pinned(file!("rsa.pem")).unwrap_err().contains("none of the pinned keys"));

    // Keys of other kinds, whose schemes the client offered.
    for (own, key, scheme) in [
        (file!("rsa.pem"), file!("rsa.key"), SignatureScheme::RSA_PSS_SHA256),
        (file!("ed25519.pem"), file!("ed25519.key"), SignatureScheme::ED25519),
    ] {
        let chain = vec![certificate(own), script::bank().0[1].clone()];
        Script { chain, key, scheme, ..Script::default() }.write().verify().unwrap();
    }
    let rsa = |scheme| {
        let chain = vec![certificate(file!("rsa.pem")), script::bank().0[1].clone()];
        why(&Script { chain, key: file!("rsa.key"), scheme, ..Script::default() })
    };
    // One that no signature of TLS 1.3 has, though the client offers it for certificates; and one that it does not.
    assert_eq!(rsa(SignatureScheme::RSA_PKCS1_SHA256), Why::Scheme(0x0401));
    assert_eq!(rsa(SignatureScheme::RSA_PSS_SHA512), Why::Scheme(0x0806));
    // The scheme of another key.
    assert!(matches!(
        with_message("CertificateVerify", |m| m[4..6].copy_from_slice(&[8, 7])).why,
        Why::Signature(_)
    ));
    let broken = with_message("CertificateVerify", |message| *message.last_mut().unwrap() ^= 1);
    assert!(matches!(broken.why, Why::Signature(_)) && broken.whose == Whose::Server);
    assert_eq!(
        with_message("CertificateVerify", |message| message.push(0)).why,
        Why::MessageType { due: 20, found: 0 }
    );
    // By SHA-1, whatever the client offers.
    let of_sha1 = changed(|script| {
        script.client.set(13, &vector(2, &[4, 3, 2, 3]));
        script.messages = Box::new(|name, message| {
            if name == "CertificateVerify" {
                message[4..6].copy_from_slice(&[2, 3]);
            }
        });
    });
    assert_eq!(of_sha1.why, Why::Scheme(0x0203));
    // By whoever has not the key of the certificate.
    assert!(matches!(
        changed(|script| script.chain[0] = certificate(file!("rsa.pem"))).why,
        Why::Signature(_)
    ));
}

/// Messages that are missing, are there twice, are others, or carry codes that do not fit.
#[test]
fn messages_of_the_flights_are_those_of_the_standard() {
    for (name, due, found) in
        [("EncryptedExtensions", 8, 11), ("Certificate", 11, 15), ("CertificateVerify", 15, 20)]
    {
        assert_eq!(with_message(name, Vec::clear).why, Why::MessageType { due, found });
        let twice = with_message(name, |message| message.extend(message.clone()));
        assert!(matches!(twice.why, Why::MessageType { found, .. } if found == due), "{name}: {}", twice.why);
    }
    for (name, side) in [("Finished", Side::Server), ("client's Finished", Side::Client)] {
        let refusal = with_message(name, |message| message[9] ^= 1);
        let at = Place::Message { side, name: "Finished" };
        assert_eq!(refusal, Refusal { at, why: Why::Finished, whose: Whose::Prover });
        let shorter = with_message(name, |message| *message = message_of_finished(31));
        assert_eq!(shorter.why, Why::Finished);
    }
    assert_eq!(with_message("Certificate", |message| message[4] = 1).why, Why::NotEmpty);
    let asked = |name: &'static str, change: fn(&mut Vec<u8>)| {
        let messages = Box::new(move |found: &str, message: &mut Vec<u8>| {
            if found == name {
                change(message);
            }
        });
        why(&Script { asks_for_certificate: true, messages, ..Script::default() })
    };
    assert_eq!(asked("CertificateRequest", |m| *m = message(13, &[1, 7, 0, 0])), Why::NotEmpty);
    assert_eq!(asked("client's Certificate", |m| *m = message(11, &[0, 0, 0, 1, 0])), Why::ClientCertificate);
    assert_eq!(asked("client's Certificate", Vec::clear), Why::MessageType { due: 11, found: 20 });
    // A request of the prover's that is to pass for a part of the handshake.
    let hidden = with_message("client's Finished", |m| *m = [message(11, &[0, 0, 0, 0]), m.clone()].concat());
    assert_eq!(hidden.why, Why::MessageType { due: 20, found: 11 });
}

/// A message of the type of Finished.
fn message_of_finished(length: usize) -> Vec<u8> {
    message(20, &vec![7; length])
}

/// Records behind the handshake that are not protected; and what is left of the server's last one.
#[test]
fn nothing_but_data_follows() {
    let with = |side, bytes: &[u8]| {
        let written = Script { data: vec![Data::new(side, 23, b"x")], ..Script::default() }.write();
        let mut recording = written.recording.clone();
        recording.push(side, bytes, 99);
        let roots = script::roots();
        let expected = script::expected(&roots);
        match verify(&recording, &written.secrets, &expected) {
            Ok(session) => Ok(session.records(side).len()),
            Err(Error::Refused(refusal)) => Err(refusal.why),
            Err(error) => panic!("{error}"),
        }
    };
    for side in [Side::Client, Side::Server] {
        assert_eq!(with(side, &change_cipher()), Err(Why::RecordType(20)));
        assert_eq!(with(side, &plain(22, &[1])), Err(Why::RecordType(22)));
        assert_eq!(with(side, &plain(21, &[1, 0])), Err(Why::Alert(0)));
    }
    assert_eq!(with(Side::Server, &plain(23, &[0; 40])[..30]), Ok(1));
    assert_eq!(with(Side::Client, &plain(23, &[0; 40])[..30]), Err(Why::Short));
    assert_eq!(with(Side::Client, &[]), Ok(1));
}

/// Any cut of either stream, and any flip of a bit before the end of the handshake, is refused and panics nowhere.
#[test]
fn cuts_and_flips_are_refused() {
    let written = Script { piece: 600, ..Script::default() }.write();
    let roots = script::roots();
    let expected = script::expected(&roots);
    let streams = [Side::Client, Side::Server].map(|side| written.recording.stream(side).to_vec());
    let refused = |changed: [&[u8]; 2]| {
        let mut recording = Recording::new();
        recording.push(Side::Client, changed[0], 0);
        recording.push(Side::Server, changed[1], 1);
        verify(&recording, &written.secrets, &expected).is_err()
    };
    assert!(!refused([&streams[0], &streams[1]]));
    for side in [0, 1] {
        for at in (0..streams[side].len()).step_by(13) {
            let mut both = streams.clone();
            both[side].truncate(at);
            assert!(refused([&both[0], &both[1]]), "{side} cut at {at}");
            let mut both = streams.clone();
            both[side][at] ^= 1 << (at % 8);
            // The version of a first record may be that of TLS 1.0.
            assert!(refused([&both[0], &both[1]]) || (side, at) == (0, 2), "{side} flipped at {at}");
        }
    }
}
