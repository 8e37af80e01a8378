"""What stands for a dtype, and what doesn't."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.scalar.type import get_scalar_type

x = at.dvector("x")
DTYPES = [
    (float, "float64"),
    (int, np.dtype(int).name),
    (bool, "bool"),
    (complex, "complex128"),
    (np.float32, "float32"),
    (np.dtype("int16"), "int16"),
    ("f4", "float32"),
    (">f8", "float64"),
    ("floatX", "float64"),
    (get_scalar_type("float32"), "float32"),
    (at.TensorType("int8", (None, 2)), "int8"),
]
CONVERSIONS = {
    "astype": lambda dtype: x.astype(dtype),
    "cast": lambda dtype: at.cast(x, dtype),
    "Cast": lambda dtype: at.Elemwise(scalar.Cast(dtype))(x),
    "zeros": lambda dtype: at.zeros((2,), dtype=dtype),
    "ones_like": lambda dtype: at.ones_like(x, dtype=dtype),
    "arange": lambda dtype: at.arange(3, dtype=dtype),
    "tensor": lambda dtype: at.tensor(dtype, (None,)),
}


@pytest.mark.parametrize("name", CONVERSIONS)
@pytest.mark.parametrize(("dtype", "wanted"), DTYPES, ids=str)
def test_what_stands_for_a_dtype(name, dtype, wanted):
    assert CONVERSIONS[name](dtype).type.dtype == wanted


@pytest.mark.parametrize("name", CONVERSIONS)
@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("nope", "'nope' is not a dtype"),
        ("", "'' is not a dtype"),
        (3.0, r"3\.0 is not a dtype"),
        (np.floating, "is not a dtype"),
        (["f4"], "is not a dtype"),
        (np.zeros(2), "is not a dtype"),
        (scalar.Cast("float32"), r"cast\{float32\} is not a dtype"),
        (np, "is not a dtype"),
        (x, "x is a variable, not a dtype; its type is TensorType"),
        (object, "no variable has dtype object"),
        (np.longdouble, "no variable has dtype"),
        (at.TensorType, "is not a dtype"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_is_no_dtype(name, dtype, text):
    with pytest.raises(TypeError, match=text):
        CONVERSIONS[name](dtype)
