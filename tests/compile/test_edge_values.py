"""Where algebra and computers part: nan and infinity, integers that end, tensors without elements.

What comes out is what NumPy gives, in every mode that has no row of the table that gives it up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function, get_mode

MODES = (
    *("o1", "o2", "o3", "o4", "Stabilization", "unsafe"),
    *("fast_run", "fast_compile", "None", "merge", "strict"),
)
FULL = ("o3", "o4", "unsafe", "fast_run")
"""The modes with rows that take every number for finite."""


class Trap(NamedTuple):
    """An expression by a library, values where it is dangerous, and the rows that take the risk."""

    dtype: str
    value: list[float]
    written: Callable[[Any, Any], Any]
    given_up_by: tuple[str, ...] = ()


EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 2.5]
ZEROS = ("constant_elimination", "mul_specialize")
SCALED = ("sum_scalar_mul",)
LARGE = 2**62
ONE, THREE, TENTH, HUNDRED = map(np.float32, (1, 3, 0.1, 100))

TRAPS = {
    "x * 0": Trap("float64", EDGES, lambda T, x: x * 0, ZEROS),
    "0 * x": Trap("float64", EDGES, lambda T, x: 0 * x, ZEROS),
    "0 / x": Trap("float64", EDGES, lambda T, x: 0 / x, ZEROS),
    "x // 1": Trap("float64", EDGES, lambda T, x: x // 1, ZEROS),
    "sum(2 * x)": Trap("float64", [1e308, -1e308], lambda T, x: T.sum(2 * x), SCALED),
    "x - x": Trap("float64", EDGES, lambda T, x: x - x, ("add_canonicalize",)),
    "x + 2 - x": Trap("float64", EDGES, lambda T, x: x + 2 - x, ("add_canonicalize",)),
    "2 * x - x": Trap("float64", EDGES, lambda T, x: 2 * x - x, ("add_canonicalize",)),
    "x + x - x": Trap("float64", EDGES, lambda T, x: x + x - x, ("add_canonicalize",)),
    "x + 0": Trap("float64", EDGES, lambda T, x: x + 0.0),
    "0 - x": Trap("float64", EDGES, lambda T, x: 0.0 - x),
    "x * 1": Trap("float64", EDGES, lambda T, x: x * 1.0),
    "x / 1": Trap("float64", EDGES, lambda T, x: x / 1.0),
    "x / x": Trap("float64", EDGES, lambda T, x: x / x, ("mul_canonicalize",)),
    "x * x / x": Trap("float64", EDGES, lambda T, x: x * x / x, ("mul_canonicalize",)),
    "sqrt(x) ** 2": Trap("float64", EDGES, lambda T, x: T.sqrt(x) ** 2, ("pow_specialize",)),
    "x ** 0.5": Trap("float64", EDGES, lambda T, x: x**0.5),
    "x ** 2": Trap("float64", [*EDGES, 1e308, 5e-324], lambda T, x: x**2),
    "x ** 0": Trap("float64", EDGES, lambda T, x: x**0),
    "1 / (1 / x)": Trap("float64", EDGES, lambda T, x: 1 / (1 / x)),
    "eq(x, x)": Trap("float64", EDGES, lambda T, x: T.equal(x, x)),
    "neq(x, x)": Trap("float64", EDGES, lambda T, x: T.not_equal(x, x)),
    "x < x": Trap("float64", EDGES, lambda T, x: x < x),
    "x <= x": Trap("float64", EDGES, lambda T, x: x <= x),
    "maximum(x, 0)": Trap("float64", EDGES, lambda T, x: T.maximum(x, 0.0)),
    "maximum(x, x)": Trap("float64", EDGES, lambda T, x: T.maximum(x, x)),
    "where(x > 0, x, -x)": Trap("float64", EDGES, lambda T, x: T.where(x > 0, x, -x)),
    "abs(-x)": Trap("float64", EDGES, lambda T, x: abs(-x)),
    "the last of none": Trap("float64", EDGES, lambda T, x: x[6:]),
    "none of a part": Trap("float64", EDGES, lambda T, x: x[1:][:0]),
    "backwards, to an end": Trap("float64", EDGES, lambda T, x: x[5:0:-1][4:]),
    "backwards, beyond the end": Trap("float64", EDGES, lambda T, x: x[5:0:-1][5:]),
    "backwards of backwards": Trap("float64", EDGES, lambda T, x: x[::-1][::-2]),
    "the sum of none": Trap("float64", EDGES, lambda T, x: T.sum(2.0 * x[3:3])),
    "the mean of all": Trap("float64", [0.5, 2.0, -8.0], lambda T, x: T.sum(x / 4.0)),
    "int8: (i * 3) // 3": Trap("int8", [100, -7, 127, -128, 0], lambda T, i: (i * 3) // 3),
    "int64: (i * 3) // 3": Trap("int64", [LARGE, -LARGE, 7, -7], lambda T, i: (i * 3) // 3),
    "int64: i * 2 // 2": Trap("int64", [LARGE, -LARGE, 7, -7], lambda T, i: i * 2 // 2),
    "int64: (i + 1) > i": Trap("int64", [2**63 - 1, 3], lambda T, i: (i + 1) > i),
    "int8: i // 2": Trap("int8", [-7, 7, -128, 127, -1], lambda T, i: i // 2),
    "int8: i // -2": Trap("int8", [-7, 7, -128, 127, -1], lambda T, i: i // np.int8(-2)),
    "int8: i % 3": Trap("int8", [-7, 7, -128, 127, -1], lambda T, i: i % 3),
    "int8: i % -3": Trap("int8", [-7, 7, -128, 127, -1], lambda T, i: i % np.int8(-3)),
    "int8: i // 2 // 3": Trap("int8", [-7, 7, -128, 127, -1], lambda T, i: i // 2 // 3),
    "int8: i // 1 % 1": Trap("int8", [-7, 7, -128], lambda T, i: i // 1 % 1),
    "int8: abs(i)": Trap("int8", [-128, 127], lambda T, i: abs(i)),
    "int8: abs(i) >= 0": Trap("int8", [-128, 127], lambda T, i: abs(i) >= 0),
    "int8: sqr(i) >= 0": Trap("int8", [-128, 127, 12], lambda T, i: i * i >= 0),
    "int8: i - i": Trap("int8", [-128, 127, 7], lambda T, i: i - i),
    "int8: i * 0": Trap("int8", [-128, 127, 7], lambda T, i: i * 0),
    "int8: i ** 2": Trap("int8", [-128, 127, 7], lambda T, i: i**2),
    "int8: -i": Trap("int8", [-128, 127], lambda T, i: -i),
    "int8: i / 2": Trap("int8", [-7, 7, -128], lambda T, i: i / 2),
    "float: x // 2": Trap("float64", [-7.0, 7.0, -0.5], lambda T, x: x // 2),
    "float: x % 2": Trap("float64", [-7.0, 7.0, -0.5], lambda T, x: x % 2),
    "uint8: u - 1": Trap("uint8", [0, 1, 255], lambda T, u: u - 1),
    "uint8: -u": Trap("uint8", [0, 1, 255], lambda T, u: -u),
    "uint8: u + 1 - 2": Trap("uint8", [0, 1, 255], lambda T, u: u + 1 - 2),
    "uint8: u * 2 // 2": Trap("uint8", [0, 127, 128, 255], lambda T, u: u * 2 // 2),
    "uint8: u + 200 + 100": Trap("uint8", [0, 1, 255], lambda T, u: u + 200 + 100),
    "uint8: u - 1 < u": Trap("uint8", [0, 1, 255], lambda T, u: u - 1 < u),
    "uint8: 0 - u": Trap("uint8", [0, 1, 255], lambda T, u: 0 - u),
    "float32: f * 0.1": Trap("float32", [0.1, 1e8, np.nan], lambda T, f: f * np.float32(0.1)),
    "float32: 1 / 3": Trap("float32", [0.1, 3.0], lambda T, f: f * T.true_divide(ONE, THREE)),
    "float32: exp(0.1)": Trap("float32", [0.1, 3.0], lambda T, f: f + T.exp(TENTH)),
    "float32: overflow": Trap("float32", [1.0, 2.0], lambda T, f: f * T.exp(HUNDRED)),
    "float32: sum": Trap("float32", [0.1, 1e8], lambda T, f: T.sum(f * 2)),
    "float32: f * 2 + 1": Trap("float32", [0.1, 1e8], lambda T, f: f * 2 + 1),
    "float32: f ** 2": Trap("float32", [0.1, 1e25], lambda T, f: f**2),
}


def expected_of(trap: Trap) -> Any:
    with np.errstate(all="ignore"):
        return np.asarray(trap.written(np, np.array(trap.value, dtype=trap.dtype)))


def found_in(trap: Trap, mode: Any) -> Any:
    x = at.TensorType(trap.dtype, (None,))("x")
    return function([x], trap.written(at, x), mode)(np.array(trap.value, dtype=trap.dtype))


def is_same(found: Any, expected: Any) -> bool:
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    return bool(np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f"))


@pytest.mark.parametrize("mode", [*MODES, "exact", "rounding", "stable", "py"])
@pytest.mark.parametrize("name", list(TRAPS))
def test_what_is_given_up(name: str, mode: str) -> None:
    """No class of laws but `finite` gives anything up, and the plain linker is NumPy."""
    trap, classes = TRAPS[name], {"py": Mode("py", None)}
    classes |= {c: Mode(optimizer=None).including(c) for c in ("exact", "rounding", "stable")}
    found, expected = found_in(trap, classes.get(mode, mode)), expected_of(trap)
    assert is_same(found, expected) is not bool(trap.given_up_by and mode in FULL)
    if mode == "strict" and expected.dtype.kind == "f":
        defined = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[defined], np.signbit(expected)[defined])


@pytest.mark.parametrize("mode", FULL)
@pytest.mark.parametrize("name", [name for name, trap in TRAPS.items() if trap.given_up_by])
def test_what_the_table_gives_up_is_behind_its_tag(name: str, mode: str) -> None:
    trap = TRAPS[name]
    for tag in ("finite", *trap.given_up_by):
        assert is_same(found_in(trap, get_mode(mode).excluding(tag)), expected_of(trap)), tag
