"""From a notebook's cells to the modules of a submission. Nothing is run: texts are read.

In a notebook all cells share their names; a module has only its own. So a stage's module is its
cell, and whatever that needs of other cells: imports, helpers, functions that were defined there.
Line numbers stay those of the cell wherever that is possible; where a line came from is kept.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..submission import Place, unwritten

CHECK = "check"
"""What a notebook's test cells call."""


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook, as far as it matters here."""

    kind: str
    """`code`, `markdown` or `raw`."""
    source: str
    id: str = ""
    """nbgrader's `grade_id`, where the cell still has one."""


@dataclass(frozen=True)
class Statement:
    """A top-level statement of a cell that gives something a name."""

    text: str
    names: frozenset[str]
    cell: int
    node: ast.stmt = field(compare=False)

    @property
    def is_import(self) -> bool:
        """Whether it only imports; `from x import *` does so as well."""
        return isinstance(self.node, ast.Import | ast.ImportFrom)

    @property
    def line(self) -> int:
        """Its first line in the cell, decorators included."""
        return min(node.lineno for node in _with_decorators(self.node))

    @property
    def is_written(self) -> bool:
        """Whether it is more than the stub of a function."""
        return not (isinstance(self.node, ast.FunctionDef) and unwritten(self.node))


@dataclass(frozen=True)
class Code:
    """A cell's code: its text as Python, and what it gives names to."""

    number: int
    text: str
    statements: tuple[Statement, ...]
    readable: bool
    plain: bool
    """Whether it was Python as it stood, without magics."""
    checks: tuple[ast.stmt, ...] = field(default=(), compare=False)
    """Calls of `check`, as the notebook's test cells make them, on lines of their own."""

    @property
    def names(self) -> frozenset[str]:
        """Everything that the cell gives a name to."""
        return frozenset().union(*(statement.names for statement in self.statements))

    def writes(self, names: Sequence[str]) -> bool:
        """Whether it defines one of these names, and not as a stub."""
        wanted = set(names)
        return any(s.is_written and not wanted.isdisjoint(s.names) for s in self.statements)


@dataclass
class Modules:
    """What was made of the cells."""

    texts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    places: dict[str, list[Place]] = field(default_factory=dict)
    """Where the lines of each text came from, in order."""


@dataclass(frozen=True)
class Part:
    """Some lines of a cell on their way into a module."""

    text: str
    cell: int
    first: int = 1
    """The number of the first line in the cell; 0 where a line was put in front of them."""


def modules(
    cells: Sequence[Cell], functions: Mapping[str, Sequence[str]], ignored: str = ""
) -> Modules:
    """The modules of a notebook.

    Args:
        cells: the notebook's cells, in their order.
        functions: each stage's functions, by its name, in the order of the course.
        ignored: what the ids of cells begin with that hold no work of the learner's.
    """
    return _Reading(cells, functions, ignored).modules()


class _Reading:
    def __init__(
        self, cells: Sequence[Cell], functions: Mapping[str, Sequence[str]], ignored: str
    ) -> None:
        self._functions = functions
        self._cells = cells
        self._made = Modules()
        stages = set(functions)
        self._codes = [
            read_code(number, cell.source)
            for number, cell in enumerate(cells)
            if cell.id in stages or (cell.kind == "code" and not _is(cell.id, ignored))
        ]
        self._own = {stage: self._own_cell(stage) for stage in functions}

    def modules(self) -> Modules:
        """All stages' modules, and what there is to say of them."""
        if self._codes and not any(cell.id for cell in self._cells):
            self._note("The marks of the cells were lost; they were told by what they define.")
        for stage in self._functions:
            parts = self._module(stage)
            if parts:
                self._made.texts[stage] = "\n".join(part.text for part in parts)
                self._made.places[stage] = list(self._places(parts))
        if any(not code.plain for code in self._codes):
            self._note("Commands of the notebook (lines with % or !) were left out.")
        return self._made

    def _note(self, text: str) -> None:
        self._made.notes.append(text)

    def _own_cell(self, stage: str) -> Code | None:
        """The cell with a stage's answer: by its id, else by what it defines; the last one wins."""
        marked = [code for code in self._codes if self._cells[code.number].id == stage]
        names = self._functions[stage]
        if len(marked) > 1:
            self._note(
                f"There were {len(marked)} cells of {stage}; the last that is written counts."
            )
        for code in marked:
            if self._cells[code.number].kind != "code":
                self._note(f"The cell of {stage} was no code cell any more; it was read as code.")
        written = [code for code in marked if code.writes(names) or not code.readable]
        if marked:
            return (written or marked)[-1]
        unmarked = [code for code in self._codes if not code.names.isdisjoint(names)]
        written = [code for code in unmarked if code.writes(names)]
        if not unmarked:
            return None
        if any(cell.id for cell in self._cells):
            self._note(f"The cell of {stage} was missing; its functions were found in another one.")
        return (written or unmarked)[-1]

    def _module(self, stage: str) -> list[Part]:
        own = self._own[stage]
        if own is None:
            return []
        if not own.readable:
            return [Part(own.text, own.number)]
        base = Part(self._without_other_stages(stage, own), own.number)
        linking = _Linking(stage, base, self._functions, self._others(own))
        parts = linking.parts()
        if linking.elsewhere:
            names = ", ".join(linking.elsewhere)
            self._note(f"Not in the cell of {stage}, and taken from another one: {names}.")
        return parts

    def _places(self, parts: Sequence[Part]) -> Iterator[Place]:
        owners = {own.number: stage for stage, own in reversed(self._own.items()) if own}
        start = 1
        for part in parts:
            begins = self._cells[part.cell].source.strip().partition("\n")[0].rstrip()
            yield Place(start, owners.get(part.cell, ""), begins, part.first)
            start += part.text.count("\n") + 1

    def _without_other_stages(self, stage: str, own: Code) -> str:
        """The cell's text; definitions that other cells' merging brought in become empty lines.

        So do the learner's calls of `check`, which would judge while they are judged.
        """
        foreign = {
            name
            for other, names in self._functions.items()
            if other != stage and self._own[other] is own
            for name in names
        }
        lines = own.text.split("\n")
        out = [(s.line, s.node) for s in own.statements if s.names and s.names <= foreign]
        out += [(call.lineno, call) for call in own.checks]
        for line, node in out:
            last = node.end_lineno or line
            lines[line - 1 : last] = [""] * (last - line + 1)
        return "\n".join(lines)

    def _others(self, own: Code) -> list[Statement]:
        """Every definition of the other cells, in the notebook's order."""
        return [s for code in self._codes if code is not own for s in code.statements]


class _Linking:
    """One module: a stage's text, and what it needs of other cells."""

    def __init__(
        self,
        stage: str,
        base: Part,
        functions: Mapping[str, Sequence[str]],
        others: Sequence[Statement],
    ) -> None:
        self._base = base
        self._own = functions[stage]
        self._others = others
        names = list(functions)
        before = names[: names.index(stage)]
        self._siblings = {name: other for other in before for name in functions[other]}
        self.elsewhere: list[str] = []
        """Functions of the stage that another cell defines."""
        self._taken: list[Statement] = []
        self._imports: list[str] = []

    def parts(self) -> list[Part]:
        """The module's parts in their order, with two empty lines between them."""
        text = self._base.text
        base = read_code(0, text)
        bound = {name for s in base.statements for name in s.names}
        written = {name for s in base.statements if s.is_written for name in s.names}
        missing = [name for name in self._own if name not in written]
        found = {name: s for name in missing if (s := self._written_elsewhere(name))}
        self.elsewhere += found
        self._take_all(list(found.values()), bound - set(missing), free_names(text))
        *parts, last = self._ordered(early_names(text))
        between = [replace(part, text=f"{part.text}\n\n") for part in parts]
        return [*between, replace(last, text=f"{last.text}\n")]

    def _written_elsewhere(self, name: str) -> Statement | None:
        found = [s for s in self._others if name in s.names and s.is_written]
        return found[-1] if found else None

    def _take_all(
        self, first: Sequence[Statement], bound: set[str], wanted: frozenset[str]
    ) -> None:
        """Take statements, and what they and the stage's text need, until nothing is missing."""
        waiting = sorted(wanted)  # equal work gives equal text
        for statement in first:
            waiting += self._take(statement, bound)
        seen = set(bound)
        while waiting:
            name = waiting.pop()
            if name in seen or hasattr(builtins, name):
                continue
            seen.add(name)
            waiting += self._provide(name, bound)

    def _provide(self, name: str, bound: set[str]) -> Iterator[str]:
        if name in self._siblings:
            self._imports.append(f"from .{self._siblings[name]} import {name}")
            return iter(())
        found = [s for s in self._others if name in s.names]
        if found:
            return self._take(found[-1], bound)
        stars = [s for s in self._others if "*" in s.names and s not in self._taken]
        self._taken += stars
        return iter(())

    def _take(self, statement: Statement, bound: set[str]) -> Iterator[str]:
        if statement in self._taken:
            return iter(())
        self._taken.append(statement)
        bound |= statement.names
        return iter(sorted(free_names(statement.text)))

    def _ordered(self, early: frozenset[str]) -> list[Part]:
        """Imports in the first line, where it is a comment; the rest where it comes in time."""
        order = [s for s in self._others if s in self._taken]
        imports = [*sorted(self._imports), *(s.text for s in order if s.is_import)]
        rest = [s for s in order if not s.is_import]
        in_time = not any(early & s.names for s in rest)
        parts = [Part(s.text, s.cell, s.line) for s in rest]
        own = self._with_head("; ".join(" ".join(text.split()) for text in dict.fromkeys(imports)))
        return [own, *parts] if in_time else [*parts, own]

    def _with_head(self, head: str) -> Part:
        """The stage's own text with imports: in place of a comment, or in front.

        Imports from `__future__` have to stay first; there they follow on the same line.
        """
        text = self._base.text.rstrip()
        first, _, tail = text.partition("\n")
        if not head:
            return replace(self._base, text=text)
        future = _last_future(text)
        if future is not None:
            lines = text.split("\n")
            row, column = (future.end_lineno or 1) - 1, future.end_col_offset
            lines[row] = f"{lines[row][:column]}; {head}{lines[row][column:]}"
            return replace(self._base, text="\n".join(lines))
        if first.strip() and not first.startswith("#"):
            return replace(self._base, text=f"{head}\n{text}", first=self._base.first - 1)
        return replace(self._base, text=f"{head}\n{tail}".rstrip())


def _last_future(text: str) -> ast.ImportFrom | None:
    tree = _parsed(text)
    body = tree.body if tree else []
    future = [n for n in body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    return future[-1] if future else None


def read_code(number: int, source: str) -> Code:
    """A cell as Python; what only a notebook understands becomes `pass`, if need be."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    tree = _parsed(source)
    if tree is not None:
        found = tuple(_statements(tree, source, number))
        return Code(number, source, found, True, True, tuple(_checks(tree)))
    text = without_magics(source)
    tree = _parsed(text)
    if tree is None:
        return Code(number, text, (), False, text == source)
    found = tuple(_statements(tree, text, number))
    return Code(number, text, found, True, False, tuple(_checks(tree)))


_TIMED = re.compile(r"^(\s*)%(?:time|timeit|prun|memit)\s+(?!-)(.+)$")
_COMMAND = re.compile(r"^(\s*)(?:[%!].*|\?{1,2}[\w.]+|[\w.]+\?{1,2}\s*)$")
_SHELL = re.compile(r"^(\s*)([\w, ]+=)\s*[!%].*$")
_PYTHON_CELLS = ("time", "timeit", "capture", "prun", "memit")


def without_magics(source: str) -> str:
    r"""A cell's text without the commands of the notebook; every line keeps its number.

    >>> without_magics("%%time\n!pip install torch\nx = 1")
    '\npass\nx = 1'
    """
    lines = source.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("%%"):
            if line[2:].split(" ")[0].strip() not in _PYTHON_CELLS:
                return ""
            lines[number] = ""
            continue
        line = _TIMED.sub(r"\1\2", line)
        line = _SHELL.sub(r"\1\2 None", line)
        lines[number] = _COMMAND.sub(r"\1pass", line)
    return "\n".join(lines)


def _parsed(text: str) -> ast.Module | None:
    try:
        symtable.symtable(text, "cell", "exec")
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _statements(tree: ast.Module, text: str, cell: int) -> Iterator[Statement]:
    lines = text.split("\n")
    for node in tree.body:
        first = min(n.lineno for n in _with_decorators(node)) - 1
        own = "\n".join(lines[first : node.end_lineno])
        names = _bound(node, own)
        if names:
            yield Statement(own, names, cell, node)


def _checks(tree: ast.Module) -> Iterator[ast.stmt]:
    taken = Counter(line for node in tree.body for line in {node.lineno, node.end_lineno})
    for node in tree.body:
        alone = taken[node.lineno] == taken[node.end_lineno] == 1
        if alone and isinstance(node, ast.Expr) and _calls(node.value, CHECK):
            yield node


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _with_decorators(node: ast.stmt) -> list[ast.stmt | ast.expr]:
    return [node, *getattr(node, "decorator_list", [])]


def _bound(node: ast.stmt, text: str) -> frozenset[str]:
    """What a top-level statement gives a name to; `*` for an import of everything."""
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return frozenset({"*"})
    table = _table(text)
    if table is None:  # it shares its lines with another statement
        return frozenset()
    symbols = table.get_symbols()
    bound = (s for s in symbols if s.is_assigned() or s.is_imported() or s.is_namespace())
    return frozenset(s.get_name() for s in bound)


def free_names(text: str) -> frozenset[str]:
    """The global names that a text uses, wherever in it, and does not define itself."""
    table = _table(text)
    if table is None:
        return frozenset()
    own = {s.get_name() for s in table.get_symbols() if _defines(s)}
    return frozenset(_used(table)) - own


def early_names(text: str) -> frozenset[str]:
    """The names that a text uses as soon as it is run, outside of its functions' bodies."""
    table = _table(text)
    if table is None:
        return frozenset()
    used = [s for s in table.get_symbols() if s.is_referenced() and not _defines(s)]
    return frozenset(s.get_name() for s in used)


def _table(text: str) -> symtable.SymbolTable | None:
    try:
        return symtable.symtable(text, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defines(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _used(table: symtable.SymbolTable) -> Iterator[str]:
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _used(child)


def _is(id_: str, prefix: str) -> bool:
    return bool(prefix) and id_.startswith(prefix)
