"""The shape of the code: who imports whom, where, and how long things are."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path for package in ("relgraph", "relations") for path in (ROOT / package).rglob("*.py")
)

# (file, function) -> why the import cannot stand at the top of the file.
LATE_IMPORTS = {
    ("relgraph/graph/basic.py", "Variable.eval"): "the documents promise eval on every variable",
    ("relgraph/graph/kanren/relations.py", "Relation.check"): "a law is checked where it stands",
    ("relgraph/graph/kanren/relations.py", "Relation.prove"): "a law is proved where it stands",
}
# Files that may import by name.
LAZY_FILES = {
    "relgraph/compile/database.py": "SciPy's sparse matrices are large",
    "relgraph/graph/kanren/relations.py": "a pickled law names its module",
    "relgraph/testing/discovery.py": "the command line names modules of laws",
    "relgraph/bridges/pytensor/counterparts.py": "PyTensor's ops are named by text",
    "relgraph/tensor/__init__.py": "much of it is loaded when it is first used",
    "relgraph/vm/linker.py": "an engine needs packages that may not be installed",
    "relgraph/on_first_use.py": "what packages resolve their names by",
    "relgraph/commands/draw.py": "an extra, and large",
}

MAX_FUNCTION_LINES = 70

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[tuple[str, Function]]:
    """Yield every function of a module with its dotted name."""
    stack: list[tuple[str, ast.AST]] = [("", tree)]
    while stack:
        prefix, parent = stack.pop()
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, Function | ast.ClassDef):
                name = f"{prefix}{child.name}"
                if isinstance(child, Function):
                    yield name, child
                stack.append((f"{name}.", child))
            else:
                stack.append((prefix, child))


def late_imports(tree: ast.AST) -> set[tuple[str, int]]:
    """Return (function, line) of each import that is not at the top of a module."""
    lines = {n.lineno for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)}
    return {
        (name, line)
        for name, function in functions(tree)
        for line in lines
        if function.lineno <= line <= (function.end_lineno or 0)
    }


def imports_by_name(tree: ast.AST) -> set[int]:
    """Return the lines that mention ``__import__`` or ``import_module``."""
    return {
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id in {"__import__", "import_module"})
        or (isinstance(node, ast.Attribute) and node.attr == "import_module")
    }


def in_checkout(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a fresh process that imports relgraph from this checkout."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def test_layers() -> None:
    ran = in_checkout(
        "import sys\n"
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports('pyproject.toml', cache_dir=None, no_cache=True, no_logo=True))"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import a\ndef f():\n    return a", set()),
        ("def f():\n    import a", {("f", 2)}),
        ("class C:\n    def f(self):\n        if 1:\n            from a import b", {("C.f", 4)}),
        ("def f():\n    def g():\n        import a", {("f", 3), ("f.g", 3)}),
        ("if 1:\n    async def f():\n        import a", {("f", 3)}),
    ],
)
def test_late_imports_are_seen(source: str, found: set[tuple[str, int]]) -> None:
    assert late_imports(ast.parse(source)) == found


def test_no_file_hides_an_exported_name() -> None:
    modules = {
        ".".join((package.relative_to(ROOT) / child.stem).parts)
        for package in {path.parent for path in SOURCES if path.name == "__init__.py"}
        for child in package.iterdir()
        if child.suffix == ".py" or (child / "__init__.py").exists()
        if child.stem not in {"__init__", "__main__"}
    }
    # Each package by itself: importing a submodule is what sets the attribute.
    code = f"""
import importlib, types
hidden = []
for module in {sorted(modules)!r}:
    package, _, name = module.rpartition('.')
    if not package:
        continue
    found = getattr(importlib.import_module(package), name, None)
    if not (found is None or isinstance(found, types.ModuleType)):
        hidden.append(module)
    importlib.import_module(module)
print(*hidden)
"""
    ran = in_checkout(code)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_file(path: Path) -> None:
    """Its functions are short; its imports stand at the top, and none is by name."""
    text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
    tree = ast.parse(text)
    lengths = {
        where: function.end_lineno - function.lineno + 1
        for where, function in functions(tree)
        if function.end_lineno is not None
    }
    assert not {where: n for where, n in lengths.items() if n > MAX_FUNCTION_LINES}
    late = {(name, where): line for where, line in late_imports(tree)}
    assert late.keys() == {where for where in LATE_IMPORTS if where[0] == name}, late
    assert bool(imports_by_name(tree)) <= (name in LAZY_FILES), imports_by_name(tree)


def test_the_exceptions_are_files() -> None:
    named = {*LAZY_FILES, *(name for name, _ in LATE_IMPORTS)}
    assert named <= {path.relative_to(ROOT).as_posix() for path in SOURCES}


@pytest.mark.parametrize(
    "page", ["CONTRIBUTING.md", "README.md", "tests/README.md", "notebooks/pages/book_laws.md"]
)
def test_what_a_page_points_to_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:relgraph|relations|tests)/[\w./]+)`", text)
    assert not [path for path in named if not (ROOT / path).exists() and "ROOM" not in path]
