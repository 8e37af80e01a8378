"""The scalar ops by what they compute: functions of arrays that have the dtypes of NumPy's loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
import scipy.special

from relgraph.engines.jax.lowering.scalars import cancellation, functions, logarithms
from relgraph.scalar import basic, conversion, error_free, logic, selection
from relgraph.scalar import cancellation as cancelling
from relgraph.scalar import special as special_ops
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.records import SCALAR_OPS

Function = Callable[..., Any]

_OF_ONE: dict[type, Function] = {
    basic.Sign: functions.sign,
    basic.Sqr: functions.square,
    basic.Reciprocal: functions.reciprocal,
    cancelling.Cosm1: cancellation.cosm1,
    cancelling.Log1pmx: cancellation.log1pmx,
    cancelling.Log1pSqr: cancellation.log1p_sqr,
    cancelling.Hypot1m1: cancellation.hypot1m1,
    cancelling.XLessSin: cancellation.x_less_sin,
    cancelling.TanLessX: cancellation.tan_less_x,
    conversion.Angle: functions.angle,
    conversion.Real: jnp.real,
    conversion.Imag: jnp.imag,
    conversion.Ceil: functions.rounding(jnp.ceil),
    conversion.Floor: functions.rounding(jnp.floor),
    conversion.Trunc: functions.rounding(jnp.trunc),
    conversion.Round: functions.rounding(jnp.round),
    selection.Identity: lambda x: x,
    special_ops.Gammaln: logarithms.gammaln,
    special_ops.Digamma: logarithms.digamma,
    special_ops.Softplus: logarithms.softplus,
    special_ops.Log1mexp: logarithms.log1mexp,
}

_OF_TWO: dict[type, Function] = {
    basic.Mul: functions.multiply,
    basic.IntDiv: functions.int_div,
    basic.Mod: functions.mod,
    basic.Pow: functions.power,
    basic.Maximum: functions.maximum,
    basic.Minimum: functions.minimum,
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


def by_ufunc(op: ScalarOp) -> Function | None:
    """Return JAX's function of the name of an op's ufunc of NumPy or SciPy, if there is one."""
    for theirs, home in ((np, jnp), (scipy.special, special)):
        name = getattr(op.ufunc, "__name__", "")
        if isinstance(op.ufunc, np.ufunc) and getattr(theirs, name, None) is op.ufunc:
            found: Function | None = getattr(home, name, None)
            return found
    return None


_OF_UFUNCS = {type(op): f for op in SCALAR_OPS.values() if (f := by_ufunc(op)) is not None}

FUNCTIONS: dict[type, Function] = {**_OF_UFUNCS, **_OF_ONE, **_OF_TWO, **_OF_MORE}
"""What a class of scalar ops computes."""


def computes_as_output(op: ScalarOp) -> bool:
    """Return whether an op computes in the dtype of its output, and has no ufunc that says so."""
    by_formula = op.formula is not None and not isinstance(op.ufunc, np.ufunc)
    return by_formula or isinstance(op, basic.Pow | special_ops.Polygamma)


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
