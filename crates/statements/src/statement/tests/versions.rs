//! The version of a built-in enters its digest. What gates each version has, is pinned in `volery-tests`, over all
//! fields.

use crate::Format;
use crate::statement::{Port, Program, Relation, Statement, StatementFile, Value, Values};
use volery_channel::error::Result;
use volery_circuit::Witness;
use volery_circuit::stream::Recorder;
use volery_primitives::F2;

/// Two builds of which one has other gates.
#[test]
fn a_version_enters_the_digest() {
    struct Next(Relation);

    impl Program for Next {
        type F = F2;
        type Value = Value;
        type Witness = Witness;

        fn builtins() -> &'static [(&'static str, &'static str)] {
            Relation::builtins()
        }
        fn open(spec: &str, format: Option<Format>) -> Result<Self> {
            Relation::open(spec, format).map(Self)
        }
        fn of_file(file: Box<dyn StatementFile<F2>>) -> Self {
            Self(Relation::file(file))
        }
        fn inputs(&self) -> &[Port] {
            self.0.inputs()
        }
        fn outputs(&self) -> &[Port] {
            self.0.outputs()
        }
        fn format_name(&self) -> &'static str {
            self.0.format_name()
        }
        fn identity(&self) -> Vec<u8> {
            self.0.identity()
        }
        fn version(&self) -> Option<u32> {
            self.0.version().map(|version| version + 1)
        }
        fn witness(&self, values: Vec<Value>) -> Self::Witness {
            self.0.witness(values)
        }
        fn elements(witness: &Self::Witness) -> impl Iterator<Item = Self::F> {
            Relation::elements(witness)
        }
        fn record(
            &self,
            b: &mut Recorder<'_, Self::F>,
            inputs: &[Option<Value>],
            outputs: &[Option<Value>],
        ) -> Result<()> {
            self.0.record(b, inputs, outputs)
        }
    }

    fn digest<P: Program<Value = Value>>() -> [u8; 32] {
        let mut digest = Values::new();
        digest.insert("digest", Value::from_bits_text(&"1".repeat(256)).unwrap()).unwrap();
        let relation = P::open("builtin:sha256-preimage?length=1", None).unwrap();
        Statement::new(relation, digest).unwrap().digest()
    }
    assert_eq!(digest::<Relation>(), digest::<Relation>());
    assert_ne!(digest::<Relation>(), digest::<Next>());
}
