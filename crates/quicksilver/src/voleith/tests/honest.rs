//! Files that are what they should be.

use super::*;
use crate::polynomial::MOST;
use crate::voleith::parts::Last;

fn accepted(parameters: &Parameters, everything: Everything, seed: u8) -> Vec<u8> {
    let terms = terms(parameters, everything.size());
    let (file, gates) = prove(&terms, &everything, &everything.witness(seed), seed).unwrap();
    assert_eq!(check(&terms, &everything, &file).unwrap(), gates);
    assert_eq!(gates.size(), Size { crowds: 0, ..everything.size() });
    file
}

#[test]
fn every_length_around_a_batch() {
    let edge = 8192 - Everything::INPUTS;
    for products in [0, 1, 7, 122, 123, 124, edge - 1, edge, edge + 1, 2 * edge, 20_000] {
        let everything = Everything { products, ..Everything::default() };
        let file = accepted(&TOY, everything, products as u8);
        assert_eq!((file.len() - HEADER.len()) as u64, TOY.bytes(everything.size()), "{products} products");
    }
}

#[test]
fn every_degree() {
    for degree in [1, 2, 3, 4, 9, 31, 128] {
        let everything = Everything { products: 20, degree, polynomials: 3, ..Everything::default() };
        let file = accepted(&TOY, everything, degree as u8);
        assert_eq!((file.len() - HEADER.len()) as u64, TOY.bytes(everything.size()), "degree {degree}");
    }
}

/// Nothing is committed to, and there is a challenge all the same.
#[test]
fn nothing_but_public_polynomials() {
    struct Public;
    impl<B: Polynomials<F = F2>> Circuit<B> for Public {
        fn run(&self, b: &mut B) -> Result<()> {
            let zero = b.public(&[F2::ZERO; 3]);
            b.assert_zeroes(zero, "zero")
        }
    }
    let size = Shape::of(&Public).unwrap().size();
    assert_eq!(size.commitments, 0);
    let terms = terms(&TOY, size);
    let (file, _) = prove(&terms, &Public, &[], 1).unwrap();
    assert_eq!((file.len() - HEADER.len()) as u64, TOY.bytes(size));
    check(&terms, &Public, &file).unwrap();
}

/// Very many polynomials, but never very many in one batch.
#[test]
fn batches_without_crowds() {
    let everything = Everything { products: 10, degree: 7, polynomials: 4000, ..Everything::default() };
    let size = everything.size();
    assert!(size.polynomials as usize * 7 > MOST && size.commitments > 8192 && size.crowds == 0);
    let file = accepted(&TOY, everything, 9);
    assert_eq!((file.len() - HEADER.len()) as u64, TOY.bytes(size));
}

/// Batches that end early, at bilinear forms and at very many polynomials, take fewer bytes than foretold,
/// and not many fewer.
#[test]
fn batches_that_end_early() {
    let polynomials = MOST / (3 * 40) + 50;
    for everything in [
        Everything { products: 30, matrices: 3, ..Everything::default() },
        Everything { products: 8192 - 5, matrices: 2, ..Everything::default() },
        Everything { products: 10, degree: 40, polynomials, ..Everything::default() },
        Everything { products: 9000, degree: 3, polynomials: 4, matrices: 1 },
    ] {
        assert_eq!(everything.size().crowds > 0, everything.degree == 40);
        let file = accepted(&TOY, everything, 9);
        let (length, most) = ((file.len() - HEADER.len()) as u64, TOY.bytes(everything.size()));
        assert!(length <= most, "{length} bytes of {most}");
    }
}

/// The largest piece that is read of a file.
struct Pieces<'f> {
    file: &'f [u8],
    largest: usize,
}

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.largest = self.largest.max(bytes.len());
        self.file.read(bytes)
    }
}

/// A verifier fetches a batch when it begins, and no more.
#[test]
fn a_file_is_read_by_batches() {
    let everything = Everything { products: 50_000, degree: 3, polynomials: 3, matrices: 1 };
    let terms = terms(&TOY, everything.size());
    let (file, _) = prove(&terms, &everything, &everything.witness(1), 1).unwrap();
    let mut pieces = Pieces { file: &file[HEADER.len()..], largest: 0 };
    let _ = read(&mut pieces, HEADER, &terms, &everything).unwrap();
    assert_eq!(pieces.largest, 2 * 1024);
}

#[test]
fn parameters_that_are_used() {
    let everything = Everything { products: 300, degree: 5, polynomials: 2, ..Everything::default() };
    for preference in [Preference::Speed, Preference::Balanced] {
        let wishes = Wishes { preference, grinding: Some(6), ..Wishes::default() };
        let chosen = Parameters::choose(everything.size(), None, &wishes).unwrap();
        let file = accepted(&chosen, everything, 3);
        assert_eq!((file.len() - HEADER.len()) as u64, chosen.bytes(everything.size()));
    }
    for (trees, bits) in [(1, 3), (1, 15), (2, 29), (3, 13), (8, 70), (40, 126)] {
        let parameters = Parameters::given(trees, bits, 4).unwrap();
        let file = accepted(&parameters, everything, 4);
        assert_eq!((file.len() - HEADER.len()) as u64, parameters.bytes(everything.size()));
    }
}

#[test]
fn a_file_does_not_depend_on_threads_or_the_instruction_set() {
    let everything = Everything { products: 30_000, degree: 7, polynomials: 5, matrices: 1 };
    let parameters = Parameters::given(3, 13, 3).unwrap();
    let alone = terms(&parameters, everything.size());
    let expected = prove(&alone, &everything, &everything.witness(1), 1).unwrap().0;
    for arch in Arch::available() {
        for threads in [1, 3] {
            let pool = Pool::of(threads);
            let terms = Terms { arch, pool: &pool, ..terms(&parameters, everything.size()) };
            let (file, _) = prove(&terms, &everything, &everything.witness(1), 1).unwrap();
            assert!(file == expected, "{}, {threads} threads", arch.name());
            check(&terms, &everything, &file).unwrap();
        }
    }
}

#[test]
fn the_security_of_parameters() {
    let of = |degree| Size { commitments: 1000, degree, ..Size::default() };
    let security = |(trees, bits, grinding), size| Parameters { trees, bits, grinding }.security(size);
    assert_eq!(security((11, 121, 5), of(2)), 124);
    assert_eq!(security((15, 120, 6), of(2)), 124);
    assert_eq!(security((16, 120, 6), of(2)), 123);
    assert_eq!(security((11, 110, 16), of(2)), 124);
    assert_eq!(security((11, 110, 16), of(4)), 124);
    assert_eq!(security((11, 110, 16), of(5)), 123);
    assert_eq!(security((11, 110, 16), of(10)), 122);
    assert_eq!(security((11, 110, 0), of(2)), 109);
    assert_eq!(security((11, 121, 5), Size { matrices: 1, ..of(2) }), 122);
    assert_eq!(security((2, 6, 0), of(2)), 5);
    for degree in [0, 2, 3, 10, 128] {
        for preference in [Preference::Speed, Preference::Balanced, Preference::Size] {
            let wishes = Wishes { preference, ..Wishes::default() };
            for commitments in [0, 500, 20_000, 1 << 20, 1 << 30] {
                let size = Size { commitments, degree, ..Size::default() };
                let chosen = Parameters::choose(size, None, &wishes).unwrap();
                assert_eq!(chosen, Parameters::given(chosen.trees, chosen.bits, chosen.grinding).unwrap());
                assert_eq!((chosen.security(size), chosen.trees), (124, preference.trees()));
                let less = Parameters::choose(size, Some(100), &wishes).unwrap();
                assert!((100..=101).contains(&less.security(size)) && less.work(size) <= chosen.work(size));
            }
        }
    }
    let wish = |trees, security| {
        let wishes = Wishes { trees: Some(trees), ..Wishes::default() };
        Parameters::choose(of(2), Some(security), &wishes)
    };
    // 105 bits, and 20 that are ground.
    assert!(wish(8, 124).is_ok() && wish(7, 124).is_ok() && wish(40, 120).is_ok());
    for (trees, security) in [(15, 125), (16, 124), (6, 124), (0, 100), (41, 100), (40, 124)] {
        assert!(matches!(wish(trees, security), Err(Error::Invalid(_))), "{trees} trees, {security} bits");
    }
    for (trees, bits, grinding) in [(0, 0, 0), (41, 123, 0), (11, 127, 0), (8, 121, 0), (3, 8, 0), (2, 6, 25)]
    {
        assert!(matches!(Parameters::given(trees, bits, grinding), Err(Error::Invalid(_))));
    }
}

/// Pinned, since whoever makes a file and whoever bounds its work choose alike: a level of the trees, or the
/// search of a bit more.
#[test]
fn the_parameters_that_are_chosen() {
    for ((commitments, degree), expected) in [
        ((1728, 2), [(119, 7), (116, 10), (114, 12)]),
        ((6328, 10), [(120, 9), (117, 12), (115, 14)]),
        ((1 << 20, 2), [(111, 15), (109, 17), (107, 19)]),
    ] {
        let size = Size { commitments, degree, ..Size::default() };
        let chosen = [Preference::Speed, Preference::Balanced, Preference::Size].map(|preference| {
            let wishes = Wishes { preference, ..Wishes::default() };
            let Parameters { bits, grinding, .. } = Parameters::choose(size, None, &wishes).unwrap();
            (bits, grinding)
        });
        assert_eq!(chosen, expected, "{commitments} bits of degree {degree}");
    }
}

/// Several counters at a time, by one thread and by three: the least that fits.
#[test]
fn the_least_counter_is_found() {
    for grinding in [0, 3, 9, 15] {
        for seed in 0..4 {
            let last = Last::new([seed; 32], (&[], F128::ZERO, &[0; 32]), (6, grinding));
            let least = (0..).find_map(|counter| last.delta(counter).map(|delta| (counter, delta))).unwrap();
            for arch in Arch::available() {
                assert_eq!(last.search(arch, &Pool::ALONE), least);
                assert_eq!(last.search(arch, &Pool::of(3)), least);
            }
        }
    }
}

/// A prover without a witness writes nothing; nor does one that counted other gates.
#[test]
fn no_file_is_made_of_nothing() {
    let everything = Everything { products: 50, ..Everything::default() };
    let witness = everything.witness(1);
    let size = everything.size();
    let refused = |size: Size, witness: &[F2]| {
        let mut file = vec![];
        let written = write(
            &mut file,
            HEADER,
            &terms(&TOY, size),
            (&everything, witness.iter().copied()),
            &mut Random::from_seed(&[1; 32]),
        );
        assert!(file.is_empty());
        written.unwrap_err()
    };
    for (commitments, degree) in [(54, 2), (56, 2), (8, 2), (0, 2), (100, 2), (55, 3)] {
        let other = Size { commitments, degree, ..size };
        assert!(matches!(refused(other, &witness), Error::Invalid(_)), "{commitments}, {degree}");
    }
    assert!(matches!(refused(size, &witness[1..]), Error::Invalid(_)));
    assert!(matches!(refused(size, &[&witness[..], &[F2::ONE]].concat()), Error::Invalid(_)));
    // A verifier that counted others says so, too, or rejects.
    let (file, _) = prove(&terms(&TOY, size), &everything, &witness, 1).unwrap();
    for (commitments, degree) in [(54, 2), (56, 2), (8, 2), (0, 2), (100, 2), (55, 3)] {
        let other = Size { commitments, degree, ..size };
        let error = check(&terms(&TOY, other), &everything, &file).unwrap_err();
        assert!(matches!(error, Error::Invalid(_) | Error::Rejected(_)), "{error}");
    }
}
