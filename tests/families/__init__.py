"""Families of graphs: one shape each, at any size, forward and with its gradient.

A benchmark shows one shape. What is claimed of every graph is claimed of these: chains, values read
twice, ladders, sums of sums, models and recurrences as people write them. ``FAMILIES`` is a table;
a builder takes the tensor module of a library (relgraph's or a peer's) and about how many nodes the
graph should have, and gives the inputs and the output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.families import algorithms, models, recurrences, shapes


class Family(NamedTuple):
    """One shape of graphs.

    Attributes
    ----------
    build
        From a tensor module and a number of nodes to the inputs and the output.
    differentiable
        Whether the output has a gradient by the inputs.
    """

    name: str
    build: Callable[[Any, int], tuple[list[Any], Any]]
    differentiable: bool = True


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("chain", shapes.chain),
        Family("diamonds", shapes.diamonds),
        Family("doubling", shapes.doubling),
        Family("ladder", shapes.ladder),
        Family("crossed ladder", shapes.crossed_ladder),
        Family("fan", shapes.fan),
        Family("fan of a chain", shapes.fan_of_chain),
        Family("comb", shapes.comb),
        Family("grid", shapes.grid),
        Family("wide sum", shapes.wide_sum),
        Family("wide product", shapes.wide_product),
        Family("fibonacci sums", shapes.fibonacci_sums),
        Family("fibonacci products", shapes.fibonacci_products),
        Family("prefix sums", shapes.prefix_sums),
        Family("prefix products", shapes.prefix_products),
        Family("transposed sums", shapes.transposed_sums),
        Family("reduced products", shapes.reduced_products),
        Family("nested where", shapes.nested_where),
        Family("balanced tree", shapes.balanced_tree),
        Family("left tree", shapes.left_tree),
        Family("sparse sharing", shapes.sparse_sharing),
        Family("dense sharing", shapes.dense_sharing),
        Family("reversed exponentials", shapes.reversed_exponentials),
        Family("shares", shapes.shares),
        Family("squares", shapes.squares),
        Family("increments", shapes.increments),
        Family("six ops", shapes.six_ops),
        Family("dense net", models.dense_net),
        Family("residual net", models.residual_net),
        Family("recurrent net", models.recurrent_net),
        Family("recurrence by scalars", models.recurrence_by_scalars),
        Family("gated recurrent net", models.gated_recurrent_net),
        Family("attention", models.attention),
        Family("gradient descent", models.gradient_descent),
        Family("adam", models.adam),
        Family("moving averages", models.moving_averages),
        Family("predator and prey", algorithms.predator_and_prey),
        Family("pendulum", algorithms.pendulum),
        Family("runge-kutta", algorithms.runge_kutta),
        Family("logistic map", algorithms.logistic_map),
        Family("horner", algorithms.horner),
        Family("clenshaw", algorithms.clenshaw),
        Family("finite differences", algorithms.finite_differences),
        Family("edit distance", algorithms.edit_distance),
        Family("forward algorithm", algorithms.forward_algorithm),
        Family("fourier transform", algorithms.fourier_transform),
        Family("cholesky", algorithms.cholesky),
        Family("exponential recurrence", recurrences.exponential_recurrence),
        Family("exponential average", recurrences.exponential_average),
        Family("leaky cell", recurrences.leaky_cell),
        Family("logistic map of vectors", recurrences.logistic_map_of_vectors),
        Family("competing species", recurrences.competing_species),
        Family("horner of vectors", recurrences.horner_of_vectors),
        Family("power series", recurrences.power_series),
        Family("taylor series", recurrences.taylor_series),
        Family("legendre polynomials", recurrences.legendre_polynomials),
        Family("newton root", recurrences.newton_root),
        Family("continued fraction", recurrences.continued_fraction),
        Family("means of two", recurrences.means_of_two),
        Family("momentum", recurrences.momentum),
        Family("volatility", recurrences.volatility),
        Family("scalar filter", recurrences.scalar_filter),
        Family("oscillator", recurrences.oscillator),
        Family("discounted returns", recurrences.discounted_returns),
        Family("gated sums", recurrences.gated_sums),
    )
}


def value_and_gradient(family: Family, T: Any, grad: Callable[..., Any], size: int) -> list[Any]:
    """Return the output of a graph of the family and its gradient by each of the inputs.

    Parameters
    ----------
    grad
        The library's own.
    """
    inputs, out = family.build(T, size)
    cost = out if out.type.ndim == 0 else T.sum(out)
    return [out, *grad(cost, inputs)]
