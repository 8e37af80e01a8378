"""The scalar ops by what they compute: functions of arrays that have the dtypes of NumPy's loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

from relgraph import scalar
from relgraph.engines.jax.lowering.scalars import cancellation, functions, logarithms
from relgraph.scalar import basic, conversion, error_free, logic, selection
from relgraph.scalar import cancellation as cancelling
from relgraph.scalar import special as special_ops
from relgraph.scalar.op import ScalarOp

Function = Callable[..., Any]

_OF_ONE: dict[type, Function] = {
    basic.Neg: jnp.negative,
    basic.Sign: functions.sign,
    basic.Sqr: functions.square,
    basic.Reciprocal: functions.reciprocal,
    cancelling.Cosm1: cancellation.cosm1,
    cancelling.Log1pmx: cancellation.log1pmx,
    cancelling.Log1pSqr: cancellation.log1p_sqr,
    cancelling.Hypot1m1: cancellation.hypot1m1,
    cancelling.XLessSin: cancellation.x_less_sin,
    cancelling.TanLessX: cancellation.tan_less_x,
    conversion.Conj: jnp.conjugate,
    conversion.Angle: functions.angle,
    conversion.Ceil: functions.rounding(jnp.ceil),
    conversion.Floor: functions.rounding(jnp.floor),
    conversion.Trunc: functions.rounding(jnp.trunc),
    conversion.Round: functions.rounding(jnp.round),
    selection.Identity: lambda x: x,
    logic.Invert: jnp.invert,
    special_ops.Erf: special.erf,
    special_ops.Erfc: special.erfc,
    special_ops.Erfinv: special.erfinv,
    special_ops.Sigmoid: special.expit,
    special_ops.Gammaln: logarithms.gammaln,
    special_ops.Digamma: logarithms.digamma,
    special_ops.Softplus: logarithms.softplus,
    special_ops.Log1mexp: logarithms.log1mexp,
}

_OF_TWO: dict[type, Function] = {
    basic.Add: jnp.add,
    basic.Mul: functions.multiply,
    basic.Sub: jnp.subtract,
    basic.TrueDiv: jnp.true_divide,
    basic.IntDiv: functions.int_div,
    basic.Mod: functions.mod,
    basic.Pow: functions.power,
    basic.Maximum: functions.maximum,
    basic.Minimum: functions.minimum,
    logic.And: lax.bitwise_and,
    logic.Or: lax.bitwise_or,
    logic.Xor: lax.bitwise_xor,
    logic.Eq: functions.comparison(jnp.equal),
    logic.Neq: functions.comparison(jnp.not_equal),
    logic.Lt: functions.comparison(jnp.less),
    logic.Le: functions.comparison(jnp.less_equal),
    logic.Gt: functions.comparison(jnp.greater),
    logic.Ge: functions.comparison(jnp.greater_equal),
    cancelling.Length: functions.length,
    cancelling.SqrLessSqr: cancellation.sqr_less_sqr,
    selection.Second: lambda x, y: jnp.broadcast_to(y, jnp.broadcast_shapes(x.shape, y.shape)),
    special_ops.Polygamma: logarithms.polygamma,
}

_OF_MORE: dict[type, Function] = {
    selection.Switch: lambda condition, x, y: jnp.where(condition != 0, x, y),
    selection.Clip: functions.clip,
    special_ops.LogProduct: logarithms.log_product,
    special_ops.LogDeterminant: logarithms.log_determinant,
}

_OF_NUMPY: dict[type, Function] = {
    type(op): getattr(jnp, name)
    for name, op in vars(scalar).items()
    if isinstance(op, ScalarOp) and hasattr(jnp, name)
}
"""Those that have the names and the meaning of NumPy's functions."""

FUNCTIONS: dict[type, Function] = {**_OF_NUMPY, **_OF_ONE, **_OF_TWO, **_OF_MORE}
"""What a class of scalar ops computes."""

AS_OUTPUT = (
    basic.Pow,
    cancelling.Cosm1,
    cancelling.Log1pmx,
    cancelling.Log1pSqr,
    cancelling.Hypot1m1,
    cancelling.XLessSin,
    cancelling.TanLessX,
    cancelling.Length,
    cancelling.SqrLessSqr,
    selection.Clip,
    special_ops.Softplus,
    special_ops.Log1mexp,
    special_ops.LogProduct,
    special_ops.LogDeterminant,
    special_ops.Polygamma,
)
"""The classes that compute in the dtype of their output, and have no ufunc that says so."""

ON_THE_HOST = (
    error_free.AddError,
    error_free.MulError,
    error_free.Fma,
    error_free.ScaledProduct,
)
"""The classes that keep digits which XLA's arithmetic loses: their formulas do not."""

REAL = (
    special_ops.Erf,
    special_ops.Erfc,
    special_ops.Gammaln,
    special_ops.Digamma,
)
"""The classes whose function JAX has for real numbers alone."""
