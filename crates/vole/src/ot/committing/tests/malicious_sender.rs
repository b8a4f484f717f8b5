//! Senders that open something else than they sent: the receiver finds out whatever it chose.

use super::*;
use ideal::{deal, deal_under, keys};

/// All strings of three bits.
fn strings() -> impl Iterator<Item = Vec<F2>> {
    (0..8).map(|string| (0..3).map(|i| F2::low_bit(string >> i)).collect())
}

/// Any bit of a message that is wrong, where the receiver looked or where it did not.
#[test]
fn a_wrong_message_in_any_slot() {
    let (_, messages) = some(3, 1);
    for choices in strings() {
        for place in 0..3 {
            for slots in [[true, false], [false, true], [true, true]] {
                let mut wrong = messages.clone();
                for (message, _) in wrong[place].iter_mut().zip(slots).filter(|(_, wrong)| *wrong) {
                    message.0 ^= 1 << (40 * place);
                }
                let (sender, receiver) = deal(&choices, 2);
                let (got, kept, opening) = hand_over(sender, receiver, &wrong);
                assert_eq!(got, chosen(&choices, &wrong));
                assert!(!bool::from(kept.were(&messages, &opening)), "{choices:?}, {place}, {slots:?}");
                assert!(bool::from(kept.were(&wrong, &opening)));
            }
        }
    }
}

/// Every bit of every ciphertext counts, across the pieces.
#[test]
fn a_wrong_ciphertext() {
    let (choices, messages) = some(600, 1);
    for bit in [0, 127, 128, 256 * 512 - 1, 256 * 512, 256 * 600 - 1] {
        let (sender, receiver) = deal(&choices, 2);
        let (here, there) = pipe(TIMEOUT);
        let (message, bit) = (bit / (256 * PIECE), bit % (256 * PIECE));
        let mut there = Channel::new(Party::Verifier, Tape::new(there, Some(Flip { message, bit })).0);
        let mut here = Channel::new(Party::Prover, here);
        sender.send(&mut there, &messages).unwrap();
        there.flush().unwrap();
        let (got, kept) = receiver.receive(&mut here).unwrap();
        let wrong = got.iter().zip(chosen(&choices, &messages)).filter(|(got, right)| **got != *right);
        assert!(wrong.count() <= 1);
        assert!(!bool::from(kept.were(&messages, &sender.open())), "bit {bit} of message {message}");
    }
}

/// The sender used Δ, and makes ciphertexts that open under another Δ′, to the right messages, for a
/// receiver whose whole choice is its guess, and for no other. Were Δ′ not tied to the base transfers,
/// the receiver's answer would say whether the guess is right; as it is, the answer is no either way,
/// whatever K the sender tells.
#[test]
fn a_delta_that_was_not_used() {
    let (_, messages) = some(3, 1);
    for guess in strings() {
        for choices in strings() {
            let (sender, receiver) = deal(&choices, 2);
            let (mut here, mut there) = channels();
            let delta = *sender.delta;
            let other = F128(delta.0 ^ (0xabcd << 50) ^ 2);
            let pads = Pads::new(&mut there);
            let mut ciphertexts = vec![];
            for (j, (row, c)) in sender.rows.iter().zip(&guess).enumerate() {
                // t_j if the guess is right, and from there as if Δ′ had been used.
                let t = row.0 ^ delta.0 & c.mask();
                let row = F128(t ^ other.0 & c.mask());
                ciphertexts.extend(pads.encrypt(j, row, other, messages[j]));
            }
            there.send_words(&ciphertexts).unwrap();
            there.flush().unwrap();
            let (got, kept) = receiver.receive(&mut here).unwrap();
            assert_eq!(got.to_vec() == chosen(&choices, &messages), guess == choices);
            let were = |keys| bool::from(kept.were(&messages, &Opening { delta: other, keys }));
            assert!(!were(sender.keys));
            assert!(!were([0; 32]));
            assert!(!bool::from(kept.were(&messages, &Opening { delta, keys: sender.keys })));
            // This K takes both keys of the base transfers in which the two differ. Without it, this
            // is what it would tell.
            let Receiver { sid, pairs, .. } = &kept.receiver;
            assert_eq!(were(digest_of_keys(sid, keys(pairs, other))), guess == choices);
        }
    }
}

#[test]
fn a_delta_that_is_even() {
    let (choices, messages) = some(9, 1);
    let random = &mut Random::from_seed(&[2; 32]);
    let (sender, receiver) = deal_under(F128(0x1234_5678_9abc), &choices, random);
    let (_, kept, opening) = hand_over(sender, receiver, &messages);
    assert!(!bool::from(kept.were(&messages, &opening)));
}

#[test]
fn another_delta_or_k_than_was_used() {
    let (choices, messages) = some(9, 1);
    let (sender, receiver) = deal(&choices, 2);
    let (_, kept, right) = hand_over(sender, receiver, &messages);
    for bit in 0..256 {
        let mut keys = right.keys;
        keys[bit / 8] ^= 1 << (bit % 8);
        assert!(!bool::from(kept.were(&messages, &Opening { delta: right.delta, keys })), "bit {bit} of K");
    }
    let Receiver { sid, pairs, .. } = &kept.receiver;
    for bit in 0..128 {
        let delta = F128(right.delta.0 ^ 1 << bit);
        // With the K of the other one too: there were transfers.
        for keys in [right.keys, digest_of_keys(sid, keys(pairs, delta))] {
            assert!(!bool::from(kept.were(&messages, &Opening { delta, keys })), "bit {bit} of Δ");
        }
    }
    assert!(bool::from(kept.were(&messages, &right)));
}

/// Δ must be the one that was used even where there is nothing to transfer.
#[test]
fn no_transfers() {
    let (sender, receiver) = deal(&[], 2);
    let (_, kept, right) = hand_over(sender, receiver, &[]);
    assert!(bool::from(kept.were(&[], &right)));
    let delta = F128(right.delta.0 ^ 4);
    assert!(!bool::from(kept.were(&[], &Opening { delta, keys: right.keys })));
}

/// Flips bits of the sender's messages in a whole run: its points, ciphertexts, Δ and K.
#[test]
fn a_flipped_bit_in_any_message() {
    let (choices, messages) = some(9, 1);
    for message in 0..4 {
        for bit in [1, 300] {
            let flip = Some((Party::Verifier, Flip { message, bit }));
            let believed = run(&choices, &messages, flip).received.is_ok_and(|(_, believed)| believed);
            assert!(!believed, "bit {bit} of message {message}");
        }
    }
}
