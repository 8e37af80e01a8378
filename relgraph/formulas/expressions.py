"""Expressions as the search holds them: one object for equal ones, of numbers that are exact.

An expression is an elementwise op, by the name of its scalar op, applied to expressions; an input;
or a number. Graphs become expressions and back.

A graph holds floats, and a formula the number 1/3. And a rule is faster here: to build both sides
of ``a*b + a*c = a*(b + c)`` for a match takes 10 µs of the processor with expressions, and 85 µs
with variables, whose types and conditions are checked. `improve` builds some thousands of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import count
from types import MappingProxyType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation import (
    Formula,
    Language,
    Leaf,
    Names,
    Python,
    View,
    Written,
    formulas,
    text_of,
)
from relgraph.graph.traversal import io_toposort
from relgraph.scalar.error_free import ScaledProduct
from relgraph.scalar.op import FoldOp
from relgraph.tensor.elemwise import DimShuffle, Elemwise

INPUT, NUMBER = "input", "number"

NAMED_NUMBERS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
"""Numbers that are no fractions, by name."""

_KNOWN: WeakValueDictionary[Any, Expr] = WeakValueDictionary()


class Expr:
    """An expression. Equal ones are one object; make them by `apply`, `named` and `number`.

    Attributes
    ----------
    op
        The name of the scalar op, `INPUT` or `NUMBER`.
    args
        What it is applied to.
    value
        The name of an input; a `Fraction`, or the name of another number.
    size
        How many nodes it has, written as a tree.
    weight
        What these cost.
    """

    op: str
    args: tuple[Expr, ...]
    value: Any
    size: int
    weight: float

    def __repr__(self) -> str:
        return f"<Expr {written(self)}>"


def _made(op: str, args: tuple[Expr, ...], value: Any) -> Expr:
    key = (op, args, value)
    known = _KNOWN.get(key)
    if known is None:
        known = object.__new__(Expr)
        known.op, known.args, known.value = key
        known.size = 1 + sum(a.size for a in args)
        known.weight = 0.1 + cost_of_op(known) + sum(a.weight for a in args)
        _KNOWN[key] = known
    return known


def cost_of_op(e: Expr) -> float:
    """Return how long the op of an expression takes, beside an addition of arrays."""
    return OPS[e.op].scalar_op.cost if e.args else 0.0


def apply(op: str, *args: Expr) -> Expr:
    """Return an op, by the name of its scalar op, applied to expressions."""
    return _made(op, args, None)


def named(name: Any) -> Expr:
    """Return an input; of a law its number represents a name."""
    return _made(INPUT, (), name)


def number(value: Any) -> Expr:
    """Return a number: a rational, a float, or the name of one of `NAMED_NUMBERS`."""
    if isinstance(value, float) and not math.isfinite(value):
        if value == -math.inf:
            return apply("neg", number("inf"))
        value = "nan" if value != value else "inf"
    return _made(NUMBER, (), value if isinstance(value, str) else Fraction(value))


def as_float(value: Any) -> float:
    """Return the float64 nearest to the value of a number."""
    if isinstance(value, str):
        return NAMED_NUMBERS[value]
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def numbers_by_name(expr: Expr) -> list[str]:
    """Return what was taken for a number of the words that may be inputs too."""
    words = dict.fromkeys(e.value for e in parts(expr) if e.op is NUMBER)
    return [f"{w} is the number {NAMED_NUMBERS[w]:.6g}" for w in words if w in NAMED_NUMBERS]


def parts(expr: Expr, known: Container[Expr] = ()) -> Iterator[Expr]:
    """Yield the expressions that one is made of, each once, arguments first; but not what is known
    and what that alone is made of."""
    seen: set[Expr] = set()
    stack = [(expr, False)]
    while stack:
        e, ready = stack.pop()
        if ready:
            yield e
        elif e not in seen and e not in known:
            seen.add(e)
            stack.append((e, True))
            stack.extend((a, False) for a in reversed(e.args))


def folded(
    expr: Expr,
    of_leaf: Callable[[Expr], Any],
    of_op: Callable[..., Any],
    done: dict[Expr, Any] | None = None,
) -> Any:
    """Return what functions make of an expression, from the leaves up.

    Parameters
    ----------
    of_leaf
        Is given an input or a number.
    of_op
        Is given an elementwise op, and what was made of its arguments.
    done
        What is known of some parts, to which the others are added.
    """
    done = {} if done is None else done
    for e in parts(expr, done):
        done[e] = of_op(OPS[e.op], *[done[a] for a in e.args]) if e.args else of_leaf(e)
    return done[expr]


def in_floats(expr: Expr, inputs: Mapping[str, Any] | None = None) -> Any:
    """Return what an expression is in floats, of arrays of its inputs by name."""

    def of_leaf(e: Expr) -> Any:
        return (inputs or {})[e.value] if e.op is INPUT else np.float64(as_float(e.value))

    with np.errstate(all="ignore"):
        return folded(expr, of_leaf, lambda op, *args: op.scalar_op.ufunc(*args))


def inputs_of(expr: Expr) -> list[Any]:
    """Return the names of the inputs that occur."""
    return [e.value for e in parts(expr) if e.op is INPUT]


def with_part(expr: Expr, path: Sequence[int], new: Expr) -> Expr:
    """Return an expression in which the part at a place is another."""
    above = [expr]
    for k in path:
        above.append(above[-1].args[k])
    for k, e in zip(reversed(path), reversed(above[:-1]), strict=True):
        new = apply(e.op, *e.args[:k], new, *e.args[k + 1 :])
    return new


_NONE_DECIDED: Mapping[Expr, bool] = MappingProxyType({})
_LARGEST = 1000


def without_decided_choices(expr: Expr, known: Mapping[Expr, bool] = _NONE_DECIDED) -> Expr:
    """Return an expression in which no choice has the condition of a choice around it, or one of
    which it is known whether it holds."""
    conditions = conditions_in(expr)
    # without sharing it may be very large
    if expr.size > _LARGEST:
        return expr
    if len(set(conditions)) == len(conditions) and known.keys().isdisjoint(conditions):
        return expr
    return _decided(expr, known)


def conditions_in(expr: Expr) -> list[Expr]:
    """Return the conditions of the choices in an expression."""
    return [e.args[0] for e in parts(expr) if e.op == "switch"]


def branches_of(expr: Expr) -> list[Expr]:
    """Return what an expression is where it chooses one way or another; itself if it does not."""
    if expr.op != "switch":
        return [expr]
    return [*branches_of(expr.args[1]), *branches_of(expr.args[2])]


def _decided(e: Expr, known: Mapping[Expr, bool]) -> Expr:
    """Return an expression where some conditions are known to hold, or not to."""
    if e.op != "switch":
        return apply(e.op, *[_decided(a, known) for a in e.args]) if e.args else e
    condition, then, otherwise = e.args
    if condition in known:
        return _decided(then if known[condition] else otherwise, known)
    cases = [_decided(a, {**known, condition: k}) for a, k in ((then, True), (otherwise, False))]
    return apply("switch", _decided(condition, known), *cases)


# -- graphs ----------------------------------------------------------------------------------------


class NotSupported(ValueError):
    """What can't be searched, by name."""


def ops_by_name() -> dict[str, Elemwise]:
    """Return the elementwise ops, by the names of their scalar ops."""
    found: dict[str, Elemwise] = {}
    for name in dir(at):
        op = getattr(at, name)
        if isinstance(op, Elemwise):
            found.setdefault(op.scalar_op.name, op)
    return found


OPS = ops_by_name()


def scaled_product(factors: Sequence[Expr], divisors: Sequence[Expr]) -> Expr:
    """Return the product of some expressions by others, without over- and underflow on the way."""
    op = Elemwise(ScaledProduct(len(factors), len(divisors)))
    OPS.setdefault(op.scalar_op.name, op)
    return apply(op.scalar_op.name, *factors, *divisors)


COMPARISONS = ("lt", "le", "gt", "ge", "eq", "neq")
CONDITIONS = (*COMPARISONS, "and_", "or_", "invert")
_SPELLED = {"reciprocal": "true_div", "fmin": "minimum", "fmax": "maximum", "fabs": "abs"}
_NOTHING = ("identity", "cast", "real", "conj")
"""What changes no real number."""


OF_CONDITIONS = {"and_": (0, 1), "or_": (0, 1), "invert": (0,), "switch": (0,)}
"""Which arguments of an op are conditions; all others are numbers."""


def with_numbers(op: str, args: Sequence[Expr]) -> list[Expr]:
    """Return the arguments of an op; a condition that represents a number is one or zero."""
    one, zero = number(1), number(0)
    return [
        apply("switch", a, one, zero)
        if a.op in CONDITIONS and k not in OF_CONDITIONS.get(op, ())
        else a
        for k, a in enumerate(args)
    ]


def constant_of(data: Any) -> Expr:
    """Return what a constant represents: the shortest decimal that is read as it, π, its half or
    quarter, or e."""
    value = np.asarray(data).reshape(-1)[0]
    if value.dtype.kind in "biu":
        return number(int(value))
    if value.dtype.kind != "f":
        raise NotSupported(f"{value} is no real number")
    if not np.isfinite(value):
        return number(float(value))
    for name, divisor in (("pi", 1), ("e", 1), ("pi", 2), ("pi", 4)):
        if value == value.dtype.type(NAMED_NUMBERS[name] / divisor):
            known = number(name)
            return known if divisor == 1 else apply("true_div", known, number(divisor))
    return number(Fraction(np.format_float_scientific(value, trim="-")))


def from_graph(output: Variable, inputs: Sequence[Variable], names: Sequence[Any]) -> Expr:
    """Return the expression that a graph computes, elementwise, of its inputs, which have names.

    Raises
    ------
    NotSupported
        If it has ops that are not elementwise, or inputs that are not given.
    """
    done: dict[Variable, Expr] = {v: named(n) for v, n in zip(inputs, names, strict=True)}

    def expr_of(v: Variable) -> Expr:
        if v not in done:
            if not isinstance(v, Constant):
                raise NotSupported(f"{v} is not among the inputs")
            if np.size(v.data) != 1 and np.ptp(np.asarray(v.data)) != 0:
                raise NotSupported(f"the constant {v} has several values")
            done[v] = constant_of(v.data)
        return done[v]

    for node in io_toposort(list(inputs), [output]):
        op: Any = node.op
        args = [expr_of(v) for v in node.inputs]
        if isinstance(op, DimShuffle) or (
            isinstance(op, Elemwise) and op.scalar_op.name in _NOTHING
        ):
            done[node.outputs[0]] = args[0]
        elif isinstance(op, Elemwise) and op.scalar_op.name == "second":
            done[node.outputs[0]] = args[1]
        elif isinstance(op, Elemwise):
            OPS.setdefault(op.scalar_op.name, op)
            done[node.outputs[0]] = _applied(op.scalar_op.name, args)
        else:
            raise NotSupported(f"{op} is not an elementwise op with real values")
    return expr_of(output)


def name_of(variable: Variable, position: int) -> str:
    """Return the name of an input, or one that is made for it."""
    return variable.name or f"x{position}"


def _applied(name: str, args: Sequence[Expr]) -> Expr:
    if name == "reciprocal":
        return _applied("true_div", [number(1), *args])
    if isinstance(OPS[name].scalar_op, FoldOp) and len(args) > 2:
        return reduce(lambda a, b: _applied(name, [a, b]), args)
    return apply(_SPELLED.get(name, name), *with_numbers(name, args))


def to_graph(
    expr: Expr,
    inputs: Mapping[str, Any],
    dtype: str = "float64",
    made: dict[Expr, Any] | None = None,
) -> Any:
    """Return the variable that computes an expression of variables, by their names.

    Parameters
    ----------
    made
        The variables of some parts, to which the others are added.
    """

    def of_leaf(e: Expr) -> Any:
        if e.op is INPUT:
            return inputs[e.value]
        return at.constant(np.dtype(dtype).type(as_float(e.value)))

    return folded(expr, of_leaf, lambda op, *args: op(*args), made)


# -- text ------------------------------------------------------------------------------------------

_PYTHON = Python({"sqr": "square", "switch": "where"})
_WORTH_A_NAME = 10
"""Of so many letters what stands in a form several times gets a name."""
_OFTEN = 4
"""What stands there more often gets one however short it is."""


def written(expr: Expr) -> str:
    """Return an expression as Python writes it; a number as one of `math` where the word alone may
    be an input."""
    return text_of(expr, _view_beside(inputs_of(expr)), _PYTHON)


def written_in_lines(expr: Expr, width: int = 72) -> list[str]:
    """Return an expression as lines to be read, one line if it has no more letters than `width`.

    What stands in it several times comes first, with a name; and what it is made of by cases has a
    line for each.
    """
    whole = written(expr)
    if len(whole) <= width:
        return [whole]
    taken = inputs_of(expr)
    names = names_for_parts(_PYTHON, taken)
    texts: dict[Expr, str] = {}

    def finish(e: Expr, made: Formula, reads: int) -> Formula:
        named = names(e, made, reads)
        texts[e] = str(named)
        return named

    formulas([expr], _view_beside(taken), _PYTHON, finish)
    cases = []
    while expr.op == "switch":
        condition, case, expr = expr.args
        cases.append((texts[case], f"if {texts[condition]}"))
    if not cases:
        return [*names.lines(), texts[expr]]
    cases.append((texts[expr], "otherwise"))
    return [*names.lines(), *_lines_of_cases(cases, width)]


def _lines_of_cases(cases: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    column = max((len(text) for text, _ in cases if len(text) <= width), default=0)
    for text, when in cases:
        yield from [f"{text:<{column}}   {when}"] if len(text) <= width else [text, f"    {when}"]


def names_for_parts(language: Language, taken: Collection[Any]) -> Names:
    """Return names for what occurs several times, which are none of those that are taken."""
    free = (name for k in count() for name in (f"t{k}" if k else "t",) if name not in taken)
    return Names(language, free, _is_worth_a_name)


def _is_worth_a_name(e: Expr, formula: Formula, reads: int) -> bool:
    is_long = formula.size >= _WORTH_A_NAME or reads > _OFTEN
    return e.op not in (INPUT, NUMBER) and reads > 1 and is_long


def _view_beside(inputs: Sequence[Any]) -> View:
    """Return the view of expressions with inputs of some names."""

    def view(e: Expr) -> Written:
        if e.op is INPUT:
            return Leaf(str(e.value))
        if e.op is not NUMBER:
            made: Written = OPS[e.op].applied(e.args)
            return made
        if isinstance(e.value, str):
            return Leaf(f"math.{e.value}" if e.value in ("e", *inputs) else e.value)
        if e.value.denominator == 1 and abs(e.value) < 10**15:
            return Leaf(str(e.value.numerator), "number")
        return Leaf(repr(as_float(e.value)), "number")

    return view


_MOST_FACTORS = 10


def as_scaled_product(expr: Expr) -> Expr | None:
    """Return a product of factors and divisors, three or more, as one op that neither over- nor
    underflows on the way; None of what is none."""
    found: tuple[list[Expr], list[Expr]] = ([], [])
    negative = False
    stack = [(expr, 0)]
    while stack:
        e, side = stack.pop()
        if e.op == "neg":
            negative = not negative
            stack.append((e.args[0], side))
        elif e.op in ("mul", "true_div"):
            stack.append((e.args[1], side if e.op == "mul" else 1 - side))
            stack.append((e.args[0], side))
        elif e.op == "sqr":
            stack += [(e.args[0], side)] * 2
        elif e.op != NUMBER or e.value != 1:
            found[side].append(e)
        if len(stack) + len(found[0]) + len(found[1]) > _MOST_FACTORS:
            return None
    factors, divisors = found
    if len(factors) + len(divisors) < 3:
        return None
    made = scaled_product(factors, divisors)
    return apply("neg", made) if negative else made
