"""A graph built anew over other inputs.

Of another dtype, to ask whether a law that matches it admits the dtype; or of another shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation.numbers import number_of, same_number
from relgraph.graph.traversal import graph_inputs, io_toposort
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.testing.instances.arguments.state import CannotInstantiate, InstantiatedPattern
from relgraph.testing.instances.input_values import InputSpec


def in_dtype(graph: InstantiatedPattern, dtype: str, only: Variable) -> InstantiatedPattern:
    """Return the same graph with one input or constant of another dtype; for what is raised see
    `retyped`."""
    return retyped(graph, (), dtype, only)


def retyped(
    graph: InstantiatedPattern, dtypes: tuple[str, ...], dtype: str, only: Variable | None = None
) -> InstantiatedPattern:
    """Return the same graph over inputs and constants of another dtype.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    dtypes
        The dtypes that are replaced. Lengths and indices keep theirs.
    dtype
        The new dtype.
    only
        An input or a constant that alone gets it; None for all inputs and constants of `dtypes`.

    Raises
    ------
    CannotInstantiate
        If a constant has no such value, or an op does not take the dtype.
    """
    known: dict[Variable, Variable] = {}
    specs, free = [], graph.inputs_in(dtypes)
    for spec in graph.inputs:
        if spec.var is only or (only is None and spec.var in free):
            known[spec.var] = _input(spec.var, dtype)
            spec = replace(spec, var=known[spec.var])
        specs.append(spec)
    for v in _constants(graph):
        if v is only or (only is None and v.type.dtype in dtypes):
            known[v] = _constant(v, dtype)
    return rebuilt(graph, specs, known)


def alone(number: Any, shape: tuple[int, ...]) -> Variable:
    """Return a number as a constant of rank 0, whatever shape the inputs have."""
    made: Variable = at.constant(number)
    return made


def with_axes(number: Any, shape: tuple[int, ...]) -> Variable:
    """Return a number as a constant of as many axes as the inputs, all of length 1.

    What an op makes of such numbers stands beside an input as it is, not behind a DimShuffle.
    """
    made: Variable = at.constant(np.full((1,) * len(shape), number))
    return made


def reshaped(
    graph: InstantiatedPattern, shape: tuple[int, ...], number: Any = alone
) -> InstantiatedPattern:
    """Return the same graph over inputs of a shape. Their types know only the rank, unless a
    number becomes an array of that shape.

    The elements of constants that are no numbers are repeated, in another order each time.

    Parameters
    ----------
    graph
        A graph of ops that work element by element.
    shape
        The shape at run time.
    number
        Returns what a number, an array of rank 0, becomes: `alone`, `with_axes`, or another array.

    Raises
    ------
    CannotInstantiate
        If an op is none of those, or the result has another rank.
    """
    known: dict[Variable, Variable] = {}
    specs = []
    # of an array of a number the type has the lengths, which those of inputs then have to have
    static = (None,) * len(shape) if number in (alone, with_axes) else shape
    for spec in graph.inputs:
        var: Any = spec.var
        if not isinstance(var.type, at.TensorType):
            raise CannotInstantiate(f"{var} is a {var.type}, which has no shape")
        known[var] = at.TensorType(var.type.dtype, static)(var.name)
        specs.append(replace(spec, var=known[var], shape=shape))
    random = np.random.default_rng(len(specs))
    leaves: list[Any] = [*graph.leaves, *graph.tensors, *_constants(graph)]
    for v in leaves:
        value = number_of(v)
        if value is not None:
            known[v] = number(np.asarray(value, v.type.dtype), shape)
        elif isinstance(v, Constant):
            if not np.size(v.data):
                raise CannotInstantiate(f"{v} has no elements to be repeated")
            known[v] = at.constant(random.choice(np.ravel(v.data), shape))
    for node in io_toposort(list(known), _variables(graph)):
        known[node.outputs[0]] = _elementwise(node, [known.get(v, v) for v in node.inputs])
    made = _over(graph, specs, known)
    if made.root.type.ndim != len(shape):
        raise CannotInstantiate(f"the result has {made.root.type.ndim} axes")
    return made


def with_length(graph: InstantiatedPattern, length: int, other: int) -> InstantiatedPattern:
    """Return the same graph where the axes of one length have another one.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    length
        A length of axes of inputs.
    other
        A smaller one. Where a constant has `length`, it keeps its first elements.

    Raises
    ------
    CannotInstantiate
        If an op does not take that.
    """

    def changed(shape: Sequence[int | None]) -> tuple[int | None, ...]:
        return tuple([other if n == length else n for n in shape])

    known: dict[Variable, Variable] = {}
    specs = []
    for spec in graph.inputs:
        var: Any = spec.var
        if length in spec.shape and not isinstance(var.type, at.TensorType):
            raise CannotInstantiate(f"{var} is a {var.type}, whose axes keep their lengths")
        if length in spec.shape:
            known[var] = at.TensorType(var.type.dtype, changed(var.type.shape))(var.name)
            shape = tuple([other if n == length else n for n in spec.shape])
            spec = replace(spec, var=known[var], shape=shape)
        specs.append(spec)
    for v in _constants(graph):
        if length in np.shape(v.data):
            first = tuple([slice(n) for n in changed(np.shape(v.data))])
            known[v] = at.constant(np.asarray(v.data)[first])
    return rebuilt(graph, specs, known)


def with_input(graph: InstantiatedPattern, v: Any, shape: tuple[int, ...]) -> InstantiatedPattern:
    """Return the same graph with a new input in the place of what an op computes.

    Inputs that nothing reads any more are left out.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    v
        A result in it.
    shape
        Its shape at run time.

    Raises
    ------
    CannotInstantiate
        If an op does not take it.
    """
    new = v.type()
    made = rebuilt(graph, [*graph.inputs, InputSpec(new, shape)], {v: new})
    read = set(graph_inputs(_variables(made)))
    return replace(made, inputs=[spec for spec in made.inputs if spec.var in read])


def with_number(graph: InstantiatedPattern, v: Any, number: Any) -> InstantiatedPattern:
    """Return the same graph with another number in all places of a constant.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    v
        A constant in it.
    number
        A number of its dtype.

    Raises
    ------
    CannotInstantiate
        If an op does not take it.
    """
    # what broadcasts a number of rank 0 is another constant
    alike = [u for u in _constants(graph) if u.type.dtype == v.type.dtype]
    known: dict[Variable, Variable] = {
        u: at.constant(np.full_like(u.data, number))
        for u in (v, *alike)
        if u is v or same_number(number_of(v), number_of(u))
    }
    return rebuilt(graph, graph.inputs, known)


def _elementwise(node: Apply, inputs: list[Variable]) -> Variable:
    """Return what the op of a node gives of other inputs, if it works element by element."""
    op: Any = node.op
    if isinstance(op, DimShuffle) and list(op.shuffle) == list(range(op.input_ndim)):
        return inputs[0]
    if not isinstance(op, Elemwise) or len(node.outputs) > 1:
        raise CannotInstantiate(f"{op} is not elementwise")
    made: Variable = op(*inputs)
    return made


def _constants(graph: InstantiatedPattern) -> list[Any]:
    return [v for v in graph_inputs(_variables(graph)) if isinstance(v, Constant)]


def _variables(graph: InstantiatedPattern) -> list[Variable]:
    found = (graph.root, *graph.leaves, *graph.tensors)
    return [v for v in found if isinstance(v, Variable)]


def rebuilt(
    graph: InstantiatedPattern, specs: list[InputSpec], known: dict[Variable, Variable]
) -> InstantiatedPattern:
    """Return a graph with other variables in the place of some: inputs, constants or results.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    specs
        The inputs that it then has.
    known
        For each variable that is replaced the other one.

    Raises
    ------
    CannotInstantiate
        If an op does not take them.
    """
    for node in io_toposort([spec.var for spec in graph.inputs], _variables(graph)):
        if any(v in known for v in node.outputs):
            continue
        try:
            made = node.op.make_node(*[known.get(v, v) for v in node.inputs])
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise CannotInstantiate(f"{node.op} does not take the other inputs") from error
        known.update(zip(node.outputs, made.outputs, strict=True))
    return _over(graph, specs, known)


def _over(
    graph: InstantiatedPattern, specs: list[InputSpec], known: dict[Variable, Variable]
) -> InstantiatedPattern:
    """Return a graph with other variables: those that `known` has for the old ones."""

    def new(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple([new(item) for item in value])
        return known.get(value, value) if isinstance(value, Variable) else value

    return InstantiatedPattern(
        new(graph.root),
        specs,
        [new(v) for v in graph.leaves],
        {v: new(value) for v, value in graph.bindings.items()},
        [new(v) for v in graph.tensors],
    )


def _input(var: Any, dtype: str) -> Variable:
    made: Variable = at.TensorType(dtype, var.type.shape)(var.name)
    return made


def _constant(v: Any, dtype: str) -> Variable:
    """Return a constant of the same numbers, rounded if they are floats."""
    data = np.asarray(v.data)
    if data.dtype.kind == "c" and np.dtype(dtype).kind != "c" and not data.imag.any():
        data = data.real
    if not np.can_cast(data.dtype, dtype, "same_kind") and not _fits(data, dtype):
        raise CannotInstantiate(f"{v} is no {dtype}")
    with np.errstate(all="ignore"):
        made: Variable = at.constant(data.astype(dtype))
    return made


def _fits(data: Any, dtype: str) -> bool:
    """Return whether some numbers are numbers of a dtype of another kind."""
    if data.dtype.kind == "c":
        return False
    with np.errstate(all="ignore"):
        return np.array_equal(data.astype(dtype).astype(data.dtype), data)
