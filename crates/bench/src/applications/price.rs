//! An offer that a server made by TLS 1.3, for `builtin:price-discrimination`.

use super::{values, yes};
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, KeyInit, Nonce};
use sha2::{Digest, Sha256};
use volery::circuit::Values;
use volery::random::Random;

/// Bytes of the record where nothing else is asked for: the statement's default.
pub const LENGTH: usize = 272;

/// Bytes of a tag.
const TAG: usize = 16;

/// The type that ends the content of a record of application data.
const APPLICATION_DATA: u8 = 23;

/// The price of what is offered, and a threshold below it, in cents.
const PRICE: u32 = 1299;
const THRESHOLD: u32 = 999;

/// The public and the private values of a statement with `dearer` about a record of `length` bytes, under a
/// random key.
///
/// # Errors
/// None, but those of a name that is given twice.
///
/// # Panics
/// Where the record is shorter than its least object, 60 bytes.
pub fn sample(random: &mut Random, length: usize) -> volery::Result<(Values, Values)> {
    let (key, salt, nonce) = (random.bytes::<16>(), random.bytes::<16>(), random.bytes::<12>());
    let record = record(length);
    let [high, low] = ((length + TAG) as u16).to_be_bytes();
    let payload = Payload { msg: &record, aad: &[APPLICATION_DATA, 3, 3, high, low] };
    let cipher = Aes128Gcm::new_from_slice(&key).expect("16 bytes");
    let sealed = cipher.encrypt(&Nonce::from(nonce), payload).expect("a record is short");
    let (ciphertext, tag) = sealed.split_at(length);

    let commitment = Sha256::new().chain_update(key).chain_update(salt).finalize();
    let mut public = values([
        ("nonce", &nonce[..]),
        ("ciphertext", ciphertext),
        ("threshold", &THRESHOLD.to_be_bytes()),
        ("commitment", &commitment),
        ("tag", tag),
    ])?;
    public.insert("dearer", yes())?;
    Ok((public, values([("key", &key[..]), ("salt", &salt)])?))
}

/// An object of JSON with a price, filled up by what it says on the item, and the record's type.
fn record(length: usize) -> Vec<u8> {
    let (begin, end) = ("{\"item\":\"", "\"}");
    let price = format!("\",\"price\":{}.{:02},\"currency\":\"USD", PRICE / 100, PRICE % 100);
    let filled = length - begin.len() - price.len() - end.len() - 1;
    let item: String = "a pen of 'solid' steel, ".chars().cycle().take(filled).collect();
    let mut record = format!("{begin}{item}{price}{end}").into_bytes();
    record.push(APPLICATION_DATA);
    record
}
