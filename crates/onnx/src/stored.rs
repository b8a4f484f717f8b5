//! Tensors with values as a file stores them, `TensorProto`: within the file, or in another one beside it.
//!
//! Values are read when they are asked for, and nothing is allocated for them before the bytes are known to be
//! there. A file beside is named by a path within the folder of the ONNX file, whatever links lie there.

use crate::model::{Entry, MOST_DIMENSIONS};
use crate::protobuf::{Field, Message, Value, refuse};
use blake3::Hash;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use volery_channel::error::{Error, Result};

/// The most elements of a tensor, whatever its shape says.
pub const MOST_ELEMENTS: usize = 1 << 31;

/// A type of elements. Integers are what networks of this crate have; floats stand for them in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE 754, single precision.
    Float,
    /// IEEE 754, double precision.
    Double,
    /// Whole numbers of 8 bits, without sign.
    Uint8,
    /// Whole numbers of 8 bits.
    Int8,
    /// Whole numbers of 16 bits, without sign.
    Uint16,
    /// Whole numbers of 16 bits.
    Int16,
    /// Whole numbers of 32 bits.
    Int32,
    /// Whole numbers of 64 bits.
    Int64,
    /// Truth values.
    Bool,
}

impl Element {
    /// The type of this number in `TensorProto.DataType`.
    ///
    /// # Errors
    /// The name of the type, where it is not supported.
    pub fn of(number: i64) -> Result<Self, String> {
        Ok(match number {
            1 => Self::Float,
            2 => Self::Uint8,
            3 => Self::Int8,
            4 => Self::Uint16,
            5 => Self::Int16,
            6 => Self::Int32,
            7 => Self::Int64,
            9 => Self::Bool,
            11 => Self::Double,
            8 => return Err("string".into()),
            10 => return Err("float16".into()),
            12 => return Err("uint32".into()),
            13 => return Err("uint64".into()),
            16 => return Err("bfloat16".into()),
            _ => return Err(format!("number {number}")),
        })
    }

    /// The bytes of an element in raw data.
    pub fn bytes(self) -> usize {
        match self {
            Self::Uint8 | Self::Int8 | Self::Bool => 1,
            Self::Uint16 | Self::Int16 => 2,
            Self::Float | Self::Int32 => 4,
            Self::Double | Self::Int64 => 8,
        }
    }

    /// Whether elements are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }

    /// Whether the type has this integer.
    pub(crate) fn holds(self, value: i64) -> bool {
        let (least, greatest) = self.range();
        (least..=greatest).contains(&value)
    }

    /// The field of `TensorProto` with values that are not raw.
    fn field(self) -> u64 {
        match self {
            Self::Float => 4,
            Self::Int64 => 7,
            Self::Double => 10,
            _ => 5,
        }
    }

    /// The least and the greatest integer of the type.
    fn range(self) -> (i64, i64) {
        match self {
            Self::Bool => (0, 1),
            Self::Uint8 => (0, 255),
            Self::Int8 => (-128, 127),
            Self::Uint16 => (0, 65_535),
            Self::Int16 => (i16::MIN.into(), i16::MAX.into()),
            Self::Int32 => (i32::MIN.into(), i32::MAX.into()),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

/// A tensor with values.
#[derive(Debug)]
pub struct Stored<'f> {
    /// The name.
    pub name: &'f str,
    /// The type of elements.
    pub element: Element,
    /// The shape; a scalar has no dimensions.
    pub shape: Vec<usize>,
    /// The values.
    data: Data<'f>,
    /// The place in the file.
    pub at: usize,
}

/// The place of a tensor's values.
#[derive(Debug)]
enum Data<'f> {
    /// Little-endian, in a row.
    Raw(Message<'f>),
    /// Numbers in the field of the element's type of this message.
    Fields(Message<'f>),
    /// A part of another file.
    Beside(Beside<'f>),
}

/// A part of a file that lies beside.
#[derive(Debug)]
struct Beside<'f> {
    location: &'f str,
    offset: u64,
    length: Option<u64>,
}

/// The folder of an ONNX file, for values that lie beside it. What was read once is the same each time, whatever happens
/// to the files, for all who share it.
#[derive(Clone, Debug)]
pub struct Folder(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    /// The digests of the parts that were read.
    digests: Mutex<HashMap<Part, Hash>>,
}

/// A part of a file: the file's place in the folder, its first byte there, and how many it has.
type Part = (String, u64, usize);

impl From<PathBuf> for Folder {
    fn from(path: PathBuf) -> Self {
        Self(Arc::new(Shared { path, digests: Mutex::default() }))
    }
}

impl<'f> Stored<'f> {
    pub(crate) fn read(field: &Field<'f>) -> Result<Self> {
        let message = field.message()?;
        let [mut kind, mut location] = [None; 2];
        let mut longest = 0;
        let (mut name, mut raw, mut lengths, mut entries) = (None, None, vec![], vec![]);
        for field in message.fields() {
            let field = &field?;
            match field.number {
                1 => field.integers(&mut lengths)?,
                2 => field.once(&mut kind, Field::integer)?,
                3 => return Err(refuse(field.at, "a tensor stands in segments: that is not supported")),
                4 | 5 | 7 | 10 => {
                    if let Value::Bytes(row) = field.value {
                        longest = longest.max(row.bytes.len());
                    }
                }
                8 => field.once(&mut name, Field::text)?,
                9 => field.once(&mut raw, Field::message)?,
                13 if entries.len() < MOST_DIMENSIONS => entries.push(Entry::read(field)?),
                14 => field.once(&mut location, Field::integer)?,
                _ => {}
            }
            if lengths.len() > MOST_DIMENSIONS {
                return Err(refuse(field.at, format!("a tensor has more than {MOST_DIMENSIONS} dimensions")));
            }
        }
        let name = name.unwrap_or_default();
        let wrong = |why: String| refuse(field.at, format!("tensor {name:?} {why}"));
        let element = Element::of(kind.unwrap_or_default())
            .map_err(|kind| wrong(format!("has elements of type {kind}, which is not supported")))?;
        let shape: Option<Vec<usize>> = lengths.iter().map(|&length| usize::try_from(length).ok()).collect();
        let shape = shape.ok_or_else(|| wrong("has a length below 0".into()))?;
        let count = count(&shape).map_err(&wrong)?;
        let data = match (location, raw) {
            (None | Some(0), _) if !entries.is_empty() => {
                return Err(wrong("tells where it lies beside the file, and has its values within".into()));
            }
            (None | Some(0), Some(raw)) => {
                let bytes = count * element.bytes();
                if raw.bytes.len() != bytes {
                    let there = raw.bytes.len();
                    return Err(wrong(format!("has {there} bytes, and {bytes} by its shape {shape:?}")));
                }
                Data::Raw(raw)
            }
            // A value has ten bytes at most.
            (None | Some(0), None) if longest > 10 * count => {
                return Err(wrong(format!("has more values than the {count} of its shape {shape:?}")));
            }
            (None | Some(0), None) => Data::Fields(message),
            (Some(1), None) => Data::Beside(Beside::read(&entries).map_err(wrong)?),
            _ => return Err(wrong("is said to lie in two places, or in none that is known".into())),
        };
        Ok(Self { name, element, shape, data, at: field.at })
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the values lie in another file.
    pub(crate) fn is_beside(&self) -> bool {
        matches!(self.data, Data::Beside(_))
    }

    /// The values, which are integers; `folder` is the ONNX file's, for values that lie beside it.
    ///
    /// # Errors
    /// `Invalid` where they are floats, or not those that the shape asks for, or cannot be read.
    pub fn integers(&self, folder: Option<&Folder>) -> Result<Vec<i64>> {
        if self.element.is_float() {
            return Err(self.wrong("has floating-point numbers, where integers are to be"));
        }
        let Data::Fields(message) = self.data else {
            return self.with_raw(folder, |raw| match self.element {
                Element::Int8 => raw.iter().map(|byte| byte.cast_signed().into()).collect(),
                Element::Bool | Element::Uint8 => raw.iter().map(|byte| (*byte).into()).collect(),
                Element::Uint16 => each(raw, |bytes| u16::from_le_bytes(bytes).into()),
                Element::Int16 => each(raw, |bytes| i16::from_le_bytes(bytes).into()),
                Element::Int32 => each(raw, |bytes| i32::from_le_bytes(bytes).into()),
                _ => each(raw, i64::from_le_bytes),
            });
        };
        let mut values = vec![];
        for field in message.fields() {
            let field = &field?;
            if field.number == self.element.field() {
                field.integers(&mut values)?;
            }
        }
        if values.iter().any(|&value| !self.element.holds(value)) {
            return Err(self.wrong("has a value beyond its type"));
        }
        self.counted(values)
    }

    /// The values, which are floats; see [`Stored::integers`].
    ///
    /// # Errors
    /// `Invalid` where they are integers, or not those that the shape asks for, or cannot be read.
    pub fn floats(&self, folder: Option<&Folder>) -> Result<Vec<f64>> {
        let single = self.element == Element::Float;
        if !self.element.is_float() {
            return Err(self.wrong("has integers, where floating-point numbers are to be"));
        }
        let Data::Fields(message) = self.data else {
            return self.with_raw(folder, |raw| match single {
                true => each(raw, |bytes| f32::from_le_bytes(bytes).into()),
                false => each(raw, f64::from_le_bytes),
            });
        };
        let mut values = vec![];
        let mut singles = vec![];
        for field in message.fields() {
            let field = &field?;
            match (field.number, field.value) {
                (4, _) if single => field.floats(&mut singles)?,
                (10, Value::Fixed64(bytes)) if !single => values.push(f64::from_le_bytes(bytes)),
                (10, Value::Bytes(row)) if !single => values.extend(each(row.bytes, f64::from_le_bytes)),
                _ => {}
            }
        }
        values.extend(singles.into_iter().map(f64::from));
        self.counted(values)
    }

    fn counted<T>(&self, values: Vec<T>) -> Result<Vec<T>> {
        if values.len() != self.count() {
            let (there, count) = (values.len(), self.count());
            return Err(self.wrong(&format!("has {there} values, and {count} by its shape {:?}", self.shape)));
        }
        Ok(values)
    }

    /// Hands the raw bytes, of which there are as many as the shape asks for, to `read`.
    fn with_raw<T>(&self, folder: Option<&Folder>, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let bytes = self.count() * self.element.bytes();
        match &self.data {
            Data::Raw(raw) => Ok(read(raw.bytes)),
            Data::Fields(_) => unreachable!("values in fields are no raw bytes"),
            Data::Beside(beside) => {
                let Some(folder) = folder else {
                    return Err(self.wrong(&format!(
                        "lies in {:?} beside the file, which has no folder here: save the network as one file",
                        beside.location
                    )));
                };
                Ok(read(&beside.bytes(folder, bytes).map_err(|why| self.wrong(&why))?))
            }
        }
    }

    fn wrong(&self, why: &str) -> Error {
        refuse(self.at, format!("tensor {:?} {why}", self.name))
    }
}

impl<'f> Beside<'f> {
    fn read(entries: &[Entry<'f>]) -> Result<Self, String> {
        let find = |key| entries.iter().find(|entry| entry.key == key).map(|entry| entry.value);
        if let Some(twice) = entries
            .iter()
            .enumerate()
            .find(|(i, entry)| entries[..*i].iter().any(|before| before.key == entry.key))
        {
            return Err(format!("tells the {:?} of its external data twice", twice.1.key));
        }
        let number = |key| {
            let digits = find(key).map(|value| value.parse::<u64>().map_err(|_| value));
            digits.transpose().map_err(|value| format!("has {value:?} as the {key} of its external data"))
        };
        let location = find("location").ok_or("does not tell the file of its external data")?;
        let is_within = Path::new(location).components().all(|part| matches!(part, Component::Normal(_)));
        // The paths of other systems are none of this one's.
        if location.is_empty() || !is_within || location.contains(['\\', ':', '\0']) {
            return Err(format!(
                "has its values in {location:?}: external data is read from the folder of the ONNX file alone"
            ));
        }
        let (offset, length) = (number("offset")?.unwrap_or(0), number("length")?);
        Ok(Self { location, offset, length })
    }

    /// The `bytes` bytes of a tensor, which are the same each time.
    fn bytes(&self, Folder(folder): &Folder, bytes: usize) -> Result<Vec<u8>, String> {
        let read = self.load(&folder.path, bytes)?;
        let digest = blake3::hash(&read);
        let mut digests = folder.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if *digests.entry((self.location.into(), self.offset, bytes)).or_insert(digest) != digest {
            return Err(format!("has other values in {:?} than before: open it again", self.location));
        }
        Ok(read)
    }

    /// The `bytes` bytes of a tensor, from its file.
    fn load(&self, folder: &Path, bytes: usize) -> Result<Vec<u8>, String> {
        let location = self.location;
        let unread =
            |error: std::io::Error| format!("has its values in {location:?}, which cannot be read: {error}");
        let root = folder.canonicalize().map_err(unread)?;
        let path: PathBuf = root.join(location).canonicalize().map_err(unread)?;
        if !path.starts_with(&root) {
            return Err(format!(
                "has its values in {location:?}, a link that leads out of the file's folder"
            ));
        }
        // Whatever is no regular file may have no end.
        if !path.is_file() {
            return Err(format!("has its values in {location:?}, which is no regular file"));
        }
        let mut file = File::open(path).map_err(unread)?;
        let there = file.metadata().map_err(unread)?.len().saturating_sub(self.offset);
        if self.length.is_some_and(|length| length != bytes as u64) || there < bytes as u64 {
            let length = self.length.unwrap_or(there).min(there);
            return Err(format!(
                "takes {bytes} bytes, and has {length} in {location:?} from byte {} on",
                self.offset
            ));
        }
        let mut values = vec![0; bytes];
        file.seek(SeekFrom::Start(self.offset)).and_then(|_| file.read_exact(&mut values)).map_err(unread)?;
        Ok(values)
    }
}

fn each<const N: usize, T>(raw: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
    raw.as_chunks::<N>().0.iter().map(|bytes| read(*bytes)).collect()
}

/// The number of elements of a shape.
///
/// # Errors
/// Why a tensor cannot have the shape: too many dimensions, or elements.
pub(crate) fn count(shape: &[usize]) -> Result<usize, String> {
    if shape.len() > MOST_DIMENSIONS {
        return Err(format!("has {} dimensions, and {MOST_DIMENSIONS} is the most", shape.len()));
    }
    // A length of 0 hides no product that is too large: others multiply to as much beside it.
    let product = shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length.max(1)));
    match product {
        Some(product) if product <= MOST_ELEMENTS => Ok(shape.iter().product()),
        _ => Err(format!("has the shape {shape:?}, and {MOST_ELEMENTS} elements are the most")),
    }
}
