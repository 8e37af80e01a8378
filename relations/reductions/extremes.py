"""Greatest and least elements, and where they are; sorted elements.

A monotone function is applied to the one extreme and not to every element. Of 0 and -0 either may
be the extreme, so that most laws here are not exact. What does not depend on the order of sorted
elements is computed without sorting.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from relations.kit import reductions as kit
from relations.kit.choices import EXTREMES as MAXIMUM_AND_MINIMUM
from relations.kit.choices import dual
from relations.kit.guards import has_length_one, includes_axis, nonnegativeo, positiveo
from relations.kit.type_guards import floato, matrixo, vectoro
from relations.kit.vocabulary import Law, finite, law, lvars, rounding
from relations.reductions.reduction import a, c, constant, taken_out, x
from relgraph.graph.kanren import computed, one_ofo, whereo
from relgraph.tensor import CAReduce, Elemwise, argmax, argmin
from relgraph.tensor import max as max_
from relgraph.tensor import min as min_
from relgraph.tensor.along_axes import ArgSort, Sort
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.subtensor import Placeholder, Subtensor

# -- greatest and least elements -------------------------------------------------------------------

b, m, s, t = lvars("b m s t")
v, p = lvars("v", vectoro), lvars("p", matrixo)

f = Elemwise(s, ())
"""A function of one argument, element by element."""

increasing = whereo(kit.is_increasing, s)
decreasing = whereo(kit.is_decreasing, s)
strictly_increasing = whereo(kit.is_strictly_increasing, s)
above_zero = (whereo(kit.is_increasing_above_zero, s), nonnegativeo(x), floato(x))
increasing_or_nan_below = whereo(kit.is_increasing_or_nan_below, s)
"""What is known of `f`; "or nan below" is of the logarithm, which is nan below zero."""


def extreme(v: Any) -> Any:
    """Return the greatest or the least element of `v` along the axes `a`; see `is_extreme`."""
    return CAReduce(m, a)(v)


def other(v: Any) -> Any:
    """Return the least element of `v` along the axes `a` where `extreme` is the greatest one, and
    the other way round."""
    return CAReduce(computed(dual, m), a)(v)


is_extreme = one_ofo(m, MAXIMUM_AND_MINIMUM)


negative = whereo(kit.is_negative_everywhere, c)


def shifted(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about a term or a factor `c` of floating-point numbers; integers wrap around."""
    return finite(name, lhs, rhs, *conditions, floato(x), constant)


cut = Elemwise(t, ())
"""The maximum or the minimum of two, which cuts elements off below or above a `c`."""
cuts = one_ofo(t, MAXIMUM_AND_MINIMUM)


def place(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: str = "stable") -> Law:
    """Return a law about the position of an extreme; on the left rounding may make it tie."""
    return law(name, lhs, rhs, floato(x), *conditions, sound=sound, mixed=True)


at_place = Subtensor((Placeholder.INTEGER,))
"""Indexing by an integer variable: ``at_place(x, i)`` is ``x[i]``."""


EXTREMES = (
    rounding("extreme-increasing", extreme(f(x)), f(extreme(x)), is_extreme, increasing),
    rounding("extreme-decreasing", extreme(f(x)), f(other(x)), decreasing, is_extreme),
    rounding("extreme-above-zero", extreme(f(x)), f(extreme(x)), is_extreme, *above_zero),
    rounding("min-nan-below", min_(f(x), axis=a), f(min_(x, axis=a)), increasing_or_nan_below),
    rounding("extreme-neg", extreme(-x), -other(x), is_extreme, floato(x)),
    shifted("extreme-add", extreme(x + c), extreme(x) + taken_out, is_extreme),
    shifted("extreme-sub", extreme(x - c), extreme(x) - taken_out, is_extreme),
    shifted("extreme-of-rest", extreme(c - x), taken_out - other(x), is_extreme),
    shifted("extreme-mul", extreme(c * x), taken_out * extreme(x), is_extreme, positiveo(c)),
    shifted("extreme-mul-negative", extreme(c * x), taken_out * other(x), is_extreme, negative),
    shifted("extreme-div", extreme(x / c), extreme(x) / taken_out, is_extreme, positiveo(c)),
    rounding(
        "extreme-of-cut", extreme(cut(x, c)), cut(extreme(x), taken_out), is_extreme, cuts, constant
    ),
    place("argmax-increasing", argmax(f(x), axis=a), argmax(x, axis=a), strictly_increasing),
    place("argmin-increasing", argmin(f(x), axis=a), argmin(x, axis=a), strictly_increasing),
    place("argmax-decreasing", argmax(f(x), axis=a), argmin(x, axis=a), decreasing),
    place("argmin-decreasing", argmin(f(x), axis=a), argmax(x, axis=a), decreasing),
    place("argmax-neg", argmax(-x, axis=a), argmin(x, axis=a), sound="exact"),
    place("argmin-neg", argmin(-x, axis=a), argmax(x, axis=a), sound="exact"),
    rounding("element-at-argmax", at_place(v, argmax(v, axis=a)), max_(v), mixed=True),
    rounding("element-at-argmin", at_place(v, argmin(v, axis=a)), min_(v), mixed=True),
)


# -- sorted elements -------------------------------------------------------------------------------

sorting_law, sorting_rounding = partial(law, mixed=True), partial(rounding, mixed=True)
"""Laws for tensors of any real dtype."""


last = Subtensor((-1,))
taken_by_positions = AdvancedSubtensor((Placeholder.ARRAY,))
"""Indexing by one array: ``taken(x, positions)`` is ``x[positions]``."""

ORDER = (
    sorting_law("sort-twice", Sort(a)(Sort(a)(x)), Sort(a)(x)),
    sorting_law("sort-one", Sort(a)(x), x, whereo(has_length_one, x, a)),
    sorting_law("sort-by-argsort", taken_by_positions(v, ArgSort(0)(v)), Sort(0)(v)),
    sorting_rounding(
        "reduce-of-sort", CAReduce(s, b)(Sort(a)(x)), CAReduce(s, b)(x), whereo(includes_axis, b, a)
    ),
    sorting_rounding("greatest-of-sort", last(Sort(0)(p)), max_(p, axis=0)),
    sorting_rounding("greatest-of-sorted-vector", last(Sort(0)(v)), max_(v)),
)
