"""One submission read: its modules out of a folder or a zip, and what there is to say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from ..submission import MAX_BYTES, IntakeError, Place, Submission, decoded, is_written
from . import notebook
from .archive import InZip, is_zip, opened
from .items import Item, Kind, is_clutter

Wanted = Sequence[str] | Mapping[str, Sequence[str]]
"""Names of the course's modules; where notebooks are read too, with the functions of each."""
USUAL = "exercises"
"""The folder in which the course keeps a learner's modules; whoever hands in more is understood."""
NOTEBOOK = ".ipynb"
WORK = (".zip", NOTEBOOK, ".rar", ".7z", ".tar", ".tgz", ".gz")
"""How the name of a whole submission may end; zips and notebooks are read, the others are not."""
_DEEPEST = 3
_NAMED = 5


class Reading:
    """The modules of one submission, gathered from the items that its author handed in.

    Messages name files as their author does, never where they lie: equal work gets equal results.
    """

    def __init__(self, modules: Wanted) -> None:
        self._functions = modules if isinstance(modules, Mapping) else {}
        self._files = {f"{module}.py": module for module in modules}
        self._texts: dict[str, str] = {}
        self._problems: dict[str, str] = {}
        self._places: dict[str, Sequence[Place]] = {}
        self.notes: list[str] = []

    def submission(self, id_: str, path: str) -> Submission:
        """What was read."""
        return Submission(id_, path, self._texts, problems=self._problems, places=self._places)

    def add(self, item: Item, name: str = "") -> None:
        """Take what is in a folder, a zip or a module.

        Args:
            item: the item.
            name: the name that its author gave it, where that is not the item's own.
        """
        try:
            if item.kind is Kind.OTHER:
                self._all_wrong("It is a link, or no ordinary file, and was not opened.")
            elif item.kind is Kind.FOLDER:
                self._folder(item)
            elif is_zip(item):
                with closing(opened(item)) as folder:
                    self._folder(folder)
            else:
                self._file(name or item.name, item)
        except IntakeError as error:
            kind = "zip" if is_zip(item) else "folder"
            self._all_wrong(f"The {kind} cannot be read: {error}.")

    def _all_wrong(self, message: str) -> None:
        for module in self._files.values():
            if module not in self._texts:
                self._problems.setdefault(module, message)

    def _folder(self, folder: Item) -> None:
        if isinstance(folder, InZip) and folder.escapes:
            shown = _listed(folder.escapes)
            self.notes.append(f"Names that lead out of the zip were left alone: {shown}.")
        place = self._where_modules_are(folder)
        ignored = []
        found = place.children() if place else []
        for item in sorted(found, key=is_notebook):  # modules come first
            if self._functions and is_notebook(item):
                self._notebook(item)
            elif item.name in self._files:
                self._file(item.name, item)
            elif not is_clutter(item.name) and _looks_meant(item):
                ignored.append(item.name)
        if ignored:
            wanted = f"{next(iter(self._files))} …"
            self.notes.append(f"Not read, as only {wanted} are: {_listed(ignored)}.")

    def _where_modules_are(self, folder: Item) -> Item | None:
        """The folder itself, or the one below it that holds modules."""
        found = dict(self._folders(folder, _DEEPEST))
        if len(found) <= 1 or folder.path in found:
            return found.get(folder.path) or next(iter(found.values()), folder)
        usual = [place for place in found.values() if place.name == USUAL]
        if len(usual) == 1:
            return usual[0]
        names = _listed([path.removeprefix(f"{folder.path}/") for path in found])
        self._all_wrong(f"Several folders hold modules, so none was read: {names}.")
        return None

    def _folders(self, folder: Item, depth: int) -> Iterator[tuple[str, Item]]:
        items = [item for item in folder.children() if not is_clutter(item.name)]
        if any(item.name in self._files or is_notebook(item) for item in items):
            yield folder.path, folder
        elif depth:
            for item in items:
                if item.kind is Kind.FOLDER:
                    yield from self._folders(item, depth - 1)

    def _notebook(self, item: Item) -> None:
        """Take the stages of a notebook that no module was handed in for."""
        try:
            found = notebook.read(item.read(notebook.MAX_NOTEBOOK))
        except IntakeError as error:
            self._all_wrong(f"{item.name} cannot be read: {error}.")
            return
        work, notes = notebook.submission(found, self._functions, "", "")
        twice = [n for n, text in work.texts.items() if n in self._texts and is_written(text)]
        if twice:
            there = f"{_listed(twice)} of {item.name} was not taken, as there is a module for it."
            self.notes.append(there)
        self._places |= {k: v for k, v in work.places.items() if k not in self._texts}
        self._texts = {**work.texts, **self._texts}
        self._problems |= {k: v for k, v in work.problems.items() if k not in self._texts}
        self.notes += notes

    def _file(self, name: str, item: Item) -> None:
        if self._functions and name.lower().endswith(NOTEBOOK):
            self._notebook(item)
            return
        module = self._files.get(name)
        if module is None:
            if _looks_meant(item):
                self.notes.append(f"Not read, as no stage has this name: {name}.")
            return
        if module in self._texts:
            self.notes.append(f"{name} was handed in twice; the last one in the alphabet counts.")
        try:
            self._texts[module] = decoded(item.read(MAX_BYTES))
            self._problems.pop(module, None)
            self._places.pop(module, None)
        except IntakeError as error:
            self._problems[module] = f"{name} cannot be read: {error}."


def is_notebook(item: Item) -> bool:
    """Whether an item calls itself a notebook."""
    return item.kind is Kind.FILE and item.name.lower().endswith(NOTEBOOK)


def holds_modules(folder: Item, modules: Wanted) -> bool:
    """Whether a folder is a submission: modules lie in it, or in its folder of exercises."""
    names = {f"{module}.py" for module in modules}
    items: Mapping[str, Item] = {item.name: item for item in folder.children()}
    usual = items.get(USUAL)
    if usual is not None and usual.kind is Kind.FOLDER and holds_modules(usual, modules):
        return True
    return not names.isdisjoint(items)


def _looks_meant(item: Item) -> bool:
    """Whether its author may have thought that it counts."""
    return item.kind is not Kind.FOLDER and item.name.lower().endswith((".py", *WORK))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
