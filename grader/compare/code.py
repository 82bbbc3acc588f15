"""A stage's code for reading side by side: definitions without docstrings and marks."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence

_MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


def definitions(text: str) -> Mapping[str, str]:
    """Every function and class at a module's top level, by name, without its docstrings."""
    nodes = ast.parse(text).body
    found = (n for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef))
    lines = text.splitlines()
    return {node.name: _shown(node, lines) for node in found}


def _shown(node: ast.FunctionDef | ast.ClassDef, lines: Sequence[str]) -> str:
    left_out = {number for inner in ast.walk(node) for number in _docstring(inner)}
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    kept = (
        lines[number - 1]
        for number in range(first, (node.end_lineno or first) + 1)
        if number not in left_out and not lines[number - 1].lstrip().startswith(_MARKS)
    )
    return textwrap.dedent("\n".join(kept))


def _docstring(node: ast.AST) -> range:
    """The lines of a definition's docstring, with the empty line after it in a class."""
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not node.body:
        return range(0)
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if not is_text or not isinstance(first.value.value, str):  # type: ignore[attr-defined]
        return range(0)
    return range(first.lineno, (first.end_lineno or first.lineno) + 1)
