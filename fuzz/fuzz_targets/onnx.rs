//! Any bytes as a file of a network: read, or refused. It is split, and a small one is
//! counted and run, where no integer passes its bound.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;
use volery_onnx::{Graph, Kind, Model, Network, Options, Split};

fuzz_target!(|bytes: &[u8]| {
    // What is not quantised has more operators.
    let Ok(graph) = Model::read(bytes).and_then(|model| Graph::build(model, &Options::default())) else {
        return;
    };
    let Ok(network) = Network::read(graph) else { return };
    // Without its weights it is the same network.
    if let Ok(parts) = Split::of(bytes, &Options::default()) {
        let weights: Vec<i64> = parts.weights.iter().map(|&weight| weight.into()).collect();
        let public = Network::open(&parts.graph, &Options::default()).expect("a public graph");
        assert_eq!(public.identity(), network.identity());
        assert!(public.with_weights(&weights).is_ok());
    }
    let info = network.info();
    let elements: usize = network.tensors.iter().map(|tensor| tensor.count()).sum();
    if elements > 1 << 16 || info.total.products.saturating_add(info.total.ranges) > 1 << 20 {
        return;
    }
    for value in [0, -32_768, 32_767] {
        let input = |input: &usize| {
            let tensor = &network.tensors[*input];
            (tensor.name.to_string(), vec![value; tensor.count()])
        };
        let inputs: HashMap<String, Vec<i64>> = network.inputs.iter().map(input).collect();
        let _ = network.run(&inputs, &mut |tensor, integers| {
            assert_eq!(integers.len(), tensor.count());
            let within = |integer: &i64| integer.unsigned_abs() <= tensor.bound;
            assert!(tensor.kind == Kind::Index || integers.iter().all(within), "{}", tensor.name);
        });
    }
});
