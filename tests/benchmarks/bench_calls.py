"""How long calls of functions of small arrays, of loops and of programs take, here and in PyTensor.

    python tests/benchmarks/bench_calls.py [NAME ...] [--peer PYTHON] [--rounds N] [--cpu]

The functions (those of small arrays, if none is named):

scalar   ``s * 2 + 1`` of a Python float
shared   a sum of a shared variable, which the call updates
rnn      the loss of a recurrent net of 25 steps on vectors, hidden 32, and its gradients
batch    the same net on batches of 8
many     400 operations on vectors of length 8
step     a training step of a net of four layers, on 256 rows

and loops:

sums     the running sums of 1,000 numbers
loop     the recurrent net on vectors as a loop
kalman   the log likelihood of a Kalman filter over 100 steps, 4 states
slopes   its gradient by the covariances
lstm     the loss of an LSTM over 50 steps, batches of 16, 32 inputs, 64 units
grads    the same and its gradients
large    the same with batches of 32, 128 inputs and 128 units
power    power iteration on a matrix of 50 rows, until it has converged

and the programs of `tests/programs` at their full size:

logistic  the loss and gradient of a logistic regression on 100,000 x 10,000 sparse features
gaussian  the log marginal likelihood of a Gaussian process of 500 points, and its gradient
dropout   a training step of a net of 784 - 512 - 10 units with dropout, on 256 rows

Printed are the microseconds of a call, and the seconds until the first result. Results of programs
are compared with what NumPy and SciPy give by hand (that of `dropout` in a test, on the same random
numbers), and their time is printed too. ``--peer`` is an interpreter that has PyTensor: it is
measured in turn with this one, each time in a process of its own, in its default mode, and the
median of the ratios is printed, peer / ours. With ``--cpu`` everything is computed on one thread
and the time is that of the processor, which is the same on a machine that does other things too.
"""

import statistics
import warnings
from functools import partial

import numpy as np
from shared.beside_peer import answered, parser_for, ratio, rounds_of
from shared.workloads import CALLS, LOOPS, PROGRAMS, first_call, seconds

FUNCTIONS = {**CALLS, **LOOPS, **PROGRAMS}


def measure(name, library, clock):
    """Return the microseconds of a call of one function, the seconds until its first result, and
    the microseconds of a program by hand."""
    warnings.simplefilter("ignore")
    call, work, first = first_call(FUNCTIONS[name], library)
    for _ in range(3):
        call()
    found = [seconds(call, 1.0, clock) * 1e6, first]
    if name in PROGRAMS:
        if name != "dropout":
            for one, two in zip(call(), work.by_hand(), strict=True):
                np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-9)
        found.append(seconds(work.by_hand, 1.0, clock) * 1e6)
    return found


def main():
    options = parser_for(__doc__, FUNCTIONS, cpu=True).parse_args()
    if answered(options, partial(measure, clock=options.clock)):
        return
    for name in options.names or CALLS:
        rounds = rounds_of(__file__, name, options)
        ours, first, *hand = map(statistics.median, zip(*[own for own, _ in rounds], strict=True))
        line = f"{name:8}{ours:10.1f} µs, first result after {first:5.2f} s{ratio(rounds)}"
        if options.peer is not None:
            line += f", {statistics.median(peer[1] for _, peer in rounds):5.2f} s"
        if hand:
            line += f", by hand {hand[0]:10.1f} µs"
        print(line, flush=True)


if __name__ == "__main__":
    main()
