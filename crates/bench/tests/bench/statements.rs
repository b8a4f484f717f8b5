//! The statements that are proved: their witnesses satisfy them, and their sizes are what is said beforehand.

use volery::circuit::clauses::find;
use volery::circuit::gadget::bits_of;
use volery::circuit::stream::{Source, StreamedClauses};
use volery::circuit::{Arithmetic, Network, Relation, Shape, Statement, Values};
use volery::random::Random;
use volery::{F2, Field};
use volery_bench::applications::{certificate, price};
use volery_bench::garbled::Networks;
use volery_bench::generated::circuit::{Chosen, Generated, Satisfied};
use volery_bench::generated::lanes::Lanes;
use volery_bench::membership;
use volery_bench::merkle::{Tree, leaf, witness};

fn check(relation: &str, (public, private): (Values, Values)) {
    let statement = Statement::new(Relation::open(relation, None).unwrap(), public).unwrap();
    let witness = statement.witness(private).unwrap();
    volery::check(&statement, witness.bits()).unwrap();
}

#[test]
fn samples_are_what_is_stated() {
    let random = &mut Random::from_seed(&[5; 32]);
    let price = price::sample(random, price::LENGTH).unwrap();
    check(&format!("builtin:price-discrimination?length={}", price::LENGTH), price);
    let shape = certificate::Shape { credentials: 50, reply: 37, before: 20, after: 30 };
    let spec = "builtin:blind-certificate?credentials=50&reply=37&before=20&after=30";
    check(spec, certificate::sample(random, shape).unwrap());
}

#[test]
fn samples_are_members() {
    let relation = || Relation::open("builtin:merkle-membership?depth=2", None).expect("built in");
    let (public, private) = membership::sample(&relation(), 2).expect("made up");
    let statement = Statement::new(relation(), public).expect("all is public");
    let witness = statement.witness(private).expect("all is private");
    volery::check(&statement, witness.bits()).expect("satisfied");
    assert_eq!(find(&StreamedClauses(&statement), witness.bits()).expect("the first"), 0);
}

#[test]
fn a_witness_satisfies_its_own_clause_alone() {
    let networks = Networks::new(5, 30).expect("not empty");
    for clause in 0..5 {
        assert_eq!(find(&networks, networks.witness(clause, [7; 32])).expect("one holds"), clause);
    }
}

#[test]
fn trees_are_satisfied_and_their_size_is_known() {
    let seed = [5; 32];
    for (depth, holes) in [(1, false), (2, true), (3, false)] {
        let tree = Tree::new(seed, depth, holes);
        volery::check(&tree, witness(seed, depth)).expect("satisfied");
        let shape = Shape::without_depth(&tree).expect("counted");
        let by_polynomials = |shape: &Shape| (shape.mul, shape.size());
        let by_gates = |shape: &Shape| (shape.mul_by_gates(), shape.size_by_gates());
        for of in [by_polynomials, by_gates] {
            assert_eq!(tree.size(of).expect("counted"), of(&shape));
        }
        let first: Vec<F2> = witness(seed, depth).take(512).collect();
        assert!(first.into_iter().eq(bits_of(&leaf(seed, 0))));
    }
}

fn assert_satisfied<F: Field, N: Satisfied<F>>(inputs: u64, network: N)
where
    Generated<N, F>: Source<F>,
{
    let (digest, lanes) = (network.digest(), network.lanes());
    let circuit = Generated::new(inputs, network);
    let mut witness: Vec<F> = circuit.witness().expect("randomness").collect();
    volery::check(&circuit, witness.clone()).expect("satisfied");
    let shape = Shape::of(&circuit).expect("counted");
    assert_eq!((shape.mul, shape.size()), (GATES, circuit.size()), "{lanes:?}");
    assert_eq!(circuit.digest() == digest, inputs == 0);
    if inputs > 0 {
        witness[0] += F::ONE;
        assert!(volery::check(&circuit, witness).is_err());
    }
}

const GATES: u64 = 203;

#[test]
fn values_have_their_sum_and_the_size_is_known() {
    for inputs in [0, 1, 100] {
        assert_satisfied::<F2, Network>(inputs, Chosen::new(GATES).expect("gates"));
        assert_satisfied::<volery::F61, Arithmetic<_>>(inputs, Chosen::new(GATES).expect("gates"));
        assert_satisfied::<volery::F128, Arithmetic<_>>(inputs, Chosen::new(GATES).expect("gates"));
        // As many gates in each lane, or some left over; and lanes of one gate.
        for lanes in [1, 7, 100, GATES] {
            assert_satisfied::<F2, Lanes<Network>>(inputs, Lanes::new(GATES, lanes).expect("gates"));
            assert_satisfied::<volery::F61, Lanes<Arithmetic<_>>>(
                inputs,
                Lanes::new(GATES, lanes).expect("gates"),
            );
        }
    }
}

/// A lane of more gates than a function holds is so many maps; each multiplication has four additions wherever
/// it stands.
#[test]
fn long_lanes_are_maps_one_after_the_other() {
    let mut digests = std::collections::HashSet::new();
    for (gates, lanes) in [(100_003, 3), (65_536, 1), (40_000, 1024), (40_000, 1023)] {
        let network: Lanes<Network> = Lanes::new(gates, lanes).expect("gates");
        let circuit = Generated::<_, F2>::new(0, network);
        let shape = Shape::without_depth(&circuit).expect("counted");
        assert_eq!((shape.mul, shape.add, shape.size()), (gates, 4 * gates, circuit.size()));
        assert!(digests.insert(circuit.digest()));
    }
}
