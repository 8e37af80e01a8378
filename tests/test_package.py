"""The names that `import relgraph` offers."""

import types
from pathlib import Path

import pytest

import relgraph


@pytest.mark.parametrize("name", relgraph.__all__)
def test_every_name_is_there(name: str) -> None:
    found = getattr(relgraph, name)
    packages = {
        "compile",
        "display",
        "gradient",
        "graph",
        "printing",
        "scalar",
        "search",
        "sparse",
        "tensor",
        "testing",
    }
    assert isinstance(found, types.ModuleType) == (name in packages)
    assert name in dir(relgraph)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="module 'relgraph' has no attribute 'nothing'"):
        relgraph.nothing  # noqa: B018


def test_is_typed_and_has_a_version() -> None:
    assert (Path(relgraph.__file__).parent / "py.typed").exists()
    assert relgraph.__version__.count(".") == 2
