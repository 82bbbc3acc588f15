"""What the machine says about its GPU: for the record, and to notice when it slows down.

NVIDIA's own tool is asked, so that the trusted side never opens the GPU itself. Where it is not
there, nothing is known, and nothing is assumed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from types import MappingProxyType

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "name": "name",
        "driver": "driver_version",
        "clock": "clocks.sm",
        "temperature": "temperature.gpu",
        "throttling": "clocks_throttle_reasons.active",
    }
)
"""Our name of each fact to the tool's."""

SECONDS = 10
IDLE = 0x1
"""The bit of a throttle reason that only says that the GPU has nothing to do."""


def number() -> str:
    """Which of the machine's GPUs comes first for this process and those that it starts."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "").partition(",")[0].strip() or "0"


def facts() -> dict[str, str]:
    """Name, driver, clock in MHz, temperature in °C and throttle reasons of that GPU."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return {}
    query = f"--query-gpu={','.join(FIELDS.values())}"
    command = [tool, query, "--format=csv,noheader,nounits", f"--id={number()}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    values = [value.strip() for value in done.stdout.strip().split(",")]
    return dict(zip(FIELDS, values, strict=True)) if len(values) == len(FIELDS) else {}


def throttled() -> int | None:
    """Why the GPU is slower than it could be, as NVIDIA's bits; None where nobody says."""
    try:
        return int(facts()["throttling"], 16) & ~IDLE
    except (KeyError, ValueError):
        return None
