"""The stopwatch behind the time of `grad` in profiles."""

import relgraph.tensor as at
from relgraph.gradient import grad
from relgraph.gradient.backward import Stopwatch, grad_stopwatch


def test_runs_add_up_and_nested_ones_count_once() -> None:
    clock = Stopwatch()
    with clock.running():
        with clock.running():
            pass
        assert clock.seconds == 0
    first = clock.seconds
    assert first > 0
    with clock.running():
        pass
    assert clock.seconds > first


def test_it_stops_when_the_block_raises() -> None:
    clock = Stopwatch()
    for _ in range(2):
        before = clock.seconds
        try:
            with clock.running():
                raise KeyError
        except KeyError:
            assert clock.seconds > before


def test_grad_is_timed() -> None:
    x = at.dscalar("x")
    before = grad_stopwatch.seconds
    grad(at.exp(x), x)
    assert grad_stopwatch.seconds > before
