"""Lengths that follow from the shapes of arguments of a call, and the check that they are equal.

`required_lengths` finds out which have to be.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.op import Op
from relgraph.graph.shared_values.container import Container


class Axis(NamedTuple):
    """The length of an axis of an argument.

    Attributes
    ----------
    argument
        Its position.
    axis
        The axis.
    """

    argument: int
    axis: int


class Made(NamedTuple):
    """A number that is made of others, as by an op on integers.

    Attributes
    ----------
    how
        What makes it: a name in `MAKERS`.
    of
        What it is made of; None for a bound that a slice doesn't have.
    """

    how: str
    of: tuple[Number | None, ...]


Number: TypeAlias = int | Axis | Made
"""A length, or a number that lengths are computed with."""


def _of_slice(n: int, *bounds: int | None) -> int:
    return len(range(n)[slice(*bounds)])


def _of_range(start: int, stop: int, step: int) -> int:
    return len(range(start, stop, step))


MAKERS: dict[str, Callable[..., Any]] = {
    "add": lambda *numbers: sum(numbers),
    "sub": operator.sub,
    "mul": lambda *numbers: math.prod(numbers),
    "int_div": operator.floordiv,
    "mod": operator.mod,
    "minimum": lambda *numbers: min(numbers),
    "maximum": lambda *numbers: max(numbers),
    "slice": _of_slice,
    "arange": _of_range,
}
"""What makes numbers of numbers, by the names of the ops. A division by 0 raises an error."""


def made(how: str, *of: Number | None) -> Number | None:
    """Return what is made of numbers, in its simplest form; None if there is no such number.

    ``x[1:]`` and ``x[:-1]`` have one length, that of x less 1 and at least 0.
    """
    if all(n is None or isinstance(n, int) for n in of):
        try:
            return int(MAKERS[how](*of))
        except (ZeroDivisionError, ValueError):
            return None
    if how == "slice":
        return _simplest_slice(*of)
    neutral = {"add": 0, "mul": 1}.get(how)
    if neutral is not None:
        left = tuple(n for n in of if n != neutral)
        return left[0] if len(left) == 1 else Made(how, left)
    if how == "sub" and of[1] == 0:
        return of[0]
    if how == "maximum" and of[1:] == (0,) and is_length(of[0]):
        return of[0]
    return Made(how, of)


def _simplest_slice(n: Any, start: Any, stop: Any, step: Any) -> Number | None:
    bounds = all(b is None or isinstance(b, int) for b in (start, stop))
    if bounds and step in (None, 1):
        start = 0 if start is None else start
        if start >= 0 and (stop is None or stop < 0):
            return _less(n, start - (stop or 0))
        if start == 0 and stop is not None:
            return Made("minimum", (n, stop))
        if start < 0 and stop is None:
            return Made("minimum", (n, -start))
    if bounds and step == -1 and start is None and stop is None:
        return n  # type: ignore[no-any-return]
    return Made("slice", (n, start, stop, step))


def _less(n: Number, k: int) -> Number:
    """Return a length less some elements, as far as there are any."""
    if k == 0:
        return n
    # that of a slice with a bound alone, so that slices of slices come to one
    if isinstance(n, Made) and n.how == "slice" and n.of[2:] == (None, None):
        first, start = n.of[:2]
        if isinstance(start, int) and start > 0:
            return Made("slice", (first, start + k, None, None))
    return Made("slice", (n, k, None, None))


def is_length(number: Number | None) -> bool:
    """Return whether a number is at least 0 whatever the arguments are."""
    if not isinstance(number, Made):
        return isinstance(number, Axis) or (number is not None and number >= 0)
    if number.how in ("slice", "arange"):
        return True
    are = [is_length(part) for part in number.of]
    return any(are) if number.how == "maximum" else number.how != "sub" and all(are)


def replaced(number: Number | None, by: Callable[[Axis], Number]) -> Number | None:
    """Return a number with others for its axes."""
    if isinstance(number, Axis):
        return by(number)
    if isinstance(number, Made):
        return made(number.how, *(replaced(part, by) for part in number.of))
    return number


def source(number: Number | None, value: Callable[[int], str]) -> str:
    """Return the expression for a number; `value` gives that of an argument."""
    if isinstance(number, Axis):
        return f"{value(number.argument)}.shape[{number.axis}]"
    if isinstance(number, Made):
        return f"{number.how}({', '.join(source(part, value) for part in number.of)})"
    return str(number)


def value_of(number: Number | None, values: Sequence[Any], variables: Sequence[Variable]) -> Any:
    """Return a number for arguments; None if it is not known, or an argument is of another rank
    than its variable."""
    if isinstance(number, Axis):
        shape = np.shape(values[number.argument])
        kind: Any = variables[number.argument].type
        n = shape[number.axis] if len(shape) == kind.ndim else None
        # an array of another library may not know its lengths
        return None if n != n else n
    if isinstance(number, Made):
        parts = [value_of(part, values, variables) for part in number.of]
        if any(new is None and old is not None for new, old in zip(parts, number.of, strict=True)):
            return None
        try:
            return MAKERS[number.how](*parts)
        except (ArithmeticError, TypeError, ValueError):
            return None
    return number


def named(number: Number | None, variables: Sequence[Variable]) -> str:
    """Return a number as text."""
    if isinstance(number, Axis):
        return f"axis {number.axis} of {variables[number.argument]}"
    if isinstance(number, Made):
        parts = [named(part, variables) for part in number.of]
        if number.how == "slice":
            start, stop, step = ("" if part == "None" else part for part in parts[1:])
            return f"part {start}:{stop}{step and ':'}{step} of {parts[0]}"
        return f"{number.how}({', '.join(parts)})"
    return str(number)


class Requirement(NamedTuple):
    """An op that needs two lengths to be equal.

    Attributes
    ----------
    op
        The op.
    first, second
        The lengths.
    """

    op: Op
    first: Number
    second: Number


def checked_call(
    call: Callable[..., Any],
    requirements: Sequence[Requirement],
    variables: Sequence[Variable],
    shared: Sequence[Container],
) -> Callable[..., Any]:
    """Return a function of the arguments that checks lengths before it makes a call.

    Parameters
    ----------
    call
        Takes the arguments of a function, which need not be arrays.
    requirements
        What has to hold of the lengths of the inputs.
    variables
        The inputs: arguments, and after them shared variables.
    shared
        The containers of these.
    """
    count = len(variables) - len(shared)

    def value(i: int) -> str:
        return f"a{i}" if i < count else f"anywhere(s{i - count})"

    arguments = ", ".join(f"a{i}" for i in range(count))
    conditions = [f"{source(r.first, value)} == {source(r.second, value)}" for r in requirements]
    code = f"""\
def checked({arguments}):
 try: holds = {" and ".join(conditions)}
 except Exception: holds = False
 if not holds: require([{arguments}])
 return call({arguments})"""

    def require(given: Sequence[Any]) -> None:
        values = [*given, *(_anywhere(container) for container in shared)]
        for requirement in requirements:
            _require(requirement, values, variables)

    scope: dict[str, Any] = {**MAKERS, "call": call, "require": require, "anywhere": _anywhere}
    scope.update((f"s{k}", container) for k, container in enumerate(shared))
    exec(compile(code, "<relgraph lengths>", "exec"), scope)
    checked: Callable[..., Any] = scope["checked"]
    return checked


def _anywhere(container: Container) -> Any:
    """Return the value of a shared variable where it is, which may be on a device."""
    return container.here if container.away is None else container.away


def _require(
    requirement: Requirement, values: Sequence[Any], variables: Sequence[Variable]
) -> None:
    """Raise a ValueError if two lengths differ that have to be equal.

    What is no array of the right rank the call refuses.
    """
    op, first, second = requirement
    n, m = (value_of(number, values, variables) for number in (first, second))
    if n is None or m is None or n == m:
        return
    # a length of 1 that could have been declared comes first
    if n != 1 and m == 1 and isinstance(second, Axis):
        first, second, n, m = second, first, m, n
    if isinstance(second, int):
        text = f"{op}: {named(first, variables)} has length {n}, not {m}"
    else:
        one, other = (named(number, variables) for number in (first, second))
        text = f"{op}: {one} has length {n}, {other} {m}"
    if n != 1 or not isinstance(first, Axis):
        raise ValueError(text)
    kind: Any = variables[first.argument].type
    shape = tuple(1 if k == first.axis else length for k, length in enumerate(kind.shape))
    raise ValueError(
        f"{text}; only an axis whose length is known to be 1 broadcasts: declare "
        f"TensorType({kind.dtype!r}, {shape}), or use specify_shape"
    )
