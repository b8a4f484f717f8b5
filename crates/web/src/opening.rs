//! Openings of a session by its prover: secrets of the handshake, a plan of the records behind it, the parts of their
//! contents that it shows, and what of it it chose to show and to claim itself. Its bytes are canonical, since the statement's digest is of them.
//!
//! | part | bytes |
//! |---|---|
//! | version, 3 | 1 |
//! | number of the cipher suite | 2 |
//! | SHTS, CHTS | 32 + 32 |
//! | by AES-128-GCM: H of the client's key, H of the server's | 16 + 16 |
//! | for either side, the client first: number of records | 2 |
//! | for each record: length of its content, type, use (0 its type alone, 1 opened) | 2 + 1 + 1 |
//! | where it is opened, by ChaCha20-Poly1305: r of its tag | 16 |
//! | where it is opened: number of parts, and for each its begin, kind (0 shown, 1 a hidden value, 2 a value of JSON hidden whole, 3 hidden digits, 4 a hidden word, 5 a body that a program reads) and length | 2 + (2 + 1 + 2) |
//! | where a part is shown: its bytes | n |
//! | what the policy's program gives out: its length, and its bytes | 2 + n |
//! | the [`Choice`] of the prover: number of paths, and each behind its length; and likewise of claims | 1 + (2 + n), 1 + (2 + n) |
//!
//! Parts lie within their content, and stand in their order, none is empty, and none begins where another of its kind ends.
//! Paths and claims stand in the order of their bytes, none twice.

use crate::error::{Error, Place, Refusal, Why};
use crate::program::MOST_OUTPUT;
use crate::recording::Side;
use crate::tls::{HASH_KEY, HandshakeSecrets, Reader, Secret, Suite};

/// The most bytes of an opening of no records.
pub(crate) const MOST_FIXED: usize =
    1 + 2 + 2 * 32 + 2 * HASH_KEY + 2 * 2 + 2 + MOST_OUTPUT + 2 * (1 + 2 * MOST_CHOSEN) + MOST_CHOSEN_BYTES;

/// The most bytes of a record, beside those of its parts.
pub(crate) const OF_RECORD: usize = 4 + HASH_KEY + 2;

/// The version of these bytes.
const VERSION: u8 = 3;

/// The most paths that a prover chooses, and the most claims.
const MOST_CHOSEN: usize = 16;
/// The most bytes of all of them.
pub(crate) const MOST_CHOSEN_BYTES: usize = 4096;

/// The values that the prover opens, which V has besides its recording.
#[derive(Clone)]
pub struct Opening {
    /// SHTS and CHTS.
    pub secrets: HandshakeSecrets,
    /// The keys of the hashes that the tags of content are made of.
    pub hash_keys: HashKeys,
    /// The client's records behind its Finished, all of them.
    pub client: Vec<Planned>,
    /// The server's first records behind its Finished, up to the last of which something is claimed.
    pub server: Vec<Planned>,
    /// The bytes that the policy's program gives out of the body; none where there is no program.
    pub output: Vec<u8>,
    /// The prover's own choice of what it shows and claims.
    pub choice: Choice,
}

/// Paths whose values a prover shows of its own choice, and claims that it makes, beside those of a policy that lets it
/// choose: as they are written. Nothing of them has been read.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Choice {
    reveal: Vec<String>,
    claims: Vec<String>,
}

impl Choice {
    /// The choice of nothing.
    pub fn none() -> &'static Self {
        static NONE: Choice = Choice { reveal: Vec::new(), claims: Vec::new() };
        &NONE
    }

    /// The choice of these paths and claims, whatever their order.
    ///
    /// # Errors
    /// `Invalid` where there are more than an opening has room for.
    pub fn new(mut reveal: Vec<String>, mut claims: Vec<String>) -> Result<Self, Error> {
        for chosen in [&mut reveal, &mut claims] {
            chosen.sort_unstable();
            chosen.dedup();
        }
        let choice = Self { reveal, claims };
        if choice.is_within() {
            return Ok(choice);
        }
        Err(Error::invalid(format!(
            "a prover chooses {MOST_CHOSEN} paths and {MOST_CHOSEN} claims at most, of {MOST_CHOSEN_BYTES} bytes in all"
        )))
    }

    /// The paths, in the order of their bytes.
    pub fn reveal(&self) -> &[String] {
        &self.reveal
    }

    /// The claims, in the order of their bytes.
    pub fn claims(&self) -> &[String] {
        &self.claims
    }

    fn is_within(&self) -> bool {
        let each = [&self.reveal, &self.claims];
        let bytes = each.into_iter().flatten().map(String::len).sum::<usize>();
        each.iter().all(|chosen| chosen.len() <= MOST_CHOSEN) && bytes <= MOST_CHOSEN_BYTES
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for chosen in [&self.reveal, &self.claims] {
            bytes.push(chosen.len() as u8);
            for text in chosen {
                bytes.extend((text.len() as u16).to_be_bytes());
                bytes.extend(text.as_bytes());
            }
        }
        bytes
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Why> {
        let mut chosen = || {
            let mut texts: Vec<String> = Vec::new();
            for _ in 0..reader.u8()? {
                let text = String::from_utf8(reader.vector16()?.rest().to_vec());
                let text = text.map_err(|_| Why::NotCanonical)?;
                if texts.last().is_some_and(|last| *last >= text) {
                    return Err(Why::NotCanonical);
                }
                texts.push(text);
            }
            Ok(texts)
        };
        let choice = Self { reveal: chosen()?, claims: chosen()? };
        if choice.is_within() { Ok(choice) } else { Err(Why::NotCanonical) }
    }
}

/// The keys of the hashes that the tags of opened records are made of, by the cipher suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HashKeys {
    /// H, the keys of GHASH: the client's and the server's.
    Ghash([[u8; HASH_KEY]; 2]),
    /// r, the keys of Poly1305: one for each record that is opened, in their order, of the client and of the server.
    Poly1305([Vec<[u8; HASH_KEY]>; 2]),
}

impl HashKeys {
    /// The cipher suite whose hash they are of.
    pub const fn suite(&self) -> Suite {
        match self {
            Self::Ghash(_) => Suite::Aes128,
            Self::Poly1305(_) => Suite::ChaCha20,
        }
    }

    /// The keys of each record that is opened of a side, in their order.
    pub(crate) fn of(&self, side: Side) -> Box<dyn Iterator<Item = [u8; HASH_KEY]> + '_> {
        let side = usize::from(side == Side::Server);
        match self {
            Self::Ghash(keys) => Box::new(core::iter::repeat(keys[side])),
            Self::Poly1305(keys) => Box::new(keys[side].iter().copied()),
        }
    }
}

/// A record, as the prover says that it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The bytes of its content; type and padding follow.
    pub length: u16,
    /// The type of its content.
    pub kind: u8,
    /// The parts of it of which something is said, where its tag is checked; where `None`, its type and padding alone
    /// are proved.
    pub parts: Option<Vec<Part>>,
}

/// A part of a content of which something is said. Of all other bytes nothing is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The place of its first byte in the content.
    pub start: u16,
    /// The bytes, or a class that they are of.
    pub said: Said,
}

/// Something that is said of a part of a content: of one byte at least.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// Bytes that are shown.
    Shown(Vec<u8>),
    /// A number of bytes that are hidden, and of a class.
    Hidden(Hidden, u16),
}

/// A class of hidden bytes: what they are not, so that structure stays where it is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// None is below 0x20: so they end no line of a head of HTTP.
    Value,
    /// Values of JSON, each hidden whole, with blanks around it at most. Of single bytes nothing is demanded: where a
    /// body is read as JSON, a walk over a value's bytes shows that it ends where they do.
    Whole,
    /// All are decimal digits.
    Digits,
    /// All are letters and digits of ASCII, `-` and `_`: so they end no part of a target, are none that servers resolve,
    /// and stand for nothing else.
    Word,
    /// Bytes of a body that a program reads, all of them, in their order. Of single ones nothing is demanded.
    Read,
}

impl Part {
    /// The number of its bytes.
    pub fn length(&self) -> usize {
        match &self.said {
            Said::Shown(bytes) => bytes.len(),
            Said::Hidden(_, length) => (*length).into(),
        }
    }

    /// The place behind its last byte.
    pub fn end(&self) -> usize {
        usize::from(self.start) + self.length()
    }

    const fn kind(&self) -> u8 {
        match self.said {
            Said::Shown(_) => 0,
            Said::Hidden(Hidden::Value, _) => 1,
            Said::Hidden(Hidden::Whole, _) => 2,
            Said::Hidden(Hidden::Digits, _) => 3,
            Said::Hidden(Hidden::Word, _) => 4,
            Said::Hidden(Hidden::Read, _) => 5,
        }
    }
}

impl Opening {
    /// The plan of a side.
    pub fn plan(&self, side: Side) -> &[Planned] {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// The bytes, as above.
    ///
    /// # Panics
    /// Where there are more than 2^16 - 1 of what is counted, which no recording has room for that is within limits; or
    /// fewer keys of Poly1305 than records that are opened.
    pub fn to_bytes(&self) -> Vec<u8> {
        let count = |length: usize| u16::try_from(length).expect("a number within limits").to_be_bytes();
        let mut bytes = vec![VERSION];
        bytes.extend(self.hash_keys.suite().number().to_be_bytes());
        bytes.extend(self.secrets.server.bytes());
        bytes.extend(self.secrets.client.bytes());
        if let HashKeys::Ghash(keys) = &self.hash_keys {
            bytes.extend(keys.as_flattened());
        }
        for side in [Side::Client, Side::Server] {
            let plan = self.plan(side);
            let mut keys = self.hash_keys.of(side);
            bytes.extend(count(plan.len()));
            for record in plan {
                bytes.extend(record.length.to_be_bytes());
                bytes.extend([record.kind, record.parts.is_some().into()]);
                let Some(parts) = &record.parts else { continue };
                if matches!(self.hash_keys, HashKeys::Poly1305(_)) {
                    bytes.extend(keys.next().expect("a key for each record that is opened"));
                }
                bytes.extend(count(parts.len()));
                for part in parts {
                    bytes.extend(part.start.to_be_bytes());
                    bytes.push(part.kind());
                    bytes.extend(count(part.length()));
                    if let Said::Shown(shown) = &part.said {
                        bytes.extend(shown);
                    }
                }
            }
        }
        bytes.extend(count(self.output.len()));
        bytes.extend(&self.output);
        bytes.extend(self.choice.to_bytes());
        bytes
    }

    /// Reads bytes that a prover sent. Nothing is allocated for a number that they do not have room for.
    ///
    /// # Errors
    /// A refusal where they are not canonical.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Refusal> {
        Self::read(Reader::new(bytes)).map_err(|why| Refusal::of_prover(Place::Opening, why))
    }

    fn read(mut reader: Reader<'_>) -> Result<Self, Why> {
        if reader.u8()? != VERSION {
            return Err(Why::NotCanonical);
        }
        let suite = Suite::of_number(reader.u16()?).ok_or(Why::NotCanonical)?;
        let server = Secret::new(reader.array()?);
        let secrets = HandshakeSecrets { server, client: Secret::new(reader.array()?) };
        let mut hash_keys = match suite {
            Suite::Aes128 => HashKeys::Ghash([reader.array()?, reader.array()?]),
            Suite::ChaCha20 => HashKeys::Poly1305([vec![], vec![]]),
        };
        let [client, server] = match &mut hash_keys {
            HashKeys::Ghash(_) => [plan(&mut reader, None)?, plan(&mut reader, None)?],
            HashKeys::Poly1305([client, server]) => {
                [plan(&mut reader, Some(client))?, plan(&mut reader, Some(server))?]
            }
        };
        let output = reader.vector16()?.rest().to_vec();
        let choice = Choice::read(&mut reader)?;
        reader.end()?;
        Ok(Self { secrets, hash_keys, client, server, output, choice })
    }
}

/// The plan of one side, and where `keys` are asked for, the keys of its opened records.
fn plan(reader: &mut Reader<'_>, mut keys: Option<&mut Vec<[u8; HASH_KEY]>>) -> Result<Vec<Planned>, Why> {
    let mut plan = Vec::new();
    for _ in 0..reader.u16()? {
        let (length, kind) = (reader.u16()?, reader.u8()?);
        let parts = match reader.u8()? {
            0 => None,
            1 => {
                if let Some(keys) = &mut keys {
                    keys.push(reader.array()?);
                }
                Some(parts(reader)?)
            }
            _ => return Err(Why::NotCanonical),
        };
        if parts.iter().flatten().any(|part| part.end() > length.into()) {
            return Err(Why::PartBehind);
        }
        plan.push(Planned { length, kind, parts });
    }
    Ok(plan)
}

/// The parts of one record.
fn parts(reader: &mut Reader<'_>) -> Result<Vec<Part>, Why> {
    let mut parts: Vec<Part> = Vec::new();
    for _ in 0..reader.u16()? {
        let (start, kind) = (reader.u16()?, reader.u8()?);
        let said = match kind {
            0 => Said::Shown(reader.vector16()?.rest().to_vec()),
            1 => Said::Hidden(Hidden::Value, reader.u16()?),
            2 => Said::Hidden(Hidden::Whole, reader.u16()?),
            3 => Said::Hidden(Hidden::Digits, reader.u16()?),
            4 => Said::Hidden(Hidden::Word, reader.u16()?),
            5 => Said::Hidden(Hidden::Read, reader.u16()?),
            _ => return Err(Why::NotCanonical),
        };
        let part = Part { start, said };
        let is_behind = parts.last().is_none_or(|last| {
            let end = last.end();
            end < start.into() || end == usize::from(start) && last.kind() != kind
        });
        if part.length() == 0 || !is_behind {
            return Err(Why::NotCanonical);
        }
        parts.push(part);
    }
    Ok(parts)
}
