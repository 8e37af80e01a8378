"""Code generation: a rule compiled to a Python function on Apply nodes.

The function generated for ``log(exp(x)) → x`` is, in essence::

    def transform(fgraph, node):
        if node.op is LOG:
            (a,) = node.inputs
            if a.head is EXP:
                (x,) = a.owner.inputs
                return [x]
        return False

`codegen_match` generates the matching, this module the checks of a match and the replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any

from unification.core import reify, unify

from relgraph.graph.kanren.rules.argument_index import index_of
from relgraph.graph.kanren.rules.codegen_match import MatchWriter
from relgraph.graph.kanren.rules.function_source import NotCompilable
from relgraph.graph.kanren.rules.matching import (
    LeftOver,
    combine_arguments,
    flat_arguments,
    has_outside_clients,
    may_rebuild,
    numbers_keep_shape,
)
from relgraph.graph.kanren.rules.rule import (
    Output,
    Rule,
    is_fixed,
    split,
)
from relgraph.graph.kanren.search import match_checks
from relgraph.graph.kanren.search.goals import Compute, Readers, Where, holds_of_readers
from relgraph.graph.kanren.terms.term import Arguments, Literal, is_variable, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import same_variable

Transform = Callable[[Any, Any], Any]


def compile_rule(rule: Rule, all_answers: bool = False) -> Transform:
    """Return a function ``(fgraph, node) -> [variable] | False`` that applies `rule`.

    Parameters
    ----------
    all_answers
        Return a generator function of all answers instead.

    Raises
    ------
    NotCompilable
        If the op at the root of the pattern is not known, or a condition is not one of `goals`.
    """
    return function_of(written(rule, all_answers))


def written(rule: Rule, all_answers: bool = False) -> RuleWriter:
    """Return the source of the function that `compile_rule` returns; raises the same."""
    writer = RuleWriter(rule, all_answers)
    writer.write()
    if not all_answers:
        writer.lines.append("    return False")
    return writer


def function_of(writer: RuleWriter) -> Transform:
    """Return the function of a source."""
    label = f"law {writer.rule.name}"
    transform: Transform = writer.compile_function("transform(fgraph, node)", label)
    return transform


class RuleWriter(MatchWriter):
    """Generates the function of one rule."""

    def __init__(self, rule: Rule, all_answers: bool) -> None:
        super().__init__(rule, all_answers, HELPERS)

    # -- the function ----------------------------------------------------------------------

    def write(self) -> None:
        parts = split(self.rule.pattern)
        if parts is None:
            raise NotCompilable("its pattern has no op at the root")
        head, patterns = parts
        answer = "[new]"
        if isinstance(head, Output):
            self.begin_block(f"if len(node.outputs) > {head.index}:")
            self.emit(f"root = node.outputs[{head.index}]")
            self.begin_block("if fgraph is None or fgraph.clients.get(root):")
            answer = "{root: new}"
        else:
            self.emit("root = node.outputs[0]")
        rest = self.match_node("root", "node", head, patterns, at_root=True)
        self.check_clients()
        self.check_numbers()
        self.check_conditions()
        self.build_answer(rest)
        self.emit(f"{'yield' if self.all_answers else 'return'} {answer}")

    # -- checks ----------------------------------------------------------------------------

    def check_numbers(self) -> None:
        numbers = self.rule.rounded_numbers
        if numbers:
            lists = "".join(f", *{name}" for name in self.nested)
            matched = ", ".join(var for var, _ in self.matched)
            held = self.global_name(numbers, "NUMBERS")
            self.begin_block(f"if hold_numbers(({matched},{lists.removeprefix(',')}), {held}):")

    def check_clients(self) -> None:
        if not self.rule.one_client or (len(self.matched) == 1 and not self.nested):
            return
        inner = [var for var, _ in self.matched]
        lists = "".join(f", *{name}" for name in self.nested)
        test = f"not has_outside_clients(fgraph, ({', '.join(inner)}{lists}))"
        if not self.nested:
            # in most matches each inner variable has one client, which is quick to check
            self.emit("clients = fgraph.clients")
            alone = " and ".join(f"len(clients[{var}]) == 1" for var in inner[1:])
            test = f"({alone}) or {test}"
        self.begin_block(f"if {test}:")

    def check_conditions(self) -> None:
        # predicates are cheaper than the check of constants, on which computations may rely
        asked = list(takewhile(lambda c: isinstance(c, Where), self.rule.conditions))
        for condition in asked:
            self.check_condition(condition)
        if self.rule.finite:
            values = ", ".join(self.bound.values())
            self.begin_block(f"if finite_constants(({values}{',' if values else ''})):")
        for condition in self.rule.conditions[len(asked) :]:
            self.check_condition(condition)

    def check_condition(self, condition: Any) -> None:
        """Emit the check, or the computation, of a condition.

        Raises
        ------
        NotCompilable
            If it is not one of `goals`.
        """
        if isinstance(condition, Where):
            args = ", ".join(self.value_text(v) for v in condition.variables)
            self.begin_block(f"if {self.global_name(condition.predicate, 'holds')}({args}):")
        elif isinstance(condition, Readers):
            test = self.global_name(condition.test, "asks")
            (of,) = condition.variables
            read = "root" if of is self.rule.pattern else self.value_text(of)
            self.begin_block(f"if holds_of_readers({test}, fgraph, {read}):")
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
            return self.bound[argument]
        if not variables_of(argument):
            return self.global_name(argument, "VALUE")
        for part, var in self.parts:
            if unify(part, argument, {}) == {}:  # equal, as a term or as an etuple
                return var
        # a term that the pattern does not match is passed as a term, as in a search
        known = [
            f"{self.global_name(v, 'LV')}: {self.value_text(v)}" for v in variables_of(argument)
        ]
        return f"reify({self.global_name(argument, 'TERM')}, {{{', '.join(known)}}})"

    # -- the replacement -------------------------------------------------------------------

    def build_answer(self, rest: str | None) -> None:
        """Emit the construction of `new`, which has the type of the root, and is not the root."""
        made: list[tuple[str, Op | None]] = []
        # if all dtypes must be one, a template that can't be built is no match
        typed = self.rule.one_dtype and (rest is not None or split(self.rule.template) is not None)
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
        head, _ = split(self.rule.pattern) or (None, ())
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
            return self.bound[template]
        if isinstance(template, Literal):
            return self.fixed_value(template.value)
        parts = split(template)
        if parts is None:
            return self.fixed_value(template)
        head, patterns = parts
        args = ", ".join(self.build_argument(p, made) for p in patterns)
        var = self.fresh_name("t")
        if isinstance(head, Output):
            op = self.op_text(head.op)
            self.emit(f"{var} = {op}({args}, return_list=True)[{head.index}]")
            made.append((var, None))
        elif is_fixed(head) and head.nout == 1:
            self.emit(f"{var} = {self.global_name(head, 'OP')}.make_node({args}).outputs[0]")
            made.append((var, head))
        else:
            self.emit(f"{var} = {self.op_text(head)}({args})")
            made.append((var, None))
        return var

    def build_argument(self, template: Any, made: list[tuple[str, Op | None]]) -> str:
        if isinstance(template, Arguments):
            return f"*{self.build_term(template.of, made)}"
        return self.build_term(template, made)

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
        parts = split(head)
        if parts is None:
            return self.build_term(head, [])
        cls, props = parts
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


HELPERS: Mapping[str, Any] = {
    "index_of": index_of,
    "agree": match_checks.agree,
    "computed_among": match_checks.computed_among,
    "dtypes_admitted": match_checks.dtypes_admitted,
    "finite_constants": match_checks.finite_constants,
    "fitted": match_checks.fitted,
    "flat_arguments": flat_arguments,
    "is_converted": match_checks.is_converted,
    "is_real": match_checks.is_real,
    "LeftOver": LeftOver,
    "holds_of_readers": holds_of_readers,
    "reify": reify,
    "hold_numbers": match_checks.hold_numbers,
    "has_outside_clients": has_outside_clients,
    "same": same_variable,
    "same_in_graph": match_checks.same_in_graph,
    "is_repeated": match_checks.is_repeated,
    "combine_arguments": combine_arguments,
    "numbers_keep_shape": numbers_keep_shape,
}
"""The globals of every function, besides the parts of its rule."""

__all__ = ["HELPERS", "NotCompilable", "Transform", "compile_rule", "function_of", "written"]
