"""Parts of graphs as compiled functions: shapes, layouts, storage, and what they leave to NumPy."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import In, Out, function, grad, ifelse, shared
from relgraph.compile import Mode
from relgraph.graph.fg import FunctionGraph
from relgraph.vm.schedule import schedule
from relgraph.vm.tier import operations as taken_apart
from relgraph.vm.tier import segments
from relgraph.vm.tier.block_loops import BlockLoops
from relgraph.vm.tier.segments import Cut
from tests.arrays import LAYOUTS, assert_close
from tests.seeds import seed_of
from tests.vm.tier.conftest import REFERENCE, compare, compiled, needs_compiler

pytestmark = needs_compiler

x, y = at.dvector("x"), at.dvector("y")
m, n = at.dmatrix("m"), at.dmatrix("n")
s = at.dscalar("s")


def rng(*what):
    return np.random.default_rng(seed_of("tiers", *map(str, what)))


SHAPES = [(0, 0), (1, 1), (1, 5), (5, 1), (3, 4), (0, 3), (70, 1500), (3, 2100)]


def over_several_axes():
    """Nodes over several axes, with sums of some and values that are read along others."""
    column = at.exp(s * y).dimshuffle(0, "x")
    row = at.tanh(x).dimshuffle("x", 0)
    a = m * row + column
    largest = at.max(at.concatenate([a.flatten(), x, y, s.dimshuffle("x")]))
    b = at.exp(a - largest)
    total = at.sum(b) + 1.0
    outputs = [a, b / total, total, at.sum(m * m), at.mean(x) * y, at.prod(0.01 * x), row + 0.0 * a]
    return [m, x, y, s], outputs


def reduced_over_axes():
    t = at.dtensor3("t")
    e = at.exp(m) + x
    outputs = [at.sum(e, axis=0), at.sum(e, axis=1), at.max(e, axis=1), at.max(m * x, axis=0)]
    outputs += [at.min(m * 2, axis=0), at.sum(e), e / at.sum(e, axis=1, keepdims=True)]
    outputs += [at.sum(t * 2, axis=(0, 1)), at.sum(t * 2, axis=2), at.max(t + 1, axis=(1, 2))]
    outputs += [at.prod(t * 1.5, axis=0), at.any(m > 1, axis=0), at.all(m > -1, axis=1)]
    outputs += [at.sum(m > 0, axis=0), at.sum(t * 2, axis=1)]
    return [m, x, t], outputs


def drawn_for(graph, shape, special=0.0):
    """Return values; a special one among those that are reduced over axes."""
    draw = rng(graph.__name__, shape).normal
    values = [draw(size=shape), draw(size=shape[1])]
    if graph is over_several_axes:
        return [*values, draw(size=shape[0]), np.array(0.3)]
    values[0][:1, :1] = special
    return [*values, draw(size=(4, *shape))]


@pytest.fixture(scope="module", params=[over_several_axes, reduced_over_axes])
def over_axes(request):
    return request.param, *compiled(*request.param())


@pytest.mark.parametrize("special", [0.0, np.nan])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_broadcasting_and_reductions(over_axes, fallbacks, shape, special):
    graph, made, reference = over_axes
    values = drawn_for(graph, shape, special)
    if 0 in shape and graph is reduced_over_axes:
        with pytest.raises(ValueError):
            made(*values)
    else:
        compare(made, reference, values, 1e-11)
        assert not fallbacks


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "uint8", "bool"])
def test_reductions(dtype, fallbacks):
    v = at.vector("v", dtype=dtype)
    outputs = [at.sum(v), at.prod(v), at.max(v), at.min(v), at.any(v), at.all(v)]
    if dtype == "bool":
        outputs = outputs[2:] + outputs[:2]
    made, reference = compiled([v], outputs)
    for count in (1, 2, 63, 64, 65, 1025, 5000):
        value = rng(dtype, count).integers(-1 if dtype[0] in "if" else 0, 3, count).astype(dtype)
        compare(made, reference, [value], 1e-6)
    assert not fallbacks
    with pytest.raises(ValueError, match=r"extreme|identity|length 0"):
        made(np.zeros(0, dtype))


@pytest.mark.parametrize("graph", [over_several_axes, reduced_over_axes])
def test_the_last_axis_may_be_gone_through_by_an_outer_loop(graph, fallbacks, monkeypatch):
    monkeypatch.setattr("relgraph.vm.tier.lowering.Lowering.usual", lambda *_: 1)
    monkeypatch.setattr("relgraph.vm.tier.block_loops.LONGER", 1)
    made, reference = compiled(*graph())
    for shape in [(1, 1), (5, 3), (3, 2100), (2100, 3)]:
        values = drawn_for(graph, shape, np.nan if shape == (5, 3) else 0.0)
        compare(made, reference, values, 1e-11)
    assert not fallbacks


def test_the_shapes_of_the_first_calls_say_which_axis_is_short():
    p, q = at.dvectors("p", "q")
    inputs, outputs = [p, q], [at.sum(at.exp(p[:, None] - q[None, :]), axis=1)]
    fgraph = FunctionGraph(inputs, outputs, clone=True)
    plan = schedule(fgraph)
    turned = []
    for lengths in ((500, 3), (3, 500), (500, 500)):
        shapes = {v: (n,) for v, n in zip(fgraph.inputs, lengths, strict=True)}
        cut = Cut(plan, fgraph.inputs, fgraph.outputs, False, shapes=shapes)
        (segment,) = cut.segments
        (nest,) = [n for n in segment.lowering.nests.values() if len(n.axes) == 2]
        turned.append(BlockLoops(segment.code, nest).axes == [[1], [0]])
    assert turned == [True, False, False]


def test_sums_of_nothing(fallbacks):
    made, reference = compiled([m, x], [at.sum(at.exp(m) + x, axis=0), at.sum(m * x, axis=1)])
    for shape in ((0, 3), (3, 0), (0, 0)):
        compare(made, reference, [np.zeros(shape), np.zeros(shape[1])], 0)
    assert not fallbacks


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_reductions_of_what_is_not_finite(special):
    made, reference = compiled([x], [at.sum(x), at.max(x), at.min(x), at.sum(x * x), at.prod(x)])
    for at_place in (0, 999, 1024, 2047):
        value = np.ones(2048)
        value[at_place] = special
        compare(made, reference, [value], 0)


def test_sums_are_as_exact_as_those_of_numpy():
    made, _ = compiled([x], [at.sum(x), at.max(x)])
    value = rng("sums").uniform(size=300_000) + 1e6
    exact = float(np.sum(value.astype(np.longdouble)))
    assert abs(made(value)[0] - exact) <= 4 * np.spacing(exact)


@pytest.mark.parametrize("optimizer", ["fast_run", "strict"])
def test_layouts(optimizer, fallbacks):
    made, reference = compiled([m, n], [m * n + at.sin(m), at.exp(m) - n], optimizer)
    a, b = rng("layouts").normal(size=(2, 6, 7))
    tolerance = 0 if optimizer == "strict" else 1e-12
    for name in ("with gaps", "backward", "columns", "standing still", "not aligned"):
        fallbacks.clear()
        compare(made, reference, [LAYOUTS[name](a), b], tolerance)
        assert fallbacks, name
    fallbacks.clear()
    assert not np.shares_memory(made(a[:4], a[2:])[0], a)
    compare(made, reference, [a[:4], a[2:]], tolerance)
    assert not fallbacks


def test_lengths_that_do_not_fit_raise_as_without_compilation():
    made = function([x, y], [x * y + x, at.sum(x * y)], mode=Mode(tier="compiled"))
    unfused = Mode(tier="vm").excluding("elemwise_fusion")
    plain = function([x, y], [x * y + x, at.sum(x * y)], mode=unfused)
    for lengths in ((3, 4), (1, 4), (4, 1), (0, 1)):
        values = [np.ones(k) for k in lengths]
        with pytest.raises(ValueError) as expected:
            plain(*values)
        with pytest.raises(ValueError) as found:
            made(*values)
        assert str(found.value) == str(expected.value)
        assert found.value.__notes__ == expected.value.__notes__
    np.testing.assert_array_equal(made(np.ones(2), np.ones(2))[0], [2, 2])


def test_nothing_that_was_passed_in_is_modified():
    total = shared(np.zeros(5), "total")
    given, kept = np.arange(5.0), np.arange(5.0)
    update = total * 0.5 + at.exp(x) * 2
    made, _ = compiled([In(x, mutable=True), y], [x + y * 2, y * 1.0], updates={total: update})
    for _ in range(3):
        found = made(given.copy(), kept)
        assert not any(np.shares_memory(found[i], v) for i in (0, 1) for v in (kept, found[1 - i]))
        np.testing.assert_array_equal(kept, np.arange(5.0))
    total.set_value(np.ones(5))
    wanted = function([x], update, mode=REFERENCE)(given)
    made(given, kept)
    np.testing.assert_allclose(total.get_value(), wanted, rtol=1e-15)


def test_what_is_overwritten_is_read_before():
    """Updates in place outside of what is compiled come after all that reads the old value."""
    a = at.dvector("a")
    changed = at.set_subtensor(a[1:3], at.exp(x[:2]) * 2 + 1)
    later = at.inc_subtensor(changed[0:1], at.sum(a * x) + 1)
    outputs = [later * 2 + a, at.sum(changed * a) + at.sum(later), changed - later]
    made, reference = compiled([In(a, mutable=True), x], [Out(v, borrow=True) for v in outputs])
    values = rng("overwritten").normal(size=(2, 6))
    expected = [np.array(v) for v in reference(values[0].copy(), values[1])]
    assert_close(made(values[0].copy(), values[1]), expected, rtol=1e-13)


def test_views_of_what_is_compiled():
    row = (x * 2 + at.exp(x)).dimshuffle("x", 0)
    outputs = [row, at.dot(m, row.T), row.dimshuffle(1, 0, "x"), at.exp(m) + row]
    made, reference = compiled([x, m], outputs)
    values = rng("views").normal(size=4), rng("views").normal(size=(3, 4))
    compare(made, reference, values, 1e-13)


def test_products_between_segments():
    h = m
    for _ in range(3):
        h = at.tanh(at.dot(h, n) + x) * s
    outputs = [at.sum(h**2), *grad(at.sum(h**2), [n, x, s])]
    made, reference = compiled([m, n, x, s], outputs)
    assert made._run.record.left < len(made.maker.fgraph.apply_nodes)
    draw = rng("products").normal
    values = draw(size=(3, 4)), draw(size=(4, 4)), draw(size=4), np.array(0.7)
    compare(made, reference, values, 1e-10)


def test_a_composite_of_which_one_op_is_left_to_numpy(fallbacks):
    # the exponent is not known
    out = at.exp(x) * 2 + (x**2 + 1) ** y - at.tanh(y) * x
    made, reference = compiled([x, y], [out, out * y])
    assert made._run.record.left == 1
    values = rng("composite").normal(size=(2, 30))
    compare(made, reference, values, 1e-12)
    with pytest.raises(ValueError, match="length"):
        made(values[0], values[1][:1])
    assert len(fallbacks) == 1


def test_one_segment_where_all_is_compiled():
    out = s
    for _ in range(30):
        out = at.exp(out * 0.1) - at.sin(out) / 3
    made, reference = compiled([s], [out, out > 1, at.cast(out > 0, "int8")])
    assert (made._run.record.left, len(made._run.record.segments)) == (0, 1)
    compare(made, reference, [0.3], 1e-13)


def test_branches_are_left_to_numpy():
    made = function([s, x], ifelse(s > 0, x * 2 + 1, x - 1), mode=Mode(tier="compiled"))
    assert made._run.record.state == "failed"
    np.testing.assert_array_equal(made(1.0, np.ones(2)), [3, 3])


def test_long_graphs_and_many_arguments():
    inputs = [at.dvector(f"v{i}") for i in range(40)]
    out = inputs[0]
    for v in inputs[1:]:
        out = at.maximum(out * 0.5, v) + v
    made, reference = compiled(inputs, [out, out * 2 + 1], "o2")
    values = list(rng("many").normal(size=(40, 9)))
    compare(made, reference, values, 0)


@pytest.mark.parametrize("optimizer", ["o2", "fast_run"])
def test_many_operations_are_several_segments(monkeypatch, optimizer):
    """LLVM takes the longer for each operation the more there are."""
    for module in (segments, taken_apart):
        monkeypatch.setattr(module, "MOST_IN_SEGMENT", 20)
    out, sums = x, []
    for k in range(30):
        out = at.tanh(out * y) + k if k % 3 else at.exp(out / 100) - y
        sums.append(at.sum(out))
    made, reference = compiled([x, y], [out, *sums[::10]], optimizer)
    record = made._run.record
    # sums keep their bits in o2
    assert record.left == (3 if optimizer == "o2" else 0) and len(record.segments) > 4
    counts = [int(text.partition("{")[2].split()[0]) for text in record.segments]
    assert max(counts) <= 20
    values = rng("several").normal(size=(2, 50))
    compare(made, reference, values, 1e-12)


def test_a_number_that_a_part_of_a_number_is() -> None:
    """An ellipsis makes an array of rank 0 of it, the place of which is no number."""
    v = at.tensor("uint8", (), "v")
    total = at.flip(at.sum(v, axis=None), None)
    made, reference = compiled([v], [-total, at.exp(-total) * 2], optimizer=None)
    compare(made, reference, [np.uint8(3)], 0)


def test_an_array_is_not_taken_for_a_number() -> None:
    v = at.lscalar("v")
    fgraph = FunctionGraph([v], [-v * v + 1])
    (segment,) = Cut(schedule(fgraph), fgraph.inputs, fgraph.outputs, True).segments
    made = np.zeros(1, "int64")
    assert segment.compiled.call(np.array(3), made) is NotImplemented
    assert segment.compiled.call(np.float64(3), made) is NotImplemented
    assert segment.compiled.call(np.int64(3), made) is None
    assert made.tolist() == [-8]


# Quotients by known numbers: those of a division, but for the smallest.

DIVISORS = [3, 10, 7, 49, 0.1, -0.3, 1 / 3, 1e10, 1e-10, -6, 0.75, 2 - 2.0**-52, 1 + 2.0**-52, 8]
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3.0, 49.0, 255.0]


def drawn(dtype):
    rng = np.random.default_rng(seed_of("quotients"))
    most = np.finfo(dtype).max
    usual = [rng.normal(size=2_000), rng.integers(1, 10**6, 2_000)]
    spread = np.exp(rng.uniform(-0.9, 0.9, 4_000) * np.log(float(most)))
    ends = [most, -most, most / 2, most / 3, np.finfo(dtype).tiny, np.finfo(dtype).tiny * 3]
    small = float(np.finfo(dtype).tiny) * 2 ** rng.uniform(0, 80, 4_000)
    return np.concatenate([EDGES, ends, *usual, spread, small]).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mode", ["fast_run", "strict"])
def test_they_have_the_bits_of_a_division(mode, dtype):
    x = at.TensorType(dtype, (None,))("x")
    divisors = [np.dtype(dtype).type(c) for c in DIVISORS]
    outputs = [x / at.constant(c) for c in divisors]
    f = function([x], outputs, mode=Mode(optimizer=mode, tier="compiled"))
    assert f._run.record.state == "compiled"
    values = drawn(dtype)
    with np.errstate(all="ignore"):
        for c, found in zip(divisors, f(values), strict=True):
            expected = values / c
            # of these the small one of the two products is not subnormal
            least = np.finfo(dtype).tiny / np.finfo(dtype).eps
            normal = ~(np.abs(expected) < least) | (values == 0)
            checked = slice(None) if mode == "strict" else normal
            same = found[checked].tobytes() == expected[checked].tobytes()
            assert same, (c, values[checked][found[checked] != expected[checked]][:3])
            near = np.abs(found - expected)[~normal] <= np.spacing(np.abs(expected))[~normal]
            assert near.all(), c


# Softmaxes as compiled code: over the axes of matrices and vectors, and beside infinities.


@pytest.fixture(scope="module", params=["float64", "float32"])
def softmaxes(request):
    m, v = at.matrix("m", dtype=request.param), at.vector("v", dtype=request.param)
    outputs = [
        f(x, axis=axis)
        for x, axes in ((m, (0, 1, None)), (v, (0,)))
        for axis in axes
        for f in (at.softmax, at.log_softmax, at.logsumexp)
    ]
    made, reference = compiled([m, v], outputs)
    assert made._run.record.left == 0, made._run.record

    def check(*given):
        values = [np.asarray(v, request.param) for v in given]
        compare(made, reference, values, 1e-12 if request.param == "float64" else 2e-6)

    return check


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (5, 4), (40, 1500), (0, 3), (3, 0)])
def test_shapes(softmaxes, shape):
    draw = np.random.default_rng(seed_of("softmaxes", str(shape))).normal
    softmaxes(draw(size=shape) * 50, draw(size=shape[1]) * 50)


INFINITE = [np.inf, -np.inf, np.nan, 1e308, -1e308, 0.0, -0.0, 88.0, 710.0]


@pytest.mark.parametrize("one", INFINITE)
@pytest.mark.parametrize("other", INFINITE)
def test_beside_infinities(softmaxes, one, other):
    """Overflow of float32 makes more infinities of the same values."""
    with np.errstate(over="ignore"):
        softmaxes([[one, 1.0, other], [other, one, -2.0]], [one, other, 3.0])
        softmaxes([[one, one], [one, one]], [other, other])
