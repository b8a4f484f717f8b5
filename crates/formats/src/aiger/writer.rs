//! AIGER, written: an XOR as three ANDs, of which the reader finds it again.

use super::Logic;
use crate::netlist::Literal;
use std::io::{self, Write};
use volery_channel::error::{Error, Result};

/// Writes a circuit without latches, in text or in bytes.
///
/// # Errors
/// `Invalid` where it is too large, and where `out` takes no more.
pub(crate) fn write(out: &mut dyn Write, logic: &Logic, text: bool) -> Result<()> {
    let first = u64::from(logic.first_gate());
    // The literal of each node in the file.
    let mut literals: Vec<u32> = (0..first as u32).map(|leaf| 2 * leaf).collect();
    literals.reserve_exact(logic.gates.len());
    let mut variables = first - 1;
    for gate in &logic.gates {
        variables += if gate.is_xor() { 3 } else { 1 };
        if variables >= 1 << 31 {
            return Err(Error::invalid("the circuit has 2^31 ANDs or more, which is too much for AIGER"));
        }
        literals.push(2 * variables as u32);
    }
    let written = write_all(&mut io::BufWriter::new(out), logic, text, &literals, variables);
    written.map_err(|why| Error::invalid(format!("the circuit cannot be written: {why}")))
}

fn write_all(
    out: &mut dyn Write,
    logic: &Logic,
    text: bool,
    literals: &[u32],
    variables: u64,
) -> io::Result<()> {
    let of = |literal: Literal| literals[literal.node() as usize] ^ u32::from(literal.negated());
    let (inputs, outputs) = (logic.inputs, logic.outputs.len());
    let kind = if text { "aag" } else { "aig" };
    write!(out, "{kind} {variables} {inputs} 0 {outputs} {}", variables - u64::from(inputs))?;
    if !logic.constraints.is_empty() {
        write!(out, " 0 {}", logic.constraints.len())?;
    }
    writeln!(out)?;
    if text {
        (1..=inputs).try_for_each(|input| writeln!(out, "{}", 2 * input))?;
    }
    for literal in logic.outputs.iter().chain(&logic.constraints) {
        writeln!(out, "{}", of(*literal))?;
    }
    let mut own = 2 * inputs;
    for gate in &logic.gates {
        let [a, b] = gate.operands().map(of);
        and(out, text, &mut own, a, b)?;
        if gate.is_xor() {
            and(out, text, &mut own, a ^ 1, b ^ 1)?;
            let neither = own ^ 1;
            and(out, text, &mut own, neither, neither - 2)?;
        }
    }
    for (kind, names) in [("i", &logic.input_names), ("o", &logic.output_names)] {
        names.iter().try_for_each(|(number, name)| writeln!(out, "{kind}{number} {name}"))?;
    }
    out.flush()
}

/// Writes the next AND, and counts its literal up.
fn and(out: &mut dyn Write, text: bool, own: &mut u32, a: u32, b: u32) -> io::Result<()> {
    *own += 2;
    let (high, low) = (a.max(b), a.min(b));
    if text {
        return writeln!(out, "{own} {high} {low}");
    }
    for mut difference in [*own - high, high - low] {
        while difference >= 128 {
            out.write_all(&[difference as u8 | 128])?;
            difference >>= 7;
        }
        out.write_all(&[difference as u8])?;
    }
    Ok(())
}
