"""The essays of ``notebooks/``: their text, its pair that holds the outputs, and how they are run.

An essay is written as ``NN_name.py`` in jupytext's percent format. Its pair ``NN_name.ipynb`` has
the same cells and what they gave.
"""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path
from typing import Any

import jupytext
import matplotlib.font_manager
import nbformat
from nbclient import NotebookClient

from relgraph.commands.draw import png
from tests.notebooks.scripts import FOLDER

SOURCES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))
COMMAND = "python -m tests.notebooks"
SECONDS = 60


def read(source: Path) -> Any:
    """Return an essay as a notebook without outputs.

    Cells are named by their place, so that a notebook made anew differs only in what changed.
    """
    notebook = jupytext.read(source, as_version=4)
    for i, cell in enumerate(notebook.cells):
        cell.id = f"cell-{i}"
        cell.metadata = {}
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def pair_of(source: Path) -> Path:
    """Return where the notebook with the outputs lies."""
    return source.with_suffix(".ipynb")


def stored(source: Path) -> Any:
    """Return the notebook with the outputs as it is stored."""
    return nbformat.read(pair_of(source), as_version=4)


def cells(notebook: Any) -> list[tuple[str, str]]:
    """Return the kind and the text of each cell."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def run(source: Path) -> Any:
    """Return an essay with its outputs, run from top to bottom in a fresh kernel.

    Raises
    ------
    CellExecutionError
        If a cell raises.
    CellTimeoutError
        If a cell takes longer than an essay may.
    """
    matplotlib.font_manager.get_font_names()  # its first use says that it looks for fonts
    notebook = read(source)
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": FOLDER}},
        record_timing=False, coalesce_streams=True,
    )  # fmt: skip
    client.execute()
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def with_pictures(notebook: Any) -> Any:
    """Return a notebook in which drawings are PNG: pages that show notebooks leave out SVG.

    What a notebook itself would show is kept beside it, for the site.
    """
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            drawing = output.get("data", {}).get("image/svg+xml")
            if drawing is not None:
                width = int(re.search(r' width="(\d+)"', drawing)[1])
                output.metadata = {
                    "image/png": {"width": width, "unconfined": True},
                    "relgraph": output.data["text/html"],
                }
                output.data = {
                    "image/png": b64encode(png(drawing)).decode(),
                    "text/plain": output.data["text/plain"],
                }
    return notebook
