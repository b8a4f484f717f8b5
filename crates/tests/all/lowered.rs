//! Memories, tables, ranges, permutations and polynomials as gates, by systems that have no proof for them: the
//! bytes are pinned, since the gates and their order are part of the protocol.

use crate::kit::{by_wolverine, run_clauses, run_over, seeded};
use crate::tapes::digest;
use volery::circuit::{Alternatives, Branch, Cells, Clauses, Machine, Put, Returned, Rows, address_width};
use volery::zk::voleith::Wishes;
use volery::{
    Backend, Binary, Circuit, Correlations, F2, F61, F128, F256, Field, InTheHead, Named, Options, Over,
    Result, System, prove_to_over,
};

/// An operation that is gates for who has no proof for it.
#[derive(Clone, Copy, PartialEq)]
enum Lowered {
    Memory,
    /// Functions that put to memories.
    Function,
    Table,
    Range,
    Permutation,
    Polynomials,
}

const ALL: [Lowered; 6] = [
    Lowered::Memory,
    Lowered::Function,
    Lowered::Table,
    Lowered::Range,
    Lowered::Permutation,
    Lowered::Polynomials,
];

/// The witness: cell number one by its first wire, and by its first three.
const WITNESS: [u64; 8] = [1, 0, 0, 1, 1, 0, 0, 1];

fn number<F: Field>(word: u64) -> F {
    F::from_word(u128::from(word)).expect("a small number")
}

/// Demands that a wire carries so much.
fn equals<B: Machine>(b: &mut B, wire: B::Wire, expected: u64, name: &str) -> Result<()> {
    let minus = b.constant(-number::<B::F>(expected));
    let difference = b.add(wire, minus);
    b.assert_zero(difference, name)
}

fn memory<B: Machine>(b: &mut B, x: &[B::Wire]) -> Result<()> {
    let address = &x[..address_width::<B::F>(5)];
    let public: Vec<B::F> = [0, 1, 1, 0, 0, 1, 1, 1, 0, 0].map(number).to_vec();
    let wires: Vec<B::Wire> = x.iter().chain(&x[..2]).copied().collect();
    for cells in [Cells::Zero(5), Cells::Public(&public), Cells::Wires(&wires)] {
        let mut memory = b.memory(cells, 2)?;
        b.access(&mut memory, address, Put::Same, &"a cell")?;
        b.access(&mut memory, address, Put::Word(&x[3..5]), &"a cell")?;
        b.access(&mut memory, address, Put::Where(x[5], &x[5..7]), &"a cell")?;
        let word = b.access(&mut memory, address, Put::Same, &"a cell")?;
        equals(b, word[0], 1, "the first of the word")?;
        equals(b, word[1], 1, "the second of the word")?;
        b.close(memory)?;
    }
    Ok(())
}

/// One function puts where a bit is one, and calls another, which puts. Both are called several times, with
/// other accesses between them.
fn function<B: Machine>(b: &mut B, x: &[B::Wire]) -> Result<()> {
    let wires = address_width::<B::F>(5);
    let mut memory = b.memory(Cells::Zero(5), 1)?;
    let mut other = b.memory(Cells::Wires(&x[..5]), 1)?;
    let arguments = [&x[..wires], &[x[5], x[7]]].concat();
    for round in 0..3 {
        let found = b.call(b"where", &arguments, |b, arguments| {
            let (address, [bit, word]) = arguments.split_at(wires) else { unreachable!() };
            let before = b.access(&mut memory, address, Put::Same, &"a cell")?;
            b.access(&mut memory, address, Put::Where(*bit, &[*word]), &"a cell")?;
            let put = b.call(b"put", &[address, &[*word]].concat(), |b, arguments| {
                let (address, word) = arguments.split_at(wires);
                b.access(&mut memory, address, Put::Word(word), &"a cell")?;
                let wires = b.access(&mut other, address, Put::Word(word), &"a cell")?;
                Ok(Returned { wires, public: Vec::new() })
            })?;
            Ok(Returned { wires: vec![before[0], put.wires[0]], public: Vec::new() })
        })?;
        equals(b, found.wires[0], round.min(1), "what was there")?;
        equals(b, found.wires[1], round.min(1), "what was in the other")?;
        b.access(&mut other, &x[..wires], Put::Where(x[0], &x[..1]), &"a cell")?;
    }
    let word = b.access(&mut memory, &x[..wires], Put::Same, &"a cell")?;
    equals(b, word[0], 1, "what was put")?;
    b.close(other)?;
    b.close(memory)
}

fn table<B: Machine>(b: &mut B, x: &[B::Wire]) -> Result<()> {
    let rows: Vec<B::F> = [0, 1, 0, 1, 0, 1].map(number).to_vec();
    let mut short = b.table(Rows { key: 1, value: 2, entries: &rows })?;
    let rows: Vec<B::F> = [1, 0, 0, 0, 0, 1, 1, 1, 1].map(number).to_vec();
    let mut long = b.table(Rows { key: 2, value: 1, entries: &rows })?;
    for _ in 0..2 {
        let found = b.look_up(&mut short, &x[..1], &"a key")?;
        equals(b, found[0], 0, "the first of the value")?;
        equals(b, found[1], 1, "the second of the value")?;
        let found = b.look_up_rows(&mut long, &[&x[..2], &x[1..3]], &"two keys")?;
        equals(b, found[0][0], 0, "the value of the first")?;
        equals(b, found[0][1], 1, "the value of the second")?;
    }
    Ok(())
}

fn permutation<B: Machine>(b: &mut B, x: &[B::Wire]) -> Result<()> {
    let ys = [x[6], x[7], x[4], x[5]];
    b.assert_permutation(&x[..4], &ys, 1, &"the same words")?;
    b.assert_permutation(&x[..4], &ys, 2, &"the same pairs")?;
    b.assert_permutation(&x[..3], &[x[1], x[2], x[0]], 1, &"the same three")
}

fn polynomials<B: Machine>(b: &mut B, x: &[B::Wire]) -> Result<()> {
    let (v, w) = (b.vector(&x[..3]), b.vector(&x[4..7]));
    let product = b.product(&v, &w)?;
    let committed = b.commit(&product)?;
    let minus = b.public(&[-B::F::ONE, B::F::ZERO, B::F::ZERO]);
    let difference = b.sum(&product, &minus);
    b.assert_zeroes(difference, "the products")?;
    let gathered = b.gather(&w, &[Some(2), None, Some(0)]);
    let combined = b.combination(&[(&v, &w), (&v, &gathered)], &[(-B::F::ONE, &v)], B::F::ZERO)?;
    b.assert_zeroes(combined, "a combination")?;
    let inner = b.inner_product(&x[..4], &x[4..])?;
    let total = b.total(&product);
    let sum = b.sum(&inner, &total);
    let sum = b.commit(&sum)?[0];
    equals(b, sum, if B::F::ONE + B::F::ONE == B::F::ZERO { 1 } else { 3 }, "the sums")?;
    equals(b, committed[0], 1, "a product")
}

impl<B: Machine> Circuit<B> for Lowered {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = (0..WITNESS.len()).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        match self {
            Self::Memory => memory(b, &x),
            Self::Function => function(b, &x),
            Self::Table => table(b, &x),
            Self::Range => {
                b.assert_within(&x[..3], 5, &"below 32")?;
                b.assert_within(&x, 1, &"bits")
            }
            Self::Permutation => permutation(b, &x),
            Self::Polynomials => polynomials(b, &x),
        }
    }
}

/// Two clauses, of which the first has products alone.
struct Either(Lowered);

impl Alternatives for Either {
    fn count(&self) -> usize {
        2
    }
}

impl<B: Machine<F = F2>> Clauses<B> for Either {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        if clause == 1 {
            return self.0.run(b);
        }
        let x = [b.witness()?, b.witness()?];
        let product = b.mul(x[0], x[1])?;
        b.assert_zero(product, "a product")
    }
}

/// The kinds that there are over `F`, each with the digest that `tape` gives.
fn each<F: Field>(tape: impl Fn(Lowered) -> String) -> Vec<String> {
    let has_ranges = address_width::<F>(1 << 10) == 1;
    ALL.into_iter().filter(|of| has_ranges || *of != Lowered::Range).map(tape).collect()
}

fn witness<F: Field>() -> Vec<F> {
    WITNESS.map(number).to_vec()
}

fn sessions<S: Named>(options: &Options) -> Vec<String> {
    each::<S::F>(|of| digest(run_over::<S>((&of, &witness::<S::F>(), options), (&of, options), None)))
}

fn files<S: Named>(options: &Options) -> Vec<String> {
    each::<S::F>(|of| {
        let mut file = Vec::new();
        prove_to_over::<S>(&of, witness::<S::F>(), &mut file, options).unwrap();
        blake3::hash(&file).to_hex()[..32].to_owned()
    })
}

/// The digests of all kinds in a clause, but for functions: a clause accesses its memories outside of them.
fn clauses(options: &Options) -> Vec<String> {
    let kinds = ALL.into_iter().filter(|of| !matches!(of, Lowered::Range | Lowered::Function));
    let tape = |of| {
        let of = &Either(of);
        digest(run_clauses((of, 1, &witness::<F2>(), options), (of, options), None))
    };
    kinds.map(tape).collect()
}

/// A digest for each kind, by each system that has gates for it.
#[test]
fn pinned_lowered() {
    fn with<S: Named>(name: &str, options: Options) -> Options {
        let correlations: Correlations = Correlations::named::<S>(name).unwrap();
        options.with_correlations(correlations)
    }
    let by = |system: System| Options { method: system.into(), ..seeded(42) };
    let wishes = Wishes { grinding: Some(8), ..Wishes::default() };
    let head = InTheHead { wishes };
    let wolverine = by_wolverine(None, None);
    let eight = with::<Binary>("softspoken8", seeded(42));
    let tapes = [
        ("jko", sessions::<Binary>(&by(System::JKO))),
        ("limbo", sessions::<Binary>(&by(System::LIMBO))),
        ("wolverine", sessions::<Binary>(&with::<Binary>("softspoken8", wolverine.clone()))),
        ("voleith, a file", files::<Binary>(&Options { method: head.into(), ..seeded(42) })),
        ("limbo, a file", files::<Binary>(&by(System::LIMBO))),
        ("quicksilver, a clause", clauses(&eight)),
        ("stack, a clause", clauses(&by(System::STACK))),
        ("quicksilver of f256", sessions::<Over<F256, F128>>(&with::<Over<F256, F128>>("tiny", seeded(42)))),
        ("wolverine of f61", sessions::<Over<F61>>(&with::<Over<F61>>("direct", wolverine))),
        ("limbo of f61", sessions::<Over<F61>>(&by(System::LIMBO))),
    ];
    for ((name, tapes), (of, pinned)) in tapes.iter().zip(PINNED) {
        assert_eq!((*name, tapes.iter().map(String::as_str).collect::<Vec<_>>()), (of, pinned.to_vec()));
    }
}

/// The digests of [`ALL`] by each system, without what it has not.
const PINNED: [(&str, &[&str]); 10] = [
    (
        "jko",
        &[
            "18b4d61d4c4ccdb954e0f36b5c2b9f02",
            "7b692b40900dccb43a4bd54c884d895c",
            "ec66b7def95176c0636b44d327243229",
            "73a48358c398b364afb86919520e91fd",
            "63550e2cd1625f04f4c0915ab6f05812",
        ],
    ),
    (
        "limbo",
        &[
            "02d79f0c3a26b58cf0d9100f4125048f",
            "d31e71122ecaf7276a019dec24b226ed",
            "539e6a80a4837fac2b9c3da80258a448",
            "c1d094b30d78346d1d7ff658f27a8ac4",
            "a295aa28aebaef15842bb584e84c8b9c",
        ],
    ),
    (
        "wolverine",
        &[
            "ba91ec281628f93b590af5da10491f32",
            "89550a71b6555b3b97f03dbc05448c72",
            "d41b583ab66e89281c47627a476f5f51",
            "3cdbd85ae4020f90085620194f79ec49",
            "74714aec3a55ddf240ae28cdb9d8005e",
        ],
    ),
    (
        "voleith, a file",
        &[
            "3fa12054fac798b0bed8d8ad4906d9d7",
            "efef69486f83fa97b85b0696e9ba1766",
            "65d4e140b472282013d1eb4b8d782713",
            "c4816e902bdb930d1ea786e2c82458dc",
            "1ad367be9a9e471e93e05c32bfa72074",
        ],
    ),
    (
        "limbo, a file",
        &[
            "78b95daddfafc8598a9d65279525c699",
            "6c8ce84a90ee2386315521ecb0678715",
            "a2508414a3bffefb9e9faf90aee75b7f",
            "3eec781e1c4d078785fc25c26fb9c1c2",
            "d648edad287b66733fec08d8cccc92d9",
        ],
    ),
    (
        "quicksilver, a clause",
        &[
            "b18d06ca05d7a41284cd109627cb8a42",
            "52f234c5e47c33869f9e31b4b5ca9102",
            "74286b6b0196294cc48b2e091e072ed7",
            "daac684dd2178b918a08f08d78ad0b0f",
        ],
    ),
    (
        "stack, a clause",
        &[
            "a28155dd8ef8bc08a0535d902cc54436",
            "c89da22ee25c5c3976f04cde6f0fbb56",
            "6551714ea37229f12648bbc5266bdf68",
            "c99f96d214cd0c4f143205dee19c6718",
        ],
    ),
    (
        "quicksilver of f256",
        &[
            "0307f2b3e607a53404eb1de54e44e5b2",
            "5547bc05e2817b3365d5e9d1373d63da",
            "8c4e0b8a6b3d49277e2c25faa18650c3",
            "17d62a6a25cdf61d453d5c8181101a7d",
            "77d89405483643abd62180f545cfe452",
        ],
    ),
    (
        "wolverine of f61",
        &[
            "f854fa4d2aaa6090cf687bda6f3720b9",
            "e712332b57189c1cdc452eae5ae580cd",
            "e413239ec24c20db77cdd6a681b03025",
            "8b8f3ed289ecda6cc4b27dfc3b515c75",
            "516d903c5ccdc9219af420f2508ebdcd",
            "c0c938f63f5cba316a00391717ead1e0",
        ],
    ),
    (
        "limbo of f61",
        &[
            "cd3af43bcfeed6d25c13485716280699",
            "e4b2146ae3cdf71cfb4801f3cce0b1ac",
            "81d43c4060921f9a919e8db229edd121",
            "0a6bf557749f86d3fe70b91cab5cff0b",
            "908924364b1e05806474d4e805060220",
            "6ff8c59c825b1d1c15684206bbe409e6",
        ],
    ),
];
