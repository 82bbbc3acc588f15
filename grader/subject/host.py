"""The side that runs a submission: it loads the package, sets the bench, makes the calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import escapes
from .errors import MissingName
from .forbidden import refusing
from .package import Loader
from .protocol import Sources
from .values import reduced

if TYPE_CHECKING:
    from ..devices.benches import Bench


class Host:
    """One loaded submission.

    Args:
        sources: the judged module and the siblings that it may import.
        forbidden: groups of built-in operations that the stage refuses.
        watched: whether to look out for them; not where the operations themselves are replaced.
    """

    def __init__(
        self, sources: Sources, forbidden: Sequence[str] = (), *, watched: bool = True
    ) -> None:
        self._loader = Loader(sources)
        self.forbidden = tuple(forbidden)
        self._watched = watched
        self._looked = False
        self._module: ModuleType | None = None
        self._bench: Bench | None = None
        self.sources = sources

    def module(self) -> ModuleType:
        """The judged module, loaded at the first call, and tried again where that failed."""
        if self._module is None:
            self._module = self._loaded()
        return self._module

    def _loaded(self) -> ModuleType:
        if self.forbidden and not self._looked:
            escapes.refuse(self.sources)
            self._looked = True
        with self._refusing():
            return self._loader.module()

    def call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a function or class of the judged module by name.

        Raises:
            MissingName: the module does not define it.
        """
        found = vars(self.module()).get(name)
        if found is None:
            raise MissingName(self.sources.file(self.sources.judged), name)
        return self.apply(found, args, kwargs)

    def attempt(self, name: str, args: Sequence[Any]) -> Any | None:
        """The same, or None where it raises an exception."""
        try:
            return self.call(name, args, {})
        except (Exception, SystemExit):  # noqa: BLE001 - a submission may raise anything
            return None

    def apply(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call something of the submission, on the bench if one is set."""
        with self._refusing():
            if self._bench is None:
                return reduced(function(*args, **kwargs))
            return reduced(self._bench.call(function, args, kwargs))

    @contextmanager
    def on(self, bench: str, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Make all calls on a bench until the block ends; then fill in what it saw."""
        from ..devices import benches  # most checks need none

        seen: dict[str, Any] = {}
        self._bench = benches.make(bench, settings)
        try:
            with self._bench:
                yield seen
        finally:
            seen.update(self._bench.report())
            self._bench = None

    def close(self) -> None:
        """Forget the submission's modules."""
        self._loader.unload()

    def _refusing(self) -> AbstractContextManager[object]:
        return refusing(self.forbidden) if self.forbidden and self._watched else nullcontext()
