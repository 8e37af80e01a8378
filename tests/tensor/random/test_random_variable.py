"""What draws refuse, how they broadcast, and that they are neither merged nor computed ahead."""

import pickle

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, dprint, function, shared
from relgraph.compile import is_same_graph, predefined_modes
from relgraph.graph.basic import Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import MergeOptimizer
from relgraph.graph.reference import evaluate
from relgraph.tensor.random import Distribution, functions
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import RandomOp, RandomVariable
from relgraph.tensor.random.type import random_generator_type

RNG = random_generator_type("rng")
MODES = sorted(name for name in predefined_modes if name is not None)
ZEROS = np.zeros(3)

WRONG = [
    (lambda r: functions.normal(3), TypeError, "normal.*the generator is 3, and a variable of"),
    (lambda r: functions.normal(at.dscalar("x")), TypeError, "the generator is x of type"),
    (lambda r: functions.permutation(3, 4), TypeError, "permutation: the generator is 3"),
    (lambda r: functions.normal(r, 1j), TypeError, "normal: loc is a .*complex128.*real numbers"),
    (lambda r: functions.normal(r, "a"), TypeError, "normal: loc: 'a' is not an array"),
    (lambda r: functions.normal(r, scal=1.0), TypeError, r"normal\(rng, loc=.*argument 'scal'"),
    (lambda r: functions.gamma(r), TypeError, "gamma.*missing.*'shape'"),
    (lambda r: functions.binomial(r, 2.5, 0.5), TypeError, "binomial: n is .*integers are wanted"),
    (lambda r: functions.dirichlet(r, 1.0), ValueError, "alpha is .*, and one draw needs 1 axes"),
    (lambda r: functions.normal(r, size=2.5), TypeError, "normal: size: 2.5 is a .*integer"),
    (lambda r: functions.normal(r, size=at.lvector("s")), TypeError, "size is a .*of known length"),
    (lambda r: functions.normal(r, size=at.dvector("s")), TypeError, "size is a .*float64"),
    (lambda r: functions.normal(r, ZEROS, size=2), ValueError, "normal: .*3 of loc, 2 of size"),
    (lambda r: functions.normal(r, ZEROS, size=1), ValueError, "normal: .*3 of loc, 1 of size"),
    (lambda r: functions.normal(r, ZEROS, ZEROS[:2]), ValueError, "3 of loc, 2 of scale"),
    (lambda r: functions.normal(r, [ZEROS], size=3), ValueError, "size has 1 axes, and loc has"),
    (
        lambda r: functions.multivariate_normal(r, ZEROS, np.eye(2)),
        ValueError,
        "multivariate_normal: cov has length 2 along an axis that has length 3 elsewhere",
    ),
    (lambda r: functions.normal(r, dtype="int64"), TypeError, "normal draws real numbers.*int64"),
    (lambda r: functions.integers(r, 3, dtype="float64"), TypeError, "integers draws integers"),
    (
        lambda r: RandomVariable(DISTRIBUTIONS["gamma"], False, "float64")(r, 1.0),
        TypeError,
        "takes 3 inputs, not 2",
    ),
    (
        lambda r: RandomVariable(DISTRIBUTIONS["random"], True, "float64")(r, at.lscalar("n")),
        TypeError,
        "size is a .*, and a vector of int64 of known length is wanted",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG, ids=[w[2] for w in WRONG])
def test_wrong_use_names_what_is_wrong(call, kind, message):
    with pytest.raises(kind, match=message):
        call(RNG)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, a: functions.normal(r, 0.0, -a), "scale < 0"),
        (lambda r, a: functions.poisson(r, -a), "lam < 0"),
        (lambda r, a: functions.normal(r, a, 1.0, size=(2, 4)), "loc, a, has length 3, and.* is 4"),
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
        with pytest.raises(ValueError, match="axis 0 of loc, a, has length 1, and that of"):
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


def test_what_is_said_to_be_never_negative():
    for name, row in DISTRIBUTIONS.items():
        if row.nonnegative:
            given = [np.full((2,) * len(p.core), 0.5) for p in row.parameters]
            given = [
                np.full(x.shape, 3) if p.integer else x + (name == "zipf")
                for x, p in zip(given, row.parameters, strict=True)
            ]
            _, x = getattr(functions, name)(RNG, *given, size=500)
            (value,) = evaluate([x], {RNG: np.random.default_rng(1)})
            assert (value >= 0).all(), name


def test_it_is_printed(capsys):
    dprint(functions.normal(RNG, 1.0, 2.0, size=3)[1])
    assert capsys.readouterr().out.splitlines()[0].startswith("normal{float64}.1 [id A]")
    assert str(RandomVariable(DISTRIBUTIONS["normal"], True, "float32").overwriting()) == (
        "normal{float32, inplace}"
    )


def test_a_mode_without_an_optimizer():
    rng = shared(np.random.default_rng(1))
    run = function([], functions.normal(rng)[1], mode=Mode(optimizer=None))
    assert run() == np.random.default_rng(1).normal()
