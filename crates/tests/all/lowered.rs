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
            "c166d7c0973c8d42a058cfd30292a5af",
            "a31f8a84ef6c7722d676f380046af33f",
            "87aa625a3e3a5dcd7ada98639350c2eb",
            "c69f3e1e62ce4dadb69bb2e192a23aa5",
            "841f27829d2f6630fa212f04d6dd2b03",
        ],
    ),
    (
        "limbo",
        &[
            "fb154b387f122964acc052975acdecda",
            "a4027678e122d7383f79525346086139",
            "c5e3624748347af87431c64e8e2cf16d",
            "d968f4bc76a7fbf91cdcc5665abcfb31",
            "09c8ae392103f0af4fdfbeabbe5af9f6",
        ],
    ),
    (
        "wolverine",
        &[
            "67407885a4c2f9241b37d91930218882",
            "56e09e17df8b1d96b13c3e0b105415ae",
            "542ff9d5149e756bf4af7025909d7bc9",
            "4dea54aa54c717c2809784404d17e892",
            "fa06fcb46651925a9dc6d48b2aae93f4",
        ],
    ),
    (
        "voleith, a file",
        &[
            "8606e1cf9ffaa464f6e58f719687cbb4",
            "ca06654042dbc7745f2b505758615966",
            "6e27cac909a0563aaaf64e2f5ca6433d",
            "cc2f96a52ebed978f4049d4ff20ac43c",
            "719a83ddd011c74399fdd95bcb5fe048",
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
            "6d968747d32bd8c9c72d564161163a73",
            "25daa4ad36616d4be9acece47b491627",
            "d9f49a221f2560ea51a858f90dccff88",
            "59348abfd69f02b2da435bea51929a92",
        ],
    ),
    (
        "stack, a clause",
        &[
            "508c58bd2e625535942eda2e364bdc61",
            "be310566a76130ed181ee029d6a0c4f0",
            "c514d401fd91d659af2afed44d081a80",
            "fd05c330d4cd9c0d3f639b279a408a87",
        ],
    ),
    (
        "quicksilver of f256",
        &[
            "7b0110e2e6d40dc381b79b0d55ec09c9",
            "97b79a3da00d488e6585d0071934a940",
            "12b2e6d50e5f46eb6747e6fea284732e",
            "978ba26b5fd99f927d62885c7ca75918",
            "b0150b48edaa738d7018b5b80dadfd56",
        ],
    ),
    (
        "wolverine of f61",
        &[
            "131e5806d6e40027787b1e695d4f05fe",
            "cdfcd2ac535498e47cf0393bbc26bcf2",
            "4e6d3feec76b9dd625a9d3ed13b728b9",
            "e00346cc5a1bfc4499ccf7f9d964f256",
            "bba3c4032871410ad538cb877e051ca8",
            "59492a7b0030c3a9316a241edd8f0a1b",
        ],
    ),
    (
        "limbo of f61",
        &[
            "96593161fe0f7fbef8d430c12c38f982",
            "5f75872bfc370d3ff89847677f09fe5a",
            "2c2fb6486f8967443a765a31e7f38910",
            "d7e9c40cfe69cb55258a4175c6c310ea",
            "e2880bf9733076a8e926aec6fecce4ab",
            "23fc38d4ac9489ec7d00591070841b85",
        ],
    ),
];
