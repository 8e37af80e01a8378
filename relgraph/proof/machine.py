"""Elements as machines compute them: scalar ops as terms of Z3 over IEEE numbers and bit vectors.

What an op is not known to compute is a function of which only the range is known, from its
record: what is proved then holds whatever it computes, and what is refuted may hold. NumPy leaves
open which of two zeros is the larger one, so that is such a function too.

Products and quotients are written as a sign and a magnitude: rounding to nearest is symmetric, and
equal magnitudes are one term, of which the solver need not know how it is computed. Remainders are
written by quotients for the same reason.

IEEE Standard 754-2019; Brain, Tinelli, Ruemmer and Wahl, An Automatable Formal Semantics for
IEEE-754 Floating-Point Arithmetic (2015).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.proof.elements import MOST_FACTORS, Elements, NotTranslated, Term, z3
from relgraph.scalar.op import EVERYWHERE, FoldOp, ScalarOp

_FORMATS = {"float16": (5, 11), "bfloat16": (8, 8), "float32": (8, 24), "float64": (11, 53)}
NEAREST = z3.RNE()
_ROUNDINGS = (z3.RNE, z3.RTN, z3.RTP, z3.RTZ)


def sort_of(dtype: str) -> Any:
    """Return the sort of the elements of a dtype."""
    if dtype == "bool":
        return z3.BoolSort()
    if dtype in _FORMATS:
        return z3.FPSort(*_FORMATS[dtype])
    kind = np.dtype(dtype)
    if kind.kind not in "iu":
        raise NotTranslated(f"elements of {dtype}")
    return z3.BitVecSort(8 * kind.itemsize)


def kind_of(dtype: str) -> str:
    """Return NumPy's letter for a dtype; bfloat16 is a float."""
    return "f" if dtype == "bfloat16" else np.dtype(dtype).kind


def literal(value: Any, dtype: str) -> Term:
    """Return a number as a term, rounded to a float dtype."""
    if dtype == "bool":
        return z3.BoolVal(bool(value))
    if kind_of(dtype) == "f":
        bits = int(np.float64(value).view(np.uint64))
        wide = z3.fpBVToFP(z3.BitVecVal(bits, 64), z3.FPSort(11, 53))
        return z3.simplify(z3.fpFPToFP(NEAREST, wide, sort_of(dtype)))
    return z3.BitVecVal(int(value), sort_of(dtype))


def converted(x: Term, dtype: str, wanted: str) -> Term:
    """Return an element in another dtype, as C converts it."""
    if dtype == wanted:
        return x
    old, new = kind_of(dtype), kind_of(wanted)
    if new == "b":
        return z3.Not(z3.fpIsZero(x)) if old == "f" else x != 0
    sort = sort_of(wanted)
    if old == "b":
        return z3.If(x, literal(1, wanted), literal(0, wanted))
    if old == "f":
        if new == "f":
            return z3.fpFPToFP(NEAREST, x, sort)
        to_integer = z3.fpToSBV if new == "i" else z3.fpToUBV
        return to_integer(z3.RTZ(), x, sort)
    if new == "f":
        convert = z3.fpSignedToFP if old == "i" else z3.fpUnsignedToFP
        return convert(NEAREST, x, sort)
    more = sort.size() - x.size()
    if more <= 0:
        return z3.Extract(sort.size() - 1, 0, x)
    return z3.SignExt(more, x) if old == "i" else z3.ZeroExt(more, x)


# -- ops -------------------------------------------------------------------------------------------

Computed = Callable[..., Term | None]
"""Takes the dtype in which an op computes and its arguments; None where it is not known."""


def _by_kind(**by_kind: Callable[..., Term] | None) -> Computed:
    def compute(dtype: str, *xs: Term) -> Term | None:
        function = by_kind.get(kind_of(dtype))
        return None if function is None else function(*xs)

    return compute


def _arithmetic(of_floats: Any, of_integers: Any = None, of_booleans: Any = None) -> Computed:
    return _by_kind(f=partial(of_floats, NEAREST), i=of_integers, u=of_integers, b=of_booleans)


def _ordered(floats: Any, signed: Any, unsigned: Any) -> Computed:
    def of_booleans(x: Term, y: Term) -> Term:
        return unsigned(*[z3.If(b, z3.BitVecVal(1, 2), z3.BitVecVal(0, 2)) for b in (x, y)])

    return _by_kind(f=floats, i=signed, u=unsigned, b=of_booleans)


def _equal(dtype: str, x: Term, y: Term) -> Term:
    return z3.fpEQ(x, y) if kind_of(dtype) == "f" else x == y


def magnitude(x: Term) -> Term:
    """Return the absolute value of a float, without signs that do not count."""
    while z3.is_app(x) and x.decl().kind() in (z3.Z3_OP_FPA_NEG, z3.Z3_OP_FPA_ABS):
        x = x.arg(0)
    return z3.fpAbs(x)


def _is_negative(x: Term) -> Term:
    """Return whether a float that is not nan has the sign minus, by its terms without signs."""
    negative = False
    while z3.is_app(x) and x.decl().kind() == z3.Z3_OP_FPA_NEG:
        x, negative = x.arg(0), not negative
    return z3.Not(z3.fpIsNegative(x)) if negative else z3.fpIsNegative(x)


def _signed(combine: Any) -> Callable[..., Term]:
    """Return a product or a quotient as a sign and a magnitude."""

    def compute(mode: Any, x: Term, y: Term) -> Term:
        size = combine(mode, magnitude(x), magnitude(y))
        negative = z3.Xor(_is_negative(x), _is_negative(y))
        return z3.If(negative, z3.fpNeg(size), size)

    return compute


_product, _quotient = _signed(z3.fpMul), _signed(z3.fpDiv)


def _square(x: Term) -> Term:
    """The square of an integer, which wraps around alike whatever the sign was."""
    if z3.is_app_of(x, z3.Z3_OP_ITE) and z3.eq(x.arg(1), -x.arg(2)):
        x = x.arg(2)
    return x * x


def _floor_of_quotient(x: Term, y: Term) -> Term:
    rest = x - x / y * y
    below = z3.And(rest != 0, (rest < 0) != (y < 0))
    return z3.If(y == 0, 0, z3.If(below, x / y - 1, x / y))


def _floor_unsigned(x: Term, y: Term) -> Term:
    return z3.If(y == 0, 0, z3.UDiv(x, y))


def _remainder(floor: Callable[..., Term]) -> Callable[..., Term]:
    def compute(x: Term, y: Term) -> Term:
        return z3.If(y == 0, 0, x - floor(x, y) * y)

    return compute


def _sign(dtype: str, x: Term) -> Term | None:
    one, zero = literal(1, dtype), literal(0, dtype)
    if kind_of(dtype) == "f":
        found = z3.If(z3.fpIsZero(x), zero, z3.If(z3.fpIsNegative(x), -one, one))
        return z3.If(z3.fpIsNaN(x), x, found)
    if kind_of(dtype) == "i":
        return z3.If(x == 0, zero, z3.If(x < 0, -one, one))
    return z3.If(x == 0, zero, one) if kind_of(dtype) == "u" else None


def _extreme(name: str, before: Computed) -> Computed:
    def compute(dtype: str, x: Term, y: Term) -> Term:
        found = z3.If(before(dtype, y, x), y, x)
        if kind_of(dtype) != "f":
            return found
        sort = sort_of(dtype)
        takes_first = z3.Function(f"{name} of zeros is the first", sort, sort, z3.BoolSort())
        zeros = z3.And(z3.fpIsZero(x), z3.fpIsZero(y))
        none = z3.Or(z3.fpIsNaN(x), z3.fpIsNaN(y))
        of_zeros = z3.If(takes_first(x, y), x, y)
        return z3.If(none, z3.fpNaN(sort), z3.If(zeros, of_zeros, found))

    return compute


def _itself(x: Term) -> Term:
    return x


def _to_whole(rounding: Any, of_booleans: Any = _itself) -> Computed:
    of_floats = partial(z3.fpRoundToIntegral, rounding)
    return _by_kind(f=of_floats, i=_itself, u=_itself, b=of_booleans)


def _bits(of_booleans: Any, of_integers: Any) -> Computed:
    return _by_kind(b=of_booleans, i=of_integers, u=of_integers)


def _is(test: Any) -> Computed:
    def of_others(x: Term) -> Term:
        return z3.BoolVal(False)

    return _by_kind(f=test, i=of_others, u=of_others, b=of_others)


def _reciprocal(x: Term) -> Term:
    return _quotient(NEAREST, z3.FPVal(1.0, x.sort()), x)


def _power(dtype: str, x: Term, y: Term) -> Term | None:
    """A power of 1, or to 0; to a number by which NumPy squares, takes the root or divides; of an
    integer to a small one."""
    if z3.eq(x, literal(1, dtype)) or z3.eq(y, literal(0, dtype)):
        return literal(1, dtype)
    if kind_of(dtype) != "f":
        count = y.as_long() if z3.is_bv_value(y) else MOST_FACTORS
        return reduce(lambda a, b: a * b, [x] * count) if count < MOST_FACTORS else None
    if dtype == "float16":
        return None
    powers = ((1, x), (2, _product(NEAREST, x, x)), (0.5, z3.fpSqrt(NEAREST, x)))
    known = (*powers, (-1, _reciprocal(x)))
    return next((found for n, found in known if z3.eq(y, literal(n, dtype))), None)


LESS = _ordered(z3.fpLT, lambda x, y: x < y, z3.ULT)
LESS_EQUAL = _ordered(z3.fpLEQ, lambda x, y: x <= y, z3.ULE)

OPS: dict[str, Computed] = {
    "add": _arithmetic(z3.fpAdd, lambda x, y: x + y, z3.Or),
    "sub": _arithmetic(z3.fpSub, lambda x, y: x - y),
    "mul": _arithmetic(_product, lambda x, y: x * y, z3.And),
    "true_div": _arithmetic(_quotient),
    "int_div": _by_kind(i=_floor_of_quotient, u=_floor_unsigned),
    "mod": _by_kind(i=_remainder(_floor_of_quotient), u=_remainder(_floor_unsigned)),
    "neg": _by_kind(f=z3.fpNeg, i=lambda x: -x, u=lambda x: -x),
    "abs": _by_kind(f=z3.fpAbs, i=lambda x: z3.If(x < 0, -x, x), u=lambda x: x, b=lambda x: x),
    "sqr": _arithmetic(lambda mode, x: _product(mode, x, x), _square),
    "sqrt": _arithmetic(z3.fpSqrt),
    "reciprocal": _by_kind(f=_reciprocal),
    "pow": _power,
    "sign": _sign,
    "eq": _equal,
    "neq": lambda dtype, x, y: z3.Not(_equal(dtype, x, y)),
    "lt": LESS,
    "le": LESS_EQUAL,
    "gt": lambda dtype, x, y: LESS(dtype, y, x),
    "ge": lambda dtype, x, y: LESS_EQUAL(dtype, y, x),
    "maximum": _extreme("maximum", lambda dtype, x, y: LESS(dtype, y, x)),
    "minimum": _extreme("minimum", LESS),
    "floor": _to_whole(z3.RTN()),
    "ceil": _to_whole(z3.RTP()),
    "trunc": _to_whole(z3.RTZ()),
    "round": _to_whole(z3.RNE(), lambda x: converted(x, "bool", "float16")),
    "isnan": _is(z3.fpIsNaN),
    "isinf": _is(z3.fpIsInf),
    "and_": _bits(z3.And, lambda x, y: x & y),
    "or_": _bits(z3.Or, lambda x, y: x | y),
    "xor": _bits(z3.Xor, lambda x, y: x ^ y),
    "invert": _bits(z3.Not, lambda x: ~x),
    "imag": lambda dtype, x: literal(0, dtype),
}
"""What scalar ops compute, by name, where that is known."""


def _sign_bit(x: Term) -> Term:
    of_none = z3.Function("sign of nan", x.sort(), z3.BoolSort())
    return z3.If(z3.fpIsNaN(x), of_none(x), z3.fpIsNegative(x))


_OF_GUARDS: dict[str, Computed] = {
    "signbit": _by_kind(f=_sign_bit),
    "is_discrete": lambda dtype, x: z3.BoolVal(kind_of(dtype) != "f"),
    "product_fits": _by_kind(
        i=lambda x, y: z3.BVMulNoOverflow(x, y, True),
        u=lambda x, y: z3.BVMulNoOverflow(x, y, False),
        f=lambda x, y: z3.BoolVal(False),
    ),
}


def _with_sign(dtype: str, x: Term) -> Term:
    """Return an integer in one bit more, signed."""
    return z3.SignExt(1, x) if kind_of(dtype) == "i" else z3.ZeroExt(1, x)


def _not_known(dtype: str, *xs: Term) -> None:
    return None


def applied(
    op: ScalarOp, xs: Sequence[Term], dtypes: Sequence[str], out: str, assumed: list[Term]
) -> Term:
    """Return a scalar op applied to elements of some dtypes, as an element of a dtype; what is
    known of it otherwise is added to `assumed`."""
    if op.name == "clip":
        x, low, high = (converted(v, d, out) for v, d in zip(xs, dtypes, strict=True))
        found = OPS["minimum"](out, OPS["maximum"](out, x, low), high)
        return z3.If(z3.fpEQ(found, x), x, found) if kind_of(out) == "f" else found
    compute = OPS.get(op.name) or _OF_GUARDS.get(op.name, _not_known)
    loop = _loop(op, dtypes, out)
    given = [converted(x, d, w) for x, d, w in zip(xs, dtypes, loop, strict=True)]
    found = None
    if isinstance(op, FoldOp):
        found = given[0]
        for x in given[1:]:
            found = None if found is None else compute(loop[0], found, x)
    elif len(set(loop)) == 1:
        found = compute(loop[0], *given)
    elif out == "bool" and set(map(kind_of, loop)) == {"i", "u"}:
        # NumPy compares integers with and without a sign as numbers
        found = compute("int64", *map(_with_sign, loop, given))
    return _unknown(op, given, loop, out, assumed) if found is None else found


def _loop(op: ScalarOp, dtypes: Sequence[str], out: str) -> Sequence[str]:
    """Return the dtypes in which NumPy computes an op, which its arguments are converted to."""
    if isinstance(op, FoldOp):
        return (out,) * len(dtypes)
    ufunc = op.ufunc
    if isinstance(ufunc, np.ufunc) and ufunc.nin == len(dtypes) and "bfloat16" not in dtypes:
        loop = ufunc.resolve_dtypes((*map(np.dtype, dtypes), *[None] * ufunc.nout))
        return [d.name for d in loop[: ufunc.nin]]
    common = set(dtypes)
    return tuple(dtypes) if len(common) == 1 else (out,) * len(dtypes)


def _unknown(
    op: ScalarOp, xs: Sequence[Term], loop: Sequence[str], out: str, assumed: list[Term]
) -> Term:
    sorts = [*map(sort_of, loop), sort_of(out)]
    found = z3.Function(f"{op} {' '.join(loop)} {out}", *sorts)(*xs)
    if op.name == "int_div" and kind_of(out) == "f":
        # it is a whole number, infinite, or nan: all of these are what they are rounded to
        assumed += [z3.fpRoundToIntegral(mode(), found) == found for mode in _ROUNDINGS]
    low, high = op.facts.range
    if kind_of(out) == "f" and (low, high) != EVERYWHERE:
        ends = [literal(end, out) for end in (low, high)]
        inside = z3.And(z3.fpLEQ(ends[0], found), z3.fpLEQ(found, ends[1]))
        assumed.append(z3.Or(inside, z3.fpIsNaN(found)))
    return found


# -- graphs ----------------------------------------------------------------------------------------


class Translation(Elements):
    """The elements of variables as machines compute them.

    Parameters
    ----------
    inputs, nodes
        See `Elements`.
    renamed
        Dtypes that are replaced: float32 by bfloat16, say.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        nodes: Sequence[Apply],
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        self._renamed = dict(renamed or {})
        super().__init__(inputs, nodes)

    def dtype(self, v: Any) -> str:
        found = super().dtype(v)
        return self._renamed.get(found, found)

    def is_unknown(self) -> bool:
        """Return whether a term has a function of which nothing is known."""
        return any(_has_function(term) for term in self._terms.values())

    def _constant(self, v: Variable) -> Term:
        return z3.Const(f"{v}", sort_of(self.dtype(v)))

    def _number(self, number: Any, v: Variable) -> Term:
        return literal(number, self.dtype(v))

    def _converted(self, x: Term, dtype: str, wanted: str) -> Term:
        return converted(x, dtype, wanted)

    def _applied(self, op: ScalarOp, xs: Sequence[Term], dtypes: Sequence[str], out: str) -> Term:
        return applied(op, xs, dtypes, out, self.assumed)

    def _value(self, found: Term, dtype: str) -> Any:
        if dtype == "bool":
            return np.bool_(z3.is_true(found))
        if kind_of(dtype) == "f" and z3.is_true(z3.simplify(z3.fpIsNaN(found))):
            return np.dtype(dtype).type(np.nan)
        bits = z3.simplify(z3.fpToIEEEBV(found)) if kind_of(dtype) == "f" else found
        size = np.dtype(dtype).itemsize
        return np.frombuffer(bits.as_long().to_bytes(size, "little"), dtype)[0]


def _has_function(term: Term) -> bool:
    stack, seen = [term], set()
    while stack:
        part = stack.pop()
        if part.get_id() in seen:
            continue
        seen.add(part.get_id())
        if z3.is_app(part) and part.decl().kind() == z3.Z3_OP_UNINTERPRETED and part.num_args():
            return True
        stack += part.children()
    return False
