"""The functions that draw: each takes a generator, and returns the next generator and a draw.

Their parameters are those of the methods of `numpy.random.Generator`, in the same order, and so are
the numbers that they draw.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.unify import nth
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import check_dtype, is_discrete
from relgraph.tensor.assembly.creation import arange
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.functions import getitem, take
from relgraph.tensor.random.distribution import REQUIRED, Distribution
from relgraph.tensor.random.distributions import CHOICE, DISTRIBUTIONS, WEIGHTED_CHOICE
from relgraph.tensor.random.permutations import Permutation, Permuted
from relgraph.tensor.random.random_op import RandomOp
from relgraph.tensor.random.random_variable import RandomVariable
from relgraph.tensor.shapes.reshaping import flatten, reshape
from relgraph.tensor.shapes.shape import as_shape_vector, lengths, shape_i
from relgraph.tensor.shapes.shape import size as size_of

Drawn = tuple[Any, Any]
"""The next generator, and a draw."""


def drawn_by(op: RandomOp, *inputs: Any) -> Drawn:
    """Return the next generator and the draw of a node; as terms, if an input is one."""
    made = op(*inputs, return_list=True)
    return (nth(0, made), made) if isinstance(made, LogicTerm) else (made[0], made[1])


def draw(
    distribution: Distribution, rng: Any, parameters: list[Any], size: Any, dtype: Any, options: Any
) -> Drawn:
    """Return the next generator and a draw from a distribution.

    Parameters
    ----------
    distribution
        The distribution.
    rng
        A variable of generators.
    parameters
        Its parameters.
    size
        The shape of the draw in front of the axes that one draw has: an integer, a sequence of
        integers and integer variables, or a vector of known length. None for the shape of the
        parameters, broadcast.
    dtype
        The dtype of the draw; None for that of the distribution.
    options
        The options of the distribution, by name.
    """
    dtype = check_dtype(distribution.dtype if dtype is None else dtype)
    op = RandomVariable(distribution, size is not None, dtype, tuple(options.items()))
    shape = [] if size is None else [_size_vector(size, distribution.name)]
    return drawn_by(op, rng, *shape, *parameters)


def _size_vector(size: Any, what: str) -> Any:
    if isinstance(size, LogicTerm):
        return size
    if isinstance(size, Variable) and not is_discrete(size.type.dtype):
        raise TypeError(f"{what}: size is a {size.type}, and integers are wanted")
    return as_shape_vector(size, f"{what}: size")


def drawing_from(distribution: Distribution) -> Callable[..., Drawn]:
    """Return the function that draws from a distribution: ``draws(rng, ..., size=None)``."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    signature = Signature(
        [
            Parameter("rng", kind),
            *[
                Parameter(p.name, kind)
                if p.default is REQUIRED
                else Parameter(p.name, kind, default=p.default)
                for p in distribution.parameters
            ],
            Parameter("size", kind, default=None),
            Parameter("dtype", kind, default=None),
            *[
                Parameter(name, Parameter.KEYWORD_ONLY, default=value)
                for name, value in distribution.options
            ],
        ]
    )
    names = [p.name for p in distribution.parameters]
    options = [name for name, _ in distribution.options]

    def draws(*args: Any, **kwargs: Any) -> Drawn:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{distribution.name}{signature}: {error}") from None
        bound.apply_defaults()
        given = bound.arguments
        return draw(
            distribution,
            given["rng"],
            [given[name] for name in names],
            given["size"],
            given["dtype"],
            {name: given[name] for name in options},
        )

    draws.__name__ = draws.__qualname__ = distribution.name
    draws.__doc__ = _description(distribution)
    draws.__signature__ = signature  # type: ignore[attr-defined]
    return draws


def _description(distribution: Distribution) -> str:
    """Return the docstring of the function that draws from a distribution."""
    names = [p.name for p in distribution.parameters]
    home = "numpy.random.Generator" if hasattr(np.random.Generator, distribution.name) else ""
    of_numpy = f"\n    They are those of ``{home}.{distribution.name}``." if home else ""
    options = [name for name, _ in distribution.options]
    sections = [
        ("rng", "The generator, as a variable."),
        (", ".join(names), f"Tensors with these axes: ``{distribution.signature}``.{of_numpy}"),
        ("size", "The shape of the draw in front of the axes that one draw has."),
        ("dtype", f"The dtype of the draw, by default {distribution.dtype}."),
        (", ".join(options), "As in NumPy."),
    ]
    described = "\n".join([f"{name}\n    {text}" for name, text in sections if name])
    return (
        f"Return the next generator, and a draw from the distribution `{distribution.name}`.\n\n"
        f"Parameters\n----------\n{described}\n"
    )


bernoulli = drawing_from(DISTRIBUTIONS["bernoulli"])
beta = drawing_from(DISTRIBUTIONS["beta"])
binomial = drawing_from(DISTRIBUTIONS["binomial"])
categorical = drawing_from(DISTRIBUTIONS["categorical"])
cauchy = drawing_from(DISTRIBUTIONS["cauchy"])
chisquare = drawing_from(DISTRIBUTIONS["chisquare"])
dirichlet = drawing_from(DISTRIBUTIONS["dirichlet"])
exponential = drawing_from(DISTRIBUTIONS["exponential"])
f = drawing_from(DISTRIBUTIONS["f"])
gamma = drawing_from(DISTRIBUTIONS["gamma"])
geometric = drawing_from(DISTRIBUTIONS["geometric"])
gumbel = drawing_from(DISTRIBUTIONS["gumbel"])
halfcauchy = drawing_from(DISTRIBUTIONS["halfcauchy"])
halfnormal = drawing_from(DISTRIBUTIONS["halfnormal"])
hypergeometric = drawing_from(DISTRIBUTIONS["hypergeometric"])
invgamma = drawing_from(DISTRIBUTIONS["invgamma"])
laplace = drawing_from(DISTRIBUTIONS["laplace"])
logistic = drawing_from(DISTRIBUTIONS["logistic"])
lognormal = drawing_from(DISTRIBUTIONS["lognormal"])
logseries = drawing_from(DISTRIBUTIONS["logseries"])
multinomial = drawing_from(DISTRIBUTIONS["multinomial"])
multivariate_hypergeometric = drawing_from(DISTRIBUTIONS["multivariate_hypergeometric"])
multivariate_normal = drawing_from(DISTRIBUTIONS["multivariate_normal"])
negative_binomial = drawing_from(DISTRIBUTIONS["negative_binomial"])
noncentral_chisquare = drawing_from(DISTRIBUTIONS["noncentral_chisquare"])
noncentral_f = drawing_from(DISTRIBUTIONS["noncentral_f"])
normal = drawing_from(DISTRIBUTIONS["normal"])
pareto = drawing_from(DISTRIBUTIONS["pareto"])
poisson = drawing_from(DISTRIBUTIONS["poisson"])
power = drawing_from(DISTRIBUTIONS["power"])
random = drawing_from(DISTRIBUTIONS["random"])
rayleigh = drawing_from(DISTRIBUTIONS["rayleigh"])
standard_cauchy = drawing_from(DISTRIBUTIONS["standard_cauchy"])
standard_exponential = drawing_from(DISTRIBUTIONS["standard_exponential"])
standard_gamma = drawing_from(DISTRIBUTIONS["standard_gamma"])
standard_normal = drawing_from(DISTRIBUTIONS["standard_normal"])
standard_t = drawing_from(DISTRIBUTIONS["standard_t"])
t = drawing_from(DISTRIBUTIONS["t"])
triangular = drawing_from(DISTRIBUTIONS["triangular"])
uniform = drawing_from(DISTRIBUTIONS["uniform"])
vonmises = drawing_from(DISTRIBUTIONS["vonmises"])
wald = drawing_from(DISTRIBUTIONS["wald"])
weibull = drawing_from(DISTRIBUTIONS["weibull"])
zipf = drawing_from(DISTRIBUTIONS["zipf"])


def integers(
    rng: Any,
    low: Any,
    high: Any = None,
    size: Any = None,
    dtype: Any = "int64",
    endpoint: bool = False,
) -> Drawn:
    """Return the next generator, and integers from `low` to below `high`, or from 0 to below `low`.

    Parameters
    ----------
    rng
        A variable of generators.
    low, high
        The bounds, integers that are broadcast.
    size
        The shape of the draw; None for that of the bounds.
    dtype
        Its dtype, an integer one or bool. NumPy draws other numbers for another one.
    endpoint
        Whether `high` is among the numbers.
    """
    if high is None:
        low, high = 0, low
    options = {"endpoint": bool(endpoint)}
    return draw(DISTRIBUTIONS["integers"], rng, [low, high], size, dtype, options)


def choice(
    rng: Any,
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    shuffle: bool = True,
) -> Drawn:
    """Return the next generator, and elements of a tensor, drawn at random.

    The draw has the gradient of the elements that were chosen, by `a`; by `p` it has none.

    Parameters
    ----------
    rng
        A variable of generators.
    a
        A tensor, or an integer of rank 0 for the integers below it.
    size
        The shape that stands in the place of `axis`; None for one element.
    replace
        Whether an element may be drawn again.
    p
        A vector of the probabilities of the elements; None for equal ones.
    axis
        The axis of `a` along which is drawn.
    shuffle
        Whether elements drawn without replacement are in random order too.
    """
    a = as_tensor_variable(a)
    along = None if a.type.ndim == 0 else normalize_axis(axis, a.type.ndim, "choice")
    n = a if along is None else shape_i(a, along)
    options = {"replace": bool(replace), "shuffle": bool(shuffle)}
    if p is None:
        next_rng, index = draw(CHOICE, rng, [n], size, None, options)
    else:
        next_rng, index = draw(WEIGHTED_CHOICE, rng, [n, p], size, None, options)
    return next_rng, index if along is None else take(a, index, along)


def permutation(rng: Any, x: Any, axis: int = 0) -> Drawn:
    """Return the next generator, and `x` with its slices along an axis in random order.

    Parameters
    ----------
    rng
        A variable of generators.
    x
        A tensor, or an integer of rank 0 for the integers below it.
    axis
        The axis.
    """
    x = as_tensor_variable(x)
    if x.type.ndim == 0:
        return drawn_by(Permutation(), rng, x)
    along = normalize_axis(axis, x.type.ndim, "permutation")
    next_rng, order = drawn_by(Permutation(), rng, shape_i(x, along))
    return next_rng, take(x, order, along)


def shuffle(rng: Any, x: Any, axis: int = 0) -> Drawn:
    """Return the next generator, and what NumPy's `shuffle` makes of `x`; see `permutation`.

    Parameters
    ----------
    rng, x, axis
        As those of `permutation`.

    Raises
    ------
    TypeError
        If `x` is of rank 0.
    """
    x = as_tensor_variable(x)
    if x.type.ndim == 0:
        raise TypeError(f"shuffle: {x} is of rank 0 and has no order; permutation takes an integer")
    return permutation(rng, x, axis)


def permuted(rng: Any, x: Any, axis: int | None = None) -> Drawn:
    """Return the next generator, and `x` with the elements along an axis in random order.

    Unlike by `permutation`, each row gets an order of its own.

    Parameters
    ----------
    rng
        A variable of generators.
    x
        A tensor.
    axis
        The axis; None for the flattened tensor, whose elements go to any place.
    """
    x = as_tensor_variable(x)
    places = reshape(arange(size_of(x)), lengths(x), ndim=x.type.ndim)
    if axis is None:
        next_rng, order = drawn_by(Permuted(0), rng, flatten(places))
        return next_rng, reshape(getitem(flatten(x), order), lengths(x), ndim=x.type.ndim)
    along = normalize_axis(axis, x.type.ndim, "permuted")
    next_rng, order = drawn_by(Permuted(along), rng, places)
    return next_rng, getitem(flatten(x), order)
