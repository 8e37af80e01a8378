"""Clones and pickles of a FunctionGraph; `tests/graph/test_cloning.py` has those of its nodes."""

import pickle

from relgraph.graph.features import Feature, NodeFinder
from relgraph.graph.fg import FunctionGraph
from tests.graph.toys import MyOp, Recorder, variables

f, g = MyOp("f"), MyOp("g")


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


class TestPickle:
    def test_what_is_kept(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], [NodeFinder()], update_mapping={0: 0})
        fg.note = fg.inputs
        fg.merged, fg.validate_time = True, 1.0
        copy = pickle.loads(pickle.dumps(fg))
        copy.check_integrity()
        assert copy.note == copy.inputs and copy.update_mapping == {0: 0}
        # nobody is at work on the copy yet
        assert not copy.merged and copy.validate_time == 0.0

    def test_what_a_feature_published_is_published_by_its_copy(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], [NodeFinder()])
        copy = pickle.loads(pickle.dumps(fg))
        assert copy.published_by("get_nodes") is copy.features[0] is not fg.features[0]
        assert copy.get_nodes(copy.outputs[0].owner.op) == copy.toposort()
