"""PyTensor's names: those of the oldest version and of the newest, and nothing misspelt."""

from __future__ import annotations

from types import ModuleType

import pytensor.tensor as pt
import pytest

import relgraph.tensor as at
from relgraph.bridges.pytensor import counterparts, reading_ops
from relgraph.bridges.pytensor.counterparts import PAIRS, axis_and_others, named, present
from relgraph.bridges.pytensor.reading import BY_ADDRESS

# Scalar ops are looked for by the names that they have here, in both of PyTensor's modules.
SCALARS = {address for address in PAIRS if named(address) is not None}
ADDRESSES = {*BY_ADDRESS, *reading_ops.FORMULAS, *reading_ops.OF_STACKS, *SCALARS}
# What the oldest version has and the newest has not.
GONE = {
    *[f"scalar.basic.{name}" for name in ("Deg2Rad", "Rad2Deg")],
    *[f"scalar.math.{name}" for name in ("GammaL", "GammaU")],
    *[f"tensor.subtensor.Advanced{name}" for name in ("IncSubtensor1", "Subtensor1")],
    *("tensor.blas.Ger", "tensor.special.SoftmaxGrad"),
}
# What the newest version has and the oldest has not.
NEW = {f"tensor.special.{name}" for name in ("LogAddExp", "LogSumExp", "XLog1PY", "XLogY")}


def test_every_op_in_a_table_is_one_of_pytensor() -> None:
    absent = {address for address in ADDRESSES if named(address) is None}
    assert absent <= GONE | NEW
    assert GONE | NEW <= ADDRESSES


def test_scalar_ops_of_the_same_name_are_known() -> None:
    assert len(SCALARS) > 60
    assert {"scalar.basic.cosh", "scalar.math.softplus", "scalar.math.psi"} <= SCALARS


def test_a_table_leaves_out_what_is_not_there() -> None:
    table = {
        "tensor.elemwise.Elemwise": 1,
        "tensor.elemwise.NoSuchOp": 2,
        "tensor.no_such_module.Elemwise": 3,
    }
    assert present(table) == {type(pt.exp): 1}


def test_what_moved_is_found_at_its_new_address_and_at_its_old_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(counterparts._MOVED, "no_such_module.exp", "tensor.exp")
    assert named("no_such_module.exp") is pt.exp
    assert named("conditional.op.IfElse").__name__ == "IfElse"


def test_what_fails_within_pytensor_is_no_missing_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str) -> ModuleType:
        raise ModuleNotFoundError("No module named 'numba'", name="numba")

    monkeypatch.setattr(counterparts, "import_module", fails)
    with pytest.raises(ModuleNotFoundError, match="numba"):
        named("scan.op.Scan")


def test_the_axis_is_a_parameter_or_an_input() -> None:
    class OfNew:
        __props__ = ("axis",)
        axis = 1

    class OfOld:
        __props__ = ()

    assert axis_and_others(OfNew(), ["a", "b"], 0) == (1, ["a", "b"])
    one = at.constant(1)
    assert axis_and_others(OfOld(), [one, "a", "b"], 0) == (1, ["a", "b"])
    assert axis_and_others(OfOld(), ["a", at.lscalar("k"), "b"], 1) == (None, ["a", "b"])
