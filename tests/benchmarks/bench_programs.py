"""How long the programs of `tests/programs` take at their full size, here and in PyTensor.

    python tests/benchmarks/bench_programs.py [NAME ...] [--peer PYTHON] [--rounds N] [--cpu]

The programs (all, if none is named):

logistic   the loss and gradient of a logistic regression on 100,000 x 10,000 sparse features
gaussian   the log marginal likelihood of a Gaussian process of 500 points, and its gradient
dropout    a training step of a net of 784 - 512 - 10 units with dropout, on 256 rows

Each result is compared with what NumPy and SciPy give by hand (that of `dropout` in a test, on the
same random numbers), and their time is printed too. ``--peer`` is an interpreter that has PyTensor:
it is measured in turn with this one, each time in a process of its own, in its default mode, and
the median of the ratios is printed, peer / ours. With ``--cpu`` everything runs on one thread, and
the time is that of the processor: it is the same on a machine that does other things too.
"""

import importlib
import statistics
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from shared.beside_peer import answered, parser_for, ratio, rounds_of
from shared.workloads import seconds

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.programs import dropout as dropout_net  # noqa: E402
from tests.programs import gaussian_process, sparse_logistic  # noqa: E402


def logistic(library, tensor):
    values = sparse_logistic.data(**sparse_logistic.FULL_SIZE)
    sparse = importlib.import_module(f"{library.__name__}.sparse")
    function = sparse_logistic.loss_and_gradient(library, tensor, sparse)
    return lambda: function(*values), lambda: sparse_logistic.by_hand(*values)


def gaussian(library, tensor):
    values = gaussian_process.data(**gaussian_process.FULL_SIZE)
    importlib.import_module(f"{library.__name__}.tensor.linalg")
    function = gaussian_process.likelihood_and_gradient(library, tensor)
    return lambda: function(*values), lambda: gaussian_process.by_hand(*values)


def dropout(library, tensor):
    batch, targets, weights = dropout_net.data(**dropout_net.FULL_SIZE)
    step, _ = dropout_net.training_step(library, tensor, _stream(library), weights)
    draw = np.random.default_rng(0).random
    return lambda: step(batch, targets), lambda: dropout_net.by_hand(batch, targets, weights, draw)


def _stream(library):
    """Return a source of random numbers, which PyTensor has in another module."""
    random = importlib.import_module(f"{library.__name__}.tensor.random")
    if hasattr(random, "RandomStream"):
        return random.RandomStream(0)
    return importlib.import_module(f"{library.__name__}.tensor.random.utils").RandomStream(0)


PROGRAMS = {f.__name__: f for f in (logistic, gaussian, dropout)}


def measure(name, library, clock):
    """Return the time of a call in milliseconds, that by hand, and the time to compile."""
    loaded = importlib.import_module(library)
    tensor = importlib.import_module(f"{library}.tensor")
    start = time.perf_counter()
    call, by_hand = PROGRAMS[name](loaded, tensor)
    found = call()
    compile_seconds = time.perf_counter() - start
    if name != "dropout":
        for one, two in zip(found, by_hand(), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-9)
    ours, hand = (seconds(one, 2.0, clock) * 1e3 for one in (call, by_hand))
    return ours, hand, compile_seconds


def main():
    options = parser_for(__doc__, PROGRAMS, cpu=True).parse_args()
    if answered(options, partial(measure, clock=options.clock)):
        return
    for name in options.names or PROGRAMS:
        rounds = rounds_of(__file__, name, options)
        ours, by_hand, first = (statistics.median(r[0][i] for r in rounds) for i in range(3))
        line = f"{name:10}{ours:9.2f} ms   by hand {by_hand:8.2f} ms   compiled in {first:5.2f} s"
        print(f"{line}{ratio(rounds)}", flush=True)


if __name__ == "__main__":
    main()
