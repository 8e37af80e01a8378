"""`JaxProgram`: a graph that JAX compiles when it is called, and again for other static values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.calls import generate_call, require
from relgraph.engines.jax.interpretation import Plan, Run, plan_of
from relgraph.engines.jax.loops import values_needed
from relgraph.engines.jax.lowering.dispatch import NeedsValue
from relgraph.engines.jax.values import Behind, from_engine, to_engine
from relgraph.graph.basic import Apply, Variable
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.type import TensorType

if TYPE_CHECKING:
    from relgraph.compile.compiled_function import CallParts

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
        self._plan: Plan = plan_of(self.inputs, self.outputs, nodes)
        self._for_static: OrderedDict[Any, Compute] = OrderedDict()
        self.function: Compute = jax.jit(self._traceable)

    def __call__(self, *values: Any) -> list[Any]:
        """Return the values of the outputs as NumPy has them."""
        given = [to_engine(x, v.type) for v, x in zip(self.inputs, values, strict=True)]
        with jax.enable_x64(True):
            found = self.compute(given)
        return [from_engine(x, v.type) for v, x in zip(self.outputs, found, strict=True)]

    def make_call(self, parts: CallParts, trusted: bool) -> Callable[..., Any]:
        """Return the function behind a call of a `Function`."""
        return generate_call(self, parts, trusted)

    def compute(self, values: Sequence[Any]) -> list[Any]:
        """Return the values of the outputs, as JAX has them. It is called where `wide` is set."""
        try:
            found, checks = self.function(*values)
        except NeedsValue as needed:
            found, checks = self.after(needed, values)
        if checks:
            require(checks)
        return found

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
        self._for_static.clear()
        if positions - set(self.static) and len(positions) == len(roots) and _all_small(roots):
            self.static = tuple(sorted({*self.static, *positions}))
            self.function = self._with_static
        else:
            self.compiled = False
            self.function = self._uncompiled

    def _with_static(self, *values: Any) -> Found:
        """Compute by the function that is compiled for the values of the static inputs."""
        known = {i: np.asarray(values[i]) for i in self.static}
        key = tuple([(x.shape, x.tobytes()) for x in known.values()])
        function = self._for_static.get(key)
        if function is None:
            function = self._for_static[key] = jax.jit(partial(self._knowing, known))
            if len(self._for_static) > MOST_STATIC:
                self._for_static.popitem(last=False)
        else:
            self._for_static.move_to_end(key)
        return function(*[x for i, x in enumerate(values) if i not in known])

    def _knowing(self, known: dict[int, Any], *traced: Any) -> Found:
        rest = iter(traced)
        every = range(len(self.inputs))
        return self._traceable(*[known[i] if i in known else next(rest) for i in every])

    def _uncompiled(self, *values: Any) -> Found:
        return self._traceable(*map(_on_device, values))

    def _traceable(self, *values: Any) -> Found:
        given = [x.array() if isinstance(x, Behind) else x for x in values]
        run = Run(dict(zip(self.inputs, given, strict=True)))
        found = run.outputs(self._plan)
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
