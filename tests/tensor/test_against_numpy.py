"""Functions that have NumPy's names give NumPy's dtypes and values, for every dtype and rank.

Where they differ on purpose, `ON_PURPOSE` says why.
"""

import itertools

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.tensor.type import TensorType
from tests.seeds import seed_of

DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)

# What each is called with: the module (NumPy or this one) and tensors of one rank.
CALLS = {
    **{
        name: (lambda m, x, name=name: getattr(m, name)(x))
        for name in (
            *("abs", "absolute", "all", "angle", "any", "arccos", "arccosh", "arcsin", "arcsinh"),
            *("arctan", "arctanh", "argmax", "argmin", "argsort", "bitwise_not", "ceil", "conj"),
            *("conjugate", "cos", "cosh", "cumprod", "cumsum", "deg2rad", "diag", "diagonal"),
            *("exp", "exp2", "expm1", "flip", "floor", "imag", "invert", "isfinite", "isinf"),
            *("isnan", "log", "log10", "log1p", "log2", "logical_not", "max", "mean", "min"),
            *("negative", "ones_like", "prod", "ptp", "rad2deg", "ravel", "real", "reciprocal"),
            *("around", "round", "shape", "sign", "sin", "sinh", "size", "sort", "sqrt"),
            *("square", "std"),
            *("sum", "tan", "tanh", "trace", "transpose", "tril", "triu", "trunc", "var"),
            *("cbrt", "zeros_like"),
        )
    },
    **{
        name: (lambda m, x, y, name=name: getattr(m, name)(x, y))
        for name in (
            *("add", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "dot"),
            *("equal", "floor_divide", "greater", "greater_equal", "isclose", "less"),
            *("less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor", "matmul"),
            *("maximum", "minimum", "mod", "multiply", "not_equal", "outer", "pow", "power"),
            *("remainder", "subtract", "true_divide", "hypot"),
        )
    },
    "arange": lambda m, x: m.arange(m.equal(x, x).sum()),
    "broadcast_to": lambda m, x: m.broadcast_to(x, (2, *x.shape)),
    "clip": lambda m, x, y: m.clip(x, y, x),
    "clip to numbers": lambda m, x: m.clip(x, 1, 3),
    "concatenate": lambda m, x, y: m.concatenate([x, y]),
    "cumprod of an axis": lambda m, x: m.cumprod(x, axis=-1),
    "cumsum of an axis": lambda m, x: m.cumsum(x, axis=-1),
    "einsum": lambda m, x, y: m.einsum("i...,i...->...", x, y),
    "expand_dims": lambda m, x: m.expand_dims(x, 0),
    "eye": lambda m, x: m.eye(3, dtype=x.dtype),
    "full": lambda m, x: m.full((2, 2), x.sum()),
    "full_like": lambda m, x: m.full_like(x, 3),
    "hstack": lambda m, x, y: m.hstack([x, y]),
    "identity": lambda m, x: m.eye(2, dtype=x.dtype),
    "isclose to a number": lambda m, x: m.isclose(x, 1),
    "kron": lambda m, x, y: m.kron(x, y),
    "max of an axis": lambda m, x: m.max(x, axis=0),
    "mean of an axis": lambda m, x: m.mean(x, axis=0),
    "min of an axis": lambda m, x: m.min(x, axis=-1),
    "moveaxis": lambda m, x: m.moveaxis(x, 0, -1),
    "ones": lambda m, x: m.ones((2, 3), dtype=x.dtype),
    "power of a number": lambda m, x: m.power(x, 2),
    "prod of an axis": lambda m, x: m.prod(x, axis=-1, keepdims=True),
    "repeat": lambda m, x: m.repeat(x, 2),
    "reshape": lambda m, x: m.reshape(x, (-1, 1)),
    "roll": lambda m, x: m.roll(x, 1),
    "sort of an axis": lambda m, x: m.sort(x, axis=0),
    "split": lambda m, x: m.split(x, [1, 1] if m is at else 2)[0],
    "squeeze": lambda m, x: m.squeeze(x),
    "stack": lambda m, x, y: m.stack([x, y]),
    "std of an axis": lambda m, x: m.std(x, axis=0, ddof=1),
    "sum of an axis": lambda m, x: m.sum(x, axis=-1),
    "swapaxes": lambda m, x: m.swapaxes(x, 0, -1),
    "take": lambda m, x: m.take(x, [0, 0]),
    "tensordot": lambda m, x, y: m.tensordot(x, y, 1),
    "tile": lambda m, x: m.tile(x, (2, 2)),
    "tri": lambda m, x: m.tri(3, dtype=x.dtype),
    "tril": lambda m, x: m.tril(x),
    "tril moved": lambda m, x: m.tril(x, -1),
    "triu moved": lambda m, x: m.triu(x, 1),
    "vstack": lambda m, x, y: m.vstack([x, y]),
    "where": lambda m, x, y: m.where(x, x, y),
    "zeros": lambda m, x: m.zeros((2, 3), dtype=x.dtype),
}

ON_PURPOSE = {
    # NumPy's answer is a tuple, which has no dtype; here it is a vector of int64, be it empty.
    "shape": lambda dtypes, ndim: ndim == 0,
    # Several terms are taken to one dtype first, so that their order makes no difference: int32 for
    # these two, and its floats are float64.
    "logaddexp": lambda dtypes, ndim: set(dtypes) in ({"int8", "uint16"}, {"int16", "uint16"}),
}


def arity(call):
    return call.__code__.co_argcount - 1 - len(call.__defaults__ or ())


def values_of(dtype, ndim, seed):
    """Return an array of small, large and special numbers of a dtype."""
    kind, shape = np.dtype(dtype).kind, (2,) * ndim
    rng = np.random.default_rng(seed_of("against NumPy", seed, ndim))
    if kind == "b":
        pool = [True, False]
    elif kind in "iu":
        info = np.iinfo(dtype)
        pool = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1]
    else:
        pool = [0.0, -0.0, 1.0, 0.5, -0.75, 2.5, 90.0, -3.0, np.nan, np.inf]
        if kind == "c":
            pool = [complex(a, b) for a, b in itertools.product(pool[:-2], pool[:-2])]
    with np.errstate(all="ignore"):
        return rng.choice(np.array(pool, dtype), shape)


def agrees(found, expected):
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind not in "fc":
        return bool(np.array_equal(found, expected))
    eps = 8 * np.finfo(expected.dtype).eps
    if expected.dtype.kind == "c" and found.dtype == expected.dtype:
        # beside an infinite part of a product the other one is nan or not by how it is computed
        infinite = np.isinf(found) & np.isinf(expected)
        found, expected = (np.where(infinite, 0, v) for v in (found, expected))
    return bool(np.allclose(found, expected, rtol=eps, atol=0, equal_nan=True))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_dtypes_and_values(name):
    call = CALLS[name]
    differing = []
    others = DTYPES[::3] if arity(call) > 1 else (None,)
    for dtype, other, ndim, seed in itertools.product(DTYPES, others, (0, 1, 2), range(4)):
        dtypes = (dtype, other if seed % 2 else dtype)[: arity(call)]
        given = [values_of(d, ndim, seed + 10 * i) for i, d in enumerate(dtypes)]
        try:
            with np.errstate(all="ignore"):
                expected = np.asarray(call(np, *given))
        except (TypeError, ValueError, IndexError):
            continue
        inputs = [TensorType(v.dtype.name, v.shape)() for v in given]
        where = (dtypes, ndim)
        try:
            out = at.as_tensor_variable(call(at, *inputs))
            (found,) = evaluate([out], dict(zip(inputs, given, strict=True)))
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            differing.append((where, f"{type(error).__name__}: {error}"))
            continue
        if found.dtype != expected.dtype:
            differing.append((where, f"{found.dtype}, not {expected.dtype}"))
        elif not agrees(found, expected):
            differing.append((where, f"{found}, not {expected} of {given}"))
    allowed = ON_PURPOSE.get(name, lambda dtypes, ndim: False)
    wrong = [text for text in differing if not allowed(*text[0])]
    assert not wrong, "\n".join(map(str, wrong))


def test_every_function_is_here():
    named = {name for name in at.__all__ if hasattr(np, name)} - {"matrix"}
    assert named <= {key.split(" ")[0] for key in CALLS} <= set(at.__all__)
