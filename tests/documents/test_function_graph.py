"""`fg - Graph Container` and `FunctionGraph Features`: the listings, which are no code blocks.

Each method takes what its signature says, each event comes with its arguments and at its moment.
``aesara`` is read as ``relgraph``. What the copy lost is put back: the names `clone`, `on_attach`
and `on_detach` of the features, whose headings are missing.
"""

import inspect

import pytest

import relgraph.tensor as at
from relgraph.graph.basic import Apply
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import AlreadyThere, Feature, History, ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import MissingInputError

GRAPH = {
    "add_client": "var new_client",
    "add_input": "var check",
    "add_output": "var reason import_missing",
    "attach_feature": "feature",
    "change_node_input": "node i new_var reason import_missing check",
    "check_integrity": "",
    "clone": "check_integrity",
    "clone_get_equiv": "check_integrity attach_feature **kwargs",
    "collect_callbacks": "name *args",
    "execute_callbacks": "name *args **kwargs",
    "get_clients": "var",
    "import_node": "apply_node check reason import_missing",
    "import_var": "var reason import_missing",
    "orderings": "",
    "remove_client": "var client_to_remove reason remove_if_empty",
    "remove_feature": "feature",
    "remove_input": "input_idx reason",
    "remove_node": "node reason",
    "remove_output": "output_idx reason",
    "replace": "var new_var reason verbose import_missing",
    "replace_all": "pairs **kwargs",
    "setup_var": "var",
    "toposort": "",
}

FEATURE = {
    "clone": "",
    "on_attach": "fgraph",
    "on_change_input": "fgraph node i var new_var reason",
    "on_detach": "fgraph",
    "on_import": "fgraph node reason",
    "on_prune": "fgraph node reason",
    "orderings": "fgraph ordered",
}


def arguments(function: object) -> list[str]:
    """Return the names of a function's arguments, starred as in its signature, without self."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    return [stars.get(p.kind, "") + p.name for p in found if p.name != "self"]


@pytest.mark.parametrize(
    ("cls", "name"),
    [(FunctionGraph, name) for name in GRAPH] + [(Feature, name) for name in FEATURE],
)
def test_signatures(cls: type, name: str) -> None:
    """What the document lists comes first; a method may take more."""
    wanted = (GRAPH if cls is FunctionGraph else FEATURE)[name].split()
    found = arguments(getattr(cls, name))
    positional = [a for a in wanted if not a.startswith("*")]
    assert found[: len(positional)] == positional
    if "*args" in wanted:
        assert "*args" in found


def test_constructor() -> None:
    found = arguments(FunctionGraph)
    assert found[:5] == ["inputs", "outputs", "features", "clone", "update_mapping"]
    assert found[5].startswith("**")
    x, y = at.dvectors("x", "y")
    cloned = FunctionGraph([x, y], [x + y])
    assert cloned.inputs[0] is not x and cloned.inputs[0].name == "x"
    kept = FunctionGraph([x, y], [x + y], clone=False)
    assert kept.inputs == [x, y]
    with pytest.raises(MissingInputError):
        FunctionGraph([x], [x + y], clone=False)


def test_replace_is_the_basis() -> None:
    """The example of the document: replace ``(x + x).out`` by ``(2 * x).out``."""
    x = at.dvector("x")
    doubled = x + x
    fgraph = FunctionGraph([x], [at.exp(doubled)], clone=False)
    fgraph.replace(doubled, 2 * x)
    assert [node.op for node in fgraph.toposort()] == [at.mul, at.exp]
    fgraph.check_integrity()
    assert doubled not in fgraph.clients


def test_clients_lead_both_ways() -> None:
    x = at.dvector("x")
    y = at.exp(x)
    fgraph = FunctionGraph([x], [y * x, y], clone=False)
    assert fgraph.get_clients(y) == [(fgraph.outputs[0].owner, 0), ("output", 1)]
    for node in fgraph.apply_nodes:
        for i, var in enumerate(node.inputs):
            assert (node, i) in fgraph.get_clients(var)


class Recorder(Feature):
    """Notes each event with its arguments, and whether the graph has changed already."""

    def __init__(self) -> None:
        self.events: list[tuple] = []

    def on_attach(self, fgraph):
        self.events.append(("attach", len(fgraph.apply_nodes)))

    def on_detach(self, fgraph):
        self.events.append(("detach", self in fgraph.features))

    def on_import(self, fgraph, node, reason):
        self.events.append(("import", node, reason))

    def on_prune(self, fgraph, node, reason):
        self.events.append(("prune", node, reason, node in fgraph.apply_nodes))

    def on_change_input(self, fgraph, node, i, var, new_var, reason=None):
        now = fgraph.outputs[i] if node == "output" else node.inputs[i]
        self.events.append(("change", node, i, var, new_var, reason, now is new_var))


def test_events() -> None:
    x = at.dvector("x")
    old, new = at.sinh(x), at.cosh(x)
    out = at.exp(old)
    recorder = Recorder()
    fgraph = FunctionGraph([x], [out], clone=False, features=[recorder])
    assert recorder.events == [("attach", 2)], "there is no import event for what is there"
    recorder.events.clear()
    fgraph.replace(old, new, reason="because")
    assert recorder.events == [
        ("import", new.owner, "because"),
        ("change", out.owner, 0, old, new, "because", True),
        ("prune", old.owner, "because", False),
    ]
    recorder.events.clear()
    fgraph.remove_feature(recorder)
    assert [event[0] for event in recorder.events] == ["detach"]


def test_a_feature_that_is_already_there() -> None:
    class Shy(Recorder):
        def on_attach(self, fgraph):
            if any(isinstance(f, Shy) and f is not self for f in fgraph.features):
                raise AlreadyThere
            super().on_attach(fgraph)

    x = at.dvector("x")
    fgraph = FunctionGraph([x], [at.exp(x)])
    first, second = Shy(), Shy()
    fgraph.attach_feature(first)
    fgraph.attach_feature(second)
    assert first in fgraph.features and second not in fgraph.features


def test_orderings_reach_toposort() -> None:
    """A feature's `orderings` names the nodes that have to come before a node."""
    x = at.dvector("x")
    first, second = at.sinh(x).owner, at.cosh(x).owner

    class After(Feature):
        def __init__(self, before: Apply, after: Apply) -> None:
            self.pair = before, after

        def orderings(self, fgraph, ordered=True):
            before, after = self.pair
            return {after: {before}}

    for before, after in ((first, second), (second, first)):
        fgraph = FunctionGraph([x], [first.outputs[0], second.outputs[0]], clone=False)
        fgraph.attach_feature(After(before, after))
        assert list(fgraph.orderings()) == [after]
        assert fgraph.toposort() == [before, after]


def test_callbacks_by_name() -> None:
    class Counter(Feature):
        def counted(self, fgraph, by):
            return len(fgraph.apply_nodes) * by

    x = at.dvector("x")
    counter = Counter()
    fgraph = FunctionGraph([x], [at.exp(at.exp(x))], features=[counter])
    assert fgraph.collect_callbacks("counted", 10) == {counter: 20}
    fgraph.execute_callbacks("counted", 10)


def test_clone_get_equiv() -> None:
    x = at.dvector("x")
    y = at.exp(x)
    fgraph = FunctionGraph([x], [y], clone=False, features=[ReplaceValidate()])
    clone, equiv = fgraph.clone_get_equiv()
    assert equiv[x] is clone.inputs[0] and equiv[y] is clone.outputs[0]
    assert equiv[y.owner] in clone.apply_nodes and not clone.apply_nodes & fgraph.apply_nodes
    assert hasattr(clone, "replace_validate")
    bare, _ = fgraph.clone_get_equiv(attach_feature=False)
    assert not hasattr(bare, "replace_validate")


def test_feature_list() -> None:
    """The list of features at the end: `ReplaceValidate` and `DestroyHandler`."""
    assert issubclass(ReplaceValidate, Feature) and issubclass(DestroyHandler, Feature)
    x = at.dvector("x")
    fgraph = FunctionGraph([x], [at.exp(x)], features=[History(), ReplaceValidate()])
    before = fgraph.checkpoint()
    fgraph.replace_validate(fgraph.outputs[0], at.sinh(fgraph.inputs[0]), "test")
    fgraph.revert(before)
    assert str(fgraph) == "FunctionGraph(exp(x))"
