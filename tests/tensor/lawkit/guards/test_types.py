"""What types tell of dtypes."""

import relgraph.tensor as at
from relgraph.tensor.lawkit import type_guards as types

x, i, b, z = at.dvector("x"), at.lvector("i"), at.bvector("b"), at.zvector("z")
u = at.vector("u", dtype="uint8")


def test_kinds_of_dtypes():
    assert types.is_float(x) and not types.is_float(i) and not types.is_float(z)
    assert types.is_integer(u) and types.is_unsigned(u) and not types.is_signed(u)
    assert types.is_signed(i) and types.is_signed(b)
    assert types.is_discrete(x > 0) and not types.is_integer(x > 0)
    assert types.is_boolean(x > 0) and not types.is_discrete(x)
    assert types.is_signed_or_float(x) and not types.is_signed_or_float(u)
    assert types.is_complex(z) and types.is_real(x > 0) and not types.is_real(z)


def test_the_same_of_several():
    assert types.have_same_dtype(x, x + 1) and types.have_same_dtype(x, x, x)
    assert not types.have_same_dtype(x, i) and not types.have_same_dtype(x, x, i)
    assert types.have_same_rank(x, i) and not types.have_same_rank(x, at.dmatrix())
    assert types.has_rank(x, 1) and not types.has_rank(x, 2)
