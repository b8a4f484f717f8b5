//! Lies about every kind of value, and changes of every message, at the edges of blocks,
//! groups, sections and tiles.

use super::liar::{Lies, cheat};
use super::script::{Said, script};
use super::*;
use volery_channel::channel::Pipe;
use volery_channel::error::Misbehaviour::{FurtherBits, NonCanonicalElement, UnusedShares};
use volery_channel::error::Rejection;

macro_rules! over_some_fields {
    ($test:ident) => {{
        $test::<BitMacs>();
        $test::<FieldMacs<F61, F61>>();
        $test::<FieldMacs<F61, F61x2>>();
        $test::<FieldMacs<F256, F128>>();
    }};
}

/// Caught for each of these lies alone, and believed without.
fn all_are_caught<M: Dealt>(terms: Terms, n: u64, lies: impl IntoIterator<Item = Lies<M>>) {
    let (circuit, witness) = instance::<M>(n, 1);
    let verdict = |lies: &Lies<M>| cheat::<M>(terms, (&circuit, &witness), lies, SEEDS).verdict;
    assert!(verdict(&Lies::default()).is_ok(), "{}", terms.name());
    for (i, lies) in lies.into_iter().enumerate() {
        assert!(is_caught(&verdict(&lies)), "lie {i} by {}", terms.name());
    }
}

fn product<M: Macs>(at: usize) -> Lies<M> {
    Lies { products: vec![(at, M::F::ONE)], ..Lies::default() }
}

fn further_value<M: Macs>(at: usize) -> Lies<M> {
    Lies { further: vec![(at, M::F::ONE)], ..Lies::default() }
}

/// Lies about one triple: of values, or over the extension, whichever are made.
fn triple<M: Macs>(at: usize) -> Lies<M> {
    Lies { triples: vec![(at, M::F::ONE)], packed: vec![(at, M::E::ONE)], ..Lies::default() }
}

/// The triples of a block.
fn triples(terms: &Terms, gates: u64) -> usize {
    let by_groups = terms.by == CheckedBy::Interpolation;
    if by_groups { gates.div_ceil(32) as usize } else { terms.plan(gates).triples(gates) as usize }
}

/// Blocks of 70, 70 and 30 gates: two groups and six gates, the same, and a short group.
#[test]
fn a_lie_at_any_edge_of_a_block_is_caught() {
    fn test<M: Dealt>() {
        lies_at_edges::<M>(2);
    }
    over_some_fields!(test);
}

#[test]
#[ignore = "slow"]
fn a_lie_at_every_edge_of_a_block_is_caught() {
    fn test<M: Dealt>() {
        lies_at_edges::<M>(1);
    }
    over_some_fields!(test);
}

/// One lie in `step` of each kind, other ones by the next check.
fn lies_at_edges<M: Dealt>(step: usize) {
    for (first, terms) in all_terms::<M>(70, 20).into_iter().enumerate() {
        let products = [0, 31, 32, 63, 64, 69, 70, 101, 102, 139, 140, 169].map(product);
        let (whole, short) = (triples(&terms, 70), triples(&terms, 30));
        let made = [0, whole - 1, whole, 2 * whole - 1, 2 * whole, 2 * whole + short - 1].map(triple);
        let lies = products.into_iter().chain(made);
        all_are_caught::<M>(terms, 170, lies.skip(first % step).step_by(step));
        if terms.by == CheckedBy::Interpolation {
            let further = [0, 30, 31, 61, 62, 92, 93, 185, 186, 216].map(further_value);
            all_are_caught::<M>(terms, 170, further.into_iter().skip(first % step).step_by(step));
        }
    }
}

/// Sections of one block end after 256, 512 and 1024 shares, of which a gate takes three; operands
/// are committed to, too.
#[test]
fn a_lie_at_any_edge_of_a_section_is_caught() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(512, 20).into_iter().filter(|terms| !terms.one_way) {
            let products = [84, 85, 86, 170, 171, 340, 341, 342].map(product);
            all_are_caught::<M>(terms, 400, products);
        }
    }
    over_some_fields!(test);
}

#[test]
#[ignore = "slow"]
fn a_lie_at_any_edge_of_a_tile_is_caught() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(8192, 20)
            .into_iter()
            .filter(|terms| !terms.one_way || terms.by == CheckedBy::Interpolation)
        {
            let last = triples(&terms, 4100) - 1;
            let products = [4095, 4096, 4099].map(product);
            if terms.by == CheckedBy::Interpolation {
                let further = [31 * 128 - 1, 31 * 128, 31 * 129 - 1].map(further_value);
                all_are_caught::<M>(terms, 4100, products.into_iter().chain(further));
            } else {
                let made = [4095, 4096, last].map(triple);
                all_are_caught::<M>(terms, 4100, products.into_iter().chain(made));
            }
        }
    }
    over_some_fields!(test);
}

/// Two products of opposite errors, in one group, bucket by bucket, and over two blocks.
#[test]
fn opposite_lies_are_caught() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(70, 20) {
            let pairs = [(0, 1), (5, 40), (63, 64), (3, 73), (69, 70), (168, 169)];
            let lies = pairs.map(|(i, j)| Lies::<M> {
                products: vec![(i, M::F::ONE), (j, -M::F::ONE)],
                ..Lies::default()
            });
            all_are_caught::<M>(terms, 170, lies);
        }
    }
    over_some_fields!(test);
}

/// A change of a message's bytes.
type Alteration = Box<dyn Fn(&mut [u8]) + Send>;

/// A link that changes one message.
struct Changed {
    link: Pipe,
    message: usize,
    to: Alteration,
    sent: usize,
}

impl Link for Changed {
    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut bytes = bytes.to_vec();
        if self.sent == self.message {
            (self.to)(&mut bytes);
        }
        self.sent += 1;
        self.link.send(&bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.link.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.link.recv(bytes)
    }
}

/// Why a true statement is refused whose prover changes a message.
fn refusal<M: Dealt>(terms: Terms, n: u64, message: usize, to: Alteration) -> Error {
    let (circuit, witness) = instance::<M>(n, 3);
    let (here, there) = pipe(Duration::from_secs(20));
    let (_, verdict) =
        run::<M>(terms, &circuit, &witness, (Changed { link: here, message, to, sent: 0 }, there));
    verdict.map(drop).expect_err("a changed message must not pass")
}

fn flip(bit: usize) -> Alteration {
    Box::new(move |bytes| bytes[bit / 8] ^= 1 << (bit % 8))
}

/// The first value of each message and its last one, in two blocks.
#[test]
fn a_changed_value_in_any_message_is_refused() {
    fn test<M: Dealt>() {
        let n = 45;
        for terms in all_terms::<M>(40, 8) {
            for (message, (said, bytes)) in script::<M>(&terms, n).into_iter().enumerate() {
                // The least significant bits of both, which keep most elements canonical.
                let value = match said {
                    Said::Sum => M::E::BYTES,
                    Said::Digest => 1,
                    Said::Corrections | Said::Further => M::F::BYTES,
                    _ if terms.by == CheckedBy::Interpolation => M::E::BYTES,
                    _ => M::F::BYTES,
                };
                for bit in [0, 8 * (bytes - value)] {
                    match refusal::<M>(terms, n, message, flip(bit)) {
                        Error::Rejected(Rejection::Products) => {
                            assert!(!matches!(said, Said::Digest));
                        }
                        Error::Rejected(Rejection::Assertions) => {
                            assert!(matches!(said, Said::Corrections | Said::Digest));
                        }
                        Error::Misbehaved(UnusedShares) => assert!(said == Said::Corrections && bit > 0),
                        Error::Misbehaved(NonCanonicalElement) => assert!(M::F::BITS > 8),
                        why => panic!("{said:?}, bit {bit}, {}: {why}", terms.name()),
                    }
                }
            }
        }
    }
    over_every_kind!(test);
}

/// Any bit of the sum, and of the digest.
#[test]
fn a_changed_bit_in_the_last_messages_is_refused() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(40, 8).into_iter().filter(|terms| !terms.one_way) {
            let script = script::<M>(&terms, 10);
            let last = script.len() - 1;
            assert_eq!((script[last - 1].0, script[last].0), (Said::Sum, Said::Digest));
            for (message, bits) in [(last - 1, 8 * M::E::BYTES), (last, 256)] {
                for bit in (0..bits).step_by(13) {
                    let why = refusal::<M>(terms, 10, message, flip(bit));
                    assert!(
                        matches!(why, Error::Rejected(_) | Error::Misbehaved(NonCanonicalElement)),
                        "{why}"
                    );
                }
            }
        }
    }
    over_some_fields!(test);
}

/// The first such share and the last one, of each section that is not used to its end.
#[test]
fn corrections_of_unused_shares_are_refused() {
    fn test<M: Dealt>() {
        // A block of 40 uses 122 shares of 256, and what remains 13.
        for terms in all_terms::<M>(40, 8) {
            let script = script::<M>(&terms, 45);
            let sections = script.iter().enumerate().filter(|(_, said)| said.0 == Said::Corrections);
            for ((section, _), used) in sections.zip([122, 13]) {
                let bits = if M::F::BITS == 1 { 1 } else { 8 * M::F::BYTES };
                for share in [used, 255] {
                    let why = refusal::<M>(terms, 45, section, flip(share * bits));
                    assert!(matches!(why, Error::Misbehaved(UnusedShares)), "{share}: {why}");
                }
                let why = refusal::<M>(terms, 45, section, flip((used - 1) * bits));
                assert!(!matches!(why, Error::Misbehaved(UnusedShares)));
            }
        }
    }
    over_every_kind!(test);
}

/// All bits after the last one of each message that does not fill its bytes.
#[test]
fn padding_must_be_zero() {
    let checking = Checking { by: Some(CheckedBy::Buckets), block: Some(40) };
    let terms = Terms::new::<BitMacs>(&checking, 8, false).unwrap();
    let mut padded = 0;
    for gates in 5..15 {
        let triples = triples(&terms, gates);
        for (message, (said, bytes)) in script::<BitMacs>(&terms, gates).into_iter().enumerate() {
            if matches!(said, Said::Triples | Said::Left | Said::Right) {
                for bit in triples..8 * bytes {
                    let why = refusal::<BitMacs>(terms, gates, message, flip(bit));
                    assert!(matches!(why, Error::Misbehaved(FurtherBits)), "{said:?}: {why}");
                    padded += 1;
                }
            }
        }
    }
    assert!(padded > 50, "{padded}");
}

/// All ones in place of the first and the last element of each message.
#[test]
fn elements_that_are_not_canonical_are_refused() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(40, 8) {
            for (message, (said, bytes)) in script::<M>(&terms, 45).into_iter().enumerate() {
                let extended = said == Said::Sum
                    || terms.by == CheckedBy::Interpolation
                        && !matches!(said, Said::Corrections | Said::Further);
                let element = if extended { M::E::BYTES } else { M::F::BYTES };
                for start in [0, bytes - element] {
                    if said != Said::Digest {
                        let fill: Alteration = Box::new(move |bytes| bytes[start..][..element].fill(0xff));
                        let why = refusal::<M>(terms, 45, message, fill);
                        assert!(matches!(why, Error::Misbehaved(NonCanonicalElement)), "{said:?}: {why}");
                    }
                }
            }
        }
    }
    test::<FieldMacs<F61, F61>>();
    test::<FieldMacs<F61, F61x2>>();
    test::<FieldMacs<F65537, F65537x4>>();
}
