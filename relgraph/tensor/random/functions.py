"""The table of distributions, the functions that draw from them, and `RandomStream`.

A row has the parameters with their axes, the dtype of draws if they are integers, how to draw where
NumPy has no such method, and the derivatives by parameters where a draw is a formula of noise that
does not depend on them. Rows made by `N` never draw less than zero. A draw with batches of
parameters, where NumPy has none, is one draw after the other, in the order of the elements of the
result.

A draw from a location-scale family is ``location + scale * noise``, where the noise is the draw
from the same generator at location 0 and scale 1 (the reparametrization of Kingma and Welling,
"Auto-encoding variational Bayes", 2014). NumPy's generators compute it so. The noise is drawn
again: what could be worked out from the draw has lost digits where the location is large, and is
lost at scale 0.

Each function takes a generator, and returns the next generator and a draw. Its parameters and the
numbers that it draws are those of the method of `numpy.random.Generator`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, Signature
from typing import Any, Protocol

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.unify import nth
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.type import check_dtype, is_discrete
from relgraph.tensor.assembly import arange
from relgraph.tensor.basic import as_tensor_variable, normalize_axis
from relgraph.tensor.indexing import getitem, take
from relgraph.tensor.math import log, log1p, switch
from relgraph.tensor.memory import Array, in_order
from relgraph.tensor.random.op import (
    REQUIRED,
    Distribution,
    Permuted,
    RandomOp,
    RandomVariable,
)
from relgraph.tensor.random.type import RandomGeneratorSharedVariable, shared_generator
from relgraph.tensor.shapes import as_length, as_shape_vector, flatten, lengths, reshape, shape_i
from relgraph.tensor.shapes import size as size_of


class ReparametrizedDraw(Protocol):
    """A draw as its derivatives are made of it.

    Attributes
    ----------
    value
        The draw.
    parameters
        The parameters of the draw, by name.
    """

    value: Any
    parameters: Mapping[str, Any]

    def again(self, **changed: float) -> Any:
        """Return the draw from the same generator with some parameters replaced by numbers."""
        ...


@dataclass(frozen=True)
class LocationScale:
    """``draw = location + scale * noise``

    Parameters
    ----------
    location, scale
        The names of the parameters; None for one that there is not.
    """

    location: str | None
    scale: str | None

    def __call__(self, draw: ReparametrizedDraw) -> dict[str, Any]:
        standard: dict[str, float] = {}
        slopes: dict[str, Any] = {}
        if self.location is not None:
            standard[self.location] = 0.0
            slopes[self.location] = 1.0
        if self.scale is not None:
            standard[self.scale] = 1.0
            slopes[self.scale] = draw.again(**standard)
        return slopes


def between_bounds(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``uniform = low + (high - low) * noise``"""
    noise = draw.again(low=0.0, high=1.0)
    return {"low": 1.0 - noise, "high": noise}


def exponential_of_normal(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``lognormal = exp(mean + sigma * noise)``"""
    return {"mean": draw.value, "sigma": draw.value * log(draw.again(mean=0.0, sigma=1.0))}


def power_of_noise(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``draw = noise ** (1 / a)``: the slope is ``-draw * log(draw) / a``"""
    return {"a": -_times_log(draw.value) / draw.parameters["a"]}


def exponential_of_noise(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``pareto = exp(noise / a) - 1``: the slope is ``-(1 + draw) * log(1 + draw) / a``"""
    return {"a": -(1.0 + draw.value) * log1p(draw.value) / draw.parameters["a"]}


def _times_log(x: Any) -> Any:
    """Return ``x * log(x)``, 0 at 0."""
    return switch(x > 0.0, x * log(switch(x > 0.0, x, 1.0)), 0.0)


Size = tuple[int, ...] | None

# -- how to draw where NumPy does not --------------------------------------------------------------


def _broadcast(size: Size, *parameters: Array) -> tuple[int, ...]:
    return np.broadcast_shapes(*[x.shape for x in parameters]) if size is None else size


def _bernoulli(generator: Any, p: Array, size: Size) -> Any:
    return generator.binomial(1, p, size)


def _cauchy(generator: Any, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * generator.standard_cauchy(_broadcast(size, loc, scale))


def _halfcauchy(generator: Any, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * np.abs(generator.standard_cauchy(_broadcast(size, loc, scale)))


def _halfnormal(generator: Any, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * np.abs(generator.standard_normal(_broadcast(size, loc, scale)))


def _invgamma(generator: Any, shape: Array, scale: Array, size: Size) -> Any:
    return scale / generator.standard_gamma(shape, _broadcast(size, shape, scale))


def _student_t(generator: Any, df: Array, loc: Array, scale: Array, size: Size) -> Any:
    return loc + scale * generator.standard_t(df, _broadcast(size, df, loc, scale))


def _categorical(generator: Any, p: Array, size: Size) -> Any:
    """Return indices as ``generator.choice(len(p), p=p)`` draws them, for each row of `p`."""
    shape = p.shape[:-1] if size is None else size
    if p.ndim == 1:
        return generator.choice(p.shape[0], shape, p=p)
    totals = np.cumsum(np.asarray(p, "float64"), axis=-1)
    # the tolerance of `choice`, which would check one row
    precision = np.finfo(p.dtype if p.dtype.kind == "f" else "float64").eps
    tolerance = np.sqrt(max(precision, np.finfo("float64").eps))
    if not ((p >= 0).all() and (np.abs(totals[..., -1:] - 1.0) <= tolerance).all()):
        raise ValueError("categorical: each row of p must be probabilities whose sum is 1")
    drawn = generator.random((*shape, 1))
    return np.sum(totals / totals[..., -1:] <= drawn, axis=-1)


def _weighted_choice(generator: Any, a: Array, p: Array, size: Size, **options: Any) -> Any:
    return generator.choice(int(a), size, p=p, **options)


def _one_by_one(draw: Callable[..., Any], cores: Sequence[int], size: Size, *given: Array) -> Any:
    """Return draws for each combination of the leading axes of the parameters.

    Parameters
    ----------
    draw
        Draws for parameters without leading axes; it takes the keyword `size`.
    cores
        The ranks of the parameters of one draw.
    size
        The leading axes of the result; None for those of the parameters, broadcast.
    given
        The parameters.
    """
    batches = [x.shape[: x.ndim - rank] for x, rank in zip(given, cores, strict=True)]
    if not any(batches):
        return draw(*given, size=size)
    shape = np.broadcast_shapes(*batches) if size is None else size
    rows = [
        np.broadcast_to(x, shape + x.shape[x.ndim - rank :])
        for x, rank in zip(given, cores, strict=True)
    ]
    drawn = [draw(*[x[place] for x in rows], size=None) for place in np.ndindex(*shape)]
    core = given[0].shape[given[0].ndim - cores[0] :]
    return np.array(drawn).reshape(shape + core)


def _dirichlet(generator: Any, alpha: Array, size: Size) -> Any:
    def draw(alpha: Array, size: Size) -> Any:
        drawn = alpha != 0
        if drawn.all() or not (alpha > 0).any():
            return generator.dirichlet(alpha, size)
        # beside small numbers NumPy tries forever to draw what has a share of 0
        shares = generator.dirichlet(alpha[drawn], size)
        made = np.zeros((*shares.shape[:-1], len(alpha)))
        made[..., drawn] = shares
        return made

    return _one_by_one(draw, (1,), size, alpha)


def _multivariate_hypergeometric(
    generator: Any, colors: Array, nsample: Array, size: Size, method: str
) -> Any:
    def draw(colors: Array, nsample: Array, size: Size) -> Any:
        return generator.multivariate_hypergeometric(colors, int(nsample), size, method=method)

    return _one_by_one(draw, (1, 0), size, colors, nsample)


def _multivariate_normal(
    generator: Any, mean: Array, cov: Array, size: Size, **options: Any
) -> Any:
    mean, cov = in_order(mean), in_order(cov)
    if not np.isfinite(cov).all():
        # LAPACK may search forever for the factors of an infinite matrix
        raise ValueError("multivariate_normal: cov holds a nan or an infinity")
    if cov.ndim == 2 and mean.ndim > 1:
        # one factor of the covariance for all
        shape = mean.shape[:-1] if size is None else size
        centre = np.zeros(mean.shape[-1])
        return mean + generator.multivariate_normal(centre, cov, shape, **options)

    def draw(mean: Array, cov: Array, size: Size) -> Any:
        return generator.multivariate_normal(mean, cov, size, **options)

    return _one_by_one(draw, (1, 2), size, mean, cov)


# -- the table -------------------------------------------------------------------------------------

D = Distribution
N = partial(Distribution, nonnegative=True)
_OF_SCALE = LocationScale(None, "scale")
_OF_BOTH = LocationScale("loc", "scale")

_NUMPY = (
    N("beta", "a, b -> ()"),
    N("binomial", "n: int, p -> ()", "int64"),
    N("chisquare", "df -> ()"),
    N("dirichlet", "alpha(k) -> (k)", draw=_dirichlet),
    N("exponential", "scale=1.0 -> ()", slopes=_OF_SCALE),
    N("f", "dfnum, dfden -> ()"),
    N("gamma", "shape, scale=1.0 -> ()", slopes=_OF_SCALE),
    N("geometric", "p -> ()", "int64"),
    D("gumbel", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    N("hypergeometric", "ngood: int, nbad: int, nsample: int -> ()", "int64"),
    D("laplace", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    D("logistic", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    N("lognormal", "mean=0.0, sigma=1.0 -> ()", slopes=exponential_of_normal),
    N("logseries", "p -> ()", "int64"),
    N("multinomial", "n: int, pvals(k) -> (k)", "int64"),
    N("negative_binomial", "n, p -> ()", "int64"),
    N("noncentral_chisquare", "df, nonc -> ()"),
    N("noncentral_f", "dfnum, dfden, nonc -> ()"),
    D("normal", "loc=0.0, scale=1.0 -> ()", slopes=_OF_BOTH),
    N("pareto", "a -> ()", slopes=exponential_of_noise),
    N("poisson", "lam=1.0 -> ()", "int64"),
    N("power", "a -> ()", slopes=power_of_noise),
    N("random", "-> ()", takes_dtype=True),
    N("rayleigh", "scale=1.0 -> ()", slopes=_OF_SCALE),
    D("standard_cauchy", "-> ()"),
    N("standard_exponential", "-> ()", options=(("method", "zig"),), takes_dtype=True),
    N("standard_gamma", "shape -> ()", takes_dtype=True),
    D("standard_normal", "-> ()", takes_dtype=True),
    D("standard_t", "df -> ()"),
    D("triangular", "left, mode, right -> ()"),
    D("uniform", "low=0.0, high=1.0 -> ()", slopes=between_bounds),
    D("vonmises", "mu, kappa -> ()", slopes=LocationScale("mu", None)),
    D("wald", "mean, scale -> ()"),  # where the mean is large, NumPy's formula cancels
    N("weibull", "a -> ()", slopes=power_of_noise),
    N("zipf", "a -> ()", "int64"),
    D(
        "integers",
        "low: int, high: int -> ()",
        "int64",
        options=(("endpoint", False),),
        takes_dtype=True,
    ),
    N(
        "multivariate_hypergeometric",
        "colors(k): int, nsample: int -> (k)",
        "int64",
        draw=_multivariate_hypergeometric,
        options=(("method", "marginals"),),
    ),
    D(
        "multivariate_normal",
        "mean(n), cov(n,n) -> (n)",
        draw=_multivariate_normal,
        options=(("check_valid", "warn"), ("tol", 1e-8), ("method", "svd")),
        slopes=LocationScale("mean", None),
    ),
)

_OTHERS = (
    N("bernoulli", "p -> ()", "int64", _bernoulli),
    N("categorical", "p(k) -> ()", "int64", _categorical),
    D("cauchy", "loc=0.0, scale=1.0 -> ()", draw=_cauchy, slopes=_OF_BOTH),
    D("halfcauchy", "loc=0.0, scale=1.0 -> ()", draw=_halfcauchy, slopes=_OF_BOTH),
    D("halfnormal", "loc=0.0, scale=1.0 -> ()", draw=_halfnormal, slopes=_OF_BOTH),
    D("invgamma", "shape, scale=1.0 -> ()", draw=_invgamma, slopes=_OF_SCALE),
    D("t", "df, loc=0.0, scale=1.0 -> ()", draw=_student_t, slopes=_OF_BOTH),
)

DISTRIBUTIONS = {row.name: row for row in (*_NUMPY, *_OTHERS)}
"""The distributions that have a function of their name in `relgraph.tensor.random`."""

DRAWS = sorted((*DISTRIBUTIONS, "choice", "permutation", "permuted", "shuffle"))
"""The functions that draw, which are methods of a `RandomStream` too."""

_CHOICE_OPTIONS = (("replace", True), ("shuffle", True))
CHOICE = N("choice", "a: int -> ()", "int64", options=_CHOICE_OPTIONS, batched=False)
"""An index below `a`, or several with or without repetition."""
WEIGHTED_CHOICE = N(
    "choice", "a: int, p(k) -> ()", "int64", _weighted_choice, _CHOICE_OPTIONS, batched=False
)
"""The same with a probability for each index."""


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


globals().update({name: drawing_from(row) for name, row in DISTRIBUTIONS.items()})


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
    along = None if x.type.ndim == 0 else normalize_axis(axis, x.type.ndim, "permutation")
    n = as_length(x, "permutation") if along is None else shape_i(x, along)
    next_rng, order = drawn_by(Permuted(0), rng, arange(n))
    return next_rng, order if along is None else take(x, order, along)


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


class RandomStream:
    """Draws at random; each has a generator of its own, which every function that uses it advances.

    ``RandomStream(seed).normal(0.0, 1.0, size=3)`` returns a draw; the functions of
    `relgraph.tensor.random` are methods, without their first parameter. The first draw of a stream
    has the generator ``numpy.random.default_rng(seed).spawn(1)[0]``, the next one that of the next
    `spawn`, and so on. So the numbers of a draw do not depend on what else a function draws, or on
    the order in which it does.

    Parameters
    ----------
    seed
        What `numpy.random.SeedSequence` takes: an integer or several, or None for a seed that
        the operating system gives; or a `SeedSequence`.
    rng_ctor
        Makes a generator of a `SeedSequence`.

    Attributes
    ----------
    state_updates
        The shared generator of each draw so far, with the expression that advances it.
    """

    def __init__(
        self,
        seed: Any = None,
        rng_ctor: Callable[[Any], np.random.Generator] = np.random.default_rng,
    ) -> None:
        self.rng_ctor = rng_ctor
        self.state_updates: list[tuple[RandomGeneratorSharedVariable, Any]] = []
        self._seeds = _seed_sequence(seed)

    def seed(self, seed: Any = None) -> None:
        """Reset the generators of all draws, and of those to come, to those of another seed.

        A stream that is seeded again draws what a new stream with the same draws would.
        """
        self._seeds = _seed_sequence(seed)
        for number, (rng, _) in enumerate(self.state_updates):
            rng.set_value(self._generator(number), borrow=True)

    def updates(self) -> list[tuple[RandomGeneratorSharedVariable, Any]]:
        """Return the shared generator of each draw so far, with the expression that advances it."""
        return list(self.state_updates)

    def gen(self, draws: Callable[..., Any] | RandomOp, *args: Any, **kwargs: Any) -> Any:
        """Return a draw with a generator of its own.

        Parameters
        ----------
        draws
            A function of a generator and the other arguments that returns the next generator and a
            draw, or an op whose outputs these are.
        args, kwargs
            The other arguments.
        """
        rng = shared_generator(self._generator(len(self.state_updates)), borrow=True)
        if isinstance(draws, RandomOp):
            kwargs["return_list"] = True
        next_rng, drawn = draws(rng, *args, **kwargs)
        rng.default_update = next_rng
        self.state_updates.append((rng, next_rng))
        return drawn

    def _generator(self, number: int) -> np.random.Generator:
        """Return the generator of a draw, by its number."""
        (seeds,) = _seed_sequence(self._seeds, number).spawn(1)
        return self.rng_ctor(seeds)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in DRAWS:
            return partial(self.gen, globals()[name])
        raise AttributeError(
            f"a RandomStream has no attribute {name!r}; it draws {', '.join(DRAWS)}"
        )

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *DRAWS])


def _seed_sequence(seed: Any, spawned: int = 0) -> np.random.SeedSequence:
    """Return a new seed sequence from which so many others count as spawned already.

    One that is given is not changed.
    """
    seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    state = seeds.state
    state["n_children_spawned"] += spawned
    return np.random.SeedSequence(**state)
