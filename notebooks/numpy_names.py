"""Writes ``pages/numpy_names.md``: which functions of NumPy and SciPy take variables.

``python notebooks/numpy_names.py`` writes the page anew. A name that is neither there nor explained
here is an error.
"""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from relgraph.tensor.numpy_protocol import table
from relgraph.tensor.type import TensorVariable

PAGE = Path(__file__).parent / "pages" / "numpy_names.md"

# Why a function is left out, by the names of those that are. Where a variable could stand in a call
# of it, and there is a graph of a fixed dtype for the result, the reason begins with "not yet".
LEFT_OUT: dict[str, str] = {
    "it makes an array of numbers alone: call NumPy's, and give the array": (
        "array asarray_chkfinite bartlett blackman hamming hanning kaiser from_dlpack frombuffer "
        "fromfile fromfunction fromiter fromregex fromstring genfromtxt load loadtxt mask_indices "
        "diag_indices empty identity fft.fftfreq fft.rfftfreq bmat "
        "asmatrix"
    ),
    "it changes its argument, and a variable never changes: `set_subtensor`, `where`": (
        "copyto fill_diagonal place putmask"
    ),
    "it is about dtypes, storage or settings, not about values": (
        "asfortranarray can_cast common_type einsum_path get_include get_printoptions getbufsize "
        "geterr geterrcall info isdtype isfortran isscalar issubdtype iterable may_share_memory "
        "min_scalar_type mintypecode nested_iters printoptions promote_types require result_type "
        "set_printoptions setbufsize seterr seterrcall shares_memory show_config show_runtime "
        "test typename linalg.test fft.test broadcast_shapes frompyfunc"
    ),
    "it makes or writes text and files": (
        "array2string array_repr array_str base_repr binary_repr format_float_positional "
        "format_float_scientific save savetxt savez savez_compressed"
    ),
    "no variable is a date": (
        "busday_count busday_offset datetime_as_string datetime_data is_busday isnat"
    ),
    "the dtype of its result depends on the values": "real_if_close roots sort_complex",
    "the length of its result depends on where coefficients or elements are zero": (
        "polydiv polymul trim_zeros"
    ),
    "it calls a function of Python's on parts, which is a loop: write it with `scan`": (
        "apply_along_axis apply_over_axes"
    ),
    "a variable has no storage": (
        "ndarray.base ndarray.ctypes ndarray.data ndarray.device ndarray.dump ndarray.dumps "
        "ndarray.flags ndarray.getfield ndarray.itemsize ndarray.nbytes ndarray.setfield "
        "ndarray.setflags ndarray.strides ndarray.to_device ndarray.tobytes ndarray.tofile "
        "ndarray.view ndarray.byteswap"
    ),
    "a variable has no values before a `function` is called": "ndarray.item ndarray.tolist",
    "a variable never changes": "ndarray.fill ndarray.put ndarray.resize",
    "not yet: it packs bits": "packbits unpackbits",
    "not yet: bins in several dimensions": "histogram2d histogramdd",
    "not yet: `relgraph.tensor.linalg.lstsq` of `vander` does it": "poly polyfit",
    "SciPy ends the process where an order is nan": (
        "mathieu_cem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 mathieu_sem "
        "obl_ang1 obl_ang1_cv obl_cv obl_rad1 obl_rad1_cv obl_rad2 obl_rad2_cv "
        "pro_ang1 pro_ang1_cv pro_cv pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv"
    ),
}

_REASONS = {name: reason for reason, names in LEFT_OUT.items() for name in names.split()}


def public_names() -> dict[str, list[str]]:
    """Return the names of functions by section: NumPy's own, those of its modules, SciPy's."""

    def functions(module: Any, prefix: str) -> list[str]:
        return [
            prefix + name
            for name in dir(module)
            if not name.startswith("_")
            and callable(getattr(module, name))
            and not isinstance(getattr(module, name), type)
        ]

    return {
        "numpy": functions(np, ""),
        "numpy.linalg": functions(np.linalg, "linalg."),
        "numpy.fft": functions(np.fft, "fft."),
        "numpy.ndarray": [f"ndarray.{n}" for n in dir(np.ndarray) if not n.startswith("_")],
        "scipy.special": [n for n in dir(special) if isinstance(getattr(special, n), np.ufunc)],
    }


def ours(name: str) -> str | None:
    """Return what a name of NumPy's or SciPy's is called here; None if it is not here."""
    if name.startswith("ndarray."):
        method = name.removeprefix("ndarray.")
        return f"TensorVariable.{method}" if hasattr(TensorVariable, method) else None
    known = table().get(name)
    if known is None:
        # some functions have several names: `numpy.acos` is `numpy.arccos`
        own = getattr(getattr(np, name, None), "__name__", "")
        known = table().get(own)
    return None if known is None else known[0]


def explained(name: str) -> str | None:
    """Return why a name is left out; None if nothing is said of it."""
    return _REASONS.get(name)


def share_there() -> float:
    """Return which part of the names that make sense for fixed dtypes is here."""
    names = [name for section in public_names().values() for name in section]
    sensible = [n for n in names if ours(n) or (explained(n) or "").startswith("not yet")]
    return sum(ours(n) is not None for n in sensible) / len(sensible)


def page() -> str:
    """Return the text of the page.

    Raises
    ------
    LookupError
        If a name is neither here nor explained.
    """
    lines = [
        "# NumPy's and SciPy's functions on variables",
        "",
        "A function of this table, called on a variable of relgraph, makes a graph: `np.exp(x)`,",
        "`np.linalg.solve(a, b)`, `special.ndtr(x)`. In a law it makes a term. The second column",
        "is the name in `relgraph.tensor`, or why there is none.",
        "",
        "`array == x` and `np.equal(array, x)` with an array first can't be told apart: both are",
        "False, as `x == array` is. Write `np.equal(x, array)`.",
        "",
        "This page is written by `python notebooks/numpy_names.py`.",
        "",
    ]
    for section, names in public_names().items():
        here = [n for n in names if ours(n) is not None]
        lines += [f"## {section}", "", f"{len(here)} of {len(names)}.", ""]
        lines += ["| function | here |", "|---|---|"]
        for name in names:
            found, why = ours(name), explained(name)
            if found is None and why is None:
                raise LookupError(f"{section}: nothing is said of {name}")
            short = name.split(".")[-1]
            lines.append(f"| `{short}` | {why if found is None else f'`{found}`'} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
