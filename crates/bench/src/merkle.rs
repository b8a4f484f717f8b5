//! `volery bench merkle`: all leaves under a public root. They are a function of a seed, so that none is
//! held.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use sha2::block_api::compress256;
use sha2::{Digest, Sha256};
use volery::circuit::gadget::{Bytes, Gates, Holes, TREE_LANES, sha256_tree_in_lanes};
use volery::circuit::stream::Source;
use volery::circuit::{Polynomials, Shape, Size, check_lanes};
use volery::random::Random;
use volery::{Binary, Circuit, F2, Setting as _, ShortBinary};
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::print::human;

/// The depth where none is given, and the largest.
const DEPTH: u64 = 8;
const DEEPEST: u64 = 30;

/// "I know 2^depth leaves of 64 bytes whose tree has this root."
pub struct Tree {
    depth: u32,
    /// Leaves that are hashed together.
    lanes: u64,
    holes: bool,
    root: [u8; 32],
}

impl<B: Polynomials<F = F2>> Circuit<B> for Tree {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let leaf = |b: &mut B, _| Bytes::witness(b, 64);
        let root = if self.holes {
            sha256_tree_in_lanes::<B, Holes>(b, self.depth, self.lanes, leaf)?
        } else {
            sha256_tree_in_lanes::<B, Gates>(b, self.depth, self.lanes, leaf)?
        };
        root.assert_equal(b, &self.root, "root")
    }
}

impl Tree {
    /// The tree over the leaves of `seed`, as polynomials or gate by gate.
    pub fn new(seed: [u8; 32], depth: u32, holes: bool) -> Self {
        Self { depth, lanes: TREE_LANES, holes, root: root(seed, depth, 0) }
    }

    /// The tree with so many leaves hashed together, an even number.
    pub fn in_lanes(self, lanes: u64) -> Self {
        Self { lanes, ..self }
    }

    fn digest(&self) -> [u8; 32] {
        let hasher = Sha256::new_with_prefix("volery bench merkle");
        hasher
            .chain_update([self.depth as u8, self.holes.into()])
            .chain_update(self.lanes.to_le_bytes())
            .chain_update(self.root)
            .finalize()
            .into()
    }

    /// The compressions of leaves and inner nodes.
    fn compressions(&self) -> u64 {
        (2 << self.depth) - 1
    }

    /// ANDs and size as `of` reads them, from those of the smallest trees: a leaf and an inner node cost the
    /// same in each.
    ///
    /// # Errors
    /// None, but those of the smallest trees.
    pub fn size(&self, of: impl Fn(&Shape) -> (u64, Size)) -> Result<(u64, Size)> {
        let shape = |depth| Shape::without_depth(&Self { depth, ..*self });
        let [(of_leaf, one), (of_three, two)] = [shape(0)?, shape(1)?].map(|shape| of(&shape));
        let (leaves, nodes) = (1 << self.depth, (1 << self.depth) - 1);
        let all = |of_leaf: u64, of_three: u64| leaves * of_leaf + nodes * (of_three - 2 * of_leaf);
        let size = Size {
            commitments: all(one.commitments, two.commitments),
            inputs: all(one.inputs, two.inputs),
            polynomials: all(one.polynomials, two.polynomials),
            degree: one.degree.max(two.degree),
            ..Size::default()
        };
        Ok((all(of_leaf, of_three), size))
    }
}

/// The leaf at `place`.
pub fn leaf(seed: [u8; 32], place: u64) -> [u8; 64] {
    let half =
        |half: u8| Sha256::new().chain_update(seed).chain_update(place.to_le_bytes()).chain_update([half]);
    let mut leaf = [0; 64];
    leaf[..32].copy_from_slice(&half(0).finalize());
    leaf[32..].copy_from_slice(&half(1).finalize());
    leaf
}

/// The bits of all leaves, as they are read.
pub fn witness(seed: [u8; 32], depth: u32) -> impl Iterator<Item = F2> + Clone + Send {
    let bits = |byte: u8| (0..8).map(move |i| F2::from(byte >> i & 1 == 1));
    (0..1 << depth).flat_map(move |place| leaf(seed, place)).flat_map(bits)
}

/// A node without a circuit: that of a leaf, or of both children.
pub(crate) fn node(block: [u8; 64]) -> [u8; 32] {
    let mut state = INITIAL;
    compress256(&mut state, &[block]);
    let mut bytes = [0; 32];
    bytes.copy_from_slice(state.map(u32::to_be_bytes).as_flattened());
    bytes
}

/// The root, computed without a circuit, of the tree of `depth` levels whose first leaf has number `first`.
fn root(seed: [u8; 32], depth: u32, first: u64) -> [u8; 32] {
    let Some(below) = depth.checked_sub(1) else { return node(leaf(seed, first)) };
    let mut block = [0; 64];
    block[..32].copy_from_slice(&root(seed, below, first));
    block[32..].copy_from_slice(&root(seed, below, first + (1 << below)));
    node(block)
}

/// The initial chaining value of SHA-256.
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Proves a tree of --depth by the circuit of --kind.
pub(crate) fn merkle(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    // What is a hole to one system is a tower of gates to another.
    let best = if plan.settings.system().facts().polynomials { "holes" } else { "gates" };
    let kind = run.typed.kind.as_deref().unwrap_or(best);
    one_of("--kind", kind, &["gates", "holes"])?;
    let depth = size("--depth", run.typed.depth.as_deref(), DEPTH)?;
    if !(1..=DEEPEST).contains(&depth) {
        return Err(Failure::usage(format_args!("--depth: {depth}: choose from 1 to {DEEPEST}")));
    }
    let seed = Random::from_system()?.bytes();
    let lanes = size("--lanes", run.typed.lanes.as_deref(), TREE_LANES)?;
    check_lanes("a tree", lanes).map_err(|why| Failure::from(why).at("--lanes"))?;
    let tree = Tree::new(seed, depth as u32, kind == "holes").in_lanes(lanes);
    let settings = &plan.settings;
    let (ands, size) = tree.size(|shape| (settings.mul(shape), settings.size(shape)))?;
    let options = settings.options(tree.digest(), Some(size))?;
    let witness = witness(seed, tree.depth);
    let source: &dyn Source<F2> = &tree;
    let size = ("depth", depth);
    let mut outcome = if plan.settings.field.name() == ShortBinary::name() {
        plan.prove::<ShortBinary, _>(size, source, witness, ands, &options)?
    } else {
        plan.prove::<Binary, _>(size, source, witness, ands, &options)?
    };
    let compressions = tree.compressions();
    let all = compressions * u64::from(plan.repeat);
    let speed = all as f64 / outcome.report.online.as_secs_f64();
    outcome.more("kind", json!(kind), kind.into());
    outcome.more("compressions", json!(compressions), compressions.to_string());
    outcome.more("compressions_per_second", json!(speed), format!("{}/s", human(speed).trim_end()));
    plan.print(&outcome)
}
