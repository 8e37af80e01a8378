"""The ufuncs of the tables: values and dtypes as NumPy and SciPy have them, and derivatives."""

import pickle
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from scipy import special

import relgraph.tensor as at
from relgraph import function
from relgraph.gradient import grad
from relgraph.graph.reference import evaluate
from relgraph.scalar.named import COUNTS, NumpyOp, PartOp, ScipyOp
from relgraph.tensor.elemwise import Elemwise
from relgraph.truth.balls import as_ball, has_value, precision, value
from tests.seeds import sampled

PARTS = {n: PartOp(n) for n in PartOp.slopes}
TABLE = {
    **PARTS,
    **{n: ScipyOp(n) for n in ScipyOp.slopes},
    **{n: NumpyOp(n) for n in NumpyOp.slopes},
}

# Points at which the functions are smooth, one array for each input; by default from 0 to 1, or of
# both signs where a function of one input has values there.
USUAL = (
    np.array([0.3, 0.45, 0.62]),
    np.array([0.7, 0.55, 0.31]),
    np.array([0.4, 0.25, 0.8]),
    np.array([0.35, 0.5, 0.6]),
)
ORDER = np.array([2.0, 3.0, 1.0])
SIGNED = np.array([-1.7, 0.8, 2.3])
POINTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        [
            "expn",
            "jn",
            "yn",
            "kn",
            "eval_hermite",
            "eval_hermitenorm",
            "eval_legendre",
            "eval_chebyt",
            "eval_chebyu",
            "eval_chebyc",
            "eval_chebys",
            "eval_laguerre",
            "eval_sh_legendre",
            "eval_sh_chebyt",
            "eval_sh_chebyu",
        ],
        (ORDER, USUAL[0] * 3),
    ),
    **dict.fromkeys(("pdtr", "pdtrc"), (ORDER + 0.5, USUAL[0] * 3)),
    "erfcinv": (USUAL[0] * 2,),
    "ndtri_exp": (-USUAL[0],),
    "loggamma": (USUAL[0] * 4,),
    "poch": (USUAL[0] * 3, USUAL[1]),
    "binom": (USUAL[0] * 9, USUAL[1] * 2),
    "zeta": (ORDER + 0.5, USUAL[0] * 3),
    **dict.fromkeys(("bdtr", "bdtrc", "nbdtr", "nbdtrc"), (ORDER, ORDER, USUAL[0])),
    "huber": (USUAL[0] * 2, SIGNED),
    "pseudo_huber": (USUAL[0] * 2, SIGNED),
    "stdtr": (ORDER + 1, SIGNED),
    "owens_t": (SIGNED, USUAL[0]),
    "copysign": (SIGNED, -SIGNED),
    "fmod": (SIGNED * 3, USUAL[0] * 4),
    "heaviside": (SIGNED, USUAL[0]),
    "eval_jacobi": (ORDER, *USUAL[:3]),
    "eval_gegenbauer": (ORDER, *USUAL[:2]),
    "eval_genlaguerre": (ORDER, *USUAL[:2]),
    "logaddexp2": (SIGNED, USUAL[0]),
    "fmax": (SIGNED, USUAL[0]),
    "fmin": (SIGNED, USUAL[0]),
    "lpmv": (np.array([0.0, 1.0, 1.0]), ORDER, USUAL[0]),
    "powm1": (USUAL[0] * 3, SIGNED),
    "besselpoly": (USUAL[0], ORDER, USUAL[1]),
    # SciPy integrates with fewer digits away from zero
    **dict.fromkeys([n for n in PARTS if n.startswith("itairy")], USUAL),
}
# SciPy warns of orders that are no integers, and these have integers of their own.
WHOLE_ORDERS = {
    **dict.fromkeys(
        ["expn", "yn", "kn", "eval_hermite", "eval_hermitenorm", "pdtri", "smirnov", "smirnovi"], 1
    ),
    **dict.fromkeys(["bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri"], 2),
}
INTEGERS = ("gcd", "lcm", "left_shift", "right_shift", "bitwise_count")


def original(name: str) -> Any:
    if name in PARTS:
        return PARTS[name].ufunc
    return getattr(np if isinstance(TABLE[name], NumpyOp) else special, name)


def points(name: str) -> list[Any]:
    op = TABLE[name]
    if name in INTEGERS:
        return [np.array([12, 5, 9]), np.array([3, 2, 1])][: op.nin]
    if name == "ldexp":
        return [SIGNED, np.array([3, -2, 1])]
    if op.nin == 1 and name not in POINTS and np.isfinite(original(name)(SIGNED)).all():
        return [SIGNED]
    given = list(POINTS.get(name, USUAL)[: op.nin])
    for i in range(WHOLE_ORDERS.get(name, 0)):
        given[i] = (ORDER + (3 * i if name[-1] != "i" or i else 0)).astype("int64")
    return given


def variables(values: list[Any]) -> list[Any]:
    return [at.vector(dtype=str(v.dtype)) for v in values]


@pytest.mark.parametrize("name", TABLE)
def test_values_and_dtypes(name: str) -> None:
    """On ordinary points, on edge values, in narrower dtypes and beside a number of rank 0."""
    of_arrays, op = original(name), Elemwise(TABLE[name])
    values = points(name)
    whole = [v.dtype.kind != "f" for v in values]
    edges = np.resize([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0], 9)
    cases = [
        values,
        [np.resize(v, 9) if w else edges for v, w in zip(values, whole, strict=True)],
        [v if w else v.astype("float32") for v, w in zip(values, whole, strict=True)],
        [np.arange(1, 4) for _ in values],
    ]
    for case in cases:
        xs = variables(case)
        try:
            with np.errstate(all="ignore"):
                expected = np.asarray(of_arrays(*case))
        except TypeError:
            with pytest.raises(TypeError):
                op(*xs)
            continue
        (found,) = evaluate([op(*xs)], dict(zip(xs, case, strict=True)))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "name", [n for n, op in TABLE.items() if any(s is not None for s in op.slopes[n])]
)
def test_derivatives(name: str) -> None:
    """Against differences of four values around each point."""
    op, values = Elemwise(TABLE[name]), points(name)
    xs = variables(values)
    out = op(*xs)
    if out.type.dtype in ("bool", "int32", "int64", "uint8"):
        return
    wanted = [i for i, slope in enumerate(TABLE[name].slopes[name]) if slope is not None]
    wanted = [i for i in wanted if values[i].dtype.kind == "f"]
    slopes = evaluate(
        grad(at.sum(out), [xs[i] for i in wanted]), dict(zip(xs, values, strict=True))
    )
    for i, slope in zip(wanted, slopes, strict=True):
        h = 2e-4 * np.maximum(np.abs(values[i]), 0.1)

        def at_step(step: float, i: int = i, h: Any = h) -> Any:
            moved = [v + step * h if j == i else v for j, v in enumerate(values)]
            return original(name)(*moved)

        differences = (8 * (at_step(1) - at_step(-1)) - (at_step(2) - at_step(-2))) / (12 * h)
        np.testing.assert_allclose(slope, differences, rtol=2e-7, atol=2e-8, err_msg=f"input {i}")


def test_both_linkers() -> None:
    """All of them in one function."""
    names = [n for n in TABLE if n not in (*INTEGERS, "ldexp")]
    names = [n for n in names if n not in WHOLE_ORDERS]
    xs = [at.dvector(f"x{i}") for i in range(4)]
    values = list(USUAL)
    outputs = [Elemwise(TABLE[n])(*xs[: TABLE[n].nin]) for n in names]
    expected = evaluate(outputs, dict(zip(xs, values, strict=True)))
    for mode in ("o4", "FAST_COMPILE"):
        for name, a, b in zip(
            names, function(xs, outputs, mode=mode)(*values), expected, strict=True
        ):
            np.testing.assert_allclose(a, b, rtol=1e-13, err_msg=name)


def test_ops_are_one_object() -> None:
    assert ScipyOp("j0") is ScipyOp("j0")
    assert pickle.loads(pickle.dumps(ScipyOp("jv"))) is ScipyOp("jv")
    assert str(Elemwise(ScipyOp("jv"))) == "jv"


AT_HOLES = [
    ("spence", 1.0, -1.0),
    ("exprel", 0.0, 0.5),
    ("sinc", 0.0, 0.0),
    ("rgamma", 0.0, 1.0),
    ("rgamma", -2.0, 2.0),
    ("ellipk", 0.0, np.pi / 8),
    ("ellipe", 0.0, -np.pi / 8),
    ("ellipkinc", (1.0, 0.0), (1 - np.sin(2.0) / 2) / 4),
    ("ellipeinc", (1.0, 0.0), -(1 - np.sin(2.0) / 2) / 4),
    ("ellipkinc", (-np.pi / 2, 0.0), -np.pi / 8),
    ("boxcox", (2.0, 0.0), np.log(2.0) ** 2 / 2),
    ("inv_boxcox", (0.5, 0.0), -np.exp(0.5) / 8),
    ("xlogy", (0.0, 2.0), 0.0),
    ("heaviside", (0.0, 0.3), 1.0),
    ("it2j0y0.0", 0.0, 0.0),
    ("it2i0k0.0", 0.0, 0.0),
]
"""A function, its inputs, and its derivative by the last one where a formula has a hole."""


@pytest.mark.parametrize(("name", "value", "slope"), AT_HOLES)
def test_derivatives_where_a_formula_would_divide_by_zero(
    name: str, value: Any, slope: float
) -> None:
    values = np.atleast_1d(value)
    xs = [at.dscalar() for _ in values]
    (found,) = evaluate(
        [grad(Elemwise(TABLE[name])(*xs), xs[-1])], dict(zip(xs, values, strict=True))
    )
    np.testing.assert_allclose(found, slope, rtol=1e-12, atol=1e-12)


CURVES = {
    "spence": (1.0, 1 / 2),
    "sinc": (0.0, -(np.pi**2) / 3),
    "boxcox": ((2.0, 0.0), np.log(2.0) ** 3 / 3),
    "boxcox1p": ((1.0, 0.0), np.log(2.0) ** 3 / 3),
    "inv_boxcox": ((0.5, 0.0), np.exp(0.5) * (0.5**3 / 1.5 + 0.5**4 / 4)),
    "inv_boxcox1p": ((0.5, 0.0), np.exp(0.5) * (0.5**3 / 1.5 + 0.5**4 / 4)),
    "ber": (0.0, 0.0),
    "bei": (0.0, 0.5),
    "it2j0y0.0": (0.0, 0.25),
    "it2i0k0.0": (0.0, 0.25),
    "log_ndtr": (40.0, 0.0),
}
"""Functions with holes in their derivatives: inputs there, and the second one by the last."""


@pytest.mark.parametrize("name", CURVES)
def test_second_derivatives_in_holes_and_beside_them(name: str) -> None:
    inputs, wanted = CURVES[name]
    x = at.dvector("x")
    *others, hole = np.atleast_1d(inputs).tolist()
    slopes = grad(Elemwise(TABLE[name])(*others, x).sum(), x)
    curve = function([x], grad(slopes.sum(), x))
    for step in (0.0, 1e-15, -1e-12, 1e-9, -1e-7):
        found = curve(np.array([hole + step]))
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


WITH_TRUE_VALUES = [name for name, op in TABLE.items() if has_value(op)]


@pytest.mark.parametrize("name", sampled(WITH_TRUE_VALUES, 12, "true values"))
def test_true_values(name: str) -> None:
    """What laws are judged by is what the ops compute."""
    values = points(name)
    found = original(name)(*values)
    for i, computed in enumerate(found):
        with precision(200):
            true = value(TABLE[name], [as_ball(v[i].item()) for v in values])
        assert abs(computed - complex(true)) <= 2e-13 * max(abs(computed), 0.1)


@pytest.mark.parametrize("name", COUNTS)
def test_several_arrays(name: str) -> None:
    values = points(f"{name}.0")
    xs = variables(values)
    function_ = getattr(special, name)
    for found, expected in zip(
        evaluate(list(function_(*xs)), dict(zip(xs, values, strict=True))),
        function_(*values),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("name", "true"), [("ellipkinc", mp.ellipf), ("ellipeinc", mp.ellipe)])
def test_slopes_of_elliptic_integrals_by_the_parameter(name: str, true: Any) -> None:
    p, m = at.dvector("p"), at.dvector("m")
    slope = grad(Elemwise(TABLE[name])(p, m).sum(), m)
    angles = np.repeat([1e-3, 0.3, 1.2, 2.0, -4.0, 7.5], 5)
    parameters = np.tile([0.0, 1e-9, -2.0, 0.3, 0.9], 6)
    (found,) = evaluate([slope], {p: angles, m: parameters})
    expected = [
        float(mp.diff(lambda t, a=a: true(a, t), m))
        for a, m in zip(angles, map(mp.mpf, parameters), strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
