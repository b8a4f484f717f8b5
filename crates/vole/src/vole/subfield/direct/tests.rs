//! Blocks of growing length; every message tampered with.

use super::super::tests::*;
use super::*;
use volery_channel::channel::Party;

type Drawn<B, E> = Session<Vec<<E as MacField<B>>::Tag>, Vec<E>>;

fn run<B: Field, E: MacField<B>>(draws: usize, changes: Vec<Change>) -> Drawn<B, E> {
    let arch = Arch::detect();
    session(
        changes,
        |channel| {
            let vole = Prover::<B, E>::new(channel, arch, &mut Random::from_seed(&[1; 32]))?;
            draw(channel, Box::new(vole), draws)
        },
        |channel| {
            let vole = Verifier::<B, E>::new(channel, arch, &delta(9), &mut Random::from_seed(&[2; 32]))?;
            draw(channel, Box::new(vole), draws)
        },
    )
}

#[test]
fn blocks_grow() {
    let mut drawn = 0;
    for length in [256, 256, 512, 1024, 2048, 2048, 2048] {
        assert_eq!(next(drawn), length);
        drawn += length;
    }
}

/// Blocks of each length, or of three, all shares of which are related and none of which comes twice.
fn shares_are_correlated<B: Field, E: MacField<B>>(all: bool) {
    let lengths = [(0, 0), (1, 256), (4, 2048), (2, 512), (6, 6144)];
    for &(draws, shares) in &lengths[..if all { 5 } else { 3 }] {
        let drawn = run::<B, E>(draws, vec![]);
        let (macs, keys) = (drawn.proved.unwrap(), drawn.verified.unwrap());
        assert_eq!(macs.len(), shares);
        assert_correlated(&macs, &keys, delta::<B, E>(9).value());
    }
}
over_every_kind_in_part!(shares_are_correlated);

/// The points, and by digits the trees; then for each block τ in pieces, the seed, and what answers it. A
/// flipped bit in any is caught, but for what nobody looks at: a canonical τ where its bit of Δ is zero, and
/// what corrects the other side of a tree's path. Where not all cases are asked for, it is every other message, other
/// ones over the next field, of one the first bit, of the next one the last.
fn a_flipped_bit_is_caught<B: Field, E: MacField<B>>(all: bool) {
    let (transfers, columns, trees) = transferred::<B, E>();
    let block = [256, E::degree() as usize].map(|shares| ("τ", B::BYTES * columns * shares));
    let block = [block[0], block[1], ("sum", E::BYTES), ("columns", 32)];
    let said = [&[("point", 32)][..], &trees, &block, &block].concat();
    let answered = vec![("points", 64 * transfers), ("seed", 16), ("seed", 16)];
    let honest = run::<B, E>(2, vec![]);
    for (i, (party, messages)) in [(Party::Prover, said), (Party::Verifier, answered)].into_iter().enumerate()
    {
        let sent = honest.messages[i].messages();
        assert!(sent.iter().map(Vec::len).eq(messages.iter().map(|message| message.1)));
        for (message, (name, length)) in messages.into_iter().enumerate() {
            let (bits, kind) = ([0, 8 * (length - 1)], message + B::BITS as usize);
            if !all && kind % 2 == 1 {
                continue;
            }
            for &bit in if all { &bits[..] } else { &bits[kind / 2 % 2..][..1] } {
                let drawn = run::<B, E>(2, vec![Change::flip(party, message, bit)]);
                assert!(assert_caught(drawn, &delta(9)) || one_sided(name), "{name} {message}, bit {bit}");
            }
        }
    }
}
over_every_kind_in_part!(a_flipped_bit_is_caught);
