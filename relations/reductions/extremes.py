"""Greatest and least elements, and where they are; sorted elements.

A monotone function is applied to the one extreme and not to every element. Of 0 and -0 either may
be the extreme, so that most laws here are not exact. What does not depend on the order of sorted
elements is computed without sorting.
"""

from __future__ import annotations

from typing import Any

from relations.kit import reductions as kit
from relations.kit.choices import dual
from relations.kit.guards import has_length_one, includes_axis, nonnegativeo, positiveo
from relations.kit.numbers import is_extreme as is_maximum_or_minimum
from relations.kit.type_guards import floato, matrixo, ranko, vectoro
from relations.kit.vocabulary import Law, finite, law, lvars, rounding
from relations.reductions.reduction import a, c, constant, without_axes, x
from relgraph.graph.kanren import computed, whereo
from relgraph.tensor import CAReduce, Elemwise, argmax, argmin
from relgraph.tensor import max as max_
from relgraph.tensor import min as min_
from relgraph.tensor.along_axes import ArgSort, Sort
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.subtensor import Placeholder, Subtensor

# -- greatest and least elements -------------------------------------------------------------------

m, s, t = lvars("m s t")

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


is_extreme = whereo(is_maximum_or_minimum, m)


def least(v: Any) -> Any:
    """Return the least element of `v` along the axes `a`."""
    return min_(v, axis=a)


negative = whereo(kit.is_negative_everywhere, c)


def shifted(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about a term or a factor `c` of floating-point numbers; integers wrap around."""
    return finite(name, lhs, rhs, *conditions, floato(x), constant)


cut = Elemwise(t, ())
"""The maximum or the minimum of two, which cuts elements off below or above a `c`."""
cuts = whereo(is_maximum_or_minimum, t)


def place(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: str = "stable") -> Law:
    """Return a law about the position of an extreme; on the left rounding may make it tie."""
    return law(name, lhs, rhs, floato(x), *conditions, sound=sound, mixed=True)


at_place = Subtensor((Placeholder.INTEGER,))
"""Indexing by an integer variable: ``at_place(x, i)`` is ``x[i]``."""


def taken(name: str, lhs: Any, rhs: Any) -> Law:
    """Return a law about the element of a vector at the position of its extreme."""
    return rounding(name, lhs, rhs, ranko(x, 1), mixed=True)


EXTREMES = (
    rounding("extreme-increasing", extreme(f(x)), f(extreme(x)), is_extreme, increasing),
    rounding("extreme-decreasing", extreme(f(x)), f(other(x)), decreasing, is_extreme),
    rounding("extreme-above-zero", extreme(f(x)), f(extreme(x)), is_extreme, *above_zero),
    rounding("min-nan-below", least(f(x)), f(least(x)), increasing_or_nan_below),
    rounding("extreme-neg", extreme(-x), -other(x), is_extreme, floato(x)),
    shifted("extreme-add", extreme(x + c), extreme(x) + without_axes(c), is_extreme),
    shifted("extreme-sub", extreme(x - c), extreme(x) - without_axes(c), is_extreme),
    shifted("extreme-of-rest", extreme(c - x), without_axes(c) - other(x), is_extreme),
    shifted("extreme-mul", extreme(c * x), without_axes(c) * extreme(x), is_extreme, positiveo(c)),
    shifted(
        "extreme-mul-negative", extreme(c * x), without_axes(c) * other(x), is_extreme, negative
    ),
    shifted("extreme-div", extreme(x / c), extreme(x) / without_axes(c), is_extreme, positiveo(c)),
    rounding(
        "extreme-of-cut",
        extreme(cut(x, c)),
        cut(extreme(x), without_axes(c)),
        is_extreme,
        cuts,
        constant,
    ),
    place("argmax-increasing", argmax(f(x), axis=a), argmax(x, axis=a), strictly_increasing),
    place("argmin-increasing", argmin(f(x), axis=a), argmin(x, axis=a), strictly_increasing),
    place("argmax-decreasing", argmax(f(x), axis=a), argmin(x, axis=a), decreasing),
    place("argmin-decreasing", argmin(f(x), axis=a), argmax(x, axis=a), decreasing),
    place("argmax-neg", argmax(-x, axis=a), argmin(x, axis=a), sound="exact"),
    place("argmin-neg", argmin(-x, axis=a), argmax(x, axis=a), sound="exact"),
    taken("element-at-argmax", at_place(x, argmax(x, axis=a)), max_(x)),
    taken("element-at-argmin", at_place(x, argmin(x, axis=a)), min_(x)),
)


# -- sorted elements -------------------------------------------------------------------------------

b, v, p = lvars("b"), lvars("v", vectoro), lvars("p", matrixo)


def sorting_law(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: str = "exact") -> Law:
    """Return a law for tensors of any real dtype."""
    return law(name, lhs, rhs, *conditions, sound=sound, mixed=True)


def last(v: Any) -> Any:
    """Return ``v[-1]``."""
    return Subtensor((-1,))(v)


taken_by_positions = AdvancedSubtensor((Placeholder.ARRAY,))
"""Indexing by one array: ``taken(x, positions)`` is ``x[positions]``."""

ORDER = (
    sorting_law("sort-twice", Sort(a)(Sort(a)(x)), Sort(a)(x)),
    sorting_law("sort-one", Sort(a)(x), x, whereo(has_length_one, x, a)),
    sorting_law("sort-by-argsort", taken_by_positions(v, ArgSort(0)(v)), Sort(0)(v)),
    sorting_law(
        "reduce-of-sort",
        CAReduce(s, b)(Sort(a)(x)),
        CAReduce(s, b)(x),
        whereo(includes_axis, b, a),
        sound="rounding",
    ),
    sorting_law("greatest-of-sort", last(Sort(0)(p)), max_(p, axis=0), sound="rounding"),
    sorting_law("greatest-of-sorted-vector", last(Sort(0)(v)), max_(v), sound="rounding"),
)
