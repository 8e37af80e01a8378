"""`JaxLinker`: graphs as programs that JAX compiles.

A `JaxProgram` is compiled when it is called, and again for other static values. The function behind
a call is generated for its signature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.interpretation import Run, values_needed
from relgraph.engines.jax.lowering.dispatch import NeedsValue
from relgraph.engines.jax.values import (
    LARGE_BYTES,
    Behind,
    aligned,
    from_engine,
    run_where_called,
    to_engine,
)
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.type import Type
from relgraph.scalar.type import is_discrete
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import from_source
from relgraph.vm.schedule import schedule_of_nodes

if TYPE_CHECKING:
    from relgraph.compile.compiled_function import CallParts


def generate_call(program: JaxProgram, parts: CallParts, trusted: bool) -> Callable[..., Any]:
    """Return a function of the arguments, in order, that does what a call does.

    It gives arrays of JAX if an argument is one, else NumPy's. The values of shared variables stay
    on JAX's device.

    Parameters
    ----------
    program
        What computes the graph.
    parts
        What the call is made of.
    trusted
        Whether the arguments are taken as they are.
    """
    names: dict[str, Any] = {
        "program": program,
        "wide": jax.enable_x64,
        "NeedsValue": NeedsValue,
        "require": require,
        "ndarray": np.ndarray,
        "asarray": np.asarray,
        "aligned": aligned,
        "unpack": parts.unpack,
        "Array": type(jnp.zeros(())),
        "wait": jax.block_until_ready,
    }
    arguments = [f"a{i}" for i in range(len(parts.inputs))]
    body = [" on_device = on_host = False"]
    for i, given in enumerate(parts.inputs):
        body += _conversion(i, given, parts, trusted, names)
    values = list(arguments)
    for k, container in enumerate(parts.shared):
        kind = program.inputs[len(arguments) + k].type
        home = names[f"h{k}"] = _home(kind)
        names[f"s{k}"], names[f"p{k}"] = container, _fetcher(container, kind, home)
        values.append(f"v{k}")
        body.append(f" v{k} = s{k}.away if s{k}.bring_home is h{k} else p{k}()")
    taken = ", ".join(values)
    body += [
        " with wide(True):",
        f"  try: found, checks = program.function({taken})",
        f"  except NeedsValue as needed: found, checks = program.after(needed, [{taken}])",
        " if checks: require(checks)",
        *_results(program, parts, names),
    ]
    return from_source([f"def call({', '.join(arguments)}):", *body], names, "call of JAX")


def _results(program: JaxProgram, parts: CallParts, names: dict[str, Any]) -> list[str]:
    """Return the lines that store updates and return results."""
    n = parts.n_results
    lines = []
    for k, container in enumerate(parts.updated):
        names[f"u{k}"] = container
        names[f"b{k}"] = _home(program.outputs[n + k].type)
        lines.append(f" u{k}.put_away(found[{n + k}], b{k})")
    for i in range(n):
        names[f"n{i}"] = partial(from_engine, kind=program.outputs[i].type)
    # what arguments have in NumPy's storage may be overwritten from now on
    wait = " wait(found)" if n == 0 else " if on_device and on_host: wait(found)"
    lines += [wait, f" if on_device: return unpack(found[:{n}])"]
    results = ", ".join(f"n{i}(found[{i}])" for i in range(n))
    return [*lines, f" return unpack([{results}])"]


def require(checks: dict[str, Any]) -> None:
    """Raise an AssertionError with the message of a check that does not hold."""
    for message, holds in checks.items():
        if not holds:
            raise AssertionError(message)


def _conversion(
    i: int, given: Any, parts: CallParts, trusted: bool, names: dict[str, Any]
) -> list[str]:
    """Return the lines that convert an argument: a test for the exact type, and what else."""
    kind = given.variable.type
    if not isinstance(kind, TensorType):
        names[f"c{i}"] = lambda value: to_engine(parts.convert(i, value), kind)
        return [f" a{i} = c{i}(a{i})"]
    names[f"c{i}"] = _array_converter(i, kind, parts, trusted)
    names[f"d{i}"] = kind.numpy_dtype
    shape = [f" and s[{axis}] == {n}" for axis, n in enumerate(kind.shape) if n is not None]
    fits = f"a{i}.dtype is d{i} and len(s := a{i}.shape) == {kind.ndim}{''.join(shape)}"
    lines = [
        f" if type(a{i}) is ndarray and {fits}:",
        "  on_host = True",
        f"  if a{i}.nbytes > {LARGE_BYTES}: a{i} = aligned(a{i})" if kind.ndim else "  pass",
        f" elif type(a{i}) is Array and {fits}: on_device = True",
    ]
    if kind.ndim == 0 and kind.dtype == "float64" and not given.strict:
        lines.append(f" elif type(a{i}) is float: a{i} = asarray(a{i})")
    lines += [" else:", f"  a{i}, on = c{i}(a{i})", "  on_device, on_host = on_device or on, True"]
    return lines


def _array_converter(
    i: int, kind: TensorType, parts: CallParts, trusted: bool
) -> Callable[[Any], tuple[Any, bool]]:
    """Return what converts an argument, and says whether it was an array of JAX."""
    given = parts.inputs[i]

    def convert(value: Any) -> tuple[Any, bool]:
        if not isinstance(value, jax.Array):
            host = np.asarray(value, kind.numpy_dtype) if trusted else parts.convert(i, value)
            return host, False
        if value.dtype == kind.numpy_dtype and kind.has_shape(value.shape):
            return value, True
        if not kind.converts(value, given.strict, given.allow_downcast):
            # the error is that for an array of NumPy
            parts.convert(i, np.empty(value.shape, value.dtype))
        with jax.enable_x64(True):
            return value.astype(kind.numpy_dtype), True

    return convert


@cache
def _home(kind: Type) -> Callable[[Any], Any]:
    """Return what makes the value of a shared variable of what JAX has, one for each type: a copy,
    since JAX may hand out the array still."""
    return np.array if isinstance(kind, TensorType) else partial(from_engine, kind=kind)


def _fetcher(container: Any, kind: Type, home: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return what puts the value of a shared variable on JAX's device."""

    def fetch() -> Any:
        host = container.value
        with jax.enable_x64(True):
            value = jax.tree.map(jnp.array, to_engine(host, kind))
        container.keep_away(value, home)
        return value

    return fetch


MOST_STATIC = 256
"""For how many combinations of static values compiled functions are kept."""

Found = tuple[list[Any], dict[str, Any]]
"""The values of outputs, and for the message of each check whether it holds."""

Compute = Callable[..., Found]


class JaxProgram:
    """Computes the outputs of a graph from its inputs.

    An integer whose value decides on a shape is static: the graph is compiled for each value of it.
    A graph in which a shape depends on other values is run a node at a time, uncompiled.

    Parameters
    ----------
    inputs, outputs
        Those of the graph.
    nodes
        Its nodes in order.

    Attributes
    ----------
    static
        The positions of the inputs that are static, as far as calls have shown.
    compiled
        Whether it is compiled; if not, it is run a node at a time.
    function
        Takes the values of the inputs; returns those of the outputs and the checks. It raises
        `NeedsValue` where `after` has to find out how to go on.
    """

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], nodes: Sequence[Apply]
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.static: tuple[int, ...] = ()
        self.compiled = True
        self._plan = schedule_of_nodes(nodes, self.inputs, self.outputs)
        self._for_static = lru_cache(MOST_STATIC)(self._compiled_for)
        self.function: Compute = jax.jit(self._traceable)

    def __call__(self, *values: Any) -> list[Any]:
        """Return the values of the outputs as NumPy has them."""
        given = [to_engine(x, v.type) for v, x in zip(self.inputs, values, strict=True)]
        with jax.enable_x64(True):
            try:
                found, checks = self.function(*given)
            except NeedsValue as needed:
                found, checks = self.after(needed, given)
            require(checks)
        return [from_engine(x, v.type) for v, x in zip(self.outputs, found, strict=True)]

    def make_call(self, parts: CallParts, trusted: bool) -> Callable[..., Any]:
        """Return the function behind a call of a `Function`."""
        return generate_call(self, parts, trusted)

    def after(self, needed: NeedsValue, values: Sequence[Any]) -> Found:
        """Return what is computed when values are known that were not; later calls know them."""
        while True:
            self._settle(needed)
            try:
                return self.function(*values)
            except NeedsValue as another:
                needed = another

    def _settle(self, needed: NeedsValue) -> None:
        """Make inputs static whose values are needed; if they can't be, compile no longer."""
        roots = [] if needed.variables is None else values_needed(needed.variables)
        positions = {i for i, v in enumerate(self.inputs) if v in roots}
        self._for_static.cache_clear()
        if positions - set(self.static) and len(positions) == len(roots) and _all_small(roots):
            self.static = tuple(sorted({*self.static, *positions}))
            self.function = self._with_static
        else:
            self.compiled = False
            self.function = self._uncompiled

    def _with_static(self, *values: Any) -> Found:
        """Compute by the function that is compiled for the values of the static inputs."""
        known = [np.asarray(values[i]) for i in self.static]
        function = self._for_static(*[(x.dtype, x.shape, x.tobytes()) for x in known])
        return function(*[x for i, x in enumerate(values) if i not in self.static])

    def _compiled_for(self, *known: tuple[Any, tuple[int, ...], bytes]) -> Compute:
        """Compile for some values of the static inputs, given as dtypes, shapes and bytes."""
        arrays = [np.frombuffer(data, dtype).reshape(shape) for dtype, shape, data in known]
        values = dict(zip(self.static, arrays, strict=True))
        compiled: Compute = jax.jit(partial(self._knowing, values))
        return compiled

    def _knowing(self, known: dict[int, Any], *traced: Any) -> Found:
        rest = iter(traced)
        every = range(len(self.inputs))
        return self._traceable(*[known[i] if i in known else next(rest) for i in every])

    def _uncompiled(self, *values: Any) -> Found:
        return self._traceable(*map(_on_device, values))

    def _traceable(self, *values: Any) -> Found:
        given = [x.array() if isinstance(x, Behind) else x for x in values]
        run = Run(dict(zip(self.inputs, given, strict=True)))
        found = run.outputs(self._plan, self.outputs)
        return _apart(found, values), dict(run.checks)


def _all_small(variables: Sequence[Variable]) -> bool:
    """Return whether variables are integers, or vectors of them."""
    types = [v.type for v in variables]
    return all(isinstance(t, TensorType) and is_discrete(t.dtype) and t.ndim <= 1 for t in types)


def _on_device(value: Any) -> Any:
    """Return an array as JAX's, but for a few integers: they may be lengths."""
    if isinstance(value, np.ndarray) and (value.size > 1 or value.dtype.kind == "f"):
        return jnp.array(value)
    return value


def _apart(found: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """Return results as arrays of JAX, each with storage of its own."""
    seen = {id(leaf) for leaf in jax.tree.leaves(list(given))}

    def own(leaf: Any) -> Any:
        made = jnp.copy(leaf) if id(leaf) in seen else jnp.asarray(leaf)
        seen.add(id(made))
        seen.add(id(leaf))
        return made

    return [jax.tree.map(own, x) for x in found]


class JaxLinker:
    """Makes one function of a graph, which ``jax.jit`` compiles when it is first called.

    Attributes
    ----------
    name
        Its name in a `Mode`.
    excluded
        The tags of what is for NumPy alone.
    rounds
        Results equal the reference only up to rounding.
    flushes
        That subnormal numbers are taken for zero.
    """

    name = "jax"
    excluded = ("inplace", "elemwise_fusion", "blas")
    rounds = flushes = True

    def link(self, fgraph: FunctionGraph) -> JaxProgram:
        """Return a function that computes the outputs of a graph from its inputs."""
        run_where_called()
        return JaxProgram(fgraph.inputs, fgraph.outputs, fgraph.toposort())


LINKER = JaxLinker()
