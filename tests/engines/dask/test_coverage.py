"""The page of the documentation that says how each Op is computed."""

from tests.notebooks.scripts import script


def test_the_page_is_what_the_script_writes() -> None:
    ops = script("dask_ops")
    assert ops.PAGE.read_text(encoding="utf-8") == ops.page(), "python notebooks/dask_ops.py"
