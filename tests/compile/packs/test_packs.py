"""Rule packs: one that is installed by pip, and ones that are not as they should be."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.__main__ import main
from relgraph.compile import Mode, PackError, function, installed_packs, optdb, optimize_graph
from relgraph.compile.packs import laws_of_pack

ROOT = Path(__file__).parents[3]
EXAMPLE = Path(__file__).parent / "example_pack"
X = at.dvector("x")
HAVERSINE = (1 - at.cos(X)) / 2
ARCS = at.arcsin(X) + at.arccos(X)


@pytest.fixture(scope="module")
def site(tmp_path_factory: Any) -> Path:
    """A folder into which pip has installed the example pack."""
    target: Path = tmp_path_factory.mktemp("site")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", *offline, "--target", target, EXAMPLE],
        check=True,
        timeout=120,
    )
    return target


@pytest.fixture
def installed(site: Path, monkeypatch: Any) -> None:
    monkeypatch.syspath_prepend(site)
    laws_of_pack.cache_clear()


def ops(output: Any, mode: Mode) -> list[str]:
    return [str(node.op) for node in function([X], output, mode).maker.fgraph.toposort()]


def plain(*tags: str) -> Mode:
    """The default mode with packs, without fusion."""
    return Mode().excluding("elemwise_fusion", "inplace").including(*tags)


@pytest.mark.usefixtures("installed")
def test_a_mode_applies_its_laws() -> None:
    assert "angles" in installed_packs()
    mode = plain("pack:angles")
    assert ops(HAVERSINE, plain()) != ops(HAVERSINE, mode)
    assert "cos" not in ops(HAVERSINE, mode)
    angles = [1e-9, 0.5, 3.0]
    true = np.sin(np.array(angles) / 2) ** 2
    np.testing.assert_allclose(function([X], HAVERSINE, mode)(angles), true, rtol=1e-14)
    # as it is written no law of the pack matches; the phases take out the factor between
    hidden = at.arcsin(X) * at.exp(X) / at.exp(X) + at.arccos(X)
    assert "arccos" in ops(hidden, plain()) and "arccos" not in ops(hidden, mode)


@pytest.mark.usefixtures("installed")
def test_queries_select_its_laws_by_their_tags() -> None:
    assert "arccos" in ops(ARCS, plain("pack:angles").excluding("finite"))
    assert "arccos" in ops(ARCS, plain("pack:angles").excluding("complementary-arcs"))
    assert "arccos" not in ops(ARCS, plain("pack:angles").excluding("haversine"))
    assert "arccos" in ops(ARCS, plain("pack:angles").excluding("pack:angles"))
    round_trip = at.arcsin(at.sin(X))
    assert ops(round_trip, plain("pack:angles")) == ["sin", "arcsin"]
    assert "arcsin" not in ops(round_trip, plain("pack:angles", "unsafe"))
    assert ops(round_trip, plain("unsafe")) == ["sin", "arcsin"]


@pytest.mark.usefixtures("installed")
def test_every_query_of_optdb_takes_it() -> None:
    alone = optimize_graph(ARCS, include=["pack:angles"])
    assert "arccos" not in str(alone.owner)
    found = optdb.query("+fast_run", "+pack:angles", "-finite")
    assert [opt.name for opt in found].count("pack:angles") == 2
    mode = Mode(optimizer=None).including("pack:angles")
    assert "arccos" not in ops(ARCS, mode)
    with pytest.raises(ValueError, match=r"no pack called 'angels' .*did you mean angles"):
        Mode().including("pack:angels")


@pytest.mark.usefixtures("installed")
def test_it_is_taken_out_again() -> None:
    mode = plain("pack:angles")
    assert ops(HAVERSINE, mode.unregister("pack:angles")) == ops(HAVERSINE, plain())
    with pytest.raises(KeyError, match="it has pack:angles"):
        mode.unregister("haversine")
    with pytest.raises(KeyError, match="it has no law"):
        mode.unregister("pack:angles").unregister("pack:angles")


@pytest.mark.usefixtures("installed")
def test_a_mode_with_a_pack_is_pickled_by_its_name() -> None:
    mode = plain("pack:angles")
    stored = pickle.dumps(mode)
    assert b"relgraph_angles" not in stored
    assert ops(HAVERSINE, pickle.loads(stored)) == ops(HAVERSINE, mode)
    f = pickle.loads(pickle.dumps(function([X], HAVERSINE, mode)))
    np.testing.assert_allclose(f([0.5]), np.sin(0.25) ** 2)


@pytest.mark.usefixtures("installed")
def test_the_command_line_finds_it(capsys: Any) -> None:
    assert main(["laws", "--packs"]) == 0
    listed = capsys.readouterr().out
    assert "haversine" in listed and listed.rstrip().endswith("laws")
    assert main(["laws", "pack:angles", "--sound", "domain"]) == 0
    assert "arcsin-of-sin" in capsys.readouterr().out
    assert main(["check", "--packs", "--law", "haversine", "--examples", "20"]) == 0
    assert "1 passed" in capsys.readouterr().out
    assert main(["check", "pack:angels"]) == 2
    assert "did you mean angles?" in capsys.readouterr().err


def test_nothing_of_it_is_imported_unasked(site: Path) -> None:
    code = """
import sys
import relgraph.tensor as at
from relgraph.compile import Mode, function, installed_packs
x = at.dvector("x")
function([x], at.sin(x), Mode().excluding("finite"))
assert "angles" in installed_packs()
print("relgraph_angles" in sys.modules)
Mode().including("pack:angles")
print("relgraph_angles" in sys.modules)
"""
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(site)])}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=paths, capture_output=True, text=True, timeout=120
    )
    assert ran.stdout.split() == ["False", "True"], ran.stderr


# -- packs that are not as they should be ----------------------------------------------------------

LAW = """
from relgraph import law, lvars
from relgraph.tensor import exp
x = lvars("x")
ONE = law("one", exp(x) / exp(x), 1, sound="finite")
OTHER = law("one", exp(x) - exp(x), 0, sound="finite")
"""
WRONG = {
    "nothing": ("LAWS = ()", "broken:LAWS", "holds no laws"),
    "a number": ("LAWS = (3,)", "broken:LAWS", "is to hold laws, and holds 3"),
    "a name": ("LAWS = ()", "broken:TABLE", "can't be imported: AttributeError.*TABLE"),
    "a module": ("", "broken_too:LAWS", "can't be imported: ModuleNotFoundError.*broken_too"),
    "an error": ("1 / 0", "broken:LAWS", "can't be imported: ZeroDivisionError"),
    "two": (LAW, "broken", "has two laws called one"),
}


def install(folder: Path, module: str, entry: str, distribution: str = "broken") -> None:
    """Put a module and what pip notes about its distribution into a folder."""
    info = folder / f"{distribution}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[relgraph.laws]\nwrong = {entry}\n")
    (folder / "broken.py").write_text(module)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Any) -> Any:
    monkeypatch.syspath_prepend(tmp_path)
    laws_of_pack.cache_clear()
    yield tmp_path
    sys.modules.pop("broken", None)


@pytest.mark.parametrize("what", WRONG)
def test_an_error_names_the_pack_and_what_it_lacks(folder: Path, what: str) -> None:
    module, entry, message = WRONG[what]
    install(folder, module, entry)
    with pytest.raises(PackError, match=f"the pack 'wrong' of broken .{entry}. {message}"):
        Mode().including("pack:wrong")


def test_two_packs_of_one_name(folder: Path) -> None:
    install(folder, LAW, "broken:ONE")
    install(folder, LAW, "broken:OTHER", "other")
    with pytest.raises(PackError, match=r"several packs are called 'wrong': .*other.*broken:OTHER"):
        laws_of_pack("wrong")


def test_one_law_and_a_module_are_packs_too(folder: Path) -> None:
    install(folder, LAW.partition("OTHER")[0], "broken")
    assert [law.name for law in laws_of_pack("wrong")] == ["one"]
    laws_of_pack.cache_clear()
    (folder / "broken-1.0.dist-info/entry_points.txt").write_text(
        "[relgraph.laws]\nwrong = broken:ONE\n"
    )
    assert [law.name for law in laws_of_pack("wrong")] == ["one"]


def test_no_pack_is_installed(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr("relgraph.testing.discovery.installed_packs", lambda: ())
    assert main(["laws", "--packs"]) == 2
    assert "no rule pack is installed" in capsys.readouterr().err
