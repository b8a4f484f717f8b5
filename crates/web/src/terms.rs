//! Terms of a web proof, of which both sides must have the same: said, and compared, before anything else.
//!
//! | part | bytes |
//! |---|---|
//! | the first bytes of volery's protocols, and `web4` | 12 |
//! | digests of the policy, the roots, the pins | 3 · 32 |
//! | form; and by sixteens whether a record is signed: 0 none, 1 one, 2 one that names the prover | 1 |
//! | limits: up, down, the total in milliseconds, silence, clock, the expected length | 6 · 8 |
//!
//! Behind its own the prover says whether it is going to prove something here (1), or wants a signed record alone (0).
//! Both sides send theirs at once, and then read the other's. Where they differ nothing has been revealed but these.

use crate::error::{Disagreement, Error, Result};
use crate::policy::Policy;
use crate::statement::Form;
use crate::tls::{Roots, Suite};
use crate::tunnel::Limits;
use sha2::{Digest, Sha256};
use std::io::{self, ErrorKind};
use volery::channel::{Link, MAGIC};
use volery::circuit::Size;

/// The first bytes behind those of all of volery's protocols: this one, and its version.
const WEB: [u8; 4] = *b"web4";

/// Bytes of the begin, which says the protocol.
const BEGIN: usize = MAGIC.len() + WEB.len();

/// The parts behind the begin, with their bytes.
const PARTS: [(&str, usize); 5] =
    [("policy", 32), ("roots", 32), ("pinned keys", 32), ("form", 1), ("limits", 48)];

/// ANDs of the keys of both directions at most, which are those of AES (see [`statement`](crate::statement)).
const KEYS: u64 = 28 * 22_271 + 2 * 6_400;

/// Commitments for those keys where SHA-256 has holes, and for what has them in common with AES.
const KEYS_BY_HOLES: u64 = 28 * 5_888;

/// Commitments of a block of AES, by gates and by holes, most of whose counter others have, too; and of one of ChaCha20.
const BLOCK: [u64; 2] = [4_256, 1_064];
const CHACHA_BLOCK: u64 = 9_942;

/// Bytes of a request and of both heads, as they usually are, and blocks for tags and types.
const USUAL: (u64, u64) = (1024, 16);

/// ANDs of a byte at most: a record without content has 22, and two blocks of the key stream; and a byte that is hidden
/// has a class, or is one of a value that is hidden whole.
const fn ands_of_byte(suite: Suite) -> u64 {
    let of_blocks = match suite {
        Suite::Aes128 => 2 * 5_120,
        Suite::ChaCha20 => 2 * 9_942 + 457,
    };
    of_blocks / 22 + 32
}

/// Bytes that are held for one that is recorded, at most: itself; six of the opening, where each byte is a part of its
/// own; that part; the bytes of the skeleton and of the body; a value of JSON for each two of them, hidden whole; and what
/// is demanded of it in the statement. In the test `memory_is_as_foretold` of volery-serve these came to 97.
const HELD_OF_BYTE: u64 = 128;

/// Bytes that are held, beside, for one of a body that a program reads: its bits on wires, by the recorder and by the proof
/// system, and its places in lists of them. Both together came to 695 of a body of 200 KB.
const HELD_OF_READ: u64 = 768;

/// The settings that both sides of a web proof must agree on.
#[derive(Clone, Copy)]
pub struct Terms<'t> {
    /// The request, and what its answer has to be.
    pub policy: &'t Policy,
    /// The authorities that have to certify the server, for the verifier.
    pub roots: &'t Roots,
    /// Limits of the connection.
    pub limits: Limits,
    /// The way to state ciphers.
    pub form: Form,
    /// Whether the verifier signs a record of the connection.
    pub signing: Signing,
}

/// Whether the verifier signs a [record](crate::record) of the connection, once it is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Signing {
    /// No record is signed.
    #[default]
    Nothing,
    /// A record is signed.
    Record,
    /// A record is signed, and names the prover by the key of its link.
    RecordOfProver,
}

impl Terms<'_> {
    /// The first message of either side, as above.
    pub fn greeting(&self) -> Vec<u8> {
        let Limits { up, down, total, silence, clock, expected } = self.limits;
        let millis = [total, silence, clock].map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let [total, silence, clock] = millis;
        let limits = [up as u64, down as u64, total, silence, clock, expected as u64].map(u64::to_be_bytes);
        let [anchors, pins] = self.roots.digests();
        let form = [self.form as u8 | (self.signing as u8) << 4];
        [&MAGIC[..], &WEB, &self.policy.digest(), &anchors, &pins, &form, limits.as_flattened()].concat()
    }

    /// The size of a statement about an answer of the length that is expected, more or less.
    pub(crate) fn expected(&self) -> Size {
        let (bytes, more) = (self.limits.expected as u64 + USUAL.0, USUAL.1);
        let [by_gates, by_holes] = BLOCK;
        let keys = if self.form == Form::Holes { KEYS_BY_HOLES } else { KEYS };
        // The suite that is offered first.
        Size::gates(match (self.policy.suites()[0], self.form) {
            (Suite::ChaCha20, _) => keys + CHACHA_BLOCK * (bytes / 64 + more),
            (Suite::Aes128, Form::Gates) => keys + by_gates * (bytes / 16 + more),
            (Suite::Aes128, Form::Mixed | Form::Holes) => keys + by_holes * (bytes / 16 + more),
        })
    }

    /// The most ANDs of a proof on these terms: by gates, of records as short as those of TLS can be.
    pub fn most_ands(&self) -> u64 {
        let of_byte = self.policy.suites().iter().map(|suite| ands_of_byte(*suite)).max();
        KEYS + of_byte.expect("a suite") * self.most_recorded() + self.policy.ands_of_claims()
    }

    /// The most bytes that a verifier holds at once for a session on these terms, beside its link and the proof
    /// system: what is recorded, the opening, and what both come to.
    pub fn most_memory(&self) -> u64 {
        let read = if self.policy.program().is_some() { HELD_OF_READ * self.limits.down as u64 } else { 0 };
        HELD_OF_BYTE * self.most_recorded() + read + self.policy.bytes_of_claims()
    }

    /// The most bytes of a recording.
    fn most_recorded(&self) -> u64 {
        let Limits { up, down, .. } = self.limits;
        (up as u64).saturating_add(down as u64)
    }

    /// A digest of all terms.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.greeting()).into()
    }

    /// Step 0: says the terms, and compares them with the other side's. A prover says whether it `proves` something, and a
    /// verifier is told so.
    ///
    /// # Errors
    /// `Disagreed` where they differ; `Io`.
    pub(crate) fn agree(&self, link: &mut dyn Link, proves: Option<bool>) -> Result<bool> {
        let doing = "comparing the terms";
        let here = self.greeting();
        let said = proves.map(|proves| [proves.into()]);
        let sent = link.send(&here).and_then(|()| link.send(said.as_slice().as_flattened()));
        sent.and_then(|()| link.flush()).map_err(Error::io(doing))?;
        let mut there = vec![0; here.len()];
        let (begin, rest) = there.split_at_mut(BEGIN);
        link.recv(begin).map_err(Error::io(doing))?;
        if begin[..] != here[..BEGIN] {
            let why = "the peer does not speak of web proofs, or of another version; a service wants one to be asked \
                       for by its name";
            return Err(Error::io(doing)(io::Error::new(ErrorKind::InvalidData, why)));
        }
        link.recv(rest).map_err(Error::io(doing))?;
        let (mut here, mut there) = (&here[BEGIN..], &*rest);
        for (what, length) in PARTS {
            let (mine, theirs) = (&here[..length], &there[..length]);
            if mine != theirs {
                // The other side reads what it was sent before it notices that nothing follows.
                let _ = link.close();
                return Err(differing(what, mine, theirs).into());
            }
            (here, there) = (&here[length..], &there[length..]);
        }
        if let Some(proves) = proves {
            return Ok(proves);
        }
        let mut proves = [0];
        link.recv(&mut proves).map_err(Error::io(doing))?;
        match (proves, self.signing) {
            ([1], _) => Ok(true),
            ([0], Signing::Record | Signing::RecordOfProver) => Ok(false),
            _ => {
                let why = "the prover wants a record, and the terms have none";
                Err(Error::io(doing)(io::Error::new(ErrorKind::InvalidData, why)))
            }
        }
    }
}

/// The disagreement of two sides on a part.
fn differing(what: &'static str, mine: &[u8], theirs: &[u8]) -> Disagreement {
    // Two parts share a byte.
    let [mine, theirs] = [mine, theirs].map(|part| match what {
        "form" => [part[0] & 15, part[0] >> 4].to_vec(),
        _ => part.to_vec(),
    });
    let what = if what == "form" && mine[0] == theirs[0] { "record" } else { what };
    let [here, there] = [mine, theirs].map(|part| shown(what, &part));
    Disagreement { what, here, there }
}

/// A part for people: the begin of a digest, or numbers.
fn shown(what: &str, part: &[u8]) -> String {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    match what {
        "form" => match part[0] {
            0 => "gates".into(),
            1 => "mixed".into(),
            2 => "holes".into(),
            other => other.to_string(),
        },
        "record" => match part[1] {
            0 => "none".into(),
            1 => "a signed one".into(),
            2 => "one that names the prover".into(),
            other => other.to_string(),
        },
        "limits" => {
            let names = ["up", "down", "milliseconds", "silence", "clock", "expected"];
            let limits = names.iter().zip(part.chunks(8));
            limits.map(|(name, bytes)| format!("{name} {}", number(bytes))).collect::<Vec<_>>().join(" ")
        }
        _ => part[..4].iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "…",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Wanted;
    use crate::tls::script;
    use core::time::Duration;
    use volery::channel::pipe;

    fn policy(target: &str) -> Policy {
        Policy::new(Wanted {
            host: script::NAME.into(),
            port: 443,
            suites: vec![Suite::default()],
            target: target.into(),
            fields: vec![],
            shown_fields: vec![],
            status: vec![200],
            content_type: None,
            reveal: vec![],
            claims: vec![],
            program: None,
            choose: Default::default(),
        })
        .unwrap()
    }

    /// How two sides with these terms end.
    fn ended(one: &Terms<'_>, other: &Terms<'_>) -> [Result<()>; 2] {
        let (mut here, mut there) = pipe(Duration::from_secs(20));
        std::thread::scope(|scope| {
            let other = scope.spawn(move || other.agree(&mut there, None).map(drop));
            [one.agree(&mut here, Some(true)).map(drop), other.join().unwrap()]
        })
    }

    #[test]
    fn terms_are_compared() {
        let (mine, roots) = (policy("/balance"), script::roots());
        let (limits, signing) = (Limits::default(), Signing::Nothing);
        let terms = Terms { policy: &mine, roots: &roots, limits, form: Form::Gates, signing };
        assert_eq!(terms.greeting().len(), 157);
        assert!(ended(&terms, &terms).iter().all(Result::is_ok));
        let other = policy("/other");
        let other_roots = Roots::from_pem(include_bytes!("../tests/certificates/other-root.pem")).unwrap();
        let pinned = roots.clone().pinned(vec![[1; 32]]);
        let limits = |change: fn(&mut Limits)| {
            let mut limits = terms.limits;
            change(&mut limits);
            Terms { limits, ..terms }
        };
        for (there, what) in [
            (Terms { policy: &other, ..terms }, "policy"),
            (Terms { roots: &other_roots, ..terms }, "roots"),
            (Terms { roots: &pinned, ..terms }, "pinned keys"),
            (Terms { form: Form::Holes, ..terms }, "form"),
            (Terms { signing: Signing::Record, ..terms }, "record"),
            (Terms { signing: Signing::RecordOfProver, ..terms }, "record"),
            (limits(|limits| limits.up += 1), "limits"),
            (limits(|limits| limits.down += 1), "limits"),
            (limits(|limits| limits.total *= 2), "limits"),
            (limits(|limits| limits.silence *= 2), "limits"),
            (limits(|limits| limits.clock *= 2), "limits"),
            (limits(|limits| limits.expected += 1), "limits"),
        ] {
            for ended in ended(&terms, &there) {
                let Err(Error::Disagreed(why)) = ended else { panic!("{what}") };
                assert!(why.to_string().contains(&format!("disagree on the {what}")), "{why}");
            }
            assert_ne!(terms.digest(), there.digest());
        }
        let [here, _] = ended(&terms, &Terms { form: Form::Holes, ..terms });
        assert!(here.unwrap_err().to_string().contains("disagree on the form: gates here, holes there"));
        let [_, there] = ended(&terms, &Terms { signing: Signing::RecordOfProver, ..terms });
        assert!(
            there.unwrap_err().to_string().contains("record: one that names the prover here, none there")
        );
        // The order in which pins are written means nothing.
        let pins = |pins: [u8; 2]| roots.clone().pinned(pins.map(|pin| [pin; 32]).to_vec()).digests();
        assert_eq!(pins([1, 2]), pins([2, 1]));
    }
}
