"""Random nodes that a pattern matches, or nearly, and random closed relations."""

from __future__ import annotations

import math
from numbers import Number

import numpy as np
from etuples import etuple
from kanren import eq
from kanren.core import conde, lall
from unification import var
from unification.variable import isvar

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import Variable, equal_computations
from relgraph.graph.kanren import Literal, computo, one_cliento, several, whereo
from relgraph.graph.kanren.codegen import RuleWriter
from relgraph.graph.kanren.laws import law
from relgraph.graph.kanren.relations import SOUNDNESS
from relgraph.graph.kanren.rules import is_ac, split
from relgraph.graph.kanren.terms import Arguments, Term, renamed, variables_of
from relgraph.graph.notation import number_of
from relgraph.graph.unify import nth
from tests.graph.toys import MyOp

DTYPES = ["float64"] * 6 + ["float32", "int64", "int8", "bool", "complex128"]
SHAPES = [(None,)] * 4 + [(3,), (1,), ()]
NUMBERS = [0, 1, 2, -1, -0.0, 0.5, math.inf, math.nan, True]
ODD_NUMBERS = [1j, math.inf, 2**40, False, 0.1, 300, 1e-300, np.float32(0.1), np.int8(3)]


class Toy(MyOp):
    """An op that takes numbers too."""

    def make_node(self, *inputs):
        return super().make_node(*map(at.as_tensor_variable, inputs))


class Commutative(Toy):
    commutative = True


TWO, EITHER = Toy("two", nout=2), Commutative("either")

LEAVES = {
    (dtype, shape): [at.TensorType(dtype, shape)(f"{dtype}_{len(shape)}_{i}") for i in range(2)]
    for dtype in set(DTYPES)
    for shape in set(SHAPES)
}


class Instances:
    """Makes nodes for patterns by the choices of `random`."""

    def __init__(self, random):
        self.random = random
        self.dtype = random.choice(DTYPES)
        self.shape = random.choice(SHAPES)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def leaf(self):
        dtype = self.random.choice(DTYPES) if self.chance(5) else self.dtype
        shape = self.random.choice(SHAPES) if self.chance(20) else self.shape
        if self.chance(15):
            return self.number(self.random.choice(NUMBERS), dtype, shape)
        return self.random.choice(LEAVES[dtype, shape])

    def number(self, value, dtype=None, shape=None):
        """Return a constant of a value, or one that is spread by an op, in some shape."""
        dtype, shape = dtype or self.dtype, self.shape if shape is None else shape
        try:
            scalar = at.constant(value, dtype=dtype)
        except (TypeError, ValueError, OverflowError):
            scalar = at.constant(value)
        shape = [3 if n is None else n for n in shape]
        kind = self.random.randrange(4)
        if kind == 0:
            return scalar.dimshuffle(*["x"] * len(shape)) if shape else scalar
        if kind == 1 and shape:
            return at.alloc(scalar, *shape)
        if kind == 2 and shape:
            return at.constant(np.full(3, scalar.data))
        return scalar

    def graph(self, depth):
        """Return a small graph of no special form."""
        if depth == 0 or self.chance(40):
            return self.leaf()
        op = self.random.choice([at.exp, at.log, at.neg, at.add, at.mul, at.sub, at.true_div])
        count = 1 if op in (at.exp, at.log, at.neg) else 2
        return self.apply(op, [self.graph(depth - 1) for _ in range(count)])

    def apply(self, op, arguments):
        try:
            return op(*arguments)
        except (TypeError, ValueError):  # no such dtype, or the known lengths differ
            return self.leaf()

    def of(self, pattern, bound):
        """Return a graph that `pattern` matches unless chance will have it otherwise."""
        if self.chance(4):
            return self.graph(1)
        if isvar(pattern):
            if pattern not in bound:
                bound[pattern] = self.graph(2)
            elif self.chance(30) and bound[pattern].owner is not None:
                # computed again the same way: an unmerged duplicate
                return bound[pattern].owner.clone().outputs[0]
            return bound[pattern]
        if isinstance(pattern, Literal | Number):
            return self.number(getattr(pattern, "value", pattern))
        head, patterns, output = split(pattern)
        if head is None:
            return pattern if isinstance(pattern, Variable) else self.leaf()
        if output is not None:
            return head(self.of(patterns[0], bound))[output if self.chance(90) else 1 - output]
        arguments = []
        for p in patterns:
            arguments += self.several() if isinstance(p, Arguments) else [self.of(p, bound)]
        if is_ac(head):
            return self.sum_of(head, arguments)
        if getattr(head, "commutative", False) and self.chance(50):
            arguments.reverse()
        return self.apply(self.op(head, bound), arguments)

    def several(self):
        """Return arguments of which some are alike: the same, of other signs, multiples, powers."""
        bases = [self.leaf(), self.graph(1)]
        made = []
        for _ in range(self.random.randrange(2, 6)):
            base = self.random.choice(bases)
            kind = self.random.randrange(6)
            if kind == 0:
                base = self.number(self.random.choice([1, 2, 3]))
            elif kind == 1:
                base = self.apply(at.neg, [base])
            elif kind == 2:
                base = self.apply(at.mul, [self.number(2), base])
            elif kind == 3:
                base = self.apply(at.sqr, [base])
            made.append(base)
        return made

    def op(self, head, bound):
        cls, props, _ = split(head)
        if cls is None:
            return head
        values = []
        for prop in props:
            if isvar(prop):
                prop = bound.setdefault(prop, self.random.choice([None, None, (0,)]))
            values.append(prop)
        return cls(*values)

    def sum_of(self, op, arguments):
        """Return `arguments` under `op`: more of them, in another order, in other groups."""
        arguments = list(arguments)
        if self.chance(40):
            arguments.append(self.graph(1))
        self.random.shuffle(arguments)
        flat = []
        for argument in arguments:
            if argument.head is op and self.chance(50):
                flat.extend(argument.owner.inputs)
            else:
                flat.append(argument)
        flat = flat[:5]
        while len(flat) > 2 and self.chance(40):
            flat[:2] = [self.apply(op, flat[:2])]
        return self.apply(op, flat)

    def node(self, pattern):
        """Return a node for a pattern; None if its op takes nothing of what was drawn."""
        return self.of(pattern, {}).owner


def all_answers(rule):
    """Return the compiled function of a rule as a generator of all its answers."""
    writer = RuleWriter(rule)
    writer.write()
    writer.lines[-1] = writer.lines[-1].replace("return", "yield")
    return writer.compile_function("transform(fgraph, node)", rule.name)


def answer_of(rewriter, var, fgraph=None):
    """Return what a rewriter gives for a variable, compiled and searched, which is the same."""
    compiled, searched = (way(fgraph, var.owner) for way in (rewriter.transform, rewriter.search))
    if compiled is False or searched is False:
        assert compiled is searched
        return False
    assert equal_computations(compiled, searched)
    return compiled[0]


# -- random relations --------------------------------------------------------------------------

X, Y, Z, W, A, S = lvars("x y z w a s")


def is_vector(v):
    return isinstance(v, Variable) and v.type.ndim == 1


def is_number(v):
    return not isinstance(v, Variable) or number_of(v) is not None


def distinct(u, v):
    return u is not v


def negated(v):
    return -v


def twice_number(v):
    number = number_of(v) if isinstance(v, Variable) else v
    return 2.0 if number is None or isinstance(number, bool) else 2 * number


class Relations:
    """Makes laws and other closed relations by the choices of `random`."""

    UNARY = (at.exp, at.log, at.neg, at.sqr)
    BINARY = (at.add, at.add, at.mul, at.mul, at.sub, at.true_div, at.maximum, at.eq, at.dot)

    def __init__(self, random, wide=False):
        self.random = random
        self.wide = wide  # whether there is what laws alone may have

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def term(self, depth, leaves):
        """Return a term, compound if `depth` is not 0."""
        if depth == 0:
            return self.random.choice(leaves)
        if self.wide and self.chance(20):
            return self.wide_term(depth, leaves)
        kind = self.random.randrange(8)
        if kind < 2:
            return self.random.choice(self.UNARY)(self.open(depth, leaves))
        if kind == 2 and A in leaves:
            return at.sum(self.open(depth, leaves), axis=A)
        op = self.random.choice(self.BINARY)
        count = 3 if op in (at.add, at.mul) and self.chance(20) else 2
        arguments = [self.open(depth, leaves)]
        arguments.extend(self.inner(depth, leaves) for _ in range(count - 1))
        self.random.shuffle(arguments)
        return op(*arguments)

    def wide_term(self, depth, leaves):
        """Return one of several outputs, a term of several arguments, or of a commutative op."""
        kind = self.random.randrange(3)
        if kind == 0:
            return nth(self.random.randrange(2), TWO(self.open(depth, leaves)))
        if kind == 1:
            return EITHER(self.open(depth, leaves), self.inner(depth, leaves))
        op = self.random.choice([at.add, at.mul, at.maximum, EITHER])
        count = self.random.randrange(3)
        return op(*[self.open(depth, leaves) for _ in range(count)], several(S))

    def open(self, depth, leaves):
        """Return a term or logic variable to stand under another term."""
        deeper = depth - 1 if self.chance(70) else 0
        return self.term(deeper, [v for v in leaves if v is not A])

    def inner(self, depth, leaves):
        if self.chance(15):
            return self.random.choice([0, 1, 2, -0.0, 0.5, True, math.nan])
        if self.wide and self.chance(15):
            return self.random.choice(ODD_NUMBERS)
        return self.constant() if self.chance(8) else self.open(depth, leaves)

    def constant(self):
        return at.constant(self.random.choice([0.0, 1.0, 2.0]))

    def sides(self):
        """Return a pattern, a template of what it binds, and conditions."""
        leaves = [X, Y, Z][: self.random.randrange(1, 4)]
        pattern = self.term(
            self.random.randrange(1, 4), [*leaves, A] if self.chance(30) else leaves
        )
        bound = variables_of(pattern)
        known = [v for v in bound if v not in (A, S)] or [X]
        conditions = []
        parts = [part for part in split(pattern).arguments if isinstance(part, Term)]
        if self.wide and parts and self.chance(25):
            conditions.append(one_cliento(self.random.choice(parts)))
        if self.chance(20):
            conditions.append(whereo(self.random.choice([is_vector, is_number]), known[0]))
        if self.chance(10) and len(known) > 1:
            conditions.append(whereo(distinct, *known[:2]))
        if self.chance(20):
            out = self.random.choice([W, *known])
            function = self.random.choice([twice_number, negated])
            conditions.append(computo(out, function, known[-1]))
            known = [*known, W] if out is W else known
        if self.chance(20):
            template = self.random.choice([*known, 0, 1.5, self.constant()])
        else:
            template = self.term(self.random.randrange(1, 3), [*known, A] if A in bound else known)
        return pattern, template, conditions

    def law(self):
        """Return a random law; None if what was drawn is none."""
        pattern, template, conditions = Relations(self.random, wide=True).sides()
        sound = self.random.choice(SOUNDNESS)
        options = {"mixed": self.chance(40), "complex": self.chance(40)}
        try:
            return law("random", pattern, template, *conditions, sound=sound, **options)
        except ValueError:
            return None

    def relation(self):
        """Return a random closed relation, with the patterns of its branches."""
        branches = []
        for _ in range(self.random.choice([1, 1, 2, 3])):
            pattern, template, conditions = self.sides()
            if not set(variables_of(template)) <= {
                *variables_of(pattern),
                *(W for c in conditions if c.binds),
            }:
                template = next(iter(variables_of(pattern)), 1)
            # hand-written expressions are etuples, whose numbers match no constant
            written = pattern.etuple if self.chance(50) else pattern
            branches.append((written, template, conditions, self.random.random()))
            if self.chance(30):  # another answer for the same nodes
                branches.append((written, variables_of(pattern)[0], [], 0))

        def goals(i, o, branch):
            pattern, template, conditions, shuffled = branch
            names = {v: var() for v in (X, Y, Z, W, A)}
            made = [
                eq(i, renamed(pattern, names)),
                *(c.rename(names) for c in conditions),
                eq(o, renamed(template, names)),
            ]
            return made if shuffled < 0.5 else made[::-1]

        twice = self.chance(30)

        def relation(i, o):
            if len(branches) == 1:
                return lall(*goals(i, o, branches[0]))
            if twice:
                # one choice after the other: the order of the answers depends on which fail
                left, right = var(), var()
                inner = conde(
                    [whereo(is_number, left), eq(o, etuple(at.add, left, right))],
                    [eq(o, etuple(at.sub, left, right))],
                )
                outer = conde(*[goals(i, left, branch) for branch in branches])
                return lall(outer, inner, eq(left, right))
            return conde(*[goals(i, o, branch) for branch in branches])

        return relation, [branch[0] for branch in branches]
