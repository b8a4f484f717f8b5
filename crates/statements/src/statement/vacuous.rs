//! Warnings about statements that prove less than they seem to: with a constant output, or public inputs
//! alone.

use super::evaluate::Open;
use super::relation::Source as Kind;
use super::{Program, Relation, Statement};
use volery_channel::error::Result;
use volery_circuit::Shape;
use volery_circuit::stream::Traced;

impl<P: Program> Statement<P> {
    /// Sentences about the parts of the statement that prove nothing about private values. That no private
    /// value is there shows at once; the rest once somebody has gone through the gates to their end: in the
    /// clear, to count them, or for a proof. Clauses of several statements are not looked at so closely.
    pub fn warnings(&self) -> Vec<String> {
        if self.private_ports().all(|port| port.width == 0) {
            return vec![
                "all inputs are public, so that anybody can tell whether the statement holds".into(),
            ];
        }
        let Some(found) = self.dependence.get() else { return Vec::new() };
        if found.assertions == 0 {
            return vec!["the statement asserts nothing, so that any private values satisfy it".into()];
        }
        let constant = found.outputs.iter().filter(|(_, private)| !**private);
        let warn = |(port, _): (&u32, &bool)| {
            let name = &self.relation.outputs()[*port as usize].name;
            format!("output {name} depends on no private input, so that its value says nothing about them")
        };
        let none =
            "no assertion depends on a private value, so that all of them satisfy the statement, or none";
        let none = (found.private == 0).then(|| none.into());
        none.into_iter().chain(constant.map(warn)).collect()
    }
}

impl Relation {
    /// Counts the gates as [`Relation::shape`] does, and gives a warning for each output of a circuit file
    /// that depends on no input; of a circuit with latches in the last step, since those before may well be
    /// as it began.
    ///
    /// # Errors
    /// `Invalid` where the file is malformed.
    pub fn examine(&self) -> Result<(Shape, Vec<String>)> {
        if let Kind::Builtin(_) | Kind::File(_) = &self.source {
            return Ok((self.shape()?, Vec::new()));
        }
        let open = Open(self);
        let traced = Traced::new(&open);
        let of_one = Shape::of(&traced)?;
        let shape = if self.instances.is_some() { self.shape()? } else { of_one };
        let outputs = traced.found().map(|found| &found.outputs);
        let constant = outputs.into_iter().flatten().filter(|(_, private)| !**private);
        let names = constant.map(|(port, _)| &self.outputs()[*port as usize].name);
        let warn = |name: &String| format!("output {name} depends on no input: it is constant");
        Ok((shape, names.filter(|name| !name.contains('@')).map(warn).collect()))
    }
}
