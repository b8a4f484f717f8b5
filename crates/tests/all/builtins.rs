//! Built-in statements over all fields, for which `volery` is compiled: their gates, pinned beside their version, and
//! what holds over one field, over others. Where other gates are pushed, the version has to go up with the fingerprint,
//! so that the handshake of two builds that differ in them tells.

use volery_channel::error::Result;
use volery_circuit::stream::{Source, Streamed, StreamedClauses};
use volery_circuit::{Alternatives as _, Circuit, Clear, Count, Elements, Port, Value, Values, clauses};
use volery_primitives::{Bn254, F61, F256, F65537, Field, Goldilocks, Q32};
use volery_statements::{FieldRelation, Program, Relation, Statement};

/// A built-in, pinned: its name with keys, its version, and the fingerprint of its gates.
type Pinned = (&'static str, u32, &'static str);

const BITS: &[Pinned] = &[
    ("sha256-preimage?length=1", 1, "9a744ab71e76ab90148c441440a2ba8b"),
    ("sha256-preimage?length=1&holes=1", 1, "560aa026390313faa9d3c1240e76f635"),
    ("sha3-256-preimage?length=1", 1, "019bf95787936a568f4c94e37fbd577a"),
    ("sha3-256-preimage?length=1&holes=1", 1, "82d29b8fe8395ebe14b1b4a0ecaf9eb3"),
    ("keccak256-preimage?length=1", 1, "6c659a088c8364e786f2c2bedae1de24"),
    ("keccak256-preimage?length=1&holes=1", 1, "b8db70998d3e865d3df02ad97ed87839"),
    ("aes128", 1, "836ed86a120adb5c9e8db02d946af28f"),
    ("aes128?holes=1", 1, "c43c8f158272ba21218e7ba0d6f375a2"),
    ("merkle-root?depth=1", 4, "4bab42481a41b79887ab9fa4e8ebad7b"),
    ("merkle-root?depth=1&holes=1", 4, "f27d8cd5eb8bd2dde1e28893509b814f"),
    ("hmac-sha256?key=1&length=1", 1, "85cd2bde96390e508ee4303a1574ea52"),
    ("hmac-sha256?key=1&length=1&holes=1", 1, "1d0b40e960de85a25cdaa9cd3e846d8e"),
    ("merkle-path?depth=1", 1, "3a4ba53f94d65ce968ae7fa4104dd19f"),
    ("merkle-path?depth=1&holes=1", 1, "e21b5955701f69361117f9f80c09fdcc"),
    ("bug-in-snippets?count=4", 1, "950383ad799ecde0c3b6851c33ea2566"),
    ("merkle-membership?depth=1", 1, "e01990951b939254947aa863d0afa1d1"),
    ("merkle-membership?depth=1&holes=1", 1, "4273beb968b5e0eddcf08c376d1dcd7e"),
    ("price-discrimination?length=12", 4, "c807b55039bd60b86d96ff335ee73925"),
    ("blind-certificate?credentials=5&reply=3&before=5&after=5", 3, "3b46a474e9e81de0f02ea3b37915222c"),
    ("inner-product?length=3", 1, "8fc305c6c095ffb6f0faec7f472b9872"),
    ("matmul?rows=2&inner=3&columns=2", 1, "aea65e337a8b9a05aefd66fdd3706ad5"),
    ("matmul?rows=2&inner=3&columns=2&random=0", 1, "617f6326e818ad0b1adb3112fe198e71"),
];

const OVER_F61: &[Pinned] = &[
    ("power?exponent=11", 1, "1bcaa41cf0cba4db6bba4a512d7deb1c"),
    ("polynomial?degree=3", 1, "908af4fd2ccf939ec34b1bd79de09d07"),
    ("range-sum?count=2&bits=5", 1, "7c9f4d285e014ac312089f327fe607d6"),
    ("factors", 1, "bc4b31c6d10559565c0935c12567d2f1"),
    ("sha256-bytes?length=3", 1, "3c227d0f593d97d56c624947a1ef983c"),
    ("linear?rows=2&columns=3", 1, "4372e692b89b95944f249d961e869d20"),
    ("inner-product?length=3", 1, "7fa0de0cd024e1534d75c2cfe62bd87e"),
    ("matmul?rows=2&inner=3&columns=2", 1, "7511f5ff75702c294831d800769fb541"),
    ("matmul?rows=2&inner=3&columns=2&random=0", 1, "60216f34712af02a36e410c5d9b2f8fe"),
    ("sis?rows=2&columns=3&bound=0", 1, "f9b6f33d4c57a58449eb39107e4d26b1"),
    ("sis?rows=2&columns=3&bound=1", 1, "0fb9403daf9dfff772cfee83c12ac133"),
    ("sis?rows=2&columns=3&bound=2", 1, "57c596abf42c5bfec089b7acade4a47c"),
];

const OVER_GOLDILOCKS: &[Pinned] = &[
    ("power?exponent=11", 1, "b1fb5df623cdc05160a4edc455013c80"),
    ("polynomial?degree=3", 1, "41f57ba687310227c3fb1bbb98a3a518"),
    ("range-sum?count=2&bits=5", 1, "52afead689d7378e8d953da2b52c20bd"),
    ("factors", 1, "eeacf47622fd8c6b2c6671bc8b2f9116"),
    ("sha256-bytes?length=3", 1, "94e5fe7544b67fa614e54b30398edd16"),
    ("linear?rows=2&columns=3", 1, "0f7daac2e5a6701e06a3932d968ba188"),
    ("inner-product?length=3", 1, "f895e319dfb9acd23eb91e8150913f84"),
    ("matmul?rows=2&inner=3&columns=2", 1, "e94f77ec86cd5ab77a8134630da48435"),
    ("matmul?rows=2&inner=3&columns=2&random=0", 1, "61d3b9214ec015ab4f216a55c66f1107"),
    ("sis?rows=2&columns=3&bound=0", 1, "83c91afe057cffed9fa6bbc60c846258"),
    ("sis?rows=2&columns=3&bound=1", 1, "d9c4c13303ead3b9007a91e6028db005"),
    ("sis?rows=2&columns=3&bound=2", 1, "1e956fff35533344210c8f2e28bdd9d0"),
];

const OVER_Q32: &[Pinned] = &[
    ("power?exponent=11", 1, "e9f181eb2df04c35a671c2332f452d71"),
    ("polynomial?degree=3", 1, "fc429f7c29aabea97ecbbc2ae7f3e538"),
    ("range-sum?count=2&bits=5", 1, "7f5a8675665f068f95444e64d8ee91e2"),
    ("factors", 1, "0fa110667b3409a5aeb1f5aa2874b6b3"),
    ("linear?rows=2&columns=3", 1, "e112d026ab4926bde6f6083c177127dc"),
    ("inner-product?length=3", 1, "f466a76c70b07570fa438a9da869b0e0"),
    ("matmul?rows=2&inner=3&columns=2", 1, "72de446cc63edb3ce38f0aa382e4cbef"),
    ("matmul?rows=2&inner=3&columns=2&random=0", 1, "5dc8c208445c99ce6fbde7a708c55e6f"),
    ("sis?rows=2&columns=3&bound=0", 1, "01383d20138b916e4a290424ab592bac"),
    ("sis?rows=2&columns=3&bound=1", 1, "43f5936ea26c188255f8db782db232d6"),
    ("sis?rows=2&columns=3&bound=2", 1, "9bd9bd61f0fffdf39e630008c977d796"),
];

const OVER_F256: &[Pinned] = &[
    ("power?exponent=11", 1, "1cf25acadbdf5ef6abd49afbc34b2936"),
    ("polynomial?degree=3", 1, "796c77b94d0209c3d79481774180c12d"),
    ("linear?rows=2&columns=3", 1, "bfa4ca047460b9c5fb3a0a55611d4fc3"),
    ("inner-product?length=3", 1, "19e419949838d4392d1e5c9a42481756"),
    ("matmul?rows=2&inner=3&columns=2", 1, "0135ba61dd1519b924020ac53ae8ae2c"),
    ("matmul?rows=2&inner=3&columns=2&random=0", 1, "7fd7bf962df764c18624091b325c97bd"),
];

const OVER_BN254: &[Pinned] = &[
    ("power?exponent=11", 1, "b46ce2a94e0a7b7f3515b0bbb38a1026"),
    ("polynomial?degree=3", 1, "c1f915e21ce4ca64572bac79cd692bdd"),
    ("range-sum?count=2&bits=5", 1, "b4a2d4be93460e485542c710b8166a5c"),
    ("factors", 1, "3a02c1b41282483192616e211a87ee72"),
    ("sha256-bytes?length=3", 1, "3c3111a0456d5b66daa61a3e65042612"),
    ("linear?rows=2&columns=3", 1, "9011c1fbfd7c11d699c47f322c888760"),
    ("poseidon-preimage?length=2", 1, "62c8b54633b5d4f136b74c8b4c2c7c17"),
    ("inner-product?length=3", 1, "710296f895dc47515feef78e295bc9d5"),
    ("matmul?rows=2&inner=3&columns=2", 1, "0f05429db71eb146913fc7a5c64675c2"),
    ("matmul?rows=2&inner=3&columns=2&random=0", 1, "0a2f27cfa889ff6da376c50fd50cfdb5"),
    ("sis?rows=2&columns=3&bound=0", 1, "339530fe08dcaa4cb1f2463b8bf8d114"),
    ("sis?rows=2&columns=3&bound=1", 1, "38bc54a9b6cdd5969d03e8c58d54c52e"),
    ("sis?rows=2&columns=3&bound=2", 1, "634810f48dd7fc2d0e20c2a5eee9fea9"),
];

/// A value of so many bits, or elements, which are all this digit.
trait Repeated {
    fn repeated(digit: char, width: u64) -> Self;
}

impl Repeated for Value {
    fn repeated(digit: char, width: u64) -> Self {
        let digits: String = (0..width).map(|_| digit).collect();
        Self::from_bits_text(&format!("0b{digits}")).unwrap()
    }
}

impl<F: Field> Repeated for Elements<F> {
    fn repeated(digit: char, width: u64) -> Self {
        let digits: Vec<_> = (0..width).map(|_| digit.to_string()).collect();
        Self::parse(digits.join(",").as_bytes()).unwrap()
    }
}

/// The statement that the outputs are ones, with zeros for the inputs that are `public`.
fn statement<P: Program<Value: Repeated>>(spec: &str, public: impl Fn(&Port) -> bool) -> Statement<P> {
    let relation = P::open(&format!("builtin:{spec}"), None).unwrap();
    let mut values = Values::new();
    for port in relation.inputs().iter().filter(|port| public(port)) {
        values.insert(&port.name, P::Value::repeated('0', port.width)).unwrap();
    }
    for port in relation.outputs() {
        values.insert(&port.name, P::Value::repeated('1', port.width)).unwrap();
    }
    Statement::new(relation, values).unwrap()
}

fn gates<F: Field>(source: &dyn Source<F>) -> [u8; 32] {
    Count::fingerprint(&Streamed(source)).unwrap().1
}

/// The fingerprints in which as little is public as may be, and in which all is.
fn with_and_without_values<P: Program<Value: Repeated>>(spec: &str) -> blake3::Hasher {
    let mut all = blake3::Hasher::new();
    all.update(&gates(statement::<P>(spec, |port| port.public).source()));
    all.update(&gates(statement::<P>(spec, |_| true).source()));
    all
}

fn short(all: &blake3::Hasher) -> String {
    all.finalize().to_hex()[..32].to_string()
}

/// The entries of `table` that differ, as they have to be pinned; each built-in has to be there.
fn otherwise<P: Program<Value: Repeated>>(
    table: &[Pinned],
    fingerprint: impl Fn(&str) -> String,
) -> Vec<String> {
    let name = |spec: &str| spec.split('?').next().unwrap_or_default().to_owned();
    let mut wrong = Vec::new();
    for (spec, version, pinned) in table {
        let relation = P::open(&format!("builtin:{spec}"), None).unwrap();
        let found = fingerprint(spec);
        if (relation.version(), &*found) != (Some(*version), *pinned) {
            let version = relation.version().unwrap();
            wrong.push(format!("{}: (\"{spec}\", {version}, \"{found}\"),", P::F::NAME));
        }
    }
    let missing = P::builtins().iter().filter(|(listed, _)| {
        let is_there = P::open(&format!("builtin:{listed}"), None).is_ok();
        is_there && !table.iter().any(|(spec, ..)| name(spec) == name(listed))
    });
    let missing: Vec<_> = missing.map(|(listed, _)| listed).collect();
    assert!(missing.is_empty(), "over {} nothing pins the gates of {missing:?}", P::F::NAME);
    wrong
}

#[test]
fn gates_do_not_change_without_a_version() {
    let mut wrong = otherwise::<Relation>(BITS, |spec| {
        let mut all = with_and_without_values::<Relation>(spec);
        // As clauses their assertions are others.
        let clauses = statement::<Relation>(spec, |port| port.public);
        if clauses.count() > 1 {
            all.update(&clauses::fingerprint(&StreamedClauses(&clauses)).unwrap().1);
        }
        short(&all)
    });
    fn over<F: Field>(table: &[Pinned]) -> Vec<String> {
        let fingerprint = |spec: &str| short(&with_and_without_values::<FieldRelation<F>>(spec));
        otherwise::<FieldRelation<F>>(table, fingerprint)
    }
    wrong.extend(over::<F61>(OVER_F61));
    wrong.extend(over::<Goldilocks>(OVER_GOLDILOCKS));
    wrong.extend(over::<Q32>(OVER_Q32));
    wrong.extend(over::<F256>(OVER_F256));
    wrong.extend(over::<Bn254>(OVER_BN254));
    assert!(
        wrong.is_empty(),
        "gates have changed: let `version` of these built-ins be one more, and pin\n{}",
        wrong.join("\n")
    );
}

/// Names with the texts of their values.
type Given<'a> = &'a [(&'a str, &'a str)];

fn values<F: Field>(given: Given) -> Values<Elements<F>> {
    let mut values = Values::new();
    given
        .iter()
        .for_each(|(name, text)| values.insert(*name, Elements::parse(text.as_bytes()).unwrap()).unwrap());
    values
}

/// Checks a statement from the texts of its values.
fn check<F: Field>(spec: &str, public: Given, private: Given) -> Result<()> {
    let relation = FieldRelation::<F>::open(&format!("builtin:{spec}"), None)?;
    let statement = Statement::new(relation, values(public))?;
    let witness = statement.witness(values(private))?;
    let mut clear = Clear::new(FieldRelation::<F>::elements(&witness));
    Streamed(&statement).run(&mut clear)?;
    clear.finish()
}

#[test]
fn what_holds_over_one_field_holds_over_others() {
    fn over<F: Field>() {
        let [x, y] = [("x", "1,2,3"), ("y", "4,5,-6")];
        let inner = |z| check::<F>("inner-product?length=3", &[("z", z)], &[x, y]);
        inner("-4").unwrap();
        assert!(inner("4").unwrap_err().to_string().contains(": z does not hold"));
        let [a, b] = [("a", "1,2,3,4,5,6"), ("b", "1,0,-1,2,0,1")];
        for random in [0, 1] {
            let spec = format!("matmul?rows=2&inner=3&columns=2&random={random}");
            check::<F>(&spec, &[("c", "-1,7,-1,16")], &[a, b]).unwrap();
            let why = check::<F>(&spec, &[("c", "-1,7,1,16")], &[a, b]).unwrap_err().to_string();
            assert!(why.contains(": c[1][0] does not hold"), "{why}");
        }
        let public: Given = &[("matrix", "1,2,3,4,5,6"), ("t", "-2,-2")];
        check::<F>("sis?columns=3&bound=1", public, &[("s", "1,0,-1")]).unwrap();
        assert!(check::<F>("sis?columns=3&bound=1", public, &[("s", "1,0,1")]).is_err());
    }
    over::<F61>();
    over::<F65537>();
    over::<Goldilocks>();
    over::<Bn254>();
    // Where numbers are polynomials over bits.
    check::<F256>("inner-product?length=3", &[("z", "1")], &[("x", "1,2,3"), ("y", "1,0,0")]).unwrap();
    for random in [0, 1] {
        let spec = format!("matmul?rows=2&inner=3&columns=2&random={random}");
        let [a, b] = [("a", "1,0,0,0,1,0"), ("b", "1,2,3,4,5,6")];
        check::<F256>(&spec, &[("c", "1,2,3,4")], &[a, b]).unwrap();
    }
    let why = FieldRelation::<F256>::open("builtin:sis", None).map(drop).unwrap_err().to_string();
    assert!(why.contains("builtin:sis: elements of f256 are not integers: choose a prime field"), "{why}");
}

/// A statement of one field describes itself there as others do.
#[test]
fn a_statement_of_one_field_shows_its_defaults() {
    let (spec, _) =
        FieldRelation::<Bn254>::builtins().iter().find(|(spec, _)| spec.starts_with("poseidon")).unwrap();
    for name in [spec, spec.split('?').next().unwrap()] {
        let relation = FieldRelation::<Bn254>::open(&format!("builtin:{name}"), None).unwrap();
        assert_eq!((relation.format_name(), relation.identity()), ("builtin", spec.as_bytes().to_vec()));
    }
}
