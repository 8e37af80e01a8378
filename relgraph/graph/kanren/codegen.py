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
from relgraph.graph.kanren.goals import Compute, Where
from relgraph.graph.kanren.matching import flat_arguments, read_outside
from relgraph.graph.kanren.rules import Rule, flat_patterns, is_bag, split
from relgraph.graph.kanren.terms import Literal
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar, same_variable

Transform = Callable[[Any, Any], Any]


class NotCompilable(Exception):
    """A rule holds something that has to be left to the plain matcher; the message says what."""


def compile_rule(rule: Rule) -> Transform:
    """Return a function ``(fgraph, node) -> [variable] | False`` that does what `rule` says.

    Raises
    ------
    NotCompilable
        If the pattern has no definite root, or a condition is not one of `goals`.
    """
    writer = _Writer(rule)
    writer.write()
    source = "\n".join(["def transform(fgraph, node):", *writer.lines, "    return False"])
    code = compile(source, f"<law {rule.name}>", "exec")
    exec(code, writer.names)
    transform: Transform = writer.names["transform"]
    return transform


class _Writer:
    """Writes the body of one function, each line inside the ones before it."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[str, Any] = {"same": same_variable}
        self.bound: dict[Any, str] = {}
        self.matched: list[tuple[str, Op | None]] = []  # variables of compound parts, their ops
        self.nested: list[str] = []  # lists of the sums that were regrouped
        self.numbers: dict[int, str] = {}

    # -- text ------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def block(self, text: str) -> None:
        """Write the head of a block that holds all that follows."""
        self.line(text)
        self.depth += 1
        if self.depth > 90:
            raise NotCompilable("its pattern is too large")

    def name(self, stem: str) -> str:
        number = len(self.names)
        made = f"{stem}{number}"
        self.names[made] = None
        return made

    def constant(self, value: Any, stem: str) -> str:
        known = self.numbers.get(id(value))
        if known is None:
            known = self.numbers[id(value)] = self.name(stem)
            self.names[known] = value
        return known

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

    def compound(
        self, var: str, node: str, head: Any, patterns: Any, at_root: bool = False
    ) -> str | None:
        """Match the node `node` of the variable `var`; return the name of the rest, if any."""
        op = self.head(f"{node}.op", head)
        if op is None or op.nout != 1:
            which = "0" if op is None else repr(op.default_output)
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
        if op is not None and op.commutative and len(patterns) == 2:
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
        self.block(f"if type({what}) is {self.constant(cls, 'CLASS')}:")
        for prop, pattern in zip(getattr(cls, "__props__", None) or (), props, strict=True):
            self.prop(f"{what}.{prop}", pattern)
        return None

    def prop(self, what: str, pattern: Any) -> None:
        """Match a property of an op."""
        if isvar(pattern):
            if pattern in self.bound:
                self.block(f"if {self.bound[pattern]} == {what}:")
            else:
                self.bound[pattern] = name = self.name("p")
                self.line(f"{name} = {what}")
        elif isinstance(pattern, Literal):
            self.block(f"if {self.constant(pattern, 'NUMBER')}.is_value({what}):")
        elif split(pattern) is not None:
            self.head(what, pattern)
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
                self.block(f"if {known} is {var} or same({known}, {var}):")
            else:
                self.bound[pattern] = var
        elif isinstance(pattern, Variable):
            self.block(f"if same({self.constant(pattern, 'VARIABLE')}, {var}):")
        else:
            number = pattern if isinstance(pattern, Literal) else Literal(pattern)
            self.block(f"if {self.constant(number, 'NUMBER')}.matches({var}):")

    def bag(self, node: str, op: Op, wanted: list[Any], at_root: bool) -> str | None:
        """Match patterns with the arguments of a sum or product, in any order and grouping."""
        flat, nested = self.name("flat"), self.name("nested")
        self.names["flat_arguments"] = flat_arguments
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
        self.names["read_outside"] = read_outside
        test = f"not read_outside(fgraph, ({', '.join(inner)}{lists}))"
        if not self.nested:
            # as a rule each node is read by the one above it alone, which is told at once
            self.line("clients = fgraph.clients")
            alone = " and ".join(f"len(clients[{var}]) == 1" for var in inner[1:])
            test = f"({alone}) or {test}"
        self.block(f"if {test}:")

    def conditions(self) -> None:
        if self.rule.finite:
            self.names["finite_constants"] = finite_constants
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
                    self.names["equal_values"] = equal_values
                    self.block(f"if equal_values({self.bound[condition.out]}, {value}):")
                else:
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
        made: list[tuple[str, Op | None]] = []
        new = self.term(self.rule.template, made)
        if rest is not None:
            root_op = split(self.rule.pattern)
            assert root_op is not None
            whole = self.name("t")
            op = self.constant(root_op[0], "OP")
            self.line(f"{whole} = {op}.make_node({new}, *{rest}).outputs[0] if {rest} else {new}")
            made.append((whole, root_op[0]))
            new = whole
        self.guard_types(new, made)
        self.names["fitted"] = fitted
        self.line(f"new = {new} if {new}.__class__ is root.__class__ and {new}.type is root.type")
        self.lines[-1] += f" else fitted({new}, root)"
        self.block("if new is not None and new is not root:")
        self.line("return [new]")

    def term(self, template: Any, made: list[tuple[str, Op | None]]) -> str:
        """Write how a template is built; return the name of the result."""
        if isvar(template):
            if template not in self.bound:
                raise NotCompilable(f"{template} is open in what it builds")
            return self.bound[template]
        if isinstance(template, Literal):
            return self.constant(template.value, "VALUE")
        parts = split(template)
        if parts is None:
            return self.constant(template, "VALUE")
        head, patterns = parts
        args = ", ".join(self.term(p, made) for p in patterns)
        var = self.name("t")
        if isinstance(head, Op) and head.nout == 1:
            self.line(f"{var} = {self.constant(head, 'OP')}.make_node({args}).outputs[0]")
        elif isinstance(head, Op):
            self.line(f"{var} = {self.constant(head, 'OP')}({args})")
        else:
            self.line(f"{var} = {self.op_term(head)}({args})")
        made.append((var, head if isinstance(head, Op) else None))
        return var

    def op_term(self, head: Any) -> str:
        """Return the text that makes the op of a template."""
        if isvar(head):
            return self.term(head, [])
        if isinstance(head, Op):
            return self.constant(head, "OP")
        parts = split(head)
        if parts is None:
            return self.constant(head, "VALUE")
        cls, props = parts
        args = ", ".join(self.op_term(p) if split(p) else self.term(p, []) for p in props)
        return f"{self.constant(cls, 'CLASS')}({args})"

    def guard_types(self, new: str, made: list[tuple[str, Op | None]]) -> None:
        """Write the guard that both sides stay within one dtype (see `laws.law`)."""
        if not self.rule.one_dtype and self.rule.complex:
            return
        self.names["one_dtype"] = one_dtype
        self.names["free_dtypes"] = free_dtypes
        sure = [v for v, op in (*self.matched, *made) if op is not None and not op.converts]
        unsure = [v for v, op in (*self.matched, *made) if op is None]
        leaf = "" if any(v == new for v, _ in made) else new
        if leaf in self.numbers.values():
            leaf = ""
        if leaf and not sure:
            unsure.append(leaf)
        if unsure or not self.rule.one_dtype:
            options = f"{self.rule.one_dtype}, {self.rule.complex}"
            every = "".join(f"{v}, " for v in dict.fromkeys([*sure, *unsure, leaf]) if v)
            self.block(f"if free_dtypes(({every}), {options}):")
        else:
            first = f"{sure[0]}.type.dtype" if sure else "None"
            equal = "".join(f" == {v}.type.dtype" for v in sure[1:])
            tests = [f"{first}{equal}"] if equal else []
            if leaf and leaf != sure[0]:
                self.names["converted"] = converted
                tests.append(f"({leaf}.type.dtype == {first} or converted({leaf}))")
            if not self.rule.complex:
                tests.append(f"one_dtype({first})")
            if tests:
                self.block(f"if {' and '.join(tests)}:")


def one_dtype(dtype: Any) -> bool:
    """Return whether `dtype` is not complex."""
    return dtype is None or not str(dtype).startswith("complex")


def converted(var: Variable) -> bool:
    """Return whether the dtype of `var` is the affair of the op that makes it."""
    return var.owner is not None and var.owner.op.converts


def free_dtypes(variables: tuple[Any, ...], same: bool, complex_too: bool) -> bool:
    """Return whether variables have one dtype, those that comparisons and casts made aside."""
    dtypes = {
        v.type.dtype
        for v in variables
        if isinstance(v, Variable) and (v.owner is None or not v.owner.op.converts)
    }
    if not complex_too and not all(one_dtype(d) for d in dtypes):
        return False
    return len(dtypes) <= 1 or not same


def finite_constants(values: tuple[Any, ...]) -> bool:
    """Return whether the constants among some variables are finite throughout."""
    for value in values:
        data = getattr(value, "data", None)
        if data is not None and not value.type.all_finite(data):
            return False
    return True


def equal_values(known: Any, computed: Any) -> bool:
    """Return whether a value that was matched is the one that was computed."""
    if isinstance(known, Variable):
        if isinstance(computed, Variable):
            return same_variable(known, computed)
        return Literal(computed).matches(known)
    return bool(known == computed)


def fitted(new: Any, old: Variable) -> Variable | None:
    """Return `new` in the type of `old`, or None if that can't be."""
    if isinstance(new, Op):
        return None
    result: Variable | None = old.type.fit(new, old)
    return result
