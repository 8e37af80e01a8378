"""The scalar ops as functions of balls.

An op is Arb's function of its name in C, or its formula. Of an infinity, and at a pole, it is what
it makes of it in floats, unless Arb has a limit: arctan(inf) is π/2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from typing import Any

import numpy as np

from relgraph.scalar.facts import EVERYWHERE
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.records import Functions
from relgraph.scalar.records import scalar_op as op_of_name
from relgraph.truth.balls import (
    NONE,
    UNKNOWN,
    Ball,
    acb,
    arb,
    as_ball,
    is_infinite,
    is_none,
    precision,
)
from relgraph.truth.elementary import (
    CHOICES,
    NOT_COMPUTED,
    OF_CONDITIONS,
    OF_NUMBERS,
    NoValue,
    is_real,
)
from relgraph.truth.special import SPECIAL

Function = Callable[..., Any]


class NoTrueValue(ValueError):
    """There is no rule for the true value of an op; the message names the op."""


def scalar_op(name: str) -> ScalarOp:
    """Return the scalar op of a name.

    Raises
    ------
    NoTrueValue
        If there is none.
    """
    found = op_of_name(name)
    if found is None:
        raise NoTrueValue(f"no true value of {name} is known")
    return found


@cache
def function_of(op: ScalarOp) -> Function:
    """Return the function that `value` asks.

    Raises
    ------
    NoTrueValue
        If there is no rule for the op.
    """
    for table in (OF_CONDITIONS, CHOICES):
        if op.name in table:
            return table[op.name]
    function = OF_NUMBERS.get(op.name) or SPECIAL.get(op.name) or _by_record(op)
    folds = isinstance(op, FoldOp)

    def run(*args: Any) -> Any:
        if folds and len(args) != 2:
            return reduce(run, args)
        try:
            for a in args:
                if not a.is_finite():
                    return _of_infinities(op, function, args)
            found = function(*args)
        except NoValue:
            return NONE
        except NOT_COMPUTED:
            found = UNKNOWN
        return found if found.is_finite() else _not_finite(op, function, args, found)

    return run


def _by_record(op: ScalarOp) -> Function:
    if op.formula is not None:
        return partial(op.formula, FUNCTIONS)
    method = op.c_name or op.name
    if not hasattr(arb, method):
        raise NoTrueValue(f"no true value of {op} is known")
    return lambda x, *rest: getattr(x, method)(*rest)


def _for_formulas(op: ScalarOp) -> Function:
    """Return an op as a function of balls and numbers of Python, which raises what has no value."""
    function = function_of(op)

    def run(*args: Any) -> Any:
        found = function(*[a if isinstance(a, arb | acb) else as_ball(a) for a in args])
        if is_none(found):
            raise NoValue
        return found

    return run


FUNCTIONS = Functions(_for_formulas)


def has_value(op: ScalarOp) -> bool:
    """Return whether the true values of an op are known."""
    try:
        function_of(op)
    except NoTrueValue:
        return False
    return True


def condition_of(op: ScalarOp) -> Function | None:
    """Return what an op says of balls and conditions, if that is a condition."""
    return OF_CONDITIONS.get(op.name)


def value(op: ScalarOp, args: Sequence[Ball]) -> Any:
    """Return what an op makes of balls: `NONE` where it has no value, `UNKNOWN` where nothing is
    known at the precision. A condition is a bool, or `UNDECIDED`.

    Raises
    ------
    NoTrueValue
        If there is no rule for the op.
    """
    return function_of(op)(*args)


def _of_infinities(op: ScalarOp, function: Function, args: Sequence[Ball]) -> Ball:
    """Return the value of arguments some of which are infinite, unknown or none."""
    if any(map(is_none, args)):
        return NONE
    if not all(a.is_finite() or is_infinite(a) for a in args):
        return UNKNOWN
    if op.facts.increasing == EVERYWHERE:
        limit = function(*args)
        if limit.is_finite():
            return limit
    return _as_floats_have_it(op, args)


_ENOUGH = 2600
"""Bits with which functions of floats are known."""


def _unless_none(function: Function, args: Sequence[Ball]) -> Ball:
    try:
        found: Ball = function(*args)
    except (NoValue, *NOT_COMPUTED):
        return NONE
    return found


def _not_finite(op: ScalarOp, function: Function, args: Sequence[Ball], found: Ball) -> Ball:
    """Return the value of finite arguments of which Arb knows no finite one."""
    if all(a.is_exact() for a in args):
        with precision(_ENOUGH):
            known = _unless_none(function, args)
        return UNKNOWN if known.is_finite() else _as_floats_have_it(op, args)
    low, high = op.facts.domain
    if len(args) == 1 and is_real(args[0]) and (args[0] < low or args[0] > high):
        return NONE
    return found if is_infinite(found) else UNKNOWN


def _as_floats_have_it(op: ScalarOp, args: Sequence[Ball]) -> Ball:
    """Return the value at a pole, outside of the domain, or of infinities."""
    floats = [complex(a) if isinstance(a, acb) else float(a) for a in args]
    with np.errstate(all="ignore"):
        found = as_ball(np.asarray(op.ufunc(*map(np.asarray, floats)))[()])
    return found if not found.is_finite() or any(map(is_infinite, args)) else UNKNOWN
