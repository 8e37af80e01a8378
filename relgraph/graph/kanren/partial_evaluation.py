"""Partial evaluation of a relation: what it does on all nodes of one structure, by one traced run.

A recursive relation has no finite list of rules, but on sums of three terms it may always do the
same. It is run on tracers, opaque variables in the place of a node's variables, that record the
questions of its goals: which op computes one, whether it equals another, whether a predicate holds.
They are answered from an example node and kept in a `Trace`. Unification asks as few as possible;
that of tracers is registered here with the unification library. A goal may be run on tracers only
if they are known to record all that it depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from types import CellType, FunctionType
from typing import Any, NoReturn

from cons.core import ConsError, ConsPair, _car
from etuples import etuple
from etuples.core import ExpressionTuple
from kanren.assoccomm import associative
from kanren.core import fail, succeed
from unification import var
from unification.core import _unify, isground, reify, unify
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable, ancestors
from relgraph.graph.kanren.goals import (
    APPLYO,
    ASSOC_FLATTEN,
    EQ,
    NEQ,
    REDUCEO,
    TERM_SHAPE_GOALS,
    WALKO,
    Compute,
    Goal,
    Readers,
    Where,
    cells_of,
    code_of,
    name_of,
    over_parts,
    solutions,
)
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError, fast_unify
from relgraph.graph.kanren.terms import (
    Term,
    build,
    leaf_value,
    parts_of,
    parts_to_evaluate,
    with_parts,
)
from relgraph.graph.op import Op
from relgraph.graph.unify import Tracer, holds, seen_alike, view
from relgraph.graph.utils import MetaObject, paused_collector

MAX_QUESTIONS = 2_000
MAX_LEVELS = 12
"""How many levels of nodes a structure may span."""

SEVERAL_OUTPUTS = "several outputs"
"""The head of a variable whose node has several outputs."""

UNTRACEABLE, VARIABLE, NUMBER = object(), object(), object()
"""The shapes of a computed value for which there is no tracer, of a variable, and of a number."""
_SEEN = (MetaObject, bool, type, str, type(None))

_NOT_ASKED = object()
_MOST_MISFITS = 2


class Unstageable(Exception):
    """A goal depends on more of a node than a trace can record; the message says on what."""


class Question:
    """The question for the value of a function of arguments, some of which hold tracers.

    Parameters
    ----------
    function, arguments
        The function and its arguments.
    seen
        A function of the value and of the values known of the node: it adds those that get slots,
        and returns the answer.
    """

    __slots__ = ("_call", "_seen", "_what")

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        seen: Callable[[Any, list[Any]], Hashable],
    ) -> None:
        self._call = _call(function, [instantiator(a) for a in arguments])
        self._seen = seen
        self._what = [getattr(function, "__code__", None), *map(_what, arguments)]

    def answer(self, values: list[Any]) -> Hashable:
        """Return the answer for a node, given the values known of it, by slot."""
        return self._seen(self._call(values), values)

    def is_same(self, other: Question) -> bool:
        """Return whether `other` is the same question."""
        return other._what == self._what


def _call(function: Callable[..., Any], makes: Sequence[Any]) -> Callable[[list[Any]], Any]:
    """Return the function from values by slot to the value for the arguments that are made."""
    if len(makes) == 1:
        (make,) = makes
        return lambda values: function(make(values))
    if len(makes) == 2:
        first, second = makes
        return lambda values: function(first(values), second(values))
    return lambda values: function(*[make(values) for make in makes])


def _what(argument: Any) -> Any:
    """Return what tells two arguments of questions apart: the slot of a tracer, an op or a class;
    None for anything else."""
    if isinstance(argument, Tracer):
        return argument.slot
    return argument if isinstance(argument, MetaObject | type) else None


AnsweredQuestion = tuple[Question, Hashable]


def flatten_value(value: Any, leaves: list[Any]) -> Hashable:
    """Return the shape of a computed value: what a goal may see of it without a question.

    A sequence is seen by its length and the shapes of its items; ops, types, strings and booleans
    by their values. Variables and numbers are leaves, and added to `leaves`.
    """
    if isinstance(value, _SEEN):
        return value
    if isinstance(value, Variable):
        leaves.append(value)
        return VARIABLE
    if isinstance(value, ExpressionTuple):
        if value._evaled_obj is not ExpressionTuple.null:
            return UNTRACEABLE
        return (ExpressionTuple, *[flatten_value(item, leaves) for item in value._tuple])
    if type(value) in (list, tuple):
        return (type(value), *[flatten_value(item, leaves) for item in value])
    if isvar(value) or isinstance(value, Term | ConsPair | Mapping):
        return UNTRACEABLE
    leaves.append(value)
    return NUMBER


def initial_values(root: Variable, fgraph: Any) -> list[Any]:
    """Return the values by slot before the first question."""
    return [root, fgraph]


class Trace:
    """The questions that a goal put to tracers in one run, with the answers for one node.

    Attributes
    ----------
    values
        The values of the tracers by slot; see `initial_values`.
    path
        The questions, with their answers.
    root, fgraph
        The tracers for the variable that the goal is about, and for its graph.
    max_depth
        How many levels of nodes the goal has looked at.
    """

    def __init__(self, root: Variable, fgraph: Any = None) -> None:
        self.values = initial_values(root, fgraph)
        self.path: list[AnsweredQuestion] = []
        self.max_depth = 1
        self.root = VariableTracer(self, 0)
        self.fgraph = ValueTracer(self, 1)

    def ask(self, question: Question) -> Any:
        """Return the answer to a question, and record both.

        Raises
        ------
        Unstageable
            If there are too many questions.
        """
        if len(self.path) == MAX_QUESTIONS:
            raise Unstageable(f"it asks more than {MAX_QUESTIONS} things of a node")
        answer = question.answer(self.values)
        self.path.append((question, answer))
        return answer

    def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the value of a function of `arguments`, which may be tracers, with tracers in the
        place of variables and numbers."""
        level = self._note_depth(function, arguments)
        start = len(self.values)
        shape = self.ask(Question(self._checked(function), arguments, flatten_value))
        return self._unflatten(shape, iter(range(start, len(self.values))), level)

    def _note_depth(self, function: Callable[..., Any], arguments: Sequence[Any]) -> int:
        """Note how deep a function looks, and return the level of its value."""
        known = _tracers(list(arguments))
        level = max([s.level for s in known if isinstance(s, VariableTracer)], default=0)
        self.max_depth = max(self.max_depth, level + getattr(function, "depth", 0))
        return level + 1

    @staticmethod
    def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function`, which will be called for other nodes too.

        Raises
        ------
        Unstageable
            If it is a closure over a tracer.
        """
        cells = getattr(function, "__closure__", None) or ()
        if any(holds_tracer(cell.cell_contents) for cell in cells):
            raise Unstageable(f"its function {function.__qualname__} holds on to a variable")
        return function

    def _unflatten(self, shape: Any, slots: Iterator[int], level: int) -> Any:
        """Return a value of the given shape with tracers as leaves."""
        if shape is VARIABLE:
            return VariableTracer(self, next(slots), level)
        if shape is NUMBER:
            return ValueTracer(self, next(slots))
        if shape is UNTRACEABLE:
            raise Unstageable("it computes a value that is a term or open in part")
        if not isinstance(shape, tuple):
            return shape
        kind, *parts = shape
        items = [self._unflatten(part, slots, level) for part in parts]
        return etuple(*items) if kind is ExpressionTuple else kind(items)


def _head(var: Variable) -> Any:
    """Return the head of a variable: an `Op`, the class `Constant` or None."""
    return var.head if var.owner is None or len(var.owner.outputs) == 1 else SEVERAL_OUTPUTS


def _fits(var: Variable, wanted: Op | type[Op]) -> Any:
    """Return whether the head of a variable is an op, or an op of a class."""
    head: Any = var.head
    fits = isinstance(head, wanted) if isinstance(wanted, type) else head == wanted
    # of one of several outputs too, which is headed by its op or by `nth`
    return False if not fits else _head(var) is head or SEVERAL_OUTPUTS


def _by_itself(value: Hashable, values: list[Any]) -> Hashable:
    return value


def _by_count(value: Apply, values: list[Any]) -> Hashable:
    values.extend(value.inputs)
    return len(value.inputs)


class VariableTracer(Tracer, Variable):
    """A tracer for a variable of a graph.

    Parameters
    ----------
    trace
        The trace that records the questions.
    slot
        The slot of its value.
    level
        How many levels it is below the root.
    """

    __slots__ = ("_found", "_misfits", "_node", "level", "slot", "trace")
    opaque = True

    def __init__(self, trace: Trace, slot: int, level: int = 0) -> None:
        self.trace = trace
        self.slot = slot
        self.level = level
        self._found: Any = _NOT_ASKED
        self._misfits = 0
        self._node: Apply | None = None
        self.index = 0
        self._tag = None

    @property
    def head(self) -> Any:
        if self._found is _NOT_ASKED:
            self._found = self._ask(_head)
        if self._found is SEVERAL_OUTPUTS:
            raise Unstageable("it looks at one of several outputs")
        return self._found

    def may_be_made_by(self, wanted: Any) -> bool:
        """Return False if this is not the result of an op, or of an op of a class.

        This question has the same answer for more nodes than the question for the op. After some
        misfits it is the latter, so that many patterns cause one question about a variable.
        """
        is_class = isinstance(wanted, type) and issubclass(wanted, Op)
        if self._found is not _NOT_ASKED or not (is_class or isinstance(wanted, Op)):
            return True
        if self._misfits == _MOST_MISFITS:
            return True
        answer = self._ask(_fits, wanted)
        if answer is SEVERAL_OUTPUTS:
            self._found = answer
        elif not answer:
            self._misfits += 1
        elif not is_class:
            self._found = wanted
        return bool(answer)

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self.level == MAX_LEVELS:
            raise Unstageable(f"it looks further than {MAX_LEVELS} levels into a graph")
        self.trace.max_depth = max(self.trace.max_depth, self.level + 1)
        return self.trace.ask(Question(function, (self, *arguments), _by_itself))

    @property
    def owner(self) -> Apply | None:  # type: ignore[override]
        op = self.head
        if op is None or op is Constant:
            return None
        if self._node is None:
            first = len(self.trace.values)
            count = self.trace.ask(Question(attrgetter("owner"), (self,), _by_count))
            node = self._node = Apply(op, [], [])
            below = self.level + 1
            node.inputs = [VariableTracer(self.trace, first + i, below) for i in range(count)]
            node.outputs = [self]
        return self._node

    @property
    def _ops(self) -> Any:
        return getattr(self.trace.compute(type, self), "_ops", None)

    @property
    def type(self) -> Any:
        raise Unstageable("it looks at a type without a whereo")

    @property
    def name(self) -> Any:  # type: ignore[override]
        raise Unstageable("it looks at a name")

    def as_term(self) -> Any:
        """Return the term that this is known to be; itself if its node has not been asked for."""
        if self._node is None:
            return self
        arguments = [v.as_term() for v in self._node.inputs if isinstance(v, VariableTracer)]
        return Term(self._found, arguments, None)


class ValueTracer(Tracer):
    """A tracer for a computed value that is not a variable; a comparison is a question."""

    __slots__ = ("slot", "trace")

    def __init__(self, trace: Trace, slot: int) -> None:
        self.trace = trace
        self.slot = slot

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if isvar(other):
            return False
        if not isground(other, {}):
            raise Unstageable("it compares a computed value with something open in part")
        return holds(_unifies, self, other)

    def __bool__(self) -> bool:
        return bool(self.trace.compute(bool, self))

    def __hash__(self) -> int:
        return object.__hash__(self)

    __repr__ = Tracer.__str__


def holds_tracer(x: Any) -> bool:
    """Return whether `x` is a tracer, or a term, etuple or sequence with one in it."""
    return any(True for _ in _tracers(x))


def _tracers(x: Any) -> Iterator[Tracer]:
    stack = [x]
    while stack:
        item = stack.pop()
        if isinstance(item, Tracer):
            yield item
        else:
            stack.extend(parts_of(item))


def instantiator(x: Any) -> Callable[[Sequence[Any]], Any]:
    """Return a function from values by slot to `x` with these in the place of its tracers."""
    if isinstance(x, Tracer):
        return itemgetter(x.slot)
    if not holds_tracer(x):
        return lambda values: x
    parts = _instantiator_of_items(parts_of(x))
    if isinstance(x, ExpressionTuple) and x._evaled_obj is not ExpressionTuple.null:
        evaluated = instantiator(x._evaled_obj)
        return lambda values: ExpressionTuple(parts(values), evaled_obj=evaluated(values))
    return lambda values: with_parts(x, parts(values))


def _instantiator_of_items(items: Sequence[Any]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    if len(items) > 1 and all(isinstance(item, Tracer) for item in items):
        return itemgetter(*[item.slot for item in items])
    instantiators = [instantiator(item) for item in items]
    return lambda values: [instantiate(values) for instantiate in instantiators]


def _unifies(u: Any, v: Any) -> bool:
    return unify(u, v, {}) is not False


def _car_of(x: VariableTracer) -> Any:
    if not isinstance(x.head, Op):
        raise ConsError(f"{x} is a leaf")
    return x.head


_car.add((VariableTracer,), _car_of)


def _may_have_head(tracer: VariableTracer, head: Any, s: Any) -> bool:
    """Return False if a variable is not the result of the op, or of the class, that `head` is."""
    head = transitive_get(head, s)
    if isinstance(head, Term | ExpressionTuple):
        head = transitive_get(next(iter(parts_of(head)), None), s)
    return tracer.may_be_made_by(head.tracked if isinstance(head, Op) else head)


def _unify_headed(u: Any, v: Any, s: Any) -> Generator[Any, Any, None]:
    """Unify a tracer with an expression or a pair: if the head differs, no more is asked."""
    tracer, other = (u, v) if isinstance(u, VariableTracer) else (v, u)
    if not _may_have_head(tracer, next(iter(parts_of(other)), None), s):
        yield False
    elif type(other) is ConsPair:
        yield fast_unify(view(tracer), other, s)
    else:
        pair = seen_alike(tracer, other.etuple if isinstance(other, Term) else other)
        yield False if isinstance(pair, bool) else fast_unify(*pair, s)


for _cls in (ExpressionTuple, Term, ConsPair):
    _unify.add((VariableTracer, _cls, Mapping), _unify_headed)
    _unify.add((_cls, VariableTracer, Mapping), _unify_headed)


def plan(answer: Any) -> Callable[[Sequence[Any]], Any]:
    """Return the function that builds an answer of a run on tracers for any node of a structure,
    of the values that are known of it, by slot.

    Raises
    ------
    OpenAnswerError
        If the answer contains a logic variable.
    Unstageable
        If it has a node on a tracer.
    """
    parts = parts_to_evaluate(answer)
    if parts is None:
        leaf = leaf_value(answer)
        is_known = isinstance(leaf, Variable) and not isinstance(leaf, Tracer)
        if is_known and any(isinstance(v, Tracer) for v in ancestors([leaf])):
            raise Unstageable("it builds a node on a tracer")
        return instantiator(leaf)
    head, *arguments = map(plan, parts)
    return lambda values: head(values)(*[make(values) for make in arguments])


STEPS = 5_000
SECONDS = 0.5
MAX_ANSWERS = 20

CROSS_CHECKS = 2
"""On how many nodes a result that was found without a search is compared with one."""

Relation = Callable[[Any, Any], Any]


@dataclass(eq=False)
class Residual:
    """The residual of a relation: what is left of it for the nodes of one structure.

    Attributes
    ----------
    answers
        The functions that build its answers, in order; see `plan`.
    rules
        The answers as pairs of terms: what is known of the nodes, and what replaces them.
    reason
        Why there may be more answers, which only a search finds; empty if there are none.
    checks_left
        On how many more nodes what it gives is to be compared with a search.
    """

    answers: tuple[Callable[[Sequence[Any]], Any], ...] = ()
    rules: tuple[tuple[Any, Any], ...] = ()
    reason: str = ""
    checks_left: int = CROSS_CHECKS

    @property
    def fails(self) -> bool:
        """Whether the relation has no answer for any node of the structure."""
        return not self.answers and not self.reason


def partially_evaluate(relation: Relation, trace: Trace) -> Residual:
    """Run a relation on the tracer at the root of `trace`.

    The residual holds for all nodes that give the same answers to the questions in the trace.
    """
    answers: list[Callable[[Sequence[Any]], Any]] = []
    rules: list[tuple[Any, Any]] = []
    reason = ""
    try:
        q = var()
        goal = relation(trace.root, q)
        start = GuardedState(budget=Budget("on a tracer", STEPS, SECONDS), fgraph=trace.fgraph)
        # the time of a garbage collection does not count against the budget
        with paused_collector():
            for state in solutions(goal, start, lambda g: traced(g, trace)):
                if len(answers) == MAX_ANSWERS:
                    reason = f"it has more than {MAX_ANSWERS} answers"
                    break
                answer = reify(q, state)
                answers.append(plan(answer))
                rules.append((trace.root, build(answer, _as_term)))
    except Unstageable as why:
        reason = str(why)
    except SearchBudgetError:
        reason = "its answers do not come to an end"
    except Exception as error:
        # an error that is not due to the tracer will be raised again on a node
        reason = f"on a tracer it raises {type(error).__name__}: {error}"
    return Residual(tuple(answers), tuple(rules), reason)


def _as_term(parts: list[Any], source: Any) -> Term:
    return Term(parts[0], parts[1:], None)


# -- traced goals --------------------------------------------------------------------------------


def traced(goal: Any, trace: Trace) -> Goal:
    """Return a goal with the solutions of `goal`, in that order, that asks `trace` about nodes.

    When run, it raises `Unstageable` if it reaches a goal that may look at nodes in another way.
    """
    code = code_of(goal)
    plain = code is EQ or code in TERM_SHAPE_GOALS or goal is succeed or goal is fail
    if plain or type(goal) in (Where, Compute, Readers):
        known: Goal = goal
        return known
    special = _TRACED_BY_CODE.get(code)
    if special is not None:
        return special(goal, trace)
    parts = over_parts(goal, lambda part, _: traced(part, trace))
    return _refused(goal) if parts is None else parts


def _refused(goal: Any) -> Goal:
    def refuse(s: Any) -> NoReturn:
        raise Unstageable(f"its goal {name_of(goal)} may look at more of a node than is traced")

    return refuse


class _TracedConstructor:
    """A goal constructor whose goals are traced."""

    def __init__(self, make: Any, trace: Trace) -> None:
        self.make: Any = make.make if isinstance(make, _TracedConstructor) else make
        self.trace = trace

    def __call__(self, *args: Any, **kwargs: Any) -> Goal:
        return traced(self.make(*args, **kwargs), self.trace)


def _with_traced(goal: Any, trace: Trace, constructors: Sequence[str]) -> Goal:
    """Return a goal that is traced in the constructors of goals that it closes over."""
    cells = cells_of(goal)
    for name in constructors:
        if cells[name] is not None:
            cells[name] = _TracedConstructor(cells[name], trace)
    return FunctionType(
        goal.__code__, goal.__globals__, closure=tuple(CellType(x) for x in cells.values())
    )


def _traced_assoc_flatten(goal: Any, trace: Trace) -> Goal:
    term = cells_of(goal)["a"]

    def flatten(s: Any) -> Iterator[Any]:
        seen = reify(term, s)
        if isinstance(seen, Sequence) and len(seen):
            trace.compute(_is_associative, seen[0])
        yield from goal(s)

    return flatten


def _is_associative(op: Any) -> bool:
    return (op,) in associative.facts


def _traced_applyo(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    parts = tuple(cells[name] for name in ("obj", "o_rator", "o_rands"))

    def apply(s: Any) -> Iterator[Any]:
        seen = reify(parts, s)
        if [isvar(part) for part in seen] == [True, False, False]:
            raise Unstageable("its goal applyo builds a node")
        yield from goal(s)

    return apply


_TRACED_BY_CODE: dict[Any, Callable[[Any, Trace], Goal]] = {
    NEQ: lambda goal, trace: lambda s: goal(s.copy()),  # it modifies the state
    REDUCEO: lambda goal, trace: _with_traced(goal, trace, ["relation"]),
    WALKO: lambda goal, trace: _with_traced(goal, trace, ["goal", "rator_goal", "map_rel"]),
    ASSOC_FLATTEN: _traced_assoc_flatten,
    APPLYO: _traced_applyo,
}
