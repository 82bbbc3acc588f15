"""Names in a submission's text that lead around what its stage refuses.

Reading the text cannot find every way around; it gives a clear sentence for the well-known ones.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

from .errors import ForbiddenName
from .protocol import Sources

NAMES = frozenset(
    {
        "builtins",
        "ctypes",
        "gc",
        "importlib",
        "inspect",
        "scipy",
        "sys._getframe",
        "torch._C",
        "torch._decomp",
        "torch._dynamo",
        "torch._inductor",
        "torch._prims",
        "torch._refs",
        "torch.library",
        "torch.nn.attention.flex_attention",
        "torch.overrides",
        "torch.utils._python_dispatch",
    }
)
"""Modules and attributes, by the name under which they are imported."""

BUILTINS = frozenset({"eval", "exec", "compile", "__import__"})


def refuse(sources: Sources) -> None:
    """Look through every module of a submission.

    Raises:
        ForbiddenName: a name is used that leads around what the stage refuses.
    """
    for module, text in sources.texts.items():
        for line, name in found(text):
            raise ForbiddenName(sources.file(module), line, name)


@lru_cache(maxsize=1024)
def clean(text: str) -> bool:
    """Whether a module's text can be read and uses none of these names."""
    try:
        nodes = _nodes(text)
    except (MemoryError, RecursionError):  # elsewhere there may be more room to read it
        return False
    except (SyntaxError, ValueError):
        return True
    return not any(_uses(nodes))


def found(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of every use of a refused name, in no order."""
    try:
        nodes = _nodes(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return  # loading it will fail in the same way, and say so
    yield from _uses(nodes)


def _uses(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    imported = dict(pair for node in nodes for pair in _bindings(node))
    for node in nodes:
        for name in _named(node, imported):
            if _refused(name):
                yield getattr(node, "lineno", 0), name


def _nodes(text: str) -> list[ast.AST]:
    with warnings.catch_warnings(action="ignore"):
        return list(ast.walk(ast.parse(text)))


def _bindings(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What an import binds: a name here, and the full name that it stands for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (top, top)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _named(node: ast.AST, imported: dict[str, str]) -> Iterator[str]:
    """Full names that a node mentions."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Name) and node.id in BUILTINS:
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield _dotted(node, imported)


def _dotted(node: ast.expr, imported: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, imported)}.{node.attr}"
    return imported.get(node.id, "") if isinstance(node, ast.Name) else ""


def _refused(name: str) -> bool:
    parts = name.split(".")
    heads = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return name in BUILTINS or not heads.isdisjoint(NAMES)
