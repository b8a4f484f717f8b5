//! Runs of a function as they are asked for: with the values that come in to a shard, and those that go out.

use crate::built::AnyBuilt;
use crate::run::pass::{Pass, Private};
use crate::run::wire::Wire;
use crate::session::Watch;
use crate::tape::{Op, Tape};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Arc;

/// A function, and where its private values come from.
pub(crate) struct Runs<'py> {
    function: Bound<'py, PyAny>,
    /// Gives those of a shard, a dictionary; `None` where nobody knows them.
    private: Option<Bound<'py, PyAny>>,
    built: Arc<dyn AnyBuilt>,
    /// The shards whose private values were taken up, in the first run for each.
    known: Vec<bool>,
}

impl<'py> Runs<'py> {
    /// Runs of `function`, which takes the number of a shard and a list of the values that come in, and gives
    /// a list of those that go out.
    pub(crate) fn new(
        function: Bound<'py, PyAny>,
        private: Option<Bound<'py, PyAny>>,
        built: Arc<dyn AnyBuilt>,
    ) -> Self {
        Self { function, private, built, known: Vec::new() }
    }

    /// Makes the function write the run of a shard.
    ///
    /// # Errors
    /// What it raises, and what `private` does.
    pub(crate) fn run(
        &mut self,
        py: Python<'py>,
        tape: Arc<Tape>,
        shard: usize,
        watch: Arc<Watch>,
    ) -> PyResult<()> {
        let private = match self.private(shard) {
            Ok(private) => private,
            Err(why) => {
                tape.end(Err(()));
                return Err(why);
            }
        };
        let parts = self.built.parts();
        let pass = Pass::new(tape, watch, self.built.facts(), (parts.number(shard), private));
        pass.run(py, |pass| {
            let incoming = PyList::empty(py);
            let mut start = 0;
            for kind in parts.takes(shard) {
                let count = kind.size();
                let wire = pass.emit(py, kind.clone(), |out| Op::Incoming { out, start, count })?;
                incoming.append(Py::new(py, wire)?)?;
                start += count;
            }
            let given = self.function.call1((shard, incoming))?;
            let kinds = parts.gives(shard);
            let given: Vec<Bound<'_, PyAny>> = given.extract()?;
            if given.len() != kinds.len() || kinds.is_empty() {
                // As many as are announced, which Python sees to.
                return Ok(());
            }
            let wires = given
                .iter()
                .zip(kinds)
                .map(|(value, kind)| Wire::exactly(pass, value, kind, &format!("what shard {shard} gives")));
            let wires = wires.collect::<PyResult<Vec<_>>>()?;
            pass.push(py, Op::Outgoing { parts: wires.iter().map(|wire| wire.id).collect() })
        })
    }

    /// The private values, where this run is to take them up.
    fn private(&mut self, shard: usize) -> PyResult<Option<Private>> {
        let Some(private) = &self.private else { return Ok(None) };
        if self.known.len() <= shard {
            self.known.resize(shard + 1, false);
        }
        if std::mem::replace(&mut self.known[shard], true) {
            return Ok(None);
        }
        let values = private.call1((shard,))?.cast_into::<PyDict>()?.unbind();
        Ok(Some(Private { values, built: self.built.clone() }))
    }
}
