//! Relations of SIEVE text, evaluated: what they mean, and what is refused.

mod binary;
mod disjunctions;
mod extension;
mod malformed;
mod maps;
mod memories;
mod mixed;
mod planned;
mod plugins;
mod primes;

use super::*;
use volery_circuit::port::{PublicValues, Sequence};
use volery_circuit::stream::{Stream, Streamed};
use volery_circuit::{
    Circuit as _, Clear, Elements, PortValue, ReadValues as _, Shape, Value, Values, Written, stream,
};
use volery_primitives::F61;

const F61_TYPE: &str = "@type field 2305843009213693951;";
const F2_TYPE: &str = "@type field 2;";

/// A relation over 2^61 − 1 with this head and these gates.
fn over_f61(head: &str, gates: &str) -> String {
    format!("version 2.1.0;\ncircuit;\n{head}\n{F61_TYPE}\n@begin\n{gates}\n@end\n")
}

fn open_text(text: &str) -> Result<Sieve> {
    Sieve::from_bytes("x.rel", text.as_bytes().to_vec(), false)
}

/// A relation and its public values.
struct Stated<V> {
    sieve: Sieve,
    public: Vec<Option<V>>,
}

impl<V> Stated<V> {
    /// The statement with these public values, all of them.
    fn new<F: Field>(sieve: Sieve, mut public: Values<V>) -> Result<Self>
    where
        V: PortValue + Sequence<F>,
    {
        let take = |port: &Port| match public.take(port)? {
            None if port.public => Err(Error::invalid(format!("{} has to be public", port.name))),
            value => Ok(value),
        };
        let taken = StatementFile::<F>::inputs(&sieve).iter().map(take).collect::<Result<_>>()?;
        assert_eq!(public.names().next(), None, "each value has a port");
        Ok(Self { sieve, public: taken })
    }

    /// The elements that private values make, port by port.
    fn witness<F: Field>(&self, mut private: Values<V>) -> Result<Vec<F>>
    where
        V: PortValue + Sequence<F>,
    {
        let mut elements = Vec::new();
        for (port, _) in StatementFile::<F>::inputs(&self.sieve)
            .iter()
            .zip(&self.public)
            .filter(|(_, public)| public.is_none())
        {
            let missing = || Error::invalid(format!("{} has no value", port.name));
            let value = private.take(port)?.ok_or_else(missing)?;
            elements.extend((0..value.length()).map(|i| value.element(i)));
        }
        assert_eq!(private.names().next(), None, "each value has a port");
        Ok(elements)
    }
}

impl<F: Field, V: Sequence<F> + Send + Sync> stream::Source<F> for Stated<V> {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        let public: Vec<_> = self.public.iter().map(|v| v.as_ref().map(|v| v as &dyn Sequence<F>)).collect();
        self.sieve.record(recorder, PublicValues { inputs: &public, outputs: &[] })
    }
}

/// Whether the statement of a relation holds for values of its ports, encoded.
fn holds<F: Field, V: PortValue + Sequence<F> + Send + Sync>(
    sieve: Sieve,
    values: &[(&str, Vec<u8>)],
) -> Result<()> {
    let (mut public, mut private) = (Values::<V>::new(), Values::<V>::new());
    for (name, encodings) in values {
        let of = if name.starts_with("public") { &mut public } else { &mut private };
        of.read(name, Written::Encodings(encodings))?;
    }
    let stated = Stated::new::<F>(sieve, public)?;
    let witness: Vec<F> = stated.witness(private)?;
    let source: &dyn stream::Source<F> = &stated;
    let mut clear = Clear::new(witness);
    Streamed(source).run(&mut clear)?;
    // Functions are counted once, and come to the same.
    let counted = Stream::new(source).count()?;
    let shape = Shape::of(&Streamed(source))?;
    assert_eq!((counted.mul, counted.inputs, counted.assert), (shape.mul, shape.inputs, shape.assert));
    Ok(())
}

/// Whether a relation over an odd field holds for these values.
fn holds_over<F: Field>(text: &str, values: &[(&str, Vec<u8>)]) -> Result<()> {
    holds::<F, Elements<F>>(open_text(text)?, values)
}

/// Whether a relation over 2^61 − 1 holds for these streams.
fn holds_f61(text: &str, public: &[u64], private: &[u64]) -> Result<()> {
    let encoded = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    let values = [("public", encoded(public)), ("private", encoded(private))];
    let given: Vec<_> = values.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    holds_over::<F61>(text, &given)
}

/// Whether a relation over F_2 holds for these streams.
fn holds_f2(text: &str, public: &[u8], private: &[u8]) -> Result<()> {
    let values = [("public", public.to_vec()), ("private", private.to_vec())];
    let given: Vec<_> = values.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    holds::<F2, Value>(open_text(text)?, &given)
}

fn fails(result: Result<()>) -> String {
    match result {
        Err(Error::Unsatisfied(name)) => name,
        other => panic!("{other:?}, where an assertion is to fail"),
    }
}

#[test]
fn gates_compute() {
    let text = over_f61(
        "",
        "$0 <- @private(0); // a factor\n$1<-@private();$2 <- @mul ( 0 : $0 , $1 );\n\
         /* the product is\n public */ $3 <- @public(0);\n$4 <- @mulc($3, <0x1FFFFFFFFFFFFFFE>);\n\
         $5 <- @add(0: $2, $4);\r\n@assert_zero(0:$5);",
    );
    holds_f61(&text, &[15], &[3, 5]).unwrap();
    let name = fails(holds_f61(&text, &[16], &[3, 5]));
    assert!(name.contains("the assertion of line 12 of x.rel"), "{name}");
    let ports = open_text(&text).unwrap().streams();
    let ports: Vec<_> = ports.iter().map(|port| (&*port.name, port.count)).collect();
    assert_eq!(ports, [("public", 1), ("private", 2)]);
    // Constants, sums with constants, copies, ranges, wires that are set again.
    let text = over_f61(
        "",
        "$0 ... $2 <- @private(0);\n$10 <- <7>;\n$11 <- 0: <8>;\n$12...$14, $15 <- $0 ... $2, $10;\n\
         $10 <- @add($12, $13);\n$10 <- @add($10, $14);\n$10 <- @addc($10, <1>);\n\
         $20 ... $21 <- 0: $11, $15;\n$30 <- @mulc($20, <2305843009213693950>);\n\
         $30 <- @add($30, $10);\n@assert_zero($30);\n@new($40 ... $99);\n@delete($12 ... $15);",
    );
    holds_f61(&text, &[], &[1, 2, 4]).unwrap();
    fails(holds_f61(&text, &[], &[1, 2, 5]));
}

#[test]
fn wires_are_those_of_their_type() {
    let text = format!(
        "version 2.0.0-beta;circuit;@type field 7;{F2_TYPE}{F2_TYPE}@begin\
         $0 <- @private(1);$0 <- @private(2);$1 <- @private(1);$0 <- @mul(1: $0, $1);\
         @assert_zero(1: $0);$0 <- @addc(2: $0, <1>);@assert_zero(2: $0);@end"
    );
    let check = |first: &[u8], second: &[u8]| {
        let sieve = open_text(&text).unwrap();
        holds::<F2, Value>(sieve, &[("private1", first.to_vec()), ("private2", second.to_vec())])
    };
    check(&[0, 1], &[1]).unwrap();
    assert!(fails(check(&[1, 1], &[1])).contains("line 1 "));
    fails(check(&[0, 1], &[0]));
}

/// A type that is never used may be of any kind.
#[test]
fn unused_types_may_be_of_no_field() {
    for unused in ["field 4294967296", "field 9", "ring 32", "ext_field 0 2 7"] {
        let text = format!(
            "version 2.2.0; circuit; {F2_TYPE} @type {unused}; @begin $0 <- @private(0); @assert_zero(0: $0); @end"
        );
        holds_f2(&text, &[], &[0]).unwrap();
        fails(holds_f2(&text, &[], &[1]));
    }
    let first = "version 2.2.0; circuit; @type field 15; @type field 2; @begin $0 <- @private(1); \
        @assert_zero(1: $0); @end";
    holds_f2(first, &[], &[0]).unwrap();
}

#[test]
fn functions_are_called() {
    let text = over_f61(
        "",
        "@function(square, @out: 0:1, @in: 0:1)\n$0 <- @mul(0: $1, $1);\n@end\n\
         @function(lower, @out: 0:2, @in: 0:1, 0:1)\n\
           $0 <- @call(square, $2);\n$4 <- @public(0);\n$1 <- @add($4, $3);\n@end\n\
         @function(swap, @out: 0:1, 0:1, @in: 0:1, 0:1)\n$0 <- $3;\n$1 <- $2;\n@end\n\
         @function(check, @in: 0:1)\n@assert_zero(0: $0);\n@end\n\
         $0 <- @private(0);\n$1 <- @private(0);\n\
         $2, $3 <- @call(swap, $0, $1);\n$4 ... $5 <- @call(lower, $2, $3);\n$6 <- @mulc($4, <2305843009213693950>);\n\
         $7 <- @add($6, $5);\n@call(check, $7);\n$8 ... $9 <- @call(lower, $0, $0);\n\
         $8 <- @mulc($8, <2305843009213693950>);\n$9 <- @add($8, $9);\n@assert_zero($9);",
    );
    // y² = p + x, and x² = q + x.
    holds_f61(&text, &[22, 6], &[3, 5]).unwrap();
    let name = fails(holds_f61(&text, &[23, 6], &[3, 5]));
    assert!(name.contains("in function check called in line"), "{name}");
    fails(holds_f61(&text, &[22, 7], &[3, 5]));
}

/// A function of which what it takes is deleted, and set again, within and outside.
#[test]
fn functions_hold_their_own_wires() {
    let text = over_f61(
        "",
        "@function(f, @out: 0:1, 0:1, @in: 0:1)\n$0 <- $2;\n@delete($2);\n$2 <- <5>;\n$1 <- $0;\n@end\n\
         $0 <- @private();\n$1, $2 <- @call(f, $0);\n@delete($0 ... $1);\n$0 <- <9>;\n\
         $3 <- @mulc($2, <2305843009213693950>);\n$3 <- @addc($3, <4>);\n@assert_zero($3);",
    );
    holds_f61(&text, &[], &[4]).unwrap();
    fails(holds_f61(&text, &[], &[5]));
}

/// Functions that double what they call: as many gates as there can be, in a few lines.
#[test]
fn functions_are_counted_and_not_expanded() {
    let doubling = |times: usize| {
        let mut gates = "@function(f0, @in: 0:1)\n$1 <- @mul($0, $0);\n@assert_zero($0);\n@end\n".to_owned();
        for i in 1..=times {
            gates += &format!("@function(f{i}, @in: 0:1)\n@call(f{0}, $0);\n@call(f{0}, $0);\n@end\n", i - 1);
        }
        over_f61("", &format!("{gates}$0 <- @private();\n@call(f{times}, $0);"))
    };
    let sieve = open_text(&doubling(10)).unwrap();
    let stated = Stated { sieve, public: vec![None::<Elements<F61>>; 2] };
    let source: &dyn stream::Source<F61> = &stated;
    assert_eq!(Shape::of(&Streamed(source)).unwrap().mul, 1024);
    let why = open_text(&doubling(70)).unwrap_err().to_string();
    assert!(why.contains("more than 1125899906842624 gates"), "{why}");
}

/// Lists that calls and loops go through are work, whatever is done with them.
#[test]
fn lists_are_counted_as_often_as_they_are_passed() {
    let loops = |wires: u64, times: u64| {
        over_f61(
            "",
            &format!(
                "@function(f, @in: 0:{wires}, 0:9)\n@assert_zero($0);\n@end\n\
                 @function(all, @in: 0:{wires})\n@plugin(iter_v0, map_enumerated, f, 1, {times});\n\
                 $0 ... ${} <- @private();\n@call(all, $0 ... ${0});",
                wires - 1
            ),
        )
    };
    assert_eq!(open_text(&loops(1000, 70)).unwrap().gates(), 1000 + 1000 + 70 * 1009);
    let why = open_text(&loops(1 << 21, 1 << 30)).unwrap_err().to_string();
    assert!(why.contains("this never ends"), "{why}");
}

/// Functions around another are kept, too, and so are constants.
#[test]
fn bodies_that_are_open_are_counted() {
    let gates = "$1 <- <1>;\n".repeat(500_000);
    let nested = (0..5).map(|i| format!("@function(f{i})\n{gates}")).collect::<String>();
    let text = over_f61("", &(nested + &"@end\n".repeat(5)));
    let why = open_text(&text).unwrap_err().to_string();
    assert!(why.contains("all functions together have more than 16777216 gates"), "{why}");
    assert!(!why.contains("@end"), "{why}");
}

/// Values of the statement are counted once for each type, and those of functions in their order, which is
/// bounded.
#[test]
fn values_of_several_types_are_counted() {
    let doubling = |times: usize, calls: usize| {
        let mut gates =
            "@function(f0)\n$0 <- @private(0);\n$0 <- @private(1);\n@assert_zero($0);\n@end\n".to_owned();
        for i in 1..=times {
            gates += &format!("@function(f{i})\n@call(f{0});\n@call(f{0});\n@end\n", i - 1);
        }
        over_f61(F61_TYPE, &(gates + &format!("@call(f{times});\n").repeat(calls)))
    };
    let text = doubling(15, 5);
    let mut reader = Reader::new(Text::new("x", Box::new(text.as_bytes()))).unwrap();
    while reader.next(&mut Body::default()).unwrap() {}
    assert_eq!(reader.scope.private.runs().collect::<Vec<_>>(), [(0, 5 << 15), (1, 5 << 15)]);
    let why = open_text(&doubling(16, 1)).unwrap_err().to_string();
    assert!(why.contains("by turns, too often to be counted, with what function f15 reads"), "{why}");
}

#[test]
fn large_functions_are_executed_where_they_are_called() {
    let mut gates = "@function(large, @out: 0:1, @in: 0:1)\n$2 <- @mul($1, $1);\n".to_owned();
    for i in 2..140_000 {
        gates += &format!("${} <- @addc(${i}, <1>);\n", i + 1);
    }
    gates += "$3 <- @public();\n$0 <- @add($140000, $3);\n@end\n\
        @function(outer, @out: 0:1, @in: 0:1)\n$2 <- @call(large, $1);\n$0 <- @call(large, $2);\n@end\n\
        $0 <- @private();\n$1 <- @call(outer, $0);\n$2 <- @public();\n$3 <- @mulc($2, <2305843009213693950>);\n\
        $4 <- @add($3, $1);\n@assert_zero($4);";
    let text = over_f61("", &gates);
    let once = |x: u64, p: u64| x * x + 139_998 + p;
    holds_f61(&text, &[1, 2, once(once(3, 1), 2)], &[3]).unwrap();
    fails(holds_f61(&text, &[1, 2, 4], &[3]));
}

#[test]
fn what_is_deleted_is_forgotten() {
    let mut gates = "$0 <- @private();\n".to_owned();
    for i in 0..20_000 {
        gates += &format!("${} <- @addc(${i}, <1>);\n@delete(${i});\n", i + 1);
    }
    gates += "$20001 <- @addc($20000, <2305843009213673948>);\n@assert_zero($20001);";
    let text = over_f61("", &gates);
    holds_f61(&text, &[], &[3]).unwrap();
    let mut reader = Reader::new(Text::new("x", Box::new(text.as_bytes()))).unwrap();
    let mut batch = Body::default();
    while reader.next(&mut batch).unwrap() {}
    assert_eq!(reader.slots(), 2);
}

/// A text that is read in small pieces is the same.
#[test]
fn tokens_are_read_across_blocks() {
    struct Slow<'t>(&'t [u8]);
    impl std::io::Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(buffer.len()).min(7);
            let (taken, rest) = self.0.split_at(count);
            buffer[..count].copy_from_slice(taken);
            self.0 = rest;
            Ok(count)
        }
    }
    let mut gates = "$0 <- @private();\n/*".to_owned() + &" * long ".repeat(9000) + "*/\n";
    for i in 0..20_000 {
        gates += &format!("${} <- @mul(0: ${i}, $0); // {}\n", i + 1, "-".repeat(i % 40));
    }
    let text = over_f61("", &(gates + "@assert_zero($20000);"));
    let mut reader = Reader::new(Text::new("x", Box::new(Slow(text.as_bytes())))).unwrap();
    let (mut batch, mut gates) = (Body::default(), 0);
    while reader.next(&mut batch).unwrap() {
        gates += batch.gates.len();
    }
    assert_eq!(gates, 20_002);
    assert_eq!(reader.text.finish().unwrap(), (text.len() as u64, blake3::hash(text.as_bytes()).into()));
}

#[test]
fn a_strict_reader_wants_each_wire_once() {
    let strict = |gates: &str| {
        Sieve::from_bytes("x.rel", over_f61("", gates).into_bytes(), true).map_err(|why| why.to_string())
    };
    strict("$0 <- @private();\n$1 <- $0;\n@delete($0);\n@assert_zero($1);").unwrap();
    for gates in [
        "$0 <- @private();\n$0 <- <1>;\n@assert_zero($0);",
        "$0 <- @private();\n@delete($0);\n$0 <- <1>;\n@assert_zero($0);",
        "@function(f, @in: 0:1)\n$0 <- <1>;\n@end",
    ] {
        let why = strict(gates).unwrap_err();
        assert!(why.contains("is set twice"), "{why}");
        let text = over_f61("", &format!("$99 <- @private();\n@assert_zero($99);\n{gates}"));
        open_text(&text).unwrap();
    }
}

#[test]
fn streams_are_read() {
    let text = format!("version 2.2.0;\nprivate_input;\n{F61_TYPE}\n@begin\n< 3 >;\n<0x10>;\n@end\n");
    let read = |text: &str, kind| SieveStream::from_bytes("x.wit", text.as_bytes(), kind);
    let stream = read(&text, StreamKind::Private).unwrap();
    assert_eq!((stream.count(), stream.field()), (2, "2305843009213693951".into()));
    assert_eq!(stream.encodings(), [3u64.to_le_bytes(), 16u64.to_le_bytes()].concat());
    let bits = text.replace(F61_TYPE, F2_TYPE).replace("0x10", "0").replace("3", "1");
    assert_eq!(read(&bits, StreamKind::Private).unwrap().encodings(), [1, 0]);
    let empty = format!("version 2.2.0;public_input;{F2_TYPE}@begin@end");
    assert_eq!(read(&empty, StreamKind::Public).unwrap().count(), 0);
    for (text, kind, words) in [
        (text.clone(), StreamKind::Public, "this is private_input, and public_input is asked for"),
        (text.replace("private_input", "circuit"), StreamKind::Private, "this is circuit, and"),
        (
            text.replace("0x10", "2305843009213693951"),
            StreamKind::Private,
            "line 6, column 2: the value is not below",
        ),
        (text.replace("0x10", "secret"), StreamKind::Private, "something else stands where a value should"),
        (text.replace("0x10", "12345secret"), StreamKind::Private, "a value that is no number"),
        (
            text.replace("@end", ""),
            StreamKind::Private,
            "the file ends where \"@end\" should: is it truncated?",
        ),
        (text.replace("@end", "@end <1>;"), StreamKind::Private, "behind the @end"),
    ] {
        let why = read(&text, kind).unwrap_err().to_string();
        assert!(why.contains(words) && !why.contains("secret"), "{words:?} is missing in {why:?}");
    }
}

#[test]
fn a_text_begins_with_its_version() {
    for text in ["version 2.1.0;", " /* a *//**/\n// b\nversion", "/*/ a */version"] {
        assert!(begins(text.as_bytes()), "{text}");
    }
    for text in ["", "/*/version 2.1.0;", "/* version", "// version", "circuit", "/version"] {
        assert!(!begins(text.as_bytes()), "{text}");
    }
}

/// Two builds that read a file in other ways have to disagree: where this changes, `Sieve::VERSION` goes up.
#[test]
fn gates_of_files_are_pinned() {
    let text = include_str!("../../../../vectors/sieve/mux.rel");
    let mut public = Values::<Elements<F61>>::new();
    public.read("public", Written::Text(b"0,0")).unwrap();
    let stated = Stated::new::<F61>(open_text(text).unwrap(), public).unwrap();
    let source: &dyn stream::Source<F61> = &stated;
    let gates = volery_circuit::Count::fingerprint(&Streamed(source)).unwrap().1;
    let hex = gates[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!((Sieve::VERSION, &*hex), (2, "a7c09d86ef371045"));
}
