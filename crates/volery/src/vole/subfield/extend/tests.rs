//! Shares of every kind, across refills, stopped anywhere; every message tampered with.

use super::super::Delta;
use super::*;
use crate::channel::{Flip, Pipe, Tape, pipe};
use crate::error::Result;
use crate::random::Random;
use crate::vole::extend::Schedule;
use crate::vole::{Share, Shares, Vole};
use std::collections::HashSet;
use std::time::Duration;
use volery_primitives::F61;

const TIMEOUT: Duration = Duration::from_secs(60);

type Ends<B, E> = (Result<Vec<Tagged<B, E>>>, Result<Vec<E>>, E);

/// The shares of `draws` blocks on both sides and both ends' errors, with a bit flipped where asked.
fn run<B: Field, E: MacField<B>>(
    sets: Sets,
    target: Params,
    draws: usize,
    flip: Option<(Party, Flip)>,
    [arch, verifiers]: [Arch; 2],
) -> Ends<B, E> {
    let (here, there) = pipe(TIMEOUT);
    let tape =
        |party, link: Pipe| Tape::new(link, flip.filter(|(from, _)| *from == party).map(|(_, flip)| flip)).0;
    let mut proving = Channel::new(Party::Prover, tape(Party::Prover, here));
    let mut verifying = Channel::new(Party::Verifier, tape(Party::Verifier, there));
    let delta = Delta::<B, E>::random(&mut Random::from_seed(&[9; 32]));
    let value = delta.value();
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let vole = Prover::new(&mut proving, arch, sets, target, &mut Random::from_seed(&[1; 32]))?;
            draw(&mut proving, vole, draws)
        });
        let mut verify = move || {
            let mut random = Random::from_seed(&[2; 32]);
            let vole = Verifier::new(&mut verifying, verifiers, sets, target, &delta, &mut random)?;
            draw(&mut verifying, vole, draws)
        };
        let verified = verify();
        drop(verify);
        (prover.join().unwrap(), verified, value)
    })
}

fn draw<S: Share>(
    channel: &mut Channel,
    mut vole: impl Vole<Share = S> + 'static,
    draws: usize,
) -> Result<Vec<S::Row>> {
    let (mut rows, mut block) = (vec![], Shares::default());
    for _ in 0..draws {
        vole.block(channel, &mut block)?;
        rows.extend_from_slice(block.rows(0));
    }
    Box::new(vole).check(channel).map(drop)?;
    channel.flush()?;
    Ok(rows)
}

fn assert_correlated<B: Field, E: MacField<B>>((shares, keys, delta): Ends<B, E>) {
    let (shares, keys) = (shares.unwrap(), keys.unwrap());
    assert_eq!(shares.len(), keys.len());
    for (i, (share, key)) in shares.iter().zip(&keys).enumerate() {
        assert_eq!(*key, share.mac + delta.scale(share.value), "share {i}");
    }
    let distinct: HashSet<u128> = keys.iter().map(|key| key.to_word()).collect();
    assert_eq!(distinct.len(), keys.len());
}

const LARGE: Sets = Sets::LARGE;

/// All shares of more than two iterations, on every instruction set, none of them twice.
#[test]
fn shares_are_correlated_across_refills() {
    let draws = 2 * Schedule::over(LARGE.tiny, 1).draws() + 3;
    let all = Arch::available();
    for archs in all.iter().zip(all.iter().rev()).map(|(a, b)| [*a, *b]) {
        assert_correlated(run::<F61, F61>(LARGE, LARGE.tiny, draws, None, archs));
    }
}
