"""The terms of ops compute what NumPy computes, on random and on edge values of each dtype.

With 10,000 values of each: ``pytest -m thorough tests/proof``.
"""

import zlib
from itertools import product

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.proof.elements import NotTranslated, z3
from relgraph.proof.machine import OPS, Translation, applied, literal
from relgraph.proof.reals import Integers
from relgraph.proof.statements import DTYPES
from relgraph.scalar.type import INTS, UINTS
from tests.seeds import SEED

FEW, MANY = 100, 10_000

FUNCTIONS = {
    **{name: getattr(at, name) for name in OPS if name not in ("maximum", "minimum", "pow")},
    "switch": at.switch,
    "second": at.second,
    "square as a power": lambda x: x**2,
    "to float32": lambda x: at.cast(x, "float32"),
    "to int16": lambda x: at.cast(x, "int16"),
    "to bool": lambda x: at.cast(x, "bool"),
    # of zeros of both signs NumPy may give either one
    "maximum with one": lambda x: at.maximum(x, 1),
    "minimum with one": lambda x: at.minimum(x, 1),
}


def _values(dtype, count, random):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.random(count) < 0.5
    if kind in "iu":
        limits = np.iinfo(dtype)
        edges = [0, 1, limits.max, limits.min, 2]
        made = random.integers(limits.min, limits.max, count, dtype, endpoint=True)
    else:
        limits = np.finfo(dtype)
        edges = [0.0, -0.0, np.inf, -np.inf, np.nan, limits.max, limits.tiny, -1.0, 0.5]
        with np.errstate(all="ignore"):
            made = random.normal(0, 10.0 ** random.integers(-3, 4, count)).astype(dtype)
    chosen = random.random(count) < 0.5
    return np.where(chosen, random.choice(np.array(edges, dtype), count), made)


def _built(function, dtype):
    """Return inputs of a dtype, and what a function makes of as many as it takes; or None."""
    inputs = [at.TensorType(dtype, (None,))(name) for name in "xyz"]
    for count in (1, 2, 3):
        try:
            return inputs[:count], function(*inputs[:count])
        except TypeError:
            continue
    return None


def _machine(inputs, nodes, renamed=None):
    """Return the terms that machines compute, and how numbers are written as such."""
    elements, formats = Translation(inputs, nodes, renamed), renamed or {}
    if elements.is_unknown():
        raise NotTranslated("what an op computes")
    return elements, lambda value, dtype: literal(value, formats.get(dtype, dtype))


def _integers(inputs, nodes):
    """Return the terms of integers that wrap around, and how numbers are written as such."""

    def number(value, dtype):
        return z3.BoolVal(bool(value)) if dtype == "bool" else z3.IntVal(int(value))

    return Integers(inputs, nodes), number


def _bfloat16(inputs, nodes):
    """Return the terms of bfloat16s in the place of float32s, and how numbers are written."""
    return _machine(inputs, nodes, {"float32": "bfloat16"})


def _as_bfloat16(x):
    """Return float32s rounded to bfloat16s. What float32s of these compute is exact, or has more
    than twice as many bits: rounded once more, it is what bfloat16s compute."""
    if x.dtype != "float32":
        return x
    bits = x.view("uint32")
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, rounded.view("float32"))


def _check(name, dtype, count, translate=_machine, rounded=np.asarray):
    built = _built(FUNCTIONS[name], dtype)
    if built is None:
        return 0
    inputs, out = built
    try:
        elements, literal = translate(inputs, list(io_toposort(inputs, [out])))
    except NotTranslated:
        return 0
    random = np.random.default_rng([SEED, zlib.crc32(f"{name} {dtype}".encode())])
    values = {v: rounded(_values(dtype, count, random)) for v in inputs}
    with np.errstate(all="ignore"):
        (expected,) = evaluate([out], values)
    expected = rounded(expected)
    for k in range(count):
        if _is_out_of_range(name, [values[v][k] for v in inputs]):
            continue
        known = [(elements.inputs[v], literal(values[v][k], dtype)) for v in inputs]
        found = z3.simplify(z3.substitute(elements.of(out), *known))
        wanted = literal(expected[k], out.type.dtype)
        shown = {str(v): values[v][k] for v in inputs}
        assert z3.is_true(z3.simplify(found == wanted)), (name, dtype, shown, found, expected[k])
    return count


def _is_out_of_range(name, values):
    """Return whether a conversion to integers has no value that C defines."""
    return name == "to int16" and not all(abs(float(v)) < 2**15 for v in values)


each_function = pytest.mark.parametrize("name", FUNCTIONS)
few_or_many = pytest.mark.parametrize(
    "count", [FEW, pytest.param(MANY, marks=pytest.mark.thorough)]
)


@few_or_many
@each_function
def test_terms_compute_what_numpy_computes(name, count):
    assert sum(_check(name, dtype, count) for dtype in DTYPES)


@few_or_many
@each_function
def test_integers_compute_what_numpy_computes(name, count):
    checked = [_check(name, dtype, count, _integers) for dtype in (*INTS, *UINTS)]
    assert all(checked) or name not in ("int_div", "mod", "add", "mul", "neg", "abs", "sqr", "lt")


@few_or_many
@each_function
def test_bfloat16s_compute_what_float32s_do_rounded(name, count):
    assert _check(name, "float32", count, _bfloat16, _as_bfloat16) or not _check(name, "float32", 1)


@pytest.mark.parametrize("dtypes", [("int64", "uint64"), ("uint64", "int64"), ("int8", "uint64")])
@pytest.mark.parametrize("name", ["eq", "neq", "lt", "le", "gt", "ge"])
def test_integers_with_and_without_a_sign_are_compared_as_numbers(
    name: str, dtypes: tuple[str, str]
) -> None:
    op = getattr(scalar, name)
    edges = [np.array([x for x in EDGES if within(x, d)], d) for d in dtypes]
    for a, b in product(*edges):
        terms = [z3.BitVecVal(int(x), 8 * x.itemsize) for x in (a, b)]
        found = z3.simplify(applied(op, terms, dtypes, "bool", []))
        assert z3.is_true(found) == bool(op.ufunc(a, b)), (a, b)


EDGES = (0, 1, 2, -1, -2, -128, 127, 128, 2**63 - 1, 2**63, 2**64 - 1, -(2**63))


def within(x: int, dtype: str) -> bool:
    return np.iinfo(dtype).min <= x <= np.iinfo(dtype).max
