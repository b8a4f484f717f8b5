use super::*;
use crate::opening::{HashKeys, Hidden, Part, Planned, Said};
use crate::tls::{HandshakeSecrets, Secret};

fn allowed(name: &str, may_hide: bool) -> AllowedField {
    AllowedField { name: name.into(), may_hide }
}

fn wanted() -> Wanted {
    Wanted {
        host: "bank.example".into(),
        port: 443,
        suites: vec![Suite::default()],
        target: "/balance?of=me".into(),
        fields: vec![allowed("cookie", true), allowed("accept", false)],
        shown_fields: vec![],
        status: vec![200],
        content_type: Some("application/json".into()),
        reveal: vec![],
        claims: vec![],
        program: None,
        choose: Default::default(),
    }
}

/// An opening in which a request and a response are shown, but for a part of the request.
fn opening(request: &[u8], hidden: core::ops::Range<usize>, response: &[u8]) -> Opening {
    let part = |start: usize, said| Part { start: start as u16, said };
    let shown = |range: core::ops::Range<usize>| Said::Shown(request[range].to_vec());
    let mut parts = vec![part(0, shown(0..hidden.start))];
    if !hidden.is_empty() {
        parts.push(part(hidden.start, Said::Hidden(Hidden::Value, hidden.len() as u16)));
        parts.push(part(hidden.end, shown(hidden.end..request.len())));
    } else {
        parts = vec![part(0, shown(0..request.len()))];
    }
    let planned = |length: usize, parts| Planned { length: length as u16, kind: 23, parts: Some(parts) };
    let secret = || Secret::new([0; 32]);
    // A response in two records.
    let (head, body) = response.split_at(response.len() / 2);
    let whole = |bytes: &[u8]| planned(bytes.len(), vec![part(0, Said::Shown(bytes.to_vec()))]);
    Opening {
        secrets: HandshakeSecrets { client: secret(), server: secret() },
        hash_keys: HashKeys::Ghash([[0; 16]; 2]),
        client: vec![planned(request.len(), parts)],
        server: vec![whole(head), whole(body)],
        output: vec![],
        choice: Choice::default(),
    }
}

const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}";

#[test]
fn exchanges_are_what_a_policy_wants() {
    let policy = Policy::new(wanted()).unwrap();
    let request = policy.request(&[("cookie", b"id=s3cr3t")]).unwrap();
    let at = request.windows(6).position(|bytes| bytes == b"s3cr3t").unwrap();
    let exchange = policy.read(&opening(&request, at..at + 6, RESPONSE)).unwrap();
    assert_eq!(exchange.response.body.len(), 2);
    let [request_head, response_head] = exchange.heads();
    assert!(
        request_head.ends_with("cookie: id=‹6 hidden›") && response_head.starts_with("HTTP/1.1 200 OK\n"),
        "{request_head}"
    );

    let read = |request: &[u8], hidden, response: &[u8]| {
        policy.read(&opening(request, hidden, response)).unwrap_err()
    };
    let text = String::from_utf8(request.to_vec()).unwrap();
    let with = |from: &str, to: &str| read(text.replace(from, to).as_bytes(), 0..0, RESPONSE);
    assert!(matches!(with("/balance", "/other"), Unwanted::Target { .. }));
    for method in ["PUT", "HEAD"] {
        assert!(matches!(with("GET", method), Unwanted::Target { .. }), "{method}");
    }
    // A second request in a record of its own, whether it is shown, or nothing is said of it.
    let mut both = opening(&request, 0..0, RESPONSE);
    both.client.push(both.client[0].clone());
    assert!(matches!(policy.read(&both), Err(Unwanted::Request(_))));
    both.client[1].parts = Some(vec![]);
    assert!(matches!(policy.read(&both), Err(Unwanted::Request(_))));
    for (from, to, name) in [
        ("host: bank", "host: evil", "host"),
        ("host: bank.example", "host: bank.example:443", "host"),
        ("close", "keep-alive", "connection"),
        ("connection: close\r\n", "", "connection"),
        ("identity", "gzip", "accept-encoding"),
    ] {
        assert!(matches!(with(from, to), Unwanted::Value { name: found, .. } if found == name), "{to}");
    }
    assert_eq!(with("cookie", "x-user"), Unwanted::Field("x-user".into()));
    // A field that has to be shown, and one whose name is Host.
    let accept = text.replace("cookie: id=", "accept: id=");
    let at = accept.find("s3cr3t").unwrap();
    assert_eq!(read(accept.as_bytes(), at..at + 6, RESPONSE), Unwanted::Hides("accept".into()));
    let at = text.find("bank").unwrap();
    assert!(matches!(read(&request, at..at + 4, RESPONSE), Unwanted::Value { name: "host", .. }));

    let answered = |from: &str, to: &str| {
        read(&request, 0..0, String::from_utf8(RESPONSE.to_vec()).unwrap().replace(from, to).as_bytes())
    };
    assert_eq!(answered("200", "500"), Unwanted::Status(500));
    assert_eq!(answered("JSON", "XML"), Unwanted::Type("application/json".into()));
    assert_eq!(answered("Content-Type", "X-Type"), Unwanted::Type("application/json".into()));
    assert!(matches!(answered("Content-Length: 2", "Content-Length: 1"), Unwanted::Response(_)));
    assert!(matches!(with("\r\n", "\n"), Unwanted::Request(_)));
}

/// Values of the answer's fields are hidden, but those that say what it is and of when, and those that the policy names.
#[test]
fn fields_of_answers_are_hidden() {
    let data =
        b"HTTP/1.1 200 a: b\r\nX-User: al\tice\r\nDate: now\r\nETag: \"1\"\r\nAge:1\r\nX-Name: \xe9\r\n\
        Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    let wanting = |shown_fields: Vec<String>| Policy::new(Wanted { shown_fields, ..wanted() }).unwrap();
    let hidden = |policy: &Policy| {
        let mut text: Vec<_> = data.iter().copied().map(char::from).collect();
        for Span { range, hidden } in policy.response_spans(data).unwrap().into_iter().rev() {
            for at in range {
                text[at] = if hidden.is_some() { '_' } else { data[at].into() };
            }
        }
        text.into_iter().collect::<String>()
    };
    let head = |user: &str, tag: &str, name: &str| {
        format!(
            "HTTP/1.1 200 a: b\r\nX-User: {user}\r\nDate: now\r\nETag: {tag}\r\nAge:1\r\nX-Name: {name}\r\n\
             Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
        )
    };
    assert_eq!(hidden(&wanting(vec![])), head("__\t___", "___", "_"));
    let of_tag = wanting(vec!["etag".into(), "x-name".into()]);
    assert_eq!(hidden(&of_tag), head("__\t___", "\"1\"", "\u{e9}"));
    // What is hidden has to be hidden by the policy; and what is shown is not listed as hidden, if it is no text.
    let request = wanting(vec![]).request(&[]).unwrap();
    let mut partly = opening(&request, 0..0, data);
    let exchange = of_tag.read(&partly).unwrap();
    assert_eq!(exchange.hidden(), [Vec::<String>::new(), vec![]]);
    let of_server = |from: usize, to: usize| {
        let part = |start: usize, said| Part { start: start as u16, said };
        let shown = |range: core::ops::Range<usize>| Said::Shown(data[range].to_vec());
        let hidden = part(from, Said::Hidden(Hidden::Value, (to - from) as u16));
        let parts = vec![part(0, shown(0..from)), hidden, part(to, shown(to..data.len()))];
        vec![Planned { length: data.len() as u16, kind: 23, parts: Some(parts) }]
    };
    let at = data.windows(3).position(|three| three == b"\"1\"").unwrap();
    partly.server = of_server(at, at + 3);
    assert_eq!(of_tag.read(&partly).unwrap_err(), Unwanted::HidesAnswered("etag".into()));
    assert_eq!(wanting(vec![]).read(&partly).unwrap().hidden()[1], ["etag"]);
    let at = data.windows(3).position(|three| three == b"now").unwrap();
    partly.server = of_server(at, at + 3);
    assert!(matches!(wanting(vec![]).read(&partly).unwrap_err(), Unwanted::Response(_)));
}

/// Spans depend on the shape of what is hidden alone: which bytes they are, and by which class.
#[test]
fn spans_tell_of_lengths_alone() {
    let claims = vec!["$.n >= 1".parse().unwrap(), "$.s in [\"abcd\", \"efgh\"]".parse().unwrap()];
    let reveal = vec!["$.shown".parse().unwrap()];
    let policy = Policy::new(Wanted { target: "/{hidden}".into(), reveal, claims, ..wanted() }).unwrap();
    let spans = |word: &[u8], cookie: &[u8], user: &str, hidden: &str, text: &str, number: &str| {
        let request = policy.request_for(&[word], &[("cookie", cookie)]).unwrap();
        let body = format!("{{\"a\":{hidden},\"s\":{text},\"n\":{number},\"shown\":1}}");
        let head =
            format!("X-User: {user}\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
        let response = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}");
        [policy.request_spans(&request), policy.response_spans(response.as_bytes()).unwrap()]
    };
    let one = spans(b"abcd", b"id=12345", "alice: a=b", r#""a plain text""#, r#""abcd""#, "-12.50");
    for other in [
        spans(b"--_9", b"\xff; ;,\"{}", "GET / HTTP", r#"{"b":[1, 2,3]}"#, r#""]}\\""#, "-99.00"),
        spans(b"0000", b"a:b: c=d", "[;]:{,}\"==", r#"["\u005d",[1]]"#, r#""    ""#, "-10.01"),
    ] {
        assert_eq!(one, other);
    }
}

/// Values of JSON in chunks, of which the others are hidden.
#[test]
fn values_are_revealed() {
    let body = br#"{"owner":"Al \"price\":1 ice","balance":1234567,"currency":"EUR"}"#;
    let (first, second) = body.split_at(14);
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let data = [&head[..], &chunk(first), &chunk(second), b"0\r\n\r\n"].concat();
    let reveal = |paths: &[&str]| {
        let reveal = paths.iter().map(|path| path.parse().unwrap()).collect();
        Policy::new(Wanted { reveal, ..wanted() }).unwrap()
    };
    // The opening of an honest prover, as one record.
    let opened = |policy: &Policy| {
        let request = policy.request(&[]).unwrap();
        let mut opening = opening(&request, 0..0, &data);
        let mut said: Vec<Option<Option<Hidden>>> = vec![None; data.len()];
        for span in policy.response_spans(&data).unwrap().into_iter().rev() {
            said[span.range].fill(Some(span.hidden));
        }
        let mut start = 0;
        let mut parts = vec![];
        for run in said.chunk_by(|one, next| one == next) {
            let end = start + run.len();
            let said = run[0].map(|hidden| match hidden {
                None => Said::Shown(data[start..end].to_vec()),
                Some(class) => Said::Hidden(class, run.len() as u16),
            });
            parts.extend(said.map(|said| Part { start: start as u16, said }));
            start = end;
        }
        opening.server = vec![Planned { length: data.len() as u16, kind: 23, parts: Some(parts) }];
        opening
    };
    let policy = reveal(&["$.currency", "$.balance"]);
    let exchange = policy.read(&opened(&policy)).unwrap();
    let texts: Vec<_> = exchange.revealed.iter().map(|value| &value.text[..]).collect();
    assert_eq!(texts, ["\"EUR\"", "1234567"]);
    let text = crate::skeleton::text(&exchange.response.body);
    assert_eq!(text, r#"{"owner":‹20 hidden›,"balance":1234567,"currency":"EUR"}"#);
    // What one policy opens another may not take.
    let less = reveal(&["$.currency"]);
    assert_eq!(policy.read(&opened(&less)).unwrap_err(), Unwanted::HidesValue("$.balance".into()));
    assert_eq!(reveal(&["$.price"]).read(&opened(&less)).unwrap_err(), Unwanted::NoValue("$.price".into()));
    let none = reveal(&[]);
    assert!(matches!(less.read(&opened(&none)).unwrap_err(), Unwanted::Json(_)));
    assert!(none.read(&opened(&none)).unwrap().revealed.is_empty());
}

/// JSON is read where its type says so, in UTF-8.
#[test]
fn json_is_said_to_be_json() {
    let reveal = vec!["$".parse().unwrap()];
    let policy = Policy::new(Wanted { reveal, content_type: None, ..wanted() }).unwrap();
    let request = policy.request(&[]).unwrap();
    let read = |kind: &str| {
        let response = format!("HTTP/1.1 200 OK\r\n{kind}Content-Length: 2\r\n\r\n{{}}");
        policy.read(&opening(&request, 0..0, response.as_bytes()))
    };
    for kind in [
        "application/json",
        "Application/problem+JSON",
        "application/json; charset=UTF-8",
        "application/json;charset=\"utf-8\";a=b",
    ] {
        assert!(read(&format!("Content-Type: {kind}\r\n")).is_ok(), "{kind}");
    }
    for kind in [
        "Content-Type: text/html\r\n",
        "Content-Type: application/json; charset=utf-16\r\n",
        "Content-Type: application/json; charset=utf-8; charset=utf-7\r\n",
        "Content-Type: application/json; charset =utf-16\r\n",
        "",
    ] {
        assert!(matches!(read(kind), Err(Unwanted::NoJson(_))), "{kind}");
    }
}

#[test]
fn policies_are_refused() {
    let refused = |change: fn(&mut Wanted)| {
        let mut wanted = wanted();
        change(&mut wanted);
        Policy::new(wanted).unwrap_err().to_string()
    };
    assert!(refused(|wanted| wanted.target = "http://a/".into()).contains("origin form"));
    assert!(refused(|wanted| wanted.target = "/a b".into()).contains("origin form"));
    assert!(refused(|wanted| wanted.host = "Bank.example".into()).contains("lower case"));
    assert!(refused(|wanted| wanted.status.clear()).contains("takes no answer"));
    // None of these would ever be met.
    assert!(refused(|wanted| wanted.status.push(304)).contains("status 304"));
    assert!(refused(|wanted| wanted.content_type = Some("a/b; c=d".into())).contains("without parameters"));
    let html = |wanted: &mut Wanted| {
        wanted.content_type = Some("text/html".into());
        wanted.reveal = vec!["$.a".parse().unwrap()];
    };
    assert!(refused(html).contains("JSON"));
    for name in [
        "range",
        "if-match",
        "transfer-encoding",
        "forwarded",
        "x-forwarded-for",
        "x-http-method-override",
        "x-http-method",
        "x-method-override",
        "x-original-url",
        "x-rewrite-url",
        "x-real-ip",
        "x-host",
    ] {
        let mut wanted = wanted();
        wanted.fields.push(allowed(name, false));
        assert!(Policy::new(wanted).unwrap_err().to_string().contains("proves nothing"), "{name}");
    }
    assert!(refused(|wanted| wanted.fields.push(allowed("host", false))).contains("as each request"));
    assert!(refused(|wanted| wanted.fields.push(allowed("Cookie", false))).contains("lower case"));
    let policy = Policy::new(wanted()).unwrap();
    assert!(policy.request(&[("x-a", b"b")]).is_err());
    assert!(policy.request(&[("cookie", b"a\r\nx-user: b")]).is_err());
}

#[test]
fn digests_are_of_all_parts() {
    let digest = |change: fn(&mut Wanted)| {
        let mut wanted = wanted();
        change(&mut wanted);
        Policy::new(wanted).unwrap().digest()
    };
    let all = [
        digest(|_| {}),
        digest(|wanted| wanted.host.push('a')),
        digest(|wanted| wanted.port = 444),
        digest(|wanted| wanted.suites.push(Suite::ChaCha20)),
        digest(|wanted| wanted.suites.insert(0, Suite::ChaCha20)),
        digest(|wanted| wanted.target.push('a')),
        digest(|wanted| wanted.fields[0].may_hide = false),
        digest(|wanted| wanted.fields[0].name.push('a')),
        digest(|wanted| wanted.status.push(404)),
        digest(|wanted| wanted.shown_fields.push("etag".into())),
        digest(|wanted| wanted.content_type = None),
        digest(|wanted| wanted.reveal = vec!["$.a".parse().unwrap()]),
        digest(|wanted| wanted.reveal = vec!["$.b".parse().unwrap()]),
        digest(|wanted| wanted.claims = vec!["$.a > 1".parse().unwrap()]),
        digest(|wanted| wanted.program = Some(crate::program::tests::program("total", 1000))),
        digest(|wanted| wanted.program = Some(crate::program::tests::program("total", 1001))),
        digest(|wanted| wanted.program = Some(crate::program::tests::program("json", 1000))),
        digest(|wanted| wanted.choose.reveal = true),
        digest(|wanted| wanted.choose.claims = true),
    ];
    for (i, one) in all.iter().enumerate() {
        assert!(!all[..i].contains(one), "{i}");
    }
}

/// Provers choose what the policy allows, and no more than may be foretold.
#[test]
fn choices_are_as_the_policy_allows() {
    let value = "x".repeat(1024);
    let body = format!("{{\"a\":\"1\",\"b\":\"{value}\"}}");
    let read = |choose: Choose, choice: &Choice| {
        let policy = Policy::new(Wanted { choose, ..wanted() }).unwrap();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length";
        let data = format!("{head}: {}\r\n\r\n{body}", body.len());
        let bytes: Vec<_> = data.bytes().map(Byte::Shown).collect();
        let mut response = response(&bytes).unwrap();
        // The longest value there is to match.
        let begin = body.find("\"x").unwrap();
        response.body[begin..begin + value.len()].fill(Byte::Hidden(Hidden::Whole));
        response.body.drain(begin + value.len()..begin + value.len() + 2);
        policy.read_body(&response, choice)
    };
    let choice = |reveal: &[&str], claims: &[&str]| {
        let all = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        Choice::new(all(reveal), all(claims)).unwrap()
    };
    let both = Choose { reveal: true, claims: true };
    let claim = "$.a matches \"[0-9]\"";
    let found = read(both, &choice(&["$.a"], &[claim])).unwrap();
    assert_eq!(
        (found.chosen.revealed[0].text.as_str(), &found.chosen.claims[..]),
        ("\"1\"", &[claim.into()][..])
    );
    assert!(found.revealed.is_empty());
    for (choose, reveal, claims, words) in [
        (Choose { reveal: false, ..both }, &["$.a"][..], &[][..], "adds paths of its own choice"),
        (Choose { claims: false, ..both }, &[], &[claim], "adds claims of its own choice"),
        (Choose::default(), &[], &[claim], "adds claims of its own choice"),
        (both, &["a"], &[], "\"a\" is no path"),
        (both, &[], &["$.a matches \"(\""], "unclosed group"),
        (both, &["$.c"], &[], "no value at $.c"),
        (both, &["$.b"], &[], "the value at $.b is hidden"),
        (both, &[], &["$.a matches \"[2-9]\""], "claim $.a matches \"[2-9]\" does not hold"),
        (both, &[], &["$.b matches \"(.*a){40}.*\""], "more than 65536 ANDs"),
    ] {
        let refused = read(choose, &choice(reveal, claims)).map(drop).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
    let many = |count: usize| Choice::new((0..count).map(|i| format!("$[{i}]")).collect(), vec![]);
    assert!(many(16).is_ok() && many(17).is_err());
    assert!(Choice::new(vec![], vec!["x".repeat(4096)]).is_ok());
    assert!(Choice::new(vec!["x".into()], vec!["x".repeat(4096)]).is_err());
    assert_eq!(choice(&["$.b", "$.a", "$.b"], &[]), choice(&["$.a", "$.b"], &[]));
}
