"""Print the path of the newest Python on this machine, if it is newer than the one that runs this.

Looks at `python3.*` on the PATH and at what pyenv has installed. One that does not start, that is
no final release, that is another Python than the usual one (PyPy, or one without the global lock,
for which few packages are built) or that can't make a virtual environment doesn't count.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ASKED = """
import ensurepip, sys, sysconfig, venv
if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    sys.exit(1)
print(*sys.version_info[:3], sys.version_info.releaselevel)
"""


def candidates():
    """Yield the paths of what may be a Python."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield from sorted(Path(folder or ".").glob("python3.*"))
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob("versions/*/bin/python3"))


def version_of(python):
    """Return the version of a Python, or None if it does not count."""
    if not re.fullmatch(r"python3(\.\d+)?", python.name):
        return None
    try:
        ran = subprocess.run([python, "-c", ASKED], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = ran.stdout.split()
    if ran.returncode != 0 or len(words) != 4 or words[3] != "final":
        return None
    return tuple(map(int, words[:3]))


found = [(version, str(path)) for path in candidates() if (version := version_of(path))]
version, path = max(found, default=((0,), ""))
if version[:2] > sys.version_info[:2]:
    print(path)
