"""What is loaded when: nothing that a program does not use, and what is missing is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FUNCTION = """
import relgraph, relgraph.tensor as at
x = at.dmatrix("x")
relgraph.function([x], at.exp(x) @ x * 2 + x)([[1.0]])
relgraph.shared([1.0])
relgraph.trace(lambda x: x * 2)(1.0)
relgraph.testing, relgraph.bridges
"""

UNUSED = {
    "import relgraph.graph": "relgraph.graph.fg relgraph.graph.opt",
    "import relgraph.graph; relgraph.graph.fg.FunctionGraph": "relgraph.graph.opt",
    "import relgraph.graph.fg": """
        relgraph.tensor relgraph.scalar relgraph.compile relgraph.graph.kanren scipy kanren""",
    "import relgraph.tensor": "scipy.special",
    "import relgraph.search": "flint",
    "import relgraph.bridges.sympy": "sympy",
    FUNCTION: """
        scipy.sparse relgraph.sparse. relations.sparse relgraph.display. relgraph.engines dask
        distributed zarr jax pytensor sympy numba llvmlite flint z3""",
}
"""Programs, and how the names of modules begin that they do not load."""


def printed(program: str) -> str:
    """Return what a program prints in a process of its own."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("program", UNUSED, ids=lambda program: program.strip().partition("\n")[0])
def test_what_is_not_used_is_not_loaded(program: str) -> None:
    names = tuple(UNUSED[program].split())
    found = f"import sys; print(*[m for m in sys.modules if m.startswith({names})])"
    assert printed(f"{program}\n{found}") == ""


def test_importing_relgraph_loads_no_subpackage() -> None:
    found = printed("import sys, relgraph; print(*[m for m in sys.modules if 'relgraph' in m])")
    assert sorted(found.split()) == ["relgraph", "relgraph.on_first_use"]


def test_pictures_are_loaded_when_they_are_drawn() -> None:
    found = "import sys; x._repr_svg_(); print('relgraph.display.drawing' in sys.modules)"
    assert printed(f"{FUNCTION}\n{found}") == "True"


SEARCH = """
import relgraph.tensor as at
x = at.dvector("x")
assert [form for form in relgraph.forms(x, [])] == [x]
assert relgraph.search.best(x + 0).cost == 0
relgraph.search.improve
"""

MISSING = {
    "relgraph.bridges.pytensor.from_pytensor": ("pytensor", "pytensor"),
    "relgraph.bridges.pytensor.relational_rewriter": ("pytensor", "pytensor"),
    "relgraph.bridges.sympy.to_sympy": ("sympy", "sympy"),
    "relgraph.bridges.rewrite": ("jax", "jax"),
    "relgraph.Mode(linker='jax')": ("jax", "jax"),
    "relgraph.Mode(linker='dask')": ("dask", "dask"),
    "from relgraph.engines.dask import DaskLinker; DaskLinker()": ("dask", "dask"),
    SEARCH: ("flint", "search"),
}
"""Uses of what needs another library, that library, and the extra that has it."""


@pytest.mark.parametrize("use", MISSING)
def test_a_missing_library_is_named_with_its_extra(use: str) -> None:
    library, extra = MISSING[use]
    said = printed(
        f"import sys; sys.modules[{library!r}] = None\n"
        "import relgraph, relgraph.bridges.pytensor, relgraph.bridges.sympy, relgraph.search\n"
        f"try: exec({use!r})\n"
        "except ImportError as error: print(error)"
    )
    assert f"pip install 'relgraph[{extra}]'" in said
    assert library in said or use.rpartition(".")[2] in said
