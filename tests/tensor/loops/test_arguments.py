"""What `scan` answers to wrong arguments: which one is at fault, and what was expected."""

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import scan, until

x = at.fvector("x")


@pytest.mark.parametrize(
    ("build", "kind", "message"),
    [
        (
            lambda: scan(lambda a, s: s + a, x, at.constant(np.int8(0))),
            TypeError,
            r"output 0 changes its dtype: .*int8.*float32.*; cast one of them",
        ),
        (
            lambda: scan(lambda a, s: at.stack([s, a]), x, at.constant(np.float32(0))),
            TypeError,
            "output 0 changes its rank",
        ),
        (
            lambda: scan(lambda s: at.concatenate([s, s]), None, at.zeros((3,)), n_steps=2),
            TypeError,
            r"output 0 changes its shape: .*\(3,\).*\(6,\)",
        ),
        (lambda: scan(lambda: x), ValueError, "neither a sequence nor n_steps"),
        (lambda: scan(lambda a: (a, a), x, [None]), ValueError, "2 outputs.*is for 1"),
        (lambda: scan(lambda a: a, at.dscalar("q")), TypeError, "sequence 0, q, is a .*axis"),
        (lambda: scan(lambda a: a, "x"), TypeError, "scan: sequence 0: "),
        (lambda: scan(lambda a: "x", x), TypeError, "output 0 of the step: "),
        (lambda: scan(lambda a: a, x, n_steps=1.5), TypeError, "n_steps is a .*integer of rank 0"),
        (lambda: scan(lambda a: a, x, n_steps=-1), ValueError, "n_steps is -1; wanted is 0"),
        (lambda: scan(lambda a: a, {"input": x, "tap": 0}), ValueError, "keys 'input', 'tap'"),
        (lambda: scan(lambda a: a, {"input": x, "taps": ["b"]}), TypeError, "wanted are integers"),
        (
            lambda: scan(lambda a, s: s, x, {"initial": x, "taps": [1]}),
            ValueError,
            r"outputs_info\[0\] has the taps \[1\]",
        ),
        (
            lambda: scan(lambda a, s: s, x, {"initial": at.fscalar("q"), "taps": [-2]}),
            TypeError,
            "a row for each of the steps before the first",
        ),
        (
            lambda: scan(lambda a, s: s, x, {"initial": np.zeros(1), "taps": [-2]}),
            ValueError,
            "has 1 initial rows; .* need 2",
        ),
        (
            lambda: scan(lambda a: a * at.dscalar("k"), x, strict=True),
            ValueError,
            "uses k .*not among non_sequences",
        ),
        (lambda: scan(lambda a: (a, until(x)), x), TypeError, "until: the condition is a "),
        (lambda: scan(lambda a: a, x, truncate_gradient=0), ValueError, "truncate_gradient is 0"),
        (
            lambda: scan(lambda a: {relgraph.shared(0): a}, x),
            TypeError,
            "scan: the update of",
        ),
    ],
)
def test_wrong_arguments(build, kind, message) -> None:
    with pytest.raises(kind, match=message):
        build()


@pytest.mark.parametrize("mode", ["None", "strict", "o4"])
def test_wrong_values(mode: str) -> None:
    n, s = at.lscalar("n"), at.dvector("s")
    f = relgraph.function([x, n], scan(lambda a, s: s + a, x, 0, n_steps=n)[0], mode=mode)
    with pytest.raises(ValueError, match="the number of steps is -1; wanted is 0 or more"):
        f([1, 2], -1)
    with pytest.raises(ValueError, match="sequence 0 has 2 rows, and 3 steps are to be made"):
        f([1, 2], 3)
    growing, _ = scan(lambda s: at.concatenate([s, s]), None, s, n_steps=2)
    with pytest.raises(ValueError, match=r"state 0 has shape \(3,\) before a step and \(6,\)"):
        relgraph.function([s], growing, mode=mode)(np.zeros(3))
    k = at.lvector("k")
    ragged, _ = scan(lambda i: at.arange(i), k)
    with pytest.raises(ValueError, match=r"as 0 has shape \(1,\) in one step and \(2,\)"):
        relgraph.function([k], ragged, mode=mode)([1, 2])


@pytest.mark.parametrize("mode", ["None", "o4"])
def test_rows_that_are_missing_are_missed_by_what_leaves_the_loop(mode: str) -> None:
    n = at.lscalar("n")
    f = relgraph.function([x, n], scan(lambda a: a * 2, x, n_steps=n)[0], mode=mode)
    for wrong in (-1, 3):
        with pytest.raises((ValueError, AssertionError), match=r"the number of steps|rows"):
            f([1, 2], wrong)


def test_an_error_names_the_node_of_the_step() -> None:
    s, w = at.dvector("s"), at.dmatrix("w")
    out, _ = scan(lambda s: at.tanh(w @ s), None, s, n_steps=3)
    with pytest.raises(ValueError, match="shape") as caught:
        relgraph.function([s, w], out)(np.zeros(3), np.zeros((3, 4)))
    assert any("while computing this node" in note for note in caught.value.__notes__)
