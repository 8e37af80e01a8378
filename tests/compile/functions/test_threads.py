"""Functions that several threads call at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, grad, ifelse, shared

THREADS = 4
CALLS = 60


def results_of_threads(f, arguments):
    """Call `f` with each of the arguments, in several threads that begin together."""
    barrier = Barrier(THREADS)

    def work(offset):
        barrier.wait()
        return [(i, f(*arguments[i])) for i in range(offset, len(arguments), THREADS)]

    with ThreadPoolExecutor(THREADS) as pool:
        return dict(pair for pairs in pool.map(work, range(THREADS)) for pair in pairs)


@pytest.mark.parametrize(
    "mode", ["fast_run", "strict", Mode("py", None), Mode("vm", None)], ids=str
)
def test_calls_do_not_mix(mode):
    x, c, w = at.dvector("x"), at.dscalar("c"), shared(np.arange(500.0))
    h = x
    for _ in range(5):
        h = at.tanh(h * w + c) + at.exp(-h)
    cost = ifelse(c > 0, at.sum(h * h), at.sum(h))
    f = function([x, c], [cost, grad(cost, x), h], mode=mode)
    rng = np.random.default_rng(3)
    arguments = [(rng.normal(size=500), float(rng.normal())) for _ in range(CALLS)]
    expected = [[r.copy() for r in f(*a)] for a in arguments]
    found = results_of_threads(f, arguments)
    for i, wanted in enumerate(expected):
        for a, b in zip(found[i], wanted, strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_first_call_may_come_from_several_threads():
    x = at.dvector("x")
    for _ in range(10):
        f = function([x], at.exp(x) + 1)
        arguments = [(np.full(3, float(i)),) for i in range(THREADS)]
        found = results_of_threads(f, arguments)
        for i, (value,) in enumerate(arguments):
            np.testing.assert_array_equal(found[i], np.exp(value) + 1)


def test_each_thread_has_its_own_results():
    x = at.dvector("x")
    f = function([x], [at.exp(x), at.exp(x) * 2])
    arguments = [(np.full(100, i / CALLS),) for i in range(CALLS)]
    found = results_of_threads(f, arguments)
    kept = [r for results in found.values() for r in results]
    for i, a in enumerate(kept):
        assert not any(np.may_share_memory(a, b) for b in kept[:i])
