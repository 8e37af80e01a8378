"""The page of the documentation that says how each Op is computed."""

import importlib.util
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"


def test_the_page_is_what_the_script_writes() -> None:
    spec = importlib.util.spec_from_file_location("dask_ops", NOTEBOOKS / "dask_ops.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    written = (NOTEBOOKS / "pages" / "dask_ops.md").read_text(encoding="utf-8")
    assert script.page() == written, "python notebooks/dask_ops.py"
