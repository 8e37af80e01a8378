"""Names that are loaded when they are first used: an error on the way is no missing name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import relgraph
from relgraph import on_first_use
from relgraph.on_first_use import names_on_first_use

HERE = Path(relgraph.__file__).parent
LAZY = sorted(
    ".".join(["relgraph", *path.parent.relative_to(HERE).parts])
    for path in HERE.rglob("__init__.py")
    if "__getattr__" in path.read_text()
)


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package whose names stand in modules that can't be loaded, or don't have them."""
    folder = tmp_path / "broken_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "from relgraph.on_first_use import names_on_first_use\n"
        "if TYPE_CHECKING:\n"
        "    from broken_package.reading import read as read\n"
        "    from broken_package.writing import write as write\n"
        "__getattr__, __dir__ = names_on_first_use(__name__, 'running.NAMES')\n"
    )
    (folder / "reading.py").write_text("import math\nread = math.no_longer_there\n")
    (folder / "writing.py").write_text("other = 1\n")
    (folder / "running.py").write_text("NAMES = ('run',)\ndef run(): return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(import_module("sys").modules, "broken_package", raising=False)
    return import_module("broken_package")


def test_an_attribute_that_is_missing_within_is_named(broken: ModuleType) -> None:
    with pytest.raises(ImportError, match=r"reading\.read can't be loaded.*no_longer_there"):
        _ = broken.read
    with pytest.raises(ImportError, match="no_longer_there"):
        from broken_package import read  # noqa: F401, PLC0415
    with pytest.raises(ImportError, match=r"writing\.write can't be loaded"):
        _ = broken.write
    assert broken.run() == 1


def test_what_is_no_name_is_still_an_attribute_error(monkeypatch: pytest.MonkeyPatch) -> None:
    package = import_module("relgraph.bridges.sympy").__name__
    monkeypatch.setattr(import_module(f"{package}.laws"), "NAMES", ["given"], raising=False)
    find, names = names_on_first_use(package, "laws.NAMES")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        find("nothing")
    known = ["SympyLaw", "from_sympy", "given", "law_from_sympy", "law_to_sympy", "to_sympy"]
    assert names() == find("__all__") == known


def test_a_package_without_its_source_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    bridges = import_module("relgraph.bridges")
    find, _ = names_on_first_use("relgraph.bridges")
    loader = bridges.__loader__
    monkeypatch.setattr(type(loader), "get_source", lambda self, name: None)
    with pytest.raises(ImportError, match=r"the source of relgraph\.bridges"):
        find("trace")


@pytest.mark.parametrize("package", LAZY)
def test_no_package_hides_an_error_behind_a_missing_name(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(name: str) -> ModuleType:
        raise AttributeError("module 'numpy' has no attribute 'gone'")

    lazy = import_module(package)
    with pytest.raises(AttributeError, match=f"{package}' has no attribute 'no_such_name'"):
        _ = lazy.no_such_name
    find, name = lazy.__getattr__, lazy.__dir__()[-1]
    monkeypatch.setattr(on_first_use, "import_module", fails)
    with pytest.raises(ImportError, match="has no attribute 'gone'"):
        find(name)
