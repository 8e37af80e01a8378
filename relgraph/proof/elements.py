"""Elements of variables as terms of Z3: what the logics of machines and of reals share.

This is the only import of Z3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.notation import number_of
from relgraph.scalar.basic import Cast
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.elemwise import DimShuffle, Elemwise

try:
    import z3 as z3
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "proofs need Z3, which `pip install 'relgraph[prove]'` installs", name=error.name
    ) from error

Term = Any
Convert = Callable[[Term, str, str], Term]
"""Takes an element, its dtype, and another one, in which it is returned."""

MOST_FACTORS = 16
"""Powers to whole numbers are written as products of fewer factors."""


class NotTranslated(Exception):
    """What is no term; the message says what."""


def kept(
    op: ScalarOp, xs: Sequence[Term], dtypes: Sequence[str], out: str, converted: Convert
) -> Term | None:
    """Return what an op gives, in a dtype, that keeps an element or chooses one; None of others.

    Parameters
    ----------
    xs, dtypes
        Its arguments, and their dtypes.
    """
    if isinstance(op, Cast) or op.name in ("second", "identity", "conj", "real"):
        return converted(xs[-1], dtypes[-1], out)
    if op.name == "switch":
        chosen = [converted(x, d, out) for x, d in zip(xs[1:], dtypes[1:], strict=True)]
        return z3.If(converted(xs[0], dtypes[0], "bool"), *chosen)
    return None


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
            self._terms[out] = self._computed(op.scalar_op, node)
        else:
            raise NotTranslated(f"{op}, which does not work element by element")

    def _computed(self, op: ScalarOp, node: Apply) -> Term:
        xs, dtypes = [self.of(v) for v in node.inputs], [self.dtype(v) for v in node.inputs]
        out = self.dtype(node.outputs[0])
        found = kept(op, xs, dtypes, out, self._converted)
        return self._applied(op, xs, dtypes, out) if found is None else found

    def dtype(self, v: Any) -> str:
        """Return the dtype of a variable."""
        found: str = v.type.dtype
        return found

    def values_in(self, model: Any) -> dict[Variable, Any]:
        """Return the values that a model gives the inputs, as vectors of one element."""
        return {
            v: np.array([self._value(model.eval(x, model_completion=True), v.type.dtype)])
            for v, x in self.inputs.items()
        }

    def _constant(self, v: Variable) -> Term:
        """Return the constant that denotes an input."""
        raise NotImplementedError

    def _number(self, number: Any, v: Variable) -> Term:
        """Return the term of a number that is the value of a variable."""
        raise NotImplementedError

    def _converted(self, x: Term, dtype: str, wanted: str) -> Term:
        """Return an element in another dtype."""
        raise NotImplementedError

    def _applied(self, op: ScalarOp, xs: Sequence[Term], dtypes: Sequence[str], out: str) -> Term:
        """Return what a scalar op computes of elements of some dtypes, in a dtype."""
        raise NotImplementedError

    def _value(self, found: Term, dtype: str) -> Any:
        """Return a number of a model, in a dtype of NumPy."""
        raise NotImplementedError
