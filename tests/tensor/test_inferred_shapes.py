"""What `infer_shape` says is what `perform` gives, for every op, whatever the lengths of the axes.

Where `perform` refuses its inputs, nothing is asked: a shape may be given without the value.
"""

import random
from functools import cache

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor.shapes import lengths
from relgraph.tensor.type import TensorType
from tests.every_op.cases import CASES, Tensor, drawn
from tests.seeds import seed_of

DRAWS = 200


@cache
def nodes(op, types):
    """Return inputs of these types, the node on them, its inferred shapes and what is symbolic."""
    inputs = [t() for t in types]
    return (inputs, *inferred(op.make_node(*inputs)))


def without_ones(type_):
    """Return a type that does not know which lengths are 1."""
    if not isinstance(type_, TensorType):
        return type_
    return TensorType(type_.dtype, [None if n == 1 else n for n in type_.shape])


@cache
def narrowed_nodes(op, types):
    """Return the same of a node that was made when no length was known."""
    inputs = [t() for t in types]
    made = op.make_node(*[without_ones(t)() for t in types])
    return (inputs, *inferred(Apply(made.op, inputs, [out.type() for out in made.outputs])))


def inferred(node):
    known = [lengths(v) if isinstance(v.type, TensorType) else None for v in node.inputs]
    shapes = [shape for shape in node.op.infer_shape(None, node, known) if shape is not None]
    return node, shapes, [n for shape in shapes for n in shape if isinstance(n, Variable)]


def compared(op, specs, draw, make=nodes):
    """Return whether `perform` took the inputs that were drawn; check the shapes if so."""
    pool = draw.sample(range(4), 2)
    drawn_inputs = [drawn(spec, draw, pool) for spec in specs]
    values = [value for value, _ in drawn_inputs]
    types = tuple(type_ for _, type_ in drawn_inputs)
    try:
        inputs, node, shapes, symbolic = make(op, types)
        givens = dict(zip(inputs, values, strict=True))
        tensors = [out for out in node.outputs if isinstance(out.type, TensorType)]
        found = [value.shape for value in evaluate(tensors, givens)]
    except (ValueError, IndexError, TypeError, AssertionError):
        return False
    computed = iter(evaluate(symbolic, givens))
    expected = [
        tuple(int(next(computed)) if isinstance(n, Variable) else n for n in shape)
        for shape in shapes
    ]
    assert expected == found, f"{node}: {types} of shapes {[np.shape(v) for v in values]}, {values}"
    for out, shape in zip(tensors, found, strict=True):
        assert all(n in (None, m) for n, m in zip(out.type.shape, shape, strict=True)), f"{node}"
    return True


def compare_some(op, specs, *nodes):
    """Draw until enough was drawn that suits the op."""
    draw = random.Random(seed_of(op, specs))
    taken = sum(compared(op, specs, draw, *nodes) for _ in range(DRAWS))
    for _ in range(10 * DRAWS):
        if taken >= 10:
            return
        taken += compared(op, specs, draw, *nodes)
    raise AssertionError("hardly anything that was drawn suits the op")


def parameters(cases):
    return pytest.mark.parametrize(
        ("op", "specs"), [(op, specs) for op, *specs in cases], ids=[str(op) for op, *_ in cases]
    )


# an axis that is dropped is known to have length 1
KEEPING_AXES = [
    case for case in CASES if not isinstance(case[0], at.DimShuffle) or not case[0].drop
]


@parameters(CASES)
def test_inferred_is_performed(op, specs):
    compare_some(op, specs)


@parameters(KEEPING_AXES)
def test_inferred_is_performed_where_rewriting_has_found_lengths(op, specs):
    if isinstance(op, at.Elemwise) and len({spec.ndim for spec in specs}) > 1:
        specs = [Tensor(2, spec.dtype) for spec in specs]
    compare_some(op, specs, narrowed_nodes)
