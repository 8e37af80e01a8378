"""Functions that are copied and pickled."""

import copy
import pickle

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import In, Mode, function, grad, shared
from relgraph.compile.mode import predefined_modes

HOWS = {"deepcopy": copy.deepcopy, "pickle": lambda thing: pickle.loads(pickle.dumps(thing))}
every_way = pytest.mark.parametrize("how", HOWS.values(), ids=list(HOWS))
MODES = [Mode("py", None), Mode("vm", None), "fast_compile", None]


@every_way
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_copy_computes_the_same_and_keeps_to_itself(how, mode) -> None:
    x, k = at.dvector("x"), at.dscalar("k")
    s = shared(np.array([1.0, 2.0]), name="s")
    f = function(
        [x, In(k, value=2.0)],
        {"a": at.sin(x) * s, "b": x * k},
        updates={s: s + 1.0},
        mode=mode,
        name="f",
        trace=True,
    )
    point = np.array([0.5, 1.5])
    g = how(f)
    for _ in range(2):
        ours, theirs = g(point), f(point)
        assert ours.keys() == {"a", "b"}
        np.testing.assert_array_equal(ours["a"], theirs["a"])
        np.testing.assert_array_equal(ours["b"], theirs["b"])
    f(point)
    assert (s.get_value().tolist(), g["s"].tolist()) == ([4.0, 5.0], [3.0, 4.0])
    assert (g.name, g["k"], str(g.derivation)) == ("f", 2.0, str(f.derivation))
    g.maker.fgraph.check_integrity()
    still = g.copy(delete_updates=True)
    still(point)
    assert still["s"].tolist() == [3.0, 4.0]


@every_way
def test_a_function_and_its_variables(how) -> None:
    x = at.dvector("x")
    s = shared(2.0, name="s")
    f, x2, s2, out = how([function([x], x * s), x, s, x + 1.0])
    assert f.maker.spec.inputs[0].variable is x2 is out.owner.inputs[0]
    s2.set_value(5.0)
    assert f([1.0, 2.0]).tolist() == [5.0, 10.0]
    assert s.get_value() == 2.0


@every_way
@pytest.mark.parametrize("linker", ["py", "vm"])
def test_a_function_of_a_deep_graph(how, linker) -> None:
    x = at.dvector("x")
    out = x
    for i in range(1_000):
        out = at.tanh(out) * 2.0 if i % 2 else out + x
    f = function([x], [out, grad(out.sum(), x)], mode=Mode(linker, None))
    for found, expected in zip(how(f)([0.5, 1.0]), f([0.5, 1.0]), strict=True):
        np.testing.assert_array_equal(found, expected)


@every_way
def test_a_function_of_many_nodes(how) -> None:
    x = at.dvector("x")
    out = x
    for i in range(20_000):
        out = at.tanh(out) if i % 2 else out + x
    f = function([x], out, mode=Mode("py", None))
    np.testing.assert_array_equal(how(f)([0.5, 1.0]), f([0.5, 1.0]))


def test_a_shallow_copy_shares_what_is_shared() -> None:
    s = shared(2.0, name="s")
    f = copy.copy(function([], s * 2.0))
    s.set_value(5.0)
    assert f() == 10.0


def test_modes() -> None:
    for mode in predefined_modes.values():
        again = pickle.loads(pickle.dumps(mode))
        assert again.linker is mode.linker
        assert again.db is mode.db
        assert str(again) == str(mode)
        assert copy.deepcopy(mode) is mode
