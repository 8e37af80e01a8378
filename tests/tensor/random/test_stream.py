"""Streams of draws, and programs that draw."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, grad, shared
from relgraph.compile import predefined_modes
from relgraph.tensor.random import RandomStream, functions
from relgraph.tensor.random.functions import DISTRIBUTIONS, DRAWS
from relgraph.tensor.random.op import Permuted, RandomVariable

MODES = sorted(name for name in predefined_modes if name is not None)


def children(seed, count):
    return np.random.default_rng(seed).spawn(count)


@pytest.mark.parametrize("linker", ["vm", "py"])
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_draws_the_same_numbers(mode, linker):
    stream = RandomStream(7)
    x = stream.normal(1.0, 2.0, size=3)
    y = stream.gamma(at.dvector("a"), 2.0)
    z = stream.permutation(5)
    a = y.owner.inputs[1]
    run = function(
        [a], [x + y, y, z], mode=Mode(linker, predefined_modes[mode]._optimizer_or_query)
    )
    first, second, third = children(7, 3)
    for _ in range(3):
        given = np.array([0.5, 1.0, 3.0])
        x_, y_ = first.normal(1.0, 2.0, 3), second.gamma(given, 2.0)
        found = run(given)
        np.testing.assert_array_equal(found[0], x_ + y_)
        np.testing.assert_array_equal(found[1], y_)
        np.testing.assert_array_equal(found[2], third.permutation(5))


def test_a_draw_is_one_draw():
    x = RandomStream(234).uniform(0, 1, size=(2, 2))
    assert not function([], x + x - 2 * x)().any()


def test_functions_share_the_generator_of_a_draw():
    x = RandomStream(1).normal()
    one, two = function([], x), function([], x * 2.0)
    (generator,) = children(1, 1)
    assert one() == generator.normal()
    assert two() == generator.normal() * 2.0
    assert one() == generator.normal()


def test_the_order_of_draws_in_a_function_does_not_count():
    def numbers(turned):
        stream = RandomStream(1)
        x, y = stream.normal(), stream.uniform()
        run = function([], [y, x] if turned else [x, y])
        return run()[::-1] if turned else run()

    assert numbers(False) == numbers(True)


def test_seed():
    stream = RandomStream(1)
    x, y = stream.normal(), stream.uniform()
    run = function([], [x, y])
    first = run()
    run()
    stream.seed(1)
    assert run() == first
    stream.seed(2)
    one, two = children(2, 2)
    assert run() == [one.normal(), two.uniform()]
    # a later draw goes on from the new seed
    assert function([], stream.random())() == children(2, 3)[2].random()
    stream.seed()
    assert run() != first


def test_seeds():
    given = np.random.SeedSequence(3)
    assert function([], RandomStream(given).normal())() == children(3, 1)[0].normal()
    assert given.n_children_spawned == 0
    assert function([], RandomStream([1, 2]).normal())() == children([1, 2], 1)[0].normal()
    one, two = (function([], RandomStream().normal())() for _ in range(2))
    assert one != two
    stream = RandomStream(3, rng_ctor=lambda seeds: np.random.Generator(np.random.SFC64(seeds)))
    (child,) = np.random.SeedSequence(3).spawn(1)
    expected = np.random.Generator(np.random.SFC64(child)).normal()
    assert function([], stream.normal())() == expected
    with pytest.raises((TypeError, ValueError)):
        RandomStream("seed")


def test_state_updates():
    stream = RandomStream(1)
    x, y = stream.normal(), stream.normal()
    assert (
        stream.updates()
        == stream.state_updates
        == [(v.owner.inputs[0], v.owner.outputs[0]) for v in (x, y)]
    )
    run = function([], [x, y], updates=stream.updates())
    assert run() == [g.normal() for g in children(1, 2)]


def test_gen():
    stream = RandomStream(1)
    x = stream.gen(functions.normal, 1.0, size=2)
    y = stream.gen(RandomVariable(DISTRIBUTIONS["normal"], False, "float64"), 1.0, 2.0)
    z = stream.gen(Permuted(0), np.arange(4))
    found = function([], [x, y, z])()
    one, two, three = children(1, 3)
    np.testing.assert_array_equal(found[0], one.normal(1.0, size=2))
    assert found[1] == two.normal(1.0, 2.0)
    np.testing.assert_array_equal(found[2], three.permutation(4))


def test_every_draw_is_a_method():
    stream = RandomStream(1)
    for name in DRAWS:
        method = getattr(stream, name)
        assert name in dir(stream)
        assert list(inspect.signature(method).parameters)[:1] != ["rng"]
    with pytest.raises(AttributeError, match="a RandomStream has no attribute 'normall'"):
        stream.normall(0.0, 1.0)


def test_a_draw_that_fails_leaves_the_stream_as_it_was():
    stream = RandomStream(1)
    with pytest.raises(TypeError, match="normal"):
        stream.normal(1j)
    assert stream.state_updates == []
    assert function([], stream.normal())() == children(1, 1)[0].normal()


def test_functions_are_saved_with_their_state():
    x = RandomStream(1).normal()
    run = function([], x)
    run()
    (generator,) = children(1, 1)
    generator.normal()
    expected = [generator.normal() for _ in range(3)]
    saved = pickle.dumps(run)
    assert [pickle.loads(saved)() for _ in range(2)] == [expected[0]] * 2
    deep = copy.deepcopy(run)
    assert [deep() for _ in range(3)] == expected
    # an ordinary copy shares the variables
    assert [run(), copy.copy(run)(), run()] == expected


def test_streams_are_pickled_and_copied():
    stream = RandomStream(1)
    stream.normal()
    for twin in (pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream)):
        ((rng, update),) = twin.updates()
        assert rng.default_update is update
        assert function([], twin.normal())() == children(1, 2)[1].normal()


# What people write first: a step of variational inference. Dropout: tests/programs.


def inference():
    """The evidence bound of a normal mean with a normal prior, by draws from the posterior."""
    data = np.array([1.2, 0.7, 2.1, 1.6])
    mean, log_scale = shared(np.array(0.0), "mean"), shared(np.array(0.0), "log_scale")
    z = RandomStream(5).normal(mean, at.exp(log_scale), size=8)
    log_joint = -0.5 * (z**2) - 0.5 * ((data[:, None] - z) ** 2).sum(axis=0)
    return z, -(log_joint.mean() + log_scale), [mean, log_scale]


@pytest.mark.parametrize("mode", ["fast_compile", "fast_run", "strict"])
def test_steps_of_inference_are_those_of_the_reference(mode):
    results = []
    for each in (mode, Mode("py", None)):
        draw, cost, parameters = inference()
        slopes = grad(cost, parameters)
        updates = [(p, p - 0.1 * g) for p, g in zip(parameters, slopes, strict=True)]
        step = function([], [draw, cost], updates=updates, mode=each)
        steps = [step() for _ in range(4)]
        results.append([v for made in steps for v in made] + [p.get_value() for p in parameters])
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
