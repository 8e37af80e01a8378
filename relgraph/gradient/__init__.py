"""Derivatives of graphs, as graphs.

A gradient by a complex variable is the one by its real part plus i times the one by its imaginary
part, so that a step along it makes a real cost grow.
"""

from relgraph.gradient.backward import DisconnectedInputError, NullTypeGradError, grad
from relgraph.gradient.barriers import consider_constant, disconnected_grad, zero_grad
from relgraph.gradient.jacobians import Lop, Rop, hessian, hvp, jacobian
from relgraph.gradient.verification import GradientError, verify_grad
from relgraph.graph.type import DisconnectedType, NullType

__all__ = [
    "DisconnectedInputError",
    "DisconnectedType",
    "GradientError",
    "Lop",
    "NullType",
    "NullTypeGradError",
    "Rop",
    "consider_constant",
    "disconnected_grad",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "verify_grad",
    "zero_grad",
]
