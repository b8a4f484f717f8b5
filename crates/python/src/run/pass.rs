//! One run of a Python function: the end of the tape that the caller's thread writes.

use crate::built::{AnyBuilt, Facts};
use crate::errors::{invalid, stop};
use crate::kinds::Kind;
use crate::run::inputs::Input;
use crate::run::types::sized;
use crate::run::wire::Wire;
use crate::session::{POLL, Watch};
use crate::tape::{BATCH, Id, Mapped, Name, Op, Tape};
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

/// A run that is written: by the function of the statement, or within it by one on lanes, whose values are its own.
#[derive(Clone)]
pub(crate) struct Pass {
    tape: Arc<Tape>,
    watch: Arc<Watch>,
    pub(crate) facts: Facts,
    writer: Arc<Mutex<Writer>>,
    /// The shard that it is, where the statement falls into some.
    shard: Option<usize>,
    private: Option<Arc<Private>>,
    /// The number of the map whose function it is; 0 for that of the statement.
    map: u32,
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
    /// The maps that are open, the innermost last, and how many there were.
    maps: Vec<OpenMap>,
    opened: u32,
    /// The file of the code that asserted last.
    file: Option<(Py<PyAny>, Arc<str>)>,
}

/// A map whose function runs.
struct OpenMap {
    number: u32,
    lanes: u32,
    /// The private inputs that the function has asked for.
    inputs: Vec<Input>,
    /// The ends of values and memories of around it, for when it is over.
    ended: Vec<Op>,
}

impl Writer {
    /// The number of the map whose function writes now.
    fn now(&self) -> u32 {
        self.maps.last().map_or(0, |map| map.number)
    }

    /// Whether the function of this map runs, or one within it.
    fn runs(&self, map: u32) -> bool {
        map == 0 || self.maps.iter().any(|open| open.number == map)
    }

    /// Writes the end of a value or a memory of this map, once that is what is written.
    fn end(&mut self, map: u32, op: Op) {
        let outside = if map == 0 {
            Some(0)
        } else {
            self.maps.iter().position(|open| open.number == map).map(|at| at + 1)
        };
        match outside {
            Some(depth) if depth < self.maps.len() => self.maps[depth].ended.push(op),
            Some(_) => self.end_now(op),
            // What was left of the map ended with it.
            None => self.free_of(&op),
        }
    }

    fn end_now(&mut self, op: Op) {
        self.free_of(&op);
        self.batch.push(op);
    }

    fn free_of(&mut self, op: &Op) {
        if let Op::Drop { id } = op {
            self.free.push(*id);
        }
    }

    fn take_id(&mut self) -> Id {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }
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
            maps: Vec::new(),
            opened: 0,
            file: None,
        };
        let (writer, private) = (Arc::new(Mutex::new(writer)), private.map(Arc::new));
        Arc::new(Self { tape, watch, facts, writer, shard, private, map: 0 })
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
        let ended =
            self.enter(|| function(self)).and_then(|()| self.unused(py)).and_then(|()| self.flush(py));
        self.writer().open = false;
        self.tape.end(if ended.is_ok() { Ok(()) } else { Err(()) });
        ended
    }

    /// Makes this the run under way while `function` runs.
    pub(crate) fn enter<T>(self: &Arc<Self>, function: impl FnOnce() -> T) -> T {
        CURRENT.with_borrow_mut(|passes| passes.push(self.clone()));
        let made = function();
        CURRENT.with_borrow_mut(|passes| passes.pop());
        made
    }

    /// The function of this run that runs now.
    ///
    /// # Errors
    /// Where none of this run does.
    pub(crate) fn now(&self) -> PyResult<Arc<Self>> {
        let now = Self::current()?;
        if Arc::ptr_eq(&self.writer, &now.writer) { Ok(now) } else { Err(another()) }
    }

    /// Demands that values of this and of `other` are of one function that runs.
    ///
    /// # Errors
    /// Where they are not.
    pub(crate) fn beside(&self, other: &Self) -> PyResult<()> {
        if !Arc::ptr_eq(&self.writer, &other.writer) {
            return Err(another());
        }
        if self.map == other.map {
            // Whether it runs shows where the operation is written.
            return Ok(());
        }
        [self, other].into_iter().try_for_each(|pass| pass.writing().map(drop))
    }

    /// Refuses `what` in a function on lanes.
    ///
    /// # Errors
    /// Where one runs.
    pub(crate) fn outside_maps(&self, what: &str) -> PyResult<()> {
        if self.writer().maps.is_empty() {
            return Ok(());
        }
        Err(invalid(format!("{what} in the function of volery.map, which is recorded once: make it outside")))
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
        let mut writer = self.writing()?;
        let id = writer.take_id();
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
        self.push_to(self.writing()?, py, op)
    }

    fn push_to(&self, mut writer: MutexGuard<'_, Writer>, py: Python<'_>, op: Op) -> PyResult<()> {
        writer.batch.push(op);
        let full = writer.batch.len() >= BATCH;
        drop(writer);
        if full { self.flush(py) } else { Ok(()) }
    }

    /// The writer, where the function of this is what writes now.
    fn writing(&self) -> PyResult<MutexGuard<'_, Writer>> {
        let writer = self.writer();
        if !writer.open {
            return Err(over());
        }
        if writer.now() == self.map {
            return Ok(writer);
        }
        Err(PyRuntimeError::new_err(if writer.runs(self.map) {
            "this value is of outside of the function that volery.map runs: hand it over by an array of its own, \
             such as volery.array([value] * lanes)"
        } else {
            "this value is of the function of a volery.map that is over: let the function return it"
        }))
    }

    /// Begins a function on lanes. `arguments` are arrays, and the kind of what the function gets of each; gives
    /// the run within, and what the function gets.
    ///
    /// # Errors
    /// As for [`Pass::emit`].
    pub(crate) fn open_map(
        &self,
        py: Python<'_>,
        lanes: u32,
        arguments: &[(Id, Kind)],
    ) -> PyResult<(Arc<Self>, Vec<Wire>)> {
        let mut writer = self.writing()?;
        writer.opened += 1;
        let inside = Arc::new(Self { map: writer.opened, ..self.clone() });
        let items: Vec<_> = arguments.iter().map(|(all, kind)| (*all, kind, writer.take_id())).collect();
        let mapped = items.iter().map(|(all, kind, one)| Mapped { all: *all, one: *one, size: kind.size() });
        let arguments = mapped.collect();
        let number = writer.opened;
        writer.maps.push(OpenMap { number, lanes, inputs: Vec::new(), ended: Vec::new() });
        inside.push_to(writer, py, Op::OpenMap { lanes, arguments })?;
        let items = items.into_iter().map(|(_, kind, id)| Wire::new(inside.clone(), id, kind.clone()));
        let items = items.collect();
        Ok((inside, items))
    }

    /// Ends the function on lanes whose run within is `inside`: `results` are what it gives, and the kind of the
    /// array of each.
    ///
    /// # Errors
    /// As for [`Pass::emit`], and where a private value is of another kind.
    pub(crate) fn close_map(
        self: &Arc<Self>,
        inside: &Self,
        results: &[(Id, Kind, Kind)],
    ) -> PyResult<Vec<Wire>> {
        let mut writer = inside.writing()?;
        let OpenMap { lanes, inputs, ended, .. } = writer.maps.pop().expect("the one that writes now");
        let inputs = Input::Map { lanes, inputs };
        match (writer.maps.last_mut(), &self.private) {
            (Some(outer), _) => outer.inputs.push(inputs),
            (None, Some(private)) => inputs.add(0, &mut |numbers, width| {
                let added = private.built.add_to_witness(self.shard.unwrap_or(0), numbers, width);
                added.map_err(|why| invalid(why.to_string()))
            })?,
            (None, None) => {}
        }
        let taken: Vec<_> =
            results.iter().map(|(one, of_one, of_all)| (*one, of_one, of_all, writer.take_id())).collect();
        let mapped =
            taken.iter().map(|(one, of_one, _, all)| Mapped { all: *all, one: *one, size: of_one.size() });
        let op = Op::CloseMap { results: mapped.collect() };
        writer.batch.push(op);
        ended.into_iter().for_each(|op| writer.end_now(op));
        drop(writer);
        Ok(taken.into_iter().map(|(_, _, kind, id)| Wire::new(self.clone(), id, kind.clone())).collect())
    }

    /// Ends a function on lanes that has failed, as if it had not been called.
    pub(crate) fn drop_map(&self) {
        let mut writer = self.writer();
        if !writer.open || writer.now() != self.map {
            return;
        }
        let map = writer.maps.pop().expect("the one that writes now");
        writer.batch.push(Op::DropMap);
        map.ended.into_iter().for_each(|op| writer.end_now(op));
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
            writer.end(self.map, Op::Drop { id });
        }
    }

    /// A memory has died.
    pub(crate) fn close(&self, memory: Id) {
        let mut writer = self.writer();
        if writer.open {
            writer.end(self.map, Op::Close { memory });
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

    /// The private input called `name`. In a function on lanes its value is an array with one of the kind for each,
    /// and where all lanes ended it is read lane by lane.
    ///
    /// # Errors
    /// Where there are two of this name; where the value is missing, or of another kind.
    pub(crate) fn witness(self: &Arc<Self>, py: Python<'_>, name: &str, kind: &Kind) -> PyResult<Wire> {
        self.check_field(kind)?;
        let whole = {
            let mut writer = self.writing()?;
            if writer.named.iter().any(|other| other == name) {
                return Err(invalid(format!("there are two private inputs called {name}")));
            }
            writer.named.push(name.into());
            let array = |kind: Kind, map: &OpenMap| {
                sized(kind.clone(), map.lanes, |lanes| Kind::Array(Arc::new(kind), lanes))
            };
            writer.maps.iter().rev().try_fold(kind.clone(), array)?
        };
        if let Some(Private { values: given, built }) = self.private.as_deref() {
            let value = given.bind(py).get_item(name)?.ok_or_else(|| {
                invalid(match self.shard {
                    None => format!("{name} has no value: give one, private={{\"{name}\": …}}"),
                    Some(shard) => format!(
                        "{name} has no value in shard {shard}: give one, private={{{shard}: {{\"{name}\": …}}}}"
                    ),
                })
            })?;
            let (numbers, width) = (values::numbers(&value, &whole, self.facts, name)?, kind.lane().size());
            match self.writer().maps.last_mut() {
                Some(map) => {
                    let lanes = kind.size() / width;
                    map.inputs.push(Input::Values { numbers, width, count: lanes as usize });
                }
                None => {
                    let added = built.add_to_witness(self.shard.unwrap_or(0), &numbers, width);
                    added.map_err(|why| invalid(format!("{name}: {why}")))?;
                }
            }
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

/// The error of a value beside one of another run.
fn another() -> PyErr {
    PyRuntimeError::new_err("this value is of another run: nothing of one is kept for the next")
}

/// The error of a value that is kept beyond its run.
fn over() -> PyErr {
    PyRuntimeError::new_err("this value is of a run that is over: nothing of one is kept for the next")
}
