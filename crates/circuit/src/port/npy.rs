//! Arrays as numpy writes them to files, `.npy` (format 1, 2 and 3): a header in Python's notation, then numbers in a
//! row.
//!
//! The file is untrusted: lengths are compared with the bytes that are there, and nothing is allocated by them. The
//! header is public, the numbers may be secret: no error shows one.

mod header;

use header::Header;
use volery_channel::error::{Error, Result};

/// The first bytes of a file.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The multiple of bytes at which numbers begin.
const ALIGNED: usize = 64;

/// An array, whose numbers stay where they are. They are whole ones, or floating-point ones.
pub struct Npy<'f> {
    shape: Vec<usize>,
    kind: Kind,
    numbers: &'f [u8],
}

/// A taker of integers, one after the other, which says what is wrong with one.
pub(super) type TakeInteger<'t> = dyn FnMut(i128) -> Result<(), String> + 't;

/// A type of numbers, little-endian.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed(usize),
    Unsigned(usize),
    Single,
    Double,
}

impl Kind {
    fn of(descr: &str) -> Result<Self, String> {
        let (order, name) = descr.split_at_checked(1).unwrap_or_default();
        let kind = match name {
            "i1" => Self::Signed(1),
            "i2" => Self::Signed(2),
            "i4" => Self::Signed(4),
            "i8" => Self::Signed(8),
            "u1" => Self::Unsigned(1),
            "u2" => Self::Unsigned(2),
            "u4" => Self::Unsigned(4),
            "u8" => Self::Unsigned(8),
            "f4" => Self::Single,
            "f8" => Self::Double,
            _ => {
                return Err(format!(
                    "is of the type {descr:?}: integers of 1, 2, 4, 8 bytes and floats of 4, 8 are read, which \
                     x.astype makes"
                ));
            }
        };
        if order == "<" || order == "|" && kind.bytes() == 1 {
            return Ok(kind);
        }
        Err(format!("is of the type {descr:?}, in another order of bytes: save x.astype('<{name}')"))
    }

    fn bytes(self) -> usize {
        match self {
            Self::Signed(bytes) | Self::Unsigned(bytes) => bytes,
            Self::Single => 4,
            Self::Double => 8,
        }
    }
}

impl<'f> Npy<'f> {
    /// Whether `content` begins as an array does: as no text, and as no number of a value.
    pub fn is_one(content: &[u8]) -> bool {
        content.starts_with(MAGIC)
    }

    /// The most bytes of a file with `count` numbers, and a header as numpy writes it.
    pub fn most_bytes(count: u64) -> u64 {
        count.saturating_mul(8).saturating_add(1 << 12)
    }

    /// The bytes before the numbers of an array whose type numpy calls `descr`.
    pub fn head(descr: &str, shape: &[usize]) -> Vec<u8> {
        let lengths: Vec<String> = shape.iter().map(ToString::to_string).collect();
        // A tuple of one has a comma behind it.
        let lengths = lengths.join(", ") + if shape.len() == 1 { "," } else { "" };
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
        let before = MAGIC.len() + 4;
        let length = (before + header.len() + 1).next_multiple_of(ALIGNED) - before;
        let mut head = [MAGIC, &[1, 0], &(length as u16).to_le_bytes(), header.as_bytes()].concat();
        head.resize(before + length - 1, b' ');
        head.push(b'\n');
        head
    }

    /// Reads all bytes of a file.
    ///
    /// # Errors
    /// `Invalid` where they are malformed, or of a kind that is not read: what it is, and what to save instead.
    pub fn read(content: &'f [u8]) -> Result<Self> {
        Self::parse(content).map_err(|why| Error::invalid(format!("the .npy array {why}")))
    }

    fn parse(content: &'f [u8]) -> Result<Self, String> {
        let cut = || "ends within its header: it may have been cut short".to_string();
        let rest = content.strip_prefix(MAGIC).ok_or("does not begin as one")?;
        let ([version, _], rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let (length, rest) = match version {
            1 => rest.split_first_chunk().map(|(length, rest)| (u16::from_le_bytes(*length).into(), rest)),
            2 | 3 => rest.split_first_chunk().map(|(length, rest)| (u32::from_le_bytes(*length), rest)),
            _ => return Err(format!("is of format {version}, and 1 to 3 are read")),
        }
        .ok_or_else(cut)?;
        let (header, numbers) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
        let Header { descr, fortran, shape } = Header::parse(header)?;
        let kind = Kind::of(descr)?;
        if fortran {
            return Err("is in Fortran's order: save numpy.ascontiguousarray(x)".into());
        }
        let count = shape.iter().try_fold(1_usize, |product, length| product.checked_mul(*length));
        let bytes = count.and_then(|count| count.checked_mul(kind.bytes()));
        if bytes != Some(numbers.len()) {
            let there = numbers.len();
            return Err(format!("has {there} bytes of numbers, which are not those of its shape {shape:?}"));
        }
        Ok(Self { shape, kind, numbers })
    }

    /// The shape; one number has no dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of numbers.
    pub(super) fn count(&self) -> usize {
        self.numbers.len() / self.kind.bytes()
    }

    /// Hands all numbers over, which are to be whole.
    ///
    /// # Errors
    /// `Invalid` where they are floats, or with the place of one that is not taken.
    pub(super) fn each_integer(&self, take: &mut TakeInteger<'_>) -> Result<()> {
        let integers = self.integers().ok_or_else(|| {
            Error::invalid(
                "the .npy array has floats, and the elements here are integers: save them, as x.astype('i4')",
            )
        })?;
        for (i, integer) in integers.enumerate() {
            let wrong = |why| Error::invalid(format!("the .npy array at {:?}: {why}", self.place(i)));
            take(integer).map_err(wrong)?;
        }
        Ok(())
    }

    /// The coordinates of number `i` in row-major order, as errors name it.
    pub fn place(&self, mut i: usize) -> Vec<usize> {
        let mut place = vec![0; self.shape.len()];
        for (coordinate, length) in place.iter_mut().zip(&self.shape).rev() {
            (*coordinate, i) = (i % length, i / length);
        }
        place
    }

    /// The numbers in row-major order, where they are whole; `None` for floats.
    pub fn integers(&self) -> Option<impl ExactSizeIterator<Item = i128> + use<'f>> {
        let (bytes, signed) = match self.kind {
            Kind::Signed(bytes) => (bytes, true),
            Kind::Unsigned(bytes) => (bytes, false),
            Kind::Single | Kind::Double => return None,
        };
        let number = move |number: &[u8]| {
            let mut wide = [0; 8];
            wide[..bytes].copy_from_slice(number);
            let above = 64 - 8 * bytes;
            let raised = u64::from_le_bytes(wide) << above;
            if signed { (raised.cast_signed() >> above).into() } else { i128::from(raised >> above) }
        };
        Some(self.numbers.chunks_exact(bytes).map(number))
    }

    /// The numbers in row-major order, where they are floats; `None` for whole ones.
    pub fn floats(&self) -> Option<impl ExactSizeIterator<Item = f64> + use<'f>> {
        let single = match self.kind {
            Kind::Single => true,
            Kind::Double => false,
            Kind::Signed(_) | Kind::Unsigned(_) => return None,
        };
        let number = move |number: &[u8]| match single {
            true => f32::from_le_bytes(number.try_into().expect("four bytes")).into(),
            false => f64::from_le_bytes(number.try_into().expect("eight bytes")),
        };
        Some(self.numbers.chunks_exact(self.kind.bytes()).map(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this header, and these bytes behind it.
    fn file(version: u8, header: &str, numbers: &[u8]) -> Vec<u8> {
        let length = (header.len() as u32).to_le_bytes();
        let length = if version == 1 { &length[..2] } else { &length };
        [MAGIC, &[version, 0], length, header.as_bytes(), numbers].concat()
    }

    fn refused(content: &[u8]) -> String {
        Npy::read(content).err().expect("refused").to_string()
    }

    #[test]
    fn arrays_are_read_as_numpy_writes_them() {
        let head = Npy::head("<i2", &[2, 3]);
        assert_eq!(head.len() % ALIGNED, 0);
        assert!(
            head.ends_with(b" \n")
                && head[10..].starts_with(b"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }")
        );
        assert!(
            Npy::head("<i2", &[7])[10..]
                .starts_with(b"{'descr': '<i2', 'fortran_order': False, 'shape': (7,), }")
        );
        assert!(
            Npy::head("<i2", &[])[10..]
                .starts_with(b"{'descr': '<i2', 'fortran_order': False, 'shape': (), }")
        );
        let numbers: Vec<u8> =
            [1_i16, -2, 3, i16::MIN, i16::MAX, 0].iter().flat_map(|number| number.to_le_bytes()).collect();
        let content = [&head[..], &numbers].concat();
        let array = Npy::read(&content).unwrap();
        assert_eq!((array.shape(), array.place(5)), (&[2, 3][..], vec![1, 2]));
        assert_eq!(array.integers().unwrap().collect::<Vec<_>>(), [1, -2, 3, -32_768, 32_767, 0]);
        assert!(array.floats().is_none());
        // Other spellings of the same.
        let header = "{\"shape\":(2,),'fortran_order' : False,\n 'descr': '|u1'}";
        for version in 1..4 {
            let content = file(version, header, &[7, 255]);
            assert_eq!(Npy::read(&content).unwrap().integers().unwrap().collect::<Vec<_>>(), [7, 255]);
        }
        let of = |descr, shape: &[usize], numbers: &[u8]| [&Npy::head(descr, shape)[..], numbers].concat();
        let integers = |descr, numbers: &[u8]| {
            Npy::read(&of(descr, &[], numbers)).unwrap().integers().unwrap().next().unwrap()
        };
        assert_eq!(integers("|i1", &[0x80]), -128);
        assert_eq!(integers("<u2", &[1, 0x80]), 0x8001);
        assert_eq!(integers("<i4", &[0xff; 4]), -1);
        assert_eq!(integers("<u4", &[0xff; 4]), (1 << 32) - 1);
        assert_eq!(integers("<i8", &i64::MIN.to_le_bytes()), -(1 << 63));
        assert_eq!(integers("<u8", &[0xff; 8]), (1 << 64) - 1);
        let single = of("<f4", &[1, 1], &(-0.5_f32).to_le_bytes());
        let double = of("<f8", &[0, 5], &[]);
        assert_eq!(Npy::read(&single).unwrap().floats().unwrap().collect::<Vec<_>>(), [-0.5]);
        assert_eq!(Npy::read(&double).unwrap().floats().unwrap().len(), 0);
    }

    #[test]
    fn what_no_array_is_is_named() {
        let of = |header: &str| file(1, header, &[0; 8]);
        let with = |descr: &str, shape: &str| {
            of(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"))
        };
        for (content, why) in [
            (b"\x93NUMP".to_vec(), "does not begin as one"),
            (b"\x93NUMPY\x01".to_vec(), "ends within its header"),
            (b"\x93NUMPY\x04\0\0\0".to_vec(), "format 4"),
            (b"\x93NUMPY\x01\0\xff\xff{".to_vec(), "ends within its header"),
            (b"\x93NUMPY\x02\0\xff\xff\xff\xff{".to_vec(), "ends within its header"),
            (
                file(1, "{'descr': '<i8', 'fortran_order': True, 'shape': (1,)}", &[0; 8]),
                "numpy.ascontiguousarray",
            ),
            (with("'>i8'", "(1,)"), "order of bytes: save x.astype('<i8')"),
            (with("'|i8'", "(1,)"), "order of bytes"),
            (with("'<f2'", "(4,)"), "\"<f2\": integers of 1, 2, 4, 8 bytes"),
            (with("'|O'", "(1,)"), "\"|O\""),
            (with("''", "(1,)"), "of the type \"\""),
            (with("'é'", "(1,)"), "of the type"),
            (with("[('a', '<i8')]", "(1,)"), "several fields"),
            (with("'<i8'", "(2,)"), "has 8 bytes of numbers"),
            (with("'<i4'", "(1,)"), "has 8 bytes of numbers"),
            (with("'<i8'", "(0,)"), "has 8 bytes of numbers"),
            (with("'<i8'", "(18446744073709551615, 18446744073709551615)"), "has 8 bytes of numbers"),
            (with("'<i8'", "(2305843009213693953,)"), "has 8 bytes of numbers"),
            (with("'<i8'", "(0, 18446744073709551615, 2)"), "has 8 bytes of numbers"),
            (with("'<i8'", "(18446744073709551616,)"), "a shape that is none"),
            (with("'<i8'", "(-1,)"), "a shape that is none"),
            (with("'<i8'", "1"), "without '('"),
            (with("'<i8'", &format!("({})", "1,".repeat(33))), "more than 32 dimensions"),
            (of("{'descr': '<i8', 'shape': (1,)}"), "without one of descr"),
            (of("{'descr': '<i8', 'descr': '<i8'}"), "descr twice"),
            (of("{'fortran_order': 0}"), "neither True nor False"),
            (of("{'other': 0}"), "another entry"),
            (of("{'descr"), "a quote that does not end"),
            (of("{'descr': '<i8' 'shape': (1,)}"), "without '}'"),
            (of("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)} x"), "more behind it"),
            (file(1, "", &[]), "without '{'"),
            (file(1, "\u{7f}", &[0xff]), "without '{'"),
        ] {
            let said = refused(&content);
            assert!(said.contains("the .npy array ") && said.contains(why), "{said}\nwithout {why}");
        }
        let mut latin = of("{}");
        latin[10] = 0xff;
        assert!(refused(&latin).contains("no text"));
    }
}
