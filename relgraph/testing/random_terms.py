"""Terms: what the arguments and parameters of ops in them may be, and strategies that draw some.

An argument has a role: a tensor, a length, a shape, an index, a condition... A pattern may have a
logic variable for a parameter of an op: ``at.sum(x, axis=a)``. A function from the table
`PARAMETERS` draws a value for it; `check_relation` takes further functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from random import Random
from typing import Any

from etuples import etuple
from hypothesis import strategies as st

import relgraph.scalar as scalar
import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.graph.kanren.laws import Law, law
from relgraph.graph.kanren.rules import class_of, compound_parts, rules_sought, split
from relgraph.graph.kanren.terms import Arguments, Literal, Term, is_variable, variables_of
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.random.op import RandomOp, RandomVariable
from relgraph.tensor.subtensor import Placeholder, Slice
from relgraph.tensor.type import TensorType, TensorVariable

# For the classes of ops whose arguments are not all tensors: the first position of an argument of
# another kind, and the kind of the arguments from there on.
_ROLES: dict[str, tuple[int, str]] = {
    "Alloc": (1, "length"),
    "Eye": (0, "length"),
    "ARange": (0, "length"),
    "MakeVector": (0, "length"),
    "Reshape": (1, "shape"),
    "Split": (1, "split_lengths"),
    "Subtensor": (1, "index"),
    "IncSubtensor": (2, "index"),
    "AdvancedSubtensor": (1, "indices"),
    "AdvancedIncSubtensor": (2, "indices"),
    "Assert": (1, "assertion"),
    "WithStored": (1, "stored"),
}
# The same for a first argument alone.
_FIRST = {"Scan": "steps"}
_LOGICAL = ("and_", "or_", "xor", "invert")


def role_of(head: Any, position: int) -> tuple[str, int]:
    """Return the kind of argument that an op takes at a position.

    Parameters
    ----------
    head
        The head of a term: an op, or a pattern of one.
    position
        The position of the argument.

    Returns
    -------
    role
        ``tensor``; ``length`` of an axis; ``shape``, a vector; ``split_lengths``, the vector that
        splits an axis; ``index``, an integer; ``indices``, an array; ``condition`` of a switch;
        ``assertion``, a boolean; ``logical``, an operand of a logical op; ``sparse``, a sparse
        matrix; ``stored``, the stored elements of one; ``steps``, the number of those of a loop; of
        an op that draws ``generator``, ``shape of draws``, or ``parameter`` of a distribution.
    number
        Its position among the arguments of the same kind.
    """
    cls = class_of(head)
    if isinstance(head, RandomOp):
        if position == 0:
            return "generator", 0
        is_shape = isinstance(head, RandomVariable) and head.sized and position == 1
        return ("shape of draws", 0) if is_shape else ("parameter", position)
    scalar_name = getattr(getattr(head, "scalar_op", None), "name", "")
    if scalar_name == "switch" and position == 0:
        return "condition", 0
    if scalar_name in _LOGICAL:
        return "logical", position
    if getattr(cls, "kinds", ())[position : position + 1] == ("sparse",):
        return "sparse", position
    name = getattr(cls, "__name__", "")
    if position == 0 and name in _FIRST:
        return _FIRST[name], 0
    first, role = _ROLES.get(name, (0, "tensor"))
    return ("tensor", position) if position < first else (role, position - first)


def roles_in(pattern: Any) -> Mapping[Any, tuple[str, int]]:
    """Return the kind of argument that each logic variable of a pattern is; see `role_of`."""
    found: dict[Any, tuple[str, int]] = {}
    for head, patterns, _ in map(split, compound_parts(pattern)):
        for position, p in enumerate(patterns):
            v = p.of if isinstance(p, Arguments) else p
            if is_variable(v) and found.get(v, ("tensor", 0))[0] == "tensor":
                found[v] = role_of(head, position)
    return found


def classes_in(pattern: Any) -> list[type]:
    """Return the classes of the ops that are part of a pattern and known, one for each op."""
    classes = [class_of(split(part).head) for part in compound_parts(pattern)]
    return [cls for cls in classes if cls is not None]


Draw = Callable[[Random, Sequence[Any]], Any]
"""Takes a source of randomness and the arguments of the op; returns a parameter."""

Parameters = Mapping[tuple[str, str], Draw]
"""Functions by the name of the class of the op, empty for any class, and the name of the
parameter."""


def _rank(arguments: Sequence[Any]) -> int:
    return int(arguments[0].type.ndim) if arguments else 0


def _one_of(*values: Any) -> Draw:
    """Return a function that draws one of some values."""
    return lambda random, arguments: random.choice(values)


def axes(random: Random, arguments: Sequence[Any]) -> Any:
    """Return axes of a reduction: None, or a sorted tuple of axes."""
    ndim = _rank(arguments)
    count = random.randint(0, ndim)
    if ndim == 0 or count == ndim or random.random() < 0.2:
        return None
    return tuple(sorted(random.sample(range(ndim), max(count, 1))))


def axis(random: Random, arguments: Sequence[Any]) -> int:
    """Return one axis, counted from the front."""
    return random.randrange(max(_rank(arguments), 1))


def axis_or_none(random: Random, arguments: Sequence[Any]) -> Any:
    """Return one axis or None."""
    return None if random.random() < 0.3 else axis(random, arguments)


def new_order(random: Random, arguments: Sequence[Any]) -> Any:
    """Return the order of axes of a DimShuffle: with new axes, without some of length 1."""
    shape = arguments[0].type.shape if arguments else ()
    kept = [i for i, n in enumerate(shape) if n != 1 or random.random() < 0.5]
    kind = random.randrange(4)
    if kind == 0:  # new axes in front, as elementwise ops add them to align their inputs
        return ("x",) * random.randint(0, 2) + tuple(range(len(shape)))
    if kind > 1:
        random.shuffle(kept)
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        kept.insert(random.randint(0, len(kept)), "x")  # type: ignore[arg-type]
    return tuple(kept)


def _constant_index(random: Random) -> Any:
    """Return an index of one axis without inputs: an integer or a slice."""

    def number(low: int, high: int) -> Any:
        return random.choice([None, random.randint(low, high)])

    how = random.random()
    if how < 0.3:
        return random.choice([0, 0, 1, -1])
    if how < 0.6:  # the part before an element, or behind it
        bound = random.choice([1, 1, 2])
        return random.choice([Slice(None, bound), Slice(bound, None), Slice()])
    step = random.choice([None, None, None, None, 2, -1, -1, -2])
    return Slice(number(-3, 3), number(-3, 4), step)


_INDICES_WITH_INPUT = (
    Placeholder.INTEGER,
    Placeholder.INTEGER,
    Slice(None, Placeholder.INTEGER),
    Slice(Placeholder.INTEGER, None),
)


def index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an index into the first argument whose inputs are the other arguments."""
    ndim, inputs = _rank(arguments), len(arguments) - 1
    entries = [_constant_index(random) for _ in range(random.randint(min(1, ndim), ndim))]
    with_input = [random.choice(_INDICES_WITH_INPUT) for _ in range(inputs)]
    return (*with_input, *entries[inputs:])


def array_index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an index whose inputs, the other arguments, are arrays; slices stand between them."""
    entries: list[Any] = []
    for _ in arguments[1:]:
        if random.random() < 0.2:
            entries.append(Slice())
        entries.append(Placeholder.ARRAY)
    return tuple(entries)


def _without_new_values(draw: Draw) -> Draw:
    """Return a function for an op whose second argument is the new values."""
    return lambda random, arguments: draw(random, [arguments[0], *arguments[2:]])


_REAL = ("float64", "float32", "int64", "int8", "bool", "uint8") * 3
_COMMON = (*_REAL, "float16", "int32", "uint64", "complex128", "complex128", "complex64")


def dtype(random: Random, arguments: Sequence[Any]) -> str:
    """Return a dtype: often that of the first argument, or if it is complex a complex one."""
    own = arguments[0].type.dtype if arguments else "float64"
    if own.startswith("complex") and random.random() < 0.5:
        return random.choice(["complex64", "complex128"])
    return random.choice([*[own] * 7, *_COMMON])


def static_shape(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a static shape that the first argument may have; some lengths are None."""
    return tuple(n if random.random() < 0.5 else None for n in arguments[0].type.shape)


def ndim(random: Random, arguments: Sequence[Any]) -> int:
    """Return the length of the second argument, a shape; a small number if it is unknown."""
    length = arguments[1].type.shape[0] if len(arguments) > 1 and arguments[1].type.ndim else None
    return random.randint(0, 3) if length is None else int(length)


# SciPy's polygamma takes forever for a large first argument.
_SCALAR_OPS = [
    op for op in vars(scalar).values() if isinstance(op, ScalarOp) and op is not scalar.polygamma
]


def scalar_op(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a scalar op with one output that takes as many inputs as there are arguments."""
    return random.choice(scalar_ops(len(arguments)))


@cache
def scalar_ops(count: int) -> tuple[ScalarOp, ...]:
    """Return the scalar ops with one output that take so many inputs."""
    admitted = (count, -1) if count > 1 else (count,)
    return tuple([op for op in _SCALAR_OPS if op.nout == 1 and op.nin in admitted])


def sparse_format(random: Random, arguments: Sequence[Any]) -> str:
    """Return a format of sparse matrices: of a sparse argument the other one."""
    own = getattr(arguments[0].type, "format", None) if arguments else None
    return {"csr": "csc", "csc": "csr"}.get(str(own)) or random.choice(["csr", "csc"])


PARAMETERS: dict[tuple[str, str], Draw] = {
    ("", "axis"): axis,
    **{(name, "axis"): axes for name in ("CAReduce", "Norm", "Cosine", "Covariance")},
    **{(name, "axis"): axis_or_none for name in ("Argmax", "Argmin", "Softmax")},
    **{(name, "axis"): axis_or_none for name in ("LogSoftmax", "LogSumExp")},
    ("CAReduce", "scalar_op"): _one_of(*(op for op in _SCALAR_OPS if isinstance(op, FoldOp))),
    ("Cumulate", "scalar_op"): _one_of(scalar.add, scalar.mul, scalar.maximum, scalar.minimum),
    ("Elemwise", "scalar_op"): scalar_op,
    ("Elemwise", "inplace_pattern"): _one_of(()),
    ("DimShuffle", "input_ndim"): lambda random, arguments: _rank(arguments),
    ("DimShuffle", "new_order"): new_order,
    ("Subtensor", "idx_list"): index_list,
    ("IncSubtensor", "idx_list"): _without_new_values(index_list),
    ("AdvancedSubtensor", "idx_list"): array_index_list,
    ("AdvancedIncSubtensor", "idx_list"): _without_new_values(array_index_list),
    # a check does not evaluate ops that overwrite an input
    ("", "inplace"): _one_of(False),
    ("", "set_instead_of_inc"): _one_of(True, False),
    ("Split", "len_splits"): _one_of(1, 2, 3),
    ("Reshape", "ndim"): ndim,
    ("SpecifyShape", "shape"): static_shape,
    ("Shape_i", "i"): axis,
    ("", "dtype"): dtype,
    **{(name, "dtype"): _one_of("int64", "float64") for name in ("MakeVector", "ARange")},
    ("", "offset"): _one_of(0, 0, 1, -1),
    ("SolveTriangular", "lower"): _one_of(True, False),
    ("Assume", "facts"): _one_of(()),
    ("", "format"): sparse_format,
    ("", "structured"): _one_of(True, False),
    ("Assert", "message"): _one_of("no", "not so"),
}


Bind = Callable[[Any, Callable[[], Any]], Any]
"""Returns the value of a logic variable, that which a function draws if it has none."""


class CannotInstantiate(Exception):
    """What was drawn does not fit a pattern, or nothing can be drawn; the message says why."""


def made_by(make: Callable[..., Any], op: Any, arguments: Sequence[Any]) -> Any:
    """Return what a function makes of the arguments that were drawn for an op.

    Raises
    ------
    CannotInstantiate
        If it does not take them.
    """
    try:
        return make(*arguments)
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise CannotInstantiate(f"{op} does not take what was drawn") from error


def op_for(
    head: Any,
    arguments: Sequence[Any],
    random: Random,
    bind: Bind,
    parameters: Parameters = PARAMETERS,
) -> Any:
    """Return the op of the head of a term.

    Parameters
    ----------
    head
        An op, a term for an op, or a logic variable.
    arguments
        The arguments of the op.
    random
        The source of randomness.
    bind
        Gives the values of logic variables for parameters.
    parameters
        Functions that draw parameters.

    Raises
    ------
    CannotInstantiate
        If the op is open, nothing is known of a parameter, or the op does not take what was drawn.
    """
    if is_variable(head):
        return bind(head, lambda: Elemwise(scalar_op(random, arguments)))
    cls, props, _ = split(head)
    if cls is None:
        return head
    if not isinstance(cls, type):
        raise CannotInstantiate(f"the op {head} is open")
    names: Any = getattr(cls, "__props__", None) or ()
    values = []
    for name, prop in zip(names, props, strict=False):
        if is_variable(prop):
            draw = partial(_draw_for(cls, name, parameters), random, arguments)
            values.append(bind(prop, draw))
        elif isinstance(prop, Literal):
            values.append(prop.value)
        else:
            values.append(op_for(prop, arguments, random, bind, parameters))
    return made_by(cls, cls.__name__, values)


def _draw_for(cls: type, name: str, parameters: Parameters) -> Draw:
    """Return the function that draws a parameter: that of the class, of any class, or of another
    one with a parameter of the name."""
    classes = [*(c.__name__ for c in cls.__mro__), ""]
    of_class = [parameters[c, name] for c in classes if (c, name) in parameters]
    of_name = [f for (_, known), f in parameters.items() if known == name]
    draw = next(iter([*of_class, *of_name]), None)
    if draw is None:
        raise CannotInstantiate(
            f"nothing is known of the parameter {name} of {cls.__name__}: "
            "say how to draw it (`parameters`)"
        )
    return draw


def patterns_sought(goal: Callable[[Any, Any], Any]) -> list[Any]:
    """Return what the goal of a relation requires of a node; any elementwise op if it says
    nothing."""
    rules = rules_sought(goal, [TensorType("float64", ())()])
    return [_ANY_NODE] if rules is None else [rule.pattern for rule in rules]


_ANY_NODE = etuple(lvars("op"), Arguments(lvars("arguments")))


_OPS = (at.add, at.mul, at.sub, at.true_div, at.neg, at.exp, at.log, at.sqr, at.maximum, at.tanh)
_NUMBERS = (0, 1, 2, -1, 0.5)


def terms(
    variables: str = "x y z", ops: Sequence[Elemwise] | None = None, max_depth: int = 3
) -> st.SearchStrategy[Term]:
    """Return a strategy for terms over logic variables and numbers.

    Parameters
    ----------
    variables
        The names of the logic variables, separated by blanks, as for `relgraph.lvars`.
    ops
        The elementwise ops to make terms of; None for some common ones.
    max_depth
        How many ops stand within each other at most.

    Returns
    -------
    strategy
        A strategy for `Term`. Each has at least one variable.

    Raises
    ------
    TypeError
        If one of `ops` is no elementwise op.
    ValueError
        If there are no ops, no variables, or `max_depth` is less than 1.
    """
    chosen = _OPS if ops is None else tuple(ops)
    for op in chosen:
        if not isinstance(op, Elemwise):
            raise TypeError(f"terms are made of elementwise ops, not {op!r}")
    names = lvars(f"{variables},")
    if not chosen or max_depth < 1:
        raise ValueError("a term needs an op, and a depth of at least 1")
    symbolic: st.SearchStrategy[Any] = st.sampled_from(names)
    for _ in range(max_depth - 1):
        symbolic = st.sampled_from(names) | _applied(chosen, symbolic)
    return _applied(chosen, symbolic)


def _applied(ops: Sequence[Elemwise], symbolic: st.SearchStrategy[Any]) -> st.SearchStrategy[Term]:
    """Return a strategy for ops of symbolic arguments and numbers, not of numbers alone."""

    def of_op(op: Elemwise) -> st.SearchStrategy[Term]:
        # an op of any number of arguments is written with two
        count = op.scalar_op.nin if op.scalar_op.nin >= 0 else 2
        others = [symbolic | st.sampled_from(_NUMBERS)] * (count - 1)
        arguments = st.tuples(symbolic, *others).flatmap(st.permutations)
        return arguments.map(lambda given: Term(op, given, TensorVariable._ops))

    return st.sampled_from(ops).flatmap(of_op)


@st.composite
def laws(
    draw: Any,
    variables: str = "x y z",
    ops: Sequence[Elemwise] | None = None,
    max_depth: int = 3,
    sound: str = "domain",
) -> Law:
    """Return a strategy for laws between random terms. Hardly any of them is true.

    Parameters
    ----------
    variables, ops, max_depth
        As for `terms`. The right side has no variable that the left side has not.
    sound
        The soundness class that they claim.
    """
    lhs = draw(terms(variables, ops, max_depth))
    known = " ".join(map(str, variables_of(lhs)))
    rhs = draw(terms(known, ops, max_depth) | st.sampled_from(lvars(f"{known},")))
    if str(lhs) == str(rhs):
        rhs = lvars(f"{known},")[0]
    return law("drawn", lhs, rhs, sound=sound)
