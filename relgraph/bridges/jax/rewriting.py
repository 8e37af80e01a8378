"""`rewrite`: functions of JAX with laws applied to them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import Any

import jax
import jax.numpy as jnp
from jax.tree_util import tree_flatten_with_path

from relgraph.bridges.jax.opaque import as_wide, wide_type_of
from relgraph.bridges.jax.reading import JaxTree, leaf_name, read, read_closed, struct_of
from relgraph.bridges.jax.writing import Graph, GraphFunction
from relgraph.bridges.tracing import (
    Traced,
    function_name,
    names_of_arguments,
    optimized,
    parameter_names,
)
from relgraph.compile import Mode

MOST_KEPT = 256
"""For how many combinations of shapes and dtypes rewritten functions are kept."""


@dataclass(frozen=True)
class _Rewritten:
    """A function rewritten for some shapes and dtypes.

    Attributes
    ----------
    graph
        The rewritten graph, as a function of captured arrays and of the leaves of the arguments.
    captured
        What the function took from outside that JAX was tracing.
    results, dtypes
        How results are nested, and their dtypes.
    """

    graph: GraphFunction
    captured: tuple[Any, ...]
    results: JaxTree
    dtypes: tuple[Any, ...]


class RewrittenFunction:
    """A function of JAX whose graph is rewritten when it is called; see `rewrite`."""

    def __init__(
        self,
        fn: Callable[..., Any],
        laws: Any,
        mode: str | Mode | None,
        static_argnums: Collection[int],
        static_argnames: Collection[str],
    ) -> None:
        update_wrapper(self, fn)
        self._fn = fn
        self._laws, self._mode = laws, mode
        self._static = frozenset(static_argnums), frozenset(static_argnames)
        self._kept: OrderedDict[Any, _Rewritten] = OrderedDict()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, rewritten = self._for(args, kwargs)
        values = [as_wide(jnp.asarray(v)) for v in (*rewritten.captured, *leaves)]
        found = rewritten.graph(*values)
        return rewritten.results.filled(
            [
                v if v.dtype == dtype else v.astype(dtype)
                for v, dtype in zip(found, rewritten.dtypes, strict=True)
            ]
        )

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else partial(self, instance)

    def graph(self, *args: Any, **kwargs: Any) -> Traced:
        """Return the rewritten graph for some arguments: it can be drawn, compiled and explained.

        The inputs are what the function captured, and then the leaves of the arguments.
        """
        rewritten = self._for(args, kwargs)[1]
        made = rewritten.graph
        arguments = JaxTree(jax.tree.structure((tuple(made.inputs), {})))
        return Traced(
            made.inputs, made.outputs, arguments, rewritten.results, function_name(self._fn)
        )

    def _for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], _Rewritten]:
        """Return the leaves of arguments, and the function that is rewritten for them."""
        places, names = self._static
        fixed = {i % len(args): args[i] for i in places if -len(args) <= i < len(args)}
        named = {name: value for name, value in kwargs.items() if name in names}
        free = [value for i, value in enumerate(args) if i not in fixed]
        free_named = {name: value for name, value in kwargs.items() if name not in names}
        found, definition = tree_flatten_with_path((free, free_named))
        leaves = [leaf for _, leaf in found]
        avals = [_aval(leaf, self._fn) for leaf in leaves]
        key = (
            definition,
            tuple((a.shape, a.dtype, a.weak_type) for a in avals),
            # 1 and True are equal, and not the same to a function
            tuple((i, type(value), value) for i, value in fixed.items()),
            tuple((name, type(named[name]), named[name]) for name in sorted(named)),
            jax.config.read("jax_enable_x64"),
        )
        if key in self._kept:
            self._kept.move_to_end(key)
            return leaves, self._kept[key]

        def flat(*given: Any) -> Any:
            others, by_name = jax.tree.unflatten(definition, given)
            rest = iter(others)
            by_place = [fixed[i] if i in fixed else next(rest) for i in range(len(args))]
            return self._fn(*by_place, **by_name, **named)

        roots = names_of_arguments(self._fn, len(args))
        roots = [name for i, name in enumerate(roots) if i not in fixed]
        rewritten = self._rewritten(flat, avals, [leaf_name(path, roots) for path, _ in found])
        # What was taken from a function that is being traced is gone when that is done.
        if not rewritten.captured:
            self._kept[key] = rewritten
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return leaves, rewritten

    def _rewritten(
        self, flat: Callable[..., Any], avals: Sequence[Any], names: Sequence[str]
    ) -> _Rewritten:
        closed, results = jax.make_jaxpr(flat, return_shape=True)(*avals)
        jaxpr = closed.jaxpr
        inputs = [
            wide_type_of(v.aval).make_variable(name)
            for v, name in zip(jaxpr.invars, names, strict=True)
        ]
        captured: tuple[Any, ...] = ()
        if any(isinstance(c, jax.core.Tracer) for c in closed.consts):
            captured = tuple(closed.consts)
            constants = [wide_type_of(v.aval).make_variable() for v in jaxpr.constvars]
            outputs = read(jaxpr, constants, inputs, wide_type_of)
            inputs = [*constants, *inputs]
        else:
            outputs = read_closed(closed, inputs, wide_type_of)
        graph = GraphFunction(
            *self._by_laws((inputs, outputs)), self._by_laws, stabilize=self._stabilizes
        )
        leaves, definition = jax.tree.flatten(results)
        dtypes = tuple(leaf.dtype for leaf in leaves)
        return _Rewritten(graph, captured, JaxTree(definition), dtypes)

    @property
    def _stabilizes(self) -> bool:
        return self._laws is None or self._mode is not None

    def _by_laws(self, graph: Graph) -> Graph:
        return optimized(*graph, self._laws, self._mode)

    def __repr__(self) -> str:
        return f"<rewritten {function_name(self._fn)}>"


def _aval(leaf: Any, fn: Callable[..., Any]) -> Any:
    try:
        return struct_of(leaf)
    except TypeError as error:
        raise TypeError(
            f"{function_name(fn)} is given {leaf!r}, which is no array; name such an argument in "
            "static_argnums or static_argnames"
        ) from error


def rewrite(
    fn: Callable[..., Any] | None = None,
    *,
    laws: Any = None,
    mode: str | Mode | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Any:
    """Return a function of JAX with laws applied to what it computes.

    A loss is stabilized by ``@rewrite``: where the formula as it is written overflows or cancels,
    the value and the derivatives of any order are right all the same. The function is traced and
    rewritten once for each combination of shapes and dtypes. What it gives can be handed to
    `jax.jit`, `jax.grad`, `jax.jvp`, `jax.vmap` and the rest.

    Parameters
    ----------
    fn
        A function of arrays and pytrees of them, by place or by name, that returns such. Without
        it, a decorator is returned.
    laws
        A law or another rewriter, or a list of them. Alone they are all that is applied.
    mode
        A mode or its name, with whose laws the function is rewritten. With neither, these are the
        laws of the phases ``canonicalize`` and ``stabilize`` that hold for infinities and nan too.
    static_argnums, static_argnames
        The places and names of arguments that are no arrays, as for `jax.jit`. They have a hash.

    Returns
    -------
    function
        A `RewrittenFunction`; its method `graph` shows what became of the function.

    Raises
    ------
    TypeError
        If `fn` is no function. When it is called: if an argument is neither an array nor static,
        or the function does something that is no value, such as printing; and what `fn` raises.
    """
    if fn is None:
        return partial(
            rewrite,
            laws=laws,
            mode=mode,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
        )
    if not callable(fn):
        raise TypeError(f"rewrite takes a function of JAX's arrays, not {fn!r}")
    places = {static_argnums} if isinstance(static_argnums, int) else set(static_argnums)
    names = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames)
    # An argument that is static may be given by place or by name.
    known = parameter_names(fn)
    names |= {known[i] for i in places if -len(known) <= i < len(known)}
    places |= {known.index(name) for name in names if name in known}
    return RewrittenFunction(fn, laws, mode, places, names)
