"""Derivatives of graphs: gradients, Jacobians, Hessians, and their products with vectors.

The gradient with respect to a complex variable is that with respect to its real part plus i times
that with respect to its imaginary part. So a real cost grows along it.
"""

from relgraph import on_first_use
from relgraph.gradient.backward import DisconnectedInputError as DisconnectedInputError
from relgraph.gradient.backward import NullTypeGradError as NullTypeGradError
from relgraph.gradient.backward import grad as grad
from relgraph.gradient.backward import subgraph_grad as subgraph_grad
from relgraph.gradient.barriers import consider_constant as consider_constant
from relgraph.gradient.barriers import disconnected_grad as disconnected_grad
from relgraph.gradient.barriers import grad_clip as grad_clip
from relgraph.gradient.barriers import grad_scale as grad_scale
from relgraph.gradient.barriers import zero_grad as zero_grad
from relgraph.gradient.jacobians import Lop as Lop
from relgraph.gradient.jacobians import Rop as Rop
from relgraph.gradient.jacobians import hessian as hessian
from relgraph.gradient.jacobians import hvp as hvp
from relgraph.gradient.jacobians import jacobian as jacobian
from relgraph.gradient.verification import GradientError as GradientError
from relgraph.gradient.verification import verify_grad as verify_grad
from relgraph.graph.type import DisconnectedType as DisconnectedType
from relgraph.graph.type import NullType as NullType

__all__ = on_first_use.public_names(globals())
