//! Challenges: whose they are, when they come, and provers that would know them earlier.

use super::*;
use volery_primitives::prg::Seed;

/// A prover that lies in one batch, and once it knows its coin again in the next: by as much as cancels the
/// first lie, were the coin to come the same again or to go on. By the coin that comes it would.
#[test]
fn lies_that_an_earlier_coin_would_cancel_are_rejected() {
    fn test<E: MacField<E>>() {
        let (true_circuit, witness) = Products::<E>::instance(10 * PAIRS, 7);
        let (first, second) = (5, 9);
        let run = |lie: E| {
            let circuit = Products { n: true_circuit.n, sum: true_circuit.sum + E::ONE + lie };
            let lies = [Lie::Product(first, E::ONE), Lie::Product(8 * PAIRS + second, lie)];
            let (verdict, answered) = run_recorded::<E, E>(&circuit, &witness, &lies, None);
            (verdict, answered.messages())
        };
        let coins = run_recorded::<E, E>(&true_circuit, &witness, &[], None).1.messages();
        assert_eq!(coins.len(), 2);
        // The coefficient of a gate, of a batch or of the one after it.
        let chi = |coin: &[u8], gate: u64| {
            let seed = F128::from_bytes(*coin.first_chunk().unwrap());
            coefficients::<E, E>(Arch::detect(), seed, 3 * 10 * PAIRS as usize)[3 * gate as usize + 2]
        };
        let cancel = |next: E| -(chi(&coins[0], first) * next.invert());
        for next in [chi(&coins[0], second), chi(&coins[0], 8 * PAIRS + second)] {
            let (verdict, heard) = run(cancel(next));
            assert!(is_caught(&verdict));
            assert_eq!(heard, coins);
        }
        assert!(run(cancel(chi(&coins[1], second))).0.is_ok());
    }
    test::<F61>();
}

/// Coins of the verifier come after all that they combine: the prover has sent all corrections of a batch
/// before it can read one, and gets stuck at once where the verifier does not get them; and a verifier does
/// not tell a coin before it has them.
#[test]
fn coins_come_after_all_they_combine() {
    let (here, there) = pipe(Duration::from_millis(300));
    let mut verifying = Channel::new(Party::Verifier, there);
    let mut random = Random::from_seed(&[5; 32]);
    let delta = Delta::<F61, F61>::random(&mut random);
    let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
    let n = 9 * PAIRS;
    let (circuit, _) = Products::<F61>::instance(n, 4);
    // All corrections but those of the last block of the first batch.
    let mut proving = Channel::new(Party::Prover, here);
    for _ in 0..7 {
        proving.send(&[0; 8 * BLOCK]).unwrap();
    }
    proving.flush().unwrap();
    let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
    assert!(matches!(circuit.run(&mut verifier), Err(Error::Io { .. })));
    drop(verifier);
    assert_eq!(verifying.traffic().sent, 0);
}

/// Coins are drawn anew: each batch of one statement gets its own, and two runs of one
/// prover get different ones.
#[test]
fn the_verifiers_coins_are_not_the_transcripts() {
    let coins = |seed: u8| {
        let (here, there) = pipe(Duration::from_secs(20));
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        let delta = Delta::<F61, F61>::random(&mut Random::from_seed(&[5; 32]));
        let (circuit, _) = Products::<F61>::instance(17 * PAIRS, 4);
        std::thread::scope(|scope| {
            // The prover leaves after its coins, and its end of the pipe goes with it.
            let prover = scope.spawn(move || {
                // What the prover commits to is not looked at before its last message.
                [8, 8, 1].map(|blocks| {
                    (0..blocks).for_each(|_| proving.send_elements(&[F61::ONE; BLOCK]).unwrap());
                    proving.recv_array::<32>().unwrap()
                })
            });
            let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
            let mut random = Random::from_seed(&[seed; 32]);
            let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
            circuit.run(&mut verifier).unwrap();
            assert!(verifier.finish().is_err());
            prover.join().unwrap()
        })
    };
    let coins: HashSet<[u8; 32]> = coins(1).into_iter().chain(coins(2)).collect();
    assert_eq!(coins.len(), 6);
}

/// Challenges of the transcript depend on the last correction of their block: two provers whose blocks differ
/// by no more than that get different ones, and one that draws its own before it has sent it is rejected.
#[test]
fn the_transcripts_challenges_come_after_all_they_combine() {
    fn test<B: Field, E: MacField<B>>() {
        let (honest, verdict) = one_block::<B, E>(B::ZERO, false);
        assert!(verdict.is_ok());
        let (other, verdict) = one_block::<B, E>(B::ONE, false);
        assert!(is_caught(&verdict));
        assert_ne!(honest, other);
        let (early, verdict) = one_block::<B, E>(B::ZERO, true);
        assert!(is_caught(&verdict));
        let (same, verdict) = one_block::<B, E>(B::ONE, true);
        assert!(is_caught(&verdict));
        assert_eq!(early, same);
        assert_ne!(early, honest);
    }
    test::<F61, F61x2>();
    test::<F256, F128>();
}

/// Challenge and verdict of a prover of as many products as fill a block. It adds `lie` to the last
/// one, whose correction is the block's last, and draws its challenge before it sends the corrections
/// where it is `early`.
fn one_block<B: Field, E: MacField<B>>(lie: B, early: bool) -> ([u8; 32], Result<Gates>) {
    let (mut circuit, witness) = Products::<B>::instance(PAIRS, 4);
    circuit.sum += lie;
    let (here, there) = pipe(Duration::from_secs(20));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let delta = Delta::<B, E>::random(&mut Random::from_seed(&[5; 32]));
    let prover = || {
        let (arch, mut dealer) = (Arch::detect(), ideal::Prover::<B, E>::new(3, BLOCK));
        let (mut block, mut masks) = (Shares::default(), Shares::default());
        dealer.block(&mut proving, &mut block).unwrap();
        dealer.block(&mut proving, &mut masks).unwrap();
        let public = |value: B| E::Tag::new(value, E::ZERO);
        let (mut gates, mut sum) = (vec![], public(-circuit.sum));
        for (i, [x, y]) in witness.as_chunks::<2>().0.iter().enumerate() {
            let product = *x * *y + if i + 1 == PAIRS as usize { lie } else { B::ZERO };
            let wires = [*x, *y, product].into_iter().zip(block.rows(3 * i));
            let wires: Vec<_> = wires.map(|(value, share)| E::Tag::new(value, share.mac())).collect();
            let [x, y, product] = wires.try_into().ok().unwrap();
            gates.extend([[x, public(B::ONE), x], [y, public(B::ONE), y], [x, y, product]]);
            sum = sum + product;
        }
        let shares = gates.iter().zip(block.rows(0));
        let corrections: Vec<B> = shares.map(|(gate, share)| gate[2].value() - share.value()).collect();
        let (mut constant, mut linear) = (vec![E::ZERO; BLOCK], vec![E::ZERO; BLOCK]);
        E::products(arch, &gates, &mut constant, &mut linear);

        let challenge = |channel: &mut Channel| channel.challenge(Party::Prover, "quicksilver batch");
        let drawn = early.then(|| challenge(&mut proving));
        proving.send_elements(&corrections).unwrap();
        let seed = drawn.unwrap_or_else(|| challenge(&mut proving));
        let chi = coefficients::<B, E>(arch, Seed::two_of_challenge(&seed)[0], BLOCK);
        let masks = &masks.rows(0)[..E::degree() as usize];
        let u = E::dot(arch, &chi, &constant) + macs(masks);
        let v = E::dot(arch, &chi, &linear) + values(masks);
        proving.send_elements(&[u, v]).unwrap();
        let mut openings = Openings::new(ASSERTED);
        openings.absorb(&sum.mac());
        proving.send(&openings.digest()).unwrap();
        proving.flush().unwrap();
        seed
    };
    let verifier = || {
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut random = Random::from_seed(&[5; 32]);
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
        circuit.run(&mut verifier).unwrap();
        verifier.finish().map(|(_, gates, _)| gates)
    };
    side_by_side(prover, verifier)
}
