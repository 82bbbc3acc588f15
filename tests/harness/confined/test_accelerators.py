"""What a worker gets for an accelerator, and nothing more, with device files that stand in for one.

No accelerator is needed here, and none is tried: whether a driver is content with it is seen by
`nox -s gpu` alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import torch

from grader.subject import Subject, SubmissionError
from grader.subject.confined import accelerators, landlock
from grader.subject.confined.accelerators import Opening, built, found
from grader.subject.confined.levels import LEVELS, Level, opened
from grader.subject.confined.zygote import Zygote
from grader.subject.protocol import Sources
from harness import exhaustive
from harness.cli import python
from harness.confined import machine

NVIDIA = ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-caps/nvidia-cap1")
OTHERS = ("kfd", "dri/renderD128", "dri/card0", "nvidia-modeset", "sda")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (*NVIDIA, *OTHERS):
        file = tmp_path / "dev" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


@pytest.mark.parametrize(
    ("kinds", "names"),
    [
        (("cuda",), NVIDIA),
        (("hip",), ("kfd", "dri/renderD128")),
        (("xpu",), ("dri/renderD128",)),
        ((), ()),
    ],
)
def test_what_pytorch_was_built_for_is_opened(
    root: Path, kinds: tuple[str, ...], names: tuple[str, ...]
) -> None:
    opening = found(frozenset(kinds), root)
    assert set(opening.devices) == {str(root / "dev" / name) for name in names}
    assert bool(opening.readable) is bool(names)


def test_without_devices_nothing_is_opened(tmp_path: Path) -> None:
    assert not found(frozenset(accelerators.KINDS), tmp_path)


def test_what_pytorch_was_built_for_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in accelerators.KINDS:
        monkeypatch.setattr(torch.version, kind, None, raising=False)
    assert built() == frozenset()
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    assert built() == {"cuda"}


OPEN = Opening(("/dev/full",), ("/proc", "/sys"))
"""/dev/full answers to everything, and no other worker may touch it."""


@pytest.mark.parametrize("level", [level.number for level in LEVELS])
def test_the_record_says_what_is_lost(level: int) -> None:
    without, with_it = Level(level).isolation(), Level(level, OPEN).isolation()
    assert with_it.not_enforced == (*without.not_enforced, accelerators.LOST)
    assert with_it.enforced == without.enforced
    assert (opened(without), opened(with_it)) == (False, True)


def test_bubblewrap_shows_the_devices_only_where_there_are_any() -> None:
    without, with_it = Level(3).wrapper(), Level(3, OPEN).wrapper()
    assert set(with_it) - set(without) == {"--proc", "/proc", "/sys", "/dev/full"} | (
        {"--ro-bind-try"} - set(without)
    )


TEXT = """
import errno
import fcntl
import mmap
import os
import threading
import torch

def uses(path):
    with open(path, "rb+", buffering=0):
        return True

def controls(path):
    with open("/dev/null", "rb") if path is None else open(path, "rb") as device:
        try:
            fcntl.ioctl(device, 0x4600 + 42)
        except OSError as error:
            return error.errno == errno.ENOTTY  # asked, and unknown there
    return True

def names_a_thread(_):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as file:
        file.write("worker")
    return True

def finds_devices(_):
    return bool(os.listdir("/sys")) and bool(open("/proc/meminfo").read())

def reserves(_):
    mmap.mmap(-1, 256 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0).close()
    return True

def fills(mib):
    return bool(torch.ones(mib << 18).sum())

def touches_others(_):
    with open("/proc/1/comm", "w") as file:
        file.write("another")
    return True

def variables(_):
    return sorted(os.environ)
"""
NEEDED = {"uses": "/dev/full", "controls": "/dev/full", "names_a_thread": "", "reserves": ""}


@cache
def zygote(level: int) -> Zygote:
    machine.workers(level)  # skips where the level is not to be had
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(accelerators.VISIBLE, "1")
        patched.setenv("SECRET", "1")
        made = Zygote(Level(level, OPEN))
    machine._running.callback(made.close)
    return made


@contextmanager
def subject(level: int, accelerator: bool, memory: int = 256) -> Iterator[Subject]:
    sources = Sources("answer", {"answer": TEXT})
    made = zygote(level).open(sources, memory=memory, seconds=60, accelerator=accelerator)
    try:
        yield made
    finally:
        made.close()


RULES = [level.number for level in LEVELS if level.number]
LEVELS_WITH_RULES = [max(RULES), *map(exhaustive.full, sorted(RULES)[:-1])]


@pytest.mark.skipif(landlock.version() < 5, reason="this kernel's Landlock knows no device rights")
@pytest.mark.parametrize("level", LEVELS_WITH_RULES)
@pytest.mark.parametrize("need", [*NEEDED, "finds_devices"])
def test_only_who_is_judged_on_an_accelerator_gets_what_it_needs(level: int, need: str) -> None:
    with subject(level, accelerator=True) as with_it, subject(level, accelerator=False) as without:
        assert getattr(with_it, need)(NEEDED.get(need, "")) is True
        with pytest.raises((SubmissionError, OSError)):
            getattr(without, need)(NEEDED.get(need, ""))


@pytest.mark.parametrize("level", LEVELS_WITH_RULES)
def test_private_memory_stays_limited(level: int) -> None:
    with subject(level, accelerator=True) as with_it:
        assert with_it.fills(64)
        with pytest.raises(MemoryError, match="256 MiB"):
            with_it.fills(600)


@pytest.mark.parametrize("level", LEVELS_WITH_RULES)
def test_other_processes_stay_out_of_reach(level: int) -> None:
    with subject(level, accelerator=True) as with_it, pytest.raises((SubmissionError, OSError)):
        with_it.touches_others("")


@pytest.mark.parametrize("level", LEVELS_WITH_RULES)
def test_a_worker_sees_the_gpu_that_the_grader_was_given(level: int) -> None:
    with subject(level, accelerator=True) as with_it:
        assert with_it.variables("") == [accelerators.VISIBLE]


ASKED = """
import sys
import torch
sys.path.insert(0, sys.argv[1])
asked = []

def spied(owner, name):
    old = getattr(owner, name)
    def spy(*args, **kwargs):
        asked.append(name)
        return old(*args, **kwargs)
    setattr(owner, name, spy)

for owner, names in {
    torch.cuda: ("_lazy_init", "init", "is_available", "device_count", "current_device"),
    torch.accelerator: ("is_available", "device_count", "current_accelerator"),
    torch._C: ("_cuda_init", "_cuda_getDeviceCount", "_accelerator_getAccelerator"),
}.items():
    for name in names:
        if hasattr(owner, name):
            spied(owner, name)
from grader.subject.confined import warming
warming.warm()
print(sorted(set(asked)))
torch.cuda.is_available()
print(sorted(set(asked)))
"""


def test_a_zygote_never_asks_for_an_accelerator() -> None:
    done = python(ASKED, Path(__file__).parents[3])
    assert done.stdout.splitlines()[-2:] == ["[]", "['is_available']"], done.stderr
