"""The counterparts in both libraries: types, elementwise functions, distributions.

Tables name PyTensor's ops by text, as addresses within `pytensor`: an op that a version no longer
has, or does not have yet, is left out. What moved or changed its form, from the oldest version that
this library works with to the newest, is known here alone.

Tensors and generators of random numbers have a counterpart; a scalar is a tensor of rank 0. Any
other type of PyTensor's is held as it is, by a `HeldType`, and an op of the other library is run by
what has a part `HoldsOp`.

A variable or a node notes where it came from, so that a round trip ends where it began. An input
notes its counterpart. A node made for one of PyTensor's notes that node's outputs, and the op and
the inputs that it had then: as long as it still has them, and these are unchanged too, it means
what it meant. A node that rewriting has changed, or a copy on other inputs, fails that test.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytensor
import pytensor.graph.rewriting.unify
import pytensor.tensor as pt
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.random.type import RandomGeneratorType as PyTensorGeneratorType
from pytensor.tensor.type import TensorType as PyTensorTensorType
from unification.core import _unify

import relgraph.graph.kanren  # noqa: F401
import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation import number_of
from relgraph.graph.reference import performed
from relgraph.graph.type import Type
from relgraph.scalar.named import ScipyOp
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.type import is_discrete
from relgraph.tensor.basic import static_int
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.random.type import RandomGeneratorType, random_generator_type
from relgraph.tensor.type import TensorType

T = TypeVar("T")

# The address that the newest version has, and the one of versions before it.
_MOVED = {
    "compile.rewriting.inline_ofg_node": "tensor.rewriting.ofg.inline_ofg_node",
    "conditional.op.IfElse": "ifelse.IfElse",
}


def named(address: str) -> Any:
    """Return what PyTensor has at an address, as ``"tensor.elemwise.Elemwise"``; None if it has no
    such module or no such name."""
    found = _at(address)
    return _at(_MOVED[address]) if found is None and address in _MOVED else found


def _at(address: str) -> Any:
    module, _, name = f"{pytensor.__name__}.{address}".rpartition(".")
    try:
        return getattr(import_module(module), name, None)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        return None


def present(table: Mapping[str, T]) -> dict[Any, T]:
    """Return a table by PyTensor's ops instead of by their addresses, without those that it doesn't
    have."""
    found = [(named(address), value) for address, value in table.items()]
    return {op: value for op, value in found if op is not None}


def axis_and_others(op: Any, inputs: Sequence[Any], place: int) -> tuple[int | None, list[Any]]:
    """Return the axis of a node that joins, splits or sorts, and its other inputs.

    The axis is a parameter of the op, and was its input number `place` before; None if it
    isn't known.
    """
    if "axis" in op.__props__:
        return op.axis, list(inputs)
    return static_int(inputs[place]), [*inputs[:place], *inputs[place + 1 :]]


IfElse: Any = named("conditional.op.IfElse")
inline_ofg_node: Any = named("compile.rewriting.inline_ofg_node")


# Whoever reads or writes graphs of PyTensor's has the rules of `unify` of both libraries. Those of
# PyTensor for its own kind of variable leave open which of two is meant where two of these meet,
# of which `unify` would warn when it is next used.
_unify.reorder(on_ambiguity=lambda *found: None)


class CholeskyOrNan(Cholesky):
    """The factors of matrices as PyTensor has them: nan where one is not positive definite."""

    def of_finite(self, a: Any) -> Any:
        try:
            return super().of_finite(a)
        except np.linalg.LinAlgError:
            if a.ndim > 2:
                return np.stack([self.of_finite(one) for one in a])
            return np.full_like(a, np.nan)


class HeldConstant(Constant):
    """A constant of a held type; it equals itself alone, since its value may have no hash."""

    __slots__ = ()

    def signature(self) -> Hashable:
        return (self.type, id(self.data))


class HeldType(Type):
    """A type of PyTensor's that has no counterpart: None, a slice, a list of tensors, a sparse
    matrix.

    Parameters
    ----------
    held
        PyTensor's type, which says what its values are.
    """

    __props__ = ("held",)
    constant_type = HeldConstant

    def __init__(self, held: Any) -> None:
        self.held = held

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        return self.held.filter(data, strict=strict, allow_downcast=allow_downcast)

    def __str__(self) -> str:
        return str(self.held)


def type_from_pytensor(given: Any) -> Type:
    """Return this library's type with the same values as a type of PyTensor's."""
    if type(given) is PyTensorTensorType:
        return TensorType(given.dtype, given.shape)
    if isinstance(given, ScalarType):
        return TensorType(given.dtype, ())
    if type(given) is PyTensorGeneratorType:
        return random_generator_type
    return HeldType(given)


def type_to_pytensor(given: Any) -> Any:
    """Return PyTensor's type with the same values as a type of this library.

    Raises
    ------
    TypeError
        If PyTensor has none.
    """
    if isinstance(given, TensorType):
        return PyTensorTensorType(given.dtype, given.shape)
    if isinstance(given, RandomGeneratorType):
        return PyTensorGeneratorType()
    if isinstance(given, HeldType):
        return given.held
    raise TypeError(f"to_pytensor: PyTensor has no type like {given}")


def value_to_pytensor(given: Any, value: Any) -> Any:
    """Return a value as one of a type of PyTensor's: a scalar where it is a `ScalarType`."""
    return value[()] if isinstance(given, ScalarType) else value


def value_from_pytensor(given: Any, value: Any) -> Any:
    """Return a value of a type of PyTensor's as one of the counterpart."""
    return np.asarray(value) if isinstance(given, ScalarType | PyTensorTensorType) else value


def fits(dtype: str, wider: str) -> bool:
    """Return whether numbers of a dtype may be computed with as floats of another one: integers,
    and narrower floats."""
    return is_discrete(dtype) or np.can_cast(dtype, wider, "safe")


def typed(tensors: Any, function: Callable[..., Any], dtype: str, *inputs: Any) -> Any:
    """Return ``function(*inputs)`` of a dtype, computed in it where it is a wider one.

    Parameters
    ----------
    tensors
        The module with the functions of tensors, of this library or of PyTensor's.
    """
    made = function(*inputs)
    if made.type.dtype == dtype:
        return made
    if not is_discrete(dtype):
        wide = [tensors.cast(x, dtype) if fits(x.type.dtype, dtype) else x for x in inputs]
        made = function(*wide)
    return made if made.type.dtype == dtype else tensors.cast(made, dtype)


def fitted(v: Any, wanted: Any) -> Any:
    """Return `v` cast to the dtype of a type of its library, with its static lengths of 1.

    Other lengths are left as `v` has them: a declaration would stand between it and the laws.
    """
    libraries: dict[Any, Any] = {TensorType: at, PyTensorTensorType: pt}
    tensors = libraries.get(type(wanted))
    if tensors is None:
        return v
    v = tensors.as_tensor_variable(v)
    if v.type.dtype != wanted.dtype:
        v = tensors.cast(v, wanted.dtype)
    lengths = zip(wanted.shape, v.type.shape, strict=True)
    ones = [1 if n == 1 != m else None for n, m in lengths]
    return tensors.specify_shape(v, ones) if any(ones) else v


def with_lengths(v: Any, wanted: Type) -> Variable:
    """Return a variable of this library with the static lengths of a type."""
    if not isinstance(wanted, TensorType) or wanted.is_super(v.type):
        return v  # type: ignore[no-any-return]
    declared: Variable = at.specify_shape(v, wanted.shape)
    return declared


def opened(
    tensors: Any,
    nodes: Iterable[Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    given: Sequence[Any],
    apply: Callable[[Any, Any, Sequence[Any]], Any],
) -> list[Any] | None:
    """Return the outputs of a composite on tensors; None if one of its ops has no counterpart.

    Parameters
    ----------
    tensors
        The module with the functions of tensors, of the library of `given`.
    nodes, inputs, outputs
        The graph of scalars, of the other library.
    given
        The tensors in the place of its inputs.
    apply
        Takes an op, a node of it and tensors, and returns a tensor, a list of them, or None.
    """
    found = dict(zip(inputs, given, strict=True))

    def value(v: Any) -> Any:
        if v not in found:
            found[v] = tensors.constant(np.asarray(v.data, v.type.dtype))
        return found[v]

    for node in nodes:
        made = apply(node.op, node, [value(v) for v in node.inputs])
        if made is None:
            return None
        found.update(zip(node.outputs, made if isinstance(made, list) else [made], strict=True))
    return [_of_shape(tensors, value(v), given) for v in outputs]


def _of_shape(tensors: Any, made: Any, inputs: Sequence[Any]) -> Any:
    """Return an output of a composite, broadcast to the shape of the inputs: it may read a few."""
    for x in inputs:
        if made.type.ndim < x.type.ndim or any(
            n == 1 != m for n, m in zip(made.type.shape, x.type.shape, strict=True)
        ):
            made = tensors.second(x, made)
    return made


QR_MODES = {"complete": "full", "reduced": "economic", "r": "r"}
"""From the modes of `numpy.linalg.qr` to those of SciPy, which PyTensor has."""

# of the same name, where PyTensor has such an op
_SAME = {op.name: op for op in vars(scalar).values() if isinstance(op, ScalarOp)}
# that SciPy's functions are theirs was compared one by one
_SCIPY = (
    *("gamma", "erfcx", "erfcinv", "gammainc", "gammaincc", "gammaincinv"),
    *("gammainccinv", "betainc", "betaincinv", "hyp2f1"),
    *("jv", "j0", "j1", "i0", "i1", "ive", "kve"),
)
PAIRS: dict[str, Any] = {
    **{f"scalar.basic.{name}": op for name, op in _SAME.items()},
    **{f"scalar.math.{name}": op for name, op in _SAME.items()},
    **{f"scalar.math.{name}": ScipyOp(name) for name in _SCIPY},
    "scalar.math.psi": scalar.digamma,
    "scalar.basic.round_half_to_even": scalar.round,
}

OURS: dict[type, Any] = {type(theirs): ours for theirs, ours in present(PAIRS).items()}
"""From a class of PyTensor's scalar ops to the op of this library."""

THEIRS: dict[Any, Any] = {ours: theirs for theirs, ours in present(PAIRS).items()}
"""From a scalar op of this library to PyTensor's."""


def bounds_are_ordered(bounds: Sequence[Variable]) -> bool:
    """Return whether two bounds of this library are numbers, the first not above the second.

    Then `clip` is the same in both libraries.
    """
    low, high = (number_of(v) for v in bounds)
    known = isinstance(low, int | float) and isinstance(high, int | float)
    return known and bool(low <= high)


_SAME_DRAWS = (
    *("Uniform", "Triangular", "Beta", "Normal", "LogNormal", "Gamma", "Exponential", "Laplace"),
    *("Logistic", "Weibull", "VonMises", "Wald", "Poisson", "Geometric", "Binomial"),
    "HyperGeometric",
)
DISTRIBUTION_NAMES: dict[str, str] = {
    f"tensor.random.basic.{name}RV": name.lower() for name in _SAME_DRAWS
}
"""From the address of a class of PyTensor's ops to the distribution that draws the same numbers."""

DISTRIBUTION_OF_CLASS: dict[type, str] = present(DISTRIBUTION_NAMES)
"""The same by the classes themselves."""


class HoldsOp:
    """A part of `HeldOp`, which holds an op of PyTensor's, and of `CarriedOp`, which holds one of
    this library.

    Parameters
    ----------
    op
        The op of the other library.
    inputs, outputs
        PyTensor's types of the inputs and outputs of the node.
    """

    def __init__(self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.op = op
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self._performed: Any = None

    def node(self) -> Any:
        """Return a node of `op` on fresh inputs."""
        raise NotImplementedError

    def node_to_perform(self) -> Any:
        """Return a node whose `perform` is ready to be called."""
        return self.node()

    def computed(
        self, inputs: Sequence[Any], converted: Callable[[Any, Any], Any], copied: set[int]
    ) -> list[Any]:
        """Return the values of the outputs, which the `perform` of `op` computes.

        Parameters
        ----------
        inputs
            The values of the inputs.
        converted
            Makes a value for `op` of PyTensor's type of an input and its value.
        copied
            The positions of the inputs of which `op` gets copies.
        """
        if self._performed is None:
            self._performed = self.node_to_perform()
        values = [
            converted(t, x.copy() if i in copied else x)
            for i, (t, x) in enumerate(zip(self.inputs, inputs, strict=True))
        ]
        return performed(self._performed, values)

    def pulled_back(
        self, pull_back: Callable[..., Any], disconnected: Any, absent: Sequence[bool]
    ) -> tuple[list[Any], Sequence[Any]]:
        """Return the gradients that `op` gives, on fresh variables of the other library.

        Parameters
        ----------
        pull_back
            The method of `op`: takes inputs, outputs and gradients by these.
        disconnected
            The type of a gradient that is not there.
        absent
            For each output whether that by it is not there.

        Returns
        -------
        given
            The inputs, the outputs, and the gradients by them.
        grads
            The gradients by the inputs.
        """
        node = self.node()
        grads = [
            (disconnected if is_absent else out.type)()
            for out, is_absent in zip(node.outputs, absent, strict=True)
        ]
        given = [*node.inputs, *node.outputs, *grads]
        return given, pull_back(node.inputs, node.outputs, grads)


class NodeOrigin(NamedTuple):
    """What a node was when it was read.

    Attributes
    ----------
    op, inputs
        Its op and its inputs.
    outputs
        For each output the variable of PyTensor's that it was read from; None for an intermediate
        result of several nodes that replace one of PyTensor's.
    """

    op: Any
    inputs: tuple[Variable, ...]
    outputs: tuple[Any, ...]


def note_counterpart(ours: Variable, theirs: Any) -> None:
    """Let an input or constant of this library and one of PyTensor's know each other."""
    ours.tag.pytensor = theirs
    theirs.tag.relgraph = ours


def counterpart_in_pytensor(ours: Variable) -> Any:
    """Return the variable of PyTensor's that an input or constant came from, or None."""
    return getattr(ours.tag, "pytensor", None)


def counterpart_in_relgraph(theirs: Any) -> Variable | None:
    """Return the variable of this library that an input of PyTensor's came from, or None.

    A copy of the input has a copy of the note, and is another input.
    """
    ours = getattr(theirs.tag, "relgraph", None)
    return None if ours is None or counterpart_in_pytensor(ours) is not theirs else ours


def unchanged_origin(node: Apply) -> NodeOrigin | None:
    """Return the note on a node, if it still has the inputs it had; whether these are unchanged is
    for the caller to see."""
    origin = getattr(node.tag, "pytensor", None)
    if origin is None or origin.op is not node.op or len(origin.inputs) != len(node.inputs):
        return None
    same = all(a is b for a, b in zip(origin.inputs, node.inputs, strict=True))
    return origin if same else None
