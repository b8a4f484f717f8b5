//! Messages of a prover and a service before a proof: which statement it is, and on which terms.
//!
//! | step | from | message |
//! |---|---|---|
//! | 1 | P | magic `volery?` and a zero byte, version (u32); then `{"statement": NAME}` |
//! | 2 | S | `{"terms": {…}}` |
//! | 3 | P | `{"public": {NAME: VALUE, …}}`: the public values that it may choose |
//! | 4 | S | `{"session": ID}`: the proof begins, by the ordinary handshake over the same link; or a web proof, by its own messages |
//!
//! In the place of 2 and 4 the service may say `{"refused": {…}}`, and ends the link. Each message but the
//! magic is a length (u32) and JSON of at most 64 KiB; numbers are little-endian. Nothing here is part of the
//! proof's transcript: the handshake compares the digest of the statement and all settings, which both sides
//! have made for themselves, and by TLS its challenges depend on this link.

use crate::failure::{Failure, Result};
use crate::print::hex;
use crate::waiting::regular;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use volery::channel::Link;

/// The first bytes of a prover that asks a service.
pub const MAGIC: [u8; 8] = *b"volery?\0";
/// Changes whenever these messages do.
pub const VERSION: u32 = 1;
/// The most bytes of a message.
pub const LONGEST: usize = 64 << 10;

/// The most bytes of a statement's name.
pub const LONGEST_NAME: usize = 64;

/// The terms on which a service verifies the statement of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The name by which it was asked for.
    pub statement: String,
    /// The relation.
    pub relation: Named,
    /// The format of a file, where it is said.
    pub format: Option<String>,
    /// Public values that are fixed: names, and values as they are typed.
    pub public: Vec<(String, String)>,
    /// Names of the public values that the prover chooses.
    pub choose: Vec<String>,
    /// The proof system.
    pub system: String,
    /// The field.
    pub field: String,
    /// The correlations, where the system takes any.
    pub vole: Option<String>,
    /// The bits of statistical security that the proof has to have, where not the usual.
    pub security: Option<u32>,
    /// The longest time that a session may take, in seconds.
    pub seconds: u64,
    /// The most bytes that it may carry, both ways together.
    pub bytes: u64,
}

/// How a relation is named to the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// `builtin:…`.
    Builtin(String),
    /// A file, which the other side has, too.
    File {
        /// The name of the file, without folders.
        name: String,
        /// The SHA-256 of its content, in hexadecimal digits.
        sha256: String,
    },
    /// The answer of a web server, by a policy that the other side has, too.
    Web {
        /// The name of the server.
        host: String,
        /// The request, as its policy has it.
        request: String,
    },
}

/// Why a service does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The service has no statement of this name for this peer.
    Unknown,
    /// The request makes no sense.
    Invalid,
    /// The service is busy, or this peer has had its share for now.
    Busy,
    /// The statement is beyond what it takes, or this peer is, until an operator decides otherwise.
    Limit,
    /// The service goes down.
    Draining,
    /// The fault is the service's own.
    Failed,
}

/// A refusal of a service to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The cause.
    pub cause: Cause,
    /// The reason, for a person.
    pub why: String,
    /// The seconds after which it is worth another try.
    pub again: Option<u64>,
}

impl Named {
    /// The name of the relation `spec`, of a file with what stands behind it.
    ///
    /// # Errors
    /// Where it is a file that cannot be read.
    pub fn of(spec: &str) -> io::Result<Self> {
        if spec.starts_with("builtin:") {
            return Ok(Self::Builtin(spec.into()));
        }
        let path = Path::new(spec);
        let mut file = match (regular(path), spec.rsplit_once('?')) {
            (Err(why), Some((path, _))) if why.kind() == io::ErrorKind::NotFound => regular(Path::new(path))?,
            (opened, _) => opened?,
        };
        let (mut hash, mut piece) = (Sha256::new(), vec![0; 64 << 10]);
        loop {
            match file.read(&mut piece)? {
                0 => break,
                length => hash.update(&piece[..length]),
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self::File { name, sha256: hex(&hash.finalize()) })
    }

    /// The options behind the name of a file.
    pub fn options(&self) -> &str {
        match self {
            Self::File { name, .. } => name.rsplit_once('?').map_or("", |(_, options)| options),
            Self::Builtin(_) | Self::Web { .. } => "",
        }
    }
}

impl Cause {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Unknown, "unknown"),
        (Self::Invalid, "invalid"),
        (Self::Busy, "busy"),
        (Self::Limit, "limit"),
        (Self::Draining, "draining"),
        (Self::Failed, "failed"),
    ];

    /// The name of the cause, on the wire and in figures.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(cause, _)| *cause == self).expect("all are there").1
    }
}

impl Refusal {
    /// A refusal for good.
    pub fn new(cause: Cause, why: impl Into<String>) -> Self {
        Self { cause, why: why.into(), again: None }
    }

    /// A refusal because the service is busy, to be tried again after `again` seconds.
    pub fn busy(why: impl Into<String>, again: u64) -> Self {
        Self { cause: Cause::Busy, why: why.into(), again: Some(again.max(1)) }
    }

    fn json(&self) -> Value {
        json!({"refused": {"cause": self.cause.name(), "why": self.why, "again_in_seconds": self.again}})
    }

    fn of(object: &Value) -> Option<Self> {
        let cause = object.get("cause")?.as_str()?;
        // One that a later version knows is its own fault to this one.
        let cause =
            Cause::ALL.iter().find(|(_, name)| *name == cause).map_or(Cause::Failed, |(cause, _)| *cause);
        let why = object.get("why")?.as_str()?.into();
        Some(Self { cause, why, again: object.get("again_in_seconds").and_then(Value::as_u64) })
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let again = refusal.again.map_or(String::new(), |seconds| format!(": try again in {seconds} s"));
        let line = format!("the service refuses: {}{again}", refusal.why);
        match refusal.cause {
            Cause::Unknown | Cause::Invalid => Self::usage(line),
            _ => Self::peer(line),
        }
    }
}

impl Terms {
    /// The JSON object, as it is sent.
    pub fn json(&self) -> Value {
        let relation = match &self.relation {
            Named::Builtin(spec) => json!(spec),
            Named::File { name, sha256 } => json!({"file": name, "sha256": sha256}),
            Named::Web { host, request } => json!({"web": {"host": host, "request": request}}),
        };
        let public: Map<_, _> =
            self.public.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({
            "statement": self.statement,
            "relation": relation,
            "format": self.format,
            "public": public,
            "choose": self.choose,
            "system": self.system,
            "field": self.field,
            "vole": self.vole,
            "security": self.security,
            "seconds": self.seconds,
            "bytes": self.bytes,
        })
    }

    fn of(object: &Value) -> Option<Self> {
        let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
        let relation = match object.get("relation")? {
            // A path would have this side read whatever file the service names.
            Value::String(spec) if spec.starts_with("builtin:") => Named::Builtin(spec.clone()),
            Value::Object(web) if web.contains_key("web") => Named::Web {
                host: web["web"].get("host")?.as_str()?.to_owned(),
                request: web["web"].get("request")?.as_str()?.to_owned(),
            },
            Value::Object(file) => Named::File {
                name: file.get("file")?.as_str()?.to_owned(),
                sha256: file.get("sha256")?.as_str()?.to_owned(),
            },
            _ => return None,
        };
        let choose = object.get("choose")?.as_array()?.iter();
        Some(Self {
            statement: text("statement")?,
            relation,
            format: text("format"),
            public: pairs(object.get("public")?)?,
            choose: choose.map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?,
            system: text("system")?,
            field: text("field")?,
            vole: text("vole"),
            security: match object.get("security") {
                None | Some(Value::Null) => None,
                Some(bits) => Some(bits.as_u64()?.try_into().ok()?),
            },
            seconds: object.get("seconds")?.as_u64()?,
            bytes: object.get("bytes")?.as_u64()?,
        })
    }

    /// The terms in lines for a person. Control characters in them become spaces.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let relation = match &self.relation {
            Named::Builtin(spec) => spec.clone(),
            Named::File { name, sha256 } => format!("the file {name}, SHA-256 {sha256}"),
            Named::Web { host, request } => format!("the answer of {host} to {request}"),
        };
        let mut rows = vec![("statement", self.statement.clone()), ("relation", relation)];
        rows.extend(self.public.iter().map(|(name, value)| ("public", format!("{name}={value}"))));
        if !self.choose.is_empty() {
            rows.push(("you choose", self.choose.join(", ")));
        }
        let by = self.vole.as_ref().map_or(String::new(), |vole| format!(", correlations by {vole}"));
        rows.push(("system", format!("{} over {}{by}", self.system, self.field)));
        if let Some(bits) = self.security {
            rows.push(("security", format!("{bits} bits, statistical, at least")));
        }
        rows.push(("at most", format!("{} s, {} bytes", self.seconds, self.bytes)));
        let plain = |text: String| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        rows.into_iter().map(|(name, text)| (name, plain(text))).collect()
    }
}

/// The first message of a prover.
#[derive(Debug)]
pub enum Opening {
    /// The prover asks for the statement of this name.
    Asks(String),
    /// The prover begins a proof at once, and has to be told that it speaks to a service.
    Proves,
}

/// Step 1, and the answer to it.
///
/// # Errors
/// Where the service refuses, or the link fails.
pub fn ask(link: &mut dyn Link, statement: &str) -> Result<Terms> {
    let opening = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    link.send(&opening).map_err(failed)?;
    send(link, &json!({"statement": statement})).map_err(failed)?;
    let answer = answer(link)?;
    answer.get("terms").and_then(Terms::of).ok_or_else(nonsense)
}

/// Step 3, and the answer to it, which names the session.
///
/// # Errors
/// As for [`ask`].
pub fn choose(link: &mut dyn Link, public: &[(String, String)]) -> Result<String> {
    let public: Map<_, _> = public.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    send(link, &json!({"public": public})).map_err(failed)?;
    let answer = answer(link)?;
    answer.get("session").and_then(Value::as_str).map(str::to_owned).ok_or_else(nonsense)
}

fn answer(link: &mut dyn Link) -> Result<Value> {
    let answer = recv(link).map_err(failed)?;
    match answer.get("refused").map(Refusal::of) {
        Some(Some(refusal)) => Err(refusal.into()),
        Some(None) => Err(nonsense()),
        None => Ok(answer),
    }
}

fn failed(why: io::Error) -> Failure {
    let advice = match why.kind() {
        ErrorKind::UnexpectedEof => {
            ": is it a service, started by `volery serve`, that knows this side's key?"
        }
        _ => "",
    };
    Failure::peer(format_args!("asking the service: {why}{advice}"))
}

fn nonsense() -> Failure {
    Failure::peer("the answer of the service makes no sense: is it of this version?")
}

/// Receives step 1.
///
/// # Errors
/// [`ErrorKind::InvalidData`] where the peer says something else, or a name of more than [`LONGEST_NAME`]
/// bytes; those of the link.
pub fn opening(link: &mut dyn Link) -> io::Result<Opening> {
    let mut opening = [0; 12];
    link.recv(&mut opening)?;
    let (magic, version) = opening.split_at(8);
    if magic == volery::channel::MAGIC {
        return Ok(Opening::Proves);
    }
    if magic != MAGIC {
        return Err(invalid("it does not speak volery's protocol"));
    }
    if version != VERSION.to_le_bytes() {
        refuse(link, &Refusal::new(Cause::Invalid, "it speaks another version: install the same on both"))?;
        return Err(invalid("it asks in another version of the protocol"));
    }
    match recv(link)?.get("statement").and_then(Value::as_str) {
        Some(name) if name.len() > LONGEST_NAME => {
            let why = format!("a statement's name has {LONGEST_NAME} bytes at most");
            refuse(link, &Refusal::new(Cause::Invalid, why))?;
            Err(invalid("it asks for a statement by a name that is too long"))
        }
        Some(name) => Ok(Opening::Asks(name.into())),
        None => Err(invalid("it asks for no statement")),
    }
}

/// Step 2.
///
/// # Errors
/// Those of the link.
pub fn offer(link: &mut dyn Link, terms: &Terms) -> io::Result<()> {
    send(link, &json!({"terms": terms.json()}))
}

/// Receives step 3: names and values.
///
/// # Errors
/// As for [`opening`].
pub fn chosen(link: &mut dyn Link) -> io::Result<Vec<(String, String)>> {
    recv(link)?.get("public").and_then(pairs).ok_or_else(|| invalid("it sends no public values"))
}

/// Step 4.
///
/// # Errors
/// Those of the link.
pub fn admit(link: &mut dyn Link, session: &str) -> io::Result<()> {
    send(link, &json!({"session": session}))
}

/// Says why the service does not go on.
///
/// # Errors
/// Those of the link.
pub fn refuse(link: &mut dyn Link, refusal: &Refusal) -> io::Result<()> {
    send(link, &refusal.json())
}

fn pairs(object: &Value) -> Option<Vec<(String, String)>> {
    let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    object.as_object()?.iter().map(pair).collect()
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

fn send(link: &mut dyn Link, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    if text.len() > LONGEST {
        return Err(invalid("a message to the other side would have more than 64 KiB"));
    }
    link.send(&[&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat())?;
    link.flush()
}

fn recv(link: &mut dyn Link) -> io::Result<Value> {
    let mut length = [0; 4];
    link.recv(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(invalid("a message has more than 64 KiB"));
    }
    let mut text = vec![0; length];
    link.recv(&mut text)?;
    serde_json::from_slice(&text).map_err(|_| invalid("a message is no JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use volery::channel::{Pipe, pipe};

    fn link() -> (Pipe, Pipe) {
        pipe(Duration::from_secs(10))
    }

    fn terms() -> Terms {
        Terms {
            statement: "age".into(),
            relation: Named::File { name: "a.txt".into(), sha256: "00".into() },
            format: None,
            public: vec![("x".into(), "0x1".into())],
            choose: vec!["y".into()],
            system: "quicksilver".into(),
            field: "f2".into(),
            vole: Some("tiny".into()),
            security: Some(100),
            seconds: 60,
            bytes: 1 << 40,
        }
    }

    /// Files are named by their content, and by the options behind their name.
    #[test]
    fn files_are_named_with_their_options() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.aig");
        std::fs::write(&path, "aag 0 0 0 1 0\n1\n").expect("written");
        let path = path.to_str().expect("UTF-8");
        let of = |spec: &str| match Named::of(spec).expect("read") {
            Named::File { name, sha256 } => (name, sha256),
            other => panic!("{other:?}"),
        };
        let ((plain, hash), (steps, same)) = (of(path), of(&format!("{path}?steps=3")));
        assert_eq!((&*plain, &*steps, &hash), ("x.aig", "x.aig?steps=3", &same));
        let options = |spec: &str| Named::of(spec).expect("read").options().to_owned();
        assert_eq!((options(path), options(&format!("{path}?steps=3"))), (String::new(), "steps=3".into()));
        assert!(Named::of(&format!("{path}.no?steps=3")).is_err());
    }

    #[test]
    fn a_name_is_short() {
        for length in [LONGEST_NAME, LONGEST_NAME + 1] {
            let (mut here, mut there) = link();
            let name = "n".repeat(length);
            let asking = std::thread::spawn(move || ask(&mut here, &name).expect_err("no terms").line);
            let asked = opening(&mut there);
            assert_eq!(asked.is_ok(), length == LONGEST_NAME, "{asked:?}");
            drop(there);
            let heard = asking.join().expect("no panic");
            assert_eq!(heard.contains("has 64 bytes at most"), asked.is_err(), "{heard}");
        }
    }

    #[test]
    fn a_conversation_comes_to_a_session() {
        let (mut here, mut there) = link();
        let asking = std::thread::spawn(move || {
            let terms = ask(&mut here, "age").expect("terms");
            (terms, choose(&mut here, &[("y".into(), "0x2".into())]).expect("a session"))
        });
        assert!(matches!(opening(&mut there).expect("asked"), Opening::Asks(name) if name == "age"));
        offer(&mut there, &terms()).expect("sent");
        assert_eq!(chosen(&mut there).expect("chosen"), [("y".into(), "0x2".into())]);
        admit(&mut there, "1f").expect("sent");
        assert_eq!(asking.join().expect("no panic"), (terms(), "1f".into()));
    }

    #[test]
    fn refusals_say_why() {
        for (refusal, code) in [
            (Refusal::busy("50 sessions run", 3), 3),
            (Refusal::new(Cause::Unknown, "there is no statement `age`"), 2),
        ] {
            let (mut here, mut there) = link();
            refuse(&mut there, &refusal).expect("sent");
            let failure = ask(&mut here, "age").expect_err("refused");
            assert!(failure.line.contains(&refusal.why), "{}", failure.line);
            assert_eq!((failure.fault as i32, failure.line.contains("try again in 3 s")), (code, code == 3));
        }
    }

    #[test]
    fn web_proofs_are_named() {
        let relation = Named::Web { host: "bank.example".into(), request: "GET /balance".into() };
        let terms = Terms { relation, ..terms() };
        assert_eq!(Terms::of(&terms.json()).as_ref(), Some(&terms));
        let mut object = terms.json();
        object["relation"] = json!({"web": "bank.example"});
        assert_eq!(Terms::of(&object), None);
    }

    /// A service cannot have a prover open a file of its choice, nor write to its terminal.
    #[test]
    fn terms_of_strangers_are_harmless() {
        let mut object = terms().json();
        object["relation"] = json!("/etc/passwd");
        assert_eq!(Terms::of(&object), None);
        object["relation"] = json!("builtin:\u{1b}[2J");
        let shown = format!("{:?}", Terms::of(&object).expect("terms").lines());
        assert!(!shown.contains("\\u{1b}"), "{shown}");
    }

    #[test]
    fn garbage_is_an_error() {
        for (sent, why) in [
            (&b"GET / HTTP/1.1\r\n"[..], "does not speak"),
            (&[&MAGIC[..], &[9, 0, 0, 0]].concat(), "another version"),
            (&[&MAGIC[..], &[1, 0, 0, 0], &[0xff; 4]].concat(), "64 KiB"),
            (&[&MAGIC[..], &[1, 0, 0, 0], &[2, 0, 0, 0], b"{]"].concat(), "no JSON"),
            (&[&MAGIC[..], &[1, 0, 0, 0], &[2, 0, 0, 0], b"{}"].concat(), "no statement"),
        ] {
            let (mut here, mut there) = link();
            here.send(sent).expect("sent");
            here.flush().expect("sent");
            let error = opening(&mut there).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
