"""How long loops take, here and in PyTensor.

    python tests/benchmarks/bench_scan.py [NAME ...] [--peer PYTHON] [--rounds N]

The functions (all, if none is named):

sums     the running sums of 1,000 numbers
rnn      the loss of a recurrent net of 25 steps on vectors, hidden 32, and its gradients
kalman   the log likelihood of a Kalman filter over 100 steps, 4 states
slopes   its gradient by the covariances
lstm     the loss of an LSTM over 50 steps, batches of 16, 32 inputs, 64 units
grads    the same and its gradients
large    the same with batches of 32, 128 inputs and 128 units
power    power iteration on a matrix of 50 rows, until it has converged

Printed are the microseconds of a call. ``--peer`` is an interpreter that has PyTensor: it is
measured in turn with this one, each time in a process of its own, and the ratio of the medians is
printed, peer / ours. PyTensor runs in its default mode. Both compute on one thread, so that the
time of the process is that of a call on a machine that does nothing else.
"""

import importlib
import importlib.util
import json
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from shared.beside_peer import ONE_THREAD, parser_for, ratio, rounds_of

ROOT = Path(__file__).parents[2]


def program(name):
    """Return a module of tests/programs."""
    path = ROOT / "tests" / "programs" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sums(L, T, rng):
    x = T.dvector("x")
    total, _ = L.scan(lambda a, s: a + s, x, T.constant(np.float64(0.0)))
    return L.function([x], total), [rng.normal(size=1000)]


def rnn(L, T, rng):
    x, h, w, u, b = T.dmatrix("x"), T.dvector("h"), T.dmatrix("w"), T.dmatrix("u"), T.dvector("b")
    hs, _ = L.scan(lambda row, h: T.tanh(row @ u + h @ w + b), x, h)
    loss = T.sum(hs[-1] ** 2)
    shapes = [(25, 16), (32,), (32, 32), (16, 32), (32,)]
    f = L.function([x, h, w, u, b], [loss, *L.grad(loss, [w, u, b])])
    return f, [rng.normal(size=s) * 0.3 for s in shapes]


def kalman(L, T, rng):
    module = program("kalman")
    inputs, log_likelihood, _ = module.build(L, T)
    return L.function(inputs, log_likelihood), module.values()


def slopes(L, T, rng):
    module = program("kalman")
    inputs, log_likelihood, _ = module.build(L, T)
    return L.function(inputs, L.grad(log_likelihood, inputs[3:5])), module.values()


def lstm(L, T, rng):
    module = program("lstm")
    inputs, loss, _ = module.build(L, T, 64)
    return L.function(inputs, loss), module.values(16, 32, 64)


def grads(L, T, rng):
    module = program("lstm")
    inputs, loss, found = module.build(L, T, 64)
    return L.function(inputs, [loss, *found]), module.values(16, 32, 64)


def large(L, T, rng):
    module = program("lstm")
    inputs, loss, found = module.build(L, T, 128)
    return L.function(inputs, [loss, *found]), module.values(32, 128, 128)


def power(L, T, rng):
    until = L.until if hasattr(L, "until") else importlib.import_module("pytensor.scan").until
    a, v = T.dmatrix("a"), T.dvector("v")

    def step(v):
        new = a @ v
        new = new / T.sqrt(T.sum(new**2))
        return new, until(T.max(T.abs(new - v)) < 1e-10)

    vs, _ = L.scan(step, outputs_info=v, n_steps=1000)
    a_value = rng.normal(size=(50, 50))
    return L.function([a, v], vs[-1]), [a_value @ a_value.T, np.ones(50)]


FUNCTIONS = {f.__name__: f for f in (sums, rnn, kalman, slopes, lstm, grads, large, power)}


def microseconds(call, seconds=1.0):
    """Return the smallest time of a call that the process has computed, not waited."""
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times) * 1e6


def measure(name, library):
    """Return the microseconds of a call of one function, and the seconds until its first result."""
    warnings.simplefilter("ignore")
    L, T = importlib.import_module(library), importlib.import_module(f"{library}.tensor")
    start = time.perf_counter()
    f, values = FUNCTIONS[name](L, T, np.random.default_rng(0))
    f(*values)
    compiled = time.perf_counter() - start
    for _ in range(3):
        f(*values)
    return microseconds(lambda: f(*values)), compiled


def main():
    options = parser_for(__doc__, FUNCTIONS).parse_args()
    if options.library is not None:
        print(json.dumps(measure(options.names[0], options.library)))
        return
    for name in options.names or FUNCTIONS:
        rounds = rounds_of(__file__, name, options, ONE_THREAD)
        ours, first = (statistics.median(own[i] for own, _ in rounds) for i in range(2))
        line = f"{name:8}{ours:10.1f} µs, first result after {first:5.2f} s{ratio(rounds)}"
        if options.peer is not None:
            line += f", {statistics.median(peer[1] for _, peer in rounds):5.2f} s"
        print(line, flush=True)


if __name__ == "__main__":
    main()
