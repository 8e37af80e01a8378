"""Writes ``pages/jax_ops.md``: which Ops the JAX engine computes with JAX's functions.

``python notebooks/jax_ops.py`` writes the page anew.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import relgraph
from relgraph.engines.jax import is_native
from relgraph.engines.jax.lowering.scalar_functions import is_by_jax
from relgraph.engines.jax.lowering.scalars import FUNCTIONS, ON_THE_HOST
from relgraph.graph.op import GraphOp, Op
from relgraph.scalar.basic import Cast
from relgraph.scalar.composite import Composite
from relgraph.scalar.named import NumpyOp, PartOp, ScipyOp
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.basic import Assert
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.loops.scan_op import Scan

PAGE = Path(__file__).parent / "pages" / "jax_ops.md"

# What is no part of the library's graphs.
APART = (
    *("relgraph.engines", "relgraph.bridges", "relgraph.proof", "relgraph.search", "relgraph.vm"),
    "relgraph.__main__",
)

# What the interpretation of graphs does itself: a check, an inner graph, branches, a loop.
BY_THE_ENGINE = (Assert, GraphOp, IfElse, Scan)

# Base classes, of which there are no nodes, and classes whose nodes have another class: of
# parameters that are relative to the inputs.
NO_NODES = (
    *("TypedOp", "RelativeOp", "ScalarOp", "FoldOp", "FloatOp", "StepOp", "PredicateOp"),
    *("NamedOp", "MatrixProduct", "MatrixOp", "LapackOp", "SquareMatrixOp"),
    *("LinearSolve", "BlasUpdate"),
    *("SparseOp", "FormatOp", "StructuredOp", "SparsePair", "BaseIncSubtensor", "AlongAxes"),
    *("OneAxis", "RandomOp", "RelativeDimShuffle", "RelativeSubtensor", "TensorOp", "AxisOp"),
    *("BaseSubtensor", "GradientGate", "GraphOp"),
)

TABLES = (NumpyOp, ScipyOp, PartOp)


def op_classes() -> list[type[Op]]:
    """Return the classes of the Ops that nodes have, by module."""
    for module in pkgutil.walk_packages(relgraph.__path__, "relgraph."):
        if not module.name.startswith(APART):
            importlib.import_module(module.name)
    found = [cls for cls in dict.fromkeys(_subclasses(Op)) if _is_of_nodes(cls)]
    return sorted(found, key=lambda cls: (cls.__module__, cls.__name__))


def _subclasses(cls: type[Op]) -> Iterator[type[Op]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


def _is_of_nodes(cls: type[Op]) -> bool:
    name, home = cls.__name__, cls.__module__
    own = home.startswith("relgraph.") and not home.startswith(APART)
    return own and not name.startswith("_") and name not in NO_NODES and cls not in TABLES


def is_lowered(cls: type[Op]) -> bool:
    """Return whether Ops of a class are computed with JAX's functions."""
    if issubclass(cls, ScalarOp):
        by_formula = cls.formula is not None and not issubclass(cls, ON_THE_HOST)
        return by_formula or issubclass(cls, (Composite, Cast, *FUNCTIONS))
    return issubclass(cls, BY_THE_ENGINE) or is_native(cls.__new__(cls))


def named() -> dict[str, list[tuple[str, bool]]]:
    """Return the ufuncs of the tables, and whether JAX computes them."""
    return {
        kind.__name__: [(name, is_by_jax(name)) for name in sorted(kind.slopes)] for kind in TABLES
    }


def page() -> str:
    """Return the text of the page."""
    classes = op_classes()
    lowered = [cls for cls in classes if is_lowered(cls)]
    ufuncs = [row for rows in named().values() for row in rows]
    native = sum(is_native for _, is_native in ufuncs)
    parts = [HEAD.format(n=len(classes), m=len(lowered))]
    homes: dict[str, list[type[Op]]] = {}
    for cls in classes:
        homes.setdefault(cls.__module__.removeprefix("relgraph."), []).append(cls)
    parts.append("| module | Ops |\n|---|---|")
    for home, found in homes.items():
        names = [cls.__name__ if is_lowered(cls) else f"*{cls.__name__}*" for cls in found]
        parts[-1] += f"\n| `{home}` | {' '.join(names)} |"
    parts.append(UFUNCS.format(n=len(ufuncs), m=native))
    parts.append("| table | by JAX | on the host |\n|---|---|---|")
    for table, rows in named().items():
        by_jax = " ".join(name for name, is_native in rows if is_native)
        on_host = " ".join(name for name, is_native in rows if not is_native)
        parts[-1] += f"\n| `{table}` | {by_jax} | {on_host or '–'} |"
    return "\n\n".join(parts) + "\n"


HEAD = """# Ops of the JAX engine

Of the {n} classes of Ops {m} are computed with JAX's functions; those in *italics*, if there are
any, are computed by NumPy on the host. Three more are tables of ufuncs, and follow below.
What is the same as in NumPy, and what is not, stands in [The JAX engine](jax.md).

`python notebooks/jax_ops.py` writes this page."""

UFUNCS = """## Ufuncs by their names

`NumpyOp`, `ScipyOp` and `PartOp` are tables of {n} ufuncs. JAX computes {m} of them, of real
numbers; the others, and those of complex numbers, are computed by NumPy or SciPy on the host:
`jax.pure_callback` brings the numbers there and back. What a version of JAX lacks is computed there
too."""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
