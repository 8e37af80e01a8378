"""`fg - Graph Container` and `FunctionGraph Features`: the listings, which are no code blocks.

Each method takes what its signature says, each event comes with its arguments and at its moment.
``aesara`` is read as ``relgraph``. What the copy lost is put back: the names `clone`, `on_attach`
and `on_detach` of the features, whose headings are missing.
"""

import inspect

import pytest

import relgraph.tensor as at
from relgraph.graph.features import Feature
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
