"""What a contributor's run leaves to CI: tests that repeat a promise at full size.

Every promise has a test in every run. Those marked `exhaustive` keep one that a smaller test keeps
as well, for all of a bank, all levels of confinement, a whole class. They run where `CI=true` is
set, with `--all`, and whenever files, folders or tests are named.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
MARK = "exhaustive"
COMMAND = "nox -s tests -- --all"
_WHOLE = "HARNESS_WHOLE"


def decide(config: pytest.Config) -> None:
    """Settle it for this process and for those that it starts, which have its environment."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if config.getoption("all") or named or os.environ.get("CI") == "true":
        os.environ[_WHOLE] = "true"


def whole() -> bool:
    """Whether this run leaves nothing out."""
    return _WHOLE in os.environ


def some(everything: Iterable[T], every: int) -> list[T]:
    """Each of them in a whole run, else the first and every so many after it."""
    return list(everything)[:: 1 if whole() else every]


def sampled(values: Sequence[Any], every: int) -> list[Any]:
    """Values for a parameter, or tuples for several; `some` leaves out those that are marked."""
    sets = [value if isinstance(value, tuple) else (value,) for value in values]
    kept = range(0, len(sets), every)
    return [(pytest.param if n in kept else full)(*one) for n, one in enumerate(sets)]


def full(*values: Any, **options: Any) -> Any:
    """A set of parameters that is left to whole runs."""
    return pytest.param(*values, marks=pytest.mark.exhaustive, **options)


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> int:
    """Take out what this run leaves to CI, and tell how many tests that are."""
    left = [] if whole() else [item for item in items if item.get_closest_marker(MARK)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker(MARK)]
    return len(left)


def told(left: int) -> str:
    """The last line of a run."""
    return f"{left} tests that repeat others at full size are left to CI. To run all: {COMMAND}"
