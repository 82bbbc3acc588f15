"""A submission's modules, loaded from text as one package, so that siblings can be imported.

Nothing is put on `sys.path`: the package exists in `sys.modules` only, and only what the sources
hold can be imported from it.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import itertools
import linecache
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

from .protocol import Sources

_serial = itertools.count()
_loaded: dict[str, str] = {}


def loaded_files() -> dict[str, str]:
    """File name to text of every module of a submission that is loaded in this process."""
    return dict(_loaded)


class Loader(importlib.abc.Loader):
    """Finds and runs the modules of one submission; an importer in the sense of PEP 302."""

    def __init__(self, sources: Sources) -> None:
        self.package = f"submission_{next(_serial)}"
        self._sources = sources
        self._imported: list[str] = []

    def module(self) -> ModuleType:
        """Import the judged module, and with it the siblings that it asks for."""
        if self.package not in sys.modules:
            package = ModuleType(self.package)
            package.__path__ = []
            sys.modules[self.package] = package
            sys.meta_path.insert(0, self)
        return importlib.import_module(f"{self.package}.{self._sources.judged}")

    def unload(self) -> None:
        """Forget the package and everything imported from it."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for name in (self.package, *self._imported):
            sys.modules.pop(name, None)
        for module in self._sources.texts:
            linecache.cache.pop(self._sources.file(module), None)
            _loaded.pop(self._sources.file(module), None)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the import system passes it
        target: ModuleType | None = None,  # noqa: ARG002 - likewise
    ) -> ModuleSpec | None:
        """Answer for the package's own modules only."""
        package, _, name = fullname.partition(".")
        if package != self.package or name not in self._sources.texts:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=self._sources.file(name))

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Compile the module's text under its file's name, so that tracebacks show its lines."""
        name = module.__name__.partition(".")[2]
        text, file = self._sources.texts[name], self._sources.file(name)
        self._imported.append(module.__name__)
        module.__file__ = file
        _loaded[file] = text
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(_compiled(text, file), module.__dict__)  # noqa: S102 - running it is the point


@lru_cache(maxsize=64)
def _compiled(text: str, file: str) -> CodeType:
    """Compile a text once; the same module is a sibling in one stage after the other."""
    return compile(text, file, "exec")
