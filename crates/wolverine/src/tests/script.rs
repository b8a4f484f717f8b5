//! The prover's messages, by the table in the protocol's header.

use super::*;
use volery_proof::verdict::section;

/// The content of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said {
    Corrections,
    Further,
    Triples,
    Left,
    Right,
    Sum,
    Digest,
}
use Said::*;

/// The content of each message and its bytes, where products of witness elements are proved.
pub(super) fn script<M: Macs>(terms: &Terms, products: u64) -> Vec<(Said, usize)> {
    let mut script = Vec::new();
    let (mut gates, mut committed) = (0, 0);
    while gates < products {
        let of_block = terms.block.min(products - gates);
        gates += of_block;
        // The operands of the product that ends a block belong to it.
        let until = 3 * gates + if gates < products { 2 } else { 0 };
        let mut sectioned = 0;
        while committed + (sectioned as u64) < until {
            let length = section(sectioned, TILE);
            sectioned += length;
            script.push((Corrections, M::F::bytes_of(length as u64) as usize));
        }
        committed = until;
        block::<M>(terms, of_block, &mut script);
    }
    script.push((Digest, 32));
    script
}

/// The end of a block.
fn block<M: Macs>(terms: &Terms, gates: u64, script: &mut Vec<(Said, usize)>) {
    let by_groups = terms.by == CheckedBy::Interpolation;
    let groups = gates.div_ceil(GROUP as u64);
    let tiles = |count: u64, tile: u64| (0..count).step_by(tile as usize).map(move |i| tile.min(count - i));
    if by_groups {
        let tiles = tiles(groups, (TILE / GROUP) as u64);
        script.extend(tiles.map(|groups| (Further, M::F::bytes_of(31 * groups) as usize)));
    }
    let triples = if by_groups { groups } else { terms.plan(gates).triples(gates) };
    let bytes = |count| if by_groups { count as usize * M::E::BYTES } else { M::F::bytes_of(count) as usize };
    script.extend(tiles(triples, TILE as u64).map(|count| (Triples, bytes(count))));
    script
        .extend(tiles(triples, TILE as u64).flat_map(|count| [Left, Right].map(|said| (said, bytes(count)))));
    script.push((Sum, M::E::BYTES));
}

#[test]
fn messages_are_those_of_the_table() {
    fn test<M: Dealt>() {
        let few = [(40, 39), (40, 40), (40, 41), (40, 120), (200, 300)].map(|(block, n)| (block, n, 8));
        for (block, n, bits) in few.into_iter().chain([(9000, 4500, 20)]) {
            for terms in all_terms::<M>(block, bits) {
                let (circuit, witness) = instance::<M>(n, 1);
                let run = record_honest::<M>(terms, &circuit, &witness, SEEDS);
                let lengths: Vec<usize> = run.said.iter().map(Vec::len).collect();
                let expected: Vec<usize> = script::<M>(&terms, n).iter().map(|said| said.1).collect();
                assert_eq!(lengths, expected, "{} of {n}", terms.name());
            }
        }
    }
    over_every_kind!(test);
}
