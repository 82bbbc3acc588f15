"""What a machine with a certain accelerator answers: tables of functions and their stand-ins.

`machine` pretends that such a machine is there to be picked. `stand_in` lets the answers of a
pretended CUDA device, and every clock, tell a virtual device's time.
"""

from __future__ import annotations

import sys
import threading
import time
import timeit
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from types import MappingProxyType, SimpleNamespace
from typing import Any

import torch

from .patching import Patch, patches
from .virtual import VirtualDevice

Line = Callable[[], int | None]
"""Asks which of the submission's lines is running."""

BUSY = ("process_time", "thread_time")
"""Clocks that stand still while their process has nothing to do."""

KINDS: Mapping[str, str | None] = MappingProxyType(
    {"cuda": "cuda", "mps": "mps", "xpu": "xpu", "mtia": "mtia", "none": None}
)
"""Kind of machine to the device type of its accelerator."""


def _answer(value: Any) -> Callable[..., Any]:
    def answer(*_: Any, **__: Any) -> Any:
        return value

    return answer


def _answers(**values: Any) -> dict[str, Callable[..., Any]]:
    """A table of functions that take anything and return a fixed value."""
    return {name: _answer(value) for name, value in values.items()}


def _properties() -> Any:
    return SimpleNamespace(
        name="stand-in", total_memory=16 << 30, major=9, minor=0, multi_processor_count=1
    )


def _present(there: bool) -> dict[str, Callable[..., Any]]:
    """What `torch.cuda` and `torch.xpu` say about a device that is there, or not."""
    found = _answers(is_available=there, device_count=int(there), is_initialized=there)
    if not there:
        return found
    return found | _answers(
        current_device=0,
        init=None,
        set_device=None,
        get_device_name="stand-in",
        get_device_capability=(9, 0),
        get_device_properties=_properties(),
        mem_get_info=(8 << 30, 16 << 30),
        empty_cache=None,
        is_bf16_supported=True,
    )


def machine(kind: str) -> list[Patch]:
    """The answers of a machine of one of `KINDS` about its accelerators.

    Raises:
        ValueError: there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"no machine is of kind {kind!r}; there are: {', '.join(KINDS)}")
    accelerator = KINDS[kind]
    device = torch.device(accelerator) if accelerator else None
    there = _answers(
        is_available=device is not None,
        device_count=int(device is not None),
        current_accelerator=device,
        current_device_index=0,
        current_device_idx=0,
    )
    mps = accelerator == "mps"
    return [
        *patches(torch.cuda, _present(accelerator == "cuda")),
        *patches(torch.xpu, _present(accelerator == "xpu")),
        *patches(torch.backends.cuda, _answers(is_built=accelerator == "cuda")),
        *patches(torch.backends.mps, _answers(is_available=mps, is_built=mps)),
        *patches(torch.mps, _answers(device_count=int(mps))),
        *patches(torch.accelerator, there),
    ]


def clocks(device: VirtualDevice, line: Line) -> list[Patch]:
    """Every clock of the host, telling a virtual device's time to the thread that is here now.

    Other threads go on reading the real clock.
    """
    here = threading.get_ident()

    def instead(original: Callable[..., Any], scale: int | None) -> Callable[..., Any]:
        def read() -> Any:
            if threading.get_ident() != here:
                return original()
            reader, clock = sys._getframe(1).f_globals.get("__name__", ""), original.__name__
            seconds = device.read(f"{reader}.{clock}", line(), busy=clock.startswith(BUSY))
            return round(seconds * scale) if scale else seconds

        return read

    def sleep(seconds: float, /) -> None:
        device.sleep(seconds)

    names = ("perf_counter", "time", "monotonic", "process_time", "thread_time")
    table = {name: instead(getattr(time, name), None) for name in names}
    table |= {f"{name}_ns": instead(getattr(time, f"{name}_ns"), 10**9) for name in names}
    counter = table["perf_counter"]
    return [
        *patches(time, table | {"sleep": sleep}),
        *patches(timeit, {"default_timer": counter}),
        *_defaults(timeit.default_timer, counter),
    ]


def _defaults(original: Any, replacement: Any) -> list[Patch]:
    """`timeit` keeps its clock as the default value of its functions' parameters."""
    found = []
    for function in (timeit.timeit, timeit.repeat, timeit.Timer.__init__):
        old = function.__defaults__ or ()
        new = tuple(replacement if value is original else value for value in old)
        found.append(Patch(function, "__defaults__", new))
    return found


def waits(device: VirtualDevice, line: Line) -> list[Patch]:
    """Every way to wait for an accelerator, and to time it by events, on a virtual device."""
    event, stream = _event_class(device, line), _stream_class(device, line)

    def synchronize(*_: Any, **__: Any) -> None:
        device.wait("synchronize", line())

    streams = {
        "synchronize": synchronize,
        "Event": event,
        "Stream": stream,
        "current_stream": lambda *_: stream(),
        "default_stream": lambda *_: stream(),
        "stream": lambda *_: nullcontext(),
    }
    return [
        patch
        for owner in (torch.cuda, torch.accelerator, torch.mps, torch.xpu, torch)
        for patch in patches(owner, streams)
    ] + patches(torch.mps.event, {"Event": event})


def _event_class(device: VirtualDevice, line: Line) -> type:
    class Event:
        """A moment in the queue, as `torch.cuda.Event` has it."""

        def __init__(self, *_: Any, **__: Any) -> None:
            self.moment: float | None = None

        def record(self, *_: Any) -> None:
            self.moment = device.mark("record", line())

        def synchronize(self) -> None:
            device.wait("Event.synchronize", line(), until=self.moment)

        def wait(self, *_: Any) -> None:
            """Let a stream wait: there is one, which does so anyway."""

        def query(self) -> bool:
            return self.moment is None or self.moment <= device.host

        def elapsed_time(self, end: Event) -> float:
            """Milliseconds from this event to another."""
            if self.moment is None or end.moment is None:
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
            if not (self.query() and end.query()):
                raise RuntimeError("Both events must be completed before calculating elapsed time.")
            return (end.moment - self.moment) * 1000

    return Event


def _stream_class(device: VirtualDevice, line: Line) -> type:
    event_class = _event_class(device, line)

    class Stream:
        """The one queue of the device, as `torch.cuda.Stream` shows it."""

        def __init__(self, *_: Any, **__: Any) -> None:
            self.device = torch.device("cuda", 0)

        def synchronize(self) -> None:
            device.wait("Stream.synchronize", line())

        def query(self) -> bool:
            return device.queue <= device.host

        def record_event(self, event: Any = None) -> Any:
            event = event or event_class()
            event.record()
            return event

        def wait_event(self, event: Any) -> None:
            """Let the stream wait: there is one, which does so anyway."""

        def wait_stream(self, stream: Any) -> None:
            """Let the stream wait: there is one, which does so anyway."""

        def __enter__(self) -> Stream:
            return self

        def __exit__(self, *_: object) -> None:
            """Go back to the only stream there is."""

    return Stream
