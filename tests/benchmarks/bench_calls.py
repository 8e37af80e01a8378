"""How long calls of functions of small arrays and of loops take, here and in PyTensor.

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

Printed are the microseconds of a call, and the seconds until the first result. ``--peer`` is an
interpreter that has PyTensor: it is measured in turn with this one, each time in a process of its
own, in its default mode, and the median of the ratios is printed, peer / ours. With ``--cpu`` both
compute on one thread and the time is that of the processor, which is the same on a machine that
does other things too.
"""

import statistics
import warnings
from functools import partial

from shared.beside_peer import answered, parser_for, ratio, rounds_of
from shared.workloads import CALLS, LOOPS, first_call, seconds

FUNCTIONS = {**CALLS, **LOOPS}


def measure(name, library, clock):
    """Return the microseconds of a call of one function, and the seconds until its first result."""
    warnings.simplefilter("ignore")
    call, _, first = first_call(FUNCTIONS[name], library)
    for _ in range(3):
        call()
    return seconds(call, 1.0, clock) * 1e6, first


def main():
    options = parser_for(__doc__, FUNCTIONS, cpu=True).parse_args()
    if answered(options, partial(measure, clock=options.clock)):
        return
    for name in options.names or CALLS:
        rounds = rounds_of(__file__, name, options)
        ours, first = (statistics.median(own[i] for own, _ in rounds) for i in range(2))
        line = f"{name:8}{ours:10.1f} µs, first result after {first:5.2f} s{ratio(rounds)}"
        if options.peer is not None:
            line += f", {statistics.median(peer[1] for _, peer in rounds):5.2f} s"
        print(line, flush=True)


if __name__ == "__main__":
    main()
