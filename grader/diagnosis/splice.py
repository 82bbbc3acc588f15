"""From one function of a bank to a whole module of its stage: text, to be run like a submission."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_Named = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
_REFERENCE = "solutions"
"""Where banks import the stages' right functions from; in a submission they are siblings."""


def definition(answer: Callable[..., Any], name: str) -> str:
    """The source of a bank's function under another name, with what it needs from its file.

    Args:
        answer: a function or class at the top level of a bank's file.
        name: what it is called in the stage's module.
    """
    file = _bank_file(str(sys.modules[answer.__module__].__file__))
    stage = answer.__module__.rpartition(".")[2]
    node = file.named[answer.__name__]
    helpers = list(file.helpers(node))
    needs = [*helpers, node]
    imports = [line for part in needs for line in file.imports(part, stage)]
    own = re.sub(rf"^(def|class) {answer.__name__}\b", rf"\1 {name}", file.text_of(node))
    blocks = ["\n".join(dict.fromkeys(imports)), *(file.text_of(part) for part in helpers), own]
    return "\n\n\n".join(block for block in blocks if block)


def module_text(source: str, replaces: str, solution: str) -> str:
    """A stage's solution with one function or class of it replaced.

    A class may extend the right one: then it comes after it, under the same name.
    """
    lines = solution.splitlines()
    old = next(n for n in ast.parse(solution).body if getattr(n, "name", None) == replaces)
    start = old.lineno - 1
    if _extends(source, replaces):
        start = old.end_lineno or start
        source = "\n\n" + source
    return "\n".join([*lines[:start], source, *lines[old.end_lineno :]]) + "\n"


def users(text: str, name: str) -> set[str]:
    """A name and the functions and classes of a module that use it, if only by others of them."""
    uses = {
        node.name: set(_used(node))
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    found, before = {name}, set[str]()
    while found != before:
        before = set(found)
        found |= {user for user, used in uses.items() if used & before}
    return found


@dataclass(frozen=True)
class _File:
    lines: list[str]
    named: dict[str, _Named]
    imported: dict[str, ast.Import | ast.ImportFrom]

    def text_of(self, node: ast.stmt) -> str:
        """A statement's text; `ast.get_source_segment` would read the whole file for each."""
        *lines, last = self.lines[node.lineno - 1 : node.end_lineno]
        return "\n".join([*lines, last.encode()[: node.end_col_offset].decode()])

    def helpers(self, node: ast.stmt) -> Iterator[_Named]:
        """What else of the file a definition uses, each after what it uses itself."""
        for name in _used(node):
            found = self.named.get(name)
            if found is not None and found is not node:
                yield from self.helpers(found)
                yield found

    def imports(self, node: ast.stmt, stage: str) -> Iterator[str]:
        """The import of every name that a definition uses."""
        for name in _used(node):
            statement = self.imported.get(name)
            if isinstance(statement, ast.ImportFrom):
                yield from _from(statement, name, stage)
            elif statement is not None:
                yield self.text_of(statement)


def _from(statement: ast.ImportFrom, name: str, stage: str) -> Iterator[str]:
    alias = next(a for a in statement.names if (a.asname or a.name) == name)
    source = statement.module or ""
    if source == f"{_REFERENCE}.{stage}":  # the module itself: the name is there
        return
    source = source.removeprefix(_REFERENCE)
    yield f"from {source} import {ast.unparse(alias)}"


@cache
def _bank_file(path: str) -> _File:
    text = Path(path).read_text(encoding="utf-8")
    named: dict[str, _Named] = {}
    imported: dict[str, ast.Import | ast.ImportFrom] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update({alias.asname or alias.name: node for alias in node.names})
        elif isinstance(node, _Named):
            named.update(dict.fromkeys(_names(node), node))
    return _File(text.split("\n"), named, imported)


def _names(node: _Named) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _used(node: ast.stmt) -> list[str]:
    """The names that a definition mentions, outside its decorators."""
    skipped = {id(n) for d in getattr(node, "decorator_list", ()) for n in ast.walk(d)}
    found = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in skipped)
    return list(dict.fromkeys(found))


def _extends(source: str, name: str) -> bool:
    last = ast.parse(source).body[-1]
    bases = last.bases if isinstance(last, ast.ClassDef) else []
    return any(isinstance(base, ast.Name) and base.id == name for base in bases)
