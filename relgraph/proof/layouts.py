"""What a law says about places: graphs of both sides, for tensors of each rank.

The left side of a law is built in all ways that there are: of tensors of up to so many axes, each
of which has length 1 by its type or not; with each order of axes, each axis, and with indices whose
parts are inputs or represent any integer. What conditions say is in `layout_facts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations, product
from operator import attrgetter, itemgetter
from typing import Any

from cons.core import ConsPair
from etuples import etuple
from etuples.core import ExpressionTuple
from unification import reify

from relations.kit import type_guards
from relgraph import scalar
from relgraph.graph.basic import Constant, Variable, graph_inputs
from relgraph.graph.kanren.compilation import OpenRelation, OpenRun
from relgraph.graph.kanren.explanation import NoSuchDirection
from relgraph.graph.kanren.goals import Compute, Readers, Where, dtypes_admitted, fitted, is_found
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules import Parts, class_of, split
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError
from relgraph.graph.kanren.terms import Arguments, Term, build, is_variable
from relgraph.graph.op import Op
from relgraph.graph.traversal import io_toposort
from relgraph.graph.unify import NO_ITEMS, nth
from relgraph.printing import pprint
from relgraph.proof.layout_facts import EXECUTED, FACTS, MOST_ARGUMENTS, SOURCES, STATED, Fact
from relgraph.proof.places import any_int
from relgraph.proof.statements import AnyOp, NotStated
from relgraph.tensor import TensorType, as_tensor_variable, cast, constant, second
from relgraph.tensor.along_axes import Cumulate, Sort
from relgraph.tensor.assembly import Alloc, ARange, Join, Split
from relgraph.tensor.basic import Assert
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag
from relgraph.tensor.linalg.matrix_op import Assume
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.subtensor import (
    WHOLE,
    IncSubtensor,
    Placeholder,
    Slice,
    Subtensor,
    placeholders,
)

DTYPES = ("float64", "float32", "int32")
"""Of each kind one: elements are uninterpreted, and dtypes are converted by functions of these."""

Env = Mapping[Any, Any]

_BROADCASTING = {Elemwise: range(99), Alloc: (0,), IncSubtensor: (1,), AdvancedIncSubtensor: (1,)}
"""The arguments of ops that broadcast if their types say that a length is 1."""

_ON_ONE: tuple[Any, ...] = (0, -1, WHOLE, Slice(0, 1), Slice(None, None, -1), Slice(1, None))
"""Indices of an axis of length 1, of those that take the same some."""


@dataclass(frozen=True)
class Scheme:
    """One of the rules of a law: what it matches, what it builds, and when."""

    pattern: Any
    template: Any
    conditions: Sequence[Any]


@dataclass(frozen=True)
class Layout:
    """That two graphs are equal for all shapes and elements of inputs that facts admit, by one of
    the rules of a law."""

    rule: int
    old: Variable
    new: Variable
    facts: tuple[Fact, ...]

    def __str__(self) -> str:
        types = ", ".join(f"{v}: {v.type}" for v in graph_inputs([self.old, self.new]))
        return f"{pprint(self.old)} → {pprint(self.new)}, for {types}"


def has_reshape(layout: Layout) -> bool:
    """Return whether the order of elements in memory matters to a layout."""
    nodes = io_toposort([], [layout.old, layout.new])
    return any(isinstance(node.op, Reshape) for node in nodes)


def schemes(law: Relation) -> list[Scheme]:
    """Return the rules of a law, in which an op may have any number of arguments.

    Raises
    ------
    NotStated
        If it has no finite list of rules.
    """
    if isinstance(law, Law):
        try:
            rule = law.forward.rule
        except NoSuchDirection as why:
            raise NotStated(str(why)) from None
        return [Scheme(rule.pattern, rule.template, rule.conditions)]
    try:
        states = list(OpenRun(law, Budget(law.name)).answers())
    except (OpenRelation, SearchBudgetError) as why:
        raise NotStated(f"it has no finite list of rules: {why}") from None
    return [
        Scheme(reify(old, s), reify(new, s), [g.rename(_values(g, s)) for g in s.delayed])
        for old, new, s in states
    ]


def _values(goal: Any, s: GuardedState) -> dict[Any, Any]:
    return {v: reify(v, s) for v in goal.open_variables()}


def layouts(law: Relation, axes: int, dtypes: Sequence[str] = DTYPES[:1]) -> Iterator[Layout]:
    """Yield what a law says, for all ways to build its left side.

    Parameters
    ----------
    axes
        The rank of the tensor that has the most axes.
    dtypes
        The dtypes of the tensors, in turn.

    Raises
    ------
    NotStated
        If an op can't be built in all ways, or it is not known what a condition says.
    """
    for rule, scheme in enumerate(schemes(law)):
        builder = _Builder(scheme, axes, dtypes)
        for env in builder.sources():
            for old, found in builder.instances(scheme.pattern, env):
                if not isinstance(old, Variable) or old.owner is None:
                    continue
                if _rank_of(old) == axes and _is_of(old, dtypes):
                    yield from builder.layouts(law, rule, old, found)


@dataclass
class _Builder:
    """Builds the left side of a rule in all ways."""

    scheme: Scheme
    axes: int
    dtypes: Sequence[str]
    broadcasting: set[Any] = field(init=False)
    shuffles: bool = field(init=False)
    looked_at: set[Any] = field(init=False)

    def __post_init__(self) -> None:
        heads = [*_heads(self.scheme.pattern), *_heads(self.scheme.template)]
        self.shuffles = DimShuffle in heads
        self.broadcasting = {
            *_broadcasting_in(self.scheme.pattern),
            *_broadcasting_in(self.scheme.template),
        }
        self.looked_at = {v for c in self._known() if c.function in EXECUTED for v in c.variables}

    def _known(self) -> list[Any]:
        return [c for c in self.scheme.conditions if isinstance(c, Compute | Where)]

    def sources(self) -> Iterator[dict[Any, Any]]:
        """Yield values of those variables of which a condition tells how they are made."""
        for condition in self._known():
            make = SOURCES.get(condition.function)
            if make is not None:
                names = list(condition.variables)
                names += [condition.out] if isinstance(condition, Compute) else []
                for values in make(self.axes):
                    yield dict(zip(names, values, strict=False))
                return
        yield {}

    # -- the left side -----------------------------------------------------------------------------

    def instances(self, part: Any, env: Env, kind: str = "data") -> Iterator[tuple[Any, Env]]:
        """Yield all values of a part of the left side, and those of the variables then."""
        if is_variable(part):
            if part in env:
                yield env[part], env
                return
            for value in self.leaves(part, str(part), kind, env):
                yield value, {**env, part: value}
            return
        head, arguments, output = _split(part)
        if head is None:
            yield getattr(part, "value", part), env
            return
        number = None
        if head is nth:  # a variable says which output is meant
            number, inner = arguments
            head, arguments, _ = _split(inner)
        cls = _class_of(head)
        for values, found in self.every(cls, arguments, env):
            for op, known in self.ops(head, cls, values, found):
                for k in (output,) if number is None else range(op.nout):
                    made = _applied(op, k, values)
                    if made is not None:
                        yield made, known if number is None else {**known, number: k}

    def every(
        self, cls: Any, arguments: Sequence[Any], env: Env, at: int = 0
    ) -> Iterator[tuple[list[Any], Env]]:
        """Yield all values of the arguments of an op from one on."""
        if not arguments:
            yield [], env
            return
        first, *rest = arguments
        if isinstance(first, Arguments | _Rest):
            for values, found in self.several(cls, first, env, at):
                yield list(values), found
            return
        for value, found in self.instances(first, env, _kind(cls, at)):
            for values, last in self.every(cls, rest, found, at + 1):
                yield [value, *values], last

    def several(
        self, cls: Any, of: Arguments | _Rest, env: Env, at: int
    ) -> Iterator[tuple[Sequence[Any], Env]]:
        """Yield all values of the last arguments of an op."""
        name = of.of
        if not is_variable(name) or name in env:
            values = env.get(name, name) if is_variable(name) else name
            yield tuple(values), env
            return
        made: Any = tuple if isinstance(of, Arguments) else _as_etuple
        for count in range(self._most(cls, at) + 1):
            leaves = [
                list(self.leaves(name, f"{name}{k}", _kind(cls, at + k), env)) for k in range(count)
            ]
            for values in product(*leaves):
                yield values, {**env, name: made(values)}

    def _most(self, cls: Any, at: int) -> int:
        """Return how many arguments an op takes at most from one on, whose number is open."""
        if cls in (Subtensor, IncSubtensor):
            return 3 * self.axes
        if cls is Alloc:
            return self.axes + 1 - at
        if cls in (AdvancedSubtensor, AdvancedIncSubtensor):
            return 2
        return MOST_ARGUMENTS

    def leaves(self, variable: Any, name: str, kind: str, env: Env) -> Iterator[Any]:
        """Yield all inputs of a kind that a variable may be, by a name."""
        if kind == "data":
            dtype = self.dtypes[_count_of(env) % len(self.dtypes)]
            flags = self.shuffles or variable in self.broadcasting
            flags &= self.dtypes == DTYPES[:1]  # what becomes of a dtype does not depend on shapes
            lengths = (None, 1) if flags else (None,)
            for rank in range(self.axes + 1):
                for shape in product(lengths, repeat=rank):
                    yield TensorType(dtype, shape)(name)
        elif kind == "condition":
            yield TensorType("bool", ())(name)
        elif kind == "vector":
            for n in (None, *range(self.axes + 1)):
                yield TensorType("int64", (n,))(name)
        elif kind == "positions":
            for shape in ((None,), (None, None), ()):
                yield TensorType("int64", shape)(name)
        else:
            yield TensorType("int64", ())(name)
            if kind == "length":
                yield constant(1, dtype="int64")

    # -- ops ---------------------------------------------------------------------------------------

    def ops(
        self, head: Any, cls: Any, values: Sequence[Any], env: Env
    ) -> Iterator[tuple[Any, Env]]:
        """Yield the ops that a head is for these arguments."""
        if isinstance(head, Op):
            yield head, env
            return
        given = split(head).arguments
        for properties in self.properties(cls, values, given, env):
            found = dict(env)
            for name, value in zip(given, properties, strict=True):
                if is_variable(name):
                    known = found.setdefault(name, value)
                else:
                    known = getattr(name, "value", name)
                known = () if known is NO_ITEMS else known
                if known is not value and known != value:
                    break
            else:
                yield cls(*properties), found

    def properties(
        self, cls: Any, values: Sequence[Any], given: Sequence[Any], env: Env
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the parameters that an op of a class may have for these arguments."""
        known = [env.get(v, v) if is_variable(v) else getattr(v, "value", v) for v in given]
        if not any(is_variable(v) for v in known):
            yield tuple(known)
            return
        ndim = values[0].type.ndim if values and isinstance(values[0], Variable) else 0
        if cls is Elemwise:
            op = known[0]
            if is_variable(op):
                op = AnyOp(len(values), f"any {op}")
            yield op, ()
        elif cls is DimShuffle:
            yield from ((ndim, order) for order in self.orders(values[0]))
        elif cls in (Shape_i, Join, Sort):
            yield from ((axis,) for axis in range(ndim))
        elif cls is Split:
            counts = range(1, MOST_ARGUMENTS + 1) if is_variable(known[0]) else known[:1]
            yield from product(counts, range(ndim))
        elif cls is Reshape:
            yield from ((n,) for n in range(self.axes + 1))
        elif cls is SpecifyShape:
            yield from ((shape,) for shape in product((None, 1, _SOME), repeat=ndim))
        elif cls is Cumulate:
            yield from ((scalar.add, axis) for axis in range(ndim))
        elif cls is ExtractDiag:
            yield from ((0,), (any_int(),))
        elif cls in (Assume, Assert, ARange, MakeVector):
            yield ({Assume: (), Assert: "message"}.get(cls, "int64"),)
        elif cls in (Subtensor, IncSubtensor, AdvancedSubtensor, AdvancedIncSubtensor):
            count = len(values) - (1 if cls in (Subtensor, AdvancedSubtensor) else 2)
            advanced = cls in (AdvancedSubtensor, AdvancedIncSubtensor)
            inputs = values[len(values) - count :]
            every = _advanced(inputs) if advanced else self.indices(given[0], values[0], count)
            for index in every:
                if len(given) == 1:
                    yield (index,)
                else:
                    yield from ((index, False, is_set) for is_set in (False, True))
        else:
            raise NotStated(f"{cls.__name__} can't be built in all ways")

    def orders(self, v: Any) -> Iterator[tuple[Any, ...]]:
        """Yield the orders of axes for a tensor."""
        small = [a for a, one in enumerate(v.type.broadcastable) if one]
        kept = [a for a in range(v.type.ndim) if a not in small]
        # where nothing broadcasts, the type of an input matters for what is dropped alone
        least = len(small) if v.owner is None and not self.broadcasting else 0
        for count in range(least, len(small) + 1):
            for dropped in combinations(small, count):
                axes = sorted([*kept, *[a for a in small if a not in dropped]])
                for rank in range(len(axes), self.axes + 1):
                    for places in combinations(range(rank), len(axes)):
                        for order in permutations(axes):
                            at = dict(zip(places, order, strict=True))
                            yield tuple(at.get(i, "x") for i in range(rank))

    def indices(self, name: Any, x: Any, count: int) -> Iterator[tuple[Any, ...]]:
        """Yield the indices into a tensor that take so many inputs.

        A part of an index is an input, or a number that represents any. Of an index that no
        condition looks at, these are the same. Of a vector whose length is known there are few
        indices by numbers.
        """
        part = Placeholder.INTEGER
        given: list[Any] = [part, Slice(part, part, part)]
        numbers: Sequence[Any] = [any_int(), Slice(any_int(), any_int(), any_int()), WHOLE]
        for rank in range(x.type.ndim + 1):
            known = x.type.shape[:rank]
            static = {None: numbers, 1: _ON_ONE} if name in self.looked_at else {}
            entries = [[*given, *static.get(n, ())] for n in known]
            for index in product(*entries):
                if len(list(placeholders(index))) == count:
                    yield index
        if x.owner is not None and isinstance(x.owner.op, MakeVector | Shape) and count == 0:
            n = x.type.shape[0]
            yield from ((i,) for i in range(-n, n))
            ends = (None, *range(-n - 1, n + 1))
            steps = (None, *[step for step in range(-n, n + 1) if step])
            yield from ((Slice(*parts),) for parts in product(ends, ends, steps))

    # -- the right side ----------------------------------------------------------------------------

    def layouts(self, law: Relation, rule: int, old: Variable, env: Env) -> Iterator[Layout]:
        """Yield what the rule says of a left side: nothing if a condition does not hold."""
        facts: list[Fact] = []
        found = dict(env)
        if not all(self._holds(c, found, facts) for c in self.scheme.conditions):
            return
        try:
            new = build(reify(self.scheme.template, found))
        except (TypeError, ValueError, IndexError):
            return
        fit = fitted(new, old)
        if fit is None:
            return
        if fit is not new:
            # however the shape of the old result is known, it is this that is filled
            new = second(old, cast(as_tensor_variable(new), old.type.dtype))
        if isinstance(law, Law):
            inputs = [v for v in found.values() if isinstance(v, Variable)]
            made = [v for node in io_toposort(inputs, [old, new]) for v in node.outputs]
            if not dtypes_admitted(made, not law.mixed, law.complex):
                return
        yield Layout(rule, old, new, tuple(facts))

    def _holds(self, condition: Any, env: dict[Any, Any], facts: list[Fact]) -> bool:
        """Return whether a condition may hold, and note what it computes and says."""
        if isinstance(condition, Readers):
            return True
        if not isinstance(condition, Compute | Where):
            raise NotStated(f"{condition} is another goal")
        values = [_value(v, env) for v in condition.variables]
        try:
            return self._decided(condition, values, env, facts)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise NotStated(f"{condition} can't be asked of inputs: {error}") from None

    def _decided(
        self, condition: Any, values: Sequence[Any], env: dict[Any, Any], facts: list[Fact]
    ) -> bool:
        if isinstance(condition, Compute):
            return self._computed(condition, values, env, facts)
        predicate = condition.function
        if predicate in FACTS:
            facts.append(FACTS[predicate](*values))
            return True
        types = predicate.__module__ == type_guards.__name__
        if predicate in (*EXECUTED, is_found) or types or getattr(predicate, "states_rank", False):
            return bool(predicate(*[getattr(v, "value", v) for v in values]))
        return True  # what holds without it holds with it

    def _computed(
        self, condition: Compute, values: Sequence[Any], env: dict[Any, Any], facts: list[Fact]
    ) -> bool:
        if condition.function in FACTS:
            facts.append(FACTS[condition.function](*values))
        if condition.out in env and condition.function in SOURCES:
            return True
        if condition.function in STATED:
            value = STATED[condition.function](*values)
            if value is None:
                return False
        elif condition.function in (*EXECUTED, *SOURCES) or isinstance(
            condition.function, attrgetter | itemgetter
        ):
            value = condition.computed(tuple(values))
        else:
            raise NotStated(f"{condition} is computed by a function of graphs")
        known = env.setdefault(condition.out, value)
        return known is value or bool(known == value)


_SOME = any_int()


@dataclass(frozen=True)
class _Rest:
    """All the last arguments of an op, a list."""

    of: Any


def _split(part: Any) -> Parts:
    """Return the parts of a left side, of which a list may be open."""
    if type(part) is not ConsPair:
        return split(part)
    head, arguments, rest = part.car, [], part.cdr
    while type(rest) is ConsPair:
        arguments.append(rest.car)
        rest = rest.cdr
    if is_variable(rest):
        return Parts(head, (*arguments, _Rest(rest)))
    return Parts(head, (*arguments, *rest))


def _value(part: Any, env: Env) -> Any:
    """Return the value of an argument of a condition, built if it is a part of the left side."""
    found = reify(part, env)
    head = found[0] if isinstance(found, ExpressionTuple) and len(found) else None
    is_part = isinstance(found, Term) or isinstance(head, Op | Term | ExpressionTuple)
    return build(found) if is_part else found


def _rank_of(v: Variable) -> int:
    """Return how many axes the tensor has that has the most, of those that make a tensor."""
    made = [w for node in io_toposort([], [v]) for w in (*node.inputs, *node.outputs)]
    return max(w.type.ndim for w in made if isinstance(w.type, TensorType))


def _is_of(v: Variable, dtypes: Sequence[str]) -> bool:
    """Return whether the inputs of a graph have all of some dtypes; of the first ones any has."""
    own = {w.type.dtype for w in graph_inputs([v]) if isinstance(w.type, TensorType)}
    return dtypes == DTYPES[:1] or own.issuperset(dtypes)


def _as_etuple(values: Sequence[Any]) -> ExpressionTuple:
    return etuple(*values)


def _class_of(head: Any) -> Any:
    """Return the class of the op that a head is."""
    cls = class_of(head)
    if cls is None:
        raise NotStated(f"{head} may be any op")
    return cls


def _heads(part: Any) -> Iterator[Any]:
    """Yield the classes of the ops of a part."""
    head, arguments, _ = _split(part)
    if head is not None and head is not nth:
        yield _class_of(head)
    for argument in arguments:
        yield from _heads(argument)


def _broadcasting_in(part: Any, within: bool = False) -> Iterator[Any]:
    """Yield the variables of a part of whose values it matters which lengths are known to be 1."""
    if within and is_variable(part):
        yield part
    head, arguments, _ = _split(part)
    places = () if head in (None, nth) else _BROADCASTING.get(_class_of(head), ())
    for place, argument in enumerate(arguments):
        below = within or place in places
        rest = argument.of if isinstance(argument, Arguments | _Rest) else argument
        yield from _broadcasting_in(rest, below)


def _applied(op: Any, output: int | None, values: Sequence[Any]) -> Variable | None:
    """Return what an op computes of exactly these arguments; None if it does not take them so.

    An elementwise op gives its inputs the same rank, and an allocation gives axes a length: they
    take other variables, as which they are tried as well.
    """
    try:
        if output is not None:
            made: Variable = op.make_node(*values).outputs[output]
        else:
            made = op(*values)
    except (TypeError, ValueError, IndexError):
        return None
    node = made.owner
    if node is None or len(node.inputs) != len(values):
        return None
    pairs = zip(node.inputs, values, strict=True)
    return made if all(_is_given(v, w) for v, w in pairs) else None


def _is_given(v: Variable, value: Any) -> bool:
    """Return whether the input of a node is a value that it was given."""
    if isinstance(value, Constant):
        return value.equals(v)
    return v is value or not isinstance(value, Variable)


_KINDS: dict[Any, tuple[int, str]] = {
    Alloc: (1, "length"),
    Subtensor: (1, "integer"),
    IncSubtensor: (2, "integer"),
    Reshape: (1, "vector"),
    Split: (1, "vector"),
    MakeVector: (0, "integer"),
    ARange: (0, "integer"),
    AdvancedSubtensor: (1, "positions"),
    AdvancedIncSubtensor: (2, "positions"),
    Assert: (1, "condition"),
}


def _kind(cls: Any, position: int) -> str:
    """Return of which kind an argument of an op is."""
    first, kind = _KINDS.get(cls, (0, "data"))
    return kind if position >= first else "data"


def _count_of(env: Env) -> int:
    return sum(isinstance(v, Variable) for v in env.values())


def _advanced(inputs: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield indices by some arrays: where they take what from is opaque, but for how many axes."""
    given = [Placeholder.ARRAY if v.type.ndim else Placeholder.INTEGER for v in inputs]
    if Placeholder.ARRAY in given:
        yield tuple(given)
        yield (Slice(), *given)
