//! Any bytes as a key file, an identity, and a file of peers: never a panic, and what is read is written and
//! read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::channel::{Identity, Peers, SecretKey};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(key) = SecretKey::from_pem(bytes) {
        let again = SecretKey::from_pem(key.to_pem().as_bytes()).expect("what was written");
        assert_eq!(again.identity(), key.identity());
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(identity) = text.parse::<Identity>() {
        assert_eq!(identity.to_string().parse(), Ok(identity));
        assert_eq!(identity.to_string(), text.to_ascii_lowercase());
    }
    let mut peers = Peers::default();
    if peers.add_lines(text).is_ok() {
        let lines: Vec<_> = peers.iter().map(|(identity, name)| format!("{identity} {name}\n")).collect();
        let mut again = Peers::default();
        again.add_lines(&lines.concat()).expect("what was written");
        assert_eq!(again, peers);
    }
});
