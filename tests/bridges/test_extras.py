"""The names of `relgraph.bridges`, and what loading a bridge does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relgraph import bridges


def test_the_bridge_to_pytensor_gives_it_modes() -> None:
    program = (
        "import relgraph.bridges.pytensor, pytensor;"
        "assert 'RELGRAPH' in pytensor.compile.mode.predefined_modes"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_are_listed() -> None:
    assert {"from_jax", "rewrite", "to_jax", "trace"} <= set(dir(bridges))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bridges.nothing
