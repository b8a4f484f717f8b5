//! Receivers that break the extension, or correct what is not there.

use super::*;

/// Flips bits of the receiver's messages: points, corrections of trees, their sums and digest, those of a
/// chunk and of the mask, x, the check's digest, d. None gets it more than the messages that it asked for by
/// d.
#[test]
fn a_flipped_bit_in_any_message() {
    let (choices, messages) = some(9, 1);
    let lengths = run(&choices, &messages, None).lengths;
    assert_eq!(lengths, [32, 3584, 512, 32, 16 * 15 * 8, 16 * 15, 16, 32, 2]);
    for message in 0..lengths.len() {
        for bit in [5, 130] {
            let Outcome { received, sent, .. } =
                run(&choices, &messages, Some((Party::Prover, Flip { message, bit })));
            if message < 8 {
                // A correction on one side of a tree is used by half of all Δ.
                assert!(message == 1 || matches!(sent, Err(Error::Misbehaved(_))), "bit {bit} of {message}");
                assert!(!received.is_ok_and(|(_, believed)| believed), "bit {bit} of {message}");
            } else {
                // It chose otherwise than it thinks, in one transfer; and the pads depend
                // on all that was said.
                let (got, believed) = received.unwrap();
                let wrong = got.iter().zip(chosen(&choices, &messages)).filter(|(a, b)| **a != *b);
                assert_eq!((wrong.count(), believed, sent.is_ok()), (9, false, true));
            }
        }
    }
}

#[test]
fn corrections_beyond_the_last_transfer() {
    let (choices, messages) = some(9, 1);
    for bit in 9..16 {
        let flip = Some((Party::Prover, Flip { message: 8, bit }));
        let error = run(&choices, &messages, flip).sent.unwrap_err();
        assert!(matches!(error, Error::Misbehaved(Misbehaviour::UnknownTransfers)), "bit {bit}: {error}");
    }
}

/// Inconsistent corrections in twelve trees would have to be a guess of 96 bits of Δ.
#[test]
fn many_inconsistent_corrections() {
    let (choices, messages) = some(9, 1);
    let (here, there) = pipe(TIMEOUT);
    let mut here: Box<dyn volery_channel::channel::Link> = Box::new(here);
    for tree in 0..12 {
        here = Box::new(Tape::new(here, Some(Flip { message: 4, bit: 128 * 8 * tree + 3 * tree })).0);
    }
    let sent = std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            let random = &mut Random::from_seed(&[1; 32]);
            let receiver = Receiver::new(&mut channel, Arch::detect(), Zeroizing::new(choices), random);
            let _ = receiver.and_then(|receiver| receiver.receive(&mut channel).map(drop));
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let random = &mut Random::from_seed(&[2; 32]);
        let sender = Sender::new(&mut channel, Arch::detect(), 9, random);
        sender.and_then(|sender| sender.send(&mut channel, &messages))
    });
    assert!(matches!(sent, Err(Error::Misbehaved(_))));
}
