"""Which process of a run has which tests, and in which order: what takes long is made once.

Groups of pytest-xdist would say the same, but pytest 9.2 passes over them
(https://github.com/pytest-dev/pytest-xdist/issues/1386).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

LONGEST = (
    "nbgrader", "confined", "release", "proof", "cluster", "docs", "batch", "watch", "figures",
    "reports", "devices", "diagnosis",
)  # fmt: skip
"""Folders whose tests start first, so that all processes end at about the same time."""
SHARING = ("nbgrader", "confined", "release", "docs")
"""Folders of which one process has all files, because these share what takes long to make."""
GUESTS = {"test_agreement.py": "confined", "test_confined.py": "confined"}
"""Files of other folders that use what a folder's tests have made."""
SPLIT = ("test_proof.py",)
"""Files of which several processes may have tests: those of one stage share what takes long."""


def place(nodeid: str) -> tuple[str, ...]:
    """Folder and file of a test, below the tests of the harness."""
    return tuple(nodeid.partition("::")[0].split("/")[2:])


def rank(nodeid: str) -> int:
    """When a test starts: the lower, the earlier."""
    folder = place(nodeid)[0]
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)


def group(nodeid: str) -> str:
    """Tests with the same one run in the same process."""
    where = place(nodeid)
    shared = GUESTS.get(where[-1], where[0])
    if shared in SHARING:
        return shared
    stage = nodeid.partition("[")[2] if where[-1] in SPLIT else ""
    return "/".join([*where, stage])


def scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Hands out groups, the next one to whichever process is free."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)


def sort(items: list[pytest.Item]) -> None:
    """Put the longest first."""
    items.sort(key=lambda item: rank(item.nodeid))
