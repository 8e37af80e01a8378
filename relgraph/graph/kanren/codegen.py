"""A rule as a Python function that matches Apply nodes.

The function written for ``log(exp(x)) → x`` is, in essence::

    def transform(fgraph, node):
        if node.op is LOG:
            (a,) = node.inputs
            if a.head is EXP:
                (x,) = a.owner.inputs
                return [x]
        return False

Choices (two orders, the arguments of a sum) become loops around what follows, so that falling
through tries the next one. The enumeration is that of `matching`, which says what a match is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.kanren import guards
from relgraph.graph.kanren.goals import Compute, Where
from relgraph.graph.kanren.matching import flat_arguments, read_outside
from relgraph.graph.kanren.rules import Rule, flat_patterns, is_bag, split
from relgraph.graph.kanren.source import NotCompilable, Source
from relgraph.graph.kanren.terms import Literal, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar, same_variable

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
    writer = _Writer(rule, every)
    writer.write()
    if not every:
        writer.lines.append("    return False")
    transform: Transform = writer.function("transform(fgraph, node)", f"law {rule.name}")
    return transform


class _Writer(Source):
    """Writes the function of one rule."""

    def __init__(self, rule: Rule, every: bool) -> None:
        super().__init__(_HELPERS)
        self.rule = rule
        self.every = every
        self.bound: dict[Any, str] = {}
        self.values: set[str] = set()  # names of what may be something other than a variable
        self.matched: list[tuple[str, Op | None]] = []  # variables of compound parts, their ops
        self.nested: list[str] = []  # lists of the sums that were regrouped

    # -- the function ----------------------------------------------------------------------

    def write(self) -> None:
        parts = split(self.rule.pattern)
        if parts is None:
            raise NotCompilable("its pattern has no op at the root")
        head, patterns = parts
        self.line("root = node.outputs[0]")
        rest = self.compound("root", "node", head, patterns, at_root=True)
        self.clients()
        self.conditions()
        self.build(rest)
        self.line("yield [new]" if self.every else "return [new]")

    def compound(
        self, var: str, node: str, head: Any, patterns: Any, at_root: bool = False
    ) -> str | None:
        """Match the node `node` of the variable `var`; return the name of the rest, if any."""
        known = isinstance(head, Op) and not at_root
        op = head if known else self.head(f"{node}.op", head)
        if op is None or op.nout != 1:
            which = f"{node}.op.default_output"
            single = f"len({node}.outputs) == 1"
            self.block(f"if {single}:" if at_root else f"if {single} or {var}.index == {which}:")
        self.matched.append((var, op))
        if op is not None and is_bag(op) and self.rule.regroup:
            wanted = flat_patterns(op, patterns)
            if len(wanted) > 1:
                return self.bag(node, op, wanted, at_root)
        inputs = self.name("i")
        self.line(f"{inputs} = {node}.inputs")
        self.block(f"if len({inputs}) == {len(patterns)}:")
        args = [self.name("v") for _ in patterns]
        if op is not None and op.commutative and len(patterns) == 2 and not self.rule.as_written:
            a, b = f"{inputs}[0]", f"{inputs}[1]"
            self.block(f"for {args[0]}, {args[1]} in (({a}, {b}), ({b}, {a})):")
        elif args:
            self.line(f"{', '.join(args)}, = {inputs}")
        self.each(list(zip(patterns, args, strict=True)))
        return None

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

    def effort(self, pattern: Any) -> int:
        parts = split(pattern)
        if parts is not None:
            return 3 if isinstance(parts[0], Op) and parts[0].commutative else 1
        return 2 if isvar(pattern) and pattern not in self.bound else 0

    def one(self, pattern: Any, var: str) -> None:
        """Match one pattern with one variable."""
        parts = split(pattern)
        if parts is not None:
            head, patterns = parts
            node = self.name("n")
            if isinstance(head, Op):
                # one access tells the head; the node is fetched only when it is right
                self.block(f"if {var}.head is {self.constant(head, 'OP')}:")
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
                same = "agree" if known in self.values else "same"
                self.block(f"if {known} is {var} or {same}({known}, {var}):")
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
        self.line(f"{flat}, {nested} = flat_arguments({node})")
        self.nested.append(nested)
        self.block(f"if len({flat}) >= {len(wanted)}:")
        taken: list[str] = []
        pending = list(wanted)
        while pending:
            i = min(range(len(pending)), key=lambda k: self.effort(pending[k]))
            pattern = pending.pop(i)
            if not pending and isvar(pattern) and pattern not in self.bound:
                self.one(pattern, self.whole(flat, taken, op))
                return None
            index, var = self.name("k"), self.name("v")
            self.block(f"for {index}, {var} in enumerate({flat}):")
            if taken:
                self.block(f"if {' and '.join(f'{index} != {t}' for t in taken)}:")
            if self.every:
                # who takes the first answer has no use for this
                others = "".join(f"{t}, " for t in taken)
                self.block(f"if not seen_before({flat}, {index}, ({others})):")
            taken.append(index)
            self.one(pattern, var)
        if not at_root:
            self.block(f"if len({flat}) == {len(wanted)}:")
            return None
        rest = self.name("rest")
        self.line(f"{rest} = {self.remaining(flat, taken)}")
        return rest

    def whole(self, flat: str, taken: list[str], op: Op) -> str:
        """Write the sum of the arguments that are not taken; return its name."""
        rest, var = self.name("rest"), self.name("v")
        self.line(f"{rest} = {self.remaining(flat, taken)}")
        self.block(f"if {rest}:")
        made = f"{self.constant(op, 'OP')}.make_node(*{rest}).outputs[0]"
        self.line(f"{var} = {rest}[0] if len({rest}) == 1 else {made}")
        return var

    @staticmethod
    def remaining(flat: str, taken: list[str]) -> str:
        if not taken:
            return f"list({flat})"
        unused = " and ".join(f"k != {t}" for t in taken)
        return f"[w for k, w in enumerate({flat}) if {unused}]"

    # -- what has to hold ------------------------------------------------------------------

    def clients(self) -> None:
        if not self.rule.one_client or (len(self.matched) == 1 and not self.nested):
            return
        inner = [var for var, _ in self.matched]
        lists = "".join(f", *{name}" for name in self.nested)
        test = f"not read_outside(fgraph, ({', '.join(inner)}{lists}))"
        if not self.nested:
            # as a rule each node is read by the one above it alone, which is told at once
            self.line("clients = fgraph.clients")
            alone = " and ".join(f"len(clients[{var}]) == 1" for var in inner[1:])
            test = f"({alone}) or {test}"
        self.block(f"if {test}:")

    def conditions(self) -> None:
        if self.rule.finite:
            values = ", ".join(self.bound.values())
            self.block(f"if finite_constants(({values}{',' if values else ''})):")
        for condition in self.rule.conditions:
            if isinstance(condition, Where):
                args = ", ".join(self.value(v) for v in condition.variables)
                self.block(f"if {self.constant(condition.predicate, 'holds')}({args}):")
            elif isinstance(condition, Compute) and isvar(condition.out):
                args = ", ".join(self.value(v) for v in condition.variables)
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
        return self.constant(what, "VALUE")

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
            self.line("except (TypeError, ValueError):")
            self.line(f"    {new} = None")
            self.block(f"if {new} is not None:")
        self.guard_types(new, made)
        self.line(f"new = {new} if {new}.__class__ is root.__class__ and {new}.type is root.type")
        self.lines[-1] += f" else fitted({new}, root)"
        self.block("if new is not None and new is not root:")

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
        args = ", ".join(self.term(p, made) for p in patterns)
        var = self.name("t")
        if isinstance(head, Op) and head.nout == 1:
            self.line(f"{var} = {self.constant(head, 'OP')}.make_node({args}).outputs[0]")
            made.append((var, head))
        else:
            self.line(f"{var} = {self.op_term(head)}({args})")
            made.append((var, None))
        return var

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
            names = ", ".join([*every, *([leaf] if leaf else [])])
            self.block(f"if dtypes_admitted(({names},), {rule.one_dtype}, {rule.complex}):")
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
    "agree": guards.agree,
    "dtypes_admitted": guards.dtypes_admitted,
    "finite_constants": guards.finite_constants,
    "fitted": guards.fitted,
    "flat_arguments": flat_arguments,
    "is_converted": guards.is_converted,
    "is_real": guards.is_real,
    "read_outside": read_outside,
    "same": same_variable,
    "seen_before": guards.seen_before,
}


__all__ = ["NotCompilable", "Transform", "compile_rule"]
