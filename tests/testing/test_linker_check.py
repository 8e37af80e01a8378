import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing import check_linker, graphs
from relgraph.testing.linker_check import _find_misbehaviour
from relgraph.vm import LINKERS
from tests.seeds import seed_of


@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_the_vm_computes_what_graphs_mean(optimizer):
    found = check_linker("vm", optimizer, examples=100, seed=seed_of("vm", optimizer))
    assert found.passed, found
    assert found.graphs >= 90
    assert len(found.ops) > 30


def test_the_reference_linker():
    assert check_linker(
        "py", graphs=graphs(ops=[at.exp, at.sum, at.getitem]), examples=50, seed=seed_of("py")
    ).passed


class Wrong:
    """A linker that does something to what another one makes."""

    name = "wrong"

    def __init__(self, spoil):
        self.spoil = spoil

    def link(self, fgraph):
        run = LINKERS["py"].link(fgraph)
        kept = []

        def wrongly(*values):
            return self.spoil(run, kept, values)

        return wrongly


def adds(run, kept, values):
    return [out + out.dtype.type(1) for out in run(*values)]


def overwrites(run, kept, values):
    found = [np.array(out) for out in run(*values)]
    for v in values:
        if v.flags.writeable:
            v.fill(3)
    return found


def gives_arguments(run, kept, values):
    return [values[0] for _ in run(*values)]


def keeps_storage(run, kept, values):
    found = run(*values)
    if not kept:
        kept.extend(np.array(out) for out in found)
    for mine, out in zip(kept, found, strict=True):
        mine[...] = out
    return kept


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (adds, "output 0 of the first call differs"),
        (overwrites, "argument 0 is modified"),
        (keeps_storage, "the first call, after the second one, differs"),
    ],
)
def test_wrong_linkers_are_found(spoil, text, monkeypatch):
    monkeypatch.setitem(LINKERS, "wrong", Wrong(spoil))
    found = check_linker("wrong", graphs=graphs(ops=[at.add], dtypes="float64"), examples=100)
    assert not found.passed
    assert text in found.problem
    assert "mode = Mode('wrong', None)" in found.problem


def test_results_that_are_arguments():
    class Graph:
        inputs = outputs = [at.dvector("x")]

    value = np.arange(3.0)
    found = _find_misbehaviour(lambda x: [x], Graph, [value], [value + 1])
    assert found == "result 0 shares storage with argument 0"
