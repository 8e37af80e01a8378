"""Random arguments for ops: inputs, constants and small graphs that fit each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.op import Op
from relgraph.scalar.dtypes import number_kind, weak_dtype
from relgraph.tensor.shapes.shape import Shape_i
from relgraph.testing.instances.adaptive_choice import AdaptiveChoices
from relgraph.testing.instances.arguments import special
from relgraph.testing.instances.arguments.axis_names import Axes
from relgraph.testing.instances.arguments.state import CannotInstantiate, InstantiationState
from relgraph.testing.instances.cells import AMONG_OTHERS, Cell
from relgraph.testing.instances.input_values import InputSpec, number_table
from relgraph.testing.structured_matrices import STRUCTURES, declared, structured

# Options with their initial weights; see `AdaptiveChoices.pick`.
_DTYPES: tuple[tuple[str, float], ...] = (
    ("float64", 6),
    ("float32", 2),
    ("int64", 1.5),
    ("int8", 1),
    ("uint8", 1),
    ("bool", 1),
    ("float16", 0.5),
    ("int32", 0.3),
    ("uint64", 0.5),
)
_COMPLEX: tuple[tuple[str, float], ...] = (("complex128", 3.0), ("complex64", 1.0))
_RANKS = ((1, 4.0), (2, 3.0), (0, 1.0), (3, 1.0), (4, 0.4))
_LENGTHS = ((3, 3.0), (2, 3.0), (7, 1.5), (1, 1.0), (0, 0.5), (16, 0.6))
# How the shapes of the arguments are related to the base shape.
_SHAPES = (
    ("same", 5.0),
    ("broadcast", 3.0),
    ("scalar", 0.7),
    ("square", 1.5),
    ("any", 1.0),
    ("products", 1.0),
)
# The same for an instance of a cell of the plan, most of whose arguments shall be of that cell.
_PLANNED_SHAPES = (
    ("same", 8.0),
    ("square", 1.0),
    ("broadcast", 1.0),
    ("products", 1.0),
    ("any", 0.5),
)
_THIN = (("thin", 1.0), ("wide", 1.0), ("matrix", 1.0), ("vector", 0.5))
_FACTORS = (("matrix", 3.0), ("vector", 2.0), ("column", 1.0), ("row", 1.0))
# Which lengths the types of inputs know.
_STATIC = (("open", 3.0), ("known", 2.0), ("mixed", 1.0))
_NOTABLE = (0.0, 1.0, -1.0, 2.0, 0.5, np.log(2), np.log(10), 1 / np.log(2), 1 / np.log(10))
_STRUCTURES = tuple((kind, 1.0) for kind in STRUCTURES)
_UNARY = (at.neg, at.exp, at.abs, at.sqr)
_ARRAYS = (("random", 4.0), ("ones", 1.0), ("zeros", 1.0), ("identity", 1.0))

ARGUMENT_KINDS = (
    ("variable", 6.0),
    ("graph", 2.0),
    ("number", 1.5),
    ("array", 1.0),
    ("known", 1.0),
    ("single", 0.7),
)
"""The kinds of tensors: an input, a small graph of inputs, a constant number, a constant array, an
input of known shape, an input of one element."""


class RandomArguments:
    """Draws arguments of one dtype and of shapes that fit each other.

    Parameters
    ----------
    random
        The source of randomness.
    mixed
        Whether arguments may be of several dtypes.
    complex
        Whether they may be complex.
    notable
        Numbers that inputs of floats have among their edge values.

    Attributes
    ----------
    cell
        The cell of the plan that the arguments shall be of, or None.
    turn
        At which rank arguments of lengths 0 and 1 are tried; see `Cell.shapes`.
    """

    def __init__(
        self, random: Random, mixed: bool, complex: bool, notable: tuple[float, ...] = ()
    ) -> None:
        self.mixed, self.notable = mixed, notable
        self.choices = AdaptiveChoices(random)
        self.cell: Cell | None = None
        self.turn = 0
        self._random = random
        self._dtypes = (*_DTYPES, *(_COMPLEX if complex else ()))
        self._ranks: Sequence[tuple[int, float]] = _RANKS
        self._more_shapes: Sequence[tuple[str, float]] = ()
        self._axes: Mapping[Any, Axes] = {}
        self._state = InstantiationState()

    def _restart(self) -> None:
        """Forget the variables drawn, and choose a dtype and a base shape anew."""
        state = self._state = InstantiationState()
        state.constant_lengths = self.choices.chance(35)
        state.static_lengths = self.choices.pick("static", _STATIC)
        if self.cell is not None:
            self._start_in(self.cell)
            return
        state.dtype = self.choices.pick("dtype", self._dtypes)
        rank = self.choices.pick("rank", self._ranks)
        shape = tuple(self.choices.pick("length", _LENGTHS) for _ in range(rank))
        if rank > 1:
            shape = tuple(min(n, 3) for n in shape)
        state.shape_relation = self.choices.pick("shapes", (*_SHAPES, *self._more_shapes))
        if state.shape_relation == "square" and rank:
            shape = (shape[0],) * rank
        state.base_shape = shape

    def _start_in(self, cell: Cell) -> None:
        """Choose a dtype and a base shape of a cell of the plan."""
        state = self._state
        dtypes = [(dtype, 1.0) for dtype in cell.dtypes]
        state.dtype = self.choices.pick(("dtype", cell.kind), dtypes)
        shapes = [(shape, 1.0) for shape in cell.shapes(self.turn)]
        state.base_shape = self.choices.pick(("shape", cell.extent), shapes)
        state.lengths_of_axes = state.base_shape or state.lengths_of_axes
        relations = (*_PLANNED_SHAPES, *self._more_shapes)
        state.shape_relation = self.choices.pick("planned shapes", relations)

    def _apply(self, op: Op, arguments: Sequence[Any]) -> Any:
        try:
            made = op(*arguments)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise CannotInstantiate(f"{op} does not take what was drawn") from error
        return made[0] if isinstance(made, list) else made

    def _add_leaf(self, var: Any) -> Any:
        self._state.leaves.append(var)
        return var

    # -- arguments of other kinds than tensors ---------------------------------------------

    def _special_argument(self, role: str, number: int, v: Any) -> Any:
        """Return an argument that is not just any tensor, or None if any tensor will do.

        Parameters
        ----------
        role, number
            The kind of argument, and which of that kind; see `role_of`.
        v
            The logic variable that it stands for.
        """
        if role == "generator":
            return special.generator(self._state, self.choices)
        if role == "parameter":
            return self._parameter_of_draws(v)
        if role == "shape of draws":
            return special.shape_of_draws(self._state)
        if role == "steps":
            return special.step_count(self._state, self.choices)
        if role == "length":
            return self._axis_length(number, v)
        if role == "index":
            return self._integers((), (0, 1, -1, 2, -2, -3))
        if role == "indices" and self.choices.pick((v, "counts"), ((False, 2.0), (True, 1.0))):
            return at.constant(np.arange(self._count(v)))
        if role == "indices":
            return self._integers((self.choices.uniform((2, 3, 0, 1, 4)),), (0, 1, -1, 0, -2))
        if role == "shape":
            return self._shape_vector()
        if role == "split_lengths":
            return self._split_lengths(v)
        if role == "assertion":
            return at.constant(True) if self.choices.chance(70) else self._boolean_input()
        if role == "condition":
            options = (("bool", 4.0), (self._state.dtype, 1.0), ("True", 0.5), ("False", 0.5))
            dtype = self.choices.pick((v, "condition"), options)
            if dtype in ("True", "False"):
                return self._number(dtype == "True", dtype="bool")
            return self._input(dtype, self._shape(v))
        if role == "logical" and self.cell is None and not self.choices.chance(20):
            self._state.dtype = self.choices.pick((v, "logical"), (("bool", 3.0), ("int8", 1.0)))
        return None

    def _parameter_of_draws(self, v: Any) -> Variable | None:
        """Return an input of a domain that parameters of draws have; None for any tensor."""
        options = ((self._state.dtype, 4.0), ("int64", 1.0))
        dtype = self.choices.pick((v, "dtype of parameter"), options)
        domain = special.domain_of(v, dtype, self.choices)
        if domain is None and dtype == self._state.dtype:
            return None
        var = self._input(dtype, self._shape(v))
        self._state.inputs[-1] = replace(self._state.inputs[-1], domain=domain)
        return var

    def _split_lengths(self, v: Any) -> Variable:
        """Return lengths of parts that add up to the length of an axis, or to a multiple of it."""
        n = self.choices.uniform(self._state.base_shape or (3,))
        count = self.choices.pick((v, "pieces"), ((2, 2.0), (1, 1.0), (3, 2.0), (4, 1.0)))
        how = self.choices.pick((v, "parts"), (("equal", 1.0), ("one", 2.0), ("several", 1.0)))
        if how == "equal":
            lengths = [n] * count
        else:
            total = n if how == "one" else n * count
            cuts = sorted(self._random.randint(0, total) for _ in range(count - 1))
            lengths = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
        made: Variable = at.constant(np.array(lengths, "int64"))
        return made

    def _axis_length(self, axis: int, v: Any) -> Variable:
        """Return a length of an axis: often that of the base shape, or of an input's axis."""
        base_shape = self._state.base_shape
        others = (3, 2, 1, 0, 4, 7)
        how = self.choices.pick(
            (v, "length"), (("own", 2.0), ("of input", 2.0), ("input", 1.0), ("any", 1.0))
        )
        if self._has_named_axes(v):
            n = self._count(v)
        else:
            n = base_shape[axis] if axis < len(base_shape) else self.choices.uniform(others)
        if how == "own" or self._state.constant_lengths:
            made: Variable = at.constant(n, dtype="int64")
            return made
        if how == "of input":
            inputs = self._state.inputs
            fitting = [s.var for s in inputs if s.shape == base_shape and axis < len(base_shape)]
            if fitting:
                made = Shape_i(axis)(self.choices.uniform(fitting))
                return made
        return self._integers((), (n,) if how != "any" else others)

    def _boolean_input(self) -> Variable:
        var: Variable = at.TensorType("bool", ())(self._next_name())
        self._state.inputs.append(InputSpec(var, (), (1, 1, 1, 0)))
        return var

    def _integers(self, shape: tuple[int, ...], allowed: tuple[int, ...]) -> Variable:
        """Return a constant or an input of certain integers."""
        if self.choices.chance(40):
            made: Variable = at.constant(np.array(np.resize(allowed[:3], shape), "int64"))
            if shape == ():
                made = at.constant(self.choices.uniform(allowed), dtype="int64")
            return made
        static = shape if self.choices.chance(50) else (None,) * len(shape)
        var: Variable = at.TensorType("int64", static)(self._next_name())
        of_input = allowed if shape else (self.choices.uniform(allowed),)
        self._state.inputs.append(InputSpec(var, shape, of_input))
        return var

    def _shape_vector(self) -> Variable:
        base_shape = self._state.base_shape
        size = int(np.prod(base_shape, dtype=np.int64))
        shapes = [(size,), (-1,), (1, size), (size, 1), tuple(base_shape), base_shape[::-1]]
        shape = self.choices.uniform([*shapes, (-1, 1), (2, -1), (2, 3), (3, 2), (6,)])
        made: Variable = at.constant(np.array(shape, "int64").reshape(len(shape)))
        return made

    # -- tensors ---------------------------------------------------------------------------

    def _shape(self, v: Any = None) -> tuple[int, ...]:
        """Return a run-time shape for the logic variable `v`, related to the base shape."""
        base_shape, relation = self._state.base_shape, self._state.shape_relation
        if self._has_named_axes(v):
            shape = special.shape_by_axes(self._axes[v], v, self._state, self.choices)
            return shape  # type: ignore[no-any-return]
        if relation == "any":
            rank = self.choices.pick(("rank", v), ((1, 2.0), (2, 2.0), (0, 1.0), (3, 0.5)))
            n = base_shape[0] if base_shape and base_shape[0] < 4 else 3
            return tuple(
                n if self.choices.chance(65) else self.choices.uniform((2, 3, 1))
                for _ in range(rank)
            )
        if relation == "products":
            n = base_shape[0] if base_shape else 3
            shapes = {"matrix": (n, n), "vector": (n,), "column": (n, 1), "row": (1, n)}
            return shapes[self.choices.pick(("factor", v), _FACTORS)]
        if relation == "thin":
            n, k = self._side(), self.choices.uniform((1, 2))
            shapes = {"thin": (n, 1), "wide": (1, n), "matrix": (n, n), "vector": (n,)}
            if self._side() > 3 and k == 2:
                shapes.update(thin=(n, 2), wide=(2, n))
            return shapes[self.choices.pick(("thin", v), _THIN)]
        if relation == "scalar":
            return base_shape if self.choices.chance(50) else ()
        if relation != "broadcast":
            return base_shape
        shape = [1 if self.choices.chance(30) else n for n in base_shape]
        return tuple(shape[1:] if shape and self.choices.chance(20) else shape)

    def _tensor(self, kind: str, v: Any) -> Variable:
        """Return a tensor of one of `ARGUMENT_KINDS` for the logic variable `v`."""
        dtype = self._state.dtype
        # Now and then a law that admits one dtype only gets an argument of another one.
        others = 35 if self.mixed else 8
        if self.cell is not None:
            others = 50 if self.cell.extent == AMONG_OTHERS else 0
        if self.choices.chance(others):
            dtype = self.choices.pick((v, "dtype"), self._dtypes)
        shape = self._shape(v)
        if kind == "single":
            rank = self.choices.uniform((0, 1, len(self._state.base_shape)))
            return self._input(dtype, (1,) * rank, True)
        if kind == "matrix":
            return self._structured_matrix(dtype, v)
        if kind == "number":
            return self._random_number(shape, dtype, v)
        if kind == "array":
            return self._random_array(shape, dtype, v)
        if kind == "graph" and shape and self.choices.chance(25):
            return self._with_gaps(dtype, shape)  # type: ignore[no-any-return]
        var = self._input(dtype, shape, known=kind == "known")
        return self._small_graph(var) if kind == "graph" else var

    def _side(self) -> int:
        """Return the length of the sides of square matrices."""
        n = self._state.base_shape[-1] if self._state.base_shape else 3
        return max(n, 2) if self._state.shape_relation == "thin" else n

    def _has_named_axes(self, v: Any) -> bool:
        """Return whether the logic variable `v` has the lengths of axes that have names."""
        return self._state.shape_relation == "by axes" and v in self._axes

    def _count(self, v: Any) -> int:
        """Return how long the last axis of the logic variable `v` is, if it is no number."""
        if self._has_named_axes(v):
            last = special.length_of_axis(self._axes[v][-1], self._state, self.choices)
            return 1 if last is None else last
        return self._side()

    def _structured_matrix(self, dtype: str, v: Any) -> Variable:
        """Return a square matrix of a known structure: made of an input, or an input itself."""
        n, batch = self._count(v), self._state.base_shape[:-2]
        kind = self.choices.pick((v, "structure"), _STRUCTURES)
        var = self._input(dtype, (*batch, n, n))
        if self.choices.chance(50):
            made: Variable = structured(kind, var)
        else:
            self._state.inputs[-1] = replace(self._state.inputs[-1], structure=kind)
            made = declared(kind, var)
        return made

    def _random_number(self, shape: tuple[int, ...], dtype: str, v: Any) -> Variable:
        table = number_table(dtype, "any" if self.choices.chance(40) else "ordinary")
        notable = np.dtype(dtype).kind == "f" and self.choices.pick(
            (v, "notable"), ((True, 1.0), (False, 2.0))
        )
        numbers: Any = np.array(_NOTABLE, dtype) if notable else table
        options = tuple((i, 1.0) for i in range(len(_NOTABLE)))
        position = self.choices.pick((v, "which"), options)
        index = position if notable else self._random.randrange(len(table))
        return self._number(numbers[index], shape, dtype)

    def _random_array(self, shape: tuple[int, ...], dtype: str, v: Any) -> Variable:
        content = self.choices.pick((v, "array"), _ARRAYS)
        made: Variable
        if content == "identity":
            made = at.constant(np.eye(self.choices.uniform((2, 3)), dtype=dtype))
        elif content != "random":
            made = at.constant(getattr(np, content)(shape, dtype))
        else:
            table = number_table(dtype, self.choices.uniform(("any", "ordinary", "positive")))
            indices = [self._random.randrange(len(table)) for _ in range(int(np.prod(shape)))]
            order = self.choices.uniform("CCF")
            made = at.constant(np.asarray(table[indices].reshape(shape), order=order))
        return made

    def _input(self, dtype: str, shape: tuple[int, ...], known: bool = False) -> Variable:
        """Return a new input of a run-time shape, which its type knows if `known`."""
        state = self._state
        static: list[int | None] = []
        for n in shape:
            # Only an axis of static length 1 broadcasts.
            must = (
                known
                or state.static_lengths == "known"
                or state.shape_relation == "thin"
                or (n == 1 and state.shape_relation != "same")
            )
            mixed = state.static_lengths == "mixed"
            static.append(n if must or (mixed and self.choices.chance(50)) else None)
        var: Variable = at.TensorType(dtype, static)(self._next_name())
        state.inputs.append(InputSpec(var, shape, notable=self.notable))
        return var

    def _next_name(self) -> str:
        return f"v{len(self._state.inputs)}"

    def _number(self, value: Any, shape: Any = None, dtype: str | None = None) -> Variable:
        """Return a constant of one number: of rank 0, an array of it, or broadcast by an op."""
        dtype = dtype or self._state.dtype
        try:
            scalar = self._scalar(value, dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise CannotInstantiate(f"{value} is no {dtype}") from error
        shape = self._shape() if shape is None else shape
        how = self.choices.uniform(("plain", "plain", "full", "alloc", "dimshuffle"))
        made: Any = scalar
        if how == "full":
            made = at.constant(np.full(shape, scalar.data, order=self.choices.uniform("CF")))
        elif how == "alloc" and shape:
            made = at.alloc(scalar, *shape)
        elif how == "dimshuffle" and shape:
            made = scalar.dimshuffle(*["x"] * len(shape))
        return made  # type: ignore[no-any-return]

    def _scalar(self, value: Any, dtype: str) -> Any:
        """Return a number as a constant: of the dtype it has beside others if it is none of them.

        So ``minimum(b, 0)`` of booleans is a law's ``minimum(x, 0)`` as it is written.
        """
        try:
            return at.constant(value, dtype=dtype)
        except (TypeError, ValueError, OverflowError):
            kind = number_kind(getattr(value, "value", value))
            if kind is None:
                raise
            return at.constant(value, dtype=weak_dtype(kind, (dtype,)))

    def _with_gaps(self, dtype: str, shape: tuple[int, ...]) -> Any:
        """Return every second of the elements that one op makes of a longer input."""
        longer: Any = self._input(dtype, (*shape[:-1], 2 * shape[-1]))
        made = self._apply(self.choices.uniform(_UNARY), [longer])
        return (longer if made.type.dtype != dtype else made)[..., ::2]

    def _small_graph(self, var: Any) -> Variable:
        """Return what one op makes of an input, or the input itself if that changes the dtype."""
        how = self.choices.uniform(("unary", "binary", "same", "transpose"))
        square = len(set(self._state.base_shape)) < 2
        if how == "transpose" and var.type.ndim == 2 and square:
            return self._apply(at.DimShuffle(2, (1, 0)), [var])  # type: ignore[no-any-return]
        if how == "unary":
            made = self._apply(self.choices.uniform(_UNARY), [var])
        else:
            other = self._number(self.choices.uniform((1, 2, 0, 3))) if how == "same" else var
            made = self._apply(self.choices.uniform((at.add, at.mul, at.sub)), [var, other])
        return var if made.type.dtype != var.type.dtype else made  # type: ignore[no-any-return]
