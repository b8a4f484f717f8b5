//! Words of one coordinator to the other.

use super::wire::{self, Reader, Wire, Writer, malformed};
use std::collections::VecDeque;
use volery::error::Result;

/// The longest address of a worker, in bytes.
pub(super) const LONGEST_ADDRESS: usize = 255;
/// The longest message of words, in bytes.
const LONGEST: usize = 1 << 16;
/// The longest word, in bytes.
const LONGEST_WORD: usize = 10 + LONGEST_ADDRESS;

/// See the table in [`super`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Open { shard: u32, attempt: u32 },
    Ready { shard: u32, attempt: u32, address: String },
    Done { shard: u32, attempt: u32 },
    Lost { shard: u32, attempt: u32 },
    Accepted,
    Heard,
    Abort { rejected: bool },
}

/// Sends as many of these words as one message holds.
pub(super) fn send(wire: &mut impl Wire, words: &mut VecDeque<Word>) -> Result<()> {
    let mut message = Vec::new();
    while message.len() + LONGEST_WORD <= LONGEST
        && let Some(word) = words.pop_front()
    {
        message.extend_from_slice(&word.encode());
    }
    wire::send(wire, &message)
}

/// Receives one message of words.
pub(super) fn receive(wire: &mut impl Wire) -> Result<Vec<Word>> {
    let message = wire::receive(wire, LONGEST)?;
    let mut reader = Reader(&message);
    let mut words = Vec::new();
    while !reader.0.is_empty() {
        words.push(Word::decode(&mut reader)?);
    }
    Ok(words)
}

impl Word {
    fn encode(&self) -> Vec<u8> {
        let of = |kind| Writer::of(kind, LONGEST_WORD);
        let at = |kind, shard: &u32, attempt: &u32| of(kind).u32(*shard).u32(*attempt);
        let written = match self {
            Self::Open { shard, attempt } => at(1, shard, attempt),
            Self::Ready { shard, attempt, address } => at(2, shard, attempt).name(address),
            Self::Done { shard, attempt } => at(3, shard, attempt),
            Self::Lost { shard, attempt } => at(4, shard, attempt),
            Self::Accepted => of(5),
            Self::Heard => of(6),
            Self::Abort { rejected } => of(7).u8((*rejected).into()),
        };
        written.end().to_vec()
    }

    fn decode(reader: &mut Reader) -> Result<Self> {
        let kind = reader.u8()?;
        Ok(match kind {
            1..=4 => {
                let (shard, attempt) = (reader.u32()?, reader.u32()?);
                match kind {
                    1 => Self::Open { shard, attempt },
                    2 => Self::Ready { shard, attempt, address: reader.name()? },
                    3 => Self::Done { shard, attempt },
                    _ => Self::Lost { shard, attempt },
                }
            }
            5 => Self::Accepted,
            6 => Self::Heard,
            7 => Self::Abort { rejected: reader.u8()? == 1 },
            _ => return Err(malformed()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use volery::channel::{Link, pipe};

    fn all() -> Vec<Word> {
        let (shard, attempt) = (7, 0x0102_0304);
        vec![
            Word::Open { shard, attempt },
            Word::Ready { shard, attempt, address: "host.example:1".into() },
            Word::Ready { shard, attempt, address: String::new() },
            Word::Done { shard, attempt },
            Word::Lost { shard, attempt },
            Word::Accepted,
            Word::Heard,
            Word::Abort { rejected: true },
            Word::Abort { rejected: false },
        ]
    }

    #[test]
    fn words_come_back() {
        let (here, there) = pipe(Duration::from_secs(5));
        let (mut here, mut there): (Box<dyn Link>, Box<dyn Link>) = (Box::new(here), Box::new(there));
        let mut many: VecDeque<_> = all().into_iter().cycle().take(20_000).collect();
        let sent: Vec<_> = many.clone().into();
        let mut heard = Vec::new();
        while heard.len() < sent.len() {
            send(&mut here, &mut many).unwrap();
            heard.extend(receive(&mut there).unwrap());
        }
        assert_eq!(heard, sent);
    }

    #[test]
    fn what_is_cut_or_longer_is_refused() {
        for word in all() {
            let bytes = word.encode();
            for length in 0..bytes.len() {
                assert!(Word::decode(&mut Reader(&bytes[..length])).is_err(), "{word:?}, {length}");
            }
        }
        for kind in [0, 8, 255] {
            assert!(Word::decode(&mut Reader(&[kind; 20])).is_err());
        }
        let control = [2, 0, 0, 0, 0, 0, 0, 0, 0, 1, b'\n'];
        assert!(Word::decode(&mut Reader(&control)).is_err());
        let (here, there) = pipe(Duration::from_secs(5));
        let (mut here, mut there): (Box<dyn Link>, Box<dyn Link>) = (Box::new(here), Box::new(there));
        here.put(&(LONGEST as u32 + 1).to_le_bytes()).unwrap();
        here.hand_over().unwrap();
        assert!(receive(&mut there).is_err());
    }
}
