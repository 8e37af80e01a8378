"""The sides of a law in which functions are called that ask for types.

To be built, such a call is done on the variables that the law has matched. To be matched, it is
done once on stand-ins of the ranks that the law states; the ops on the way from its arguments to
its result are the pattern. What else there is (lengths of axes, positions) is a variable of its
own, and compared with what the function makes of the variables that have been matched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.search.goals import Compute, Condition, Where
from relgraph.graph.kanren.search.match_checks import dtypes_admitted
from relgraph.graph.kanren.terms.building import build
from relgraph.graph.kanren.terms.call import Call
from relgraph.graph.kanren.terms.term import Literal, Term, has_calls, renamed, variables_of
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations, io_toposort
from relgraph.graph.unify import nth

_Path = tuple[int, ...]


def built_side(side: Any, one_dtype: bool) -> tuple[Any, list[Condition]]:
    """Return a side without calls, with variables in their places, and what computes these.

    Parameters
    ----------
    one_dtype
        Whether what the functions are called on must be made in the dtype of what they make.
    """
    if not has_calls(side):
        return side, []
    if not isinstance(side.op, Call):
        return _with_sides(side, [built_side(arg, one_dtype) for arg in side.args])
    leaves = tuple(variables_of(side))
    made = leaves[0].fresh()
    compute = Compute(made, _Admitted(side, leaves) if one_dtype else _Made(side, leaves), leaves)
    return made, [compute, Where(_is_made, (made,))]


def matched_side(side: Any, ranks: Mapping[Any, int]) -> tuple[Any, list[Condition]]:
    """Return a side as the pattern of what its calls make, and the conditions of that.

    Parameters
    ----------
    ranks
        The ranks of logic variables, as far as they are stated.

    Raises
    ------
    TypeError
        If the rank of a variable in a call is not stated, or no variable is made of them.
    """
    if not has_calls(side):
        return side, []
    if not isinstance(side.op, Call):
        return _with_sides(side, [matched_side(arg, ranks) for arg in side.args])
    return _pattern_of_call(side, ranks)


def _with_sides(
    term: Term, sides: Sequence[tuple[Any, list[Condition]]]
) -> tuple[Term, list[Condition]]:
    """Return a term with other arguments, and the conditions of all of them."""
    conditions = [c for _, found in sides for c in found]
    return Term(term.op, [side for side, _ in sides], term._ops), conditions


def _pattern_of_call(side: Term, ranks: Mapping[Any, int]) -> tuple[Any, list[Condition]]:
    leaves = variables_of(side)
    for leaf in leaves:
        if leaf not in ranks:
            raise TypeError(
                f"what {side} is depends on the rank of {leaf}: state it, by "
                f"relgraph.tensor.lawkit.guards.types.ranko({leaf}, ...)"
            )
    stand_ins = {leaf: side._ops.stand_in(ranks[leaf]) for leaf in leaves}
    arguments = [build(renamed(arg, stand_ins)) for arg in side.args]
    made = side.op(*arguments)
    if not isinstance(made, Variable) or made.owner is None:
        raise TypeError(f"{side} makes {made}, which no law can match")
    patterns = [matched_side(arg, ranks) for arg in side.args]
    reader = _Reader(
        dict(zip(arguments, [p for p, _ in patterns], strict=True)), side._ops, leaves[0]
    )
    pattern = reader.read(made)
    conditions = [c for _, found in patterns for c in found]
    if reader.others:
        same = _Same(side, leaves, tuple(reader.others.values()))
        conditions.append(Where(same, (*reader.others, *leaves)))
    return pattern, conditions


class _Reader:
    """Reads the graph that a call has made as a pattern.

    Attributes
    ----------
    others
        For each variable that stands for what is not made of the arguments, where that is: which
        input of which input, from the result on.
    """

    def __init__(self, arguments: Mapping[Variable, Any], ops: Any, leaf: Any) -> None:
        self.arguments = arguments
        self.others: dict[Any, _Path] = {}
        self._ops = ops
        self._leaf = leaf
        self._data: set[Variable] = set()

    def read(self, made: Variable) -> Any:
        for node in io_toposort(list(self.arguments), [made]):
            if not self._ops.asks_shape(node.op) and any(
                v in self.arguments or v in self._data for v in node.inputs
            ):
                self._data.update(node.outputs)
        return self._read(made, ())

    def _read(self, var: Variable, path: _Path) -> Any:
        if var in self.arguments:
            return self.arguments[var]
        if var in self._data and var.owner is not None:
            node = var.owner
            parts = [self._read(v, (*path, i)) for i, v in enumerate(node.inputs)]
            term = Term(node.op, parts, self._ops)
            return term if len(node.outputs) == 1 else nth(node.outputs.index(var), term)
        number = var.unique_value() if isinstance(var, Constant) else None
        if number is not None:
            return Literal(number)
        other = self._leaf.fresh()
        self.others[other] = path
        return other


class _Made:
    """What a call makes of the variables that its logic variables stand for."""

    def __init__(self, side: Term, leaves: Sequence[Any]) -> None:
        self.side = side
        self.leaves = tuple(leaves)
        self.__name__ = str(side.op)

    def __call__(self, *values: Any) -> Any:
        return build(renamed(self.side, dict(zip(self.leaves, values, strict=True))))


class _Admitted(_Made):
    """What a call makes; None if what it is called on is made in another dtype."""

    def __call__(self, *values: Any) -> Any:
        names = dict(zip(self.leaves, values, strict=True))
        arguments = [build(renamed(arg, names)) for arg in self.side.args]
        made = self.side.op(*arguments)
        nodes = io_toposort(values, [v for v in arguments if isinstance(v, Variable)])
        between = [v for node in nodes for v in node.outputs if v not in values]
        return made if dtypes_admitted([made, *between], True, True) else None


def _is_made(value: Any) -> bool:
    return value is not None


class _Same(_Made):
    """Whether what was matched beside the arguments of a call is what the call makes there."""

    def __init__(self, side: Term, leaves: Sequence[Any], paths: tuple[_Path, ...]) -> None:
        super().__init__(side, leaves)
        self.paths = paths
        self.__name__ = f"is_{side.op}"

    def __call__(self, *values: Any) -> bool:
        count = len(self.paths)
        try:
            made = super().__call__(*values[count:])
        except (TypeError, ValueError, IndexError):
            return False
        return all(
            _is_same(value, _at(made, path))
            for value, path in zip(values[:count], self.paths, strict=True)
        )


def _at(var: Variable, path: _Path) -> Variable | None:
    for i in path:
        if var.owner is None or i >= len(var.owner.inputs):
            return None
        var = var.owner.inputs[i]
    return var


def _is_same(found: Any, made: Any) -> bool:
    """Return whether a variable is written as another one, or is the constant that it is."""
    if made is None or found.type.ndim != made.type.ndim:
        return False
    if equal_computations([found], [made]):
        return True
    if not isinstance(found, Constant) or any(not isinstance(v, Constant) for v in _leaves(made)):
        return False
    (value,) = evaluate([made], {})
    return bool(np.array_equal(value, found.data))


def _leaves(var: Variable) -> list[Variable]:
    nodes = io_toposort([], [var])
    made = {v for node in nodes for v in node.outputs}
    return [v for node in nodes for v in node.inputs if v not in made] or [var]


def stated_ranks(conditions: Sequence[Any]) -> dict[Any, int]:
    """Return the ranks that the conditions of a law state of its variables."""
    found: dict[Any, int] = {}
    for condition in conditions:
        if type(condition) is Where and getattr(condition.predicate, "states_rank", False):
            variable, rank = condition.variables
            found[variable] = int(getattr(rank, "value", rank))
    return found
