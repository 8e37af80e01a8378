"""What wrong arguments of scalar ops are answered with: the kind of error, and what it names."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.gradient import grad
from relgraph.scalar import Composite, float32, float64
from relgraph.scalar.error_free import fma
from relgraph.scalar.named import ScipyOp
from relgraph.scalar.type import check_dtype
from tests.refusals import check_refused

x, y, b, i = float64("x"), float64("y"), scalar.bool("b"), scalar.int8("i")
z, v, u, w = scalar.complex64("z"), at.zvector("v"), at.tensor("uint8", (None,)), at.dvector("w")
product = Composite([x, y], [x * y])

REFUSED = {
    # ops
    "TypeError: invert is not defined for input 0 of dtype float64": lambda: scalar.invert(x),
    "TypeError: and_ is not defined for input 1 of dtype float64": lambda: scalar.and_(b, x),
    "TypeError: sub is not defined for input 0 of dtype bool": lambda: scalar.sub(b, b),
    "TypeError: exp takes 1 input, not 2": lambda: scalar.exp(x, x),
    "TypeError: cast{int8} of a complex64 would drop": lambda: scalar.cast(z, "int8"),
    "OverflowError: add: input 1 is -1, out of the range": lambda: scalar.uint8("u") + -1,
    "OverflowError: out of the range": lambda: i < 2**64,
    "OverflowError: clip: input . is 300, out of the range of uint8": lambda: at.clip(u, 300, 400),
    "OverflowError: clip: input . is -1, out of the range of uint8": lambda: at.clip(u, -5, -1),
    "TypeError: logaddexp is not defined for input 0 of dtype complex64": (
        lambda: scalar.logaddexp(z, z)
    ),
    "TypeError: log_product takes at least 2 inputs, not 1": lambda: scalar.log_product(x),
    "TypeError: fma is not defined": lambda: fma.output_dtype("complex128", "float64", "float64"),
    "ValueError: ScipyOp: there is no sqrt": lambda: ScipyOp("sqrt"),
    "ValueError: y is neither an input of the inner graph nor a constant": (
        lambda: Composite([x], [x * y])
    ),
    "TypeError: input 1 is of dtype float32 where float64 is wanted": lambda: product(x, float32()),
    "TypeError: takes 2 inputs, not 1": lambda: product(x),
    # gradients
    "MethodNotDefined: digamma has no gradient for complex numbers": (
        lambda: grad(at.sum(at.abs(at.digamma(v))), v)
    ),
    "MethodNotDefined: agm": lambda: grad(at.special.agm(w, w).sum(), w),
    # types, variables and constants
    "TypeError: 300 .* is not a value of dtype int8": lambda: scalar.int8.filter(300),
    "TypeError: 1.5 .* is not a value of dtype int8": lambda: scalar.int8.filter(1.5),
    "TypeError: not a value of dtype bool": lambda: scalar.bool.filter(1),
    "TypeError: not a value of dtype float32": lambda: float32.filter(np.float64(0.1)),
    "TypeError: not a value of dtype float64": lambda: float64.filter(1j),
    r"TypeError: one number of dtype float64 is wanted, not \[1.0\]": lambda: float64.filter([1.0]),
    "TypeError: one number of dtype float64 is wanted, not '1'": lambda: float64.filter("1"),
    "TypeError: not the variable x": lambda: float64.filter(x),
    "TypeError: a numpy float64 is wanted": lambda: float64.filter(1.0, strict=True),
    "TypeError: is complex": lambda: float64.filter(1j, allow_downcast=True),
    "TypeError: one number": lambda: scalar.constant([1, 2]),
    "TypeError: x is a number": lambda: x[0],
    "TypeError: x is a number ": lambda: x @ x,
    "TypeError: x is a number  ": lambda: np.ones(3) @ x,
    "TypeError: no truth value": lambda: bool(x),
    "TypeError: 'flaot' is not a dtype": lambda: check_dtype("flaot"),
}


@pytest.mark.parametrize("error", REFUSED)
def test_what_is_wrong_is_named(error: str) -> None:
    check_refused(error.strip(), REFUSED[error])
