"""Functions over logic variables give terms."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.lawkit.vocabulary import lvars

x, y, n = lvars("x y n")

TERMS = {
    "dot": lambda: at.dot(x, y),
    "at": lambda: x @ y,
    "dot of a variable": lambda: at.dot(at.dmatrix(), y),
    "shape": lambda: at.shape(x),
    "shape_i": lambda: at.shape_i(x, 1),
    "reshape": lambda: at.reshape(x, y, ndim=2),
    "transpose": lambda: at.transpose(x, (1, 0)),
    "specify_shape": lambda: at.specify_shape(x, (2, None)),
    "alloc": lambda: at.alloc(x, 2, n),
    "zeros_like": lambda: at.zeros_like(x),
    "part": lambda: x[1:],
    "part by a term": lambda: x[n],
    "join": lambda: at.join(0, x, y),
    "softmax": lambda: at.softmax(x, 1),
    "argmax": lambda: at.argmax(x, 1),
    "any": lambda: at.any(x),
}


@pytest.mark.parametrize("name", TERMS)
def test_terms(name):
    term = TERMS[name]()
    assert isinstance(term, LogicTerm)
    assert not isinstance(term, np.ndarray)
