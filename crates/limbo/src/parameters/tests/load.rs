//! The load that parameters put on a verifier.

use super::*;

/// Statements over F_2, and over a field of 64 bits in which 16 views are followed side by side.
fn walks() -> Vec<Walk> {
    let over_bits = |demand: Demand| Walk {
        demand,
        linear: 4 * demand.products,
        asserted: 256,
        matrices: 0,
        slots: 255,
        blocks: 1,
        tile: 4096,
    };
    let over_words = |products| Walk {
        demand: Demand { inputs: products / 8, ..Demand::gates(0, products, 64) },
        slots: 16,
        blocks: 128,
        tile: 512,
        ..over_bits(Demand::gates(8, products, 1))
    };
    let bits = [Demand::gates(8, 1, 1), SHA_256, Demand::gates(512, 1 << 20, 1)].map(over_bits);
    bits.into_iter().chain([1, 1000, 1 << 20].map(over_words)).collect()
}

fn load(of: &Parameters, aggregation: Aggregation, walk: &Walk) -> Load {
    of.load(aggregation.views(of.parties as usize), walk)
}

/// More of anything is no less, for every k and field.
#[test]
fn more_parties_repetitions_and_views_ask_for_no_less() {
    for walk in walks() {
        for compression in [2, 4, 64, 512] {
            for (field, challenges) in BINARY
                .into_iter()
                .flat_map(|field| [(field, Challenges::Identical), (field, Challenges::Independent)])
            {
                for repetitions in [1, 16, 22, 100, 255] {
                    for parties in (1..8).map(|depth| 1 << depth) {
                        let it = Parameters { parties, compression, field, repetitions, challenges };
                        let least = load(&it, Aggregation::Hypercube, &walk);
                        let more = [
                            load(&it, Aggregation::Parties, &walk),
                            load(&Parameters { parties: 2 * parties, ..it }, Aggregation::Parties, &walk),
                            load(
                                &Parameters { repetitions: repetitions + 1, ..it },
                                Aggregation::Hypercube,
                                &walk,
                            ),
                        ];
                        for more in more {
                            assert!(
                                more.steps >= least.steps && more.bytes >= least.bytes,
                                "{it:?} {walk:?}"
                            );
                        }
                        // Each repetition expands the tapes of all parties.
                        let values = (walk.demand.inputs + walk.demand.products) * walk.blocks / 128;
                        assert!(least.steps >= (u64::from(parties * repetitions) * values) as f64);
                    }
                }
            }
        }
    }
}

/// Parameters by any preference of a prover are within the bound of a verifier that asks for fewer bits, if not
/// with challenges of each repetition's own, then with the same for all.
#[test]
fn preferences_are_within_the_bound() {
    let wide = [CheckSize { bits: 122, bytes: 16 }];
    let word = [CheckSize { bits: 61, bytes: 8 }];
    for walk in walks() {
        let fields: &[&[CheckSize]] = if walk.demand.value_bits == 1 { &[&BINARY] } else { &[&wide, &word] };
        for fields in fields {
            let by =
                |security, wishes| Parameters::choose(&walk.demand, Mode::File, security, &wishes, fields);
            let choose = |security, preference| by(security, Wishes { preference, ..FREE });
            let alike = |security, preference| {
                by(security, Wishes { preference, challenges: Some(Challenges::Identical), ..FREE })
            };
            for asked in [100, 110, 128] {
                let default = choose(128, Preference::Balanced).or(choose(asked, Preference::Balanced));
                let Ok(default) = default else { continue };
                let default = load(&default, Aggregation::default(), &walk);
                for (bits, preference) in [Preference::Speed, Preference::Balanced, Preference::Size]
                    .into_iter()
                    .flat_map(|preference| [(asked, preference), (128, preference)])
                {
                    let Ok(made) = choose(bits, preference) else { continue };
                    let times = |of: &Parameters| {
                        load(of, Aggregation::default(), &walk).times(&default, 67_108_864.0)
                    };
                    let within =
                        times(&made) <= 4.0 || alike(bits, preference).is_ok_and(|it| times(&it) <= 4.0);
                    assert!(within, "{} times for {made:?} at {asked} bits: {walk:?}", times(&made));
                }
            }
        }
    }
}

/// Memory counts from where somebody minds it on.
#[test]
fn memory_is_compared_beyond_what_nobody_minds() {
    let of = |bytes| Load { steps: 1.0, bytes };
    assert_eq!(of(1000.0).times(&of(1.0), 1000.0), 1.0);
    assert_eq!(of(8000.0).times(&of(1.0), 1000.0), 8.0);
    assert_eq!(of(8000.0).times(&of(4000.0), 1000.0), 2.0);
    assert_eq!(Load { steps: 3.0, bytes: 8000.0 }.times(&of(4000.0), 1000.0), 3.0);
}
