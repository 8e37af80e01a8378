"""How graphs are written: Python's operators, algebra such as ``log(1 / (1 + exp(-x)))``, numbers.

Which ops the operators mean is data: ``_ops`` is a namespace that the layer that owns the ops hands
over.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.traversal import general_toposort
from relgraph.graph.utils import Uncopied


class OpNamespace(Uncopied, SimpleNamespace):
    """The ops that Python's operators mean on the variables of a class, which has it as ``_ops``.

    There is one for each class, so a copy or a pickle represents that one.
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


def _infix(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return the methods of an operator: of its first operand, and of its second one.

    Parameters
    ----------
    name
        The name of the op in ``_ops``.
    """

    def plain(self: Operators, other: Any) -> Any:
        return getattr(self._ops_beside(other), name)(self, other)

    def reflected(self: Operators, other: Any) -> Any:
        return getattr(self._ops, name)(other, self)

    return plain, reflected


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

    __add__, __radd__ = _infix("add")
    __sub__, __rsub__ = _infix("sub")
    __mul__, __rmul__ = _infix("mul")
    __truediv__, __rtruediv__ = _infix("true_div")
    __floordiv__, __rfloordiv__ = _infix("int_div")
    __mod__, __rmod__ = _infix("mod")
    __pow__, __rpow__ = _infix("pow")
    __matmul__, __rmatmul__ = _infix("matmul")
    __and__, __rand__ = _infix("and_")
    __or__, __ror__ = _infix("or_")
    __xor__, __rxor__ = _infix("xor")
    __lshift__, __rlshift__ = _infix("left_shift")
    __rshift__, __rrshift__ = _infix("right_shift")
    __lt__ = _infix("lt")[0]
    __le__ = _infix("le")[0]
    __gt__ = _infix("gt")[0]
    __ge__ = _infix("ge")[0]

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def _refuse_conversion(self) -> NoReturn:
        raise TypeError(
            f"{self} ({getattr(self, 'type', 'a term')}) is symbolic, not a number; compute its "
            "value by a `function`, or by `eval`, or convert it with `astype`"
        )

    __int__ = __float__ = __complex__ = _refuse_conversion

    def __round__(self, *decimals: int) -> Any:
        return self._ops.round(self, *decimals)

    def __floor__(self) -> Any:
        return self._ops.floor(self)

    def __ceil__(self) -> Any:
        return self._ops.ceil(self)

    def __trunc__(self) -> Any:
        return self._ops.trunc(self)

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
    "divmod": ("__divmod__", "__rdivmod__"),
    "power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
    "left_shift": ("__lshift__", "__rlshift__"),
    "right_shift": ("__rshift__", "__rrshift__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
}


PREFIX, POWER, ATOM = 8, 9, 10
"""How strongly a sign before an argument binds, a power, and what represents itself."""
_COMPARED = 5  # how strongly a comparison binds in mathematics: more than what connects it


class Infix(NamedTuple):
    """How an op of two or more arguments is written between them.

    Attributes
    ----------
    symbol
        The sign in Python.
    precedence
        How strongly it binds there.
    assoc
        What may be grouped without changing the value: "left", "right" or "either"; "none" of
        comparisons, which Python reads as chains.
    in_formulas
        The sign in mathematics.
    """

    symbol: str
    precedence: float
    assoc: str = "left"
    in_formulas: str = ""

    def side(self, position: int) -> float:
        """Return how strongly an argument has to bind to stand without parentheses. Sums of sums
        keep theirs: another grouping rounds otherwise."""
        if self.assoc == "right":
            return PREFIX if position else self.precedence + 1
        return self.precedence + (position > 0 or self.assoc == "none")

    def in_mathematics(self) -> Infix:
        """Return how it is written in mathematics."""
        precedence = _COMPARED if self.assoc == "none" else self.precedence
        return Infix(self.in_formulas, precedence, self.assoc)


INFIX: dict[str, Infix] = {
    "eq": Infix("==", 1, "none", "="),
    "neq": Infix("!=", 1, "none", "≠"),
    "lt": Infix("<", 1, "none", "<"),
    "le": Infix("<=", 1, "none", "≤"),
    "gt": Infix(">", 1, "none", ">"),
    "ge": Infix(">=", 1, "none", "≥"),
    "or_": Infix("|", 2, "either", "∨"),
    "xor": Infix("^", 3, "either", "⊕"),
    "and_": Infix("&", 4, "either", "∧"),
    "add": Infix("+", 6, "either", "+"),
    "sub": Infix("-", 6, "left", "-"),
    "mul": Infix("*", 7, "either", "·"),
    "true_div": Infix("/", 7, "left", "/"),
    "int_div": Infix("//", 7, "left", "//"),
    "mod": Infix("%", 7, "left", "mod"),
    "dot": Infix("@", 7, "left"),
    "pow": Infix("**", POWER, "right"),
}
"""The ops that are written as operators, by name."""
SIGNS = {"neg": ("-", "-"), "invert": ("~", "¬")}
"""The ops that are written before their argument: in Python, and in mathematics."""


# What is written: a leaf, an op that is applied to arguments, or text with arguments in it. Each
# kind of graph has a view: a function that returns one of the three for an item, whose arguments
# are items again.


class Leaf(NamedTuple):
    """What has no arguments: a name, a number, or text that is neither."""

    text: str
    kind: Literal["name", "number", "text"] = "name"

    @property
    def arguments(self) -> tuple[Any, ...]:
        return ()


class Applied(NamedTuple):
    """An op that is applied to arguments.

    Attributes
    ----------
    name
        Its name, which the tables of a language may know.
    arguments
        The items that it is applied to.
    parameters
        Its parameters as text: ``axis=0, keepdims=True`` stands among the arguments, what has no
        ``=`` in braces. The text between brackets for the form "index".
    output
        Which of several outputs it is.
    form
        How Python writes it: as a call, or with the first argument as that whose attribute, method
        or part it is. Of an index, ``{}`` represents each further argument.
    sign
        The operator, of an op that is not in the table.
    """

    name: str
    arguments: Sequence[Any]
    parameters: str = ""
    output: int | None = None
    form: Literal["call", "attribute", "method", "index"] = "call"
    sign: Infix | None = None


class Pieces(NamedTuple):
    """Text with items in it."""

    pieces: Sequence[Any]

    @property
    def arguments(self) -> list[Any]:
        return [piece for piece in self.pieces if not isinstance(piece, str)]


Written = Leaf | Applied | Pieces
View = Callable[[Any], Written]


@dataclass(slots=True, eq=False)
class Formula:
    """An item in some language. Formulas share what they are made of; `str` joins it.

    Attributes
    ----------
    pieces
        Text and formulas.
    binding
        How strongly its outermost operator binds: beside a stronger one it needs parentheses.
    size
        How long it is: in characters, or of mathematics about in signs.
    """

    pieces: Sequence[str | Formula]
    binding: float
    size: int

    def __str__(self) -> str:
        text: list[str] = []
        stack = [*reversed(self.pieces)]
        while stack:
            piece = stack.pop()
            if isinstance(piece, str):
                text.append(piece)
            else:
                stack.extend(reversed(piece.pieces))
        return "".join(text)


def separated(arguments: Iterable[Any], separator: str) -> list[Any]:
    """Return the arguments with text between them."""
    pieces = [piece for argument in arguments for piece in (separator, argument)]
    return pieces[1:]


class Language:
    """Writes items, each of the formulas of its arguments: the base class of languages.

    Attributes
    ----------
    forms
        The names of the methods that write an op in a way of its own, by its name and its number of
        arguments.
    """

    forms: ClassVar[Mapping[tuple[str, int], str]] = {}

    def formula(self, binding: float, *pieces: str | Formula) -> Formula:
        """Return a formula of pieces, of which text counts by its length."""
        size = sum(len(piece) if isinstance(piece, str) else piece.size for piece in pieces)
        return Formula(pieces, binding, size)

    def write(self, item: Written, arguments: Sequence[Formula]) -> Formula:
        """Return an item as a formula."""
        if isinstance(item, Leaf):
            return self.leaf(item)
        if isinstance(item, Pieces):
            rest = iter(arguments)
            return self.joined([p if isinstance(p, str) else next(rest) for p in item.pieces])
        form = self.forms.get((item.name, len(arguments)))
        sign = INFIX.get(item.name) if item.sign is None else item.sign
        if form is not None:
            made: Formula = getattr(self, form)(item, *arguments)
            return made
        most = 2 if sign is None or sign.assoc != "either" else len(arguments)
        if sign is not None and 2 <= len(arguments) <= most:
            return self.infix(sign, arguments)
        if len(arguments) == 1 and item.name in SIGNS:
            return self.prefix(SIGNS[item.name], *arguments)
        if len(arguments) == 1 and item.sign is not None:
            return self.prefix((item.sign.symbol,) * 2, *arguments)
        return self.call(item, arguments)

    def leaf(self, leaf: Leaf) -> Formula:
        raise NotImplementedError

    def joined(self, pieces: Sequence[str | Formula]) -> Formula:
        """Return text with formulas in it."""
        return self.formula(ATOM, *pieces)

    def infix(self, sign: Infix, arguments: Sequence[Formula]) -> Formula:
        raise NotImplementedError

    def prefix(self, signs: tuple[str, str], argument: Formula) -> Formula:
        raise NotImplementedError

    def call(self, item: Applied, arguments: Sequence[Formula]) -> Formula:
        raise NotImplementedError

    def group(self, inner: Formula) -> Formula:
        """Return a formula in parentheses."""
        return self.formula(ATOM, "(", inner, ")")

    def held(self, formula: Formula, least: float) -> Formula:
        """Return a formula as it stands where what binds less needs parentheses."""
        return formula if formula.binding >= least else self.group(formula)


class Text(Language):
    """Lines to be read, in Python's notation, by the names that ops have."""

    def leaf(self, leaf: Leaf) -> Formula:
        return self.formula(PREFIX if leaf.text.startswith("-") else ATOM, leaf.text)

    def infix(self, sign: Infix, arguments: Sequence[Formula]) -> Formula:
        held = [self.held(argument, sign.side(i)) for i, argument in enumerate(arguments)]
        return self.formula(sign.precedence, *separated(held, f" {sign.symbol} "))

    def prefix(self, signs: tuple[str, str], argument: Formula) -> Formula:
        return self.formula(PREFIX, signs[0], self.held(argument, self._after_sign(argument)))

    def _after_sign(self, argument: Formula) -> int:
        return PREFIX if argument.binding == PREFIX else ATOM

    def call(self, item: Applied, arguments: Sequence[Formula]) -> Formula:
        name = item.name if item.output is None else f"{item.name}.{item.output}"
        if item.form != "call":
            base, *arguments = arguments
            base = self.held(base, ATOM)
            if item.form == "index":
                return self.formula(ATOM, base, "[", *filled(item.parameters, arguments), "]")
            if item.form == "attribute":
                return self.formula(ATOM, base, f".{name}{item.parameters}")
            return self.formula(ATOM, base, f".{name}({item.parameters})")
        pieces = separated(arguments, ", ")
        if "=" in item.parameters:
            pieces += [", "] * bool(pieces) + [item.parameters]
        elif item.parameters:
            name = f"{name}{{{item.parameters}}}"
        return self.formula(ATOM, name, "(", *pieces, ")")


class Python(Text):
    """Python that can be pasted.

    Parameters
    ----------
    names
        What functions are called there, if not by the names of the ops.
    """

    forms: ClassVar[Mapping[tuple[str, int], str]] = {("len", 1): "length"}

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def call(self, item: Applied, arguments: Sequence[Formula]) -> Formula:
        return super().call(item._replace(name=self._names.get(item.name, item.name)), arguments)

    def length(self, item: Applied, argument: Formula) -> Formula:
        """Write the length of the first axis: `len` gives integers alone."""
        return self.call(Applied("shape", (), "[0]", form="attribute"), [argument])


class Parenthesized(Text):
    """Lines in which everything with an operator stands in parentheses."""

    def infix(self, sign: Infix, arguments: Sequence[Formula]) -> Formula:
        return self.formula(ATOM, "(", *separated(arguments, f" {sign.symbol} "), ")")

    def prefix(self, signs: tuple[str, str], argument: Formula) -> Formula:
        return self.formula(ATOM, f"({signs[0]}", argument, ")")


def filled(text: str, arguments: Sequence[Any]) -> list[Any]:
    """Return the pieces of a text in which ``{}`` represents each of the arguments."""
    first, *rest = text.split("{}")
    return [first, *(p for pair in zip(arguments, rest, strict=True) for p in pair)]


Finish = Callable[[Any, Formula, int], Formula]


def formulas(
    roots: Sequence[Any], view: View, language: Language, finish: Finish | None = None
) -> list[Formula]:
    """Return the formulas of items. The walk does not recurse, and writes each item once.

    Parameters
    ----------
    view
        Returns what is written for an item, and the items that are its arguments.
    finish
        Is given each item, its formula and the number of times that it is read, after its
        arguments; it returns what is written for the item, which may be a name.
    """
    seen: dict[Any, Written] = {}

    def arguments_of(item: Any) -> Sequence[Any]:
        known = seen[item] = item if isinstance(item, Written) else view(item)
        return known.arguments

    order = general_toposort(roots, arguments_of)
    reads = Counter([argument for item in order for argument in seen[item].arguments])
    reads.update(roots)
    done: dict[Any, Formula] = {}
    for item in order:
        made = language.write(seen[item], [done[a] for a in seen[item].arguments])
        done[item] = made if finish is None else finish(item, made, reads[item])
    return [done[root] for root in roots]


class Names:
    """Gives names to formulas that are used more than once, as `formulas` finishes them.

    Attributes
    ----------
    definitions
        For each name its formula, which uses only names before it.
    """

    def __init__(
        self, language: Language, names: Iterator[str], wanted: Callable[[Any, Formula, int], bool]
    ) -> None:
        self.definitions: list[tuple[Formula, Formula]] = []
        self._language, self._names, self._wanted = language, names, wanted

    def __call__(self, item: Any, formula: Formula, reads: int) -> Formula:
        if not self._wanted(item, formula, reads):
            return formula
        name = self._language.leaf(Leaf(next(self._names)))
        self.definitions.append((name, formula))
        return name

    def lines(self) -> list[str]:
        """Return the definitions in Python."""
        return [f"{name} = {formula}" for name, formula in self.definitions]


QUIET = Text()
PARENTHESIZED = Parenthesized()


def text_of(item: Any, view: View, language: Language = QUIET) -> str:
    """Return an item as text."""
    (formula,) = formulas([item], view, language)
    return str(formula)


# Graphs.

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
        view = _Cut()
        longer = text_of((var, depth), view)
        if text and len(longer) > limit:
            break
        text = longer
        if not view.cut:
            break
    return text


class _Cut:
    """Views pairs of a variable and a depth, down to which it is written; it notes whether that
    left something out."""

    def __init__(self) -> None:
        self.cut = False

    def __call__(self, item: tuple[Any, int]) -> Written:
        var, depth = item
        seen = var if isinstance(var, Written) else graph_view(var)
        if isinstance(seen, Leaf):
            return seen
        if depth == 0:
            self.cut = True
            return Leaf(CUT, "text")
        if isinstance(seen, Pieces):
            return Pieces([p if isinstance(p, str) else (p, depth - 1) for p in seen.pieces])
        # the axes and the part of an argument are no level
        below = depth - (seen.form == "call")
        shown: list[Any] = [(v, below) for v in seen.arguments]
        if len(shown) > _MOST_ARGUMENTS and seen.form == "call":
            # no depth would show them: nothing to gain from going further
            shown[_MOST_ARGUMENTS - 1 :] = [Leaf(CUT, "text")]
        return seen._replace(arguments=shown)


def graph_view(var: Variable) -> Written:
    """Return how a variable is written: by its name or value, or by its op and its inputs."""
    while var.owner is not None:
        node = var.owner
        seen = node.op.applied(node.inputs, var.index if len(node.outputs) > 1 else None)
        if isinstance(seen, Written):
            return seen
        var = seen
    if var.name is None and isinstance(var, Constant):
        number = var.unique_value()
        if number is not None:
            return Leaf(str(number), "number")
        return Leaf(str(var.data).replace("\n", " "), "text")
    return Leaf(str(var))


# Numbers.


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
