"""Code generation: a rule compiled to a Python function on Apply nodes.

The function generated for ``log(exp(x)) → x`` is, in essence::

    def transform(fgraph, node):
        if node.op is LOG:
            (a,) = node.inputs
            if a.head is EXP:
                (x,) = a.owner.inputs
                return [x]
        return False

`MatchWriter` generates the matching, `RuleWriter` the checks of a match and the replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.kanren import goals, matching
from relgraph.graph.kanren.goals import (
    Compute,
    Condition,
    Readers,
    Where,
    asks_only_constants,
    is_found,
)
from relgraph.graph.kanren.matching import (
    AccessPath,
    LeftOver,
    conditions_of,
    is_number,
    may_rebuild,
)
from relgraph.graph.kanren.rules import (
    Parts,
    Rule,
    before_several,
    flat_patterns,
    is_ac,
    is_commutative,
    is_fixed,
    match_cost,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.state import written_alike
from relgraph.graph.kanren.terms import Arguments, Literal, is_variable, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar

HELPERS: Mapping[str, Any] = {**vars(goals), **vars(matching)}
"""The globals of every function, besides the parts of its rule: what is emitted may call all that
conditions and matches are checked by."""

# Python refuses blocks nested deeper than 100.
MAX_BLOCKS = 90


class NotCompilable(Exception):
    """A rule can't be compiled, and is left to the interpreting matcher; the message says why."""


class FunctionSource:
    """The lines of one function; each is inside all the blocks that were begun before it.

    Parameters
    ----------
    helpers
        The globals that the lines use.

    Attributes
    ----------
    namespace
        The globals of the function so far.
    """

    def __init__(self, helpers: Mapping[str, Any]) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.namespace: dict[str, Any] = dict(helpers)
        self._constants: dict[int, str] = {}

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def begin_block(self, text: str) -> None:
        """Emit the head of a block; all lines that follow are in it.

        Raises
        ------
        NotCompilable
            If there are too many blocks.
        """
        self.emit(text)
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            raise NotCompilable("its pattern is too large")

    def fresh_name(self, stem: str) -> str:
        """Return a new name."""
        made = f"{stem}{len(self.namespace)}"
        self.namespace[made] = None
        return made

    def global_name(self, value: Any, stem: str) -> str:
        """Return the name of a global with the value `value`."""
        known = self._constants.get(id(value))
        if known is None:
            known = self._constants[id(value)] = self.fresh_name(stem)
            self.namespace[known] = value
        return known

    def compile_function(self, signature: str, label: str) -> Any:
        """Return the function; `label` takes the place of the file name in tracebacks."""
        name = signature.partition("(")[0]
        code = compile("\n".join([f"def {signature}:", *self.lines]), f"<{label}>", "exec")
        exec(code, self.namespace)
        return self.namespace[name]


class OpWriter(FunctionSource):
    """Generates the matching of ops and their parameters.

    Attributes
    ----------
    bound
        From logic variables to the names of their values.
    non_variables
        The names whose values may be something else than a variable of the graph.
    """

    def __init__(self, helpers: Mapping[str, Any]) -> None:
        super().__init__(helpers)
        self.bound: dict[Any, str] = {}
        self.non_variables: set[str] = set()

    def match_op(self, text: str, head: Any) -> Op | None:
        """Match the op that the expression `text` gives; return it if it is known already."""
        if isinstance(head, Op):
            self.begin_block(f"if {text} is {self.global_name(head, 'OP')}:")
            return head
        cls, props, _ = split(head)
        if not isinstance(cls, type):
            raise NotCompilable(f"the op {head} in its pattern is open")
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
        elif split(pattern).head is not None:
            self.match_op(text, pattern)
        elif variables_of(pattern):
            raise NotCompilable(f"the property {pattern} in its pattern is open in part")
        else:
            self.begin_block(f"if {self.global_name(pattern, 'VALUE')} == {text}:")


# A sum of so many arguments gets an `ArgumentIndex`.
INDEXED_FROM = 12


class MatchWriter(OpWriter):
    """Generates the matching of a pattern.

    Attributes
    ----------
    matched
        The names of the variables that compound parts have matched, root first, with their ops
        (None if not known).
    parts
        The compound parts of the pattern, with the names of the variables that they match; for a
        condition of a relation, what is matched as written is a term.
    nested
        The names of the lists of nested sums that were flattened.
    keeps_shape
        Whether an op above the part that is being matched works on more than an element (see
        `matching`).
    deferred
        The lines of names that are defined only where they are first used: the arguments that are
        left over, of which a wide sum would be copied for each pair that no condition admits.
    """

    def __init__(self, rule: Rule) -> None:
        super().__init__(HELPERS)
        self.rule = rule
        self.matched: list[tuple[str, Op | None]] = []
        self.parts: list[tuple[Any, str]] = []
        self.nested: list[str] = []
        self.keeps_shape = False
        self.deferred: dict[str, list[str]] = {}
        self._tested: set[Any] = set()

    def define(self, names: Sequence[str]) -> None:
        """Emit the lines of those of some names that are deferred."""
        for name in names:
            for line in self.deferred.pop(name, ()):
                self.emit(line)

    def match_node(self, var: str, node: str, parts: Parts, at_root: bool = False) -> str | None:
        """Match the node of a variable; return the name of the arguments left over, if any may be.

        Parameters
        ----------
        var, node
            The names of the variable and its node.
        """
        head, patterns, index = parts
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
        family = op if op is not None else split(head).head
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
            regrouped = op is not None and is_ac(op) and self.rule.regroup and at_root
            every = f"flat_arguments(fgraph, {node})[0]" if regrouped else f"{node}.inputs"
            self.bind_arguments(patterns[0], every)
            return None
        inputs = self.fresh_name("i")
        self.emit(f"{inputs} = {node}.inputs")
        patterns, rest = before_several(patterns)
        self.begin_block(f"if len({inputs}) {'==' if rest is None else '>='} {len(patterns)}:")
        args = [self.fresh_name("v") for _ in patterns]
        if is_commutative(op) and len(patterns) == 2 and not self.rule.as_written:
            a, b = f"{inputs}[0]", f"{inputs}[1]"
            self.begin_block(f"for {args[0]}, {args[1]} in (({a}, {b}), ({b}, {a})):")
        elif args:
            first = inputs if rest is None else f"{inputs}[:{len(args)}]"
            self.emit(f"{', '.join(args)}, = {first}")
        beside = [arg for p, arg in zip(patterns, args, strict=True) if not is_number(p)]
        if keeps_shape and 0 < len(beside) < len(args):
            self.begin_block(f"if numbers_keep_shape({node}, [{', '.join(beside)}]):")
        self.match_each(list(zip(patterns, args, strict=True)))
        if rest is not None:
            self.bind_arguments(rest, f"{inputs}[{len(args)}:]")
        return None

    def bind_arguments(self, pattern: Arguments, found: str) -> None:
        """Bind an `Arguments` to a list of arguments."""
        if pattern.of in self.bound:
            self.define([self.bound[pattern.of]])
            self.begin_block(f"if agree_each({self.bound[pattern.of]}, {found}):")
            return
        self.bound[pattern.of] = name = self.fresh_name("s")
        self.non_variables.add(name)
        self.deferred[name] = [f"{name} = tuple({found})"]

    def match_head(self, node: str, head: Any) -> Op | None:
        """Match the op of a node; return it, or the relative one that makes it, if it is known."""
        if not isinstance(head, Op) or is_fixed(head):
            return self.match_op(f"{node}.op", head)
        self.begin_block(f"if {self.global_name(head, 'OP')}.makes({node}):")
        return head

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
        if parts.head is not None:
            self.parts.append((pattern, var))
            node = self.fresh_name("n")
            if is_fixed(parts.head):
                # the head first, which is one access; the node only if the head matches
                self.begin_block(f"if {var}.head is {self.global_name(parts.head, 'OP')}:")
                self.emit(f"{node} = {var}.owner")
            else:
                self.emit(f"{node} = {var}.owner")
                self.begin_block(f"if {node} is not None:")
            self.match_node(var, node, parts)
        elif isinstance(pattern, ConstrainedVar) and pattern not in self.bound:
            self.begin_block(f"if {self.global_name(pattern.constraint, 'accepts')}({var}):")
            self.bound[pattern] = var
        elif is_variable(pattern):
            if pattern in self.bound:
                known = self.bound[pattern]
                same = f"agree({known}, {var})"
                if known not in self.non_variables:
                    # most often the heads tell the two apart, without a call
                    heads = f"{known}.head is {var}.head is not None"
                    same = f"({heads} and same_in_graph(fgraph, {known}, {var}))"
                self.begin_block(f"if {known} is {var} or {same}:")
            else:
                self.bound[pattern] = var
        elif isinstance(pattern, Variable):
            self.begin_block(f"if same_variable({self.global_name(pattern, 'VARIABLE')}, {var}):")
        elif is_number(pattern):
            number = pattern if isinstance(pattern, Literal) else Literal(pattern)
            self.begin_block(f"if {self.global_name(number, 'NUMBER')}.matches({var}):")
        else:
            self.begin_block("if False:")

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
            if taken:
                self.test_before_next(index)
            self.begin_block(f"for {place}, {var} in {self.candidates(pattern, flat, index)}:")
            if taken:
                self.begin_block(f"if {' and '.join(f'{place} != {t}' for t in taken)}:")
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
        first = taken[0] if len(taken) == 1 else f"min({', '.join(taken)})"
        self.deferred[rest] = [
            f"{rest} = {self.remaining(flat, taken)}",
            f"{rest} = LeftOver({rest}, {first}) if {rest} else ()",
        ]
        return rest

    def test_before_next(self, index: str) -> None:
        """Emit predicates on what is bound before the arguments of a wide sum are gone through once
        more, in their order: one may rely on those before it."""
        tests: list[str] = []
        open_variables: set[Any] = set()
        for condition in conditions_of(self.rule):
            if not isinstance(condition, Condition) or condition in self._tested:
                continue
            variables = condition.variables
            names = [self.bound.get(v) if is_variable(v) else None for v in variables]
            known = [name for name in names if name is not None and name not in self.deferred]
            decided = isinstance(condition, Where) and condition.function is not is_found
            if decided and known == names and open_variables.isdisjoint(variables):
                self._tested.add(condition)
                function = self.global_name(condition.function, "holds")
                tests.append(f"{function}({', '.join(known)})")
            else:
                open_variables.update(variables_of(variables))
        if tests:
            self.begin_block(f"if {index} is None or ({' and '.join(tests)}):")

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
        head = split(pattern).head
        if not is_fixed(head):
            return every
        shared = self.path_to_bound(pattern)
        if shared is None:
            op = self.global_name(head, "OP")
            return f"{every} if {index} is None else {index}.computed_by({op})"
        path, var = shared
        path_name = self.global_name(path, "PATH")
        return f"{every} if {index} is None else {index}.reading(fgraph, {path_name}, {var})"

    def path_to_bound(self, pattern: Any) -> tuple[AccessPath, str] | None:
        """Return a path in a pattern to a variable that is bound, and the name of its value.

        None if there is none. Of several it is one of the longest: fewer arguments have it.
        """
        head, patterns, _ = split(pattern)
        if not is_fixed(head):
            return None
        found: list[tuple[AccessPath, str]] = []
        for i, part in enumerate(flat_patterns(head, patterns) if is_ac(head) else patterns):
            step = (head, None if is_commutative(head) else i)
            if is_variable(part):
                if part in self.bound and self.bound[part] not in self.non_variables:
                    found.append(((step,), self.bound[part]))
            elif (further := self.path_to_bound(part)) is not None:
                found.append(((step, *further[0]), further[1]))
        return max(found, key=lambda one: len(one[0]), default=None)

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


Transform = Callable[[Any, Any], Any]


def compile_rule(rule: Rule) -> Transform:
    """Return a function ``(fgraph, node) -> [variable] | False`` that applies `rule`.

    Raises
    ------
    NotCompilable
        If the op at the root of the pattern is not known, or a condition is not one of `goals`.
    """
    writer = RuleWriter(rule)
    writer.write()
    writer.lines.append("    return False")
    transform: Transform = writer.compile_function("transform(fgraph, node)", f"law {rule.name}")
    return transform


def compile_replacement(
    rule: Rule, parts: Sequence[Any], variables: Sequence[Any], leaves_over: bool
) -> Callable[[Variable, Sequence[Variable], Sequence[Any], LeftOver], Variable | None]:
    """Return a function ``(root, inner, values, rest) -> variable | None``: what a rule builds in
    the place of a variable that it has matched, None if a check refuses that.

    The function takes what a match gives: the variables that the compound parts of the pattern have
    matched, the values of logic variables, and the arguments that are left over.

    Parameters
    ----------
    parts
        The compound parts of the pattern, root first.
    variables
        The logic variables.
    leaves_over
        Whether arguments may be left over.

    Raises
    ------
    NotCompilable
        If what the rule builds is open, or a condition is not one of `goals`.
    """
    writer = RuleWriter(rule)
    writer.write_replacement(parts, variables, leaves_over)
    writer.lines.append("    return None")
    signature = "replacement(root, inner, values, rest)"
    replacement: Callable[..., Variable | None]
    replacement = writer.compile_function(signature, f"law {rule.name}")
    return replacement


class RuleWriter(MatchWriter):
    """Generates the function of one rule."""

    # -- the function ----------------------------------------------------------------------

    def write(self) -> None:
        parts = split(self.rule.pattern)
        if parts.head is None:
            raise NotCompilable("its pattern has no op at the root")
        answer = "[new]"
        if parts.output is not None:
            self.begin_block(f"if len(node.outputs) > {parts.output}:")
            self.emit(f"root = node.outputs[{parts.output}]")
            self.begin_block("if fgraph is None or fgraph.clients.get(root):")
            answer = "{root: new}"
        else:
            self.emit("root = node.outputs[0]")
        if not self.rule.as_written:
            self.parts.append((self.rule.pattern, "root"))
        rest = self.match_node("root", "node", parts, at_root=True)
        self.check_clients()
        self.check_numbers()
        self.check_conditions()
        self.build_answer(rest)
        self.emit(f"return {answer}")

    def write_replacement(
        self, parts: Sequence[Any], variables: Sequence[Any], leaves_over: bool
    ) -> None:
        """Write what follows a match that is given; see `compile_replacement`."""
        self.emit("fgraph, node = None, root.owner")
        self.bound = {v: self.fresh_name("x") for v in variables}
        for position, part in enumerate(parts):
            op = split(part).head
            self.non_variables.update(self.bound[v] for v in variables_of(op))
            var = self.fresh_name("v") if position else "root"
            self.matched.append((var, op if isinstance(op, Op) else None))
            self.parts.append((part, var))
        self.emit(f"{''.join(f'{var}, ' for var, _ in self.matched)}= inner")
        if variables:
            self.emit(f"{', '.join(self.bound.values())}, = values")
        self.check_numbers()
        self.check_conditions()
        self.build_answer("rest" if leaves_over else None)
        self.emit("return new")

    # -- checks ----------------------------------------------------------------------------

    def check_numbers(self) -> None:
        numbers = self.rule.rounded_numbers
        if numbers:
            held = self.global_name(numbers, "NUMBERS")
            self.begin_block(f"if hold_numbers({self.inner_text()}, {held}):")

    def inner_text(self) -> str:
        """Return the expression for the variables that compound parts have matched, root first."""
        names = [*(var for var, _ in self.matched), *(f"*{name}" for name in self.nested)]
        return f"({', '.join(names)},)"

    def check_clients(self) -> None:
        if not self.rule.one_client or (len(self.matched) == 1 and not self.nested):
            return
        inner = [var for var, _ in self.matched]
        test = f"not has_outside_clients(fgraph, {self.inner_text()})"
        if not self.nested:
            # in most matches each inner variable has one client, which is quick to check
            self.emit("clients = fgraph.clients")
            alone = " and ".join(f"len(clients[{var}]) == 1" for var in inner[1:])
            test = f"({alone}) or {test}"
        self.begin_block(f"if {test}:")

    def check_conditions(self) -> None:
        for condition in conditions_of(self.rule):
            self.check_condition(condition)

    def check_condition(self, condition: Any) -> None:
        """Emit the check, or the computation, of a condition.

        Raises
        ------
        NotCompilable
            If it is not one of `goals`.
        """
        if isinstance(condition, Where):
            values = [self.value_text(v) for v in condition.variables]
            if condition.function is is_found:
                # nearly all laws with a computed value ask this: it is not worth a call
                self.begin_block(f"if {values[0]} is not None:")
                return
            test = f"{self.global_name(condition.function, 'holds')}({', '.join(values)})"
            if asks_only_constants(condition.function) and self.non_variables.isdisjoint(values):
                no_constants = [
                    f"({v}.head is None or ({v}.owner is not None and {v}.head.repeats is None))"
                    for v in values
                ]
                test = f"({' and '.join(no_constants)}) or {test}"
            self.begin_block(f"if {test}:")
        elif isinstance(condition, Readers):
            test = self.global_name(condition.function, "asks")
            (of,) = condition.variables
            self.begin_block(f"if holds_of_readers({test}, fgraph, {self.value_text(of)}):")
        elif isinstance(condition, Compute) and is_variable(condition.out):
            given = ["fgraph"] if condition.asks_graph else []
            args = ", ".join([*given, *(self.value_text(v) for v in condition.variables)])
            value = self.fresh_name("c")
            self.emit(f"{value} = {self.global_name(condition.function, 'compute')}({args})")
            if condition.out in self.bound:
                self.begin_block(f"if agree({self.bound[condition.out]}, {value}):")
            else:
                self.non_variables.add(value)
                self.bound[condition.out] = value
        else:
            raise NotCompilable(f"its condition {condition} is a goal of another kind")

    def value_text(self, argument: Any) -> str:
        """Return the expression for an argument of a condition."""
        if is_variable(argument):
            if argument not in self.bound:
                raise NotCompilable(f"{argument} is open where a condition needs it")
            self.define([self.bound[argument]])
            return self.bound[argument]
        if not variables_of(argument):
            return self.global_name(argument, "VALUE")
        for part, var in self.parts:
            if written_alike(part, argument):
                return var
        # a term that the pattern does not match is passed as a term, as in a search
        known = [
            f"{self.global_name(v, 'LV')}: {self.value_text(v)}" for v in variables_of(argument)
        ]
        return f"reify({self.global_name(argument, 'TERM')}, {{{', '.join(known)}}})"

    # -- the replacement -------------------------------------------------------------------

    def build_answer(self, rest: str | None) -> None:
        """Emit the construction of `new`, which has the type of the root, and is not the root."""
        self.define([*self.deferred])
        made: list[tuple[str, Op | None]] = []
        # if all dtypes must be one, a template that can't be built is no match
        typed = self.rule.one_dtype and (
            rest is not None or split(self.rule.template).head is not None
        )
        if typed:
            self.begin_block("try:")
        new = self.build_term(self.rule.template, made)
        if rest is not None:
            new = self.add_rest(new, rest, made)
        if typed:
            self.depth -= 1
            self.emit("except (TypeError, ValueError, OverflowError):")
            self.emit(f"    {new} = None")
            self.begin_block(f"if {new} is not None:")
        self.check_dtypes(new, made)
        self.emit(f"new = {new} if {new}.__class__ is root.__class__ and {new}.type is root.type")
        self.lines[-1] += f" else fitted({new}, root)"
        self.begin_block("if new is not None and new is not root:")
        if may_rebuild(self.rule.template):
            same = "new.owner.op is node.op and new.owner.inputs == node.inputs"
            self.begin_block(f"if new.owner is None or not ({same}):")

    def add_rest(self, new: str, rest: str, made: list[tuple[str, Op | None]]) -> str:
        """Emit the sum of `new` and the arguments left over; return the name of the result."""
        head = split(self.rule.pattern).head
        result = self.fresh_name("t")
        op = self.global_name(head, "OP")
        whole = f"{op}.make_node(*{rest}.around({new})).outputs[0]"
        self.emit(f"{result} = {whole} if {rest} else {new}")
        # if none are left over, the op is that of the template
        op_of = dict(made).get(new)
        made.append((result, None if op_of is None or op_of.converts else head))
        return result

    def build_term(self, template: Any, made: list[tuple[str, Op | None]]) -> str:
        """Emit the construction of a template; return the name of the result."""
        if is_variable(template):
            if template not in self.bound:
                raise NotCompilable(f"{template} is open in what it builds")
            self.define([self.bound[template]])
            return self.bound[template]
        if isinstance(template, Arguments):
            return f"*{self.build_term(template.of, made)}"
        if isinstance(template, Literal):
            return self.fixed_value(template.value)
        head, patterns, output = split(template)
        if head is None:
            return self.fixed_value(template)
        args = ", ".join(self.build_term(p, made) for p in patterns)
        var = self.fresh_name("t")
        if output is not None:
            self.emit(f"{var} = {self.op_text(head)}({args}, return_list=True)[{output}]")
            made.append((var, None))
        elif is_fixed(head) and head.nout == 1:
            self.emit(f"{var} = {self.global_name(head, 'OP')}.make_node({args}).outputs[0]")
            made.append((var, head))
        else:
            self.emit(f"{var} = {self.op_text(head)}({args})")
            made.append((var, None))
        return var

    def fixed_value(self, value: Any) -> str:
        """Return the name of a constant value."""
        if variables_of(value):
            raise NotCompilable(f"{value} is open in what it builds")
        name = self.global_name(value, "VALUE")
        self.non_variables.add(name)
        return name

    def op_text(self, head: Any) -> str:
        """Return the expression for the op of a template."""
        if isinstance(head, Op):
            return self.global_name(head, "OP")
        cls, props, _ = split(head)
        if cls is None:
            return self.build_term(head, [])
        args = ", ".join(self.op_text(p) for p in props)
        return f"{self.global_name(cls, 'CLASS')}({args})"

    def check_dtypes(self, new: str, made: list[tuple[str, Op | None]]) -> None:
        """Emit the check that both sides have one dtype (see `laws.law`)."""
        rule = self.rule
        if not rule.one_dtype and rule.complex:
            return
        # what only repeats elements of a leaf has its dtype, which may be any
        built = [v for v, op in made if op is None or v == new or op.repeats is None]
        ops = {**dict(self.matched), **dict(made)}
        every = [*(v for v, _ in self.matched), *built]
        leaf = new if new not in ops else None
        # variables whose ops are known not to convert can be compared at once
        sure = [v for v in every if (op := ops[v]) is not None and not op.converts]
        unsure = any(ops[v] is None for v in every) or leaf in self.non_variables
        if unsure or not sure or not rule.one_dtype:
            open_ops = [v for v in built if ops[v] is None and v != new]
            names = [v for v in every if v not in open_ops]
            if open_ops:
                given = ", ".join(self.bound.values())
                names.append(f"*computed_among(({', '.join(open_ops)},), ({given},))")
            values = ", ".join([*names, *([leaf] if leaf else [])])
            self.begin_block(f"if dtypes_admitted(({values},), {rule.one_dtype}, {rule.complex}):")
            return
        first = f"{sure[0]}.type.dtype"
        equal = "".join(f" == {v}.type.dtype" for v in sure[1:])
        tests = [f"{first}{equal}"] if equal else []
        if leaf is not None:
            tests.append(f"({leaf}.type.dtype == {first} or is_converted({leaf}))")
        if not rule.complex:
            tests.append(f"is_real({first})")
        if tests:
            self.begin_block(f"if {' and '.join(tests)}:")
