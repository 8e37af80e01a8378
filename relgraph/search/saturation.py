"""Saturation: laws are applied to an e-graph until they say nothing new, or a bound is met.

What is in the e-graph is written as facts, and the pattern of a rule as a query over them: a join
of the relations of its parts, which egglog evaluates on new facts alone (Zhang et al., "Better
together: unifying Datalog and equality saturation", PLDI 2023). Its matches are handed back to
Python between rounds. A sum or product is a set of arguments there, so that its order and its
grouping cost nothing; the other ops have an argument at each place.

========================== =====================================================================
``(n2x op c a b)``         in the class `c` is a term of the op with this number on two classes
``(s op m c)``             in the class `c` is the sum or product number `m`
``(h m i a)``              its argument `i` is in the class `a`
``(k l c)``                the class `c` is the constant that leaf `l` of some rule stands for
``(z c)``, ``(w op)``      the class `c` is a number, and the op says nothing more about it
``(on rule)``              the query of the rule is switched on
``(p7x c ...)``            the class `c` is what some part of a pattern says of others
``(q5x rule ...)``         a match of a rule: the numbers of terms, sums and places
========================== =====================================================================
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol, cast

from egglog.bindings import EGraph as Egglog

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.rules import Rule, is_ac
from relgraph.graph.kanren.terms import Literal
from relgraph.graph.op import Op
from relgraph.graph.unify import same_variable
from relgraph.search.egraph import EGraph, Reason
from relgraph.search.laws import Direction
from relgraph.search.translation import (
    REGROUPINGS,
    DroppingUnits,
    Instance,
    Query,
    QueryWriter,
    bound_heads,
    heads_of,
    is_about_ops,
)

_PRELUDE = """
(sort E)
(constructor V (i64) E)
(function rep (E) i64 :merge (min old new))
(relation in_v (i64))
(relation in_u (i64 i64))
(relation in_dead (i64))
(relation in_on (i64))
(relation in_off (i64))
(relation on (i64))
(ruleset load)
(ruleset parts)
(ruleset match)
(ruleset clear)
(rule ((in_v a)) ((set (rep (V a)) a) (delete (in_v a))) :ruleset load)
(rule ((in_u a b)) ((union (V a) (V b)) (delete (in_u a b))) :ruleset load)
(rule ((in_on r)) ((on r) (delete (in_on r))) :ruleset load)
(rule ((in_off r)) ((delete (on r)) (delete (in_off r))) :ruleset load)
"""

_SUMS_ARE_DROPPED = """
(rule ((in_dead m) (s o m c)) ((delete (s o m c))) :ruleset load)
(rule ((in_dead m) (h m i a)) ((delete (h m i a))) :ruleset load)
(rule ((z c) (w o) (s o m c)) ((delete (s o m c))) :ruleset load)
"""

_KINDS = {"v": "E", "i": "i64"}
"""What a column of a fact holds: the class of a term, or a number."""

Match = tuple[int, ...]


class Matcher:
    """Facts about an e-graph, and the queries of rules over them.

    Use it in a ``with`` statement: facts are handed over in files of a temporary folder.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._egglog = Egglog(fact_directory=self._folder.name)
        self._run(_PRELUDE)
        self._relations: set[str] = set()
        self._facts: dict[str, list[Sequence[int]]] = {}
        self._widths: set[int] = set()
        self._parts: dict[tuple[str, ...], str] = {}
        self._program: list[str] = []
        for relation, columns in (("s", "iiv"), ("h", "iiv"), ("k", "iv"), ("z", "v"), ("w", "i")):
            self.declare(relation, columns)
        self._program.append(_SUMS_ARE_DROPPED)

    def __enter__(self) -> Matcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def declare(self, relation: str, columns: str) -> None:
        """Declare a relation whose columns hold classes (``v``) and numbers (``i``)."""
        if relation in self._relations:
            return
        self._relations.add(relation)
        names = [f"x{k}" for k in range(len(columns))]
        values = [f"(V {n})" if c == "v" else n for n, c in zip(names, columns, strict=True)]
        self._program += [
            f"(relation {relation} ({' '.join(_KINDS[c] for c in columns)}))",
            f"(relation in_{relation} ({' '.join('i64' for _ in columns)}))",
            f"(rule ((in_{relation} {' '.join(names)})) (({relation} {' '.join(values)}) "
            f"(delete (in_{relation} {' '.join(names)}))) :ruleset load)",
        ]
        if relation.startswith("n"):
            fact = f"({relation} {' '.join(names)})"
            self._program.append(f"(rule ((z x1) (w x0) {fact}) ((delete {fact})) :ruleset load)")

    def state(self, relation: str, *values: int) -> None:
        """State a fact; terms are given by number."""
        self._facts.setdefault(relation, []).append(values)

    def ask(self, rule: int, facts: Sequence[str], columns: Sequence[str]) -> None:
        """Add the query of a rule: facts over variables, and those of them that a match gives."""
        width = len(columns) + 1
        if width not in self._widths:
            self._widths.add(width)
            names = " ".join(f"x{k}" for k in range(width))
            self._program += [
                f"(relation q{width}x ({' '.join('i64' for _ in range(width))}))",
                f"(rule ((q{width}x {names})) ((delete (q{width}x {names}))) :ruleset clear)",
            ]
        head = f"(q{width}x {rule} {' '.join(columns)})"
        self._program.append(f"(rule ((on {rule}) {' '.join(facts)}) ({head}) :ruleset match)")
        self.switch(rule, on=True)

    def part(self, facts: Sequence[str], columns: Sequence[str], kinds: str) -> str:
        """Return the relation of what some facts hold of, which rules may share.

        Parameters
        ----------
        columns, kinds
            The variables that it relates, and whether each is a class (``v``) or a number (``i``).
        """
        key = (*facts, "of", *columns)
        if key not in self._parts:
            name = self._parts[key] = f"p{len(self._parts)}x"
            self._program.append(f"(relation {name} ({' '.join(_KINDS[k] for k in kinds)}))")
            head = f"({name} {' '.join(columns)})"
            self._program.append(f"(rule ({' '.join(facts)}) ({head}) :ruleset parts)")
        return self._parts[key]

    def switch(self, rule: int, on: bool) -> None:
        """Switch the query of a rule on or off; once it is on again, all its matches are new."""
        self.state("on" if on else "off", rule)

    def drop(self, term: int) -> None:
        """Drop a sum or product from the facts: another one says the same."""
        self.state("dead", term)

    def matches(self) -> list[Match]:
        """Return the new matches: the number of a rule, and the values of its columns."""
        self._flush()
        self._run("(run-schedule (saturate (run parts)) (run match))")
        functions = self._egglog.freeze().functions
        number = self._egglog.value_to_i64
        found = [
            tuple(map(number, row.inputs))
            for width in sorted(self._widths)
            for row in functions[f"q{width}x"].rows
        ]
        self._run("(run clear 1)")
        found.sort()
        return found

    def _flush(self) -> None:
        for command in self._program:
            # one by one: every part of what is parsed carries all of the text
            self._run(command)
        self._program.clear()
        if not self._facts:
            return
        commands = []
        for relation, rows in self._facts.items():
            text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
            Path(self._folder.name, f"{relation}.facts").write_text(text, encoding="ascii")
            commands.append(f'(input in_{relation} "{relation}.facts")')
        self._facts.clear()
        # once more, since what is stated may be what is to be dropped
        self._run(" ".join([*commands, "(run load 2)"]))

    def _run(self, program: str) -> Any:
        return self._egglog.run_program(*self._egglog.parse_program(program))


MAX_COMBINATIONS = 64
"""How many combinations of ops a rule about classes of ops is asked about for each new op."""


class UnitingLaw(Protocol):
    """What unites two classes: its label, and its soundness class."""

    @property
    def label(self) -> str: ...
    @property
    def sound(self) -> str: ...


class Asked(Protocol):
    """What egglog is asked, and what a match says."""

    query: Query

    def sides(self, egraph: EGraph, match: Sequence[int]) -> tuple[Variable, Variable] | None: ...


class Questions:
    """The facts about an e-graph and the queries of laws, as egglog has them.

    A law is asked about when all its ops have been met: most laws of the book are about ops that an
    expression has not.

    Parameters
    ----------
    egraph
        The e-graph.
    matcher
        What is told and asked.
    directions
        The directions of laws; those without a rule are nothing to egglog.

    Attributes
    ----------
    asked
        What has been asked, with the law that it is for; the number of a match is a place here.
    sums
        The sums and products that have been stated and not been dropped.
    """

    def __init__(self, egraph: EGraph, matcher: Matcher, directions: Sequence[Direction]) -> None:
        self.asked: list[tuple[UnitingLaw, Asked]] = []
        self.sums: list[int] = []
        self._egraph, self._matcher = egraph, matcher
        self._by_head: defaultdict[Any, list[Direction]] = defaultdict(list)
        for direction in directions:
            for head in set(heads_of(direction.parts)):
                self._by_head[head].append(direction)
        self._ops: dict[tuple[Op, int], int] = {}
        self._ops_of: defaultdict[Any, list[tuple[Op, int]]] = defaultdict(list)
        self._leaves: list[Any] = []
        self._constants: list[int] = []
        self._seen_terms = self._seen_unions = 0

    # -- facts ---------------------------------------------------------------------------------

    def state_new(self) -> list[int]:
        """Tell egglog what is new in the e-graph; return the new terms."""
        egraph = self._egraph
        new = list(range(self._seen_terms, len(egraph)))
        self._seen_terms = len(egraph)
        for term in new:
            self._state_term(term)
        for kept, gone in egraph.unions[self._seen_unions :]:
            self._matcher.state("u", kept, gone)
        self._seen_unions = len(egraph.unions)
        return new

    def _state_term(self, term: int) -> None:
        state, egraph = self._matcher.state, self._egraph
        var = egraph.variables[term]
        state("v", term)
        if var.owner is None or egraph.is_constant(term):
            self._constants.append(term)
            if egraph.is_constant(term):
                state("z", term)
            for number, leaf in enumerate(self._leaves):
                self._state_leaf(number, leaf, term)
        if var.owner is None:
            return
        op = self._op_number(var)
        children = egraph.children(term)
        relation = f"n{len(children)}x"
        self._matcher.declare(relation, "iv" + "v" * len(children))
        state(relation, op, term, *children)
        if len(children) == 2 and egraph.is_unordered(var.owner):
            state(relation, op, term, *reversed(children))
        if is_ac(var.owner.op):
            self.sums.append(term)
            state("s", op, term, term)
            for place, child in enumerate(children):
                state("h", term, place, child)

    def _state_leaf(self, number: int, leaf: Any, term: int) -> None:
        var = self._egraph.variables[term]
        if leaf.matches(var) if isinstance(leaf, Literal) else same_variable(leaf, var):
            self._matcher.state("k", number, term)

    def _leaf_number(self, leaf: Any) -> int:
        for number, known in enumerate(self._leaves):
            if known is leaf or (isinstance(known, Literal) and known == leaf):
                return number
        self._leaves.append(leaf)
        for term in self._constants:
            self._state_leaf(len(self._leaves) - 1, leaf, term)
        return len(self._leaves) - 1

    # -- rules ---------------------------------------------------------------------------------

    def _op_number(self, var: Variable) -> int:
        """Return the number of the op of a variable; a new op brings the rules that name it."""
        node = var.owner
        assert node is not None and var.index is not None
        key = (node.op, var.index)
        if key not in self._ops:
            self._ops[key] = len(self._ops)
            if node.op.repeats is None:
                self._matcher.state("w", self._ops[key])
            heads = [node.op, type(node.op)] if node.op.pure else [node.op]
            for head in heads:
                self._ops_of[head].append(key)
            if self._egraph.regroups and is_ac(node.op):
                for regrouping in REGROUPINGS:
                    made = regrouping(node.op, self._ops[key])
                    self._ask(made, made)
            for direction in dict.fromkeys(d for head in heads for d in self._by_head[head]):
                self._add_instances(direction, key)
        return self._ops[key]

    def _add_instances(self, direction: Direction, new: tuple[Op, int]) -> None:
        """Ask about a rule for every combination of ops that has a new one."""
        choices = [self._ops_of[head] for head in heads_of(direction.parts)]
        rule = direction.rule
        assert rule is not None
        made = 0
        for ops in product(*choices):
            if new not in ops or not _stands_for(direction.parts, ops):
                continue
            heads = bound_heads(direction.parts, [op for op, _ in ops])
            if heads is None or not _admits_heads(rule, heads):
                continue
            numbers = [self._ops[op] for op in ops]
            for part in direction.parts:
                count = len(part.arguments)
                self._matcher.declare(f"n{count}x", "iv" + "v" * count)
            matcher = self._matcher
            writer = QueryWriter(direction.parts, numbers, self._leaf_number, matcher.part)
            query = writer.query()
            self._ask(direction, Instance(rule, direction.parts, ops, heads, query))
            made += 1
            if made == MAX_COMBINATIONS:
                return

    def _ask(self, law: UnitingLaw, asked: Asked) -> None:
        columns = [name for name, _ in asked.query.columns]
        self._matcher.ask(len(self.asked), asked.query.facts, columns)
        self.asked.append((law, asked))


def _admits_heads(rule: Rule, heads: Mapping[Any, Any]) -> bool:
    """Return whether the conditions hold that are about the variables in the heads alone."""
    return all(
        c.predicate(*(heads[v] for v in c.variables))
        for c in rule.conditions
        if is_about_ops(c, heads)
    )


def _stands_for(parts: Sequence[Any], ops: Sequence[tuple[Op, int]]) -> bool:
    """Return whether parts of a pattern are about these outputs of ops."""
    return all(part.is_output(op, index) for part, (op, index) in zip(parts, ops, strict=True))


FIRST_SHARE = 100
"""How many matches of a rule are used in its first round; see `Saturation`."""
MAX_MATCHES = 2000
"""Rules that match more often in a round are switched off for some rounds: 2, then 4, and so on."""
MAX_REFUSED = 20_000
"""How many matches that a condition refused are kept to be asked about again."""


class Limits(NamedTuple):
    """Bounds of a saturation.

    Attributes
    ----------
    nodes
        How many terms there may be.
    rounds
        How often all rules are matched.
    seconds
        How long it may take.
    """

    nodes: int = 2000
    rounds: int = 30
    seconds: float = 2.0


class _Stop(Exception):
    """A bound was met; the argument is its name."""


class Saturation:
    """Applies directions of laws to an e-graph, round by round.

    A round matches all rules, and uses what they match. Of a rule that matches more than its share
    only so many matches are used, and the others wait for the next round; its share doubles then,
    so that distribution and the like don't fill the e-graph before the other laws are asked.

    Parameters
    ----------
    egraph
        The e-graph, which is changed.
    directions
        The directions of laws.
    limits
        When to stop.

    Attributes
    ----------
    stopped
        Why it stopped: ``saturated`` if the laws say nothing new, or the name of a bound.
    rounds, seconds
        How many rounds there were, and how long they took.
    used
        How often each law has united two classes, by label.
    sounds
        The soundness classes of these laws.
    """

    def __init__(self, egraph: EGraph, directions: Sequence[Direction], limits: Limits) -> None:
        self.egraph = egraph
        self.limits = limits
        self.stopped = ""
        self.rounds = 0
        self.seconds = 0.0
        self.used: defaultdict[str, int] = defaultdict(int)
        self.sounds: set[str] = set()
        self._directions = directions
        self._asked = [d for d in directions if d.rule is None]
        self._nodes: set[Apply] = set()
        self._may_match: dict[tuple[int, Op], bool] = {}
        self._queues: defaultdict[int, deque[Match]] = defaultdict(deque)
        self._shares: defaultdict[int, int] = defaultdict(lambda: FIRST_SHARE)
        self._bans: Counter[int] = Counter()
        self._banned: dict[int, int] = {}
        self._done: set[Any] = set()
        self._refused: list[tuple[int, Match, int]] = []

    def run(self) -> None:
        """Apply the laws until nothing is new, or a bound is met."""
        began = time.perf_counter()
        self._deadline = began + self.limits.seconds
        self.egraph.rebuild()
        with Matcher() as matcher:
            self._matcher = matcher
            self._questions = Questions(self.egraph, matcher, self._directions)
            try:
                while self.rounds < self.limits.rounds:
                    if not self._round():
                        raise _Stop("saturated")
                    self.rounds += 1
                raise _Stop("rounds")
            except _Stop as why:
                self.stopped = str(why)
        self.egraph.rebuild()
        self.seconds = time.perf_counter() - began

    def _round(self) -> bool:
        """Match all rules once; return whether there was anything to do."""
        before = len(self.egraph), len(self.egraph.unions)
        new = self._questions.state_new()
        self._thin_out()
        self._queue_matches()
        refused, self._refused = self._refused, []
        for index, match, stamp in refused:
            if self._stamp(index, match) != stamp:
                self._queues[index].append(match)
            else:
                self._refused.append((index, match, stamp))
        for term in new:
            self._ask_node(term)
        self._use_matches()
        self.egraph.rebuild()
        changed = (len(self.egraph), len(self.egraph.unions)) != before
        return changed or any(self._queues.values()) or bool(new or self._banned)

    def _queue_matches(self) -> None:
        """Match, and switch off for some rounds the rules that match more than they may."""
        for index in [i for i, until in self._banned.items() if until <= self.rounds]:
            del self._banned[index]
            self._matcher.switch(index, on=True)
        counts: Counter[int] = Counter()
        for match in sorted(self._matcher.matches(), key=self._in_written_order):
            counts[match[0]] += 1
            self._queues[match[0]].append(match[1:])
        for index, count in counts.items():
            if count > MAX_MATCHES * 2 ** self._bans[index]:
                self._bans[index] += 1
                self._banned[index] = self.rounds + 2 ** self._bans[index]
                self._matcher.switch(index, on=False)

    def _in_written_order(self, match: Match) -> Any:
        """Return a key by which arguments are matched in the order in which they stand."""
        columns = self._questions.asked[match[0]][1].query.columns
        places = [n for n, (_, what) in zip(match[1:], columns, strict=True) if what[0] == "place"]
        return places, match

    def _thin_out(self) -> None:
        """Drop the sums and products of which another one says the same, or a shorter one."""
        egraph = self.egraph
        kept = []
        for term in self._questions.sums:
            classes = [egraph.find(k) for k in egraph.children(term)]
            if (
                egraph.find(term) in classes
                or not egraph.is_canonical(term)
                or self._drop_units(term)
            ):
                self._matcher.drop(term)
            else:
                kept.append(term)
        self._questions.sums = kept

    def _drop_units(self, term: int) -> bool:
        """Make of a sum with zeros, or a product with ones, one without; return whether it was."""
        node = self.egraph.variables[term].owner
        if not self.egraph.regroups or node is None:
            return False
        dropping = DroppingUnits(node.op)
        sides = dropping.sides(self.egraph, term)
        if sides is not None:
            self._unite(*sides, dropping)
        return sides is not None

    def _check_bounds(self) -> None:
        if len(self.egraph) > self.limits.nodes:
            raise _Stop("nodes")
        if time.perf_counter() > self._deadline:
            raise _Stop("seconds")

    # -- matches -------------------------------------------------------------------------------

    def _use_matches(self) -> None:
        waiting = sorted(self._queues.items(), key=lambda item: len(item[1]))
        for index, queue in waiting:
            share = self._shares[index]
            if len(queue) > share:
                self._shares[index] = 2 * share
            for _ in range(min(share, len(queue))):
                self._use(index, queue.popleft())

    def _use(self, index: int, match: Match) -> None:
        direction, instance = self._questions.asked[index]
        key = self._canonical(index, instance, match)
        if key is None or key in self._done:
            return
        self._check_bounds()
        sides = instance.sides(self.egraph, match)
        if sides is None:
            if len(self._refused) < MAX_REFUSED:
                self._refused.append((index, match, self._stamp(index, match)))
            return
        self._done.add(key)
        self._unite(*sides, direction)

    def _canonical(self, index: int, instance: Asked, match: Match) -> Any:
        """Return a match with classes for terms; None if another one says the same."""
        key = [index]
        for value, (_, what) in zip(match, instance.query.columns, strict=True):
            if what[0] == "place":
                key.append(value)
            elif what[0] == "sum":
                if not self.egraph.is_canonical(value):
                    return None
                key.append(value)
            else:
                key.append(self.egraph.find(value))
        return tuple(key)

    def _stamp(self, index: int, match: Match) -> int:
        """Return a number that changes when more is known of what a match is about."""
        columns = self._questions.asked[index][1].query.columns
        return sum(
            self.egraph.version(value)
            for value, (_, what) in zip(match, columns, strict=True)
            if what[0] != "place"
        )

    def _unite(self, old: Variable, new: Variable, direction: UnitingLaw) -> None:
        egraph = self.egraph
        a, b = egraph.add(old), egraph.add(new)
        if egraph.union(a, b, Reason(direction.label, direction.sound)):
            self.used[direction.label] += 1
            self.sounds.add(direction.sound)

    # -- nodes ---------------------------------------------------------------------------------

    def _ask_node(self, term: int) -> None:
        """Ask the relations that are no queries about the node of a term."""
        var = self.egraph.variables[term]
        node = var.owner
        if node is None or node in self._nodes or not self.egraph.is_canonical(term):
            return
        self._nodes.add(node)
        for direction in self._asked:
            key = (id(direction), node.op)
            if key not in self._may_match:
                self._may_match[key] = direction.rewriter.might_match_op(node)
            if not self._may_match[key]:
                continue
            self._check_bounds()
            for old, new in _answers(direction, node):
                self._unite(old, new, direction)


def _answers(direction: Direction, node: Apply) -> Iterator[tuple[Variable, Variable]]:
    """Yield the outputs of a node that a relation replaces, with what replaces them."""
    try:
        # without a graph: nobody knows who reads what
        answer: Any = direction.rewriter.transform(cast(FunctionGraph, None), node)
    except (TypeError, ValueError, OverflowError):
        return
    if isinstance(answer, dict):
        yield from ((old, new) for old, new in answer.items() if isinstance(old, Variable))
    elif answer:
        yield from (
            (old, new) for old, new in zip(node.outputs, answer, strict=True) if new is not None
        )
