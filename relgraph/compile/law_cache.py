"""The cache folder: what processes have found out about the laws of the rule book.

Two files keep which laws may match which nodes, and the functions that the laws are compiled to:
most of what a first function has to find out. They are of these very sources and versions. They are
written when the process ends, each replaced whole, and ignored if they are damaged or can't be
written. The functions are code, so they are only read from a folder and a file that no other user
can write.
"""

from __future__ import annotations

import atexit
import json
import marshal
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import cons
import etuples
import kanren
import multipledispatch
import numpy as np
import platformdirs
import unification

import relations
from relgraph.graph.kanren.rewriters import FunctionMemory, LawRewriter
from relgraph.graph.opt.base import as_local_optimizer
from relgraph.graph.opt.dispatch import CandidateMemory

FOLDER_VARIABLE = "RELGRAPH_CACHE_DIR"
"""The environment variable that names the folder; if it is empty, nothing is kept."""

_LIBRARIES = (np, kanren, unification, etuples, cons, multipledispatch)
_PACKAGES = (Path(__file__).parents[1], Path(relations.__file__).parent)
_MOST_FILES = 8
_DIGEST_SIZE = 16


def cache_folder() -> Path | None:
    """Return the folder for what is kept between processes; None if nothing is to be kept."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given is None:
        return platformdirs.user_cache_path("relgraph")
    return Path(given) if given else None


def fingerprint() -> str:
    """Return a text that is another one for other sources or versions."""
    parts = [sys.version]
    parts.extend(f"{library.__name__} {library.__version__}" for library in _LIBRARIES)
    folders = [str(package) for package in _PACKAGES]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    found = entry.stat()
                    parts.append(f"{entry.path} {found.st_size} {found.st_mtime_ns}")
                elif entry.is_dir() and entry.name != "__pycache__":
                    folders.append(entry.path)
    return blake2b("\n".join(parts).encode(), digest_size=12).hexdigest()


class LawCache:
    """The files in which what is found out about laws outlives the process.

    Attributes
    ----------
    candidates
        Which laws may match which nodes. It is read from its file when it is first asked.
    functions
        The functions of laws; the same.
    """

    def __init__(self) -> None:
        self.candidates = CandidateMemory(self._read_candidates)
        self.functions = FunctionMemory(self._read_functions)
        self._folder: Path | None = None
        self._fingerprint = ""

    def remember(self, laws: Iterable[Any]) -> None:
        """Have the memories keep what is found out about some laws or rewriters.

        Their names must be those of no others.
        """
        for law in laws:
            rewriter = as_local_optimizer(law)
            rewriter.memory = self.candidates
            if isinstance(rewriter, LawRewriter):
                rewriter.functions = self.functions

    def write(self) -> None:
        """Write the files of the memories that have learned something."""
        folder = self._folder
        if folder is None:
            return
        if self.candidates.learned:
            text = json.dumps(self.candidates.dump(), separators=(",", ":"))
            with suppress(OSError):
                _replace(folder, f"candidates-{self._fingerprint}.json", text.encode())
                self.candidates.learned = 0
        if self.functions.learned:
            data = marshal.dumps(self.functions.dump())
            with suppress(OSError):
                _replace(folder, f"functions-{self._fingerprint}.bin", _digest(data) + data)
                self.functions.learned = 0

    def _open(self) -> Path | None:
        """Return the folder, to which `write` will write when the process ends."""
        if self._folder is None:
            self._folder = cache_folder()
            if self._folder is not None:
                self._fingerprint = fingerprint()
                atexit.register(self.write)
        return self._folder

    def _read_candidates(self) -> Mapping[str, Any]:
        folder = self._open()
        if folder is None:
            return {}
        with suppress(OSError, ValueError):
            found = json.loads((folder / f"candidates-{self._fingerprint}.json").read_bytes())
            return found if isinstance(found, dict) else {}
        return {}

    def _read_functions(self) -> Mapping[str, bytes]:
        folder = self._open()
        if folder is None:
            return {}
        with suppress(OSError):
            data = _read_own(folder, f"functions-{self._fingerprint}.bin")
            digest, data = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
            if digest == _digest(data):
                found: dict[str, bytes] = marshal.loads(data)
                return found
        return {}


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_SIZE).digest()


def _read_own(folder: Path, name: str) -> bytes:
    """Return the content of a file that no other user could have written.

    Raises
    ------
    OSError
        If there is none, or another user can write it or its folder, or owns them.
    """
    with open(folder / name, "rb") as file:
        for found in (os.stat(folder), os.fstat(file.fileno())):
            if not _is_own(found):
                raise PermissionError(f"{folder / name} can be written by others")
        return file.read()


def _is_own(found: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):
        return True  # the user's folder of a system that has other means
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _replace(folder: Path, name: str, data: bytes) -> None:
    """Write a file as a whole, in the place of an old one; delete files of old sources."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(part, folder / name)
    except OSError:
        os.unlink(part)
        raise
    kind = name.partition("-")[0]
    with suppress(FileNotFoundError):  # another process may delete them too
        files = sorted(folder.glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime)
        for path in files[:-_MOST_FILES]:
            path.unlink()


law_cache = LawCache()
"""What is known of the laws of the rule book."""
