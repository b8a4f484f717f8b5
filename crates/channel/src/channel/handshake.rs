//! The first message of each party: its role, and what it is started with.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | both at once | magic `volery` and two zero bytes, version (u32) | 12 |
//! | both at once | role, lanes of a wave, system, field, parameters, statement digest, nonce | 176 |
//!
//! Numbers are little-endian; names are ASCII, padded with zero bytes, and of a field with a longer one, as a long prime
//! has, the first eight bytes go, two dots, and 88 bits of a digest. Both sides compare all of it before
//! either sends more, and both find the same difference. The parameters are proposals, and so are the lanes, a power of
//! two or zero: each side derives the same choice from both. The two hellos are the first bytes of the transcript and come before its
//! first checkpoint, so that every challenge depends on the version, the settings, the statement and both
//! nonces: a transcript cannot be replayed under another nonce, and a party that deviates after the
//! handshake meets other challenges.

use super::{Carried, Channel, Party};
use crate::error::{Disagreement, Error, Misbehaviour, Result, Sides};

/// The first bytes of each party.
pub const MAGIC: [u8; 8] = *b"volery\0\0";
/// The version of the protocol. It changes whenever the bytes on the wire do.
const VERSION: u32 = 10;
/// The bytes of a padded name.
const NAME: usize = 32;
const BODY: usize = 16 + 3 * NAME + 32 + 32;
/// The bytes of the role, behind which the lanes are.
const ROLE: usize = 12;
/// The fewest and the most lanes of a wave that can be agreed on.
pub const LANES: core::ops::RangeInclusive<u32> = 64..=1 << 16;
/// The bytes of magic and version.
const OPENING: usize = 12;

/// Bytes of a handshake.
pub const TRAFFIC: Carried = Carried { prover: (OPENING + BODY) as u64, verifier: (OPENING + BODY) as u64 };

/// The role of a verifier that is asked for a statement by name before a proof begins.
const SERVICE: &str = "service";

/// The answer of a service to a party that begins a proof at once. It tells that party why no proof follows.
pub fn service_hello() -> Vec<u8> {
    let mut hello = [&MAGIC[..], &VERSION.to_le_bytes(), &[0; BODY]].concat();
    hello[OPENING..][..SERVICE.len()].copy_from_slice(SERVICE.as_bytes());
    hello
}

/// 32 fresh random bytes of one party.
pub type Nonce = [u8; 32];

/// The settings that a party wants to run with. `parameters` is a proposal, which the caller settles; all
/// else must be equal. Names are ASCII, and all but that of the field at most 32 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello<'a> {
    /// The proof system.
    pub system: &'a str,
    /// The field of the statement.
    pub field: &'a str,
    /// The correlations and their parameters.
    pub parameters: &'a str,
    /// The most lanes of a wave: a power of two, or zero where the party has no wish.
    pub lanes: u32,
    /// The digest of the relation and its public values.
    pub statement: &'a [u8; 32],
}

/// The proposals of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// The parameters.
    pub parameters: String,
    /// The lanes.
    pub lanes: u32,
}

/// Sends this party's hello, receives the peer's, and compares the two. Gives what the peer proposes.
///
/// # Errors
/// `Misbehaved` where the peer does not speak this protocol, `Disagreed` where it wants something else, `Io`.
pub fn shake_hands(channel: &mut Channel, ours: &Hello, nonce: &Nonce) -> Result<Proposed> {
    let mut opening = [0; OPENING];
    opening[..8].copy_from_slice(&MAGIC);
    opening[8..].copy_from_slice(&VERSION.to_le_bytes());
    let body = encode(channel.party(), ours, nonce);
    channel.send(&opening)?;
    channel.send(&body)?;
    // What the peer has said may be here already, and where the two disagree it has to know why, too.
    channel.flush()?;

    let theirs: [u8; OPENING] = channel.recv_array()?;
    if theirs[..8] != MAGIC {
        return Err(Error::Misbehaved(Misbehaviour::NotVolery));
    }
    let version = u32::from_le_bytes(*theirs[8..].first_chunk().expect("four bytes"));
    Sides { ours: VERSION, theirs: version }.agree(Disagreement::ProtocolVersion)?;
    compare(channel.party(), ours, &channel.recv_array()?)
}

/// The name of a field as it is sent.
fn field_name(name: &str) -> String {
    if name.len() <= NAME {
        return name.into();
    }
    let digest = blake3::derive_key("volery name of a field v1", name.as_bytes());
    let digits: String = digest.iter().take(11).map(|byte| format!("{byte:02x}")).collect();
    format!("{}..{digits}", &name[..8])
}

fn encode(party: Party, hello: &Hello, nonce: &Nonce) -> [u8; BODY] {
    let mut body = [0; BODY];
    body[..party.name().len()].copy_from_slice(party.name().as_bytes());
    body[ROLE..16].copy_from_slice(&hello.lanes.to_le_bytes());
    let field = field_name(hello.field);
    for (i, name) in [hello.system, &field, hello.parameters].into_iter().enumerate() {
        assert!(name.is_ascii() && name.len() <= NAME, "`{name}` is no name of at most {NAME} ASCII bytes");
        body[16 + NAME * i..][..name.len()].copy_from_slice(name.as_bytes());
    }
    body[16 + 3 * NAME..][..32].copy_from_slice(hello.statement);
    body[16 + 3 * NAME + 32..][..32].copy_from_slice(nonce);
    body
}

fn compare(party: Party, ours: &Hello, theirs: &[u8; BODY]) -> Result<Proposed> {
    let role = padded(&theirs[..ROLE]);
    match (party, role.as_str()) {
        (_, SERVICE) => return Err(Error::Disagreed(Disagreement::Service)),
        (Party::Prover, "verifier") | (Party::Verifier, "prover") => {}
        (_, "prover" | "verifier") => {
            return Err(Error::Disagreed(Disagreement::Roles { both: party.name() }));
        }
        _ => return Err(Error::Misbehaved(Misbehaviour::NoRole)),
    }
    let name = |i: usize| padded(&theirs[16 + NAME * i..][..NAME]);
    Sides { ours: ours.system.to_owned(), theirs: name(0) }.agree(Disagreement::System)?;
    Sides { ours: field_name(ours.field), theirs: name(1) }.agree(Disagreement::Field)?;
    let statement = *theirs[16 + 3 * NAME..].first_chunk().expect("32 bytes");
    Sides { ours: *ours.statement, theirs: statement }.agree(Disagreement::Statement)?;
    let lanes = u32::from_le_bytes(*theirs[ROLE..].first_chunk().expect("four bytes"));
    if lanes != 0 && !(lanes.is_power_of_two() && LANES.contains(&lanes)) {
        return Err(Error::Misbehaved(Misbehaviour::Lanes));
    }
    Ok(Proposed { parameters: name(2), lanes })
}

/// The name in `bytes`, printable whatever the peer sent.
fn padded(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes[..end].escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Flip, Tape, pipe};
    use std::time::Duration;

    const HELLO: Hello =
        Hello { system: "s", field: "f", parameters: "p", lanes: 1 << 15, statement: &[7; 32] };

    /// The results of both sides and the digests of what they agreed on, with one bit of the prover's hello
    /// flipped.
    fn run(flip: Flip) -> [(Result<Proposed>, [u8; 32]); 2] {
        let (here, there) = pipe(Duration::from_secs(10));
        let mut prover = Channel::new(Party::Prover, Tape::new(here, Some(flip)).0);
        let mut verifier = Channel::new(Party::Verifier, there);
        std::thread::scope(|scope| {
            let proving =
                scope.spawn(move || (shake_hands(&mut prover, &HELLO, &[1; 32]), prover.checkpoint("test")));
            let verified = shake_hands(&mut verifier, &HELLO, &[2; 32]);
            let checkpoint = verifier.checkpoint("test");
            drop(verifier);
            [proving.join().unwrap(), (verified, checkpoint)]
        })
    }

    /// Every bit counts: most make the verifier refuse; those of the proposal and the nonce make the two
    /// sides' challenges differ.
    #[test]
    fn a_flipped_bit_is_refused_or_shows_in_the_challenges() {
        for bit in (0..8 * 12).step_by(5) {
            let [_, (verified, _)] = run(Flip { message: 0, bit });
            assert!(verified.is_err(), "opening, bit {bit}");
        }
        let mut refused = 0;
        for bit in (0..8 * BODY).step_by(7) {
            let [(_, here), (verified, there)] = run(Flip { message: 1, bit });
            assert_ne!(here, there, "body, bit {bit}");
            let settled = (16 + 2 * NAME..16 + 3 * NAME).contains(&(bit / 8)) || bit / 8 >= BODY - 32;
            assert_eq!(verified.is_ok(), settled, "body, bit {bit}");
            refused += usize::from(verified.is_err());
        }
        assert!(refused > 100);
    }

    #[test]
    fn both_sides_meet_in_the_same_digest() {
        let [(here, checkpoint), (there, other)] = run(Flip { message: 99, bit: 0 });
        let proposed = Proposed { parameters: "p".into(), lanes: 1 << 15 };
        assert_eq!((here.unwrap(), there.unwrap()), (proposed.clone(), proposed));
        assert_eq!(checkpoint, other);
    }

    /// The names of fields of long primes fit, and differ where the primes do, wherever that is.
    #[test]
    fn names_of_long_primes_differ() {
        let p = "115792089237316195423570985008687907853269984665640564039457584007908834671663";
        let names = [p.into(), format!("f2 {p}"), p.replace("671663", "671665"), p.replacen('1', "2", 1)];
        let sent = names.map(|name| field_name(&name));
        assert!(sent.iter().all(|name| name.len() == NAME), "{sent:?}");
        assert!((0..4).all(|i| (0..i).all(|j| sent[i] != sent[j])), "{sent:?}");
        assert_eq!(field_name("goldilocksx2"), "goldilocksx2");
    }

    #[test]
    fn another_version_is_named() {
        let [_, (verified, _)] = run(Flip { message: 0, bit: 8 * 8 + 3 });
        let versions = Sides { ours: VERSION, theirs: VERSION ^ 8 };
        assert!(matches!(verified, Err(Error::Disagreed(Disagreement::ProtocolVersion(v))) if v == versions));
    }
}
