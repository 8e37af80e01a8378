"""Operations that move elements: shapes, indices, joins; and products of matrices."""

from __future__ import annotations

from random import Random

import numpy as np

from tests.fuzz.operations import Draw, Operation, Texts, _axes, _fixed, _same


def _reshape(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    n = x.size
    shapes = [(n,), (1, n), (n, 1)]
    shapes += [(p, n // p) for p in (2, 3, 5) if n % p == 0]
    shapes += [(2, n // 6, 3)] if n % 6 == 0 else []
    shape = list(rng.choice(shapes))
    if n > 0 and rng.random() < 0.4:
        shape[rng.randrange(len(shape))] = -1
    return _same(f"np.reshape({{0}}, {tuple(shape)})")


def _transpose(rng: Random, args: list[np.ndarray]) -> Texts | None:
    n = args[0].ndim
    if n < 2:
        return None
    if rng.random() < 0.5:
        return _same("{0}.T")
    if rng.random() < 0.5:
        return _same(f"np.transpose({{0}}, {tuple(rng.sample(range(n), n))})")
    name = rng.choice(("swapaxes", "moveaxis"))
    return _same(f"np.{name}({{0}}, {rng.randrange(-n, n)}, {rng.randrange(-n, n)})")


def _expand(rng: Random, args: list[np.ndarray]) -> Texts | None:
    n = args[0].ndim
    if n > 2:
        return None
    if n == 1 and rng.random() < 0.5:
        return _same(rng.choice(("{0}[:, None]", "{0}[None, :]", "{0}[None]")))
    return _same(f"np.expand_dims({{0}}, {rng.randrange(n + 1)})")


def _squeeze(rng: Random, args: list[np.ndarray]) -> Texts | None:
    ones = [i for i, n in enumerate(args[0].shape) if n == 1]
    return _same(f"np.squeeze({{0}}, {rng.choice(ones)})") if ones else None


def _broadcast(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    if x.ndim > 2:
        return None
    text = f"broadcast_to({{0}}, {(rng.choice((1, 2, 3)), *x.shape)})"
    return f"np.array(np.{text}, order='C')", f"at.{text}"


def _repetition(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    axis = _axes(rng, x, False)
    name = rng.choice(("repeat", "roll", "flip", "tile"))
    if name == "flip":
        return _same(f"np.flip({{0}}, {axis})")
    if name == "tile":
        reps = tuple(rng.choice((1, 2)) for _ in range(max(x.ndim, 1)))
        return _same(f"np.tile({{0}}, {reps})")
    count = rng.choice((0, 1, 2)) if name == "repeat" else rng.choice((-2, -1, 1, 4))
    return _same(f"np.{name}({{0}}, {count}, axis={axis})")


def _diagonals(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    k = rng.choice((-1, 0, 0, 1))
    if x.ndim == 1:
        return _same(f"np.diag({{0}}, {k})")
    if x.ndim != 2:
        return None
    name = rng.choice(("diagonal", "trace", "tril", "triu", "diag"))
    return _same(f"np.{name}({{0}}, {k})")


def _made(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    if x.ndim > 0 and rng.random() < 0.4:
        axis = rng.randrange(x.ndim)
        return rng.choice(
            (
                (f"np.int64({{0}}.shape[{axis}])", f"{{0}}.shape[{axis}]"),
                ("np.int64({0}.size)", "{0}.size"),
                (f"np.arange({{0}}.shape[{axis}])", f"at.arange({{0}}.shape[{axis}])"),
                ("np.array({0}.shape, 'int64')", "{0}.shape"),
                (f"np.ones({{0}}.shape[{axis}])", f"at.ones({{0}}.shape[{axis}])"),
            )
        )
    name = rng.choice(("zeros_like({0})", "ones_like({0})", "full_like({0}, 2)"))
    return _same(f"np.{name}")


_SHAPES_OF_ONE = (
    ("np.reshape({0}, (-1, {0}.shape[-1]))", "at.reshape({0}, (-1, {0}.shape[-1]))"),
    ("np.reshape({0}, {0}.shape[::-1])", "at.reshape({0}, {0}.shape[::-1])"),
    ("np.ones({0}.shape)", "at.ones({0}.shape)"),
    ("np.full({0}.shape, 2.5)", "at.full({0}.shape, 2.5)"),
    ("np.eye({0}.shape[0])", "at.eye({0}.shape[0])"),
    ("{0}[:{0}.shape[0] - 1]", "{0}[:{0}.shape[0] - 1]"),
    ("{0}[{0}.shape[0] - 1]", "{0}[{0}.shape[0] - 1]"),
    ("np.sum({0}, axis=0) / np.int64({0}.shape[0])", "at.sum({0}, axis=0) / {0}.shape[0]"),
    ("np.array(np.exp({0}).T.shape, 'int64')", "at.exp({0}).T.shape"),
    ("{0}[np.arange({0}.shape[0])]", "{0}[at.arange({0}.shape[0])]"),
    ("{0}[np.arange({0}.shape[0]), 0]", "{0}[at.arange({0}.shape[0]), 0]"),
)


def _by_shape(rng: Random, args: list[np.ndarray]) -> Texts | None:
    return rng.choice(_SHAPES_OF_ONE) if args[0].ndim else None


def _like(rng: Random, args: list[np.ndarray]) -> Texts | None:
    """Shape a value like another."""
    x, y = args
    if x.size == y.size:
        return "np.reshape({0}, {1}.shape)", "at.reshape({0}, {1}.shape)"
    return _same("{0}[:{1}.shape[0]]") if x.ndim and y.ndim else None


def _filled_like(rng: Random, args: list[np.ndarray]) -> Texts | None:
    x, y = args
    if np.broadcast_shapes(x.shape, y.shape) != y.shape:
        return None
    return "np.array(np.broadcast_to({0}, {1}.shape), order='C')", "at.broadcast_to({0}, {1}.shape)"


def _by_number(rng: Random, args: list[np.ndarray]) -> Texts | None:
    """Index with integers that are variables."""
    x, i = args
    if x.ndim == 0 or i.ndim or i.dtype.kind not in "iu":
        return None
    texts = ["{0}[{1}:]", "{0}[:{1}]", "{0}[{1}::2]", "{0}[{1}::-1]", "{0}[..., {1}:]"]
    texts += ["{0}[{1}]"] if -len(x) <= int(i) < len(x) else []
    return _same(rng.choice(texts))


DTYPES = ("bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex128")


def _cast(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    dtype = rng.choice(DTYPES)
    if x.dtype.kind == "c" and dtype != "complex128":
        return None
    if np.dtype(dtype).kind in "iu" and x.dtype.kind == "f":
        bounds = np.iinfo(dtype)
        # floats between the greatest integer and the next power of two round up out of range
        if not np.all((x >= bounds.min) & (x < float(bounds.max) - 1)):
            return None
    return f"cast({{0}}, {dtype!r})", f"{{0}}.astype({dtype!r})"


SHAPES = [
    Operation(1, draw, False)
    for draw in (
        _reshape, _reshape, _transpose, _transpose, _transpose, _expand, _expand, _squeeze,
        _broadcast, _repetition, _diagonals, _made, _cast, _cast, _fixed("np.ravel({0})"),
        _fixed("{0}.flatten()"),
    )
]  # fmt: skip


def _slice(rng: Random, n: int) -> str:
    parts = ["", str(rng.randint(-n - 1, n + 1)), str(rng.randint(-n - 1, n + 1))]
    start, stop = rng.choice(parts), rng.choice(parts)
    step = rng.choice(("", "", ":1", ":2", ":-1", ":-1", ":-2"))
    return f"{start}:{stop}{step}"


def index_text(rng: Random, x: np.ndarray, plain: bool = False) -> str:
    """Return an index into an array: slices, ints, None, an ellipsis, and lists of ints."""
    parts: list[str] = []
    lists = 0
    for n in x.shape[: rng.randint(1, x.ndim)]:
        kind = rng.random()
        if kind < 0.3 and n > 0:
            parts.append(str(rng.randrange(-n, n)))
        elif kind < 0.42 and n > 0 and not lists and not plain:
            lists += 1
            parts.append(str([rng.randrange(-n, n) for _ in range(rng.choice((1, 2, 3)))]))
        else:
            parts.append(_slice(rng, n))
    if not plain and not lists and x.ndim < 3 and rng.random() < 0.1:
        parts.insert(rng.randint(0, len(parts)), "None")
    if rng.random() < 0.1:
        whole = len(parts) == x.ndim and "None" not in parts
        parts.insert(0 if whole and rng.random() < 0.5 else len(parts), "...")
    return ", ".join(parts)


def _part(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    return _same(f"{{0}}[{index_text(rng, x)}]") if x.ndim else None


def _suits(index: np.ndarray, length: int) -> bool:
    if index.dtype.kind not in "iu" or index.ndim > 2:
        return False
    return bool(np.all((index.astype(float) >= -length) & (index.astype(float) < length)))


def _by_array(rng: Random, args: list[np.ndarray]) -> Texts | None:
    """Index by an array of integers, or by a mask."""
    x, index = args
    if index.dtype.kind == "b" and 0 < index.ndim <= x.ndim:
        return _same("{0}[{1}]") if index.shape == x.shape[: index.ndim] else None
    places = [i for i, n in enumerate(x.shape) if _suits(index, n)]
    if not places:
        return None
    place = rng.choice(places)
    if rng.random() < 0.3:
        return f"np.take({{0}}, {{1}}, axis={place})", f"at.take({{0}}, {{1}}, axis={place})"
    rest = rng.choice(("", ", ::-1", ", 1:")) if place == 0 and x.ndim > 1 else ""
    return _same(f"{{0}}[{':, ' * place}{{1}}{rest}]")


def _by_two(rng: Random, args: list[np.ndarray]) -> Texts | None:
    x, i, j = args
    if x.ndim < 2 or i.shape != j.shape or not (_suits(i, len(x)) and _suits(j, x.shape[1])):
        return None
    return _same("{0}[{1}, {2}]")


def _change(rng: Random, args: list[np.ndarray]) -> Texts | None:
    """Set or increment a part by an array of the same dtype."""
    x, y = args
    if x.ndim == 0 or x.dtype != y.dtype:
        return None
    index = index_text(rng, x, plain=rng.random() < 0.7)
    if "None" in index:
        return None
    part = eval(f"x[{index}]", {"x": x})
    # Only an axis known to be 1 broadcasts, so the shapes agree or there is but one number.
    if part.shape != y.shape and y.ndim:
        return None
    key = f"np.s_[{index}]"
    if rng.random() < 0.5:
        return f"set_({{0}}, {key}, {{1}})", f"at.set_subtensor({{0}}[{index}], {{1}})"
    return f"inc({{0}}, {key}, {{1}})", f"at.inc_subtensor({{0}}[{index}], {{1}})"


def _change_by_number(rng: Random, args: list[np.ndarray]) -> Texts | None:
    (x,) = args
    if x.ndim == 0 or x.dtype.kind == "b":
        return None
    index = index_text(rng, x, plain=True)
    if rng.random() < 0.5:
        return f"set_({{0}}, np.s_[{index}], 3)", f"at.set_subtensor({{0}}[{index}], 3)"
    return f"inc({{0}}, np.s_[{index}], 3)", f"at.inc_subtensor({{0}}[{index}], 3)"


INDEXING = [
    Operation(1, _part, False), Operation(1, _part, False), Operation(1, _part, False),
    Operation(2, _by_array, False), Operation(3, _by_two, False),
    Operation(2, _change), Operation(1, _change_by_number),
    Operation(1, _by_shape, True), Operation(1, _by_shape, True), Operation(2, _like, False),
    Operation(2, _filled_like, False, True), Operation(2, _by_number, False),
]  # fmt: skip


def _join(rng: Random, args: list[np.ndarray]) -> Texts | None:
    x, y = args
    if x.ndim != y.ndim:
        return None
    if x.shape == y.shape and (x.ndim == 0 or rng.random() < 0.5):
        axis = rng.randint(0, x.ndim)
        return _same(f"np.stack([{{0}}, {{1}}], axis={axis})") if x.ndim < 3 else None
    axes = [
        i for i in range(x.ndim)
        if x.shape[:i] + x.shape[i + 1 :] == y.shape[:i] + y.shape[i + 1 :]
    ]  # fmt: skip
    if not axes:
        return None
    axis = rng.choice(axes)
    if axis == 0 and rng.random() < 0.3:
        return _same("np.vstack([{0}, {1}])" if x.ndim > 1 else "np.hstack([{0}, {1}])")
    times = rng.choice(("{0}, {1}", "{0}, {1}, {0}", "{0}, {0}"))
    return _same(f"np.concatenate([{times}], axis={axis})")


def _matmul(x: str, y: str) -> Texts:
    return f"matmul({x}, {y})", f"{x} @ {y}"


def _dot(x: str, y: str) -> Texts:
    return f"dot({x}, {y})", f"at.dot({x}, {y})"


def _product(rng: Random, args: list[np.ndarray]) -> Texts | None:
    x, y = args
    if x.ndim == 0 or y.ndim == 0:
        return None
    if x.ndim < 3 and y.ndim < 3 and x.shape[-1] == y.shape[0]:
        return rng.choice((_dot("{0}", "{1}"), _matmul("{0}", "{1}")))
    if x.ndim == 2 and x.shape[0] == y.shape[0]:
        return rng.choice((_dot("{0}.T", "{1}"), _matmul("{0}.T", "{1}")))
    if y.ndim == 2 and x.ndim < 3 and x.shape[-1] == y.shape[1]:
        return _matmul("{0}", "{1}.T")
    if x.ndim == y.ndim == 1:
        return _same("np.outer({0}, {1})")
    if y.ndim > 1 and x.shape[-1] == y.shape[-2] and max(x.ndim, y.ndim) == 3:
        same = x.ndim == y.ndim == 3 and x.shape[0] == y.shape[0]
        if same or x.ndim != y.ndim:
            return _matmul("{0}", "{1}")
        return _same("np.tensordot({0}, {1}, 1)")
    return None


JOINS = [Operation(2, _join, False)]


def _gram(rng: Random, args: list[np.ndarray]) -> Texts | None:
    return _matmul("{0}", "{0}.T") if args[0].ndim in (1, 2) else None


PRODUCTS = [Operation(2, _product), Operation(1, _gram)]
__all__ = ["DTYPES", "INDEXING", "JOINS", "PRODUCTS", "SHAPES", "Draw"]
