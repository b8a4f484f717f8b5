//! `volery bench network`: a session of queries to a network of a file, whose weights and inputs are secret. Inputs are
//! random, as large as those that a network is calibrated with.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use std::collections::HashMap;
use volery::channel::Channel;
use volery::random::Random;
use volery::{QueryProver, QueryVerifier, Report};
use volery_cli::both::Reports;
use volery_cli::failure::{Failure, Result};
use volery_cli::networks::{claim, of_weights, options, queries};
use volery_cli::print::{human, seconds};
use volery_onnx::{Kind, Network};

/// The bits of each of four numbers whose sum is a random input: about a normal one, as large as two bits of room leave.
const BITS: u32 = 11;

/// Proves that there are weights, and then queries.
pub(crate) fn network(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let Some(path) = &run.typed.network else {
        return Err(Failure::usage(
            "missing: --network, the file of a quantised network: `python -m volery.onnx architecture resnet18 --out \
             FILE` makes one",
        ));
    };
    let Some(spec) = path.to_str() else {
        return Err(Failure::usage(format_args!("--network: {}: name the file in UTF-8", path.display())));
    };
    let count = size("--count", run.typed.count.as_deref(), 1)?;
    let file = std::fs::read(path).map_err(|why| Failure::usage(why).at(spec).at("--network"))?;
    let network = Network::open(&file, &options(path)).map_err(|why| Failure::from(why).at(spec))?;
    let queries = queries(plan.settings.field, spec, &[])?;
    let (weights, inputs) = (of_weights(&queries, &network)?, inputs(&network)?);
    let query = claim(&queries, &network, &inputs).map_err(|why| Failure::from(why).at(spec))?;
    let options = plan.settings.options(weights.statement().digest(), None)?;
    let prover = |channel: &mut Channel, _: &_| {
        let (mut prover, first) = QueryProver::new(&queries, &*weights, channel, &options)?;
        let proved: Vec<_> = (0..count).map(|_| prover.prove(&*query)).collect::<Result<_, _>>()?;
        prover.end()?;
        Ok((first, proved))
    };
    let verifier = |channel: &mut Channel| {
        let (mut verifier, first) = QueryVerifier::new(&queries, channel, &options)?;
        let mut verified = Vec::new();
        while let Some(query) = verifier.receive()? {
            let (_accepted, report) = verifier.verify(&*query)?;
            verified.push(report);
        }
        Ok((first, verified))
    };
    let ((_, prover), (of_weights, verifier)): ((Report, _), (Report, _)) =
        plan.task("gates", 0).run(prover, verifier)?;
    let mut outcome = plan.outcome(("count", count), &Reports { prover, verifier });
    let (online, bytes) = (of_weights.online.as_secs_f64(), of_weights.traffic.received);
    outcome.more(
        "weights",
        json!({"count": network.weight_count(), "seconds": online, "bytes": bytes}),
        format!("{} in {}, {}B, once", network.weight_count(), seconds(online), human(bytes as f64)),
    );
    outcome.print(plan.settings.json)
}

/// Random inputs; indices are zero.
fn inputs(network: &Network<'_>) -> Result<HashMap<String, Vec<i64>>> {
    let mut random = Random::from_system()?;
    let mut of = |input: &usize| {
        let tensor = &network.tensors[*input];
        let mut part = || i64::from(u16::from_le_bytes(random.bytes()) % (1 << BITS)) - (1 << (BITS - 1));
        let mut one = || (0..4).map(|_| part()).sum();
        let integers = match tensor.kind {
            Kind::Index => vec![0; tensor.count()],
            _ => (0..tensor.count()).map(|_| one()).collect(),
        };
        (tensor.name.to_owned(), integers)
    };
    Ok(network.inputs.iter().map(&mut of).collect())
}
