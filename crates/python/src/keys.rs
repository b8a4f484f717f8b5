//! Keys of parties.

use crate::errors::Trouble;
use pyo3::prelude::*;
use std::path::PathBuf;
use volery::channel::SecretKey;
use volery_cli::keys;

/// The key of a party, by which links are made: it has an identity, which its peers pin.
#[pyclass(frozen, module = "volery")]
pub(crate) struct Key(pub(crate) SecretKey);

#[pymethods]
impl Key {
    /// A fresh key.
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        SecretKey::generate().map(Self).map_err(|why| Trouble::from(why).raised(py, None))
    }

    /// The key in a file, or in the one of this user.
    #[staticmethod]
    #[pyo3(signature = (path = None))]
    fn load(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Self> {
        keys::read(path.as_deref()).map(Self).map_err(|why| Trouble::from(why).raised(py, None))
    }

    /// Writes the key to a file that is not there yet, which only this user can read.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.0.write_new(&path).map_err(|why| Trouble::from(why).raised(py, None))
    }

    /// The identity of the party with this key, as `volery1…`, for the peer's `peer=`.
    #[getter]
    fn id(&self) -> String {
        self.0.identity().to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Key of {}>", self.0.identity())
    }
}
