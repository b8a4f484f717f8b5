//! Files of networks, byte by byte: as much of protobuf as they take.

/// The fields of a message, one after the other.
#[derive(Clone, Default)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    fn varint(&mut self, mut number: u64) {
        while number >= 128 {
            self.0.push(number as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn number(mut self, field: u64, number: i64) -> Self {
        self.varint(field << 3);
        self.varint(number as u64);
        self
    }

    pub(crate) fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.as_ref().len() as u64);
        self.0.extend(bytes.as_ref());
        self
    }
}

/// Types of elements, by their numbers in ONNX.
pub(crate) const FLOAT: i64 = 1;
pub(crate) const INT8: i64 = 3;
pub(crate) const INT16: i64 = 5;
pub(crate) const INT32: i64 = 6;
pub(crate) const INT64: i64 = 7;

pub(crate) fn tensor(name: &str, kind: i64, shape: &[i64], raw: &[u8]) -> Bytes {
    let tensor = Bytes::default().number(2, kind).bytes(8, name).bytes(9, raw);
    shape.iter().fold(tensor, |tensor, &length| tensor.number(1, length))
}

/// An attribute that is a list of integers.
pub(crate) fn integers(name: &str, numbers: &[i64]) -> Bytes {
    numbers.iter().fold(Bytes::default().bytes(1, name).number(20, 7), |list, &number| list.number(8, number))
}

/// An attribute that is an integer.
pub(crate) fn integer(name: &str, number: i64) -> Bytes {
    Bytes::default().bytes(1, name).number(20, 2).number(3, number)
}

/// A network that is being written. Nodes are named as their outputs.
#[derive(Clone)]
pub(crate) struct Net {
    pub(crate) graph: Bytes,
    pub(crate) opset: i64,
    pub(crate) format: Option<&'static str>,
    /// Entries of the metadata beside the format.
    pub(crate) metadata: Vec<(&'static str, &'static str)>,
}

impl Net {
    pub(crate) fn new() -> Self {
        Self { graph: Bytes::default(), opset: 21, format: Some("1"), metadata: vec![] }
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        let model = Bytes::default().number(1, 10).bytes(8, Bytes::default().number(2, self.opset).0);
        let entries = self.format.map(|format| ("volery.format", format)).into_iter();
        let entry = |(key, value): (&str, &str)| Bytes::default().bytes(1, key).bytes(2, value);
        let entries = entries.chain(self.metadata.iter().copied()).map(entry);
        let model = entries.fold(model, |model, entry| model.bytes(14, entry.0));
        model.bytes(7, &self.graph.0).0
    }

    fn described(&mut self, field: u64, name: &str, kind: i64, dimensions: &[Bytes]) {
        let shape = dimensions.iter().fold(Bytes::default(), |shape, dimension| shape.bytes(1, &dimension.0));
        let kind = Bytes::default().bytes(1, Bytes::default().number(1, kind).bytes(2, shape.0).0);
        self.field(field, Bytes::default().bytes(1, name).bytes(2, kind.0));
    }

    pub(crate) fn field(&mut self, field: u64, message: Bytes) {
        self.graph = core::mem::take(&mut self.graph).bytes(field, message.0);
    }

    pub(crate) fn open_input(&mut self, name: &str, open: &str) {
        self.described(11, name, FLOAT, &[Bytes::default().bytes(2, open), Bytes::default().number(1, 2)]);
    }

    pub(crate) fn input(&mut self, name: &str, shape: &[i64]) {
        self.typed_input(name, FLOAT, shape);
    }

    pub(crate) fn typed_input(&mut self, name: &str, kind: i64, shape: &[i64]) {
        let dimensions: Vec<Bytes> = shape.iter().map(|&length| Bytes::default().number(1, length)).collect();
        self.described(11, name, kind, &dimensions);
    }

    pub(crate) fn output(&mut self, name: &str) {
        self.field(12, Bytes::default().bytes(1, name));
    }

    pub(crate) fn constant(&mut self, name: &str, shape: &[i64], numbers: &[i64]) {
        let raw: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.field(5, tensor(name, INT64, shape, &raw));
    }

    pub(crate) fn node(&mut self, operator: &str, inputs: &str, output: &str, attributes: &[Bytes]) {
        self.node_of("", operator, inputs, output, attributes);
    }

    pub(crate) fn node_of(
        &mut self,
        domain: &str,
        operator: &str,
        inputs: &str,
        output: &str,
        attributes: &[Bytes],
    ) {
        let node = inputs
            .split_whitespace()
            .fold(Bytes::default(), |node, input| node.bytes(1, if input == "-" { "" } else { input }));
        let node = output.split_whitespace().fold(node, |node, output| node.bytes(2, output));
        let node = node.bytes(3, output).bytes(4, operator).bytes(7, domain);
        let node = attributes.iter().fold(node, |node, attribute| node.bytes(5, &attribute.0));
        self.field(1, node);
    }

    /// An input with an exponent, whose integers are named so with `.x`.
    pub(crate) fn input_of(&mut self, name: &str, shape: &[i64], exponent: i32) {
        self.input(name, shape);
        self.round(name, &format!("{name}.x"), exponent);
    }

    /// Rounds a tensor to `exponent`, and names the integers again.
    pub(crate) fn round(&mut self, source: &str, output: &str, exponent: i32) {
        let [scale, zero, rounded] = ["scale", "zero", "rounded"].map(|part| format!("{output}.{part}"));
        self.field(5, tensor(&scale, FLOAT, &[], &(-exponent as f32).exp2().to_le_bytes()));
        self.field(5, tensor(&zero, INT16, &[], &[0; 2]));
        self.node("QuantizeLinear", &format!("{source} {scale} {zero}"), &rounded, &[]);
        self.node("DequantizeLinear", &format!("{rounded} {scale} {zero}"), output, &[]);
    }

    /// The table of a function of wide values.
    pub(crate) fn wide_table(&mut self, name: &str, values: &[i32]) {
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.field(5, tensor(&format!("volery.wide/{name}"), INT32, &[values.len() as i64], &raw));
    }

    /// A tensor `name` of int32 with an exponent; its initialiser is `public` or a weight.
    pub(crate) fn weight(&mut self, name: &str, shape: &[i64], numbers: &[i32], exponent: i32, public: bool) {
        let stored = if public { format!("volery.public/{name}") } else { format!("{name}.stored") };
        let raw: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.field(5, tensor(&stored, INT32, shape, &raw));
        self.field(5, tensor(&format!("{name}.scale"), FLOAT, &[], &(-exponent as f32).exp2().to_le_bytes()));
        self.node("DequantizeLinear", &format!("{stored} {name}.scale"), name, &[]);
    }
}
