//! Honest transfers, their bytes, and what breaks them.

mod malicious_receiver;
mod malicious_sender;

use super::*;
use std::time::Duration;
use volery_channel::channel::{Flip, Party, Tape, pipe};

const TIMEOUT: Duration = Duration::from_secs(20);

/// Choices and pairs of messages at random.
fn some(count: usize, seed: u8) -> (Vec<F2>, Vec<[F128; 2]>) {
    let mut random = Random::from_seed(&[seed; 32]);
    let choices = (0..count).map(|_| random.word().bit0()).collect();
    (choices, (0..count).map(|_| [random.word(), random.word()]).collect())
}

/// The outcome of all steps on both sides.
struct Outcome {
    /// The messages that the receiver got, and whether it believes that the sender's were these.
    received: Result<(Vec<F128>, bool)>,
    /// Whether the sender came to the opening, and what it had carried by then.
    sent: Result<volery_channel::channel::Traffic>,
    /// The lengths of the receiver's messages.
    lengths: Vec<usize>,
}

/// All steps on both sides, with a bit flipped on the way where asked.
fn run(choices: &[F2], messages: &[[F128; 2]], flip: Option<(Party, Flip)>) -> Outcome {
    let (here, there) = pipe(TIMEOUT);
    let of = |party| flip.filter(|(from, _)| *from == party).map(|(_, flip)| flip);
    let (here, tape) = Tape::new(here, of(Party::Prover));
    let there = Tape::new(there, of(Party::Verifier)).0;
    let arch = Arch::detect();
    let (received, sent) = std::thread::scope(|scope| {
        let receiving = scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            let random = &mut Random::from_seed(&[1; 32]);
            let receiver = Receiver::new(&mut channel, arch, Zeroizing::new(choices.to_vec()), random)?;
            let (got, kept) = receiver.receive(&mut channel)?;
            let opening = Opening::recv(&mut channel)?;
            Ok((got.to_vec(), bool::from(kept.were(messages, &opening))))
        });
        let send = || {
            let mut channel = Channel::new(Party::Verifier, there);
            let random = &mut Random::from_seed(&[2; 32]);
            let sender = Sender::new(&mut channel, arch, choices.len(), random)?;
            sender.send(&mut channel, messages)?;
            sender.open().send(&mut channel)?;
            channel.flush()?;
            Ok(channel.traffic())
        };
        let sent = send();
        (receiving.join().unwrap(), sent)
    });
    Outcome { received, sent, lengths: tape.messages().iter().map(Vec::len).collect() }
}

/// The messages that the choices ask for.
fn chosen(choices: &[F2], messages: &[[F128; 2]]) -> Vec<F128> {
    choices.iter().zip(messages).map(|(c, pair)| pair[usize::from(c.to_bool())]).collect()
}

/// B: the blocks of the chunks for so many transfers.
fn blocks(count: usize) -> usize {
    let mut blocks = 0;
    for chunk in [8, 8, 16, 32, 64, 64] {
        if 128 * blocks < count {
            blocks += chunk;
        }
    }
    blocks
}

/// The bytes are those of the header's table.
#[test]
fn the_receiver_gets_what_it_chose_and_the_opening_is_believed() {
    for count in [0, 1, 7, 8, 9, 513, 5000] {
        let (choices, messages) = some(count, 3);
        let run = run(&choices, &messages, None);
        let (got, believed) = run.received.unwrap();
        assert_eq!(got, chosen(&choices, &messages), "{count} transfers");
        assert!(believed, "{count} transfers");
        let traffic = run.sent.unwrap();
        let both = 8224 + 4128 + 240 * blocks(count) + 288 + count.div_ceil(8) + 32 * count + 48;
        assert_eq!(traffic.sent + traffic.received, both as u64, "{count} transfers");
        // The points R, the ciphertexts, Δ and K.
        assert_eq!(traffic.sent, 64 * 128 + 32 * count as u64 + 48, "{count} transfers");
    }
}

#[test]
fn the_dealer_deals_what_the_protocol_does() {
    for count in [0, 1, 9, 600] {
        let (choices, messages) = some(count, 4);
        let (sender, receiver) = ideal::deal(&choices, 5);
        let (got, kept, opening) = hand_over(sender, receiver, &messages);
        assert_eq!(got, chosen(&choices, &messages));
        assert!(bool::from(kept.were(&messages, &opening)));
    }
}

/// Steps 3 and 4 of an honest sender, in one thread.
fn hand_over(sender: Sender, receiver: Receiver, messages: &[[F128; 2]]) -> (Vec<F128>, Received, Opening) {
    let (mut here, mut there) = channels();
    sender.send(&mut there, messages).unwrap();
    there.flush().unwrap();
    let (got, kept) = receiver.receive(&mut here).unwrap();
    (got.to_vec(), kept, sender.open())
}

/// The ends of the receiver and of the sender.
fn channels() -> (Channel, Channel) {
    let (here, there) = pipe(TIMEOUT);
    (Channel::new(Party::Prover, here), Channel::new(Party::Verifier, there))
}
