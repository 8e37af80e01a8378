"""The names that `relgraph.graph` offers."""

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
