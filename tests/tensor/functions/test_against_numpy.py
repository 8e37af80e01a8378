"""NumPy's functions on variables have NumPy's values, shapes and dtypes, for dtypes and ranks."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.graph.reference import evaluate
from tests.seeds import seed_of
from tests.tensor.functions.calls import ONE, TWO

DTYPES = ("bool", "int16", "uint8", "float32", "float64", "complex128")
SHAPES = ((4,), (3, 4), (2, 3, 4))
# Where no graph is made on purpose.
REFUSED = {
    "unstack": "open length",
    "tril_indices_from": "open length",
    "triu_indices_from": "open length",
    "polyval of coefficients": "open length",
    "polyadd": "open length",
    "polysub": "open length",
    "broadcast_arrays": "open length",
    "array_equiv": "open length",
    "delete several": "open length",
    "delete by slice": "open length",
    "delete": "open length",
}
NO_NAN = (
    "tensorsolve",
    "tensorinv",
    "unique",
    "setxor",
    "union",
    "intersect",
    "setdiff",
    "lexsort",
    "histogram",
    "corr",
    "irfft",
    "fft irfft",
    "fft hfft",
    "hfft",
)


OF_VECTORS = ("polyval of coefficients", "polyadd", "polysub")


def value_of(dtype: str, shape: tuple[int, ...], seed: int, name: str) -> Any:
    rng = np.random.default_rng(seed_of(name, seed))
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(0, 5, shape).astype(dtype)
    pool = [0.0, -0.0, 1.0, 0.5, -0.75, 2.5, 3.0, 3.75]
    if seed % 2 and not name.startswith(NO_NAN):
        # NumPy interpolates between an infinity and itself to nan
        pool += [np.nan] if "quantile" in name or "percentile" in name else [np.nan, np.inf]
    x = rng.choice(pool, shape)
    if kind == "c":
        x = rng.choice(pool[:8], shape) + 1j * rng.choice(pool[:8], shape)
    return x.astype(dtype)


def cases(name: str, count: int) -> Any:
    # NumPy makes bins of complex numbers, in no order
    dtypes = DTYPES[:-1] if name.startswith("histogram") else DTYPES
    for i, dtype in enumerate(dtypes):
        for j, shape in enumerate(SHAPES[:1] if name in OF_VECTORS else SHAPES):
            for seed in (0, 1) if dtype == "float64" else ((i + j) % 2,):
                yield [value_of(dtype, shape, seed + 10 * k, name) for k in range(count)]


def agree(found: Any, expected: Any) -> bool:
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    if expected.dtype.kind not in "fc":
        return bool(np.array_equal(found, expected))
    eps = 64 * np.finfo(expected.dtype).eps
    scale = np.max(np.abs(expected[np.isfinite(expected)]), initial=0)
    return bool(np.allclose(found, expected, rtol=eps, atol=eps * scale, equal_nan=True))


@pytest.mark.parametrize("name", [*ONE, *TWO])
@pytest.mark.filterwarnings("ignore")
def test_values_shapes_and_dtypes(name: str) -> None:
    count = 1 if name in ONE else 2
    call = ONE[name] if count == 1 else TWO[name]
    tried, wrong = 0, []
    for i, values in enumerate(cases(name, count)):
        try:
            with np.errstate(all="ignore"):
                expected = np.asarray(call(*values))
        except (TypeError, ValueError, IndexError, OverflowError, np.linalg.LinAlgError):
            continue
        known = bool(i % 2) or name in REFUSED
        xs = [at.TensorType(v.dtype.name, v.shape if known else (None,) * v.ndim)() for v in values]
        try:
            out = at.as_tensor_variable(call(*xs))
            (found,) = evaluate([out], dict(zip(xs, values, strict=True)))
        except Exception as error:
            wrong.append((values[0].dtype, values[0].shape, known, f"{type(error)}: {error}"[:300]))
            continue
        tried += 1
        if not agree(found, expected):
            wrong.append((values[0].dtype, values[0].shape, known, found, expected, values))
    assert not wrong, "\n".join(map(str, wrong[:6]))
    assert tried


@pytest.mark.parametrize("mode", ["o4", "FAST_COMPILE"])
def test_compiled(mode: str) -> None:
    """All of them in a few functions, which infer shapes too."""
    x, y = at.tensor("float64", (3, 4), "x"), at.tensor("float64", (4,), "y")
    values = [value_of("float64", (3, 4), 0, "unique"), value_of("float64", (4,), 2, "unique")]
    outputs, names = [], []
    for name, call in ONE.items():
        for v in (x, y):
            try:
                outputs.append(at.as_tensor_variable(call(v)))
            except (TypeError, ValueError, IndexError):
                continue
            names.append((name, v.type.ndim))
    given = dict(zip((x, y), values, strict=True))
    keep = []
    for i, out in enumerate(outputs):
        try:
            evaluate([out], given)
        except (ValueError, IndexError):
            continue
        keep.append(i)
    expected = evaluate([outputs[i] for i in keep], given)
    found = function([x, y], [outputs[i] for i in keep], mode=mode)(*values)
    shapes = function([x, y], [outputs[i].shape for i in keep], mode=mode)(*values)
    for i, a, b, shape in zip(keep, found, expected, shapes, strict=True):
        assert agree(np.asarray(a), b), names[i]
        assert tuple(shape) == b.shape, names[i]
