"""What all operations on numbers share: their dtypes, their nodes and the frame of gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import Type
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.dtypes import is_complex, is_discrete, number_kind, result_dtype, weak_dtype
from relgraph.scalar.type import ScalarType, as_scalar, constant, get_scalar_type


class ScalarOp(TypedOp):
    """An operation on numbers, which works on arrays element by element as well.

    A subclass gives a `name`, a `ufunc` and, if it is differentiable, a `pullback`.

    Attributes
    ----------
    name
        What the op is called; ``str(op)``.
    nin
        How many inputs it takes; -1 for one or more.
    nout
        How many outputs it has.
    ufunc
        A NumPy or SciPy ufunc, or a function of arrays.
    holomorphic
        Whether it is complex differentiable (and real on the real line), so that `pullback` holds
        for complex numbers once they are conjugated.
    weak_beside
        The positions that decide what dtype a Python number among the inputs takes; None for all.
    unread
        The positions whose values make no difference, so that no gradient flows through them.
    gradient_reads
        The positions at which `pullback` looks at the value of a constant; elsewhere a constant
        is a number like any other.
    """

    __props__: ClassVar[tuple[str, ...] | None] = ()

    name: str = ""
    nin: int = 1
    nout: int = 1
    holomorphic: bool = True
    weak_beside: tuple[int, ...] | None = None
    unread: tuple[int, ...] = ()
    gradient_reads: tuple[int, ...] = ()

    _dtypes: dict[tuple[str, ...], str]

    def __str__(self) -> str:
        return self.name

    @property
    def ufunc(self) -> Callable[..., Any]:
        raise MethodNotDefined(f"{self.name} has no ufunc")

    def impl(self, *values: Any) -> Any:
        """Return the result for numbers or for arrays that broadcast."""
        return self.ufunc(*values)

    def output_dtype(self, *input_dtypes: str) -> str:
        """Return the dtype of the output for inputs of these dtypes, which is what NumPy says.

        Raises
        ------
        TypeError
            If the op is not defined on them.
        """
        try:
            memo = self._dtypes
        except AttributeError:
            memo = self._dtypes = {}
        known = memo.get(input_dtypes)
        if known is None:
            try:
                known = memo[input_dtypes] = self._ask_dtype(*input_dtypes)
            except TypeError:
                raise TypeError(self._misfit(input_dtypes)) from None
        return known

    def _ask_dtype(self, *dtypes: str) -> str:
        ufunc = self.ufunc
        if isinstance(ufunc, np.ufunc) and ufunc.nin == len(dtypes):
            loop = ufunc.resolve_dtypes((*map(np.dtype, dtypes), *[None] * ufunc.nout))
            return loop[ufunc.nin].name
        with np.errstate(all="ignore"):
            return np.asarray(ufunc(*[np.ones(1, d) for d in dtypes])).dtype.name

    def _misfit(self, dtypes: Sequence[str]) -> str:
        """Return what to say when the op is not defined on `dtypes`."""
        for i, dtype in enumerate(dtypes):
            try:
                self._ask_dtype(*[dtype] * len(dtypes))
            except TypeError:
                return f"{self.name} is not defined for input {i} of dtype {dtype}"
        return f"{self.name} is not defined for inputs of dtypes {', '.join(dtypes)}"

    def check_count(self, count: int) -> None:
        """Raise TypeError if the op does not take `count` inputs."""
        if count != self.nin if self.nin >= 0 else count < 1:
            some = f"{self.nin} input{'' if self.nin == 1 else 's'}"
            wanted = "at least 1 input" if self.nin < 0 else some
            raise TypeError(f"{self.name} takes {wanted}, not {count}")

    def number_dtypes(self, inputs: Sequence[Any]) -> list[str | None]:
        """Return the dtype that each Python number among `inputs` takes; None for what has one.

        Raises
        ------
        OverflowError
            If an int is out of the range of its dtype.
        """
        kinds = [number_kind(x) for x in inputs]
        beside = range(len(inputs)) if self.weak_beside is None else self.weak_beside
        # What is no number has a type with a dtype, or is an array.
        met = tuple(
            inputs[i].type.dtype if isinstance(inputs[i], Variable) else str(inputs[i].dtype)
            for i in beside
            if kinds[i] is None
        )
        if not met:
            strongest = max(
                (k for i, k in enumerate(kinds) if k is not None and i in beside),
                key=(bool, int, float, complex).index,
                default=bool,
            )
            met = (weak_dtype(strongest, ()),) if strongest is not bool else ()
        return [
            None if kind is None else self._number_dtype(i, kind, inputs[i], met)
            for i, kind in enumerate(kinds)
        ]

    def _number_dtype(self, place: int, kind: type, value: Any, met: tuple[str, ...]) -> str:
        dtype = weak_dtype(kind, met)
        if kind is int and is_discrete(dtype) and dtype != "bool":
            bounds = np.iinfo(dtype)
            if not bounds.min <= value <= bounds.max:
                return self._out_of_range(place, value, dtype)
        return dtype

    def _out_of_range(self, place: int, value: int, dtype: str) -> str:
        raise OverflowError(f"{self.name}: input {place} is {value}, out of the range of {dtype}")

    def as_inputs(self, *inputs: Any) -> list[Any]:
        self.check_count(len(inputs))
        if any(number_kind(x) is not None for x in inputs):
            inputs = tuple(x if number_kind(x) is not None else as_scalar(x) for x in inputs)
            dtypes = self.number_dtypes(inputs)
            return [
                x if d is None else constant(x, dtype=d)
                for x, d in zip(inputs, dtypes, strict=True)
            ]
        return [as_scalar(x) for x in inputs]

    def output_types(self, *input_types: Any) -> Sequence[Type]:
        for i, t in enumerate(input_types):
            if not isinstance(t, ScalarType):
                raise TypeError(f"{self.name}: input {i} is of type {t}, not a scalar type")
        return [get_scalar_type(self.output_dtype(*[t.dtype for t in input_types]))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        with np.errstate(all="ignore"):
            result = np.asarray(self.impl(*inputs))
        wanted = node.outputs[0].type.numpy_dtype
        output_storage[0][0] = result.astype(wanted, copy=False)[()]

    def grad(self, inputs: Sequence[Any], output_gradients: Sequence[Any]) -> Any:
        outputs = self(*inputs, return_list=True)
        return self.L_op(inputs, outputs, output_gradients)

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]
    ) -> Any:
        """Return the gradient by each input: of its dtype if that is a float or complex one.

        It is zero if the output is an integer or a boolean, and None for the inputs that
        `pullback` says the op is not differentiable by. Gradients by complex numbers are those by
        the real part plus i times those by the imaginary part.
        """
        (out,) = outputs
        if is_discrete(out.type.dtype):
            return [None if i in self.unread else zero(x) for i, x in enumerate(inputs)]
        xs: list[Any] = list(inputs)
        if self.holomorphic:
            xs = [x._ops.conj(x) if is_complex(x.type.dtype) else x for x in xs]
            out = out._ops.conj(out) if is_complex(out.type.dtype) else out
        grads = self.pullback(xs, out, output_grads[0])
        return [_of_dtype(g, x) for g, x in zip(grads, inputs, strict=True)]

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        """Return the gradient by each input, given the gradient `g` by the output.

        Raises
        ------
        MethodNotDefined
            If the op has no gradient.
        """
        raise MethodNotDefined(f"{self.name} has no gradient")

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i not in self.unread] * len(node.outputs) for i in range(len(node.inputs))]

    def __reduce__(self) -> tuple[Any, ...]:
        restore, (cls, state) = super().__reduce__()
        return restore, (cls, {k: v for k, v in state.items() if k != "_dtypes"})


def _of_dtype(g: Any, x: Any) -> Any:
    """Return a gradient by `x` in the dtype of `x`; in its own if that is an integer."""
    if g is None or is_discrete(x.type.dtype):
        return g
    if is_complex(g.type.dtype) and not is_complex(x.type.dtype):
        g = g._ops.real(g)
    return g if g.type.dtype == x.type.dtype else g.astype(x.type.dtype)


def zero(x: Any) -> Any:
    """Return a zero that broadcasts like `x`: the gradient by what makes no difference."""
    dtype = "float64" if is_discrete(x.type.dtype) else x.type.dtype
    return x._ops.second(x, constant(0, dtype=dtype))


class FoldOp(ScalarOp):
    """A binary op that is commutative and associative, of any number of inputs.

    The inputs are taken to the dtype they have in common first, so that neither their order nor
    their grouping makes a difference; the op of one input is that input.
    """

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

    def _ask_dtype(self, *dtypes: str) -> str:
        common = result_dtype(*dtypes)
        return super()._ask_dtype(common, common)


class FloatOp(ScalarOp):
    """A smooth function of one number; integers become floats as in NumPy."""

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        (x,) = inputs
        if is_discrete(x.type.dtype):
            # Its square, say, may not fit into its dtype, and a boolean can't be negated.
            x = x.astype(output.type.dtype)
        return [self.times_derivative(g, x, output)]

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        """Return `g` times the derivative at `x`, where the value is `out`."""
        raise MethodNotDefined(f"{self.name} has no gradient")


class StepOp(ScalarOp):
    """A function that is constant nearly everywhere: its gradient is zero."""

    holomorphic = False

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [zero(x) for x in inputs]


class PredicateOp(ScalarOp):
    """A question about its inputs: the output is boolean."""

    converts = True
