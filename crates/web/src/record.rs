//! Records of a connection, which its relay signs: others who know the relay's key can check a proof of it at
//! any time.
//!
//! **Relation.** Whoever has the relay's identity knows that the relay, by its own word, made a connection to
//! an address of this name, that these bytes passed over it in this order, and when. The record needs no
//! secret: whoever signs it has learned nothing of the session, not even the server's certificate. It fixes
//! what the bytes mean all the same: the recording fixes the secrets of the session ([`tls`](crate::tls),
//! [`statement`](crate::statement)).
//!
//! | part | bytes |
//! |---|---|
//! | version, 1 | 1 |
//! | name of the service, behind its length; may be empty | 1 + n |
//! | random identifier | 16 |
//! | name of the server, behind its length | 1 + n |
//! | address of the server: of IPv6, or one of IPv4 mapped to it (RFC 4291 section 2.5.5.2); port | 16 + 2 |
//! | times at which the connection began and ended, in seconds since 1970 | 8 + 8 |
//! | lengths of what went up and down; SHA-256 of both, and of the order in which they passed | 8 + 8 + 3 · 32 |
//! | number of passages in that order | 4 |
//! | digest of the [policy](crate::policy) | 32 |
//! | 0; or 1, and the identity of the prover | 1, or 33 |
//!
//! Numbers are big-endian, names are of visible ASCII, and no two records have the same bytes. Signed is
//! `volery web record 1`, a zero, and these bytes. A **signed record** is the relay's identity, 32 bytes, the
//! signature, 64, and the record.
//!
//! **What an abort leaks.** A record is sent once the connection is closed, and says what its prover knows
//! already.

use crate::client::Fetched;
use crate::error::{Error, Place, Refusal, Result, Whose, Why};
use crate::policy::Policy;
use crate::provider::provider;
use crate::recording::{Recording, RecordingDigest};
use crate::tls::Reader;
use core::net::{IpAddr, Ipv6Addr, SocketAddr};
use sha2::{Digest, Sha256};
use volery::channel::{Identity, SIGNATURE, SecretKey};

/// The purpose of the relay's signature.
const PURPOSE: &str = "volery web record 1";
/// The version of these bytes.
const VERSION: u8 = 1;
/// The most bytes of the name of a service.
const MOST_SERVICE: usize = 64;
/// The most bytes of a server's name.
const MOST_HOST: usize = 253;

/// The most bytes of a signed record.
pub(crate) const MOST: usize = 32
    + SIGNATURE
    + 1
    + 1
    + MOST_SERVICE
    + 16
    + 1
    + MOST_HOST
    + 18
    + 16
    + RecordingDigest::BYTES
    + 4
    + 32
    + 33;

/// The statement of a relay about one connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The name of the service that forwarded, which may be empty.
    pub service: String,
    /// The random number by which the relay knows it again.
    pub id: [u8; 16],
    /// The name of the server.
    pub host: String,
    /// The address to which the relay connected.
    pub address: SocketAddr,
    /// The times at which the connection began and ended, in seconds since 1970.
    pub times: [u64; 2],
    /// The digests of what passed.
    pub recording: RecordingDigest,
    /// The number of passages.
    pub passages: u32,
    /// The digest of the policy.
    pub policy: [u8; 32],
    /// The prover, where the terms have it named.
    pub prover: Option<Identity>,
}

/// A record with its relay's signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedRecord {
    /// The relay that is to have signed it.
    pub relay: Identity,
    /// The record.
    pub record: Record,
    /// The signature.
    pub signature: [u8; SIGNATURE],
}

/// A session of which a relay has signed a record, with its handshake secret: it has no `Debug`, and is
/// wiped.
pub struct Kept {
    pub(crate) fetched: Fetched,
    pub(crate) record: SignedRecord,
}

impl Kept {
    /// The record.
    pub const fn record(&self) -> &SignedRecord {
        &self.record
    }

    /// The recording that the record is of.
    pub const fn recording(&self) -> &Recording {
        &self.fetched.recording
    }
}

/// A relay that signs records.
pub struct Signer<'s> {
    /// The key of its links.
    pub key: &'s SecretKey,
    /// The name of the service, of visible ASCII, 64 bytes at most; may be empty.
    pub service: &'s str,
    /// The prover at the other end of the link.
    pub prover: Identity,
    /// Told of each record before it goes out, which it does not where that fails: so whoever signs can keep all of them,
    /// also those that provers hide that they have.
    pub keep: &'s mut dyn FnMut(&SignedRecord) -> Result<()>,
}

impl Signer<'_> {
    /// Signs a record of a connection that is closed. The prover is named where `is_named`.
    ///
    /// # Errors
    /// `Invalid` where the name of the service is none, or this machine lacks what the cryptography needs.
    pub(crate) fn sign(
        &mut self,
        policy: &Policy,
        recording: &Recording,
        (address, times): (SocketAddr, [u64; 2]),
        is_named: bool,
    ) -> Result<SignedRecord> {
        let mut id = [0; 16];
        let failed = |_| Error::invalid("the operating system has no randomness for a record");
        provider()?.secure_random.fill(&mut id).map_err(failed)?;
        let record = Record {
            service: self.service.into(),
            id,
            host: policy.host().into(),
            address: SocketAddr::new(address.ip().to_canonical(), address.port()),
            // A clock that was set back meanwhile says nothing of when it ended.
            times: [times[0], times[1].max(times[0])],
            recording: recording.digest(),
            passages: recording.order().len() as u32,
            policy: policy.digest(),
            prover: is_named.then_some(self.prover),
        };
        if !is_name(&record.service, 0..=MOST_SERVICE) || !is_name(&record.host, 1..=MOST_HOST) {
            return Err(Error::invalid(format!(
                "a record is of a service and a server with names of visible ASCII, of {MOST_SERVICE} and \
                 {MOST_HOST} bytes at most, and not of {:?} and {:?}",
                record.service, record.host
            )));
        }
        let signature = self.key.sign(PURPOSE, &record.to_bytes())?;
        let signed = SignedRecord { relay: self.key.identity(), record, signature };
        (self.keep)(&signed)?;
        Ok(signed)
    }
}

/// Whether text is a name of visible ASCII with so many bytes.
fn is_name(text: &str, lengths: core::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| (0x21..0x7f).contains(&byte))
}

impl Record {
    /// The bytes, as above.
    fn to_bytes(&self) -> Vec<u8> {
        let Self { service, id, host, address, times, recording, passages, policy, prover } = self;
        let ip = match address.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        let named = prover.map_or(vec![0], |prover| [&[1][..], &prover.to_bytes()].concat());
        [
            &[VERSION, service.len() as u8][..],
            service.as_bytes(),
            id,
            &[host.len() as u8],
            host.as_bytes(),
            &ip.octets(),
            &address.port().to_be_bytes(),
            times.map(u64::to_be_bytes).as_flattened(),
            &recording.to_bytes(),
            &passages.to_be_bytes(),
            policy,
            &named,
        ]
        .concat()
    }

    fn read(mut reader: Reader<'_>) -> Result<Self, Why> {
        if reader.u8()? != VERSION {
            return Err(Why::NotCanonical);
        }
        let name = |reader: &mut Reader<'_>, lengths| {
            let bytes = reader.vector8()?.rest().to_vec();
            String::from_utf8(bytes).ok().filter(|text| is_name(text, lengths)).ok_or(Why::NotCanonical)
        };
        let service = name(&mut reader, 0..=MOST_SERVICE)?;
        let id = reader.array()?;
        let host = name(&mut reader, 1..=MOST_HOST)?;
        let ip = Ipv6Addr::from(reader.array::<16>()?).to_canonical();
        let address = SocketAddr::new(ip, reader.u16()?);
        let times = [u64::from_be_bytes(reader.array()?), u64::from_be_bytes(reader.array()?)];
        if times[0] > times[1] {
            return Err(Why::NotCanonical);
        }
        let recording = RecordingDigest::from_bytes(&reader.array()?);
        let passages = u32::from_be_bytes(reader.array()?);
        let policy = reader.array()?;
        let prover = match reader.u8()? {
            0 => None,
            1 => Some(Identity::from_bytes(reader.array()?)),
            _ => return Err(Why::NotCanonical),
        };
        reader.end()?;
        Ok(Self { service, id, host, address, times, recording, passages, policy, prover })
    }
}

impl SignedRecord {
    /// The bytes, as above.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.relay.to_bytes()[..], &self.signature, &self.record.to_bytes()].concat()
    }

    /// Reads bytes, and believes nothing of them.
    ///
    /// # Errors
    /// The rule that they break where they are not canonical.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Why> {
        let mut reader = Reader::new(bytes);
        let relay = Identity::from_bytes(reader.array()?);
        let signature = reader.array()?;
        Ok(Self { relay, signature, record: Record::read(reader)? })
    }

    /// A digest of all of it.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.to_bytes()).into()
    }

    /// Checks that one of these relays has signed it, and that it is of this recording, and of a connection
    /// under this policy. What is wrong is the doing of `whose`.
    ///
    /// # Errors
    /// `Refused` where it is not.
    pub(crate) fn check(
        &self,
        relays: &[Identity],
        policy: &Policy,
        recording: &Recording,
        whose: Whose,
    ) -> Result<()> {
        self.check_signature(relays, whose)?;
        self.check_connection(policy, recording, whose)
    }

    /// Checks that one of these relays has signed it.
    ///
    /// # Errors
    /// As for [`SignedRecord::check`].
    pub(crate) fn check_signature(&self, relays: &[Identity], whose: Whose) -> Result<()> {
        let refuse = |why| Err(Refusal { at: Place::SignedRecord, why, whose }.into());
        if !relays.contains(&self.relay) {
            return refuse(Why::Relay(self.relay));
        }
        if !self.relay.has_signed(PURPOSE, &self.record.to_bytes(), &self.signature)? {
            return refuse(Why::RelaySignature);
        }
        Ok(())
    }

    /// Checks that it is of this recording, and of a connection under this policy.
    ///
    /// # Errors
    /// As for [`SignedRecord::check`].
    pub(crate) fn check_connection(
        &self,
        policy: &Policy,
        recording: &Recording,
        whose: Whose,
    ) -> Result<()> {
        let refuse = |why| Err(Refusal { at: Place::SignedRecord, why, whose }.into());
        let Record { host, recording: digest, passages, policy: of_policy, .. } = &self.record;
        if host != policy.host() {
            return refuse(Why::OtherHost(host.clone()));
        }
        if *of_policy != policy.digest() {
            return refuse(Why::OtherPolicy);
        }
        if *digest != recording.digest() || *passages as usize != recording.order().len() {
            return refuse(Why::OtherRecording);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Side;

    fn signed(address: &str, service: &str, prover: Option<u8>) -> SignedRecord {
        let mut recording = Recording::new();
        recording.push(Side::Client, b"up", 0);
        let record = Record {
            service: service.into(),
            id: [7; 16],
            host: "bank.example".into(),
            address: address.parse().unwrap(),
            times: [1, 2],
            recording: recording.digest(),
            passages: 1,
            policy: [3; 32],
            prover: prover.map(|byte| Identity::from_bytes([byte; 32])),
        };
        SignedRecord { relay: Identity::from_bytes([1; 32]), record, signature: [2; SIGNATURE] }
    }

    #[test]
    fn bytes_come_back_and_others_are_refused() {
        let longest = "x".repeat(MOST_SERVICE);
        for record in [
            signed("192.0.2.7:443", "", None),
            signed("[2001:db8::1]:8443", "balance", Some(4)),
            signed("[::1]:1", &longest, Some(0)),
        ] {
            let bytes = record.to_bytes();
            assert!(bytes.len() <= MOST);
            assert_eq!(SignedRecord::from_bytes(&bytes), Ok(record));
            for length in 0..bytes.len() {
                assert_eq!(SignedRecord::from_bytes(&bytes[..length]), Err(Why::Short), "{length}");
            }
            assert_eq!(SignedRecord::from_bytes(&[&bytes[..], &[0]].concat()), Err(Why::Long));
        }
        let bytes = signed("192.0.2.7:443", "a", None).to_bytes();
        let begin = 32 + SIGNATURE;
        for (place, byte) in [
            (begin, 2), // the version
            (begin + 1, MOST_SERVICE as u8 + 1),
            (begin + 2, b' '),   // the service
            (begin + 3 + 16, 0), // the length of the host
            (begin + 3 + 16 + 1, b'\n'),
            (begin + 3 + 16 + 13 + 18, 1), // it begins after it ends
            (bytes.len() - 1, 2),          // the prover
        ] {
            let mut changed = bytes.clone();
            changed[place] = byte;
            let refused = SignedRecord::from_bytes(&changed).unwrap_err();
            assert!(matches!(refused, Why::NotCanonical | Why::Short), "{place}: {refused}");
        }
    }
}
