"""How benchmarks time calls."""

import gc
import time


def times(call, seconds, least=3, prepare=None, clock=time.perf_counter, count=1):
    """Return the seconds of calls.

    Parameters
    ----------
    seconds
        How long to go on.
    least
        How many are timed at least.
    prepare
        What makes the argument of each call, which is not timed; None for calls without one.
    count
        How many calls in a row are timed together, where one is too short.
    """
    found, end = [], time.perf_counter() + seconds
    while len(found) < least or time.perf_counter() < end:
        given = () if prepare is None else (prepare(),)
        start = clock()
        for _ in range(count):
            call(*given)
        found.append((clock() - start) / count)
    return found


def fresh(call, prepare, count=5):
    """Return the least seconds of a call on something that it uses up; the first is to warm up."""
    taken = []
    for _ in range(count + 1):
        given = prepare()
        gc.collect()
        taken += times(lambda given=given: call(given), 0, 1)
    return min(taken[1:])


def in_turn(calls, rounds, clock=time.perf_counter, count=1):
    """Return for each call its seconds in each round; who comes first finds another cache."""
    taken = [[] for _ in calls]
    gc.disable()
    for k in range(rounds):
        for i in range(len(calls)):
            j = (i + k) % len(calls)
            taken[j] += times(calls[j], 0, 1, clock=clock, count=count)
    gc.enable()
    return taken
