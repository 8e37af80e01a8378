"""`rewrite`: functions of JAX with laws applied to them."""

from __future__ import annotations

import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from itertools import repeat
from typing import Any

import jax
import jax.numpy as jnp
from jax.tree_util import tree_flatten_with_path

from relations.choices import FACTORS
from relgraph.bridges.jax.opaque import INSIDE, JaxCall, as_wide, nested_call
from relgraph.bridges.jax.reading import JaxTree, Reading, leaf_name, read, read_closed
from relgraph.bridges.jax.writing import Graph, GraphFunction
from relgraph.bridges.tracing import (
    STABILIZED,
    Traced,
    derivation,
    function_name,
    names_of_arguments,
    optimized,
    parameter_names,
)
from relgraph.compile import Mode
from relgraph.graph.op import HasInnerGraph
from relgraph.graph.opt import Derivation
from relgraph.graph.traversal import io_toposort

MOST_KEPT = 256
"""For how many combinations of shapes and dtypes rewritten functions are kept."""


@dataclass(frozen=True)
class _Function:
    """The function of a jaxpr, rewritten.

    Attributes
    ----------
    graph
        The rewritten graph, as a function of captured arrays and of the inputs of the jaxpr.
    dtypes
        Those of the results.
    captured
        What the function took from outside that JAX was tracing.
    """

    graph: GraphFunction
    dtypes: tuple[Any, ...]
    captured: tuple[Any, ...]

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        values = [as_wide(jnp.asarray(v)) for v in (*self.captured, *inputs)]
        return tuple(
            v if v.dtype == dtype else v.astype(dtype)
            for v, dtype in zip(self.graph(*values), self.dtypes, strict=True)
        )


# A gradient of JAX's has the choices between branches as factors, 0 where one is not taken, which
# makes nan of what is infinite there.
_FOR_GRADIENTS = STABILIZED.including(*FACTORS)


class _Rewriting(Reading):
    """One reading of a function, and of the jaxprs in it, which are rewritten.

    Parameters
    ----------
    laws, mode
        As for `rewrite`.

    Attributes
    ----------
    given
        The graphs before they were rewritten, that of the whole function last.
    """

    wide = nests = True

    def __init__(self, laws: Any, mode: str | Mode | None) -> None:
        super().__init__()
        self._laws, self._mode = laws, mode
        self._mode_of_given = _FOR_GRADIENTS if laws is None and mode is None else mode
        self.given: list[Graph] = []

    def nested(self, eqn: Any) -> tuple[JaxCall, str] | None:
        return nested_call(eqn, self.function)

    def function(
        self, jaxpr: Any, names: Sequence[str | None] = (), captured: Sequence[Any] = ()
    ) -> _Function:
        """Return the function of a jaxpr, rewritten.

        Parameters
        ----------
        jaxpr
            It has its constants with it.
        names
            The names of its inputs.
        captured
            Its constants, if they become inputs.
        """
        inner = getattr(jaxpr, "jaxpr", jaxpr)
        inputs = [
            self.type_of(v.aval).make_variable(name)
            for v, name in zip(inner.invars, names or repeat(None), strict=False)
        ]
        if captured:
            constants = [self.type_of(v.aval).make_variable() for v in inner.constvars]
            given = [*constants, *inputs], read(inner, constants, inputs, self)
        else:
            given = inputs, read_closed(jaxpr, inputs, self)
        self.given.append(given)
        stabilize = self._laws is None or self._mode is not None
        rewritten = optimized(*given, self._laws, self._mode_of_given)
        graph = GraphFunction(*rewritten, self._by_laws, stabilize)
        return _Function(graph, tuple(v.aval.dtype for v in inner.outvars), tuple(captured))

    def _by_laws(self, graph: Graph) -> Graph:
        return optimized(*graph, self._laws, self._mode)

    def report(self, name: str) -> Report:
        """Return what was done to the function of a name; its graphs are rewritten once more."""
        mode = self._mode_of_given
        steps = [derivation(*graph, self._laws, mode) for graph in _with_steps(self.given)]
        return Report(name, tuple(steps), self.carried)


def _with_steps(graphs: Sequence[Graph]) -> list[Graph]:
    """Return graphs, and after each the steps of its loops."""
    found: list[Graph] = []
    for graph in graphs:
        ops = [node.op for node in io_toposort(*graph)]
        inner = [op for op in ops if isinstance(op, HasInnerGraph)]
        steps = [(list(op.inner_inputs), list(op.inner_outputs)) for op in inner]
        found += [graph, *_with_steps(steps)]
    return found


@dataclass(frozen=True)
class _Rewritten:
    """A function rewritten for some shapes and dtypes.

    Attributes
    ----------
    function
        Takes the leaves of the arguments.
    results
        How the results are nested.
    rewriting
        How it was read.
    """

    function: _Function
    results: JaxTree
    rewriting: _Rewriting


@dataclass(frozen=True)
class Report:
    """What `rewrite` did to a function; it prints as text.

    Attributes
    ----------
    name
        The name of the function.
    derivations
        The steps by which each of its graphs was rewritten: that of the function, those inside of
        what is carried through, and those of the steps of loops.
    carried
        What is carried through to JAX and why, and how often.
    """

    name: str
    derivations: tuple[Derivation, ...]
    carried: Counter[tuple[str, str]]

    @property
    def laws(self) -> Counter[str]:
        """The laws that were applied, and how often."""
        steps = [step for derivation in self.derivations for step in derivation]
        return Counter(step.label for step in steps if step.direction is not None)

    def __str__(self) -> str:
        laws = [f"  {law}{_times(n)}" for law, n in self.laws.most_common()]
        carried = [f"  {what}{_times(n)}: {why}" for (what, why), n in self.carried.most_common()]
        return "\n".join(
            [
                f"{self.name}: laws that were applied",
                *(laws or ["  none"]),
                f"{self.name}: carried through to JAX",
                *(carried or ["  nothing"]),
            ]
        )


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


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
        return rewritten.results.filled(rewritten.function(*leaves))

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else partial(self, instance)

    def graph(self, *args: Any, **kwargs: Any) -> Traced:
        """Return the rewritten graph for some arguments: it can be drawn, compiled and explained.

        The inputs are what the function captured, and then the leaves of the arguments.
        """
        rewritten = self._for(args, kwargs)[1]
        made = rewritten.function.graph
        arguments = JaxTree(jax.tree.structure((tuple(made.inputs), {})))
        return Traced(
            made.inputs, made.outputs, arguments, rewritten.results, function_name(self._fn)
        )

    def report(self, *args: Any, **kwargs: Any) -> Report:
        """Return which laws were applied for some arguments, and what is carried through to JAX.

        The graph is rewritten once more for it.
        """
        return self._for(args, kwargs)[1].rewriting.report(function_name(self._fn))

    def _for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], _Rewritten]:
        """Return the leaves of arguments, and the function that is rewritten for them."""
        places, names = self._static
        fixed = {i % len(args): args[i] for i in places if -len(args) <= i < len(args)}
        named = {name: value for name, value in kwargs.items() if name in names}
        free = [value for i, value in enumerate(args) if i not in fixed]
        free_named = {name: value for name, value in kwargs.items() if name not in names}
        found, definition = tree_flatten_with_path((free, free_named))
        leaves = [leaf for _, leaf in found]
        avals = tuple(_aval(leaf, self._fn) for leaf in leaves)
        key = (
            definition,
            avals,
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
        labels = [leaf_name(path, roots) for path, _ in found]
        rewritten = self._rewritten(flat, leaves, labels)
        # What was taken from a function that is being traced is gone when that is done.
        if not rewritten.function.captured:
            self._kept[key] = rewritten
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return leaves, rewritten

    def _rewritten(
        self, flat: Callable[..., Any], leaves: Sequence[Any], names: Sequence[str]
    ) -> _Rewritten:
        closed, results = jax.make_jaxpr(flat, return_shape=True)(*leaves)
        captured = any(isinstance(c, jax.core.Tracer) for c in closed.consts)
        rewriting = _Rewriting(self._laws, self._mode)
        function = rewriting.function(closed, names, closed.consts if captured else ())
        if any(not why.startswith(INSIDE) for _, why in rewriting.carried):
            report = rewriting.report(function_name(self._fn))
            if not report.laws:
                warnings.warn(f"rewrite applied no law\n{report}", stacklevel=4)
        return _Rewritten(function, JaxTree(jax.tree.structure(results)), rewriting)

    def __repr__(self) -> str:
        return f"<rewritten {function_name(self._fn)}>"


def _aval(leaf: Any, fn: Callable[..., Any]) -> Any:
    try:
        return jax.typeof(leaf)
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
        laws of the phases ``canonicalize`` and ``stabilize`` that hold for infinities and nan too,
        and those by which the 0 of a choice stays 0 as a factor of infinities and nan.
    static_argnums, static_argnames
        The places and names of arguments that are no arrays, as for `jax.jit`. They have a hash.

    Returns
    -------
    function
        A `RewrittenFunction`; its methods `graph` and `report` show what became of the function.

    Raises
    ------
    TypeError
        If `fn` is no function. When it is called: if an argument is neither an array nor static,
        or the function does something that is no value, such as printing; and what `fn` raises.

    Warns
    -----
    UserWarning
        When it is called, if no law applies and something is left to JAX that laws do not see into.
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
