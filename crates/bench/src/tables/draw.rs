//! Lines with their points, drawn as SVG.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use std::ops::Range;
use volery_cli::failure::{Failure, Fault, Result};

/// The size of the picture, in pixels.
const SIZE: (u32, u32) = (960, 600);
const FONT: (&str, u32) = ("sans-serif", 16);
/// The height of a row of the legend, in pixels.
const ROW: i32 = 22;

/// Colours that differ for the colour-blind, too.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 80, 66),
];

/// A direction of the picture.
pub(super) struct Axis {
    pub(super) name: &'static str,
    pub(super) logarithmic: bool,
    /// The text beside a value.
    pub(super) label: fn(f64) -> String,
}

/// Points and the line through them.
pub(super) struct Curve {
    label: String,
    /// The points by their first coordinate.
    pub(super) points: Vec<(f64, f64)>,
    /// Whether its points are hollow, and the line is broken.
    pub(super) broken: bool,
}

impl Curve {
    pub(super) fn new(label: String, points: impl Iterator<Item = (f64, f64)>, broken: bool) -> Self {
        let mut points: Vec<_> = points.collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points.dedup_by_key(|(x, _)| *x);
        Self { label, points, broken }
    }
}

/// A picture of `lines`, which have points, those on logarithmic axes above 0.
pub(super) fn svg(title: &str, x: &Axis, y: &Axis, lines: &[Curve]) -> Result<String> {
    let mut text = String::new();
    draw(&mut text, title, x, y, lines)
        .map_err(|why| Failure::new(Fault::Bug, format_args!("{title}: not drawn: {why}")))?;
    Ok(text)
}

fn draw(
    text: &mut String,
    title: &str,
    x: &Axis,
    y: &Axis,
    lines: &[Curve],
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    // The legend stands below, where it hides no points.
    let (area, legend) = area.split_vertically(SIZE.1 as i32 - ROW * lines.len() as i32 - 16);
    for (i, (line, colour)) in lines.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let (stroke, middle) = (colour.stroke_width(2), ROW * i as i32 + ROW / 2);
        let point = if line.broken { stroke } else { colour.filled() };
        legend.draw(&PathElement::new([(96, middle), (120, middle)], stroke))?;
        legend.draw(&Circle::new((108, middle), 4, point))?;
        legend.draw(&Text::new(line.label.as_str(), (132, middle - ROW / 2 + 3), FONT))?;
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    let xs: Vec<f64> = points().map(|(value, _)| x.place(*value)).collect();
    let ys: Vec<f64> = points().map(|(_, value)| y.place(*value)).collect();
    // The horizontal axis is marked where there are points, the vertical one at round values.
    let across = around(&xs, 0.05);
    let up = y.range(&ys);
    let mut chart = ChartBuilder::on(&area)
        .caption(title, (FONT.0, 22))
        .margin(16)
        .margin_right(48)
        .x_label_area_size(56)
        .y_label_area_size(96)
        .build_cartesian_2d(
            Scale { marks: apart(&xs, &across), places: across },
            Scale { marks: y.marks(&up), places: up },
        )?;
    chart
        .configure_mesh()
        .bold_line_style(RGBColor(221, 221, 221))
        .light_line_style(TRANSPARENT)
        .label_style(FONT)
        .axis_desc_style(FONT)
        .x_desc(x.name)
        .y_desc(y.name)
        .x_label_formatter(&|place| x.text(*place))
        .y_label_formatter(&|place| y.text(*place))
        .draw()?;
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let places = || line.points.iter().map(|(a, b)| (x.place(*a), y.place(*b)));
        let stroke = colour.stroke_width(2);
        let point = if line.broken { stroke } else { colour.filled() };
        chart.draw_series(places().map(|place| Circle::new(place, 4, point)))?;
        if line.broken {
            chart.draw_series(DashedLineSeries::new(places(), 6, 5, stroke))?;
        } else {
            chart.draw_series(LineSeries::new(places(), stroke))?;
        }
    }
    area.present()?;
    Ok(())
}

/// The range from the least to the greatest, and this share of that on both sides.
fn around(places: &[f64], share: f64) -> Range<f64> {
    let least = places.iter().copied().fold(f64::INFINITY, f64::min);
    let most = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let room = if most > least { share * (most - least) } else { 0.5 };
    least - room..most + room
}

/// The places in order, without those that would be marked too close to one before.
fn apart(places: &[f64], range: &Range<f64>) -> Vec<f64> {
    let mut marks = places.to_vec();
    marks.sort_by(f64::total_cmp);
    marks.dedup_by(|next, mark| *next - *mark < 0.03 * (range.end - range.start));
    marks
}

impl Axis {
    /// The place of a value.
    fn place(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    fn text(&self, place: f64) -> String {
        let value = if self.logarithmic { 10_f64.powf(place) } else { place };
        // What the logarithm has taken from a round value is given back.
        (self.label)(format!("{value:.5e}").parse().unwrap_or(value))
    }

    /// The range of the places shown: a decade at least where it is logarithmic.
    fn range(&self, places: &[f64]) -> Range<f64> {
        let range = around(places, 0.15);
        let short = if self.logarithmic { (1.0 - (range.end - range.start)).max(0.0) } else { 0.0 };
        range.start - short / 2.0..range.end + short / 2.0
    }

    /// Round values in the range, as places.
    fn marks(&self, range: &Range<f64>) -> Vec<f64> {
        let steps: &[f64] = if range.end - range.start > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let decades = range.start.floor() as i32..=range.end.ceil() as i32;
        let marks = decades.flat_map(|decade| steps.iter().map(move |step| f64::from(decade) + step.log10()));
        marks.filter(|mark| range.contains(mark)).collect()
    }
}

/// Places in a row, and where the marks are.
struct Scale {
    places: Range<f64>,
    marks: Vec<f64>,
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (place - self.places.start) / (self.places.end - self.places.start);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.marks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.places.clone()
    }
}
