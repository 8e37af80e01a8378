"""What JAX computes for the losses of `tests.losses`, rewritten or not, and how far off it is.

A part of them is tried here; ``python -m tests.bridges.jax.test_naive`` tries all, and says which
are right when they are rewritten, and which worse. `NOT_RIGHT` has those that are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from relgraph.bridges import rewrite
from tests.losses import LOSSES
from tests.losses.judge import Error, errors_of
from tests.losses.loss import Loss
from tests.losses.test_losses import NOT_RIGHT as NOT_RIGHT_HERE
from tests.losses.test_losses import truths
from tests.losses.truth import written

NAMES = SimpleNamespace(**{**vars(jax.scipy.special), **vars(jnp)}, sigmoid=jax.nn.sigmoid)
"""The names of `jax.numpy`, `jax.nn` and `jax.scipy` that the losses use."""


@dataclass(frozen=True)
class Outcome:
    """What became of a loss.

    Attributes
    ----------
    name
        The name of the loss.
    naive
        How many of its numbers are wrong as it is written.
    wrong
        Those that are wrong when it is rewritten.
    worse
        Those of them that are further off than without rewriting. Where rounding makes several
        numbers of a point wrong, which of them it hits most is luck: the one that is furthest off
        counts.
    """

    name: str
    naive: int
    wrong: list[Error]
    worse: list[Error]

    @property
    def rescued(self) -> bool:
        """Whether numbers were wrong, and none is any more."""
        return self.naive > 0 and not self.wrong

    def __str__(self) -> str:
        found = "right" if not self.wrong else f"{len(self.wrong)} wrong"
        lines = [f"{self.name}: {self.naive} wrong as written, {found} rewritten"]
        lines += [f"  {error}" for error in self.wrong]
        lines += [f"  worse: {error}" for error in self.worse]
        return "\n".join(lines)


def errors(loss: Loss, truths: list[dict[str, Any]], rewritten: bool) -> list[Error]:
    """Return the errors of what JAX computes for a loss, which is rewritten first or not."""
    given = [np.array(v) for v in loss.given]

    def naive(*inputs: Any) -> Any:
        return loss.formula(NAMES, *given, *inputs)

    fn: Callable[..., Any] = rewrite(naive) if rewritten else naive
    free = tuple(range(loss.fixed, len(loss.points[0])))
    run = jax.jit(jax.value_and_grad(fn, argnums=free))

    def computed(*inputs: Any) -> list[Any]:
        value, slopes = run(*map(jnp.asarray, inputs))
        return [value, *slopes]

    with jax.enable_x64(True):
        # JAX on a CPU takes numbers below the normal ones for zero
        return errors_of(computed, loss, truths, np.finfo(loss.dtype).tiny)


def outcome(loss: Loss, truths: dict[str, list[dict[str, Any]]]) -> Outcome:
    """Return what becomes of a loss, given what is known of all of them."""
    rewritten, naive = (errors(loss, truths[loss.name], way) for way in (True, False))
    return Outcome(
        loss.name,
        sum(not error.right for error in naive),
        [error for error in rewritten if not error.right],
        [a for a, b in zip(rewritten, naive, strict=True) if a.worse_than(_furthest(b, naive))],
    )


def _furthest(error: Error, errors: Sequence[Error]) -> Error:
    """Return an error that is within bounds, or the largest of those of its point that are not."""
    if error.right:
        return error
    point = error.where.partition(",")[0]
    wrong = [e for e in errors if not e.right and e.where.partition(",")[0] == point]
    return max(wrong, key=lambda e: e.size)


# A part of them is tried here in each run; none is worse.


NOT_RIGHT = {
    **NOT_RIGHT_HERE,
    "softmax's first": "the column is taken of its parts before these are known as a softmax",
    "Student's t": "the slope of JAX's gammaln is off by a few units more",
}
BY_NAME = {loss.name: loss for loss in LOSSES}
# Some of every page, in both precisions, and with matrices.
TRIED = (
    *("log sigmoid, single", "focal", "log-sum-exp", "cross-entropy of what is picked"),
    *("Gaussian by a product", "Poisson by powers", "variance by two moments"),
    *("log of a difference of exponentials", "log-determinant"),
)


@pytest.mark.parametrize("name", TRIED)
def test_it_is_right_when_it_is_rewritten(name: str) -> None:
    found = outcome(BY_NAME[name], truths())
    assert found.rescued and not found.worse, str(found)


def test_what_is_not_right_is_no_worse() -> None:
    assert NOT_RIGHT.keys() < BY_NAME.keys()
    found = outcome(BY_NAME["contrastive by sums"], truths())
    assert 0 < len(found.wrong) < found.naive and not found.worse, str(found)


def main() -> None:
    outcomes = [outcome(loss, written()) for loss in LOSSES]
    for found in outcomes:
        print(found)
    wrong = sum(bool(found.wrong) for found in outcomes)
    worse = sum(bool(found.worse) for found in outcomes)
    print(f"{wrong} of {len(outcomes)} wrong, {worse} made worse")


if __name__ == "__main__":
    main()
