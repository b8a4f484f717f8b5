//! Measurements of each other, and of the link, by both parties before they choose correlations.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | verifier, then prover | its paces, for each of the setting's correlations: see [`Pace`] | 64 |
//! | both at once | a probe, unless the bandwidth was given | 16,384 |
//! | prover | the rate at which the verifier's probe came in, in kbit/s | 4 |
//! | verifier | the rate of the prover's, and the round trip in µs | 8 |
//!
//! The verifier measures the round trip: the prover sends its paces when it has the verifier's. It begins
//! because it is the first to speak after this, too, and so no more than that round trip is lost. Figures are
//! integers on the wire, and what is out of range is put into it on both sides alike, so that both choose the
//! same. A party that lies makes the session slower, and nothing else.

use super::{Line, Pace};
use core::time::Duration;
use std::time::Instant;
use volery_channel::channel::{Carried, Channel, Party};
use volery_channel::error::Result;

/// The paces that a message has room for.
const PACES: usize = 8;
/// Bytes of a probe by which a link warms up, and those that are timed, in pieces. In all little more than
/// what TCP sends before it first waits for an answer.
const WARM_UP: usize = 4 << 10;
const PIECE: usize = 2 << 10;
const PIECES: usize = 6;
/// The least and the largest rate in kbit/s, and the longest round trip in µs.
const RATES: (u32, u32) = (100, 1_000_000_000);
const LONGEST_TRIP: u32 = 10_000_000;

/// Bytes of the exchange where the bandwidth is known, and of the probes.
pub const EXCHANGED: Carried = Carried { prover: 8 * PACES as u64 + 4, verifier: 8 * PACES as u64 + 8 };
/// Bytes of the probes, where the bandwidth is not known.
pub const PROBES: Carried =
    Carried { prover: (WARM_UP + PIECE * PIECES) as u64, verifier: (WARM_UP + PIECE * PIECES) as u64 };

/// The measurements, which both parties then know.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    /// The paces of the prover and of the verifier, for each of the setting's correlations.
    pub paces: [Vec<Pace>; 2],
    pub line: Line,
}

impl Measured {
    /// Exchanges measurements, by a party with the paces `ours`, over a link whose bandwidth in Mbit/s each
    /// way may be known.
    ///
    /// # Errors
    /// Those of the link.
    pub(super) fn exchange(channel: &mut Channel, ours: &[Pace], bandwidth: Option<f64>) -> Result<Self> {
        let ours = &ours.iter().map(|pace| pace.within_reason()).collect::<Vec<_>>()[..];
        match channel.party() {
            Party::Prover => Self::prover(channel, ours, bandwidth),
            Party::Verifier => Self::verifier(channel, ours, bandwidth),
        }
    }

    fn verifier(channel: &mut Channel, ours: &[Pace], bandwidth: Option<f64>) -> Result<Self> {
        let asked = Instant::now();
        send_paces(channel, ours)?;
        if bandwidth.is_none() {
            send_probe(channel)?;
        }
        let theirs = recv_paces(channel, ours.len())?;
        let trip = microseconds(asked.elapsed());
        let forward = if bandwidth.is_none() { recv_probe(channel)? } else { 0 };
        let backward = u32::from_le_bytes(channel.recv_array()?);
        // What the verifier says next takes it along.
        channel.send(&[forward.to_le_bytes(), trip.to_le_bytes()].concat())?;
        Ok(Self { paces: [theirs, ours.to_vec()], line: line([forward, backward], trip, bandwidth) })
    }

    fn prover(channel: &mut Channel, ours: &[Pace], bandwidth: Option<f64>) -> Result<Self> {
        let theirs = recv_paces(channel, ours.len())?;
        send_paces(channel, ours)?;
        if bandwidth.is_none() {
            send_probe(channel)?;
        }
        let backward = if bandwidth.is_none() { recv_probe(channel)? } else { 0 };
        channel.send(&backward.to_le_bytes())?;
        channel.flush()?;
        let figures: [u8; 8] = channel.recv_array()?;
        let [forward, trip] =
            [0, 4].map(|at| u32::from_le_bytes(*figures[at..].first_chunk().expect("four")));
        Ok(Self { paces: [ours.to_vec(), theirs], line: line([forward, backward], trip, bandwidth) })
    }
}

/// The link with both rates in kbit/s, unless a bandwidth is known, and the round trip in µs.
fn line(rates: [u32; 2], trip: u32, bandwidth: Option<f64>) -> Line {
    let mbps = |rate: u32| bandwidth.unwrap_or(f64::from(rate.clamp(RATES.0, RATES.1)) / 1e3);
    let round_trip = Duration::from_micros(trip.min(LONGEST_TRIP).into());
    Line { forward: mbps(rates[0]), backward: mbps(rates[1]), round_trip }
}

fn microseconds(time: Duration) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX)
}

fn send_paces(channel: &mut Channel, paces: &[Pace]) -> Result<()> {
    assert!(paces.len() <= PACES, "room for all paces");
    let mut bytes = [0; 8 * PACES];
    for (bytes, pace) in bytes.chunks_exact_mut(8).zip(paces) {
        bytes[..4].copy_from_slice(&pace.share.to_le_bytes());
        bytes[4..].copy_from_slice(&pace.setup.to_le_bytes());
    }
    channel.send(&bytes)?;
    channel.flush()
}

fn recv_paces(channel: &mut Channel, number: usize) -> Result<Vec<Pace>> {
    let bytes: [u8; 8 * PACES] = channel.recv_array()?;
    let word = |bytes: &[u8]| u32::from_le_bytes(*bytes.first_chunk().expect("four bytes"));
    let pace = |bytes: &[u8]| Pace { share: word(bytes), setup: word(&bytes[4..]) }.within_reason();
    Ok(bytes.chunks_exact(8).take(number).map(pace).collect())
}

fn send_probe(channel: &mut Channel) -> Result<()> {
    channel.send(&[0; WARM_UP])?;
    channel.flush()?;
    // Each on its way by itself: a record of TLS is seen when all of it is there.
    for _ in 0..PIECES {
        channel.send(&[0; PIECE])?;
        channel.flush()?;
    }
    Ok(())
}

/// The rate at which a probe comes in, in kbit/s.
fn recv_probe(channel: &mut Channel) -> Result<u32> {
    channel.recv(&mut [0; WARM_UP])?;
    let started = Instant::now();
    let mut arrivals = [0.0; PIECES + 1];
    for arrival in &mut arrivals[1..] {
        channel.recv(&mut [0; PIECE])?;
        *arrival = started.elapsed().as_secs_f64();
    }
    let kilobits = 8e-3 * PIECE as f64 / interval(&arrivals);
    Ok((kilobits as u32).clamp(RATES.0, RATES.1))
}

/// The time between two pieces, from when each had arrived. A party that does not get the processor for a
/// while sees pieces late, and never early: so it is the slope, in the middle, of the convex curve below
/// them.
fn interval(arrivals: &[f64]) -> f64 {
    let middle = (arrivals.len() - 1) as f64 / 2.0 + 0.5;
    let (mut lowest, mut slope) = (f64::INFINITY, 0.0);
    for (i, before) in arrivals.iter().enumerate().filter(|(i, _)| *i as f64 <= middle) {
        for (j, after) in arrivals.iter().enumerate().filter(|(j, _)| *j as f64 > middle) {
            let each = (after - before) / (j - i) as f64;
            let at = before + each * (middle - i as f64);
            if at < lowest {
                (lowest, slope) = (at, each);
            }
        }
    }
    slope.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_channel::channel::{Flip, Tape, pipe, side_by_side};

    #[test]
    fn delays_are_no_lack_of_bandwidth() {
        let near = |arrivals: &[f64], expected: f64| {
            let found = interval(arrivals);
            assert!((found - expected).abs() < 1e-9 + 0.05 * expected, "{found} of {arrivals:?}");
        };
        let even: Vec<f64> = (0..13).map(f64::from).collect();
        near(&even, 1.0);
        for late in 0..13 {
            // One is seen late, and with it those that have arrived by then.
            let seen = |i: i32| f64::from(if i < late { i } else { i.max(late + 3) });
            near(&(0..13).map(seen).collect::<Vec<_>>(), 1.0);
        }
        // Four at a time, as packets come.
        let packets: Vec<_> = (0..13).map(|i| f64::from((i + 3) / 4)).collect();
        near(&packets, 0.25);
        assert!(interval(&[0.0; 13]) > 0.0);
    }

    /// Figures that both sides know are the same, whatever they claim, and within reason.
    #[test]
    fn both_sides_know_the_same() {
        let liar = vec![Pace { share: 0, setup: u32::MAX }, Pace { share: u32::MAX, setup: 0 }];
        let honest = vec![Pace { share: 20_000, setup: 7 }, Pace { share: 30_000, setup: 9 }];
        for bandwidth in [None, Some(30.0)] {
            let (here, there) = pipe(Duration::from_secs(20));
            let (mut prover, mut verifier) =
                (Channel::new(Party::Prover, here), Channel::new(Party::Verifier, there));
            let (proving, verifying) = side_by_side(
                || Measured::exchange(&mut prover, &liar, bandwidth).unwrap(),
                || {
                    let measured = Measured::exchange(&mut verifier, &honest, bandwidth).unwrap();
                    verifier.flush().unwrap();
                    measured
                },
            );
            assert_eq!(proving, verifying);
            assert_eq!(proving.paces[1], honest);
            let [first, second] = proving.paces[0][..] else { panic!("{proving:?}") };
            assert!(first.share > 0 && first.setup < u32::MAX && second.share < u32::MAX);
            let Line { forward, backward, round_trip } = proving.line;
            assert!(forward > 0.0 && backward > 0.0 && round_trip < Duration::from_secs(20));
            assert!(bandwidth.is_none_or(|given| [forward, backward] == [given; 2]));
            let mut carried = EXCHANGED;
            if bandwidth.is_none() {
                carried += PROBES;
            }
            let traffic = prover.traffic();
            assert_eq!((traffic.sent, traffic.received), (carried.prover, carried.verifier));
        }
    }

    /// Changes on the way are found where the two sides next compare their transcripts, whatever they have
    /// chosen by then.
    #[test]
    fn what_is_tampered_with_is_heard() {
        let paces = vec![Pace { share: 20_000, setup: 7 }; PACES];
        let run = |flips: [Option<Flip>; 2]| {
            let (here, there) = pipe(Duration::from_secs(20));
            let [(here, said), (there, answered)] =
                [(here, flips[0]), (there, flips[1])].map(|(link, flip)| Tape::new(link, flip));
            let (mut prover, mut verifier) =
                (Channel::new(Party::Prover, here), Channel::new(Party::Verifier, there));
            let end = |channel: &mut Channel| {
                Measured::exchange(channel, &paces, None).unwrap();
                channel.flush().unwrap();
                channel.checkpoint("chosen")
            };
            let (proved, verified) = side_by_side(|| end(&mut prover), || end(&mut verifier));
            (proved, verified, [said, answered].map(|recording| recording.messages().len()))
        };
        let (here, there, number) = run([None; 2]);
        assert_eq!(here, there);
        assert!(number.into_iter().all(|number| number > 2), "{number:?}");
        for (party, number) in number.into_iter().enumerate() {
            for message in 0..number {
                let mut flips = [None; 2];
                flips[party] = Some(Flip { message, bit: 13 * message + 5 });
                let (here, there, _) = run(flips);
                assert_ne!(here, there, "party {party}, message {message}");
            }
        }
    }
}
