"""How graphs are written: Python's operators, algebra such as ``log(1 / (1 + exp(-x)))``, numbers.

Which ops the operators mean is data: ``_ops`` is a namespace that the layer that owns the ops hands
over.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.utils import Uncopied


class OpNamespace(Uncopied, SimpleNamespace):
    """The ops that Python's operators mean on the variables of a class, which has it as ``_ops``.

    There is one for each class, so a copy or a pickle stands for that one.
    """

    def __init__(self, owner: type[Operators], **ops: Any) -> None:
        super().__init__(**ops)
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        """Look up an op that is loaded when it is first used, by what is given as `find`."""
        find = None if name.startswith("_") else self.__dict__.get("find")
        if find is None:
            raise AttributeError(f"there is no op {name!r}")
        return find(name)

    @property
    def owner(self) -> type[Operators]:
        """The class of the variables."""
        return self._owner

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._owner, "_ops")


class Operators:
    """Arithmetic, comparison and indexing by the ops in ``_ops``.

    ``==`` and ``!=`` are left alone: they mean identity, which dicts, sets and unification need.
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Return what a ufunc means here: for many, what Python's operator does.

        ``ndarray + x`` comes here too.
        """
        name = ufunc.__name__
        if method == "__call__" and not kwargs and len(inputs) == 2 and name in _INFIX_METHODS:
            plain, reflected = _INFIX_METHODS[name]
            left, right = inputs
            if isinstance(left, Operators):
                return getattr(left, plain)(right)
            return getattr(right, reflected)(left)
        if name in ("equal", "not_equal") and not isinstance(inputs[0], Operators):
            # `array == x` comes here too, which means what `x == array` does
            return name == "not_equal"
        call = getattr(self._ops, "call_ufunc", None)
        if call is None:
            self._refuse_numpy("numpy", name)
        return call(ufunc, method, inputs, kwargs)

    def __array_function__(
        self, func: Any, types: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Return what one of NumPy's functions means here."""
        call = getattr(self._ops, "call_function", None)
        if call is None:
            self._refuse_numpy(func.__module__, func.__name__)
        return call(func, args, kwargs)

    def _refuse_numpy(self, module: str, name: str) -> NoReturn:
        raise TypeError(f"{module}.{name} takes arrays, and {self} is symbolic")

    _ops: Any

    def _ops_beside(self, other: Any) -> Any:
        """Return the ops that operators mean between `self` and `other`."""
        return other._ops if isinstance(other, LeadingOperators) else self._ops

    def __neg__(self) -> Any:
        return self._ops.neg(self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._ops.abs(self)

    def __invert__(self) -> Any:
        return self._ops.invert(self)

    def __add__(self, other: Any) -> Any:
        return self._ops_beside(other).add(self, other)

    def __radd__(self, other: Any) -> Any:
        return self._ops.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return self._ops_beside(other).sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._ops.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return self._ops_beside(other).mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._ops.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._ops_beside(other).true_div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._ops.true_div(other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._ops.int_div(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._ops.int_div(other, self)

    def __mod__(self, other: Any) -> Any:
        return self._ops.mod(self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._ops.mod(other, self)

    def __pow__(self, other: Any) -> Any:
        return self._ops.pow(self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._ops.pow(other, self)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self._ops.int_div(self, other), self._ops.mod(self, other)

    def __matmul__(self, other: Any) -> Any:
        return self._ops_beside(other).matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._ops.matmul(other, self)

    def __and__(self, other: Any) -> Any:
        return self._ops.and_(self, other)

    def __rand__(self, other: Any) -> Any:
        return self._ops.and_(other, self)

    def __or__(self, other: Any) -> Any:
        return self._ops.or_(self, other)

    def __ror__(self, other: Any) -> Any:
        return self._ops.or_(other, self)

    def __xor__(self, other: Any) -> Any:
        return self._ops.xor(self, other)

    def __rxor__(self, other: Any) -> Any:
        return self._ops.xor(other, self)

    def __lt__(self, other: Any) -> Any:
        return self._ops_beside(other).lt(self, other)

    def __le__(self, other: Any) -> Any:
        return self._ops_beside(other).le(self, other)

    def __gt__(self, other: Any) -> Any:
        return self._ops_beside(other).gt(self, other)

    def __ge__(self, other: Any) -> Any:
        return self._ops_beside(other).ge(self, other)

    def __getitem__(self, key: Any) -> Any:
        return self._ops.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise TypeError(
            f"{self} is symbolic and never changes: relgraph.tensor.set_subtensor({self}[...], y) "
            "gives it with y in a part, and inc_subtensor with y added there"
        )

    def __iter__(self) -> Any:
        return self._ops.iterate(self)

    def __contains__(self, item: Any) -> NoReturn:
        raise TypeError("`in` needs a truth value, and a symbolic comparison has none")


class LeadingOperators(Operators):
    """Operators that mean the ops in ``_ops`` when the other operand has operators of its own too.

    So the product of a tensor and a sparse matrix is what the sparse matrix makes of it.
    """

    __slots__ = ()


# For each ufunc: the method of the first operand, and that of the second one.
_INFIX_METHODS = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "remainder": ("__mod__", "__rmod__"),
    "power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
}


PREFIX, POWER, ATOM = 7, 8, 9
"""How strongly a sign before an argument binds, a power, and what stands for itself."""


class Infix(NamedTuple):
    """How an op of two or more arguments is written between them, as Python reads it.

    Attributes
    ----------
    symbol
        The sign.
    precedence
        How strongly it binds.
    assoc
        What may be grouped without changing the value: "left", "right" or "either"; "none" of
        comparisons, which Python reads as chains.
    """

    symbol: str
    precedence: int
    assoc: str = "left"

    def side(self, position: int) -> int:
        """Return how strongly an argument has to bind to stand without parentheses. Sums of sums
        keep theirs: another grouping rounds otherwise."""
        if self.assoc == "right":
            return PREFIX if position else self.precedence + 1
        return self.precedence + (position > 0 or self.assoc == "none")


INFIX: dict[str, Infix] = {
    "eq": Infix("==", 1, "none"),
    "neq": Infix("!=", 1, "none"),
    "lt": Infix("<", 1, "none"),
    "le": Infix("<=", 1, "none"),
    "gt": Infix(">", 1, "none"),
    "ge": Infix(">=", 1, "none"),
    "or_": Infix("|", 2, "either"),
    "xor": Infix("^", 3, "either"),
    "and_": Infix("&", 4, "either"),
    "add": Infix("+", 5, "either"),
    "sub": Infix("-", 5),
    "mul": Infix("*", 6, "either"),
    "true_div": Infix("/", 6),
    "int_div": Infix("//", 6),
    "mod": Infix("%", 6),
    "dot": Infix("@", 6),
    "pow": Infix("**", POWER, "right"),
}
"""The ops that are written as operators, by name."""


def side_of_sign(name: str) -> int:
    """Return how strongly an argument has to bind after a minus sign, by the name of its op."""
    return PREFIX if name == "neg" else POWER + 1


def held(text: str, precedence: int, outer: int) -> str:
    """Return a text that binds with some strength, in parentheses where more is asked of it."""
    return text if precedence >= outer else f"({text})"


def as_infix(name: str, parts: Sequence[str]) -> str:
    """Return ``a + b + c`` for the op `name` of the arguments `parts`, which are texts already."""
    return f" {INFIX[name].symbol} ".join(parts)


CUT = "…"
_DEEPEST = 24
_MOST_ARGUMENTS = 8


def algebra(var: Variable, limit: int = 72) -> str:
    """Return `var` as algebra with no more parentheses than it needs.

    What a node computes is written out even where it has a name. Where that takes more than
    `limit` characters, the parts that are furthest down are left out, as ``…``.
    """
    text = ""
    for depth in range(1, _DEEPEST):
        writer = _Writer()
        longer = writer.write(var, depth, 0)
        if text and len(longer) > limit:
            break
        text = longer
        if not writer.cut:
            break
    return text


class _Writer:
    """Writes down to some depth, and notes whether that left something out."""

    def __init__(self) -> None:
        self.cut = False

    def write(self, var: Variable, depth: int, outer: int) -> str:
        """Write `var` into the surroundings of an operator that binds with the strength `outer`."""
        turned = ""
        while var.owner is not None and (seen := reordered(var.owner)) is not None:
            turned, var = seen + turned, var.owner.inputs[0]
        if turned:
            return self.write(var, depth, ATOM) + turned
        node = var.owner
        if node is None:
            leaf = _leaf(var)
            return held(leaf, PREFIX if leaf.startswith("-") else ATOM, outer)
        if depth == 0:
            self.cut = True
            return CUT
        name = str(node.op)
        if name in INFIX and len(node.inputs) > 1:
            sign = INFIX[name]
            text = as_infix(name, self._parts(node.inputs, depth - 1, sign))
            return held(text, sign.precedence, outer)
        if name == "neg" and len(node.inputs) == 1:
            (arg,) = node.inputs
            side = side_of_sign("" if arg.owner is None else str(arg.owner.op))
            text = f"-{self.write(arg, depth - 1, side)}"
            return held(text, PREFIX, outer)
        return self._call(node, var, name, depth)

    def _parts(self, inputs: Sequence[Variable], depth: int, sign: Infix | None) -> list[str]:
        shown = inputs if len(inputs) <= _MOST_ARGUMENTS else inputs[: _MOST_ARGUMENTS - 1]
        sides = [0 if sign is None else sign.side(i) for i in range(len(shown))]
        parts = [self.write(v, depth, side) for v, side in zip(shown, sides, strict=True)]
        if len(shown) < len(inputs):
            # no depth would show them: nothing to gain from going further
            parts.append(CUT)
        return parts

    def _call(self, node: Apply, var: Variable, name: str, depth: int) -> str:
        which = f".{var.index}" if len(node.outputs) > 1 else ""
        arguments = self._parts(node.inputs, depth - 1, None)
        stem, _, options = name.partition("{")
        if "=" in options:
            name = stem
            arguments.append(options.removesuffix("}"))
        return f"{name}{which}({', '.join(arguments)})"


def reordered(node: Apply) -> str | None:
    """Return how an op that only adds or permutes axes is written behind its input, or None."""
    order = getattr(node.op, "new_order", None)
    if order is None:
        return None
    kept = [axis for axis in order if axis != "x"]
    if kept == sorted(kept):
        return ""
    return ".T" if kept == list(order) == sorted(kept, reverse=True) else f".dimshuffle{order}"


def _leaf(var: Variable) -> str:
    if var.name is None and isinstance(var, Constant):
        number = var.unique_value()
        return str(var.data if number is None else number).replace("\n", " ")
    return str(var)


def number_of(var: Variable) -> Any:
    """Return the Python number that every element of `var` is known to be, or None.

    Broadcasting is seen through: an op that only repeats the elements of one input says so by
    `Op.repeats`.
    """
    while var.owner is not None:
        through = var.owner.op.repeats
        if through is None:
            return None
        var = var.owner.inputs[through]
    return var.unique_value() if isinstance(var, Constant) else None


def same_number(a: Any, b: Any) -> bool:
    """Return whether two numbers, of which `b` may be None, are of one value and kind.

    True is not 1, 1 is 1.0 and 1+0j, nan is nan, 0.0 is not -0.0, nor is 1+0j 1-0j.
    """
    if b is None or isinstance(a, bool) is not isinstance(b, bool):
        return False
    if a != b:
        return bool(a != a and b != b)
    if type(a) is complex or type(b) is complex:
        return _sign(a.real) == _sign(b.real) and _sign(a.imag) == _sign(b.imag)
    return bool(a) or _sign(a) == _sign(b)


def _sign(number: Any) -> float:
    return math.copysign(1.0, number) if isinstance(number, float) else 1.0 if number >= 0 else -1.0


_INEXACT = (float, complex)


def is_written(number: Any, var: Variable) -> bool:
    """Return whether every element of `var` is known to be a number, as its dtype holds it.

    So 0.1 is 0.1 in a graph of float32 too, where it is another number.
    """
    found = number_of(var)
    if found is None:
        return False
    if same_number(number, found):
        return True
    if type(number) not in _INEXACT or type(found) not in _INEXACT:
        return False
    held = roundings(number).get(getattr(var.type, "dtype", None))
    return held is not None and same_number(held, found)


@lru_cache(maxsize=4096, typed=True)
def roundings(number: float | complex) -> dict[Any, float | complex]:
    """Return what a number is in the dtypes that are narrower than Python's."""
    rounded: dict[Any, float | complex] = {}
    for dtype, code in (("float32", "<f"), ("float16", "<e"), ("complex64", "<f")):
        try:
            parts = [
                struct.unpack(code, struct.pack(code, part))[0]
                for part in (number.real, number.imag)
            ]
        except OverflowError:
            continue
        if dtype.startswith("complex"):
            rounded[dtype] = complex(*parts)
        elif isinstance(number, float):
            rounded[dtype] = parts[0]
    return rounded


def number_key(number: Any) -> Hashable:
    """Return what two numbers have in common if they are of one kind, value and sign."""
    if not number or number != number or number.__class__ is complex:
        return (number.__class__, str(number))
    return (number.__class__, number)
