//! Policies of a verifier: the request that has to be made, of which server, and what its answer has to be.

use crate::claim::{Claim, Comparison, NoValue, Settled};
use crate::error::{Error, Result};
use crate::freshness::Stale;
use crate::http::{
    ALWAYS_SHOWN, Head, Malformed, Request, Response, is_provable, request, response, value_spans,
};
use crate::json::{self, HiddenPart, Json, Kind, Path, hide};
use crate::opened::Span;
use crate::opening::{Choice, Hidden, MOST_CHOSEN_BYTES, Opening};
use crate::program::{BodyProgram, ReadByProgram};
use crate::skeleton::{Byte, skeleton};
use crate::statement::Piece;
use crate::target;
use crate::tls::Suite;
use sha2::{Digest, Sha256};
use volery_processor::Examined;
use zeroize::Zeroizing;

/// Fields that no request may have, whatever a policy says: they change who answers, what of, or how it is framed.
const NEVER: [&str; 16] = [
    "content-length",
    "expect",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "max-forwards",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Parts of names of fields that no request may have either, by which servers take another method, target or host, or
/// believe that somebody else asks.
const NEVER_WITHIN: [&str; 9] =
    ["client-ip", "forward", "method", "original", "override", "real-ip", "remote-", "rewrite", "x-host"];

/// The most ANDs of all claims that a prover chooses.
const MOST_ANDS_OF_CHOICE: u64 = 1 << 16;

/// The most expressions in them: each may take a third of a second to read, before anything is proved.
const MOST_EXPRESSIONS: usize = 4;

/// The most bytes that what a prover chooses takes where it is held: as it is written, and in what is compared, and the
/// automata and layers of as many ANDs.
const MOST_BYTES_OF_CHOICE: u64 = 3 * MOST_CHOSEN_BYTES as u64 + (8 << 20);

/// The parts of a policy, as they are written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The server's name, in lower case.
    pub host: String,
    /// The port of the server.
    pub port: u16,
    /// The cipher suites of TLS that the client offers, the best first.
    pub suites: Vec<Suite>,
    /// The target of a GET, in origin form, where `{hidden}` stands for a word that is hidden.
    pub target: String,
    /// Fields that the request may have, beside Host, Connection and Accept-Encoding.
    pub fields: Vec<AllowedField>,
    /// Fields of the answer that it has to show where it has them, beside [`ALWAYS_SHOWN`]; all others may be hidden.
    pub shown_fields: Vec<String>,
    /// The statuses that an answer may have.
    pub status: Vec<u16>,
    /// The type of its content, without parameters, where it matters.
    pub content_type: Option<String>,
    /// Paths to values of its body, which is JSON, that are shown. Where there are none, the body may be anything.
    pub reveal: Vec<Path>,
    /// Claims about values of that body, which stay hidden.
    pub claims: Vec<Claim>,
    /// The program that reads the body, which is then hidden whole, and not read as JSON.
    pub program: Option<BodyProgram>,
    /// The kinds of things that a prover may add of its own choice. Where there are some, the body is JSON.
    pub choose: Choose,
}

/// The kinds of things that a prover may choose.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Choose {
    /// Paths to values that are shown.
    pub reveal: bool,
    /// Claims.
    pub claims: bool,
}

/// A policy: what is asked of whom, and what may be hidden of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy(Wanted);

/// Whether a type, in lower case, is one of JSON (RFC 8259 section 11, RFC 6839 section 3.1).
fn is_json(essence: &str) -> bool {
    essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json")
}

/// A field that a request may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedField {
    /// The name, in lower case.
    pub name: String,
    /// Whether its value may be hidden.
    pub may_hide: bool,
}

/// A request and its response, as a session shows them under a policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// The request.
    pub request: Request,
    /// The response, with its body as far as it is shown.
    pub response: Response,
    /// The values at the paths of the policy, in its order.
    pub revealed: Vec<Revealed>,
    /// The claims of the policy, which hold where the proof does.
    pub claims: Vec<String>,
    /// Values and claims that the prover chose, and the policy does not ask for: they hold, too, and say no more than
    /// what they say.
    pub chosen: Chosen,
    /// Whether the body was read as JSON, and not as bytes.
    pub is_json: bool,
    /// The run of the program that read the body, where the policy has one.
    pub program: Option<ReadByProgram>,
    /// The part of the claims that is for the circuit, by places in the response's data.
    pub(crate) comparisons: Vec<Comparison<usize>>,
    /// The values of the body that are hidden whole, by pieces of the response's data.
    pub(crate) pieces: Vec<Piece>,
}

/// Values that a prover shows of its own choice, and claims that it makes.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The values at the paths.
    pub revealed: Vec<Revealed>,
    /// The claims.
    pub claims: Vec<String>,
}

/// A [`Choice`] that a policy allows.
#[derive(Default)]
struct ReadChoice {
    reveal: Vec<Path>,
    claims: Vec<Claim>,
}

/// A body, as it was read.
#[derive(Default)]
pub(crate) struct ReadBody {
    pub(crate) revealed: Vec<Revealed>,
    pub(crate) chosen: Chosen,
    pub(crate) comparisons: Vec<Comparison<usize>>,
    pub(crate) pieces: Vec<Piece>,
}

/// A value of the response's body that a policy wants to see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Revealed {
    /// The path to it.
    pub path: String,
    /// The value, as the server wrote it.
    pub text: String,
}

/// Reasons for which a session is not what a policy wants: which message, and what of it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unwanted {
    /// The request is malformed.
    #[error("the request: {0}")]
    Request(Malformed),
    /// The response is malformed.
    #[error("the response: {0}")]
    Response(Malformed),
    /// The request is of something else.
    #[error("the request is not `{wanted}`, but `{found}`")]
    Target {
        /// The start line that the policy wants.
        wanted: String,
        /// The one that was sent.
        found: String,
    },
    /// The request has a field that the policy does not name.
    #[error("the request has a field {0}, which the policy does not name")]
    Field(String),
    /// The request hides a field that it has to show.
    #[error("the request hides its field {0}, which the policy wants to see")]
    Hides(String),
    /// A field has not the value that it has to have.
    #[error("the request's field {name} is not `{wanted}`")]
    Value {
        /// The name of the field.
        name: &'static str,
        /// The value that it has to have.
        wanted: String,
    },
    /// The response hides a field that it has to show.
    #[error("the response hides its field {0}, which the policy wants to see")]
    HidesAnswered(String),
    /// The status is another.
    #[error("the response has status {0}, which the policy does not name")]
    Status(u16),
    /// The body is no JSON that proves something.
    #[error("the response's body: {0}")]
    Json(json::Malformed),
    /// A claim is about no value that there is.
    #[error("the claim {claim}: {why}")]
    NoValueOfClaim {
        /// The claim.
        claim: String,
        /// The reason.
        why: NoValue,
    },
    /// The prover chooses what it may not.
    #[error(
        "the prover adds {0} of its own choice, which the policy does not allow: `choose` names what it may add"
    )]
    Chooses(&'static str),
    /// Something that the prover chooses makes no sense, or is too much.
    #[error("the prover's own choice: {0}")]
    Choice(String),
    /// A claim does not hold, as the shown bytes say.
    #[error("the claim {0} does not hold")]
    Claim(String),
    /// A value is not there.
    #[error("the response has no value at {0}")]
    NoValue(String),
    /// A value is not shown.
    #[error("the value at {0} is hidden, which the policy wants to see")]
    HidesValue(String),
    /// The content is not said to be JSON in UTF-8, as which it would be read.
    #[error("the response is of the type {0:?}, and not JSON in UTF-8, as which the policy reads it")]
    NoJson(String),
    /// The content is of another type.
    #[error("the response is not of the type {0}")]
    Type(String),
    /// The body is not hidden for the program that reads it.
    #[error("the response's body is not hidden whole, as it is where a program reads it")]
    BodyNotRead,
    /// The policy has no program, and something is said to be given out by one.
    #[error("{0} bytes are said to be given out by a program, and the policy has none")]
    Output(usize),
    /// The program does not end as it has to, whatever the body says.
    #[error("the program that reads the response's body: {0}")]
    Program(String),
    /// The answer is too old.
    #[error("the response: {0}")]
    Stale(Stale),
}

impl Policy {
    /// The policy of these parts.
    ///
    /// # Errors
    /// `Invalid` where the target is not in origin form, a name is not in lower case, there is no cipher suite or one
    /// twice, or a field is one that changes what is answered, or how.
    pub fn new(wanted: Wanted) -> Result<Self> {
        let Wanted { host, suites, target, fields, shown_fields, status, .. } = &wanted;
        let is_visible = |text: &str| text.bytes().all(|byte| (0x21..0x7f).contains(&byte));
        if !target::is_target(target) {
            return Err(Error::invalid(format!(
                "{target:?} is no target of a request in origin form, in which {{hidden}} stands for a whole segment or \
                 value"
            )));
        }
        if host.is_empty()
            || !is_visible(host)
            || host.contains('@')
            || host.contains(|c: char| c.is_ascii_uppercase())
        {
            return Err(Error::invalid(format!("{host:?} is no name of a server, in lower case")));
        }
        if suites.is_empty() || (1..suites.len()).any(|i| suites[..i].contains(&suites[i])) {
            return Err(Error::invalid("a policy has one cipher suite or more, and none of them twice"));
        }
        for AllowedField { name, .. } in fields {
            if NEVER.contains(&&name[..]) || NEVER_WITHIN.iter().any(|part| name.contains(part)) {
                return Err(Error::invalid(format!("a request with the field {name} proves nothing")));
            }
            if ["host", "connection", "accept-encoding"].contains(&&name[..]) {
                return Err(Error::invalid(format!("the field {name} is as each request has it")));
            }
        }
        for name in fields.iter().map(|field| &field.name).chain(shown_fields) {
            if name.is_empty()
                || !is_visible(name)
                || name.contains(|c: char| c.is_ascii_uppercase() || c == ':')
            {
                return Err(Error::invalid(format!("{name:?} is no name of a field, in lower case")));
            }
        }
        if status.is_empty() {
            return Err(Error::invalid("a policy without a status takes no answer"));
        }
        if let Some(status) = status.iter().find(|status| !is_provable(**status)) {
            return Err(Error::invalid(format!("no response of status {status} can be proved")));
        }
        let policy = Self(wanted);
        if policy.0.program.is_some() && policy.reads_json() {
            return Err(Error::invalid(
                "a body that a program reads is not read as JSON: leave out `reveal` and `claims`, and have the program \
                 give out or demand what they say",
            ));
        }
        if let Some(wanted) = &policy.0.content_type {
            let is_type = wanted.contains('/') && !wanted.contains([';', ' ', '\t']) && is_visible(wanted);
            if !is_type || policy.reads_json() && !is_json(&wanted.to_ascii_lowercase()) {
                let what = if is_type { "JSON" } else { "without parameters" };
                return Err(Error::invalid(format!("{wanted:?} is no type of content {what}")));
            }
        }
        Ok(policy)
    }

    /// The parts of it.
    pub(crate) const fn wanted(&self) -> &Wanted {
        &self.0
    }

    /// The name of the server.
    pub fn host(&self) -> &str {
        &self.0.host
    }

    /// The port of the server.
    pub const fn port(&self) -> u16 {
        self.0.port
    }

    /// The cipher suites that the client offers, in this order.
    pub fn suites(&self) -> &[Suite] {
        &self.0.suites
    }

    /// The target of the request.
    pub fn target(&self) -> &str {
        &self.0.target
    }

    /// The value of Host (RFC 9110 section 7.2).
    fn authority(&self) -> String {
        if self.0.port == 443 { self.0.host.clone() } else { format!("{}:{}", self.0.host, self.0.port) }
    }

    /// The request, with these fields beside those that each has. Values are bytes from 0x20 on.
    ///
    /// # Errors
    /// `Invalid` where a field is none that the policy names, or its value would end its line.
    pub fn request(&self, fields: &[(&str, &[u8])]) -> Result<Zeroizing<Vec<u8>>> {
        self.request_for(&[], fields)
    }

    /// The request for a target with these words where some are hidden.
    ///
    /// # Errors
    /// As for [`Policy::request`]; `Invalid` where there are more words, or fewer, or one is none.
    pub fn request_for(&self, hidden: &[&[u8]], fields: &[(&str, &[u8])]) -> Result<Zeroizing<Vec<u8>>> {
        let words = target::words(&self.0.target);
        if hidden.len() != words {
            return Err(Error::invalid(format!(
                "the policy hides {words} words of the target, and {} are given",
                hidden.len()
            )));
        }
        let target = target::with(&self.0.target, hidden).ok_or_else(|| {
            Error::invalid("a hidden word of the target has letters, digits, - and _ alone, 256 at most")
        })?;
        let rest = format!(" HTTP/1.1\r\nhost: {}\r\n", self.authority());
        let rest = [rest.as_bytes(), b"accept-encoding: identity\r\nconnection: close\r\n"].concat();
        let start = Zeroizing::new([b"GET ", &target[..], &rest[..]].concat());
        // Never moved, so that wiping it wipes all of it.
        let lines = fields.iter().map(|(name, value)| name.len() + value.len() + 4);
        let mut bytes = Zeroizing::new(Vec::with_capacity(start.len() + lines.sum::<usize>() + 2));
        bytes.extend_from_slice(&start);
        for (name, value) in fields {
            if !self.0.fields.iter().any(|allowed| allowed.name == *name) {
                return Err(Error::invalid(format!("the policy has no field {name}")));
            }
            if value.iter().any(|byte| *byte < 0x20 || *byte == 0x7f) {
                return Err(Error::invalid(format!("the value of {name} has a byte that ends its line")));
            }
            [name.as_bytes(), b": ", value, b"\r\n"].iter().for_each(|part| bytes.extend_from_slice(part));
        }
        bytes.extend(b"\r\n");
        Ok(bytes)
    }

    /// The spans of a request: all of it is shown, but for the values that may be hidden.
    pub fn request_spans(&self, request: &[u8]) -> Vec<Span> {
        let is_hidden = |name: &str| self.0.fields.iter().any(|field| field.may_hide && field.name == name);
        let mut spans = value_spans(request, &is_hidden);
        let begin = "GET ".len();
        let places = target::hidden_in(&self.0.target, request.get(begin..).unwrap_or_default());
        let words = places.into_iter().filter(|place| !place.is_empty());
        spans.extend(words.map(|place| Span::hidden(begin + place.start..begin + place.end, Hidden::Word)));
        spans.push(Span::shown(0..request.len()));
        spans
    }

    /// Reads what the data in an opening says under the policy.
    ///
    /// # Errors
    /// What of it the policy does not want.
    pub fn read(&self, opening: &Opening) -> Result<Exchange, Unwanted> {
        let mut exchange = self.read_but_output(opening)?;
        exchange.give_out(&opening.output)?;
        Ok(exchange)
    }

    /// Reads what the data in an opening says under the policy, but for the output of a program, which is not known yet.
    ///
    /// # Errors
    /// What of it the policy does not want.
    pub(crate) fn read_but_output(&self, opening: &Opening) -> Result<Exchange, Unwanted> {
        let request = request(&skeleton(&opening.client)).map_err(Unwanted::Request)?;
        self.check_request(&request)?;
        let response = response(&skeleton(&opening.server)).map_err(Unwanted::Response)?;
        self.check_response(&response)?;
        let read = self.read_body(&response, &opening.choice)?;
        let ReadBody { revealed, chosen, comparisons, pieces } = read;
        let program = self.program().map(|program| examined(program, &response)).transpose()?;
        let claims = self.0.claims.iter().map(Claim::to_string).collect();
        let is_json = self.reads_json();
        Ok(Exchange { request, response, revealed, claims, chosen, is_json, program, comparisons, pieces })
    }

    /// The program that reads the body, if there is one.
    pub const fn program(&self) -> Option<&BodyProgram> {
        self.0.program.as_ref()
    }

    /// The most bytes that all claims take where they are held, those that a prover may choose included, and the program's
    /// memory.
    pub(crate) fn bytes_of_claims(&self) -> u64 {
        let of_choice = if self.0.choose.claims { MOST_BYTES_OF_CHOICE } else { 0 };
        let claims = self.0.claims.iter().map(Claim::bytes).sum::<u64>() + of_choice;
        claims.saturating_add(self.program().map_or(0, BodyProgram::most_memory))
    }

    /// The most ANDs of the claims, those that a prover may choose included, and of the program.
    pub(crate) fn ands_of_claims(&self) -> u64 {
        let of_choice = if self.0.choose.claims { MOST_ANDS_OF_CHOICE } else { 0 };
        let claims = self.0.claims.iter().map(Claim::most_ands).sum::<u64>() + of_choice;
        claims.saturating_add(self.program().map_or(0, BodyProgram::most_ands))
    }

    /// Whether the body is read as JSON, and not as bytes.
    pub fn reads_json(&self) -> bool {
        let Choose { reveal, claims } = self.0.choose;
        !self.0.reveal.is_empty() || !self.0.claims.is_empty() || reveal || claims
    }

    /// Checks that a prover may choose this, as far as that does not depend on the answer.
    ///
    /// # Errors
    /// `Invalid` where it may not, or something of it is no path, or no claim.
    pub fn check_choice(&self, choice: &Choice) -> Result<()> {
        self.read_choice(choice).map(drop).map_err(|why| Error::invalid(why.to_string()))
    }

    /// The paths and claims that a prover chooses, where it may.
    fn read_choice(&self, choice: &Choice) -> Result<ReadChoice, Unwanted> {
        let Choose { reveal, claims } = self.0.choose;
        for (may, chosen, what) in [(reveal, choice.reveal(), "paths"), (claims, choice.claims(), "claims")] {
            if !may && !chosen.is_empty() {
                return Err(Unwanted::Chooses(what));
            }
        }
        let reveal = choice.reveal().iter().map(|path| path.parse()).collect::<Result<_, _>>();
        let claims = choice.claims().iter().map(|claim| claim.parse()).collect::<Result<Vec<Claim>, _>>();
        let claims: Vec<Claim> = claims.map_err(Unwanted::Choice)?;
        if claims.iter().filter(|claim| claim.is_expression()).count() > MOST_EXPRESSIONS {
            let why = format!("of the claims at most {MOST_EXPRESSIONS} have an expression");
            return Err(Unwanted::Choice(why));
        }
        Ok(ReadChoice { reveal: reveal.map_err(Unwanted::Choice)?, claims })
    }

    /// The values that the policy wants to see, and those that the prover chose; and what of all claims is for the
    /// circuit.
    pub(crate) fn read_body(&self, response: &Response, choice: &Choice) -> Result<ReadBody, Unwanted> {
        let choice = self.read_choice(choice)?;
        if !self.reads_json() {
            return Ok(Default::default());
        }
        let body = &response.body;
        let json = Json::read(body).map_err(Unwanted::Json)?;
        let value = |path: &Path| {
            let value = json.at(path).ok_or_else(|| Unwanted::NoValue(path.to_string()))?;
            let shown: Option<Vec<u8>> = body[value.range.clone()].iter().map(|byte| byte.shown()).collect();
            let shown = shown.and_then(|shown| String::from_utf8(shown).ok());
            let text = shown.ok_or_else(|| Unwanted::HidesValue(path.to_string()))?;
            Ok(Revealed { path: path.to_string(), text })
        };
        let values = |paths: &[Path]| paths.iter().map(value).collect::<Result<Vec<_>, _>>();
        let revealed = values(&self.0.reveal)?;
        let settled = |claim: &Claim| match claim.settle(&json, body) {
            Ok(Settled::Publicly(true)) => Ok(None),
            Ok(Settled::Publicly(false)) => Err(Unwanted::Claim(claim.to_string())),
            Ok(Settled::By(comparison)) => Ok(Some(comparison)),
            Err(why) => Err(Unwanted::NoValueOfClaim { claim: claim.to_string(), why }),
        };
        let mut comparisons = Vec::new();
        for claim in &self.0.claims {
            comparisons.extend(settled(claim)?);
        }
        let mut ands = 0;
        for claim in &choice.claims {
            let Some(comparison) = settled(claim)? else { continue };
            // What a policy itself asks for is in its terms' own bound.
            ands += comparison.ands();
            if ands > MOST_ANDS_OF_CHOICE {
                let why = format!("its claims take more than {MOST_ANDS_OF_CHOICE} ANDs");
                return Err(Unwanted::Choice(why));
            }
            comparisons.push(comparison);
        }
        let place = |at: usize| response.places(at..at + 1)[0].start;
        let comparisons = comparisons.into_iter().map(|comparison| comparison.map(place)).collect();
        let chosen = Chosen {
            revealed: values(&choice.reveal)?,
            claims: choice.claims.iter().map(Claim::to_string).collect(),
        };
        let mut pieces = Vec::new();
        for value in json.values.iter().filter(|value| value.kind == Kind::Hidden) {
            let places = response.places(value.range.clone());
            let last = places.len() - 1;
            pieces.extend(places.into_iter().enumerate().map(|(i, range)| Piece {
                range,
                begins: i == 0,
                ends: i == last,
            }));
        }
        Ok(ReadBody { revealed, chosen, comparisons, pieces })
    }

    /// Whether a response has to show its field of this name, in lower case.
    fn shows(&self, name: &str) -> bool {
        ALWAYS_SHOWN.contains(&name) || self.0.shown_fields.iter().any(|shown| shown == name)
    }

    /// The spans of a response: its head, in which all values are hidden but those that have to be shown; and of its
    /// body, where the policy wants values of it, these and the way to them, and where a program reads it, nothing.
    ///
    /// # Errors
    /// `Invalid` where it is malformed.
    pub fn response_spans(&self, data: &[u8]) -> Result<Vec<Span>> {
        self.response_spans_with(Choice::none(), data)
    }

    /// The spans of a response, of which a prover shows and claims more by its own choice.
    ///
    /// # Errors
    /// As for [`Policy::response_spans`], and [`Policy::check_choice`].
    pub fn response_spans_with(&self, choice: &Choice, data: &[u8]) -> Result<Vec<Span>> {
        let choice = self.read_choice(choice).map_err(|why| Error::invalid(why.to_string()))?;
        let bytes: Vec<_> = data.iter().map(|byte| Byte::Shown(*byte)).collect();
        let response = response(&bytes).map_err(|why| Error::invalid(Unwanted::Response(why).to_string()))?;
        let end = data.windows(4).position(|four| four == b"\r\n\r\n").map_or(data.len(), |at| at + 4);
        // The start line is no field, whatever it has of colons.
        let start = data.iter().position(|byte| *byte == b'\n').map_or(end, |at| at + 1);
        let mut spans = vec![Span::shown(0..start)];
        spans.extend(value_spans(&data[..end], &|name| !self.shows(name)));
        if !self.reads_json() {
            // Chunks are framed in between.
            let mut begin = 0;
            for piece in &response.pieces {
                spans.push(Span::shown(begin..piece.start));
                if self.program().is_some() {
                    spans.push(Span::hidden(piece.clone(), Hidden::Read));
                }
                begin = piece.end;
            }
            spans.push(Span::shown(begin..data.len()));
            return Ok(spans);
        }
        let mut body = Zeroizing::new(Vec::with_capacity(response.body.len()));
        response.pieces.iter().for_each(|piece| body.extend_from_slice(&data[piece.clone()]));
        let claims = self.0.claims.iter().chain(&choice.claims);
        let claimed = claims.map(|claim| claim.path().clone()).collect::<Vec<_>>();
        let parts = hide(&body, &[&self.0.reveal[..], &choice.reveal].concat(), &claimed)
            .map_err(|why| Error::invalid(Unwanted::Json(why).to_string()))?;
        for HiddenPart { range, hidden } in parts {
            spans.extend(response.places(range).into_iter().map(|place| Span::hidden(place, hidden)));
        }
        spans.push(Span::shown(0..data.len()));
        Ok(spans)
    }

    fn check_request(&self, request: &Request) -> Result<(), Unwanted> {
        let wanted = format!("GET {} HTTP/1.1", self.0.target);
        if request.method != "GET" || !target::is_of(&self.0.target, &request.target) {
            return Err(Unwanted::Target { wanted, found: request.head.start.clone() });
        }
        let fixed = [
            ("host", self.authority()),
            ("connection", "close".into()),
            ("accept-encoding", "identity".into()),
        ];
        for (name, wanted) in &fixed {
            let found = request.head.fields.iter().find(|field| field.name == *name);
            if found.and_then(|field| field.shown()).as_ref() != Some(wanted) {
                return Err(Unwanted::Value { name, wanted: wanted.clone() });
            }
        }
        let others =
            request.head.fields.iter().filter(|field| fixed.iter().all(|(name, _)| field.name != *name));
        for field in others {
            let allowed = self.0.fields.iter().find(|allowed| allowed.name == field.name);
            let allowed = allowed.ok_or_else(|| Unwanted::Field(field.name.clone()))?;
            if !allowed.may_hide && !field.is_shown() {
                return Err(Unwanted::Hides(field.name.clone()));
            }
        }
        Ok(())
    }

    fn check_response(&self, response: &Response) -> Result<(), Unwanted> {
        if !self.0.status.contains(&response.status) {
            return Err(Unwanted::Status(response.status));
        }
        for field in &response.head.fields {
            if self.shows(&field.name) && !field.is_shown() {
                return Err(Unwanted::HidesAnswered(field.name.clone()));
            }
        }
        let found = response.content();
        let mut parts = found.split(';').map(|part| part.trim_matches([' ', '\t']));
        let essence = parts.next().unwrap_or_default();
        if let Some(wanted) = &self.0.content_type
            && !essence.eq_ignore_ascii_case(wanted)
        {
            return Err(Unwanted::Type(wanted.clone()));
        }
        let is_utf8 = |part: &str| {
            part.strip_prefix("charset").is_none_or(|set| matches!(set, "=utf-8" | "=\"utf-8\""))
        };
        if self.reads_json() && !(is_json(essence) && parts.all(is_utf8)) {
            return Err(Unwanted::NoJson(found));
        }
        Ok(())
    }

    /// A digest of the policy, which the digest of a statement under it is of.
    pub fn digest(&self) -> [u8; 32] {
        let Wanted { host, port, suites, target, fields, shown_fields, status, content_type, .. } = &self.0;
        let Wanted { reveal, claims, program, choose, .. } = &self.0;
        let mut digest = Sha256::new();
        let mut add = |bytes: &[u8]| {
            digest.update((bytes.len() as u64).to_be_bytes());
            digest.update(bytes);
        };
        add(b"volery web policy 3");
        add(host.as_bytes());
        add(&port.to_be_bytes());
        add(&suites.iter().flat_map(|suite| suite.number().to_be_bytes()).collect::<Vec<_>>());
        add(target.as_bytes());
        add(&(fields.len() as u64).to_be_bytes());
        for AllowedField { name, may_hide } in fields {
            add(name.as_bytes());
            add(&[(*may_hide).into()]);
        }
        add(&(shown_fields.len() as u64).to_be_bytes());
        shown_fields.iter().for_each(|name| add(name.as_bytes()));
        add(&status.iter().flat_map(|status| status.to_be_bytes()).collect::<Vec<_>>());
        add(&[content_type.is_some().into()]);
        add(content_type.as_deref().unwrap_or_default().as_bytes());
        add(&(reveal.len() as u64).to_be_bytes());
        reveal.iter().for_each(|path| add(path.to_string().as_bytes()));
        add(&(claims.len() as u64).to_be_bytes());
        claims.iter().for_each(|claim| add(claim.to_string().as_bytes()));
        add(&[program.is_some().into()]);
        program.iter().for_each(|program| add(&program.digest()));
        add(&[choose.reveal.into(), choose.claims.into()]);
        digest.finalize().into()
    }
}

/// The run of a program on the body of a response, as far as the length of that tells.
fn examined(program: &BodyProgram, response: &Response) -> Result<ReadByProgram, Unwanted> {
    if !response.body.iter().all(|byte| *byte == Byte::Hidden(Hidden::Read)) {
        return Err(Unwanted::BodyNotRead);
    }
    let examined = program.examine(response.body.len());
    let Examined { cycles, output, ands } = examined.map_err(|why| Unwanted::Program(why.to_string()))?;
    let (sha256, output) = (*program.sha256(), vec![0; output]);
    Ok(ReadByProgram { sha256, output, instructions: cycles, ands })
}

impl Exchange {
    /// Has the program, if there is one, give out `output`.
    pub(crate) fn give_out(&mut self, output: &[u8]) -> Result<(), Unwanted> {
        let Some(program) = &mut self.program else {
            return if output.is_empty() { Ok(()) } else { Err(Unwanted::Output(output.len())) };
        };
        let (due, said) = (program.output.len(), output.len());
        if due != said {
            return Err(Unwanted::Program(format!("it gives out {due} bytes, and not {said}")));
        }
        program.output.copy_from_slice(output);
        Ok(())
    }

    /// The names of the fields whose values are hidden, of the request and of the response; `target` where words of it
    /// are.
    pub fn hidden(&self) -> [Vec<String>; 2] {
        let mut hidden = [&self.request.head, &self.response.head].map(|head| {
            let hidden = head.fields.iter().filter(|field| !field.is_shown());
            hidden.map(|field| field.name.clone()).collect::<Vec<_>>()
        });
        if self.request.target.iter().any(|byte| byte.shown().is_none()) {
            hidden[0].insert(0, "target".into());
        }
        hidden
    }

    /// The head of the request and of the response, as text for people.
    pub fn heads(&self) -> [String; 2] {
        [&self.request.head, &self.response.head].map(Head::text)
    }
}

#[cfg(test)]
mod tests;
