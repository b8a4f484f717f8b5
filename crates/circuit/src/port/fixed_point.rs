//! Ports whose elements stand for real numbers: the values that are written as such.

use super::Port;
use super::elements::{in_radix, numbers};
use super::npy::Npy;
use std::collections::BTreeMap;
use volery_channel::error::{Error, Result};
use volery_primitives::U256;
use zeroize::Zeroizing;

/// The most digits behind a decimal point: fewer than a word has.
const MOST_DIGITS: usize = 19;

/// The numbers that a port's elements stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedPoint {
    /// The exponent, from −127 to 127: the element `a` stands for `a · 2^−exponent`.
    pub exponent: i32,
    /// The bits of `a`, which has a sign: 1 to 32.
    pub bits: u32,
    /// The shape, in whose row-major order elements are; none where it does not matter.
    pub shape: Vec<usize>,
}

impl FixedPoint {
    /// Whether `written` is text without a decimal point: integers, each the element itself.
    pub fn is_integers(written: &[u8]) -> bool {
        !Npy::is_one(written) && !written.contains(&b'.')
    }

    /// The integers that `written` means, each of which stands for the number nearest to one that is written, and for
    /// the larger of two: ⌊x · 2^exponent + 1/2⌋, in numbers of double precision where an array has floats.
    ///
    /// It is all bytes of a `.npy` file, whose whole numbers are these integers themselves; or numbers with commas between
    /// them: in decimal digits with a point, or all without one, which are the integers themselves, too.
    ///
    /// # Errors
    /// `Invalid` with the place of a number that is malformed or has more bits; it is not shown.
    ///
    /// # Panics
    /// Where the exponent or the bits are none.
    pub fn read(&self, written: &[u8]) -> Result<Zeroizing<Vec<i64>>> {
        assert!(self.exponent.abs() < 128 && (1..=32).contains(&self.bits), "{self:?}");
        if Npy::is_one(written) {
            return self.array(&Npy::read(written)?);
        }
        let has_points = written.contains(&b'.');
        numbers(written, |number| match has_points {
            true => self.decimal(number),
            false => self.integer(number),
        })
    }

    /// Demands that residues, `count` of them, stand for integers of as many bits.
    ///
    /// # Errors
    /// `Invalid` with the number of one that does not.
    pub(super) fn demand(
        &self,
        count: usize,
        modulus: U256,
        residues: &mut dyn Iterator<Item = U256>,
    ) -> Result<()> {
        let half = U256::from(self.half().cast_unsigned());
        let holds = |residue: U256| {
            let above = residue.overflowing_sub(half).1;
            let below = !half.overflowing_sub(modulus.overflowing_sub(residue).0).1;
            above | below
        };
        for (i, residue) in residues.enumerate() {
            if !holds(residue) {
                return Err(Error::invalid(format!("number {} of {count}: {}", i + 1, self.beyond())));
            }
        }
        Ok(())
    }

    /// The real numbers that ports take, by the names of these.
    pub(super) fn of_ports(ports: &mut dyn Iterator<Item = &Port>) -> BTreeMap<String, Self> {
        ports.filter_map(|port| Some((port.name.clone(), port.fixed_point.clone()?))).collect()
    }

    /// The words for a number that has more bits.
    fn beyond(&self) -> String {
        let half = self.half() as f64;
        let unit = f64::from(-self.exponent).exp2();
        format!(
            "the number needs more than {} bits, which reach from {} to {}: scale all of them into that",
            self.bits,
            -half * unit,
            (half - 1.0) * unit
        )
    }

    /// The magnitude that no element passes.
    fn half(&self) -> i64 {
        1 << (self.bits - 1)
    }

    /// Whether an integer has as many bits.
    fn holds(&self, integer: i128) -> bool {
        let half = i128::from(self.half());
        (-half..half).contains(&integer)
    }

    fn array(&self, array: &Npy<'_>) -> Result<Zeroizing<Vec<i64>>> {
        // A batch of one is none, and several are more of the same.
        let lengths = &self.shape[self.shape.iter().take_while(|length| **length == 1).count()..];
        let shape = array.shape();
        if shape.len() > 1 && !shape.ends_with(lengths) {
            return Err(Error::invalid(format!(
                "the .npy array is of the shape {shape:?}, and {:?} is taken: transpose it, or save x.ravel() if its \
                 elements are in this order",
                self.shape
            )));
        }
        let beyond = |i| Error::invalid(format!("the .npy array at {:?}: {}", array.place(i), self.beyond()));
        if let Some(whole) = array.integers() {
            let mut integers = Zeroizing::new(Vec::with_capacity(whole.len()));
            for (i, integer) in whole.enumerate() {
                integers.push(if self.holds(integer) { integer as i64 } else { return Err(beyond(i)) });
            }
            return Ok(integers);
        }
        let reals = array.floats().expect("numbers are whole, or floats");
        let scale = f64::from(self.exponent).exp2();
        let half = self.half() as f64;
        let mut integers = Zeroizing::new(Vec::with_capacity(reals.len()));
        for (i, real) in reals.enumerate() {
            let moved = real * scale + 0.5;
            // What is no number is in no range.
            if !(-half..half).contains(&moved) {
                return Err(beyond(i));
            }
            let towards_zero = moved as i64;
            integers.push(towards_zero - i64::from(towards_zero as f64 > moved));
        }
        Ok(integers)
    }

    /// The integer that `number` writes.
    fn integer(&self, number: &[u8]) -> Result<i64, String> {
        let (negative, digits) = sign(number);
        let magnitude = in_radix(number, digits, 10)?.map_or(u64::MAX, U256::saturated);
        self.signed(magnitude, negative)
    }

    /// The integer nearest to the real number that `number` writes, exactly.
    fn decimal(&self, number: &[u8]) -> Result<i64, String> {
        let (negative, unsigned) = sign(number);
        let Some(point) = unsigned.iter().position(|digit| *digit == b'.') else {
            return Err(format!(
                "there is no decimal point, as others have: write 1.0 for the number one; without a point in any of \
                 them 1 is the integer that stands for 2^{}",
                -self.exponent
            ));
        };
        let (whole, fraction) = (&unsigned[..point], &unsigned[point + 1..]);
        if fraction.len() > MOST_DIGITS {
            return Err(format!("there are more than {MOST_DIGITS} digits behind the point"));
        }
        let until = number.len() - fraction.len() - 1;
        let whole = in_radix(&number[..until], whole, 10)?;
        let fraction_of = in_radix(number, fraction, 10)?.map_or(0, U256::saturated);
        let ten = 10_u64.pow(fraction.len() as u32);
        // With x = integer / 10^n: ⌊(2 · integer · 2^e + 10^n) / (2 · 10^n)⌋, where a negative e scales the others.
        let (up, down) = (self.exponent.max(0).cast_unsigned(), (-self.exponent).max(0).cast_unsigned());
        let integer = whole.map(|whole| whole.mul_add(ten, fraction_of));
        let integer = integer.and_then(|(integer, above)| (above == 0).then_some(integer));
        let fits = |integer: &U256| *integer >> (254 - up) == U256::ZERO;
        let unit = U256::from(ten) << down;
        let Some(integer) = integer.filter(fits) else { return Err(self.beyond()) };
        let (sum, _) = (integer << (up + 1)).overflowing_add(unit);
        let (rounded, rest) = sum.divided(unit << 1).expect("no division by 0");
        // Behind a sign a half goes down.
        let is_half = negative & (rest == U256::ZERO);
        self.signed(rounded.saturated().saturating_sub(is_half.into()), negative)
    }

    fn signed(&self, magnitude: u64, negative: bool) -> Result<i64, String> {
        let integer = i128::from(magnitude);
        let integer = if negative { -integer } else { integer };
        if self.holds(integer) { Ok(integer as i64) } else { Err(self.beyond()) }
    }
}

/// Whether a number has a sign, and what is behind it.
fn sign(number: &[u8]) -> (bool, &[u8]) {
    number.strip_prefix(b"-").map_or((false, number), |rest| (true, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::{Elements, Port, PortValue, ReadValues, Value, Values, Written};
    use volery_primitives::{F2, F61, F128, Field};

    fn of(exponent: i32) -> FixedPoint {
        FixedPoint { exponent, bits: 16, shape: vec![1, 2, 3] }
    }

    fn read(exponent: i32, written: impl AsRef<[u8]>) -> Result<Vec<i64>, String> {
        of(exponent).read(written.as_ref()).map(|integers| integers.to_vec()).map_err(|why| why.to_string())
    }

    #[track_caller]
    fn refused<T>(read: Result<T, String>, words: &[&str]) {
        let why = read.err().expect("refused");
        assert!(words.iter().all(|word| why.contains(word)), "{why}\nwithout one of {words:?}");
    }

    fn array(descr: &str, shape: &[usize], numbers: &[u8]) -> Vec<u8> {
        [&Npy::head(descr, shape)[..], numbers].concat()
    }

    fn floats(shape: &[usize], numbers: &[f64]) -> Vec<u8> {
        array("<f8", shape, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
    }

    #[test]
    fn decimals_are_rounded_exactly() {
        assert_eq!(read(2, "0.5, -1.25,\n3.0 ").unwrap(), [2, -5, 12]);
        // A half goes up, for negative numbers too.
        let halves = "0.5,1.5,-0.5,-1.5,-0.49,-0.51,-0.0,0.4999999999999999999";
        assert_eq!(read(0, halves).unwrap(), [1, 2, 0, -1, 0, -1, 0, 0]);
        assert_eq!(read(0, "32767.49,-32768.5,-32768.0").unwrap(), [32_767, -32_768, -32_768]);
        assert_eq!(read(-3, "100.0,-4.0,-4.1,4.0").unwrap(), [13, 0, -1, 1]);
        assert_eq!(read(127, "0.0000000000000000000").unwrap(), [0]);
        let power = 2_u128.pow(126).to_string();
        assert_eq!(read(-126, format!("{power}.0,-{power}.0,0.5")).unwrap(), [1, -1, 0]);
        // Multiplied modulo 2^256 some would be 0.
        let power = |bits: u32| U256::from(1_u64) << bits;
        for (exponent, number) in [
            (0, "32767.5".to_string()),
            (0, "-32768.51".into()),
            (127, "0.5".into()),
            (10, "32.0".into()),
            (-127, format!("{}.0", "9".repeat(77))),
            (127, format!("{}.0", power(200))),
            (-127, format!("{}.00", power(255))),
        ] {
            let why = read(exponent, format!("0.0,{number}"));
            refused(why.clone(), &["number 2 of 2", "more than 16 bits"]);
            assert!(!why.unwrap_err().contains(&number));
        }
        refused(read(10, "99.0"), &["from -32 to 31.9990234375"]);
        refused(read(0, "0.5,1"), &["number 2 of 2: there is no decimal point, as others have"]);
        refused(read(0, "0.00000000000000000000"), &["more than 19 digits"]);
        refused(read(0, "1."), &["no digits"]);
        refused(read(0, ".5"), &["no digits"]);
        refused(read(0, "1.0x5"), &["character 4 is not a decimal digit"]);
        refused(read(0, "0x1.5"), &["character 2 is not a decimal digit"]);
        refused(read(0, "-1.2.3"), &["character 5 is not a decimal digit"]);
        refused(read(0, "1.-5"), &["character 3 is not a decimal digit"]);
        // Without a point they are the integers themselves.
        assert_eq!(read(10, "7,-32768,32767").unwrap(), [7, -32_768, 32_767]);
        refused(read(10, "7,32768"), &["number 2 of 2", "more than 16 bits"]);
        refused(read(10, "99999999999999999999999"), &["more than 16 bits"]);
    }

    #[test]
    fn arrays_are_rounded_as_they_lie() {
        let wide = FixedPoint { exponent: 1, bits: 16, shape: vec![] };
        let read_wide = |content: &[u8]| wide.read(content).unwrap().to_vec();
        assert_eq!(read_wide(&floats(&[3], &[0.25, -0.25, -0.26])), [1, 0, -1]);
        assert_eq!(read_wide(&floats(&[2], &[16_383.7, -16_384.25])), [32_767, -32_768]);
        assert_eq!(read_wide(&array("<f4", &[], &0.75_f32.to_le_bytes())), [2]);
        // Whole numbers are the integers themselves.
        assert_eq!(read_wide(&array("|i1", &[2], &[0x80, 3])), [-128, 3]);
        let refuse = |content: Vec<u8>, words: &[&str]| refused(read(1, content), words);
        for number in [16_383.75, -16_384.3, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            refuse(floats(&[2, 3], &[0.0, 0.0, 0.0, 0.0, 0.0, number]), &["array at [1, 2]", "16 bits"]);
        }
        refuse(array("<i4", &[2], &[0, 0, 0, 0, 0, 0x80, 0, 0]), &["array at [1]", "16 bits"]);
        refuse(array("<u8", &[1], &[0xff; 8]), &["array at [0]"]);
        // A batch of one is none, several are several; but no axis is taken for another.
        let six = [0_u8; 6];
        for shape in [&[6][..], &[2, 3], &[1, 2, 3], &[1, 1, 2, 3]] {
            assert_eq!(read(1, array("|u1", shape, &six)).unwrap().len(), 6, "{shape:?}");
        }
        assert_eq!(read(1, array("|u1", &[2, 2, 3], &[0; 12])).unwrap().len(), 12);
        for shape in [&[3, 2][..], &[1, 3, 2], &[6, 1], &[2, 3, 1]] {
            refuse(array("|u1", shape, &six), &["of the shape [", "[1, 2, 3] is taken", "transpose it"]);
        }
    }

    #[test]
    fn ports_read_what_their_elements_stand_for() {
        let ports = [Port { fixed_point: Some(of(4)), ..Port::new("x", 6) }, Port::new("weights", 3)];
        let mut values = Values::<Elements<F61>>::of(&ports);
        let element = |integer: i64| {
            let magnitude = F61::from_word(integer.unsigned_abs().into()).unwrap();
            if integer < 0 { -magnitude } else { magnitude }
        };
        let content = floats(&[2, 3], &[0.5, -0.5, 1.0, 2.0, -2.0, 0.03]);
        values.read("x", Written::Content(&content, None)).unwrap();
        let content = array("<i2", &[3], &[1, 0, 0xff, 0xff, 0, 0x80]);
        values.read("weights", Written::Content(&content, None)).unwrap();
        let taken: Vec<_> = ports.iter().map(|port| values.take(port).unwrap().unwrap()).collect();
        assert!(taken[0].iter().eq([8, -8, 16, 32, -32, 0].map(element)));
        assert!(taken[1].iter().eq([1, -1, -32_768].map(element)));
        let fixed = |text: &str| {
            let read = Elements::<F61>::from_fixed(text.as_bytes(), &of(4));
            read.map(|elements| elements.iter().collect::<Vec<_>>()).map_err(|why| why.to_string())
        };
        assert_eq!(fixed("0.5,-0.5").unwrap(), [8, -8].map(element));
        // As a negative one is printed.
        let printed = format!("-32768,0x7fff,{}", (-element(5)).to_integer());
        assert_eq!(fixed(&printed).unwrap(), [-32_768, 32_767, -5].map(element));
        refused(fixed("1,32768"), &["number 2 of 2", "16 bits"]);
        refused(fixed("-32769"), &["number 1 of 1", "16 bits"]);
        let mut values = Values::<Elements<F61>>::of(&ports);
        for (name, content, words) in [
            (
                "x",
                floats(&[1], &[1e9]),
                &["x: secret.npy: the .npy array at [0]", "from -2048 to 2047.9375"][..],
            ),
            ("x", b"1.5e3".to_vec(), &["x: secret.npy: character 4"]),
            ("weights", floats(&[1], &[1.0]), &["has floats, and the elements here are integers"]),
            ("weights", b"0.5".to_vec(), &["character 2 is not a decimal digit"]),
        ] {
            let written = Written::Content(&content, Some("secret.npy".as_ref()));
            refused(values.read(name, written).map_err(|why| why.to_string()), words);
        }
        // Elsewhere they stand for none, have no sign, or are too large.
        let one = array("|u1", &[1], &[1]);
        let why = |read: Result<(), Error>| read.map_err(|why| why.to_string());
        assert_eq!(Elements::<F128>::from_content(&one).unwrap().as_slice(), [F128::ONE]);
        let below = array("|i1", &[1, 2], &[1, 0xff]);
        refused(why(Elements::<F128>::from_content(&below).map(drop)), &["array at [0, 1]", "no sign"]);
        refused(why(Elements::<F128>::from_fixed(&one, &of(0)).map(drop)), &["are not integers"]);
        refused(why(Value::from_fixed(b"0.5", &of(0)).map(drop)), &["bits, which stand for no real numbers"]);
        let large = array("<i8", &[2], &[[0; 8], i64::MIN.to_le_bytes()].concat());
        refused(
            why(Elements::<F61>::from_content(&large).map(drop)),
            &["array at [1]", "not below 2305843009213693951"],
        );
        assert_eq!(Value::from_content(&one).unwrap().width(), 8 * one.len() as u64, "{}", F2::NAME);
    }
}
