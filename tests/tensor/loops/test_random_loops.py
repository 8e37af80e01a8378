"""Random steps: a loop beside the same steps written out, with gradients, in every mode."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import relgraph
import relgraph.tensor as at
from relgraph import scan

SIZE = 2
STEPS = 3

UNARY = [at.tanh, at.sin, lambda v: v**2, lambda v: -v, lambda v: v.sum() + v, at.sigmoid]
BINARY = [at.add, at.sub, at.mul, lambda a, b: a @ W + b, lambda a, b: at.outer(a, b)[0]]

X, H, G, W = at.dmatrix("x"), at.dvector("h"), at.dvector("g"), at.dmatrix("w")

choices = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 99), st.integers(0, 99)), min_size=2, max_size=6
)


def step_of(chosen, taps):
    """Return a step of a row and the states, that computes what was chosen."""

    def step(row, *states):
        known = [row, *states, W[0]]
        for kind, i, j in chosen:
            a, b = known[i % len(known)], known[j % len(known)]
            known.append(UNARY[kind](a) if kind < len(UNARY) else BINARY[kind - len(UNARY)](a, b))
        return at.tanh(known[-1]), 0.5 * known[-2]

    return step


def unrolled(step, taps):
    first = [H, G]  # two steps back, one step back
    history, other, outs, others = list(first), H, [], []
    for t in range(STEPS):
        states = [history[len(history) + tap] for tap in taps]
        new, other = step(X[t], *states, other)
        history.append(new)
        outs.append(new)
        others.append(other)
    return at.stack(outs), at.stack(others)


@settings(max_examples=12)
@given(choices, st.sampled_from([[-1], [-2], [-2, -1]]), st.sampled_from(["strict", "o4", "o1"]))
def test_loops_are_what_they_say(chosen, taps, mode) -> None:
    step = step_of(chosen, taps)
    first = G if taps == [-1] else at.stack([H, G])
    looped, _ = scan(step, X, [{"initial": first, "taps": taps}, H])
    values = [
        np.random.default_rng(0).normal(size=shape) * 0.5
        for shape in ((STEPS, SIZE), (SIZE,), (SIZE,), (SIZE, SIZE))
    ]
    inputs = [X, H, G, W]
    found = []
    for outs in (looped, unrolled(step, taps)):
        cost = (outs[0] ** 2).sum() + at.sin(outs[1]).sum()
        grads = relgraph.grad(cost, inputs, disconnected_inputs="ignore")
        second = relgraph.grad(
            sum((g**2).sum() for g in grads), inputs, disconnected_inputs="ignore"
        )
        results = [*outs, *grads, *second]
        reference = relgraph.function(inputs, results, mode="None", on_unused_input="ignore")
        found.append(reference(*values))
        if outs is looped:
            with relgraph.config.change_flags(check_costs=True):
                f = relgraph.function(inputs, results, mode=mode, on_unused_input="ignore")
            for got, wanted in zip(f(*values), found[0], strict=True):
                if mode == "strict":
                    np.testing.assert_array_equal(got, wanted)
                else:
                    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-10)
    for got, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-10)
