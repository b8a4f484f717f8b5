mod load;
mod published;
mod sizes;

use super::*;
use crate::Aggregation;
use proptest::prelude::*;
use volery_channel::error::Error;

/// The fields over F_2.
const BINARY: [CheckSize; 5] = [binary(48), binary(64), binary(96), binary(128), binary(160)];
/// The gates of SHA-256 in the published circuit, whose 512 inputs are a block.
const SHA_256: Demand = Demand::gates(512, 22_573, 1);
const FREE: Wishes = Wishes {
    preference: Preference::Balanced,
    parties: None,
    compression: None,
    field_bits: None,
    challenges: None,
    repetitions: None,
};

const fn binary(bits: u32) -> CheckSize {
    CheckSize { bits, bytes: bits / 8 }
}

/// The wish for all but repetitions.
fn wished(parties: u32, compression: u32, field_bits: u32, challenges: Challenges) -> Wishes {
    Wishes {
        parties: Some(parties),
        compression: Some(compression),
        field_bits: Some(field_bits),
        challenges: Some(challenges),
        ..FREE
    }
}

fn choose(demand: &Demand, mode: Mode, security: u32, wishes: &Wishes) -> Parameters {
    Parameters::choose(demand, mode, security, wishes, &BINARY).unwrap()
}

fn refused(demand: &Demand, mode: Mode, security: u32, wishes: &Wishes) -> String {
    match Parameters::choose(demand, mode, security, wishes, &BINARY) {
        Err(Error::Invalid(why)) => why,
        other => panic!("{other:?}"),
    }
}

const fn shape(compression: u32) -> Parameters {
    Parameters {
        parties: 64,
        compression,
        field: binary(64),
        repetitions: 7,
        challenges: Challenges::Identical,
    }
}

#[test]
fn rounds_are_counted_in_integers() {
    let by = |compression: u32, entries| shape(compression).rounds(entries);
    for power in 1..=25 {
        let entries = 3u64.pow(power);
        let around = [entries - 1, entries, entries + 1].map(|entries| by(3, entries));
        assert_eq!(around, [(power - 1).max(1), power, power]);
    }
    for power in 1..=12 {
        let entries = 10u64.pow(power);
        assert_eq!([by(10, entries - 1), by(10, entries)], [(power - 1).max(1), power]);
    }
    assert_eq!([1, 2, 3, 15, 16, 255, 256].map(|entries| by(16, entries)), [1, 1, 1, 1, 1, 1, 2]);
}

#[test]
fn a_statement_shorter_than_a_compression_takes_one_round() {
    let shape = shape(16);
    assert_eq!(shape.lengths(5), [5, 1]);
    assert_eq!(shape.corrections(1, 5), 32);
    assert_eq!(shape.elements(5), 32 + 2);
}

#[test]
fn lengths_are_rounded_up() {
    let shape = shape(16);
    assert_eq!(shape.lengths(22_573), [22_573, 1411, 89, 6]);
    assert_eq!(shape.last_length(22_573), 6);
    assert_eq!([1, 2, 3].map(|round| shape.corrections(round, 22_573)), [30, 30, 32]);
    assert_eq!(shape.elements(22_573), 30 + 30 + 32 + 12);
}

#[test]
fn nothing_is_checked_where_nothing_is_multiplied() {
    let demand = Demand::gates(100, 0, 1);
    for mode in [Mode::Interactive, Mode::File] {
        let chosen = choose(&demand, mode, 40, &Wishes { parties: Some(16), ..FREE });
        assert_eq!(
            (chosen.rounds(0), chosen.lengths(0), chosen.last_length(0), chosen.elements(0)),
            (0, vec![0], 0, 0)
        );
        assert_eq!((chosen.repetitions, chosen.field.bits, chosen.security(&demand, mode)), (10, 48, 40.0));
        assert_eq!(chosen.proof_bits(&demand), 768 + 10 * (4 * 128 + 256 + 100));
        assert_eq!(chosen.proof_bytes(&demand), 96 + 10 * (64 + 32 + 13));
    }
}

#[test]
fn an_interactive_proof_errs_with_less_than_it_may() {
    // n^-τ alone is 2^-40.
    for (parties, repetitions) in [(16, 10), (32, 8), (256, 5)] {
        for field in BINARY {
            let demand = Demand::gates(8, 100, 1);
            let wishes = Wishes { parties: Some(parties), field_bits: Some(field.bits), ..FREE };
            assert_eq!(choose(&demand, Mode::Interactive, 40, &wishes).repetitions, repetitions + 1);
            let why =
                refused(&demand, Mode::Interactive, 40, &Wishes { repetitions: Some(repetitions), ..wishes });
            assert!(why.contains(&format!("{} do", repetitions + 1)), "{why}");
        }
    }
}

#[test]
fn one_attempt_is_bounded_by_markov() {
    // τ = 2: n^-2 + p (2 n^-1 + 1).
    let it = Parameters { parties: 4, repetitions: 2, field: binary(48), ..shape(4) };
    let size = 48f64.exp2();
    let p = 99.0 / size + 2.0 * (6.0 / (size - 4.0)) + 8.0 / (size - 5.0);
    let expected = -(1.0 / 16.0 + p * 1.5).log2();
    assert!((it.security(&Demand::gates(0, 100, 1), Mode::Interactive) - expected).abs() < 1e-14);
}

#[test]
fn what_no_repetitions_help_is_refused() {
    let large = Demand::gates(8, 1 << 20, 1);
    let why = refused(&large, Mode::Interactive, 40, &Wishes { field_bits: Some(48), ..FREE });
    assert!(why.contains("a field of 48 bits: take a larger field"), "{why}");
    // One bad challenge among 2^128 is found with less than 2^128 hashes.
    let wishes = Wishes { field_bits: Some(128), challenges: Some(Challenges::Identical), ..FREE };
    refused(&large, Mode::File, 128, &wishes);
    assert_eq!(choose(&large, Mode::Interactive, 40, &FREE).field.bits, 64);
}

#[test]
fn wishes_are_fulfilled_or_refused() {
    let wishes = Wishes { repetitions: Some(40), ..wished(32, 8, 96, Challenges::Independent) };
    let chosen = choose(&SHA_256, Mode::File, 128, &wishes);
    let expected = Parameters {
        parties: 32,
        compression: 8,
        field: binary(96),
        repetitions: 40,
        challenges: Challenges::Independent,
    };
    assert_eq!(chosen, expected);
    let refused = |wishes: Wishes| refused(&SHA_256, Mode::Interactive, 40, &wishes);
    for parties in [0, 1, 3, 48, 512, u32::MAX] {
        assert!(
            refused(Wishes { parties: Some(parties), ..FREE }).contains("take a power of two from 2 to 256")
        );
    }
    for compression in [0, 1, 513, u32::MAX] {
        assert!(refused(Wishes { compression: Some(compression), ..FREE }).contains("take 2 to 512"));
    }
    for repetitions in [0, 257, u32::MAX] {
        assert!(refused(Wishes { repetitions: Some(repetitions), ..FREE }).contains("take 1 to 256"));
    }
    assert!(refused(Wishes { field_bits: Some(80), ..FREE }).contains("those of 48, 64, 96, 128, 160"));
    assert!(refused(Wishes { challenges: Some(Challenges::Independent), ..FREE }).contains("are for files"));
}

#[test]
fn what_is_beyond_all_parameters_is_refused() {
    for mode in [Mode::Interactive, Mode::File] {
        assert!(refused(&SHA_256, mode, 0, &FREE).contains("1 to 128"));
        assert!(refused(&SHA_256, mode, 129, &FREE).contains("1 to 128"));
        let most = Demand::gates(1 << 40, 1 << 40, 256);
        assert!(choose(&most, mode, 80, &FREE).proof_bits(&most) > 80 << 40);
        let fewer = Demand::gates(1, 1, 1);
        for beyond in [
            Demand { inputs: (1 << 40) + 1, ..fewer },
            Demand { products: u64::MAX, ..fewer },
            Demand { entries: (1 << 40) + 1, ..fewer },
        ] {
            assert!(refused(&beyond, mode, 40, &FREE).contains("2^40"));
        }
    }
}

#[test]
fn corrections_end_with_whole_bytes() {
    let demand = Demand::gates(9, 15, 1);
    let it = shape(4);
    assert_eq!(it.proof_bytes(&demand) * 8, it.proof_bits(&demand) + 7 * (7 + 1));
    let words = Demand { value_bits: 61, ..demand };
    assert_eq!(it.proof_bytes(&words) * 8, it.proof_bits(&words) + 7 * (3 + 5));
}

#[test]
fn elements_of_other_fields_have_the_size_that_they_are_written_in() {
    let (wide, demand) = (CheckSize { bits: 121, bytes: 16 }, Demand::gates(10, 1000, 61));
    let chosen = Parameters::choose(&demand, Mode::Interactive, 40, &FREE, &[wide]).unwrap();
    assert_eq!(
        chosen.proof_bits(&demand),
        768 + 7 * (6 * 128 + 256 + 128 * chosen.elements(1000) + 61 * 1010)
    );
}

#[test]
fn the_table_in_the_header_is_what_is_chosen() {
    let header = include_str!("../parameters.rs");
    for (name, demand) in [("SHA-256", SHA_256), ("2^20 ANDs", Demand::gates(512, 1 << 20, 1))] {
        for preference in [Preference::Speed, Preference::Balanced, Preference::Size] {
            for (mode, security) in [(Mode::Interactive, 40), (Mode::File, 128)] {
                let chosen = choose(&demand, mode, security, &Wishes { preference, ..FREE });
                let Parameters { parties, compression, field, repetitions, challenges } = chosen;
                let bytes = chosen.proof_bytes(&demand);
                let row = format!(
                    "//! | {name} | {preference:?} | {mode:?} | {parties} | {compression} | {} | {challenges:?} | \
                     {repetitions} | {bytes} |\n",
                    field.bits
                );
                assert!(header.contains(&row), "{row}");
            }
        }
    }
}

fn modes() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Interactive), Just(Mode::File)]
}

fn preferences() -> impl Strategy<Value = Preference> {
    prop_oneof![Just(Preference::Speed), Just(Preference::Balanced), Just(Preference::Size)]
}

fn demands() -> impl Strategy<Value = Demand> {
    let values = 0..1u64 << 20;
    let entries = (0..=40u32, any::<bool>()).prop_map(|(log, less)| (1 << log) - u64::from(less));
    (values.clone(), values, entries, 0..1u64 << 41, 1..65u32).prop_map(
        |(inputs, products, entries, claims, value_bits)| Demand {
            inputs,
            products,
            entries,
            claims,
            value_bits,
        },
    )
}

proptest! {
    #[test]
    fn what_is_chosen_is_secure(
        demand in demands(), mode in modes(), preference in preferences(), security in 1..=128u32
    ) {
        let wishes = Wishes { preference, ..FREE };
        match Parameters::choose(&demand, mode, security, &wishes, &BINARY) {
            Ok(chosen) => {
                prop_assert!(chosen.security(&demand, mode) >= security.into());
                let Parameters { parties, compression, field, repetitions, challenges } = chosen;
                let all = wished(parties, compression, field.bits, challenges);
                let all = Wishes { repetitions: Some(repetitions), ..all };
                prop_assert_eq!(choose(&demand, mode, security, &all), chosen);
                let fewer = Parameters { repetitions: repetitions - 1, ..chosen };
                prop_assert!(fewer.security(&demand, mode) < security.into());
            }
            // One attempt against p_R + (r - 1)·p_int + p_fin over 2^160 elements.
            Err(_) => prop_assert!(mode == Mode::Interactive && security > 118),
        }
    }

    #[test]
    fn more_security_takes_no_shorter_proof(
        demand in demands(), mode in modes(), preference in preferences(), security in 1..=117u32
    ) {
        let wishes = Wishes { preference, ..FREE };
        let [less, more] = [security, security + 1].map(|bits| choose(&demand, mode, bits, &wishes).proof_bits(&demand));
        prop_assert!(less <= more);
    }

    #[test]
    fn a_search_takes_longer_the_more_repetitions_there_are(
        demand in demands(), depth in 1..=8u32, field in 0..5usize, compression in 2..100u32, repetitions in 1..256u32
    ) {
        let (parties, field, challenges) = (1 << depth, BINARY[field], Challenges::Independent);
        let with = |repetitions| Parameters { parties, compression, field, repetitions, challenges };
        let security = |repetitions| with(repetitions).security(&demand, Mode::File);
        prop_assert!(security(repetitions) <= security(repetitions + 1) + 1e-9);
    }
}
