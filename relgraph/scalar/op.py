"""`ScalarOp`, the base class of scalar ops: output dtypes, conversion of inputs, gradients.

`Facts` are what mathematics says of a function, for real arguments.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp, Variables
from relgraph.graph.type import Type
from relgraph.graph.utils import MethodNotDefined, memoized
from relgraph.scalar.type import (
    ScalarType,
    as_scalar,
    constant,
    get_scalar_type,
    is_complex,
    is_discrete,
    number_kind,
    result_dtype,
    weak_dtype,
)

INF = math.inf

Interval = tuple[float, float]
"""The least and the greatest of some numbers. An infinite end is not one of the numbers."""

EVERYWHERE: Interval = (-INF, INF)


@dataclass(frozen=True)
class Facts:
    """What is true of a function of one real number. What is not said is not known.

    What dtypes add, rounding, overflow and signed zeros, is not part of it.

    Attributes
    ----------
    even, odd
        Whether ``f(-x)`` is ``f(x)``; whether it is ``-f(x)``.
    periodic
        Whether there is a period; then there is no limit at the infinities.
    increasing, decreasing
        Where it is monotone, not always strictly.
    domain
        Where it is defined.
    range
        What its values lie in.
    zeros
        Where it is zero, if that is all.
    integral
        Whether its values are whole numbers, and whole numbers stay what they are.
    inverse
        The name of the function that it undoes: ``f(inverse(x))`` is `x`.
    has_log_and_m1
        Whether both ``log(f(x))`` and ``f(x) - 1`` have forms without `f` that keep all digits.
    """

    even: bool = False
    odd: bool = False
    periodic: bool = False
    increasing: Interval | None = None
    decreasing: Interval | None = None
    domain: Interval = EVERYWHERE
    range: Interval = EVERYWHERE
    zeros: tuple[float, ...] | None = None
    integral: bool = False
    inverse: str | None = None
    has_log_and_m1: bool = False


TypedNumber = tuple[Any, str]
"""A Python number, and the dtype that it has as an input of an op."""


class ScalarOp(TypedOp):
    """An op on scalars, which works on arrays element by element too.

    A subclass defines a `ufunc` and, if it is differentiable, a `pullback`.

    Attributes
    ----------
    name
        The name of the op, which is ``str(op)``.
    c_name
        The name of the function in C, which Arb, SymPy and FPCore use too; by default `name`.
    facts
        What mathematics says of it.
    formula
        What it is, of a namespace of functions and of its inputs; None if it is a function that
        other libraries have too.
    array_formula
        How it is computed, with the functions of a module like NumPy and of arrays of floats; None
        if other libraries have the function too, or keep fewer digits.
    cost
        The operations that it takes for each number, where a sum is one: by default those of an
        exponential or a sine.
    nin
        The number of inputs, by default that of the ufunc; -1 for one or more.
    nout
        The number of outputs.
    argument_names
        The names of the inputs in documentation; ``*xs`` means any number. By default they
        are x, y, ….
    ufunc
        A NumPy or SciPy ufunc, or a function of arrays; by default NumPy's ufunc of the op's name,
        if there is one and the class defines no `impl`, or else the `array_formula`.
    holomorphic
        Whether it is complex differentiable, and real for real numbers. If so, `pullback` is right
        for complex numbers that are conjugated.
    promoting_inputs
        The positions of the inputs that decide on the dtype of a Python number among the inputs;
        None for all.
    ignored_inputs
        The positions of the inputs that the output does not depend on; they are disconnected.
    constants_read_by_gradient
        The positions of the inputs at which `pullback` reads the value of a constant.
    """

    __props__: ClassVar[tuple[str, ...] | None] = ()

    c_name: str = ""
    facts: Facts = Facts()
    formula: Callable[..., Any] | None = None
    array_formula: Callable[..., Any] | None = None
    cost: float = 20.0
    nin: int = 1
    nout: int = 1
    holomorphic: bool = True
    promoting_inputs: tuple[int, ...] | None = None
    ignored_inputs: tuple[int, ...] = ()
    constants_read_by_gradient: tuple[int, ...] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        computes = cls.ufunc is not ScalarOp.ufunc or "impl" in vars(cls)
        if not computes and isinstance(getattr(np, cls.name, None), np.ufunc):
            cls.ufunc = getattr(np, cls.name)  # type: ignore[method-assign]
        if isinstance(cls.ufunc, np.ufunc) and cls.nin > 0 and "nin" not in vars(cls):
            cls.nin = cls.ufunc.nin

    def __str__(self) -> str:
        return self.name

    @property
    def argument_names(self) -> tuple[str, ...]:
        if self.nin < 0:
            return ("*xs",)
        return tuple("xyzw"[: self.nin] if self.nin <= 4 else [f"x{i}" for i in range(self.nin)])

    @property
    def summary(self) -> str:
        """What the op computes of its inputs, in a sentence or two."""
        return inspect.cleandoc(type(self).__doc__ or "").partition("\n\nParameters\n")[0]

    @property
    def ufunc(self) -> Callable[..., Any]:
        if self.array_formula is None:
            raise MethodNotDefined(f"{self.name} has no ufunc")
        return partial(self.array_formula, np)

    def impl(self, *values: Any) -> Any:
        """Return the result for numbers or for arrays that broadcast."""
        return self.ufunc(*values)

    def output_dtype(self, *input_dtypes: str) -> str:
        """Return the dtype of the output for some dtypes of the inputs, as NumPy does.

        Raises
        ------
        TypeError
            If the op is not defined for these dtypes.
        """
        try:
            return _resolved_dtype(self, input_dtypes)
        except TypeError:
            raise TypeError(self._undefined_message(input_dtypes)) from None

    def _resolve_dtype(self, *dtypes: str) -> str:
        ufunc = self.ufunc
        if isinstance(ufunc, np.ufunc) and ufunc.nin == len(dtypes):
            loop = ufunc.resolve_dtypes((*map(np.dtype, dtypes), *[None] * ufunc.nout))
            return loop[ufunc.nin].name
        with np.errstate(all="ignore"):
            return np.asarray(ufunc(*[np.ones(1, d) for d in dtypes])).dtype.name

    def _undefined_message(self, dtypes: Sequence[str]) -> str:
        """Return the message of the error if the op is not defined for some dtypes."""
        for i, dtype in enumerate(dtypes):
            try:
                self._resolve_dtype(*[dtype] * len(dtypes))
            except TypeError:
                return f"{self.name} is not defined for input {i} of dtype {dtype}"
        return f"{self.name} is not defined for inputs of dtypes {', '.join(dtypes)}"

    def check_count(self, count: int) -> None:
        """Raise a TypeError if the op does not take `count` inputs."""
        if count != self.nin if self.nin >= 0 else count < 1:
            exactly = f"{self.nin} input{'' if self.nin == 1 else 's'}"
            expected = "at least 1 input" if self.nin < 0 else exactly
            raise TypeError(f"{self.name} takes {expected}, not {count}")

    def typed_numbers(self, inputs: Sequence[Any]) -> list[TypedNumber | None]:
        """Return each Python number among the inputs with its dtype; None for any other input.

        Raises
        ------
        OverflowError
            If an int is out of the range of the dtype that it would have.
        """
        kinds = [number_kind(x) for x in inputs]
        all_inputs = range(len(inputs))
        promoting = all_inputs if self.promoting_inputs is None else self.promoting_inputs
        # An input that is no Python number is a variable or an array.
        dtypes = tuple(
            inputs[i].type.dtype if isinstance(inputs[i], Variable) else str(inputs[i].dtype)
            for i in promoting
            if kinds[i] is None
        )
        if not dtypes:
            strongest = max(
                (k for i, k in enumerate(kinds) if k is not None and i in promoting),
                key=(bool, int, float, complex).index,
                default=bool,
            )
            dtypes = (weak_dtype(strongest, ()),) if strongest is not bool else ()
        return [
            None if kind is None else self._typed_number(i, kind, inputs[i], dtypes)
            for i, kind in enumerate(kinds)
        ]

    def _typed_number(
        self, position: int, kind: type, value: Any, dtypes: tuple[str, ...]
    ) -> TypedNumber:
        dtype = weak_dtype(kind, dtypes)
        if kind is int and is_discrete(dtype) and dtype != "bool":
            bounds = np.iinfo(dtype)
            if not bounds.min <= value <= bounds.max:
                return self._out_of_range(position, value, dtype)
        return value, dtype

    def _out_of_range(self, position: int, value: int, dtype: str) -> TypedNumber:
        """Return an int that is out of the range of `dtype` with the dtype that it has here."""
        result = self.output_dtype(*[dtype] * max(self.nin, 2))
        if not is_discrete(result):
            return value, result
        raise OverflowError(
            f"{self.name}: input {position} is {value}, out of the range of {dtype}"
        )

    def as_inputs(self, *inputs: Any) -> list[Any]:
        self.check_count(len(inputs))
        if any(number_kind(x) is not None for x in inputs):
            inputs = tuple(x if number_kind(x) is not None else as_scalar(x) for x in inputs)
            return [
                x if typed is None else constant(typed[0], dtype=typed[1])
                for x, typed in zip(inputs, self.typed_numbers(inputs), strict=True)
            ]
        return [as_scalar(x) for x in inputs]

    def output_types(self, *input_types: Any) -> Sequence[Type]:
        for i, t in enumerate(input_types):
            if not isinstance(t, ScalarType):
                raise TypeError(f"{self.name}: input {i} is of type {t}, not a scalar type")
        return [get_scalar_type(self.output_dtype(*[t.dtype for t in input_types]))]

    def compute(self, node: Apply, *values: Any) -> Any:
        dtype = node.outputs[0].type.numpy_dtype
        return np.asarray(self.impl(*values)).astype(dtype, copy=False)[()]

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradient with respect to each input.

        It has the dtype of a float or complex input. It is zero if the output is discrete, and None
        if `pullback` gives None: the op is not differentiable with respect to that input. For the
        gradient with respect to a complex input see `relgraph.gradient`.
        """
        (out,) = outputs
        if is_discrete(out.type.dtype):
            return [
                None if i in self.ignored_inputs else zero_like(x) for i, x in enumerate(inputs)
            ]
        xs: list[Any] = list(inputs)
        if self.holomorphic:
            xs = [x._ops.conj(x) if is_complex(x.type.dtype) else x for x in xs]
            out = out._ops.conj(out) if is_complex(out.type.dtype) else out
        grads = self.pullback(xs, out, output_grads[0])
        return [_with_dtype_of(g, x) for g, x in zip(grads, inputs, strict=True)]

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        """Return the gradient with respect to each input, given that of the output, `g`.

        Raises
        ------
        MethodNotDefined
            If the op has no gradient.
        """
        raise MethodNotDefined(f"{self.name} has no gradient")

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i not in self.ignored_inputs] * len(node.outputs) for i in range(len(node.inputs))]


def in_dtype_of(output: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return inputs in the dtype of the output: products of them may not fit into their own."""
    dtype = output.type.dtype
    return [x if x.type.dtype == dtype else x.astype(dtype) for x in inputs]


def where_not(xp: Any, holds: Any, found: Any, otherwise: Callable[[], Any]) -> Any:
    """Return an array where a condition holds, and elsewhere what a function gives.

    NumPy calls the function only if the condition fails somewhere.

    Parameters
    ----------
    xp
        The module of functions of arrays: NumPy, or one like it.
    holds, found
        The condition and the array.
    otherwise
        Takes nothing; returns the other array.
    """
    if xp is np and holds.all():
        return found
    return xp.where(holds, found, otherwise())


@memoized(1000)
def _resolved_dtype(op: ScalarOp, dtypes: tuple[str, ...]) -> str:
    return op._resolve_dtype(*dtypes)


def _with_dtype_of(g: Any, x: Any) -> Any:
    """Return a gradient with respect to `x`, cast to its dtype unless `x` is discrete."""
    if g is None or is_discrete(x.type.dtype):
        return g
    if is_complex(g.type.dtype) and not is_complex(x.type.dtype):
        g = g._ops.real(g)
    return g if g.type.dtype == x.type.dtype else g.astype(x.type.dtype)


def zero_like(x: Any) -> Any:
    """Return a zero of the shape of `x`: the gradient with respect to `x` of a constant."""
    dtype = "float64" if is_discrete(x.type.dtype) else x.type.dtype
    return x._ops.second(x, constant(0, dtype=dtype))


class FoldOp(ScalarOp):
    """A commutative and associative binary op, for any number of inputs.

    The inputs are first promoted to a common dtype, so that their order and grouping make no
    difference. With one input, the output is that input.

    Attributes
    ----------
    cost
        The operations for each number and for each input but the first.
    reduction, accumulation
        The names of NumPy's functions of all elements along an axis, and of all up to each one.
    """

    cost = 1.0
    reduction: str | None = None
    accumulation: str | None = None
    nin = -1
    commutative = True
    associative = True

    def impl(self, *values: Any) -> Any:
        if len(values) == 1:
            return np.array(values[0])[()]
        if len(values) == 2:
            return self.ufunc(*values)
        dtype = np.result_type(*[np.asarray(v).dtype for v in values])
        return reduce(lambda x, y: self.ufunc(x, y, dtype=dtype), values)

    def _resolve_dtype(self, *dtypes: str) -> str:
        common = result_dtype(*dtypes)
        return super()._resolve_dtype(common, common)


class FloatOp(ScalarOp):
    """A differentiable function of one number; integers become floats as in NumPy."""

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        (x,) = inputs
        if is_discrete(x.type.dtype):
            # In its own dtype, a square may overflow, and a boolean has no negative.
            x = x.astype(output.type.dtype)
        return [self.times_derivative(g, x, output)]

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        """Return `g` times the derivative at `x`, where the value of the function is `out`."""
        raise MethodNotDefined(f"{self.name} has no gradient")


class StepOp(ScalarOp):
    """A function that is constant almost everywhere: its gradient is zero."""

    cost = 4.0
    holomorphic = False

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [zero_like(x) for x in inputs]


class PredicateOp(ScalarOp):
    """A predicate of its inputs: the output is boolean."""

    cost = 1.0
    converts = True


def ops_of(namespace: Mapping[str, Any]) -> list[str]:
    """Return the names of the ops of a module, whose attributes are given."""
    return [name for name, op in namespace.items() if isinstance(op, ScalarOp)]
