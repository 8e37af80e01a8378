"""What a law says about elements: the graphs of both sides over inputs of one dtype, and what the
guards say of these inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import relgraph.tensor as at
from relations.kit import choices, guards, numbers, type_guards
from relations.kit.constant_arithmetic import OfConstants
from relations.kit.functions import admitted_ops
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.goals import Compute, Where, dtypes_admitted, fitted
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.rules import compound_parts, split
from relgraph.graph.kanren.terms import Arguments, LogicVariable, build, renamed, variables_of
from relgraph.graph.traversal import io_toposort
from relgraph.scalar.basic import Cast
from relgraph.scalar.named import scalar_op
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.type import FLOATS, INTS, UINTS, result_dtype
from relgraph.tensor.elemwise import Elemwise
from relgraph.testing.random_terms import scalar_ops

DTYPES = (*FLOATS, *INTS, *UINTS, "bool")
"""The dtypes over which laws are proved. Statements about float32 are proved for bfloat16 too."""


# -- what guards say -------------------------------------------------------------------------------


def _kind_is_discrete(x: Any) -> Any:
    return np.full(np.shape(x), x.dtype.kind != "f")


def _product_fits(x: Any, y: Any) -> Any:
    is_integer = x.dtype.kind in "iu"
    return is_integer & (x <= (np.iinfo(x.dtype).max if is_integer else 0) // np.maximum(y, 1))


class IsDiscrete(ScalarOp):
    """Whether elements are integers or booleans."""

    ufunc = staticmethod(_kind_is_discrete)


class ProductFits(ScalarOp):
    """Whether two positive elements are integers whose product fits their dtype."""

    nin = 2
    ufunc = staticmethod(_product_fits)


is_discrete: Any = Elemwise(IsDiscrete())
product_fits: Any = Elemwise(ProductFits())
signbit: Any = Elemwise(scalar_op("signbit"))


def _is(c: Any, n: int) -> Any:
    """Return whether an element is a number, as its dtype has it."""
    return at.eq(c, np.array(n).astype(c.type.dtype))


def _is_chosen(op: ScalarOp, flag: bool, c: Any) -> Any:
    """Return whether a comparison holds for one of the booleans and an element alone."""
    compare: Any = Elemwise(op)
    return compare(flag, c) & ~compare(not flag, c)


GUARDS: dict[Callable[..., bool], Callable[..., Any]] = {
    guards.is_nonnegative: lambda x: at.isnan(x) | at.ge(x, 0),
    guards.is_positive: lambda x: at.isnan(x) | at.gt(x, 0),
    guards.is_discrete_zero: lambda c: is_discrete(c) & _is(c, 0),
    numbers.is_discrete_minus_one: lambda c: is_discrete(c) & _is(c, -1),
    guards.is_zero_everywhere: lambda c: _is(c, 0),
    guards.is_true_everywhere: lambda c: ~_is(c, 0),
    guards.is_one_everywhere: lambda c: _is(c, 1),
    choices.is_positive_zero: lambda c: _is(c, 0) & ~signbit(c),
    guards.is_nonzero_number: lambda c: ~_is(c, 0),
    guards.is_positive_number: lambda c: at.gt(c, 0),
    choices.is_true_for_true: lambda op, c: _is_chosen(op, True, c),
    choices.is_true_for_false: lambda op, c: _is_chosen(op, False, c),
    choices.has_all_bits: lambda c: is_discrete(c) & _is(c, -1),
    guards.is_finite_number: lambda c: ~(at.isnan(c) | at.isinf(c)),
    choices.is_number_not_nan: lambda c: ~at.isnan(c),
    numbers.is_at_most: lambda low, high: at.le(low, high),
    numbers.product_fits: lambda c, d: at.gt(c, 0) & at.gt(d, 0) & product_fits(c, d),
}
"""What guards say of elements, by the predicate of the book: conditions, as graphs. What is proved
without a guard holds with it too, so guards that are not listed are left out."""

# -- what laws say ---------------------------------------------------------------------------------


class NotElementwise(Exception):
    """The law is about more than elements; the message says about what."""


class NotStated(Exception):
    """What the law says of elements can't be stated; the message says why."""


@dataclass(frozen=True)
class Statement:
    """That two graphs give the same element for all inputs that guards admit.

    Attributes
    ----------
    dtype
        The dtype of the inputs that are no conditions.
    inputs
        The inputs, vectors.
    old, new
        The sides.
    assumed
        What guards say of elements of inputs: conditions.
    unstated
        The names of the guards of which it is not known what they say.
    """

    dtype: str
    inputs: tuple[Variable, ...]
    old: Variable
    new: Variable
    assumed: tuple[Variable, ...]
    unstated: tuple[str, ...]

    @property
    def nodes(self) -> list[Apply]:
        """The nodes of both sides and of what is assumed, inputs first."""
        return list(io_toposort(list(self.inputs), [self.old, self.new, *self.assumed]))


def statements(law: Law, dtypes: Sequence[str] = DTYPES) -> Iterator[Statement]:
    """Yield what a law says of elements, for each of some dtypes that it admits.

    Raises
    ------
    NotElementwise
        If an op of the law does not work element by element.
    NotStated
        If the law computes its right side by a function of graphs.
    """
    _require_elementwise(law)
    wanted = _dtype_variables(law)
    # of a law about any op with some fact, each such op
    for admitted in admitted_ops(law.lhs, law.conditions, scalar_ops) or [{}]:
        ops = {**_any_ops(law, admitted), **admitted}
        for dtype, *cast in product(dtypes, *[DTYPES] * len(wanted)):
            known = {**ops, **dict(zip(wanted, cast, strict=True))}
            for given in _assignments(law, dtype, known):
                statement = _stated(law, dtype, given, known)
                if statement is not None:
                    yield statement
                    if not law.mixed:
                        break


class AnyOp(ScalarOp):
    """An elementwise function of which nothing is known.

    Parameters
    ----------
    nin
        How many arguments it has.
    name
        That of the variable for it: others may be other functions.
    """

    __props__ = ("nin", "name")
    ufunc = None  # type: ignore[assignment]

    def __init__(self, nin: int, name: str) -> None:
        self.nin = nin
        self.name = name

    def _resolve_dtype(self, *dtypes: str) -> str:
        return result_dtype(*dtypes)


def _heads(law: Law) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Yield the properties of the elementwise ops of a law, and how many arguments each has."""
    for side in (law.lhs, law.rhs):
        for part in compound_parts(side):
            head, arguments, _ = split(part)
            cls, properties, _ = split(head)
            if cls is Elemwise:
                yield tuple(properties), len(arguments)


def _any_ops(law: Law, admitted: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return what the variables for ops are of which no condition says anything."""
    found: dict[Any, Any] = {}
    for (op, order), count in _heads(law):
        if isinstance(op, LogicVariable) and op not in admitted:
            found[op] = AnyOp(count, f"any {op}")
        if isinstance(order, LogicVariable):
            found[order] = ()
    return found


def _dtype_variables(law: Law) -> list[Any]:
    """Return the variables for dtypes that casts of a law are to."""
    terms = [split(op) for (op, _), _ in _heads(law)]
    found = [v for cls, properties, _ in terms if cls is Cast for v in properties]
    return list(dict.fromkeys(v for v in found if isinstance(v, LogicVariable)))


def _require_elementwise(law: Law) -> None:
    for side in (law.lhs, law.rhs):
        for part in compound_parts(side):
            head, arguments, _ = split(part)
            if not isinstance(head, Elemwise) and split(head).head is not Elemwise:
                raise NotElementwise(f"{head} does not work element by element")
            if any(isinstance(a, Arguments) for a in arguments):
                raise NotElementwise(f"{head} has any number of arguments")


def _assignments(law: Law, dtype: str, ops: Mapping[Any, Any]) -> Iterator[Mapping[Any, str]]:
    """Yield dtypes for the variables of a law: one for all, and booleans for conditions; where it
    admits several at once, the first has that, and each of the others any, beside booleans."""
    every = dict.fromkeys([*variables_of(law.lhs), *variables_of(law.rhs)])
    variables = [v for v in every if v not in ops and v not in _computed(law)]
    conditions = {v for side in (law.lhs, law.rhs) for v in _conditions_in(side)}
    yield dict.fromkeys(variables, dtype)
    if conditions and dtype != "bool" and not law.mixed:
        yield {v: "bool" if v in conditions else dtype for v in variables}
    if law.mixed:
        # a condition is a boolean before anything else is computed of it
        first, *others = [v for v in variables if v not in conditions] or variables
        for dtypes in product(DTYPES, repeat=len(others)):
            given = {**dict.fromkeys(conditions, "bool"), first: dtype}
            given.update(zip(others, dtypes, strict=True))
            if len(set(given.values())) > 1:
                yield given


_LOGICAL = ("and_", "or_", "xor", "invert")


def _conditions_in(side: Any) -> Iterator[Any]:
    for part in compound_parts(side):
        head, arguments, _ = split(part)
        name = head.scalar_op.name if isinstance(head, Elemwise) else ""
        tested = arguments if name in _LOGICAL else arguments[:1] if name == "switch" else ()
        yield from (a for a in tested if isinstance(a, LogicVariable))


def _stated(
    law: Law, dtype: str, dtypes: Mapping[Any, str], ops: Mapping[Any, Any]
) -> Statement | None:
    """Return what a law says of inputs of some dtypes, and of some ops; None if it does not admit
    these."""
    known: dict[Any, Any] = {v: at.TensorType(d, (None,))(str(v)) for v, d in dtypes.items()}
    inputs = tuple(known.values())
    known.update(ops)
    assumed: list[Variable] = []
    unstated: list[str] = []
    try:
        for condition in law.conditions:
            if isinstance(condition, Compute):
                known[condition.out] = _computed_value(condition, known)
            elif isinstance(condition, Where):
                values = tuple([known.get(v, v) for v in condition.variables])
                if all(isinstance(v, ScalarOp) for v in values):
                    continue
                guard = condition.function
                if guard in GUARDS and _are_of_one_dtype(values):
                    assumed.append(GUARDS[guard](*[getattr(v, "value", v) for v in values]))
                elif guard not in GUARDS and (
                    any(isinstance(v, str | ScalarOp) for v in values) or _is_about_types(guard)
                ):
                    if not guard(*values):
                        return None
                else:
                    unstated.append(guard.__name__)
        old, new = (build(renamed(side, known)) for side in (law.lhs, law.rhs))
    except (TypeError, ValueError, OverflowError):
        return None
    if not isinstance(old, Variable) or old.owner is None:
        return None
    if not isinstance(new, Variable):
        new = at.as_tensor_variable(new)
    made = [v for node in io_toposort(list(inputs), [old, new]) for v in node.outputs]
    if not dtypes_admitted(made, not law.mixed, law.complex):
        return None
    new = fitted(new, old)
    if new is None:
        return None
    return Statement(dtype, inputs, old, new, tuple(assumed), tuple(unstated))


def _are_of_one_dtype(values: Sequence[Any]) -> bool:
    return len({v.type.dtype for v in values if isinstance(v, Variable)}) <= 1


def _computed(law: Law) -> set[Any]:
    return {c.out for c in law.conditions if isinstance(c, Compute)}


def _computed_value(condition: Compute, known: Mapping[Any, Any]) -> Any:
    """Return what a condition computes: an op of ops, or the graph of the op by which it folds
    constants."""
    values = [known.get(v, v) for v in condition.variables]
    if all(isinstance(v, ScalarOp) for v in values) or _is_about_types(condition.function):
        return condition.computed(tuple(values))
    if isinstance(condition.function, OfConstants):
        return condition.function.applied(values)
    op = getattr(at, getattr(condition.function, "__name__", ""), None)
    if not isinstance(op, Elemwise):
        raise NotStated(f"{condition} is computed by a function of graphs")
    return op(*values)


def _is_about_types(function: Callable[..., Any]) -> bool:
    return function.__module__ == type_guards.__name__ or function is numbers.has_other_dtype
