"""The names that `relgraph.graph` offers."""

import subprocess
import sys
import types
from pathlib import Path

import pytest

from relgraph import graph

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", graph.__all__)
def test_every_name_is_there(name: str) -> None:
    found = getattr(graph, name)
    if isinstance(found, types.ModuleType):
        assert found.__name__ == f"relgraph.graph.{name}"
    else:
        assert found.__name__ == name
    assert name in dir(graph)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match=r"module 'relgraph\.graph' has no attribute 'gof'"):
        graph.gof  # noqa: B018


def test_modules_are_loaded_when_they_are_used() -> None:
    code = (
        "import sys, relgraph.graph\n"
        "assert 'relgraph.graph.fg' not in sys.modules\n"
        "relgraph.graph.fg.FunctionGraph\n"
        "assert 'relgraph.graph.opt' not in sys.modules"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
