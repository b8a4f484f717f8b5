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


@pytest.mark.parametrize("path", sorted((DOCS / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks(path):
    """Each cell runs, and the rendering beside the notebook has its text and its code."""
    cells = json.loads(path.read_text())["cells"]
    rendered = path.with_suffix(".md").read_text()
    names = {"__name__": "notebook"}
    for cell in cells:
        source = "".join(cell["source"])
        assert source in rendered
        if cell["cell_type"] == "code":
            exec(compile(source, str(path), "exec"), names)


def test_stubs_have_all_names():
    stub = pathlib.Path(volery.__file__).with_name("__init__.pyi").read_text()
    for name in vars(volery):
        if not name.startswith("_"):
            value = getattr(volery, name)
            if name in ("annotations", "Any", "Mapping", "Values") or type(value).__name__ == "module":
                continue
            assert re.search(rf"(class|def) {name}\b|^{name}\b", stub, re.M), name
