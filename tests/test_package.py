"""The names that `relgraph` and its packages offer."""

import types
from pathlib import Path

import pytest

import relgraph

PACKAGES = (relgraph, relgraph.graph, relgraph.tensor, relgraph.sparse)
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.__name__)


@each_package
def test_every_name_is_there(package: types.ModuleType) -> None:
    assert len(set(package.__all__)) == len(package.__all__)
    for name in package.__all__:
        found = getattr(package, name)
        if isinstance(found, types.ModuleType):
            assert found.__name__ == f"{package.__name__}.{name}"
    assert set(package.__all__) <= set(dir(package))


@each_package
def test_unknown_names(package: types.ModuleType) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_subpackages_are_offered() -> None:
    offered = {name: getattr(relgraph, name) for name in relgraph.__all__}
    assert {k for k, found in offered.items() if isinstance(found, types.ModuleType)} == {
        *("compile", "display", "gradient", "graph", "printing", "scalar", "search", "sparse"),
        *("tensor", "testing"),
    }


def test_is_typed_and_has_a_version() -> None:
    assert (Path(relgraph.__file__).parent / "py.typed").exists()
    assert relgraph.__version__.count(".") == 2
