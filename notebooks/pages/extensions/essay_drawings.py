"""Drawings in essays: as a notebook shows them, instead of the pictures that are stored for pages
that take no SVG."""

import json
from pathlib import Path
from typing import Any


def with_drawings(app: Any, docname: str, source: list[str]) -> None:
    """Put into a notebook what its outputs keep for the site."""
    if Path(app.env.doc2path(docname)).suffix != ".ipynb":
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            drawing = output.get("metadata", {}).get("relgraph")
            if drawing is not None:
                output["data"] = {"text/html": drawing}
    source[0] = json.dumps(notebook)


def setup(app: Any) -> dict[str, bool]:
    """Read notebooks so."""
    app.connect("source-read", with_drawings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
