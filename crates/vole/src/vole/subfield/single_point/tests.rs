//! Sparse vectors over every kind of field; verifiers that plant wrong trees; the attack on leaves that are nodes.

use super::super::tests::*;
use super::*;
use crate::vole::subfield::{Delta, coefficients, uniform};
use volery_channel::random::Random;
use volery_primitives::{Extension, F2, F61, F256};

/// 128 trees in a tile.
const PARAMS: Params = Params { name: "short", secret: 1, trees: 256, depth: 5, security: 0 };
const TREES: usize = PARAMS.trees_per_tile();
/// The public key of the hashes.
const KEY: F128 = F128(5);

/// The input of both parties for their trees of one tile.
struct Ground<B: Field, E: MacField<B>> {
    delta: Delta<B, E>,
    /// Δ' of the transfers, with their keys and MACs, level by level.
    offset: F128,
    keys: Vec<F128>,
    macs: Vec<F128>,
    /// The shares of β, and their keys.
    noise: Vec<E::Tag>,
    noise_keys: Vec<E>,
    /// The verifier's seed.
    seed: F128,
}

impl<B: Field, E: MacField<B>> Ground<B, E> {
    fn new(delta: Delta<B, E>, offset: F128, random_seed: u8) -> Self {
        let mut random = Random::from_seed(&[random_seed; 32]);
        let keys: Vec<F128> = (0..TREES * PARAMS.depth).map(|_| F128(random.word().0 & !1)).collect();
        let macs = keys.iter().map(|key| *key ^ offset.scale(random.word().bit0())).collect();
        let share = |random: &mut Random| E::Tag::new(uniform(random), uniform(random));
        let noise = |random: &mut Random| match super::super::super::lpn::noise::<B>() {
            0 => E::Tag::new(B::ONE, E::ZERO),
            _ => share(random),
        };
        let noise: Vec<_> = (0..TREES).map(|_| noise(&mut random)).collect();
        let noise_keys = noise.iter().map(|share| share.mac() + delta.value().scale(share.value())).collect();
        Self { delta, offset, keys, macs, noise, noise_keys, seed: random.word() }
    }

    fn dealt(seed: u8) -> Self {
        let offset = Random::from_seed(&[seed; 32]).word().0 | 1;
        Self::new(delta(seed), F128(offset), seed)
    }

    /// The verifier's corrections and leaves for `tile`, with trees under `offset`.
    fn plant(&self, tile: usize, offset: F128) -> (Corrections<E>, Vec<E>) {
        let verifier = Verifier::<B, E>::new(Arch::detect(), PARAMS, KEY, offset, self.seed);
        let mut scratch = Scratch::default();
        let corrections = verifier.plant(tile, &self.keys, &self.noise_keys, &mut scratch);
        (corrections, scratch.leaves.to_vec())
    }

    /// The prover's leaves after these corrections of tile 0.
    fn fix(&self, corrections: &Corrections<E>) -> Vec<E::Tag> {
        let forest = Forest::new(Arch::detect(), PARAMS, KEY);
        let mut rows = vec![E::Tag::default(); TILE];
        let shares = (&self.macs[..], &self.noise[..]);
        let _ = fix(&forest, 0, shares, corrections, &mut Scratch::default(), &mut rows);
        rows
    }

    /// The difference of the prover's V from the verifier's; the masks are left out on both sides.
    fn off(&self, rows: &[E::Tag], leaves: &[E]) -> E {
        let (arch, chi) = (Arch::detect(), chi::<B, E>());
        let (macs, x) = E::weigh(arch, &chi, rows);
        macs - E::dot(arch, &chi, leaves) + x * self.delta.value()
    }

    /// Whether the check passes where a verifier sends `corrections` and answers with what it should hold,
    /// which are these `leaves`. Then the shares must be right.
    fn passes(&self, corrections: &Corrections<E>, leaves: &[E]) -> bool {
        let rows = self.fix(corrections);
        let passes = self.off(&rows, leaves) == E::ZERO;
        if passes {
            assert_related(&rows, leaves, self.delta.value());
        }
        passes
    }

    /// Whether the check passes after `error` was added to these elements of the last level's message.
    fn survives(&self, errors: &[(usize, E)]) -> bool {
        let (mut corrections, leaves) = self.plant(0, self.offset);
        errors.iter().for_each(|(element, error)| corrections.leaves[*element] += *error);
        self.passes(&corrections, &leaves)
    }

    /// The side of the sibling of the path in tree g at a level.
    fn side(&self, level: usize, g: usize) -> bool {
        self.macs[TREES * (level - 1) + g].bit0() == F2::ONE
    }

    /// The place of α of tree g.
    fn hole(&self, g: usize) -> usize {
        let turns = (1..=PARAMS.depth).map(|level| usize::from(!self.side(level, g)) << (level - 1));
        turns.sum::<usize>() * TREES + g
    }
}

fn chi<B: Field, E: MacField<B>>() -> Vec<E> {
    coefficients::<B, E>(Arch::detect(), F128(77), TILE)
}

/// Zero but for β at the place that the transfers' bits turn away from; the same when a tile is grown again.
fn each_tree_has_one_noisy_leaf<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(1);
    let arch = Arch::detect();
    let mut prover = Prover::new(arch, PARAMS, KEY);
    let verifier = Verifier::<B, E>::new(arch, PARAMS, KEY, ground.offset, ground.seed);
    let (mut scratch, mut first) = (Scratch::default(), vec![]);
    for tile in 0..2 {
        let (corrections, leaves) = ground.plant(tile, ground.offset);
        let mut rows = vec![E::Tag::default(); TILE];
        let shares = (&ground.macs[..], &ground.noise[..]);
        prover.keep(&fix(&prover.forest(), tile, shares, &corrections, &mut scratch, &mut rows));
        assert_related(&rows, &leaves, ground.delta.value());
        let mut expected = vec![B::ZERO; TILE];
        (0..TREES).for_each(|g| expected[ground.hole(g)] = ground.noise[g].value());
        assert!(rows.iter().map(|row| row.value()).eq(expected));
        verifier.regrow(tile, &mut scratch);
        assert!(scratch.leaves.iter().eq(&leaves));
        first.push((rows, leaves));
    }
    for (tile, (rows, leaves)) in first.iter().enumerate() {
        let mut again = vec![E::Tag::default(); TILE];
        prover.regrow(tile, &mut scratch, &mut again);
        assert!(again.iter().zip(rows).all(|(a, b)| (a.value(), a.mac()) == (b.value(), b.mac())));
        assert!(tile == 0 || leaves.iter().zip(&first[0].1).all(|(a, b)| a != b));
    }
}
over_every_kind!(each_tree_has_one_noisy_leaf and f2x64);

/// A wrong c⁰ or c¹ passes where the prover opens the other, in about half of the trees, and leaves no trace
/// there. In all trees at once it is caught.
fn one_sided_corrections_are_a_guess<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(2);
    let error = ground.delta.value();
    let mut survived = 0;
    for g in 0..TREES {
        let opens = ground.side(PARAMS.depth, g);
        let [zero, one] = [g, TREES + g].map(|element| ground.survives(&[(element, error)]));
        assert_eq!([zero, one], [opens, !opens], "tree {g}");
        survived += usize::from(zero);
    }
    assert!(survived.abs_diff(TREES / 2) < TREES / 4, "{survived}");
    for side in [0, TREES] {
        let errors: Vec<_> = (side..side + TREES).map(|element| (element, error)).collect();
        assert!(!ground.survives(&errors));
    }
}
over_every_kind!(one_sided_corrections_are_a_guess and f2x64);

/// A wrong s, wrong corrections of both sides, and any of them in all trees.
fn other_corrections_are_caught<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(3);
    let mut random = Random::from_seed(&[4; 32]);
    // What tags leave free is dropped, and no error.
    let one = [E::ONE].into_iter().filter(|one| E::Tag::bare(*one) == *one);
    for error in one.chain([ground.delta.value(), uniform(&mut random)]) {
        for g in [0, 31, TREES - 1] {
            let [zero, one, total] = [g, TREES + g, 2 * TREES + g];
            assert!(!ground.survives(&[(total, error)]));
            assert!(!ground.survives(&[(zero, error), (one, error)]));
            assert!(!ground.survives(&[(zero, error), (one, error), (total, error)]));
            // With the hole's MAC right again.
            assert!(!ground.survives(&[(zero, error), (one, error), (total, -error)]));
        }
        let all = |from: usize| (from..from + TREES).map(|element| (element, error)).collect::<Vec<_>>();
        assert!(!ground.survives(&all(2 * TREES)));
        assert!(!ground.survives(&[all(0), all(TREES), all(2 * TREES)].concat()));
    }
    assert!(ground.survives(&[]));
}
over_every_kind!(other_corrections_are_caught and f2x64);

/// A wrong correction of a level above the last, whatever the error, Δ' included, which
/// turns left into right.
fn corrections_of_levels_are_caught<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(5);
    let (honest, leaves) = ground.plant(0, ground.offset);
    for error in [F128(1 << 40), ground.offset] {
        for level in 0..PARAMS.depth - 1 {
            let trees = TREES * level..TREES * (level + 1);
            for wrong in [trees.start..trees.start + 1, trees.end - 1..trees.end, trees] {
                let mut corrections = honest.clone();
                corrections.levels[wrong].iter_mut().for_each(|correction| *correction ^= error);
                assert!(!ground.passes(&corrections, &leaves), "level {level}");
            }
        }
    }
}
over_every_kind!(corrections_of_levels_are_caught and f2x64);

/// Errors in two trees that sum to nothing do not cancel: each leaf has a coefficient of its own.
fn opposite_errors_do_not_cancel<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(6);
    let error = ground.delta.value();
    // Two trees that open c⁰.
    let open: Vec<usize> = (0..TREES).filter(|&g| !ground.side(PARAMS.depth, g)).collect();
    for (part, [a, b]) in [(0, [open[0], open[1]]), (2 * TREES, [0, 1]), (2 * TREES, [7, 100])] {
        assert!(!ground.survives(&[(part + a, error), (part + b, -error)]));
        assert!(!ground.survives(&[(part + a, error), (part + b, error)]));
    }
}
over_every_kind!(opposite_errors_do_not_cancel and f2x64);

/// A verifier that sends a wrong s must know where α is to answer as the prover does, since that is the
/// coefficient of the error.
fn a_wrong_sum_takes_a_guess_at_the_path<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(7);
    let (mut corrections, leaves) = ground.plant(0, ground.offset);
    let (g, error) = (19, ground.delta.value());
    corrections.leaves[2 * TREES + g] += error;
    let off = ground.off(&ground.fix(&corrections), &leaves);
    let fitting = (g..TILE).step_by(TREES).filter(|&leaf| chi::<B, E>()[leaf] * error == -off);
    assert!(fitting.eq([ground.hole(g)]));
}
over_every_kind!(a_wrong_sum_takes_a_guess_at_the_path and f2x64);

/// A tree whose levels do not sum to the transfers' Δ' passes where all transfers of its path have the bit
/// zero, one path in 2^h.
fn trees_under_another_offset_are_caught<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(8);
    let (honest, leaves) = ground.plant(0, ground.offset);
    let (others, other_leaves) = ground.plant(0, ground.offset ^ F128(1 << 77));
    assert!(!ground.passes(&others, &other_leaves));
    let mut survived = 0;
    for g in 0..TREES {
        let (mut corrections, mut leaves) = (honest.clone(), leaves.clone());
        for element in (g..corrections.levels.len()).step_by(TREES) {
            corrections.levels[element] = others.levels[element];
        }
        for element in (g..3 * TREES).step_by(TREES) {
            corrections.leaves[element] = others.leaves[element];
        }
        (g..TILE).step_by(TREES).for_each(|leaf| leaves[leaf] = other_leaves[leaf]);
        let passes = ground.passes(&corrections, &leaves);
        assert_eq!(passes, (1..=PARAMS.depth).all(|level| !ground.side(level, g)), "tree {g}");
        survived += usize::from(passes);
    }
    assert!((1..20).contains(&survived), "{survived}");
}
over_every_kind!(trees_under_another_offset_are_caught and f2x64);

/// The prover's view of one tree, but for the leaf at α.
struct View<B: Field, E: MacField<B>> {
    /// The sum of the nodes of the lowest level that is linear in Δ', less the one on the path.
    nodes: F128,
    /// The sum of the leaves.
    leaves: E,
    total: E,
    noise: E::Tag,
}

/// The prover's views where leaves are nodes of the half-tree, made elements by `leaf`.
fn view_of_nodes<B: Field, E: MacField<B>>(ground: &Ground<B, E>, leaf: fn(F128) -> E) -> Vec<View<B, E>> {
    let roots = Roots::new(Arch::detect(), PARAMS, KEY, ground.offset, ground.seed);
    let (mut nodes, mut corrections) = (vec![F128::ZERO; TILE], vec![]);
    roots.plant(0, PARAMS.depth, &ground.keys, &mut nodes, &mut corrections);
    let tree = |nodes: &[F128], g| nodes[g..].iter().step_by(TREES).copied().collect::<Vec<F128>>();
    let keys: Vec<_> = (0..TREES).map(|g| tree(&nodes, g)).collect();
    let forest = Forest::new(Arch::detect(), PARAMS, KEY);
    forest.fix(0, PARAMS.depth, &ground.macs, &mut corrections, &mut nodes);
    let view = |g: usize| {
        let mut known = tree(&nodes, g);
        // The prover has zero on the path.
        known.retain(|node| *node != F128::ZERO);
        assert_eq!(known.len(), keys[g].len() - 1);
        let total = ground.noise_keys[g] - keys[g].iter().copied().map(leaf).sum::<E>();
        let leaves = known.iter().copied().map(leaf).sum();
        View { nodes: known.into_iter().sum(), leaves, total, noise: ground.noise[g] }
    };
    (0..TREES).map(view).collect()
}

/// The prover's views of the trees as they are, whose lowest level that is linear in Δ' is that of the
/// leaves' parents.
fn view<B: Field, E: MacField<B>>(ground: &Ground<B, E>) -> Vec<View<B, E>> {
    let (corrections, _) = ground.plant(0, ground.offset);
    let rows = ground.fix(&corrections);
    let (mut levels, mut nodes) = (corrections.levels.clone(), vec![F128::ZERO; TILE / 2]);
    let forest = Forest::new(Arch::detect(), PARAMS, KEY);
    forest.fix(0, PARAMS.depth - 1, &ground.macs, &mut levels, &mut nodes);
    let view = |g: usize| {
        let known = (g..TILE).step_by(TREES).filter(|&leaf| leaf != ground.hole(g));
        View {
            nodes: nodes[g..].iter().step_by(TREES).copied().sum(),
            leaves: known.map(|leaf| rows[leaf].mac()).sum(),
            total: corrections.leaves[2 * TREES + g],
            noise: ground.noise[g],
        }
    };
    (0..TREES).map(view).collect()
}

/// The solution of equations whose last entry is the right side, if there is exactly one.
fn solve(mut rows: Vec<Vec<F61>>) -> Option<Vec<F61>> {
    let unknowns = rows[0].len() - 1;
    for column in 0..unknowns {
        let pivot = (column..rows.len()).find(|&row| rows[row][column] != F61::ZERO)?;
        rows.swap(column, pivot);
        let inverse = rows[column][column].invert();
        let pivot: Vec<F61> = rows[column].iter().map(|entry| *entry * inverse).collect();
        for row in &mut rows {
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * *pivot);
        }
        rows[column] = pivot;
    }
    let consistent = rows[unknowns..].iter().all(|row| row[unknowns] == F61::ZERO);
    consistent.then(|| rows[..unknowns].iter().map(|row| row[unknowns]).collect())
}

/// m − s − Σ (other leaves) = (leaf at α) − β·Δ, where that leaf is taken for the low half of Δ' ⊕ (the other
/// nodes): an equation in the bits of Δ' and in Δ for each tree.
fn equations(views: &[View<F61, F61>]) -> Vec<Vec<F61>> {
    let equation = |view: &View<F61, F61>| {
        let known = view.nodes.0 as u64;
        // 2^i where the bit is added, −2^i where it is taken away.
        let bit = |i: u32| if known >> i & 1 == 0 { F61::new(1 << i) } else { -F61::new(1 << i) };
        let right = view.noise.mac - view.total - view.leaves - F61::new(known);
        (0..64).map(bit).chain([-view.noise.value, right]).collect()
    };
    views.iter().map(equation).collect()
}

/// Trees over F_p whose leaves are nodes give Δ to whoever follows the protocol (the control); ours do not.
#[test]
fn leaves_are_not_linear_in_the_offset() {
    let ground = Ground::<F61, F61>::dealt(10);
    let (low, delta) = (ground.offset.0 as u64, ground.delta.value());
    let secrets: Vec<F61> = (0..64).map(|i| F61::new(low >> i & 1)).chain([delta]).collect();
    let holds = |equation: &Vec<F61>| {
        equation.iter().zip(&secrets).map(|(a, x)| *a * *x).sum::<F61>() == equation[secrets.len()]
    };
    let of_nodes = equations(&view_of_nodes(&ground, |node| F61::new(node.0 as u64)));
    assert!(of_nodes.iter().all(holds));
    assert_eq!(solve(of_nodes), Some(secrets.clone()));

    let ours = equations(&view(&ground));
    assert!(!ours.iter().any(holds));
    assert_eq!(solve(ours.clone()), None);
    // With as many equations as unknowns there is a solution, and it is none.
    let some = solve(ours[..65].to_vec()).unwrap();
    assert!(some.iter().zip(&secrets).filter(|(a, b)| a == b).count() < 3 && some[64] != delta);
}

/// Trees over F_{2^128} whose leaves are nodes sum to Δ': two give Δ, and one where both keys are the same.
#[test]
fn leaves_do_not_sum_to_the_offset() {
    let ground = Ground::<F256, F128>::dealt(11);
    let masked = |view: &View<F256, F128>| view.noise.mac + view.total;
    let from_two = |views: &[View<F256, F128>]| {
        let noise = F128::from(views[0].noise.value + views[1].noise.value);
        (masked(&views[0]) + masked(&views[1])) * noise.invert()
    };
    let of_nodes = view_of_nodes(&ground, |node| node);
    for (view, key) in of_nodes.iter().zip(&ground.noise_keys) {
        assert_eq!(view.total, *key + ground.offset);
    }
    let different = |pair: &&[View<F256, F128>]| pair[0].noise.value != pair[1].noise.value;
    assert!(of_nodes.windows(2).filter(different).all(|pair| from_two(pair) == ground.delta.value()));

    let same = (0..).map(delta::<F256, F128>).find(|delta| delta.value().bit0() == F2::ONE).unwrap();
    let both = same.value();
    let ground_of_one = Ground::new(same, both, 12);
    let from_one =
        |view: &View<F256, F128>| masked(view) * (F128::from(view.noise.value) + F128::ONE).invert();
    let one = |view: &&View<F256, F128>| view.noise.value == F256::ONE;
    let nodes_of_one = view_of_nodes(&ground_of_one, |node| node);
    assert!(nodes_of_one.iter().filter(|view| !one(view)).all(|view| from_one(view) == both));

    let ours = view(&ground);
    assert!(ours.iter().zip(&ground.noise_keys).all(|(view, key)| view.total != *key + ground.offset));
    assert!(ours.windows(2).all(|pair| from_two(pair) != ground.delta.value()));
    assert!(view(&ground_of_one).iter().all(|view| from_one(view) != both));
}

/// No leaf comes twice, in the trees of one tile or of another, nor is one what the transfers' masks are.
fn leaves_and_masks_are_distinct<B: Field, E: MacField<B>>() {
    let ground = Ground::<B, E>::dealt(13);
    let mut seen = std::collections::HashSet::new();
    for tile in 0..2 {
        let (corrections, leaves) = ground.plant(tile, ground.offset);
        assert!(leaves.iter().all(|leaf| seen.insert(leaf.to_integer())));
        assert!(corrections.leaves.iter().all(|correction| seen.insert(correction.to_integer())));
    }
}
over_every_kind!(leaves_and_masks_are_distinct and f2x64);
