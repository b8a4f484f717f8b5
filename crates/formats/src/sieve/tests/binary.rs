//! The binary form: what its messages say, and what is refused of them.

use super::*;
use crate::sieve::binary::text_of;
use std::io::Read as _;
use volery_primitives::F256;

/// A field of a table.
enum Item {
    No,
    Byte(u8),
    Long(u64),
    Range(u64, u64),
    Text(&'static str),
    Bytes(Vec<u8>),
    Texts(Vec<&'static str>),
    /// Structures, of numbers of eight bytes.
    Structs(usize, Vec<u64>),
    Table(Vec<Item>),
    Tables(Vec<Item>),
    /// A vector of so many offsets, all of which point to one item.
    Repeated(usize, Box<Item>),
}

use Item::{Byte, Bytes, Long, No, Range, Repeated, Structs, Table, Tables, Text, Texts};

/// Writes what an item refers to, and gives where it is.
fn refer(out: &mut Vec<u8>, item: &Item) -> usize {
    let at = out.len();
    let put = |out: &mut Vec<u8>, count: usize, bytes: &[u8]| {
        out.extend((count as u32).to_le_bytes());
        out.extend(bytes);
    };
    let refer_all = |out: &mut Vec<u8>, items: &[Item]| {
        put(out, items.len(), &vec![0; 4 * items.len()]);
        for (i, item) in items.iter().enumerate() {
            let (from, to) = (at + 4 + 4 * i, refer(out, item));
            out[from..from + 4].copy_from_slice(&((to - from) as u32).to_le_bytes());
        }
    };
    match item {
        Text(text) => put(out, text.len(), text.as_bytes()),
        Bytes(bytes) => put(out, bytes.len(), bytes),
        Structs(count, numbers) => {
            put(out, *count, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>());
        }
        Texts(texts) => refer_all(out, &texts.iter().map(|text| Text(text)).collect::<Vec<_>>()),
        Tables(tables) => refer_all(out, tables),
        Repeated(count, item) => {
            put(out, *count, &vec![0; 4 * count]);
            let to = refer(out, item);
            for from in (0..*count).map(|i| at + 4 + 4 * i) {
                out[from..from + 4].copy_from_slice(&((to - from) as u32).to_le_bytes());
            }
        }
        Table(fields) => return table(out, fields),
        No | Byte(_) | Long(_) | Range(..) => unreachable!("stand in the table itself"),
    }
    at
}

/// Writes a table, and gives where it is.
fn table(out: &mut Vec<u8>, fields: &[Item]) -> usize {
    let list = out.len();
    let at = list + 4 + 2 * fields.len();
    out.extend(((at - list) as u16).to_le_bytes());
    out.extend([0; 2]);
    let (mut inline, mut referred) = (Vec::new(), Vec::new());
    for field in fields {
        let place = 4 + inline.len();
        match field {
            No => {}
            Byte(byte) => inline.push(*byte),
            Long(number) => inline.extend(number.to_le_bytes()),
            Range(first, last) => inline.extend([first.to_le_bytes(), last.to_le_bytes()].concat()),
            item => {
                referred.push((at + place, item));
                inline.extend([0; 4]);
            }
        }
        out.extend((if matches!(field, No) { 0 } else { place as u16 }).to_le_bytes());
    }
    out[list + 2..list + 4].copy_from_slice(&((4 + inline.len()) as u16).to_le_bytes());
    out.extend(((at - list) as i32).to_le_bytes());
    out.extend(inline);
    for (from, item) in referred {
        let to = refer(out, item);
        out[from..from + 4].copy_from_slice(&((to - from) as u32).to_le_bytes());
    }
    at
}

/// A message of this kind, behind its size.
fn message(kind: u8, fields: Vec<Item>) -> Vec<u8> {
    let mut out = b"\0\0\0\0siev".to_vec();
    let root = table(&mut out, &[Byte(kind), Table(fields)]);
    out[..4].copy_from_slice(&(root as u32).to_le_bytes());
    [&(out.len() as u32).to_le_bytes()[..], &out].concat()
}

fn union(kind: u8, fields: Vec<Item>) -> Item {
    Table(vec![Byte(kind), Table(fields)])
}

fn field(modulus: u64) -> Item {
    union(1, vec![Table(vec![Bytes(modulus.to_le_bytes().into())])])
}

fn number(value: u64) -> Item {
    Bytes(value.to_le_bytes()[..4].into())
}

/// A gate as a directive.
fn gate(kind: u8, fields: Vec<Item>) -> Item {
    union(1, vec![Byte(kind), Table(fields)])
}

const HEAD: &str = "version 2.1.0;\ncircuit;\n@plugin mux_v0;\n@type field 0x10001;\n@type field 0x2;\n\
    @type ext_field 1 8 283;\n@type ring 32;\n@type @plugin(ram_v0, ram, 0, 4);\n\
    @convert(@out: 1:17, @in: 0:1);\n@begin\n";

fn head(directives: Vec<Item>) -> Vec<Item> {
    vec![
        Text("2.1.0"),
        Texts(vec!["mux_v0"]),
        Tables(vec![
            field(65537),
            field(2),
            union(2, vec![Byte(1), Long(8), Long(283)]),
            union(3, vec![Long(32)]),
            union(4, vec![Text("ram_v0"), Text("ram"), Texts(vec!["0", "4"])]),
        ]),
        Structs(1, vec![1, 17, 0, 1]),
        Tables(directives),
    ]
}

/// Each gate, and functions of both kinds, in two messages.
fn everything() -> (Vec<u8>, String) {
    let inner = |kind: u8, fields: Vec<Item>| union(kind, fields);
    let first = vec![
        union(
            2,
            vec![
                Text("a::f"),
                Structs(1, vec![0, 1]),
                Structs(2, vec![0, 1, 0, 2]),
                Byte(1),
                Table(vec![Tables(vec![
                    inner(5, vec![No, Long(4), Long(1), Long(2)]),
                    inner(4, vec![Byte(0), No, Long(4), Long(3)]),
                ])]),
            ],
        ),
        union(
            2,
            vec![
                Text("g"),
                Structs(1, vec![0, 1]),
                Structs(1, vec![0, 3]),
                Byte(2),
                Table(vec![
                    Text("disjunction_v0"),
                    Text("switch"),
                    Texts(vec!["strict", "1", "a.h"]),
                    No,
                    Structs(1, vec![0, 5]),
                ]),
            ],
        ),
        gate(10, vec![No, No, Long(9)]),
        gate(9, vec![Byte(0), Range(0, 2)]),
        gate(8, vec![Byte(0), Range(3, 3)]),
    ];
    let second = vec![
        gate(1, vec![No, Long(4), number(258)]),
        gate(6, vec![No, Long(5), Long(4), number(0)]),
        gate(7, vec![No, Long(6), Long(5), number(65536)]),
        gate(3, vec![No, Range(7, 9), Structs(2, vec![0, 1, 6, 6])]),
        gate(13, vec![Text("a::f"), Structs(1, vec![10, 10]), Structs(2, vec![0, 0, 1, 2])]),
        gate(13, vec![Text("h")]),
        gate(12, vec![Byte(1), Long(0), Long(16), No, Long(10), Long(10), Byte(1)]),
        gate(12, vec![Byte(1), Long(20), Long(36), No, Long(10), Long(10)]),
        gate(2, vec![Byte(1), No]),
        gate(11, vec![No, Long(7), Long(9)]),
    ];
    let text = "@function(a::f, @out: 0:1, @in: 0:1, 0:2)\n$4 <- @mul(0: $1, $2);\n$0 <- @add(0: $4, $3);\n@end\n\
        @function(g, @out: 0:1, @in: 0:3) @plugin(disjunction_v0, switch, strict, 1, a.h, @private: 0:5);\n\
        @new(0: $0 ... $9);\n$0 ... $2 <- @private(0);\n$3 <- @public(0);\n$4 <- 0: < 0x102 >;\n\
        $5 <- @addc(0: $4, < 0 >);\n$6 <- @mulc(0: $5, < 0x10000 >);\n$7 ... $9 <- 0: $0 ... $1, $6;\n\
        $10 <- @call(a::f, $0, $1 ... $2);\n@call(h);\n1: $0 ... $16 <- @convert(0: $10, @modulus);\n\
        1: $20 ... $36 <- @convert(0: $10);\n@assert_zero(1: $0);\n@delete(0: $7 ... $9);\n@end\n";
    ([message(1, head(first)), message(1, head(second))].concat(), format!("{HEAD}{text}"))
}

fn text(bytes: &[u8]) -> std::io::Result<String> {
    let (mut read, binary) = text_of(Box::new(bytes), false)?;
    assert_eq!(binary, bytes.get(8..12) == Some(b"siev"));
    let mut text = String::new();
    read.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn messages_say_what_text_says() {
    let (bytes, expected) = everything();
    assert_eq!(text(&bytes).unwrap(), expected);
    // Text stays what it is.
    assert_eq!(text(expected.as_bytes()).unwrap(), expected);
    assert_eq!(text(b"").unwrap(), "");
    let values = |count: u64| Tables((0..count).map(|i| Table(vec![Bytes(vec![i as u8, 1, 0])])).collect());
    let stream = |count| message(3, vec![Text("2.1.0"), field(65537), values(count)]);
    let bytes = [stream(2), stream(0), stream(1)].concat();
    let expected = "version 2.1.0;\nprivate_input;\n@type field 0x10001;\n@begin\n< 0x100 >;\n< 0x101 >;\n< 0x100 >;\n@end\n";
    assert_eq!(text(&bytes).unwrap(), expected);
    let stream = SieveStream::from_bytes("x", &bytes, StreamKind::Private).unwrap();
    assert_eq!((stream.field(), stream.encodings()), ("65537".into(), &[0, 1, 0, 1, 1, 0, 0, 1, 0][..]));
    assert!(SieveStream::from_bytes("x", &bytes, StreamKind::Public).is_err());
}

/// Over the extension of F_2 that is read: 0x53 and 0xca are inverses.
#[test]
fn messages_of_an_extension_are_read() {
    let extension = || union(2, vec![Byte(0), Long(8), Long(283)]);
    let gates = vec![
        gate(9, vec![Byte(1), Range(0, 1)]),
        gate(5, vec![Byte(1), Long(2), No, Long(1)]),
        gate(6, vec![Byte(1), Long(3), Long(2), number(1)]),
        gate(2, vec![Byte(1), Long(3)]),
    ];
    let types = Tables(vec![field(2), extension()]);
    let bytes = message(1, vec![Text("2.1.0"), No, types, No, Tables(gates)]);
    let check = |second: u8| {
        let values = Tables([0x53, second].map(|value| Table(vec![Bytes(vec![value])])).into());
        let private = message(3, vec![Text("2.1.0"), extension(), values]);
        let private = SieveStream::from_bytes("x.wit", &private, StreamKind::Private)?;
        let relation = Sieve::from_bytes("x.sieve", bytes.clone(), true)?;
        holds::<F256, Elements<F256>>(relation, &[("private", private.encodings().to_vec())])
    };
    check(0xca).unwrap();
    fails(check(0xcb));
}

/// Files that zki_sieve wrote.
#[test]
fn messages_of_another_writer_are_read() {
    let relation = include_bytes!("../../../../../vectors/sieve/messages.sieve");
    let public = include_bytes!("../../../../../vectors/sieve/messages.ins.sieve");
    let private = include_bytes!("../../../../../vectors/sieve/messages.wit.sieve");
    let [public, private] = [(&public[..], StreamKind::Public), (&private[..], StreamKind::Private)]
        .map(|(bytes, kind)| SieveStream::from_bytes("x", bytes, kind).unwrap());
    let opened = || Sieve::from_bytes("messages.sieve", &relation[..], true).unwrap();
    let check = |public: &[u8]| {
        holds::<F61, Elements<F61>>(
            opened(),
            &[("public", public.to_vec()), ("private", private.encodings().to_vec())],
        )
    };
    check(public.encodings()).unwrap();
    for place in [0, 8] {
        let mut wrong = public.encodings().to_vec();
        wrong[place] ^= 1;
        let name = fails(check(&wrong));
        assert!(name.starts_with("the assertion of line "), "{name}");
    }
    assert_eq!(opened().gates(), opened().survey.gates);
    assert!(opened().survey.plan.is_none());
}

#[test]
fn malformed_messages_are_refused() {
    let refused = |bytes: &[u8], words: &str| {
        let why = Sieve::from_bytes("x.sieve", bytes.to_vec(), false).map(drop).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    };
    let (bytes, _) = everything();
    refused(&bytes[..bytes.len() - 1], "is the file truncated?");
    refused(&[&bytes[..], &[1, 2]].concat(), "is the file truncated?");
    refused(&[&bytes[..], &4_u32.to_le_bytes(), &[0; 4]].concat(), "points beyond its message");
    let of = |directives| message(1, head(directives));
    refused(&of(vec![gate(14, vec![])]), "a gate of kind 14, which there is not");
    refused(&of(vec![union(3, vec![])]), "a directive of kind 3");
    refused(&of(vec![gate(9, vec![Byte(0)])]), "a range of wires is missing");
    refused(&of(vec![gate(13, vec![Text("f); @end")])]), "\"f); @end\" is no name and no number");
    refused(&of(vec![gate(1, vec![No, No, Bytes(vec![1; 513])])]), "a value of more than 512 bytes");
    refused(&of(vec![Table(vec![])]), "a directive is missing");
    refused(&message(4, head(vec![])), "a message of kind 4");
    let stream = message(2, vec![Text("2.1.0"), field(7), Tables(vec![])]);
    refused(&stream, "this is a stream of values");
    refused(&[of(vec![]), stream].concat(), "a message with another head than the first one");
    refused(&of(vec![]), "the statement asserts nothing");
}

/// Offsets that point to one table many times make text without end of a few bytes.
#[test]
fn what_many_offsets_point_to_is_bounded() {
    let refused = |bytes: Vec<u8>| {
        assert!(bytes.len() < 200_000);
        let why = text(&bytes).map(drop).unwrap_err().to_string();
        assert!(why.starts_with("byte 4: ") && why.contains("more than 64 times its length"), "{why}");
    };
    let long = || Repeated(2000, Box::new(Bytes(vec![b'x'; 1000])));
    let types = |kind| Repeated(2000, Box::new(union(kind, vec![Text("p"), Text("o"), long()])));
    refused(message(1, vec![Text("2.1.0"), No, types(4), No, Tables(vec![])]));
    refused(message(1, vec![Text("2.0.0"), No, types(2), No, Tables(vec![])]));
    refused(message(1, vec![Text("2.1.0"), long(), No, No, Tables(vec![])]));
    let plugin = |names| Table(vec![Text("p"), Text("o"), names]);
    let bound = union(4, vec![Text("p"), Text("o"), long()]);
    refused(message(2, vec![Text("2.1.0"), bound, Tables(vec![])]));
    let function = |names| union(2, vec![Text("f"), No, No, Byte(2), plugin(names)]);
    refused(message(1, head(vec![function(long())])));
    // Gates of one function, ranges of one copy, and values.
    let directives = |one: Item| {
        let mut fields = head(vec![]);
        fields[4] = Repeated(2000, Box::new(one));
        message(1, fields)
    };
    let gates = Table(vec![Repeated(2000, Box::new(union(2, vec![No, Long(7)])))]);
    refused(directives(union(2, vec![Text("f"), No, No, Byte(1), gates])));
    refused(directives(gate(3, vec![No, Range(0, 1999), Structs(2000, vec![0; 4000])])));
    // Few bytes of text for each byte are what sharing is for.
    let made = text(&directives(gate(5, vec![No, Long(3), Long(1), Long(2)]))).unwrap();
    assert_eq!(made.matches("$3 <- @mul(0: $1, $2);\n").count(), 2000);
}

/// Zeros behind a value are no work.
#[test]
fn long_values_are_refused_at_once() {
    let zeros =
        |count| message(3, vec![Text("2.1.0"), field(7), Tables(vec![Table(vec![Bytes(vec![0; count])])])]);
    assert!(text(&zeros(512)).unwrap().ends_with("< 0 >;\n@end\n"));
    let why = text(&zeros(513)).unwrap_err().to_string();
    assert!(why.contains("a value of more than 512 bytes"), "{why}");
}

/// Gates of the older schema have other bytes, so that the version has to be true.
#[test]
fn newer_gates_in_older_files_are_refused() {
    let of = |gate: Item| {
        let types = Tables(vec![field(65537), field(2)]);
        text(&message(1, vec![Text("2.0.0"), No, types, No, Tables(vec![gate])]))
    };
    let says = |gate: Item, line: &str| {
        let made = of(gate).unwrap();
        assert!(made.contains(line), "{line:?} is missing in {made:?}");
    };
    says(gate(3, vec![Byte(1), Long(4), Long(5)]), "$4 <- 1: $5;");
    says(gate(3, vec![Long(0), Long(4)]), "$4 <- 0: $0;");
    says(gate(8, vec![Byte(0), Long(4)]), "$4 <- @public(0);");
    says(gate(12, vec![Byte(1), Long(0), Long(16), No, Long(7), Long(7)]), "$7, @modulus);");
    for newer in [
        gate(3, vec![No, Range(7, 9), Structs(1, vec![1, 3])]),
        gate(8, vec![No, Range(7, 9)]),
        gate(9, vec![Byte(1), Range(7, 7)]),
        gate(12, vec![Byte(1), Long(0), Long(16), No, Long(7), Long(7), Byte(1)]),
    ] {
        let why = of(newer).unwrap_err().to_string();
        assert!(why.contains("a gate as version 2.1.0 has it"), "{why}");
    }
}

/// Errors of a private stream show nothing of what an offset points to, which may be a value.
#[test]
fn errors_of_streams_show_nothing() {
    let refused = |fields: Vec<Item>, words: &str| {
        let bytes = message(3, fields);
        let why =
            SieveStream::from_bytes("x", &bytes, StreamKind::Private).map(drop).unwrap_err().to_string();
        assert!(why.contains(words) && !why.contains("77"), "{why}");
    };
    refused(vec![Text("7(77"), field(7), Tables(vec![])], "a string is no name and no number");
    refused(vec![Text("7.77"), field(7), Tables(vec![])], "version is not read");
    refused(vec![Text("2.1.0"), union(77, vec![]), Tables(vec![])], "a type of a kind");
    refused(vec![Text("2.1.0"), union(4, vec![Text("7-77")]), Tables(vec![])], "no name and no number");
}

/// Messages that are cut off or changed end in a statement or an error, and never otherwise.
#[test]
fn no_message_panics() {
    let (bytes, _) = everything();
    for length in 0..bytes.len() {
        let _ = Sieve::from_bytes("x", bytes[..length].to_vec(), false);
    }
    for place in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, bytes[place].wrapping_add(4)] {
            let mut changed = bytes.clone();
            changed[place] = value;
            let _ = Sieve::from_bytes("x", changed, false);
        }
    }
}
