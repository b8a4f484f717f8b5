//! Against the numbers of repetitions that the authors publish.

use super::*;

/// Parameters that the paper lists for files, 128 bits, l = 64 and independent challenges: ANDs, parties,
/// compression, repetitions.
#[rustfmt::skip]
const FILES: [(u64, u32, u32, u32); 48] = [
    (1 << 10, 16, 8, 40), (1 << 10, 16, 16, 38), (1 << 10, 32, 8, 34), (1 << 10, 32, 16, 32),
    (1 << 10, 64, 8, 30), (1 << 10, 64, 16, 28), (1 << 10, 128, 8, 27), (1 << 10, 128, 16, 25),
    (1 << 12, 16, 8, 42), (1 << 12, 16, 16, 40), (1 << 12, 32, 8, 36), (1 << 12, 32, 16, 34),
    (1 << 12, 64, 8, 32), (1 << 12, 64, 16, 30), (1 << 12, 128, 8, 29), (1 << 12, 128, 16, 27),
    (1 << 14, 16, 16, 40), (1 << 14, 16, 32, 38), (1 << 14, 32, 16, 34), (1 << 14, 32, 32, 32),
    (1 << 14, 64, 16, 30), (1 << 14, 64, 32, 28), (1 << 14, 128, 16, 27), (1 << 14, 128, 32, 25),
    (1 << 16, 16, 16, 42), (1 << 16, 16, 32, 40), (1 << 16, 32, 16, 36), (1 << 16, 32, 32, 34),
    (1 << 16, 64, 16, 32), (1 << 16, 64, 32, 30), (1 << 16, 128, 16, 29), (1 << 16, 128, 32, 27),
    (1 << 18, 16, 16, 43), (1 << 18, 16, 32, 41), (1 << 18, 32, 16, 37), (1 << 18, 32, 32, 35),
    (1 << 18, 64, 16, 33), (1 << 18, 64, 32, 31), (1 << 18, 128, 16, 30), (1 << 18, 128, 32, 28),
    (1 << 20, 16, 32, 43), (1 << 20, 16, 64, 41), (1 << 20, 32, 32, 37), (1 << 20, 32, 64, 35),
    (1 << 20, 64, 32, 33), (1 << 20, 64, 64, 31), (1 << 20, 128, 32, 30), (1 << 20, 128, 64, 28),
];

fn file(products: u64, parties: u32, compression: u32, repetitions: u32) -> f64 {
    let challenges = Challenges::Independent;
    let it = Parameters { parties, compression, field: binary(64), repetitions, challenges };
    it.security(&Demand::gates(8, products, 1), Mode::File)
}

#[test]
fn files_take_the_listed_repetitions() {
    for (products, parties, compression, repetitions) in FILES {
        let wishes = wished(parties, compression, 64, Challenges::Independent);
        let chosen = choose(&Demand::gates(8, products, 1), Mode::File, 128, &wishes);
        assert_eq!(
            chosen.repetitions, repetitions,
            "{products} ANDs, {parties} parties, compression {compression}"
        );
        assert!(file(products, parties, compression, repetitions - 1) < 128.0);
    }
}

#[test]
fn where_the_list_falls_short_more_are_taken() {
    assert!((file(22_573, 64, 16, 29) - 126.000_062).abs() < 1e-6);
    let wishes = wished(64, 16, 64, Challenges::Independent);
    assert_eq!(choose(&SHA_256, Mode::File, 128, &wishes).repetitions, 30);
    let why = refused(&SHA_256, Mode::File, 128, &Wishes { repetitions: Some(29), ..wishes });
    assert!(why.contains("29 repetitions do not give this statement 128 bits of security: 30 do"), "{why}");
    // 8 parties and 48 repetitions for 2^20 ANDs.
    assert!((file(1 << 20, 8, 16, 48) - 110.937_488).abs() < 1e-6);
    assert!((file(1 << 20, 8, 32, 48) - 114.026_732).abs() < 1e-6);
}

#[test]
fn a_search_costs_what_an_exact_tail_gives() {
    let cost = |products, parties, compression, bits, repetitions| {
        let (field, challenges) = (binary(bits), Challenges::Independent);
        Parameters { parties, compression, field, repetitions, challenges }
            .security(&Demand::gates(8, products, 1), Mode::File)
    };
    assert!((cost(1000, 2, 2, 48, 150) - 124.993_739).abs() < 1e-6);
    assert!((cost(1 << 20, 256, 2, 48, 50) - 89.596_397).abs() < 1e-6);
    assert!((cost(3, 4, 4, 48, 66) - 122.258_966).abs() < 1e-6);
}

#[test]
fn identical_challenges_take_no_more_than_guesses_demand() {
    for log in [0, 1, 5, 10, 15, 20, 25] {
        for parties in [2, 4, 8, 16, 32, 64, 128, 256u32] {
            if parties < 8 && log == 25 {
                continue; // τ·p_R is above 2^-128 there.
            }
            let wishes = wished(parties, 16, 160, Challenges::Identical);
            let chosen = choose(&Demand::gates(8, 1 << log, 1), Mode::File, 128, &wishes);
            assert_eq!(chosen.repetitions, 128u32.div_ceil(parties.ilog2()));
        }
    }
}
