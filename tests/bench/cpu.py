"""CPU seconds of other processes, however they are related."""

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def of_tree(pid: int) -> float:
    """CPU seconds of a process that runs and of all below it, those that have ended included."""
    return sum(own(each) for each in tree(pid))


def tree(pid: int) -> Iterator[int]:
    """A process and all below it."""
    yield pid
    # A child belongs to the thread that started it.
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield from tree(int(child))


def own(pid: int) -> float:
    """CPU seconds of a process, and of those below it that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def of_command(
    command: list[str], folder: Path, codes: frozenset[int] = frozenset({0}), **env: str
) -> float:
    """CPU seconds of a program from its start to its end, which one of these codes tells."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    if done.returncode not in codes:
        raise RuntimeError(f"{command} failed:\n{done.stdout}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def private_mib(pid: int) -> float:
    """MiB that a process shares with no other."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    found = {line.split(":")[0]: line.split()[1] for line in lines[1:]}
    return sum(int(found[name]) for name in ("Private_Dirty", "Private_Clean")) / 1024
