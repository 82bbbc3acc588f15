"""What a worker gets on top of the rest where a stage is judged on an accelerator, as data.

Untested on real hardware. What CUDA needs was learnt from others who confine it by Landlock:
NVIDIA/OpenShell #710 and #1486, nolabs-ai/nono #673 and #1001. Nothing is opened where PyTorch was
built for no accelerator, or where the machine has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

OWN_THREADS = "/proc/self/task"
"""CUDA's driver names its threads by writing here, and gives up where it may not."""
VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The one variable of the grader's environment that a worker keeps, so that both mean one GPU."""
SYSTEM_CALLS = ("ioctl",)
"""Calls allowed with any arguments: a driver is spoken to by numbers of its own."""
OPEN_FILES = 1024

LOST = (
    "in stages that are judged on an accelerator, its driver: submissions can ask it anything, "
    "read /proc and /sys, and only their private memory is limited"
)
"""What to say in a record."""


@dataclass(frozen=True)
class Opening:
    """What is opened for an accelerator; false where there is none.

    Attributes:
        devices: device files that may be read, written and controlled.
        readable: files and folders that may be read.
    """

    devices: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.devices)


NOTHING = Opening()

KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cuda": (
            *("dev/nvidia[0-9]*", "dev/nvidiactl", "dev/nvidia-uvm", "dev/nvidia-uvm-tools"),
            "dev/nvidia-caps/*",
        ),
        "hip": ("dev/kfd", "dev/dri/renderD*"),
        "xpu": ("dev/dri/renderD*",),
    }
)
"""What PyTorch was built for, as `torch.version` has it, to device files."""

READABLE = ("proc", "sys")
"""Drivers find their devices here; which files exactly differs from version to version."""


def built() -> frozenset[str]:
    """What this PyTorch was built for."""
    from torch import version  # only who starts workers needs it

    return frozenset(kind for kind in KINDS if getattr(version, kind, None))


def found(kinds: frozenset[str], root: Path = Path("/")) -> Opening:
    """What to open on this machine for these kinds of accelerator."""
    patterns = {pattern for kind in kinds for pattern in KINDS[kind]}
    devices = sorted({str(file) for pattern in patterns for file in root.glob(pattern)})
    return Opening(tuple(devices), tuple(str(root / part) for part in READABLE) if devices else ())
