from relgraph.graph.opt import check_chain, copy_stack_trace
from relgraph.scalar import add, exp, log, neg
from relgraph.scalar.op import ScalarOp


class TestCheckChain:
    def test_ops_and_classes(self, graphs):
        out = log(exp(add(graphs.x, graphs.y)))
        assert check_chain(out, log, exp, add) is True
        assert check_chain(out.owner, log, exp) is True
        assert check_chain(out, ScalarOp, type(exp)) is True
        assert check_chain(out, log, exp, add, None) is True

    def test_what_it_is_not(self, graphs):
        out = log(exp(graphs.x))
        assert check_chain(out, log, log) is False
        assert check_chain(out, log, exp, neg) is False
        assert check_chain(out, log, None) is False
        assert check_chain(graphs.x, log) is False
        assert check_chain(graphs.x, None) is True


class TestCopyStackTrace:
    def test_from_several_to_one(self, graphs):
        a, b, new = exp(graphs.x), log(graphs.x), neg(graphs.x)
        a.tag.trace, b.tag.trace = ["line 1"], ["line 2", "line 1"]
        new.tag.trace = ["line 3"]
        assert copy_stack_trace([a, b], new) is new
        assert new.tag.trace == ["line 3", "line 1", "line 2"]

    def test_from_one_to_several(self, graphs):
        a, first, second = exp(graphs.x), neg(graphs.x), log(graphs.x)
        a.tag.trace = ["line 1"]
        new = [first, second]
        assert copy_stack_trace(a, new) is new
        assert first.tag.trace == second.tag.trace == ["line 1"]
        assert first.tag.trace is not second.tag.trace

    def test_without_a_trace(self, graphs):
        new = neg(graphs.x)
        copy_stack_trace(exp(graphs.x), new)
        assert not hasattr(new.tag, "trace")
