//! The correlation, exhaustively; every message tampered with; cheating receivers; the packed-check attack.

use super::*;
use std::time::Duration;
use volery_channel::channel::{Flip, Party, Tape, pipe};

const DELTA: F128 = F128(0x8123_4567_89ab_cdef_fedc_ba98_7654_3211);
const TIMEOUT: Duration = Duration::from_secs(20);

fn delta(seed: u8) -> F128 {
    F128(Random::from_seed(&[seed; 32]).word().0 | 1)
}

/// A receiver and a sender over ideal base transfers, each with its channel; what the receiver
/// sends passes a tape.
fn pair<R: Row>(
    depth: Depth,
    delta: R,
    flip: Option<Flip>,
) -> ((Receiver<R>, Channel), (Sender<R>, Channel)) {
    let (k, delta) = (depth.bits(), delta.into());
    let mut random = Random::from_seed(&[7; 32]);
    let leaves: pprf::Leaves =
        Zeroizing::new((0..depth.trees(R::COLUMNS) << k).map(|_| random.word()).collect());
    let mut punctured = leaves.clone();
    for (i, leaves) in punctured.chunks_exact_mut(1 << k).enumerate() {
        let alpha = pprf::slice(delta, i, k);
        leaves[alpha as usize] = F128::ZERO;
        shift(leaves, alpha);
    }
    let (here, there) = pipe(TIMEOUT);
    let mut receiving = Channel::new(Party::Prover, Tape::new(here, flip).0);
    let mut sending = Channel::new(Party::Verifier, there);
    // Challenges are drawn late, and chunks folded behind them.
    sending.share_work(&Pool::of(2));
    let arch = Arch::detect();
    let receiver = Receiver::of(Expansion::new(&mut receiving, arch, depth, (Role::Receiver, leaves)));
    let expansion = Expansion::new(&mut sending, arch, depth, (Role::Sender, punctured));
    let sender = Sender::of(expansion, Zeroizing::new(delta));
    ((receiver, receiving), (sender, sending))
}

/// `chunks` extensions and one check on both sides: the receiver's rows, the sender's, and
/// the sender's verdict.
fn run(depth: Depth, delta: F128, chunks: usize, flip: Option<Flip>) -> (Vec<F128>, Vec<F128>, Result<()>) {
    let ((mut receiver, mut receiving), (mut sender, mut sending)) = pair(depth, delta, flip);
    let (mut t, mut q, mut rows) = (vec![], vec![], Zeroizing::default());
    for _ in 0..chunks {
        receiver.extend(&mut receiving, &mut rows).unwrap();
        t.extend_from_slice(&rows);
        receiving.flush().unwrap();
        sender.extend(&mut sending, &mut rows).unwrap();
        q.extend_from_slice(&rows);
    }
    receiver.check(&mut receiving).unwrap();
    receiving.flush().unwrap();
    let verdict = sender.check(&mut sending).map(drop);
    (t, q, verdict)
}

fn assert_correlated(t: &[F128], q: &[F128], delta: F128) {
    assert_eq!(t.len(), q.len());
    for (t, q) in t.iter().zip(q) {
        assert_eq!(*q, *t ^ F128(delta.0 & t.bit0().mask()));
        assert_eq!(q.bit0(), F2::ZERO);
    }
}

#[test]
fn every_row_is_correlated_and_choices_look_random() {
    for (depth, chunks) in [(Depth::Four, 7), (Depth::Eight, 5)] {
        let (t, q, verdict) = run(depth, DELTA, chunks, None);
        verdict.unwrap();
        assert_correlated(&t, &q, DELTA);
        let ones = t.iter().filter(|t| t.bit0() == F2::ONE).count();
        assert!(ones.abs_diff(t.len() / 2) < t.len() / 10, "{ones} ones in {}", t.len());
    }
}

#[test]
fn chunks_grow_to_the_longest() {
    let ((mut receiver, mut channel), _sender) = pair(Depth::Four, DELTA, None);
    let mut rows = Zeroizing::default();
    let lengths: Vec<usize> = (0..6)
        .map(|_| {
            receiver.extend(&mut channel, &mut rows).unwrap();
            rows.len() / BLOCK
        })
        .collect();
    assert_eq!(lengths, [8, 8, 16, 32, 64, 64]);
}

#[test]
fn chunks_may_be_drawn_before_anything_is_sent_for_them() {
    for ahead in 1..6 {
        let ((mut receiver, mut receiving), (mut sender, mut sending)) = pair(Depth::Four, DELTA, None);
        let drawn: Vec<_> = (0..5).map(|_| Zeroizing::default()).collect();
        let (mut drawn, mut t) = (drawn.into_iter(), VecDeque::new());
        let mut q = Zeroizing::default();
        for _ in 0..5 {
            t.extend(drawn.by_ref().take(ahead - t.len()).map(|rows| receiver.draw(rows).1.wait()));
            receiver.send(&mut receiving).unwrap();
            receiving.flush().unwrap();
            sender.extend(&mut sending, &mut q).unwrap();
            assert_correlated(&t.pop_front().unwrap(), &q, DELTA);
        }
        receiver.check(&mut receiving).unwrap();
        receiving.flush().unwrap();
        sender.check(&mut sending).unwrap();
    }
}

#[test]
#[should_panic(expected = "what was drawn early is sent before anything else")]
fn what_was_not_sent_is_not_checked() {
    let ((mut receiver, mut receiving), _sender) = pair(Depth::Four, DELTA, None);
    let _ = receiver.draw(Zeroizing::default());
    let _ = receiver.check(&mut receiving);
}

#[test]
fn checks_may_come_between_chunks_and_rows_never_repeat() {
    let ((mut receiver, mut receiving), (mut sender, mut sending)) = pair(Depth::Four, DELTA, None);
    let mut seen = std::collections::HashSet::new();
    let (mut t, mut q) = (Zeroizing::default(), Zeroizing::default());
    for _ in 0..3 {
        for _ in 0..2 {
            receiver.extend(&mut receiving, &mut t).unwrap();
            receiving.flush().unwrap();
            sender.extend(&mut sending, &mut q).unwrap();
            assert_correlated(&t, &q, DELTA);
            assert!(t.iter().all(|t| seen.insert(*t)));
        }
        receiver.check(&mut receiving).unwrap();
        receiving.flush().unwrap();
        sender = sender.check(&mut sending).unwrap();
    }
}

#[test]
fn rows_do_not_depend_on_the_instruction_set() {
    let rows = |arch| {
        let ((mut receiver, mut channel), _sender) = pair(Depth::Four, DELTA, None);
        Arc::get_mut(&mut receiver.expansion.leaves).unwrap().arch = arch;
        let mut rows = Zeroizing::default();
        receiver.extend(&mut channel, &mut rows).unwrap();
        rows
    };
    let expected = rows(Arch::PORTABLE);
    Arch::available().into_iter().for_each(|arch| assert_eq!(rows(arch), expected, "{}", arch.name()));
}

/// Messages are: one of corrections for each chunk, those of the mask, x, the digest.
#[test]
fn a_flipped_bit_in_any_message_is_caught() {
    for depth in [Depth::Four, Depth::Eight] {
        for message in 0..5 {
            for bit in [0, 131, 5000] {
                let verdict = run(depth, DELTA, 2, Some(Flip { message, bit })).2;
                assert!(matches!(verdict, Err(Error::Misbehaved(_))), "message {message}, bit {bit}");
            }
        }
    }
}

#[test]
fn a_check_cannot_be_replayed() {
    let ((mut receiver, mut receiving), (mut sender, mut sending)) = pair(Depth::Four, DELTA, None);
    let mut rows = Zeroizing::default();
    let mut last = None;
    for accepted in [true, false] {
        receiver.extend(&mut receiving, &mut rows).unwrap();
        receiving.flush().unwrap();
        sender.extend(&mut sending, &mut rows).unwrap();
        let mask = receiver.expansion.expand(1);
        let chi = receiver.correct(&mut receiving, &mask).unwrap();
        receiver.add(chi, mask.into());
        let x = core::mem::take(&mut receiver.sum);
        let sums = receiver.expansion.take_sums();
        let honest = (x, receiver.expansion.digest(&sums));
        let (x, digest) = last.replace(honest).unwrap_or(honest);
        receiving.send_words(&[x]).unwrap();
        receiving.send(&digest).unwrap();
        receiving.flush().unwrap();
        match sender.check(&mut sending) {
            Ok(back) => sender = back,
            Err(_) => return assert!(!accepted),
        }
        assert!(accepted);
    }
}

/// A receiver whose tree i is wrong by `errors[i]` in block 0 of the first chunk, and that answers the check
/// as if slice i of Δ were `guesses[i]`.
fn cheat<R: Row>(depth: Depth, delta: R, errors: &[(usize, F128, u64)]) -> (Result<()>, Rows<R>, Rows<R>) {
    let k = depth.bits();
    let ((mut receiver, mut receiving), (mut sender, mut sending)) = pair(depth, delta, None);
    let blocks = receiver.expansion.next_chunk();
    let mut chunk = receiver.expansion.expand(blocks);
    for &(tree, error, _) in errors {
        chunk.totals[tree * blocks] ^= error;
    }
    chunk.correct();
    let (u, mut columns) = (chunk.totals[..blocks].to_vec(), chunk.columns.clone());
    let chi = receiver.correct(&mut receiving, &chunk).unwrap();
    receiver.add(chi.clone(), chunk.into());
    receiver.expansion.gather(0);
    for &(tree, error, guess) in errors {
        for m in (0..k).filter(|m| guess >> m & 1 == 1) {
            receiver.expansion.sums[tree * k + m] += chi[0] * error;
            // What it must believe its rows to be if the guess is right.
            columns[(tree * k + m) * blocks] ^= error;
        }
    }
    columns[..blocks].copy_from_slice(&u);
    let mut t = Zeroizing::new(vec![R::default(); BLOCK * blocks]);
    R::transpose(Arch::PORTABLE, &columns, &mut t);
    receiver.check(&mut receiving).unwrap();
    receiving.flush().unwrap();
    let mut q = Zeroizing::default();
    sender.extend(&mut sending, &mut q).unwrap();
    (sender.check(&mut sending).map(drop), t, q)
}

#[test]
fn a_lucky_guess_of_a_slice_passes_and_leaves_correct_rows() {
    let errors = |guess| [(5, F128(0xdead_beef), guess)];
    let (verdict, t, q) = cheat(Depth::Four, DELTA, &errors(pprf::slice(DELTA, 5, 4)));
    verdict.unwrap();
    assert_correlated(&t, &q, DELTA);
    for wrong in (0..16).filter(|&guess| guess != pprf::slice(DELTA, 5, 4)) {
        assert!(cheat(Depth::Four, DELTA, &errors(wrong)).0.is_err());
    }
}

#[test]
fn errors_without_a_guess_survive_one_time_in_sixteen() {
    let survived =
        (0..200).filter(|&seed| cheat(Depth::Four, delta(seed), &[(9, F128(1), 0)]).0.is_ok()).count();
    assert!((3..=30).contains(&survived), "{survived} of 200; 12.5 expected");
}

/// Corrections with 1 to 20 flipped bits in c trees of depth 8 pass where c slices of Δ, of 8 bits each, are
/// guessed, however many bits are flipped in each tree: with probability 2^-8c.
#[test]
fn flipped_bits_pass_where_the_slices_of_their_trees_are_guessed() {
    for flips in [1, 2, 3, 5, 8, 14, 20] {
        // Some bits in each of several trees, but the first, whose corrections are not sent.
        let trees: usize = if flips < 3 { flips } else { flips / 2 };
        let error = |tree: usize| {
            let bits = (0..flips).filter(|flip| flip % trees == tree);
            F128(bits.fold(0, |error, flip| error | 1 << (6 * flip + tree)))
        };
        let errors = |wrong: Option<usize>| -> Vec<_> {
            let guess = |tree| pprf::slice(DELTA, tree + 1, 8) ^ u64::from(wrong == Some(tree)) << (tree % 8);
            (0..trees).map(|tree| (tree + 1, error(tree), guess(tree))).collect()
        };
        let (verdict, t, q) = cheat(Depth::Eight, DELTA, &errors(None));
        verdict.unwrap();
        assert_correlated(&t, &q, DELTA);
        for wrong in 0..trees {
            let verdict = cheat(Depth::Eight, DELTA, &errors(Some(wrong))).0;
            assert!(matches!(verdict, Err(Error::Misbehaved(_))), "{flips} bits, tree {wrong}");
        }
    }
}

/// One guess in 256 is right, over all that a slice of Δ can be.
#[test]
fn errors_without_a_guess_survive_one_time_in_256() {
    let survives = |slice: u128| {
        let delta = F128(DELTA.0 & !(0xff << 72) | slice << 72);
        cheat(Depth::Eight, delta, &[(9, F128(1 << 40), 0)]).0.is_ok()
    };
    let survived: Vec<u128> = (0..256).filter(|&slice| survives(slice)).collect();
    assert_eq!(survived, [0]);
}

/// One flipped bit in each d_i, placed so that a single equation on packed rows would see only k bits
/// of Δ: such a check passes with probability 1/16 and gives Δ away. Here it must fail whatever the
/// guess, for every Δ tried.
#[test]
fn packed_check_attack() {
    for seed in 0..40 {
        let errors: Vec<_> = (1..32).map(|i| (i, F128(1 << (124 - 4 * i)), 0)).collect();
        assert!(cheat(Depth::Four, delta(seed), &errors).0.is_err());
    }
}

/// Arbitrary errors in all trees, taken back by the corrections of the mask block, which are sent
/// when the coefficients of everything before are known. They must not be: the mask block has a
/// coefficient of its own.
#[test]
fn late_mask_attack() {
    for seed in 0..20 {
        let ((mut receiver, mut receiving), (mut sender, mut sending)) = pair(Depth::Four, delta(seed), None);
        let mut random = Random::from_seed(&[seed; 32]);
        let blocks = receiver.expansion.next_chunk();
        let mut chunk = receiver.expansion.expand(blocks);
        let errors: Vec<F128> = (0..32 * blocks).map(|_| random.word()).collect();
        for (total, error) in chunk.totals.iter_mut().zip(&errors).skip(blocks) {
            *total ^= *error;
        }
        chunk.correct();
        let before = receiver.correct(&mut receiving, &chunk).unwrap();
        receiver.add(before.clone(), chunk.into());

        let mut mask = receiver.expansion.expand(1);
        for tree in 1..32 {
            mask.totals[tree] ^= dot(Arch::PORTABLE, &before, &errors[tree * blocks..][..blocks]);
        }
        mask.correct();
        let chi = receiver.correct(&mut receiving, &mask).unwrap();
        receiver.add(chi, mask.into());
        let x = receiver.sum;
        let sums = receiver.expansion.take_sums();
        receiving.send_words(&[x]).unwrap();
        receiving.send(&receiver.expansion.digest(&sums)).unwrap();
        receiving.flush().unwrap();
        sender.extend(&mut sending, &mut Zeroizing::default()).unwrap();
        assert!(sender.check(&mut sending).is_err());
    }
}

#[test]
#[should_panic(expected = "bit 0 of Δ must be 1")]
fn an_even_delta_is_refused() {
    let (_receiving, sending) = pipe(TIMEOUT);
    let mut channel = Channel::new(Party::Verifier, sending);
    let _ = Sender::new(&mut channel, Arch::PORTABLE, Depth::Four, F128(2), &mut Random::from_seed(&[0; 32]));
}

/// The whole set-up, with real base transfers, for both depths.
#[test]
fn set_up_end_to_end() {
    for depth in [Depth::Four, Depth::Eight] {
        let (here, there) = pipe(TIMEOUT);
        let mut receiving = Channel::new(Party::Prover, here);
        let mut sending = Channel::new(Party::Verifier, there);
        std::thread::scope(|scope| {
            let receiver = scope.spawn(move || {
                let mut random = Random::from_seed(&[1; 32]);
                let mut receiver = Receiver::new(&mut receiving, Arch::detect(), depth, &mut random).unwrap();
                let mut t = Zeroizing::default();
                receiver.extend(&mut receiving, &mut t).unwrap();
                receiver.check(&mut receiving).unwrap();
                receiving.flush().unwrap();
                t
            });
            let mut random = Random::from_seed(&[2; 32]);
            let mut sender = Sender::new(&mut sending, Arch::detect(), depth, DELTA, &mut random).unwrap();
            let mut q = Zeroizing::default();
            sender.extend(&mut sending, &mut q).unwrap();
            sender.check(&mut sending).unwrap();
            assert_correlated(&receiver.join().unwrap(), &q, DELTA);
        });
    }
}

/// Asserts q = t ⊕ u·Δ but for bit 0, where t has u and q zero.
fn assert_correlated_but_for_bit_0(t: &[F64], q: &[F64], delta: u64) {
    for (t, q) in t.iter().zip(q) {
        let (t, q) = (t.get(), q.get());
        assert_eq!(q & 1, 0);
        assert_eq!(q, (t ^ (t & 1).wrapping_neg() & delta) & !1);
    }
}

/// Rows of 64 bits: of all guesses of a slice exactly the right one passes, and leaves correct rows; and an error in
/// each tree does not pass as one equation.
#[test]
fn rows_of_64_bits_are_checked() {
    const DELTA: u64 = 0x8123_4567_89ab_cdee;
    for (depth, tree) in [(Depth::Four, 15), (Depth::Eight, 7), (Depth::Four, 1)] {
        let k = depth.bits();
        let right = pprf::slice(F128(DELTA.into()), tree, k);
        let passes =
            |guess: u64| cheat(depth, F64::new(DELTA), &[(tree, F128(0xdead_beef), guess)]).0.is_ok();
        assert_eq!((0..1 << k).filter(|guess| passes(*guess)).collect::<Vec<_>>(), [right]);
        let (verdict, t, q) = cheat(depth, F64::new(DELTA), &[(tree, F128(0xdead_beef), right)]);
        verdict.unwrap();
        assert_correlated_but_for_bit_0(&t, &q, DELTA);
    }
    for seed in 0..20u64 {
        let delta = DELTA.wrapping_mul(2 * seed + 1) & !1;
        let errors: Vec<_> = (1..16).map(|i| (i, F128(1 << (124 - 4 * i)), 0)).collect();
        assert!(cheat(Depth::Four, F64::new(delta), &errors).0.is_err());
    }
    // A sender whose key has the free bit set is heard as any, and has nothing of bit 0.
    let (verdict, t, q) = cheat(Depth::Four, F64::new(DELTA | 1), &[]);
    verdict.unwrap();
    assert_correlated_but_for_bit_0(&t, &q, DELTA);
}
