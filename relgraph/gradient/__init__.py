"""Derivatives of graphs: gradients, Jacobians, Hessians, and their products with vectors.

The gradient with respect to a complex variable is that with respect to its real part plus i times
that with respect to its imaginary part. So a real cost grows along it.
"""

from relgraph.gradient.backward import (
    DisconnectedInputError,
    NullTypeGradError,
    grad,
    subgraph_grad,
)
from relgraph.gradient.barriers import (
    consider_constant,
    disconnected_grad,
    grad_clip,
    grad_scale,
    zero_grad,
)
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
    "grad_clip",
    "grad_scale",
    "hessian",
    "hvp",
    "jacobian",
    "subgraph_grad",
    "verify_grad",
    "zero_grad",
]
