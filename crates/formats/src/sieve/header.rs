//! Header of a SIEVE text: version, resource, plugins, types and conversions.

use super::field::WireField;
use super::number::Number;
use super::text::Text;
use volery_channel::error::Result;

/// The types that a file may declare, and the plugins, and the conversions.
const MOST_TYPES: usize = 256;
const MOST_PLUGINS: usize = 256;
const MOST_CONVERSIONS: usize = 4096;

/// Numbers and names behind a plugin's.
const MOST_ARGUMENTS: usize = 1 << 16;

/// A type of wires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A field that proofs may be over.
    Field(WireField),
    /// An extension of a type's field that proofs cannot be over, with its degree and polynomial.
    Extension(u64, u64, Number),
    /// The integers modulo a power of two.
    Ring(u64),
    /// A type that a plugin defines.
    Plugin(Binding),
}

/// A plugin's name, its operation, and what stands behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) plugin: String,
    pub(super) operation: String,
    pub(super) arguments: Vec<Argument>,
    /// Private values that it reads, of which types.
    pub(super) private: Vec<(u8, u64)>,
}

/// A number or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    Number(Number),
    Name(Vec<u8>),
}

impl Type {
    /// Whether it is the field of two elements.
    pub(super) fn is_two(&self) -> bool {
        matches!(self, Self::Field(field) if field.is_two())
    }

    /// The field, where it is that of an odd prime.
    fn prime(&self) -> Option<&WireField> {
        if let Self::Field(field) = self { Some(field).filter(|field| field.is_odd()) } else { None }
    }

    /// Whether it is a field of more than two elements.
    pub(super) fn is_larger(&self) -> bool {
        matches!(self, Self::Field(field) if !field.is_two())
    }
}

impl core::fmt::Display for Type {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Field(field) => f.write_str(&field.declared()),
            Self::Extension(base, degree, polynomial) => write!(f, "ext_field {base} {degree} {polynomial}"),
            Self::Ring(bits) => write!(f, "ring {bits}"),
            Self::Plugin(binding) => write!(f, "@plugin({}, {}, …)", binding.plugin, binding.operation),
        }
    }
}

/// A conversion that is declared: type and number of wires of what comes out, and of what goes in.
pub(super) type Conversion = ((u8, u64), (u8, u64));

/// The declarations of a relation.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    pub(super) types: Vec<Type>,
    pub(super) plugins: Vec<String>,
    pub(super) conversions: Vec<Conversion>,
}

/// The kind of a SIEVE text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resource {
    Circuit,
    PublicInput,
    PrivateInput,
}

impl Resource {
    /// The word by which the format names it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Circuit => "circuit",
            Self::PublicInput => "public_input",
            Self::PrivateInput => "private_input",
        }
    }
}

/// Reads `version 2.…;` and the word behind it.
pub(super) fn begin(text: &mut Text<'_>) -> Result<Resource> {
    text.expect_word(b"version")?;
    let major = text.number("the version, such as 2.1.0,")?;
    let rest = text.until(b';', 64)?;
    let minor = rest.strip_prefix(b".").and_then(|rest| rest.first());
    if major != 2 || !minor.is_some_and(u8::is_ascii_digit) {
        let shown = format!(" {major}{}", rest.escape_ascii());
        let shown = if text.is_hidden() { "" } else { &shown };
        return Err(text.fail(format_args!("version{shown} is not read: there is version 2")));
    }
    text.expect(b';')?;
    let resource = match text.word()? {
        b"circuit" => Resource::Circuit,
        b"public_input" => Resource::PublicInput,
        b"private_input" => Resource::PrivateInput,
        b"translation" | b"configuration" => {
            return Err(
                text.fail("this is no circuit and no input: translations and configurations are not read")
            );
        }
        _ => return Err(text.unexpected("circuit, public_input or private_input")),
    };
    text.expect(b';')?;
    Ok(resource)
}

impl Header {
    /// Whether a statement may be over F_2 and others, and over which shows at its end alone: it may use several odd
    /// primes, or one that does not go with bits.
    pub(super) fn is_of_several(&self) -> bool {
        let mut primes = self.types.iter().filter_map(Type::prime);
        let Some(first) = primes.next() else { return false };
        let two = self.types.iter().any(Type::is_two);
        (two && !first.goes_with_bits()) || primes.any(|other| other != first)
    }

    /// Whether a statement may be over F_2 and another field.
    pub(super) fn is_of_two(&self) -> bool {
        let two = self.types.iter().any(Type::is_two);
        self.is_of_several() || (two && self.types.iter().any(|kind| kind.prime().is_some()))
    }

    /// Reads all up to `@begin`, in any order.
    pub(super) fn read(text: &mut Text<'_>) -> Result<Self> {
        let mut header = Self::default();
        loop {
            match text.word()? {
                b"@begin" => return Ok(header),
                b"@plugin" => {
                    let name = text.name("the name of a plugin")?;
                    header.plugins.push(String::from_utf8_lossy(&name).into_owned());
                    if header.plugins.len() > MOST_PLUGINS {
                        return Err(text.fail(format_args!("more than {MOST_PLUGINS} plugins")));
                    }
                }
                b"@type" => {
                    let read = read_type(text, Some(&header.types))?;
                    header.types.push(read);
                    if header.types.len() > MOST_TYPES {
                        return Err(text.fail(format_args!("more than {MOST_TYPES} types")));
                    }
                }
                b"@convert" => {
                    text.expect(b'(')?;
                    text.expect_all(b"@out")?;
                    text.expect(b':')?;
                    let out = header.wires(text)?;
                    text.expect(b',')?;
                    text.expect_all(b"@in")?;
                    text.expect(b':')?;
                    let of = header.wires(text)?;
                    text.expect(b')')?;
                    header.conversions.push((out, of));
                    if header.conversions.len() > MOST_CONVERSIONS {
                        return Err(text.fail(format_args!("more than {MOST_CONVERSIONS} conversions")));
                    }
                }
                _ => return Err(text.unexpected("@plugin, @type, @convert or @begin")),
            }
            text.expect(b';')?;
        }
    }

    /// A type and a number of wires, with a colon between them.
    pub(super) fn wires(&self, text: &mut Text<'_>) -> Result<(u8, u64)> {
        let kind = self.kind(text)?;
        text.expect(b':')?;
        let count = text.number("a number of wires")?;
        if count == 0 {
            return Err(text.fail("a list of no wires: leave it out"));
        }
        Ok((kind, count))
    }

    /// The number of a type that is declared.
    pub(super) fn kind(&self, text: &mut Text<'_>) -> Result<u8> {
        let number = text.number("the number of a type")?;
        self.known(text, number)
    }

    /// Type `number`, where it is declared.
    #[inline(always)]
    pub(super) fn known(&self, text: &Text<'_>, number: u64) -> Result<u8> {
        if number < self.types.len() as u64 {
            return Ok(number as u8);
        }
        let list = self.types.iter().take(8).enumerate().map(|(i, kind)| format!("{i} ({kind})"));
        let list = list.collect::<Vec<_>>().join(", ");
        Err(text.fail(if list.is_empty() {
            format!("there is no type {number}: none is declared, by @type above @begin")
        } else {
            format!("there is no type {number}: there are {list}")
        }))
    }
}

/// Reads a type, behind those that are `declared`; in a stream of values they are unknown.
pub(super) fn read_type(text: &mut Text<'_>, declared: Option<&[Type]>) -> Result<Type> {
    match text.word()? {
        b"field" => {
            let modulus = text.large("the modulus of a field")?;
            if modulus.below(&Number::of(2)) {
                return Err(
                    text.fail(format_args!("{modulus} is no modulus of a field: a modulus is a prime"))
                );
            }
            Ok(Type::Field(WireField::of_prime(modulus)))
        }
        b"ext_field" => {
            let base = text.number("the number of a type")?;
            let of_two = match declared {
                None => true,
                Some(types) => match usize::try_from(base).ok().and_then(|base| types.get(base)) {
                    Some(kind) => kind.is_two(),
                    None => {
                        let why = format!("type {base} is not declared before what extends it");
                        return Err(text.fail(why));
                    }
                },
            };
            let degree = text.number("the degree of an extension")?;
            let polynomial = text.large("the modulus of an extension")?;
            let known = WireField::of_bits(degree, &polynomial).filter(|_| of_two);
            Ok(known.map_or(Type::Extension(base, degree, polynomial), Type::Field))
        }
        b"ring" => Ok(Type::Ring(text.number("the number of bits of a ring")?)),
        b"@plugin" => {
            text.expect(b'(')?;
            let binding = binding(text)?;
            text.expect(b')')?;
            Ok(Type::Plugin(binding))
        }
        _ => Err(text.unexpected("field, ext_field, ring or @plugin")),
    }
}

/// Reads a plugin's name, its operation and its arguments, up to a `)` or what begins with `@`.
pub(super) fn binding(text: &mut Text<'_>) -> Result<Binding> {
    let lossy = |name: Vec<u8>| String::from_utf8_lossy(&name).into_owned();
    let plugin = lossy(text.name("the name of a plugin")?);
    text.expect(b',')?;
    let operation = lossy(text.name("an operation of the plugin")?);
    let mut arguments = Vec::new();
    while text.take(b',')? {
        match text.peek()? {
            b'@' => break,
            b'0'..=b'9' => arguments.push(Argument::Number(text.large("a number")?)),
            _ => arguments.push(Argument::Name(text.name("a number or a name")?)),
        }
        if arguments.len() > MOST_ARGUMENTS {
            return Err(text.fail(format_args!("more than {MOST_ARGUMENTS} arguments of a plugin")));
        }
    }
    Ok(Binding { plugin, operation, arguments, private: Vec::new() })
}
