"""`shared`: makes shared variables, which have a value that functions read and update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

import relgraph.sparse as sparse
from relgraph.graph.basic import Variable
from relgraph.graph.shared_values import Container, SharedVariable
from relgraph.graph.utils import describe_value
from relgraph.tensor.random.type import (
    RandomGeneratorSharedVariable,
    is_generator,
    shared_generator,
)
from relgraph.tensor.type import TensorType, TensorVariable

if TYPE_CHECKING:
    from numpy.random import Generator


class TensorSharedVariable(SharedVariable, TensorVariable):
    """A shared variable whose value is an array."""

    __slots__ = ()


@overload
def shared(
    value: Generator,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
) -> RandomGeneratorSharedVariable: ...


@overload
def shared(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
) -> TensorSharedVariable: ...


def shared(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
) -> SharedVariable:
    """Return a shared variable with a copy of a value.

    Parameters
    ----------
    value
        An array, or anything that NumPy converts to one: the variable has its dtype and rank; no
        length is static. Or a `numpy.random.Generator`, or a sparse matrix of SciPy.
    name
        The name of the variable.
    strict, allow_downcast
        How later values are converted, as for `Type.filter`.
    borrow
        Whether the variable has `value` itself, which functions that update it may then change.

    Returns
    -------
    variable
        A `TensorSharedVariable`, a `RandomGeneratorSharedVariable` of a generator, or a
        `SparseSharedVariable` of a sparse matrix.

    Raises
    ------
    TypeError
        If `value` is symbolic, or neither numeric nor a generator nor a sparse matrix.
    """
    if isinstance(value, Variable):
        raise TypeError(f"a shared variable holds a value, and {value} is symbolic")
    data = np.asarray(value)
    if data.dtype.kind not in "biufc":
        if is_generator(value):
            return shared_generator(value, name, borrow)
        if sparse.is_matrix(value):
            made: SharedVariable = sparse.shared_matrix(value, name, strict, allow_downcast, borrow)
            return made
        raise TypeError(
            f"a shared variable holds numbers, not {describe_value(value)}; or it holds a "
            "numpy.random.Generator or a sparse matrix"
        )
    kind = TensorType(data.dtype.name, (None,) * data.ndim)
    container = Container(kind, data, name, False, allow_downcast, borrow)
    container.strict = strict
    return TensorSharedVariable(kind, container, name)
