"""The part of a rule's function that walks a pattern beside the inputs of a node.

Choices (two orders, the arguments of a sum) become loops around what follows, so that falling
through tries the next one. The enumeration is that of `matching`, which says what a match is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules.function_source import NotCompilable, Source
from relgraph.graph.kanren.rules.rule import (
    Output,
    Rule,
    effort,
    flat_patterns,
    is_ac,
    is_commutative,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.terms.term import Arguments, Literal, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar

# From so many arguments on, they are not all looked at for each pattern.
MANY = 12


class MatchWriter(Source):
    """Writes how a pattern is matched.

    Attributes
    ----------
    bound
        The names of what logic variables are bound to.
    values
        Those names that may stand for something other than a variable of the graph.
    matched
        The names of the variables that compound parts have matched, root first, with their ops.
    parts
        The compound parts of the pattern below the root, with the names of what they match.
    nested
        The names of the lists of the sums that were regrouped.
    """

    def __init__(self, rule: Rule, every: bool, helpers: Mapping[str, Any]) -> None:
        super().__init__(dict(helpers))
        self.rule = rule
        self.every = every
        self.bound: dict[Any, str] = {}
        self.values: set[str] = set()
        self.matched: list[tuple[str, Op | None]] = []
        self.parts: list[tuple[Any, str]] = []
        self.nested: list[str] = []

    def compound(
        self, var: str, node: str, head: Any, patterns: Any, at_root: bool = False
    ) -> str | None:
        """Match the node `node` of the variable `var`; return the name of the rest, if any."""
        index = head.index if isinstance(head, Output) else None
        head = head.op if isinstance(head, Output) else head
        known = isinstance(head, Op) and not at_root
        op = head if known else self.head(f"{node}.op", head)
        which, single = f"{node}.op.default_output", f"len({node}.outputs) == 1"
        if index is not None:
            self.block(f"if {var}.index == {index} and not {single} and {which} != {index}:")
        elif op is None or op.nout != 1:
            self.block(f"if {single}:" if at_root else f"if {single} or {var}.index == {which}:")
        self.matched.append((var, op))
        if op is not None and is_ac(op) and self.rule.regroup:
            wanted = flat_patterns(op, patterns)
            if len(wanted) > 1:
                return self.bag(node, op, wanted, at_root)
        if takes_all_arguments(patterns):
            self.all(node, op, patterns[0], at_root)
            return None
        inputs = self.name("i")
        self.line(f"{inputs} = {node}.inputs")
        self.block(f"if len({inputs}) == {len(patterns)}:")
        args = [self.name("v") for _ in patterns]
        if is_commutative(op) and len(patterns) == 2 and not self.rule.as_written:
            a, b = f"{inputs}[0]", f"{inputs}[1]"
            self.block(f"for {args[0]}, {args[1]} in (({a}, {b}), ({b}, {a})):")
        elif args:
            self.line(f"{', '.join(args)}, = {inputs}")
        self.each(list(zip(patterns, args, strict=True)))
        return None

    def all(self, node: str, op: Op | None, pattern: Arguments, at_root: bool) -> None:
        """Match what stands for several arguments with all those of `node`."""
        regrouped = op is not None and is_ac(op) and self.rule.regroup and at_root
        self.together(
            pattern, f"flat_arguments(fgraph, {node})[0]" if regrouped else f"{node}.inputs"
        )

    def together(self, pattern: Arguments, found: str) -> None:
        """Match what stands for several arguments with a list of them."""
        if pattern.of in self.bound:
            raise NotCompilable(f"{pattern} stands in its pattern twice")
        self.bound[pattern.of] = name = self.name("s")
        self.values.add(name)
        self.line(f"{name} = tuple({found})")

    def head(self, what: str, head: Any) -> Op | None:
        """Match an op; return it if it is known ahead."""
        if isinstance(head, Op):
            self.block(f"if {what} is {self.constant(head, 'OP')}:")
            return head
        parts = split(head)
        if parts is None or not isinstance(parts[0], type):
            raise NotCompilable(f"the op {head} in its pattern is open")
        cls, props = parts
        names = getattr(cls, "__props__", None) or ()
        if len(names) != len(props):
            raise NotCompilable(f"{cls.__name__} has not as many properties as {head}")
        self.block(f"if type({what}) is {self.constant(cls, 'CLASS')}:")
        for prop, pattern in zip(names, props, strict=True):
            self.prop(f"{what}.{prop}", pattern)
        return None

    def prop(self, what: str, pattern: Any) -> None:
        """Match a property of an op."""
        if isvar(pattern):
            if pattern in self.bound:
                self.block(f"if {self.bound[pattern]} == {what}:")
            else:
                self.bound[pattern] = name = self.name("p")
                self.values.add(name)
                self.line(f"{name} = {what}")
        elif isinstance(pattern, Literal):
            self.block(f"if {self.constant(pattern, 'NUMBER')}.is_value({what}):")
        elif split(pattern) is not None:
            self.head(what, pattern)
        elif variables_of(pattern):
            raise NotCompilable(f"the property {pattern} in its pattern is open in part")
        else:
            self.block(f"if {self.constant(pattern, 'VALUE')} == {what}:")

    def each(self, pairs: list[tuple[Any, str]]) -> None:
        """Match patterns with variables one to one, in the order of `matching`."""
        while pairs:
            i = min(range(len(pairs)), key=lambda k: self.effort(pairs[k][0]))
            pattern, var = pairs.pop(i)
            self.one(pattern, var)

    def effort(self, pattern: Any) -> tuple[int, int]:
        return effort(pattern, isvar(pattern) and pattern not in self.bound)

    def one(self, pattern: Any, var: str) -> None:
        """Match one pattern with one variable."""
        parts = split(pattern)
        if parts is not None:
            self.parts.append((pattern, var))
            head, patterns = parts
            node = self.name("n")
            op = head.op if isinstance(head, Output) else head
            if isinstance(op, Op):
                # one access tells the head; the node is fetched only when it is right
                self.block(f"if {var}.head is {self.constant(op, 'OP')}:")
                self.line(f"{node} = {var}.owner")
            else:
                self.line(f"{node} = {var}.owner")
                self.block(f"if {node} is not None:")
            self.compound(var, node, head, patterns)
        elif isinstance(pattern, ConstrainedVar) and pattern not in self.bound:
            self.block(f"if {self.constant(pattern.constraint, 'accepts')}({var}):")
            self.bound[pattern] = var
        elif isvar(pattern):
            if pattern in self.bound:
                known = self.bound[pattern]
                same = "agree(" if known in self.values else "same_in_graph(fgraph, "
                self.block(f"if {known} is {var} or {same}{known}, {var}):")
            else:
                self.bound[pattern] = var
        elif isinstance(pattern, Variable):
            self.block(f"if same({self.constant(pattern, 'VARIABLE')}, {var}):")
        elif isinstance(pattern, Literal):
            self.block(f"if {self.constant(pattern, 'NUMBER')}.matches({var}):")
        elif self.rule.as_written or not isinstance(pattern, bool | int | float | complex):
            self.block("if False:")
        else:
            self.block(f"if {self.constant(Literal(pattern), 'NUMBER')}.matches({var}):")

    def bag(self, node: str, op: Op, wanted: list[Any], at_root: bool) -> str | None:
        """Match patterns with the arguments of a sum or product, in any order and grouping."""
        flat, nested = self.name("flat"), self.name("nested")
        self.line(f"{flat}, {nested} = flat_arguments(fgraph, {node})")
        self.nested.append(nested)
        self.block(f"if len({flat}) >= {len(wanted)}:")
        known = self.name("known")
        self.line(f"{known} = None if len({flat}) < {MANY} else ArgumentIndex(fgraph, {flat})")
        taken: list[str] = []
        pending = list(wanted)
        while pending:
            i = min(range(len(pending)), key=lambda k: self.effort(pending[k]))
            pattern = pending.pop(i)
            if isinstance(pattern, Arguments):
                self.together(pattern, self.remaining(flat, taken))
                return None
            if not pending and isvar(pattern) and pattern not in self.bound:
                self.one(pattern, self.whole(node, flat, taken))
                return None
            index, var = self.name("k"), self.name("v")
            self.block(f"for {index}, {var} in {self.candidates(pattern, flat, known)}:")
            if taken:
                self.block(f"if {' and '.join(f'{index} != {t}' for t in taken)}:")
            if self.every:
                # who takes the first answer has no use for this
                others = "".join(f"{t}, " for t in taken)
                self.block(f"if not is_repeated({flat}, {index}, ({others})):")
            taken.append(index)
            self.one(pattern, var)
        if not at_root:
            self.block(f"if len({flat}) == {len(wanted)}:")
            return None
        rest = self.name("rest")
        self.line(f"{rest} = {self.remaining(flat, taken)}")
        return rest

    def candidates(self, pattern: Any, flat: str, known: str) -> str:
        """Return the text for the arguments among which a pattern is looked for, with their
        places: of many, those that have its op, and read what it has in common with others."""
        every = f"enumerate({flat})"
        head, _ = split(pattern) or (None, ())
        if not isinstance(head, Op):
            return every
        shared = self.way_to_bound(pattern)
        if shared is None:
            return f"{every} if {known} is None else {known}.headed({self.constant(head, 'OP')})"
        way, var = shared
        way_name = self.constant(way, "WAY")
        return f"{every} if {known} is None else {known}.reading({way_name}, {var})"

    def way_to_bound(self, pattern: Any) -> tuple[tuple[tuple[Op, int], ...], str] | None:
        """Return the ops and the places of their inputs that lead to a variable that is bound, and
        the name of it; None if there is none, or only among inputs that may be swapped."""
        head, patterns = split(pattern) or (None, ())
        if not isinstance(head, Op) or is_commutative(head):
            return None
        for i, part in enumerate(patterns):
            if isvar(part):
                if part in self.bound and self.bound[part] not in self.values:
                    return ((head, i),), self.bound[part]
            elif (further := self.way_to_bound(part)) is not None:
                return ((head, i), *further[0]), further[1]
        return None

    def whole(self, node: str, flat: str, taken: list[str]) -> str:
        """Write the sum of the arguments that are not taken; return its name."""
        rest, var = self.name("rest"), self.name("v")
        self.line(f"{rest} = {self.remaining(flat, taken)}")
        self.block(f"if {rest}:")
        self.line(f"{var} = {rest}[0] if len({rest}) == 1 else combine_arguments({node}, {rest})")
        self.block(f"if {var} is not None:")
        return var

    @staticmethod
    def remaining(flat: str, taken: list[str]) -> str:
        if not taken:
            return f"list({flat})"
        if len(taken) == 1:
            return f"[*{flat}[:{taken[0]}], *{flat}[{taken[0]} + 1 :]]"
        unused = " and ".join(f"k != {t}" for t in taken)
        return f"[w for k, w in enumerate({flat}) if {unused}]"
