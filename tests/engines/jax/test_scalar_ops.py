"""Every scalar op through the engine, and its derivative: what NumPy and SciPy compute, but for
rounding.

All ops are compiled as one function for each kind of arguments: ordinary ones and edges, which are
nan, infinities, zeros of both signs, integers and ends of domains.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.engines.jax.lowering.scalars.application import scalar_function
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor.elemwise.elemwise import Elemwise
from tests.every_op.test_gradients import MOVED
from tests.every_op.test_values import OF_SCALARS
from tests.scalar.named.test_tables import TABLE, points

CLASSES: dict[str, tuple[Any, int]] = {
    str(op): (op.scalar_op, len(specs)) for op, *specs in OF_SCALARS
}
OPS = {**CLASSES, **{name: (op, op.nin) for name, op in TABLE.items()}}

EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -2.5, 3.5, 1e-9, 20.0]
FEW = [np.nan, np.inf, 0.0, 1.0, -2.0, 0.5, 3.5]
"""What up to two inputs take on, and more of them."""
WHOLE = [0, 1, -1, 2, -3, 7, -8, 127, -128]
COUNTS = [0, 1, 2, 3, 5, 12]
COMPLEX = [0.3 + 0.4j, -1.2 + 0.7j, 0.5 - 2j, 1 + 0j, -2 + 0j, 1j]

OF_OTHER_ZEROS = ("entr", "erfinv", "i1", "i1e", "polygamma", "rgamma", "sici.0")
"""Functions of which a result that is zero has JAX's sign."""
LESS_PRECISE = {"gamma": 1e-13}
"""The relative error of functions that JAX computes by logarithms."""


def every(values: list[Any], count: int, dtype: str) -> list[Any]:
    """Return an array for each input: all combinations of values."""
    grid = np.meshgrid(*[np.array(values, dtype)] * count, indexing="ij")
    return [x.ravel() for x in grid]


def ordinary(name: str) -> list[Any]:
    """Return points at which an op is smooth."""
    if name in TABLE:
        return points(name)
    made = [np.array([0.3, 0.45, 0.62, 0.9]) + 0.1 * i for i in range(OPS[name][1])]
    if name == "polygamma":
        made[0] = np.arange(4)
    return list(MOVED.get(name, lambda *xs: xs)(*made))


def doubles(name: str) -> list[Any]:
    """Return points and edges; what SciPy computes is given few."""
    usual, (op, count) = ordinary(name), OPS[name]
    if scalar_function(op, [x.dtype.name for x in usual]) is None:
        edges = [np.array(FEW)] * count
    else:
        edges = every(EDGES if count < 3 else FEW, count, "float64")
    return [
        np.resize(x, x.size + e.size) if x.dtype.kind == "i" else np.concatenate([x, e])
        for x, e in zip(usual, edges, strict=True)
    ]


def singles(name: str) -> list[Any]:
    return [x.astype("float32") if x.dtype.kind == "f" else x for x in ordinary(name)]


def integers(name: str) -> list[Any]:
    op, count = OPS[name]
    if name in CLASSES and name != "polygamma":
        whole = every(WHOLE if count < 3 else WHOLE[:5], count, "int8")
        return [np.abs(x.astype("int16")) for x in whole] if name == "pow" else whole
    if scalar_function(op, ["int64"] * count) is None:
        return [np.arange(1, 4)] * count
    return every(COUNTS, count, "int64")


def complexes(name: str) -> list[Any]:
    return [np.roll(COMPLEX, i) + 0.1 * i for i in range(OPS[name][1])]


KINDS = {f.__name__: f for f in (doubles, singles, integers, complexes)}


def graph(arguments: dict[str, list[Any]]) -> tuple[dict[Variable, Any], dict[str, list[Any]]]:
    """Return variables with values, and for each op those that it takes: equal ones are one."""
    of_value: dict[Any, Variable] = {}
    values: dict[Variable, Any] = {}
    taken: dict[str, list[Any]] = {}
    for name, arrays in arguments.items():
        taken[name] = []
        for x in arrays:
            key = x.dtype.str, x.tobytes()
            if key not in of_value:
                of_value[key] = at.vector(dtype=x.dtype.name)
                values[of_value[key]] = x
            taken[name].append(of_value[key])
    return values, taken


@cache
def results(kind: str) -> dict[str, tuple[list[Any], Any, Any]]:
    """Return what each op makes of arguments of a kind, by the engine and by the reference."""
    values, taken = graph({name: KINDS[kind](name) for name in OPS})
    outputs = {}
    for name, xs in taken.items():
        try:
            outputs[name] = Elemwise(OPS[name][0])(*xs)
        except TypeError:
            continue  # it is not defined for this kind
    wanted = list(outputs.values())
    expected = evaluate(wanted, values)
    run = function(list(values), wanted, mode=Mode("jax", None), on_unused_input="ignore")
    found = run(*values.values())
    assert run._run.compiled
    return {
        name: ([values[x] for x in taken[name]], a, b)
        for name, a, b in zip(outputs, found, expected, strict=True)
    }


def wrong_ones(kind: str, name: str, found: Any, expected: Any) -> Any:
    """Return where a result is another."""
    if expected.dtype.kind not in "fc":
        return found != expected
    eps = np.finfo("float32" if kind == "singles" else expected.dtype).eps
    rtol = max(64 * eps, LESS_PRECISE.get(name, 0))
    wrong = ~np.isclose(found, expected, rtol=rtol, atol=64 * eps, equal_nan=True)
    if expected.dtype.kind == "f" and name not in OF_OTHER_ZEROS:
        zero = (expected == 0) & (found == 0)
        wrong |= zero & (np.signbit(found) != np.signbit(expected))
    return wrong


@pytest.mark.parametrize("kind", KINDS)
def test_values(kind: str) -> None:
    made = results(kind)
    differences = []
    for name, (arguments, found, expected) in made.items():
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
        wrong = wrong_ones(kind, name, found, expected)
        rows = zip(*[x[wrong] for x in arguments], found[wrong], expected[wrong], strict=True)
        differences += [(name, *row) for row in list(rows)[:3]]
    assert not differences, differences
    assert len(made) >= {"doubles": 320, "singles": 320, "integers": 320, "complexes": 80}[kind]
