//! Openings of a session by its prover: secrets of the handshake, a plan of the records behind it, and the parts of
//! their contents that it shows. Its bytes are canonical, since the statement's digest is of them.
//!
//! | part | bytes |
//! |---|---|
//! | version, 1 | 1 |
//! | SHTS, CHTS | 32 + 32 |
//! | H of the client's key, H of the server's | 16 + 16 |
//! | for either side, the client first: number of records | 2 |
//! | for each record: length of its content, type, use (0 its type alone, 1 opened) | 2 + 1 + 1 |
//! | where it is opened: number of parts, and for each its begin, its length and its bytes | 2 + (2 + 2 + n) |
//!
//! Parts stand in their order, none is empty, and none begins where another ends.

use crate::error::{Place, Refusal, Why};
use crate::recording::Side;
use crate::tls::{HandshakeSecrets, Reader, Secret};

/// The version of these bytes.
const VERSION: u8 = 1;

/// The values that the prover opens, which V has besides its recording.
#[derive(Clone)]
pub struct Opening {
    /// SHTS and CHTS.
    pub secrets: HandshakeSecrets,
    /// H, the keys of GHASH of content: the client's and the server's.
    pub hash_keys: [[u8; 16]; 2],
    /// The client's records behind its Finished, all of them.
    pub client: Vec<Planned>,
    /// The server's first records behind its Finished, up to the last of which something is claimed.
    pub server: Vec<Planned>,
}

/// A record, as the prover says that it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The bytes of its content; type and padding follow.
    pub length: u16,
    /// The type of its content.
    pub kind: u8,
    /// The parts of it that are shown, where its tag is checked; where `None`, its type and padding alone are proved.
    pub shown: Option<Vec<Shown>>,
}

/// A part of a content that is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The place of its first byte in the content.
    pub start: u16,
    /// The bytes: at least one.
    pub bytes: Vec<u8>,
}

impl Shown {
    /// The place behind its last byte.
    pub fn end(&self) -> usize {
        usize::from(self.start) + self.bytes.len()
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
    /// Where there are more than 2^16 - 1 of what is counted, which no recording has room for that is within limits.
    pub fn to_bytes(&self) -> Vec<u8> {
        let count = |length: usize| u16::try_from(length).expect("a number within limits").to_be_bytes();
        let mut bytes = vec![VERSION];
        bytes.extend(self.secrets.server.bytes());
        bytes.extend(self.secrets.client.bytes());
        bytes.extend(self.hash_keys.as_flattened());
        for plan in [&self.client, &self.server] {
            bytes.extend(count(plan.len()));
            for record in plan {
                bytes.extend(record.length.to_be_bytes());
                bytes.extend([record.kind, record.shown.is_some().into()]);
                let Some(shown) = &record.shown else { continue };
                bytes.extend(count(shown.len()));
                for part in shown {
                    bytes.extend(part.start.to_be_bytes());
                    bytes.extend(count(part.bytes.len()));
                    bytes.extend(&part.bytes);
                }
            }
        }
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
        let server = Secret::new(reader.array()?);
        let secrets = HandshakeSecrets { server, client: Secret::new(reader.array()?) };
        let hash_keys = [reader.array()?, reader.array()?];
        let (client, server) = (plan(&mut reader)?, plan(&mut reader)?);
        reader.end()?;
        Ok(Self { secrets, hash_keys, client, server })
    }
}

/// The plan of one side.
fn plan(reader: &mut Reader<'_>) -> Result<Vec<Planned>, Why> {
    let mut plan = Vec::new();
    for _ in 0..reader.u16()? {
        let (length, kind) = (reader.u16()?, reader.u8()?);
        let shown = match reader.u8()? {
            0 => None,
            1 => Some(shown(reader)?),
            _ => return Err(Why::NotCanonical),
        };
        plan.push(Planned { length, kind, shown });
    }
    Ok(plan)
}

/// The parts of one record.
fn shown(reader: &mut Reader<'_>) -> Result<Vec<Shown>, Why> {
    let mut parts: Vec<Shown> = Vec::new();
    for _ in 0..reader.u16()? {
        let start = reader.u16()?;
        let bytes = reader.vector16()?.rest().to_vec();
        let is_behind = parts.last().is_none_or(|last| last.end() < start.into());
        if bytes.is_empty() || !is_behind {
            return Err(Why::NotCanonical);
        }
        parts.push(Shown { start, bytes });
    }
    Ok(parts)
}
