//! `volery doctor`: what this machine has, and how fast the kernels run on it.

use crate::verbs::args::Doctor;
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::time::{Duration, Instant};
use volery::channel::Link;
use volery::{Arch, F61, F128, Field, MacField, Params};
use volery_cli::failure::{Failure, Result};
use volery_cli::link::loopback;
use volery_cli::print::{self, human, seconds, table};
use volery_cli::settings::arch;
use volery_primitives::Tagged;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{
    Triple, dot, encode, fold_leaves, grow, prover_sums, transpose, verifier_sums, weigh,
};

/// How long each kernel is measured.
const PERIOD: Duration = Duration::from_millis(20);
/// Elements in a batch: a tile of the LPN extension.
const BATCH: usize = 4096;
/// Bytes that are sent over loopback.
const SENT: usize = 64 << 20;

/// Measures and prints.
pub(crate) fn doctor(typed: &Doctor) -> Result<()> {
    let arch = arch()?;
    let available: Vec<_> = Arch::available().iter().map(|arch| arch.name()).collect();
    let levels = cpu_features();
    let features: Vec<_> = levels.iter().flat_map(|(_, needs)| those(needs, true)).collect();
    let mut next = levels.iter().map(|(level, needs)| (*level, those(needs, false)));
    let next = next.find(|(_, missing)| !missing.is_empty());
    let cores = std::thread::available_parallelism().ok().map(usize::from);
    let huge = huge_pages();
    let kernels = kernels(arch);
    let throughput = loopback_speed()?;
    let cards = cards();
    let version = env!("CARGO_PKG_VERSION");
    if typed.json {
        let cards: Vec<_> = cards.iter().map(Card::json).collect();
        let kernels: Map<_, _> =
            kernels.iter().map(|(name, time)| ((*name).to_owned(), json!(time * 1e9))).collect();
        return print::result(json!({
            "version": version,
            "arch": arch.name(),
            "archs": available,
            "cpu_features": features,
            "next_arch": next.map(|(level, missing)| json!({"arch": level, "missing": missing})),
            "cores": cores,
            "transparent_huge_pages": huge,
            "kernel_nanoseconds": kernels,
            "loopback_bytes_per_second": throughput,
            "cards": cards,
        }));
    }
    let mut rows = vec![
        ("version", version.to_owned()),
        ("kernels", format!("{} (this machine has {})", arch.name(), available.join(", "))),
        ("features", if features.is_empty() { "none that matter".into() } else { features.join(", ") }),
    ];
    if let Some((level, missing)) = next {
        rows.push(("missing", format!("{}, which {level} kernels need", missing.join(", "))));
    }
    rows.push(("cores", cores.map_or("unknown".into(), |cores| cores.to_string())));
    rows.push(("huge pages", huge.unwrap_or_else(|| "unknown".into())));
    rows.extend(kernels.iter().map(|(name, time)| ("", format!("{:>8}  {name}", seconds(*time)))));
    rows.push(("loopback", format!("{}B/s", human(throughput))));
    if cards.is_empty() {
        let why = if cfg!(feature = "gpu") { "none is found" } else { "not looked for: built without them" };
        rows.push(("cards", why.into()));
    }
    rows.extend(cards.iter().flat_map(Card::rows));
    print::result(table(&rows))
}

/// A graphics processor that is found.
struct Card {
    /// The name that --device has for it, and its own, with what may have gone wrong.
    option: String,
    name: String,
    /// The kernels, and what each makes a second.
    speeds: Vec<(&'static str, f64)>,
}

impl Card {
    fn json(&self) -> Value {
        let speeds: Map<_, _> =
            self.speeds.iter().map(|(name, speed)| ((*name).to_owned(), json!(speed))).collect();
        json!({"device": self.option, "name": self.name, "per_second": speeds})
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let speeds = self.speeds.iter().map(|(name, speed)| ("", format!("{:>8}  {name}/s", human(*speed))));
        [("card", format!("{}, by --device {}", self.name, self.option))].into_iter().chain(speeds).collect()
    }
}

/// The cards, and how fast their kernels are.
#[cfg(feature = "gpu")]
fn cards() -> Vec<Card> {
    let found = volery_gpu::cards().into_iter().enumerate();
    let card = |(number, found): (usize, volery_gpu::Found)| {
        let option = format!("gpu:{number}");
        match volery_gpu::Card::open(number, 1 << 30).and_then(|card| card.speeds()) {
            Ok(speeds) => Card { option, name: found.name, speeds },
            Err(why) => {
                Card { option, name: format!("{}, which fails: {why}", found.name), speeds: Vec::new() }
            }
        }
    };
    found.map(card).collect()
}

#[cfg(not(feature = "gpu"))]
fn cards() -> Vec<Card> {
    Vec::new()
}

/// A feature of the processor, and whether it is there.
type Feature = (&'static str, bool);

/// The instruction sets that [`Arch::available`] looks for, the slowest first, each with the features that it
/// needs beside those of the ones before it.
fn cpu_features() -> Vec<(&'static str, Vec<Feature>)> {
    #[cfg(target_arch = "aarch64")]
    use std::arch::is_aarch64_feature_detected as has;
    #[cfg(target_arch = "x86_64")]
    use std::arch::is_x86_feature_detected as has;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    macro_rules! level {
        ($level:literal: $($name:tt),*) => { ($level, vec![$(($name, has!($name))),*]) };
    }
    #[cfg(target_arch = "x86_64")]
    let levels = vec![
        level!("aesni": "aes", "pclmulqdq", "ssse3", "sse4.1", "sse4.2"),
        level!("vaes256": "avx2", "fma", "vaes", "vpclmulqdq"),
        level!("vaes512": "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512ifma"),
    ];
    #[cfg(target_arch = "aarch64")]
    let levels = vec![level!("neon": "neon", "aes", "pmull")];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let levels = Vec::new();
    levels
}

/// The names of those that are there, or of those that are not.
fn those(features: &[Feature], there: bool) -> Vec<&'static str> {
    features.iter().filter(|(_, is)| *is == there).map(|(name, _)| *name).collect()
}

/// Whether the system gives huge pages unasked: always, madvise or never.
fn huge_pages() -> Option<String> {
    let modes = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    let (_, rest) = modes.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

/// Each kernel with its time for one element, in seconds.
fn kernels(arch: Arch) -> Vec<(&'static str, f64)> {
    let key = Aes128::new(arch, F128(1));
    let random = |seed: u128, length| {
        let mut blocks = vec![F128::ZERO; length];
        key.counter(seed << 64, &mut blocks);
        blocks
    };
    let (chi, a) = (random(1, BATCH), random(2, BATCH));
    let triples = random(3, 3 * BATCH);
    let triples: &[Triple] = triples.as_chunks().0;
    let mut out = vec![F128::ZERO; BATCH];
    let mut measured = vec![
        ("an AES block", time(|| key.counter(0, black_box(&mut out)))),
        ("a product in an inner product", time(|| dot(arch, black_box(&chi), &a))),
        ("a multiplication checked by the prover", time(|| prover_sums(arch, black_box(&chi), triples))),
        ("a multiplication checked by the verifier", time(|| verifier_sums(arch, black_box(&chi), triples))),
        ("a transposed row", time(|| transpose(arch, black_box(&a), &mut out))),
        ("a node of a half-tree", time(|| grow(&key, black_box(&mut out)))),
        ("a leaf in the check of its trees", time(|| weigh(arch, black_box(&chi), &a))),
    ];
    for (params, name) in
        [(Params::L2, "a correlation of l2, encoded"), (Params::WAN, "a correlation of wan, encoded")]
    {
        let table = random(4, params.secret);
        measured.push((name, time(|| encode(&key, 0, black_box(&table), &mut out))));
    }
    for (k, name) in
        [(4, "a correlation of softspoken4, expanded"), (8, "a correlation of softspoken8, expanded")]
    {
        let blocks = BATCH / 128;
        let (mut total, mut planes) = (vec![F128::ZERO; blocks], vec![F128::ZERO; k * blocks]);
        let expand = || {
            (0..128 / k).for_each(|_| fold_leaves(&key, &a[..1 << k], 0, black_box(&mut total), &mut planes))
        };
        measured.push((name, time(expand)));
    }
    measured.extend(kernels_over_f61(&key, arch));
    measured
}

/// Some kernels over F_(2^61 - 1) with MACs in the same field. They take the same time for all elements.
fn kernels_over_f61(key: &Aes128, arch: Arch) -> [(&'static str, f64); 2] {
    let (chi, triples) = (vec![F61::ONE; BATCH], vec![[F61::ONE; 3]; BATCH]);
    let share = Tagged { value: F61::ONE, mac: F61::ONE };
    let (table, mut out) = (vec![share; Params::L2.secret], vec![share; BATCH]);
    [
        (
            "a multiplication over f61 checked by the verifier",
            time(|| <F61 as MacField<F61>>::verifier_sums(arch, black_box(&chi), &triples)),
        ),
        (
            "a correlation of l2 over f61, encoded",
            time(|| F61::encode_tagged(key, 0, black_box(&table), &mut out)),
        ),
    ]
}

/// The shortest time of a batch, for each of its elements.
fn time<T>(mut batch: impl FnMut() -> T) -> f64 {
    let started = Instant::now();
    let mut best = f64::INFINITY;
    while started.elapsed() < PERIOD {
        let one = Instant::now();
        black_box(batch());
        best = best.min(one.elapsed().as_secs_f64());
    }
    best / BATCH as f64
}

/// Bytes per second from one thread to another.
fn loopback_speed() -> Result<f64> {
    let [(mut from, _), (mut to, _)] = loopback(Duration::from_secs(10))?;
    let failed = |why| Failure::peer(format_args!("sending over 127.0.0.1: {why}"));
    let started = Instant::now();
    let sending = std::thread::spawn(move || {
        let piece = vec![0; 1 << 16];
        (0..SENT / piece.len()).try_for_each(|_| from.send(&piece))?;
        from.flush()
    });
    let mut piece = vec![0; 1 << 16];
    (0..SENT / piece.len()).try_for_each(|_| to.recv(&mut piece)).map_err(failed)?;
    match sending.join() {
        Ok(sent) => sent.map_err(failed)?,
        Err(panic) => std::panic::resume_unwind(panic),
    }
    Ok(SENT as f64 / started.elapsed().as_secs_f64())
}
