//! A whole web proof on one link: the connection to the server, the opening, and the proof of it. Behind the terms the
//! link is two, which run beside each other: one has the messages of [`tunnel`](crate::tunnel), the other those of the
//! proof system ([`beside`](crate::beside)).

use crate::beside::{Proving, Verifying};
use crate::client::{self, Connection, Fetched, fetch};
use crate::error::{Error, Place, Refusal, Result, Whose, Why};
use crate::freshness::Freshness;
use crate::http::{self, Progress, Response};
use crate::opened::{Opened, Span};
use crate::opening::{Choice, Opening};
use crate::policy::{Exchange, Policy, Unwanted};
use crate::record::{Kept, SignedRecord, Signer};
use crate::recording::{Recording, RecordingDigest, Side};
use crate::skeleton::Byte;
use crate::statement::Statement;
pub use crate::terms::{Signing, Terms};
use crate::tls::{self, Expected, Roots, Suite};
use crate::tunnel::{
    Relayed, Tunnel, receive_answer, receive_opening, receive_record, refuse, relay, send_kept, send_opening,
    send_record, take_opening,
};
use core::ops::Range;
use rustls::pki_types::UnixTime;
use sha2::{Digest, Sha256};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::time::SystemTime;
use volery::channel::{Fork, Identity, Link, fork};
use volery::{Accepted, Options, Report};
use zeroize::Zeroizing;

/// The time as certificates are looked at.
pub type Time = UnixTime;

/// A clock.
pub type Clock = fn() -> Time;

/// The time of this machine.
pub fn now() -> Time {
    UnixTime::now()
}

impl Terms<'_> {
    /// Step 0 of a prover, which `proves` something or wants a record alone: compares the terms, and makes two links of
    /// one, for the tunnel, and for the proof system.
    ///
    /// # Errors
    /// `Disagreed` where they differ; `Io`.
    pub fn begin(&self, mut link: impl Link + 'static, proves: bool) -> Result<[Fork; 2]> {
        self.agree(&mut link, Some(proves))?;
        two_of(link)
    }

    /// The digest of a proof of `statement`, which binds all terms, too.
    pub fn digest_with(&self, statement: &Statement) -> [u8; 32] {
        Sha256::new().chain_update(self.digest()).chain_update(statement.digest()).finalize().into()
    }
}

/// Two links of one.
fn two_of(link: impl Link + 'static) -> Result<[Fork; 2]> {
    fork(Box::new(link)).map_err(Error::io("making two links of one"))
}

/// A session as the verifier knows it, once the prover has opened what decides it: nothing of what is shown is proved
/// yet.
pub struct Seen {
    /// The request and the response, as far as they are shown.
    pub exchange: Exchange,
    /// The age of the answer, as it says itself: not further from the verifier's clock than the terms allow.
    pub freshness: Freshness,
    /// The address to which the verifier connected.
    pub address: SocketAddr,
    /// The time at which the connection began.
    pub opened: SystemTime,
    /// The time at which it was closed.
    pub closed: SystemTime,
    /// The cipher suite of the session.
    pub suite: Suite,
    /// The server's certificate, in DER.
    pub certificate: Vec<u8>,
    /// The digests of the recording.
    pub recording: RecordingDigest,
    /// The record that was signed, where the terms ask for one.
    pub record: Option<SignedRecord>,
}

/// The verifier's outcome, which says what the server answered.
pub struct Verdict {
    /// The session, of which all that is shown is proved.
    pub seen: Seen,
    /// The proof's own verdict, without which there is none.
    pub accepted: Accepted,
    /// The proof's report.
    pub report: Report,
}

/// A session that the prover has opened, and is going to prove something of.
pub struct Unproved {
    ends: Both,
    seen: Seen,
    statement: Statement,
    digest: [u8; 32],
}

/// The outcome of a connection of which a record is signed.
pub enum Received {
    /// The prover opened it.
    Opened(Box<Unproved>),
    /// The prover kept the record, and opened nothing: whoever gets a file of it verifies that.
    Kept(Box<SignedRecord>),
}

/// Forwards a prover's connection, and verifies what it proves of it, as `options` say. `connect` makes the connection
/// to the server: [`tunnel::connect`](crate::tunnel::connect), but in tests.
///
/// # Errors
/// Those of [`receive`]; `Proof` where the proof fails.
pub fn verify(
    link: impl Link + 'static,
    terms: &Terms<'_>,
    clock: Clock,
    options: &Options,
    connect: &mut dyn FnMut() -> Result<TcpStream>,
) -> Result<Verdict> {
    receive(link, terms, clock, options, connect)?.verify()
}

/// Forwards a prover's connection, and receives what it opens of it: all of [`verify`] before the proof, which is set up
/// as `options` say.
///
/// # Errors
/// `Refused` where the session proves nothing, `Unwanted` where it is not what the policy wants, which the prover is
/// told; `Io`; `Invalid` where the terms ask for a record, for which there is [`receive_and_sign`].
pub fn receive(
    link: impl Link + 'static,
    terms: &Terms<'_>,
    clock: Clock,
    options: &Options,
    connect: &mut dyn FnMut() -> Result<TcpStream>,
) -> Result<Unproved> {
    if terms.signing != Signing::Nothing {
        return Err(Error::invalid("a record is asked for, and there is no key to sign it by"));
    }
    let (forwarded, opening) = Forwarded::of(link, terms, clock, options, connect)?.opening(false)?;
    forwarded.check(&opening.expect("an opening is due"), terms, None)
}

/// Forwards a prover's connection, signs a record of it where the terms ask for one, and receives what is opened, if
/// anything is.
///
/// # Errors
/// As for [`receive`]; `Invalid`, too, where the signer's service has no name that it may have; those of who is told of
/// the record.
pub fn receive_and_sign(
    link: impl Link + 'static,
    terms: &Terms<'_>,
    clock: Clock,
    options: &Options,
    connect: &mut dyn FnMut() -> Result<TcpStream>,
    signer: &mut Signer<'_>,
) -> Result<Received> {
    if terms.signing == Signing::Nothing {
        return receive(link, terms, clock, options, connect)
            .map(|unproved| Received::Opened(unproved.into()));
    }
    let mut forwarded = Forwarded::of(link, terms, clock, options, connect)?;
    let is_named = terms.signing == Signing::RecordOfProver;
    let connection = (forwarded.address, forwarded.times.map(|time| time.as_secs()));
    let record = match signer.sign(terms.policy, &forwarded.recording, connection, is_named) {
        Ok(record) => record,
        Err(why) => return Err(forwarded.ends.refuse(why)),
    };
    if let Err(why) = send_record(&mut forwarded.ends.tunnel, &record) {
        return Err(forwarded.ends.fail(why));
    }
    Ok(match forwarded.opening(true)? {
        (_, None) => Received::Kept(record.into()),
        (forwarded, Some(opening)) => {
            Received::Opened(forwarded.check(&opening, terms, Some(record))?.into())
        }
    })
}

/// The verifier's ends of both links: of the tunnel, and of the proof system, where something is to be proved.
struct Both {
    tunnel: Fork,
    verifying: Option<Verifying>,
}

impl Both {
    /// Tells the prover an error, and ends both.
    fn refuse(mut self, why: Error) -> Error {
        refuse(&mut self.tunnel, &why);
        self.fail(why)
    }

    /// Ends both, and says why: what the proof system found may count more.
    fn fail(self, why: Error) -> Error {
        match self.verifying {
            Some(verifying) => verifying.cause(why),
            None => why,
        }
    }
}

/// A connection that was forwarded, with the times by the verifier's clock at which it began and ended.
struct Forwarded {
    ends: Both,
    recording: Recording,
    address: SocketAddr,
    opened: SystemTime,
    closed: SystemTime,
    times: [Time; 2],
}

impl Forwarded {
    /// Steps 0 to 4 of the verifier.
    fn of(
        mut link: impl Link + 'static,
        terms: &Terms<'_>,
        clock: Clock,
        options: &Options,
        connect: &mut dyn FnMut() -> Result<TcpStream>,
    ) -> Result<Self> {
        let proves = terms.agree(&mut link, None)?;
        let [tunnel, beside] = two_of(link)?;
        let verifying = proves.then(|| Verifying::start(beside, terms, options)).transpose()?;
        let mut ends = Both { tunnel, verifying };
        // Certificates are looked at as of when the connection was made, and not of when somebody began to wait for it.
        let mut opened = None;
        let mut connect = || {
            let server = connect()?;
            opened = Some(clock());
            Ok(server)
        };
        let Terms { policy, limits, .. } = terms;
        let relayed = relay(&mut ends.tunnel, policy.host(), policy.suites(), limits, &mut connect);
        let Relayed { recording, address, opened: from, closed } = match relayed {
            Ok(relayed) => relayed,
            Err(why) => return Err(ends.refuse(why)),
        };
        let times = [opened.expect("a connection"), clock()];
        Ok(Self { ends, recording, address, opened: from, closed, times })
    }

    /// Step 5: receives what the prover opens, if it does, which one that has a record need not.
    fn opening(mut self, has_record: bool) -> Result<(Self, Option<Opening>)> {
        let opening = receive_opening(&mut self.ends.tunnel, &self.recording, has_record);
        let why = match opening {
            Ok(opening) if opening.is_some() == self.ends.verifying.is_some() => return Ok((self, opening)),
            Ok(_) => {
                let why = "the prover does not do what it said: to prove something, or to keep a record";
                Error::io("waiting for the opening")(io::Error::new(ErrorKind::InvalidData, why))
            }
            Err(why) => why,
        };
        Err(self.ends.refuse(why))
    }

    /// Checks what the prover opens: step 6 of the verifier.
    fn check(self, opening: &Opening, terms: &Terms<'_>, record: Option<SignedRecord>) -> Result<Unproved> {
        let checked = Checked::of(&self.recording, opening, terms, self.times);
        let Self { ends, recording, address, opened, closed, .. } = self;
        let Checked { suite, certificate, exchange, freshness, statement } = match checked {
            Ok(checked) => checked,
            Err(why) => return Err(ends.refuse(why)),
        };
        let recording = recording.digest();
        let seen =
            Seen { exchange, freshness, address, opened, closed, suite, certificate, recording, record };
        let digest = terms.digest_with(&statement);
        Ok(Unproved { ends, seen, statement, digest })
    }
}

impl Unproved {
    /// The session, as the prover says that it is.
    pub const fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The digest of the terms and of all that is going to be proved.
    pub const fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Tells the prover that the verifier does not go on, and gives back why: or what counts more, where the prover has
    /// cheated before.
    pub fn refuse(self, why: Error) -> Error {
        self.ends.refuse(why)
    }

    /// Verifies the proof: step 7.
    ///
    /// # Errors
    /// `Proof` where it fails; `Io`.
    pub fn verify(self) -> Result<Verdict> {
        let Self { mut ends, seen, statement, digest } = self;
        if let Err(why) = take_opening(&mut ends.tunnel) {
            return Err(ends.fail(why));
        }
        let verifying = ends.verifying.expect("something is to be proved");
        let (accepted, report) = verifying.verify(statement, digest)?;
        Ok(Verdict { seen, accepted, report })
    }
}

/// An opening that a proof may be about: of a session that is verified, and as the policy wants it.
pub(crate) struct Checked {
    pub(crate) suite: Suite,
    pub(crate) certificate: Vec<u8>,
    pub(crate) exchange: Exchange,
    pub(crate) freshness: Freshness,
    pub(crate) statement: Statement,
}

impl Checked {
    /// Checks an opening of a recording of a connection that was opened and closed at these times.
    ///
    /// # Errors
    /// `Refused` where the session proves nothing; `Unwanted` where it is not what the policy wants.
    pub(crate) fn of(
        recording: &Recording,
        opening: &Opening,
        terms: &Terms<'_>,
        times: [Time; 2],
    ) -> Result<Self> {
        let Terms { policy, roots, limits, form, .. } = *terms;
        let expected = Expected { name: policy.host(), suites: policy.suites(), roots, time: times[0] };
        let session = tls::verify(recording, &opening.secrets, &expected)?;
        // First of all the plan: what fits the records is no longer than they are.
        let statement = Statement::new(recording, &session, opening, form)?;
        let exchange = policy.read(opening)?;
        let freshness =
            Freshness::of(&exchange.response.head, times, limits.clock).map_err(Unwanted::Stale)?;
        let statement = of_body(statement, opening, policy, &exchange);
        let (suite, certificate) = (session.suite, session.certificate);
        Ok(Self { suite, certificate, exchange, freshness, statement })
    }
}

/// The prover's own part of a web proof, beside the terms.
pub struct Asking<'a> {
    /// The authorities that the prover believes, whatever the terms say: the verifier may have written those.
    pub roots: &'a Roots,
    /// The words that are hidden in the policy's target.
    pub words: &'a [&'a [u8]],
    /// Fields of the request that the policy names, with their values.
    pub fields: &'a [(&'a str, &'a [u8])],
    /// The paths and claims that the prover adds of its own choice, where the policy lets it.
    pub choice: &'a Choice,
    /// The ranges of the response's body that are to be shown, beside what the policy reveals, chosen when it is there.
    pub show: &'a dyn Fn(&[u8]) -> Vec<Range<usize>>,
    /// Whether to open what the verifier would see: the last word of whoever runs the prover.
    pub confirm: &'a dyn Fn(&Exchange) -> bool,
}

/// Makes the request through the verifier at the other end of `link`, and proves what was answered.
///
/// # Errors
/// Before anything is opened: `Tls`, `Refused` and `Invalid` where the session proves nothing, or not what the policy
/// wants, or was not confirmed; `Io`; then `Proof`.
pub fn prove(
    link: impl Link + 'static,
    terms: &Terms<'_>,
    clock: Clock,
    options: &Options,
    asking: &Asking<'_>,
) -> Result<(Exchange, Report)> {
    let [mut link, beside] = terms.begin(link, true)?;
    let proving = Proving::start(beside, terms, options)?;
    let made = fetched(&mut link, terms, clock, asking).and_then(|made| {
        if terms.signing != Signing::Nothing {
            // Nothing comes of it here.
            receive_record(&mut link)?;
        }
        Ok(made)
    });
    let (fetched, times) = match made {
        Ok(made) => made,
        Err(why) => return Err(proving.cause(why)),
    };
    let Stated { opening, exchange, statement } = Stated::of(&fetched, terms, times, asking)?;
    confirmed(&exchange, asking)?;
    let proving = proving.set_up()?;
    let digest = terms.digest_with(&statement);
    let opened = send_opening(&mut link, &opening).and_then(|()| {
        proving.begin(statement, digest, &fetched.secret);
        receive_answer(&mut link)
    });
    match opened {
        Ok(()) => Ok((exchange, proving.end()?)),
        Err(why) => Err(proving.cause(why)),
    }
}

/// The identities at both ends of a link.
#[derive(Clone, Copy)]
pub struct Ends {
    /// The verifier's, which signs.
    pub relay: Identity,
    /// The prover's.
    pub prover: Identity,
}

/// Makes the request through the verifier at the other end of `link`, and keeps the record that it signs. Nothing is
/// opened to it.
///
/// # Errors
/// Those of [`prove`] before anything is opened; `Refused` where the record is not as it should be, or says other times
/// than this side's clock allows; `Invalid` where the terms ask for none.
pub fn keep(
    link: impl Link + 'static,
    terms: &Terms<'_>,
    clock: Clock,
    asking: &Asking<'_>,
    ends: Ends,
) -> Result<Kept> {
    if terms.signing == Signing::Nothing {
        return Err(Error::invalid("the policy has no record signed, without which there is no file"));
    }
    let [mut link, _] = terms.begin(link, false)?;
    let (fetched, times) = fetched(&mut link, terms, clock, asking)?;
    let record = receive_record(&mut link)?;
    record.check(&[ends.relay], terms.policy, &fetched.recording, Whose::Verifier)?;
    let allowed = terms.limits.clock.as_secs();
    for (here, there) in times.into_iter().zip(record.record.times) {
        let off = here.as_secs().abs_diff(there);
        if off > allowed {
            let (at, whose) = (Place::SignedRecord, Whose::Verifier);
            return Err(Refusal { at, why: Why::OtherTimes { off, allowed }, whose }.into());
        }
    }
    let named = (terms.signing == Signing::RecordOfProver).then_some(ends.prover);
    if record.record.prover != named {
        let (at, whose) = (Place::SignedRecord, Whose::Verifier);
        return Err(Refusal { at, why: Why::OtherProver, whose }.into());
    }
    send_kept(&mut link)?;
    let _ = link.close();
    Ok(Kept { fetched, record })
}

/// Steps 1 to 4 of the prover: the session, with the recording as the verifier has it, and the times at which it began
/// and ended.
fn fetched(
    link: &mut dyn Link,
    terms: &Terms<'_>,
    clock: Clock,
    asking: &Asking<'_>,
) -> Result<(Fetched, [Time; 2])> {
    let time = clock();
    let mut tunnel = Tunnel::new(link);
    let mut fetched = asked(&mut tunnel, terms, time, asking)?;
    fetched.recording = tunnel.close(&fetched.recording)?;
    Ok((fetched, [time, clock()]))
}

/// Asks whoever runs the prover.
///
/// # Errors
/// `Invalid` where the answer is no.
pub(crate) fn confirmed(exchange: &Exchange, asking: &Asking<'_>) -> Result<()> {
    if (asking.confirm)(exchange) {
        return Ok(());
    }
    Err(Error::invalid("what the verifier would see was not confirmed: nothing is opened"))
}

/// Makes the request over `connection`, which leads to the server itself, and says what a verifier would see. Nobody
/// records it, and nothing is proved.
///
/// # Errors
/// Those of [`prove`] before anything is opened.
pub fn preview(
    connection: &mut dyn Connection,
    terms: &Terms<'_>,
    clock: Clock,
    asking: &Asking<'_>,
) -> Result<Exchange> {
    let time = clock();
    let fetched = asked(connection, terms, time, asking)?;
    Ok(Stated::of(&fetched, terms, [time, clock()], asking)?.exchange)
}

/// Makes the request.
fn asked(
    connection: &mut dyn Connection,
    terms: &Terms<'_>,
    time: Time,
    asking: &Asking<'_>,
) -> Result<Fetched> {
    let Terms { policy, roots, limits, .. } = *terms;
    let bytes = policy.request_for(asking.words, asking.fields)?;
    let (own, most) = (asking.roots, limits.down);
    let (name, suites) = (policy.host(), policy.suites());
    let request = client::Request { name, suites, own, demanded: roots, time, bytes: &bytes, most };
    let mut progress = Progress::default();
    fetch(&request, connection, &mut |response| progress.is_complete(response))
}

/// A session as it is going to be opened: checked as the verifier will, and true.
pub(crate) struct Stated {
    pub(crate) opening: Opening,
    pub(crate) exchange: Exchange,
    pub(crate) statement: Statement,
}

impl Stated {
    /// States what is to be opened of a session, which began and ended at these times.
    ///
    /// # Errors
    /// `Refused` and `Invalid` where it proves nothing, or not what the policy wants.
    pub(crate) fn of(
        fetched: &Fetched,
        terms: &Terms<'_>,
        times: [Time; 2],
        asking: &Asking<'_>,
    ) -> Result<Self> {
        let Terms { policy, roots, limits, form, .. } = *terms;
        let expected = Expected { name: policy.host(), suites: policy.suites(), roots, time: times[0] };
        let opened = Opened::new(&fetched.recording, &fetched.secret, &expected)?;
        let data = [Side::Client, Side::Server].map(|side| opened.data(side));
        let mut response = policy.response_spans_with(asking.choice, &data[1])?;
        let body = Body::read(&data[1])?;
        let shown = body.shown(asking.show);
        if (policy.reads_json() || policy.program().is_some()) && !shown.is_empty() {
            return Err(Error::invalid(
                "ranges are shown of no body that is read as JSON, and of none that a program reads",
            ));
        }
        response.extend(shown);
        let mut opening = opened.opening(&policy.request_spans(&data[0]), &response);
        opening.choice = asking.choice.clone();
        let exchange = policy.read_but_output(&opening).and_then(|exchange| {
            Freshness::of(&exchange.response.head, times, limits.clock).map_err(Unwanted::Stale)?;
            Ok(exchange)
        });
        let mut exchange = exchange.map_err(|why| Error::invalid(why.to_string()))?;
        if let Some(program) = policy.program() {
            // From here on its path is known to be public.
            opening.output = program.run(&body.bytes)?.to_vec();
            exchange.give_out(&opening.output).expect("as many bytes as without the body");
        }
        let statement = Statement::new(&fetched.recording, opened.session(), &opening, form)?;
        let statement = of_body(statement, &opening, policy, &exchange);
        statement.check(&fetched.secret)?;
        Ok(Self { opening, exchange, statement })
    }
}

/// The statement that what an exchange says of the body holds, too.
fn of_body(statement: Statement, opening: &Opening, policy: &Policy, exchange: &Exchange) -> Statement {
    let statement = statement.of_body(opening, &exchange.comparisons, &exchange.pieces);
    match policy.program() {
        Some(program) => statement.of_program(opening, program),
        None => statement,
    }
}

/// The body of a response, as its client has it.
struct Body {
    response: Response,
    /// The bytes, without chunks.
    bytes: Zeroizing<Vec<u8>>,
}

impl Body {
    /// The body in the data of a response.
    fn read(data: &[u8]) -> Result<Self> {
        let shown: Vec<_> = data.iter().map(|byte| Byte::Shown(*byte)).collect();
        let response =
            http::response(&shown).map_err(|why| Error::invalid(format!("the response: {why}")))?;
        let mut bytes = Zeroizing::new(Vec::with_capacity(response.body.len()));
        response.pieces.iter().for_each(|piece| bytes.extend_from_slice(&data[piece.clone()]));
        Ok(Self { response, bytes })
    }

    /// The spans of its ranges that `show` names.
    fn shown(&self, show: &dyn Fn(&[u8]) -> Vec<Range<usize>>) -> Vec<Span> {
        let places = show(&self.bytes).into_iter().flat_map(|range| self.response.places(range));
        places.map(Span::shown).collect()
    }
}
