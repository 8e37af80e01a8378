"""The scripts of ``notebooks/`` that write pages of the documentation."""

import importlib.util
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"


def script(name: str) -> Any:
    """Return ``notebooks/NAME.py`` as a module."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
