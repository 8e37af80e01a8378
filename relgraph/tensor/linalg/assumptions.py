"""`assume`: what is declared about matrices, for the laws that ask for it.

A declaration is an op of the graph. It returns its input as it is: nothing is checked at run time,
and where it is false a law may give wrong values. What follows from it about other matrices is
inferred by `relgraph.tensor.lawkit.matrix_facts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.linalg.stacks import MatrixOp, check_matrix, check_square
from relgraph.tensor.type import TensorType

FACTS = (
    "diagonal",
    "lower triangular",
    "upper triangular",
    "symmetric",
    "positive definite",
    "orthogonal",
)
"""What can be declared. A complex ``symmetric`` matrix is one that equals its conjugate transpose,
an ``orthogonal`` one has its conjugate transpose for its inverse, and is square. A ``positive
definite`` one is symmetric, and has a Cholesky factor that can be computed."""


class Assume(MatrixOp):
    """Its input, matrices of which something is declared; the output is a view of it.

    Parameters
    ----------
    facts
        A sorted tuple of elements of `FACTS`.
    """

    __props__ = ("facts",)
    view_map = {0: [0]}
    is_identity = True
    name = "assume"

    def __init__(self, facts: tuple[str, ...]) -> None:
        for fact in facts:
            if fact not in FACTS:
                raise ValueError(f"assume: {fact!r} is none of {', '.join(map(repr, FACTS))}")
        self.facts = tuple(sorted(set(facts)))

    def __str__(self) -> str:
        return f"assume{{{', '.join(self.facts)}}}"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        if set(self.facts) - {"diagonal", "lower triangular", "upper triangular"}:
            check_square(self.name, a)
        check_matrix(self.name, a)
        return [a]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = inputs[0]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [output_gradients[0]]

    def R_op(self, inputs: Sequence[Variable], eval_points: Sequence[Variable | None]) -> list[Any]:
        return [eval_points[0]]


def assume(a: Any, *facts: str) -> Any:
    """Return matrices as they are, with a promise about their values that laws may rely on.

    Parameters
    ----------
    a
        Matrices, in a stack along leading axes.
    facts
        What they are: some of `FACTS`. It is not checked.

    Raises
    ------
    TypeError
        If `a` has rank 0 or 1.
    ValueError
        If there is no such fact, or it is one about square matrices and `a` is not square.

    Examples
    --------
    >>> import relgraph.tensor as at
    >>> K = at.linalg.assume(at.dmatrix("K"), "positive definite")
    """
    return Assume(tuple(facts))(a)
