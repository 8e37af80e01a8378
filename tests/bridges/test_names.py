"""The names of `relgraph.bridges`: loaded when they are asked for, or what to install is said."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relgraph import bridges

WITHOUT = """
import sys
import relgraph, relgraph.bridges
traced = relgraph.trace(lambda x: x * 2)(1.0)
assert not {"jax", "pytensor", "sympy"} & {name.partition(".")[0] for name in sys.modules}
sys.modules["jax"] = None  # as if it were not installed
try:
    relgraph.bridges.rewrite
except ImportError as error:
    print(error)
"""


def test_without_jax_it_is_not_imported_and_what_to_install_is_said() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "needs the package 'jax': pip install 'relgraph[jax]' installs it" in ran.stdout


def test_names_are_listed() -> None:
    assert {"from_jax", "rewrite", "to_jax", "trace"} <= set(dir(bridges))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bridges.nothing
