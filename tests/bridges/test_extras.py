"""The bridges load what they need when they are asked, and say which extra is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relgraph import bridges


def run(program: str) -> str:
    """Return what a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_loads_the_libraries_unasked() -> None:
    program = (
        "import sys, relgraph, relgraph.bridges.sympy;"
        "relgraph.function, relgraph.testing;"
        "print(sorted({'pytensor', 'sympy'} & set(sys.modules)))"
    )
    assert run(program) == "[]"


def test_the_bridge_to_pytensor_gives_it_modes() -> None:
    program = (
        "import relgraph.bridges.pytensor, pytensor;"
        "print('RELGRAPH' in pytensor.compile.mode.predefined_modes)"
    )
    assert run(program) == "True"


@pytest.mark.parametrize(
    ("library", "name"),
    [("pytensor", "from_pytensor"), ("pytensor", "relational_rewriter"), ("sympy", "to_sympy")],
)
def test_a_missing_library_is_named_with_its_extra(library: str, name: str) -> None:
    program = (
        f"import sys; sys.modules[{library!r}] = None\n"
        f"import relgraph.bridges.{library} as bridge\n"
        "try:\n"
        f"    bridge.{name}\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    said = run(program)
    assert name in said and f"pip install 'relgraph[{library}]'" in said


# The names of `relgraph.bridges`: loaded when they are asked for, or what to install is said.

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
