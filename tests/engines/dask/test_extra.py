"""Dask is an extra that nothing imports unasked; and the page of ops is up to date."""

import sys
from importlib import import_module

import pytest

from relgraph.vm.linker import LINKERS, find_linker
from tests.notebooks.scripts import script


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
