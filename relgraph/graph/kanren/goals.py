"""Goals (`whereo`, `computo`, `readerso`, `argumentso`, `eacho`) and the states where they hold.

They are data too: a law renames their variables along with its own, and while a variable is
unbound, the state delays the goal. A goal of kanren is a closure: its code tells which constructor
made it, and its cells hold the parts. kanren's constraint goals modify the state that they are
given, which the branches of a `conde` share; `solutions` gives them copies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, partial
from itertools import chain, tee
from typing import Any, Self

from cons import cons
from etuples.core import ExpressionTuple
from kanren.assoccomm import assoc_flatten
from kanren.constraints import ConstrainedState, isinstanceo, neq, typeo
from kanren.core import Zzz, eq, ground_order, ifa, lall, lconj_seq, ldisj, ldisj_seq, succeed
from kanren.goals import appendo, itero, membero, nullo
from kanren.graph import mapo, reduceo, walko
from kanren.term import applyo
from unification import var
from unification.core import isground, reify, unify
from unification.utils import transitive_get

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.state import (
    GuardedState,
    SearchBudgetError,
    extended,
    guarded,
    is_settled,
)
from relgraph.graph.kanren.terms import (
    LogicVariable,
    build,
    expression_parts,
    renamed,
    variables_of,
)
from relgraph.graph.notation import is_written, number_of, same_number
from relgraph.graph.traversal import equal_computations, walk
from relgraph.graph.unify import NO_ITEMS, Tracer, same_variable
from relgraph.graph.utils import MetaObject


@cache
def is_real(dtype: Any) -> bool:
    """Return whether `dtype` is not complex."""
    return dtype is None or not str(dtype).startswith("complex")


def is_converted(var: Variable) -> bool:
    """Return whether `var` is made by an op that chooses its own dtype: a comparison or a cast."""
    return var.owner is not None and var.owner.op.converts


def dtypes_admitted(values: Iterable[Any], same: bool, complex_too: bool) -> bool:
    """Return whether a law may fire on variables of these dtypes; other values don't count.

    Parameters
    ----------
    same
        Whether they must have one dtype, the results of comparisons and casts aside.
    complex_too
        Whether they may be complex.
    """
    dtypes = {v.type.dtype for v in values if isinstance(v, Variable) and not is_converted(v)}
    dtypes.discard(None)  # of what is no tensor: a generator
    if not complex_too and not all(map(is_real, dtypes)):
        return False
    return len(dtypes) <= 1 or not same


def hold_numbers(matched: Iterable[Variable], numbers: Iterable[Any]) -> bool:
    """Return whether the constants of a graph are the numbers of a law, and not rounded ones.

    0.1 is 0.1 among float32 numbers. But a constant of float32 that is nearly 0.1 is another number
    beside float64 ones.

    Parameters
    ----------
    matched
        The variables whose nodes have been matched.
    numbers
        Those numbers of the law that a narrower dtype rounds; see `rules.Rule`.
    """
    for one in matched:
        arguments = () if one.owner is None else one.owner.inputs
        dtypes = {getattr(v.type, "dtype", None) for v in arguments} - {"bool"}
        if len(dtypes) <= 1:
            continue
        for argument in arguments:
            found = number_of(argument)
            if any(
                is_written(number, argument) and not same_number(number, found)
                for number in numbers
            ):
                return False
    return True


def only_of_constants(function: Callable[..., bool]) -> Callable[..., bool]:
    """Declare that a predicate holds for variables that are no constants, and repeat none: it need
    not be called for these."""
    function.__dict__["only_of_constants"] = True
    return function


def asks_only_constants(function: Callable[..., Any]) -> bool:
    """Return whether a predicate is declared `only_of_constants`."""
    return getattr(function, "only_of_constants", False)


@only_of_constants
def finite_constants(*values: Any) -> bool:
    """Return whether the constants among some values are finite, broadcast ones too."""
    for value in values:
        if isinstance(value, Variable):
            while value.owner is not None and value.head.repeats is not None:
                value = value.owner.inputs[value.head.repeats]
            if value.head is Constant and not value.type.all_finite(value.data):
                return False
        elif isinstance(value, tuple) and not finite_constants(*value):
            return False
    return True


def _flattened(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values, and the items of the tuples among them."""
    return chain.from_iterable(v if isinstance(v, tuple) else (v,) for v in values)


def agree(known: Any, value: Any) -> bool:
    """Return whether two values that a rule has found for one logic variable are equal.

    A number equals a constant all of whose elements are that number. A computed number is one of
    the right dtype: it is no rounded one.
    """
    if isinstance(value, Variable):
        known, value = value, known
    if not isinstance(known, Variable):
        return bool(known == value)
    if isinstance(value, Variable):
        return same_variable(known, value)
    return isinstance(value, bool | int | float | complex) and same_number(value, number_of(known))


def agree_each(known: Sequence[Any], values: Sequence[Any]) -> bool:
    """Return whether two lists of values are equal, one by one as by `agree`."""
    return len(known) == len(values) and all(map(agree, known, values))


def same_in_graph(fgraph: Any, known: Any, var: Any) -> bool:
    """Return whether two different variables of a graph are the same computation.

    In general that takes a walk through their ancestors. In a graph that is kept merged, equal
    variables other than constants would be one.
    """
    if fgraph is not None and fgraph.merged and known.head is not Constant:
        return False
    return same_variable(known, var)


def built_variables(given: Iterable[Any], new: Any) -> list[Variable]:
    """Return the variables of the built side `new` between the matched values and its root.

    The root is one of them. Those that only repeat elements of another variable are left out, since
    they have its dtype.
    """
    if not isinstance(new, Variable):
        return []
    leaves = {v for v in _flattened(given) if isinstance(v, Variable)}
    read = walk([new], lambda v: None if v.owner is None or v in leaves else v.owner.inputs)
    return [new, *computed_among(read, leaves)]


def computed_among(made: Iterable[Variable], given: Iterable[Any]) -> list[Variable]:
    """Return those of `made` that are not in `given` and do not only repeat elements."""
    leaves = set(_flattened(given))
    return [
        v for v in made if v.owner is not None and v.owner.op.repeats is None and v not in leaves
    ]


def fitted(new: Any, old: Variable) -> Variable | None:
    """Return `new` fitted to the type of `old`, or None if that is impossible."""
    if new is None or isinstance(new, MetaObject):
        return None
    result: Variable | None = old.type.fit(new, old)
    return result


class Condition:
    """A goal over variables of a law that is delayed until they are bound.

    Attributes
    ----------
    function
        What is evaluated on the values. It may say of itself by an attribute ``depth`` how many
        levels of nodes it looks at.
    """

    def __init__(self, function: Callable[..., Any], variables: tuple[Any, ...]) -> None:
        self.function = function
        self.variables = variables

    @property
    def depth(self) -> int:
        """How many levels of nodes it looks at below the pattern."""
        return getattr(self.function, "depth", 0)

    def on(self, variables: tuple[Any, ...]) -> Self:
        """Return the same condition on other variables."""
        made = copy(self)
        made.variables = variables
        return made

    def rename(self, names: Mapping[Any, Any]) -> Self:
        """Return the same condition on renamed variables."""
        return self.on(renamed(self.variables, names))

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        """Return the state that follows from `s` now that `variables` are `values`, or False."""
        raise NotImplementedError(type(self).__name__)

    def values(self, s: Any) -> tuple[Any, ...]:
        """Return the values of `variables` in a state."""
        return tuple([() if v is NO_ITEMS else v for v in reify(self.variables, s)])

    def decide(self, s: Any) -> Any:
        """Return the state that follows from `s`, False, or None while a variable is unbound."""
        values = self.values(s)
        return self.check(values, s) if isground(values, {}) else None

    def __call__(self, s: Any) -> Iterator[Any]:
        after = self.decide(s)
        if after is None:
            yield guarded(s).delay(self)
        elif after is not False:
            yield after

    @property
    def binds(self) -> list[Any]:
        """The variables that this goal gives a value to."""
        return []

    def open_variables(self) -> list[Any]:
        """Return all logic variables of the goal."""
        return [*variables_of(self.variables), *self.binds]

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", str(self.function))
        return f"{name}({', '.join(map(str, self.variables))})"


def evaluated(s: Any, function: Callable[..., Any], *values: Any) -> Any:
    """Return ``function(*values)``; in the state of a traced run by a question to the trace."""
    fgraph = getattr(s, "fgraph", None)
    if isinstance(fgraph, Tracer):
        return fgraph.trace.compute(function, *values)
    return function(*values)


class Where(Condition):
    """The goal that `predicate` holds for some variables; see `whereo`."""

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        return s if evaluated(s, self.function, *values) else False


class Compute(Condition):
    """The goal that a variable is a function of others; see `computo`."""

    def __init__(self, out: Any, function: Callable[..., Any], variables: tuple[Any, ...]) -> None:
        super().__init__(function, variables)
        self.out = out

    @property
    def binds(self) -> list[Any]:
        return variables_of(self.out)

    def rename(self, names: Mapping[Any, Any]) -> Self:
        made = super().rename(names)
        made.out = renamed(self.out, names)
        return made

    @property
    def asks_graph(self) -> bool:
        """Whether the first argument of the function is the graph (None without a graph)."""
        return bool(getattr(self.function, "asks_graph", False))

    def computed(self, values: tuple[Any, ...], fgraph: Any = None) -> Any:
        """Return the value of the function for `values` (of variables of `fgraph`, if given)."""
        return self.function(fgraph, *values) if self.asks_graph else self.function(*values)

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        given = (getattr(s, "fgraph", None), *values) if self.asks_graph else values
        value, known = evaluated(s, self.function, *given), reify(self.out, s)
        if isinstance(known, Variable):
            return s if evaluated(s, agree, known, value) else False
        return unify(self.out, value, s)

    def __str__(self) -> str:
        return f"{self.out} = {super().__str__()}"


ReadersTest = Callable[[Any, Variable], bool]


class Readers(Condition):
    """The goal that a predicate holds for the clients of a variable; see `readerso`."""

    @property
    def depth(self) -> int:
        # The readers of what the lowest nodes read are one level more. Those of what a part of the
        # pattern computes are at most as deep as the pattern.
        return 0 if expression_parts(self.variables[0]) else 1

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        fgraph = getattr(s, "fgraph", None)
        return s if evaluated(s, holds_of_readers, self.function, fgraph, values[0]) else False


def holds_of_readers(test: ReadersTest, fgraph: Any, var: Any) -> bool:
    """Return whether `test` holds for a graph and a variable in it; True without a graph.

    Parameters
    ----------
    var
        A variable, or a term for a variable of the graph.
    """
    if fgraph is None:
        return True
    return test(fgraph, found_in(fgraph, var))


def found_in(fgraph: Any, var: Any) -> Variable:
    """Return the variable of a graph that computes a term, or a new one; a variable is returned as
    it is."""
    if isinstance(var, Variable):
        return var
    made: Variable = build(var)
    return made if fgraph is None else _found_in(fgraph, made)


def one_client(fgraph: Any, var: Variable) -> bool:
    """Return whether `var` has at most one client in a graph."""
    return len(fgraph.clients.get(var, ())) <= 1


def _found_in(fgraph: Any, made: Variable) -> Variable:
    """Return the variable of a graph with the op and the inputs of `made`; else `made`."""
    node = made.owner
    # what is in the graph is not made anew, and neither is anything below it
    if node is None or not node.inputs or node in fgraph.apply_nodes:
        return made
    inputs = [_found_in(fgraph, v) for v in node.inputs]
    read = next((v for v in inputs if not isinstance(v, Constant)), inputs[0])
    for reader, _ in fgraph.clients.get(read, ()):
        if isinstance(reader, str) or reader.op is not node.op:
            continue
        if len(reader.inputs) == len(inputs) and equal_computations(reader.inputs, inputs):
            found: Variable = reader.outputs[made.index]
            return found
    return made


def goal(predicate: Callable[..., bool]) -> Callable[..., Where]:
    """Return the constructor of the goal that a predicate holds for some variables."""

    def construct(*variables: Any) -> Where:
        return whereo(predicate, *variables)

    construct.__name__ = predicate.__name__.partition("_")[2] + "o"
    construct.__doc__ = (predicate.__doc__ or "").replace(
        "Return whether", "Construct the goal that", 1
    )
    return construct


def whereo(predicate: Callable[..., bool], *variables: Any) -> Where:
    """Construct the goal that `predicate` holds for the values of `variables`.

    It is evaluated when all of them are bound.
    """
    return Where(predicate, variables)


def one_ofo(op: Any, ops: Collection[Any]) -> Where:
    """Construct the goal that `op`, a part of a pattern, is one of some ops."""

    def is_among(one: Any) -> bool:
        return one in ops

    is_among.__name__ = f"is_one_of_{'_'.join(map(str, ops))}"
    return whereo(is_among, op)


def not_made_byo(variable: Any, op: Any) -> Where:
    """Construct the goal that no node of an op computes `variable`."""

    def is_made_otherwise(given: Any) -> bool:
        return given.head is not op

    is_made_otherwise.__name__ = f"is_no_{op}"
    is_made_otherwise.__dict__["depth"] = 1
    return whereo(is_made_otherwise, variable)


def computo(out: Any, function: Callable[..., Any], *variables: Any) -> Compute:
    """Construct the goal that `out` is ``function(*variables)``.

    It is computed when all of `variables` are bound. If the function has a true attribute
    `asks_graph`, its first argument is the FunctionGraph, or None without one.
    """
    return Compute(out, function, variables)


def is_found(result: Any) -> bool:
    """Return whether a computation has a result: it gives None where there is nothing to do, or
    where it can't be told."""
    return result is not None


class Computed(LogicVariable):
    """A variable of a law whose value a function computes; see `computed`.

    Attributes
    ----------
    compute, goals
        That it is what the function computes; and with that, if it has to be found, that this is
        not None.
    """

    __slots__ = ("compute", "goals")
    compute: Compute
    goals: tuple[Condition, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(computed, text=self.token, found=len(self.goals) > 1)
        return made, (self.compute.function, *self.compute.variables)


def computed(
    function: Callable[..., Any], *variables: Any, text: str | None = None, found: bool = True
) -> Computed:
    """Return the variable that is ``function(*variables)``.

    It stands where its value stands, in a term, in a parameter of an op, or in `several`:
    ``law("take-run", x[positions], Subtensor(computed(equivalent_slice, positions, x))(x))``.

    Parameters
    ----------
    text
        How it is written; by default as the call.
    found
        Whether a law does not match where it is None, which says that there is nothing to do.
    """
    called = f"{getattr(function, '__name__', function)}({', '.join(map(str, variables))})"
    made = object.__new__(Computed)
    made.token = called if text is None else text
    made._ops = next((v._ops for v in variables_of(variables) if hasattr(v, "_ops")), None)
    made.compute = computo(made, function, *variables)
    made.goals = (made.compute, whereo(is_found, made)) if found else (made.compute,)
    return made


class Given(LogicVariable):
    """A variable of which goals hold in every law that has it; see `given`.

    Attributes
    ----------
    goals
        The goals about it.
    """

    __slots__ = ("goals",)
    goals: tuple[Condition, ...]


def given(plain: LogicVariable, *goals: Callable[[Any], Condition]) -> Given:
    """Return a variable named as `plain`, of which goals hold in every law or view that has it."""
    made = object.__new__(Given)
    made.token, made._ops = plain.token, plain._ops
    made.goals = tuple([goal(made) for goal in goals])
    return made


def with_goals_of_variables(conditions: Iterable[Any], *parts: Any) -> tuple[Any, ...]:
    """Return conditions and those that come with the variables in them, computed or given ones,
    each of these where it is first needed; last come those of the variables in `parts`."""
    every: dict[Any, None] = {}

    def add(goals: Iterable[Any], needed: Iterable[Any]) -> None:
        for v in needed:
            if isinstance(v, Given):
                every.update(dict.fromkeys(v.goals))
            elif isinstance(v, Computed) and v.compute not in every:
                add(v.goals, variables_of(v.compute.variables))
        every.update(dict.fromkeys(goals))

    for condition in conditions:
        stated = isinstance(condition, Condition)
        add([condition], variables_of(condition.variables) if stated else ())
    add((), variables_of(parts))
    return tuple(every)


def readerso(test: ReadersTest, variable: Any) -> Readers:
    """Construct the goal that ``test(fgraph, variable)`` holds: a test of the variable's clients.

    `variable` may be a term, a part of what the law matches. Without a graph, as in plain `run`,
    the goal holds.
    """
    return Readers(test, (variable,))


def one_cliento(variable: Any) -> Readers:
    """Construct the goal that `variable` has one client in its FunctionGraph.

    To be an output counts as a client; see `readerso`.
    """
    return readerso(one_client, variable)


def renamed_goal(goal: Any, names: Mapping[Any, Any]) -> Any:
    """Return `goal` on renamed variables."""
    if isinstance(goal, Condition):
        return goal.rename(names)

    def on_new_variables(s: Any) -> Iterator[Any]:
        # the goal hides its variables, so they are bound to the new ones while it runs
        start = extended(s, names)
        for answer in goal(start) if start is not False else ():
            data = {k: v for k, v in answer.items() if k not in names}
            copied: Any = answer
            yield copied.copy(data) if isinstance(answer, ConstrainedState) else data

    return on_new_variables


_mapo: Any = mapo


def argumentso(term_lv: Any, op: Any, args_lv: Any) -> Any:
    """Construct the goal that `term_lv` is `op` applied to the arguments `args_lv`.

    It works in both directions: from a variable of a graph to its arguments, an etuple; and from
    arguments (an etuple, or a list such as kanren's `mapo` makes) to the term. `whereo` and
    `computo` may be given all arguments at once::

        @relation("add-same", sound="rounding")
        def add_same(in_lv, out_lv):
            x, n, args = lvars("x n args")
            return lall(
                argumentso(in_lv, at.add, args),
                whereo(all_the_same, args),
                computo(x, first, args),
                computo(n, len, args),
                eq(out_lv, n * x),
            )

    and `eacho` relates them one by one. kanren's `applyo` is the same relation, but evaluates a
    term whose op and arguments are known, which fails if there are logic variables in them.

    Parameters
    ----------
    term_lv
        A variable of a graph, a term, or a logic variable.
    op
        An `Op`, a term or etuple for ops of one class (``etuple(Elemwise, scalar_op, pattern)``),
        or a logic variable.
    args_lv
        The arguments, or a logic variable; ``cons(x, rest)`` to tell the first from the others.
    """
    return eq(cons(op, args_lv), term_lv)


class Each:
    """The goal that a relation holds between the items of two lists; see `eacho`."""

    def __init__(self, relation: Callable[[Any, Any], Any], items: Any, others: Any) -> None:
        self.relation = relation
        self.items = items
        self.others = others

    def __call__(self, s: Any) -> Iterator[Any]:
        left, right = (transitive_get(x, s) for x in (self.items, self.others))
        known = next((x for x in (left, right) if type(x) in (list, tuple, ExpressionTuple)), None)
        if known is None:
            yield from _mapo(self.relation, left, right)(s)
            return
        left_items = known if left is known else _fresh_like(known)
        right_items = known if right is known else _fresh_like(known)
        start = unify([left_items, right_items], [left, right], s)
        # a list of states for each item, since streams within streams would nest too deep
        states = [] if start is False else [start]
        for a, b in zip(left_items, right_items, strict=True):
            states = [after for state in states for after in self.relation(a, b)(state)]
        yield from states


def _fresh_like(known: Sequence[Any]) -> Any:
    kind: Any = type(known)
    return kind([var() for _ in known])


def eacho(relation: Callable[[Any, Any], Any], items_lv: Any, others_lv: Any) -> Each:
    """Construct the goal that `relation` holds between the items of two lists, place by place.

    This is kanren's `mapo` if one list is known, with two differences: it does not recurse, so
    that lists may be long; and the other list has the type of the known one. The answers of the
    last pair vary fastest.

    Parameters
    ----------
    relation
        Takes an item of each list, which may be logic variables (kanren's own, so that an op on
        one is written ``etuple(op, x)``), and gives a goal.
    items_lv, others_lv
        Lists, tuples or etuples, or logic variables. If both are unbound, it is `mapo`.
    """
    return Each(relation, items_lv, others_lv)


def _code(make: Any, *args: Any) -> Any:
    """Return the code of the goals that a goal constructor makes."""
    return make(*args).__code__


EQ = _code(eq, 0, 0)
CONJ = _code(lall, succeed, succeed)
DISJ = _code(ldisj, succeed, succeed)
ZZZ = _code(Zzz, lambda _: succeed, None)
NEQ = _code(neq, 0, 0)
ASSOC_FLATTEN = _code(assoc_flatten, 0, 0)
APPLYO = _code(applyo, 0, 0, 0)
IFA = _code(ifa, succeed, succeed)
REDUCEO = _code(reduceo, eq, 0, 0)
WALKO = _code(walko, eq, 0, 0)

TERM_SHAPE_GOALS = frozenset(
    [
        _code(nullo, 0),
        _code(itero, 0),
        _code(membero, 0, 0),
        _code(appendo, 0, 0, 0),
        _code(ground_order, (), ()),
    ]
)
"""Goals that only test whether a term is unbound, a sequence or a cons pair."""


def code_of(goal: Any) -> Any:
    """Return the code of a goal, to compare with the constants above; None if it has none."""
    return getattr(goal, "__code__", None)


def name_of(goal: Any) -> str:
    """Return the name of a goal for reports: that of its constructor, if it can be told."""
    name = getattr(goal, "__qualname__", None)
    if not isinstance(name, str):
        return type(goal).__name__
    around = name.split(".<locals>.")
    return around[-2] if len(around) > 1 else name


def cells_of(goal: Any) -> dict[str, Any]:
    """Return the variables that a goal closes over, by name."""
    names, cells = goal.__code__.co_freevars, goal.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def goals_of(goal: Any) -> Iterator[Any]:
    """Return the goals of a conjunction or disjunction.

    It may hold them as an iterator, even an endless one, of which it is left a copy.
    """
    cell = goal.__closure__[goal.__code__.co_freevars.index("goals")]
    cell.cell_contents, goals = tee(cell.cell_contents)
    return goals


Goal = Callable[[Any], Iterator[Any]]


def solutions(
    goal: Goal, start: GuardedState, prepared: Callable[[Goal], Goal] | None = None
) -> Iterator[GuardedState]:
    """Yield the states in which `goal` holds and no goal is delayed; see `outcomes`."""
    return filter(is_settled, outcomes(goal, start, prepared))


def outcomes(
    goal: Goal, start: GuardedState, prepared: Callable[[Goal], Goal] | None = None
) -> Iterator[GuardedState]:
    """Yield the states in which `goal` holds, or will hold if the goals that are delayed do.

    Parameters
    ----------
    goal, start
        The goal, and the state to run it in.
    prepared
        A function that makes the goal safe to run; by default `isolated`.

    Raises
    ------
    TypeError
        If `goal`, or a part of it, is not a goal.
    SearchBudgetError
        If the budget of `start` is used up, or the search goes deeper than Python's stack.
    """
    who = "" if start.budget is None else f" {start.budget.who}"
    try:
        stream = (prepared or isolated)(goal)(start)
        if not isinstance(stream, Iterable):
            raise TypeError(
                f"the relation{who} gave {goal!r}, which is not a goal: on a state it gave "
                f"{stream!r} instead of a stream of states"
            )
        yield from stream
    except RecursionError:
        raise SearchBudgetError(
            f"the relation{who} went deeper than Python's stack without coming to an end"
        ) from None


def isolated(goal: Goal) -> Goal:
    """Return `goal` with the constraint goals found in it run on copies of the state."""
    if not callable(goal):
        raise TypeError(f"{goal!r} stands where a goal such as eq(in, out) is wanted")
    if code_of(goal) in _MODIFYING:
        return lambda s: goal(s.copy())
    return over_parts(goal, lambda part, _: isolated(part)) or goal


def over_parts(goal: Goal, prepared: Callable[[Goal, int], Goal]) -> Goal | None:
    """Return a goal with other goals in it; None if none are found in it.

    Parameters
    ----------
    prepared
        A function of one of the goals and of how many must hold before it, that returns what takes
        its place. It is called when the goal is about to run.
    """
    if isinstance(goal, Each):
        related = goal.relation
        return Each(lambda x, y: prepared(related(x, y), 0), goal.items, goal.others)
    code = code_of(goal)
    if code is CONJ:
        return lconj_seq(prepared(part, i) for i, part in enumerate(goals_of(goal)))
    if code is DISJ:
        return ldisj_seq(prepared(part, 0) for part in goals_of(goal))
    if code is ZZZ:
        make = cells_of(goal)
        return lambda s: prepared(make["gctor"](*make["args"], **make["kwargs"]), 0)(s)
    if code is IFA:
        cells = cells_of(goal)
        return ifa(prepared(cells["g1"], 0), prepared(cells["g2"], 0))
    return None


_CONSTRAINTS: tuple[Any, ...] = (neq, typeo, isinstanceo)
_MODIFYING = {constraint(0, int).__code__ for constraint in _CONSTRAINTS}
