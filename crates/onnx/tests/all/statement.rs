//! Networks as statements, in the clear: what they assert is what a run computes, and nothing else.

use crate::fixtures::{folder, inputs_of};
use crate::writer::{Bytes, FLOAT, INT16, Net, integer, integers, tensor};
use std::collections::HashMap;
use std::fs;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{PublicValues, sequences};
use volery_circuit::stream::{Recorder, Source, Streamed};
use volery_circuit::testing::Faulty;
use volery_circuit::{Circuit as _, Clear, Elements, StatementFile};
use volery_onnx::{Network, Options, Statement};
use volery_primitives::{F61, Field as _};

/// A statement with values for some of its ports.
pub(crate) struct Stated<'s> {
    pub(crate) statement: &'s dyn StatementFile<F61>,
    pub(crate) inputs: Vec<Option<Elements<F61>>>,
    pub(crate) outputs: Vec<Option<Elements<F61>>>,
}

impl Source<F61> for Stated<'_> {
    fn record(&self, recorder: &mut Recorder<'_, F61>) -> Result<()> {
        let (inputs, outputs) = (sequences(&self.inputs), sequences(&self.outputs));
        self.statement.record(recorder, PublicValues { inputs: &inputs, outputs: &outputs })
    }
}

/// A network of a file with an input, and what it makes of it.
pub(crate) struct Case {
    statement: Statement,
    input: Vec<i64>,
    weights: Vec<i64>,
    outputs: Vec<Vec<i64>>,
}

pub(crate) fn elements(integers: &[i64]) -> Elements<F61> {
    let element = |integer: &i64| {
        let magnitude = F61::new(integer.unsigned_abs());
        if *integer < 0 { -magnitude } else { magnitude }
    };
    integers.iter().map(element).collect::<Vec<_>>().into()
}

impl Case {
    /// A network, with the inputs of a fixture, as often as `options` say.
    pub(crate) fn new(
        file: Vec<u8>,
        inputs: &HashMap<String, Vec<i64>>,
        options: &str,
        count: usize,
    ) -> Self {
        let statement = Statement::from_bytes(("net", file.clone()), None, Some(options)).unwrap();
        let network = Network::open(&file, &Options::default()).unwrap();
        let (mut input, mut outputs) = (Vec::new(), vec![Vec::new(); network.outputs.len()]);
        for name in network.inputs.iter().map(|&input| network.tensors[input].name) {
            (0..count).for_each(|_| input.extend(&inputs[name]));
        }
        for (output, values) in outputs.iter_mut().zip(network.run(inputs, &mut |_, _| {}).unwrap()) {
            (0..count).for_each(|_| output.extend(values.iter()));
        }
        let apart = options.contains("weights=private");
        let weights = if apart {
            network.weight_values().unwrap().iter().map(|&weight| weight.into()).collect()
        } else {
            Vec::new()
        };
        Self { statement, input, weights, outputs }
    }

    fn stated(&self) -> Stated<'_> {
        let mut outputs: Vec<_> = self.outputs.iter().map(|output| Some(elements(output))).collect();
        outputs.resize_with(self.statement.outputs().len(), || None);
        Stated { statement: &self.statement, inputs: vec![None; self.statement.inputs().len()], outputs }
    }

    fn witness(&self) -> Elements<F61> {
        elements(&[&self.input[..], &self.weights].concat())
    }

    /// Runs the statement in the clear, of outputs that are public. It holds wherever a run of the network says so.
    pub(crate) fn holds(&self) -> Result<()> {
        let witness = self.witness();
        let mut clear = Clear::new(witness.iter());
        let held = Streamed(&self.stated()).run(&mut clear).and_then(|()| clear.finish());
        assert!(held.is_ok() || !self.is_run(&mut witness.iter()), "a run that is no witness");
        held
    }

    /// Whether a run of the network on this witness says what is public.
    fn is_run(&self, witness: &mut dyn Iterator<Item = F61>) -> bool {
        let Stated { statement, inputs, outputs } = self.stated();
        let (inputs, outputs) = (sequences(&inputs), sequences(&outputs));
        statement.is_satisfied(PublicValues { inputs: &inputs, outputs: &outputs }, witness)
    }
}

#[test]
fn fixtures_hold_as_statements() {
    for name in ["attention", "convolution", "dense", "series", "transformer", "wide"] {
        let [file, values] = ["q.onnx", "values"].map(|ending| folder().join(format!("{name}.{ending}")));
        let file = fs::read(file).unwrap();
        let inputs = inputs_of(&Network::open(&file, &Options::default()).unwrap(), &values);
        for (options, count) in [("", 1), ("weights=private", 1), ("weights=private&count=3", 3)] {
            let mut case = Case::new(file.clone(), &inputs, options, count);
            case.holds().unwrap_or_else(|why| panic!("{name}?{options}: {why}"));
            let witness = case.witness();
            assert!(case.is_run(&mut witness.iter()), "{name}?{options}");
            assert!(!case.is_run(&mut witness.iter().chain([F61::ONE])), "{name}?{options}: too long");
            assert!(!case.is_run(&mut witness.iter().skip(1)), "{name}?{options}: too short");
            let last = case.outputs[0].len() - 1;
            case.outputs[0][last] += 1;
            let why = case.holds().unwrap_err();
            assert!(matches!(why, Error::Unsatisfied(_)), "{name}?{options}: {why}");
        }
    }
}

/// A network with a layer of each kind that a prover has something to choose for, none of which hides another behind a
/// rounding.
fn small() -> (Vec<u8>, HashMap<String, Vec<i64>>) {
    let mut net = Net::new();
    net.input("in", &[1, 2]);
    net.round("in", "x", 0);
    net.weight("w", &[2, 2], &[300, -70, 9, 512], 0, false);
    net.node("MatMul", "x w", "sums", &[]);
    net.round("sums", "h", -10);
    let rows: Vec<u8> = (-128..128i16).flat_map(|key| (key.max(0) / 2).to_le_bytes()).collect();
    net.field(5, tensor("volery.table/Half", INT16, &[256], &rows));
    net.node_of("volery.table", "Half", "h", "looked", &[]);
    net.round("looked", "y", 0);
    net.node("Mul", "y x", "product", &[]);
    net.node("Add", "product x", "sum", &[]);
    net.round("sum", "out", 0);
    net.node("ReduceMax", "out axes", "largest", &[integer("keepdims", 1)]);
    net.constant("axes", &[1], &[1]);
    net.output("out");
    net.output("largest");
    (net.file(), HashMap::from([("in".to_string(), vec![90, 201])]))
}

/// Wherever a prover's hint or product is too large by one, or by as much as leaves another remainder in its range,
/// nothing holds any more.
#[test]
fn no_prover_may_choose_another_value() {
    let (file, inputs) = small();
    let case = Case::new(file, &inputs, "weights=private", 1);
    case.holds().unwrap();
    let (stated, witness) = (case.stated(), case.witness());
    // 2^45 times 2^16 is one: a quotient that is larger by so much has a remainder that is smaller by one.
    for error in [F61::ONE, F61::new(1 << 45), -F61::new(1 << 45)] {
        for values in 0.. {
            let mut errors = vec![F61::ZERO; values];
            errors.push(error);
            let mut faulty = Faulty::with_errors(witness.iter(), &errors);
            let ran = Streamed(&stated).run(&mut faulty);
            if !faulty.erred() {
                ran.unwrap();
                assert!(values > 100, "{values} values");
                break;
            }
            assert!(matches!(ran, Err(Error::Unsatisfied(_))), "{error:?} to value {values}");
        }
    }
}

/// Sizes of all that layers make on the way are known before anything is made.
#[test]
fn small_files_take_no_large_memory() {
    let refused = |add: &dyn Fn(&mut Net), word: &str| {
        let mut net = Net::new();
        net.input("in", &[1, 1, 1, 1]);
        net.round("in", "x", 0);
        add(&mut net);
        let why = Statement::from_bytes(("net", net.file()), None, None).unwrap_err().to_string();
        assert!(why.contains(word), "{why}");
    };
    let expanded = |net: &mut Net, name: &str, shape: &[i64]| {
        let lengths = format!("{name}.shape");
        net.constant(&lengths, &[shape.len() as i64], shape);
        net.node("Expand", &format!("x {lengths}"), name, &[]);
    };
    refused(
        &|net| {
            expanded(net, "a", &[1, 1, 4096, 4096]);
            expanded(net, "b", &[1, 4096, 4096, 1]);
            net.node("MatMul", "b a", "n", &[]);
            net.round("n", "y", -9);
            net.output("y");
        },
        "\"n\"",
    );
    refused(
        &|net| {
            expanded(net, "a", &[1, 1, 1024, 1024]);
            net.node("MaxPool", "a", "n", &[integers("kernel_shape", &[512, 512])]);
            net.output("n");
        },
        "node \"n\" (MaxPool) takes more than 268435456 entries",
    );
    refused(
        &|net| {
            for i in 0..9 {
                expanded(net, &format!("a{i}"), &[1, 1, 1 << 13, 1 << 14]);
                net.output(&format!("a{i}"));
            }
        },
        "are there at node \"a7\"",
    );
}

/// Long values stay in the file, and the statement is what it is of all its bytes; of others it is none.
#[test]
fn long_weights_stay_in_their_file() {
    let mut net = Net::new();
    net.input("in", &[1, 512]);
    net.round("in", "x", 0);
    net.field(5, tensor("s", FLOAT, &[], &1f32.to_le_bytes()));
    net.field(5, tensor("w", INT16, &[512, 300], &[1; 2 * 512 * 300]));
    net.node("DequantizeLinear", "w s", "weights", &[]);
    net.node("MatMul", "x weights", "sums", &[]);
    net.round("sums", "y", -16);
    net.output("y");
    let (folder, file) = (tempfile::tempdir().unwrap(), net.file());
    let path = folder.path().join("net.q.onnx");
    fs::write(&path, &file).unwrap();
    let whole = Statement::from_bytes(("net", file.clone()), None, None).unwrap();
    let statement = Statement::open(&path, None).unwrap();
    assert_eq!(statement.identity(), whole.identity());
    let stated = Stated { statement: &statement, inputs: vec![None], outputs: vec![None, None] };
    let run = || Streamed(&stated).run(&mut Clear::new(vec![F61::ONE; 512]));
    run().unwrap();
    let at = file.windows(64).position(|bytes| bytes == [1; 64]).unwrap();
    fs::write(&path, [&file[..at], &[2], &file[at + 1..]].concat()).unwrap();
    assert!(matches!(run(), Err(Error::Invalid(why)) if why.contains("other values")));
    // Values within, and a place beside: whoever reads one of them would not read what others do.
    let entry = |key: &str, value: &str| Bytes::default().bytes(1, key).bytes(2, value);
    for beside in
        [&[("offset", "9")][..], &[("location", "net.q.onnx")], &[("location", "a"), ("location", "b")]]
    {
        let within = tensor("w", INT16, &[512, 300], &[1; 2 * 512 * 300]);
        let two = beside.iter().fold(within, |two, (key, value)| two.bytes(13, entry(key, value).0));
        let mut net = Net::new();
        net.field(5, two);
        fs::write(&path, net.file()).unwrap();
        for opened in [Statement::open(&path, None), Statement::from_bytes(("net", net.file()), None, None)] {
            let why = opened.unwrap_err().to_string();
            assert!(why.contains("beside the file, and has") || why.contains("twice"), "{why}");
        }
    }
    fs::write(&path, &file[..at]).unwrap();
    let why = Statement::open(&path, None).unwrap_err().to_string();
    assert!(why.contains("net.q.onnx") && why.contains("may have been cut short"), "{why}");
}

/// A public row that is moved to many places stands on the same wires there, and each piece of a sum reads them.
#[test]
fn what_is_moved_to_several_pieces_stays() {
    let mut net = Net::new();
    net.input("in", &[512, 64]);
    net.round("in", "x", 0);
    net.weight("row", &[1, 64], &[3; 64], 0, false);
    net.constant("shape", &[2], &[512, 64]);
    net.node("Expand", "row shape", "rows", &[]);
    net.node("Add", "rows x", "sum", &[]);
    net.round("sum", "out", 0);
    net.output("out");
    let inputs = HashMap::from([("in".to_string(), (0..512 * 64).map(|i| i % 100).collect())]);
    for (options, count) in [("", 1), ("weights=private", 1), ("count=2", 2)] {
        Case::new(net.file(), &inputs, options, count)
            .holds()
            .unwrap_or_else(|why| panic!("{options}: {why}"));
    }
}
