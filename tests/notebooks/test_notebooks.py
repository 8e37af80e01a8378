"""The essays run from top to bottom, and what is stored beside them is what they say."""

import json
import re
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.notebooks.essays import COMMAND, FOLDER, SOURCES, cells, pair_of, read, run
from tests.notebooks.essays import stored as stored_notebook
from tests.seeds import sampled

ROOT = FOLDER.parent
PLACES = [str(ROOT), sys.prefix, str(Path.home()), tempfile.gettempdir(), "ipykernel_", "/home/"]

essay = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)


def problems(notebook) -> list[str]:
    """Return the errors and warnings among the outputs of a notebook."""
    return [
        "\n".join(output.get("traceback", [])) or output.text
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


def test_there_are_eight() -> None:
    assert [source.name[:2] for source in SOURCES] == [f"0{n}" for n in range(1, 9)]
    assert sorted(FOLDER.glob("*.ipynb")) == [pair_of(source) for source in SOURCES]


@pytest.mark.parametrize("source", sampled(SOURCES, 3, "essays"))
def test_it_runs_from_top_to_bottom(source: Path) -> None:
    if "import pymc" in source.read_text(encoding="utf-8") and find_spec("pymc") is None:
        pytest.skip("PyMC is missing, which for PyTensor 3 needs Python 3.12 or newer")
    assert problems(run(source)) == []


@essay
def test_its_pair_has_the_same_cells(source: Path) -> None:
    mend = f"{pair_of(source).name} is stale: {COMMAND} {source.stem}"
    assert cells(read(source)) == cells(stored_notebook(source)), mend


@essay
def test_its_outputs_are_stored(source: Path) -> None:
    notebook = stored_notebook(source)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert problems(notebook) == []
    shown = [output.data for cell in code for output in cell.outputs if "data" in output]
    assert any("image/png" in data for data in shown), "it shows no picture"
    assert not any("image/svg+xml" in data for data in shown), "pages leave it out"


@essay
def test_nothing_of_a_machine_is_stored(source: Path) -> None:
    text = json.dumps(json.loads(pair_of(source).read_text(encoding="utf-8")))
    assert [place for place in PLACES if place in text] == []
    assert re.findall(r"\bat 0x[0-9a-f]{6,}", text) == []


def test_errors_and_warnings_are_seen() -> None:
    """The tests above look for what this one makes."""
    notebook = read(SOURCES[0])
    notebook.cells = notebook.cells[:1]
    notebook.cells[0].cell_type = "code"
    notebook.cells[0].outputs = [
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["it broke"]},
        {"output_type": "stream", "name": "stderr", "text": "a warning"},
        {"output_type": "stream", "name": "stdout", "text": "fine"},
    ]
    notebook = type(notebook)(json.loads(json.dumps(notebook), object_hook=type(notebook)))
    assert problems(notebook) == ["it broke", "a warning"]
