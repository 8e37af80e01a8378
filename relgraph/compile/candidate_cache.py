"""The cache folder: which laws of the rule book may match which nodes, kept between processes.

To find that out, the laws are extracted, staged and run on the first nodes of each structure: most
of the time that a first function takes. The file is of these very sources and versions; it is
written when the process ends, and ignored if it is damaged or can't be written.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

import platformdirs

import relations
from relgraph.graph.opt.base import as_local_optimizer
from relgraph.graph.opt.dispatch.memory import CandidateMemory

FOLDER_VARIABLE = "RELGRAPH_CACHE_DIR"
"""The environment variable that names the folder; if it is empty, nothing is kept."""

_LIBRARIES = ("numpy", "miniKanren", "logical-unification", "etuples", "cons", "multipledispatch")
_PACKAGES = (Path(__file__).parents[1], Path(relations.__file__).parent)
_MOST_FILES = 8


def cache_folder() -> Path | None:
    """Return the folder for what is kept between processes; None if nothing is to be kept."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given is None:
        return platformdirs.user_cache_path("relgraph")
    return Path(given) if given else None


def fingerprint() -> str:
    """Return a text that is another one for other sources or versions."""
    digest = blake2b(sys.version.encode(), digest_size=12)
    for library in _LIBRARIES:
        digest.update(f"{library} {version(library)}".encode())
    for package in _PACKAGES:
        for path in sorted(package.rglob("*.py")):
            found = path.stat()
            digest.update(f"{path} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.hexdigest()


class CandidateCache:
    """The file in which a `CandidateMemory` outlives the process.

    Attributes
    ----------
    memory
        The memory. It is read from the file when it is first asked.
    """

    def __init__(self) -> None:
        self.memory = CandidateMemory(self._read)
        self._path: Path | None = None

    def remember(self, laws: Iterable[Any]) -> None:
        """Have the memory keep the answers of some laws or rewriters."""
        for law in laws:
            as_local_optimizer(law).memory = self.memory

    def _read(self) -> Mapping[str, Any]:
        folder = cache_folder()
        if folder is None:
            return {}
        self._path = folder / f"candidates-{fingerprint()}.json"
        atexit.register(self.write)
        with suppress(OSError, ValueError):
            found = json.loads(self._path.read_text("utf-8"))
            return found if isinstance(found, dict) else {}
        return {}

    def write(self) -> None:
        """Write the memory into the file if it has learned something; a file is replaced whole."""
        if self._path is None or not self.memory.learned:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, suffix=".part")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self.memory.dump(), file, separators=(",", ":"))
            os.replace(name, self._path)
            self.memory.learned = 0
            _drop_old(self._path.parent)


def _drop_old(folder: Path) -> None:
    """Delete the files of other sources and versions, but for those that were written last."""
    files = sorted(folder.glob("candidates-*.json"), key=lambda path: path.stat().st_mtime)
    for path in files[:-_MOST_FILES]:
        path.unlink()


candidate_cache = CandidateCache()
