"""Tracers: opaque variables that record the questions of a goal.

A goal is run on tracers in the place of a node's variables. Questions (which op computes it,
whether it equals another variable, whether a predicate holds for it) are answered from an example
node and recorded in a `Trace`. Unification asks as few as possible; it is registered here with
cons and unification. A `BuildPlan` builds an answer found on tracers for another node.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from types import FunctionType
from typing import Any

from cons.core import ConsError, ConsPair, _car, _cdr, cons
from etuples import etuple
from etuples.core import ExpressionTuple
from unification.core import _unify, assoc, isground, unify
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable, ancestors
from relgraph.graph.kanren.state import fast_unify, parts_of
from relgraph.graph.kanren.terms import Literal, Term, build
from relgraph.graph.op import Op
from relgraph.graph.unify import NUMBERS, ConstrainedVar, meaning, nth, same_variable
from relgraph.graph.utils import MetaObject

MAX_QUESTIONS = 2_000
MAX_LEVELS = 12
"""How many levels of nodes a structure may span."""

SEVERAL_OUTPUTS = object()
"""The head of a variable whose node has several outputs."""

UNTRACEABLE = object()
"""The shape of a computed value for which there is no tracer."""

_NOT_ASKED = object()
_MOST_MISFITS = 2


class Unstageable(Exception):
    """A goal depends on more of a node than a trace can record; the message says on what."""


class _SlotQuestion:
    """A question about the variable in a slot."""

    __slots__ = ("slot",)

    def __init__(self, slot: int) -> None:
        self.slot = slot

    def answer(self, values: list[Any]) -> Hashable:
        """Return the answer for a node.

        Parameters
        ----------
        values
            The values known of the node so far, by slot; those that the answer gives are added.
        """
        raise NotImplementedError(type(self).__name__)

    def is_same(self, other: Any) -> bool:
        """Return whether `other` is the same question."""
        return type(other) is type(self) and other.slot == self.slot


class HeadOf(_SlotQuestion):
    """The question for the head of a variable: an `Op`, the class `Constant` or None."""

    __slots__ = ()

    def answer(self, values: list[Any]) -> Hashable:
        var = values[self.slot]
        head: Hashable = var.head
        if var.owner is None or head.nout == 1 or len(var.owner.outputs) == 1:  # type: ignore[attr-defined]
            return head
        return SEVERAL_OUTPUTS


class HeadFits(_SlotQuestion):
    """The question whether the head of a variable is an op, or an op of a class."""

    __slots__ = ("wanted",)

    def __init__(self, slot: int, wanted: Op | type[Op]) -> None:
        super().__init__(slot)
        self.wanted = wanted

    def answer(self, values: list[Any]) -> Hashable:
        wanted, head = self.wanted, values[self.slot].head
        fits = isinstance(head, wanted) if isinstance(wanted, type) else head == wanted
        if not fits:
            # of one of several outputs too, which is headed by its op or by `nth`
            return False
        return True if HeadOf(self.slot).answer(values) is head else SEVERAL_OUTPUTS

    def is_same(self, other: Any) -> bool:
        return super().is_same(other) and other.wanted is self.wanted


class InputsOf(_SlotQuestion):
    """The question for the number of inputs of a variable's node; each input gets a slot."""

    __slots__ = ()

    def answer(self, values: list[Any]) -> Hashable:
        inputs = values[self.slot].owner.inputs
        values.extend(inputs)
        return len(inputs)


class _CallQuestion:
    """A question about the value of a function of arguments, some of which hold tracers."""

    __slots__ = ("_arguments", "_function", "_slots")

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self._function = function
        self._slots = [
            a.slot if isinstance(a, VariableTracer | ValueTracer) else None for a in arguments
        ]
        self._arguments = [instantiator(a) for a in arguments]

    def value(self, values: list[Any]) -> Any:
        return self._function(*[make(values) for make in self._arguments])

    def is_same(self, other: Any) -> bool:
        return type(other) is type(self) and other._slots == self._slots


class Test(_CallQuestion):
    """The question whether a predicate holds for some arguments."""

    __slots__ = ()

    def answer(self, values: list[Any]) -> Hashable:
        return bool(self.value(values))


class ValueOf(_CallQuestion):
    """The question for the value of a function: the answer is its shape, its leaves get slots."""

    __slots__ = ()

    def answer(self, values: list[Any]) -> Hashable:
        leaves: list[Any] = []
        shape = flatten_value(self.value(values), leaves)
        values.extend(leaves)
        return shape


Question = HeadOf | HeadFits | InputsOf | Test | ValueOf
AnsweredQuestion = tuple[Question, Hashable]


def flatten_value(value: Any, leaves: list[Any]) -> Hashable:
    """Return the shape of a computed value: what a goal may see of it without a question.

    A sequence is seen by its length and the shapes of its items; ops, types, strings and booleans
    by their values. Variables and numbers are leaves, and added to `leaves`.
    """
    if isinstance(value, Variable):
        leaves.append(value)
        return Variable
    if value is None or isinstance(value, MetaObject | str | bool | type):
        return ("is", type(value), value)
    if isinstance(value, ExpressionTuple):
        if value._evaled_obj is not ExpressionTuple.null:
            return UNTRACEABLE
        return (ExpressionTuple, *[flatten_value(item, leaves) for item in value._tuple])
    if type(value) in (list, tuple):
        return (type(value), *[flatten_value(item, leaves) for item in value])
    if isvar(value) or isinstance(value, Term | ConsPair | Mapping):
        return UNTRACEABLE
    leaves.append(value)
    return object


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

    def test(self, predicate: Callable[..., Any], *arguments: Any) -> bool:
        """Return whether a predicate holds for the values of `arguments`, which may be tracers."""
        self._note_depth(predicate, arguments)
        answer: bool = self.ask(Test(self._checked(predicate), arguments))
        return answer

    def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return tracers for the value of a function of `arguments`, which may be tracers."""
        level = self._note_depth(function, arguments)
        start = len(self.values)
        shape = self.ask(ValueOf(self._checked(function), arguments))
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
        if shape is Variable:
            return VariableTracer(self, next(slots), level)
        if shape is object:
            return ValueTracer(self, next(slots))
        if shape is UNTRACEABLE:
            raise Unstageable("it computes a value that is a term or open in part")
        kind, *parts = shape
        if kind == "is":
            return parts[1]
        items = [self._unflatten(part, slots, level) for part in parts]
        return etuple(*items) if kind is ExpressionTuple else kind(items)


class VariableTracer(Variable):
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

    __slots__ = ("_head", "_misfits", "_node", "level", "slot", "trace")
    opaque = True

    def __init__(self, trace: Trace, slot: int, level: int = 0) -> None:
        self.trace = trace
        self.slot = slot
        self.level = level
        self._head: Any = _NOT_ASKED
        self._misfits = 0
        self._node: Apply | None = None
        self.index = 0
        self._tag = None

    @property
    def head(self) -> Any:
        if self._head is _NOT_ASKED:
            self._head = self._ask(HeadOf(self.slot))
        if self._head is SEVERAL_OUTPUTS:
            raise Unstageable("it looks at one of several outputs")
        return self._head

    def may_be_made_by(self, wanted: Any) -> bool:
        """Return False if this is not the result of an op, or of an op of a class.

        This question has the same answer for more nodes than the question for the op. After some
        misfits it is the latter, so that many patterns cause one question about a variable.
        """
        is_class = isinstance(wanted, type) and issubclass(wanted, Op)
        if self._head is not _NOT_ASKED or not (is_class or isinstance(wanted, Op)):
            return True
        if self._misfits == _MOST_MISFITS:
            return True
        answer = self._ask(HeadFits(self.slot, wanted))
        if answer is SEVERAL_OUTPUTS:
            self._head = answer
        elif not answer:
            self._misfits += 1
        elif not is_class:
            self._head = wanted
        return bool(answer)

    def _ask(self, question: HeadOf | HeadFits) -> Any:
        if self.level == MAX_LEVELS:
            raise Unstageable(f"it looks further than {MAX_LEVELS} levels into a graph")
        self.trace.max_depth = max(self.trace.max_depth, self.level + 1)
        return self.trace.ask(question)

    @property
    def owner(self) -> Apply | None:  # type: ignore[override]
        op = self.head
        if op is None or op is Constant:
            return None
        if self._node is None:
            first = len(self.trace.values)
            count = self.trace.ask(InputsOf(self.slot))
            node = self._node = Apply(op, [], [])
            below = self.level + 1
            node.inputs = [VariableTracer(self.trace, first + i, below) for i in range(count)]
            node.outputs = [self]
        return self._node

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
        return Term(self._head, arguments, None)

    def __str__(self) -> str:
        return f"_{self.slot}"


class ValueTracer:
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
        return self.trace.test(_unifies, self, other)

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __str__(self) -> str:
        return f"_{self.slot}"

    __repr__ = __str__


def holds_tracer(x: Any) -> bool:
    """Return whether `x` is a tracer, or a term, etuple or sequence with one in it."""
    return any(True for _ in _tracers(x))


def _tracers(x: Any) -> Iterator[VariableTracer | ValueTracer]:
    stack = [x]
    while stack:
        item = stack.pop()
        if isinstance(item, VariableTracer | ValueTracer):
            yield item
        else:
            stack.extend(parts_of(item))


def instantiator(x: Any) -> Callable[[Sequence[Any]], Any]:
    """Return a function from values by slot to `x` with these in the place of its tracers."""
    if isinstance(x, VariableTracer | ValueTracer):
        return itemgetter(x.slot)
    if not holds_tracer(x):
        return lambda values: x
    if isinstance(x, ExpressionTuple):
        parts = _instantiator_of_items(x._tuple)
        if x._evaled_obj is ExpressionTuple.null:
            return lambda values: ExpressionTuple(parts(values))
        evaluated = instantiator(x._evaled_obj)
        return lambda values: ExpressionTuple(parts(values), evaled_obj=evaluated(values))
    parts = _instantiator_of_items(parts_of(x))
    if type(x) is ConsPair:
        return lambda values: cons(*parts(values))
    if isinstance(x, Term):

        def make_term(values: Sequence[Any]) -> Term:
            op, *arguments = parts(values)
            return Term(op, arguments, x._ops)

        return make_term
    kind = type(x)
    return lambda values: kind(parts(values))


def _instantiator_of_items(items: Sequence[Any]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    if len(items) > 1 and all(isinstance(item, VariableTracer | ValueTracer) for item in items):
        return itemgetter(*[item.slot for item in items])
    instantiators = [instantiator(item) for item in items]
    return lambda values: [instantiate(values) for instantiate in instantiators]


def _unifies(u: Any, v: Any) -> bool:
    return unify(u, v, {}) is not False


def _car_of(x: VariableTracer) -> Any:
    if not isinstance(x.head, Op):
        raise ConsError(f"{x} is a leaf")
    return x.head


def _cdr_of(x: VariableTracer) -> ExpressionTuple:
    node = x.owner
    if node is None:
        raise ConsError(f"{x} is a leaf")
    return etuple(*node.inputs)


_car.add((VariableTracer,), _car_of)
_cdr.add((VariableTracer,), _cdr_of)


def _may_have_head(tracer: VariableTracer, head: Any, s: Any) -> bool:
    """Return False if a variable is not the result of the op, or of the class, that `head` is."""
    head = transitive_get(head, s)
    if isinstance(head, Term | ExpressionTuple):
        parts = (head.etuple if isinstance(head, Term) else head)._tuple
        head = transitive_get(parts[0], s) if parts else None
    if isinstance(head, Op) and head.relative is not None:
        return True
    return tracer.may_be_made_by(head)


def _is_made_by(op: Op, var: Variable) -> bool:
    return var.owner is not None and op.makes(var.owner)


def _unify_expression(u: Any, v: Any, s: Any) -> Generator[Any, Any, None]:
    # the head first: if it differs, there is no need to ask more
    tracer, expression = (u, v) if isinstance(u, VariableTracer) else (v, u)
    expression = expression.etuple if isinstance(expression, Term) else expression
    parts = expression._tuple
    if parts and type(parts[0]) is FunctionType and parts[0] is not nth:
        # what operators mean in the function depends on the class of the variable
        meant = meaning(parts[0], expression, tracer.trace.compute(type, tracer))
        yield fast_unify(tracer, meant, s)
        return
    if not parts or not _may_have_head(tracer, parts[0], s) or not isinstance(tracer.head, Op):
        yield False
        return
    head = parts[0]
    if isinstance(head, Op) and head.relative is not None:
        made = tracer.trace.test(partial(_is_made_by, head), tracer)
        s = s if made else False
    else:
        s = yield fast_unify(tracer.head, head, s)
    node = tracer.owner if s is not False else None
    if node is None or len(node.inputs) != len(parts) - 1:
        yield False
        return
    for given, wanted in zip(node.inputs, parts[1:], strict=True):
        s = yield fast_unify(given, wanted, s)
        if s is False:
            return
    yield s


for _cls in (ExpressionTuple, Term):
    _unify.add((VariableTracer, _cls, Mapping), _unify_expression)
    _unify.add((_cls, VariableTracer, Mapping), _unify_expression)


def _unify_cons(u: Any, v: Any, s: Any) -> Generator[Any, Any, None]:
    tracer, pair = (u, v) if isinstance(u, VariableTracer) else (v, u)
    if not _may_have_head(tracer, pair.car, s) or not isinstance(tracer.head, Op):
        yield False
        return
    s = yield fast_unify(tracer.head, pair.car, s)
    if s is False:
        return
    yield fast_unify(_cdr_of(tracer), pair.cdr, s)


_unify.add((VariableTracer, ConsPair, Mapping), _unify_cons)
_unify.add((ConsPair, VariableTracer, Mapping), _unify_cons)


def _unify_same(u: Any, v: Any, s: Any) -> Any:
    trace = (u if isinstance(u, VariableTracer) else v).trace
    return s if u is v or trace.test(same_variable, u, v) else False


_unify.add((VariableTracer, (VariableTracer, Variable), Mapping), _unify_same)
_unify.add((Variable, VariableTracer, Mapping), _unify_same)


def _unify_number(u: Any, v: Any, s: Any) -> Any:
    number, other = (v, u) if isinstance(u, VariableTracer | ValueTracer) else (u, v)
    literal = number if isinstance(number, Literal) else Literal(number)
    return s if other.trace.test(literal.matches, other) else False


for _cls in (VariableTracer, ValueTracer):
    _unify.add((Literal, _cls, Mapping), _unify_number)
    _unify.add((_cls, Literal, Mapping), _unify_number)
_unify.add((NUMBERS, VariableTracer, Mapping), _unify_number)
_unify.add((VariableTracer, NUMBERS, Mapping), _unify_number)


def _unify_constrained(u: Any, v: Any, s: Any) -> Generator[Any, Any, None]:
    constrained, other = (u, v) if isinstance(u, ConstrainedVar) else (v, u)
    known = transitive_get(constrained, s)
    if not isinstance(known, ConstrainedVar):
        yield fast_unify(known, other, s)
    else:
        holds = other.trace.test(known.constraint, other)
        yield assoc(s, known, other) if holds else False


_unify.add((ConstrainedVar, VariableTracer, Mapping), _unify_constrained)
_unify.add((VariableTracer, ConstrainedVar, Mapping), _unify_constrained)


class BuildPlan:
    """A program of calls that builds an answer for any node of a structure.

    Parameters
    ----------
    answer
        An answer of a run on tracers.
    known
        How many values are known of a node. The results of the calls get the slots after them.

    Raises
    ------
    OpenAnswerError
        If the answer contains a logic variable.
    Unstageable
        If the answer has a node on a tracer, or an expression that is headed by no op.
    """

    def __init__(self, answer: Any, known: int) -> None:
        self._known = known
        self._steps: list[tuple[Any, tuple[int, ...]]] = []
        self._result = self._slot(build(answer, self._call))

    def __call__(self, values: Sequence[Any]) -> Any:
        """Return the answer for the node with these values by slot."""
        made = list(values[: self._known])
        for head, slots in self._steps:
            made.append(head(*[made[i] for i in slots]))
        return made[self._result]

    def _call(self, parts: list[Any], source: Any) -> Any:
        head, *arguments = parts
        if isinstance(head, _Result | ValueTracer):
            return self._step(_apply, [self._slot(part) for part in parts])
        if not callable(head):
            raise Unstageable(f"it answers with {source}, which is headed by no op")
        fixed = not any(isinstance(x, _Result) for x in arguments) and not holds_tracer(arguments)
        if fixed and isinstance(head, type) and getattr(head, "__props__", None):
            return head(*arguments)  # an op or a type: the same object at each call
        return self._step(head, [self._slot(argument) for argument in arguments])

    def _slot(self, part: Any) -> int:
        """Return the slot in which `part` will be."""
        if isinstance(part, VariableTracer | ValueTracer | _Result):
            return part.slot
        if isinstance(part, Variable) and any(
            isinstance(v, VariableTracer) for v in ancestors([part])
        ):
            raise Unstageable("it builds a node on a tracer")
        if holds_tracer(part):
            instantiate = instantiator(part)
            return self._step(lambda *values: instantiate(values), range(self._known)).slot
        return self._step(lambda: part, ()).slot

    def _step(self, head: Any, slots: Sequence[int]) -> _Result:
        self._steps.append((head, tuple(slots)))
        return _Result(self._known + len(self._steps) - 1)


def _apply(head: Any, *arguments: Any) -> Any:
    return head(*arguments)


class _Result:
    """The result of a step of a plan."""

    __slots__ = ("slot",)

    def __init__(self, slot: int) -> None:
        self.slot = slot
