//! Networks with weights of a public commitment, in the clear: it is opened by its weights alone.

use crate::fixtures::{folder, inputs_of};
use crate::statement::{Stated, elements};
use std::fs;
use volery_channel::error::Error;
use volery_circuit::stream::Streamed;
use volery_circuit::{Circuit as _, Clear, StatementFile as _};
use volery_onnx::{Committed, Network, Options};

#[test]
fn a_commitment_is_opened_by_its_weights_alone() {
    let [path, values] = ["dense.q.onnx", "dense.values"].map(|name| folder().join(name));
    let file = fs::read(&path).unwrap();
    let network = Network::open(&file, &Options::default()).unwrap();
    let given = inputs_of(&network, &values);
    let inputs = network.inputs.iter().flat_map(|&input| given[network.tensors[input].name].clone());
    let salt: Vec<i16> = (0..Committed::SALT_NUMBERS).map(|i| (i * i * 77) as i16).collect();
    let weights: Vec<i64> = network.weight_values().unwrap().iter().map(|&weight| weight.into()).collect();
    let witness: Vec<i64> = salt.iter().map(|&number| number.into()).chain(inputs).chain(weights).collect();

    let committed = Committed::open(&path, "").unwrap();
    let mut outputs = vec![None; committed.outputs().len()];
    *outputs.last_mut().unwrap() = Some(Committed::commitment(&network, &salt).unwrap().into());
    let stated = Stated { statement: &committed, inputs: vec![None; committed.inputs().len()], outputs };
    let run = |place: usize, change: i64| {
        let mut witness = witness.clone();
        witness[place] += change;
        let witness = elements(&witness);
        let mut clear = Clear::new(witness.iter());
        Streamed(&stated).run(&mut clear).and_then(|()| clear.finish())
    };
    run(0, 0).unwrap();
    let bits = network.weights().last().unwrap().bits;
    let inputs = witness.len() - salt.len() - network.weight_count();
    let of_weight = (salt.len() + inputs + network.weights().last().unwrap().at, 1 << bits);
    let named = |(place, change), name: &str| {
        let why = run(place, change).unwrap_err();
        assert!(matches!(&why, Error::Unsatisfied(_)) && why.to_string().contains(name), "{name}: {why}");
    };
    named((of_weight.0, 1), "model[");
    named((0, 1), "model[");
    named(of_weight, &format!("fits {bits} bits"));
    named((1, 1 << 16), "salt fits 16 bits");
}
