"""Looks for what no student may get, as text and as syntax trees, in every file of a bundle."""

import ast
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from harness.cli import ROOT

SECRET = (
    "solutions",
    "tests/stages/hidden",
    "tests/stages/oracle",
    "tests/mistakes",
    "tests/variants",
)
SHORT = 30
"""Characters of text that may stand anywhere by chance; as code it is looked for all the same."""
_PLAIN = re.compile(r"(return\w+|pass|\.\.\.)$")
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Secret:
    """A piece of code that must not be found: where it is from, its name, text and statements."""

    source: str
    name: str
    text: str
    statements: tuple[str, ...]


@cache
def secrets() -> list[Secret]:
    """Every function of solutions, hidden suites, oracle, mistakes and variants."""
    files = [file for folder in SECRET for file in sorted((ROOT / folder).glob("*.py"))]
    found = (
        _secret(file, node, file.read_text("utf-8").splitlines())
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    )
    return [secret for secret in found if _tells(secret)]


def _tells(secret: Secret) -> bool:
    """Whether it can only come from there: not one line such as `return scores`, or of a helper."""
    if len(secret.statements) == 1:
        helper = "hidden" in secret.source and not secret.name.startswith("test_")
        return not helper and not _PLAIN.match(secret.text)
    return bool(secret.statements)


def _secret(file: Path, node: ast.FunctionDef, lines: list[str]) -> Secret:
    """A function's body, without its docstring and without marks."""
    body = [n for n in node.body if not _is_text(n)]
    first, last = (body[0].lineno, node.end_lineno or 0) if body else (0, 0)
    own = [line for line in lines[max(first - 1, 0) : last] if "### " not in line]
    trees = tuple(ast.dump(statement) for statement in body)
    return Secret(str(file.relative_to(ROOT)), node.name, squeezed("\n".join(own)), trees)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def dedented(text: str) -> str:
    lines = text.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)


def squeezed(text: str) -> str:
    """Text without white space and quotes' escapes, so that no layout hides it."""
    return re.sub(r"\s|\\n|\\", "", text)


def found(files: Mapping[str, bytes], wanted: list[Secret]) -> list[str]:
    """What of the wanted is in the files: `file: source`, a line each."""
    by_first: dict[str, list[Secret]] = {}
    for secret in wanted:
        by_first.setdefault(secret.statements[0], []).append(secret)
    leaks = []
    for path, content in files.items():
        texts = {text for text in _texts(path, content) if len(text) > SHORT}
        whole = "\0".join(map(squeezed, texts))
        held = {
            secret
            for text in texts
            for body in _bodies(text)
            for start, tree in enumerate(body)
            for secret in by_first.get(tree, ())
            if tuple(body[start : start + len(secret.statements)]) == secret.statements
        }
        held |= {secret for secret in wanted if secret.text in whole and len(secret.text) > SHORT}
        leaks += [f"{path}: {secret.source}: {secret.text[:60]}" for secret in held]
    return sorted(leaks)


def _texts(path: str, content: bytes) -> Iterator[str]:
    """All texts in a file: itself, strings in JSON, members of an archive."""
    if zipfile.is_zipfile(BytesIO(content)):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            for name in archive.namelist():
                if not name.endswith(".npy"):  # numbers alone
                    yield from _texts(name, archive.read(name))
        return
    try:
        text = content.decode()
    except UnicodeDecodeError:
        yield content.decode("latin-1")
        return
    yield text
    if path.endswith((".json", ".ipynb")):
        yield from _strings(json.loads(text))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            yield "".join(value)  # a cell's source may be a list of lines
        for item in value:
            yield from _strings(item)


def _bodies(text: str) -> Iterator[list[str]]:
    """The statements of every block of code in a text, or in its fenced parts."""
    for code in (text, *_FENCE.findall(text)):
        if "=" not in code and "return" not in code:
            continue
        try:
            tree = ast.parse(dedented(code))
        except (SyntaxError, ValueError):
            continue
        for block in _blocks(tree):
            yield [ast.dump(statement) for statement in block]


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every block below a node; no expression holds one, and most of a file of data is one."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        below = getattr(node, name, None)
        if isinstance(below, list):
            if name not in {"handlers", "cases"}:
                yield below
            for child in below:
                yield from _blocks(child)
