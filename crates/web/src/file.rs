//! Terms of web proofs in a file of TOML, as both parties of one have them. Which server it is, and what may be hidden,
//! is the verifier's choice; the prover looks at it before it sends anything.
//!
//! ```text
//! host = "api.bank.example"          # port = 443, and address = "10.0.0.7:443" for a server in one's own network
//! roots = "roots.pem"                # authorities, in PEM, beside this file
//! pin = ["sha256/…"]                # digests of keys in base64, of which the chain has to have one
//! suites = ["TLS_AES_128_GCM_SHA256"] # and TLS_CHACHA20_POLY1305_SHA256: that the client offers, the best first
//! request = "GET /v1/balance"
//! fields = ["accept", "cookie?"]     # that a request may have; "?" may be hidden
//! shown_fields = ["etag"]            # that the answer shows, beside Date, Age and those that say what its body is
//! status = [200]
//! type = "application/json"
//! claims = ["$.balance >= 1000.00"]  # about values that stay hidden
//! reveal = ["$.currency"]            # values of a body that is JSON, of which all else is hidden
//! program = "check.elf"              # in the place of these: a program that reads the whole body, which stays hidden
//! choose = ["reveal", "claims"]      # that the prover may add of its own
//! form = "gates"                     # or "mixed", "holes": less traffic, and more work
//! record = true                      # the verifier signs a record, for files; "prover" names the prover in it
//! limits = { up = 65536, down = 4194304, seconds = 60, silence = 20, clock = 300, expected = 2048, cycles = 1000000 }
//! ```

use crate::error::{Error, Result};
use crate::policy::{AllowedField, Choose, Exchange, Policy, Wanted};
use crate::program::{BodyProgram, USUAL_CYCLES};
use crate::session::Terms;
use crate::statement::Form;
use crate::terms::Signing;
use crate::tls::{Roots, Suite};
use crate::tunnel::{Limits, connect};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use core::fmt::Display;
use core::str::FromStr;
use serde::Deserialize;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// The most bytes of each direction that a file may allow: what both sides hold at once.
pub const MOST_BYTES: usize = 1 << 26;
/// The longest time of a connection that a file may allow.
const MOST_SECONDS: u64 = 3600;

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    host: String,
    #[serde(default = "https")]
    port: u16,
    address: Option<SocketAddr>,
    roots: String,
    #[serde(default)]
    pin: Vec<String>,
    suites: Option<Vec<String>>,
    request: String,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default)]
    shown_fields: Vec<String>,
    #[serde(default = "ok")]
    status: Vec<u16>,
    r#type: Option<String>,
    #[serde(default)]
    reveal: Vec<String>,
    #[serde(default)]
    claims: Vec<String>,
    program: Option<String>,
    #[serde(default)]
    choose: Vec<WrittenChoice>,
    #[serde(default)]
    form: WrittenForm,
    #[serde(default)]
    record: Option<toml::Value>,
    #[serde(default)]
    limits: WrittenLimits,
}

const fn https() -> u16 {
    443
}

fn ok() -> Vec<u16> {
    vec![200]
}

/// A word of `choose`.
#[derive(Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum WrittenChoice {
    Reveal,
    Claims,
}

/// `form`.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum WrittenForm {
    #[default]
    Gates,
    Mixed,
    Holes,
}

/// `limits`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct WrittenLimits {
    up: Option<usize>,
    down: Option<usize>,
    seconds: Option<u64>,
    silence: Option<u64>,
    clock: Option<u64>,
    expected: Option<usize>,
    cycles: Option<u64>,
}

/// Reads the file of this name that a policy names: of roots, or a program.
pub type Open<'o> = &'o dyn Fn(&str) -> std::io::Result<Vec<u8>>;

/// A request that has no policy yet, as its prover writes it.
pub struct Sketch<'s> {
    /// The address of the request, which begins with `https://`; `{hidden}` stands in it as in a policy.
    pub url: &'s str,
    /// The address of the server, where its name does not lead there.
    pub address: Option<SocketAddr>,
    /// The names of the fields that the request has, whose values stay hidden.
    pub fields: &'s [&'s str],
    /// Paths to values that are shown.
    pub reveal: &'s [String],
    /// Claims.
    pub claims: &'s [String],
    /// The authorities that are to certify the server.
    pub roots: Roots,
}

/// Terms that were read from a file.
pub struct File {
    policy: Policy,
    roots: Roots,
    limits: Limits,
    form: Form,
    signing: Signing,
    address: Option<SocketAddr>,
}

impl File {
    /// Reads the file at `path`, and the roots and the program that it names, which may stand beside it.
    ///
    /// # Errors
    /// `Invalid` where either cannot be read, or says something that makes no sense.
    pub fn read(path: &Path) -> Result<Self> {
        let place = path.display();
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|why| Error::invalid(format!("{place}: it cannot be read: {why}")))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, &|name| std::fs::read(folder.join(name))).map_err(|why| match why {
            Error::Invalid(why) => Error::invalid(format!("{place}: {why}")),
            why => why,
        })
    }

    /// The terms of a policy for such a request.
    ///
    /// # Errors
    /// `Invalid` where there is none.
    pub fn of_sketch(sketch: Sketch<'_>) -> Result<Self> {
        let Sketch { url, address, fields, reveal, claims, roots } = sketch;
        let wrong = || Error::invalid(format!("{url:?}: write https://, a name, and a path"));
        let rest = url.strip_prefix("https://").ok_or_else(wrong)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let target = if target.is_empty() { "/" } else { target };
        let (host, port) = authority.split_once(':').unwrap_or((authority, "443"));
        let policy = Policy::new(Wanted {
            host: host.to_ascii_lowercase(),
            port: port.parse().map_err(|_| wrong())?,
            suites: vec![Suite::default()],
            target: target.into(),
            fields: fields.iter().map(|name| AllowedField { name: (*name).into(), may_hide: true }).collect(),
            shown_fields: Vec::new(),
            status: ok(),
            content_type: None,
            reveal: parsed(reveal)?,
            claims: parsed(claims)?,
            program: None,
            choose: Choose::default(),
        })?;
        let (limits, form, signing) = (Limits::default(), Form::default(), Signing::Nothing);
        Ok(Self { policy, roots, limits, form, signing, address })
    }

    /// The text of a policy by which an exchange like this one is proved, whose authorities are in the file `roots`.
    /// Limits and the form of the proof are as usual.
    pub fn text(&self, roots: &str, exchange: &Exchange) -> String {
        let Wanted { host, port, target, fields, shown_fields, reveal, claims, .. } = self.policy.wanted();
        let list =
            |texts: Vec<String>| format!("[{}]", texts.iter().map(quoted).collect::<Vec<_>>().join(", "));
        let fields = fields.iter().map(|AllowedField { name, may_hide }| match may_hide {
            true => format!("{name}?"),
            false => name.clone(),
        });
        let mut lines = vec![("host", quoted(host))];
        lines.extend((*port != https()).then(|| ("port", port.to_string())));
        lines.extend(self.address.map(|address| ("address", quoted(address))));
        lines.extend([("roots", quoted(roots)), ("request", quoted(format!("GET {target}")))]);
        lines.push(("fields", list(fields.collect())));
        lines.extend((!shown_fields.is_empty()).then(|| ("shown_fields", list(shown_fields.clone()))));
        lines.push(("status", format!("[{}]", exchange.response.status)));
        lines.extend(exchange.response.content_type().map(|essence| ("type", quoted(essence))));
        lines.push(("reveal", list(reveal.iter().map(ToString::to_string).collect())));
        lines.push(("claims", list(claims.iter().map(ToString::to_string).collect())));
        lines.into_iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
    }

    /// The terms in `text`, whose roots and program `open` reads.
    ///
    /// # Errors
    /// `Invalid` where either says something that makes no sense.
    pub fn parse(text: &str, open: Open<'_>) -> Result<Self> {
        Self::of(toml::from_str(text).map_err(|why| Error::invalid(why.to_string()))?, open)
    }

    /// The terms in a table of a larger file, whose roots and program `open` reads.
    ///
    /// # Errors
    /// As for [`File::parse`].
    pub fn of_table(table: toml::Table, open: Open<'_>) -> Result<Self> {
        let written = table.try_into::<Written>();
        Self::of(written.map_err(|why| Error::invalid(why.to_string().trim().replace('\n', ", ")))?, open)
    }

    fn of(written: Written, open: Open<'_>) -> Result<Self> {
        let open = |name: &str| {
            open(name).map_err(|why| Error::invalid(format!("{name}: it cannot be read: {why}")))
        };
        let roots = open(&written.roots)?;
        let pins = written.pin.iter().map(|text| pin(text)).collect::<Result<_>>()?;
        let roots = Roots::from_pem(&roots)?.pinned(pins);
        let target = written.request.strip_prefix("GET ");
        let target = target.ok_or_else(|| Error::invalid("request: write GET, a blank and a target"))?;
        let field = |written: &String| {
            let name = written.strip_suffix('?');
            AllowedField { name: name.unwrap_or(written).into(), may_hide: name.is_some() }
        };
        let (reveal, claims) = (parsed(&written.reveal)?, parsed(&written.claims)?);
        let WrittenLimits { up, down, seconds, silence, clock, expected, cycles } = written.limits;
        let program = match (&written.program, cycles) {
            (Some(name), cycles) => {
                let program = BodyProgram::new(&open(name)?, cycles.unwrap_or(USUAL_CYCLES));
                Some(program.map_err(|why| Error::invalid(format!("program: {name}: {why}")))?)
            }
            (None, Some(_)) => {
                return Err(Error::invalid("limits: cycles: they are of a program, and there is none"));
            }
            (None, None) => None,
        };
        let suites = match written.suites {
            Some(names) => names.iter().map(|name| suite(name)).collect::<Result<_>>()?,
            None => vec![Suite::default()],
        };
        let policy = Policy::new(Wanted {
            host: written.host,
            port: written.port,
            suites,
            target: target.into(),
            fields: written.fields.iter().map(field).collect(),
            shown_fields: written.shown_fields,
            status: written.status,
            content_type: written.r#type,
            reveal,
            claims,
            program,
            choose: Choose {
                reveal: written.choose.contains(&WrittenChoice::Reveal),
                claims: written.choose.contains(&WrittenChoice::Claims),
            },
        })?;
        let form = match written.form {
            WrittenForm::Gates => Form::Gates,
            WrittenForm::Mixed => Form::Mixed,
            WrittenForm::Holes => Form::Holes,
        };
        let signing = match &written.record {
            None | Some(toml::Value::Boolean(false)) => Signing::Nothing,
            Some(toml::Value::Boolean(true)) => Signing::Record,
            Some(toml::Value::String(party)) if party == "prover" => Signing::RecordOfProver,
            Some(toml::Value::String(other)) => {
                return Err(Error::invalid(format!("record: {other:?}: write true, false or \"prover\"")));
            }
            Some(other) => {
                let kind = other.type_str();
                return Err(Error::invalid(format!(
                    "record: a value of the type {kind}: write true, false or \"prover\""
                )));
            }
        };
        let usual = Limits::default();
        let time = |given: Option<u64>, usual| given.map_or(usual, Duration::from_secs);
        let limits = Limits {
            up: up.unwrap_or(usual.up),
            down: down.unwrap_or(usual.down),
            total: time(seconds, usual.total),
            silence: time(silence, usual.silence),
            clock: time(clock, usual.clock),
            expected: expected.unwrap_or(usual.expected),
        };
        let times = [limits.total, limits.silence, limits.clock].map(|time| time.as_secs());
        if limits.up > MOST_BYTES
            || limits.down > MOST_BYTES
            || limits.expected > limits.down
            || times.iter().any(|time| !(1..=MOST_SECONDS).contains(time))
        {
            return Err(Error::invalid(format!(
                "limits: up and down are {MOST_BYTES} bytes at most, expected at most down, and times from 1 to \
                 {MOST_SECONDS} seconds"
            )));
        }
        Ok(Self { policy, roots, limits, form, signing, address: written.address })
    }

    /// The terms.
    pub const fn terms(&self) -> Terms<'_> {
        let Self { policy, roots, limits, form, signing, .. } = self;
        Terms { policy, roots, limits: *limits, form: *form, signing: *signing }
    }

    /// Has the verifier sign a record, whatever the file says.
    pub fn sign_record(&mut self) {
        if self.signing == Signing::Nothing {
            self.signing = Signing::Record;
        }
    }

    /// A connection to the server, as whoever looks at an answer before makes it: to any address of its name, or to the
    /// one that the file names.
    ///
    /// # Errors
    /// `Io`.
    pub fn connect_directly(&self) -> Result<TcpStream> {
        let doing = "connecting to the server";
        let stream = match self.address {
            Some(address) => TcpStream::connect_timeout(&address, self.limits.silence),
            None => TcpStream::connect((self.policy.host(), self.policy.port())),
        };
        let stream = stream.map_err(Error::io(doing))?;
        stream.set_read_timeout(Some(self.limits.silence)).map_err(Error::io(doing))?;
        Ok(stream)
    }

    /// A connection to the server, as a verifier makes it: to a public address, or to the one that the file names.
    ///
    /// # Errors
    /// Those of [`connect`].
    pub fn connect(&self) -> Result<TcpStream> {
        match self.address {
            Some(address) => TcpStream::connect_timeout(&address, self.limits.silence)
                .map_err(Error::io("connecting to the server")),
            None => connect(self.policy.host(), self.policy.port()),
        }
    }
}

/// Paths, or claims.
fn parsed<T: FromStr<Err = String>>(texts: &[String]) -> Result<Vec<T>> {
    texts.iter().map(|text| text.parse().map_err(Error::Invalid)).collect()
}

/// Text as a string of TOML.
fn quoted(text: impl Display) -> String {
    let escaped = text.to_string().chars().fold(String::new(), |all, c| match c {
        '"' | '\\' => format!("{all}\\{c}"),
        c if c.is_control() => format!("{all}\\u{:04x}", u32::from(c)),
        c => format!("{all}{c}"),
    });
    format!("\"{escaped}\"")
}

/// The cipher suite of this name.
fn suite(name: &str) -> Result<Suite> {
    name.parse().map_err(|why| Error::invalid(format!("suites: {why}")))
}

/// A digest of a key, as `sha256/` and base64.
fn pin(text: &str) -> Result<[u8; 32]> {
    let digest = text.strip_prefix("sha256/").and_then(|text| STANDARD.decode(text).ok());
    let digest = digest.and_then(|digest| digest.try_into().ok());
    digest.ok_or_else(|| Error::invalid(format!("pin: {text:?}: write sha256/ and 44 characters of base64")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "host = \"bank.example\"\nroots = \"root.pem\"\nrequest = \"GET /balance\"\n";

    fn parse(text: &str) -> Result<File> {
        let root = include_bytes!("../tests/certificates/root.pem");
        let program = include_bytes!("../../../examples/programs/total.elf");
        File::parse(text, &|name| match name {
            "root.pem" => Ok(root.to_vec()),
            "total.elf" => Ok(program.to_vec()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        })
    }

    #[test]
    fn files_are_read() {
        let file = parse(TEXT).unwrap();
        assert_eq!((file.policy.host(), file.policy.port(), file.form), ("bank.example", 443, Form::Gates));
        assert_eq!(file.policy.suites(), [Suite::Aes128]);
        let names = "[\"TLS_CHACHA20_POLY1305_SHA256\", \"TLS_AES_128_GCM_SHA256\"]";
        let file = parse(&format!("{TEXT}suites = {names}")).unwrap();
        assert_eq!(file.policy.suites(), [Suite::ChaCha20, Suite::Aes128]);
        parse(&format!("{TEXT}pin = [\"sha256/{}=\"]", "A".repeat(43))).unwrap();
        let more = "port = 444\nfields = [\"cookie?\", \"accept\"]\nstatus = [200, 404]\ntype = \"a/b\"\n\
                    form = \"mixed\"\naddress = \"127.0.0.1:444\"\nlimits = { up = 1000, seconds = 5 }\n";
        let file = parse(&format!("{TEXT}{more}")).unwrap();
        assert_eq!((file.limits.up, file.limits.total.as_secs(), file.form), (1000, 5, Form::Mixed));
        assert_eq!(file.signing, Signing::Nothing);
        for (record, signing) in
            [("false", Signing::Nothing), ("true", Signing::Record), ("\"prover\"", Signing::RecordOfProver)]
        {
            assert_eq!(parse(&format!("{TEXT}record = {record}")).unwrap().signing, signing);
        }
        assert!(file.policy.request(&[("cookie", b"a"), ("accept", b"b")]).is_ok());
        let program = |more: &str| {
            let file = parse(&format!("{TEXT}program = \"total.elf\"\n{more}")).unwrap();
            file.policy.program().cloned().unwrap()
        };
        assert_eq!(program(""), program("limits = { cycles = 1000000 }"));
        assert_ne!(program(""), program("limits = { cycles = 999999 }"));
    }

    #[test]
    fn texts_are_quoted() {
        for text in ["$.a matches \"[a-z]+@x\\\\.com\"", "é\u{7f}\n", ""] {
            let table: toml::Table = toml::from_str(&format!("a = {}", quoted(text))).unwrap();
            assert_eq!(table["a"].as_str(), Some(text));
        }
    }

    #[test]
    fn requests_without_a_policy_have_one() {
        let claims = ["$.a matches \"x\"".to_owned()];
        let of = |url: &str| {
            let fields = &["cookie"];
            let (roots, reveal) = (crate::tls::script::roots(), &[]);
            File::of_sketch(Sketch { url, address: None, fields, reveal, claims: &claims, roots })
        };
        for (url, host, port, target) in [
            ("https://Bank.example", "bank.example", 443, "/"),
            ("https://bank.example:8443/a?b={hidden}", "bank.example", 8443, "/a?b={hidden}"),
        ] {
            let policy = of(url).unwrap().policy;
            assert_eq!((policy.host(), policy.port(), policy.target()), (host, port, target));
        }
        for (url, words) in [
            ("http://bank.example/", "write https://"),
            ("https:///a", "no name of a server"),
            ("https://bank.example:a/", "write https://"),
            ("https://bank.example?a", "origin form"),
            ("https://bank.example/a#b", "origin form"),
            ("https://me@bank.example/", "no name of a server"),
            ("https://[::1]/", "write https://"),
        ] {
            let refused = of(url).map(drop).unwrap_err().to_string();
            assert!(refused.contains(words), "{url}: {refused}");
        }
    }

    #[test]
    fn files_are_refused() {
        for (text, why) in [
            ("host = 1", "invalid type"),
            (&TEXT.replace("root.pem", "other.pem"), "other.pem: it cannot be read"),
            (&TEXT.replace("GET ", "POST "), "write GET"),
            (&TEXT.replace("bank", "Bank"), "in lower case"),
            (&format!("{TEXT}form = \"fast\""), "fast"),
            (&format!("{TEXT}limit = 1"), "unknown field"),
            (
                &format!("{TEXT}suites = [\"aes\"]"),
                "suites: \"aes\" is no suite: choose from TLS_AES_128_GCM_SHA256, TLS",
            ),
            (&format!("{TEXT}suites = []"), "one cipher suite or more"),
            (
                &format!("{TEXT}suites = [{0:?}, {0:?}]", "TLS_AES_128_GCM_SHA256"),
                "one cipher suite or more, and none of them twice",
            ),
            (&format!("{TEXT}pin = [\"sha256/AAAA\"]"), "44 characters"),
            (&format!("{TEXT}pin = [\"{}=\"]", "A".repeat(43)), "44 characters"),
            (&format!("{TEXT}limits = {{ down = 1000000000 }}"), "limits"),
            (&format!("{TEXT}limits = {{ seconds = 0 }}"), "limits"),
            (&format!("{TEXT}record = \"me\""), "record: \"me\": write true, false or"),
            (&format!("{TEXT}record = 5"), "record: a value of the type integer: write true"),
            (&format!("{TEXT}fields = [\"range\"]"), "proves nothing"),
            (&format!("{TEXT}reveal = [\"currency\"]"), "is no path"),
            (&format!("{TEXT}program = \"other.elf\""), "other.elf: it cannot be read"),
            (&format!("{TEXT}program = \"root.pem\""), "program: root.pem: "),
            (&format!("{TEXT}program = \"total.elf\"\nreveal = [\"$.a\"]"), "leave out `reveal`"),
            (&format!("{TEXT}limits = {{ cycles = 1000 }}"), "there is none"),
            (&format!("{TEXT}choose = [\"fields\"]"), "fields"),
            (&format!("{TEXT}claims = ['$.a matches \"a{{999}}\"']"), "more than 256 states"),
        ] {
            let refused = parse(text).map(drop).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
