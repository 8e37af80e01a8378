"""What an op computes depends on values and shapes: neither on how its inputs lie in memory, nor,
element by element, on their rank."""

import itertools

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, scalar
from relgraph.graph.op import Op
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.along_axes import Cumulate
from relgraph.tensor.memory import steady
from relgraph.tensor.type import TensorType
from tests import arrays
from tests.arrays import backward

FLOATS = ("float16", "float32", "float64", "complex64", "complex128")
EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan]
SCALAR_OPS = {n: op for n, op in vars(scalar).items() if isinstance(op, ScalarOp)}


def standing_still(a):
    """A view whose axes of length 1 have the stride 0."""
    axes = tuple(i for i, n in enumerate(a.shape) if n == 1)
    return np.expand_dims(np.squeeze(a, axes), axes)


LAYOUTS = (backward, arrays.LAYOUTS["with gaps"], np.asfortranarray, standing_still)


def drawn(rng, dtype, shape, edges=0.2):
    def reals():
        usual = rng.normal(size=shape) * 10.0 ** rng.integers(-2, 3, shape)
        return np.where(rng.random(shape) < edges, rng.choice(EDGES, shape), usual)

    with np.errstate(all="ignore"):
        if np.dtype(dtype).kind == "c":
            return np.asarray(reals() + 1j * reals()).astype(dtype)
        return np.asarray(reals()).astype(dtype)


def same_bits(a, b):
    """Whether two arrays are the same, but for what nan is made of."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) and same_bits(a.imag, b.imag)
    if a.dtype.kind == "f":
        nan = np.isnan(a) & np.isnan(b)
        return bool(np.all(nan | ((a == b) & (np.signbit(a) == np.signbit(b)))))
    return bool(np.all(a == b))


def runs(op, dtypes, ndim, linker, shape=None):
    inputs = [TensorType(d, shape or (None,) * ndim)() for d in dtypes]
    return function(inputs, op(*inputs), mode=Mode(linker, None))


def arity(op):
    return 2 if op.nin == -1 else op.nin


def is_defined(op, dtype):
    """Whether a scalar op takes numbers of a dtype."""
    try:
        op.output_dtype(*[dtype] * arity(op))
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("linker", ["py", "vm"])
@pytest.mark.parametrize(
    ("dtype", "name"),
    [(d, name) for name, op in SCALAR_OPS.items() for d in FLOATS if is_defined(op, d)],
)
def test_elements(name, dtype, linker):
    op, count = at.Elemwise(SCALAR_OPS[name]), arity(SCALAR_OPS[name])
    rng = np.random.default_rng(0)
    vectors, numbers = (runs(op, [dtype] * count, ndim, linker) for ndim in (1, 0))
    one = runs(op, [dtype] * count, 1, linker, (1,))
    values = [drawn(rng, dtype, (35,)) for _ in range(count)]
    if name == "polygamma":
        values[0] = np.full(35, 2, dtype)
    expected = vectors(*values)
    for layout in LAYOUTS:
        assert same_bits(vectors(*map(layout, values)), expected), layout
    for size in (1, 3):
        parts = [vectors(*[v[i : i + size] for v in values]) for i in range(0, 33, size)]
        assert same_bits(np.concatenate(parts), expected[:33])
    each = zip(*values, strict=True)
    alone = np.array([numbers(*map(np.asarray, point)) for point in each])
    assert same_bits(alone, expected), "rank 0"
    still = [one(*[np.asarray(x)[None] for x in point]) for point in zip(*values, strict=True)]
    assert same_bits(np.concatenate(still), expected), "an axis of stride 0"


BINARY = (at.pow, at.mul, at.maximum, at.true_div, at.arctan2)


@pytest.mark.parametrize("linker", ["py", "vm"])
@pytest.mark.parametrize(
    ("op", "dtype"), [(op, d) for op in BINARY for d in FLOATS if is_defined(op.scalar_op, d)]
)
def test_what_is_repeated(op, dtype, linker):
    rng = np.random.default_rng(1)
    x, y = (TensorType(dtype, (None,))(n) for n in "xy")
    one = TensorType(dtype, (1,))("one")
    for a, b in itertools.product((x, one), (y, one)):
        if a is b:
            continue
        f = function([a, b], op(a, b), mode=Mode(linker, None))
        full = runs(op, [dtype] * 2, 1, linker)
        for number in EDGES:
            point = {x: drawn(rng, dtype, (9,)), y: drawn(rng, dtype, (9,))}
            point[one] = np.array([number], dtype)
            assert same_bits(
                f(point[a], point[b]), full(*[np.resize(point[v], 9).copy() for v in (a, b)])
            )


OVER_AXES: list[tuple[Op, tuple[tuple[int, ...], ...]]] = [
    *[
        (at.CAReduce(op, axis), ((9, 17, 5),))
        for op in (scalar.add, scalar.mul, scalar.maximum, scalar.minimum)
        for axis in (None, (0,), (2,), (0, 2))
    ],
    *[(Cumulate(op, axis), ((9, 17),)) for op in (scalar.add, scalar.mul) for axis in (0, 1)],
    (at.dot, ((17, 33), (33, 9))),
    (at.dot, ((17, 33), (33,))),
    (at.dot, ((33,), (33, 17))),
    (at.dot, ((33,), (33,))),
    (at.dot, ((1, 33), (33, 1))),
    (at.matmul, ((3, 17, 33), (3, 33, 9))),
    *[(lambda x, f=f, a=a: f(x, a), ((9, 17),))
      for f in (at.softmax, at.log_softmax, at.logsumexp) for a in (0, 1, None)],
]  # fmt: skip


def takes(op, dtype, shapes):
    """Whether an op takes tensors of a dtype, of as many axes as some shapes have."""
    try:
        op(*[TensorType(dtype, (None,) * len(shape))() for shape in shapes])
    except TypeError:
        return False
    return True


@pytest.mark.parametrize(
    ("op", "shapes", "dtype"),
    [(op, shapes, d) for op, shapes in OVER_AXES for d in FLOATS if takes(op, d, shapes)],
)
def test_sums_and_products(op, shapes, dtype):
    inputs = [TensorType(dtype, (None,) * len(shape))() for shape in shapes]
    out = op(*inputs)
    rng = np.random.default_rng(2)
    for linker, edges in itertools.product(("py", "vm"), (0.0, 0.2)):
        f = function(inputs, out, mode=Mode(linker, None))
        values = [drawn(rng, dtype, shape, edges) for shape in shapes]
        expected = f(*values)
        for layouts in itertools.product(LAYOUTS, repeat=len(values)):
            laid_out = [g(v) for g, v in zip(layouts, values, strict=True)]
            assert same_bits(f(*laid_out), expected), layouts


def test_what_is_written_over_an_input():
    z = at.zvector("z")
    f = function([z], at.exp(z) * z * z, mode=Mode("vm", None))
    g = function([z], at.exp(z) * z * z, mode=Mode("py", None))
    rng = np.random.default_rng(3)
    for _ in range(200):
        value = drawn(rng, "complex128", (1,), 0)
        assert same_bits(f(value), g(value))


x, s, v, w = at.dmatrix("x"), at.fscalar("s"), at.dvector("v"), at.dvector("w")
c, fm, n, zm = at.zscalar("c"), at.fmatrix("fm"), at.dscalar("n"), at.zmatrix("zm")
STRICT = {
    "filled exponent": v ** at.full_like(v, 2.0),
    "filled root": v ** at.full_like(v, 0.5),
    "filled one": v ** at.full_like(v, 1.0),
    "transposed product": x.T @ x[1],
    "product of a product": x.T @ (x @ x.T),
    "sum of a transposed": at.sum((v[:, None] * w[None, :]).T, axis=0),
    "product of a transposed": at.prod((v[:, None] + w[None, :]).T, axis=0),
    "softmax of a transposed": at.softmax((v[:, None] * w[None, :]).T, axis=0),
    "sum of all transposed": at.sum((v[:, None] * w[None, :]).T),
    "sum of reversed": at.sum(at.exp(v[::-1])[::-1]),
    "square of a scalar": s**2 * fm,
    "moved square": (s**2).dimshuffle("x", "x") * fm,
    "moved sine": at.sin(s).dimshuffle("x", "x") * fm,
    "complex product": (c * c * at.exp(c)).dimshuffle("x"),
    "moved complex product": c.dimshuffle("x") * at.log(c).dimshuffle("x"),
    "clip": at.clip(n, -1, 0).dimshuffle("x"),
    "clip of moved": at.clip(n.dimshuffle("x"), -1, 0),
    "part of products": at.cumprod(zm, axis=1)[-1, :2],
    "part of products of a part": at.cumprod(zm.T, axis=0)[:3][:2, 0],
    "extreme": at.maximum(n, 0.0).dimshuffle("x") + at.minimum(n.dimshuffle("x"), 0.0),
}


@pytest.mark.parametrize("name", STRICT)
def test_strict_keeps_every_bit(name):
    out, inputs = STRICT[name], [x, s, v, w, c, fm, zm, n]
    kwargs = {"on_unused_input": "ignore"}
    f = function(inputs, out, mode="strict", **kwargs)
    reference = function(inputs, out, mode=Mode("py", None), **kwargs)
    rng = np.random.default_rng(4)
    for length in range(1, 40):
        edges = 0.2 * (length % 2)
        values = [
            drawn(rng, v.type.dtype, (length, length + 1, 2)[: v.type.ndim], edges) for v in inputs
        ]
        values[0] = drawn(rng, "float64", (length + 1, length + 1), edges)
        for layout in (np.copy, np.asfortranarray, backward):
            given = [layout(a) if a.ndim else a for a in values]
            assert same_bits(f(*given), reference(*given))
    assert same_bits(*(g(*values[:7], -0.0) for g in (f, reference)))


@pytest.mark.parametrize("name", sorted(SCALAR_OPS))
def test_overwriting_arrays_with_gaps(name):
    """NumPy's own `negative` reads what it has overwritten, for some gaps."""
    ufunc = SCALAR_OPS[name].ufunc
    if not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        return
    for dtype, step in itertools.product(("float32", "float64", "int32", "int64"), range(1, 9)):
        values = [np.arange(1, 8 * step + 1).astype(dtype)[::step] for _ in range(ufunc.nin)]
        with np.errstate(all="ignore"):
            try:
                expected = ufunc(*[v.copy() for v in values])
            except TypeError:
                continue
            if expected.dtype != dtype:
                continue
            made = steady(ufunc, [dtype] * ufunc.nin)(*values, out=values[0])
        assert made is values[0]
        np.testing.assert_array_equal(made, expected)
