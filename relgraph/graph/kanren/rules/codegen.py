"""A rule as a Python function that matches Apply nodes.

The function written for ``log(exp(x)) → x`` is, in essence::

    def transform(fgraph, node):
        if node.op is LOG:
            (a,) = node.inputs
            if a.head is EXP:
                (x,) = a.owner.inputs
                return [x]
        return False

`codegen_match` writes what matches, this module what is asked of a match and what is built.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from unification.core import reify, unify
from unification.variable import isvar

from relgraph.graph.kanren.rules.codegen_match import MatchWriter
from relgraph.graph.kanren.rules.function_source import NotCompilable
from relgraph.graph.kanren.rules.matching import (
    combine_arguments,
    flat_arguments,
    has_outside_clients,
)
from relgraph.graph.kanren.rules.rule import Output, Rule, split, takes_all_arguments
from relgraph.graph.kanren.search import guards
from relgraph.graph.kanren.search.goals import Compute, OneClient, Where, read_once
from relgraph.graph.kanren.terms.term import Arguments, Literal, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import same_variable

Transform = Callable[[Any, Any], Any]


def compile_rule(rule: Rule, every: bool = False) -> Transform:
    """Return a function ``(fgraph, node) -> [variable] | False`` that does what `rule` says.

    Parameters
    ----------
    every
        Return one that yields all answers instead, in the order in which they are tried.

    Raises
    ------
    NotCompilable
        If the pattern has no definite root, or a condition is not one of `goals`.
    """
    writer = RuleWriter(rule, every)
    writer.write()
    if not every:
        writer.lines.append("    return False")
    transform: Transform = writer.function("transform(fgraph, node)", f"law {rule.name}")
    return transform


class RuleWriter(MatchWriter):
    """Writes the function of one rule."""

    def __init__(self, rule: Rule, every: bool) -> None:
        super().__init__(rule, every, _HELPERS)

    # -- the function ----------------------------------------------------------------------

    def write(self) -> None:
        parts = split(self.rule.pattern)
        if parts is None:
            raise NotCompilable("its pattern has no op at the root")
        head, patterns = parts
        answer = "[new]"
        if isinstance(head, Output):
            self.block(f"if len(node.outputs) > {head.index}:")
            self.line(f"root = node.outputs[{head.index}]")
            self.block("if fgraph is None or fgraph.clients.get(root):")
            answer = "{root: new}"
        else:
            self.line("root = node.outputs[0]")
        rest = self.compound("root", "node", head, patterns, at_root=True)
        self.clients()
        self.conditions()
        self.build(rest)
        self.line(f"{'yield' if self.every else 'return'} {answer}")

    # -- what has to hold ------------------------------------------------------------------

    def clients(self) -> None:
        if not self.rule.one_client or (len(self.matched) == 1 and not self.nested):
            return
        inner = [var for var, _ in self.matched]
        lists = "".join(f", *{name}" for name in self.nested)
        test = f"not has_outside_clients(fgraph, ({', '.join(inner)}{lists}))"
        if not self.nested:
            # as a rule each node is read by the one above it alone, which is told at once
            self.line("clients = fgraph.clients")
            alone = " and ".join(f"len(clients[{var}]) == 1" for var in inner[1:])
            test = f"({alone}) or {test}"
        self.block(f"if {test}:")

    def conditions(self) -> None:
        # to ask costs less than to look at all constants; what computes may rely on these
        asked = list(takewhile(lambda c: isinstance(c, Where), self.rule.conditions))
        for condition in asked:
            self.condition(condition)
        if self.rule.finite:
            values = ", ".join(self.bound.values())
            self.block(f"if finite_constants(({values}{',' if values else ''})):")
        for condition in self.rule.conditions[len(asked) :]:
            self.condition(condition)

    def condition(self, condition: Any) -> None:
        """Write what has to hold, or what is computed.

        Raises
        ------
        NotCompilable
            If it is a goal of another kind.
        """
        if isinstance(condition, Where):
            args = ", ".join(self.value(v) for v in condition.variables)
            self.block(f"if {self.constant(condition.predicate, 'holds')}({args}):")
        elif isinstance(condition, OneClient):
            self.block(f"if read_once(fgraph, {self.value(condition.variables[0])}):")
        elif isinstance(condition, Compute) and isvar(condition.out):
            given = ["fgraph"] if condition.asks_graph else []
            args = ", ".join([*given, *(self.value(v) for v in condition.variables)])
            value = self.name("c")
            self.line(f"{value} = {self.constant(condition.function, 'compute')}({args})")
            if condition.out in self.bound:
                self.block(f"if agree({self.bound[condition.out]}, {value}):")
            else:
                self.values.add(value)
                self.bound[condition.out] = value
        else:
            raise NotCompilable(f"its condition {condition} is a goal of another kind")

    def value(self, what: Any) -> str:
        """Return the text for an argument of a condition."""
        if isvar(what):
            if what not in self.bound:
                raise NotCompilable(f"{what} is open where a condition needs it")
            return self.bound[what]
        if not variables_of(what):
            return self.constant(what, "VALUE")
        for part, var in self.parts:
            if unify(part, what, {}) == {}:  # the same but for what holds it
                return var
        # what is not in the graph yet is a term, as in a search
        known = [f"{self.constant(v, 'LV')}: {self.value(v)}" for v in variables_of(what)]
        return f"reify({self.constant(what, 'TERM')}, {{{', '.join(known)}}})"

    # -- what is built ---------------------------------------------------------------------

    def build(self, rest: str | None) -> None:
        """Write what replaces the root: `new`, in the type of the root and not the root itself."""
        made: list[tuple[str, Op | None]] = []
        # where a law wants one dtype throughout, a side that has no type at all is no match
        typed = self.rule.one_dtype and (rest is not None or split(self.rule.template) is not None)
        if typed:
            self.block("try:")
        new = self.term(self.rule.template, made)
        if rest is not None:
            new = self.with_rest(new, rest, made)
        if typed:
            self.depth -= 1
            self.line("except (TypeError, ValueError, OverflowError):")
            self.line(f"    {new} = None")
            self.block(f"if {new} is not None:")
        self.guard_types(new, made)
        self.line(f"new = {new} if {new}.__class__ is root.__class__ and {new}.type is root.type")
        self.lines[-1] += f" else fitted({new}, root)"
        self.block("if new is not None and new is not root:")
        parts = split(self.rule.template)
        if parts is not None and takes_all_arguments(parts[1]):
            self.block("if new.owner is None or new.owner.inputs != node.inputs:")

    def with_rest(self, new: str, rest: str, made: list[tuple[str, Op | None]]) -> str:
        """Write how what the pattern did not mention is added; return the name of the result."""
        head, _ = split(self.rule.pattern) or (None, ())
        whole = self.name("t")
        op = self.constant(head, "OP")
        self.line(f"{whole} = {op}.make_node({new}, *{rest}).outputs[0] if {rest} else {new}")
        # with no rest it is what the template says, which may be anything
        op_of = dict(made).get(new)
        made.append((whole, None if op_of is None or op_of.converts else head))
        return whole

    def term(self, template: Any, made: list[tuple[str, Op | None]]) -> str:
        """Write how a template is built; return the name of the result."""
        if isvar(template):
            if template not in self.bound:
                raise NotCompilable(f"{template} is open in what it builds")
            return self.bound[template]
        if isinstance(template, Literal):
            return self.fixed(template.value)
        parts = split(template)
        if parts is None:
            return self.fixed(template)
        head, patterns = parts
        args = ", ".join(self.argument(p, made) for p in patterns)
        var = self.name("t")
        if isinstance(head, Output):
            op = self.op_term(head.op)
            self.line(f"{var} = {op}({args}, return_list=True)[{head.index}]")
            made.append((var, None))
        elif isinstance(head, Op) and head.nout == 1:
            self.line(f"{var} = {self.constant(head, 'OP')}.make_node({args}).outputs[0]")
            made.append((var, head))
        else:
            self.line(f"{var} = {self.op_term(head)}({args})")
            made.append((var, None))
        return var

    def argument(self, template: Any, made: list[tuple[str, Op | None]]) -> str:
        if isinstance(template, Arguments):
            return f"*{self.term(template.of, made)}"
        return self.term(template, made)

    def fixed(self, value: Any) -> str:
        """Return the name of a value that is built in."""
        if variables_of(value):
            raise NotCompilable(f"{value} is open in what it builds")
        name = self.constant(value, "VALUE")
        self.values.add(name)
        return name

    def op_term(self, head: Any) -> str:
        """Return the text that makes the op of a template."""
        if isinstance(head, Op):
            return self.constant(head, "OP")
        parts = split(head)
        if parts is None:
            return self.term(head, [])
        cls, props = parts
        args = ", ".join(self.op_term(p) for p in props)
        return f"{self.constant(cls, 'CLASS')}({args})"

    def guard_types(self, new: str, made: list[tuple[str, Op | None]]) -> None:
        """Write the guard that both sides stay within one dtype (see `laws.law`)."""
        rule = self.rule
        if not rule.one_dtype and rule.complex:
            return
        # a broadcast has the dtype of what it repeats, which may be a leaf of any
        told = [v for v, op in made if op is None or v == new or op.repeats is None]
        ops = {**dict(self.matched), **dict(made)}
        every = [*(v for v, _ in self.matched), *told]
        leaf = new if new not in ops else None
        sure = [v for v in every if (op := ops[v]) is not None and not op.converts]
        unsure = any(ops[v] is None for v in every) or leaf in self.values
        if unsure or not sure or not rule.one_dtype:
            open_ops = [v for v in told if ops[v] is None and v != new]
            names = [v for v in every if v not in open_ops]
            if open_ops:
                given = ", ".join(self.bound.values())
                names.append(f"*computed(({', '.join(open_ops)},), ({given},))")
            values = ", ".join([*names, *([leaf] if leaf else [])])
            self.block(f"if dtypes_admitted(({values},), {rule.one_dtype}, {rule.complex}):")
            return
        first = f"{sure[0]}.type.dtype"
        equal = "".join(f" == {v}.type.dtype" for v in sure[1:])
        tests = [f"{first}{equal}"] if equal else []
        if leaf is not None:
            tests.append(f"({leaf}.type.dtype == {first} or is_converted({leaf}))")
        if not rule.complex:
            tests.append(f"is_real({first})")
        if tests:
            self.block(f"if {' and '.join(tests)}:")


_HELPERS: dict[str, Any] = {
    "ArgumentIndex": guards.ArgumentIndex,
    "agree": guards.agree,
    "computed": guards.computed,
    "dtypes_admitted": guards.dtypes_admitted,
    "finite_constants": guards.finite_constants,
    "fitted": guards.fitted,
    "flat_arguments": flat_arguments,
    "is_converted": guards.is_converted,
    "is_real": guards.is_real,
    "read_once": read_once,
    "reify": reify,
    "has_outside_clients": has_outside_clients,
    "same": same_variable,
    "same_in_graph": guards.same_in_graph,
    "is_repeated": guards.is_repeated,
    "combine_arguments": combine_arguments,
}


__all__ = ["NotCompilable", "Transform", "compile_rule"]
