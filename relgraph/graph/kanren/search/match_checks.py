"""Guards: checks of the values that a rule has matched, and of the variables that it built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation.numbers import is_written, number_of, same_number
from relgraph.graph.op import Op
from relgraph.graph.traversal import walk
from relgraph.graph.unify import same_variable


@cache
def is_real(dtype: Any) -> bool:
    """Return whether `dtype` is not complex."""
    return dtype is None or not str(dtype).startswith("complex")


def is_converted(var: Variable) -> bool:
    """Return whether `var` is made by an op that chooses its own dtype: a comparison or a cast."""
    return var.owner is not None and var.owner.op.converts


def dtypes_admitted(values: Iterable[Any], same: bool, complex_too: bool) -> bool:
    """Return whether a law may fire on variables of these dtypes; other values don't count.

    Parameters
    ----------
    same
        Whether they must have one dtype, the results of comparisons and casts aside.
    complex_too
        Whether they may be complex.
    """
    dtypes = {v.type.dtype for v in values if isinstance(v, Variable) and not is_converted(v)}
    dtypes.discard(None)  # of what is no tensor: a generator
    if not complex_too and not all(map(is_real, dtypes)):
        return False
    return len(dtypes) <= 1 or not same


def hold_numbers(matched: Iterable[Variable], numbers: Iterable[Any]) -> bool:
    """Return whether the numbers of a law are what stands in the graph, where it is rounded.

    0.1 is 0.1 among float32 numbers. But a constant of float32 that is nearly 0.1 is another number
    beside float64 ones.

    Parameters
    ----------
    matched
        The variables whose nodes have been matched.
    numbers
        Those numbers of the law that a narrower dtype rounds; see `rules.rule.Rule`.
    """
    for var in matched:
        arguments = () if var.owner is None else var.owner.inputs
        dtypes = {getattr(v.type, "dtype", None) for v in arguments} - {"bool"}
        if len(dtypes) <= 1:
            continue
        for argument in arguments:
            found = number_of(argument)
            if any(
                is_written(number, argument) and not same_number(number, found)
                for number in numbers
            ):
                return False
    return True


def finite_constants(values: Iterable[Any]) -> bool:
    """Return whether the constants among some values are finite, broadcast ones too."""
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


def _flattened(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values, and the items of the tuples among them."""
    return chain.from_iterable(v if isinstance(v, tuple) else (v,) for v in values)


def agree(known: Any, value: Any) -> bool:
    """Return whether two values that a rule has found for one logic variable are equal.

    A number equals a constant all of whose elements are that number. A computed number is one of
    the right dtype: it is no rounded one.
    """
    if isinstance(value, Variable):
        known, value = value, known
    if not isinstance(known, Variable):
        return bool(known == value)
    if isinstance(value, Variable):
        return same_variable(known, value)
    return isinstance(value, bool | int | float | complex) and same_number(value, number_of(known))


def same_in_graph(fgraph: Any, known: Any, var: Any) -> bool:
    """Return whether two different variables of a graph are the same computation.

    In general that takes a walk through their ancestors. In a graph that is kept merged, equal
    variables other than constants would be one.
    """
    if fgraph is not None and fgraph.merged and known.head is not Constant:
        return False
    return same_variable(known, var)


def built_variables(given: Iterable[Any], new: Any) -> list[Variable]:
    """Return the variables of the built side `new` between the matched values and its root.

    The root is one of them. Those that only repeat elements of another variable are left out, since
    they have its dtype.
    """
    if not isinstance(new, Variable):
        return []
    leaves = {v for v in _flattened(given) if isinstance(v, Variable)}
    read = walk([new], lambda v: None if v.owner is None or v in leaves else v.owner.inputs)
    return [new, *computed_among(read, leaves)]


def computed_among(made: Iterable[Variable], given: Iterable[Any]) -> list[Variable]:
    """Return those of `made` that are not in `given` and do not only repeat elements."""
    leaves = set(_flattened(given))
    return [
        v for v in made if v.owner is not None and v.owner.op.repeats is None and v not in leaves
    ]


def is_repeated(arguments: Sequence[Any], index: int, taken: Sequence[int]) -> bool:
    """Return whether the argument at `index` is also at an earlier place that isn't taken."""
    var = arguments[index]
    return any(arguments[i] is var for i in range(index) if i not in taken)


def fitted(new: Any, old: Variable) -> Variable | None:
    """Return `new` fitted to the type of `old`, or None if that is impossible."""
    if isinstance(new, Op):
        return None
    result: Variable | None = old.type.fit(new, old)
    return result
