"""Writes ``pages/dask_ops.md``: how the Dask engine computes each Op of the library.

``python notebooks/dask_ops.py`` writes the page anew.
"""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from inspect import isabstract
from pathlib import Path

import relgraph.compile
import relgraph.gradient
import relgraph.printing
import relgraph.sparse
import relgraph.tensor
from relgraph.engines.dask import way_of
from relgraph.engines.dask.lowering.dispatch import WHOLE
from relgraph.graph.op import Op
from relgraph.scalar.op import ScalarOp

PAGE = Path(__file__).parent / "pages" / "dask_ops.md"
ROOMS = (relgraph.tensor, relgraph.sparse, relgraph.gradient, relgraph.compile, relgraph.printing)

# Classes that no node has the Op of: those of their subclasses.
BASES = (
    *(
        "AlongAxes",
        "AlongAxis",
        "AxisOp",
        "BaseIncSubtensor",
        "BaseSubtensor",
        "TensorOp",
        "BlasUpdate",
        "LinearSolve",
        "MatrixOp",
        "MatrixProduct",
        "OneAxis",
    ),
    *("RandomOp", "RelativeDimShuffle", "RelativeOp", "RelativeSubtensor", "SparseOp"),
    *("FormatOp", "LapackOp", "SparsePair", "SquareMatrixOp", "StructuredOp", "TypedOp"),
)

HEAD = """# How Dask computes each Op

The table is made by `python notebooks/dask_ops.py` of what
[the Dask engine](dask.md) says of its lowerings. Those of *{whole}* give the same
values, but one task holds all that they take and give.
Of {total} classes of Ops, {blocked} run by blocks or need no arithmetic.

| how | Ops |
|---|---|
"""


def classes() -> list[type[Op]]:
    """Return the classes of Ops that nodes have, by name."""
    for room in ROOMS:
        for module in pkgutil.walk_packages(getattr(room, "__path__", ()), f"{room.__name__}."):
            import_module(module.name)
    rooms = tuple(room.__name__ for room in ROOMS)
    found = {kind for kind in _subclasses(Op) if kind.__module__.startswith(rooms)}
    return sorted(
        (
            kind
            for kind in found
            if not issubclass(kind, ScalarOp)
            and not isabstract(kind)
            and kind.__name__ not in BASES
            and not kind.__name__.startswith("_")
        ),
        key=lambda kind: kind.__name__,
    )


def _subclasses(kind: type[Op]) -> Iterator[type[Op]]:
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)


def page() -> str:
    """Return the text of the page."""
    kinds = classes()
    by_way: dict[str, list[str]] = {}
    for kind in kinds:
        by_way.setdefault(way_of(kind), []).append(f"`{kind.__name__}`")
    blocked = len(kinds) - len(by_way[WHOLE])
    rows = sorted(by_way.items(), key=lambda row: (row[0] == WHOLE, -len(row[1]), row[0]))
    table = "".join(f"| {way} | {', '.join(names)} |\n" for way, names in rows)
    return HEAD.format(whole=WHOLE, total=len(kinds), blocked=blocked) + table


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
