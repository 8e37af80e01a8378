"""What is put in the place of the variables and numbers of a law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.op import Op
from relgraph.tensor.shapes.shape import Shape_i
from relgraph.testing.draw.adaptive_choice import Choices
from relgraph.testing.draw.samples import Slot, table

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
_SHAPES = (
    ("same", 5.0),
    ("broadcast", 3.0),
    ("scalar", 0.7),
    ("square", 1.5),
    ("any", 1.0),
    ("products", 1.0),
)
_FACTORS = (("matrix", 3.0), ("vector", 2.0), ("column", 1.0), ("row", 1.0))
_STATIC = (("open", 3.0), ("known", 2.0), ("mixed", 1.0))
_NOTABLE = (0.0, 1.0, -1.0, 2.0, 0.5, np.log(2), np.log(10), 1 / np.log(2), 1 / np.log(10))
_ARRAYS = (("random", 4.0), ("ones", 1.0), ("zeros", 1.0), ("identity", 1.0))
KINDS = (
    ("variable", 6.0),
    ("graph", 2.0),
    ("number", 1.5),
    ("array", 1.0),
    ("known", 1.0),
    ("single", 0.7),
)


class Ungrounded(Exception):
    """A pattern can't be grounded with what was drawn; the message says why."""


@dataclass
class Drawn:
    """What has been made for one pattern so far."""

    slots: list[Slot] = field(default_factory=list)
    leaves: list[Variable] = field(default_factory=list)
    bound: dict[Any, Any] = field(default_factory=dict)
    dtype: str = "float64"
    base: tuple[int, ...] = ()
    shapes: str = "same"
    static: str = "open"
    nodes: dict[Any, Any] = field(default_factory=dict)
    own_lengths: bool = False


class Leaves:
    """Makes inputs, constants and small graphs of one dtype and of shapes that fit each other.

    Parameters
    ----------
    random
        Where chance comes from.
    mixed
        Whether inputs may be of several dtypes.
    complex
        Whether they may be complex.
    """

    def __init__(self, random: Random, mixed: bool, complex: bool) -> None:
        self.mixed = mixed
        self.choices = Choices(random)
        self._random = random
        self._dtypes = (*_DTYPES, *(_COMPLEX if complex else ()))
        self._ranks: Sequence[tuple[int, float]] = _RANKS
        self._d = Drawn()

    def _begin(self) -> None:
        """Choose a dtype and shapes anew."""
        d = self._d = Drawn()
        d.dtype = self.choices.pick("dtype", self._dtypes)
        rank = self.choices.pick("rank", self._ranks)
        d.own_lengths = self.choices.chance(35)
        d.base = tuple(self.choices.pick("length", _LENGTHS) for _ in range(rank))
        if rank > 1:
            d.base = tuple(min(n, 3) for n in d.base)
        d.shapes = self.choices.pick("shapes", _SHAPES)
        if d.shapes == "square" and rank:
            d.base = (d.base[0],) * rank
        d.static = self.choices.pick("static", _STATIC)

    def _apply(self, op: Op, arguments: Sequence[Any]) -> Any:
        try:
            made = op(*arguments)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise Ungrounded(f"{op} does not take what was drawn") from error
        return made[0] if isinstance(made, list) else made

    def _leaf(self, var: Any) -> Any:
        self._d.leaves.append(var)
        return var

    def _special(self, role: str, position: int, v: Any) -> Any:
        """Return an argument that is not just any tensor."""
        if role == "length":
            return self._length(position, v)
        if role == "index":
            return self._integers((), (0, 1, -1, 2, -2, -3))
        if role == "indices":
            return self._integers((self.choices.among((2, 3, 0, 1, 4)),), (0, 1, -1, 0, -2))
        if role == "shape":
            return self._shape_vector()
        if role == "pieces":
            return self._pieces(v)
        if role == "truth":
            return at.constant(True) if self.choices.chance(70) else self._truth()
        if role == "condition":
            options = (("bool", 4.0), (self._d.dtype, 1.0), ("True", 0.5), ("False", 0.5))
            dtype = self.choices.pick((v, "condition"), options)
            if dtype in ("True", "False"):
                return self._number(dtype == "True", dtype="bool")
            return self._input(dtype, self._length_of_axes(v))
        if role == "logical" and not self.choices.chance(20):
            self._d.dtype = self.choices.pick((v, "logical"), (("bool", 3.0), ("int8", 1.0)))
        return None

    def _pieces(self, v: Any) -> Variable:
        """Return lengths of parts of an axis, or of several of them one after the other."""
        n = self.choices.among(self._d.base or (3,))
        count = self.choices.pick((v, "pieces"), ((2, 2.0), (1, 1.0), (3, 2.0), (4, 1.0)))
        how = self.choices.pick((v, "parts"), (("equal", 1.0), ("one", 2.0), ("several", 1.0)))
        if how == "equal":
            lengths = [n] * count
        else:
            whole = n if how == "one" else n * count
            cuts = sorted(self._random.randint(0, whole) for _ in range(count - 1))
            lengths = [b - a for a, b in zip([0, *cuts], [*cuts, whole], strict=True)]
        made: Variable = at.constant(np.array(lengths, "int64"))
        return made

    def _length(self, position: int, v: Any) -> Variable:
        """Return the length of an axis, often that of the tensors."""
        base = self._d.base
        among = (3, 2, 1, 0, 4, 7)
        how = self.choices.pick(
            (v, "length"), (("own", 2.0), ("of input", 2.0), ("input", 1.0), ("any", 1.0))
        )
        n = base[position] if position < len(base) else self.choices.among(among)
        if how == "own" or self._d.own_lengths:
            made: Variable = at.constant(n, dtype="int64")
            return made
        if how == "of input":
            fitting = [s.var for s in self._d.slots if s.shape == base and position < len(base)]
            if fitting:
                made = Shape_i(position)(self.choices.among(fitting))
                return made
        return self._integers((), (n,) if how != "any" else among)

    def _truth(self) -> Variable:
        var: Variable = at.TensorType("bool", ())(f"v{len(self._d.slots)}")
        self._d.slots.append(Slot(var, (), (1, 1, 1, 0)))
        return var

    def _integers(self, shape: tuple[int, ...], among: tuple[int, ...]) -> Variable:
        if self.choices.chance(40):
            made: Variable = at.constant(np.array(np.resize(among[:3], shape), "int64"))
            if shape == ():
                made = at.constant(self.choices.among(among), dtype="int64")
            return made
        static = shape if self.choices.chance(50) else (None,) * len(shape)
        var: Variable = at.TensorType("int64", static)(f"v{len(self._d.slots)}")
        one = among if shape else (self.choices.among(among),)
        self._d.slots.append(Slot(var, shape, one))
        return var

    def _shape_vector(self) -> Variable:
        size = int(np.prod(self._d.base, dtype=np.int64))
        shapes = [(size,), (-1,), (1, size), (size, 1), tuple(self._d.base), self._d.base[::-1]]
        shape = self.choices.among([*shapes, (-1, 1), (2, -1), (2, 3), (3, 2), (6,)])
        made: Variable = at.constant(np.array(shape, "int64").reshape(len(shape)))
        return made

    def _length_of_axes(self, v: Any = None) -> tuple[int, ...]:
        base, how = self._d.base, self._d.shapes
        if how == "any":
            rank = self.choices.pick(("rank", v), ((1, 2.0), (2, 2.0), (0, 1.0), (3, 0.5)))
            n = base[0] if base and base[0] < 4 else 3
            return tuple(
                n if self.choices.chance(65) else self.choices.among((2, 3, 1)) for _ in range(rank)
            )
        if how == "products":
            n = base[0] if base else 3
            shapes = {"matrix": (n, n), "vector": (n,), "column": (n, 1), "row": (1, n)}
            return shapes[self.choices.pick(("factor", v), _FACTORS)]
        if how == "scalar":
            return base if self.choices.chance(50) else ()
        if how != "broadcast":
            return base
        shape = [1 if self.choices.chance(30) else n for n in base]
        return tuple(shape[1:] if shape and self.choices.chance(20) else shape)

    def _tensor(self, kind: str, v: Any) -> Variable:
        dtype = self._d.dtype
        # a law that wants one dtype may all the same be given a leaf of another one
        if self.choices.chance(35 if self.mixed else 8):
            dtype = self.choices.pick((v, "dtype"), self._dtypes)
        shape = self._length_of_axes(v)
        if kind == "single":
            return self._input(dtype, (1,) * self.choices.among((0, 1, len(self._d.base))), True)
        if kind == "number":
            values = table(dtype, "any" if self.choices.chance(40) else "ordinary")
            notable = np.dtype(dtype).kind == "f" and self.choices.pick(
                (v, "notable"), ((True, 1.0), (False, 2.0))
            )
            among: Any = np.array(_NOTABLE, dtype) if notable else values
            position = self.choices.pick(
                (v, "which"), tuple((i, 1.0) for i in range(len(_NOTABLE)))
            )
            drawn = position if notable else self._random.randrange(len(values))
            return self._number(among[drawn], shape, dtype)
        if kind == "array":
            filled = self.choices.pick((v, "array"), _ARRAYS)
            if filled == "identity":
                return at.constant(np.eye(self.choices.among((2, 3)), dtype=dtype))
            if filled != "random":
                return at.constant(getattr(np, filled)(shape, dtype))
            values = table(dtype, self.choices.among(("any", "ordinary", "positive")))
            picked = [self._random.randrange(len(values)) for _ in range(int(np.prod(shape)))]
            made: Variable = at.constant(values[picked].reshape(shape))
            return made
        var = self._input(dtype, shape, known=kind == "known")
        return self._small_graph(var) if kind == "graph" else var

    def _input(self, dtype: str, shape: tuple[int, ...], known: bool = False) -> Variable:
        d = self._d
        static: list[int | None] = []
        for n in shape:
            # only an axis known to be 1 broadcasts
            must = known or d.static == "known" or (n == 1 and d.shapes != "same")
            static.append(n if must or (d.static == "mixed" and self.choices.chance(50)) else None)
        # the smallest unused name: reproductions read better
        var: Variable = at.TensorType(dtype, static)(f"v{len(d.slots)}")
        d.slots.append(Slot(var, shape))
        return var

    def _number(self, value: Any, shape: Any = None, dtype: str | None = None) -> Variable:
        """Return a constant of one number: of rank 0, filled, or spread by an op."""
        dtype = dtype or self._d.dtype
        try:
            scalar = at.constant(value, dtype=dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise Ungrounded(f"{value} is no {dtype}") from error
        shape = self._length_of_axes() if shape is None else shape
        how = self.choices.among(("plain", "plain", "full", "alloc", "dimshuffle"))
        made: Any = scalar
        if how == "full":
            made = at.constant(np.full(shape, scalar.data))
        elif how == "alloc" and shape:
            made = at.alloc(scalar, *shape)
        elif how == "dimshuffle" and shape:
            made = scalar.dimshuffle(*["x"] * len(shape))
        return made  # type: ignore[no-any-return]

    def _small_graph(self, var: Any) -> Variable:
        ops = [at.neg, at.exp, at.abs, at.sqr]
        how = self.choices.among(("unary", "binary", "same", "transpose"))
        if how == "transpose" and var.type.ndim == 2 and len(set(self._d.base)) < 2:
            return self._apply(at.DimShuffle(2, (1, 0)), [var])  # type: ignore[no-any-return]
        if how == "unary":
            made = self._apply(self.choices.among(ops), [var])
        else:
            other = self._number(self.choices.among((1, 2, 0, 3))) if how == "same" else var
            made = self._apply(self.choices.among((at.add, at.mul, at.sub)), [var, other])
        return var if made.type.dtype != var.type.dtype else made  # type: ignore[no-any-return]
