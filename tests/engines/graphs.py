"""Graphs in which every class of Ops occurs, with values: what engines are compared on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import numpy as np

import relgraph
import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor import linalg
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.random.op import RandomOp
from tests.every_op import cases as c
from tests.every_op.comparison import LENGTHS, REFUSALS, assert_but_for_rounding, drawn_inputs
from tests.every_op.test_gradients import as_real
from tests.seeds import seed_of
from tests.tensor.linalg.matrices import positive

DTYPES = ("float32", "int8", "complex128", "bool")
"""In one of these, and in float64, each example is computed; those of matrices in one of two. Among
float32 are edge values, beside which sums of others are not told from each other."""
OF_ANY_DTYPE = c.CAReduce, c.Argmax, c.Argmin, c.Cumulate, c.Sort, c.ArgSort
"""Ops that lower some dtypes otherwise: they are computed in all."""
OTHER_KINDS = RandomOp, c.Nonzero, c.Unique, c.Expm
"""Ops whose results are other numbers elsewhere, have lengths that depend on values, or have fewer
digits for matrices of large numbers."""
BLAS = c.Dot22, c.Dot22Scalar, c.Gemm, c.Gemv, c.GemvAdd, c.Ger
INDEXED = c.AdvancedSubtensor, c.AdvancedIncSubtensor


@dataclass
class Graph:
    """Outputs of some inputs, and values of these."""

    inputs: list[Variable] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    outputs: list[Variable] = field(default_factory=list)

    def compare(self, found: Sequence[Any]) -> None:
        """Assert that these are the values of the reference, but for rounding."""
        with np.errstate(all="ignore"):
            expected = evaluate(self.outputs, dict(zip(self.inputs, self.values, strict=True)))
        for v, a, b in zip(self.outputs, found, expected, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape, v.owner
            assert_but_for_rounding(v.owner.op, a, b, str(v.owner))


def add_example(graph: Graph, op: Any, specs: Any, dtype: str) -> None:
    """Add an op on inputs of a dtype, if it takes any: numbers are variables, vectors of lengths
    constants, and of vectors with a free sign the squares are compared."""
    draw = Random(seed_of(op, specs, dtype))
    known = [isinstance(s, c.Numbers) and (s.count is not None or s.dtype[0] == "f") for s in specs]
    # by how it is computed, a product that a BLAS adds is nan beside an infinity, or not
    edges = dtype == "float32" and not isinstance(op, BLAS)
    for attempt in range(200):
        lengths = (2, 3) if attempt < 100 else LENGTHS
        inputs, values = drawn_inputs(op, specs, dtype, draw, edges, lengths)
        given = dict(zip(inputs, values, strict=True))
        arguments = [v if k else x for k, (x, v) in zip(known, given.items(), strict=True)]
        try:
            with np.errstate(all="ignore"):
                outputs = op.make_node(*arguments).outputs
                if isinstance(op, c.Eig | c.Eigh | c.SVD):
                    outputs = [as_real(op, out) for out in outputs]
                found = evaluate(outputs, given)
        except (*REFUSALS, TypeError):
            continue
        if all(value.size for value in found):
            graph.inputs += inputs
            graph.values += values
            graph.outputs += outputs
            return


def of_class(examples: list[Any]) -> Graph:
    """Return all examples of a class of ops in one graph."""
    graph = Graph()
    for number, (op, *specs) in enumerate(examples):
        dtypes = DTYPES if isinstance(op, OF_ANY_DTYPE) else [DTYPES[number % len(DTYPES)]]
        one_of_two = ["complex128" if number % 2 else "float64"]
        for dtype in one_of_two if isinstance(op, MatrixOp) else ["float64", *dtypes]:
            add_example(graph, op, specs, dtype)
    return graph


def loops() -> Graph:
    rng = np.random.default_rng(0)
    x, h, n = at.dmatrix("x"), at.dvector("h"), at.lscalar("n")
    states, _ = relgraph.scan(lambda row, s: at.tanh(row + s), sequences=[x], outputs_info=[h])
    loss = states[-1].sum()
    powers, _ = relgraph.scan(lambda s: s * 2.0, outputs_info=[h], n_steps=n)
    outputs = [states, states[-1], states[-2:], *relgraph.grad(loss, [x, h]), powers]
    outputs += [relgraph.ifelse(h.sum() > 0.0, states[0], h - 1.0)]
    values = [rng.normal(size=(5, 3)), np.abs(rng.normal(size=3)), np.array(3)]
    return Graph([x, h, n], values, outputs)


def matrices() -> Graph:
    """Systems of equations by what is known of the matrix, which no example says, and more."""
    c, z, v = at.dmatrix("c"), at.zmatrix("z"), at.dvector("v")
    values = [positive(4, 4), positive(4, 4, dtype="complex128"), np.arange(4.0)]
    half, chol = linalg.cholesky(c), linalg.cholesky(c, lower=False)
    outputs = [linalg.solve(m, v, assume_a=how) for m, how in ((c, "sym"), (c, "pos"), (z, "her"))]
    outputs += [linalg.solve_triangular(half, v, lower=True), linalg.cho_solve((chol, False), v)]
    outputs += [linalg.expm(half), at.CAReduce(scalar.logaddexp, (1,))(c)]
    return Graph([c, z, v], values, outputs)


def is_compared(op: Any, *specs: Any) -> bool:
    by_mask = isinstance(op, INDEXED) and any(spec in (c.MASK, c.MASK2) for spec in specs)
    return not by_mask and not isinstance(op, OTHER_KINDS)


CLASSES: dict[str, list[Any]] = {}
for example in [*c.CASES, *c.OTHERS]:
    if is_compared(*example):
        CLASSES.setdefault(type(example[0]).__name__, []).append(example)
GRAPHS: dict[str, Callable[[], Graph]] = {
    **{name: partial(of_class, examples) for name, examples in CLASSES.items()},
    "loops": loops,
    "matrices": matrices,
}
