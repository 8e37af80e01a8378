"""Ops that draw: `RandomVariable`, a draw from a `Distribution`, and permutations."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op, Variables
from relgraph.graph.type import disconnected, undefined
from relgraph.scalar.type import check_dtype, is_complex, is_discrete
from relgraph.tensor.basic import (
    as_argument,
    as_tensor_variable,
    constant,
    merged_lengths,
    normalize_axis,
)
from relgraph.tensor.random.type import RandomGeneratorType, copied, random_generator_type
from relgraph.tensor.reductions import sum_like
from relgraph.tensor.shapes import as_lengths, as_shape_vector, known_elements, lengths
from relgraph.tensor.signatures import Axis, common_lengths, met_lengths, output_axes
from relgraph.tensor.type import Shape, TensorType

REQUIRED = object()


class Parameter(NamedTuple):
    """A parameter of a distribution.

    Attributes
    ----------
    name
        Its name, NumPy's where NumPy has the distribution.
    core
        The names of the axes that one draw needs; those in front of them are broadcast.
    integer
        Whether it must be an integer.
    default
        Its default value, or `REQUIRED`.
    """

    name: str
    core: tuple[str, ...]
    integer: bool
    default: Any


@dataclass(frozen=True)
class Distribution:
    """A distribution, and how to draw from it.

    Parameters
    ----------
    name
        Its name; that of a method of `numpy.random.Generator` unless there is a `draw`.
    signature
        The parameters and their axes, and those of a draw: ``"mean(n), cov(n,n) -> (n)"``. A
        parameter of integers is written ``"n: int"``, a default value ``"loc=0.0"``.
    dtype
        The dtype of draws; ``"floatX"`` for ``config.floatX``.
    draw
        Called as ``draw(generator, *parameters, size=shape or None, **options)`` on arrays; it
        returns an array whose shape is the leading axes of the parameters, broadcast, or `size`,
        and then the axes of a draw.
    options
        Further arguments of `draw` that are no arrays, and their defaults.
    takes_dtype
        Whether `draw` takes the dtype, if it is float32, float64 or one of integers. Otherwise
        draws are converted to it.
    nonnegative
        Whether no draw is less than zero, whatever the parameters.
    batched
        Whether parameters may have axes in front of those that one draw needs.
    slopes
        Gives the derivatives of a draw by parameters, for a generator that is held fixed (see
        `relgraph.tensor.random.functions`); None if there are none.
    """

    name: str
    signature: str
    dtype: str = "floatX"
    draw: Callable[..., Any] | None = field(default=None, repr=False)
    options: tuple[tuple[str, Any], ...] = ()
    takes_dtype: bool = False
    nonnegative: bool = False
    batched: bool = True
    slopes: Callable[[Any], Mapping[str, Any]] | None = field(default=None, repr=False)
    parameters: tuple[Parameter, ...] = field(init=False, compare=False, repr=False)
    core: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        given, _, drawn = self.signature.rpartition("->")
        object.__setattr__(self, "parameters", _parameters(given))
        object.__setattr__(self, "core", _axes(drawn))
        known = {axis for p in self.parameters for axis in p.core}
        if not known.issuperset(self.core):
            raise ValueError(
                f"{self.name}: no parameter has all the axes of a draw, {self.core}, so that its "
                f"shape is not known: {self.signature}"
            )

    @property
    def is_discrete(self) -> bool:
        """Whether draws are integers."""
        return self.dtype != "floatX"


_PARAMETER = re.compile(r"(\w+)(?:\(([^)]*)\))?(: int)?(?:=([^,]+))?")


def _parameters(text: str) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(name, _axes(core), bool(integer), float(default) if default else REQUIRED)
        for name, core, integer, default in _PARAMETER.findall(text)
    )


def _axes(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text))


class RandomOp(Op):
    """An op whose first input is a generator; its outputs are the next generator and a draw.

    A draw is a function of the state of the generator, but two draws are never merged: each node
    draws by itself. Nor is one computed ahead of time.

    Attributes
    ----------
    inplace
        Whether the given generator itself is advanced; if not, a copy of it.
    """

    default_output = 1
    nout = 2
    pure = False
    connected_inputs = ()

    @abstractmethod
    def draw(self, generator: Any, node: Apply, values: Sequence[Any]) -> Any:
        """Return a draw; `values` belong to the inputs after the generator."""

    def check_generator(self, rng: Any) -> None:
        """Raise a TypeError if `rng` is not a variable of generators."""
        if not isinstance(rng, Variable) or not isinstance(rng.type, RandomGeneratorType):
            found = f"{rng} of type {rng.type}" if isinstance(rng, Variable) else f"{rng!r}"
            raise TypeError(
                f"{self}: the generator is {found}, and a variable of RandomGeneratorType is "
                "wanted: relgraph.shared(numpy.random.default_rng(seed)) makes one"
            )

    def compute(self, node: Apply, rng: Any, *values: Any) -> Any:
        generator = rng if self.inplace else copied(rng)
        drawn = self.draw(generator, node, values)
        return generator, np.asarray(drawn, node.outputs[1].type.numpy_dtype)


class RandomVariable(RandomOp):
    """A draw from a distribution.

    Its inputs are a generator, the shape of the draws if it is `sized`, and the parameters. Without
    a shape there is one draw for each combination of the parameters, broadcast.

    Parameters
    ----------
    distribution
        The distribution.
    sized
        Whether the second input is a vector of integers: the shape of the draws in front of the
        axes that one draw has. Its length must be known.
    dtype
        The dtype of draws.
    options
        The options of the distribution with their values.
    inplace
        Whether the given generator itself is advanced; if not, a copy of it.

    Attributes
    ----------
    nonnegative
        Whether no element of a draw is less than zero.

    Raises
    ------
    TypeError
        If `dtype` can't hold the draws.
    """

    __props__ = ("distribution", "sized", "dtype", "options", "inplace")

    def __init__(
        self,
        distribution: Distribution,
        sized: bool,
        dtype: str,
        options: Sequence[tuple[str, Any]] = (),
        inplace: bool = False,
    ) -> None:
        self.distribution = distribution
        self.sized = bool(sized)
        self.dtype = check_dtype(dtype)
        self.options = tuple(options)
        self.set_inplace(inplace)
        self._rows = distribution.parameters
        self._cores = tuple(p.core for p in self._rows)
        self._ranks = [len(core) for core in self._cores]
        self._keywords = dict(self.options)
        if distribution.takes_dtype and self.dtype != "float16":
            self._keywords["dtype"] = self.dtype
        # a draw that is converted to a smaller integer wraps around
        keeps_sign = not is_discrete(self.dtype) or self.dtype in ("int64", "bool")
        self.nonnegative = distribution.nonnegative and keeps_sign
        if not distribution.is_discrete and (is_discrete(self.dtype) or is_complex(self.dtype)):
            raise TypeError(f"{distribution.name} draws real numbers, which are not {self.dtype}")
        if distribution.is_discrete and distribution.takes_dtype and not is_discrete(self.dtype):
            raise TypeError(f"{distribution.name} draws integers, which are not {self.dtype}")

    def __str__(self) -> str:
        return f"{self.distribution.name}{{{self.dtype}{', inplace' if self.inplace else ''}}}"

    # -- nodes -------------------------------------------------------------------------------------

    def make_node(self, *inputs: Any) -> Apply:
        """Return a node that draws.

        Raises
        ------
        TypeError
            If there are too many or too few inputs, the first is no generator, the shape is no
            vector of known length, or a parameter is complex, or not an integer where it must be.
        ValueError
            If a parameter has too few axes, or lengths of axes don't fit.
        """
        wanted = 1 + self.sized + len(self.distribution.parameters)
        if len(inputs) != wanted:
            raise TypeError(f"{self} takes {wanted} inputs, not {len(inputs)}")
        self.check_generator(inputs[0])
        size: list[Any] = [self._as_size(inputs[1])] if self.sized else []
        given = [
            self._as_parameter(x, parameter)
            for x, parameter in zip(inputs[1 + self.sized :], self._rows, strict=True)
        ]
        drawn = TensorType(self.dtype, self._static_shape(size, given)).make_variable()
        return Apply(
            self, [inputs[0], *size, *given], [random_generator_type.make_variable(), drawn]
        )

    def _as_size(self, size: Any) -> Any:
        size = as_tensor_variable(size)
        if size.type.ndim != 1 or size.type.dtype != "int64" or size.type.shape[0] is None:
            raise TypeError(
                f"{self}: size is a {size.type}, and a vector of int64 of known length is wanted"
            )
        return size

    def _as_parameter(self, x: Any, parameter: Parameter) -> Any:
        """Return a parameter as a variable; a Python float is rounded to no `config.floatX`."""
        what = f"{self.distribution.name}: {parameter.name}"
        try:
            x = constant(x, dtype="float64") if isinstance(x, float) else as_tensor_variable(x)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{what}: {error}") from None
        if is_complex(x.type.dtype) or (parameter.integer and not is_discrete(x.type.dtype)):
            kind = "integers are" if parameter.integer else "real numbers are"
            raise TypeError(f"{what} is a {x.type}, and {kind} wanted")
        missing = len(parameter.core) - x.type.ndim
        if missing > 0:
            raise ValueError(f"{what} is a {x.type}, and one draw needs {len(parameter.core)} axes")
        if missing < 0 and not self.distribution.batched:
            raise ValueError(f"{what} is a {x.type}, and has {-missing} axes too many")
        return x

    def _static_shape(self, size: Sequence[Any], given: Sequence[Any]) -> Shape:
        shapes = [x.type.shape for x in given]
        wanted = [known_elements(v, v.type.shape[0]) for v in size]
        for p, shape in zip(self._rows, shapes, strict=True):
            if wanted and len(shape) - len(p.core) > len(wanted[0]):
                raise ValueError(
                    f"{self.distribution.name}: size has {len(wanted[0])} axes, and {p.name} has "
                    f"the shape {shape}"
                )
        lengths = self._common_lengths(given, shapes, wanted)
        (axes,) = output_axes(lengths, [self.distribution.core])
        return tuple([lengths[axis] for axis in axes])

    def _common_lengths(
        self, given: Sequence[Any], shapes: Sequence[Shape], size: Sequence[Shape]
    ) -> dict[Axis, int | None]:
        """Return the lengths of the axes of a draw.

        Parameters
        ----------
        given, shapes
            The parameters as variables, and their shapes.
        size
            The size, if it is given.
        """
        static = [x.type.shape for x in given] + [(None,) * len(shape) for shape in size]
        names = [p.name for p in self._rows]
        return common_lengths(
            self.distribution.name,
            [*names, "size"],
            static,
            [*shapes, *size],
            (*self._cores, *[()] * len(size)),
        )

    def draw(self, generator: Any, node: Apply, values: Sequence[Any]) -> Any:
        size = tuple(values[0].tolist()) if self.sized else None
        given = values[1:] if self.sized else values
        if [x.ndim for x in given] != self._ranks:
            shapes = [x.shape for x in given]
            sizes = [] if size is None else [size]
            self._common_lengths(node.inputs[1 + self.sized :], shapes, sizes)
        distribution = self.distribution
        if distribution.draw is not None:
            return distribution.draw(generator, *given, size=size, **self._keywords)
        return getattr(generator, distribution.name)(*given, size=size, **self._keywords)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        shapes = shapes[1 + self.sized :]
        known: Shape = node.outputs[1].type.shape
        if None not in known:
            return [None, known]
        static = [x.type.shape for x in node.inputs[1 + self.sized :]]
        lengths = met_lengths(static, shapes, self._cores)
        if self.sized:
            size = as_lengths(node.inputs[1], str(self))
            lengths.update(zip(range(-len(size), 0), size, strict=True))
        (axes,) = output_axes(lengths, [self.distribution.core])
        return [None, merged_lengths(known, [lengths[axis] for axis in axes])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Return that a draw of real numbers is a function of its parameters that has slopes."""
        connected = not self.distribution.is_discrete
        first = 1 + self.sized
        return [[False, connected and i >= first] for i in range(len(node.inputs))]

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradients by the parameters, for a generator that is held fixed."""
        parameters = dict(zip([p.name for p in self._rows], inputs[1 + self.sized :], strict=True))
        slopes: Mapping[str, Any] = {}
        if self.distribution.slopes is not None:
            slopes = self.distribution.slopes(_DrawAgain(self, inputs[0], parameters, outputs[1]))
        gradients = [
            sum_like(output_grads[1] * slopes[name], x)
            if name in slopes
            else undefined(
                f"no derivative of a draw from {self.distribution.name} by {name} is known; draw "
                f"noise that does not depend on {name}, and compute the draw of that"
            )
            for name, x in parameters.items()
        ]
        return [*[disconnected() for _ in inputs[: 1 + self.sized]], *gradients]


@dataclass(frozen=True)
class _DrawAgain:
    """A draw as `Distribution.slopes` gets it (see `ReparametrizedDraw`)."""

    op: RandomVariable
    rng: Any
    parameters: Mapping[str, Any]
    value: Any

    def again(self, **changed: float) -> Any:
        given = [changed.get(name, x) for name, x in self.parameters.items()]
        op = self.op
        sized = RandomVariable(op.distribution, True, op.dtype, op.options)
        size = lengths(self.value)[: self.value.type.ndim - len(op.distribution.core)]
        return sized(self.rng, as_shape_vector(size, str(op)), *given)


class Permuted(RandomOp):
    """A tensor of integers with the elements along an axis in random order, each row in its own.

    Parameters
    ----------
    axis
        The axis, counted from the front.
    inplace
        Whether the given generator itself is advanced; if not, a copy of it.
    """

    __props__ = ("axis", "inplace")

    def __init__(self, axis: int, inplace: bool = False) -> None:
        self.axis = axis
        self.set_inplace(inplace)

    def __str__(self) -> str:
        return f"permuted{{axis={self.axis}{', inplace' if self.inplace else ''}}}"

    def make_node(self, rng: Any, x: Any) -> Apply:
        """Return a node; raises a TypeError if `x` holds no integers."""
        self.check_generator(rng)
        x = as_argument(x, self, 1)
        normalize_axis(self.axis, x.type.ndim, str(self))
        if not is_discrete(x.type.dtype):
            raise TypeError(f"{self}: x is a {x.type}, and integers are wanted")
        drawn = x.type.make_variable()
        return Apply(self, [rng, x], [random_generator_type.make_variable(), drawn])

    def draw(self, generator: Any, node: Apply, values: Sequence[Any]) -> Any:
        return generator.permuted(values[0], axis=self.axis)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [None, shapes[1]]
