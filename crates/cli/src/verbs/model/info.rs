//! `model info`: what a network is, and what a proof of it takes. Names are those of whoever made the file.

use super::{described, open, read};
use crate::verbs::args::ModelInfo;
use serde_json::{Map, Value, json};
use volery_cli::failure::{Result, one_line};
use volery_cli::print::{self, grouped, hex, table, things};
use volery_onnx::{Counts, Info, Kind, LayerInfo, Network, Quantity, Weight};

/// The public constants that are listed, where nobody asks for JSON.
const LISTED: usize = 16;

/// `volery model info`.
pub(crate) fn info(typed: &ModelInfo) -> Result<()> {
    let file = read(&typed.network)?;
    let network = open(&typed.network, &file)?;
    let name = typed.network.display().to_string();
    let info = network.info();
    let publics = publics(&network)?;
    if typed.json {
        return print::json(&json(&name, &network, &info, &publics));
    }
    let mut text = table(&rows(&name, &network, &info, &publics));
    if typed.layers {
        text += "\n\n";
        text += &layers(&info.layers);
    }
    print::result(text)
}

/// A public constant, with its value where it is one number.
struct Public<'n> {
    tensor: &'n Quantity<'n>,
    value: Option<f64>,
}

/// The public constants, each once.
fn publics<'n>(network: &'n Network<'n>) -> Result<Vec<Public<'n>>> {
    let mut publics: Vec<Public<'_>> = vec![];
    for (i, tensor) in network.tensors.iter().enumerate() {
        let is_known = publics.iter().any(|public| public.tensor.name == tensor.name);
        let Some(entries) = network.public_entries(i)?.filter(|_| !is_known) else { continue };
        let unit = f64::from(-tensor.exponent).exp2();
        let value = if let [entry] = entries[..] { Some(entry as f64 * unit) } else { None };
        publics.push(Public { tensor, value });
    }
    Ok(publics)
}

fn ports<'n>(network: &'n Network<'_>, places: &'n [usize]) -> impl Iterator<Item = &'n Quantity<'n>> {
    places.iter().map(|&place| &network.tensors[place])
}

fn counts(counts: &Counts) -> Map<String, Value> {
    let Counts { sums, products, terms, roundings, lookups, maxima, elements, ranges } = *counts;
    let all = json!({
        "sums": sums,
        "products": products,
        "terms": terms,
        "roundings": roundings,
        "lookups": lookups,
        "maxima": maxima,
        "elements": elements,
        "ranges": ranges,
    });
    let Value::Object(all) = all else { unreachable!("an object") };
    all
}

fn json(name: &str, network: &Network<'_>, info: &Info, publics: &[Public<'_>]) -> Value {
    let port = |tensor: &Quantity<'_>| match tensor.kind {
        Kind::Index => json!({"name": tensor.name, "shape": tensor.shape, "index": true}),
        _ => json!({"name": tensor.name, "shape": tensor.shape, "exponent": tensor.exponent}),
    };
    let layer = |layer: &LayerInfo| {
        let mut object = json!({
            "name": layer.name,
            "operator": layer.operator,
            "shape": layer.shape,
            "exponent": layer.exponent,
            "bits": layer.bits,
        });
        let Value::Object(object) = &mut object else { unreachable!("an object") };
        object.append(&mut counts(&layer.counts));
        Value::Object(object.clone())
    };
    let weight = |Weight { name, at, count, bits, .. }: &Weight<'_>| json!({"name": name, "at": at, "count": count, "bits": bits});
    let public = |Public { tensor, value }: &Public<'_>| json!({"name": tensor.name, "shape": tensor.shape, "exponent": tensor.exponent, "value": value});
    let lookups = |name: &str| info.tables.get(name).copied().unwrap_or(0);
    let tables = network.tables.iter();
    let tables = tables
        .map(|table| json!({"name": table.name, "rows": table.values.len(), "lookups": lookups(table.name)}));
    let operators = info.operators.iter().map(|(name, of)| (name.clone(), Value::Object(counts(of))));
    json!({
        "network": name,
        "identity": hex(&network.identity()),
        "weights_apart": network.lacks_weights(),
        "inputs": ports(network, &network.inputs).map(port).collect::<Vec<_>>(),
        "outputs": ports(network, &network.outputs).map(port).collect::<Vec<_>>(),
        "total": counts(&info.total),
        "rows": info.rows,
        "operators": operators.collect::<Map<_, _>>(),
        "tables": tables.collect::<Vec<_>>(),
        "public": publics.iter().map(public).collect::<Vec<_>>(),
        "weights": network.weights().iter().map(weight).collect::<Vec<_>>(),
        "layers": info.layers.iter().map(layer).collect::<Vec<_>>(),
    })
}

fn rows(
    name: &str,
    network: &Network<'_>,
    info: &Info,
    publics: &[Public<'_>],
) -> Vec<(&'static str, String)> {
    let ports = |places| ports(network, places).map(described).collect::<Vec<_>>().join(", ");
    let Counts { sums, products, roundings, lookups, maxima, elements, ranges, .. } = info.total;
    let [sums, products, roundings, maxima] = [sums, products, roundings, maxima].map(grouped);
    let mut rows = vec![
        ("network", one_line(name)),
        ("identity", hex(&network.identity())),
        ("inputs", ports(&network.inputs)),
        ("outputs", ports(&network.outputs)),
        ("layers", operators(info)),
        ("computes", format!("{sums} sums of {products} products, {roundings} roundings, {maxima} maxima")),
        ("tables", tables(network, info)),
        ("public", constants(publics)),
        ("weights", weights(network)),
        (
            "takes",
            format!(
                "{}, {} of 16 bits and {}, and {} of tables",
                things(elements, "element"),
                things(ranges, "range"),
                things(lookups, "lookup"),
                things(info.rows, "row")
            ),
        ),
    ];
    rows.retain(|(_, text)| !text.is_empty());
    rows
}

/// Layers by their operators.
fn operators(info: &Info) -> String {
    let mut operators: Vec<(&str, u64)> = vec![];
    for LayerInfo { operator, .. } in &info.layers {
        match operators.iter_mut().find(|(name, _)| name == operator) {
            Some((_, count)) => *count += 1,
            None => operators.push((operator, 1)),
        }
    }
    let operators = operators.iter().map(|(name, count)| format!("{} {}", grouped(*count), one_line(name)));
    operators.collect::<Vec<_>>().join(", ")
}

fn tables(network: &Network<'_>, info: &Info) -> String {
    let of = |name: &str| info.tables.get(name).copied().unwrap_or(0);
    let tables = network.tables.iter().map(|table| {
        let rows = things(table.values.len() as u64, "row");
        format!("{} ({rows}, {})", one_line(table.name), things(of(table.name), "lookup"))
    });
    tables.collect::<Vec<_>>().join(", ")
}

fn constants(publics: &[Public<'_>]) -> String {
    let constant = |Public { tensor, value }: &Public<'_>| {
        let name = one_line(tensor.name);
        value.map_or_else(|| format!("{name} of {:?}", tensor.shape), |value| format!("{name} = {value}"))
    };
    let mut listed: Vec<_> = publics.iter().take(LISTED).map(constant).collect();
    if publics.len() > LISTED {
        listed.push(format!("and {} more, which --json lists", grouped((publics.len() - LISTED) as u64)));
    }
    listed.join(", ")
}

/// Weights by their bits.
fn weights(network: &Network<'_>) -> String {
    let place = if network.lacks_weights() { "apart from this file" } else { "in this file" };
    let of_bits = [8, 16, 24, 32].into_iter().filter_map(|bits| {
        let of = network.weights().iter().filter(|weight| weight.bits == bits);
        let count: usize = of.map(|weight| weight.count).sum();
        (count > 0).then(|| format!("{} of {bits} bits", grouped(count as u64)))
    });
    let of_bits: Vec<_> = of_bits.collect();
    if of_bits.is_empty() { "none".into() } else { format!("{}, {place}", of_bits.join(", ")) }
}

/// The layers as a table.
fn layers(layers: &[LayerInfo]) -> String {
    let mut lines = vec![
        ["layer", "operator", "shape", "2^e", "bits", "sums", "elements", "ranges", "lookups"]
            .map(String::from)
            .to_vec(),
    ];
    for LayerInfo { name, operator, shape, exponent, bits, counts } in layers {
        let Counts { sums, elements, ranges, lookups, .. } = *counts;
        let first = [
            one_line(name),
            one_line(operator),
            format!("{shape:?}"),
            exponent.to_string(),
            bits.to_string(),
        ];
        lines.push(first.into_iter().chain([sums, elements, ranges, lookups].map(grouped)).collect());
    }
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|i| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0))
        .collect();
    let line = |line: &Vec<String>| {
        // Names on the left, numbers on the right.
        let cells = line.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| match i {
            0..3 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
