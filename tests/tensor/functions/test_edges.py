"""Bins, edges and points as NumPy's functions take them: descending, constant, none, or wrong."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.graph.reference import evaluate

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


def test_digitize_of_what_has_no_order():
    with pytest.raises(TypeError, match=r"digitize.*complex"):
        at.digitize(at.zvector(), [0.0, 1.0])
    with pytest.raises(TypeError, match=r"digitize.*not a vector"):
        at.digitize(at.dvector(), at.dmatrix())


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
    with pytest.raises(TypeError, match="bins is 'auto'"):
        at.histogram(at.dvector(), "auto")
    with pytest.raises(TypeError, match="a number that is known"):
        at.histogram(at.dvector(), at.lscalar())


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


def test_interpolation_of_too_many_values():
    xp, fp = at.dvector("xp"), at.dvector("fp")
    f = function([xp, fp], at.interp(np.array([0.5]), xp, fp))
    with pytest.raises(ValueError, match="length"):
        f([0.0, 1], [1.0, 2, 3])
    with pytest.raises(ValueError, match="interp: there is no point"):
        at.interp(np.array([0.5]), np.zeros(0), np.zeros(0))
    with pytest.raises(TypeError, match="interp: the points are"):
        at.interp(np.array([0.5]), at.dmatrix(), fp)


def test_nan_among_different_elements():
    x = np.array([np.nan, 1, np.nan])
    for name in ("unique_values", "unique_counts", "unique_inverse", "unique_all"):
        check(name, x)
    check("unique", x, return_counts=True)
    check("unique", x, return_counts=True, equal_nan=False)
    check("setxor1d", np.array([1, np.nan]), np.array([np.nan, 2]))
