//! All benches: a row for each.

use crate::args::Typed;
use crate::bench::{Bench, Fields, Takes};
use crate::fields::over;
use crate::{
    algebra, applications, convert, garbled, generated, holes, limbo, membership, memory, merkle, network,
    processor, sha256, shards, snippets, tables, vole, web,
};
use volery::System;
use volery_cli::failure::{Result, one_of};
use volery_cli::fields::{ARITHMETIC, BOOLEAN};

/// The systems of a statement over F_2 without clauses.
const OF_BITS: &[System] = &[System::QUICKSILVER, System::WOLVERINE, System::JKO, System::LIMBO];

/// The measurements that there are.
pub static BENCHES: [Bench; 30] = [
    Bench {
        name: "boolean",
        options: &["--gates", "--inputs", "--lanes"],
        takes: Takes::All,
        over: Fields::BitsElse("arithmetic"),
        systems: OF_BITS,
        says: "a generated circuit of --gates multiplications over F_2, four additions to each; in --lanes that \
               do not depend on each other, which threads share",
        run: generated::boolean,
    },
    Bench {
        name: "arithmetic",
        options: &["--gates", "--inputs", "--lanes"],
        takes: Takes::All,
        over: Fields::Any(arithmetic),
        systems: &[System::QUICKSILVER, System::WOLVERINE, System::LIMBO],
        says: "the like over any --field [default: f61], two additions to each multiplication",
        run: generated::arithmetic,
    },
    Bench {
        name: "shards",
        options: &["--gates", "--shards", "--simulate"],
        takes: Takes::All,
        over: Fields::Any(bits),
        systems: &[System::QUICKSILVER],
        says: "the gates of `boolean`, or over another --field of `arithmetic`, in --shards [default: 8] of \
               one run, and in one; with --simulate what 64 to 1024 pairs of workers would take for 10^12",
        run: |run| over!(run.field()?, shards::shards(run)),
    },
    Bench {
        name: "sha256",
        options: &["--count", "--lanes", "--length"],
        takes: Takes::All,
        over: Fields::Any(bits),
        systems: OF_BITS,
        says: "one SHA-256 preimage, from the start of the process to the verdict, or --count of them at once, in maps of \
               --lanes [default: 2048]; over --field f61 one message of --length [default: 65527], whose bytes are \
               elements",
        run: sha256::sha256,
    },
    Bench {
        name: "program",
        options: &["--elf", "--length", "--public-control"],
        takes: Takes::All,
        over: Fields::Any(processor::usual),
        systems: OF_BITS,
        says: "a run of SHA-256 in C, or of the program --elf, with a private input of --length; its branches \
               and addresses are secret, or with --public-control known to both parties",
        run: processor::program,
    },
    Bench {
        name: "inner-product",
        options: &["--length"],
        takes: Takes::All,
        over: Fields::Any(arithmetic),
        systems: &[System::QUICKSILVER, System::WOLVERINE, System::LIMBO],
        says: "the inner product of two secret vectors of --length over any --field [default: f61]",
        run: |run| over!(run.field()?, algebra::inner_product(run)),
    },
    Bench {
        name: "matmul",
        options: &["--size", "--kind"],
        takes: Takes::All,
        over: Fields::Any(arithmetic),
        systems: &[System::QUICKSILVER, System::WOLVERINE, System::LIMBO],
        says: "the public product of two secret matrices of --size rows and columns over any --field \
               [default: f61]: by random vectors, by an inner-product for each entry, or by gates, by \
               --kind",
        run: |run| over!(run.field()?, algebra::matmul(run)),
    },
    Bench {
        name: "ram",
        options: &["--words", "--accesses", "--bits"],
        takes: Takes::All,
        over: Fields::Any(arithmetic),
        systems: &[System::QUICKSILVER, System::WOLVERINE],
        says: "--accesses to a memory of --words at secret addresses, reads and writes in turn, over any \
               --field [default: f61]",
        run: |run| over!(run.field()?, memory::ram(run)),
    },
    Bench {
        name: "lookup",
        options: &["--words", "--accesses", "--bits"],
        takes: Takes::All,
        over: Fields::Any(arithmetic),
        systems: &[System::QUICKSILVER, System::WOLVERINE],
        says: "that --accesses secret numbers have --bits, or are rows of a table of --words, over any \
               --field [default: f61] but of characteristic two",
        run: |run| over!(run.field()?, memory::lookup(run)),
    },
    Bench {
        name: "convert",
        options: &["--bits", "--count", "--kind"],
        takes: Takes::All,
        over: Fields::Any(arithmetic),
        systems: &[System::QUICKSILVER],
        says: "--count secret words of --bits over F_2 that become numbers over any --field [default: f61] \
               but of characteristic two, or numbers that become bits, by --kind",
        run: convert::convert,
    },
    Bench {
        name: "sis",
        options: &["--kind"],
        takes: Takes::All,
        over: Fields::Any(algebra::field_of_short_solutions),
        systems: &[System::QUICKSILVER, System::WOLVERINE],
        says: "a short solution of linear equations: 2048 in 1024 ternary unknowns over q32, or 1024 in 4096 \
               binary ones over f61, by --kind",
        run: |run| over!(run.field()?, algebra::sis(run)),
    },
    Bench {
        name: "holes",
        options: &["--kind", "--count"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::QUICKSILVER],
        says: "--count blocks of SHA-256, or multiplications modulo 2^32, by --kind: as polynomials, and \
               gate by gate",
        run: holes::holes,
    },
    Bench {
        name: "merkle",
        options: &["--depth", "--kind", "--lanes"],
        takes: Takes::All,
        over: Fields::AnyBits,
        systems: OF_BITS,
        says: "the 2^--depth leaves under a Merkle root, 64 bytes each: 2^(--depth + 1) - 1 compressions of \
               SHA-256, as polynomials or gate by gate by --kind, --lanes leaves at once [default: 512]",
        run: merkle::merkle,
    },
    Bench {
        name: "snippets",
        options: &["--count"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::QUICKSILVER, System::WOLVERINE, System::JKO, System::STACK, System::LIMBO],
        says: "an input that breaks one of --count pieces of C [default: 4], each of 70,000 ANDs or more",
        run: snippets::snippets,
    },
    Bench {
        name: "merkle-membership",
        options: &["--depth"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::QUICKSILVER, System::WOLVERINE, System::JKO, System::STACK, System::LIMBO],
        says: "a record in one of three Merkle trees of --depth [default: 26]: builtin:merkle-membership, \
               1.9 million ANDs",
        run: membership::merkle_membership,
    },
    Bench {
        name: "jko",
        options: &["--gates"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::JKO],
        says: "the circuit of `boolean` as a garbled one; garbling and evaluation alone, too",
        run: garbled::jko,
    },
    Bench {
        name: "stack",
        options: &["--clauses", "--gates"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::STACK, System::QUICKSILVER, System::WOLVERINE, System::JKO, System::LIMBO],
        says: "one of --clauses generated circuits [default: 15] of --gates each [default: 500000], which \
               hold for no witness of another",
        run: garbled::stack,
    },
    Bench {
        name: "branches",
        options: &["--clauses", "--gates", "--count"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::QUICKSILVER, System::STACK, System::WOLVERINE, System::JKO, System::LIMBO],
        says: "one of --clauses generated circuits [default: 64] of --gates each [default: 100000], and \
               beside it one alone; or --count claims of that kind, by quicksilver",
        run: garbled::branches,
    },
    Bench {
        name: "wolverine",
        options: &["--gates", "--inputs"],
        takes: Takes::All,
        over: Fields::Any(bits),
        systems: &[System::WOLVERINE],
        says: "the circuit of `boolean`, or over another --field of `arithmetic`, checked by \
               --checked-by; and by quicksilver over the same correlations",
        run: generated::wolverine,
    },
    Bench {
        name: "auto",
        options: &["--gates", "--inputs"],
        takes: Takes::All,
        over: Fields::Any(bits),
        systems: &[System::QUICKSILVER, System::WOLVERINE],
        says: "whether --vole auto takes the fastest correlations: the circuit of `boolean`, or over another \
               --field of `arithmetic`, over each of them, on ten links or the one of --bandwidth and \
               --latency, of which auto is told nothing",
        run: generated::auto,
    },
    Bench {
        name: "limbo",
        options: &["--statement", "--gates", "--interactive"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::LIMBO],
        says: "one SHA-256 preimage, or the circuit of `boolean`, by --statement, by parties in the \
               prover's head: as a file, or over the link with --interactive",
        run: limbo::limbo,
    },
    Bench {
        name: "voleith",
        options: &["--statement", "--gates", "--length", "--kind"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::VOLEITH, System::LIMBO],
        says: "the same as a file by trees that the prover deals to itself; a message of any --length, of \
               which bits between words are polynomials by --kind holes",
        run: limbo::limbo,
    },
    Bench {
        name: "price-discrimination",
        options: &[],
        takes: Takes::All,
        over: Fields::Bits,
        systems: OF_BITS,
        says: "a price above a threshold in a record of TLS: builtin:price-discrimination, 161,000 ANDs",
        run: applications::price_discrimination,
    },
    Bench {
        name: "blind-certificate",
        options: &[],
        takes: Takes::All,
        over: Fields::Bits,
        systems: OF_BITS,
        says: "a login by TLS and a certificate on its name: builtin:blind-certificate, 2.5 million ANDs",
        run: applications::blind_certificate,
    },
    Bench {
        name: "web",
        options: &["--length", "--kind", "--suite"],
        takes: Takes::All,
        over: Fields::Bits,
        systems: &[System::QUICKSILVER],
        says: "a request of 1 KB and a response of --length in a session of TLS 1.3 by --suite, all shown; SHA-256 \
               and AES gate by gate, the latter as polynomials, or both, by --kind",
        run: web::web,
    },
    Bench {
        name: "network",
        options: &["--network", "--count"],
        takes: Takes::All,
        over: Fields::ElementsElse("boolean"),
        systems: &[System::QUICKSILVER],
        says: "--count queries to the network of a quantised file, --network, on random inputs: with weights and inputs \
               secret, and the class shown",
        run: network::network,
    },
    Bench {
        name: "vole-f2",
        options: &["--gates"],
        takes: Takes::Correlations,
        over: Fields::BitsElse("vole-f61"),
        systems: &[System::QUICKSILVER],
        says: "--gates correlations over F_2, as they are drawn for proofs; nothing is proved",
        run: |run| over!(run.field()?, vole::vole(run)),
    },
    Bench {
        name: "vole-f61",
        options: &["--gates"],
        takes: Takes::Correlations,
        over: Fields::ElementsElse("vole-f2"),
        systems: &[System::QUICKSILVER],
        says: "the like over any other --field [default: f61]",
        run: |run| over!(run.field()?, vole::vole(run)),
    },
    Bench {
        name: "tables",
        options: &["--out", "--only", "--quick", "--large", "--write", "--commit", "--budget"],
        takes: Takes::NoProof,
        over: Fields::Any(bits),
        systems: &[System::QUICKSILVER],
        says: "what the papers report, run by run, in a folder of tables with their figures beside ours, \
               and plots; with --write the figures of the pages in a folder",
        run: tables::tables,
    },
    Bench {
        name: "threads",
        options: &["--only", "--quick", "--write", "--commit", "--budget"],
        takes: Takes::NoProof,
        over: Fields::Any(bits),
        systems: &[System::QUICKSILVER],
        says: "what threads gain, by both parties on the machine and by one alone: 1,024 SHA-256 preimages, \
               gates in 1,024 lanes, and a Merkle tree",
        run: tables::published::threads,
    },
];

fn bits(_: &Typed) -> Result<&'static str> {
    Ok(BOOLEAN)
}

fn arithmetic(_: &Typed) -> Result<&'static str> {
    Ok(ARITHMETIC)
}

/// The one called `name`.
///
/// # Errors
/// Misuse, where there is none.
pub fn find(name: &str) -> Result<&'static Bench> {
    one_of("bench", name, &BENCHES.each_ref().map(|bench| bench.name))?;
    Ok(BENCHES.iter().find(|bench| bench.name == name).expect("one of them"))
}
