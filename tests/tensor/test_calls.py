"""Calls that NumPy has too: values, shapes, dtypes, compiled code and gradients.

Where values differ on purpose, `ON_PURPOSE` says why.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.gradient import grad
from relgraph.graph.reference import evaluate
from tests.seeds import sampled, seed_of
from tests.tensor.calls import OF_A_MODULE, ONE, TWO

CALLS: dict[str, Any] = {
    **OF_A_MODULE,
    **{name: lambda m, x, call=call: call(x) for name, call in ONE.items()},
    **{name: lambda m, x, y, call=call: call(x, y) for name, call in TWO.items()},
}
REFUSALS = (TypeError, ValueError, IndexError, OverflowError, np.linalg.LinAlgError)

ON_PURPOSE = {
    # NumPy's answer is a tuple, which has no dtype; here it is a vector of int64, be it empty.
    "shape": lambda dtypes, ndim: ndim == 0,
    # Several terms are taken to one dtype first, so that their order makes no difference: int32 for
    # these two, and its floats are float64.
    "logaddexp": lambda dtypes, ndim: dtypes in ({"int8", "uint16"}, {"int16", "uint16"}),
}
OF_KNOWN_LENGTH = {
    *("unstack", "polyval of coefficients", "polyadd", "polysub", "broadcast_arrays"),
    *("array_equiv", "delete several", "delete by slice", "matmul of one with a stack"),
}
"""Calls that make no graph where a length is open, on purpose."""
OF_FLOATS = {
    *("dtype of a sum", "two of SciPy's", "reduce of logarithms", "decimals of integers"),
}
"""Calls with float arguments or dtypes, which other dtypes than float64 meet in ways of ours."""
OF_VECTORS = ("polyval of coefficients", "polyadd", "polysub")
NO_NAN = (
    *("tensorsolve", "tensorinv", "unique", "setxor", "union", "intersect", "setdiff", "lexsort"),
    *("histogram", "corr", "irfft", "fft irfft", "fft hfft", "hfft", "matrix_power"),
)


def arity(name: str) -> int:
    call = CALLS[name]
    return int(call.__code__.co_argcount) - 1 - len(call.__defaults__ or ())


def wide(name: str) -> Iterator[list[Any]]:
    """Yield arrays of every dtype and of small, large and special numbers, for one call."""
    dtypes = (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
    others = dtypes[::3] if arity(name) > 1 else (None,)
    for dtype, other, ndim, seed in itertools.product(dtypes, others, (0, 1, 2), range(3)):
        chosen = (dtype, other if seed % 2 else dtype)[: arity(name)]
        yield [extreme(d, (2, 2 + seed // 2)[:ndim], seed + 10 * i) for i, d in enumerate(chosen)]


def extreme(dtype: Any, shape: tuple[int, ...], seed: int) -> Any:
    kind = np.dtype(dtype).kind
    rng = np.random.default_rng(seed_of("against NumPy", seed, len(shape)))
    pool: list[Any] = [0.0, -0.0, 1.0, 0.5, -0.75, 2.5, 90.0, -3.0, np.nan, np.inf]
    if kind == "b":
        pool = [True, False]
    elif kind in "iu":
        info = np.iinfo(dtype)
        pool = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1]
    elif kind == "c":
        pool = [complex(a, b) for a, b in itertools.product(pool[:-2], pool[:-2])]
    with np.errstate(all="ignore"):
        return rng.choice(np.array(pool, dtype), shape)


def usual(name: str) -> Iterator[list[Any]]:
    """Yield arrays of some dtypes and up to three axes, for one call."""
    dtypes = ("bool", "int16", "uint8", "float32", "float64", "complex128")
    if name.startswith("histogram"):
        dtypes = dtypes[:-1]  # NumPy makes bins of complex numbers, in no order
    for i, dtype in enumerate(["float64"] if name in OF_FLOATS else dtypes):
        for j, shape in enumerate([(4,), (3, 4), (2, 3, 4)][: 1 if name in OF_VECTORS else 3]):
            for seed in (0, 1) if dtype == "float64" else ((i + j) % 2,):
                yield [small(dtype, shape, seed + 10 * k, name) for k in range(arity(name))]


def small(dtype: str, shape: tuple[int, ...], seed: int, name: str) -> Any:
    rng = np.random.default_rng(seed_of(name, seed))
    kind = np.dtype(dtype).kind
    if kind in "biu":
        return rng.integers(0, 2 if kind == "b" else 5, shape).astype(dtype)
    pool = [0.0, -0.0, 1.0, 0.5, -0.75, 2.5, 3.0, 3.75]
    if seed % 2 and not name.startswith(NO_NAN):
        # NumPy interpolates between an infinity and itself to nan
        pool += [np.nan] if "quantile" in name or "percentile" in name else [np.nan, np.inf]
    x = rng.choice(pool, shape)
    if kind == "c":
        x = rng.choice(pool[:8], shape) + 1j * rng.choice(pool[:8], shape)
    return x.astype(dtype)


def agree(found: Any, expected: Any, roundings: int) -> bool:
    """Return whether a result is NumPy's but for some roundings: of the largest number, if many."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    if expected.dtype.kind not in "fc":
        return bool(np.array_equal(found, expected))
    eps = roundings * np.finfo(expected.dtype).eps
    scale = np.max(np.abs(expected[np.isfinite(expected)]), initial=0) if roundings > 8 else 0
    if expected.dtype.kind == "c":
        # beside an infinite part of a product the other one is nan or not by how it is computed
        infinite = np.isinf(found) & np.isinf(expected)
        found, expected = (np.where(infinite, 0, v) for v in (found, expected))
    return bool(np.allclose(found, expected, rtol=eps, atol=eps * scale, equal_nan=True))


@pytest.mark.parametrize("name", sampled(CALLS, 300, "calls"))
@pytest.mark.filterwarnings("ignore")
def test_values_shapes_and_dtypes(name: str) -> None:
    call, tried, wrong = CALLS[name], 0, []
    extremes = name in OF_A_MODULE
    for i, values in enumerate(wide(name) if extremes else usual(name)):
        try:
            with np.errstate(all="ignore"):
                expected = np.asarray(call(np, *values))
        except REFUSALS:
            continue
        of_purpose = ON_PURPOSE.get(name, lambda dtypes, ndim: False)
        if of_purpose({v.dtype.name for v in values}, values[0].ndim):
            continue
        known = extremes or bool(i % 2) or name in OF_KNOWN_LENGTH
        xs = [at.TensorType(v.dtype.name, v.shape if known else (None,) * v.ndim)() for v in values]
        try:
            out = at.as_tensor_variable(call(at, *xs))
            (found,) = evaluate([out], dict(zip(xs, values, strict=True)))
        except Exception as error:
            wrong.append((xs, f"{type(error)}: {error}"[:300]))
            continue
        tried += 1
        if not agree(found, expected, 8 if extremes else 64):
            wrong.append((xs, found, expected, values))
    assert not wrong, "\n".join(map(str, wrong[:6]))
    assert tried


OF_NOTHING = [
    *("histogram", "histogram density", "greatest of some", "least and a bound", "matrix_rank"),
    *("matrix_norm", "norm of vectors inf", "norm of matrices 2", "norm of matrices inf"),
    *("std of an axis", "var along 0", "var along None", "along an axis: nanvar"),
]


@pytest.mark.parametrize("name", OF_NOTHING)
@pytest.mark.filterwarnings("ignore")
def test_of_nothing(name: str) -> None:
    for shape in ((0,), (3, 0), (0, 4), (2, 0, 4)):
        value = np.zeros(shape)
        try:
            expected = np.asarray(CALLS[name](np, value))
        except REFUSALS:
            continue
        for x in (at.tensor("float64", shape), at.tensor("float64", (None,) * len(shape))):
            out = CALLS[name](at, x)
            f = function([x], out, on_unused_input="ignore")
            for found in (f(value), *evaluate([out], {x: value})):
                assert agree(np.asarray(found), expected, 8), (shape, found, expected)


def test_every_function_is_here() -> None:
    named = {name for name in at.__all__ if hasattr(np, name)} - {"matrix"}
    assert len(CALLS) == len(ONE) + len(TWO) + len(OF_A_MODULE)
    assert named <= {key.split(" ")[0] for key in OF_A_MODULE} <= set(at.__all__)


@pytest.mark.parametrize("mode", ["o4", "FAST_COMPILE"])
def test_compiled(mode: str) -> None:
    """All of them in a few functions, which infer shapes too."""
    x, y = at.tensor("float64", (3, 4), "x"), at.tensor("float64", (4,), "y")
    given = {x: small("float64", (3, 4), 0, "unique"), y: small("float64", (4,), 2, "unique")}
    outputs, names, expected = [], [], []
    for (name, call), v in itertools.product(CALLS.items(), given):
        try:
            out = at.as_tensor_variable(call(at, *[v, v + 1.5][: arity(name)]))
            expected += evaluate([out], given)
        except REFUSALS:
            continue
        outputs.append(out)
        names.append((name, v.type.ndim))
    found = function([x, y], outputs, mode=mode)(*given.values())
    shapes = function([x, y], [out.shape for out in outputs], mode=mode)(*given.values())
    for name_, a, b, shape in zip(names, found, expected, shapes, strict=True):
        assert agree(np.asarray(a), b, 64), name_
        assert tuple(shape) == b.shape, name_


WITHOUT_DIFFERENCES = {
    *("round to tenths", "the same by another name", "sum in float32", "sum in int8"),
    *("prod in float32", "prod in int8", "dtype of a ufunc", "dtype of a sum"),
    "cumulative sums of a dtype",
}
"""Calls that round by more than the differences are."""


def cost(out: Any) -> Any:
    """Return a real number that every element of a result is part of, the imaginary part too."""
    out = at.as_tensor_variable(out)
    if out.type.dtype.startswith("complex"):
        return (out.real * 1.3).sum() + (out.imag * 0.7).sum() + (out.real * out.imag).sum()
    return at.sum(at.sqrt(1.0 + out * out))


@pytest.mark.parametrize("name", [n for n in CALLS if n not in WITHOUT_DIFFERENCES])
@pytest.mark.parametrize("shapes", [[(4,)], [(3, 4), (3, 3), (2, 3, 4)]], ids=["vector", "more"])
@pytest.mark.filterwarnings("ignore")
def test_gradients(name: str, shapes: list[tuple[int, ...]]) -> None:
    """Against differences, on the first of some shapes that NumPy takes."""
    call, count, rng = CALLS[name], arity(name), np.random.default_rng(5)
    for shape in shapes[:0] if name in OF_VECTORS and len(shapes) > 1 else shapes:
        values = [rng.permutation(np.linspace(0.31, 2.83, int(np.prod(shape)))).reshape(shape)]
        values += [
            rng.permutation(v.ravel() * 0.77 + 0.2).reshape(shape) for v in values[: count - 1]
        ]
        try:
            call(np, *values)
        except REFUSALS:
            continue
        break
    else:
        return
    xs = [at.TensorType("float64", v.shape)() for v in values]
    total = cost(call(at, *xs))
    given = dict(zip(xs, values, strict=True))
    # what counts, finds places or compares does not depend on them: its slope is zero
    slopes = evaluate(grad(total, xs, disconnected_inputs="ignore"), given)
    for i, (v, slope) in enumerate(zip(values, slopes, strict=True)):
        direction = rng.normal(size=v.shape)
        moved = [
            evaluate([total], {**given, xs[i]: v + step * direction})[0] for step in (1e-5, -1e-5)
        ]
        difference = (moved[0] - moved[1]) / 2e-5
        np.testing.assert_allclose(np.sum(slope * direction), difference, rtol=2e-6, atol=2e-7)
