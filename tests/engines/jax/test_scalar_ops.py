"""Every scalar op through the engine, and its derivative: what NumPy and SciPy compute, but for
rounding.

All ops are compiled as one function for each kind of arguments: ordinary ones and edges, which are
nan, infinities, zeros of both signs, integers and ends of domains.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

import relgraph.tensor as at
from relgraph import Mode, function, grad
from relgraph.engines.jax import LoweringError, lower_graph
from relgraph.engines.jax.lowering import scalars
from relgraph.engines.jax.lowering.scalar_functions import _BY_JAX, FORMULAS, is_by_jax
from relgraph.engines.jax.lowering.scalars import FUNCTIONS, scalar_function
from relgraph.gradient import NullTypeGradError
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.elemwise import Elemwise
from tests.arrays import assert_close
from tests.every_op.test_gradients import MOVED
from tests.every_op.test_values import OF_SCALARS
from tests.scalar.test_named import TABLE, points
from tests.seeds import seed_of

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
EXACT = ("copysign", "fabs", "fmax", "fmin", "nextafter", "spacing")
"""Functions that round nothing, and two whose results are less than a rounding error."""


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


SOME = 0.2
"""The share of the tables of functions that are given other floats and integers too: each takes
both as doubles, and XLA compiles it anew."""


def names_of(kind: str) -> list[str]:
    """Return the ops that are given arguments of a kind: all, or the others and some functions."""
    if kind in ("doubles", "complexes"):
        return list(OPS)
    repeated = sorted(n for n in TABLE if all(x.dtype == "float64" for x in doubles(n)))
    kept = int(SOME * len(repeated))
    left_out = set(Random(seed_of("functions by JAX", kind)).sample(repeated, len(repeated))[kept:])
    return [name for name in OPS if name not in left_out]


class Applied(NamedTuple):
    """An op on arguments, and what the reference makes of them."""

    inputs: list[Variable]
    values: list[Any]
    output: Variable
    expected: Any


@cache
def applied(kind: str, whole: bool = False) -> dict[str, Applied]:
    """Return each op on arguments of a kind."""
    values, taken = graph({name: KINDS[kind](name) for name in (OPS if whole else names_of(kind))})
    outputs = {}
    for name, xs in taken.items():
        try:
            outputs[name] = Elemwise(OPS[name][0])(*xs)
        except TypeError:
            continue  # it is not defined for this kind
    expected = evaluate(list(outputs.values()), values)
    return {
        name: Applied(taken[name], [values[x] for x in taken[name]], out, value)
        for (name, out), value in zip(outputs.items(), expected, strict=True)
    }


def by_jax(ops: Iterable[Applied]) -> list[Any]:
    """Return what the engine makes of all: XLA compiles one function."""
    given = {x: v for op in ops for x, v in zip(op.inputs, op.values, strict=True)}
    run = function(list(given), [op.output for op in ops], mode=Mode("jax", None))
    found = run(*given.values())
    assert run._run.compiled
    return found


def wrong_ones(kind: str, name: str, found: Any, expected: Any) -> Any:
    """Return where a result is another."""
    if expected.dtype.kind not in "fc":
        return found != expected
    if name in EXACT:
        return ~((found == expected) | (np.isnan(found) & np.isnan(expected)))
    eps = np.finfo("float32" if kind == "singles" else expected.dtype).eps
    rtol = max(64 * eps, LESS_PRECISE.get(name, 0))
    wrong = ~np.isclose(found, expected, rtol=rtol, atol=64 * eps, equal_nan=True)
    if expected.dtype.kind == "f" and name not in OF_OTHER_ZEROS:
        zero = (expected == 0) & (found == 0)
        wrong |= zero & (np.signbit(found) != np.signbit(expected))
    return wrong


@pytest.mark.parametrize("kind", KINDS)
def test_values(kind: str) -> None:
    compare(kind, whole=False)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["singles", "integers"])
def test_values_of_all(kind: str) -> None:
    compare(kind, whole=True)


def compare(kind: str, whole: bool) -> None:
    made = applied(kind, whole)
    differences = []
    for (name, op), found in zip(made.items(), by_jax(made.values()), strict=True):
        expected = op.expected
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
        wrong = wrong_ones(kind, name, found, expected)
        rows = zip(*[x[wrong] for x in op.values], found[wrong], expected[wrong], strict=True)
        differences += [(name, *row) for row in list(rows)[:3]]
    assert not differences, differences
    some = 320 if whole else 150
    assert len(made) >= {"doubles": 320, "complexes": 80}.get(kind, some)


def test_every_function_of_the_tables_is_compared() -> None:
    """What JAX computes has several finite values among those that are compared."""
    made = [applied(kind) for kind in KINDS]
    assert {name for rows in made for name in rows} == set(OPS)
    for name in OPS:
        if name in CLASSES or is_by_jax(name):
            expected = [rows[name].expected for rows in made if name in rows]
            assert any(np.unique(x[np.isfinite(x)]).size > 1 for x in expected), name
    classes = {type(op) for op, _ in CLASSES.values()}
    assert set(FUNCTIONS) <= classes
    assert {*FORMULAS, *_BY_JAX} <= {name.partition(".")[0] for name in TABLE}


def slopes_by_numpy(name: str, values: list[Any]) -> dict[int, Any]:
    """Return the derivatives of an op in the reference, by the floats among its inputs."""
    xs = [at.vector(dtype=x.dtype.name) for x in values]
    found: dict[int, Any] = {}
    try:
        out = Elemwise(OPS[name][0])(*xs)
    except TypeError:
        return found  # it is one of integers
    if out.type.dtype != "float64":
        return found
    for i, x in enumerate(xs):
        if x.type.dtype == "float64":
            try:
                slope = grad(at.sum(out), x, disconnected_inputs="ignore")
            except (MethodNotDefined, NullTypeGradError):
                continue
            (found[i],) = evaluate([slope], dict(zip(xs, values, strict=True)))
    return found


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_derivatives(part: int) -> None:
    """JAX differentiates what it calls on the host, and what it computes, as the reference does."""
    names = Random(seed_of("derivatives by JAX")).sample(sorted(OPS), len(OPS))
    names = names[:60] if part == 0 else names[60:]
    points = {name: ordinary(name) for name in names}
    expected = {name: slopes_by_numpy(name, points[name]) for name in names}
    expected = {name: slopes for name, slopes in expected.items() if slopes}
    assert len(expected) > 0.6 * len(names)

    def slope(name: str, i: int, values: list[Any]) -> Any:
        run = lower_elemwise(name)
        x = values[i]
        return jax.jvp(lambda v: run(*values[:i], v, *values[i + 1 :]), (x,), (jnp.ones_like(x),))[
            1
        ]

    with jax.enable_x64(True):
        given = {name: [jnp.asarray(x) for x in points[name]] for name in expected}
        found = jax.jit(
            lambda given: {
                name: {i: slope(name, i, given[name]) for i in slopes}
                for name, slopes in expected.items()
            }
        )(given)
    for name, slopes in expected.items():
        for i, wanted in slopes.items():
            np.testing.assert_allclose(
                found[name][i], wanted, rtol=1e-11, atol=1e-12, err_msg=f"{name}, input {i}"
            )


def lower_elemwise(name: str) -> Any:
    """Return an op as a function of JAX's arrays."""
    op, count = OPS[name]
    xs = [at.vector(dtype=x.dtype.name) for x in ordinary(name)][:count]
    run = lower_graph(xs, [Elemwise(op)(*xs)])
    return lambda *values: run(*values)[0]


def test_scipy_is_called_once_for_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever arguments are batched, along whichever axis, and whatever their ranks."""
    seen: list[int] = []
    compute = scalars._Computed.__call__

    def counted(self: Any, *arrays: Any) -> Any:
        seen.append(np.broadcast(*arrays).size)
        return compute(self, *arrays)

    monkeypatch.setattr(scalars._Computed, "__call__", counted)
    v, x = at.dscalar("v"), at.dvector("x")
    both = lower_graph([v, x], [at.special.jv(v, x)])
    orders, points = np.array([0.5, 1.5]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with jax.enable_x64(True):
        for axes, given, wanted in (
            ((0, 0), (orders, points), special.jv(orders[:, None], points)),
            ((0, None), (orders, points[0]), special.jv(orders[:, None], points[0])),
            ((None, 1), (orders[0], points.T), special.jv(orders[0], points)),
        ):
            (found,) = jax.jit(jax.vmap(both, in_axes=axes))(*given)
            np.testing.assert_allclose(found, wanted, rtol=1e-15)
            assert seen == [6]
            seen.clear()
    (narrow,) = jax.jit(jax.vmap(both))(orders.astype("float32"), points.astype("float32"))
    assert narrow.dtype == np.float32 and seen == [6]
    np.testing.assert_allclose(narrow, special.jv(orders[:, None], points), rtol=1e-5)


def test_a_derivative_that_is_not_known_is_refused_by_name() -> None:
    v, x = at.dscalars("v", "x")
    run = lower_graph([v, x], [at.special.jv(v, x)])
    with pytest.raises(LoweringError, match="jv has no derivative by its input 0"):
        jax.grad(lambda v, x: run(v, x)[0])(0.5, 1.0)
    slope = jax.grad(lambda x: run(0.5, x)[0])
    np.testing.assert_allclose(slope(1.0), special.jvp(0.5, 1.0), rtol=1e-5)
    np.testing.assert_allclose(jax.grad(slope)(1.0), special.jvp(0.5, 1.0, 2), rtol=1e-5)


def test_a_share_of_the_beta_distribution_has_slopes_by_its_shapes() -> None:
    """JAX's own function has none."""
    a, b, x = at.dvectors("a", "b", "x")
    share = at.betainc(a, b, x)
    slopes = [grad(at.sum(share), v) for v in (a, b, x)]
    values = [np.array([0.5, 2.0, 30.0]), np.array([1.5, 0.7, 4.0]), np.array([0.2, 0.9, 0.95])]
    wanted = function([a, b, x], slopes)(*values)
    run = lower_elemwise("betainc")
    with jax.enable_x64(True):
        found = jax.grad(lambda *vs: jnp.sum(run(*vs)), argnums=(0, 1, 2))(
            *map(jnp.asarray, values)
        )
    assert_close(found, wanted, rtol=1e-10)


def test_log_cosh_is_exact_near_zero() -> None:
    x = at.dvector("x")
    values = np.array([0.0, 1e-9, -1e-5, 0.3, 800.0])
    found = function([x], at.log_cosh(x), mode="jax")(values)
    np.testing.assert_allclose(found, function([x], at.log_cosh(x))(values), rtol=1e-14)
