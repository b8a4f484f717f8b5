//! `model quantise`: by the module of Python, which runs the floats.

use crate::verbs::args::ModelQuantise;
use std::ffi::{OsStr, OsString};
use std::process::Command;
use volery_cli::child;
use volery_cli::failure::{Failure, Result};

/// The variable that names the Python to run, and the one that is run where nothing is said.
const VARIABLE: &str = "VOLERY_PYTHON";
const PYTHON: &str = "python3";

/// Runs the module as `python3 -m volery.onnx` does, and says what is missing where there is none.
const START: &str = "\
import sys
try:
    from volery.onnx.__main__ import main
except ImportError as why:
    line = f'{sys.executable}: {why}: install the module by `pip install ./crates/python[onnx]` in the folder of the ' \\
           'sources of volery, or name another Python by --python or VOLERY_PYTHON'
    print(f'volery: {line}', file=sys.stderr)
    if '--json' in sys.argv:
        import json
        print(json.dumps({'verdict': None, 'error': line, 'exit_code': 2}))
    sys.exit(2)
sys.exit(main(sys.argv[1:]))
";

/// `volery model quantise`.
pub(crate) fn quantise(typed: &ModelQuantise) -> Result<()> {
    let named = typed.python.clone().or_else(|| std::env::var_os(VARIABLE));
    let python = named.filter(|python| !python.is_empty()).unwrap_or_else(|| PYTHON.into());
    let why = child::become_it(Command::new(&python).arg("-c").arg(START).args(arguments(typed)));
    Err(Failure::usage(format_args!(
        "{} cannot be run: {why}: install Python 3.10 or later, or name it by --python or {VARIABLE}",
        python.display()
    )))
}

/// The arguments of the module.
fn arguments(typed: &ModelQuantise) -> Vec<OsString> {
    let ModelQuantise { network, calibrate, out, force, room, bits, until, test, python: _, json } = typed;
    let mut arguments: Vec<OsString> = vec!["quantise".into()];
    let mut option = |name: &str, value: &OsStr| {
        let mut argument = OsString::from(name);
        argument.push("=");
        argument.push(value);
        arguments.push(argument);
    };
    option("--calibrate", calibrate.as_ref());
    option("--out", out.as_ref());
    option("--room", room.as_ref());
    option("--bits", bits.as_ref());
    let _ = until.as_ref().map(|until| option("--until", until.as_ref()));
    let _ = test.as_ref().map(|test| option("--test", test.as_ref()));
    arguments.extend(force.then(|| "--force".into()));
    arguments.extend(json.then(|| "--json".into()));
    // What begins with a sign is a file, too.
    arguments.extend(["--".into(), network.into()]);
    arguments
}
