"""`RandomVariable`: a draw from a distribution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.type import disconnected, undefined
from relgraph.scalar.dtypes import check_dtype, is_complex, is_discrete
from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import as_tensor_variable, constant
from relgraph.tensor.random.distribution import Distribution, Parameter
from relgraph.tensor.random.random_op import RandomOp
from relgraph.tensor.random.type import random_generator_type
from relgraph.tensor.reductions.reduction import sum_like
from relgraph.tensor.shapes.shape import MakeVector, as_lengths, as_shape_vector, lengths
from relgraph.tensor.type import TensorType

Lengths = tuple[int | None, ...]


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
        self._set_inplace(inplace)
        self._rows = distribution.parameters
        self._ranks = [len(p.core) for p in self._rows]
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

    def overwriting(self) -> RandomVariable:
        return RandomVariable(self.distribution, self.sized, self.dtype, self.options, True)

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
        static = self._batch(size, given) + self._core(given)
        drawn = TensorType(self.dtype, static).make_variable()
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

    def _batch(self, size: Sequence[Any], given: Sequence[Any]) -> Lengths:
        """Return the static lengths of the axes in front of those of one draw."""
        batches = {
            p.name: _batch_of(x.type.shape, p) for x, p in zip(given, self._rows, strict=True)
        }
        rank = max(map(len, batches.values()), default=0)
        wanted = known_elements(size[0]) if size else (1,) * rank
        if rank > len(wanted):
            name = max(batches, key=lambda name: len(batches[name]))
            raise ValueError(
                f"{self.distribution.name}: size has {len(wanted)} axes, and {name} has the shape "
                f"{batches[name]} in front of the axes of one draw"
            )
        common: list[int | None] = []
        for axis in range(-len(wanted), 0):
            own = {name: b[axis] for name, b in batches.items() if -axis <= len(b)}
            known = {n for n in own.values() if n not in (None, 1)}
            if size and wanted[axis] is not None:
                known.add(wanted[axis])
            if len(known) > 1:
                raise ValueError(
                    f"{self.distribution.name}: the lengths along axis {axis} don't fit: "
                    + ", ".join(f"{n} of {name}" for name, n in own.items())
                    + (f", {wanted[axis]} of size" if size else "")
                )
            unknown = bool(size) or None in own.values()
            common.append(known.pop() if known else None if unknown else 1)
        return tuple(common)

    def _core(self, given: Sequence[Any]) -> Lengths:
        """Return the static lengths of the axes of one draw."""
        known: dict[str, int] = {}
        for name, n, axis in self._core_axes([x.type.shape for x in given]):
            if n is not None and known.setdefault(axis, n) != n:
                raise ValueError(
                    f"{self.distribution.name}: {name} has length {n} along an axis that "
                    f"has length {known[axis]} elsewhere"
                )
        return tuple(known.get(axis) for axis in self.distribution.core)

    def _core_axes(self, shapes: Sequence[Sequence[Any]]) -> Iterator[tuple[str, Any, str]]:
        """Yield, for each axis of a parameter that one draw needs, the name of the parameter, the
        length, and the name of the axis."""
        for p, shape in zip(self._rows, shapes, strict=True):
            for axis, n in zip(p.core, shape[len(shape) - len(p.core) :], strict=True):
                yield p.name, n, axis

    # -- values ------------------------------------------------------------------------------------

    def draw(self, generator: Any, node: Apply, values: Sequence[Any]) -> Any:
        size = tuple(values[0].tolist()) if self.sized else None
        given = values[1:] if self.sized else values
        if [x.ndim for x in given] != self._ranks:
            self._check_broadcasting(node, size, given)
        distribution = self.distribution
        if distribution.draw is not None:
            return distribution.draw(generator, *given, size=size, **self._keywords)
        return getattr(generator, distribution.name)(*given, size=size, **self._keywords)

    def _check_broadcasting(
        self, node: Apply, size: tuple[int, ...] | None, given: Sequence[Any]
    ) -> None:
        """Raise a ValueError if a parameter does not have the shape of the draws along an axis, or
        broadcasts along one whose length is not known to be 1."""
        batches = [_batch_of(x.shape, p) for x, p in zip(given, self._rows, strict=True)]
        if not any(batches) or (size is None and all(own == batches[0] for own in batches)):
            return
        shape = _longest(batches) if size is None else size
        for x, p, own in zip(node.inputs[1 + self.sized :], self._rows, batches, strict=True):
            for axis, n in enumerate(own):
                wanted = shape[axis - len(own)]
                if n != wanted and x.type.shape[axis] != 1:
                    raise ValueError(
                        f"{self.distribution.name}: axis {axis} of {p.name}, {x}, has length {n}, "
                        f"and that of the draw is {wanted}; only an axis whose length is known to "
                        "be 1 broadcasts (declare it in the variable's type, or by specify_shape)"
                    )

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        shapes = shapes[1 + self.sized :]
        known: Lengths = node.outputs[1].type.shape
        if None not in known:
            return [None, known]
        rank = len(known) - len(self.distribution.core)
        batch: Sequence[Any]
        if self.sized:
            batch = as_lengths(node.inputs[1], str(self))
        else:
            batch = [1] * rank
            given = node.inputs[1:]
            for x, p, shape in zip(given, self._rows, shapes, strict=True):
                own = _batch_of(shape, p)
                for axis in range(-len(own), 0):
                    if _batch_of(x.type.shape, p)[axis] != 1:
                        batch[axis] = own[axis]
        core = {axis: n for _, n, axis in self._core_axes(shapes)}
        found = [*batch, *[core[axis] for axis in self.distribution.core]]
        return [None, tuple(s if n is None else n for n, s in zip(known, found, strict=True))]

    # -- derivatives -------------------------------------------------------------------------------

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Return that a draw of real numbers is a function of its parameters that has slopes."""
        connected = not self.distribution.is_discrete
        first = 1 + self.sized
        return [[False, connected and i >= first] for i in range(len(node.inputs))]

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]
    ) -> list[Any]:
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


def _batch_of(lengths: Sequence[Any], parameter: Parameter) -> tuple[Any, ...]:
    """Return the lengths of the axes of a parameter in front of those that one draw needs."""
    return tuple(lengths[: len(lengths) - len(parameter.core)])


def _longest(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to, or are meant to; 0 is longer than 1."""
    rank = max(map(len, shapes))
    found = []
    for axis in range(-rank, 0):
        along = [own[axis] for own in shapes if -axis <= len(own)]
        found.append(0 if 0 in along else max(along))
    return tuple(found)


def known_elements(vector: Variable) -> Lengths:
    """Return the elements of a vector of lengths; None for those that are not known."""
    if isinstance(vector, Constant):
        return tuple(int(n) for n in vector.data)
    if vector.owner is not None and isinstance(vector.owner.op, MakeVector):
        return tuple(static_int(n) for n in vector.owner.inputs)
    known: Lengths = vector.type.shape
    return (None,) * int(known[0] or 0)
