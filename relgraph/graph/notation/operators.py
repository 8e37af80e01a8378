"""Python's operators for variables and for the terms of laws.

Which ops they mean is data: ``_ops`` is a namespace that the layer that owns the ops hands over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn


class OpNamespace(SimpleNamespace):
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

    def __copy__(self) -> OpNamespace:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> OpNamespace:
        return self

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
