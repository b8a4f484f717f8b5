//! Messages that are read, and those that are not: attacks 8 and 9 of web proofs.

use super::*;
use crate::opening::Hidden;

/// Bytes that are shown, but for those between `[` and `]`, which are hidden values, and those between `{` and `}`, of
/// which nothing is said. The brackets are left out.
fn bytes(text: &str) -> Vec<Byte> {
    let mut kind = None;
    let mut bytes = Vec::new();
    for byte in text.bytes() {
        match byte {
            b'[' => kind = Some(Byte::Hidden(Hidden::Value)),
            b'{' => kind = Some(Byte::Any),
            b']' | b'}' => kind = None,
            _ => bytes.push(kind.unwrap_or(Byte::Shown(byte))),
        }
    }
    bytes
}

fn request_of(fields: &str) -> Result<Request, Rule> {
    let text = format!("GET /a HTTP/1.1\r\nHost: b\r\n{fields}\r\n");
    request(&bytes(&text)).map_err(|malformed| malformed.why)
}

#[test]
fn requests_are_read() {
    let read = request_of("Cookie:  id=[s3cr3t]; a=b \t\r\nX-Y:\r\n").unwrap();
    assert_eq!((&read.method[..], &read.target), ("GET", &bytes("/a")));
    let names: Vec<_> = read.head.fields.iter().map(|field| &field.name[..]).collect();
    assert_eq!(names, ["host", "cookie", "x-y"]);
    assert_eq!(read.head.fields[1].value, bytes("id=[s3cr3t]; a=b"));
    assert_eq!(read.head.fields[0].shown().unwrap(), "b");
    assert_eq!(read.head.fields[1].shown(), None);
    assert_eq!(read.head.text(), "GET /a HTTP/1.1\nhost: b\ncookie: id=‹6 hidden›; a=b\nx-y: ");
}

#[test]
fn requests_are_refused() {
    for (fields, why) in [
        ("Host: c\r\n", Rule::Twice("host".into())),
        ("A : b\r\n", Rule::Byte(b' ')),
        ("A: b\r\n c\r\n", Rule::Field),
        ("A: b\n", Rule::LineEnd),
        ("A: b\r\r\n", Rule::LineEnd),
        ("A: b\x0bc\r\n", Rule::Byte(0x0b)),
        ("A: b\0c\r\n", Rule::Byte(0)),
        ("A: b\x7fc\r\n", Rule::Byte(0x7f)),
        ("A\r\n", Rule::Field),
        (": b\r\n", Rule::Field),
        ("A(: b\r\n", Rule::Byte(b'(')),
        ("A[b]: c\r\n", Rule::Hidden),
        ("A[: b]\r\n", Rule::Field),
        ("A: {b}\r\n", Rule::Hidden),
        ("A: b{\r\n}", Rule::Hidden),
        // A second request in the same data.
        ("\r\nGET /b HTTP/1.1\r\nHost: b\r\n", Rule::Long),
    ] {
        assert_eq!(request_of(fields).unwrap_err(), why, "{fields:?}");
    }
    let many: String = (0..MOST_FIELDS).map(|i| format!("a{i}: b\r\n")).collect();
    assert_eq!(request_of(&many).unwrap_err(), Rule::Fields);
    for start in [
        "GET http://b/a HTTP/1.1",
        "GET /a HTTP/1.0",
        "GET /a",
        "GET  /a HTTP/1.1",
        "get /a HTTP/1.1",
        "GET /a#b HTTP/1.1",
        "GET /a b HTTP/1.1",
        "GET * HTTP/1.1",
        "",
    ] {
        let malformed = request(&bytes(&format!("{start}\r\nHost: b\r\n\r\n"))).unwrap_err();
        assert_eq!(malformed, Malformed { at: 0, why: Rule::StartLine }, "{start}");
    }
    let hidden = request(&bytes("GET /[a] HTTP/1.1\r\nHost: b\r\n\r\n")).unwrap_err();
    assert_eq!(hidden, Malformed { at: 0, why: Rule::StartLine });
    let mut words = bytes("GET /a HTTP/1.1\r\nHost: b\r\n\r\n");
    words[5] = Byte::Hidden(Hidden::Word);
    assert_eq!(request(&words).unwrap().head.start, "GET /‹1 hidden› HTTP/1.1");
    for structure in [0, 3, 4, 6, 8, 14, 17] {
        let mut words = words.clone();
        words[structure] = Byte::Hidden(Hidden::Word);
        assert!(request(&words).is_err(), "{structure}");
    }
    let whole = bytes("GET /a HTTP/1.1\r\nHost: b\r\n\r\n");
    for end in 0..whole.len() {
        assert_eq!(request(&whole[..end]).unwrap_err().why, Rule::Short, "{end}");
    }
}

fn response_of(text: &str) -> Result<Response, Rule> {
    response(&bytes(text)).map_err(|malformed| malformed.why)
}

#[test]
fn responses_are_read() {
    let read = response_of(
        "HTTP/1.1 200 OK\r\nSet-Cookie: [a]\r\nset-cookie: [b]\r\nContent-Length: 5\r\n\r\na{bc}de",
    )
    .unwrap();
    assert_eq!((read.status, read.body), (200, bytes("a{bc}de")));
    let read = response_of("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n").unwrap();
    assert_eq!((read.status, read.body.len()), (404, 0));
    response_of("HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n").unwrap();
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let read = response_of(&format!("{chunked}2\r\n{{ab}}\r\n0A\r\n0123456789\r\n0\r\n\r\n")).unwrap();
    assert_eq!(read.body, bytes("{ab}0123456789"));
    let begin = chunked.len() + 3;
    assert_eq!(read.places(1..4), [begin + 1..begin + 2, begin + 8..begin + 10]);
    assert!(read.places(12..12).is_empty());
    assert_eq!(response_of(&format!("{chunked}0\r\n\r\n")).unwrap().body, []);
}

#[test]
fn responses_are_refused() {
    let with = |fields: &str, body: &str| {
        response_of(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}")).unwrap_err()
    };
    let field = |name: &str| Rule::Value(name.into());
    assert_eq!(with("", "a"), Rule::Length);
    assert_eq!(with("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "a"), Rule::Length);
    assert_eq!(with("Content-Length: 1\r\nContent-Length: 1\r\n", "a"), Rule::Twice("content-length".into()));
    assert_eq!(with("Content-Length: 2\r\n", "a"), Rule::Short);
    assert_eq!(with("Content-Length: 1\r\n", "ab"), Rule::Long);
    for length in ["+1", "-1", "0x1", "1, 1", "", "1 1", "9999999999"] {
        assert_eq!(with(&format!("Content-Length: {length}\r\n"), "a"), field("content-length"), "{length}");
    }
    assert_eq!(with("Content-Length: [1]\r\n", "a"), Rule::FieldHidden("content-length".into()));
    assert_eq!(with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), field("transfer-encoding"));
    assert_eq!(
        with("Transfer-Encoding: [chunked]\r\n", "0\r\n\r\n"),
        Rule::FieldHidden("transfer-encoding".into())
    );
    assert_eq!(with("Content-Encoding: gzip\r\nContent-Length: 1\r\n", "a"), field("content-encoding"));
    assert_eq!(with("Trailer: a\r\nContent-Length: 1\r\n", "a"), Rule::NotAllowed("trailer".into()));
    assert_eq!(with("Upgrade: h2c\r\nContent-Length: 1\r\n", "a"), Rule::NotAllowed("upgrade".into()));
    let two = "Content-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 1\r\n";
    assert_eq!(with(two, "a"), Rule::Twice("content-type".into()));
    let chunked = |body: &str| with("Transfer-Encoding: chunked\r\n", body);
    for (body, why) in [
        ("1;a=b\r\na\r\n0\r\n\r\n", Rule::Chunk),
        ("1\r\nab\r\n0\r\n\r\n", Rule::Chunk),
        ("1\r\na\r\n0\r\nTrailer: x\r\n\r\n", Rule::Chunk),
        ("\r\na\r\n0\r\n\r\n", Rule::Chunk),
        ("+1\r\na\r\n0\r\n\r\n", Rule::Chunk),
        ("10000000\r\na\r\n0\r\n\r\n", Rule::Chunk),
        ("[1]\r\na\r\n0\r\n\r\n", Rule::Hidden),
        ("1\r\na{\r\n}0\r\n\r\n", Rule::Hidden),
        ("1\na\r\n0\r\n\r\n", Rule::LineEnd),
        ("2\r\na\r\n", Rule::LineEnd),
        ("1\r\na\r\n", Rule::Short),
        ("0\r\n\r\nx", Rule::Long),
    ] {
        let found = chunked(body);
        assert!(
            found == why || body.starts_with('2') && matches!(found, Rule::Short | Rule::LineEnd),
            "{body:?} {found}"
        );
    }
    for status in [100, 101, 103, 204, 205, 206, 304] {
        let found = response_of(&format!("HTTP/1.1 {status} A\r\nContent-Length: 0\r\n\r\n")).unwrap_err();
        assert_eq!(found, Rule::Status(status));
    }
    for start in [
        "HTTP/1.0 200 OK",
        "HTTP/1.1 20 OK",
        "HTTP/1.1 2000",
        "HTTP/1.1  200 OK",
        "HTTP/2 200",
        "http/1.1 200 OK",
    ] {
        let found = response_of(&format!("{start}\r\nContent-Length: 0\r\n\r\n")).unwrap_err();
        assert_eq!(found, Rule::StartLine, "{start}");
    }
    // Any byte of a head that is said nothing of.
    assert_eq!(with("Set-Cookie: {a}\r\nContent-Length: 0\r\n", ""), Rule::Hidden);
}

#[test]
fn a_client_knows_when_all_has_come() {
    let whole = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
    let is_complete = |bytes: &[u8]| Progress::default().is_complete(bytes);
    for whole in [&whole[..], b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd"] {
        // At once, or piece by piece.
        let mut progress = Progress::default();
        for end in 0..whole.len() {
            assert!(!is_complete(&whole[..end]) && !progress.is_complete(&whole[..end]), "{end}");
        }
        assert!(is_complete(whole) && progress.is_complete(whole));
    }
    for malformed in
        ["SSH-2.0\r\n\r\n", "SSH-2.0\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"]
    {
        assert!(is_complete(malformed.as_bytes()), "{malformed}");
    }
    // Chunks of one byte, in records of one byte.
    let many = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let head = many.len();
    let many = [many, b"1\r\na\r\n".repeat(20_000), b"0\r\n\r\n".to_vec()].concat();
    let mut progress = Progress::default();
    assert_eq!((1..=many.len()).find(|end| progress.is_complete(&many[..*end])), Some(many.len()));
    let shown: Vec<_> = many.iter().map(|byte| Byte::Shown(*byte)).collect();
    let response = response(&shown).unwrap();
    for at in 0..response.body.len() {
        assert_eq!(response.places(at..at + 1)[0].start, head + 6 * at + 3);
    }
}

/// A rule of a message as a whole names no byte.
#[test]
fn places_are_those_of_bytes() {
    let text = |bytes: &str| response(&self::bytes(bytes)).unwrap_err().to_string();
    assert!(text("HTTP/1.1 200 OK\r\n\r\n").starts_with("the response has to say"));
    assert!(text("HTTP/1.1 200 OK\r\nA B: c\r\n\r\n").starts_with("byte 18: "));
}
