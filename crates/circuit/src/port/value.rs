//! Values of ports: bits that may be secret.

use super::{FixedPoint, Port, counted};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::path::Path;
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

/// A value of a program's port.
pub trait PortValue: Clone {
    /// The unit of widths: `bit` or `element`.
    const UNIT: &'static str;

    /// Reads the value that is written in `text`.
    ///
    /// # Errors
    /// `Invalid` with the place of what is malformed.
    fn from_text(text: &[u8]) -> Result<Self>;

    /// Reads the value that is written in a file, from all its bytes.
    ///
    /// # Errors
    /// As for [`PortValue::from_text`].
    fn from_content(content: &[u8]) -> Result<Self>;

    /// Reads the value from the encodings of its elements, each of [`Field::BYTES`] bytes, the least
    /// significant first.
    ///
    /// # Errors
    /// `Invalid` with the number of an element whose encoding is not canonical, or that is cut off.
    fn from_encodings(encodings: &[u8]) -> Result<Self>;

    /// Reads the value of a port whose elements stand for real numbers, as [`FixedPoint::read`] does: from text, or
    /// from all bytes of a file.
    ///
    /// # Errors
    /// `Invalid` as there, and where values are no integers.
    fn from_fixed(_written: &[u8], _of: &FixedPoint) -> Result<Self> {
        Err(Error::invalid(format!("the value is of {}s, which stand for no real numbers", Self::UNIT)))
    }

    /// Writes the value, as [`PortValue::from_text`] reads it. For values that are no secret.
    fn to_text(&self) -> String;

    /// Fits the value to the width of `port`.
    ///
    /// # Errors
    /// `Invalid` that names both widths.
    fn fit(self, port: &Port) -> Result<Self>;

    /// The value of `width` zeros.
    fn zeros(width: u64) -> Self;

    /// The encoding of the value, which is public: no other value of its width has the same.
    fn encoding(&self) -> Cow<'_, [u8]>;
}

/// The bits of a port, first wire first. Wiped when dropped; no error and no `Debug` shows them.
///
/// Parsing takes the same time for all values of a length, but for the place of a malformed character.
#[derive(Clone)]
pub struct Value {
    /// Bit i is bit i mod 8 of byte i / 8; bits from `width` on are zero.
    packed: Zeroizing<Vec<u8>>,
    width: u64,
    form: Form,
}

/// The widest port, in bits, whose values are numbers of any count of hexadecimal digits. Those of wider ones are
/// digests and keys, of which fewer digits are some that were lost.
const NUMBER: u64 = 64;

/// The notation of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Decimal digits, whose count says nothing of the wires.
    Decimal,
    /// Hexadecimal digits. The highest may stand for fewer than four wires.
    Digits,
    Bits,
    Bytes,
}

impl Value {
    /// A number in hexadecimal digits, with or without `0x` before them: the least significant bit is on the
    /// first wire. n digits make 4n bits; a port of up to 64 bits takes any count of them where the number fits it, and
    /// a wider one as many as it has, with zeros for surplus bits.
    ///
    /// # Errors
    /// `Invalid` with the place of a character that is no digit.
    pub fn from_number_hex(text: &str) -> Result<Self> {
        let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
        let mut packed = Zeroizing::new(vec![0; digits.len().div_ceil(2)]);
        for (i, &digit) in digits.iter().rev().enumerate() {
            let decimal = digit.wrapping_sub(b'0') < 10;
            let letter = (digit | 0x20).wrapping_sub(b'a') < 6;
            if !(decimal | letter) {
                let place = text.len() - i;
                return Err(Error::invalid(format!("character {place} is not a hexadecimal digit")));
            }
            // Letters have bit 6 set, and the low half of 'a' is 1.
            let value = (digit & 0xf) + 9 * (digit >> 6);
            packed[i / 2] |= value << (4 * (i % 2));
        }
        Ok(Self { packed, width: 4 * digits.len() as u64, form: Form::Digits })
    }

    /// A number in decimal digits: the least significant bit is on the first wire of a port that it fits.
    ///
    /// # Errors
    /// `Invalid` with the place of a character that is no digit, and where there are more than 4096.
    fn from_decimal(text: &str) -> Result<Self> {
        const MOST: usize = 1 << 12;
        if text.len() > MOST {
            return Err(Error::invalid(format!(
                "more than {MOST} decimal digits: write the number in hexadecimal ones, behind 0x"
            )));
        }
        // A digit takes less than four bits.
        let mut packed = Zeroizing::new(vec![0; text.len().div_ceil(2)]);
        for (i, digit) in text.bytes().enumerate() {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                return Err(Error::invalid(format!("character {} is not a decimal digit", i + 1)));
            }
            packed.iter_mut().fold(u16::from(digit), |carry, byte| {
                let product = 10 * u16::from(*byte) + carry;
                *byte = product as u8;
                product >> 8
            });
        }
        let width = 8 * packed.len() as u64;
        Ok(Self { packed, width, form: Form::Decimal })
    }

    /// Bits in wire order, with or without `0b` before them: the first character is on the first wire.
    ///
    /// # Errors
    /// `Invalid` with the place of a character that is neither `0` nor `1`.
    pub fn from_bits_text(text: &str) -> Result<Self> {
        let bits = text.strip_prefix("0b").unwrap_or(text).as_bytes();
        let mut packed = Zeroizing::new(vec![0; bits.len().div_ceil(8)]);
        for (i, &bit) in bits.iter().enumerate() {
            if bit & !1 != b'0' {
                let place = text.len() - bits.len() + i + 1;
                return Err(Error::invalid(format!("character {place} is neither 0 nor 1")));
            }
            packed[i / 8] |= (bit & 1) << (i % 8);
        }
        Ok(Self { packed, width: bits.len() as u64, form: Form::Bits })
    }

    /// The number that `bytes` print as, most significant byte first.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut packed = Zeroizing::new(bytes.to_vec());
        packed.reverse();
        Self { packed, width: 8 * bytes.len() as u64, form: Form::Bytes }
    }

    /// Writes the value as a number in hexadecimal digits behind `0x`, as [`Value::from_number_hex`] reads
    /// it. For values that are no secret.
    pub fn to_number_hex(&self) -> String {
        let digits = self.width.div_ceil(4);
        let digit = |i: u64| self.packed[(i / 2) as usize] >> (4 * (i % 2)) & 0xf;
        let digits = (0..digits).rev().map(|i| char::from_digit(digit(i).into(), 16).expect("a digit"));
        "0x".chars().chain(digits).collect()
    }

    /// A value of `width` bits, all zero.
    pub fn zeros(width: u64) -> Self {
        Self { packed: Zeroizing::new(vec![0; width.div_ceil(8) as usize]), width, form: Form::Bits }
    }

    /// Sets bit `i`, which is zero so far.
    ///
    /// # Panics
    /// Where the value has no such bit.
    pub fn set(&mut self, i: u64, bit: F2) {
        self.packed[(i / 8) as usize] |= (bit.to_word() as u8) << (i % 8);
    }

    /// The number of bits.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Bit `i`, which is on wire `i` of the port.
    ///
    /// # Panics
    /// Where the value has no such bit.
    pub fn bit(&self, i: u64) -> F2 {
        F2::low_bit((self.packed[(i / 8) as usize] >> (i % 8)).into())
    }

    /// The bits packed eight to a byte, those of the first wires in the low bits of the first byte.
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }
}

impl PortValue for Value {
    const UNIT: &'static str = "bit";

    /// Reads `0x…`, `0b…`, `text:…`, or a number in decimal digits.
    fn from_text(text: &[u8]) -> Result<Self> {
        if let Some(text) = text.trim_ascii_start().strip_prefix(b"text:") {
            return Ok(Self::from_bytes(text));
        }
        let text = text.trim_ascii();
        let parse = match text.first_chunk() {
            Some(b"0x") => Self::from_number_hex,
            Some(b"0b") => Self::from_bits_text,
            _ if text.first().is_some_and(u8::is_ascii_digit) => Self::from_decimal,
            _ => {
                return Err(Error::invalid(
                    "the value begins with none of 0x, for hexadecimal digits, 0b, for bits, text:, for bytes, and decimal \
                     digits",
                ));
            }
        };
        let digits = str::from_utf8(text)
            .map_err(|_| Error::invalid("the value has characters that are no digits"))?;
        if matches!(digits, "0x" | "0b") {
            return Err(Error::invalid("the value has no digits"));
        }
        parse(digits)
    }

    fn from_content(content: &[u8]) -> Result<Self> {
        Ok(Self::from_bytes(content))
    }

    fn from_encodings(encodings: &[u8]) -> Result<Self> {
        let mut value = Self::zeros(encodings.len() as u64);
        for (i, &bit) in encodings.iter().enumerate() {
            let bit = F2::decode(&[bit]).ok_or_else(|| not_canonical(i, encodings.len(), F2::NAME))?;
            value.set(i as u64, bit);
        }
        Ok(value)
    }

    fn to_text(&self) -> String {
        // No digits are a value that was cut off.
        if self.width == 0 { "text:".into() } else { self.to_number_hex() }
    }

    fn fit(mut self, port: &Port) -> Result<Self> {
        let Port { name, width, .. } = port;
        let bits = |count| counted(count, Self::UNIT);
        let as_many = self.width / 4 == width.div_ceil(4);
        let is_number = match self.form {
            Form::Decimal => true,
            Form::Digits => as_many || *width <= NUMBER,
            Form::Bits | Form::Bytes => false,
        };
        if is_number {
            let bytes = width.div_ceil(8) as usize;
            let (low, high) = self.packed.split_at(bytes.min(self.packed.len()));
            let top =
                low.get(bytes.wrapping_sub(1)).filter(|_| width % 8 > 0).map_or(0, |top| top >> (width % 8));
            if high.iter().fold(top, |above, byte| above | byte) != 0 {
                return Err(Error::invalid(format!(
                    "{name} is {} wide, and the number given for it needs more",
                    bits(*width)
                )));
            }
            // What grows leaves a copy behind.
            let mut packed = Zeroizing::new(vec![0; bytes]);
            packed[..low.len()].copy_from_slice(low);
            (self.packed, self.width) = (packed, *width);
        }
        if self.width != *width {
            let in_bytes = |width: u64| match self.form {
                Form::Bytes if width.is_multiple_of(8) => format!(" ({})", counted(width / 8, "byte")),
                _ => String::new(),
            };
            let newline = self.form == Form::Bytes && self.packed.first() == Some(&b'\n');
            let why = if newline && self.width == width + 8 {
                ": the file ends in a newline, write it with printf"
            } else {
                ": nothing is padded in silence"
            };
            return Err(Error::invalid(format!(
                "{name} is {} wide{}, and the value given for it has {}{}{why}",
                bits(*width),
                in_bytes(*width),
                bits(self.width),
                in_bytes(self.width)
            )));
        }
        Ok(self)
    }

    fn zeros(width: u64) -> Self {
        Self::zeros(width)
    }

    fn encoding(&self) -> Cow<'_, [u8]> {
        self.packed().into()
    }
}

/// The error where element `i` of so many has an encoding that no element of `field` has.
pub(super) fn not_canonical(i: usize, of: usize, field: &str) -> Error {
    Error::invalid(format!("element {} of {of} is none of {field}", i + 1))
}

/// Values by the names of their ports. A value for `a@*` goes to all of the ports `a@0`, `a@1`, … (an input
/// in each step of a circuit) that have none of their own.
#[derive(Clone)]
pub struct Values<V = Value> {
    values: BTreeMap<String, V>,
    /// The names for several ports, such as `a@*`, whose value was taken.
    taken: BTreeSet<String>,
    /// The ports that take real numbers, by their names.
    fixed: BTreeMap<String, FixedPoint>,
}

impl<V> Default for Values<V> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), taken: BTreeSet::new(), fixed: BTreeMap::new() }
    }
}

impl<V> Values<V> {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// A set without values, to which values of these ports are read as their elements are meant.
    pub fn of<'p>(ports: impl IntoIterator<Item = &'p Port>) -> Self {
        Self { fixed: FixedPoint::of_ports(&mut ports.into_iter()), ..Self::new() }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// `Invalid` where `name` has one.
    pub fn insert(&mut self, name: impl Into<String>, value: V) -> Result<()> {
        let name = name.into();
        if self.values.contains_key(&name) {
            return Err(Error::invalid(format!("{name} is given twice: give each value once")));
        }
        self.values.insert(name, value);
        Ok(())
    }

    /// The names that have values, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().filter(|name| !self.taken.contains(*name)).map(String::as_str)
    }

    /// Whether no value was added.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Gives values whose names have another one by `to` that name.
    ///
    /// # Errors
    /// `Invalid` where both names have a value.
    pub fn rename<'n>(&mut self, to: impl Fn(&str) -> Option<&'n str>) -> Result<()> {
        let renamed = self.values.keys().filter_map(|name| Some((name.clone(), to(name)?)));
        for (name, to) in renamed.collect::<Vec<_>>() {
            if self.values.contains_key(to) {
                return Err(Error::invalid(format!("{name} and {to} are the same: give one of them")));
            }
            let value = self.values.remove(&name).expect("a value of this name");
            self.values.insert(to.to_owned(), value);
        }
        Ok(())
    }

    /// Takes the value of `port` out, if it has one.
    pub fn take(&mut self, port: &Port) -> Result<Option<V>>
    where
        V: PortValue,
    {
        let mut value = self.values.remove(&port.name);
        if value.is_none() {
            // What comes out in the last step has the name alone.
            let name = port.name.rsplit_once('@').map_or(port.name.as_str(), |(name, _)| name);
            let name = format!("{name}@*");
            value = self.values.get(&name).cloned();
            if value.is_some() {
                self.taken.insert(name);
            }
        }
        value.map(|value| value.fit(port)).transpose()
    }
}

/// A value that is yet to be read, by a reader who knows the field.
#[derive(Clone, Copy)]
pub enum Written<'a> {
    /// Text as it is typed, which [`PortValue::from_text`] reads.
    Text(&'a [u8]),
    /// All bytes of a file, and its path where errors are to name it.
    Content(&'a [u8], Option<&'a Path>),
    /// Encodings of elements, which [`PortValue::from_encodings`] reads: for readers of other formats.
    Encodings(&'a [u8]),
}

/// [`Values`] over a field that the caller does not know.
pub trait ReadValues {
    /// Reads the value `written`, and adds it. No error shows it.
    ///
    /// # Errors
    /// `Invalid` where `name` has one, or the value is malformed.
    fn read(&mut self, name: &str, written: Written<'_>) -> Result<()>;
}

impl<V: PortValue> ReadValues for Values<V> {
    fn read(&mut self, name: &str, written: Written<'_>) -> Result<()> {
        let fixed = self.fixed.get(name);
        let value = match (written, fixed) {
            (Written::Encodings(encodings), _) => V::from_encodings(encodings),
            (Written::Text(written) | Written::Content(written, _), Some(fixed)) => {
                V::from_fixed(written, fixed)
            }
            (Written::Text(text), None) => V::from_text(text),
            (Written::Content(content, _), None) => V::from_content(content),
        };
        let value = value.map_err(|why| match written {
            Written::Content(_, Some(path)) => Error::invalid(format!("{}: {why}", path.display())),
            _ => why,
        });
        self.insert(name, value.map_err(|why| Error::invalid(format!("{name}: {why}")))?)
    }
}

/// Names and values, sorted by name.
impl<V> IntoIterator for Values<V> {
    type Item = (String, V);
    type IntoIter = btree_map::IntoIter<String, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}
