"""What is known of variables before the graph runs, as predicates and as goals (``…o``) of laws.

Axes and shapes, elements of constants, the sign of a variable. A constant is seen through ops that
only repeat its elements, such as a `DimShuffle` or `Alloc`. What is called nonnegative is never
less than zero; it may be nan. What types say of dtypes and ranks is in `type_guards`.

The decorators declare what an answer depends on; the engine reads the attributes that they set (see
`kanren.rules`). The last functions are the conditions of laws of the class
``domain``, which only values can answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relations.kit.type_guards import is_discrete
from relgraph import scalar
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import goal, only_of_constants
from relgraph.graph.notation import number_of
from relgraph.scalar.type import can_cast_exactly
from relgraph.tensor.basic import constant, has_one_element, static_int
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.math import cast
from relgraph.tensor.random.op import Permuted, RandomVariable
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.shapes import Reshape, Shape, Shape_i
from relgraph.tensor.subtensor import Subtensor
from relgraph.tensor.type import TensorType

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Heads = Sequence[Any]
"""Of each argument of an op, the op that makes it, or `Constant`, or None for an input."""


def requires_heads(test: Callable[[Heads], bool]) -> Decorator:
    """Declare that a function says no, or computes None, unless the heads pass `test`.

    The heads are those of all arguments of the matched op; of a sum of more than two terms, each
    head is told as often as a sum of that many terms, with these heads, can have it. A law that
    asks the function is not tried where the test fails.
    """
    return _declaring(admits=test)


def requires_number(number: int) -> Decorator:
    """Declare that a function says no, or computes None, unless its first argument, or one of them
    if it is a tuple, is a constant that is `number`."""
    return _declaring(number=number, admits=containing_constant)


def depends_on_levels(count: int) -> Decorator:
    """Declare that the answer depends on so many levels of nodes below the arguments.

    A law that asks the function is tried again when one of these nodes changes.
    """
    return _declaring(depth=count)


def _declaring(**facts: Any) -> Decorator:
    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__dict__.update(facts)
        return function

    return declare


def asks_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare that the first argument of a function that a law computes is the graph, or None."""
    return _declaring(asks_graph=True)(function)


def containing_constant(heads: Heads) -> bool:
    """Return whether an argument is a constant, or repeats what may be one."""
    return any(
        head is Constant or (head is not None and head.repeats is not None) for head in heads
    )


def containing_any_of(*wanted: Any) -> Callable[[Heads], bool]:
    """Return the test whether some argument has one of the `wanted` heads."""
    among = frozenset(wanted)
    return lambda heads: not among.isdisjoint(heads)


def containing_equal_or_any_of(*wanted: Any) -> Callable[[Heads], bool]:
    """Return the test whether two arguments have the same head, or one has a `wanted` one."""
    among = frozenset(wanted)
    return lambda heads: len(set(heads)) < len(heads) or not among.isdisjoint(heads)


def containing_two_constants_or(*wanted: Any) -> Callable[[Heads], bool]:
    """Return the test whether two arguments may be constants, or one has a `wanted` head."""
    among = frozenset(wanted)

    def test(heads: Heads) -> bool:
        kinds = set(heads)
        if not among.isdisjoint(kinds):
            return True
        constant = {head for head in kinds if containing_constant((head,))}
        return bool(constant) and sum(head in constant for head in heads) > 1

    return test


Axes = Sequence[int] | None


def axis_numbers(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return the axes of a reduction of a tensor with `ndim` axes; None becomes all of them."""
    return tuple(range(ndim)) if axes is None else tuple(axes)


def includes_axis(axes: Axes, axis: int) -> bool:
    """Return whether `axis` is one of the `axes` of a reduction."""
    return axes is None or axis in axes


def is_constant_along(c: Any, axes: Axes, x: Any) -> bool:
    """Return whether `c` has as many axes as `x`, and length 1 on those of `axes`: broadcast to the
    shape of `x` it does not vary along them."""
    ndim, lengths = x.type.ndim, c.type.shape
    return c.type.ndim == ndim and all(
        a < ndim and lengths[a] == 1 for a in axis_numbers(axes, ndim)
    )


def has_length_one(x: Any, axis: int) -> bool:
    """Return whether an axis of `x` is known to have length 1."""
    return bool(x.type.shape[axis] == 1)


def has_length_one_along(x: Any, axes: Axes) -> bool:
    """Return whether `axes` of `x`, at least one, are known to have length 1."""
    every = axis_numbers(axes, x.type.ndim)
    return bool(every) and all(x.type.shape[a] == 1 for a in every)


def is_nonempty_along(x: Any, axes: Axes) -> bool:
    """Return whether `axes` of `x` are known to have elements."""
    return are_nonzero_lengths(axes, x.type.shape)


def are_nonzero_lengths(axes: Axes, lengths: Sequence[Any]) -> bool:
    """Return whether those of `lengths` that are on `axes` are known, and not zero."""
    return all(static_int(lengths[a]) for a in axis_numbers(axes, len(lengths)))


def covers_shape(x: Any, y: Any) -> bool:
    """Return whether an elementwise op on `x` and `y` has the shape of `x`.

    They have as many axes, and where `x` is known to have length 1 so is `y`.
    """
    if not isinstance(x.type, TensorType) or not isinstance(y.type, TensorType):
        return False
    known = y.type.broadcastable
    return x.type.ndim == y.type.ndim and all(
        small or not large for large, small in zip(x.type.broadcastable, known, strict=True)
    )


def broadcast_alike(x: Any, y: Any) -> bool:
    """Return whether `x` and `y` have as many axes, and the same of them broadcast."""
    return bool(x.type.broadcastable == y.type.broadcastable)


def counts_any_length(dtype: str) -> bool:
    """Return whether a range of a dtype counts the elements of any tensor; others wrap around."""
    return dtype in ("int64", "uint64")


def in_dtype(n: Any, dtype: str) -> Variable:
    """Return a length, an int or an integer variable, as a variable of a dtype."""
    known = isinstance(n, int | np.integer)
    return constant(n, dtype=dtype) if known else cast(n, dtype)


def is_length_of(n: Any, x: Any, axis: int) -> bool:
    """Return whether `n`, an int or an integer variable, is the length of `x` on `axis`."""
    return bool(n == x.type.shape[axis]) if isinstance(n, int) else reads_length_of(n, x, axis)


def reads_length_of(n: Any, x: Any, axis: int) -> bool:
    """Return whether the node of `n` asks for the length of `x` on `axis`."""
    node = n.owner
    return (
        node is not None
        and isinstance(node.op, Shape_i)
        and node.op.i == axis
        and node.inputs[0] is x
    )


def constant_data(var: Any) -> Any:
    """Return the data of the constant that `var` is or repeats, an array; None if it is none."""
    while isinstance(var, Variable) and var.owner is not None:
        through = var.owner.op.repeats
        if through is None:
            return None
        var = var.owner.inputs[through]
    return np.asarray(var.data) if isinstance(var, Constant) else None


def constant_number(var: Any) -> Any:
    """Return the Python number that every element of the constant `var` is, or None."""
    return number_of(var) if isinstance(var, Variable) else None


def in_dtype_of(value: float) -> Callable[[Any], float]:
    """Return the function that gives a number rounded to the dtype of a variable."""

    def rounded(x: Any) -> float:
        dtype = x.type.numpy_dtype
        return float(dtype.type(value)) if dtype.kind == "f" else value

    rounded.__name__ = f"number_{value:.6}"
    return rounded


@requires_heads(containing_constant)
def is_constant(var: Any) -> bool:
    """Return whether the elements of `var` are known ahead."""
    return constant_data(var) is not None


@only_of_constants
def is_no_constant(var: Any) -> bool:
    """Return whether the elements of `var` are not known ahead."""
    return constant_data(var) is None


@requires_heads(containing_constant)
def is_uniform(var: Any) -> bool:
    """Return whether the elements of `var` are known ahead, and all are one number."""
    return constant_number(var) is not None


def is_true_everywhere(var: Any) -> bool:
    """Return whether all elements of `var` are known to be true: not zero."""
    data = constant_data(var)
    return data is not None and bool(np.all(data))


def is_zero_everywhere(var: Any) -> bool:
    """Return whether all elements of `var` are known to be zero, or false."""
    data = constant_data(var)
    return data is not None and not np.any(data)


def is_one_everywhere(var: Any) -> bool:
    """Return whether `var` has elements, and all are known to be one, or true; 1-0j is not one."""
    data = constant_data(var)
    if data is None or data.size == 0 or not np.all(data == 1):
        return False
    return data.dtype.kind != "c" or not np.signbit(data.imag).any()


def real_number(var: Any) -> Any:
    """Return the finite real number that every element of `var` is, or None."""
    value = number_of(var)
    if value is None or isinstance(value, bool | complex) or not math.isfinite(value):
        return None
    return value


def is_finite_number(var: Any) -> bool:
    """Return whether `var` is one finite real number."""
    return real_number(var) is not None


@requires_heads(containing_constant)
def is_nonzero_number(var: Any) -> bool:
    """Return whether `var` is one number that isn't zero."""
    value = real_number(var)
    return value is not None and value != 0


@only_of_constants
def is_no_zero(var: Any) -> bool:
    """Return whether `var` is anything but the number 0, what is no constant included."""
    return bool(number_of(var) != 0)


@requires_number(0)
def is_discrete_zero(var: Any) -> bool:
    """Return whether `var` is the integer 0; the float 0.0 divided by nan is nan."""
    return is_discrete(var) and real_number(var) == 0


@requires_heads(containing_constant)
def is_positive_number(var: Any) -> bool:
    """Return whether `var` is one positive number."""
    value = real_number(var)
    return value is not None and value > 0


@requires_heads(containing_constant)
def has_normal_reciprocal(var: Any) -> bool:
    """Return whether `var` is one floating-point number `c`, and ``1 / c`` is not subnormal."""
    value, dtype = real_number(var), var.type.numpy_dtype
    if value is None or dtype.kind != "f":
        return False
    return bool(np.finfo(dtype).tiny <= abs(value) <= 1 / np.finfo(dtype).tiny)


DEPTH = 6
"""How many levels of ops are examined; sums of products of squares are as deep as people write."""

# Integers wrap around in these: the least int8 is -128, and so is its absolute value.
WRAP_AROUND = {scalar.abs, scalar.sqr, scalar.add, scalar.mul}
# Of the results of these the sign is known if it is known of all arguments.
SIGN_OF_ALL_ARGUMENTS = {scalar.add, scalar.mul, scalar.minimum, scalar.identity}


@depends_on_levels(2)
def is_nonnegative(var: Variable) -> bool:
    """Return whether no element of `var` is less than zero, as far as its ops tell."""
    return _has_sign(var, DEPTH, strictly=False)


@depends_on_levels(2)
def is_positive(var: Variable) -> bool:
    """Return whether all elements of `var` are greater than zero, or nan, as far as its ops tell.

    An exponential is not: it may underflow.
    """
    return _has_sign(var, DEPTH, strictly=True)


def _has_sign(var: Any, depth: int, strictly: bool) -> bool:
    """Return whether `var` is known to be positive, if `strictly`, or else nonnegative."""
    if not isinstance(var.type, TensorType) or var.type.dtype.startswith("complex"):
        return False
    if isinstance(var, Constant):
        data = np.asarray(var.data)
        return not bool(np.any(data <= 0 if strictly else data < 0))
    if not strictly and np.dtype(var.type.dtype).kind in "ub":
        return True
    if var.owner is None or depth == 0:
        return False
    op, inputs = var.owner.op, var.owner.inputs
    if isinstance(op, DimShuffle | Reshape | Subtensor):
        return _has_sign(inputs[0], depth - 1, strictly)
    if isinstance(op, CAReduce):
        # an empty sum is zero
        kept = not strictly and op.scalar_op in (scalar.add, scalar.mul)
        return (
            kept and np.dtype(var.type.dtype).kind == "f" and _has_sign(inputs[0], depth - 1, False)
        )
    if isinstance(op, Shape | Shape_i):
        return not strictly
    if isinstance(op, Permuted):
        return _has_sign(inputs[1], depth - 1, strictly)
    if isinstance(op, RandomVariable):
        return op.nonnegative and not strictly
    return isinstance(op, Elemwise) and _has_sign_elementwise(var, op.scalar_op, depth, strictly)


def _keeps_sign(old: Any, new: Any, strictly: bool) -> bool:
    """Return whether a cast keeps the sign: it does not wrap around, as one to a smaller integer
    dtype may; and if `strictly`, it does not round to zero, as one to a smaller float may."""
    to_float = np.dtype(new.type.dtype).kind == "f"
    return can_cast_exactly(old.type.dtype, new.type.dtype) or (to_float and not strictly)


def _has_sign_elementwise(var: Any, op: Any, depth: int, strictly: bool) -> bool:
    inputs = var.owner.inputs
    if np.dtype(var.type.dtype).kind in "iu" and op in WRAP_AROUND:
        return False
    least = op.facts.range[0]
    if least > 0 or (least == 0 and not strictly):
        return True
    if strictly and op is scalar.add:
        # one positive term is enough beside others that are not negative
        at_least = all(_has_sign(v, depth - 1, False) for v in inputs)
        return at_least and any(_has_sign(v, depth - 1, True) for v in inputs)
    if op is scalar.pow:
        return not strictly and _is_never_minus_zero(inputs[0], depth - 1)
    if strictly and op is scalar.mul:
        return False  # it underflows
    if isinstance(op, scalar.Cast):
        return _keeps_sign(inputs[0], var, strictly) and _has_sign(inputs[0], depth - 1, strictly)
    if op in SIGN_OF_ALL_ARGUMENTS:
        return all(_has_sign(v, depth - 1, strictly) for v in inputs)
    if op is scalar.maximum:
        return any(_has_sign(v, depth - 1, strictly) for v in inputs)
    if op is scalar.switch:
        return all(_has_sign(v, depth - 1, strictly) for v in inputs[1:])
    return False


def _is_never_minus_zero(var: Any, depth: int) -> bool:
    """Return whether `var` is known to be nonnegative, and no zero of it to be a -0: one by that is
    minus infinity."""
    op = None if var.owner is None else var.owner.op
    if isinstance(op, Elemwise) and op.scalar_op.facts.range[0] >= 0:
        # the root of -0 is -0
        return op.scalar_op is not scalar.sqrt and _has_sign(var, depth, strictly=False)
    return _has_sign(var, depth, strictly=True)


def is_read(fgraph: Any, var: Variable) -> bool:
    """Return whether something in a graph is computed of `var`; to be an output is not enough."""
    return any(not isinstance(reader, str) for reader, _ in fgraph.clients.get(var, ()))


one_elemento = goal(has_one_element)
covers_shapeo = goal(covers_shape)
constanto = goal(is_constant)
not_constanto = goal(is_no_constant)
uniformo = goal(is_uniform)
all_trueo = goal(is_true_everywhere)
all_zeroo = goal(is_zero_everywhere)
all_oneo = goal(is_one_everywhere)
nonzero_numbero = goal(is_nonzero_number)
no_zeroo = goal(is_no_zero)
positive_numbero = goal(is_positive_number)
discrete_zeroo = goal(is_discrete_zero)
normal_reciprocalo = goal(has_normal_reciprocal)
nonnegativeo = goal(is_nonnegative)
positiveo = goal(is_positive)


_LARGEST_CONDITION = 100.0


def are_positive(*values: Any) -> bool:
    """Return whether all elements of some arrays are greater than zero."""
    return all(bool(np.all(np.asarray(v) > 0)) for v in values)


def are_nonnegative(*values: Any) -> bool:
    """Return whether no element of some arrays is less than zero."""
    return all(bool(np.all(np.asarray(v) >= 0)) for v in values)


def are_true(_value: Any, *conditions: Any) -> bool:
    """Return whether all elements of all arrays but the first are true."""
    return all(bool(np.all(c)) for c in conditions)


def are_well_conditioned(d: Any, u: Any, v: Any) -> bool:
    """Return whether the matrices `d` and ``d + u @ v`` are far from singular."""
    with np.errstate(all="ignore"):
        matrices = (np.asarray(d), np.asarray(d) + np.asarray(u) @ np.asarray(v))
    if not all(np.isfinite(m).all() for m in matrices):
        return False
    return all(m.size > 0 and bool(np.linalg.cond(m) < _LARGEST_CONDITION) for m in matrices)
