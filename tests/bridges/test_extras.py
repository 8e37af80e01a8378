"""The bridges load what they need when they are asked, and say which extra is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(program: str) -> str:
    """Return what a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_loads_the_libraries_unasked() -> None:
    program = (
        "import sys, relgraph, relgraph.bridges.pytensor, relgraph.bridges.sympy;"
        "relgraph.function, relgraph.testing;"
        "print(sorted({'pytensor', 'sympy'} & set(sys.modules)))"
    )
    assert run(program) == "[]"


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
