//! `volery bench merkle-membership`: a record in one of three trees, whose siblings are made up.

use crate::args::size;
use crate::bench::Run;
use crate::merkle::node;
use crate::plan::Plan;
use volery::circuit::{Relation, Statement, Value, Values};
use volery::random::Random;
use volery_cli::failure::{Failure, Result};

/// The depth where none is given, that of the paper's circuit, and the largest of the statement.
const DEPTH: u64 = 26;
const DEEPEST: u64 = 64;

/// Proves membership in trees of --depth; the record is in that of SHA-256.
pub(crate) fn merkle_membership(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let depth = size("--depth", run.typed.depth.as_deref(), DEPTH)?;
    if !(1..=DEEPEST).contains(&depth) {
        return Err(Failure::usage(format_args!("--depth: {depth}: choose from 1 to {DEEPEST}")));
    }
    let relation = || Relation::open(&format!("builtin:merkle-membership?depth={depth}"), None);
    let (public, private) = sample(&relation()?, depth as usize)?;
    let statement = Statement::new(relation()?, public)?;
    let witness = statement.witness(private)?;
    plan.print(&plan.stated(("depth", depth), &statement, &witness)?)
}

/// The public and the private values of a random record.
///
/// # Errors
/// Where the system has no randomness, or `relation` is not of that depth.
pub fn sample(relation: &Relation, depth: usize) -> volery::Result<(Values, Values)> {
    let mut random = Random::from_system()?;
    let record: [u8; 64] = random.bytes();
    let (mut root, mut place, mut siblings) = (node(record), String::new(), Vec::new());
    for _ in 0..depth {
        let sibling: [u8; 32] = random.bytes();
        let [right] = random.bytes::<1>().map(|byte| byte & 1 == 1);
        let mut pair = [0; 64];
        let (left, other) = if right { (sibling, root) } else { (root, sibling) };
        pair[..32].copy_from_slice(&left);
        pair[32..].copy_from_slice(&other);
        root = node(pair);
        place.push(if right { '1' } else { '0' });
        siblings.extend(sibling);
    }
    let (challenge, sha1, sha3): ([u8; 16], [u8; 20], [u8; 32]) =
        (random.bytes(), random.bytes(), random.bytes());
    let (mut public, mut private, mut all) = (Values::new(), Values::new(), Values::new());
    let known =
        [("challenge", &challenge[..]), ("root_sha256", &root), ("root_sha1", &sha1), ("root_sha3", &sha3)];
    for (name, bytes) in known {
        all.insert(name, Value::from_bytes(bytes))?;
        public.insert(name, Value::from_bytes(bytes))?;
    }
    let secret = [
        ("record", Value::from_bytes(&record)),
        ("place", Value::from_bits_text(&place)?),
        ("siblings", Value::from_bytes(&siblings)),
    ];
    for (name, value) in secret {
        all.insert(name, value.clone())?;
        private.insert(name, value)?;
    }
    for (port, value) in relation.outputs().iter().zip(relation.evaluate(all)?) {
        public.insert(&port.name, value)?;
    }
    Ok((public, private))
}
