//! One run of a Python function: the end of the tape that the caller's thread writes.

use crate::built::{AnyBuilt, Facts};
use crate::errors::{invalid, stop};
use crate::kinds::Kind;
use crate::run::wire::Wire;
use crate::session::{POLL, Watch};
use crate::tape::{BATCH, Id, Name, Op, Tape};
use crate::values;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The runs of this thread, the innermost last.
    static CURRENT: RefCell<Vec<Arc<Pass>>> = const { RefCell::new(Vec::new()) };
}

/// A run that is written.
pub(crate) struct Pass {
    tape: Arc<Tape>,
    watch: Arc<Watch>,
    pub(crate) facts: Facts,
    writer: Mutex<Writer>,
    /// The shard that it is, where the statement falls into some.
    shard: Option<usize>,
    private: Option<Private>,
}

/// The private values, where they are taken up in this run.
pub(crate) struct Private {
    pub(crate) values: Py<PyDict>,
    pub(crate) built: Arc<dyn AnyBuilt>,
}

struct Writer {
    batch: Vec<Op>,
    free: Vec<Id>,
    next: Id,
    open: bool,
    /// The names that were asked for.
    named: Vec<String>,
    /// The file of the code that asserted last.
    file: Option<(Py<PyAny>, Arc<str>)>,
}

impl Pass {
    pub(crate) fn new(
        tape: Arc<Tape>,
        watch: Arc<Watch>,
        facts: Facts,
        (shard, private): (Option<usize>, Option<Private>),
    ) -> Arc<Self> {
        let writer = Writer {
            batch: Vec::with_capacity(BATCH),
            free: Vec::new(),
            next: 0,
            open: true,
            named: Vec::new(),
            file: None,
        };
        Arc::new(Self { tape, watch, facts, writer: Mutex::new(writer), shard, private })
    }

    /// The run under way.
    ///
    /// # Errors
    /// Where no function runs on this thread.
    pub(crate) fn current() -> PyResult<Arc<Self>> {
        let current = CURRENT.with_borrow(|passes| passes.last().cloned());
        current.ok_or_else(|| {
            PyRuntimeError::new_err("there are wires only while the function of a volery.circuit runs")
        })
    }

    /// Has `function` write this run.
    ///
    /// # Errors
    /// What it raises.
    pub(crate) fn run(
        self: &Arc<Self>,
        py: Python<'_>,
        function: impl FnOnce(&Arc<Self>) -> PyResult<()>,
    ) -> PyResult<()> {
        CURRENT.with_borrow_mut(|passes| passes.push(self.clone()));
        let ran = function(self);
        CURRENT.with_borrow_mut(|passes| passes.pop());
        let ended = ran.and_then(|()| self.unused(py)).and_then(|()| self.flush(py));
        self.writer().open = false;
        self.tape.end(if ended.is_ok() { Ok(()) } else { Err(()) });
        ended
    }

    /// Refuses private values that the function has not asked for.
    fn unused(&self, py: Python<'_>) -> PyResult<()> {
        let Some(private) = &self.private else { return Ok(()) };
        let writer = self.writer();
        for key in private.values.bind(py).keys() {
            let key: String = key.extract()?;
            if !writer.named.contains(&key) {
                let known = if writer.named.is_empty() { "none".into() } else { writer.named.join(", ") };
                let place = self.shard.map_or(String::new(), |shard| format!(" in shard {shard}"));
                return Err(invalid(format!(
                    "the function has no private input {key}{place}; private are {known}"
                )));
            }
        }
        Ok(())
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the operation that `make` makes of the name of its result.
    ///
    /// # Errors
    /// Where the run is over, or nobody reads on.
    pub(crate) fn emit(
        self: &Arc<Self>,
        py: Python<'_>,
        kind: Kind,
        make: impl FnOnce(Id) -> Op,
    ) -> PyResult<Wire> {
        let mut writer = self.writer();
        if !writer.open {
            return Err(over());
        }
        let id = writer.free.pop().unwrap_or_else(|| {
            writer.next += 1;
            writer.next - 1
        });
        writer.batch.push(make(id));
        let full = writer.batch.len() >= BATCH;
        drop(writer);
        let wire = Wire::new(self.clone(), id, kind);
        if full {
            self.flush(py)?;
        }
        Ok(wire)
    }

    /// Writes an operation without a result.
    ///
    /// # Errors
    /// As for [`Pass::emit`].
    pub(crate) fn push(&self, py: Python<'_>, op: Op) -> PyResult<()> {
        let mut writer = self.writer();
        if !writer.open {
            return Err(over());
        }
        writer.batch.push(op);
        let full = writer.batch.len() >= BATCH;
        drop(writer);
        if full { self.flush(py) } else { Ok(()) }
    }

    /// A name for what is no value, such as a memory.
    pub(crate) fn take_name(&self) -> Id {
        let mut writer = self.writer();
        writer.next += 1;
        writer.next - 1
    }

    /// Notes that a value has died. It is sent with the next operation.
    pub(crate) fn release(&self, id: Id) {
        let mut writer = self.writer();
        if writer.open {
            writer.batch.push(Op::Drop { id });
            writer.free.push(id);
        }
    }

    /// A memory has died.
    pub(crate) fn close(&self, memory: Id) {
        let mut writer = self.writer();
        if writer.open {
            writer.batch.push(Op::Close { memory });
        }
    }

    /// Sends the operations so far.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let mut batch = std::mem::replace(&mut self.writer().batch, Vec::with_capacity(BATCH));
        loop {
            self.watch.look(py)?;
            match py.detach(|| self.tape.write(batch, POLL)) {
                Ok(None) => return Ok(()),
                Ok(Some(back)) => batch = back,
                Err(_closed) => {
                    self.writer().open = false;
                    return Err(stop());
                }
            }
        }
    }

    /// The private input called `name`.
    ///
    /// # Errors
    /// Where there are two of this name; where the value is missing, or of another kind.
    pub(crate) fn witness(self: &Arc<Self>, py: Python<'_>, name: &str, kind: &Kind) -> PyResult<Wire> {
        self.check_field(kind)?;
        {
            let mut writer = self.writer();
            if writer.named.iter().any(|other| other == name) {
                return Err(invalid(format!("there are two private inputs called {name}")));
            }
            writer.named.push(name.into());
        }
        if let Some(Private { values: given, built }) = &self.private {
            let value = given.bind(py).get_item(name)?.ok_or_else(|| {
                invalid(match self.shard {
                    None => format!("{name} has no value: give one, private={{\"{name}\": …}}"),
                    Some(shard) => format!(
                        "{name} has no value in shard {shard}: give one, private={{{shard}: {{\"{name}\": …}}}}"
                    ),
                })
            })?;
            let numbers = values::numbers(&value, kind, self.facts, name)?;
            let added = built.add_to_witness(self.shard.unwrap_or(0), &numbers, kind.lane().size());
            added.map_err(|why| invalid(format!("{name}: {why}")))?;
        }
        self.emit(py, kind.clone(), |out| Op::Witness { out, count: kind.size() })
    }

    /// A public value.
    ///
    /// # Errors
    /// Where it is not of the kind.
    pub(crate) fn constant(self: &Arc<Self>, value: &Bound<'_, PyAny>, kind: &Kind) -> PyResult<Wire> {
        self.check_field(kind)?;
        let numbers = values::numbers(value, kind, self.facts, "the value")?;
        let width = kind.lane().size();
        self.emit(value.py(), kind.clone(), |out| match numbers[..] {
            [value] => Op::Number { out, value, width },
            _ => Op::Numbers { out, values: numbers.as_slice().into(), width },
        })
    }

    /// Refuses kinds of another field.
    ///
    /// # Errors
    /// Where it is one.
    pub(crate) fn check_field(&self, kind: &Kind) -> PyResult<()> {
        if kind.is_of_bits() == self.facts.boolean {
            return Ok(());
        }
        let name = self.facts.name;
        Err(pyo3::exceptions::PyTypeError::new_err(if self.facts.boolean {
            format!("{kind} in a circuit over {name}: an Element is of a larger field, such as f61")
        } else {
            format!("{kind} in a circuit over {name}: bits and words are of f2, and elements of {name}")
        }))
    }

    /// The name of an assertion that is made now, with the line of Python that makes it.
    ///
    /// # Errors
    /// Those of the interpreter.
    pub(crate) fn name(&self, py: Python<'_>, text: Option<&str>) -> PyResult<Name> {
        static FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        // What is compiled has no frame of its own.
        let frame = FRAME.import(py, "sys", "_getframe")?.call0()?;
        let line = frame.getattr("f_lineno")?.extract::<Option<u32>>()?.unwrap_or(0);
        let code = frame.getattr("f_code")?;
        let known = {
            let writer = self.writer();
            writer.file.as_ref().filter(|(last, _)| last.is(&code)).map(|(_, file)| file.clone())
        };
        let file = match known {
            Some(file) => file,
            None => {
                let file: Arc<str> = code.getattr("co_filename")?.extract::<String>()?.into();
                let before = self.writer().file.replace((code.unbind(), file.clone()));
                drop(before);
                file
            }
        };
        Ok(Name { text: text.map(Into::into), file, line, shard: self.shard })
    }
}

/// The error of a value that is kept beyond its run.
fn over() -> PyErr {
    PyRuntimeError::new_err("this value is of a run that is over: nothing of one is kept for the next")
}
