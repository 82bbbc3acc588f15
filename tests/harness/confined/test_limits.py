"""Each limit bites, and its author is told which one it was."""

from __future__ import annotations

import pytest
import torch

from grader.subject import SubmissionDied, SubmissionError, SubmissionTimeout
from harness import exhaustive
from harness.confined import machine

X = torch.ones(2)


def test_memory() -> None:
    text = "import torch\ndef answer(mib): return torch.ones(mib << 18).sum() and mib"
    with machine.submission(text, memory=256) as subject:
        assert subject.answer(40) == 40
        with pytest.raises(MemoryError, match="needs more memory than the 256 MiB"):
            subject.answer(512)
        assert subject.answer(40) == 40
    with machine.submission(text, memory=2048) as subject:
        assert subject.answer(512) == 512


def test_memory_of_plain_python() -> None:
    text = "def answer():\n    held = []\n    while True: held.append(bytearray(1 << 20))"
    with (
        machine.submission(text, memory=128) as subject,
        pytest.raises(MemoryError, match="128 MiB"),
    ):
        subject.answer()


def test_time_of_all_calls_of_a_check_together() -> None:
    text = "import time\ndef answer(seconds): time.sleep(seconds); return seconds"
    with machine.submission(text) as subject:
        subject.begin(60)
        assert subject.answer(0.3) == 0.3
        subject.begin(0.5)
        assert subject.answer(0.3) == 0.3
        with pytest.raises(SubmissionTimeout, match=r"no answer within 0\.5 s"):
            subject.answer(0.3)


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    while True: pass",
        "while True:\n        try: __import__('time').sleep(9)\n        except BaseException: pass",
        "import torch; torch.ones(3000, 3000).matrix_power(1 << 40)",
    ],
)
def test_time_of_what_does_not_want_to_end(body: str) -> None:
    with machine.submission(f"def answer():\n    {body}") as subject:
        subject.begin(0.5)
        with pytest.raises(SubmissionTimeout):
            subject.answer()


def test_time_of_an_import_without_end() -> None:
    with machine.submission("while True: pass") as subject:
        subject.begin(0.5)
        with pytest.raises(SubmissionTimeout):
            subject.answer()


def test_the_next_check_gets_a_fresh_process() -> None:
    text = """
import os
calls = []
def count(): calls.append(1); return len(calls)
def leave(): os._exit(7)
"""
    with machine.submission(text) as subject:
        assert [subject.count(), subject.count()] == [1, 2]
        with pytest.raises(SubmissionDied, match="exit code 7"):
            subject.leave()
        with pytest.raises(SubmissionDied, match="has ended in an earlier call"):
            subject.count()
        subject.begin(20)
        assert subject.count() == 1


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("os._exit(0)", r"ended its own process \(exit code 0\)"),
        ("os.closerange(3, 64); time.sleep(60)", "closed its process's connection"),
        ("ctypes.string_at(0)", "segmentation fault"),
    ],
)
def test_what_ended_a_process_is_told(body: str, told: str) -> None:
    text = f"import ctypes, os, time\ndef answer(): {body}"
    with machine.submission(text) as subject, pytest.raises(SubmissionDied, match=told):
        subject.answer()


def test_processes() -> None:
    text = "import os\ndef answer():\n    while True: os.fork()"
    with (
        machine.submission(text) as subject,
        pytest.raises(PermissionError, match="starts no other programs"),
    ):
        subject.answer()


def test_threads() -> None:
    text = """
import threading
def answer():
    wait = threading.Event()
    while True: threading.Thread(target=wait.wait, daemon=True).start()
"""
    with (
        machine.submission(text, memory=256) as subject,
        pytest.raises(RuntimeError, match="room for a few threads only"),
    ):
        subject.answer()


def test_files_of_a_scratch_folder() -> None:
    text = """
def answer(count, size):
    for number in range(count):
        with open(str(number), "wb") as file: file.write(bytes(size))
    return count
"""
    with machine.submission(text, level=3) as subject:
        assert subject.answer(3, 1 << 20) == 3
        for count, size in ((1, 5 << 20), (8, 3 << 20), (300, 1)):
            with pytest.raises(OSError, match="room for a few small files"):
                subject.answer(count, size)


def test_open_files() -> None:
    text = "import os\ndef answer():\n    return [os.pipe() for _ in range(100)]"
    with machine.submission(text) as subject, pytest.raises(OSError, match="few small files"):
        subject.answer()


def test_output_that_goes_past_python() -> None:
    text = "import os\ndef answer():\n    while True: os.write(1, bytes(1 << 16))"
    with machine.submission(text) as subject:
        with pytest.raises(OSError, match="few small files"):
            subject.answer()
        assert len(subject.output()) <= 1 << 16


def test_answers_that_are_too_long() -> None:
    text = """
import torch
def text(): return ["x" * (1 << 20)] * 5
def tensor(): return torch.zeros(300 << 20, dtype=torch.uint8)
def wide(): return torch.zeros(()).expand(1 << 20, 1 << 20)
def deep(): return torch.zeros([1] * 9)
def fine(): return 1
"""
    with machine.submission(text) as subject:
        for name in ("text", "tensor"):
            with pytest.raises(SubmissionError, match="too long"):
                getattr(subject, name)()
        assert subject.fine() == 1
        for name, told in (("wide", "too large"), ("deep", "9 dimensions")):
            with pytest.raises(SubmissionDied, match=told):
                getattr(subject, name)()
            subject.begin(20)


BOMBS = {
    "signs": "x = " + "-" * 100_000 + "1",
    "brackets": "x = " + "(" * 5_000 + ")" * 5_000,
    "sums": "x = " + "+".join("1" * 50_000),
    "attributes": "x = a" + ".a" * 50_000,
    "powers": "x = " + "**".join("9" * 30),
    "nulls": "x = 1\0",
    "surrogates": "x = '\ud800'",
    "no text": "\x01\x02\x03",
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize(
    "forbidden", [exhaustive.full((), id="plain"), pytest.param(("softmax",), id="read-first")]
)
def test_text_that_is_hard_to_compile_costs_its_author_only(
    name: str, forbidden: tuple[str, ...]
) -> None:
    with machine.submission(BOMBS[name], forbidden=forbidden, seconds=2) as subject:
        with pytest.raises(SubmissionError):
            subject.answer()
        subject.begin(2)
        with pytest.raises(SubmissionError):
            subject.answer()
