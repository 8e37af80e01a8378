"""Functions on JAX's arrays beside SciPy's, over grids of arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import jax
import mpmath
import numpy as np
import scipy

from relgraph.engines.jax.precision import wide

Function = Callable[..., Any]


@dataclass
class Case:
    """A function over the products of some values of its arguments.

    Parameters
    ----------
    name
        The name in SciPy; with a number, one of several results.
    values
        What each argument takes on. Integers make an array of integers.
    within
        The largest error that agrees, relative to the value, or to the envelope where this is more.
    envelope
        How large the function gets near a point, of the arguments.
    elsewhere
        Where SciPy's value is not what is true, and what is: by arguments.
    truth
        What is compared with in SciPy's place: a function of mpmath's numbers.
    """

    name: str
    values: Sequence[Iterable[float]]
    within: float = 1e-12
    envelope: Function | None = None
    elsewhere: Mapping[tuple[float, ...], float] | None = None
    truth: Function | None = None

    def arguments(self) -> list[Any]:
        lists = [np.asarray(list(values)) for values in self.values]
        places = np.indices([len(v) for v in lists]).reshape(len(lists), -1)
        return [v[i] for v, i in zip(lists, places, strict=True)]

    def expected(self, arguments: Sequence[Any]) -> Any:
        if self.truth is not None:
            return _true_values(self.truth, arguments)
        name, _, index = self.name.partition(".")
        with np.errstate(all="ignore"), scipy.special.errstate(all="ignore"):
            found = getattr(scipy.special, name)(*arguments)
        found = np.array(found[int(index)] if index else found)
        for point, value in (self.elsewhere or {}).items():
            alike = [_is(a, x) for a, x in zip(arguments, point, strict=True)]
            assert np.any(np.all(alike, axis=0)), (self.name, point)
            found[np.all(alike, axis=0)] = value
        return found

    def differences(self, arguments: Sequence[Any], found: Any) -> list[Any]:
        """Return the points at which a result is another, with both values."""
        expected = self.expected(arguments)
        with np.errstate(all="ignore"):
            size = np.abs(expected)
            if self.envelope is not None:
                size = np.maximum(size, np.nan_to_num(self.envelope(*arguments)))
            near = np.abs(found - expected) <= self.within * size
        wrong = ~(near | (found == expected) | (np.isnan(found) & np.isnan(expected)))
        points = zip(*[a[wrong] for a in arguments], strict=True)
        both = zip(points, found[wrong], expected[wrong], strict=True)
        return [(self.name, *(np.asarray(v).tolist() for v in row)) for row in both]


def _true_values(function: Function, arguments: Sequence[Any]) -> Any:
    with mpmath.workdps(40):
        points = zip(*[a.tolist() for a in arguments], strict=True)
        found = [function(*map(mpmath.mpf, point)) for point in points]
        return np.array([complex(x) if isinstance(x, mpmath.mpc) else float(x) for x in found])


def _is(values: Any, x: float) -> Any:
    return np.isnan(values) if np.isnan(x) else values == x


def compare(functions: Mapping[str, Function], cases: Sequence[Case], dtype: str = "") -> None:
    """Assert that functions agree with SciPy's; they are compiled as one.

    With a dtype all floats are of it.
    """
    given = [[_of_dtype(a, dtype) for a in case.arguments()] for case in cases]
    of_name: dict[str, list[int]] = {}
    for i, case in enumerate(cases):
        of_name.setdefault(case.name, []).append(i)
    joined = {
        name: [np.concatenate(a) for a in zip(*[given[i] for i in numbers], strict=True)]
        for name, numbers in of_name.items()
    }

    # equal grids are one argument, so that what results have in common is compiled once
    grids = {(a.dtype.str, a.tobytes()): a for arguments in joined.values() for a in arguments}

    def together(grids: list[Any]) -> dict[str, Any]:
        known = dict(zip(places, grids, strict=True))
        return {
            name: functions[name](*[known[a.dtype.str, a.tobytes()] for a in arguments])
            for name, arguments in joined.items()
        }

    places = list(grids)
    with wide(True):
        found = {k: np.asarray(x) for k, x in jax.jit(together)(list(grids.values())).items()}
    differences = []
    for name, numbers in of_name.items():
        assert found[name].real.dtype == np.result_type(
            *[a for a in joined[name] if a.dtype.kind == "f"]
        )
        ends = np.cumsum([given[i][0].size for i in numbers])[:-1]
        for i, part in zip(numbers, np.split(found[name], ends), strict=True):
            differences += cases[i].differences(given[i], part)
    assert not differences, (len(differences), differences[:20])


def named(cases: Sequence[Case], names: str) -> list[Case]:
    """Return the cases of some functions."""
    return [case for case in cases if case.name in names.split()]


def _of_dtype(values: Any, dtype: str) -> Any:
    return values.astype(dtype) if dtype and values.dtype.kind == "f" else values


def at_points(*values: Iterable[float], gives: float) -> dict[tuple[float, ...], float]:
    """Return a value at the products of some values of the arguments."""
    return dict.fromkeys(product(*values), gives)
