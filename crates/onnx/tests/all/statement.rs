//! Networks as statements, in the clear: what they assert is what a run computes, and nothing else.

use crate::fixtures::{folder, inputs_of};
use std::fs;
use std::path::Path;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{PublicValues, sequences};
use volery_circuit::stream::{Recorder, Source, Streamed};
use volery_circuit::{Circuit as _, Clear, Elements, StatementFile as _};
use volery_onnx::{Network, Options, Statement};
use volery_primitives::F61;

/// A statement with values for some of its ports.
struct Stated<'s> {
    statement: &'s Statement,
    inputs: Vec<Option<Elements<F61>>>,
    outputs: Vec<Option<Elements<F61>>>,
}

impl Source<F61> for Stated<'_> {
    fn record(&self, recorder: &mut Recorder<'_, F61>) -> Result<()> {
        let (inputs, outputs) = (sequences(&self.inputs), sequences(&self.outputs));
        self.statement.record(recorder, PublicValues { inputs: &inputs, outputs: &outputs })
    }
}

/// A network of a file with an input, and what it makes of it.
struct Case {
    statement: Statement,
    input: Vec<i64>,
    weights: Vec<i64>,
    outputs: Vec<Vec<i64>>,
}

fn elements(integers: &[i64]) -> Elements<F61> {
    let element = |integer: &i64| {
        let magnitude = F61::new(integer.unsigned_abs());
        if *integer < 0 { -magnitude } else { magnitude }
    };
    integers.iter().map(element).collect::<Vec<_>>().into()
}

impl Case {
    /// The network of the file at `path`, with the inputs of a fixture, as often as `options` say.
    fn new(path: &Path, options: &str, count: usize) -> Self {
        let statement = Statement::open(path, Some(options)).unwrap();
        let file = fs::read(path).unwrap();
        let network = Network::open(&file, &Options::default()).unwrap();
        let inputs = inputs_of(&network, &path.with_extension("").with_extension("values"));
        let (mut input, mut outputs) = (Vec::new(), vec![Vec::new(); network.outputs.len()]);
        for name in network.inputs.iter().map(|&input| network.tensors[input].name) {
            (0..count).for_each(|_| input.extend(&inputs[name]));
        }
        for (output, values) in outputs.iter_mut().zip(network.run(&inputs, &mut |_, _| {}).unwrap()) {
            (0..count).for_each(|_| output.extend(values.iter()));
        }
        let apart = options.contains("weights=private");
        let weights = if apart { network.weights().unwrap().to_vec() } else { Vec::new() };
        Self { statement, input, weights, outputs }
    }

    /// Whether the statement holds in the clear, of outputs that are public.
    fn holds(&self) -> Result<()> {
        let public = self.outputs.iter().map(|output| Some(elements(output)));
        let mut outputs: Vec<_> = public.collect();
        outputs.resize_with(self.statement.outputs().len(), || None);
        let inputs = vec![None; self.statement.inputs().len()];
        let stated = Stated { statement: &self.statement, inputs, outputs };
        let witness = elements(&[&self.input[..], &self.weights].concat());
        let mut clear = Clear::new(witness.iter());
        Streamed(&stated).run(&mut clear)?;
        clear.finish()
    }
}

#[test]
fn fixtures_hold_as_statements() {
    for name in ["attention", "convolution", "dense", "series"] {
        let path = folder().join(format!("{name}.q.onnx"));
        for (options, count) in [("", 1), ("weights=private", 1), ("weights=private&count=3", 3)] {
            let mut case = Case::new(&path, options, count);
            case.holds().unwrap_or_else(|why| panic!("{name}?{options}: {why}"));
            let last = case.outputs[0].len() - 1;
            case.outputs[0][last] += 1;
            let why = case.holds().unwrap_err();
            assert!(matches!(why, Error::Unsatisfied(_)), "{name}?{options}: {why}");
        }
    }
}
