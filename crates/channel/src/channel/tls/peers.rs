//! The peers of a party, by their identities.

use super::Identity;
use crate::error::{Error, Result};

/// The identities that a party talks to, with a name for each where it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peers(Vec<(Identity, String)>);

impl Peers {
    /// Adds `identity`, called `name`; an empty name is none.
    pub fn add(&mut self, identity: Identity, name: impl Into<String>) {
        self.0.push((identity, name.into()));
    }

    /// Adds the peers of a text: an identity on each line, and behind it, if there is one, its name. Empty
    /// lines and those that begin with `#` are left out.
    ///
    /// # Errors
    /// `Invalid` with the number of the first line that is none of these.
    pub fn add_lines(&mut self, text: &str) -> Result<()> {
        for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (identity, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let at_line = |why| Error::invalid(format!("line {}: {why}", i + 1));
            let name = name.trim();
            if name.chars().any(char::is_control) {
                return Err(at_line("a name holds no control characters".into()));
            }
            self.add(identity.parse().map_err(|why| at_line(format!("{why}")))?, name);
        }
        Ok(())
    }

    /// Whether there are no peers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All peers, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Identity, &str)> {
        self.0.iter().map(|(identity, name)| (*identity, &**name))
    }

    /// The name of the peer `identity`, empty if it has none; `None` where `identity` is no peer.
    pub fn name(&self, identity: Identity) -> Option<&str> {
        self.iter().find(|(one, _)| *one == identity).map(|(_, name)| name)
    }
}

impl From<Identity> for Peers {
    fn from(identity: Identity) -> Self {
        Self(vec![(identity, String::new())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::tls::tests::identity;

    #[test]
    fn lines_are_read() {
        let mut peers = Peers::default();
        let (one, two) = (identity(1), identity(2));
        peers.add_lines(&format!("\u{feff}# ours\r\n\r\n{one}\n\t {two}   Bob of the bank \r\n")).unwrap();
        assert_eq!(peers.iter().collect::<Vec<_>>(), [(one, ""), (two, "Bob of the bank")]);
        assert_eq!(
            [one, two, identity(3)].map(|who| peers.name(who)),
            [Some(""), Some("Bob of the bank"), None]
        );
        let why = peers.add_lines(&format!("{one}\n\nvolery1qq")).unwrap_err().to_string();
        assert!(why.starts_with("line 3: a letter"), "{why}");
        let why = peers.add_lines(&format!("{one} Bo\u{1b}b")).unwrap_err().to_string();
        assert!(why.starts_with("line 1: a name"), "{why}");
    }
}
