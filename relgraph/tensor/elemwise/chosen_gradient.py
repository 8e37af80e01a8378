"""Gradients that a choice has made zero, and that stay zero.

Where a `switch` does not take a branch, the gradient of the branch is 0, however steep it is: 0
times a slope that is infinite would be nan. So the zeros are not multiplied; they are put in again
after the multiplication.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from relgraph import scalar
from relgraph.graph.basic import Constant
from relgraph.scalar.op import ScalarOp

# What these do to a gradient is the same for zeros as for all other numbers.
_SLOPE_IS_NUMBER = frozenset({scalar.add, scalar.sub, scalar.neg, scalar.identity, scalar.second})


class ChosenGradient(NamedTuple):
    """A gradient that is zero where a branch is not taken.

    Attributes
    ----------
    switch
        The op that chooses.
    condition
        What it chooses by.
    where_taken
        The gradient, right where the branch is taken.
    zero
        The other branch.
    if_true
        Whether the branch is taken where the condition holds.
    """

    switch: Any
    condition: Any
    where_taken: Any
    zero: Any
    if_true: bool

    @staticmethod
    def of(scalar_op: ScalarOp, output_grads: Sequence[Any]) -> ChosenGradient | None:
        """Return the gradient of the output of an elementwise op as a chosen one.

        Returns
        -------
        chosen
            None if it is not made by a choice, or if zeros make no difference to the op.
        """
        if len(output_grads) != 1 or scalar_op in _SLOPE_IS_NUMBER:
            return None
        (g,) = output_grads
        node = g.owner
        if node is None or getattr(node.op, "scalar_op", None) is not scalar.switch:
            return None
        condition, first, second = node.inputs
        for taken, other, if_true in ((first, second, True), (second, first, False)):
            # a gradient that is filled with zeros is a variable, and may be differentiated by
            if isinstance(other, Constant) and other.unique_value() == 0 and taken.dtype == g.dtype:
                return ChosenGradient(node.op, condition, taken, other, if_true)
        return None

    def and_zero_elsewhere(self, gradient: Any) -> Any:
        """Return a gradient, made of `where_taken`, that is zero where the branch is not taken."""
        if self.if_true:
            return self.switch(self.condition, gradient, self.zero)
        return self.switch(self.condition, self.zero, gradient)
