"""Instantiates the pattern of a rule: builds random graphs that it matches.

Arguments are drawn again while guards refuse them: constants that a guard compares are drawn in a
relation to each other. Inputs of floats have numbers near those that the terms of a law compare
something with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from unification.core import reify, unify

import relgraph.tensor as at
from relations.kit.functions import admitted_ops
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import Compute, Where
from relgraph.graph.kanren.rules import (
    Rule,
    class_of,
    compound_parts,
    is_ac,
    is_commutative,
    split,
)
from relgraph.graph.kanren.terms import Arguments, Call, Literal, Term, is_variable, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar
from relgraph.scalar.type import FLOATS, INTS, UINTS
from relgraph.tensor.assembly import Eye
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.math import MatrixProduct
from relgraph.testing.instances.arguments import (
    ARGUMENT_KINDS,
    RandomArguments,
    axes_in,
)
from relgraph.testing.instances.input_values import sparse_matrix
from relgraph.testing.instances.instance import InstantiatedPattern
from relgraph.testing.random_terms import (
    PARAMETERS,
    CannotInstantiate,
    Parameters,
    classes_in,
    made_by,
    op_for,
    role_of,
    roles_in,
    scalar_ops,
)

_ORDER = ("lt", "le", "gt", "ge")
_MOST_THRESHOLDS = 4
# The last terms of a series show near the radius inside of which it is taken.
_BESIDE = (1.0, 15 / 16, 17 / 16)


def numbers_where_it_decides(*terms: Any) -> tuple[float, ...]:
    """Return the numbers that terms compare something with, and others a little less and more.

    ``switch(abs(x) < 0.03, series, formula)`` has to be tried around 0.03 and -0.03. Of more than
    `_MOST_THRESHOLDS` sizes the first ones count.
    """
    sizes: dict[float, None] = {}
    for part in [part for term in terms for part in compound_parts(term)]:
        head, arguments, _ = split(part)
        if str(head) in _ORDER:
            numbers = [a.value for a in arguments if isinstance(a, Literal)]
            sizes.update(dict.fromkeys(abs(float(n)) for n in numbers if n and abs(n) < math.inf))
    thresholds = list(sizes)[:_MOST_THRESHOLDS]
    return tuple(sign * n * beside for n in thresholds for beside in _BESIDE for sign in (1, -1))


_SUMMANDS = {"leaf": 3.0, "number": 1.5, "mul": 1.5, "nested": 1.0, "neg": 1.0, "sqrt": 0.3}
_SUMMANDS |= dict.fromkeys(("sqr", "power", "sub", "true_div", "add"), 0.5)

# The kinds of arguments whose values a law is about; not lengths, indices or conditions.
_WITH_VALUES = ("tensor", "logical", "sparse", "stored", "parameter")

_RANKS_OF_MATRICES = {2: 5.0, 3: 1.0, 1: 1.0}

# The dtypes of constants that are related to each other.
_NUMBERS = (*FLOATS, *INTS, *UINTS)
# How often another argument is drawn in place of one that a guard refuses.
_MAX_REDRAWS = 20
# Of some hundred ops a guard may admit one.
_MAX_REDRAWS_OF_PARAMETER = 300


_COUNTS: Mapping[str, Mapping[int, float]] = {
    "index": {0: 3.0, 1: 1.0, 2: 0.5},
    "indices": {1: 2.0, 2: 1.0},
    "length": {1: 1.0, 2: 1.0, 3: 0.5},
    "assertion": {1: 2.0, 2: 1.0},
}
"""How many arguments of a kind are drawn where a pattern leaves open how many there are."""


class PatternInstantiator(RandomArguments):
    """Builds graphs that the pattern of a rule matches.

    Parameters
    ----------
    rule
        The rule. Arguments are drawn again while its guards refuse them.
    random
        The source of randomness.
    mixed
        Whether inputs may be of several dtypes.
    parameters
        Functions that draw parameters of ops; they go before those of `PARAMETERS`.
    """

    def __init__(
        self, rule: Rule, random: Random, mixed: bool = False, parameters: Parameters | None = None
    ) -> None:
        notable = numbers_where_it_decides(rule.pattern, rule.template)
        super().__init__(random, mixed, rule.complex, notable)
        self.rule = rule
        self._parameters = {**PARAMETERS, **(parameters or {})}
        self._roles = roles_in(rule.pattern)
        classes = classes_in(rule.pattern)
        about_matrices = any(issubclass(cls, MatrixOp) for cls in classes)
        products = sum(issubclass(cls, MatrixProduct) for cls in classes)
        about_sparse = any(role == "sparse" for role, _ in self._roles.values())
        self._kinds = {**ARGUMENT_KINDS, "matrix": 9.0} if about_matrices else ARGUMENT_KINDS
        if about_matrices:
            self._ranks = _RANKS_OF_MATRICES
        if about_sparse:
            self._ranks = {2: 1.0}
        if about_matrices or products > 1:
            self._more_shapes = {"square": 3.0}
        self._axes = {} if about_sparse else axes_in(rule.pattern)
        if self._axes:
            self._more_shapes = {**self._more_shapes, "by axes": 20.0}
        self._guards: dict[Any, list[Where]] = {}
        for guard in [c for c in rule.conditions if isinstance(c, Where)]:
            for v in variables_of(guard.variables):
                self._guards.setdefault(v, []).append(guard)
        # the tensors that each computed logic variable comes from
        self._computed: dict[Any, list[Any]] = {}
        for condition in [c for c in rule.conditions if isinstance(c, Compute)]:
            known = [u for u in condition.variables if is_variable(u)]
            tensors = [u for u in known if self._roles.get(u, ("", 0))[0] == "tensor"]
            for v in condition.binds:
                self._computed.setdefault(v, []).extend(u for u in tensors if u != v)
        self._ops = admitted_ops(rule.pattern, rule.conditions, scalar_ops)
        random.shuffle(self._ops)

    def instantiate(self) -> InstantiatedPattern:
        """Return a new random graph for the pattern.

        Raises
        ------
        CannotInstantiate
            If an op does not take the arguments drawn for it.
        """
        self._restart()
        state = self._state
        if self._ops:
            # each in turn
            state.bindings.update(self._ops[0])
            self._ops.append(self._ops.pop(0))
        root = self._build(self.rule.pattern, at_root=True)
        if not isinstance(root, Variable) or root.owner is None:
            raise CannotInstantiate("what its calls make is no node")
        return InstantiatedPattern(root, state.inputs, state.leaves, state.bindings, self.tensors())

    def tensors(self) -> list[Variable]:
        """Return the values of logic variables for tensors in the last graph, but for those that
        the rule computes from others."""
        found: list[Variable] = []
        for v, value in self._state.bindings.items():
            if v in self._computed:
                continue
            # that a sum has a term twice is no special case of it
            values = dict.fromkeys(value) if isinstance(value, tuple) else (value,)
            if self._roles.get(v, ("tensor", 0))[0] in _WITH_VALUES:
                found += [u for u in values if isinstance(u, Variable)]
        return found

    # -- terms -----------------------------------------------------------------------------

    def _build(self, pattern: Any, at_root: bool = False) -> Any:
        """Return the variable for a part of the pattern."""
        if is_variable(pattern):
            return self._variable(pattern)
        if isinstance(pattern, Literal | bool | int | float | complex):
            return self._add_leaf(self._number(getattr(pattern, "value", pattern)))
        head, patterns, output = split(pattern)
        if head is None:
            return pattern
        if output is not None:
            return self._output(output, head, patterns)
        arguments = []
        for position, p in enumerate(patterns):
            if isinstance(p, Arguments):
                arguments += self._other_arguments(p, head, position)
            else:
                length = self._literal_length(p, head, position)
                arguments.append(self._build(p) if length is None else length)
        if isinstance(head, Call):
            return made_by(head, head, arguments)
        op = self._op(head, arguments)
        if not isinstance(op, Op):
            raise CannotInstantiate(f"{op} is not an op")
        if is_ac(head) and self.rule.regroup:
            return self._reordered_and_grouped(op, arguments, at_root)
        swaps = is_commutative(head) and len(arguments) == 2 and not self.rule.as_written
        if swaps and self.choices.chance(50):
            arguments.reverse()
        return self._apply(op, arguments)

    def _literal_length(self, pattern: Any, head: Any, position: int) -> Any:
        """Return an integer that is a length of an axis as a constant; None for anything else."""
        number = pattern.value if isinstance(pattern, Literal) else pattern
        if type(number) is not int:
            return None
        role, _ = role_of(head, position)
        return self._add_leaf(at.constant(number, dtype="int64")) if role == "length" else None

    def _output(self, index: int, head: Any, patterns: Sequence[Any]) -> Any:
        """Return one output of a node, which all parts of the pattern that name an output share."""
        arguments = [self._build(p) for p in patterns]
        op = self._op(head, arguments)
        key = (op, tuple(arguments))
        outputs = self._state.outputs.get(key)
        if outputs is None:
            outputs = self._state.outputs[key] = made_by(op.make_node, op, arguments).outputs
        if index >= len(outputs):
            raise CannotInstantiate(f"{op} has no output {index}")
        return outputs[index]

    # -- sums and products -----------------------------------------------------------------

    def _other_arguments(self, pattern: Arguments, head: Any, first: int) -> list[Any]:
        """Return arguments for a pattern that matches all arguments of an op from the `first`."""
        bindings = self._state.bindings
        if pattern.of in bindings:
            return list(bindings[pattern.of])
        role, number = role_of(head, first)
        if role in _COUNTS:
            count = self.choices.pick((pattern.of, "count"), _COUNTS[role])
            drawn = [
                self._special_argument(role, number + k, (pattern.of, k)) for k in range(count)
            ]
            bindings[pattern.of] = tuple(map(self._add_leaf, drawn))
        else:
            count = self.choices.uniform((1, 2, 2, 3, 3, 4))
            bindings[pattern.of] = tuple([self._summand(head, 2) for _ in range(count)])
        return list(bindings[pattern.of])

    def _summand(self, head: Any, depth: int) -> Any:
        """Return an argument of a sum or product: a leaf, or a multiple, power, negation..."""
        how = self.choices.pick("summand", _SUMMANDS) if depth else "leaf"
        if how == "number":
            value = self.choices.uniform((0, 1, 2, -1, 3, 0.5, -2))
            return self._add_leaf(self._number(value))
        if how == "leaf":
            inputs = [v for v in self._state.leaves if v.owner is None and not hasattr(v, "data")]
            if inputs and self.choices.chance(50):
                return self.choices.uniform(inputs)
            return self._add_leaf(self._input(self._state.dtype, self._shape()))
        parts = [self._summand(head, depth - 1)]
        if how in ("sqr", "neg", "sqrt"):
            return self._apply(getattr(at, how), parts)
        if how == "power":
            exponent = self._number(self.choices.uniform((2, 3, -1, 0.5, 1)))
            return self._apply(at.pow, [*parts, self._add_leaf(exponent)])
        parts.append(self._summand(head, depth - 1))
        nested = head if isinstance(head, Op) else at.add
        return self._apply(nested if how == "nested" else getattr(at, how), parts)

    def _reordered_and_grouped(self, op: Op, arguments: Sequence[Any], at_root: bool) -> Any:
        """Apply an associative and commutative op to arguments in any order and grouping.

        At the root of the pattern it may get one argument more.
        """
        flat: list[Any] = []
        for argument in arguments:
            if isinstance(argument, Variable) and argument.head is op and self.choices.chance(50):
                assert argument.owner is not None
                flat.extend(argument.owner.inputs)
            else:
                flat.append(argument)
        if at_root and self.choices.chance(25):
            flat.append(self._add_leaf(self._tensor("variable", None)))
        if self.choices.chance(70):
            self._random.shuffle(flat)
        while len(flat) > 2 and self.choices.chance(30):
            flat[:2] = [self._apply(op, flat[:2])]
        return self._apply(op, flat)

    # -- ops and their parameters ----------------------------------------------------------

    def _op(self, head: Any, arguments: Sequence[Any]) -> Any:
        """Return the op of the head of a term."""
        cls = class_of(head)
        if cls is not None and issubclass(cls, Eye):  # its arguments are lengths
            arguments = [spec.var for spec in self._state.inputs[:1]] or arguments
        return op_for(head, arguments, self._random, self._parameter, self._parameters)

    def _parameter(self, v: Any, draw: Callable[[], Any]) -> Any:
        """Return the value of a logic variable for a parameter; it is drawn if it has none, if
        possible one that its guards admit."""
        bindings = self._state.bindings
        if v not in bindings:
            self._bind_computed()
        if v not in bindings:
            bindings[v] = self._admitted(v, draw, _MAX_REDRAWS_OF_PARAMETER)
        return bindings[v]

    def _bind_computed(self) -> None:
        """Bind the logic variables that the rule computes from those that are bound."""
        bindings = self._state.bindings
        for condition in self.rule.conditions:
            if not isinstance(condition, Compute) or all(v in bindings for v in condition.binds):
                continue
            if all(v in bindings for v in variables_of(condition.variables)):
                try:
                    values = condition.values(bindings)
                    found = unify(condition.out, condition.computed(values), {})
                except Exception as error:
                    raise CannotInstantiate(f"{condition} is not defined there") from error
                if found is not False:
                    bindings.update({v: reify(v, found) for v in condition.binds})

    # -- logic variables -------------------------------------------------------------------

    def _variable(self, v: Any) -> Any:
        """Return the value of a logic variable; it is drawn if there is none."""
        bindings = self._state.bindings
        if v not in bindings:
            # a computed one may stand before what it is computed from
            for u in self._computed.get(v, ()):
                self._variable(u)
            self._bind_computed()
        if v in bindings:
            value = bindings[v]
            return self._add_leaf(self._number(value)) if isinstance(value, int | float) else value
        made = self._guarded_argument(v)
        if isinstance(v, ConstrainedVar) and not v.constraint(made):
            raise CannotInstantiate(f"the constraint of {v} refuses what was drawn")
        bindings[v] = made
        return self._add_leaf(made)

    def _guarded_argument(self, v: Any) -> Any:
        """Return an argument for a logic variable, if possible one that its guards admit."""
        state = self._state
        input_count, leaf_count = len(state.inputs), len(state.leaves)

        def draw() -> Any:
            del state.inputs[input_count:], state.leaves[leaf_count:]
            return self._argument(v)

        return self._admitted(v, draw, _MAX_REDRAWS)

    def _admitted(self, v: Any, draw: Callable[[], Any], redraws: int) -> Any:
        """Return what is drawn for a logic variable; it is drawn again while guards refuse it.

        Raises
        ------
        CannotInstantiate
            If guards refuse all that is drawn.
        """
        guards = self._guards.get(v, ())
        for _ in range(1 + redraws):
            made = draw()
            values = {**self._state.bindings, v: made}
            refusing = next((guard for guard in guards if not _admits(guard, values)), None)
            if refusing is None:
                return made
            if sum(map(is_variable, refusing.variables)) == 1:  # not for what others are
                self.choices.record_outcome(success=False, about=v)
        raise CannotInstantiate(f"the condition {refusing}")

    def _argument(self, v: Any) -> Any:
        """Return an argument of the kind that a logic variable is."""
        role, number = self._roles.get(v, ("tensor", 0))
        if role == "sparse":
            return self._sparse_matrix(v)
        if role == "stored":
            return self._input(self._state.dtype, (self._stored_count(),))
        made = self._special_argument(role, number, v)
        if made is not None:
            return made
        bindings = self._state.bindings
        beside = [u for g in self._guards.get(v, ()) for u in variables_of(g.variables) if u != v]
        partners = [bindings[u] for u in beside if u in bindings]
        constants = [u for u in partners if isinstance(u, Constant) and u.type.dtype in _NUMBERS]
        if constants and self.choices.chance(50):
            return self._related(self.choices.uniform(constants))
        leaves = self._state.leaves
        others = [x for x in bindings.values() if isinstance(x, Variable) and x in leaves]
        if others and self.choices.chance(8):
            return self.choices.uniform(others)
        return self._tensor(self.choices.pick((v, "kind"), self._kinds), v)

    def _related(self, constant: Any) -> Variable:
        """Return a multiple of a constant, its sum or difference with 1, or a power of it.

        Two numbers that are drawn alone satisfy a guard about both where both are 0, or have no
        elements at all, and there a law says nothing.
        """
        number, uniform = np.asarray(constant.data), self.choices.uniform
        with np.errstate(all="ignore"):
            a = number.astype("float64")
            multiple = a * uniform((1, -1, 2, -2, 0.5, -0.5))
            related = uniform((multiple, multiple, uniform((a + 1, a - 1, 1 - a)), 1 / a, a * a))
            return at.constant(np.asarray(related).astype(number.dtype))

    def _stored_count(self) -> int:
        """Return how many elements each sparse matrix of the graph stores."""
        size = int(np.prod(self._state.base_shape, dtype=np.int64))
        return (2 * size + 1) // 3

    def _sparse_matrix(self, v: Any) -> Any:
        """Return a sparse matrix whose stored elements are an input."""
        shape = self._state.base_shape
        if len(shape) != 2:
            raise CannotInstantiate("a sparse matrix has two axes")
        places = self._random.sample(range(shape[0] * shape[1]), self._stored_count())
        data = self._input(self._state.dtype, (len(places),))
        made = self.choices.pick((v, "format"), {"csr": 1.0, "csc": 1.0})
        try:
            return sparse_matrix(made, data, sorted(places), shape)
        except TypeError as error:
            raise CannotInstantiate(f"a sparse matrix is no {self._state.dtype}") from error


def _admits(guard: Where, values: Mapping[Any, Any]) -> bool:
    """Return whether a guard admits some values.

    It is True if the guard raises, is about a term, or if the value of a variable is not known: the
    law decides later.
    """
    arguments = [values.get(v, v) if is_variable(v) else v for v in guard.variables]
    if any(is_variable(v) or isinstance(v, Term) for v in arguments):
        return True
    try:
        return bool(guard.function(*arguments))
    except Exception:
        return True
