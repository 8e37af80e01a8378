"""The wrong laws of the suite: a sample of all edits of the book, taken by a rule.

There are some 35,000 edits, and to check them all takes four hours of one core: that is what
``python -m tests.testing.mutants`` does. Here are those whose names have a checksum that `EVERY`
divides, whatever comes of them, and a few mistakes about indices that no edit makes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache

from relations.kit.vocabulary import lvars
from relgraph.graph.kanren.laws import Law
from relgraph.tensor.assembly import Join
from relgraph.tensor.subtensor import Slice, Subtensor
from relgraph.testing.discovery import discover_laws
from tests.testing.mutants.edits import EDITS, Edit, spoiled
from tests.testing.mutants.spoiled import WHERE

BOOK = [law for law in discover_laws().values() if isinstance(law, Law)]
"""The laws that have two sides to be edited."""

_BY_NAME = {law.name: law for law in BOOK}

EVERY = 148
"""One edit in so many is in the suite."""

PARTS = 14
"""In so many parts the suite checks them."""


def every_edit() -> dict[str, Edit]:
    """Return all edits by name: those of terms and claims, and those of inputs of one kind."""
    return {**EDITS, **{where: spoiled(where) for where in WHERE}}


def edited(edit: Edit, every: int = 1, first: int = 0) -> Iterator[Law]:
    """Yield what an edit makes of the book: those whose checksum leaves `first` by `every`."""
    for law in BOOK:
        for mutant in edit(law):
            if zlib.crc32(mutant.name.encode()) % every == first and not mutant.is_trivial:
                yield mutant.law()


def before(mutant: Law) -> Law:
    """Return the law of the book that was edited, or an edit by hand itself."""
    return _BY_NAME.get(mutant.name.partition(": ")[2], mutant)


@cache
def sample() -> list[Law]:
    """Return the edits of the suite."""
    return [mutant for edit in every_edit().values() for mutant in edited(edit, EVERY)]


def part_of(mutant: Law) -> int:
    """Return in which part of the suite an edit is checked."""
    return zlib.crc32(mutant.name.encode()) // EVERY % PARTS


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

OUT_OF_REACH = "no graph on which it fires has such a value there, whatever its dtypes"
NOT_FINITE = "the class claims nothing of inputs that are not finite"
NO_MORE = "where it makes a difference the class claims no more"
NO_BIT = "not a bit differs on random bit patterns and all edges"
ELIMINATED = "no class claims anything of matrices whose elimination leaves the range"
IMPLIED = "the guard says what the rest of the law says already"
IN_THE_CLASS = "the law holds in this class too"
SHARE = "the softmax of one number is 1, whatever it is"

_TRUE = {
    "swapped 15": {"x-less-sin-by-sin": "the law says the same"},
    "wrong sign": {
        "one-by-up-and-down": NO_BIT,
        "log-abs-det": "the last of two outputs is the second",
    },
    "wrong sign 8": {"one-by-up-and-down": NO_MORE},
    "other op": {"log-prod-of-any-sign": "what is subtracted is 0"},
    "other op 9": {"second-difference-of-one-by": NO_MORE},
    "other argument": {"fill-sink": "a result of other lengths is filled like what it replaces"},
    "unguarded 1": {"gudermannian": IMPLIED, "by-constant-and-square": IMPLIED},
    "unguarded 2": {
        "junction-of-negations": IMPLIED,
        "kron-times-vector": "all that is computed has the dtype of the result even so",
    },
    "unguarded 3": {"sigmoid-of-one-weighed": "it holds where the guard says no"},
    "rounding": {"log1p": IN_THE_CLASS, "expm1": IN_THE_CLASS},
    "wrong for rank 0": {"softmax-slope": SHARE, "softmax-slope-of-shares": SHARE},
    "wrong for length 0": {"log-det-triangular": "of a matrix without rows no element is read"},
    "wrong for more than one row": {"det-scaled": "a guard says that there is no such value"},
    "wrong for nan": {"log1p-neg-erf": NO_BIT},
    "wrong for inf": {
        **dict.fromkeys(
            ("dot-divided-right", "sigmoid-logit", "product-of-sine-and-cosine"), NOT_FINITE
        ),
        "log-det": "of such a matrix the left side is nan, and no result is worse",
        "sqrt-step": NO_MORE,
        "sin-step": NO_BIT,
        "cosine-of-dot": "the norm is infinite, and the quotient nan",
    },
    "wrong for -inf": {
        **dict.fromkeys(
            ("quotient-of-quotients", "second-power", "quotient-of-powers", "cosm1-to-sine"),
            NOT_FINITE,
        ),
    },
    "wrong for 0": {"pow-three-halves": NO_MORE},
    "wrong for the greatest number": {
        "difference-of-sinhs": NO_BIT,
        "root-of-square-and-less": NO_MORE,
        "softmax-slope-of-shares": "its exponential is infinite: the class claims nothing of that",
        "gammaln-step-positive": "the left side overflows, and is nan",
    },
    "wrong for the least number": {
        "det-kron": ELIMINATED,
        "det-scaled": ELIMINATED,
        "tanh-of-sigmoid-weighed": "twice that is to be a number",
    },
    "wrong for the least normal number": {"isinf-abs": NO_BIT},
    "wrong for subnormal numbers": {"log-det-transposed": ELIMINATED},
}

_OUT_OF_REACH = {
    "bool": "conj-real switch-neg arctan2-one cosine-of-dot",
    "unsigned integers": """mul-div-cancel sign-by-cases softmax log-product-of-exponent
        inverse-orthogonal cube-root-of-cube third-part-power tan-of-sum""",
    "signed integers": """logistic-slope erfc-reflected cos-arctan tan-step
        power-of-sum-with-one-less-one""",
    "float16": "switch-to-and",
    "complex": """exp-scaled-log-nonnegative ndtr-reflected log-chosen-part-of-softmax
        difference-by-squares-apart exp-of-difference-corrected""",
    "imaginary parts": """zero-sub-integer fractions-cancel square-and-less-one
        square-of-difference""",
    "rank 1": "dot-transposed dot-ones-right",
    "-inf": "mod-twice or-or-self",
    "-0": "le-and-ge",
    "the least normal number": "sub-mod ge-and-neq",
}

TRUE = {
    **{f"{kind}: {law}": why for kind, laws in _TRUE.items() for law, why in laws.items()},
    **{
        f"wrong for {where}: {law}": OUT_OF_REACH
        for where, laws in _OUT_OF_REACH.items()
        for law in laws.split()
    },
}
"""By the names of edits that checks pass why the law is true after them: of the suite's edits, and
of some of other samples."""

SURVIVORS = {
    "wrong for zero strides: neq-self-of-float": "only of a nan in such an array",
    "wrong for -0: sign-det-transposed": "only where such a zero decides a sign",
    "wrong for length 0: matmul-divided-left": "only of a product without rows",
    "swapped 15: one-by-down-and-up": "only where a formula is 0: at 4 and 1, say",
    "wrong for -inf: solve-identity": "a matrix that is drawn is seldom infinite",
    "swapped 13: one-by-step-around": "only where a formula is 0: at 4 and 1, say",
    "wrong for the greatest number: log-div-softmax": "rounding may make the quotient infinite",
    "unguarded 2: last-of-cumulate": "of infinite complex products alone, and of few of them",
    "wrong for 0: power-less-one-by-exponential": "only beside an exponent that is not negative",
    "wrong for length 0: take-run": "only where another axis than the first has no elements",
}
"""Wrong laws that the checker passes, by name, and why it does: of the suite's edits, and of those
of other samples, as ``--every 62 --from 20`` and ``--every 62 --from 26``."""
