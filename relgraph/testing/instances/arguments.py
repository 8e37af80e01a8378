"""Random arguments for ops: inputs, constants and small graphs that fit each other.

Axes have names, and those of one name have one length in a graph. So matrices are drawn that can be
multiplied, and a vector of positions that is as long as a diagonal. Options that led to instances
are drawn more. What a distribution wants of its parameters it says by raising an error: which of
the domains fits is found out by trying.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from random import Random
from typing import Any, TypeVar

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules import class_of, split
from relgraph.graph.kanren.terms import is_variable
from relgraph.graph.op import Op
from relgraph.scalar.type import number_kind, weak_dtype
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.linalg.products import Kron
from relgraph.tensor.math import Dot, MatrixProduct
from relgraph.tensor.random.type import random_generator_type
from relgraph.tensor.shapes import Shape_i
from relgraph.tensor.signatures import Signature, parsed
from relgraph.testing.instances.input_values import (
    STRUCTURES,
    InputSpec,
    declared,
    number_table,
    structured,
    tensor_type,
)
from relgraph.testing.instances.instance import (
    AMONG_OTHERS,
    KINDS,
    LONG,
    Cell,
    InstantiationState,
)
from relgraph.testing.random_terms import (
    CannotInstantiate,
    classes_in,
    made_by,
    role_of,
)

T = TypeVar("T")


def _counted(picked: int, succeeded: int) -> tuple[int, int, float]:
    """Return two counts, and the share of successes, which is never 0."""
    return picked, succeeded, (succeeded + 1) / (picked + 2) + 0.02


_NEW = _counted(0, 0)


class AdaptiveChoices:
    """Random choices, with a record of how often each option led to success.

    Parameters
    ----------
    random
        The source of randomness.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        # by decision and option, how often it was picked, how often that was a success, and what
        # its initial weight is multiplied by
        self._known: dict[Hashable, dict[Hashable, tuple[int, int, float]]] = {}
        self._since_last_outcome: list[tuple[Hashable, Hashable]] = []

    def pick(self, decision: Hashable, options: Mapping[T, float]) -> T:
        """Return one of some options; those that succeeded before weigh more.

        Parameters
        ----------
        decision
            Names the decision; outcomes are recorded by decision and option.
        options
            The initial weight of each option.
        """
        known = self._known.get(decision, {})
        weights = [weight * known.get(option, _NEW)[2] for option, weight in options.items()]
        (chosen,) = self.random.choices(tuple(options), weights)
        self._since_last_outcome.append((decision, chosen))
        return chosen

    def record_outcome(self, success: bool, about: Any = None) -> None:
        """Record whether the options picked since the last outcome led to an instance: all, or
        those of the decisions about a logic variable."""
        left = []
        for decision, option in self._since_last_outcome:
            if about is not None and not (isinstance(decision, tuple) and about in decision):
                left.append((decision, option))
                continue
            known = self._known.setdefault(decision, {})
            picked, succeeded, _ = known.get(option, _NEW)
            known[option] = _counted(picked + 1, succeeded + success)
        self._since_last_outcome = left

    def forget(self) -> None:
        """Record nothing of what led to success so far."""
        self._known.clear()

    def forget_outcome(self) -> None:
        """Record nothing of the options picked since the last outcome."""
        self._since_last_outcome = []

    def chance(self, percent: float) -> bool:
        """Return True in `percent` of a hundred calls, on average."""
        return self.random.random() * 100 < percent

    def uniform(self, options: Sequence[Any]) -> Any:
        """Return one of some options, each with the same probability."""
        return self.random.choice(options)


Axes = tuple[str, ...]
"""The names of the axes of a tensor. A graph may lack one that is a capital letter: a vector may be
the first or the last factor. A name of several letters is an axis as long as the product of the
axes that have these letters for names."""

STACK = "*"
"""Stands before the names of the axes of a matrix that may be a stack of them."""
Named = list[tuple[Any, Axes | None]]
"""Parts of a pattern, with the names of their axes if they have any."""

_SIGNATURES: Mapping[type, str] = {
    ExtractDiag: "(n,n)->(n)",
    SetDiagonal: "(n,n),(n)->(n,n)",
    Kron: "(m,n),(k,l)->(mk,nl)",
}
"""The named axes of ops that state none; see `relgraph.tensor.signatures`. An axis of two letters
is as long as the product of their axes."""


def _signature_of(cls: type, arguments: Sequence[Any]) -> Signature | None:
    """Return the axes that the arguments and the first result of an op have in common; None if it
    has none. Matrices are square where it is not said."""
    text = getattr(cls, "signature", "")
    text = text or next((s for c, s in _SIGNATURES.items() if issubclass(cls, c)), "")
    if not text and issubclass(cls, MatrixOp) and len(arguments) == 1:
        text = "(n,n)->(n,n)"
    is_diagonal = issubclass(cls, AdvancedSubtensor) and len(arguments) == 3
    if is_diagonal and arguments[1] == arguments[2]:
        text = "(n,n),(n),(n)->(n)"
    return parsed(text) if text else None


def axes_in(pattern: Any) -> Mapping[Any, Axes]:
    """Return the names of the axes of each logic variable that ops of a pattern relate to others.

    These are factors of products of matrices, what stands beside products element by element, and
    inputs of ops that have names for the axes themselves.
    """
    return _Naming(pattern).found()


class _Naming:
    """Names the axes of the parts of a pattern, from the root to the leaves."""

    def __init__(self, pattern: Any) -> None:
        self._outer = filter(str.isupper, map(chr, count(ord("A"))))
        self._inner = filter(str.islower, map(chr, count(ord("a"))))
        self._axes: dict[Any, Axes] = {}
        # for each name that another one replaces, that name
        self._same: dict[str, str] = {}
        stack: Named = [(pattern, None)]
        while stack:
            part, axes = stack.pop()
            head, arguments, _ = split(part)
            if is_variable(part) and axes is not None:
                self._note(part, axes)
            elif head is not None:
                stack += self._below(head, arguments, axes)

    def found(self) -> dict[Any, Axes]:
        """Return the names of the axes of each logic variable that has any."""
        return {v: tuple(map(self._name, axes)) for v, axes in self._axes.items()}

    def _note(self, v: Any, axes: Axes) -> None:
        known = self._axes.setdefault(v, axes)
        if len(known) == len(axes):
            for one, other in zip(known, axes, strict=True):
                self._merge(one, other)

    def _merge(self, one: str, other: str) -> None:
        """Note that two names are those of one axis."""
        # a product stays one, and what may not be left out in one place may not be in another
        names = map(self._name, (one, other))
        gone, kept = sorted(names, key=lambda n: (len(n), n.islower(), n))
        if len(gone) == 1 and kept != gone:
            self._same[gone] = kept

    def _name(self, name: str) -> str:
        while any(letter in self._same for letter in name):
            name = "".join(self._same.get(letter, letter) for letter in name)
        return name

    def _below(self, head: Any, arguments: Any, axes: Axes | None) -> Named:
        """Return the arguments of an op, each with the names of its axes, if the op relates them.

        Parameters
        ----------
        head, arguments
            The head of a term, and its arguments.
        axes
            The names of the axes of the result, or None.
        """
        cls = class_of(head) or object
        signature = _signature_of(cls, arguments)
        if signature is not None:
            return self._by_signature(signature, cls, arguments, axes)
        if getattr(head, "new_order", None) == (1, 0):
            return [(p, axes and axes[::-1]) for p in arguments]
        if issubclass(cls, Elemwise):
            inside = [c for p in arguments for c in classes_in(p) if issubclass(c, MatrixProduct)]
            if inside and axes is None:
                stack, names = self._named(parsed(inside[0].signature), inside[0])
                axes = (*stack, *map(names.__getitem__, parsed(inside[0].signature).outputs[0]))
            return [(p, axes) for p in arguments]
        return _lengths(head, arguments, axes) if axes else [(p, None) for p in arguments]

    def _named(self, signature: Signature, cls: type) -> tuple[Axes, dict[str, str]]:
        """Return the names of the axes of a stack, and a name for each axis of a signature."""
        names: dict[str, str] = {}
        for axis in chain(*signature.inputs):
            names.setdefault(axis, next(self._outer if axis.endswith("?") else self._inner))
        for axis in signature.outputs[0]:
            names.setdefault(axis, "".join(names.get(letter, "") for letter in axis))
        is_stack = issubclass(cls, MatrixProduct) and not issubclass(cls, Dot)
        return (STACK,) if is_stack else (), names

    def _by_signature(
        self, signature: Signature, cls: type, arguments: Any, axes: Axes | None
    ) -> Named:
        """Return the arguments of an op, with names of the axes that its signature relates."""
        stack, names = self._named(signature, cls)
        output = signature.outputs[0]
        if axes is not None and output:
            stack = axes[: -len(output)]
            for axis, name in zip(reversed(output), reversed(axes), strict=False):
                own, known = names[axis], self._name(name)
                alike = zip(own, known, strict=True) if len(own) == len(known) else [(own, known)]
                for one, other in alike:
                    self._merge(one, other)
        own_axes = [tuple(map(names.__getitem__, core)) for core in signature.inputs]
        return [(p, (*stack, *own)) for p, own in zip(arguments, own_axes, strict=False)]


def _lengths(head: Any, arguments: Any, axes: Axes) -> Named:
    """Return the arguments of an op, those that are lengths of axes with the names of these."""
    roles = [role_of(head, position) for position in range(len(arguments))]
    names = [axes[k : k + 1] if role == "length" else () for role, k in roles]
    return [(p, name or None) for p, name in zip(arguments, names, strict=True)]


_SEEDS = tuple(range(256))
_NOTABLE = (0.0, 1.0, -1.0, 2.0, 0.5, np.log(2), np.log(10), 1 / np.log(2), 1 / np.log(10))
_UNARY = (at.neg, at.exp, at.abs, at.sqr)

# Options with their initial weights; see `AdaptiveChoices.pick`.

# the domains of parameters; None for any tensor
_DOMAINS = {None: 3.0, "positive": 2.0, "unit": 1.0, "probabilities": 1.0}
_OR_NOT = {True: 1.0, False: 1.0}
_MOSTLY = {True: 4.0, False: 1.0}
_DTYPES = {"float64": 6.0, "float32": 2.0, "int64": 1.5}
_RARER_DTYPES = ("int8", "uint8", "bool", "float16", "int32", "uint64")
_COMPLEX = {"complex128": 3.0, "complex64": 1.0}
_RANKS = {1: 4.0, 2: 3.0, 0: 1.0, 3: 1.0, 4: 0.4}
_LENGTHS = {3: 3.0, 2: 3.0, 7: 1.5, 1: 1.0, 0: 0.5, 16: 0.6}
# how the shapes of the arguments are related to the base shape
_SHAPES = {"same": 5.0, "broadcast": 3.0, "scalar": 0.7, "square": 1.5, "any": 1.0}
# the same for an instance of a cell of the plan: most of its arguments are of that cell
_PLANNED_SHAPES = {"same": 8.0, "square": 1.0, "broadcast": 1.0, "any": 0.5}
# the axes of matrices are not longer, unless they are to be: products of them take long to judge
_MOST_OF_AXES = 4
# the sides of matrices that are factors: a QR decomposition of 300 by 300 takes a second
_LARGEST_MATRIX = 24
# which lengths the types of inputs know
_STATIC = {"open": 3.0, "known": 2.0, "mixed": 1.0}
_STRUCTURES = dict.fromkeys(STRUCTURES, 1.0)
_ARRAYS = {"random": 4.0, "ones": 1.0, "zeros": 1.0, "identity": 1.0}

ARGUMENT_KINDS = {"variable": 6.0, "graph": 2.0, "number": 1.5, "array": 1.0}
ARGUMENT_KINDS |= {"known": 1.0, "single": 0.7}
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
        The cell of the plan to draw arguments for, or None.
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
        self._dtypes = {**_DTYPES, **dict.fromkeys(_RARER_DTYPES, 0.7)}
        if complex:
            self._dtypes |= _COMPLEX
        self._ranks = _RANKS
        self._more_shapes: Mapping[str, float] = {}
        self._axes: Mapping[Any, Axes] = {}
        self._state = InstantiationState()
        # in how many of a hundred cases an integer is a constant, and how numbers are written
        self._constant_integers = 40.0
        self._number_forms: Sequence[str] = ("plain", "plain", "full", "alloc", "dimshuffle")

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
        state.shape_relation = self.choices.pick("shapes", {**_SHAPES, **self._more_shapes})
        if state.shape_relation == "square" and rank:
            shape = (shape[0],) * rank
        state.base_shape = shape

    def _start_in(self, cell: Cell) -> None:
        """Choose a dtype and a base shape of a cell of the plan."""
        state = self._state
        state.dtype = self.choices.pick(("dtype", cell.kind), dict.fromkeys(KINDS[cell.kind], 1.0))
        shapes = dict.fromkeys(cell.shapes(self.turn), 1.0)
        state.base_shape = self.choices.pick(("shape", cell.extent), shapes)
        most = max(state.base_shape, default=0) if cell.extent == LONG else _MOST_OF_AXES
        lengths = tuple([min(n, most) for n in state.base_shape])
        state.lengths_of_axes = lengths or state.lengths_of_axes
        relations = {**_PLANNED_SHAPES, **self._more_shapes}
        state.shape_relation = self.choices.pick("planned shapes", relations)

    def _apply(self, op: Op, arguments: Sequence[Any]) -> Any:
        made = made_by(op, op, arguments)
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
            The logic variable.
        """
        if role == "generator":
            return self._generator()
        if role == "parameter":
            return self._parameter_of_draws(v)
        if role == "shape of draws":
            return at.constant(np.array(self._state.base_shape, "int64"))
        if role == "steps":
            rows = self._state.base_shape[0] if self._state.base_shape else 0
            return self._integers((), (rows, self._random.randint(0, rows)))
        if role == "length":
            return self._axis_length(number, v)
        if role == "index":
            return self._integers((), (0, 1, -1, 2, -2, -3))
        if role == "indices" and self.choices.pick((v, "counts"), {False: 2.0, True: 1.0}):
            return at.constant(np.arange(self._count(v)))
        if role == "indices":
            return self._integers((self.choices.uniform((2, 3, 0, 1, 4)),), (0, 1, -1, 0, -2))
        if role == "shape":
            return self._shape_vector()
        if role == "split_lengths":
            return self._split_lengths(v)
        if role == "assertion":
            return self._integers((), (1, 1, 1, 0), "bool")
        if role == "condition":
            options = {"bool": 4.0, "True": 0.5, "False": 0.5, self._state.dtype: 1.0}
            dtype = self.choices.pick((v, "condition"), options)
            if dtype in ("True", "False"):
                return self._number(dtype == "True", dtype="bool")
            return self._input(dtype, self._shape(v))
        if role == "logical" and self.cell is None and not self.choices.chance(20):
            self._state.dtype = self.choices.pick((v, "logical"), {"bool": 3.0, "int8": 1.0})
        return None

    def _generator(self) -> Any:
        """Return an input of generators, often one that is there already."""
        inputs = self._state.inputs
        known = [spec.var for spec in inputs if spec.var.type is random_generator_type]
        if known and self.choices.chance(50):
            return self.choices.uniform(known)
        var: Variable = random_generator_type(self._next_name())
        inputs.append(InputSpec(var, (), _SEEDS))
        return var

    def _parameter_of_draws(self, v: Any) -> Variable | None:
        """Return an input of a domain that parameters of draws have; None for any tensor."""
        options = {"int64": 1.0, self._state.dtype: 4.0}
        dtype = self.choices.pick((v, "dtype of parameter"), options)
        floats = np.dtype(dtype).kind == "f"
        domains = {d: w for d, w in _DOMAINS.items() if floats or d != "probabilities"}
        domain = self.choices.pick((v, "domain"), domains)
        if domain is None and dtype == self._state.dtype:
            return None
        var = self._input(dtype, self._shape(v))
        self._state.inputs[-1] = replace(self._state.inputs[-1], domain=domain)
        return var

    def _split_lengths(self, v: Any) -> Variable:
        """Return lengths of parts that add up to the length of an axis, or to a multiple of it."""
        n = self.choices.uniform(self._state.base_shape or (3,))
        count = self.choices.pick((v, "pieces"), {2: 2.0, 1: 1.0, 3: 2.0, 4: 1.0})
        how = self.choices.pick((v, "parts"), {"equal": 1.0, "one": 2.0, "several": 1.0})
        if how == "equal":
            lengths = [n] * count
        else:
            total = n if how == "one" else n * count
            cuts = sorted(self._random.randint(0, total) for _ in range(count - 1))
            lengths = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
        return at.constant(np.array(lengths, "int64"))

    def _axis_length(self, axis: int, v: Any) -> Any:
        """Return a length of an axis: often that of the base shape, or of an input's axis."""
        base_shape = self._state.base_shape
        others = (3, 2, 1, 0, 4, 7)
        options = {"own": 2.0, "of input": 2.0, "input": 1.0, "any": 1.0}
        how = self.choices.pick((v, "length"), options)
        if self._has_named_axes(v):
            n = self._count(v)
        else:
            n = base_shape[axis] if axis < len(base_shape) else self.choices.uniform(others)
        if how == "own" or self._state.constant_lengths:
            return at.constant(n, dtype="int64")
        if how == "of input":
            inputs = self._state.inputs
            fitting = [s.var for s in inputs if s.shape == base_shape and axis < len(base_shape)]
            if fitting:
                return Shape_i(axis)(self.choices.uniform(fitting))
        return self._integers((), (n,) if how != "any" else others)

    def _integers(
        self, shape: tuple[int, ...], allowed: tuple[int, ...], dtype: str = "int64"
    ) -> Variable:
        """Return a constant or an input of certain integers."""
        if self.choices.chance(self._constant_integers):
            numbers = np.resize(allowed[:3], shape) if shape else self.choices.uniform(allowed)
            return at.constant(np.array(numbers, dtype))
        static = shape if self.choices.chance(50) else (None,) * len(shape)
        var: Variable = at.TensorType(dtype, static)(self._next_name())
        of_input = allowed if shape else (self.choices.uniform(allowed),)
        self._state.inputs.append(InputSpec(var, shape, of_input))
        return var

    def _shape_vector(self) -> Variable:
        base_shape = self._state.base_shape
        size = int(np.prod(base_shape, dtype=np.int64))
        shapes = [(size,), (-1,), (1, size), (size, 1), tuple(base_shape), base_shape[::-1]]
        shape = self.choices.uniform([*shapes, (-1, 1), (2, -1), (2, 3), (3, 2), (6,)])
        return at.constant(np.array(shape, "int64").reshape(len(shape)))

    # -- tensors ---------------------------------------------------------------------------

    def _shape(self, v: Any = None) -> tuple[int, ...]:
        """Return a run-time shape for the logic variable `v`, related to the base shape."""
        base_shape, relation = self._state.base_shape, self._state.shape_relation
        if self._has_named_axes(v):
            return self._shape_by_axes(v)
        if relation == "any":
            rank = self.choices.pick(("rank", v), {1: 2.0, 2: 2.0, 0: 1.0, 3: 0.5})
            n = base_shape[0] if base_shape and base_shape[0] < 4 else 3
            return tuple(
                n if self.choices.chance(65) else self.choices.uniform((2, 3, 1))
                for _ in range(rank)
            )
        if relation == "scalar":
            return base_shape if self.choices.chance(50) else ()
        if relation != "broadcast":
            return base_shape
        shape = [1 if self.choices.chance(30) else n for n in base_shape]
        return tuple(shape[1:] if shape and self.choices.chance(20) else shape)

    def _shape_by_axes(self, v: Any) -> tuple[int, ...]:
        """Return a shape for a logic variable whose axes have names; those of one name have one
        length in a graph.

        Of a product of matrices the first or the last factor may be a vector, and some may be
        stacks.
        """
        axes = self._axes[v]
        stacked = self.choices.pick((v, "stack"), _OR_NOT) if STACK in axes else True
        lengths = [self._length_of(name) for name in axes if stacked or name != STACK]
        return tuple(length for length in lengths if length is not None)

    def _length_of(self, name: str) -> int | None:
        """Return the length of the axes of a name in a graph; None if the graph has none of
        them."""
        lengths = self._state.lengths
        if len(name) > 1:
            factors = [self._length_of(letter) for letter in name]
            return math.prod(n for n in factors if n is not None)
        if name not in lengths:
            left_out = name.isupper() and not self.choices.pick(("axis", name), _MOSTLY)
            options = dict.fromkeys(self._state.lengths_of_axes, 1.0)
            lengths[name] = None if left_out else self.choices.pick(("length", name), options)
        return lengths[name]

    def _tensor(self, kind: str, v: Any) -> Any:
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
            return self._with_gaps(dtype, shape)
        var = self._input(dtype, shape, known=kind == "known")
        return self._small_graph(var) if kind == "graph" else var

    def _has_named_axes(self, v: Any) -> bool:
        """Return whether the logic variable `v` has the lengths of axes that have names."""
        return self._state.shape_relation == "by axes" and v in self._axes

    def _count(self, v: Any) -> int:
        """Return how long the last axis of the logic variable `v` is, if it is no number."""
        if self._has_named_axes(v):
            last = self._length_of(self._axes[v][-1])
            return 1 if last is None else last
        return self._state.base_shape[-1] if self._state.base_shape else 3

    def _structured_matrix(self, dtype: str, v: Any) -> Any:
        """Return a square matrix of a known structure: made of an input, or an input itself."""
        n, batch = min(self._count(v), _LARGEST_MATRIX), self._state.base_shape[:-2]
        kind = self.choices.pick((v, "structure"), _STRUCTURES)
        var = self._input(dtype, (*batch, n, n))
        if self.choices.chance(50):
            return structured(kind, var)
        self._state.inputs[-1] = replace(self._state.inputs[-1], structure=kind)
        return declared(kind, var)

    def _random_number(self, shape: tuple[int, ...], dtype: str, v: Any) -> Any:
        table = number_table(dtype, "any" if self.choices.chance(40) else "ordinary")
        is_float = np.dtype(dtype).kind == "f"
        notable = is_float and self.choices.pick((v, "notable"), {True: 1.0, False: 2.0})
        number = self.choices.pick((v, "which"), dict.fromkeys(_NOTABLE, 1.0))
        drawn = np.dtype(dtype).type(number) if notable else self._random.choice(table)
        return self._number(drawn, shape, dtype)

    def _random_array(self, shape: tuple[int, ...], dtype: str, v: Any) -> Variable:
        content = self.choices.pick((v, "array"), _ARRAYS)
        if content == "identity":
            return at.constant(np.eye(self.choices.uniform((2, 3)), dtype=dtype))
        if content != "random":
            return at.constant(getattr(np, content)(shape, dtype))
        table = number_table(dtype, self.choices.uniform(("any", "ordinary", "positive")))
        indices = [self._random.randrange(len(table)) for _ in range(int(np.prod(shape)))]
        order = self.choices.uniform("CCF")
        return at.constant(np.asarray(table[indices].reshape(shape), order=order))

    def _input(self, dtype: str, shape: tuple[int, ...], known: bool = False) -> Variable:
        """Return a new input of a run-time shape, which its type knows if `known`."""
        state = self._state
        static: list[int | None] = []
        for n in shape:
            # Only an axis of static length 1 broadcasts.
            must = known or (n == 1 and state.shape_relation != "same")
            is_known = must or state.static_lengths == "known"
            mixed = state.static_lengths == "mixed"
            static.append(n if is_known or (mixed and self.choices.chance(50)) else None)
        var: Variable = tensor_type(dtype, tuple(static))(self._next_name())
        state.inputs.append(InputSpec(var, shape, notable=self.notable))
        return var

    def _next_name(self) -> str:
        return f"v{len(self._state.inputs)}"

    def _number(self, value: Any, shape: Any = None, dtype: str | None = None) -> Any:
        """Return a constant of one number: of rank 0, an array of it, or broadcast by an op."""
        dtype = dtype or self._state.dtype
        try:
            scalar = at.constant(value, dtype=dtype)
        except (TypeError, ValueError, OverflowError) as error:
            # ``minimum(b, 0)`` of booleans is ``minimum(x, 0)`` as a law is written
            kind = number_kind(getattr(value, "value", value))
            weak = dtype if kind is None else weak_dtype(kind, (dtype,))
            if weak == dtype:
                raise CannotInstantiate(f"{value} is no {dtype}") from error
            scalar = at.constant(value, dtype=weak)
        shape = self._shape() if shape is None else shape
        how = self.choices.uniform(self._number_forms)
        if how == "full":
            return at.constant(np.full(shape, scalar.data, order=self.choices.uniform("CF")))
        if how == "alloc" and shape:
            return at.alloc(scalar, *shape)
        return scalar.dimshuffle(*["x"] * len(shape)) if how == "dimshuffle" and shape else scalar

    def _with_gaps(self, dtype: str, shape: tuple[int, ...]) -> Any:
        """Return every second of the elements that one op makes of a longer input."""
        longer: Any = self._input(dtype, (*shape[:-1], 2 * shape[-1]))
        made = self._apply(self.choices.uniform(_UNARY), [longer])
        return (longer if made.type.dtype != dtype else made)[..., ::2]

    def _small_graph(self, var: Any) -> Any:
        """Return what one op makes of an input, or the input itself if that changes the dtype."""
        how = self.choices.uniform(("unary", "binary", "same", "transpose"))
        square = len(set(self._state.base_shape)) < 2
        if how == "transpose" and var.type.ndim == 2 and square:
            return self._apply(at.DimShuffle(2, (1, 0)), [var])
        if how == "unary":
            made = self._apply(self.choices.uniform(_UNARY), [var])
        else:
            other = self._number(self.choices.uniform((1, 2, 0, 3))) if how == "same" else var
            made = self._apply(self.choices.uniform((at.add, at.mul, at.sub)), [var, other])
        return var if made.type.dtype != var.type.dtype else made
