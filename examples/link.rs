//! A proof between two parties that know each other's keys, by TLS 1.3.
//!
//! `cargo run --release -p example link`

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Identity, Listener, Party, SecretKey, Tcp, TlsConfig};
use volery::circuit::{Backend, Circuit};
use volery::{Error, F2, Field as _, Options, Result, prove, verify};

const TIMEOUT: Duration = Duration::from_secs(60);

/// "I know two bits whose product is one."
struct Product;

impl<B: Backend<F = F2>> Circuit<B> for Product {
    fn run(&self, b: &mut B) -> Result<()> {
        let (x, y) = (b.witness()?, b.witness()?);
        let product = b.mul(x, y)?;
        let one = b.constant(F2::ONE);
        let difference = b.add(product, one);
        b.assert_zero(difference, "the product is one")
    }
}

/// Has `key`, and proves to nobody but the verifier.
fn prover(key: &SecretKey, verifier: Identity, address: SocketAddr) -> Result<()> {
    let tls = TlsConfig::new(key, verifier.into())?;
    let tcp = Tcp::connect(address, TIMEOUT).map_err(Error::io("connecting"))?;
    let link = tls.connect(tcp).map_err(Error::io("shaking hands"))?;
    let mut channel = Channel::new(Party::Prover, link);
    prove(&Product, [F2::ONE, F2::ONE], &mut channel, &Options::default())?;
    channel.close()
}

/// Has `key`, and listens to nobody but the prover.
fn verifier(key: &SecretKey, prover: Identity, listener: &Listener) -> Result<()> {
    let tls = TlsConfig::new(key, prover.into())?;
    let turned_away = |from, why| eprintln!("{from} was turned away: {why}");
    let link = listener.accept_tls(&tls, TIMEOUT, turned_away).map_err(Error::io("listening"))?;
    println!("{} proves", link.peer());
    let mut channel = Channel::new(Party::Verifier, link);
    let (_accepted, report) = verify(&Product, &mut channel, &Options::default())?;
    channel.close()?;
    println!("accepted, with {} bits of statistical security", report.security.statistical);
    Ok(())
}

/// Runs both parties in one process.
pub fn main() -> Result<()> {
    // Each party has one, in a file: `SecretKey::read`. Who it makes the party, it tells the other.
    let (ours, theirs) = (SecretKey::generate()?, SecretKey::generate()?);
    let (verifies, proves) = (ours.identity(), theirs.identity());
    let listener = Listener::bind("127.0.0.1:0").map_err(Error::io("listening"))?;
    let address = listener.local_addr().map_err(Error::io("listening"))?;
    let proving = thread::spawn(move || prover(&theirs, verifies, address));
    verifier(&ours, proves, &listener)?;
    proving.join().expect("the prover does not panic")
}
