"""`JaxOp`: a primitive of JAX that no op is the counterpart of, carried through as it is.

Those that call jaxprs are carried through with rewritten jaxprs in their call: loops with a
condition, rematerialized functions, functions with a rule of their own for the derivative, and
functions on shards.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import jax
import numpy as np
from jax import lax

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op, Storage, Variables
from relgraph.graph.type import DisconnectedType, Type, disconnected
from relgraph.scalar.type import is_discrete
from relgraph.tensor.assembly import zeros
from relgraph.tensor.type import TensorType

_TENSOR_KINDS = "biufc"


class JaxType(Type):
    """The type of JAX's arrays that NumPy has no dtype for: keys of generators, say.

    Parameters
    ----------
    dtype
        JAX's dtype.
    shape
        The lengths of the axes.
    """

    __props__ = ("dtype", "shape")

    def __init__(self, dtype: Any, shape: Sequence[int]) -> None:
        self.dtype = dtype
        self.shape = tuple(shape)
        self.ndim = len(self.shape)

    @property
    def is_continuous(self) -> bool:
        """Whether values have derivatives, which JAX alone can take."""
        return bool(jax.numpy.issubdtype(self.dtype, jax.numpy.inexact))

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if getattr(data, "dtype", None) != self.dtype or data.shape != self.shape:
            raise TypeError(f"expected {self}, not {data!r}")
        return data

    def __str__(self) -> str:
        return f"JaxType({self.dtype}, {self.shape})"


def type_of(aval: Any) -> Type:
    """Return the type of variables for JAX's values of a shape and a dtype."""
    if isinstance(aval.dtype, np.dtype) and aval.dtype.kind in _TENSOR_KINDS:
        return TensorType(str(aval.dtype), aval.shape)
    return JaxType(aval.dtype, aval.shape)


def struct_of(value: Any) -> Any:
    """Return the shape and dtype of an array or number of JAX's, and whether the dtype is weak."""
    aval = jax.typeof(value)
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def is_half(dtype: Any) -> bool:
    """Return whether a dtype is of floats of 16 bits."""
    return str(dtype) in ("float16", "bfloat16")


def wide_type_of(aval: Any) -> Type:
    """Return the type of variables for JAX's values, where floats of 16 bits are computed in 32."""
    if is_half(aval.dtype):
        return TensorType("float32", aval.shape)
    return type_of(aval)


@dataclass(frozen=True)
class JaxCall:
    """A function of JAX's values that returns a tuple of them; equal to another of the same key.

    Attributes
    ----------
    name
        What is called.
    function
        The function.
    pulls_back_by_itself
        Whether JAX alone can differentiate it: see `has_own_pull_back`.
    key
        What is called, and with which parameters.
    """

    name: str = field(compare=False)
    function: Callable[..., tuple[Any, ...]] = field(compare=False)
    pulls_back_by_itself: bool = field(compare=False)
    key: Hashable = field(default_factory=object)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        return tuple(self.function(*values))

    def __str__(self) -> str:
        return self.name


def primitive_call(primitive: Any, parameters: Mapping[str, Any]) -> JaxCall:
    """Return the call of a primitive of JAX; equal to another one if the parameters are, or the
    same where they can't be hashed."""
    given = dict(parameters)

    def call(*values: Any) -> Any:
        found = primitive.bind(*values, **primitive.get_bind_params(given))
        return found if primitive.multiple_results else (found,)

    name = str(primitive.name)
    if "call_jaxpr" in given:
        name = f"{name}[{source_of(given['call_jaxpr'])[0]}]"
    key: Hashable = primitive, tuple(sorted(given.items(), key=lambda item: item[0]))
    try:
        hash(key)
    except TypeError:
        key = object()
    return JaxCall(name, call, has_own_pull_back(primitive, given), key)


def has_own_pull_back(primitive: Any, parameters: Mapping[str, Any]) -> bool:
    """Return whether a function is called that has its own product of row vectors with Jacobians.

    It may be any function of the vector, and says nothing of tangents.
    """
    if primitive.name.startswith("custom_vjp_call"):
        return True
    held: list[Any] = []
    for value in parameters.values():
        held.extend(value if type(value) is tuple else (value,))
    return any(
        has_own_pull_back(eqn.primitive, eqn.params)
        for part in held
        for eqn in getattr(getattr(part, "jaxpr", part), "eqns", ())
    )


def source_of(called: Any) -> tuple[str, str]:
    """Return the name of the function that a jaxpr is of, and the file that defines it.

    Parameters
    ----------
    called
        The jaxpr, which may have its constants with it.
    """
    jaxpr = getattr(called, "jaxpr", called)
    name, _, place = (jaxpr.debug_info.func_src_info or "").partition(" at ")
    return name, PurePath(place.rpartition(":")[0]).as_posix()


def half_call(call: JaxCall, dtypes: tuple[Any, ...]) -> JaxCall:
    """Return a call that has floats of 16 bits where it is given, or gives, such of 32.

    Parameters
    ----------
    call
        The call.
    dtypes
        The dtype of each input; None for one that is given as it is.
    """

    def function(*values: Any) -> tuple[Any, ...]:
        given = [
            v if dtype is None else v.astype(dtype) for v, dtype in zip(values, dtypes, strict=True)
        ]
        return tuple(as_wide(v) for v in call(*given))

    return replace(call, function=function, key=(call.key, dtypes))


def as_wide(value: Any) -> Any:
    """Return an array, one of floats of 16 bits as one of 32."""
    return value.astype("float32") if is_half(value.dtype) else value


@dataclass(frozen=True)
class LinearCall:
    """A product of the Jacobian of a call with a vector.

    It takes the inputs of the call, and then the parts of the vector. A column vector has a part
    for each differentiable input, and the product one for each such output; a row vector the other
    way round.

    Attributes
    ----------
    call
        The call.
    inputs, outputs
        Which of the inputs and outputs of the call are differentiable.
    of_row
        Whether the vector is a row, on the left.
    """

    call: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    of_row: bool

    @property
    def parts(self) -> int:
        """How many parts the vector has."""
        return len(self.outputs if self.of_row else self.inputs)

    def transposed(self) -> LinearCall:
        """Return the product with a vector on the other side."""
        return replace(self, of_row=not self.of_row)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        given, vector = values[: -self.parts], values[-self.parts :]

        def function(*changed: Any) -> tuple[Any, ...]:
            every = list(given)
            for i, value in zip(self.inputs, changed, strict=True):
                every[i] = value
            found = self.call(*every)
            return tuple(found[i] for i in self.outputs)

        points = tuple(given[i] for i in self.inputs)
        if self.of_row:
            return tuple(jax.vjp(function, *points)[1](vector))
        return tuple(jax.jvp(function, points, vector)[1])

    def __str__(self) -> str:
        return f"{'gradient' if self.of_row else 'derivative'} of {self.call}"


class JaxOp(Op):
    """A call of a primitive of JAX.

    Laws see no further than it; JAX computes it and differentiates it.

    Parameters
    ----------
    call
        A function of JAX's values that returns a tuple of them, equal to another if it is the same
        function: a `JaxCall` or a `LinearCall`.
    types
        The types of the outputs.
    pure
        Whether equal inputs give equal outputs.
    """

    __props__ = ("call", "types", "pure")

    def __init__(self, call: Any, types: tuple[Type, ...], pure: bool = True) -> None:
        self.call = call
        self.types = types
        self.pure = pure
        self.nout = len(types)

    def __str__(self) -> str:
        return f"jax.{self.call}"

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, list(inputs), [t.make_variable() for t in self.types])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Storage) -> None:
        # the values are there, even while JAX traces a function that this is a part of
        with jax.enable_x64(True), jax.ensure_compile_time_eval():
            values = [jax.numpy.asarray(v) for v in inputs]
            for cell, value, t in zip(output_storage, self.call(*values), self.types, strict=True):
                cell[0] = np.array(value) if isinstance(t, TensorType) else value

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        call, count = self.call, len(inputs)
        found = tuple(i for i, v in enumerate(outputs) if is_continuous(v))
        row = [
            zeros(outputs[i].type.shape, outputs[i].type.dtype)
            if isinstance(output_grads[i].type, DisconnectedType)
            else output_grads[i]
            for i in found
        ]
        slopes: list[Any] = [disconnected() for _ in inputs]
        if isinstance(call, LinearCall):
            count -= call.parts
            op = JaxOp(call.transposed(), tuple(v.type for v in inputs[count:]))
            slopes[count:] = op(*inputs[:count], *row, return_list=True)
        free = tuple(i for i, v in enumerate(inputs[:count]) if is_continuous(v))
        if free:
            op = JaxOp(LinearCall(call, free, found, True), tuple(inputs[i].type for i in free))
            for i, slope in zip(free, op(*inputs, *row, return_list=True), strict=True):
                slopes[i] = slope
        return slopes

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [
            [is_continuous(v) and is_continuous(out) for out in node.outputs] for v in node.inputs
        ]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [t.shape for t in self.types]  # type: ignore[attr-defined]


def is_continuous(v: Variable) -> bool:
    """Return whether a variable has derivatives: whether it is an array of floats."""
    if isinstance(v.type, JaxType):
        return v.type.is_continuous
    return isinstance(v.type, TensorType) and not is_discrete(v.type.dtype)


INSIDE = "rewritten inside"
"""Begins why such a primitive is carried through."""

Function = Callable[..., tuple[Any, ...]]
Rewritten = Callable[[Any], Function]
"""Returns the function of a jaxpr, rewritten."""


def _while(given: Mapping[str, Any], rewritten: Rewritten) -> Function:
    holds, step = rewritten(given["cond_jaxpr"]), rewritten(given["body_jaxpr"])
    first, second = given["cond_nconsts"], given["cond_nconsts"] + given["body_nconsts"]

    def loop(*values: Any) -> tuple[Any, ...]:
        of_condition, of_step = values[:first], values[first:second]
        found: tuple[Any, ...] = lax.while_loop(
            lambda states: holds(*of_condition, *states)[0],
            lambda states: step(*of_step, *states),
            tuple(values[second:]),
        )
        return found

    return loop


def _remat(given: Mapping[str, Any], rewritten: Rewritten) -> Function:
    how = {"prevent_cse": given["prevent_cse"], "policy": given["policy"]}
    made: Function = jax.checkpoint(rewritten(given["jaxpr"]), **how)
    return made


def _shard_map(given: Mapping[str, Any], rewritten: Rewritten) -> Function:
    made: Function = jax.shard_map(
        rewritten(given["jaxpr"]),
        mesh=given["mesh"],
        in_specs=given["in_specs"],
        out_specs=given["out_specs"],
        axis_names=given["newly_manual_axes"],
        check_vma=given["check_vma"],
    )
    return made


_FUNCTIONS: dict[str, Callable[[Mapping[str, Any], Rewritten], Function]] = {
    "while": _while,
    "remat2": _remat,
    "shard_map": _shard_map,
}
# Their derivatives are their own; what JAX differentiates is not rewritten.
_WITH_RULES = ("custom_jvp_call", "custom_vjp_call")


def nested_call(eqn: Any, rewritten: Rewritten) -> tuple[JaxCall, str] | None:
    """Return the call of an equation with its jaxprs rewritten, and why it is not read into ops;
    None if it has another primitive.

    Parameters
    ----------
    eqn
        The equation.
    rewritten
        Rewrites a jaxpr.
    """
    name, given = eqn.primitive.name, eqn.params
    if name in _WITH_RULES:
        called = given["call_jaxpr"]
        closed = jax.make_jaxpr(rewritten(called))(*called.in_avals)
        made = primitive_call(eqn.primitive, {**given, "call_jaxpr": closed})
        made = replace(made, name=f"{name}[{source_of(called)[0]}]")
        return made, f"{INSIDE}, with a derivative of its own"
    if name not in _FUNCTIONS:
        return None
    pulls_back = has_own_pull_back(eqn.primitive, given)
    return JaxCall(name, _FUNCTIONS[name](given, rewritten), pulls_back), INSIDE
