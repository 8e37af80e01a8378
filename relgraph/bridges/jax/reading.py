"""`from_jax`: the graph of a function that is written with JAX, its jaxpr read into ops.

The primitives that call jaxprs are read here: calls, conditions, loops, and functions of JAX that
are one op.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Literal
from jax.tree_util import keystr, tree_flatten_with_path

import relgraph.tensor as at
from relgraph.bridges.jax import indexing, primitives
from relgraph.bridges.jax.opaque import (
    JaxCall,
    JaxOp,
    JaxType,
    half_call,
    is_half,
    primitive_call,
    source_of,
    struct_of,
    type_of,
    wide_type_of,
)
from relgraph.bridges.jax.primitives import ComputesNothing, Equation, NoCounterpart, Reader, insist
from relgraph.bridges.tracing import Traced, as_type, function_name, is_pair, names_of_arguments
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.type import Type
from relgraph.scalar.type import is_complex
from relgraph.tensor import linalg
from relgraph.tensor.conditional import ifelse
from relgraph.tensor.loops.scan import LoopOptions, build_loop
from relgraph.tensor.type import TensorType


class Reading:
    """How jaxprs are read: here, as they are.

    Attributes
    ----------
    wide
        Whether what has 16 bits is computed in 32, as XLA may. Products are left to JAX then:
        hardware has them in 16.
    nests
        Whether primitives that call jaxprs are carried through with these rewritten.
    carried
        What was carried through and why, and how often.
    """

    wide = nests = False

    def __init__(self) -> None:
        self.carried: Counter[tuple[str, str]] = Counter()

    def nested(self, eqn: Any) -> tuple[JaxCall, str] | None:
        """Return the call of an equation with its jaxprs rewritten, and why it is carried through;
        None if it has none."""
        return None

    def type_of(self, aval: Any) -> Any:
        """Return the type of variables for JAX's values of a shape and a dtype."""
        return wide_type_of(aval) if self.wide else type_of(aval)

    def call(self, eqn: Any) -> Any:
        """Return what computes an equation that is carried through."""
        nested = self.nested(eqn)
        made, why = nested or (primitive_call(eqn.primitive, eqn.params), self._why(eqn))
        self.carried[made.name, why] += 1
        dtypes = [v.aval.dtype for v in (*eqn.invars, *eqn.outvars)]
        if not self.wide or not any(map(is_half, dtypes)):
            return made
        taken = dtypes[: len(eqn.invars)]
        return half_call(made, tuple(dtype if is_half(dtype) else None for dtype in taken))

    def _why(self, eqn: Any) -> str:
        if self.carries_through(eqn):
            return "a product of 16 bits"
        known = eqn.primitive.name in READERS
        return "not with these inputs or parameters" if known else "no op is its counterpart"

    def carries_through(self, eqn: Any) -> bool:
        """Return whether an equation is left to JAX though there is a reader for it."""
        if eqn.primitive.name == "dot_general":
            return self.wide and any(is_half(v.aval.dtype) for v in eqn.invars)
        return self.nests and eqn.primitive.name == "remat2"


AS_IT_IS = Reading()


def inputs_of_scan(parameters: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many inputs of a `scan` are the same at each step, and how many are its states.

    They are parameters, and since 0.12 the lengths of the parts of one.
    """
    if "num_consts" in parameters:
        return parameters["num_consts"], parameters["num_carry"]
    fixed, states, _ = parameters["ft_in"].unpack()
    return len(fixed), len(states)


def _softmax(equation: Equation, x: Any, *others: Any) -> Any:
    # the axes are known to what it calls alone
    called = equation["call_jaxpr"].jaxpr
    sums = [eqn for eqn in called.eqns if eqn.primitive.name == "reduce_sum"]
    insist(len(sums) == 1 and not others)
    return at.softmax(x, axis=tuple(int(i) for i in sums[0].params["axes"]))


def _slogdet(equation: Equation, a: Any) -> Any:
    return linalg.slogdet(a)


def _solve(equation: Equation, a: Any, b: Any) -> Any:
    insist(a.type.dtype == b.type.dtype and (b.type.ndim == 1 or b.type.ndim == a.type.ndim))
    insist(b.type.ndim > 1 or a.type.ndim == 2)
    return linalg.solve(a, b)


# Functions of JAX, by the names and files of what is called, that are one op here. As their
# jaxprs they would have lost what laws know of them, or their derivatives. A softmax says itself
# along which axes it is.
_KNOWN: dict[tuple[str, str], tuple[Callable[..., Any] | None, Reader]] = {
    ("_slogdet_lu", "numpy/linalg.py"): (jnp.linalg.slogdet, _slogdet),
    ("_slogdet_qr", "numpy/linalg.py"): (partial(jnp.linalg.slogdet, method="qr"), _slogdet),
    ("_softmax", "nn/functions.py"): (None, _softmax),
    ("det", "numpy/linalg.py"): (jnp.linalg.det, lambda eq, a: linalg.det(a)),
    ("frexp", "numpy/ufuncs.py"): (jnp.frexp, lambda eq, x: at.frexp(x)),
    ("inv", "numpy/linalg.py"): (jnp.linalg.inv, lambda eq, a: linalg.inv(a)),
    ("logaddexp", "lax/other.py"): (jnp.logaddexp, lambda eq, *xs: at.logaddexp(*xs)),
    ("solve", "numpy/linalg.py"): (jnp.linalg.solve, _solve),
}


# What `to_jax` makes has the derivatives of what it is made of.
_OWN = "relgraph/bridges/jax/writing.py"


def _known(equation: Equation, called: Any, inputs: Sequence[Any]) -> Any:
    """Return what a function of JAX gives that is known, by its jaxpr.

    Raises
    ------
    NoCounterpart
        If it has no counterpart here.
    """
    name, path = source_of(called)
    key = name, "/".join(path.split("/")[-2:])
    insist("/jax/" in path and key in _KNOWN)
    function, reader = _KNOWN[key]
    insist(not any(is_complex(v.type.dtype) for v in inputs))
    insist(function is None or _is_of(function, called))
    return reader(equation, *inputs)


def _is_of(function: Callable[..., Any], called: Any) -> bool:
    """Return whether a jaxpr is that of a call of a function, on arrays or on stacks of them.

    What `jax.grad` makes of the function, and `jax.vmap` along other axes than the first, has its
    name too.
    """
    jaxpr = getattr(called, "jaxpr", called)
    avals = [v.aval for v in jaxpr.invars]
    source, text = source_of(jaxpr), str(jaxpr)
    for _ in range(1 + min(len(aval.shape) for aval in avals)):
        try:
            traced = jax.make_jaxpr(function)(*avals)
        except (TypeError, ValueError):
            return False  # the function does not take such arrays
        if any(source_of(c) == source and str(c) == text for c in _calls(traced.jaxpr)):
            return True
        function = jax.vmap(function)
    return False


def _calls(jaxpr: Any) -> Iterator[Any]:
    """Yield the jaxprs that a jaxpr calls, and what they call."""
    for eqn in jaxpr.eqns:
        for name in ("call_jaxpr", "jaxpr"):
            if name in eqn.params:
                called = getattr(eqn.params[name], "jaxpr", eqn.params[name])
                yield called
                yield from _calls(called)


def call(equation: Equation, *inputs: Any) -> Any:
    """Read a call of a jaxpr."""
    parameters = equation.parameters
    jaxpr = parameters["call_jaxpr"] if "call_jaxpr" in parameters else parameters["jaxpr"]
    try:
        return _known(equation, jaxpr, inputs)
    except NoCounterpart:
        return equation.inline(jaxpr, inputs)


def _custom(equation: Equation, *inputs: Any) -> Any:
    """Read a function that has a rule of its own for its derivative.

    What it is made of has other derivatives, so it is read only where an op is the same.
    """
    called = equation["call_jaxpr"]
    if source_of(called)[1].endswith(_OWN):
        return equation.inline(called, inputs)
    return _known(equation, called, inputs)


def _platform_index(equation: Equation) -> Any:
    platforms = equation["platforms"]
    insist(None in platforms)
    return at.constant(np.int32(platforms.index(None)))


def _cond(equation: Equation, which: Any, *operands: Any) -> Any:
    branches = equation["branches"]
    if isinstance(which, Constant):
        chosen = branches[int(np.clip(which.data, 0, len(branches) - 1))]
        return equation.inline(chosen, operands)
    insist(bool(equation.types))
    results = [equation.inline(branch, operands) for branch in branches]
    if len(branches) == 2:
        return ifelse(which, results[1], results[0])
    found = results[-1]
    for i, result in reversed(list(enumerate(results[:-1]))):
        found = ifelse(at.le(which, np.asarray(i, which.type.dtype)), result, found)
    return found


def _scan(equation: Equation, *inputs: Any) -> Any:
    insist(equation["length"] > 0)
    constants, carried = inputs_of_scan(equation.parameters)
    fixed, first = inputs[:constants], inputs[constants : constants + carried]
    sequences = list(inputs[constants + carried :])
    count = len(equation.types)
    insist(count > 0)

    def step(*given: Any) -> list[Any]:
        rows, states = given[: len(sequences)], given[len(sequences) :]
        return equation.inline(equation["jaxpr"], [*fixed, *states, *rows])

    loop = build_loop(
        step,
        sequences,
        [*first, *[None] * (count - carried)],
        None,
        equation["length"],
        LoopOptions(go_backwards=equation["reverse"]),
    )
    collected = loop.outputs[carried:]
    if equation["reverse"]:
        collected = [rows[::-1] for rows in collected]
    return [*loop.last[:carried], *collected]


READERS: dict[str, Reader] = {
    "closed_call": call,
    "cond": _cond,
    "custom_jvp_call": _custom,
    "custom_vjp_call": _custom,
    "jit": call,
    "platform_index": _platform_index,
    "remat2": call,
    "scan": _scan,
    **indexing.READERS,
    **primitives.READERS,
}
"""Functions that read primitives, by name."""


def read(
    jaxpr: Any, constants: Sequence[Variable], inputs: Sequence[Any], how: Reading = AS_IT_IS
) -> list[Any]:
    """Return the variables of the outputs of a jaxpr.

    Parameters
    ----------
    jaxpr
        A `jax.extend.core.Jaxpr`.
    constants, inputs
        The variables of its constants and inputs.
    how
        How it is read.

    Raises
    ------
    ComputesNothing
        If an equation does something and computes nothing: a graph can't say when.
    """
    known: dict[Any, Any] = dict(zip(jaxpr.constvars, constants, strict=True))
    known.update(zip(jaxpr.invars, inputs, strict=True))

    def value(atom: Any) -> Any:
        return constant(atom.val, atom.aval, how) if isinstance(atom, Literal) else known[atom]

    for eqn in jaxpr.eqns:
        outputs = _outputs(eqn, [value(v) for v in eqn.invars], how)
        known.update(zip(eqn.outvars, outputs, strict=True))
    return [value(v) for v in jaxpr.outvars]


def read_closed(closed: Any, inputs: Sequence[Any], how: Reading = AS_IT_IS) -> list[Any]:
    """Return the variables of the outputs of a jaxpr that has its constants with it."""
    if not hasattr(closed, "consts"):
        return read(closed, (), inputs, how)
    avals = [v.aval for v in closed.jaxpr.constvars]
    constants = [constant(c, aval, how) for c, aval in zip(closed.consts, avals, strict=True)]
    return read(closed.jaxpr, constants, inputs, how)


def constant(value: Any, aval: Any, how: Reading = AS_IT_IS) -> Any:
    """Return a constant of JAX as one of a graph."""
    made = how.type_of(aval)
    if isinstance(made, JaxType):
        with jax.ensure_compile_time_eval():
            return made.make_constant(jax.numpy.asarray(value))
    return at.constant(np.asarray(value, made.dtype))


def _outputs(eqn: Any, inputs: Sequence[Any], how: Reading) -> list[Any]:
    """Return the variables of the outputs of an equation."""
    types = [how.type_of(v.aval) for v in eqn.outvars]
    reader = None if how.carries_through(eqn) else READERS.get(eqn.primitive.name)
    tensors = all(isinstance(v.type, TensorType) for v in inputs)
    if reader is not None and (tensors or reader is call):
        inline = partial(read_closed, how=how)
        equation = Equation(eqn.primitive.name, eqn.params, types, inline)
        try:
            found = reader(equation, *inputs)
        except ComputesNothing:
            raise
        except (NoCounterpart, TypeError):
            pass  # a TypeError says that an op is not for inputs of these types
        else:
            made = found if isinstance(found, list | tuple) else [found]
            return [_typed(v, t) for v, t in zip(made, types, strict=True)]
    return _opaque(eqn, inputs, how)


def _typed(v: Any, wanted: Any) -> Any:
    """Return a variable of the most precise type that is known for a value."""
    if isinstance(wanted, JaxType) or wanted.is_super(v.type):
        return v
    if v.type.dtype != wanted.dtype:
        v = at.cast(v, wanted.dtype)
    if v.type.ndim != wanted.ndim:
        raise AssertionError(f"{v} is a {v.type} where JAX has a {wanted}")
    return v if wanted.is_super(v.type) else at.specify_shape(v, wanted.shape)


def _opaque(eqn: Any, inputs: Sequence[Any], how: Reading) -> list[Any]:
    """Return the outputs of a node that calls the primitive itself."""
    types = tuple(how.type_of(v.aval) for v in eqn.outvars)
    if not types:
        raise ComputesNothing(
            f"{eqn.primitive.name} computes nothing, so that it has no place in a graph: take it "
            "out of the function"
        )
    made: list[Any] = JaxOp(how.call(eqn), types, not eqn.effects)(*inputs, return_list=True)
    return made


class JaxTree:
    """How JAX nests leaves: a tree of the classes that are registered with it.

    Parameters
    ----------
    definition
        JAX's `PyTreeDef`.
    """

    def __init__(self, definition: Any) -> None:
        self.definition = definition

    def leaves_of(self, tree: Any) -> list[Any]:
        """Return the leaves of a tree.

        Raises
        ------
        TypeError
            If it is nested in another way.
        """
        leaves, definition = jax.tree.flatten(tree)
        if definition != self.definition:
            raise TypeError(f"{definition} is given where {self.definition} is wanted")
        return list(leaves)

    def filled(self, leaves: Sequence[Any]) -> Any:
        """Return the tree that has these leaves."""
        return jax.tree.unflatten(self.definition, leaves)


def from_jax(fn: Callable[..., Any], *specs: Any, **named_specs: Any) -> Traced:
    """Return the graph of a function of JAX: its jaxpr, read into ops.

    A primitive that no op is the counterpart of is carried through as a `JaxOp`. So is a function
    with a rule of its own for its derivative, unless it is one of JAX's that an op is the same as.

    Parameters
    ----------
    fn
        A function of arrays, or of pytrees of arrays, that returns such.
    specs, named_specs
        For each array in its arguments, by place or by name: an array or a number, of which only
        the dtype and shape count; a pair ``(dtype, shape)``; a `jax.ShapeDtypeStruct`; a
        `TensorType`; or a variable, which is used itself. All lengths are known. A dtype is what
        JAX makes of it: it has 64 bits only where JAX has.

    Returns
    -------
    traced
        The graph: it can be rewritten, drawn, compiled, and made a function of JAX by `to_jax`.

    Raises
    ------
    TypeError
        If a specification is none of these or leaves a length open, or an equation of the jaxpr
        does something and computes nothing; and what JAX raises.
    """
    found, definition = tree_flatten_with_path((specs, named_specs), is_leaf=is_pair)
    roots = names_of_arguments(fn, len(specs))
    names = [leaf_name(path, roots) for path, _ in found]
    given = [spec for _, spec in found]
    avals = [as_aval(spec, name) for spec, name in zip(given, names, strict=True)]
    by_place, by_name = jax.tree.unflatten(definition, avals)
    jaxpr, results = jax.make_jaxpr(fn, return_shape=True)(*by_place, **by_name)
    inputs = [
        spec if isinstance(spec, Variable) else type_of(aval).make_variable(name)
        for spec, aval, name in zip(given, avals, names, strict=True)
    ]
    outputs = read_closed(jaxpr, inputs)
    results_tree = JaxTree(jax.tree.structure(results))
    return Traced(inputs, outputs, JaxTree(definition), results_tree, function_name(fn))


def leaf_name(path: tuple[Any, ...], roots: Sequence[str]) -> str:
    """Return the name of a leaf of a pair of arguments, by place and by name.

    Parameters
    ----------
    path
        JAX's path to the leaf.
    roots
        The names of those by place.
    """
    which, root, *rest = path
    name = roots[root.idx] if which.idx == 0 else str(root.key)
    return ".".join([name, *(keystr((key,), simple=True) for key in rest)])


def as_aval(spec: Any, name: str) -> Any:
    """Return what JAX traces a function with in the place of an argument.

    Raises
    ------
    TypeError
        If the specification is none, or leaves a length open.
    """
    if isinstance(spec, jax.ShapeDtypeStruct):
        return spec
    if isinstance(spec, jax.Array | bool | int | float | complex):
        return struct_of(spec)
    made: Type = spec.type if isinstance(spec, Variable) else as_type(spec, name)
    if isinstance(made, JaxType):
        return jax.ShapeDtypeStruct(made.shape, made.dtype)
    if not isinstance(made, TensorType) or None in made.shape:
        raise TypeError(f"argument {name} is specified by {made}: JAX knows all lengths of arrays")
    dtype = jax.dtypes.canonicalize_dtype(np.dtype(made.dtype))
    if isinstance(spec, Variable) and dtype != made.dtype:
        raise TypeError(f"argument {name} is a variable of {made}, of which JAX would make {dtype}")
    return jax.ShapeDtypeStruct(made.shape, dtype)
