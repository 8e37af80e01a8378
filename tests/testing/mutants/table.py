"""The wrong laws of the suite: a sample of all edits of the book, taken by a rule.

There are some 31,000 edits, and to check them all takes three hours of one core: that is what
``python -m tests.testing.mutants`` does. Here are those whose names have a checksum that `EVERY`
divides, whatever comes of them, and a few mistakes about indices that no edit makes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from relgraph.graph.kanren.laws import Law
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.testing.discovery import discover_laws
from tests.testing.mutants.edits import EDITS, Edit, spoiled
from tests.testing.mutants.spoiled import WHERE

BOOK = [law for law in discover_laws().values() if isinstance(law, Law)]
"""The laws that have two sides to be edited."""

EVERY = 250
"""One edit in so many is in the suite."""


def every_edit() -> dict[str, Edit]:
    """Return all edits by name: those of terms and claims, and those of inputs of one kind."""
    return {**EDITS, **{where: spoiled(where) for where in WHERE}}


def edited(edit: Edit, every: int = 1) -> Iterator[Law]:
    """Yield what an edit makes of the book; one in `every` by the checksums of the names."""
    for law in BOOK:
        for mutant in edit(law):
            if zlib.crc32(mutant.name.encode()) % every == 0:
                yield mutant


def sample() -> list[Law]:
    """Return the edits of the suite."""
    return [mutant for edit in every_edit().values() for mutant in edited(edit, EVERY)]


a, i, x, y = lvars("a i x y")
BACKWARDS = (Slice(None, None, -1),)
TAIL = (Slice(1, None, None),)

# Mistakes about indices, axes and joined parts, which have forms of their own.
BY_HAND = [
    Law("index reversed", Subtensor(BACKWARDS)(x), x),
    Law(
        "index reversed twice",
        Subtensor(BACKWARDS)(Subtensor(BACKWARDS)(x)),
        Subtensor(BACKWARDS)(x),
    ),
    Law("row off by one", Subtensor((0,))(x), Subtensor((1,))(x)),
    Law("slice off by one", Subtensor(TAIL)(Subtensor(TAIL)(x)), Subtensor(TAIL)(x)),
    Law("last for first", Subtensor((-1,))(x), Subtensor((0,))(x)),
    Law("joined in the other order", Join(a)(x, y), Join(a)(y, x), mixed=True),
    Law("joined along another axis", Join(0)(x, y), Join(1)(x, y), mixed=True),
    Law("part dropped", Subtensor(i)(x), x, mixed=True),
]

# Why the law is right after the edit, in the class that it claims, with the edits of the sample of
# which that is true: no checker can fail them.
REASONS = {
    "the number only keeps the branch that is not taken from dividing by 0": (
        "off by one 5: log-one-and-square-by-of-products",
        "wrong sign 15: one-by-x-less-cotangent",
        "wrong sign 4: by-one-and-square-of-products",
        "wrong sign: sqrt-step-back",
        "other argument 15: one-by-step-around",
    ),
    "the condition comes out the same, or both branches are right where it does not": (
        "wrong for imaginary parts: one-by-step",
        "wrong for nan: less-root-of-products",
        "wrong for the least number: sin-to-neg-tan",
    ),
    "the guard keeps the book from undoing its own forms": ("unguarded 3: neg-le-constant",),
    "it holds for all that the stronger class claims": ("rounding: softmax",),
    "a boolean has no sign and no negation": (
        "wrong for bool: mul-sign",
        "wrong for bool: log-sigmoid",
    ),
    "of an integer, what spoils it would be a value on the way of another dtype than the rest": (
        "wrong for unsigned integers: exp-neg-log",
        "wrong for unsigned integers: power-of-two",
        "wrong for unsigned integers: log-one-and-scaled-square-of-products",
        "wrong for signed integers: clear-sub-fraction",
        "wrong for signed integers: expm1-neg-mul-sigmoid",
    ),
    "the law is not of complex numbers": (
        "wrong for complex: greatest-of-sorted-vector",
        "wrong for complex: element-at-argmin",
        "wrong for complex: sinh-arcsinh",
        "wrong for imaginary parts: log1p-neg",
        "wrong for imaginary parts: neq-neg-neg",
    ),
    "the input that is spoiled is a boolean": (
        "wrong for float32: one-le-flag",
        "wrong for nan: flag-lt-one",
        "wrong for nan: switch-true-false",
    ),
    "the input that is spoiled is a boolean or an integer": ("wrong for nan: absorb-and-not",),
    "the law is of vectors": ("wrong for rank 2: element-at-argmin-of-all",),
    "the law holds within one dtype, and a solution is never a boolean": (
        "wrong for bool: solve-symmetric-transposed",
    ),
    "it holds for stacks of matrices as well": ("unguarded 1: product-with-symmetric-solution",),
    "of an infinity the left side is nan, and has no true value": (
        "wrong for inf: cosm1-by-square-of-products",
        "wrong for inf: squares-apart-by-sum",
    ),
    "so small an element is less than the error that is allowed of a whole matrix": (
        "wrong for the least normal number: inverse-lower-triangular",
    ),
    "the class claims nothing where a value is not finite": (
        "wrong for -inf: sum-of-vector-matrix",
    ),
    "the input that is spoiled is not negative": (
        "wrong for -inf: exp2-log2-nonnegative",
        "wrong for -0: exp-scaled-log-nonnegative",
    ),
    "only the shape counts": ("wrong for -0: shape-of-lengths-1d",),
    "at a pole the rounding of the divisor moves the quotient anywhere": ("wrong for -0: coth",),
    "rounding is measured by the greatest value on the way, which is the input": (
        "wrong for the greatest number: log1mexp-neg-softplus",
    ),
}

EQUIVALENT = {name: why for why, names in REASONS.items() for name in names}
"""By the name of an edit why it is none."""

SURVIVORS: dict[str, str] = {}
"""Wrong laws that the checker passes, and why it does."""
