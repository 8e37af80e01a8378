"""Stand-ins for the variables of a node, which write down what is asked of them.

A goal is run on stand-ins instead of a node and what it reads. Each thing that it asks of one (what
op computes it, whether it is another one, whether a predicate holds of it) is answered from a node
at hand and written down. All nodes that give the same answers to the same questions are one
structure: what the goal does with one of them it does with all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from cons.core import ConsPair, cons
from etuples import etuple
from etuples.core import ExpressionTuple
from unification.core import isground, unify
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.terms.term import Term
from relgraph.graph.utils import MetaObject

MAX_QUESTIONS = 2_000
DEEPEST = 12
"""How many levels of nodes a structure may span."""

SEVERAL_OUTPUTS = object()
"""The head of a variable whose node has several outputs."""

UNTOLD = object()
"""The shape of a value that no stand-in is made for."""


class Unstageable(Exception):
    """A goal asks what can't be answered for all nodes of a structure; the message says what."""


class HeadOf:
    """The question what computes a variable: an `Op`, the class `Constant` or None."""

    __slots__ = ("slot",)

    def __init__(self, slot: int) -> None:
        self.slot = slot

    def answer(self, values: list[Any]) -> Hashable:
        """Return the answer for a node.

        Parameters
        ----------
        values
            What is known of the node so far, by slot; what the answer makes known is added.
        """
        var = values[self.slot]
        head: Hashable = var.head
        if var.owner is None or head.nout == 1 or len(var.owner.outputs) == 1:  # type: ignore[attr-defined]
            return head
        return SEVERAL_OUTPUTS

    def is_like(self, other: Any) -> bool:
        """Return whether `other` is the same question."""
        return type(other) is HeadOf and other.slot == self.slot


class InputsOf:
    """The question how many inputs the node of a variable has; each gets a slot."""

    __slots__ = ("slot",)

    def __init__(self, slot: int) -> None:
        self.slot = slot

    def answer(self, values: list[Any]) -> Hashable:
        inputs = values[self.slot].owner.inputs
        values.extend(inputs)
        return len(inputs)

    def is_like(self, other: Any) -> bool:
        return type(other) is InputsOf and other.slot == self.slot


class _OfArguments:
    """A question about a function of arguments, some of which are stand-ins."""

    __slots__ = ("_arguments", "_function", "_slots")

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self._function = function
        self._slots = [
            a.slot if isinstance(a, VariableTracer | ValueTracer) else None for a in arguments
        ]
        self._arguments = [instantiator(a) for a in arguments]

    def value(self, values: list[Any]) -> Any:
        return self._function(*[make(values) for make in self._arguments])

    def is_like(self, other: Any) -> bool:
        return type(other) is type(self) and other._slots == self._slots


class Test(_OfArguments):
    """The question whether a predicate holds."""

    __slots__ = ()

    def answer(self, values: list[Any]) -> Hashable:
        return bool(self.value(values))


class ValueOf(_OfArguments):
    """The question what a function gives; its value gets slots, and the answer is its shape."""

    __slots__ = ()

    def answer(self, values: list[Any]) -> Hashable:
        leaves: list[Any] = []
        shape = shape_of(self.value(values), leaves)
        values.extend(leaves)
        return shape


Question = HeadOf | InputsOf | Test | ValueOf
Answered = tuple[Question, Hashable]


def shape_of(value: Any, leaves: list[Any]) -> Hashable:
    """Return what a goal may know of a computed value without asking; put the rest in `leaves`.

    Sequences are known by their shapes, ops and types are known as such. Variables and numbers are
    leaves.
    """
    if isinstance(value, Variable):
        leaves.append(value)
        return Variable
    if value is None or isinstance(value, MetaObject | str | bool | type):
        return ("is", type(value), value)
    if isinstance(value, ExpressionTuple):
        if value._evaled_obj is not ExpressionTuple.null:
            return UNTOLD
        return (ExpressionTuple, *[shape_of(item, leaves) for item in value._tuple])
    if type(value) in (list, tuple):
        return (type(value), *[shape_of(item, leaves) for item in value])
    if isvar(value) or isinstance(value, Term | ConsPair | Mapping):
        return UNTOLD
    leaves.append(value)
    return object


def start(root: Variable, fgraph: Any) -> list[Any]:
    """Return what is known by slot before anything has been asked."""
    return [root, fgraph]


class Trace:
    """What a run has asked of the stand-ins for one node.

    Attributes
    ----------
    values
        What the stand-ins stand for, by slot; see `start`.
    path
        The questions, with their answers.
    root, fgraph
        The stand-ins for the variable that the run is about, and for the graph that it is in.
    deepest
        How many levels of nodes it has looked at.
    """

    def __init__(self, root: Variable, fgraph: Any = None) -> None:
        self.values = start(root, fgraph)
        self.path: list[Answered] = []
        self.max_depth = 1
        self.root = VariableTracer(self, 0)
        self.fgraph = ValueTracer(self, 1)

    def ask(self, question: Question) -> Any:
        """Return the answer to a question, and write both down.

        Raises
        ------
        Unstageable
            If that was one too many.
        """
        if len(self.path) == MAX_QUESTIONS:
            raise Unstageable(f"it asks more than {MAX_QUESTIONS} things of a node")
        answer = question.answer(self.values)
        self.path.append((question, answer))
        return answer

    def test(self, predicate: Callable[..., Any], *arguments: Any) -> bool:
        """Return whether a predicate holds of what the stand-ins among `arguments` stand for."""
        self._look(predicate, arguments)
        answer: bool = self.ask(Test(self._free(predicate), arguments))
        return answer

    def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return a stand-in for what a function gives."""
        level = self._look(function, arguments)
        start = len(self.values)
        shape = self.ask(ValueOf(self._free(function), arguments))
        return self._for_shape(shape, iter(range(start, len(self.values))), level)

    def _look(self, function: Callable[..., Any], arguments: Sequence[Any]) -> int:
        """Note how far a function looks, and return the level of what it may give."""
        known = _tracers(list(arguments))
        level = max([s.level for s in known if isinstance(s, VariableTracer)], default=0)
        self.max_depth = max(self.max_depth, level + getattr(function, "depth", 0))
        return level + 1

    @staticmethod
    def _free(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function`, which is to be called for other nodes too."""
        cells = getattr(function, "__closure__", None) or ()
        if any(holds_tracer(cell.cell_contents) for cell in cells):
            raise Unstageable(f"its function {function.__qualname__} holds on to a variable")
        return function

    def _for_shape(self, shape: Any, slots: Iterator[int], level: int) -> Any:
        if shape is Variable:
            return VariableTracer(self, next(slots), level)
        if shape is object:
            return ValueTracer(self, next(slots))
        if shape is UNTOLD:
            raise Unstageable("it computes a value that is a term or open in part")
        kind, *parts = shape
        if kind == "is":
            return parts[1]
        items = [self._for_shape(part, slots, level) for part in parts]
        return etuple(*items) if kind is ExpressionTuple else kind(items)


class VariableTracer(Variable):
    """A variable of which is known what was asked.

    Parameters
    ----------
    trace
        Where the questions go.
    slot
        Which of the trace's values it stands for.
    level
        How many levels it is below the root.
    """

    __slots__ = ("_head", "_node", "level", "slot", "trace")

    def __init__(self, trace: Trace, slot: int, level: int = 0) -> None:
        self.trace = trace
        self.slot = slot
        self.level = level
        self._head: Any = UNTOLD
        self._node: Apply | None = None
        self.index = 0
        self._tag = None

    @property
    def head(self) -> Any:
        if self._head is UNTOLD:
            if self.level == DEEPEST:
                raise Unstageable(f"it looks further than {DEEPEST} levels into a graph")
            self._head = self.trace.ask(HeadOf(self.slot))
            self.trace.max_depth = max(self.trace.max_depth, self.level + 1)
        if self._head is SEVERAL_OUTPUTS:
            raise Unstageable("it looks at one of several outputs")
        return self._head

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
        """Return what has come to be known of this as a term, itself if that is nothing."""
        if self._node is None:
            return self
        arguments = [v.as_term() for v in self._node.inputs if isinstance(v, VariableTracer)]
        return Term(self._head, arguments, None)

    def __str__(self) -> str:
        return f"_{self.slot}"


class ValueTracer:
    """A computed value that is no variable; comparing it is a question."""

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
    """Return whether there is a stand-in in `x`, itself or in what a goal can make of it."""
    return any(True for _ in _tracers(x))


def _tracers(x: Any) -> Iterator[VariableTracer | ValueTracer]:
    stack = [x]
    while stack:
        item = stack.pop()
        if isinstance(item, VariableTracer | ValueTracer):
            yield item
        else:
            stack.extend(_parts(item))


def _parts(x: Any) -> Sequence[Any]:
    if isinstance(x, ExpressionTuple):
        return x._tuple  # type: ignore[no-any-return]
    if type(x) is ConsPair:
        return (x.car, x.cdr)
    if isinstance(x, Term):
        return (x.op, *x.args)
    return x if type(x) in (list, tuple) else ()


def instantiator(x: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what gives `x` with values in the place of its stand-ins, from a list by slot."""
    if isinstance(x, VariableTracer | ValueTracer):
        return itemgetter(x.slot)
    if not holds_tracer(x):
        return lambda values: x
    if isinstance(x, ExpressionTuple):
        parts = _all_of(x._tuple)
        if x._evaled_obj is ExpressionTuple.null:
            return lambda values: ExpressionTuple(parts(values))
        whole = instantiator(x._evaled_obj)
        return lambda values: ExpressionTuple(parts(values), evaled_obj=whole(values))
    parts = _all_of(_parts(x))
    if type(x) is ConsPair:
        return lambda values: cons(*parts(values))
    if isinstance(x, Term):
        ops = x._ops

        def make_term(values: Sequence[Any]) -> Term:
            op, *arguments = parts(values)
            return Term(op, arguments, ops)

        return make_term
    kind = type(x)
    return lambda values: kind(parts(values))


def _all_of(items: Sequence[Any]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    if len(items) > 1 and all(isinstance(item, VariableTracer | ValueTracer) for item in items):
        return itemgetter(*[item.slot for item in items])
    makers = [instantiator(item) for item in items]
    return lambda values: [make(values) for make in makers]


def _unifies(u: Any, v: Any) -> bool:
    return unify(u, v, {}) is not False
