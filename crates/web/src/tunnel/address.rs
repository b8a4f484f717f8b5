//! The server's address: resolved by the verifier, and no address of a network of its own.

use crate::error::{Error, Result};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The longest wait for a connection to the server.
const CONNECT: Duration = Duration::from_secs(10);

/// A connection to the server `name`, at one of its public addresses: that is checked, and the checked one is
/// connected to.
///
/// # Errors
/// `Io` where it has no address, or none answers; `Address` where one is not public, or is this machine's.
pub fn connect(name: &str, port: u16) -> Result<TcpStream> {
    let doing = "connecting to the server";
    let addresses: Vec<SocketAddr> = (name, port).to_socket_addrs().map_err(Error::io(doing))?.collect();
    let refused = |address: IpAddr, rule| Error::Address { name: name.into(), address, rule };
    if let Some(address) = addresses.iter().find(|address| !is_public(address.ip())) {
        return Err(refused(address.ip(), "a verifier connects to public ones alone"));
    }
    let deadline = Instant::now() + CONNECT;
    let mut last = io::Error::new(ErrorKind::NotFound, "the name has no address");
    for address in &addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(address, left) {
            Ok(stream) => {
                let own = stream.local_addr().map_err(Error::io(doing))?;
                if own.ip() == address.ip() {
                    return Err(refused(own.ip(), "a verifier does not connect to itself"));
                }
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(Error::io(doing)(last))
}

/// Whether an address is one of the public internet, by the registries of addresses for special purposes (RFC 6890 and
/// its successors): nothing that a verifier's own network may have.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [0 | 10 | 127, ..] => true,
        [100, second, ..] => second & 0xc0 == 64,
        [169, 254, ..] | [192, 168, ..] => true,
        [172, second, ..] => second & 0xf0 == 16,
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        [198, second, ..] => second & 0xfe == 18,
        [first, ..] => first >= 224,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Global unicast alone (RFC 4291 section 2.4): all that maps or embeds an IPv4 address otherwise lies outside.
    match address.segments() {
        // Teredo, benchmarks, ORCHID, and others for protocols; documentation; and 6to4, which embeds IPv4.
        [0x2001, second, ..] => second >= 0x200 && second != 0xdb8,
        [0x2002, ..] => false,
        [0x3fff, second, ..] => second >= 0x1000,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_network_of_ones_own_are_refused() {
        let refused = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.1.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
        ];
        for address in refused {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "223.1.1.1",
            "2001:4860::8888",
            "2606:4700::1111",
            "2a00::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for name in ["127.0.0.1", "::1"] {
            assert!(matches!(connect(name, 1), Err(Error::Address { .. })));
        }
        // The verifier's own log has the address, and the prover is told the rule.
        let why = connect("localhost", 1).unwrap_err();
        let (logged, told) = (why.to_string(), why.told());
        assert!(logged.contains("127.0.0.1") || logged.contains("::1"), "{logged}");
        assert_eq!(told, "the address of localhost: a verifier connects to public ones alone");
        // In other notations, of which the resolver makes what they are.
        for name in ["0x7f000001", "2130706433", "127.1", "localhost"] {
            assert!(connect(name, 1).is_err(), "{name}");
        }
    }
}
