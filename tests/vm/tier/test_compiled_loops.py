"""Loops as compiled functions: states and rows of every rank, conditions, and what falls back."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import function, grad
from relgraph.compile import Mode
from tests.programs import kalman
from tests.tensor.loops.examples import INPUTS, LOOPS, h, k, loop, m, values, x
from tests.vm.tier.conftest import compare, compiled, needs_compiler

pytestmark = needs_compiler


def in_loops(outputs, optimizer="fast_run", loops=1):
    """Return a function in which so many loops are compiled, and one that is not rewritten."""
    made, reference = compiled(INPUTS, outputs, optimizer, on_unused_input="ignore")
    record = made._run.record
    assert sum("scan{" in segment for segment in record.segments) == loops, record
    return made, reference


def compare_twice(made, reference, given, tolerance=1e-12):
    for _ in range(2):
        compare(made, reference, given, tolerance)


@pytest.mark.parametrize("name", [name for name in LOOPS if name not in ("a part", "views")])
def test_values(name, fallbacks):
    made, reference = in_loops(LOOPS[name])
    compare_twice(made, reference, values())
    if name not in ("system", "constant"):
        compare_twice(made, reference, values(1, 1))
        compare_twice(made, reference, values(70, 33), 1e-9)
    given = values()
    given[0], given[1] = np.asfortranarray(given[0])[::-1], given[1].T
    given[2] = np.repeat(given[2], 2)[::2]
    compare_twice(made, reference, given)
    assert not fallbacks


@pytest.mark.parametrize("optimizer", ["fast_run", "strict"])
def test_the_bits_of_elementwise_loops_in_strict(optimizer, fallbacks):
    outputs = loop(lambda r, a, b: (a * 0.9 + r, at.exp(-a) - b), x, [h, k])
    made, reference = in_loops(outputs, optimizer)
    compare(made, reference, values(20, 37), 0 if optimizer == "strict" else 1e-13)
    assert not fallbacks


@pytest.mark.parametrize("name", ["plain", "one value for two states"])
def test_no_steps(name):
    made, reference = in_loops(LOOPS[name])
    compare_twice(made, reference, values(rows=0))


def test_a_step_of_many_operations_is_left_to_numpy():
    def step(r, a):
        for i in range(300):
            a = at.tanh(a * r + i)
        return a

    made, reference = in_loops([*loop(step, x, h), at.tanh(h * k) + 1], loops=0)
    compare_twice(made, reference, values())


def test_lengths_that_do_not_fit():
    made, _ = in_loops(loop(lambda r, a: a * 0.9 + r * k, x, h))
    given = values()
    given[3] = np.ones(9)
    with pytest.raises(ValueError, match="9"):
        made(*given)


def test_a_singular_system_in_a_step(fallbacks):
    made, _ = in_loops(loop(lambda r, a: at.linalg.solve(m, a) + r, x, h))
    given = values()
    given[1][...] = 1
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        made(*given)
    assert len(fallbacks) == 1


def test_gradients(fallbacks):
    hs = loop(lambda r, a: at.tanh(m @ a + r * k), x, h)[0]
    loss = at.sum(hs[-1] ** 2) + at.sum(at.sin(hs))
    made, reference = in_loops([loss, *grad(loss, [m, h, k])], loops=2)
    compare_twice(made, reference, values(), 1e-11)
    assert not fallbacks


def test_gradient_of_a_kalman_filter(fallbacks):
    inputs, log_likelihood, _ = kalman.build(relgraph, at)
    outputs = [log_likelihood, *grad(log_likelihood, inputs[3:5])]
    made = function(inputs, outputs, mode=Mode(tier="compiled"))
    assert [s for s in made._run.record.segments if "scan{" in s], made._run.record
    for linker in ("vm", "py"):  # an order in which nothing is read after it is overwritten
        reference = function(inputs, outputs, mode=Mode(linker, tier="vm"))
        compare(made, reference, kalman.values(), 1e-9)
    assert not fallbacks


def test_threads_share_a_loop():
    made, reference = in_loops(LOOPS["product"])
    given = [values(40, 30), values(25, 50)]
    wanted = [reference(*v) for v in given]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: made(*given[i % 2]), range(60)))
    for i, outputs in enumerate(found):
        np.testing.assert_allclose(outputs[0], wanted[i % 2][0], rtol=1e-9)
