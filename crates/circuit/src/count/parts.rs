//! The order of polynomials in a part of a statement that is run again and again, for their account.

use super::Shape;
use crate::accounting::Accounting;
use std::sync::Arc;

/// The polynomials of a part of a statement, as events. A part without polynomials has no events.
#[derive(Default)]
pub(crate) struct Part {
    /// The events in order, each with the number of values committed to between the event before and it.
    events: Vec<(u64, Event)>,
    /// The number of values behind the last event.
    rest: u64,
    /// The number of values so far, when the last event came.
    marked: u64,
}

enum Event {
    /// Lanes and their degree.
    Polynomials(usize, usize),
    /// An assertion on a bilinear form of so many entries.
    Products(u64),
    Part(Arc<Part>),
}

impl Part {
    /// Tells `accounting` of all of it.
    pub(crate) fn account<F>(&self, accounting: &mut dyn Accounting<F>) {
        for (values, event) in &self.events {
            accounting.commit(*values);
            match event {
                Event::Polynomials(lanes, degree) => accounting.polynomials(*lanes, *degree),
                Event::Products(entries) => accounting.products(*entries),
                Event::Part(part) => part.account(accounting),
            }
        }
        accounting.commit(self.rest);
    }

    fn push(&mut self, shape: &Shape, event: Event) {
        let values = shape.size().commitments;
        self.events.push((values - self.marked, event));
        self.marked = values;
    }

    /// Notes polynomials, after all that `shape` counts of this part.
    pub(crate) fn polynomials(&mut self, shape: &Shape, lanes: usize, degree: usize) {
        self.push(shape, Event::Polynomials(lanes, degree));
    }

    /// Notes an assertion on a bilinear form of so many entries.
    pub(crate) fn products(&mut self, shape: &Shape, entries: u64) {
        self.push(shape, Event::Products(entries));
    }

    /// Notes a `part`, whose own shape is `adds`, after all that `shape` counts of this part.
    pub(crate) fn part(&mut self, shape: &Shape, part: &Arc<Self>, adds: &Shape) {
        if !part.events.is_empty() {
            self.push(shape, Event::Part(part.clone()));
            self.marked += adds.size().commitments;
        }
    }

    /// Ends the part, which has this shape.
    pub(crate) fn end(mut self, shape: &Shape) -> Self {
        self.rest = shape.size().commitments - self.marked;
        self
    }
}
