"""Local optimizers: `KanrenRelationSub` of a relation, `LawRewriter` of one direction of a law."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from numbers import Number
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from etuples.core import ExpressionTuple
from unification import var
from unification.core import reify

from relgraph.graph.basic import Apply, Variable, equal_computations
from relgraph.graph.kanren.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.compilation import (
    CompiledRelation,
    Specialization,
    StagedRelation,
    extract,
)
from relgraph.graph.kanren.explanation import Explanation, explain
from relgraph.graph.kanren.goals import fitted, solutions
from relgraph.graph.kanren.rules import Rule, is_ac, rules_sought
from relgraph.graph.kanren.state import Budget, GuardedState
from relgraph.graph.kanren.terms import (
    OpenAnswerError,
    as_call,
    build,
)
from relgraph.graph.opt.base import LocalOptimizer, display_name
from relgraph.graph.utils import Uncopied

if TYPE_CHECKING:
    from relgraph.graph.kanren.laws import Law


def first_answer(answers: Iterator[Any]) -> Any:
    """Return the first answer of a stream; None if there is none.

    As the filter of a `KanrenRelationSub` it is called again if an answer does not fit.
    """
    return next(answers, None)


def every_node(node: Apply) -> bool:
    """Return True: the usual `node_filter`."""
    return True


class KanrenRelationSub(LocalOptimizer):
    """A relation ``(in, out) -> goal`` as a local optimizer.

    A node is replaced by the first answer ``q`` of ``relation(node's output, q)`` that fits: it can
    have the type of the output, and is not the output itself. It stays if the answer is computed in
    the same way as it is, as what `walko` builds. For a node with several outputs the
    relation is given the list of them, and answers with a list. If it has no answer to that, it is
    asked about each output that is used, which unifies with
    ``etuple(nth, index, etuple(op, ...))``.

    Parameters
    ----------
    kanren_relation
        A function of an output and a logic variable that returns a goal.
    results_filter
        A function of the stream of answers that returns the one to use, or None for no rewrite.
    node_filter
        A predicate of the nodes to try the relation on.
    name
        Its name in reports; by default that of the relation.
    """

    def __init__(
        self,
        kanren_relation: Callable[[Any, Any], Any],
        results_filter: Callable[[Iterator[Any]], Any] = first_answer,
        node_filter: Callable[[Apply], bool] = every_node,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.kanren_relation = kanren_relation
        self.results_filter = first_answer if results_filter is None else results_filter
        self.node_filter = node_filter
        self.name = name or display_name(kanren_relation)
        self.takes_first = self.results_filter is first_answer

    def might_match_op(self, node: Apply) -> bool:
        rules = self._rules_for(node)
        return rules is None or any(rule.might_match_op(node.op) for rule in rules)

    def might_match(self, node: Apply) -> bool:
        rules = self._rules_for(node)
        return rules is None or any(rule.might_match(node) for rule in rules)

    @cached_property
    def _sought(self) -> dict[int, Sequence[Rule] | None]:
        """The results of `rules_sought` by number of outputs."""
        return {}

    def _rules_for(self, node: Apply) -> Sequence[Rule] | None:
        """Return rules of which one matches `node` if there is an answer; None if not known."""
        if not self.takes_first:
            return None
        outputs = len(node.outputs)
        if outputs not in self._sought:
            self._sought[outputs] = rules_sought(self.kanren_relation, node.outputs)
        return self._sought[outputs]

    @cached_property
    def staged(self) -> StagedRelation:
        """The relation compiled if it is closed, and specialized if it is open."""
        return self.specialization if self.closed is None else self.closed

    @cached_property
    def closed(self) -> CompiledRelation | None:
        """The compiled rules of the relation, if it is closed."""
        try:
            extraction = extract(self.kanren_relation, str(self))
            return CompiledRelation(self.kanren_relation, self.search, extraction)
        except NotCompilable:
            return None

    @cached_property
    def specialization(self) -> Specialization:
        """The relation specialized for the structures that it has met, if it is open."""
        return Specialization(self.kanren_relation, self.search)

    def transform(self, fgraph: Any, node: Apply) -> Any:
        """Return the replacements of the outputs of `node`, or False; raises like `search`."""
        if not self.takes_first or len(node.outputs) != 1:
            return self.search(fgraph, node)
        if not self.node_filter(node):
            return False
        answer = self.staged.transform(fgraph, node)
        is_again = answer is not False and equal_computations(node.outputs, answer, same_calls=True)
        return False if is_again else answer

    def search(self, fgraph: Any, node: Apply) -> Any:
        """Run the relation on `node` itself, which defines what `transform` returns.

        Raises
        ------
        TypeError
            If the relation returns something that is not a goal.
        OpenAnswerError
            If the answer contains a logic variable.
        """
        if not self.node_filter(node):
            return False
        if len(node.outputs) == 1:
            return self._first_fitting(fgraph, node, node.outputs[0], node.outputs)
        new = self._first_fitting(fgraph, node, node.outputs, node.outputs)
        if new is not False:
            return new
        for old in node.outputs:
            if fgraph is None or fgraph.clients.get(old):
                new = self._first_fitting(fgraph, node, old, [old])
                if new is not False:
                    return {old: new[0]}
        return False

    def _first_fitting(
        self, fgraph: Any, node: Apply, target: Any, olds: Sequence[Variable]
    ) -> list[Variable] | typing.Literal[False]:
        """Return the first answer for `target` that fits the types of `olds`, or False.

        Parameters
        ----------
        target
            The argument of the relation: the outputs of `node`, or one of them.
        olds
            The outputs to replace.
        """
        stream = self._answers(fgraph, target)
        while (answer := self.results_filter(stream)) is not None:
            try:
                built = (
                    [build(answer)]
                    if target is not olds
                    else _built_outputs(answer, node, str(self))
                )
            except OpenAnswerError as error:
                raise OpenAnswerError(f"the relation {self}, asked about {node}: {error}") from None
            except (TypeError, ValueError, IndexError, OverflowError) as error:
                raise type(error)(
                    f"the relation {self}, asked about {node}, answered {as_call(answer)}, which "
                    f"can't be built: {error}"
                ) from error
            new = _fitted(olds, built)
            if new is False and (strange := _no_answer_among(built)):
                raise TypeError(
                    f"the relation {self}, asked about {node}, answered {strange[0]!r}, which "
                    "is no variable, number or array"
                )
            if new is not False or self.results_filter is not first_answer:
                return new
        return False

    def _answers(self, fgraph: Any, target: Any) -> Iterator[Any]:
        """Return the stream of the relation's answers for `target`."""
        q = var()
        goal = self.kanren_relation(target, q)
        if not callable(goal):
            raise TypeError(
                f"the relation {self.name} gave {goal!r}, which is not a goal: a relation takes "
                "(in, out) and returns a kanren goal such as eq(in, out) or lall(...)"
            )
        start = GuardedState(budget=Budget(str(self)), fgraph=fgraph)
        return (reify(q, s) for s in solutions(goal, start))

    def __getstate__(self) -> dict[str, Any]:
        # compiled functions are made again
        found = ("_sought", "closed", "specialization", "staged", "transform")
        return {k: v for k, v in vars(self).items() if k not in found}

    def explain(self, variable: Any) -> Explanation:
        """Return why the relation does not match `variable`, or its answer if it does."""
        return explain(self, variable, display_name(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def _built_outputs(answer: Any, node: Apply, name: str) -> list[Any]:
    is_list = isinstance(answer, Sequence) and not isinstance(answer, ExpressionTuple)
    if not is_list or len(answer) != len(node.outputs):
        raise TypeError(
            f"the relation {name} answered {answer!r} for {node}, which has "
            f"{len(node.outputs)} outputs: it should answer with a list of as many"
        )
    return [build(a) for a in answer]


def _no_answer_among(built: Sequence[Any]) -> list[Any]:
    """Return what can't be an answer of any relation, whatever the type of the node."""
    return [
        x
        for x in built
        if not (x is None or isinstance(x, Variable | Number) or hasattr(x, "__array__"))
    ]


def _fitted(
    olds: Sequence[Variable], answers: Sequence[Any]
) -> list[Variable] | typing.Literal[False]:
    """Return answers fitted to the types of `olds`; False if one does not fit or none is new."""
    fits = [fitted(new, old) for old, new in zip(olds, answers, strict=True)]
    found = [fit for fit in fits if fit is not None]
    is_new = any(fit is not old for fit, old in zip(fits, olds, strict=True))
    return found if len(found) == len(olds) and is_new else False


class LawRewriter(Uncopied, KanrenRelationSub):
    """One direction of a law as a local optimizer.

    Its rule is compiled when it is first used; a law that can't be compiled is searched on each
    node.

    Attributes
    ----------
    law
        The law.
    rule
        The rule of this direction.
    """

    # computed on first use: most laws of a phase are about ops that a graph does not have
    depth: Any = cached_property(attrgetter("rule.depth"))
    subsumes_nested: Any = cached_property(attrgetter("rule.subsumes_nested"))
    collapses: Any = cached_property(attrgetter("rule.collapses"))
    required_numbers: Any = cached_property(attrgetter("rule.required_numbers"))

    def __init__(self, law: Law, rule: Rule, goal: Callable[[Any, Any], Any]) -> None:
        super().__init__(goal, name=rule.name)
        self.law = law
        self.rule = rule
        self.late, self.inward, self.flattens = law.late, law.inward, law.flattens

    def tracks(self) -> list[Any] | None:
        return None if self.rule.root is None else [self.rule.root]

    def _rules_for(self, node: Apply) -> Sequence[Rule]:
        return (self.rule,)

    def might_match_sum(self, heads: Sequence[Any]) -> bool:
        rule = self.rule
        return not rule.regroup or not is_ac(rule.root) or rule.might_match_sum(heads)

    def transform(self, fgraph: Any, node: Apply) -> Any:
        # the compiled function hides this method: one call less for each node
        self.__dict__["transform"] = run = self._function()
        return run(fgraph, node)

    def _function(self) -> Callable[[Any, Apply], Any]:
        try:
            compiled = compile_rule(self.rule)
        except NotCompilable:
            return self.search
        if getattr(self.rule.root, "nout", None) == 1 or self.rule.output is not None:
            return compiled
        # on a node with several outputs, each output that is used may match
        return lambda fgraph, node: (
            compiled(fgraph, node) if len(node.outputs) == 1 else self.search(fgraph, node)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        backward = self.rule.name != self.law.name
        return getattr, (self.law, "backward" if backward else "forward")
