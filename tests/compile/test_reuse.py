"""A graph of the same structure is compiled once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import In, Mode, Out, function, law, lvars, shared
from relgraph.compile import compilation as reuse
from relgraph.compile import optdb, register_canonicalize
from relgraph.compile.compilation import CompiledGraphs, compiled_graphs
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt import in2out, local_optimizer
from relgraph.tensor.elemwise import Elemwise


@pytest.fixture(autouse=True)
def none_kept():
    compiled_graphs.clear()
    yield
    compiled_graphs.clear()


def make(name="x", number=2.0, borrow=False, mutable=False, mode=None, dtype="float64", **options):
    x = at.TensorType(dtype, (None,))(name)
    return function([In(x, mutable=mutable)], Out(at.exp(x) * number, borrow), mode, **options)


def graph(f):
    return f.maker.fgraph


def test_the_same_structure_is_compiled_once():
    f, g = make(), make()
    assert graph(f) is graph(g) and f is not g
    assert f([1.0]) == g([1.0]) == 2 * np.e


@pytest.mark.parametrize(
    "other",
    [
        {"name": "y"},
        {"number": 3.0},
        {"borrow": True},
        {"mutable": True},
        {"mode": "fast_compile"},
        {"mode": Mode("py")},
        {"mode": Mode().excluding("mul_specialize")},
        {"dtype": "float32"},
        {"accept_inplace": True},
    ],
    ids=str,
)
def test_what_makes_a_difference(other):
    assert graph(make()) is not graph(make(**other))


def test_profiles_and_derivations_are_of_one_compilation():
    f, profiled, traced = make(), make(profile=True), make(trace=True)
    assert len({id(graph(g)) for g in (f, profiled, traced)}) == 3
    assert profiled.profile.optimizer_time > 0
    assert traced.derivation is not None


def test_an_optimizer_of_the_users_is_asked_each_time():
    asked = []

    @local_optimizer(None)
    def counting(fgraph, node):
        asked.append(node.op)
        return False

    mode = Mode().register((in2out(counting, name="counting"), 1.2))
    make(mode=mode)
    count = len(asked)
    make(mode=mode)
    assert count > 0 and len(asked) == 2 * count


def test_a_law_that_is_registered_is_applied_to_what_was_compiled_before():
    before = graph(make())
    x = lvars("x")
    own = law("exp-is-sin-here", at.exp(x), at.sin(x), sound="domain", domain=lambda x: True)
    revision = optdb.revision
    register_canonicalize(own)
    try:
        assert optdb.revision > revision
        assert graph(make()) is not before
    finally:
        entries = optdb["canonicalize"]._entries
        del entries["exp-is-sin-here"]
        optdb["canonicalize"]._changes += 1


def test_values_are_of_each_function():
    def counter(start):
        state = shared(np.float64(start), name="state")
        x = at.dscalar("x")
        f = function([In(x, value=start)], state + x, updates=[(state, state + x)])
        return state, f

    (a, f), (b, g) = counter(1.0), counter(10.0)
    assert graph(f) is graph(g)
    assert (f(), f(), g(), g(0.0)) == (2.0, 3.0, 20.0, 20.0)
    assert (a.get_value(), b.get_value()) == (3.0, 20.0)
    f["x"] = 5.0
    assert f() == 8.0 and g() == 30.0
    assert pickle.loads(pickle.dumps(g))() == 40.0


def test_overwriting_is_still_to_be_allowed():
    x = at.dvector("x")
    inplace = Elemwise(at.exp.scalar_op, {0: 0})

    def made(**options):
        return function([In(x, mutable=True)], inplace(x), **options)

    made(accept_inplace=True)
    with pytest.raises(TypeError, match="overwrites its input"):
        made()


class Thunk(Op):
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].copy()

    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        return super().make_thunk(node, storage_map, compute_map, no_recycling, impl)


def test_thunks_and_large_constants_are_not_kept(monkeypatch):
    x = at.dvector("x")
    assert graph(function([x], Thunk()(x))) is not graph(function([x], Thunk()(x)))
    data = np.ones(200_000)
    assert graph(function([x], x + data)) is not graph(function([x], x + data))
    monkeypatch.setattr(reuse, "MOST_NODES", 1)
    assert graph(make()) is not graph(make())


def test_what_was_used_last_is_kept(monkeypatch):
    monkeypatch.setattr(reuse, "MOST_GRAPHS", 2)
    kept = CompiledGraphs()
    for key in "abc":
        kept.keep(key, key)
        kept.get("a")
    assert [kept.get(key) for key in "abc"] == ["a", None, "c"]
