"""Parts of a Python file: some of its definitions with all that they need, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator


def reached(text: str, names: Iterable[str]) -> set[str]:
    """The names of a module that these names need, and they themselves.

    Raises:
        KeyError: the module defines or imports no such name.
    """
    body = ast.parse(text).body
    known = {name: node for node in body for name in (*_imports(node), *_defines(node))}
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [used for used in _uses(known[name]) if used in known]
    return found


def cut(text: str, names: Iterable[str], without_module: str = "") -> str:
    """The definitions of these names and what they use, in the order of the file.

    Args:
        text: a module's text.
        names: what is wanted of it.
        without_module: imports from here are left out; who uses their names must provide them.

    Raises:
        KeyError: the module defines no such name.
    """
    body, wanted = ast.parse(text).body, reached(text, names)
    imports = [node for node in body if wanted & set(_imports(node))]
    lines = [_import(node, wanted) for node in imports if _source_of(node) != without_module]
    nodes = dict.fromkeys(node for node in body if wanted & set(_defines(node)))
    return "\n".join(lines) + "".join(f"\n\n\n{_source(text, node)}" for node in nodes) + "\n"


def needed(text: str, names: Iterable[str]) -> str:
    """A module's text without the definitions that these names do not need."""
    wanted = reached(text, names)
    gone: set[int] = set()
    for node in ast.parse(text).body:
        own = set(_defines(node))
        if own and not own & wanted:
            gap = 2 if isinstance(node, ast.FunctionDef | ast.ClassDef) else 0
            gone |= set(range(_first(node), (node.end_lineno or 0) + gap + 1))
    kept = (line for number, line in enumerate(text.splitlines(), 1) if number not in gone)
    return "\n".join(kept).rstrip("\n") + "\n"


def _defines(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def _imports(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


def _source_of(node: ast.stmt) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else ""


def _import(node: ast.stmt, wanted: Collection[str]) -> str:
    assert isinstance(node, ast.Import | ast.ImportFrom)  # noqa: S101 - it imports something
    names = [a for a in node.names if (a.asname or a.name.partition(".")[0]) in wanted]
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(names))
    return ast.unparse(ast.ImportFrom(node.module, names, node.level))


def _uses(node: ast.AST) -> Iterator[str]:
    yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _source(text: str, node: ast.stmt) -> str:
    return "\n".join(text.splitlines()[_first(node) - 1 : node.end_lineno])


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
