//! `volery bench`: both parties on this machine, one thread each.

mod algebra;
mod applications;
mod garbled;
mod generated;
mod holes;
mod limbo;
mod membership;
mod merkle;
mod plan;
mod snippets;
mod tables;
mod vole;

use crate::args::Bench;
use crate::failure::{Failure, Result};
use crate::fields::{ARITHMETIC, BOOLEAN, Field};
use crate::print;
use crate::report::table;
use crate::settings::{AUTO, one_of};
use plan::Plan;
use serde_json::json;
use std::time::Instant;
use volery::System;

pub(crate) use algebra::{inner_product, matmul, sis};
pub(crate) use generated::{arithmetic, wolverine};
pub(crate) use tables::stop;
pub(crate) use vole::vole;

/// What can be measured, and the options that say how large it is.
const BENCHES: [(&str, &[&str], &str); 19] = [
    (
        "boolean",
        &["--gates", "--inputs"],
        "a generated circuit of --gates multiplications over F_2, four additions to each",
    ),
    (
        "arithmetic",
        &["--gates", "--inputs"],
        "the like over any --field [default: f61], two additions to each multiplication",
    ),
    ("sha256", &[], "one SHA-256 preimage, from the start of the process to the verdict"),
    (
        "inner-product",
        &["--length"],
        "the inner product of two secret vectors of --length over any --field [default: f61]",
    ),
    (
        "matmul",
        &["--size", "--kind"],
        "the public product of two secret matrices of --size rows and columns over any --field [default: f61]: by random \
         vectors, by an inner-product for each entry, or by gates, by --kind",
    ),
    (
        "sis",
        &["--kind"],
        "a short solution of linear equations: 2048 in 1024 ternary unknowns over q32, or 1024 in 4096 binary ones over \
         f61, by --kind",
    ),
    (
        "holes",
        &["--kind", "--count"],
        "--count blocks of SHA-256, or multiplications modulo 2^32, by --kind: as polynomials, and gate by gate",
    ),
    (
        "merkle",
        &["--depth", "--kind"],
        "the 2^--depth leaves under a Merkle root, 64 bytes each: 2^(--depth + 1) - 1 compressions of SHA-256, as \
         polynomials or gate by gate by --kind",
    ),
    (
        "snippets",
        &["--count"],
        "an input that breaks one of --count pieces of C [default: 4], each of 70,000 ANDs or more",
    ),
    (
        membership::MEMBERSHIP,
        &["--depth"],
        "a record in one of three Merkle trees of --depth [default: 26]: builtin:merkle-membership, 1.9 million ANDs",
    ),
    ("jko", &["--gates"], "the circuit of `boolean` as a garbled one; garbling and evaluation alone, too"),
    (
        "stack",
        &["--clauses", "--gates"],
        "one of --clauses generated circuits [default: 15] of --gates each [default: 500000], which hold for no witness of \
         another",
    ),
    (
        "wolverine",
        &["--gates", "--inputs"],
        "the circuit of `boolean`, or over another --field of `arithmetic`, checked by --checked-by; and by quicksilver over \
         the same correlations",
    ),
    (
        "limbo",
        &["--statement", "--gates", "--interactive"],
        "one SHA-256 preimage, or the circuit of `boolean`, by --statement, by parties in the prover's head: as a file, \
         or over the link with --interactive",
    ),
    (
        applications::PRICE,
        &[],
        "a price above a threshold in a record of TLS: builtin:price-discrimination, 160,000 ANDs",
    ),
    (
        applications::CERTIFICATE,
        &[],
        "a login by TLS and a certificate on its name: builtin:blind-certificate, 2.5 million ANDs",
    ),
    (
        "vole-f2",
        &["--gates"],
        "--gates correlations over F_2, as they are drawn for proofs; nothing is proved",
    ),
    ("vole-f61", &["--gates"], "the like over any other --field [default: f61]"),
    (
        TABLES,
        &["--out", "--only", "--quick", "--large"],
        "what the papers report, run by run, in a folder of tables with their figures beside ours, and plots",
    ),
];

/// The one that runs the others.
const TABLES: &str = "tables";

/// Multiplications of `boolean` and `arithmetic`, where none are given.
const GATES: u64 = 10_000_000;

/// Runs what was asked for.
pub(crate) fn bench(typed: &Bench, started: Instant) -> Result<()> {
    if typed.list {
        return list(typed.output.json);
    }
    let name = typed.name.as_deref().unwrap_or_default();
    one_of("bench", name, &BENCHES.map(|(name, ..)| name))?;
    let refuse =
        |option: &str| Err(Failure::usage(format_args!("bench {name} has no {option}: leave it out")));
    let for_proofs = |option: &str| {
        Err(Failure::usage(format_args!(
            "{option}: bench {name} proves nothing, and it is for proofs: leave it out"
        )))
    };
    let (_, sized_by, _) = BENCHES.iter().find(|(known, ..)| *known == name).expect("one of them");
    let sizes = [
        ("--gates", &typed.gates),
        ("--inputs", &typed.inputs),
        ("--length", &typed.length),
        ("--size", &typed.size),
        ("--depth", &typed.depth),
        ("--kind", &typed.kind),
        ("--count", &typed.count),
        ("--clauses", &typed.clauses),
        ("--statement", &typed.statement),
    ];
    let given = sizes.iter().filter(|(_, given)| given.is_some()).map(|(option, _)| *option);
    let mut given = given.chain(typed.interactive.then_some("--interactive"));
    if let Some(option) = given.find(|option| !sized_by.contains(option)) {
        return refuse(option);
    }
    let of_tables = [
        ("--out", typed.out.is_some()),
        ("--only", !typed.only.is_empty()),
        ("--quick", typed.quick),
        ("--large", typed.large),
    ];
    let of_links_and_proofs = [
        ("--bandwidth", typed.bandwidth.is_some()),
        ("--latency", typed.latency.is_some()),
        ("--field", typed.protocol.field.is_some()),
        ("--system", typed.protocol.system.is_some()),
        ("--vole", typed.protocol.vole != AUTO),
        ("--security", typed.protocol.security.is_some()),
        ("--non-interactive", typed.protocol.non_interactive),
        ("--gate-hash", typed.protocol.gate_hash.is_some()),
        ("--seeds", typed.protocol.seeds.is_some()),
        (typed.protocol.simulation.given().unwrap_or_default(), typed.protocol.simulation.given().is_some()),
        (typed.protocol.checking.given().unwrap_or_default(), typed.protocol.checking.given().is_some()),
        ("--threads", typed.protocol.threads != "1"),
    ];
    let not_its = if name == TABLES { &of_links_and_proofs[..] } else { &of_tables };
    if let Some((option, _)) = not_its.iter().find(|(_, given)| *given) {
        return refuse(option);
    }
    if name == TABLES {
        return tables::tables(typed, started);
    }
    let field = field(typed)?;
    match name {
        "boolean" => generated::boolean(typed, started),
        "arithmetic" => (field.arithmetic)(typed, started),
        "wolverine" => (field.wolverine)(typed, started),
        "vole-f2" | "vole-f61" if typed.repeat.is_some() => refuse("--repeat"),
        "vole-f2" | "vole-f61" if typed.protocol.security.is_some() => for_proofs("--security"),
        "vole-f2" | "vole-f61" if typed.protocol.non_interactive => for_proofs("--non-interactive"),
        "vole-f2" | "vole-f61" => (field.vole)(typed, started),
        "inner-product" => (field.inner_product)(typed, started),
        "matmul" => (field.matmul)(typed, started),
        "sis" => (field.sis)(typed, started),
        "holes" => holes::holes(typed, started),
        "merkle" => merkle::merkle(typed, started),
        "snippets" => snippets::snippets(typed, started),
        "jko" => garbled::jko(typed, started),
        "stack" => garbled::stack(typed, started),
        "limbo" => limbo::limbo(typed, started),
        membership::MEMBERSHIP => membership::merkle_membership(typed, started),
        applications::PRICE => applications::price_discrimination(typed, started),
        applications::CERTIFICATE => applications::blind_certificate(typed, started),
        _ => Plan::new(typed, started)?.sha256(),
    }
}

/// The field over which a bench is to run: its own, or the one that is asked for where it has a choice.
pub(crate) fn field(typed: &Bench) -> Result<&'static Field> {
    let name = typed.name.as_deref().unwrap_or_default();
    let given = typed.protocol.field.as_deref();
    let field = match name {
        "arithmetic" | "inner-product" | "matmul" | "vole-f61" => Field::named(given.unwrap_or(ARITHMETIC))?,
        "sis" => return Field::named(given.unwrap_or(algebra::Kind::of(typed)?.field())),
        "sha256"
        | "holes"
        | "merkle"
        | "snippets"
        | "jko"
        | "stack"
        | "limbo"
        | membership::MEMBERSHIP
        | applications::PRICE
        | applications::CERTIFICATE => {
            return Field::boolean(&format!("bench {name}"), given);
        }
        _ => Field::asked(given)?,
    };
    let elsewhere = match (name, field.wires == BOOLEAN) {
        ("vole-f61", true) => "vole-f2",
        ("boolean", false) => "arithmetic",
        ("vole-f2", false) => "vole-f61",
        _ => return Ok(field),
    };
    let given = (field.name)();
    Err(Failure::usage(format_args!("--field: bench {name} is not over {given}: see bench {elsewhere}")))
}

/// The systems by which a bench can run; the first is where none is asked for.
fn systems(name: &str) -> &'static [System] {
    use System::{Jko, Limbo, QuickSilver, Stack, Wolverine};
    match name {
        "boolean" | "sha256" | "merkle" | applications::PRICE | applications::CERTIFICATE => {
            &[QuickSilver, Wolverine, Jko, Limbo]
        }
        "snippets" | membership::MEMBERSHIP => &[QuickSilver, Wolverine, Jko, Stack, Limbo],
        "jko" => &[Jko],
        "stack" => &[Stack, QuickSilver, Wolverine, Jko, Limbo],
        "limbo" => &[Limbo],
        "wolverine" => &[Wolverine],
        "arithmetic" | "inner-product" | "matmul" => &[QuickSilver, Wolverine, Limbo],
        "sis" => &[QuickSilver, Wolverine],
        _ => &[QuickSilver],
    }
}

/// The system by which a bench is to run: the one that is asked for, if it is among its own, or the first of these.
pub(crate) fn system(typed: &Bench) -> Result<System> {
    let name = typed.name.as_deref().unwrap_or_default();
    let its = systems(name);
    let system = crate::settings::system(&typed.protocol, its[0])?;
    if its.contains(&system) {
        return Ok(system);
    }
    let its: Vec<_> = its.iter().map(|system| system.name()).collect();
    Err(Failure::usage(format_args!("--system: bench {name} is by {}, and not by {system}", its.join(", "))))
}

/// Whether it is the one that proves nothing itself.
pub(crate) fn runs_others(typed: &Bench) -> bool {
    typed.name.as_deref() == Some(TABLES)
}

fn list(json: bool) -> Result<()> {
    if json {
        print::result(json!(BENCHES.map(|(name, _, what)| json!({"name": name, "what": what}))))
    } else {
        print::result(table(&BENCHES.map(|(name, _, what)| (name, what.into()))))
    }
}

/// A number of things: decimal digits, with `_` between them where wanted.
fn number(option: &str, text: &str) -> Result<u64> {
    let digits = text.replace('_', "");
    let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    number.ok_or_else(|| Failure::usage(format_args!("{option}: write a whole number, such as 10000000")))
}

/// What an option says of the size, or this where it is not given.
fn size(option: &str, typed: Option<&str>, otherwise: u64) -> Result<u64> {
    typed.map_or(Ok(otherwise), |text| number(option, text))
}

/// What --repeat says, or this where it is not given.
fn repeat(typed: &Bench, otherwise: u32) -> Result<u32> {
    let repeat = typed.repeat.as_deref().map_or(Ok(otherwise.into()), |text| number("--repeat", text))?;
    let repeat = u32::try_from(repeat).ok().filter(|repeat| *repeat > 0);
    repeat.ok_or_else(|| Failure::usage("--repeat: write a number from 1 to 4294967295"))
}

/// What is wrong with a number of gates.
fn of_gates(why: volery::Error) -> Failure {
    Failure::from(why).at("--gates")
}
