"""Copies of nodes, graphs and `FunctionGraph`: what they share, and how deep they may be."""

import copy
import gc
import pickle
import threading
from itertools import pairwise

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import shared
from relgraph.graph import basic as cloning
from relgraph.graph.basic import Constant, equal_computations, graph_inputs
from relgraph.graph.features import Feature, History, NodeFinder, ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.scalar import exp, float64, sin
from relgraph.scalar.composite import Composite
from tests.graph.toys import Recorder, f, g, graph_of, variables

HOWS = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "pickle in Python": lambda thing: pickle._loads(pickle._dumps(thing)),
}
every_way = pytest.mark.parametrize("how", HOWS.values(), ids=list(HOWS))


def chain(x, length):
    steps = [x]
    for i in range(length):
        steps.append(at.sin(steps[-1]) if i % 2 else at.neg(steps[-1]))
    return steps


@every_way
def test_the_copy_computes_the_same_from_inputs_of_its_own(how) -> None:
    x, y = at.dvector("x"), at.dmatrix("y")
    h = at.exp(x + 2.0)
    out = at.dot(y, h) * at.sum(h, axis=0) + at.constant([1.0, 2.0])
    copied = how(out)
    inputs = {v.name: v for v in graph_inputs([copied]) if not isinstance(v, Constant)}
    assert inputs.keys() == {"x", "y"}
    assert inputs["x"] is not x
    assert equal_computations([copied], [out], [inputs["x"], inputs["y"]], [x, y])
    assert copied.owner.outputs == [copied]
    assert copied.type is out.type
    assert copied.owner.op is out.owner.op
    point = {"x": np.array([0.5, 1.0]), "y": np.eye(2)}
    np.testing.assert_array_equal(copied.eval(point), out.eval(point))


@every_way
def test_what_is_one_stays_one(how) -> None:
    x = at.dvector("x")
    h = at.tanh(x)
    a, b = at.exp(h), at.neg(h)
    node, a2, b2, x2, h2, a3 = how([b.owner, a, b, x, h, a])
    assert a3 is a2
    assert node is b2.owner
    assert a2.owner.inputs[0] is b2.owner.inputs[0] is h2
    assert h2.owner.inputs[0] is x2


@every_way
def test_one_variable_after_the_other(how) -> None:
    steps = chain(at.dvector("x"), 2_000)
    for order in (1, -1):
        copies = how(steps[::order])[::order]
        assert all(b.owner.inputs[0] is a for a, b in pairwise(copies))


def test_nothing_is_held_on_to() -> None:
    out = chain(at.dvector("x"), 50)[-1]
    pickle.dumps([out, out.owner])
    assert not cloning._registry.by_node
    out.tag.lock = threading.Lock()
    with pytest.raises(TypeError, match="lock"):
        pickle.dumps(out)
    gc.collect()
    assert not cloning._registry.by_node


def test_a_pickler_that_lives_on_does_not_matter(tmp_path) -> None:
    steps = chain(at.dvector("x"), 3_000)
    with open(tmp_path / "first", "wb") as file:
        pickler = pickle.Pickler(file)
        for step in steps[500::500]:
            pickler.dump(step)
        copied = pickle.loads(pickle.dumps(steps[-1]))
        pickler.dump(steps[-1])
    assert len(list(graph_inputs([copied]))) == 1
    with open(tmp_path / "first", "rb") as file:
        unpickler = pickle.Unpickler(file)
        firsts = [unpickler.load() for _ in steps[500::500]]
        assert unpickler.load() is firsts[-1]


@every_way
def test_notes_names_and_values(how) -> None:
    x = at.dvector("x")
    out = at.exp(x)
    out.name = "growth"
    out.tag.why = ["asked"]
    out.owner.tag.reads = out
    x.tag.used_by = out
    copied = how(out)
    assert copied.name == "growth"
    assert copied.tag.why == ["asked"]
    assert copied.tag.why is not out.tag.why
    assert copied.owner.tag.reads is copied
    assert copied.owner.inputs[0].tag.used_by is copied


@every_way
def test_constants_stay_as_they_are(how) -> None:
    c = at.constant([1.0, np.nan])
    copied = how(c)
    assert copied.equals(c)
    with pytest.raises(ValueError, match="read-only"):
        copied.data[0] = 2.0


@every_way
def test_a_shared_variable_takes_its_value_along(how) -> None:
    s = shared(np.array([1.0, 2.0]), name="s")
    copied, again = how([s, s * 2.0])
    assert again.owner.inputs[0] is copied
    copied.set_value([5.0, 6.0])
    assert s.get_value().tolist() == [1.0, 2.0]
    assert again.eval().tolist() == [10.0, 12.0]


@every_way
def test_an_op_with_a_graph_inside(how) -> None:
    x = inner = float64("x")
    for _ in range(600):
        inner = exp(sin(inner))
    out = Composite([x], [inner])(float64("y"))
    assert how(out).owner.op is out.owner.op


@every_way
def test_function_graphs(how) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    h = chain(x, 2_000)[-1]
    fgraph = FunctionGraph(
        [x, y], [at.add(*[h * float(i) for i in range(40)]), h], features=[ReplaceValidate()]
    )
    fgraph.attach_feature(NodeFinder())
    first = fgraph.outputs[0].owner.inputs[0]
    fgraph.replace(first, fgraph.inputs[1])
    copied = how(fgraph)
    copied.check_integrity()
    assert equal_computations(copied.outputs, fgraph.outputs, copied.inputs, fgraph.inputs)
    assert len(copied.get_nodes(at.neg)) == 1_000
    before = copied.checkpoint()
    copied.replace(copied.outputs[0], copied.inputs[1])
    assert len(copied.apply_nodes) == 2_000
    copied.revert(before)
    copied.check_integrity()
    fgraph.check_integrity()
    assert len(copied.apply_nodes) == len(fgraph.apply_nodes)


def test_shallow_copies_are_whole() -> None:
    x = at.dvector("x")
    out = at.exp(x)
    twin = copy.copy(out)
    assert twin.owner is not out.owner
    assert twin.owner.outputs == [twin]
    assert twin.owner.inputs == [x]
    assert copy.copy(x).type is x.type
    fgraph = FunctionGraph([x], [out], clone=False)
    copied = copy.copy(fgraph)
    copied.replace(copied.outputs[0], copied.inputs[0])
    copied.check_integrity()
    fgraph.check_integrity()
    assert fgraph.outputs == [out]


# Clones and pickles of a FunctionGraph; `tests/graph/test_cloning.py` has those of its nodes.


class TestClone:
    def test_clone_get_equiv(self):
        class Stateful(Recorder):
            def clone(self):
                return Stateful()

        x, y = variables("x y")
        a = f(x, y)
        features = [Stateful(), Feature()]
        fg = FunctionGraph([x, y], [g(a)], features, clone=False, update_mapping={0: 1})
        copy, equiv = fg.clone_get_equiv()
        assert repr(copy) == repr(fg)
        assert copy.update_mapping == {0: 1}
        assert copy.variables.isdisjoint(fg.variables)
        assert equiv[a] in copy.variables and equiv[a.owner] in copy.apply_nodes
        assert type(copy.features[0]) is Stateful and copy.features[0] is not features[0]
        assert copy.features[1] is features[1]
        copy.replace(equiv[a], equiv[x])
        assert repr(fg) == "FunctionGraph(g(f(x, y)))"

    def test_clone_without_features_or_inputs(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], [Feature()], clone=False)
        copy, equiv = fg.clone_get_equiv(attach_feature=False, copy_inputs=False)
        assert copy.features == []
        assert copy.inputs == [x] and equiv[x] is x
        assert repr(fg.clone(check_integrity=False)) == repr(fg)


@every_way
def test_what_is_kept_of_a_graph(how) -> None:
    fg = graph_of(lambda x: [f(x)], NodeFinder(), History(), update_mapping={0: 0})
    fg.note = fg.inputs
    fg.merged, fg.validate_time = True, 1.0
    copied = how(fg)
    copied.check_integrity()
    assert copied.note == copied.inputs and copied.update_mapping == {0: 0}
    # nobody is at work on the copy yet
    assert not copied.merged and copied.validate_time == 0.0
    # what a feature published is published by its copy
    assert copied.published_by("get_nodes") is copied.features[0] is not fg.features[0]
    assert copied.get_nodes(copied.outputs[0].owner.op) == copied.toposort()
    assert copied.checkpoint.func.__self__ is copied.features[1]
