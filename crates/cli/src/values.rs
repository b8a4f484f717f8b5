//! Values as they are typed or stand in files: `NAME=VALUE`.
//!
//! Nothing here shows a value, whole or in part: errors say where it stands and what is wrong with it.

use crate::failure::{Failure, Result};
use crate::waiting::{self, Waiting};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use volery::circuit::{Npy, ReadValues, Written};
use zeroize::Zeroizing;

/// The longest file of values, and the longest value.
const LONGEST: usize = 1 << 30;

/// The option of public values.
pub const PUBLIC: &str = "--public";
/// The option of private ones.
pub const PRIVATE: &str = "--private";

/// The bytes of a file for one value that are read in any case: where it does not fit, the error then names
/// both widths.
const UNNOTICED: usize = 1 << 16;

/// The longest wait for a file that is a pipe, where nothing else is said.
const WAIT: Duration = Duration::from_secs(60);

/// Reads values of arguments and files, and standard input at most once.
pub struct Reader {
    stdin_is_read: bool,
    timeout: Duration,
    /// The most bytes of a value by its name, where it is known.
    most: BTreeMap<String, Most>,
}

/// The most bytes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Most {
    /// Bytes as they are, or text.
    content: usize,
    /// A `.npy` file of numbers.
    array: usize,
}

impl Most {
    const ANY: Self = Self { content: LONGEST, array: LONGEST };
}

impl Default for Reader {
    fn default() -> Self {
        Self::waiting(WAIT)
    }
}

impl Reader {
    /// A reader that waits for a file, such as a pipe that nobody writes to, for a limited time.
    pub fn waiting(timeout: Duration) -> Self {
        Self { stdin_is_read: false, timeout, most: BTreeMap::new() }
    }

    /// The longest wait for a file.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Reads no more of a file for a value called `name` than one of `width` bits can take, or elements where
    /// `unit` says so; the most of what several say.
    pub fn limit(&mut self, name: &str, width: u64, unit: &str) {
        let [content, array] = match unit {
            "bit" => [width.div_ceil(8); 2],
            // Numbers of up to 160 bits in digits, with what may stand between them.
            _ => [width.saturating_mul(256), Npy::most_bytes(width)],
        }
        .map(|bytes| usize::try_from(bytes).unwrap_or(LONGEST).clamp(UNNOTICED, LONGEST));
        let most = self.most.entry(name.to_owned()).or_insert(Most { content, array });
        *most = Most { content: content.max(most.content), array: array.max(most.array) };
    }

    /// Adds to `values` those in `arguments`, each `NAME=VALUE` or the path of a file; `option` is the name of
    /// theirs.
    pub fn read(&mut self, option: &str, arguments: &[OsString], values: &mut dyn ReadValues) -> Result<()> {
        for (i, argument) in arguments.iter().enumerate() {
            let bytes = argument.as_encoded_bytes();
            match self.split(bytes) {
                Some((name, value)) => self.add(values, name, value).map_err(|why| why.at(option))?,
                None if bytes.is_empty() => {
                    return Err(Failure::usage(format_args!(
                        "{option} number {} is empty: write NAME=VALUE or the path of a file",
                        i + 1
                    )));
                }
                None => {
                    // Whoever forgot `NAME=` typed a value here, which may be private.
                    let place = if option == PUBLIC {
                        format!("{option} {}", argument.display())
                    } else {
                        format!("{option} number {}", i + 1)
                    };
                    let path = Path::new(argument);
                    let file = waiting::open(path, self.timeout).map_err(|why| {
                        let why = why.kind();
                        Failure::usage(format_args!(
                            "{place}: neither NAME=VALUE nor a file that can be read ({why}): write \
                             NAME=VALUE with a name that `volery circuit info RELATION` lists, or the \
                             path of a file of such lines"
                        ))
                    })?;
                    self.add_file(option, values, path, file).map_err(|why| why.at(option))?;
                }
            }
        }
        Ok(())
    }

    /// The bytes that `text` writes, or those of the file that it names: an input of a program. `option` is the
    /// name of the option.
    ///
    /// # Errors
    /// Where they are more than `most`, cannot be read, or are written in no such way; no byte is shown.
    pub fn bytes(&mut self, option: &str, text: &OsStr, most: usize) -> Result<Zeroizing<Vec<u8>>> {
        let text = text.as_encoded_bytes();
        let bytes = if let Some(path) = text.strip_prefix(b"@") {
            let path = path_of(path).map_err(|why| why.at(option))?;
            let read = waiting::open(&path, self.timeout).and_then(|file| {
                let length = file.length().unwrap_or(0).saturating_add(1);
                read_all(file, usize::try_from(length).unwrap_or(most).min(most), most)
            });
            read.map_err(|why| Failure::usage(why).at(path.display()).at(option))?
        } else if text == b"-" {
            if std::mem::replace(&mut self.stdin_is_read, true) {
                let why = "standard input is asked for twice: give one of the two by @PATH";
                return Err(Failure::usage(why).at(option));
            }
            let content = read_all(io::stdin(), 0, most);
            content.map_err(|why| Failure::usage(why).at("reading standard input").at(option))?
        } else if let Some(bytes) = text.strip_prefix(b"text:") {
            Zeroizing::new(bytes.to_vec())
        } else if let Some(digits) = text.strip_prefix(b"0x") {
            let digit = |digit: &u8| (*digit as char).to_digit(16).map(|digit| digit as u8);
            let (pairs, rest) = digits.as_chunks::<2>();
            let bytes = pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?));
            let bytes: Option<Vec<u8>> = bytes.collect();
            let bytes = bytes.filter(|_| rest.is_empty()).ok_or_else(|| {
                Failure::usage("behind 0x write two hexadecimal digits for each byte, the first byte first")
                    .at(option)
            })?;
            Zeroizing::new(bytes)
        } else {
            return Err(Failure::usage(format_args!(
                "{option}: write text:… for bytes as they are, 0x… for two hexadecimal digits a byte, @PATH for those \
                 of a file, or - for those of standard input"
            )));
        };
        if bytes.len() > most {
            return Err(Failure::usage(format_args!(
                "{option}: there are {} bytes, and {most} is the most",
                bytes.len()
            )));
        }
        Ok(bytes)
    }

    /// Adds each line of `file`, which is at `path`.
    fn add_file(
        &mut self,
        option: &str,
        values: &mut dyn ReadValues,
        path: &Path,
        mut file: Waiting,
    ) -> Result<()> {
        let unread = |why| Failure::usage(why).at(path.display());
        // A file of another kind is told by its begin, before all of it is read.
        let begin = begin_of(&mut file).map_err(unread)?;
        if begin.starts_with(b"version ") {
            let why = format!("it is a stream of values of SIEVE: give it by {option}-stream");
            return Err(Failure::usage(why).at(path.display()));
        }
        if let Some(advice) = other_kind(&begin) {
            return Err(Failure::usage(advice).at(path.display()));
        }
        let text = read_all((&begin[..]).chain(file), 0, LONGEST).map_err(unread)?;
        // The byte-order mark that some editors begin a file with is no part of a name.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        for (i, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line).trim_ascii_start();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let place = || format!("{}:{}", path.display(), i + 1);
            let (name, value) = self.split(line).ok_or_else(|| {
                let why = match line.starts_with(b"[") {
                    true => {
                        "it is a list in JSON, which --public takes of an .r1cs file of circom; a witness is no JSON, but \
                         the .wtns file, by --witness"
                    }
                    false => "write NAME=VALUE, or # before a comment",
                };
                Failure::usage(why).at(place())
            })?;
            self.add(values, name, value).map_err(|why| why.at(place()))?;
        }
        Ok(())
    }

    /// Adds the value that `text` writes, or the file that it names.
    fn add(&mut self, values: &mut dyn ReadValues, name: &str, text: &[u8]) -> Result<()> {
        let text = text.trim_ascii_start();
        if let Some(path) = text.strip_prefix(b"@") {
            let path = path_of(path).map_err(|why| why.at(name))?;
            let read = waiting::open(&path, self.timeout).and_then(|file| {
                // One byte more, by which the end shows.
                let length = file.length().unwrap_or(0).saturating_add(1);
                self.content(name, file, usize::try_from(length).unwrap_or(LONGEST))
            });
            let content = read.map_err(|why| Failure::usage(why).at(path.display()).at(name))?;
            return Ok(values.read(name, Written::Content(&content, Some(&path)))?);
        }
        if text.trim_ascii_end() == b"-" {
            if std::mem::replace(&mut self.stdin_is_read, true) {
                let why = "standard input is asked for twice: give one of the two by @PATH";
                return Err(Failure::usage(why).at(name));
            }
            let content = self.content(name, io::stdin(), 0);
            let content = content.map_err(|why| Failure::usage(why).at("reading standard input").at(name))?;
            return Ok(values.read(name, Written::Content(&content, None))?);
        }
        Ok(values.read(name, Written::Text(text))?)
    }

    /// All bytes of `source`, about as many as `expected`, which are the value called `name`.
    fn content(&self, name: &str, mut source: impl Read, expected: usize) -> io::Result<Zeroizing<Vec<u8>>> {
        let most = self.most.get(name).copied().unwrap_or(Most::ANY);
        let begin = begin_of(&mut source)?;
        let most = if Npy::is_one(&begin) { most.array } else { most.content };
        read_all((&begin[..]).chain(source), expected.min(most), most)
    }

    /// Name and value, where `text` is of the form `NAME=VALUE`; a path may have a `=` behind a slash, unless it begins
    /// with a name whose limit is known.
    fn split<'t>(&self, text: &'t [u8]) -> Option<(&'t str, &'t [u8])> {
        split(text, |name| self.most.contains_key(name))
    }
}

/// Whether `argument` is of the form `NAME=VALUE`, and no path.
pub fn is_value(argument: &OsStr) -> bool {
    split(argument.as_encoded_bytes(), |_| false).is_some()
}

/// Name and value, where `text` is of the form `NAME=VALUE` and the name is known, or has only what is in few paths.
fn split(text: &[u8], is_known: impl Fn(&str) -> bool) -> Option<(&str, &[u8])> {
    let at = text.iter().position(|&byte| byte == b'=')?;
    let name = str::from_utf8(text[..at].trim_ascii()).ok()?;
    let of_a_name = |c: char| c.is_ascii_alphanumeric() || "_-[].@*$:".contains(c);
    let value = &text[at + 1..];
    (!name.is_empty() && name.chars().all(of_a_name) || is_known(name)).then_some((name, value))
}

/// The first bytes of a file, up to eight.
fn begin_of(file: &mut impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut begin = Zeroizing::new(vec![0; 8]);
    let mut length = 0;
    while length < begin.len() {
        match file.read(&mut begin[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    begin.truncate(length);
    Ok(begin)
}

/// Advice on a file that begins so, where it is none of values: behind four letters stands a version, and no
/// name begins with a brace.
fn other_kind(begin: &[u8]) -> Option<&'static str> {
    match begin {
        [b'w', b't', b'n', b's', _, 0, 0, 0] => {
            Some("it is a witness of circom: the prover gives it by --witness")
        }
        [b'r', b'1', b'c', b's', _, 0, 0, 0] => {
            Some("it is a constraint system of circom: give it by --relation")
        }
        _ if begin.trim_ascii_start().starts_with(b"{") => Some(
            "it is JSON: where these are inputs of a circuit of circom, the prover gives them by --private-json, \
             with --witness-generator",
        ),
        _ => None,
    }
}

fn path_of(bytes: &[u8]) -> Result<PathBuf> {
    #[cfg(unix)]
    let path = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes);
    #[cfg(not(unix))]
    let path =
        str::from_utf8(bytes).map(OsStr::new).map_err(|_| Failure::usage("the path is not in UTF-8"))?;
    Ok(path.into())
}

/// All bytes of `source`, which are read in place where they are fewer than `expected`. No copy of them stays
/// behind. No more than one is read beyond the `most` that there may be.
fn read_all(source: impl Read, expected: usize, most: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut source = source.take((most as u64).saturating_add(1));
    let mut bytes = Zeroizing::new(vec![0; expected.max(1 << 13)]);
    let mut length = 0;
    loop {
        if length == bytes.len() {
            let mut longer = Zeroizing::new(vec![0; 2 * length]);
            longer[..length].copy_from_slice(&bytes);
            bytes = longer;
        }
        match source.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    if length > most {
        let why = format!("more than {most} bytes, which is the most that may stand here");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    // Shortening moves nothing.
    bytes.truncate(length);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery::F128;
    use volery::circuit::{Elements, Values};

    fn read(arguments: &[&str]) -> std::result::Result<Vec<String>, String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let mut values: Values = Values::new();
        Reader::default().read(PRIVATE, &arguments, &mut values).map_err(|why| why.line)?;
        Ok(values.names().map(String::from).collect())
    }

    #[test]
    fn arguments_and_files_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a=b");
        std::fs::write(&file, "\u{feff}# known to both\r\n\n  in0=0x12 \r\nin1 = 0b01\nx=text:a # b")
            .expect("written");
        let read = read(&[file.to_str().expect("UTF-8"), "y=text:", "top.a[3]@17=0b1"]).expect("read");
        assert_eq!(read, ["in0", "in1", "top.a[3]@17", "x", "y"]);
    }

    #[test]
    fn errors_say_where_and_show_no_value() {
        let cases = [
            ("in0=secret", "--private: in0: the value begins with none of 0x"),
            ("in0=0x12secret", "--private: in0: character 10 is not a hexadecimal digit"),
            ("in0=0b01secret", "--private: in0: character 5 is neither"),
            ("in0=0x", "--private: in0: the value has no digits"),
            ("secret", "--private number 1: neither NAME=VALUE nor a file"),
            ("=secret", "--private number 1: neither NAME=VALUE nor a file"),
            ("", "--private number 1 is empty"),
            ("in0=@/no/such", "--private: in0: /no/such: "),
        ];
        for (argument, why) in cases {
            let line = read(&[argument]).expect_err("refused");
            assert!(line.contains(why) && !line.contains("secret"), "{line}");
        }
        let mut values: Values = Values::new();
        let public = Reader::default().read(PUBLIC, &["a=0x1".into(), "/no/such".into()], &mut values);
        let line = public.expect_err("refused").line;
        assert!(line.starts_with("--public /no/such: neither NAME=VALUE"), "{line}");
        let twice = read(&["a=0x1", "a=0x2"]).expect_err("refused");
        assert!(twice.contains("a is given twice"), "{twice}");
    }

    #[test]
    fn files_name_the_line() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "in0=0x1\nsecret\n").expect("written");
        let line = read(&[file.path().to_str().expect("UTF-8")]).expect_err("refused");
        assert!(line.contains(":2: write NAME=VALUE") && !line.contains("secret"), "{line}");
        for (content, words) in [
            (&b"wtns\x02\0\0\0secret"[..], "by --witness"),
            (b"r1cs\x01\0\0\0secret", "by --relation"),
            (b" {\"secret\": 1}", "by --private-json, with --witness-generator"),
            (b"[\"secret\"]", "a list in JSON, which --public takes"),
            (b"version 2.1.0; secret", "a stream of values of SIEVE: give it by --private-stream"),
        ] {
            std::fs::write(file.path(), content).expect("written");
            let line = read(&[file.path().to_str().expect("UTF-8")]).expect_err("refused");
            assert!(line.contains(words) && !line.contains("secret"), "{line}");
        }
        for content in ["wtns=0x1\n", "r1cs_of_it=0x1", "a=0x1"] {
            std::fs::write(file.path(), content).expect("written");
            assert_eq!(read(&[file.path().to_str().expect("UTF-8")]).expect("read").len(), 1);
        }
    }

    #[test]
    fn elements_are_read_from_arguments_and_files() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "1,\n0x2,\n3\n").expect("written");
        let list = format!("b=@{}", file.path().display());
        let read = |arguments: &[&str]| {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            let mut values = Values::<Elements<F128>>::new();
            let read = Reader::default().read(PRIVATE, &arguments, &mut values);
            read.map(|()| values.names().map(String::from).collect::<Vec<_>>()).map_err(|why| why.line)
        };
        assert_eq!(read(&["a=1, 0x2", &list]).expect("read"), ["a", "b"]);
        let line = read(&["a=1,secret"]).expect_err("refused");
        assert!(
            line.contains("--private: a: number 2 of 2: character 1") && !line.contains("secret"),
            "{line}"
        );
        std::fs::write(file.path(), "1,secret").expect("written");
        let line = read(&[&list]).expect_err("refused");
        let place = format!("b: {}: number 2 of 2: character 1", file.path().display());
        assert!(line.contains(&place) && !line.contains("secret"), "{line}");
    }

    /// Counts what is read of a source without end.
    struct Endless<'a>(&'a mut usize);

    impl Read for Endless<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            *self.0 += bytes.len();
            bytes.fill(1);
            Ok(bytes.len())
        }
    }

    #[test]
    fn no_more_is_read_than_a_value_can_take() {
        let mut read = 0;
        let refused = read_all(Endless(&mut read), 0, 100_000).expect_err("endless").to_string();
        assert!(refused.contains("more than 100000 bytes"), "{refused}");
        assert_eq!(read, 100_001);
        let mut reader = Reader::default();
        for (width, unit, content, array) in [
            (2, "bit", UNNOTICED, UNNOTICED),
            (1 << 23, "bit", 1 << 20, 1 << 20),
            (1000, "element", 256_000, UNNOTICED),
            (20_000, "element", 5_120_000, 164_096),
            (u64::MAX, "element", LONGEST, LONGEST),
        ] {
            reader.limit("x", width, unit);
            assert_eq!(reader.most["x"], Most { content, array });
            reader.most.clear();
        }
        // Of what begins as an array does, less.
        reader.limit("x", 20_000, "element");
        let content = |begin: &[u8], length: usize| {
            let bytes = [begin, &vec![0; length - begin.len()]].concat();
            reader.content("x", &bytes[..], length).map(|bytes| bytes.len()).map_err(|why| why.to_string())
        };
        assert_eq!(content(b"\x93NUMPY", 164_096), Ok(164_096));
        assert!(content(b"\x93NUMPY", 164_097).unwrap_err().contains("more than 164096 bytes"));
        assert_eq!(content(b"1,2", 164_097), Ok(164_097));
    }

    #[test]
    fn names_that_are_known_have_any_characters() {
        let mut reader = Reader::default();
        reader.limit("/model/input 1", 1, "element");
        assert_eq!(reader.split(b"/model/input 1=0.5"), Some(("/model/input 1", &b"0.5"[..])));
        assert_eq!(reader.split(b"/model/input 2=0.5"), None);
    }

    #[test]
    fn long_sources_are_read_whole() {
        for length in [0, 1, 8191, 8192, 8193, 100_000] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            for expected in [0, length / 2, length + 1] {
                assert_eq!(*read_all(&bytes[..], expected, length).expect("read"), bytes);
            }
        }
    }
}
