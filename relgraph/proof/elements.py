"""Elements of variables as terms of Z3: what the logics of machines and of reals share.

This is the only import of Z3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.notation import number_of
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.elemwise import DimShuffle, Elemwise

try:
    import z3 as z3
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "proofs need Z3, which `pip install 'relgraph[prove]'` installs", name=error.name
    ) from error

Term = Any

MOST_FACTORS = 16
"""Powers to whole numbers are written as products of fewer factors."""


class NotTranslated(Exception):
    """What is no term; the message says what."""


class Elements:
    """The elements of variables as terms.

    Parameters
    ----------
    inputs
        The inputs; each gets a constant of its name.
    nodes
        The nodes that compute the others, inputs first.

    Attributes
    ----------
    inputs
        The terms of the inputs.
    assumed
        What is assumed of the terms.

    Raises
    ------
    NotTranslated
        If a node is no term.
    """

    def __init__(self, inputs: Sequence[Variable], nodes: Sequence[Apply]) -> None:
        self.assumed: list[Term] = []
        self.inputs = {v: self._constant(v) for v in inputs}
        self._terms: dict[Variable, Term] = dict(self.inputs)
        for node in nodes:
            self._add(node)

    def of(self, v: Any) -> Term:
        """Return the element of a variable."""
        if v not in self._terms:
            number = number_of(v)
            if number is None:
                raise NotTranslated(f"{v}, which is no number")
            self._terms[v] = self._number(number, v)
        return self._terms[v]

    def _add(self, node: Apply) -> None:
        (out,) = node.outputs
        op: Any = node.op
        if number_of(out) is not None:
            return
        if isinstance(op, DimShuffle):
            self._terms[out] = self.of(node.inputs[0])
        elif isinstance(op, Elemwise):
            self._terms[out] = self._applied(op.scalar_op, node)
        else:
            raise NotTranslated(f"{op}, which does not work element by element")

    def _constant(self, v: Variable) -> Term:
        """Return the constant that denotes an input."""
        raise NotImplementedError

    def _number(self, number: Any, v: Variable) -> Term:
        """Return the term of a number that is the value of a variable."""
        raise NotImplementedError

    def _applied(self, op: ScalarOp, node: Apply) -> Term:
        """Return the term of what a node computes by a scalar op."""
        raise NotImplementedError
