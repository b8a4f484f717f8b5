"""Doctests, the blocks of the page, and the notebook."""

import doctest
import importlib
import json
import pathlib
import re

import pytest
import volery

DOCS = pathlib.Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize(
    "name",
    [f"volery{name}" for name in ("", "._circuit", "._sharded", "._report", "._steps", "._both")],
)
def test_doctests(name):
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=options)
    assert failed == 0 and tried > 0


def test_page():
    text = (DOCS / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) > 3
    names = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, str(DOCS / "python.md"), "exec"), names)


NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
# What some take beside the module, which then take some seconds.
TAKES = {"networks": ["onnx", "onnxruntime", "magika"]}


def cells(path):
    """Kind and source of each cell."""
    return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(path.read_text())["cells"]]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_renderings(path):
    """What is beside a notebook has its text and its code."""
    rendered = path.with_suffix(".md").read_text()
    assert all(source in rendered for _, source in cells(path))


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[pytest.mark.onnx_long] if p.stem in TAKES else []) for p in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_notebooks(path):
    """Each cell runs."""
    for name in TAKES.get(path.stem, []):
        pytest.importorskip(name)
    names = {"__name__": "notebook"}
    for kind, source in cells(path):
        if kind == "code":
            exec(compile(source, str(path), "exec"), names)


def test_stubs_have_all_names():
    stub = pathlib.Path(volery.__file__).with_name("__init__.pyi").read_text()
    for name in vars(volery):
        if not name.startswith("_"):
            value = getattr(volery, name)
            if name in ("annotations", "Any", "Mapping", "Values") or type(value).__name__ == "module":
                continue
            assert re.search(rf"(class|def) {name}\b|^{name}\b", stub, re.M), name
