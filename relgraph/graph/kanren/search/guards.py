"""What a compiled rule asks of the values that it has matched and of what it has built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, TypeAlias

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.terms.term import Literal
from relgraph.graph.op import Op
from relgraph.graph.traversal import vars_between
from relgraph.graph.unify import same_variable


@cache
def is_real(dtype: Any) -> bool:
    """Return whether `dtype` is not complex."""
    return dtype is None or not str(dtype).startswith("complex")


def is_converted(var: Variable) -> bool:
    """Return whether the dtype of `var` is the affair of the op that makes it."""
    return var.owner is not None and var.owner.op.converts


def dtypes_admitted(values: Iterable[Any], same: bool, complex_too: bool) -> bool:
    """Return whether a law may look at variables of these dtypes; other values don't count.

    Parameters
    ----------
    same
        Whether they must have one dtype, those that comparisons and casts made aside.
    complex_too
        Whether they may be complex.
    """
    dtypes = {v.type.dtype for v in values if isinstance(v, Variable) and not is_converted(v)}
    if not complex_too and not all(map(is_real, dtypes)):
        return False
    return len(dtypes) <= 1 or not same


def finite_constants(values: Iterable[Any]) -> bool:
    """Return whether the constants among some values, seen through broadcasting, are finite."""
    for value in values:
        if isinstance(value, tuple):
            if not finite_constants(value):
                return False
        elif isinstance(value, Variable):
            while value.owner is not None and value.head.repeats is not None:
                value = value.owner.inputs[value.head.repeats]
            if value.head is Constant and not value.type.all_finite(value.data):
                return False
    return True


def spread(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values, those in the tuples among them one by one."""
    return chain.from_iterable(v if isinstance(v, tuple) else (v,) for v in values)


def agree(known: Any, value: Any) -> bool:
    """Return whether two values that a rule has found for one variable are the same.

    A number stands for a constant all of whose elements it is.
    """
    if isinstance(value, Variable):
        known, value = value, known
    if not isinstance(known, Variable):
        return bool(known == value)
    if isinstance(value, Variable):
        return same_variable(known, value)
    return isinstance(value, bool | int | float | complex) and Literal(value).matches(known)


def same_in_graph(fgraph: Any, known: Any, var: Any) -> bool:
    """Return whether two different variables of a graph are one computation.

    To find out may take a walk through all that is below them. Where the graph is kept merged it
    does not: what was computed twice would have been one variable, but for constants.
    """
    if fgraph is not None and fgraph.merged and known.head is not Constant:
        return False
    return same_variable(known, var)


def made_from(given: Iterable[Any], new: Any) -> list[Variable]:
    """Return the variables that the built side computes from what was matched, its root too.

    Those that broadcast a leaf have the dtype of it, and are left out.
    """
    if not isinstance(new, Variable):
        return []
    leaves = {v for v in spread(given) if isinstance(v, Variable)}
    return [new, *computed(vars_between(leaves, [new]), leaves)]


def computed(made: Iterable[Variable], given: Iterable[Any]) -> list[Variable]:
    """Return those of `made` that are not `given` and do not just repeat what they are made of."""
    leaves = set(spread(given))
    return [
        v for v in made if v.owner is not None and v.owner.op.repeats is None and v not in leaves
    ]


def is_repeated(arguments: Sequence[Any], index: int, taken: Sequence[int]) -> bool:
    """Return whether the argument at `index` stands before it too, where it isn't taken."""
    var = arguments[index]
    return any(arguments[i] is var for i in range(index) if i not in taken)


def fitted(new: Any, old: Variable) -> Variable | None:
    """Return `new` in the type of `old`, or None if that can't be."""
    if isinstance(new, Op):
        return None
    result: Variable | None = old.type.fit(new, old)
    return result


Way: TypeAlias = tuple[tuple[Op, int], ...]
"""Ops, each with the place of the input at which the next one is found."""


class ArgumentIndex:
    """The arguments of a sum with many of them, by their ops and by what they read.

    It is made when it is first asked, and asked by patterns that have a part in common with others:
    so a pair is found without a look at all pairs.
    """

    __slots__ = ("_arguments", "_by_end", "_by_head", "_merged")

    def __init__(self, fgraph: Any, arguments: Sequence[Variable]) -> None:
        self._arguments = arguments
        self._merged = fgraph is not None and fgraph.merged
        self._by_head: dict[Any, list[tuple[int, Variable]]] | None = None
        self._by_end: dict[Way, dict[Variable, list[tuple[int, Variable]]]] = {}

    def headed(self, op: Op) -> Sequence[tuple[int, Variable]]:
        """Return the arguments computed by `op`, in order, with their places."""
        if self._by_head is None:
            self._by_head = {}
            for place, var in enumerate(self._arguments):
                self._by_head.setdefault(var.head, []).append((place, var))
        return self._by_head.get(op, ())

    def reading(self, way: Way, var: Variable) -> Sequence[tuple[int, Variable]]:
        """Return the arguments from which a way leads to `var`, or to what may be the same.

        In a graph that is kept merged that is `var` itself; else all that the way begins at.
        """
        if not self._merged or var.head is Constant:
            return self.headed(way[0][0])
        found = self._by_end.get(way)
        if found is None:
            found = self._by_end[way] = {}
            for place, argument in self.headed(way[0][0]):
                end = _followed(argument, way)
                if end is not None:
                    found.setdefault(end, []).append((place, argument))
        return found.get(var, ())


def _followed(var: Variable, way: Way) -> Variable | None:
    """Return where a way leads from `var`, or None if it is not there."""
    for op, i in way:
        node = var.owner
        if node is None or node.op is not op or i >= len(node.inputs):
            return None
        var = node.inputs[i]
    return var
