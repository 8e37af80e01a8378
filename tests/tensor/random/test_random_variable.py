"""Draws: types of generators, the op, and gradients by parameters."""

import copy
import pickle

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import dprint, function, grad, shared
from relgraph.compile import SharedVariable, is_same_graph, predefined_modes
from relgraph.gradient import verify_grad
from relgraph.gradient.backward import DisconnectedInputError
from relgraph.graph.basic import Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import MergeOptimizer
from relgraph.graph.reference import evaluate
from relgraph.tensor.random import Distribution, RandomGeneratorSharedVariable, functions
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import RandomOp, RandomVariable
from relgraph.tensor.random.type import (
    RandomGeneratorType,
    copied,
    is_generator,
    random_generator_type,
)
from tests.tensor.random.test_distributions import MULTIVARIATE, PARAMETERS

BITS = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]


def state(generator):
    return random_generator_type.make_constant(generator).signature()


@pytest.mark.parametrize("bits", BITS)
def test_a_copy_shares_nothing(bits):
    generator = np.random.Generator(bits(3))
    generator.integers(0, 9, dtype="uint8")  # leaves half a word behind
    generator.spawn(2)
    before = state(generator)
    twin = copied(generator)
    assert type(twin.bit_generator) is bits
    assert state(twin) == before
    twin.normal(size=3)
    assert state(generator) == before
    twin.spawn(1)
    expected = copy.deepcopy(generator).spawn(1)[0].random()
    assert generator.spawn(1)[0].random() == expected
    np.testing.assert_array_equal(copied(generator).random(5), generator.random(5))


def test_a_copy_of_a_generator_of_the_users():
    class Mine(np.random.Generator):
        pass

    mine = Mine(np.random.PCG64(1))
    twin = copied(mine)
    assert twin.bit_generator is not mine.bit_generator
    assert twin.random() == np.random.default_rng(1).random()


def test_what_is_a_generator():
    assert RandomGeneratorType() is random_generator_type
    generator = np.random.default_rng(1)
    assert is_generator(generator)
    assert random_generator_type.filter(generator, strict=True) is generator
    for wrong in (np.random.RandomState(1), np.random.PCG64(1), 1, None):
        assert not is_generator(wrong)
        with pytest.raises(TypeError, match=r"expected a numpy.random.Generator, not"):
            random_generator_type.filter(wrong)


def test_equal_values_give_the_same_numbers():
    a, b = np.random.default_rng(1), np.random.default_rng(1)
    assert random_generator_type.values_eq(a, b)
    b.random()
    assert not random_generator_type.values_eq(a, b)
    assert not random_generator_type.values_eq(a, np.random.Generator(np.random.SFC64(1)))
    assert random_generator_type.may_share_memory(a, np.random.Generator(a.bit_generator))
    assert not random_generator_type.may_share_memory(a, b)


def test_shared_generators_are_copied_unless_borrowed():
    generator = np.random.default_rng(1)
    rng = shared(generator, "rng")
    assert isinstance(rng, RandomGeneratorSharedVariable)
    assert isinstance(rng, SharedVariable)
    assert rng.type is random_generator_type
    assert str(rng) == "rng"
    generator.random()
    assert rng.get_value().random() == np.random.default_rng(1).random()
    rng.get_value().random()
    assert state(rng.get_value()) == state(np.random.default_rng(1))
    rng.set_value(generator)
    assert rng.get_value(borrow=True) is not generator
    rng.set_value(generator, borrow=True)
    assert rng.get_value(borrow=True) is generator
    assert shared(generator, borrow=True).get_value(borrow=True) is generator
    with pytest.raises(TypeError, match=r"the value of rng: expected"):
        rng.set_value(np.random.RandomState(1))
    with pytest.raises(TypeError, match=r"holds numbers, not .*RandomState.* or it holds a"):
        shared(np.random.RandomState(1))


def test_arrays_are_borrowed_too():
    value = np.zeros(2)
    assert shared(value, borrow=True).get_value(borrow=True) is value
    assert shared(value).get_value(borrow=True) is not value


def test_an_argument_keeps_its_state():
    rng = random_generator_type("rng")
    next_rng, x = functions.normal(rng, size=3)
    run = function([rng], [next_rng, x])
    generator = np.random.default_rng(1)
    after, first = run(generator)
    assert state(generator) == state(np.random.default_rng(1))
    np.testing.assert_array_equal(first, np.random.default_rng(1).normal(size=3))
    after_two, second = run(after)
    np.testing.assert_array_equal([*first, *second], np.random.default_rng(1).normal(size=6))
    assert len({id(generator), id(after), id(after_two)}) == 3
    with pytest.raises(TypeError, match="argument 0 `rng` of function: expected RandomGenerator"):
        run(3)


def test_constants():
    generator = np.random.default_rng(1)
    constant = random_generator_type.make_constant(generator)
    generator.random()
    assert constant.data.random() == np.random.default_rng(1).random()
    a, b = (random_generator_type.make_constant(np.random.default_rng(2)) for _ in range(2))
    assert a.equals(b)
    assert a.equals(a.clone())
    assert not a.equals(random_generator_type.make_constant(np.random.default_rng(3)))
    assert "Generator" in str(a)


def test_givens_and_updates_by_a_generator():
    rng = shared(np.random.default_rng(1))
    next_rng, x = functions.random(rng)
    given = function([], x, givens={rng: np.random.default_rng(7)}, updates={rng: next_rng})
    expected = np.random.default_rng(7).random(2)
    assert given() == given() == expected[0]
    reset = function([], x, updates={rng: np.random.default_rng(9)})
    assert reset() == expected[1]
    assert reset() == reset() == np.random.default_rng(9).random()


def test_variables_are_pickled_and_copied():
    rng = shared(np.random.default_rng(1), "rng")
    _, x = functions.normal(rng)
    for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        own = twin.owner.inputs[0]
        assert own.container is not rng.container
        assert own.name == "rng"
        assert function([], twin)() == np.random.default_rng(1).normal()
    assert rng.clone().container is rng.container


# What values draws refuse, how they broadcast, and that they are neither merged nor computed ahead.

RNG = random_generator_type("rng")
FIXED = random_generator_type.make_constant(np.random.default_rng(3))
MODES = sorted(name for name in predefined_modes if name is not None)
ZEROS = np.zeros(3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, a: functions.normal(r, 0.0, -a), "scale < 0"),
        (lambda r, a: functions.poisson(r, -a), "lam < 0"),
        (
            lambda r, a: functions.normal(r, a, 1.0, size=(2, 4)),
            r"\(loc\) has length 3, axis 1 .*\(size\) has length 4",
        ),
        (lambda r, a: functions.random(r, size=(at.cast(-a[0], "int64"),)), "negative"),
    ],
)
def test_wrong_values_name_the_node(call, message):
    a = at.dvector("a")
    rng = shared(np.random.default_rng(1))
    with pytest.raises(ValueError, match=message) as caught:
        function([a], call(rng, a)[1])(np.ones(3))
    assert any("{float64" in note or "{int64" in note for note in caught.value.__notes__)


def test_only_what_is_known_to_be_of_length_1_broadcasts():
    a, b = at.dvector("a"), at.dvector("b")
    rng = shared(np.random.default_rng(1))
    for x in (functions.normal(rng, a, b)[1], functions.normal(rng, a, 1.0, size=b.shape)[1]):
        run = function([a, b], x)
        assert run(np.ones(2), np.ones(2)).shape == (2,)
        assert run(np.ones(1), np.ones(1)).shape == (1,)
        with pytest.raises(
            ValueError, match=r"\(loc\) has length 1, .* has length 2; only an axis"
        ):
            run(np.ones(1), np.ones(2))


@pytest.mark.parametrize("mode", MODES)
def test_two_draws_are_two(mode):
    rng = shared(np.random.default_rng(1))
    next_rng, x = functions.normal(rng)
    _, y = functions.normal(next_rng)
    run = function([], [x, y], mode=mode)
    np.testing.assert_array_equal(run(), np.random.default_rng(1).normal(size=2))
    # from one state of a generator they draw the same numbers, each by itself
    _, z = functions.normal(rng)
    run = function([], x - z, mode=mode)
    assert sum(isinstance(node.op, RandomOp) for node in run.maker.fgraph.apply_nodes) == 2
    assert run() == 0.0


def test_nothing_merges_them():
    x, y = functions.normal(RNG)[1], functions.normal(RNG)[1]
    graph = FunctionGraph([RNG], [x, y, at.exp(x), at.exp(x)], clone=True)
    MergeOptimizer().optimize(graph)
    assert len(graph.apply_nodes) == 3
    assert is_same_graph(x, y)
    assert not is_same_graph(x, functions.normal(RNG, 1.0)[1])


@pytest.mark.parametrize("mode", MODES)
def test_a_draw_from_a_constant_is_made_at_each_call(mode):
    given = random_generator_type.make_constant(np.random.default_rng(1))
    run = function([], functions.normal(given, 0.0, 1.0, size=3)[1], mode=mode)
    expected = np.random.default_rng(1).normal(size=3)
    for _ in range(2):
        np.testing.assert_array_equal(run(), expected)
    assert not isinstance(run.maker.fgraph.outputs[0], Constant)


@pytest.mark.parametrize("mode", ["fast_run", "o3", "strict"])
def test_a_shape_is_known_without_a_draw(mode):
    n, loc, s = at.lscalar("n"), at.dmatrix("loc"), at.TensorType("int64", (2,))("s")
    rng = shared(np.random.default_rng(1))
    draws = [
        functions.normal(rng, 0.0, 1.0, size=(n, 3))[1],
        functions.normal(rng, 0.0, 1.0, size=s)[1],
        functions.multivariate_normal(rng, np.zeros(2), np.eye(2), size=(n,))[1],
        functions.normal(rng, loc, 1.0)[1],
        functions.dirichlet(rng, loc)[1],
        functions.permutation(rng, loc)[1],
    ]
    shapes = [(4, 3), (2, 5), (4, 2), (3, 2), (3, 2), (3, 2)]
    outputs = [part for x in draws for part in (x.shape, x.shape[0], x.size)]
    run = function([n, loc, s], outputs, mode=mode)
    assert not any(isinstance(node.op, RandomOp) for node in run.maker.fgraph.apply_nodes)
    found = iter(run(4, np.ones((3, 2)), [2, 5]))
    for shape in shapes:
        assert tuple(next(found)) == shape
        assert next(found) == shape[0]
        assert next(found) == np.prod(shape)


@pytest.mark.parametrize("mode", MODES)
def test_a_part_of_a_draw_is_a_part_of_all_of_it(mode):
    rng = shared(np.random.default_rng(1))
    _, x = functions.normal(rng, 2.0, 3.0, size=(4, 5))
    run = function([], [x[1, 2:], x.T[3], x.reshape((-1,))[7]], mode=mode)
    expected = np.random.default_rng(1).normal(2.0, 3.0, (4, 5))
    for found, part in zip(
        run(), [expected[1, 2:], expected.T[3], expected.ravel()[7]], strict=True
    ):
        np.testing.assert_array_equal(found, part)


def test_nothing_broadcasts_to_nothing(drawn):
    for size in (None, (2, 0)):
        found, _ = drawn(
            lambda rng, size=size: functions.normal(rng, np.zeros((1, 0)), np.ones((2, 1)), size)
        )
        assert found.shape == (2, 0)


def test_static_shapes():
    row, x = at.drow("row"), at.TensorType("float64", (3, None))("x")
    n = at.lscalar("n")
    assert functions.normal(RNG, row, x)[1].type.shape == (3, None)
    assert functions.normal(RNG, 0.0, row.T)[1].type.shape == (None, 1)
    assert functions.normal(RNG, size=(n, 2))[1].type.shape == (None, 2)
    assert functions.normal(RNG, x, size=(4, n, 2))[1].type.shape == (4, 3, 2)
    assert functions.dirichlet(RNG, x)[1].type.shape == (3, None)
    assert functions.multivariate_normal(RNG, ZEROS, at.dmatrix(), n)[1].type.shape == (None, 3)
    assert functions.choice(RNG, x, size=(2, n))[1].type.shape == (2, None, None)


def test_a_distribution_of_the_users():
    mine = Distribution("mine", "low(k) -> (k)", draw=_half_open_rows)
    op = RandomVariable(mine, False, "float64")
    assert op is RandomVariable(
        Distribution("mine", "low(k) -> (k)", draw=_half_open_rows), False, "float64"
    )
    assert pickle.loads(pickle.dumps(op)) is op
    low = at.dvector("low")
    rng = shared(np.random.default_rng(1))
    run = function([low], op(rng, low))
    np.testing.assert_array_equal(run(ZEROS), np.random.default_rng(1).random(3))
    with pytest.raises(ValueError, match="mine: no parameter has all the axes of a draw"):
        Distribution("mine", "low -> (k)")


def _half_open_rows(generator, low, size):
    return low + generator.random(low.shape)


def test_what_is_never_negative_needs_no_absolute_value():
    rng = shared(np.random.default_rng(1))
    a = at.dvector("a")
    for draw, kept in [
        (functions.gamma(rng, a, a)[1], False),
        (functions.poisson(rng, a)[1], False),
        (functions.permutation(rng, 5)[1], False),
        (functions.normal(rng, a, a)[1], True),
        (functions.poisson(rng, a, dtype="int8")[1], True),
    ]:
        run = function([a], abs(draw), mode="o3", on_unused_input="ignore")
        assert (at.abs in {node.op for node in run.maker.fgraph.apply_nodes}) is kept
        assert (run(np.array([0.5, 100.0, 200.0])) >= -128).all()


@pytest.mark.parametrize("name", [n for n, row in DISTRIBUTIONS.items() if row.nonnegative])
def test_what_is_said_to_be_never_negative(name):
    for given in PARAMETERS.get(name) or [MULTIVARIATE[name]]:
        (value,) = evaluate([getattr(functions, name)(FIXED, *given, size=(500, 2, 3))[1]])
        assert (value >= 0).all()


def test_it_is_printed(capsys):
    dprint(functions.normal(RNG, 1.0, 2.0, size=3)[1])
    assert capsys.readouterr().out.splitlines()[0].startswith("normal{float64}.1 [id A]")
    assert str(RandomVariable(DISTRIBUTIONS["normal"], True, "float32", inplace=True)) == (
        "normal{float32, inplace}"
    )


# Derivatives of draws by their parameters, for a generator that is held fixed.

WITHOUT_SLOPES = ("shape", "df", "kappa", "cov")
"""Parameters of differentiable draws by which there is no derivative."""


@pytest.mark.parametrize("sized", [False, True])
@pytest.mark.parametrize("name", [name for name, row in DISTRIBUTIONS.items() if row.slopes])
def test_slopes_against_differences(name, sized):
    names = [p.name for p in DISTRIBUTIONS[name].parameters]
    given = PARAMETERS[name][1] if name in PARAMETERS else MULTIVARIATE[name]
    values = dict(zip(names, map(np.asarray, given), strict=True))
    shape = () if DISTRIBUTIONS[name].core else np.broadcast_shapes(*map(np.shape, given))
    wrt = [key for key in names if key not in WITHOUT_SLOPES]

    def draw(*moved):
        parameters = values | dict(zip(wrt, moved, strict=True))
        size = (2, *shape) if sized else None
        return at.tanh(getattr(functions, name)(FIXED, **parameters, size=size)[1])

    verify_grad(draw, [values[key] for key in wrt], n_tests=1)


def test_slopes_where_nothing_is_random():
    loc, scale = at.dvector("loc"), at.dvector("scale")
    rng = shared(np.random.default_rng(1))
    _, x = functions.normal(rng, loc, scale)
    run = function([loc, scale], [x, *grad(x.sum(), [loc, scale])])
    x_, by_loc, by_scale = run([1.0, 2.0], [0.0, 0.0])
    np.testing.assert_array_equal(x_, [1.0, 2.0])
    np.testing.assert_array_equal(by_loc, [1.0, 1.0])
    np.testing.assert_array_equal(by_scale, np.random.default_rng(1).standard_normal(2))


def test_slopes_keep_their_digits_beside_a_large_location():
    scale = at.scalar("scale", dtype="float32")
    rng = shared(np.random.default_rng(1))
    _, x = functions.normal(rng, np.float32(1e6), scale, size=4, dtype="float32")
    run = function([scale], grad(x.sum(), scale))
    noise = np.random.default_rng(1).standard_normal(4)
    np.testing.assert_allclose(run(np.float32(1e-3)), noise.sum(), rtol=1e-5)


def test_draws_of_nothing_have_slopes():
    loc, scale = at.dvector("loc"), at.dscalar("scale")
    _, x = functions.normal(shared(np.random.default_rng(1)), loc, scale)
    by_loc, by_scale = function([loc, scale], grad(x.sum(), [loc, scale]))([], 1.0)
    assert by_loc.shape == (0,)
    assert by_scale == 0.0


def test_integers_are_disconnected():
    a, w = at.dvector("a"), at.dvector("w")
    _, x = functions.poisson(RNG, a)
    with pytest.raises(DisconnectedInputError, match="a "):
        grad((x * 2.0).sum(), a)
    by_w = grad((x * w).sum(), w)
    (found,) = evaluate([by_w], {RNG: np.random.default_rng(1), a: np.ones(3), w: np.ones(3)})
    np.testing.assert_array_equal(found, np.random.default_rng(1).poisson(np.ones(3)))


def test_chosen_elements_have_the_gradient_of_the_whole():
    value = np.arange(1.0, 6.0)
    for draw in (
        lambda a: functions.choice(FIXED, a, 5)[1],
        lambda a: functions.permutation(FIXED, a)[1],
        lambda a: functions.permuted(FIXED, a)[1],
    ):
        verify_grad(draw, [value])
        a = at.dvector("a")
        assert grad(draw(a).sum(), a).eval({a: value}).sum() == 5
