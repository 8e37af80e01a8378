"""How far a result may be from NumPy's: to the bit, or as far as rounding moves the program itself.

The tolerance is derived, not chosen. The program is run by NumPy again and again with every result
that may be rounded moved at random by up to two units in the last place, and zeros given another
sign (a Monte Carlo arithmetic, Parker 1997). What the outputs vary by is what rounding can do to
them; where they vary between numbers and nan, or between branches, nothing can be said. The program
is also run in long double: a result nearer to that than NumPy's own is welcome. A share of some
exponentials may be moved further, by what a softmax in its place rounds: see `shifted_shares`.

What a mode claims, it claims for some values only, so programs are drawn of values that it makes a
claim for: see `Values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tests.fuzz.program import WIDE, Program, Step, quiet, run, widened

SAMPLES = 24
# A result may be this many times as far off as the samples are.
SLACK = 16.0

# Exponentials of more than this overflow in long double too.
LARGEST_EXP = 11000

# exp(x) / (1 + exp(x)) and sqrt(x + 1) - sqrt(x) of infinity are nan, and their limits are welcome.
HAVE_LIMITS = ("exp", "sqrt")

FLOATS = "fc"

Values = Literal["any", "in range", "finite", "positive"]
"""What the values of a program are. ``in range``: no magnitude is beyond the square root of its
dtype's range, since products of two such overflow, or vanish, in one order and not in another.
``finite``: they are finite too. ``positive``: where there is a logarithm, none is negative too."""


@quiet()
def unfit(
    asked: Values, steps: Sequence[Step], values: Sequence[Any], wide: Sequence[Any], k: int
) -> str | None:
    """Return why a value of a program is not what is asked of it and those before; None if it is.

    Parameters
    ----------
    steps
        Those that have been taken: the last as many values are theirs.
    values, wide
        The values as NumPy computes them, and in long double.
    k
        The number of the value.
    """
    if asked == "any":
        return None
    value, first = values[k], len(values) - len(steps)
    is_finite = bool(np.isfinite(value).all())
    if asked != "in range" and not is_finite:
        return "not finite"
    given = [values[i] for i in steps[k - first].args] if k >= first else []
    if _is_extreme(value, wide[k]) or (given and _overflows(steps[k - first], given, is_finite)):
        return "extreme"
    if asked == "positive" and any("log" in s.numpy for s in steps[: max(k + 1 - first, 0)]):
        before = values[: k + 1]
        if any(v.dtype.kind == "c" or (v.dtype.kind != "b" and np.any(v < 0)) for v in before):
            return "a logarithm"
    return None


def _overflows(step: Step, given: Sequence[Any], is_finite: bool) -> bool:
    """Whether a step overflows in long double too, which integers are not computed in."""
    if not is_finite and all(v.dtype.kind in "biu" for v in given):
        return True
    grows = "exp" in step.numpy or "power" in step.numpy
    sizes = [np.abs(v[np.isfinite(v)].astype(complex)) for v in given] if grows else []
    return any(bool(np.any(size > LARGEST_EXP)) for size in sizes)


def _is_extreme(value: Any, wide: Any) -> bool:
    """Whether a magnitude, or what it would be in long double, is beyond the square root of the
    range of its dtype."""
    if value.dtype.kind not in FLOATS:
        return False
    bounds = np.finfo(value.dtype)
    for sizes in (np.abs(value), np.abs(wide)):
        some = sizes[np.isfinite(sizes) & (sizes != 0)].astype("longdouble")
        if np.any((some > float(bounds.max) ** 0.5) | (some < float(bounds.tiny) ** 0.5)):
            return True
    return False


@dataclass(frozen=True)
class Problem:
    """What is wrong with a result.

    Attributes
    ----------
    kind
        ``error``, ``type``, ``shape``, ``input`` (an argument was written to), ``bits``, ``value``
        (further off than rounding of the inputs and of all steps explains) or ``worse`` (further
        off than rounding of the steps alone explains).
    text
        What was found and what expected.
    """

    kind: str
    text: str


def same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return where elements of one dtype have the same bits; any nan is like any other."""
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) & same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def _alike(a: Any, b: Any) -> Any:
    """Return where elements are equal, or both nan."""
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return _alike(a.real, b.real) & _alike(a.imag, b.imag)
    return (a == b) | ((a != a) & (b != b))


def shifted_shares(program: Program, values: Sequence[Any]) -> dict[int, Any]:
    """Return by how much a softmax moves the shares of exponentials, relatively, by their numbers.

    ``exp(x) / sum(exp(x))`` is right to a few units where nothing overflows. A softmax has
    ``exp(x - m)`` for it, so that nothing does, and rounds ``x - m`` by half a unit of it at most:
    ``exp((x - m) * (1 + eps / 2))`` is ``exp(x - m) * (1 + (x - m) * eps / 2)``. So it is for the
    share itself; in the sum, what is smaller than the largest term counts by as much less.
    """
    first, found = len(program.leaves), {}
    exponents: dict[int, frozenset[int]] = {}  # of the exponentials that a value is made of
    for k, step in enumerate(program.steps, first):
        exponents[k] = frozenset().union(*[exponents.get(i, ()) for i in step.args])
        if values[k].dtype.kind != "f":
            continue
        if step.numpy == _EXP:
            exponents[k] |= {*step.args}
        elif step.numpy == "{0} / {1}":
            above, below = step.args
            in_sum = exponents.get(below, frozenset())
            for x in in_sum.intersection(_exponents_of_factors(program, above)):
                size = _from_largest(values[x], [values[i] for i in in_sum])
                by = size * (np.finfo(values[k].dtype).eps / 2)
                found[k] = np.maximum(found.get(k, 0), by)
    return found


_EXP = "np.exp({0})"


def _exponents_of_factors(program: Program, k: int) -> list[int]:
    """Return the arguments of the exponentials that a value is, or is the product of."""
    first = len(program.leaves)

    def step_of(i: int) -> Step | None:
        return program.steps[i - first] if i >= first else None

    step = step_of(k)
    factors = step.args if step is not None and step.numpy == "{0} * {1}" else (k,)
    steps = [s for s in map(step_of, factors) if s is not None]
    return [s.args[0] for s in steps if s.numpy == _EXP]


def _from_largest(x: Any, all_exponents: Sequence[Any]) -> Any:
    """Return how far exponents are from the largest of all."""
    finite = [v[np.isfinite(v)].astype("longdouble") for v in all_exponents]
    largest = max((v.max() for v in finite if v.size), default=0)
    size = np.abs(x.astype("longdouble") - largest)
    return np.where(np.isfinite(size), size, 0)


class Reference:
    """What NumPy makes of a program, and how sure that is."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values = run(program)
        self.expected = [self.values[i] for i in program.outputs]

    @cached_property
    def wide(self) -> list[Any] | None:
        """All values in long double; None if the program can't be run so."""
        try:
            return run(self.program, WIDE, lambda i, v: widened(v))
        except (TypeError, ValueError, IndexError):
            return None

    @cached_property
    def _shares(self) -> dict[int, Any]:
        with quiet():
            return shifted_shares(self.program, self.values)

    def unfit(self, asked: Values) -> str | None:
        """Return why the values are not what is asked; None if they are."""
        wide = self.values if asked == "any" else self.wide
        if wide is None:
            return "extreme"
        steps, numbers = self.program.steps, range(len(self.values))
        reasons = (unfit(asked, steps, self.values, wide, k) for k in numbers)
        return next((why for why in reasons if why is not None), None)

    def _sample(self, rng: np.random.Generator, inputs: bool) -> list[Any] | None:
        leaves, steps = len(self.program.leaves), self.program.steps
        moved = [i for i in range(leaves + len(steps)) if (inputs if i < leaves else False)]
        moved += [leaves + k for k, step in enumerate(steps) if step.rounds]
        chosen = set(moved)

        def hook(i: int, v: Any) -> Any:
            if i in self._shares:
                v = (v * (1 + self._shares[i] * rng.uniform(-1, 1, v.shape))).astype(v.dtype)
            return _moved(rng, v) if i in chosen else _signs(rng, v)

        try:
            values = run(self.program, hook=hook)
        except (TypeError, ValueError, IndexError):
            return None
        return [values[i] for i in self.program.outputs]

    def _samples(self, inputs: bool) -> list[list[Any]] | None:
        rng = np.random.default_rng(0)
        drawn = [self._sample(rng, inputs) for _ in range(SAMPLES)]
        if any(
            s is None or [v.shape for v in s] != [v.shape for v in self.expected] for s in drawn
        ):
            return None
        return [s for s in drawn if s is not None]

    @cached_property
    def steps_moved(self) -> list[list[Any]] | None:
        """Outputs of runs in which the results of steps were moved; None if shapes depend on it."""
        return self._samples(False)

    @cached_property
    def all_moved(self) -> list[list[Any]] | None:
        """Outputs of runs in which inputs were moved too."""
        return self._samples(True)

    def judge(self, found: list[Any], asked: Values) -> Problem | None:
        """Return what is wrong with outputs of a mode that asks something of the values; of others
        only the types and shapes are compared."""
        why = self.unfit(asked)
        if why is None:
            return self.compare(found)
        pairs = enumerate(zip(found, self.expected, strict=True))
        problems = (p for k, (a, b) in pairs if (p := compare_types(k, a, b)) is not None)
        # how many elements a mask takes is a value too
        return next((p for p in problems if why != "not finite" or p.kind != "shape"), None)

    @quiet()
    def compare(self, found: list[Any]) -> Problem | None:
        """Return what is wrong with outputs that may be rounded; None if nothing is."""
        for k, (out, expected) in enumerate(zip(found, self.expected, strict=True)):
            problem = compare_types(k, out, expected)
            if problem is not None:
                return problem
            if bool(np.all(_alike(out, expected))):
                continue
            if not np.all(self._explained(k, out, self.all_moved)):
                return _problem("value", k, out, expected)
            if not np.all(self._explained(k, out, self.steps_moved)):
                return _problem("worse", k, out, expected)
        return None

    @quiet()
    def says_nothing(self, found: list[Any], asked: Values) -> str | None:
        """Return why no element of right outputs could have been seen to be wrong; None if one
        could: it has the value that NumPy gives, or rounding does not let it be anything."""
        why = self.unfit(asked)
        if why is not None:
            return why
        if not any(v.size for v in found):
            return "empty"
        for k, (out, expected) in enumerate(zip(found, self.expected, strict=True)):
            if np.any(_alike(out, expected)):
                return None
            unsure, tolerance = self._tolerance(k, self.all_moved)
            if np.any(~unsure & (tolerance < np.maximum(np.abs(widened(expected)), 1))):
                return None
        return "any value would do"

    def _tolerance(self, k: int, samples: list[list[Any]] | None) -> tuple[Any, Any]:
        """Return the elements of an output that may be anything, and how far others may be off."""
        expected = self.expected[k]
        if samples is None:
            return np.True_, np.array(np.inf)
        drawn = np.stack([widened(s[k]) for s in samples])
        wide = widened(expected)
        if expected.dtype.kind not in FLOATS:
            low, high = drawn.min(0), drawn.max(0)
            return low != high, np.array(0)
        eps = float(np.finfo(expected.dtype).eps)
        least = float(np.finfo(expected.dtype).smallest_subnormal)
        spread = np.abs(drawn - wide).max(0)
        # Between numbers and what is none anything may be.
        unsure = ~_alike(np.isfinite(drawn), np.isfinite(wide)).all(0) | np.isnan(spread)
        unsure &= ~(_alike(drawn, wide).all(0))
        return unsure, SLACK * spread + 8 * eps * np.abs(wide) + 8 * least

    def _explained(self, k: int, out: Any, samples: list[list[Any]] | None) -> Any:
        """Return which elements of an output differ from NumPy's by what rounding explains."""
        expected, wide = self.expected[k], widened(self.expected[k])
        if samples is None:
            return np.True_
        if expected.dtype.kind not in FLOATS:
            drawn = np.stack([s[k] for s in samples])
            return _alike(out, expected) | ((out >= drawn.min(0)) & (out <= drawn.max(0)))
        eps = float(np.finfo(expected.dtype).eps)
        least = float(np.finfo(expected.dtype).smallest_subnormal)
        unsure, tolerance = self._tolerance(k, samples)
        fine = _alike(out, expected) | unsure | (np.abs(widened(out) - wide) <= tolerance)
        if self.wide is None:
            return fine
        true = self.wide[self.program.outputs[k]]
        near = 8 * eps * np.abs(true) + 8 * least
        off = np.abs(widened(out) - true)
        own = np.abs(wide - true)
        better = off <= np.where(np.isfinite(own), own, 0) + tolerance
        better |= off <= near
        # NumPy's overflows on the way, and so may what is no worse
        both = ~np.isfinite(wide) & ~np.isfinite(widened(out)) & np.isfinite(true)
        if any(name in step.numpy for step in self.program.steps for name in HAVE_LIMITS):
            both |= np.isnan(wide) & np.isnan(true)
        return fine | better | both | _alike(widened(out), true)


def _moved(rng: np.random.Generator, v: np.ndarray) -> Any:
    if v.dtype.kind not in FLOATS:
        return v
    eps = np.finfo(v.dtype).eps
    by = 1 + 2 * eps * rng.uniform(-1, 1, v.shape).astype("longdouble")
    if v.dtype.kind == "c":
        moved = v.real * by + 1j * (v.imag * by[..., ::-1] if v.ndim else v.imag * by)
        moved = np.where(np.isfinite(v), moved, v)
    else:
        moved = v * by
    return _signs(rng, moved.astype(v.dtype))


def _signs(rng: np.random.Generator, v: np.ndarray) -> Any:
    """Return an array, the zeros of which have got random signs."""
    if v.dtype.kind != "f" or not np.any(v == 0):
        return v
    return np.where(v == 0, np.copysign(v, rng.choice((-1.0, 1.0), v.shape)), v).astype(v.dtype)


def compare_types(k: int, out: Any, expected: np.ndarray) -> Problem | None:
    """Return what is wrong with the dtype or the shape of output `k`."""
    if not isinstance(out, np.ndarray) or out.dtype != expected.dtype:
        return _problem("type", k, out, expected)
    return None if out.shape == expected.shape else _problem("shape", k, out, expected)


def compare_bits(found: list[Any], wanted: list[Any], by: str) -> Problem | None:
    """Return what differs to the bit from what `by` computes."""
    for k, (out, expected) in enumerate(zip(found, wanted, strict=True)):
        problem = compare_types(k, out, expected)
        if problem is None and not np.all(same_bits(out, expected)):
            problem = _problem("bits", k, out, expected, by)
        if problem is not None:
            return problem
    return None


def _problem(kind: str, k: int, out: Any, expected: Any, by: str = "NumPy") -> Problem:
    def shown(x: Any) -> str:
        return f"{getattr(x, 'dtype', type(x))} {np.shape(x)} {np.asarray(x).tolist()}"

    return Problem(kind, f"output {k}\n  {by}: {shown(expected)}\n  found: {shown(out)}")
