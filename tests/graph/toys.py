"""Types, Ops and features of no use, for tests of the graph machinery."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.features import Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.opt import LocalOptimizer
from relgraph.graph.opt.base import describe
from relgraph.graph.type import Type


class MyType(Type):
    """A type; `MyType(1)` takes what `MyType(2)` does and more: smaller numbers are wider."""

    __props__ = ("width",)

    def __init__(self, width: int = 0) -> None:
        self.width = width

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if not isinstance(data, int):
            raise TypeError(f"{data!r} is not an int")
        return data

    def is_super(self, otype: Type) -> bool:
        return isinstance(otype, MyType) and self.width <= otype.width

    def __str__(self) -> str:
        return f"my{self.width}"


class MyOp(Op):
    """An op of any number of inputs, named, with `nout` outputs and given maps.

    Its outputs have the type of its first input.
    """

    def __init__(
        self,
        name: str,
        nout: int = 1,
        destroy_map: dict[int | None, list[int]] | None = None,
        view_map: dict[int, list[int]] | None = None,
        tolerate_same: list[tuple[int, int]] | None = None,
        tolerate_aliased: list[tuple[int, int]] | None = None,
    ) -> None:
        self.name = name
        self.nout = nout
        self.destroy_map = destroy_map or {}
        self.view_map = view_map or {}
        self.destroyhandler_tolerate_same = tolerate_same or []
        self.destroyhandler_tolerate_aliased = tolerate_aliased or []

    def make_node(self, *inputs: Variable) -> Apply:
        kind = inputs[0].type if inputs else my_type
        return Apply(self, inputs, [kind() for _ in range(self.nout)])

    def __str__(self) -> str:
        return self.name


my_type = MyType()

f, g, h, neg, exp = (MyOp(name) for name in ("f", "g", "h", "neg", "exp"))
pair = MyOp("pair", nout=2)
view = MyOp("view", view_map={0: [0]})
inplace = MyOp("inplace", destroy_map={0: [0]})


def variables(names: str) -> list[Any]:
    """Return a variable for each of the names, which spaces separate."""
    return [my_type(name) for name in names.split()]


def inputs_of(build: Callable[..., Any]) -> list[Any]:
    """Return a variable for each parameter of a function, of the same name."""
    return variables(" ".join(signature(build).parameters))


def graph_of(build: Callable[..., Any], *features: Feature, **options: Any) -> FunctionGraph:
    """Return the graph of the outputs that `build` makes of inputs named as its parameters."""
    inputs = inputs_of(build)
    return FunctionGraph(inputs, build(*inputs), list(features), clone=False, **options)


class Recorder(Feature):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def on_import(self, fgraph: Any, node: Apply, reason: str | None) -> None:
        self.events.append(("import", node, reason, node in fgraph.apply_nodes))

    def on_prune(self, fgraph: Any, node: Apply, reason: str | None) -> None:
        self.events.append(("prune", node, reason, node in fgraph.apply_nodes))

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, var: Any, new_var: Any, reason: str | None = None
    ) -> None:
        now = fgraph.outputs[i] if node == "output" else node.inputs[i]
        assert now is new_var
        self.events.append(("change", node, i, var, new_var, reason))


class Objector(Feature):
    """Raises RuntimeError at the nth of the events it hears, and at all later ones if so asked."""

    def __init__(self, *events: str, nth: int = 1, also_later: bool = False) -> None:
        self.left = nth
        self.also_later = also_later
        for event in events:
            setattr(self, event, self.hear)

    def hear(self, *args: Any) -> None:
        self.left -= 1
        if self.left == 0 or (self.left < 0 and self.also_later):
            raise RuntimeError("I object")


class Watcher(LocalOptimizer):
    """Notes the nodes that it is tried on, as text, and changes nothing."""

    def __init__(self, *ops: Any, depth: int | None = 1, subsumes_nested: bool = False) -> None:
        self.ops, self.depth, self.subsumes_nested = ops, depth, subsumes_nested
        self.seen: list[str] = []

    def tracks(self) -> list[Any] | None:
        return list(self.ops) or None

    def transform(self, fgraph: Any, node: Apply) -> Any:
        self.seen.append(describe(node))
        return False
