//! Values of ports: integers modulo a prime whose field no proof is over, in bits; they may be secret.

use super::elements::{digits, numbers};
use super::value::not_canonical;
use super::{Port, Sequence, Written, counted};
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, U256, bits};
use zeroize::Zeroizing;

/// A port that takes residues.
#[derive(Clone, Debug)]
pub struct ResiduePort {
    /// The name of the port.
    pub name: String,
    /// The modulus of its values.
    pub modulus: U256,
    /// The bytes of an encoding of one, as [`Written::Encodings`] has them.
    pub bytes: usize,
}

/// Residues in order: the value of a port. As a sequence of bits it has as many of each as the modulus has,
/// the least significant first. Wiped when dropped; no error and no `Debug` shows them.
#[derive(Clone)]
pub struct Residues {
    modulus: U256,
    numbers: Zeroizing<Vec<U256>>,
}

impl Residues {
    /// The value `written` for `port`: text as for [`Elements::parse`](super::Elements::parse).
    ///
    /// # Errors
    /// `Invalid` with the place of a number that is malformed, or not below the modulus.
    pub(super) fn read(written: Written<'_>, port: &ResiduePort) -> Result<Self> {
        let modulus = port.modulus;
        let parsed = |text| numbers(text, |number| residue(number, modulus));
        let read = match written {
            Written::Text(text) | Written::Content(text, None) => parsed(text)?,
            Written::Content(text, Some(path)) => {
                parsed(text).map_err(|why| Error::invalid(format!("{}: {why}", path.display())))?
            }
            Written::Encodings(encodings) => {
                let of = encodings.len().div_ceil(port.bytes);
                let mut numbers = Zeroizing::new(Vec::with_capacity(of));
                for (i, encoding) in encodings.chunks(port.bytes).enumerate() {
                    let (integer, rest) = encoding.split_at(encoding.len().min(32));
                    let integer = U256::from_bytes(integer);
                    let fits = encoding.len() == port.bytes && rest.iter().all(|byte| *byte == 0);
                    if !fits || !integer.overflowing_sub(modulus).1 {
                        return Err(not_canonical(i, of, &format!("the integers modulo {modulus}")));
                    }
                    numbers.push(integer);
                }
                numbers
            }
        };
        Ok(Self { modulus, numbers: read })
    }

    /// The residues as they are written. For values that are no secret.
    pub fn to_text(&self) -> String {
        self.numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }

    /// The encoding of the value, which is public: no other value of its length has the same.
    pub fn encoding(&self) -> Vec<u8> {
        let bytes = self.width().div_ceil(8);
        self.numbers.iter().flat_map(|number| number.to_bytes().into_iter().take(bytes)).collect()
    }

    /// The bits of each.
    fn width(&self) -> usize {
        self.modulus.length() as usize
    }

    /// Fits the value to the width of `port`.
    pub(super) fn fit(self, port: &Port) -> Result<Self> {
        let count = self.numbers.len() as u64;
        if count != port.width {
            return Err(Error::invalid(format!(
                "{} takes {}, with commas between them, and the value given for it has {}",
                port.name,
                counted(port.width, "element"),
                counted(count, "element")
            )));
        }
        Ok(self)
    }
}

impl Sequence<F2> for Residues {
    fn length(&self) -> u64 {
        (self.numbers.len() * self.width()) as u64
    }
    fn element(&self, i: u64) -> F2 {
        let width = self.width() as u64;
        let number = self.numbers[usize::try_from(i / width).expect("within memory")];
        F2::low_bit(number.bit((i % width) as u32).into())
    }
}

/// The residue that `number` writes, or what is wrong with it.
fn residue(number: &[u8], modulus: U256) -> Result<U256, String> {
    let (negative, unsigned) = number.strip_prefix(b"-").map_or((false, number), |rest| (true, rest));
    let integer = digits(number, unsigned)?.filter(|integer| integer.overflowing_sub(modulus).1);
    let integer = integer.ok_or_else(|| format!("the number is not below {modulus}, the modulus"))?;
    if !negative {
        return Ok(integer);
    }
    // Zero stays what it is.
    let some = integer.limbs().iter().fold(0, |all, limb| all | limb);
    let some = bits::mask((some | some.wrapping_neg()) >> 63);
    Ok(modulus.overflowing_sub(integer).0 & U256::from_limbs([some; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_read_below_their_modulus() {
        let port = ResiduePort { name: "private1".into(), modulus: 97_u64.into(), bytes: 1 };
        let read = |written| Residues::read(written, &port);
        let value = read(Written::Text(b"0, 96,-1,-0,0x10")).unwrap();
        assert_eq!(value.to_text(), "0,96,96,0,16");
        assert_eq!((value.encoding(), value.length()), (vec![0, 96, 96, 0, 16], 35));
        let bits: Vec<_> = (28..35).map(|i| u8::from(value.element(i) == F2::from(true))).collect();
        assert_eq!(bits, [0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(read(Written::Encodings(&[96, 5])).unwrap().to_text(), "96,5");
        assert!(value.fit(&Port::new("private1", 4)).is_err());
        for (wrong, why) in [
            (&b"97"[..], "the number is not below 97"),
            (b"1,-97", "number 2 of 2: the number is not below 97"),
            (b"", "the value is empty"),
            (b"1,,2", "there are no digits"),
            (b"x", "character 1 is not a decimal digit"),
            (b"0x10000000000000000000000000000000000000000000000000000000000000000", "not below 97"),
        ] {
            let refused = read(Written::Text(wrong)).err().map(|why| why.to_string()).unwrap();
            assert!(refused.contains(why), "{refused}");
        }
        let refused = read(Written::Encodings(&[5, 97])).err().map(|why| why.to_string()).unwrap();
        assert!(refused.contains("element 2 of 2 is none of the integers modulo 97"), "{refused}");
    }
}
