"""Functions traced into graphs: `trace` for those that are written with NumPy.

`Structure` is how arguments and results are nested in tuples, lists and dicts: pytrees, as JAX
calls them. What a pytree holds that is none of these is a leaf; None holds nothing. The leaves of a
dict stand in the order of its sorted keys, as in JAX, so that equal dicts have equal structures.
`Traced` is what a bridge makes of a function: its graph, which can be compiled, rewritten and
drawn.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Protocol

import numpy as np

from relgraph.compile import Mode, function, get_mode
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation, GlobalOptimizer, Recorder
from relgraph.graph.optdb import OptimizationQuery
from relgraph.graph.type import Type
from relgraph.introspection import Displayed
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.type import TensorType

IsLeaf = Callable[[Any], bool]


@dataclass(frozen=True)
class Structure:
    """What a pytree is without its leaves.

    Attributes
    ----------
    kind
        The class of a container; None for a leaf.
    keys
        The keys of a dict.
    parts
        The structures of what a container holds.
    """

    kind: Any = None
    keys: tuple[Any, ...] = ()
    parts: tuple[Structure, ...] = ()

    def filled(self, leaves: Sequence[Any]) -> Any:
        """Return the pytree that has these leaves."""
        return self._taken(iter(leaves))

    def _taken(self, leaves: Iterator[Any]) -> Any:
        if self.kind is None:
            return next(leaves)
        if self.kind is type(None):
            return None
        parts = [part._taken(leaves) for part in self.parts]
        if self.kind is dict:
            return dict(zip(self.keys, parts, strict=True))
        # a named tuple takes its parts one by one
        return self.kind(*parts) if hasattr(self.kind, "_fields") else self.kind(parts)

    def leaves_of(self, tree: Any) -> list[Any]:
        """Return what stands in the places of the leaves of this structure in a pytree.

        Raises
        ------
        TypeError
            If the pytree is nested in another way.
        """
        if self.kind is None:
            return [tree]
        if self.kind is type(None):
            fits = tree is None
        elif self.kind is dict:
            fits = isinstance(tree, dict) and tree.keys() == set(self.keys)
        else:
            fits = isinstance(tree, tuple | list) and len(tree) == len(self.parts)
        if not fits:
            raise TypeError(f"{tree!r} stands where {self} is wanted")
        held = [tree[key] for key in self.keys] if self.kind is dict else tree or ()
        return [
            leaf
            for part, value in zip(self.parts, held, strict=True)
            for leaf in part.leaves_of(value)
        ]

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        return repr(self.filled([_Star()] * self.count))

    @property
    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(part.count for part in self.parts)


class _Star:
    """What is written in the place of a leaf."""

    def __repr__(self) -> str:
        return "*"


LEAF = Structure()
NOTHING = Structure(type(None))


def flatten(tree: Any, is_leaf: IsLeaf = lambda tree: False) -> tuple[list[Any], Structure]:
    """Return the leaves of a pytree, and its structure.

    Parameters
    ----------
    is_leaf
        Says of a container whether it is a leaf all the same.
    """
    leaves: list[Any] = []
    structure = _structure(tree, is_leaf, leaves)
    return leaves, structure


def _structure(tree: Any, is_leaf: IsLeaf, leaves: list[Any]) -> Structure:
    if tree is None:
        return NOTHING
    if is_leaf(tree) or not isinstance(tree, tuple | list | dict):
        leaves.append(tree)
        return LEAF
    keys = tuple(sorted(tree)) if isinstance(tree, dict) else ()
    parts = [tree[key] for key in keys] if isinstance(tree, dict) else tree
    kind = dict if isinstance(tree, dict) else type(tree)
    return Structure(kind, keys, tuple(_structure(part, is_leaf, leaves) for part in parts))


def paths(structure: Structure, root: str) -> list[str]:
    """Return a name for each leaf: that of the root, then keys, fields or places, with dots."""
    if structure.kind is None:
        return [root]
    places = tuple(range(len(structure.parts)))
    keys = structure.keys or getattr(structure.kind, "_fields", places)
    return [
        path
        for key, part in zip(keys, structure.parts, strict=True)
        for path in paths(part, f"{root}.{key}")
    ]


def function_name(fn: Any) -> str:
    """Return what a function is called."""
    return getattr(fn, "__name__", type(fn).__name__)


def argument_names(fn: Callable[..., Any], arguments: Structure) -> list[str]:
    """Return a name for each leaf of the arguments of a function, from the names of parameters."""
    by_place, by_name = arguments.parts
    known = names_of_arguments(fn, len(by_place.parts))
    pairs = [
        *zip(known, by_place.parts, strict=True),
        *zip(by_name.keys, by_name.parts, strict=True),
    ]
    return [name for root, part in pairs for name in paths(part, root)]


def parameter_names(fn: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of a function that arguments by place may be given for."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # it does not say
        return []
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in by_place]


def names_of_arguments(fn: Callable[..., Any], count: int) -> Sequence[str]:
    """Return the names of the first parameters of a function."""
    try:
        bound = inspect.signature(fn).bind_partial(*range(count))
    except (TypeError, ValueError):  # it does not say, or will say itself what is wrong
        return [f"x{i}" for i in range(count)]
    names = {}
    for name, value in bound.arguments.items():
        places = value if isinstance(value, tuple) else (value,)
        several = len(places) > 1
        names.update({place: f"{name}.{k}" if several else name for k, place in enumerate(places)})
    return [names[i] for i in range(count)]


def is_pair(spec: Any) -> bool:
    """Return whether a specification is a pair of a dtype and a shape."""
    if type(spec) is not tuple or len(spec) != 2 or not _is_dtype(spec[0]):
        return False
    lengths = spec[1] if isinstance(spec[1], tuple | list) else (spec[1],)
    return all(n is None or isinstance(n, int) for n in lengths)


def _is_dtype(given: Any) -> bool:
    if not isinstance(given, str | np.dtype | type):
        return False
    try:
        return np.dtype(given).kind in "biufc"
    except TypeError:
        return False


def as_type(spec: Any, name: str) -> Type:
    """Return the type that a specification of an argument denotes.

    Raises
    ------
    TypeError
        If it is no specification.
    """
    if isinstance(spec, Type):
        return spec
    if is_pair(spec):
        dtype, shape = spec
        return TensorType(dtype, shape if isinstance(shape, tuple | list) else (shape,))
    if not hasattr(spec, "dtype") or not hasattr(spec, "shape"):
        if not isinstance(spec, bool | int | float | complex):
            raise TypeError(
                f"argument {name} is specified by {spec!r}; wanted is an array, a pair (dtype, "
                "shape), a TensorType or a variable"
            )
        spec = np.asarray(spec)
    return TensorType(str(np.dtype(spec.dtype)), spec.shape)


STABILIZED = Mode(
    optimizer=OptimizationQuery(
        include=["canonicalize", "stabilize", "loop_steps"], exclude=["finite"]
    )
)
"""Has the laws by which a function is rewritten where neither laws nor a mode are given."""
# What makes a graph better for NumPy alone.
_FOR_NUMPY = ("inplace", "elemwise_fusion", "blas")


class Nesting(Protocol):
    """How leaves are nested."""

    def leaves_of(self, tree: Any, /) -> list[Any]:
        """Return the leaves of a tree; raise TypeError if it is nested in another way."""

    def filled(self, leaves: list[Any], /) -> Any:
        """Return the tree that has these leaves."""


@dataclass(frozen=True, eq=False)
class Traced(Displayed):
    """The graph of a function.

    Attributes
    ----------
    inputs, outputs
        The variables that the leaves of its arguments became, and those of its results.
    arguments, results
        How arguments and results are nested; the arguments are a tuple of those that are given by
        place and a dict of those that are given by name.
    name
        The name of the function.
    """

    inputs: list[Variable]
    outputs: list[Variable]
    arguments: Nesting
    results: Nesting
    name: str

    @property
    def result(self) -> Any:
        """The outputs, nested as the function returned them."""
        return self.results.filled(self.outputs)

    def fgraph(self) -> FunctionGraph:
        """Return a copy of the graph with its inputs and outputs: what is drawn and optimized."""
        return FunctionGraph(self.inputs, self.outputs, clone=True)

    def rewritten(self, laws: Any = None, mode: str | Mode | None = None) -> Traced:
        """Return this function with a rewritten graph; see `optimized`."""
        inputs, outputs = optimized(self.inputs, self.outputs, laws, mode)
        return Traced(inputs, outputs, self.arguments, self.results, self.name)

    def function(self, mode: str | Mode | None = None) -> Callable[..., Any]:
        """Return a function of arrays that takes and returns what the traced one did.

        Parameters
        ----------
        mode
            As for `relgraph.function`: how the graph is optimized, and what runs it.
        """
        return _Compiled(self, mode)

    def _repr_html_(self) -> str | None:
        return self.fgraph()._repr_html_()

    def _repr_svg_(self) -> str | None:
        return self.fgraph()._repr_svg_()

    def _repr_latex_(self) -> str | None:
        return self.fgraph()._repr_latex_()

    def __repr__(self) -> str:
        taken = ", ".join(f"{v}: {v.type}" for v in self.inputs)
        return f"<Traced {self.name}({taken}) -> {', '.join(str(v.type) for v in self.outputs)}>"


class _Compiled:
    """A compiled graph that takes and returns pytrees."""

    def __init__(self, traced: Traced, mode: str | Mode | None) -> None:
        self.traced = traced
        self.compiled = function(
            traced.inputs, traced.outputs, mode, on_unused_input="ignore", name=traced.name
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            leaves = self.traced.arguments.leaves_of((args, kwargs))
        except TypeError as error:
            raise TypeError(f"{self.traced.name}: {error}") from None
        return self.traced.results.filled(self.compiled(*leaves))

    def __repr__(self) -> str:
        return f"<compiled {self.traced!r}>"


def optimized(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    laws: Any = None,
    mode: str | Mode | None = None,
) -> tuple[list[Variable], list[Variable]]:
    """Return the inputs and outputs of a rewritten copy of a graph.

    Parameters
    ----------
    laws
        A law or another rewriter, or a list of them: what is applied if no mode is given, and is
        applied with the rest if one is.
    mode
        A mode or its name. With neither, the phases ``canonicalize`` and ``stabilize`` are applied,
        without the laws that take every value for finite.
    """
    graph = FunctionGraph(list(inputs), list(outputs), clone=True)
    _optimizer(laws, mode).optimize(graph)
    graph.remove_features()
    return list(graph.inputs), list(graph.outputs)


def derivation(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    laws: Any = None,
    mode: str | Mode | None = None,
) -> Derivation:
    """Return the steps by which `optimized` rewrites a graph."""
    recorder, optimizer = Recorder(), _optimizer(laws, mode)
    graph = FunctionGraph(list(inputs), list(outputs), clone=True)
    with graph.attached(recorder):
        optimizer.optimize(graph)
    return recorder.derivation([optimizer])


def _optimizer(laws: Any, mode: str | Mode | None) -> GlobalOptimizer:
    if mode is None and laws is None:
        chosen = STABILIZED
    elif mode is None:
        chosen = Mode(optimizer=laws)
    else:
        chosen = get_mode(mode) if laws is None else get_mode(mode).including(laws)
    if chosen.query is not None:
        chosen = chosen.excluding(*_FOR_NUMPY)
    return chosen.optimizer


def trace(fn: Callable[..., Any]) -> Callable[..., Traced]:
    """Return a function that takes specifications of the arguments of `fn` and gives its graph.

    `fn` is called once, on variables. NumPy's functions, Python's operators and the methods of
    arrays build graphs of them; a variable has no truth value, so `fn` can't ask about values.

    Parameters
    ----------
    fn
        A function of arrays, or of nested tuples, lists and dicts of arrays, that returns such.

    Returns
    -------
    traced
        A function. Its arguments are those of `fn`, by place and by name, with a specification in
        the place of each array: an array or a number, of which only dtype and shape count; a pair
        ``(dtype, shape)``, where a length of None is left open; a `TensorType`; anything else with
        a dtype and a shape; or a variable, which is used itself. It returns a `Traced`.

    Raises
    ------
    TypeError
        If a specification is none of these, or `fn` returns something else than tensors and
        numbers; and what `fn` raises.
    """

    def traced(*args: Any, **kwargs: Any) -> Traced:
        specs, arguments = flatten((args, kwargs), is_pair)
        inputs = [
            _input(spec, name)
            for spec, name in zip(specs, argument_names(fn, arguments), strict=True)
        ]
        by_place, by_name = arguments.filled(inputs)
        found, results = flatten(fn(*by_place, **by_name))
        outputs = [_output(fn, value) for value in found]
        return Traced(inputs, outputs, arguments, results, function_name(fn))

    return traced


def _input(spec: Any, name: str) -> Variable:
    if isinstance(spec, Variable):
        return spec
    return as_type(spec, name).make_variable(name)


def _output(fn: Callable[..., Any], value: Any) -> Variable:
    if isinstance(value, Variable):
        return value
    try:
        made: Variable = as_tensor_variable(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{function_name(fn)} returned {value!r}, which is no tensor") from error
    return made
