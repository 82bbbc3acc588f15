from pathlib import Path

import pytest

from grader.devices import hardware

SAID = "NVIDIA H100 PCIe, 550.54.15, 1755, 41, {reasons}"


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "nvidia-smi"


def write(tool: Path, text: str) -> None:
    tool.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    tool.chmod(0o755)


def test_what_the_tool_says_goes_by_our_names(tool: Path) -> None:
    write(tool, f'echo "{SAID.format(reasons="0x0000000000000000")}"')
    assert hardware.facts() == {
        "name": "NVIDIA H100 PCIe",
        "driver": "550.54.15",
        "clock": "1755",
        "temperature": "41",
        "throttling": "0x0000000000000000",
    }


@pytest.mark.parametrize(
    ("visible", "asked"), [("", "0"), ("3", "3"), ("2,0", "2"), ("GPU-4f2a", "GPU-4f2a")]
)
def test_the_gpu_that_the_grader_was_given_is_asked(
    tool: Path, monkeypatch: pytest.MonkeyPatch, visible: str, asked: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    write(
        tool, 'for part; do case $part in --id=*) echo "${part#--id=}, 1, 2, 3, 0x0";; esac; done'
    )
    assert hardware.facts()["name"] == asked


@pytest.mark.parametrize(("reasons", "found"), [("0x0", 0), ("0x1", 0), ("0x21", 0x20)])
def test_idling_is_no_throttling(tool: Path, reasons: str, found: int) -> None:
    write(tool, f'echo "{SAID.format(reasons=reasons)}"')
    assert hardware.throttled() == found


@pytest.mark.parametrize("text", ["exit 9", "echo nothing of use", "echo a, b, c, d, [N/A]"])
def test_a_tool_that_knows_nothing_is_no_trouble(tool: Path, text: str) -> None:
    write(tool, text)
    assert hardware.throttled() is None


def test_without_the_tool_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert hardware.facts() == {}
    assert hardware.throttled() is None
