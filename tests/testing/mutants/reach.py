"""On what graphs an edited law fires at all: what its edit can reach, and what a guard refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.notation import number_of
from relgraph.graph.traversal import graph_inputs, io_toposort
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.shapes import Shape, Shape_i
from relgraph.testing.instances.instance import (
    Direction,
    Instance,
    InstantiatedPattern,
    direction_of,
    transformed,
)
from relgraph.testing.instances.instance_search import retyped
from relgraph.testing.random_terms import CannotInstantiate
from tests.testing.mutants.spoiled import Spoiling

DTYPES = (
    *("float64", "float32", "float16", "int64", "int8", "uint8", "uint64", "bool"),
    *("complex128", "complex64"),
)
"""Every kind of dtype."""
MOST_RETYPED = 8
"""How many graphs are built anew in every dtype."""

Place = tuple[np.dtype[Any], int, bool]
"""The dtype of a value, its rank, and whether it is an array of its own: a constant, or the result
of an op that views nothing."""

_NEEDS: dict[str, Callable[[np.dtype[Any], int], bool]] = {
    "bool": lambda dtype, rank: dtype.kind == "b",
    "unsigned integers": lambda dtype, rank: dtype.kind == "u",
    "signed integers": lambda dtype, rank: dtype.kind == "i",
    "float16": lambda dtype, rank: dtype == "float16",
    "float32": lambda dtype, rank: dtype == "float32",
    "float64": lambda dtype, rank: dtype == "float64",
    **dict.fromkeys(("complex", "imaginary parts"), lambda dtype, rank: dtype.kind == "c"),
    "rank 0": lambda dtype, rank: rank == 0,
    "rank 1": lambda dtype, rank: rank == 1,
    "rank 2": lambda dtype, rank: rank == 2,
    "more than one row": lambda dtype, rank: rank == 2,
    "fortran order": lambda dtype, rank: rank > 1,
    **dict.fromkeys(
        ("length 0", "length 1", "negative strides", "zero strides", "gaps", "duplicates"),
        lambda dtype, rank: rank > 0,
    ),
    **dict.fromkeys(("nan", "inf", "-inf", "-0"), lambda dtype, rank: dtype.kind in "fc"),
    **dict.fromkeys(
        ("the greatest number", "the least number"), lambda dtype, rank: dtype.kind in "iuf"
    ),
    **dict.fromkeys(
        ("the least normal number", "subnormal numbers"), lambda dtype, rank: dtype.kind == "f"
    ),
    **dict.fromkeys(("0", "read-only"), lambda dtype, rank: True),
}
# these have the arrays that users give, and views of them
_OF_VIEWS = ("negative strides", "zero strides", "gaps")


@dataclass
class Reach:
    """What the graphs on which an edited law fires are like.

    Attributes
    ----------
    graphs
        How many there are.
    places
        What its edit was applied to in them.
    constants, varying
        The constants among that, and whether there is something else.
    read
        Whether more than the shape of that is read in one of them.
    eliminated
        Whether only ops on matrices read it, transposed perhaps.
    asked
        Whether nothing but a choice reads it, as its condition.
    refused
        Those of them that a guard which the edit has left out refuses, and that were drawn.
    admitted
        How many of them that guard admits.
    """

    graphs: int = 0
    places: set[Place] = field(default_factory=set)
    constants: list[np.ndarray[Any, Any]] = field(default_factory=list)
    varying: bool = False
    read: bool = False
    eliminated: bool = True
    asked: bool = True
    refused: list[Instance] = field(default_factory=list)
    admitted: int = 0

    def includes(self, where: str) -> bool:
        """Return whether a value for which an edit is wrong can be where it is applied."""
        return any(
            _NEEDS[where](dtype, rank) and not (own and where in _OF_VIEWS)
            for dtype, rank, own in self.places
        )


def reach_of(law: Law, instances: Sequence[Instance], guard: Any = None) -> Reach:
    """Return what graphs an edited law fires on: those drawn, and the same in every dtype.

    Parameters
    ----------
    law
        The edited law.
    instances
        The instances that its check has found.
    guard
        The guard that it lacks, if it lacks one.
    """
    found = Reach()
    direction = direction_of(law, "forward")
    if direction is None:
        return found
    drawn = [instance for instance in instances if instance.direction.name == "forward"]
    if guard is not None:
        for instance in drawn:
            _ask(guard, direction, instance, found)
        return found
    for rule in direction.rules:
        graphs = [instance.graph for instance in drawn if instance.rule is rule]
        for graph in [*graphs, *_in_every_dtype(graphs)]:
            new = _rewritten(direction.rewriter, graph)
            if new is not None:
                found.graphs += 1
                _note_places(new, found)
    return found


def _rewritten(rewriter: Any, graph: InstantiatedPattern) -> Variable | None:
    try:
        return transformed(rewriter, graph.root)
    except Exception:
        return None  # no graph at all: an op refuses the dtype


def _in_every_dtype(graphs: list[InstantiatedPattern]) -> Iterator[InstantiatedPattern]:
    """Yield graphs with all inputs and constants of another dtype, then with one such input."""
    for graph in graphs[:: max(1, len(graphs) // MOST_RETYPED)]:
        for dtype in DTYPES:
            anew = _retyped(graph, dtype, None)
            if anew is None:
                continue
            yield anew
            for spec in anew.inputs:
                if spec.allowed is None:
                    for other in DTYPES:
                        beside = _retyped(anew, other, spec.var)
                        if beside is not None and other != dtype:
                            yield beside


def _retyped(graph: InstantiatedPattern, dtype: str, only: Any) -> InstantiatedPattern | None:
    try:
        return retyped(graph, DTYPES, dtype, only)
    except (CannotInstantiate, TypeError, ValueError):
        return None


def _note_places(new: Variable, found: Reach) -> None:
    """Note what a spoiled value is in a graph that a law made, and whether it is read."""
    nodes = io_toposort(list(graph_inputs([new])), [new])
    made = {node.outputs[0] for node in nodes if isinstance(node.op, Spoiling)}
    moved = {v for node in nodes for v in node.outputs if made.intersection(node.inputs)}
    direct = {node for node in nodes if made.intersection(node.inputs)}
    behind = {node for node in nodes if moved.intersection(node.inputs)}
    readers = {n for n in direct if not isinstance(n.op, DimShuffle)}
    if len(readers) < len(direct):
        readers |= behind
    found.eliminated &= bool(readers) and all(isinstance(n.op, MatrixOp) for n in readers)
    found.asked &= bool(readers) and all(_only_asks(n, made | moved) for n in readers)
    for node in nodes:
        if node.outputs[0] in made:
            value: Any = node.inputs[0]
            own = isinstance(value, Constant)
            found.places.add((np.dtype(value.type.dtype), value.type.ndim, own))
            constant = constant_value(value)
            found.constants += [] if constant is None else [constant]
            found.varying |= constant is None
        unread = node.op.scalar_op.ignored_inputs if isinstance(node.op, Elemwise) else ()
        if not isinstance(node.op, Shape | Shape_i):
            found.read |= any(v in made for i, v in enumerate(node.inputs) if i not in unread)
    found.read |= new in made


def _only_asks(node: Apply, values: set[Variable]) -> bool:
    """Return whether a node chooses, and reads some values as its condition alone."""
    chooses = isinstance(node.op, Elemwise) and node.op.scalar_op.name == "switch"
    return chooses and values.isdisjoint(node.inputs[1:])


def constant_value(v: Any) -> np.ndarray[Any, Any] | None:
    """Return what a variable is known to be before the run, or None."""
    if isinstance(v, Constant):
        return np.asarray(v.data)
    number = number_of(v)
    return None if number is None else np.asarray(number, v.type.dtype)


def _ask(guard: Any, direction: Direction, instance: Instance, found: Reach) -> None:
    """Ask a guard about what a law matched."""
    node = instance.pair.old.owner
    # of one of several outputs it is not told what it was matched with
    alone = node is not None and len(node.outputs) == 1
    by_name = direction.law.explain(instance.pair.old, direction.name).bindings if alone else {}
    drawn = instance.graph.bindings
    values = [by_name.get(str(v), drawn.get(v, v)) if isvar(v) else v for v in guard.variables]
    try:
        admitted = guard.function(*values)
    except (IndexError, TypeError, ValueError):
        return  # the axes that were drawn are those of a graph of another rank
    if admitted:
        found.admitted += 1
    else:
        found.refused.append(instance)
