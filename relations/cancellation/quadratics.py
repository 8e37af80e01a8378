"""Roots of quadratics and of sums of squares.

Of ``-b + sqrt(b**2 - y)`` and ``b + sqrt(b**2 - y)`` one cancels, depending on the sign of `b`; the
other one divides the constant term.

Hamming, Numerical Methods for Scientists and Engineers (1986), ch. 3.2; Kahan, On the Cost of
Floating-Point Computation Without Extra-Precise Arithmetic (2004); Higham, Accuracy and Stability
of Numerical Algorithms (2002), 1.8 and 27.8.
"""

from __future__ import annotations

from typing import Any

from relgraph.tensor import gt, lt, sqrt, switch
from relgraph.tensor.lawkit.guards.numbers import no_zeroo
from relgraph.tensor.lawkit.spellings import Square, in_each_spelling
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

x, y = lvars("x y")


def late(name: str, lhs: Any, rhs: Any) -> Law:
    """Return a law that waits for others: ``log(x + sqrt(1 + x**2))`` is an arcsinh, and sees to
    its sum itself. Of ``sqrt(x**2 + 0)`` there is nothing to gain."""
    return law(name, lhs, rhs, no_zeroo(y), sound="stable", tags=("late",))


def with_constant_term(ending: str, root: Any, y: Any) -> tuple[Law, ...]:
    """Return the laws about `root`, of the square of `x` and of `y`, beside `x`."""
    # of infinities and zeros there is no such quotient, nor anything to be gained
    above, below = gt(x / root, 0.5), lt(x / root, -0.5)
    # of what is chosen, so that no law here matches what another leaves
    less = y / switch(above, root + switch(above, x, 0), 1)
    more = y / switch(below, root - switch(below, x, 0), 1)
    not_above, not_below = switch(above, 0, x), switch(below, 0, x)
    root_less = switch(above, less, root - not_above)
    return (
        late(f"root-less{ending}", root - x, root_less),
        late(f"neg-and-root{ending}", -x + root, root_less),
        late(f"root-more{ending}", root + x, switch(below, more, root + not_below)),
        late(f"neg-less-root{ending}", -x - root, switch(below, -more, -not_below - root)),
    )


def of_quadratics(ending: str, square: Square) -> tuple[Law, ...]:
    """Return the laws about roots of quadratics, with squares that are written with `square`."""
    return (
        *with_constant_term(ending, sqrt(square(x) + y), y),
        *with_constant_term(f"-of-difference{ending}", sqrt(square(x) - y), -y),
    )


QUADRATICS = in_each_spelling(of_quadratics)
