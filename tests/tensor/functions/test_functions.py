"""NumPy's functions that are made of others: their edges, and what `calls.py` has no rows for."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.gradient import grad
from relgraph.graph.reference import evaluate

# Bins, edges and points as NumPy's functions take them: descending, constant, none, or wrong.

X = np.array([0.5, 2, 1, 3, -1, 2.5, np.nan, np.inf, -np.inf])
BINS = {
    "ascending": [0.0, 1, 2, 3],
    "descending": [3.0, 2, 1, 0],
    "descending integers": [3, 2, 1],
    "repeated": [0.0, 1, 1, 2],
    "repeated and descending": [3.0, 2, 2, 0],
    "constant": [1.0, 1, 1],
    "one": [1.0],
    "none": np.zeros(0),
    "infinite": [np.inf, 0, -np.inf],
    "nan at the end": [0.0, 1, np.nan],
    "nan at the start": [np.nan, 0.0],
    "neither": [0.0, 2, 1],
}


def found(name, arguments, options, static):
    """Return what a function gives, of constants or of variables, as a list of arrays."""
    arrays = [v for v in arguments if isinstance(v, np.ndarray)]
    inputs = {id(v): at.TensorType(v.dtype, (None,) * v.ndim)() for v in arrays}
    given = [
        v if id(v) not in inputs else at.constant(v) if static else inputs[id(v)] for v in arguments
    ]
    made = getattr(at, name)(*given, **options)
    outs = list(made) if isinstance(made, tuple) else [made]
    values = {inputs[id(v)]: v for v in arrays}
    return [evaluate([at.as_tensor_variable(out)], values)[0] for out in outs]


def check(name, *arguments, **options):
    """Compare with NumPy: values and dtypes, or that there is an error."""
    for static in (True, False):
        try:
            with np.errstate(all="ignore"):
                wanted = getattr(np, name)(*arguments, **options)
        except (ValueError, TypeError):
            with pytest.raises((ValueError, TypeError, AssertionError), match=name):
                found(name, arguments, options, static)
            continue
        wanted = list(wanted) if isinstance(wanted, tuple) else [wanted]
        for value, want in zip(found(name, arguments, options, static), wanted, strict=True):
            np.testing.assert_allclose(value, want, rtol=1e-12)
            assert value.dtype == np.asarray(want).dtype


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", BINS.values(), ids=BINS.keys())
def test_digitize(bins, right):
    for x in (X, np.array([[1, 2], [3, 0]]), np.array(2.0), np.zeros(0)):
        check("digitize", x, np.array(bins), right)


@pytest.mark.parametrize("mode", ["o4", "jax", "dask"])
def test_digitize_in_every_engine(mode):
    x, bins = at.dvector(), at.dvector()
    f = function([x, bins], [at.digitize(x, bins, r) for r in (False, True)], mode=mode)
    for name in ("ascending", "descending", "repeated", "repeated and descending", "constant"):
        edges = np.array(BINS[name], "float64")
        for value, right in zip(f(X[:6], edges), (False, True), strict=True):
            np.testing.assert_array_equal(value, np.digitize(X[:6], edges, right))


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_by_a_sorter(side):
    a, v = np.array([3.0, 1, 2]), np.array([2.0, 0, 5, np.nan])
    check("searchsorted", a, v, side, np.array([1, 2, 0]))
    with pytest.raises(TypeError, match="sorter"):
        at.searchsorted(a, v, side, np.array([1.0, 2, 0]))
    sorter = at.lvector()
    for mode in (None, "strict"):
        f = function([sorter], at.searchsorted(at.constant(a), v, side, sorter), mode=mode)
        with pytest.raises(ValueError, match="length"):
            f([1, 2])


A, W = np.array([0.0, 1, 1, 2, 5, 2.5]), np.arange(1.0, 7)


@pytest.mark.parametrize(
    "bins",
    [3, np.int64(3), 0, -1, [0.0, 1, 3], [3.0, 1, 0], [0.0, 3, 1], [0.0, 0, 1], [1, 2, 4], 2.5],
    ids=str,
)
def test_histograms(bins):
    bins = np.array(bins) if isinstance(bins, list) else bins
    for a in (A, A.astype("int64")):
        check("histogram", a, bins)
        check("histogram", a, bins, weights=W)
    check("histogram", A, bins, density=True)


@pytest.mark.parametrize("limits", [(0, 4), (4, 0), (1, 1), (0.0, np.inf), (0, np.nan)])
def test_ranges_of_histograms(limits):
    check("histogram", A, 3, limits)


def test_histograms_of_what_has_no_range():
    check("histogram", np.array([1, np.nan]), 3)
    check("histogram", np.array([1, np.nan]), 3, (0, 2))
    for bins in ([1.0], []):
        counts, edges = at.histogram(at.constant(A), bins)
        assert counts.eval().shape == (0,)
        np.testing.assert_array_equal(edges.eval(), bins)


@pytest.mark.parametrize("least", [0, 3, 7, -1, np.int64(6), 2.5])
def test_counts(least):
    for x in ([0, 1, 1, 4], [], [-1, 1], [True, False]):
        x = np.array(x, "int64") if not x else np.array(x)
        check("bincount", x, None, least)
    check("bincount", np.array([1, 2], "uint8"), None, least)


def test_counts_with_weights():
    check("bincount", np.array([0, 1, 1]), np.array([1, 2, 3]), 5)
    with pytest.raises(ValueError, match="length"):
        at.bincount(np.array([0, 1, 1]), np.array([1.0, 2])).eval()


POINTS = {
    "ascending": ([0.0, 1, 2], [1.0, 3, 2]),
    "descending": ([2.0, 1, 0], [2.0, 3, 1]),
    "neither": ([0.0, 2, 1], [1.0, 3, 2]),
    "repeated": ([0.0, 0, 1], [1.0, 2, 3]),
    "integers": ([0, 1, 2], [1, 3, 2]),
    "complex": ([0.0, 1, 2], [1j, 2, 3]),
    "infinite": ([0.0, 1, 2], [1.0, np.inf, 2]),
    "nan": ([0.0, 1, 2], [1.0, np.nan, 2]),
}


@pytest.mark.parametrize("points", POINTS.values(), ids=POINTS.keys())
def test_interpolation(points):
    x, (xp, fp) = np.array([-1.0, 0, 0.5, 1, 1.5, 2, 3, np.nan]), map(np.array, points)
    check("interp", x, xp, fp)
    check("interp", x, xp, fp, -5.0, 9.0)
    for period in (2.0, 1.5, -1.5, 0):
        check("interp", x, xp, fp, period=period)


def test_nan_among_different_elements():
    x = np.array([np.nan, 1, np.nan])
    for name in ("unique_values", "unique_counts", "unique_inverse", "unique_all"):
        check(name, x)
    check("unique", x, return_counts=True)
    check("unique", x, return_counts=True, equal_nan=False)
    check("setxor1d", np.array([1, np.nan]), np.array([np.nan, 2]))


def test_first_of_equal_elements() -> None:
    x = at.dvector("x")
    value = [1.0, 3.0, 3.0, 2.0, 5.0]
    (slope,) = evaluate([grad(at.cummax(x).sum(), x)], {x: value})
    assert slope.tolist() == [1.0, 3.0, 0.0, 0.0, 1.0]
    (slope,) = evaluate([grad((at.unique(x) * np.arange(4.0)).sum(), x)], {x: value})
    assert slope.tolist() == [0.0, 2.0, 0.0, 1.0, 3.0]


# What NumPy has for numbers alone, or not at all.


def test_grids_and_triangles_of_lengths_that_are_variables() -> None:
    n = at.lscalar("n")
    for name, call in {
        "mgrid": lambda m, n: m.mgrid[1:n, 0:2:0.5],
        "mgrid of one": lambda m, n: m.mgrid[0:n:2],
        "mgrid by numbers": lambda m, n: m.mgrid[0:n, 0:1:5j],
        "ogrid": lambda m, n: m.ogrid[0:n, 0:2][1],
        "tril_indices": lambda m, n: m.tril_indices(n, 1, 4)[0],
        "triu_indices": lambda m, n: m.triu_indices(n, -1)[1],
    }.items():
        expected, out = call(np, 3), call(at, n)
        (found_value,) = evaluate([out], {n: 3})
        np.testing.assert_array_equal(found_value, expected, err_msg=name)


def test_axes_are_added_up_to_a_rank() -> None:
    x = at.dvector()
    shapes = [at.atleast_Nd(x, n=n, left=left) for n, left in ((3, True), (3, False), (1, True))]
    assert [v.shape for v in evaluate(shapes, {x: X})] == [(1, 1, 9), (9, 1, 1), (9,)]
    assert [v.type.ndim for v in at.atleast_Nd(x, 2.0, n=2)] == [2, 2]


def test_the_greatest_and_where_it_is() -> None:
    values = np.array([[1.0, 5.0, 5.0], [7.0, 2.0, 7.0]])
    x = at.dmatrix()
    greatest, position = function([x], at.max_and_argmax(x, axis=1))(values)
    assert list(greatest) == [5.0, 7.0] and list(position) == [1, 0]


def test_a_variance_without_what_the_mean_rounds() -> None:
    x = at.fvector()
    values = (1e4 + np.random.default_rng(0).normal(size=500)).astype("float32")
    plain, corrected = evaluate([at.var(x), at.var(x, corrected=True)], {x: values})
    true = np.var(values.astype(float))
    assert abs(corrected - true) <= abs(plain - true)
    z = at.zvector()
    of_complex = evaluate([at.std(z, corrected=True)], {z: values[:9] * (1 + 2j)})[0]
    assert of_complex == pytest.approx(np.std(values[:9] * (1 + 2j)))


def test_what_is_known_of_variables() -> None:
    x = at.dmatrix("x")
    for v in (at.constant(2) + 1, at.constant([[3, 3]]), 3.0, at.fill(x, 3.0), np.array(3)):
        number = at.get_scalar_constant_value(v)
        assert number == 3 and number.shape == ()
    for v in (x, at.constant([1, 2]), at.constant([])):
        with pytest.raises(at.NotScalarConstantError):
            at.get_scalar_constant_value(v)
    assert at.get_vector_length(x.shape) == at.get_vector_length((1, x[0, 0])) == 2
    with pytest.raises(ValueError, match="no vector of known length"):
        at.get_vector_length(x[0])
    n = at.lscalar("n")
    lengths, ones = at.infer_broadcastable((1, n, 3))
    assert ones == (True, False, False) and lengths[1] is n
    assert at.infer_broadcastable(x.shape)[1] == (False, False)


def test_products_in_a_dtype() -> None:
    x = at.fmatrix()
    found_value = evaluate([at.matmul(x, x, dtype="float64")], {x: np.full((2, 2), 0.1, "f")})[0]
    assert found_value.dtype == "float64" and found_value[0, 0] != np.float32(found_value[0, 0])


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_choices_by_numbers_that_no_choice_has(mode: str) -> None:
    number, x = at.lvector(), at.dmatrix()
    values = np.arange(12.0).reshape(3, 4)
    chosen = function([number, x], at.choose(number, [x[0], x[1], x[2]], mode=mode))
    assert list(chosen([2, 0, 1, 2], values)) == [8.0, 1.0, 6.0, 11.0]
    if mode == "raise":
        for wrong in (-1, 3):
            with pytest.raises(ValueError, match="a number that no choice has"):
                chosen([wrong, 0, 1, 2], values)
    else:
        numbers = [-1, 5, 3, -7]
        expected = np.choose(numbers, values, mode=mode)
        assert np.array_equal(chosen(numbers, values), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("median", ()),
        ("nanmedian", ()),
        ("nanquantile", (0.3,)),
        ("nanpercentile", (30,)),
    ],
)
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value", "ignore:All-NaN")
def test_a_median_of_nothing_is_nan(name: str, more: Any, dtype: str) -> None:
    for shape, axis in (((0,), None), ((0, 3), 0), ((3, 0), 1), ((3, 0), 0), ((2, 3), 1)):
        value = np.zeros(shape, dtype)
        expected = getattr(np, name)(value, *more, axis=axis)
        for lengths in (shape, (None,) * len(shape)):
            x = at.TensorType(dtype, lengths)("x")
            (found,) = evaluate([getattr(at, name)(x, *more, axis=axis)], {x: value})
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("name", "share"), [("quantile", 0.5), ("percentile", 50)])
def test_a_quantile_of_nothing_is_an_error(name: str, share: float) -> None:
    x = at.dvector("x")
    with pytest.raises(IndexError):
        getattr(np, name)(np.zeros(0), share)
    with pytest.raises(IndexError):
        evaluate([getattr(at, name)(x, share)], {x: np.zeros(0)})


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_the_gradient_of_a_median_of_open_length(name: str) -> None:
    x = at.dvector("x")
    (found,) = evaluate([grad(getattr(at, name)(x), x)], {x: np.array([3.0, 1.0, 2.0, 5.0])})
    assert found.tolist() == [0.5, 0.0, 0.5, 0.0]
