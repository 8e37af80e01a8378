"""Dask is an extra that nothing imports unasked; and the page of ops is up to date."""

import subprocess
import sys
from importlib import import_module

import pytest

from relgraph.vm.linker import LINKERS, find_linker
from tests.notebooks.scripts import script

UNASKED = """
import sys
import numpy as np
import relgraph, relgraph.tensor as at
x = at.dvector("x")
assert relgraph.function([x], x + 1)([1.0]) == 2
print([name for name in sys.modules if name in ("dask", "distributed", "zarr", "relgraph.engines")])
"""


def test_nothing_is_imported_unasked() -> None:
    done = subprocess.run([sys.executable, "-c", UNASKED], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_who_asks_without_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(LINKERS, "dask", raising=False)
    for name in [n for n in sys.modules if n.startswith("relgraph.engines.dask")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dask", None)
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(ImportError, match=r"pip install 'relgraph\[dask\]'"):
        find_linker("dask")
    with pytest.raises(ImportError, match=r"pip install 'relgraph\[dask\]'"):
        import_module("relgraph.engines.dask").DaskLinker()


# The page of the documentation that says how each Op is computed.


def test_the_page_is_what_the_script_writes() -> None:
    ops = script("dask_ops")
    assert ops.PAGE.read_text(encoding="utf-8") == ops.page(), "python notebooks/dask_ops.py"
