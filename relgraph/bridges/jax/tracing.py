"""`from_jax`: the graph of a function that is written with JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.tree_util import keystr, tree_flatten_with_path

from relgraph.bridges.arguments import as_type, function_name, is_pair, names_of_arguments
from relgraph.bridges.jax.opaque import JaxType, type_of
from relgraph.bridges.jax.reading.jaxprs import read_closed
from relgraph.bridges.traced import Traced
from relgraph.graph.basic import Variable
from relgraph.graph.type import Type
from relgraph.tensor.type import TensorType


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
        For each array in its arguments, by place or by name: an array or a number, which stands for
        its dtype and shape; a pair ``(dtype, shape)``; a `jax.ShapeDtypeStruct`; a `TensorType`; or
        a variable, which is used itself. All lengths are known. A dtype is what JAX makes of it: it
        has 64 bits only where JAX has.

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
        aval = jax.typeof(spec)
        return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
    made: Type = spec.type if isinstance(spec, Variable) else as_type(spec, name)
    if isinstance(made, JaxType):
        return jax.ShapeDtypeStruct(made.shape, made.dtype)
    if not isinstance(made, TensorType) or None in made.shape:
        raise TypeError(f"argument {name} is specified by {made}: JAX knows all lengths of arrays")
    dtype = jax.dtypes.canonicalize_dtype(np.dtype(made.dtype))
    if isinstance(spec, Variable) and dtype != made.dtype:
        raise TypeError(f"argument {name} is a variable of {made}, of which JAX would make {dtype}")
    return jax.ShapeDtypeStruct(made.shape, dtype)
