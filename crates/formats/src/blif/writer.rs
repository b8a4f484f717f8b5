//! BLIF, written: a table for each gate.

use crate::netlist::{Literal, Logic, Names};
use std::io::{self, Write};
use volery_channel::error::{Error, Result};

/// Writes a circuit without latches. What it demands is one output more, behind the others and only where
/// there is such a demand: all its bits have to be zero.
///
/// # Errors
/// `Invalid` where `out` takes no more.
pub(crate) fn write(out: &mut dyn Write, logic: &Logic) -> Result<()> {
    let written = write_all(&mut io::BufWriter::new(out), logic);
    written.map_err(|why| Error::invalid(format!("the circuit cannot be written: {why}")))
}

fn write_all(out: &mut dyn Write, logic: &Logic) -> io::Result<()> {
    let names = || logic.input_names.values().chain(logic.output_names.values());
    // What no port is called.
    let fresh = |word: &str| {
        let mut word = word.to_owned();
        while names().any(|name| name.starts_with(&word)) {
            word.push('_');
        }
        word
    };
    let (inner, asserted) = (fresh("n"), fresh("asserted"));
    let input = |number: u32| &logic.input_names[&number];
    let signal = |literal: Literal| match literal.node() {
        0 => format!("{inner}0"),
        node if node <= logic.inputs => input(node - 1).clone(),
        node => format!("{inner}{node}"),
    };
    let list = |out: &mut dyn Write, word: &str, names: &Names, more: &[String]| {
        write!(out, "{word}")?;
        names.values().chain(more).try_for_each(|name| write!(out, " {name}"))?;
        writeln!(out)
    };
    let demands = 0..logic.constraints.len();
    let demands: Vec<String> = demands.map(|number| format!("{asserted}[{number}]")).collect();
    writeln!(out, ".model circuit")?;
    list(out, ".inputs", &logic.input_names, &[])?;
    list(out, ".outputs", &logic.output_names, &demands)?;
    let ends = logic.outputs.iter().chain(&logic.constraints);
    if ends.clone().any(|end| end.is_constant()) {
        writeln!(out, ".names {inner}0")?;
    }
    for (node, gate) in (logic.first_gate()..).zip(&logic.gates) {
        let [a, b] = gate.operands();
        writeln!(out, ".names {} {} {inner}{node}", signal(a), signal(b))?;
        let [x, y] = [a, b].map(|operand| u8::from(!operand.negated()));
        if gate.is_xor() {
            writeln!(out, "{x}{} 1\n{}{y} 1", 1 - y, 1 - x)?;
        } else {
            writeln!(out, "{x}{y} 1")?;
        }
    }
    let demanded = logic.constraints.iter().map(|literal| literal.flip(true)).zip(&demands);
    for (literal, name) in logic.outputs.iter().copied().zip(logic.output_names.values()).chain(demanded) {
        writeln!(out, ".names {} {name}\n{} 1", signal(literal), u8::from(!literal.negated()))?;
    }
    writeln!(out, ".end")?;
    out.flush()
}
