"""Code generation: the part of a rule's function that matches the pattern.

Choices (two orders, the arguments of a sum) become loops around the code that follows, so that a
failure tries the next one. The matches are those of `matching`, in that order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules.function_source import FunctionSource, NotCompilable
from relgraph.graph.kanren.rules.matching import is_number
from relgraph.graph.kanren.rules.rule import (
    Output,
    Rule,
    flat_patterns,
    is_ac,
    is_commutative,
    is_fixed,
    match_cost,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.terms.term import Arguments, Literal, is_variable, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar

# A sum of so many arguments gets an `ArgumentIndex`.
INDEXED_FROM = 12


class MatchWriter(FunctionSource):
    """Generates the matching of a pattern.

    Attributes
    ----------
    bound
        From logic variables to the names of their values.
    non_variables
        The names whose values may be something else than a variable of the graph.
    matched
        The names of the variables that compound parts have matched, root first, with their ops
        (None if not known).
    parts
        The compound parts of the pattern below the root, with the names of the variables that they
        match.
    nested
        The names of the lists of nested sums that were flattened.
    keeps_shape
        Whether an op above the part that is being matched works on more than an element (see
        `matching`).
    """

    def __init__(self, rule: Rule, all_answers: bool, helpers: Mapping[str, Any]) -> None:
        super().__init__(dict(helpers))
        self.rule = rule
        self.all_answers = all_answers
        self.bound: dict[Any, str] = {}
        self.non_variables: set[str] = set()
        self.matched: list[tuple[str, Op | None]] = []
        self.parts: list[tuple[Any, str]] = []
        self.nested: list[str] = []
        self.keeps_shape = False

    def match_node(
        self, var: str, node: str, head: Any, patterns: Any, at_root: bool = False
    ) -> str | None:
        """Match the node of a variable; return the name of the arguments left over, if any may be.

        Parameters
        ----------
        var, node
            The names of the variable and its node.
        """
        index = head.index if isinstance(head, Output) else None
        head = head.op if isinstance(head, Output) else head
        known = is_fixed(head) and not at_root
        op = head if known else self.match_head(node, head)
        which, single = f"{node}.op.default_output", f"len({node}.outputs) == 1"
        if index is not None:
            self.begin_block(f"if {var}.index == {index} and not {single} and {which} != {index}:")
        elif op is None or op.nout != 1:
            self.begin_block(
                f"if {single}:" if at_root else f"if {single} or {var}.index == {which}:"
            )
        self.matched.append((var, op))
        above = self.keeps_shape
        family = op if op is not None else (split(head) or (None,))[0]
        elementwise = getattr(family, "elementwise", False)
        asks = above and elementwise and not self.rule.as_written
        self.keeps_shape = above or not elementwise
        rest = self.match_inputs(node, op, patterns, at_root, asks)
        self.keeps_shape = above
        return rest

    def match_inputs(
        self, node: str, op: Op | None, patterns: Any, at_root: bool, keeps_shape: bool
    ) -> str | None:
        """Match the inputs of a node; see `match_node`.

        Parameters
        ----------
        keeps_shape
            Whether the numbers among them must not broadcast the others.
        """
        if op is not None and is_ac(op) and self.rule.regroup:
            wanted = flat_patterns(op, patterns)
            if len(wanted) > 1:
                return self.match_ac(node, op, wanted, at_root, keeps_shape)
        if takes_all_arguments(patterns):
            self.match_all_arguments(node, op, patterns[0], at_root)
            return None
        inputs = self.fresh_name("i")
        self.emit(f"{inputs} = {node}.inputs")
        self.begin_block(f"if len({inputs}) == {len(patterns)}:")
        args = [self.fresh_name("v") for _ in patterns]
        if is_commutative(op) and len(patterns) == 2 and not self.rule.as_written:
            a, b = f"{inputs}[0]", f"{inputs}[1]"
            self.begin_block(f"for {args[0]}, {args[1]} in (({a}, {b}), ({b}, {a})):")
        elif args:
            self.emit(f"{', '.join(args)}, = {inputs}")
        beside = [arg for p, arg in zip(patterns, args, strict=True) if not is_number(p)]
        if keeps_shape and 0 < len(beside) < len(args):
            self.begin_block(f"if numbers_keep_shape({node}, [{', '.join(beside)}]):")
        self.match_each(list(zip(patterns, args, strict=True)))
        return None

    def match_all_arguments(
        self, node: str, op: Op | None, pattern: Arguments, at_root: bool
    ) -> None:
        """Match an `Arguments` with all arguments of `node`."""
        regrouped = op is not None and is_ac(op) and self.rule.regroup and at_root
        self.bind_arguments(
            pattern, f"flat_arguments(fgraph, {node})[0]" if regrouped else f"{node}.inputs"
        )

    def bind_arguments(self, pattern: Arguments, found: str) -> None:
        """Bind an `Arguments` to a list of arguments."""
        if pattern.of in self.bound:
            raise NotCompilable(f"{pattern} stands in its pattern twice")
        self.bound[pattern.of] = name = self.fresh_name("s")
        self.non_variables.add(name)
        self.emit(f"{name} = tuple({found})")

    def match_head(self, node: str, head: Any) -> Op | None:
        """Match the op of a node; return it, or the relative one that makes it, if it is known."""
        if not isinstance(head, Op) or is_fixed(head):
            return self.match_op(f"{node}.op", head)
        self.begin_block(f"if {self.global_name(head, 'OP')}.makes({node}):")
        return head

    def match_op(self, text: str, head: Any) -> Op | None:
        """Match the op that the expression `text` gives; return it if it is known already."""
        if isinstance(head, Op):
            self.begin_block(f"if {text} is {self.global_name(head, 'OP')}:")
            return head
        parts = split(head)
        if parts is None or not isinstance(parts[0], type):
            raise NotCompilable(f"the op {head} in its pattern is open")
        cls, props = parts
        names = getattr(cls, "__props__", None) or ()
        if len(names) != len(props):
            raise NotCompilable(f"{cls.__name__} has not as many properties as {head}")
        self.begin_block(f"if type({text}) is {self.global_name(cls, 'CLASS')} and {text}.pure:")
        for prop, pattern in zip(names, props, strict=True):
            self.match_prop(f"{text}.{prop}", pattern)
        return None

    def match_prop(self, text: str, pattern: Any) -> None:
        """Match the property of an op that the expression `text` gives."""
        if is_variable(pattern):
            if pattern in self.bound:
                self.begin_block(f"if {self.bound[pattern]} == {text}:")
            else:
                self.bound[pattern] = name = self.fresh_name("p")
                self.non_variables.add(name)
                self.emit(f"{name} = {text}")
        elif isinstance(pattern, Literal):
            self.begin_block(f"if {self.global_name(pattern, 'NUMBER')}.is_value({text}):")
        elif split(pattern) is not None:
            self.match_op(text, pattern)
        elif variables_of(pattern):
            raise NotCompilable(f"the property {pattern} in its pattern is open in part")
        else:
            self.begin_block(f"if {self.global_name(pattern, 'VALUE')} == {text}:")

    def match_each(self, pairs: list[tuple[Any, str]]) -> None:
        """Match patterns with variables one to one, in the order of `matching`."""
        while pairs:
            i = min(range(len(pairs)), key=lambda k: self.match_cost(pairs[k][0]))
            pattern, var = pairs.pop(i)
            self.match_one(pattern, var)

    def match_cost(self, pattern: Any) -> tuple[int, int]:
        return match_cost(pattern, is_variable(pattern) and pattern not in self.bound)

    def match_one(self, pattern: Any, var: str) -> None:
        """Match one pattern with one variable."""
        parts = split(pattern)
        if parts is not None:
            self.parts.append((pattern, var))
            head, patterns = parts
            node = self.fresh_name("n")
            op = head.op if isinstance(head, Output) else head
            if is_fixed(op):
                # the head first, which is one access; the node only if the head matches
                self.begin_block(f"if {var}.head is {self.global_name(op, 'OP')}:")
                self.emit(f"{node} = {var}.owner")
            else:
                self.emit(f"{node} = {var}.owner")
                self.begin_block(f"if {node} is not None:")
            self.match_node(var, node, head, patterns)
        elif isinstance(pattern, ConstrainedVar) and pattern not in self.bound:
            self.begin_block(f"if {self.global_name(pattern.constraint, 'accepts')}({var}):")
            self.bound[pattern] = var
        elif is_variable(pattern):
            if pattern in self.bound:
                known = self.bound[pattern]
                same = "agree(" if known in self.non_variables else "same_in_graph(fgraph, "
                self.begin_block(f"if {known} is {var} or {same}{known}, {var}):")
            else:
                self.bound[pattern] = var
        elif isinstance(pattern, Variable):
            self.begin_block(f"if same({self.global_name(pattern, 'VARIABLE')}, {var}):")
        elif isinstance(pattern, Literal):
            self.begin_block(f"if {self.global_name(pattern, 'NUMBER')}.matches({var}):")
        elif not isinstance(pattern, bool | int | float | complex):
            self.begin_block("if False:")
        else:
            self.begin_block(f"if {self.global_name(Literal(pattern), 'NUMBER')}.matches({var}):")

    def match_ac(
        self, node: str, op: Op, wanted: list[Any], at_root: bool, keeps_shape: bool
    ) -> str | None:
        """Match patterns with the arguments of a sum or product, in any order and grouping."""
        flat, nested = self.fresh_name("flat"), self.fresh_name("nested")
        exact = not at_root and not self.takes_several(wanted)
        if exact:
            # at once, so that a wide sum costs each of those that read it no more than a narrow one
            self.begin_block(f"if len({node}.inputs) <= {len(wanted)}:")
        self.emit(f"{flat}, {nested} = flat_arguments(fgraph, {node})")
        self.nested.append(nested)
        self.begin_block(f"if len({flat}) {'==' if exact else '>='} {len(wanted)}:")
        index = self.fresh_name("index")
        self.emit(f"{index} = None if len({flat}) < {INDEXED_FROM} else index_of(fgraph, {flat})")
        taken: list[str] = []
        numbers: list[str] = []
        pending = list(wanted)
        while pending:
            i = min(range(len(pending)), key=lambda k: self.match_cost(pending[k]))
            pattern = pending.pop(i)
            if isinstance(pattern, Arguments):
                self.bind_arguments(pattern, self.remaining(flat, taken))
                return None
            if not pending and is_variable(pattern) and pattern not in self.bound:
                self.match_one(pattern, self.combine_remaining(node, flat, taken))
                return None
            place, var = self.fresh_name("k"), self.fresh_name("v")
            self.begin_block(f"for {place}, {var} in {self.candidates(pattern, flat, index)}:")
            if taken:
                self.begin_block(f"if {' and '.join(f'{place} != {t}' for t in taken)}:")
            if self.all_answers:
                # the first answer would be the same without this
                others = "".join(f"{t}, " for t in taken)
                self.begin_block(f"if not is_repeated({flat}, {place}, ({others})):")
            taken.append(place)
            self.match_one(pattern, var)
            if keeps_shape and is_number(pattern):
                numbers.append(place)
                if not any(map(is_number, pending)):
                    beside = self.remaining(flat, numbers)
                    self.begin_block(f"if numbers_keep_shape({node}, {beside}):")
        if not at_root:
            if not exact:
                self.begin_block(f"if len({flat}) == {len(wanted)}:")
            return None
        rest = self.fresh_name("rest")
        self.emit(f"{rest} = {self.remaining(flat, taken)}")
        first = taken[0] if len(taken) == 1 else f"min({', '.join(taken)})"
        self.emit(f"{rest} = LeftOver({rest}, {first}) if {rest} else ()")
        return rest

    def takes_several(self, wanted: Sequence[Any]) -> bool:
        """Return whether one of the patterns of a sum may match several of its arguments: a free
        variable does if it is matched last, in the order of `match_cost`."""
        if any(isinstance(pattern, Arguments) for pattern in wanted):
            return True
        last = max(wanted, key=self.match_cost)
        return is_variable(last) and last not in self.bound

    def candidates(self, pattern: Any, flat: str, index: str) -> str:
        """Return the expression for the arguments that may match a pattern, with their places.

        If there is an index, these are the ones with the op of the pattern, and of these the ones
        that read a variable that the pattern shares with others.
        """
        every = f"enumerate({flat})"
        head, _ = split(pattern) or (None, ())
        if not is_fixed(head):
            return every
        shared = self.path_to_bound(pattern)
        if shared is None:
            op = self.global_name(head, "OP")
            return f"{every} if {index} is None else {index}.computed_by({op})"
        path, var = shared
        path_name = self.global_name(path, "PATH")
        return f"{every} if {index} is None else {index}.reading({path_name}, {var})"

    def path_to_bound(self, pattern: Any) -> tuple[tuple[tuple[Op, int], ...], str] | None:
        """Return a path in a pattern to a variable that is bound, and the name of its value.

        None if there is none, or only among inputs that may be swapped.
        """
        head, patterns = split(pattern) or (None, ())
        if not is_fixed(head) or is_commutative(head):
            return None
        for i, part in enumerate(patterns):
            if is_variable(part):
                if part in self.bound and self.bound[part] not in self.non_variables:
                    return ((head, i),), self.bound[part]
            elif (further := self.path_to_bound(part)) is not None:
                return ((head, i), *further[0]), further[1]
        return None

    def combine_remaining(self, node: str, flat: str, taken: list[str]) -> str:
        """Emit the sum of the arguments that are not taken; return its name."""
        rest, var = self.fresh_name("rest"), self.fresh_name("v")
        self.emit(f"{rest} = {self.remaining(flat, taken)}")
        self.begin_block(f"if {rest}:")
        self.emit(f"{var} = {rest}[0] if len({rest}) == 1 else combine_arguments({node}, {rest})")
        self.begin_block(f"if {var} is not None:")
        return var

    @staticmethod
    def remaining(flat: str, taken: list[str]) -> str:
        if not taken:
            return f"list({flat})"
        if len(taken) == 1:
            return f"[*{flat}[:{taken[0]}], *{flat}[{taken[0]} + 1 :]]"
        unused = " and ".join(f"k != {t}" for t in taken)
        return f"[w for k, w in enumerate({flat}) if {unused}]"
