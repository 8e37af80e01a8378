import numpy as np

from relgraph.testing.judge.evaluation import to_extended


def test_floats_are_extended_and_integers_are_not():
    assert to_extended(np.float32(1), "float32").dtype == np.longdouble
    assert to_extended(np.complex64(1), "complex64").dtype == np.clongdouble
    assert to_extended(np.int8(1), "int8").dtype == "int8"
