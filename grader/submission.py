"""A submission as text: which modules were handed in, and what is wrong with them as files."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

MAX_BYTES = 256 * 1024
"""The largest module that is read; the solutions have about 3 KiB each."""


class IntakeError(Exception):
    """A path that holds no submission; the message says what was expected."""


class Place(NamedTuple):
    """Where the lines of a module came from, from one of them on, if it was made of cells."""

    start: int
    """The first of these lines, in the module."""
    stage: str
    """The stage whose cell it is; empty for a cell of the learner's own."""
    begins: str
    """The cell's first line."""
    line: int
    """The number that the first of these lines has in the cell."""


@dataclass(frozen=True)
class Submission:
    """What somebody handed in: module texts by name. Nothing of it has been run."""

    id: str
    path: str
    texts: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    """How each module's file is named in messages."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Modules that were handed in but cannot be read, and why."""
    places: Mapping[str, Sequence[Place]] = field(default_factory=dict)
    """Where the lines of each module came from that was made of a notebook's cells, in order."""

    def file(self, module: str) -> str:
        """How to name a module's file in messages."""
        return self.files.get(module, f"{module}.py")

    @property
    def digest(self) -> str:
        """SHA-256 over module names, texts and problems: equal work, equal digest."""
        total = hashlib.sha256()
        for kind in (self.texts, self.problems):
            for name in sorted(kind):
                part = kind[name].encode("utf-8", "surrogatepass")
                total.update(f"{name}\0{len(part)}\0".encode() + part)
            total.update(b"\1")
        return total.hexdigest()


def read_folder(folder: Path, modules: Sequence[str], name: str | None = None) -> Submission:
    """Read the modules of one submission from a folder.

    Raises:
        IntakeError: the folder is not there, or is a file.
    """
    if not folder.is_dir():
        kind = "a file, not a folder" if folder.exists() else "not there"
        raise IntakeError(f"{folder} is {kind}. Give the folder that holds {modules[0]}.py …")
    texts, problems, files = {}, {}, {}
    for module in modules:
        file = folder / f"{module}.py"
        if not file.exists():
            continue
        files[module] = str(file)
        try:
            texts[module] = read_text(file)
        except (OSError, IntakeError) as error:
            problems[module] = f"{file} cannot be read: {error}"
    return Submission(name or folder.name, str(folder), texts, files, problems)


def read_text(file: Path) -> str:
    """One module's text: UTF-8 with or without a BOM, any line ends.

    Raises:
        IntakeError: the file is too large or is not text.
    """
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise IntakeError(f"it has {size // 1024} KiB; at most {MAX_BYTES // 1024} are read")
    return decoded(file.read_bytes())


def decoded(data: bytes) -> str:
    """Bytes of a Python file as text.

    Raises:
        IntakeError: the bytes are not UTF-8 text.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise IntakeError(f"it is not UTF-8 text (byte {error.start})") from None
    if "\0" in text:
        raise IntakeError("it is not text: it holds a zero byte")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=64)
def syntax_problem(text: str, file: str) -> str:
    """What keeps a text from being Python, in words with its line; empty if nothing does."""
    try:
        _tree(text)
    except SyntaxError as error:
        line = (error.text or "").strip()
        where = f"{file}, line {error.lineno}" if error.lineno else file
        return f"SyntaxError: {error.msg}\n  {where}:\n    {line}".rstrip()
    except (RecursionError, MemoryError, ValueError) as error:
        return f"{file} is too deeply nested to be read ({type(error).__name__})."
    return ""


@lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


@lru_cache(maxsize=64)
def not_started(text: str) -> bool:
    """Whether a module is still a stub: something is left to write, and nothing was written.

    A stub's functions end in `raise NotImplementedError(…)`; without any function there is nothing
    but imports and text.
    """
    tree = _tree(text)
    functions = [node for node in _statements(tree) if isinstance(node, ast.FunctionDef)]
    if functions:
        return all(unwritten(function) for function in functions)
    return all(isinstance(n, ast.Import | ast.ImportFrom) or _is_constant(n) for n in tree.body)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements of a tree, and what holds them; a walk that meets expressions is slow."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for inside in ("body", "handlers", "orelse", "finalbody", "cases"):
            waiting += getattr(node, inside, ())


def is_written(text: str) -> bool:
    """Whether somebody wrote into a module: it is no stub any more, or no Python."""
    return bool(syntax_problem(text, "")) or not not_started(text)


def unwritten(function: ast.FunctionDef) -> bool:
    """Whether a function is still that of a stub."""
    last = function.body[-1]
    if isinstance(last, ast.Pass) or _is_constant(last):
        return True
    if not isinstance(last, ast.Raise) or last.exc is None:
        return False
    raised = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_constant(node: ast.stmt) -> bool:
    """Whether a statement is a docstring or `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
